// Where a time series settles: its level, spread and autocorrelation time over a stretch, and the
// time from which it stays near a level. Sampling times may be uneven (logarithmic, say).
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/diagnostics/ess.hpp"

namespace nnp {

// Values of one function along one chain, at increasing times; t == nullptr means 0, 1, 2 ...
struct TimeSeries {
  const double *t;
  const double *x;
  int64_t n;

  double time(int64_t i) const { return t ? t[i] : static_cast<double>(i); }
};

// Whether to analyse the values themselves or their logarithms.
enum class Scale : int32_t { automatic = 0, linear = 1, logarithmic = 2 };

struct Level {
  double mean = 0;                  // over time, not over samples
  double spread = 0;                // standard deviation of single values
  double error = 0;                 // standard error of the mean, autocorrelation included
  double autocorrelation_time = 0;  // integrated, in units of time
  double independent = 0;           // independent values the stretch is worth: (spread / error)^2
  double drift = 0;                 // end minus start of the fitted line, in residual spreads
  double drift_error = 0;           // its standard error, in residual spreads
};

struct LevelWork {
  static constexpr int64_t max_bins = 1024;
  double *bins, *residuals, *squares;
  EssWork ess;
};

// The size does not depend on the length of the series, since long stretches are averaged in bins.
LevelWork level_layout(Arena &arena);
size_t level_bytes();
// Carves the caller's block and prepares it; all nullptr if it is too small.
LevelWork level_work(void *memory, size_t bytes);

// The level over samples [first, n); scale is linear or logarithmic. At least two samples.
Level measure_level(const TimeSeries &series, Scale scale, int64_t first, const LevelWork &work);

// The level over the last half; with fewer than `fewest_samples` only its mean is known, the rest
// is NaN.
constexpr int64_t fewest_samples = 16;
Level last_half_level(const TimeSeries &series, Scale scale, const LevelWork &work);

// A block of the series agrees with a level if its mean lies within tolerance * spread + z *
// standard error of it.
struct Nearness {
  double tolerance = 1;
  double z = 3;
};

// The first sample from which all blocks up to the end agree with the level (n if the last one does
// not). Block lengths grow geometrically with the time since the start, three blocks per doubling.
int64_t first_sample_near(const TimeSeries &series, Scale scale, const Level &level,
                          const Nearness &near);

// The first sample of the later half of the time; at least eight samples.
int64_t last_half(const TimeSeries &series);

// True if the level moves by more than its spread over the stretch, and by more than chance
// explains.
bool drifts(const Level &level);

// The stretch over which a series is stationary up to its end, judged from its last half (in time).
// There is none if that half drifts, if blocks in it disagree, or with fewer than `fewest_samples`;
// then the level is that of the last half.
struct Plateau {
  bool found = false;
  int64_t first = 0;  // its first sample
  Level level;        // over all of it; if not found, over the last half
};
Plateau find_plateau(const TimeSeries &series, Scale scale, const Nearness &near,
                     const LevelWork &work);

// Logarithmic if no value is negative, none in the last half is zero (a chain that starts at the
// teacher has error 0 there), and, after smoothing, they span more than a factor of ten.
struct ScaleChoice {
  bool positive = true;
  double low = 1e300, high = 0;  // of means over runs of samples
  void look_at(const TimeSeries &series);
  Scale scale() const { return positive && high > 10 * low ? Scale::logarithmic : Scale::linear; }
};
double on_scale(double x, Scale scale);
double off_scale(double y, Scale scale);

}  // namespace nnp
