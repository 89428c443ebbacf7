// Moves a learned noise below the last activation while its sites stay fitted to the data
// (noise_pull.cpp); part of the moves of noises.
#pragma once

#include "lib/sampler/moves.hpp"

namespace nnp {

// Memory of the move: values per site in tiles, values per row, one sum per block.
struct NoisePull {
  double *means = nullptr;      // f, the mean of the site
  double *residuals = nullptr;  // U - f
  double *slopes = nullptr;     // a, the slope of the last mean with respect to the site, at f
  double *misfits = nullptr;    // r = y - last mean at f
  double *squares = nullptr;    // |a|^2
  double *parts = nullptr;      // component of the site's noise in the direction of a
  double *sums = nullptr;
};

// True if the network has such a noise, and one output.
bool can_pull(const Net &net);
NoisePull noise_pull_layout(Arena &arena, const State &state);
// Moves that noise: against the last one if that is learned, else alone.
Status pull_noise(Chain &chain, NoisePull &work, Error *err);
// Multiplications per row; 0 if the network has no such noise.
double work_of_pull(const State &state);

}  // namespace nnp
