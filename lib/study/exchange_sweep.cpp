#include "lib/study/exchange_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "lib/base/functions.hpp"
#include "lib/sampler/path.hpp"
#include "lib/study/runner.hpp"
#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

// Random streams of swaps; they do not overlap those of the first chain, see state_seed.
constexpr uint64_t swap_stream_base = uint64_t{1} << 61;

// ---- levels and pairs -----------------------------------------------------------------------

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
  for (int64_t i = 0; l > 0 && i < exchange.whole(ExchangeOption::steps); ++i)
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

}  // namespace

void draw_reference(Chain &chain) {
  draw_prior_params(chain.state);
  fill_sites(chain.state, true);
  chain_replaced(chain);
}

size_t position_bytes(const Exchange &exchange) {
  return static_cast<size_t>(exchange.target().state.position_size) * sizeof(double);
}

Status sweep_levels(Exchange &exchange, Pool *pool, Error *err) {
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

}  // namespace nnp
