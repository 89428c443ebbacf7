#include "lib/network/smooth.hpp"

#include <cmath>

namespace nnp {

namespace {

// log(1 + e^z) without overflow
double softplus(double z) {
  return (z > 0 ? z : 0) + std::log1p(std::exp(-std::fabs(z)));
}

double sigmoid(double z) {
  return 1 / (1 + std::exp(-z));
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-0.70710678118654752440 * z);
}

double normal_density(double z) {
  return 0.39894228040143267794 * std::exp(-0.5 * z * z);
}

double value(Activation activation, double z) {
  switch (activation) {
    case Activation::tanh:
      return std::tanh(z);
    case Activation::softplus:
      return softplus(z);
    case Activation::gelu:
      return z * normal_cdf(z);
    default:
      return z;
  }
}

double slope(Activation activation, double z, double y) {
  switch (activation) {
    case Activation::tanh:
      return 1 - y * y;
    case Activation::softplus:
      return sigmoid(z);
    case Activation::gelu:
      return normal_cdf(z) + z * normal_density(z);
    default:
      return 1;
  }
}

}  // namespace

bool is_smooth(Activation activation) {
  return activation == Activation::tanh || activation == Activation::softplus ||
         activation == Activation::gelu;
}

void smooth_values(Activation activation, ConstTile in, Tile out) {
  for (int64_t j = 0; j < in.width; ++j)
    for (int64_t i = 0; i < in.rows; ++i) out.col(j)[i] = value(activation, in.col(j)[i]);
}

void smooth_slopes(Activation activation, ConstTile in, ConstTile out, ConstTile gradient,
                   Tile result) {
  for (int64_t j = 0; j < in.width; ++j) {
    const double *z = in.col(j), *y = out.col(j), *g = gradient.col(j);
    double *r = result.col(j);
    for (int64_t i = 0; i < in.rows; ++i) r[i] = g[i] * slope(activation, z[i], y[i]);
  }
}

}  // namespace nnp
