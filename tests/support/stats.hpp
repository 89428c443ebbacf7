// Statistics the tests share: Kolmogorov-Smirnov, distribution functions written independently of
// the library, and Gauss-Legendre quadrature.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace stats {

constexpr double pi = 3.14159265358979323846;

// Largest distance between the empirical distribution of u and the uniform one on (0, 1).
inline double ks_statistic(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const double n = static_cast<double>(u.size());
  double largest = 0;
  for (size_t i = 0; i < u.size(); ++i) {
    const double below = static_cast<double>(i) / n, above = static_cast<double>(i + 1) / n;
    if (!(u[i] >= 0 && u[i] <= 1)) return 1;
    largest = std::max(largest, std::max(u[i] - below, above - u[i]));
  }
  return largest;
}

// Probability of a larger statistic; Kolmogorov's series with Stephens' correction for finite n.
inline double ks_p_value(double statistic, size_t n) {
  const double root = std::sqrt(static_cast<double>(n));
  const double lambda = (root + 0.12 + 0.11 / root) * statistic;
  if (lambda < 0.2) return 1;
  double sum = 0, sign = 1;
  for (int k = 1; k <= 100; ++k, sign = -sign) sum += sign * std::exp(-2 * k * k * lambda * lambda);
  return std::min(1.0, std::max(0.0, 2 * sum));
}

// p-value of the hypothesis that u is a sample of uniforms.
inline double uniformity(const std::vector<double> &u) {
  return ks_p_value(ks_statistic(u), u.size());
}

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// P(T > t)/density(t) of a standard normal for t >= 0: erfc near 0, Laplace's fraction beyond.
inline double mills(double t) {
  if (t < 4) return std::sqrt(pi / 2) * std::exp(0.5 * t * t) * std::erfc(t / std::sqrt(2.0));
  double fraction = t;
  for (int k = t < 10 ? 60 : 20; k > 0; --k) fraction = t + k / fraction;
  return 1 / fraction;
}

// P(T - alpha < e | T > alpha) of a standard normal T.
inline double excess_cdf(double alpha, double e) {
  if (alpha > 0) return 1 - std::exp(-e * (alpha + 0.5 * e)) * mills(alpha + e) / mills(alpha);
  return (normal_cdf(alpha + e) - normal_cdf(alpha)) / normal_cdf(-alpha);
}

// Lower regularised incomplete gamma function P(shape, x), from log x: series or fraction.
inline double gamma_cdf_at_log(double shape, double log_x) {
  const double x = std::exp(log_x);
  if (x < shape + 1) {
    double sum = 1, term = 1;
    for (int k = 1; k < 100000 && term > 1e-17 * sum; ++k) sum += term *= x / (shape + k);
    return std::exp(shape * log_x - x - std::lgamma(shape + 1)) * sum;
  }
  double b = x + 1 - shape, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 100000; ++k) {  // Lentz
    const double a = -k * (k - shape);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return 1 - std::exp(shape * log_x - x - std::lgamma(shape)) * h;
}

inline double gamma_cdf(double shape, double x) {
  return gamma_cdf_at_log(shape, std::log(x));
}

// How many standard deviations a count lies from that of n trials of probability p.
inline double binomial_z(double count, double n, double p) {
  return (count - n * p) / std::sqrt(n * p * (1 - p));
}

// Nodes on (0, 1) and weights of Gauss-Legendre quadrature: roots of the Legendre polynomial.
template <int n>
struct GaussLegendre {
  double node[n], weight[n];
  GaussLegendre() {
    for (int i = 0; i < n; ++i) {
      double x = std::cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
      for (int step = 0; step < 50; ++step) {
        double p = 1, before = 0;
        for (int k = 0; k < n; ++k) {
          const double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
          before = p;
          p = next;
        }
        slope = n * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      node[i] = 0.5 * (1 - x);
      weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
  }
};

}  // namespace stats
