#include "lib/study/rhat_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "lib/diagnostics/rhat.hpp"

namespace nnp {

namespace {

double value_of(const BlockRhat &block, int64_t row) {
  return row == 0 ? block.mean : block.percentile[row - 1];
}

void average_neighbours(double *values, int64_t count) {
  for (int64_t i = 0; i < count / 2; ++i) values[i] = 0.5 * (values[2 * i] + values[2 * i + 1]);
}

void thin(RhatSeries &s) {
  average_neighbours(s.times, s.count);
  for (int64_t r = 0; r < s.pairs * RhatSeries::rows; ++r)
    average_neighbours(s.values + r * s.capacity, s.count);
  s.count /= 2;
  s.each *= 2;
}

void close_entry(RhatSeries &s) {
  const double blocks = static_cast<double>(s.filled);
  s.times[s.count] = s.time_sum / blocks;
  for (int64_t r = 0; r < s.pairs * RhatSeries::rows; ++r) {
    s.values[r * s.capacity + s.count] = s.sums[r] / blocks;
    s.sums[r] = 0;
  }
  ++s.count;
  s.filled = 0;
  s.time_sum = 0;
}

}  // namespace

void add_measurement(PointMoments &moments, const double *values, int64_t points) {
  const double weight = 1.0 / static_cast<double>(++moments.count);
  for (int64_t i = 0; i < points; ++i) {
    const double step = values[i] - moments.mean[i];
    moments.mean[i] += weight * step;
    moments.squares[i] += step * (values[i] - moments.mean[i]);
  }
}

BlockRhat pair_rhat(const PointMoments &a, const PointMoments &b, int64_t points, double time,
                    double *work) {
  const double n = static_cast<double>(a.count);
  int64_t count = 0;
  for (int64_t i = 0; i < points; ++i) {
    const double apart = a.mean[i] - b.mean[i];
    const double within = 0.5 * (a.squares[i] + b.squares[i]) / (n - 1);
    const double value = variance_ratio(2, n, 0.5 * apart * apart, within);
    if (!std::isnan(value)) work[count++] = value;
  }
  return summarize_points(work, count, time);
}

RhatSeries rhat_series_layout(Arena &arena, int64_t pairs, int64_t capacity) {
  RhatSeries s;
  s.capacity = capacity / 2 * 2;
  s.pairs = pairs;
  s.times = arena.take<double>(s.capacity);
  s.values = arena.take<double>(s.capacity, RhatSeries::rows * pairs);
  s.sums = arena.take<double>(RhatSeries::rows, pairs);
  return s;
}

void rhat_series_add(RhatSeries &s, const BlockRhat *blocks) {
  s.time_sum += blocks[0].time;
  for (int64_t p = 0; p < s.pairs; ++p)
    for (int64_t r = 0; r < RhatSeries::rows; ++r)
      s.sums[p * RhatSeries::rows + r] += value_of(blocks[p], r);
  if (++s.filled < s.each) return;
  if (s.count == s.capacity) {
    thin(s);
    if (s.filled < s.each) return;
  }
  close_entry(s);
}

}  // namespace nnp
