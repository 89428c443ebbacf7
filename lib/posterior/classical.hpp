// The classical posterior (eq. classical_posterior): weights only, and the loss of the last layer's
// outputs. D is the noise of the last layer; the other layers' noises do not enter.
#pragma once

#include "lib/posterior/gradient.hpp"

namespace nnp {

// A tile's share of the loss and of its gradient with respect to the parameters.
void classical_loss_tile(State &state, const GradientPass &pass, int64_t b, int64_t t);
void single_tile(State &state, const GradientPass &pass, int64_t b, int64_t t);
void classical_tile(State &state, const GradientPass &pass, int64_t block, int64_t tile);

// The loss, summed over the rows.
double classical_loss(State &state);

// -(1/(2D)) loss and, if D is learned, the log of the constant that makes it a density
double log_loss_term(const State &state, double loss);

}  // namespace nnp
