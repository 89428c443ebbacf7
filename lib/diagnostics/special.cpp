#include "lib/diagnostics/special.hpp"

#include <cmath>

#include "lib/base/functions.hpp"

namespace nnp {
namespace {

constexpr double tiny = 1e-300;
constexpr double precise = 1e-16;
constexpr int max_terms = 100000;

// x^a e^-x / Gamma(a + 1) * sum_k x^k / ((a+1) ... (a+k)): the lower tail, for x < a + 1.
double gamma_lower_series(double a, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < max_terms && term > sum * precise; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * fn::exp(a * fn::log(x) - x - log_gamma(a + 1));
}

// The next convergent of a continued fraction b0 + a1/(b1 + a2/(b2 + ...)), by Lentz.
struct Lentz {
  double value, c, d;
  explicit Lentz(double b0) : value(b0 == 0 ? tiny : b0), c(value), d(0) {}
  // True once the step no longer changes the value.
  bool step(double a, double b) {
    d = b + a * d;
    if (d == 0) d = tiny;
    c = b + a / c;
    if (c == 0) c = tiny;
    d = 1 / d;
    const double ratio = c * d;
    value *= ratio;
    return std::fabs(ratio - 1) < 4 * precise;
  }
};

// Gamma(a, x) = e^-x x^a / (x + 1 - a - 1(1 - a)/(x + 3 - a - 2(2 - a)/(x + 5 - a - ...)))
double gamma_upper_fraction(double a, double x) {
  Lentz fraction(x + 1 - a);
  for (int k = 1; k < max_terms; ++k)
    if (fraction.step(-k * (k - a), x + 2 * k + 1 - a)) break;
  return fn::exp(a * fn::log(x) - x - log_gamma(a)) / fraction.value;
}

// I_x(a, b) by its continued fraction, which converges quickly for x < (a + 1)/(a + b + 2).
double beta_fraction(double a, double b, double x) {
  Lentz fraction(1);
  if (!fraction.step(-(a + b) * x / (a + 1), 1)) {
    for (int m = 1; m < max_terms; ++m) {
      const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      fraction.step(even, 1);
      if (fraction.step(odd, 1)) break;
    }
  }
  const double front = a * fn::log(x) + b * fn::log1p(-x) + log_gamma(a + b) - log_gamma(a) -
                       log_gamma(b) - fn::log(a);
  return fn::exp(front) / fraction.value;
}

}  // namespace

double gamma_upper_tail(double shape, double x) {
  if (!(x > 0)) return x <= 0 ? 1 : x;
  if (std::isinf(x)) return 0;
  return x < shape + 1 ? 1 - gamma_lower_series(shape, x) : gamma_upper_fraction(shape, x);
}

double beta_cdf(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

double beta_quantile(double a, double b, double p) {
  if (!(p > 0)) return 0;
  if (!(p < 1)) return 1;
  double low = 0, high = 1, x = a / (a + b);
  const double log_norm = log_gamma(a + b) - log_gamma(a) - log_gamma(b);
  for (int step = 0; step < 200; ++step) {  // Newton, kept inside a shrinking bracket
    const double excess = beta_cdf(a, b, x) - p;
    (excess > 0 ? high : low) = x;
    const double density = fn::exp(log_norm + (a - 1) * fn::log(x) + (b - 1) * fn::log1p(-x));
    double next = x - excess / density;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double moved = std::fabs(next - x);
    x = next;
    if (moved <= 4 * precise * x) break;
  }
  return x;
}

}  // namespace nnp
