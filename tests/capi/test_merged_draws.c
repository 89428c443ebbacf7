/* Draws of separate jobs: saved one by one, merged in any order, the same as those of one process, with
 * the same diagnostics; and what cannot be merged. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

enum { JOBS = 3, DRAWS = 8, ROWS = 40, INPUTS = 2 };

void setUp(void) {}
void tearDown(void) {}

typedef struct Model {
  nnp_net *net;
  nnp_data *data;
  int64_t parameters;
} Model;

static Model make_model(int64_t units, double shift) {
  Model m = {NULL, NULL, 0};
  double x[ROWS * INPUTS], y[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < INPUTS; ++j) x[i * INPUTS + j] = sin(i * 1.7 + j) + shift;
    y[i] = fabs(x[i * INPUTS]);
  }
  OK(nnp_net_create(&m.net, INPUTS, &err));
  OK(nnp_net_dense(m.net, units, &err));
  OK(nnp_net_activation(m.net, NNP_RELU, &err));
  OK(nnp_net_dense(m.net, 1, &err));
  OK(nnp_net_head(m.net, NNP_GAUSSIAN, &err));
  OK(nnp_net_parameters(m.net, &m.parameters, &err));
  OK(nnp_data_create(&m.data, ROWS, INPUTS, 1, &err));
  OK(nnp_data_set_inputs(m.data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(m.data, y, NNP_ROW_MAJOR, &err));
  return m;
}

static void free_model(Model m) {
  nnp_data_free(m.data);
  nnp_net_free(m.net);
}

/* What a job does. */
static nnp_saved run_job(Model m, uint64_t seed, uint64_t number, int64_t count) {
  nnp_chain *chain = NULL;
  nnp_saved save = {NULL, 0};
  double *draws = (double *)malloc(sizeof(double) * (size_t)(m.parameters * count));
  void *block;
  OK(nnp_chain_create(&chain, m.net, m.data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  FAILS(NNP_E_NOT_STARTED, "no start yet", nnp_draws_save_bytes(chain, 1, &save.size, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, seed, number, &err));
  OK(nnp_chain_sample(chain, draws, count, 2, NULL, NULL, &err));
  OK(nnp_draws_save_bytes(chain, count, &save.size, &err));
  block = malloc(save.size);
  FAILS(NNP_E_BUFFER_SIZE, "expected at least",
        nnp_draws_save(chain, draws, count, block, save.size - 1, &err));
  FAILS(NNP_E_SIZE, "count = 0", nnp_draws_save(chain, draws, 0, block, save.size, &err));
  OK(nnp_draws_save(chain, draws, count, block, save.size, &err));
  save.buffer = block;
  draws[1] = NAN;
  FAILS(NNP_E_NOT_FINITE, "draws: not all",
        nnp_draws_save(chain, draws, count, block, save.size, &err));
  nnp_chain_free(chain);
  free(draws);
  return save;
}

static void drop(nnp_saved save) {
  free((void *)(size_t)save.buffer);
}

static double rhat_of(const double *values, int64_t parameters) {
  nnp_draws draws;
  size_t bytes = 0;
  double out[64] = {0};
  void *memory;
  OK(nnp_draws_init(&draws, values, parameters, DRAWS, JOBS, &err));
  OK(nnp_statistic_bytes(&draws, &bytes, &err));
  memory = malloc(bytes);
  OK(nnp_statistic(&draws, NNP_STAT_RHAT, 0, out, memory, bytes, &err));
  free(memory);
  return out[0];
}

static void test_merged_draws_are_those_of_one_process(void) {
  const Model m = make_model(3, 0);
  const size_t all = (size_t)(m.parameters * DRAWS * JOBS);
  double *together = (double *)malloc(sizeof(double) * all);
  double *merged = (double *)malloc(sizeof(double) * all);
  nnp_chain *chains[JOBS] = {NULL};
  nnp_saved saves[JOBS], mixed[JOBS];
  nnp_saved_draws told[JOBS];
  for (int c = 0; c < JOBS; ++c)
    OK(nnp_chain_create(&chains[c], m.net, m.data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chains_start(chains, JOBS, NNP_START_PRIOR, 7, NULL, NULL, &err));
  OK(nnp_chains_sample(chains, JOBS, together, DRAWS, 2, NULL, NULL, &err));
  for (int c = 0; c < JOBS; ++c) {
    saves[c] = run_job(m, 7, (uint64_t)c, DRAWS);
    mixed[(c + 2) % JOBS] = saves[c];
  }
  OK(nnp_draws_merge(mixed, JOBS, merged, DRAWS, told, &err));
  TEST_ASSERT_EQUAL_MEMORY(together, merged, sizeof(double) * all);
  for (int c = 0; c < JOBS; ++c) {
    TEST_ASSERT_EQUAL_UINT64((uint64_t)c, told[c].number);
    TEST_ASSERT_EQUAL_INT64(DRAWS, told[c].draws);
    TEST_ASSERT_EQUAL_INT64(2 * DRAWS, told[c].steps);
    TEST_ASSERT_EQUAL_INT64(m.parameters, told[c].parameters);
    TEST_ASSERT_EQUAL_INT(NNP_GIBBS, told[c].sampler);
  }
  TEST_ASSERT_EQUAL_DOUBLE(rhat_of(together, m.parameters), rhat_of(merged, m.parameters));
  /* the last ones of each */
  OK(nnp_draws_merge(mixed, JOBS, merged, 3, NULL, &err));
  for (int c = 0; c < JOBS; ++c)
    TEST_ASSERT_EQUAL_MEMORY(together + m.parameters * (DRAWS * (c + 1) - 3),
                             merged + m.parameters * 3 * c,
                             sizeof(double) * (size_t)(3 * m.parameters));
  for (int c = 0; c < JOBS; ++c) {
    nnp_chain_free(chains[c]);
    drop(saves[c]);
  }
  free(together);
  free(merged);
  free_model(m);
}

static void test_what_cannot_be_merged(void) {
  const Model m = make_model(3, 0), wider = make_model(4, 0), shifted = make_model(3, 1);
  nnp_saved pair[2];
  nnp_saved_draws told;
  double *out = (double *)malloc(sizeof(double) * (size_t)(2 * DRAWS * wider.parameters));
  const nnp_saved first = run_job(m, 7, 0, DRAWS), again = run_job(m, 7, 0, DRAWS),
                  other_net = run_job(wider, 7, 1, DRAWS),
                  other_data = run_job(shifted, 7, 1, DRAWS), fewer = run_job(m, 7, 1, DRAWS - 1),
                  other_seed = run_job(m, 8, 0, DRAWS);
  pair[0] = first;
  pair[1] = again;
  FAILS(NNP_E_VALUE, "numbers 0 and 1 have the same draws",
        nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  pair[1] = other_net;
  FAILS(NNP_E_SAVE_NETWORK, "number 1 has another network",
        nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  pair[1] = other_data;
  FAILS(NNP_E_SAVE_DATA, "number 1 has other data",
        nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  pair[1] = fewer;
  FAILS(NNP_E_SIZE, "draws_each = 8: number 1 of saves has 7",
        nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  OK(nnp_draws_merge(pair, 2, out, DRAWS - 1, NULL, &err));
  pair[1] = other_seed;
  OK(nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  pair[1].size -= 8;
  FAILS(NNP_E_SAVE_TRUNCATED, "buffer", nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  pair[1].buffer = NULL;
  FAILS(NNP_E_NULL, "number 1 is NULL", nnp_draws_merge(pair, 2, out, DRAWS, NULL, &err));
  OK(nnp_draws_saved(first.buffer, first.size, &told, &err));
  ((unsigned char *)(size_t)first.buffer)[first.size - 3] ^= 4;
  FAILS(NNP_E_SAVE_CORRUPTED, "checksum", nnp_draws_saved(first.buffer, first.size, &told, &err));
  FAILS(NNP_E_SIZE, "count = 0", nnp_draws_merge(pair, 0, out, DRAWS, NULL, &err));
  const nnp_saved saves[] = {first, again, other_net, other_data, fewer, other_seed};
  for (int i = 0; i < 6; ++i) drop(saves[i]);
  free(out);
  free_model(m);
  free_model(wider);
  free_model(shifted);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_merged_draws_are_those_of_one_process);
  RUN_TEST(test_what_cannot_be_merged);
  return UNITY_END();
}
