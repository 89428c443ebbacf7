/* Predictions, scores and log likelihoods from draws of the parameters. */
#include "nnpost_r.h"

/* how: list(posterior, noise, seed, passes). */
static nnp_predictor *predictor_for(SEXP net, SEXP how, int64_t draws, SEXP *handle) {
  nnp_error err;
  nnp_predictor *predictor = NULL;
  *handle = PROTECT(handle_new(PREDICTOR, R_NilValue));
  TRY(nnp_predictor_create(&predictor, handle_get(net, NET), draws, &err));
  handle_fill(*handle, predictor);
  TRY(nnp_predictor_posterior(predictor, (int32_t)whole(VECTOR_ELT(how, 0), "posterior"), &err));
  TRY(nnp_predictor_noise(predictor, (int32_t)whole(VECTOR_ELT(how, 1), "noise"),
                          seed_of(VECTOR_ELT(how, 2)), &err));
  TRY(nnp_predictor_passes(predictor, whole(VECTOR_ELT(how, 3), "passes"), &err));
  UNPROTECT(1);
  return predictor;
}

/* size: draws, length of the result. */
SEXP nnr_predict(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP how, SEXP levels) {
  nnp_error err;
  SEXP handle;
  const int64_t count = (int64_t)REAL(size)[0];
  SEXP out = PROTECT(Rf_allocVector(REALSXP, length_of(REAL(size)[1], 1, 1, "prediction")));
  nnp_predictor *predictor = predictor_for(net, how, count, &handle);
  PROTECT(handle);
  if (levels != R_NilValue)
    TRY(nnp_predictor_levels(predictor, REAL(levels), (int64_t)XLENGTH(levels), &err));
  TRY(nnp_predict(predictor, handle_get(data, DATA), REAL(draws), count,
                  (int32_t)whole(kind, "kind"), REAL(out), &err));
  nnr_free(handle);
  UNPROTECT(2);
  return out;
}

/* size: draws, numbers for each. What each draw expects, [output, row, draw]: its mean or its
 * probabilities, hidden noise integrated by passes of its own. */
SEXP nnr_epred(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP how) {
  nnp_error err;
  SEXP handle;
  const int64_t count = (int64_t)REAL(size)[0], each = (int64_t)REAL(size)[1];
  const int64_t parameters = count ? (int64_t)XLENGTH(draws) / count : 0;
  const int32_t what = (int32_t)whole(kind, "kind");
  const int32_t noise = (int32_t)whole(VECTOR_ELT(how, 1), "noise");
  const uint64_t seed = seed_of(VECTOR_ELT(how, 2));
  SEXP out = PROTECT(
      Rf_allocVector(REALSXP, length_of(REAL(size)[0], REAL(size)[1], 1, "expected values")));
  nnp_predictor *predictor = predictor_for(net, how, 1, &handle);
  PROTECT(handle);
  for (int64_t i = 0; i < count; ++i) {
    R_CheckUserInterrupt(); /* what is left behind has finalizers */
    TRY(nnp_predictor_noise(predictor, noise, seed + (uint64_t)i, &err));
    TRY(nnp_predict(predictor, handle_get(data, DATA), REAL(draws) + i * parameters, 1, what,
                    REAL(out) + i * each, &err));
  }
  nnr_free(handle);
  UNPROTECT(2);
  return out;
}

SEXP nnr_score(SEXP net, SEXP data, SEXP draws, SEXP count, SEXP score, SEXP how) {
  nnp_error err;
  SEXP handle;
  double value;
  nnp_predictor *predictor = predictor_for(net, how, 1, &handle);
  PROTECT(handle);
  TRY(nnp_score(predictor, handle_get(data, DATA), REAL(draws), whole(count, "draws"),
                (int32_t)whole(score, "score"), &value, &err));
  nnr_free(handle);
  UNPROTECT(1);
  return Rf_ScalarReal(value);
}

/* size: draws, rows. The result is [row, draw]. */
SEXP nnr_log_lik(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP how) {
  nnp_error err;
  SEXP handle;
  const int64_t count = (int64_t)REAL(size)[0];
  SEXP out = PROTECT(
      Rf_allocVector(REALSXP, length_of(REAL(size)[0], REAL(size)[1], 1, "log likelihood")));
  nnp_predictor *predictor = predictor_for(net, how, 1, &handle);
  PROTECT(handle);
  TRY(nnp_log_lik(predictor, handle_get(data, DATA), REAL(draws), count, REAL(out), &err));
  nnr_free(handle);
  UNPROTECT(2);
  return out;
}

/* size: draws, rows. Functions of the draws that convergence is judged by: their names, and the
 * values [function, draw]. */
SEXP nnr_functions(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP how) {
  static const char *const parts[] = {"names", "values"};
  nnp_error err;
  SEXP handle;
  int64_t count;
  char name[128];
  const int64_t total = (int64_t)REAL(size)[0], rows = (int64_t)REAL(size)[1];
  nnp_predictor *predictor = predictor_for(net, how, 1, &handle);
  PROTECT(handle);
  const nnp_data *seen = handle_get(data, DATA);
  TRY(nnp_functions_count(predictor, seen, rows, &count, &err));
  SEXP out = PROTECT(named_list(2, parts));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
  SET_VECTOR_ELT(out, 0, names);
  SEXP values =
      PROTECT(Rf_allocVector(REALSXP, length_of((double)count, (double)total, 1, "functions")));
  SET_VECTOR_ELT(out, 1, values);
  for (int64_t i = 0; i < count; ++i) {
    TRY(nnp_function_name(predictor, seen, rows, i, name, sizeof name, &err));
    SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkChar(name));
  }
  TRY(nnp_functions(predictor, seen, REAL(draws), total, rows, REAL(values), &err));
  nnr_free(handle);
  UNPROTECT(4);
  return out;
}
