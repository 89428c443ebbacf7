// Runs chains: a single one, or several side by side.
#include <algorithm>
#include <cmath>

#include "capi/families.hpp"
#include "capi/keep.hpp"
#include "lib/base/clock.hpp"
#include "lib/sampler/save.hpp"
#include "lib/study/outlook.hpp"

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
  KeeperObject *keeper = nullptr;  // receives draws instead of that array

  bool keeps_draws() const { return draws || keeper; }
};

Lane &lane_of(void *context, int64_t index) {
  return unwrap(static_cast<Run *>(context)->chains[index])->lane;
}

// `chain` is null while another thread works on it, and must not be accessed.
int32_t report(const Run &run, int64_t index, nnp_chain *chain) {
  ChainObject &object = *unwrap(run.chains[index]);
  object.reported = object.lane.steps_done();
  const nnp_progress progress = {chain, index, object.reported, run.steps,
                                 seconds_now() - run.began};
  return run.callback(&progress, run.user);
}

// While the caller's thread waits for chains on other threads, it reports their progress.
int32_t report_progress(void *context, int64_t index) {
  const Run &run = *static_cast<const Run *>(context);
  if (index >= 0) return report(run, index, run.chains[index]);
  int32_t stop = 0;
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (unwrap(run.chains[c])->lane.steps_done() < run.steps) stop |= report(run, c, nullptr);
  return stop;
}

// Reports, when all is done, on chains whose last steps have not been reported; not 0: stop.
int32_t report_rest(const Run &run) {
  int32_t stop = 0;
  for (int64_t c = 0; c < run.chain_count && run.callback; ++c) {
    const ChainObject &object = *unwrap(run.chains[c]);
    if (object.reported < object.lane.done) stop |= report(run, c, run.chains[c]);
  }
  return stop;
}

Status store_draw(void *context, int64_t index, Error *e) {
  const Run &run = *static_cast<const Run *>(context);
  const ChainObject &object = *unwrap(run.chains[index]);
  if (object.lane.done % run.thin != 0) return Status::ok;
  if (run.keeper) return keep_draw(*run.keeper, index, *object.chain, e);
  const State &state = object.chain->state;
  const int64_t count = state.net.param_count(), draws = run.steps / run.thin;
  const int64_t draw = object.lane.done / run.thin - 1;
  std::memcpy(run.draws + (index * draws + draw) * count, state.params,
              static_cast<size_t>(count) * sizeof(double));
  return Status::ok;
}

// Over ranks: sends what a chain has produced besides its state, from the rank that ran it.
Status share_draws(void *context, int64_t index, Carrier &carrier, Error *e) {
  const Run &run = *static_cast<const Run *>(context);
  if (run.keeper) return keeper_share(*run.keeper->keeper, index, carrier, e);
  const ChainObject &object = *unwrap(run.chains[index]);
  const int64_t count = object.chain->state.net.param_count(), draws = run.steps / run.thin;
  const int64_t made = object.lane.done / run.thin;
  return carrier.bring(run.draws + index * draws * count,
                       static_cast<size_t>(made * count) * sizeof(double), e);
}

// Rows over ranks: if one rank has to prepare, all of them do.
Status prepare_together(const Run &run, Error *e) {
  Rows *rows = unwrap(run.chains[0])->chain->state.rows();
  uint64_t any = 0;
  for (int64_t c = 0; c < run.chain_count && rows; ++c) {
    Chain &chain = *unwrap(run.chains[c])->chain;
    NNP_TRY(rows_union(rows, !chain.prepared, &any, e));
    if (any) chain.prepared = false;
  }
  return Status::ok;
}

// Adds how values of rows are computed, and of which rows. If rows are spread over ranks, each has
// its own.
void add_rows(const Keeper &keeper, const Kept &kept, CommonChains &common) {
  if (!kept.plan.data || kept.plan.data->rows) return;
  uint64_t &data = common.common.data;
  data = hash_value(data, data_fingerprint(*kept.plan.data, keeper.net));
  common.with(kept.width);
  if (const Predictor *how = kept.plan.how)
    common.with(how->seed).with(how->passes).with(how->noise).with(how->classical);
}

// Adds what is kept, which must be the same on every rank.
void add_keeper(const KeeperObject &object, CommonChains &common) {
  const Keeper &keeper = *object.keeper;
  common.with(keeper.count).with(keeper.chains);
  for (int64_t i = 0; i < keeper.count; ++i) {
    const Kept &kept = keeper.kept[i];
    common.with(kept.plan.what).with(kept.plan.moments);
    add_rows(keeper, kept, common);
    common.with(kept.values != nullptr).with(object.files[i] != nullptr);
    for (int64_t c = 0; c < keeper.chains; ++c) common.with(kept.stored[c]);
  }
}

// Checks that all ranks mean this call. `local` is what this rank has found wrong with it.
Status agree(const Run &run, RankCall call, Status local, Error *e) {
  const Comm &comm = meeting_comm(*unwrap(run.chains[0])->chain);
  if (comm.alone()) return local;
  CommonChains common(comm);
  for (int64_t c = 0; c < run.chain_count; ++c) common.add(*unwrap(run.chains[c])->chain, true);
  common.with(call).with(run.chain_count).with(run.steps).with(run.thin);
  common.with(run.draws != nullptr);
  if (run.keeper) add_keeper(*run.keeper, common);
  NNP_TRY(comm_agree(comm, common.common, local, e));
  return prepare_together(run, e);
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

Status check_chains(const Run &run, Error *e) {
  NNP_TRY(need_chains(run, e));
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (!unwrap(run.chains[c])->chain->started)
      return fail(e, Status::not_started,
                  "chain %lld: it has no start yet, expected nnp_chain_start first", ll(c));
  return check_distinct(run, e);
}

// Rows over ranks: ranks communicate through the rows of the first chain.
Status check_rows(const Run &run, Error *e) {
  const Rows *rows = unwrap(run.chains[0])->chain->state.rows();
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (unwrap(run.chains[c])->chain->state.rows() != rows)
      return fail(e, Status::unsupported,
                  "chains: the rows of chain %lld are not those of chain 0, expected one data set "
                  "if rows are spread over ranks",
                  ll(c));
  return Status::ok;
}

// Adaptation must be over before draws are kept, and a plain run must not end in the middle of it.
Status check_warmup(const Run &run, Error *e) {
  for (int64_t c = 0; c < run.chain_count && run.steps > 0; ++c) {
    const int64_t left = chain_warmup_left(*unwrap(run.chains[c])->chain);
    if (run.keeps_draws() && left > 0)
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

// Draws of all chains form one array: chains must have equally many parameters, and the size must
// be possible.
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

// Steps of a chain that is still annealing give no draws and do not count towards them.
void begin(Run &run) {
  run.began = seconds_now();
  if (run.callback == nnp_throttled) static_cast<nnp_throttle *>(run.user)->next = 0;
  for (int64_t c = 0; c < run.chain_count; ++c) {
    ChainObject &object = *unwrap(run.chains[c]);
    object.reported = 0;
    object.lane = Lane{};
    object.lane.chain = object.chain;
    object.lane.goal = run.steps;
    object.lane.counted_from = run.keeps_draws() ? object.chain->annealing.steps : 0;
  }
}

RunHooks hooks_of(Run &run) {
  RunHooks hooks;
  hooks.lane = lane_of;
  hooks.stepped = run.keeps_draws() ? store_draw : nullptr;
  hooks.progress = run.callback ? report_progress : nullptr;
  hooks.context = &run;
  hooks.comm = &unwrap(run.chains[0])->chain->comm;
  hooks.share = run.keeps_draws() ? share_draws : nullptr;
  return hooks;
}

// True for a failure after which chains cannot be accessed.
bool is_lost(Status status) {
  return status == Status::thread_failed || status == Status::comm_failed ||
         status == Status::ranks_disagree;
}

// Sets *stop if a caller, here or on another rank, has asked to stop, or does so in the remaining
// reports.
Status ask_to_stop(const Run &run, RunEnd end, bool *stop, Error *e) {
  uint64_t any = report_rest(run) != 0 || end == RunEnd::stopped;
  NNP_TRY(comm_union(meeting_comm(*unwrap(run.chains[0])->chain), any, &any, e));
  *stop = any != 0;
  return Status::ok;
}

// Refuses this rank's arguments; other ranks, if any, are told.
Status refuse(const Run &run, Status given, Error *e) {
  if (need_chains(run, nullptr) != Status::ok) return given;
  return refuse(meeting_comm(*unwrap(run.chains[0])->chain), given, e);
}

template <class Hold>
Status check_run(const Run &run, Hold &hold, KeeperHold &keeper, Error *e) {
  NNP_TRY(check_chains(run, e));
  NNP_TRY(check_rows(run, e));
  NNP_TRY(check_throttle(run.callback, run.user, e));
  NNP_TRY(hold.take(e));
  NNP_TRY(keeper.take(e));
  if (run.draws) NNP_TRY(check_same_parameters(run, e));
  if (run.keeper)
    NNP_TRY(check_keeper(*run.keeper, run.chains, run.chain_count, run.steps / run.thin, e));
  return check_warmup(run, e);
}

// Sets the number of draws of each chain, wherever the run ended.
void count_draws(const Run &run) {
  for (int64_t c = 0; c < run.chain_count && run.draws; ++c) {
    ChainObject &object = *unwrap(run.chains[c]);
    object.kept = object.lane.done / run.thin;
  }
}

// `given` is the result of checking the arguments.
Status run_chains(Run run, Status given, Error *e) {
  if (given != Status::ok) return refuse(run, given, e);
  NNP_TRY(need_chains(run, e));
  ChainHold hold(run.chain_count,
                 [&](int64_t c) -> Chain & { return *unwrap(run.chains[c])->chain; });
  KeeperHold keeper(run.keeper);
  NNP_TRY(agree(run, RankCall::run, check_run(run, hold, keeper, e), e));
  begin(run);
  if (run.keeper) begin_keeping(*run.keeper, run.chains);
  RunEnd end = RunEnd::complete;
  const Status status = run_lanes(run.chain_count, hooks_of(run), &end, e);
  count_draws(run);
  if (is_lost(status)) return status;
  bool stop = false;
  NNP_TRY(ask_to_stop(run, end, &stop, e));
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

// True if the chain takes part. When chains start, those that cannot descend stay where they are.
bool descends(const ChainObject &object) {
  return object.lane.counted_from < 0;
}

// A run of descents, and which of them this rank makes: all of them if it checks the others.
struct Descents {
  const Run &run;
  const Comm &comm;
  bool cooling;
  Portion mine;

  Descents(const Run &made, bool cool)
      : run(made), comm(unwrap(made.chains[0])->chain->comm), cooling(cool) {
    mine =
        comm.checked ? Portion{0, run.chain_count} : portion_of(comm, comm.rank, run.chain_count);
  }
  bool has(int64_t c) const { return mine.has(c) && descends(*unwrap(run.chains[c])); }
};

// Begins those of this rank; *failed is the number of the first that cannot go up.
Status begin_mine(const Descents &d, int64_t *failed, Error *e) {
  for (int64_t c = d.mine.first; c < d.mine.last; ++c) {
    if (!d.has(c)) continue;
    const ChainObject &object = *unwrap(d.run.chains[c]);
    const Status status = descent_begin(object.chain->state, *object.descent, d.cooling, e);
    *failed = c;
    if (status != Status::ok) return status;
  }
  *failed = d.run.chain_count;
  return Status::ok;
}

// Tells all ranks the first chain that cannot go up.
Status find_first(const Descents &d, int64_t *failed, Error *e) {
  int64_t first = d.run.chain_count;
  for (int32_t r = 0; r < d.comm.size; ++r) {
    int64_t theirs = *failed;
    if (!d.comm.alone()) NNP_TRY(comm_tell(d.comm, &theirs, sizeof theirs, r, e));
    first = std::min(first, theirs);
  }
  *failed = first;
  return Status::ok;
}

// Begins all of them or none: no chain is changed before every one of them can go up.
Status begin_descents(const Descents &d, Error *e) {
  int64_t failed = 0;
  const Status local = begin_mine(d, &failed, e);
  const int64_t reached = std::min(failed, d.mine.last - 1);
  const Status status = comm_agree(d.comm, Common{}, local, e);
  if (is_lost(status)) return status;
  if (status != Status::ok) {
    NNP_TRY(find_first(d, &failed, e));
    // a start that overflows does not count
    if (d.cooling) unwrap(d.run.chains[failed])->chain->started = false;
    for (int64_t c = d.mine.first; c <= reached; ++c)
      if (d.has(c)) descent_give_up(*unwrap(d.run.chains[c])->descent);
    return status;
  }
  // From here on they are at step 0.
  for (int64_t c = 0; c < d.run.chain_count; ++c) {
    const ChainObject &object = *unwrap(d.run.chains[c]);
    if (!descends(object)) continue;
    object.chain->annealing = Annealing{};
    NNP_TRY(chain_started(*object.chain, e));
  }
  return Status::ok;
}

Status finish_mine(const Descents &d, bool stopped, Error *e) {
  for (int64_t c = d.mine.first; c < d.mine.last; ++c) {
    if (!d.has(c)) continue;
    ChainObject &object = *unwrap(d.run.chains[c]);
    descent_finish(object.chain->state, *object.descent,
                   stopped ? DescentEnd::stopped : DescentEnd::steps);
    NNP_TRY(chain_started(*object.chain, e));
  }
  return Status::ok;
}

// Over ranks: sends the result of a descent.
Status share_descent(void *context, int64_t index, Carrier &carrier, Error *e) {
  Descended &made = unwrap(static_cast<Run *>(context)->chains[index])->descent->report;
  int64_t end = static_cast<int64_t>(made.end);
  for (double *value : {&made.before, &made.after, &made.slope}) NNP_TRY(carrier.bring(*value, e));
  for (int64_t *value : {&made.steps, &made.evaluations, &end}) NNP_TRY(carrier.bring(*value, e));
  made.end = static_cast<DescentEnd>(end);
  return Status::ok;
}

Status finish_descents(const Descents &d, RunHooks hooks, bool stopped, Error *e) {
  NNP_TRY(comm_agree(d.comm, Common{}, finish_mine(d, stopped, e), e));
  hooks.share = share_descent;
  hooks.share_chains = true;
  return share_lanes(d.run.chain_count, hooks, e);
}

template <class Hold>
Status check_descents(const Run &run, const DescentPlan &plan, Hold &hold, Error *e) {
  NNP_TRY(check_chains(run, e));
  NNP_TRY(check_rows(run, e));
  NNP_TRY(check_throttle(run.callback, run.user, e));
  NNP_TRY(hold.take(e));
  for (int64_t c = 0; c < run.chain_count; ++c)
    if (!plan.cooling || can_descend(run.chains[c])) NNP_TRY(check_descent(run.chains[c], e));
  return Status::ok;
}

Status check_draws(const void *draws, const char *name, int64_t count, int64_t thin, Error *e) {
  NNP_TRY(need(draws, name, e));
  NNP_TRY(need_size(count, 1, max_size, "count", e));
  return need_index(thin, 1, 1 << 20, "thin", e);
}

}  // namespace

Status nnp::descend_chains(nnp_chain *const *chains, int64_t chain_count, const DescentPlan &plan,
                           nnp_callback callback, void *user, Error *e) {
  const int64_t steps = plan.steps > 0 ? plan.steps : default_descent_steps;
  Run run = {chains, chain_count, steps, 1, nullptr, callback, user, 0};
  if (plan.refused != Status::ok) return refuse(run, plan.refused, e);
  NNP_TRY(need_chains(run, e));
  ChainHold hold(chain_count, [&](int64_t c) -> Chain & { return *unwrap(chains[c])->chain; });
  NNP_TRY(agree(run, RankCall::descend, check_descents(run, plan, hold, e), e));
  begin(run);
  for (int64_t c = 0; c < chain_count; ++c) {
    Lane &lane = unwrap(chains[c])->lane;
    const bool takes_part = can_descend(chains[c]);
    lane.counted_from = takes_part ? -1 : 0;
    if (!takes_part) lane.goal = 0;
  }
  const Descents descents(run, plan.cooling);
  NNP_TRY(begin_descents(descents, e));
  RunEnd end = RunEnd::complete;
  RunHooks hooks = hooks_of(run);
  hooks.step = step_descent;
  hooks.share_chains = false;  // until they are finished
  const Status status = run_lanes(chain_count, hooks, &end, e);
  if (is_lost(status)) return status;
  bool stop = false;
  NNP_TRY(ask_to_stop(run, end, &stop, e));
  NNP_TRY(finish_descents(descents, hooks, stop, e));
  return stop ? stopped_by_callback(e) : status;
}

Status nnp::check_throttle(nnp_callback callback, const void *user, Error *err) {
  if (callback != nnp_throttled) return Status::ok;
  if (!user)
    return fail(err, Status::null_argument,
                "user: it is NULL, expected an nnp_throttle if the callback is nnp_throttled");
  if (static_cast<const nnp_throttle *>(user)->callback) return Status::ok;
  return fail(err, Status::null_argument,
              "user: the callback of this nnp_throttle is NULL, expected the function to call");
}

int32_t nnp_outlook_tell(nnp_outlook *outlook, int32_t phase, int64_t done, double seconds,
                         nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(outlook, "outlook", e));
    Phase now = Phase::start;
    NNP_TRY(take(phase, "phase", &now, e));
    const int64_t reached = static_cast<int64_t>(now);
    NNP_TRY(need_index(outlook->phase, 0, reached, "outlook->phase", e));
    NNP_TRY(need_index(done, 0, max_size, "done", e));
    for (int64_t i = 0; i < phase_count; ++i)
      NNP_TRY(need_index(outlook->steps[i], 0, max_size, "outlook->steps", e));
    if (!(seconds >= outlook->began) || !std::isfinite(seconds))
      return fail(e, Status::bad_value, "seconds = %g: expected a finite number of at least %g",
                  seconds, outlook->began);
    Outlook seen;
    std::copy_n(outlook->steps, phase_count, seen.steps);
    std::copy_n(outlook->spent, phase_count, seen.spent);
    seen.phase = std::max<int64_t>(outlook->phase - 1, 0);
    seen.began = outlook->began;
    seen.share = outlook->share;
    look_ahead(seen, reached - 1, done, seconds);
    std::copy_n(seen.spent, phase_count, outlook->spent);
    outlook->phase = seen.phase + 1;
    outlook->began = seen.began;
    outlook->share = seen.share;
    outlook->seconds_left = seen.left;
    return Status::ok;
  });
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
    const Status given = need_size(steps, 0, INT64_MAX, "steps", e);
    return run_chains({chains, chain_count, steps, 1, nullptr, callback, user, 0}, given, e);
  });
}

int32_t nnp_chains_sample(nnp_chain *const *chains, int64_t chain_count, double *draws,
                          int64_t count, int64_t thin, nnp_callback callback, void *user,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Status given = check_draws(draws, "draws", count, thin, e);
    const int64_t steps = given == Status::ok ? count * thin : 0;
    return run_chains({chains, chain_count, steps, thin, draws, callback, user, 0}, given, e);
  });
}

int32_t nnp_chain_draws(const nnp_chain *chain, int64_t *draws, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(chain, "chain", e));
    NNP_TRY(need(draws, "draws", e));
    *draws = unwrap(chain)->kept;
    return Status::ok;
  });
}

int32_t nnp_chains_keep(nnp_chain *const *chains, int64_t chain_count, nnp_keeper *keeper,
                        int64_t count, int64_t thin, nnp_callback callback, void *user,
                        nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Status given = check_draws(keeper, "keeper", count, thin, e);
    Run run = {chains, chain_count, 0, thin, nullptr, callback, user, 0};
    if (given == Status::ok) run.steps = count * thin;
    if (given == Status::ok) run.keeper = unwrap(keeper);
    return run_chains(run, given, e);
  });
}

int32_t nnp_chain_descend(nnp_chain *chain, int64_t steps, nnp_callback callback, void *user,
                          nnp_error *err) {
  return nnp_chains_descend(&chain, 1, steps, callback, user, err);
}

int32_t nnp_chains_descend(nnp_chain *const *chains, int64_t chain_count, int64_t steps,
                           nnp_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Status given = need_size(steps, 0, INT64_MAX, "steps", e);
    return descend_chains(chains, chain_count, {steps, false, given}, callback, user, e);
  });
}

int32_t nnp_chain_descent(const nnp_chain *chain, nnp_descent *out, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_started(chain, e));
    NNP_TRY(need(out, "out", e));
    const Descended &made = unwrap(chain)->descent->report;
    *out = {made.before,      made.after,          made.slope, made.steps,
            made.evaluations, number_of(made.end), 0,          {}};
    return Status::ok;
  });
}

Status nnp::agree_on_start(nnp_chain *const *chains, int64_t chain_count, const StartCall &call,
                           Status local, Error *e) {
  const Comm &comm = meeting_comm(*unwrap(chains[0])->chain);
  if (comm.alone()) return local;
  CommonChains common(comm);
  for (int64_t c = 0; c < chain_count; ++c) common.add(*unwrap(chains[c])->chain, false);
  common.common.start = hash_value(hash_value(common.common.start, call.seed), call.number);
  common.with(RankCall::start).with(chain_count).with(call.how);
  return comm_agree(comm, common.common, local, e);
}

static Status check_starts(const Run &run, Start start, Error *e) {
  NNP_TRY(check_distinct(run, e));
  NNP_TRY(check_throttle(run.callback, run.user, e));
  for (int64_t c = 0; c < run.chain_count; ++c) NNP_TRY(check_start(run.chains[c], start, e));
  return Status::ok;
}

// Every rank starts all chains; only descents are shared. Ranks agree on every start: one that
// refuses its arguments must not leave another waiting in a descent.
int32_t nnp_chains_start(nnp_chain *const *chains, int64_t chain_count, int32_t start,
                         uint64_t seed, nnp_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const Run run = {chains, chain_count, 0, 1, nullptr, callback, user, 0};
    NNP_TRY(need_chains(run, e));
    Start how = Start::zero;
    Status begun = take(start, "start", &how, e);
    if (begun == Status::ok) begun = check_starts(run, how, e);
    if (begun == Status::ok) begun = check_rows(run, e);
    begun = agree_on_start(chains, chain_count, {how, seed, 0}, begun, e);
    if (begun != Status::ok) return begun;
    for (int64_t c = 0; c < chain_count && begun == Status::ok; ++c)
      begun = begin_start(chains[c], how, seed, static_cast<uint64_t>(c), e);
    if (how != Start::fit) return begun;
    return descend_chains(chains, chain_count, {0, true, begun}, callback, user, e);
  });
}
