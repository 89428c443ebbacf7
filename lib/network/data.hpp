// The data: inputs, and targets or labels, in tiles. Chains share it and only read it.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/base/tile.hpp"
#include "lib/comm/rows.hpp"
#include "lib/network/store.hpp"

namespace nnp {

struct Data {
  Tiling tiling;
  int64_t features = 0;
  int64_t outputs = 0;  // of the targets; 0 if there is no memory for any
  double *x = nullptr;  // site 0, if it is stored as doubles
  Store store;
  Packing packing;  // otherwise
  double *y = nullptr;
  int32_t *labels = nullptr;
  bool has_inputs = false, has_targets = false, has_labels = false;
  Rows *rows = nullptr;          // if rows are spread over ranks; sums then use its tree
  double *block_sums = nullptr;  // one per block, if `rows` is set
  uint64_t version = 0;          // counts changes: results computed from an older version are stale

  int64_t n() const { return tiling.n; }
  int64_t total() const { return tiling.total; }
  // Site 0. Packed inputs have no doubles: see ConstTile.
  ConstTile inputs(int64_t t) const {
    if (packing.tiles) return {nullptr, tiling.rows(t), features, tiling.ld, packing.tiles + t};
    return tiling.tile(static_cast<const double *>(x), features, t);
  }
};

Data *data_layout(Arena &arena, int64_t n, int64_t features, int64_t outputs,
                  const Store &store = Store{});
// `tiling` describes the rows of one of `ranks` ranks.
Data *data_layout(Arena &arena, const Tiling &tiling, int32_t ranks, int64_t features,
                  int64_t outputs);
// The sum of value(y) over the targets of all rows. If rows are spread over ranks, all ranks must
// call it.
double sum_over_targets(const Data &data, double (*value)(double y));
Status data_check_inputs(const double *x, int64_t n, int64_t features, MatrixOrder order,
                         Error *err);
// Copies the inputs. A packed store must have been chosen for these inputs.
Status data_set_inputs(Data &data, const double *x, MatrixOrder order, Error *err);
Status data_set_targets(Data &data, const double *y, MatrixOrder order, Error *err);
Status data_set_labels(Data &data, const int32_t *labels, Error *err);
// Copies the targets back, as they were set.
Status data_targets(const Data &data, double *y, MatrixOrder order, Error *err);
Status data_labels(const Data &data, int32_t *labels, Error *err);

bool all_finite(const double *values, int64_t count);

// Copies between a site and a plain matrix whose features are contiguous ([feature, row]).
void gather_rows(const Tiling &tiling, const double *site, int64_t width, double *out);
void scatter_rows(const Tiling &tiling, const double *in, int64_t width, double *site);

}  // namespace nnp
