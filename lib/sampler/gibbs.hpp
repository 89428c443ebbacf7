// Shared by the parts of the Gibbs sampler: the conditional of a layer's weights, passes over the
// rows, and the state of the extra moves.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

// The conditional of a layer's (W, b): precision (gram + D Lambda) / D, mean from cross (eq.
// cond_W).
struct WeightDraw {
  int64_t order = 0, units = 0;
  bool constant_gram = false;    // the input is the data, so gram is computed once
  bool constant_factor = false;  // noise and precisions are fixed too: the factor is computed once
  bool failed = false;           // whether the last draw failed
  double *gram = nullptr;        // order x order, lower triangle
  double *factor = nullptr;      // Cholesky factor of gram + D Lambda
  double *cross = nullptr;       // order x units
  double *normals = nullptr;     // order x units
  double *block_gram = nullptr;  // each block's share; lower triangle only
  double *block_cross = nullptr;
  double *scaled = nullptr;  // rows times their scales: ld x (order + units) per block
};

// Scratch memory of all moves of hidden units (unit.hpp).
struct UnitScratch {
  int64_t units = 0;          // hidden units that can be moved, over all layers
  double *start = nullptr;    // the unit's part of W x + b, in tiles of the unit's features
  double *towards = nullptr;  // W x + b for another set of weights
  double *weights = nullptr;  // current (W, b), followed by another (W, b)
};

struct Gibbs {
  WeightDraw *weights;    // one per layer
  InputFactor *inputs;    // one per layer
  Relax relax;            // of the current step
  uint64_t gram_version;  // version of the data from which the constant Gram matrix was computed
  const Kernels *gram_kernels;
  bool sums_stale;     // the cross sums of layer 1 are older than site 1, see refresh_input_sums
  double *row_scales;  // one per row, redrawn at the start of each step; null if there are none
  UnitScratch unit;
  void **moves;  // memory of each extra move, in the order of extra_moves
  double *path;  // for swaps that integrate the last site out, see gibbs_path.cpp
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

// Scales of the rows of tile t if layer k has a separate noise per row, else null.
inline const double *scales_of(const State &state, const Gibbs &gibbs, int64_t k, int64_t t) {
  return state.net.has_row_scales(k) ? gibbs.row_scales + t * state.tiling.ld : nullptr;
}

inline Gibbs &gibbs_of(Chain &chain) {
  return *static_cast<Gibbs *>(chain.own);
}

WeightDraw weight_layout(Arena &arena, const State &state, int64_t k);
// Computes the Cholesky factor of gram + D Lambda.
Status factor_weights(const State &state, int64_t k, WeightDraw &w, Error *err);
// Fails if the weights just drawn into w.cross are not finite.
Status check_weights(int64_t k, const WeightDraw &w, Error *err);
// Runs a pass (see Pass); `pass.gibbs` is filled in.
Status run_pass(Chain &chain, Pass pass, Error *err);
// sum[i] = sum over blocks of their shares, each `count` long.
void sum_over_blocks(const State &state, const double *shares, int64_t count, double *sum);
// Adds up the blocks' shares of the last pass into w.gram and w.cross.
void collect_sums(const State &state, WeightDraw &w);
// The prior precision of entry j of a unit's (W, b), times D.
double scaled_precision(const Layer &layer, const WeightDraw &w, int64_t j);
// Draws (W, b) of layer k from its conditional, using the sums of the last pass that covered it.
Status draw_weights(Chain &chain, int64_t k, const Relax &relax, Error *err);

// The sums of layer 1 are carried from step to step, since its input never changes: a pass that
// draws site 1 adds them up while a tile is in cache. Code that changes site 1 in any other way
// must call this, so that the next draw of the layer's weights recomputes the sums.
inline void input_sums_are_stale(Chain &chain) {
  gibbs_of(chain).sums_stale = true;
}
Status refresh_input_sums(Chain &chain, Error *err);

double *gibbs_path_layout(Arena &arena, const State &state);
const PathOps *gibbs_path(const Chain &chain);

// Fails if `option` is the rate of an extra move that does not apply to the network (moves.cpp).
// Any other option, and a rate of 0, passes.
Status check_move_option(const Net &net, PosteriorKind, Option option, double value, Error *err);
void **moves_layout(Arena &arena, const State &state);
// Makes as many of each extra move as the options request for this step.
Status extra_moves_of_step(Chain &chain, Error *err);
// Sets the options of all extra moves at once.
void set_moves(Chain &chain, Moves moves);

}  // namespace nnp
