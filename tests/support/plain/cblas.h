/* The routines of BLAS that tests compare with, as plain loops: for machines that have no BLAS here. Column-major
 * only, lower triangles only. The build takes the real ones where it finds them. */
#ifndef NNPOST_TESTS_PLAIN_CBLAS_H
#define NNPOST_TESTS_PLAIN_CBLAS_H

#include <stddef.h>

typedef enum { CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;
typedef enum { CblasLower = 122 } CBLAS_UPLO;
typedef enum { CblasNonUnit = 131 } CBLAS_DIAG;
typedef enum { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

/* Element (i, j) of op(a). */
static inline double plain_at(const double *a, int ld, CBLAS_TRANSPOSE op, int i, int j) {
  const int row = op == CblasTrans ? j : i, column = op == CblasTrans ? i : j;
  return a[(size_t)column * (size_t)ld + (size_t)row];
}

/* c = alpha op(a) op(b) + beta c; c is not read if beta is 0. */
static inline void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b,
                               int m, int n, int k, double alpha, const double *a, int lda,
                               const double *b, int ldb, double beta, double *c, int ldc) {
  (void)layout;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      double *out = c + (size_t)j * (size_t)ldc + i, sum = 0;
      for (int l = 0; l < k; ++l)
        sum += plain_at(a, lda, op_a, i, l) * plain_at(b, ldb, op_b, l, j);
      *out = alpha * sum + (beta == 0 ? 0 : beta * *out);
    }
  }
}

/* The lower triangle of c = alpha op(a) op(a)' + beta c. */
static inline void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE op, int n,
                               int k, double alpha, const double *a, int lda, double beta,
                               double *c, int ldc) {
  (void)layout, (void)uplo;
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double *out = c + (size_t)j * (size_t)ldc + i, sum = 0;
      for (int l = 0; l < k; ++l) sum += plain_at(a, lda, op, i, l) * plain_at(a, lda, op, j, l);
      *out = alpha * sum + (beta == 0 ? 0 : beta * *out);
    }
  }
}

/* Solves op(l) x = alpha b (left) or x op(l) = alpha b (right) in place, l lower triangular. */
static inline void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,
                               CBLAS_TRANSPOSE op, CBLAS_DIAG diag, int m, int n, double alpha,
                               const double *l, int ldl, double *b, int ldb) {
  const int left = side == CblasLeft, order = left ? m : n, systems = left ? n : m;
  const size_t step = left ? 1 : (size_t)ldb, next = left ? (size_t)ldb : 1;
  /* x op(l) = b is op(l)' x' = b'. Forward if the matrix of the system is lower triangular. */
  const int forward = left == (op == CblasNoTrans);
  (void)layout, (void)uplo, (void)diag;
  for (int s = 0; s < systems; ++s) {
    double *x = b + (size_t)s * next;
    for (int done = 0; done < order; ++done) {
      const int i = forward ? done : order - 1 - done;
      double sum = alpha * x[(size_t)i * step];
      for (int d = 0; d < done; ++d) {
        const int k = forward ? d : order - 1 - d;
        sum -= plain_at(l, ldl, forward ? CblasNoTrans : CblasTrans, i, k) * x[(size_t)k * step];
      }
      x[(size_t)i * step] = sum / plain_at(l, ldl, CblasNoTrans, i, i);
    }
  }
}

#endif
