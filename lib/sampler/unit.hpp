// Hidden units as things that can be moved: a unit of layer k with its incoming weights, its
// pre-activation Z (site k), its post-activation X (site k+1) and the linear layer k+2 that reads
// it. Moves hold the noise e_Z = Z - (W x + b) and carry Z along; X follows with its own noise
// e_X = X - sigma(Z) held, or is integrated out.
#pragma once

#include "lib/sampler/gibbs.hpp"

namespace nnp {

// Layer k has weights, layer k+1 is an activation, layer k+2 a linear layer with weights.
inline bool has_movable_units(const Net &net, int64_t k) {
  if (k + 2 > net.depth || k + 1 > net.last_latent()) return false;
  return net.layer(k).weight_count > 0 && ops_of(net.layer(k + 1)).elementwise &&
         net.layer(k + 2).weight_count > 0;
}

// ... and its units can be drawn (unit_draw.cpp).
bool has_drawable_units(const Net &net, int64_t k);
// ... and all of them can be moved at once (layer_move.cpp).
bool has_movable_layer(const Net &net, int64_t k);

inline int64_t unit_count(const Layer &layer) {
  return ops_of(layer).units(layer);
}

// Output features that belong to one unit (one for dense, a channel for a convolution).
inline int64_t unit_width(const Layer &layer) {
  return layer.out.size() / unit_count(layer);
}

inline int64_t fan_in(const Layer &layer) {
  return layer.weight_count / unit_count(layer);
}

// Of entry j of a unit's (W, b).
inline double prior_precision(const Layer &layer, int64_t j) {
  return j < fan_in(layer) ? layer.lambda_w : layer.lambda_b;
}

// Has an activation slopes that tell where to go, and a layer few enough weights a unit for a
// matrix of them?
inline bool has_slopes(const Layer &activation) {
  const LayerOps &ops = ops_of(activation);
  return !ops.differentiable || ops.differentiable(activation);
}
inline bool has_small_units(const Layer &layer) {
  return ops_of(layer).order(layer) <= max_draw_order;
}

// One unit of a layer as a layer of its own, with its parameters one behind the other.
inline Layer single_unit(const Layer &layer) {
  Layer unit = layer;
  unit.out.channels = 1;
  unit.weight_count = fan_in(layer);
  unit.bias_count = layer.bias ? 1 : 0;
  unit.first_param = 0;
  return unit;
}

// One move under way.
struct Mover {
  Chain *chain;
  UnitMove *move;
  int64_t k;             // the unit's layer
  int64_t unit;          // its number there
  int64_t width, first;  // its output features
  bool collapsed;        // the weights above are integrated out
  double cosine, sine;   // W x becomes cosine W x + sine V x, V another set of weights
  double tau;            // auxiliary variable of the collapsed move

  State &state() const { return chain->state; }
  const Layer &layer() const { return chain->state.net.layer(k); }
  const Layer &above() const { return chain->state.net.layer(k + 2); }
  WeightDraw &weights_above() const { return gibbs_of(*chain).weights[k + 1]; }
  // Sums of one look: gram and cross of the changed columns, or one residual.
  int64_t gram_part() const { return weights_above().order * width; }
  int64_t sum_count() const { return collapsed ? gram_part() + width * weights_above().units : 1; }
};

// Unit `number` counted over all layers that have movable units.
Mover pick_unit(Chain &chain, int64_t number);
// The unit's features of site k, for a tile.
Tile own_columns(const Mover &m, int64_t k, int64_t t);
// move.weights = [(W, b) now | ...]: the first half.
void read_weights(const Mover &m);
// What the first `sets` (1 or 2) sets of weights in move.weights make of the input: move.start and
// move.towards.
void project_input(Mover &m, int sets);
// Z of the unit there: Z + (cosine - 1) start + sine towards. `out` may be the unit's Z itself.
void z_along(const Mover &m, int64_t t, Tile out);
// Z and X of the unit there: Z + (cosine - 1) start + sine towards, X - sigma(Z) + sigma(Z there).
// They go into the block's two scratch tiles.
void carry_along(const Mover &m, const BlockWork &block, int64_t t, Tile *z_there, Tile *x_there);
// The residual |U - f(X there)|^2 of the layer above for a tile, with its weights as they are.
double residual_above(const Mover &m, const BlockWork &block, Tile x_there, int64_t t);
// Writes (W, b) there into the state; Z, X and (W, b).
void write_weights(const Mover &m);
void settle(Mover &m);
// Adds a tile's share of the sums of layer 1 that hang on the unit: the only ones that are carried
// from step to step.
void add_unit_sums(const Mover &m, int64_t b, int64_t t);

// The move with sites and weights above integrated out (collapsed_unit.cpp): log densities at the
// current point and where cosine and sine are now, and going to where they were last.
double collapsed_begin(Mover &m);
double collapsed_log_density(Mover &m);
void collapsed_settle(Mover &m);

}  // namespace nnp
