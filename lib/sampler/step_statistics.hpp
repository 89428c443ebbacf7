// What a gradient sampler reports about each step.
#pragma once

#include <cstdint>

namespace nnp {

// Values are pinned: adding a base gives NNP_STEP_* of the C header. No gaps.
enum class StepStatistic : int32_t {
  log_density = 1,
  energy = 2,
  acceptance = 3,
  step_size = 4,
  depth = 5,
  leapfrogs = 6,
  divergent = 7,
  divergences = 8,
};
constexpr int32_t step_statistic_count = 8;

struct StepStatistics {
  double values[step_statistic_count];

  double &operator[](StepStatistic statistic) {
    return values[static_cast<int32_t>(statistic) - 1];
  }
  double operator[](StepStatistic statistic) const {
    return values[static_cast<int32_t>(statistic) - 1];
  }
};

// A caller's buffer to which steps are written one after the other, [statistic, step].
struct Record {
  double *values;
  int64_t capacity, steps;
};

}  // namespace nnp
