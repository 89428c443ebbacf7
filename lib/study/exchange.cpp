#include "lib/study/exchange.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/sampler/path.hpp"
#include "lib/study/exchange_sweep.hpp"
#include "lib/study/ladder.hpp"
#include "lib/study/runner.hpp"
#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

constexpr OptionRow rows[exchange_option_count + 1] = {
    OptionRow{},
    named("replicas").from(0).to(4096).initially(0).whole_numbers(),
    named("rounds").from(0).to(30).initially(6).whole_numbers(),
    named("first_round").from(2).to(1e9).initially(20).whole_numbers(),
    named("steps").from(1).to(1e6).initially(1).whole_numbers(),
};

void clear_counts(Exchange &exchange) {
  for (int64_t l = 0; l < exchange.count; ++l) exchange.pairs[l] = ExchangePair{};
  exchange.sweeps = exchange.restarts = exchange.round_trips = 0;
  exchange.batch_length = 2;  // each pair is tried every second sweep
}

void clear_journeys(Exchange &exchange) {
  for (int64_t l = 0; l < exchange.count; ++l) {
    exchange.replica[l] = l;
    exchange.journeys[l] = Journey::unknown;
  }
}

// ---- a run: temperatures set, one thread per chain ------------------------------------------

void heat_levels(Exchange &exchange) {
  for (int64_t l = 0; l < exchange.replicas; ++l)
    chain_heat(exchange.level(l), l == 0 ? 1 : 1 / exchange.powers[l]);
}

Pool *begin_run(Exchange &exchange) {
  Pool *pool = exchange.chains[0]->state.pool;
  for (int64_t c = 0; c < exchange.count; ++c) {
    exchange.homes[c] = exchange.chains[c]->state.params;
    exchange.pools[c] = exchange.chains[c]->state.pool;
    exchange.chains[c]->state.pool = nullptr;
    exchange.terms[c].failure = Status::ok;
  }
  heat_levels(exchange);
  return pool;
}

int64_t chain_at_home(const Exchange &exchange, const double *home) {
  int64_t c = 0;
  while (exchange.chains[c]->state.params != home) ++c;
  return c;
}

// Gives every chain the memory of its own variables back and moves its variables there: cycle by
// cycle, with the scratch as temporary storage.
void go_home(Exchange &exchange) {
  const size_t bytes = position_bytes(exchange);
  for (int64_t c = 0; c < exchange.count; ++c) {
    Chain &chain = *exchange.chains[c];
    double *away = chain.state.params;
    if (away == exchange.homes[c]) continue;
    // The chain whose variables are in this one's memory receives those that this one gives up.
    Chain &other = *exchange.chains[chain_at_home(exchange, exchange.homes[c])];
    std::memcpy(exchange.scratch, exchange.homes[c], bytes);
    std::memcpy(exchange.homes[c], away, bytes);
    std::memcpy(away, exchange.scratch, bytes);
    chain_exchange(chain, other);
  }
  for (int64_t c = 0; c < exchange.count; ++c) chain_replaced(*exchange.chains[c]);
}

void end_run(Exchange &exchange) {
  go_home(exchange);
  for (int64_t c = 0; c < exchange.count; ++c) {
    chain_heat(*exchange.chains[c], 1);
    exchange.chains[c]->state.pool = exchange.pools[c];
  }
}

// Sets *stop if any rank wants to stop.
Status ask_to_stop(const Exchange &exchange, const ExchangeHooks &hooks, bool *stop, Error *err) {
  uint64_t any = *stop;
  if (hooks.may_stop) {
    const Status status = comm_union(exchange.comm(), *stop ? 1 : 0, &any, err);
    if (status != Status::ok) return status;
  }
  *stop = any != 0;
  return Status::ok;
}

Status sweeps_of(Exchange &exchange, Pool *pool, int64_t sweeps, const ExchangeHooks &hooks,
                 Error *err) {
  for (int64_t s = 0; s < sweeps; ++s) {
    Status status = sweep_levels(exchange, pool, err);
    if (status != Status::ok) return status;
    bool stop = hooks.swept && hooks.swept(hooks.context, s + 1);
    status = ask_to_stop(exchange, hooks, &stop, err);
    if (status != Status::ok || stop) return stop ? stopped_by_callback(err) : status;
  }
  Status status = Status::ok;
  const Portion mine = exchange.mine();
  for (int64_t l = std::max<int64_t>(mine.first, 1); l < mine.last && status == Status::ok; ++l) {
    status = exchange.terms[l].failure;
    if (status == Status::ok)
      status = chain_check_end(exchange.level(l), sweeps, err);
    else if (err)
      *err = exchange.errors[l];
  }
  return comm_agree(exchange.comm(), Common{}, status, err);
}

// Identifies the run that ranks must agree on.
struct ExchangeCall {
  RankCall kind;
  int64_t sweeps;
  int64_t draws = 0;  // that the caller sends to all ranks afterwards
};

// Checks that all ranks are running the same exchange, at the same point.
Status agree(const Exchange &exchange, const ExchangeCall &call, Status local, Error *err) {
  const Comm &comm = exchange.comm();
  if (comm.alone()) return local;
  CommonChains common(comm);
  for (int64_t c = 0; c < exchange.count; ++c) common.add(*exchange.chains[c], true);
  Common &all = common.common;
  all.options = hash_bytes(all.options, exchange.options, sizeof exchange.options);
  all.options = hash_bytes(all.options, exchange.powers,
                           static_cast<size_t>(exchange.replicas) * sizeof(double));
  all.start = hash_value(all.start, exchange.seed);
  all.start = hash_value(all.start, exchange.swept);
  common.with(call.kind).with(call.sweeps).with(call.draws);
  common.with(exchange.count).with(exchange.replicas);
  return comm_agree(comm, all, local, err);
}

Status check_started(const Exchange &exchange, Error *err) {
  bool started = exchange.started;
  for (int64_t c = 0; c < exchange.count; ++c) started = started && exchange.chains[c]->started;
  if (started) return Status::ok;
  return fail(err, Status::not_started,
              "exchange: it has no start yet, expected nnp_exchange_start first");
}

// Sends the chains, which are back in place, to all ranks, whatever the outcome of the run.
Status share_chains(Exchange &exchange, Status outcome, Error *err) {
  if (outcome == Status::comm_failed || outcome == Status::ranks_disagree) return outcome;
  const Status status = share_levels(exchange, outcome == Status::ok ? err : nullptr);
  return outcome == Status::ok ? status : outcome;
}

// Runs body(pool, hooks) with the chains held and the levels' temperatures set.
template <class Body>
Status held_run(Exchange &exchange, const ExchangeCall &call, ExchangeHooks hooks, Error *err,
                Body body) {
  Status status = check_started(exchange, err);
  // Level 0 makes no step, so new labels are checked here.
  for (int64_t c = 0; c < exchange.count && status == Status::ok; ++c)
    status = chain_check_data(*exchange.chains[c], err);
  ChainHold hold(exchange.count, [&](int64_t c) -> Chain & { return *exchange.chains[c]; });
  if (status == Status::ok) status = hold.take(err);
  status = agree(exchange, call, status, err);
  uint64_t any = hooks.may_stop;
  if (status == Status::ok) status = comm_union(exchange.comm(), any, &any, err);
  if (status != Status::ok) return status;
  hooks.may_stop = any != 0;
  exchange.running = 1;
  status = body(begin_run(exchange), hooks);
  end_run(exchange);
  status = share_chains(exchange, status, err);
  exchange.running = 0;
  return status;
}

// ---- starts ----------------------------------------------------------------------------------

// Measures how log q varies at powers 1, 1/4, 1/16, ... over draws from the prior, made by the
// first chain.
void find_pilot(Exchange &exchange) {
  Chain &chain = *exchange.chains[0];
  double powers[pilot_powers], found[pilot_powers];
  for (int64_t i = 0; i < pilot_powers; ++i) powers[i] = fn::exp2(-2 * static_cast<double>(i));
  for (int64_t s = 0; s < pilot_draws; ++s) {
    draw_reference(chain);
    path_of(chain).terms(chain, powers, pilot_powers, found);
    for (int64_t i = 0; i < pilot_powers; ++i) exchange.pilot[i * pilot_draws + s] = found[i];
  }
}

void copy_variables(const Chain &from, Chain &to, size_t bytes) {
  std::memcpy(to.state.params, from.state.params, bytes);
  chain_replaced(to);
}

Status start_chain(Exchange &exchange, ExchangeStart from, int64_t c, Error *err) {
  Chain &chain = *exchange.chains[c];
  if (from == ExchangeStart::prior) draw_reference(chain);
  return chain_started(chain, err);
}

// Sets a new ladder: counts start again; replicas keep their positions unless their number changes.
void take_ladder(Exchange &exchange, int64_t replicas) {
  if (replicas != exchange.replicas) clear_journeys(exchange);
  exchange.replicas = replicas;
  clear_counts(exchange);
}

int64_t replicas_asked_for(const Exchange &exchange) {
  const int64_t asked = exchange.whole(ExchangeOption::replicas);
  return asked > 0 ? std::min(asked, exchange.count) : exchange.count;
}

// ---- tuning ----------------------------------------------------------------------------------

// Copies what a chain has at a level: its variables, and what its sampler has adapted.
void copy_level(const Exchange &exchange, const Chain &from, Chain &to) {
  if (&from == &to) return;
  SavedPiece there[max_saved_pieces], here[max_saved_pieces];
  const auto saved = ops_of(to.sampler)->saved;
  const int count = saved ? saved(from, there) : 0;
  if (saved) saved(to, here);
  for (int i = 0; i < count; ++i) std::memcpy(here[i].memory, there[i].memory, here[i].bytes);
  to.statistics = from.statistics;
  to.steps = from.steps;
  to.options = from.options;
  copy_variables(from, to, position_bytes(exchange));
  to.prepared = false;
}

// Changes the number of replicas. Each new level starts from the nearest old one; level 0 is never
// copied, since it is redrawn. The loop runs in the order in which no chain is overwritten before
// it is read: positions rise with fewer replicas and fall with more.
void change_replicas(Exchange &exchange, int64_t replicas) {
  const int64_t old = exchange.replicas;
  if (replicas == old) return;
  clear_journeys(exchange);
  const auto copy = [&](int64_t l) {
    const int64_t from = replicas > 1 ? (l * (old - 1) + (replicas - 1) / 2) / (replicas - 1) : 0;
    copy_level(exchange, *exchange.chains[exchange.count - old + std::max<int64_t>(from, 1)],
               *exchange.chains[exchange.count - replicas + l]);
  };
  if (replicas < old)
    for (int64_t l = replicas - 1; l >= 0; --l) copy(l);
  else
    for (int64_t l = 0; l < replicas; ++l) copy(l);
  exchange.replicas = replicas;
}

// The number requested; otherwise the number the barrier calls for, unless it is within a tenth of
// the current one.
int64_t next_replicas(const Exchange &exchange) {
  const int64_t asked = exchange.whole(ExchangeOption::replicas), now = exchange.replicas;
  if (asked > 0) return std::min(asked, exchange.count);
  const int64_t wanted = std::min(exchange_wanted(exchange), exchange.count);
  return std::abs(wanted - now) * 10 <= now ? now : wanted;
}

Status respace(Exchange &exchange, Error *err) {
  for (int64_t l = 0; l < exchange.replicas; ++l)
    exchange.barriers[l] = exchange_barrier(exchange, l);
  const int64_t old = exchange.replicas;
  exchange.barrier = exchange.barriers[old - 1];
  const int64_t replicas = next_replicas(exchange);
  // Levels move to other chains, and so to other ranks.
  const Status status = replicas == old ? Status::ok : share_levels(exchange, err);
  if (status != Status::ok) return status;
  change_replicas(exchange, replicas);
  ladder_respace({exchange.powers, exchange.barriers, old}, replicas, exchange.scratch_ladder);
  std::copy_n(exchange.scratch_ladder, replicas, exchange.powers);
  take_ladder(exchange, replicas);
  heat_levels(exchange);
  return Status::ok;
}

void adapt_until(Exchange &exchange, int64_t sweeps) {
  const double steps = static_cast<double>(sweeps) * exchange.option(ExchangeOption::steps);
  for (int64_t c = 0; c < exchange.count; ++c) {
    Chain &chain = *exchange.chains[c];
    if (!has_option(chain.sampler, Option::warmup)) continue;
    chain.options.values[static_cast<int32_t>(Option::warmup)] =
        steps + static_cast<double>(exchange.target().steps);
  }
}

}  // namespace

// ---- options and layout ------------------------------------------------------------------------

const OptionRow *exchange_option_row(ExchangeOption option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= exchange_option_count ? rows + number : nullptr;
}

Status exchange_set(Exchange &exchange, ExchangeOption option, double value, Error *err) {
  const OptionRow *row = exchange_option_row(option);
  if (!row)
    return fail(err, Status::bad_enum, "option = %d: expected 1 to %d", static_cast<int>(option),
                static_cast<int>(exchange_option_count));
  const Status status = option_value_check(*row, value, err);
  if (status != Status::ok) return status;
  if (exchange.running)
    return fail(err, Status::unsupported,
                "%s: the exchange is running, expected to be set between runs", row->name);
  if (option == ExchangeOption::replicas &&
      (value == 1 || static_cast<int64_t>(value) > exchange.count))
    return fail(err, Status::bad_value, "replicas = %g: expected 0, or 2 to the %lld chains", value,
                ll(exchange.count));
  exchange.options[static_cast<int32_t>(option)] = value;
  return Status::ok;
}

Exchange *exchange_layout(Arena &arena, Chain *const *chains, int64_t count, const Chain &first) {
  Exchange *made = arena.take<Exchange>(1);
  Exchange e;
  e.count = e.replicas = count;
  for (int32_t i = 0; i <= exchange_option_count; ++i) e.options[i] = rows[i].initial;
  e.chains = arena.take<Chain *>(count);
  e.powers = arena.take<double>(count);
  e.terms = arena.take<ExchangeTerms>(count);
  e.pairs = arena.take<ExchangePair>(count);
  e.replica = arena.take<int64_t>(count);
  e.journeys = arena.take<Journey>(count);
  e.barriers = arena.take<double>(count);
  e.scratch_ladder = arena.take<double>(count);
  e.homes = arena.take<double *>(count);
  e.pools = arena.take<Pool *>(count);
  e.errors = arena.take<Error>(count);
  e.scratch = arena.take<double>(first.state.position_size);
  e.pilot = arena.take<double>(pilot_draws * pilot_powers);
  for (int64_t c = 0; c < count && e.chains && chains; ++c) e.chains[c] = chains[c];
  if (!made || !e.pilot) return made;
  clear_journeys(e);
  clear_counts(e);
  *made = e;
  return made;
}

Status exchange_set_ladder(Exchange &exchange, const double *powers, int64_t count, Error *err) {
  if (exchange.running)
    return fail(err, Status::unsupported,
                "ladder: the exchange is running, expected to be set between runs");
  if (count < 2 || count > exchange.count)
    return fail(err, Status::bad_size, "count = %lld: expected 2 to %lld powers, one per chain",
                ll(count), ll(exchange.count));
  ChainHold hold(exchange.count, [&](int64_t k) -> Chain & { return *exchange.chains[k]; });
  Status status = ladder_check(powers, count, err);
  if (status == Status::ok) status = hold.take(err);
  if (status != Status::ok) return status;
  if (exchange.started && count != exchange.replicas) change_replicas(exchange, count);
  std::copy_n(powers, count, exchange.powers);
  take_ladder(exchange, count);
  exchange.ladder_set = true;
  return Status::ok;
}

Status exchange_start(Exchange &exchange, ExchangeStart from, uint64_t seed, Error *err) {
  ChainHold hold(exchange.count, [&](int64_t c) -> Chain & { return *exchange.chains[c]; });
  Status status = hold.take(err);
  for (int64_t c = 0; c < exchange.count && status == Status::ok; ++c)
    status = chain_check_data(*exchange.chains[c], err);
  if (status == Status::ok && from == ExchangeStart::target && !exchange.target().started)
    status = fail(err, Status::not_started,
                  "from: the last chain has no start yet, expected nnp_chain_start of it first");
  if (status != Status::ok) return status;
  for (int64_t c = 0; c < exchange.count; ++c)
    chain_begin_start(*exchange.chains[c], seed, static_cast<uint64_t>(c));
  if (!exchange.ladder_set) {
    take_ladder(exchange, replicas_asked_for(exchange));
    find_pilot(exchange);
    ladder_from_pilot(exchange.pilot, path_origin(exchange.target().state), exchange.replicas,
                      exchange.powers);
  }
  for (int64_t c = 0; c < exchange.count && from == ExchangeStart::target; ++c)
    if (c < exchange.count - 1)
      copy_variables(exchange.target(), *exchange.chains[c], position_bytes(exchange));
  for (int64_t c = 0; c < exchange.count && status == Status::ok; ++c)
    status = start_chain(exchange, from, c, err);
  take_ladder(exchange, exchange.replicas);
  clear_journeys(exchange);
  exchange.seed = seed;
  exchange.swept = 0;
  exchange.tuned = false;
  exchange.started = status == Status::ok;
  return status;
}

int64_t exchange_tuning_sweeps(const Exchange &exchange) {
  const int64_t first = exchange.whole(ExchangeOption::first_round);
  return first * ((int64_t{1} << exchange.whole(ExchangeOption::rounds)) - 1);
}

Status exchange_run(Exchange &exchange, int64_t sweeps, const ExchangeHooks &hooks, Error *err) {
  return held_run(exchange, {RankCall::exchange_run, sweeps, hooks.draws}, hooks, err,
                  [&](Pool *pool, const ExchangeHooks &agreed) {
                    return sweeps_of(exchange, pool, sweeps, agreed, err);
                  });
}

namespace {

// Counts sweeps over all rounds.
struct TuningHooks {
  const ExchangeHooks *hooks;
  int64_t before;
};

int32_t tuning_swept(void *context, int64_t done) {
  const TuningHooks &tuning = *static_cast<const TuningHooks *>(context);
  return tuning.hooks->swept ? tuning.hooks->swept(tuning.hooks->context, tuning.before + done) : 0;
}

}  // namespace

Status exchange_tune(Exchange &exchange, const ExchangeHooks &hooks, Error *err) {
  const int64_t rounds = exchange.whole(ExchangeOption::rounds);
  const ExchangeCall call = {RankCall::exchange_tune, rounds};
  return held_run(exchange, call, hooks, err, [&](Pool *pool, const ExchangeHooks &agreed) {
    Status status = Status::ok;
    TuningHooks tuning = {&agreed, 0};
    ExchangeHooks inner = agreed;
    inner.swept = tuning_swept;
    inner.context = &tuning;
    adapt_until(exchange, exchange_tuning_sweeps(exchange));
    int64_t length = exchange.whole(ExchangeOption::first_round);
    for (int64_t r = 1; r <= rounds && status == Status::ok; ++r, length *= 2) {
      exchange.round = static_cast<int32_t>(r);
      status = sweeps_of(exchange, pool, length, inner, err);
      tuning.before += length;
      if (status == Status::ok) status = respace(exchange, err);
    }
    exchange.round = 0;
    exchange.tuned = status == Status::ok;
    return status;
  });
}

}  // namespace nnp
