#include "lib/diagnostics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/diagnostics/rank.hpp"
#include "lib/diagnostics/rhat.hpp"
#include "lib/diagnostics/special.hpp"
#include "lib/diagnostics/spectrum.hpp"

namespace nnp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Work = StatisticWork;

double max_or_nan(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b);
}

double min_or_nan(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? nan : std::min(a, b);
}

const double *sorted_draws(const Chains &x, const Work &w) {
  std::copy_n(x.x, x.size(), w.changed);
  std::sort(w.changed, w.changed + x.size());
  return w.changed;
}

Chains split_scores(const Chains &x, const Work &w) {
  const Chains split = split_halves(x, w.halves);
  normal_scores(split.x, split.size(), w.order, w.halves);
  return split;
}

double split_ess(const Chains &x, const Work &w) {
  return ess_of(split_halves(x, w.halves), w.ess);
}

template <class F>
Chains transformed(const Chains &x, const Work &w, F f) {
  std::transform(x.x, x.x + x.size(), w.changed, f);
  return {w.changed, x.draws, x.chains};
}

double rhat_bulk(const Chains &x, double, const Work &w) {
  return rhat_of(split_scores(x, w));
}

double rhat_tail(const Chains &x, double, const Work &w) {
  const double median = median_of_sorted(sorted_draws(x, w), x.size());
  const Chains folded = transformed(x, w, [=](double v) { return std::fabs(v - median); });
  if (has_nan(folded.x, folded.size())) return nan;
  return rhat_of(split_scores(folded, w));
}

double rhat(const Chains &x, double, const Work &w) {
  return max_or_nan(rhat_bulk(x, 0, w), rhat_tail(x, 0, w));
}

double rhat_basic(const Chains &x, double, const Work &w) {
  return rhat_of(split_halves(x, w.halves));
}

double ess_bulk(const Chains &x, double, const Work &w) {
  return ess_of(split_scores(x, w), w.ess);
}

double ess_quantile(const Chains &x, double p, const Work &w) {
  if (unanswerable(x.x, x.size())) return nan;
  const double cut = quantile_of_sorted(sorted_draws(x, w), x.size(), p);
  return split_ess(transformed(x, w, [=](double v) { return v <= cut ? 1.0 : 0.0; }), w);
}

double ess_tail(const Chains &x, double, const Work &w) {
  return min_or_nan(ess_quantile(x, 0.05, w), ess_quantile(x, 0.95, w));
}

double ess_mean(const Chains &x, double, const Work &w) {
  return split_ess(x, w);
}

double ess_sd(const Chains &x, double, const Work &w) {
  const double mean = mean_of(x.x, x.size());
  return split_ess(transformed(x, w, [=](double v) { return std::fabs(v - mean); }), w);
}

double mcse_mean(const Chains &x, double, const Work &w) {
  return std::sqrt(variance_of(x.x, x.size()) / split_ess(x, w));
}

// var(sd) = var(variance) / (4 variance), with the effective size of (x - mean)^2.
double mcse_sd(const Chains &x, double, const Work &w) {
  const double mean = mean_of(x.x, x.size());
  const Chains squares = transformed(x, w, [=](double v) { return (v - mean) * (v - mean); });
  const double variance = mean_of(squares.x, squares.size());
  const double ess = split_ess(squares, w);
  transformed(squares, w, [](double v) { return v * v; });
  const double fourth = mean_of(w.changed, x.size());
  return std::sqrt((fourth - variance * variance) / ess / variance / 4);
}

// Half the distance between the draws at the one-sigma bounds of the Beta distribution of the
// quantile.
double mcse_quantile(const Chains &x, double p, const Work &w) {
  const double ess = ess_quantile(x, p, w);
  if (std::isnan(ess)) return nan;
  const double a = ess * p + 1, b = ess * (1 - p) + 1;
  const auto size = static_cast<double>(x.size());
  // The bounds to seven digits, as in the reference implementation: they select two of the draws.
  const double low = std::floor(beta_quantile(a, b, 0.1586553) * size);
  const double high = std::ceil(beta_quantile(a, b, 0.8413447) * size);
  const double *sorted = sorted_draws(x, w);
  const auto first = static_cast<int64_t>(std::max(low, 1.0)) - 1;
  const auto last = static_cast<int64_t>(std::min(high, size)) - 1;
  return (sorted[last] - sorted[first]) / 2;
}

double autocorrelation_time_of_draws(const Chains &x, double, const Work &w) {
  return autocorrelation_time(split_halves(x, w.halves), w.ess);
}

double ess_spectral(const Chains &x, double, const Work &) {
  double sum = 0;
  for (int64_t c = 0; c < x.chains; ++c) sum += ar_ess(x.chain(c), x.draws);
  return sum;
}

double mean(const Chains &x, double, const Work &) {
  return mean_of(x.x, x.size());
}

double sd(const Chains &x, double, const Work &) {
  return std::sqrt(variance_of(x.x, x.size()));
}

double quantile(const Chains &x, double p, const Work &w) {
  return quantile_of_sorted(sorted_draws(x, w), x.size(), p);
}

struct Row {
  const char *name;
  double (*compute)(const Chains &, double probability, const Work &);
  bool probability;
};

constexpr Row rows[statistic_count] = {
    {"rhat", rhat, false},
    {"rhat_bulk", rhat_bulk, false},
    {"rhat_tail", rhat_tail, false},
    {"rhat_basic", rhat_basic, false},
    {"ess_bulk", ess_bulk, false},
    {"ess_tail", ess_tail, false},
    {"ess_mean", ess_mean, false},
    {"ess_sd", ess_sd, false},
    {"ess_quantile", ess_quantile, true},
    {"mcse_mean", mcse_mean, false},
    {"mcse_sd", mcse_sd, false},
    {"mcse_quantile", mcse_quantile, true},
    {"autocorrelation_time", autocorrelation_time_of_draws, false},
    {"ess_spectral", ess_spectral, false},
    {"mean", mean, false},
    {"sd", sd, false},
    {"quantile", quantile, true},
};

const Row *row_of(Statistic which) {
  const auto number = static_cast<int32_t>(which);
  return number >= 1 && number <= statistic_count ? &rows[number - 1] : nullptr;
}

Status report_nan(const Sample &x, int64_t quantity, Error *err) {
  for (int64_t c = 0; c < x.chains; ++c)
    for (int64_t i = 0; i < x.draws; ++i)
      if (std::isnan(x.at(i, c)))
        return fail(err, Status::not_finite,
                    "draws: quantity %lld is NaN at draw %lld of chain %lld (from 0), expected "
                    "a number",
                    static_cast<long long>(quantity), static_cast<long long>(i),
                    static_cast<long long>(c));
  return Status::ok;
}

template <class Compute>
Status each_quantity(const SampleTable &table, const Work &work, double *out, Error *err,
                     Compute compute) {
  Status status = Status::ok;
  for (int64_t q = 0; q < table.quantities; ++q) {
    const Sample quantity = table.quantity(q);
    gather(quantity, work.draws);
    const Chains chains{work.draws, table.draws, table.chains};
    const bool usable = !has_nan(work.draws, chains.size());
    out[q] = usable ? compute(chains) : nan;
    if (!usable && status == Status::ok) status = report_nan(quantity, q, err);
  }
  return status;
}

}  // namespace

const char *statistic_name(Statistic which) {
  const Row *row = row_of(which);
  return row ? row->name : nullptr;
}

bool takes_probability(Statistic which) {
  const Row *row = row_of(which);
  return row && row->probability;
}

StatisticWork statistic_layout(Arena &arena, int64_t draws, int64_t chains) {
  int64_t size = 0;
  if (__builtin_mul_overflow(draws, chains, &size)) size = -1;  // refused by the arena
  StatisticWork work{};
  work.draws = arena.take<double>(size);
  work.changed = arena.take<double>(std::max(size, 2 * std::min(chains, size)));
  work.halves = arena.take<double>(size);
  work.order = arena.take<int64_t>(size);
  work.ess = ess_layout(arena, std::max<int64_t>(draws / 2, 1));
  return work;
}

size_t statistic_bytes(int64_t draws, int64_t chains) {
  Arena arena;
  statistic_layout(arena, draws, chains);
  return arena.overflowed() ? SIZE_MAX : arena.used();
}

Status compute_statistic(const SampleTable &table, Statistic which, double probability,
                         const StatisticWork &work, double *out, Error *err) {
  const Row *row = row_of(which);
  if (!row)
    return fail(err, Status::bad_enum, "statistic = %d: expected one of the constants 1 to %d",
                static_cast<int>(which), statistic_count);
  if (row->probability && !(probability > 0 && probability < 1))
    return fail(err, Status::bad_value, "probability = %g: expected a number inside (0, 1)",
                probability);
  prepare(work.ess.fourier);
  return each_quantity(table, work, out, err, [&](const Chains &chains) {
    return row->compute(chains, probability, work);
  });
}

Status compute_nested_rhat(const SampleTable &table, const int64_t *group,
                           const StatisticWork &work, double *out, Error *err) {
  if (equal_groups(group, table.chains) < 2)
    return fail(err, Status::bad_shape,
                "groups: expected two or more groups of equally many chains among %lld",
                static_cast<long long>(table.chains));
  return each_quantity(table, work, out, err, [&](const Chains &chains) {
    return nested_rhat(chains, group, work.changed);
  });
}

}  // namespace nnp
