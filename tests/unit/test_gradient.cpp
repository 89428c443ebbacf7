// Gradients of both posteriors agree with differences of their log densities, for every layer kind,
// activation and head; and do not depend on threads.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "capi/common.hpp"
#include "lib/posterior/gradient.hpp"
#include "lib/random/variates.hpp"
#include "tests/support/geweke.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/threads.h"
#include "tests/support/watched.h"
#include "unity.h"

namespace {

using nnp::Arena;
using nnp::Density;
using nnp::State;
using nnp::Stream;

// A network, data and a state with all that gradients need, in memory of their own.
class Fixture {
 public:
  Fixture(nnp_net *net, int64_t n, bool with_latents) : net_(net) {
    data_ = geweke::make_data(*nnp::unwrap(net), n);
    Arena counter;
    layout(counter, with_latents);
    memory_.resize(counter.used() / sizeof(double) + 16, 0.0);
    void *start = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64 / 8;
    Arena arena(start, counter.used());
    layout(arena, with_latents);
    nnp::state_seed(state, 7, 0);
    Stream stream(11, 0, 0);
    geweke::generate(state, *nnp::unwrap(data_), stream);
    gradient.assign(static_cast<size_t>(state.position_size), 0.0);
  }
  ~Fixture() {
    nnp_data_free(data_);
    nnp_net_free(net_);
  }

  Density evaluate(double *out) {
    return nnp::density_and_gradient(state, work, state.params, out);
  }

  // The same of the weights alone, hidden layers without noise.
  Density evaluate_weights(double *out) {
    return nnp::weights_density_and_gradient(state, weights_work, state.params, out);
  }

  State state;
  nnp::GradientWork work = {}, weights_work = {};
  std::vector<double> gradient;

 private:
  void layout(Arena &arena, bool with_latents) {
    nnp::state_layout(arena, *nnp::unwrap(net_), *nnp::unwrap(data_), with_latents, state);
    nnp::gradient_layout(arena, state, work);
    nnp::single_layout(arena, state, work);
    nnp::weights_gradient_layout(arena, state.net, state.tiling, weights_work);
  }

  nnp_net *net_;
  nnp_data *data_ = nullptr;
  std::vector<double> memory_;
};

// d log density / d position[i] by a difference of fourth order.
double difference(Fixture &f, int64_t i) {
  std::vector<double> ignored(f.gradient.size());
  double &x = f.state.params[i];
  const double old = x, h = 2e-5;
  double value[4];
  const double offsets[4] = {-2 * h, -h, h, 2 * h};
  for (int j = 0; j < 4; ++j) {
    x = old + offsets[j];
    value[j] = f.evaluate(ignored.data()).log_density;
  }
  x = old;
  return (8 * (value[2] - value[1]) - (value[3] - value[0])) / (12 * h);
}

std::vector<int64_t> variables(const State &state) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < state.net.param_count(); ++i) all.push_back(i);
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    const int64_t width = state.net.site_width(k);
    for (int64_t row = 0; row < state.tiling.n; ++row)
      for (int64_t j = 0; j < width; ++j)
        all.push_back(state.latents[k] - state.params + state.tiling.at(width, row, j));
  }
  return all;
}

// Relative to the entry, or to a thousandth of the largest one where the entry is tiny.
void check_gradient(const char *name, nnp_net *net, int64_t n, bool with_latents) {
  Fixture f(net, n, with_latents);
  const double value = f.evaluate(f.gradient.data()).log_density;
  char message[200];
  std::snprintf(message, sizeof message, "%s, n = %d, %s", name, static_cast<int>(n),
                with_latents ? "intermediate" : "classical");
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-10 * std::fabs(value), value, nnp::log_density(f.state),
                                    message);
  double largest = 0;
  for (double g : f.gradient) largest = std::max(largest, std::fabs(g));
  const std::vector<int64_t> all = variables(f.state);
  const size_t stride = all.size() / static_cast<size_t>(shortened(150, 20)) + 1;
  for (size_t v = 0; v < all.size(); v += stride) {
    const double g = f.gradient[static_cast<size_t>(all[v])], d = difference(f, all[v]);
    std::snprintf(message, sizeof message, "%s, n = %d, %s, variable %d: gradient %.10g, %.10g",
                  name, static_cast<int>(n), with_latents ? "intermediate" : "classical",
                  static_cast<int>(all[v]), g, d);
    const double scale = std::max(std::fabs(d), 1e-3 * largest);
    // A value of 1e4 is rounded to 1e-12, and divided by the step of the differences.
    const double rounding = 1e-16 * std::fabs(value) / 2e-5;
    TEST_ASSERT_TRUE_MESSAGE(std::fabs(g - d) <= 1e-6 * scale + 8 * rounding, message);
  }
}

const int32_t activations[] = {NNP_IDENTITY,  NNP_RELU, NNP_LEAKY_RELU, NNP_ABS,
                               NNP_HARD_TANH, NNP_TANH, NNP_SOFTPLUS,   NNP_GELU};
const int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD, NNP_STUDENT_T,
                         NNP_LOCATION_SCALE};

nnp_net *make_net(int32_t activation, int32_t head, int hidden, bool bias) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 3, nullptr);
  for (int h = 0; h < hidden; ++h) {
    nnp_net_dense(net, h % 2 ? 3 : 4, nullptr);
    nnp_net_activation(net, activation, nullptr);
  }
  nnp_net_dense(net, head == NNP_ARGMAX ? 4 : head == NNP_SIGN_HEAD ? 1 : 2, nullptr);
  nnp_net_head(net, head, nullptr);
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  for (int64_t k = 1; k <= layers; ++k)
    nnp_net_set(net, k, NNP_NOISE, 0.4 + 0.3 * static_cast<double>(k), nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, bias ? 1 : 0, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 1.7, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 2.9, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_SLOPE, 0.3, nullptr);
  return net;
}

void test_every_activation_head_and_posterior() {
  for (int32_t activation : activations)
    for (int32_t head : heads)
      for (bool with_latents : {false, true}) {
        char name[100];
        std::snprintf(name, sizeof name, "activation %d, head %d", activation, head);
        const bool bias = (activation + head) % 2 == 0;
        check_gradient(name, make_net(activation, head, 1, bias), 9, with_latents);
        check_gradient(name, make_net(activation, head, 2, !bias), 5, with_latents);
      }
}

// What starts climb, for both posteriors: its gradient, and where there are no latents the density.
void test_the_density_of_weights_alone() {
  for (int32_t head : heads)
    for (bool with_latents : {false, true}) {
      Fixture f(make_net(NNP_TANH, head, 2, true), 300, with_latents);
      std::vector<double> gradient(f.gradient.size()), ignored(f.gradient.size());
      const double value = f.evaluate_weights(gradient.data()).log_density;
      if (!with_latents) TEST_ASSERT_EQUAL_DOUBLE(f.evaluate(ignored.data()).log_density, value);
      for (int64_t i = 0; i < f.state.net.param_count(); ++i) {
        double &x = f.state.params[i];
        const double old = x, h = 1e-4;
        double values[2];
        for (int j = 0; j < 2; ++j) {
          x = old + (2 * j - 1) * h;
          values[j] = f.evaluate_weights(ignored.data()).log_density;
        }
        x = old;
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * (1 + std::fabs(gradient[static_cast<size_t>(i)])),
                                  (values[1] - values[0]) / (2 * h),
                                  gradient[static_cast<size_t>(i)]);
      }
    }
}

void test_no_hidden_layer() {
  for (int32_t head : heads)
    for (bool with_latents : {false, true})
      check_gradient("no hidden layer", make_net(NNP_RELU, head, 0, true), 9, with_latents);
}

// An activation first and last, and linear on linear.
void test_any_order() {
  for (bool with_latents : {false, true}) {
    nnp_net *net = nullptr;
    nnp_net_create(&net, 3, nullptr);
    nnp_net_activation(net, NNP_TANH, nullptr);
    nnp_net_dense(net, 3, nullptr);
    nnp_net_dense(net, 2, nullptr);
    nnp_net_activation(net, NNP_SOFTPLUS, nullptr);
    nnp_net_activation(net, NNP_ABS, nullptr);
    nnp_net_head(net, NNP_GAUSSIAN, nullptr);
    nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.7, nullptr);
    check_gradient("any order", net, 6, with_latents);
  }
}

// An image of 2 x 7 x 6: convolutions with strides, a pool with pixels left over, kept or
// collapsed.
nnp_net *make_conv_net(int32_t head, bool collapse, bool bias) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 84, nullptr);
  nnp_net_image(net, 2, 7, 6, nullptr);
  nnp_net_conv2d(net, 3, 3, 2, 1, 1, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  nnp_net_activation(net, NNP_TANH, nullptr);
  nnp_net_conv2d(net, 2, 2, 1, 1, 1, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_dense(net, head == NNP_SIGN_HEAD ? 1 : head == NNP_LOCATION_SCALE ? 4 : 3, nullptr);
  nnp_net_head(net, head, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.6, nullptr);
  nnp_net_set(net, 1, NNP_NOISE, 0.9, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_COLLAPSE, collapse ? 1 : 0, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, bias ? 1 : 0, nullptr);
  return net;
}

void test_convolutions() {
  for (int32_t head : heads)
    for (bool with_latents : {false, true})
      for (bool collapse : {false, true})
        check_gradient(collapse ? "conv net, collapsed" : "conv net",
                       make_conv_net(head, collapse, head != NNP_ARGMAX), 5, with_latents);
  check_gradient("conv net, many rows", make_conv_net(NNP_GAUSSIAN, true, true), 600, false);
  check_gradient("conv net, many rows", make_conv_net(NNP_GAUSSIAN, false, true), 100, true);
}

// Overlapping patches with strides, and a pool first.
void test_pool_first_and_strides() {
  for (bool with_latents : {false, true}) {
    nnp_net *net = nullptr;
    nnp_net_create(&net, 121, nullptr);
    nnp_net_image(net, 1, 11, 11, nullptr);
    nnp_net_avgpool(net, 2, 1, nullptr);
    nnp_net_conv2d(net, 2, 3, 4, 2, 3, nullptr);
    nnp_net_activation(net, NNP_SOFTPLUS, nullptr);
    nnp_net_avgpool(net, 1, 2, nullptr);
    nnp_net_dense(net, 2, nullptr);
    nnp_net_head(net, NNP_GAUSSIAN, nullptr);
    nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.5, nullptr);
    check_gradient("pool first", net, 7, with_latents);
  }
}

// Two padded convolutions, with a pool that reaches into the padding; the second one's input has a
// gradient too.
void test_padding() {
  for (bool with_latents : {false, true})
    for (bool collapse : {false, true}) {
      nnp_net *net = nullptr;
      nnp_net_create_image(&net, 2, 5, 4, nullptr);
      nnp_net_conv2d(net, 2, 3, 3, 1, 1, nullptr);
      nnp_net_set(net, 1, NNP_PADDING_Y, 1, nullptr);
      nnp_net_set(net, 1, NNP_PADDING_X, 2, nullptr);
      nnp_net_activation(net, NNP_TANH, nullptr);
      nnp_net_conv2d(net, 3, 3, 2, 2, 1, nullptr);
      nnp_net_set(net, 3, NNP_PADDING_Y, 2, nullptr);
      nnp_net_set(net, 3, NNP_PADDING_X, 1, nullptr);
      nnp_net_avgpool(net, 2, 2, nullptr);
      nnp_net_dense(net, 2, nullptr);
      nnp_net_head(net, NNP_GAUSSIAN, nullptr);
      nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.6, nullptr);
      nnp_net_set(net, NNP_ALL_LAYERS, NNP_COLLAPSE, collapse ? 1 : 0, nullptr);
      check_gradient("padding", net, 70, with_latents);
    }
}

// After a convolution and before one, and first of all.
void test_maxpools() {
  for (bool with_latents : {false, true})
    for (int32_t head : heads) {
      nnp_net *net = nullptr;
      nnp_net_create_image(&net, 1, 11, 10, nullptr);
      nnp_net_maxpool(net, 1, 2, nullptr);
      nnp_net_conv2d(net, 3, 2, 2, 1, 1, nullptr);
      nnp_net_maxpool(net, 2, 2, nullptr);
      nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
      nnp_net_activation(net, NNP_TANH, nullptr);
      nnp_net_maxpool(net, 2, 1, nullptr);
      nnp_net_dense(net, head == NNP_SIGN_HEAD ? 1 : head == NNP_LOCATION_SCALE ? 4 : 3, nullptr);
      nnp_net_head(net, head, nullptr);
      nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.6, nullptr);
      check_gradient("maxpool", net, head == NNP_GAUSSIAN ? 70 : 5, with_latents);
    }
}

// Part tiles and several blocks.
void test_many_rows() {
  for (int64_t n : {70, 600})
    for (bool with_latents : {false, true}) {
      check_gradient("many rows", make_net(NNP_GELU, NNP_GAUSSIAN, 1, true), n, with_latents);
      check_gradient("many rows", make_net(NNP_TANH, NNP_ARGMAX, 1, true), n, with_latents);
    }
}

void test_threads_do_not_matter() {
  nnp_pool *pool = nullptr;
  TEST_ASSERT_EQUAL(NNP_OK, nnp_pool_create(&pool, threads_here(3), nullptr));
  for (bool with_latents : {false, true}) {
    Fixture f(make_net(NNP_RELU, NNP_ARGMAX, 2, true), 1500, with_latents);
    const Density alone = f.evaluate(f.gradient.data());
    std::vector<double> other(f.gradient.size());
    f.state.pool = nnp::unwrap(pool);
    const Density together = f.evaluate(other.data());
    TEST_ASSERT_EQUAL_MEMORY(&alone.log_density, &together.log_density, sizeof(double));
    TEST_ASSERT_EQUAL_MEMORY(f.gradient.data(), other.data(), sizeof(double) * other.size());
  }
  nnp_pool_free(pool);
}

// Relative to the largest entry. Residuals far smaller than the outputs cancel most digits.
void check_single_gradient(Fixture &f, const char *name, double bound = 3e-5) {
  std::vector<double> single(f.gradient.size());
  f.evaluate(f.gradient.data());
  nnp::single_gradient(f.state, f.work, f.state.params, single.data());
  double largest = 0;
  for (double g : f.gradient) largest = std::max(largest, std::fabs(g));
  for (size_t i = 0; i < single.size(); ++i) {
    char message[200];
    std::snprintf(message, sizeof message, "%s, %s, parameter %d: %.10g in doubles, %.10g", name,
                  f.state.kernels->name, static_cast<int>(i), f.gradient[i], single[i]);
    TEST_ASSERT_TRUE_MESSAGE(std::fabs(single[i] - f.gradient[i]) <= bound * largest, message);
  }
}

void test_single_precision() {
  for (const char *level : {"portable", "avx2", "avx512", "neon"}) {
    if (!nnp::kernels_named(level)) continue;
    for (int32_t activation : activations)
      for (int32_t head : heads)
        for (int hidden : {0, 1, 2}) {
          char name[100];
          std::snprintf(name, sizeof name, "activation %d, head %d, hidden %d", activation, head,
                        hidden);
          const int64_t n = hidden == 0 ? 3 : hidden == 1 ? 150 : 17;
          Fixture f(make_net(activation, head, hidden, (activation + head) % 2 == 0), n, false);
          f.state.kernels = nnp::kernels_named(level);
          // its small standard deviations leave small residuals
          check_single_gradient(f, name, head == NNP_LOCATION_SCALE ? 3e-3 : 3e-5);
        }
    // all numbers of columns that are treated differently
    for (int64_t width = 1; width <= 14; ++width) {
      nnp_net *net = nullptr;
      nnp_net_create(&net, 15 - width, nullptr);
      nnp_net_dense(net, width, nullptr);
      nnp_net_activation(net, NNP_TANH, nullptr);
      nnp_net_dense(net, 17 - width, nullptr);
      nnp_net_head(net, NNP_GAUSSIAN, nullptr);
      Fixture f(net, 100 * width - 99, false);
      f.state.kernels = nnp::kernels_named(level);
      check_single_gradient(f, "widths");
    }
  }
}

// What proposes is a function of the position: the same bits again, with any number of threads.
void test_single_precision_repeats_itself() {
  nnp_pool *pool = nullptr;
  TEST_ASSERT_EQUAL(NNP_OK, nnp_pool_create(&pool, threads_here(3), nullptr));
  Fixture f(make_net(NNP_TANH, NNP_ARGMAX, 2, true), 1500, false);
  std::vector<double> first(f.gradient.size()), second(f.gradient.size());
  nnp::single_gradient(f.state, f.work, f.state.params, first.data());
  const Density density = f.evaluate(f.gradient.data());
  f.state.pool = nnp::unwrap(pool);
  const Density alone = nnp::density_alone(f.state, f.work, f.state.params);
  nnp::single_gradient(f.state, f.work, f.state.params, second.data());
  TEST_ASSERT_EQUAL_MEMORY(first.data(), second.data(), sizeof(double) * first.size());
  TEST_ASSERT_EQUAL_MEMORY(&density.log_density, &alone.log_density, sizeof(double));
  TEST_ASSERT_TRUE(std::memcmp(first.data(), f.gradient.data(), sizeof(double)) != 0);
  nnp_pool_free(pool);
}

// Squares of 1e25 are no floats: the gradient is then computed in doubles.
void test_what_overflows_singles() {
  Fixture f(make_net(NNP_RELU, NNP_GAUSSIAN, 2, true), 9, false);
  for (int64_t i = 0; i < f.state.net.weight_params(); ++i) f.state.params[i] = 1e25;
  f.evaluate(f.gradient.data());
  std::vector<double> single(f.gradient.size());
  nnp::single_gradient(f.state, f.work, f.state.params, single.data());
  TEST_ASSERT_TRUE(std::isfinite(single[0]));
  TEST_ASSERT_EQUAL_MEMORY(f.gradient.data(), single.data(), sizeof(double) * single.size());
}

void test_every_simd_level() {
  for (const char *level : {"portable", "avx2", "avx512", "neon"}) {
    if (!nnp::kernels_named(level)) continue;
    for (bool with_latents : {false, true}) {
      Fixture f(make_net(NNP_HARD_TANH, NNP_GAUSSIAN, 2, true), 150, with_latents);
      f.evaluate(f.gradient.data());
      std::vector<double> other(f.gradient.size());
      f.state.kernels = nnp::kernels_named(level);
      f.evaluate(other.data());
      for (size_t i = 0; i < other.size(); ++i)
        TEST_ASSERT_DOUBLE_WITHIN(1e-11 * (1 + std::fabs(other[i])), f.gradient[i], other[i]);
    }
  }
}

// Scores that contradict a label: counted, and the smooth part goes on.
void test_rows_outside_are_counted() {
  Fixture f(make_net(NNP_RELU, NNP_ARGMAX, 1, true), 9, true);
  TEST_ASSERT_EQUAL(0, f.evaluate(f.gradient.data()).outside);
  const int64_t width = f.state.net.outputs();
  double *scores = f.state.latents[f.state.net.depth];
  for (int64_t row : {2, 5}) {
    const int64_t label = f.state.data->labels[row];
    scores[f.state.tiling.at(width, row, label)] = -1e3;
  }
  const Density density = f.evaluate(f.gradient.data());
  TEST_ASSERT_EQUAL(2, density.outside);
  TEST_ASSERT_TRUE(std::isfinite(density.log_density));
}

// The paper's formulas on one row, by hand.
void test_losses_by_hand() {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 1, nullptr);
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_SIGN_HEAD, nullptr);
  nnp_net_set(net, 1, NNP_NOISE, 0.25, nullptr);
  nnp_net_set(net, 1, NNP_BIAS, 0, nullptr);
  nnp_net_set(net, 1, NNP_LAMBDA_W, 2, nullptr);
  Fixture f(net, 1, false);
  const double w = f.state.params[0] = 0.8, x = f.state.data->x[0], y = f.state.data->labels[0];
  const double value = f.evaluate(f.gradient.data()).log_density;
  const double prior = 0.5 * std::log(2 / (2 * 3.14159265358979323846)) - w * w;
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, -2 * std::log(1 + std::exp(-y * w * x)) + prior, value);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2 * y * x / (1 + std::exp(y * w * x)) - 2 * w, f.gradient[0]);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_every_activation_head_and_posterior);
  RUN_TEST(test_the_density_of_weights_alone);
  RUN_TEST(test_no_hidden_layer);
  RUN_TEST(test_any_order);
  RUN_TEST(test_convolutions);
  RUN_TEST(test_pool_first_and_strides);
  RUN_TEST(test_padding);
  RUN_TEST(test_maxpools);
  RUN_TEST(test_many_rows);
  RUN_TEST(test_threads_do_not_matter);
  RUN_TEST(test_every_simd_level);
  RUN_TEST(test_single_precision);
  RUN_TEST(test_single_precision_repeats_itself);
  RUN_TEST(test_what_overflows_singles);
  RUN_TEST(test_rows_outside_are_counted);
  RUN_TEST(test_losses_by_hand);
  return UNITY_END();
}
