/* Chains: making, starting, running, saving. */
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif

#include "nnpost_r.h"

SEXP nnr_processors(void) {
#ifdef _WIN32
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const long count = (long)system.dwNumberOfProcessors;
#else
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return Rf_ScalarReal(count > 0 ? (double)count : 1);
}

/* R handles signals on its own thread, so threads of the pool start with all signals blocked. */
SEXP nnr_pool(SEXP threads) {
  nnp_error err;
  nnp_pool *pool = NULL;
  const int64_t count = whole(threads, "threads");
  SEXP handle = PROTECT(handle_new(POOL, R_NilValue));
#ifndef _WIN32
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
#endif
  const int32_t status = nnp_pool_create(&pool, count, &err);
#ifndef _WIN32
  pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
  TRY(status);
  handle_fill(handle, pool);
  UNPROTECT(1);
  return handle;
}

SEXP nnr_chain(SEXP net, SEXP data, SEXP sampler, SEXP posterior, SEXP pool) {
  nnp_error err;
  nnp_chain *chain = NULL;
  SEXP keep = PROTECT(Rf_list2(data, pool));
  SEXP handle = PROTECT(handle_new(CHAIN, keep));
  TRY(nnp_chain_create(&chain, handle_get(net, NET), handle_get(data, DATA),
                       (int32_t)whole(sampler, "sampler"), (int32_t)whole(posterior, "posterior"),
                       &err));
  handle_fill(handle, chain);
  if (pool != R_NilValue) TRY(nnp_chain_use_pool(chain, handle_get(pool, POOL), &err));
  UNPROTECT(2);
  return handle;
}

SEXP nnr_chain_set(SEXP chain, SEXP option, SEXP value) {
  nnp_error err;
  TRY(nnp_chain_set(handle_get(chain, CHAIN), (int32_t)whole(option, "option"),
                    number(value, "value"), &err));
  return R_NilValue;
}

SEXP nnr_option_info(SEXP option) {
  nnp_error err;
  const char *name;
  double bounds[3];
  TRY(nnp_option_info((int32_t)whole(option, "option"), &name, &bounds[0], &bounds[1], &bounds[2],
                      &err));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 3));
  memcpy(REAL(result), bounds, sizeof bounds);
  Rf_setAttrib(result, Rf_install("option"), Rf_mkString(name));
  UNPROTECT(1);
  return result;
}

SEXP nnr_chain_start(SEXP chain, SEXP start, SEXP seed, SEXP number_) {
  nnp_error err;
  TRY(nnp_chain_start(handle_get(chain, CHAIN), (int32_t)whole(start, "start"), seed_of(seed),
                      (uint64_t)whole(number_, "number"), &err));
  return R_NilValue;
}

SEXP nnr_chain_start_weights(SEXP chain, SEXP weights, SEXP noisy, SEXP seed, SEXP number_) {
  nnp_error err;
  TRY(nnp_chain_start_weights(handle_get(chain, CHAIN), REAL(weights),
                              (int32_t)whole(noisy, "noisy"), seed_of(seed),
                              (uint64_t)whole(number_, "number"), &err));
  return R_NilValue;
}

SEXP nnr_chain_start_teacher(SEXP chain, SEXP teacher, SEXP sites, SEXP seed, SEXP number_) {
  nnp_error err;
  TRY(nnp_chain_start_teacher(handle_get(chain, CHAIN), handle_get(teacher, TEACHER),
                              sites == R_NilValue ? NULL : REAL(sites), seed_of(seed),
                              (uint64_t)whole(number_, "number"), &err));
  return R_NilValue;
}

SEXP nnr_chain_anneal(SEXP chain, SEXP from, SEXP steps) {
  nnp_error err;
  TRY(nnp_chain_anneal(handle_get(chain, CHAIN), number(from, "from"), whole(steps, "steps"),
                       &err));
  return R_NilValue;
}

SEXP nnr_chain_restore(SEXP chain, SEXP saved) {
  nnp_error err;
  if (TYPEOF(saved) != RAWSXP) raise_status(NNP_E_VALUE, "saved: expected raw bytes");
  TRY(nnp_chain_restore(handle_get(chain, CHAIN), RAW(saved), (size_t)XLENGTH(saved), &err));
  return R_NilValue;
}

/* ---- Running ---- */

nnp_chain **chains_of(SEXP list) {
  nnp_chain **chains = (nnp_chain **)R_alloc((size_t)XLENGTH(list), sizeof(nnp_chain *));
  for (R_xlen_t c = 0; c < XLENGTH(list); ++c) chains[c] = handle_get(VECTOR_ELT(list, c), CHAIN);
  return chains;
}

/* Starts all chains, numbers 0, 1, …, with as many steps of descent as each takes. TRUE unless the
 * user stopped it. */
SEXP nnr_start(SEXP list, SEXP start, SEXP seed, SEXP how) {
  nnp_error err;
  Watch watch;
  const int64_t count = (int64_t)XLENGTH(list);
  nnp_chain **chains = chains_of(list);
  const int32_t kind = (int32_t)whole(start, "start");
  const uint64_t key = seed_of(seed);
  watch_begin(&watch, how, count, 0);
  const int32_t status = nnp_chains_start(chains, count, kind, key, watch_steps, &watch, &err);
  watch_end(&watch);
  if (status != NNP_STOPPED) TRY(status);
  return Rf_ScalarLogical(status != NNP_STOPPED);
}

/* TRUE if all steps were made, FALSE if the user stopped it. */
SEXP nnr_run(SEXP list, SEXP steps, SEXP how) {
  nnp_error err;
  Watch watch;
  const int64_t count = (int64_t)XLENGTH(list), each = whole(steps, "warmup");
  nnp_chain **chains = chains_of(list);
  watch_begin(&watch, how, count, (double)count * (double)each);
  const int32_t status = nnp_chains_run(chains, count, each, watch_steps, &watch, &err);
  watch_end(&watch);
  if (status != NNP_STOPPED) TRY(status);
  return Rf_ScalarLogical(status != NNP_STOPPED);
}

/* What is kept of the steps of a gradient sampler between two draws. */
enum { LOG_DENSITY, ENERGY, ACCEPTANCE, STEP_SIZE, DEPTH, LEAPFROGS, DIVERGENT, KEPT };

/* Where a statistic of a step is among those that were recorded. */
#define PLACE(statistic) (NNP_STEP_##statistic - NNP_STEP_LOG_DENSITY)

static void sum_up(const double *steps, int64_t thin, double *kept) {
  const double *last = steps + NNP_STEP_STATISTICS * (thin - 1);
  memset(kept, 0, KEPT * sizeof(double));
  kept[LOG_DENSITY] = last[PLACE(LOG_DENSITY)];
  kept[ENERGY] = last[PLACE(ENERGY)];
  kept[STEP_SIZE] = last[PLACE(SIZE)];
  for (int64_t i = 0; i < thin; ++i, steps += NNP_STEP_STATISTICS) {
    kept[ACCEPTANCE] += steps[PLACE(ACCEPTANCE)] / (double)thin;
    kept[LEAPFROGS] += steps[PLACE(LEAPFROGS)];
    kept[DIVERGENT] += steps[PLACE(DIVERGENT)];
    if (steps[PLACE(DEPTH)] > kept[DEPTH]) kept[DEPTH] = steps[PLACE(DEPTH)];
  }
}

SEXP kept_steps(const double *steps, int64_t draws, int64_t thin, int64_t chain_count) {
  SEXP out = PROTECT(
      Rf_allocVector(REALSXP, length_of(KEPT, (double)draws, (double)chain_count, "statistics")));
  for (int64_t i = 0; i < draws * chain_count; ++i)
    sum_up(steps + i * thin * NNP_STEP_STATISTICS, thin, REAL(out) + i * KEPT);
  UNPROTECT(1);
  return out;
}

/* A run of `count` draws is made in slices, all chains together. After each slice the chains are
 * saved. When the user stops it, chains stand at different steps: they go back to where the slice
 * began and on to the draws all of them had. So all chains always have the same number of draws,
 * and going on later gives the very draws that an uninterrupted run gives. */
typedef struct Sampling {
  nnp_chain **chains;
  int64_t chain_count, parameters, count, thin;
  int recorded;  /* a gradient sampler: statistics of steps are kept */
  double *draws; /* [parameter, count, chain] */
  double *stats; /* [KEPT, count, chain] or NULL */
  SEXP saves;    /* list of raw vectors */
  SEXP slice;    /* room for the draws of a slice, and for the statistics of its steps */
  SEXP steps;
  PROTECT_INDEX slice_index, steps_index;
  int64_t room; /* draws a slice can have */
} Sampling;

static double save_all(const Sampling *s) {
  nnp_error err;
  const double began = clock_seconds();
  for (int64_t c = 0; c < s->chain_count; ++c) {
    SEXP raw = VECTOR_ELT(s->saves, c);
    TRY(nnp_chain_save(s->chains[c], RAW(raw), (size_t)XLENGTH(raw), &err));
  }
  return clock_seconds() - began;
}

static void restore_all(const Sampling *s) {
  nnp_error err;
  for (int64_t c = 0; c < s->chain_count; ++c) {
    SEXP raw = VECTOR_ELT(s->saves, c);
    TRY(nnp_chain_restore(s->chains[c], RAW(raw), (size_t)XLENGTH(raw), &err));
  }
}

SEXP saved_chain(const nnp_chain *chain) {
  nnp_error err;
  size_t bytes;
  TRY(nnp_chain_save_bytes(chain, &bytes, &err));
  SEXP raw = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)bytes));
  TRY(nnp_chain_save(chain, RAW(raw), bytes, &err));
  UNPROTECT(1);
  return raw;
}

/* The first save also allocates memory for those that follow. */
static void allocate_saves(Sampling *s) {
  for (int64_t c = 0; c < s->chain_count; ++c)
    SET_VECTOR_ELT(s->saves, c, saved_chain(s->chains[c]));
}

SEXP moves_of(nnp_chain *const *chains, int64_t chain_count) {
  nnp_error err;
  nnp_move_count count;
  SEXP out = PROTECT(Rf_alloc3DArray(REALSXP, 3, NNP_MOVE_KINDS, (int)chain_count));
  double *values = REAL(out);
  for (int64_t c = 0; c < chain_count; ++c)
    for (int32_t move = 0; move < NNP_MOVE_KINDS; ++move, values += 3) {
      TRY(nnp_chain_moves(chains[c], NNP_MOVE_PLAIN + move, &count, &err));
      values[0] = (double)count.tried;
      values[1] = (double)count.moved;
      values[2] = (double)count.evaluations;
    }
  UNPROTECT(1);
  return out;
}

static void make_room(Sampling *s, int64_t draws) {
  if (draws <= s->room) return;
  s->room = draws;
  if (s->chain_count > 1)
    REPROTECT(s->slice = Rf_allocVector(REALSXP, length_of((double)s->parameters, (double)draws,
                                                           (double)s->chain_count, "draws")),
              s->slice_index);
  if (s->recorded)
    REPROTECT(
        s->steps = Rf_allocVector(REALSXP, length_of(NNP_STEP_STATISTICS, (double)(draws * s->thin),
                                                     (double)s->chain_count, "draws")),
        s->steps_index);
}

static void record(const Sampling *s, int64_t draws) {
  nnp_error err;
  if (!s->recorded) return;
  for (int64_t c = 0; c < s->chain_count; ++c) {
    double *place = REAL(s->steps) + c * s->room * s->thin * NNP_STEP_STATISTICS;
    TRY(nnp_chain_record(s->chains[c], draws ? place : NULL, draws * s->thin, &err));
  }
}

/* From the slice to where the draws belong. */
static void keep(const Sampling *s, int64_t first, int64_t draws) {
  const int64_t p = s->parameters;
  for (int64_t c = 0; c < s->chain_count; ++c) {
    if (s->chain_count > 1)
      memcpy(s->draws + (c * s->count + first) * p, REAL(s->slice) + c * draws * p,
             (size_t)(draws * p) * sizeof(double));
    for (int64_t i = 0; s->recorded && i < draws; ++i)
      sum_up(REAL(s->steps) + (c * s->room + i) * s->thin * NNP_STEP_STATISTICS, s->thin,
             s->stats + (c * s->count + first + i) * KEPT);
  }
}

/* Makes `draws` draws after the first `done`. */
static int32_t sample_slice(Sampling *s, int64_t done, int64_t draws, Watch *watch,
                            nnp_error *err) {
  record(s, draws);
  double *place = s->chain_count > 1 ? REAL(s->slice) : s->draws + done * s->parameters;
  if (watch) {
    watch->before = (double)(done * s->thin) * (double)s->chain_count;
    memset(watch->done, 0, (size_t)s->chain_count * sizeof(double));
  }
  const int32_t status = nnp_chains_sample(s->chains, s->chain_count, place, draws, s->thin,
                                           watch ? watch_steps : NULL, watch, err);
  if (status == NNP_OK) keep(s, done, draws);
  return status;
}

/* The slice after `done` was stopped after `took` seconds: makes what all chains had of it. If
 * that took long, the user does not want to wait for it again. */
static int64_t redo_slice(Sampling *s, int64_t done, double took, const Watch *watch) {
  nnp_error err;
  double least = watch->done[0];
  for (int64_t c = 1; c < s->chain_count; ++c)
    if (watch->done[c] < least) least = watch->done[c];
  const int64_t draws = took > 1 ? 0 : (int64_t)least / s->thin;
  restore_all(s);
  if (draws == 0) return done;
  TRY(sample_slice(s, done, draws, NULL, &err));
  save_all(s);
  return done + draws;
}

/* How many draws the next slice has: those of a quarter of a second, or more if saving would take
 * more than one part in a hundred. */
static int64_t next_slice(int64_t draws, double took, double saving) {
  const double wanted = saving * 100 > 0.25 ? saving * 100 : 0.25;
  const double fit = took > 0 ? (double)draws * wanted / took : 2.0 * (double)draws;
  return fit > 4.0 * (double)draws ? 4 * draws : fit < 1 ? 1 : (int64_t)fit;
}

static int64_t sample_in_slices(Sampling *s, Watch *watch) {
  nnp_error err;
  int64_t done = 0, next = 1;
  while (done < s->count) {
    const int64_t draws = next < s->count - done ? next : s->count - done;
    make_room(s, draws);
    const double began = clock_seconds();
    const int32_t status = sample_slice(s, done, draws, watch, &err);
    const double took = clock_seconds() - began;
    if (status == NNP_STOPPED) {
      done = redo_slice(s, done, took, watch);
      break;
    }
    if (status != NNP_OK) watch_end(watch);
    TRY(status);
    done += draws;
    next = next_slice(draws, took, save_all(s));
  }
  record(s, 0);
  return done;
}

/* size: draws, thin, parameters. Returns draws, statistics or counts of moves, saved chains and how
 * many draws there are, fewer than asked for if the user stopped it. */
SEXP nnr_sample(SEXP list, SEXP size, SEXP recorded, SEXP how) {
  static const char *const names[] = {"draws", "stats", "saves", "done", "moves"};
  Sampling s;
  Watch watch;
  memset(&s, 0, sizeof s);
  s.chains = chains_of(list);
  s.chain_count = (int64_t)XLENGTH(list);
  s.count = (int64_t)REAL(size)[0];
  s.thin = (int64_t)REAL(size)[1];
  s.parameters = (int64_t)REAL(size)[2];
  s.recorded = Rf_asLogical(recorded);
  SEXP result = PROTECT(named_list(5, names));
  SEXP draws = Rf_allocVector(
      REALSXP, length_of((double)s.parameters, (double)s.count, (double)s.chain_count, "draws"));
  SET_VECTOR_ELT(result, 0, draws);
  if (s.recorded)
    SET_VECTOR_ELT(
        result, 1,
        Rf_allocVector(REALSXP, length_of(KEPT, (double)s.count, (double)s.chain_count, "draws")));
  SET_VECTOR_ELT(result, 2, s.saves = Rf_allocVector(VECSXP, (R_xlen_t)s.chain_count));
  allocate_saves(&s);
  s.draws = REAL(draws);
  s.stats = s.recorded ? REAL(VECTOR_ELT(result, 1)) : NULL;
  PROTECT_WITH_INDEX(s.slice = R_NilValue, &s.slice_index);
  PROTECT_WITH_INDEX(s.steps = R_NilValue, &s.steps_index);
  watch_begin(&watch, how, s.chain_count, (double)s.count * (double)s.thin * (double)s.chain_count);
  const int64_t done = sample_in_slices(&s, &watch);
  watch_end(&watch);
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal((double)done));
  if (!s.recorded) SET_VECTOR_ELT(result, 4, moves_of(s.chains, s.chain_count));
  UNPROTECT(3);
  return result;
}
