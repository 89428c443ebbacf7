// Gradients in single precision only propose: HMC, MALA and NUTS that follow them pass Geweke's joint
// test, even if these gradients are poor; a wrong energy is found out; and the draws have the law of
// those that follow gradients in double precision.
#include <cmath>
#include <vector>

#include "tests/support/geweke.hpp"
#include "unity.h"

namespace {

nnp_net *make_net(int32_t head, int32_t activation) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  nnp_net_dense(net, 3, nullptr);
  nnp_net_activation(net, activation, nullptr);
  nnp_net_dense(net, head == NNP_ARGMAX ? 3 : 2, nullptr);
  nnp_net_head(net, head, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, head == NNP_ARGMAX ? 0.5 : 0.8, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 2.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 3.5, nullptr);
  return net;
}

geweke::Setup setup_of(int32_t sampler, int32_t head, int32_t activation) {
  geweke::Setup setup;
  setup.net = make_net(head, activation);
  setup.sampler = sampler;
  setup.posterior = NNP_CLASSICAL;
  setup.n = 3;
  setup.steps = 25000;
  setup.seed = static_cast<uint64_t>(sampler * 10000 + head * 100 + activation);
  setup.options = {{NNP_OPTION_SINGLE_GRADIENTS, 1}};
  if (sampler == NNP_HMC)
    setup.options.insert(
        setup.options.end(),
        {{NNP_OPTION_STEP_SIZE, 0.3}, {NNP_OPTION_LEAPFROGS, 5}, {NNP_OPTION_JITTER, 0.3}});
  if (sampler == NNP_MALA) {
    setup.options.push_back({NNP_OPTION_STEP_SIZE, 0.08});
    setup.thin = 12;  // a walk of small steps: slow
  }
  if (sampler == NNP_NUTS)
    setup.options.insert(setup.options.end(),
                         {{NNP_OPTION_STEP_SIZE, 0.35}, {NNP_OPTION_MAX_DEPTH, 5}});
  return setup;
}

const int32_t samplers[] = {NNP_HMC, NNP_MALA, NNP_NUTS};

// A table of kernels with some of them replaced, for the state of one chain at a time.
nnp::Kernels changed;
nnp::SingleKernels changed_single;

nnp::SingleKernels &changed_single_of(nnp::State &state) {
  changed = *state.kernels;
  changed_single = *changed.single;
  changed.single = &changed_single;
  state.kernels = &changed;
  return changed_single;
}

void test_the_joint_law() {
  for (int32_t sampler : samplers)
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX})
      for (int32_t activation : {NNP_RELU, NNP_TANH, NNP_SOFTPLUS}) {
        const geweke::Result result = geweke::run(setup_of(sampler, head, activation));
        VERDICT_MESSAGE(result.worst < 4, result.where.c_str());
      }
}

// The likelihood pulls twice as hard as it should, and inputs are rounded to halves.
void spoil_gradients(nnp::State &state) {
  nnp::SingleKernels &single = changed_single_of(state);
  single.add_cross = [](nnp::ConstSingleTile u, nnp::ConstSingleTile v, double *c, int64_t ldc) {
    for (int64_t j = 0; j < v.width; ++j)
      for (int64_t i = 0; i < u.width; ++i)
        for (int64_t row = 0; row < u.rows; ++row)
          c[i + j * ldc] += 2 * static_cast<double>(u.col(i)[row] * v.col(j)[row]);
  };
  single.narrow = [](nnp::ConstTile in, nnp::SingleTile out) {
    for (int64_t j = 0; j < in.width; ++j)
      for (int64_t row = 0; row < out.rows; ++row)
        out.col(j)[row] =
            row < in.rows ? static_cast<float>(std::round(2 * in.col(j)[row]) / 2) : 0.0f;
  };
}

void test_poor_gradients_do_not_bias() {
  for (int32_t sampler : samplers)
    for (int32_t activation : {NNP_RELU, NNP_TANH}) {
      geweke::Setup setup = setup_of(sampler, NNP_GAUSSIAN, activation);
      setup.change = spoil_gradients;
      const geweke::Result result = geweke::run(setup);
      VERDICT_MESSAGE(result.worst < 4, result.where.c_str());
    }
}

// Squared residuals count 1.4 times in the energy, and once in the gradient.
double (*true_subtract)(nnp::ConstTile, nnp::ConstTile, double, nnp::Tile);
void spoil_energy(nnp::State &state) {
  changed_single_of(state);
  true_subtract = changed.subtract;
  changed.subtract = [](nnp::ConstTile a, nnp::ConstTile b, double scale, nnp::Tile out) {
    return 1.4 * true_subtract(a, b, scale, out);
  };
}

void test_a_wrong_energy_fails() {
  for (int32_t sampler : samplers) {
    geweke::Setup setup = setup_of(sampler, NNP_GAUSSIAN, NNP_RELU);
    setup.change = spoil_energy;
    const geweke::Result result = geweke::run(setup);
    VERDICT_MESSAGE(result.worst > 5, result.where.c_str());
  }
}

// ---- against gradients in double precision -----------------------------------------------------

constexpr int64_t n = 150, features = 3;

struct Means {
  double mean[3], error[3];  // of the log density, of the sum of squared weights, of one prediction
};

Means sampled(int32_t sampler, bool single, uint64_t seed) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, features, nullptr);
  nnp_net_dense(net, 5, nullptr);
  nnp_net_activation(net, NNP_TANH, nullptr);
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_GAUSSIAN, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.05, nullptr);
  nnp_data *data = geweke::make_data(*nnp::unwrap(net), n);
  std::vector<double> y(n);
  for (int64_t i = 0; i < n; ++i)
    y[static_cast<size_t>(i)] = std::sin(2 * geweke::uniform_input(features * i)) +
                                0.2 * std::cos(static_cast<double>(37 * i));
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  nnp_chain *chain = nullptr;
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_create(&chain, net, data, sampler, NNP_CLASSICAL, nullptr));
  set_test_level(chain);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_chain_set(chain, NNP_OPTION_SINGLE_GRADIENTS, single ? 1 : 0, nullptr));
  nnp_chain_set(chain, NNP_OPTION_WARMUP, 1000, nullptr);
  if (sampler == NNP_HMC) nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, 12, nullptr);
  nnp_chain_start(chain, NNP_START_FIT, seed, 0, nullptr);
  nnp_chain_run(chain, 1000, nullptr, nullptr, nullptr);
  const int64_t batches = shortened(50, 5),
                length = shortened(sampler == NNP_MALA ? 2000 : 200, 10);
  nnp::State &state = nnp::unwrap(chain)->chain->state;
  Means means = {};
  std::vector<double> all[3];
  for (int64_t batch = 0; batch < batches; ++batch) {
    double sums[3] = {0, 0, 0};
    for (int64_t i = 0; i < length; ++i) {
      nnp_chain_run(chain, 1, nullptr, nullptr, nullptr);
      const double values[3] = {nnp::log_density(state),
                                nnp::squared_norm(state.params, state.net.param_count()),
                                geweke::outputs_of(state, 0).col(0)[7]};
      for (int v = 0; v < 3; ++v) sums[v] += values[v] / static_cast<double>(length);
    }
    for (int v = 0; v < 3; ++v) all[v].push_back(sums[v]);
  }
  for (int v = 0; v < 3; ++v) {
    const double count = static_cast<double>(batches);
    for (double value : all[v]) means.mean[v] += value / count;
    for (double value : all[v])
      means.error[v] += std::pow(value - means.mean[v], 2) / (count * (count - 1));
    means.error[v] = std::sqrt(means.error[v]);
  }
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  return means;
}

void test_the_law_of_double_precision() {
  for (int32_t sampler : samplers) {
    const Means one = sampled(sampler, true, 1), two = sampled(sampler, false, 2);
    for (int v = 0; v < 3; ++v) {
      const double z = (one.mean[v] - two.mean[v]) / std::hypot(one.error[v], two.error[v]);
      char message[200];
      std::snprintf(message, sizeof message, "sampler %d, function %d: %g (%g) and %g (%g)",
                    sampler, v, one.mean[v], one.error[v], two.mean[v], two.error[v]);
      VERDICT_MESSAGE(std::fabs(z) < 4, message);
    }
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_the_joint_law);
  RUN_TEST(test_poor_gradients_do_not_bias);
  RUN_TEST(test_a_wrong_energy_fails);
  RUN_TEST(test_the_law_of_double_precision);
  return UNITY_END();
}
