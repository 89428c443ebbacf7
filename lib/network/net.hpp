// The network description: a chain of layers and a head, checked as it is built.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/network/data.hpp"
#include "lib/network/head.hpp"
#include "lib/network/layer.hpp"

namespace nnp {

// Values are pinned: they are the NNP_* layer properties of the C header.
enum class Property : int32_t {
  noise = 1,
  lambda_w = 2,
  lambda_b = 3,
  bias = 4,
  slope = 5,
  collapse = 6
};

struct Net {
  Shape input;
  int64_t capacity = 0;
  int64_t depth = 0;        // m
  Layer *layers = nullptr;  // layer k is layers[k-1]
  HeadKind head = HeadKind::none;
  // The same network with every site integrated out that can and may be: what chains sample.
  Layer *merged = nullptr;
  int64_t merged_depth = 0;

  const Layer &layer(int64_t k) const { return layers[k - 1]; }
  Shape site_shape(int64_t k) const { return k == 0 ? input : layers[k - 1].out; }
  int64_t site_width(int64_t k) const { return site_shape(k).size(); }
  int64_t outputs() const { return site_width(depth); }
  // Sites 1 … last_latent are variables; with an observed head site m is the data.
  int64_t last_latent() const;
  int64_t param_count() const;
  // Latent variables a row.
  int64_t latent_width() const;
  int64_t widest_site() const;
  // Layers of the description this network comes from; where its site `number` is here, 0 if it
  // is integrated out.
  int64_t described_depth() const;
  int64_t find_site(int64_t number) const;
};

Net *net_layout(Arena &arena, int64_t capacity);
// A copy with its own layers, so that the original may change or go. It merges as the original does.
Net net_copy(Arena &arena, const Net &source);
// The network that is sampled: a view of net, with sites integrated out.
Net net_merged(const Net &net);

Status net_add_dense(Net &net, int64_t units, Error *err);
// Of the window the pool is left alone.
Status net_add_conv2d(Net &net, int64_t filters, const Window &window, Error *err);
Status net_add_avgpool(Net &net, int64_t height, int64_t width, Error *err);
Status net_add_activation(Net &net, Activation activation, Error *err);
// Regards the last site (the input, before any layer) as an image of this shape.
Status net_set_shape(Net &net, const Shape &shape, Error *err);
Status net_set_head(Net &net, HeadKind head, Error *err);
// layer 0 means all layers that have the property.
Status net_set(Net &net, int64_t layer, Property property, double value, Error *err);
Status net_get(const Net &net, int64_t layer, Property property, double *value, Error *err);

// A description that can be sampled: has layers and a head.
Status net_check_complete(const Net &net, Error *err);
// Do inputs and targets (or labels) suit the network?
Status net_check_inputs(const Net &net, const Data &data, Error *err);
Status net_check_targets(const Net &net, const Data &data, Error *err);

// A hash of all that defines the model.
uint64_t net_fingerprint(const Net &net);

// Writes the table (layers, shapes, parameters, latents, bytes of state for n rows), always
// terminated; returns the length it has in full.
size_t net_table(const Net &net, int64_t n, char *buffer, size_t size);
// "W1[3,17]", "W1[2,1,4,3]" or "b1[3]" (1-based): the name of parameter `index`; returns its full
// length.
size_t net_param_name(const Net &net, int64_t index, char *buffer, size_t size);

}  // namespace nnp
