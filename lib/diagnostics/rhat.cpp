#include "lib/diagnostics/rhat.hpp"

#include <cmath>
#include <limits>

namespace nnp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Numerically stable running mean and sum of squared deviations.
struct Moments {
  double n = 0, mean = 0, squares = 0;
  void add(double v) {
    n += 1;
    const double step = v - mean;
    mean += step / n;
    squares += step * (v - mean);
  }
  double variance() const { return n > 1 ? squares / (n - 1) : nan; }
};

bool first_of_group(const int64_t *group, int64_t c) {
  for (int64_t d = 0; d < c; ++d)
    if (group[d] == group[c]) return false;
  return true;
}

}  // namespace

double rhat_of(const Chains &x) {
  if (unanswerable(x.x, x.size())) return nan;
  Moments between, within;
  for (int64_t c = 0; c < x.chains; ++c) {
    between.add(mean_of(x.chain(c), x.draws));
    within.add(variance_of(x.chain(c), x.draws));
  }
  const auto n = static_cast<double>(x.draws);
  return std::sqrt((n * between.variance() / within.mean + n - 1) / n);
}

int64_t equal_groups(const int64_t *group, int64_t chains) {
  int64_t groups = 0;
  for (int64_t c = 0; c < chains; ++c) groups += first_of_group(group, c);
  for (int64_t c = 0; c < chains; ++c) {
    int64_t size = 0;
    for (int64_t d = 0; d < chains; ++d) size += group[d] == group[c];
    if (size * groups != chains) return 0;
  }
  return groups;
}

double nested_rhat(const Chains &x, const int64_t *group, double *scratch) {
  if (unanswerable(x.x, x.size())) return nan;
  double *chain_mean = scratch, *chain_variance = scratch + x.chains;
  for (int64_t c = 0; c < x.chains; ++c) {
    chain_mean[c] = mean_of(x.chain(c), x.draws);
    chain_variance[c] = x.draws > 1 ? variance_of(x.chain(c), x.draws) : 0;
  }
  Moments between, within;
  for (int64_t c = 0; c < x.chains; ++c) {
    if (!first_of_group(group, c)) continue;
    Moments means, variances;
    for (int64_t d = c; d < x.chains; ++d) {
      if (group[d] != group[c]) continue;
      means.add(chain_mean[d]);
      variances.add(chain_variance[d]);
    }
    between.add(means.mean);
    within.add((means.n > 1 ? means.variance() : 0) + variances.mean);
  }
  return std::sqrt(1 + between.variance() / within.mean);
}

double variance_ratio(double m, double n, double between, double within) {
  // B/N = between, sigma+^2 = (N-1)/N W + B/N
  const double pooled = (n - 1) / n * within + between;
  return (m + 1) / m * pooled / within - (n - 1) / (m * n);
}

double variance_ratio_rhat(const Sample &x, int64_t first, int64_t count) {
  Moments between, within;
  for (int64_t c = 0; c < x.chains; ++c) {
    Moments chain;
    for (int64_t i = first; i < first + count; ++i) chain.add(x.at(i, c));
    between.add(chain.mean);
    within.add(chain.variance());
  }
  return variance_ratio(static_cast<double>(x.chains), static_cast<double>(count),
                        between.variance(), within.mean);
}

}  // namespace nnp
