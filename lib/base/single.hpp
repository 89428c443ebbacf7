// Tiles in single precision, for gradients that only propose (posterior/gradient.hpp). Their rows are
// a multiple of single_rows, so kernels need no remainders: rows that the tile of doubles does not
// have are 0 in inputs and in gradients, and so contribute nothing to sums.
#pragma once

#include <cstdint>

namespace nnp {

constexpr int64_t single_rows = 16;
constexpr int64_t single_rows_for(int64_t rows) {
  return (rows + single_rows - 1) / single_rows * single_rows;
}

struct ConstSingleTile {
  const float *data;
  int64_t rows, width, ld;
  const float *col(int64_t j) const { return data + j * ld; }
};

struct SingleTile {
  float *data;
  int64_t rows, width, ld;
  float *col(int64_t j) const { return data + j * ld; }
  operator ConstSingleTile() const { return {data, rows, width, ld}; }
};

}  // namespace nnp
