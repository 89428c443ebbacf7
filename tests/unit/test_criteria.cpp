// The paper's other criteria: stationarity of one series, the gradient statistic about zero, R-hat
// in blocks; each with its time, and all of them in one call.
#include <cmath>
#include <cstring>
#include <vector>

#include "lib/diagnostics/block_rhat.hpp"
#include "lib/diagnostics/criteria.hpp"
#include "tests/support/series.hpp"
extern "C" {
#include "unity.h"
}

using namespace nnp;
using namespace series;

void setUp() {}
void tearDown() {}

namespace {

// level + jump exp(-t / 100) + AR(1) noise of unit spread
Recorded relaxing(uint64_t seed, size_t n, double level, double jump, double rho) {
  Normals normal(seed);
  Recorded out;
  double y = normal();
  for (size_t i = 0; i < n; ++i) {
    out.x.push_back(level + jump * std::exp(-static_cast<double>(i) / 100) + y);
    y = rho * y + std::sqrt(1 - rho * rho) * normal();
  }
  return out;
}

void stationary_from_the_start() {
  LevelMemory memory;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Settling s =
        stationarity(relaxing(seed, 3000, 5, 0, 0.9).all(), Scale::automatic, memory.work);
    TEST_ASSERT_TRUE(s.found && s.time < 30);
    TEST_ASSERT_TRUE(std::fabs(s.level - 5) < 0.4 && std::fabs(s.spread - 1) < 0.25);
    TEST_ASSERT_TRUE(s.autocorrelation_time > 10 &&
                     s.autocorrelation_time < 40);  // (1 + rho) / (1 - rho) = 19
  }
}

void end_of_a_relaxation_is_dated() {
  LevelMemory memory;
  const Settling s =
      stationarity(relaxing(30, 5000, 5, 100, 0.5).all(), Scale::automatic, memory.work);
  TEST_ASSERT_TRUE(s.found);
  TEST_ASSERT_TRUE(s.time > 300 && s.time < 700);  // 100 exp(-460 / 100) = 1 sd
}

void drift_is_not_stationary() {
  LevelMemory memory;
  Recorded line = relaxing(31, 3000, 0, 0, 0.5);
  for (size_t i = 0; i < line.x.size(); ++i) line.x[i] += 0.005 * static_cast<double>(i);
  const Settling s = stationarity(line.all(), Scale::automatic, memory.work);
  TEST_ASSERT_FALSE(s.found);
  TEST_ASSERT_TRUE(is_nan(s.time));
}

void gradient_is_about_zero_from_when_it_is() {
  LevelMemory memory;
  const Settling settled = gradient_about_zero(relaxing(40, 4000, 0, -300, 0.3).all(), memory.work);
  TEST_ASSERT_TRUE(settled.found);
  TEST_ASSERT_TRUE(settled.time > 350 && settled.time < 800);  // 300 exp(-570 / 100) = 1 sd
  const Settling at_once = gradient_about_zero(relaxing(41, 4000, 0, 0, 0.3).all(), memory.work);
  TEST_ASSERT_TRUE(at_once.found && at_once.time < 10);
}

// Stationary is not enough: it must be about zero.
void gradient_elsewhere_is_not_found() {
  LevelMemory memory;
  const Recorded stuck = relaxing(42, 4000, 3, 0, 0.3);
  TEST_ASSERT_TRUE(stationarity(stuck.all(), Scale::linear, memory.work).found);
  TEST_ASSERT_FALSE(gradient_about_zero(stuck.all(), memory.work).found);
}

// Two chains, three points, blocks of two draws, computed by hand.
void block_rhat_by_hand() {
  // point 0: chains {0, 2 | 0, 0, ...} and {1, 5}: see the ratio in the test of variance_ratio_rhat
  const double psi[] = {// chain 0: draw 0, 1, 2, 3, 4 (points fastest)
                        0, 7, 1, 2, 7, 1, 0, 7, 1, 2, 9, 1, 99, 99, 99,
                        // chain 1
                        1, 7, 2, 5, 7, 2, 1, 7, 2, 5, 9, 2, 99, 99, 99};
  const double times[] = {0, 10, 20, 40, 80};
  BlockRhat out[2];
  double work[3];
  const SampleTable table{psi, 3, 5, 2, 1, 3, 15};
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(block_count(5, 2)));
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(block_rhat(table, times, 2, work, out, nullptr)));
  const double first = 1.5 * 4.5 / 5 - 0.25;
  // Point 1 of block 0 stands still at one value in both chains: left out. Point 2: infinite.
  TEST_ASSERT_TRUE(out[0].time == 5 && out[1].time == 30);
  TEST_ASSERT_TRUE(out[0].mean > 1e300);
  TEST_ASSERT_TRUE(std::fabs(out[1].percentile[0] - (0.5 * 0.5 + 0.5 * first)) < 1e-14);
  // Point 1 of block 1: both chains {7, 9}: W = 2, B = 0, R = 3/2 * 1/2 - 1/4 = 1/2.
  TEST_ASSERT_TRUE(std::fabs(out[1].percentile[1] - first) < 1e-14);
}

void block_rhat_refuses_bad_sizes() {
  const double psi[8] = {};
  double work[1];
  BlockRhat out[4];
  Error err{};
  TEST_ASSERT_EQUAL_INT(
      static_cast<int>(Status::bad_size),
      static_cast<int>(block_rhat({psi, 1, 8, 1, 1, 1, 8}, nullptr, 4, work, out, &err)));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "psi: chains = 1"));
  for (int64_t length : {0, 1, 5})
    TEST_ASSERT_EQUAL_INT(
        static_cast<int>(Status::bad_size),
        static_cast<int>(block_rhat({psi, 1, 4, 2, 1, 1, 4}, nullptr, length, work, out, &err)));
}

// Two chains whose outputs approach each other: R-hat comes down and its time is the approach's.
void rhat_settles_when_the_chains_meet() {
  const int64_t points = 20, draws = 8000, chains = 2, length = 50;
  std::vector<double> psi(static_cast<size_t>(points * draws * chains)), work(20);
  for (int64_t c = 0; c < chains; ++c) {
    for (int64_t p = 0; p < points; ++p) {
      Normals normal(static_cast<uint64_t>(100 + p + points * c));
      for (int64_t i = 0; i < draws; ++i)
        psi[static_cast<size_t>(p + points * (i + draws * c))] =
            normal() + (c == 0 ? 100 * std::exp(-static_cast<double>(i) / 300) : 0);
    }
  }
  const SampleTable table{psi.data(), points, draws, chains, 1, points, points * draws};
  std::vector<BlockRhat> blocks(static_cast<size_t>(block_count(draws, length)));
  TEST_ASSERT_EQUAL_INT(
      0, static_cast<int>(block_rhat(table, nullptr, length, work.data(), blocks.data(), nullptr)));
  Recorded rhat;
  for (const BlockRhat &b : blocks) {
    TEST_ASSERT_TRUE(b.percentile[0] <= b.percentile[1] && b.percentile[2] <= b.percentile[3]);
    rhat.t.push_back(b.time);
    rhat.x.push_back(b.mean);
  }
  LevelMemory memory;
  const Settling s = rhat_settled(rhat.all(), 1.5, memory.work);
  TEST_ASSERT_TRUE(s.found);
  TEST_ASSERT_TRUE(s.level > 0.98 && s.level < 1.05);
  TEST_ASSERT_TRUE(s.time > 1000 && s.time < 3000);  // 100 exp(-1700 / 300) = 0.35
  TEST_ASSERT_FALSE(rhat_settled(rhat.all(), 0.9, memory.work).found);
  rhat.x[90] = INFINITY;  // at t = 4524.5: what came before cannot count
  TEST_ASSERT_TRUE(rhat_settled(rhat.all(), 1.5, memory.work).time > 4525);
  rhat.t.clear();
  const Settling counted = rhat_settled(rhat.all(), 1.5, memory.work);
  TEST_ASSERT_TRUE(counted.time > 90 && counted.time < 120);
}

// The paper: the score method is satisfied by t = 20, stationarity and the teacher agree on about
// 1e5; the random start becomes stationary though it never merges.
void figure_one_in_one_call() {
  const Recorded informed = authors("informed", 1), zero = authors("zero", 1);
  const Recorded zero_gradient = authors("zero", 6), random = authors("random_a", 1);
  if (informed.x.empty()) TEST_IGNORE_MESSAGE(no_data);
  LevelMemory memory;
  CriteriaTimes times;
  const CriteriaSeries left{informed.all(), zero.all(), zero_gradient.all(), {nullptr, nullptr, 0}};
  TEST_ASSERT_EQUAL_INT(
      0, static_cast<int>(compare_criteria(left, {}, 2, memory.work, &times, nullptr)));
  TEST_ASSERT_TRUE(times.teacher_student > 5e4 && times.teacher_student < 2e5);
  TEST_ASSERT_TRUE(times.stationarity > 5e4 && times.stationarity < 2e5);
  TEST_ASSERT_TRUE(times.gradient >= 0 && times.gradient < 100);
  TEST_ASSERT_TRUE(is_nan(times.rhat));
  const CriteriaSeries right{
      informed.all(), random.all(), {nullptr, nullptr, 0}, {nullptr, nullptr, 0}};
  TEST_ASSERT_EQUAL_INT(
      0, static_cast<int>(compare_criteria(right, {}, 2, memory.work, &times, nullptr)));
  TEST_ASSERT_TRUE(is_nan(times.teacher_student));
  TEST_ASSERT_TRUE(times.stationarity > 4e5 && times.stationarity < 9e5);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(stationary_from_the_start);
  RUN_TEST(end_of_a_relaxation_is_dated);
  RUN_TEST(drift_is_not_stationary);
  RUN_TEST(gradient_is_about_zero_from_when_it_is);
  RUN_TEST(gradient_elsewhere_is_not_found);
  RUN_TEST(block_rhat_by_hand);
  RUN_TEST(block_rhat_refuses_bad_sizes);
  RUN_TEST(rhat_settles_when_the_chains_meet);
  RUN_TEST(figure_one_in_one_call);
  return UNITY_END();
}
