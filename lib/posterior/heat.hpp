// The posterior at a temperature: the likelihood of the last site to the power 1/T, from the prior
// (T without bound) to the posterior (T = 1). One notion for descents that cool and for replicas:
// Net::temperature, which every density, gradient and conditional heeds.
//
// A Gaussian N(y; f, D)^(1/T) is N(y; f, DT) times a factor of D alone: wherever D is held, the power
// is a larger noise, and what is made for Gaussians serves. Where D is learned the factor counts
// (log_heat_constant). Latent scores of probit heads have no likelihood of their own, only labels
// that cut them off: their path is over their noise, D T, at the end of which labels say nothing.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// Puts a temperature in force, 1 <= T < infinity. Hidden noises stay as they are.
void heat_likelihood(State &state, double temperature);

// log p(y | last f)^(1/T) from its fit (HeadOps::fit or, classically, HeadOps::loss with its
// constant); of latent scores log p(U | last f) at the noise D T.
double heated_log_likelihood(const State &state, double fit);
// What N(y; f, D T) has to be multiplied with, as a logarithm; 0 for latent scores.
double log_heat_constant(const State &state);

// The path as a function of the power b = 1/T, from 0 to 1: terms[i] = log q_b(state), b = powers[i],
// so that q_b times the prior is what a chain at 1/b samples. b log p(y | last f); for probit heads
// with latent scores, log p(labels | last f) at noise D / b, the scores integrated out.
void path_terms(State &state, const double *powers, int64_t count, double *terms);
// log q_0, the same for any state.
double path_origin(const State &state);

// The path of latent scores: they are drawn from their conditional at the temperature in force,
// independently of what they were.
bool path_integrates_scores(const State &state);
void redraw_scores(State &state);

}  // namespace nnp
