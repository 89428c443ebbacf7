// The data: inputs, and targets or labels, in tiles. Shared by chains, which only read it.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/base/tile.hpp"

namespace nnp {

enum class MatrixOrder : int32_t { row_major = 1, column_major = 2 };

struct Data {
  Tiling tiling;
  int64_t features = 0;
  int64_t outputs = 0;  // of the targets; 0 if there is no room for any
  double *x = nullptr;  // site 0
  double *y = nullptr;
  int32_t *labels = nullptr;
  bool has_inputs = false, has_targets = false, has_labels = false;
  uint64_t version = 0;  // counts changes: what was computed from the data may be stale

  int64_t n() const { return tiling.n; }
};

Data *data_layout(Arena &arena, int64_t n, int64_t features, int64_t outputs);
Status data_set_inputs(Data &data, const double *x, MatrixOrder order, Error *err);
Status data_set_targets(Data &data, const double *y, MatrixOrder order, Error *err);
Status data_set_labels(Data &data, const int32_t *labels, Error *err);

// Copies between a site and a plain matrix whose features are contiguous ([feature, row]).
void gather_rows(const Tiling &tiling, const double *site, int64_t width, double *out);
void scatter_rows(const Tiling &tiling, const double *in, int64_t width, double *site);

}  // namespace nnp
