/* Replica exchange: from new chains, or from a save, to draws and results. */
#include <stdlib.h>
#include <string.h>

#include "nnpost_r.h"

typedef struct Told {
  Watch *watch;
  double before, all; /* sweeps of calls before this one, and of all */
} Told;

static int32_t watch_exchange(const nnp_exchange_progress *state, void *user) {
  const Told *told = user;
  return watch_share(told->watch, (told->before + (double)state->done) / told->all);
}

/* power, swaps, barrier of each level. */
static SEXP ladder_matrix(const nnp_exchange *exchange, int64_t replicas) {
  nnp_error err;
  SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, 3, (int)replicas));
  for (int64_t l = 0; l < replicas; ++l) {
    nnp_exchange_rung rung;
    TRY(nnp_exchange_level(exchange, l, &rung, &err));
    REAL(matrix)[3 * l] = rung.power;
    REAL(matrix)[3 * l + 1] = rung.swaps;
    REAL(matrix)[3 * l + 2] = rung.barrier;
  }
  UNPROTECT(1);
  return matrix;
}

static SEXP summary_numbers(const nnp_exchange_summary *s) {
  const double numbers[] = {(double)s->replicas, (double)s->wanted,      (double)s->sweeps,
                            (double)s->restarts, (double)s->round_trips, s->expected_restarts,
                            s->barrier,          s->least_swaps,         s->mean_swaps,
                            s->log_evidence,     s->evidence_error,      s->verdict};
  const R_xlen_t count = (R_xlen_t)(sizeof numbers / sizeof *numbers);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, count));
  memcpy(REAL(out), numbers, sizeof numbers);
  UNPROTECT(1);
  return out;
}

static SEXP saved_exchange(const nnp_exchange *exchange) {
  nnp_error err;
  size_t bytes;
  TRY(nnp_exchange_save_bytes(exchange, &bytes, &err));
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)bytes));
  TRY(nnp_exchange_save(exchange, RAW(out), bytes, &err));
  UNPROTECT(1);
  return out;
}

/* Starts and tunes, or continues; not 0: the user stopped it. */
static int begin_exchange(nnp_exchange *exchange, SEXP ladder, SEXP saved, const double *plan,
                          SEXP seed, Told *told) {
  nnp_error err;
  if (Rf_xlength(saved) > 0) {
    TRY(nnp_exchange_restore(exchange, RAW(saved), (size_t)Rf_xlength(saved), &err));
    return 0;
  }
  if (Rf_xlength(ladder) > 0)
    TRY(nnp_exchange_set_ladder(exchange, REAL(ladder), (int64_t)Rf_xlength(ladder), &err));
  TRY(nnp_exchange_start(exchange, (int32_t)plan[0], seed_of(seed), &err));
  const int32_t status = nnp_exchange_tune(exchange, watch_exchange, told, &err);
  if (status == NNP_STOPPED) return 1;
  TRY(status);
  told->before = plan[4];
  return 0;
}

/* options: a column for each (option, value); plan: list(c(from, draws, thin, parameters, sweeps of
 * tuning), seed); ladder and saved may be NULL. Returns draws and how many of them were made, levels
 * [replica, sweep], the ladder, the summary, a text, the saved exchange and its target; NULL if the
 * user stopped it before the first draw. */
SEXP nnr_exchange(SEXP list, SEXP options, SEXP plan, SEXP ladder, SEXP saved, SEXP how) {
  static const char *const names[] = {"draws",   "done", "levels", "ladder",
                                      "summary", "text", "save",   "target"};
  nnp_error err;
  nnp_exchange *exchange = NULL;
  nnp_exchange_summary summary;
  Watch watch;
  char text[768];
  const double *size = REAL(VECTOR_ELT(plan, 0));
  const int64_t count = (int64_t)XLENGTH(list), draws = (int64_t)size[1], thin = (int64_t)size[2];
  nnp_chain **chains = chains_of(list);
  SEXP handle = PROTECT(handle_new(EXCHANGE, list));
  TRY(nnp_exchange_create(&exchange, chains, count, &err));
  handle_fill(handle, exchange);
  for (R_xlen_t i = 0; i + 1 < XLENGTH(options); i += 2)
    TRY(nnp_exchange_set(exchange, (int32_t)REAL(options)[i], REAL(options)[i + 1], &err));
  SEXP values = PROTECT(Rf_allocVector(REALSXP, length_of(size[3], size[1], 1, "draws")));
  SEXP levels =
      PROTECT(Rf_allocVector(INTSXP, length_of((double)count, (double)(draws * thin), 1, "draws")));
  watch_begin(&watch, how, 1, 1);
  Told told = {&watch, 0, size[4] + size[1] * size[2]};
  int32_t status = NNP_OK;
  int64_t made = 0, kept = 0;
  const int stopped = begin_exchange(exchange, ladder, saved, size, VECTOR_ELT(plan, 1), &told);
  if (!stopped && draws > 0) {
    TRY(nnp_exchange_record(exchange, INTEGER(levels), draws * thin, &err));
    status = nnp_exchange_sample(exchange, REAL(values), draws, thin, watch_exchange, &told, &err);
    TRY(nnp_exchange_recorded(exchange, &kept, &err));
    made = kept / thin;
  }
  watch_end(&watch);
  if (status != NNP_STOPPED) TRY(status);
  if (stopped || (draws > 0 && made == 0)) {
    nnr_free(handle);
    UNPROTECT(3);
    return R_NilValue;
  }
  TRY(nnp_exchange_report(exchange, &summary, &err));
  TRY(nnp_exchange_text(exchange, text, sizeof text, &err));
  SEXP out = PROTECT(named_list(8, names));
  SET_VECTOR_ELT(out, 0, values);
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)made));
  SET_VECTOR_ELT(out, 2, Rf_lengthgets(levels, (R_xlen_t)(kept * summary.replicas)));
  SET_VECTOR_ELT(out, 3, ladder_matrix(exchange, summary.replicas));
  SET_VECTOR_ELT(out, 4, summary_numbers(&summary));
  SET_VECTOR_ELT(out, 5, Rf_mkString(text));
  SET_VECTOR_ELT(out, 6, saved_exchange(exchange));
  SET_VECTOR_ELT(out, 7, saved_chain(chains[count - 1]));
  nnr_free(handle);
  UNPROTECT(4);
  return out;
}
