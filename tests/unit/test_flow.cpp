// The leapfrog goes back the way it came and keeps the energy to second order in its step; MALA is
// the paper's formula; warm-up follows its plan.
#include <cmath>
#include <vector>

#include "capi/nnpost_diagnostics.h"
#include "lib/sampler/gradient_sampler.hpp"
#include "tests/support/chains.hpp"
#include "unity.h"

namespace {

using nnp::Chain;
using nnp::GradientSampler;
using nnp::Point;

// A chain that has made one step, so that all of it is prepared.
class Prepared {
 public:
  Prepared(int32_t sampler, int32_t posterior, int32_t head) {
    chains::Recipe recipe;
    recipe.activation = NNP_TANH;
    recipe.head = head;
    recipe.outputs = head == NNP_ARGMAX ? 3 : 1;
    chains::make(recipe, problem);
    nnp_chain_create(&object, problem.net, problem.data, sampler, posterior, nullptr);
    nnp_chain_set(object, NNP_OPTION_STEP_SIZE, 1e-3, nullptr);
    nnp_chain_start(object, NNP_START_PRIOR, 5, 0, nullptr);
    nnp_chain_run(object, 1, nullptr, nullptr, nullptr);
  }
  ~Prepared() { nnp_chain_free(object); }
  Chain &chain() { return *nnp::unwrap(object)->chain; }
  GradientSampler &sampler() { return nnp::gradient_sampler(chain()); }

  // The trajectory begins at the chain's position with fresh momentum.
  Point &begin() {
    GradientSampler &s = sampler();
    nnp::copy_vector(chain().state, s.here.position, s.there.position);
    nnp::copy_vector(chain().state, s.here.gradient, s.there.gradient);
    s.there.density = s.here.density;
    nnp::draw_momentum(chain().state, s.flow, s.there.momentum);
    return s.there;
  }

  chains::Problem problem;
  nnp_chain *object = nullptr;
};

std::vector<double> copy(const double *values, int64_t size) {
  return std::vector<double>(values, values + size);
}

void check_reversible(int32_t posterior, int32_t head) {
  Prepared p(NNP_HMC, posterior, head);
  nnp::State &state = p.chain().state;
  Point &point = p.begin();
  const int64_t size = state.position_size;
  const std::vector<double> q = copy(point.position, size), m = copy(point.momentum, size);
  for (int i = 0; i < 50; ++i) nnp::leapfrog(state, p.sampler().flow, point, 0.01);
  double moved = 0;
  for (int64_t i = 0; i < size; ++i) moved += std::fabs(point.position[i] - q[size_t(i)]);
  TEST_ASSERT_TRUE(moved > 0.1);
  for (int64_t i = 0; i < size; ++i) point.momentum[i] = -point.momentum[i];
  for (int i = 0; i < 50; ++i) nnp::leapfrog(state, p.sampler().flow, point, 0.01);
  for (int64_t i = 0; i < size; ++i) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, q[size_t(i)], point.position[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, m[size_t(i)], -point.momentum[i]);
  }
}

void test_leapfrog_is_reversible() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD})
      check_reversible(posterior, head);
}

// The largest error of the energy along a path of fixed length.
double energy_error(int32_t posterior, int steps) {
  Prepared p(NNP_HMC, posterior, NNP_GAUSSIAN);
  nnp::State &state = p.chain().state;
  Point &point = p.begin();
  const double before = nnp::energy(state, p.sampler().flow, point);
  double largest = 0;
  for (int i = 0; i < steps; ++i) {
    nnp::leapfrog(state, p.sampler().flow, point, 0.4 / steps);
    const double error = std::fabs(nnp::energy(state, p.sampler().flow, point) - before);
    largest = std::max(largest, error);
  }
  return largest;
}

// Halving the step divides the error by four; at the coarsest step the next order still shows.
void test_energy_error_is_of_second_order() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL}) {
    double coarse = energy_error(posterior, 80);
    for (int steps : {160, 320, 640}) {
      const double fine = energy_error(posterior, steps);
      TEST_ASSERT_DOUBLE_WITHIN(0.15, 4, coarse / fine);
      coarse = fine;
    }
  }
}

// Its proposal is a draw around x + eta grad, and its acceptance the ratio of the paper's
// algorithm: pi(x') P(x' -> x) / (pi(x) P(x -> x')).
void test_mala_is_the_papers() {
  Prepared p(NNP_MALA, NNP_CLASSICAL, NNP_GAUSSIAN);
  const double eta = 0.02;
  nnp_chain_set(p.object, NNP_OPTION_STEP_SIZE, eta, nullptr);
  GradientSampler &s = p.sampler();
  const int64_t count = p.chain().state.net.param_count();
  int below_one = 0;
  double noise = 0;
  for (int step = 0; step < 200; ++step) {
    const std::vector<double> x = copy(s.here.position, count), g = copy(s.here.gradient, count);
    const double before = s.here.density.log_density;
    TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_run(p.object, 1, nullptr, nullptr, nullptr));
    double there = 0, back = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double forward = s.there.position[i] - x[size_t(i)] - eta * g[size_t(i)];
      const double backward = x[size_t(i)] - s.there.position[i] - eta * s.there.gradient[i];
      there += forward * forward;
      back += backward * backward;
    }
    noise += there / (2 * eta) / static_cast<double>(count);
    const double log_ratio = s.there.density.log_density - before - (back - there) / (4 * eta);
    double acceptance = 0, size = 0;
    nnp_chain_statistic(p.object, NNP_STEP_ACCEPTANCE, &acceptance, nullptr);
    nnp_chain_statistic(p.object, NNP_STEP_SIZE, &size, nullptr);
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, std::min(1.0, std::exp(log_ratio)), acceptance);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, eta, size);
    if (acceptance < 0.99) ++below_one;
  }
  TEST_ASSERT_TRUE(below_one > 20);
  // the mean of 200 * 16 squared normals
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 1, noise / 200);
}

void check_ends(int64_t warmup, const std::vector<int64_t> &expected) {
  std::vector<int64_t> ends;
  for (int64_t i = 0; i < warmup; ++i)
    if (nnp::window_ends(warmup, i)) ends.push_back(i + 1);
  TEST_ASSERT_EQUAL(expected.size(), ends.size());
  for (size_t i = 0; i < ends.size(); ++i) TEST_ASSERT_EQUAL(expected[i], ends[i]);
}

// Stan's windows, with more room behind them in long warm-ups.
void test_windows() {
  check_ends(1000, {100, 150, 250, 800});
  check_ends(500, {100, 150, 400});
  check_ends(250, {100, 200});
  check_ends(150, {100});
  check_ends(100, {90});
  check_ends(20, {18});
  check_ends(19, {});
  check_ends(0, {});
  TEST_ASSERT_FALSE(nnp::in_window(1000, 74));
  TEST_ASSERT_TRUE(nnp::in_window(1000, 75));
  TEST_ASSERT_TRUE(nnp::in_window(1000, 799));
  TEST_ASSERT_FALSE(nnp::in_window(1000, 800));
  TEST_ASSERT_FALSE(nnp::is_polished(1000, 849));
  TEST_ASSERT_TRUE(nnp::is_polished(1000, 850));
  TEST_ASSERT_FALSE(nnp::is_polished(250, 249));
}

// With acceptance exp(-step), dual averaging finds the step of the target.
void test_dual_averaging() {
  for (double target : {0.574, 0.8}) {
    nnp::Adaptation a = {};
    nnp::begin_averaging(a, 3.0);
    for (int i = 0; i < 2000; ++i) nnp::average_step(a, std::exp(-a.step), target);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, target, std::exp(-nnp::averaged_step(a)));
    nnp::begin_averaging(a, -1.4 * std::log(target));
    for (int i = 0; i < 300; ++i) nnp::polish_step(a, std::exp(-a.step), target);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, target, std::exp(-a.step));
  }
}

// Where nothing is accepted, or everything, the step stays a positive number.
void test_step_stays_finite() {
  for (double acceptance : {0.0, 1.0}) {
    nnp::Adaptation a = {};
    nnp::begin_averaging(a, 1);
    for (int i = 0; i < 100000; ++i) {
      nnp::average_step(a, acceptance, 0.5);
      TEST_ASSERT_TRUE(a.step > 0 && std::isfinite(a.step));
    }
    nnp::begin_averaging(a, a.step);
    TEST_ASSERT_TRUE(std::isfinite(a.centre));
    nnp::average_step(a, acceptance, 0.5);
    TEST_ASSERT_TRUE(std::isfinite(a.log_average));
    nnp::begin_polish(a);
    for (int i = 0; i < 1000; ++i) nnp::polish_step(a, acceptance, 0.5);
    TEST_ASSERT_TRUE(a.step > 0 && std::isfinite(a.step));
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_leapfrog_is_reversible);
  RUN_TEST(test_energy_error_is_of_second_order);
  RUN_TEST(test_mala_is_the_papers);
  RUN_TEST(test_windows);
  RUN_TEST(test_dual_averaging);
  RUN_TEST(test_step_stays_finite);
  return UNITY_END();
}
