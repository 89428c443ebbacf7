// Steps chains side by side: the only place that does, for plain runs, studies, multistarts and
// twins. The pool's threads work on chains, and each chain's rows are left to its thread. A chain
// that runs alone uses its pool for its rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/sampler/chain.hpp"
#include "lib/sampler/share.hpp"

namespace nnp {

// One chain's part of a run.
struct Lane {
  Chain *chain = nullptr;
  int64_t goal = 0, done = 0;  // steps to make, and made; any thread may read `done`
  int64_t counted_from = 0;    // steps before the chain's step of this number do not count
  Status status = Status::ok;
  Error error = {};
  Pool *pool = nullptr;  // the chain's pool, set aside while others run alongside
  int64_t steps_before = 0, recorded_before = 0;  // of the chain and its record, before this run
  int64_t planned = 0, planned_steps = 0;  // of `done` and of the chain: made by another rank
  bool over = false;                       // the last step failed, or there was none left to make

  int64_t steps_done() const { return __atomic_load_n(&done, __ATOMIC_RELAXED); }
};

struct RunHooks {
  // Returns the lane of chain `index`.
  Lane &(*lane)(void *context, int64_t index) = nullptr;
  // Makes a step in place of chain_step; sets *over if there was none left to make, which ends the
  // lane. Null: chain_step.
  Status (*step)(void *context, int64_t index, bool *over, Error *err) = nullptr;
  // Called after each step that counts, on the thread that made it. If rows are spread over ranks
  // it must fail on all of them or on none. Null: nothing to do.
  Status (*stepped)(void *context, int64_t index, Error *err) = nullptr;
  // Called on the caller's thread only: after each step it makes, with the index of the chain; and,
  // with index -1, occasionally while it waits for other threads and once after they are done. A
  // result other than 0 stops the run. Null: no callback.
  int32_t (*progress)(void *context, int64_t index) = nullptr;
  void *context = nullptr;
  double deadline = HUGE_VAL;  // on the clock of seconds_now
  // The ranks that share the chains; all of them make this call. Null or a single rank: all chains
  // are this rank's.
  const Comm *comm = nullptr;
  // Sends what a lane has made besides its chain and its steps to all ranks. Null: nothing.
  Status (*share)(void *context, int64_t index, Carrier &carrier, Error *err) = nullptr;
  bool share_chains = true;  // false: the caller does it when needed (see share_lanes)
};

enum class RunEnd { complete, stopped, late };

// Runs `count` chains to their goals. If a chain fails, the others continue, and the error of the
// first failed chain is returned. Chains that were stopped can be continued. Over ranks, every
// chain is run by one of them; a stop or a deadline on one rank soon ends the run on all. Then all
// ranks have all chains and results, and the same outcome. In checked mode each rank repeats the
// steps of the others, one after the other, and compares.
Status run_lanes(int64_t count, const RunHooks &hooks, RunEnd *end, Error *err);
// Sends the chains in their current state, and everything else that lanes have made, from the ranks
// that run them to all.
Status share_lanes(int64_t count, const RunHooks &hooks, Error *err);

// The error if the end was RunEnd::stopped.
inline Status stopped_by_callback(Error *err) {
  return fail(err, Status::stopped, "callback: it asked to stop");
}

}  // namespace nnp
