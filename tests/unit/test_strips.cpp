// The strips of the normal density (strips.hpp): that they cover it, that a bound cuts off no more
// of them than is said, and that what is drawn in them is normal.
#include "lib/random/strips.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/stats.hpp"
#include "tests/support/watched.h"

extern "C" {
#include "unity.h"
}

void setUp() {}
void tearDown() {}

namespace {

using nnp::Stream;

constexpr int strips = nnp::StripTable::strips;

double number_of_half(uint64_t half) {
  const uint64_t bits = half << 32;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
double edge_of(int k) {
  return number_of_half(nnp::strip_table.strip[k] >> 32);
}
double width_of(int k) {
  return number_of_half(nnp::strip_table.strip[k]);
}

// How much of strip k lies under the density's height at its edge: no more than all, and so much
// that certain_heights is right even if a bound of the exponential has been taken off.
void strips_cover_the_density() {
  TEST_ASSERT_TRUE(edge_of(0) == 0);
  for (int k = 0; k + 1 < strips; ++k) {
    const double edge = edge_of(k), width = width_of(k);
    TEST_ASSERT_TRUE(edge + width == edge_of(k + 1));
    const double filled = width * std::exp(-0.5 * edge * edge) / nnp::strip_area;
    TEST_ASSERT_TRUE(filled <= 1);
    TEST_ASSERT_TRUE((filled - 0.00016) * nnp::heights > nnp::certain_heights + 1);
  }
  const double tail = std::sqrt(std::acos(0.0)) * std::erfc(edge_of(strips - 1) / std::sqrt(2.0));
  TEST_ASSERT_TRUE(std::fabs(tail / nnp::strip_area - nnp::tail_filled) < 1e-13);
}

// Strips from the mode to t > 0.
double place_of(double t) {
  int k = 0;
  while (edge_of(k + 1) < t) ++k;
  return k + (t - edge_of(k)) / width_of(k);
}

void a_bound_cuts_off_its_strips() {
  for (int i = -20000; i <= 20000; ++i) {
    const double depth = nnp::deepest_strips * i / 20000, d2 = depth * depth;
    const double(&c)[4] = nnp::strip_count.c;
    const double count =
        nnp::strip_count.half + depth * (c[0] + d2 * (c[1] + d2 * (c[2] + d2 * c[3])));
    const double exact = strips + std::copysign(place_of(std::fabs(depth)), depth);
    TEST_ASSERT_TRUE(count > exact && count < exact + 1);
  }
}

void the_exponential_is_bounded() {
  for (double x = -708; x <= 708; x += 0.00917) {
    const double filled = nnp::filled_by_exponential(x);
    TEST_ASSERT_TRUE(filled <= 1 && filled > 1 - 0.00016);
  }
}

// Places spread evenly: those under the density are normal, and as many as the areas say.
void places_under_the_density_are_normal() {
  const double filled[] = {1, 0.7};
  for (double part : filled) {
    Stream stream(1, 0, 0);
    const int64_t n = shortened(400000, 500);
    std::vector<double> u;
    for (int64_t i = 0; i < n; ++i) {
      const double place = strips * (1 - 2 * stream.uniform());
      double t;
      if (nnp::draw_in_strip(stream, place, stream.bits(), part, &t))
        u.push_back(stats::normal_cdf(t));
    }
    VERDICT(stats::uniformity(u) > 1e-4);
    const double share = std::sqrt(std::acos(0.0)) / (strips * nnp::strip_area) * part;
    VERDICT(std::fabs(stats::binomial_z(static_cast<double>(u.size()), static_cast<double>(n),
                                        share)) < 4);
  }
}

// A bound `depth` beyond the mode, taken for one that is deepest_strips beyond it.
void deep_bounds_are_made_good() {
  for (double depth : {-2.0, -3.0, -8.0}) {
    Stream stream(2, 0, 0);
    const int64_t n = shortened(200000, 500);
    const double d = nnp::deepest_strips, d2 = d * d;
    const double(&c)[4] = nnp::strip_count.c;
    const double count = nnp::strip_count.half - d * (c[0] + d2 * (c[1] + d2 * (c[2] + d2 * c[3])));
    const double share = stats::mills(-depth) / (count * nnp::strip_area * std::exp(0.5 * d2));
    std::vector<double> u;
    for (int64_t i = 0; i < n; ++i) {
      double excess;
      if (nnp::draw_deep(stream, depth, 0.5, &excess))
        u.push_back(stats::excess_cdf(-depth, excess));
    }
    VERDICT(stats::uniformity(u) > 1e-4);
    VERDICT(std::fabs(stats::binomial_z(static_cast<double>(u.size()), static_cast<double>(n),
                                        0.5 * share)) < 4);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(strips_cover_the_density);
  RUN_TEST(a_bound_cuts_off_its_strips);
  RUN_TEST(the_exponential_is_bounded);
  RUN_TEST(places_under_the_density_are_normal);
  RUN_TEST(deep_bounds_are_made_good);
  return UNITY_END();
}
