// Means and variances of quantities whose draws arrive one by one and are not kept.
#pragma once

#include <cstdint>

namespace nnp {

// Moments of `width` quantities over `count` draws: means, and sums of squared deviations from
// them.
struct Moments {
  double *mean;
  double *square;
  int64_t count;
};

// Adds one draw (Welford).
void moments_add(Moments &moments, const double *draw, int64_t width);
// Adds the draws that `other` has seen (Chan, Golub, LeVeque). Bits depend on the order of merging,
// so chains are merged in the order of their numbers.
void moments_merge(Moments &moments, const Moments &other, int64_t width);

// R-hat of one quantity from each chain's mean and variance. Chains are not split, so a drift that
// all of them share is not detected. NaN for fewer than two chains or draws, and if nothing moves.
// Chain c has mean[c * stride] and square[c * stride], each over `draws` draws.
double moments_rhat(const double *mean, const double *square, int64_t stride, int64_t chains,
                    int64_t draws);

}  // namespace nnp
