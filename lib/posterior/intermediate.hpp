// The intermediate noise posterior (eq. intermediate_noise_posterior): its log density, term by
// term, and its gradient.
#pragma once

#include "lib/posterior/gradient.hpp"

namespace nnp {

// residuals[k-1] = sum over rows of |U_k - f_k(U_{k-1})|^2; for the last layer the head's fit
void layer_residuals(State &state, double *residuals);

// log p(U_k | U_{k-1}) from that sum
double log_noise_term(const State &state, int64_t k, double residual);

// A tile's share of the sums of squares and of their gradient with respect to the parameters, and
// the gradient with respect to the tile's sites.
void intermediate_tile(State &state, const GradientPass &pass, int64_t block, int64_t tile);

}  // namespace nnp
