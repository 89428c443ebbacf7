// The usual criteria side by side: each gives its own time of thermalization.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/status.hpp"
#include "lib/diagnostics/level.hpp"
#include "lib/diagnostics/thermalization.hpp"

namespace nnp {

struct Settling {
  bool found = false;
  double time = 0;   // NaN if not found
  double level = 0;  // since `time`, or over the last half; in units of the series
  // With fewer than 16 samples the following are NaN.
  double spread = 0;                // standard deviation on the scale used
  double error = 0;                 // standard error of the level on the scale used
  double autocorrelation_time = 0;  // integrated
  Scale scale = Scale::linear;
};

// When one series became stationary.
Settling stationarity(const TimeSeries &series, Scale scale, const LevelWork &work);

// When a gradient statistic (the gradient of the log density, averaged over a layer, times D)
// started to fluctuate about zero. Not found if its last half does not.
Settling gradient_about_zero(const TimeSeries &gradient, const LevelWork &work);

// When R-hat came down and became stationary. Not found if it settles above `limit`. Infinite and
// NaN values count as not settled.
Settling rhat_settled(const TimeSeries &rhat, double limit, const LevelWork &work);

// One row of the paper's figure 1.
struct CriteriaSeries {
  TimeSeries informed, other;  // the test function
  TimeSeries gradient;         // of the other chain; n = 0 omits this criterion
  TimeSeries rhat;             // between chains; n = 0 omits this criterion
};

struct CriteriaTimes {
  double teacher_student, stationarity, gradient, rhat;  // NaN if not reached or omitted
  Thermalization verdict;                                // of the teacher-student criterion
};

Status compare_criteria(const CriteriaSeries &series, const ThermalizationOptions &options,
                        double rhat_limit, const LevelWork &work, CriteriaTimes *out, Error *err);

}  // namespace nnp
