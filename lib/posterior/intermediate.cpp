#include "lib/posterior/intermediate.hpp"

#include <algorithm>
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

void clear(Tile tile) {
  for (int64_t j = 0; j < tile.width; ++j) std::fill_n(tile.col(j), tile.rows, 0.0);
}

void add_residuals(State &state, void *, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Tile mean = state.mean_tile(block, k, t);
    mean_of_site(state, k, t, mean);
    block.sums[k - 1] += squared_distance(state.tile(k, t), mean);
  }
}

int64_t rows_outside(const State &state, ConstTile scores, int64_t t) {
  const HeadOps &head = *ops_of(state.net.head);
  int64_t count = 0;
  for (int64_t i = 0; i < scores.rows; ++i)
    count += head.feasible(state.labels(t), scores, i) ? 0 : 1;
  return count;
}

}  // namespace

// With r_k = (U_k - f_k) / D_k the gradient by U_k is -r_k + (df_{k+1}/dU_k)' r_{k+1}: from the
// last layer down, each layer leaves the second term behind for the site below it.
void intermediate_tile(State &state, void *context, int64_t b, int64_t t) {
  const GradientPass &pass = *static_cast<const GradientPass *>(context);
  BlockGradient &own = pass.work->blocks[b];
  BlockWork &block = state.blocks[b];
  const Net &net = state.net;
  const auto site_tile = [&](int64_t k) {
    if (k == 0) return state.data->inputs(t);
    return state.tiling.tile(state.site(k, pass.position), net.site_width(k), t);
  };
  const auto gradient_tile = [&](int64_t k) {
    return state.tiling.tile(state.latent(k, pass.gradient), net.site_width(k), t);
  };
  for (int64_t k = net.depth; k >= 1; --k) {
    const Layer &layer = net.layer(k);
    const double precision = 1 / layer.noise;
    const ConstTile in = site_tile(k - 1), site = site_tile(k);
    const Tile mean = state.mean_tile(block, k, t);
    const Tile error = {block.scratch[0], site.rows, site.width, site.ld};
    ops_of(layer).forward(layer, pass.position, in, mean, *state.kernels);
    if (k > state.last_latent) {
      own.terms[k - 1] += state.kernels->subtract(site, mean, precision, error);
    } else {
      const Tile gradient = gradient_tile(k);
      if (k == net.depth) {
        clear(gradient);
        own.outside += rows_outside(state, site, t);
      }
      own.terms[k - 1] += state.kernels->subtract_twice(site, mean, precision, error, gradient);
    }
    const Tile below = k > 1 ? gradient_tile(k - 1) : Tile{nullptr, in.rows, in.width, in.ld};
    ops_of(layer).backward(layer, pass.position, {in, mean, error, below}, own.params,
                           *state.kernels, block.scratch[1]);
  }
}

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

}  // namespace nnp
