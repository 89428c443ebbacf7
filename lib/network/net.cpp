#include "lib/network/net.hpp"

#include <algorithm>

#include "lib/network/window.hpp"

namespace nnp {

namespace {

constexpr int64_t max_params = int64_t{1} << 40;

// A copy in the arena. While the arena only counts, the original, since shapes are still needed.
Layer *copy_layers(Arena &arena, Layer *source, int64_t count) {
  Layer *layers = arena.take<Layer>(count);
  if (!layers) return source;
  for (int64_t k = 0; k < count; ++k) layers[k] = source[k];
  return layers;
}

// Appends a complete layer.
Status append(Net &net, Layer layer, Error *err) {
  if (net.head.kind != HeadKind::none)
    return fail(err, Status::head_misplaced,
                "layer %lld: the network already ends in head %s, expected layers before the head",
                ll(net.depth + 1), ops_of(net.head)->name);
  if (net.depth == net.capacity)
    return fail(err, Status::net_full, "layer %lld: the network was made for at most %lld layers",
                ll(net.depth + 1), ll(net.capacity));
  layer.first_param = net.weight_params();
  if (layer.param_count() > max_params - layer.first_param)
    return fail(err, Status::size_overflow,
                "layer %lld: %lld x %lld weights are more than this library can count",
                ll(net.depth + 1), ll(layer.out.channels),
                ll(layer.weight_count / layer.out.channels));
  layer.first_number = layer.last_number = net.depth + 1;
  net.layers[net.depth++] = layer;
  net_collapse_layers(net);
  return Status::ok;
}

}  // namespace

int64_t Net::weight_params() const {
  return depth == 0 ? 0 : layer(depth).first_param + layer(depth).param_count();
}

int64_t Net::targets() const {
  const HeadOps *ops = ops_of(head);
  return ops ? outputs() / ops->outputs_per_target : outputs();
}

int64_t Net::last_latent() const {
  const HeadOps *ops = ops_of(head);
  return ops && ops->latent ? depth : std::max<int64_t>(depth - 1, 0);
}

bool Net::has_row_scales(int64_t k) const {
  return k == depth && ops_of(head)->row_scales;
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
  Layer *collapsed = arena.take<Layer>(capacity);
  if (net) {
    *net = Net{};
    net->capacity = capacity;
    net->layers = layers;
    net->collapsed = collapsed;
  }
  return net;
}

Net net_copy(Arena &arena, const Net &source) {
  Net net = source;
  net.capacity = net.depth;
  net.layers = copy_layers(arena, source.layers, source.depth);
  // A collapsed network has one list of layers, a description has two.
  net.collapsed = source.collapsed == source.layers
                      ? net.layers
                      : copy_layers(arena, source.collapsed, source.collapsed_depth);
  return net;
}

void net_assign(Net &net, const Net &source) {
  const Net own = net;
  net = source;
  net.capacity = own.capacity;
  net.layers = own.layers;
  net.collapsed = own.collapsed;
  for (int64_t k = 0; k < source.depth; ++k) net.layers[k] = source.layers[k];
  net_collapse_layers(net);
}

Net net_collapsed(const Net &net) {
  Net collapsed = net;
  collapsed.layers = net.collapsed;
  collapsed.depth = net.collapsed_depth;
  return collapsed;
}

// Collapses pairs of layers, starting from the input.
void net_collapse_layers(Net &net) {
  net.collapsed_depth = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    Layer *last = net.collapsed_depth ? net.collapsed + net.collapsed_depth - 1 : nullptr;
    Layer both;
    if (last && ops_of(*last).collapse(*last, net.layer(k), both))
      *last = both;
    else
      net.collapsed[net.collapsed_depth++] = net.layer(k);
  }
}

Status net_add(Net &net, const LayerSpec &spec, Error *err) {
  Layer layer;
  layer.kind = spec.kind;
  layer.in = net.site_shape(net.depth);
  const Status status = ops_of(layer).construct(spec, layer, err);
  return status == Status::ok ? append(net, layer, err) : status;
}

Status net_set_shape(Net &net, const Shape &shape, Error *err) {
  if (net.head.kind != HeadKind::none)
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
  net_collapse_layers(net);
  return Status::ok;
}

Status net_set_head(Net &net, HeadKind head, Error *err) {
  const HeadOps *ops = ops_of(head);
  if (!ops)
    return fail(err, Status::bad_enum, "head = %d: expected %s", static_cast<int>(head),
                head_names());
  if (net.head.kind != HeadKind::none)
    return fail(err, Status::second_head, "head %s: the network already has head %s", ops->name,
                ops_of(net.head)->name);
  if (net.depth == 0)
    return fail(err, Status::head_misplaced,
                "head %s: the network has no layers yet, expected at least one before the head",
                ops->name);
  const Status status = ops->check_outputs(net.outputs(), err);
  if (status == Status::ok) net.head = make_head(head);
  return status;
}

double net_classical_noise(const Net &net) {
  const Layer &last = net.layer(net.depth);
  const double bayes = ops_of(net.head)->classical_noise;
  return bayes == 0 || last.noise_set ? last.final_noise : bayes;
}

// The likelihood raised to 1/T, with T = D / (the D for which it is a probability).
double net_temperature(const Net &net) {
  const double bayes = ops_of(net.head)->classical_noise;
  return bayes == 0 ? 1 : net_classical_noise(net) / bayes;
}

Status net_check_complete(const Net &net, Error *err) {
  if (net.depth == 0)
    return fail(err, Status::no_layers, "net: it has no layers, expected at least one");
  if (net.head.kind == HeadKind::none)
    return fail(err, Status::no_head, "net: it has no head, expected %s", head_names());
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
  if (head.target == TargetKind::targets) {
    if (!data.has_targets)
      return fail(err, Status::no_targets, "data: head %s expects targets, none were set",
                  head.name);
    if (data.outputs != net.targets())
      return fail(err, Status::bad_shape,
                  "data: it has %lld outputs per row, the network expects %lld", ll(data.outputs),
                  ll(net.targets()));
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

}  // namespace nnp
