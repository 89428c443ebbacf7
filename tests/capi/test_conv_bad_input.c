/* Convolutions and pools through the C API: what must be refused, with which sentence, and that a
 * refused call leaves the network as it was; sites that are integrated out. */
#include <math.h>
#include <nnpost_study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

static nnp_net *net;
static nnp_error err;

void setUp(void) {
  net = NULL;
  memset(&err, 0, sizeof err);
}

void tearDown(void) {
  nnp_net_free(net);
}

/* The status, a sentence that has these words, and a network with as many layers as before. */
static void refused(int32_t expected, int32_t status, const char *words, int64_t layers) {
  int64_t found = -1;
  TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, status, err.message);
  TEST_ASSERT_EQUAL_INT32(expected, err.status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, words), err.message);
  if (!net) return;
  nnp_net_layers(net, &found, NULL);
  TEST_ASSERT_EQUAL_INT64(layers, found);
}

static void test_sizes_of_images(void) {
  nnp_net *none = NULL;
  refused(NNP_E_NULL, nnp_net_create_image(NULL, 1, 2, 3, &err), "net", 0);
  refused(NNP_E_SIZE, nnp_net_create_image(&none, 0, 2, 3, &err), "channels = 0", 0);
  refused(NNP_E_SIZE, nnp_net_create_image(&none, 1, -2, 3, &err), "height = -2", 0);
  refused(NNP_E_SIZE, nnp_net_create_image(&none, 1, 2, 0, &err), "width = 0", 0);
  refused(NNP_E_OVERFLOW, nnp_net_create_image(&none, INT64_MAX, 2, 3, &err), "channels", 0);
  refused(NNP_E_OVERFLOW, nnp_net_create_image(&none, 3, INT64_MAX, 3, &err), "height", 0);
  refused(NNP_E_OVERFLOW, nnp_net_create_image(&none, 1 << 20, 1 << 10, 3, &err), "width", 0);
  TEST_ASSERT_NULL(none);
}

static void test_images_that_do_not_divide(void) {
  nnp_net_create(&net, 784, NULL);
  refused(NNP_E_SHAPE, nnp_net_image(net, 3, 16, 16, &err), "784 features", 0);
  refused(NNP_E_SIZE, nnp_net_image(net, 0, 28, 28, &err), "image = 0x28x28", 0);
  refused(NNP_E_SHAPE, nnp_net_image(net, INT64_MAX, INT64_MAX, 2, &err), "784", 0);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_image(net, 1, 28, 28, &err));
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_dense(net, 10, &err));
  refused(NNP_E_SHAPE, nnp_net_image(net, 3, 3, 1, &err), "10 features", 1);
  nnp_net_head(net, NNP_ARGMAX, NULL);
  refused(NNP_E_HEAD_MISPLACED, nnp_net_image(net, 1, 5, 2, &err), "head argmax", 1);
  refused(NNP_E_NULL, nnp_net_image(NULL, 1, 5, 2, &err), "net", 1);
}

static void test_filters(void) {
  nnp_net_create_image(&net, 2, 6, 5, NULL);
  refused(NNP_E_NULL, nnp_net_conv2d(NULL, 1, 2, 2, 1, 1, &err), "net", 0);
  refused(NNP_E_SIZE, nnp_net_conv2d(net, 0, 2, 2, 1, 1, &err), "filters = 0", 0);
  refused(NNP_E_SIZE, nnp_net_conv2d(net, 1, 0, 2, 1, 1, &err), "height = 0", 0);
  refused(NNP_E_SIZE, nnp_net_conv2d(net, 1, 2, -1, 1, 1, &err), "width = -1", 0);
  refused(NNP_E_SIZE, nnp_net_conv2d(net, 1, 2, 2, 0, 1, &err), "stride_y = 0", 0);
  refused(NNP_E_SIZE, nnp_net_conv2d(net, 1, 2, 2, 1, 0, &err), "stride_x = 0", 0);
  refused(NNP_E_SHAPE, nnp_net_conv2d(net, 1, 7, 2, 1, 1, &err), "6 x 5", 0);
  refused(NNP_E_SHAPE, nnp_net_conv2d(net, 1, 2, 6, 1, 1, &err), "does not fit", 0);
  refused(NNP_E_OVERFLOW, nnp_net_conv2d(net, INT64_MAX, 2, 2, 1, 1, &err), "filters", 0);
  refused(NNP_E_OVERFLOW, nnp_net_conv2d(net, 1 << 30, 2, 2, 1, 1, &err), "filters", 0);
  refused(NNP_E_OVERFLOW, nnp_net_conv2d(net, 1, INT64_MAX, 2, 1, 1, &err), "height", 0);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_conv2d(net, 3, 6, 5, 1, 1, &err));
  refused(NNP_E_SHAPE, nnp_net_conv2d(net, 1, 2, 1, 1, 1, &err), "1 x 1", 1);
  refused(NNP_E_OPTION, nnp_net_set(net, 1, NNP_COLLAPSE, 1, &err), "conv2d has no collapse", 1);
}

static void test_pools(void) {
  double value = -1;
  nnp_net_create_image(&net, 2, 6, 5, NULL);
  refused(NNP_E_NULL, nnp_net_avgpool(NULL, 2, 2, &err), "net", 0);
  refused(NNP_E_SIZE, nnp_net_avgpool(net, 0, 2, &err), "height = 0", 0);
  refused(NNP_E_SIZE, nnp_net_avgpool(net, 2, -5, &err), "width = -5", 0);
  refused(NNP_E_SHAPE, nnp_net_avgpool(net, 7, 2, &err), "window does not fit", 0);
  refused(NNP_E_SHAPE, nnp_net_avgpool(net, 2, 6, &err), "empty", 0);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_avgpool(net, 2, 2, &err));
  refused(NNP_E_VALUE, nnp_net_set(net, 1, NNP_COLLAPSE, 0.5, &err), "collapse = 0.5", 1);
  refused(NNP_E_VALUE, nnp_net_set(net, 1, NNP_COLLAPSE, NAN, &err), "collapse", 1);
  refused(NNP_E_OPTION, nnp_net_set(net, 1, NNP_LAMBDA_W, 1, &err), "avgpool has no lambda_w", 1);
  refused(NNP_E_OPTION, nnp_net_set(net, 1, NNP_BIAS, 1, &err), "avgpool has no bias", 1);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_get(net, 1, NNP_COLLAPSE, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(1, value);
  nnp_net_set(net, 1, NNP_COLLAPSE, 0, NULL);
  nnp_net_get(net, 1, NNP_COLLAPSE, &value, NULL);
  TEST_ASSERT_EQUAL_DOUBLE(0, value);
}

static void test_features_of_the_data(void) {
  nnp_data *data = NULL;
  nnp_chain *chain = NULL;
  const double x[2 * 29] = {0}, y[2 * 8] = {0};
  nnp_net_create_image(&net, 1, 5, 6, NULL);
  nnp_net_conv2d(net, 1, 2, 3, 1, 1, NULL);
  nnp_net_avgpool(net, 2, 1, NULL);
  nnp_net_head(net, NNP_GAUSSIAN, NULL);
  nnp_data_create(&data, 2, 29, 8, NULL);
  nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, NULL);
  nnp_data_set_targets(data, y, NNP_ROW_MAJOR, NULL);
  refused(NNP_E_SHAPE, nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err),
          "29 features, the network expects 30", 2);
  TEST_ASSERT_NULL(chain);
  nnp_data_free(data);
}

/* ---- chains ------------------------------------------------------------------------------- */

enum { ROWS = 300, FEATURES = 2 * 6 * 5, PARAMETERS = 2 * 2 * 4 + 2 + 2 * 2 * 2 + 2 };

static nnp_data *make_data(void) {
  static double x[ROWS * FEATURES], y[ROWS * 2];
  nnp_data *data = NULL;
  for (int i = 0; i < ROWS * FEATURES; ++i) x[i] = fmod(0.61803 * (i + 1), 1.0) - 0.5;
  for (int i = 0; i < ROWS * 2; ++i) y[i] = fmod(0.41421 * (i + 1), 1.0);
  nnp_data_create(&data, ROWS, FEATURES, 2, NULL);
  nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, NULL);
  nnp_data_set_targets(data, y, NNP_ROW_MAJOR, NULL);
  return data;
}

/* conv 2x6x5 -> 2x5x2, pool -> 2x2x2 (a row left over), relu, conv -> 2x1x1 */
static void make_net(double collapse) {
  nnp_net_create_image(&net, 2, 6, 5, NULL);
  nnp_net_conv2d(net, 2, 2, 2, 1, 2, NULL);
  nnp_net_avgpool(net, 2, 1, NULL);
  nnp_net_activation(net, NNP_RELU, NULL);
  nnp_net_conv2d(net, 2, 2, 1, 1, 2, NULL);
  nnp_net_head(net, NNP_GAUSSIAN, NULL);
  nnp_net_set(net, 2, NNP_COLLAPSE, collapse, NULL);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.1, NULL);
}

static nnp_chain *make_chain(nnp_data *data) {
  nnp_chain *chain = NULL;
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, NULL);
  return chain;
}

static void test_a_site_that_is_integrated_out(void) {
  static double site[ROWS * 20], sites[ROWS * 16], parameters[PARAMETERS];
  double noise[4], prior[4], squares[4], value = 0, sum = 0;
  int64_t count = 0, latents = 0;
  nnp_data *data = make_data();
  make_net(1);
  nnp_net_parameters(net, &count, NULL);
  nnp_net_latents(net, &latents, NULL);
  TEST_ASSERT_EQUAL_INT64(PARAMETERS, count);
  TEST_ASSERT_EQUAL_INT64(16, latents);
  nnp_chain *chain = make_chain(data);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_run(chain, 3, NULL, NULL, &err));
  refused(NNP_E_UNSUPPORTED, nnp_chain_site(chain, 1, site, &err), "site = 1: it is integrated", 4);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_site(chain, 2, sites, &err));
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_site(chain, 3, sites + ROWS * 8, &err));
  nnp_chain_parameters(chain, parameters, NULL);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_terms(chain, noise, prior, squares, &err));
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_log_density(chain, &value, &err));
  for (int k = 0; k < 4; ++k) sum += noise[k] + prior[k];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(value), value, sum);
  TEST_ASSERT_EQUAL_DOUBLE(0, noise[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0, squares[0]);
  TEST_ASSERT_TRUE(prior[0] != 0 && prior[1] == 0 && squares[1] > 0 && prior[3] != 0);
  /* The sites that exist, and nothing else, make a start. */
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_start_state(chain, parameters, sites, 1, 0, &err));
  nnp_chain_site(chain, 3, site, NULL);
  TEST_ASSERT_EQUAL_MEMORY(sites + ROWS * 8, site, sizeof(double) * ROWS * 8);
  nnp_chain_free(chain);
  nnp_data_free(data);
}

static void test_sites_without_collapse(void) {
  static double site[ROWS * 20];
  nnp_data *data = make_data();
  make_net(0);
  nnp_chain *chain = make_chain(data);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_run(chain, 3, NULL, NULL, &err));
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_site(chain, 1, site, &err));
  for (int i = 0; i < ROWS * 20; ++i) TEST_ASSERT_TRUE(isfinite(site[i]) && site[i] != 0);
  nnp_chain_free(chain);
  nnp_data_free(data);
}

/* The same draws for any number of threads, and after a save and a restore. */
static void draws_do_not_depend(double collapse) {
  static double one[PARAMETERS * 20], two[PARAMETERS * 20], restored[PARAMETERS * 10];
  nnp_data *data = make_data();
  make_net(collapse);
  nnp_pool *pool = NULL;
  size_t bytes = 0;
  nnp_chain *first = make_chain(data), *second = make_chain(data), *third = make_chain(data);
  nnp_pool_create(&pool, 3, NULL);
  nnp_chain_use_pool(second, pool, NULL);
  nnp_chain_sample(first, one, 10, 1, NULL, NULL, NULL);
  nnp_chain_save_bytes(first, &bytes, NULL);
  void *saved = malloc(bytes);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_save(first, saved, bytes, &err));
  nnp_chain_sample(first, one + 10 * PARAMETERS, 10, 1, NULL, NULL, NULL);
  nnp_chain_sample(second, two, 20, 1, NULL, NULL, NULL);
  TEST_ASSERT_EQUAL_MEMORY(one, two, sizeof one);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_restore(third, saved, bytes, &err));
  nnp_chain_sample(third, restored, 10, 1, NULL, NULL, NULL);
  TEST_ASSERT_EQUAL_MEMORY(one + 10 * PARAMETERS, restored, sizeof restored);
  /* Not into a chain that has other sites. */
  nnp_chain_free(third);
  nnp_net_set(net, 2, NNP_COLLAPSE, 1 - collapse, NULL);
  third = make_chain(data);
  refused(NNP_E_SAVE_NETWORK, nnp_chain_restore(third, saved, bytes, &err), "another network", 4);
  free(saved);
  nnp_chain_free(first);
  nnp_chain_free(second);
  nnp_chain_free(third);
  nnp_pool_free(pool);
  nnp_data_free(data);
}

static void test_threads_and_saves(void) {
  draws_do_not_depend(0);
}

static void test_threads_and_saves_of_collapsed_layers(void) {
  draws_do_not_depend(1);
}

/* A teacher's sites are those that are sampled: as many as nnp_net_latents says, and a start. */
static void test_teacher_of_collapsed_layers(void) {
  static double sites[ROWS * 36 + 1], site[ROWS * 20];
  const int64_t latents[] = {36, 16};
  nnp_data *data = make_data();
  for (int collapse = 0; collapse < 2; ++collapse) {
    nnp_teacher *teacher = NULL;
    nnp_net_free(net);
    make_net(collapse);
    nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 3, 0, NULL);
    for (int i = 0; i <= ROWS * 36; ++i) sites[i] = -77;
    TEST_ASSERT_EQUAL(NNP_OK, nnp_teacher_label(teacher, data, 1, sites, &err));
    TEST_ASSERT_EQUAL_DOUBLE(-77, sites[ROWS * latents[collapse]]);
    TEST_ASSERT_TRUE(sites[ROWS * latents[collapse] - 1] != -77);
    nnp_chain *chain = make_chain(data);
    TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_start_teacher(chain, teacher, sites, 1, 0, &err));
    nnp_chain_site(chain, 3, site, NULL);
    TEST_ASSERT_EQUAL_MEMORY(sites + ROWS * (latents[collapse] - 8), site,
                             sizeof(double) * ROWS * 8);
    TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_start_teacher(chain, teacher, NULL, 1, 0, &err));
    /* Another chain has other sites, but the same weights. */
    nnp_chain_free(chain);
    nnp_net_set(net, 2, NNP_COLLAPSE, 1 - collapse, NULL);
    chain = make_chain(data);
    if (collapse) {
      TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_start_teacher(chain, teacher, NULL, 1, 0, &err));
    }
    refused(NNP_E_SHAPE, nnp_chain_start_teacher(chain, teacher, sites, 1, 0, &err), "teacher", 4);
    nnp_chain_free(chain);
    nnp_teacher_free(teacher);
  }
  nnp_data_free(data);
}

/* A block of exactly the size reported, with a canary after it. */
static void test_exact_memory(void) {
  nnp_data *data = make_data();
  for (int collapse = 0; collapse < 2; ++collapse) {
    size_t bytes = 0;
    nnp_chain *chain = NULL;
    nnp_net_free(net);
    make_net(collapse);
    nnp_chain_bytes(net, data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes, NULL);
    unsigned char *block = malloc(bytes + 128);
    TEST_ASSERT_NOT_NULL(block);
    unsigned char *memory = block + (64 - (uintptr_t)block % 64);
    memset(memory, 0xAB, bytes + 64);
    refused(NNP_E_MEMORY_SIZE,
            nnp_chain_init(&chain, memory, bytes - 1, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err),
            "expected at least", 4);
    TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_init(&chain, memory, bytes, net, data, NNP_GIBBS,
                                             NNP_INTERMEDIATE, &err));
    nnp_chain_start(chain, NNP_START_ZERO, 1, 0, NULL);
    TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_run(chain, 5, NULL, NULL, &err));
    for (size_t i = 0; i < 64; ++i) TEST_ASSERT_EQUAL_HEX8(0xAB, memory[bytes + i]);
    free(block);
  }
  nnp_data_free(data);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_sizes_of_images);
  RUN_TEST(test_images_that_do_not_divide);
  RUN_TEST(test_filters);
  RUN_TEST(test_pools);
  RUN_TEST(test_features_of_the_data);
  RUN_TEST(test_a_site_that_is_integrated_out);
  RUN_TEST(test_sites_without_collapse);
  RUN_TEST(test_threads_and_saves);
  RUN_TEST(test_threads_and_saves_of_collapsed_layers);
  RUN_TEST(test_teacher_of_collapsed_layers);
  RUN_TEST(test_exact_memory);
  return UNITY_END();
}
