// One polynomial gives erfcx on the whole half-line x >= 0; the rest follows by reflection.
#include "lib/random/special.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "lib/base/erfcx.hpp"
#include "lib/base/functions.hpp"

namespace nnp {
namespace {

constexpr double log_2 = 0.6931471805599453;
constexpr double pi = 3.14159265358979323846;
constexpr double sqrt_half = 0.7071067811865476;

// Four interleaved Horner chains in t^4: a quarter of the latency of one.
double polynomial(double t) {
  const double t2 = t * t, t4 = t2 * t2;
  double sum[4] = {erfcx_coefficients[20], erfcx_coefficients[21], erfcx_coefficients[22],
                   erfcx_coefficients[23]};
  for (int k = 16; k >= 0; k -= 4)
    for (int j = 0; j < 4; ++j) sum[j] = sum[j] * t4 + erfcx_coefficients[k + j];
  return (sum[0] + sum[1] * t) + t2 * (sum[2] + sum[3] * t);
}

// x >= 0, infinity included.
double erfcx_right(double x) {
  return 0.5 * polynomial(1 - 8 / (x + 4)) / (0.5 + x);
}

// x^2 = high + low exactly; high is the square of the leading 26 bits, which a double can hold.
void square(double x, double *high, double *low) {
  uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  word &= ~uint64_t{0x7ffffff};
  double lead;
  std::memcpy(&lead, &word, sizeof lead);
  *high = lead * lead;
  *low = (x - lead) * (x + lead);
}

}  // namespace

// erfcx(-x) = 2 exp(x^2) - erfcx(x)
double erfcx(double x) {
  const double right = erfcx_right(std::fabs(x));
  if (!(x < 0)) return right;
  if (x < -27) return HUGE_VAL;
  double high, low;
  square(x, &high, &low);
  return 2 * fn::exp(high) * fn::exp(low) - right;
}

// log erfcx(-x) = x^2 + log(2 - exp(-x^2) erfcx(x))
double log_erfcx(double x) {
  const double right = erfcx_right(std::fabs(x));
  if (!(x < 0)) return x < 1e300 ? fn::log(right) : -fn::log(x) - 0.5 * fn::log(pi);
  return x * x + fn::log(2 - fn::exp(-x * x) * right);
}

// erfc(x) = exp(-x^2) erfcx(x); near 0, where quantiles depend on its difference from 1, 1 - erf(x)
double own::erfc(double x) {
  if (std::fabs(x) <= 0.5) return 1 - own::erf(x);
  if (x < -6) return 2;
  if (x > 27.3) return 0;
  double high, low;
  square(x, &high, &low);
  const double right = own::exp(-high) * (erfcx_right(std::fabs(x)) * own::exp(-low));
  return x < 0 ? 2 - right : right;
}

// Near 0: 2/sqrt(pi) sum_k (-1)^k x^(2k + 1) / (k! (2k + 1))
double own::erf(double x) {
  if (std::fabs(x) > 0.5) return x > 0 ? 1 - own::erfc(x) : own::erfc(-x) - 1;
  const double z = x * x;
  double term = 1, sum = 0;
  for (int k = 1; k < 16; ++k) {
    term *= -z / k;
    sum += term / (2 * k + 1);
  }
  return 1.1283791670955125739 * (x + x * sum);
}

// Phi(x) = erfc(-x/sqrt 2)/2
double log_ndtr(double x) {
  if (x > 0) return fn::log1p(-0.5 * fn::erfc(x * sqrt_half));
  return log_erfcx(-x * sqrt_half) - 0.5 * x * x - log_2;
}

double log_gamma(double x) {
  double product = 1;
  for (; x < 16; x += 1) product *= x;  // Gamma(x) = Gamma(x + 1) / x
  constexpr double half_log_two_pi = 0.918938533204672741780330;
  const double y = 1 / (x * x);
  // Stirling's series, sum_k B_2k / (2k (2k-1) x^(2k-1))
  const double series =
      (1.0 / 12 -
       y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360 -
                                                                                   y / 156)))))) /
      x;
  return (x - 0.5) * fn::log(x) - x + half_log_two_pi + series - fn::log(product);
}

// Stirling's series term by term, since for large x the logarithms themselves would cancel.
double log_gamma_ratio(double x, double y) {
  if (x < 300) return log_gamma(x + y) - log_gamma(x);
  const double z = x + y;
  const double tail = 1 / (12 * z) - 1 / (12 * x) - 1 / (360 * z * z * z) + 1 / (360 * x * x * x);
  return (z - 0.5) * fn::log1p(y / x) + y * fn::log(x) - y + tail;
}

double trigamma(double x) {
  double sum = 0;
  for (; x < 16; x += 1) sum += 1 / (x * x);
  const double y = 1 / (x * x);
  // 1/x + 1/(2 x^2) + sum_k B_2k / x^(2k+1)
  const double series =
      y * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * 5 / 66))));
  return sum + (1 + 0.5 / x + series) / x;
}

}  // namespace nnp
