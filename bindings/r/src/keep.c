/* Keeping less than all draws: chosen functions of them, moments, or a file that is mapped. */
#include "nnpost_r.h"

#include <R_ext/Altrep.h> /* after Rinternals.h */
#include <string.h>

/* ---- A run that keeps what a plan says ---- */

typedef struct Keeping {
  nnp_chain **chains;
  int64_t chain_count, count, thin;
  SEXP handles; /* of predictor, keeper and file; protected by the caller */
  nnp_keeper *keeper;
} Keeping;

/* how: list(posterior, noise, seed, passes). */
static nnp_predictor *predictor_of(Keeping *k, SEXP net, SEXP how) {
  nnp_error err;
  nnp_predictor *predictor = NULL;
  SET_VECTOR_ELT(k->handles, 0, handle_new(PREDICTOR, R_NilValue));
  TRY(nnp_predictor_create(&predictor, handle_get(net, NET), 1, &err));
  handle_fill(VECTOR_ELT(k->handles, 0), predictor);
  TRY(nnp_predictor_posterior(predictor, (int32_t)whole(VECTOR_ELT(how, 0), "posterior"), &err));
  TRY(nnp_predictor_noise(predictor, (int32_t)whole(VECTOR_ELT(how, 1), "noise"),
                          seed_of(VECTOR_ELT(how, 2)), &err));
  TRY(nnp_predictor_passes(predictor, whole(VECTOR_ELT(how, 3), "passes"), &err));
  return predictor;
}

/* plan: list(net, kinds, data handles or NULLs, how, path or NULL). The file is for the first kind. */
static void make_keeper(Keeping *k, SEXP plan) {
  nnp_error err;
  SEXP kinds = VECTOR_ELT(plan, 1), data = VECTOR_ELT(plan, 2), path = VECTOR_ELT(plan, 4);
  const int64_t kept_count = (int64_t)XLENGTH(kinds);
  nnp_kept *kept = (nnp_kept *)R_alloc((size_t)kept_count, sizeof *kept);
  nnp_predictor *predictor = predictor_of(k, VECTOR_ELT(plan, 0), VECTOR_ELT(plan, 3));
  nnp_draws_file *file = NULL;
  memset(kept, 0, (size_t)kept_count * sizeof *kept);
  for (int64_t i = 0; i < kept_count; ++i) {
    SEXP rows = VECTOR_ELT(data, (R_xlen_t)i);
    kept[i].what = (int32_t)INTEGER(kinds)[i];
    kept[i].moments = kept[i].what == NNP_KEEP_PARAMETERS;
    if (rows == R_NilValue) continue;
    kept[i].data = handle_get(rows, DATA);
    kept[i].predictor = predictor;
    if (kept[i].what == NNP_KEEP_FUNCTIONS) kept[i].rows = 16;
  }
  SET_VECTOR_ELT(k->handles, 1, handle_new(KEEPER, R_NilValue));
  TRY(nnp_keeper_create(&k->keeper, handle_get(VECTOR_ELT(plan, 0), NET), kept, kept_count,
                        k->chain_count, &err));
  handle_fill(VECTOR_ELT(k->handles, 1), k->keeper);
  if (path == R_NilValue) return;
  SET_VECTOR_ELT(k->handles, 2, handle_new(DRAWS_FILE, R_NilValue));
  TRY(nnp_draws_file_create(&file, Rf_translateChar(STRING_ELT(path, 0)), k->keeper, 0, k->count,
                            &err));
  handle_fill(VECTOR_ELT(k->handles, 2), file);
  TRY(nnp_keeper_file(k->keeper, 0, file, &err));
}

/* Room for the values of every quantity but parameters: a list. */
static SEXP store_values(const Keeping *k, SEXP kinds) {
  nnp_error err;
  SEXP values = PROTECT(Rf_allocVector(VECSXP, XLENGTH(kinds)));
  for (R_xlen_t i = 0; i < XLENGTH(kinds); ++i) {
    int64_t width;
    if (INTEGER(kinds)[i] == NNP_KEEP_PARAMETERS) continue;
    TRY(nnp_keeper_width(k->keeper, (int64_t)i, &width, &err));
    SEXP room = Rf_allocVector(
        REALSXP, length_of((double)width, (double)k->count, (double)k->chain_count, "keep"));
    SET_VECTOR_ELT(values, i, room);
    TRY(nnp_keeper_store(k->keeper, (int64_t)i, REAL(room), k->count, &err));
  }
  UNPROTECT(1);
  return values;
}

/* Steps between draws of gradient samplers, [statistic, step, chain]; nothing for Gibbs. */
static SEXP record_steps(const Keeping *k, int recorded) {
  nnp_error err;
  const int64_t each = k->count * k->thin;
  if (!recorded) return R_NilValue;
  SEXP steps = PROTECT(Rf_allocVector(
      REALSXP, length_of(NNP_STEP_STATISTICS, (double)each, (double)k->chain_count, "draws")));
  for (int64_t c = 0; c < k->chain_count; ++c)
    TRY(nnp_chain_record(k->chains[c], REAL(steps) + c * each * NNP_STEP_STATISTICS, each, &err));
  UNPROTECT(1);
  return steps;
}

static int64_t draws_made(const Keeping *k, const Watch *watch, int32_t status) {
  double least = (double)(k->count * k->thin);
  for (int64_t c = 0; c < k->chain_count && status == NNP_STOPPED; ++c)
    if (watch->done[c] < least) least = watch->done[c];
  return (int64_t)least / k->thin;
}

/* Mean, variance and R-hat of the parameters, a matrix of three columns. */
static SEXP moments_of(const Keeping *k, SEXP kinds) {
  nnp_error err;
  int64_t width;
  R_xlen_t i = 0;
  while (i < XLENGTH(kinds) && INTEGER(kinds)[i] != NNP_KEEP_PARAMETERS) ++i;
  if (i == XLENGTH(kinds)) return R_NilValue;
  TRY(nnp_keeper_width(k->keeper, (int64_t)i, &width, &err));
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)width, 3));
  double *values = REAL(out);
  TRY(nnp_keeper_moments(k->keeper, (int64_t)i, NNP_ALL_CHAINS, values, values + width,
                         values + 2 * width, &err));
  UNPROTECT(1);
  return out;
}

/* size: draws, thin. Returns values of each quantity, statistics of steps, saved chains, counts of moves,
 * moments of the parameters, and how many draws there are. */
SEXP nnr_keep(SEXP list, SEXP size, SEXP recorded, SEXP how, SEXP plan) {
  static const char *const names[] = {"values", "stats", "saves", "done", "moves", "moments"};
  nnp_error err;
  Watch watch;
  Keeping k;
  memset(&k, 0, sizeof k);
  k.chains = chains_of(list);
  k.chain_count = (int64_t)XLENGTH(list);
  k.count = (int64_t)REAL(size)[0];
  k.thin = (int64_t)REAL(size)[1];
  k.handles = PROTECT(Rf_allocVector(VECSXP, 3));
  SEXP result = PROTECT(named_list(6, names)), kinds = VECTOR_ELT(plan, 1);
  make_keeper(&k, plan);
  SET_VECTOR_ELT(result, 0, store_values(&k, kinds));
  SEXP steps = PROTECT(record_steps(&k, Rf_asLogical(recorded)));
  watch_begin(&watch, how, k.chain_count, (double)k.count * (double)k.thin * (double)k.chain_count);
  const int32_t status = nnp_chains_keep(k.chains, k.chain_count, k.keeper, k.count, k.thin,
                                         watch_steps, &watch, &err);
  watch_end(&watch);
  for (int64_t c = 0; c < k.chain_count && steps != R_NilValue; ++c)
    nnp_chain_record(k.chains[c], NULL, 0, NULL);
  if (status != NNP_STOPPED) TRY(status);
  const int64_t done = draws_made(&k, &watch, status);
  if (steps != R_NilValue)
    SET_VECTOR_ELT(result, 1, kept_steps(REAL(steps), k.count, k.thin, k.chain_count));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(VECSXP, XLENGTH(list)));
  for (int64_t c = 0; c < k.chain_count; ++c)
    SET_VECTOR_ELT(VECTOR_ELT(result, 2), (R_xlen_t)c, saved_chain(k.chains[c]));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal((double)done));
  if (steps == R_NilValue) SET_VECTOR_ELT(result, 4, moves_of(k.chains, k.chain_count));
  if (done > 0) SET_VECTOR_ELT(result, 5, moments_of(&k, kinds));
  for (int i = 2; i >= 0; --i)
    if (VECTOR_ELT(k.handles, i) != R_NilValue) nnr_free(VECTOR_ELT(k.handles, i));
  UNPROTECT(3);
  return result;
}

/* Advice on the memory of this number of draws, or "". */
SEXP nnr_draws_advice(SEXP net, SEXP chains, SEXP draws) {
  nnp_error err;
  char text[256] = "";
  TRY(nnp_draws_advice(handle_get(net, NET), whole(chains, "chains"), whole(draws, "draws"), text,
                       sizeof text, &err));
  return Rf_mkString(text);
}

/* ---- Vectors whose values are in a file ---- */

/* data1: the handle of the file; data2: how many values. */
static R_altrep_class_t mapped_class;

static const double *values_in(SEXP vector) {
  nnp_error err;
  nnp_draws view;
  TRY(nnp_draws_file_view(handle_get(R_altrep_data1(vector), DRAWS_FILE), &view, &err));
  return view.values;
}

static R_xlen_t mapped_length(SEXP vector) {
  return (R_xlen_t)REAL(R_altrep_data2(vector))[0];
}

/* R copies a vector before it changes values; other code must not change them. */
static void *mapped_values(SEXP vector, Rboolean writable) {
  (void)writable;
  return (void *)(uintptr_t)values_in(vector);
}

static const void *mapped_values_or_null(SEXP vector) {
  return values_in(vector);
}

static double mapped_element(SEXP vector, R_xlen_t i) {
  return values_in(vector)[i];
}

void mapped_register(DllInfo *dll) {
  mapped_class = R_make_altreal_class("nnpost_draws", "nnpost", dll);
  R_set_altrep_Length_method(mapped_class, mapped_length);
  R_set_altvec_Dataptr_method(mapped_class, mapped_values);
  R_set_altvec_Dataptr_or_null_method(mapped_class, mapped_values_or_null);
  R_set_altreal_Elt_method(mapped_class, mapped_element);
}

/* There are gaps between chains of a file that is not full: their draws are copied into one array. */
static SEXP together(const nnp_draws *view) {
  const int64_t each = view->quantities * view->draws;
  SEXP out = Rf_allocVector(REALSXP, length_of((double)each, (double)view->chains, 1, "draws"));
  for (int64_t c = 0; c < view->chains; ++c)
    memcpy(REAL(out) + c * each, view->values + c * view->chain_stride,
           (size_t)each * sizeof(double));
  return out;
}

/* The draws of a file as an array [value, draw, chain] that lies in it; names: of its values, or NULL.
 * The file is closed with the last array that looks into it. */
SEXP nnr_draws_file(SEXP path, SEXP net, SEXP names) {
  nnp_error err;
  nnp_draws view;
  nnp_draws_file *file = NULL;
  SEXP handle = PROTECT(handle_new(DRAWS_FILE, R_NilValue));
  TRY(nnp_draws_file_open(&file, Rf_translateChar(STRING_ELT(path, 0)),
                          net == R_NilValue ? NULL : handle_get(net, NET), &err));
  handle_fill(handle, file);
  TRY(nnp_draws_file_view(file, &view, &err));
  const int apart = view.chains > 1 && view.chain_stride != view.quantities * view.draws;
  const double length = (double)view.quantities * (double)view.draws * (double)view.chains;
  SEXP count = PROTECT(Rf_ScalarReal(length));
  SEXP out = PROTECT(apart ? together(&view) : R_new_altrep(mapped_class, handle, count));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 3));
  INTEGER(dim)[0] = (int)view.quantities;
  INTEGER(dim)[1] = (int)view.draws;
  INTEGER(dim)[2] = (int)view.chains;
  Rf_setAttrib(out, R_DimSymbol, dim);
  if (names != R_NilValue) Rf_setAttrib(out, R_DimNamesSymbol, names);
  UNPROTECT(4);
  return out;
}
