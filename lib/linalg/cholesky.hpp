// Factors a precision, solves with the factor, draws from the Gaussian it belongs to. Matrices are
// column-major. Everything uses our kernels, so speed and bits do not depend on which core the BLAS
// detects.
#pragma once

#include <cstdint>

#include "lib/linalg/kernels.hpp"

namespace nnp {

// a = L L': the lower triangle of a becomes L, the upper one is left alone. False if a is not
// positive definite to working precision: if a pivot is negative, not finite, or so much smaller
// than its diagonal entry that fewer than two digits of it are accurate. a is then overwritten.
bool cholesky(double *a, int64_t n, int64_t lda, const Kernels *kernels);
// Cholesky factor of a band matrix (see band_ld).
bool cholesky_band(double *a, int64_t n, int64_t band, const Kernels *kernels);

// b (n x k) becomes L^-1 b, or L^-T b.
void solve_lower(const double *l, int64_t n, int64_t ldl, double *b, int64_t k, int64_t ldb,
                 const Kernels *kernels);
void solve_lower_transposed(const double *l, int64_t n, int64_t ldl, double *b, int64_t k,
                            int64_t ldb, const Kernels *kernels);

// log det(L L').
double log_det_from_cholesky(const double *l, int64_t n, int64_t ldl);

// A Gaussian in natural terms, k columns that share one precision. With A = L L' the scaled
// precision and c (n x k) the scaled cross term, each column is N(A^-1 c, sd^2 A^-1).
struct GaussianColumns {
  const double *l;
  int64_t n, ldl;
  const double *c;
  int64_t k, ldc;
  double sd;  // sqrt(D), when A and c are D times the precision and the linear term
};

// w = L^-T (L^-1 c + sd * z), z (n x k) standard normals; w (n x k) may be c, not z.
void draw_columns(const GaussianColumns &g, const double *z, int64_t ldz, double *w, int64_t ldw,
                  const Kernels *kernels);

}  // namespace nnp
