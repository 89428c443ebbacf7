// Small networks for statistical tests.
#pragma once

#include "capi/nnpost.h"

namespace nets {

struct Architecture {
  int hidden;
  int32_t activation, head;
  bool bias;
  int64_t outputs = 0;  // 0: as many as the head suggests
};

constexpr int32_t activations[] = {NNP_IDENTITY, NNP_RELU, NNP_LEAKY_RELU,
                                   NNP_ABS,      NNP_SIGN, NNP_HARD_TANH};
constexpr int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};

// Two inputs, hidden layers of 3 and 2 units in turn; noises and precisions of the order of 1, all different, so that chains forget fast and errors show.
inline nnp_net *make(const Architecture &a) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  for (int h = 0; h < a.hidden; ++h) {
    nnp_net_dense(net, h % 2 ? 2 : 3, nullptr);
    nnp_net_activation(net, a.activation, nullptr);
  }
  const int64_t outputs = a.outputs > 0                  ? a.outputs
                          : a.head == NNP_GAUSSIAN       ? 2
                          : a.head == NNP_ARGMAX         ? 3
                          : a.head == NNP_LOCATION_SCALE ? 2
                                                         : 1;
  nnp_net_dense(net, outputs, nullptr);
  nnp_net_head(net, a.head, nullptr);
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  for (int64_t k = 1; k <= layers; ++k)
    nnp_net_set(net, k, NNP_NOISE, 0.8 + 0.2 * static_cast<double>(k % 3), nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, a.bias ? 1 : 0, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 2.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 3.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_SLOPE, 0.3, nullptr);
  // Standard deviations that stay within a factor of some two: steps of one length suit them all.
  if (a.head == NNP_LOCATION_SCALE)
    for (int32_t lambda : {NNP_LAMBDA_W, NNP_LAMBDA_B})
      nnp_net_set(net, layers, lambda, 40, nullptr);
  return net;
}

}  // namespace nets
