#include "lib/network/scales.hpp"

#include <cmath>

namespace nnp {

namespace {

// ---- defaults, for inputs and targets that are standardized ------------------------------------

// Precisions: a prior that covers several powers of ten around its mean.
constexpr double precision_shape = 1;
// Biases place the kinks of activations where the inputs are: of order 1, whatever the fan-in.
constexpr Hyperprior biases = {0.5, 1};
// One per input: broader, so that inputs can differ.
constexpr double input_shape = 0.5;
// The last noise: 97 % of the variance explained on average, and possibly none.
constexpr Hyperprior last_noise = {0.5, 30};
// Noise of hidden layers: small, since it does not represent noise of the data.
constexpr Hyperprior hidden_noise = {1, 1000};
// Tied noise: a hidden layer's noise as a multiple of the last layer's.
constexpr double hidden_multiple = 0.01;

Hyperprior default_of(const Net &net, int64_t k, Property property) {
  const Layer &layer = net.layer(k);
  switch (property) {
    case Property::noise:
      return k == net.depth ? last_noise : hidden_noise;
    case Property::lambda_b:
      return biases;
    case Property::ard:
      return {input_shape, layer.lambda_w};
    default:
      return {precision_shape, layer.lambda_w};
  }
}

// ---- which layer has what ----------------------------------------------------------------------

const char *name_of(Property property) {
  switch (property) {
    case Property::noise:
      return "noise";
    case Property::lambda_w:
      return "lambda_w";
    case Property::lambda_b:
      return "lambda_b";
    case Property::ard:
      return "ard";
    default:
      return nullptr;
  }
}

bool has_last_noise(const Net &net) {
  const HeadOps &head = *ops_of(net.head);
  return head.noise_squares || head.classical_noise_squares;
}

// Why layer k has no such scale; null: it does.
const char *lacks(const Net &net, int64_t k, Property property) {
  const Layer &layer = net.layer(k);
  if (property == Property::noise)
    return k < net.depth || has_last_noise(net) ? nullptr : "the head gives it another meaning";
  if (layer.weight_count == 0) return "it has no weights";
  if (property == Property::lambda_b && layer.bias_count == 0) return "it has no biases";
  if (property == Property::ard && !ops_of(layer).is_product)
    return "its weights are not tied to one input each, expected a dense layer";
  return nullptr;
}

// Calls work(k) for the layer, or for all layers that have the scale.
template <class Work>
void for_layers(const Net &net, int64_t layer, Property property, Work work) {
  for (int64_t k = 1; k <= net.depth; ++k)
    if ((layer == 0 || layer == k) && !lacks(net, k, property)) work(k);
}

Status check_property(const Net &net, int64_t layer, Property property, Error *err) {
  if (!name_of(property))
    return fail(err, Status::bad_enum,
                "property = %s: expected noise, lambda_w, lambda_b or ard, which can be learned",
                property_name(property));
  if (net.head.kind == HeadKind::none)
    return fail(err, Status::no_head,
                "net: it has no head yet, expected one (%s) before scales are learned",
                head_names());
  if (layer < 0 || layer > net.depth)
    return fail(err, Status::bad_size, "layer = %lld: expected 1 to %lld, or 0 for all layers",
                ll(layer), ll(net.depth));
  int64_t found = 0;
  for_layers(net, layer, property, [&](int64_t) { ++found; });
  if (found > 0) return Status::ok;
  return fail(err, Status::bad_option, "layer = %lld: %s (%s) cannot have %s learned, since %s",
              ll(layer), layer ? "it" : "no layer",
              layer ? layer_name(net.layer(layer)) : ops_of(net.head)->name, name_of(property),
              layer ? lacks(net, layer, property) : "none has it");
}

Status check_prior(const Hyperprior &prior, Error *err) {
  if (prior.shape == 0 && prior.mean == 0) return Status::ok;
  const bool proper = prior.shape > 0 && std::isfinite(prior.shape) && prior.mean > 0 &&
                      std::isfinite(prior.mean) && std::isfinite(prior.shape / prior.mean) &&
                      prior.shape / prior.mean > 0;
  if (proper) return Status::ok;
  return fail(err, Status::bad_value,
              "shape, mean = %g, %g: expected two positive, finite numbers, or 0 and 0 for the "
              "default hyperprior",
              prior.shape, prior.mean);
}

Status check_untied(const Net &net, int64_t layer, Property property, Error *err) {
  if (property != Property::noise || !net.tied || layer == 0) return Status::ok;
  return fail(err, Status::bad_option,
              "layer = %lld: all layers share one noise that is learned, expected all layers (0), "
              "or the noise of all layers to be fixed first",
              ll(layer));
}

// ---- changes -----------------------------------------------------------------------------------

LearnedScale &scale_of(Layer &layer, Property property) {
  if (property == Property::noise) return layer.learned_noise;
  return property == Property::lambda_b ? layer.learned_b : layer.learned_w;
}

void set_fixed(Layer &layer, Property property, double precision) {
  if (property == Property::noise)
    layer.noise = layer.final_noise = layer.multiple / precision;
  else
    (property == Property::lambda_b ? layer.lambda_b : layer.lambda_w) = precision;
}

void learn(Net &net, int64_t k, Property property, Hyperprior prior) {
  Layer &layer = net.layers[k - 1];
  if (prior.shape == 0) prior = default_of(net, k, property);
  LearnedScale &scale = scale_of(layer, property);
  scale.prior = prior;
  scale.by_input = property == Property::ard;
  scale.count = scale.by_input ? layer.in.size() : 1;
  set_fixed(layer, property, prior.mean);
}

void untie(Net &net) {
  for (int64_t k = 0; k < net.depth && net.tied; ++k) {
    net.layers[k].learned_noise = LearnedScale{};
    net.layers[k].multiple = 1;
  }
  net.tied = false;
}

void place(Net &net) {
  net_place_scales(net);
  net_collapse_layers(net);
}

}  // namespace

Status net_learn(Net &net, int64_t layer, Property property, Hyperprior prior, Error *err) {
  Status status = check_property(net, layer, property, err);
  if (status == Status::ok) status = check_prior(prior, err);
  if (status == Status::ok) status = check_untied(net, layer, property, err);
  if (status != Status::ok) return status;
  if (property == Property::noise) untie(net);
  for_layers(net, layer, property, [&](int64_t k) { learn(net, k, property, prior); });
  place(net);
  return Status::ok;
}

Status net_learn_tied(Net &net, const double *multiples, Hyperprior prior, Error *err) {
  Status status = check_property(net, net.depth, Property::noise, err);
  if (status == Status::ok) status = check_prior(prior, err);
  for (int64_t k = 0; multiples && k < net.depth && status == Status::ok; ++k)
    if (!(multiples[k] > 0) || !std::isfinite(multiples[k]))
      status = fail(err, Status::bad_value,
                    "multiples: that of layer %lld is %g, expected a positive, finite number",
                    ll(k + 1), multiples[k]);
  if (status != Status::ok) return status;
  if (prior.shape == 0) prior = last_noise;
  net.tied = true;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const double chosen = k < net.depth ? hidden_multiple : 1;
    net.layers[k - 1].multiple = multiples ? multiples[k - 1] : chosen;
    learn(net, k, Property::noise, prior);
  }
  place(net);
  return Status::ok;
}

Status check_set_scale(const Net &net, int64_t layer, Property property, Error *err) {
  return check_untied(net, layer, property, err);
}

void fix_scale(Net &net, int64_t k, Property property) {
  if (!name_of(property)) return;
  if (property == Property::noise) untie(net);
  scale_of(net.layers[k - 1], property) = LearnedScale{};
}

Status net_fix(Net &net, int64_t layer, Property property, Error *err) {
  Status status = check_property(net, layer, property, err);
  if (status == Status::ok) status = check_untied(net, layer, property, err);
  if (status != Status::ok) return status;
  for_layers(net, layer, property, [&](int64_t k) {
    const bool by_input = property == Property::ard;
    const LearnedScale &scale = scale_of(net.layers[k - 1], property);
    // lambda_w undoes either form, ard only its own
    if (scale.count > 0 && (!by_input || scale.by_input)) fix_scale(net, k, property);
  });
  place(net);
  return Status::ok;
}

Status net_learned(const Net &net, int64_t layer, Property property, LearnedScale *found,
                   Error *err) {
  const Status status = check_property(net, layer, property, err);
  if (status != Status::ok) return status;
  if (layer == 0)
    return fail(err, Status::bad_size, "layer = 0: expected one layer, 1 to %lld", ll(net.depth));
  const LearnedScale &scale = scale_of(net.layers[layer - 1], property);
  const bool other = property != Property::noise && property != Property::lambda_b &&
                     scale.by_input != (property == Property::ard);
  *found = other ? LearnedScale{} : scale;
  return Status::ok;
}

void net_place_scales(Net &net) {
  const int64_t start = net.weight_params();
  int64_t next = start;
  const auto put = [&next](LearnedScale &scale) {
    scale.first = scale.count > 0 ? next : -1;
    next += scale.count;
  };
  for (int64_t k = 0; k < net.depth; ++k) {
    if (net.tied) next = start;
    put(net.layers[k].learned_noise);
  }
  for (int64_t k = 0; k < net.depth; ++k) {
    Layer &layer = net.layers[k];
    if (layer.bias_count == 0) layer.learned_b = LearnedScale{};
    put(layer.learned_w);
    put(layer.learned_b);
  }
  net.scale_count = next - start;
}

void scale_name(const Net &net, int64_t index, Text &out) {
  for_each_scale(net, [&](ScaleKind kind, int64_t k, const LearnedScale &scale) {
    if (index < scale.first || index >= scale.first + scale.count) return;
    if (kind == ScaleKind::noise) {
      out.add("D");
      if (!net.tied) out.add("%lld", ll(net.layer(k).last_number));
      return;
    }
    int64_t number = 0;
    for (int64_t l = 1; l <= k; ++l) number += net.layer(l).weight_count > 0 ? 1 : 0;
    out.add("lambda_%c%lld", kind == ScaleKind::weights ? 'w' : 'b', ll(number));
    if (scale.by_input) out.add("[%lld]", ll(index - scale.first + 1));
  });
}

Status check_learned_noise(const Net &net, bool classical, Error *err) {
  const HeadOps &head = *ops_of(net.head);
  const Layer &last = net.layer(net.depth);
  if (last.learned_noise.count > 0 &&
      !(classical ? head.classical_noise_squares : head.noise_squares))
    return fail(err, Status::unsupported,
                "noise: that of the last layer is learned, but in the %s posterior of head %s it "
                "is %s, expected nnp_net_fix of it%s",
                classical ? "classical" : "intermediate", head.name,
                classical ? "a temperature" : "no noise",
                classical ? ", or posterior intermediate" : "");
  for (int64_t k = 1; k < net.depth && classical && !net.tied; ++k)
    if (net.layer(k).learned_noise.count > 0)
      return fail(err, Status::unsupported,
                  "noise: that of layer %lld is learned, but the classical posterior has noise in "
                  "the last layer only, expected nnp_net_fix of it, or posterior intermediate",
                  ll(k));
  return Status::ok;
}

void take_noises(Net &net, const double *params) {
  for (int64_t k = 0; k < net.depth; ++k) {
    Layer &layer = net.layers[k];
    if (layer.learned_noise.count == 0) continue;
    layer.noise = layer.final_noise = layer.multiple * params[layer.learned_noise.first];
    if (k == net.depth - 1) layer.noise *= net.noise_factor;
  }
}

void take_precisions(Net &net, const double *params) {
  for (int64_t k = 0; k < net.depth; ++k) {
    Layer &layer = net.layers[k];
    if (layer.learned_w.by_input)
      layer.lambda_in = params + layer.learned_w.first;
    else if (layer.learned_w.count > 0)
      layer.lambda_w = params[layer.learned_w.first];
    if (layer.learned_b.count > 0) layer.lambda_b = params[layer.learned_b.first];
  }
}

}  // namespace nnp
