// Means and variances of quantities whose draws come one by one and are not kept.
#pragma once

#include <cstdint>

namespace nnp {

// Of `width` quantities over `count` draws: means, and sums of squared deviations from them.
struct Moments {
  double *mean;
  double *square;
  int64_t count;
};

// One more draw (Welford).
void moments_add(Moments &moments, const double *draw, int64_t width);
// Adds the draws that `other` has seen (Chan, Golub, LeVeque). Bits depend on the order of merging:
// chains are merged in the order of their numbers.
void moments_merge(Moments &moments, const Moments &other, int64_t width);

// R-hat of one quantity from each chain's own mean and variance: chains are not split, so a drift that
// all of them share is not seen. NaN for fewer than two chains or draws, and where nothing moves.
// Chain c has mean[c * stride] and square[c * stride], all of `draws` draws.
double moments_rhat(const double *mean, const double *square, int64_t stride, int64_t chains,
                    int64_t draws);

}  // namespace nnp
