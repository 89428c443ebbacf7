// The activation layer: out = sigma(in), elementwise, where sigma is a row of activations.hpp. The
// draw of its input site is one-dimensional; one mechanism serves every piecewise linear sigma.
#include <algorithm>
#include <cmath>

#include "lib/network/columns.hpp"
#include "lib/network/layer.hpp"

namespace nnp {

namespace {

Status construct(const LayerSpec &spec, Layer &layer, Error *err) {
  if (!ops_of(spec.activation))
    return fail(err, Status::bad_enum, "activation = %d: expected one of the activations",
                static_cast<int>(spec.activation));
  layer.activation = spec.activation;
  layer.bias = false;
  layer.out = layer.in;
  return Status::ok;
}

const ActivationOps &row_of(const Layer &layer) {
  return *ops_of(layer.activation);
}

const char *title(const Layer &layer) {
  return row_of(layer).name;
}

bool has_slope(const Layer &layer) {
  return row_of(layer).has_leak;
}

void map_fields(const Layer &layer, MapFields &fields) {
  fields.add(static_cast<int64_t>(layer.activation));
  fields.add(has_slope(layer) ? layer.slope : 0.0);
}

constexpr PropertyRow slope() {
  PropertyRow row;
  row.property = Property::slope;
  row.name = "slope";
  row.values = Values::finite;
  row.has = has_slope;
  row.get = [](const Layer &layer) { return layer.slope; };
  row.set = [](Layer &layer, double value) { layer.slope = value; };
  return row;
}
constexpr PropertyRow properties[] = {slope()};

// True if all pieces are lines through 0.
bool homogeneous(const Layer &layer) {
  const Pieces p = pieces_of(layer.activation, layer.slope);
  for (int piece = 0; piece < p.count; ++piece)
    if (p.offset[piece] != 0 || (piece > 0 && p.knot[piece - 1] != 0)) return false;
  return p.count > 0;
}

// Entries after the last piece are copies of it.
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
  const ActivationOps &ops = row_of(layer);
  in_columns(in, kernels, [&](ConstTile columns, int64_t first) {
    const Tile there = {out.col(first), out.rows, columns.width, out.ld};
    if (ops.values)
      ops.values(columns, there, kernels);
    else
      kernels.apply_lines(lines_of(layer), columns, there);
  });
}

// Within its piece z is Gaussian with mean wm m + wx (x - offset) and variance v = dz dx/(dx + a^2
// dz). It is over-relaxed there, and left unchanged if that would leave the piece.
RelaxedPieces relaxed_pieces(const Pieces &pieces, double dz, double dx, const Relax &relax) {
  RelaxedPieces relaxed = {};
  relaxed.count = pieces.count;
  relaxed.keep = relax.keep;
  for (int i = 0; i < 3; ++i) {
    const int piece = std::min(i, pieces.count - 1);
    const double a = pieces.slope[piece], total = dx + a * a * dz;
    relaxed.per_m[i] = relax.pull * dx / total;
    relaxed.per_x[i] = relax.pull * a * dz / total;
    relaxed.shift[i] = -relaxed.per_x[i] * pieces.offset[piece];
    relaxed.sd[i] = relax.shake * std::sqrt(dz * (dx / total));
    relaxed.low[i] = piece > 0 ? pieces.knot[piece - 1] : -INFINITY;
    relaxed.high[i] = piece < pieces.count - 1 ? pieces.knot[piece] : INFINITY;
  }
  return relaxed;
}

// eq. cond_Z: exp(-(z-m)^2 / (2 D_Z) - (sigma(z)-x)^2 / (2 D_X))
void draw_input(const Layer &layer, const double *, const InputFactor &, const SiteDraw &draw,
                const TileWork &work) {
  const Pieces pieces = pieces_of(layer.activation, layer.slope);
  const Tile site = draw.site;
  const bool whole =
      site.rows == site.ld && site.rows == draw.mean.ld && site.rows == draw.above.ld;
  const int64_t pass = whole ? site.width : 1;  // all columns form one array
  for (int64_t j = 0; j < site.width; j += pass) {
    const double *m = draw.mean.col(j), *x = draw.above.col(j);
    const int64_t n = site.rows * pass;
    if (draw.relax.keep == 0)
      draw_piecewise(pieces, m, draw.prior_noise, x, layer.noise, n, *work.stream, site.col(j),
                     *work.draws);
    else
      work.draws->relax_pieces(relaxed_pieces(pieces, draw.prior_noise, layer.noise, draw.relax), m,
                               x, n, *work.stream, site.col(j));
  }
}

const char *no_exact_draw(const Layer &layer) {
  if (row_of(layer).pieces) return nullptr;
  return "expected piecewise linear activations, or sampler hmc, mala or nuts";
}

const char *no_gradient(const Layer &layer) {
  if (row_of(layer).has_gradient) return nullptr;
  return "expected layers with a gradient, or sampler gibbs";
}

void backward(const Layer &layer, const double *, const BackwardTile &tile, double *,
              const Kernels &kernels, double *) {
  if (!tile.in_gradient.data) return;
  const ActivationOps &ops = row_of(layer);
  if (ops.slopes)
    ops.slopes({tile.in, tile.out, tile.out_gradient, tile.in_gradient}, kernels);
  else
    kernels.apply_slopes(lines_of(layer), tile.in, tile.out_gradient, tile.in_gradient);
}

void single_forward(const Layer &layer, const float *, ConstSingleTile in, SingleTile out,
                    const Kernels &kernels) {
  const SingleKernels &single = *kernels.single;
  const ActivationOps &ops = row_of(layer);
  if (ops.pieces) return single.apply_lines(lines_of(layer), in, out);
  if (ops.single_values) return ops.single_values(in, out, single);
  alignas(64) double values[Tiling::max_rows];
  for (int64_t j = 0; j < in.width; ++j) {
    const Tile column = {values, in.rows, 1, in.rows};
    single.widen({in.col(j), in.rows, 1, in.ld}, column);
    ops.values(column, column, kernels);
    single.narrow(column, {out.col(j), out.rows, 1, out.ld});
  }
}

void single_backward(const Layer &layer, const float *, const SingleBackwardTile &tile, double *,
                     const Kernels &kernels) {
  if (!tile.in_gradient.data) return;
  const SingleKernels &single = *kernels.single;
  const ConstSingleTile in = tile.in, gradient = tile.out_gradient;
  const SingleTile to = tile.in_gradient;
  const ActivationOps &ops = row_of(layer);
  if (ops.pieces) return single.apply_slopes(lines_of(layer), in, gradient, to);
  if (ops.single_slopes) return ops.single_slopes(tile.out, gradient, to, single);
  alignas(64) double values[Tiling::max_rows], slopes[Tiling::max_rows];
  for (int64_t j = 0; j < in.width; ++j) {
    const Tile z = {values, in.rows, 1, in.rows}, g = {slopes, in.rows, 1, in.rows};
    single.widen({in.col(j), in.rows, 1, in.ld}, z);
    single.widen({gradient.col(j), in.rows, 1, gradient.ld}, g);
    ops.slopes({z, z, g, g}, kernels);
    single.narrow(g, {to.col(j), to.rows, 1, to.ld});
  }
}

constexpr LayerOps table() {
  LayerOps ops;
  ops.name = "activation";
  ops.construct = construct;
  ops.properties = {properties, 1};
  ops.map_fields = map_fields;
  ops.title = title;
  ops.elementwise = true;
  ops.homogeneous = homogeneous;
  ops.no_exact_draw = no_exact_draw;
  ops.no_gradient = no_gradient;
  ops.forward = forward;
  ops.backward = backward;
  ops.single_forward = single_forward;
  ops.single_backward = single_backward;
  ops.draw_input = draw_input;
  ops.draws_in_place = true;
  return ops;
}

}  // namespace

const LayerOps activation_ops = table();

}  // namespace nnp
