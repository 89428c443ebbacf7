// Predictions for rows of inputs from one or many draws of the parameters, and how good they are.
#pragma once

#include <cstdint>

#include "lib/base/pool.hpp"
#include "lib/network/engine.hpp"
#include "lib/network/net.hpp"

namespace nnp {

// Values are pinned: plus a base they are the NNP_PREDICT_* of the C header.
enum class Prediction : int32_t {
  mean = 1,           // [output, row]
  sd = 2,             // [output, row]
  quantiles = 3,      // [level, output, row]
  probabilities = 4,  // [class column, row], as the head has them
  votes = 5,          // [class column, row]
  draws = 6,          // [output, row, draw]
};

// Which noise predictions have. Values are pinned: plus a base they are NNP_FORWARD and NNP_FITTED of the C
// header.
enum class Noise : int32_t {
  forward = 0,  // none in hidden layers, none in the outputs: the forward pass
  fitted = 1,   // that of the model
};

constexpr int64_t max_levels = 64;
// Passes with fresh noise unless the caller asks for others: so many of all draws together, but no
// more than so many of one draw, since the spread of the draws remains; and so many of each draw
// where it counts by itself.
constexpr int64_t enough_passes = 2000, most_passes = 16, passes_of_its_own = 64;
// Functions of a draw that convergence is judged by look at up to so many rows of the data, spread
// evenly; at up to so many of them at predictions, unless the caller asks for others.
constexpr int64_t judged_rows = 32, judged_predictions = 16, judged_passes = 4;
// Values a row that a predictor has room to sort, besides those of max_draws draws.
constexpr int64_t spare_values = 1024;

// Tiles whose sums are kept until they are added up, in their order.
constexpr int64_t partial_sums = 256;

// Who is told how far a call has come: `done` of `all` parts of its work. True: stop.
struct Watch {
  bool (*stops)(void *context, int64_t done, int64_t all) = nullptr;
  void *context = nullptr;
};

struct Job;
class Stream;

struct Predictor : Engine {
  Simd wanted_simd = Simd::best;
  Blas wanted_blas = Blas::automatic;
  Net net;
  int64_t max_draws = 0;
  bool classical = false;  // draws of the classical posterior: noise and softmax at the end only
  Noise noise = Noise::forward;
  uint64_t seed = 1;
  int64_t passes = 0;  // of each draw, where noise is drawn; 0: enough of them
  double levels[max_levels];
  int64_t level_count = 0;
  double *sites[2] = {nullptr, nullptr};  // tiles, ld x (widest site)
  double *first = nullptr;  // ld x (site 1), its mean where several passes share it; may be null
  double *sums[2] = {nullptr, nullptr};  // tiles, ld x outputs
  double *values = nullptr;              // ld x room, for quantiles
  int64_t room = 0;
  // Weights of draws, which sum to 1; none are set where weight_count is 0, and all draws count alike.
  double *weights = nullptr;  // room for max_draws
  int64_t weight_count = 0;
  double *pass_weights = nullptr;  // room, this and the next for quantiles
  int64_t *order = nullptr;
  // What results are told in: target j is unit_mean[j] + unit_sd[j] times that of the data.
  bool has_units = false;
  double *unit_mean = nullptr, *unit_sd = nullptr;
  Data judged;         // room for the rows that functions of draws look at
  bool finite = true;  // all that was looked at in this call, see passes.hpp
  // Threads, and predictors that work for this one on all of them but the caller's.
  Pool *pool = nullptr;
  Predictor **helpers = nullptr;
  int64_t helper_count = 0;
  Watch watch;
  Job *job = nullptr;         // the call it works for, see job.hpp
  bool cut_short = false;     // by a stop, in the midst of an item of that
  double *partial = nullptr;  // partial_sums of tiles
  // Where a call's noise goes on from the call before, and where the next will go on, one for each
  // tile; null: it begins anew.
  const Stream *carried = nullptr;
  Stream *carries_on = nullptr;
  // The draw in hand: its parameters, the variance of the last site's noise with all that is
  // integrated into it, and how many of the first sites have their noise drawn.
  const double *params = nullptr;
  double last_noise = 0;
  int64_t drawn_sites = 0;
};

// Draws of the parameters: draw s starts at params + s * param_count.
struct Draws {
  const double *params;
  int64_t count;
};

// It makes forward passes without noise unless told otherwise. Quantiles have room for max_draws
// draws, or for `spare` values a row if that is more; without spare values there is no room for
// functions of draws, nor for weights and units.
Predictor *predictor_layout(Arena &arena, const Net &net, int64_t max_draws, int64_t spare = 0);
// Helpers for a pool of so many threads, in memory of the caller's.
Predictor **helpers_layout(Arena &arena, const Predictor &predictor, int64_t threads);
// Calls share their tiles out among the pool's threads from now on; null: none. Results are the same.
void use_pool(Predictor &predictor, Pool *pool, Predictor **helpers);

// Draws count by these weights from now on, in all but draws themselves and pointwise likelihoods;
// null: all alike. Equal weights are none. They are copied.
Status set_draw_weights(Predictor &predictor, const double *weights, int64_t count, Error *err);
// Results are told in these units, one mean and standard deviation for each target; null: in those of
// the data.
Status set_units(Predictor &predictor, const double *mean, const double *sd, Error *err);

// Can so many draws be asked for this?
Status check_prediction(const Predictor &predictor, const Draws &draws, Prediction kind,
                        Error *err);
// Values `out` must have room for.
int64_t prediction_size(const Predictor &predictor, const Data &data, const Draws &draws,
                        Prediction kind);
// Status::not_finite where draws that are finite have outputs that are not, Status::stopped where the
// watch said so; `out` is then not complete.
Status predict(Predictor &predictor, const Data &data, const Draws &draws, Prediction kind,
               double *out, Error *err);
// mse: of the mean prediction; accuracy: of the most probable class; log_score: mean over rows of
// the log of the predictive density (or probability) of the target, -infinity where that is below
// what double precision has room for. Status::not_finite where outputs, or errors, are not finite.
Status score(Predictor &predictor, const Data &data, const Draws &draws, Score kind, double *value,
             Error *err);
// log p(target or label of a row | draw), hidden noise integrated over passes and the last noise
// exactly: out is [row, draw], the row fastest.
Status log_lik(Predictor &predictor, const Data &data, const Draws &draws, double *out, Error *err);

// Functions of a draw that matter, for R-hat and effective sample sizes: the mean over judged rows of
// their log likelihood; at `rows` of these rows (0: judged_predictions) the mean of the last site, or
// the probability of every class; then all learned scales. The noise is the same for every draw, so
// these are functions of the parameters alone.
int64_t function_count(const Predictor &predictor, const Data &data, int64_t rows);
Status check_functions(const Predictor &predictor, const Data &data, int64_t rows, Error *err);
// out is [function, draw], the function fastest.
Status functions_of(Predictor &predictor, const Data &data, const Draws &draws, int64_t rows,
                    double *out, Error *err);
// "log_lik", "f[12]" or "f[12,2]" (row, output), "p[12]" or "p[12,2]" (row, class), from 1, or the
// name of a scale; returns its full length.
size_t function_name(const Predictor &predictor, const Data &data, int64_t rows, int64_t index,
                     char *buffer, size_t size);

}  // namespace nnp
