// Running chains: one by itself, or several side by side.
#include <time.h>

#include <thread>

#include "capi/common.hpp"

using namespace nnp;

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Run {
  nnp_chain *const *chains;
  int64_t chain_count;
  int64_t steps;  // of each chain
  int64_t thin;   // a draw every so many steps
  double *draws;  // [parameter, draw, chain], or null
  nnp_callback callback;
  void *user;
  double began;
  std::thread::id caller;
  int32_t stop;  // set by the caller's thread, read by all
};

// `chain` is null while another thread works on it: it must not be looked into then.
void report(Run &run, int64_t index, nnp_chain *chain) {
  ChainObject &object = *unwrap(run.chains[index]);
  object.reported = __atomic_load_n(&object.done, __ATOMIC_RELAXED);
  const nnp_progress progress = {chain, index, object.reported, run.steps, now() - run.began};
  if (run.callback(&progress, run.user)) __atomic_store_n(&run.stop, 1, __ATOMIC_RELAXED);
}

void store_draw(const Run &run, int64_t index) {
  const ChainObject &object = *unwrap(run.chains[index]);
  const State &state = object.chain->state;
  const int64_t count = state.net.param_count(), draws = run.steps / run.thin;
  const int64_t draw = object.done / run.thin - 1;
  std::memcpy(run.draws + (index * draws + draw) * count, state.params,
              static_cast<size_t>(count) * sizeof(double));
}

void run_one(void *argument, int64_t index) {
  Run &run = *static_cast<Run *>(argument);
  ChainObject &object = *unwrap(run.chains[index]);
  const bool reporting = run.callback && std::this_thread::get_id() == run.caller;
  // Steps of a chain that still cools give no draws and do not count towards them.
  const int64_t counted_from = run.draws ? object.chain->cooling.steps : 0;
  while (object.done < run.steps) {
    if (__atomic_load_n(&run.stop, __ATOMIC_RELAXED)) {
      object.status = Status::stopped;
      return;
    }
    object.status = chain_step(*object.chain, &object.error);
    if (object.status != Status::ok) return;
    const bool cooled = counted_from <= object.chain->steps - 1;
    if (cooled) __atomic_add_fetch(&object.done, 1, __ATOMIC_RELAXED);
    if (cooled && run.draws && object.done % run.thin == 0) store_draw(run, index);
    if (reporting) report(run, index, run.chains[index]);
  }
  object.status = chain_check_end(*object.chain, run.steps, &object.error);
}

// While the caller waits for chains on other threads, it reports on them.
void report_others(void *argument) {
  Run &run = *static_cast<Run *>(argument);
  if (!run.callback) return;
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (__atomic_load_n(&unwrap(run.chains[c])->done, __ATOMIC_RELAXED) < run.steps)
      report(run, c, nullptr);
}

// When all is done, about chains whose last steps nobody was told of.
void report_rest(Run &run) {
  if (!run.callback) return;
  for (int64_t c = 0; c < run.chain_count; ++c) {
    const ChainObject &object = *unwrap(run.chains[c]);
    if (object.reported < object.done) report(run, c, run.chains[c]);
  }
}

Status check_chains(const Run &run, Error *e) {
  NNP_TRY(need(run.chains, "chains", e));
  NNP_TRY(need_index(run.chain_count, 1, 1 << 20, "chain_count", e));
  for (int64_t c = 0; c < run.chain_count; ++c) {
    NNP_TRY(need(run.chains[c], run.chain_count == 1 ? "chain" : "chains: an entry", e));
    if (!unwrap(run.chains[c])->chain->started)
      return fail(e, Status::not_started,
                  "chain %lld: it has no start yet, expected nnp_chain_start first", ll(c));
    for (int64_t other = 0; other < c; ++other)
      if (run.chains[c] == run.chains[other])
        return fail(e, Status::bad_value, "chains: entries %lld and %lld are the same chain",
                    ll(other), ll(c));
  }
  return Status::ok;
}

// Adaptation must be over when draws are kept, and no run may end inside it unasked.
Status check_warmup(const Run &run, Error *e) {
  for (int64_t c = 0; c < run.chain_count && run.steps > 0; ++c) {
    const int64_t left = chain_warmup_left(*unwrap(run.chains[c])->chain);
    if (run.draws && left > 0)
      return fail(
          e, Status::bad_value,
          "chain %lld: %lld steps of its warm-up are still to come, expected them to be run "
          "before draws are kept",
          ll(c), ll(left));
    if (left > run.steps)
      return fail(e, Status::bad_value,
                  "steps = %lld: the warm-up of chain %lld still has %lld steps, expected at least "
                  "as many",
                  ll(run.steps), ll(c), ll(left));
  }
  return Status::ok;
}

// Draws of all chains are one array: they must have the same parameters, and it must be possible.
Status check_same_parameters(const Run &run, Error *e) {
  const int64_t count = unwrap(run.chains[0])->chain->state.net.param_count();
  for (int64_t c = 1; c < run.chain_count; ++c) {
    const int64_t found = unwrap(run.chains[c])->chain->state.net.param_count();
    if (found != count)
      return fail(e, Status::bad_shape, "chains: chain %lld has %lld parameters, chain 0 has %lld",
                  ll(c), ll(found), ll(count));
  }
  return need_draws(run.steps / run.thin, count, run.chain_count, "count", e);
}

// The pool works on chains: within a chain the rows are left to its thread.
void run_side_by_side(Run &run) {
  Pool *pool = unwrap(run.chains[0])->chain->state.pool;
  for (int64_t c = 0; c < run.chain_count; ++c) {
    ChainObject &object = *unwrap(run.chains[c]);
    object.pool = object.chain->state.pool;
    object.chain->state.pool = nullptr;
  }
  pool_run(pool, run.chain_count, run_one, &run, report_others);
  for (int64_t c = 0; c < run.chain_count; ++c)
    unwrap(run.chains[c])->chain->state.pool = unwrap(run.chains[c])->pool;
  report_rest(run);
}

Status run_chains(Run run, Error *e) {
  NNP_TRY(check_chains(run, e));
  if (run.draws) NNP_TRY(check_same_parameters(run, e));
  NNP_TRY(check_warmup(run, e));
  run.began = now();
  run.caller = std::this_thread::get_id();
  for (int64_t c = 0; c < run.chain_count; ++c) {
    unwrap(run.chains[c])->done = unwrap(run.chains[c])->reported = 0;
    unwrap(run.chains[c])->status = Status::ok;
  }
  if (run.chain_count == 1)
    run_one(&run, 0);
  else
    run_side_by_side(run);
  for (int64_t c = 0; c < run.chain_count; ++c) {
    const ChainObject &object = *unwrap(run.chains[c]);
    if (object.status == Status::ok || object.status == Status::stopped) continue;
    *e = object.error;
    return object.status;
  }
  if (run.stop) return fail(e, Status::stopped, "callback: it asked to stop");
  return Status::ok;
}

Status check_draws(const double *draws, int64_t count, int64_t thin, Error *e) {
  NNP_TRY(need(draws, "draws", e));
  NNP_TRY(need_size(count, 1, max_size, "count", e));
  return need_index(thin, 1, 1 << 20, "thin", e);
}

}  // namespace

int32_t nnp_throttled(const nnp_progress *progress, void *throttle) {
  nnp_throttle &t = *static_cast<nnp_throttle *>(throttle);
  if (progress->seconds < t.next) return 0;
  t.next = progress->seconds + t.seconds;
  return t.callback(progress, t.user);
}

int32_t nnp_chain_run(nnp_chain *chain, int64_t steps, nnp_callback callback, void *user,
                      nnp_error *err) {
  return nnp_chains_run(&chain, 1, steps, callback, user, err);
}

int32_t nnp_chain_sample(nnp_chain *chain, double *draws, int64_t count, int64_t thin,
                         nnp_callback callback, void *user, nnp_error *err) {
  return nnp_chains_sample(&chain, 1, draws, count, thin, callback, user, err);
}

int32_t nnp_chains_run(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                       nnp_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_size(steps, 0, INT64_MAX, "steps", e));
    return run_chains({chains, chain_count, steps, 1, nullptr, callback, user, 0, {}, 0}, e);
  });
}

int32_t nnp_chains_sample(nnp_chain *const *chains, int64_t chain_count, double *draws,
                          int64_t count, int64_t thin, nnp_callback callback, void *user,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_draws(draws, count, thin, e));
    return run_chains({chains, chain_count, count * thin, thin, draws, callback, user, 0, {}, 0},
                      e);
  });
}
