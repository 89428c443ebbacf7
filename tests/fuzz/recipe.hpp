// Small networks, data and chains of every kind, by a few bytes.
#pragma once

#include <vector>

#include "capi/nnpost.h"
#include "tests/fuzz/bytes.hpp"

namespace fuzz {

constexpr size_t recipe_bytes = 9;

struct Recipe {
  int shape = 0, scales = 0, rows = 0, width = 0, store = 0;
  int32_t activation = 0, head = 0, sampler = 0, posterior = 0;
};

inline Recipe some_recipe(Bytes &bytes) {
  Recipe r;
  r.shape = bytes.below(12);
  r.activation = NNP_IDENTITY + bytes.below(9);
  r.head = NNP_GAUSSIAN + bytes.below(5);
  r.scales = bytes.below(6);
  r.rows = bytes.byte();
  r.width = bytes.byte();
  r.sampler = NNP_GIBBS + bytes.below(4);
  r.posterior = NNP_INTERMEDIATE + bytes.below(2);
  r.store = NNP_STORE_AUTO + bytes.below(6);
  return r;
}

inline int64_t rows_of(const Recipe &r) {
  constexpr int64_t rows[] = {1, 3, 5, 8, 16, 24};
  return r.rows < 248 ? rows[r.rows % 6] : r.rows < 252 ? 129 : 300;
}

inline int64_t width_of(const Recipe &r) {
  constexpr int64_t widths[] = {1, 2, 3, 4, 5};
  return r.width < 248 ? widths[r.width % 5] : r.width < 252 ? 17 : 40;
}

inline int64_t outputs_of(const Recipe &r) {
  if (r.head == NNP_SIGN_HEAD || (r.head == NNP_GAUSSIAN && r.scales == 5)) return 1;
  return r.head == NNP_ARGMAX ? 2 + r.width % 2 : 2;
}

inline void add_image_layers(const Recipe &r, nnp_net *net) {
  if (r.shape == 10) nnp_net_avgpool(net, 2, 1, nullptr);
  if (r.shape == 11) nnp_net_dense(net, 12, nullptr);
  if (r.shape == 11) nnp_net_image(net, 1, 4, 3, nullptr);
  nnp_net_conv2d(net, 2, 2, 2, 1 + r.width % 2, 1, nullptr);
  if (r.shape == 7) nnp_net_set(net, 1, NNP_PADDING_Y, 1, nullptr);
  if (r.shape == 5) nnp_net_maxpool(net, 2, 2, nullptr);
  if (r.shape == 6 || r.shape == 7) nnp_net_avgpool(net, 2, 1, nullptr);
  if (r.shape == 7) nnp_net_set(net, 2, NNP_COLLAPSE, r.width % 3 == 0, nullptr);
  nnp_net_activation(net, r.activation, nullptr);
  if (r.shape == 8 || r.shape == 9) nnp_net_conv2d(net, 3, 1, 2, 1, 1, nullptr);
  if (r.shape == 9) nnp_net_avgpool(net, 1, 1, nullptr);
  if (r.shape == 9) nnp_net_activation(net, r.activation, nullptr);
}

inline void add_scales(const Recipe &r, nnp_net *net) {
  if (r.scales == 1) nnp_net_learn_tied(net, nullptr, 0, 0, nullptr);
  if (r.scales == 2 || r.scales == 4)
    nnp_net_learn(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 0, 0, nullptr);
  if (r.scales == 3) nnp_net_learn(net, 1, NNP_ARD, 2, 1, nullptr);
  if (r.scales == 4) nnp_net_learn(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 1, 3, nullptr);
  if (r.scales == 5 && r.head == NNP_GAUSSIAN)
    nnp_net_learn(net, NNP_ALL_LAYERS, NNP_NOISE, 2, 1, nullptr);
  if (r.scales == 3 || r.scales == 4) {
    int64_t layers = 0;
    nnp_net_layers(net, &layers, nullptr);
    nnp_net_learn(net, layers, NNP_NOISE, 2, 10, nullptr);
  }
}

inline int64_t inputs_of(const Recipe &r) {
  return r.shape >= 4 ? (1 + r.width % 2) * 4 * 3 : 1 + r.width % 4 + (r.width >= 252 ? 30 : 0);
}

// Its layers and their settings, for a network that has only inputs.
inline void complete(const Recipe &r, nnp_net *net) {
  if (r.shape >= 4) nnp_net_image(net, 1 + r.width % 2, 4, 3, nullptr);
  if (r.shape >= 4) add_image_layers(r, net);
  for (int i = 0; i < r.shape && r.shape < 4 && i < 2; ++i) {
    nnp_net_dense(net, width_of(r), nullptr);
    if (r.shape != 3 || i == 0) nnp_net_activation(net, r.activation, nullptr);
  }
  nnp_net_dense(net, outputs_of(r), nullptr);
  nnp_net_head(net, r.head, nullptr);
  if (r.width % 7 == 6) nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, 0, nullptr);
  if (r.width % 5 != 4) nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.2, nullptr);
  add_scales(r, net);
}

inline nnp_net *net_of(const Recipe &r) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, inputs_of(r), nullptr);
  complete(r, net);
  return net;
}

inline int64_t features_of(const nnp_net *net) {
  int64_t shape[3];
  nnp_net_shape(net, 0, shape, nullptr);
  return shape[0] * shape[1] * shape[2];
}

inline nnp_data *data_of(const Recipe &r, const nnp_net *net) {
  const int64_t n = rows_of(r), features = features_of(net);
  int64_t targets = 0;
  nnp_net_targets(net, &targets, nullptr);
  std::vector<double> x(static_cast<size_t>(n * features)), y(static_cast<size_t>(n * targets));
  std::vector<int32_t> labels(static_cast<size_t>(n));
  const auto value = [](size_t i) {
    return 3 * std::fmod(static_cast<double>(i + 1) * 0.6180339887498949, 1) - 1.5;
  };
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::floor(64 * value(i)) / 64;
  for (size_t i = 0; i < y.size(); ++i) y[i] = value(3 * i + 7);
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = r.head == NNP_SIGN_HEAD
                    ? static_cast<int32_t>(i % 2) * 2 - 1
                    : static_cast<int32_t>(i) % static_cast<int32_t>(outputs_of(r));
  for (size_t i = 0; r.store == NNP_STORE_SPARSE && i < x.size(); ++i)
    if (i % 6 != 0) x[i] = 0;
  const nnp_inputs inputs = {x.data(), n, features, NNP_ROW_MAJOR, r.store, {}};
  nnp_data *data = nullptr;
  nnp_data_create_from(&data, &inputs, targets, nullptr);
  if (!data) {  // that store loses something
    nnp_data_create(&data, n, features, targets, nullptr);
    nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr);
  }
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  nnp_data_set_labels(data, labels.data(), nullptr);
  return data;
}

// Few gradients in a step.
inline void make_short(nnp_chain *chain, int32_t sampler) {
  if (sampler == NNP_NUTS) nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 2, nullptr);
  if (sampler == NNP_HMC) nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, 3, nullptr);
}

// NULL if the sampler does not take the network.
inline nnp_chain *chain_of(const Recipe &r, const nnp_net *net, const nnp_data *data) {
  nnp_chain *chain = nullptr;
  nnp_chain_create(&chain, net, data, r.sampler, r.posterior, nullptr);
  if (chain) make_short(chain, r.sampler);
  return chain;
}

}  // namespace fuzz
