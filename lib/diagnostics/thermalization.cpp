#include "lib/diagnostics/thermalization.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"

namespace nnp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Independent values needed on either side for a verdict. With fewer than three the spread itself
// is unknown; calling a chain stuck takes more, since it will not be continued.
constexpr double fewest_to_merge = 3;
constexpr double fewest_to_be_stuck = 8;

Nearness near(const ThermalizationOptions &o) {
  return {o.block_tolerance, o.block_z};
}

// Two levels compared, in spreads of the informed one.
struct Distance {
  double value, error;
  Distance(const Level &informed, const Level &other) {
    const double unit = std::max(
        {informed.spread, 1e-9 * std::fabs(informed.mean), std::numeric_limits<double>::min()});
    value = (other.mean - informed.mean) / unit;
    error = fn::hypot(informed.error, other.error) / unit;
  }
  bool differs(const ThermalizationOptions &o) const {
    return std::fabs(value) > std::max(o.z * error, o.level_tolerance);
  }
  // True if a difference as large as the resolution would have been detected.
  bool resolved(const ThermalizationOptions &o) const {
    return std::fabs(value) + 1.645 * error <= o.resolution;
  }
};

void fill_level(const Level &informed, const Level &other, Scale scale, Thermalization &out) {
  const Distance distance(informed, other);
  out.level = off_scale(other.mean, scale);
  out.distance = distance.value;
  out.distance_error = distance.error;
  out.independent = other.independent;
}

void conclude(Verdict verdict, Reason reason, double time, Thermalization &out) {
  out.verdict = verdict;
  out.reason = reason;
  out.time = time;
}

double fraction_after(const TimeSeries &s, int64_t first) {
  const double all = s.time(s.n - 1) - s.time(0);
  return all > 0 ? (s.time(s.n - 1) - s.time(first)) / all : 0;
}

// The chain is not at the informed level, or not for long: decides whether it is settled elsewhere.
// If not, it is undecided for the given reason.
void judge_separate(const TimeSeries &other, Scale scale, const Level &informed,
                    const ThermalizationOptions &o, const LevelWork &work, Reason otherwise,
                    Thermalization &out) {
  const Plateau own = find_plateau(other, scale, near(o), work);
  const bool enough = own.level.independent >= fewest_to_be_stuck;
  fill_level(informed, own.level, scale, out);
  if (own.found && enough && Distance(informed, own.level).differs(o))
    return conclude(Verdict::not_thermalized, Reason::stuck, other.time(own.first), out);
  const bool perhaps_settled = own.found && !enough && otherwise == Reason::still_moving;
  conclude(Verdict::undecided, perhaps_settled ? Reason::too_few_independent : otherwise, nan, out);
}

void judge(const TimeSeries &other, Scale scale, const Level &informed,
           const ThermalizationOptions &o, const LevelWork &work, Thermalization &out) {
  const int64_t first = first_sample_near(other, scale, informed, near(o));
  if (first == other.n)
    return judge_separate(other, scale, informed, o, work, Reason::still_moving, out);
  if (other.n - first < 8 || fraction_after(other, first) < o.merged_fraction)
    return judge_separate(other, scale, informed, o, work, Reason::merged_recently, out);
  const Level level = measure_level(other, scale, first, work);
  const Distance distance(informed, level);
  if (distance.differs(o))
    return judge_separate(other, scale, informed, o, work, Reason::still_moving, out);
  fill_level(informed, level, scale, out);
  const bool enough = std::min(informed.independent, level.independent) >= fewest_to_merge;
  if (enough && distance.resolved(o))
    conclude(Verdict::thermalized, Reason::merged, other.time(first), out);
  else
    conclude(Verdict::undecided, Reason::too_few_independent, nan, out);
}

Scale scale_for(const TimeSeries &informed, const TimeSeries *others, int64_t count, Scale asked) {
  if (asked != Scale::automatic) return asked;
  ScaleChoice choice;
  choice.look_at(informed);
  for (int64_t k = 0; k < count; ++k) choice.look_at(others[k]);
  return choice.scale();
}

}  // namespace

Status check_times(const TimeSeries &s, const char *name, Error *err) {
  if (s.n < 1)
    return fail(err, Status::bad_size, "%s: count = %lld, expected at least 1", name,
                static_cast<long long>(s.n));
  for (int64_t i = 0; i < s.n && s.t; ++i)
    if (!std::isfinite(s.t[i]) || (i > 0 && !(s.t[i] > s.t[i - 1])))
      return fail(err, Status::bad_value, "%s: time %lld is %g, expected finite, increasing times",
                  name, static_cast<long long>(i), s.t[i]);
  return Status::ok;
}

Status check_series(const TimeSeries &s, const char *name, Error *err) {
  const Status status = check_times(s, name, err);
  if (status != Status::ok) return status;
  for (int64_t i = 0; i < s.n; ++i)
    if (!std::isfinite(s.x[i]))
      return fail(err, Status::not_finite, "%s: value %lld is %g, expected a finite number", name,
                  static_cast<long long>(i), s.x[i]);
  return Status::ok;
}

Status check_scale(const TimeSeries &s, Scale scale, const char *name, Error *err) {
  if (scale != Scale::logarithmic) return Status::ok;
  const int64_t half = last_half(s);
  for (int64_t i = 0; i < s.n; ++i)
    if (s.x[i] < 0 || (s.x[i] == 0 && i >= half))
      return fail(err, Status::bad_value,
                  "%s: value %lld is %g, expected a positive number on the logarithmic scale", name,
                  static_cast<long long>(i), s.x[i]);
  return Status::ok;
}

Status decide_thermalization(const TimeSeries &informed, const TimeSeries *others, int64_t count,
                             const ThermalizationOptions &options, const LevelWork &work,
                             Thermalization *out, Error *err) {
  for (int64_t k = -1; k < count; ++k) {
    char name[32];
    const TimeSeries &one = k < 0 ? informed : others[k];
    std::snprintf(name, sizeof name, k < 0 ? "informed" : "others[%lld]",
                  static_cast<long long>(k));
    Status status = check_series(one, name, err);
    if (status == Status::ok) status = check_scale(one, options.scale, name, err);
    if (status != Status::ok) return status;
  }
  const Scale scale = scale_for(informed, others, count, options.scale);
  const Plateau plateau = find_plateau(informed, scale, near(options), work);
  for (int64_t k = 0; k < count; ++k) {
    Thermalization &result = out[k] = Thermalization{};
    result.scale = scale;
    result.time = result.distance = result.distance_error = nan;
    result.informed_time = plateau.found ? informed.time(plateau.first) : nan;
    result.informed_level = off_scale(plateau.level.mean, scale);
    result.informed_spread = plateau.level.spread;
    result.informed_error = plateau.level.error;
    result.informed_autocorrelation_time = plateau.level.autocorrelation_time;
    const bool too_short = informed.n < fewest_samples || others[k].n < fewest_samples;
    if (!too_short && plateau.found) {
      judge(others[k], scale, plateau.level, options, work, result);
      continue;
    }
    const Level own = last_half_level(others[k], scale, work);
    result.reason = too_short ? Reason::too_short : Reason::informed_moving;
    result.level = off_scale(own.mean, scale);
    result.independent = own.independent;
  }
  return Status::ok;
}

}  // namespace nnp
