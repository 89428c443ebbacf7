/* Several starts of which the best continues, and twins that show whether a chain is stuck. */
#include "nnpost_r.h"

static int32_t watch_multistart(const nnp_multistart_progress *state, void *watch) {
  return watch_share(watch, state->steps > 0 ? (double)state->done / (double)state->steps : 1);
}

/* error, rank, steps, annealed of each chain. */
static SEXP multistart_report(const nnp_multistart *multistart, int64_t count) {
  nnp_error err;
  nnp_attempt one;
  SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, 4, (int)count));
  for (int64_t c = 0; c < count; ++c) {
    double *column = REAL(matrix) + 4 * c;
    TRY(nnp_multistart_report(multistart, c, &one, &err));
    column[0] = one.error;
    column[1] = (double)one.rank;
    column[2] = (double)one.steps;
    column[3] = one.annealed;
  }
  UNPROTECT(1);
  return matrix;
}

/* options: a column for each (option, value). Returns the reports, the number of the best chain
 * (from 1), its state as bytes and its parameters; NULL if the user stopped it before there was a
 * best one. */
SEXP nnr_multistart(SEXP list, SEXP options, SEXP seed, SEXP parameters, SEXP how) {
  static const char *const names[] = {"reports", "best", "save", "parameters", "stopped"};
  nnp_error err;
  nnp_multistart *multistart = NULL;
  Watch watch;
  int64_t best = 0;
  const int64_t count = (int64_t)XLENGTH(list);
  const uint64_t key = seed_of(seed);
  nnp_chain **chains = chains_of(list);
  SEXP handle = PROTECT(handle_new(MULTISTART, list));
  TRY(nnp_multistart_create(&multistart, chains, count, &err));
  handle_fill(handle, multistart);
  for (R_xlen_t i = 0; i + 1 < XLENGTH(options); i += 2)
    TRY(nnp_multistart_set(multistart, (int32_t)REAL(options)[i], REAL(options)[i + 1], &err));
  watch_begin(&watch, how, count, 1);
  const int32_t status = nnp_multistart_run(multistart, key, watch_multistart, &watch, &err);
  watch_end(&watch);
  if (status != NNP_STOPPED) TRY(status);
  if (nnp_multistart_best(multistart, &best, &err) != NNP_OK) {
    nnr_free(handle);
    UNPROTECT(1);
    return R_NilValue;
  }
  SEXP out = PROTECT(named_list(5, names));
  SET_VECTOR_ELT(out, 0, multistart_report(multistart, count));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)best + 1));
  SET_VECTOR_ELT(out, 2, saved_chain(chains[best]));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)whole(parameters, "parameters")));
  TRY(nnp_chain_parameters(chains[best], REAL(VECTOR_ELT(out, 3)), &err));
  SET_VECTOR_ELT(out, 4, Rf_ScalarLogical(status == NNP_STOPPED));
  nnr_free(handle);
  UNPROTECT(2);
  return out;
}

/* The verdict on a chain, in numbers and words, and the training errors of both; NULL if the user
 * stopped it. */
SEXP nnr_twin(SEXP chain, SEXP steps, SEXP noisy, SEXP seed, SEXP how) {
  static const char *const names[] = {"verdict", "text", "chain", "twin"};
  nnp_error err;
  nnp_twin *twin = NULL;
  nnp_verdict verdict;
  nnp_series series;
  char text[256];
  Watch watch;
  const int64_t count = whole(steps, "steps");
  const int32_t noise = (int32_t)whole(noisy, "noise");
  const uint64_t key = seed_of(seed);
  SEXP handle = PROTECT(handle_new(TWIN, chain));
  TRY(nnp_twin_create(&twin, handle_get(chain, CHAIN), &err));
  handle_fill(handle, twin);
  watch_begin(&watch, how, 2, 1);
  const int32_t status = nnp_twin_run(twin, count, noise, key, watch_multistart, &watch, &err);
  watch_end(&watch);
  if (status == NNP_STOPPED) {
    nnr_free(handle);
    UNPROTECT(1);
    return R_NilValue;
  }
  TRY(status);
  TRY(nnp_twin_report(twin, &verdict, &err));
  TRY(nnp_twin_text(twin, text, sizeof text, &err));
  SEXP out = PROTECT(named_list(4, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, VERDICT_NUMBERS));
  verdict_numbers(&verdict, REAL(VECTOR_ELT(out, 0)));
  SET_VECTOR_ELT(out, 1, Rf_mkString(text));
  for (int64_t which = 0; which < 2; ++which) {
    TRY(nnp_twin_series(twin, which, &series, &err));
    SET_VECTOR_ELT(out, (R_xlen_t)which + 2, series_matrix(&series));
  }
  nnr_free(handle);
  UNPROTECT(2);
  return out;
}
