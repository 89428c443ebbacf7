// Our own exp, log and their relatives: near those of the C library, which need not be the same everywhere, and
// with the same bits on every machine.
#include "lib/base/functions.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

extern "C" {
#include "unity.h"
}

void setUp() {}
void tearDown() {}

namespace {

namespace own = nnp::own;
using Function = double (*)(double);

bool is_nan(double x) {
  return x != x;
}

// How many numbers lie between two.
double ulps_between(double a, double b) {
  if (a == b || (is_nan(a) && is_nan(b))) return 0;
  if (a - a != 0 || b - b != 0) return 1e300;
  int64_t x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  if ((x < 0) != (y < 0)) return 1e300;
  return std::fabs(static_cast<double>(x - y));
}

struct Range {
  const char *name;
  Function ours, theirs;
  double low, high;
  double ulps;  // that both may be apart: the C library may be off by as much
};

constexpr int points = 20011;

#if defined(_WIN32)
constexpr double rough = 1e4;  // its C library is
#else
constexpr double rough = 1;
#endif

double point_of(const Range &range, int i) {
  return range.low + (range.high - range.low) * i / (points - 1);
}

uint64_t hash_of(const Range &range) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < points; ++i) {
    const double value = range.ours(point_of(range, i));
    uint64_t word;
    std::memcpy(&word, &value, sizeof word);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

double tenth_power(double x) {
  return own::pow(x, 9.7);
}
double their_power(double x) {
  return std::pow(x, 9.7);
}
double with_three(double x) {
  return own::hypot(x, 3);
}
double their_with_three(double x) {
  return std::hypot(x, 3.0);
}

const Range ranges[] = {
    {"exp", own::exp, std::exp, -745, 709.7, 1},
    {"exp", own::exp, std::exp, -1, 1, 1},
    {"exp2", own::exp2, std::exp2, -1074, 1023.9, 1},
    {"expm1", own::expm1, std::expm1, -50, 700, 2},
    {"expm1", own::expm1, std::expm1, -0.01, 0.01, 2},
    {"log", own::log, std::log, 1e-310, 3, 1},
    {"log", own::log, std::log, 0.99, 1.01, 1},
    {"log", own::log, std::log, 1, 1e300, 1},
    {"log1p", own::log1p, std::log1p, -0.999, 5, 2},
    {"log1p", own::log1p, std::log1p, -1e-6, 1e-6, 2},
    {"log10", own::log10, std::log10, 1e-5, 1e5, 2},
    {"pow", tenth_power, their_power, 0, 50, 1},
    {"tanh", own::tanh, std::tanh, -25, 25, 4},
    {"acosh", own::acosh, std::acosh, 1, 20, 4},
    {"atanh", own::atanh, std::atanh, -0.999, 0.999, 4},
    {"hypot", with_three, their_with_three, -10, 10, 1},
    {"sin", own::sin, std::sin, -3, 3, 1},
    {"sin", own::sin, std::sin, -99999, 99999, 1},
    {"cos", own::cos, std::cos, -7, 7, 1},
    {"erf", own::erf, std::erf, -7, 7, 4},
    {"erfc", own::erfc, std::erfc, -7, 26, 9},
};

void functions_are_near_those_of_the_c_library() {
  for (const Range &range : ranges)
    for (int i = 0; i < points; ++i) {
      const double x = point_of(range, i), ours = range.ours(x), theirs = range.theirs(x);
      if (ulps_between(ours, theirs) <= range.ulps * rough || std::fabs(ours - theirs) < 1e-307)
        continue;
      std::printf("%s(%.17g) = %.17g, expected %.17g\n", range.name, x, ours, theirs);
      TEST_FAIL_MESSAGE("more than a few units of the last place apart");
    }
}

void functions_have_the_same_bits_on_every_machine() {
  uint64_t all = 0;
  for (const Range &range : ranges) all = all * 31 + hash_of(range);
  TEST_ASSERT_EQUAL_HEX64(0x328ee7234d6223e7, all);
}

void ends_of_their_ranges() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TEST_ASSERT_TRUE(own::exp(inf) == inf && own::exp(-inf) == 0 && own::exp(710) == inf);
  TEST_ASSERT_TRUE(own::exp(-746) == 0 && own::exp(-745) == 0x1p-1074 && own::exp(0) == 1);
  TEST_ASSERT_TRUE(own::exp2(-1074) == 0x1p-1074 && own::exp2(-1076) == 0 && own::exp2(10) == 1024);
  TEST_ASSERT_TRUE(own::log(0) == -inf && own::log(inf) == inf && own::log(1) == 0);
  TEST_ASSERT_TRUE(is_nan(own::log(-1)) && is_nan(own::log(nan)) && is_nan(own::exp(nan)));
  TEST_ASSERT_TRUE(own::log1p(-1) == -inf && own::log1p(inf) == inf &&
                   own::log1p(1e-300) == 1e-300);
  TEST_ASSERT_TRUE(own::expm1(-inf) == -1 && own::expm1(inf) == inf && own::expm1(0) == 0);
  TEST_ASSERT_TRUE(own::tanh(inf) == 1 && own::tanh(-inf) == -1 && is_nan(own::tanh(nan)));
  TEST_ASSERT_TRUE(own::acosh(1) == 0 && own::atanh(1) == inf && own::atanh(0) == 0);
  TEST_ASSERT_TRUE(own::hypot(1e200, 1e200) < inf && own::hypot(3e-200, 4e-200) > 4.9e-200);
  TEST_ASSERT_TRUE(own::hypot(inf, nan) == inf && own::hypot(0, -2) == 2);
  TEST_ASSERT_TRUE(own::pow(0, 2) == 0 && own::pow(2, 0) == 1 && own::pow(2, -2) == 0.25);
  TEST_ASSERT_TRUE(own::erfc(-inf) == 2 && own::erfc(inf) == 0 && own::erf(inf) == 1 &&
                   own::erf(0) == 0);
  double power = 1;
  for (int k = 0; k <= 15; ++k, power *= 10) {
    TEST_ASSERT_TRUE(own::log10(power) == k && own::log10(1 / power) == -k);
    TEST_ASSERT_TRUE(own::pow(10, k) == power && own::pow(10, -k) == 1 / power);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(functions_are_near_those_of_the_c_library);
  RUN_TEST(functions_have_the_same_bits_on_every_machine);
  RUN_TEST(ends_of_their_ranges);
  return UNITY_END();
}
