// The teacher-student test: decides whether a chain has merged for good with one that started
// informed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/status.hpp"
#include "lib/diagnostics/level.hpp"

namespace nnp {

// Values of both enums are pinned: adding a base gives those of the C header.
enum class Verdict : int32_t { undecided = 0, thermalized = 1, not_thermalized = 2 };

enum class Reason : int32_t {
  merged = 1,              // thermalized: agrees from `time` to the end
  stuck = 2,               // not thermalized: stationary, at another level
  too_short = 3,           // undecided: fewer than 16 samples
  informed_moving = 4,     // undecided: the informed chain is not stationary yet
  still_moving = 5,        // undecided: away from the informed level and still moving
  merged_recently = 6,     // undecided: agrees, but for less than a quarter of the run
  too_few_independent = 7  // undecided: agrees, but a real difference could be hidden
};

struct ThermalizationOptions {
  Scale scale = Scale::automatic;
  // Merged means that block means are within block_tolerance spreads plus block_z standard errors.
  double block_tolerance = 1;
  double block_z = 3;
  // Levels differ if they are further apart than z standard errors and level_tolerance spreads.
  double level_tolerance = 0.5;
  double z = 3.5;
  // A chain is called thermalized only if a difference of `resolution` spreads would have been
  // detected.
  double resolution = 2;
  double merged_fraction = 0.25;  // fraction of the run that must lie after the merging
};

// The result for one chain. Levels are in units of the series; spreads and distances are on the
// scale used, and a level on the logarithmic scale is a geometric mean.
struct Thermalization {
  Verdict verdict = Verdict::undecided;
  Reason reason = Reason::too_short;
  Scale scale = Scale::linear;
  double time = 0;            // of merging, or of getting stuck; NaN if undecided
  double level = 0;           // of this chain since `time`, or over its last half
  double distance = 0;        // from the informed level, in informed spreads (sd), signed; NaN if
                              // either series is too short or the informed one not stationary
  double distance_error = 0;  // standard error of that
  double independent = 0;     // number of independent values behind `level`
  double informed_time = 0;   // when the informed chain became stationary; NaN if it is not
  // Over its last half if it is not stationary; with fewer than 16 samples only the level is known.
  double informed_level = 0, informed_spread = 0, informed_error = 0;
  double informed_autocorrelation_time = 0;  // integrated autocorrelation time, in units of time
};

inline size_t thermalization_bytes() {
  return level_bytes();
}

// One result for each of the `count` other chains. A pure function: call it again whenever the
// series have grown; the cost is a few passes over them and transforms of at most 1024 bins.
Status decide_thermalization(const TimeSeries &informed, const TimeSeries *others, int64_t count,
                             const ThermalizationOptions &options, const LevelWork &work,
                             Thermalization *out, Error *err);

// Fail if a series cannot be used. check_times: it has no samples, or times that do not increase.
// The others also: NaN or infinity, or values without a logarithm if that is needed. `name` is part
// of the message.
Status check_times(const TimeSeries &series, const char *name, Error *err);
Status check_series(const TimeSeries &series, const char *name, Error *err);
Status check_scale(const TimeSeries &series, Scale scale, const char *name, Error *err);

}  // namespace nnp
