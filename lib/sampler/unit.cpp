#include "lib/sampler/unit.hpp"

#include <cstring>

namespace nnp {

namespace {

struct Projection {
  const Mover *mover;
  int sets;
};

void project_tile(State &state, void *context, int64_t, int64_t t) {
  const Projection &p = *static_cast<const Projection *>(context);
  const Mover &m = *p.mover;
  const Layer unit = single_unit(m.layer());
  const double *weights = m.move->weights;
  double *out[] = {m.move->start, m.move->towards};
  for (int set = 0; set < p.sets; ++set)
    ops_of(unit).forward(unit, weights + set * (fan_in(m.layer()) + 1), state.tile(m.k - 1, t),
                         state.tiling.tile(out[set], m.width, t), *state.kernels);
}

void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  Tile z_there, x_there;
  carry_along(m, state.blocks[b], t, &z_there, &x_there);
  const Tile z = own_columns(m, m.k, t), x = own_columns(m, m.k + 1, t);
  for (int64_t j = 0; j < m.width; ++j) {
    std::memcpy(z.col(j), z_there.col(j), static_cast<size_t>(z.rows) * sizeof(double));
    std::memcpy(x.col(j), x_there.col(j), static_cast<size_t>(z.rows) * sizeof(double));
  }
  if (m.k == 1) add_unit_sums(m, b, t);
}

}  // namespace

Mover pick_unit(Chain &chain, int64_t number) {
  const Net &net = chain.state.net;
  int64_t k = 1;
  for (;; ++k) {  // ends: number is below the units of all layers together
    if (!has_movable_units(net, k)) continue;
    if (number < unit_count(net.layer(k))) break;
    number -= unit_count(net.layer(k));
  }
  const int64_t width = unit_width(net.layer(k));
  const bool collapsed = ops_of(net.layer(k + 2)).add_columns != nullptr;
  return {&chain, &gibbs_of(chain).unit_move, k, number, width, number * width, collapsed, 1, 0, 0};
}

Tile own_columns(const Mover &m, int64_t k, int64_t t) {
  const Tile all = m.state().latent_tile(k, t);
  return {all.col(m.first), all.rows, m.width, all.ld};
}

void read_weights(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  const double *params = m.state().params;
  std::memcpy(m.move->weights, layer.weights(params) + m.unit * count,
              static_cast<size_t>(count) * sizeof(double));
  m.move->weights[count] = layer.bias ? layer.biases(params)[m.unit] : 0;
}

void project_input(Mover &m, int sets) {
  Projection projection = {&m, sets};
  for_each_tile(m.state(), project_tile, &projection);
}

void z_along(const Mover &m, int64_t t, Tile out) {
  const Tiling &tiling = m.state().tiling;
  const Tile all = own_columns(m, m.k, t), start = tiling.tile(m.move->start, m.width, t);
  const Tile towards = tiling.tile(m.move->towards, m.width, t);
  for (int64_t j = 0; j < m.width; ++j) {
    const double *z = all.col(j), *s = start.col(j), *v = towards.col(j);
    double *to = out.col(j);
    for (int64_t i = 0; i < all.rows; ++i) to[i] = z[i] + (m.cosine - 1) * s[i] + m.sine * v[i];
  }
}

void carry_along(const Mover &m, const BlockWork &block, int64_t t, Tile *z_there, Tile *x_there) {
  const State &state = m.state();
  const Tile z = own_columns(m, m.k, t), x = own_columns(m, m.k + 1, t);
  *z_there = {block.scratch[0], z.rows, m.width, z.ld};
  *x_there = {block.scratch[1], z.rows, m.width, z.ld};
  z_along(m, t, *z_there);
  const Layer &activation = state.net.layer(m.k + 1);
  const Tile sigma = {block.mean, z.rows, m.width, z.ld};
  ops_of(activation).forward(activation, state.params, z, sigma, *state.kernels);
  ops_of(activation).forward(activation, state.params, *z_there, *x_there, *state.kernels);
  for (int64_t j = 0; j < m.width; ++j)
    for (int64_t i = 0; i < z.rows; ++i) x_there->col(j)[i] += x.col(j)[i] - sigma.col(j)[i];
}

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

void write_weights(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  const double *now = m.move->weights, *other = now + count + 1;
  double *weights = layer.weights(m.state().params);
  for (int64_t i = 0; i < count; ++i)
    weights[m.unit * count + i] = m.cosine * now[i] + m.sine * other[i];
  if (layer.bias)
    weights[layer.weight_count + m.unit] = m.cosine * now[count] + m.sine * other[count];
}

void settle(Mover &m) {
  for_each_tile(m.state(), settle_tile, &m);
  write_weights(m);
}

void add_unit_sums(const Mover &m, int64_t b, int64_t t) {
  const State &state = m.state();
  const WeightDraw &w = gibbs_of(*m.chain).weights[m.k - 1];
  const Layer unit = single_unit(m.layer());
  double *cross = w.block_cross + b * cross_size(w) + m.unit * w.order;
  if (t == state.tiling.first_tile(b))
    std::memset(cross, 0, static_cast<size_t>(w.order) * sizeof(double));
  ops_of(unit).add_cross(unit, state.tile(m.k - 1, t), own_columns(m, m.k, t), cross,
                         *state.kernels);
}

}  // namespace nnp
