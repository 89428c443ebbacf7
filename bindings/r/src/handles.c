/* Handles, errors and arguments: the interface between R and the library. */
#include "nnpost_r.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t live[KINDS];

static SEXP tag_of(Kind kind) {
  static const char *const tags[KINDS] = {
      "nnp_net",   "nnp_data",       "nnp_pool", "nnp_chain",    "nnp_predictor", "nnp_teacher",
      "nnp_study", "nnp_multistart", "nnp_twin", "nnp_exchange", "nnp_keeper",    "nnp_draws_file"};
  return Rf_install(tags[kind]);
}

static void free_object(Kind kind, void *object) {
  switch (kind) {
    case NET:
      nnp_net_free(object);
      break;
    case DATA:
      nnp_data_free(object);
      break;
    case POOL:
      nnp_pool_free(object);
      break;
    case CHAIN:
      nnp_chain_free(object);
      break;
    case PREDICTOR:
      nnp_predictor_free(object);
      break;
    case TEACHER:
      nnp_teacher_free(object);
      break;
    case STUDY:
      nnp_study_free(object);
      break;
    case MULTISTART:
      nnp_multistart_free(object);
      break;
    case TWIN:
      nnp_twin_free(object);
      break;
    case EXCHANGE:
      nnp_exchange_free(object);
      break;
    case KEEPER:
      nnp_keeper_free(object);
      break;
    case DRAWS_FILE:
      nnp_draws_file_free(object);
      break;
    case KINDS:
      break;
  }
}

static Kind kind_of(SEXP handle) {
  int kind = 0;
  if (TYPEOF(handle) != EXTPTRSXP) return KINDS;
  while (kind < KINDS && R_ExternalPtrTag(handle) != tag_of((Kind)kind)) ++kind;
  return (Kind)kind;
}

/* Called by the garbage collector, at the end of the session and by nnr_free. */
static void release(SEXP handle) {
  void *object = R_ExternalPtrAddr(handle);
  const Kind kind = kind_of(handle);
  if (!object || kind == KINDS) return;
  R_ClearExternalPtr(handle);
  free_object(kind, object);
  --live[kind];
}

SEXP handle_new(Kind kind, SEXP keep) {
  SEXP handle = PROTECT(R_MakeExternalPtr(NULL, tag_of(kind), keep));
  R_RegisterCFinalizerEx(handle, release, TRUE);
  UNPROTECT(1);
  return handle;
}

SEXP handle_fill(SEXP handle, void *object) {
  R_SetExternalPtrAddr(handle, object);
  ++live[kind_of(handle)];
  return handle;
}

void *handle_get(SEXP handle, Kind kind) {
  if (kind_of(handle) != kind)
    Rf_error("expected a handle of kind %s", CHAR(PRINTNAME(tag_of(kind))));
  void *object = R_ExternalPtrAddr(handle);
  if (!object) Rf_error("the %s behind this handle was freed", CHAR(PRINTNAME(tag_of(kind))));
  return object;
}

SEXP nnr_free(SEXP handle) {
  if (kind_of(handle) != KINDS) release(handle);
  return R_NilValue;
}

/* Objects of each kind that exist now. */
SEXP nnr_live(void) {
  SEXP count = PROTECT(Rf_allocVector(REALSXP, KINDS));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, KINDS));
  for (int kind = 0; kind < KINDS; ++kind) {
    REAL(count)[kind] = (double)live[kind];
    SET_STRING_ELT(names, kind, PRINTNAME(tag_of((Kind)kind)));
  }
  Rf_setAttrib(count, R_NamesSymbol, names);
  UNPROTECT(2);
  return count;
}

/* nn_raise(status, message) of the package stops with a condition that has a class. */
void raise_status(int32_t status, const char *message) {
  SEXP space = PROTECT(R_FindNamespace(PROTECT(Rf_mkString("nnpost"))));
  SEXP name = PROTECT(Rf_mkString(nnp_status_name(status)));
  SEXP text = PROTECT(Rf_mkString(message));
  SEXP call = PROTECT(Rf_lang3(Rf_install("nn_raise"), name, text));
  Rf_eval(call, space);
  UNPROTECT(5);
  Rf_error("%s", message); /* not reached */
}

void raise_interrupted(const char *message) {
  SEXP space = PROTECT(R_FindNamespace(PROTECT(Rf_mkString("nnpost"))));
  SEXP text = PROTECT(Rf_mkString(message));
  SEXP call = PROTECT(Rf_lang2(Rf_install("interrupted"), text));
  Rf_eval(call, space);
  UNPROTECT(4);
  Rf_error("%s", message); /* not reached */
}

double number(SEXP value, const char *name) {
  if ((TYPEOF(value) != REALSXP && TYPEOF(value) != INTSXP && TYPEOF(value) != LGLSXP) ||
      XLENGTH(value) != 1) {
    char message[128];
    snprintf(message, sizeof message, "%s: expected one number", name);
    raise_status(NNP_E_VALUE, message);
  }
  return Rf_asReal(value);
}

int64_t whole(SEXP value, const char *name) {
  const double number_ = number(value, name);
  if (number_ == floor(number_) && fabs(number_) <= 9007199254740992.0) return (int64_t)number_;
  char message[128];
  snprintf(message, sizeof message, "%s = %g: expected a whole number", name, number_);
  raise_status(NNP_E_VALUE, message);
}

uint64_t seed_of(SEXP value) {
  const int64_t seed = whole(value, "seed");
  if (seed >= 0) return (uint64_t)seed;
  raise_status(NNP_E_VALUE, "seed: expected a whole number from 0 to 2^53");
}

const double *doubles(SEXP value, double length, const char *name) {
  if (TYPEOF(value) == REALSXP && (double)XLENGTH(value) == length) return REAL(value);
  char message[160];
  snprintf(message, sizeof message, "%s: %.0f values of type %s, expected %.0f of type double",
           name, (double)XLENGTH(value), Rf_type2char((SEXPTYPE)TYPEOF(value)), length);
  raise_status(NNP_E_SHAPE, message);
}

R_xlen_t length_of(double a, double b, double c, const char *name) {
  const double length = a * b * c;
  if (length <= (double)R_XLEN_T_MAX) return (R_xlen_t)length;
  char message[160];
  snprintf(message, sizeof message, "%s: %g numbers, more than a vector of R can have", name,
           length);
  raise_status(NNP_E_OVERFLOW, message);
}

SEXP named_list(int count, const char *const *names) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP text = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; ++i) SET_STRING_ELT(text, i, Rf_mkChar(names[i]));
  Rf_setAttrib(list, R_NamesSymbol, text);
  UNPROTECT(2);
  return list;
}
