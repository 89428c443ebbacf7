// The gradient statistic: against central differences of the log density for every layer with
// weights, and zero on average once a chain samples its posterior.
#include <cmath>
#include <cstring>
#include <vector>

#include "capi/common.hpp"
#include "tests/support/geweke.hpp"
#include "tests/support/nets.hpp"
#include "tests/support/watched.h"
extern "C" {
#include "capi/nnpost_diagnostics.h"
#include "unity.h"
}

using namespace nnp;

void setUp() {}
void tearDown() {}

namespace {

nnp_error err;

struct Case {
  nnp_net *net;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;

  Case(const nets::Architecture &a, int64_t n, uint64_t seed, int32_t sampler = NNP_GIBBS,
       int32_t posterior = NNP_INTERMEDIATE)
      : net(nets::make(a)) {
    data = geweke::make_data(*unwrap(net), n);
    nnp_chain_create(&chain, net, data, sampler, posterior, nullptr);
    nnp_chain_start(chain, NNP_START_PRIOR, seed, 0, nullptr);
  }
  ~Case() {
    nnp_chain_free(chain);
    nnp_data_free(data);
    nnp_net_free(net);
  }
  State &state() { return unwrap(chain)->chain->state; }
  double log_density() {
    double value = 0;
    nnp_chain_log_density(chain, &value, nullptr);
    return value;
  }
};

// The log density of the intermediate posterior is quadratic in any one weight: central differences
// of any width are exact but for rounding. That of the classical one is not: h must be small.
double by_differences(Case &c, int64_t k, double noise, double h) {
  const Layer &layer = c.state().net.layer(k);
  double *weights = layer.weights(c.state().params);
  double sum = 0;
  for (int64_t i = 0; i < layer.weight_count; ++i) {
    const double old = weights[i];
    weights[i] = old + h;
    const double above = c.log_density();
    weights[i] = old - h;
    sum += (above - c.log_density()) / (2 * h);
    weights[i] = old;
  }
  return noise * sum / static_cast<double>(layer.weight_count);
}

void agrees_with_differences() {
  for (int32_t head : nets::heads)
    for (int hidden = 0; hidden <= 2; ++hidden)
      for (bool bias : {true, false}) {
        Case c({hidden, NNP_RELU, head, bias}, 150, static_cast<uint64_t>(hidden));
        for (int64_t k = 1; k <= c.state().net.depth; ++k) {
          if (c.state().net.layer(k).weight_count == 0) continue;
          double u = 0;
          TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_chain_gradient_statistic(c.chain, k, &u, &err));
          const double want = by_differences(c, k, c.state().net.layer(k).noise, 0.25);
          TEST_ASSERT_TRUE(std::fabs(want) > 1e-6);
          TEST_ASSERT_TRUE(std::fabs(u - want) < 1e-9 * (1 + std::fabs(want)));
        }
      }
}

void agrees_for_the_classical_posterior() {
  for (int32_t head : nets::heads) {
    Case c({1, NNP_RELU, head, true}, 40, 2, NNP_HMC, NNP_CLASSICAL);
    for (int steps = 0; steps < 2; ++steps) {  // before the first step, and after it
      for (int64_t k : {1, 3}) {
        double u = 0;
        TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_chain_gradient_statistic(c.chain, k, &u, &err));
        const double want = by_differences(c, k, c.state().net.layer(3).noise, 1e-6);
        TEST_ASSERT_TRUE(std::fabs(want) > 1e-4);
        TEST_ASSERT_TRUE(std::fabs(u - want) < 1e-6 * (1 + std::fabs(want)));
      }
      TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_chain_run(c.chain, 1, nullptr, nullptr, &err));
    }
  }
}

// Asking does not change what the chain does.
void asking_leaves_the_chain_alone() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL}) {
    const int32_t sampler = posterior == NNP_CLASSICAL ? NNP_HMC : NNP_GIBBS;
    Case asked({1, NNP_RELU, NNP_GAUSSIAN, true}, 40, 2, sampler, posterior);
    Case left({1, NNP_RELU, NNP_GAUSSIAN, true}, 40, 2, sampler, posterior);
    for (int step = 0; step < 5; ++step) {
      double u = 0;
      nnp_chain_gradient_statistic(asked.chain, 1, &u, nullptr);
      nnp_chain_run(asked.chain, 1, nullptr, nullptr, nullptr);
      nnp_chain_run(left.chain, 1, nullptr, nullptr, nullptr);
    }
    const size_t bytes = static_cast<size_t>(left.state().net.param_count()) * sizeof(double);
    TEST_ASSERT_EQUAL_MEMORY(left.state().params, asked.state().params, bytes);
  }
}

// A convolution whose pool is integrated out: layers keep the numbers of the description.
void layers_count_as_described() {
  Case c({0, NNP_RELU, NNP_GAUSSIAN, true}, 4, 1);  // its parts are replaced
  nnp_chain_free(c.chain);
  nnp_data_free(c.data);
  nnp_net_free(c.net);
  nnp_net_create_image(&c.net, 1, 6, 6, nullptr);
  nnp_net_conv2d(c.net, 2, 3, 3, 1, 1, nullptr);
  nnp_net_avgpool(c.net, 2, 2, nullptr);
  nnp_net_activation(c.net, NNP_RELU, nullptr);
  nnp_net_dense(c.net, 1, nullptr);
  nnp_net_head(c.net, NNP_GAUSSIAN, nullptr);
  nnp_net_set(c.net, NNP_ALL_LAYERS, NNP_NOISE, 0.5, nullptr);
  c.data = geweke::make_data(*unwrap(c.net), 30);
  nnp_chain_create(&c.chain, c.net, c.data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr);
  nnp_chain_start(c.chain, NNP_START_PRIOR, 1, 0, nullptr);
  const int64_t described[] = {1, 4}, sampled[] = {1, 3};
  for (int i = 0; i < 2; ++i) {
    double u = 0;
    TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_chain_gradient_statistic(c.chain, described[i], &u, &err));
    const double noise = c.state().net.layer(sampled[i]).noise;
    const double want = by_differences(c, sampled[i], noise, 0.25);
    TEST_ASSERT_TRUE(std::fabs(want) > 1e-6);
    TEST_ASSERT_TRUE(std::fabs(u - want) < 1e-9 * (1 + std::fabs(want)));
  }
  double u = 0;
  for (int64_t k : {2, 3})
    TEST_ASSERT_EQUAL_INT(NNP_E_VALUE, nnp_chain_gradient_statistic(c.chain, k, &u, &err));
}

// E[d log P / dW] = 0 under P. The chain starts from its posterior, so no steps are lost; standard
// errors from 50 batches.
void is_zero_on_average() {
  Case c({1, NNP_RELU, NNP_GAUSSIAN, true}, 20, 3);
  const int batches = 50, length = static_cast<int>(shortened(200, 2));
  for (int64_t k : {1, 3}) {
    double sum = 0, square = 0;
    for (int b = 0; b < batches; ++b) {
      double mean = 0;
      for (int i = 0; i < length; ++i) {
        double u = 0;
        nnp_chain_run(c.chain, 1, nullptr, nullptr, nullptr);
        nnp_chain_gradient_statistic(c.chain, k, &u, nullptr);
        mean += u / length;
      }
      sum += mean;
      square += mean * mean;
    }
    const double centre = sum / batches;
    const double error = std::sqrt((square / batches - centre * centre) / (batches - 1));
    TEST_ASSERT_TRUE(error > 0);
    VERDICT(std::fabs(centre) < 4 * error);
  }
}

void bad_input_is_refused() {
  double u = 0;
  Case c({1, NNP_RELU, NNP_GAUSSIAN, true}, 4, 1);
  TEST_ASSERT_EQUAL_INT(NNP_E_NULL, nnp_chain_gradient_statistic(nullptr, 1, &u, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_NULL, nnp_chain_gradient_statistic(c.chain, 1, nullptr, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_SIZE, nnp_chain_gradient_statistic(c.chain, 0, &u, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_SIZE, nnp_chain_gradient_statistic(c.chain, 4, &u, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_VALUE, nnp_chain_gradient_statistic(c.chain, 2, &u, &err));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "layer = 2: expected a layer with weights"));
  nnp_chain *fresh = nullptr;
  nnp_chain_create(&fresh, c.net, c.data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr);
  TEST_ASSERT_EQUAL_INT(NNP_E_NOT_STARTED, nnp_chain_gradient_statistic(fresh, 1, &u, &err));
  nnp_chain_free(fresh);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(agrees_with_differences);
  RUN_TEST(agrees_for_the_classical_posterior);
  RUN_TEST(asking_leaves_the_chain_alone);
  RUN_TEST(layers_count_as_described);
  RUN_TEST(is_zero_on_average);
  RUN_TEST(bad_input_is_refused);
  return UNITY_END();
}
