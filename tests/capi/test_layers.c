/* Layers as the header describes them: found by the name of their weights, shown with it, refused
 * where a property is not theirs, and told apart by all that makes them different. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

void setUp(void) {}
void tearDown(void) {}

/* dense, relu, dense, leaky relu, dense */
static nnp_net *three_dense(void) {
  nnp_net *net = NULL;
  nnp_net_create(&net, 3, NULL);
  nnp_net_dense(net, 4, NULL);
  nnp_net_activation(net, NNP_RELU, NULL);
  nnp_net_dense(net, 5, NULL);
  nnp_net_activation(net, NNP_LEAKY_RELU, NULL);
  nnp_net_dense(net, 2, NULL);
  return net;
}

static void test_layers_are_found_by_name(void) {
  nnp_net *net = three_dense();
  const char *names[] = {"W1", "b1", "W2", "b2", "W3", "b3"};
  for (int i = 0; i < 6; ++i) {
    int64_t layer = 0;
    OK(nnp_net_find_layer(net, names[i], &layer, &err));
    TEST_ASSERT_EQUAL(1 + i / 2 * 2, layer);
  }
  nnp_net_free(net);
}

static void test_unknown_names_list_what_there_is(void) {
  nnp_net *net = three_dense();
  int64_t layer = -7;
  const char *names[] = {"W0", "W4", "w1", "W1[1,2]", "", "W", "W01", "c1"};
  for (int i = 0; i < 8; ++i) {
    TEST_ASSERT_EQUAL(NNP_E_OPTION, nnp_net_find_layer(net, names[i], &layer, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.message, names[i]));
    TEST_ASSERT_NOT_NULL(strstr(err.message, "W1 is layer 1, W2 is layer 3, W3 is layer 5"));
  }
  nnp_net_set(net, 3, NNP_BIAS, 0, NULL);
  TEST_ASSERT_EQUAL(NNP_E_OPTION, nnp_net_find_layer(net, "b2", &layer, &err));
  OK(nnp_net_find_layer(net, "b3", &layer, &err));
  TEST_ASSERT_EQUAL(5, layer);
  TEST_ASSERT_EQUAL(NNP_E_NULL, nnp_net_find_layer(NULL, "W1", &layer, &err));
  TEST_ASSERT_EQUAL(NNP_E_NULL, nnp_net_find_layer(net, NULL, &layer, &err));
  TEST_ASSERT_EQUAL(NNP_E_NULL, nnp_net_find_layer(net, "W1", NULL, &err));
  nnp_net_free(net);
  nnp_net_create(&net, 3, NULL);
  TEST_ASSERT_EQUAL(NNP_E_OPTION, nnp_net_find_layer(net, "W1", &layer, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "no weights"));
  nnp_net_free(net);
}

/* More layers than a message has room for. */
static void test_a_long_list_is_cut(void) {
  nnp_net *net = NULL;
  int64_t layer = 0;
  nnp_net_create(&net, 3, NULL);
  for (int i = 0; i < 100; ++i) nnp_net_dense(net, 2, NULL);
  TEST_ASSERT_EQUAL(NNP_E_OPTION, nnp_net_find_layer(net, "W101", &layer, &err));
  TEST_ASSERT_TRUE(strlen(err.message) < sizeof err.message);
  OK(nnp_net_find_layer(net, "W100", &layer, &err));
  TEST_ASSERT_EQUAL(100, layer);
  nnp_net_free(net);
}

static void test_the_table_names_the_weights(void) {
  nnp_net *net = three_dense();
  char text[2000];
  OK(nnp_net_print(net, 10, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "    3  dense      W2 "));
  TEST_ASSERT_NOT_NULL(strstr(text, "    2  relu       "));
  TEST_ASSERT_NULL(strstr(text, "W4"));
  nnp_net_free(net);
}

/* What one writes who takes layer 2 for the one that holds W2. */
static void test_a_missing_property_tells_where_weights_are(void) {
  nnp_net *net = three_dense();
  TEST_ASSERT_EQUAL(NNP_E_OPTION, nnp_net_set(net, 2, NNP_LAMBDA_W, 3, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "relu has no lambda_w"));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "W2 is layer 3"));
  TEST_ASSERT_EQUAL(NNP_E_OPTION, nnp_net_set(net, 1, NNP_COLLAPSE, 1, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "dense has no collapse"));
  nnp_net_free(net);
}

/* A value that no layer could have is refused, whether or not a layer has the property. */
static void test_values_are_checked_without_layers(void) {
  nnp_net *net = NULL;
  nnp_net_create(&net, 3, NULL);
  TEST_ASSERT_EQUAL(NNP_E_VALUE, nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, -1, &err));
  TEST_ASSERT_EQUAL(NNP_E_VALUE, nnp_net_set(net, NNP_ALL_LAYERS, NNP_COLLAPSE, 0.5, &err));
  TEST_ASSERT_EQUAL(NNP_E_ENUM, nnp_net_set(net, NNP_ALL_LAYERS, 99, 1, &err));
  nnp_net_free(net);
}

/* ---- teachers and students ------------------------------------------------------------------- */

/* The status of a start from a teacher of another network. */
static int32_t start_from(nnp_net *teacher_net, nnp_net *net) {
  int64_t shape[3], outputs = 0;
  nnp_net_shape(net, 0, shape, NULL);
  nnp_net_outputs(net, &outputs, NULL);
  nnp_net_head(teacher_net, NNP_GAUSSIAN, NULL);
  nnp_net_head(net, NNP_GAUSSIAN, NULL);
  const int64_t features = shape[0] * shape[1] * shape[2], n = 5;
  nnp_data *data = NULL;
  nnp_data_create(&data, n, features, outputs, NULL);
  double *x = calloc((size_t)(n * features), sizeof *x);
  nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, NULL);
  nnp_teacher *teacher = NULL;
  nnp_teacher_create(&teacher, teacher_net, NNP_INTERMEDIATE, 1, 0, NULL);
  nnp_teacher_label(teacher, data, 0, NULL, NULL);
  nnp_chain *chain = NULL;
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_create(&chain, net, data, NNP_HMC, NNP_INTERMEDIATE, &err));
  const int32_t status = nnp_chain_start_teacher(chain, teacher, NULL, 1, 0, &err);
  nnp_chain_free(chain);
  nnp_teacher_free(teacher);
  nnp_data_free(data);
  nnp_net_free(teacher_net);
  nnp_net_free(net);
  free(x);
  return status;
}

static void test_a_teacher_with_another_slope_is_refused(void) {
  nnp_net *other = three_dense();
  nnp_net_set(other, 4, NNP_SLOPE, 0.5, NULL);
  TEST_ASSERT_EQUAL(NNP_E_SHAPE, start_from(other, three_dense()));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "leaky relu"));
  TEST_ASSERT_EQUAL(NNP_OK, start_from(three_dense(), three_dense()));
}

/* ---- padding --------------------------------------------------------------------------------- */

static nnp_net *conv(double padding_y, double padding_x) {
  nnp_net *net = NULL;
  OK(nnp_net_create_image(&net, 1, 6, 5, &err));
  OK(nnp_net_conv2d(net, 2, 3, 2, 1, 1, &err));
  OK(nnp_net_set(net, 1, NNP_PADDING_Y, padding_y, &err));
  OK(nnp_net_set(net, 1, NNP_PADDING_X, padding_x, &err));
  return net;
}

static void expect_shape(const nnp_net *net, int64_t site, int64_t height, int64_t width) {
  int64_t shape[3];
  OK(nnp_net_shape(net, site, shape, &err));
  TEST_ASSERT_EQUAL(height, shape[1]);
  TEST_ASSERT_EQUAL(width, shape[2]);
}

static void test_the_output_follows_the_padding(void) {
  nnp_net *net = conv(0, 0);
  double value = -1;
  OK(nnp_net_get(net, 1, NNP_PADDING_Y, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0, value);
  expect_shape(net, 1, 4, 4);
  OK(nnp_net_set(net, 1, NNP_PADDING_Y, 2, &err));
  expect_shape(net, 1, 8, 4);
  OK(nnp_net_set(net, 1, NNP_PADDING_X, 1, &err));
  expect_shape(net, 1, 8, 6);
  OK(nnp_net_get(net, 1, NNP_PADDING_Y, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(2, value);
  OK(nnp_net_set(net, 1, NNP_PADDING_Y, 0, &err));
  expect_shape(net, 1, 4, 6);
  nnp_net_free(net);
}

static void test_bad_padding(void) {
  nnp_net *net = conv(1, 1);
  FAILS(NNP_E_VALUE, "padding_y = 3: expected less than the filter's height, 3",
        nnp_net_set(net, 1, NNP_PADDING_Y, 3, &err));
  FAILS(NNP_E_VALUE, "padding_x = 2: expected less than the filter's width, 2",
        nnp_net_set(net, 1, NNP_PADDING_X, 2, &err));
  FAILS(NNP_E_VALUE, "padding_y = -1", nnp_net_set(net, 1, NNP_PADDING_Y, -1, &err));
  FAILS(NNP_E_VALUE, "padding_y = 0.5", nnp_net_set(net, 1, NNP_PADDING_Y, 0.5, &err));
  FAILS(NNP_E_VALUE, "padding_x = nan", nnp_net_set(net, 1, NNP_PADDING_X, NAN, &err));
  FAILS(NNP_E_VALUE, "padding_x = inf", nnp_net_set(net, 1, NNP_PADDING_X, INFINITY, &err));
  expect_shape(net, 1, 6, 6);
  OK(nnp_net_activation(net, NNP_RELU, &err));
  FAILS(NNP_E_OPTION, "padding_y: layer 1 is followed by another",
        nnp_net_set(net, 1, NNP_PADDING_Y, 0, &err));
  FAILS(NNP_E_OPTION, "relu has no padding_x", nnp_net_set(net, 2, NNP_PADDING_X, 1, &err));
  expect_shape(net, 1, 6, 6);
  nnp_net_free(net);
  net = conv(1, 1);
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  FAILS(NNP_E_OPTION, "layer 1 is followed by the head",
        nnp_net_set(net, 1, NNP_PADDING_Y, 0, &err));
  nnp_net_free(net);
}

/* Of two convolutions only the last may change: then none does. */
static void test_padding_of_all_layers(void) {
  nnp_net *net = conv(0, 0);
  OK(nnp_net_conv2d(net, 2, 2, 2, 1, 1, &err));
  FAILS(NNP_E_OPTION, "layer 1", nnp_net_set(net, NNP_ALL_LAYERS, NNP_PADDING_Y, 1, &err));
  expect_shape(net, 1, 4, 4);
  expect_shape(net, 2, 3, 3);
  OK(nnp_net_set(net, 2, NNP_PADDING_Y, 1, &err));
  expect_shape(net, 2, 5, 3);
  nnp_net_free(net);
}

/* 2^31 features are the most there may be. */
static void test_padding_that_is_too_much(void) {
  nnp_net *net = NULL;
  OK(nnp_net_create_image(&net, 1, 1 << 15, 1 << 15, &err));
  OK(nnp_net_conv2d(net, 2, 1 << 15, 1, 1, 1, &err));
  FAILS(NNP_E_OVERFLOW, "filters = 2", nnp_net_set(net, 1, NNP_PADDING_Y, (1 << 15) - 1, &err));
  expect_shape(net, 1, 1, 1 << 15);
  nnp_net_free(net);
}

/* Strides of 4 over 4 columns: 5 x 1 outputs, whatever the padding of the columns. */
static nnp_net *strided(double padding_x) {
  nnp_net *net = NULL;
  OK(nnp_net_create_image(&net, 1, 7, 4, &err));
  OK(nnp_net_conv2d(net, 2, 3, 3, 1, 4, &err));
  OK(nnp_net_set(net, 1, NNP_PADDING_X, padding_x, &err));
  expect_shape(net, 1, 5, 1);
  return net;
}

static nnp_net *pooled(int max) {
  nnp_net *net = NULL;
  OK(nnp_net_create_image(&net, 1, 4, 4, &err));
  OK(max ? nnp_net_maxpool(net, 2, 2, &err) : nnp_net_avgpool(net, 2, 2, &err));
  OK(nnp_net_dense(net, 1, &err));
  return net;
}

static void test_teachers_of_another_map_are_refused(void) {
  TEST_ASSERT_EQUAL(NNP_OK, start_from(strided(1), strided(1)));
  TEST_ASSERT_EQUAL(NNP_E_SHAPE, start_from(strided(1), strided(0)));
  TEST_ASSERT_EQUAL(NNP_OK, start_from(pooled(1), pooled(1)));
  TEST_ASSERT_EQUAL(NNP_E_SHAPE, start_from(pooled(1), pooled(0)));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "maxpool"));
}

static nnp_chain *chain_of(nnp_net *net, nnp_data **data, int32_t sampler) {
  int64_t shape[3], outputs = 0;
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  OK(nnp_net_shape(net, 0, shape, &err));
  OK(nnp_net_outputs(net, &outputs, &err));
  const int64_t features = shape[0] * shape[1] * shape[2], n = 9;
  double *x = calloc((size_t)(n * (features + outputs)), sizeof *x);
  for (int64_t i = 0; i < n * features; ++i) x[i] = 0.1 * (double)(i % 7) - 0.2;
  OK(nnp_data_create(data, n, features, outputs, &err));
  OK(nnp_data_set_inputs(*data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(*data, x + n * features, NNP_ROW_MAJOR, &err));
  nnp_chain *chain = NULL;
  OK(nnp_chain_create(&chain, net, *data, sampler, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  OK(nnp_chain_run(chain, 3, NULL, NULL, &err));
  nnp_net_free(net);
  free(x);
  return chain;
}

/* The status of a restore from a chain of one network into one of another. */
static int32_t restored(nnp_net *from, nnp_net *into, int32_t sampler) {
  nnp_data *data[2];
  nnp_chain *chain[2] = {chain_of(from, &data[0], sampler), chain_of(into, &data[1], sampler)};
  size_t bytes = 0;
  OK(nnp_chain_save_bytes(chain[0], &bytes, &err));
  void *saved = malloc(bytes);
  OK(nnp_chain_save(chain[0], saved, bytes, &err));
  const int32_t status = nnp_chain_restore(chain[1], saved, bytes, &err);
  for (int i = 0; i < 2; ++i) nnp_chain_free(chain[i]);
  for (int i = 0; i < 2; ++i) nnp_data_free(data[i]);
  free(saved);
  return status;
}

static void test_saved_chains_of_another_map_are_refused(void) {
  for (int32_t sampler = NNP_GIBBS; sampler <= NNP_HMC; ++sampler) {
    TEST_ASSERT_EQUAL(NNP_OK, restored(strided(1), strided(1), sampler));
    TEST_ASSERT_EQUAL(NNP_E_SAVE_NETWORK, restored(strided(1), strided(0), sampler));
  }
  TEST_ASSERT_EQUAL(NNP_OK, restored(pooled(1), pooled(1), NNP_HMC));
  TEST_ASSERT_EQUAL(NNP_E_SAVE_NETWORK, restored(pooled(1), pooled(0), NNP_HMC));
}

/* ---- maxpool --------------------------------------------------------------------------------- */

static void test_bad_maxpools(void) {
  nnp_net *net = NULL;
  OK(nnp_net_create_image(&net, 2, 6, 5, &err));
  FAILS(NNP_E_NULL, "net", nnp_net_maxpool(NULL, 2, 2, &err));
  FAILS(NNP_E_SIZE, "height = 0", nnp_net_maxpool(net, 0, 2, &err));
  FAILS(NNP_E_SIZE, "width = -1", nnp_net_maxpool(net, 2, -1, &err));
  FAILS(NNP_E_SHAPE, "does not fit its input of 6 x 5", nnp_net_maxpool(net, 7, 2, &err));
  FAILS(NNP_E_OVERFLOW, "width", nnp_net_maxpool(net, 2, INT64_MAX, &err));
  OK(nnp_net_maxpool(net, 4, 2, &err));
  expect_shape(net, 1, 1, 2);
  FAILS(NNP_E_OPTION, "maxpool has no collapse", nnp_net_set(net, 1, NNP_COLLAPSE, 1, &err));
  FAILS(NNP_E_OPTION, "maxpool has no padding_y", nnp_net_set(net, 1, NNP_PADDING_Y, 1, &err));
  FAILS(NNP_E_OPTION, "maxpool has no lambda_w", nnp_net_set(net, 1, NNP_LAMBDA_W, 1, &err));
  OK(nnp_net_set(net, 1, NNP_NOISE, 0.5, &err));
  nnp_net_free(net);
}

static void test_gibbs_refuses_a_maxpool(void) {
  nnp_net *net = pooled(1);
  nnp_data *data = NULL;
  nnp_chain *chain = NULL;
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  double x[16] = {0}, y = 0;
  OK(nnp_data_create(&data, 1, 16, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, &y, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_UNSUPPORTED, "layer 1 (maxpool) has no exact draw",
        nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "hmc, mala or nuts"));
  nnp_data_free(data);
  nnp_net_free(net);
}

/* All weights 1, no noise: predictions are the sums of the windows' largest pixels. */
static void test_predictions_through_a_maxpool(void) {
  nnp_net *net = pooled(1);
  nnp_data *data = NULL;
  nnp_predictor *predictor = NULL;
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-12, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  const double x[32] = {1, 2, -1, 0, 0, 3, 0, 0, 5, 5, 1, 1, 5, 4, 2, 1,
                        0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};
  const double draw[5] = {1, 1, 1, 1, 0.5};
  double out[2] = {0, 0};
  OK(nnp_data_create(&data, 2, 16, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_predict(predictor, data, draw, 1, NNP_PREDICT_MEAN, out, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 3 + 0 + 5 + 2 + 0.5, out[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.5, out[1]);
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(net);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_layers_are_found_by_name);
  RUN_TEST(test_unknown_names_list_what_there_is);
  RUN_TEST(test_a_long_list_is_cut);
  RUN_TEST(test_the_table_names_the_weights);
  RUN_TEST(test_a_missing_property_tells_where_weights_are);
  RUN_TEST(test_values_are_checked_without_layers);
  RUN_TEST(test_a_teacher_with_another_slope_is_refused);
  RUN_TEST(test_the_output_follows_the_padding);
  RUN_TEST(test_bad_padding);
  RUN_TEST(test_padding_of_all_layers);
  RUN_TEST(test_padding_that_is_too_much);
  RUN_TEST(test_teachers_of_another_map_are_refused);
  RUN_TEST(test_saved_chains_of_another_map_are_refused);
  RUN_TEST(test_bad_maxpools);
  RUN_TEST(test_gibbs_refuses_a_maxpool);
  RUN_TEST(test_predictions_through_a_maxpool);
  return UNITY_END();
}
