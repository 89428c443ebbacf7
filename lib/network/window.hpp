// Shared by layers with windows over images: checks of sizes, and collapsed pools.
#pragma once

#include "lib/base/sizes.hpp"
#include "lib/network/layer.hpp"

namespace nnp {

constexpr int64_t max_width = int64_t{1} << 31;  // features of a site

Status check_size(const char *name, int64_t value, Error *err);
// Fails unless the window moves and fits the image.
Status check_window(const char *what, const Window &window, const Shape &in, Error *err);

// Adjacent, non-overlapping windows, channel by channel; pixels that do not fill one are left out.
Window touching_windows(int64_t height, int64_t width);
inline int64_t window_size(const Window &window) {
  return window.height * window.width;
}
// Constructs a layer with such windows and no parameters.
Status construct_pool(const LayerSpec &spec, Layer &layer, Error *err);
void window_sizes(const Layer &layer, MapFields &fields);

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

// Calls work(pixel) for the pixels of a window, row by row.
template <class Work>
void for_each_pixel(const Layer &layer, int64_t first, Work work) {
  for (int64_t y = 0; y < layer.window.height; ++y)
    for (int64_t x = 0; x < layer.window.width; ++x) work(first + y * layer.in.width + x);
}

// True if the next layer is a pool of this one's outputs, an image of shape `out`, whose input may
// be integrated out. Windows do not overlap, so the noise of pooled outputs stays independent, with
// variance D_pool + D / |window|. Writes the layer equivalent to both, except for its use of the
// window.
bool collapse_pool(const Layer &layer, const Shape &out, const Layer &next, Layer &collapsed,
                   Window &pool);

}  // namespace nnp
