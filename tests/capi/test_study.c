/* A thermalization study through the C API: verdicts, series against the same chains run by hand,
 * the same results for any threads and any interruptions, thinning, exact memory, bad input. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"
#include "tests/support/threads.h"
#include "tests/support/watched.h"

enum { CHAINS = 3, ROWS = 40, TEST_ROWS = 15, INPUTS = 2, CAPACITY = 512 };

static nnp_net *net;
static nnp_data *train, *test;
static nnp_teacher *teacher;
static nnp_pool *pool;
static nnp_chain *chains[CHAINS];
static nnp_study *study;

static nnp_net *make_net(int32_t head, double noise) {
  nnp_net *made;
  OK(nnp_net_create(&made, INPUTS, &err));
  OK(nnp_net_dense(made, 3, &err));
  OK(nnp_net_activation(made, NNP_RELU, &err));
  OK(nnp_net_dense(made, head == NNP_ARGMAX ? 3 : 1, &err));
  OK(nnp_net_head(made, head, &err));
  OK(nnp_net_set(made, NNP_ALL_LAYERS, NNP_NOISE, noise, &err));
  return made;
}

static nnp_data *make_inputs(int64_t rows, int64_t outputs, double shift) {
  double x[ROWS * INPUTS];
  nnp_data *made;
  int64_t i;
  for (i = 0; i < rows * INPUTS; ++i)
    x[i] = 3 * fmod(shift + (double)(i + 1) * 0.6180339887498949, 1) - 1.5;
  OK(nnp_data_create(&made, rows, INPUTS, outputs, &err));
  OK(nnp_data_set_inputs(made, x, NNP_ROW_MAJOR, &err));
  return made;
}

/* which teacher */
static uint64_t problem_seed = 5;

/* informed, zero and random chains of a small problem that is sampled in no time */
static void make_chains(int32_t head, double noise, int64_t threads) {
  double sites[ROWS * 9];
  int c;
  net = make_net(head, noise);
  train = make_inputs(ROWS, 1, 0);
  test = make_inputs(TEST_ROWS, 1, 0.3);
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, problem_seed, 0, &err));
  OK(nnp_teacher_label(teacher, train, 1, sites, &err));
  OK(nnp_teacher_label(teacher, test, 0, NULL, &err));
  OK(nnp_pool_create(&pool, threads_here(threads), &err));
  for (c = 0; c < CHAINS; ++c) {
    OK(nnp_chain_create(&chains[c], net, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
    OK(nnp_chain_set(chains[c], NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
    OK(nnp_chain_use_pool(chains[c], pool, &err));
  }
  OK(nnp_chain_start_teacher(chains[0], teacher, sites, 5, 0, &err));
  OK(nnp_chain_start(chains[1], NNP_START_ZERO, 5, 1, &err));
  OK(nnp_chain_start(chains[2], NNP_START_PRIOR, 5, 2, &err));
}

static void make_study(double steps) {
  OK(nnp_study_create(&study, chains, CHAINS, test, CAPACITY, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, steps, &err));
}

void setUp(void) {
  net = NULL;
  train = test = NULL;
  teacher = NULL;
  pool = NULL;
  memset(chains, 0, sizeof chains);
  study = NULL;
}

void tearDown(void) {
  int c;
  nnp_study_free(study);
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  if (pool) nnp_pool_free(pool);
  nnp_teacher_free(teacher);
  nnp_data_free(test);
  nnp_data_free(train);
  nnp_net_free(net);
}

static void start_again(void) {
  tearDown();
  setUp();
}

static nnp_series series(int64_t chain, int32_t which) {
  nnp_series out;
  OK(nnp_study_series(study, chain, which, &out, &err));
  return out;
}

static nnp_study_progress ask(void) {
  nnp_study_progress state;
  OK(nnp_study_state(study, &state, &err));
  return state;
}

static int32_t stop_now_and_then(const nnp_study *running, const nnp_study_progress *state,
                                 void *user) {
  int64_t *calls = user;
  (void)running;
  (void)state;
  return ++*calls % 97 == 0;
}

/* ---- verdicts ---- */

static void good_chains_are_thermalized_and_end_the_run(void) {
  static const int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};
  int h, c;
  for (h = 0; h < 3; ++h) {
    make_chains(heads[h], h == 0 ? 0.1 : 0.3, 2);
    make_study(only_watched() ? 600 : 200000);
    OK(nnp_study_run(study, NULL, NULL, &err));
    VERDICT(ask().ended == NNP_ENDED_VERDICTS);
    VERDICT(ask().decided == CHAINS - 1);
    VERDICT(ask().steps < 200000);
    for (c = 1; c < CHAINS; ++c) {
      nnp_criteria_times times;
      OK(nnp_study_report(study, c, &times, &err));
      VERDICT(times.verdict.verdict == NNP_THERMALIZED);
      VERDICT(times.teacher_student == times.verdict.time);
      VERDICT(times.teacher_student < 0.75 * (double)ask().steps);
      VERDICT(times.stationarity >= 0 && times.gradient >= 0);
    }
    start_again();
  }
}

/* A run that stops itself is not rash: chains that thermalize late are not called stuck before. */
static void chains_that_take_their_time_are_not_called_stuck(void) {
  int stuck = 0, c;
  for (problem_seed = 1; problem_seed <= (uint64_t)shortened(16, 1); ++problem_seed) {
    nnp_criteria_times times;
    make_chains(NNP_GAUSSIAN, 0.01, 1);
    OK(nnp_study_create(&study, chains, CHAINS, test, 8192, &err));
    OK(nnp_study_set(study, NNP_STUDY_STEPS, only_watched() ? 1000 : 20000, &err));
    OK(nnp_study_run(study, NULL, NULL, &err));
    for (c = 1; c < CHAINS; ++c) {
      OK(nnp_study_report(study, c, &times, &err));
      stuck += times.verdict.verdict == NNP_NOT_THERMALIZED;
    }
    start_again();
  }
  problem_seed = 5;
  VERDICT(stuck <= 1);
}

/* When verdicts were reached, by the level they found for the informed chain. */
typedef struct decisions {
  double level, step, largest_factor;
  int count;
} decisions;

static int32_t watch_decisions(const nnp_study *running, const nnp_study_progress *state,
                               void *user) {
  decisions *d = user;
  nnp_criteria_times times;
  nnp_series s;
  double step;
  (void)state;
  TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_study_report(running, 1, &times, NULL));
  if (times.verdict.informed_level == d->level) return 0;
  TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_study_series(running, 1, NNP_SERIES_TEST, &s, NULL));
  step = s.times[s.count - 1];
  if (d->step > 100) d->largest_factor = fmax(d->largest_factor, step / d->step);
  d->level = times.verdict.informed_level;
  d->step = step;
  ++d->count;
  return 0;
}

/* From 100 to 10000 by tenths: 48 decisions. */
static void it_decides_again_when_a_tenth_longer(void) {
  decisions d = {0, 0, 0, 0};
  make_chains(NNP_GAUSSIAN, 0.1, 1);
  make_study(10000);
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_run(study, watch_decisions, &d, &err));
  TEST_ASSERT_TRUE(d.count > 40 && d.largest_factor < 1.2);
}

/* A chain that believes in a hundred times the noise settles at another error. */
static void a_chain_elsewhere_is_not_thermalized(void) {
  nnp_criteria_times times;
  nnp_net *noisy;
  make_chains(NNP_GAUSSIAN, 0.01, 2);
  noisy = make_net(NNP_GAUSSIAN, 1);
  nnp_chain_free(chains[2]);
  OK(nnp_chain_create(&chains[2], noisy, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  nnp_net_free(noisy);
  OK(nnp_chain_start(chains[2], NNP_START_PRIOR, 5, 2, &err));
  make_study(only_watched() ? 600 : 30000);
  OK(nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_report(study, 2, &times, &err));
  VERDICT(times.verdict.verdict == NNP_NOT_THERMALIZED);
  VERDICT(times.verdict.distance > 3);
  VERDICT(isnan(times.teacher_student) && isfinite(times.stationarity));
}

/* The same problem with a sampler that warms up. */
static void make_nuts_chains(double warmup) {
  double sites[ROWS * 9];
  int c;
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  OK(nnp_teacher_label(teacher, train, 1, sites, &err));
  for (c = 0; c < CHAINS; ++c) {
    nnp_chain_free(chains[c]);
    OK(nnp_chain_create(&chains[c], net, train, NNP_NUTS, NNP_INTERMEDIATE, &err));
    OK(nnp_chain_set(chains[c], NNP_OPTION_WARMUP, c == 1 ? warmup : 20, &err));
    OK(nnp_chain_set(chains[c], NNP_OPTION_MAX_DEPTH, 4, &err));
    OK(nnp_chain_use_pool(chains[c], pool, &err));
  }
  OK(nnp_chain_start_teacher(chains[0], teacher, sites, 5, 0, &err));
  OK(nnp_chain_start(chains[1], NNP_START_PRIOR, 5, 1, &err));
  OK(nnp_chain_start(chains[2], NNP_START_PRIOR, 5, 2, &err));
}

/* A budget that ends inside a warm-up or a annealing is refused, also when the study goes on. */
static void budgets_must_outlast_warmups(void) {
  int64_t calls = 0;
  make_nuts_chains(400);
  make_study(399);
  FAILS(NNP_E_VALUE, "steps = 399: the warm-up or annealing of chain 1 ends at step 400",
        nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 400, &err));
  TEST_ASSERT_EQUAL_INT(NNP_STOPPED, nnp_study_run(study, stop_now_and_then, &calls, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 399, &err));
  FAILS(NNP_E_VALUE, "ends at step 400", nnp_study_run(study, NULL, NULL, &err));
  start_again();
  make_chains(NNP_GAUSSIAN, 0.1, 1);
  OK(nnp_chain_anneal(chains[2], 2, 300, &err));
  make_study(200);
  FAILS(NNP_E_VALUE, "annealing of chain 2 ends at step 300",
        nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 301, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
}

static int32_t no_verdict_before_600(const nnp_study *running, const nnp_study_progress *state,
                                     void *user) {
  (void)running;
  (void)user;
  if (state->steps < 600) TEST_ASSERT_EQUAL_INT(0, (int)state->decided);
  return 0;
}

/* Verdicts come from what lies behind all warm-ups: those nnp_criteria reaches on that part. */
static void warmups_do_not_count(void) {
  nnp_criteria_series all;
  nnp_criteria_times ours, theirs;
  nnp_thermalization_options options;
  size_t bytes;
  void *memory;
  int64_t first = 0;
  make_nuts_chains(600);
  make_study(2000);
  OK(nnp_thermalization_defaults(&options, &err));
  options.scale = NNP_SCALE_LINEAR;
  OK(nnp_study_thermalization(study, &options, &err));
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_run(study, no_verdict_before_600, NULL, &err));
  all.informed = series(0, NNP_SERIES_TEST);
  TEST_ASSERT_TRUE(all.informed.times[0] == 0);
  while (all.informed.times[first] <= 600) ++first;
  all.other = series(1, NNP_SERIES_TEST);
  all.gradient = series(1, NNP_SERIES_GRADIENT);
  all.informed.times = all.other.times = all.gradient.times = all.informed.times + first;
  all.informed.values += first;
  all.other.values += first;
  all.gradient.values += first;
  all.informed.count = all.other.count = all.gradient.count = all.informed.count - first;
  all.rhat = series(1, NNP_SERIES_RHAT); /* blocks of 50 steps: 12 of them are warm-up */
  all.rhat.times += 12;
  all.rhat.values += 12;
  all.rhat.count -= 12;
  OK(nnp_thermalization_bytes(&bytes, &err));
  memory = malloc(bytes);
  OK(nnp_criteria(&all, &options, 2, &theirs, memory, bytes, &err));
  free(memory);
  OK(nnp_study_report(study, 1, &ours, &err));
  TEST_ASSERT_TRUE(ours.verdict.informed_time > 600 && ours.verdict.time > 600);
  TEST_ASSERT_TRUE(ours.stationarity > 600);
  TEST_ASSERT_EQUAL_MEMORY(&theirs.verdict, &ours.verdict, sizeof ours.verdict);
  TEST_ASSERT_TRUE(theirs.stationarity == ours.stationarity);
  TEST_ASSERT_EQUAL_MEMORY(&theirs.gradient, &ours.gradient, sizeof ours.gradient);
  TEST_ASSERT_EQUAL_MEMORY(&theirs.rhat, &ours.rhat, sizeof ours.rhat);
}

/* The verdicts are those nnp_criteria reaches on the series. */
static void verdicts_can_be_had_from_the_series(void) {
  nnp_criteria_series all;
  nnp_criteria_times ours, theirs;
  nnp_thermalization_options options;
  size_t bytes;
  void *memory;
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  make_study(5000);
  OK(nnp_thermalization_defaults(&options, &err));
  options.scale = NNP_SCALE_LOG;
  OK(nnp_study_thermalization(study, &options, &err));
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_set(study, NNP_STUDY_RHAT_LIMIT, 3, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(NNP_ENDED_STEPS, ask().ended);
  all.informed = series(0, NNP_SERIES_TEST);
  all.other = series(1, NNP_SERIES_TEST);
  all.gradient = series(1, NNP_SERIES_GRADIENT);
  all.rhat = series(1, NNP_SERIES_RHAT);
  TEST_ASSERT_EQUAL_INT(100, (int)all.rhat.count);
  OK(nnp_thermalization_bytes(&bytes, &err));
  memory = malloc(bytes);
  OK(nnp_criteria(&all, &options, 3, &theirs, memory, bytes, &err));
  free(memory);
  OK(nnp_study_report(study, 1, &ours, &err));
  TEST_ASSERT_EQUAL_MEMORY(&theirs.verdict, &ours.verdict, sizeof ours.verdict);
  TEST_ASSERT_TRUE(theirs.stationarity == ours.stationarity);
  TEST_ASSERT_TRUE(theirs.gradient == ours.gradient && theirs.rhat == ours.rhat);
}

/* ---- series, against the same chains run by hand ---- */

static void series_are_those_of_the_chains(void) {
  enum { STEPS = 3000, EVERY = 10, BLOCK = 20, BLOCKS = STEPS / EVERY / BLOCK };
  static double outputs[2][STEPS / EVERY * TEST_ROWS], out[6 * BLOCKS], work[TEST_ROWS];
  static double mse[CHAINS][STEPS + 1], gradient[CHAINS][STEPS + 1];
  double *psi = malloc(sizeof outputs), times[STEPS / EVERY];
  nnp_draws draws;
  nnp_series s;
  int64_t i, c, t, row;
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  make_study(STEPS);
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_set(study, NNP_STUDY_SAMPLING, NNP_SAMPLING_EVEN, &err));
  OK(nnp_study_set(study, NNP_STUDY_GRADIENT_LAYER, 3, &err));
  OK(nnp_study_set(study, NNP_STUDY_RHAT_EVERY, EVERY, &err));
  OK(nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, BLOCK, &err));
  OK(nnp_study_partner(study, 1, 2, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  {
    /* By hand: chains of the same words draw the same numbers. */
    nnp_study *done = study;
    nnp_teacher *old_teacher = teacher;
    nnp_chain *used[CHAINS];
    nnp_data *data[2] = {train, test};
    nnp_net *old_net = net;
    nnp_pool *old_pool = pool;
    memcpy(used, chains, sizeof used);
    make_chains(NNP_GAUSSIAN, 0.1, 1);
    for (t = 0; t <= STEPS; ++t)
      for (c = 0; c < CHAINS; ++c) {
        if (t > 0) OK(nnp_chain_run(chains[c], 1, NULL, NULL, &err));
        OK(nnp_chain_score(chains[c], test, NNP_SCORE_MSE, &mse[c][t], &err));
        OK(nnp_chain_gradient_statistic(chains[c], 3, &gradient[c][t], &err));
        if (t % EVERY == 0 && t > 0 && c > 0)
          OK(nnp_chain_predict(chains[c], test, outputs[c - 1] + (t / EVERY - 1) * TEST_ROWS,
                               &err));
      }
    for (c = 0; c < CHAINS; ++c) nnp_chain_free(used[c]);
    nnp_pool_free(old_pool);
    nnp_teacher_free(old_teacher);
    nnp_data_free(data[0]);
    nnp_data_free(data[1]);
    nnp_net_free(old_net);
    study = done;
  }
  /* 3001 samples do not fit in 512: every eighth is left. */
  for (c = 0; c < CHAINS; ++c) {
    s = series(c, NNP_SERIES_TEST);
    TEST_ASSERT_EQUAL_INT(STEPS / 8 + 1, (int)s.count);
    for (i = 0; i < s.count; ++i) {
      TEST_ASSERT_TRUE(s.times[i] == 8.0 * (double)i);
      TEST_ASSERT_TRUE(fabs(s.values[i] - mse[c][8 * i]) <= 1e-12 * mse[c][8 * i]);
    }
    s = series(c, NNP_SERIES_GRADIENT);
    for (i = 0; i < s.count; ++i) TEST_ASSERT_TRUE(s.values[i] == gradient[c][8 * i]);
  }
  for (i = 0; i < STEPS / EVERY; ++i) times[i] = (double)(EVERY * (i + 1));
  for (row = 0; row < TEST_ROWS; ++row)
    for (i = 0; i < STEPS / EVERY; ++i)
      for (c = 0; c < 2; ++c)
        psi[row + TEST_ROWS * (i + STEPS / EVERY * c)] = outputs[c][i * TEST_ROWS + row];
  OK(nnp_draws_init(&draws, psi, TEST_ROWS, STEPS / EVERY, 2, &err));
  OK(nnp_block_rhat(&draws, times, BLOCK, out, work, sizeof work, &err));
  for (c = NNP_SERIES_RHAT; c <= NNP_SERIES_RHAT_95; ++c) {
    s = series(1, (int32_t)c);
    TEST_ASSERT_EQUAL_INT(BLOCKS, (int)s.count);
    for (i = 0; i < BLOCKS; ++i) {
      TEST_ASSERT_TRUE(s.times[i] == out[6 * i]);
      TEST_ASSERT_TRUE(fabs(s.values[i] - out[6 * i + 1 + c - NNP_SERIES_RHAT]) <
                       1e-9 * s.values[i]);
    }
  }
  free(psi);
}

/* ---- the same for any threads and interruptions ---- */

static void results_depend_on_neither_threads_nor_calls(void) {
  double *kept = NULL;
  int64_t count = 0, rhat_count = 0, calls = 0, c;
  int way;
  for (way = 0; way < 3; ++way) {
    int32_t status;
    make_chains(NNP_ARGMAX, 0.3, way == 1 ? 2 : 1);
    make_study(1200);
    OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
    do {
      status = nnp_study_run(study, way == 2 ? stop_now_and_then : NULL, &calls, &err);
    } while (status == NNP_STOPPED);
    TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, status, err.message);
    TEST_ASSERT_EQUAL_INT(1200, (int)ask().steps);
    if (way == 0) {
      count = ask().samples;
      rhat_count = ask().blocks;
      TEST_ASSERT_EQUAL_INT(24, (int)rhat_count);
      kept = malloc(sizeof(double) * (size_t)(CHAINS * (2 * count + rhat_count)));
    }
    TEST_ASSERT_EQUAL_INT((int)count, (int)ask().samples);
    for (c = 0; c < CHAINS; ++c) {
      double *mine = kept + c * (2 * count + rhat_count);
      const nnp_series all[] = {series(c, NNP_SERIES_TEST), series(c, NNP_SERIES_GRADIENT),
                                series(c, NNP_SERIES_RHAT)};
      int k;
      for (k = 0; k < 3; ++k) {
        const size_t bytes = sizeof(double) * (size_t)all[k].count;
        if (way == 0)
          memcpy(mine, all[k].values, bytes);
        else
          TEST_ASSERT_EQUAL_MEMORY(mine, all[k].values, bytes);
        mine += all[k].count;
      }
    }
    start_again();
  }
  TEST_ASSERT_TRUE(calls > 97);
  free(kept);
}

/* ---- budgets, callbacks, own functions ---- */

typedef struct watch {
  int64_t calls, stop_at;
  double last_share;
} watch;

static int32_t look(const nnp_study *running, const nnp_study_progress *state, void *user) {
  watch *w = user;
  nnp_series s;
  nnp_criteria_times times;
  int64_t i;
  ++w->calls;
  TEST_ASSERT_TRUE(state->share >= w->last_share && state->share <= 1);
  w->last_share = state->share;
  TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_study_series(running, 1, NNP_SERIES_TEST, &s, NULL));
  TEST_ASSERT_TRUE(s.count == state->samples);
  for (i = 0; i < s.count; ++i) TEST_ASSERT_TRUE(isfinite(s.values[i]));
  TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_study_report(running, 2, &times, NULL));
  return w->stop_at > 0 && state->steps >= w->stop_at;
}

static void a_callback_reads_and_stops(void) {
  watch w = {0, 300, 0};
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  make_study(2000);
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  TEST_ASSERT_EQUAL_INT(NNP_STOPPED, nnp_study_run(study, look, &w, &err));
  TEST_ASSERT_EQUAL_INT(NNP_ENDED_STOPPED, ask().ended);
  TEST_ASSERT_TRUE(w.calls > 0 && ask().steps >= 300 && ask().steps < 2000);
  TEST_ASSERT_TRUE(series(1, NNP_SERIES_TEST).count > 50);
  w.stop_at = 0;
  OK(nnp_study_run(study, look, &w, &err));
  TEST_ASSERT_EQUAL_INT(2000, (int)ask().steps);
  OK(nnp_study_run(study, look, &w, &err)); /* nothing left to do */
  TEST_ASSERT_EQUAL_INT(2000, (int)ask().steps);
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 2100, &err));
  w.last_share = 0;
  OK(nnp_study_run(study, look, &w, &err));
  TEST_ASSERT_EQUAL_INT(2100, (int)ask().steps);
}

static void a_time_limit_ends_it(void) {
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  make_study(0);
  OK(nnp_study_set(study, NNP_STUDY_SECONDS, 0.02, &err));
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(NNP_ENDED_SECONDS, ask().ended);
  TEST_ASSERT_TRUE(ask().seconds >= 0.02 && ask().share == 1);
}

static int32_t first_weight(nnp_chain *chain, double *value, void *user) {
  double parameters[16];
  const int32_t status = nnp_chain_parameters(chain, parameters, NULL);
  *value = parameters[0] * *(double *)user;
  return status;
}

static int32_t nonsense(nnp_chain *chain, double *value, void *user) {
  int64_t steps;
  (void)user;
  nnp_chain_steps(chain, &steps, NULL);
  *value = steps < 20 ? 1.0 : NAN;
  return NNP_OK;
}

static int32_t refuse(nnp_chain *chain, double *value, void *user) {
  (void)chain;
  (void)user;
  *value = 0;
  return NNP_E_VALUE;
}

static void a_test_function_of_ones_own(void) {
  double factor = 2, parameters[16];
  nnp_series s;
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  OK(nnp_study_create(&study, chains, CHAINS, NULL, CAPACITY, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 400, &err));
  FAILS(NNP_E_NO_DATA, "neither test data nor", nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_function(study, first_weight, &factor, &err));
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  s = series(2, NNP_SERIES_TEST);
  OK(nnp_chain_parameters(chains[2], parameters, &err));
  TEST_ASSERT_TRUE(s.times[s.count - 1] == 400 && s.values[s.count - 1] == 2 * parameters[0]);
  TEST_ASSERT_EQUAL_INT(0, (int)series(2, NNP_SERIES_RHAT).count);
  start_again();
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  make_study(400);
  OK(nnp_study_function(study, nonsense, NULL, &err));
  FAILS(NNP_E_NOT_FINITE, "after 20 steps", nnp_study_run(study, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(20, (int)series(0, NNP_SERIES_TEST).count);
  FAILS(NNP_E_NOT_FINITE, "after 20 steps", nnp_study_run(study, NULL, NULL, &err));
  start_again();
  make_chains(NNP_GAUSSIAN, 0.1, 1);
  make_study(400);
  OK(nnp_study_function(study, refuse, NULL, &err));
  FAILS(NNP_E_VALUE, "function: it returned 6 for chain 0", nnp_study_run(study, NULL, NULL, &err));
}

/* Errors counted by hand; minus the log score. */
static void functions_of_classes(void) {
  int which, head;
  for (head = NNP_ARGMAX; head <= NNP_SIGN_HEAD; ++head)
    for (int i = 0; i < 4; ++i) {
      const int scores[] = {0, NNP_SCORE_MSE, NNP_SCORE_ACCURACY, NNP_SCORE_LOG};
      double score, want;
      which = scores[i];
      nnp_series s;
      make_chains(head, 0.3, 1);
      make_study(50);
      OK(nnp_study_set(study, NNP_STUDY_FUNCTION, which, &err));
      if (which == NNP_SCORE_MSE) {
        FAILS(NNP_E_UNSUPPORTED, "mse", nnp_study_run(study, NULL, NULL, &err));
      } else {
        OK(nnp_study_run(study, NULL, NULL, &err));
        s = series(2, NNP_SERIES_TEST);
        OK(nnp_chain_score(chains[2], test, which == NNP_SCORE_LOG ? which : NNP_SCORE_ACCURACY,
                           &score, &err));
        want = which == NNP_SCORE_LOG ? -score : 1 - score;
        TEST_ASSERT_TRUE(fabs(s.values[s.count - 1] - want) < 1e-12);
      }
      start_again();
    }
}

/* ---- the table ---- */

static void the_report_can_be_printed(void) {
  char text[2048], small[16];
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  make_study(10);
  OK(nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_print(study, text, 512 + CHAINS * 256, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "undecided: run longer (too few samples)"));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, only_watched() ? 1000 : 100000, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_print(study, text, 512 + CHAINS * 256, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "teacher-student"));
  TEST_ASSERT_NOT_NULL(strstr(text, "\n    2 "));
  VERDICT(strstr(text, "thermalized at t = ") != NULL);
  FAILS(NNP_E_BUFFER_SIZE, "size = 16", nnp_study_print(study, small, sizeof small, &err));
}

/* ---- memory and bad input ---- */

static void memory_is_exact(void) {
  size_t bytes, k;
  unsigned char *whole, *block;
  make_chains(NNP_GAUSSIAN, 0.1, 2);
  OK(nnp_study_bytes(chains, CHAINS, test, CAPACITY, &bytes, &err));
  whole = malloc(bytes + 128);
  TEST_ASSERT_NOT_NULL(whole);
  block = whole + 64 - (uintptr_t)whole % 64;
  memset(block, 0xA5, bytes + 64);
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_study_init(&study, block, bytes - 1, chains, CHAINS, test, CAPACITY, &err));
  FAILS(NNP_E_MEMORY_ALIGNMENT, "memory",
        nnp_study_init(&study, block + 8, bytes, chains, CHAINS, test, CAPACITY, &err));
  OK(nnp_study_init(&study, block, bytes, chains, CHAINS, test, CAPACITY, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 2000, &err));
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_set(study, NNP_STUDY_SAMPLING, NNP_SAMPLING_EVEN, &err));
  OK(nnp_study_set(study, NNP_STUDY_RHAT_EVERY, 1, &err));
  OK(nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, 2, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  TEST_ASSERT_TRUE(ask().samples > 256 && ask().blocks > 256);
  for (k = bytes; k < bytes + 64; ++k) TEST_ASSERT_EQUAL_HEX8(0xA5, block[k]);
  study = NULL;
  free(whole);
}

static void bad_studies(void) {
  nnp_study *made;
  nnp_chain *twice[2], *fresh;
  nnp_data *narrow;
  nnp_net *other;
  size_t bytes;
  make_chains(NNP_GAUSSIAN, 0.1, 1);
  FAILS(NNP_E_NULL, "study", nnp_study_create(NULL, chains, CHAINS, test, CAPACITY, &err));
  FAILS(NNP_E_NULL, "chains", nnp_study_create(&made, NULL, CHAINS, test, CAPACITY, &err));
  FAILS(NNP_E_SIZE, "chain_count = 1", nnp_study_create(&made, chains, 1, test, CAPACITY, &err));
  FAILS(NNP_E_SIZE, "capacity = 511", nnp_study_create(&made, chains, CHAINS, test, 511, &err));
  FAILS(NNP_E_OVERFLOW, "capacity", nnp_study_create(&made, chains, CHAINS, test, INT64_MAX, &err));
  FAILS(NNP_E_NULL, "bytes", nnp_study_bytes(chains, CHAINS, test, CAPACITY, NULL, &err));
  FAILS(NNP_E_OVERFLOW, "capacity", nnp_study_bytes(chains, CHAINS, test, INT64_MAX, &bytes, &err));
  twice[0] = twice[1] = chains[0];
  FAILS(NNP_E_VALUE, "same chain", nnp_study_create(&made, twice, 2, test, CAPACITY, &err));
  OK(nnp_data_create(&narrow, 4, INPUTS, 1, &err));
  FAILS(NNP_E_NO_DATA, "inputs", nnp_study_create(&made, chains, CHAINS, narrow, CAPACITY, &err));
  nnp_data_free(narrow);
  OK(nnp_data_create(&narrow, 4, INPUTS + 1, 1, &err));
  OK(nnp_data_set_inputs(narrow, (double[12]){0}, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_SHAPE, "features", nnp_study_create(&made, chains, CHAINS, narrow, CAPACITY, &err));
  nnp_data_free(narrow);
  OK(nnp_chain_create(&fresh, net, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  twice[1] = fresh;
  OK(nnp_study_create(&made, twice, 2, test, CAPACITY, &err));
  FAILS(NNP_E_VALUE, "budget", nnp_study_run(made, NULL, NULL, &err));
  OK(nnp_study_set(made, NNP_STUDY_STEPS, 10, &err));
  FAILS(NNP_E_NOT_STARTED, "chain 1", nnp_study_run(made, NULL, NULL, &err));
  nnp_study_free(made);
  nnp_chain_free(fresh);
  other = make_net(NNP_ARGMAX, 0.1);
  OK(nnp_data_set_labels(train, (int32_t[ROWS]){0}, &err));
  OK(nnp_chain_create(&fresh, other, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  twice[1] = fresh;
  FAILS(NNP_E_SHAPE, "outputs", nnp_study_create(&made, twice, 2, test, CAPACITY, &err));
  nnp_chain_free(fresh);
  nnp_net_free(other);
}

/* Chains of different posteriors, heads or training data have different levels. */
static void levels_must_be_comparable(void) {
  double y[ROWS];
  int32_t labels[ROWS];
  nnp_study *made;
  nnp_chain *mixed[3], *fresh;
  nnp_data *copy;
  nnp_net *other;
  int i;
  make_chains(NNP_GAUSSIAN, 0.1, 1);
  mixed[0] = chains[0];
  mixed[1] = chains[1];
  OK(nnp_chain_create(&fresh, net, train, NNP_HMC, NNP_CLASSICAL, &err));
  mixed[2] = fresh;
  FAILS(NNP_E_UNSUPPORTED, "chain 2 samples the classical posterior, chain 0 the intermediate one",
        nnp_study_create(&made, mixed, 3, test, CAPACITY, &err));
  nnp_chain_free(fresh);
  OK(nnp_chain_create(&fresh, net, train, NNP_HMC, NNP_INTERMEDIATE, &err));
  mixed[2] = fresh;
  OK(nnp_study_create(&made, mixed, 3, test, CAPACITY, &err)); /* another sampler may be */
  nnp_study_free(made);
  nnp_chain_free(fresh);
  other = make_net(NNP_SIGN_HEAD, 0.1);
  for (i = 0; i < ROWS; ++i) labels[i] = 1;
  OK(nnp_data_set_labels(train, labels, &err));
  OK(nnp_chain_create(&fresh, other, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  mixed[2] = fresh;
  FAILS(NNP_E_UNSUPPORTED, "chain 2 has head sign, chain 0 has gaussian",
        nnp_study_create(&made, mixed, 3, test, CAPACITY, &err));
  nnp_chain_free(fresh);
  nnp_net_free(other);
  copy = make_inputs(ROWS, 1, 0); /* the same content in another object, then another content */
  for (i = 0; i < ROWS; ++i) y[i] = i;
  OK(nnp_data_set_targets(train, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(copy, y, NNP_ROW_MAJOR, &err));
  OK(nnp_chain_create(&fresh, net, copy, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(fresh, NNP_START_ZERO, 5, 3, &err));
  mixed[2] = fresh;
  OK(nnp_study_create(&made, mixed, 3, test, CAPACITY, &err));
  OK(nnp_study_set(made, NNP_STUDY_STEPS, 10, &err));
  OK(nnp_study_run(made, NULL, NULL, &err));
  y[7] = 0;
  OK(nnp_data_set_targets(copy, y, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_UNSUPPORTED, "chain 2 has different training data",
        nnp_study_run(made, NULL, NULL, &err));
  nnp_study_free(made);
  FAILS(NNP_E_UNSUPPORTED, "chain 2 has different training data",
        nnp_study_create(&made, mixed, 3, test, CAPACITY, &err));
  nnp_chain_free(fresh);
  nnp_data_free(copy);
}

static void bad_options(void) {
  const char *name;
  double value, low, high, initial;
  int32_t option;
  nnp_series s;
  nnp_criteria_times times;
  nnp_thermalization_options options;
  make_chains(NNP_GAUSSIAN, 0.1, 1);
  make_study(100);
  for (option = NNP_STUDY_STEPS; option <= NNP_STUDY_RHAT_LIMIT; ++option) {
    OK(nnp_study_option_info(option, &name, &low, &high, &initial, &err));
    TEST_ASSERT_TRUE(strlen(name) > 0 && low <= initial && initial <= high);
    if (option != NNP_STUDY_STEPS) {
      OK(nnp_study_get(study, option, &value, &err));
      TEST_ASSERT_TRUE(value == initial);
    }
    FAILS(NNP_E_VALUE, name, nnp_study_set(study, option, low - 1, &err));
    FAILS(NNP_E_VALUE, name, nnp_study_set(study, option, NAN, &err));
  }
  FAILS(NNP_E_ENUM, "option = 99", nnp_study_set(study, 99, 1, &err));
  FAILS(NNP_E_ENUM, "option = 0", nnp_study_get(study, 0, &value, &err));
  FAILS(NNP_E_ENUM, "option = 12", nnp_study_option_info(12, NULL, NULL, NULL, NULL, &err));
  FAILS(NNP_E_VALUE, "rhat_block = 1", nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, 1, &err));
  FAILS(NNP_E_VALUE, "steps = 1.5", nnp_study_set(study, NNP_STUDY_STEPS, 1.5, &err));
  FAILS(NNP_E_VALUE, "partner = 1", nnp_study_partner(study, 1, 1, &err));
  FAILS(NNP_E_SIZE, "partner = 3", nnp_study_partner(study, 1, 3, &err));
  FAILS(NNP_E_SIZE, "chain = -1", nnp_study_partner(study, -1, 0, &err));
  OK(nnp_thermalization_defaults(&options, &err));
  options.z = -1;
  FAILS(NNP_E_VALUE, "options->z", nnp_study_thermalization(study, &options, &err));
  OK(nnp_study_thermalization(study, NULL, &err));
  OK(nnp_study_set(study, NNP_STUDY_FUNCTION, NNP_SCORE_ACCURACY, &err));
  FAILS(NNP_E_UNSUPPORTED, "error", nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_set(study, NNP_STUDY_FUNCTION, 0, &err));
  OK(nnp_study_set(study, NNP_STUDY_GRADIENT_LAYER, 2, &err));
  FAILS(NNP_E_VALUE, "layer = 2", nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_study_set(study, NNP_STUDY_GRADIENT_LAYER, 0, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(0, (int)series(1, NNP_SERIES_GRADIENT).count);
  FAILS(NNP_E_OPTION, "begun", nnp_study_set(study, NNP_STUDY_SAMPLING, NNP_SAMPLING_EVEN, &err));
  FAILS(NNP_E_OPTION, "begun", nnp_study_partner(study, 1, 2, &err));
  FAILS(NNP_E_OPTION, "begun", nnp_study_function(study, refuse, NULL, &err));
  FAILS(NNP_E_SIZE, "chain = 0", nnp_study_report(study, 0, &times, &err));
  FAILS(NNP_E_NULL, "out", nnp_study_report(study, 1, NULL, &err));
  FAILS(NNP_E_ENUM, "which = 8", nnp_study_series(study, 0, 8, &s, &err));
  FAILS(NNP_E_SIZE, "chain = 3", nnp_study_series(study, 3, NNP_SERIES_TEST, &s, &err));
  FAILS(NNP_E_NULL, "state", nnp_study_state(study, NULL, &err));
  FAILS(NNP_E_NULL, "study", nnp_study_run(NULL, NULL, NULL, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(good_chains_are_thermalized_and_end_the_run);
  RUN_TEST(chains_that_take_their_time_are_not_called_stuck);
  RUN_TEST(it_decides_again_when_a_tenth_longer);
  RUN_TEST(a_chain_elsewhere_is_not_thermalized);
  RUN_TEST(budgets_must_outlast_warmups);
  RUN_TEST(warmups_do_not_count);
  RUN_TEST(verdicts_can_be_had_from_the_series);
  RUN_TEST(series_are_those_of_the_chains);
  RUN_TEST(results_depend_on_neither_threads_nor_calls);
  RUN_TEST(a_callback_reads_and_stops);
  RUN_TEST(a_time_limit_ends_it);
  RUN_TEST(a_test_function_of_ones_own);
  RUN_TEST(functions_of_classes);
  RUN_TEST(the_report_can_be_printed);
  RUN_TEST(memory_is_exact);
  RUN_TEST(bad_studies);
  RUN_TEST(levels_must_be_comparable);
  RUN_TEST(bad_options);
  return UNITY_END();
}
