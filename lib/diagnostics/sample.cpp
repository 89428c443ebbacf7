#include "lib/diagnostics/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnp {

double mean_of(const double *x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(n);
  if (!std::isfinite(mean)) return mean;
  double rest = 0;  // the second pass corrects the rounding of the first
  for (int64_t i = 0; i < n; ++i) rest += x[i] - mean;
  return mean + rest / static_cast<double>(n);
}

double variance_of(const double *x, int64_t n) {
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  const double mean = mean_of(x, n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum / static_cast<double>(n - 1);
}

bool has_nan(const double *x, int64_t n) {
  return std::any_of(x, x + n, [](double v) { return std::isnan(v); });
}

bool unanswerable(const double *x, int64_t n) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return true;
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
  return !(high - low >= std::numeric_limits<double>::epsilon());
}

Status check_finite(const SampleTable &table, const char *name, Error *err) {
  for (int64_t q = 0; q < table.quantities; ++q) {
    const Sample quantity = table.quantity(q);
    for (int64_t c = 0; c < table.chains; ++c)
      for (int64_t i = 0; i < table.draws; ++i)
        if (!std::isfinite(quantity.at(i, c)))
          return fail(
              err, Status::not_finite,
              "%s: quantity %lld is %g at draw %lld of chain %lld, expected a finite number", name,
              static_cast<long long>(q), quantity.at(i, c), static_cast<long long>(i),
              static_cast<long long>(c));
  }
  return Status::ok;
}

void gather(const Sample &from, double *out) {
  for (int64_t c = 0; c < from.chains; ++c)
    for (int64_t i = 0; i < from.draws; ++i) *out++ = from.at(i, c);
}

Chains split_halves(const Chains &from, double *out) {
  if (from.draws == 1) {
    std::copy_n(from.x, from.chains, out);
    return {out, 1, from.chains};
  }
  const int64_t half = from.draws / 2;
  double *to = out;
  for (int64_t c = 0; c < from.chains; ++c) {
    to = std::copy_n(from.chain(c), half, to);
    to = std::copy_n(from.chain(c) + from.draws - half, half, to);
  }
  return {out, half, 2 * from.chains};
}

}  // namespace nnp
