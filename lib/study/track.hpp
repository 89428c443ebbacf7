// Chains run side by side while their training error is recorded: that of the forward pass without
// noise, which is there to be read without any test data.
#pragma once

#include <cstdint>

#include "lib/diagnostics/level.hpp"
#include "lib/study/study.hpp"

namespace nnp {

// The training error of the chain as it stands: mean squared error, or for probit heads minus the
// mean log probability of the labels.
Status training_error(const StudyMember &member, double *value, Error *err);

// One chain's part of a run.
struct Track {
  StudyMember member;
  Lane lane;
  int64_t first = 0, every = 1;  // recorded after `first` steps, and then every so many
  double *times = nullptr, *values = nullptr;
  int64_t capacity = 0, samples = 0;

  TimeSeries series() const { return {times, values, samples}; }
};

void track_layout(Arena &arena, int64_t capacity, Track &track);
// Of `steps` more steps, the last `recorded` are recorded, evenly and as often as there is room.
void track_plan(Track &track, int64_t steps, int64_t recorded);

// Called on the caller's thread after steps that it makes and while it waits; not 0: stop.
struct TrackHooks {
  int32_t (*progress)(void *context) = nullptr;
  void *context = nullptr;
};

// Runs all tracks to their planned ends, side by side on the pool of the first one and over the ranks
// of a communicator.
Status run_tracks(Track *tracks, int64_t count, const Comm &comm, const TrackHooks &hooks,
                  Error *err);

}  // namespace nnp
