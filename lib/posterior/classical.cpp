#include "lib/posterior/classical.hpp"

namespace nnp {

namespace {

double half_precision(const State &state) {
  return 0.5 / state.net.layer(state.net.depth).noise;
}

// The outputs of one tile and what they are compared with.
LossTile loss_tile(const State &state, ConstTile f, int64_t t, Tile gradient) {
  const Data &data = *state.data;
  const double *y = data.y;
  return {f, state.tiling.tile(y, f.width, t), state.labels(t), half_precision(state), gradient};
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
  const LossTile tile = loss_tile(state, in, t, tile_like(block.mean, in, in.width));
  block.sums[0] += ops_of(state.net.head)->loss(tile, *state.kernels);
}

}  // namespace

void classical_tile(State &state, void *context, int64_t b, int64_t t) {
  const GradientPass &pass = *static_cast<const GradientPass *>(context);
  BlockGradient &own = pass.work->blocks[b];
  BlockWork &block = state.blocks[b];
  const Net &net = state.net;
  const ConstTile x = state.tile(0, t);
  // f_k is behind f_1 … f_{k-1}
  ConstTile in = x;
  double *next = own.sites;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    const Tile out = tile_like(next, x, layer.out.size());
    ops_of(layer).forward(layer, pass.position, in, out, *state.kernels);
    next += x.ld * out.width;
    in = out;
  }
  Tile gradient = tile_like(block.scratch[0], x, in.width);
  const LossTile compared = loss_tile(state, in, t, gradient);
  own.terms[net.depth - 1] += ops_of(net.head)->loss(compared, *state.kernels);
  for (int64_t k = net.depth; k >= 1; --k) {
    const Layer &layer = net.layer(k);
    const ConstTile out = in;
    next -= x.ld * out.width;
    in = k == 1
             ? x
             : ConstTile(tile_like(next - x.ld * net.site_width(k - 1), x, net.site_width(k - 1)));
    double *below = block.scratch[(net.depth - k + 1) % 2];
    const Tile in_gradient = tile_like(k == 1 ? nullptr : below, x, in.width);
    ops_of(layer).backward(layer, pass.position, {in, out, gradient, in_gradient}, own.params,
                           *state.kernels, block.mean);
    gradient = in_gradient;
  }
}

double classical_loss(State &state) {
  for (int64_t b = 0; b < state.tiling.blocks; ++b) state.blocks[b].sums[0] = 0;
  for_each_tile(state, add_loss, nullptr);
  double sum = 0;
  for (int64_t b = 0; b < state.tiling.blocks; ++b) sum += state.blocks[b].sums[0];
  return sum;
}

double log_loss_term(const State &state, double loss) {
  return -half_precision(state) * loss;
}

}  // namespace nnp
