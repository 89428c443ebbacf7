// Chains that run side by side: the one place that steps them, for calls that run chains, for
// studies, for multistarts and twins. The pool works on chains; within a chain the rows are left to
// its thread. A chain that runs alone has its pool for its rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/sampler/chain.hpp"
#include "lib/sampler/share.hpp"

namespace nnp {

// One chain's part of a run.
struct Lane {
  Chain *chain = nullptr;
  int64_t goal = 0, done = 0;  // steps to be made, and made; `done` may be read from any thread
  int64_t counted_from = 0;    // steps the chain makes before it has made this many do not count
  Status status = Status::ok;
  Error error = {};
  Pool *pool = nullptr;  // the chain's own, put aside while others run beside it
  int64_t steps_before = 0, recorded_before = 0;  // of the chain and its record, before this run
  int64_t planned = 0, planned_steps = 0;  // of `done` and of the chain: what another rank has made
  bool over = false;  // the last step was none: it failed, or there was none left to make

  int64_t steps_done() const { return __atomic_load_n(&done, __ATOMIC_RELAXED); }
};

struct RunHooks {
  // Chain number `index`.
  Lane &(*lane)(void *context, int64_t index) = nullptr;
  // Makes a step of another kind than chain_step does; `over`: there was none left to make, and the
  // lane is done. Null: chain_step.
  Status (*step)(void *context, int64_t index, bool *over, Error *err) = nullptr;
  // After each of its steps that counts, on the thread that made it. Where rows are spread over ranks
  // it fails on all of them or on none. Null: nothing to do.
  Status (*stepped)(void *context, int64_t index, Error *err) = nullptr;
  // On the caller's thread only: after each step it makes, of chain `index`; and now and then while
  // it waits for other threads and once after they are done, with index -1. Not 0: stop. Null: nobody
  // asks.
  int32_t (*progress)(void *context, int64_t index) = nullptr;
  void *context = nullptr;
  double deadline = HUGE_VAL;  // by seconds_now
  // Ranks that share the chains out, who all make this call. Null or alone: all are this rank's.
  const Comm *comm = nullptr;
  // What a lane has made besides its chain and its steps, for all ranks. Null: nothing.
  Status (*share)(void *context, int64_t index, Carrier &carrier, Error *err) = nullptr;
  bool share_chains = true;  // false: the caller will, when it needs them (see share_lanes)
};

enum class RunEnd { complete, stopped, late };

// Runs `count` chains to their goals. Fails as the first chain that failed did; the others have
// gone on. Chains that were stopped can be run on.
// Over ranks every chain is run by one of them; a stop or a deadline on one rank ends the run of all
// soon after. Then all ranks have all chains and results, and the same outcome. In checked mode each
// rank makes the steps of the others once more, one after the other, and compares.
Status run_lanes(int64_t count, const RunHooks &hooks, RunEnd *end, Error *err);
// The chains as they stand, and all else that lanes have made, from the ranks that run them to all.
Status share_lanes(int64_t count, const RunHooks &hooks, Error *err);

// What to say where the end was RunEnd::stopped.
inline Status stopped_by_callback(Error *err) {
  return fail(err, Status::stopped, "callback: it asked to stop");
}

}  // namespace nnp
