// The collapsed, non-centred move of a hidden unit: a unit that has died, or taken up the wrong
// feature, is set free in one move where site by site it would take forever.
//
// The unit's noises e_Z = Z - (W x + b) and e_X = X - sigma(Z) are held; its incoming (W, b) goes
// around an ellipse through the current point and a draw from the prior (elliptical slice sampling,
// Murray, Adams and MacKay 2010), carrying Z and X along; the weights of the linear layer above are
// integrated out if that layer allows it and drawn afresh at the end, else they are held too.
#include <cmath>
#include <cstring>

#include "lib/linalg/cholesky.hpp"
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

// ---- the likelihood of the site above ------------------------------------------------------

void evaluate_tile(State &state, void *context, int64_t b, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  double *sums = m.move->block_sums + b * m.sum_count();
  if (t == state.tiling.first_tile(b))
    std::memset(sums, 0, static_cast<size_t>(m.sum_count()) * sizeof(double));
  Tile z_there, x_there;
  carry_along(m, state.blocks[b], t, &z_there, &x_there);
  if (m.collapsed)
    ops_of(m.above()).add_columns(m.above(), state.tile(m.k + 1, t), m.first, x_there,
                                  state.tile(m.k + 2, t), sums, sums + m.gram_part(),
                                  *state.kernels);
  else
    sums[0] += residual_above(m, state.blocks[b], x_there, t);
}

void sum_over_blocks(const Mover &m) {
  const int64_t count = m.sum_count();
  std::memcpy(m.move->sums, m.move->block_sums, static_cast<size_t>(count) * sizeof(double));
  for (int64_t b = 1; b < m.state().tiling.blocks; ++b)
    for (int64_t i = 0; i < count; ++i) m.move->sums[i] += m.move->block_sums[b * count + i];
}

// log p(U | X) with the weights integrated out, up to a constant, for all units above:
// -(units/2) log det A + |L^-1 c|^2 / (2D), A = L L' = X~'X~ + D Lambda, c = X~'U.
double collapsed_log_likelihood(const Mover &m) {
  const WeightDraw &w = m.weights_above();
  const int64_t p = w.order;
  double *a = m.move->matrix, *c = m.move->cross;
  std::memcpy(a, w.gram, static_cast<size_t>(p * p) * sizeof(double));
  std::memcpy(c, w.cross, static_cast<size_t>(p * w.units) * sizeof(double));
  for (int64_t j = 0; j < m.width; ++j) {
    const int64_t column = m.first + j;
    const double *gram = m.move->sums + j * p;
    for (int64_t i = 0; i < p; ++i) a[std::min(i, column) * p + std::max(i, column)] = gram[i];
    const double *cross = m.move->sums + m.gram_part() + j;
    for (int64_t u = 0; u < w.units; ++u) c[u * p + column] = cross[u * m.width];
  }
  for (int64_t j = 0; j < p; ++j) a[j * p + j] += scaled_precision(m.above(), w, j);
  if (!cholesky(a, p, p, m.state().kernels)) return -INFINITY;
  solve_lower(a, p, p, c, w.units, p, m.state().kernels);
  double square = 0;
  for (int64_t i = 0; i < p * w.units; ++i) square += c[i] * c[i];
  return -0.5 * static_cast<double>(w.units) * log_det_from_cholesky(a, p, p) +
         0.5 * square / m.above().noise;
}

double log_likelihood_at(Mover &m, double angle) {
  m.cosine = std::cos(angle);
  m.sine = std::sin(angle);
  ++m.move->evaluations;
  for_each_tile(m.state(), evaluate_tile, &m);
  sum_over_blocks(m);
  return m.collapsed ? collapsed_log_likelihood(m) : -0.5 * m.move->sums[0] / m.above().noise;
}

// ---- the move ------------------------------------------------------------------------------

// Shrinks the bracket around the current point (angle 0) until a point lies in the slice.
void slice_ellipse(Mover &m) {
  constexpr double turn = 6.28318530717958647692;
  Stream &stream = m.state().layer_streams[m.k - 1];
  const double level = log_likelihood_at(m, 0) - exponential(stream);
  double angle = turn * stream.uniform();
  double low = angle - turn, high = angle;
  while (!(log_likelihood_at(m, angle) > level)) {
    if (angle < 0)
      low = angle;
    else
      high = angle;
    if (high - low < 1e-12) {
      angle = 0;
      break;
    }
    angle = low + (high - low) * stream.uniform();
  }
  m.cosine = std::cos(angle);
  m.sine = std::sin(angle);
}

Status move_unit(Mover &m, Error *err) {
  draw_ellipse(m);
  project_input(m, 2);
  Status status = run_pass(*m.chain, {nullptr, 1, 0, m.k + 2, m.k + 2}, err);
  if (status != Status::ok) return status;
  collect_sums(m.state(), m.weights_above());
  slice_ellipse(m);
  settle(m);
  ++m.move->moves;
  status = refresh_sums(m, err);
  if (status != Status::ok || !m.collapsed) return status;
  return draw_weights(*m.chain, m.k + 2, Relax{}, err);
}

}  // namespace

void unit_move_layout(Arena &arena, const State &state, UnitMove &move) {
  const Net &net = state.net;
  int64_t width = 0, weights = 0, order = 0, units = 0, sums = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_movable_units(net, k)) continue;
    const Layer &layer = net.layer(k), &above = net.layer(k + 2);
    const int64_t order_above = ops_of(above).order(above), units_above = unit_count(above);
    move.units += unit_count(layer);
    width = std::max(width, unit_width(layer));
    weights = std::max(weights, fan_in(layer) + 1);
    order = std::max(order, order_above);
    units = std::max(units, units_above);
    sums = std::max(sums, unit_width(layer) * (order_above + units_above));
  }
  const int64_t rows = state.tiling.tiles * state.tiling.ld;
  move.start = arena.take<double>(rows, width);
  move.towards = arena.take<double>(rows, width);
  move.weights = arena.take<double>(2, weights);
  move.block_sums = arena.take<double>(state.tiling.blocks, sums);
  move.sums = arena.take<double>(sums);
  move.matrix = arena.take<double>(order, order);
  move.cross = arena.take<double>(order, units);
}

int64_t moves_at_step(double rate, int64_t step) {
  const double done = static_cast<double>(step);
  return static_cast<int64_t>(std::floor(rate * (done + 1)) - std::floor(rate * done));
}

Status unit_moves_of_step(Chain &chain, Error *err) {
  const double rate = chain.options[Option::unit_moves];
  const int64_t units = gibbs_of(chain).unit_move.units;
  if (rate == 0 || units == 0) return Status::ok;
  const int64_t count = moves_at_step(rate, chain.steps);
  for (int64_t i = 0; i < count; ++i) {
    const double u = chain.state.layer_streams[0].uniform();
    Mover m = pick_unit(chain, static_cast<int64_t>(u * static_cast<double>(units)));
    const Status status = move_unit(m, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace nnp
