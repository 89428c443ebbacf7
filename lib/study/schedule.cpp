#include "lib/study/schedule.hpp"

#include <algorithm>

namespace nnp {

namespace {

int64_t power_of_two_up_to(int64_t value) {
  int64_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

}  // namespace

// Leaves room for 32 octaves after the stretch in which every step is sampled (4e9 times as many
// steps) without thinning.
SampleTimes SampleTimes::of(Sampling sampling, int64_t stride, int64_t capacity) {
  SampleTimes schedule;
  schedule.sampling = sampling;
  schedule.stride = std::max<int64_t>(stride, 1);
  schedule.per_octave = power_of_two_up_to(std::max<int64_t>(capacity / 32, 1));
  return schedule;
}

// Strides are powers of two and change at multiples of themselves, so no time is skipped.
int64_t SampleTimes::stride_at(int64_t step) const {
  return sampling == Sampling::even ? stride
                                    : power_of_two_up_to(std::max<int64_t>(step / per_octave, 1));
}

void SampleTimes::coarsen() {
  if (sampling == Sampling::even)
    stride *= 2;
  else
    per_octave = std::max<int64_t>(per_octave / 2, 1);
}

}  // namespace nnp
