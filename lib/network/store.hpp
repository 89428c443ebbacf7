// How inputs are stored: as doubles, or packed (see packed.hpp), chosen by the caller or by their
// values.
#pragma once

#include "lib/base/arena.hpp"
#include "lib/base/packed.hpp"
#include "lib/base/status.hpp"
#include "lib/base/tile.hpp"

namespace nnp {

enum class MatrixOrder : int32_t { row_major = 1, column_major = 2 };

// A plain matrix in the caller's memory.
struct Source {
  const double *values;
  int64_t row_stride, column_stride;
  double at(int64_t row, int64_t column) const {
    return values[row * row_stride + column * column_stride];
  }
};
Source source_of(const double *values, int64_t rows, int64_t columns, MatrixOrder order);

struct Store {
  StoreKind kind = StoreKind::doubles;
  int64_t entries = 0;  // sparse: over all tiles
  bool common = false;  // all features are shift + scale * (0 … 255); sparse entries are bytes
  double scale = 1, shift = 0;
};

// Chooses the store of these inputs: the kind requested, or a lossless one that suits the first
// layer: dense, or a convolution. Fails if the inputs cannot be stored that way.
constexpr int32_t wanted_for_dense = 0, wanted_for_images = 5;
Status choose_store(int32_t wanted, const Source &x, int64_t n, int64_t features, Store *store,
                    Error *err);

// Memory of a packed store, filled from x.
struct Packing {
  double *scale = nullptr, *shift = nullptr;
  float *singles = nullptr;
  uint8_t *bytes = nullptr;
  uint32_t *starts = nullptr;
  uint8_t *rows = nullptr, *small = nullptr;
  double *values = nullptr;
  PackedTile *tiles = nullptr;
};
void packing_layout(Arena &arena, const Tiling &tiling, int64_t features, const Store &store,
                    Packing &packing);
void pack(const Store &store, const Source &x, const Tiling &tiling, int64_t features,
          Packing &packing);

}  // namespace nnp
