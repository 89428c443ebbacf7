#include "lib/sampler/gradient_statistic.hpp"

#include "lib/posterior/gradient_statistic.hpp"
#include "lib/sampler/gradient_sampler.hpp"

namespace nnp {

namespace {

// The classical posterior is sampled by gradient samplers, which have room for another gradient.
// Their stored one, which may be in single precision, stays as it is: the next step begins with it.
double classical_gradient(Chain &chain, int64_t k) {
  State &state = chain.state;
  GradientSampler &sampler = gradient_sampler(chain);
  const Layer &layer = state.net.layer(k);
  density_and_gradient(state, sampler.flow.work, state.params, sampler.there.gradient);
  double sum = 0;
  for (int64_t i = 0; i < layer.weight_count; ++i) sum += layer.weights(sampler.there.gradient)[i];
  return state.net.layer(state.net.depth).noise * sum / static_cast<double>(layer.weight_count);
}

}  // namespace

double chain_gradient_statistic(Chain &chain, int64_t k, double *work) {
  if (chain.posterior == PosteriorKind::classical) return classical_gradient(chain, k);
  return gradient_statistic(chain.state, k, work);
}

}  // namespace nnp
