/* Teachers, and studies of whether chains have thermalized. */
#include <string.h>

#include "nnpost_r.h"

SEXP nnr_teacher(SEXP net, SEXP posterior, SEXP seed, SEXP number_) {
  nnp_error err;
  nnp_teacher *teacher = NULL;
  SEXP handle = PROTECT(handle_new(TEACHER, R_NilValue));
  TRY(nnp_teacher_create(&teacher, handle_get(net, NET), (int32_t)whole(posterior, "posterior"),
                         seed_of(seed), (uint64_t)whole(number_, "number"), &err));
  handle_fill(handle, teacher);
  UNPROTECT(1);
  return handle;
}

SEXP nnr_teacher_parameters(SEXP teacher, SEXP count) {
  nnp_error err;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)whole(count, "count")));
  TRY(nnp_teacher_parameters(handle_get(teacher, TEACHER), REAL(out), &err));
  UNPROTECT(1);
  return out;
}

SEXP nnr_teacher_set_parameters(SEXP teacher, SEXP parameters, SEXP count) {
  nnp_error err;
  const double length = number(count, "count");
  TRY(nnp_teacher_set_parameters(handle_get(teacher, TEACHER),
                                 doubles(parameters, length, "parameters"), &err));
  return R_NilValue;
}

/* Labels data; returns the `sites` latent values behind the labels, or NULL for none. */
SEXP nnr_teacher_label(SEXP teacher, SEXP data, SEXP noise, SEXP sites) {
  nnp_error err;
  SEXP out = PROTECT(
      sites == R_NilValue ? R_NilValue : Rf_allocVector(REALSXP, (R_xlen_t)whole(sites, "sites")));
  TRY(nnp_teacher_label(handle_get(teacher, TEACHER), handle_get(data, DATA), whole(noise, "noise"),
                        out == R_NilValue ? NULL : REAL(out), &err));
  UNPROTECT(1);
  return out;
}

static int32_t watch_study(const nnp_study *study, const nnp_study_progress *state, void *watch) {
  (void)study;
  return watch_share(watch, state->share);
}

SEXP series_matrix(const nnp_series *series) {
  SEXP matrix = Rf_allocMatrix(REALSXP, (int)series->count, 2);
  for (int64_t i = 0; i < series->count; ++i) {
    REAL(matrix)[i] = series->times ? series->times[i] : (double)i;
    REAL(matrix)[series->count + i] = series->values[i];
  }
  return matrix;
}

static SEXP series_of(const nnp_study *study, int64_t chain) {
  static const char *const names[] = {"test", "gradient", "rhat"};
  nnp_error err;
  SEXP list = PROTECT(named_list(3, names));
  for (int32_t which = NNP_SERIES_TEST; which <= NNP_SERIES_RHAT; ++which) {
    nnp_series series;
    TRY(nnp_study_series(study, chain, which, &series, &err));
    SET_VECTOR_ELT(list, which - NNP_SERIES_TEST, series_matrix(&series));
  }
  UNPROTECT(1);
  return list;
}

void verdict_numbers(const nnp_verdict *v, double *out) {
  const double values[VERDICT_NUMBERS] = {(double)v->verdict, (double)v->because, v->time,
                                          v->level,           v->distance,        v->informed_level,
                                          v->informed_spread};
  memcpy(out, values, sizeof values);
}

/* Numbers of the report on one chain, and its sentence. */
enum { REPORTED = VERDICT_NUMBERS + 4 };

static void report_on(const nnp_study *study, int64_t chain, double *row, char *text, size_t size) {
  nnp_error err;
  nnp_criteria_times times;
  TRY(nnp_study_report(study, chain, &times, &err));
  verdict_numbers(&times.verdict, row);
  row[VERDICT_NUMBERS] = times.teacher_student;
  row[VERDICT_NUMBERS + 1] = times.stationarity;
  row[VERDICT_NUMBERS + 2] = times.gradient;
  row[VERDICT_NUMBERS + 3] = times.rhat;
  TRY(nnp_verdict_text(&times.verdict, text, size, &err));
}

static SEXP reports_of(const nnp_study *study, int64_t chains, SEXP texts) {
  char text[256];
  SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, REPORTED, (int)chains - 1));
  for (int64_t c = 1; c < chains; ++c) {
    report_on(study, c, REAL(matrix) + REPORTED * (c - 1), text, sizeof text);
    SET_STRING_ELT(texts, (R_xlen_t)(c - 1), Rf_mkChar(text));
  }
  UNPROTECT(1);
  return matrix;
}

/* options: a column for each (option, value). Runs the study to its end, or until interrupted. */
SEXP nnr_study(SEXP list, SEXP test, SEXP capacity, SEXP options, SEXP how) {
  static const char *const names[] = {"reports", "texts", "series", "steps", "seconds", "ended"};
  nnp_error err;
  nnp_study *study = NULL;
  nnp_study_progress state;
  Watch watch;
  const int64_t count = (int64_t)XLENGTH(list);
  nnp_chain **chains = chains_of(list);
  SEXP keep = PROTECT(Rf_list2(list, test));
  SEXP handle = PROTECT(handle_new(STUDY, keep));
  TRY(nnp_study_create(&study, chains, count, handle_get(test, DATA), whole(capacity, "capacity"),
                       &err));
  handle_fill(handle, study);
  for (R_xlen_t i = 0; i + 1 < XLENGTH(options); i += 2)
    TRY(nnp_study_set(study, (int32_t)REAL(options)[i], REAL(options)[i + 1], &err));
  watch_begin(&watch, how, count, 1);
  const int32_t status = nnp_study_run(study, watch_study, &watch, &err);
  watch_end(&watch);
  if (status != NNP_STOPPED) TRY(status);

  TRY(nnp_study_state(study, &state, &err));
  SEXP out = PROTECT(named_list(6, names)), texts;
  SET_VECTOR_ELT(out, 1, texts = Rf_allocVector(STRSXP, (R_xlen_t)(count - 1)));
  SET_VECTOR_ELT(out, 0, reports_of(study, count, texts));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(VECSXP, (R_xlen_t)count));
  for (int64_t c = 0; c < count; ++c)
    SET_VECTOR_ELT(VECTOR_ELT(out, 2), (R_xlen_t)c, series_of(study, c));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)state.steps));
  SET_VECTOR_ELT(out, 4, Rf_ScalarReal(state.seconds));
  SET_VECTOR_ELT(out, 5, Rf_ScalarInteger(state.ended));
  nnr_free(handle);
  UNPROTECT(3);
  return out;
}
