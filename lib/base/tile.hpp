// How rows (samples) are stored. Rows are divided into tiles of up to 128; a tile is a column-major
// rows x width matrix, so that a feature of all its rows is contiguous: elementwise work and
// products run along rows, and a tile can be passed to BLAS as it is. Consecutive tiles form a
// block: the unit of parallel work, with its own random stream and its own partial sums. Neither
// depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nnp {

struct PackedTile;

// The inputs of the network may be packed: then `data` is null, and layers unpack what they need.
struct ConstTile {
  const double *data;
  int64_t rows, width, ld;
  const PackedTile *packed = nullptr;
  const double *col(int64_t j) const { return data + j * ld; }
};

struct Tile {
  double *data;
  int64_t rows, width, ld;
  double *col(int64_t j) const { return data + j * ld; }
  operator ConstTile() const { return {data, rows, width, ld}; }
};

inline void clear(Tile tile) {
  for (int64_t j = 0; j < tile.width; ++j) std::fill_n(tile.col(j), tile.rows, 0.0);
}

// Writes the tile row by row: a matrix [feature, row].
inline void write_rows(ConstTile tile, double *out) {
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.width; ++j) *out++ = tile.col(j)[i];
}

struct Tiling {
  static constexpr int64_t max_rows = 128;   // rows per tile
  static constexpr int64_t max_blocks = 32;  // bounded, because partial sums are kept per block
  static constexpr int64_t min_tiles = 4;    // tiles per block, if there are enough

  int64_t n = 0;   // rows here
  int64_t ld = 0;  // rows a tile can hold
  int64_t tiles = 0;
  int64_t blocks = 0;
  // Rows may be spread over ranks in whole blocks: totals over all ranks, and where this rank's
  // tiles and blocks, which count from 0, start among them.
  int64_t total = 0;  // rows
  int64_t all_tiles = 0, all_blocks = 0;
  int64_t tile_offset = 0, block_offset = 0;

  static Tiling of(int64_t n) {
    Tiling t;
    t.n = t.total = n;
    t.ld = std::min(max_rows, (n + 7) / 8 * 8);
    t.tiles = t.all_tiles = (n + t.ld - 1) / t.ld;
    t.blocks = t.all_blocks = std::clamp<int64_t>(t.tiles / min_tiles, 1, max_blocks);
    return t;
  }
  // Uses this many blocks, if there are enough tiles.
  static Tiling in_blocks(int64_t n, int64_t blocks) {
    Tiling t = of(n);
    t.blocks = t.all_blocks = std::clamp<int64_t>(blocks, 1, t.tiles);
    return t;
  }
  // The part with `count` blocks, starting with `first`.
  Tiling part(int64_t first, int64_t count) const {
    Tiling t = *this;
    t.block_offset = first;
    t.blocks = count;
    t.tile_offset = first * all_tiles / all_blocks;
    t.tiles = (first + count) * all_tiles / all_blocks - t.tile_offset;
    t.n = std::min(total, (t.tile_offset + t.tiles) * ld) - t.first_row();
    return t;
  }
  int64_t first_row() const { return tile_offset * ld; }
  // The first row of a block, among all rows; for the one after the last, the number of rows.
  int64_t row_of_block(int64_t block) const {
    return std::min(total, block * all_tiles / all_blocks * ld);
  }

  int64_t rows(int64_t tile) const { return std::min(ld, n - tile * ld); }
  int64_t first_tile(int64_t block) const {
    return (block_offset + block) * all_tiles / all_blocks - tile_offset;
  }
  int64_t last_tile(int64_t block) const { return first_tile(block + 1); }
  // Number of doubles in a site of this width.
  int64_t size(int64_t width) const { return tiles * ld * width; }

  Tile tile(double *site, int64_t width, int64_t index) const {
    return {site + index * ld * width, rows(index), width, ld};
  }
  ConstTile tile(const double *site, int64_t width, int64_t index) const {
    return {site + index * ld * width, rows(index), width, ld};
  }
  // The index of (row, column) in a site.
  int64_t at(int64_t width, int64_t row, int64_t column) const {
    return (row / ld) * ld * width + column * ld + row % ld;
  }
};

}  // namespace nnp
