// Access to the columns of a site that may be packed, a few at a time as doubles.
#pragma once

#include <algorithm>

#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"

namespace nnp {

constexpr int64_t columns_unpacked_at_once = 32;

// Calls work(columns, first) with all columns as they are, or with runs of them unpacked in cache.
template <class Work>
void in_columns(const ConstTile &in, const Kernels &kernels, const Work &work) {
  if (!in.packed) return work(in, int64_t{0});
  alignas(64) double values[columns_unpacked_at_once * Tiling::max_rows];
  for (int64_t first = 0; first < in.width; first += columns_unpacked_at_once) {
    const int64_t count = std::min(columns_unpacked_at_once, in.width - first);
    const Tile some = {values, in.rows, count, in.ld};
    kernels.unpack(*in.packed, first, some);
    work(ConstTile(some), first);
  }
}

// Strides of a window over an image, in pixels.
struct PixelWindow {
  int64_t height, width, down, right;
};

// out += one pixel of all rows, of a packed tile. `room` is scratch for unpacking it.
inline void add_pixel(const PackedTile &p, int64_t pixel, int64_t rows, const Kernels &kernels,
                      double *room, double *out) {
  if (p.kind == StoreKind::singles) {
    const float *x = p.singles + pixel * p.ld;
    for (int64_t i = 0; i < rows; ++i) out[i] += static_cast<double>(x[i]);
    return;
  }
  kernels.unpack(p, pixel, {room, rows, 1, p.ld});
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): unpack fills it
  for (int64_t i = 0; i < rows; ++i) out[i] += room[i];
}

// out = mean over the window whose first pixel is column `corner`. The next tile must follow this
// one in memory.
inline void average_columns(ConstTile in, int64_t corner, const PixelWindow &w,
                            const Kernels &kernels, double *out) {
  const int64_t ld = in.ld;
  const ColumnWindow window = {w.height, w.width, w.down * ld, w.right * ld, in.width * ld};
  if (!in.packed) return kernels.average(in.col(corner), window, in.rows, out);
  const PackedTile &p = *in.packed;
  if (p.kind == StoreKind::bytes && p.same_scale)
    return kernels.average_bytes(p.bytes + corner * ld, window, in.rows, p.scale[0], p.shift[0],
                                 out);
  alignas(64) double room[Tiling::max_rows];
  kernels.unpack(p, corner, {out, in.rows, 1, ld});
  for (int64_t next = 1; next < w.height * w.width; ++next) {
    const int64_t y = next / w.width, x = next % w.width;
    add_pixel(p, corner + y * w.down + x * w.right, in.rows, kernels, room, out);
  }
  const double share = 1.0 / static_cast<double>(w.height * w.width);
  for (int64_t i = 0; i < in.rows; ++i) out[i] *= share;
}

}  // namespace nnp
