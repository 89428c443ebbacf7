// The table of activations, elementwise functions sigma. A piecewise linear one is a table of
// pieces: everything, its exact draw included, follows from them. A smooth one gives values and
// slopes itself; its input has no simple conditional, so it is for gradient samplers.
#pragma once

#include <cstdint>

#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/piecewise.hpp"

namespace nnp {

// Values are pinned: adding a base gives the activations of the C header.
enum class Activation : int32_t {
  identity = 1,
  relu = 2,
  leaky_relu = 3,
  abs = 4,
  sign = 5,  // sign(0) = +1
  hard_tanh = 6,
  tanh = 7,
  softplus = 8,
  gelu = 9,
};

// A tile on the way back: out = sigma(in), result = gradient * sigma'(in). Tiles may be the same.
struct SlopeTile {
  ConstTile in, out, gradient;
  Tile result;
};

// A row of the table. An activation has pieces, or values and slopes.
struct ActivationOps {
  const char *name = nullptr;
  // Its pieces; `leak` is the slope of a leaky relu left of 0.
  Pieces (*pieces)(double leak) = nullptr;
  bool has_leak = false;
  bool has_gradient = true;
  void (*values)(ConstTile in, Tile out, const Kernels &) = nullptr;
  void (*slopes)(const SlopeTile &, const Kernels &) = nullptr;
  // The same in single precision. Null: computed in doubles, column by column.
  void (*single_values)(ConstSingleTile in, SingleTile out, const SingleKernels &) = nullptr;
  void (*single_slopes)(ConstSingleTile out, ConstSingleTile gradient, SingleTile result,
                        const SingleKernels &) = nullptr;
};

// Null for values outside the enum.
const ActivationOps *ops_of(Activation activation);

extern const ActivationOps identity_ops, relu_ops, leaky_relu_ops, abs_ops, sign_ops, hard_tanh_ops;
extern const ActivationOps tanh_ops, softplus_ops, gelu_ops;

// The pieces of an activation: none if it is smooth or unknown.
Pieces pieces_of(Activation activation, double leak);

}  // namespace nnp
