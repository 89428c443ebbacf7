#include "lib/diagnostics/criteria.hpp"

#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"

namespace nnp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Settling settling(const TimeSeries &series, Scale scale, const Plateau &plateau) {
  Settling out;
  out.found = plateau.found;
  out.scale = scale;
  out.time = plateau.found ? series.time(plateau.first) : nan;
  out.level = off_scale(plateau.level.mean, scale);
  out.spread = plateau.level.spread;
  out.error = plateau.level.error;
  out.autocorrelation_time = plateau.level.autocorrelation_time;
  return out;
}

}  // namespace

Settling stationarity(const TimeSeries &series, Scale scale, const LevelWork &work) {
  if (scale == Scale::automatic) {
    ScaleChoice choice;
    choice.look_at(series);
    scale = choice.scale();
  }
  return settling(series, scale, find_plateau(series, scale, {}, work));
}

Settling gradient_about_zero(const TimeSeries &gradient, const LevelWork &work) {
  const Nearness near;
  Plateau plateau;
  plateau.level = last_half_level(gradient, Scale::linear, work);
  if (gradient.n >= fewest_samples) {
    const int64_t half = last_half(gradient);
    const double off = std::fabs(plateau.level.mean);
    const bool about_zero =
        off <= near.tolerance * plateau.level.spread + near.z * plateau.level.error;
    Level zero = plateau.level;
    zero.mean = 0;
    plateau.first = first_sample_near(gradient, Scale::linear, zero, near);
    plateau.found = about_zero && !drifts(plateau.level) && plateau.first <= half;
  }
  return settling(gradient, Scale::linear, plateau);
}

Settling rhat_settled(const TimeSeries &rhat, double limit, const LevelWork &work) {
  int64_t first = rhat.n;  // after the last NaN
  while (first > 0 && std::isfinite(rhat.x[first - 1]) && rhat.x[first - 1] > 0) --first;
  // Times must not restart from zero: a series without times keeps its start.
  const TimeSeries rest{rhat.t ? rhat.t + first : nullptr, rhat.x + first, rhat.n - first};
  Plateau plateau = find_plateau(rest, Scale::logarithmic, {}, work);
  plateau.found = plateau.found && fn::exp(plateau.level.mean) <= limit;
  Settling out = settling(rest, Scale::logarithmic, plateau);
  if (!rhat.t) out.time += static_cast<double>(first);
  return out;
}

Status compare_criteria(const CriteriaSeries &series, const ThermalizationOptions &options,
                        double rhat_limit, const LevelWork &work, CriteriaTimes *out, Error *err) {
  Status status = check_series(series.informed, "series->informed", err);
  if (status == Status::ok) status = check_series(series.other, "series->other", err);
  if (status == Status::ok)
    status = check_scale(series.informed, options.scale, "series->informed", err);
  if (status == Status::ok) status = check_scale(series.other, options.scale, "series->other", err);
  if (status == Status::ok && series.gradient.n > 0)
    status = check_series(series.gradient, "series->gradient", err);
  if (status == Status::ok && series.rhat.n > 0)
    status = check_times(series.rhat, "series->rhat", err);
  if (status != Status::ok) return status;
  status =
      decide_thermalization(series.informed, &series.other, 1, options, work, &out->verdict, err);
  if (status != Status::ok) return status;
  const bool merged = out->verdict.verdict == Verdict::thermalized;
  out->teacher_student = merged ? out->verdict.time : nan;
  out->stationarity = stationarity(series.other, options.scale, work).time;
  out->gradient = series.gradient.n > 0 ? gradient_about_zero(series.gradient, work).time : nan;
  out->rhat = series.rhat.n > 0 ? rhat_settled(series.rhat, rhat_limit, work).time : nan;
  return Status::ok;
}

}  // namespace nnp
