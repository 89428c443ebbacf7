// The move of all units of a hidden layer at once. Given the noises e_Z = Z - (W x + b), and with
// the sites X above them integrated out, the incoming weights have the density of a regression: U -
// F A - b ~ N(0, S), F = sigma(W x + b + e_Z), S = D_U I + D_X A'A. Hamiltonian Monte Carlo moves
// them as far as the labels allow, whereas draws given Z take steps of the size of its noise.
//
// Nothing is tuned. A unit's mass approximates the curvature it would have if half of its rows were
// on either side of zero, M = kappa s G + Lambda, with kappa = a' S^-1 a for its outgoing weights
// a, s the mean square of the slopes of sigma at -1/2 and 1/2, and G the Gram matrix of the inputs.
// Steps are as long as the coupling of the units through A allows. All of this depends only on
// quantities that the move holds, so the move is exact.
#include <cmath>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/spread.hpp"
#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

constexpr double stride = 0.7;  // leapfrog step, in units of the fastest time scale
constexpr double stroke = 2.4;  // trajectory length, in units of an uncoupled unit's time scale
constexpr double jitter = 0.3;  // steps are shortened at random by up to this fraction
constexpr int64_t most_leapfrogs = 64;

// Memory of the move: the layer's units, the layer above, positions and momenta.
struct LayerMove {
  static constexpr int32_t slots = 16;  // number of masses that can be held at a time
  static constexpr int32_t empty = INT32_MIN;

  double *spread = nullptr, *pull = nullptr;  // the factor of S; S^-1 A'
  int32_t *exponents = nullptr;               // one per unit: selects its mass
  int32_t *held = nullptr;                    // exponent of the mass in each slot
  double *mass = nullptr, *whitening = nullptr;
  double *change = nullptr, *gradient = nullptr, *momentum = nullptr, *unit = nullptr;
  double *block_gradient = nullptr, *block_misfit = nullptr;
  double *z = nullptr, *f = nullptr;  // one tile per block
  int64_t layer = 0;                  // whose masses are held, for these data and kernels
  uint64_t version = 0;
  const Kernels *kernels = nullptr;
};

// State of one move.
struct Motion {
  Chain *chain;
  LayerMove *work;
  int64_t k;
  Layer layer;    // with contiguous parameters
  int64_t p;      // number of weights of a unit, bias included
  double square;  // s: the mean square of the slopes of sigma

  State &state() const { return chain->state; }
  const Layer &above() const { return chain->state.net.layer(k + 2); }
  const Layer &activation() const { return chain->state.net.layer(k + 1); }
  int64_t units() const { return unit_count(layer); }
};

// ---- the layer above, as it is while the units move ------------------------------------------

// Computes the Cholesky factor of S, and pull = S^-1 A' (outputs x inputs). False if S is not
// positive definite in double precision.
bool read_above(const Motion &m) {
  const Layer &above = m.above();
  const Kernels &kernels = *m.state().kernels;
  const double *a = above.weights(m.state().params);
  const int64_t in = above.in.size(), out = unit_count(above);
  double *s = m.work->spread, *pull = m.work->pull;
  if (!factor_spread({{a, in, out, in}, m.activation().noise, above.noise}, kernels, s))
    return false;
  for (int64_t i = 0; i < in; ++i)
    for (int64_t j = 0; j < out; ++j) pull[i * out + j] = a[j * in + i];
  solve_spread(s, out, pull, in, kernels);
  return true;
}

// kappa of a pair of features: a_i' S^-1 a_j
double coupling(const Motion &m, int64_t i, int64_t j) {
  const Layer &above = m.above();
  const int64_t in = above.in.size(), out = unit_count(above);
  const double *a = above.weights(m.state().params), *pull = m.work->pull + j * out;
  double sum = 0;
  for (int64_t l = 0; l < out; ++l) sum += a[l * in + i] * pull[l];
  return sum;
}

// ---- masses ----------------------------------------------------------------------------------

// kappa of a unit is rounded up to a power of 2, so that units share factors. The exponents in use
// are the largest and those slightly below it, one slot each.
int32_t slot_of(int32_t exponent) {
  return exponent & (LayerMove::slots - 1);
}

void set_exponents(const Motion &m) {
  const int64_t width = unit_width(m.layer);
  int32_t largest = -1000, *exponents = m.work->exponents;
  for (int64_t u = 0; u < m.units(); ++u) {
    double mean = 0;
    for (int64_t j = u * width; j < (u + 1) * width; ++j) mean += coupling(m, j, j);
    mean /= static_cast<double>(width);
    exponents[u] = mean > 0 && std::isfinite(mean) ? std::max(std::ilogb(mean) + 1, -1000) : -1000;
    largest = std::max(largest, exponents[u]);
  }
  for (int64_t u = 0; u < m.units(); ++u)
    exponents[u] = std::max(exponents[u], largest - LayerMove::slots + 1);
}

// The inverse of the Cholesky factor of M = 2^exponent s G + Lambda, zeros above its diagonal.
bool fill_slot(const Motion &m, int32_t exponent) {
  const WeightDraw &w = gibbs_of(*m.chain).weights[m.k - 1];
  const Kernels &kernels = *m.state().kernels;
  const int64_t p = m.p;
  const double scale = std::ldexp(m.square, exponent);
  double *mass = m.work->mass, *slot = m.work->whitening + slot_of(exponent) * p * p;
  for (int64_t j = 0; j < p; ++j) {
    for (int64_t i = j; i < p; ++i) mass[j * p + i] = scale * w.gram[j * p + i];
    mass[j * p + j] += prior_precision(m.layer, j);
  }
  if (!cholesky(mass, p, p, &kernels)) return false;
  std::memset(slot, 0, static_cast<size_t>(p * p) * sizeof(double));
  for (int64_t i = 0; i < p; ++i) slot[i * p + i] = 1;
  solve_lower(mass, p, p, slot, p, p, &kernels);
  m.work->held[slot_of(exponent)] = exponent;
  return true;
}

// Prepares the masses. For the data, the Gram matrix and the factors are kept between moves; for
// sites, they are recomputed.
Status prepare_masses(const Motion &m, Error *err) {
  LayerMove &work = *m.work;
  const uint64_t version = m.state().data->version;
  const bool stays = m.k == 1 && work.layer == 1 && work.version == version &&
                     work.kernels == m.state().kernels && !m.layer.learns_precisions();
  work.layer = m.k;
  work.version = version;
  work.kernels = m.state().kernels;
  if (!stays) std::fill_n(work.held, LayerMove::slots, LayerMove::empty);
  if (m.k == 1) return Status::ok;
  const Status status = run_pass(*m.chain, {nullptr, 1, 0, m.k, m.k}, err);
  if (status == Status::ok) collect_sums(m.state(), gibbs_of(*m.chain).weights[m.k - 1]);
  return status;
}

bool fill_slots(const Motion &m) {
  for (int64_t u = 0; u < m.units(); ++u) {
    const int32_t exponent = m.work->exponents[u];
    if (m.work->held[slot_of(exponent)] != exponent && !fill_slot(m, exponent)) return false;
  }
  return true;
}

ConstTile whitening(const Motion &m, int64_t u) {
  return {m.work->whitening + slot_of(m.work->exponents[u]) * m.p * m.p, m.p, m.p, m.p};
}

// An upper bound on the largest eigenvalue of the curvature relative to the masses, from the row
// sums of |kappa_ij| / sqrt(kappa_i kappa_j): pairs of features share a fraction s of their rows.
double fastest(const Motion &m) {
  const int64_t width = unit_width(m.layer), in = m.above().in.size();
  double largest = 1;
  for (int64_t i = 0; i < in; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < in; ++j) {
      const int32_t both = m.work->exponents[i / width] + m.work->exponents[j / width];
      const double share = i == j ? 1 : m.square;
      sum += share * std::fabs(coupling(m, i, j)) * fn::exp2(-0.5 * both);
    }
    largest = std::fmax(largest, sum);
  }
  return largest;
}

// ---- the energy and its gradient -------------------------------------------------------------

Tile own_tile(const Motion &m, double *values, int64_t b, int64_t t, int64_t width) {
  const Tiling &tiling = m.state().tiling;
  return {values + b * tiling.ld * width, tiling.rows(t), width, tiling.ld};
}

// Computes Z' = Z + (W' - W) x for the proposed weights W', and F' = sigma(Z').
void look_at_units(const Motion &m, int64_t t, Tile z, Tile f) {
  const State &state = m.state();
  const ConstTile now = state.tile(m.k, t);
  ops_of(m.layer).forward(m.layer, m.work->change, state.tile(m.k - 1, t), z, *state.kernels);
  for (int64_t j = 0; j < z.width; ++j)
    state.kernels->combine({1, 1, 0}, z.col(j), now.col(j), z.rows, z.col(j));
  ops_of(m.activation()).forward(m.activation(), state.params, z, f, *state.kernels);
}

// Replaces r = U - F A - b by r S^-1; returns the sum over rows of r S^-1 r'.
double solve_misfit(const Motion &m, int64_t t, ConstTile f, Tile r) {
  const State &state = m.state();
  const Layer &above = m.above();
  ops_of(above).forward(above, state.params, f, r, *state.kernels);
  state.kernels->subtract(state.tile(m.k + 2, t), r, 1, r);
  state.kernels->solve_lower(m.work->spread, r.width, r);
  double sum = 0;
  for (int64_t j = 0; j < r.width; ++j)
    for (int64_t i = 0; i < r.rows; ++i) sum += r.col(j)[i] * r.col(j)[i];
  state.kernels->solve_lower_transposed(m.work->spread, r.width, r);
  return sum;
}

// Adds a tile's share of the misfit and of its gradient, at the proposed F and Z.
void energy_tile(State &state, void *context, int64_t b, int64_t t) {
  const Motion &m = *static_cast<const Motion *>(context);
  BlockWork &block = state.blocks[b];
  const Layer &above = m.above();
  const int64_t in = above.in.size(), out = unit_count(above);
  const Tile z = own_tile(m, m.work->z, b, t, in), f = own_tile(m, m.work->f, b, t, in);
  const Tile r = {block.scratch[1], z.rows, out, z.ld};
  const Tile gradient = {block.mean, z.rows, in, z.ld};
  double *params = m.work->block_gradient + b * m.layer.param_count();
  if (t == state.tiling.first_tile(b)) {
    std::memset(params, 0, static_cast<size_t>(m.layer.param_count()) * sizeof(double));
    m.work->block_misfit[b] = 0;
  }
  look_at_units(m, t, z, f);
  m.work->block_misfit[b] += solve_misfit(m, t, f, r);
  state.kernels->multiply_transposed(r, above.weights(state.params), gradient);
  ops_of(m.activation())
      .backward(m.activation(), state.params, {z, f, gradient, gradient}, nullptr, *state.kernels,
                nullptr);
  const Tile none = {nullptr, z.rows, m.layer.in.size(), z.ld};
  ops_of(m.layer).backward(m.layer, m.work->change, {state.tile(m.k - 1, t), z, gradient, none},
                           params, *state.kernels, block.scratch[0]);
}

// Computes the gradient of the log density at the proposed (W, b); returns the log density.
double log_density_there(const Motion &m) {
  State &state = m.state();
  const double *now = state.net.layer(m.k).weights(state.params);
  for_each_tile(state, energy_tile, const_cast<Motion *>(&m));
  ++m.chain->count(Move::layer).evaluations;
  sum_over_blocks(state, m.work->block_gradient, m.layer.param_count(), m.work->gradient);
  const int64_t inputs = fan_in(m.layer);
  double twice = 0;
  for (int64_t i = 0; i < m.layer.param_count(); ++i) {
    const int64_t input = m.layer.lambda_in ? i % inputs : 0;
    const double lambda =
        i < m.layer.weight_count ? m.layer.weight_precision(input) : m.layer.lambda_b;
    const double there = now[i] + m.work->change[i];
    m.work->gradient[i] -= lambda * there;
    twice += lambda * there * there;
  }
  add_over_blocks(state, m.work->block_misfit, twice);
  return -0.5 * twice;
}

// ---- the flow --------------------------------------------------------------------------------

// Copies a unit's entries out of a vector that has the layout of the layer's parameters.
void gather_unit(const Motion &m, const double *params, int64_t u, double *values) {
  const int64_t count = fan_in(m.layer);
  std::memcpy(values, params + u * count, static_cast<size_t>(count) * sizeof(double));
  if (m.layer.bias) values[count] = params[m.layer.weight_count + u];
}

// momentum += step L^-1 gradient, in whitened coordinates: M = L L', momentum = L^-1 p.
void kick(const Motion &m, double step) {
  double *values = m.work->unit, *turned = values + m.p;
  for (int64_t u = 0; u < m.units(); ++u) {
    gather_unit(m, m.work->gradient, u, values);
    m.state().kernels->multiply(whitening(m, u), values, nullptr, {turned, m.p, 1, m.p});
    double *momentum = m.work->momentum + u * m.p;
    for (int64_t i = 0; i < m.p; ++i) momentum[i] += step * turned[i];
  }
}

// (W, b) += step L^-T momentum
void drift(const Motion &m, double step) {
  double *turned = m.work->unit;
  const int64_t count = fan_in(m.layer);
  for (int64_t u = 0; u < m.units(); ++u) {
    std::fill_n(turned, m.p, 0.0);
    const ConstTile momentum = {m.work->momentum + u * m.p, m.p, 1, m.p};
    m.state().kernels->add_cross(whitening(m, u), momentum, turned, m.p);
    double *change = m.work->change + u * count;
    for (int64_t i = 0; i < count; ++i) change[i] += step * turned[i];
    if (m.layer.bias) m.work->change[m.layer.weight_count + u] += step * turned[count];
  }
}

double kinetic_energy(const Motion &m) {
  double twice = 0;
  for (int64_t i = 0; i < m.units() * m.p; ++i) twice += m.work->momentum[i] * m.work->momentum[i];
  return 0.5 * twice;
}

// Follows the flow from the current weights; returns the gain in log density minus the gain in
// kinetic energy.
double follow_flow(const Motion &m, double step, int64_t leapfrogs) {
  std::fill_n(m.work->change, m.layer.param_count(), 0.0);
  const double start = log_density_there(m) - kinetic_energy(m);
  double density = 0;
  kick(m, 0.5 * step);
  for (int64_t i = 1; i <= leapfrogs; ++i) {
    drift(m, step);
    density = log_density_there(m);
    if (!std::isfinite(density)) return -INFINITY;  // the way back would be rejected too
    kick(m, i < leapfrogs ? step : 0.5 * step);
  }
  return density - kinetic_energy(m) - start;
}

// ---- the move --------------------------------------------------------------------------------

// Sets Z to its new value; X | Z, U has mean F + D_X A S^-1 (U - F A - b), and X is shifted by the
// change of that mean.
void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const Motion &m = *static_cast<const Motion *>(context);
  BlockWork &block = state.blocks[b];
  const Layer &above = m.above();
  const int64_t in = above.in.size(), out = unit_count(above);
  const Tile z = own_tile(m, m.work->z, b, t, in), f = own_tile(m, m.work->f, b, t, in);
  const Tile before = {block.mean, z.rows, in, z.ld}, x = state.latent_tile(m.k + 1, t);
  const Tile now = state.latent_tile(m.k, t), change = {block.scratch[0], z.rows, out, z.ld};
  ops_of(m.activation()).forward(m.activation(), state.params, now, before, *state.kernels);
  look_at_units(m, t, z, f);
  for (int64_t j = 0; j < in; ++j) {
    state.kernels->combine({1, -1, 0}, f.col(j), before.col(j), z.rows, f.col(j));
    state.kernels->combine({1, 1, 0}, x.col(j), f.col(j), z.rows, x.col(j));
    std::memcpy(now.col(j), z.col(j), static_cast<size_t>(z.rows) * sizeof(double));
  }
  state.kernels->multiply(f, above.weights(state.params), nullptr, change);
  state.kernels->solve_lower(m.work->spread, out, change);
  state.kernels->solve_lower_transposed(m.work->spread, out, change);
  for (int64_t j = 0; j < out; ++j)
    state.kernels->combine({0, -m.activation().noise, 0}, nullptr, change.col(j), z.rows,
                           change.col(j));
  state.kernels->multiply_transposed_add(change, above.weights(state.params), in, x);
}

void settle(const Motion &m) {
  State &state = m.state();
  for_each_tile(state, settle_tile, const_cast<Motion *>(&m));
  double *params = state.net.layer(m.k).weights(state.params);
  for (int64_t i = 0; i < m.layer.param_count(); ++i) params[i] += m.work->change[i];
}

Status move_layer(const Motion &m, Error *err) {
  MoveCount &count = m.chain->count(Move::layer);
  Stream &stream = m.state().layer_streams[m.k - 1];
  ++count.tried;
  const Status status = prepare_masses(m, err);
  if (status != Status::ok || !read_above(m)) return status;
  set_exponents(m);
  if (!fill_slots(m)) return Status::ok;
  const double longest = stride / std::sqrt(fastest(m));
  if (!(longest > 0)) return Status::ok;  // beyond double precision
  const double step = longest * (1 - jitter * stream.uniform());
  const int64_t leapfrogs = static_cast<int64_t>(
      std::fmin(std::ceil(stroke / longest), static_cast<double>(most_leapfrogs)));
  m.state().draws->normals(stream, m.work->momentum, m.units() * m.p);
  const double gain = follow_flow(m, step, leapfrogs);
  if (!(gain > -exponential(stream))) return Status::ok;
  ++count.moved;
  settle(m);
  if (m.k == 1) input_sums_are_stale(*m.chain);
  return Status::ok;
}

// s, from one point on either side of zero.
double mean_square_slope(const State &state, int64_t k) {
  const Layer &activation = state.net.layer(k + 1);
  double z[2] = {-0.5, 0.5}, f[2], ones[2] = {1, 1}, slopes[2];
  const Tile in = {z, 2, 1, 2}, out = {f, 2, 1, 2};
  ops_of(activation).forward(activation, state.params, in, out, *state.kernels);
  ops_of(activation)
      .backward(activation, state.params, {in, out, {ones, 2, 1, 2}, {slopes, 2, 1, 2}}, nullptr,
                *state.kernels, nullptr);
  return 0.5 * (slopes[0] * slopes[0] + slopes[1] * slopes[1]);
}

// ---- the row of the table --------------------------------------------------------------------

// True if the activation has slopes, the layer above is a plain product, and a unit has few enough
// weights for a matrix of them.
bool has_movable_layer(const Net &net, int64_t k) {
  if (!has_movable_units(net, k) || !is_integrable(net, k)) return false;
  return has_slopes(net.layer(k + 1)) && has_small_units(net.layer(k));
}

int64_t movable_layers(const Net &net) {
  int64_t count = 0;
  for (int64_t k = 1; k <= net.depth; ++k) count += has_movable_layer(net, k) ? 1 : 0;
  return count;
}

Status check(const Net &net, double rate, Error *err) {
  if (movable_layers(net) > 0) return Status::ok;
  if (net.has_row_scales(net.depth)) return refuse_row_scales(net, "layer_moves", rate, err);
  return fail(err, Status::unsupported,
              "layer_moves = %g: expected a hidden layer below a dense one, with at most %lld "
              "weights per unit and an activation that has slopes",
              rate, static_cast<long long>(max_draw_order));
}

// Allocates enough for the largest layer.
void *layout(Arena &arena, const State &state) {
  const Net &net = state.net;
  int64_t p = 0, params = 0, in = 0, out = 0, units = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_movable_layer(net, k)) continue;
    const Layer &layer = net.layer(k), &above = net.layer(k + 2);
    p = std::max(p, ops_of(layer).order(layer));
    params = std::max(params, layer.param_count());
    in = std::max(in, above.in.size());
    out = std::max(out, unit_count(above));
    units = std::max(units, unit_count(layer));
  }
  const int64_t blocks = p > 0 ? state.tiling.blocks : 0;
  LayerMove *made = arena.take<LayerMove>(1);
  LayerMove move;
  move.spread = arena.take<double>(out, out);
  move.pull = arena.take<double>(out, in);
  move.exponents = arena.take<int32_t>(units);
  move.held = arena.take<int32_t>(LayerMove::slots);
  move.mass = arena.take<double>(p, p);
  move.whitening = arena.take<double>(LayerMove::slots, p * p);
  for (double **vector : {&move.change, &move.gradient, &move.momentum})
    *vector = arena.take<double>(params);
  move.unit = arena.take<double>(2, p);
  move.block_gradient = arena.take<double>(blocks, params);
  move.block_misfit = arena.take<double>(blocks);
  for (double **tiles : {&move.z, &move.f})
    *tiles = arena.take<double>(blocks * state.tiling.ld, in);
  if (made) *made = move;
  return made;
}

Status make(Chain &chain, void *own, Error *err) {
  const Net &net = chain.state.net;
  int64_t left = pick_below(chain.state.layer_streams[0], movable_layers(net)), k = 1;
  while (!has_movable_layer(net, k) || left-- > 0) ++k;  // terminates: left is below their number
  Layer layer = net.layer(k);
  layer.first_param = 0;
  return move_layer({&chain, static_cast<LayerMove *>(own), k, layer, ops_of(layer).order(layer),
                     mean_square_slope(chain.state, k)},
                    err);
}

// Per leapfrog step one product forward and one backward, with more steps the more strongly units
// are coupled; plus the masses.
double work_of_layer(const State &state, int64_t k) {
  const Layer &layer = state.net.layer(k), &above = state.net.layer(k + 2);
  const double order = as_double(ops_of(layer).order(layer)), rows = as_double(state.tiling.total);
  // features are coupled strongly if few outputs read many of them
  const double features = as_double(layer.out.size()), outputs = as_double(unit_count(above));
  const double leapfrogs = 0.6 + 3.4 * std::sqrt(1 + 0.5 * features / std::sqrt(outputs));
  const double pass =
      2 * products_of(layer) + 2 * products_of(above) + 8 * as_double(layer.out.size());
  const double gram = k > 1 ? order * order / 2 : 0;
  const double turned = 2 * as_double(layer.param_count()) * order / rows;
  const double solved = outputs * outputs + features * features * outputs / (leapfrogs * rows);
  return leapfrogs * (pass + turned + solved) + gram + order * order * order / rows;
}

double work(const State &state) {
  double sum = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k)
    if (has_movable_layer(state.net, k)) sum += work_of_layer(state, k);
  return sum / as_double(movable_layers(state.net));
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::layer_moves;
  move.kinds[0] = Move::layer;
  move.names[0] = "layers";
  move.check = check;
  move.layout = layout;
  move.make = make;
  move.work = work;
  move.share = 0.45;
  move.worth = worth_by_width;
  return move;
}

}  // namespace

const MoveOps layer_move = row();

}  // namespace nnp
