/* Statistics of draws. */
#include "nnpost_r.h"

/* values[quantity, draw, chain]; size: the three extents. A quantity with a NaN gets NaN. */
SEXP nnr_statistic(SEXP values, SEXP size, SEXP statistic, SEXP probability) {
  nnp_error err;
  nnp_draws draws;
  size_t bytes;
  const double *extent = REAL(size);
  doubles(values, extent[0] * extent[1] * extent[2], "values");
  TRY(nnp_draws_init(&draws, REAL(values), (int64_t)extent[0], (int64_t)extent[1],
                     (int64_t)extent[2], &err));
  TRY(nnp_statistic_bytes(&draws, &bytes, &err));
  void *memory = R_alloc(bytes / sizeof(double) + 1, sizeof(double));
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)draws.quantities));
  const int32_t status =
      nnp_statistic(&draws, (int32_t)whole(statistic, "statistic"),
                    number(probability, "probability"), REAL(out), memory, bytes, &err);
  if (status != NNP_E_NOT_FINITE) TRY(status);
  UNPROTECT(1);
  return out;
}

/* When a series became stationary: found, time, level, spread. */
SEXP nnr_stationarity(SEXP times, SEXP values, SEXP scale) {
  static const char *const names[] = {"found", "time", "level", "spread"};
  nnp_error err;
  nnp_settling settling;
  size_t bytes;
  const nnp_series series = {doubles(times, (double)XLENGTH(values), "times"), REAL(values),
                             (int64_t)XLENGTH(values)};
  TRY(nnp_thermalization_bytes(&bytes, &err));
  void *memory = R_alloc(bytes / sizeof(double) + 1, sizeof(double));
  TRY(nnp_stationarity(&series, (int32_t)whole(scale, "scale"), &settling, memory, bytes, &err));
  SEXP out = PROTECT(named_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarLogical(settling.found));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(settling.time));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(settling.level));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(settling.spread));
  UNPROTECT(1);
  return out;
}
