// The posterior at a temperature: the likelihood of the last site to the power 1/T, from the prior
// (T without bound) to the posterior (T = 1). Descents and replicas share this one notion:
// Net::temperature, which every density, gradient and conditional uses.
//
// A Gaussian N(y; f, D)^(1/T) is N(y; f, DT) times a factor that depends on D alone. So if D is
// fixed, the power is just a larger noise, and all code for Gaussians applies. If D is learned the
// factor matters (log_heat_constant). Latent scores of probit heads have no likelihood, only labels
// that truncate them: their path increases their noise, D T, until labels carry no information.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// Sets the temperature, 1 <= T < infinity. Hidden noises are unchanged.
void heat_likelihood(State &state, double temperature);

// log p(y | last f)^(1/T) from its fit (HeadOps::fit or, classically, HeadOps::loss with its
// constant); for latent scores log p(U | last f) at the noise D T.
double heated_log_likelihood(const State &state, double fit);
// The log of the factor that turns N(y; f, D T) into N(y; f, D)^(1/T); 0 for latent scores.
double log_heat_constant(const State &state);

// The path as a function of the power b = 1/T, from 0 to 1: terms[i] = log q_b(state), b =
// powers[i], so that a chain at temperature 1/b samples q_b times the prior. log q_b is b log p(y |
// last f); for probit heads with latent scores, log p(labels | last f) at noise D / b, with the
// scores integrated out.
void path_terms(State &state, const double *powers, int64_t count, double *terms);
// log q_0, which is equal for all states.
double path_origin(const State &state);

// True if swaps integrate out latent scores; these can be redrawn from their conditional at the
// current temperature, independently of their old values.
bool path_integrates_scores(const State &state);
void redraw_scores(State &state);

}  // namespace nnp
