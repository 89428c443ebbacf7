#include "lib/diagnostics/convergence.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "lib/base/text.hpp"

namespace nnp {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The smallest (sign = 1) or largest (-1) of the values that are not NaN, and its index.
double extreme_of(const double *values, int64_t count, double sign, int64_t *which) {
  double best = nan;
  *which = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (std::isnan(values[i]) || sign * values[i] >= sign * best) continue;
    best = values[i];
    *which = i;
  }
  return best;
}

// R-hat compares halves of chains: those of a single chain with each other.
const char *words_of(const ConvergenceReport &report) {
  const bool single = is_of_one_chain(report);
  switch (report.verdict) {
    case Convergence::undecided:
      return "undecided: too few draws, or nothing moved";
    case Convergence::converged:
      return "converged";
    case Convergence::few_draws:
      return single ? "halves of the chain agree, but draws are few"
                    : "chains agree, but draws are few";
    case Convergence::doubtful:
      return single ? "doubtful: halves of the chain do not quite agree"
                    : "doubtful: chains do not quite agree";
    case Convergence::disagree:
      return single ? "not converged: halves of the chain disagree"
                    : "not converged: chains disagree";
  }
  return "";
}

// Adds ", effective draws at least 1240 in bulk and 970 in tails". Very few draws have none.
void add_effective_draws(Text &out, const ConvergenceReport &report) {
  const struct {
    double ess;
    const char *where;
  } sizes[] = {{report.ess_bulk, "in bulk"}, {report.ess_tail, "in tails"}};
  const char *before = ", effective draws at least ";
  for (const auto &size : sizes) {
    if (std::isnan(size.ess)) continue;
    out.add("%s", before);
    out.add_number(size.ess, 0);
    out.add(" %s", size.where);
    before = " and ";
  }
}

}  // namespace

Convergence verdict_of(const ConvergenceReport &r) {
  if (std::isnan(r.rhat)) return Convergence::undecided;
  if (r.rhat > rhat_doubtful) return Convergence::disagree;
  if (r.rhat > rhat_agrees) return Convergence::doubtful;
  const bool enough = r.ess_bulk >= r.ess_needed && r.ess_tail >= r.ess_needed;
  return enough ? Convergence::converged : Convergence::few_draws;
}

size_t convergence_bytes(const SampleTable &table) {
  const size_t statistics = statistic_bytes(table.draws, table.chains);
  const size_t values = static_cast<size_t>(table.quantities) * sizeof(double);
  return statistics > SIZE_MAX - values ? SIZE_MAX : values + statistics;
}

// Memory starts with one value per function.
Status judge_convergence(const SampleTable &table, void *memory, size_t bytes,
                         ConvergenceReport *out, Error *err) {
  double *scratch = static_cast<double *>(memory);
  const size_t values = static_cast<size_t>(table.quantities) * sizeof(double);
  Arena arena(scratch + table.quantities, bytes - values);
  const StatisticWork work = statistic_layout(arena, table.draws, table.chains);
  ConvergenceReport found = {Convergence::undecided, nan, nan, nan, 0, -1};
  found.ess_needed = effective_draws_of_chain * static_cast<double>(table.chains);
  if (table.draws >= 4) {
    int64_t ignored = 0;
    Status status = compute_statistic(table, Statistic::rhat, 0.5, work, scratch, err);
    if (status != Status::ok) return status;
    found.rhat = extreme_of(scratch, table.quantities, -1, &found.worst);
    status = compute_statistic(table, Statistic::ess_bulk, 0.5, work, scratch, err);
    if (status != Status::ok) return status;
    found.ess_bulk = extreme_of(scratch, table.quantities, 1, &ignored);
    status = compute_statistic(table, Statistic::ess_tail, 0.5, work, scratch, err);
    if (status != Status::ok) return status;
    found.ess_tail = extreme_of(scratch, table.quantities, 1, &ignored);
  }
  found.verdict = verdict_of(found);
  *out = found;
  return Status::ok;
}

size_t convergence_text(const ConvergenceReport &report, char *buffer, size_t size) {
  Text out = {buffer, size, 0};
  out.add("%s", words_of(report));
  if (report.verdict == Convergence::undecided) return out.length;
  out.add(" (R-hat up to ");
  out.add_number(report.rhat, 3);
  add_effective_draws(out, report);
  if (report.verdict == Convergence::few_draws) {
    out.add("; ");
    out.add_number(report.ess_needed, 0);
    out.add(" are needed: make more");
  }
  out.add(")");
  return out.length;
}

}  // namespace nnp
