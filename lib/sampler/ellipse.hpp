// State of a hidden unit's move around an ellipse (unit_move.cpp), and the density it uses if the
// layer above is a plain product (collapsed_unit.cpp).
#pragma once

#include "lib/sampler/unit.hpp"

namespace nnp {

// Memory of the move. p is the number of extended inputs of the layer above, m its number of units.
struct EllipseWork {
  double *features = nullptr;    // sigma(Z) of all units, tiles
  double *remainder = nullptr;   // the site above minus the contribution of the other units, tiles
  double *others = nullptr;      // parameters of the layer above, zeros for those reading the unit
  double *there = nullptr;       // parameters of the layer above after the move, in their order
  double *block_sums = nullptr;  // each block's share of sums over rows
  double *sums = nullptr;
  double *gram = nullptr, *factor = nullptr;             // p x p
  double *cross = nullptr, *whitened = nullptr;          // p x m
  double *base = nullptr, *change = nullptr;             // p x m
  double *total = nullptr;                               // p x m: base + change
  double *solved = nullptr;                              // p x m
  double *squares = nullptr, *residual = nullptr;        // m x m
  double *spread = nullptr, *spread_before = nullptr;    // m x m
  double *keep = nullptr;                                // m x m
  double *gain_before = nullptr, *gain_after = nullptr;  // inputs x m
};

struct Ellipse : Mover {
  EllipseWork *work;
  bool collapsed;  // the weights above are integrated out
  double tau;      // auxiliary variable of the collapsed move

  WeightDraw &weights_above() const { return gibbs_of(*chain).weights[k + 1]; }
  // Size of the sums of one evaluation: gram and cross of the changed columns, or one residual.
  int64_t gram_part() const { return weights_above().order * width; }
  int64_t sum_count() const { return collapsed ? gram_part() + width * weights_above().units : 1; }
};

// collapsed_begin: log density at the current point. collapsed_log_density: at the point given by
// cosine and sine. collapsed_settle: moves to the point evaluated last.
double collapsed_begin(Ellipse &m);
double collapsed_log_density(Ellipse &m);
void collapsed_settle(Ellipse &m);

}  // namespace nnp
