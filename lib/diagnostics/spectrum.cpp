#include "lib/diagnostics/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {
namespace {

constexpr int64_t order_limit = 192;  // 10 log10 of the largest 64-bit number

struct AutoregressiveFit {
  int64_t order;
  double variance;  // of the innovations, from the recursion
  double coefficient_sum;
};

bool straight_line(const double *x, int64_t n) {
  const double mean = mean_of(x, n), centre = 0.5 * static_cast<double>(n - 1);
  double xx = 0, xt = 0, tt = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double dx = x[i] - mean, dt = static_cast<double>(i) - centre;
    xx += dx * dx;
    xt += dx * dt;
    tt += dt * dt;
  }
  const double slope = tt > 0 ? xt / tt : 0;
  double residual = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double r = x[i] - mean - slope * (static_cast<double>(i) - centre);
    residual += r * r;
  }
  return !(residual > 2.25e-16 * xx);
}

// covariance[k] = 1/n sum_t (x_t - mean)(x_{t+k} - mean)
void low_autocovariances(const double *x, int64_t n, int64_t lags, double *covariance) {
  const double mean = mean_of(x, n);
  for (int64_t k = 0; k <= lags; ++k) {
    double sum = 0;
    for (int64_t t = 0; t + k < n; ++t) sum += (x[t] - mean) * (x[t + k] - mean);
    covariance[k] = sum / static_cast<double>(n);
  }
}

// Levinson and Durbin: each iteration goes from order p - 1 to p; keeps the fit with the smallest
// AIC.
AutoregressiveFit best_fit(const double *covariance, int64_t n, int64_t max_order) {
  double phi[order_limit + 1], before[order_limit + 1];
  double variance = covariance[0];
  AutoregressiveFit best{0, variance, 0};
  const auto aic = [n](double v, int64_t p) {
    return static_cast<double>(n) * fn::log(v) + 2 * static_cast<double>(p);
  };
  double best_aic = aic(variance, 0);
  for (int64_t p = 1; p <= max_order; ++p) {
    double reflection = covariance[p];
    for (int64_t j = 1; j < p; ++j) reflection -= phi[j] * covariance[p - j];
    reflection /= variance;
    std::copy(phi + 1, phi + p, before + 1);
    for (int64_t j = 1; j < p; ++j) phi[j] = before[j] - reflection * before[p - j];
    phi[p] = reflection;
    variance *= 1 - reflection * reflection;
    if (!(variance > 0)) break;
    if (aic(variance, p) < best_aic) {
      best_aic = aic(variance, p);
      best = {p, variance, 0};
      for (int64_t j = 1; j <= p; ++j) best.coefficient_sum += phi[j];
    }
  }
  return best;
}

}  // namespace

double ar_spectrum_at_zero(const double *x, int64_t n) {
  if (n < 3 || !std::all_of(x, x + n, [](double v) { return std::isfinite(v); }))
    return std::numeric_limits<double>::quiet_NaN();
  if (straight_line(x, n)) return 0;
  const auto size = static_cast<double>(n);
  const int64_t max_order = std::min(n - 1, static_cast<int64_t>(std::floor(10 * fn::log10(size))));
  double covariance[order_limit + 1];
  low_autocovariances(x, n, max_order, covariance);
  const AutoregressiveFit fit = best_fit(covariance, n, max_order);
  const double gain = 1 - fit.coefficient_sum;
  return fit.variance * size / (size - static_cast<double>(fit.order + 1)) / (gain * gain);
}

double ar_ess(const double *x, int64_t n) {
  const double spectrum = ar_spectrum_at_zero(x, n);
  return spectrum == 0 ? 0 : static_cast<double>(n) * variance_of(x, n) / spectrum;
}

}  // namespace nnp
