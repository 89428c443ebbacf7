// The BLAS and LAPACK that the library is linked with: what they are, and raw calls of them.
//
// A call on the library's behalf runs on the thread that makes it. OpenBLAS has one thread count for
// the whole process, which is the user's, so nobody here sets it. Instead `Calls::small` cuts every
// product into pieces of at most small_product multiplications: up to there OpenBLAS uses no threads
// whatever its count is (interface/gemm.c: MNK <= SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD =
// 65536 * 4). So neither speed nor bits hang on that count. `Calls::whole` makes one call of each
// product; the user who asks for it has set OpenBLAS to one thread (see blas_threads).
#pragma once

#include <cstdint>

namespace nnp {

enum class Calls { small, whole };

constexpr int64_t small_product = 65536 * 4;

// ---- What is linked -----------------------------------------------------------------------------

// Is there a BLAS in this build?
bool blas_present();
// The core OpenBLAS took this machine for ("Prescott" on a new machine means it runs slow), or
// "unknown" if there is none or it is another BLAS.
const char *blas_core_name();
// What OpenBLAS says of its version and build, or "unknown".
const char *blas_config();
// How many threads a large call may use; 0 if that is not known.
int blas_threads();
// Version, build and core in a number: results of two BLASes have the same bits only if it agrees.
uint64_t blas_fingerprint();
// Keeps OpenBLAS at one thread; does nothing for another BLAS. This is state of the whole process,
// shared with every other user of the same BLAS: call it on the user's word only.
void blas_single_thread();

// ---- Raw calls ----------------------------------------------------------------------------------

// Matrices are column-major. Sizes and leading dimensions must fit BLAS's integers.
struct Operand {
  const double *data;
  int64_t ld;
  bool transposed = false;
};
constexpr int64_t most_blas_integer = 2147483647;

// c (m x n) = alpha a b + beta c, a being m x k and b k x n once transposed. beta = 0: c is not read.
struct Product {
  int64_t m, n, k;
  double alpha;
  Operand a, b;
  double beta;
  double *c;
  int64_t ldc;
};
void blas_product(Calls calls, const Product &product);

// Lower triangle of c (n x n) += a' a, a being k x n.
void blas_gram(const double *a, int64_t k, int64_t n, int64_t lda, double *c, int64_t ldc);

// b (m x n) becomes L^-1 b or L^-T b; on the right b L^-1 or b L^-T.
struct Triangle {
  const double *l;
  int64_t ldl;
  bool right, transposed;
};
void blas_solve(const Triangle &triangle, double *b, int64_t m, int64_t n, int64_t ldb);

// The lower triangle of a becomes its Cholesky factor. False if a is not positive definite.
bool blas_cholesky(double *a, int64_t n, int64_t lda);

}  // namespace nnp
