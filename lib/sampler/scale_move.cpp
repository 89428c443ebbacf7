// Scale moves of hidden units with homogeneous activations (relu, leaky relu, abs, identity):
// incoming (W, b) times c, outgoing weights divided by c. The network's output hardly changes, so
// these directions are the slowest of the plain sampler.
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

bool is_homogeneous(const Net &net, int64_t k) {
  const Layer &activation = net.layer(k + 1);
  const LayerOps &ops = ops_of(activation);
  return ops.homogeneous(activation);
}

// Weights of the layer above that read the unit.
OutgoingWeights outgoing(const Mover &m, double factor) {
  return ops_of(m.above()).scale_input(m.above(), m.state().params, m.first, m.width, factor);
}

double incoming_count(const Layer &layer) {
  return static_cast<double>(fan_in(layer) + (layer.bias ? 1 : 0));
}

// Sum of lambda w^2 over the incoming (W, b).
double incoming_energy(const Mover &m) {
  const Layer &layer = m.layer();
  const int64_t count = fan_in(layer);
  const double bias = m.scratch->weights[count];
  return weight_energy(layer, m.scratch->weights, count) +
         (layer.bias ? layer.lambda_b * bias * bias : 0);
}

// ---- the Haar form: sites and weights of the unit are scaled together ------------------------

// |e_Z|^2 / D_Z + |e_X|^2 / D_X of the unit, for a tile.
void add_noise_energy(State &state, void *context, int64_t b, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  const Layer &activation = state.net.layer(m.k + 1);
  BlockWork &block = state.blocks[b];
  const Tile z = own_columns(m, m.k, t), x = own_columns(m, m.k + 1, t);
  const Tile start = state.tiling.tile(m.scratch->start, m.width, t);
  const Tile sigma = {block.mean, z.rows, m.width, z.ld};
  ops_of(activation).forward(activation, state.params, z, sigma, *state.kernels);
  double below = 0, above = 0;
  for (int64_t j = 0; j < m.width; ++j)
    for (int64_t i = 0; i < z.rows; ++i) {
      const double e_z = z.col(j)[i] - start.col(j)[i], e_x = x.col(j)[i] - sigma.col(j)[i];
      below += e_z * e_z;
      above += e_x * e_x;
    }
  block.sums[0] += below / m.layer().noise + above / activation.noise;
}

double noise_energy(Mover &m) {
  return sum_over_tiles(m.state(), add_noise_energy, &m);
}

void scale_sites_tile(State &, void *context, int64_t, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  const Tile z = own_columns(m, m.k, t), x = own_columns(m, m.k + 1, t);
  for (int64_t j = 0; j < m.width; ++j)
    for (int64_t i = 0; i < z.rows; ++i) {
      z.col(j)[i] *= m.cosine;
      x.col(j)[i] *= m.cosine;
    }
}

// With s = c^2 the density is s^(p-1) exp(-alpha s - beta / s), p = (scaled up - scaled down) / 2.
Status haar_move(Mover &m, Error *err) {
  State &state = m.state();
  const OutgoingWeights out = outgoing(m, 1);
  const double sites = 2 * static_cast<double>(state.tiling.total) * static_cast<double>(m.width);
  const double p = 0.5 * (incoming_count(m.layer()) + sites - static_cast<double>(out.count));
  const double alpha = 0.5 * (noise_energy(m) + incoming_energy(m));
  const double beta = 0.5 * out.energy;
  const double s = generalized_inverse_gaussian(state.layer_streams[m.k - 1], p, alpha, beta);
  if (!(s > 0 && std::isfinite(s)))
    return fail(err, Status::numeric,
                "layer %lld: the scale of unit %lld exceeds double precision (squares %g and %g); "
                "expected inputs and targets scaled to about 1, or more noise",
                static_cast<long long>(m.layer().last_number), static_cast<long long>(m.unit),
                alpha, beta);
  m.cosine = std::sqrt(s);
  m.sine = 0;
  for_each_tile(state, scale_sites_tile, &m);
  outgoing(m, 1 / m.cosine);
  const Layer &layer = m.layer();
  double *weights = layer.weights(state.params);
  const int64_t count = fan_in(layer);
  for (int64_t i = 0; i < count; ++i) weights[m.unit * count + i] *= m.cosine;
  if (layer.bias) weights[layer.weight_count + m.unit] *= m.cosine;
  return Status::ok;
}

// ---- the non-centred form: the noises are held -----------------------------------------------

void add_residual(State &state, void *context, int64_t b, int64_t t) {
  const Mover &m = *static_cast<const Mover *>(context);
  Tile z_there, x_there;
  carry_along(m, state.blocks[b], t, &z_there, &x_there);
  state.blocks[b].sums[0] += residual_above(m, state.blocks[b], x_there, t);
}

// Log density of log c, up to a constant: likelihood of the site above, priors, Jacobian.
double log_density_at(Mover &m, const OutgoingWeights &out, double log_c) {
  const double c = fn::exp(log_c);
  ++m.chain->count(Move::scale).evaluations;
  m.cosine = c;
  m.sine = 0;
  outgoing(m, 1 / c);
  const double residual = sum_over_tiles(m.state(), add_residual, &m);
  outgoing(m, c);
  return -0.5 * residual / m.above().noise - 0.5 * c * c * incoming_energy(m) -
         0.5 * out.energy / (c * c) +
         log_c * (incoming_count(m.layer()) - static_cast<double>(out.count));
}

// Slice sampling of log c (Neal 2003): a bracket at a random position is stepped out, then shrunk
// to a uniformly chosen point inside it each time. The loop terminates for any density, NaN
// included, because the bracket soon becomes too short.
double slice_log_scale(Mover &m, const OutgoingWeights &out) {
  constexpr double width = 0.25;
  constexpr int max_steps = 16;
  Stream &stream = m.state().layer_streams[m.k - 1];
  const double level = log_density_at(m, out, 0) - exponential(stream);
  double low = -width * stream.uniform(), high = low + width;
  int left = static_cast<int>(max_steps * stream.uniform()), right = max_steps - 1 - left;
  for (; left > 0 && log_density_at(m, out, low) > level; --left) low -= width;
  for (; right > 0 && log_density_at(m, out, high) > level; --right) high += width;
  for (;;) {
    const double at = low + (high - low) * stream.uniform();
    if (high - low < 1e-14) return 0;
    if (log_density_at(m, out, at) > level) return at;
    (at < 0 ? low : high) = at;
  }
}

void non_centred_move(Mover &m) {
  const OutgoingWeights out = outgoing(m, 1);
  const double log_scale = slice_log_scale(m, out);
  ++m.chain->count(Move::scale).tried;
  m.chain->count(Move::scale).moved += log_scale != 0;
  m.cosine = fn::exp(log_scale);
  m.sine = 0;
  settle(m);
  outgoing(m, 1 / m.cosine);
}

// ---- the row of the table --------------------------------------------------------------------

bool has_scales(const Net &net, int64_t k) {
  return has_movable_units(net, k) && is_homogeneous(net, k) &&
         ops_of(net.layer(k + 2)).scale_input;
}

Status check(const Net &net, double rate, Error *err) {
  int64_t other = 0;  // an activation that is not homogeneous
  for (int64_t k = net.depth; k >= 1; --k) {
    if (has_scales(net, k)) return Status::ok;
    if (has_movable_units(net, k)) other = k + 1;
  }
  if (other == 0) return check_movable_units(net, "scale_moves", rate, err);
  return fail(err, Status::unsupported,
              "scale_moves = %g: the activation of layer %lld is not homogeneous, expected relu, "
              "leaky relu, abs or identity",
              rate, static_cast<long long>(other));
}

void count_haar(Chain &chain) {
  ++chain.count(Move::haar_scale).tried;
  ++chain.count(Move::haar_scale).moved;
}

Status make(Chain &chain, void *, Error *err) {
  Mover m = pick_unit(chain);
  if (!has_scales(chain.state.net, m.k) || outgoing(m, 1).count == 0) return Status::ok;
  read_weights(m);
  project_input(m, 1);
  const Status status = haar_move(m, err);
  if (status != Status::ok) return status;
  count_haar(chain);
  read_weights(m);
  project_input(m, 1);
  non_centred_move(m);
  return Status::ok;
}

// Projections of the input, and the evaluations of a slice.
double work_of_unit(const State &state, int64_t k) {
  constexpr double looks = 9;
  const Layer &layer = state.net.layer(k), &above = state.net.layer(k + 2);
  const double input = as_double(unit_width(layer)) * as_double(fan_in(layer));
  return 3 * input + looks * (products_of(above) + as_double(above.in.size()));
}

double work(const State &state) {
  return mean_unit_work(state, work_of_unit);
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::scale_moves;
  move.kinds[0] = Move::haar_scale;
  move.names[0] = "scales with their sites";
  move.kinds[1] = Move::scale;
  move.names[1] = "scales, noises held";
  move.check = check;
  move.make = make;
  move.work = work;
  move.share = 0.02;
  move.worth = worth_by_width;
  return move;
}

}  // namespace

const MoveOps scale_move = row();

}  // namespace nnp
