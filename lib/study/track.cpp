#include "lib/study/track.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace nnp {

namespace {

constexpr double impossible = 1000;  // a label whose probability is below the smallest double

struct Run {
  Track *tracks;
  const TrackHooks *hooks;
  std::thread::id caller;
  int32_t stop;  // set by one thread, read by all
};

void report(Run &run) {
  if (!run.hooks->progress || std::this_thread::get_id() != run.caller) return;
  if (run.hooks->progress(run.hooks->context)) __atomic_store_n(&run.stop, 1, __ATOMIC_RELAXED);
}

void report_while_waiting(void *argument) {
  report(*static_cast<Run *>(argument));
}

Status record(Track &track) {
  const int64_t since = track.done - track.first;
  if (since < 0 || since % track.every != 0 || track.samples == track.capacity) return Status::ok;
  track.times[track.samples] = static_cast<double>(track.done);
  const Status status = training_error(track.member, track.values + track.samples, &track.error);
  ++track.samples;
  return status;
}

void run_track(void *argument, int64_t index) {
  Run &run = *static_cast<Run *>(argument);
  Track &track = run.tracks[index];
  while (track.done < track.steps && track.status == Status::ok &&
         !__atomic_load_n(&run.stop, __ATOMIC_RELAXED)) {
    track.status = chain_step(*track.member.chain, &track.error);
    if (track.status != Status::ok) return;
    __atomic_store_n(&track.done, track.done + 1, __ATOMIC_RELAXED);
    track.status = record(track);
    report(run);
  }
  if (track.status == Status::ok)
    track.status = chain_check_end(*track.member.chain, track.steps, &track.error);
}

}  // namespace

Status training_error(const StudyMember &member, double *value, Error *err) {
  const State &state = member.chain->state;
  const bool observed = ops_of(state.net.head)->observed;
  const Draws draw = {state.params, 1};
  const Score kind = observed ? Score::mse : Score::log_score;
  const Status status = score(*member.predictor, *state.data, draw, kind, value, err);
  if (status != Status::ok) return status;
  if (!observed) *value = std::isinf(*value) ? impossible : -*value;
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
  track.steps = track.done + steps;
  track.first = track.steps - recorded + 1;
  track.every = std::max<int64_t>((recorded + track.capacity - 1) / track.capacity, 1);
  track.samples = 0;
}

// The pool works on chains: within a chain the rows are left to its thread.
Status run_tracks(Track *tracks, int64_t count, const TrackHooks &hooks, Error *err) {
  Run run = {tracks, &hooks, std::this_thread::get_id(), 0};
  Pool *pool = tracks[0].member.chain->state.pool;
  for (int64_t i = 0; i < count; ++i) {
    tracks[i].status = Status::ok;
    std::swap(tracks[i].pool, tracks[i].member.chain->state.pool);
  }
  // A single chain has the pool to itself.
  if (count == 1) std::swap(tracks[0].pool, tracks[0].member.chain->state.pool);
  pool_run(count == 1 ? nullptr : pool, count, run_track, &run, report_while_waiting);
  if (count > 1)
    for (int64_t i = 0; i < count; ++i)
      std::swap(tracks[i].pool, tracks[i].member.chain->state.pool);
  for (int64_t i = 0; i < count; ++i) {
    if (tracks[i].status == Status::ok) continue;
    if (err) *err = tracks[i].error;
    return tracks[i].status;
  }
  return run.stop ? fail(err, Status::stopped, "callback: it asked to stop") : Status::ok;
}

}  // namespace nnp
