#include "lib/study/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "lib/base/functions.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/sampler/path.hpp"
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

// Random streams of swaps; they do not overlap those of the first chain, see state_seed.
constexpr uint64_t swap_stream_base = uint64_t{1} << 61;

int64_t whole(double value) {
  return static_cast<int64_t>(value);
}

size_t position_bytes(const Exchange &exchange) {
  return static_cast<size_t>(exchange.target().state.position_size) * sizeof(double);
}

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

// ---- one sweep -------------------------------------------------------------------------------

// Draws all variables of the chain from the prior, sites including their noise.
void draw_reference(Chain &chain) {
  draw_prior_params(chain.state);
  fill_sites(chain.state, true);
  chain_replaced(chain);
}

// Computes log q at the powers needed for this sweep's swaps or for the evidence. If the path is a
// power of the likelihood, one evaluation gives all of them; otherwise only the partner's is
// computed.
void find_terms(const Exchange &exchange, int64_t l) {
  const bool dear = path_of(exchange.target()).dear;
  const bool up = (l + exchange.swept) % 2 == 0, last = l == exchange.replicas - 1;
  double powers[3] = {exchange.powers[l]}, found[3];
  int64_t count = 1, above = -1, below = -1;
  if (!last && (up || !dear)) powers[above = count++] = exchange.powers[l + 1];
  if (l > 0 && (!up || !dear)) powers[below = count++] = exchange.powers[l - 1];
  path_of(exchange.level(l)).terms(exchange.level(l), powers, count, found);
  const double none = std::numeric_limits<double>::quiet_NaN();
  exchange.terms[l] = {found[0], above < 0 ? none : found[above], below < 0 ? none : found[below],
                       false, Status::ok};
}

void explore_level(const Exchange &exchange, int64_t l) {
  Chain &chain = exchange.level(l);
  Status status = exchange.terms[l].failure;  // of the last swap
  if (l == 0) draw_reference(chain);
  for (int64_t i = 0; l > 0 && i < whole(exchange.option(ExchangeOption::steps)); ++i)
    if (status == Status::ok) status = chain_step(chain, exchange.errors + l);
  exchange.terms[l].failure = status;
  if (status == Status::ok) find_terms(exchange, l);
}

// Maps task i to a level of this rank. In checked mode a rank moves all levels, its own first.
int64_t level_of_task(const Exchange &exchange, int64_t i) {
  return exchange.comm().checked ? i : exchange.mine().first + i;
}
int64_t level_tasks(const Exchange &exchange) {
  return exchange.comm().checked ? exchange.replicas : exchange.mine().count();
}

void explore(void *context, int64_t i) {
  const Exchange &exchange = *static_cast<const Exchange *>(context);
  explore_level(exchange, exchange.mine().first + i);
}

void redraw_level(void *context, int64_t i) {
  const Exchange &exchange = *static_cast<const Exchange *>(context);
  const int64_t l = level_of_task(exchange, i);
  if (l == 0 || !exchange.terms[l].exchanged) return;
  exchange.terms[l].failure =
      path_of(exchange.level(l)).redraw(exchange.level(l), exchange.errors + l);
}

// Log of the swap ratio. NaN (values beyond double precision) never swaps and counts as a
// rejection.
double log_ratio(const Exchange &exchange, int64_t l) {
  const ExchangeTerms &low = exchange.terms[l], &high = exchange.terms[l + 1];
  return (low.above - low.own) + (high.below - high.own);
}

void swap_pair(Exchange &exchange, int64_t l) {
  chain_exchange(exchange.level(l), exchange.level(l + 1));
  std::swap(exchange.replica[l], exchange.replica[l + 1]);
  exchange.terms[l].exchanged = exchange.terms[l + 1].exchanged = true;
}

void try_pair(Exchange &exchange, int64_t l, Stream &stream) {
  ExchangePair &pair = exchange.pairs[l];
  const double ratio = log_ratio(exchange, l), u = stream.uniform();
  ++pair.tried;
  if (std::isnan(ratio)) return;
  pair.acceptance += fn::exp(std::fmin(ratio, 0));
  if (!(fn::log(u) < ratio)) return;
  ++pair.swapped;
  swap_pair(exchange, l);
}

// Adds half of the difference in both directions; impossible states contribute 0.
void add_evidence(Exchange &exchange, int64_t l) {
  const ExchangeTerms &low = exchange.terms[l], &high = exchange.terms[l + 1];
  const int64_t batch = exchange.sweeps / exchange.batch_length;
  const double up = low.above - low.own, down = high.below - high.own;
  exchange.pairs[l].up[batch].add(std::isnan(up) ? -HUGE_VAL : 0.5 * up);
  exchange.pairs[l].down[batch].add(std::isnan(down) ? -HUGE_VAL : 0.5 * down);
}

void merge_batches(Exchange &exchange) {
  for (int64_t l = 0; l + 1 < exchange.replicas; ++l)
    for (LogSum *sums : {exchange.pairs[l].up, exchange.pairs[l].down}) {
      for (int64_t b = 0; b < evidence_batches / 2; ++b) {
        LogSum both = sums[2 * b];
        both.add(sums[2 * b + 1]);
        sums[b] = both;
      }
      std::fill_n(sums + evidence_batches / 2, evidence_batches / 2, LogSum{});
    }
  exchange.batch_length *= 2;
}

void follow_journeys(Exchange &exchange) {
  Journey &at_reference = exchange.journeys[exchange.replica[0]];
  Journey &at_target = exchange.journeys[exchange.replica[exchange.replicas - 1]];
  exchange.round_trips += at_reference == Journey::arrived;
  at_reference = Journey::restarted;
  if (at_target != Journey::restarted) return;
  ++exchange.restarts;
  at_target = Journey::arrived;
}

void keep_indices(Exchange &exchange) {
  IndexRecord &record = exchange.record;
  if (!record.levels || record.sweeps >= record.capacity || exchange.round > 0) return;
  int32_t *levels = record.levels + record.sweeps * exchange.replicas;
  for (int64_t l = 0; l < exchange.replicas; ++l)
    levels[exchange.replica[l]] = static_cast<int32_t>(l);
  ++record.sweeps;
}

// ---- over ranks ------------------------------------------------------------------------------

Status disagree(const Exchange &exchange, const char *what, int64_t l, Error *err) {
  return fail(err, Status::ranks_disagree,
              "comm: rank %d has different %s of level %lld after sweep %lld from rank %d, "
              "expected the same bits: check that all ranks have the same input",
              static_cast<int>(exchange.comm().rank), what, ll(l), ll(exchange.swept),
              static_cast<int>(exchange.owner(l)));
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Checked mode: repeats the levels of other ranks on this one.
Status explore_again(const Exchange &exchange, Error *err) {
  Status status = Status::ok;
  const Portion mine = exchange.mine();
  for (int64_t l = 0; l < exchange.replicas; ++l) {
    if (mine.has(l)) continue;
    const ExchangeTerms theirs = exchange.terms[l];
    explore_level(exchange, l);
    const ExchangeTerms &own = exchange.terms[l];
    const bool same = own.failure == theirs.failure && same_bits(own.own, theirs.own) &&
                      same_bits(own.above, theirs.above) && same_bits(own.below, theirs.below);
    if (!same && status == Status::ok) status = disagree(exchange, "terms", l, err);
  }
  return comm_agree(exchange.comm(), Common{}, status, err);
}

// Sends the terms of all levels to all ranks.
Status share_terms(const Exchange &exchange, Error *err) {
  const Comm &comm = exchange.comm();
  if (comm.alone()) return Status::ok;
  Status status =
      comm_share_slots(comm, exchange.terms, sizeof(ExchangeTerms), exchange.replicas, err);
  for (int64_t l = 0; l < exchange.replicas && status == Status::ok; ++l)
    if (exchange.terms[l].failure != Status::ok)
      status = comm_tell(comm, exchange.errors + l, sizeof(Error), exchange.owner(l), err);
  return status == Status::ok && comm.checked ? explore_again(exchange, err) : status;
}

// Levels l and l + 1 have swapped, and this rank owns one of them. Memory was swapped as on a
// single rank: the data to send is with the level it does not own, and the received data belongs to
// its own.
Status trade(Exchange &exchange, int64_t l, Error *err) {
  const Comm &comm = exchange.comm();
  const int64_t own = exchange.mine().has(l) ? l : l + 1, other = 2 * l + 1 - own;
  const size_t bytes = position_bytes(exchange);
  Chain &chain = exchange.level(own);
  double *in = comm.checked ? exchange.scratch : chain.state.params;
  const Status status =
      comm_trade(comm, exchange.level(other).state.params, in, bytes, exchange.owner(other), err);
  if (status != Status::ok) return status;
  if (comm.checked && std::memcmp(in, chain.state.params, bytes) != 0)
    return disagree(exchange, "variables", own, err);
  chain_replaced(chain);
  return Status::ok;
}

// Handles pairs of ranks whose first rank is even, then the others, so that no rank waits for long.
Status trade_variables(Exchange &exchange, Error *err) {
  const Comm &comm = exchange.comm();
  if (comm.alone()) return Status::ok;
  Status status = Status::ok;
  for (int32_t odd = 0; odd < 2; ++odd)
    for (int64_t l = (exchange.swept % 2); l + 1 < exchange.replicas; l += 2) {
      const int32_t low = exchange.owner(l), high = exchange.owner(l + 1);
      const bool mine = low == comm.rank || high == comm.rank;
      if (!exchange.terms[l].exchanged || low == high || low % 2 != odd || !mine) continue;
      if (status == Status::comm_failed) continue;
      const Status traded = trade(exchange, l, err);  // the other rank waits for it
      if (traded != Status::ok) status = traded;
    }
  return comm.checked && status != Status::comm_failed ? comm_agree(comm, Common{}, status, err)
                                                       : status;
}

// Sends all levels in their current state to all ranks.
Status share_levels(Exchange &exchange, Error *err) {
  const Comm &comm = exchange.comm();
  if (comm.alone()) return Status::ok;
  Carrier all = {comm};
  for (int64_t l = 0; l < exchange.replicas; ++l) {
    Carrier one = {comm, exchange.owner(l)};
    Status status = share_chain(one, exchange.level(l), 0, err);
    if (status == Status::ok && comm.checked) status = agree_on_results(one, "level", l, err);
    if (status != Status::ok) return status;
    all.brought = hash_value(all.brought, one.brought);
  }
  all.own = all.brought;
  return agree_on_results(all, "level", 0, err);
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

// ---- swaps -------------------------------------------------------------------------------------

Status swap_levels(Exchange &exchange, Pool *pool, Error *err) {
  if (exchange.sweeps == evidence_batches * exchange.batch_length) merge_batches(exchange);
  const bool dear = path_of(exchange.target()).dear;
  for (int64_t l = 0; l + 1 < exchange.replicas; ++l)
    if (!dear || (l + exchange.swept) % 2 == 0) add_evidence(exchange, l);
  Stream stream(exchange.seed, 0, swap_stream_base + static_cast<uint64_t>(exchange.swept));
  for (int64_t l = exchange.swept % 2; l + 1 < exchange.replicas; l += 2)
    try_pair(exchange, l, stream);
  const Status status = trade_variables(exchange, err);
  if (status != Status::ok) return status;
  if (path_of(exchange.target()).redraw)
    pool_run(pool, level_tasks(exchange), redraw_level, &exchange);
  ++exchange.swept;
  ++exchange.sweeps;
  follow_journeys(exchange);
  keep_indices(exchange);
  return Status::ok;
}

// Runs this rank's levels in parallel; a level that is alone on its rank uses the pool for its
// rows.
bool explore_mine(Exchange &exchange, Pool *pool) {
  const Portion mine = exchange.mine();
  if (mine.count() != 1) return pool_run(pool, mine.count(), explore, &exchange);
  Chain &chain = exchange.level(mine.first);
  chain.state.pool = pool;
  explore(&exchange, 0);
  chain.state.pool = nullptr;
  return true;
}

Status sweep(Exchange &exchange, Pool *pool, Error *err) {
  if (!explore_mine(exchange, pool)) return lost_to_fork(err);
  const Status status = share_terms(exchange, err);
  if (status != Status::ok) return status;
  for (int64_t l = 0; l < exchange.replicas; ++l) {
    if (exchange.terms[l].failure == Status::ok) continue;
    if (err) *err = exchange.errors[l];
    return exchange.terms[l].failure;
  }
  return swap_levels(exchange, pool, err);
}

// ---- a run: temperatures set, one thread per chain
// -----------------------------------------------

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

Status sweeps_of(Exchange &exchange, Pool *pool, int64_t sweeps, const ExchangeHooks &hooks,
                 Error *err) {
  for (int64_t s = 0; s < sweeps; ++s) {
    Status status = sweep(exchange, pool, err);
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
  const int64_t asked = whole(exchange.option(ExchangeOption::replicas));
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
  const int64_t asked = whole(exchange.option(ExchangeOption::replicas)), now = exchange.replicas;
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
  if (option == ExchangeOption::replicas && (value == 1 || whole(value) > exchange.count))
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
  const int64_t first = whole(exchange.option(ExchangeOption::first_round));
  return first * ((int64_t{1} << whole(exchange.option(ExchangeOption::rounds))) - 1);
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
  const int64_t rounds = whole(exchange.option(ExchangeOption::rounds));
  const ExchangeCall call = {RankCall::exchange_tune, rounds};
  return held_run(exchange, call, hooks, err, [&](Pool *pool, const ExchangeHooks &agreed) {
    Status status = Status::ok;
    TuningHooks tuning = {&agreed, 0};
    ExchangeHooks inner = agreed;
    inner.swept = tuning_swept;
    inner.context = &tuning;
    adapt_until(exchange, exchange_tuning_sweeps(exchange));
    int64_t length = whole(exchange.option(ExchangeOption::first_round));
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
