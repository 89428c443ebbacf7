/* Noises, inputs and priors up to the ends of double precision, with every head, activation and
 * sampler: each call comes back, and with values that are finite or with a status. An alarm ends
 * the program where one does not. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/alarm.h"
#include "tests/support/expect.h"
#include "tests/support/watched.h"

enum { ROWS = 30, INPUTS = 5, SECONDS = 20 };

typedef struct Case {
  double noise, input, lambda;
  int32_t head, activation, sampler, posterior;
  int64_t hidden, outputs;
  int scales;  /* learned: 1 tied noise, 2 prior precisions, 3 one an input and the last noise */
  int descent; /* chains start by one, too */
  int single;  /* gradients in single precision */
} Case;

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chain;
static int64_t parameters, latents;
static char what[200];
static int64_t calls, refused;

void setUp(void) {
  net = NULL;
  data = NULL;
  chain = NULL;
  alarm((unsigned)shortened(SECONDS, 50 * SECONDS)); /* a memory checker takes its time */
}

void tearDown(void) {
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  alarm(0);
}

static double value_at(int64_t i) {
  return 3 * fmod((double)(i + 1) * 0.6180339887498949, 1) - 1.5;
}

/* hidden = 0: no hidden layer. hidden < 0: a convolution with that many filters and a pool. */
static void add_layers(const Case *c) {
  const int64_t outputs = c->outputs > 0             ? c->outputs
                          : c->head == NNP_ARGMAX    ? 3
                          : c->head == NNP_SIGN_HEAD ? 1
                                                     : 2;
  if (c->hidden > 0) OK(nnp_net_dense(net, c->hidden, &err));
  if (c->hidden < 0) {
    OK(nnp_net_image(net, 1, 1, INPUTS, &err));
    OK(nnp_net_conv2d(net, -c->hidden, 1, 2, 1, 1, &err));
    OK(nnp_net_avgpool(net, 1, 2, &err));
  }
  if (c->hidden != 0) OK(nnp_net_activation(net, c->activation, &err));
  OK(nnp_net_dense(net, outputs, &err));
  OK(nnp_net_head(net, c->head, &err));
}

static void set_data(const Case *c) {
  double x[ROWS * INPUTS], y[ROWS * 8];
  int32_t labels[ROWS];
  int64_t outputs, targets, i;
  OK(nnp_net_outputs(net, &outputs, &err));
  OK(nnp_net_targets(net, &targets, &err));
  for (i = 0; i < ROWS * INPUTS; ++i) x[i] = c->input * value_at(i);
  for (i = 0; i < ROWS * targets; ++i) y[i] = value_at(i + 7);
  for (i = 0; i < ROWS; ++i)
    labels[i] = c->head == NNP_SIGN_HEAD ? (int32_t)(2 * (i % 2) - 1) : (int32_t)(i % outputs);
  OK(nnp_data_create(&data, ROWS, INPUTS, targets, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_labels(data, labels, &err));
}

/* Hyperpriors whose means are the case's noise and precision. 0 if they are refused. */
static int add_scales(const Case *c) {
  const double lambda = c->lambda > 0 ? c->lambda : 1;
  int64_t layers;
  OK(nnp_net_layers(net, &layers, &err));
  if (c->scales == 1) return nnp_net_learn_tied(net, NULL, 2, 1 / c->noise, &err) == NNP_OK;
  if (c->scales == 2)
    return nnp_net_learn(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 0.5, lambda, &err) == NNP_OK;
  if (c->scales == 3)
    return nnp_net_learn(net, 1, NNP_ARD, 2, lambda, &err) == NNP_OK &&
           nnp_net_learn(net, layers, NNP_NOISE, 2, 1 / c->noise, &err) == NNP_OK;
  return 1;
}

/* 0 if there is no such chain. */
static int make(const Case *c) {
  tearDown();
  setUp();
  snprintf(what, sizeof what,
           "noise %g, inputs %g, lambda %g, head %d, activation %d, sampler %d, posterior %d, "
           "hidden %d, scales %d, single %d",
           c->noise, c->input, c->lambda, (int)c->head, (int)c->activation, (int)c->sampler,
           (int)c->posterior, (int)c->hidden, c->scales, c->single);
  if (getenv("NNPOST_TEST_LOUD")) fprintf(stderr, "%s\n", what);
  OK(nnp_net_create(&net, INPUTS, &err));
  add_layers(c);
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, c->noise, &err));
  if (c->lambda > 0) { /* or else the defaults */
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, c->lambda, &err));
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, c->lambda, &err));
  }
  if (!add_scales(c)) return 0;
  OK(nnp_net_parameters(net, &parameters, &err));
  OK(nnp_net_latents(net, &latents, &err));
  set_data(c);
  return nnp_chain_create(&chain, net, data, c->sampler, c->posterior, &err) == NNP_OK;
}

static int finite_values(const double *values, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i)
    if (!isfinite(values[i])) return 0;
  return 1;
}

static void check_state(const Case *c, const char *after) {
  double values[ROWS * 64];
  int64_t layers, k, width, shape[3];
  char text[300];
  snprintf(text, sizeof text, "%s: %s", after, what);
  TEST_ASSERT_TRUE(parameters <= ROWS * 64);
  OK(nnp_chain_parameters(chain, values, &err));
  TEST_ASSERT_TRUE_MESSAGE(finite_values(values, parameters), text);
  OK(nnp_net_layers(net, &layers, &err));
  for (k = 1; k <= layers && c->posterior == NNP_INTERMEDIATE; ++k) {
    if (nnp_chain_site(chain, k, values, &err) == NNP_E_UNSUPPORTED) continue;
    OK(nnp_net_shape(net, k, shape, &err));
    width = shape[0] * shape[1] * shape[2];
    /* its last site is the targets, not means and scales */
    if (k == layers && c->head == NNP_LOCATION_SCALE) OK(nnp_net_targets(net, &width, &err));
    TEST_ASSERT_TRUE_MESSAGE(finite_values(values, ROWS * width), text);
  }
}

/* These are what a call may say to extremes. */
static int went_well(int32_t status) {
  ++calls;
  if (status == NNP_OK) return 1;
  ++refused;
  if (status != NNP_E_NOT_FINITE && status != NNP_E_NUMERIC) TEST_FAIL_MESSAGE(err.message);
  TEST_ASSERT_EQUAL_INT32_MESSAGE(status, err.status, what);
  TEST_ASSERT_TRUE_MESSAGE(strlen(err.message) > 10, what);
  return 0;
}

static void check_reading(const Case *c) {
  double value, outputs[ROWS * 8];
  const int classes = c->head == NNP_ARGMAX || c->head == NNP_SIGN_HEAD;
  const int32_t kind = classes ? NNP_SCORE_ACCURACY : NNP_SCORE_MSE;
  int64_t width;
  OK(nnp_net_targets(net, &width, &err));
  TEST_ASSERT_TRUE_MESSAGE(!went_well(nnp_chain_log_density(chain, &value, &err)) || !isnan(value),
                           what);
  TEST_ASSERT_TRUE_MESSAGE(
      !went_well(nnp_chain_gradient_statistic(chain, 1, &value, &err)) || !isnan(value), what);
  TEST_ASSERT_TRUE_MESSAGE(!went_well(nnp_chain_predict(chain, data, outputs, &err)) ||
                               finite_values(outputs, ROWS * width),
                           what);
  TEST_ASSERT_TRUE_MESSAGE(
      !went_well(nnp_chain_score(chain, data, kind, &value, &err)) || isfinite(value), what);
  TEST_ASSERT_TRUE_MESSAGE(
      !went_well(nnp_chain_score(chain, data, NNP_SCORE_LOG, &value, &err)) || isfinite(value),
      what);
}

static void run_and_check(const Case *c) {
  check_state(c, "start");
  check_reading(c);
  if (!went_well(nnp_chain_run(chain, 3, NULL, NULL, &err))) return;
  check_state(c, "run");
  check_reading(c);
}

static void try_case(const Case *c) {
  int32_t start;
  double weights[ROWS * 64];
  int64_t i;
  if (!make(c)) return;
  if (c->sampler == NNP_NUTS) OK(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 4, &err));
  if (c->single) OK(nnp_chain_set(chain, NNP_OPTION_SINGLE_GRADIENTS, 1, &err));
  for (start = NNP_START_ZERO; start <= NNP_START_SMALL; ++start) {
    if (went_well(nnp_chain_start(chain, start, 5, 0, &err))) run_and_check(c);
  }
  if (c->descent) {
    if (went_well(nnp_chain_start(chain, NNP_START_FIT, 5, 0, &err))) run_and_check(c);
    if (went_well(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err)) &&
        went_well(nnp_chain_descend(chain, 20, NULL, NULL, &err)))
      run_and_check(c);
  }
  if (c->scales) return; /* weights below are no scales */
  for (i = 0; i < parameters; ++i) weights[i] = value_at(i + 3);
  if (went_well(nnp_chain_start_weights(chain, weights, 1, 5, 0, &err))) run_and_check(c);
}

static const double noises[] = {1e-300, 1e-180, 1e-100, 1e-12, 1, 1e12, 1e100, 1e300};
static const double inputs[] = {1e-150, 1e-75, 1, 1e75, 1e150};
static const double lambdas[] = {1e-300, 1e-30, 1, 1e30, 1e300};
enum { NOISES = 8, INPUT_SCALES = 5, LAMBDAS = 5 };

static void sweep(Case c, int64_t every) {
  int64_t i;
  for (i = 0; i < NOISES * INPUT_SCALES * LAMBDAS; i += every) {
    c.noise = noises[i % NOISES];
    c.input = inputs[i / NOISES % INPUT_SCALES];
    c.lambda = lambdas[i / NOISES / INPUT_SCALES];
    try_case(&c);
  }
}

/* Draws of a unit's scale whose arguments overflow: no callback could stop such a step. */
static void test_scales_that_overflow(void) {
  Case c = {1e-180, 1, 0, NNP_GAUSSIAN, NNP_RELU, NNP_GIBBS, NNP_INTERMEDIATE, 1, 3, 0, 0, 0};
  int32_t head, start;
  int which;
  for (head = NNP_GAUSSIAN; head <= NNP_ARGMAX; ++head)
    for (which = 0; which < 2; ++which)
      for (start = NNP_START_ZERO; start <= NNP_START_SMALL; ++start) {
        c.head = head;
        c.noise = which == 0 ? 1e-180 : 1e-100;
        c.input = which == 0 ? 1 : 1e150;
        TEST_ASSERT_TRUE(make(&c));
        if (!went_well(nnp_chain_start(chain, start, 1, 0, &err))) continue;
        if (went_well(nnp_chain_run(chain, 300, NULL, NULL, &err))) check_state(&c, "run");
      }
}

/* Layers by turns at both ends. */
static void test_mixed_noises(void) {
  Case c = {1, 1, 1, NNP_GAUSSIAN, NNP_RELU, NNP_GIBBS, NNP_INTERMEDIATE, 3, 0, 0, 0, 0};
  int32_t activation, head;
  int i, k;
  for (activation = NNP_IDENTITY; activation <= NNP_HARD_TANH; ++activation)
    for (head = NNP_GAUSSIAN; head <= NNP_SIGN_HEAD; ++head)
      for (i = 0; i < 8; ++i) {
        c.activation = activation;
        c.head = head;
        TEST_ASSERT_TRUE(make(&c));
        nnp_chain_free(chain);
        chain = NULL;
        for (k = 1; k <= 3; ++k)
          OK(nnp_net_set(net, k, NNP_NOISE, i >> (k - 1) & 1 ? 1e300 : 1e-300, &err));
        OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
        snprintf(what, sizeof what, "mixed noises %d, head %d, activation %d", i, (int)head,
                 (int)activation);
        if (went_well(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err))) run_and_check(&c);
      }
}

static void test_gibbs(void) {
  Case c = {0, 0, 0, 0, 0, NNP_GIBBS, NNP_INTERMEDIATE, 3, 0, 0, 0, 0};
  const int64_t every = shortened(1, 7);
  for (c.head = NNP_GAUSSIAN; c.head <= NNP_SIGN_HEAD; ++c.head)
    for (c.activation = NNP_IDENTITY; c.activation <= NNP_HARD_TANH; ++c.activation)
      sweep(c, every);
}

static void test_other_shapes(void) {
  Case c = {0, 0, 0, 0, NNP_RELU, NNP_GIBBS, NNP_INTERMEDIATE, 0, 0, 0, 0, 0};
  for (c.head = NNP_GAUSSIAN; c.head <= NNP_SIGN_HEAD; ++c.head)
    for (c.hidden = -2; c.hidden <= 1; ++c.hidden) sweep(c, shortened(1, 7));
}

static void test_gradient_samplers(void) {
  Case c = {0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0};
  for (c.posterior = NNP_INTERMEDIATE; c.posterior <= NNP_CLASSICAL; ++c.posterior)
    for (c.sampler = NNP_HMC; c.sampler <= NNP_NUTS; ++c.sampler)
      for (c.head = NNP_GAUSSIAN; c.head <= NNP_SIGN_HEAD; ++c.head)
        for (c.activation = NNP_IDENTITY; c.activation <= NNP_GELU; ++c.activation)
          sweep(c, shortened(7, 37));
}

/* Values far beyond those that single precision has. */
static void test_gradients_in_single_precision(void) {
  Case c = {0, 0, 0, 0, 0, 0, NNP_CLASSICAL, 3, 0, 0, 0, 1};
  for (c.sampler = NNP_HMC; c.sampler <= NNP_NUTS; ++c.sampler)
    for (c.head = NNP_GAUSSIAN; c.head <= NNP_LOCATION_SCALE; ++c.head)
      for (c.activation = NNP_IDENTITY; c.activation <= NNP_GELU; ++c.activation)
        sweep(c, shortened(11, 67));
}

static void test_other_heads(void) {
  Case c = {0, 0, 0, 0, NNP_RELU, 0, 0, 3, 0, 0, 0, 0};
  for (c.posterior = NNP_INTERMEDIATE; c.posterior <= NNP_CLASSICAL; ++c.posterior)
    for (c.sampler = NNP_GIBBS; c.sampler <= NNP_NUTS; ++c.sampler)
      for (c.head = NNP_STUDENT_T; c.head <= NNP_LOCATION_SCALE; ++c.head)
        for (c.hidden = -2; c.hidden <= 2; c.hidden += 2) sweep(c, shortened(3, 37));
}

static void test_learned_scales(void) {
  Case c = {0, 0, 0, 0, NNP_RELU, 0, 0, 3, 0, 0, 0, 0};
  for (c.posterior = NNP_INTERMEDIATE; c.posterior <= NNP_CLASSICAL; ++c.posterior)
    for (c.sampler = NNP_GIBBS; c.sampler <= NNP_HMC; ++c.sampler)
      for (c.head = NNP_GAUSSIAN; c.head <= NNP_LOCATION_SCALE; ++c.head)
        for (c.scales = 1; c.scales <= 3; ++c.scales) sweep(c, shortened(3, 37));
}

static void test_descents(void) {
  Case c = {0, 0, 0, 0, NNP_TANH, NNP_HMC, 0, 3, 0, 0, 1, 0};
  for (c.posterior = NNP_INTERMEDIATE; c.posterior <= NNP_CLASSICAL; ++c.posterior)
    for (c.head = NNP_GAUSSIAN; c.head <= NNP_LOCATION_SCALE; ++c.head)
      for (c.scales = 0; c.scales <= 3; ++c.scales) sweep(c, shortened(11, 67));
}

/* The sweep sees both: chains that run, and calls that are refused. */
static void test_both_were_seen(void) {
  TEST_ASSERT_TRUE(refused > 100 && calls - refused > refused / 2);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_scales_that_overflow);
  RUN_TEST(test_mixed_noises);
  RUN_TEST(test_gibbs);
  RUN_TEST(test_other_shapes);
  RUN_TEST(test_gradient_samplers);
  RUN_TEST(test_gradients_in_single_precision);
  RUN_TEST(test_other_heads);
  RUN_TEST(test_learned_scales);
  RUN_TEST(test_descents);
  RUN_TEST(test_both_were_seen);
  return UNITY_END();
}
