/* Predictions and scores from draws of the parameters. */
#include "nnpost_r.h"

static nnp_predictor *predictor_for(SEXP net, SEXP posterior, int64_t draws, SEXP *handle) {
  nnp_error err;
  nnp_predictor *predictor = NULL;
  *handle = PROTECT(handle_new(PREDICTOR, R_NilValue));
  TRY(nnp_predictor_create(&predictor, handle_get(net, NET), draws, &err));
  handle_fill(*handle, predictor);
  TRY(nnp_predictor_posterior(predictor, (int32_t)whole(posterior, "posterior"), &err));
  UNPROTECT(1);
  return predictor;
}

/* size: draws, length of the result. noise: list(posterior, seed), the seed NULL for outputs
 * without noise. */
SEXP nnr_predict(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP kind, SEXP noise, SEXP levels) {
  nnp_error err;
  SEXP handle;
  const int64_t count = (int64_t)REAL(size)[0];
  SEXP out = PROTECT(Rf_allocVector(REALSXP, length_of(REAL(size)[1], 1, 1, "prediction")));
  SEXP posterior = VECTOR_ELT(noise, 0), seed = VECTOR_ELT(noise, 1);
  nnp_predictor *predictor = predictor_for(net, posterior, count, &handle);
  PROTECT(handle);
  if (seed != R_NilValue) TRY(nnp_predictor_noise(predictor, 1, seed_of(seed), &err));
  if (levels != R_NilValue)
    TRY(nnp_predictor_levels(predictor, REAL(levels), (int64_t)XLENGTH(levels), &err));
  TRY(nnp_predict(predictor, handle_get(data, DATA), REAL(draws), count,
                  (int32_t)whole(kind, "kind"), REAL(out), &err));
  nnr_free(handle);
  UNPROTECT(2);
  return out;
}

/* size: draws, parameters, posterior. The score of all draws together, or of each alone. */
SEXP nnr_score(SEXP net, SEXP data, SEXP draws, SEXP size, SEXP score, SEXP each) {
  nnp_error err;
  SEXP handle;
  const int64_t count = (int64_t)REAL(size)[0], parameters = (int64_t)REAL(size)[1];
  const int alone = Rf_asLogical(each);
  const int32_t which = (int32_t)whole(score, "score");
  SEXP out = PROTECT(Rf_allocVector(REALSXP, alone ? (R_xlen_t)count : 1));
  SEXP posterior = PROTECT(Rf_ScalarReal(REAL(size)[2]));
  nnp_predictor *predictor = predictor_for(net, posterior, alone ? 1 : count, &handle);
  PROTECT(handle);
  const nnp_data *rows = handle_get(data, DATA);
  if (!alone) TRY(nnp_score(predictor, rows, REAL(draws), count, which, REAL(out), &err));
  for (int64_t i = 0; alone && i < count; ++i) {
    R_CheckUserInterrupt(); /* may jump: nothing of the library is on the stack */
    TRY(nnp_score(predictor, rows, REAL(draws) + i * parameters, 1, which, REAL(out) + i, &err));
  }
  nnr_free(handle);
  UNPROTECT(3);
  return out;
}
