#include "lib/posterior/heat.hpp"

#include <algorithm>
#include <cmath>

#include "lib/posterior/classical.hpp"

namespace nnp {

namespace {

const Layer &last_layer(const State &state) {
  return state.net.layer(state.net.depth);
}

double log_constant_at(const State &state, double noise) {
  const Net &net = state.net;
  return ops_of(net.head)->log_constant(net.head, state.tiling.total, net.outputs(), noise);
}

// D of the model.
double model_noise(const State &state) {
  return last_layer(state).noise / state.net.noise_factor;
}

// f of the last layer, given the site below it.
Tile last_mean(State &state, int64_t t) {
  const Tile mean = state.mean_tile(state.blocks[0], state.net.depth, t);
  mean_of_site(state, state.net.depth, t, mean);
  return mean;
}

double tile_fit(State &state, int64_t t, double noise) {
  const Net &net = state.net;
  const Outcomes rows = {last_mean(state, t), state.tile(net.depth, t), state.labels(t), noise};
  return ops_of(net.head)->fit(net.head, {rows, 0.5 / noise, {}}, *state.kernels);
}

// The fit of the observed last site, given the site below it.
double last_fit(State &state, double noise) {
  const Tiling &tiling = state.tiling;
  double sum = 0;
  if (!state.rows()) {
    for (int64_t t = 0; t < tiling.tiles; ++t) sum += tile_fit(state, t, noise);
    return sum;
  }
  for (int64_t b = 0; b < tiling.blocks; ++b) {
    state.blocks[b].sums[0] = 0;
    for (int64_t t = tiling.first_tile(b); t < tiling.last_tile(b); ++t)
      state.blocks[b].sums[0] += tile_fit(state, t, noise);
  }
  sum_over_blocks(
      state, 1, [&](int64_t b) { return state.blocks[b].sums; }, &sum);
  return sum;
}

// log p(y | f) of all rows at the model's D. Classes have a loss and no constant.
double log_likelihood(State &state) {
  const double noise = model_noise(state);
  const double fit = state.with_latents ? last_fit(state, noise) : classical_loss(state);
  const bool classes = ops_of(state.net.head)->target == TargetKind::labels;
  return -0.5 * fit / noise + (classes ? 0 : log_constant_at(state, noise));
}

// Log probability of the labels if all scores are equal.
double log_uninformed(const State &state) {
  const Net &net = state.net;
  double zeros[Tiling::max_rows] = {};
  const ConstTile f = {zeros, 1, net.outputs(), 0};
  const Outcomes row = {f, {}, state.labels(0), 1};
  return ops_of(net.head)->log_likelihood(net.head, row, 0);
}

void add_label_terms(State &state, int64_t t, const double *powers, int64_t count, double *terms) {
  const Net &net = state.net;
  const double noise = model_noise(state);
  Outcomes rows = {last_mean(state, t), {}, state.labels(t), noise};
  for (int64_t c = 0; c < count; ++c) {
    rows.noise = noise / powers[c];
    for (int64_t i = 0; i < rows.f.rows && powers[c] > 0; ++i)
      terms[c] += ops_of(net.head)->log_likelihood(net.head, rows, i);
  }
}

void redraw_tile(State &state, void *, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  const int64_t k = state.net.depth;
  const Tile mean = state.mean_tile(block, k, t);
  mean_of_site(state, k, t, mean);
  ops_of(state.net.head)
      ->draw_afresh(mean, state.net.layer(k).noise, state.labels(t), block.stream,
                    state.latent_tile(k, t), *state.draws);
}

}  // namespace

void heat_likelihood(State &state, double temperature) {
  Net &net = state.net;
  net.temperature = temperature;
  net.noise_factor = state.with_latents && ops_of(net.head)->gaussian_site ? temperature : 1;
  Layer &last = net.layers[net.depth - 1];
  last.noise = last.final_noise * net.noise_factor;
}

double log_heat_constant(const State &state) {
  if (path_integrates_scores(state)) return 0;
  return log_constant_at(state, model_noise(state)) / state.net.temperature -
         log_constant_at(state, last_layer(state).noise) / state.net.temperature_left();
}

double heated_log_likelihood(const State &state, double fit) {
  const double noise = last_layer(state).noise;
  return (-0.5 * fit / noise + log_constant_at(state, noise)) / state.net.temperature_left() +
         log_heat_constant(state);
}

bool path_integrates_scores(const State &state) {
  return state.last_latent == state.net.depth;
}

double path_origin(const State &state) {
  return path_integrates_scores(state)
             ? static_cast<double>(state.tiling.total) * log_uninformed(state)
             : 0;
}

void path_terms(State &state, const double *powers, int64_t count, double *terms) {
  if (!path_integrates_scores(state)) {
    const double all = log_likelihood(state);
    for (int64_t c = 0; c < count; ++c) terms[c] = powers[c] > 0 ? powers[c] * all : 0;
    return;
  }
  for (int64_t c = 0; c < count; ++c) terms[c] = powers[c] > 0 ? 0 : path_origin(state);
  for (int64_t t = 0; t < state.tiling.tiles; ++t) add_label_terms(state, t, powers, count, terms);
}

void redraw_scores(State &state) {
  for_each_tile(state, redraw_tile, nullptr);
}

}  // namespace nnp
