// Running chains: one by itself, or several side by side.
#include "capi/common.hpp"
#include "lib/base/clock.hpp"

using namespace nnp;

namespace {

struct Run {
  nnp_chain *const *chains;
  int64_t chain_count;
  int64_t steps;  // of each chain
  int64_t thin;   // steps per draw
  double *draws;  // [parameter, draw, chain], or null
  nnp_callback callback;
  void *user;
  double began;
};

Lane &lane_of(void *context, int64_t index) {
  return unwrap(static_cast<Run *>(context)->chains[index])->lane;
}

// `chain` is null while another thread works on it: it must not be looked into then.
int32_t report(const Run &run, int64_t index, nnp_chain *chain) {
  ChainObject &object = *unwrap(run.chains[index]);
  object.reported = object.lane.steps_done();
  const nnp_progress progress = {chain, index, object.reported, run.steps,
                                 seconds_now() - run.began};
  return run.callback(&progress, run.user);
}

// While the caller waits for chains on other threads, it reports on them.
int32_t report_progress(void *context, int64_t index) {
  const Run &run = *static_cast<const Run *>(context);
  if (index >= 0) return report(run, index, run.chains[index]);
  int32_t stop = 0;
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (unwrap(run.chains[c])->lane.steps_done() < run.steps) stop |= report(run, c, nullptr);
  return stop;
}

// When all is done, about chains whose last steps nobody was told of; not 0: stop.
int32_t report_rest(const Run &run) {
  int32_t stop = 0;
  for (int64_t c = 0; c < run.chain_count && run.callback; ++c) {
    const ChainObject &object = *unwrap(run.chains[c]);
    if (object.reported < object.lane.done) stop |= report(run, c, run.chains[c]);
  }
  return stop;
}

Status store_draw(void *context, int64_t index, Error *) {
  const Run &run = *static_cast<const Run *>(context);
  const ChainObject &object = *unwrap(run.chains[index]);
  if (object.lane.done % run.thin != 0) return Status::ok;
  const State &state = object.chain->state;
  const int64_t count = state.net.param_count(), draws = run.steps / run.thin;
  const int64_t draw = object.lane.done / run.thin - 1;
  std::memcpy(run.draws + (index * draws + draw) * count, state.params,
              static_cast<size_t>(count) * sizeof(double));
  return Status::ok;
}

Status need_chains(const Run &run, Error *e) {
  NNP_TRY(need(run.chains, "chains", e));
  NNP_TRY(need_index(run.chain_count, 1, 1 << 20, "chain_count", e));
  for (int64_t c = 0; c < run.chain_count; ++c)
    NNP_TRY(need(run.chains[c], run.chain_count == 1 ? "chain" : "chains: an entry", e));
  return Status::ok;
}

Status check_distinct(const Run &run, Error *e) {
  for (int64_t c = 0; c < run.chain_count; ++c) NNP_TRY(need_new_chain(run.chains, c, e));
  return Status::ok;
}

Status check_entries(const Run &run, Error *e) {
  NNP_TRY(need_chains(run, e));
  return check_distinct(run, e);
}

Status check_chains(const Run &run, Error *e) {
  NNP_TRY(need_chains(run, e));
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (!unwrap(run.chains[c])->chain->started)
      return fail(e, Status::not_started,
                  "chain %lld: it has no start yet, expected nnp_chain_start first", ll(c));
  return check_distinct(run, e);
}

// Who a throttle calls must be known before the first step.
Status check_callback(const Run &run, Error *e) {
  if (run.callback != nnp_throttled) return Status::ok;
  if (!run.user)
    return fail(e, Status::null_argument,
                "user: it is NULL, expected an nnp_throttle where the callback is nnp_throttled");
  if (static_cast<const nnp_throttle *>(run.user)->callback) return Status::ok;
  return fail(e, Status::null_argument,
              "user: the callback of this nnp_throttle is NULL, expected the function to call");
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

// Steps of a chain that still anneals give no draws and do not count towards them.
void begin(Run &run) {
  run.began = seconds_now();
  for (int64_t c = 0; c < run.chain_count; ++c) {
    ChainObject &object = *unwrap(run.chains[c]);
    object.reported = 0;
    object.lane = Lane{};
    object.lane.chain = object.chain;
    object.lane.goal = run.steps;
    object.lane.counted_from = run.draws ? object.chain->annealing.steps : 0;
  }
}

RunHooks hooks_of(Run &run) {
  RunHooks hooks;
  hooks.lane = lane_of;
  hooks.stepped = run.draws ? store_draw : nullptr;
  hooks.progress = run.callback ? report_progress : nullptr;
  hooks.context = &run;
  return hooks;
}

Status run_chains(Run run, Error *e) {
  NNP_TRY(check_chains(run, e));
  NNP_TRY(check_callback(run, e));
  ChainHold hold(run.chain_count,
                 [&](int64_t c) -> Chain & { return *unwrap(run.chains[c])->chain; });
  NNP_TRY(hold.take(e));
  if (run.draws) NNP_TRY(check_same_parameters(run, e));
  NNP_TRY(check_warmup(run, e));
  begin(run);
  RunEnd end = RunEnd::complete;
  const Status status = run_lanes(run.chain_count, hooks_of(run), &end, e);
  if (status == Status::thread_failed) return status;
  const bool stop = report_rest(run) != 0 || end == RunEnd::stopped;
  return status == Status::ok && stop ? stopped_by_callback(e) : status;
}

// ---- descents --------------------------------------------------------------------------------

Status step_descent(void *context, int64_t index, bool *over, Error *) {
  ChainObject &object = *unwrap(static_cast<Run *>(context)->chains[index]);
  *over = !descent_step(object.chain->state, *object.descent);
  return Status::ok;
}

Status check_descent(const nnp_chain *chain, Error *e) {
  Chain &inner = *unwrap(chain)->chain;
  NNP_TRY(descent_check(inner.state.net, e));
  NNP_TRY(engine_check(inner.state, e));
  if (chain_annealing_left(inner) == 0) return chain_check_data(inner, e);
  return fail(e, Status::unsupported,
              "chain: %lld steps of its annealing are left, expected to descend before "
              "nnp_chain_anneal",
              ll(chain_annealing_left(inner)));
}

// Does the chain take part? Among chains that start, those that cannot descend stay where they are.
bool descends(const ChainObject &object) {
  return object.lane.counted_from < 0;
}

// All of them or none: no chain is touched before every one of them has a way up.
Status begin_descents(const Run &run, bool cooling, Error *e) {
  for (int64_t c = 0; c < run.chain_count; ++c) {
    const ChainObject &object = *unwrap(run.chains[c]);
    if (!descends(object)) continue;
    const Status status = descent_begin(object.chain->state, *object.descent, cooling, e);
    if (status == Status::ok) continue;
    if (cooling) object.chain->started = false;  // a start that overflows is none
    for (int64_t i = 0; i <= c; ++i)
      if (descends(*unwrap(run.chains[i]))) descent_give_up(*unwrap(run.chains[i])->descent);
    return status;
  }
  // They stand at step 0 from here on.
  for (int64_t c = 0; c < run.chain_count; ++c) {
    const ChainObject &object = *unwrap(run.chains[c]);
    if (!descends(object)) continue;
    object.chain->annealing = Annealing{};
    NNP_TRY(chain_started(*object.chain, e));
  }
  return Status::ok;
}

Status finish_descents(const Run &run, bool stopped, Error *e) {
  for (int64_t c = 0; c < run.chain_count; ++c) {
    ChainObject &object = *unwrap(run.chains[c]);
    if (!descends(object)) continue;
    descent_finish(object.chain->state, *object.descent,
                   stopped ? DescentEnd::stopped : DescentEnd::steps);
    NNP_TRY(chain_started(*object.chain, e));
  }
  return Status::ok;
}

Status check_draws(const double *draws, int64_t count, int64_t thin, Error *e) {
  NNP_TRY(need(draws, "draws", e));
  NNP_TRY(need_size(count, 1, max_size, "count", e));
  return need_index(thin, 1, 1 << 20, "thin", e);
}

}  // namespace

Status nnp::descend_chains(nnp_chain *const *chains, int64_t chain_count, const DescentPlan &plan,
                           nnp_callback callback, void *user, Error *e) {
  const int64_t steps = plan.steps > 0 ? plan.steps : default_descent_steps;
  Run run = {chains, chain_count, steps, 1, nullptr, callback, user, 0};
  NNP_TRY(check_chains(run, e));
  NNP_TRY(check_callback(run, e));
  ChainHold hold(chain_count, [&](int64_t c) -> Chain & { return *unwrap(chains[c])->chain; });
  NNP_TRY(hold.take(e));
  for (int64_t c = 0; c < chain_count; ++c)
    if (!plan.cooling || can_descend(chains[c])) NNP_TRY(check_descent(chains[c], e));
  begin(run);
  for (int64_t c = 0; c < chain_count; ++c) {
    Lane &lane = unwrap(chains[c])->lane;
    const bool takes_part = can_descend(chains[c]);
    lane.counted_from = takes_part ? -1 : 0;
    if (!takes_part) lane.goal = 0;
  }
  NNP_TRY(begin_descents(run, plan.cooling, e));
  RunEnd end = RunEnd::complete;
  RunHooks hooks = hooks_of(run);
  hooks.step = step_descent;
  const Status status = run_lanes(chain_count, hooks, &end, e);
  if (status == Status::thread_failed) return status;
  const bool stop = report_rest(run) != 0 || end == RunEnd::stopped;
  NNP_TRY(finish_descents(run, stop, e));
  return stop ? stopped_by_callback(e) : status;
}

int32_t nnp_throttled(const nnp_progress *progress, void *throttle) {
  if (!progress || !throttle || !static_cast<nnp_throttle *>(throttle)->callback) return 0;
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
    return run_chains({chains, chain_count, steps, 1, nullptr, callback, user, 0}, e);
  });
}

int32_t nnp_chains_sample(nnp_chain *const *chains, int64_t chain_count, double *draws,
                          int64_t count, int64_t thin, nnp_callback callback, void *user,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_draws(draws, count, thin, e));
    return run_chains({chains, chain_count, count * thin, thin, draws, callback, user, 0}, e);
  });
}

int32_t nnp_chain_descend(nnp_chain *chain, int64_t steps, nnp_callback callback, void *user,
                          nnp_error *err) {
  return nnp_chains_descend(&chain, 1, steps, callback, user, err);
}

int32_t nnp_chains_descend(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                           nnp_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_size(steps, 0, INT64_MAX, "steps", e));
    return descend_chains(chains, chain_count, {steps, false}, callback, user, e);
  });
}

int32_t nnp_chain_descent(const nnp_chain *chain, nnp_descent *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(out, "out", e));
    const Descended &made = unwrap(chain)->descent->report;
    *out = {made.before,
            made.after,
            made.slope,
            made.steps,
            made.evaluations,
            static_cast<int32_t>(made.end),
            0,
            {}};
    return Status::ok;
  });
}

int32_t nnp_chains_start(nnp_chain *const *chains, int64_t chain_count, int32_t start,
                         uint64_t seed, nnp_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Run run = {chains, chain_count, 0, 1, nullptr, callback, user, 0};
    NNP_TRY(check_entries(run, e));
    NNP_TRY(check_callback(run, e));
    for (int64_t c = 0; c < chain_count; ++c) NNP_TRY(check_start(chains[c], start, e));
    for (int64_t c = 0; c < chain_count; ++c)
      NNP_TRY(begin_start(chains[c], start, seed, static_cast<uint64_t>(c), e));
    if (start != NNP_START_FIT) return Status::ok;
    return descend_chains(chains, chain_count, {0, true}, callback, user, e);
  });
}
