#include "lib/diagnostics/ess.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"

namespace nnp {
namespace {

// Variance of the draws pooled over chains (biased within, plus the spread of the means).
double pooled_variance(const Chains &x, double within) {
  if (x.chains < 2) return within;
  double mean = 0, squares = 0;
  for (int64_t c = 0; c < x.chains; ++c) {
    const double step = mean_of(x.chain(c), x.draws) - mean;
    mean += step / static_cast<double>(c + 1);
    squares += step * step * static_cast<double>(c) / static_cast<double>(c + 1);
  }
  return within + squares / static_cast<double>(x.chains - 1);
}

// Turns autocovariances into autocorrelations as long as pairs of them have positive sums; returns
// the last even lag examined. Later lags are unchanged.
int64_t initial_positive_sequence(double *rho, int64_t draws, double pooled) {
  const auto n = static_cast<double>(draws);
  const double variance = rho[0] * n / (n - 1);
  const auto correlation = [=](int64_t lag) { return 1 - (variance - rho[lag]) / pooled; };
  double even = 1, odd = correlation(1);
  rho[0] = 1;
  rho[1] = odd;
  int64_t t = 0;
  while (t < draws - 5 && even + odd > 0) {
    t += 2;
    even = correlation(t);
    odd = correlation(t + 1);
    const bool keep = even + odd >= 0;
    rho[t] = keep ? even : 0;
    rho[t + 1] = keep ? odd : 0;
  }
  if (even > 0) rho[t] = even;
  return t;
}

// No pair sum may exceed the one before it.
void make_monotone(double *rho, int64_t last) {
  for (int64_t t = 2; t <= last - 2; t += 2) {
    const double before = rho[t - 2] + rho[t - 1];
    if (rho[t] + rho[t + 1] > before) rho[t] = rho[t + 1] = before / 2;
  }
}

}  // namespace

EssWork ess_layout(Arena &arena, int64_t draws) {
  EssWork work{};
  work.fourier = fourier_layout(arena, draws);
  work.autocovariance = arena.take<double>(draws);
  return work;
}

double autocorrelation_time(const Chains &x, const EssWork &work) {
  if (x.draws < 3 || unanswerable(x.x, x.size())) return std::numeric_limits<double>::quiet_NaN();
  double *rho = work.autocovariance;
  mean_autocovariance(x, work.fourier, rho);
  const int64_t last = initial_positive_sequence(rho, x.draws, pooled_variance(x, rho[0]));
  make_monotone(rho, last);
  double sum = 0;
  for (int64_t t = 0; t < std::max<int64_t>(last, 1); ++t) sum += rho[t];
  const double tau = -1 + 2 * sum + rho[last];
  return std::max(tau, 1 / fn::log10(static_cast<double>(x.size())));
}

double ess_of(const Chains &x, const EssWork &work) {
  return static_cast<double>(x.size()) / autocorrelation_time(x, work);
}

}  // namespace nnp
