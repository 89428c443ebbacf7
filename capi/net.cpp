// The network of the C API.
#include <algorithm>

#include "capi/families.hpp"
#include "capi/net.hpp"
#include "lib/network/scales.hpp"
#include "lib/network/window.hpp"

using namespace nnp;

namespace {

Status check_new_net(nnp_net **net, int64_t inputs, Error *e) {
  NNP_TRY(need(net, "net", e));
  return need_size(inputs, 1, max_inputs, "inputs", e);
}

auto copy_layout(nnp_net **copy, int64_t max_layers, const nnp_net *net) {
  return [=](Arena &arena) {
    Net *made = net_layout(arena, max_layers);
    if (!made) return;
    net_assign(*made, *unwrap(net));
    *copy = reinterpret_cast<nnp_net *>(made);
  };
}

Status check_layer(const Net &net, int64_t layer, int64_t least, const char *name, Error *e) {
  if (layer >= least && layer <= net.depth) return Status::ok;
  return fail(e, Status::bad_size, "%s = %lld: expected %lld to %lld", name, ll(layer), ll(least),
              ll(net.depth));
}

Status check_room(size_t needed, size_t size, Error *e) {
  if (needed < size) return Status::ok;
  return fail(e, Status::buffer_too_small, "size = %zu: expected at least %zu", size, needed + 1);
}

}  // namespace

int32_t nnp_net_create(nnp_net **net, int64_t inputs, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new_net(net, inputs, e));
    return build_on_heap(net_layout_for(net, default_layers, {inputs, 1, 1}), e);
  });
}

int32_t nnp_net_create_image(nnp_net **net, int64_t channels, int64_t height, int64_t width,
                             nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need_size(channels, 1, max_inputs, "channels", e));
    NNP_TRY(need_size(height, 1, max_inputs / channels, "height", e));
    NNP_TRY(need_size(width, 1, max_inputs / channels / height, "width", e));
    return build_on_heap(net_layout_for(net, default_layers, {channels, height, width}), e);
  });
}

int32_t nnp_net_copy(nnp_net **copy, const nnp_net *net, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(copy, "copy", e));
    NNP_TRY(need(net, "net", e));
    return build_on_heap(copy_layout(copy, std::max(default_layers, unwrap(net)->depth), net), e);
  });
}

int32_t nnp_net_init_copy(nnp_net **copy, void *memory, size_t bytes, int64_t max_layers,
                          const nnp_net *net, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(copy, "copy", e));
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need_size(max_layers, 1, max_layers_ever, "max_layers", e));
    if (max_layers < unwrap(net)->depth)
      return fail(e, Status::net_full,
                  "max_layers = %lld: the network has %lld, expected at least "
                  "as many",
                  ll(max_layers), ll(unwrap(net)->depth));
    return build_in(memory, bytes, copy_layout(copy, max_layers, net), e);
  });
}

void nnp_net_free(nnp_net *net) {
  nnp::free_block(net);
}

int32_t nnp_net_bytes(int64_t max_layers, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(bytes, "bytes", e));
    NNP_TRY(need_size(max_layers, 1, max_layers_ever, "max_layers", e));
    return count_bytes(net_layout_for(nullptr, max_layers, {}), bytes, e);
  });
}

int32_t nnp_net_init(nnp_net **net, void *memory, size_t bytes, int64_t max_layers, int64_t inputs,
                     nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_new_net(net, inputs, e));
    NNP_TRY(need_size(max_layers, 1, max_layers_ever, "max_layers", e));
    return build_in(memory, bytes, net_layout_for(net, max_layers, {inputs, 1, 1}), e);
  });
}

int32_t nnp_net_dense(nnp_net *net, int64_t units, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    LayerSpec spec;
    spec.kind = LayerKind::dense;
    spec.units = units;
    return net_add(*unwrap(net), spec, e);
  });
}

int32_t nnp_net_image(nnp_net *net, int64_t channels, int64_t height, int64_t width,
                      nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    return net_set_shape(*unwrap(net), {channels, height, width}, e);
  });
}

int32_t nnp_net_conv2d(nnp_net *net, int64_t filters, int64_t height, int64_t width,
                       int64_t stride_y, int64_t stride_x, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    LayerSpec spec;
    spec.kind = LayerKind::conv2d;
    spec.units = filters;
    spec.window = {height, width, stride_y, stride_x};
    return net_add(*unwrap(net), spec, e);
  });
}

int32_t nnp_net_avgpool(nnp_net *net, int64_t height, int64_t width, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    LayerSpec spec;
    spec.kind = LayerKind::avgpool;
    spec.window = touching_windows(height, width);
    return net_add(*unwrap(net), spec, e);
  });
}

int32_t nnp_net_maxpool(nnp_net *net, int64_t height, int64_t width, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    LayerSpec spec;
    spec.kind = LayerKind::maxpool;
    spec.window = touching_windows(height, width);
    return net_add(*unwrap(net), spec, e);
  });
}

int32_t nnp_net_activation(nnp_net *net, int32_t activation, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    LayerSpec spec;
    spec.kind = LayerKind::activation;
    NNP_TRY(take(activation, "activation", &spec.activation, e));
    return net_add(*unwrap(net), spec, e);
  });
}

int32_t nnp_net_head(nnp_net *net, int32_t head, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    HeadKind kind = HeadKind::none;
    NNP_TRY(take(head, "head", &kind, e));
    return net_set_head(*unwrap(net), kind, e);
  });
}

int32_t nnp_net_set(nnp_net *net, int64_t layer, int32_t property, double value, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    Property which = Property::noise;
    NNP_TRY(take(property, "property", &which, e));
    return net_set(*unwrap(net), layer, which, value, e);
  });
}

int32_t nnp_net_get(const nnp_net *net, int64_t layer, int32_t property, double *value,
                    nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(value, "value", e));
    Property which = Property::noise;
    NNP_TRY(take(property, "property", &which, e));
    return net_get(*unwrap(net), layer, which, value, e);
  });
}

int32_t nnp_net_learn(nnp_net *net, int64_t layer, int32_t property, double shape, double mean,
                      nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    Property which = Property::noise;
    NNP_TRY(take(property, "property", &which, e));
    return net_learn(*unwrap(net), layer, which, {shape, mean}, e);
  });
}

int32_t nnp_net_learn_tied(nnp_net *net, const double *multiples, double shape, double mean,
                           nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    return net_learn_tied(*unwrap(net), multiples, {shape, mean}, e);
  });
}

int32_t nnp_net_fix(nnp_net *net, int64_t layer, int32_t property, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    Property which = Property::noise;
    NNP_TRY(take(property, "property", &which, e));
    return net_fix(*unwrap(net), layer, which, e);
  });
}

int32_t nnp_net_learned(const nnp_net *net, int64_t layer, int32_t property, double *shape,
                        double *mean, int64_t *first, int64_t *count, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    Property which = Property::noise;
    LearnedScale found;
    NNP_TRY(take(property, "property", &which, e));
    NNP_TRY(net_learned(*unwrap(net), layer, which, &found, e));
    if (shape) *shape = found.prior.shape;
    if (mean) *mean = found.prior.mean;
    if (first) *first = found.first;
    if (count) *count = found.count;
    return Status::ok;
  });
}

int32_t nnp_net_temperature(const nnp_net *net, double *temperature, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(temperature, "temperature", e));
    NNP_TRY(net_check_complete(*unwrap(net), e));
    *temperature = net_temperature(*unwrap(net));
    return Status::ok;
  });
}

int32_t nnp_net_layers(const nnp_net *net, int64_t *layers, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(layers, "layers", e));
    *layers = unwrap(net)->depth;
    return Status::ok;
  });
}

int32_t nnp_net_parameters(const nnp_net *net, int64_t *parameters, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(parameters, "parameters", e));
    *parameters = unwrap(net)->param_count();
    return Status::ok;
  });
}

int32_t nnp_net_outputs(const nnp_net *net, int64_t *outputs, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(outputs, "outputs", e));
    *outputs = unwrap(net)->outputs();
    return Status::ok;
  });
}

int32_t nnp_net_targets(const nnp_net *net, int64_t *targets, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(targets, "targets", e));
    *targets = unwrap(net)->targets();
    return Status::ok;
  });
}

int32_t nnp_head_info(int32_t head, const char **name, int32_t *labels, int64_t *outputs_per_target,
                      nnp_error *err) {
  return guarded(err, [&](Error *e) {
    HeadKind kind = HeadKind::none;
    NNP_TRY(take(head, "head", &kind, e));
    const HeadOps *ops = ops_of(kind);
    if (name) *name = ops->name;
    if (labels) *labels = ops->target == TargetKind::labels ? 1 : 0;
    if (outputs_per_target) *outputs_per_target = ops->outputs_per_target;
    return Status::ok;
  });
}

int32_t nnp_net_latents(const nnp_net *net, int64_t *latents, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(latents, "latents", e));
    NNP_TRY(net_check_complete(*unwrap(net), e));
    *latents = net_collapsed(*unwrap(net)).latent_width();
    return Status::ok;
  });
}

int32_t nnp_net_layer(const nnp_net *net, int64_t layer, int64_t *first, int64_t *weights,
                      int64_t *biases, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(first, "first", e));
    NNP_TRY(need(weights, "weights", e));
    NNP_TRY(need(biases, "biases", e));
    NNP_TRY(check_layer(*unwrap(net), layer, 1, "layer", e));
    const Layer &found = unwrap(net)->layer(layer);
    *first = found.first_param;
    *weights = found.weight_count;
    *biases = found.bias_count;
    return Status::ok;
  });
}

int32_t nnp_net_find_layer(const nnp_net *net, const char *name, int64_t *layer, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(name, "name", e));
    NNP_TRY(need(layer, "layer", e));
    return net_find_layer(*unwrap(net), name, layer, e);
  });
}

int32_t nnp_net_shape(const nnp_net *net, int64_t site, int64_t shape[3], nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(shape, "shape", e));
    NNP_TRY(check_layer(*unwrap(net), site, 0, "site", e));
    const Shape found = unwrap(net)->site_shape(site);
    shape[0] = found.channels;
    shape[1] = found.height;
    shape[2] = found.width;
    return Status::ok;
  });
}

int32_t nnp_net_parameter_name(const nnp_net *net, int64_t parameter, char *buffer, size_t size,
                               nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(buffer, "buffer", e));
    const int64_t count = unwrap(net)->param_count();
    if (parameter < 0 || parameter >= count)
      return fail(e, Status::bad_size, "parameter = %lld: expected 0 to %lld", ll(parameter),
                  ll(count - 1));
    return check_room(net_param_name(*unwrap(net), parameter, buffer, size), size, e);
  });
}

int32_t nnp_net_print(const nnp_net *net, int64_t n, char *buffer, size_t size, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(net, "net", e));
    NNP_TRY(need(buffer, "buffer", e));
    NNP_TRY(need_size(n, 0, max_size, "n", e));
    return check_room(net_table(*unwrap(net), n, buffer, size), size, e);
  });
}
