#include "lib/diagnostics/loo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"

namespace nnp {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int64_t shortest_tail = 5;

struct Pareto {
  double k, sigma;
};

double log_sum_exp(const double *x, int64_t n) {
  const double top = *std::max_element(x, x + n);
  double rest = 0;
  for (int64_t i = 0; i < n; ++i) rest += fn::exp(x[i] - top);
  return top + fn::log(rest);
}

double mean_log1p(double factor, const double *x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += fn::log1p(factor * x[i]);
  return sum / static_cast<double>(n);
}

// Fits a generalized Pareto distribution to sorted excesses x (Zhang and Stephens 2009): theta is
// averaged over a grid by its profile likelihood; k is shrunk towards 1/2 as if by ten more values.
Pareto fit_pareto(const double *x, int64_t n) {
  const double count = static_cast<double>(n);
  const int64_t grid = 30 + static_cast<int64_t>(std::sqrt(count));
  const double quartile = x[static_cast<int64_t>(count / 4 + 0.5) - 1];
  double top = -infinity, weights = 0, weighted = 0;
  for (int64_t j = 1; j <= grid; ++j) {
    const double m = static_cast<double>(grid), at = static_cast<double>(j) - 0.5;
    const double theta = 1 / x[n - 1] + (1 - std::sqrt(m / at)) / (3 * quartile);
    const double k = mean_log1p(-theta, x, n);
    const double profile = count * (fn::log(-theta / k) - k - 1);
    if (!std::isfinite(profile)) continue;
    const double larger = std::max(top, profile), now = fn::exp(profile - larger);
    weights = weights * fn::exp(top - larger) + now;
    weighted = weighted * fn::exp(top - larger) + now * theta;
    top = larger;
  }
  const double theta = weighted / weights;
  const double k = mean_log1p(-theta, x, n);
  return {(k * count + 5) / (count + 10), -k / theta};
}

// The p-quantile of a generalized Pareto distribution: sigma ((1 - p)^-k - 1) / k
double pareto_quantile(const Pareto &pareto, double p) {
  return pareto.sigma * fn::expm1(-pareto.k * fn::log1p(-p)) / pareto.k;
}

// Number of draws in the tail: a fifth, or 3 sqrt(draws / efficiency) if that is fewer.
int64_t tail_length(int64_t size, double efficiency) {
  const double draws = static_cast<double>(size);
  return static_cast<int64_t>(std::ceil(std::min(0.2 * draws, 3 * std::sqrt(draws / efficiency))));
}

// Puts the indices of the `count` largest weights at the end of work.order, in increasing order of
// weight.
void find_tail(const LooWork &work, int64_t size, int64_t count) {
  const double *w = work.log_weights;
  const auto smaller = [w](int64_t a, int64_t b) { return w[a] < w[b] || (w[a] == w[b] && a < b); };
  for (int64_t i = 0; i < size; ++i) work.order[i] = i;
  // The largest value below the tail is the cutoff; it goes right before the tail.
  std::nth_element(work.order, work.order + (size - count - 1), work.order + size, smaller);
  std::sort(work.order + (size - count), work.order + size, smaller);
}

// Replaces the largest weights by quantiles of the distribution fitted to them; no weight exceeds
// the largest raw one, whose logarithm is 0. Returns k.
double smooth_tail(const LooWork &work, int64_t size, int64_t count) {
  find_tail(work, size, count);
  const int64_t *tail = work.order + (size - count);
  const double cutoff = fn::exp(work.log_weights[work.order[size - count - 1]]);
  for (int64_t i = 0; i < count; ++i) work.tail[i] = fn::exp(work.log_weights[tail[i]]) - cutoff;
  // Equal weights have no tail.
  if (!(work.tail[count - 1] - work.tail[0] > 100 * std::numeric_limits<double>::epsilon()))
    return 0;
  const double least = std::numeric_limits<double>::min();
  for (int64_t i = 0; i < count; ++i) work.tail[i] = std::max(work.tail[i], least);
  const Pareto fitted = fit_pareto(work.tail, count);
  if (!std::isfinite(fitted.k) || !std::isfinite(fitted.sigma)) return infinity;
  for (int64_t i = 0; i < count; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double weight = fn::log(pareto_quantile(fitted, p) + cutoff);
    work.log_weights[tail[i]] = std::min(weight, 0.0);
  }
  return fitted.k;
}

}  // namespace

LooWork loo_layout(Arena &arena, int64_t size) {
  LooWork work = {};
  work.log_lik = arena.take<double>(size);
  work.log_weights = arena.take<double>(size);
  work.tail = arena.take<double>(size);
  work.order = arena.take<int64_t>(size);
  return work;
}

double largest_good_k(int64_t draws) {
  return std::min(1 - 1 / fn::log10(static_cast<double>(draws)), 0.7);
}

// Weights 1 / p(y_i | draw) turn the posterior into the one without row i.
LooRow loo_row(const Sample &log_lik, double efficiency, const LooWork &work) {
  const int64_t size = log_lik.draws * log_lik.chains;
  gather(log_lik, work.log_lik);
  const double least = *std::min_element(work.log_lik, work.log_lik + size);
  for (int64_t i = 0; i < size; ++i) work.log_weights[i] = least - work.log_lik[i];
  const int64_t count = tail_length(size, efficiency);
  LooRow row = {0, 0, infinity};
  if (count >= shortest_tail && count < size) row.pareto_k = smooth_tail(work, size, count);
  const double total = log_sum_exp(work.log_weights, size);
  for (int64_t i = 0; i < size; ++i) work.log_weights[i] += work.log_lik[i];
  row.elpd = log_sum_exp(work.log_weights, size) - total;
  row.lpd = log_sum_exp(work.log_lik, size) - fn::log(static_cast<double>(size));
  return row;
}

Status compute_loo(const SampleTable &log_lik, const double *efficiency, const LooWork &work,
                   double *elpd, double *pareto_k, LooReport *out, Error *err) {
  const Status status = check_finite(log_lik, "log_lik", err);
  if (status != Status::ok) return status;
  LooReport found = {0, 0, 0, 0, -infinity, largest_good_k(log_lik.draws * log_lik.chains), 0};
  RowSum gains, costs;
  for (int64_t i = 0; i < log_lik.quantities; ++i) {
    const LooRow row = loo_row(log_lik.quantity(i), efficiency ? efficiency[i] : 1, work);
    gains.add(row.elpd);
    costs.add(row.lpd - row.elpd);
    found.largest_k = std::max(found.largest_k, row.pareto_k);
    found.unreliable += row.pareto_k > found.k_limit ? 1 : 0;
    if (elpd) elpd[i] = row.elpd;
    if (pareto_k) pareto_k[i] = row.pareto_k;
  }
  found.elpd = gains.sum();
  found.elpd_error = gains.sum_error();
  found.p_loo = costs.sum();
  found.p_loo_error = costs.sum_error();
  *out = found;
  return Status::ok;
}

}  // namespace nnp
