// The conditionals of learned scales. With the hyperprior Gamma(a, rate a/m) of a precision (1/D or
// lambda), and `count` values of variance 1/precision whose squares sum up to `squares`, it is
// Gamma(a + count/2, rate a/m + squares/2).
#pragma once

#include "lib/network/scales.hpp"
#include "lib/posterior/state.hpp"

namespace nnp {

// Puts scales at the mean precision of their hyperprior, or draws them from it; both put them in
// force.
void scales_at_means(Net &net, double *params);
void draw_prior_scales(Net &net, Stream &stream, double *params);

// Are noises left as they are (a chain that anneals)?
enum class Noises : int32_t { free, held };
// Are auxiliary scales of rows (HeadOps::noise_squares) drawn, or taken at their means?
enum class RowScales : int32_t { drawn, expected };

// Counts and squares of all scales at the state's position, into state.scale_sums; of noises that
// are held zeros.
void find_scale_sums(State &state, Noises noises, RowScales rows);
// A draw of all scales from their conditionals, put in force.
void draw_scales(State &state, Noises noises);

// Where precisions are put while weights are fitted: far below their hyperpriors' means, or at the
// maximum of their conditionals. Weights that climb under the latter shrink some layers to nothing:
// the maximum over weights and precisions together is no place where draws are.
enum class Precisions : int32_t { loose, fitted };
// Scales for weights that were fitted without noise in hidden layers: the precisions, and the noise
// of the last layer (with those tied to it) by the squares the network without noise leaves, as if
// `fitted` of the values, but no more than a quarter, had been used up: weights that can interpolate
// would otherwise make it collapse. Other noises stay.
void fit_scales(State &state, double fitted, Precisions precisions);
// The values of the targets that were not used up.
double values_left(const State &state, double fitted);

// The log density of the hyperpriors at these values of D and lambda: of layer k's own scales, and
// of all. A noise that layers share counts with the last of them.
double log_hyperprior_term(const Net &net, int64_t k, const double *params);
double log_hyperprior(const Net &net, const double *params);

}  // namespace nnp
