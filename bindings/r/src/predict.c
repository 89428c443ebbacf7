/* Predictions, scores and log likelihoods from draws of the parameters. */
#include "nnpost_r.h"

/* A predictor at work on some threads, which the user may interrupt. */
typedef struct Work {
  nnp_predictor *predictor;
  SEXP handles; /* of the predictor and its threads; protected by the caller */
  Watch watch;
} Work;

/* The threads of a predictor, and room for them that R frees when the call is over. */
static void use_threads(Work *work, SEXP threads) {
  nnp_error err;
  size_t bytes;
  SET_VECTOR_ELT(work->handles, 1, nnr_pool(threads));
  nnp_pool *pool = handle_get(VECTOR_ELT(work->handles, 1), POOL);
  TRY(nnp_predictor_pool_bytes(work->predictor, pool, &bytes, &err));
  char *memory = R_alloc(bytes + 64, 1);
  memory += (64 - (uintptr_t)memory % 64) % 64;
  TRY(nnp_predictor_use_pool(work->predictor, pool, memory, bytes, &err));
}

/* how: list(posterior, noise, seed, passes, threads, label of a bar or NULL). The caller unprotects
 * work->handles. */
static nnp_predictor *begin(Work *work, SEXP net, SEXP how, int64_t draws, double total) {
  nnp_error err;
  work->handles = PROTECT(Rf_allocVector(VECSXP, 2));
  SEXP handle = handle_new(PREDICTOR, R_NilValue);
  SET_VECTOR_ELT(work->handles, 0, handle);
  nnp_predictor *predictor = NULL;
  TRY(nnp_predictor_create(&predictor, handle_get(net, NET), draws, &err));
  handle_fill(handle, predictor);
  work->predictor = predictor;
  TRY(nnp_predictor_posterior(predictor, (int32_t)whole(VECTOR_ELT(how, 0), "posterior"), &err));
  TRY(nnp_predictor_noise(predictor, (int32_t)whole(VECTOR_ELT(how, 1), "noise"),
                          seed_of(VECTOR_ELT(how, 2)), &err));
  TRY(nnp_predictor_passes(predictor, whole(VECTOR_ELT(how, 3), "passes"), &err));
  if (whole(VECTOR_ELT(how, 4), "threads") > 1) use_threads(work, VECTOR_ELT(how, 4));
  SEXP shown = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(shown, 0, VECTOR_ELT(how, 5));
  watch_begin(&work->watch, shown, 1, total);
  UNPROTECT(1);
  TRY(nnp_predictor_watch(predictor, watch_parts, &work->watch, &err));
  return predictor;
}

/* Frees everything, then reports the error. */
static void end(Work *work, int32_t status, const nnp_error *err) {
  watch_end(&work->watch);
  nnr_free(VECTOR_ELT(work->handles, 0));
  if (VECTOR_ELT(work->handles, 1) != R_NilValue) nnr_free(VECTOR_ELT(work->handles, 1));
  if (status == NNP_STOPPED) raise_interrupted("interrupted: there is no result");
  if (status != NNP_OK) raise_status(status, err->message);
}

/* size: draws, length of the result. */
SEXP nnr_predict(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP how, SEXP levels) {
  nnp_error err;
  Work work;
  const int64_t count = (int64_t)REAL(size)[0];
  SEXP out = PROTECT(Rf_allocVector(REALSXP, length_of(REAL(size)[1], 1, 1, "prediction")));
  nnp_predictor *predictor = begin(&work, net, how, count, 1);
  if (levels != R_NilValue)
    TRY(nnp_predictor_levels(predictor, REAL(levels), (int64_t)XLENGTH(levels), &err));
  end(&work,
      nnp_predict(predictor, handle_get(data, DATA), REAL(draws), count,
                  (int32_t)whole(kind, "kind"), REAL(out), &err),
      &err);
  UNPROTECT(2);
  return out;
}

/* size: draws, numbers for each. What each draw expects, [output, row, draw]: its mean or its
 * probabilities, hidden noise integrated by passes of its own. */
SEXP nnr_epred(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP how) {
  nnp_error err;
  Work work;
  int32_t status = NNP_OK;
  const int64_t count = (int64_t)REAL(size)[0], each = (int64_t)REAL(size)[1];
  const int64_t parameters = count ? (int64_t)XLENGTH(draws) / count : 0;
  const int32_t what = (int32_t)whole(kind, "kind");
  const int32_t noise = (int32_t)whole(VECTOR_ELT(how, 1), "noise");
  const uint64_t seed = seed_of(VECTOR_ELT(how, 2));
  SEXP out = PROTECT(
      Rf_allocVector(REALSXP, length_of(REAL(size)[0], REAL(size)[1], 1, "expected values")));
  nnp_predictor *predictor = begin(&work, net, how, 1, (double)count);
  for (int64_t i = 0; i < count && status == NNP_OK; ++i) {
    work.watch.before = (double)i;
    status = nnp_predictor_noise(predictor, noise, seed + (uint64_t)i, &err);
    if (status == NNP_OK)
      status = nnp_predict(predictor, handle_get(data, DATA), REAL(draws) + i * parameters, 1, what,
                           REAL(out) + i * each, &err);
  }
  end(&work, status, &err);
  UNPROTECT(2);
  return out;
}

SEXP nnr_score(SEXP net, SEXP data, SEXP draws, SEXP count, SEXP score, SEXP how) {
  nnp_error err;
  Work work;
  double value = 0;
  nnp_predictor *predictor = begin(&work, net, how, 1, 1);
  end(&work,
      nnp_score(predictor, handle_get(data, DATA), REAL(draws), whole(count, "draws"),
                (int32_t)whole(score, "score"), &value, &err),
      &err);
  UNPROTECT(1);
  return Rf_ScalarReal(value);
}

/* size: draws, rows. The result is [row, draw]. */
SEXP nnr_log_lik(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP how) {
  nnp_error err;
  Work work;
  const int64_t count = (int64_t)REAL(size)[0];
  SEXP out = PROTECT(
      Rf_allocVector(REALSXP, length_of(REAL(size)[0], REAL(size)[1], 1, "log likelihood")));
  nnp_predictor *predictor = begin(&work, net, how, 1, 1);
  end(&work, nnp_log_lik(predictor, handle_get(data, DATA), REAL(draws), count, REAL(out), &err),
      &err);
  UNPROTECT(2);
  return out;
}

/* size: draws, rows. Functions of the draws that convergence is judged by: their names, and the
 * values [function, draw]. */
SEXP nnr_functions(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP how) {
  static const char *const parts[] = {"names", "values"};
  nnp_error err;
  Work work;
  int64_t count;
  char name[128];
  const int64_t total = (int64_t)REAL(size)[0], rows = (int64_t)REAL(size)[1];
  nnp_predictor *predictor = begin(&work, net, how, 1, 1);
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
  const int32_t status = /* of no draws the names alone */
      total > 0 ? nnp_functions(predictor, seen, REAL(draws), total, rows, REAL(values), &err)
                : NNP_OK;
  end(&work, status, &err);
  UNPROTECT(4);
  return out;
}
