#include "lib/network/data.hpp"

#include <cmath>

namespace nnp {

namespace {

Status check_finite(const char *name, const Source &source, int64_t rows, int64_t columns,
                    Error *err) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (!std::isfinite(source.at(i, j)))
        return fail(err, Status::not_finite,
                    "%s: row %lld, column %lld is %g, expected a finite number", name,
                    static_cast<long long>(i), static_cast<long long>(j), source.at(i, j));
  return Status::ok;
}

void copy_in(const Tiling &tiling, const Source &source, int64_t width, double *site) {
  for (int64_t t = 0; t < tiling.tiles; ++t) {
    const Tile tile = tiling.tile(site, width, t);
    for (int64_t j = 0; j < width; ++j)
      for (int64_t i = 0; i < tile.rows; ++i) tile.col(j)[i] = source.at(t * tiling.ld + i, j);
  }
}

}  // namespace

static Data *tiles_layout(Arena &arena, const Tiling &tiling, int64_t features, int64_t outputs,
                          const Store &store) {
  Data *data = arena.take<Data>(1);
  const int64_t rows = tiling.tiles * tiling.ld;
  double *x = store.kind == StoreKind::doubles ? arena.take<double>(rows, features) : nullptr;
  Packing packing;
  packing_layout(arena, tiling, features, store, packing);
  double *y = arena.take<double>(rows, outputs);
  int32_t *labels = arena.take<int32_t>(rows);
  if (data) {
    *data = Data{};
    data->tiling = tiling;
    data->features = features;
    data->outputs = outputs;
    data->x = x;
    data->store = store;
    data->packing = packing;
    data->y = y;
    data->labels = labels;
  }
  return data;
}

Data *data_layout(Arena &arena, int64_t n, int64_t features, int64_t outputs, const Store &store) {
  return tiles_layout(arena, Tiling::of(n), features, outputs, store);
}

Data *data_layout(Arena &arena, const Tiling &tiling, int32_t ranks, int64_t features,
                  int64_t outputs) {
  Data *data = tiles_layout(arena, tiling, features, outputs, Store{});
  Rows *rows = rows_layout(arena, ranks, tiling.all_blocks);
  double *sums = arena.take<double>(tiling.blocks);
  if (data) data->rows = rows;
  if (data) data->block_sums = sums;
  return data;
}

double sum_over_targets(const Data &data, double (*value)(double y)) {
  const Tiling &tiling = data.tiling;
  const auto at = [&](int64_t i, int64_t j) { return data.y[tiling.at(data.outputs, i, j)]; };
  if (!data.rows) {
    double sum = 0;
    for (int64_t i = 0; i < data.n(); ++i)
      for (int64_t j = 0; j < data.outputs; ++j) sum += value(at(i, j));
    return sum;
  }
  for (int64_t b = 0; b < tiling.blocks; ++b) {
    data.block_sums[b] = 0;
    const int64_t last = std::min(tiling.last_tile(b) * tiling.ld, data.n());
    for (int64_t i = tiling.first_tile(b) * tiling.ld; i < last; ++i)
      for (int64_t j = 0; j < data.outputs; ++j) data.block_sums[b] += value(at(i, j));
  }
  double sum = 0;
  rows_sum(
      *data.rows, 1,
      [](const void *sums, int64_t b) { return static_cast<const double *>(sums) + b; },
      data.block_sums, &sum);
  return sum;
}

Status data_check_inputs(const double *x, int64_t n, int64_t features, MatrixOrder order,
                         Error *err) {
  return check_finite("x", source_of(x, n, features, order), n, features, err);
}

Status data_set_inputs(Data &data, const double *x, MatrixOrder order, Error *err) {
  const Source source = source_of(x, data.n(), data.features, order);
  const Status status = check_finite("x", source, data.n(), data.features, err);
  if (status != Status::ok) return status;
  if (data.store.kind == StoreKind::doubles)
    copy_in(data.tiling, source, data.features, data.x);
  else
    pack(data.store, source, data.tiling, data.features, data.packing);
  data.has_inputs = true;
  ++data.version;
  return Status::ok;
}

Status data_set_targets(Data &data, const double *y, MatrixOrder order, Error *err) {
  if (data.outputs == 0)
    return fail(err, Status::bad_shape,
                "y: the data was made with outputs = 0 and has no memory for targets");
  const Source source = source_of(y, data.n(), data.outputs, order);
  const Status status = check_finite("y", source, data.n(), data.outputs, err);
  if (status != Status::ok) return status;
  copy_in(data.tiling, source, data.outputs, data.y);
  data.has_targets = true;
  ++data.version;
  return Status::ok;
}

Status data_set_labels(Data &data, const int32_t *labels, Error *err) {
  for (int64_t i = 0; i < data.n(); ++i)
    if (labels[i] < -1)
      return fail(err, Status::bad_label,
                  "labels: row %lld is %d, expected a class from 0 on, or -1 and +1",
                  static_cast<long long>(i), static_cast<int>(labels[i]));
  for (int64_t i = 0; i < data.n(); ++i) data.labels[i] = labels[i];
  data.has_labels = true;
  ++data.version;
  return Status::ok;
}

Status data_targets(const Data &data, double *y, MatrixOrder order, Error *err) {
  if (!data.has_targets)
    return fail(err, Status::no_targets, "targets: they were never set, expected them before");
  const bool by_row = order == MatrixOrder::row_major;
  const int64_t row_step = by_row ? data.outputs : 1, column_step = by_row ? 1 : data.n();
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    const ConstTile tile = data.tiling.tile(static_cast<const double *>(data.y), data.outputs, t);
    for (int64_t j = 0; j < data.outputs; ++j)
      for (int64_t i = 0; i < tile.rows; ++i)
        y[(t * data.tiling.ld + i) * row_step + j * column_step] = tile.col(j)[i];
  }
  return Status::ok;
}

Status data_labels(const Data &data, int32_t *labels, Error *err) {
  if (!data.has_labels)
    return fail(err, Status::no_targets, "labels: they were never set, expected them before");
  for (int64_t i = 0; i < data.n(); ++i) labels[i] = data.labels[i];
  return Status::ok;
}

void gather_rows(const Tiling &tiling, const double *site, int64_t width, double *out) {
  for (int64_t t = 0; t < tiling.tiles; ++t) {
    const ConstTile tile = tiling.tile(site, width, t);
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < width; ++j) *out++ = tile.col(j)[i];
  }
}

void scatter_rows(const Tiling &tiling, const double *in, int64_t width, double *site) {
  copy_in(tiling, {in, width, 1}, width, site);
}

// True if all values are finite. Adds up 0 * value, which is NaN for values that are not finite;
// several sums, so that additions need not wait for each other.
bool all_finite(const double *values, int64_t count) {
  constexpr int64_t turns = 8;
  double sums[turns] = {};
  int64_t i = 0;
  for (; i + turns <= count; i += turns)
    for (int64_t j = 0; j < turns; ++j) sums[j] += 0 * values[i + j];
  for (; i < count; ++i) sums[0] += 0 * values[i];
  for (int64_t j = 1; j < turns; ++j) sums[0] += sums[j];
  return sums[0] == 0;
}

}  // namespace nnp
