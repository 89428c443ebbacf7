// The table of layer kinds, and functions that use it for any layer.
#include "lib/network/layer.hpp"

namespace nnp {

namespace {

// In the order of their numbers, from 1.
const LayerOps *const kinds[] = {&dense_ops, &conv2d_ops, &avgpool_ops, &activation_ops,
                                 &maxpool_ops};

bool same_shape(const Shape &a, const Shape &b) {
  return a.channels == b.channels && a.height == b.height && a.width == b.width;
}

}  // namespace

int kind_count() {
  return static_cast<int>(sizeof kinds / sizeof kinds[0]);
}

const LayerOps &kind_number(int index) {
  return *kinds[index];
}

const LayerOps &ops_of(const Layer &layer) {
  return *kinds[static_cast<int32_t>(layer.kind) - 1];
}

const char *layer_name(const Layer &layer) {
  const LayerOps &ops = ops_of(layer);
  return ops.title ? ops.title(layer) : ops.name;
}

bool same_map(const Layer &a, const Layer &b) {
  if (a.kind != b.kind || !same_shape(a.in, b.in) || !same_shape(a.out, b.out)) return false;
  if (a.weight_count != b.weight_count || a.bias_count != b.bias_count) return false;
  MapFields of_a, of_b;
  ops_of(a).map_fields(a, of_a);
  ops_of(b).map_fields(b, of_b);
  for (int i = 0; i < of_a.count; ++i)
    if (of_a.values[i] != of_b.values[i]) return false;
  return true;
}

void plain::weight_index(const Layer &layer, int64_t weight, Text &out) {
  const int64_t fan_in = layer.weight_count / ops_of(layer).units(layer);
  out.add("[%lld,%lld]", static_cast<long long>(weight / fan_in + 1),
          static_cast<long long>(weight % fan_in + 1));
}

}  // namespace nnp
