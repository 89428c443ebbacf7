/* Leave-one-out cross-validation against R's loo and against closed forms; stacking against weights
 * that are known. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

static double memory[200000];

static void loo(const nnp_draws *log_lik, const double *efficiency, double *elpd, double *k,
                nnp_loo_summary *out) {
  size_t bytes;
  OK(nnp_loo_bytes(log_lik, &bytes, &err));
  TEST_ASSERT_TRUE(bytes <= sizeof memory);
  OK(nnp_loo(log_lik, efficiency, elpd, k, out, memory, bytes, &err));
}

static void stack(const double *elpd, int64_t rows, int64_t models, double *weights,
                  nnp_stacking_summary *out) {
  size_t bytes;
  OK(nnp_stacking_bytes(rows, models, &bytes, &err));
  TEST_ASSERT_TRUE(bytes <= sizeof memory);
  OK(nnp_stacking(elpd, rows, models, weights, out, memory, bytes, &err));
}

/* ---- PSIS-LOO ---- */

enum { ROWS = 6, SIZE = 400 };

/* Rows from harmless ones to those whose weights have no mean. */
static void fill_log_lik(double *log_lik) {
  static const double y[ROWS] = {0.1, -0.4, 0.9, 1.7, 2.6, 4.0};
  static const double c[ROWS] = {0.5, 1, 1.5, 2, 3, 4};
  int i, s;
  for (s = 0; s < SIZE; ++s)
    for (i = 0; i < ROWS; ++i) {
      const double t = 4 * (fmod((s + 1) * 0.6180339887498949, 1) - 0.5);
      log_lik[i + ROWS * s] = -0.5 * c[i] * (y[i] - t) * (y[i] - t);
    }
}

/* loo(log_lik, r_eff = 1) and with r_eff = 0.3 of R's package loo 2.5.1 */
static void test_loo_is_that_of_r(void) {
  static const double elpd[2][ROWS] = {
      {-0.384630409679743, -1.118694255489891, -3.565220027923757, -10.231472698825417,
       -27.547022697053549, -67.502202149335119},
      {-0.384888467965784, -1.117631216575801, -3.531132295828344, -10.184338742980163,
       -27.760629174335172, -67.645054581210147}};
  static const double k[2][ROWS] = {{-0.3138445721401497, -0.3509850103271125, -0.0486310699255095,
                                     0.5200819954894708, 1.8959462386211527, 4.1018909299607040},
                                    {-0.351162199654378, -0.288564372648030, 0.156507690115808,
                                     0.991418670500901, 2.948799023195835, 5.335255166913470}};
  static double log_lik[ROWS * SIZE];
  double efficiency[ROWS], found[ROWS], shape[ROWS];
  nnp_loo_summary summary;
  nnp_draws draws;
  int which, i, chains;
  fill_log_lik(log_lik);
  for (i = 0; i < ROWS; ++i) efficiency[i] = 0.3;
  for (which = 0; which < 2; ++which)
    for (chains = 1; chains <= 4; chains *= 2) {
      OK(nnp_draws_init(&draws, log_lik, ROWS, SIZE / chains, chains, &err));
      loo(&draws, which ? efficiency : NULL, found, shape, &summary);
      for (i = 0; i < ROWS; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, elpd[which][i], found[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, k[which][i], shape[i]);
      }
    }
  OK(nnp_draws_init(&draws, log_lik, ROWS, SIZE, 1, &err));
  loo(&draws, NULL, NULL, NULL, &summary);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -110.3492422383075, summary.elpd);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 63.9188841161409, summary.elpd_error);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 93.1281072752594, summary.p_loo);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 53.5191029448362, summary.p_loo_error);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4.1018909299607040, summary.largest_k);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 - 1 / log10(400), summary.k_limit);
  TEST_ASSERT_EQUAL_INT64(2, summary.unreliable);
}

enum { N = 30, DRAWS = 4000 };

/* Solves the 3 x 3 system a x = b by Cramer's rule. */
static double det(const double a[3][3]) {
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}
static void solve(double a[3][3], const double *b, double *x) {
  const double all = det((const double(*)[3])a);
  double kept[3];
  int i, j;
  for (j = 0; j < 3; ++j) {
    for (i = 0; i < 3; ++i) kept[i] = a[i][j], a[i][j] = b[i];
    x[j] = det((const double(*)[3])a) / all;
    for (i = 0; i < 3; ++i) a[i][j] = kept[i];
  }
}

/* y = w'x + b + N(0, D), all precisions 1: with h = x' V x / D, V the posterior's covariance,
 * y_i | others ~ N(y_i - residual / (1 - h), D / (1 - h)). */
static double exact_loo(double x[N][3], const double *y, double noise, double *elpd,
                        double *p_loo) {
  double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, b[3] = {0}, m[3], v[3], sum = 0;
  int i, j, k;
  for (i = 0; i < N; ++i)
    for (j = 0; j < 3; ++j) {
      for (k = 0; k < 3; ++k) a[j][k] += x[i][j] * x[i][k] / noise;
      b[j] += x[i][j] * y[i] / noise;
    }
  solve(a, b, m);
  for (i = 0; i < N; ++i) {
    double h = 0, mean = 0, error, variance;
    solve(a, x[i], v);
    for (j = 0; j < 3; ++j) h += x[i][j] * v[j] / noise, mean += x[i][j] * m[j];
    error = (y[i] - mean) / (1 - h);
    variance = noise / (1 - h);
    elpd[i] = -0.5 * (log(2 * acos(-1.0) * variance) + error * error / variance);
    sum += elpd[i];
    variance = noise * (1 + h); /* of y_i given all rows */
    *p_loo += -0.5 * (log(2 * acos(-1.0) * variance) + (y[i] - mean) * (y[i] - mean) / variance) -
              elpd[i];
  }
  return sum;
}

/* From a network and data to the cross-validation that is known. */
static void test_loo_of_a_linear_model_is_exact(void) {
  static double draws[3 * DRAWS], log_lik[N * DRAWS];
  const double noise = 0.25;
  double x[N][3], inputs[2 * N], y[N], elpd[N], found[N], k[N], exact, p_loo = 0;
  nnp_net *net;
  nnp_data *data;
  nnp_chain *chain;
  nnp_predictor *predictor;
  nnp_loo_summary summary;
  nnp_draws where;
  int i;
  for (i = 0; i < N; ++i) {
    x[i][0] = inputs[2 * i] = sin(1.3 * i * i);
    x[i][1] = inputs[2 * i + 1] = cos(2.1 * i * i + i);
    x[i][2] = 1;
    y[i] = 0.8 * x[i][0] - 0.5 * x[i][1] + 0.3 + 0.5 * sin(7.7 * i * i + 2 * i);
  }
  exact = exact_loo(x, y, noise, elpd, &p_loo);
  OK(nnp_net_create(&net, 2, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  OK(nnp_net_set(net, 1, NNP_NOISE, noise, &err));
  OK(nnp_net_set(net, 1, NNP_LAMBDA_W, 1, &err));
  OK(nnp_net_set(net, 1, NNP_LAMBDA_B, 1, &err));
  OK(nnp_data_create(&data, N, 2, 1, &err));
  OK(nnp_data_set_inputs(data, inputs, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  OK(nnp_chain_start(chain, NNP_START_ZERO, 5, 0, &err));
  OK(nnp_chain_sample(chain, draws, DRAWS, 1, NULL, NULL, &err));
  OK(nnp_predictor_create(&predictor, net, DRAWS, &err));
  OK(nnp_log_lik(predictor, data, draws, DRAWS, log_lik, &err));
  OK(nnp_draws_init(&where, log_lik, N, DRAWS, 1, &err));
  loo(&where, NULL, found, k, &summary);
  /* Standard errors of importance sampling are below 0.02 a row, with 4000 draws and h < 0.35. */
  for (i = 0; i < N; ++i) TEST_ASSERT_DOUBLE_WITHIN(0.08, elpd[i], found[i]);
  TEST_ASSERT_DOUBLE_WITHIN(0.1, exact, summary.elpd);
  TEST_ASSERT_DOUBLE_WITHIN(0.1, p_loo, summary.p_loo);
  TEST_ASSERT_TRUE(p_loo > 1); /* or the tolerances would say nothing */
  TEST_ASSERT_EQUAL_INT64(0, summary.unreliable);
  nnp_predictor_free(predictor);
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void test_loo_of_few_or_equal_draws(void) {
  double few[20], equal[2 * 100], elpd[2], k[2];
  nnp_loo_summary summary;
  nnp_draws draws;
  int i;
  for (i = 0; i < 20; ++i) few[i] = -0.1 * i;
  for (i = 0; i < 200; ++i) equal[i] = i % 2 ? -3 : -700;
  OK(nnp_draws_init(&draws, few, 1, 20, 1, &err));
  loo(&draws, NULL, elpd, k, &summary);
  TEST_ASSERT_TRUE(isinf(k[0]) && k[0] > 0 && isnan(summary.elpd_error));
  TEST_ASSERT_EQUAL_INT64(1, summary.unreliable);
  OK(nnp_draws_init(&draws, equal, 2, 50, 2, &err));
  loo(&draws, NULL, elpd, k, &summary);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -700, elpd[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -3, elpd[1]);
  TEST_ASSERT_EQUAL_DOUBLE(0, k[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, summary.p_loo);
  OK(nnp_draws_init(&draws, equal, 2, 1, 1, &err));
  loo(&draws, NULL, elpd, k, &summary);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -703, summary.elpd);
}

/* ---- stacking ---- */

/* n1 rows where model 1 has the density a and model 2 the density b, n2 rows the other way round: the
 * maximum is at (n1 a - n2 b) / ((n1 + n2) (a - b)), or at the nearest end. */
static void test_stacking_of_two_models(void) {
  static const int firsts[] = {30, 17, 15, 3, 0};
  double elpd[2 * 30], weights[2];
  nnp_stacking_summary summary;
  int which, i;
  for (which = 0; which < 5; ++which) {
    const int first = firsts[which];
    const double a = 0.9, b = 0.2;
    double best = (first * a - (30 - first) * b) / (30 * (a - b)), value = 0;
    best = best < 0 ? 0 : best > 1 ? 1 : best;
    for (i = 0; i < 30; ++i) {
      elpd[i] = log(i < first ? a : b) - 1000 * (i % 2);
      elpd[30 + i] = log(i < first ? b : a) - 1000 * (i % 2);
      value += log(best * exp(elpd[i] + 1000 * (i % 2)) +
                   (1 - best) * exp(elpd[30 + i] + 1000 * (i % 2))) -
               1000 * (i % 2);
    }
    stack(elpd, 30, 2, weights, &summary);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, best, weights[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, weights[0] + weights[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, value, summary.elpd);
    TEST_ASSERT_TRUE(summary.gap >= 0 && summary.gap <= 30e-9);
    if (best == 0) TEST_ASSERT_EQUAL_DOUBLE(0, weights[0]);
  }
}

/* Many models, some the same, some useless: at the maximum the mean over rows of density / mixture is
 * 1 where a weight is positive and at most 1 elsewhere. */
static void test_stacking_ends_at_the_maximum(void) {
  enum { rows = 200, models = 8 };
  static double elpd[rows * models];
  double weights[models], sum = 0;
  nnp_stacking_summary summary;
  int i, k;
  for (k = 0; k < models; ++k)
    for (i = 0; i < rows; ++i)
      elpd[i + rows * k] = -2 + 1.5 * sin(3.1 * i * (k % 6) + 0.7 * i * i) - (k == 5 ? 4 : 0);
  stack(elpd, rows, models, weights, &summary);
  TEST_ASSERT_TRUE(summary.gap <= rows * 1e-9);
  for (k = 0; k < models; ++k) sum += weights[k];
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, sum);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, weights[0], weights[6]); /* the same model twice */
  TEST_ASSERT_EQUAL_DOUBLE(0, weights[5]);
  for (k = 0; k < models; ++k) {
    double gain = 0;
    for (i = 0; i < rows; ++i) {
      double mixture = 0;
      int l;
      for (l = 0; l < models; ++l) mixture += weights[l] * exp(elpd[i + rows * l]);
      gain += exp(elpd[i + rows * k]) / mixture / rows;
    }
    TEST_ASSERT_TRUE(gain <= 1 + 1e-6);
    if (weights[k] > 1e-3) TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1, gain);
  }
}

/* One model, and models that agree. */
static void test_stacking_has_nothing_to_do(void) {
  double elpd[6] = {-1, -2, -3, -1, -2, -3}, weights[2];
  nnp_stacking_summary summary;
  stack(elpd, 6, 1, weights, &summary);
  TEST_ASSERT_EQUAL_DOUBLE(1, weights[0]);
  stack(elpd, 3, 2, weights, &summary);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, weights[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -6, summary.elpd);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, sqrt(3), summary.elpd_error);
}

static void stack_chains(const double *log_lik, int64_t each, int64_t chains, double *weights,
                         nnp_stacking_summary *out) {
  nnp_draws draws;
  size_t bytes;
  OK(nnp_draws_init(&draws, log_lik, ROWS, each, chains, &err));
  OK(nnp_stack_chains_bytes(&draws, &bytes, &err));
  OK(nnp_stack_chains(&draws, weights, out, memory, bytes, &err));
}

/* Chains are models with the draws they have. At the maximum the derivatives by all weights are equal:
 * those of rows that are reliable in all chains, and of one row for each chain besides what the others
 * share out. */
static void test_chains_are_stacked_by_their_own_draws(void) {
  enum { chains = 4, each = 100 };
  static double log_lik[ROWS * SIZE];
  double elpd[ROWS * chains], k[ROWS * chains], weights[chains], largest = -INFINITY;
  nnp_stacking_summary summary;
  nnp_loo_summary own;
  nnp_draws draws;
  int reliable[ROWS], c, i, count = 0;
  fill_log_lik(log_lik);
  for (i = 0; i < ROWS * each; ++i)
    log_lik[i + 2 * ROWS * each] -= 3; /* a mode that is worth less */
  for (c = 0; c < chains; ++c) {
    OK(nnp_draws_init(&draws, log_lik + c * ROWS * each, ROWS, each, 1, &err));
    loo(&draws, NULL, elpd + c * ROWS, k + c * ROWS, &own);
  }
  stack_chains(log_lik, each, chains, weights, &summary);
  for (i = 0; i < ROWS; ++i) {
    reliable[i] = 1;
    for (c = 0; c < chains; ++c) {
      if (k[c * ROWS + i] > own.k_limit) reliable[i] = 0;
      largest = fmax(largest, k[c * ROWS + i]);
    }
    count += reliable[i];
  }
  TEST_ASSERT_TRUE(count > 0 && count < ROWS);
  TEST_ASSERT_EQUAL_INT64(ROWS - count, summary.unreliable);
  TEST_ASSERT_EQUAL_DOUBLE(largest, summary.largest_k);
  TEST_ASSERT_EQUAL_DOUBLE(own.k_limit, summary.k_limit);
  for (c = 0; c < chains; ++c) {
    double slope = (1 + (double)summary.unreliable / chains) / weights[c];
    for (i = 0; i < ROWS; ++i) {
      double mixture = 0;
      int other;
      for (other = 0; other < chains; ++other)
        mixture += weights[other] * exp(elpd[other * ROWS + i]);
      if (reliable[i]) slope += exp(elpd[c * ROWS + i]) / mixture;
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, ROWS + chains, slope);
  }
  TEST_ASSERT_TRUE(weights[2] < 0.8 * weights[0]);
}

/* Where the draws of a chain cannot tell what leaving a row out comes to, all chains count alike; so do
 * chains that predict the same. */
static void test_chains_count_alike_where_nothing_tells_them_apart(void) {
  static double log_lik[ROWS * SIZE];
  double weights[4];
  nnp_stacking_summary summary;
  int i, c;
  fill_log_lik(log_lik);
  for (i = 0; i < ROWS * 20; ++i) log_lik[i + 2 * ROWS * 20] -= 3;
  stack_chains(log_lik, 20, 4, weights, &summary); /* 20 draws have no tail */
  TEST_ASSERT_EQUAL_INT64(ROWS, summary.unreliable);
  for (c = 0; c < 4; ++c) TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, weights[c]);
  fill_log_lik(log_lik);
  for (i = 0; i < ROWS * 200; ++i) log_lik[i + ROWS * 200] = log_lik[i] - 1e-4;
  stack_chains(log_lik, 200, 2, weights, &summary); /* by the rows alone: 1 and 0 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.5, weights[0]);
}

static void test_bad_input(void) {
  static double log_lik[ROWS * SIZE];
  double efficiency[ROWS] = {1, 1, 0, 1, 1, 1}, weights[2];
  nnp_loo_summary summary;
  nnp_stacking_summary stacked;
  nnp_draws draws;
  size_t bytes;
  fill_log_lik(log_lik);
  OK(nnp_draws_init(&draws, log_lik, ROWS, SIZE, 1, &err));
  OK(nnp_loo_bytes(&draws, &bytes, &err));
  FAILS(NNP_E_NULL, "log_lik", nnp_loo_bytes(NULL, &bytes, &err));
  FAILS(NNP_E_NULL, "bytes", nnp_loo_bytes(&draws, NULL, &err));
  FAILS(NNP_E_NULL, "out", nnp_loo(&draws, NULL, NULL, NULL, NULL, memory, bytes, &err));
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes =", nnp_loo(&draws, NULL, NULL, NULL, &summary, memory, bytes - 1, &err));
  FAILS(NNP_E_VALUE, "efficiency: entry 2 is 0",
        nnp_loo(&draws, efficiency, NULL, NULL, &summary, memory, bytes, &err));
  log_lik[2 + ROWS * 7] = NAN;
  FAILS(NNP_E_NOT_FINITE, "log_lik",
        nnp_loo(&draws, NULL, NULL, NULL, &summary, memory, bytes, &err));
  OK(nnp_stack_chains_bytes(&draws, &bytes, &err));
  FAILS(NNP_E_NOT_FINITE, "log_lik",
        nnp_stack_chains(&draws, weights, &stacked, memory, bytes, &err));
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes =", nnp_stack_chains(&draws, weights, &stacked, memory, bytes - 1, &err));
  FAILS(NNP_E_SIZE, "rows = 0", nnp_stacking_bytes(0, 2, &bytes, &err));
  FAILS(NNP_E_SIZE, "models = -1", nnp_stacking_bytes(3, -1, &bytes, &err));
  FAILS(NNP_E_OVERFLOW, "memory can address",
        nnp_stacking_bytes((int64_t)1 << 40, (int64_t)1 << 40, &bytes, &err));
  OK(nnp_stacking_bytes(SIZE, 2, &bytes, &err));
  FAILS(NNP_E_NOT_FINITE, "row 44 of model 0 is nan",
        nnp_stacking(log_lik, SIZE, 2, weights, &stacked, memory, bytes, &err));
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes =", nnp_stacking(log_lik, SIZE, 2, weights, &stacked, memory, bytes - 1, &err));
  FAILS(NNP_E_NULL, "weights", nnp_stacking(log_lik, 4, 2, NULL, &stacked, memory, bytes, &err));
}

void setUp(void) {}
void tearDown(void) {}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_loo_is_that_of_r);
  RUN_TEST(test_loo_of_a_linear_model_is_exact);
  RUN_TEST(test_loo_of_few_or_equal_draws);
  RUN_TEST(test_stacking_of_two_models);
  RUN_TEST(test_stacking_ends_at_the_maximum);
  RUN_TEST(test_stacking_has_nothing_to_do);
  RUN_TEST(test_chains_are_stacked_by_their_own_draws);
  RUN_TEST(test_chains_count_alike_where_nothing_tells_them_apart);
  RUN_TEST(test_bad_input);
  return UNITY_END();
}
