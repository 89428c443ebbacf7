#include "lib/teacher/start.hpp"

#include <cmath>
#include <cstring>

#include "lib/posterior/scales.hpp"
#include "lib/random/tiles.hpp"

namespace nnp {

namespace {

void draw_gaussian(Stream &stream, double sd, double *values, int64_t count) {
  fill_normal(stream, values, count);
  for (int64_t i = 0; i < count; ++i) values[i] *= sd;
}

// Fills the last site of a probit head, given its mean.
void fill_scores(State &state, BlockWork &block, int64_t t, bool noisy) {
  const HeadOps &head = *ops_of(state.net.head);
  const int64_t k = state.net.depth;
  const Tile site = state.latent_tile(k, t);
  head.make_feasible(state.labels(t), site);
  if (!noisy) return;
  const Tile mean = state.mean_tile(block, k, t);
  mean_of_site(state, k, t, mean);
  HeadCounts ignored;
  head.draw(mean, state.net.layer(k).noise, state.labels(t), block.stream, site, ignored,
            *state.draws);
}

void fill_tile(State &state, void *context, int64_t b, int64_t t) {
  const bool noisy = *static_cast<const bool *>(context);
  BlockWork &block = state.blocks[b];
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    const Tile site = state.latent_tile(k, t);
    mean_of_site(state, k, t, site);
    if (noisy) add_normals(site, std::sqrt(state.net.layer(k).noise), block.stream);
  }
  if (state.last_latent == state.net.depth) fill_scores(state, block, t, noisy);
}

void fill_small_tile(State &state, void *context, int64_t b, int64_t t) {
  const double sd = *static_cast<const double *>(context);
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    const Tile site = state.latent_tile(k, t);
    for (int64_t j = 0; j < site.width; ++j)
      draw_gaussian(state.blocks[b].stream, sd, site.col(j), site.rows);
  }
}

}  // namespace

void start_zero(State &state) {
  const int64_t rows = state.tiling.tiles * state.tiling.ld;
  std::memset(state.params, 0, static_cast<size_t>(state.net.param_count()) * sizeof(double));
  scales_at_means(state.net, state.params);
  for (int64_t k = 1; k <= state.last_latent; ++k)
    std::memset(state.latents[k], 0,
                static_cast<size_t>(rows * state.net.site_width(k)) * sizeof(double));
}

void start_small(State &state, double sd) {
  scales_at_means(state.net, state.params);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    draw_gaussian(state.layer_streams[k - 1], sd, layer.weights(state.params), layer.param_count());
  }
  for_each_tile(state, fill_small_tile, &sd);
  make_scores_feasible(state);
}

void draw_prior_params(const Layer &layer, Stream &stream, double *params) {
  double *weights = layer.weights(params);
  draw_gaussian(stream, layer.lambda_in ? 1 : 1 / std::sqrt(layer.lambda_w), weights,
                layer.weight_count);
  for (int64_t i = 0; layer.lambda_in && i < layer.weight_count; ++i)
    weights[i] /= std::sqrt(layer.weight_precision(i % fan_in(layer)));
  draw_gaussian(stream, 1 / std::sqrt(layer.lambda_b), weights + layer.weight_count,
                layer.bias_count);
}

void draw_prior_params(State &state) {
  draw_prior_scales(state.net, state.scale_stream, state.params);
  for (int64_t k = 1; k <= state.net.depth; ++k)
    draw_prior_params(state.net.layer(k), state.layer_streams[k - 1], state.params);
}

void fill_sites(State &state, bool noisy) {
  for_each_tile(state, fill_tile, &noisy);
}

}  // namespace nnp
