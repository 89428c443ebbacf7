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
  Portion mine;        // lanes of this rank
  double deadline;

  Lane &lane(int64_t index) const { return hooks->lane(hooks->context, index); }
};

constexpr uint64_t flag_stop = 1, flag_late = 2, flag_pending = 4, flag_lost = 8;

uint64_t flag_if(bool condition, uint64_t flag) {
  return condition ? flag : 0;
}

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
  lane.over = over || lane.status != Status::ok;
  if (over) lane.goal = lane.done;
  if (over || lane.status != Status::ok || lane.chain->steps <= lane.counted_from) return;
  __atomic_store_n(&lane.done, lane.done + 1, __ATOMIC_RELAXED);
  if (run.hooks->stepped) lane.status = run.hooks->stepped(run.hooks->context, index, &lane.error);
}

// Task i runs this rank's lane i.
void run_lane(void *argument, int64_t i) {
  Run &run = *static_cast<Run *>(argument);
  const int64_t index = run.mine.first + i;
  Lane &lane = run.lane(index);
  const bool timed = run.deadline < HUGE_VAL;
  while (lane.done < lane.goal && lane.status == Status::ok && !told_to_stop(run)) {
    make_step(run, index, lane);
    if (timed && seconds_now() > run.deadline) raise(run.late);
    if (lane.status == Status::ok) report(run, index);
  }
}

void check_end(Lane &lane) {
  if (lane.status != Status::ok) return;
  lane.status = chain_check_end(*lane.chain, lane.chain->steps - lane.steps_before, &lane.error);
}

void run_lane_to_its_end(void *argument, int64_t i) {
  run_lane(argument, i);
  const Run &run = *static_cast<Run *>(argument);
  check_end(run.lane(run.mine.first + i));
}

void check_end_of_lane(void *argument, int64_t i) {
  const Run &run = *static_cast<Run *>(argument);
  check_end(run.lane(run.mine.first + i));
}

void swap_pools(const Run &run) {
  for (int64_t i = run.mine.first; i < run.mine.last; ++i)
    std::swap(run.lane(i).pool, run.lane(i).chain->state.pool);
}

// Runs a chain that is alone on its rank, with the pool for its rows.
bool run_single(Run &run, Pool *pool, Task task) {
  Lane &lane = run.lane(run.mine.first);
  if (run.mine.first == 0) pool = lane.chain->state.pool;
  std::swap(pool, lane.chain->state.pool);
  task(&run, 0);
  std::swap(pool, lane.chain->state.pool);
  return true;
}

// Runs this rank's chains in parallel.
bool run_mine(Run &run, Pool *pool, Task task) {
  const int64_t count = run.mine.count();
  if (count == 0) return true;
  if (count == 1) return run_single(run, pool, task);
  swap_pools(run);
  const bool all = pool_run(pool, count, task, &run, report_while_waiting);
  swap_pools(run);
  // Other threads may have made all the steps while the caller's was idle.
  if (all && pool_threads(pool) > 1) report(run, -1);
  return all;
}

void begin(const Run &run, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Lane &lane = run.lane(i);
    lane.status = Status::ok;
    lane.pool = nullptr;
    lane.over = false;
    lane.steps_before = lane.chain->steps;
    lane.recorded_before = lane.chain->record.steps;
  }
}

RunEnd end_of(const Run &run) {
  return run.stop ? RunEnd::stopped : run.late ? RunEnd::late : RunEnd::complete;
}

Status first_failure(const Run &run, int64_t count, Error *err) {
  for (int64_t i = 0; i < count; ++i) {
    const Lane &lane = run.lane(i);
    if (lane.status == Status::ok) continue;
    if (err) *err = lane.error;
    return lane.status;
  }
  return Status::ok;
}

// ---- over ranks ------------------------------------------------------------------------------

// Seconds between meetings at which ranks learn whether one of them wants to stop.
constexpr double between_meetings = 0.25;

bool pending(const Run &run) {
  for (int64_t i = run.mine.first; i < run.mine.last; ++i) {
    const Lane &lane = run.lane(i);
    if (lane.status == Status::ok && lane.done < lane.goal) return true;
  }
  return false;
}

// Runs until all ranks are done or one of them is stopped.
Status run_between_meetings(Run &run, Pool *pool, Error *err) {
  const Comm &comm = *run.hooks->comm;
  for (;;) {
    const double meeting = seconds_now() + between_meetings;
    run.deadline = std::fmin(meeting, run.hooks->deadline);
    const bool all = run_mine(run, pool, run_lane);
    run.late = run.hooks->deadline < HUGE_VAL && seconds_now() > run.hooks->deadline;
    report(run, -1);
    const uint64_t flags = flag_if(run.stop, flag_stop) | flag_if(run.late, flag_late) |
                           flag_if(pending(run), flag_pending) | flag_if(!all, flag_lost);
    uint64_t any = 0;
    const Status status = comm_union(comm, flags, &any, err);
    if (status != Status::ok) return status;
    if (any & flag_lost) return lost_to_fork(err);
    run.stop = (any & flag_stop) != 0;
    run.late = !run.stop && (any & flag_late) != 0 && (any & flag_pending) != 0;
    if (run.stop || run.late || !(any & flag_pending)) return Status::ok;
  }
}

// How a lane ended.
struct Outcome {
  int64_t done, steps;
  int32_t status, over;
};

Status share_outcomes(const Run &run, int64_t count, int32_t root, Outcome *outcomes, Error *err) {
  constexpr int64_t room = 64;
  const Comm &comm = *run.hooks->comm;
  const Portion theirs = portion_of(comm, root, count);
  for (int64_t first = theirs.first; first < theirs.last; first += room) {
    const int64_t some = std::min(room, theirs.last - first);
    for (int64_t i = 0; i < some; ++i) {
      const Lane &lane = run.lane(first + i);
      outcomes[i] = {lane.done, lane.chain->steps, static_cast<int32_t>(lane.status), lane.over};
    }
    Status status =
        comm_tell(comm, outcomes, static_cast<size_t>(some) * sizeof *outcomes, root, err);
    for (int64_t i = 0; i < some && status == Status::ok; ++i) {
      Lane &lane = run.lane(first + i);
      lane.planned = outcomes[i].done;
      lane.planned_steps = outcomes[i].steps;
      lane.status = static_cast<Status>(outcomes[i].status);
      lane.over = outcomes[i].over != 0;
      if (lane.status != Status::ok)
        status = comm_tell(comm, &lane.error, sizeof lane.error, root, err);
    }
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

// Checked mode: repeats on this rank the steps that another rank has made, with the same end.
void run_again(const Run &run, int64_t index) {
  Lane &lane = run.lane(index);
  const Status theirs = lane.status;
  const bool over = lane.over;
  lane.status = Status::ok;
  while (lane.status == Status::ok &&
         (lane.done < lane.planned || lane.chain->steps < lane.planned_steps))
    make_step(run, index, lane);
  if (lane.status == Status::ok && over) make_step(run, index, lane);
  lane.status = theirs;
  lane.over = over;
}

// Gives every rank the results of all lanes: their steps, and in checked mode everything else.
Status meet_at_the_end(const Run &run, int64_t count, Error *err) {
  const Comm &comm = *run.hooks->comm;
  Outcome outcomes[64];
  for (int32_t r = 0; r < comm.size; ++r) {
    const Status status = share_outcomes(run, count, r, outcomes, err);
    if (status != Status::ok) return status;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (run.mine.has(i)) continue;
    Lane &lane = run.lane(i);
    if (comm.checked) run_again(run, i);
    __atomic_store_n(&lane.done, lane.planned, __ATOMIC_RELAXED);
    if (lane.over && lane.status == Status::ok) lane.goal = lane.done;
  }
  return Status::ok;
}

Status run_over_ranks(Run &run, int64_t count, Error *err) {
  Pool *pool = run.lane(0).chain->state.pool;
  run.mine = portion_of(*run.hooks->comm, run.hooks->comm->rank, count);
  Status status = run_between_meetings(run, pool, err);
  const int32_t stop = run.stop;  // as agreed by all ranks: a callback may ask too late
  if (status == Status::ok) run_mine(run, pool, check_end_of_lane);
  run.stop = stop;
  if (status == Status::ok) status = meet_at_the_end(run, count, err);
  if (status == Status::ok) status = share_lanes(count, *run.hooks, err);
  return status;
}

// ---- rows over ranks -------------------------------------------------------------------------

// Makes every step together with all ranks. `asked`: some rank has a callback to call after each
// step.
Status run_lane_by_rows(Run &run, int64_t index, bool asked, Error *err) {
  Lane &lane = run.lane(index);
  Rows *rows = lane.chain->state.rows();
  while (lane.done < lane.goal && lane.status == Status::ok && !told_to_stop(run)) {
    make_step(run, index, lane);
    if (rows->failed()) return rows_agree(rows, Status::ok, err);
    if (!asked) continue;
    if (lane.status == Status::ok) report(run, index);
    const bool late = run.deadline < HUGE_VAL && seconds_now() > run.deadline;
    uint64_t any = 0;
    const Status status =
        rows_union(rows, flag_if(run.stop, flag_stop) | flag_if(late, flag_late), &any, err);
    if (status != Status::ok) return status;
    run.stop = (any & flag_stop) != 0;
    run.late = !run.stop && (any & flag_late) != 0;
  }
  check_end(lane);
  return Status::ok;
}

// Runs chains one after the other, each with the first chain's pool for its rows.
Status run_by_rows(Run &run, int64_t count, Error *err) {
  const State &first = run.lane(0).chain->state;
  Pool *pool = first.pool;
  const bool here = run.hooks->progress || run.hooks->deadline < HUGE_VAL;
  uint64_t asked = 0;
  Status status = rows_union(first.rows(), here, &asked, err);
  for (int64_t i = 0; i < count && status == Status::ok; ++i) {
    State &state = run.lane(i).chain->state;
    Pool *own = state.pool;
    state.pool = pool;
    status = run_lane_by_rows(run, i, asked != 0, err);
    state.pool = own;
  }
  return status;
}

// Sends a lane's chain, if requested, and what the caller keeps of it.
Status share_lane(const RunHooks &hooks, int64_t index, Carrier &carrier, Error *err) {
  Lane &lane = hooks.lane(hooks.context, index);
  Status status = Status::ok;
  if (hooks.share_chains) status = share_chain(carrier, *lane.chain, lane.recorded_before, err);
  if (status == Status::ok && hooks.share) status = hooks.share(hooks.context, index, carrier, err);
  return status;
}

}  // namespace

// In checked mode results are compared lane by lane, to identify those that differ; otherwise all
// at once.
Status share_lanes(int64_t count, const RunHooks &hooks, Error *err) {
  if (!hooks.comm || hooks.comm->alone() || (!hooks.share && !hooks.share_chains))
    return Status::ok;
  const Comm &comm = *hooks.comm;
  Carrier all = {comm};
  for (int64_t i = 0; i < count; ++i) {
    Carrier one = {comm, owner_of(comm, count, i)};
    Status status = share_lane(hooks, i, one, err);
    if (status == Status::ok && comm.checked) status = agree_on_results(one, "chain", i, err);
    if (status != Status::ok) return status;
    all.brought = hash_value(all.brought, one.brought);
  }
  all.own = all.brought;
  return agree_on_results(all, "chain", 0, err);
}

Status run_lanes(int64_t count, const RunHooks &hooks, RunEnd *end, Error *err) {
  Run run = {&hooks, std::this_thread::get_id(), 0, 0, {0, count}, hooks.deadline};
  begin(run, count);
  Status status = Status::ok;
  if (run.lane(0).chain->state.rows())
    status = run_by_rows(run, count, err);
  else if (hooks.comm && !hooks.comm->alone())
    status = run_over_ranks(run, count, err);
  else if (!run_mine(run, run.lane(0).chain->state.pool, run_lane_to_its_end))
    status = lost_to_fork(err);
  *end = end_of(run);
  return status == Status::ok ? first_failure(run, count, err) : status;
}

}  // namespace nnp
