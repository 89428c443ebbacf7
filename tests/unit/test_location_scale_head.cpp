// The location-scale head by itself: its density is the normal one it says, its gradient is that of
// the density also at extremes, nothing overflows, and its noise has the standard deviation.
#include <cmath>
#include <cstdio>
#include <vector>

#include "lib/network/head.hpp"
#include "lib/random/stream.hpp"
#include "tests/support/tables.hpp"
#include "unity.h"

namespace {

using nnp::Outcomes;

const nnp::HeadOps &ops() {
  return nnp::location_scale_head_ops;
}

void near(double expected, double found, double tolerance, const char *what) {
  char message[160];
  std::snprintf(message, sizeof message, "%s: expected %.15g, found %.15g", what, expected, found);
  TEST_ASSERT_TRUE_MESSAGE(std::fabs(found - expected) <= tolerance, message);
}

// log N(y | mean, exp(2 * 15 tanh(a / 15))) in plain words
double log_normal(double y, double mean, double a) {
  const double sd = std::exp(15 * std::tanh(a / 15));
  return -0.5 * std::log(2 * M_PI) - std::log(sd) - 0.5 * std::pow((y - mean) / sd, 2);
}

// Whatever the noise of the last layer is.
void test_the_density() {
  const double f[] = {0.3, -0.2, -1.5, 2.0}, y[] = {0.9, 2.0};
  const double expected = log_normal(y[0], f[0], f[2]) + log_normal(y[1], f[1], f[3]);
  for (double noise : {1e-6, 0.01, 0.5, 1e4}) {
    const Outcomes rows = {{f, 1, 4, 1}, {y, 1, 2, 1}, nullptr, noise};
    near(expected, ops().log_likelihood({}, rows, 0), 1e-12, "log likelihood");
    near(expected, ops().log_classical_likelihood({}, rows, 0), 1e-12, "classical");
    for (auto fit : {ops().fit, ops().loss}) {
      const double sum = fit({}, {rows, 0.5 / noise, {nullptr, 1, 4, 1}}, *nnp::best_kernels());
      near(expected, ops().log_constant({}, 1, 4, noise) - sum / (2 * noise), 1e-12, "fit");
    }
  }
  TEST_ASSERT_FALSE(ops().latent || ops().noise_enters);
}

// For usual values the output is the log standard deviation.
void test_what_the_bound_does() {
  const double y = 0.5;
  for (double a : {-2.0, -0.5, 0.0, 1.0}) {
    const double f[] = {0, a};
    const Outcomes rows = {{f, 1, 2, 1}, {&y, 1, 1, 1}, nullptr, 1};
    const double plain = -0.5 * std::log(2 * M_PI) - a - 0.5 * y * y * std::exp(-2 * a);
    near(plain, ops().log_likelihood({}, rows, 0), 0.013 * (1 + y * y * std::exp(-2 * a)), "plain");
  }
}

double value(double y, double mean, double a) {
  const double f[] = {mean, a};
  const Outcomes rows = {{f, 1, 2, 1}, {&y, 1, 1, 1}, nullptr, 0.3};
  return -ops().fit({}, {rows, 0.5 / 0.3, {nullptr, 1, 2, 1}}, *nnp::best_kernels()) / 0.6;
}

// Against differences of fourth order.
void test_the_gradient() {
  for (double y : {-3.0, 0.1, 200.0})
    for (double a : {-40.0, -14.0, -3.0, -0.2, 0.0, 2.0, 10.0, 60.0}) {
      const double mean = 0.4, h = 1e-3;
      const double f[] = {mean, a};
      double gradient[2];
      const Outcomes rows = {{f, 1, 2, 1}, {&y, 1, 1, 1}, nullptr, 0.3};
      ops().fit({}, {rows, 0.5 / 0.3, {gradient, 1, 2, 1}}, *nnp::best_kernels());
      const auto difference = [&](auto at) {
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      };
      const double by_mean = difference([&](double e) { return value(y, mean + e, a); });
      const double by_scale = difference([&](double e) { return value(y, mean, a + e); });
      const double rounding = 1e-12 * (1 + std::fabs(value(y, mean, a)));
      near(by_mean, gradient[0], 1e-7 * (1 + std::fabs(by_mean)) + rounding, "by the mean");
      near(by_scale, gradient[1], 1e-7 * (1 + std::fabs(by_scale)) + rounding, "by the scale");
    }
}

void test_extremes_are_finite() {
  for (double y : {0.0, 1e-300, 1.0, -1e100})
    for (double mean : {0.0, 1e100})
      for (double a : {-1e308, -1e5, -800.0, 800.0, 1e5, 1e308}) {
        const double f[] = {mean, a};
        double gradient[2];
        const Outcomes rows = {{f, 1, 2, 1}, {&y, 1, 1, 1}, nullptr, 1e-3};
        const double loss = ops().loss({}, {rows, 500, {gradient, 1, 2, 1}}, *nnp::best_kernels());
        TEST_ASSERT_TRUE(std::isfinite(loss));
        TEST_ASSERT_TRUE(std::isfinite(gradient[0]) && std::isfinite(gradient[1]));
        TEST_ASSERT_TRUE(std::isfinite(ops().log_likelihood({}, rows, 0)));
      }
}

void test_noise_has_the_law() {
  constexpr int64_t rows = 128, tiles = 500;
  nnp::Stream stream(3, 0, 0);
  std::vector<double> site(4 * rows);
  double sum = 0, square[2] = {0, 0};
  for (int64_t t = 0; t < tiles; ++t) {
    for (size_t i = 0; i < rows; ++i) {
      site[i] = 1;
      site[rows + i] = -2;
      site[2 * rows + i] = 0.7;
      site[3 * rows + i] = -1.1;
    }
    ops().add_noise({}, 7, stream, {site.data(), rows, 4, rows});
    for (size_t i = 0; i < rows; ++i) {
      sum += site[i] - 1;
      square[0] += (site[i] - 1) * (site[i] - 1);
      square[1] += (site[rows + i] + 2) * (site[rows + i] + 2);
    }
  }
  const double count = static_cast<double>(rows * tiles);
  const double variance[] = {std::exp(30 * std::tanh(0.7 / 15)),
                             std::exp(30 * std::tanh(-1.1 / 15))};
  near(0, sum / count, 4 * std::sqrt(variance[0] / count), "mean");
  for (int j = 0; j < 2; ++j)
    near(variance[j], square[j] / count, 4 * variance[j] * std::sqrt(2 / count), "variance");
}

void test_outputs_are_even() {
  nnp::Error err = {};
  TEST_ASSERT_TRUE(ops().check_outputs(2, &err) == nnp::Status::ok);
  TEST_ASSERT_TRUE(ops().check_outputs(3, &err) == nnp::Status::bad_shape);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_the_density);
  RUN_TEST(test_what_the_bound_does);
  RUN_TEST(test_the_gradient);
  RUN_TEST(test_extremes_are_finite);
  RUN_TEST(test_noise_has_the_law);
  RUN_TEST(test_outputs_are_even);
  return UNITY_END();
}
