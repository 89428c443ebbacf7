// Replica exchange (parallel tempering): chains of one network and data along a path from the
// prior, which is redrawn at every sweep, to the posterior. Level l samples prior times likelihood
// to the power beta_l (see posterior/heat.hpp), 0 = beta_0 < ... < beta_{K-1} = 1. After every
// sweep neighbours exchange their variables with probability min(1, q_l(x') q_l'(x) / (q_l(x)
// q_l'(x'))). Pairs (0,1), (2,3), ... and (1,2), (3,4), ... alternate: this non-reversible schedule
// does not slow down as levels are added (Okabe 2001; Syed, Bouchard-Cote, Deligiannidis, Doucet
// 2022).
//
// A level keeps its chain, with its random streams, temperature and adaptation; only the memory of
// the variables is swapped. So the last chain given always samples the posterior, and its draws are
// used like any other chain's. Swaps draw from streams of (seed, sweep), so results do not depend
// on threads.
//
// Over ranks, each rank has some neighbouring levels; every rank has the terms of all levels, makes
// the same swaps and keeps the same counts. Variables are sent only if two levels that swap belong
// to different ranks. After a run all ranks have all chains.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/sampler/chain.hpp"
#include "lib/sampler/share.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_EXCHANGE_* of the C header. No gaps.
enum class ExchangeOption : int32_t {
  replicas = 1,     // levels in use; 0: chosen from the barrier
  rounds = 2,       // of tuning
  first_round = 3,  // its sweeps; each round doubles them
  steps = 4,        // of every chain between swaps
};
constexpr int32_t exchange_option_count = 4;
const OptionRow *exchange_option_row(ExchangeOption option);

// Where the replicas start. Values are pinned.
enum class ExchangeStart : int32_t { prior = 1, target = 2 };

// Sums of exponentials in batches of sweeps. When all batches are full, neighbours are merged and
// batches become twice as long.
constexpr int64_t evidence_batches = 64;
struct LogSum {
  double top = -HUGE_VAL, sum = 0;  // of exp(x - top)

  void add(double x);
  void add(const LogSum &other);
  double log() const;
};

// Statistics of levels l and l + 1. With d = log q_{l+1} - log q_l, Z_{l+1} / Z_l = E_l[e^(d/2)] /
// E_{l+1}[e^(-d/2)] (bridge sampling, Meng and Wong 1996).
struct ExchangePair {
  double acceptance = 0;  // sum of swap probabilities
  int64_t tried = 0, swapped = 0;
  LogSum up[evidence_batches], down[evidence_batches];
};

// Values of this sweep: log q at the level's own power and at those of its neighbours.
struct ExchangeTerms {
  double own = 0, above = 0, below = 0;
  bool exchanged = false;       // the terms belong to variables that have left the level
  Status failure = Status::ok;  // of the preceding steps
};

// Which end of the ladder a replica has visited last.
enum class Journey : int32_t { unknown = 0, restarted = 1, arrived = 2 };

struct IndexRecord {
  int32_t *levels = nullptr;  // [replica, sweep], in the caller's memory
  int64_t capacity = 0, sweeps = 0;
};

struct Exchange {
  int64_t count = 0;  // chains; levels in use are the last `replicas` of them
  int64_t replicas = 0;
  Chain **chains = nullptr;
  double *powers = nullptr;          // beta by level
  ExchangeTerms *terms = nullptr;    // by level
  ExchangePair *pairs = nullptr;     // by their lower level
  int64_t *replica = nullptr;        // by level: the replica there
  Journey *journeys = nullptr;       // by replica
  double *barriers = nullptr;        // by level: Lambda from the reference to that level
  double *scratch_ladder = nullptr;  // by level
  double **homes = nullptr;          // by chain: the memory of its own variables
  Pool **pools = nullptr;            // by chain, while it runs
  Error *errors = nullptr;           // by level
  double *scratch = nullptr;         // room for the variables of one chain
  double *pilot = nullptr;           // [draw, power]: log q_b - log q_0 of draws from the prior
  double options[exchange_option_count + 1];

  uint64_t seed = 0;
  int64_t swept = 0;   // since the start
  int64_t sweeps = 0;  // since the counts were cleared
  int64_t batch_length = 1;
  int64_t restarts = 0;     // replicas that went from the reference to the target
  int64_t round_trips = 0;  // ... and back
  double barrier = 0;       // Lambda from the last round of tuning
  IndexRecord record;
  int32_t round = 0;  // of the tuning in progress, from 1; 0: none
  bool started = false, ladder_set = false, tuned = false;
  int32_t running = 0;

  double option(ExchangeOption which) const { return options[static_cast<int32_t>(which)]; }
  int64_t whole(ExchangeOption which) const { return static_cast<int64_t>(option(which)); }
  Chain &level(int64_t l) const { return *chains[count - replicas + l]; }
  Chain &target() const { return *chains[count - 1]; }
  // The ranks that share the levels; neighbours stay together.
  const Comm &comm() const { return chains[0]->comm; }
  Portion mine() const { return portion_of(comm(), comm().rank, replicas); }
  int32_t owner(int64_t l) const { return owner_of(comm(), replicas, l); }
};

// `chains` are copied (null while the arena only counts; `first` gives their size).
Exchange *exchange_layout(Arena &arena, Chain *const *chains, int64_t count, const Chain &first);
Status exchange_set(Exchange &exchange, ExchangeOption option, double value, Error *err);
// Sets increasing powers from 0 to 1. They stay unless the exchange is tuned.
Status exchange_set_ladder(Exchange &exchange, const double *powers, int64_t count, Error *err);

// Starts all replicas from draws of the prior, or from the current state of the target's chain,
// with streams (seed, 0), (seed, 1), ... Unless the caller has set a ladder, one is derived from a
// few draws of the prior.
Status exchange_start(Exchange &exchange, ExchangeStart from, uint64_t seed, Error *err);

struct ExchangeHooks {
  // Called after each sweep, on the caller's thread. A result other than 0 stops the run.
  int32_t (*swept)(void *context, int64_t done) = nullptr;
  bool may_stop = false;  // if so, ranks check with each other after every sweep
  int64_t draws = 0;      // that the caller keeps and sends to all ranks afterwards
  void *context = nullptr;
};

// Runs rounds of sweeps. After each, levels are placed so that all neighbours reject equally often,
// and their number is set to what the barrier calls for. Samplers that adapt do so here. Afterwards
// nothing adapts, and counts start again.
Status exchange_tune(Exchange &exchange, const ExchangeHooks &hooks, Error *err);
int64_t exchange_tuning_sweeps(const Exchange &exchange);
Status exchange_run(Exchange &exchange, int64_t sweeps, const ExchangeHooks &hooks, Error *err);

// The mean probability of a swap between levels l and l + 1.
double exchange_acceptance(const Exchange &exchange, int64_t l);
// The barrier of a pair whose swaps are rejected with this probability: equal to that probability
// if small (Syed et al.), and otherwise as for Gaussian log likelihoods, r = erf(sqrt(pi) s / 2).
double barrier_of(double rejection);
// Lambda up to level l, from the counts so far; and the total, taken from the tuning if nothing has
// been counted since.
double exchange_barrier(const Exchange &exchange, int64_t l);
double exchange_barrier(const Exchange &exchange);
// The best number of replicas for this barrier if they share processors: 2 Lambda + 1.
int64_t exchange_wanted(const Exchange &exchange);
// The number of restarts expected if chains forgot everything between swaps: sweeps over 2 + 2 sum
// r / (1 - r).
double exchange_expected_restarts(const Exchange &exchange);

// Values are pinned: adding a base gives NNP_EXCHANGE_MIXES, ... of the C header.
enum class ExchangeVerdict : int32_t { mixes = 1, run_longer = 2, more_replicas = 3, slow = 4 };
ExchangeVerdict exchange_verdict(const Exchange &exchange);
constexpr int64_t enough_restarts = 10;
// The lowest mean swap probability, and the mean over pairs; NaN before any swap was tried.
double exchange_least_swaps(const Exchange &exchange);
double exchange_mean_swaps(const Exchange &exchange);

struct Evidence {
  double log_evidence = 0, standard_error = 0;  // log p(y | X)
};
// The standard error comes from batches; it is NaN with fewer than 8.
Evidence exchange_evidence(const Exchange &exchange);

// Size of a saved exchange in bytes, chains included, and functions to save and restore it: see
// sampler/save.hpp.
size_t exchange_save_size(const Exchange &exchange);
Status exchange_save(const Exchange &exchange, void *buffer, Error *err);
Status exchange_restore(Exchange &exchange, const void *buffer, size_t size, Error *err);

}  // namespace nnp
