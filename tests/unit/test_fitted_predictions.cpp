// What is predicted and scored is the model that was fitted. With identity activations every
// prediction is Gaussian, with mean f and covariance D_m I + W_m (D_{m-1} I + ...) W_m': a closed
// form for means, sds, quantiles, scores and pointwise log likelihoods.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/near.hpp"
#include "tests/support/stats.hpp"
#include "unity.h"

namespace {

using Values = std::vector<double>;

double log_normal(double x, double variance) {
  return -0.5 * x * x / variance - 0.5 * std::log(2 * stats::pi * variance);
}

// 1 -> dense -> identity -> dense -> identity -> dense 1, widths 2 and 3, for one row after the
// other; noises of the five layers.
constexpr int64_t widths[] = {2, 3};
constexpr double noises[] = {0.3, 0.05, 0.2, 0.3, 1e-4};
constexpr int64_t param_count = 2 + 2 + 6 + 3 + 3 + 1;

struct Deep {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_predictor *predictor = nullptr;
  int64_t n;

  Deep(int32_t head, const Values &x, int64_t max_draws) : n(static_cast<int64_t>(x.size())) {
    OK(nnp_net_create(&net, 1, e));
    for (int64_t width : widths) {
      OK(nnp_net_dense(net, width, e));
      OK(nnp_net_activation(net, NNP_IDENTITY, e));
    }
    OK(nnp_net_dense(net, 1, e));
    OK(nnp_net_head(net, head, e));
    for (int64_t k = 1; k <= 5; ++k) OK(nnp_net_set(net, k, NNP_NOISE, noises[k - 1], e));
    OK(nnp_data_create(&data, n, 1, 1, e));
    OK(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, e));
    OK(nnp_predictor_create(&predictor, net, max_draws, e));
  }
  ~Deep() {
    nnp_predictor_free(predictor);
    nnp_data_free(data);
    nnp_net_free(net);
  }
  Deep(const Deep &) = delete;
  Deep &operator=(const Deep &) = delete;

  Values predict(const Values &params, int32_t kind, size_t size) const {
    Values out(size);
    OK(nnp_predict(predictor, data, params.data(), draws_of(params), kind, out.data(), e));
    return out;
  }
  double score(const Values &params, int32_t kind) const {
    double value = 0;
    OK(nnp_score(predictor, data, params.data(), draws_of(params), kind, &value, e));
    return value;
  }
  Values log_lik(const Values &params) const {
    Values out(static_cast<size_t>(n * draws_of(params)));
    OK(nnp_log_lik(predictor, data, params.data(), draws_of(params), out.data(), e));
    return out;
  }
  static int64_t draws_of(const Values &params) {
    return static_cast<int64_t>(params.size()) / param_count;
  }
};

// Some parameters of order 1: draw s of a posterior that is wide.
Values make_draws(size_t draws) {
  Values params(draws * param_count);
  uint64_t state = 12345;
  for (double &value : params) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = 1.6 * (static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
  }
  return params;
}

struct Gaussian {
  double mean, variance;
};

// The predictive of one draw at x, worked out by hand.
Gaussian predictive(const double *p, double x) {
  const double *w1 = p, *b1 = p + 2, *w2 = p + 4, *b2 = p + 10, *w3 = p + 13, b3 = p[16];
  double mean = b3, back[2] = {0, 0}, top = 0;
  for (int i = 0; i < 3; ++i) {
    double unit = b2[i];
    for (int j = 0; j < 2; ++j) {
      unit += w2[2 * i + j] * (w1[j] * x + b1[j]);
      back[j] += w3[i] * w2[2 * i + j];
    }
    mean += w3[i] * unit;
    top += w3[i] * w3[i];
  }
  const double low = back[0] * back[0] + back[1] * back[1];
  return {mean, noises[4] + (noises[3] + noises[2]) * top + (noises[1] + noises[0]) * low};
}

double mixture_cdf(const Values &params, double x, double y) {
  double sum = 0;
  const size_t draws = params.size() / param_count;
  for (size_t s = 0; s < draws; ++s) {
    const Gaussian g = predictive(params.data() + s * param_count, x);
    sum += stats::normal_cdf((y - g.mean) / std::sqrt(g.variance));
  }
  return sum / static_cast<double>(draws);
}

const Values rows = {-1.5, -0.2, 0.4, 2};
const Values targets = {0.3, -0.4, 0.1, -0.9};

// Few draws have several passes each, many one: the same predictive.
void test_moments_and_quantiles_are_the_models() {
  for (size_t draws : {size_t{40}, size_t{4000}}) {
    const Values params = make_draws(draws);
    const Deep deep(NNP_GAUSSIAN, rows, static_cast<int64_t>(draws));
    const double levels[] = {0.05, 0.5, 0.9};
    OK(nnp_predictor_levels(deep.predictor, levels, 3, e));
    const Values mean = deep.predict(params, NNP_PREDICT_MEAN, 4);
    const Values sd = deep.predict(params, NNP_PREDICT_SD, 4);
    const Values quantiles = deep.predict(params, NNP_PREDICT_QUANTILES, 12);
    for (size_t i = 0; i < 4; ++i) {
      double first = 0, second = 0, within = 0;
      for (size_t s = 0; s < draws; ++s) {
        const Gaussian g = predictive(params.data() + s * param_count, rows[i]);
        first += g.mean / static_cast<double>(draws);
        second += (g.mean * g.mean + g.variance) / static_cast<double>(draws);
        within += g.variance / static_cast<double>(draws);
      }
      const double spread = std::sqrt(second - first * first), passes = draws < 100 ? 640 : 4000;
      near(first, mean[i], 4 * std::sqrt(within / passes), "mean");
      near(spread, sd[i], 4 * spread / std::sqrt(passes), "sd");
      for (size_t q = 0; q < 3; ++q)
        near(levels[q], mixture_cdf(params, rows[i], quantiles[3 * i + q]),
             4 * std::sqrt(levels[q] * (1 - levels[q]) / passes), "level of a quantile");
    }
  }
}

// The log score of the mixture, and that of the forward pass, which is far too sure.
void test_log_score_is_the_models() {
  const Values params = make_draws(500);
  const Deep deep(NNP_GAUSSIAN, rows, 1);
  OK(nnp_data_set_targets(deep.data, targets.data(), NNP_ROW_MAJOR, e));
  double fitted = 0, forward = 0, mse = 0;
  for (size_t i = 0; i < 4; ++i) {
    double sum = 0, top = -INFINITY, mean = 0;
    for (size_t s = 0; s < 500; ++s) {
      const Gaussian g = predictive(params.data() + s * param_count, rows[i]);
      sum += std::exp(log_normal(targets[i] - g.mean, g.variance)) / 500;
      top = std::max(top, log_normal(targets[i] - g.mean, noises[4]));
      mean += g.mean / 500;
    }
    double rest = 0;
    for (size_t s = 0; s < 500; ++s) {
      const Gaussian g = predictive(params.data() + s * param_count, rows[i]);
      rest += std::exp(log_normal(targets[i] - g.mean, noises[4]) - top) / 500;
    }
    fitted += std::log(sum) / 4;
    forward += (top + std::log(rest)) / 4;
    mse += (targets[i] - mean) * (targets[i] - mean) / 4;
  }
  near(fitted, deep.score(params, NNP_SCORE_LOG), 0.02, "log score");
  near(mse, deep.score(params, NNP_SCORE_MSE), 0.02, "mse");
  OK(nnp_predictor_noise(deep.predictor, NNP_FORWARD, 1, e));
  near(forward, deep.score(params, NNP_SCORE_LOG), 1e-9, "forward log score");
  TEST_ASSERT_TRUE(std::fabs(forward - fitted) > 0.1);
}

// Of a mean over passes of p = N(y | m, v) with m ~ N(mean, w): relative variance of one pass, as
// E p^2 = N(y | mean, v/2 + w) / sqrt(4 pi v) and E p = N(y | mean, v + w).
double relative_variance(const double *p, double x, double y) {
  const Gaussian g = predictive(p, x);
  const double *w3 = p + 13, top = w3[0] * w3[0] + w3[1] * w3[1] + w3[2] * w3[2];
  const double exact = noises[4] + noises[3] * top, drawn = g.variance - exact;
  const double square =
      log_normal(y - g.mean, 0.5 * exact + drawn) - 0.5 * std::log(4 * stats::pi * exact);
  return std::exp(square - 2 * log_normal(y - g.mean, g.variance)) - 1;
}

// Every row and draw by itself, the row fastest, with the error of its passes.
void test_log_lik_is_the_models() {
  constexpr size_t draws = 800;
  const Values params = make_draws(draws);
  const Deep deep(NNP_GAUSSIAN, rows, 1);
  OK(nnp_data_set_targets(deep.data, targets.data(), NNP_ROW_MAJOR, e));
  for (int more = 0; more < 2; ++more) {
    if (more) OK(nnp_predictor_passes(deep.predictor, 512, e));
    const double passes = more ? 512 : 64;
    const Values found = deep.log_lik(params);
    double squares = 0, seen = 0;
    for (size_t s = 0; s < draws; ++s)
      for (size_t i = 0; i < 4; ++i) {
        const double *draw = params.data() + s * param_count;
        const Gaussian g = predictive(draw, rows[i]);
        const double error = std::sqrt(relative_variance(draw, rows[i], targets[i]) / passes);
        if (error > 0.3) continue;  // far tails take more passes
        const double expected = log_normal(targets[i] - g.mean, g.variance);
        const double z = std::expm1(found[i + 4 * s] - expected) / error;
        squares += z * z;
        seen += 1;
      }
    TEST_ASSERT_TRUE(seen > 2000);
    near(1, squares / seen, 0.25, "mean square of errors in their standard deviations");
  }
  // Without hidden noise it is exact, and so is the log score made from it.
  OK(nnp_predictor_noise(deep.predictor, NNP_FORWARD, 1, e));
  const Values forward = deep.log_lik(params);
  const Gaussian third = predictive(params.data() + 2 * param_count, rows[1]);
  near(log_normal(targets[1] - third.mean, noises[4]), forward[1 + 4 * 2], 1e-9, "forward");
}

// The binary probit of the same network: P(+1) = Phi(mean / sd).
void test_probabilities_are_the_models() {
  const Values params = make_draws(300);
  const Deep deep(NNP_SIGN_HEAD, rows, 1);
  const Values found = deep.predict(params, NNP_PREDICT_PROBABILITIES, 4);
  for (size_t i = 0; i < 4; ++i)
    near(1 - mixture_cdf(params, rows[i], 0), found[i], 4 * 0.5 / std::sqrt(2000.0), "P(+1)");
}

// Two outputs share the hidden noise: they are correlated, which log scores must know.
void test_outputs_that_share_noise() {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_predictor *predictor = nullptr;
  OK(nnp_net_create(&net, 1, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_dense(net, 2, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_net_set(net, 1, NNP_NOISE, 0.5, e));
  OK(nnp_net_set(net, 2, NNP_NOISE, 0.1, e));
  OK(nnp_data_create(&data, 1, 1, 2, e));
  const double x = 1, y[] = {0.7, -0.2};
  OK(nnp_data_set_inputs(data, &x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, e));
  OK(nnp_predictor_create(&predictor, net, 1, e));
  OK(nnp_predictor_passes(predictor, 20000, e));
  const double params[] = {0.3, 0.1, 1.2, -0.8, 0.2, 0.1};  // w1 b1 w2 (two) b2 (two)
  const double h = 0.4, r[] = {y[0] - 1.2 * h - 0.2, y[1] + 0.8 * h - 0.1};
  const double a = 0.1 + 0.5 * 1.44, b = 0.5 * -0.96, c = 0.1 + 0.5 * 0.64, det = a * c - b * b;
  const double quadratic = (c * r[0] * r[0] - 2 * b * r[0] * r[1] + a * r[1] * r[1]) / det;
  const double expected = -0.5 * quadratic - 0.5 * std::log(det) - std::log(2 * stats::pi);
  double found = 0, score = 0;
  OK(nnp_log_lik(predictor, data, params, 1, &found, e));
  OK(nnp_score(predictor, data, params, 1, NNP_SCORE_LOG, &score, e));
  near(expected, found, 0.03, "log likelihood");
  near(expected, score, 0.03, "log score");
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(net);
}

// A row's prediction depends on no other row; joint draws have noise of their own for every row.
void test_rows_share_numbers_but_not_draws() {
  const Values params = make_draws(30);
  const double levels[] = {0.1, 0.9};
  Values x(140, 0.4);
  x[3] = -1;
  const Deep many(NNP_GAUSSIAN, x, 30), one(NNP_GAUSSIAN, {0.4}, 30);
  for (const Deep *deep : {&many, &one}) {
    OK(nnp_predictor_levels(deep->predictor, levels, 2, e));
    OK(nnp_data_set_targets(deep->data, Values(x.size(), 0.1).data(), NNP_ROW_MAJOR, e));
  }
  for (int32_t kind : {NNP_PREDICT_MEAN, NNP_PREDICT_SD}) {
    const double alone = one.predict(params, kind, 1)[0];
    const Values all = many.predict(params, kind, 140);
    for (size_t i : {size_t{0}, size_t{4}, size_t{139}}) near(alone, all[i], 1e-12, "mean or sd");
  }
  const Values quantiles = many.predict(params, NNP_PREDICT_QUANTILES, 280);
  near(one.predict(params, NNP_PREDICT_QUANTILES, 2)[1], quantiles[2 * 139 + 1], 1e-12, "quantile");
  near(one.log_lik(params)[7], many.log_lik(params)[139 + 140 * 7], 1e-12, "log likelihood");
  const Values draws = many.predict(params, NNP_PREDICT_DRAWS, 30 * 140);
  for (size_t i : {size_t{0}, size_t{5}, size_t{138}, size_t{139}})
    TEST_ASSERT_TRUE(draws[4] != draws[i]);
}

// With one unit below one output nothing is left to Monte Carlo.
void test_noise_below_the_last_layer_is_exact() {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_predictor *predictor = nullptr;
  OK(nnp_net_create(&net, 1, e));
  OK(nnp_net_dense(net, 2, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_net_set(net, 1, NNP_NOISE, 0.3, e));
  OK(nnp_net_set(net, 2, NNP_NOISE, 1e-4, e));
  OK(nnp_data_create(&data, 1, 1, 1, e));
  const double x = 1, y = 1.1;
  OK(nnp_data_set_inputs(data, &x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(data, &y, NNP_ROW_MAJOR, e));
  OK(nnp_predictor_create(&predictor, net, 1, e));
  const double params[] = {0.3, 0.5, 0, 0, 1, -2, 0.4};  // w1 (two), b1, w2, b2
  double found = 0;
  OK(nnp_log_lik(predictor, data, params, 1, &found, e));
  near(log_normal(1.1 - (0.3 - 1 + 0.4), 1e-4 + 0.3 * 5), found, 1e-12, "log likelihood");
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(net);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_moments_and_quantiles_are_the_models);
  RUN_TEST(test_log_score_is_the_models);
  RUN_TEST(test_log_lik_is_the_models);
  RUN_TEST(test_probabilities_are_the_models);
  RUN_TEST(test_outputs_that_share_noise);
  RUN_TEST(test_rows_share_numbers_but_not_draws);
  RUN_TEST(test_noise_below_the_last_layer_is_exact);
  return UNITY_END();
}
