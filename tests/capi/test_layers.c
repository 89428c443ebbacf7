/* Layers as the header describes them: found by the name of their weights, shown with it, refused
 * where a property is not theirs, and told apart by all that makes them different. */
#include <stdlib.h>
#include <string.h>

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

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_layers_are_found_by_name);
  RUN_TEST(test_unknown_names_list_what_there_is);
  RUN_TEST(test_a_long_list_is_cut);
  RUN_TEST(test_the_table_names_the_weights);
  RUN_TEST(test_a_missing_property_tells_where_weights_are);
  RUN_TEST(test_values_are_checked_without_layers);
  RUN_TEST(test_a_teacher_with_another_slope_is_refused);
  return UNITY_END();
}
