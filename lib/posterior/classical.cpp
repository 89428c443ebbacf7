#include "lib/posterior/classical.hpp"

#include "lib/network/columns.hpp"

namespace nnp {

namespace {

double half_precision(const State &state) {
  return 0.5 / state.net.layer(state.net.depth).noise / state.net.temperature_left();
}

// The outputs of one tile and what they are compared with.
LossTile loss_tile(const State &state, ConstTile f, int64_t t, double factor, Tile gradient) {
  const Data &data = *state.data;
  const double *y = data.y;
  const double noise = state.net.layer(state.net.depth).noise;
  const Outcomes rows = {f, state.tiling.tile(y, data.outputs, t), state.labels(t), noise};
  return {rows, factor, gradient};
}

void multiply(Tile tile, double factor) {
  for (int64_t j = 0; j < tile.width; ++j)
    for (int64_t i = 0; i < tile.rows; ++i) tile.col(j)[i] *= factor;
}

// loss(c f), and its gradient with respect to f: c times that with respect to c f
double scaled_loss(const State &state, Tile f, int64_t t, const LossScale &scale, Tile gradient) {
  const Head &head = state.net.head;
  if (scale.logits != 1) multiply(f, scale.logits);
  const LossTile tile = loss_tile(state, f, t, scale.factor, gradient);
  const HeadOps &ops = *ops_of(head);
  const double loss = (scale.even ? ops.even_loss : ops.loss)(head, tile, *state.kernels);
  if (scale.logits == 1) return loss;
  multiply(f, 1 / scale.logits);
  multiply(gradient, scale.logits);
  return loss;
}

Tile tile_like(double *values, ConstTile rows, int64_t width) {
  return {values, rows.rows, width, rows.ld};
}

void add_loss(State &state, void *, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  ConstTile in = state.tile(0, t);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    const Tile out = tile_like(block.scratch[k % 2], in, layer.out.size());
    ops_of(layer).forward(layer, state.params, in, out, *state.kernels);
    in = out;
  }
  const Tile gradient = tile_like(block.mean, in, in.width);
  const LossTile tile = loss_tile(state, in, t, half_precision(state), gradient);
  block.sums[0] += ops_of(state.net.head)->loss(state.net.head, tile, *state.kernels);
}

}  // namespace

// f_k follows f_1 … f_{k-1} in memory. Tiles are constructed where they are passed on: copies of
// freshly written ones would have to wait for the stores.
void classical_tile(State &state, const GradientPass &pass, int64_t b, int64_t t) {
  BlockGradient &own = pass.work->blocks[b];
  BlockWork &block = state.blocks[b];
  const Net &net = state.net;
  const ConstTile x = state.tile(0, t);
  const auto width = [&](int64_t k) { return net.site_width(k); };
  double *f = own.sites, *below = nullptr;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    ops_of(layer).forward(layer, pass.position,
                          k == 1 ? x : ConstTile(tile_like(below, x, width(k - 1))),
                          tile_like(f, x, width(k)), *state.kernels);
    below = f;
    f += x.ld * width(k);
  }
  const auto gradient = [&](int64_t k) {
    return k == 0 ? nullptr : block.scratch[(net.depth - k) % 2];
  };
  f = below;
  const Tile by_outputs = tile_like(gradient(net.depth), x, width(net.depth));
  const Tile outputs = tile_like(f, x, width(net.depth));
  own.terms[net.depth - 1] += scaled_loss(state, outputs, t, pass.loss, by_outputs);
  for (int64_t k = net.depth; k >= 1; --k) {
    const Layer &layer = net.layer(k);
    below = k == 1 ? nullptr : f - x.ld * width(k - 1);
    const BackwardTile tile = {k == 1 ? x : ConstTile(tile_like(below, x, width(k - 1))),
                               tile_like(f, x, width(k)), tile_like(gradient(k), x, width(k)),
                               tile_like(gradient(k - 1), x, width(k - 1))};
    ops_of(layer).backward(layer, pass.position, tile, own.params, *state.kernels, block.mean);
    f = below;
  }
}

void classical_loss_tile(State &state, const GradientPass &pass, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  ConstTile in = state.tile(0, t);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    const Tile out = tile_like(block.scratch[k % 2], in, layer.out.size());
    ops_of(layer).forward(layer, pass.position, in, out, *state.kernels);
    in = out;
  }
  const Tile outputs = tile_like(block.scratch[state.net.depth % 2], in, in.width);
  const Tile gradient = tile_like(block.mean, in, in.width);
  pass.work->blocks[b].terms[state.net.depth - 1] +=
      scaled_loss(state, outputs, t, pass.loss, gradient);
}

// classical_tile in single precision, but for the comparison of outputs with targets.
void single_tile(State &state, const GradientPass &pass, int64_t b, int64_t t) {
  const SingleWork &work = pass.work->single;
  const SingleBlock &own = work.blocks[b];
  BlockWork &block = state.blocks[b];
  const Net &net = state.net;
  const Kernels &kernels = *state.kernels;
  const ConstTile x = state.tile(0, t);
  const int64_t rows = single_rows_for(x.rows), depth = net.depth;
  const auto like = [&](float *values, int64_t k) {
    return SingleTile{values, rows, net.site_width(k), work.ld};
  };
  const auto gradient = [&](int64_t k) { return own.gradients[(depth - k) % 2]; };
  in_columns(x, kernels, [&](ConstTile columns, int64_t first) {
    kernels.single->narrow(columns, {own.sites + first * work.ld, rows, columns.width, work.ld});
  });
  float *f = own.sites;
  for (int64_t k = 1; k <= depth; ++k) {
    const Layer &layer = net.layer(k);
    float *below = f;
    f += work.ld * net.site_width(k - 1);
    ops_of(layer).single_forward(layer, work.params, like(below, k - 1), like(f, k), kernels);
  }
  const Tile outputs = tile_like(block.scratch[0], x, net.site_width(depth));
  const Tile by_outputs = tile_like(block.scratch[1], x, net.site_width(depth));
  kernels.single->widen(like(f, depth), outputs);
  scaled_loss(state, outputs, t, pass.loss, by_outputs);
  kernels.single->narrow(by_outputs, like(gradient(depth), depth));
  for (int64_t k = depth; k >= 1; --k) {
    const Layer &layer = net.layer(k);
    float *below = f - work.ld * net.site_width(k - 1);
    const SingleTile to = like(k == 1 ? nullptr : gradient(k - 1), k - 1);
    ops_of(layer).single_backward(layer, work.params,
                                  {like(below, k - 1), like(f, k), like(gradient(k), k), to},
                                  pass.work->blocks[b].params, kernels);
    f = below;
  }
}

double classical_loss(State &state) {
  return sum_over_tiles(state, add_loss, nullptr);
}

double log_loss_term(const State &state, double loss) {
  const Net &net = state.net;
  const Layer &last = net.layer(net.depth);
  const double fit = -half_precision(state) * loss;
  if (last.learned_noise.count == 0) return fit;
  return fit +
         ops_of(net.head)->log_constant(net.head, state.tiling.total, net.outputs(), last.noise) /
             net.temperature_left();
}

}  // namespace nnp
