// Simulation-based calibration: ranks, histogram, p-value; uniform for a right posterior, not for
// ones that are shifted, too narrow or too wide.
#include "lib/diagnostics/sbc.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "lib/diagnostics/rank.hpp"
extern "C" {
#include "unity.h"
}

using namespace nnp;

void setUp() {}
void tearDown() {}

namespace {

class Uniforms {
 public:
  explicit Uniforms(uint64_t seed) : state_(seed) {}
  double operator()() {  // splitmix64
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (static_cast<double>(z >> 12) + 0.5) * 0x1p-52;
  }
  double normal() { return normal_quantile((*this)()); }

 private:
  uint64_t state_;
};

void ranks_count_what_is_below() {
  const double draws[] = {3, 1, 4, 1, 5, 9, 2, 6};
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(sbc_rank(0.5, {draws, 8, 1, 1, 8}, 0.99)));
  TEST_ASSERT_EQUAL_INT(8, static_cast<int>(sbc_rank(10, {draws, 8, 1, 1, 8}, 0)));
  TEST_ASSERT_EQUAL_INT(5, static_cast<int>(sbc_rank(4.5, {draws, 8, 1, 1, 8}, 0.5)));
  // Every second value, as two chains of two: 3 4 | 5 2
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(sbc_rank(3.5, {draws, 2, 2, 2, 4}, 0)));
  // Two draws equal the truth: a third of the uniform numbers each for 0, 1, 2 more.
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(sbc_rank(1, {draws, 8, 1, 1, 8}, 0.3)));
  TEST_ASSERT_EQUAL_INT(1, static_cast<int>(sbc_rank(1, {draws, 8, 1, 1, 8}, 0.34)));
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(sbc_rank(1, {draws, 8, 1, 1, 8}, 0.99)));
}

void histogram_counts_every_rank_once() {
  const int64_t ranks[] = {0, 3, 4, 6, 7, 9, 9, 2};  // of 0 ... 9, in 3 bins: 0-3, 4-6, 7-9
  int64_t counts[3];
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(sbc_histogram(ranks, 8, 1, 9, 3, counts, nullptr)));
  TEST_ASSERT_EQUAL_INT(3, static_cast<int>(counts[0]));
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(counts[1]));
  TEST_ASSERT_EQUAL_INT(3, static_cast<int>(counts[2]));
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(sbc_histogram(ranks, 4, 2, 9, 3, counts, nullptr)));
  TEST_ASSERT_EQUAL_INT(1, static_cast<int>(counts[0]));  // ranks 0, 4, 7, 9
}

// R: chisq.test, with equal and with unequal expected counts.
void pvalue_is_pearsons() {
  const int64_t even[] = {18, 25, 22, 31, 20, 14, 30, 19, 21, 20}, uneven[] = {30, 45, 25};
  TEST_ASSERT_TRUE(std::fabs(sbc_pvalue(even, 10, 99) - 0.24583342411198505) < 1e-12);
  TEST_ASSERT_TRUE(std::fabs(sbc_pvalue(uneven, 3, 9) - 0.0044419284259342908) < 1e-12);
}

// mu ~ N(0,1), y ~ N(mu,1): the posterior is N(y/2, 1/2). Returns the p-value of `shift` and
// `stretch` applied to its standard deviation.
double calibration(uint64_t seed, double shift, double stretch) {
  Uniforms random(seed);
  const int64_t replications = 1000, draws = 99, bins = 20;
  std::vector<int64_t> ranks;
  std::vector<double> posterior(99);
  const double sd = std::sqrt(0.5);
  for (int64_t r = 0; r < replications; ++r) {
    const double mu = random.normal(), y = mu + random.normal();
    for (double &d : posterior) d = y / 2 + sd * (shift + stretch * random.normal());
    ranks.push_back(sbc_rank(mu, {posterior.data(), draws, 1, 1, draws}, 0));
  }
  int64_t counts[20];
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(sbc_histogram(ranks.data(), replications, 1, draws,
                                                          bins, counts, nullptr)));
  return sbc_pvalue(counts, bins, draws);
}

void right_posterior_is_calibrated() {
  int below_a_tenth = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const double p = calibration(seed, 0, 1);
    TEST_ASSERT_TRUE(p > 1e-4);
    below_a_tenth += p < 0.1;
  }
  // Binomial(40, 0.1): 11 or more has chance 1e-3, 0 has 1.5e-2.
  TEST_ASSERT_TRUE(below_a_tenth > 0 && below_a_tenth < 11);
}

void wrong_posteriors_are_not() {
  TEST_ASSERT_TRUE(calibration(50, 0.3, 1) < 1e-6);
  TEST_ASSERT_TRUE(calibration(51, 0, 0.75) < 1e-6);
  TEST_ASSERT_TRUE(calibration(52, 0, 1.4) < 1e-6);
}

void bad_input_is_refused() {
  Error err{};
  int64_t counts[4];
  const int64_t ranks[] = {1, 2, 10};
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::bad_value),
                        static_cast<int>(sbc_histogram(ranks, 3, 1, 9, 4, counts, &err)));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "replication 2 has rank 10"));
  for (int64_t bins : {1, 11})
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::bad_size),
                          static_cast<int>(sbc_histogram(ranks, 2, 1, 9, bins, counts, &err)));
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(ranks_count_what_is_below);
  RUN_TEST(histogram_counts_every_rank_once);
  RUN_TEST(pvalue_is_pearsons);
  RUN_TEST(right_posterior_is_calibrated);
  RUN_TEST(wrong_posteriors_are_not);
  RUN_TEST(bad_input_is_refused);
  return UNITY_END();
}
