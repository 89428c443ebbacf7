// The draw of a layer's weights: all its units share one precision (eq. cond_W).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/linalg/cholesky.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/gibbs.hpp"
#include "lib/sampler/vectors.hpp"

namespace nnp {

namespace {

// Stores the draw unit by unit; the last entry of each column is the bias.
void store_weights(const Layer &layer, const WeightDraw &w, double keep, double *params) {
  double *weights = layer.weights(params);
  double *biases = weights + layer.weight_count;
  const int64_t fan_in = layer.bias ? w.order - 1 : w.order;
  for (int64_t u = 0; u < w.units; ++u) {
    const double *drawn = w.cross + u * w.order;
    double *unit = weights + u * fan_in;
    for (int64_t i = 0; i < fan_in; ++i) unit[i] = keep * unit[i] + drawn[i];
    if (layer.bias) biases[u] = keep * biases[u] + drawn[fan_in];
  }
}

// sum[i] for first <= i < last; the range is short enough to stay in cache while blocks are added.
// Each block prefetches the range of the next.
void sum_shares(const State &state, const double *shares, int64_t count, int64_t first,
                int64_t last, double *sum) {
  constexpr int64_t line = 8;
  for (int64_t i = first; i < last; ++i) sum[i] = shares[i];
  for (int64_t b = 1; b < state.tiling.blocks; ++b) {
    const double *share = shares + b * count;
    const int64_t ahead = b + 1 < state.tiling.blocks ? count : 0;
    int64_t i = first;
    for (; i + line <= last; i += line) {
      __builtin_prefetch(share + ahead + i);
      for (int64_t j = i; j < i + line; ++j) sum[j] += share[j];
    }
    for (; i < last; ++i) sum[i] += share[i];
  }
}

}  // namespace

WeightDraw weight_layout(Arena &arena, const State &state, int64_t k) {
  const Layer &layer = state.net.layer(k);
  WeightDraw w;
  w.order = ops_of(layer).order(layer);
  w.units = ops_of(layer).units(layer);
  const bool row_scaled = state.net.has_row_scales(k);
  w.constant_gram = k == 1 && !row_scaled;
  w.constant_factor =
      w.constant_gram && layer.learned_noise.count == 0 && !layer.learns_precisions();
  w.gram = arena.take<double>(w.order, w.order);
  w.factor = arena.take<double>(w.order, w.order);
  w.cross = arena.take<double>(w.order, w.units);
  w.normals = arena.take<double>(w.order, w.units);
  if (!w.constant_gram || state.rows())
    w.block_gram = arena.take<double>(state.tiling.blocks * w.order, w.order);
  w.block_cross = arena.take<double>(state.tiling.blocks * w.order, w.units);
  if (row_scaled)
    w.scaled = arena.take<double>(state.tiling.blocks * state.tiling.ld, w.order + w.units);
  return w;
}

double scaled_precision(const Layer &layer, const WeightDraw &w, int64_t j) {
  const bool is_bias = layer.bias && j == w.order - 1;
  return layer.noise * (is_bias ? layer.lambda_b : layer.weight_precision(j));
}

Status factor_weights(const State &state, int64_t k, WeightDraw &w, Error *err) {
  const Layer &layer = state.net.layer(k);
  std::memcpy(w.factor, w.gram, static_cast<size_t>(gram_size(w)) * sizeof(double));
  for (int64_t j = 0; j < w.order; ++j) w.factor[j * w.order + j] += scaled_precision(layer, w, j);
  if (cholesky(w.factor, w.order, w.order, state.kernels)) return Status::ok;
  return fail(err, Status::numeric,
              "layer %lld: the precision of its weights is not positive definite in double "
              "precision (noise %g, lambda_w %g); expected inputs and targets scaled to about 1, "
              "or more noise",
              static_cast<long long>(k), layer.noise, layer.lambda_w);
}

Status check_weights(int64_t k, const WeightDraw &w, Error *err) {
  double sum = 0;  // stays 0 if all values are finite, else becomes NaN
  for (int64_t i = 0; i < cross_size(w); ++i) sum += 0 * w.cross[i];
  if (sum == 0) return Status::ok;
  return fail(err, Status::numeric,
              "layer %lld: its weights exceed double precision, expected inputs and targets scaled "
              "to about 1",
              static_cast<long long>(k));
}

void sum_over_blocks(const State &state, const double *shares, int64_t count, double *sum) {
  if (state.rows())
    return sum_over_blocks(
        state, count, [=](int64_t b) { return shares + b * count; }, sum);
  constexpr int64_t at_once = 1024;
  for_chunks(state.pool, count, [=, &state](int64_t, int64_t first, int64_t last) {
    for (; first < last; first += at_once)
      sum_shares(state, shares, count, first, std::min(first + at_once, last), sum);
  });
}

void collect_sums(const State &state, WeightDraw &w) {
  sum_over_blocks(state, w.block_cross, cross_size(w), w.cross);
  if (w.constant_gram) return;
  const int64_t p = w.order;
  if (state.rows()) return sum_over_blocks(state, w.block_gram, p * p, w.gram);
  // column j's part of the lower triangle starts at j (p + 1)
  for_chunks(state.pool, p * p, [&](int64_t, int64_t first, int64_t last) {
    for (int64_t j = first / p; j * p < last; ++j)
      sum_shares(state, w.block_gram, p * p, std::max(first, j * (p + 1)),
                 std::min((j + 1) * p, last), w.gram);
  });
}

Status draw_weights(Chain &chain, int64_t k, const Relax &relax, Error *err) {
  State &state = chain.state;
  const Layer &layer = state.net.layer(k);
  WeightDraw &w = gibbs_of(chain).weights[k - 1];
  if (w.units == 0) return Status::ok;
  collect_sums(state, w);
  if (!w.constant_factor) {
    const Status status = factor_weights(state, k, w, err);
    if (status != Status::ok) return status;
  }
  state.draws->normals(state.layer_streams[k - 1], w.normals, cross_size(w));
  // (W b)' = a (W b)' + L^-T ((1 - a) L^-1 cross + sqrt(1 - a^2) sqrt(D) z)
  for (int64_t i = 0; i < cross_size(w); ++i) w.cross[i] *= relax.pull;
  const GaussianColumns gaussian = {
      w.factor, w.order, w.order, w.cross, w.units, w.order, relax.shake * std::sqrt(layer.noise)};
  draw_columns(gaussian, w.normals, w.order, w.cross, w.order, state.kernels);
  const Status status = check_weights(k, w, err);
  if (status != Status::ok) return status;
  store_weights(layer, w, relax.keep, state.params);
  return Status::ok;
}

}  // namespace nnp
