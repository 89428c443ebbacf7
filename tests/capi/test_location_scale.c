/* The location-scale head through the C API: noise that depends on the input is recovered,
 * predictions are those of the targets and cover them, teachers, saves and scores work, and what is
 * refused gets a status and a sentence. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

enum { ROWS = 400, DRAWS = 200 };

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chain, *other;
static nnp_predictor *predictor;
static nnp_teacher *teacher;

void setUp(void) {
  net = NULL;
  data = NULL;
  chain = other = NULL;
  predictor = NULL;
  teacher = NULL;
}

void tearDown(void) {
  nnp_teacher_free(teacher);
  nnp_predictor_free(predictor);
  nnp_chain_free(chain);
  nnp_chain_free(other);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void make_net(int64_t targets) {
  OK(nnp_net_create(&net, 1, &err));
  OK(nnp_net_dense(net, 6, &err));
  OK(nnp_net_activation(net, NNP_LEAKY_RELU, &err));
  OK(nnp_net_dense(net, 2 * targets, &err));
  OK(nnp_net_head(net, NNP_LOCATION_SCALE, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 1, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 1, &err));
}

/* Normals by Box and Muller from a sequence without pattern. */
static double normal_number(int i) {
  const double u = fmod((i + 1) * 0.6180339887498949, 1), v = fmod((i + 1) * 0.7548776662466927, 1);
  return sqrt(-2 * log(u + 1e-12)) * cos(6.283185307179586 * v);
}

static double true_mean(double x) {
  return sin(1.5 * x);
}

static double true_sd(double x) {
  return exp(-1.5 + 0.7 * x);
}

static double input(int i) {
  return 3.0 * i / (ROWS - 1) - 1.5;
}

static void make_data(void) {
  double x[ROWS], y[ROWS];
  int i;
  for (i = 0; i < ROWS; ++i) {
    x[i] = input(i);
    y[i] = true_mean(x[i]) + true_sd(x[i]) * normal_number(i);
  }
  OK(nnp_data_create(&data, ROWS, 1, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
}

/* Means within the noise of the data, sds within a third, quantiles that cover. */
static void test_varying_noise_is_recovered(void) {
  static const double levels[] = {0.05, 0.95};
  static double draws[64 * DRAWS], mean[ROWS], sd[ROWS], bounds[2 * ROWS], y[ROWS],
      all[ROWS * DRAWS];
  double covered = 0, score = 0, expected = 0, mse = 0, by_hand = 0;
  int64_t columns = 0, outputs = 0;
  int i;
  make_net(1);
  make_data();
  OK(nnp_net_targets(net, &columns, &err));
  OK(nnp_net_outputs(net, &outputs, &err));
  TEST_ASSERT_EQUAL_INT64(1, columns);
  TEST_ASSERT_EQUAL_INT64(2, outputs);
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-4, &err));
  OK(nnp_predictor_create(&predictor, net, DRAWS, &err));
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_CLASSICAL, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 200, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 5, &err));
  OK(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err));
  OK(nnp_chain_run(chain, 200, NULL, NULL, &err));
  OK(nnp_chain_sample(chain, draws, DRAWS, 2, NULL, NULL, &err));
  OK(nnp_predictor_posterior(predictor, NNP_CLASSICAL, &err));
  OK(nnp_predictor_noise(predictor, NNP_FITTED, 3, &err));
  OK(nnp_predictor_levels(predictor, levels, 2, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_MEAN, mean, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_SD, sd, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_QUANTILES, bounds, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_DRAWS, all, &err));
  for (i = 0; i < ROWS; ++i) {
    covered += y[i] >= bounds[2 * i] && y[i] <= bounds[2 * i + 1] ? 1.0 / ROWS : 0;
    by_hand += (y[i] - mean[i]) * (y[i] - mean[i]) / ROWS;
    expected += -0.5 * log(6.283185307179586) - log(true_sd(input(i))) -
                0.5 * pow((y[i] - true_mean(input(i))) / true_sd(input(i)), 2);
    if (i % 50 != 25) continue;
    TEST_ASSERT_DOUBLE_WITHIN(0.8 * true_sd(input(i)), true_mean(input(i)), mean[i]);
    TEST_ASSERT_DOUBLE_WITHIN(0.4 * true_sd(input(i)), true_sd(input(i)), sd[i]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.9, covered);
  TEST_ASSERT_TRUE(sd[ROWS - 20] > 4 * sd[20]);
  OK(nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_LOG, &score, &err));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, expected / ROWS, score); /* as good as the truth, nearly */
  OK(nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_MSE, &mse, &err));
  TEST_ASSERT_DOUBLE_WITHIN(0.05 * by_hand, by_hand, mse);
  FAILS(NNP_E_UNSUPPORTED, "score = accuracy",
        nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_ACCURACY, &score, &err));
  FAILS(NNP_E_UNSUPPORTED, "kind = probabilities",
        nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_PROBABILITIES, mean, &err));
}

/* The log score of one draw is the closed form, the log density its sum and the prior. */
static void test_scores_and_densities_by_hand(void) {
  double parameters[4] = {0.7, -0.4, 0.1, -0.6}; /* W, W, b, b */
  double score = 0, density = 0, expected = 0, prior = 0, outputs[ROWS], y[ROWS];
  int i, posterior;
  OK(nnp_net_create(&net, 1, &err));
  OK(nnp_net_dense(net, 2, &err));
  OK(nnp_net_head(net, NNP_LOCATION_SCALE, &err));
  make_data();
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  for (i = 0; i < ROWS; ++i) {
    const double mean = 0.7 * input(i) + 0.1, g = 15 * tanh((-0.4 * input(i) - 0.6) / 15);
    expected += -0.5 * log(6.283185307179586) - g - 0.5 * pow((y[i] - mean) / exp(g), 2);
  }
  for (i = 0; i < 4; ++i)
    prior += -0.5 * log(6.283185307179586) - 0.5 * parameters[i] * parameters[i];
  for (posterior = NNP_INTERMEDIATE; posterior <= NNP_CLASSICAL; ++posterior) {
    OK(nnp_chain_create(&chain, net, data, NNP_HMC, posterior, &err));
    OK(nnp_chain_start_weights(chain, parameters, 0, 1, 0, &err));
    OK(nnp_chain_score(chain, data, NNP_SCORE_LOG, &score, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, expected / ROWS, score);
    OK(nnp_chain_log_density(chain, &density, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, expected + prior, density);
    OK(nnp_chain_predict(chain, data, outputs, &err));
    for (i = 0; i < ROWS; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.7 * input(i) + 0.1, outputs[i]);
    nnp_chain_free(chain);
    chain = NULL;
  }
}

/* A teacher of two targets; a chain that is saved goes on bit for bit; a study runs. */
static void test_teachers_and_saves(void) {
  double x[ROWS], a[64], b[64], density = 0;
  size_t bytes = 0;
  int64_t count = 0;
  void *block;
  int i;
  make_net(2);
  OK(nnp_net_parameters(net, &count, &err));
  for (i = 0; i < ROWS; ++i) x[i] = input(i);
  OK(nnp_data_create(&data, ROWS, 1, 2, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_teacher_create(&teacher, net, NNP_CLASSICAL, 3, 0, &err));
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_MALA, NNP_CLASSICAL, &err));
  OK(nnp_chain_create(&other, net, data, NNP_MALA, NNP_CLASSICAL, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 1e-4, &err));
  OK(nnp_chain_start_teacher(chain, teacher, NULL, 1, 0, &err));
  OK(nnp_chain_run(chain, 10, NULL, NULL, &err));
  OK(nnp_chain_save_bytes(chain, &bytes, &err));
  block = malloc(bytes);
  OK(nnp_chain_save(chain, block, bytes, &err));
  OK(nnp_chain_restore(other, block, bytes, &err));
  free(block);
  OK(nnp_chain_run(chain, 10, NULL, NULL, &err));
  OK(nnp_chain_run(other, 10, NULL, NULL, &err));
  OK(nnp_chain_parameters(chain, a, &err));
  OK(nnp_chain_parameters(other, b, &err));
  TEST_ASSERT_EQUAL_MEMORY(a, b, (size_t)count * sizeof(double));
  OK(nnp_chain_log_density(chain, &density, &err));
  TEST_ASSERT_TRUE(isfinite(density));
}

static void test_what_heads_say(void) {
  static const char *const names[] = {"gaussian", "argmax", "sign", "student_t", "location_scale"};
  const char *name = NULL;
  int32_t labels = -1, head;
  int64_t each = 0;
  for (head = NNP_GAUSSIAN; head <= NNP_LOCATION_SCALE; ++head) {
    OK(nnp_head_info(head, &name, &labels, &each, &err));
    TEST_ASSERT_EQUAL_STRING(names[head - NNP_GAUSSIAN], name);
    TEST_ASSERT_EQUAL_INT32(head == NNP_ARGMAX || head == NNP_SIGN_HEAD, labels);
    TEST_ASSERT_EQUAL_INT64(head == NNP_LOCATION_SCALE ? 2 : 1, each);
  }
  OK(nnp_head_info(NNP_GAUSSIAN, NULL, NULL, NULL, &err));
  FAILS(NNP_E_ENUM, "head = 6: expected a head, NNP_GAUSSIAN to",
        nnp_head_info(6, &name, NULL, NULL, &err));
  FAILS(NNP_E_ENUM, "head = 0", nnp_head_info(0, &name, NULL, NULL, &err));
}

static void test_bad_input(void) {
  char table[2048];
  int64_t columns = 0;
  OK(nnp_net_create(&net, 1, &err));
  OK(nnp_net_dense(net, 3, &err));
  FAILS(NNP_E_SHAPE, "has 3 outputs, expected an even number",
        nnp_net_head(net, NNP_LOCATION_SCALE, &err));
  OK(nnp_net_dense(net, 4, &err));
  OK(nnp_net_targets(net, &columns, &err));
  TEST_ASSERT_EQUAL_INT64(4, columns); /* no head yet */
  OK(nnp_net_head(net, NNP_LOCATION_SCALE, &err));
  OK(nnp_net_targets(net, &columns, &err));
  TEST_ASSERT_EQUAL_INT64(2, columns);
  FAILS(NNP_E_NULL, "targets: it is NULL", nnp_net_targets(net, NULL, &err));
  FAILS(NNP_E_NULL, "net: it is NULL", nnp_net_targets(NULL, &columns, &err));
  OK(nnp_net_print(net, 10, table, sizeof table, &err));
  TEST_ASSERT_NOT_NULL(strstr(table, "location_scale"));
  make_data();
  FAILS(NNP_E_SHAPE, "it has 1 outputs per row, the network expects 2",
        nnp_chain_create(&chain, net, data, NNP_HMC, NNP_CLASSICAL, &err));
  nnp_net_free(net);
  net = NULL;
  make_net(1);
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.1, &err));
  FAILS(NNP_E_UNSUPPORTED, "expected sampler hmc, mala or nuts",
        nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  FAILS(NNP_E_OPTION, "location_scale", nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, 3, &err));
}

/* The last site is the targets, which are half as many as the outputs: no more is written. */
static void test_the_last_site(void) {
  double x[5], y[5], found[10];
  int i;
  make_net(1);
  OK(nnp_data_create(&data, 5, 1, 1, &err));
  for (i = 0; i < 5; ++i) x[i] = y[i] = 0.1 * i - 3;
  for (i = 0; i < 10; ++i) found[i] = 77;
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_HMC, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  OK(nnp_chain_site(chain, 3, found, &err));
  TEST_ASSERT_EQUAL_MEMORY(y, found, sizeof y);
  for (i = 5; i < 10; ++i) TEST_ASSERT_TRUE(found[i] == 77);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_varying_noise_is_recovered);
  RUN_TEST(test_scores_and_densities_by_hand);
  RUN_TEST(test_teachers_and_saves);
  RUN_TEST(test_what_heads_say);
  RUN_TEST(test_the_last_site);
  RUN_TEST(test_bad_input);
  return UNITY_END();
}
