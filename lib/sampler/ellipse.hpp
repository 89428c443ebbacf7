// The move of a hidden unit around an ellipse, under way (unit_move.cpp), and the density it looks
// at where the layer above is a plain product (collapsed_unit.cpp).
#pragma once

#include "lib/sampler/unit.hpp"

namespace nnp {

// Memory of the move. Matrices have an entry for each of the extended inputs of the layer above
// (its order p) and each of its units (m).
struct EllipseWork {
  double *features = nullptr;    // sigma(Z) of all units, tiles
  double *remainder = nullptr;   // the site above less what the other units make of it, tiles
  double *others = nullptr;      // parameters of the layer above, those that read the unit zero
  double *there = nullptr;       // its parameters after the move, in their order
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
  // Sums of one look: gram and cross of the changed columns, or one residual.
  int64_t gram_part() const { return weights_above().order * width; }
  int64_t sum_count() const { return collapsed ? gram_part() + width * weights_above().units : 1; }
};

// Log densities at the current point and where cosine and sine are now, and going to where they
// were last.
double collapsed_begin(Ellipse &m);
double collapsed_log_density(Ellipse &m);
void collapsed_settle(Ellipse &m);

}  // namespace nnp
