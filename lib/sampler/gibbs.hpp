// What the parts of the Gibbs sampler share: the conditional of a layer's weights, passes over the
// rows, and the state of the extra moves.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

// The conditional of a layer's (W, b): precision (gram + D Lambda) / D, mean from cross (eq.
// cond_W).
struct WeightDraw {
  int64_t order = 0, units = 0;
  bool constant_gram = false;    // the input is the data: gram and factor are computed once
  bool failed = false;           // the last draw
  double *gram = nullptr;        // order x order, lower triangle
  double *factor = nullptr;      // Cholesky factor of gram + D Lambda
  double *cross = nullptr;       // order x units
  double *normals = nullptr;     // order x units
  double *block_gram = nullptr;  // each block's share
  double *block_cross = nullptr;
};

// Memory and counts of the unit move. Matrices have an entry for each of the extended inputs of the
// layer above (its order p) and each of its units (m).
struct UnitMove {
  int64_t units = 0;             // hidden units that can be moved, over all layers
  double *start = nullptr;       // the unit's part of W x + b, tiles of the unit's features
  double *towards = nullptr;     // the same by the weights drawn from the prior
  double *weights = nullptr;     // (W, b) now, then (W, b) drawn from the prior
  double *features = nullptr;    // sigma(Z) of all units, tiles
  double *remainder = nullptr;   // the site above less what the other units make of it, tiles
  double *others = nullptr;      // parameters of the layer above, those that read the unit zero
  double *there = nullptr;       // its parameters after the move, in their order
  double *block_sums = nullptr;  // each block's share of sums over rows
  double *sums = nullptr;
  double *gram = nullptr, *factor = nullptr;             // p x p
  double *cross = nullptr, *whitened = nullptr;          // p x m
  double *base = nullptr, *change = nullptr;             // p x m
  double *solved = nullptr;                              // p x m
  double *squares = nullptr, *residual = nullptr;        // m x m
  double *spread = nullptr, *spread_before = nullptr;    // m x m
  double *keep = nullptr;                                // m x m
  double *gain_before = nullptr, *gain_after = nullptr;  // inputs x m
};

// Memory of the draw of a unit's weights: columns of all rows; vectors and matrices of its weights.
struct UnitDraw {
  double *misfit = nullptr, *value = nullptr, *z_there = nullptr;  // columns
  double *whitened = nullptr, *normals = nullptr, *step = nullptr;
  double *factor = nullptr;
  double *rows = nullptr;     // a buffer of rows for each block
  int64_t *filled = nullptr;  // rows in it
  double *block_gram = nullptr, *block_vector = nullptr, *block_gain = nullptr;
  double *spread = nullptr, *pull = nullptr, *follow = nullptr;  // of the layer above
};

// Memory of the move of a layer: its units, the layer above, and positions and momenta.
struct LayerMove {
  static constexpr int32_t slots = 16;  // masses there can be at a time
  static constexpr int32_t empty = INT32_MIN;

  double *spread = nullptr, *pull = nullptr;  // the factor of S; S^-1 A'
  int32_t *exponents = nullptr;               // one a unit: its mass
  int32_t *held = nullptr;                    // of the mass in each slot
  double *mass = nullptr, *whitening = nullptr;
  double *change = nullptr, *gradient = nullptr, *momentum = nullptr, *unit = nullptr;
  double *block_gradient = nullptr, *block_misfit = nullptr;
  double *z = nullptr, *f = nullptr;  // a tile for each block
  int64_t layer = 0;                  // whose masses are held, of these data, by these kernels
  uint64_t version = 0;
  const Kernels *kernels = nullptr;
};

struct Gibbs {
  WeightDraw *weights;    // one a layer
  InputFactor *inputs;    // one a layer
  Relax relax;            // of the step at hand
  uint64_t gram_version;  // of the data the constant Gram matrix was computed from
  const Kernels *gram_kernels;
  UnitMove unit_move;
  UnitDraw unit_draw;
  LayerMove layer_move;
};

// Draws sites first_site, first_site + 2, … last_site, then adds to the sums of layers
// first_sum … last_sum.
struct Pass {
  Gibbs *gibbs;
  int64_t first_site, last_site;
  int64_t first_sum, last_sum;
};

inline int64_t gram_size(const WeightDraw &w) {
  return w.order * w.order;
}

inline int64_t cross_size(const WeightDraw &w) {
  return w.order * w.units;
}

inline Gibbs &gibbs_of(Chain &chain) {
  return *static_cast<Gibbs *>(chain.own);
}

WeightDraw weight_layout(Arena &arena, const State &state, int64_t k);
// Cholesky factor of gram + D Lambda.
Status factor_weights(const Layer &layer, int64_t k, WeightDraw &w, Error *err);
// Are the weights just drawn into w.cross finite?
Status check_weights(int64_t k, const WeightDraw &w, Error *err);
// Runs a pass (see Pass); `pass.gibbs` is filled in.
Status run_pass(Chain &chain, Pass pass, Error *err);
// sum[i] over the shares of the blocks, each `count` long.
void sum_over_blocks(const State &state, const double *shares, int64_t count, double *sum);
// Sums up what the blocks of the last pass added, into w.gram and w.cross.
void collect_sums(const State &state, WeightDraw &w);
// The prior precision of entry j of a unit's (W, b), times D.
double scaled_precision(const Layer &layer, const WeightDraw &w, int64_t j);
// (W, b) of layer k from its conditional, by the sums of the last pass that covered it.
Status draw_weights(Chain &chain, int64_t k, const Relax &relax, Error *err);

// Hidden units that can be moved.
int64_t chain_units(const Chain &chain);
// Has the network latent scores behind a layer with weights?
bool can_expand(const Net &net);
// Redraws the scale of a probit head's latent scores (expansion.cpp).
Status expand_scores(Chain &chain, Error *err);

// How many of a move are due at a step when `rate` of them are made a step on average.
int64_t moves_at_step(double rate, int64_t step);

// The options of all extra moves at once (automatic.cpp).
void set_moves(Chain &chain, Moves moves);

// Scale moves of hidden units (scale_move.cpp): as many as the options ask for a step.
Status scale_moves_of_step(Chain &chain, Error *err);
// 0 if some hidden units can be scaled; else the first activation that stands in the way, or -1.
int64_t first_layer_without_scale(const Net &net);

// The move of a hidden unit (unit_move.cpp).
void unit_move_layout(Arena &arena, const State &state, UnitMove &move);
// The draw of a unit's incoming weights (unit_draw.cpp).
constexpr int64_t max_draw_order = 256;
bool can_draw_units(const Net &net);
void unit_draw_layout(Arena &arena, const State &state, UnitDraw &draw);
void unit_draws_of_step(Chain &chain);
// The move of all units of a layer (layer_move.cpp).
int64_t movable_layers(const Net &net);
void layer_move_layout(Arena &arena, const State &state, LayerMove &move);
Status layer_moves_of_step(Chain &chain, Error *err);
// As many moves as the options ask for a step.
void unit_moves_of_step(Chain &chain);

}  // namespace nnp
