/* What the library recommends for tables of data: networks and recipes. */
#include <string.h>

#include "nnpost_r.h"

/* size: inputs, targets, head, rows. hidden, activation and posterior are NULL where the recommended
 * ones will do, as is a head of 0 for numbers. The result has the handle of the network and what it
 * was made of. */
SEXP nnr_model(SEXP size, SEXP hidden, SEXP activation, SEXP posterior, SEXP ard) {
  static const char *const parts[] = {"net", "hidden", "activation", "posterior", "head"};
  const int32_t units_asked =
      activation == R_NilValue ? 0 : (int32_t)whole(activation, "activation");
  const int32_t chains_asked = posterior == R_NilValue ? 0 : (int32_t)whole(posterior, "posterior");
  const int64_t rows = (int64_t)REAL(size)[3];
  int32_t head = (int32_t)REAL(size)[2];
  nnp_error err;
  nnp_model model;
  nnp_net *net = NULL;
  const int64_t room = (int64_t)(sizeof model.hidden / sizeof model.hidden[0]);
  if (head == 0) TRY(nnp_recommend_head(rows, units_asked, chains_asked, &head, &err));
  TRY(nnp_model_defaults(&model, (int64_t)REAL(size)[0], (int64_t)REAL(size)[1], head, rows, &err));
  if (hidden != R_NilValue) {
    if (XLENGTH(hidden) > room) raise_status(NNP_E_SIZE, "hidden: expected at most 16 layers");
    model.hidden_count = (int64_t)XLENGTH(hidden);
    for (int64_t i = 0; i < model.hidden_count; ++i) model.hidden[i] = (int64_t)REAL(hidden)[i];
  }
  TRY(nnp_model_choose(&model, units_asked, chains_asked, &err));
  model.ard = Rf_asLogical(ard) == TRUE;
  SEXP out = PROTECT(named_list(5, parts));
  SEXP handle = PROTECT(handle_new(NET, R_NilValue));
  SET_VECTOR_ELT(out, 0, handle);
  TRY(nnp_net_create_model(&net, &model, &err));
  handle_fill(handle, net);
  SEXP units = Rf_allocVector(REALSXP, (R_xlen_t)model.hidden_count);
  SET_VECTOR_ELT(out, 1, units);
  for (int64_t i = 0; i < model.hidden_count; ++i) REAL(units)[i] = (double)model.hidden[i];
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(model.activation));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(model.posterior));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(model.head));
  UNPROTECT(2);
  return out;
}

/* posterior: 0 for the one that suits the network. Options are c(option, value), one per column. */
SEXP nnr_recommend(SEXP net, SEXP rows, SEXP posterior) {
  static const char *const parts[] = {"sampler", "posterior", "start", "chains",
                                      "warmup",  "draws",     "thin",  "options"};
  nnp_error err;
  nnp_recipe recipe;
  TRY(nnp_recommend(handle_get(net, NET), whole(rows, "rows"),
                    (int32_t)whole(posterior, "posterior"), &recipe, &err));
  const double values[] = {recipe.sampler,        recipe.posterior,      recipe.start,
                           (double)recipe.chains, (double)recipe.warmup, (double)recipe.draws,
                           (double)recipe.thin};
  SEXP out = PROTECT(named_list(8, parts));
  for (int i = 0; i < 7; ++i) SET_VECTOR_ELT(out, i, Rf_ScalarReal(values[i]));
  SEXP options = Rf_allocMatrix(REALSXP, 2, (int)recipe.option_count);
  SET_VECTOR_ELT(out, 7, options);
  for (int64_t i = 0; i < recipe.option_count; ++i) {
    REAL(options)[2 * i] = recipe.options[i];
    REAL(options)[2 * i + 1] = recipe.values[i];
  }
  UNPROTECT(1);
  return out;
}

/* z: a matrix of standardized inputs. The matrix for nnr_transform; NULL: none is recommended. */
SEXP nnr_recommend_transform(SEXP z, SEXP labels) {
  const int64_t n = Rf_nrows(z), columns = Rf_ncols(z);
  size_t bytes = 0;
  nnp_error err;
  TRY(nnp_recommend_transform_bytes(INTEGER(labels), n, columns, &bytes, &err));
  if (bytes == 0) return R_NilValue;
  double *room = (double *)R_alloc(bytes, 1); /* the matrix, then work memory */
  TRY(nnp_recommend_transform(REAL(z), INTEGER(labels), n, columns, NNP_COLUMN_MAJOR, room, bytes,
                              &err));
  SEXP out = Rf_allocMatrix(REALSXP, (int)columns, (int)columns);
  memcpy(REAL(out), room, sizeof *room * (size_t)(columns * columns));
  return out;
}

SEXP nnr_transform(SEXP z, SEXP matrix) {
  nnp_error err;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, Rf_nrows(z), Rf_ncols(z)));
  TRY(nnp_transform(REAL(z), Rf_nrows(z), Rf_ncols(z), NNP_COLUMN_MAJOR, REAL(matrix), REAL(out),
                    &err));
  UNPROTECT(1);
  return out;
}
