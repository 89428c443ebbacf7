#include "lib/network/net.hpp"

#include <cmath>
#include <cstring>

#include "lib/base/text.hpp"

namespace nnp {

namespace {

constexpr int64_t max_width = int64_t{1} << 31;
constexpr int64_t max_params = int64_t{1} << 40;

long long ll(int64_t value) {
  return static_cast<long long>(value);
}

// a * b, or the largest number there is.
int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Pairs of layers are merged from the input on.
void merge_layers(Net &net) {
  net.merged_depth = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    Layer *last = net.merged_depth ? net.merged + net.merged_depth - 1 : nullptr;
    Layer both;
    if (last && ops_of(*last).merge && ops_of(*last).merge(*last, net.layer(k), both))
      *last = both;
    else
      net.merged[net.merged_depth++] = net.layer(k);
  }
}

// A copy in the arena. While the arena only counts, the original: shapes are still needed.
Layer *copy_layers(Arena &arena, Layer *source, int64_t count) {
  Layer *layers = arena.take<Layer>(count);
  if (!layers) return source;
  for (int64_t k = 0; k < count; ++k) layers[k] = source[k];
  return layers;
}

// A complete layer goes behind the last one.
Status append(Net &net, Layer layer, Error *err) {
  if (net.head != HeadKind::none)
    return fail(err, Status::head_misplaced,
                "layer %lld: the network already ends in head %s, expected layers before the head",
                ll(net.depth + 1), ops_of(net.head)->name);
  if (net.depth == net.capacity)
    return fail(err, Status::net_full, "layer %lld: the network was made for at most %lld layers",
                ll(net.depth + 1), ll(net.capacity));
  layer.first_param = net.param_count();
  if (layer.param_count() > max_params - layer.first_param)
    return fail(err, Status::size_overflow,
                "layer %lld: %lld x %lld weights are more than this library can count",
                ll(net.depth + 1), ll(layer.out.channels),
                ll(layer.weight_count / layer.out.channels));
  layer.first_number = layer.last_number = net.depth + 1;
  net.layers[net.depth++] = layer;
  merge_layers(net);
  return Status::ok;
}

Status check_size(const char *name, int64_t value, Error *err) {
  if (value >= 1 && value <= max_width) return Status::ok;
  return fail(err, value < 1 ? Status::bad_size : Status::size_overflow,
              "%s = %lld: expected 1 to %lld", name, ll(value), ll(max_width));
}

// A window that moves and has a place in the image.
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

Status check_output(const Shape &out, Error *err) {
  if (times(times(out.channels, out.height), out.width) <= max_width) return Status::ok;
  return fail(err, Status::size_overflow,
              "filters = %lld: an output of %lld x %lld pixels each is more than %lld features",
              ll(out.channels), ll(out.height), ll(out.width), ll(max_width));
}

bool has_params(const Layer &layer) {
  return layer.weight_count > 0;
}

bool has_property(const Layer &layer, Property property) {
  switch (property) {
    case Property::noise:
      return true;
    case Property::lambda_w:
      return has_params(layer);
    case Property::lambda_b:
    case Property::bias:
      return has_params(layer);
    case Property::slope:
      return layer.activation == Activation::leaky_relu;
    case Property::collapse:
      return layer.kind == LayerKind::avgpool;
  }
  return false;
}

const char *name_of(Property property) {
  switch (property) {
    case Property::noise:
      return "noise";
    case Property::lambda_w:
      return "lambda_w";
    case Property::lambda_b:
      return "lambda_b";
    case Property::bias:
      return "bias";
    case Property::slope:
      return "slope";
    case Property::collapse:
      return "collapse";
  }
  return nullptr;
}

Status check_value(Property property, double value, Error *err) {
  const char *name = name_of(property);
  if (property == Property::bias || property == Property::collapse) {
    if (value == 0 || value == 1) return Status::ok;
    return fail(err, Status::bad_value, "%s = %g: expected 0 or 1", name, value);
  }
  if (property == Property::slope) {
    if (std::isfinite(value)) return Status::ok;
    return fail(err, Status::bad_value, "%s = %g: expected a finite number", name, value);
  }
  if (value > 0 && std::isfinite(value)) return Status::ok;
  return fail(err, Status::bad_value, "%s = %g: expected a positive, finite number", name, value);
}

Status check_property(const Net &net, int64_t layer, Property property, Error *err) {
  if (!name_of(property))
    return fail(err, Status::bad_enum, "property = %d: expected one of the layer properties",
                static_cast<int>(property));
  if (layer < 0 || layer > net.depth)
    return fail(err, Status::bad_size, "layer = %lld: expected 1 to %lld, or 0 for all layers",
                ll(layer), ll(net.depth));
  if (layer > 0 && !has_property(net.layer(layer), property))
    return fail(err, Status::bad_option, "layer = %lld: a layer of kind %s has no %s", ll(layer),
                layer_name(net.layer(layer)), name_of(property));
  return Status::ok;
}

void assign(Layer &layer, Property property, double value) {
  switch (property) {
    case Property::noise:
      layer.noise = layer.final_noise = value;
      break;
    case Property::lambda_w:
      layer.lambda_w = value;
      break;
    case Property::lambda_b:
      layer.lambda_b = value;
      break;
    case Property::slope:
      layer.slope = value;
      break;
    case Property::collapse:
      layer.collapse = value != 0;
      break;
    case Property::bias:
      layer.bias = value != 0;
      layer.bias_count = layer.bias ? ops_of(layer).units(layer) : 0;
      break;
  }
}

void place_params(Net &net) {
  int64_t first = 0;
  for (int64_t k = 0; k < net.depth; ++k) {
    net.layers[k].first_param = first;
    first += net.layers[k].param_count();
  }
  merge_layers(net);
}

// FNV-1a
void mix(uint64_t &hash, const void *bytes, size_t size) {
  const unsigned char *p = static_cast<const unsigned char *>(bytes);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ p[i]) * 0x100000001b3ull;
}

template <class T>
void mix(uint64_t &hash, T value) {
  mix(hash, &value, sizeof value);
}

void shape_text(const Shape &shape, char *text, size_t size) {
  if (shape.height == 1 && shape.width == 1)
    std::snprintf(text, size, "%lld", ll(shape.channels));
  else
    std::snprintf(text, size, "%lldx%lldx%lld", ll(shape.channels), ll(shape.height),
                  ll(shape.width));
}

void table_row(Text &out, const Net &net, int64_t k, int64_t n) {
  const Layer &layer = net.layer(k);
  char shape[64];
  shape_text(layer.out, shape, sizeof shape);
  const bool collapsed = net_merged(net).find_site(k) == 0;
  const int64_t latents = k <= net.last_latent() && !collapsed ? times(n, layer.out.size()) : 0;
  char count[32];
  std::snprintf(count, sizeof count, "%lld", ll(latents));
  out.add("%5lld  %-10s %14s %10lld %12s %14lld  %9.3g", ll(k), layer_name(layer), shape,
          ll(layer.param_count()), collapsed ? "collapsed" : count,
          ll(times(8, plus(latents, layer.param_count()))), layer.noise);
  if (has_params(layer)) out.add("  %9.3g", layer.lambda_w);
  if (layer.bias_count) out.add("  %9.3g", layer.lambda_b);
  out.add("\n");
}

}  // namespace

const LayerOps &ops_of(const Layer &layer) {
  static const LayerOps *const table[] = {nullptr, &dense_ops, &conv2d_ops, &avgpool_ops,
                                          &activation_ops};
  return *table[static_cast<int32_t>(layer.kind)];
}

const char *layer_name(const Layer &layer) {
  return layer.kind == LayerKind::activation ? activation_name(layer.activation)
                                             : ops_of(layer).name;
}

const HeadOps *ops_of(HeadKind head) {
  switch (head) {
    case HeadKind::none:
      return nullptr;
    case HeadKind::gaussian:
      return &gaussian_head_ops;
    case HeadKind::argmax:
      return &argmax_head_ops;
    case HeadKind::sign:
      return &sign_head_ops;
  }
  return nullptr;
}

int64_t Net::param_count() const {
  return depth == 0 ? 0 : layer(depth).first_param + layer(depth).param_count();
}

int64_t Net::last_latent() const {
  const HeadOps *ops = ops_of(head);
  return ops && !ops->observed ? depth : std::max<int64_t>(depth - 1, 0);
}

int64_t Net::latent_width() const {
  int64_t sum = 0;
  for (int64_t k = 1; k <= last_latent(); ++k) sum += site_width(k);
  return sum;
}

int64_t Net::widest_site() const {
  int64_t widest = 0;
  for (int64_t k = 1; k <= depth; ++k) widest = std::max(widest, site_width(k));
  return widest;
}

int64_t Net::described_depth() const {
  return depth == 0 ? 0 : layer(depth).last_number;
}

int64_t Net::find_site(int64_t number) const {
  for (int64_t k = 1; k <= depth; ++k)
    if (layer(k).last_number == number) return k;
  return 0;
}

Net *net_layout(Arena &arena, int64_t capacity) {
  Net *net = arena.take<Net>(1);
  Layer *layers = arena.take<Layer>(capacity);
  Layer *merged = arena.take<Layer>(capacity);
  if (net) {
    *net = Net{};
    net->capacity = capacity;
    net->layers = layers;
    net->merged = merged;
  }
  return net;
}

Net net_copy(Arena &arena, const Net &source) {
  Net net = source;
  net.capacity = net.depth;
  net.layers = copy_layers(arena, source.layers, source.depth);
  // What is merged already has one list of layers, a description two.
  net.merged = source.merged == source.layers
                   ? net.layers
                   : copy_layers(arena, source.merged, source.merged_depth);
  return net;
}

Net net_merged(const Net &net) {
  Net merged = net;
  merged.layers = net.merged;
  merged.depth = net.merged_depth;
  return merged;
}

Status net_add_dense(Net &net, int64_t units, Error *err) {
  if (units < 1 || units > max_width)
    return fail(err, units < 1 ? Status::bad_size : Status::size_overflow,
                "units = %lld: expected 1 to %lld", ll(units), ll(max_width));
  Layer layer;
  layer.kind = LayerKind::dense;
  layer.in = net.site_shape(net.depth);
  layer.out = {units, 1, 1};
  layer.weight_count = units * layer.in.size();
  layer.bias_count = units;
  layer.lambda_w = layer.lambda_b = static_cast<double>(layer.in.size());
  return append(net, layer, err);
}

Status net_add_conv2d(Net &net, int64_t filters, const Window &window, Error *err) {
  const Shape in = net.site_shape(net.depth);
  Status status = check_size("filters", filters, err);
  if (status == Status::ok) status = check_window("filter", window, in, err);
  if (status != Status::ok) return status;
  Layer layer;
  layer.kind = LayerKind::conv2d;
  layer.in = in;
  layer.out = {filters, (in.height - window.height) / window.step_y + 1,
               (in.width - window.width) / window.step_x + 1};
  layer.window = window;
  status = check_output(layer.out, err);
  if (status != Status::ok) return status;
  const int64_t patch = in.channels * window.height * window.width;
  layer.weight_count = filters * patch;
  layer.bias_count = filters;
  layer.lambda_w = layer.lambda_b = static_cast<double>(patch);
  return append(net, layer, err);
}

Status net_add_avgpool(Net &net, int64_t height, int64_t width, Error *err) {
  const Shape in = net.site_shape(net.depth);
  const Window window = {height, width, height, width, 1, 1};
  const Status status = check_window("window", window, in, err);
  if (status != Status::ok) return status;
  Layer layer;
  layer.kind = LayerKind::avgpool;
  layer.bias = false;
  layer.in = in;
  layer.out = {in.channels, in.height / height, in.width / width};
  layer.window = window;
  return append(net, layer, err);
}

Status net_set_shape(Net &net, const Shape &shape, Error *err) {
  if (net.head != HeadKind::none)
    return fail(err, Status::head_misplaced,
                "image: the network already ends in head %s, expected it before the head",
                ops_of(net.head)->name);
  for (int64_t size : {shape.channels, shape.height, shape.width})
    if (size < 1)
      return fail(err, Status::bad_size,
                  "image = %lldx%lldx%lld: expected channels, height and width of at least 1",
                  ll(shape.channels), ll(shape.height), ll(shape.width));
  Shape &site = net.depth ? net.layers[net.depth - 1].out : net.input;
  if (times(times(shape.channels, shape.height), shape.width) != site.size())
    return fail(err, Status::bad_shape,
                "image = %lldx%lldx%lld: site %lld has %lld features, expected channels * height * "
                "width to be as many",
                ll(shape.channels), ll(shape.height), ll(shape.width), ll(net.depth),
                ll(site.size()));
  site = shape;
  merge_layers(net);
  return Status::ok;
}

Status net_add_activation(Net &net, Activation activation, Error *err) {
  if (!activation_name(activation))
    return fail(err, Status::bad_enum, "activation = %d: expected one of the activations",
                static_cast<int>(activation));
  Layer layer;
  layer.kind = LayerKind::activation;
  layer.activation = activation;
  layer.bias = false;
  layer.in = layer.out = net.site_shape(net.depth);
  return append(net, layer, err);
}

Status net_set_head(Net &net, HeadKind head, Error *err) {
  const HeadOps *ops = ops_of(head);
  if (!ops)
    return fail(err, Status::bad_enum, "head = %d: expected gaussian, argmax or sign",
                static_cast<int>(head));
  if (net.head != HeadKind::none)
    return fail(err, Status::second_head, "head %s: the network already has head %s", ops->name,
                ops_of(net.head)->name);
  if (net.depth == 0)
    return fail(err, Status::head_misplaced,
                "head %s: the network has no layers yet, expected at least one before the head",
                ops->name);
  const Status status = ops->check_outputs(net.outputs(), err);
  if (status == Status::ok) net.head = head;
  return status;
}

Status net_set(Net &net, int64_t layer, Property property, double value, Error *err) {
  Status status = check_property(net, layer, property, err);
  if (status == Status::ok) status = check_value(property, value, err);
  if (status != Status::ok) return status;
  for (int64_t k = 1; k <= net.depth; ++k)
    if ((layer == 0 || layer == k) && has_property(net.layer(k), property))
      assign(net.layers[k - 1], property, value);
  place_params(net);
  return Status::ok;
}

Status net_get(const Net &net, int64_t layer, Property property, double *value, Error *err) {
  const Status status = check_property(net, layer, property, err);
  if (status != Status::ok) return status;
  if (layer == 0)
    return fail(err, Status::bad_size, "layer = 0: expected one layer, 1 to %lld", ll(net.depth));
  const Layer &source = net.layer(layer);
  switch (property) {
    case Property::noise:
      *value = source.noise;
      break;
    case Property::lambda_w:
      *value = source.lambda_w;
      break;
    case Property::lambda_b:
      *value = source.lambda_b;
      break;
    case Property::bias:
      *value = source.bias ? 1 : 0;
      break;
    case Property::slope:
      *value = source.slope;
      break;
    case Property::collapse:
      *value = source.collapse ? 1 : 0;
      break;
  }
  return Status::ok;
}

Status net_check_complete(const Net &net, Error *err) {
  if (net.depth == 0)
    return fail(err, Status::no_layers, "net: it has no layers, expected at least one");
  if (net.head == HeadKind::none)
    return fail(err, Status::no_head, "net: it has no head, expected gaussian, argmax or sign");
  return Status::ok;
}

Status net_check_inputs(const Net &net, const Data &data, Error *err) {
  if (data.features != net.input.size())
    return fail(err, Status::bad_shape, "data: it has %lld features, the network expects %lld",
                ll(data.features), ll(net.input.size()));
  if (!data.has_inputs) return fail(err, Status::no_targets, "data: its inputs were never set");
  return Status::ok;
}

Status net_check_targets(const Net &net, const Data &data, Error *err) {
  const HeadOps &head = *ops_of(net.head);
  if (head.observed) {
    if (!data.has_targets)
      return fail(err, Status::no_targets, "data: head %s expects targets, none were set",
                  head.name);
    if (data.outputs != net.outputs())
      return fail(err, Status::bad_shape,
                  "data: it has %lld outputs a row, the network expects %lld", ll(data.outputs),
                  ll(net.outputs()));
    return Status::ok;
  }
  if (!data.has_labels)
    return fail(err, Status::no_targets, "data: head %s expects labels, none were set", head.name);
  for (int64_t i = 0; i < data.n(); ++i)
    if (!head.label_ok(data.labels[i], net.outputs()))
      return fail(err, Status::bad_label,
                  "labels: row %lld is %d, head %s expects %s (outputs %lld)", ll(i),
                  static_cast<int>(data.labels[i]), head.name, head.label_range, ll(net.outputs()));
  return Status::ok;
}

uint64_t net_fingerprint(const Net &net) {
  uint64_t hash = 0xcbf29ce484222325ull;
  mix(hash, net.input.channels);
  mix(hash, net.input.height);
  mix(hash, net.input.width);
  mix(hash, net.head);
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    mix(hash, layer.kind);
    mix(hash, layer.activation);
    mix(hash, layer.out.channels);
    mix(hash, layer.out.height);
    mix(hash, layer.out.width);
    mix(hash, static_cast<int32_t>(layer.bias));
    const Window &w = layer.window;
    for (int64_t size : {w.height, w.width, w.step_y, w.step_x, w.pool_y, w.pool_x})
      mix(hash, size);
    for (double value : {layer.slope, layer.final_noise, layer.lambda_w, layer.lambda_b})
      mix(hash, value);
  }
  return hash;
}

size_t net_table(const Net &net, int64_t n, char *buffer, size_t size) {
  Text out = {buffer, size, 0};
  if (size) buffer[0] = 0;
  char shape[64];
  shape_text(net.input, shape, sizeof shape);
  out.add("layer  %-10s %14s %10s %12s %14s  %9s  %9s  %9s\n", "kind", "shape", "parameters",
          "latents", "bytes", "noise", "lambda_w", "lambda_b");
  out.add("%5d  %-10s %14s %10d %12d %14lld\n", 0, "input", shape, 0, 0,
          ll(times(8, times(n, net.input.size()))));
  for (int64_t k = 1; k <= net.depth; ++k) table_row(out, net, k, n);
  const int64_t latents = times(n, net_merged(net).latent_width());
  const int64_t values = plus(plus(latents, net.param_count()), times(n, net.input.size()));
  shape_text(net.site_shape(net.depth), shape, sizeof shape);
  out.add("       %-10s %14s\n", net.head == HeadKind::none ? "(no head)" : ops_of(net.head)->name,
          shape);
  out.add("total  %-10s %14s %10lld %12lld %14lld\n", "", "", ll(net.param_count()), ll(latents),
          ll(times(8, values)));
  return out.length;
}

size_t net_param_name(const Net &net, int64_t index, char *buffer, size_t size) {
  int64_t number = 0;  // of the layer, counting only those that have parameters
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (has_params(layer)) ++number;
    int64_t i = index - layer.first_param;
    if (i >= layer.param_count()) continue;
    Text out = {buffer, size, 0};
    if (i >= layer.weight_count) {
      out.add("b%lld[%lld]", ll(number), ll(i - layer.weight_count + 1));
    } else if (layer.kind == LayerKind::conv2d) {
      const int64_t w = layer.window.width, h = layer.window.height, c = layer.in.channels;
      out.add("W%lld[%lld,%lld,%lld,%lld]", ll(number), ll(i / w / h / c + 1),
              ll(i / w / h % c + 1), ll(i / w % h + 1), ll(i % w + 1));
    } else {
      const int64_t fan_in = layer.weight_count / ops_of(layer).units(layer);
      out.add("W%lld[%lld,%lld]", ll(number), ll(i / fan_in + 1), ll(i % fan_in + 1));
    }
    return out.length;
  }
  return 0;
}

}  // namespace nnp
