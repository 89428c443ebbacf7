// The intermediate noise posterior (eq. intermediate_noise_posterior): its log density, term by
// term.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// residuals[k-1] = sum over rows of |U_k - f_k(U_{k-1})|^2
void layer_residuals(State &state, double *residuals);

// log N(U_k | f_k(U_{k-1}), D_k) from that sum, and the log prior of layer k's parameters.
double log_noise_term(const State &state, int64_t k, double residual);
double log_prior_term(const State &state, int64_t k);

}  // namespace nnp
