// The parts of a study: nested sample times of bounded number, and R-hat from running moments.
#include <cmath>
#include <vector>

#include "lib/diagnostics/block_rhat.hpp"
#include "lib/study/rhat_blocks.hpp"
#include "lib/study/schedule.hpp"
extern "C" {
#include "unity.h"
}

using namespace nnp;

void setUp() {}
void tearDown() {}

namespace {

std::vector<int64_t> times_up_to(const SampleTimes &times, int64_t end) {
  std::vector<int64_t> found = {0};
  for (int64_t t = times.next(0); t <= end; t = times.next(t)) found.push_back(t);
  return found;
}

// next() leaves out no step that sampled() names.
void next_finds_every_sampled_step() {
  for (Sampling sampling : {Sampling::logarithmic, Sampling::even})
    for (int64_t stride : {1, 3}) {
      SampleTimes times = SampleTimes::of(sampling, stride, 512);
      for (int coarser = 0; coarser < 4; ++coarser, times.coarsen()) {
        int64_t next = times.next(0);
        for (int64_t step = 1; step <= 5000; ++step) {
          TEST_ASSERT_TRUE(times.sampled(step) == (step == next));
          if (step == next) next = times.next(step);
        }
      }
    }
}

void coarser_times_are_among_the_finer() {
  for (Sampling sampling : {Sampling::logarithmic, Sampling::even}) {
    SampleTimes coarse = SampleTimes::of(sampling, 3, 1024);
    for (int k = 0; k < 4; ++k) {
      const SampleTimes fine = coarse;
      coarse.coarsen();
      const auto before = times_up_to(fine, 3000), after = times_up_to(coarse, 3000);
      TEST_ASSERT_TRUE(after.size() < before.size());
      for (int64_t t : after) TEST_ASSERT_TRUE(fine.sampled(t));
    }
  }
}

// 16 samples a doubling at 512, so a billion steps fit without thinning.
void logarithmic_times_are_few() {
  const SampleTimes times = SampleTimes::of(Sampling::logarithmic, 1, 512);
  const auto found = times_up_to(times, 1000000000);
  TEST_ASSERT_TRUE(found.size() <= 512);
  for (size_t i = 1; i < found.size(); ++i) {
    const int64_t gap = found[i] - found[i - 1];
    TEST_ASSERT_TRUE(gap == 1 || static_cast<double>(gap) <= static_cast<double>(found[i]) / 15);
  }
}

// Moments give what block_rhat gets from the draws themselves.
void moments_give_the_same_rhat() {
  constexpr int64_t points = 7, draws = 50;
  std::vector<double> x(points * draws * 2), work(points);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(static_cast<double>(i * i)) + (i >= points * draws ? 0.3 : 0);
  BlockRhat want;
  const SampleTable table = {x.data(), points, draws, 2, 1, points, points * draws};
  TEST_ASSERT_TRUE(block_rhat(table, nullptr, draws, work.data(), &want, nullptr) == Status::ok);
  std::vector<double> sums(4 * points, 0.0);
  PointMoments chains[2];
  for (int c = 0; c < 2; ++c) {
    chains[c].mean = sums.data() + 2 * c * points;
    chains[c].squares = chains[c].mean + points;
    for (int64_t i = 0; i < draws; ++i)
      add_measurement(chains[c], x.data() + (c * draws + i) * points, points);
  }
  const BlockRhat got = pair_rhat(chains[0], chains[1], points, 24.5, work.data());
  TEST_ASSERT_TRUE(got.time == want.time);
  TEST_ASSERT_TRUE(std::fabs(got.mean - want.mean) < 1e-12);
  for (int p = 0; p < 4; ++p)
    TEST_ASSERT_TRUE(std::fabs(got.percentile[p] - want.percentile[p]) < 1e-12);
}

// Entries are averages of 1, 2, 4 ... blocks; none is lost but those of the entry at hand.
void a_full_series_is_averaged() {
  std::vector<unsigned char> memory(1 << 16);
  void *aligned = memory.data() + 64 - reinterpret_cast<uintptr_t>(memory.data()) % 64;
  Arena arena(aligned, memory.size() - 64);
  RhatSeries s = rhat_series_layout(arena, 2, 8);
  for (int64_t b = 0; b < 100; ++b) {
    const double value = static_cast<double>(b);
    const BlockRhat blocks[2] = {{value, value, {1, 2, 3, 4}}, {value, -value, {5, 6, 7, 8}}};
    rhat_series_add(s, blocks);
    TEST_ASSERT_TRUE(s.count <= 8 && s.count * s.each + s.filled == b + 1);
    for (int64_t i = 0; i < s.count; ++i) {
      const double middle = (static_cast<double>(i) + 0.5) * static_cast<double>(s.each) - 0.5;
      TEST_ASSERT_TRUE(s.times[i] == middle);
      TEST_ASSERT_TRUE(s.row(0, 0)[i] == middle && s.row(1, 0)[i] == -middle);
      TEST_ASSERT_TRUE(s.row(0, 4)[i] == 4 && s.row(1, 1)[i] == 5);
    }
  }
  TEST_ASSERT_TRUE(s.each == 16);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(next_finds_every_sampled_step);
  RUN_TEST(coarser_times_are_among_the_finer);
  RUN_TEST(logarithmic_times_are_few);
  RUN_TEST(moments_give_the_same_rhat);
  RUN_TEST(a_full_series_is_averaged);
  return UNITY_END();
}
