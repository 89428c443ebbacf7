#include "lib/posterior/intermediate.hpp"

#include "lib/posterior/heat.hpp"

namespace nnp {

namespace {

// The last site and its mean f, for a given `site`.
LossTile last_fit(const State &state, ConstTile f, ConstTile site, int64_t t, Tile gradient) {
  const double noise = state.net.layer(state.net.depth).noise;
  return {{f, site, state.labels(t), noise}, 0.5 / noise / state.net.temperature_left(), gradient};
}

void add_residuals(State &state, void *, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Tile mean = state.mean_tile(block, k, t);
    mean_of_site(state, k, t, mean);
    const ConstTile site = state.tile(k, t);
    block.sums[k - 1] +=
        k < state.net.depth
            ? squared_distance(site, mean)
            : ops_of(state.net.head)
                  ->fit(state.net.head, last_fit(state, mean, site, t, {}), *state.kernels);
  }
}

// out = 0 - in
void negate(ConstTile in, Tile out) {
  for (int64_t j = 0; j < in.width; ++j)
    for (int64_t i = 0; i < in.rows; ++i) out.col(j)[i] = 0 - in.col(j)[i];
}

int64_t rows_outside(const State &state, ConstTile scores, int64_t t) {
  const HeadOps &head = *ops_of(state.net.head);
  int64_t count = 0;
  for (int64_t i = 0; i < scores.rows; ++i)
    count += head.feasible(state.labels(t), scores, i) ? 0 : 1;
  return count;
}

}  // namespace

// With r_k = (U_k - f_k) / D_k the gradient with respect to U_k is -r_k + (df_{k+1}/dU_k)' r_{k+1}.
// Going down from the last layer, each layer stores the second term for the site below it.
void intermediate_tile(State &state, const GradientPass &pass, int64_t b, int64_t t) {
  BlockGradient &own = pass.work->blocks[b];
  BlockWork &block = state.blocks[b];
  const Net &net = state.net;
  const auto site_tile = [&](int64_t k) {
    if (k == 0) return state.data->inputs(t);
    return state.tiling.tile(state.site(k, pass.position), state.site_columns(k), t);
  };
  const auto gradient_tile = [&](int64_t k) {
    return state.tiling.tile(state.latent(k, pass.gradient), net.site_width(k), t);
  };
  for (int64_t k = net.depth; k >= 1; --k) {
    const Layer &layer = net.layer(k);
    const double precision = 1 / layer.noise;
    const ConstTile in = site_tile(k - 1), site = site_tile(k);
    const Tile mean = state.mean_tile(block, k, t);
    const Tile error = {block.scratch[0], mean.rows, mean.width, mean.ld};
    ops_of(layer).forward(layer, pass.position, in, mean, *state.kernels);
    if (k == net.depth) {
      const LossTile last = last_fit(state, mean, site, t, error);
      own.terms[k - 1] += ops_of(net.head)->fit(net.head, last, *state.kernels);
      if (k <= state.last_latent) {
        negate(error, gradient_tile(k));
        own.outside += rows_outside(state, site, t);
      }
    } else {
      own.terms[k - 1] +=
          state.kernels->subtract_twice(site, mean, precision, error, gradient_tile(k));
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
  sum_over_blocks(
      state, depth, [&](int64_t b) { return state.blocks[b].sums; }, residuals);
}

double log_noise_term(const State &state, int64_t k, double residual) {
  const double noise = state.net.layer(k).noise;
  if (k < state.net.depth)
    return -0.5 * residual / noise + gaussian_log_constant(state.net.head, state.tiling.total,
                                                           state.net.site_width(k), noise);
  return heated_log_likelihood(state, residual);
}

}  // namespace nnp
