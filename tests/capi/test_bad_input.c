/* Whatever is wrong with a call, it returns a status of its own kind and a sentence that names the
 * argument and its value, and the object works on as if the call had never been made. */
#include <math.h>
#include <stdio.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/problem.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 20, SEED = 7 };

static char seen[1024]; /* what a failing check should tell */

static void check_refusal(int32_t expected, int32_t status, const nnp_error *err, const char *name,
                          const char *value, const char *call) {
  snprintf(seen, sizeof seen, "%s: %s: %s", call, nnp_status_name(status), err->message);
  TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, status, seen);
  TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, err->status, seen);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err->message, name), seen);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err->message, value), seen);
  TEST_ASSERT_NOT_NULL_MESSAGE(memchr(err->message, 0, sizeof err->message), seen);
}

/* The call is made with an error to fill and with none. */
#define REFUSED(expected, name, value, call)                          \
  do {                                                                \
    nnp_error err_ = {-1, "nothing was written"};                     \
    nnp_error *e = &err_;                                             \
    const int32_t status_ = (call);                                   \
    check_refusal(expected, status_, &err_, name, value, #call);      \
    e = NULL;                                                         \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, (call), "err == NULL"); \
  } while (0)

#define IS_NULL(name, call) REFUSED(NNP_E_NULL, name, "NULL", call)

/* A problem and its twin: what happens to the one must not matter, which running both shows. */
typedef struct Twins {
  Problem p;
  nnp_chain *twin;
} Twins;

static Twins make_twins(int32_t head) {
  Twins t;
  t.p = problem_make(head, ROWS);
  t.twin = NULL;
  OK(nnp_chain_create(&t.twin, t.p.net, t.p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(t.p.chain, NNP_START_PRIOR, SEED, 0, e));
  OK(nnp_chain_start(t.twin, NNP_START_PRIOR, SEED, 0, e));
  OK(nnp_chain_run(t.p.chain, 5, NULL, NULL, e));
  OK(nnp_chain_run(t.twin, 5, NULL, NULL, e));
  return t;
}

static void check_twins(Twins *t) {
  int64_t steps = 0, twin_steps = 0;
  TEST_ASSERT_TRUE_MESSAGE(problem_same(&t->p, t->p.chain, t->twin), "before running on");
  OK(nnp_chain_run(t->p.chain, 5, NULL, NULL, e));
  OK(nnp_chain_run(t->twin, 5, NULL, NULL, e));
  TEST_ASSERT_TRUE_MESSAGE(problem_same(&t->p, t->p.chain, t->twin), "after running on");
  OK(nnp_chain_steps(t->p.chain, &steps, e));
  OK(nnp_chain_steps(t->twin, &twin_steps, e));
  TEST_ASSERT_EQUAL_INT64(twin_steps, steps);
}

static void free_twins(Twins *t) {
  nnp_chain_free(t->twin);
  problem_free(&t->p);
}

/* ---- NULL ------------------------------------------------------------------------------------ */

static void test_null_for_networks(void) {
  nnp_net *net = NULL, *made = problem_net(NNP_GAUSSIAN);
  double memory[64], value;
  int64_t a = 0, b = 0, c = 0, shape[3];
  char text[16];
  IS_NULL("net", nnp_net_create(NULL, 3, e));
  IS_NULL("bytes", nnp_net_bytes(4, NULL, e));
  IS_NULL("net", nnp_net_init(NULL, memory, sizeof memory, 4, 3, e));
  IS_NULL("memory", nnp_net_init(&net, NULL, 4096, 4, 3, e));
  TEST_ASSERT_NULL(net);
  IS_NULL("net", nnp_net_copy(&net, NULL, e));
  IS_NULL("net", nnp_net_init_copy(&net, memory, sizeof memory, 4, NULL, e));
  IS_NULL("net", nnp_net_temperature(NULL, &value, e));
  IS_NULL("net", nnp_net_dense(NULL, 3, e));
  IS_NULL("net", nnp_net_activation(NULL, NNP_RELU, e));
  IS_NULL("net", nnp_net_head(NULL, NNP_GAUSSIAN, e));
  IS_NULL("net", nnp_net_set(NULL, 1, NNP_NOISE, 1, e));
  IS_NULL("net", nnp_net_get(NULL, 1, NNP_NOISE, &value, e));
  IS_NULL("value", nnp_net_get(made, 1, NNP_NOISE, NULL, e));
  IS_NULL("net", nnp_net_layers(NULL, &a, e));
  IS_NULL("layers", nnp_net_layers(made, NULL, e));
  IS_NULL("net", nnp_net_parameters(NULL, &a, e));
  IS_NULL("parameters", nnp_net_parameters(made, NULL, e));
  IS_NULL("net", nnp_net_outputs(NULL, &a, e));
  IS_NULL("outputs", nnp_net_outputs(made, NULL, e));
  IS_NULL("net", nnp_net_latents(NULL, &a, e));
  IS_NULL("latents", nnp_net_latents(made, NULL, e));
  IS_NULL("net", nnp_net_layer(NULL, 1, &a, &b, &c, e));
  IS_NULL("first", nnp_net_layer(made, 1, NULL, &b, &c, e));
  IS_NULL("weights", nnp_net_layer(made, 1, &a, NULL, &c, e));
  IS_NULL("biases", nnp_net_layer(made, 1, &a, &b, NULL, e));
  IS_NULL("net", nnp_net_shape(NULL, 1, shape, e));
  IS_NULL("shape", nnp_net_shape(made, 1, NULL, e));
  IS_NULL("net", nnp_net_parameter_name(NULL, 0, text, sizeof text, e));
  IS_NULL("buffer", nnp_net_parameter_name(made, 0, NULL, sizeof text, e));
  IS_NULL("net", nnp_net_print(NULL, 10, text, sizeof text, e));
  IS_NULL("buffer", nnp_net_print(made, 10, NULL, sizeof text, e));
  IS_NULL("buffer", nnp_build_info(NULL, 100, e));
  nnp_net_free(made);
  nnp_net_free(NULL);
}

static void test_null_for_data_and_pools(void) {
  nnp_data *data = NULL, *made = problem_data(4, 3, 2, NNP_ARGMAX, 1);
  nnp_pool *pool = NULL;
  double memory[64], x[12] = {0};
  int32_t labels[4] = {0};
  IS_NULL("data", nnp_data_create(NULL, 4, 3, 2, e));
  IS_NULL("bytes", nnp_data_bytes(4, 3, 2, NULL, e));
  IS_NULL("data", nnp_data_init(NULL, memory, sizeof memory, 4, 3, 2, e));
  IS_NULL("memory", nnp_data_init(&data, NULL, 4096, 4, 3, 2, e));
  IS_NULL("data", nnp_data_set_inputs(NULL, x, NNP_ROW_MAJOR, e));
  IS_NULL("x", nnp_data_set_inputs(made, NULL, NNP_ROW_MAJOR, e));
  IS_NULL("data", nnp_data_set_targets(NULL, x, NNP_ROW_MAJOR, e));
  IS_NULL("y", nnp_data_set_targets(made, NULL, NNP_ROW_MAJOR, e));
  IS_NULL("data", nnp_data_set_labels(NULL, labels, e));
  IS_NULL("labels", nnp_data_set_labels(made, NULL, e));
  IS_NULL("data", nnp_data_targets(NULL, x, NNP_ROW_MAJOR, e));
  IS_NULL("y", nnp_data_targets(made, NULL, NNP_ROW_MAJOR, e));
  IS_NULL("data", nnp_data_labels(NULL, labels, e));
  IS_NULL("labels", nnp_data_labels(made, NULL, e));
  IS_NULL("pool", nnp_pool_create(NULL, 1, e));
  IS_NULL("bytes", nnp_pool_bytes(1, NULL, e));
  IS_NULL("pool", nnp_pool_init(NULL, memory, sizeof memory, 1, e));
  IS_NULL("memory", nnp_pool_init(&pool, NULL, 4096, 1, e));
  TEST_ASSERT_NULL(data);
  TEST_ASSERT_NULL(pool);
  nnp_data_free(made);
  nnp_data_free(NULL);
  nnp_pool_free(NULL);
  nnp_pool_close(NULL);
}

static void test_null_for_chains(void) {
  Twins t = make_twins(NNP_ARGMAX);
  nnp_chain *made = NULL, *pair[2] = {NULL, NULL};
  double memory[64], value, *state = problem_state(&t.p, t.p.chain);
  int64_t count;
  size_t bytes;
  const int32_t gibbs = NNP_GIBBS, joint = NNP_INTERMEDIATE;
  IS_NULL("chain", nnp_chain_create(NULL, t.p.net, t.p.data, gibbs, joint, e));
  IS_NULL("net", nnp_chain_create(&made, NULL, t.p.data, gibbs, joint, e));
  IS_NULL("data", nnp_chain_create(&made, t.p.net, NULL, gibbs, joint, e));
  IS_NULL("bytes", nnp_chain_bytes(t.p.net, t.p.data, gibbs, joint, NULL, e));
  IS_NULL("net", nnp_chain_bytes(NULL, t.p.data, gibbs, joint, &bytes, e));
  IS_NULL("data", nnp_chain_bytes(t.p.net, NULL, gibbs, joint, &bytes, e));
  IS_NULL("chain", nnp_chain_init(NULL, memory, 512, t.p.net, t.p.data, gibbs, joint, e));
  IS_NULL("memory", nnp_chain_init(&made, NULL, 512, t.p.net, t.p.data, gibbs, joint, e));
  IS_NULL("net", nnp_chain_init(&made, memory, 512, NULL, t.p.data, gibbs, joint, e));
  IS_NULL("data", nnp_chain_init(&made, memory, 512, t.p.net, NULL, gibbs, joint, e));
  TEST_ASSERT_NULL(made);
  IS_NULL("chain", nnp_chain_set(NULL, NNP_OPTION_SCHEDULE, 1, e));
  IS_NULL("chain", nnp_chain_get(NULL, NNP_OPTION_SCHEDULE, &value, e));
  IS_NULL("value", nnp_chain_get(t.p.chain, NNP_OPTION_SCHEDULE, NULL, e));
  IS_NULL("chain", nnp_chain_use_pool(NULL, NULL, e));
  IS_NULL("chain", nnp_chain_start(NULL, NNP_START_ZERO, 1, 0, e));
  IS_NULL("chain", nnp_chain_start_weights(NULL, state, 0, 1, 0, e));
  IS_NULL("parameters", nnp_chain_start_weights(t.p.chain, NULL, 0, 1, 0, e));
  IS_NULL("chain", nnp_chain_start_state(NULL, state, state, 1, 0, e));
  IS_NULL("parameters", nnp_chain_start_state(t.p.chain, NULL, state, 1, 0, e));
  IS_NULL("sites", nnp_chain_start_state(t.p.chain, state, NULL, 1, 0, e));
  IS_NULL("chain", nnp_chain_run(NULL, 1, NULL, NULL, e));
  IS_NULL("chain", nnp_chain_sample(NULL, state, 1, 1, NULL, NULL, e));
  IS_NULL("draws", nnp_chain_sample(t.p.chain, NULL, 1, 1, NULL, NULL, e));
  IS_NULL("chains", nnp_chains_run(NULL, 2, 1, NULL, NULL, e));
  pair[0] = t.p.chain;
  IS_NULL("chains", nnp_chains_run(pair, 2, 1, NULL, NULL, e));
  IS_NULL("chains", nnp_chains_sample(NULL, 2, state, 1, 1, NULL, NULL, e));
  IS_NULL("chains", nnp_chains_sample(pair, 2, state, 1, 1, NULL, NULL, e));
  pair[1] = t.twin;
  IS_NULL("draws", nnp_chains_sample(pair, 2, NULL, 1, 1, NULL, NULL, e));
  IS_NULL("chain", nnp_chain_steps(NULL, &count, e));
  IS_NULL("steps", nnp_chain_steps(t.p.chain, NULL, e));
  IS_NULL("chain", nnp_chain_parameters(NULL, state, e));
  IS_NULL("parameters", nnp_chain_parameters(t.p.chain, NULL, e));
  IS_NULL("chain", nnp_chain_site(NULL, 1, state, e));
  IS_NULL("values", nnp_chain_site(t.p.chain, 1, NULL, e));
  IS_NULL("chain", nnp_chain_log_density(NULL, &value, e));
  IS_NULL("value", nnp_chain_log_density(t.p.chain, NULL, e));
  IS_NULL("chain", nnp_chain_terms(NULL, NULL, NULL, NULL, e));
  IS_NULL("chain", nnp_chain_probit_draws(NULL, &count, &count, e));
  IS_NULL("exact", nnp_chain_probit_draws(t.p.chain, NULL, &count, e));
  IS_NULL("scanned", nnp_chain_probit_draws(t.p.chain, &count, NULL, e));
  IS_NULL("chain", nnp_chain_predict(NULL, t.p.data, state, e));
  IS_NULL("data", nnp_chain_predict(t.p.chain, NULL, state, e));
  IS_NULL("outputs", nnp_chain_predict(t.p.chain, t.p.data, NULL, e));
  IS_NULL("chain", nnp_chain_score(NULL, t.p.data, NNP_SCORE_LOG, &value, e));
  IS_NULL("data", nnp_chain_score(t.p.chain, NULL, NNP_SCORE_LOG, &value, e));
  IS_NULL("value", nnp_chain_score(t.p.chain, t.p.data, NNP_SCORE_LOG, NULL, e));
  IS_NULL("chain", nnp_chain_save_bytes(NULL, &bytes, e));
  IS_NULL("bytes", nnp_chain_save_bytes(t.p.chain, NULL, e));
  IS_NULL("chain", nnp_chain_save(NULL, memory, 512, e));
  IS_NULL("buffer", nnp_chain_save(t.p.chain, NULL, 1 << 20, e));
  IS_NULL("chain", nnp_chain_restore(NULL, memory, 512, e));
  IS_NULL("buffer", nnp_chain_restore(t.p.chain, NULL, 512, e));
  /* These may be NULL. */
  OK(nnp_chain_terms(t.p.chain, NULL, NULL, NULL, e));
  OK(nnp_chain_use_pool(t.p.chain, NULL, e));
  OK(nnp_option_info(NNP_OPTION_SCHEDULE, NULL, NULL, NULL, NULL, e));
  nnp_chain_free(NULL);
  check_twins(&t);
  free(state);
  free_twins(&t);
}

static void test_null_for_predictors(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_predictor *made = NULL, *predictor = NULL;
  double memory[64], value, *params = problem_doubles(p.parameters), out[2 * ROWS];
  size_t bytes;
  IS_NULL("predictor", nnp_predictor_create(NULL, p.net, 5, e));
  IS_NULL("net", nnp_predictor_create(&made, NULL, 5, e));
  IS_NULL("bytes", nnp_predictor_bytes(p.net, 5, NULL, e));
  IS_NULL("net", nnp_predictor_bytes(NULL, 5, &bytes, e));
  IS_NULL("predictor", nnp_predictor_init(NULL, memory, 512, p.net, 5, e));
  IS_NULL("memory", nnp_predictor_init(&made, NULL, 512, p.net, 5, e));
  IS_NULL("net", nnp_predictor_init(&made, memory, 512, NULL, 5, e));
  TEST_ASSERT_NULL(made);
  OK(nnp_predictor_create(&predictor, p.net, 5, e));
  IS_NULL("predictor", nnp_predictor_noise(NULL, 1, 1, e));
  IS_NULL("predictor", nnp_predictor_posterior(NULL, NNP_CLASSICAL, e));
  IS_NULL("predictor", nnp_predictor_set(NULL, NNP_OPTION_SIMD, 1, e));
  IS_NULL("predictor", nnp_predictor_levels(NULL, &value, 1, e));
  IS_NULL("levels", nnp_predictor_levels(predictor, NULL, 1, e));
  IS_NULL("predictor", nnp_predict(NULL, p.data, params, 1, NNP_PREDICT_MEAN, out, e));
  IS_NULL("data", nnp_predict(predictor, NULL, params, 1, NNP_PREDICT_MEAN, out, e));
  IS_NULL("params", nnp_predict(predictor, p.data, NULL, 1, NNP_PREDICT_MEAN, out, e));
  IS_NULL("out", nnp_predict(predictor, p.data, params, 1, NNP_PREDICT_MEAN, NULL, e));
  IS_NULL("predictor", nnp_score(NULL, p.data, params, 1, NNP_SCORE_MSE, &value, e));
  IS_NULL("data", nnp_score(predictor, NULL, params, 1, NNP_SCORE_MSE, &value, e));
  IS_NULL("params", nnp_score(predictor, p.data, NULL, 1, NNP_SCORE_MSE, &value, e));
  IS_NULL("value", nnp_score(predictor, p.data, params, 1, NNP_SCORE_MSE, NULL, e));
  OK(nnp_score(predictor, p.data, params, 1, NNP_SCORE_MSE, &value, e));
  IS_NULL("predictor", nnp_predictor_passes(NULL, 1, e));
  IS_NULL("predictor", nnp_log_lik(NULL, p.data, params, 1, out, e));
  IS_NULL("data", nnp_log_lik(predictor, NULL, params, 1, out, e));
  IS_NULL("params", nnp_log_lik(predictor, p.data, NULL, 1, out, e));
  IS_NULL("out", nnp_log_lik(predictor, p.data, params, 1, NULL, e));
  nnp_predictor_free(NULL);
  nnp_predictor_free(predictor);
  free(params);
  problem_free(&p);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

#define HUGE_TEXT "9223372036854775807"

static void test_sizes_of_nothing(void) {
  nnp_net *net = NULL;
  nnp_data *data = NULL;
  nnp_pool *pool = NULL;
  nnp_predictor *predictor = NULL;
  double memory[64];
  size_t bytes = 77;
  REFUSED(NNP_E_SIZE, "inputs", "= 0", nnp_net_create(&net, 0, e));
  REFUSED(NNP_E_SIZE, "inputs", "-5", nnp_net_create(&net, -5, e));
  REFUSED(NNP_E_SIZE, "max_layers", "= 0", nnp_net_bytes(0, &bytes, e));
  REFUSED(NNP_E_SIZE, "max_layers", "= 0", nnp_net_init(&net, memory, 512, 0, 3, e));
  REFUSED(NNP_E_SIZE, "inputs", "= 0", nnp_net_init(&net, memory, 512, 4, 0, e));
  REFUSED(NNP_E_SIZE, "n", "= 0", nnp_data_create(&data, 0, 3, 1, e));
  REFUSED(NNP_E_SIZE, "n", "-1", nnp_data_create(&data, -1, 3, 1, e));
  REFUSED(NNP_E_SIZE, "features", "= 0", nnp_data_create(&data, 5, 0, 1, e));
  REFUSED(NNP_E_SIZE, "outputs", "-1", nnp_data_create(&data, 5, 3, -1, e));
  REFUSED(NNP_E_SIZE, "n", "= 0", nnp_data_bytes(0, 3, 1, &bytes, e));
  REFUSED(NNP_E_SIZE, "features", "= 0", nnp_data_init(&data, memory, 512, 5, 0, 1, e));
  REFUSED(NNP_E_SIZE, "threads", "= 0", nnp_pool_create(&pool, 0, e));
  REFUSED(NNP_E_SIZE, "threads", "-2", nnp_pool_bytes(-2, &bytes, e));
  REFUSED(NNP_E_SIZE, "threads", "257", nnp_pool_create(&pool, 257, e));
  REFUSED(NNP_E_SIZE, "threads", "= 0", nnp_pool_init(&pool, memory, 512, 0, e));
  net = problem_net(NNP_GAUSSIAN);
  REFUSED(NNP_E_SIZE, "max_draws", "= 0", nnp_predictor_create(&predictor, net, 0, e));
  REFUSED(NNP_E_SIZE, "max_draws", "-1", nnp_predictor_bytes(net, -1, &bytes, e));
  REFUSED(NNP_E_SIZE, "max_draws", "= 0", nnp_predictor_init(&predictor, memory, 512, net, 0, e));
  TEST_ASSERT_EQUAL_UINT64(77, bytes);
  TEST_ASSERT_NULL(data);
  TEST_ASSERT_NULL(pool);
  TEST_ASSERT_NULL(predictor);
  nnp_net_free(net);
}

static void test_sizes_that_overflow(void) {
  const int64_t big = INT64_C(1) << 40;
  nnp_net *net = NULL;
  nnp_data *data = NULL;
  nnp_predictor *predictor = NULL;
  nnp_chain *chain = NULL;
  nnp_pool *pool = NULL;
  size_t bytes = 77;
  REFUSED(NNP_E_OVERFLOW, "inputs", HUGE_TEXT, nnp_net_create(&net, INT64_MAX, e));
  REFUSED(NNP_E_OVERFLOW, "max_layers", HUGE_TEXT, nnp_net_bytes(INT64_MAX, &bytes, e));
  REFUSED(NNP_E_OVERFLOW, "n", HUGE_TEXT, nnp_data_create(&data, INT64_MAX, 3, 1, e));
  REFUSED(NNP_E_OVERFLOW, "features", HUGE_TEXT, nnp_data_create(&data, 5, INT64_MAX, 1, e));
  REFUSED(NNP_E_OVERFLOW, "outputs", HUGE_TEXT, nnp_data_create(&data, 5, 3, INT64_MAX, e));
  REFUSED(NNP_E_OVERFLOW, "n", HUGE_TEXT,
          nnp_data_bytes(INT64_MAX, INT64_MAX, INT64_MAX, &bytes, e));
  /* Each size may be, their product may not. */
  REFUSED(NNP_E_OVERFLOW, "n = 1099511627776", "features = 1099511627776",
          nnp_data_create(&data, big, big, 1, e));
  REFUSED(NNP_E_OVERFLOW, "n = 1099511627776", "outputs = 1099511627776",
          nnp_data_bytes(big, 1, big, &bytes, e));
  /* What can be counted but not had. */
  REFUSED(NNP_E_OUT_OF_MEMORY, "memory", "bytes", nnp_data_create(&data, big, 1 << 16, 1, e));
  /* 2^64 - 263424 bytes: rounded up to whole pages that would be none. */
  REFUSED(NNP_E_OUT_OF_MEMORY, "memory", "bytes",
          nnp_data_create(&data, 549219270528, 4198401, 0, e));
  TEST_ASSERT_NULL(data);
  TEST_ASSERT_NULL(net);
  REFUSED(NNP_E_SIZE, "threads", HUGE_TEXT, nnp_pool_create(&pool, INT64_MAX, e));
  TEST_ASSERT_NULL(pool);

  OK(nnp_net_create(&net, INT64_C(1) << 31, e));
  REFUSED(NNP_E_OVERFLOW, "units", HUGE_TEXT, nnp_net_dense(net, INT64_MAX, e));
  REFUSED(NNP_E_OVERFLOW, "2147483648 x 2147483648", "layer 1",
          nnp_net_dense(net, INT64_C(1) << 31, e));
  REFUSED(NNP_E_SIZE, "units", "= 0", nnp_net_dense(net, 0, e));
  REFUSED(NNP_E_SIZE, "units", "-1", nnp_net_dense(net, -1, e));
  nnp_net_free(net);

  /* A square of 2^31 for the Gram matrix of the second layer. */
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, INT64_C(1) << 31, e));
  OK(nnp_net_dense(net, 2, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  data = problem_data(4, 3, 2, NNP_GAUSSIAN, 1);
  REFUSED(NNP_E_OVERFLOW, "net", "chain",
          nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_OVERFLOW, "net", "chain",
          nnp_chain_bytes(net, data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes, e));
  REFUSED(NNP_E_OVERFLOW, "max_draws", HUGE_TEXT,
          nnp_predictor_create(&predictor, net, INT64_MAX, e));
  nnp_net_free(net);
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, INT64_C(1) << 31, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  REFUSED(NNP_E_OVERFLOW, "max_draws", "1099511627776", nnp_predictor_bytes(net, big, &bytes, e));
  TEST_ASSERT_NULL(chain);
  TEST_ASSERT_NULL(predictor);
  TEST_ASSERT_EQUAL_UINT64(77, bytes);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void test_sizes_and_indices_of_calls(void) {
  Twins t = make_twins(NNP_GAUSSIAN);
  double out[64], value;
  int64_t a, b, c, shape[3];
  char text[32];
  nnp_predictor *predictor = NULL;
  nnp_chain *pair[2];
  pair[0] = t.p.chain;
  pair[1] = t.twin;
  REFUSED(NNP_E_SIZE, "steps", "-1", nnp_chain_run(t.p.chain, -1, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "count", "= 0", nnp_chain_sample(t.p.chain, out, 0, 1, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "thin", "= 0", nnp_chain_sample(t.p.chain, out, 1, 0, NULL, NULL, e));
  REFUSED(NNP_E_OVERFLOW, "count", HUGE_TEXT,
          nnp_chain_sample(t.p.chain, out, INT64_MAX, INT64_MAX, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "thin", HUGE_TEXT,
          nnp_chain_sample(t.p.chain, out, 1, INT64_MAX, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "chain_count", "= 0", nnp_chains_run(pair, 0, 1, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "chain_count", HUGE_TEXT, nnp_chains_run(pair, INT64_MAX, 1, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "chain_count", "-1", nnp_chains_sample(pair, -1, out, 1, 1, NULL, NULL, e));
  REFUSED(NNP_E_SIZE, "site", "= 0", nnp_chain_site(t.p.chain, 0, out, e));
  REFUSED(NNP_E_SIZE, "site", "= 4", nnp_chain_site(t.p.chain, 4, out, e));
  REFUSED(NNP_E_SIZE, "layer", "= 0", nnp_net_layer(t.p.net, 0, &a, &b, &c, e));
  REFUSED(NNP_E_SIZE, "layer", "= 4", nnp_net_layer(t.p.net, 4, &a, &b, &c, e));
  REFUSED(NNP_E_SIZE, "site", "-1", nnp_net_shape(t.p.net, -1, shape, e));
  REFUSED(NNP_E_SIZE, "site", "= 4", nnp_net_shape(t.p.net, 4, shape, e));
  REFUSED(NNP_E_SIZE, "layer", "= 4", nnp_net_set(t.p.net, 4, NNP_NOISE, 1, e));
  REFUSED(NNP_E_SIZE, "layer", "-2", nnp_net_set(t.p.net, -2, NNP_NOISE, 1, e));
  REFUSED(NNP_E_SIZE, "layer", "= 0", nnp_net_get(t.p.net, NNP_ALL_LAYERS, NNP_NOISE, &value, e));
  REFUSED(NNP_E_SIZE, "parameter", "-1", nnp_net_parameter_name(t.p.net, -1, text, 32, e));
  REFUSED(NNP_E_SIZE, "parameter", "26", nnp_net_parameter_name(t.p.net, 26, text, 32, e));
  REFUSED(NNP_E_SIZE, "n", "-1", nnp_net_print(t.p.net, -1, text, 32, e));
  OK(nnp_predictor_create(&predictor, t.p.net, 5, e));
  REFUSED(NNP_E_SIZE, "draws", "= 0",
          nnp_predict(predictor, t.p.data, out, 0, NNP_PREDICT_MEAN, out, e));
  REFUSED(NNP_E_SIZE, "draws", "-1",
          nnp_score(predictor, t.p.data, out, -1, NNP_SCORE_MSE, &value, e));
  REFUSED(NNP_E_OVERFLOW, "draws", HUGE_TEXT,
          nnp_predict(predictor, t.p.data, out, INT64_MAX, NNP_PREDICT_MEAN, out, e));
  REFUSED(NNP_E_SIZE, "count", "= 0", nnp_predictor_levels(predictor, out, 0, e));
  REFUSED(NNP_E_SIZE, "count", "= 65", nnp_predictor_levels(predictor, out, 65, e));
  check_twins(&t);
  nnp_predictor_free(predictor);
  free_twins(&t);
}

/* A chain of 2^20 parameters: a legal number of draws of them cannot be addressed. */
static void test_draws_that_overflow(void) {
  nnp_net *net = NULL;
  nnp_data *data = problem_data(1, 1023, 1024, NNP_GAUSSIAN, 1);
  nnp_predictor *predictor = NULL;
  nnp_chain *chain = NULL;
  double value = 0;
  const int64_t big = INT64_C(1) << 40;
  OK(nnp_net_create(&net, 1023, e));
  OK(nnp_net_dense(net, 1024, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_predictor_create(&predictor, net, 1, e));
  REFUSED(NNP_E_OVERFLOW, "draws", "1099511627776",
          nnp_predict(predictor, data, &value, big, NNP_PREDICT_MEAN, &value, e));
  REFUSED(NNP_E_OVERFLOW, "draws", "1099511627776",
          nnp_score(predictor, data, &value, big, NNP_SCORE_MSE, &value, e));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, e));
  REFUSED(NNP_E_OVERFLOW, "count", "1099511627776",
          nnp_chain_sample(chain, &value, big, 1, NULL, NULL, e));
  nnp_chain_free(chain);
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(net);
}

/* ---- numbers that are none ------------------------------------------------------------------- */

static void test_not_finite(void) {
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  static const char *const text[] = {"nan", "inf", "-inf"};
  Twins t = make_twins(NNP_GAUSSIAN);
  nnp_predictor *predictor = NULL;
  double x[3 * ROWS], y[2 * ROWS], out[2 * ROWS], value;
  double *state = problem_state(&t.p, t.p.chain), *sites = state + t.p.parameters;
  int i;
  OK(nnp_predictor_create(&predictor, t.p.net, 2, e));
  for (i = 0; i < 3 * ROWS; ++i) x[i] = i;
  for (i = 0; i < 2 * ROWS; ++i) y[i] = i;
  for (i = 0; i < 3; ++i) {
    const int64_t last = t.p.latents * ROWS - 1;
    double *copy = problem_state(&t.p, t.p.chain);
    x[3 * ROWS - 1] = bad[i];
    REFUSED(NNP_E_NOT_FINITE, "x: row 19, column 2", text[i],
            nnp_data_set_inputs(t.p.data, x, NNP_ROW_MAJOR, e));
    REFUSED(NNP_E_NOT_FINITE, "x: row 19, column 2", text[i],
            nnp_data_set_inputs(t.p.data, x, NNP_COLUMN_MAJOR, e));
    y[1] = bad[i];
    REFUSED(NNP_E_NOT_FINITE, "y: row 0, column 1", text[i],
            nnp_data_set_targets(t.p.data, y, NNP_ROW_MAJOR, e));
    REFUSED(NNP_E_NOT_FINITE, "y: row 1, column 0", text[i],
            nnp_data_set_targets(t.p.data, y, NNP_COLUMN_MAJOR, e));
    copy[3] = bad[i];
    REFUSED(NNP_E_NOT_FINITE, "parameters: entry 3", text[i],
            nnp_chain_start_weights(t.p.chain, copy, 0, 1, 0, e));
    REFUSED(NNP_E_NOT_FINITE, "parameters: entry 3", text[i],
            nnp_chain_start_state(t.p.chain, copy, sites, 1, 0, e));
    copy[t.p.parameters + last] = bad[i];
    REFUSED(NNP_E_NOT_FINITE, "sites: entry 159", text[i],
            nnp_chain_start_state(t.p.chain, state, copy + t.p.parameters, 1, 0, e));
    REFUSED(NNP_E_NOT_FINITE, "params: draw 0, parameter 3", text[i],
            nnp_predict(predictor, t.p.data, copy, 1, NNP_PREDICT_MEAN, out, e));
    REFUSED(NNP_E_NOT_FINITE, "params: draw 0, parameter 3", text[i],
            nnp_score(predictor, t.p.data, copy, 1, NNP_SCORE_MSE, &value, e));
    free(copy);
  }
  check_twins(&t);
  nnp_predictor_free(predictor);
  free(state);
  free_twins(&t);
}

static void test_values_out_of_bounds(void) {
  static const double bad[] = {0, -1, NAN, INFINITY};
  static const char *const text[] = {"= 0", "= -1", "nan", "inf"};
  static const int32_t property[] = {NNP_NOISE, NNP_LAMBDA_W, NNP_LAMBDA_B};
  static const char *const name[] = {"noise", "lambda_w", "lambda_b"};
  Twins t = make_twins(NNP_GAUSSIAN);
  nnp_net *leaky = NULL;
  nnp_predictor *predictor = NULL;
  double value = 0, level = 0.5, *params = problem_doubles(t.p.parameters);
  int i, j;
  for (i = 0; i < 3; ++i)
    for (j = 0; j < 4; ++j) {
      double before = 0, after = 0;
      OK(nnp_net_get(t.p.net, 1, property[i], &before, e));
      REFUSED(NNP_E_VALUE, name[i], text[j], nnp_net_set(t.p.net, 1, property[i], bad[j], e));
      REFUSED(NNP_E_VALUE, name[i], text[j],
              nnp_net_set(t.p.net, NNP_ALL_LAYERS, property[i], bad[j], e));
      OK(nnp_net_get(t.p.net, 1, property[i], &after, e));
      TEST_ASSERT_TRUE(before == after);
    }
  REFUSED(NNP_E_VALUE, "bias", "= 2", nnp_net_set(t.p.net, 1, NNP_BIAS, 2, e));
  REFUSED(NNP_E_VALUE, "bias", "0.5", nnp_net_set(t.p.net, 1, NNP_BIAS, 0.5, e));
  REFUSED(NNP_E_VALUE, "bias", "nan", nnp_net_set(t.p.net, 1, NNP_BIAS, NAN, e));
  OK(nnp_net_create(&leaky, 3, e));
  OK(nnp_net_activation(leaky, NNP_LEAKY_RELU, e));
  REFUSED(NNP_E_VALUE, "slope", "nan", nnp_net_set(leaky, 1, NNP_SLOPE, NAN, e));
  REFUSED(NNP_E_VALUE, "slope", "inf", nnp_net_set(leaky, 1, NNP_SLOPE, INFINITY, e));
  REFUSED(NNP_E_OPTION, "layer = 1", "lambda_w", nnp_net_set(leaky, 1, NNP_LAMBDA_W, 1, e));
  REFUSED(NNP_E_OPTION, "layer = 1", "bias", nnp_net_set(leaky, 1, NNP_BIAS, 1, e));
  REFUSED(NNP_E_OPTION, "layer = 2", "slope", nnp_net_set(t.p.net, 2, NNP_SLOPE, 1, e));
  REFUSED(NNP_E_OPTION, "layer = 2", "lambda_b", nnp_net_get(t.p.net, 2, NNP_LAMBDA_B, &value, e));
  REFUSED(NNP_E_VALUE, "schedule", "= 0", nnp_chain_set(t.p.chain, NNP_OPTION_SCHEDULE, 0, e));
  REFUSED(NNP_E_VALUE, "schedule", "1.5", nnp_chain_set(t.p.chain, NNP_OPTION_SCHEDULE, 1.5, e));
  REFUSED(NNP_E_VALUE, "schedule", "nan", nnp_chain_set(t.p.chain, NNP_OPTION_SCHEDULE, NAN, e));
  REFUSED(NNP_E_VALUE, "simd", "= 5", nnp_chain_set(t.p.chain, NNP_OPTION_SIMD, 5, e));
  REFUSED(NNP_E_VALUE, "blas", "= 4", nnp_chain_set(t.p.chain, NNP_OPTION_BLAS, 4, e));
  REFUSED(NNP_E_VALUE, "blas", "= 0.5", nnp_chain_set(t.p.chain, NNP_OPTION_BLAS, 0.5, e));
  REFUSED(NNP_E_VALUE, "noisy", "= 2", nnp_chain_start_weights(t.p.chain, params, 2, 1, 0, e));
  OK(nnp_predictor_create(&predictor, t.p.net, 2, e));
  REFUSED(NNP_E_ENUM, "noise", "= -1", nnp_predictor_noise(predictor, -1, 1, e));
  REFUSED(NNP_E_SIZE, "passes", "= -1", nnp_predictor_passes(predictor, -1, e));
  REFUSED(NNP_E_SIZE, "passes", "= 1048577", nnp_predictor_passes(predictor, 1048577, e));
  REFUSED(NNP_E_ENUM, "posterior", "= 3", nnp_predictor_posterior(predictor, 3, e));
  REFUSED(NNP_E_ENUM, "option", "= 99", nnp_predictor_set(predictor, 99, 1, e));
  REFUSED(NNP_E_OPTION, "relax", "predictors",
          nnp_predictor_set(predictor, NNP_OPTION_RELAX, 0, e));
  REFUSED(NNP_E_VALUE, "simd", "= 5", nnp_predictor_set(predictor, NNP_OPTION_SIMD, 5, e));
  REFUSED(NNP_E_VALUE, "blas", "= -1", nnp_predictor_set(predictor, NNP_OPTION_BLAS, -1, e));
  level = -0.1;
  REFUSED(NNP_E_VALUE, "levels: entry 0", "-0.1", nnp_predictor_levels(predictor, &level, 1, e));
  level = 1.5;
  REFUSED(NNP_E_VALUE, "levels: entry 0", "1.5", nnp_predictor_levels(predictor, &level, 1, e));
  level = NAN;
  REFUSED(NNP_E_VALUE, "levels: entry 0", "nan", nnp_predictor_levels(predictor, &level, 1, e));
  check_twins(&t);
  nnp_predictor_free(predictor);
  nnp_net_free(leaky);
  free(params);
  free_twins(&t);
}

/* ---- labels and shapes ----------------------------------------------------------------------- */

static void set_label(nnp_data *data, int32_t label) {
  int32_t labels[ROWS] = {0};
  int i;
  for (i = 0; i < ROWS; ++i) labels[i] = 1;
  labels[ROWS - 1] = label;
  OK(nnp_data_set_labels(data, labels, e));
}

static void test_labels_out_of_range(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_ARGMAX, NNP_SIGN_HEAD, NNP_SIGN_HEAD};
  static const int32_t bad[] = {3, -1, 0, 2};
  static const char *const text[] = {"is 3", "is -1", "is 0", "is 2"};
  int32_t below[ROWS] = {0};
  int i;
  for (i = 0; i < 4; ++i) {
    Problem p = problem_make(heads[i], ROWS);
    nnp_chain *chain = NULL;
    nnp_predictor *predictor = NULL;
    size_t bytes;
    double value, *params = problem_doubles(p.parameters);
    OK(nnp_predictor_create(&predictor, p.net, 1, e));
    set_label(p.data, bad[i]);
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_bytes(p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_score(predictor, p.data, params, 1, NNP_SCORE_ACCURACY, &value, e));
    nnp_predictor_free(predictor);
    free(params);
    problem_free(&p);
  }
  {
    Twins t = make_twins(NNP_ARGMAX);
    below[5] = -2;
    REFUSED(NNP_E_LABEL, "labels: row 5", "is -2", nnp_data_set_labels(t.p.data, below, e));
    check_twins(&t);
    free_twins(&t);
  }
}

/* Data may be changed under a chain: labels its head cannot have are found before they are used. */
static void test_bad_labels_under_a_chain(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_SIGN_HEAD};
  static const char *const text[] = {"is 1000000", "is 0"};
  static const int32_t bad[] = {1000000, 0};
  int i;
  for (i = 0; i < 2; ++i) {
    Problem p = problem_make(heads[i], ROWS);
    nnp_chain *twin = NULL;
    double value, *state, *params = problem_doubles(p.parameters);
    OK(nnp_chain_create(&twin, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
    OK(nnp_chain_start(p.chain, NNP_START_PRIOR, SEED, 0, e));
    OK(nnp_chain_start(twin, NNP_START_PRIOR, SEED, 0, e));
    state = problem_state(&p, p.chain);
    set_label(p.data, bad[i]);
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i], nnp_chain_run(p.chain, 3, NULL, NULL, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_start(p.chain, NNP_START_PRIOR, 1, 0, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_start(p.chain, NNP_START_ZERO, 1, 0, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_start_weights(p.chain, params, 1, 1, 0, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_start_state(p.chain, params, state + p.parameters, 1, 0, e));
    REFUSED(NNP_E_LABEL, "labels: row 19", text[i],
            nnp_chain_score(p.chain, p.data, NNP_SCORE_LOG, &value, e));
    set_label(p.data, 1);
    OK(nnp_chain_run(p.chain, 3, NULL, NULL, e));
    OK(nnp_chain_run(twin, 3, NULL, NULL, e));
    TEST_ASSERT_TRUE(problem_same(&p, p.chain, twin));
    nnp_chain_free(twin);
    free(state);
    free(params);
    problem_free(&p);
  }
}

static void test_shapes_that_do_not_match(void) {
  Twins t = make_twins(NNP_GAUSSIAN);
  nnp_data *wide = problem_data(ROWS, 4, 2, NNP_GAUSSIAN, 1);
  nnp_data *outputs = problem_data(ROWS, 3, 1, NNP_GAUSSIAN, 1);
  nnp_data *bare = NULL;
  nnp_net *net = NULL, *other = problem_net(NNP_ARGMAX);
  nnp_chain *chain = NULL, *pair[2];
  nnp_predictor *predictor = NULL;
  double out[2 * ROWS], value, *params = problem_doubles(t.p.parameters), *draws;
  OK(nnp_data_create(&bare, ROWS, 3, 0, e));
  REFUSED(NNP_E_SHAPE, "4 features", "expects 3",
          nnp_chain_create(&chain, t.p.net, wide, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_SHAPE, "1 outputs", "expects 2",
          nnp_chain_create(&chain, t.p.net, outputs, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_SHAPE, "y", "outputs = 0", nnp_data_set_targets(bare, out, NNP_ROW_MAJOR, e));
  REFUSED(NNP_E_NO_DATA, "data", "inputs",
          nnp_chain_create(&chain, t.p.net, bare, NNP_GIBBS, NNP_INTERMEDIATE, e));
  TEST_ASSERT_NULL(chain);
  OK(nnp_predictor_create(&predictor, t.p.net, 1, e));
  REFUSED(NNP_E_SHAPE, "4 features", "expects 3",
          nnp_predict(predictor, wide, params, 1, NNP_PREDICT_MEAN, out, e));
  REFUSED(NNP_E_SHAPE, "1 outputs", "expects 2",
          nnp_score(predictor, outputs, params, 1, NNP_SCORE_MSE, &value, e));
  REFUSED(NNP_E_SHAPE, "4 features", "expects 3", nnp_chain_predict(t.p.chain, wide, out, e));
  REFUSED(NNP_E_SHAPE, "1 outputs", "expects 2",
          nnp_chain_score(t.p.chain, outputs, NNP_SCORE_MSE, &value, e));
  /* Heads. */
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, 1, e));
  REFUSED(NNP_E_SHAPE, "argmax", "1 output", nnp_net_head(net, NNP_ARGMAX, e));
  nnp_net_free(net);
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, 2, e));
  REFUSED(NNP_E_SHAPE, "sign", "2 outputs", nnp_net_head(net, NNP_SIGN_HEAD, e));
  OK(nnp_net_head(net, NNP_ARGMAX, e)); /* still usable */
  nnp_net_free(net);
  /* Draws of several chains go into one array. */
  {
    nnp_data *labelled = problem_data(ROWS, 3, 3, NNP_ARGMAX, 1);
    OK(nnp_chain_create(&chain, other, labelled, NNP_GIBBS, NNP_INTERMEDIATE, e));
    OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, e));
    draws = problem_doubles(200);
    pair[0] = t.p.chain;
    pair[1] = chain;
    REFUSED(NNP_E_SHAPE, "31 parameters", "26",
            nnp_chains_sample(pair, 2, draws, 1, 1, NULL, NULL, e));
    pair[1] = t.p.chain;
    REFUSED(NNP_E_VALUE, "chains", "same chain", nnp_chains_run(pair, 2, 1, NULL, NULL, e));
    nnp_chain_free(chain);
    nnp_data_free(labelled);
  }
  check_twins(&t);
  free(draws);
  free(params);
  nnp_predictor_free(predictor);
  nnp_net_free(other);
  nnp_data_free(bare);
  nnp_data_free(outputs);
  nnp_data_free(wide);
  free_twins(&t);
}

static void test_data_never_set(void) {
  nnp_net *regression = problem_net(NNP_GAUSSIAN), *classes = problem_net(NNP_ARGMAX);
  nnp_data *data = NULL;
  nnp_chain *chain = NULL;
  nnp_predictor *predictor = NULL;
  double x[3 * ROWS] = {0}, out[2 * ROWS], params[26] = {0}, value;
  OK(nnp_data_create(&data, ROWS, 3, 2, e));
  OK(nnp_predictor_create(&predictor, regression, 1, e));
  REFUSED(NNP_E_NO_DATA, "data", "inputs",
          nnp_chain_create(&chain, regression, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_NO_DATA, "data", "inputs",
          nnp_predict(predictor, data, params, 1, NNP_PREDICT_MEAN, out, e));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, e));
  REFUSED(NNP_E_NO_DATA, "data", "targets",
          nnp_chain_create(&chain, regression, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_NO_DATA, "data", "labels",
          nnp_chain_create(&chain, classes, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_NO_DATA, "data", "targets",
          nnp_score(predictor, data, params, 1, NNP_SCORE_MSE, &value, e));
  OK(nnp_predict(predictor, data, params, 1, NNP_PREDICT_MEAN, out, e));
  TEST_ASSERT_NULL(chain);
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(classes);
  nnp_net_free(regression);
}

static void test_scores_that_contradict_labels(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_SIGN_HEAD};
  int i;
  for (i = 0; i < 2; ++i) {
    Twins t = make_twins(heads[i]);
    double *state = problem_state(&t.p, t.p.chain);
    double *scores = state + t.p.parameters + (t.p.latents - t.p.outputs) * ROWS;
    int64_t j;
    for (j = 0; j < t.p.outputs; ++j) scores[7 * t.p.outputs + j] *= -1;
    REFUSED(NNP_E_INFEASIBLE, "sites", "row 7",
            nnp_chain_start_state(t.p.chain, state, state + t.p.parameters, 1, 0, e));
    check_twins(&t);
    free(state);
    free_twins(&t);
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef int32_t (*Builder)(void *memory, size_t bytes, const Problem *p, nnp_error *e);

static int32_t build_net(void *memory, size_t bytes, const Problem *p, nnp_error *e) {
  nnp_net *net = NULL;
  const int32_t status = nnp_net_init(&net, memory, bytes, 3, p->inputs, e);
  TEST_ASSERT_TRUE((status == NNP_OK) == (net != NULL));
  return status;
}

static int32_t build_data(void *memory, size_t bytes, const Problem *p, nnp_error *e) {
  nnp_data *data = NULL;
  const int32_t status = nnp_data_init(&data, memory, bytes, p->n, p->inputs, p->outputs, e);
  TEST_ASSERT_TRUE((status == NNP_OK) == (data != NULL));
  return status;
}

static int32_t build_chain(void *memory, size_t bytes, const Problem *p, nnp_error *e) {
  nnp_chain *chain = NULL;
  const int32_t status =
      nnp_chain_init(&chain, memory, bytes, p->net, p->data, NNP_GIBBS, NNP_INTERMEDIATE, e);
  TEST_ASSERT_TRUE((status == NNP_OK) == (chain != NULL));
  return status;
}

static int32_t build_predictor(void *memory, size_t bytes, const Problem *p, nnp_error *e) {
  nnp_predictor *predictor = NULL;
  const int32_t status = nnp_predictor_init(&predictor, memory, bytes, p->net, 10, e);
  TEST_ASSERT_TRUE((status == NNP_OK) == (predictor != NULL));
  return status;
}

static int32_t build_pool(void *memory, size_t bytes, const Problem *p, nnp_error *e) {
  nnp_pool *pool = NULL;
  const int32_t status = nnp_pool_init(&pool, memory, bytes, 1, e);
  (void)p;
  TEST_ASSERT_TRUE((status == NNP_OK) == (pool != NULL));
  nnp_pool_close(pool);
  return status;
}

static void test_blocks_too_small_or_misaligned(void) {
  static const Builder builders[] = {build_net, build_data, build_chain, build_predictor,
                                     build_pool};
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  size_t bytes[5], i, j;
  OK(nnp_net_bytes(3, &bytes[0], e));
  OK(nnp_data_bytes(p.n, p.inputs, p.outputs, &bytes[1], e));
  OK(nnp_chain_bytes(p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes[2], e));
  OK(nnp_predictor_bytes(p.net, 10, &bytes[3], e));
  OK(nnp_pool_bytes(1, &bytes[4], e));
  for (i = 0; i < 5; ++i) {
    unsigned char *block = (unsigned char *)malloc(bytes[i] + 192);
    unsigned char *aligned = block + (64 - (size_t)((uintptr_t)block % 64)) % 64;
    char size[32], least[32];
    TEST_ASSERT_NOT_NULL(block);
    memset(block, 0xA5, bytes[i] + 192);
    snprintf(size, sizeof size, "= %zu", bytes[i] - 1);
    snprintf(least, sizeof least, "at least %zu", bytes[i]);
    REFUSED(NNP_E_MEMORY_SIZE, size, least, builders[i](aligned, bytes[i] - 1, &p, e));
    REFUSED(NNP_E_MEMORY_SIZE, "bytes = 0", least, builders[i](aligned, 0, &p, e));
    REFUSED(NNP_E_MEMORY_ALIGNMENT, "memory", "64", builders[i](aligned + 8, bytes[i] + 64, &p, e));
    REFUSED(NNP_E_MEMORY_ALIGNMENT, "memory", "64",
            builders[i](aligned + 32, bytes[i] + 64, &p, e));
    for (j = 0; j < bytes[i] + 192; ++j) TEST_ASSERT_EQUAL_HEX8(0xA5, block[j]);
    OK(builders[i](aligned, bytes[i], &p, e));
    free(block);
  }
  problem_free(&p);
}

static void test_buffers_too_small(void) {
  Twins t = make_twins(NNP_GAUSSIAN);
  char text[1024];
  size_t bytes, length;
  unsigned char *block;
  REFUSED(NNP_E_BUFFER_SIZE, "size = 3", "expected", nnp_net_print(t.p.net, ROWS, text, 3, e));
  REFUSED(NNP_E_BUFFER_SIZE, "size = 0", "expected", nnp_net_print(t.p.net, ROWS, text, 0, e));
  OK(nnp_net_print(t.p.net, ROWS, text, sizeof text, e));
  length = strlen(text);
  REFUSED(NNP_E_BUFFER_SIZE, "size", "expected", nnp_net_print(t.p.net, ROWS, text, length, e));
  OK(nnp_net_print(t.p.net, ROWS, text, length + 1, e));
  REFUSED(NNP_E_BUFFER_SIZE, "size = 7", "least 8", nnp_net_parameter_name(t.p.net, 0, text, 7, e));
  OK(nnp_net_parameter_name(t.p.net, 0, text, 8, e));
  REFUSED(NNP_E_BUFFER_SIZE, "size = 0", "least 8", nnp_net_parameter_name(t.p.net, 0, text, 0, e));
  REFUSED(NNP_E_BUFFER_SIZE, "size = 5", "expected", nnp_build_info(text, 5, e));
  REFUSED(NNP_E_BUFFER_SIZE, "size = 0", "expected", nnp_build_info(text, 0, e));
  OK(nnp_chain_save_bytes(t.p.chain, &bytes, e));
  block = (unsigned char *)malloc(bytes);
  TEST_ASSERT_NOT_NULL(block);
  REFUSED(NNP_E_BUFFER_SIZE, "size", "expected", nnp_chain_save(t.p.chain, block, bytes - 1, e));
  OK(nnp_chain_save(t.p.chain, block, bytes, e));
  check_twins(&t);
  free(block);
  free_twins(&t);
}

/* ---- the order of calls ---------------------------------------------------------------------- */

static void test_heads_and_layers_in_the_wrong_place(void) {
  nnp_net *net = NULL, *full = NULL, *copy = NULL;
  double value = 0;
  nnp_chain *chain = NULL;
  nnp_predictor *predictor = NULL;
  nnp_data *data = problem_data(ROWS, 3, 2, NNP_GAUSSIAN, 1);
  int64_t latents = -7, layers = 0;
  static double memory[512];
  size_t bytes = 0;
  unsigned char *aligned = (unsigned char *)memory;
  aligned += (64 - (size_t)((uintptr_t)aligned % 64)) % 64;
  OK(nnp_net_create(&net, 3, e));
  REFUSED(NNP_E_HEAD_MISPLACED, "head gaussian", "no layers", nnp_net_head(net, NNP_GAUSSIAN, e));
  REFUSED(NNP_E_NO_LAYERS, "net", "no layers",
          nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_NO_LAYERS, "net", "no layers", nnp_predictor_create(&predictor, net, 1, e));
  REFUSED(NNP_E_NO_LAYERS, "net", "no layers", nnp_net_latents(net, &latents, e));
  OK(nnp_net_dense(net, 2, e));
  REFUSED(NNP_E_NO_HEAD, "net", "no head",
          nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  REFUSED(NNP_E_NO_HEAD, "net", "no head", nnp_predictor_create(&predictor, net, 1, e));
  REFUSED(NNP_E_NO_HEAD, "net", "no head", nnp_net_latents(net, &latents, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  REFUSED(NNP_E_SECOND_HEAD, "head argmax", "gaussian", nnp_net_head(net, NNP_ARGMAX, e));
  REFUSED(NNP_E_SECOND_HEAD, "head gaussian", "gaussian", nnp_net_head(net, NNP_GAUSSIAN, e));
  REFUSED(NNP_E_HEAD_MISPLACED, "layer 2", "gaussian", nnp_net_dense(net, 2, e));
  REFUSED(NNP_E_HEAD_MISPLACED, "layer 2", "gaussian", nnp_net_activation(net, NNP_RELU, e));
  TEST_ASSERT_EQUAL_INT64(-7, latents);
  TEST_ASSERT_NULL(chain);
  OK(nnp_net_layers(net, &layers, e));
  TEST_ASSERT_EQUAL_INT64(1, layers);
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e)); /* still usable */
  OK(nnp_net_bytes(1, &bytes, e));
  TEST_ASSERT_TRUE(bytes <= sizeof memory - 64);
  OK(nnp_net_init(&full, aligned, bytes, 1, 3, e));
  OK(nnp_net_dense(full, 2, e));
  REFUSED(NNP_E_NET_FULL, "layer 2", "1 layers", nnp_net_dense(full, 2, e));
  REFUSED(NNP_E_NET_FULL, "layer 2", "1 layers", nnp_net_activation(full, NNP_RELU, e));
  REFUSED(NNP_E_NO_HEAD, "net", "head", nnp_net_temperature(full, &value, e));
  OK(nnp_net_head(full, NNP_GAUSSIAN, e));
  OK(nnp_net_copy(&copy, full, e));
  OK(nnp_net_layers(copy, &layers, e));
  TEST_ASSERT_EQUAL_INT64(1, layers);
  REFUSED(NNP_E_SIZE, "max_layers", "= 0", nnp_net_init_copy(&full, aligned, bytes, 0, copy, e));
  REFUSED(NNP_E_MEMORY_SIZE, "bytes", "expected at least",
          nnp_net_init_copy(&full, aligned, bytes - 1, 1, copy, e));
  nnp_net_free(copy);
  OK(nnp_net_create(&copy, 3, e));
  OK(nnp_net_dense(copy, 2, e));
  OK(nnp_net_dense(copy, 2, e));
  REFUSED(NNP_E_NET_FULL, "max_layers = 1", "has 2",
          nnp_net_init_copy(&full, aligned, bytes, 1, copy, e));
  nnp_net_free(copy);
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void test_chains_without_a_start(void) {
  Problem p = problem_make(NNP_ARGMAX, ROWS);
  double *out = problem_doubles(p.parameters + 4 * ROWS), value;
  int64_t a, b;
  nnp_chain *pair[2];
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_run(p.chain, 1, NULL, NULL, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_sample(p.chain, out, 1, 1, NULL, NULL, e));
  pair[0] = pair[1] = p.chain;
  REFUSED(NNP_E_NOT_STARTED, "chain 0", "start", nnp_chains_run(pair, 2, 1, NULL, NULL, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_parameters(p.chain, out, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_site(p.chain, 1, out, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_log_density(p.chain, &value, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_terms(p.chain, out, NULL, NULL, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_probit_draws(p.chain, &a, &b, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_predict(p.chain, p.data, out, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start",
          nnp_chain_score(p.chain, p.data, NNP_SCORE_LOG, &value, e));
  REFUSED(NNP_E_NOT_STARTED, "chain", "start", nnp_chain_save(p.chain, out, 8, e));
  OK(nnp_chain_start(p.chain, NNP_START_ZERO, 1, 0, e));
  OK(nnp_chain_run(p.chain, 1, NULL, NULL, e));
  free(out);
  problem_free(&p);
}

static void test_numbers_that_are_no_constants(void) {
  static const int32_t none[] = {-1, 0, 1000};
  static const char *const text[] = {"= -1", "= 0", "= 1000"};
  Twins t = make_twins(NNP_GAUSSIAN);
  nnp_net *net = NULL;
  nnp_chain *chain = NULL;
  nnp_predictor *predictor = NULL;
  const char *name;
  double x[3 * ROWS] = {0}, out[2 * ROWS], value, *params = problem_doubles(t.p.parameters);
  int i;
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, 2, e));
  OK(nnp_predictor_create(&predictor, t.p.net, 1, e));
  for (i = 0; i < 3; ++i) {
    const int32_t bad = none[i];
    REFUSED(NNP_E_ENUM, "activation", text[i], nnp_net_activation(net, bad, e));
    REFUSED(NNP_E_ENUM, "head", text[i], nnp_net_head(net, bad, e));
    REFUSED(NNP_E_ENUM, "property", text[i], nnp_net_set(net, 1, bad, 1, e));
    REFUSED(NNP_E_ENUM, "property", text[i], nnp_net_get(net, 1, bad, &value, e));
    REFUSED(NNP_E_ENUM, "order", text[i], nnp_data_set_inputs(t.p.data, x, bad, e));
    REFUSED(NNP_E_ENUM, "order", text[i], nnp_data_set_targets(t.p.data, x, bad, e));
    REFUSED(NNP_E_ENUM, "order", text[i], nnp_data_targets(t.p.data, x, bad, e));
    REFUSED(NNP_E_ENUM, "sampler", text[i],
            nnp_chain_create(&chain, t.p.net, t.p.data, bad, NNP_INTERMEDIATE, e));
    REFUSED(NNP_E_ENUM, "posterior", text[i],
            nnp_chain_create(&chain, t.p.net, t.p.data, NNP_GIBBS, bad, e));
    REFUSED(NNP_E_ENUM, "option", text[i], nnp_chain_set(t.p.chain, bad, 1, e));
    REFUSED(NNP_E_ENUM, "option", text[i], nnp_chain_get(t.p.chain, bad, &value, e));
    REFUSED(NNP_E_ENUM, "option", text[i], nnp_option_info(bad, &name, NULL, NULL, NULL, e));
    REFUSED(NNP_E_ENUM, "start", text[i], nnp_chain_start(t.p.chain, bad, 1, 0, e));
    REFUSED(NNP_E_ENUM, "score", text[i], nnp_chain_score(t.p.chain, t.p.data, bad, &value, e));
    REFUSED(NNP_E_ENUM, "kind", text[i], nnp_predict(predictor, t.p.data, params, 1, bad, out, e));
    REFUSED(NNP_E_ENUM, "score", text[i],
            nnp_score(predictor, t.p.data, params, 1, bad, &value, e));
  }
  TEST_ASSERT_NULL(chain);
  check_twins(&t);
  free(params);
  nnp_predictor_free(predictor);
  nnp_net_free(net);
  free_twins(&t);
}

static void test_combinations_without_sense(void) {
  Twins t = make_twins(NNP_GAUSSIAN);
  nnp_net *classes = problem_net(NNP_ARGMAX), *many = NULL;
  nnp_data *labelled = problem_data(ROWS, 3, 3, NNP_ARGMAX, 1), *wide = NULL;
  nnp_chain *chain = NULL;
  nnp_predictor *predictor = NULL;
  double out[3 * ROWS], value, level = 0.5, *params = problem_doubles(100);
  double x[3] = {1, 2, 3};
  int32_t label = 4999;
  REFUSED(NNP_E_UNSUPPORTED, "gibbs", "classical",
          nnp_chain_create(&chain, t.p.net, t.p.data, NNP_GIBBS, NNP_CLASSICAL, e));
  OK(nnp_predictor_create(&predictor, t.p.net, 1, e));
  REFUSED(NNP_E_UNSUPPORTED, "kind", "gaussian",
          nnp_predict(predictor, t.p.data, params, 1, NNP_PREDICT_PROBABILITIES, out, e));
  REFUSED(NNP_E_UNSUPPORTED, "kind", "gaussian",
          nnp_predict(predictor, t.p.data, params, 1, NNP_PREDICT_VOTES, out, e));
  REFUSED(NNP_E_UNSUPPORTED, "accuracy", "argmax",
          nnp_score(predictor, t.p.data, params, 1, NNP_SCORE_ACCURACY, &value, e));
  REFUSED(NNP_E_OPTION, "quantiles", "levels",
          nnp_predict(predictor, t.p.data, params, 1, NNP_PREDICT_QUANTILES, out, e));
  OK(nnp_predictor_levels(predictor, &level, 1, e));
  REFUSED(NNP_E_MEMORY_SIZE, "draws = 2", "at most 1",
          nnp_predict(predictor, t.p.data, params, 2, NNP_PREDICT_QUANTILES, out, e));
  OK(nnp_predict(predictor, t.p.data, params, 1, NNP_PREDICT_QUANTILES, out, e));
  nnp_predictor_free(predictor);
  OK(nnp_predictor_create(&predictor, classes, 1, e));
  REFUSED(NNP_E_UNSUPPORTED, "mse", "gaussian",
          nnp_score(predictor, labelled, params, 1, NNP_SCORE_MSE, &value, e));
  nnp_predictor_free(predictor);
  free(params);

  /* More classes than probabilities are computed for. */
  OK(nnp_net_create(&many, 3, e));
  OK(nnp_net_dense(many, 5000, e));
  OK(nnp_net_head(many, NNP_ARGMAX, e));
  OK(nnp_data_create(&wide, 1, 3, 0, e));
  OK(nnp_data_set_inputs(wide, x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_labels(wide, &label, e));
  OK(nnp_predictor_create(&predictor, many, 1, e));
  params = problem_doubles(20000);
  REFUSED(NNP_E_UNSUPPORTED, "5000 classes", "4096",
          nnp_predict(predictor, wide, params, 1, NNP_PREDICT_PROBABILITIES, out, e));
  REFUSED(NNP_E_UNSUPPORTED, "5000 classes", "4096",
          nnp_score(predictor, wide, params, 1, NNP_SCORE_ACCURACY, &value, e));
  check_twins(&t);
  free(params);
  nnp_predictor_free(predictor);
  nnp_data_free(wide);
  nnp_data_free(labelled);
  nnp_net_free(many);
  nnp_net_free(classes);
  free_twins(&t);
}

/* ---- saved blocks ---------------------------------------------------------------------------- */

/* Where things lie in a saved block, as lib/sampler/save.cpp writes them. */
enum { VERSION_AT = 8, ORDER_AT = 12, SIZE_AT = 16 };

static unsigned char *save(const nnp_chain *chain, size_t *bytes) {
  unsigned char *block;
  OK(nnp_chain_save_bytes(chain, bytes, e));
  block = (unsigned char *)malloc(*bytes);
  TEST_ASSERT_NOT_NULL(block);
  OK(nnp_chain_save(chain, block, *bytes, e));
  return block;
}

static void test_saved_block_truncated(void) {
  Twins t = make_twins(NNP_ARGMAX);
  size_t bytes, length;
  unsigned char *block = save(t.p.chain, &bytes);
  char text[32];
  for (length = 0; length < bytes; ++length) {
    /* A copy of its own length, so that reading beyond it is seen by a memory checker. */
    unsigned char *part = (unsigned char *)malloc(length + 1);
    TEST_ASSERT_NOT_NULL(part);
    memcpy(part, block, length);
    snprintf(text, sizeof text, "%zu bytes", length);
    REFUSED(NNP_E_SAVE_TRUNCATED, "buffer", text, nnp_chain_restore(t.p.chain, part, length, e));
    free(part);
  }
  check_twins(&t);
  free(block);
  free_twins(&t);
}

static int32_t corrupted_status(size_t position) {
  if (position >= VERSION_AT && position < SIZE_AT) return NNP_E_SAVE_VERSION;
  return NNP_E_SAVE_CORRUPTED;
}

static void test_saved_block_corrupted(void) {
  static const unsigned char flips[] = {0x01, 0x80, 0xFF};
  Twins t = make_twins(NNP_ARGMAX);
  size_t bytes, i, j;
  unsigned char *block = save(t.p.chain, &bytes);
  for (i = 0; i < bytes; ++i)
    for (j = 0; j < sizeof flips; ++j) {
      nnp_error err;
      int32_t status;
      block[i] ^= flips[j];
      status = nnp_chain_restore(t.p.chain, block, bytes, &err);
      snprintf(seen, sizeof seen, "byte %zu: %s", i, err.message);
      /* A wrong length may be taken for a block that was cut. */
      if (i >= SIZE_AT && i < SIZE_AT + 8 && status == NNP_E_SAVE_TRUNCATED)
        status = NNP_E_SAVE_CORRUPTED;
      TEST_ASSERT_EQUAL_INT32_MESSAGE(corrupted_status(i), status, seen);
      TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "buffer"), seen);
      block[i] ^= flips[j];
    }
  check_twins(&t);
  OK(nnp_chain_restore(t.p.chain, block, bytes, e)); /* unharmed it is still good */
  free(block);
  free_twins(&t);
}

static void test_saved_block_of_something_else(void) {
  Twins t = make_twins(NNP_ARGMAX);
  Problem more = problem_make(NNP_ARGMAX, ROWS + 1);
  nnp_net *noisier = problem_net(NNP_ARGMAX), *wider = NULL;
  nnp_data *data = problem_data(ROWS, 3, 3, NNP_ARGMAX, 2);
  nnp_chain *other = NULL;
  size_t bytes;
  unsigned char *block;
  static const char text[256] = "something that never was a chain, but is as long as one";

  REFUSED(NNP_E_SAVE_CORRUPTED, "buffer", "saved chain",
          nnp_chain_restore(t.p.chain, text, sizeof text, e));

  /* A version to come. */
  block = save(t.p.chain, &bytes);
  ++block[VERSION_AT];
  REFUSED(NNP_E_SAVE_VERSION, "buffer", "expected format",
          nnp_chain_restore(t.p.chain, block, bytes, e));
  free(block);

  /* The same shape with another noise. */
  OK(nnp_net_set(noisier, 1, NNP_NOISE, 0.31, e));
  OK(nnp_chain_create(&other, noisier, t.p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(other, NNP_START_ZERO, 1, 0, e));
  block = save(other, &bytes);
  REFUSED(NNP_E_SAVE_NETWORK, "buffer", "another network",
          nnp_chain_restore(t.p.chain, block, bytes, e));
  free(block);
  nnp_chain_free(other);

  /* Another shape, and with it another length: longer and shorter than this chain's. */
  OK(nnp_net_create(&wider, 3, e));
  OK(nnp_net_dense(wider, 9, e));
  OK(nnp_net_activation(wider, NNP_RELU, e));
  OK(nnp_net_dense(wider, 3, e));
  OK(nnp_net_head(wider, NNP_ARGMAX, e));
  OK(nnp_chain_create(&other, wider, t.p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(other, NNP_START_ZERO, 1, 0, e));
  block = save(other, &bytes);
  REFUSED(NNP_E_SAVE_NETWORK, "buffer", "another network",
          nnp_chain_restore(t.p.chain, block, bytes, e));
  free(block);
  block = save(t.p.chain, &bytes);
  REFUSED(NNP_E_SAVE_NETWORK, "buffer", "another network",
          nnp_chain_restore(other, block, bytes, e));
  free(block);
  nnp_chain_free(other);

  /* Other inputs, other labels, another number of rows. */
  OK(nnp_chain_create(&other, t.p.net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(other, NNP_START_ZERO, 1, 0, e));
  block = save(other, &bytes);
  REFUSED(NNP_E_SAVE_DATA, "buffer", "other data", nnp_chain_restore(t.p.chain, block, bytes, e));
  free(block);
  OK(nnp_chain_start(more.chain, NNP_START_ZERO, 1, 0, e));
  block = save(more.chain, &bytes);
  REFUSED(NNP_E_SAVE_DATA, "buffer", "other data", nnp_chain_restore(t.p.chain, block, bytes, e));
  free(block);
  check_twins(&t);
  nnp_chain_free(other);
  nnp_data_free(data);
  nnp_net_free(wider);
  nnp_net_free(noisier);
  problem_free(&more);
  free_twins(&t);
}

/* ---- statuses -------------------------------------------------------------------------------- */

static void test_statuses_are_distinct(void) {
  int32_t i, j;
  for (i = NNP_OK; i <= NNP_E_FILE; ++i) {
    TEST_ASSERT_EQUAL_STRING_LEN("NNP_", nnp_status_name(i), 4);
    for (j = NNP_OK; j < i; ++j)
      TEST_ASSERT_TRUE(strcmp(nnp_status_name(i), nnp_status_name(j)) != 0);
  }
  TEST_ASSERT_EQUAL_STRING("NNP_OK", nnp_status_name(NNP_OK));
  TEST_ASSERT_EQUAL_STRING("NNP_E_SHAPE", nnp_status_name(NNP_E_SHAPE));
  TEST_ASSERT_EQUAL_STRING("NNP_STOPPED", nnp_status_name(NNP_STOPPED));
  TEST_ASSERT_EQUAL_STRING("NNP_E_INFEASIBLE", nnp_status_name(NNP_E_INFEASIBLE));
  TEST_ASSERT_EQUAL_STRING("unknown", nnp_status_name(-1));
  TEST_ASSERT_EQUAL_STRING("unknown", nnp_status_name(1000000));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_null_for_networks);
  RUN_TEST(test_null_for_data_and_pools);
  RUN_TEST(test_null_for_chains);
  RUN_TEST(test_null_for_predictors);
  RUN_TEST(test_sizes_of_nothing);
  RUN_TEST(test_sizes_that_overflow);
  RUN_TEST(test_sizes_and_indices_of_calls);
  RUN_TEST(test_draws_that_overflow);
  RUN_TEST(test_not_finite);
  RUN_TEST(test_values_out_of_bounds);
  RUN_TEST(test_labels_out_of_range);
  RUN_TEST(test_bad_labels_under_a_chain);
  RUN_TEST(test_shapes_that_do_not_match);
  RUN_TEST(test_data_never_set);
  RUN_TEST(test_scores_that_contradict_labels);
  RUN_TEST(test_blocks_too_small_or_misaligned);
  RUN_TEST(test_buffers_too_small);
  RUN_TEST(test_heads_and_layers_in_the_wrong_place);
  RUN_TEST(test_chains_without_a_start);
  RUN_TEST(test_numbers_that_are_no_constants);
  RUN_TEST(test_combinations_without_sense);
  RUN_TEST(test_saved_block_truncated);
  RUN_TEST(test_saved_block_corrupted);
  RUN_TEST(test_saved_block_of_something_else);
  RUN_TEST(test_statuses_are_distinct);
  return UNITY_END();
}
