// The paper's R-hat (appendix A) of a vector function along the run, block by block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/status.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

struct BlockRhat {
  double time;           // mean time of the block's draws
  double mean;           // over the points
  double percentile[4];  // 25, 50, 75, 95 over the points
};

// Of the values at all points, which are put in order. NaN if there are none.
BlockRhat summarize_points(double *values, int64_t count, double time);

// Whole blocks of `length` draws; the rest at the end is left out.
inline int64_t block_count(int64_t draws, int64_t length) {
  return draws / length;
}
// Bytes of workspace.
inline size_t block_rhat_bytes(int64_t points) {
  return static_cast<size_t>(points) * sizeof(double);
}

// psi.quantities points (test inputs, say), two or more chains, one BlockRhat a block. times[draw]
// or nullptr for 0, 1, 2 ... All psi must be finite, and times increase. Points at which all chains
// stand still at one value have no R-hat and are left out (NaN if no point is left); at values of
// their own it is infinite. work: one double for each point.
Status block_rhat(const SampleTable &psi, const double *times, int64_t length, double *work,
                  BlockRhat *out, Error *err);

}  // namespace nnp
