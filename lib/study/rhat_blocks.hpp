// R-hat of a vector function between pairs of chains while they run: moments of the current block,
// and a bounded series of past blocks.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/diagnostics/block_rhat.hpp"

namespace nnp {

// Mean and sum of squared deviations of every point, over the measurements of one block (Welford).
struct PointMoments {
  double *mean = nullptr, *squares = nullptr;
  int64_t count = 0;
};

void add_measurement(PointMoments &moments, const double *values, int64_t points);
// R-hat of two chains (the paper's Appendix A) at each point, summarized. work: one double per
// point.
BlockRhat pair_rhat(const PointMoments &a, const PointMoments &b, int64_t points, double time,
                    double *work);

// Series of blocks of several pairs, at the same times. When it is full, neighbours are averaged,
// and each entry then represents twice as many blocks.
struct RhatSeries {
  static constexpr int64_t rows = 5;  // mean, percentiles 25, 50, 75, 95
  int64_t capacity = 0, pairs = 0;
  int64_t count = 0;   // number of entries
  int64_t each = 1;    // blocks per entry
  int64_t filled = 0;  // blocks in the current entry
  double *times = nullptr;
  double *values = nullptr;  // [entry, row, pair]
  double *sums = nullptr;    // [row, pair] of the current entry
  double time_sum = 0;

  double *row(int64_t pair, int64_t which) const {
    return values + (pair * rows + which) * capacity;
  }
};

RhatSeries rhat_series_layout(Arena &arena, int64_t pairs, int64_t capacity);
// Adds one block of every pair.
void rhat_series_add(RhatSeries &series, const BlockRhat *blocks);

}  // namespace nnp
