// When to take samples in a run of unknown length. The times of a coarser schedule are a subset of
// those of a finer one, so a full series is thinned by dropping samples.
#pragma once

#include <cstdint>

namespace nnp {

// Values are pinned: adding a base gives NNP_SAMPLING_* of the C header.
enum class Sampling : int32_t { logarithmic = 1, even = 2 };

struct SampleTimes {
  Sampling sampling = Sampling::logarithmic;
  int64_t stride = 1;      // even: steps between samples
  int64_t per_octave = 1;  // logarithmic: samples per doubling of the run, a power of two

  // The finest schedule for series of `capacity` samples: every `stride` steps, or at first every
  // step and then with strides that grow with time.
  static SampleTimes of(Sampling sampling, int64_t stride, int64_t capacity);

  // Steps between samples at this step.
  int64_t stride_at(int64_t step) const;
  bool sampled(int64_t step) const { return step % stride_at(step) == 0; }
  // The first sampled step after this one.
  int64_t next(int64_t step) const {
    const int64_t s = stride_at(step);
    return (step / s + 1) * s;
  }
  // Takes about half as many samples from now on.
  void coarsen();
};

}  // namespace nnp
