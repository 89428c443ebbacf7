#include "lib/study/track.hpp"

#include <algorithm>
#include <cmath>

namespace nnp {

namespace {

constexpr double impossible = 1000;  // minus the log of a probability that underflows

struct Session {
  Track *tracks;
  const TrackHooks *hooks;
};

Lane &lane_of(void *context, int64_t index) {
  return static_cast<Session *>(context)->tracks[index].lane;
}

int32_t report(void *context, int64_t) {
  const TrackHooks &hooks = *static_cast<Session *>(context)->hooks;
  return hooks.progress(hooks.context);
}

Status record(void *context, int64_t index, Error *err) {
  Track &track = static_cast<Session *>(context)->tracks[index];
  const int64_t since = track.lane.done - track.first;
  if (since < 0 || since % track.every != 0 || track.samples == track.capacity) return Status::ok;
  track.times[track.samples] = static_cast<double>(track.lane.done);
  const Status status = training_error(track.member, track.values + track.samples, err);
  ++track.samples;
  return status;
}

Status share(void *context, int64_t index, Carrier &carrier, Error *err) {
  Track &track = static_cast<Session *>(context)->tracks[index];
  Status status = carrier.tell(track.samples, err);
  const size_t bytes = static_cast<size_t>(track.samples) * sizeof(double);
  if (status == Status::ok) status = carrier.bring(track.times, bytes, err);
  return status == Status::ok ? carrier.bring(track.values, bytes, err) : status;
}

}  // namespace

Status training_error(const StudyMember &member, double *value, Error *err) {
  const State &state = member.chain->state;
  const Draws draw = {state.params, 1};
  const Score kind = ops_of(state.net.head)->training_score;
  const Status status = score(member.predicting(), *state.data, draw, kind, value, err);
  if (status != Status::ok) return status;
  if (kind == Score::log_score) *value = std::isinf(*value) ? impossible : -*value;
  if (std::isfinite(*value)) return status;
  return fail(err, Status::not_finite, "chain: its training error is %g, expected a finite number",
              *value);
}

void track_layout(Arena &arena, int64_t capacity, Track &track) {
  track.times = arena.take<double>(capacity);
  track.values = arena.take<double>(capacity);
  track.capacity = capacity;
}

void track_plan(Track &track, int64_t steps, int64_t recorded) {
  track.lane.goal = track.lane.done + steps;
  track.first = track.lane.goal - recorded + 1;
  track.every = std::max<int64_t>((recorded + track.capacity - 1) / track.capacity, 1);
  track.samples = 0;
}

Status run_tracks(Track *tracks, int64_t count, const Comm &comm, const TrackHooks &hooks,
                  Error *err) {
  Session session = {tracks, &hooks};
  for (int64_t i = 0; i < count; ++i) tracks[i].lane.chain = tracks[i].member.chain;
  RunHooks run;
  run.lane = lane_of;
  run.stepped = record;
  run.progress = hooks.progress ? report : nullptr;
  run.context = &session;
  run.comm = &comm;
  run.share = share;
  RunEnd end = RunEnd::complete;
  const Status status = run_lanes(count, run, &end, err);
  if (status != Status::ok || end == RunEnd::complete) return status;
  return stopped_by_callback(err);
}

}  // namespace nnp
