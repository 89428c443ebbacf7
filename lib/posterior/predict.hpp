// Predictions for rows of inputs from one or many draws of the parameters, and how good they are.
#pragma once

#include <cstdint>

#include "lib/network/net.hpp"

namespace nnp {

// Values are pinned: they are the NNP_PREDICT_* and NNP_SCORE_* of the C header.
enum class Prediction : int32_t {
  mean = 1,           // [output, row]
  sd = 2,             // [output, row]
  quantiles = 3,      // [level, output, row]
  probabilities = 4,  // [class, row]; sign head: P(y = +1), one a row
  votes = 5,          // [class, row]; sign head: share of y = +1
  draws = 6,          // [output, row, draw]
};
enum class Score : int32_t { mse = 1, accuracy = 2, log_score = 3 };

constexpr int64_t max_levels = 64;

struct Predictor {
  Net net;
  int64_t max_draws = 0;
  bool classical = false;  // draws of the classical posterior: noise and softmax at the end only
  bool noisy = false;
  uint64_t seed = 0;
  const Kernels *kernels = nullptr;
  double levels[max_levels];
  int64_t level_count = 0;
  double *sites[2] = {nullptr, nullptr};  // tiles, ld x (widest site)
  double *noise = nullptr;                // ld
  double *sums[2] = {nullptr, nullptr};   // tiles, ld x outputs
  double *values = nullptr;               // max_draws x ld x outputs, for quantiles
  bool finite = true;                     // all that was looked at in this call, see predict.cpp
};

// Draws of the parameters: draw s starts at params + s * param_count.
struct Draws {
  const double *params;
  int64_t count;
};

Predictor *predictor_layout(Arena &arena, const Net &net, int64_t max_draws);

// Values `out` must have room for.
int64_t prediction_size(const Predictor &predictor, const Data &data, const Draws &draws,
                        Prediction kind);
// Status::not_finite where draws that are finite have outputs that are not; `out` is then not
// complete.
Status predict(Predictor &predictor, const Data &data, const Draws &draws, Prediction kind,
               double *out, Error *err);
// mse: of the mean prediction; accuracy: of the most probable class; log_score: mean over rows of
// the log of the predictive density (or probability) of the target, -infinity where that is below
// what double precision has room for. Status::not_finite where outputs, or errors, are not finite.
Status score(Predictor &predictor, const Data &data, const Draws &draws, Score kind, double *value,
             Error *err);

// P(argmax_a (mean[a * stride] + sd * noise_a) = c) for every class c.
void argmax_probabilities(const double *mean, int64_t stride, int64_t classes, double sd,
                          double *out);
// The logarithm of one of them, right also where the probability itself is 0 in double precision.
double log_argmax_probability(const double *mean, int64_t stride, int64_t classes, double sd,
                              int64_t label);

}  // namespace nnp
