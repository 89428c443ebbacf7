// The conditionals of learned scales. With the hyperprior Gamma(a, rate a/m) of a precision (1/D or
// lambda), and `count` values of variance 1/precision whose squares sum up to `squares`, it is
// Gamma(a + count/2, rate a/m + squares/2).
#pragma once

#include "lib/network/scales.hpp"
#include "lib/posterior/state.hpp"

namespace nnp {

// Sets scales to the mean precision of their hyperprior, or draws them from it; the network's
// layers are updated too.
void scales_at_means(Net &net, double *params);
void draw_prior_scales(Net &net, Stream &stream, double *params);

// Whether noises are held fixed (while a chain anneals).
enum class Noises : int32_t { free, held };
// Whether auxiliary row scales (HeadOps::noise_squares) are drawn, or set to their means.
enum class RowScales : int32_t { drawn, expected };

// Computes counts and squares of all scales at the state's position, into state.scale_sums; zeros
// for noises that are held.
void find_scale_sums(State &state, Noises noises, RowScales rows);
// Draws all scales from their conditionals and updates the network's layers.
void draw_scales(State &state, Noises noises);

// How precisions are set while weights are fitted: far below their hyperpriors' means, or at the
// maximum of their conditionals. With the latter, optimizing the weights shrinks some layers to
// nothing: draws are not found at the joint maximum over weights and precisions.
enum class Precisions : int32_t { loose, fitted };
// Sets scales for weights that were fitted without hidden noise: the precisions, and the noise of
// the last layer (with those tied to it) from the squared residuals of the network without noise,
// as if `fitted` of the values, but at most a quarter, were degrees of freedom used up by the fit:
// otherwise the noise would collapse if the weights can interpolate. Other noises are unchanged.
void fit_scales(State &state, double fitted, Precisions precisions);
// Number of target values minus the degrees of freedom used up.
double values_left(const State &state, double fitted);

// The log density of the hyperpriors at these values of D and lambda: for layer k's scales, and for
// all. A noise that layers share is counted with the last of them.
double log_hyperprior_term(const Net &net, int64_t k, const double *params);
double log_hyperprior(const Net &net, const double *params);

}  // namespace nnp
