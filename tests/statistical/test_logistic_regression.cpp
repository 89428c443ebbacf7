// The classical posterior of classes is Bayes unless a noise was asked for: logistic regression (no
// hidden layer) against quadrature, at temperature 1 where the noise of the last layer was never
// set, and at T = 2D where it was.
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/nnpost_study.h"
#include "tests/support/near.hpp"
#include "unity.h"

namespace {

constexpr int64_t n = 50;
double x[n];
int32_t signs[n], classes[n];

void make_data() {
  for (int64_t i = 0; i < n; ++i) {
    x[i] = 2 * std::sin(static_cast<double>(3 * i + 1));
    signs[i] = x[i] + 1.5 * std::cos(static_cast<double>(7 * i)) > -0.3 ? 1 : -1;
    classes[i] = signs[i] > 0 ? 1 : 0;
  }
}

struct Problem {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;

  // 1 -> dense; noise 0: never set
  Problem(int32_t head, double noise, int64_t layer) {
    OK(nnp_net_create(&net, 1, e));
    OK(nnp_net_dense(net, head == NNP_ARGMAX ? 2 : 1, e));
    OK(nnp_net_head(net, head, e));
    if (noise > 0) OK(nnp_net_set(net, layer, NNP_NOISE, noise, e));
    OK(nnp_data_create(&data, n, 1, 0, e));
    OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, e));
    OK(nnp_data_set_labels(data, head == NNP_ARGMAX ? classes : signs, e));
    OK(nnp_chain_create(&chain, net, data, NNP_NUTS, NNP_CLASSICAL, e));
  }
  ~Problem() {
    nnp_chain_free(chain);
    nnp_data_free(data);
    nnp_net_free(net);
  }
  Problem(const Problem &) = delete;
  Problem &operator=(const Problem &) = delete;

  double temperature() const {
    double value = 0;
    OK(nnp_net_temperature(net, &value, e));
    return value;
  }
};

double log_likelihood(double w, double b) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum -= std::log1p(std::exp(-signs[i] * (w * x[i] + b)));
  return sum;
}

// Mean and sd of the slope w, whose prior and that of the bias have precision `lambda`, and
// P(+1 | x = 1), at temperature T: trapezoids on a grid, exact for what decays so fast.
struct Moments {
  double mean, sd, probability;
};

Moments quadrature(double temperature, double lambda) {
  const double step = 0.02 * std::sqrt(std::fmin(temperature, 1.0));
  double top = -INFINITY, w0 = 0, b0 = 0;
  const auto log_density = [&](double w, double b) {
    return log_likelihood(w, b) / temperature - 0.5 * lambda * (w * w + b * b);
  };
  for (double w = -4; w < 8; w += 0.05)
    for (double b = -4; b < 4; b += 0.05)
      if (log_density(w, b) > top) top = log_density(w0 = w, b0 = b);
  const double reach = 8 * 0.5 * std::sqrt(std::fmin(temperature, 1.0)) + 0.1;
  double mass = 0, first = 0, second = 0, win = 0;
  for (double w = w0 - reach; w < w0 + reach; w += step)
    for (double b = b0 - reach; b < b0 + reach; b += step) {
      const double p = std::exp(log_density(w, b) - top);
      mass += p;
      first += p * w;
      second += p * w * w;
      win += p / (1 + std::exp(-w - b));
    }
  return {first / mass, std::sqrt(second / mass - std::pow(first / mass, 2)), win / mass};
}

Moments sampled(const Problem &p, bool difference) {
  constexpr int64_t draws = 4000;
  const int64_t count = difference ? 4 : 2;
  std::vector<double> values(static_cast<size_t>(count * draws));
  OK(nnp_chain_set(p.chain, NNP_OPTION_WARMUP, 500, e));
  OK(nnp_chain_start(p.chain, NNP_START_ZERO, 7, 0, e));
  OK(nnp_chain_run(p.chain, 500, nullptr, nullptr, e));
  OK(nnp_chain_sample(p.chain, values.data(), draws, 2, nullptr, nullptr, e));
  double first = 0, second = 0, win[2] = {0, 0};
  for (int64_t s = 0; s < draws; ++s) {
    const double *draw = values.data() + s * count;
    const double w = difference ? draw[1] - draw[0] : draw[0];
    first += w / static_cast<double>(draws);
    second += w * w / static_cast<double>(draws);
  }
  nnp_predictor *predictor = nullptr;
  nnp_data *one = nullptr;
  const double at = 1;
  OK(nnp_data_create(&one, 1, 1, 0, e));
  OK(nnp_data_set_inputs(one, &at, NNP_ROW_MAJOR, e));
  OK(nnp_predictor_create(&predictor, p.net, draws, e));
  OK(nnp_predictor_posterior(predictor, NNP_CLASSICAL, e));
  OK(nnp_predict(predictor, one, values.data(), draws, NNP_PREDICT_PROBABILITIES, win, e));
  nnp_predictor_free(predictor);
  nnp_data_free(one);
  return {first, std::sqrt(second - first * first), difference ? win[1] : win[0]};
}

void compare(const Moments &expected, const Moments &found) {
  near(expected.mean, found.mean, 0.1 * expected.sd, "mean of the slope");
  near(expected.sd, found.sd, 0.07 * expected.sd, "sd of the slope");
  near(expected.probability, found.probability, 0.01, "P(+1)");
}

void test_unset_is_bayes() {
  const Problem p(NNP_SIGN_HEAD, 0, 1);
  TEST_ASSERT_TRUE(p.temperature() == 1);
  double noise = 0;
  OK(nnp_net_get(p.net, 1, NNP_NOISE, &noise, e));
  TEST_ASSERT_TRUE(noise == 0.01);  // that of the intermediate posterior
  compare(quadrature(1, 1), sampled(p, false));
}

// Two classes of softmax: scores differ by the score of the logistic, with half its precision.
void test_unset_is_bayes_for_argmax() {
  const Problem p(NNP_ARGMAX, 0, 1);
  TEST_ASSERT_TRUE(p.temperature() == 1);
  compare(quadrature(1, 0.5), sampled(p, true));
}

void test_a_noise_that_was_set_is_a_temperature() {
  const Problem hot(NNP_SIGN_HEAD, 1, NNP_ALL_LAYERS);
  TEST_ASSERT_TRUE(hot.temperature() == 2);
  compare(quadrature(2, 1), sampled(hot, false));
  const Problem cold(NNP_SIGN_HEAD, 0.01, 1);  // the default of other posteriors, set by hand
  TEST_ASSERT_TRUE(cold.temperature() == 0.02);
  compare(quadrature(0.02, 1), sampled(cold, false));
}

void test_log_density_is_log_likelihood_and_prior() {
  const Problem p(NNP_SIGN_HEAD, 0, 1);
  const double params[] = {0.8, -0.3};
  OK(nnp_chain_start_weights(p.chain, params, 0, 1, 0, e));
  double found = 0, loss[1] = {0}, term[1] = {0};
  OK(nnp_chain_log_density(p.chain, &found, e));
  const double pi = 3.14159265358979323846;
  near(log_likelihood(0.8, -0.3) - 0.5 * (0.64 + 0.09) - std::log(2 * pi), found, 1e-10,
       "log density");
  OK(nnp_chain_terms(p.chain, term, nullptr, loss, e));
  near(-loss[0], term[0], 1e-12, "likelihood term");
}

// Teachers: labels are drawn by softmax without a noise to be set first.
void test_teachers_label_unless_tempered() {
  const Problem p(NNP_ARGMAX, 0, 1), tempered(NNP_ARGMAX, 0.1, 1);
  nnp_teacher *teacher = nullptr;
  OK(nnp_teacher_create(&teacher, p.net, NNP_CLASSICAL, 3, 0, e));
  OK(nnp_teacher_label(teacher, p.data, 1, nullptr, e));
  nnp_teacher_free(teacher);
  OK(nnp_teacher_create(&teacher, tempered.net, NNP_CLASSICAL, 3, 0, e));
  TEST_ASSERT_EQUAL_INT32(NNP_E_UNSUPPORTED,
                          nnp_teacher_label(teacher, tempered.data, 1, nullptr, nullptr));
  nnp_teacher_free(teacher);
}

// What was set stays set in a copy, and what was not stays unset. Numbers have no temperature.
void test_copies_and_other_heads() {
  const Problem p(NNP_SIGN_HEAD, 0, 1), tempered(NNP_SIGN_HEAD, 0.5, 1);
  nnp_net *copy = nullptr;
  double value = 0;
  OK(nnp_net_copy(&copy, p.net, e));
  OK(nnp_net_set(p.net, 1, NNP_NOISE, 5, e));
  OK(nnp_net_temperature(copy, &value, e));
  TEST_ASSERT_TRUE(value == 1 && p.temperature() == 10 && tempered.temperature() == 1);
  nnp_net_free(copy);
  nnp_net *numbers = nullptr;
  OK(nnp_net_create(&numbers, 1, e));
  OK(nnp_net_dense(numbers, 1, e));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NO_HEAD, nnp_net_temperature(numbers, &value, nullptr));
  OK(nnp_net_head(numbers, NNP_GAUSSIAN, e));
  OK(nnp_net_set(numbers, 1, NNP_NOISE, 3, e));
  OK(nnp_net_temperature(numbers, &value, e));
  TEST_ASSERT_TRUE(value == 1);
  nnp_net_free(numbers);
}

}  // namespace

void setUp() {
  make_data();
}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_unset_is_bayes);
  RUN_TEST(test_unset_is_bayes_for_argmax);
  RUN_TEST(test_a_noise_that_was_set_is_a_temperature);
  RUN_TEST(test_log_density_is_log_likelihood_and_prior);
  RUN_TEST(test_teachers_label_unless_tempered);
  RUN_TEST(test_copies_and_other_heads);
  return UNITY_END();
}
