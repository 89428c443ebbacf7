// Autocovariances of all lags at once, by a fast Fourier transform in the caller's memory.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

struct FourierWork {
  int64_t size;             // a power of two, at least twice the longest chain
  double *re, *im, *power;  // `size` each
  double *cosine, *sine;    // entry h + j: angle pi j / h, for h = 1, 2, 4 ... size / 2
};

// Memory for chains of up to `draws` draws. The tables are empty until prepare().
FourierWork fourier_layout(Arena &arena, int64_t draws);
void prepare(const FourierWork &work);

// out[k] = 1/(chains * draws) sum_c sum_t (x_tc - mean_c)(x_{t+k,c} - mean_c), k = 0 ... draws - 1.
void mean_autocovariance(const Chains &x, const FourierWork &work, double *out);

}  // namespace nnp
