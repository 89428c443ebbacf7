// What is kept of draws while chains run, in place of all their parameters: functions of each draw, one
// row per draw, in memory of the caller's; or only their means and variances, whose size does not depend
// on the number of draws.
#pragma once

#include "lib/comm/comm.hpp"
#include "lib/diagnostics/moments.hpp"
#include "lib/posterior/predict.hpp"

namespace nnp {

// Values are pinned: plus a base they are the NNP_KEEP_* of the C header.
enum class Keep : int32_t {
  parameters = 1,
  scales = 2,         // learned ones
  functions = 3,      // that convergence is judged by
  mean = 4,           // [target, row]: of the last site, by this draw alone
  probabilities = 5,  // [class column, row]: by this draw alone
  predictions = 6,    // [target, row]: new targets, as Prediction::draws
  log_lik = 7,        // [row]
};

constexpr int64_t max_kept = 16;

// One quantity that is to be kept.
struct KeepPlan {
  Keep what = Keep::parameters;
  bool moments = false;
  const Predictor *how =
      nullptr;                 // posterior, noise, seed, passes, units and engine of predictions
  const Data *data = nullptr;  // the rows
  int64_t rows = 0;            // of Keep::functions, as in functions_of
};

struct KeepOps;
// Null for values outside the enum.
const KeepOps *ops_of(Keep what);

struct Kept {
  KeepPlan plan;  // `how` is the keeper's own
  const KeepOps *ops = nullptr;
  int64_t width = 0;  // values of one draw
  // Where noise goes on from draw to draw, [tile, chain], and where it will after the draw that is
  // being taken; null: it is the same for every draw.
  Stream *streams = nullptr, *next_streams = nullptr;
  double *scratch = nullptr;                  // [value, chain], where values are not stored
  double *mean = nullptr, *square = nullptr;  // [value, chain], if moments are kept
  // The caller's room, [value, draw, chain] with `capacity` draws for each chain; may be null.
  double *values = nullptr;
  int64_t capacity = 0;
  int64_t *stored = nullptr;  // draws there, of each chain
  int64_t *began = nullptr;   // the same when the call began

  double *place(int64_t chain, int64_t draw) const {
    return values + (chain * capacity + draw) * width;
  }
};

struct Keeper {
  Net net;
  // Fingerprints of the network as chains of the intermediate and the classical posterior have it.
  uint64_t intermediate = 0, classical = 0;
  int64_t count = 0, chains = 0;
  Kept *kept = nullptr;
  Predictor **predictors = nullptr;  // one for each chain; null where nothing is predicted
  int64_t *seen = nullptr;           // draws taken so far, of each chain
};

// Bytes of draws that a fit may take without being asked to.
constexpr double modest_bytes = 2e9;
// What to say of more than that; returns its full length, 0 where there is nothing to say.
size_t draws_advice(const Net &net, int64_t chains, int64_t draws, char *buffer, size_t size);

// Can these quantities be kept of a network? `index` is the number of the plan.
Status check_plan(const Net &net, const KeepPlan &plan, int64_t index, Error *err);
// Values of one draw. The plan was checked.
int64_t kept_width(const Net &net, const KeepPlan &plan);
Keeper *keeper_layout(Arena &arena, const Net &net, const KeepPlan *plans, int64_t count,
                      int64_t chains);

// Values go here from now on, from the first draw's place on; null: nowhere.
void keeper_store(Kept &kept, double *values, int64_t capacity, int64_t chains);
// Is there room for `draws` more draws of every chain, and anything to keep them for?
Status keeper_check(const Keeper &keeper, int64_t draws, Error *err);
// A call begins.
void keeper_begin(Keeper &keeper);
// A draw of a chain is taken in two parts, so that all quantities are taken of it or none: keeper_make
// computes them, which may fail and changes nothing that counts; keeper_take lets them count.
// Different chains may be taken by different threads.
Status keeper_make(const Keeper &keeper, int64_t chain, const double *params, Error *err);
void keeper_take(Keeper &keeper, int64_t chain, const double *params);
// Over ranks: what a chain has given since the call began, from the rank that ran it.
Status keeper_share(Keeper &keeper, int64_t chain, Carrier &carrier, Error *err);

// What a chain has given so far.
Moments kept_moments(const Kept &kept, const int64_t *seen, int64_t chain);
// One value over all chains, merged in their order into *mean and *square.
Moments merge_chains(const Keeper &keeper, const Kept &kept, int64_t value, double *mean,
                     double *square);

}  // namespace nnp
