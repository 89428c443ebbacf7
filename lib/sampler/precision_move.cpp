// How Gibbs moves the precisions of a hidden layer together with its weights (precisions.hpp): one
// at a time, and, with homogeneous activations, a layer against the next.
//
// The noise e_Z = Z - (W x + b) is held. If the next layer is a plain product with one noise, the
// sites X above are integrated out, U ~ N(F A + b, D_U I + D_X A'A), and redrawn; otherwise their
// noise is held too. log c is slice sampled.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/posterior/scales.hpp"
#include "lib/sampler/precisions.hpp"
#include "lib/sampler/spread.hpp"
#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

struct PrecisionMove {
  double *means = nullptr;    // W x + b of all rows, or one precision's share of it; tiles
  double *weights = nullptr;  // a copy of the parameters, zero except for one precision's weights
  double *spread = nullptr;   // the factor of S
  double *sums = nullptr;     // one per block
};

// State of one move: of one precision, or (null) of a layer against the next.
struct PrecisionMotion {
  Chain *chain;
  PrecisionMove *work;
  int64_t k;
  bool integrated;
  double c;
  const OnePrecision *one = nullptr;

  State &state() const { return chain->state; }
  const Layer &layer(int64_t number) const { return chain->state.net.layer(number); }
  double outgoing() const { return one ? 1 : 1 / c; }  // factor of the next layer's weights
};

void find_means(State &state, void *context, int64_t, int64_t t) {
  const PrecisionMotion &m = *static_cast<const PrecisionMotion *>(context);
  const Tile means = state.tiling.tile(m.work->means, state.net.site_width(m.k), t);
  if (!m.one) return mean_of_site(state, m.k, t, means);
  const Layer &layer = m.layer(m.k);
  ops_of(layer).forward(layer, m.work->weights, state.tile(m.k - 1, t), means, *state.kernels);
}

// Computes Z' = Z + (c - 1)(W x + b), or with the share of one precision's weights in it; f =
// sigma(Z')
void look_at_sites(const PrecisionMotion &m, int64_t t, Tile z, Tile f) {
  const State &state = m.state();
  const ConstTile now = state.tile(m.k, t), mean = state.tiling.tile(m.work->means, z.width, t);
  for (int64_t j = 0; j < z.width; ++j)
    state.kernels->combine({1, m.c - 1, 0}, now.col(j), mean.col(j), z.rows, z.col(j));
  const Layer &activation = m.layer(m.k + 1);
  ops_of(activation).forward(activation, state.params, z, f, *state.kernels);
}

// X' with its noise held: f + X - sigma(Z)
void add_held_noise(const PrecisionMotion &m, int64_t t, Tile f, Tile scratch) {
  const State &state = m.state();
  const Layer &activation = m.layer(m.k + 1);
  const ConstTile x = state.tile(m.k + 1, t);
  ops_of(activation).forward(activation, state.params, state.tile(m.k, t), scratch, *state.kernels);
  for (int64_t j = 0; j < f.width; ++j)
    for (int64_t i = 0; i < f.rows; ++i) f.col(j)[i] += x.col(j)[i] - scratch.col(j)[i];
}

void add_misfit(State &state, void *context, int64_t b, int64_t t) {
  const PrecisionMotion &m = *static_cast<const PrecisionMotion *>(context);
  BlockWork &block = state.blocks[b];
  const Layer &above = m.layer(m.k + 2);
  const ConstTile u = state.tile(m.k + 2, t);
  const int64_t width = above.in.size();
  const Tile z = {block.scratch[0], u.rows, width, u.ld}, f = {block.mean, u.rows, width, u.ld};
  const Tile r = {block.scratch[1], u.rows, u.width, u.ld};
  if (t == state.tiling.first_tile(b)) m.work->sums[b] = 0;
  look_at_sites(m, t, z, f);
  if (!m.integrated) add_held_noise(m, t, f, z);
  for (int64_t j = 0; j < width && !m.one; ++j)
    state.kernels->combine({0, 1 / m.c, 0}, nullptr, f.col(j), f.rows, f.col(j));
  ops_of(above).forward(above, state.params, f, r, *state.kernels);
  state.kernels->subtract(u, r, 1, r);
  if (m.integrated) state.kernels->solve_lower(m.work->spread, r.width, r);
  const double *scales = scales_of(state, gibbs_of(*m.chain), m.k + 2, t);
  double sum = 0;
  for (int64_t j = 0; j < r.width; ++j)
    for (int64_t i = 0; i < r.rows; ++i)
      sum += (scales ? scales[i] : 1) * r.col(j)[i] * r.col(j)[i];
  m.work->sums[b] += sum;
}

// log p(U | everything else at its proposed value), up to a constant
double log_likelihood(const PrecisionMotion &m) {
  State &state = m.state();
  const Layer &above = m.layer(m.k + 2);
  const int64_t in = above.in.size(), out = unit_count(above);
  if (m.integrated && !factor_spread({{above.weights(state.params), in, out, in},
                                      m.layer(m.k + 1).noise * m.outgoing() * m.outgoing(),
                                      above.noise},
                                     *state.kernels, m.work->spread))
    return -INFINITY;
  for_each_tile(state, add_misfit, const_cast<PrecisionMotion *>(&m));
  const double sum = sum_over_blocks(state, m.work->sums);
  if (!m.integrated) return -0.5 * sum / above.noise;
  return -0.5 *
         (sum + as_double(state.tiling.total) * log_det_from_cholesky(m.work->spread, out, out));
}

double log_priors(const PrecisionMotion &m) {
  if (m.one) return log_prior_of_one(m.state(), *m.one, m.c);
  return log_prior_of_pair(m.state(), m.layer(m.k), m.layer(m.k + 2), m.c);
}

void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const PrecisionMotion &m = *static_cast<const PrecisionMotion *>(context);
  BlockWork &block = state.blocks[b];
  const Tile now = state.latent_tile(m.k, t), x = state.latent_tile(m.k + 1, t);
  const Tile z = {block.scratch[0], now.rows, now.width, now.ld};
  const Tile f = {block.mean, now.rows, now.width, now.ld};
  look_at_sites(m, t, z, f);
  if (!m.integrated) {
    add_held_noise(m, t, f, {block.scratch[1], now.rows, now.width, now.ld});
    for (int64_t j = 0; j < x.width; ++j) std::copy_n(f.col(j), f.rows, x.col(j));
  }
  for (int64_t j = 0; j < z.width; ++j) std::copy_n(z.col(j), z.rows, now.col(j));
}

Status settle(const PrecisionMotion &m, Error *err) {
  State &state = m.state();
  for_each_tile(state, settle_tile, const_cast<PrecisionMotion *>(&m));
  if (m.one)
    scale_one(state, *m.one, m.c);
  else
    scale_pair(state, m.layer(m.k), m.layer(m.k + 2), m.c);
  take_precisions(state.net, state.params);
  if (m.k == 1) input_sums_are_stale(*m.chain);
  return m.integrated ? redraw_site(*m.chain, m.k + 1, err) : Status::ok;
}

Status move(PrecisionMotion m, Error *err) {
  State &state = m.state();
  constexpr double width = 0.5;
  for_each_tile(state, find_means, &m);
  const double log_c = slice_from_zero(state.scale_stream, width, [&](double at) {
    ++m.chain->count(Move::precision).evaluations;
    m.c = fn::exp(at);
    return log_likelihood(m) + log_priors(m);
  });
  ++m.chain->count(Move::precision).tried;
  m.chain->count(Move::precision).moved += log_c != 0;
  m.c = fn::exp(log_c);
  return settle(m, err);
}

Status move_one(PrecisionMotion m, const OnePrecision &one, Error *err) {
  const double *params = m.state().params;
  double *weights = m.work->weights;
  std::fill_n(weights, m.state().net.param_count(), 0.0);
  for (int64_t i = 0; i < one.count; ++i)
    weights[one.first + i * one.stride] = params[one.first + i * one.stride];
  m.one = &one;
  return move(m, err);
}

// ---- the row of the table --------------------------------------------------------------------

bool moves_against_next(const Net &net, int64_t k) {
  const Layer &activation = net.layer(k + 1);
  return ops_of(activation).homogeneous(activation) &&
         (net.layer(k).learns_precisions() || net.layer(k + 2).learned_w.count > 0);
}

bool has_moving_precisions(const Net &net, int64_t k) {
  if (!has_movable_units(net, k)) return false;
  return net.layer(k).learns_precisions() || moves_against_next(net, k);
}

int64_t moving_layers(const Net &net) {
  int64_t count = 0;
  for (int64_t k = 1; k <= net.depth; ++k) count += has_moving_precisions(net, k) ? 1 : 0;
  return count;
}

Status check(const Net &net, double rate, Error *err) {
  if (moving_layers(net) > 0) return Status::ok;
  return fail(err, Status::unsupported,
              "precision_moves = %g: expected prior precisions that are learned (nnp_net_learn) "
              "below a hidden layer, or above one of activation relu, leaky relu, abs or identity",
              rate);
}

// Allocates enough for the largest layer.
void *layout(Arena &arena, const State &state) {
  const Net &net = state.net;
  int64_t width = 0, out = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_moving_precisions(net, k)) continue;
    width = std::max(width, net.site_width(k));
    out = std::max(out, unit_count(net.layer(k + 2)));
  }
  PrecisionMove *made = arena.take<PrecisionMove>(1);
  PrecisionMove move;
  move.means = arena.take<double>(state.tiling.tiles * state.tiling.ld, width);
  move.spread = arena.take<double>(out, out);
  move.sums = arena.take<double>(width > 0 ? state.tiling.blocks : 0);
  move.weights = arena.take<double>(width > 0 ? net.param_count() : 0);
  if (made) *made = move;
  return made;
}

// Moves the precisions of every layer once.
Status make(Chain &chain, void *own, Error *err) {
  const Net &net = chain.state.net;
  Status status = Status::ok;
  for (int64_t k = 1; k <= net.depth && status == Status::ok; ++k) {
    if (!has_moving_precisions(net, k)) continue;
    const PrecisionMotion m = {&chain, static_cast<PrecisionMove *>(own), k, is_integrable(net, k),
                               1};
    if (moves_against_next(net, k)) status = move(m, err);
    if (status == Status::ok)
      status = for_due_precisions(net.layer(k), chain.state.scale_stream,
                                  [&](const OnePrecision &one) { return move_one(m, one, err); });
  }
  return status;
}

// Cost of a slice: one forward product, the redraw of the sites above, and the evaluations.
double work_of_slice(const State &state, int64_t k) {
  constexpr double looks = 6;
  const Layer &above = state.net.layer(k + 2);
  const double width = as_double(state.net.site_width(k)), product = products_of(above);
  return products_of(state.net.layer(k)) + 2 * product + variate * width +
         looks * (product + 2 * width);
}

double work(const State &state) {
  const Net &net = state.net;
  double sum = 0;
  for (int64_t k = 1; k <= net.depth; ++k) {
    if (!has_moving_precisions(net, k)) continue;
    const LearnedScale &w = net.layer(k).learned_w, &b = net.layer(k).learned_b;
    const int64_t slices = std::min(w.count, most_inputs) + std::min<int64_t>(b.count, 1) +
                           (moves_against_next(net, k) ? 1 : 0);
    sum += as_double(slices) * work_of_slice(state, k);
  }
  return sum;
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::precision_moves;
  move.kinds[0] = Move::precision;
  move.names[0] = "precisions with weights";
  move.check = check;
  move.layout = layout;
  move.make = make;
  move.work = work;
  return move;
}

}  // namespace

const MoveOps precision_move = row();

}  // namespace nnp
