// The activation layer: out = sigma(in), elementwise. The draw of its input site is
// one-dimensional, the same mechanism for every piecewise linear sigma.
#include "lib/network/layer.hpp"

namespace nnp {

namespace {

int64_t none(const Layer &) {
  return 0;
}

void forward(const Layer &layer, const double *, ConstTile in, Tile out, const Kernels &) {
  const Pieces pieces = pieces_of(layer.activation, layer.slope);
  for (int64_t j = 0; j < in.width; ++j)
    for (int64_t i = 0; i < in.rows; ++i) out.col(j)[i] = apply(pieces, in.col(j)[i]);
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
  }
  return nullptr;
}

const LayerOps activation_ops = {"activation", none,         none,         forward,    nullptr,
                                 nullptr,      input_layout, factor_input, draw_input, nullptr};

}  // namespace nnp
