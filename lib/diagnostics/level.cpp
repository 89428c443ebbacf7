#include "lib/diagnostics/level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/diagnostics/spectrum.hpp"

namespace nnp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t too_few_bins = 12;
constexpr double blocks_per_doubling = 3;

double real(int64_t n) {
  return static_cast<double>(n);
}

// Bins of equal duration, as many as possible without an empty one; of equal numbers of samples if
// that gives too few.
struct Binning {
  int64_t count;
  bool by_time;
  double start, width;
  int64_t first, samples;

  Binning(const TimeSeries &s, int64_t begin) : first(begin), samples(s.n - begin) {
    start = s.time(begin);
    const double duration = s.time(s.n - 1) - start;
    double gap = 0;
    for (int64_t i = begin + 1; i < s.n; ++i) gap = std::max(gap, s.time(i) - s.time(i - 1));
    const int64_t most = std::min(samples, LevelWork::max_bins);
    // Rounding must not lose the last bin of evenly timed samples.
    const double fitting = std::floor(duration / gap + 1e-6) + 1;
    by_time = fitting >= real(std::min(most, too_few_bins));
    count = by_time ? std::min(most, static_cast<int64_t>(std::min(fitting, 1e15))) : most;
    width = duration / real(count - 1);
  }

  int64_t bin(const TimeSeries &s, int64_t i) const {
    if (!by_time) return (i - first) * count / samples;
    const auto k = static_cast<int64_t>((s.time(i) - start) / width + 0.5);
    return std::min(k, count - 1);
  }
};

// bins[k] = mean of f(value) over the samples of bin k; an empty bin repeats the previous one.
template <class F>
void fill_bins(const TimeSeries &s, const Binning &binning, double *bins, F f) {
  int64_t current = 0, in_bin = 0;
  double sum = 0;
  for (int64_t i = binning.first; i < s.n; ++i) {
    const int64_t k = binning.bin(s, i);
    while (current < k) {
      bins[current] = in_bin > 0 ? sum / real(in_bin) : (current > 0 ? bins[current - 1] : 0);
      ++current;
      sum = 0;
      in_bin = 0;
    }
    sum += f(s.x[i]);
    ++in_bin;
  }
  bins[current] = sum / real(in_bin);
}

// Number of bins times the variance of their mean: the larger of two estimates.
double long_run_variance(const double *bins, int64_t count, const EssWork &work) {
  const double variance = variance_of(bins, count);
  if (!(variance > 0) || count < 8) return variance;
  const double tau = autocorrelation_time({bins, count, 1}, work);
  const double geyer = std::isnan(tau) ? variance : variance * tau;
  const double autoregressive = ar_spectrum_at_zero(bins, count);
  return std::max(geyer, std::isfinite(autoregressive) ? autoregressive : 0);
}

// Fits a least-squares line through the bins; returns its rise over all of them, and the residuals.
double detrend(const double *bins, int64_t count, double *residuals) {
  const double mean = mean_of(bins, count), centre = 0.5 * real(count - 1);
  double xt = 0, tt = 0;
  for (int64_t k = 0; k < count; ++k) {
    xt += (bins[k] - mean) * (real(k) - centre);
    tt += (real(k) - centre) * (real(k) - centre);
  }
  const double slope = xt / tt;
  for (int64_t k = 0; k < count; ++k) residuals[k] = bins[k] - mean - slope * (real(k) - centre);
  return slope * real(count - 1);
}

void fill_drift(const double *bins, int64_t count, const LevelWork &work, Level &level) {
  const double rise = detrend(bins, count, work.residuals);
  const double spread = std::sqrt(variance_of(work.residuals, count));
  // var(rise) = 12 / count * long-run variance of the residuals
  const double error =
      std::sqrt(12 / real(count) * long_run_variance(work.residuals, count, work.ess));
  if (spread > 0) {
    level.drift = rise / spread;
    level.drift_error = error / spread;
  }
}

}  // namespace

int64_t last_half(const TimeSeries &s) {
  const double middle = 0.5 * (s.time(0) + s.time(s.n - 1));
  int64_t first = std::max<int64_t>(s.n - 8, 0);
  while (first > 0 && s.time(first - 1) >= middle) --first;
  return first;
}

double on_scale(double x, Scale scale) {
  return scale == Scale::logarithmic ? fn::log(x) : x;
}
double off_scale(double y, Scale scale) {
  return scale == Scale::logarithmic ? fn::exp(y) : y;
}

LevelWork level_layout(Arena &arena) {
  LevelWork work{};
  work.bins = arena.take<double>(LevelWork::max_bins);
  work.residuals = arena.take<double>(LevelWork::max_bins);
  work.squares = arena.take<double>(LevelWork::max_bins);
  work.ess = ess_layout(arena, LevelWork::max_bins);
  return work;
}

size_t level_bytes() {
  Arena arena;
  level_layout(arena);
  return arena.used();
}

LevelWork level_work(void *memory, size_t bytes) {
  Arena arena(memory, bytes);
  const LevelWork work = level_layout(arena);
  if (!arena.fits()) return {};
  prepare(work.ess.fourier);
  return work;
}

Level measure_level(const TimeSeries &series, Scale scale, int64_t first, const LevelWork &work) {
  const Binning binning(series, first);
  fill_bins(series, binning, work.bins, [=](double x) { return on_scale(x, scale); });
  Level level;
  level.mean = mean_of(work.bins, binning.count);
  fill_bins(series, binning, work.squares, [&](double x) {
    const double off = on_scale(x, scale) - level.mean;
    return off * off;
  });
  const double variance = mean_of(work.squares, binning.count);
  const double error_squared =
      long_run_variance(work.bins, binning.count, work.ess) / real(binning.count);
  level.independent =
      error_squared > 0 ? std::max(variance / error_squared, 1.0) : real(binning.samples);
  level.autocorrelation_time = (series.time(series.n - 1) - series.time(first)) / level.independent;
  // The mean was fitted to the same values, so E[variance] = (1 - 1/independent) of the true one.
  const double seen = std::max(level.independent, 2.0), correction = seen / (seen - 1);
  level.spread = std::sqrt(variance * correction);
  level.error = std::sqrt(error_squared * correction);
  fill_drift(work.bins, binning.count, work, level);
  return level;
}

Level last_half_level(const TimeSeries &series, Scale scale, const LevelWork &work) {
  const int64_t half = series.n > 0 ? last_half(series) : 0;
  if (series.n >= fewest_samples) return measure_level(series, scale, half, work);
  Level level;
  level.spread = level.error = level.autocorrelation_time = level.independent = nan;
  level.drift = level.drift_error = nan;
  for (int64_t i = half; i < series.n; ++i) level.mean += on_scale(series.x[i], scale);
  level.mean /= real(series.n - half);
  return level;
}

int64_t first_sample_near(const TimeSeries &s, Scale scale, const Level &level,
                          const Nearness &near) {
  const double start = s.time(0), shrink = fn::exp2(-1 / blocks_per_doubling);
  const double floor = 1e-9 * std::fabs(level.mean) + std::numeric_limits<double>::min();
  int64_t end = s.n;  // samples [end, n) agree
  while (end > 0) {
    const double age = s.time(end - 1) - start, youngest = age * shrink;
    int64_t begin = end;
    double sum = 0;
    while (begin > 0 && (begin == end || s.time(begin - 1) - start > youngest))
      sum += on_scale(s.x[--begin], scale);
    const double samples = real(end - begin);
    const double independent =
        std::clamp((age - youngest) / std::max(level.autocorrelation_time, 1e-300), 1.0, samples);
    const double error = fn::hypot(level.spread / std::sqrt(independent), level.error);
    const double off = std::fabs(sum / samples - level.mean);
    if (!(off <= near.tolerance * level.spread + near.z * error + floor)) break;
    end = begin;
  }
  return end;
}

bool drifts(const Level &level) {
  const double rise = std::fabs(level.drift);
  return rise > 1 && rise > 5 * level.drift_error;
}

Plateau find_plateau(const TimeSeries &series, Scale scale, const Nearness &near,
                     const LevelWork &work) {
  Plateau plateau;
  plateau.level = last_half_level(series, scale, work);
  if (series.n < fewest_samples) return plateau;
  const int64_t half = plateau.first = last_half(series);
  if (drifts(plateau.level)) return plateau;
  const int64_t first = first_sample_near(series, scale, plateau.level, near);
  if (first > half) return plateau;
  // A second pass with the level of the whole stretch may shorten it, but never lengthen it: a
  // stretch that includes some of the approach has a larger spread, and would admit even more.
  plateau.level = measure_level(series, scale, first, work);
  plateau.first = std::max(first, first_sample_near(series, scale, plateau.level, near));
  if (plateau.first > half) return plateau;
  if (plateau.first > first) plateau.level = measure_level(series, scale, plateau.first, work);
  plateau.found = true;
  return plateau;
}

void ScaleChoice::look_at(const TimeSeries &s) {
  const int64_t run = std::max<int64_t>(1, s.n / 32), half = last_half(s);
  double sum = 0;
  for (int64_t i = 0; i < s.n; ++i) {
    if (s.x[i] < 0 || (s.x[i] == 0 && i >= half)) positive = false;
    sum += s.x[i];
    if ((i + 1) % run != 0) continue;
    low = std::min(low, sum / real(run));
    high = std::max(high, sum / real(run));
    sum = 0;
  }
}

}  // namespace nnp
