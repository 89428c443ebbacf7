#include "lib/posterior/gradient_statistic.hpp"

#include <algorithm>

namespace nnp {

namespace {

double sum_of(const double *values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

void subtract_from(ConstTile site, Tile mean) {
  for (int64_t j = 0; j < site.width; ++j)
    for (int64_t i = 0; i < site.rows; ++i) mean.col(j)[i] = site.col(j)[i] - mean.col(j)[i];
}

// -(1/2) d fit / d f: equals U - f for Gaussian noise.
void fit_last(const State &state, int64_t t, Tile mean) {
  const ConstTile site = state.tile(state.net.depth, t);
  const Outcomes rows = {mean, site, state.labels(t), state.net.layer(state.net.depth).noise};
  ops_of(state.net.head)->fit(state.net.head, {rows, 0.5, mean}, *state.kernels);
}

}  // namespace

int64_t gradient_work_size(const Net &net) {
  int64_t most = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    most = std::max(most, ops_of(layer).order(layer) * ops_of(layer).units(layer));
  }
  return most;
}

int64_t find_layer(const Net &net, int64_t number) {
  int64_t k = 1;
  while (net.layer(k).last_number < number) ++k;
  return k;
}

Status check_gradient_layer(const Net &described, int64_t number, Error *err) {
  const bool inside = number >= 1 && number <= described.depth;
  if (inside && described.layer(number).weight_count > 0) return Status::ok;
  return fail(err, inside ? Status::bad_value : Status::bad_size,
              "layer = %lld: expected a layer with weights, of 1 to %lld",
              static_cast<long long>(number), static_cast<long long>(described.depth));
}

// D dlogP/dW_{a,i} = sum over rows of (U_k - f_k)_a (U_{k-1})_i - D lambda W_{a,i}, with the
// residual of the last layer weighted by the head: the cross product of the extended input with the
// residual, one column per unit, the bias in the last row.
static double sum_of_crosses(State &state, int64_t k, int64_t first, int64_t last, double *work) {
  const Layer &layer = state.net.layer(k);
  const LayerOps &ops = ops_of(layer);
  const int64_t order = ops.order(layer), units = ops.units(layer);
  std::fill_n(work, order * units, 0.0);
  for (int64_t t = first; t < last; ++t) {
    const Tile residual = state.mean_tile(state.blocks[0], k, t);
    mean_of_site(state, k, t, residual);
    if (k < state.net.depth)
      subtract_from(state.tile(k, t), residual);
    else
      fit_last(state, t, residual);
    ops.add_cross(layer, state.tile(k - 1, t), residual, work, *state.kernels);
  }
  const int64_t weights = layer.bias_count > 0 ? order - 1 : order;
  double sum = 0;
  for (int64_t a = 0; a < units; ++a) sum += sum_of(work + a * order, weights);
  return sum;
}

double gradient_statistic(State &state, int64_t k, double *work) {
  const Layer &layer = state.net.layer(k);
  const Tiling &tiling = state.tiling;
  const int64_t weights =
      layer.bias_count > 0 ? ops_of(layer).order(layer) - 1 : ops_of(layer).order(layer);
  double sum = 0;
  if (state.rows()) {
    for (int64_t b = 0; b < tiling.blocks; ++b)
      state.blocks[b].sums[0] =
          sum_of_crosses(state, k, tiling.first_tile(b), tiling.last_tile(b), work);
    sum_over_blocks(
        state, 1, [&](int64_t b) { return state.blocks[b].sums; }, &sum);
  } else {
    sum = sum_of_crosses(state, k, 0, tiling.tiles, work);
  }
  const double *w = layer.weights(state.params);
  if (!layer.lambda_in)
    sum -= layer.noise * layer.lambda_w * sum_of(w, layer.weight_count);
  else
    for (int64_t i = 0; i < layer.weight_count; ++i)
      sum -= layer.noise * layer.lambda_in[i % weights] * w[i];
  return sum / static_cast<double>(layer.weight_count);
}

}  // namespace nnp
