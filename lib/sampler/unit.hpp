// Hidden units as objects that can be moved: a unit of layer k with its incoming weights, its
// pre-activation Z (site k), its post-activation X (site k+1) and the linear layer k+2 that reads
// it. Moves hold the noise e_Z = Z - (W x + b), so Z follows the weights; X follows with its noise
// e_X = X - sigma(Z) held, or is integrated out.
#pragma once

#include "lib/sampler/moves.hpp"

namespace nnp {

// True if layer k has weights, layer k+1 is an activation, and layer k+2 is linear with weights.
inline bool has_movable_units(const Net &net, int64_t k) {
  if (k + 2 > net.depth || k + 1 > net.last_latent()) return false;
  return net.layer(k).weight_count > 0 && ops_of(net.layer(k + 1)).elementwise &&
         net.layer(k + 2).weight_count > 0;
}

// True if, in addition, the sites between can be integrated out: layer k+2 is a plain product with
// one noise.
inline bool is_integrable(const Net &net, int64_t k) {
  return ops_of(net.layer(k + 2)).is_product && !net.has_row_scales(k + 2);
}

// Fails with the reason why a move that integrates those sites out has no layer to work on.
Status refuse_row_scales(const Net &net, const char *move, double rate, Error *err);

// Number of output features of one unit (one for dense, those of a channel for a convolution).
inline int64_t unit_width(const Layer &layer) {
  return layer.out.size() / unit_count(layer);
}

// True if the activation has slopes, and a unit has few enough weights for a matrix of them.
constexpr int64_t max_draw_order = 256;
inline bool has_slopes(const Layer &activation) {
  return !ops_of(activation).no_gradient(activation);
}
inline bool has_small_units(const Layer &layer) {
  return ops_of(layer).order(layer) <= max_draw_order;
}

// One unit of a layer as a separate layer with contiguous parameters.
inline Layer single_unit(const Layer &layer) {
  Layer unit = layer;
  unit.out.channels = 1;
  unit.weight_count = fan_in(layer);
  unit.bias_count = layer.bias ? 1 : 0;
  unit.first_param = 0;
  return unit;
}

// State of one move.
struct Mover {
  Chain *chain;
  UnitScratch *scratch;
  int64_t k;             // the unit's layer
  int64_t unit;          // its number there
  int64_t width, first;  // its output features
  double cosine, sine;   // W x becomes cosine W x + sine V x, V another set of weights

  State &state() const { return chain->state; }
  const Layer &layer() const { return chain->state.net.layer(k); }
  const Layer &activation() const { return chain->state.net.layer(k + 1); }
  const Layer &above() const { return chain->state.net.layer(k + 2); }
};

void unit_layout(Arena &arena, const State &state, UnitScratch &scratch);
// Number of hidden units that can be moved, over all layers.
int64_t movable_units(const Net &net);
// Fails, naming this option, if there are none.
Status check_movable_units(const Net &net, const char *name, double rate, Error *err);
// The mean of work(state, k) over all units that can be moved.
double mean_unit_work(const State &state, double (*work)(const State &state, int64_t k));
// What moves of units and layers are worth beside plain steps, by how many outputs share a unit's
// weights: 1 if all layers are dense, less the more units are convolutional. The many outputs of a
// convolution's unit determine its weights so closely that plain steps mix as well (`bench
// defaults`).
double worth_by_width(const State &state);

// Picks a unit at random among all layers that have movable units.
Mover pick_unit(Chain &chain);
// The unit's features of site k, in a tile.
Tile own_columns(const Mover &m, int64_t k, int64_t t);
// Copies the current (W, b) to the first half of scratch.weights.
void read_weights(const Mover &m);
// Applies the first `sets` (1 or 2) sets of weights in scratch.weights to the input; the results
// are scratch.start and scratch.towards.
void project_input(Mover &m, int sets);
// Computes the proposed Z of the unit: Z + (cosine - 1) start + sine towards. `out` may be the
// unit's Z itself.
void z_along(const Mover &m, int64_t t, Tile out);
// Computes the proposed Z and X of the unit: Z' = Z + (cosine - 1) start + sine towards, X' = X -
// sigma(Z) + sigma(Z'). They are stored in the block's two scratch tiles.
void carry_along(const Mover &m, const BlockWork &block, int64_t t, Tile *z_there, Tile *x_there);
// The squared residual |U - f(X')|^2 of the layer above for a tile, at its current weights; rows
// are multiplied by their scales, if any.
double residual_above(const Mover &m, const BlockWork &block, Tile x_there, int64_t t);
// Moves the unit to the proposed point: (W, b) alone; or Z, X and (W, b).
void write_weights(const Mover &m);
void settle(Mover &m);

}  // namespace nnp
