// The location-scale head is sampled right by every gradient sampler: Geweke's joint test, and a
// model of one mean and one log standard deviation against quadrature.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/chains.hpp"
#include "tests/support/geweke.hpp"
#include "unity.h"

namespace {

nnp_net *make(int64_t hidden, int64_t targets) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  if (hidden > 0) {
    nnp_net_dense(net, hidden, nullptr);
    nnp_net_activation(net, NNP_RELU, nullptr);
  }
  nnp_net_dense(net, 2 * targets, nullptr);
  nnp_net_head(net, NNP_LOCATION_SCALE, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.9, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 2.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 3.5, nullptr);
  // Standard deviations that stay within a factor of some four: steps of one length suit them all.
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  nnp_net_set(net, layers, NNP_LAMBDA_W, 12, nullptr);
  nnp_net_set(net, layers, NNP_LAMBDA_B, 12, nullptr);
  return net;
}

geweke::Setup setup_of(int32_t sampler, int32_t posterior, int64_t hidden, int64_t targets) {
  geweke::Setup setup;
  setup.net = make(hidden, targets);
  setup.sampler = sampler;
  setup.posterior = posterior;
  setup.n = 3;
  setup.steps = 20000;
  setup.thin = sampler == NNP_MALA ? 8 : 2;
  setup.seed = static_cast<uint64_t>(230 + 10 * sampler + posterior);
  setup.options = {{NNP_OPTION_STEP_SIZE, sampler == NNP_MALA ? 0.03 : 0.25}};
  if (sampler == NNP_HMC) setup.options.push_back({NNP_OPTION_LEAPFROGS, 6});
  setup.options.push_back({NNP_OPTION_JITTER, 0.6});
  if (sampler == NNP_NUTS) setup.options.push_back({NNP_OPTION_MAX_DEPTH, 4});
  return setup;
}

void test_gradient_samplers() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
    for (int32_t sampler : {NNP_HMC, NNP_MALA, NNP_NUTS})
      for (int64_t hidden : {0, 3}) {
        const geweke::Result result =
            geweke::run(setup_of(sampler, posterior, hidden, hidden ? 2 : 1));
        char message[400];
        std::snprintf(message, sizeof message, "sampler %d, posterior %d, hidden %d: %s", sampler,
                      posterior, static_cast<int>(hidden), result.where.c_str());
        TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
      }
}

// Hidden noise that is not the data's is found out. (That of the last layer does not enter.)
void test_a_broken_sampler_fails() {
  geweke::Setup setup = setup_of(NNP_HMC, NNP_INTERMEDIATE, 3, 2);
  setup.steps = 60000;
  setup.wrong_layer = 2;
  setup.wrong_factor = 2;
  const geweke::Result broken = geweke::run(setup);
  TEST_ASSERT_TRUE_MESSAGE(broken.worst > 5, broken.where.c_str());
}

// ---- two biases, against quadrature ------------------------------------------------------------

constexpr int64_t rows = 7;
constexpr double y[rows] = {-0.7, -0.1, 0.4, 0.6, 1.9, 0.2, 1.3};
constexpr double precision_b = 0.7;

double log_posterior(double mean, double a) {
  const double g = 15 * std::tanh(a / 15);
  double sum = -0.5 * precision_b * (mean * mean + a * a);
  for (double value : y) sum -= g + 0.5 * (value - mean) * (value - mean) * std::exp(-2 * g);
  return sum;
}

void test_two_parameters_against_quadrature() {
  double mass = 0, expected[4] = {0, 0, 0, 0};
  for (double m = -4; m <= 5; m += 0.01)
    for (double a = -4; a <= 6; a += 0.01) {
      const double density = std::exp(log_posterior(m, a)), f[4] = {m, a, m * m, a * a};
      mass += density;
      for (int q = 0; q < 4; ++q) expected[q] += f[q] * density;
    }
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  const double x[rows] = {0};  // only the biases matter
  nnp_net_create(&net, 1, nullptr);
  nnp_net_dense(net, 2, nullptr);
  nnp_net_head(net, NNP_LOCATION_SCALE, nullptr);
  nnp_net_set(net, 1, NNP_LAMBDA_B, precision_b, nullptr);
  nnp_data_create(&data, rows, 1, 1, nullptr);
  nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, nullptr);
  nnp_data_set_targets(data, y, NNP_ROW_MAJOR, nullptr);
  for (int32_t sampler : {NNP_HMC, NNP_NUTS})
    for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL}) {
      nnp_chain *chain = nullptr;
      TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_create(&chain, net, data, sampler, posterior, nullptr));
      set_test_level(chain);
      nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 0.2, nullptr);
      nnp_chain_start(chain, NNP_START_FIT, 5, 0, nullptr);
      const int64_t count = shortened(40000, 200), batch = count / 50;
      std::vector<double> draws(static_cast<size_t>(4 * count));
      nnp_chain_run(chain, 100, nullptr, nullptr, nullptr);
      nnp_chain_sample(chain, draws.data(), count, 2, nullptr, nullptr, nullptr);
      for (int q = 0; q < 4; ++q) {
        double sum = 0, square = 0;
        for (int64_t b = 0; b < 50; ++b) {
          double mean = 0;
          for (int64_t s = b * batch; s < (b + 1) * batch; ++s) {
            const double value = draws[static_cast<size_t>(4 * s + 2 + q % 2)];
            mean += (q < 2 ? value : value * value) / static_cast<double>(batch);
          }
          sum += mean / 50;
          square += mean * mean / 50;
        }
        const double se = std::sqrt((square - sum * sum) / 49);
        char message[160];
        std::snprintf(message, sizeof message, "sampler %d, function %d: %.5f (%.5f), %.5f",
                      sampler, q, sum, se, expected[q] / mass);
        VERDICT_MESSAGE(std::fabs(sum - expected[q] / mass) < 4 * se, message);
      }
      nnp_chain_free(chain);
    }
  nnp_data_free(data);
  nnp_net_free(net);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_two_parameters_against_quadrature);
  RUN_TEST(test_gradient_samplers);
  RUN_TEST(test_a_broken_sampler_fails);
  return UNITY_END();
}
