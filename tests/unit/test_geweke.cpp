// The z statistics of Geweke's joint test: small for a right Gibbs sampler, large for a broken one,
// honest about autocorrelation.
#include "lib/diagnostics/geweke.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/series.hpp"
extern "C" {
#include "unity.h"
}

using namespace nnp;
using series::Normals;

void setUp() {}
void tearDown() {}

namespace {

struct Memory {
  std::vector<double> block;
  GewekeWork work;
  explicit Memory(const SampleTable &a, const SampleTable &b = {})
      : block(geweke_bytes(a, b) / sizeof(double) + 1) {
    Arena arena(block.data(), block.size() * sizeof(double));
    work = geweke_layout(arena, a, b);
    TEST_ASSERT_TRUE(arena.fits());
  }
};

constexpr int64_t draws = 20000;

// a, b ~ N(0, 1); y ~ N(a + b, 1/4). Alternates y | a, b with a | b, y and b | a, y. A wrong `gain`
// or `noise` breaks the draw of b. Layout: quantity fastest.
std::vector<double> alternating(uint64_t seed, double gain, double noise) {
  Normals normal(seed);
  std::vector<double> out;
  double a = normal(), b = normal();
  for (int64_t i = 0; i < draws; ++i) {
    const double y = a + b + 0.5 * normal();
    a = 0.8 * (y - b) + std::sqrt(0.2) * normal();  // precision 1 + 4
    b = gain * 0.8 * (y - a) + noise * std::sqrt(0.2) * normal();
    out.push_back(a);
    out.push_back(b);
  }
  return out;
}

double largest_z(const std::vector<double> &x, double *z) {
  const SampleTable table{x.data(), 2, draws, 1, 1, 2, 2 * draws};
  Memory memory(table);
  const double mean[] = {0, 0}, second[] = {1, 1};
  TEST_ASSERT_EQUAL_INT(
      0, static_cast<int>(geweke_against_moments(table, mean, second, memory.work, z, nullptr)));
  return std::max(std::max(std::fabs(z[0]), std::fabs(z[1])),
                  std::max(std::fabs(z[2]), std::fabs(z[3])));
}

void right_sampler_passes() {
  double z[4], squares = 0;
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    TEST_ASSERT_TRUE(largest_z(alternating(seed, 1, 1), z) < 4);
    TEST_ASSERT_TRUE(geweke_pvalue(z, 4) > 1e-4);
    for (double v : z) squares += v * v;
  }
  // 100 statistics of unit variance, correlated in part: their mean square is near 1.
  TEST_ASSERT_TRUE(squares / 100 > 0.6 && squares / 100 < 1.5);
}

void broken_samplers_fail() {
  double z[4];
  TEST_ASSERT_TRUE(largest_z(alternating(1, 1, 0.9), z) > 4);
  TEST_ASSERT_TRUE(geweke_pvalue(z, 4) < 1e-4);
  TEST_ASSERT_TRUE(largest_z(alternating(2, 0.9, 1), z) > 4);
  std::vector<double> shifted = alternating(3, 1, 1);
  for (double &v : shifted) v += 0.2;
  TEST_ASSERT_TRUE(largest_z(shifted, z) > 4);
}

// Against draws of the prior, in a layout of their own: two chains, quantities slowest.
void against_prior_draws() {
  Normals normal(77);
  const int64_t n = 3000;
  std::vector<double> prior(static_cast<size_t>(4 * n));
  for (double &v : prior) v = normal();
  const SampleTable prior_table{prior.data(), 2, n, 2, 2 * n, 1, n};
  for (bool broken : {false, true}) {
    const std::vector<double> x = alternating(5, 1, broken ? 0.7 : 1.0);
    const SampleTable table{x.data(), 2, draws, 1, 1, 2, 2 * draws};
    Memory memory(table, prior_table);
    double z[4];
    TEST_ASSERT_EQUAL_INT(
        0, static_cast<int>(geweke_against_draws(table, prior_table, memory.work, z, nullptr)));
    TEST_ASSERT_TRUE((geweke_pvalue(z, 4) < 1e-4) == broken);
  }
}

void pvalue_is_bonferronis() {
  const double z[] = {0.1, -1.959963984540054, 1};
  TEST_ASSERT_TRUE(std::fabs(geweke_pvalue(z, 3) - 0.15) < 1e-12);
  TEST_ASSERT_TRUE(geweke_pvalue(z, 1) < 1 && geweke_pvalue(z, 1) > 0.9);
}

void bad_input_is_refused() {
  std::vector<double> x(20, 1.0), y(20, 1.0);
  y[13] = NAN;
  double z[4];
  Error err{};
  const SampleTable two{x.data(), 2, 10, 1, 10, 1, 20}, one{x.data(), 1, 10, 1, 10, 1, 20};
  Memory memory(two, one);
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::bad_shape),
                        static_cast<int>(geweke_against_draws(two, one, memory.work, z, &err)));
  const SampleTable with_nan{y.data(), 2, 10, 1, 10, 1, 20};
  TEST_ASSERT_EQUAL_INT(
      static_cast<int>(Status::not_finite),
      static_cast<int>(geweke_against_draws(two, with_nan, memory.work, z, &err)));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "prior: quantity 1"));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "draw 3"));
  const SampleTable few{x.data(), 1, 5, 1, 1, 1, 5};
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::bad_size),
                        static_cast<int>(geweke_against_draws(few, one, memory.work, z, &err)));
  // A quantity that never moves: right at its value, infinitely wrong elsewhere.
  const double mean[] = {1, 2}, second[] = {1, 1};
  TEST_ASSERT_EQUAL_INT(
      0, static_cast<int>(geweke_against_moments(two, mean, second, memory.work, z, nullptr)));
  TEST_ASSERT_TRUE(z[0] == 0 && z[1] == 0 && z[2] < -1e300 && z[3] == 0);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(right_sampler_passes);
  RUN_TEST(broken_samplers_fail);
  RUN_TEST(against_prior_draws);
  RUN_TEST(pvalue_is_bonferronis);
  RUN_TEST(bad_input_is_refused);
  return UNITY_END();
}
