// The distribution of the site above a hidden layer with the layer's own sites integrated out. With
// X = F + e_X and U = X A + b + e_U, given F and A: U ~ N(F A + b, S), S = D_U I + D_X A'A.
#pragma once

#include "lib/linalg/cholesky.hpp"

namespace nnp {

// A linear layer seen from the features below it.
struct Reading {
  ConstTile a;              // its weights, one column per unit and one row per feature
  double noise_x, noise_u;  // D_X of the features, D_U of the layer
};

// Computes the lower triangle of S (units x units).
void spread_of(const Reading &above, const Kernels &kernels, double *s);
// Computes the Cholesky factor of S; false if S is not positive definite in double precision.
bool factor_spread(const Reading &above, const Kernels &kernels, double *s);
// Replaces b (units x count) by S^-1 b, using the factor.
void solve_spread(const double *factor, int64_t units, double *b, int64_t count,
                  const Kernels &kernels);

}  // namespace nnp
