// Keeps functions of each draw while chains run, instead of all their parameters: one row per draw,
// in the caller's memory; or only their means and variances, whose size does not depend on the
// number of draws.
#pragma once

#include "lib/comm/comm.hpp"
#include "lib/diagnostics/moments.hpp"
#include "lib/posterior/predict.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_KEEP_* of the C header.
enum class Keep : int32_t {
  parameters = 1,
  scales = 2,         // the learned ones
  functions = 3,      // those used to judge convergence
  mean = 4,           // [target, row]: of the last site, from this draw alone
  probabilities = 5,  // [class column, row]: from this draw alone
  predictions = 6,    // [target, row]: new targets, as Prediction::draws
  log_lik = 7,        // [row]
};

constexpr int64_t max_kept = 16;

// A quantity to keep.
struct KeepPlan {
  Keep what = Keep::parameters;
  bool moments = false;
  const Predictor *how = nullptr;  // how to predict: posterior, noise, seed, passes, units, engine
  const Data *data = nullptr;      // the rows
  int64_t rows = 0;                // of Keep::functions, as in functions_of
};

struct KeepOps;
// Null for values outside the enum.
const KeepOps *ops_of(Keep what);

struct Kept {
  KeepPlan plan;  // `how` points to the keeper's copy
  const KeepOps *ops = nullptr;
  int64_t width = 0;  // values per draw
  // Where the noise continues, [tile, chain], and where it will continue after the current draw;
  // null: every draw uses the same noise.
  Stream *streams = nullptr, *next_streams = nullptr;
  double *scratch = nullptr;                  // [value, chain], if values are not stored
  double *mean = nullptr, *square = nullptr;  // [value, chain], if moments are kept
  // The caller's memory, [value, draw, chain] with `capacity` draws per chain; may be null.
  double *values = nullptr;
  int64_t capacity = 0;
  int64_t *stored = nullptr;  // draws stored, per chain
  int64_t *began = nullptr;   // draws stored when the call started, per chain

  double *place(int64_t chain, int64_t draw) const {
    return values + (chain * capacity + draw) * width;
  }
};

struct Keeper {
  Net net;
  // Fingerprints of the network in chains of the intermediate and of the classical posterior.
  uint64_t intermediate = 0, classical = 0;
  int64_t count = 0, chains = 0;
  Kept *kept = nullptr;
  Predictor **predictors = nullptr;  // one per chain; null if nothing is predicted
  int64_t *seen = nullptr;           // draws taken so far, per chain
};

// A fit whose draws take more bytes than this gets a warning.
constexpr double modest_bytes = 2e9;
// Writes advice for draws that take more than that; returns its full length, 0 if there is none to
// give.
size_t draws_advice(const Net &net, int64_t chains, int64_t draws, char *buffer, size_t size);

// Fails if these quantities of a network cannot be kept. `index` is the number of the plan.
Status check_plan(const Net &net, const KeepPlan &plan, int64_t index, Error *err);
// Values per draw. The plan must have been checked.
int64_t kept_width(const Net &net, const KeepPlan &plan);
Keeper *keeper_layout(Arena &arena, const Net &net, const KeepPlan *plans, int64_t count,
                      int64_t chains);

// Stores values here from now on, starting with the first draw; null: nowhere.
void keeper_store(Kept &kept, double *values, int64_t capacity, int64_t chains);
// Fails unless there is room for `draws` more draws of every chain, and something to keep them for.
Status keeper_check(const Keeper &keeper, int64_t draws, Error *err);
// Called at the start of a run.
void keeper_begin(Keeper &keeper);
// A draw is taken in two parts, so that either all of its quantities are taken or none. keeper_make
// computes them; it may fail and has no lasting effect. keeper_take makes them count. Different
// threads may take draws of different chains.
Status keeper_make(const Keeper &keeper, int64_t chain, const double *params, Error *err);
void keeper_take(Keeper &keeper, int64_t chain, const double *params);
// Over ranks: sends what a chain has added since the call started, from the rank that ran it.
Status keeper_share(Keeper &keeper, int64_t chain, Carrier &carrier, Error *err);

// Moments of a chain so far.
Moments kept_moments(const Kept &kept, const int64_t *seen, int64_t chain);
// Moments of one value over all chains, merged in their order into *mean and *square.
Moments merge_chains(const Keeper &keeper, const Kept &kept, int64_t value, double *mean,
                     double *square);

}  // namespace nnp
