// Predictions for rows of inputs from one or many draws of the parameters, and how good they are.
#pragma once

#include <cstdint>

#include "lib/network/engine.hpp"
#include "lib/network/net.hpp"

namespace nnp {

// Values are pinned: they are the NNP_PREDICT_* of the C header.
enum class Prediction : int32_t {
  mean = 1,           // [output, row]
  sd = 2,             // [output, row]
  quantiles = 3,      // [level, output, row]
  probabilities = 4,  // [class column, row], as the head has them
  votes = 5,          // [class column, row]
  draws = 6,          // [output, row, draw]
};

constexpr int64_t max_levels = 64;

struct Predictor : Engine {
  Simd wanted_simd = Simd::best;
  Blas wanted_blas = Blas::automatic;
  Net net;
  int64_t max_draws = 0;
  bool classical = false;  // draws of the classical posterior: noise and softmax at the end only
  bool noisy = false;
  uint64_t seed = 0;
  double levels[max_levels];
  int64_t level_count = 0;
  double *sites[2] = {nullptr, nullptr};  // tiles, ld x (widest site)
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

}  // namespace nnp
