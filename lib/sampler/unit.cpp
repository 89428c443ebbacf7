#include "lib/sampler/unit.hpp"

#include <algorithm>
#include <cstring>

#include "lib/random/variates.hpp"

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
  const double *weights = m.scratch->weights;
  double *out[] = {m.scratch->start, m.scratch->towards};
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
}

}  // namespace

// Allocates enough for the largest layer.
void unit_layout(Arena &arena, const State &state, UnitScratch &scratch) {
  const Net &net = state.net;
  int64_t width = 0, weights = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_movable_units(net, k)) continue;
    width = std::max(width, unit_width(net.layer(k)));
    weights = std::max(weights, fan_in(net.layer(k)) + 1);
  }
  const int64_t rows = state.tiling.tiles * state.tiling.ld;
  scratch.units = movable_units(net);
  scratch.start = arena.take<double>(rows, width);
  scratch.towards = arena.take<double>(rows, width);
  scratch.weights = arena.take<double>(2, weights);
}

int64_t movable_units(const Net &net) {
  int64_t count = 0;
  for (int64_t k = 1; k <= net.depth; ++k)
    if (has_movable_units(net, k)) count += unit_count(net.layer(k));
  return count;
}

Status check_movable_units(const Net &net, const char *name, double rate, Error *err) {
  if (movable_units(net) > 0) return Status::ok;
  return fail(err, Status::unsupported,
              "%s = %g: the network has no hidden units between layers with weights", name, rate);
}

double mean_unit_work(const State &state, double (*work)(const State &state, int64_t k)) {
  const double units = as_double(movable_units(state.net));
  double mean = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k)
    if (has_movable_units(state.net, k))
      mean += as_double(unit_count(state.net.layer(k))) / units * work(state, k);
  return mean;
}

double worth_by_width(const State &state) {
  return mean_unit_work(
      state, [](const State &s, int64_t k) { return 1 / as_double(unit_width(s.net.layer(k))); });
}

Status refuse_row_scales(const Net &net, const char *move, double rate, Error *err) {
  return fail(err, Status::unsupported,
              "%s = %g: head %s gives every row its own noise, which this move of the last hidden "
              "layer does not support, and there is no other layer for it",
              move, rate, ops_of(net.head)->name);
}

Mover pick_unit(Chain &chain) {
  const Net &net = chain.state.net;
  UnitScratch &scratch = gibbs_of(chain).unit;
  int64_t number = pick_below(chain.state.layer_streams[0], scratch.units), k = 1;
  for (;; ++k) {  // terminates: number is below the total number of units
    if (!has_movable_units(net, k)) continue;
    if (number < unit_count(net.layer(k))) break;
    number -= unit_count(net.layer(k));
  }
  const int64_t width = unit_width(net.layer(k));
  return {&chain, &scratch, k, number, width, number * width, 1, 0};
}

Tile own_columns(const Mover &m, int64_t k, int64_t t) {
  const Tile all = m.state().latent_tile(k, t);
  return {all.col(m.first), all.rows, m.width, all.ld};
}

void read_weights(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  const double *params = m.state().params;
  std::memcpy(m.scratch->weights, layer.weights(params) + m.unit * count,
              static_cast<size_t>(count) * sizeof(double));
  m.scratch->weights[count] = layer.bias ? layer.biases(params)[m.unit] : 0;
}

void project_input(Mover &m, int sets) {
  Projection projection = {&m, sets};
  for_each_tile(m.state(), project_tile, &projection);
}

void z_along(const Mover &m, int64_t t, Tile out) {
  const Tiling &tiling = m.state().tiling;
  const Tile all = own_columns(m, m.k, t), start = tiling.tile(m.scratch->start, m.width, t);
  const Tile towards = tiling.tile(m.scratch->towards, m.width, t);
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
  const double *scales = scales_of(state, gibbs_of(*m.chain), m.k + 2, t);
  double sum = 0;
  for (int64_t j = 0; j < u.width; ++j)
    for (int64_t i = 0; i < u.rows; ++i) {
      const double error = u.col(j)[i] - mean.col(j)[i];
      sum += (scales ? scales[i] : 1) * error * error;
    }
  return sum;
}

void write_weights(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  const double *now = m.scratch->weights, *other = now + count + 1;
  double *weights = layer.weights(m.state().params);
  for (int64_t i = 0; i < count; ++i)
    weights[m.unit * count + i] = m.cosine * now[i] + m.sine * other[i];
  if (layer.bias)
    weights[layer.weight_count + m.unit] = m.cosine * now[count] + m.sine * other[count];
}

void settle(Mover &m) {
  for_each_tile(m.state(), settle_tile, &m);
  write_weights(m);
  if (m.k == 1) input_sums_are_stale(*m.chain);
}

}  // namespace nnp
