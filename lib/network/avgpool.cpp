// Average pooling: out = mean over adjacent, non-overlapping windows of height x width pixels,
// channel by channel. Pixels that do not fill a window are ignored.
#include <algorithm>
#include <cmath>

#include "lib/network/columns.hpp"
#include "lib/network/window.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

double pixels_of(const Layer &layer) {
  return static_cast<double>(window_size(layer.window));
}

void forward(const Layer &layer, const double *, ConstTile in, Tile out, const Kernels &kernels) {
  const PixelWindow window = {layer.window.height, layer.window.width, layer.in.width, 1};
  for_each_window(layer, [&](int64_t first, int64_t output) {
    average_columns(in, first, window, kernels, out.col(output));
  });
}

// A window of n pixels has prior D_p I, and its mean is observed with noise D. With t = D_p / (D_p
// + n D) the mean moves by t * (above - mean of the means), and z - q <z,1> 1 has the covariance I
// - (t/n) 11', with q = (1 - sqrt(1 - t)) / n.
bool factor_input(const Layer &layer, const double *, double prior_noise, InputFactor &input,
                  const Kernels &) {
  const double n = pixels_of(layer), ratio = n * layer.noise / prior_noise;
  const double t = 1 / (1 + ratio);
  input.scalar[0] = t;
  input.scalar[1] = t / (n * (1 + std::sqrt(ratio * t)));  // 1 - t = ratio * t
  return true;
}

// True for leftover pixels, whose windows would extend beyond the image.
bool left_over(const Layer &layer, int64_t pixel) {
  const Window &w = layer.window;
  const int64_t x = pixel % layer.in.width, y = pixel / layer.in.width % layer.in.height;
  return y >= layer.in.height / w.height * w.height || x >= layer.in.width / w.width * w.width;
}

// x = m + sd (z - q <z,1> 1) + t (above - mean of m), or m + sd z for leftover pixels
void draw_input(const Layer &layer, const double *, const InputFactor &input, const SiteDraw &draw,
                const TileWork &work) {
  const Relax relax = draw.relax;
  const double n = pixels_of(layer), sd = relax.shake * std::sqrt(draw.prior_noise);
  const double gain = relax.pull * input.scalar[0], q = input.scalar[1];
  const int64_t rows = draw.site.rows;
  double *z = work.scratch[0], *move = work.scratch[1];
  // x = keep x + pull m + shake sd z, leaving z in place
  const auto shake_pixel = [&](int64_t pixel) {
    double *s = draw.site.col(pixel);
    const double *m = draw.mean.col(pixel);
    work.draws->normals(*work.stream, z, rows);
    for (int64_t i = 0; i < rows; ++i) s[i] = relax.keep * s[i] + relax.pull * m[i] + sd * z[i];
  };
  for_each_window(layer, [&](int64_t first, int64_t output) {
    const double *above = draw.above.col(output);
    for (int64_t i = 0; i < rows; ++i) move[i] = gain * above[i];
    for_each_pixel(layer, first, [&](int64_t pixel) {
      const double *m = draw.mean.col(pixel);
      shake_pixel(pixel);
      for (int64_t i = 0; i < rows; ++i) move[i] -= sd * q * z[i] + gain / n * m[i];
    });
    for_each_pixel(layer, first, [&](int64_t pixel) {
      double *s = draw.site.col(pixel);
      for (int64_t i = 0; i < rows; ++i) s[i] += move[i];
    });
  });
  for (int64_t pixel = 0; pixel < draw.site.width; ++pixel)
    if (left_over(layer, pixel)) shake_pixel(pixel);
}

// A pixel gets its share of the gradient of its window; leftover pixels get none.
void backward(const Layer &layer, const double *, const BackwardTile &tile, double *,
              const Kernels &, double *) {
  const Tile in = tile.in_gradient;
  if (!in.data) return;
  const double share = 1 / pixels_of(layer);
  for (int64_t j = 0; j < in.width; ++j) std::fill_n(in.col(j), in.rows, 0.0);
  for_each_window(layer, [&](int64_t first, int64_t output) {
    const double *out = tile.out_gradient.col(output);
    for_each_pixel(layer, first, [&](int64_t pixel) {
      for (int64_t i = 0; i < in.rows; ++i) in.col(pixel)[i] = share * out[i];
    });
  });
}

bool as_pool(const Layer &layer, Window &window) {
  window = layer.window;
  return layer.collapse;
}

// A pool of pools is a pool.
bool collapse(const Layer &layer, const Layer &next, Layer &collapsed) {
  const Window &w = layer.window;
  const Shape out = {layer.in.channels, layer.in.height / w.height, layer.in.width / w.width};
  Window pool;
  if (!collapse_pool(layer, out, next, collapsed, pool)) return false;
  collapsed.window = touching_windows(w.height * pool.height, w.width * pool.width);
  return true;
}

constexpr PropertyRow collapse() {
  PropertyRow row;
  row.property = Property::collapse;
  row.name = "collapse";
  row.values = Values::yes_or_no;
  row.get = [](const Layer &layer) { return layer.collapse ? 1.0 : 0.0; };
  row.set = [](Layer &layer, double value) { layer.collapse = value != 0; };
  return row;
}
constexpr PropertyRow properties[] = {collapse()};

constexpr LayerOps table() {
  LayerOps ops;
  ops.name = "avgpool";
  ops.construct = construct_pool;
  ops.properties = {properties, 1};
  ops.map_fields = window_sizes;
  ops.as_pool = as_pool;
  ops.collapse = collapse;
  ops.forward = forward;
  ops.backward = backward;
  ops.factor_input = factor_input;
  ops.draw_input = draw_input;
  return ops;
}

}  // namespace

const LayerOps avgpool_ops = table();

}  // namespace nnp
