/* The routines of LAPACK that tests compare with, as plain loops: see cblas.h. */
#ifndef NNPOST_TESTS_PLAIN_LAPACKE_H
#define NNPOST_TESTS_PLAIN_LAPACKE_H

#include <math.h>
#include <stddef.h>

#define LAPACK_COL_MAJOR 102
typedef int lapack_int;

/* The lower Cholesky factor in place; returns the order of the first minor that is not positive, or 0. */
static inline lapack_int LAPACKE_dpotrf_work(int layout, char uplo, lapack_int n, double *a,
                                             lapack_int lda) {
  (void)layout, (void)uplo;
  for (int j = 0; j < n; ++j) {
    double *column = a + (size_t)j * (size_t)lda;
    for (int i = j; i < n; ++i) {
      double sum = column[i];
      for (int k = 0; k < j; ++k) {
        const double *left = a + (size_t)k * (size_t)lda;
        sum -= left[i] * left[j];
      }
      if (i > j) {
        column[i] = sum / column[j];
      } else if (sum > 0) {
        column[j] = sqrt(sum);
      } else {
        return j + 1;
      }
    }
  }
  return 0;
}

static inline lapack_int LAPACKE_dpotrf(int layout, char uplo, lapack_int n, double *a,
                                        lapack_int lda) {
  return LAPACKE_dpotrf_work(layout, uplo, n, a, lda);
}

#endif
