// Raw calls of BLAS and LAPACK, through cblas and LAPACKE or by their Fortran names, as in R's BLAS
// (NNP_BLAS_FORTRAN). OpenBLAS's own functions are weak symbols, so that any other BLAS links too.
#include "lib/linalg/blas.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "lib/base/hash.hpp"

#if defined(NNP_BLAS_FORTRAN)
extern "C" {
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *, size_t, size_t);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, double *, const int *, size_t, size_t);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, double *, const int *, size_t, size_t,
            size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
}
#elif defined(NNP_BLAS)
#include <cblas.h>
#include <lapacke.h>
#endif

#if defined(__APPLE__)  // its linker does not support such weak symbols
constexpr char *(*openblas_get_corename)(void) = nullptr;
constexpr char *(*openblas_get_config)(void) = nullptr;
constexpr int (*openblas_get_num_threads)(void) = nullptr;
constexpr void (*openblas_set_num_threads)(int threads) = nullptr;
#else
extern "C" {
__attribute__((weak)) char *openblas_get_corename(void);
__attribute__((weak)) char *openblas_get_config(void);
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int threads);
}
#endif

namespace nnp {

namespace {

[[maybe_unused]] int blas_int(int64_t size) {
  return static_cast<int>(size);
}

#if defined(NNP_BLAS_FORTRAN)

void gemm(const Product &p) {
  const int m = blas_int(p.m), n = blas_int(p.n), k = blas_int(p.k), lda = blas_int(p.a.ld),
            ldb = blas_int(p.b.ld), ldc = blas_int(p.ldc);
  dgemm_(p.a.transposed ? "T" : "N", p.b.transposed ? "T" : "N", &m, &n, &k, &p.alpha, p.a.data,
         &lda, p.b.data, &ldb, &p.beta, p.c, &ldc, 1, 1);
}

void syrk(const double *a, int k, int n, int lda, double *c, int ldc) {
  const double one = 1;
  dsyrk_("L", "T", &n, &k, &one, a, &lda, &one, c, &ldc, 1, 1);
}

void trsm(const Triangle &t, double *b, int m, int n, int ldb) {
  const double one = 1;
  const int ldl = blas_int(t.ldl);
  dtrsm_(t.right ? "R" : "L", "L", t.transposed ? "T" : "N", "N", &m, &n, &one, t.l, &ldl, b, &ldb,
         1, 1, 1, 1);
}

int potrf(double *a, int n, int lda) {
  int info = 0;
  dpotrf_("L", &n, a, &lda, &info, 1);
  return info;
}

#elif defined(NNP_BLAS)

void gemm(const Product &p) {
  cblas_dgemm(CblasColMajor, p.a.transposed ? CblasTrans : CblasNoTrans,
              p.b.transposed ? CblasTrans : CblasNoTrans, blas_int(p.m), blas_int(p.n),
              blas_int(p.k), p.alpha, p.a.data, blas_int(p.a.ld), p.b.data, blas_int(p.b.ld),
              p.beta, p.c, blas_int(p.ldc));
}

void syrk(const double *a, int k, int n, int lda, double *c, int ldc) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, k, 1, a, lda, 1, c, ldc);
}

void trsm(const Triangle &t, double *b, int m, int n, int ldb) {
  cblas_dtrsm(CblasColMajor, t.right ? CblasRight : CblasLeft, CblasLower,
              t.transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, m, n, 1, t.l, blas_int(t.ldl),
              b, ldb);
}

int potrf(double *a, int n, int lda) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, lda);
}

#else  // never called: see blas_present

void gemm(const Product &) {}
void syrk(const double *, int, int, int, double *, int) {}
void trsm(const Triangle &, double *, int, int, int) {}
int potrf(double *, int, int) {
  return 1;
}

#endif

const double *at(const Operand &x, int64_t row, int64_t column) {
  return x.transposed ? x.data + column + row * x.ld : x.data + row + column * x.ld;
}

// How many of `count` to take at once: parts as equal as possible, none larger than `most`.
int64_t part(int64_t count, int64_t most) {
  const int64_t parts = (count + most - 1) / most;
  return (count + parts - 1) / parts;
}

// Pieces of at most small_product multiplications; these shapes were the fastest on Zen: 128 x 64 x
// 32, or 32 x 64 x 128 if a is transposed (sums over rows).
void small_products(const Product &p) {
  const int64_t rows = p.a.transposed ? 32 : 128, columns = 64, depth = p.a.transposed ? 128 : 32;
  static_assert(128 * 64 * 32 <= small_product, "no piece may start threads");
  const int64_t step = part(p.k, depth);
  for (int64_t j = 0; j < p.n; j += columns)
    for (int64_t l = 0; l < p.k; l += step)
      for (int64_t i = 0; i < p.m; i += rows)
        gemm({std::min(rows, p.m - i),
              std::min(columns, p.n - j),
              std::min(step, p.k - l),
              p.alpha,
              {at(p.a, i, l), p.a.ld, p.a.transposed},
              {at(p.b, l, j), p.b.ld, p.b.transposed},
              l == 0 ? p.beta : 1,
              p.c + i + j * p.ldc,
              p.ldc});
}

}  // namespace

bool blas_present() {
#if defined(NNP_BLAS)
  return true;
#else
  return false;
#endif
}

const char *blas_core_name() {
  return openblas_get_corename ? openblas_get_corename() : "unknown";
}

const char *blas_config() {
  return openblas_get_config ? openblas_get_config() : "unknown";
}

int blas_threads() {
  return openblas_get_num_threads ? openblas_get_num_threads() : 0;
}

// openblas_get_config writes its text into one buffer of the process, so two concurrent calls could
// read each other's unfinished text.
uint64_t blas_fingerprint() {
  static int32_t asking = 0;
  while (__atomic_exchange_n(&asking, 1, __ATOMIC_ACQUIRE)) {
  }
  const char *text = blas_config();
  const uint64_t config = hash_bytes(hash_start, text, std::strlen(text));
  __atomic_store_n(&asking, 0, __ATOMIC_RELEASE);
  return hash_bytes(config, blas_core_name(), std::strlen(blas_core_name()));
}

void blas_single_thread() {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

void blas_product(Calls calls, const Product &product) {
  if (product.m == 0 || product.n == 0) return;
  if (calls == Calls::whole || product.k == 0) return gemm(product);
  small_products(product);
}

void blas_gram(const double *a, int64_t k, int64_t n, int64_t lda, double *c, int64_t ldc) {
  if (n > 0) syrk(a, blas_int(k), blas_int(n), blas_int(lda), c, blas_int(ldc));
}

void blas_solve(const Triangle &triangle, double *b, int64_t m, int64_t n, int64_t ldb) {
  if (m > 0 && n > 0) trsm(triangle, b, blas_int(m), blas_int(n), blas_int(ldb));
}

// info > 0: the leading minor of that order is not positive. info < 0 would indicate a bad
// argument, which cannot happen; the matrix is then not factored either.
bool blas_cholesky(double *a, int64_t n, int64_t lda) {
  return n == 0 || potrf(a, blas_int(n), blas_int(lda)) == 0;
}

}  // namespace nnp
