// The BLAS and LAPACK that the library is linked with: identification, and raw calls.
//
// Every call runs on the thread that makes it. OpenBLAS has one thread count for the whole process,
// which belongs to the user, so the library never sets it. Instead `Calls::small` cuts every
// product into pieces of at most small_product multiplications: up to that size OpenBLAS uses no
// threads, whatever its count is (interface/gemm.c: MNK <= SMP_THRESHOLD_MIN *
// GEMM_MULTITHREAD_THRESHOLD = 65536 * 4). So neither speed nor bits depend on that count.
// `Calls::whole` makes one call per product; users who request it must set OpenBLAS to one thread
// (see blas_threads).
#pragma once

#include <cstdint>

namespace nnp {

enum class Calls { small, whole };

constexpr int64_t small_product = 65536 * 4;

// ---- What is linked -----------------------------------------------------------------------------

// True if this build has a BLAS.
bool blas_present();
// The core type OpenBLAS detected ("Prescott" on a new machine means that it runs slowly), or
// "unknown" if there is no BLAS or another one.
const char *blas_core_name();
// OpenBLAS's description of its version and build, or "unknown".
const char *blas_config();
// How many threads a large call may use; 0 if unknown.
int blas_threads();
// A hash of version, build and core: two BLASes give the same bits only if it agrees.
uint64_t blas_fingerprint();
// Sets OpenBLAS to one thread; does nothing for another BLAS. This changes the whole process,
// including every other user of the same BLAS: call it only if the user requests it.
void blas_single_thread();

// ---- Raw calls ----------------------------------------------------------------------------------

// Matrices are column-major. Sizes and leading dimensions must fit BLAS's integers.
struct Operand {
  const double *data;
  int64_t ld;
  bool transposed = false;
};
constexpr int64_t most_blas_integer = 2147483647;

// c (m x n) = alpha a b + beta c, with a m x k and b k x n after transposition. beta = 0: c is not
// read.
struct Product {
  int64_t m, n, k;
  double alpha;
  Operand a, b;
  double beta;
  double *c;
  int64_t ldc;
};
void blas_product(Calls calls, const Product &product);

// Lower triangle of c (n x n) += a' a, where a is k x n.
void blas_gram(const double *a, int64_t k, int64_t n, int64_t lda, double *c, int64_t ldc);

// b (m x n) becomes L^-1 b or L^-T b; if L is on the right, b L^-1 or b L^-T.
struct Triangle {
  const double *l;
  int64_t ldl;
  bool right, transposed;
};
void blas_solve(const Triangle &triangle, double *b, int64_t m, int64_t n, int64_t ldb);

// Replaces the lower triangle of a by its Cholesky factor. False if a is not positive definite.
bool blas_cholesky(double *a, int64_t n, int64_t lda);

}  // namespace nnp
