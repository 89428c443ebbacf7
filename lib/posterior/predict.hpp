// Predictions for rows of inputs from one or many draws of the parameters, and their scores.
#pragma once

#include <cstdint>

#include "lib/base/pool.hpp"
#include "lib/network/engine.hpp"
#include "lib/network/net.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_PREDICT_* of the C header.
enum class Prediction : int32_t {
  mean = 1,           // [output, row]
  sd = 2,             // [output, row]
  quantiles = 3,      // [level, output, row]
  probabilities = 4,  // [class column, row], columns defined by the head
  votes = 5,          // [class column, row]
  draws = 6,          // [output, row, draw]
};

// Which noise predictions include. Values are pinned: adding a base gives NNP_FORWARD and
// NNP_FITTED of the C header.
enum class Noise : int32_t {
  forward = 0,  // none, neither in hidden layers nor in the outputs: the forward pass
  fitted = 1,   // the noise of the model
};

constexpr int64_t max_levels = 64;
// Default numbers of passes with fresh noise: enough_passes over all draws together, but at most
// most_passes per draw, since the spread between draws remains; and passes_of_its_own per draw if
// each draw is used separately.
constexpr int64_t enough_passes = 2000, most_passes = 16, passes_of_its_own = 64;
// Functions of a draw used to judge convergence: they use up to judged_rows rows of the data,
// spread evenly, and predictions at up to judged_predictions of them, unless the caller requests
// other numbers.
constexpr int64_t judged_rows = 32, judged_predictions = 16, judged_passes = 4;
// Values per row that a predictor can sort, besides those of max_draws draws.
constexpr int64_t spare_values = 1024;

// Number of tiles whose sums are kept until they are added up, in their order.
constexpr int64_t partial_sums = 256;

// The progress callback of a call: `done` of `all` parts of its work. A result of true stops it.
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
  bool classical = false;  // draws of the classical posterior: noise and softmax only at the end
  Noise noise = Noise::forward;
  uint64_t seed = 1;
  int64_t passes = 0;  // per draw, if noise is drawn; 0: enough of them
  double levels[max_levels];
  int64_t level_count = 0;
  double *sites[2] = {nullptr, nullptr};  // tiles, ld x (widest site)
  double *first = nullptr;  // ld x (site 1): its mean, if several passes share it; may be null
  double *sums[2] = {nullptr, nullptr};  // tiles, ld x outputs
  double *values = nullptr;              // ld x room, for quantiles
  int64_t room = 0;
  // Weights of draws, which sum to 1. If weight_count is 0 none are set, and all draws count
  // equally.
  double *weights = nullptr;  // room for max_draws
  int64_t weight_count = 0;
  double *pass_weights = nullptr;  // scratch; this and the next are for quantiles
  int64_t *order = nullptr;
  // The units of results: target j is unit_mean[j] + unit_sd[j] times that of the data.
  bool has_units = false;
  double *unit_mean = nullptr, *unit_sd = nullptr;
  Data judged;         // scratch for the rows that functions of draws use
  bool finite = true;  // whether everything checked in this call was finite, see passes.hpp
  // Threads, and predictors that work for this one on all of them except the caller's.
  Pool *pool = nullptr;
  Predictor **helpers = nullptr;
  int64_t helper_count = 0;
  Watch watch;
  Job *job = nullptr;         // the call it works for, see job.hpp
  bool cut_short = false;     // by a stop, in the middle of an item of that job
  double *partial = nullptr;  // partial_sums of tiles
  // Where a call's noise continues from the previous call, and where the next will continue, one
  // per tile; null: it starts anew.
  const Stream *carried = nullptr;
  Stream *carries_on = nullptr;
  // The current draw: its parameters, the variance of the last site's noise including all that is
  // integrated into it, and for how many of the first sites noise is drawn.
  const double *params = nullptr;
  double last_noise = 0;
  int64_t drawn_sites = 0;
};

// Draws of the parameters: draw s starts at params + s * param_count.
struct Draws {
  const double *params;
  int64_t count;
};

// By default it makes forward passes without noise. Quantiles have room for max_draws draws, or for
// `spare` values per row if that is more. Without spare values there is no room for functions of
// draws, weights or units.
Predictor *predictor_layout(Arena &arena, const Net &net, int64_t max_draws, int64_t spare = 0);
// Lays out helpers for a pool of this many threads.
Predictor **helpers_layout(Arena &arena, const Predictor &predictor, int64_t threads);
// Lets calls distribute their tiles over the pool's threads from now on; null: no threads. Results
// are the same.
void use_pool(Predictor &predictor, Pool *pool, Predictor **helpers);

// Sets weights of draws, used in all results except draws themselves and pointwise likelihoods;
// null: all draws count equally. Equal weights are treated as none. They are copied.
Status set_draw_weights(Predictor &predictor, const double *weights, int64_t count, Error *err);
// Sets the units of results, one mean and standard deviation per target; null: those of the data.
Status set_units(Predictor &predictor, const double *mean, const double *sd, Error *err);

// Fails if this many draws cannot be used for this kind of prediction.
Status check_prediction(const Predictor &predictor, const Draws &draws, Prediction kind,
                        Error *err);
// Number of values that `out` must have room for.
int64_t prediction_size(const Predictor &predictor, const Data &data, const Draws &draws,
                        Prediction kind);
// Status::not_finite if finite draws have outputs that are not, Status::stopped if the watch
// stopped it; `out` is then incomplete.
Status predict(Predictor &predictor, const Data &data, const Draws &draws, Prediction kind,
               double *out, Error *err);
// mse: of the mean prediction; accuracy: of the most probable class; log_score: mean over rows of
// the log of the predictive density (or probability) of the target, -infinity if that underflows.
// Status::not_finite if outputs, or errors, are not finite.
Status score(Predictor &predictor, const Data &data, const Draws &draws, Score kind, double *value,
             Error *err);
// log p(target or label of a row | draw), with hidden noise integrated out over passes and the last
// noise exactly: out is [row, draw], row fastest.
Status log_lik(Predictor &predictor, const Data &data, const Draws &draws, double *out, Error *err);

// Functions of a draw that matter, for R-hat and effective sample sizes: the mean over judged rows
// of their log likelihood; at `rows` of these rows (0: judged_predictions) the mean of the last
// site, or the probability of every class; then all learned scales. The noise is the same for every
// draw, so these are functions of the parameters alone.
int64_t function_count(const Predictor &predictor, const Data &data, int64_t rows);
Status check_functions(const Predictor &predictor, const Data &data, int64_t rows, Error *err);
// out is [function, draw], function fastest.
Status functions_of(Predictor &predictor, const Data &data, const Draws &draws, int64_t rows,
                    double *out, Error *err);
// "log_lik", "f[12]" or "f[12,2]" (row, output), "p[12]" or "p[12,2]" (row, class), counted from 1,
// or the name of a scale; returns its full length.
size_t function_name(const Predictor &predictor, const Data &data, int64_t rows, int64_t index,
                     char *buffer, size_t size);

}  // namespace nnp
