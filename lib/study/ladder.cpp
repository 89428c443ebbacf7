#include "lib/study/ladder.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/random/special.hpp"
#include "lib/study/exchange.hpp"

namespace nnp {

namespace {

// Half the interquartile range of sorted draws, in standard deviations of a normal; infinite draws
// are sorted to one end.
double spread(const double *sorted) {
  constexpr double quartile = 0.6744897501960817;
  const double low = sorted[pilot_draws / 4], high = sorted[3 * pilot_draws / 4];
  return std::isfinite(low) && std::isfinite(high) ? (high - low) / (2 * quartile) : HUGE_VAL;
}

}  // namespace

Status ladder_check(const double *powers, int64_t count, Error *err) {
  if (powers[0] != 0)
    return fail(err, Status::bad_value, "powers: entry 0 is %g, expected 0 (the prior)", powers[0]);
  if (powers[count - 1] != 1)
    return fail(err, Status::bad_value, "powers: entry %lld is %g, expected 1 (the posterior)",
                ll(count - 1), powers[count - 1]);
  for (int64_t i = 1; i < count; ++i)
    if (!(powers[i] > powers[i - 1]) || powers[i] < 1e-300)
      return fail(err, Status::bad_value,
                  "powers: entry %lld is %g after %g, expected an increasing ladder", ll(i),
                  powers[i], powers[i - 1]);
  return Status::ok;
}

void ladder_from_pilot(double *pilot, double origin, int64_t count, double *powers) {
  int64_t i = 0;
  for (; i < pilot_powers - 1; ++i) {
    double *draws = pilot + i * pilot_draws;
    for (int64_t s = 0; s < pilot_draws; ++s)
      draws[s] = std::isfinite(draws[s]) ? draws[s] - origin : -HUGE_VAL;
    std::sort(draws, draws + pilot_draws);
    if (spread(draws) <= 1) break;
  }
  // If even the posterior hardly differs from the prior, any ladder works.
  const double least = -fn::log(4.0) * static_cast<double>(std::max<int64_t>(i, 1));
  powers[0] = 0;
  powers[count - 1] = 1;
  for (int64_t l = 1; l < count - 1; ++l)
    powers[l] =
        fn::exp(least * static_cast<double>(count - 1 - l) / static_cast<double>(count - 2));
}

double barrier_of(double rejection) {
  constexpr double half_root_pi = 0.88622692545275801365;
  double low = 0, high = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (fn::erf(half_root_pi * middle) < rejection ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// A fixed share is added to every pair's barrier, so that levels never coincide.
void ladder_respace(const LadderProfile &profile, int64_t count, double *powers) {
  const int64_t n = profile.count;
  const double total = std::fmax(profile.barriers[n - 1], 1e-3), floor = 0.02 * total;
  const auto at = [&](int64_t i) {
    return profile.barriers[i] + floor * static_cast<double>(i) / static_cast<double>(n - 1);
  };
  powers[0] = 0;
  powers[count - 1] = 1;
  int64_t i = 0;
  for (int64_t l = 1; l < count - 1; ++l) {
    const double wanted = at(n - 1) * static_cast<double>(l) / static_cast<double>(count - 1);
    while (i < n - 2 && at(i + 1) <= wanted) ++i;
    const double share = std::clamp((wanted - at(i)) / (at(i + 1) - at(i)), 0.0, 1.0);
    const double low = profile.powers[i], high = profile.powers[i + 1];
    powers[l] = i == 0 ? share * high : fn::exp((1 - share) * fn::log(low) + share * fn::log(high));
  }
  // Rounding must not make neighbours equal.
  for (int64_t l = 1; l < count - 1; ++l)
    powers[l] = std::fmax(powers[l], powers[l - 1] * (1 + 1e-9) + 1e-290);
}

}  // namespace nnp
