// Runs chains side by side and records their training error, that of the forward pass without
// noise. It needs no test data.
#pragma once

#include <cstdint>

#include "lib/diagnostics/level.hpp"
#include "lib/study/study.hpp"

namespace nnp {

// The current training error of the chain: mean squared error, or for probit heads minus the mean
// log probability of the labels.
Status training_error(const StudyMember &member, double *value, Error *err);

// One chain's part of a run.
struct Track {
  StudyMember member;
  Lane lane;
  int64_t first = 0, every = 1;  // recorded after `first` steps, then every `every` steps
  double *times = nullptr, *values = nullptr;
  int64_t capacity = 0, samples = 0;

  TimeSeries series() const { return {times, values, samples}; }
};

void track_layout(Arena &arena, int64_t capacity, Track &track);
// Plans `steps` more steps, of which the last `recorded` are recorded, evenly and as densely as
// there is room.
void track_plan(Track &track, int64_t steps, int64_t recorded);

// Called on the caller's thread after steps that it makes and while it waits; a result other than 0
// stops the run.
struct TrackHooks {
  int32_t (*progress)(void *context) = nullptr;
  void *context = nullptr;
};

// Runs all tracks to their planned ends, side by side on the first one's pool and over the ranks of
// a communicator.
Status run_tracks(Track *tracks, int64_t count, const Comm &comm, const TrackHooks &hooks,
                  Error *err);

}  // namespace nnp
