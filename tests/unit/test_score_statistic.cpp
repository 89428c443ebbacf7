// The score statistic: against central differences of the log density for every layer with weights,
// and zero on average once a chain samples its posterior.
#include <cmath>
#include <cstring>
#include <vector>

#include "capi/common.hpp"
#include "tests/support/geweke.hpp"
#include "tests/support/nets.hpp"
extern "C" {
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

  Case(const nets::Architecture &a, int64_t n, uint64_t seed) : net(nets::make(a)) {
    data = geweke::make_data(*unwrap(net), n);
    nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr);
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

// The log density is quadratic in any one weight: central differences are exact but for rounding.
double by_differences(Case &c, int64_t k) {
  const Layer &layer = c.state().net.layer(k);
  double *weights = layer.weights(c.state().params);
  double sum = 0;
  for (int64_t i = 0; i < layer.weight_count; ++i) {
    const double old = weights[i], h = 0.25;
    weights[i] = old + h;
    const double above = c.log_density();
    weights[i] = old - h;
    sum += (above - c.log_density()) / (2 * h);
    weights[i] = old;
  }
  return layer.noise * sum / static_cast<double>(layer.weight_count);
}

void agrees_with_differences() {
  for (int32_t head : nets::heads)
    for (int hidden = 0; hidden <= 2; ++hidden)
      for (bool bias : {true, false}) {
        Case c({hidden, NNP_RELU, head, bias}, 150, static_cast<uint64_t>(hidden));
        for (int64_t k = 1; k <= c.state().net.depth; ++k) {
          if (c.state().net.layer(k).weight_count == 0) continue;
          double u = 0;
          TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_chain_score_statistic(c.chain, k, &u, &err));
          const double want = by_differences(c, k);
          TEST_ASSERT_TRUE(std::fabs(want) > 1e-6);
          TEST_ASSERT_TRUE(std::fabs(u - want) < 1e-9 * (1 + std::fabs(want)));
        }
      }
}

// E[d log P / dW] = 0 under P. The chain starts from its posterior, so no steps are lost; standard
// errors from 50 batches.
void is_zero_on_average() {
  Case c({1, NNP_RELU, NNP_GAUSSIAN, true}, 20, 3);
  const int batches = 50, length = 200;
  for (int64_t k : {1, 3}) {
    double sum = 0, square = 0;
    for (int b = 0; b < batches; ++b) {
      double mean = 0;
      for (int i = 0; i < length; ++i) {
        double u = 0;
        nnp_chain_run(c.chain, 1, nullptr, nullptr, nullptr);
        nnp_chain_score_statistic(c.chain, k, &u, nullptr);
        mean += u / length;
      }
      sum += mean;
      square += mean * mean;
    }
    const double centre = sum / batches;
    const double error = std::sqrt((square / batches - centre * centre) / (batches - 1));
    TEST_ASSERT_TRUE(error > 0);
    TEST_ASSERT_TRUE(std::fabs(centre) < 4 * error);
  }
}

void bad_input_is_refused() {
  double u = 0;
  Case c({1, NNP_RELU, NNP_GAUSSIAN, true}, 4, 1);
  TEST_ASSERT_EQUAL_INT(NNP_E_NULL, nnp_chain_score_statistic(nullptr, 1, &u, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_NULL, nnp_chain_score_statistic(c.chain, 1, nullptr, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_SIZE, nnp_chain_score_statistic(c.chain, 0, &u, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_OVERFLOW, nnp_chain_score_statistic(c.chain, 4, &u, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_VALUE, nnp_chain_score_statistic(c.chain, 2, &u, &err));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "layer = 2: it has no weights"));
  nnp_chain *fresh = nullptr;
  nnp_chain_create(&fresh, c.net, c.data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr);
  TEST_ASSERT_EQUAL_INT(NNP_E_NOT_STARTED, nnp_chain_score_statistic(fresh, 1, &u, &err));
  nnp_chain_free(fresh);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(agrees_with_differences);
  RUN_TEST(is_zero_on_average);
  RUN_TEST(bad_input_is_refused);
  return UNITY_END();
}
