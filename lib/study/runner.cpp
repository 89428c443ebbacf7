#include "lib/study/runner.hpp"

#include <thread>
#include <utility>

#include "lib/base/clock.hpp"

namespace nnp {

namespace {

struct Run {
  const RunHooks *hooks;
  std::thread::id caller;
  int32_t stop, late;  // set by one thread, read by all

  Lane &lane(int64_t index) const { return hooks->lane(hooks->context, index); }
};

void raise(int32_t &flag) {
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
}

bool told_to_stop(const Run &run) {
  return __atomic_load_n(&run.stop, __ATOMIC_RELAXED) ||
         __atomic_load_n(&run.late, __ATOMIC_RELAXED);
}

void report(Run &run, int64_t index) {
  if (!run.hooks->progress || std::this_thread::get_id() != run.caller) return;
  if (run.hooks->progress(run.hooks->context, index)) raise(run.stop);
}

void report_while_waiting(void *argument) {
  report(*static_cast<Run *>(argument), -1);
}

void make_step(const Run &run, int64_t index, Lane &lane) {
  bool over = false;
  lane.status = run.hooks->step ? run.hooks->step(run.hooks->context, index, &over, &lane.error)
                                : chain_step(*lane.chain, &lane.error);
  if (over) lane.goal = lane.done;
  if (over || lane.status != Status::ok || lane.chain->steps <= lane.counted_from) return;
  __atomic_store_n(&lane.done, lane.done + 1, __ATOMIC_RELAXED);
  if (run.hooks->stepped) lane.status = run.hooks->stepped(run.hooks->context, index, &lane.error);
}

void run_lane(void *argument, int64_t index) {
  Run &run = *static_cast<Run *>(argument);
  Lane &lane = run.lane(index);
  const bool timed = run.hooks->deadline < HUGE_VAL;
  const int64_t before = lane.chain->steps;
  while (lane.done < lane.goal && lane.status == Status::ok && !told_to_stop(run)) {
    make_step(run, index, lane);
    if (timed && seconds_now() > run.hooks->deadline) raise(run.late);
    if (lane.status == Status::ok) report(run, index);
  }
  if (lane.status == Status::ok)
    lane.status = chain_check_end(*lane.chain, lane.chain->steps - before, &lane.error);
}

void swap_pools(const Run &run, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::swap(run.lane(i).pool, run.lane(i).chain->state.pool);
}

bool run_all(Run &run, int64_t count) {
  if (count == 1) {
    run_lane(&run, 0);
    return true;
  }
  Pool *pool = run.lane(0).chain->state.pool;
  swap_pools(run, count);
  const bool all = pool_run(pool, count, run_lane, &run, report_while_waiting);
  swap_pools(run, count);
  // Other threads may have made all the steps while the caller slept.
  if (all && pool_threads(pool) > 1) report(run, -1);
  return all;
}

}  // namespace

Status run_lanes(int64_t count, const RunHooks &hooks, RunEnd *end, Error *err) {
  Run run = {&hooks, std::this_thread::get_id(), 0, 0};
  for (int64_t i = 0; i < count; ++i) {
    run.lane(i).status = Status::ok;
    run.lane(i).pool = nullptr;
  }
  const bool all = run_all(run, count);
  *end = run.stop ? RunEnd::stopped : run.late ? RunEnd::late : RunEnd::complete;
  if (!all) return lost_to_fork(err);
  for (int64_t i = 0; i < count; ++i) {
    const Lane &lane = run.lane(i);
    if (lane.status == Status::ok) continue;
    if (err) *err = lane.error;
    return lane.status;
  }
  return Status::ok;
}

}  // namespace nnp
