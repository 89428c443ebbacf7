#include "lib/diagnostics/rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/base/functions.hpp"
#include "lib/random/special.hpp"

namespace nnp {
namespace {

constexpr double root_two = 1.414213562373095048801689;
constexpr double root_two_pi = 2.506628274631000502415765;

// A rational approximation to the lower tail, accurate to 4.5e-4 (Abramowitz and Stegun 26.2.23).
double rough_lower_quantile(double p) {
  const double t = std::sqrt(-2 * fn::log(p));
  return (2.515517 + t * (0.802853 + t * 0.010328)) /
             (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
         t;
}

}  // namespace

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  const double tail = p < 0.5 ? p : 1 - p;
  if (tail == 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    return p < 0.5 ? -infinity : infinity;
  }
  double x = rough_lower_quantile(tail);
  for (int step = 0; step < 2; ++step) {  // Halley on Phi(x) - p: the error is cubed each time
    const double excess = 0.5 * fn::erfc(-x / root_two) - tail;
    const double u = excess * root_two_pi * fn::exp(0.5 * x * x);
    x -= u / (1 + 0.5 * x * u);
  }
  return p < 0.5 ? x : -x;
}

void normal_scores(const double *x, int64_t n, int64_t *order, double *z) {
  std::iota(order, order + n, int64_t{0});
  std::sort(order, order + n, [x](int64_t i, int64_t j) { return x[i] < x[j]; });
  const double scale = 1.0 / (static_cast<double>(n) + 0.25);
  for (int64_t first = 0, end = 0; first < n; first = end) {
    const double value = x[order[first]];  // read the value before z overwrites x
    end = first + 1;
    while (end < n && x[order[end]] == value) ++end;
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    const double score = normal_quantile((rank - 0.375) * scale);
    for (int64_t k = first; k < end; ++k) z[order[k]] = score;
  }
}

double quantile_of_sorted(const double *sorted, int64_t n, double p) {
  const double index = 1 + static_cast<double>(n - 1) * p;
  const double below = std::floor(index);
  const auto low = static_cast<int64_t>(below);
  const auto high = static_cast<int64_t>(std::ceil(index));
  const double value = sorted[low - 1], next = sorted[high - 1];
  if (!(index > below) || next == value) return value;
  const double h = index - below;
  return (1 - h) * value + h * next;
}

double median_of_sorted(const double *sorted, int64_t n) {
  const int64_t half = n / 2;
  if (n % 2 == 1) return sorted[half];
  // In the wider type: whether the two middle values are equally far away depends on the last bit.
  return static_cast<double>(
      (static_cast<long double>(sorted[half - 1]) + static_cast<long double>(sorted[half])) / 2);
}

}  // namespace nnp
