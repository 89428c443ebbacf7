// The network as text: its table, the names of its parameters; and its fingerprint.
#include <cstring>

#include "lib/base/hash.hpp"
#include "lib/base/text.hpp"
#include "lib/network/scales.hpp"
#include "lib/network/window.hpp"

namespace nnp {

namespace {

void shape_text(const Shape &shape, char *text, size_t size) {
  if (shape.height == 1 && shape.width == 1)
    std::snprintf(text, size, "%lld", ll(shape.channels));
  else
    std::snprintf(text, size, "%lldx%lldx%lld", ll(shape.channels), ll(shape.height),
                  ll(shape.width));
}

// Writes a number, or `learned` if the scale is learned.
void scale_cell(Text &out, const LearnedScale &scale, double value, const char *learned) {
  if (scale.count == 0)
    out.add("  %9.3g", value);
  else
    out.add("  %9s", scale.by_input ? "ard" : learned);
}

void table_row(Text &out, const Net &net, int64_t k, int64_t n) {
  const Layer &layer = net.layer(k);
  char shape[64];
  shape_text(layer.out, shape, sizeof shape);
  const bool collapsed = net_collapsed(net).find_site(k) == 0;
  const int64_t latents = k <= net.last_latent() && !collapsed ? times(n, layer.out.size()) : 0;
  char count[32];
  std::snprintf(count, sizeof count, "%lld", ll(latents));
  char weights[24] = "";
  const int64_t number = net_weights_number(net, k);
  if (number) std::snprintf(weights, sizeof weights, "W%lld", ll(number));
  out.add("%5lld  %-10s %-7s %14s %10lld %12s %14lld", ll(k), layer_name(layer), weights, shape,
          ll(layer.param_count()), collapsed ? "collapsed" : count,
          ll(times(8, plus(latents, layer.param_count()))));
  scale_cell(out, layer.learned_noise, layer.noise, net.tied ? "tied" : "learned");
  if (layer.weight_count) scale_cell(out, layer.learned_w, layer.lambda_w, "learned");
  if (layer.bias_count) scale_cell(out, layer.learned_b, layer.lambda_b, "learned");
  out.add("\n");
}

// Hashes the value of a fixed scale, or the hyperprior of a learned one.
template <class Mix>
void mix_scale(Mix mix, const LearnedScale &scale, double value, double multiple) {
  if (scale.count == 0) return mix(value);
  mix(scale.prior.shape);
  mix(scale.prior.mean);
  mix(multiple);
  mix(scale.first);
  mix(scale.count);
}

}  // namespace

uint64_t net_fingerprint(const Net &net) {
  uint64_t hash = hash_start;
  const auto mix = [&hash](auto value) { hash = hash_value(hash, value); };
  mix(net.input.channels);
  mix(net.input.height);
  mix(net.input.width);
  mix(net.head.kind);
  for (int64_t i = 0; i < property_count(net.head); ++i) mix(net.head.values[i]);
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    mix(layer.kind);
    mix(layer.out.channels);
    mix(layer.out.height);
    mix(layer.out.width);
    mix(static_cast<int32_t>(layer.bias));
    mix_scale(mix, layer.learned_noise, layer.final_noise, layer.multiple);
    mix_scale(mix, layer.learned_w, layer.lambda_w, 1);
    mix_scale(mix, layer.learned_b, layer.lambda_b, 1);
    MapFields fields;
    ops_of(layer).map_fields(layer, fields);
    for (int i = 0; i < fields.count; ++i) mix(fields.values[i]);
  }
  return hash;
}

size_t net_table(const Net &net, int64_t n, char *buffer, size_t size) {
  Text out = {buffer, size, 0};
  if (size) buffer[0] = 0;
  char shape[64];
  shape_text(net.input, shape, sizeof shape);
  out.add("layer  %-10s %-7s %14s %10s %12s %14s  %9s  %9s  %9s\n", "kind", "weights", "shape",
          "parameters", "latents", "bytes", "noise", "lambda_w", "lambda_b");
  out.add("%5d  %-10s %-7s %14s %10d %12d %14lld\n", 0, "input", "", shape, 0, 0,
          ll(times(8, times(n, net.input.size()))));
  for (int64_t k = 1; k <= net.depth; ++k) table_row(out, net, k, n);
  const int64_t latents = times(n, net_collapsed(net).latent_width());
  const int64_t values = plus(plus(latents, net.param_count()), times(n, net.input.size()));
  shape_text(net.site_shape(net.depth), shape, sizeof shape);
  const HeadOps *head = ops_of(net.head);
  out.add("       %-10s %-7s %14s", head ? head->name : "(no head)", "", shape);
  for (int64_t i = 0; i < property_count(net.head); ++i)
    out.add("  %s %g", head->properties[i].name, net.head.values[i]);
  out.add("\n");
  out.add("total  %-10s %-7s %14s %10lld %12lld %14lld\n", "", "", "", ll(net.param_count()),
          ll(latents), ll(times(8, values)));
  return out.length;
}

size_t net_param_name(const Net &net, int64_t index, char *buffer, size_t size) {
  int64_t k = 1;
  while (k <= net.depth && index >= net.layer(k).first_param + net.layer(k).param_count()) ++k;
  Text out = {buffer, size, 0};
  if (k > net.depth) {
    scale_name(net, index, out);
    return out.length;
  }
  const Layer &layer = net.layer(k);
  const int64_t number = net_weights_number(net, k), i = index - layer.first_param;
  if (i >= layer.weight_count) {
    out.add("b%lld[%lld]", ll(number), ll(i - layer.weight_count + 1));
  } else {
    out.add("W%lld", ll(number));
    ops_of(layer).weight_index(layer, i, out);
  }
  return out.length;
}

int64_t net_weights_number(const Net &net, int64_t layer) {
  if (net.layer(layer).weight_count == 0) return 0;
  int64_t number = 0;
  for (int64_t k = 1; k <= layer; ++k) number += net.layer(k).weight_count > 0 ? 1 : 0;
  return number;
}

void net_list_weights(const Net &net, Text &out) {
  const char *before = "";
  for (int64_t k = 1; k <= net.depth; ++k)
    if (const int64_t number = net_weights_number(net, k)) {
      out.add("%sW%lld is layer %lld", before, ll(number), ll(k));
      before = ", ";
    }
  if (out.length == 0) out.add("the network has no weights");
}

Status net_find_layer(const Net &net, const char *name, int64_t *layer, Error *err) {
  for (int64_t k = 1; k <= net.depth; ++k) {
    const int64_t number = net_weights_number(net, k);
    char text[32];
    for (char letter : {'W', 'b'}) {
      if (number == 0 || (letter == 'b' && net.layer(k).bias_count == 0)) continue;
      std::snprintf(text, sizeof text, "%c%lld", letter, ll(number));
      if (std::strcmp(text, name) != 0) continue;
      *layer = k;
      return Status::ok;
    }
  }
  char text[160];
  Text list = {text, sizeof text, 0};
  net_list_weights(net, list);
  return fail(err, Status::bad_option,
              "name = \"%.20s\": no layer has it, expected a name of weights or biases: %s", name,
              text);
}

}  // namespace nnp
