// How gradient samplers move learned precisions together with their weights, between steps. Sites,
// if any, are held, and the likelihood given the new weights decides. A precision takes a few
// forward passes, which is little compared with a trajectory.
#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/sampler/gradient_sampler.hpp"
#include "lib/sampler/precisions.hpp"

namespace nnp {

namespace {

// One slice update: scale(c) multiplies the original parameters, which are kept in `before`.
template <class LogPrior, class Scale>
void slice(Chain &chain, double *before, LogPrior log_prior, Scale scale) {
  constexpr double width = 0.5;
  State &state = chain.state;
  const int64_t count = state.net.param_count();
  std::copy_n(state.params, count, before);
  const double moved = slice_from_zero(state.scale_stream, width, [&](double log_c) {
    const double c = fn::exp(log_c);
    std::copy_n(before, count, state.params);
    const double prior = log_prior(c);
    scale(c);
    return prior + log_likelihood_of_state(state);
  });
  std::copy_n(before, count, state.params);
  scale(fn::exp(moved));
}

// True if an activation separates the weights of layer k from those of layer k+2.
bool has_pair(const Net &net, int64_t k) {
  if (k + 2 > net.depth) return false;
  const Layer &below = net.layer(k), &above = net.layer(k + 2);
  return below.weight_count > 0 && ops_of(net.layer(k + 1)).elementwise && above.weight_count > 0 &&
         (below.learns_precisions() || above.learned_w.count > 0);
}

}  // namespace

void move_precisions(Chain &chain) {
  State &state = chain.state;
  double *before = gradient_sampler(chain).there.position;
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    if (has_pair(state.net, k)) {
      const Layer &above = state.net.layer(k + 2);
      slice(
          chain, before, [&](double c) { return log_prior_of_pair(state, layer, above, c); },
          [&](double c) { scale_pair(state, layer, above, c); });
    }
    for_due_precisions(layer, state.scale_stream, [&](const OnePrecision &one) {
      slice(
          chain, before, [&](double c) { return log_prior_of_one(state, one, c); },
          [&](double c) { scale_one(state, one, c); });
      return Status::ok;
    });
  }
}

}  // namespace nnp
