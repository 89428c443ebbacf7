#include "lib/network/smooth.hpp"

#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/random/special.hpp"

namespace nnp {

namespace {

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

}  // namespace

bool is_smooth(Activation activation) {
  return activation == Activation::tanh || activation == Activation::softplus ||
         activation == Activation::gelu;
}

void smooth_values(Activation activation, ConstTile in, Tile out, const Kernels &kernels) {
  if (activation == Activation::tanh) kernels.tanh_values(in, out);
  if (activation == Activation::softplus) kernels.softplus_values(in, out);
  if (activation == Activation::gelu)
    (kernels.gelu_values ? kernels.gelu_values : gelu_values)(in, out);
}

void smooth_slopes(Activation activation, ConstTile in, ConstTile out, ConstTile gradient,
                   Tile result, const Kernels &kernels) {
  if (activation == Activation::tanh) kernels.tanh_slopes(out, gradient, result);
  if (activation == Activation::softplus) kernels.softplus_slopes(in, gradient, result);
  if (activation == Activation::gelu)
    (kernels.gelu_slopes ? kernels.gelu_slopes : gelu_slopes)(in, gradient, result);
}

}  // namespace nnp
