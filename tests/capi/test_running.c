/* A chain is the same chain however it is run: at once or in pieces, alone or beside others, on any
 * number of threads, saved and restored; and what it tells of itself agrees with its state. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/problem.h"
#include "tests/support/watched.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 20, MANY_ROWS = 1100 }; /* the latter are several blocks of rows */

static const int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};
static const int32_t schedules[] = {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD};

/* 3, or 1 in a build without threads. */
static int64_t most_threads(void) {
  char text[1024];
  OK(nnp_build_info(text, sizeof text, e));
  return strstr(text, "threads: yes") ? 3 : 1;
}

static nnp_chain *new_chain(const Problem *p, int32_t schedule, uint64_t number) {
  nnp_chain *chain = NULL;
  OK(nnp_chain_create(&chain, p->net, p->data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, schedule, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, number, e));
  return chain;
}

static int64_t steps_of(const nnp_chain *chain) {
  int64_t steps = -1;
  OK(nnp_chain_steps(chain, &steps, e));
  return steps;
}

static double log_density_of(nnp_chain *chain) {
  double value = NAN;
  OK(nnp_chain_log_density(chain, &value, e));
  return value;
}

/* ---- one chain, many ways -------------------------------------------------------------------- */

static void test_in_pieces_as_at_once(void) {
  int h, s;
  for (h = 0; h < 3; ++h)
    for (s = 0; s < 3; ++s) {
      Problem p = problem_make(heads[h], MANY_ROWS);
      nnp_chain *once = new_chain(&p, schedules[s], 0), *pieces = new_chain(&p, schedules[s], 0);
      nnp_chain *different = new_chain(&p, schedules[s], 1);
      OK(nnp_chain_run(once, 12, NULL, NULL, e));
      OK(nnp_chain_run(different, 12, NULL, NULL, e));
      OK(nnp_chain_run(pieces, 1, NULL, NULL, e));
      OK(nnp_chain_run(pieces, 0, NULL, NULL, e));
      log_density_of(pieces); /* looking changes nothing */
      OK(nnp_chain_run(pieces, 4, NULL, NULL, e));
      OK(nnp_chain_run(pieces, 7, NULL, NULL, e));
      TEST_ASSERT_TRUE(problem_same(&p, once, pieces));
      TEST_ASSERT_FALSE(problem_same(&p, once, different));
      TEST_ASSERT_EQUAL_INT64(12, steps_of(once));
      TEST_ASSERT_EQUAL_INT64(12, steps_of(pieces));
      nnp_chain_free(different);
      nnp_chain_free(pieces);
      nnp_chain_free(once);
      problem_free(&p);
    }
}

static void test_thinned_draws_are_the_states_passed(void) {
  enum { COUNT = 6, THIN = 4 };
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *sampled = new_chain(&p, NNP_SEQUENTIAL, 0), *run = new_chain(&p, NNP_SEQUENTIAL, 0);
  double *draws = problem_doubles(p.parameters * COUNT), *now = problem_doubles(p.parameters);
  int64_t i, j;
  OK(nnp_chain_sample(sampled, draws, COUNT, THIN, NULL, NULL, e));
  for (i = 0; i < COUNT; ++i) {
    OK(nnp_chain_run(run, THIN, NULL, NULL, e));
    OK(nnp_chain_parameters(run, now, e));
    for (j = 0; j < p.parameters; ++j) TEST_ASSERT_TRUE(draws[i * p.parameters + j] == now[j]);
  }
  TEST_ASSERT_EQUAL_INT64(COUNT * THIN, steps_of(sampled));
  TEST_ASSERT_TRUE(problem_same(&p, sampled, run));
  free(now);
  free(draws);
  nnp_chain_free(run);
  nnp_chain_free(sampled);
  problem_free(&p);
}

static void test_the_same_draws_on_any_number_of_threads(void) {
  int h, s;
  for (h = 0; h < 3; ++h)
    for (s = 0; s < 3; ++s) {
      Problem p = problem_make(heads[h], MANY_ROWS);
      nnp_chain *alone = new_chain(&p, schedules[s], 0);
      const double start = log_density_of(alone);
      double value;
      const int64_t steps = shortened(10, 3);
      int64_t threads;
      OK(nnp_chain_run(alone, steps, NULL, NULL, e));
      value = log_density_of(alone);
      for (threads = 1; threads <= most_threads(); ++threads) {
        nnp_pool *pool = NULL;
        nnp_chain *chain = NULL;
        OK(nnp_pool_create(&pool, threads, e));
        OK(nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
        OK(nnp_chain_use_pool(chain, pool, e));
        OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, schedules[s], e));
        OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, e)); /* starts on the pool, too */
        TEST_ASSERT_TRUE(start == log_density_of(chain));
        OK(nnp_chain_run(chain, steps, NULL, NULL, e));
        TEST_ASSERT_TRUE(problem_same(&p, alone, chain));
        TEST_ASSERT_TRUE(value == log_density_of(chain));
        OK(nnp_chain_use_pool(chain, NULL, e));
        OK(nnp_chain_run(chain, 1, NULL, NULL, e));
        nnp_chain_free(chain);
        nnp_pool_free(pool);
      }
      nnp_chain_free(alone);
      problem_free(&p);
    }
}

static void test_several_chains_as_each_alone(void) {
  enum { CHAINS = 4, COUNT = 3, THIN = 2 };
  Problem p = problem_make(NNP_ARGMAX, 600);
  const int64_t size = p.parameters * COUNT;
  double *alone = problem_doubles(size * CHAINS), *together = problem_doubles(size * CHAINS);
  nnp_chain *first[CHAINS], *chains[CHAINS];
  int64_t threads, c;
  for (c = 0; c < CHAINS; ++c) {
    first[c] = new_chain(&p, NNP_SEQUENTIAL, (uint64_t)c);
    OK(nnp_chain_run(first[c], 5, NULL, NULL, e));
    OK(nnp_chain_sample(first[c], alone + c * size, COUNT, THIN, NULL, NULL, e));
  }
  for (threads = 0; threads <= most_threads(); ++threads) {
    nnp_pool *pool = NULL;
    if (threads > 0) OK(nnp_pool_create(&pool, threads, e));
    for (c = 0; c < CHAINS; ++c) {
      chains[c] = new_chain(&p, NNP_SEQUENTIAL, (uint64_t)c);
      OK(nnp_chain_use_pool(chains[c], pool, e));
    }
    OK(nnp_chains_run(chains, CHAINS, 5, NULL, NULL, e));
    memset(together, 0, (size_t)(size * CHAINS) * sizeof(double));
    OK(nnp_chains_sample(chains, CHAINS, together, COUNT, THIN, NULL, NULL, e));
    TEST_ASSERT_EQUAL_MEMORY(alone, together, (size_t)(size * CHAINS) * sizeof(double));
    for (c = 0; c < CHAINS; ++c) {
      TEST_ASSERT_TRUE(problem_same(&p, first[c], chains[c]));
      TEST_ASSERT_EQUAL_INT64(5 + COUNT * THIN, steps_of(chains[c]));
      OK(nnp_chain_run(chains[c], 1, NULL, NULL, e)); /* its own pool is in place again */
      nnp_chain_free(chains[c]);
    }
    nnp_pool_free(pool);
  }
  TEST_ASSERT_FALSE(problem_same(&p, first[0], first[1]));
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(first[c]);
  free(together);
  free(alone);
  problem_free(&p);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void check_restore(const Problem *p, int32_t schedule, double simd, nnp_pool *pool) {
  nnp_chain *original = new_chain(p, schedule, 0), *restored = NULL;
  int64_t exact[2], scanned[2];
  double option = 0;
  void *block;
  size_t bytes;
  OK(nnp_chain_set(original, NNP_OPTION_SIMD, simd, e));
  OK(nnp_chain_run(original, 7, NULL, NULL, e));
  OK(nnp_chain_save_bytes(original, &bytes, e));
  block = malloc(bytes);
  TEST_ASSERT_NOT_NULL(block);
  OK(nnp_chain_save(original, block, bytes, e));
  OK(nnp_chain_run(original, 6, NULL, NULL, e));
  /* Into a chain that was never started, without the options of the first one. */
  OK(nnp_chain_create(&restored, p->net, p->data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_use_pool(restored, pool, e));
  OK(nnp_chain_restore(restored, block, bytes, e));
  TEST_ASSERT_EQUAL_INT64(7, steps_of(restored));
  OK(nnp_chain_get(restored, NNP_OPTION_SCHEDULE, &option, e));
  TEST_ASSERT_TRUE(option == schedule);
  OK(nnp_chain_run(restored, 6, NULL, NULL, e));
  TEST_ASSERT_TRUE(problem_same(p, original, restored));
  TEST_ASSERT_EQUAL_INT64(13, steps_of(restored));
  OK(nnp_chain_probit_draws(original, &exact[0], &scanned[0], e));
  OK(nnp_chain_probit_draws(restored, &exact[1], &scanned[1], e));
  TEST_ASSERT_EQUAL_INT64(exact[0], exact[1]);
  TEST_ASSERT_EQUAL_INT64(scanned[0], scanned[1]);
  /* Back to where it was, in the chain itself. */
  OK(nnp_chain_run(original, 3, NULL, NULL, e));
  OK(nnp_chain_restore(original, block, bytes, e));
  OK(nnp_chain_run(original, 6, NULL, NULL, e));
  TEST_ASSERT_TRUE(problem_same(p, original, restored));
  free(block);
  nnp_chain_free(restored);
  nnp_chain_free(original);
}

static void test_restored_chains_go_on_bit_for_bit(void) {
  nnp_pool *pool = NULL;
  int h, s;
  OK(nnp_pool_create(&pool, most_threads(), e));
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], shortened(MANY_ROWS, 150));
    for (s = 0; s < 3; ++s) {
      check_restore(&p, schedules[s], 0, NULL);
      check_restore(&p, schedules[s], 1, NULL); /* 1: portable kernels, other bits */
      check_restore(&p, schedules[s], 0, pool);
    }
    problem_free(&p);
  }
  nnp_pool_free(pool);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

typedef struct Watch {
  Problem *p;
  nnp_chain *const *chains;
  int64_t calls, stop_at, last_step[4];
  double last_seconds;
  pthread_t thread;
  int look;
} Watch;

static int32_t watch(const nnp_progress *progress, void *user) {
  Watch *w = (Watch *)user;
  TEST_ASSERT_TRUE(pthread_equal(w->thread, pthread_self()));
  TEST_ASSERT_TRUE(progress->chain_index >= 0 && progress->chain_index < 4);
  TEST_ASSERT_TRUE(progress->step >= w->last_step[progress->chain_index]);
  TEST_ASSERT_TRUE(progress->seconds >= w->last_seconds);
  w->last_step[progress->chain_index] = progress->step;
  w->last_seconds = progress->seconds;
  if (progress->chain) {
    TEST_ASSERT_EQUAL_PTR(w->chains[progress->chain_index], progress->chain);
    if (w->look) {
      double value = 0;
      int64_t steps = steps_of(progress->chain);
      log_density_of(progress->chain);
      TEST_ASSERT_TRUE(steps >= progress->step);
      OK(nnp_chain_score(progress->chain, w->p->data, NNP_SCORE_LOG, &value, e));
    }
  }
  return ++w->calls == w->stop_at ? 3 : 0;
}

static Watch watcher(Problem *p, nnp_chain *const *chains, int64_t stop_at) {
  Watch w;
  memset(&w, 0, sizeof w);
  w.p = p;
  w.chains = chains;
  w.stop_at = stop_at;
  w.thread = pthread_self();
  w.look = 1;
  return w;
}

static void test_callback_after_every_step(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *silent = new_chain(&p, NNP_SEQUENTIAL, 0), *watched = new_chain(&p, NNP_SEQUENTIAL, 0);
  Watch w = watcher(&p, &watched, 0);
  OK(nnp_chain_run(silent, 25, NULL, NULL, e));
  OK(nnp_chain_run(watched, 25, watch, &w, e));
  TEST_ASSERT_EQUAL_INT64(25, w.calls);
  TEST_ASSERT_EQUAL_INT64(25, w.last_step[0]);
  TEST_ASSERT_TRUE(problem_same(&p, silent, watched)); /* looking on changes nothing */
  nnp_chain_free(watched);
  nnp_chain_free(silent);
  problem_free(&p);
}

static void test_throttled_callback(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *chain = new_chain(&p, NNP_SEQUENTIAL, 0);
  Watch w = watcher(&p, &chain, 0);
  nnp_throttle every = {watch, &w, 0, 0}, seldom = {watch, &w, 1e9, 0}, stop = {watch, &w, 0, 0};
  OK(nnp_chain_run(chain, 25, nnp_throttled, &every, e));
  TEST_ASSERT_EQUAL_INT64(25, w.calls);
  w = watcher(&p, &chain, 0);
  OK(nnp_chain_run(chain, 25, nnp_throttled, &seldom, e));
  TEST_ASSERT_EQUAL_INT64(1, w.calls);
  TEST_ASSERT_EQUAL_INT64(1, w.last_step[0]);
  w = watcher(&p, &chain, 3);
  TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, nnp_chain_run(chain, 25, nnp_throttled, &stop, NULL));
  TEST_ASSERT_EQUAL_INT64(53, steps_of(chain));
  nnp_chain_free(chain);
  problem_free(&p);
}

static void test_callback_stops(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *whole = new_chain(&p, NNP_SEQUENTIAL, 0), *stopped = new_chain(&p, NNP_SEQUENTIAL, 0);
  double *draws = problem_doubles(5 * p.parameters), *expected = problem_doubles(5 * p.parameters);
  Watch w = watcher(&p, &stopped, 8);
  nnp_error err;
  int64_t i;
  OK(nnp_chain_run(whole, 8, NULL, NULL, e));
  TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, nnp_chain_run(stopped, 100, watch, &w, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, err.status);
  TEST_ASSERT_NOT_NULL(strstr(err.message, "callback"));
  TEST_ASSERT_EQUAL_INT64(8, w.calls);
  TEST_ASSERT_EQUAL_INT64(8, steps_of(stopped));
  TEST_ASSERT_TRUE(problem_same(&p, whole, stopped));
  /* Sampling: draws made by then are in place, the others untouched. */
  for (i = 0; i < 5 * p.parameters; ++i) draws[i] = -77;
  OK(nnp_chain_sample(whole, expected, 2, 3, NULL, NULL, e));
  w = watcher(&p, &stopped, 8);
  TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, nnp_chain_sample(stopped, draws, 5, 3, watch, &w, NULL));
  TEST_ASSERT_EQUAL_MEMORY(expected, draws, (size_t)(2 * p.parameters) * sizeof(double));
  for (i = 2 * p.parameters; i < 5 * p.parameters; ++i) TEST_ASSERT_TRUE(draws[i] == -77);
  TEST_ASSERT_EQUAL_INT64(16, steps_of(stopped));
  /* And it goes on. */
  OK(nnp_chain_run(stopped, 1, NULL, NULL, e));
  OK(nnp_chain_run(whole, 3, NULL, NULL, e));
  TEST_ASSERT_TRUE(problem_same(&p, whole, stopped));
  free(expected);
  free(draws);
  nnp_chain_free(stopped);
  nnp_chain_free(whole);
  problem_free(&p);
}

static void test_callback_of_several_chains(void) {
  Problem p = problem_make(NNP_SIGN_HEAD, shortened(600, 150));
  nnp_pool *pool = NULL;
  nnp_chain *chains[4], *alone[4];
  Watch w;
  int64_t threads, c, steps;
  for (threads = 1; threads <= most_threads(); ++threads) {
    OK(nnp_pool_create(&pool, threads, e));
    for (c = 0; c < 4; ++c) {
      chains[c] = new_chain(&p, NNP_SEQUENTIAL, (uint64_t)c);
      alone[c] = new_chain(&p, NNP_SEQUENTIAL, (uint64_t)c);
      OK(nnp_chain_use_pool(chains[c], pool, e));
      OK(nnp_chain_run(alone[c], 40, NULL, NULL, e));
    }
    w = watcher(&p, chains, 0);
    OK(nnp_chains_run(chains, 4, 40, watch, &w, e));
    TEST_ASSERT_TRUE(threads > 1 || w.calls == 160);
    for (c = 0; c < 4; ++c) {
      TEST_ASSERT_EQUAL_INT64(40, w.last_step[c]);
      TEST_ASSERT_TRUE(problem_same(&p, alone[c], chains[c]));
    }
    w = watcher(&p, chains, 5);
    TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, nnp_chains_run(chains, 4, 100000, watch, &w, NULL));
    for (steps = 0, c = 0; c < 4; ++c) {
      steps += steps_of(chains[c]);
      nnp_chain_free(chains[c]);
      nnp_chain_free(alone[c]);
    }
    TEST_ASSERT_TRUE(steps < 4 * 100000);
    nnp_pool_free(pool);
  }
  problem_free(&p);
}

/* A caller that has finished its own chain waits for a long one on another thread and tells of it:
 * looking into that chain then would disturb it. */
static void test_callback_leaves_running_chains_alone(void) {
  Problem small = problem_make(NNP_GAUSSIAN, ROWS);
  Problem large = problem_make(NNP_GAUSSIAN, shortened(20000, 2000));
  nnp_chain *alone = new_chain(&large, NNP_SEQUENTIAL, 1), *chains[4];
  nnp_pool *pool = NULL;
  Watch w;
  OK(nnp_pool_create(&pool, most_threads() > 1 ? 2 : 1, e));
  chains[0] = new_chain(&small, NNP_SEQUENTIAL, 0);
  chains[1] = new_chain(&large, NNP_SEQUENTIAL, 1);
  OK(nnp_chain_use_pool(chains[0], pool, e));
  w = watcher(&large, chains, 0);
  OK(nnp_chains_run(chains, 2, 60, watch, &w, e));
  OK(nnp_chain_run(alone, 60, NULL, NULL, e));
  TEST_ASSERT_EQUAL_INT64(60, w.last_step[0]);
  TEST_ASSERT_EQUAL_INT64(60, w.last_step[1]);
  TEST_ASSERT_TRUE(problem_same(&large, alone, chains[1]));
  nnp_chain_free(chains[1]);
  nnp_chain_free(chains[0]);
  nnp_chain_free(alone);
  nnp_pool_free(pool);
  problem_free(&large);
  problem_free(&small);
}

/* ---- what a chain tells ---------------------------------------------------------------------- */

static double normal_log_density(double x, double mean, double variance) {
  const double pi = 3.14159265358979323846;
  return -0.5 * (x - mean) * (x - mean) / variance - 0.5 * log(2 * pi * variance);
}

/* Terms of the log density of 3 -> dense 4 -> relu -> dense from sites and parameters alone. */
static void terms_by_hand(const Problem *p, const nnp_chain *chain, double noise[3],
                          double prior[3], double residual[3]) {
  static const double D[] = {0.3, 0.2, 0.1};
  double *w = problem_doubles(p->parameters), *z = problem_doubles(4 * p->n);
  double *x = problem_doubles(4 * p->n), *out = problem_doubles(p->outputs * p->n);
  double *input = problem_doubles(3 * p->n);
  const double *w2 = w + 16, *b2 = w2 + 4 * p->outputs;
  uint64_t seed = 1;
  int64_t i, j, k;
  OK(nnp_chain_parameters(chain, w, e));
  OK(nnp_chain_site(chain, 1, z, e));
  OK(nnp_chain_site(chain, 2, x, e));
  OK(nnp_chain_site(chain, 3, out, e));
  for (i = 0; i < 3 * p->n; ++i) input[i] = 2 * problem_value(&seed); /* as problem_data does */
  for (k = 0; k < 3; ++k) noise[k] = prior[k] = residual[k] = 0;
  for (i = 0; i < p->n; ++i) {
    for (j = 0; j < 4; ++j) {
      const double *row = input + 3 * i;
      const double mean =
          w[3 * j] * row[0] + w[3 * j + 1] * row[1] + w[3 * j + 2] * row[2] + w[12 + j];
      const double activated = z[4 * i + j] > 0 ? z[4 * i + j] : 0;
      noise[0] += normal_log_density(z[4 * i + j], mean, D[0]);
      residual[0] += (z[4 * i + j] - mean) * (z[4 * i + j] - mean);
      noise[1] += normal_log_density(x[4 * i + j], activated, D[1]);
      residual[1] += (x[4 * i + j] - activated) * (x[4 * i + j] - activated);
    }
    for (j = 0; j < p->outputs; ++j) {
      const double *row = x + 4 * i, *v = w2 + 4 * j;
      const double mean = v[0] * row[0] + v[1] * row[1] + v[2] * row[2] + v[3] * row[3] + b2[j];
      const double value = out[p->outputs * i + j];
      noise[2] += normal_log_density(value, mean, D[2]);
      residual[2] += (value - mean) * (value - mean);
    }
  }
  for (i = 0; i < 16; ++i) prior[0] += normal_log_density(w[i], 0, 1 / (i < 12 ? 2.0 : 7.0));
  for (i = 16; i < p->parameters; ++i)
    prior[2] += normal_log_density(w[i], 0, 1 / (i < 16 + 4 * p->outputs ? 3.0 : 5.0));
  free(input);
  free(out);
  free(x);
  free(z);
  free(w);
}

static void test_log_density_is_the_sum_of_its_terms(void) {
  int h;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], 150);
    nnp_chain *chain = NULL;
    double noise[3], prior[3], residual[3], by_hand[3][3], sum = 0, value;
    int k;
    OK(nnp_net_set(p.net, 1, NNP_LAMBDA_W, 2, e));
    OK(nnp_net_set(p.net, 1, NNP_LAMBDA_B, 7, e));
    OK(nnp_net_set(p.net, 3, NNP_LAMBDA_W, 3, e));
    OK(nnp_net_set(p.net, 3, NNP_LAMBDA_B, 5, e));
    chain = new_chain(&p, NNP_SEQUENTIAL, 0);
    OK(nnp_chain_run(chain, 3, NULL, NULL, e));
    OK(nnp_chain_terms(chain, noise, prior, residual, e));
    value = log_density_of(chain);
    terms_by_hand(&p, chain, by_hand[0], by_hand[1], by_hand[2]);
    for (k = 0; k < 3; ++k) {
      TEST_ASSERT_DOUBLE_WITHIN(1e-10 * (1 + fabs(noise[k])), by_hand[0][k], noise[k]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + fabs(prior[k])), by_hand[1][k], prior[k]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-11 * residual[k], by_hand[2][k], residual[k]);
      sum += by_hand[0][k] + by_hand[1][k];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-10 * fabs(value), sum, value);
    nnp_chain_free(chain);
    problem_free(&p);
  }
}

static void test_probit_draws_are_counted(void) {
  int h;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], ROWS);
    nnp_chain *chain = new_chain(&p, NNP_SEQUENTIAL, 0);
    int64_t exact = -1, scanned = -1;
    OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, e));
    OK(nnp_chain_probit_draws(chain, &exact, &scanned, e));
    TEST_ASSERT_EQUAL_INT64(0, exact + scanned);
    OK(nnp_chain_run(chain, 50, NULL, NULL, e));
    OK(nnp_chain_probit_draws(chain, &exact, &scanned, e));
    TEST_ASSERT_EQUAL_INT64(heads[h] == NNP_GAUSSIAN ? 0 : 50 * ROWS, exact + scanned);
    TEST_ASSERT_TRUE(heads[h] == NNP_ARGMAX ? exact > 0 && scanned > 0 : scanned == 0);
    nnp_chain_free(chain);
    problem_free(&p);
  }
}

static void test_site_of_targets(void) {
  Problem p = problem_make(NNP_GAUSSIAN, 70);
  nnp_chain *chain = new_chain(&p, NNP_SEQUENTIAL, 0);
  double *y = problem_doubles(2 * p.n);
  uint64_t seed = 1;
  int64_t i;
  OK(nnp_chain_site(chain, 3, y, e));
  for (i = 0; i < 3 * p.n; ++i) problem_value(&seed);
  for (i = 0; i < 2 * p.n; ++i) TEST_ASSERT_TRUE(y[i] == problem_value(&seed));
  free(y);
  nnp_chain_free(chain);
  problem_free(&p);
}

/* ---- starts ---------------------------------------------------------------------------------- */

static void test_start_zero(void) {
  int h;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], ROWS);
    double *state;
    int64_t i;
    OK(nnp_chain_set(p.chain, NNP_OPTION_PLAIN_EVERY, 2, e)); /* scores move in plain steps */
    OK(nnp_chain_start(p.chain, NNP_START_ZERO, 1, 0, e));
    state = problem_state(&p, p.chain);
    for (i = 0; i < p.parameters + p.latents * p.n; ++i) TEST_ASSERT_TRUE(state[i] == 0);
    OK(nnp_chain_run(p.chain, 3, NULL, NULL, e)); /* and from there it moves */
    free(state);
    state = problem_state(&p, p.chain);
    for (i = 0; i < p.parameters + p.latents * p.n; ++i) TEST_ASSERT_TRUE(state[i] != 0);
    OK(nnp_chain_start(p.chain, NNP_START_ZERO, 1, 0, e));
    TEST_ASSERT_EQUAL_INT64(0, steps_of(p.chain));
    free(state);
    problem_free(&p);
  }
}

/* Parameters of variance 1/lambda, residuals of variance D: sums of squares of `count` normals. */
static void check_chi_square(double sum, double count) {
  TEST_ASSERT_TRUE(fabs(sum - count) < 4 * sqrt(2 * count));
}

static void test_start_prior(void) {
  enum { STARTS = 400 };
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *chain = NULL;
  double weights = 0, biases = 0, sum = 0, residual[3], first = 0, second = 0;
  double *w = problem_doubles(p.parameters);
  uint64_t number;
  int i;
  OK(nnp_net_set(p.net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 4, e));
  OK(nnp_net_set(p.net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 25, e));
  OK(nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  for (number = 0; number < STARTS; ++number) {
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 3, number, e));
    OK(nnp_chain_parameters(chain, w, e));
    OK(nnp_chain_terms(chain, NULL, NULL, residual, e));
    for (i = 0; i < 26; ++i) {
      const int bias = (i >= 12 && i < 16) || i >= 24;
      if (bias)
        biases += 25 * w[i] * w[i];
      else
        weights += 4 * w[i] * w[i];
      sum += (bias ? 5 : 2) * w[i];
    }
    first += residual[0] / 0.3;
    second += residual[1] / 0.2;
  }
  check_chi_square(weights, 20 * STARTS);
  check_chi_square(biases, 6 * STARTS);
  TEST_ASSERT_TRUE(fabs(sum) < 4 * sqrt(26.0 * STARTS));
  check_chi_square(first, 4.0 * ROWS * STARTS);
  check_chi_square(second, 4.0 * ROWS * STARTS);
  free(w);
  nnp_chain_free(chain);
  problem_free(&p);
}

static void test_start_weights(void) {
  int h;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], MANY_ROWS);
    double *w = problem_doubles(p.parameters), *read = problem_doubles(p.parameters);
    double residual[3];
    uint64_t seed = 9;
    int64_t i;
    for (i = 0; i < p.parameters; ++i) w[i] = problem_value(&seed);
    OK(nnp_chain_start_weights(p.chain, w, 0, 1, 0, e));
    OK(nnp_chain_parameters(p.chain, read, e));
    TEST_ASSERT_EQUAL_MEMORY(w, read, (size_t)p.parameters * sizeof(double));
    OK(nnp_chain_terms(p.chain, NULL, NULL, residual, e));
    TEST_ASSERT_TRUE(residual[0] == 0 && residual[1] == 0);
    TEST_ASSERT_TRUE(residual[2] > 0); /* targets differ, and so do scores made to fit labels */
    OK(nnp_chain_start_weights(p.chain, w, 1, 1, 0, e));
    OK(nnp_chain_parameters(p.chain, read, e));
    TEST_ASSERT_EQUAL_MEMORY(w, read, (size_t)p.parameters * sizeof(double));
    OK(nnp_chain_terms(p.chain, NULL, NULL, residual, e));
    check_chi_square(residual[0] / 0.3, 4.0 * MANY_ROWS);
    check_chi_square(residual[1] / 0.2, 4.0 * MANY_ROWS);
    OK(nnp_chain_run(p.chain, 2, NULL, NULL, e));
    free(read);
    free(w);
    problem_free(&p);
  }
}

static void test_start_state(void) {
  int h;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], MANY_ROWS);
    nnp_chain *source = new_chain(&p, NNP_SEQUENTIAL, 0), *other = NULL;
    double *state;
    OK(nnp_chain_run(source, 5, NULL, NULL, e));
    state = problem_state(&p, source);
    OK(nnp_chain_start_state(p.chain, state, state + p.parameters, 8, 2, e));
    TEST_ASSERT_TRUE(problem_same(&p, source, p.chain));
    TEST_ASSERT_EQUAL_INT64(0, steps_of(p.chain));
    TEST_ASSERT_TRUE(log_density_of(source) == log_density_of(p.chain));
    OK(nnp_chain_create(&other, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
    OK(nnp_chain_start_state(other, state, state + p.parameters, 8, 2, e));
    OK(nnp_chain_run(p.chain, 4, NULL, NULL, e));
    OK(nnp_chain_run(other, 4, NULL, NULL, e));
    TEST_ASSERT_TRUE(problem_same(&p, other, p.chain));
    free(state);
    nnp_chain_free(other);
    nnp_chain_free(source);
    problem_free(&p);
  }
}

/* Nothing latent: NULL for the sites will do. */
static void test_start_state_without_latents(void) {
  nnp_net *net = NULL;
  nnp_data *data = problem_data(ROWS, 3, 1, NNP_GAUSSIAN, 1);
  nnp_chain *chain = NULL;
  const double parameters[4] = {1, 2, 3, 4};
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start_state(chain, parameters, NULL, 1, 0, e));
  OK(nnp_chain_run(chain, 2, NULL, NULL, e));
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void test_orders_of_matrices_and_changed_data(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_data *turned = NULL;
  nnp_chain *chain = NULL;
  double x[3 * ROWS], y[2 * ROWS], columns[3 * ROWS], targets[2 * ROWS];
  uint64_t seed = 77;
  int i, j;
  for (i = 0; i < 3 * ROWS; ++i) x[i] = problem_value(&seed);
  for (i = 0; i < 2 * ROWS; ++i) y[i] = problem_value(&seed);
  for (i = 0; i < ROWS; ++i) {
    for (j = 0; j < 3; ++j) columns[i + ROWS * j] = x[3 * i + j];
    for (j = 0; j < 2; ++j) targets[i + ROWS * j] = y[2 * i + j];
  }
  OK(nnp_data_create(&turned, ROWS, 3, 2, e));
  OK(nnp_data_set_inputs(turned, columns, NNP_COLUMN_MAJOR, e));
  OK(nnp_data_set_targets(turned, targets, NNP_COLUMN_MAJOR, e));
  OK(nnp_chain_create(&chain, p.net, turned, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, e));
  /* The other chain has run on other data before; what it had computed from them must go. */
  OK(nnp_chain_start(p.chain, NNP_START_PRIOR, 2, 0, e));
  OK(nnp_chain_run(p.chain, 3, NULL, NULL, e));
  OK(nnp_data_set_inputs(p.data, x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(p.data, y, NNP_ROW_MAJOR, e));
  OK(nnp_chain_start(p.chain, NNP_START_ZERO, 1, 0, e));
  OK(nnp_chain_run(p.chain, 5, NULL, NULL, e));
  OK(nnp_chain_run(chain, 5, NULL, NULL, e));
  TEST_ASSERT_TRUE(problem_same(&p, p.chain, chain));
  nnp_chain_free(chain);
  nnp_data_free(turned);
  problem_free(&p);
}

static void test_targets_and_labels_are_read_back(void) {
  enum { MANY = 1000 };
  static double y[2 * MANY], columns[2 * MANY], out[2 * MANY];
  static int32_t labels[MANY], read[MANY];
  nnp_data *data = NULL;
  uint64_t seed = 5;
  int i;
  for (i = 0; i < 2 * MANY; ++i) y[i] = problem_value(&seed);
  for (i = 0; i < 2 * MANY; ++i) columns[i / 2 + MANY * (i % 2)] = y[i];
  for (i = 0; i < MANY; ++i) labels[i] = i % 7;
  OK(nnp_data_create(&data, MANY, 1, 2, e));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NO_DATA, nnp_data_targets(data, out, NNP_ROW_MAJOR, NULL));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NO_DATA, nnp_data_labels(data, read, NULL));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_labels(data, labels, e));
  OK(nnp_data_targets(data, out, NNP_ROW_MAJOR, e));
  TEST_ASSERT_EQUAL_MEMORY(y, out, sizeof y);
  OK(nnp_data_targets(data, out, NNP_COLUMN_MAJOR, e));
  TEST_ASSERT_EQUAL_MEMORY(columns, out, sizeof columns);
  OK(nnp_data_labels(data, read, e));
  TEST_ASSERT_EQUAL_MEMORY(labels, read, sizeof labels);
  nnp_data_free(data);
}

/* ---- descriptions ---------------------------------------------------------------------------- */

static const char *line_of(const char *text, int number) {
  while (number-- > 0) {
    text = strchr(text, '\n');
    TEST_ASSERT_NOT_NULL(text);
    ++text;
  }
  return text;
}

static void check_row(const char *line, const char *kind, int64_t shape, int64_t parameters,
                      int64_t latents, int64_t bytes) {
  char found[32];
  long long layer, values[4];
  int end = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, sscanf(line, "%lld %31s%n", &layer, found, &end), line);
  line += end;
  line += strspn(line, " ");
  TEST_ASSERT_EQUAL_INT_MESSAGE(parameters > 0, *line == 'W', line); /* the name of its weights */
  if (*line == 'W') line += strcspn(line, " ");
  TEST_ASSERT_EQUAL_INT_MESSAGE(
      4, sscanf(line, "%lld %lld %lld %lld", &values[0], &values[1], &values[2], &values[3]), line);
  TEST_ASSERT_EQUAL_STRING(kind, found);
  TEST_ASSERT_EQUAL_INT64(shape, values[0]);
  TEST_ASSERT_EQUAL_INT64(parameters, values[1]);
  TEST_ASSERT_EQUAL_INT64(latents, values[2]);
  TEST_ASSERT_EQUAL_INT64(bytes, values[3]);
}

static void test_table_of_a_network(void) {
  nnp_net *net = problem_net(NNP_ARGMAX);
  char text[4 * 128 + 512], again[4 * 128 + 512];
  long long values[3];
  OK(nnp_net_print(net, 100, text, sizeof text, e));
  TEST_ASSERT_NOT_NULL(strstr(line_of(text, 0), "parameters"));
  TEST_ASSERT_NOT_NULL(strstr(line_of(text, 0), "latents"));
  TEST_ASSERT_NOT_NULL(strstr(line_of(text, 0), "bytes"));
  check_row(line_of(text, 1), "input", 3, 0, 0, 8 * 300);
  check_row(line_of(text, 2), "dense", 4, 16, 400, 8 * 416);
  check_row(line_of(text, 3), "relu", 4, 0, 400, 8 * 400);
  check_row(line_of(text, 4), "dense", 3, 15, 300, 8 * 315);
  TEST_ASSERT_NOT_NULL(strstr(line_of(text, 5), "argmax"));
  TEST_ASSERT_EQUAL_INT(
      3, sscanf(line_of(text, 6), "total %lld %lld %lld", &values[0], &values[1], &values[2]));
  TEST_ASSERT_EQUAL_INT64(31, values[0]);
  TEST_ASSERT_EQUAL_INT64(1100, values[1]);
  TEST_ASSERT_EQUAL_INT64(8 * (31 + 1100 + 300), values[2]);
  TEST_ASSERT_EQUAL_STRING("", line_of(text, 7));
  OK(nnp_net_print(net, 100, again, strlen(text) + 1, e));
  TEST_ASSERT_EQUAL_STRING(text, again);
  nnp_net_free(net);
}

/* The header promises how long a table can get: the widest numbers there are. */
static void test_longest_table(void) {
  enum { LAYERS = 40 };
  nnp_net *net = NULL;
  char text[128 * LAYERS + 512];
  int k;
  OK(nnp_net_create(&net, INT64_C(1) << 31, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_dense(net, INT64_C(1) << 31, e));
  for (k = 3; k <= LAYERS; ++k) OK(nnp_net_activation(net, NNP_LEAKY_RELU, e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1.2345e-300, e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 1.2345e-300, e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 1.2345e-300, e));
  OK(nnp_net_print(net, INT64_C(1) << 40, text, sizeof text, e));
  OK(nnp_net_head(net, NNP_ARGMAX, e));
  OK(nnp_net_print(net, INT64_C(1) << 40, text, sizeof text, e));
  nnp_net_free(net);
}

static void test_names_and_places_of_parameters(void) {
  static const char *const names[] = {"W1[1,1]", "W1[1,2]", "W1[1,3]", "W1[2,1]"};
  nnp_net *net = problem_net(NNP_GAUSSIAN);
  char name[32];
  int64_t first, weights, biases, shape[3], i;
  for (i = 0; i < 4; ++i) {
    OK(nnp_net_parameter_name(net, i, name, sizeof name, e));
    TEST_ASSERT_EQUAL_STRING(names[i], name);
  }
  OK(nnp_net_parameter_name(net, 11, name, sizeof name, e));
  TEST_ASSERT_EQUAL_STRING("W1[4,3]", name);
  OK(nnp_net_parameter_name(net, 12, name, sizeof name, e));
  TEST_ASSERT_EQUAL_STRING("b1[1]", name);
  OK(nnp_net_parameter_name(net, 16, name, sizeof name, e));
  TEST_ASSERT_EQUAL_STRING("W2[1,1]", name); /* the relu is not counted */
  OK(nnp_net_parameter_name(net, 25, name, sizeof name, e));
  TEST_ASSERT_EQUAL_STRING("b2[2]", name);
  OK(nnp_net_layer(net, 1, &first, &weights, &biases, e));
  TEST_ASSERT_TRUE(first == 0 && weights == 12 && biases == 4);
  OK(nnp_net_layer(net, 2, &first, &weights, &biases, e));
  TEST_ASSERT_TRUE(first == 16 && weights == 0 && biases == 0);
  OK(nnp_net_layer(net, 3, &first, &weights, &biases, e));
  TEST_ASSERT_TRUE(first == 16 && weights == 8 && biases == 2);
  OK(nnp_net_shape(net, 3, shape, e));
  TEST_ASSERT_TRUE(shape[0] == 2 && shape[1] == 1 && shape[2] == 1);
  /* Without biases everything behind them moves up. */
  OK(nnp_net_set(net, 1, NNP_BIAS, 0, e));
  OK(nnp_net_layer(net, 3, &first, &weights, &biases, e));
  TEST_ASSERT_TRUE(first == 12 && weights == 8 && biases == 2);
  OK(nnp_net_parameter_name(net, 12, name, sizeof name, e));
  TEST_ASSERT_EQUAL_STRING("W2[1,1]", name);
  nnp_net_free(net);
}

static void test_defaults_of_properties(void) {
  nnp_net *net = NULL;
  double value = 0;
  OK(nnp_net_create(&net, 7, e));
  OK(nnp_net_dense(net, 3, e));
  OK(nnp_net_activation(net, NNP_LEAKY_RELU, e));
  OK(nnp_net_get(net, 1, NNP_NOISE, &value, e));
  TEST_ASSERT_TRUE(value == 0.01);
  OK(nnp_net_get(net, 1, NNP_LAMBDA_W, &value, e));
  TEST_ASSERT_TRUE(value == 7);
  OK(nnp_net_get(net, 1, NNP_LAMBDA_B, &value, e));
  TEST_ASSERT_TRUE(value == 7);
  OK(nnp_net_get(net, 1, NNP_BIAS, &value, e));
  TEST_ASSERT_TRUE(value == 1);
  OK(nnp_net_get(net, 2, NNP_SLOPE, &value, e));
  TEST_ASSERT_TRUE(value == 0.01);
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 5, e));
  OK(nnp_net_get(net, 1, NNP_LAMBDA_W, &value, e));
  TEST_ASSERT_TRUE(value == 5);
  nnp_net_free(net);
}

static void test_options(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  const char *name = NULL;
  double low, high, initial, value;
  int32_t option;
  OK(nnp_option_info(NNP_OPTION_SCHEDULE, &name, &low, &high, &initial, e));
  TEST_ASSERT_EQUAL_STRING("schedule", name);
  TEST_ASSERT_TRUE(low == NNP_SEQUENTIAL && high == NNP_BACKWARD && initial == NNP_SEQUENTIAL);
  for (option = NNP_OPTION_SCHEDULE;
       nnp_option_info(option, &name, &low, &high, &initial, NULL) == NNP_OK; ++option) {
    TEST_ASSERT_NOT_NULL(name);
    TEST_ASSERT_TRUE(low <= initial && initial <= high && low < high);
    if (nnp_chain_set(p.chain, option, initial, NULL) == NNP_E_OPTION)
      continue; /* of other samplers */
    OK(nnp_chain_get(p.chain, option, &value, e));
    TEST_ASSERT_TRUE(value == initial);
    OK(nnp_chain_set(p.chain, option, low, e));
    OK(nnp_chain_get(p.chain, option, &value, e));
    TEST_ASSERT_TRUE(value == low);
    OK(nnp_chain_set(p.chain, option, initial, e));
  }
  TEST_ASSERT_EQUAL_INT(NNP_OPTION_SINGLE_GRADIENTS + 1, option);
  OK(nnp_chain_set(p.chain, NNP_OPTION_SCHEDULE, NNP_PARALLEL, e));
  OK(nnp_chain_get(p.chain, NNP_OPTION_SCHEDULE, &value, e));
  TEST_ASSERT_TRUE(value == NNP_PARALLEL);
  OK(nnp_chain_set(p.chain, NNP_OPTION_SIMD, 1, e)); /* portable is everywhere */
  problem_free(&p);
}

static void test_build_information(void) {
  char text[1024];
  OK(nnp_build_info(text, sizeof text, e));
  TEST_ASSERT_NOT_NULL(strstr(text, "version: " NNP_VERSION "\n"));
  TEST_ASSERT_NOT_NULL(strstr(text, "simd: "));
  TEST_ASSERT_NOT_NULL(strstr(text, "threads: "));
  TEST_ASSERT_NOT_NULL(strstr(text, "blas: "));
  TEST_ASSERT_NOT_NULL(strstr(text, "blas core: "));
  TEST_ASSERT_NOT_NULL(strstr(text, "blas threads: "));
  TEST_ASSERT_NOT_NULL(strstr(text, "dense work: "));
  TEST_ASSERT_EQUAL_STRING(NNP_VERSION, nnp_version());
  TEST_ASSERT_EQUAL_INT32(NNP_ABI_VERSION, nnp_abi_version());
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_in_pieces_as_at_once);
  RUN_TEST(test_thinned_draws_are_the_states_passed);
  RUN_TEST(test_the_same_draws_on_any_number_of_threads);
  RUN_TEST(test_several_chains_as_each_alone);
  RUN_TEST(test_restored_chains_go_on_bit_for_bit);
  RUN_TEST(test_callback_after_every_step);
  RUN_TEST(test_callback_stops);
  RUN_TEST(test_throttled_callback);
  RUN_TEST(test_callback_of_several_chains);
  RUN_TEST(test_callback_leaves_running_chains_alone);
  RUN_TEST(test_log_density_is_the_sum_of_its_terms);
  RUN_TEST(test_probit_draws_are_counted);
  RUN_TEST(test_site_of_targets);
  RUN_TEST(test_start_zero);
  RUN_TEST(test_start_prior);
  RUN_TEST(test_start_weights);
  RUN_TEST(test_start_state);
  RUN_TEST(test_start_state_without_latents);
  RUN_TEST(test_orders_of_matrices_and_changed_data);
  RUN_TEST(test_targets_and_labels_are_read_back);
  RUN_TEST(test_table_of_a_network);
  RUN_TEST(test_longest_table);
  RUN_TEST(test_names_and_places_of_parameters);
  RUN_TEST(test_defaults_of_properties);
  RUN_TEST(test_options);
  RUN_TEST(test_build_information);
  return UNITY_END();
}
