// Starts of a chain: zero, the prior, given weights, a given state; and the noisy generative
// process (eq. gen_process_intermediate_noise) that computes sites from weights.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// All weights, biases and latent sites are zero (scores of probit heads are then ties, which agree
// with any label); learned scales are at the mean precision of their hyperpriors.
void start_zero(State &state);
// All weights, biases and latent sites are N(0, sd^2); scores of probit heads are made to agree
// with the labels; learned scales are at the mean precision of their hyperpriors.
void start_small(State &state, double sd);
// Draws parameters from the prior: weights and biases of one layer given its scales; and all of
// them.
void draw_prior_params(const Layer &layer, Stream &stream, double *params);
void draw_prior_params(State &state);
// Computes latent sites from the parameters, with the model's noise or without. Scores of probit
// heads are then made to agree with the labels and, with noise, drawn given them.
void fill_sites(State &state, bool noisy);

}  // namespace nnp
