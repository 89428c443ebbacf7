// The network description: a chain of layers and a head, checked as it is built.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/network/data.hpp"
#include "lib/network/head.hpp"
#include "lib/network/layer.hpp"

namespace nnp {

// The pseudo-layer that holds the properties of the head (NNP_HEAD of the C header).
constexpr int64_t head_layer = -1;

struct Net {
  Shape input;
  int64_t capacity = 0;
  int64_t depth = 0;        // m
  Layer *layers = nullptr;  // layer k is layers[k-1]
  Head head;
  // The same network with every site integrated out for which that is possible and allowed: this is
  // what chains sample.
  Layer *collapsed = nullptr;
  int64_t collapsed_depth = 0;
  int64_t scale_count = 0;  // learned scales, which are parameters too (scales.hpp)
  bool tied = false;        // all layers share a learned noise
  // The likelihood is raised to the power 1/temperature; if the last site is a variable (probit
  // heads) the noise of the scores is D temperature instead. `noise_factor` is the part of the
  // temperature that is contained in the last layer's current noise, see heat_likelihood.
  double temperature = 1, noise_factor = 1;

  const Layer &layer(int64_t k) const { return layers[k - 1]; }
  Shape site_shape(int64_t k) const { return k == 0 ? input : layers[k - 1].out; }
  int64_t site_width(int64_t k) const { return site_shape(k).size(); }
  int64_t outputs() const { return site_width(depth); }
  // Columns of predictions and, if the head has them, of targets: not every output needs one.
  int64_t targets() const;
  // Sites 1 … last_latent are variables; unless the head has latent scores, site m is the data.
  int64_t last_latent() const;
  // The part of the temperature that is not contained in the last layer's current noise.
  double temperature_left() const { return temperature / noise_factor; }
  // True if every row has its own noise in layer k, given its scale (HeadOps::row_scales).
  bool has_row_scales(int64_t k) const;
  // Number of weights and biases, which come first; and of all parameters, learned scales included.
  int64_t weight_params() const;
  int64_t param_count() const { return weight_params() + scale_count; }
  // Latent variables per row.
  int64_t latent_width() const;
  int64_t widest_site() const;
  // Number of layers of the original description; and the index here of its site `number`, 0 if it
  // is integrated out.
  int64_t described_depth() const;
  int64_t find_site(int64_t number) const;
};

Net *net_layout(Arena &arena, int64_t capacity);
// A copy with its own layers, so that the original may change or be freed. It is collapsed like the
// original.
Net net_copy(Arena &arena, const Net &source);
// Copies another network into one with enough room.
void net_assign(Net &net, const Net &source);
// The network that is sampled: a view of net with sites integrated out.
Net net_collapsed(const Net &net);

// Checks the spec against the last site and appends the layer it describes.
Status net_add(Net &net, const LayerSpec &spec, Error *err);
// Must be called after a change of layers: finds again what can be integrated out.
void net_collapse_layers(Net &net);
// Gives the last site (the input, before any layer) this shape.
Status net_set_shape(Net &net, const Shape &shape, Error *err);
Status net_set_head(Net &net, HeadKind head, Error *err);
// layer 0 means all layers that have the property, head_layer the head.
Status net_set(Net &net, int64_t layer, Property property, double value, Error *err);
// The name used in messages. Heads own the names of their properties.
const char *property_name(Property property);
Status net_get(const Net &net, int64_t layer, Property property, double *value, Error *err);

// The D of the classical posterior: that of the last layer, or, if it was not set and the head's
// exp(-loss / (2D)) is a probability for one D only, that D.
double net_classical_noise(const Net &net);
// 2 D of that posterior if its likelihood is a probability at 1 only; else 1.
double net_temperature(const Net &net);

// Fails unless the description has layers and a head, so that it can be sampled.
Status net_check_complete(const Net &net, Error *err);
// Fails unless inputs and targets (or labels) suit the network.
Status net_check_inputs(const Net &net, const Data &data, Error *err);
Status net_check_targets(const Net &net, const Data &data, Error *err);

// A hash of everything that defines the model.
uint64_t net_fingerprint(const Net &net);

// Writes the table (layers, shapes, parameters, latents, bytes of state for n rows), always
// null-terminated; returns its full length.
size_t net_table(const Net &net, int64_t n, char *buffer, size_t size);
// "W1[3,17]", "W1[2,1,4,3]" or "b1[3]" (1-based), or the name of a learned scale such as "D3": the
// name of parameter `index`; returns its full length.
size_t net_param_name(const Net &net, int64_t index, char *buffer, size_t size);
// 2 for the layer whose weights are W2: layers with parameters are counted from 1; 0 for others.
int64_t net_weights_number(const Net &net, int64_t layer);
// "W1 is layer 1, W2 is layer 3": for messages.
void net_list_weights(const Net &net, Text &out);
// Finds the layer whose weights or biases are called `name`: "W2", "b2".
Status net_find_layer(const Net &net, const char *name, int64_t *layer, Error *err);

}  // namespace nnp
