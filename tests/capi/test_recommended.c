/* Recommended networks and recipes, standardized columns, predictions in original units and by weights
 * of draws. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

static double wave(int i) {
  return sin(1.7 * i * i + 0.3 * i);
}

/* ---- networks and recipes ---- */

static int64_t learned(const nnp_net *net, int64_t layer, int32_t property) {
  int64_t count;
  OK(nnp_net_learned(net, layer, property, NULL, NULL, NULL, &count, &err));
  return count;
}

static void test_a_model_is_built_as_recommended(void) {
  static const struct {
    int32_t head;
    int64_t targets, rows;
    int32_t activation, posterior;
  } cases[] = {
      {NNP_GAUSSIAN, 1, 0, NNP_TANH, NNP_CLASSICAL},
      {NNP_GAUSSIAN, 1, 100, NNP_RELU, NNP_INTERMEDIATE},
      {NNP_GAUSSIAN, 2, 500, NNP_RELU, NNP_INTERMEDIATE},
      {NNP_GAUSSIAN, 1, 501, NNP_TANH, NNP_CLASSICAL},
      {NNP_GAUSSIAN, 1, 100000, NNP_TANH, NNP_CLASSICAL},
      {NNP_STUDENT_T, 1, 100, NNP_RELU, NNP_INTERMEDIATE},
      {NNP_LOCATION_SCALE, 1, 100, NNP_TANH, NNP_CLASSICAL},
      {NNP_ARGMAX, 3, 100, NNP_SOFTPLUS, NNP_CLASSICAL},
      {NNP_ARGMAX, 3, 501, NNP_TANH, NNP_CLASSICAL},
      {NNP_SIGN_HEAD, 1, 500, NNP_SOFTPLUS, NNP_CLASSICAL},
  };
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  int64_t layers, k;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const int noisy = cases[i].posterior == NNP_INTERMEDIATE;
    const int classes = cases[i].head == NNP_ARGMAX || cases[i].head == NNP_SIGN_HEAD;
    OK(nnp_model_defaults(&model, 5, cases[i].targets, cases[i].head, cases[i].rows, &err));
    TEST_ASSERT_EQUAL_INT32(cases[i].activation, model.activation);
    TEST_ASSERT_EQUAL_INT32(cases[i].posterior, model.posterior);
    TEST_ASSERT_TRUE(model.hidden_count >= 1);
    OK(nnp_net_create_model(&net, &model, &err));
    OK(nnp_net_layers(net, &layers, &err));
    TEST_ASSERT_EQUAL_INT64(2 * model.hidden_count + 1, layers);
    if (cases[i].head == NNP_GAUSSIAN) TEST_ASSERT_EQUAL_INT64(1, learned(net, layers, NNP_NOISE));
    for (k = 1; k <= layers; k += 2) {
      TEST_ASSERT_EQUAL_INT64(1, learned(net, k, NNP_LAMBDA_W));
      TEST_ASSERT_EQUAL_INT64(!classes, learned(net, k, NNP_LAMBDA_B));
      if (k < layers) TEST_ASSERT_EQUAL_INT64(noisy, learned(net, k, NNP_NOISE));
    }
    OK(nnp_recommend(net, cases[i].rows ? cases[i].rows : 1, 0, &recipe, &err));
    TEST_ASSERT_EQUAL_INT32(cases[i].posterior, recipe.posterior);
    const int large = cases[i].rows > 500;
    TEST_ASSERT_EQUAL_INT32(noisy ? NNP_GIBBS : large ? NNP_HMC : NNP_NUTS, recipe.sampler);
    nnp_net_free(net);
  }
}

/* Of a gamma prior of shape 3, or (biases of classes) fixed. */
static double precision(const nnp_net *net, int64_t layer, int32_t property) {
  double shape, value;
  if (learned(net, layer, property)) {
    OK(nnp_net_learned(net, layer, property, &shape, &value, NULL, NULL, &err));
    TEST_ASSERT_EQUAL_DOUBLE(3, shape);
  } else {
    OK(nnp_net_get(net, layer, property, &value, &err));
  }
  return value;
}

/* Logits may be large: smaller precisions in the last layer; larger ones in the first keep units
 * nearly linear. Precisions of biases are fixed. Numbers of order 1 have the default ones. */
static void test_priors_of_classes_allow_large_logits(void) {
  static const struct {
    int32_t head;
    double first, last, last_bias; /* as multiples of the fan-in, and of 1 */
  } cases[] = {
      {NNP_GAUSSIAN, 1, 1, 1},
      {NNP_ARGMAX, 4, 1 / 400., 1 / 25.},
      {NNP_SIGN_HEAD, 4, 1 / 400., 1 / 25.},
  };
  nnp_model model;
  nnp_net *net;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OK(nnp_model_defaults(&model, 5, cases[i].head == NNP_ARGMAX ? 3 : 1, cases[i].head, 50, &err));
    model.posterior = NNP_CLASSICAL;
    model.activation = NNP_TANH;
    model.hidden_count = 2;
    model.hidden[0] = 7;
    model.hidden[1] = 8;
    OK(nnp_net_create_model(&net, &model, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5 * cases[i].first, precision(net, 1, NNP_LAMBDA_W));
    TEST_ASSERT_EQUAL_DOUBLE(1, precision(net, 1, NNP_LAMBDA_B));
    TEST_ASSERT_EQUAL_DOUBLE(7, precision(net, 3, NNP_LAMBDA_W));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 8 * cases[i].last, precision(net, 5, NNP_LAMBDA_W));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, cases[i].last_bias, precision(net, 5, NNP_LAMBDA_B));
    nnp_net_free(net);
    model.hidden_count = 0; /* the first layer is the last */
    OK(nnp_net_create_model(&net, &model, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5 * cases[i].first * cases[i].last,
                              precision(net, 1, NNP_LAMBDA_W));
    nnp_net_free(net);
  }
}

/* What is not asked for suits what is. */
static void test_a_model_suits_what_is_chosen(void) {
  static const struct {
    int64_t rows;
    int32_t activation, posterior; /* asked for, 0: not */
    int32_t expected_activation, expected_posterior;
  } cases[] = {
      {100, 0, 0, NNP_RELU, NNP_INTERMEDIATE},
      {100, NNP_ABS, 0, NNP_ABS, NNP_INTERMEDIATE},
      {100, NNP_TANH, 0, NNP_TANH, NNP_CLASSICAL},
      {100, 0, NNP_CLASSICAL, NNP_TANH, NNP_CLASSICAL},
      {100, 0, NNP_INTERMEDIATE, NNP_RELU, NNP_INTERMEDIATE},
      {100, NNP_TANH, NNP_INTERMEDIATE, NNP_TANH, NNP_INTERMEDIATE},
      {9999, 0, 0, NNP_TANH, NNP_CLASSICAL},
      {9999, NNP_RELU, 0, NNP_RELU, NNP_CLASSICAL},
      {9999, NNP_SIGN, 0, NNP_SIGN, NNP_INTERMEDIATE},
      {9999, 0, NNP_INTERMEDIATE, NNP_RELU, NNP_INTERMEDIATE},
  };
  nnp_model model;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OK(nnp_model_defaults(&model, 5, 1, NNP_GAUSSIAN, cases[i].rows, &err));
    OK(nnp_model_choose(&model, cases[i].activation, cases[i].posterior, &err));
    TEST_ASSERT_EQUAL_INT32(cases[i].expected_activation, model.activation);
    TEST_ASSERT_EQUAL_INT32(cases[i].expected_posterior, model.posterior);
  }
  FAILS(NNP_E_ENUM, "activation = 99", nnp_model_choose(&model, 99, 0, &err));
  FAILS(NNP_E_ENUM, "posterior = 7", nnp_model_choose(&model, 0, 7, &err));
  FAILS(NNP_E_NULL, "model", nnp_model_choose(NULL, 0, 0, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_RELU, model.activation); /* as it was */
  model.reserved[1] = 1;
  FAILS(NNP_E_VALUE, "reserved field 1", nnp_model_choose(&model, 0, 0, &err));
}

/* Many rows determine how noise depends on the inputs; Gibbs has no such head. */
static void test_a_head_suits_rows_and_posterior(void) {
  static const struct {
    int64_t rows;
    int32_t activation, posterior; /* asked for, 0: not */
    int32_t expected;
  } cases[] = {
      {0, 0, 0, NNP_GAUSSIAN},
      {3000, 0, 0, NNP_GAUSSIAN},
      {3001, 0, 0, NNP_LOCATION_SCALE},
      {100, NNP_TANH, 0, NNP_GAUSSIAN},
      {100, 0, NNP_CLASSICAL, NNP_GAUSSIAN},
      {9999, NNP_TANH, NNP_INTERMEDIATE, NNP_GAUSSIAN},
      {9999, NNP_RELU, 0, NNP_LOCATION_SCALE},
      {9999, NNP_SIGN, 0, NNP_GAUSSIAN},
      {9999, 0, NNP_CLASSICAL, NNP_LOCATION_SCALE},
      {9999, 0, NNP_INTERMEDIATE, NNP_GAUSSIAN},
  };
  int32_t head;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OK(nnp_recommend_head(cases[i].rows, cases[i].activation, cases[i].posterior, &head, &err));
    TEST_ASSERT_EQUAL_INT32(cases[i].expected, head);
  }
  head = 77;
  FAILS(NNP_E_ENUM, "activation = 99", nnp_recommend_head(9, 99, 0, &head, &err));
  FAILS(NNP_E_ENUM, "posterior = 7", nnp_recommend_head(9, 0, 7, &head, &err));
  FAILS(NNP_E_SIZE, "rows = -1", nnp_recommend_head(-1, 0, 0, &head, &err));
  FAILS(NNP_E_NULL, "head", nnp_recommend_head(9, 0, 0, NULL, &err));
  TEST_ASSERT_EQUAL_INT32(77, head); /* as it was */
}

static void test_a_model_is_built_as_asked_for(void) {
  nnp_model model;
  nnp_net *net;
  static char room[1 << 16];
  void *memory = room + (64 - (uintptr_t)room % 64) % 64;
  size_t bytes;
  int64_t shape[3], layers, targets;
  OK(nnp_model_defaults(&model, 3, 2, NNP_LOCATION_SCALE, 50, &err));
  model.hidden_count = 1;
  model.hidden[0] = 7;
  model.activation = NNP_SOFTPLUS;
  model.ard = 1;
  OK(nnp_net_bytes(3, &bytes, &err));
  TEST_ASSERT_TRUE(bytes + 64 <= sizeof room);
  OK(nnp_net_init_model(&net, memory, bytes, 3, &model, &err));
  OK(nnp_net_layers(net, &layers, &err));
  OK(nnp_net_targets(net, &targets, &err));
  OK(nnp_net_shape(net, 1, shape, &err));
  TEST_ASSERT_EQUAL_INT64(3, layers);
  TEST_ASSERT_EQUAL_INT64(2, targets);
  TEST_ASSERT_EQUAL_INT64(7, shape[0]);
  TEST_ASSERT_EQUAL_INT64(3, learned(net, 1, NNP_ARD));
  TEST_ASSERT_EQUAL_INT64(1, learned(net, 3, NNP_LAMBDA_W));
  FAILS(NNP_E_NET_FULL, "", nnp_net_init_model(&net, memory, bytes, 2, &model, &err));
  /* A linear model, and tied noise. */
  OK(nnp_model_defaults(&model, 3, 1, NNP_GAUSSIAN, 50, &err));
  model.hidden_count = 0;
  model.posterior = NNP_INTERMEDIATE;
  OK(nnp_net_create_model(&net, &model, &err));
  OK(nnp_net_layers(net, &layers, &err));
  TEST_ASSERT_EQUAL_INT64(1, layers);
  TEST_ASSERT_EQUAL_INT64(1, learned(net, 1, NNP_NOISE));
  nnp_net_free(net);
}

enum { ROWS = 24, FEATURES = 3 };

static nnp_data *some_data(int32_t head, int64_t targets) {
  double x[ROWS * FEATURES], y[ROWS * 2];
  int32_t labels[ROWS], has_labels;
  nnp_data *data;
  int i;
  OK(nnp_head_info(head, NULL, &has_labels, NULL, &err));
  for (i = 0; i < ROWS * FEATURES; ++i) x[i] = wave(i);
  for (i = 0; i < ROWS * 2; ++i) y[i] = wave(i + 500);
  for (i = 0; i < ROWS; ++i)
    labels[i] = head == NNP_SIGN_HEAD ? 2 * (i % 2) - 1 : (int32_t)(i % targets);
  OK(nnp_data_create(&data, ROWS, FEATURES, has_labels ? 0 : targets, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  if (has_labels) OK(nnp_data_set_labels(data, labels, &err));
  if (!has_labels) OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  return data;
}

/* Every head and posterior: the recipe's chain takes the network and the data, and runs. */
static void test_recipes_are_for_the_networks_they_are_made_for(void) {
  static const struct {
    int32_t head, posterior, activation, sampler;
    int64_t targets;
  } cases[] = {
      {NNP_GAUSSIAN, NNP_CLASSICAL, NNP_TANH, NNP_NUTS, 1},
      {NNP_GAUSSIAN, NNP_CLASSICAL, NNP_RELU, NNP_NUTS, 2},
      {NNP_GAUSSIAN, NNP_INTERMEDIATE, NNP_RELU, NNP_GIBBS, 1},
      {NNP_GAUSSIAN, NNP_INTERMEDIATE, NNP_TANH, NNP_NUTS, 1},
      {NNP_STUDENT_T, NNP_CLASSICAL, NNP_TANH, NNP_NUTS, 1},
      {NNP_STUDENT_T, NNP_INTERMEDIATE, NNP_RELU, NNP_GIBBS, 1},
      {NNP_LOCATION_SCALE, NNP_CLASSICAL, NNP_TANH, NNP_NUTS, 2},
      {NNP_ARGMAX, NNP_CLASSICAL, NNP_TANH, NNP_NUTS, 3},
      {NNP_ARGMAX, NNP_INTERMEDIATE, NNP_RELU, NNP_GIBBS, 3},
      {NNP_SIGN_HEAD, NNP_CLASSICAL, NNP_TANH, NNP_NUTS, 1},
      {NNP_SIGN_HEAD, NNP_INTERMEDIATE, NNP_SIGN, NNP_GIBBS, 1},
  };
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nnp_data *data = some_data(cases[i].head, cases[i].targets);
    nnp_model model;
    nnp_net *net;
    nnp_recipe recipe;
    nnp_chain *chain;
    OK(nnp_model_defaults(&model, FEATURES, cases[i].targets, cases[i].head, ROWS, &err));
    model.posterior = cases[i].posterior;
    model.activation = cases[i].activation;
    model.hidden_count = 1;
    model.hidden[0] = 3;
    OK(nnp_net_create_model(&net, &model, &err));
    OK(nnp_recommend(net, ROWS, cases[i].posterior, &recipe, &err));
    TEST_ASSERT_EQUAL_INT32(cases[i].sampler, recipe.sampler);
    TEST_ASSERT_EQUAL_INT32(cases[i].posterior, recipe.posterior);
    TEST_ASSERT_EQUAL_INT32(NNP_START_FIT, recipe.start);
    TEST_ASSERT_TRUE(recipe.chains >= 2 && recipe.draws >= 10 && recipe.thin >= 1);
    recipe.warmup = 5;
    OK(nnp_chain_create(&chain, net, data, recipe.sampler, recipe.posterior, &err));
    OK(nnp_chain_use_recipe(chain, &recipe, &err));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
    OK(nnp_chain_run(chain, recipe.warmup, NULL, NULL, &err));
    OK(nnp_chain_run(chain, 1, NULL, NULL, &err));
    nnp_chain_free(chain);
    nnp_net_free(net);
    nnp_data_free(data);
  }
}

/* Left to itself, the recipe heeds what the network learns. */
static void test_the_posterior_follows_from_the_network(void) {
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  OK(nnp_model_defaults(&model, FEATURES, 1, NNP_GAUSSIAN, ROWS, &err));
  OK(nnp_model_choose(&model, 0, NNP_CLASSICAL, &err));
  OK(nnp_net_create_model(&net, &model, &err));
  OK(nnp_recommend(net, ROWS, 0, &recipe, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_CLASSICAL, recipe.posterior);
  OK(nnp_net_learn_tied(net, NULL, 0, 0, &err));
  OK(nnp_recommend(net, ROWS, 0, &recipe, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_INTERMEDIATE, recipe.posterior);
  nnp_net_free(net);
  model.activation = NNP_SIGN; /* no gradients */
  OK(nnp_net_create_model(&net, &model, &err));
  OK(nnp_recommend(net, ROWS, 0, &recipe, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_GIBBS, recipe.sampler);
  FAILS(NNP_E_UNSUPPORTED, "no sampler supports that posterior",
        nnp_recommend(net, ROWS, NNP_CLASSICAL, &recipe, &err));
  nnp_net_free(net);
}

/* Over-relaxed steps reach further on small tables; on larger ones units switch pieces too rarely. */
static void test_gibbs_is_over_relaxed_on_small_tables(void) {
  static const struct {
    int64_t rows, options;
  } cases[] = {{10, 1}, {200, 1}, {201, 0}, {500, 0}, {501, 0}};
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  size_t i;
  OK(nnp_model_defaults(&model, FEATURES, 1, NNP_GAUSSIAN, ROWS, &err));
  OK(nnp_net_create_model(&net, &model, &err));
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OK(nnp_recommend(net, cases[i].rows, 0, &recipe, &err));
    TEST_ASSERT_EQUAL_INT32(NNP_GIBBS, recipe.sampler);
    TEST_ASSERT_EQUAL_INT64(cases[i].options, recipe.option_count);
    if (!cases[i].options) continue;
    TEST_ASSERT_EQUAL_INT32(NNP_OPTION_RELAX, recipe.options[0]);
    TEST_ASSERT_EQUAL_DOUBLE(-0.9, recipe.values[0]);
  }
  nnp_net_free(net);
}

static void expect_hmc_in_singles(const nnp_recipe *recipe, double leapfrogs) {
  TEST_ASSERT_EQUAL_INT32(NNP_HMC, recipe->sampler);
  TEST_ASSERT_EQUAL_INT64(2, recipe->option_count);
  TEST_ASSERT_EQUAL_INT32(NNP_OPTION_LEAPFROGS, recipe->options[0]);
  TEST_ASSERT_EQUAL_DOUBLE(leapfrogs, recipe->values[0]);
  TEST_ASSERT_EQUAL_INT32(NNP_OPTION_SINGLE_GRADIENTS, recipe->options[1]);
  TEST_ASSERT_EQUAL_DOUBLE(1, recipe->values[1]);
}

/* Precisions of networks for classes are slow: they are moved more often than weights. */
static void test_precisions_of_classes_are_moved_often(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_SIGN_HEAD};
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  nnp_data *data;
  nnp_chain *chain;
  double value;
  size_t i;
  for (i = 0; i < sizeof heads / sizeof *heads; ++i) {
    const int64_t classes = heads[i] == NNP_ARGMAX ? 3 : 1;
    OK(nnp_model_defaults(&model, FEATURES, classes, heads[i], ROWS, &err));
    OK(nnp_net_create_model(&net, &model, &err));
    OK(nnp_recommend(net, 501, 0, &recipe, &err));
    expect_hmc_in_singles(&recipe, 200);
    OK(nnp_recommend(net, 500, 0, &recipe, &err));
    TEST_ASSERT_EQUAL_INT64(1, recipe.option_count);
    TEST_ASSERT_EQUAL_INT32(NNP_OPTION_PRECISION_MOVES, recipe.options[0]);
    data = some_data(heads[i], classes);
    OK(nnp_chain_create(&chain, net, data, recipe.sampler, recipe.posterior, &err));
    OK(nnp_chain_use_recipe(chain, &recipe, &err));
    OK(nnp_chain_get(chain, NNP_OPTION_PRECISION_MOVES, &value, &err));
    TEST_ASSERT_EQUAL_DOUBLE(10, value);
    nnp_chain_free(chain);
    nnp_data_free(data);
    nnp_net_free(net);
  }
}

/* Gradients in single precision pay on large tables of numbers; the chain takes both options. */
static void test_large_tables_of_numbers_are_sampled_in_single_precision(void) {
  static const int32_t heads[] = {NNP_GAUSSIAN, NNP_LOCATION_SCALE, NNP_STUDENT_T};
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  nnp_data *data;
  nnp_chain *chain;
  double value;
  size_t i;
  for (i = 0; i < sizeof heads / sizeof *heads; ++i) {
    OK(nnp_model_defaults(&model, FEATURES, 1, heads[i], 501, &err));
    OK(nnp_net_create_model(&net, &model, &err));
    OK(nnp_recommend(net, 500, 0, &recipe, &err));
    TEST_ASSERT_EQUAL_INT32(NNP_NUTS, recipe.sampler);
    OK(nnp_recommend(net, 501, 0, &recipe, &err));
    expect_hmc_in_singles(&recipe, 500);
    data = some_data(heads[i], 1);
    OK(nnp_chain_create(&chain, net, data, recipe.sampler, recipe.posterior, &err));
    OK(nnp_chain_use_recipe(chain, &recipe, &err));
    OK(nnp_chain_get(chain, NNP_OPTION_LEAPFROGS, &value, &err));
    TEST_ASSERT_EQUAL_DOUBLE(500, value);
    OK(nnp_chain_get(chain, NNP_OPTION_SINGLE_GRADIENTS, &value, &err));
    TEST_ASSERT_EQUAL_DOUBLE(1, value);
    nnp_chain_free(chain);
    nnp_data_free(data);
    nnp_net_free(net);
  }
}

/* Other networks do not have such gradients: NUTS samples them. */
static void test_large_tables_without_single_gradients(void) {
  nnp_net *net;
  nnp_recipe recipe;
  OK(nnp_net_create_image(&net, 1, 6, 6, &err));
  OK(nnp_net_conv2d(net, 2, 3, 3, 1, 1, &err));
  OK(nnp_net_activation(net, NNP_TANH, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  OK(nnp_recommend(net, 5000, NNP_CLASSICAL, &recipe, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_NUTS, recipe.sampler);
  TEST_ASSERT_EQUAL_INT64(0, recipe.option_count);
  nnp_net_free(net);
}

/* A network of the user's own, with nothing to learn, takes the recipe as well. */
static void test_a_recipe_suits_fixed_precisions(void) {
  nnp_data *data = some_data(NNP_SIGN_HEAD, 1);
  nnp_net *net;
  nnp_recipe recipe;
  nnp_chain *chain;
  OK(nnp_net_create(&net, FEATURES, &err));
  OK(nnp_net_dense(net, 4, &err));
  OK(nnp_net_activation(net, NNP_TANH, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_SIGN_HEAD, &err));
  OK(nnp_recommend(net, ROWS, NNP_CLASSICAL, &recipe, &err));
  OK(nnp_chain_create(&chain, net, data, recipe.sampler, recipe.posterior, &err));
  OK(nnp_chain_use_recipe(chain, &recipe, &err));
  OK(nnp_chain_start(chain, recipe.start, 1, 0, &err));
  OK(nnp_chain_run(chain, recipe.warmup + 5, NULL, NULL, &err));
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void test_options_of_a_recipe_are_set(void) {
  nnp_data *data = some_data(NNP_GAUSSIAN, 1);
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  nnp_chain *chain;
  double value;
  OK(nnp_model_defaults(&model, FEATURES, 1, NNP_GAUSSIAN, ROWS, &err));
  OK(nnp_model_choose(&model, NNP_TANH, 0, &err));
  OK(nnp_net_create_model(&net, &model, &err));
  OK(nnp_recommend(net, ROWS, 0, &recipe, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_CLASSICAL, &err));
  recipe.option_count = 2;
  recipe.options[0] = NNP_OPTION_MAX_DEPTH;
  recipe.values[0] = 6;
  recipe.options[1] = NNP_OPTION_RELAX;
  recipe.values[1] = 0;
  FAILS(NNP_E_OPTION, "relax", nnp_chain_use_recipe(chain, &recipe, &err));
  OK(nnp_chain_get(chain, NNP_OPTION_MAX_DEPTH, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(10, value); /* nothing was set */
  recipe.option_count = 1;
  OK(nnp_chain_use_recipe(chain, &recipe, &err));
  OK(nnp_chain_get(chain, NNP_OPTION_MAX_DEPTH, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(6, value);
  OK(nnp_chain_get(chain, NNP_OPTION_WARMUP, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE((double)recipe.warmup, value);
  recipe.posterior = NNP_INTERMEDIATE;
  FAILS(NNP_E_VALUE, "expected the same", nnp_chain_use_recipe(chain, &recipe, &err));
  recipe.option_count = 9;
  FAILS(NNP_E_SIZE, "option_count = 9", nnp_chain_use_recipe(chain, &recipe, &err));
  recipe.option_count = 0;
  recipe.reserved[2] = 1;
  FAILS(NNP_E_VALUE, "reserved field 2", nnp_chain_use_recipe(chain, &recipe, &err));
  nnp_chain_free(chain);
  nnp_net_free(net);
  nnp_data_free(data);
}

static void test_models_that_are_refused(void) {
  nnp_model model;
  nnp_net *net = NULL;
  nnp_recipe recipe;
  FAILS(NNP_E_SIZE, "inputs = 0", nnp_model_defaults(&model, 0, 1, NNP_GAUSSIAN, 5, &err));
  FAILS(NNP_E_SIZE, "targets = 0", nnp_model_defaults(&model, 1, 0, NNP_GAUSSIAN, 5, &err));
  FAILS(NNP_E_ENUM, "head = 77", nnp_model_defaults(&model, 1, 1, 77, 5, &err));
  FAILS(NNP_E_SIZE, "rows = -1", nnp_model_defaults(&model, 1, 1, NNP_GAUSSIAN, -1, &err));
  FAILS(NNP_E_NULL, "model", nnp_model_defaults(NULL, 1, 1, NNP_GAUSSIAN, 5, &err));
  OK(nnp_model_defaults(&model, 4, 2, NNP_SIGN_HEAD, 5, &err));
  FAILS(NNP_E_SHAPE, "", nnp_net_create_model(&net, &model, &err)); /* one output, not two */
  OK(nnp_model_defaults(&model, 4, 1, NNP_GAUSSIAN, 5, &err));
  model.hidden[0] = 0;
  FAILS(NNP_E_SIZE, "units = 0", nnp_net_create_model(&net, &model, &err));
  model.hidden_count = 17;
  FAILS(NNP_E_SIZE, "hidden_count = 17", nnp_net_create_model(&net, &model, &err));
  model.hidden_count = 0;
  model.ard = 2;
  FAILS(NNP_E_VALUE, "ard = 2", nnp_net_create_model(&net, &model, &err));
  model.ard = 0;
  model.posterior = 3;
  FAILS(NNP_E_ENUM, "posterior = 3", nnp_net_create_model(&net, &model, &err));
  model.posterior = NNP_CLASSICAL;
  model.reserved[3] = 1;
  FAILS(NNP_E_VALUE, "reserved field 3", nnp_net_create_model(&net, &model, &err));
  TEST_ASSERT_NULL(net);
  OK(nnp_net_create(&net, 2, &err));
  FAILS(NNP_E_NO_LAYERS, "", nnp_recommend(net, 5, 0, &recipe, &err));
  nnp_net_free(net);
}

/* ---- columns ---- */

static void test_columns_are_standardized(void) {
  /* Means 1e6 + 2, -3 and 5e200; the last column would overflow if it were squared. */
  double x[4 * 3] = {1e6 + 1, -3.5, 1e200, 1e6 + 2, -2.5, 9e200,
                     1e6 + 3, -3.5, 1e200, 1e6 + 2, -2.5, 9e200};
  double by_column[12], mean[3], sd[3], z[12], again[12];
  int i, j;
  OK(nnp_standard(x, 4, 3, NNP_ROW_MAJOR, mean, sd, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1e6 + 2, mean[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, sqrt(0.5), sd[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -3, mean[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5, sd[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e187, 5e200, mean[2]);
  TEST_ASSERT_DOUBLE_WITHIN(1e187, 4e200, sd[2]);
  OK(nnp_standardize(x, 4, 3, NNP_ROW_MAJOR, mean, sd, z, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -sqrt(2), z[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, z[4]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, z[5]);
  OK(nnp_unstandardize(z, 4, 3, NNP_ROW_MAJOR, mean, sd, again, &err));
  for (i = 0; i < 12; ++i) TEST_ASSERT_DOUBLE_WITHIN(fabs(x[i]) * 1e-14, x[i], again[i]);
  for (i = 0; i < 4; ++i)
    for (j = 0; j < 3; ++j) by_column[i + 4 * j] = x[3 * i + j];
  OK(nnp_standard(by_column, 4, 3, NNP_COLUMN_MAJOR, mean, sd, &err));
  OK(nnp_standardize(by_column, 4, 3, NNP_COLUMN_MAJOR, mean, sd, by_column, &err)); /* in place */
  for (i = 0; i < 4; ++i)
    for (j = 0; j < 3; ++j) TEST_ASSERT_EQUAL_DOUBLE(z[3 * i + j], by_column[i + 4 * j]);
}

/* Three classes in 40 rows of 4 columns, of which two differ between them. */
enum { FLOWERS = 40, PARTS = 4 };
static void some_flowers(double *z, int32_t *labels) {
  double mean[PARTS], sd[PARTS];
  int i, j;
  for (i = 0; i < FLOWERS; ++i) {
    labels[i] = i % 3;
    for (j = 0; j < PARTS; ++j) z[PARTS * i + j] = wave(PARTS * i + j);
    z[PARTS * i] += 2 * labels[i] + z[PARTS * i + 3];
    z[PARTS * i + 1] += labels[i] == 1;
  }
  OK(nnp_standard(z, FLOWERS, PARTS, NNP_ROW_MAJOR, mean, sd, &err));
  OK(nnp_standardize(z, FLOWERS, PARTS, NNP_ROW_MAJOR, mean, sd, z, &err));
}

/* The matrix for these rows, in room of the exact size; 0: none is recommended. */
static int matrix_of(const double *z, const int32_t *labels, int64_t n, int64_t columns,
                     int32_t order, double *matrix) {
  size_t bytes = 7;
  double *room;
  OK(nnp_recommend_transform_bytes(labels, n, columns, &bytes, &err));
  if (bytes == 0) return 0;
  room = malloc(bytes);
  OK(nnp_recommend_transform(z, labels, n, columns, order, room, bytes, &err));
  memcpy(matrix, room, sizeof *room * (size_t)(columns * columns));
  free(room);
  return 1;
}

static void test_directions_in_which_classes_differ_grow(void) {
  double z[FLOWERS * PARTS], out[FLOWERS * PARTS], by_column[FLOWERS * PARTS];
  double matrix[PARTS * PARTS], again[PARTS * PARTS], variance = 0, between[2] = {0, 0};
  int32_t labels[FLOWERS];
  int i, j, k;
  some_flowers(z, labels);
  TEST_ASSERT_TRUE(matrix_of(z, labels, FLOWERS, PARTS, NNP_ROW_MAJOR, matrix));
  OK(nnp_transform(z, FLOWERS, PARTS, NNP_ROW_MAJOR, matrix, out, &err));
  for (i = 0; i < FLOWERS; ++i)
    for (j = 0; j < PARTS; ++j) {
      double sum = 0;
      for (k = j; k < PARTS; ++k) sum += z[PARTS * i + k] * matrix[k + PARTS * j];
      TEST_ASSERT_DOUBLE_WITHIN(1e-14, sum, out[PARTS * i + j]);
      by_column[i + FLOWERS * j] = z[PARTS * i + j];
      variance += sum * sum / FLOWERS;
    }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, PARTS, variance); /* as before */
  for (j = 0; j < PARTS; ++j)
    for (k = 0; k < 3; ++k) {
      double mean[2] = {0, 0};
      for (i = k; i < FLOWERS; i += 3) mean[0] += z[PARTS * i + j] / (FLOWERS / 3);
      for (i = k; i < FLOWERS; i += 3) mean[1] += out[PARTS * i + j] / (FLOWERS / 3);
      between[0] += mean[0] * mean[0] / 3;
      between[1] += mean[1] * mean[1] / 3;
    }
  TEST_ASSERT_TRUE(between[1] > 1.5 * between[0]);
  TEST_ASSERT_TRUE(matrix_of(by_column, labels, FLOWERS, PARTS, NNP_COLUMN_MAJOR, again));
  TEST_ASSERT_EQUAL_MEMORY(matrix, again, sizeof matrix);
  OK(nnp_transform(by_column, FLOWERS, PARTS, NNP_COLUMN_MAJOR, matrix, by_column, &err));
  for (i = 0; i < FLOWERS; ++i)
    for (j = 0; j < PARTS; ++j)
      TEST_ASSERT_EQUAL_DOUBLE(out[PARTS * i + j], by_column[i + FLOWERS * j]);
}

static void test_some_inputs_are_best_left_alone(void) {
  enum { MANY = 501 };
  static double z[MANY];
  static int32_t labels[MANY];
  double few[FLOWERS * PARTS], matrix[PARTS * PARTS];
  int32_t classes[FLOWERS];
  int i, j;
  for (i = 0; i < MANY; ++i) {
    z[i] = wave(i);
    labels[i] = i % 2;
  }
  TEST_ASSERT_TRUE(matrix_of(z, labels, MANY - 1, 1, NNP_ROW_MAJOR, matrix));
  TEST_ASSERT_FALSE(matrix_of(z, labels, MANY, 1, NNP_ROW_MAJOR, matrix));
  some_flowers(few, classes); /* 8 - 3 is no more than 4 + 1 */
  TEST_ASSERT_TRUE(matrix_of(few, classes, 9, PARTS, NNP_ROW_MAJOR, matrix));
  TEST_ASSERT_FALSE(matrix_of(few, classes, 8, PARTS, NNP_ROW_MAJOR, matrix));
  classes[0] = INT32_MAX;
  TEST_ASSERT_FALSE(matrix_of(few, classes, FLOWERS, PARTS, NNP_ROW_MAJOR, matrix));
  for (i = 0; i < FLOWERS; ++i) classes[i] = i >= FLOWERS / 2;
  for (i = 0; i < FLOWERS / 2; ++i) /* the same rows in both classes */
    for (j = 0; j < PARTS; ++j) few[PARTS * (i + FLOWERS / 2) + j] = few[PARTS * i + j];
  TEST_ASSERT_TRUE(matrix_of(few, classes, FLOWERS, PARTS, NNP_ROW_MAJOR, matrix));
  for (i = 0; i < PARTS; ++i)
    for (j = 0; j < PARTS; ++j) TEST_ASSERT_EQUAL_DOUBLE(i == j, matrix[i + PARTS * j]);
}

static void test_bad_calls_of_transforms(void) {
  enum { ROOM = 4096 };
  static double room[ROOM];
  double z[FLOWERS * PARTS];
  int32_t labels[FLOWERS];
  size_t bytes;
  some_flowers(z, labels);
  OK(nnp_recommend_transform_bytes(labels, FLOWERS, PARTS, &bytes, &err));
  TEST_ASSERT_TRUE(bytes <= sizeof room);
  FAILS(NNP_E_NULL, "labels", nnp_recommend_transform_bytes(NULL, FLOWERS, PARTS, &bytes, &err));
  FAILS(NNP_E_NULL, "bytes", nnp_recommend_transform_bytes(labels, FLOWERS, PARTS, NULL, &err));
  FAILS(NNP_E_SIZE, "n = 0", nnp_recommend_transform_bytes(labels, 0, PARTS, &bytes, &err));
  FAILS(NNP_E_SIZE, "columns = 0", nnp_recommend_transform_bytes(labels, FLOWERS, 0, &bytes, &err));
#define RECOMMEND(z, labels, n, order, room, size) \
  nnp_recommend_transform(z, labels, n, PARTS, order, room, size, &err)
  FAILS(NNP_E_NULL, "z", RECOMMEND(NULL, labels, FLOWERS, NNP_ROW_MAJOR, room, bytes));
  FAILS(NNP_E_NULL, "labels", RECOMMEND(z, NULL, FLOWERS, NNP_ROW_MAJOR, room, bytes));
  FAILS(NNP_E_NULL, "matrix", RECOMMEND(z, labels, FLOWERS, NNP_ROW_MAJOR, NULL, bytes));
  FAILS(NNP_E_ENUM, "order = 3", RECOMMEND(z, labels, FLOWERS, 3, room, bytes));
  FAILS(NNP_E_MEMORY_SIZE, "expected at least",
        RECOMMEND(z, labels, FLOWERS, NNP_ROW_MAJOR, room, bytes - 1));
  FAILS(NNP_E_UNSUPPORTED, "n = 8 rows of 4 columns",
        RECOMMEND(z, labels, 8, NNP_ROW_MAJOR, room, bytes));
  FAILS(NNP_E_NULL, "matrix", nnp_transform(z, FLOWERS, PARTS, NNP_ROW_MAJOR, NULL, z, &err));
  FAILS(NNP_E_NULL, "out", nnp_transform(z, FLOWERS, PARTS, NNP_ROW_MAJOR, room, NULL, &err));
  FAILS(NNP_E_ENUM, "order = 3", nnp_transform(z, FLOWERS, PARTS, 3, room, z, &err));
  labels[4] = -1;
  FAILS(NNP_E_LABEL, "row 0 has 0, expected classes 0, 1, 2 and so on, or -1 and +1 alone",
        RECOMMEND(z, labels, FLOWERS, NNP_ROW_MAJOR, room, bytes));
  labels[4] = -5;
  FAILS(NNP_E_LABEL, "row 4 has -5, expected classes 0, 1, 2 and so on, or -1 and +1 alone",
        RECOMMEND(z, labels, FLOWERS, NNP_ROW_MAJOR, room, bytes));
  labels[4] = 1;
  room[3] = NAN;
  FAILS(NNP_E_NOT_FINITE, "matrix: entry (3, 0) is nan, expected a finite number",
        nnp_transform(z, FLOWERS, PARTS, NNP_ROW_MAJOR, room, z, &err));
  room[3] = 0;
  z[2 * PARTS + 1] = NAN;
  FAILS(NNP_E_NOT_FINITE, "column 1 has the value nan in row 2",
        RECOMMEND(z, labels, FLOWERS, NNP_ROW_MAJOR, room, bytes));
  FAILS(NNP_E_NOT_FINITE, "column 1 has the value nan in row 2",
        nnp_transform(z, FLOWERS, PARTS, NNP_ROW_MAJOR, room, z, &err));
}

static void test_columns_that_cannot_be_standardized_are_named(void) {
  double x[3 * 3] = {1, 0.1, 1, 2, 0.1, 2, 3, 0.1, 4}, mean[3] = {9, 9, 9}, sd[3] = {9, 9, 9}, z[9];
  FAILS(NNP_E_VALUE, "column 1 is constant, all its values are 0.1",
        nnp_standard(x, 3, 3, NNP_ROW_MAJOR, mean, sd, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0, sd[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, mean[0]);
  TEST_ASSERT_TRUE(sd[2] > 0);
  OK(nnp_standardize(x, 3, 3, NNP_ROW_MAJOR, mean, sd, z, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0, z[1]);
  FAILS(NNP_E_VALUE, "column 0 is constant", nnp_standard(x, 1, 1, NNP_ROW_MAJOR, mean, sd, &err));
  x[0] = x[1] = 1;
  x[2] = 1 + 2.3e-16; /* differs in the last bit */
  FAILS(NNP_E_VALUE, "column 0 is constant", nnp_standard(x, 3, 1, NNP_ROW_MAJOR, mean, sd, &err));
  x[5] = INFINITY;
  mean[0] = 9;
  FAILS(NNP_E_NOT_FINITE, "column 2 has the value inf in row 1",
        nnp_standard(x, 3, 3, NNP_ROW_MAJOR, mean, sd, &err));
  TEST_ASSERT_EQUAL_DOUBLE(9, mean[0]);
  FAILS(NNP_E_NOT_FINITE, "column 2", nnp_standardize(x, 3, 3, NNP_ROW_MAJOR, mean, sd, z, &err));
  x[5] = 0;
  sd[1] = -1;
  FAILS(NNP_E_VALUE, "column 1", nnp_standardize(x, 3, 3, NNP_ROW_MAJOR, mean, sd, z, &err));
  FAILS(NNP_E_ENUM, "order = 3", nnp_standard(x, 3, 3, 3, mean, sd, &err));
  FAILS(NNP_E_SIZE, "n = 0", nnp_standard(x, 0, 3, NNP_ROW_MAJOR, mean, sd, &err));
  FAILS(NNP_E_SIZE, "columns = 0", nnp_standard(x, 3, 0, NNP_ROW_MAJOR, mean, sd, &err));
  FAILS(NNP_E_OVERFLOW, "memory can address",
        nnp_standard(x, (int64_t)1 << 40, (int64_t)1 << 40, NNP_ROW_MAJOR, mean, sd, &err));
  FAILS(NNP_E_NULL, "sd", nnp_standard(x, 3, 3, NNP_ROW_MAJOR, mean, NULL, &err));
  FAILS(NNP_E_NULL, "out", nnp_standardize(x, 3, 3, NNP_ROW_MAJOR, mean, sd, NULL, &err));
}

/* ---- predictions ---- */

enum { DRAWS = 6, MOST = 60 };

static nnp_net *net;
static nnp_data *data;
static nnp_predictor *predictor;
static double draws[MOST * 16 * DRAWS];
static int64_t parameters;

/* ---- one bar over a fit ---- */

static void test_an_outlook_goes_ahead_by_measured_speed(void) {
  nnp_outlook o = {{3000, 1000, 4000}, 0, 0, {0}, 0, 0, {0}};
  double before = 0;
  int i;
  OK(nnp_outlook_tell(&o, NNP_PHASE_START, 0, 0.5, &err));
  TEST_ASSERT_TRUE(isnan(o.seconds_left));
  for (i = 1; i <= 10; ++i) { /* the descents end early */
    OK(nnp_outlook_tell(&o, NNP_PHASE_START, 100 * i, 0.1 * i, &err));
    TEST_ASSERT_TRUE(o.share >= before && o.share < 0.1);
    before = o.share;
  }
  OK(nnp_outlook_tell(&o, NNP_PHASE_WARMUP, 0, 1, &err));
  OK(nnp_outlook_tell(&o, NNP_PHASE_WARMUP, 500, 6, &err)); /* a hundredth of a second each */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 45, o.seconds_left);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 6.0 / 51, o.share);
  OK(nnp_outlook_tell(&o, NNP_PHASE_SAMPLING, 0, 11, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 6.0 / 51, o.share);           /* nothing was measured here yet */
  OK(nnp_outlook_tell(&o, NNP_PHASE_SAMPLING, 2000, 21, &err)); /* twice as fast as the warm-up */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10, o.seconds_left);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10, o.spent[1]);
  before = o.share;
  OK(nnp_outlook_tell(&o, NNP_PHASE_SAMPLING, 2001, 60, &err)); /* the machine was busy */
  TEST_ASSERT_EQUAL_DOUBLE(before, o.share);
  OK(nnp_outlook_tell(&o, NNP_PHASE_SAMPLING, 4000, 70, &err));
  TEST_ASSERT_EQUAL_DOUBLE(1, o.share);
  TEST_ASSERT_EQUAL_DOUBLE(0, o.seconds_left);
  FAILS(NNP_E_ENUM, "phase = 4", nnp_outlook_tell(&o, 4, 1, 80, &err));
  FAILS(NNP_E_SIZE, "outlook->phase", nnp_outlook_tell(&o, NNP_PHASE_WARMUP, 1, 80, &err));
  FAILS(NNP_E_SIZE, "done", nnp_outlook_tell(&o, NNP_PHASE_SAMPLING, -1, 80, &err));
  FAILS(NNP_E_VALUE, "seconds = 3", nnp_outlook_tell(&o, NNP_PHASE_SAMPLING, 1, 3, &err));
}

void setUp(void) {
  net = NULL;
  data = NULL;
  predictor = NULL;
}

void tearDown(void) {
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(net);
}

/* 2 outputs, no noise in hidden layers: nothing is drawn in means and log scores. */
static void make(int32_t head, int64_t max_draws) {
  int64_t i;
  data = some_data(head, 2);
  OK(nnp_net_create(&net, FEATURES, &err));
  OK(nnp_net_dense(net, 4, &err));
  OK(nnp_net_activation(net, NNP_TANH, &err));
  OK(nnp_net_dense(net, 2, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_net_parameters(net, &parameters, &err));
  for (i = 0; i < parameters * DRAWS; ++i) draws[i] = wave((int)i + 77);
  OK(nnp_predictor_create(&predictor, net, max_draws, &err));
  OK(nnp_predictor_posterior(predictor, NNP_CLASSICAL, &err));
}

static const int32_t kinds[] = {NNP_PREDICT_MEAN, NNP_PREDICT_SD, NNP_PREDICT_QUANTILES};
static const double levels[2] = {0.1, 0.75};

static void test_equal_weights_change_no_bit(void) {
  static const double weights[DRAWS] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
  double before[2 * 2 * ROWS], after[2 * 2 * ROWS], score[2];
  int k, i;
  make(NNP_GAUSSIAN, DRAWS);
  OK(nnp_predictor_levels(predictor, levels, 2, &err));
  for (k = 0; k < 3; ++k) {
    const int count = (kinds[k] == NNP_PREDICT_QUANTILES ? 2 : 1) * 2 * ROWS;
    OK(nnp_predictor_weights(predictor, NULL, 0, &err));
    OK(nnp_predict(predictor, data, draws, DRAWS, kinds[k], before, &err));
    OK(nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_LOG, &score[0], &err));
    OK(nnp_predictor_weights(predictor, weights, DRAWS, &err));
    OK(nnp_predict(predictor, data, draws, DRAWS, kinds[k], after, &err));
    OK(nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_LOG, &score[1], &err));
    for (i = 0; i < count; ++i) TEST_ASSERT_TRUE(before[i] == after[i]);
    TEST_ASSERT_TRUE(score[0] == score[1]);
  }
}

/* Draws that count 0, 1, 2, 3 times are as good as draws that are there as often. */
static const double times[DRAWS] = {2, 0, 1, 3, 0, 2};
static int64_t repeat_draws(double *out) {
  int64_t made = 0, s, r;
  for (s = 0; s < DRAWS; ++s)
    for (r = 0; r < (int64_t)times[s]; ++r, ++made)
      memcpy(out + made * parameters, draws + s * parameters, sizeof(double) * (size_t)parameters);
  return made;
}

static void test_weights_count_draws(void) {
  static double repeated[MOST * 16 * 8];
  static double weighted[2 * ROWS * DRAWS], expected[2 * ROWS * DRAWS];
  double score[2];
  int64_t count;
  int i;
  make(NNP_GAUSSIAN, DRAWS);
  count = repeat_draws(repeated);
  OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  OK(nnp_predict(predictor, data, repeated, count, NNP_PREDICT_MEAN, expected, &err));
  OK(nnp_predictor_weights(predictor, times, DRAWS, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_MEAN, weighted, &err));
  for (i = 0; i < 2 * ROWS; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-13, expected[i], weighted[i]);
  OK(nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_LOG, &score[0], &err));
  OK(nnp_predictor_weights(predictor, NULL, 0, &err));
  OK(nnp_score(predictor, data, repeated, count, NNP_SCORE_LOG, &score[1], &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, score[1], score[0]);
  /* sum w (x - mean)^2 is that of repeated draws, over 1 - sum w^2 instead of 1 - 1/count */
  OK(nnp_predict(predictor, data, repeated, count, NNP_PREDICT_SD, expected, &err));
  OK(nnp_predictor_weights(predictor, times, DRAWS, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_SD, weighted, &err));
  for (i = 0; i < 2 * ROWS; ++i)
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected[i] * sqrt((1 - 1. / 8) / (1 - 18. / 64)),
                              weighted[i]);
}

/* Between neighbours of the sorted draws lies the mean of their weights. */
static void test_weighted_quantiles(void) {
  double each[2 * ROWS * DRAWS], found[2 * 2 * ROWS];
  int row, j, q, a, b;
  make(NNP_GAUSSIAN, DRAWS);
  OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  OK(nnp_predictor_levels(predictor, levels, 2, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_DRAWS, each, &err));
  OK(nnp_predictor_weights(predictor, times, DRAWS, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_QUANTILES, found, &err));
  for (row = 0; row < ROWS; ++row)
    for (j = 0; j < 2; ++j) {
      double value[DRAWS], weight[DRAWS], all = 0, below = 0;
      int count = 0;
      for (a = 0; a < DRAWS; ++a) {
        if (times[a] == 0) continue;
        for (b = count; b > 0 && value[b - 1] > each[j + 2 * (row + ROWS * a)]; --b)
          value[b] = value[b - 1], weight[b] = weight[b - 1];
        value[b] = each[j + 2 * (row + ROWS * a)];
        weight[b] = times[a];
        ++count;
      }
      for (a = 0; a + 1 < count; ++a) all += weight[a] + weight[a + 1];
      for (q = 0; q < 2; ++q) {
        double expected = value[count - 1];
        below = 0;
        for (a = 0; a + 1 < count; ++a) {
          const double gap = weight[a] + weight[a + 1];
          if (levels[q] * all <= below + gap) {
            expected = value[a] + (levels[q] * all - below) / gap * (value[a + 1] - value[a]);
            break;
          }
          below += gap;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected, found[q + 2 * (j + 2 * row)]);
      }
    }
}

static void test_weights_of_classes(void) {
  static double repeated[MOST * 16 * 8];
  double weighted[2 * ROWS], expected[2 * ROWS], score[2];
  int64_t count;
  int i;
  make(NNP_ARGMAX, DRAWS);
  count = repeat_draws(repeated);
  OK(nnp_predict(predictor, data, repeated, count, NNP_PREDICT_PROBABILITIES, expected, &err));
  OK(nnp_score(predictor, data, repeated, count, NNP_SCORE_ACCURACY, &score[0], &err));
  OK(nnp_predictor_weights(predictor, times, DRAWS, &err));
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_PROBABILITIES, weighted, &err));
  OK(nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_ACCURACY, &score[1], &err));
  TEST_ASSERT_EQUAL_DOUBLE(score[0], score[1]);
  for (i = 0; i < 2 * ROWS; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-13, expected[i], weighted[i]);
  OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_VOTES, weighted, &err));
  OK(nnp_predictor_weights(predictor, NULL, 0, &err));
  OK(nnp_predict(predictor, data, repeated, count, NNP_PREDICT_VOTES, expected, &err));
  for (i = 0; i < 2 * ROWS; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-13, expected[i], weighted[i]);
}

/* Likelihoods and draws are those of every draw, whatever it weighs. */
static void test_what_is_not_weighted(void) {
  static double before[2 * ROWS * DRAWS], after[2 * ROWS * DRAWS];
  int i;
  make(NNP_GAUSSIAN, DRAWS);
  OK(nnp_log_lik(predictor, data, draws, DRAWS, before, &err));
  OK(nnp_predictor_weights(predictor, times, DRAWS, &err));
  OK(nnp_log_lik(predictor, data, draws, DRAWS, after, &err));
  for (i = 0; i < ROWS * DRAWS; ++i) TEST_ASSERT_TRUE(before[i] == after[i]);
  OK(nnp_predict(predictor, data, draws, 2, NNP_PREDICT_DRAWS, after, &err));
  OK(nnp_functions(predictor, data, draws, 1, 2, after, &err));
}

static void test_results_are_told_in_units(void) {
  static const double mean[2] = {100, -3}, sd[2] = {7, 0.5};
  static double plain[2 * 2 * ROWS * DRAWS], told[2 * 2 * ROWS * DRAWS];
  double score[2], error = 0, y[2 * ROWS];
  int i;
  make(NNP_GAUSSIAN, DRAWS);
  OK(nnp_predictor_levels(predictor, levels, 2, &err));
#define BOTH(call, out_a, out_b)                        \
  OK(nnp_predictor_units(predictor, NULL, NULL, &err)); \
  OK(call(out_a));                                      \
  OK(nnp_predictor_units(predictor, mean, sd, &err));   \
  OK(call(out_b))
#define MEAN(out) nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_MEAN, out, &err)
#define SD(out) nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_SD, out, &err)
#define QUANTILES(out) nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_QUANTILES, out, &err)
#define EACH(out) nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_DRAWS, out, &err)
#define LIK(out) nnp_log_lik(predictor, data, draws, DRAWS, out, &err)
#define LOG_SCORE(out) nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_LOG, out, &err)
#define MSE(out) nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_MSE, out, &err)
  BOTH(SD, plain, told);
  for (i = 0; i < 2 * ROWS; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-12, sd[i % 2] * plain[i], told[i]);
  BOTH(QUANTILES, plain, told);
  for (i = 0; i < 4 * ROWS; ++i)
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, mean[i / 2 % 2] + sd[i / 2 % 2] * plain[i], told[i]);
  BOTH(EACH, plain, told);
  for (i = 0; i < 2 * ROWS * DRAWS; ++i)
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, mean[i % 2] + sd[i % 2] * plain[i], told[i]);
  BOTH(LIK, plain, told);
  for (i = 0; i < ROWS * DRAWS; ++i)
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, plain[i] - log(7 * 0.5), told[i]);
  BOTH(LOG_SCORE, score, score + 1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, score[0] - log(7 * 0.5), score[1]);
  BOTH(MEAN, plain, told);
  for (i = 0; i < 2 * ROWS; ++i)
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, mean[i % 2] + sd[i % 2] * plain[i], told[i]);
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  for (i = 0; i < 2 * ROWS; ++i) error += pow(mean[i % 2] + sd[i % 2] * y[i] - told[i], 2);
  OK(MSE(score));
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, error / (2 * ROWS), score[0]);
}

static void test_bad_weights_and_units(void) {
  static const double mean[2] = {1, 2}, sd[2] = {1, 0};
  double weights[DRAWS] = {1, 2, 3, -1, 0, 0}, out[2 * ROWS];
  make(NNP_GAUSSIAN, DRAWS);
  FAILS(NNP_E_VALUE, "entry 3 is -1", nnp_predictor_weights(predictor, weights, DRAWS, &err));
  weights[3] = NAN;
  FAILS(NNP_E_VALUE, "entry 3 is nan", nnp_predictor_weights(predictor, weights, DRAWS, &err));
  FAILS(NNP_E_VALUE, "all 2 are 0", nnp_predictor_weights(predictor, weights + 4, 2, &err));
  FAILS(NNP_E_SIZE, "draws = 7", nnp_predictor_weights(predictor, weights, 7, &err));
  FAILS(NNP_E_SIZE, "draws = 0", nnp_predictor_weights(predictor, weights, 0, &err));
  OK(nnp_predictor_weights(predictor, weights, 3, &err));
  FAILS(NNP_E_SIZE, "draws = 6: the predictor has weights for 3 draws",
        nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_MEAN, out, &err));
  FAILS(NNP_E_SIZE, "weights for 3 draws",
        nnp_score(predictor, data, draws, DRAWS, NNP_SCORE_MSE, out, &err));
  FAILS(NNP_E_VALUE, "target 1", nnp_predictor_units(predictor, mean, sd, &err));
  FAILS(NNP_E_NULL, "sd", nnp_predictor_units(predictor, mean, NULL, &err));
  FAILS(NNP_E_NULL, "mean", nnp_predictor_units(predictor, NULL, sd, &err));
  tearDown();
  make(NNP_ARGMAX, DRAWS);
  FAILS(NNP_E_UNSUPPORTED, "labels", nnp_predictor_units(predictor, mean, mean, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_model_is_built_as_recommended);
  RUN_TEST(test_priors_of_classes_allow_large_logits);
  RUN_TEST(test_a_model_suits_what_is_chosen);
  RUN_TEST(test_a_head_suits_rows_and_posterior);
  RUN_TEST(test_a_model_is_built_as_asked_for);
  RUN_TEST(test_recipes_are_for_the_networks_they_are_made_for);
  RUN_TEST(test_the_posterior_follows_from_the_network);
  RUN_TEST(test_gibbs_is_over_relaxed_on_small_tables);
  RUN_TEST(test_precisions_of_classes_are_moved_often);
  RUN_TEST(test_large_tables_of_numbers_are_sampled_in_single_precision);
  RUN_TEST(test_large_tables_without_single_gradients);
  RUN_TEST(test_a_recipe_suits_fixed_precisions);
  RUN_TEST(test_options_of_a_recipe_are_set);
  RUN_TEST(test_models_that_are_refused);
  RUN_TEST(test_columns_are_standardized);
  RUN_TEST(test_columns_that_cannot_be_standardized_are_named);
  RUN_TEST(test_directions_in_which_classes_differ_grow);
  RUN_TEST(test_some_inputs_are_best_left_alone);
  RUN_TEST(test_bad_calls_of_transforms);
  RUN_TEST(test_equal_weights_change_no_bit);
  RUN_TEST(test_weights_count_draws);
  RUN_TEST(test_weighted_quantiles);
  RUN_TEST(test_weights_of_classes);
  RUN_TEST(test_what_is_not_weighted);
  RUN_TEST(test_results_are_told_in_units);
  RUN_TEST(test_bad_weights_and_units);
  RUN_TEST(test_an_outlook_goes_ahead_by_measured_speed);
  return UNITY_END();
}
