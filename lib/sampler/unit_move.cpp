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
#include "lib/sampler/gibbs.hpp"

namespace nnp {

namespace {

// Layer k has weights, layer k+1 is an activation, layer k+2 a linear layer with weights.
bool has_movable_units(const Net &net, int64_t k) {
  if (k + 2 > net.depth || k + 1 > net.last_latent()) return false;
  return net.layer(k).weight_count > 0 && ops_of(net.layer(k + 1)).elementwise &&
         net.layer(k + 2).weight_count > 0;
}

int64_t unit_count(const Layer &layer) {
  return ops_of(layer).units(layer);
}

// Output features that belong to one unit (one for dense, a channel for a convolution).
int64_t unit_width(const Layer &layer) {
  return layer.out.size() / unit_count(layer);
}

int64_t fan_in(const Layer &layer) {
  return layer.weight_count / unit_count(layer);
}

// One unit of a layer as a layer of its own, with its parameters one behind the other.
Layer single_unit(const Layer &layer) {
  Layer unit = layer;
  unit.out.channels = 1;
  unit.weight_count = fan_in(layer);
  unit.bias_count = layer.bias ? 1 : 0;
  unit.first_param = 0;
  return unit;
}

// One move under way.
struct Mover {
  Chain *chain;
  UnitMove *move;
  int64_t k;             // the unit's layer
  int64_t unit;          // its number there
  int64_t width, first;  // its output features
  bool collapsed;        // the weights above are integrated out
  double cosine, sine;   // the point on the ellipse

  State &state() const { return chain->state; }
  const Layer &layer() const { return chain->state.net.layer(k); }
  const Layer &above() const { return chain->state.net.layer(k + 2); }
  WeightDraw &weights_above() const { return gibbs_of(*chain).weights[k + 1]; }
  // Sums of one evaluation: gram and cross of the changed columns, or one residual.
  int64_t gram_part() const { return weights_above().order * width; }
  int64_t sum_count() const { return collapsed ? gram_part() + width * weights_above().units : 1; }
};

Tile own_columns(const Mover &m, int64_t k, int64_t t) {
  const Tile all = m.state().latent_tile(k, t);
  return {all.col(m.first), all.rows, m.width, all.ld};
}

// ---- the ellipse ---------------------------------------------------------------------------

// The unit's (W, b) now, and a draw from its prior: move.weights = [now | drawn].
void draw_ellipse(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  double *now = m.move->weights, *drawn = now + count + 1;
  const double *params = m.state().params;
  std::memcpy(now, layer.weights(params) + m.unit * count,
              static_cast<size_t>(count) * sizeof(double));
  now[count] = layer.bias ? layer.biases(params)[m.unit] : 0;
  Stream &stream = m.state().layer_streams[m.k - 1];
  fill_normal(stream, drawn, count + 1);
  for (int64_t i = 0; i < count; ++i) drawn[i] /= std::sqrt(layer.lambda_w);
  drawn[count] /= std::sqrt(layer.lambda_b);
}

// What both make of the input, for a tile.
void project_tile(State &state, void *context, int64_t, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  const Layer unit = single_unit(m.layer());
  const double *now = m.move->weights, *drawn = now + fan_in(m.layer()) + 1;
  const ConstTile in = state.tile(m.k - 1, t);
  const LayerOps &ops = ops_of(unit);
  ops.forward(unit, now, in, state.tiling.tile(m.move->start, m.width, t), *state.kernels);
  ops.forward(unit, drawn, in, state.tiling.tile(m.move->towards, m.width, t), *state.kernels);
}

// Z and X of the unit at the point of the ellipse: Z + (cos - 1) start + sin towards, and
// X - sigma(Z) + sigma(Z there). They go into the block's two scratch tiles.
void carry_along(const Mover &m, const BlockWork &block, int64_t t, Tile *z_there, Tile *x_there) {
  const State &state = m.state();
  const Tile z = own_columns(m, m.k, t), x = own_columns(m, m.k + 1, t);
  const Tile start = state.tiling.tile(m.move->start, m.width, t);
  const Tile towards = state.tiling.tile(m.move->towards, m.width, t);
  *z_there = {block.scratch[0], z.rows, m.width, z.ld};
  *x_there = {block.scratch[1], z.rows, m.width, z.ld};
  for (int64_t j = 0; j < m.width; ++j)
    for (int64_t i = 0; i < z.rows; ++i)
      z_there->col(j)[i] =
          z.col(j)[i] + (m.cosine - 1) * start.col(j)[i] + m.sine * towards.col(j)[i];
  const Layer &activation = state.net.layer(m.k + 1);
  const Tile sigma = {block.mean, z.rows, m.width, z.ld};
  ops_of(activation).forward(activation, state.params, z, sigma, *state.kernels);
  ops_of(activation).forward(activation, state.params, *z_there, *x_there, *state.kernels);
  for (int64_t j = 0; j < m.width; ++j)
    for (int64_t i = 0; i < z.rows; ++i) x_there->col(j)[i] += x.col(j)[i] - sigma.col(j)[i];
}

// ---- the likelihood of the site above ------------------------------------------------------

// The residual of the layer above, its weights held, with the unit's columns replaced.
double residual_above(const Mover &m, const BlockWork &block, Tile x_there, int64_t t) {
  const State &state = m.state();
  const ConstTile x = state.tile(m.k + 1, t), u = state.tile(m.k + 2, t);
  const Tile in = {block.mean, x.rows, x.width, x.ld};
  for (int64_t j = 0; j < x.width; ++j) {
    const bool own = j >= m.first && j < m.first + m.width;
    std::memcpy(in.col(j), own ? x_there.col(j - m.first) : x.col(j),
                static_cast<size_t>(x.rows) * sizeof(double));
  }
  const Tile mean = {block.scratch[0], u.rows, u.width, u.ld};
  ops_of(m.above()).forward(m.above(), state.params, in, mean, *state.kernels);
  double sum = 0;
  for (int64_t j = 0; j < u.width; ++j)
    for (int64_t i = 0; i < u.rows; ++i) {
      const double error = u.col(j)[i] - mean.col(j)[i];
      sum += error * error;
    }
  return sum;
}

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

void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  Tile z_there, x_there;
  carry_along(m, state.blocks[b], t, &z_there, &x_there);
  const Tile z = own_columns(m, m.k, t), x = own_columns(m, m.k + 1, t);
  for (int64_t j = 0; j < m.width; ++j) {
    std::memcpy(z.col(j), z_there.col(j), static_cast<size_t>(z.rows) * sizeof(double));
    std::memcpy(x.col(j), x_there.col(j), static_cast<size_t>(z.rows) * sizeof(double));
  }
}

// The unit takes the place found on the ellipse.
void settle(Mover &m) {
  for_each_tile(m.state(), settle_tile, &m);
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  const double *now = m.move->weights, *drawn = now + count + 1;
  double *weights = layer.weights(m.state().params);
  for (int64_t i = 0; i < count; ++i)
    weights[m.unit * count + i] = m.cosine * now[i] + m.sine * drawn[i];
  if (layer.bias)
    weights[layer.weight_count + m.unit] = m.cosine * now[count] + m.sine * drawn[count];
}

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

// Sums of layer k and of the one above, at the current state. Only those of layer 1 are carried
// from step to step.
Status refresh_sums(Mover &m, Error *err) {
  const Status status = run_pass(*m.chain, {nullptr, 1, 0, m.k + 2, m.k + 2}, err);
  if (status != Status::ok || m.k != 1) return status;
  return run_pass(*m.chain, {nullptr, 1, 0, 1, 1}, err);
}

Status move_unit(Mover &m, Error *err) {
  draw_ellipse(m);
  for_each_tile(m.state(), project_tile, &m);
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

// Unit `number` counted over all layers that have movable units.
Mover pick(Chain &chain, int64_t number) {
  const Net &net = chain.state.net;
  int64_t k = 1;
  for (;; ++k) {
    if (!has_movable_units(net, k)) continue;
    if (number < unit_count(net.layer(k))) break;
    number -= unit_count(net.layer(k));
  }
  const int64_t width = unit_width(net.layer(k));
  const bool collapsed = ops_of(net.layer(k + 2)).add_columns != nullptr;
  return {&chain, &gibbs_of(chain).unit_move, k, number, width, number * width, collapsed, 1, 0};
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

Status unit_moves_of_step(Chain &chain, Error *err) {
  const double rate = chain.options[Option::unit_moves];
  const int64_t units = gibbs_of(chain).unit_move.units;
  if (rate == 0 || units == 0) return Status::ok;
  const double done = static_cast<double>(chain.steps);
  const double count = std::floor(rate * (done + 1)) - std::floor(rate * done);
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    const double u = chain.state.layer_streams[0].uniform();
    Mover m = pick(chain, static_cast<int64_t>(u * static_cast<double>(units)));
    const Status status = move_unit(m, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace nnp
