// Shared by the moves of learned scales: redrawing a site that a move has integrated out, and slice
// sampling of a logarithm.
#pragma once

#include "lib/base/functions.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/moves.hpp"

namespace nnp {

// Draws site k from its conditional, without over-relaxation.
inline Status redraw_site(Chain &chain, int64_t k, Error *err) {
  Gibbs &gibbs = gibbs_of(chain);
  const Relax relax = gibbs.relax;
  gibbs.relax = Relax{};
  const Status status = run_pass(chain, {nullptr, k, k, 1, 0}, err);
  gibbs.relax = relax;
  if (k == 1) input_sums_are_stale(chain);
  return status;
}

// Slice sampling (Neal 2003) of a number whose current value is 0: a bracket at a random position
// is stepped out, then shrunk to uniformly chosen points inside it until one is above the level.
// Returns 0 if none is found, also if the density is NaN.
template <class LogDensity>
double slice_from_zero(Stream &stream, double width, LogDensity log_density) {
  constexpr int most_steps = 16;
  const double level = log_density(0) - exponential(stream);
  double low = -width * stream.uniform(), high = low + width;
  int left = static_cast<int>(most_steps * stream.uniform()), right = most_steps - 1 - left;
  for (; left > 0 && log_density(low) > level; --left) low -= width;
  for (; right > 0 && log_density(high) > level; --right) high += width;
  for (;;) {
    const double at = low + (high - low) * stream.uniform();
    if (high - low < 1e-12) return 0;
    if (log_density(at) > level) return at;
    (at < 0 ? low : high) = at;
  }
}

// The log density of a precision's hyperprior, in the logarithm of the precision.
inline double log_gamma_prior(const Hyperprior &prior, double precision) {
  return prior.shape * fn::log(precision) - prior.shape / prior.mean * precision;
}

}  // namespace nnp
