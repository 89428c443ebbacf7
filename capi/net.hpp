// Shared by the functions that create networks.
#pragma once

#include "capi/common.hpp"

namespace nnp {

constexpr int64_t default_layers = 256;
constexpr int64_t max_inputs = int64_t{1} << 31;
constexpr int64_t max_layers_ever = int64_t{1} << 20;

inline auto net_layout_for(nnp_net **net, int64_t max_layers, const Shape &input) {
  return [=](Arena &arena) {
    Net *made = net_layout(arena, max_layers);
    if (!made) return;
    made->input = input;
    *net = reinterpret_cast<nnp_net *>(made);
  };
}

}  // namespace nnp
