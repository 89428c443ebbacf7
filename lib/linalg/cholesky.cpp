// Factor, solve, draw: the kernels under their mathematical names.
#include "lib/linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"

namespace nnp {

namespace {

// A pivot l_jj^2 = a_jj - sum of l_ji^2 has an error of about eps * a_jj, and a_jj is the squared
// norm of row j of L. Entries more than `band` from the diagonal are zero.
bool pivots_have_digits(const double *l, int64_t n, int64_t ldl, int64_t band) {
  constexpr double least = 100 * 2.2204460492503131e-16;
  for (int64_t j = 0; j < n; ++j) {
    double norm = 0;
    for (int64_t i = std::max<int64_t>(j - band, 0); i <= j; ++i)
      norm += l[j + i * ldl] * l[j + i * ldl];
    const double pivot = l[j + j * ldl];
    if (!(pivot * pivot >= least * norm)) return false;
  }
  return true;
}

}  // namespace

bool cholesky(double *a, int64_t n, int64_t lda, const Kernels *kernels) {
  return kernels->cholesky(a, n, lda) && pivots_have_digits(a, n, lda, n);
}

bool cholesky_band(double *a, int64_t n, int64_t band, const Kernels *kernels) {
  return kernels->cholesky_band(a, n, band) && pivots_have_digits(a, n, band_ld(band), band);
}

void solve_lower(const double *l, int64_t n, int64_t ldl, double *b, int64_t k, int64_t ldb,
                 const Kernels *kernels) {
  kernels->solve_columns(l, n, ldl, b, k, ldb);
}

void solve_lower_transposed(const double *l, int64_t n, int64_t ldl, double *b, int64_t k,
                            int64_t ldb, const Kernels *kernels) {
  kernels->solve_columns_transposed(l, n, ldl, b, k, ldb);
}

double log_det_from_cholesky(const double *l, int64_t n, int64_t ldl) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += fn::log(l[i + i * ldl]);
  return 2 * sum;
}

void draw_columns(const GaussianColumns &g, const double *z, int64_t ldz, double *w, int64_t ldw,
                  const Kernels *kernels) {
  for (int64_t j = 0; j < g.k; ++j) {
    for (int64_t i = 0; i < g.n; ++i) w[i + j * ldw] = g.c[i + j * g.ldc];
  }
  kernels->solve_columns(g.l, g.n, g.ldl, w, g.k, ldw);
  for (int64_t j = 0; j < g.k; ++j) {
    for (int64_t i = 0; i < g.n; ++i) w[i + j * ldw] += g.sd * z[i + j * ldz];
  }
  kernels->solve_columns_transposed(g.l, g.n, g.ldl, w, g.k, ldw);
}

}  // namespace nnp
