// The rows of smooth activations: tanh z; softplus log(1 + e^z); gelu z Phi(z), Phi the standard
// normal distribution function.
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/activations.hpp"
#include "lib/random/special.hpp"

namespace nnp {

namespace {

constexpr ActivationOps tanh_row() {
  ActivationOps ops;
  ops.name = "tanh";
  ops.values = [](ConstTile in, Tile out, const Kernels &kernels) { kernels.tanh_values(in, out); };
  ops.slopes = [](const SlopeTile &t, const Kernels &kernels) {
    kernels.tanh_slopes(t.out, t.gradient, t.result);
  };
  ops.single_values = [](ConstSingleTile in, SingleTile out, const SingleKernels &single) {
    single.tanh_values(in, out);
  };
  ops.single_slopes = [](ConstSingleTile out, ConstSingleTile gradient, SingleTile result,
                         const SingleKernels &single) {
    single.tanh_slopes(out, gradient, result);
  };
  return ops;
}

constexpr ActivationOps softplus_row() {
  ActivationOps ops;
  ops.name = "softplus";
  ops.values = [](ConstTile in, Tile out, const Kernels &kernels) {
    kernels.softplus_values(in, out);
  };
  ops.slopes = [](const SlopeTile &t, const Kernels &kernels) {
    kernels.softplus_slopes(t.in, t.gradient, t.result);
  };
  return ops;
}

double normal_density(double z) {
  return 0.39894228040143267794 * fn::exp(-0.5 * z * z);
}

void gelu_values(ConstTile in, Tile out) {
  for (int64_t j = 0; j < in.width; ++j)
    for (int64_t i = 0; i < in.rows; ++i) {
      const double z = in.col(j)[i];
      out.col(j)[i] = z * normal_cdf(z);
    }
}

// Phi(z) + z phi(z)
void gelu_slopes(ConstTile in, ConstTile gradient, Tile result) {
  for (int64_t j = 0; j < in.width; ++j)
    for (int64_t i = 0; i < in.rows; ++i) {
      const double z = in.col(j)[i];
      result.col(j)[i] = gradient.col(j)[i] * (normal_cdf(z) + z * normal_density(z));
    }
}

constexpr ActivationOps gelu_row() {
  ActivationOps ops;
  ops.name = "gelu";
  ops.values = [](ConstTile in, Tile out, const Kernels &kernels) {
    (kernels.gelu_values ? kernels.gelu_values : gelu_values)(in, out);
  };
  ops.slopes = [](const SlopeTile &t, const Kernels &kernels) {
    (kernels.gelu_slopes ? kernels.gelu_slopes : gelu_slopes)(t.in, t.gradient, t.result);
  };
  return ops;
}

}  // namespace

const ActivationOps tanh_ops = tanh_row();
const ActivationOps softplus_ops = softplus_row();
const ActivationOps gelu_ops = gelu_row();

}  // namespace nnp
