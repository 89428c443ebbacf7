// A linear regression whose noise and prior precisions are learned, against its closed form: with the
// weights integrated out y ~ N(0, D I + X Lambda^-1 X'), which quadrature over log D and the log
// precisions turns into moments of scales and weights.
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/common.hpp"
#include "tests/support/level.h"
#include "tests/support/watched.h"
#include "unity.h"

namespace {

using Values = std::vector<double>;

constexpr int rows = 14;
constexpr double noise_shape = 2, noise_mean = 4, weight_shape = 1.5, weight_mean = 2;

struct Problem {
  double x[rows][2], y[rows];
};

// The second input tells little: its precision is larger.
Problem make_problem() {
  Problem p;
  for (int i = 0; i < rows; ++i) {
    p.x[i][0] = std::cos(1.7 * i);
    p.x[i][1] = std::sin(2.9 * i + 1);
    p.y[i] = 1.3 * p.x[i][0] - 0.1 * p.x[i][1] + 0.6 * std::sin(11.3 * i * i + 0.4);
  }
  return p;
}

struct Sums {
  double xx[2][2] = {}, xy[2] = {}, yy = 0;
};

Sums sums_of(const Problem &p) {
  Sums s;
  for (int i = 0; i < rows; ++i) {
    for (int a = 0; a < 2; ++a) {
      s.xy[a] += p.x[i][a] * p.y[i];
      for (int b = 0; b < 2; ++b) s.xx[a][b] += p.x[i][a] * p.x[i][b];
    }
    s.yy += p.y[i] * p.y[i];
  }
  return s;
}

// log p(y, scales) in log D and log lambda, and the mean of the weights given them: the precision
// of w is A = X'X/D + Lambda, its mean A^-1 X'y/D.
double log_joint(const Sums &s, double d, const double *lambda, double *mean) {
  const double a = s.xx[0][0] / d + lambda[0], b = s.xx[0][1] / d, c = s.xx[1][1] / d + lambda[1];
  const double det = a * c - b * b, u = s.xy[0] / d, v = s.xy[1] / d;
  mean[0] = (c * u - b * v) / det;
  mean[1] = (a * v - b * u) / det;
  return -0.5 * rows * std::log(d) + 0.5 * std::log(lambda[0] * lambda[1] / det) -
         0.5 * (s.yy / d - mean[0] * u - mean[1] * v);
}

// log of the gamma density of a precision, in its logarithm
double log_gamma_prior(double precision, double shape, double mean) {
  return shape * std::log(precision) - shape / mean * precision;
}

// Means of log D, its square, the log precisions, their squares, and the weights.
Values by_quadrature(const Sums &s, bool by_input) {
  const double low = -5, high = 4, step = 0.1;
  const int count = static_cast<int>((high - low) / step);
  Values sum(by_input ? 8 : 6, 0.0);
  double total = 0;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      for (int k = 0; k < (by_input ? count : 1); ++k) {
        const double log_d = low + step * i, l0 = low + step * j;
        const double l1 = by_input ? low + step * k : l0;
        const double d = std::exp(log_d), lambda[2] = {std::exp(l0), std::exp(l1)};
        double mean[2];
        double log_p = log_joint(s, d, lambda, mean) +
                       log_gamma_prior(1 / d, noise_shape, noise_mean) +
                       log_gamma_prior(lambda[0], weight_shape, weight_mean);
        if (by_input) log_p += log_gamma_prior(lambda[1], weight_shape, weight_mean);
        const double p = std::exp(log_p + 10);
        Values f = {log_d, log_d * log_d, l0, l0 * l0};
        if (by_input) f.insert(f.end(), {l1, l1 * l1});
        f.insert(f.end(), {mean[0], mean[1]});
        for (size_t q = 0; q < f.size(); ++q) sum[q] += p * f[q];
        total += p;
      }
  for (double &value : sum) value /= total;
  return sum;
}

struct Sampler {
  int32_t kind, posterior;
  std::vector<std::pair<int32_t, double>> options;
};

Values functions_of(nnp_chain *chain, bool by_input) {
  double params[8];
  nnp_chain_parameters(chain, params, nullptr);
  Values f;
  for (int i = 0; i < (by_input ? 3 : 2); ++i) {
    const double x = std::log(params[2 + i]);
    f.insert(f.end(), {x, x * x});
  }
  f.insert(f.end(), {params[0], params[1]});
  return f;
}

void check(const Sampler &sampler, bool by_input) {
  const Problem p = make_problem();
  nnp_error err;
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;
  nnp_net_create(&net, 2, nullptr);
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_GAUSSIAN, nullptr);
  nnp_net_set(net, 1, NNP_BIAS, 0, nullptr);
  nnp_net_learn(net, 1, NNP_NOISE, noise_shape, noise_mean, nullptr);
  nnp_net_learn(net, 1, by_input ? NNP_ARD : NNP_LAMBDA_W, weight_shape, weight_mean, nullptr);
  nnp_data_create(&data, rows, 2, 1, nullptr);
  nnp_data_set_inputs(data, &p.x[0][0], NNP_ROW_MAJOR, nullptr);
  nnp_data_set_targets(data, p.y, NNP_ROW_MAJOR, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_chain_create(&chain, net, data, sampler.kind, sampler.posterior, &err));
  set_test_level(chain);
  for (const auto &option : sampler.options)
    TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_set(chain, option.first, option.second, &err));
  nnp_chain_start(chain, NNP_START_ZERO, 3, 0, nullptr);
  nnp_chain_run(chain, shortened(1000, 3), nullptr, nullptr, nullptr);
  const int64_t batches = shortened(100, 3), length = shortened(1000, 2);
  std::vector<Values> means;
  for (int64_t b = 0; b < batches; ++b) {
    Values mean;
    for (int64_t i = 0; i < length; ++i) {
      TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_run(chain, 1, nullptr, nullptr, &err));
      const Values f = functions_of(chain, by_input);
      if (mean.empty()) mean.assign(f.size(), 0.0);
      for (size_t q = 0; q < f.size(); ++q) mean[q] += f[q] / static_cast<double>(length);
    }
    means.push_back(mean);
  }
  const Values expected = by_quadrature(sums_of(p), by_input);
  for (size_t q = 0; q < expected.size(); ++q) {
    double mean = 0, variance = 0;
    for (const Values &m : means) mean += m[q] / static_cast<double>(batches);
    for (const Values &m : means) variance += (m[q] - mean) * (m[q] - mean);
    const double se = std::sqrt(variance / static_cast<double>(batches * (batches - 1)));
    char message[160];
    std::snprintf(message, sizeof message,
                  "sampler %d, by input %d, function %d: chain %.5g (se %.2g), closed form %.5g",
                  static_cast<int>(sampler.kind), by_input, static_cast<int>(q), mean, se,
                  expected[q]);
    VERDICT_MESSAGE(std::fabs(mean - expected[q]) < 4 * se, message);
    VERDICT_MESSAGE(se < 0.02, message);
  }
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

void check_both(const Sampler &sampler) {
  check(sampler, false);
  check(sampler, true);
}

void test_gibbs() {
  check_both({NNP_GIBBS, NNP_INTERMEDIATE, {}});
}

void test_hmc() {
  check_both({NNP_HMC,
              NNP_CLASSICAL,
              {{NNP_OPTION_STEP_SIZE, 0.2}, {NNP_OPTION_LEAPFROGS, 5}, {NNP_OPTION_JITTER, 0.3}}});
}

void test_nuts_adapted() {
  check_both(
      {NNP_NUTS, NNP_CLASSICAL, {{NNP_OPTION_WARMUP, static_cast<double>(shortened(900, 3))}}});
}

void test_mala() {
  check_both({NNP_MALA, NNP_INTERMEDIATE, {{NNP_OPTION_STEP_SIZE, 0.02}}});
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_gibbs);
  RUN_TEST(test_hmc);
  RUN_TEST(test_nuts_adapted);
  RUN_TEST(test_mala);
  return UNITY_END();
}
