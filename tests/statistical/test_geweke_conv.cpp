// Networks with convolutions and pools are sampled from the posterior they have: Geweke's joint
// test, collapsed and not, and collapsed against not for the posterior of the weights.
#include <algorithm>
#include <vector>

#include "tests/support/geweke.hpp"
#include "tests/support/level.h"
extern "C" {
#include "unity.h"
}

void setUp(void) {}
void tearDown(void) {}

namespace {

nnp_net *image(int64_t channels, int64_t height, int64_t width) {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, channels, height, width, nullptr);
  return net;
}

// Ends the network, with noise and priors that differ from layer to layer and are broad enough for
// the chain to move fast.
nnp_net *finish(nnp_net *net, int64_t outputs, int32_t head) {
  if (outputs > 0) nnp_net_dense(net, outputs, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_head(net, head, nullptr));
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  for (int64_t k = 1; k <= layers; ++k)
    nnp_net_set(net, k, NNP_NOISE, 0.8 + 0.3 * static_cast<double>(k % 3), nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 3, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 4, nullptr);
  return net;
}

nnp_net *conv_relu_dense(int64_t stride, int32_t head) {
  nnp_net *net = image(2, 4, 3);
  nnp_net_conv2d(net, 2, 2, 2, stride, 1, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  return finish(net, head == NNP_ARGMAX ? 3 : 2, head);
}

// 1x5x4 -> 2x4x3, pooled to 2x2x1 with a column of pixels left over
nnp_net *conv_pool_relu_dense(double collapse, int32_t head) {
  nnp_net *net = image(1, 5, 4);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_set(net, 2, NNP_COLLAPSE, collapse, nullptr);
  return finish(net, head == NNP_ARGMAX ? 3 : 2, head);
}

// The second convolution draws its input: with fewer or with more outputs than that has.
nnp_net *conv_relu_conv_relu_dense(int64_t filters, int64_t stride, int32_t head) {
  nnp_net *net = image(1, 5, 4);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_conv2d(net, filters, 2, 2, stride, 1, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  return finish(net, head == NNP_ARGMAX ? 3 : 2, head);
}

// A pool that draws activations, with a row and a column of pixels left over.
nnp_net *conv_relu_pool_dense(int32_t head) {
  nnp_net *net = image(1, 4, 4);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  return finish(net, head == NNP_ARGMAX ? 3 : 2, head);
}

// A collapsed pair that draws its input, and is last.
nnp_net *conv_relu_conv_pool(double collapse, int64_t filters) {
  nnp_net *net = image(1, 5, 5);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_activation(net, NNP_ABS, nullptr);
  nnp_net_conv2d(net, filters, 2, 2, 1, 1, nullptr);
  nnp_net_avgpool(net, 1, 2, nullptr);
  nnp_net_set(net, 4, NNP_COLLAPSE, collapse, nullptr);
  finish(net, 0, NNP_GAUSSIAN);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 8, nullptr);  // weak weights: a faster chain
  return net;
}

// Linear layers one on another, pools of pools, and a dense layer regarded as an image.
nnp_net *mixed() {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  nnp_net_dense(net, 8, nullptr);
  nnp_net_image(net, 1, 4, 2, nullptr);
  nnp_net_avgpool(net, 2, 1, nullptr);
  nnp_net_avgpool(net, 1, 2, nullptr);
  nnp_net_conv2d(net, 3, 2, 1, 1, 1, nullptr);
  nnp_net_dense(net, 2, nullptr);
  return finish(net, 0, NNP_ARGMAX);
}

// Units of the dense layer are pixels: they share the weights of the convolution above.
nnp_net *dense_relu_conv() {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  nnp_net_dense(net, 8, nullptr);
  nnp_net_image(net, 2, 2, 2, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_conv2d(net, 2, 2, 1, 1, 1, nullptr);
  return finish(net, 0, NNP_GAUSSIAN);
}

void pad(nnp_net *net, int64_t layer, double y, double x) {
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_set(net, layer, NNP_PADDING_Y, y, nullptr));
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_set(net, layer, NNP_PADDING_X, x, nullptr));
}

// 1x3x3 -> 2x4x4, pooled to 2x2x2: every pool has outputs that see the padding.
nnp_net *padded_conv_pool_relu_dense(double collapse, int32_t head) {
  nnp_net *net = image(1, 3, 3);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  pad(net, 1, 1, 1);
  nnp_net_avgpool(net, 2, 2, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_set(net, 2, NNP_COLLAPSE, collapse, nullptr);
  return finish(net, head == NNP_ARGMAX ? 3 : 2, head);
}

// The second convolution draws its input, with fewer or with more outputs than that has: AA' or A'A
// with borders. With a pool it is collapsed or not.
nnp_net *padded_conv_abs_conv(int64_t filters, int64_t stride, double collapse) {
  nnp_net *net = image(1, 3, 3);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_activation(net, NNP_ABS, nullptr);
  nnp_net_conv2d(net, filters, 2, 2, stride, 1, nullptr);
  pad(net, 3, 1, 1);
  if (stride == 1) nnp_net_avgpool(net, 1, 2, nullptr);
  if (stride == 1) nnp_net_set(net, 4, NNP_COLLAPSE, collapse, nullptr);
  finish(net, 0, NNP_GAUSSIAN);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 8, nullptr);  // weak weights: a faster chain
  return net;
}

void check(const char *name, nnp_net *net, int32_t schedule, int64_t n, int64_t steps) {
  geweke::Setup setup;
  setup.net = net;
  setup.options = {{NNP_OPTION_SCHEDULE, schedule}};
  setup.n = n;
  setup.steps = steps;
  setup.seed = static_cast<uint64_t>(7 + schedule);
  const geweke::Result result = geweke::run(setup);
  char message[400];
  std::snprintf(message, sizeof message, "%s, schedule %d: %s", name, schedule,
                result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

template <class Make>
void check_both(const char *name, Make make, int64_t n = 3, int64_t steps = 12000) {
  for (int32_t schedule : {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD})
    check(name, make(), schedule, n, steps);
}

void test_conv_relu_dense() {
  for (int64_t stride : {1, 2})
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX})
      check_both("conv relu dense", [=] { return conv_relu_dense(stride, head); });
}

void test_conv_pool_relu_dense() {
  for (double collapse : {1.0, 0.0})
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX})
      check_both(collapse > 0 ? "conv+pool relu dense" : "conv pool relu dense",
                 [=] { return conv_pool_relu_dense(collapse, head); });
}

void test_conv_relu_conv_relu_dense() {
  check_both("few outputs", [] { return conv_relu_conv_relu_dense(1, 1, NNP_GAUSSIAN); });
  check_both("few outputs, stride 2", [] { return conv_relu_conv_relu_dense(2, 2, NNP_ARGMAX); });
  check_both(
      "many outputs", [] { return conv_relu_conv_relu_dense(4, 1, NNP_ARGMAX); }, 2);
}

void test_conv_relu_pool_dense() {
  for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX})
    check_both("conv relu pool dense", [=] { return conv_relu_pool_dense(head); });
}

void test_conv_relu_conv_pool() {
  for (double collapse : {1.0, 0.0})
    for (int64_t filters : {1, 4})
      check_both(
          collapse > 0 ? "conv abs conv+pool" : "conv abs conv pool",
          [=] { return conv_relu_conv_pool(collapse, filters); }, 2);
}

void test_mixed_layers() {
  check_both("mixed", [] { return mixed(); });
}

void test_padding() {
  for (double collapse : {1.0, 0.0})
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX})
      check_both(collapse > 0 ? "padded conv+pool relu dense" : "padded conv pool relu dense",
                 [=] { return padded_conv_pool_relu_dense(collapse, head); });
  check_both(
      "padded, few outputs", [] { return padded_conv_abs_conv(1, 2, 1); }, 2);
  for (double collapse : {1.0, 0.0})
    for (int64_t filters : {1, 3})
      check_both(
          collapse > 0 ? "conv abs padded conv+pool" : "conv abs padded conv pool",
          [=] { return padded_conv_abs_conv(filters, 1, collapse); }, 2);
}

// The extra moves: over-relaxed, a filter with its whole channel moved or scaled as one unit.
void test_extra_moves() {
  const std::vector<std::pair<int32_t, double>> moves[] = {
      {{NNP_OPTION_RELAX, -0.7}, {NNP_OPTION_PLAIN_EVERY, 3}},
      {{NNP_OPTION_UNIT_MOVES, 2}},
      {{NNP_OPTION_SCALE_MOVES, 3}},
      {{NNP_OPTION_MOVES, NNP_MOVES_AUTOMATIC}},
  };
  for (const auto &options : moves) {
    nnp_net *nets[] = {conv_pool_relu_dense(1, NNP_ARGMAX),
                       conv_relu_conv_relu_dense(4, 1, NNP_ARGMAX), dense_relu_conv(),
                       padded_conv_pool_relu_dense(1, NNP_ARGMAX)};
    for (nnp_net *net : nets) {
      geweke::Setup setup;
      setup.net = net;
      setup.options = options;
      setup.n = 2;
      // Over-relaxed chains are slow: shorter runs would underrate their standard errors.
      setup.steps = options[0].first == NNP_OPTION_RELAX ? 24000 : 6000;
      const geweke::Result result = geweke::run(setup);
      TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, result.where.c_str());
    }
  }
}

// All filters at once, below a dense layer.
void test_layer_moves() {
  nnp_net *nets[] = {conv_pool_relu_dense(1, NNP_ARGMAX), conv_pool_relu_dense(1, NNP_GAUSSIAN),
                     conv_relu_conv_relu_dense(4, 1, NNP_ARGMAX),
                     padded_conv_pool_relu_dense(1, NNP_GAUSSIAN)};
  for (nnp_net *net : nets) {
    geweke::Setup setup;
    setup.net = net;
    setup.options = {{NNP_OPTION_LAYER_MOVES, 1}};
    setup.n = 2;
    setup.steps = 6000;
    const geweke::Result result = geweke::run(setup);
    TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, result.where.c_str());
  }
}

// More rows than one tile and one block.
void test_many_rows() {
  for (double collapse : {1.0, 0.0}) {
    nnp_net *net = conv_pool_relu_dense(collapse, NNP_GAUSSIAN);
    // So much noise that 600 rows say about as much as the prior: else the chain would be slow.
    const double noise[] = {4000, 2000, 400, 4e5};
    for (int64_t k = 1; k <= 4; ++k) nnp_net_set(net, k, NNP_NOISE, noise[k - 1], nullptr);
    check("many rows", net, NNP_SEQUENTIAL, 600, 1500);
  }
}

// A sampler that believes in other noise than the data has is found out, layer by layer.
void test_a_broken_sampler_fails() {
  for (int64_t layer = 1; layer <= 4; ++layer) {
    geweke::Setup setup;
    setup.net = conv_pool_relu_dense(0, NNP_GAUSSIAN);
    setup.wrong_layer = layer;
    setup.wrong_factor = 1.4;
    setup.n = 3;
    const geweke::Result result = geweke::run(setup);
    TEST_ASSERT_TRUE_MESSAGE(result.worst > 5, result.where.c_str());
  }
}

// ---- collapsed against not -----------------------------------------------------------------

struct Estimate {
  std::vector<double> mean, variance;  // of each function, and of its mean
};

// Averages of weights and of products of weights over a chain on fixed data, with batch means
// (batches several times as long as it takes the chain to forget).
Estimate weights_posterior(nnp_net *net, uint64_t seed) {
  constexpr int64_t rows = 30, batches = 50;
  const int64_t steps = shortened(6000, 2);
  const double length = static_cast<double>(steps);
  // The convolution's noise counts most.
  const double noise[] = {3, 0.1, 0.2, 0.5};
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  for (int64_t k = 1; k <= layers; ++k) nnp_net_set(net, k, NNP_NOISE, noise[k - 1], nullptr);
  const int64_t outputs = nnp::unwrap(net)->outputs();
  nnp_data *data = geweke::make_data(*nnp::unwrap(net), rows);
  std::vector<double> y;
  for (int64_t i = 0; i < rows * outputs; ++i) y.push_back(2 * geweke::uniform_input(3 * i));
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  nnp_chain *chain = nullptr;
  nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr);
  set_test_level(chain);
  nnp_chain_start(chain, NNP_START_PRIOR, seed, 0, nullptr);
  nnp_chain_run(chain, shortened(1000, 10), nullptr, nullptr, nullptr);
  int64_t count = 0;
  nnp_net_parameters(net, &count, nullptr);
  std::vector<double> draws(static_cast<size_t>(count * steps));
  Estimate e;
  for (int64_t b = 0; b < batches; ++b) {
    nnp_chain_sample(chain, draws.data(), steps, 1, nullptr, nullptr, nullptr);
    std::vector<double> batch(static_cast<size_t>(3 * count), 0.0);
    for (int64_t s = 0; s < steps; ++s)
      for (int64_t i = 0; i < count; ++i) {
        const double *draw = draws.data() + s * count;
        const double w = draw[i], next = draw[(i + 1) % count];
        batch[static_cast<size_t>(3 * i)] += w / length;
        batch[static_cast<size_t>(3 * i + 1)] += w * w / length;
        batch[static_cast<size_t>(3 * i + 2)] += w * next / length;
      }
    if (e.mean.empty()) e = {std::vector<double>(batch.size()), std::vector<double>(batch.size())};
    for (size_t i = 0; i < batch.size(); ++i) {
      e.mean[i] += batch[i];
      e.variance[i] += batch[i] * batch[i];
    }
  }
  for (size_t i = 0; i < e.mean.size(); ++i) {
    e.mean[i] /= batches;
    e.variance[i] = (e.variance[i] / batches - e.mean[i] * e.mean[i]) / (batches - 1);
  }
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  return e;
}

double largest_z(const Estimate &a, const Estimate &b) {
  double largest = 0;
  for (size_t i = 0; i < a.mean.size(); ++i)
    largest = std::max(largest,
                       std::fabs(a.mean[i] - b.mean[i]) / std::sqrt(a.variance[i] + b.variance[i]));
  return largest;
}

void check_agreement(const Estimate &with, const Estimate &without) {
  const double z = largest_z(with, without);
  char message[80];
  std::snprintf(message, sizeof message, "z = %g", z);
  VERDICT_MESSAGE(z < 4, message);
}

void test_collapsed_and_not_agree_on_the_weights() {
  check_agreement(weights_posterior(conv_pool_relu_dense(1, NNP_GAUSSIAN), 111),
                  weights_posterior(conv_pool_relu_dense(0, NNP_GAUSSIAN), 112));
}

// Where the pool is last a collapsed chain makes independent draws: the sharpest comparison.
nnp_net *conv_pool(double collapse) {
  nnp_net *net = image(1, 5, 4);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  nnp_net_set(net, 2, NNP_COLLAPSE, collapse, nullptr);
  return finish(net, 0, NNP_GAUSSIAN);
}

void test_collapsed_and_not_agree_where_draws_are_independent() {
  check_agreement(weights_posterior(conv_pool(1), 13), weights_posterior(conv_pool(0), 14));
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_conv_relu_dense);
  RUN_TEST(test_conv_pool_relu_dense);
  RUN_TEST(test_conv_relu_conv_relu_dense);
  RUN_TEST(test_conv_relu_pool_dense);
  RUN_TEST(test_conv_relu_conv_pool);
  RUN_TEST(test_mixed_layers);
  RUN_TEST(test_padding);
  RUN_TEST(test_extra_moves);
  RUN_TEST(test_layer_moves);
  RUN_TEST(test_many_rows);
  RUN_TEST(test_a_broken_sampler_fails);
  RUN_TEST(test_collapsed_and_not_agree_on_the_weights);
  RUN_TEST(test_collapsed_and_not_agree_where_draws_are_independent);
  return UNITY_END();
}
