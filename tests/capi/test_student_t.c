/* The Student-t head through the C API: its property, saves, predictions, teachers, studies,
 * multistarts and twins, and a status with a sentence for what is refused. */
#include "capi/nnpost_study.h"
#include "tests/support/taught.h"
#include "tests/support/threads.h"

enum { ROWS = 150, MOST = 64 };

static void make(int64_t outputs, double freedom) {
  const Taught t = {NNP_STUDENT_T, ROWS, 4, outputs, outputs, 0.1};
  make_taught(t);
  OK(nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, freedom, &err));
  make_teacher(NNP_INTERMEDIATE);
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
}

static void test_the_property(void) {
  double value = 0;
  char table[2048];
  OK(nnp_net_create(&net, 2, &err));
  FAILS(NNP_E_NO_HEAD, "no head yet", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 3, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_STUDENT_T, &err));
  OK(nnp_net_get(net, NNP_HEAD, NNP_FREEDOM, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(4, value);
  FAILS(NNP_E_VALUE, "freedom = 0:", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 0, &err));
  FAILS(NNP_E_VALUE, "freedom = -2:", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, -2, &err));
  FAILS(NNP_E_VALUE, "freedom = inf:", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, INFINITY, &err));
  FAILS(NNP_E_VALUE, "nan", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, NAN, &err));
  FAILS(NNP_E_OPTION, "student_t", nnp_net_set(net, NNP_HEAD, NNP_NOISE, 1, &err));
  FAILS(NNP_E_ENUM, "layer = -1", nnp_net_set(net, 1, NNP_FREEDOM, 3, &err));
  FAILS(NNP_E_ENUM, "property = freedom", nnp_net_set(net, 1, NNP_FREEDOM, 3, &err));
  FAILS(NNP_E_SIZE, "layer = -2", nnp_net_set(net, -2, NNP_NOISE, 3, &err));
  OK(nnp_net_get(net, NNP_HEAD, NNP_FREEDOM, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(4, value);
  OK(nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 2.5, &err));
  OK(nnp_net_get(net, NNP_HEAD, NNP_FREEDOM, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(2.5, value);
  OK(nnp_net_print(net, 1, table, sizeof table, &err));
  TEST_ASSERT_NOT_NULL(strstr(table, "student_t"));
  TEST_ASSERT_NOT_NULL(strstr(table, "freedom 2.5"));
}

static void test_a_head_without_the_property(void) {
  OK(nnp_net_create(&net, 2, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  FAILS(NNP_E_OPTION, "head gaussian", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 3, &err));
}

/* Restored in the middle, a chain goes on bit for bit: row scales are of one step only. A chain of
 * other degrees of freedom does not take it. */
static void test_saves(void) {
  nnp_chain *other = NULL;
  double a[MOST], b[MOST];
  void *block;
  size_t size;
  make(2, 3);
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_run(chain, 7, NULL, NULL, &err));
  OK(nnp_chain_save_bytes(chain, &size, &err));
  block = malloc(size);
  OK(nnp_chain_save(chain, block, size, &err));
  OK(nnp_chain_run(chain, 9, NULL, NULL, &err));
  OK(nnp_chain_parameters(chain, a, &err));
  OK(nnp_chain_create(&other, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_restore(other, block, size, &err));
  OK(nnp_chain_run(other, 9, NULL, NULL, &err));
  OK(nnp_chain_parameters(other, b, &err));
  TEST_ASSERT_EQUAL_MEMORY(a, b, 16 * sizeof(double));
  nnp_chain_free(other);
  OK(nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 5, &err));
  OK(nnp_chain_create(&other, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  FAILS(NNP_E_SAVE_NETWORK, "another network", nnp_chain_restore(other, block, size, &err));
  nnp_chain_free(other);
  free(block);
}

/* Draws do not depend on the number of threads. */
static void test_threads(void) {
  double a[MOST], b[MOST];
  nnp_pool *pool = NULL;
  int i;
  make(2, 3);
  for (i = 0; i < 2; ++i) {
    OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
    if (i) OK(nnp_pool_create(&pool, threads_here(2), &err));
    OK(nnp_chain_use_pool(chain, pool, &err));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
    OK(nnp_chain_run(chain, 20, NULL, NULL, &err));
    OK(nnp_chain_parameters(chain, i ? b : a, &err));
    nnp_chain_free(chain);
    chain = NULL;
  }
  nnp_pool_free(pool);
  TEST_ASSERT_EQUAL_MEMORY(a, b, 16 * sizeof(double));
}

/* One output, one draw: the log score is the mean of t log densities. */
static void test_log_score(void) {
  nnp_predictor *predictor = NULL;
  double params[MOST], f[ROWS], y[ROWS], value, sum = 0;
  const double nu = 3, d = 0.1;
  int i;
  make(1, nu);
  OK(nnp_teacher_parameters(teacher, params, &err));
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  OK(nnp_predict(predictor, data, params, 1, NNP_PREDICT_MEAN, f, &err));
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  for (i = 0; i < ROWS; ++i)
    sum += lgamma(0.5 * (nu + 1)) - lgamma(0.5 * nu) - 0.5 * log(nu * 3.14159265358979324 * d) -
           0.5 * (nu + 1) * log1p((y[i] - f[i]) * (y[i] - f[i]) / (nu * d));
  OK(nnp_score(predictor, data, params, 1, NNP_SCORE_LOG, &value, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, sum / ROWS, value);
  OK(nnp_score(predictor, data, params, 1, NNP_SCORE_MSE, &value, &err));
  FAILS(NNP_E_UNSUPPORTED, "student_t",
        nnp_score(predictor, data, params, 1, NNP_SCORE_ACCURACY, &value, &err));
  FAILS(NNP_E_UNSUPPORTED, "student_t",
        nnp_predict(predictor, data, params, 1, NNP_PREDICT_PROBABILITIES, f, &err));
  nnp_predictor_free(predictor);
}

static void test_moves_that_cannot_take_row_scales(void) {
  make(1, 3);
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  FAILS(NNP_E_UNSUPPORTED, "its own noise", nnp_chain_set(chain, NNP_OPTION_UNIT_DRAWS, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "its own noise", nnp_chain_set(chain, NNP_OPTION_LAYER_MOVES, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "student_t", nnp_chain_set(chain, NNP_OPTION_EXPANSION, 1, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_UNIT_MOVES, 1, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_SCALE_MOVES, 1, &err));
}

/* Gibbs needs a dense last layer; gradients do not. */
static void test_an_activation_last(void) {
  OK(nnp_net_create(&net, 2, &err));
  OK(nnp_net_dense(net, 2, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_head(net, NNP_STUDENT_T, &err));
  OK(nnp_data_create(&data, 1, 2, 2, &err));
  {
    const double row[2] = {0.5, 1};
    OK(nnp_data_set_inputs(data, row, NNP_ROW_MAJOR, &err));
    OK(nnp_data_set_targets(data, row, NNP_ROW_MAJOR, &err));
  }
  FAILS(NNP_E_UNSUPPORTED, "dense last layer",
        nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_INTERMEDIATE, &err));
}

static void test_labels_are_not_targets(void) {
  make(1, 3);
  nnp_data_free(data);
  OK(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  {
    static double x[ROWS * INPUTS];
    OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  }
  FAILS(NNP_E_NO_DATA, "head student_t expects targets",
        nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
}

/* Studies judge by minus the log score, multistarts rank by it; twins run. */
static void test_studies_tries_and_twins(void) {
  nnp_chain *chains[2] = {NULL, NULL};
  nnp_study *study = NULL;
  nnp_multistart *multistart = NULL;
  nnp_twin *twin = NULL;
  int64_t best = -1;
  int i;
  make(1, 3);
  for (i = 0; i < 2; ++i)
    OK(nnp_chain_create(&chains[i], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_multistart_create(&multistart, chains, 2, &err));
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 400, &err));
  OK(nnp_multistart_run(multistart, 5, NULL, NULL, &err));
  OK(nnp_multistart_best(multistart, &best, &err));
  TEST_ASSERT_TRUE(best == 0 || best == 1);
  nnp_multistart_free(multistart);
  OK(nnp_twin_create(&twin, chains[best], &err));
  OK(nnp_twin_run(twin, 200, 1, 9, NULL, NULL, &err));
  nnp_twin_free(twin);
  OK(nnp_chain_start_teacher(chains[0], teacher, NULL, 1, 0, &err));
  OK(nnp_chain_start(chains[1], NNP_START_ZERO, 1, 1, &err));
  OK(nnp_study_create(&study, chains, 2, data, 1000, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 200, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  nnp_study_free(study);
  for (i = 0; i < 2; ++i) nnp_chain_free(chains[i]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_property);
  RUN_TEST(test_a_head_without_the_property);
  RUN_TEST(test_saves);
  RUN_TEST(test_threads);
  RUN_TEST(test_log_score);
  RUN_TEST(test_moves_that_cannot_take_row_scales);
  RUN_TEST(test_an_activation_last);
  RUN_TEST(test_labels_are_not_targets);
  RUN_TEST(test_studies_tries_and_twins);
  return UNITY_END();
}
