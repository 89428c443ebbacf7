#include "lib/posterior/intermediate.hpp"

#include <cmath>

namespace nnp {

namespace {

constexpr double log_two_pi = 1.8378770664093454836;

double squared_distance(ConstTile a, ConstTile b) {
  double sum = 0;
  for (int64_t j = 0; j < a.width; ++j) {
    const double *p = a.col(j), *q = b.col(j);
    for (int64_t i = 0; i < a.rows; ++i) sum += (p[i] - q[i]) * (p[i] - q[i]);
  }
  return sum;
}

void add_residuals(State &state, void *, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Tile mean = state.mean_tile(block, k, t);
    mean_of_site(state, k, t, mean);
    block.sums[k - 1] += squared_distance(state.tile(k, t), mean);
  }
}

double squared_norm(const double *values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

// log of N(0, 1/lambda) over `count` values
double log_gaussian_prior(const double *values, int64_t count, double lambda) {
  if (count == 0) return 0;
  return 0.5 * static_cast<double>(count) * (std::log(lambda) - log_two_pi) -
         0.5 * lambda * squared_norm(values, count);
}

}  // namespace

void layer_residuals(State &state, double *residuals) {
  const int64_t depth = state.net.depth;
  for (int64_t b = 0; b < state.tiling.blocks; ++b)
    for (int64_t k = 0; k < depth; ++k) state.blocks[b].sums[k] = 0;
  for_each_tile(state, add_residuals, nullptr);
  for (int64_t k = 0; k < depth; ++k) {
    residuals[k] = 0;
    for (int64_t b = 0; b < state.tiling.blocks; ++b) residuals[k] += state.blocks[b].sums[k];
  }
}

double log_noise_term(const State &state, int64_t k, double residual) {
  const double noise = state.net.layer(k).noise;
  const double count =
      static_cast<double>(state.tiling.n) * static_cast<double>(state.net.site_width(k));
  return -0.5 * residual / noise - 0.5 * count * (std::log(noise) + log_two_pi);
}

double log_prior_term(const State &state, int64_t k) {
  const Layer &layer = state.net.layer(k);
  return log_gaussian_prior(layer.weights(state.params), layer.weight_count, layer.lambda_w) +
         log_gaussian_prior(layer.biases(state.params), layer.bias_count, layer.lambda_b);
}

}  // namespace nnp
