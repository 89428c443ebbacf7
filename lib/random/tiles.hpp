// Adds noise to the rows of a tile.
#pragma once

#include "lib/base/tile.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

// site += sd * normals, column by column.
inline void add_normals(Tile site, double sd, Stream &stream) {
  alignas(64) double noise[Tiling::max_rows];
  for (int64_t j = 0; j < site.width; ++j) {
    fill_normal(stream, noise, site.rows);
    for (int64_t i = 0; i < site.rows; ++i) site.col(j)[i] += sd * noise[i];
  }
}

}  // namespace nnp
