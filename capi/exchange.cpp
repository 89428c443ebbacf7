// Replica exchange and the evidence, for the C API.
#include "lib/study/exchange.hpp"

#include <limits>

#include "capi/families.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/text.hpp"

namespace nnp {

struct ExchangeObject {
  Exchange *exchange;
};

static ExchangeObject *unwrap(nnp_exchange *exchange) {
  return reinterpret_cast<ExchangeObject *>(exchange);
}
static const ExchangeObject *unwrap(const nnp_exchange *exchange) {
  return reinterpret_cast<const ExchangeObject *>(exchange);
}

}  // namespace nnp

using namespace nnp;

namespace {

// ---- making ----------------------------------------------------------------------------------

bool same_network(const Net &a, const Net &b) {
  return net_fingerprint(a) == net_fingerprint(b);
}

Status check_new(const void *out, const char *name, nnp_chain *const *chains, int64_t count,
                 Error *e) {
  NNP_TRY(need(out, name, e));
  return check_group({chains, count, 2, same_network, "an exchange"}, e);
}

auto layout_for(nnp_exchange **exchange, nnp_chain *const *chains, int64_t count) {
  return [=](Arena &arena) {
    ExchangeObject *object = arena.take<ExchangeObject>(1);
    Chain **members = arena.take<Chain *>(count);
    for (int64_t c = 0; c < count && members; ++c) members[c] = unwrap(chains[c])->chain;
    Exchange *made = exchange_layout(arena, members, count, *unwrap(chains[0])->chain);
    if (!object) return;
    *object = ExchangeObject{made};
    *exchange = reinterpret_cast<nnp_exchange *>(object);
  };
}

// ---- runs ------------------------------------------------------------------------------------

struct WatchedRun {
  Exchange *exchange;
  int64_t sweeps, thin;
  double *draws;  // or null
  nnp_exchange_callback callback;
  void *user;
  double began;
  int64_t done;
};

void store_draw(const WatchedRun &run, int64_t done) {
  const State &state = run.exchange->target().state;
  const int64_t count = state.net.param_count();
  std::memcpy(run.draws + (done / run.thin - 1) * count, state.params,
              static_cast<size_t>(count) * sizeof(double));
}

int32_t swept(void *context, int64_t done) {
  WatchedRun &run = *static_cast<WatchedRun *>(context);
  run.done = done;
  if (run.draws && done % run.thin == 0) store_draw(run, done);
  if (!run.callback) return 0;
  nnp_exchange_progress state = {};
  state.done = done;
  state.sweeps = run.sweeps;
  state.round = run.exchange->round;
  state.restarts = run.exchange->restarts;
  state.seconds = seconds_now() - run.began;
  return run.callback(&state, run.user);
}

ExchangeHooks hooks_of(WatchedRun &run) {
  run.began = seconds_now();
  ExchangeHooks hooks;
  hooks.swept = swept;
  hooks.may_stop = run.callback != nullptr;
  hooks.draws = run.draws ? run.sweeps / run.thin : 0;
  hooks.context = &run;
  return hooks;
}

Status need_free(const nnp_exchange *exchange, Error *e) {
  NNP_TRY(need(exchange, "exchange", e));
  if (!unwrap(exchange)->exchange->running) return Status::ok;
  return fail(e, Status::unsupported, "exchange: it is being run, expected that run to be over");
}

// Adaptation must be over when draws are kept.
Status check_adapted(const Exchange &exchange, Error *e) {
  const int64_t left = chain_warmup_left(exchange.target());
  if (left == 0) return Status::ok;
  return fail(e, Status::bad_value,
              "exchange: %lld steps of the target's warm-up are still to come, expected "
              "nnp_exchange_tune before draws are kept",
              ll(left));
}

Status check_sample(const Exchange &x, const double *draws, int64_t count, int64_t thin, Error *e) {
  NNP_TRY(need(draws, "draws", e));
  NNP_TRY(need_index(thin, 1, 1 << 20, "thin", e));
  NNP_TRY(need_draws(count, x.target().state.net.param_count(), 1, "count", e));
  return check_adapted(x, e);
}

// Over ranks: sends the draws from the rank that has the target to all.
Status share_draws(const WatchedRun &run, Status outcome, Error *e) {
  const Exchange &x = *run.exchange;
  const bool any = run.draws && (outcome == Status::ok || outcome == Status::stopped);
  if (x.comm().alone() || !any) return outcome;
  Carrier carrier = {x.comm(), x.owner(x.replicas - 1)};
  const int64_t values = run.done / run.thin * x.target().state.net.param_count();
  NNP_TRY(carrier.bring(run.draws, static_cast<size_t>(values) * sizeof(double), e));
  NNP_TRY(agree_on_results(carrier, "chain", x.count - 1, e));
  return outcome;
}

Status run_watched(WatchedRun run, Error *e) {
  const ExchangeHooks hooks = hooks_of(run);
  return share_draws(run, exchange_run(*run.exchange, run.sweeps, hooks, e), e);
}

// ---- reports ---------------------------------------------------------------------------------

nnp_exchange_summary summary_of(const Exchange &x) {
  nnp_exchange_summary s = {};
  Evidence evidence;
  evidence.log_evidence = evidence.standard_error = std::numeric_limits<double>::quiet_NaN();
  if (x.sweeps > 1) evidence = exchange_evidence(x);
  s.chains = x.count;
  s.replicas = x.replicas;
  s.wanted = exchange_wanted(x);
  s.sweeps = x.sweeps;
  s.restarts = x.restarts;
  s.round_trips = x.round_trips;
  s.expected_restarts = exchange_expected_restarts(x);
  s.barrier = exchange_barrier(x);
  s.least_swaps = exchange_least_swaps(x);
  s.mean_swaps = exchange_mean_swaps(x);
  s.log_evidence = evidence.log_evidence;
  s.evidence_error = evidence.standard_error;
  s.verdict = number_of(exchange_verdict(x));
  s.tuned = x.tuned;
  return s;
}

const char *advice_of(int32_t verdict) {
  switch (verdict) {
    case NNP_EXCHANGE_MIXES:
      return "enough to trust the run; a second exchange from another start that agrees is "
             "stronger evidence";
    case NNP_EXCHANGE_MORE_REPLICAS:
      return "too few, and some neighbours hardly ever swap: more replicas, or tune longer";
    case NNP_EXCHANGE_SLOW:
      return "far fewer than the swaps would allow: chains forget slowly, use more steps between "
             "swaps, or another sampler";
    default:
      return "too few to trust the run: run longer";
  }
}

Status check_ladder(const nnp_exchange *exchange, const double *powers, int64_t count, Error *e) {
  NNP_TRY(need_free(exchange, e));
  NNP_TRY(need(powers, "powers", e));
  return exchange_set_ladder(*unwrap(const_cast<nnp_exchange *>(exchange))->exchange, powers, count,
                             e);
}

}  // namespace

int32_t nnp_exchange_create(nnp_exchange **exchange, nnp_chain *const *chains, int64_t chain_count,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(exchange, "exchange", chains, chain_count, e));
    return build_on_heap(layout_for(exchange, chains, chain_count), e);
  });
}

void nnp_exchange_free(nnp_exchange *exchange) {
  nnp::free_block(exchange);
}

int32_t nnp_exchange_bytes(nnp_chain *const *chains, int64_t chain_count, size_t *bytes,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(bytes, "bytes", chains, chain_count, e));
    return count_bytes(layout_for(nullptr, chains, chain_count), bytes, e);
  });
}

int32_t nnp_exchange_init(nnp_exchange **exchange, void *memory, size_t bytes,
                          nnp_chain *const *chains, int64_t chain_count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new(exchange, "exchange", chains, chain_count, e));
    return build_in(memory, bytes, layout_for(exchange, chains, chain_count), e);
  });
}

int32_t nnp_exchange_set(nnp_exchange *exchange, int32_t option, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    ExchangeOption which = ExchangeOption::replicas;
    NNP_TRY(take(option, "option", &which, e));
    return exchange_set(*unwrap(exchange)->exchange, which, value, e);
  });
}

int32_t nnp_exchange_get(const nnp_exchange *exchange, int32_t option, double *value,
                         nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    ExchangeOption which = ExchangeOption::replicas;
    NNP_TRY(take(option, "option", &which, e));
    NNP_TRY(need(value, "value", e));
    *value = unwrap(exchange)->exchange->option(which);
    return Status::ok;
  });
}

int32_t nnp_exchange_set_ladder(nnp_exchange *exchange, const double *powers, int64_t count,
                                nnp_error *err) {
  return guarded(err, [&](Error *e) { return check_ladder(exchange, powers, count, e); });
}

int32_t nnp_exchange_start(nnp_exchange *exchange, int32_t from, uint64_t seed, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    ExchangeStart where = ExchangeStart::prior;
    NNP_TRY(take(from, "from", &where, e));
    return exchange_start(*unwrap(exchange)->exchange, where, seed, e);
  });
}

int32_t nnp_exchange_tune(nnp_exchange *exchange, nnp_exchange_callback callback, void *user,
                          nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    Exchange &x = *unwrap(exchange)->exchange;
    WatchedRun run = {&x, exchange_tuning_sweeps(x), 1, nullptr, callback, user, 0, 0};
    const ExchangeHooks hooks = hooks_of(run);
    return exchange_tune(x, hooks, e);
  });
}

int32_t nnp_exchange_run(nnp_exchange *exchange, int64_t sweeps, nnp_exchange_callback callback,
                         void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    NNP_TRY(
        refuse(unwrap(exchange)->exchange->comm(), need_size(sweeps, 0, max_size, "sweeps", e), e));
    return run_watched({unwrap(exchange)->exchange, sweeps, 1, nullptr, callback, user, 0, 0}, e);
  });
}

int32_t nnp_exchange_sample(nnp_exchange *exchange, double *draws, int64_t count, int64_t thin,
                            nnp_exchange_callback callback, void *user, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    Exchange &x = *unwrap(exchange)->exchange;
    NNP_TRY(refuse(x.comm(), check_sample(x, draws, count, thin, e), e));
    return run_watched({&x, count * thin, thin, draws, callback, user, 0, 0}, e);
  });
}

int32_t nnp_exchange_record(nnp_exchange *exchange, int32_t *levels, int64_t capacity,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    NNP_TRY(need_size(capacity, levels ? 1 : 0, max_size, "capacity", e));
    unwrap(exchange)->exchange->record = {levels, levels ? capacity : 0, 0};
    return Status::ok;
  });
}

int32_t nnp_exchange_recorded(const nnp_exchange *exchange, int64_t *sweeps, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    NNP_TRY(need(sweeps, "sweeps", e));
    *sweeps = unwrap(exchange)->exchange->record.sweeps;
    return Status::ok;
  });
}

int32_t nnp_exchange_report(const nnp_exchange *exchange, nnp_exchange_summary *out,
                            nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    NNP_TRY(need(out, "out", e));
    *out = summary_of(*unwrap(exchange)->exchange);
    return Status::ok;
  });
}

int32_t nnp_exchange_text(const nnp_exchange *exchange, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    NNP_TRY(need(buffer, "buffer", e));
    const nnp_exchange_summary s = summary_of(*unwrap(exchange)->exchange);
    Text text = {buffer, size, 0};
    text.add("%lld replicas over a barrier of Lambda = %.3g", ll(s.replicas), s.barrier);
    if (s.wanted > s.replicas) text.add(" (%lld would be best for it)", ll(s.wanted));
    if (s.sweeps < 2) {
      text.add("; no sweeps have been made since, run it\n");
      return text.finish(e);
    }
    text.add("; neighbours swap with probability %.2g on average, %.2g at least.\n", s.mean_swaps,
             s.least_swaps);
    text.add(
        "%lld sweeps, %lld restarts arrived (%.3g if chains forgot all between swaps), %lld "
        "round trips: %s.\n",
        ll(s.sweeps), ll(s.restarts), s.expected_restarts, ll(s.round_trips), advice_of(s.verdict));
    text.add("log evidence %.6g, standard error %.2g.\n", s.log_evidence, s.evidence_error);
    return text.finish(e);
  });
}

int32_t nnp_exchange_level(const nnp_exchange *exchange, int64_t level, nnp_exchange_rung *out,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    NNP_TRY(need(out, "out", e));
    const Exchange &x = *unwrap(exchange)->exchange;
    NNP_TRY(need_index(level, 0, x.replicas - 1, "level", e));
    *out = {};
    out->power = x.powers[level];
    out->swaps = level < x.replicas - 1 ? exchange_acceptance(x, level)
                                        : std::numeric_limits<double>::quiet_NaN();
    out->barrier = exchange_barrier(x, level);
    return Status::ok;
  });
}

int32_t nnp_exchange_save_bytes(const nnp_exchange *exchange, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(exchange, "exchange", e));
    NNP_TRY(need(bytes, "bytes", e));
    *bytes = exchange_save_size(*unwrap(exchange)->exchange);
    return Status::ok;
  });
}

int32_t nnp_exchange_save(const nnp_exchange *exchange, void *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    NNP_TRY(need(buffer, "buffer", e));
    const Exchange &x = *unwrap(exchange)->exchange;
    if (!x.started)
      return fail(e, Status::not_started,
                  "exchange: it has no start yet, expected nnp_exchange_start first");
    const size_t needed = exchange_save_size(x);
    if (size < needed)
      return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed);
    return exchange_save(x, buffer, e);
  });
}

int32_t nnp_exchange_restore(nnp_exchange *exchange, const void *buffer, size_t size,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(exchange, e));
    NNP_TRY(need(buffer, "buffer", e));
    return exchange_restore(*unwrap(exchange)->exchange, buffer, size, e);
  });
}
