#include "lib/diagnostics/geweke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/random/special.hpp"

namespace nnp {
namespace {

struct Estimate {
  double value, squared_error;
};

// Mean of x^power over all draws, and its squared standard error.
Estimate moment(const Sample &x, int power, const GewekeWork &work) {
  gather(x, work.draws);
  const int64_t size = x.draws * x.chains;
  if (power == 2)
    std::transform(work.draws, work.draws + size, work.draws, [](double v) { return v * v; });
  Estimate out{mean_of(work.draws, size), 0};
  if (unanswerable(work.draws, size)) return out;
  const Chains halves = split_halves({work.draws, x.draws, x.chains}, work.halves);
  out.squared_error = variance_of(work.draws, size) / ess_of(halves, work.ess);
  return out;
}

double z_of(const Estimate &a, const Estimate &b) {
  const double off = a.value - b.value;
  return off == 0 ? 0 : off / std::sqrt(a.squared_error + b.squared_error);
}

Status check(const SampleTable &table, const char *name, Error *err) {
  if (table.draws < 6)
    return fail(err, Status::bad_size, "%s: draws = %lld, expected at least 6", name,
                static_cast<long long>(table.draws));
  return check_finite(table, name, err);
}

Status check_moments(const double *moments, int64_t count, const char *name, Error *err) {
  for (int64_t q = 0; q < count; ++q)
    if (!std::isfinite(moments[q]))
      return fail(err, Status::not_finite,
                  "%s: that of quantity %lld is %g, expected a finite number", name,
                  static_cast<long long>(q), moments[q]);
  return Status::ok;
}

}  // namespace

GewekeWork geweke_layout(Arena &arena, const SampleTable &alternating, const SampleTable &prior) {
  int64_t size = 0, other = 0;
  if (__builtin_mul_overflow(alternating.draws, alternating.chains, &size) ||
      __builtin_mul_overflow(prior.draws, prior.chains, &other))
    size = other = -1;  // refused by the arena
  GewekeWork work{};
  work.draws = arena.take<double>(std::max(size, other));
  work.halves = arena.take<double>(std::max(size, other));
  work.ess = ess_layout(arena, std::max(alternating.draws, prior.draws) / 2 + 1);
  return work;
}

size_t geweke_bytes(const SampleTable &alternating, const SampleTable &prior) {
  Arena arena;
  geweke_layout(arena, alternating, prior);
  return arena.overflowed() ? SIZE_MAX : arena.used();
}

Status geweke_against_draws(const SampleTable &alternating, const SampleTable &prior,
                            const GewekeWork &work, double *z, Error *err) {
  if (alternating.quantities != prior.quantities)
    return fail(err, Status::bad_shape, "prior: quantities = %lld, expected %lld as in alternating",
                static_cast<long long>(prior.quantities),
                static_cast<long long>(alternating.quantities));
  Status status = check(alternating, "alternating", err);
  if (status == Status::ok) status = check(prior, "prior", err);
  if (status != Status::ok) return status;
  prepare(work.ess.fourier);
  for (int64_t q = 0; q < alternating.quantities; ++q)
    for (int power = 1; power <= 2; ++power)
      z[2 * q + power - 1] = z_of(moment(alternating.quantity(q), power, work),
                                  moment(prior.quantity(q), power, work));
  return Status::ok;
}

Status geweke_against_moments(const SampleTable &alternating, const double *mean,
                              const double *second_moment, const GewekeWork &work, double *z,
                              Error *err) {
  Status status = check(alternating, "alternating", err);
  if (status == Status::ok) status = check_moments(mean, alternating.quantities, "mean", err);
  if (status == Status::ok)
    status = check_moments(second_moment, alternating.quantities, "second_moment", err);
  if (status != Status::ok) return status;
  prepare(work.ess.fourier);
  for (int64_t q = 0; q < alternating.quantities; ++q) {
    z[2 * q] = z_of(moment(alternating.quantity(q), 1, work), {mean[q], 0});
    z[2 * q + 1] = z_of(moment(alternating.quantity(q), 2, work), {second_moment[q], 0});
  }
  return Status::ok;
}

double geweke_pvalue(const double *z, int64_t n) {
  double largest = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (std::isnan(z[k])) return z[k];
    largest = std::max(largest, std::fabs(z[k]));
  }
  return std::min(1.0, static_cast<double>(n) * fn::erfc(largest * 0.707106781186547524400844));
}

}  // namespace nnp
