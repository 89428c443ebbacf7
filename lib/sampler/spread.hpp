// The site above a hidden layer with the layer's own sites integrated out. With X = F + e_X and
// U = X A + b + e_U, given F and A: U ~ N(F A + b, S), S = D_U I + D_X A'A.
#pragma once

#include "lib/linalg/cholesky.hpp"

namespace nnp {

// A linear layer as the features below it see it.
struct Reading {
  ConstTile a;              // its weights, a column per unit and a row per feature
  double noise_x, noise_u;  // D_X of the features, D_U of its own
};

// The lower triangle of S (units x units).
void spread_of(const Reading &above, const Kernels &kernels, double *s);
// The Cholesky factor of S; false if S is not positive definite in double precision.
bool factor_spread(const Reading &above, const Kernels &kernels, double *s);
// b (units x count) becomes S^-1 b, by that factor.
void solve_spread(const double *factor, int64_t units, double *b, int64_t count,
                  const Kernels &kernels);

}  // namespace nnp
