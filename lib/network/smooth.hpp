// Smooth activations: values and slopes, elementwise. Their inputs have no simple conditional, so
// they are for gradient samplers.
#pragma once

#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/piecewise.hpp"

namespace nnp {

bool is_smooth(Activation activation);

// tanh z; softplus log(1 + e^z); gelu z Phi(z), Phi the standard normal distribution function.
void smooth_values(Activation activation, ConstTile in, Tile out, const Kernels &kernels);

// result = gradient * sigma'(in), where out = sigma(in).
void smooth_slopes(Activation activation, ConstTile in, ConstTile out, ConstTile gradient,
                   Tile result, const Kernels &kernels);

}  // namespace nnp
