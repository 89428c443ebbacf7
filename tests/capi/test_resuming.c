/* Several chains that are stopped, saved and resumed: how many draws each has, checkpoints of all chains
 * at one moment, restored into chains that never had a start, and throttles that serve again. */
#include <math.h>
#include <stdlib.h>

#include "tests/support/expect.h"

enum { ROWS = 40, CHAINS = 3, PARAMETERS = 13, DRAWS = 40, THIN = 3 };

static nnp_net *net;
static nnp_data *data;
static nnp_pool *pool;
static nnp_chain *chains[CHAINS], *others[CHAINS];
static double draws[PARAMETERS * DRAWS * CHAINS], again[PARAMETERS * DRAWS * CHAINS];

static void make_chains(nnp_chain **made) {
  for (int c = 0; c < CHAINS; ++c)
    OK(nnp_chain_create(&made[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
}

static void start_chains(void) {
  OK(nnp_chains_start(chains, CHAINS, NNP_START_PRIOR, 5, NULL, NULL, &err));
}

void setUp(void) {
  double x[2 * ROWS], y[ROWS];
  int64_t parameters;
  for (int i = 0; i < 2 * ROWS; ++i) x[i] = sin(1.7 * i);
  for (int i = 0; i < ROWS; ++i) y[i] = cos(0.9 * i);
  OK(nnp_net_create(&net, 2, &err));
  OK(nnp_net_dense(net, 3, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  OK(nnp_net_parameters(net, &parameters, &err));
  TEST_ASSERT_EQUAL_INT64(PARAMETERS, parameters);
  OK(nnp_data_create(&data, ROWS, 2, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  if (nnp_pool_create(&pool, CHAINS, &err) != NNP_OK) pool = NULL; /* a build without threads */
  make_chains(chains);
  make_chains(others);
  memset(draws, 0, sizeof draws);
}

void tearDown(void) {
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(others[c]);
  nnp_pool_free(pool);
  nnp_data_free(data);
  nnp_net_free(net);
}

static int64_t draws_of(const nnp_chain *chain) {
  int64_t made = -1;
  OK(nnp_chain_draws(chain, &made, &err));
  return made;
}

/* Stops once chain 0 has made as many steps. */
static int32_t stop_at(const nnp_progress *progress, void *user) {
  return progress->chain_index == 0 && progress->step >= *(int64_t *)user;
}

/* ---- how many draws ---- */

static void every_chain_tells_its_draws(void) {
  int64_t last = 30;
  TEST_ASSERT_EQUAL_INT64(0, draws_of(chains[0]));
  start_chains();
  OK(nnp_chains_sample(chains, CHAINS, draws, DRAWS, THIN, NULL, NULL, &err));
  for (int c = 0; c < CHAINS; ++c) TEST_ASSERT_EQUAL_INT64(DRAWS, draws_of(chains[c]));
  /* Steps without draws leave the number as it is. */
  OK(nnp_chains_run(chains, CHAINS, 5, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT64(DRAWS, draws_of(chains[1]));
  FAILS(NNP_STOPPED, "", nnp_chain_sample(chains[0], draws, DRAWS, THIN, stop_at, &last, &err));
  TEST_ASSERT_EQUAL_INT64(10, draws_of(chains[0]));
  FAILS(NNP_E_NULL, "chain", nnp_chain_draws(NULL, &last, &err));
  FAILS(NNP_E_NULL, "draws", nnp_chain_draws(chains[0], NULL, &err));
}

/* What nnp_chain_draws says of each chain is what is in the array, and no more. Returns the sum. */
static int64_t draws_are_those_in_the_array(void) {
  int64_t steps, all = 0;
  for (int c = 0; c < CHAINS; ++c) {
    const double *own = draws + c * DRAWS * PARAMETERS;
    const int64_t made = draws_of(chains[c]);
    OK(nnp_chain_steps(chains[c], &steps, &err));
    TEST_ASSERT_EQUAL_INT64(steps / THIN, made);
    for (int64_t i = 0; i < DRAWS; ++i) TEST_ASSERT_EQUAL_INT(i < made, own[i * PARAMETERS] != 0);
    all += made;
  }
  return all;
}

/* How far the threads get before they see the stop depends on time. */
static void a_stopped_call_tells_the_draws_of_each_chain(void) {
  int64_t last = 50;
  OK(nnp_chain_use_pool(chains[0], pool, &err));
  start_chains();
  FAILS(NNP_STOPPED, "",
        nnp_chains_sample(chains, CHAINS, draws, DRAWS, THIN, stop_at, &last, &err));
  TEST_ASSERT_TRUE(draws_are_those_in_the_array() >= last / THIN);
}

/* Without threads chains run one after the other: the first is stopped, the others never begin. */
static void a_stopped_call_leaves_the_other_chains(void) {
  int64_t last = 50;
  start_chains();
  FAILS(NNP_STOPPED, "",
        nnp_chains_sample(chains, CHAINS, draws, DRAWS, THIN, stop_at, &last, &err));
  TEST_ASSERT_EQUAL_INT64(last / THIN, draws_are_those_in_the_array());
  TEST_ASSERT_EQUAL_INT64(last / THIN, draws_of(chains[0]));
}

/* Steps of annealing are no draws. */
static void annealing_does_not_count(void) {
  int64_t last = 9;
  start_chains();
  OK(nnp_chain_anneal(chains[0], 10, 20, &err));
  FAILS(NNP_STOPPED, "", nnp_chain_sample(chains[0], draws, DRAWS, THIN, stop_at, &last, &err));
  TEST_ASSERT_EQUAL_INT64(3, draws_of(chains[0]));
}

/* ---- checkpoints ---- */

/* All chains are saved between pieces of a run; chains that were only created go on from there, with the
 * pool they have, as if nothing had happened. */
static void pieces_with_checkpoints_are_one_run(void) {
  enum { PIECE = 10 };
  void *blocks[CHAINS];
  size_t bytes;
  OK(nnp_chain_use_pool(chains[0], pool, &err));
  start_chains();
  OK(nnp_chains_sample(chains, CHAINS, draws, DRAWS, THIN, NULL, NULL, &err));

  start_chains();
  OK(nnp_chain_save_bytes(chains[0], &bytes, &err));
  for (int c = 0; c < CHAINS; ++c) blocks[c] = malloc(bytes);
  nnp_chain **now = chains;
  for (int64_t done = 0; done < DRAWS; done += PIECE) {
    double piece[PARAMETERS * PIECE * CHAINS];
    OK(nnp_chains_sample(now, CHAINS, piece, PIECE, THIN, NULL, NULL, &err));
    for (int c = 0; c < CHAINS; ++c)
      memcpy(again + (c * DRAWS + done) * PARAMETERS, piece + c * PIECE * PARAMETERS,
             PIECE * PARAMETERS * sizeof(double));
    for (int c = 0; c < CHAINS; ++c) OK(nnp_chain_save(now[c], blocks[c], bytes, &err));
    /* the other chains take over; they have no start of their own before, and no pool at first */
    now = now == chains ? others : chains;
    for (int c = 0; c < CHAINS; ++c) OK(nnp_chain_restore(now[c], blocks[c], bytes, &err));
    if (done == PIECE) OK(nnp_chain_use_pool(others[1], pool, &err)); /* not the first: no matter */
  }
  for (int c = 0; c < CHAINS; ++c) free(blocks[c]);
  TEST_ASSERT_EQUAL_MEMORY(draws, again, sizeof draws);
}

/* A callback saves the chain it is told of. */
typedef struct {
  char *block;
  size_t bytes;
  int64_t at;
} Saving;

static int32_t save_at(const nnp_progress *progress, void *user) {
  Saving *saving = user;
  if (progress->step != saving->at) return 0;
  return nnp_chain_save(progress->chain, saving->block, saving->bytes, NULL) != NNP_OK;
}

static void a_callback_saves_its_chain(void) {
  Saving saving = {NULL, 0, 7};
  double left[PARAMETERS], right[PARAMETERS];
  start_chains();
  OK(nnp_chain_save_bytes(chains[0], &saving.bytes, &err));
  saving.block = malloc(saving.bytes);
  OK(nnp_chain_run(chains[0], 20, save_at, &saving, &err));
  OK(nnp_chain_restore(others[0], saving.block, saving.bytes, &err));
  OK(nnp_chain_run(others[0], 13, NULL, NULL, &err));
  OK(nnp_chain_parameters(chains[0], left, &err));
  OK(nnp_chain_parameters(others[0], right, &err));
  TEST_ASSERT_EQUAL_MEMORY(left, right, sizeof left);
  free(saving.block);
}

/* ---- throttles ---- */

static int32_t count_calls(const nnp_progress *progress, void *user) {
  (void)progress;
  ++*(int64_t *)user;
  return 0;
}

/* Seconds count from the beginning of each run: every run tells its first step. */
static void a_throttle_serves_one_run_after_the_other(void) {
  int64_t calls = 0;
  nnp_throttle throttle = {count_calls, &calls, 1e6, 0};
  start_chains();
  for (int run = 1; run <= 3; ++run) {
    OK(nnp_chain_run(chains[0], 20, nnp_throttled, &throttle, &err));
    TEST_ASSERT_EQUAL_INT64(run, calls);
  }
  OK(nnp_chain_descend(chains[1], 5, nnp_throttled, &throttle, &err));
  TEST_ASSERT_EQUAL_INT64(4, calls);
  throttle.next = 1e9; /* whatever is there */
  OK(nnp_chains_run(chains, 1, 5, nnp_throttled, &throttle, &err));
  TEST_ASSERT_EQUAL_INT64(5, calls);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(every_chain_tells_its_draws);
  RUN_TEST(a_stopped_call_tells_the_draws_of_each_chain);
  RUN_TEST(a_stopped_call_leaves_the_other_chains);
  RUN_TEST(annealing_does_not_count);
  RUN_TEST(pieces_with_checkpoints_are_one_run);
  RUN_TEST(a_callback_saves_its_chain);
  RUN_TEST(a_throttle_serves_one_run_after_the_other);
  return UNITY_END();
}
