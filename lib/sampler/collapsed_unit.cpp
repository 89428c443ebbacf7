// The density used by the move of a hidden unit if the layer above is a plain product U = X A +
// e_U. The sites X = F + e_X (F = sigma(Z)) and the weights A are both taken out of the way:
//
// - X is integrated out: U ~ N(F A, S), S = D_U I + D_X A'A. With X held, its noise would absorb
// most
//   of the misfit of F A if A is large; with X integrated out, the misfit is visible.
// - A follows F. For a fixed tau, A = (F'F + tau Lambda)^-1 F'U + sqrt(tau) L^-T eta is a change of
//   variables from A to eta; eta is held. If S were tau I, this would integrate A out. tau is an
//   auxiliary variable drawn beforehand, log tau ~ N(log of the mean diagonal of S, 0.2^2).
//
// At the end X is updated too: e_X and e_U keep the parts that do not depend on the new F A.
#include <cmath>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/ellipse.hpp"
#include "lib/sampler/spread.hpp"

namespace nnp {

namespace {

constexpr double log_tau_sd = 0.2;

// Sizes of the layer above: extended inputs, inputs, units.
struct Sizes {
  int64_t p, in, m;
};

Sizes sizes_of(const Ellipse &m) {
  const Layer &above = m.above();
  return {m.weights_above().order, above.in.size(), m.weights_above().units};
}

// The layer above, reading its parameters from a separate array.
Layer alone(const Layer &above) {
  Layer layer = above;
  layer.first_param = 0;
  return layer;
}

Tile features(const Ellipse &m, int64_t t) {
  return m.state().tiling.tile(m.work->features, m.state().net.site_width(m.k + 1), t);
}

Tile remainder_of(const Ellipse &m, int64_t t) {
  return m.state().tiling.tile(m.work->remainder, m.state().net.site_width(m.k + 2), t);
}

Tile own_features(const Ellipse &m, int64_t t) {
  const Tile all = features(m, t);
  return {all.col(m.first), all.rows, m.width, all.ld};
}

// out = a - b
void subtract(ConstTile a, ConstTile b, Tile out) {
  for (int64_t j = 0; j < a.width; ++j) {
    const double *x = a.col(j), *y = b.col(j);
    double *z = out.col(j);
    for (int64_t i = 0; i < a.rows; ++i) z[i] = x[i] - y[i];
  }
}

// out += a
void add(ConstTile a, Tile out) {
  for (int64_t j = 0; j < a.width; ++j) {
    const double *x = a.col(j);
    double *z = out.col(j);
    for (int64_t i = 0; i < a.rows; ++i) z[i] += x[i];
  }
}

// ---- sums over rows --------------------------------------------------------------------------

// Computes F, the remainder U - F A with A of the other units, and their sums.
void begin_tile(State &state, void *context, int64_t b, int64_t t) {
  const Ellipse &m = *static_cast<const Ellipse *>(context);
  const Layer &activation = state.net.layer(m.k + 1), above = alone(m.above());
  const Sizes s = sizes_of(m);
  const WeightDraw &w = m.weights_above();
  const Tile f = features(m, t), left = remainder_of(m, t);
  ops_of(activation).forward(activation, state.params, state.tile(m.k, t), f, *state.kernels);
  ops_of(above).forward(above, m.work->others, f, left, *state.kernels);
  subtract(state.tile(m.k + 2, t), left, left);
  double *gram = w.block_gram + b * gram_size(w), *cross = w.block_cross + b * cross_size(w);
  double *squares = m.work->block_sums + b * s.m * s.m;
  if (t == state.tiling.first_tile(b)) {
    std::memset(gram, 0, static_cast<size_t>(gram_size(w)) * sizeof(double));
    std::memset(cross, 0, static_cast<size_t>(cross_size(w)) * sizeof(double));
    std::memset(squares, 0, static_cast<size_t>(s.m * s.m) * sizeof(double));
  }
  ops_of(above).add_gram(above, f, gram, *state.kernels);
  ops_of(above).add_cross(above, f, left, cross, *state.kernels);
  state.kernels->add_cross(left, left, squares, s.m);
}

// Computes the unit's columns of F at the current point of the ellipse, and the changes in the
// sums.
void look_tile(State &state, void *context, int64_t b, int64_t t) {
  const Ellipse &m = *static_cast<const Ellipse *>(context);
  const Layer &activation = state.net.layer(m.k + 1), &above = m.above();
  double *sums = m.work->block_sums + b * m.sum_count();
  if (t == state.tiling.first_tile(b))
    std::memset(sums, 0, static_cast<size_t>(m.sum_count()) * sizeof(double));
  const Tile f = own_features(m, t);
  z_along(m, t, f);
  ops_of(activation).forward(activation, state.params, f, f, *state.kernels);
  ops_of(above).add_columns(above, features(m, t), m.first, m.width, remainder_of(m, t), sums,
                            sums + m.gram_part(), *state.kernels);
}

// Replaces the unit's part of gram and cross.
void place_columns(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  double *gram = m.work->gram, *cross = m.work->cross;
  for (int64_t j = 0; j < m.width; ++j) {
    const int64_t column = m.first + j;
    const double *g = m.work->sums + j * s.p;
    for (int64_t i = 0; i < s.p; ++i) gram[std::min(i, column) * s.p + std::max(i, column)] = g[i];
    const double *c = m.work->sums + m.gram_part() + j;
    for (int64_t u = 0; u < s.m; ++u) cross[u * s.p + column] = c[u * m.width];
  }
}

// ---- small matrices --------------------------------------------------------------------------

// tau times the prior precision of entry i of a unit's (W, b).
double ridge(const Ellipse &m, int64_t i) {
  return m.tau / m.above().noise * scaled_precision(m.above(), m.weights_above(), i);
}

// factor = L, L L' = F'F + tau Lambda; solved = L^-1 (F'(U - F base) - tau Lambda base).
bool factor_columns(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  EllipseWork &work = *m.work;
  std::memcpy(work.factor, work.gram, static_cast<size_t>(s.p * s.p) * sizeof(double));
  for (int64_t i = 0; i < s.p; ++i) work.factor[i * s.p + i] += ridge(m, i);
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t i = 0; i < s.p; ++i)
      work.solved[u * s.p + i] = work.cross[u * s.p + i] - ridge(m, i) * work.base[u * s.p + i];
  if (!cholesky(work.factor, s.p, s.p, m.state().kernels)) return false;
  solve_lower(work.factor, s.p, s.p, work.solved, s.m, s.p, m.state().kernels);
  return true;
}

// A = base + change
void add_change(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  for (int64_t i = 0; i < s.p * s.m; ++i) m.work->total[i] = m.work->base[i] + m.work->change[i];
}

// Computes the lower triangle of S; returns the mean of its diagonal.
double find_spread(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  double *spread = m.work->spread, trace = 0;
  spread_of({{m.work->total, s.in, s.m, s.p}, m.activation().noise, m.above().noise},
            *m.state().kernels, spread);
  for (int64_t u = 0; u < s.m; ++u) trace += spread[u * s.m + u];
  return trace / static_cast<double>(s.m);
}

// R = (U - F A)'(U - F A) from the sums, both triangles; solved = L' change.
void residual_squares(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  const EllipseWork &work = *m.work;
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t v = 0; v < s.m; ++v) {
      double sum = work.squares[u * s.m + v];
      const double *bu = work.change + u * s.p, *bv = work.change + v * s.p;
      const double *cu = work.cross + u * s.p, *cv = work.cross + v * s.p;
      const double *tu = work.solved + u * s.p, *tv = work.solved + v * s.p;
      for (int64_t i = 0; i < s.p; ++i)
        sum += tu[i] * tv[i] - bu[i] * cv[i] - cu[i] * bv[i] - ridge(m, i) * bu[i] * bv[i];
      work.residual[u * s.m + v] = sum;
    }
}

// log of prior(A) N(U | F A, S) p(tau | A) |dA / d eta|, up to a constant.
double log_density(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  const EllipseWork &work = *m.work;
  double energy = 0;
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t i = 0; i < s.p; ++i) {
      const double a = work.total[u * s.p + i];
      energy += scaled_precision(m.above(), m.weights_above(), i) / m.above().noise * a * a;
    }
  const double off = fn::log(m.tau / find_spread(m)) / log_tau_sd;
  residual_squares(m);
  if (!cholesky(work.spread, s.m, s.m, m.state().kernels)) return -INFINITY;
  double misfit = 0;  // trace of S^-1 R
  solve_spread(work.spread, s.m, work.residual, s.m, *m.state().kernels);
  for (int64_t u = 0; u < s.m; ++u) misfit += work.residual[u * s.m + u];
  const double rows = static_cast<double>(m.state().tiling.total), units = static_cast<double>(s.m);
  return -0.5 * (energy + misfit + rows * log_det_from_cholesky(work.spread, s.m, s.m) +
                 units * log_det_from_cholesky(work.factor, s.p, s.p) + off * off);
}

// Copies the layer's parameters into columns of A: those that read the unit (if `own`) or the
// others.
void read_columns(const Ellipse &m, bool own, double *columns) {
  const Sizes s = sizes_of(m);
  const double *params = m.above().weights(m.state().params);
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t i = 0; i < s.p; ++i) {
      const bool reads = i >= m.first && i < m.first + m.width;
      const double value = i < s.in ? params[u * s.in + i] : params[s.in * s.m + u];
      columns[u * s.p + i] = reads == own ? value : 0;
    }
}

// Writes the columns of A in the order of the layer's parameters.
void write_params(const Sizes &s, const double *columns, double *params) {
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t i = 0; i < s.p; ++i)
      (i < s.in ? params[u * s.in + i] : params[s.in * s.m + u]) = columns[u * s.p + i];
}

// eta of the current A: solved + sqrt(tau) eta = L' change.
void whiten_current(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  EllipseWork &work = *m.work;
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t i = 0; i < s.p; ++i) {
      double sum = 0;
      for (int64_t j = i; j < s.p; ++j) sum += work.factor[i * s.p + j] * work.change[u * s.p + j];
      work.whitened[u * s.p + i] = sum - work.solved[u * s.p + i];
      work.solved[u * s.p + i] = sum;
    }
}

// gain = D_X A S^-1 (inputs x m); work.spread has the factor of S.
void gain_of(const Ellipse &m, double *gain) {
  const Sizes s = sizes_of(m);
  const double below = m.state().net.layer(m.k + 1).noise;
  double *row = m.work->residual;
  for (int64_t i = 0; i < s.in; ++i) {
    for (int64_t u = 0; u < s.m; ++u) row[u] = below * m.work->total[u * s.p + i];
    solve_spread(m.work->spread, s.m, row, 1, *m.state().kernels);
    for (int64_t u = 0; u < s.m; ++u) gain[u * s.in + i] = row[u];
  }
}

// ---- the end of the move ---------------------------------------------------------------------

// keep = D_U S^-1; work.spread has the factor of S.
void keep_of(const Ellipse &m) {
  const Sizes s = sizes_of(m);
  double *keep = m.work->keep;
  for (int64_t u = 0; u < s.m; ++u)
    for (int64_t v = 0; v < s.m; ++v) keep[u * s.m + v] = u == v ? m.above().noise : 0;
  solve_spread(m.work->spread, s.m, keep, s.m, *m.state().kernels);
}

// r = g - r, g ~ N(0, S), S = L L'
void free_misfit(const double *l, int64_t m, Tile r, Stream &stream, double *normals) {
  for (int64_t u = 0; u < m; ++u)
    for (int64_t i = 0; i < r.rows; ++i) r.col(u)[i] = -r.col(u)[i];
  for (int64_t j = 0; j < m; ++j) {
    fill_normal(stream, normals, r.rows);
    for (int64_t u = j; u < m; ++u)
      for (int64_t i = 0; i < r.rows; ++i) r.col(u)[i] += l[j * m + u] * normals[i];
  }
}

// With d = g - (e_X A + e_U), e_X + gain d and e_U + keep d are noises independent of U. The same
// correction with the new U = F A + ... then conditions them on it.
void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const Ellipse &m = *static_cast<const Ellipse *>(context);
  const Layer &activation = state.net.layer(m.k + 1), above = alone(m.above());
  const Kernels &kernels = *state.kernels;
  const Sizes s = sizes_of(m);
  BlockWork &block = state.blocks[b];
  const Tile f = features(m, t), own = own_features(m, t), z = own_columns(m, m.k, t);
  const Tile x = state.latent_tile(m.k + 1, t);
  const ConstTile u = state.tile(m.k + 2, t);
  const Tile misfit = {block.scratch[0], f.rows, s.m, f.ld};
  const Tile e_u = {block.scratch[1], f.rows, s.m, f.ld}, work = {block.mean, f.rows, s.m, f.ld};
  ops_of(activation).forward(activation, state.params, z, own, kernels);
  subtract(x, f, x);  // e_X
  ops_of(m.above()).forward(m.above(), state.params, f, misfit, kernels);
  subtract(u, misfit, misfit);
  kernels.multiply(x, m.above().weights(state.params), nullptr, work);
  subtract(misfit, work, e_u);
  free_misfit(m.work->spread_before, s.m, misfit, block.stream, block.mean);
  kernels.multiply_transposed_add(misfit, m.work->gain_before, s.in, x);
  kernels.multiply_add(misfit, m.work->keep, s.m, e_u);

  z_along(m, t, z);
  ops_of(activation).forward(activation, state.params, z, own, kernels);
  ops_of(above).forward(above, m.work->there, f, misfit, kernels);
  subtract(u, misfit, misfit);
  subtract(misfit, e_u, misfit);
  kernels.multiply(x, m.work->there, nullptr, work);
  subtract(misfit, work, misfit);
  kernels.multiply_transposed_add(misfit, m.work->gain_after, s.in, x);
  add(f, x);
}

}  // namespace

double collapsed_begin(Ellipse &m) {
  State &state = m.state();
  const Sizes s = sizes_of(m);
  EllipseWork &work = *m.work;
  WeightDraw &w = m.weights_above();
  read_columns(m, true, work.change);
  read_columns(m, false, work.base);
  write_params(s, work.base, work.others);
  add_change(m);
  const double tau_middle = find_spread(m);
  m.tau = tau_middle * fn::exp(log_tau_sd * normal(state.layer_streams[m.k - 1]));
  for_each_tile(state, begin_tile, &m);
  collect_sums(state, w);
  sum_over_blocks(state, work.block_sums, s.m * s.m, work.squares);
  std::memcpy(work.gram, w.gram, static_cast<size_t>(s.p * s.p) * sizeof(double));
  std::memcpy(work.cross, w.cross, static_cast<size_t>(s.p * s.m) * sizeof(double));
  if (!factor_columns(m)) return -INFINITY;
  whiten_current(m);
  const double density = log_density(m);
  // for the end of the move: how X and U depend on the current A
  gain_of(m, work.gain_before);
  keep_of(m);
  std::memcpy(work.spread_before, work.spread, static_cast<size_t>(s.m * s.m) * sizeof(double));
  return density;
}

double collapsed_log_density(Ellipse &m) {
  const Sizes s = sizes_of(m);
  EllipseWork &work = *m.work;
  for_each_tile(m.state(), look_tile, &m);
  sum_over_blocks(m.state(), work.block_sums, m.sum_count(), work.sums);
  place_columns(m);
  if (!factor_columns(m)) return -INFINITY;
  for (int64_t i = 0; i < s.p * s.m; ++i) work.solved[i] += work.whitened[i];
  std::memcpy(work.change, work.solved, static_cast<size_t>(s.p * s.m) * sizeof(double));
  solve_lower_transposed(work.factor, s.p, s.p, work.change, s.m, s.p, m.state().kernels);
  add_change(m);
  return log_density(m);
}

void collapsed_settle(Ellipse &m) {
  const Sizes s = sizes_of(m);
  EllipseWork &work = *m.work;
  gain_of(m, work.gain_after);
  write_params(s, work.total, work.there);
  for_each_tile(m.state(), settle_tile, &m);
  write_params(s, work.total, m.above().weights(m.state().params));
  write_weights(m);
  if (m.k == 1) input_sums_are_stale(*m.chain);
}

}  // namespace nnp
