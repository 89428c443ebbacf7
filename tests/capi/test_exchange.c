/* Replica exchange through the C API: the same bits for any threads, calls and saves; starts, ladders,
 * records and reports; the target is a chain like any other; bad input. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"
#include "tests/support/threads.h"
#include "tests/support/watched.h"

enum { CHAINS = 6, MOST_ROWS = 300, INPUTS = 2, HIDDEN = 3, MOST = 24 };

static nnp_net *net;
static nnp_data *data;
static nnp_pool *pool;
static nnp_chain *chains[CHAINS];
static nnp_exchange *exchange;
static int64_t parameters;

/* Few rows where scores are latent: they take long to integrate and to step. */
static void make_network(int32_t head, int learned) {
  double x[MOST_ROWS * INPUTS];
  const int rows = head == NNP_GAUSSIAN ? MOST_ROWS : 25;
  nnp_teacher *teacher = NULL;
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, HIDDEN, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, head == NNP_ARGMAX ? 3 : 1, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.05, &err));
  if (learned) {
    OK(nnp_net_learn_tied(net, NULL, 2, 20, &err));
    OK(nnp_net_learn(net, 1, NNP_ARD, 2, 2, &err));
  }
  for (int i = 0; i < rows * INPUTS; ++i)
    x[i] = 4 * fmod((double)(i + 1) * 0.6180339887498949, 1) - 2;
  OK(nnp_data_create(&data, rows, INPUTS, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 3, 0, &err));
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  nnp_teacher_free(teacher);
  OK(nnp_net_parameters(net, &parameters, &err));
  TEST_ASSERT_TRUE(parameters <= MOST);
}

static void make_chains(int32_t sampler, int32_t posterior, int64_t threads) {
  OK(nnp_pool_create(&pool, threads_here(threads), &err));
  for (int c = 0; c < CHAINS; ++c) {
    OK(nnp_chain_create(&chains[c], net, data, sampler, posterior, &err));
    OK(nnp_chain_use_pool(chains[c], pool, &err));
  }
  OK(nnp_exchange_create(&exchange, chains, CHAINS, &err));
  OK(nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, 3, &err));
  OK(nnp_exchange_set(exchange, NNP_EXCHANGE_FIRST_ROUND, (double)shortened(20, 4), &err));
}

static void drop_chains(void) {
  nnp_exchange_free(exchange);
  exchange = NULL;
  for (int c = 0; c < CHAINS; ++c) {
    nnp_chain_free(chains[c]);
    chains[c] = NULL;
  }
  if (pool) nnp_pool_free(pool);
  pool = NULL;
}

void setUp(void) {
  net = NULL;
  data = NULL;
  pool = NULL;
  exchange = NULL;
  memset(chains, 0, sizeof chains);
}

void tearDown(void) {
  drop_chains();
  nnp_data_free(data);
  nnp_net_free(net);
}

static nnp_exchange_summary report(void) {
  nnp_exchange_summary out;
  OK(nnp_exchange_report(exchange, &out, &err));
  return out;
}

/* ---- Bits ------------------------------------------------------------------------------------- */

enum { SWEEPS = 40 };

static void tuned_draws(int64_t threads, int32_t sampler, int32_t posterior, double *draws) {
  make_chains(sampler, posterior, threads);
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  OK(nnp_exchange_tune(exchange, NULL, NULL, &err));
  OK(nnp_exchange_sample(exchange, draws, SWEEPS, 1, NULL, NULL, &err));
}

/* Two threads; then a save after half the sweeps, restored into chains that have never run, or after
 * more sweeps. */
static void same_bits(int32_t head, int learned, int32_t sampler, int32_t posterior) {
  const size_t size = (size_t)SWEEPS * MOST * sizeof(double);
  double *first = malloc(size), *other = malloc(size);
  size_t bytes, used;
  make_network(head, learned);
  used = (size_t)SWEEPS * (size_t)parameters * sizeof(double);
  tuned_draws(1, sampler, posterior, first);
  const nnp_exchange_summary one = report();
  drop_chains();
  tuned_draws(2, sampler, posterior, other);
  const nnp_exchange_summary two = report();
  TEST_ASSERT_EQUAL_MEMORY(first, other, used);
  TEST_ASSERT_EQUAL_MEMORY(&one, &two, sizeof one);
  drop_chains();

  make_chains(sampler, posterior, 1);
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  OK(nnp_exchange_tune(exchange, NULL, NULL, &err));
  OK(nnp_exchange_sample(exchange, other, SWEEPS / 2, 1, NULL, NULL, &err));
  OK(nnp_exchange_save_bytes(exchange, &bytes, &err));
  void *block = malloc(bytes);
  FAILS(NNP_E_BUFFER_SIZE, "size", nnp_exchange_save(exchange, block, bytes - 1, &err));
  OK(nnp_exchange_save(exchange, block, bytes, &err));
  const nnp_exchange_summary half = report();
  drop_chains();
  make_chains(sampler, posterior, 2);
  for (int again = 0; again < 2; ++again) {
    OK(nnp_exchange_restore(exchange, block, bytes, &err));
    const nnp_exchange_summary back = report();
    TEST_ASSERT_EQUAL_MEMORY(&half, &back, sizeof half);
    OK(nnp_exchange_sample(exchange, other + SWEEPS / 2 * parameters, SWEEPS / 2, 1, NULL, NULL,
                           &err));
    TEST_ASSERT_EQUAL_MEMORY(first, other, used);
    const nnp_exchange_summary whole = report();
    TEST_ASSERT_EQUAL_MEMORY(&one, &whole, sizeof one);
  }
  ((char *)block)[bytes / 2] ^= 1;
  FAILS(NNP_E_SAVE_CORRUPTED, "checksum", nnp_exchange_restore(exchange, block, bytes, &err));
  FAILS(NNP_E_SAVE_TRUNCATED, "bytes", nnp_exchange_restore(exchange, block, bytes - 1, &err));
  free(block);
  free(other);
  free(first);
}

static void test_bits_of_gibbs(void) {
  same_bits(NNP_GAUSSIAN, 0, NNP_GIBBS, NNP_INTERMEDIATE);
}
static void test_bits_of_learned_scales(void) {
  same_bits(NNP_GAUSSIAN, 1, NNP_GIBBS, NNP_INTERMEDIATE);
}
static void test_bits_of_scores(void) {
  same_bits(NNP_ARGMAX, 0, NNP_GIBBS, NNP_INTERMEDIATE);
}
static void test_bits_of_hmc(void) {
  same_bits(NNP_GAUSSIAN, 0, NNP_HMC, NNP_CLASSICAL);
}
static void test_bits_of_mala_with_scores(void) {
  same_bits(NNP_SIGN_HEAD, 0, NNP_MALA, NNP_INTERMEDIATE);
}
static void test_bits_of_nuts(void) {
  same_bits(NNP_GAUSSIAN, 0, NNP_NUTS, NNP_CLASSICAL);
}

/* ---- The target ------------------------------------------------------------------------------- */

/* Its parameters are the last draw, and it runs on as a chain of the posterior. */
static void test_the_target_is_a_chain(void) {
  double draws[2 * MOST], now[MOST], score;
  make_network(NNP_GAUSSIAN, 1);
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  OK(nnp_exchange_sample(exchange, draws, 2, 15, NULL, NULL, &err));
  OK(nnp_chain_parameters(chains[CHAINS - 1], now, &err));
  TEST_ASSERT_EQUAL_MEMORY(draws + parameters, now, (size_t)parameters * sizeof(double));
  OK(nnp_chain_score(chains[CHAINS - 1], data, NNP_SCORE_MSE, &score, &err));
  OK(nnp_chain_run(chains[CHAINS - 1], 20, NULL, NULL, &err));
  OK(nnp_exchange_run(exchange, 3, NULL, NULL, &err));
}

/* All replicas from where the target's chain stands. */
static void test_starts_from_the_target(void) {
  double from[MOST], now[MOST];
  make_network(NNP_GAUSSIAN, 1);
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  FAILS(NNP_E_NOT_STARTED, "from", nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_TARGET, 5, &err));
  OK(nnp_chain_start(chains[CHAINS - 1], NNP_START_PRIOR, 9, 0, &err));
  OK(nnp_chain_parameters(chains[CHAINS - 1], from, &err));
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_TARGET, 5, &err));
  for (int c = 0; c < CHAINS; ++c) {
    OK(nnp_chain_parameters(chains[c], now, &err));
    TEST_ASSERT_EQUAL_MEMORY(from, now, (size_t)parameters * sizeof(double));
  }
}

/* ---- Ladder, record, report ----------------------------------------------------------------- */

static void test_ladders(void) {
  const double good[] = {0, 0.01, 0.3, 1}, prior[] = {0.1, 0.5, 1}, posterior[] = {0, 0.5, 0.9},
               twice[] = {0, 0.5, 0.5, 1}, nan_power[] = {0, NAN, 1};
  nnp_exchange_rung rung;
  make_network(NNP_GAUSSIAN, 0);
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  OK(nnp_exchange_set_ladder(exchange, good, 4, &err));
  FAILS(NNP_E_VALUE, "entry 0 is 0.1", nnp_exchange_set_ladder(exchange, prior, 3, &err));
  FAILS(NNP_E_VALUE, "entry 2 is 0.9", nnp_exchange_set_ladder(exchange, posterior, 3, &err));
  FAILS(NNP_E_VALUE, "increasing", nnp_exchange_set_ladder(exchange, twice, 4, &err));
  FAILS(NNP_E_VALUE, "entry 1", nnp_exchange_set_ladder(exchange, nan_power, 3, &err));
  FAILS(NNP_E_SIZE, "count = 1", nnp_exchange_set_ladder(exchange, good, 1, &err));
  FAILS(NNP_E_SIZE, "count = 7", nnp_exchange_set_ladder(exchange, good, 7, &err));
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  TEST_ASSERT_EQUAL_INT64(4, report().replicas);
  for (int l = 0; l < 4; ++l) {
    OK(nnp_exchange_level(exchange, l, &rung, &err));
    TEST_ASSERT_TRUE(rung.power == good[l]);
  }
  FAILS(NNP_E_SIZE, "level = 4", nnp_exchange_level(exchange, 4, &rung, &err));
  OK(nnp_exchange_tune(exchange, NULL, NULL, &err));
  TEST_ASSERT_TRUE(report().tuned == 1 && report().replicas <= CHAINS && report().barrier > 0);
  OK(nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 3, &err));
  OK(nnp_exchange_tune(exchange, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT64(3, report().replicas);
  OK(nnp_exchange_run(exchange, 10, NULL, NULL, &err));
  OK(nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, CHAINS, &err));
  OK(nnp_exchange_tune(exchange, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT64(CHAINS, report().replicas);
  OK(nnp_exchange_run(exchange, 10, NULL, NULL, &err));
  double power = -1, barrier = -1;
  for (int l = 0; l < CHAINS; ++l) {
    OK(nnp_exchange_level(exchange, l, &rung, &err));
    TEST_ASSERT_TRUE(rung.power > power && rung.barrier >= barrier);
    TEST_ASSERT_TRUE(l == CHAINS - 1 ? isnan(rung.swaps) : rung.swaps >= 0 && rung.swaps <= 1);
    power = rung.power;
    barrier = rung.barrier;
  }
  TEST_ASSERT_TRUE(power == 1 && fabs(barrier - report().barrier) < 1e-12);
}

/* Replicas move by one level at most, to every level exactly one of them, and those that went from 0 to
 * the top are the restarts. */
static void test_the_index_process(void) {
  enum { KEPT = 400 };
  static int32_t levels[KEPT * CHAINS];
  int64_t kept, restarts = 0;
  int restarted[CHAINS] = {0};
  char text[768];
  make_network(NNP_GAUSSIAN, 0);
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  OK(nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, CHAINS, &err));
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  OK(nnp_exchange_record(exchange, levels, KEPT, &err));
  OK(nnp_exchange_tune(exchange, NULL, NULL, &err));
  OK(nnp_exchange_recorded(exchange, &kept, &err));
  TEST_ASSERT_EQUAL_INT64(0, kept);
  OK(nnp_exchange_run(exchange, KEPT / 2, NULL, NULL, &err));
  OK(nnp_exchange_run(exchange, KEPT / 2, NULL, NULL, &err));
  OK(nnp_exchange_recorded(exchange, &kept, &err));
  TEST_ASSERT_EQUAL_INT64(KEPT, kept);
  for (int s = 0; s < KEPT; ++s) {
    int seen = 0;
    for (int r = 0; r < CHAINS; ++r) {
      const int level = levels[s * CHAINS + r];
      const int before = s > 0 ? levels[(s - 1) * CHAINS + r] : level;
      TEST_ASSERT_TRUE(level >= 0 && level < CHAINS && abs(level - before) <= 1);
      seen |= 1 << level;
      if (level == 0) restarted[r] = 1;
      if (level == CHAINS - 1 && restarted[r]) {
        ++restarts;
        restarted[r] = 0;
      }
    }
    TEST_ASSERT_EQUAL_INT((1 << CHAINS) - 1, seen);
  }
  TEST_ASSERT_EQUAL_INT64(restarts, report().restarts);
  OK(nnp_exchange_text(exchange, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "restarts arrived"));
  FAILS(NNP_E_BUFFER_SIZE, "size = 30", nnp_exchange_text(exchange, text, 30, &err));
  OK(nnp_exchange_record(exchange, NULL, 0, &err));
  OK(nnp_exchange_run(exchange, 4, NULL, NULL, &err));
}

/* ---- Stopping --------------------------------------------------------------------------------- */

static int32_t stop_at(const nnp_exchange_progress *state, void *user) {
  nnp_exchange_summary out;
  TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_exchange_report(exchange, &out, NULL));
  TEST_ASSERT_EQUAL_INT(NNP_E_UNSUPPORTED, nnp_exchange_run(exchange, 1, NULL, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(NNP_E_UNSUPPORTED, nnp_chain_run(chains[0], 1, NULL, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(NNP_E_UNSUPPORTED,
                        nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, 1, NULL));
  return state->done >= *(const int64_t *)user;
}

static void test_stopped_runs_go_on(void) {
  double one[30 * MOST], other[30 * MOST];
  int64_t at = 10;
  make_network(NNP_GAUSSIAN, 0);
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  OK(nnp_exchange_sample(exchange, one, 30, 1, NULL, NULL, &err));
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  FAILS(NNP_STOPPED, "callback", nnp_exchange_sample(exchange, other, 30, 1, stop_at, &at, &err));
  OK(nnp_exchange_sample(exchange, other + 10 * parameters, 20, 1, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_MEMORY(one, other, (size_t)(30 * parameters) * sizeof(double));
  FAILS(NNP_STOPPED, "callback", nnp_exchange_tune(exchange, stop_at, &at, &err));
  TEST_ASSERT_EQUAL_INT(0, report().tuned);
}

/* ---- Bad input -------------------------------------------------------------------------------- */

static void test_bad_input(void) {
  nnp_exchange *none = NULL;
  nnp_exchange_summary summary;
  nnp_exchange_rung rung;
  nnp_chain *mixed[CHAINS];
  double value, draws[MOST];
  size_t bytes;
  int64_t kept;
  make_network(NNP_GAUSSIAN, 0);
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  FAILS(NNP_E_SIZE, "chain_count = 1", nnp_exchange_create(&none, chains, 1, &err));
  FAILS(NNP_E_NULL, "chains", nnp_exchange_create(&none, NULL, 2, &err));
  FAILS(NNP_E_NULL, "exchange", nnp_exchange_create(NULL, chains, 2, &err));
  memcpy(mixed, chains, sizeof mixed);
  mixed[2] = mixed[1];
  FAILS(NNP_E_VALUE, "entries 1 and 2", nnp_exchange_create(&none, mixed, 3, &err));
  mixed[2] = NULL;
  FAILS(NNP_E_NULL, "entry", nnp_exchange_create(&none, mixed, 3, &err));
  OK(nnp_chain_create(&mixed[2], net, data, NNP_HMC, NNP_CLASSICAL, &err));
  FAILS(NNP_E_SHAPE, "entry 2", nnp_exchange_create(&none, mixed, 3, &err));
  nnp_chain_free(mixed[2]);
  OK(nnp_net_set(net, 1, NNP_NOISE, 0.07, &err));
  OK(nnp_chain_create(&mixed[2], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  FAILS(NNP_E_SHAPE, "entry 2", nnp_exchange_create(&none, mixed, 3, &err));
  nnp_chain_free(mixed[2]);
  TEST_ASSERT_NULL(none);
  FAILS(NNP_E_NOT_STARTED, "nnp_exchange_start", nnp_exchange_run(exchange, 1, NULL, NULL, &err));
  FAILS(NNP_E_NOT_STARTED, "nnp_exchange_start", nnp_exchange_tune(exchange, NULL, NULL, &err));
  FAILS(NNP_E_NOT_STARTED, "nnp_exchange_start", nnp_exchange_save(exchange, draws, 1, &err));
  FAILS(NNP_E_ENUM, "from = 3", nnp_exchange_start(exchange, 3, 1, &err));
  FAILS(NNP_E_ENUM, "option = 5", nnp_exchange_set(exchange, 5, 1, &err));
  FAILS(NNP_E_ENUM, "option = 0", nnp_exchange_get(exchange, 0, &value, &err));
  FAILS(NNP_E_VALUE, "replicas = 1", nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 1, &err));
  FAILS(NNP_E_VALUE, "replicas = 7", nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, 7, &err));
  FAILS(NNP_E_VALUE, "rounds = 1.5", nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, 1.5, &err));
  OK(nnp_exchange_get(exchange, NNP_EXCHANGE_STEPS, &value, &err));
  TEST_ASSERT_TRUE(value == 1);
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &err));
  FAILS(NNP_E_SIZE, "sweeps = -1", nnp_exchange_run(exchange, -1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "draws", nnp_exchange_sample(exchange, NULL, 1, 1, NULL, NULL, &err));
  FAILS(NNP_E_SIZE, "thin = 0", nnp_exchange_sample(exchange, draws, 1, 0, NULL, NULL, &err));
  FAILS(NNP_E_SIZE, "count = 0", nnp_exchange_sample(exchange, draws, 0, 1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "exchange", nnp_exchange_report(NULL, &summary, &err));
  FAILS(NNP_E_NULL, "out", nnp_exchange_report(exchange, NULL, &err));
  FAILS(NNP_E_NULL, "out", nnp_exchange_level(exchange, 0, NULL, &err));
  FAILS(NNP_E_SIZE, "level = -1", nnp_exchange_level(exchange, -1, &rung, &err));
  FAILS(NNP_E_NULL, "powers", nnp_exchange_set_ladder(exchange, NULL, 2, &err));
  FAILS(NNP_E_SIZE, "capacity", nnp_exchange_record(exchange, (int32_t *)draws, 0, &err));
  FAILS(NNP_E_NULL, "sweeps", nnp_exchange_recorded(exchange, NULL, &err));
  FAILS(NNP_E_NULL, "exchange", nnp_exchange_recorded(NULL, &kept, &err));
  FAILS(NNP_E_NULL, "bytes", nnp_exchange_save_bytes(exchange, NULL, &err));
  FAILS(NNP_E_NULL, "buffer", nnp_exchange_restore(exchange, NULL, 0, &err));
  OK(nnp_exchange_save_bytes(exchange, &bytes, &err));
  FAILS(NNP_E_SAVE_TRUNCATED, "bytes", nnp_exchange_restore(exchange, draws, 8, &err));
  TEST_ASSERT_TRUE(bytes > 0 && isnan(report().log_evidence));
}

/* Targets that were never set are told by the chains; a network of one layer has no hidden sites. */
static void test_a_target_without_data(void) {
  nnp_data *empty = NULL;
  nnp_chain *chain = NULL;
  make_network(NNP_GAUSSIAN, 0);
  OK(nnp_data_create(&empty, 4, INPUTS, 1, &err));
  FAILS(NNP_E_NO_DATA, "inputs",
        nnp_chain_create(&chain, net, empty, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  nnp_data_free(empty);
}

/* Labels that cannot be, set after the start: told before the first sweep. */
static void test_labels_that_became_impossible(void) {
  int32_t labels[25];
  for (int i = 0; i < 25; ++i) labels[i] = i == 3 ? 1000000 : 1;
  make_network(NNP_ARGMAX, 0);
  make_chains(NNP_HMC, NNP_CLASSICAL, 1);
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &err));
  OK(nnp_data_set_labels(data, labels, &err));
  FAILS(NNP_E_LABEL, "row 3 is 1000000", nnp_exchange_run(exchange, 2, NULL, NULL, &err));
  FAILS(NNP_E_LABEL, "row 3 is 1000000", nnp_exchange_tune(exchange, NULL, NULL, &err));
}

/* A member may be annealed before the first sweep; its likelihood stays as hot as its level says.
 * From a noise that is hardly more than its own nothing changes but by rounding. */
static void hot_parameters(double from, double *values) {
  const double powers[CHAINS] = {0, 1e-4, 1e-3, 1e-2, 0.1, 1};
  make_chains(NNP_GIBBS, NNP_INTERMEDIATE, 1);
  OK(nnp_exchange_set_ladder(exchange, powers, CHAINS, &err));
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 5, &err));
  for (int c = 1; c < CHAINS && from > 0; ++c) OK(nnp_chain_anneal(chains[c], from, 1, &err));
  OK(nnp_exchange_run(exchange, 3, NULL, NULL, &err));
  for (int c = 0; c < CHAINS; ++c) OK(nnp_chain_parameters(chains[c], values + c * MOST, &err));
  drop_chains();
}

static void test_annealing_keeps_the_temperature(void) {
  double plain[CHAINS * MOST], annealed[CHAINS * MOST];
  make_network(NNP_GAUSSIAN, 0);
  hot_parameters(0, plain);
  hot_parameters(0.05 * (1 + 1e-13), annealed);
  for (int c = 0; c < CHAINS; ++c)
    for (int i = 0; i < parameters; ++i)
      TEST_ASSERT_DOUBLE_WITHIN(1e-6, plain[c * MOST + i], annealed[c * MOST + i]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_annealing_keeps_the_temperature);
  RUN_TEST(test_bits_of_gibbs);
  RUN_TEST(test_bits_of_learned_scales);
  RUN_TEST(test_bits_of_scores);
  RUN_TEST(test_bits_of_hmc);
  RUN_TEST(test_bits_of_mala_with_scores);
  RUN_TEST(test_bits_of_nuts);
  RUN_TEST(test_the_target_is_a_chain);
  RUN_TEST(test_starts_from_the_target);
  RUN_TEST(test_ladders);
  RUN_TEST(test_the_index_process);
  RUN_TEST(test_stopped_runs_go_on);
  RUN_TEST(test_bad_input);
  RUN_TEST(test_a_target_without_data);
  RUN_TEST(test_labels_that_became_impossible);
  return UNITY_END();
}
