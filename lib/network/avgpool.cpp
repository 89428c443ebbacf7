// Average pooling: out = mean over windows of height x width pixels that touch but do not overlap,
// channel by channel. Pixels that do not fill a window meet nothing above them.
#include <algorithm>
#include <cmath>

#include "lib/network/columns.hpp"
#include "lib/network/layer.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

int64_t none(const Layer &) {
  return 0;
}

// Calls work(first pixel of the window, output feature).
template <class Work>
void for_each_window(const Layer &layer, Work work) {
  const Window &w = layer.window;
  const int64_t out_height = layer.in.height / w.height, out_width = layer.in.width / w.width;
  int64_t output = 0;
  for (int64_t c = 0; c < layer.in.channels; ++c)
    for (int64_t y = 0; y < out_height; ++y)
      for (int64_t x = 0; x < out_width; ++x, ++output)
        work((c * layer.in.height + y * w.height) * layer.in.width + x * w.width, output);
}

// Calls work(pixel) for those of a window.
template <class Work>
void for_each_pixel(const Layer &layer, int64_t first, Work work) {
  for (int64_t y = 0; y < layer.window.height; ++y)
    for (int64_t x = 0; x < layer.window.width; ++x) work(first + y * layer.in.width + x);
}

double window_size(const Layer &layer) {
  return static_cast<double>(layer.window.height * layer.window.width);
}

void forward(const Layer &layer, const double *, ConstTile in, Tile out, const Kernels &kernels) {
  const PixelWindow window = {layer.window.height, layer.window.width, layer.in.width, 1};
  for_each_window(layer, [&](int64_t first, int64_t output) {
    average_columns(in, first, window, kernels, out.col(output));
  });
}

void input_layout(Arena &, const Layer &, InputFactor &) {}

// A window of n pixels has prior D_p I and its mean is seen with noise D: with
// t = D_p / (D_p + n D) the mean moves by t * (above - mean of the means), and z - q <z,1> 1 has
// the covariance I - (t/n) 11', with q = (1 - sqrt(1 - t)) / n.
bool factor_input(const Layer &layer, const double *, double prior_noise, InputFactor &input) {
  const double n = window_size(layer), ratio = n * layer.noise / prior_noise;
  const double t = 1 / (1 + ratio);
  input.scalar[0] = t;
  input.scalar[1] = t / (n * (1 + std::sqrt(ratio * t)));  // 1 - t = ratio * t
  return true;
}

// Pixels left over: their windows would stick out of the image.
bool left_over(const Layer &layer, int64_t pixel) {
  const Window &w = layer.window;
  const int64_t x = pixel % layer.in.width, y = pixel / layer.in.width % layer.in.height;
  return y >= layer.in.height / w.height * w.height || x >= layer.in.width / w.width * w.width;
}

// x = m + sd (z - q <z,1> 1) + t (above - mean of m), or m + sd z for pixels left over
void draw_input(const Layer &layer, const double *, const InputFactor &input, const SiteDraw &draw,
                const TileWork &work) {
  const Relax relax = draw.relax;
  const double n = window_size(layer), sd = relax.shake * std::sqrt(draw.prior_noise);
  const double gain = relax.pull * input.scalar[0], q = input.scalar[1];
  const int64_t rows = draw.site.rows;
  double *z = work.scratch[0], *move = work.scratch[1];
  // x = keep x + pull m + shake sd z, with z left behind
  const auto shake_pixel = [&](int64_t pixel) {
    double *s = draw.site.col(pixel);
    const double *m = draw.mean.col(pixel);
    fill_normal(*work.stream, z, rows);
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

// A pixel has its share of the gradient of its window; those left over have none.
void backward(const Layer &layer, const double *, const BackwardTile &tile, double *,
              const Kernels &, double *) {
  const Tile in = tile.in_gradient;
  if (!in.data) return;
  const double share = 1 / window_size(layer);
  for (int64_t j = 0; j < in.width; ++j) std::fill_n(in.col(j), in.rows, 0.0);
  for_each_window(layer, [&](int64_t first, int64_t output) {
    const double *out = tile.out_gradient.col(output);
    for_each_pixel(layer, first, [&](int64_t pixel) {
      for (int64_t i = 0; i < in.rows; ++i) in.col(pixel)[i] = share * out[i];
    });
  });
}

// A pool of pools is a pool, and the noise of its outputs stays independent.
bool merge(const Layer &layer, const Layer &next, Layer &merged) {
  const Window &w = layer.window;
  const bool same_shape = next.in.channels == layer.in.channels &&
                          next.in.height == layer.in.height / w.height &&
                          next.in.width == layer.in.width / w.width;
  if (next.kind != LayerKind::avgpool || !next.collapse || !same_shape) return false;
  merged = layer;
  merged.out = next.out;
  merged.window.height *= next.window.height;
  merged.window.width *= next.window.width;
  merged.noise = merged.final_noise = next.noise + layer.noise / window_size(next);
  merged.last_number = next.last_number;
  return true;
}

}  // namespace

const LayerOps avgpool_ops = {"avgpool",  false,   none,    none,    forward,      nullptr,
                              nullptr,    nullptr, nullptr, nullptr, input_layout, factor_input,
                              draw_input, merge,   nullptr, nullptr, backward};

}  // namespace nnp
