#include "lib/sampler/precisions.hpp"

#include <cmath>

#include "lib/base/functions.hpp"

namespace nnp {

namespace {

// Log prior of weights multiplied by `factor`. Learned precision: W sqrt(lambda) is held, and
// lambda / factor^2 has its hyperprior. Fixed precision: the Gaussian prior of the weights, and the
// Jacobian.
double log_prior(const State &state, const LearnedScale &scale, double energy, int64_t count,
                 double factor) {
  if (scale.count == 0) return -0.5 * factor * factor * energy + as_double(count) * fn::log(factor);
  double sum = 0;
  for (int64_t i = scale.first; i < scale.first + scale.count; ++i)
    sum += log_gamma_prior(scale.prior, state.params[i] / (factor * factor));
  return sum;
}

void scale_values(double *values, int64_t count, double factor) {
  for (int64_t i = 0; i < count; ++i) values[i] *= factor;
}

void scale_learned(State &state, const LearnedScale &scale, double factor) {
  if (scale.count > 0) scale_values(state.params + scale.first, scale.count, factor);
}

}  // namespace

double log_prior_of_one(const State &state, const OnePrecision &one, double c) {
  return log_gamma_prior(one.prior, state.params[one.index] / (c * c));
}

double log_prior_of_pair(const State &state, const Layer &below, const Layer &above, double c) {
  const double *w = below.weights(state.params), *a = above.weights(state.params);
  const double square = squared_norm(w + below.weight_count, below.bias_count);
  return log_prior(state, below.learned_w, weight_energy(below, w, below.weight_count),
                   below.weight_count, c) +
         log_prior(state, below.learned_b, below.lambda_b * square, below.bias_count, c) +
         log_prior(state, above.learned_w, weight_energy(above, a, above.weight_count),
                   above.weight_count, 1 / c);
}

void scale_one(State &state, const OnePrecision &one, double c) {
  for (int64_t i = 0; i < one.count; ++i) state.params[one.first + i * one.stride] *= c;
  state.params[one.index] /= c * c;
}

void scale_pair(State &state, const Layer &below, const Layer &above, double c) {
  scale_values(below.weights(state.params), below.param_count(), c);
  scale_values(above.weights(state.params), above.weight_count, 1 / c);
  scale_learned(state, below.learned_w, 1 / (c * c));
  scale_learned(state, below.learned_b, 1 / (c * c));
  scale_learned(state, above.learned_w, c * c);
}

}  // namespace nnp
