// Predictions and scores against what one computes by hand, class probabilities against quadrature.
#include "lib/posterior/predict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/nnpost.h"
#include "tests/support/stats.hpp"
#include "unity.h"

namespace {

using Values = std::vector<double>;

void ok(int32_t status, const nnp_error &err) {
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, status, err.message);
}

#define OK(call)          \
  do {                    \
    nnp_error err_;       \
    nnp_error *e = &err_; \
    ok((call), err_);     \
  } while (0)

void near(double expected, double found, double tolerance, const char *what) {
  char message[160];
  std::snprintf(message, sizeof message, "%s: expected %.15g, found %.15g", what, expected, found);
  TEST_ASSERT_TRUE_MESSAGE(std::fabs(found - expected) <= tolerance * (1 + std::fabs(expected)),
                           message);
}

// ---- class probabilities -----------------------------------------------------------------------

double log_phi_cdf(double z) {
  if (z > -4) return std::log(stats::normal_cdf(z));
  return -0.5 * z * z - 0.5 * std::log(2 * stats::pi) + std::log(stats::mills(-z));
}

// log P(label wins) by Gauss-Legendre panels around the peak of the integrand, found on a grid.
double log_win_probability(const Values &mean, double sd, size_t label) {
  const auto log_integrand = [&](double z) {
    double sum = -0.5 * z * z - 0.5 * std::log(2 * stats::pi);
    for (size_t a = 0; a < mean.size(); ++a)
      if (a != label) sum += log_phi_cdf(z + (mean[label] - mean[a]) / sd);
    return sum;
  };
  double low = -40, high = 40;
  for (size_t a = 0; a < mean.size(); ++a) high = std::max(high, (mean[a] - mean[label]) / sd + 40);
  double peak = 0;
  for (int round = 0; round < 6; ++round) {  // the integrand is log-concave: narrow it down
    double best = -INFINITY;
    const double step = (high - low) / 200;
    for (int i = 0; i <= 200; ++i)
      if (log_integrand(low + i * step) > best) best = log_integrand(peak = low + i * step);
    low = peak - 2 * step, high = peak + 2 * step;
  }
  static const stats::GaussLegendre<20> rule;
  const double top = log_integrand(peak);
  double sum = 0;
  for (int panel = -60; panel < 60; ++panel)
    for (int i = 0; i < 20; ++i) {
      const double z = peak + (panel + rule.node[i]) * 0.2;
      sum += 0.2 * rule.weight[i] * std::exp(log_integrand(z) - top);
    }
  return top + std::log(sum);
}

const std::vector<Values> &score_means() {
  static const std::vector<Values> means = {
      {0.3, -0.2},
      {0, 0, 0},
      {1, 2, -1},
      {0.5, 0, -0.5, 0.2, 0.1},
      {10, -3, 4},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
      {-3, -2, -1, 0, 1, 2, 3, 4, 5, 6},
  };
  return means;
}

void test_probabilities_against_quadrature() {
  for (const Values &mean : score_means())
    for (double sd : {0.3, 1.0, 20.0}) {
      Values found(mean.size());
      nnp::argmax_probabilities(mean.data(), 1, static_cast<int64_t>(mean.size()), sd,
                                found.data());
      double sum = 0;
      for (size_t c = 0; c < mean.size(); ++c) {
        near(std::exp(log_win_probability(mean, sd, c)), found[c], 1e-13, "probability");
        sum += found[c];
      }
      near(1, sum, 1e-14, "sum of probabilities");
    }
}

void test_probabilities_of_strided_and_extreme_means() {
  const double mean[] = {1, 9, 2, 9, 0, 9};
  double found[3], packed[3];
  const double plain[] = {1, 2, 0};
  nnp::argmax_probabilities(mean, 2, 3, 0.7, found);
  nnp::argmax_probabilities(plain, 1, 3, 0.7, packed);
  for (int c = 0; c < 3; ++c) TEST_ASSERT_TRUE(found[c] == packed[c]);
  const double far[] = {1e12, -1e12, 1e12 - 1};
  nnp::argmax_probabilities(far, 1, 3, 1e-6, found);
  TEST_ASSERT_TRUE(found[0] == 1 && found[1] == 0 && found[2] == 0);
  nnp::argmax_probabilities(far, 1, 2, 1e20, found);
  near(0.5, found[0], 1e-8, "much noise");
}

void test_log_probabilities_against_quadrature() {
  for (const Values &mean : score_means())
    for (double sd : {0.01, 0.3, 1.0, 20.0})
      for (size_t c = 0; c < mean.size(); ++c) {
        const double found = nnp::log_argmax_probability(
            mean.data(), 1, static_cast<int64_t>(mean.size()), sd, static_cast<int64_t>(c));
        near(log_win_probability(mean, sd, c), found, 1e-11, "log probability");
        TEST_ASSERT_TRUE(found <= 0);
      }
}

// Two classes have a closed form, Phi(difference / (sd sqrt 2)), good for any distance.
void test_log_probabilities_far_off() {
  for (double gap : {-1e8, -1e4, -300.0, -40.0, -1.0, 0.0, 3.0, 300.0}) {
    const double mean[] = {gap, 0};
    const double found = nnp::log_argmax_probability(mean, 1, 2, 1, 0);
    near(log_phi_cdf(gap / std::sqrt(2.0)), found, 1e-12, "two classes");
  }
  // Many classes: a label far below a hundred equals must beat each of them.
  Values mean(101, 0.0);
  mean[0] = -50;
  near(log_win_probability(mean, 1, 0), nnp::log_argmax_probability(mean.data(), 1, 101, 1, 0),
       1e-11, "a hundred classes");
  const double huge[] = {-1e100, 1e100, 0};
  TEST_ASSERT_TRUE(nnp::log_argmax_probability(huge, 1, 3, 1, 0) < -1e199);
  near(0, nnp::log_argmax_probability(huge, 1, 3, 1, 1), 1e-14, "certain");
}

// ---- small networks, by hand -------------------------------------------------------------------

struct Small {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_predictor *predictor = nullptr;
  int64_t n = 0, outputs = 0;

  // `inputs` -> dense `outputs`, noise D.
  Small(int64_t inputs, int64_t width, int32_t head, double noise, const Values &x,
        int64_t max_draws = 16)
      : n(static_cast<int64_t>(x.size()) / inputs), outputs(width) {
    OK(nnp_net_create(&net, inputs, e));
    OK(nnp_net_dense(net, width, e));
    OK(nnp_net_head(net, head, e));
    OK(nnp_net_set(net, 1, NNP_NOISE, noise, e));
    finish(inputs, x, max_draws);
  }
  // 1 -> dense 1 -> identity -> dense 1: f = w2 (w1 x + b1) + b2, D of each layer.
  Small(int32_t head, const double noise[3], const Values &x)
      : n(static_cast<int64_t>(x.size())), outputs(1) {
    OK(nnp_net_create(&net, 1, e));
    OK(nnp_net_dense(net, 1, e));
    OK(nnp_net_activation(net, NNP_IDENTITY, e));
    OK(nnp_net_dense(net, 1, e));
    OK(nnp_net_head(net, head, e));
    for (int64_t k = 1; k <= 3; ++k) OK(nnp_net_set(net, k, NNP_NOISE, noise[k - 1], e));
    finish(1, x, 1);
  }
  void finish(int64_t inputs, const Values &x, int64_t max_draws) {
    OK(nnp_data_create(&data, n, inputs, outputs, e));
    OK(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, e));
    OK(nnp_predictor_create(&predictor, net, max_draws, e));
  }
  ~Small() {
    nnp_predictor_free(predictor);
    nnp_data_free(data);
    nnp_net_free(net);
  }
  Small(const Small &) = delete;
  Small &operator=(const Small &) = delete;

  // Without noise, where that is not the point.
  void forward() const { OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, e)); }

  int64_t parameters() const {
    int64_t count = 0;
    OK(nnp_net_parameters(net, &count, e));
    return count;
  }
  Values predict(const Values &params, int32_t kind, size_t size) const {
    Values out(size, -77);
    const int64_t draws = static_cast<int64_t>(params.size()) / parameters();
    OK(nnp_predict(predictor, data, params.data(), draws, kind, out.data(), e));
    return out;
  }
  double score(const Values &params, int32_t kind) const {
    double value = 0;
    const int64_t draws = static_cast<int64_t>(params.size()) / parameters();
    OK(nnp_score(predictor, data, params.data(), draws, kind, &value, e));
    return value;
  }
};

void test_mean_sd_and_draws() {
  // f(x) = w.x + b for two outputs, three draws, two rows. Parameters: w11 w12 w21 w22 b1 b2.
  const Small small(2, 2, NNP_GAUSSIAN, 0.5, {1, 2, 3, -1});
  const Values params = {1, 2, 3, 4, 0.5, -0.5,  //
                         0, 1, 1, 0, 0,   0,     //
                         2, 0, 0, 2, 1,   1};
  small.forward();
  // outputs [output, row] of each draw
  const double f[3][4] = {{5.5, 10.5, 1.5, 4.5}, {2, 1, -1, 3}, {3, 5, 7, -1}};
  const Values draws = small.predict(params, NNP_PREDICT_DRAWS, 12);
  const Values mean = small.predict(params, NNP_PREDICT_MEAN, 4);
  const Values sd = small.predict(params, NNP_PREDICT_SD, 4);
  for (size_t i = 0; i < 4; ++i) {
    const double centre = (f[0][i] + f[1][i] + f[2][i]) / 3;
    double square = 0;
    for (size_t s = 0; s < 3; ++s) {
      near(f[s][i], draws[4 * s + i], 1e-15, "draw");
      square += (f[s][i] - centre) * (f[s][i] - centre);
    }
    near(centre, mean[i], 1e-15, "mean");
    near(std::sqrt(square / 2), sd[i], 1e-14, "sd");
  }
  const Values one(params.begin(), params.begin() + 6);
  for (double value : small.predict(one, NNP_PREDICT_SD, 4)) TEST_ASSERT_TRUE(value == 0);
}

// R: quantile(c(1, 2, 4, 8, 16), c(0, .1, .25, .5, .9, 1)) is 1.0 1.4 2.0 4.0 12.8 16.0
void test_quantiles_are_type_7() {
  const Small small(1, 1, NNP_GAUSSIAN, 0.5, {0, 1});
  const Values params = {1, 4, 1, 16, 1, 1, 1, 2, 1, 8};  // (w, b) of five draws
  const double levels[] = {0, 0.1, 0.25, 0.5, 0.9, 1};
  const double expected[] = {1, 1.4, 2, 4, 12.8, 16};
  OK(nnp_predictor_levels(small.predictor, levels, 6, e));
  small.forward();
  const Values found = small.predict(params, NNP_PREDICT_QUANTILES, 12);
  for (size_t q = 0; q < 6; ++q) {
    near(expected[q], found[q], 1e-14, "quantile");          // row 0: b
    near(expected[q] + 1, found[6 + q], 1e-14, "quantile");  // row 1: w + b
  }
  const Values single = small.predict({1, 3}, NNP_PREDICT_QUANTILES, 12);
  for (size_t q = 0; q < 6; ++q) TEST_ASSERT_TRUE(single[q] == 3);
}

void test_classes_of_argmax() {
  // Three classes without weights to speak of: scores are the biases.
  const Small small(1, 3, NNP_ARGMAX, 0.25, {0, 0});
  const Values params = {0, 0, 0, 1, 0.5, 0,  //
                         0, 0, 0, 0, 0.2, 0.9};
  const Values probability = small.predict(params, NNP_PREDICT_PROBABILITIES, 6);
  small.forward();
  const Values votes = small.predict(params, NNP_PREDICT_VOTES, 6);
  Values first(3), second(3);
  nnp::argmax_probabilities(params.data() + 3, 1, 3, 0.5, first.data());
  nnp::argmax_probabilities(params.data() + 9, 1, 3, 0.5, second.data());
  const double voted[] = {0.5, 0, 0.5};
  for (size_t c = 0; c < 3; ++c)
    for (size_t row = 0; row < 2; ++row) {
      near(0.5 * (first[c] + second[c]), probability[3 * row + c], 1e-15, "probability");
      TEST_ASSERT_TRUE(votes[3 * row + c] == voted[c]);
    }
  const int32_t labels[] = {0, 2};
  OK(nnp_data_set_labels(small.data, labels, e));
  const double p0 = 0.5 * (first[0] + second[0]), p2 = 0.5 * (first[2] + second[2]);
  near(0.5 * (std::log(p0) + std::log(p2)), small.score(params, NNP_SCORE_LOG), 1e-12, "log score");
  near(0.5, small.score(params, NNP_SCORE_ACCURACY), 0, "accuracy");
}

void test_classes_of_sign() {
  const Small small(1, 1, NNP_SIGN_HEAD, 4, {1, -1, 3});
  const Values params = {1, 0.5, -2, 1};  // f = x + 0.5 and f = -2x + 1
  const double f[2][3] = {{1.5, -0.5, 3.5}, {-1, 3, -5}};
  const Values probability = small.predict(params, NNP_PREDICT_PROBABILITIES, 3);
  small.forward();
  const Values votes = small.predict(params, NNP_PREDICT_VOTES, 3);
  const int32_t labels[] = {-1, 1, 1};
  double log_score = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double p = 0.5 * (stats::normal_cdf(f[0][i] / 2) + stats::normal_cdf(f[1][i] / 2));
    near(p, probability[i], 1e-15, "P(+1)");
    TEST_ASSERT_TRUE(votes[i] == 0.5);
    log_score += std::log(labels[i] > 0 ? p : 1 - p) / 3;
  }
  OK(nnp_data_set_labels(small.data, labels, e));
  near(log_score, small.score(params, NNP_SCORE_LOG), 1e-13, "log score");
  // P(+1) is about 0.54, 0.67 and 0.48: only the second label is guessed.
  near(1.0 / 3, small.score(params, NNP_SCORE_ACCURACY), 1e-15, "accuracy");
}

// Draws of the classical posterior: softmax, and no noise but a regression's at the end.
void test_classes_of_the_classical_posterior() {
  const Small small(1, 3, NNP_ARGMAX, 0.25, {0, 0});
  const Values params = {0, 0, 0, 1, 0.5, 0}, far = {0, 0, 0, 800, 0, -800};
  const int32_t labels[] = {1, 1};
  OK(nnp_predictor_posterior(small.predictor, NNP_CLASSICAL, e));
  OK(nnp_predictor_noise(small.predictor, NNP_FITTED, 5, e));
  OK(nnp_data_set_labels(small.data, labels, e));
  const double norm = std::exp(1) + std::exp(0.5) + 1;
  const Values probability = small.predict(params, NNP_PREDICT_PROBABILITIES, 6);
  for (size_t c = 0; c < 3; ++c)
    near(std::exp(params[3 + c]) / norm, probability[3 + c], 1e-15, "p");
  near(0.5 - std::log(norm), small.score(params, NNP_SCORE_LOG), 1e-14, "log score");
  near(-800, small.score(far, NNP_SCORE_LOG), 1e-14, "hopeless");
  const Values scores = small.predict(params, NNP_PREDICT_DRAWS, 6);
  for (size_t c = 0; c < 3; ++c) TEST_ASSERT_TRUE(scores[c] == params[3 + c]);
  near(0, small.score(params, NNP_SCORE_ACCURACY), 0, "accuracy");

  const Small two(1, 1, NNP_SIGN_HEAD, 4, {1, -1});
  OK(nnp_predictor_posterior(two.predictor, NNP_CLASSICAL, e));
  OK(nnp_data_set_labels(two.data, labels, e));
  const Values p = two.predict({2, 0}, NNP_PREDICT_PROBABILITIES, 2);
  near(1 / (1 + std::exp(-2)), p[0], 1e-15, "P(+1)");
  near(1 / (1 + std::exp(2)), p[1], 1e-15, "P(+1)");
  near(0.5 * (std::log(p[0]) + std::log(p[1])), two.score({2, 0}, NNP_SCORE_LOG), 1e-14, "log");
  near(0.5, two.score({2, 0}, NNP_SCORE_ACCURACY), 0, "accuracy");
}

void test_scores_of_regression() {
  const Small small(1, 2, NNP_GAUSSIAN, 0.3, {1, 2});
  const Values params = {1, -1, 0, 0, 2, 1, 1, 1};  // w1 w2 b1 b2 of two draws
  const Values y = {1.2, 0.1, 2.9, -1};
  const double f[2][4] = {{1, -1, 2, -2}, {3, 2, 5, 3}};
  OK(nnp_data_set_targets(small.data, y.data(), NNP_ROW_MAJOR, e));
  double mse = 0, log_score = 0;
  for (size_t row = 0; row < 2; ++row) {
    double density = 0;
    for (size_t s = 0; s < 2; ++s) {
      double square = 0;
      for (size_t j = 0; j < 2; ++j) square += std::pow(y[2 * row + j] - f[s][2 * row + j], 2);
      density += 0.5 * std::exp(-square / 0.6) / (2 * stats::pi * 0.3);
    }
    log_score += 0.5 * std::log(density);
    for (size_t j = 0; j < 2; ++j)
      mse += std::pow(y[2 * row + j] - 0.5 * (f[0][2 * row + j] + f[1][2 * row + j]), 2) / 4;
  }
  near(mse, small.score(params, NNP_SCORE_MSE), 1e-14, "mse");
  near(log_score, small.score(params, NNP_SCORE_LOG), 1e-13, "log score");
}

// Where the density or the probability underflows, its logarithm is still right.
void test_log_scores_of_hopeless_predictions() {
  const Small regression(1, 1, NNP_GAUSSIAN, 1e-6, {1});
  const double y = 100;
  OK(nnp_data_set_targets(regression.data, &y, NNP_ROW_MAJOR, e));
  near(-0.5e10 - 0.5 * std::log(2e-6 * stats::pi), regression.score({0, 0}, NNP_SCORE_LOG), 1e-14,
       "regression");
  const Small sign(1, 1, NNP_SIGN_HEAD, 1e-4, {1});
  const int32_t minus = -1;
  OK(nnp_data_set_labels(sign.data, &minus, e));
  near(log_phi_cdf(-500), sign.score({5, 0}, NNP_SCORE_LOG), 1e-13, "sign");
  near(log_phi_cdf(-500) - std::log(2), sign.score({5, 0, 6, 0}, NNP_SCORE_LOG), 1e-13, "mixture");
  const Small argmax(1, 2, NNP_ARGMAX, 1e-4, {1});
  const int32_t second = 1;
  OK(nnp_data_set_labels(argmax.data, &second, e));
  near(log_phi_cdf(-500 / std::sqrt(2.0)), argmax.score({5, 0, 0, 0}, NNP_SCORE_LOG), 1e-12,
       "argmax");
}

// ---- with the model's noise --------------------------------------------------------------------

// One draw repeated: its predictions are f plus noise of variance w2^2 (D1 + D2) + D3.
void test_noise_has_the_right_variance() {
  const double noise[] = {0.3, 0.2, 0.5};
  const Small small(NNP_GAUSSIAN, noise, {1, -2});
  constexpr size_t count = 20000;
  Values params;
  for (size_t s = 0; s < count; ++s) params.insert(params.end(), {2, 1, -3, 0.5});
  OK(nnp_predictor_noise(small.predictor, NNP_FITTED, 9, e));
  const Values draws = small.predict(params, NNP_PREDICT_DRAWS, 2 * count);
  const Values mean = small.predict(params, NNP_PREDICT_MEAN, 2);
  const Values sd = small.predict(params, NNP_PREDICT_SD, 2);
  const double f[] = {-3 * 3 + 0.5, -3 * -3 + 0.5}, variance = 9 * 0.5 + 0.5;
  for (size_t row = 0; row < 2; ++row) {
    Values u;
    double sum = 0, square = 0;
    for (size_t s = 0; s < count; ++s) {
      const double value = draws[2 * s + row];
      u.push_back(stats::normal_cdf((value - f[row]) / std::sqrt(variance)));
      sum += value;
    }
    for (size_t s = 0; s < count; ++s) square += std::pow(draws[2 * s + row] - sum / count, 2);
    TEST_ASSERT_TRUE(stats::uniformity(u) > 1e-4);
    const double within = 4 * std::sqrt(variance / (2.0 * count));
    TEST_ASSERT_TRUE(std::fabs(std::sqrt(square / (count - 1)) - std::sqrt(variance)) < within);
    TEST_ASSERT_TRUE(std::fabs(sd[row] - std::sqrt(variance)) < within);
    // Means do without the noise of the last two sites.
    const double error = std::sqrt(9 * 0.3 / static_cast<double>(count));
    TEST_ASSERT_TRUE(mean[row] != f[row] && std::fabs(mean[row] - f[row]) < 4 * error);
  }
  // Another seed, other noise; and without noise none.
  OK(nnp_predictor_noise(small.predictor, NNP_FITTED, 10, e));
  TEST_ASSERT_TRUE(small.predict(params, NNP_PREDICT_MEAN, 2)[0] != mean[0]);
  small.forward();
  near(f[0], small.predict(params, NNP_PREDICT_MEAN, 2)[0], 1e-12, "no noise");
  TEST_ASSERT_TRUE(small.predict(params, NNP_PREDICT_SD, 2)[0] < 1e-7);
}

// Probabilities: the last layer's noise exactly, the noise below it by simulation.
void test_probabilities_with_noise() {
  const double noise[] = {0.3, 0.2, 0.5};
  const Small small(NNP_SIGN_HEAD, noise, {1});
  const int32_t label = -1;
  OK(nnp_data_set_labels(small.data, &label, e));
  constexpr size_t count = 20000;
  Values params;
  for (size_t s = 0; s < count; ++s) params.insert(params.end(), {0.2, 0.1, -3, 0.5});
  const double f = -3 * 0.3 + 0.5;
  small.forward();
  near(stats::normal_cdf(f / std::sqrt(0.5)),
       small.predict(params, NNP_PREDICT_PROBABILITIES, 1)[0], 1e-12, "exact");
  OK(nnp_predictor_noise(small.predictor, NNP_FITTED, 3, e));
  const double expected = stats::normal_cdf(f / std::sqrt(9 * 0.5 + 0.5));
  const double bound = 4 * 0.5 / std::sqrt(static_cast<double>(count));
  near(expected, small.predict(params, NNP_PREDICT_PROBABILITIES, 1)[0], bound, "simulated");
  near(expected, small.predict(params, NNP_PREDICT_VOTES, 1)[0], bound, "votes");
  near(std::log(1 - expected), small.score(params, NNP_SCORE_LOG), bound / (1 - expected), "log");
}

// ---- many rows ---------------------------------------------------------------------------------

// More rows than a tile holds: every row as if it were alone.
void test_rows_do_not_depend_on_each_other() {
  Values x(150), params = {2, -1, 0.5, 0.25, 1, -1, 0, 3};
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  const Small many(1, 2, NNP_GAUSSIAN, 0.1, x);
  const double levels[] = {0.2, 0.7, 0.9};
  OK(nnp_predictor_levels(many.predictor, levels, 3, e));
  many.forward();
  const Values mean = many.predict(params, NNP_PREDICT_MEAN, 300);
  const Values sd = many.predict(params, NNP_PREDICT_SD, 300);
  const Values quantile = many.predict(params, NNP_PREDICT_QUANTILES, 900);
  const Values draws = many.predict(params, NNP_PREDICT_DRAWS, 600);
  Values y(300);
  for (size_t i = 0; i < x.size(); ++i) {
    const Small one(1, 2, NNP_GAUSSIAN, 0.1, {x[i]});
    OK(nnp_predictor_levels(one.predictor, levels, 3, e));
    one.forward();
    const Values alone = one.predict(params, NNP_PREDICT_MEAN, 2);
    const Values alone_sd = one.predict(params, NNP_PREDICT_SD, 2);
    const Values alone_quantile = one.predict(params, NNP_PREDICT_QUANTILES, 6);
    for (size_t j = 0; j < 2; ++j) {
      near(alone[j], mean[2 * i + j], 1e-15, "mean");
      near(alone_sd[j], sd[2 * i + j], 1e-15, "sd");
      for (size_t q = 0; q < 3; ++q)
        near(alone_quantile[3 * j + q], quantile[6 * i + 3 * j + q], 1e-15, "quantile");
      for (size_t s = 0; s < 2; ++s)
        near(params[4 * s + j] * x[i] + params[4 * s + 2 + j], draws[300 * s + 2 * i + j], 1e-15,
             "draw");
      y[2 * i + j] = mean[2 * i + j] + 0.5;
    }
  }
  OK(nnp_data_set_targets(many.data, y.data(), NNP_ROW_MAJOR, e));
  near(0.25, many.score(params, NNP_SCORE_MSE), 1e-14, "mse");
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_probabilities_against_quadrature);
  RUN_TEST(test_probabilities_of_strided_and_extreme_means);
  RUN_TEST(test_log_probabilities_against_quadrature);
  RUN_TEST(test_log_probabilities_far_off);
  RUN_TEST(test_mean_sd_and_draws);
  RUN_TEST(test_quantiles_are_type_7);
  RUN_TEST(test_classes_of_argmax);
  RUN_TEST(test_classes_of_sign);
  RUN_TEST(test_classes_of_the_classical_posterior);
  RUN_TEST(test_scores_of_regression);
  RUN_TEST(test_log_scores_of_hopeless_predictions);
  RUN_TEST(test_noise_has_the_right_variance);
  RUN_TEST(test_probabilities_with_noise);
  RUN_TEST(test_rows_do_not_depend_on_each_other);
  return UNITY_END();
}
