/* Learned scales through the C API: names and places of their values, starts, saves, threads,
 * teachers, predictions, and a status with a sentence for what is refused; and proof that networks
 * that learn nothing have the draws they always had. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"
#include "tests/support/threads.h"

enum { ROWS = 150, INPUTS = 3, MOST = 128 };
static const double pi = 3.14159265358979323846;

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chain, *other;
static nnp_teacher *teacher;
static nnp_pool *pool;

static void make_net(int32_t head) {
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, 4, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, head == NNP_ARGMAX ? 3 : 1, &err));
  OK(nnp_net_head(net, head, &err));
}

static void make_data(void) {
  double x[ROWS * INPUTS], y[ROWS];
  int32_t labels[ROWS];
  int64_t outputs;
  int i;
  for (i = 0; i < ROWS * INPUTS; ++i) x[i] = 3 * fmod((i + 1) * 0.6180339887498949, 1) - 1.5;
  for (i = 0; i < ROWS; ++i) {
    y[i] = x[i * INPUTS] - 0.5 * fabs(x[i * INPUTS + 1]) + 0.2 * sin(37.0 * i);
    labels[i] = i % 3;
  }
  OK(nnp_net_outputs(net, &outputs, &err));
  OK(nnp_data_create(&data, ROWS, INPUTS, outputs, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  if (outputs == 1) OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_labels(data, labels, &err));
}

static void learn_all(void) {
  OK(nnp_net_learn_tied(net, NULL, 0, 0, &err));
  OK(nnp_net_learn(net, 1, NNP_ARD, 0, 0, &err));
  OK(nnp_net_learn(net, 3, NNP_LAMBDA_W, 0, 0, &err));
  OK(nnp_net_learn(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 0, 0, &err));
}

static int64_t parameters(void) {
  int64_t count;
  OK(nnp_net_parameters(net, &count, &err));
  TEST_ASSERT_TRUE(count <= MOST);
  return count;
}

static void expect_name(const char *name, int64_t parameter) {
  char text[64];
  OK(nnp_net_parameter_name(net, parameter, text, sizeof text, &err));
  TEST_ASSERT_EQUAL_STRING(name, text);
}

void setUp(void) {
  net = NULL;
  data = NULL;
  chain = other = NULL;
  teacher = NULL;
  pool = NULL;
}

void tearDown(void) {
  nnp_chain_free(chain);
  nnp_chain_free(other);
  nnp_teacher_free(teacher);
  nnp_data_free(data);
  nnp_net_free(net);
  nnp_pool_free(pool);
}

/* ---- the description ------------------------------------------------------------------------- */

static void test_names_and_places(void) {
  double shape, mean;
  int64_t first, count;
  make_net(NNP_GAUSSIAN);
  TEST_ASSERT_EQUAL_INT64(21, parameters());
  learn_all();
  TEST_ASSERT_EQUAL_INT64(21 + 1 + 3 + 1 + 2, parameters());
  expect_name("b2[1]", 20);
  expect_name("D", 21);
  expect_name("lambda_w1[1]", 22);
  expect_name("lambda_w1[3]", 24);
  expect_name("lambda_b1", 25);
  expect_name("lambda_w2", 26);
  expect_name("lambda_b2", 27);
  OK(nnp_net_learned(net, 1, NNP_ARD, &shape, &mean, &first, &count, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0.5, shape);
  TEST_ASSERT_EQUAL_DOUBLE(3, mean);
  TEST_ASSERT_EQUAL_INT64(22, first);
  TEST_ASSERT_EQUAL_INT64(3, count);
  OK(nnp_net_learned(net, 1, NNP_LAMBDA_W, &shape, NULL, &first, &count, &err));
  TEST_ASSERT_EQUAL_INT64(0, count);
  TEST_ASSERT_EQUAL_INT64(-1, first);
  TEST_ASSERT_EQUAL_DOUBLE(0, shape);
  OK(nnp_net_learned(net, 2, NNP_NOISE, NULL, NULL, &first, &count, &err));
  TEST_ASSERT_EQUAL_INT64(21, first);
  TEST_ASSERT_EQUAL_INT64(1, count);

  OK(nnp_net_fix(net, NNP_ALL_LAYERS, NNP_NOISE, &err));
  OK(nnp_net_learn(net, NNP_ALL_LAYERS, NNP_NOISE, 2, 50, &err));
  expect_name("D1", 21);
  expect_name("D2", 22);
  expect_name("D3", 23);
  expect_name("lambda_w1[1]", 24);
  OK(nnp_net_fix(net, 2, NNP_NOISE, &err));
  expect_name("D3", 22);
  OK(nnp_net_get(net, 2, NNP_NOISE, &mean, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0.02, mean);
}

/* The last call wins: a value fixes a scale, one form of learning replaces the other. */
static void test_changes(void) {
  double value;
  int64_t count;
  make_net(NNP_GAUSSIAN);
  learn_all();
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.3, &err));
  expect_name("lambda_w1[1]", 21);
  OK(nnp_net_get(net, 3, NNP_NOISE, &value, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0.3, value);
  OK(nnp_net_learn(net, 1, NNP_LAMBDA_W, 2, 7, &err));
  expect_name("lambda_w1", 21);
  OK(nnp_net_learned(net, 1, NNP_ARD, NULL, NULL, NULL, &count, &err));
  TEST_ASSERT_EQUAL_INT64(0, count);
  OK(nnp_net_fix(net, 1, NNP_ARD, &err)); /* is not what is learned */
  expect_name("lambda_w1", 21);
  OK(nnp_net_set(net, 1, NNP_LAMBDA_W, 5, &err));
  expect_name("lambda_b1", 21);
  OK(nnp_net_set(net, 1, NNP_BIAS, 0, &err)); /* and its precision with it */
  TEST_ASSERT_EQUAL_INT64(17 + 2, parameters());
  expect_name("lambda_w2", 17);
  OK(nnp_net_fix(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, &err));
  OK(nnp_net_fix(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, &err));
  TEST_ASSERT_EQUAL_INT64(17, parameters());
}

static void test_the_table(void) {
  char table[2048];
  make_net(NNP_GAUSSIAN);
  learn_all();
  OK(nnp_net_print(net, 100, table, 128 * 3 + 512, &err));
  TEST_ASSERT_NOT_NULL(strstr(table, "tied"));
  TEST_ASSERT_NOT_NULL(strstr(table, "ard"));
  TEST_ASSERT_NOT_NULL(strstr(table, "learned"));
}

static void test_bad_hyperpriors(void) {
  const double bad[][2] = {{0, 1},   {1, 0},        {-1, 1},  {1, -1},
                           {NAN, 1}, {1, INFINITY}, {1, NAN}, {INFINITY, 1}};
  size_t i;
  make_net(NNP_GAUSSIAN);
  for (i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    FAILS(NNP_E_VALUE,
          "shape, mean =", nnp_net_learn(net, 3, NNP_NOISE, bad[i][0], bad[i][1], &err));
    FAILS(NNP_E_VALUE, "shape, mean =", nnp_net_learn_tied(net, NULL, bad[i][0], bad[i][1], &err));
  }
  TEST_ASSERT_EQUAL_INT64(21, parameters());
}

static void test_bad_layers(void) {
  double none[] = {1, 0, 1}, minus[] = {1, -2, 1}, nan[] = {NAN, 1, 1};
  int64_t count;
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, 4, &err));
  FAILS(NNP_E_NO_HEAD, "no head", nnp_net_learn(net, 1, NNP_LAMBDA_W, 0, 0, &err));
  FAILS(NNP_E_NO_HEAD, "no head", nnp_net_learn_tied(net, NULL, 0, 0, &err));
  nnp_net_free(net);
  net = NULL;
  make_net(NNP_GAUSSIAN);
  FAILS(NNP_E_NULL, "net", nnp_net_learn(NULL, 1, NNP_NOISE, 0, 0, &err));
  FAILS(NNP_E_NULL, "net", nnp_net_learn_tied(NULL, NULL, 0, 0, &err));
  FAILS(NNP_E_NULL, "net", nnp_net_fix(NULL, 1, NNP_NOISE, &err));
  FAILS(NNP_E_NULL, "net", nnp_net_learned(NULL, 1, NNP_NOISE, NULL, NULL, NULL, NULL, &err));
  FAILS(NNP_E_SIZE, "layer = 4", nnp_net_learn(net, 4, NNP_NOISE, 0, 0, &err));
  FAILS(NNP_E_SIZE, "layer = -1", nnp_net_learn(net, NNP_HEAD, NNP_NOISE, 0, 0, &err));
  FAILS(NNP_E_SIZE, "layer = 0",
        nnp_net_learned(net, 0, NNP_NOISE, NULL, NULL, NULL, &count, &err));
  FAILS(NNP_E_ENUM, "property = bias", nnp_net_learn(net, 1, NNP_BIAS, 0, 0, &err));
  FAILS(NNP_E_ENUM, "property = 99", nnp_net_fix(net, 1, 99, &err));
  FAILS(NNP_E_ENUM, "property = ard", nnp_net_set(net, 1, NNP_ARD, 1, &err));
  FAILS(NNP_E_OPTION, "no weights", nnp_net_learn(net, 2, NNP_ARD, 0, 0, &err));
  FAILS(NNP_E_OPTION, "no weights", nnp_net_learn(net, 2, NNP_LAMBDA_W, 0, 0, &err));
  OK(nnp_net_set(net, 1, NNP_BIAS, 0, &err));
  FAILS(NNP_E_OPTION, "no biases", nnp_net_learn(net, 1, NNP_LAMBDA_B, 0, 0, &err));
  OK(nnp_net_set(net, 3, NNP_BIAS, 0, &err));
  FAILS(NNP_E_OPTION, "no layer", nnp_net_learn(net, 0, NNP_LAMBDA_B, 0, 0, &err));
  FAILS(NNP_E_VALUE, "layer 2 is 0", nnp_net_learn_tied(net, none, 0, 0, &err));
  FAILS(NNP_E_VALUE, "layer 2 is -2", nnp_net_learn_tied(net, minus, 0, 0, &err));
  FAILS(NNP_E_VALUE, "layer 1 is", nnp_net_learn_tied(net, nan, 0, 0, &err));
  OK(nnp_net_learn_tied(net, NULL, 0, 0, &err));
  FAILS(NNP_E_OPTION, "share one noise", nnp_net_learn(net, 3, NNP_NOISE, 0, 0, &err));
  FAILS(NNP_E_OPTION, "share one noise", nnp_net_fix(net, 3, NNP_NOISE, &err));
  FAILS(NNP_E_OPTION, "share one noise", nnp_net_set(net, 3, NNP_NOISE, 1, &err));
  OK(nnp_net_learn(net, 0, NNP_NOISE, 0, 0, &err));
  OK(nnp_net_learn(net, 3, NNP_NOISE, 0, 0, &err));
}

static void test_convolutions(void) {
  OK(nnp_net_create_image(&net, 1, 4, 4, &err));
  OK(nnp_net_conv2d(net, 2, 3, 3, 1, 1, &err));
  OK(nnp_net_avgpool(net, 2, 2, &err));
  OK(nnp_net_dense(net, 2, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  FAILS(NNP_E_OPTION, "expected a dense layer", nnp_net_learn(net, 1, NNP_ARD, 0, 0, &err));
  OK(nnp_net_learn(net, NNP_ALL_LAYERS, NNP_ARD, 0, 0, &err)); /* of the dense layer */
  TEST_ASSERT_EQUAL_INT64(20 + 6 + 2, parameters());
}

static void test_posteriors_without_the_noise(void) {
  make_net(NNP_GAUSSIAN);
  make_data();
  OK(nnp_net_learn(net, 1, NNP_NOISE, 0, 0, &err));
  FAILS(NNP_E_UNSUPPORTED, "layer 1 is learned",
        nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_CLASSICAL, &err));
  OK(nnp_net_fix(net, 1, NNP_NOISE, &err));
  OK(nnp_net_learn(net, 3, NNP_NOISE, 0, 0, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_CLASSICAL, &err));
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  net = NULL;
  data = NULL;
  chain = NULL;
  make_net(NNP_ARGMAX);
  make_data();
  OK(nnp_net_learn(net, 3, NNP_NOISE, 0, 0, &err));
  FAILS(NNP_E_UNSUPPORTED, "temperature",
        nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_CLASSICAL, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void expect_started_at_means(const double *p) {
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 / 30, p[21]);
  TEST_ASSERT_EQUAL_DOUBLE(3, p[22]);
  TEST_ASSERT_EQUAL_DOUBLE(1, p[25]);
  TEST_ASSERT_EQUAL_DOUBLE(1, p[27]);
}

static void test_starts(void) {
  double p[MOST], q[MOST], sites[ROWS * 8];
  make_net(NNP_GAUSSIAN);
  make_data();
  learn_all();
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(chain, NNP_START_ZERO, 5, 0, &err));
  OK(nnp_chain_parameters(chain, p, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0, p[0]);
  expect_started_at_means(p);
  OK(nnp_chain_start(chain, NNP_START_SMALL, 5, 0, &err));
  OK(nnp_chain_parameters(chain, p, &err));
  TEST_ASSERT_TRUE(p[0] != 0 && fabs(p[0]) < 1e-3);
  expect_started_at_means(p);
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_parameters(chain, p, &err));
  TEST_ASSERT_TRUE(p[21] > 0 && p[22] > 0 && p[22] != p[23]);
  p[21] = 0.25;
  OK(nnp_chain_start_weights(chain, p, 1, 5, 0, &err));
  OK(nnp_chain_parameters(chain, q, &err));
  TEST_ASSERT_EQUAL_MEMORY(p, q, 28 * sizeof(double));
  memset(sites, 0, sizeof sites);
  OK(nnp_chain_start_state(chain, p, sites, 5, 0, &err));
  p[23] = -1;
  FAILS(NNP_E_VALUE, "lambda_w1[2] (entry 23) is -1",
        nnp_chain_start_weights(chain, p, 1, 5, 0, &err));
  FAILS(NNP_E_VALUE, "lambda_w1[2]", nnp_chain_start_state(chain, p, sites, 5, 0, &err));
  p[23] = 0;
  FAILS(NNP_E_VALUE, "positive, finite", nnp_chain_start_weights(chain, p, 1, 5, 0, &err));
  p[23] = NAN;
  FAILS(NNP_E_NOT_FINITE, "entry 23", nnp_chain_start_weights(chain, p, 1, 5, 0, &err));
  OK(nnp_chain_parameters(chain, p, &err));
  TEST_ASSERT_EQUAL_MEMORY(p, q, 28 * sizeof(double));
}

/* Restored in the middle, a chain goes on bit for bit; blocks that lie are refused. */
static void check_saves(int32_t sampler, int32_t posterior) {
  double a[MOST], b[MOST];
  unsigned char *block;
  size_t size;
  make_net(NNP_GAUSSIAN);
  make_data();
  learn_all();
  OK(nnp_chain_create(&chain, net, data, sampler, posterior, &err));
  if (sampler != NNP_GIBBS) OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 25, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_run(chain, 30, NULL, NULL, &err));
  OK(nnp_chain_save_bytes(chain, &size, &err));
  block = (unsigned char *)malloc(size);
  OK(nnp_chain_save(chain, block, size, &err));
  OK(nnp_chain_run(chain, 30, NULL, NULL, &err));
  OK(nnp_chain_parameters(chain, a, &err));
  OK(nnp_chain_create(&other, net, data, sampler, posterior, &err));
  OK(nnp_chain_restore(other, block, size, &err));
  OK(nnp_chain_run(other, 30, NULL, NULL, &err));
  OK(nnp_chain_parameters(other, b, &err));
  TEST_ASSERT_EQUAL_MEMORY(a, b, 28 * sizeof(double));
  TEST_ASSERT_TRUE(a[21] != 1.0 / 30);
  nnp_chain_free(other);
  other = NULL;
  /* the hyperprior belongs to the network */
  OK(nnp_net_learn(net, 3, NNP_LAMBDA_W, 2, 9, &err));
  OK(nnp_chain_create(&other, net, data, sampler, posterior, &err));
  FAILS(NNP_E_SAVE_NETWORK, "another network", nnp_chain_restore(other, block, size, &err));
  free(block);
  tearDown();
  setUp();
}

static void test_saves(void) {
  check_saves(NNP_GIBBS, NNP_INTERMEDIATE);
  check_saves(NNP_HMC, NNP_CLASSICAL);
  check_saves(NNP_NUTS, NNP_INTERMEDIATE);
  check_saves(NNP_MALA, NNP_CLASSICAL);
}

/* Draws do not depend on the number of threads. */
static void check_threads(int32_t head, int32_t sampler, int32_t posterior) {
  double a[MOST], b[MOST];
  make_net(head);
  make_data();
  learn_all();
  OK(nnp_pool_create(&pool, threads_here(3), &err));
  OK(nnp_chain_create(&chain, net, data, sampler, posterior, &err));
  OK(nnp_chain_create(&other, net, data, sampler, posterior, &err));
  OK(nnp_chain_use_pool(other, pool, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_start(other, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_run(chain, 20, NULL, NULL, &err));
  OK(nnp_chain_run(other, 20, NULL, NULL, &err));
  OK(nnp_chain_parameters(chain, a, &err));
  OK(nnp_chain_parameters(other, b, &err));
  TEST_ASSERT_EQUAL_MEMORY(a, b, (size_t)parameters() * sizeof(double));
  tearDown();
  setUp();
}

static void test_threads(void) {
  check_threads(NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE);
  check_threads(NNP_STUDENT_T, NNP_GIBBS, NNP_INTERMEDIATE);
  check_threads(NNP_STUDENT_T, NNP_HMC, NNP_CLASSICAL);
}

/* In a block of exactly its size; one byte less is refused. */
static void test_memory(void) {
  const int32_t samplers[] = {NNP_GIBBS, NNP_NUTS};
  double a[MOST], b[MOST];
  int i;
  make_net(NNP_GAUSSIAN);
  make_data();
  learn_all();
  for (i = 0; i < 2; ++i) {
    nnp_chain *own = NULL;
    unsigned char *memory, *block;
    size_t bytes;
    OK(nnp_chain_bytes(net, data, samplers[i], NNP_INTERMEDIATE, &bytes, &err));
    memory = (unsigned char *)malloc(bytes + 128);
    block = memory + (64 - (uintptr_t)memory % 64);
    memset(block + bytes, 0x5a, (size_t)(memory + bytes + 128 - (block + bytes)));
    FAILS(NNP_E_MEMORY_SIZE, "expected at least",
          nnp_chain_init(&own, block, bytes - 1, net, data, samplers[i], NNP_INTERMEDIATE, &err));
    OK(nnp_chain_init(&own, block, bytes, net, data, samplers[i], NNP_INTERMEDIATE, &err));
    OK(nnp_chain_create(&other, net, data, samplers[i], NNP_INTERMEDIATE, &err));
    OK(nnp_chain_start(own, NNP_START_PRIOR, 5, 0, &err));
    OK(nnp_chain_start(other, NNP_START_PRIOR, 5, 0, &err));
    OK(nnp_chain_run(own, 10, NULL, NULL, &err));
    OK(nnp_chain_run(other, 10, NULL, NULL, &err));
    OK(nnp_chain_parameters(own, a, &err));
    OK(nnp_chain_parameters(other, b, &err));
    TEST_ASSERT_EQUAL_MEMORY(a, b, 28 * sizeof(double));
    TEST_ASSERT_EACH_EQUAL_HEX8(0x5a, block + bytes, memory + bytes + 128 - (block + bytes));
    nnp_chain_free(other);
    other = NULL;
    free(memory);
  }
}

static void make_annealed(int64_t steps) {
  make_net(NNP_GAUSSIAN);
  make_data();
  learn_all();
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(chain, NNP_START_ZERO, 5, 0, &err));
  OK(nnp_chain_anneal(chain, 1, 20, &err));
  OK(nnp_chain_run(chain, steps, NULL, NULL, &err));
}

/* While a chain anneals, its learned noise is held; precisions are drawn. */
static void test_annealing(void) {
  double p[MOST];
  make_annealed(20);
  OK(nnp_chain_parameters(chain, p, &err));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 / 30, p[21]);
  TEST_ASSERT_TRUE(p[22] != 3);
  OK(nnp_chain_run(chain, 1, NULL, NULL, &err));
  OK(nnp_chain_parameters(chain, p, &err));
  TEST_ASSERT_TRUE(fabs(p[21] - 1.0 / 30) > 1e-6);
}

/* A chain that has annealed goes into one whose own noise is above that it annealed from. */
static void test_annealed_chains_are_restored(void) {
  double p[MOST];
  unsigned char *block;
  size_t size;
  make_annealed(25);
  OK(nnp_chain_parameters(chain, p, &err));
  OK(nnp_chain_save_bytes(chain, &size, &err));
  block = (unsigned char *)malloc(size);
  OK(nnp_chain_save(chain, block, size, &err));
  p[21] = 500; /* times a hundredth in hidden layers */
  OK(nnp_chain_create(&other, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start_weights(other, p, 0, 5, 0, &err));
  OK(nnp_chain_restore(other, block, size, &err));
  free(block);
}

/* The log density adds up from its terms, and has the hyperprior of D in it: the density of D. */
static void test_log_density(void) {
  double p[MOST], noise[3], prior[3], sum = 0, whole, there;
  int k;
  make_net(NNP_GAUSSIAN);
  make_data();
  OK(nnp_net_learn(net, 3, NNP_NOISE, 2, 5, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_HMC, NNP_CLASSICAL, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_log_density(chain, &whole, &err));
  OK(nnp_chain_terms(chain, noise, prior, NULL, &err));
  for (k = 0; k < 3; ++k) sum += noise[k] + prior[k];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(whole), whole, sum);
  OK(nnp_chain_parameters(chain, p, &err));
  {
    double *f = (double *)malloc(ROWS * sizeof(double)), y[ROWS], squares = 0;
    const double d = p[21], twice = 2 * d;
    OK(nnp_chain_predict(chain, data, f, &err));
    OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
    for (k = 0; k < ROWS; ++k) squares += (y[k] - f[k]) * (y[k] - f[k]);
    free(f);
    p[21] = twice;
    OK(nnp_chain_start_weights(chain, p, 1, 5, 0, &err));
    OK(nnp_chain_log_density(chain, &there, &err));
    /* N(y | f, D) and the inverse gamma of shape 2 and scale 2/5 */
    sum = -0.5 * squares * (1 / twice - 1 / d) - (0.5 * ROWS + 3) * log(2) -
          0.4 * (1 / twice - 1 / d);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + fabs(sum)), sum, there - whole);
  }
}

/* Every prediction uses each draw's own noise: with one weight vector and two noises the log score is
 * that of the mixture. */
static void test_predictions(void) {
  nnp_predictor *predictor = NULL;
  double draws[2 * MOST], both, one[2], f[ROWS], y[ROWS], expected = 0;
  int i, k;
  make_net(NNP_GAUSSIAN);
  make_data();
  OK(nnp_net_learn(net, 3, NNP_NOISE, 0, 0, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_parameters(chain, draws, &err));
  memcpy(draws + 22, draws, 22 * sizeof(double));
  draws[21] = 0.5;
  draws[43] = 3;
  OK(nnp_predictor_create(&predictor, net, 2, &err));
  OK(nnp_predictor_posterior(predictor, NNP_CLASSICAL, &err));
  OK(nnp_score(predictor, data, draws, 1, NNP_SCORE_LOG, &one[0], &err));
  OK(nnp_score(predictor, data, draws + 22, 1, NNP_SCORE_LOG, &one[1], &err));
  OK(nnp_score(predictor, data, draws, 2, NNP_SCORE_LOG, &both, &err));
  OK(nnp_predict(predictor, data, draws, 1, NNP_PREDICT_MEAN, f, &err));
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  for (k = 0; k < 2; ++k) {
    const double d = k ? 3 : 0.5;
    double sum = 0;
    for (i = 0; i < ROWS; ++i) sum += -0.5 * ((y[i] - f[i]) * (y[i] - f[i]) / d + log(2 * pi * d));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, sum / ROWS, one[k]);
  }
  for (i = 0; i < ROWS; ++i) {
    const double r = (y[i] - f[i]) * (y[i] - f[i]);
    expected += log(0.5 * exp(-r) / sqrt(pi) + 0.5 * exp(-r / 6) / sqrt(6 * pi)) / ROWS;
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected, both);
  draws[43] = -1;
  FAILS(NNP_E_VALUE, "D3", nnp_score(predictor, data, draws, 2, NNP_SCORE_LOG, &both, &err));
  nnp_predictor_free(predictor);
}

/* A teacher draws scales from the hyperprior, and hands its values to students that learn them. */
static void test_teachers(void) {
  double p[MOST], q[MOST];
  make_net(NNP_GAUSSIAN);
  make_data();
  learn_all();
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 3, 1, &err));
  OK(nnp_teacher_parameters(teacher, p, &err));
  TEST_ASSERT_TRUE(p[21] > 0 && p[21] != 1.0 / 30 && p[22] != p[23]);
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start_teacher(chain, teacher, NULL, 4, 0, &err));
  OK(nnp_chain_parameters(chain, q, &err));
  TEST_ASSERT_EQUAL_MEMORY(p, q, 28 * sizeof(double));
  p[21] = -1;
  FAILS(NNP_E_VALUE, "D (entry 21)", nnp_teacher_set_parameters(teacher, p, &err));
  nnp_teacher_free(teacher);
  nnp_chain_free(chain);
  chain = NULL;
  teacher = NULL;
  /* a teacher of known scales, a student that learns them, and the other way round */
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.5, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 7, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 6, &err));
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 3, 1, &err));
  learn_all();
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start_teacher(chain, teacher, NULL, 4, 0, &err));
  OK(nnp_chain_parameters(chain, q, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0.5, q[21]);
  TEST_ASSERT_EQUAL_DOUBLE(7, q[23]);
  TEST_ASSERT_EQUAL_DOUBLE(6, q[25]);
  OK(nnp_chain_run(chain, 3, NULL, NULL, &err));
}

/* Bits of chains as they were before scales could be learned. */
static uint64_t hash_of_chain(int32_t sampler, int32_t posterior) {
  double draws[10 * 21];
  uint64_t hash = 0xcbf29ce484222325u, word;
  int i;
  make_net(NNP_GAUSSIAN);
  make_data();
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.05, &err));
  OK(nnp_chain_create(&chain, net, data, sampler, posterior, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_SIMD, 1, &err));
  if (sampler != NNP_GIBBS) OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 25, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 11, 2, &err));
  OK(nnp_chain_run(chain, 25, NULL, NULL, &err));
  OK(nnp_chain_sample(chain, draws, 10, 4, NULL, NULL, &err));
  for (i = 0; i < 10 * 21; ++i) {
    memcpy(&word, draws + i, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  tearDown();
  setUp();
  return hash;
}

static void test_draws_without_learned_scales_are_what_they_were(void) {
  const struct {
    int32_t sampler, posterior;
    uint64_t hash;
  } known[] = {{NNP_GIBBS, NNP_INTERMEDIATE, 0x44f039b8d6aa56deu},
               {NNP_HMC, NNP_INTERMEDIATE, 0x275a32a90d63bc34u},
               {NNP_NUTS, NNP_CLASSICAL, 0x244e6da359bbf6a7u},
               {NNP_MALA, NNP_CLASSICAL, 0xce9869d8428d464au}};
  char info[1024];
  size_t i;
  OK(nnp_build_info(info, sizeof info, &err));
  if (strstr(info, "math: own")) TEST_IGNORE_MESSAGE("the hashes are those of glibc's exp and log");
  for (i = 0; i < sizeof known / sizeof known[0]; ++i) {
    const uint64_t found = hash_of_chain(known[i].sampler, known[i].posterior);
    char text[64];
    snprintf(text, sizeof text, "sampler %d: %016llx", (int)known[i].sampler,
             (unsigned long long)found);
    TEST_ASSERT_TRUE_MESSAGE(found == known[i].hash, text);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_names_and_places);
  RUN_TEST(test_changes);
  RUN_TEST(test_the_table);
  RUN_TEST(test_bad_hyperpriors);
  RUN_TEST(test_bad_layers);
  RUN_TEST(test_convolutions);
  RUN_TEST(test_posteriors_without_the_noise);
  RUN_TEST(test_starts);
  RUN_TEST(test_saves);
  RUN_TEST(test_threads);
  RUN_TEST(test_memory);
  RUN_TEST(test_annealing);
  RUN_TEST(test_annealed_chains_are_restored);
  RUN_TEST(test_log_density);
  RUN_TEST(test_predictions);
  RUN_TEST(test_teachers);
  RUN_TEST(test_draws_without_learned_scales_are_what_they_were);
  return UNITY_END();
}
