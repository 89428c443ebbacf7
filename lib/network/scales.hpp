// Learned scales: noises D and prior precisions lambda of layers that are parameters, with a gamma
// hyperprior on the precision (1/D or lambda). Their values follow all weights and biases in the
// parameter vector: first the noises, then the precisions layer by layer.
#pragma once

#include "lib/network/net.hpp"

namespace nnp {

enum class ScaleKind : int32_t { noise, weights, biases };

// Makes a scale learned: of a layer, or of all layers that have it (layer 0). A prior of shape 0
// and mean 0 requests the default. The network must have its head.
Status net_learn(Net &net, int64_t layer, Property property, Hyperprior prior, Error *err);
// One noise D for all layers: layer k has D * multiples[k-1]. Null: the default multiples.
Status net_learn_tied(Net &net, const double *multiples, Hyperprior prior, Error *err);
// Undoes net_learn and net_learn_tied: the scale is fixed at the mean of its hyperprior.
Status net_fix(Net &net, int64_t layer, Property property, Error *err);
// The learned scale of one layer; its count is 0 if it is fixed.
Status net_learned(const Net &net, int64_t layer, Property property, LearnedScale *found,
                   Error *err);

// Setting a value fixes a scale. Fails if that is impossible because all layers share one noise.
Status check_set_scale(const Net &net, int64_t layer, Property property, Error *err);
void fix_scale(Net &net, int64_t k, Property property);
// Must be called after a change: assigns every scale its place in the parameter vector.
void net_place_scales(Net &net);

// "D3", "D" (all layers), "lambda_w1", "lambda_w1[4]" or "lambda_b1": the name of parameter `index`,
// which is a scale.
void scale_name(const Net &net, int64_t index, Text &out);

// Fails if a learned noise does not exist in the posterior: in hidden layers of the classical one,
// or in the last layer if its D is not a noise.
Status check_learned_noise(const Net &net, bool classical, Error *err);

// Sets the network's noises and precisions from the scales in a parameter vector. The vector must
// not move as long as precisions of inputs are used.
void take_noises(Net &net, const double *params);
void take_precisions(Net &net, const double *params);
inline void take_scales(Net &net, const double *params) {
  take_noises(net, params);
  take_precisions(net, params);
}

// Returns `status`, with a message about the first scale of a parameter vector that is not positive
// and finite, if there is one. `entry(i)` is parameter i.
template <class Entry>
Status check_scales(const Net &net, Entry entry, const char *what, Status status, Error *err);

// Calls visit(kind, k, scale) for every learned scale, in the order of their values; a noise that
// layers share is visited once, for the first of them.
template <class Visit>
void for_each_scale(const Net &net, Visit visit) {
  int64_t seen = -1;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const LearnedScale &noise = net.layer(k).learned_noise;
    if (noise.count == 0 || noise.first <= seen) continue;
    visit(ScaleKind::noise, k, noise);
    seen = noise.first;
  }
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (layer.learned_w.count > 0) visit(ScaleKind::weights, k, layer.learned_w);
    if (layer.learned_b.count > 0) visit(ScaleKind::biases, k, layer.learned_b);
  }
}

template <class Entry>
Status check_scales(const Net &net, Entry entry, const char *what, Status status, Error *err) {
  constexpr double smallest = 1e-150, largest = 1e150;
  for (int64_t i = net.weight_params(); i < net.param_count(); ++i) {
    const double value = entry(i);
    if (value >= smallest && value <= largest) continue;
    char text[48];
    Text name = {text, sizeof text, 0};
    scale_name(net, i, name);
    return fail(err, status, "%s: %s (entry %lld) is %g, expected a positive, finite number", what,
                text, ll(i), value);
  }
  return Status::ok;
}

}  // namespace nnp
