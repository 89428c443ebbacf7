// The thermalization verdict: on the authors' own series, on simulated stationary pairs, on pairs
// that differ, on sparse and growing series, and on input it must refuse.
#include "lib/diagnostics/thermalization.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/support/series.hpp"
#include "tests/support/watched.h"
extern "C" {
#include "unity.h"
}

using namespace nnp;
using series::is_nan;
using series::LevelMemory;
using series::no_data;
using series::Normals;
using series::Recorded;

void setUp() {}
void tearDown() {}

namespace {

// Keeps samples at least a tenth of a `per_decade`-th of a decade apart.
Recorded thinned(const Recorded &all, double per_decade) {
  Recorded out;
  double next = 0;
  for (size_t i = 0; i < all.t.size(); ++i) {
    if (all.t[i] < next) continue;
    out.t.push_back(all.t[i]);
    out.x.push_back(all.x[i]);
    next = std::fmax(all.t[i] + 1, all.t[i] * std::pow(10, 1 / per_decade));
  }
  return out;
}

Thermalization decide(const TimeSeries &informed, const TimeSeries &other) {
  static LevelMemory memory;
  Thermalization out;
  const Status status = decide_thermalization(informed, &other, 1, {}, memory.work, &out, nullptr);
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(status));
  return out;
}

Recorded authors(const char *chain) {
  return series::authors(chain, 1);
}

void zero_merges_at_1e5_in_the_authors_series() {
  const Recorded informed = authors("informed"), zero = authors("zero");
  if (informed.x.empty()) TEST_IGNORE_MESSAGE(no_data);
  const Thermalization r = decide(informed.all(), zero.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::thermalized), static_cast<int>(r.verdict));
  TEST_ASSERT_TRUE(r.time > 5e4 && r.time < 2e5);
  TEST_ASSERT_TRUE(r.level > 1.5e-4 && r.level < 1.75e-4);
  TEST_ASSERT_TRUE(r.informed_level > 1.5e-4 && r.informed_level < 1.75e-4);
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Scale::logarithmic), static_cast<int>(r.scale));
}

void random_starts_are_stuck_in_the_authors_series() {
  const Recorded informed = authors("informed");
  if (informed.x.empty()) TEST_IGNORE_MESSAGE(no_data);
  for (const char *chain : {"random_a", "random_b"}) {
    const Recorded other = authors(chain);
    const Thermalization r = decide(informed.all(), other.all());
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::not_thermalized), static_cast<int>(r.verdict));
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Reason::stuck), static_cast<int>(r.reason));
    TEST_ASSERT_TRUE(r.level > 1.1e-3 && r.level < 1.3e-3);
    TEST_ASSERT_TRUE(r.distance > 20);
  }
}

// As the run grows: nothing is said too early, and once said it stays.
void growing_series_are_never_judged_wrongly() {
  const Recorded informed = authors("informed");
  if (informed.x.empty()) TEST_IGNORE_MESSAGE(no_data);
  const Recorded zero = authors("zero"), random_a = authors("random_a");
  bool said = false;
  const size_t step = static_cast<size_t>(shortened(20, 2));
  for (size_t n = 16; n <= informed.x.size(); n += n / step + 1) {
    const Thermalization z = decide(informed.first(n), zero.first(n));
    const bool thermalized = z.verdict == Verdict::thermalized;
    TEST_ASSERT_TRUE(z.verdict != Verdict::not_thermalized);
    TEST_ASSERT_TRUE(!said || thermalized);
    TEST_ASSERT_TRUE(!thermalized || (z.time > 5e4 && z.time < 2e5));
    said = said || thermalized;
    const Thermalization a = decide(informed.first(n), random_a.first(n));
    TEST_ASSERT_TRUE(a.verdict != Verdict::thermalized);
  }
  VERDICT(said);
}

void logarithmic_sampling_gives_the_same_verdicts() {
  const Recorded informed = authors("informed");
  if (informed.x.empty()) TEST_IGNORE_MESSAGE(no_data);
  for (double per_decade : {30.0, 100.0, 300.0}) {
    const Recorded thin = thinned(informed, per_decade),
                   zero = thinned(authors("zero"), per_decade);
    const Recorded random_b = thinned(authors("random_b"), per_decade);
    const Thermalization z = decide(thin.all(), zero.all());
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::thermalized), static_cast<int>(z.verdict));
    TEST_ASSERT_TRUE(z.time > 5e4 && z.time < 2e5);
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::not_thermalized),
                          static_cast<int>(decide(thin.all(), random_b.all()).verdict));
  }
}

Recorded stationary(Normals &normal, size_t n, double rho, double level) {
  Recorded out;
  double y = normal();
  for (size_t i = 0; i < n; ++i) {
    out.x.push_back(level + y);
    y = rho * y + std::sqrt(1 - rho * rho) * normal();
  }
  return out;
}

// Of 200 pairs.
int count_thermalized(uint64_t seed, size_t n, double lowest_rho, double shift) {
  Normals normal(seed);
  int count = 0;
  const int stride = static_cast<int>(shortened(1, 40));
  for (int pair = 0; pair < 200; pair += stride) {
    const double rho = lowest_rho + (0.99 - lowest_rho) * pair / 199;
    const Recorded a = stationary(normal, n, rho, 0), b = stationary(normal, n, rho, shift);
    count += decide(a.all(), b.all()).verdict == Verdict::thermalized;
  }
  return count;
}

void stationary_pairs_are_thermalized() {
  VERDICT(count_thermalized(1, 3000, 0, 0) >= 190);
  VERDICT(count_thermalized(2, 3000, 0.99, 0) >= 190);
}

void pairs_three_sd_apart_are_not() {
  TEST_ASSERT_LESS_OR_EQUAL_INT(2, count_thermalized(3, 3000, 0, 3));
  TEST_ASSERT_LESS_OR_EQUAL_INT(2, count_thermalized(4, 1000, 0.9, -3));
}

// Even far too short series never make a difference of 3 sd look like none.
void short_series_are_undecided_rather_than_wrong() {
  TEST_ASSERT_LESS_OR_EQUAL_INT(2, count_thermalized(5, 300, 0.95, 3));
}

// f relaxes as level + jump exp(-t / 200) with noise: merged where the jump is below the spread.
void relaxation_is_dated() {
  Normals normal(6);
  Recorded informed = stationary(normal, 8000, 0.5, 10), other = stationary(normal, 8000, 0.5, 10);
  for (size_t i = 0; i < other.x.size(); ++i)
    other.x[i] += 50 * std::exp(-static_cast<double>(i) / 200);
  const Thermalization r = decide(informed.all(), other.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::thermalized), static_cast<int>(r.verdict));
  TEST_ASSERT_TRUE(r.time > 500 && r.time < 1200);  // 50 exp(-780 / 200) = 1 sd
}

void chain_on_its_way_is_undecided() {
  Normals normal(7);
  Recorded informed = stationary(normal, 4000, 0.5, 0), other = stationary(normal, 4000, 0.5, 0);
  for (size_t i = 0; i < other.x.size(); ++i) other.x[i] += 60 - 0.01 * static_cast<double>(i);
  const Thermalization r = decide(informed.all(), other.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::undecided), static_cast<int>(r.verdict));
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Reason::still_moving), static_cast<int>(r.reason));
  TEST_ASSERT_TRUE(is_nan(r.time));
  const Thermalization swapped = decide(other.all(), informed.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Reason::informed_moving),
                        static_cast<int>(swapped.reason));
}

// Agreement over the last fifth of the run, block by block, is not enough; over half of it, it is.
void late_merger_is_not_trusted_yet() {
  Normals normal(8);
  const Recorded informed = stationary(normal, 4000, 0.5, 0);
  Recorded other = stationary(normal, 4000, 0.5, 0);
  for (size_t i = 0; i < 3150; ++i) other.x[i] += 20;
  const Thermalization late = decide(informed.all(), other.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::undecided), static_cast<int>(late.verdict));
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Reason::merged_recently), static_cast<int>(late.reason));
  for (size_t i = 1900; i < 3150; ++i) other.x[i] -= 20;
  const Thermalization early = decide(informed.all(), other.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::thermalized), static_cast<int>(early.verdict));
  TEST_ASSERT_TRUE(early.time >= 1900 && early.time < 2600);
}

// A chain that touches the level on its way past it has not merged.
void passing_by_is_not_merging() {
  Normals normal(9);
  Recorded informed = stationary(normal, 6000, 0.5, 0), other = stationary(normal, 6000, 0.5, 0);
  for (size_t i = 0; i < 2000; ++i) other.x[i] += 12;
  for (size_t i = 3000; i < 6000; ++i) other.x[i] -= 12;
  const Thermalization r = decide(informed.all(), other.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::not_thermalized), static_cast<int>(r.verdict));
  TEST_ASSERT_TRUE(r.distance < -11 && r.distance > -13);
  TEST_ASSERT_TRUE(r.time >= 2400 && r.time <= 3800);
}

// The informed chain starts with test error 0: that must not forbid the logarithmic scale.
void error_zero_at_the_start_is_allowed() {
  Normals normal(10);
  Recorded informed, zero;
  for (int i = 0; i < 4000; ++i) {
    const double t = i;
    informed.x.push_back(1e-4 * (1 - std::exp(-t / 50)) * std::exp(0.1 * normal()));
    zero.x.push_back((1e-4 + 0.3 * std::exp(-t / 60)) * std::exp(0.1 * normal()));
  }
  TEST_ASSERT_TRUE(informed.x[0] == 0);
  const Thermalization r = decide(informed.all(), zero.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Scale::logarithmic), static_cast<int>(r.scale));
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::thermalized), static_cast<int>(r.verdict));
  TEST_ASSERT_TRUE(r.time > 400 && r.time < 1000);  // 0.3 exp(-620 / 60) = 1e-5
}

void constant_series() {
  const Recorded ones{{}, std::vector<double>(100, 1.0)}, twos{{}, std::vector<double>(100, 2.0)};
  const Thermalization same = decide(ones.all(), ones.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::thermalized), static_cast<int>(same.verdict));
  TEST_ASSERT_TRUE(same.time == 0 && same.distance == 0);
  const Thermalization apart = decide(ones.all(), twos.all());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::not_thermalized),
                        static_cast<int>(apart.verdict));
}

void too_few_samples_are_undecided() {
  const Recorded few{{}, {1, 2, 1, 2, 1}};
  for (size_t n = 1; n <= 5; ++n) {
    const Thermalization r = decide(few.first(n), few.first(n));
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Verdict::undecided), static_cast<int>(r.verdict));
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Reason::too_short), static_cast<int>(r.reason));
  }
}

void bad_series_are_refused() {
  LevelMemory memory;
  Error err{};
  Thermalization out;
  Recorded good{{0, 1, 2}, {1, 2, 3}}, bad = good, late = good;
  bad.x[2] = NAN;
  late.t[2] = 1;
  const TimeSeries with_nan = bad.all(), disordered = late.all();
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::not_finite),
                        static_cast<int>(decide_thermalization(good.all(), &with_nan, 1, {},
                                                               memory.work, &out, &err)));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "others[0]: value 2"));
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Status::bad_value),
                        static_cast<int>(decide_thermalization(disordered, &with_nan, 1, {},
                                                               memory.work, &out, &err)));
  TEST_ASSERT_NOT_NULL(std::strstr(err.message, "informed: time 2"));
}

void workspace_too_small_is_noticed() {
  std::vector<double> block(thermalization_bytes() / sizeof(double) + 1);
  TEST_ASSERT_NOT_NULL(level_work(block.data(), thermalization_bytes()).bins);
  TEST_ASSERT_NULL(level_work(block.data(), thermalization_bytes() - 1).bins);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(zero_merges_at_1e5_in_the_authors_series);
  RUN_TEST(random_starts_are_stuck_in_the_authors_series);
  RUN_TEST(growing_series_are_never_judged_wrongly);
  RUN_TEST(logarithmic_sampling_gives_the_same_verdicts);
  RUN_TEST(stationary_pairs_are_thermalized);
  RUN_TEST(pairs_three_sd_apart_are_not);
  RUN_TEST(short_series_are_undecided_rather_than_wrong);
  RUN_TEST(relaxation_is_dated);
  RUN_TEST(chain_on_its_way_is_undecided);
  RUN_TEST(late_merger_is_not_trusted_yet);
  RUN_TEST(passing_by_is_not_merging);
  RUN_TEST(error_zero_at_the_start_is_allowed);
  RUN_TEST(constant_series);
  RUN_TEST(too_few_samples_are_undecided);
  RUN_TEST(bad_series_are_refused);
  RUN_TEST(workspace_too_small_is_noticed);
  return UNITY_END();
}
