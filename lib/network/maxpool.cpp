// Maximum pooling: out = the largest pixel of each of adjacent, non-overlapping windows of height x
// width pixels, channel by channel. Pixels that do not fill a window are ignored. A window's pixels
// compete, so their conditional given the maximum is not a product of simple distributions:
// gradients only.
#include <algorithm>

#include "lib/network/window.hpp"

namespace nnp {

namespace {

// A pixel of all rows; `room` is scratch for unpacking it.
const double *pixel_column(ConstTile in, int64_t pixel, const Kernels &kernels, double *room) {
  if (!in.packed) return in.col(pixel);
  kernels.unpack(*in.packed, pixel, {room, in.rows, 1, in.ld});
  return room;
}

// NaN is propagated.
void forward(const Layer &layer, const double *, ConstTile in, Tile out, const Kernels &kernels) {
  alignas(64) double room[Tiling::max_rows];
  for_each_window(layer, [&](int64_t first, int64_t output) {
    double *most = out.col(output);
    std::copy_n(pixel_column(in, first, kernels, room), in.rows, most);
    for_each_pixel(layer, first, [&](int64_t pixel) {
      const double *v = pixel_column(in, pixel, kernels, room);
      for (int64_t i = 0; i < in.rows; ++i)
        if (v[i] > most[i] || v[i] != v[i]) most[i] = v[i];
    });
  });
}

// The gradient goes to the largest pixel, or the first of several; the others get none.
void backward(const Layer &layer, const double *, const BackwardTile &tile, double *,
              const Kernels &, double *) {
  const Tile in = tile.in_gradient;
  if (!in.data) return;
  for (int64_t j = 0; j < in.width; ++j) std::fill_n(in.col(j), in.rows, 0.0);
  double left[Tiling::max_rows];  // remainder of a window's gradient: 0 once a pixel has it
  for_each_window(layer, [&](int64_t first, int64_t output) {
    const double *most = tile.out.col(output);
    std::copy_n(tile.out_gradient.col(output), in.rows, left);
    for_each_pixel(layer, first, [&](int64_t pixel) {
      const double *v = tile.in.col(pixel);
      double *gradient = in.col(pixel);
      for (int64_t i = 0; i < in.rows; ++i) {
        if (v[i] != most[i]) continue;
        gradient[i] = left[i];
        left[i] = 0;
      }
    });
  });
}

const char *no_exact_draw(const Layer &) {
  return "since the pixels of a window compete for the maximum: expected an avgpool instead, or "
         "sampler hmc, mala or nuts";
}

constexpr LayerOps table() {
  LayerOps ops;
  ops.name = "maxpool";
  ops.construct = construct_pool;
  ops.map_fields = window_sizes;
  ops.no_exact_draw = no_exact_draw;
  ops.forward = forward;
  ops.backward = backward;
  return ops;
}

}  // namespace

const LayerOps maxpool_ops = table();

}  // namespace nnp
