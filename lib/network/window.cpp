#include "lib/network/window.hpp"

namespace nnp {

Status check_size(const char *name, int64_t value, Error *err) {
  if (value >= 1 && value <= max_width) return Status::ok;
  return fail(err, value < 1 ? Status::bad_size : Status::size_overflow,
              "%s = %lld: expected 1 to %lld", name, ll(value), ll(max_width));
}

Status check_window(const char *what, const Window &window, const Shape &in, Error *err) {
  Status status = check_size("height", window.height, err);
  if (status == Status::ok) status = check_size("width", window.width, err);
  if (status == Status::ok) status = check_size("stride_y", window.step_y, err);
  if (status == Status::ok) status = check_size("stride_x", window.step_x, err);
  if (status != Status::ok) return status;
  if (window.height <= in.height && window.width <= in.width) return Status::ok;
  return fail(
      err, Status::bad_shape,
      "height, width = %lld, %lld: the %s does not fit its input of %lld x %lld pixels, the "
      "output would be empty (nnp_net_image makes a flat input an image)",
      ll(window.height), ll(window.width), what, ll(in.height), ll(in.width));
}

Window touching_windows(int64_t height, int64_t width) {
  Window window;
  window.height = window.step_y = height;
  window.width = window.step_x = width;
  return window;
}

Status construct_pool(const LayerSpec &spec, Layer &layer, Error *err) {
  const Status status = check_window("window", spec.window, layer.in, err);
  if (status != Status::ok) return status;
  layer.bias = false;
  layer.window = spec.window;
  layer.out = {layer.in.channels, layer.in.height / spec.window.height,
               layer.in.width / spec.window.width};
  return Status::ok;
}

void window_sizes(const Layer &layer, MapFields &fields) {
  fields.add(layer.window.height);
  fields.add(layer.window.width);
}

bool collapse_pool(const Layer &layer, const Shape &out, const Layer &next, Layer &collapsed,
                   Window &pool) {
  const bool same_image = next.in.channels == out.channels && next.in.height == out.height &&
                          next.in.width == out.width;
  if (!same_image || !ops_of(next).as_pool(next, pool)) return false;
  // The sum of two separately learned noises has no conjugate draw, so both sites stay.
  if (layer.learned_noise.first != next.learned_noise.first) return false;
  collapsed = layer;
  collapsed.out = next.out;
  collapsed.noise = collapsed.final_noise =
      next.noise + layer.noise / static_cast<double>(window_size(pool));
  collapsed.multiple = next.multiple + layer.multiple / static_cast<double>(window_size(pool));
  collapsed.last_number = next.last_number;
  return true;
}

}  // namespace nnp
