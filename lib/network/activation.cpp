// The activation layer: out = sigma(in), elementwise. The draw of its input site is
// one-dimensional, the same mechanism for every piecewise linear sigma.
#include <cmath>

#include "lib/network/layer.hpp"
#include "lib/network/smooth.hpp"

namespace nnp {

namespace {

int64_t none(const Layer &) {
  return 0;
}

// Lines behind the last piece are copies of it.
Lines lines_of(const Layer &layer) {
  const Pieces pieces = pieces_of(layer.activation, layer.slope);
  Lines lines = {};
  for (int i = 0; i < 3; ++i) {
    const int piece = i < pieces.count ? i : pieces.count - 1;
    lines.slope[i] = pieces.slope[piece];
    lines.offset[i] = pieces.offset[piece];
    if (i < 2) lines.knot[i] = i < pieces.count - 1 ? pieces.knot[i] : INFINITY;
  }
  return lines;
}

void forward(const Layer &layer, const double *, ConstTile in, Tile out, const Kernels &kernels) {
  if (is_smooth(layer.activation))
    smooth_values(layer.activation, in, out);
  else
    kernels.apply_lines(lines_of(layer), in, out);
}

void input_layout(Arena &, const Layer &, InputFactor &) {}

bool factor_input(const Layer &, const double *, double, InputFactor &) {
  return true;
}

// eq. cond_Z: exp(-(z-m)^2 / (2 D_Z) - (sigma(z)-x)^2 / (2 D_X))
void draw_input(const Layer &layer, const double *, const InputFactor &, const SiteDraw &draw,
                const TileWork &work) {
  const Pieces pieces = pieces_of(layer.activation, layer.slope);
  for (int64_t j = 0; j < draw.site.width; ++j)
    draw_piecewise(pieces, draw.mean.col(j), draw.prior_noise, draw.above.col(j), layer.noise,
                   draw.site.rows, *work.stream, draw.site.col(j));
}

bool drawable(const Layer &layer) {
  return !is_smooth(layer.activation);
}

bool differentiable(const Layer &layer) {
  return layer.activation != Activation::sign;
}

void backward(const Layer &layer, const double *, const BackwardTile &tile, double *,
              const Kernels &kernels, double *) {
  if (!tile.in_gradient.data) return;
  if (is_smooth(layer.activation))
    smooth_slopes(layer.activation, tile.in, tile.out, tile.out_gradient, tile.in_gradient);
  else
    kernels.apply_slopes(lines_of(layer), tile.in, tile.out_gradient, tile.in_gradient);
}

}  // namespace

const char *activation_name(Activation activation) {
  switch (activation) {
    case Activation::identity:
      return "identity";
    case Activation::relu:
      return "relu";
    case Activation::leaky_relu:
      return "leaky relu";
    case Activation::abs:
      return "abs";
    case Activation::sign:
      return "sign";
    case Activation::hard_tanh:
      return "hard tanh";
    case Activation::tanh:
      return "tanh";
    case Activation::softplus:
      return "softplus";
    case Activation::gelu:
      return "gelu";
  }
  return nullptr;
}

const LayerOps activation_ops = {"activation", none,     none,           forward,
                                 nullptr,      nullptr,  input_layout,   factor_input,
                                 draw_input,   drawable, differentiable, backward};

}  // namespace nnp
