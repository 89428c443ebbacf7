/* HMC, MALA and NUTS through the C API: what is refused, warm-up, statistics, saving, threads. */
#include <math.h>
#include <stdio.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/problem.h"
#include "tests/support/watched.h"

enum { ROWS = 70 };

static const int32_t samplers[] = {NNP_HMC, NNP_MALA, NNP_NUTS};
static const int32_t posteriors[] = {NNP_INTERMEDIATE, NNP_CLASSICAL};
static const int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};

/* The call fails with this status, and its sentence holds these words. */
#define FAILS(expected, words, call)                                      \
  do {                                                                    \
    nnp_error fails_err_ = {0, ""};                                       \
    nnp_error *e = &fails_err_;                                           \
    const int32_t fails_status_ = (call);                                 \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, fails_status_, e->message); \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, e->status, "err->status");  \
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(e->message, words), e->message);  \
  } while (0)

static nnp_chain *make_chain(const Problem *p, int32_t sampler, int32_t posterior) {
  nnp_chain *chain = NULL;
  OK(nnp_chain_create(&chain, p->net, p->data, sampler, posterior, e));
  OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, sampler == NNP_MALA ? 1e-3 : 0.05, e));
  if (sampler == NNP_NUTS && only_watched()) OK(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 3, e));
  return chain;
}

static int same_parameters(const Problem *p, const nnp_chain *a, const nnp_chain *b) {
  double *left = problem_doubles(p->parameters), *right = problem_doubles(p->parameters);
  int same;
  OK(nnp_chain_parameters(a, left, e));
  OK(nnp_chain_parameters(b, right, e));
  same = memcmp(left, right, sizeof(double) * (size_t)p->parameters) == 0;
  free(left);
  free(right);
  return same;
}

static int same_state(const Problem *p, int32_t posterior, const nnp_chain *a, const nnp_chain *b) {
  return posterior == NNP_CLASSICAL ? same_parameters(p, a, b) : problem_same(p, a, b);
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void test_options_out_of_bounds(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *hmc = make_chain(&p, NNP_HMC, NNP_CLASSICAL);
  nnp_chain *nuts = make_chain(&p, NNP_NUTS, NNP_CLASSICAL);
  FAILS(NNP_E_VALUE, "step_size = 0", nnp_chain_set(hmc, NNP_OPTION_STEP_SIZE, 0, e));
  FAILS(NNP_E_VALUE, "step_size = -1", nnp_chain_set(hmc, NNP_OPTION_STEP_SIZE, -1, e));
  FAILS(NNP_E_VALUE, "step_size = nan", nnp_chain_set(hmc, NNP_OPTION_STEP_SIZE, NAN, e));
  FAILS(NNP_E_VALUE, "step_size = inf", nnp_chain_set(hmc, NNP_OPTION_STEP_SIZE, INFINITY, e));
  FAILS(NNP_E_VALUE, "leapfrogs = 0", nnp_chain_set(hmc, NNP_OPTION_LEAPFROGS, 0, e));
  FAILS(NNP_E_VALUE, "leapfrogs = 2.5", nnp_chain_set(hmc, NNP_OPTION_LEAPFROGS, 2.5, e));
  FAILS(NNP_E_VALUE, "jitter = 1.5", nnp_chain_set(hmc, NNP_OPTION_JITTER, 1.5, e));
  FAILS(NNP_E_VALUE, "target = 0", nnp_chain_set(hmc, NNP_OPTION_TARGET, 0, e));
  FAILS(NNP_E_VALUE, "above 0 and below 1", nnp_chain_set(hmc, NNP_OPTION_TARGET, 1, e));
  FAILS(NNP_E_VALUE, "max_depth = 0", nnp_chain_set(nuts, NNP_OPTION_MAX_DEPTH, 0, e));
  FAILS(NNP_E_VALUE, "max_depth = 13", nnp_chain_set(nuts, NNP_OPTION_MAX_DEPTH, 13, e));
  FAILS(NNP_E_VALUE, "warmup = -1", nnp_chain_set(hmc, NNP_OPTION_WARMUP, -1, e));
  FAILS(NNP_E_VALUE, "adapt_step = 2", nnp_chain_set(hmc, NNP_OPTION_ADAPT_STEP, 2, e));
  FAILS(NNP_E_OPTION, "leapfrogs: sampler nuts", nnp_chain_set(nuts, NNP_OPTION_LEAPFROGS, 3, e));
  FAILS(NNP_E_OPTION, "schedule: sampler hmc",
        nnp_chain_set(hmc, NNP_OPTION_SCHEDULE, NNP_PARALLEL, e));
  FAILS(NNP_E_OPTION, "step_size: sampler gibbs",
        nnp_chain_set(p.chain, NNP_OPTION_STEP_SIZE, 1, e));
  nnp_chain_free(hmc);
  nnp_chain_free(nuts);
  problem_free(&p);
}

static void test_defaults(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  const double targets[] = {0.8, 0.574, 0.8};
  int s;
  for (s = 0; s < 3; ++s) {
    nnp_chain *chain = NULL;
    double value = 0;
    OK(nnp_chain_create(&chain, p.net, p.data, samplers[s], NNP_CLASSICAL, e));
    OK(nnp_chain_get(chain, NNP_OPTION_TARGET, &value, e));
    TEST_ASSERT_TRUE(value == targets[s]);
    nnp_chain_free(chain);
  }
  problem_free(&p);
}

/* A network with one activation, and the chain that is tried on it. */
static int32_t create_with(int32_t activation, int32_t sampler, int32_t posterior, nnp_error *e) {
  nnp_net *net = NULL;
  nnp_data *data = problem_data(10, 3, 1, NNP_GAUSSIAN, 1);
  nnp_chain *chain = NULL;
  int32_t status;
  nnp_net_create(&net, 3, NULL);
  nnp_net_dense(net, 2, NULL);
  nnp_net_activation(net, activation, NULL);
  nnp_net_dense(net, 1, NULL);
  nnp_net_head(net, NNP_GAUSSIAN, NULL);
  status = nnp_chain_create(&chain, net, data, sampler, posterior, e);
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  return status;
}

static void test_what_samplers_cannot_handle(void) {
  int s, q;
  int32_t a;
  for (s = 0; s < 3; ++s)
    for (q = 0; q < 2; ++q) {
      FAILS(NNP_E_UNSUPPORTED, "layer 2 (sign)",
            create_with(NNP_SIGN, samplers[s], posteriors[q], e));
      OK(create_with(NNP_GELU, samplers[s], posteriors[q], e));
    }
  for (a = NNP_TANH; a <= NNP_GELU; ++a)
    FAILS(NNP_E_UNSUPPORTED, "layer 2", create_with(a, NNP_GIBBS, NNP_INTERMEDIATE, e));
  FAILS(NNP_E_UNSUPPORTED, "tanh", create_with(NNP_TANH, NNP_GIBBS, NNP_INTERMEDIATE, e));
  FAILS(NNP_E_UNSUPPORTED, "classical", create_with(NNP_RELU, NNP_GIBBS, NNP_CLASSICAL, e));
  FAILS(NNP_E_ENUM, "sampler = 5", create_with(NNP_RELU, 5, NNP_CLASSICAL, e));
  FAILS(NNP_E_ENUM, "posterior = 3", create_with(NNP_RELU, NNP_HMC, 3, e));
}

/* Weights so large that outputs or their squares are not finite. */
static void test_starts_without_a_density(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  double *params = problem_doubles(p.parameters);
  int s, q;
  int64_t i;
  for (s = 0; s < 3; ++s)
    for (q = 0; q < 2; ++q) {
      nnp_chain *chain = make_chain(&p, samplers[s], posteriors[q]);
      for (i = 0; i < p.parameters; ++i) params[i] = 1e200;
      OK(nnp_chain_start_weights(chain, params, 0, 1, 0, e));
      FAILS(NNP_E_NOT_FINITE, "layer 3", nnp_chain_run(chain, 1, NULL, NULL, e));
      for (i = 0; i < p.parameters; ++i) params[i] = 1e80;
      OK(nnp_chain_start_weights(chain, params, 0, 1, 0, e));
      FAILS(NNP_E_NOT_FINITE, "layer 3", nnp_chain_run(chain, 1, NULL, NULL, e));
      for (i = 0; i < p.parameters; ++i) params[i] = i == 0 ? 1e170 : 0;
      OK(nnp_chain_start_weights(chain, params, 0, 1, 0, e));
      FAILS(NNP_E_NOT_FINITE, "layer 1", nnp_chain_run(chain, 1, NULL, NULL, e));
      /* a good start mends it */
      OK(nnp_chain_start(chain, NNP_START_SMALL, 1, 0, e));
      OK(nnp_chain_run(chain, 1, NULL, NULL, e));
      nnp_chain_free(chain);
    }
  free(params);
  problem_free(&p);
}

/* A chain on 80 rows of zeros, but for row 66: `x` in all three inputs, target `y`. */
static nnp_chain *odd_row(int32_t sampler, int32_t posterior, double x, double y, double noise,
                          nnp_net **net, nnp_data **data) {
  double inputs[80 * 3] = {0}, targets[80] = {0};
  nnp_chain *chain = NULL;
  inputs[66 * 3] = inputs[66 * 3 + 1] = inputs[66 * 3 + 2] = x;
  targets[66] = y;
  OK(nnp_net_create(net, 3, e));
  OK(nnp_net_dense(*net, 2, e));
  OK(nnp_net_activation(*net, NNP_RELU, e));
  OK(nnp_net_dense(*net, 1, e));
  OK(nnp_net_head(*net, NNP_GAUSSIAN, e));
  OK(nnp_net_set(*net, NNP_ALL_LAYERS, NNP_NOISE, noise, e));
  OK(nnp_net_set(*net, NNP_ALL_LAYERS, NNP_BIAS, 0, e));
  OK(nnp_data_create(data, 80, 3, 1, e));
  OK(nnp_data_set_inputs(*data, inputs, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(*data, targets, NNP_ROW_MAJOR, e));
  OK(nnp_chain_create(&chain, *net, *data, sampler, posterior, e));
  return chain;
}

static void odd_row_fails(int32_t sampler, int32_t posterior, const double *odd, const double *w,
                          const char *layer, const char *row) {
  nnp_net *net = NULL;
  nnp_data *data = NULL;
  nnp_chain *chain = odd_row(sampler, posterior, odd[0], odd[1], odd[2], &net, &data);
  const double params[] = {w[0], w[0], w[0], w[0], w[0], w[0], w[1], w[1]};
  nnp_error err = {0, ""};
  OK(nnp_chain_start_weights(chain, params, 0, 1, 0, e));
  TEST_ASSERT_EQUAL_INT(NNP_E_NOT_FINITE, nnp_chain_run(chain, 1, NULL, NULL, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, layer), err.message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, row), err.message);
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

/* What makes a density or gradient infinite is named: the layer, and the row if it is one row. */
static void test_starts_without_a_density_name_the_row(void) {
  /* x, y, noise of the row; weights of both layers */
  static const double plain[] = {1, 1, 0.1}, large[] = {1e300, 1, 1e-12},
                      fine[] = {0, 1e-10, 1e-170};
  static const double w200[] = {1e200, 1e200}, w80[] = {1e80, 1e80}, w1[] = {1e-300, 1},
                      w150[] = {0, 1e150};
  int s, q;
  for (s = 0; s < 3; ++s)
    for (q = 0; q < 2; ++q) {
      odd_row_fails(samplers[s], posteriors[q], plain, w200, "layer 3 gives", "row 66");
      odd_row_fails(samplers[s], posteriors[q], plain, w80, "layer 3 misses", "row 66");
      if (posteriors[q] == NNP_CLASSICAL)
        odd_row_fails(samplers[s], posteriors[q], large, w1, "gradient of parameter 0", "layer 1");
      else
        odd_row_fails(samplers[s], posteriors[q], fine, w150, "gradient of site 2", "row 66");
    }
}

static int32_t stop_at_40(const nnp_progress *progress, void *user) {
  (void)user;
  return progress->step == 40;
}

static void test_warmup_must_fit(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *chain = make_chain(&p, NNP_NUTS, NNP_CLASSICAL);
  double *draws = problem_doubles(p.parameters * 200);
  OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 100, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
  FAILS(NNP_E_VALUE, "steps = 99", nnp_chain_run(chain, 99, NULL, NULL, e));
  FAILS(NNP_E_VALUE, "warm-up", nnp_chain_sample(chain, draws, 200, 1, NULL, NULL, e));
  OK(nnp_chain_run(chain, 0, NULL, NULL, e));
  FAILS(NNP_STOPPED, "stop", nnp_chain_run(chain, 100, stop_at_40, NULL, e));
  FAILS(NNP_E_VALUE, "still has 60", nnp_chain_run(chain, 59, NULL, NULL, e));
  FAILS(NNP_E_VALUE, "60 steps", nnp_chain_sample(chain, draws, 200, 1, NULL, NULL, e));
  OK(nnp_chain_run(chain, 60, NULL, NULL, e));
  OK(nnp_chain_sample(chain, draws, 200, 1, NULL, NULL, e));
  free(draws);
  nnp_chain_free(chain);
  problem_free(&p);
}

static void test_what_other_chains_do_not_have(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *hmc = make_chain(&p, NNP_HMC, NNP_CLASSICAL);
  double value = 0, *scales = problem_doubles(p.parameters);
  OK(nnp_chain_start(p.chain, NNP_START_PRIOR, 1, 0, e));
  FAILS(NNP_E_UNSUPPORTED, "gibbs", nnp_chain_statistic(p.chain, NNP_STEP_ENERGY, &value, e));
  FAILS(NNP_E_UNSUPPORTED, "gibbs", nnp_chain_record(p.chain, &value, 1, e));
  FAILS(NNP_E_UNSUPPORTED, "gibbs", nnp_chain_scales(p.chain, scales, e));
  FAILS(NNP_E_UNSUPPORTED, "gibbs", nnp_chain_set_scales(p.chain, scales, e));
  FAILS(NNP_E_NOT_STARTED, "start", nnp_chain_statistic(hmc, NNP_STEP_ENERGY, &value, e));
  OK(nnp_chain_start(hmc, NNP_START_PRIOR, 1, 0, e));
  FAILS(NNP_E_ENUM, "statistic = 0", nnp_chain_statistic(hmc, 0, &value, e));
  FAILS(NNP_E_ENUM, "statistic = 9", nnp_chain_statistic(hmc, 9, &value, e));
  FAILS(NNP_E_NULL, "value", nnp_chain_statistic(hmc, 1, NULL, e));
  FAILS(NNP_E_SIZE, "capacity = 0", nnp_chain_record(hmc, &value, 0, e));
  FAILS(NNP_E_VALUE, "entry 0 is 0", nnp_chain_set_scales(hmc, scales, e));
  FAILS(NNP_E_UNSUPPORTED, "classical", nnp_chain_site(hmc, 1, scales, e));
  free(scales);
  nnp_chain_free(hmc);
  problem_free(&p);
}

/* ---- statistics ---------------------------------------------------------------------------- */

typedef struct Seen {
  double last[NNP_STEP_STATISTICS];
  int64_t calls;
} Seen;

static int32_t look(const nnp_progress *progress, void *user) {
  Seen *seen = (Seen *)user;
  int32_t s;
  for (s = 0; s < NNP_STEP_STATISTICS; ++s)
    if (nnp_chain_statistic(progress->chain, NNP_STEP_LOG_DENSITY + s, seen->last + s, NULL) !=
        NNP_OK)
      return 1;
  ++seen->calls;
  return 0;
}

static void check_statistics(const Problem *p, int32_t sampler, int32_t posterior) {
  enum { STEPS = 30, KEPT = 20 };
  nnp_chain *chain = make_chain(p, sampler, posterior);
  double values[KEPT * NNP_STEP_STATISTICS], log_density = 0;
  Seen seen;
  int64_t count = -1, i;
  memset(&seen, 0, sizeof seen);
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 3, 0, e));
  OK(nnp_chain_record(chain, values, KEPT, e));
  OK(nnp_chain_run(chain, KEPT, look, &seen, e));
  TEST_ASSERT_EQUAL_INT64(KEPT, seen.calls);
  TEST_ASSERT_EQUAL_MEMORY(values + (KEPT - 1) * NNP_STEP_STATISTICS, seen.last, sizeof seen.last);
  OK(nnp_chain_log_density(chain, &log_density, e));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + fabs(log_density)), log_density, seen.last[0]);
  OK(nnp_chain_run(chain, STEPS - KEPT, NULL, NULL, e)); /* beyond the last place */
  OK(nnp_chain_recorded(chain, &count, e));
  TEST_ASSERT_EQUAL_INT64(KEPT, count);
  for (i = 0; i < KEPT; ++i) {
    const double *row = values + i * NNP_STEP_STATISTICS;
    const double leapfrogs = row[NNP_STEP_LEAPFROGS - NNP_STEP_LOG_DENSITY],
                 depth = row[NNP_STEP_DEPTH - NNP_STEP_LOG_DENSITY];
    TEST_ASSERT_TRUE(row[NNP_STEP_ENERGY - NNP_STEP_LOG_DENSITY] > -row[0]);
    TEST_ASSERT_TRUE(row[NNP_STEP_ACCEPTANCE - NNP_STEP_LOG_DENSITY] >= 0 &&
                     row[NNP_STEP_ACCEPTANCE - NNP_STEP_LOG_DENSITY] <= 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, sampler == NNP_MALA ? 1e-3 : 0.05,
                              row[NNP_STEP_SIZE - NNP_STEP_LOG_DENSITY]);
    /* a path that has gone to infinity ends early */
    const int whole = leapfrogs == (sampler == NNP_HMC ? 10 : 1);
    const int plain = (whole || row[NNP_STEP_DIVERGENT - NNP_STEP_LOG_DENSITY] == 1) && depth == 0;
    const int doubled = leapfrogs >= pow(2, depth) - 1 && leapfrogs < pow(2, depth + 1);
    TEST_ASSERT_TRUE(sampler == NNP_NUTS ? doubled : plain);
    TEST_ASSERT_TRUE(row[NNP_STEP_DIVERGENT - NNP_STEP_LOG_DENSITY] == 0 ||
                     row[NNP_STEP_DIVERGENT - NNP_STEP_LOG_DENSITY] == 1);
  }
  OK(nnp_chain_record(chain, NULL, 0, e));
  OK(nnp_chain_run(chain, 1, NULL, NULL, e));
  nnp_chain_free(chain);
}

static void test_statistics(void) {
  int h, s, q;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], ROWS);
    for (s = 0; s < 3; ++s)
      for (q = 0; q < 2; ++q) check_statistics(&p, samplers[s], posteriors[q]);
    problem_free(&p);
  }
}

/* A step far too long diverges, and stays where it was. */
static void test_divergences_are_counted(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  int s;
  for (s = 0; s < 3; ++s) {
    nnp_chain *chain = make_chain(&p, samplers[s], NNP_CLASSICAL);
    nnp_chain *twin = make_chain(&p, samplers[s], NNP_CLASSICAL);
    double value = 0;
    OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 1e3, e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 3, 0, e));
    OK(nnp_chain_start(twin, NNP_START_PRIOR, 3, 0, e));
    OK(nnp_chain_run(chain, 7, NULL, NULL, e));
    OK(nnp_chain_statistic(chain, NNP_STEP_DIVERGENT, &value, e));
    TEST_ASSERT_TRUE(value == 1);
    OK(nnp_chain_statistic(chain, NNP_STEP_DIVERGENCES, &value, e));
    TEST_ASSERT_TRUE(value == 7);
    OK(nnp_chain_statistic(chain, NNP_STEP_ACCEPTANCE, &value, e));
    TEST_ASSERT_TRUE(value == 0);
    TEST_ASSERT_TRUE(same_parameters(&p, chain, twin));
    nnp_chain_free(chain);
    nnp_chain_free(twin);
  }
  problem_free(&p);
}

/* ---- the same draws ------------------------------------------------------------------------ */

static void test_the_same_draws_on_any_number_of_threads(void) {
  int h, s, q;
  nnp_pool *pool = NULL;
  if (nnp_pool_create(&pool, 3, NULL) != NNP_OK) return;
  for (h = 0; h < 3; ++h) {
    Problem p = problem_make(heads[h], 1500);
    for (s = 0; s < 3; ++s)
      for (q = 0; q < 2; ++q) {
        nnp_chain *alone = make_chain(&p, samplers[s], posteriors[q]);
        nnp_chain *together = make_chain(&p, samplers[s], posteriors[q]);
        OK(nnp_chain_use_pool(together, pool, e));
        OK(nnp_chain_set(alone, NNP_OPTION_STEP_SIZE, 1e-4, e));
        OK(nnp_chain_set(together, NNP_OPTION_STEP_SIZE, 1e-4, e));
        OK(nnp_chain_start(alone, NNP_START_PRIOR, 3, 0, e));
        OK(nnp_chain_start(together, NNP_START_PRIOR, 3, 0, e));
        if (samplers[s] == NNP_NUTS) OK(nnp_chain_set(alone, NNP_OPTION_MAX_DEPTH, 4, e));
        if (samplers[s] == NNP_NUTS) OK(nnp_chain_set(together, NNP_OPTION_MAX_DEPTH, 4, e));
        OK(nnp_chain_run(alone, 3, NULL, NULL, e));
        OK(nnp_chain_run(together, 3, NULL, NULL, e));
        TEST_ASSERT_TRUE(same_state(&p, posteriors[q], alone, together));
        nnp_chain_free(alone);
        nnp_chain_free(together);
      }
    problem_free(&p);
  }
  nnp_pool_free(pool);
}

static int32_t stop_at(const nnp_progress *progress, void *user) {
  return progress->step == *(const int64_t *)user;
}

/* Saved in the middle of a warm-up of 200 steps, or after it, and restored into another chain. */
static void check_restored(const Problem *p, int32_t sampler, int32_t posterior, int64_t at) {
  nnp_chain *chain = make_chain(p, sampler, posterior), *other = NULL;
  const int64_t total = 230;
  double left[NNP_STEP_STATISTICS], right[NNP_STEP_STATISTICS];
  int64_t steps = at;
  size_t bytes = 0;
  void *block;
  int32_t s;
  OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 200, e));
  OK(nnp_chain_set(chain, NNP_OPTION_JITTER, 0.2, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, e));
  if (at > 0) TEST_ASSERT_EQUAL(NNP_STOPPED, nnp_chain_run(chain, total, stop_at, &steps, NULL));
  OK(nnp_chain_save_bytes(chain, &bytes, e));
  block = calloc(bytes, 1);
  TEST_ASSERT_NOT_NULL(block);
  OK(nnp_chain_save(chain, block, bytes, e));
  OK(nnp_chain_create(&other, p->net, p->data, sampler, posterior, e));
  OK(nnp_chain_restore(other, block, bytes, e));
  TEST_ASSERT_TRUE(same_state(p, posterior, chain, other));
  OK(nnp_chain_run(chain, total - at, NULL, NULL, e));
  OK(nnp_chain_run(other, total - at, NULL, NULL, e));
  TEST_ASSERT_TRUE(same_state(p, posterior, chain, other));
  for (s = 0; s < NNP_STEP_STATISTICS; ++s) {
    OK(nnp_chain_statistic(chain, NNP_STEP_LOG_DENSITY + s, left + s, e));
    OK(nnp_chain_statistic(other, NNP_STEP_LOG_DENSITY + s, right + s, e));
  }
  TEST_ASSERT_EQUAL_MEMORY(left, right, sizeof left);
  free(block);
  nnp_chain_free(chain);
  nnp_chain_free(other);
}

static void test_restored_chains_go_on_bit_for_bit(void) {
  static const int64_t points[] = {0, 1, 40, 99, 150, 199, 200, 215};
  int s, q, i;
  const int stride = (int)shortened(1, 3); /* at the start, within the warm-up, at its end */
  Problem p = problem_make(NNP_GAUSSIAN, 20);
  Problem classes = problem_make(NNP_ARGMAX, 5);
  for (s = 0; s < 3; ++s)
    for (q = 0; q < 2; ++q)
      for (i = 0; i < 8; i += stride) {
        check_restored(&p, samplers[s], posteriors[q], points[i]);
        if (i % 4 == 2) check_restored(&classes, samplers[s], posteriors[q], points[i]);
      }
  problem_free(&p);
  problem_free(&classes);
}

/* ---- scales -------------------------------------------------------------------------------- */

static void test_scales(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  int q;
  for (q = 0; q < 2; ++q) {
    nnp_chain *chain = make_chain(&p, NNP_HMC, posteriors[q]);
    int64_t variables = 0, i;
    double *given, *found;
    int changed = 0;
    OK(nnp_chain_variables(chain, &variables, e));
    TEST_ASSERT_EQUAL_INT64(p.parameters + (q == 0 ? p.latents * p.n : 0), variables);
    given = problem_doubles(variables);
    found = problem_doubles(variables);
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
    OK(nnp_chain_scales(chain, found, e));
    for (i = 0; i < variables; ++i) TEST_ASSERT_TRUE(found[i] == 1);
    for (i = 0; i < variables; ++i) given[i] = 0.5 + 0.001 * (double)i;
    OK(nnp_chain_set_scales(chain, given, e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
    OK(nnp_chain_run(chain, 2, NULL, NULL, e));
    OK(nnp_chain_scales(chain, found, e));
    TEST_ASSERT_EQUAL_MEMORY(given, found, sizeof(double) * (size_t)variables);
    OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 150, e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
    OK(nnp_chain_run(chain, 160, NULL, NULL, e));
    OK(nnp_chain_scales(chain, found, e));
    for (i = 0; i < variables; ++i) changed += found[i] != given[i] && found[i] > 0;
    TEST_ASSERT_EQUAL_INT64(variables, changed);
    OK(nnp_chain_set_scales(chain, NULL, e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
    OK(nnp_chain_scales(chain, found, e));
    TEST_ASSERT_TRUE(found[0] == 1 && found[variables - 1] == 1);
    free(given);
    free(found);
    nnp_chain_free(chain);
  }
  problem_free(&p);
}

/* Adaptation ends with the warm-up: step and scales stay, and the step is not the option's. */
static void test_warmup_is_frozen(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  int s;
  for (s = 0; s < 3; ++s) {
    nnp_chain *chain = make_chain(&p, samplers[s], NNP_CLASSICAL);
    double *before = problem_doubles(p.parameters), *after = problem_doubles(p.parameters);
    double first = 0, last = 0;
    OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 300, e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
    OK(nnp_chain_run(chain, 301, NULL, NULL, e));
    OK(nnp_chain_scales(chain, before, e));
    OK(nnp_chain_statistic(chain, NNP_STEP_SIZE, &first, e));
    OK(nnp_chain_run(chain, 100, NULL, NULL, e));
    OK(nnp_chain_scales(chain, after, e));
    OK(nnp_chain_statistic(chain, NNP_STEP_SIZE, &last, e));
    TEST_ASSERT_TRUE(first == last && first != 0.05 && first > 0);
    TEST_ASSERT_EQUAL_MEMORY(before, after, sizeof(double) * (size_t)p.parameters);
    /* a step size set later is taken as it is */
    OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 0.0123, e));
    OK(nnp_chain_run(chain, 1, NULL, NULL, e));
    OK(nnp_chain_statistic(chain, NNP_STEP_SIZE, &last, e));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0123, last);
    free(before);
    free(after);
    nnp_chain_free(chain);
  }
  problem_free(&p);
}

static double step_size(const nnp_chain *chain) {
  double value = 0;
  OK(nnp_chain_statistic(chain, NNP_STEP_SIZE, &value, e));
  return value;
}

/* Mean acceptance of `steps` more steps. */
static double acceptance_of(nnp_chain *chain, int64_t steps) {
  double *values = problem_doubles(steps * NNP_STEP_STATISTICS), mean = 0;
  int64_t i;
  OK(nnp_chain_record(chain, values, steps, e));
  OK(nnp_chain_run(chain, steps, NULL, NULL, e));
  OK(nnp_chain_record(chain, NULL, 0, e));
  for (i = 0; i < steps; ++i)
    mean += values[i * NNP_STEP_STATISTICS + NNP_STEP_ACCEPTANCE - NNP_STEP_LOG_DENSITY] /
            (double)steps;
  free(values);
  return mean;
}

/* A warm-up asked for after some steps begins around a step that was tried, as one from the start
 * does: from a step far too small it ends near the acceptance aimed at, as near as 980 steps from a
 * start in the prior bring it. */
static void test_a_warmup_may_begin_late(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  const double targets[] = {0.8, 0.574, 0.8};
  int s, way;
  for (s = 0; s < 3; ++s)
    for (way = 0; way < 2; ++way) {
      nnp_chain *chain = make_chain(&p, samplers[s], NNP_CLASSICAL);
      double before, first;
      int64_t stop = 20;
      OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 1e-8, e));
      if (samplers[s] == NNP_NUTS) OK(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 6, e));
      if (way == 1) { /* the warm-up runs, but leaves the step alone at first */
        OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 2000, e));
        OK(nnp_chain_set(chain, NNP_OPTION_ADAPT_STEP, 0, e));
        OK(nnp_chain_set(chain, NNP_OPTION_ADAPT_MASS, 0, e));
      }
      OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
      if (way == 0) {
        OK(nnp_chain_run(chain, 20, NULL, NULL, e));
        OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 2000, e));
      } else {
        TEST_ASSERT_EQUAL(NNP_STOPPED, nnp_chain_run(chain, 2000, stop_at, &stop, NULL));
        OK(nnp_chain_set(chain, NNP_OPTION_ADAPT_STEP, 1, e));
      }
      before = step_size(chain);
      TEST_ASSERT_DOUBLE_WITHIN(1e-20, 1e-8, before);
      stop = 1;
      TEST_ASSERT_EQUAL(NNP_STOPPED, nnp_chain_run(chain, 1980, stop_at, &stop, NULL));
      first = step_size(chain);
      TEST_ASSERT_TRUE(first > 1e-6 && first < 1);
      OK(nnp_chain_run(chain, 1979, NULL, NULL, e));
      VERDICT(fabs(acceptance_of(chain, 1000) - targets[s]) <= 0.15);
      nnp_chain_free(chain);
    }
  problem_free(&p);
}

/* A warm-up cut short freezes the average of the steps tried, as one that ends by itself: twins
 * whose options say the same from there on go the same way. */
static void test_a_warmup_may_end_early(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  int s, way;
  for (s = 0; s < 3; ++s)
    for (way = 0; way < 2; ++way) {
      nnp_chain *chain = make_chain(&p, samplers[s], NNP_CLASSICAL);
      nnp_chain *planned = make_chain(&p, samplers[s], NNP_CLASSICAL);
      int64_t stop = 60; /* before the windows of 400, which 60 steps would not have */
      OK(nnp_chain_set(chain, NNP_OPTION_ADAPT_MASS, 0, e));
      OK(nnp_chain_set(planned, NNP_OPTION_ADAPT_MASS, 0, e));
      OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 400, e));
      OK(nnp_chain_set(planned, NNP_OPTION_WARMUP, 60, e));
      OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
      OK(nnp_chain_start(planned, NNP_START_PRIOR, 1, 0, e));
      TEST_ASSERT_EQUAL(NNP_STOPPED, nnp_chain_run(chain, 400, stop_at, &stop, NULL));
      OK(nnp_chain_run(planned, 60, NULL, NULL, e));
      if (way == 0)
        OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 10, e));
      else
        OK(nnp_chain_set(chain, NNP_OPTION_ADAPT_STEP, 0, e));
      OK(nnp_chain_run(chain, 400, NULL, NULL, e));
      OK(nnp_chain_run(planned, 400, NULL, NULL, e));
      TEST_ASSERT_TRUE(step_size(chain) == step_size(planned));
      TEST_ASSERT_TRUE(same_parameters(&p, chain, planned));
      nnp_chain_free(chain);
      nnp_chain_free(planned);
    }
  problem_free(&p);
}

/* After a start nothing is known of steps: all statistics are NaN, and no step has diverged. */
static void test_a_start_forgets_statistics(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  int s, turn;
  for (s = 0; s < 3; ++s) {
    nnp_chain *chain = make_chain(&p, samplers[s], NNP_CLASSICAL);
    OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 1e3, e));
    for (turn = 0; turn < 2; ++turn) {
      int32_t which;
      double value = 0;
      OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, e));
      for (which = NNP_STEP_LOG_DENSITY; which <= NNP_STEP_DIVERGENCES; ++which) {
        OK(nnp_chain_statistic(chain, which, &value, e));
        TEST_ASSERT_TRUE(which == NNP_STEP_DIVERGENCES ? value == 0 : isnan(value));
      }
      OK(nnp_chain_run(chain, 3, NULL, NULL, e));
      OK(nnp_chain_statistic(chain, NNP_STEP_DIVERGENCES, &value, e));
      TEST_ASSERT_TRUE(value == 3);
    }
    nnp_chain_free(chain);
  }
  problem_free(&p);
}

static void test_start_small(void) {
  Problem p = problem_make(NNP_ARGMAX, ROWS);
  nnp_chain *hmc = make_chain(&p, NNP_HMC, NNP_INTERMEDIATE);
  nnp_chain *chains[2];
  int c;
  chains[0] = hmc;
  chains[1] = p.chain;
  for (c = 0; c < 2; ++c) {
    double *state, sum = 0;
    const int64_t count = p.parameters + p.latents * p.n;
    int64_t i;
    OK(nnp_chain_start(chains[c], NNP_START_SMALL, 9, 0, e));
    state = problem_state(&p, chains[c]);
    for (i = 0; i < count; ++i) {
      TEST_ASSERT_TRUE(fabs(state[i]) < 6e-4);
      sum += state[i] * state[i];
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.15, 1, sum / (double)count / 1e-8);
    free(state);
    OK(nnp_chain_run(chains[c], 2, NULL, NULL, e));
  }
  TEST_ASSERT_EQUAL(NNP_E_ENUM, nnp_chain_start(hmc, 5, 1, 0, NULL));
  nnp_chain_free(hmc);
  problem_free(&p);
}

/* ---- gradients in single precision -------------------------------------------------------- */

static void test_where_there_are_no_single_gradients(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *gibbs = NULL, *sites = make_chain(&p, NNP_HMC, NNP_INTERMEDIATE);
  nnp_chain *classical = make_chain(&p, NNP_NUTS, NNP_CLASSICAL), *pooled = NULL;
  nnp_net *net = NULL;
  nnp_data *data = NULL;
  const double x[4] = {1, 2, 3, 4}, y = 1;
  OK(nnp_chain_create(&gibbs, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  FAILS(NNP_E_OPTION, "sampler gibbs does not have it",
        nnp_chain_set(gibbs, NNP_OPTION_SINGLE_GRADIENTS, 1, e));
  FAILS(NNP_E_UNSUPPORTED, "only the classical posterior",
        nnp_chain_set(sites, NNP_OPTION_SINGLE_GRADIENTS, 1, e));
  FAILS(NNP_E_VALUE, "single_gradients = 2",
        nnp_chain_set(classical, NNP_OPTION_SINGLE_GRADIENTS, 2, e));
  OK(nnp_chain_set(sites, NNP_OPTION_SINGLE_GRADIENTS, 0, e));

  OK(nnp_net_create_image(&net, 1, 2, 2, e));
  OK(nnp_net_maxpool(net, 2, 2, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_data_create(&data, 1, 4, 1, e));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(data, &y, NNP_ROW_MAJOR, e));
  OK(nnp_chain_create(&pooled, net, data, NNP_HMC, NNP_CLASSICAL, e));
  FAILS(NNP_E_UNSUPPORTED, "layer 1 (maxpool) has no gradient in single precision",
        nnp_chain_set(pooled, NNP_OPTION_SINGLE_GRADIENTS, 1, e));
  OK(nnp_chain_start(pooled, NNP_START_PRIOR, 1, 0, e));
  OK(nnp_chain_run(pooled, 3, NULL, NULL, e));
  nnp_chain_free(pooled);
  nnp_data_free(data);
  nnp_net_free(net);
  nnp_chain_free(classical);
  nnp_chain_free(sites);
  nnp_chain_free(gibbs);
  problem_free(&p);
}

/* The option acts at any step, on any number of threads, and comes back from a save. */
static void test_single_gradients(void) {
  Problem p = problem_make(NNP_ARGMAX, 600);
  nnp_pool *pool = NULL;
  size_t s;
  OK(nnp_pool_create(&pool, 2, e));
  for (s = 0; s < 3; ++s) {
    nnp_chain *chains[4];
    unsigned char *buffer;
    size_t bytes = 0;
    double single = 0, gradient = 0;
    int c;
    for (c = 0; c < 4; ++c) {
      chains[c] = make_chain(&p, samplers[s], NNP_CLASSICAL);
      OK(nnp_chain_set(chains[c], NNP_OPTION_STEP_SIZE, samplers[s] == NNP_MALA ? 1e-6 : 1e-3, e));
      if (samplers[s] == NNP_NUTS) OK(nnp_chain_set(chains[c], NNP_OPTION_MAX_DEPTH, 4, e));
      OK(nnp_chain_start(chains[c], NNP_START_PRIOR, 5, 0, e));
      OK(nnp_chain_run(chains[c], 3, NULL, NULL, e));
      if (c == 1) OK(nnp_chain_use_pool(chains[c], pool, e));
      if (c < 2) OK(nnp_chain_set(chains[c], NNP_OPTION_SINGLE_GRADIENTS, 1, e));
      if (c < 3) OK(nnp_chain_run(chains[c], 4, NULL, NULL, e));
    }
    TEST_ASSERT_TRUE(same_parameters(&p, chains[0], chains[1]));
    TEST_ASSERT_FALSE(same_parameters(&p, chains[0], chains[2]));
    OK(nnp_chain_save_bytes(chains[0], &bytes, e));
    buffer = malloc(bytes);
    OK(nnp_chain_save(chains[0], buffer, bytes, e));
    OK(nnp_chain_restore(chains[3], buffer, bytes, e));
    OK(nnp_chain_get(chains[3], NNP_OPTION_SINGLE_GRADIENTS, &single, e));
    TEST_ASSERT_EQUAL_DOUBLE(1, single);
    OK(nnp_chain_gradient_statistic(chains[1], 1, &gradient, e)); /* in doubles: changes nothing */
    for (c = 0; c < 4; ++c) OK(nnp_chain_run(chains[c], 4, NULL, NULL, e));
    TEST_ASSERT_TRUE(same_parameters(&p, chains[0], chains[1]));
    TEST_ASSERT_TRUE(same_parameters(&p, chains[0], chains[3]));
    OK(nnp_chain_save(chains[2], buffer, bytes, e)); /* its entry is 0, as in blocks of old */
    OK(nnp_chain_restore(chains[3], buffer, bytes, e));
    OK(nnp_chain_get(chains[3], NNP_OPTION_SINGLE_GRADIENTS, &single, e));
    TEST_ASSERT_EQUAL_DOUBLE(0, single);
    for (c = 2; c < 4; ++c) OK(nnp_chain_run(chains[c], 4, NULL, NULL, e));
    TEST_ASSERT_TRUE(same_parameters(&p, chains[2], chains[3]));
    free(buffer);
    for (c = 0; c < 4; ++c) nnp_chain_free(chains[c]);
  }
  nnp_pool_free(pool);
  problem_free(&p);
}

void setUp(void) {}
void tearDown(void) {}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_options_out_of_bounds);
  RUN_TEST(test_defaults);
  RUN_TEST(test_what_samplers_cannot_handle);
  RUN_TEST(test_starts_without_a_density);
  RUN_TEST(test_starts_without_a_density_name_the_row);
  RUN_TEST(test_warmup_must_fit);
  RUN_TEST(test_what_other_chains_do_not_have);
  RUN_TEST(test_statistics);
  RUN_TEST(test_divergences_are_counted);
  RUN_TEST(test_the_same_draws_on_any_number_of_threads);
  RUN_TEST(test_restored_chains_go_on_bit_for_bit);
  RUN_TEST(test_scales);
  RUN_TEST(test_warmup_is_frozen);
  RUN_TEST(test_a_warmup_may_begin_late);
  RUN_TEST(test_a_warmup_may_end_early);
  RUN_TEST(test_a_start_forgets_statistics);
  RUN_TEST(test_start_small);
  RUN_TEST(test_where_there_are_no_single_gradients);
  RUN_TEST(test_single_gradients);
  return UNITY_END();
}
