/* Statistics of draws, settling of series, tests of samplers. */
#include <string.h>

#include "nnpost_r.h"

/* values[quantity, draw, chain] in place; size: the three extents. */
static nnp_draws draws_of(SEXP values, SEXP size, const char *name) {
  nnp_error err;
  nnp_draws draws;
  const double *extent = REAL(size);
  TRY(nnp_draws_init(&draws, doubles(values, extent[0] * extent[1] * extent[2], name),
                     (int64_t)extent[0], (int64_t)extent[1], (int64_t)extent[2], &err));
  return draws;
}

static void *workspace(size_t bytes) {
  return R_alloc(bytes / sizeof(double) + 1, sizeof(double));
}

/* A quantity with a NaN gets NaN. */
SEXP nnr_statistic(SEXP values, SEXP size, SEXP statistic, SEXP probability) {
  nnp_error err;
  size_t bytes;
  const nnp_draws draws = draws_of(values, size, "values");
  TRY(nnp_statistic_bytes(&draws, &bytes, &err));
  void *memory = workspace(bytes);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)draws.quantities));
  const int32_t status =
      nnp_statistic(&draws, (int32_t)whole(statistic, "statistic"),
                    number(probability, "probability"), REAL(out), memory, bytes, &err);
  if (status != NNP_E_NOT_FINITE) TRY(status);
  UNPROTECT(1);
  return out;
}

/* The verdict on values[function, draw, chain]. */
SEXP nnr_convergence(SEXP values, SEXP size) {
  static const char *const names[] = {"verdict", "rhat", "ess_bulk", "ess_tail", "worst", "text"};
  nnp_error err;
  nnp_convergence found;
  size_t bytes;
  char text[160];
  const nnp_draws draws = draws_of(values, size, "values");
  TRY(nnp_convergence_bytes(&draws, &bytes, &err));
  TRY(nnp_convergence_of(&draws, &found, workspace(bytes), bytes, &err));
  TRY(nnp_convergence_text(&found, text, sizeof text, &err));
  SEXP out = PROTECT(named_list(6, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(found.verdict));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(found.rhat));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(found.ess_bulk));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(found.ess_tail));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)(found.worst + 1)));
  SET_VECTOR_ELT(out, 5, Rf_mkString(text));
  UNPROTECT(1);
  return out;
}

/* Stacking weights of chains; values are log likelihoods [row, draw, chain]. */
SEXP nnr_stack_chains(SEXP values, SEXP size) {
  nnp_error err;
  nnp_stacking_summary summary;
  size_t bytes;
  const nnp_draws draws = draws_of(values, size, "values");
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)draws.chains));
  TRY(nnp_stack_chains_bytes(&draws, &bytes, &err));
  TRY(nnp_stack_chains(&draws, REAL(out), &summary, workspace(bytes), bytes, &err));
  Rf_setAttrib(out, Rf_install("largest_k"), PROTECT(Rf_ScalarReal(summary.largest_k)));
  Rf_setAttrib(out, Rf_install("k_limit"), PROTECT(Rf_ScalarReal(summary.k_limit)));
  Rf_setAttrib(out, Rf_install("unreliable"), PROTECT(Rf_ScalarReal((double)summary.unreliable)));
  UNPROTECT(4);
  return out;
}

/* When a series became stationary: found, time, level, spread. */
SEXP nnr_stationarity(SEXP times, SEXP values, SEXP scale) {
  static const char *const names[] = {"found", "time", "level", "spread"};
  nnp_error err;
  nnp_settling settling;
  size_t bytes;
  const nnp_series series = {doubles(times, (double)XLENGTH(values), "times"), REAL(values),
                             (int64_t)XLENGTH(values), {0}};
  TRY(nnp_thermalization_bytes(&bytes, &err));
  void *memory = workspace(bytes);
  TRY(nnp_stationarity(&series, (int32_t)whole(scale, "scale"), &settling, memory, bytes, &err));
  SEXP out = PROTECT(named_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarLogical(settling.found));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(settling.time));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(settling.level));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(settling.spread));
  UNPROTECT(1);
  return out;
}

/* ---- Is a sampler right? ---- */

/* Ranks of the truth among draws. Ranks are doubles in R, which has no integers of 64 bits. */
SEXP nnr_sbc_ranks(SEXP truth, SEXP draws, SEXP size, SEXP ties) {
  nnp_error err;
  const nnp_draws posterior = draws_of(draws, size, "draws");
  const double count = (double)posterior.quantities;
  int64_t *ranks = (int64_t *)R_alloc((size_t)posterior.quantities, sizeof(int64_t));
  TRY(nnp_sbc_ranks(doubles(truth, count, "truth"), &posterior,
                    ties == R_NilValue ? NULL : doubles(ties, count, "ties"), ranks, &err));
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)posterior.quantities));
  for (int64_t q = 0; q < posterior.quantities; ++q) REAL(out)[q] = (double)ranks[q];
  UNPROTECT(1);
  return out;
}

/* ranks[quantity, replication]; size: the two extents. Counts and p-values. */
SEXP nnr_sbc_histogram(SEXP ranks, SEXP size, SEXP max_rank, SEXP bins) {
  static const char *const names[] = {"counts", "p_value"};
  nnp_error err;
  const int64_t quantities = (int64_t)REAL(size)[0], replications = (int64_t)REAL(size)[1],
                most = whole(max_rank, "max_rank"), places = whole(bins, "bins");
  const double *values = doubles(ranks, REAL(size)[0] * REAL(size)[1], "ranks");
  const R_xlen_t length = length_of(REAL(size)[0], (double)places, 1, "counts");
  int64_t *numbers = (int64_t *)R_alloc((size_t)XLENGTH(ranks), sizeof(int64_t));
  int64_t *counts = (int64_t *)R_alloc((size_t)length, sizeof(int64_t));
  for (R_xlen_t i = 0; i < XLENGTH(ranks); ++i) numbers[i] = (int64_t)values[i];
  SEXP out = PROTECT(named_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, length));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)quantities));
  TRY(nnp_sbc_histogram(numbers, quantities, replications, most, places, counts,
                        REAL(VECTOR_ELT(out, 1)), &err));
  for (R_xlen_t i = 0; i < length; ++i) REAL(VECTOR_ELT(out, 0))[i] = (double)counts[i];
  UNPROTECT(1);
  return out;
}

/* Against draws of the prior, or (prior NULL) against moments = list(mean, second moment). */
SEXP nnr_geweke(SEXP alternating, SEXP size, SEXP prior, SEXP prior_size, SEXP moments) {
  static const char *const names[] = {"z", "p_value"};
  nnp_error err;
  nnp_draws right;
  size_t bytes;
  double p_value;
  const nnp_draws left = draws_of(alternating, size, "alternating");
  const double count = (double)left.quantities;
  const int by_draws = prior != R_NilValue;
  memset(&right, 0, sizeof right);
  if (by_draws) right = draws_of(prior, prior_size, "prior");
  TRY(nnp_geweke_bytes(&left, by_draws ? &right : NULL, &bytes, &err));
  void *memory = workspace(bytes);
  SEXP out = PROTECT(named_list(2, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, 2 * (R_xlen_t)left.quantities));
  double *z = REAL(VECTOR_ELT(out, 0));
  if (by_draws)
    TRY(nnp_geweke_draws(&left, &right, z, &p_value, memory, bytes, &err));
  else
    TRY(nnp_geweke_moments(&left, doubles(VECTOR_ELT(moments, 0), count, "mean"),
                           doubles(VECTOR_ELT(moments, 1), count, "second_moment"), z, &p_value,
                           memory, bytes, &err));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(p_value));
  UNPROTECT(1);
  return out;
}
