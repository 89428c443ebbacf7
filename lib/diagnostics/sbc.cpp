#include "lib/diagnostics/sbc.hpp"

#include <algorithm>
#include <cmath>

#include "lib/diagnostics/special.hpp"

namespace nnp {
namespace {

// The smallest rank of a bin: the first r with r * bins / values >= bin.
int64_t first_rank(int64_t bin, int64_t bins, int64_t values) {
  return (bin * values + bins - 1) / bins;
}

}  // namespace

int64_t sbc_rank(double truth, const Sample &posterior, double tie) {
  int64_t below = 0, equal = 0;
  for (int64_t c = 0; c < posterior.chains; ++c) {
    for (int64_t i = 0; i < posterior.draws; ++i) {
      below += posterior.at(i, c) < truth;
      equal += posterior.at(i, c) == truth;
    }
  }
  return below + std::min(equal, static_cast<int64_t>(tie * static_cast<double>(equal + 1)));
}

Status sbc_ranks(const double *truth, const SampleTable &posterior, const double *ties,
                 int64_t *ranks, Error *err) {
  for (int64_t q = 0; q < posterior.quantities; ++q) {
    const Sample draws = posterior.quantity(q);
    const double tie = ties ? ties[q] : 0;
    bool nan = std::isnan(truth[q]);
    for (int64_t c = 0; c < draws.chains; ++c)
      for (int64_t i = 0; i < draws.draws; ++i) nan = nan || std::isnan(draws.at(i, c));
    if (nan)
      return fail(err, Status::not_finite, "%s: quantity %lld is NaN, expected a number",
                  std::isnan(truth[q]) ? "truth" : "posterior", static_cast<long long>(q));
    if (!(tie >= 0 && tie < 1))
      return fail(err, Status::bad_value, "ties: number %lld is %g, expected 0 or more, below 1",
                  static_cast<long long>(q), tie);
    ranks[q] = sbc_rank(truth[q], draws, tie);
  }
  return Status::ok;
}

Status sbc_histogram(const int64_t *ranks, int64_t replications, int64_t stride, int64_t max_rank,
                     int64_t bins, int64_t *counts, Error *err) {
  if (bins < 2 || bins > max_rank + 1)
    return fail(err, Status::bad_size, "bins = %lld: expected 2 to %lld, the number of ranks",
                static_cast<long long>(bins), static_cast<long long>(max_rank + 1));
  std::fill_n(counts, bins, int64_t{0});
  for (int64_t r = 0; r < replications; ++r) {
    const int64_t rank = ranks[r * stride];
    if (rank < 0 || rank > max_rank)
      return fail(err, Status::bad_value,
                  "ranks: replication %lld has rank %lld, expected 0 to %lld",
                  static_cast<long long>(r), static_cast<long long>(rank),
                  static_cast<long long>(max_rank));
    ++counts[rank * bins / (max_rank + 1)];
  }
  return Status::ok;
}

double sbc_pvalue(const int64_t *counts, int64_t bins, int64_t max_rank) {
  int64_t total = 0;
  for (int64_t b = 0; b < bins; ++b) total += counts[b];
  const int64_t values = max_rank + 1;
  double chi_squared = 0;
  for (int64_t b = 0; b < bins; ++b) {
    const int64_t wide = first_rank(b + 1, bins, values) - first_rank(b, bins, values);
    const double expected =
        static_cast<double>(total) * static_cast<double>(wide) / static_cast<double>(values);
    const double off = static_cast<double>(counts[b]) - expected;
    chi_squared += off * off / expected;
  }
  return gamma_upper_tail(0.5 * static_cast<double>(bins - 1), 0.5 * chi_squared);
}

}  // namespace nnp
