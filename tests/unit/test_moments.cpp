// Moments that come one draw at a time: those of the whole, also far from zero, and merged.
#include "lib/diagnostics/moments.hpp"

#include <cmath>
#include <vector>

#include "unity.h"

using namespace nnp;

void setUp() {}
void tearDown() {}

namespace {

constexpr int64_t width = 3, draws = 100;

// Quantity 2 stands far from zero: sums of squares would lose all its digits.
double value_of(int64_t draw, int64_t i) {
  return std::sin(1.3 * static_cast<double>(draw * width + i)) + (i == 2 ? 1e9 : 0);
}

struct Sums {
  std::vector<double> mean = std::vector<double>(width), square = std::vector<double>(width);
  Moments moments = {mean.data(), square.data(), 0};

  Sums(int64_t first, int64_t last) {
    for (int64_t s = first; s < last; ++s) {
      double draw[width];
      for (int64_t i = 0; i < width; ++i) draw[i] = value_of(s, i);
      moments_add(moments, draw, width);
    }
  }
};

void check(const Sums &sums, int64_t count) {
  TEST_ASSERT_EQUAL_INT64(count, sums.moments.count);
  for (int64_t i = 0; i < width; ++i) {
    long double mean = 0, square = 0;
    for (int64_t s = 0; s < count; ++s) mean += value_of(s, i) / static_cast<long double>(count);
    for (int64_t s = 0; s < count; ++s) square += (value_of(s, i) - mean) * (value_of(s, i) - mean);
    const double size = std::fabs(static_cast<double>(mean)) + 1;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15 * size, static_cast<double>(mean),
                              sums.mean[static_cast<size_t>(i)]);
    // values of quantity 2 are multiples of 1.2e-7: deviations of 1 have as many digits
    TEST_ASSERT_DOUBLE_WITHIN(i == 2 ? 1e-4 : 1e-12, static_cast<double>(square),
                              sums.square[static_cast<size_t>(i)]);
  }
}

void test_draws_one_by_one() {
  check(Sums(0, 1), 1);
  check(Sums(0, 2), 2);
  check(Sums(0, draws), draws);
}

void test_merging_is_the_same_as_adding() {
  for (int64_t cut : {1, 7, 50, 99}) {
    Sums all(0, cut);
    const Sums rest(cut, draws);
    moments_merge(all.moments, rest.moments, width);
    check(all, draws);
  }
}

void test_nothing_merged_changes_nothing() {
  Sums all(0, 5), none(0, 0);
  const std::vector<double> mean = all.mean, square = all.square;
  moments_merge(all.moments, none.moments, width);
  TEST_ASSERT_TRUE(mean == all.mean && square == all.square);
  moments_merge(none.moments, all.moments, width);
  TEST_ASSERT_TRUE(none.mean == all.mean && none.square == all.square);
  TEST_ASSERT_EQUAL_INT64(5, none.moments.count);
}

// Two chains of 2 draws, -1 and 1 about 0 and about 3: W = 2, B / n = 4.5, R-hat = sqrt(1/2 + 4.5/2).
void test_rhat_by_hand() {
  const double mean[] = {0, 3}, square[] = {2, 2}, still[] = {0, 0}, equal[] = {5, 5};
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, std::sqrt(0.5 + 4.5 / 2), moments_rhat(mean, square, 1, 2, 2));
  TEST_ASSERT_DOUBLE_IS_NAN(moments_rhat(mean, square, 1, 1, 2));
  TEST_ASSERT_DOUBLE_IS_NAN(moments_rhat(mean, square, 1, 2, 1));
  TEST_ASSERT_DOUBLE_IS_NAN(moments_rhat(equal, still, 1, 2, 2));
  TEST_ASSERT_DOUBLE_IS_INF(moments_rhat(mean, still, 1, 2, 2));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_draws_one_by_one);
  RUN_TEST(test_merging_is_the_same_as_adding);
  RUN_TEST(test_nothing_merged_changes_nothing);
  RUN_TEST(test_rhat_by_hand);
  return UNITY_END();
}
