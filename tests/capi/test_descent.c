/* Starts that fit, through the C API: a descent ends at the mode that is known, reports what it
 * did, leaves the random streams alone, and does not depend on threads; chains from NNP_START_FIT
 * fit alike whatever their sampler; and what is refused gets a status and a sentence. */
#include <math.h>
#include <stdlib.h>

#include "tests/support/expect.h"
#include "tests/support/threads.h"

enum { ROWS = 1100, INPUTS = 4, MOST = 1024 };

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chains[4];
static nnp_pool *pool;

void setUp(void) {
  int c;
  net = NULL;
  data = NULL;
  pool = NULL;
  for (c = 0; c < 4; ++c) chains[c] = NULL;
}

void tearDown(void) {
  int c;
  for (c = 0; c < 4; ++c) nnp_chain_free(chains[c]);
  nnp_data_free(data);
  nnp_net_free(net);
  nnp_pool_free(pool);
}

static double spread(int i, double step) {
  return 3.4 * fmod((i + 1) * step, 1) - 1.7;
}

/* dense, then hidden layers of 8 units if any; noise in all layers. */
static void make_net(int hidden, int32_t activation, int64_t outputs, int32_t head, double noise) {
  int h;
  OK(nnp_net_create(&net, INPUTS, &err));
  for (h = 0; h < hidden; ++h) {
    OK(nnp_net_dense(net, 8, &err));
    OK(nnp_net_activation(net, activation, &err));
  }
  OK(nnp_net_dense(net, outputs, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, noise, &err));
}

/* Rows of a smooth function of the inputs: targets, or labels by its value. */
static void make_data(int64_t rows, int64_t outputs, int32_t head) {
  static double x[ROWS * INPUTS], y[ROWS];
  static int32_t labels[ROWS];
  int i, j;
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < INPUTS; ++j)
      x[i * INPUTS + j] = spread(i * INPUTS + j, 0.6180339887498949 + 0.01 * j);
    y[i] =
        sin(x[i * INPUTS]) + 0.5 * x[i * INPUTS + 1] * x[i * INPUTS + 2] + 0.05 * spread(i, 0.414);
    if (head == NNP_SIGN_HEAD)
      labels[i] = y[i] > 0 ? 1 : -1;
    else
      labels[i] = y[i] < -0.5 ? 0 : y[i] < 0.5 ? 1 : 2;
  }
  OK(nnp_data_create(&data, rows, INPUTS, head == NNP_GAUSSIAN ? outputs : 0, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  if (head == NNP_GAUSSIAN)
    OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  else
    OK(nnp_data_set_labels(data, labels, &err));
}

static nnp_chain *make_chain(int which, int32_t sampler, int32_t posterior) {
  OK(nnp_chain_create(&chains[which], net, data, sampler, posterior, &err));
  return chains[which];
}

static nnp_descent descent_of(const nnp_chain *chain) {
  nnp_descent found;
  OK(nnp_chain_descent(chain, &found, &err));
  return found;
}

/* Linear regression: the mode solves (X'X + D lambda) w = X'y, bias included. Elimination by hand. */
static void ridge(double noise, double *w) {
  static double a[INPUTS + 1][INPUTS + 2], y[ROWS];
  int i, j, k;
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  for (j = 0; j <= INPUTS; ++j)
    for (k = 0; k <= INPUTS + 1; ++k) a[j][k] = j == k ? noise * INPUTS : 0;
  for (i = 0; i < ROWS; ++i) {
    double row[INPUTS + 1];
    for (j = 0; j < INPUTS; ++j) row[j] = spread(i * INPUTS + j, 0.6180339887498949 + 0.01 * j);
    row[INPUTS] = 1;
    for (j = 0; j <= INPUTS; ++j) {
      for (k = 0; k <= INPUTS; ++k) a[j][k] += row[j] * row[k];
      a[j][INPUTS + 1] += row[j] * y[i];
    }
  }
  for (j = 0; j <= INPUTS; ++j)
    for (i = 0; i <= INPUTS; ++i) {
      const double factor = a[i][j] / a[j][j];
      for (k = j; i != j && k <= INPUTS + 1; ++k) a[i][k] -= factor * a[j][k];
    }
  for (j = 0; j <= INPUTS; ++j) w[j] = a[j][INPUTS + 1] / a[j][j];
}

static void test_the_mode_of_linear_regression(void) {
  static const int32_t samplers[] = {NNP_HMC, NNP_MALA, NNP_NUTS, NNP_GIBBS};
  double expected[INPUTS + 1], found[INPUTS + 1], density = 0;
  int s, j;
  make_net(0, NNP_RELU, 1, NNP_GAUSSIAN, 0.3);
  make_data(ROWS, 1, NNP_GAUSSIAN);
  ridge(0.3, expected);
  for (s = 0; s < 4; ++s) {
    nnp_chain *chain =
        make_chain(s, samplers[s], samplers[s] == NNP_GIBBS ? NNP_INTERMEDIATE : NNP_CLASSICAL);
    nnp_descent made;
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, (uint64_t)s, &err));
    TEST_ASSERT_EQUAL_INT32(NNP_DESCENT_NONE, descent_of(chain).ended);
    OK(nnp_chain_descend(chain, 0, NULL, NULL, &err));
    OK(nnp_chain_parameters(chain, found, &err));
    /* within 1e-3 of a posterior standard deviation, sqrt(0.3 / 1100) */
    for (j = 0; j <= INPUTS; ++j) TEST_ASSERT_DOUBLE_WITHIN(1.7e-5, expected[j], found[j]);
    made = descent_of(chain);
    TEST_ASSERT_TRUE(made.ended == NNP_DESCENT_CONVERGED || made.ended == NNP_DESCENT_FLAT);
    TEST_ASSERT_TRUE(made.after > made.before);
    TEST_ASSERT_TRUE(made.steps > 0 && made.steps < 60 && made.evaluations > made.steps);
    TEST_ASSERT_TRUE(made.slope < 1);
    if (samplers[s] == NNP_GIBBS) continue;
    OK(nnp_chain_log_density(chain, &density, &err));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(density), density, made.after);
  }
}

/* Where outputs predict the noise, a start that fits has means fitted as if the noise were the same
 * for all rows, and predicts what they leave. */
static void test_means_are_fitted_before_their_noise(void) {
  double w[2 * (INPUTS + 1)], expected[INPUTS + 1], mse = 0, noise;
  int j;
  make_net(0, NNP_RELU, 2, NNP_LOCATION_SCALE, 1);
  make_data(ROWS, 1, NNP_GAUSSIAN);
  OK(nnp_chain_start(make_chain(0, NNP_HMC, NNP_CLASSICAL), NNP_START_FIT, 5, 0, &err));
  OK(nnp_chain_parameters(chains[0], w, &err));
  OK(nnp_chain_score(chains[0], data, NNP_SCORE_MSE, &mse, &err));
  for (j = INPUTS; j < 2 * INPUTS; ++j) TEST_ASSERT_EQUAL_DOUBLE(0, w[j]);
  noise = mse * ROWS / (ROWS - 2 * (INPUTS + 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0.5 * log(noise), 15 * tanh(w[2 * INPUTS + 1] / 15));
  ridge(noise, expected);
  for (j = 0; j < INPUTS; ++j) TEST_ASSERT_DOUBLE_WITHIN(1e-3, expected[j], w[j]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, expected[INPUTS], w[2 * INPUTS]);
  TEST_ASSERT_TRUE(descent_of(chains[0]).after > descent_of(chains[0]).before);
}

/* Descended weights as a start of their own, by the same seed: the same draws, bit for bit. */
static void test_streams_are_as_the_start_left_them(void) {
  static const int32_t posteriors[] = {NNP_CLASSICAL, NNP_INTERMEDIATE, NNP_INTERMEDIATE};
  static const int32_t samplers[] = {NNP_HMC, NNP_NUTS, NNP_GIBBS};
  double start[MOST], one[MOST], other[MOST];
  int64_t count = 0, steps = -1;
  int v, i;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(200, 1, NNP_GAUSSIAN);
  OK(nnp_net_parameters(net, &count, &err));
  for (i = 0; i < count; ++i) start[i] = 0.3 * spread(i, 0.7071067811865476);
  for (v = 0; v < 3; ++v) {
    nnp_chain *a = make_chain(0, samplers[v], posteriors[v]);
    nnp_chain *b = make_chain(1, samplers[v], posteriors[v]);
    OK(nnp_chain_start_weights(a, start, 0, 3, 1, &err));
    OK(nnp_chain_descend(a, 20, NULL, NULL, &err));
    OK(nnp_chain_steps(a, &steps, &err));
    TEST_ASSERT_EQUAL_INT64(0, steps);
    OK(nnp_chain_parameters(a, one, &err));
    OK(nnp_chain_start_weights(b, one, 0, 3, 1, &err));
    OK(nnp_chain_run(a, 10, NULL, NULL, &err));
    OK(nnp_chain_run(b, 10, NULL, NULL, &err));
    OK(nnp_chain_parameters(a, one, &err));
    OK(nnp_chain_parameters(b, other, &err));
    TEST_ASSERT_EQUAL_MEMORY(one, other, (size_t)count * sizeof(double));
    nnp_chain_free(a);
    nnp_chain_free(b);
    chains[0] = chains[1] = NULL;
  }
}

static void test_threads_do_not_matter(void) {
  double alone[MOST], side_by_side[MOST];
  int64_t count = 0;
  int c;
  make_net(2, NNP_RELU, 1, NNP_GAUSSIAN, 0.05);
  make_data(ROWS, 1, NNP_GAUSSIAN);
  OK(nnp_net_parameters(net, &count, &err));
  OK(nnp_pool_create(&pool, threads_here(3), &err));
  for (c = 0; c < 4; ++c) make_chain(c, NNP_HMC, NNP_CLASSICAL);
  OK(nnp_chain_use_pool(chains[0], pool, &err));
  OK(nnp_chains_start(chains, 3, NNP_START_FIT, 11, NULL, NULL, &err));
  for (c = 0; c < 3; ++c) {
    OK(nnp_chain_start(chains[3], NNP_START_FIT, 11, (uint64_t)c, &err));
    OK(nnp_chain_parameters(chains[3], alone, &err));
    OK(nnp_chain_parameters(chains[c], side_by_side, &err));
    TEST_ASSERT_EQUAL_MEMORY(alone, side_by_side, (size_t)count * sizeof(double));
  }
  /* the rows of one chain shared out */
  OK(nnp_chain_start(chains[0], NNP_START_FIT, 11, 2, &err));
  OK(nnp_chain_parameters(chains[0], side_by_side, &err));
  TEST_ASSERT_EQUAL_MEMORY(alone, side_by_side, (size_t)count * sizeof(double));
}

/* From the prior a few steps of no sampler fit; from NNP_START_FIT all do, and alike. */
static void test_fitted_starts_fit_alike(void) {
  static const int32_t samplers[] = {NNP_GIBBS, NNP_HMC};
  double least = INFINITY, most = 0, error = 0, prior = 0;
  int s, c;
  make_net(2, NNP_RELU, 1, NNP_GAUSSIAN, 1e-3);
  make_data(400, 1, NNP_GAUSSIAN);
  for (s = 0; s < 2; ++s) {
    nnp_chain *chain = make_chain(s, samplers[s], NNP_INTERMEDIATE);
    for (c = 0; c < 4; ++c) {
      OK(nnp_chain_start(chain, NNP_START_PRIOR, 2, (uint64_t)c, &err));
      OK(nnp_chain_score(chain, data, NNP_SCORE_MSE, &prior, &err));
      TEST_ASSERT_TRUE(prior > 0.2);
      OK(nnp_chain_start(chain, NNP_START_FIT, 2, (uint64_t)c, &err));
      OK(nnp_chain_set(chain, NNP_OPTION_SIMD, 0, &err));
      OK(nnp_chain_run(chain, 50, NULL, NULL, &err));
      OK(nnp_chain_score(chain, data, NNP_SCORE_MSE, &error, &err));
      least = fmin(least, error);
      most = fmax(most, error);
    }
  }
  TEST_ASSERT_TRUE(most < 0.03);
  TEST_ASSERT_TRUE(most < 6 * least);
}

/* The latent scores of probit heads agree with the labels, and most labels are those predicted. */
static void test_classes(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_SIGN_HEAD};
  double share = 0, density = 0;
  int h, s;
  for (h = 0; h < 2; ++h) {
    make_net(1, NNP_TANH, heads[h] == NNP_ARGMAX ? 3 : 1, heads[h], 0.1);
    make_data(300, 0, heads[h]);
    for (s = 0; s < 2; ++s) {
      nnp_chain *chain = make_chain(0, NNP_NUTS, s == 0 ? NNP_CLASSICAL : NNP_INTERMEDIATE);
      OK(nnp_chain_start(chain, NNP_START_FIT, 4, 1, &err));
      OK(nnp_chain_score(chain, data, NNP_SCORE_ACCURACY, &share, &err));
      TEST_ASSERT_TRUE(share > 0.9);
      OK(nnp_chain_log_density(chain, &density, &err));
      TEST_ASSERT_TRUE(isfinite(density));
      OK(nnp_chain_run(chain, 2, NULL, NULL, &err));
      nnp_chain_free(chain);
      chains[0] = NULL;
    }
    nnp_data_free(data);
    nnp_net_free(net);
    data = NULL;
    net = NULL;
  }
}

typedef struct Watch {
  int64_t calls, stop_at, last;
  int32_t refused;
} Watch;

static int32_t watch(const nnp_progress *progress, void *user) {
  Watch *w = (Watch *)user;
  double parameters[MOST];
  ++w->calls;
  w->last = progress->step;
  if (progress->chain) {
    if (nnp_chain_parameters(progress->chain, parameters, NULL) != NNP_OK) return 1;
    w->refused = nnp_chain_descend(progress->chain, 1, NULL, NULL, NULL);
  }
  return w->stop_at > 0 && progress->step >= w->stop_at;
}

static void test_callbacks(void) {
  Watch w = {0, 7, 0, 0};
  nnp_descent made;
  nnp_chain *chain;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(200, 1, NNP_GAUSSIAN);
  chain = make_chain(0, NNP_MALA, NNP_CLASSICAL);
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  FAILS(NNP_STOPPED, "asked to stop", nnp_chain_descend(chain, 100, watch, &w, &err));
  made = descent_of(chain);
  TEST_ASSERT_EQUAL_INT32(NNP_DESCENT_STOPPED, made.ended);
  TEST_ASSERT_EQUAL_INT64(7, made.steps);
  TEST_ASSERT_EQUAL_INT64(7, w.calls);
  TEST_ASSERT_EQUAL_INT32(NNP_E_UNSUPPORTED, w.refused);
  TEST_ASSERT_TRUE(made.after > made.before);
  OK(nnp_chain_run(chain, 3, NULL, NULL, &err));
  w.stop_at = w.calls = 0;
  OK(nnp_chain_descend(chain, 9, watch, &w, &err));
  made = descent_of(chain);
  TEST_ASSERT_EQUAL_INT32(NNP_DESCENT_STEPS, made.ended);
  TEST_ASSERT_EQUAL_INT64(9, made.steps);
  TEST_ASSERT_EQUAL_INT64(9, w.calls);
}

/* A mode is left in no direction; all zeros are one where the targets are. */
static void test_nothing_to_climb(void) {
  double zeros[200] = {0};
  nnp_chain *chain;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(200, 1, NNP_GAUSSIAN);
  OK(nnp_data_set_targets(data, zeros, NNP_ROW_MAJOR, &err));
  chain = make_chain(0, NNP_HMC, NNP_CLASSICAL);
  OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err));
  OK(nnp_chain_descend(chain, 0, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_DESCENT_FLAT, descent_of(chain).ended);
  TEST_ASSERT_EQUAL_INT64(0, descent_of(chain).steps);
  OK(nnp_chain_run(chain, 2, NULL, NULL, &err));
}

static void test_saved_after_a_descent(void) {
  double one[MOST], other[MOST];
  size_t bytes = 0;
  int64_t count = 0;
  void *block;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(200, 1, NNP_GAUSSIAN);
  make_chain(0, NNP_NUTS, NNP_CLASSICAL);
  make_chain(1, NNP_NUTS, NNP_CLASSICAL);
  OK(nnp_net_parameters(net, &count, &err));
  OK(nnp_chain_start(chains[0], NNP_START_FIT, 1, 0, &err));
  OK(nnp_chain_save_bytes(chains[0], &bytes, &err));
  block = malloc(bytes);
  OK(nnp_chain_save(chains[0], block, bytes, &err));
  OK(nnp_chain_restore(chains[1], block, bytes, &err));
  free(block);
  OK(nnp_chain_run(chains[0], 10, NULL, NULL, &err));
  OK(nnp_chain_run(chains[1], 10, NULL, NULL, &err));
  OK(nnp_chain_parameters(chains[0], one, &err));
  OK(nnp_chain_parameters(chains[1], other, &err));
  TEST_ASSERT_EQUAL_MEMORY(one, other, (size_t)count * sizeof(double));
}

/* The noise ends at the squares that are left, over three quarters of the values and more. */
static void test_learned_scales(void) {
  double parameters[MOST], other[MOST], mse = 0, density = 0;
  int64_t count = 0, noise = -1, values = 0, weights = -1;
  int s;
  for (s = 0; s < 2; ++s) {
    nnp_descent made;
    make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.5);
    make_data(400, 1, NNP_GAUSSIAN);
    if (s == 0)
      OK(nnp_net_learn(net, 3, NNP_NOISE, 0, 0, &err));
    else
      OK(nnp_net_learn_tied(net, NULL, 0, 0, &err));
    OK(nnp_net_learn(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 0, 0, &err));
    OK(nnp_net_learned(net, 3, NNP_NOISE, NULL, NULL, &noise, &values, &err));
    OK(nnp_net_learned(net, 1, NNP_LAMBDA_W, NULL, NULL, &weights, &values, &err));
    OK(nnp_net_parameters(net, &count, &err));
    make_chain(0, s == 0 ? NNP_HMC : NNP_GIBBS, s == 0 ? NNP_CLASSICAL : NNP_INTERMEDIATE);
    make_chain(1, s == 0 ? NNP_HMC : NNP_GIBBS, s == 0 ? NNP_CLASSICAL : NNP_INTERMEDIATE);
    OK(nnp_chain_start(chains[0], NNP_START_FIT, 3, 0, &err));
    OK(nnp_chain_parameters(chains[0], parameters, &err));
    OK(nnp_chain_score(chains[0], data, NNP_SCORE_MSE, &mse, &err));
    TEST_ASSERT_TRUE(mse < 0.05);
    TEST_ASSERT_TRUE(parameters[noise] > 0.9 * mse && parameters[noise] < 2 * mse);
    TEST_ASSERT_TRUE(parameters[weights] > 0.01 && parameters[weights] < 1000);
    made = descent_of(chains[0]);
    TEST_ASSERT_TRUE(made.after > made.before);
    if (s == 0) {
      OK(nnp_chain_log_density(chains[0], &density, &err));
      TEST_ASSERT_DOUBLE_WITHIN(1e-9 * fabs(density), density, made.after);
    }
    OK(nnp_chain_start(chains[1], NNP_START_FIT, 3, 0, &err));
    OK(nnp_chain_run(chains[0], 10, NULL, NULL, &err));
    OK(nnp_chain_run(chains[1], 10, NULL, NULL, &err));
    OK(nnp_chain_parameters(chains[0], parameters, &err));
    OK(nnp_chain_parameters(chains[1], other, &err));
    TEST_ASSERT_EQUAL_MEMORY(parameters, other, (size_t)count * sizeof(double));
    tearDown();
    setUp();
  }
}

static void test_bad_input(void) {
  nnp_chain *none[] = {NULL}, *chain;
  nnp_throttle throttle = {NULL, NULL, 0, 0};
  nnp_descent made;
  double huge[MOST];
  int i;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(200, 1, NNP_GAUSSIAN);
  chain = make_chain(0, NNP_GIBBS, NNP_INTERMEDIATE);
  FAILS(NNP_E_NULL, "chain: it is NULL", nnp_chain_descend(NULL, 1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "chains: it is NULL", nnp_chains_descend(NULL, 1, 1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "chain", nnp_chains_start(none, 1, NNP_START_FIT, 1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "chains: it is NULL",
        nnp_chains_start(NULL, 1, NNP_START_FIT, 1, NULL, NULL, &err));
  FAILS(NNP_E_SIZE, "chain_count = 0",
        nnp_chains_start(chains, 0, NNP_START_FIT, 1, NULL, NULL, &err));
  FAILS(NNP_E_ENUM, "start = 5", nnp_chains_start(chains, 1, 5, 1, NULL, NULL, &err));
  FAILS(NNP_E_NOT_STARTED, "no start yet", nnp_chain_descend(chain, 1, NULL, NULL, &err));
  FAILS(NNP_E_NOT_STARTED, "no start yet", nnp_chain_descent(chain, &made, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  FAILS(NNP_E_NULL, "out: it is NULL", nnp_chain_descent(chain, NULL, &err));
  FAILS(NNP_E_SIZE, "steps = -1", nnp_chain_descend(chain, -1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "nnp_throttle", nnp_chain_descend(chain, 1, nnp_throttled, NULL, &err));
  FAILS(NNP_E_NULL, "nnp_throttle", nnp_chain_descend(chain, 1, nnp_throttled, &throttle, &err));
  OK(nnp_chain_anneal(chain, 1, 30, &err));
  FAILS(NNP_E_UNSUPPORTED, "30 steps of its annealing are left",
        nnp_chain_descend(chain, 1, NULL, NULL, &err));
  OK(nnp_chain_run(chain, 30, NULL, NULL, &err));
  OK(nnp_chain_descend(chain, 3, NULL, NULL, &err));
  chain = make_chain(1, NNP_HMC, NNP_CLASSICAL);
  for (i = 0; i < MOST; ++i) huge[i] = 1e120;
  OK(nnp_chain_start_weights(chain, huge, 0, 1, 0, &err));
  FAILS(NNP_E_NOT_FINITE, "expected a finite number to climb from",
        nnp_chain_descend(chain, 3, NULL, NULL, &err));
}

static void test_a_network_without_slopes(void) {
  double parameters[MOST];
  int64_t count = 0;
  int i;
  nnp_chain *chain;
  make_net(1, NNP_SIGN, 1, NNP_GAUSSIAN, 0.1);
  make_data(200, 1, NNP_GAUSSIAN);
  chain = make_chain(0, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_net_parameters(net, &count, &err));
  OK(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err));
  OK(nnp_chain_parameters(chain, parameters, &err));
  for (i = 0; i < count; ++i) TEST_ASSERT_EQUAL_DOUBLE(0, parameters[i]);
  FAILS(NNP_E_UNSUPPORTED, "layer 2 (sign) has no slope to follow",
        nnp_chain_descend(chain, 1, NULL, NULL, &err));
  OK(nnp_chain_run(chain, 5, NULL, NULL, &err));
}

static void save_both(void *blocks[2], size_t *bytes) {
  int c;
  OK(nnp_chain_save_bytes(chains[0], bytes, &err));
  for (c = 0; c < 2; ++c) {
    blocks[c] = blocks[c] ? blocks[c] : malloc(*bytes);
    OK(nnp_chain_save(chains[c], blocks[c], *bytes, &err));
  }
}

/* What is wrong with the last of several chains is found before the first one is touched. */
static void test_failing_starts_change_nothing(void) {
  void *before[2] = {NULL, NULL}, *after[2] = {NULL, NULL};
  nnp_chain *list[3];
  nnp_data *first;
  const int32_t impossible[] = {1, 5};
  size_t bytes;
  int c;
  make_net(1, NNP_RELU, 1, NNP_SIGN_HEAD, 0.1);
  make_data(20, 1, NNP_SIGN_HEAD);
  for (c = 0; c < 2; ++c) {
    OK(nnp_chain_start(make_chain(c, NNP_GIBBS, NNP_INTERMEDIATE), NNP_START_PRIOR, 7, 0, &err));
    OK(nnp_chain_run(chains[c], 3, NULL, NULL, &err));
  }
  first = data;
  make_data(2, 1, NNP_SIGN_HEAD);
  make_chain(2, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_data_set_labels(data, impossible, &err));
  save_both(before, &bytes);
  list[0] = chains[0];
  list[1] = chains[1];
  list[2] = chains[0];
  FAILS(NNP_E_VALUE, "entries 0 and 2 are the same",
        nnp_chains_start(list, 3, NNP_START_FIT, 1, NULL, NULL, &err));
  list[2] = NULL;
  FAILS(NNP_E_NULL, "an entry", nnp_chains_start(list, 3, NNP_START_ZERO, 1, NULL, NULL, &err));
  list[2] = chains[2];
  FAILS(NNP_E_LABEL, "row 1 is 5", nnp_chains_start(list, 3, NNP_START_PRIOR, 1, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "user", nnp_chains_start(list, 2, NNP_START_FIT, 1, nnp_throttled, NULL, &err));
  save_both(after, &bytes);
  for (c = 0; c < 2; ++c) {
    TEST_ASSERT_EQUAL_MEMORY(before[c], after[c], bytes);
    free(before[c]);
    free(after[c]);
  }
  for (c = 0; c < 2; ++c) nnp_chain_free(chains[c]);
  chains[0] = chains[1] = NULL;
  nnp_data_free(first);
}

/* Weights without a finite density: neither chain has moved, and what is reported about them is old. */
static void test_a_failing_descent_changes_nothing(void) {
  void *before[2] = {NULL, NULL}, *after[2] = {NULL, NULL};
  double weights[MOST];
  nnp_descent told;
  size_t bytes;
  int64_t parameters, i;
  int c;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(20, 1, NNP_GAUSSIAN);
  OK(nnp_net_parameters(net, &parameters, &err));
  for (i = 0; i < parameters; ++i) weights[i] = 1e100;
  OK(nnp_chain_start(make_chain(0, NNP_HMC, NNP_CLASSICAL), NNP_START_FIT, 7, 0, &err));
  OK(nnp_chain_start_weights(make_chain(1, NNP_HMC, NNP_CLASSICAL), weights, 0, 7, 0, &err));
  told = descent_of(chains[0]);
  save_both(before, &bytes);
  FAILS(NNP_E_NOT_FINITE, "log density", nnp_chains_descend(chains, 2, 5, NULL, NULL, &err));
  save_both(after, &bytes);
  for (c = 0; c < 2; ++c) {
    TEST_ASSERT_EQUAL_MEMORY(before[c], after[c], bytes);
    free(before[c]);
    free(after[c]);
  }
  TEST_ASSERT_TRUE(told.steps > 0 && told.steps == descent_of(chains[0]).steps);
  TEST_ASSERT_EQUAL_INT32(NNP_DESCENT_NONE, descent_of(chains[1]).ended);
}

/* Of chains that start together, those that can descend do. */
static void test_chains_that_cannot_descend_beside_others(void) {
  nnp_net *without = NULL;
  make_net(1, NNP_RELU, 1, NNP_GAUSSIAN, 0.1);
  make_data(20, 1, NNP_GAUSSIAN);
  OK(nnp_net_create(&without, INPUTS, &err));
  OK(nnp_net_dense(without, 3, &err));
  OK(nnp_net_activation(without, NNP_SIGN, &err));
  OK(nnp_net_dense(without, 1, &err));
  OK(nnp_net_head(without, NNP_GAUSSIAN, &err));
  make_chain(0, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_chain_create(&chains[1], without, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  make_chain(2, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_chains_start(chains, 3, NNP_START_FIT, 1, NULL, NULL, &err));
  TEST_ASSERT_TRUE(descent_of(chains[0]).steps > 0 && descent_of(chains[2]).steps > 0);
  TEST_ASSERT_EQUAL_INT32(NNP_DESCENT_NONE, descent_of(chains[1]).ended);
  OK(nnp_chains_run(chains, 3, 2, NULL, NULL, &err));
  nnp_net_free(without);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_mode_of_linear_regression);
  RUN_TEST(test_means_are_fitted_before_their_noise);
  RUN_TEST(test_streams_are_as_the_start_left_them);
  RUN_TEST(test_threads_do_not_matter);
  RUN_TEST(test_fitted_starts_fit_alike);
  RUN_TEST(test_classes);
  RUN_TEST(test_callbacks);
  RUN_TEST(test_nothing_to_climb);
  RUN_TEST(test_saved_after_a_descent);
  RUN_TEST(test_learned_scales);
  RUN_TEST(test_bad_input);
  RUN_TEST(test_failing_starts_change_nothing);
  RUN_TEST(test_a_failing_descent_changes_nothing);
  RUN_TEST(test_chains_that_cannot_descend_beside_others);
  RUN_TEST(test_a_network_without_slopes);
  return UNITY_END();
}
