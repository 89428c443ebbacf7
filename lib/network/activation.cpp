// The activation layer: out = sigma(in), elementwise. The draw of its input site is
// one-dimensional, the same mechanism for every piecewise linear sigma.
#include <cmath>

#include "lib/network/columns.hpp"
#include "lib/network/layer.hpp"
#include "lib/network/smooth.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

int64_t none(const Layer &) {
  return 0;
}

// All pieces are lines through 0.
bool homogeneous(const Layer &layer) {
  const Pieces p = pieces_of(layer.activation, layer.slope);
  for (int piece = 0; piece < p.count; ++piece)
    if (p.offset[piece] != 0 || (piece > 0 && p.knot[piece - 1] != 0)) return false;
  return p.count > 0;
}

// Lines behind the last piece are copies of it.
Lines lines_of(const Layer &layer) {
  const Pieces pieces = pieces_of(layer.activation, layer.slope);
  const int last = pieces.count > 0 ? pieces.count - 1 : 0;
  Lines lines = {};
  for (int i = 0; i < 3; ++i) {
    const int piece = i < last ? i : last;
    lines.slope[i] = pieces.slope[piece];
    lines.offset[i] = pieces.offset[piece];
    if (i < 2) lines.knot[i] = i < pieces.count - 1 ? pieces.knot[i] : INFINITY;
  }
  return lines;
}

void forward(const Layer &layer, const double *, ConstTile in, Tile out, const Kernels &kernels) {
  in_columns(in, kernels, [&](ConstTile columns, int64_t first) {
    const Tile there = {out.col(first), out.rows, columns.width, out.ld};
    if (is_smooth(layer.activation))
      smooth_values(layer.activation, columns, there, kernels);
    else
      kernels.apply_lines(lines_of(layer), columns, there);
  });
}

void input_layout(Arena &, const Layer &, InputFactor &) {}

struct PiecewiseDraw {
  const double *m;
  double dz;
  const double *x;
  double dx;
  int64_t n;
};

// Within its piece z is Gaussian with mean wm m + wx (x - offset), variance v = dz dx/(dx + a^2 dz):
// over-relaxed there, and left where it is if that would leave the piece.
void relax_piecewise(const Pieces &pieces, const PiecewiseDraw &d, const Relax &relax,
                     Stream &stream, double *noise, double *z) {
  fill_normal(stream, noise, d.n);
  double *next = noise + d.n;
  for (int piece = 0; piece < pieces.count; ++piece) {
    const double a = pieces.slope[piece], total = d.dx + a * a * d.dz;
    const double wm = relax.pull * d.dx / total, wx = relax.pull * a * d.dz / total;
    const double sd = relax.shake * std::sqrt(d.dz * (d.dx / total));
    const double low = piece > 0 ? pieces.knot[piece - 1] : -INFINITY;
    const double high = piece < pieces.count - 1 ? pieces.knot[piece] : INFINITY;
    for (int64_t i = 0; i < d.n; ++i) {
      const double to =
          relax.keep * z[i] + wm * d.m[i] + wx * (d.x[i] - pieces.offset[piece]) + sd * noise[i];
      const bool stays = z[i] >= low && z[i] < high && to >= low && to < high;
      next[i] = stays ? to : (piece == 0 ? z[i] : next[i]);
    }
  }
  for (int64_t i = 0; i < d.n; ++i) z[i] = next[i];
}

bool factor_input(const Layer &, const double *, double, InputFactor &) {
  return true;
}

// eq. cond_Z: exp(-(z-m)^2 / (2 D_Z) - (sigma(z)-x)^2 / (2 D_X))
void draw_input(const Layer &layer, const double *, const InputFactor &, const SiteDraw &draw,
                const TileWork &work) {
  const Pieces pieces = pieces_of(layer.activation, layer.slope);
  const int64_t rows = draw.site.rows;
  if (draw.relax.keep == 0 && rows == draw.site.ld && rows == draw.mean.ld &&
      rows == draw.above.ld)  // all columns are one array
    return draw_piecewise(pieces, draw.mean.data, draw.prior_noise, draw.above.data, layer.noise,
                          rows * draw.site.width, *work.stream, draw.site.data, *work.draws);
  for (int64_t j = 0; j < draw.site.width; ++j) {
    const PiecewiseDraw columns = {draw.mean.col(j), draw.prior_noise, draw.above.col(j),
                                   layer.noise, rows};
    if (draw.relax.keep == 0)
      draw_piecewise(pieces, columns.m, columns.dz, columns.x, columns.dx, columns.n, *work.stream,
                     draw.site.col(j), *work.draws);
    else
      relax_piecewise(pieces, columns, draw.relax, *work.stream, work.scratch[0], draw.site.col(j));
  }
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
    smooth_slopes(layer.activation, tile.in, tile.out, tile.out_gradient, tile.in_gradient,
                  kernels);
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

const LayerOps activation_ops = {"activation",   true,         none,       none,    forward,
                                 nullptr,        nullptr,      nullptr,    nullptr, homogeneous,
                                 input_layout,   factor_input, draw_input, nullptr, drawable,
                                 differentiable, backward};

}  // namespace nnp
