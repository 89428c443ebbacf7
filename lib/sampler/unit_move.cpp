// The move of a hidden unit: it revives a unit that has died, or that has picked up the wrong
// feature, in one move; updates of single sites would take forever.
//
// The unit's noise e_Z = Z - (W x + b) is held. Its incoming (W, b) moves along an ellipse through
// the current point and a draw from the prior (elliptical slice sampling, Murray, Adams and MacKay
// 2010), and Z follows. If the layer above is a plain product with one noise, X and the weights of
// that layer follow (collapsed_unit.cpp); otherwise X follows with its noise held, and those
// weights stay.
#include <cmath>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/ellipse.hpp"

namespace nnp {

namespace {

// ---- the ellipse ---------------------------------------------------------------------------

// Draws (W, b) of the unit from the prior, next to the current ones.
void draw_ellipse(const Ellipse &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  read_weights(m);
  double *drawn = m.scratch->weights + count + 1;
  m.state().draws->normals(m.state().layer_streams[m.k - 1], drawn, count + 1);
  for (int64_t i = 0; i < count; ++i) drawn[i] /= std::sqrt(layer.weight_precision(i));
  drawn[count] /= std::sqrt(layer.lambda_b);
}

// ---- the density along it ------------------------------------------------------------------

void residual_tile(State &state, void *context, int64_t b, int64_t t) {
  const Ellipse &m = *static_cast<const Ellipse *>(context);
  double *sum = m.work->block_sums + b;
  if (t == state.tiling.first_tile(b)) *sum = 0;
  Tile z_there, x_there;
  carry_along(m, state.blocks[b], t, &z_there, &x_there);
  *sum += residual_above(m, state.blocks[b], x_there, t);
}

double log_density_at(Ellipse &m, double angle) {
  m.cosine = fn::cos(angle);
  m.sine = fn::sin(angle);
  ++m.chain->count(Move::unit).evaluations;
  if (m.collapsed) return collapsed_log_density(m);
  for_each_tile(m.state(), residual_tile, &m);
  sum_over_blocks(m.state(), m.work->block_sums, 1, m.work->sums);
  return -0.5 * m.work->sums[0] / m.above().noise;
}

// ---- the move ------------------------------------------------------------------------------

// Shrinks the bracket around the current point (angle 0) to a uniformly chosen point inside it
// until that point lies in the slice. False if none is found, also if the density is NaN: the unit
// stays.
bool slice_ellipse(Ellipse &m, double density) {
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

void move_unit(Ellipse &m) {
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

// ---- the row of the table --------------------------------------------------------------------

Status check(const Net &net, double rate, Error *err) {
  return check_movable_units(net, "unit_moves", rate, err);
}

// Allocates enough for the largest layer.
void *layout(Arena &arena, const State &state) {
  const Net &net = state.net;
  int64_t in = 0, p = 0, m = 0, sums = 1;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_movable_units(net, k) || !is_integrable(net, k)) continue;
    const Layer &above = net.layer(k + 2);
    const int64_t order = ops_of(above).order(above), units = unit_count(above);
    in = std::max(in, above.in.size());
    p = std::max(p, order);
    m = std::max(m, units);
    sums = std::max({sums, unit_width(net.layer(k)) * (order + units), units * units});
  }
  const int64_t rows = state.tiling.tiles * state.tiling.ld;
  EllipseWork *made = arena.take<EllipseWork>(1);
  EllipseWork work;
  work.features = arena.take<double>(rows, in);
  work.remainder = arena.take<double>(rows, m);
  work.block_sums = arena.take<double>(state.tiling.blocks, sums);
  work.sums = arena.take<double>(sums);
  for (double **matrix : {&work.gram, &work.factor}) *matrix = arena.take<double>(p, p);
  for (double **columns : {&work.cross, &work.whitened, &work.base, &work.change, &work.total,
                           &work.solved, &work.others, &work.there})
    *columns = arena.take<double>(p, m);
  for (double **small :
       {&work.squares, &work.residual, &work.spread, &work.spread_before, &work.keep})
    *small = arena.take<double>(m, m);
  for (double **gain : {&work.gain_before, &work.gain_after}) *gain = arena.take<double>(in, m);
  if (made) *made = work;
  return made;
}

Status make(Chain &chain, void *own, Error *) {
  const Mover unit = pick_unit(chain);
  Ellipse m = {unit, static_cast<EllipseWork *>(own), is_integrable(chain.state.net, unit.k), 0};
  move_unit(m);
  return Status::ok;
}

// Two projections of the input and its sums, the site above, the evaluations of the slice.
double work_of_unit(const State &state, int64_t k) {
  constexpr double looks = 14;
  const Layer &layer = state.net.layer(k), &above = state.net.layer(k + 2);
  const double order = as_double(ops_of(above).order(above)), inputs = as_double(above.in.size());
  const double width = as_double(unit_width(layer)), rows = as_double(state.tiling.total);
  const double look = width * (order + 100) + 40 * (as_double(unit_count(above)) - 1) +
                      order * order * order / (6 * rows);
  const double ends =
      3 * width * as_double(fan_in(layer)) + inputs * order / 2 + 6 * products_of(above);
  return ends + looks * look;
}

double work(const State &state) {
  return mean_unit_work(state, work_of_unit);
}

// A move changes one unit of many, and an ellipse through many weights is left after a small turn:
// on large networks the time is better spent on plain steps (`bench defaults`).
double worth(const State &state) {
  constexpr double enough = 64;  // weights of a unit; units
  const double weights = mean_unit_work(
      state, [](const State &s, int64_t k) { return as_double(fan_in(s.net.layer(k))); });
  const double units = as_double(movable_units(state.net));
  return worth_by_width(state) * std::fmin(1, enough / weights) * std::fmin(1, enough / units);
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::unit_moves;
  move.kinds[0] = Move::unit;
  move.names[0] = "units";
  move.check = check;
  move.layout = layout;
  move.make = make;
  move.work = work;
  move.share = 0.2;
  move.worth = worth;
  return move;
}

}  // namespace

const MoveOps unit_ellipse_move = row();

}  // namespace nnp
