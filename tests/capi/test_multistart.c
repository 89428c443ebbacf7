/* Several starts, and the twin that tells a stuck chain: ranks and budgets, the same results for
 * any threads, exact memory; a stuck chain is called stuck and a good one is not; bad input. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"
#include "tests/support/threads.h"
#include "tests/support/watched.h"

enum { CHAINS = 3, ROWS = 150, INPUTS = 2, HIDDEN = 3, PARAMETERS = 13 };

static nnp_net *net;
static nnp_data *data;
static nnp_teacher *teacher;
static nnp_pool *pool;
static nnp_chain *chains[CHAINS];
static nnp_multistart *multistart;
static nnp_twin *twin;

/* Labels of a teacher, with noise or without. */
static void make(int32_t head, double noise, int64_t noisy, int64_t threads) {
  double x[ROWS * INPUTS];
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, HIDDEN, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, noise, &err));
  for (int i = 0; i < ROWS * INPUTS; ++i)
    x[i] = 4 * fmod((double)(i + 1) * 0.6180339887498949, 1) - 2;
  OK(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 3, 0, &err));
  OK(nnp_teacher_label(teacher, data, noisy, NULL, &err));
  OK(nnp_pool_create(&pool, threads_here(threads), &err));
  for (int c = 0; c < CHAINS; ++c) {
    OK(nnp_chain_create(&chains[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
    OK(nnp_chain_use_pool(chains[c], pool, &err));
  }
}

void setUp(void) {
  net = NULL;
  data = NULL;
  teacher = NULL;
  pool = NULL;
  memset(chains, 0, sizeof chains);
  multistart = NULL;
  twin = NULL;
}

void tearDown(void) {
  nnp_twin_free(twin);
  nnp_multistart_free(multistart);
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  if (pool) nnp_pool_free(pool);
  nnp_teacher_free(teacher);
  nnp_data_free(data);
  nnp_net_free(net);
}

/* ---- Multistart ----------------------------------------------------------------------------- */

static nnp_attempt report(int64_t chain) {
  nnp_attempt out;
  OK(nnp_multistart_report(multistart, chain, &out, &err));
  return out;
}

/* Half of them are for attempts, a third of that for each. */
static int64_t all_steps(void) {
  return shortened(3000, 600);
}

static void run_multistart(int64_t steps) {
  OK(nnp_multistart_create(&multistart, chains, CHAINS, &err));
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, (double)steps, &err));
  OK(nnp_multistart_run(multistart, 7, NULL, NULL, &err));
}

static void test_the_best_goes_on(void) {
  char text[400];
  int64_t best, made;
  int ranks = 0;
  make(NNP_GAUSSIAN, 1e-3, 0, 1);
  run_multistart(all_steps());
  OK(nnp_multistart_best(multistart, &best, &err));
  for (int64_t c = 0; c < CHAINS; ++c) {
    const nnp_attempt t = report(c);
    TEST_ASSERT_EQUAL_INT32(c != 1, t.annealed);
    TEST_ASSERT_TRUE(t.error >= report(best).error);
    TEST_ASSERT_EQUAL_INT64(all_steps() / 6 + (c == best ? all_steps() / 2 : 0), t.steps);
    OK(nnp_chain_steps(chains[c], &made, &err));
    TEST_ASSERT_EQUAL_INT64(t.steps, made);
    OK(nnp_chain_annealing(chains[c], &made, &err));
    TEST_ASSERT_EQUAL_INT64(0, made);
    ranks |= 1 << t.rank;
  }
  TEST_ASSERT_EQUAL_INT64(1, report(best).rank);
  TEST_ASSERT_EQUAL_INT(2 + 4 + 8, ranks);
  OK(nnp_multistart_print(multistart, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "annealed"));
  TEST_ASSERT_NOT_NULL(strstr(text, "zero"));
  FAILS(NNP_E_BUFFER_SIZE, "size = 30", nnp_multistart_print(multistart, text, 30, &err));
}

/* The error that ranks is that of the forward pass on the training rows. */
static void test_errors_are_those_of_the_chains(void) {
  double error;
  const int64_t each = shortened(2000, 100);
  make(NNP_GAUSSIAN, 1e-3, 0, 1);
  OK(nnp_multistart_create(&multistart, chains, CHAINS, &err));
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, (double)(CHAINS * each), &err));
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_SHARE, 1,
                        &err)); /* chains stay where their attempt ended */
  OK(nnp_multistart_run(multistart, 7, NULL, NULL, &err));
  for (int64_t c = 0; c < CHAINS; ++c) {
    OK(nnp_chain_score(chains[c], data, NNP_SCORE_MSE, &error, &err));
    TEST_ASSERT_TRUE(report(c).steps == each);
    VERDICT(fabs(log(error / report(c).error)) < 1.5);
  }
}

static void test_threads_do_not_matter(void) {
  double one[PARAMETERS], two[PARAMETERS], first, error;
  int64_t best;
  for (int head = NNP_GAUSSIAN; head <= NNP_SIGN_HEAD; head += 2) {
    make(head, 1e-2, 1, 1);
    run_multistart(shortened(1200, 600));
    OK(nnp_multistart_best(multistart, &best, &err));
    first = report(best).error;
    OK(nnp_chain_parameters(chains[best], one, &err));
    tearDown();
    setUp();
    make(head, 1e-2, 1, 2);
    run_multistart(shortened(1200, 600));
    OK(nnp_multistart_best(multistart, &best, &err));
    error = report(best).error;
    OK(nnp_chain_parameters(chains[best], two, &err));
    TEST_ASSERT_TRUE(error == first && memcmp(one, two, sizeof one) == 0);
    tearDown();
    setUp();
  }
}

static int32_t stop_late(const nnp_multistart_progress *state, void *user) {
  TEST_ASSERT_TRUE(state->done <= state->steps && state->steps == all_steps());
  *(int64_t *)user = state->done;
  return state->best >= 0;
}

static void test_a_callback_stops_it(void) {
  int64_t seen = 0, best;
  make(NNP_GAUSSIAN, 1e-3, 0, 1);
  OK(nnp_multistart_create(&multistart, chains, CHAINS, &err));
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, (double)all_steps(), &err));
  FAILS(NNP_STOPPED, "stop", nnp_multistart_run(multistart, 7, stop_late, &seen, &err));
  TEST_ASSERT_EQUAL_INT64(all_steps() / 2 + 1, seen);
  OK(nnp_multistart_best(multistart, &best, &err)); /* all attempts are over */
  TEST_ASSERT_EQUAL_INT64(all_steps() / 6 + 1, report(best).steps);
}

static void test_bad_multistart(void) {
  double value;
  int64_t best;
  nnp_attempt out;
  nnp_chain *twice[2];
  nnp_chain *none[2] = {NULL, NULL};
  make(NNP_GAUSSIAN, 1e-3, 0, 1);
  twice[0] = twice[1] = chains[0];
  FAILS(NNP_E_NULL, "multistart", nnp_multistart_create(NULL, chains, 3, &err));
  FAILS(NNP_E_NULL, "chains", nnp_multistart_create(&multistart, NULL, 3, &err));
  FAILS(NNP_E_NULL, "an entry", nnp_multistart_create(&multistart, none, 2, &err));
  FAILS(NNP_E_SIZE, "chain_count = 0", nnp_multistart_create(&multistart, chains, 0, &err));
  FAILS(NNP_E_VALUE, "same chain", nnp_multistart_create(&multistart, twice, 2, &err));
  OK(nnp_multistart_create(&multistart, chains, CHAINS, &err));
  FAILS(NNP_E_VALUE, "steps = 0", nnp_multistart_run(multistart, 1, NULL, NULL, &err));
  FAILS(NNP_E_VALUE, "share = 1.5",
        nnp_multistart_set(multistart, NNP_MULTISTART_SHARE, 1.5, &err));
  FAILS(NNP_E_VALUE, "steps = 10.5",
        nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 10.5, &err));
  FAILS(NNP_E_ENUM, "option = 5", nnp_multistart_set(multistart, 5, 1, &err));
  FAILS(NNP_E_ENUM, "option = 0", nnp_multistart_get(multistart, 0, &value, &err));
  OK(nnp_multistart_get(multistart, NNP_MULTISTART_SHARE, &value, &err));
  TEST_ASSERT_TRUE(value == 0.5);
  FAILS(NNP_E_NOT_STARTED, "nnp_multistart_run", nnp_multistart_best(multistart, &best, &err));
  FAILS(NNP_E_SIZE, "chain = 3", nnp_multistart_report(multistart, 3, &out, &err));
  FAILS(NNP_E_NULL, "out", nnp_multistart_report(multistart, 0, NULL, &err));
  OK(nnp_multistart_report(multistart, 0, &out, &err));
  TEST_ASSERT_TRUE(out.rank == 0 && isnan(out.error));
}

/* ---- Twins ------------------------------------------------------------------------------- */

static nnp_verdict judge(nnp_chain *chain, int64_t steps, int32_t noisy, const char *expected) {
  char text[256];
  nnp_verdict found;
  nnp_twin_free(twin);
  OK(nnp_twin_create(&twin, chain, &err));
  OK(nnp_twin_run(twin, steps, noisy, 11, NULL, NULL, &err));
  OK(nnp_twin_report(twin, &found, &err));
  OK(nnp_twin_text(twin, text, sizeof text, &err));
  VERDICT_MESSAGE(strstr(text, expected) != NULL, text);
  return found;
}

/* On the teacher: labels with the model's noise, and without any. */
static void test_a_good_chain_is_not_stuck(void) {
  for (int noisy = 0; noisy < 2; ++noisy) {
    nnp_verdict found;
    make(NNP_GAUSSIAN, 1e-3, noisy, 2);
    OK(nnp_chain_start_teacher(chains[0], teacher, NULL, 5, 0, &err));
    OK(nnp_chain_run(chains[0], shortened(2000, 20), NULL, NULL, &err));
    found = judge(chains[0], shortened(8000, 100), noisy, "no sign of being stuck");
    VERDICT(found.verdict == NNP_THERMALIZED);
    tearDown();
    setUp();
  }
}

/* All units dead: they see nothing of the labels, and plain Gibbs cannot wake them. */
static void test_a_stuck_chain_is_called_stuck(void) {
  double dead[PARAMETERS] = {0};
  make(NNP_GAUSSIAN, 1e-4, 0, 1);
  for (int i = 0; i < HIDDEN; ++i) dead[HIDDEN * INPUTS + i] = -3;
  OK(nnp_chain_set(chains[0], NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  OK(nnp_chain_start_weights(chains[0], dead, 0, 5, 0, &err));
  OK(nnp_chain_run(chains[0], shortened(500, 20), NULL, NULL, &err));
  const nnp_verdict found = judge(chains[0], shortened(1500, 100), 0, "stuck");
  VERDICT(found.verdict == NNP_NOT_THERMALIZED);
  VERDICT(found.distance > 3 && found.level > 3 * found.informed_level);
}

static void test_series_of_a_twin(void) {
  nnp_series own, other;
  double last;
  make(NNP_SIGN_HEAD, 0.1, 1, 1);
  OK(nnp_chain_start(chains[0], NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_twin_create(&twin, chains[0], &err));
  OK(nnp_twin_run(twin, 128, 1, 1, NULL, NULL, &err));
  OK(nnp_twin_series(twin, 0, &own, &err));
  OK(nnp_twin_series(twin, 1, &other, &err));
  TEST_ASSERT_TRUE(own.count == 128 && other.count == 128 && own.times[127] == 128);
  OK(nnp_chain_score(chains[0], data, NNP_SCORE_LOG, &last, &err));
  TEST_ASSERT_TRUE(own.values[127] == -last);
}

static void test_bad_twins(void) {
  size_t bytes;
  nnp_verdict found;
  nnp_series out;
  nnp_chain *hmc;
  char text[10];
  make(NNP_GAUSSIAN, 1e-3, 0, 1);
  FAILS(NNP_E_NULL, "chain", nnp_twin_create(&twin, NULL, &err));
  FAILS(NNP_E_NULL, "twin", nnp_twin_create(NULL, chains[0], &err));
  FAILS(NNP_E_NULL, "bytes", nnp_twin_bytes(chains[0], NULL, &err));
  OK(nnp_chain_create(&hmc, net, data, NNP_HMC, NNP_INTERMEDIATE, &err));
  FAILS(NNP_E_UNSUPPORTED, "gibbs", nnp_twin_bytes(hmc, &bytes, &err));
  nnp_chain_free(hmc);
  OK(nnp_twin_create(&twin, chains[0], &err));
  FAILS(NNP_E_NOT_STARTED, "start", nnp_twin_run(twin, 100, 0, 1, NULL, NULL, &err));
  OK(nnp_chain_start(chains[0], NNP_START_ZERO, 5, 0, &err));
  OK(nnp_chain_anneal(chains[0], 1, 1000, &err));
  FAILS(NNP_E_UNSUPPORTED, "annealing", nnp_twin_run(twin, 100, 0, 1, NULL, NULL, &err));
  FAILS(NNP_E_SIZE, "steps = 10", nnp_twin_run(twin, 10, 0, 1, NULL, NULL, &err));
  FAILS(NNP_E_VALUE, "noisy = 2", nnp_twin_run(twin, 100, 2, 1, NULL, NULL, &err));
  FAILS(NNP_E_NOT_STARTED, "nnp_twin_run", nnp_twin_report(twin, &found, &err));
  FAILS(NNP_E_NOT_STARTED, "nnp_twin_run", nnp_twin_text(twin, text, sizeof text, &err));
  FAILS(NNP_E_SIZE, "which = 2", nnp_twin_series(twin, 2, &out, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_best_goes_on);
  RUN_TEST(test_errors_are_those_of_the_chains);
  RUN_TEST(test_threads_do_not_matter);
  RUN_TEST(test_a_callback_stops_it);
  RUN_TEST(test_bad_multistart);
  RUN_TEST(test_a_good_chain_is_not_stuck);
  RUN_TEST(test_a_stuck_chain_is_called_stuck);
  RUN_TEST(test_series_of_a_twin);
  RUN_TEST(test_bad_twins);
  return UNITY_END();
}
