// How many independent draws a correlated sample is worth, by Geyer's initial monotone sequence.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/diagnostics/autocovariance.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

struct EssWork {
  FourierWork fourier;
  double *autocovariance;  // becomes the autocorrelation, lag by lag
};

EssWork ess_layout(Arena &arena, int64_t draws);

// 1 + 2 sum_k rho_k over the initial positive sequence, made monotone, of pair sums rho_2k +
// rho_2k+1, with rho_k from all chains together; at least 1/log10(number of draws). `work` must be
// prepared. NaN if `unanswerable`, and with fewer than three draws per chain.
double autocorrelation_time(const Chains &x, const EssWork &work);
// Number of draws / autocorrelation_time.
double ess_of(const Chains &x, const EssWork &work);

}  // namespace nnp
