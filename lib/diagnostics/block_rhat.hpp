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

// Summarizes the values at all points, which are sorted. NaN if there are none.
BlockRhat summarize_points(double *values, int64_t count, double time);

// Number of whole blocks of `length` draws; the remainder at the end is ignored.
inline int64_t block_count(int64_t draws, int64_t length) {
  return draws / length;
}
// Bytes of workspace.
inline size_t block_rhat_bytes(int64_t points) {
  return static_cast<size_t>(points) * sizeof(double);
}

// psi.quantities points (test inputs, say), two or more chains, one BlockRhat per block.
// times[draw], or nullptr for 0, 1, 2 ... All psi must be finite, and times must increase. Points
// at which all chains are constant at one common value have no R-hat and are ignored (NaN if no
// point is left); if the values differ, R-hat is infinite. work: one double per point.
Status block_rhat(const SampleTable &psi, const double *times, int64_t length, double *work,
                  BlockRhat *out, Error *err);

}  // namespace nnp
