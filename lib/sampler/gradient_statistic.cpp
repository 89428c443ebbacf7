#include "lib/sampler/gradient_statistic.hpp"

#include "lib/posterior/gradient_statistic.hpp"
#include "lib/sampler/gradient_sampler.hpp"

namespace nnp {

namespace {

// The classical posterior is sampled by gradient samplers, so their stored gradient is brought up
// to date (if the sampler has started it already is) and averaged.
double classical_gradient(Chain &chain, int64_t k) {
  State &state = chain.state;
  GradientSampler &sampler = gradient_sampler(chain);
  const Layer &layer = state.net.layer(k);
  density_and_gradient(state, sampler.flow.work, state.params, sampler.here.gradient);
  double sum = 0;
  for (int64_t i = 0; i < layer.weight_count; ++i) sum += layer.weights(sampler.here.gradient)[i];
  return state.net.layer(state.net.depth).noise * sum / static_cast<double>(layer.weight_count);
}

}  // namespace

double chain_gradient_statistic(Chain &chain, int64_t k, double *work) {
  if (chain.posterior == PosteriorKind::classical) return classical_gradient(chain, k);
  return gradient_statistic(chain.state, k, work);
}

}  // namespace nnp
