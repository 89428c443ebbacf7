// Normal, exponential, gamma and truncated normal draws against their exact distribution functions,
// in the bulk (Kolmogorov-Smirnov) and far out (counts).
#include "lib/random/variates.hpp"

#include <cmath>
#include <vector>

#include "lib/network/draws.hpp"
#include "lib/random/wide.hpp"

#include "tests/support/alarm.h"
#include "tests/support/stats.hpp"
#include "tests/support/tables.hpp"
#include "tests/support/watched.h"

extern "C" {
#include "unity.h"
}

void setUp() {}
void tearDown() {}

namespace {

using nnp::Stream;

// Uniformity of cdf(draw()) over `full` draws.
template <class Draw, class Cdf>
double p_value(int64_t full, Draw draw, Cdf cdf) {
  std::vector<double> u(static_cast<size_t>(shortened(full, 500)));
  for (double &one : u) one = cdf(draw());
  return stats::uniformity(u);
}

// A fixed seed makes each p-value a constant; the bound leaves no room for chance over all cells.
constexpr double least_p = 1e-6;

void normal_has_its_law() {
  Stream stream(1, 0, 0);
  const double p = p_value(
      1000000, [&] { return nnp::normal(stream); }, stats::normal_cdf);
  VERDICT(p > 1e-3);
}

// 1000 equal bins see what the largest distance does not: steps between the ziggurat's layers.
template <class Draw, class Cdf>
double chi_square_z(Draw draw, Cdf cdf) {
  constexpr int bins = 1000;
  const int per_bin = static_cast<int>(shortened(2000, 5));
  std::vector<double> count(bins, 0.0);
  for (int k = 0; k < bins * per_bin; ++k) ++count[static_cast<size_t>(cdf(draw()) * bins)];
  double chi_square = 0;
  for (double c : count) chi_square += (c - per_bin) * (c - per_bin) / per_bin;
  return (chi_square - (bins - 1)) / std::sqrt(2.0 * (bins - 1));
}

void normal_fills_equal_bins() {
  Stream stream(2, 0, 0);
  const double z = chi_square_z([&] { return nnp::normal(stream); }, stats::normal_cdf);
  VERDICT(std::fabs(z) < 4);
}

void exponential_fills_equal_bins() {
  Stream stream(3, 0, 0);
  const double z = chi_square_z([&] { return nnp::exponential(stream); },
                                [](double e) { return -std::expm1(-e); });
  VERDICT(std::fabs(z) < 4);
}

// E x^k of a standard normal: 0 1 0 3 0 15; and of the product of neighbours: 0.
void normal_has_its_moments() {
  Stream stream(4, 0, 0);
  const int n = static_cast<int>(shortened(5000000, 5000));
  double sum[5] = {0, 0, 0, 0, 0}, last = 0, neighbours = 0;
  for (int k = 0; k < n; ++k) {
    const double x = nnp::normal(stream), x2 = x * x;
    sum[1] += x;
    sum[2] += x2;
    sum[3] += x2 * x;
    sum[4] += x2 * x2;
    neighbours += last * x;
    last = x;
  }
  const double root = std::sqrt(static_cast<double>(n));
  VERDICT(std::fabs(sum[1] / root) < 4);
  VERDICT(std::fabs((sum[2] - n) / root / std::sqrt(2.0)) < 4);
  VERDICT(std::fabs(sum[3] / root / std::sqrt(15.0)) < 4);
  VERDICT(std::fabs((sum[4] - 3.0 * n) / root / std::sqrt(96.0)) < 4);
  VERDICT(std::fabs(neighbours / root) < 4);
}

// Counts beyond 3.5, the start of the ziggurat's tail, 4.5 and 5 on either side; and the law of
// those in the tail.
void normal_has_its_tails() {
  Stream stream(5, 0, 0);
  const int n = static_cast<int>(shortened(30000000, 100000));
  const double bound[] = {3.5, 3.6541528853610088, 4.5, 5};
  double above[4] = {0, 0, 0, 0}, below[4] = {0, 0, 0, 0};
  std::vector<double> u;
  for (int k = 0; k < n; ++k) {
    const double x = nnp::normal(stream);
    if (std::fabs(x) < 3.5) continue;
    if (std::fabs(x) > bound[1]) u.push_back(stats::excess_cdf(bound[1], std::fabs(x) - bound[1]));
    for (int j = 0; j < 4; ++j) {
      above[j] += x > bound[j];
      below[j] += x < -bound[j];
    }
  }
  for (int j = 0; j < 4; ++j) {
    const double p = stats::normal_cdf(-bound[j]);
    VERDICT(std::fabs(stats::binomial_z(above[j], n, p)) < 4);
    VERDICT(std::fabs(stats::binomial_z(below[j], n, p)) < 4);
  }
  VERDICT(stats::uniformity(u) > 1e-3);
}

// Arrays come from ziggurats of their own, of 512 layers. `Array` hands out their normals, or the
// exponentials of the same words.
struct Array {
  explicit Array(uint64_t seed) : stream(seed, 0, 0), normals(room), words(room) {}
  double normal() {
    if (next % room == 0) nnp::fill_normal(stream, normals.data(), room);
    return normals[next++ % room];
  }
  double exponential() {
    if (next % room == 0) nnp::wide_words_portable(stream.wide, words.data(), room);
    return nnp::wide_exponential(stream, words[next++ % room]);
  }
  static constexpr int64_t room = 1000;
  Stream stream;
  std::vector<double> normals;
  std::vector<uint64_t> words;
  size_t next = 0;
};

void filling_has_the_law() {
  Array array(7);
  const double p = p_value(
      1000000, [&] { return array.normal(); }, stats::normal_cdf);
  VERDICT(p > 1e-3);
}

void filling_fills_equal_bins() {
  Array array(22), other(23);
  VERDICT(std::fabs(chi_square_z([&] { return array.normal(); }, stats::normal_cdf)) < 4);
  const auto cdf = [](double e) { return -std::expm1(-e); };
  VERDICT(std::fabs(chi_square_z([&] { return other.exponential(); }, cdf)) < 4);
}

// The tail begins at 3.852 and at 8.4817, the base layers end at 4.0969 and 9.4817.
void filling_has_the_tails() {
  Array array(24), other(25);
  const int n = static_cast<int>(shortened(20000000, 50000));
  const double bound[] = {3.5, 3.852042, 4.09686, 5}, far[] = {7, 8.4817352, 9.4817352, 13};
  double above[4] = {0, 0, 0, 0}, below[4] = {0, 0, 0, 0}, beyond[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; ++k) {
    const double x = array.normal(), e = other.exponential();
    if (std::fabs(x) < 3.5 && e < 7) continue;
    for (int j = 0; j < 4; ++j) {
      above[j] += x > bound[j];
      below[j] += x < -bound[j];
      beyond[j] += e > far[j];
    }
  }
  for (int j = 0; j < 4; ++j) {
    const double p = stats::normal_cdf(-bound[j]);
    VERDICT(std::fabs(stats::binomial_z(above[j], n, p)) < 4);
    VERDICT(std::fabs(stats::binomial_z(below[j], n, p)) < 4);
    VERDICT(std::fabs(stats::binomial_z(beyond[j], n, std::exp(-far[j]))) < 4);
  }
}

void variates_of_single_words_have_the_law() {
  Array array(26);
  std::vector<double> u;
  std::vector<uint64_t> words(1000);
  for (int64_t k = 0; k < shortened(4000, 5); ++k) {
    nnp::wide_words_portable(array.stream.wide, words.data(), 1000);
    for (uint64_t word : words)
      u.push_back(stats::normal_cdf(nnp::wide_normal(array.stream, word)));
  }
  VERDICT(stats::uniformity(u) > 1e-3);
}

void filling_has_the_same_bits_at_every_level() {
  for (int64_t count : {0, 1, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 50000}) {
    Stream portable(7, 0, 0);
    std::vector<double> want(static_cast<size_t>(count) + 1, 777.0);
    nnp::fill_normal_portable(portable, want.data(), count);
    TEST_ASSERT_TRUE(want.back() == 777);
    for (const char *level : {"avx2", "avx512", "neon"}) {
      const nnp::DrawKernels *draws = nnp::draw_kernels_named(level);
      if (!draws) continue;
      Stream stream(7, 0, 0);
      std::vector<double> filled(want.size(), 777.0);
      draws->normals(stream, filled.data(), count);
      TEST_ASSERT_TRUE(filled == want);
      TEST_ASSERT_TRUE(stream.bits() == Stream(portable).bits());
      TEST_ASSERT_TRUE(stream.wide.state == portable.wide.state);
    }
  }
}

void an_array_is_its_words_one_by_one() {
  Stream stream(8, 1, 2), other(8, 1, 2);
  std::vector<double> filled(5000);
  std::vector<uint64_t> words(5000);
  nnp::fill_normal(stream, filled.data(), 5000);
  nnp::wide_words_portable(other.wide, words.data(), 5000);
  for (size_t i = 0; i < words.size(); ++i)
    TEST_ASSERT_TRUE(filled[i] == nnp::wide_normal(other, words[i]));
}

void exponential_has_its_law() {
  Stream stream(8, 0, 0);
  const double p = p_value(
      1000000, [&] { return nnp::exponential(stream); }, [](double e) { return -std::expm1(-e); });
  VERDICT(p > 1e-3);
}

void exponential_has_its_tail() {
  Stream stream(9, 0, 0);
  const int n = static_cast<int>(shortened(10000000, 50000));
  double beyond[3] = {0, 0, 0};
  const double bound[] = {7, 7.69711747013105, 13};
  for (int k = 0; k < n; ++k) {
    const double e = nnp::exponential(stream);
    TEST_ASSERT_TRUE(e > 0);
    for (int j = 0; j < 3; ++j) beyond[j] += e > bound[j];
  }
  for (int j = 0; j < 3; ++j)
    VERDICT(std::fabs(stats::binomial_z(beyond[j], n, std::exp(-bound[j]))) < 4);
}

void gamma_has_its_law() {
  Stream stream(10, 0, 0);
  for (double shape : {0.01, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0, 1.5, 2.5, 7.0, 30.0, 300.0, 1e4}) {
    const double p = p_value(
        30000, [&] { return nnp::gamma(stream, shape); },
        [shape](double x) { return stats::gamma_cdf(shape, x); });
    // 0.01: one draw in 1700 underflows and all of these sit at the smallest double
    VERDICT(p > least_p);
  }
}

void log_gamma_has_its_law() {
  Stream stream(11, 0, 0);
  for (double shape : {1e-6, 1e-3, 0.05, 0.7, 4.0}) {
    const double p = p_value(
        30000, [&] { return nnp::log_gamma_draw(stream, shape); },
        [shape](double log_x) { return stats::gamma_cdf_at_log(shape, log_x); });
    VERDICT(p > least_p);
  }
}

void gamma_has_its_moments() {
  Stream stream(12, 0, 0);
  for (double shape : {0.2, 1.0, 3.3, 1e3, 1e8, 1e12}) {
    const int n = static_cast<int>(shortened(200000, 500));
    double sum = 0, squares = 0;
    for (int k = 0; k < n; ++k) {
      const double t = (nnp::gamma(stream, shape) - shape) / std::sqrt(shape);
      sum += t;
      squares += t * t;
    }
    VERDICT(std::fabs(sum / std::sqrt(static_cast<double>(n))) < 4.5);
    const double sd = std::sqrt(2 + 6 / shape);  // of t^2
    VERDICT(std::fabs((squares - n) / std::sqrt(static_cast<double>(n)) / sd) < 4.5);
  }
}

void gamma_is_never_zero() {
  Stream stream(13, 0, 0);
  for (double shape : {1e-300, 1e-6, 1e-3})
    for (int k = 0; k < 10000; ++k) {
      TEST_ASSERT_TRUE(nnp::gamma(stream, shape) > 0);
      TEST_ASSERT_TRUE(nnp::log_gamma_draw(stream, shape) < 10);
    }
}

void truncated_excess_has_its_law() {
  Stream stream(14, 0, 0);
  for (double alpha : {-1e3, -30.0, -5.0, -2.0, -1.0, -0.5, -1e-3, 0.0,  1e-3, 0.3, 0.79,
                       0.8,  1.0,   2.0,  3.0,  4.0,  5.0,  10.0,  37.0, 39.0, 1e3, 1e6}) {
    const double p = p_value(
        200000, [&] { return nnp::truncated_excess(stream, alpha); },
        [alpha](double e) { return stats::excess_cdf(alpha, e); });
    VERDICT(p > least_p);
  }
}

// Beyond every cdf: alpha times the excess is exponential, mean and all.
void truncated_excess_keeps_its_scale() {
  Stream stream(15, 0, 0);
  for (double alpha : {1e8, 1e10, 1e100, 1e300}) {
    const double p = p_value(
        30000, [&] { return nnp::truncated_excess(stream, alpha); },
        [alpha](double e) { return -std::expm1(-e * alpha); });
    VERDICT(p > least_p);
  }
  TEST_ASSERT_TRUE(nnp::truncated_excess(stream, -1e300) == 1e300);
}

void truncated_excess_is_positive() {
  Stream stream(16, 0, 0);
  for (double alpha = -20; alpha < 400; alpha += 0.37)
    for (int k = 0; k < 100; ++k) TEST_ASSERT_TRUE(nnp::truncated_excess(stream, alpha) > 0);
}

// P(T < alpha + e | alpha < T < beta), with mirroring so that nothing cancels.
double between_cdf(double alpha, double beta, double e) {
  if (alpha + beta < 0) return 1 - between_cdf(-beta, -alpha, beta - alpha - e);
  return stats::excess_cdf(alpha, e) / stats::excess_cdf(alpha, beta - alpha);
}

// Narrow, wide, one-sided in effect, far out; both signs.
void truncated_between_has_its_law() {
  Stream stream(17, 0, 0);
  const double ends[][2] = {
      {-1, 1},      {-1e-3, 2e-3}, {0, 0.5},  {0, 1.2},    {0.3, 1.5},        {-0.4, 2},
      {0, 2.4},     {0, 2.6},      {-0.1, 4}, {-3, 3},     {-40, 40},         {-2, 0.5},
      {-1e3, 1e-2}, {0.5, 0.6},    {1, 2},    {2, 1e3},    {4, 4.1},          {6, 6.1},
      {6, 9},       {30, 30.01},   {30, 31},  {1e3, 1001}, {1e3, 1e3 + 1e-3}, {1e6, 1e6 + 1e-6}};
  for (const auto &end : ends)
    for (double sign : {1.0, -1.0}) {
      const double alpha = sign > 0 ? end[0] : -end[1], beta = sign > 0 ? end[1] : -end[0];
      const double p = p_value(
          100000, [&] { return nnp::truncated_between(stream, alpha, beta); },
          [&](double e) { return between_cdf(alpha, beta, e); });
      VERDICT(p > least_p);
    }
}

void truncated_between_stays_between() {
  Stream stream(18, 0, 0);
  for (double alpha : {-1e6, -300.0, -3.0, -1e-9, 0.0, 1e-9, 3.0, 300.0, 1e6})
    for (double width : {1e-9, 1e-3, 0.5, 3.0, 1e3, 1e9}) {
      const double beta = alpha + width;
      for (int k = 0; k < 500; ++k) {
        const double e = nnp::truncated_between(stream, alpha, beta);
        TEST_ASSERT_TRUE(e > 0);
        TEST_ASSERT_TRUE(e < beta - alpha);
      }
    }
}

// No argument may starve a rejection loop: count proposals through the words they draw.
void rejection_is_bounded() {
  int proposals = 0, draws = 0;
  double worst = 1;
  for (double depth = -50; depth < 10; depth += 0.05)
    for (double inverse_width : {0.0, 1e-3, 0.2, 0.39, 0.4, 0.41, 0.79, 0.8, 0.81, 2.0, 40.0}) {
      if (inverse_width > 0 && depth > 0.5 / inverse_width) continue;  // not the near end
      Stream stream(19, 0, static_cast<uint64_t>(draws));
      proposals = 0;
      for (draws = 0; draws < 400; ++draws) {
        double excess;
        do ++proposals;
        while (!nnp::propose_excess(stream, depth, inverse_width, &excess));
      }
      worst = std::fmin(worst, static_cast<double>(draws) / proposals);
    }
  TEST_ASSERT_TRUE(worst > 0.35);  // 0.49 in truth, less five standard errors
}

bool is_nan(double a) {
  return a != a;
}

void nan_ends_a_loop() {
  Stream stream(20, 0, 0);
  TEST_ASSERT_TRUE(is_nan(nnp::truncated_excess(stream, NAN)));
  TEST_ASSERT_TRUE(is_nan(nnp::truncated_between(stream, NAN, 1)));
  TEST_ASSERT_TRUE(is_nan(nnp::truncated_between(stream, 0, NAN)));
}

// The tests above must be able to fail: a law a few percent off does.
void slightly_wrong_laws_are_caught() {
  Stream stream(21, 0, 0);
  const double wrong_scale = p_value(
      1000000, [&] { return 1.02 * nnp::normal(stream); }, stats::normal_cdf);
  VERDICT(wrong_scale < 1e-3);
  const double wrong_bound = p_value(
      100000, [&] { return nnp::truncated_excess(stream, 2.0); },
      [](double e) { return stats::excess_cdf(2.15, e); });
  VERDICT(wrong_bound < least_p);
  const double wrong_shape = p_value(
      100000, [&] { return nnp::gamma(stream, 0.5); },
      [](double x) { return stats::gamma_cdf(0.52, x); });
  VERDICT(wrong_shape < least_p);
}

// The law of log s by trapezoids: s^p exp(-a s - b/s) d(log s), from 40 sd below its mode to 40
// above.
class GigCdf {
 public:
  GigCdf(double p, double a, double b) {
    const double root = std::sqrt(p * p + 4 * a * b);
    const double mode = std::log(p > 0 ? (p + root) / (2 * a) : 2 * b / (root - p));
    step_ = std::fmin(40 / std::sqrt(root), 100) / half;
    first_ = mode - half * step_;
    const auto log_density = [=](double t) { return p * t - a * std::exp(t) - b * std::exp(-t); };
    double sum = 0;
    for (int i = 0; i <= 2 * half; ++i) {
      sum += std::exp(log_density(first_ + i * step_) - log_density(mode));
      cdf_.push_back(sum);
    }
    for (double &c : cdf_) c /= sum;
  }
  double operator()(double s) const {
    const double at = (std::log(s) - first_) / step_ + 0.5;
    if (at <= 0) return 0;
    if (at >= 2 * half) return 1;
    const size_t i = static_cast<size_t>(at);
    return cdf_[i] + (at - static_cast<double>(i)) * (cdf_[i + 1] - cdf_[i]);
  }

 private:
  static constexpr int half = 40000;
  double first_ = 0, step_ = 0;
  std::vector<double> cdf_;
};

void generalized_inverse_gaussian_has_its_law() {
  Stream stream(21, 0, 0);
  const double cases[][3] = {{0.5, 1, 1},        {2, 3, 0.1},     {-1.5, 0.2, 2},
                             {2000, 1900, 4},    {-300, 1e-3, 1}, {0, 1e-2, 1e-2},
                             {5, 1e4, 1e4},      {40, 3e-4, 0},   {1, 1e6, 1e-6},
                             {2000, 2e-9, 1e-3}, {0, 1e-9, 1e-9}, {0, 1e-30, 1e-2}};
  for (const auto &c : cases) {
    const GigCdf cdf(c[0], c[1], c[2]);
    const double p = p_value(
        100000, [&] { return nnp::generalized_inverse_gaussian(stream, c[0], c[1], c[2]); }, cdf);
    VERDICT(p > 1e-4);
  }
}

// Up to the ends of double precision: the loop ends, and where 4ab alone overflows the draw is its
// mode, sqrt(b/a), to rounding.
void generalized_inverse_gaussian_ends() {
  Stream stream(22, 0, 0);
  const double sizes[] = {0,    5e-324, 1e-300, 1e-150, 1e-20,   1,
                          1e20, 1e150,  1e200,  1e300,  1.7e308, HUGE_VAL};
  const double powers[] = {0, 0.5, -0.5, 3, -3, 1e6, -1e6, 1e12};
  alarm(20);
  for (const double p : powers)
    for (const double a : sizes)
      for (const double b : sizes) {
        const double s = nnp::generalized_inverse_gaussian(stream, p, a, b);
        TEST_ASSERT_TRUE(!(s < 0));
        const bool sharp = a >= 1e150 && b >= 1e150 && a < HUGE_VAL && b < HUGE_VAL;
        const double mode = sharp ? std::sqrt(b) / std::sqrt(a) : s;
        TEST_ASSERT_TRUE(!sharp || std::fabs(s / mode - 1) < 1e-12);
        TEST_ASSERT_TRUE((a < HUGE_VAL && b < HUGE_VAL) || is_nan(s));
      }
  TEST_ASSERT_TRUE(is_nan(nnp::generalized_inverse_gaussian(stream, 1, NAN, 1)));
  TEST_ASSERT_TRUE(is_nan(nnp::generalized_inverse_gaussian(stream, 1, 1, NAN)));
  TEST_ASSERT_TRUE(is_nan(nnp::generalized_inverse_gaussian(stream, 0, 1, 0)));
  TEST_ASSERT_TRUE(is_nan(nnp::generalized_inverse_gaussian(stream, -1, 1, 0)));
  TEST_ASSERT_TRUE(is_nan(nnp::generalized_inverse_gaussian(stream, 1, 0, 1)));
  alarm(0);
}

// The product rounds up to the count for the largest uniforms.
void picks_stay_below() {
  Stream stream(23, 0, 0);
  int64_t times[3] = {};
  for (int i = 0; i < 30000; ++i) ++times[nnp::pick_below(stream, 3)];
  for (const int64_t n : times) TEST_ASSERT_TRUE(n > 9500 && n < 10500);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(generalized_inverse_gaussian_ends);
  RUN_TEST(picks_stay_below);
  RUN_TEST(generalized_inverse_gaussian_has_its_law);
  RUN_TEST(normal_has_its_law);
  RUN_TEST(normal_fills_equal_bins);
  RUN_TEST(normal_has_its_moments);
  RUN_TEST(normal_has_its_tails);
  RUN_TEST(filling_has_the_law);
  RUN_TEST(filling_fills_equal_bins);
  RUN_TEST(filling_has_the_tails);
  RUN_TEST(variates_of_single_words_have_the_law);
  RUN_TEST(filling_has_the_same_bits_at_every_level);
  RUN_TEST(an_array_is_its_words_one_by_one);
  RUN_TEST(exponential_has_its_law);
  RUN_TEST(exponential_fills_equal_bins);
  RUN_TEST(exponential_has_its_tail);
  RUN_TEST(gamma_has_its_law);
  RUN_TEST(log_gamma_has_its_law);
  RUN_TEST(gamma_has_its_moments);
  RUN_TEST(gamma_is_never_zero);
  RUN_TEST(truncated_excess_has_its_law);
  RUN_TEST(truncated_excess_keeps_its_scale);
  RUN_TEST(truncated_excess_is_positive);
  RUN_TEST(truncated_between_has_its_law);
  RUN_TEST(truncated_between_stays_between);
  RUN_TEST(rejection_is_bounded);
  RUN_TEST(nan_ends_a_loop);
  RUN_TEST(slightly_wrong_laws_are_caught);
  return UNITY_END();
}
