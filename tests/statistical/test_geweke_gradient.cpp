// HMC, MALA and NUTS sample the posteriors they say they sample: Geweke's joint test on both
// posteriors, for regression and classes, and proof that the test sees a broken sampler.
#include "tests/support/geweke.hpp"
#include "unity.h"

namespace {

struct Case {
  int32_t sampler, posterior, head, activation;
  int hidden;
  bool bias;
};

nnp_net *make_net(const Case &c) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  for (int h = 0; h < c.hidden; ++h) {
    nnp_net_dense(net, h % 2 ? 2 : 3, nullptr);
    nnp_net_activation(net, c.activation, nullptr);
  }
  const int64_t outputs = c.head == NNP_GAUSSIAN ? 2 : c.head == NNP_ARGMAX ? 3 : 1;
  nnp_net_dense(net, outputs, nullptr);
  nnp_net_head(net, c.head, nullptr);
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  for (int64_t k = 1; k <= layers; ++k)
    nnp_net_set(net, k, NNP_NOISE, 0.8 + 0.2 * static_cast<double>(k % 3), nullptr);
  // The classical likelihood of classes is a probability only at 1/(2D) = 1.
  const bool classes = c.posterior == NNP_CLASSICAL && c.head != NNP_GAUSSIAN;
  if (classes) nnp_net_set(net, layers, NNP_NOISE, 0.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, c.bias ? 1 : 0, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 2.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 3.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_SLOPE, 0.3, nullptr);
  return net;
}

geweke::Setup setup_of(const Case &c) {
  geweke::Setup setup;
  setup.net = make_net(c);
  setup.sampler = c.sampler;
  setup.posterior = c.posterior;
  setup.n = 3;
  setup.steps = 25000;
  setup.seed = static_cast<uint64_t>(c.sampler * 10000 + c.posterior * 1000 + c.head * 100 +
                                     c.activation * 10 + c.hidden);
  if (c.sampler == NNP_HMC)
    setup.options = {
        {NNP_OPTION_STEP_SIZE, 0.3}, {NNP_OPTION_LEAPFROGS, 5}, {NNP_OPTION_JITTER, 0.3}};
  if (c.sampler == NNP_MALA) {
    setup.options = {{NNP_OPTION_STEP_SIZE, 0.08}};
    setup.thin = 12;  // a walk of small steps: slow
  }
  if (c.sampler == NNP_NUTS)
    setup.options = {{NNP_OPTION_STEP_SIZE, 0.35}, {NNP_OPTION_MAX_DEPTH, 5}};
  // Paths often end behind the boundary of some row's scores: slower still.
  if (c.sampler == NNP_NUTS && c.posterior == NNP_INTERMEDIATE && c.head != NNP_GAUSSIAN) {
    setup.thin = 24;
    setup.steps = 8000;
  }
  return setup;
}

void check(const Case &c) {
  const geweke::Result result = geweke::run(setup_of(c));
  char message[400];
  std::snprintf(message, sizeof message,
                "sampler %d, posterior %d, head %d, activation %d, hidden %d: %s", c.sampler,
                c.posterior, c.head, c.activation, c.hidden, result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

void check_sampler(int32_t sampler) {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD}) {
      check({sampler, posterior, head, NNP_RELU, 0, true});
      check({sampler, posterior, head, NNP_RELU, 1, true});
      check({sampler, posterior, head, NNP_TANH, 1, false});
    }
  check({sampler, NNP_CLASSICAL, NNP_GAUSSIAN, NNP_GELU, 2, true});
  check({sampler, NNP_INTERMEDIATE, NNP_GAUSSIAN, NNP_SOFTPLUS, 1, true});
  check({sampler, NNP_INTERMEDIATE, NNP_GAUSSIAN, NNP_LEAKY_RELU, 1, true});
  check({sampler, NNP_CLASSICAL, NNP_ARGMAX, NNP_HARD_TANH, 1, true});
}

void test_hmc() {
  check_sampler(NNP_HMC);
}

void test_mala() {
  check_sampler(NNP_MALA);
}

void test_nuts() {
  check_sampler(NNP_NUTS);
}

// Convolutions and pools, kept or collapsed.
void test_conv_nets() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
    for (int32_t sampler : {NNP_HMC, NNP_NUTS}) {
      nnp_net *net = nullptr;
      nnp_net_create(&net, 16, nullptr);
      nnp_net_image(net, 1, 4, 4, nullptr);
      nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
      nnp_net_avgpool(net, 1, 2, nullptr);
      nnp_net_activation(net, NNP_RELU, nullptr);
      nnp_net_dense(net, 1, nullptr);
      nnp_net_head(net, NNP_GAUSSIAN, nullptr);
      nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.9, nullptr);
      nnp_net_set(net, NNP_ALL_LAYERS, NNP_COLLAPSE, sampler == NNP_HMC ? 0 : 1, nullptr);
      geweke::Setup setup = setup_of({sampler, posterior, NNP_GAUSSIAN, NNP_RELU, 1, true});
      nnp_net_free(setup.net);
      setup.net = net;
      setup.n = 2;
      const geweke::Result result = geweke::run(setup);
      TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, result.where.c_str());
    }
}

// Maximum pools, below and above the weights, and a padded convolution.
nnp_net *maxpool_net(int32_t head, double last_noise) {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, 1, 4, 3, nullptr);
  nnp_net_maxpool(net, 1, 1, nullptr);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_set(net, 2, NNP_PADDING_X, 1, nullptr);
  nnp_net_maxpool(net, 3, 2, nullptr);
  nnp_net_activation(net, NNP_TANH, nullptr);
  nnp_net_dense(net, head == NNP_ARGMAX ? 3 : 1, nullptr);
  nnp_net_head(net, head, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.9, nullptr);
  nnp_net_set(net, 5, NNP_NOISE, last_noise, nullptr);
  return net;
}

void test_maxpool_nets() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
    for (int32_t sampler : {NNP_HMC, NNP_NUTS}) {
      const int32_t head = posterior == NNP_CLASSICAL ? NNP_ARGMAX : NNP_GAUSSIAN;
      geweke::Setup setup = setup_of({sampler, posterior, head, NNP_RELU, 1, true});
      nnp_net_free(setup.net);
      setup.net = maxpool_net(head, posterior == NNP_CLASSICAL ? 0.5 : 0.7);
      setup.n = 2;
      setup.options[0].second = 0.15;  // a weight has 12 outputs a row to answer to
      if (sampler == NNP_HMC) setup.options[1].second = 10;
      const geweke::Result result = geweke::run(setup);
      TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, result.where.c_str());
    }
}

// Noise of another size above or below the pool is found out.
void test_a_broken_maxpool_net_fails() {
  for (int64_t layer : {2, 3}) {
    geweke::Setup setup = setup_of({NNP_HMC, NNP_INTERMEDIATE, NNP_GAUSSIAN, NNP_RELU, 1, true});
    nnp_net_free(setup.net);
    setup.net = maxpool_net(NNP_GAUSSIAN, 0.7);
    setup.n = 2;
    setup.options[0].second = 0.12;
    setup.options[1].second = 10;
    setup.wrong_layer = layer;
    setup.wrong_factor = layer == 2 ? 1.4 : 2.5;  // layer 3 has 4 sites a row
    const geweke::Result result = geweke::run(setup);
    TEST_ASSERT_TRUE_MESSAGE(result.worst > 5, result.where.c_str());
  }
}

// A sampler that believes in another noise than the data has is found out.
void test_a_broken_sampler_fails() {
  for (int32_t sampler : {NNP_HMC, NNP_MALA, NNP_NUTS})
    for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL}) {
      geweke::Setup setup = setup_of({sampler, posterior, NNP_GAUSSIAN, NNP_RELU, 1, true});
      setup.wrong_layer = 3;
      setup.wrong_factor = 1.4;
      const geweke::Result result = geweke::run(setup);
      TEST_ASSERT_TRUE_MESSAGE(result.worst > 5, result.where.c_str());
    }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_hmc);
  RUN_TEST(test_mala);
  RUN_TEST(test_nuts);
  RUN_TEST(test_conv_nets);
  RUN_TEST(test_maxpool_nets);
  RUN_TEST(test_a_broken_maxpool_net_fails);
  RUN_TEST(test_a_broken_sampler_fails);
  return UNITY_END();
}
