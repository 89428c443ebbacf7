#include "lib/diagnostics/block_rhat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/diagnostics/rank.hpp"
#include "lib/diagnostics/rhat.hpp"
#include "lib/diagnostics/thermalization.hpp"

namespace nnp {
namespace {

constexpr double percents[] = {0.25, 0.50, 0.75, 0.95};

double mean_time(const double *times, int64_t first, int64_t length) {
  if (!times) return static_cast<double>(first) + 0.5 * static_cast<double>(length - 1);
  return mean_of(times + first, length);
}

}  // namespace

BlockRhat summarize_points(double *values, int64_t count, double time) {
  BlockRhat block{};
  block.time = time;
  std::sort(values, values + count);
  block.mean = count > 0 ? mean_of(values, count) : std::numeric_limits<double>::quiet_NaN();
  for (int k = 0; k < 4; ++k)
    block.percentile[k] = count > 0 ? quantile_of_sorted(values, count, percents[k]) : block.mean;
  return block;
}

Status block_rhat(const SampleTable &psi, const double *times, int64_t length, double *work,
                  BlockRhat *out, Error *err) {
  if (psi.chains < 2)
    return fail(err, Status::bad_size, "psi: chains = %lld, expected at least 2",
                static_cast<long long>(psi.chains));
  if (length < 2 || length > psi.draws)
    return fail(err, Status::bad_size, "length = %lld: expected 2 to %lld, the number of draws",
                static_cast<long long>(length), static_cast<long long>(psi.draws));
  Status status = check_finite(psi, "psi", err);
  if (status == Status::ok) status = check_times({times, nullptr, psi.draws}, "times", err);
  if (status != Status::ok) return status;
  for (int64_t b = 0; b < block_count(psi.draws, length); ++b) {
    int64_t count = 0;
    for (int64_t q = 0; q < psi.quantities; ++q) {
      const double value = variance_ratio_rhat(psi.quantity(q), b * length, length);
      if (!std::isnan(value)) work[count++] = value;
    }
    out[b] = summarize_points(work, count, mean_time(times, b * length, length));
  }
  return Status::ok;
}

}  // namespace nnp
