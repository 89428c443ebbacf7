// The Student-t head by itself: its density is the mixture it says, its noise and row scales have
// the laws they should, and the small functions it stands on are right.
#include <cmath>
#include <cstdio>
#include <vector>

#include "lib/linalg/eigen.hpp"
#include "lib/network/head.hpp"
#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"
#include "tests/support/tables.hpp"
#include "unity.h"

namespace {

using nnp::Head;
using nnp::Outcomes;
using nnp::Stream;

Head student(double freedom) {
  Head head = nnp::make_head(nnp::HeadKind::student_t);
  head.values[0] = freedom;
  return head;
}

const nnp::HeadOps &ops() {
  return nnp::student_t_head_ops;
}

void near(double expected, double found, double tolerance, const char *what) {
  char message[160];
  std::snprintf(message, sizeof message, "%s: expected %.15g, found %.15g", what, expected, found);
  TEST_ASSERT_TRUE_MESSAGE(std::fabs(found - expected) <= tolerance, message);
}

// int Gamma(w | nu/2, nu/2) prod_j N(y_j | f_j, D / w) dw by trapezoids in log w
double log_mixture(double square, double nu, double p, double noise) {
  double sum = 0;
  const double step = 1e-3;
  for (double u = -60; u < 20; u += step) {
    const double w = std::exp(u);
    sum += step * std::exp(0.5 * nu * std::log(0.5 * nu) - std::lgamma(0.5 * nu) + 0.5 * nu * u -
                           0.5 * nu * w + 0.5 * p * (u - std::log(2 * M_PI * noise)) -
                           0.5 * w * square / noise);
  }
  return std::log(sum);
}

void test_the_density_is_the_mixture() {
  const double f[] = {0.3, -0.2, 1.0}, y[] = {0.9, 2.0, -0.5};
  for (double nu : {0.7, 4.0, 30.0})
    for (int64_t p : {1, 3})
      for (double noise : {0.05, 2.0}) {
        double square = 0;
        for (int64_t j = 0; j < p; ++j) square += (y[j] - f[j]) * (y[j] - f[j]);
        const Outcomes rows = {{f, 1, p, 1}, {y, 1, p, 1}, nullptr, noise};
        const double expected = log_mixture(square, nu, static_cast<double>(p), noise);
        near(expected, ops().log_likelihood(student(nu), rows, 0), 1e-9, "log likelihood");
        near(expected, ops().log_classical_likelihood(student(nu), rows, 0), 1e-9, "classical");
        const nnp::LossTile tile = {rows, 0.5 / noise, {nullptr, 1, p, 1}};
        const double sum = ops().log_constant(student(nu), 1, p, noise) -
                           ops().fit(student(nu), tile, *nnp::best_kernels()) / (2 * noise);
        near(expected, sum, 1e-9, "constant and fit");
      }
}

// Without bound on nu it is the gaussian head, to the last digits.
void test_many_degrees_of_freedom_are_gaussian() {
  const double f[] = {0.3, -0.2}, y[] = {0.9, 0.4};
  const Outcomes rows = {{f, 1, 2, 1}, {y, 1, 2, 1}, nullptr, 0.3};
  const double expected = nnp::gaussian_head_ops.log_likelihood({}, rows, 0);
  near(expected, ops().log_likelihood(student(1e13), rows, 0), 1e-10, "nu = 1e13");
  near(expected, ops().log_likelihood(student(1e300), rows, 0), 1e-10, "nu = 1e300");
}

// P(|t| < 1) of one output is 1/2 for nu = 1, 1/sqrt(3) for nu = 2.
void test_noise_has_the_law() {
  const double expected[] = {0.5, 0.57735026918962576};
  for (int nu = 1; nu <= 2; ++nu) {
    Stream stream(static_cast<uint64_t>(nu), 0, 0);
    constexpr int64_t rows = 128, tiles = 1000;
    std::vector<double> site(static_cast<size_t>(2 * rows));
    double inside = 0, jointly = 0;
    for (int64_t t = 0; t < tiles; ++t) {
      std::fill(site.begin(), site.end(), 0.0);
      ops().add_noise(student(nu), 4, stream, {site.data(), rows, 2, rows});
      for (size_t i = 0; i < rows; ++i) {
        inside += std::fabs(site[i]) < 2;
        jointly += site[i] * site[i] + site[i + rows] * site[i + rows] < 4;
      }
    }
    const double count = static_cast<double>(rows * tiles);
    near(expected[nu - 1], inside / count, 4 * 0.5 / std::sqrt(count), "share within one scale");
    // P(r^2 < D) = 1 - (1 + 1/nu)^(-nu/2) for two outputs that share their scale
    near(1 - std::pow(1 + 1.0 / nu, -0.5 * nu), jointly / count, 4 * 0.5 / std::sqrt(count),
         "share within the circle");
  }
}

// Gamma((nu + p)/2, rate (nu + |y - f|^2/D)/2): mean and variance.
void test_row_scales_have_their_conditional() {
  const double f[] = {0.5, 0.0}, y[] = {2.0, -1.0};
  const Outcomes rows = {{f, 1, 2, 1}, {y, 1, 2, 1}, nullptr, 0.5};
  const double shape = 0.5 * (3 + 2), rate = 0.5 * (3 + 3.25 / 0.5);
  Stream stream(3, 0, 0);
  double sum = 0, square = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    double scale = 0;
    ops().draw_row_scales(student(3), rows, stream, &scale);
    sum += scale / count;
    square += scale * scale / count;
  }
  const double sd = std::sqrt(shape) / rate;
  near(shape / rate, sum, 4 * sd / std::sqrt(count), "mean");
  near(sd * sd, square - sum * sum, 0.03 * sd * sd, "variance");
}

void test_small_functions() {
  near(std::lgamma(7.3) - std::lgamma(4.8), nnp::log_gamma_ratio(4.8, 2.5), 1e-12, "small x");
  near(std::lgamma(302.5) - std::lgamma(300), nnp::log_gamma_ratio(300, 2.5), 1e-10, "x = 300");
  near(0.5 * std::log(1e20), nnp::log_gamma_ratio(1e20, 0.5), 1e-13, "large x");
  near(M_PI * M_PI / 6, nnp::trigamma(1), 1e-14, "trigamma(1)");
  near(M_PI * M_PI / 2, nnp::trigamma(0.5), 1e-13, "trigamma(1/2)");
  near(1e-10, nnp::trigamma(1e10), 1e-19, "trigamma(1e10)");
}

// a = Q diag Q' with orthonormal Q: full, of low rank, zero, of order 1.
void test_eigenvectors() {
  for (int64_t n : {1, 2, 3, 8, 20})
    for (int64_t rank : {int64_t{0}, int64_t{1}, n}) {
      Stream stream(static_cast<uint64_t>(n), static_cast<uint64_t>(rank), 0);
      const size_t size = static_cast<size_t>(n * n);
      std::vector<double> b(static_cast<size_t>(n * rank)), a(size, 0.0), q(size), values(size);
      for (double &v : b) v = nnp::normal(stream);
      const auto at = [&](int64_t i, int64_t k) { return b[static_cast<size_t>(i * rank + k)]; };
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t k = 0; k < rank; ++k)
            a[static_cast<size_t>(i * n + j)] += at(i, k) * at(j, k);
      std::vector<double> work = a;
      nnp::symmetric_eigen(work.data(), n, values.data(), q.data());
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double product = 0, square = 0;
          for (int64_t k = 0; k < n; ++k) {
            product += q[static_cast<size_t>(k * n + i)] * values[static_cast<size_t>(k)] *
                       q[static_cast<size_t>(k * n + j)];
            square += q[static_cast<size_t>(i * n + k)] * q[static_cast<size_t>(j * n + k)];
          }
          near(a[static_cast<size_t>(i * n + j)], product, 1e-12, "Q diag Q'");
          near(i == j ? 1 : 0, square, 1e-13, "Q'Q");
        }
    }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_the_density_is_the_mixture);
  RUN_TEST(test_many_degrees_of_freedom_are_gaussian);
  RUN_TEST(test_noise_has_the_law);
  RUN_TEST(test_row_scales_have_their_conditional);
  RUN_TEST(test_small_functions);
  RUN_TEST(test_eigenvectors);
  return UNITY_END();
}
