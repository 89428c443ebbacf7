// Averages over passes, tile by tile: moments of the last site, and classes.
#pragma once

#include "lib/posterior/passes.hpp"

namespace nnp {

// Mean and sum of squared deviations over passes (for weighted draws, with weights that sum to 1).
void tile_moments(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                  const Passes &passes, Tile mean, Tile square);
// The mean of the last site, whose noise has mean zero, in the scratch of sums.
Tile tile_mean(Predictor &p, const Data &data, const Draws &draws, int64_t t);
// Class probabilities, or the share of passes that each class wins, in the scratch of sums.
Tile tile_classes(Predictor &p, const Data &data, const Draws &draws, int64_t t, bool votes);

// Adds one draw's class probabilities to the tile of sums.
void add_probabilities(const Predictor &p, ConstTile mean, Tile sum);

}  // namespace nnp
