// The table of activations, and its rows of piecewise linear ones (smooth ones: smooth.cpp).
#include "lib/network/activations.hpp"

namespace nnp {

namespace {

constexpr ActivationOps piecewise(const char *name, Pieces (*pieces)(double leak)) {
  ActivationOps ops;
  ops.name = name;
  ops.pieces = pieces;
  return ops;
}

constexpr ActivationOps leaky_relu() {
  ActivationOps ops = piecewise("leaky relu", [](double leak) -> Pieces {
    return {2, {0, 0}, {leak, 1, 0}, {0, 0, 0}};
  });
  ops.has_leak = true;
  return ops;
}

constexpr ActivationOps sign() {
  ActivationOps ops = piecewise("sign", [](double) -> Pieces {
    return {2, {0, 0}, {0, 0, 0}, {-1, 1, 0}};
  });
  ops.has_gradient = false;
  return ops;
}

}  // namespace

const ActivationOps identity_ops = piecewise("identity", [](double) -> Pieces {
  return {1, {0, 0}, {1, 0, 0}, {0, 0, 0}};
});
const ActivationOps relu_ops = piecewise("relu", [](double) -> Pieces {
  return {2, {0, 0}, {0, 1, 0}, {0, 0, 0}};
});
const ActivationOps leaky_relu_ops = leaky_relu();
const ActivationOps abs_ops = piecewise("abs", [](double) -> Pieces {
  return {2, {0, 0}, {-1, 1, 0}, {0, 0, 0}};
});
const ActivationOps sign_ops = sign();
const ActivationOps hard_tanh_ops = piecewise("hard tanh", [](double) -> Pieces {
  return {3, {-1, 1}, {0, 1, 0}, {-1, 0, 1}};
});

const ActivationOps *ops_of(Activation activation) {
  switch (activation) {
    case Activation::identity:
      return &identity_ops;
    case Activation::relu:
      return &relu_ops;
    case Activation::leaky_relu:
      return &leaky_relu_ops;
    case Activation::abs:
      return &abs_ops;
    case Activation::sign:
      return &sign_ops;
    case Activation::hard_tanh:
      return &hard_tanh_ops;
    case Activation::tanh:
      return &tanh_ops;
    case Activation::softplus:
      return &softplus_ops;
    case Activation::gelu:
      return &gelu_ops;
  }
  return nullptr;
}

Pieces pieces_of(Activation activation, double leak) {
  const ActivationOps *ops = ops_of(activation);
  return ops && ops->pieces ? ops->pieces(leak) : Pieces{};
}

}  // namespace nnp
