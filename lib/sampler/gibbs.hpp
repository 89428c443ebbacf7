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

// Memory and counts of the unit move.
struct UnitMove {
  int64_t units = 0;          // hidden units that can be moved, over all layers
  double *start = nullptr;    // the unit's part of W x + b, tiles of the unit's features
  double *towards = nullptr;  // the same by the weights drawn from the prior
  double *weights = nullptr;  // (W, b) now, then (W, b) drawn from the prior
  double *block_sums = nullptr;
  double *sums = nullptr;
  double *matrix = nullptr;  // a precision of the layer above, and its cross term
  double *cross = nullptr;
  int64_t moves = 0, evaluations = 0;
};

struct Gibbs {
  WeightDraw *weights;    // one a layer
  InputFactor *inputs;    // one a layer
  Relax relax;            // of the step at hand
  uint64_t gram_version;  // of the data the constant Gram matrix was computed from
  const Kernels *gram_kernels;
  UnitMove unit_move;
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
// Sums up what the blocks of the last pass added, into w.gram and w.cross.
void collect_sums(const State &state, WeightDraw &w);
// The prior precision of entry j of a unit's (W, b), times D.
double scaled_precision(const Layer &layer, const WeightDraw &w, int64_t j);
// (W, b) of layer k from its conditional, by the sums of the last pass that covered it.
Status draw_weights(Chain &chain, int64_t k, const Relax &relax, Error *err);

// Redraws the scale of a probit head's latent scores (expansion.cpp).
Status expand_scores(Chain &chain, Error *err);

// How many of a move are due at a step when `rate` of them are made a step on average.
int64_t moves_at_step(double rate, int64_t step);

// Scale moves of hidden units (scale_move.cpp): as many as the options ask for a step.
Status scale_moves_of_step(Chain &chain, Error *err);
// 0 if some hidden units can be scaled; else the first activation that stands in the way, or -1.
int64_t first_layer_without_scale(const Net &net);

// The collapsed, non-centred move of a hidden unit (unit_move.cpp).
void unit_move_layout(Arena &arena, const State &state, UnitMove &move);
// As many moves as the options ask for a step.
Status unit_moves_of_step(Chain &chain, Error *err);

}  // namespace nnp
