// The move of a hidden unit: a unit that has died, or taken up the wrong feature, is set free in
// one move where site by site it would take forever.
//
// The unit's noise e_Z = Z - (W x + b) is held; its incoming (W, b) goes around an ellipse through
// the current point and a draw from the prior (elliptical slice sampling, Murray, Adams and MacKay
// 2010) and carries Z along. Where the layer above is a plain product, X and the weights of that
// layer follow (collapsed_unit.cpp); else X follows with its noise held, and those weights stay.
#include <cmath>
#include <cstring>

#include "lib/random/variates.hpp"
#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

// ---- the ellipse ---------------------------------------------------------------------------

// A draw of the unit's (W, b) from the prior, beside what they are now.
void draw_ellipse(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  read_weights(m);
  double *drawn = m.move->weights + count + 1;
  fill_normal(m.state().layer_streams[m.k - 1], drawn, count + 1);
  for (int64_t i = 0; i < count; ++i) drawn[i] /= std::sqrt(layer.lambda_w);
  drawn[count] /= std::sqrt(layer.lambda_b);
}

// ---- the density along it ------------------------------------------------------------------

void residual_tile(State &state, void *context, int64_t b, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  double *sum = m.move->block_sums + b;
  if (t == state.tiling.first_tile(b)) *sum = 0;
  Tile z_there, x_there;
  carry_along(m, state.blocks[b], t, &z_there, &x_there);
  *sum += residual_above(m, state.blocks[b], x_there, t);
}

double log_density_at(Mover &m, double angle) {
  m.cosine = std::cos(angle);
  m.sine = std::sin(angle);
  ++m.chain->count(Move::unit).evaluations;
  if (m.collapsed) return collapsed_log_density(m);
  for_each_tile(m.state(), residual_tile, &m);
  sum_over_blocks(m.state(), m.move->block_sums, 1, m.move->sums);
  return -0.5 * m.move->sums[0] / m.above().noise;
}

// ---- the move ------------------------------------------------------------------------------

// Shrinks the bracket around the current point (angle 0) until a point lies in the slice. It shrinks
// to a point inside it, chosen evenly, each time: hence it ends. False if none was found (for
// densities that are NaN, too): the unit stays.
bool slice_ellipse(Mover &m, double density) {
  constexpr double turn = 6.28318530717958647692;
  Stream &stream = m.state().layer_streams[m.k - 1];
  const double level = density - exponential(stream);
  double angle = turn * stream.uniform();
  double low = angle - turn, high = angle;
  while (high - low > 1e-12) {
    if (log_density_at(m, angle) > level) return true;
    (angle < 0 ? low : high) = angle;
    angle = low + (high - low) * stream.uniform();
  }
  return false;
}

void move_unit(Mover &m) {
  draw_ellipse(m);
  project_input(m, 2);
  const double density = m.collapsed ? collapsed_begin(m) : log_density_at(m, 0);
  MoveCount &count = m.chain->count(Move::unit);
  ++count.tried;
  if (!slice_ellipse(m, density)) return;
  ++count.moved;
  if (m.collapsed)
    collapsed_settle(m);
  else
    settle(m);
}

}  // namespace

// Room for the largest of the layers.
void unit_move_layout(Arena &arena, const State &state, UnitMove &move) {
  const Net &net = state.net;
  int64_t width = 0, weights = 0, in = 0, p = 0, m = 0, sums = 1;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_movable_units(net, k)) continue;
    const Layer &layer = net.layer(k), &above = net.layer(k + 2);
    move.units += unit_count(layer);
    width = std::max(width, unit_width(layer));
    weights = std::max(weights, fan_in(layer) + 1);
    if (!ops_of(above).add_columns) continue;
    const int64_t order = ops_of(above).order(above), units = unit_count(above);
    in = std::max(in, above.in.size());
    p = std::max(p, order);
    m = std::max(m, units);
    sums = std::max({sums, unit_width(layer) * (order + units), units * units});
  }
  const int64_t rows = state.tiling.tiles * state.tiling.ld;
  move.start = arena.take<double>(rows, width);
  move.towards = arena.take<double>(rows, width);
  move.weights = arena.take<double>(2, weights);
  move.features = arena.take<double>(rows, in);
  move.remainder = arena.take<double>(rows, m);
  move.block_sums = arena.take<double>(state.tiling.blocks, sums);
  move.sums = arena.take<double>(sums);
  for (double **matrix : {&move.gram, &move.factor}) *matrix = arena.take<double>(p, p);
  for (double **columns : {&move.cross, &move.whitened, &move.base, &move.change, &move.solved,
                           &move.others, &move.there})
    *columns = arena.take<double>(p, m);
  for (double **small :
       {&move.squares, &move.residual, &move.spread, &move.spread_before, &move.keep})
    *small = arena.take<double>(m, m);
  for (double **gain : {&move.gain_before, &move.gain_after}) *gain = arena.take<double>(in, m);
}

int64_t moves_at_step(double rate, int64_t step) {
  const double done = static_cast<double>(step);
  return static_cast<int64_t>(std::floor(rate * (done + 1)) - std::floor(rate * done));
}

int64_t chain_units(const Chain &chain) {
  return static_cast<const Gibbs *>(chain.own)->unit_move.units;
}

void unit_moves_of_step(Chain &chain) {
  const double rate = chain.options[Option::unit_moves];
  const int64_t units = gibbs_of(chain).unit_move.units;
  if (rate == 0 || units == 0) return;
  const int64_t count = moves_at_step(rate, chain.steps);
  for (int64_t i = 0; i < count; ++i) {
    Mover m = pick_unit(chain, pick_below(chain.state.layer_streams[0], units));
    move_unit(m);
  }
}

}  // namespace nnp
