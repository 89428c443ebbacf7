// The non-centred move of a learned noise. Given the sites, D is tied down by as many residuals as
// there are sites, so its conditional draw moves in tiny steps. This move holds the standardized
// noises e_k = (U_k - f_k) / sqrt(D_k) instead: hidden sites follow D, U_k = f_k + sqrt(D_k) e_k,
// and only the last site judges how well a new D fits. The site below a product at the end is
// integrated out, U_m ~ N(F A + b, D_m I + D_{m-1} A'A), and redrawn; log D is slice sampled.
//
// That distribution determines little more than the sum of the two noises. If both are learned they
// are therefore also traded against each other: with t the mean square of A's columns, D_m + t
// D_{m-1} is held and log(t D_{m-1} / D_m) slice sampled. (The Jacobian from their logarithms is
// 1.)
#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/posterior/scales.hpp"
#include "lib/sampler/noise_pull.hpp"
#include "lib/sampler/redraw.hpp"
#include "lib/sampler/spread.hpp"

namespace nnp {

namespace {

struct NoiseMove {
  double *residuals = nullptr;  // U_k - f_k of all sites that follow, as consecutive tiles
  double *spread = nullptr;     // the factor of D_m I + D_{m-1} A'A
  double *sums = nullptr;       // one per block
  double *factors = nullptr;    // one per layer: sqrt(D' / D) if D moves, else 1
  NoisePull pull;
};

// True if the site below the last layer is integrated out.
bool integrates(const Net &net) {
  return net.depth > 1 && ops_of(net.layer(net.depth)).is_product && !net.has_row_scales(net.depth);
}

// Number of sites, from site 1, that follow the noises below them.
int64_t followers(const Net &net) {
  return integrates(net) ? net.depth - 2 : net.depth - 1;
}

// State of one move.
struct NoiseMotion {
  Chain *chain;
  NoiseMove *work;
  int64_t first, last;  // range of sites that follow; lower ones stay

  State &state() const { return chain->state; }
  const Net &net() const { return chain->state.net; }
};

Tile residual_tile(const NoiseMotion &m, int64_t k, int64_t t) {
  const State &state = m.state();
  double *values = m.work->residuals;
  for (int64_t l = 1; l < k; ++l)
    values += state.tiling.tiles * state.tiling.ld * m.net().site_width(l);
  return state.tiling.tile(values, m.net().site_width(k), t);
}

void find_residuals(State &state, void *context, int64_t, int64_t t) {
  const NoiseMotion &m = *static_cast<const NoiseMotion *>(context);
  for (int64_t k = m.first; k <= m.last; ++k) {
    const Tile residual = residual_tile(m, k, t);
    mean_of_site(state, k, t, residual);
    state.kernels->subtract(state.tile(k, t), residual, 1, residual);
  }
}

// Calls visit(k, site) with the proposed value of each site that follows. The mean of the first one
// is unchanged.
template <class Visit>
ConstTile follow(const NoiseMotion &m, BlockWork &block, int64_t t, Visit visit) {
  State &state = m.state();
  ConstTile in = state.tile(m.first - 1, t);
  for (int64_t k = m.first; k <= m.last; ++k) {
    const Layer &layer = m.net().layer(k);
    const Tile site = {block.scratch[k % 2], in.rows, layer.out.size(), state.tiling.ld};
    const Tile residual = residual_tile(m, k, t);
    const double factor = m.work->factors[k - 1];
    if (k > m.first) ops_of(layer).forward(layer, state.params, in, site, *state.kernels);
    const ConstTile base = k > m.first ? ConstTile(site) : state.tile(k, t);
    const double share = k > m.first ? factor : factor - 1;
    for (int64_t j = 0; j < site.width; ++j)
      state.kernels->combine({1, share, 0}, base.col(j), residual.col(j), site.rows, site.col(j));
    visit(k, site);
    in = site;
  }
  return in;
}

// sum of r S^-1 r' over the rows of a tile, r = U_m - F A - b
double integrated_misfit(const NoiseMotion &m, ConstTile in, BlockWork &block, int64_t t) {
  State &state = m.state();
  const int64_t depth = m.net().depth;
  const Layer &below = m.net().layer(depth - 1), &last = m.net().layer(depth);
  const Tile f = {block.mean, in.rows, below.out.size(), state.tiling.ld};
  const Tile r = {block.scratch[depth % 2], in.rows, last.out.size(), state.tiling.ld};
  ops_of(below).forward(below, state.params, in, f, *state.kernels);
  ops_of(last).forward(last, state.params, f, r, *state.kernels);
  state.kernels->subtract(state.tile(depth, t), r, 1, r);
  state.kernels->solve_lower(m.work->spread, r.width, r);
  double sum = 0;
  for (int64_t j = 0; j < r.width; ++j)
    for (int64_t i = 0; i < r.rows; ++i) sum += r.col(j)[i] * r.col(j)[i];
  return sum;
}

void add_misfit(State &state, void *context, int64_t b, int64_t t) {
  const NoiseMotion &m = *static_cast<const NoiseMotion *>(context);
  BlockWork &block = state.blocks[b];
  if (t == state.tiling.first_tile(b)) m.work->sums[b] = 0;
  const ConstTile in = follow(m, block, t, [](int64_t, Tile) {});
  const int64_t depth = m.net().depth;
  if (integrates(m.net())) {
    m.work->sums[b] += integrated_misfit(m, in, block, t);
    return;
  }
  const Layer &last = m.net().layer(depth);
  const Tile mean = state.mean_tile(block, depth, t);
  ops_of(last).forward(last, state.params, in, mean, *state.kernels);
  const Outcomes rows = {mean, state.tile(depth, t), state.labels(t), last.noise};
  m.work->sums[b] +=
      ops_of(m.net().head)->fit(m.net().head, {rows, 0.5 / last.noise, {}}, *state.kernels);
}

// log p(last site | sites that follow) at the current noises and temperature
double log_likelihood(const NoiseMotion &m) {
  State &state = m.state();
  const Net &net = m.net();
  const Layer &last = net.layer(net.depth);
  const int64_t in = last.in.size(), out = last.out.size();
  const bool integrated = integrates(net);
  if (integrated &&
      !factor_spread(
          {{last.weights(state.params), in, out, in}, net.layer(net.depth - 1).noise, last.noise},
          *state.kernels, m.work->spread))
    return -INFINITY;
  for_each_tile(state, add_misfit, const_cast<NoiseMotion *>(&m));
  const double sum = sum_over_blocks(state, m.work->sums);
  const double rows = as_double(state.tiling.total);
  if (!integrated) return heated_log_likelihood(state, sum);
  return -0.5 * (sum + rows * log_det_from_cholesky(m.work->spread, out, out)) +
         log_heat_constant(state);
}

// Multiplies D at this index of the parameters by exp(log_factor), and sets the factors of the
// sites that follow.
void set_noise(const NoiseMotion &m, int64_t index, double now, double log_factor) {
  State &state = m.state();
  state.params[index] = now * fn::exp(log_factor);
  take_noises(state.net, state.params);
  for (int64_t k = 1; k <= m.net().depth; ++k)
    m.work->factors[k - 1] =
        m.net().layer(k).learned_noise.first == index ? fn::exp(0.5 * log_factor) : 1;
}

void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const NoiseMotion &m = *static_cast<const NoiseMotion *>(context);
  follow(m, state.blocks[b], t, [&](int64_t k, Tile site) {
    const Tile own = state.latent_tile(k, t);
    for (int64_t j = 0; j < site.width; ++j) std::copy_n(site.col(j), site.rows, own.col(j));
  });
}

Status move_noise(Chain &chain, NoiseMove *work, int64_t k, const LearnedScale &scale, Error *err) {
  State &state = chain.state;
  const int64_t last = followers(state.net);
  const NoiseMotion m = {&chain, work, std::min(k, last + 1), last};
  const double now = state.params[scale.first];
  const double count = as_double(state.tiling.total) * as_double(state.net.outputs());
  const double width = std::fmin(4 / std::sqrt(count), 1);
  for_each_tile(state, find_residuals, const_cast<NoiseMotion *>(&m));
  const double moved = slice_from_zero(state.scale_stream, width, [&](double log_factor) {
    ++chain.count(Move::noise).evaluations;
    set_noise(m, scale.first, now, log_factor);
    return log_gamma_prior(scale.prior, 1 / state.params[scale.first]) + log_likelihood(m);
  });
  set_noise(m, scale.first, now, moved);
  ++chain.count(Move::noise).tried;
  chain.count(Move::noise).moved += moved != 0;
  for_each_tile(state, settle_tile, const_cast<NoiseMotion *>(&m));
  if (m.first == 1) input_sums_are_stale(chain);
  return integrates(state.net) ? redraw_site(chain, state.net.depth - 1, err) : Status::ok;
}

// True if the last two noises are learned, each for its own layer only.
bool can_trade(const Net &net) {
  if (!integrates(net)) return false;
  const LearnedScale &above = net.layer(net.depth).learned_noise;
  const LearnedScale &below = net.layer(net.depth - 1).learned_noise;
  bool shared = above.first == below.first;
  for (int64_t k = 1; k < net.depth - 1; ++k) {
    const LearnedScale &other = net.layer(k).learned_noise;
    shared |= other.count > 0 && (other.first == above.first || other.first == below.first);
  }
  return above.count > 0 && below.count > 0 && !shared;
}

Status trade_noises(Chain &chain, NoiseMove *work, Error *err) {
  State &state = chain.state;
  const Net &net = state.net;
  const Layer &last = net.layer(net.depth), &hidden = net.layer(net.depth - 1);
  const LearnedScale &above = last.learned_noise, &below = hidden.learned_noise;
  double &d_above = state.params[above.first], &d_below = state.params[below.first];
  const double squares = squared_norm(last.weights(state.params), last.weight_count);
  // t, at the current temperature
  const double share = squares / as_double(net.outputs()) * d_above / last.noise;
  const double sum = d_above + share * d_below, now = fn::log(share * d_below / d_above);
  if (!(share > 0) || !std::isfinite(now)) return Status::ok;
  const NoiseMotion m = {&chain, work, followers(net) + 1, followers(net)};
  const auto put = [&](double moved) {
    d_above = sum / (1 + fn::exp(now + moved));
    d_below = sum / (1 + fn::exp(-now - moved)) / share;
    take_noises(state.net, state.params);
  };
  const double moved = slice_from_zero(state.scale_stream, 1, [&](double at) {
    ++chain.count(Move::noise).evaluations;
    put(at);
    return log_gamma_prior(above.prior, 1 / d_above) + log_gamma_prior(below.prior, 1 / d_below) +
           log_likelihood(m);
  });
  put(moved);
  ++chain.count(Move::noise).tried;
  chain.count(Move::noise).moved += moved != 0;
  return redraw_site(chain, net.depth - 1, err);
}

// ---- the row of the table --------------------------------------------------------------------

bool has_moving_noise(const Net &net) {
  bool found = false;
  for (int64_t k = 1; k <= net.depth; ++k) found |= net.layer(k).learned_noise.count > 0;
  return found && net.depth > 1;
}

Status check(const Net &net, double rate, Error *err) {
  if (has_moving_noise(net)) return Status::ok;
  return fail(err, Status::unsupported,
              "noise_moves = %g: expected a noise that is learned (nnp_net_learn), and a hidden "
              "layer",
              rate);
}

void *layout(Arena &arena, const State &state) {
  const Net &net = state.net;
  const bool used = has_moving_noise(net);
  int64_t width = 0;
  for (int64_t k = 1; k <= followers(net) && used; ++k) width += net.site_width(k);
  NoiseMove *made = arena.take<NoiseMove>(1);
  NoiseMove move;
  const int64_t out = used && integrates(net) ? net.outputs() : 0;
  move.residuals = arena.take<double>(state.tiling.tiles * state.tiling.ld, width);
  move.spread = arena.take<double>(out, out);
  move.sums = arena.take<double>(used ? state.tiling.blocks : 0);
  move.factors = arena.take<double>(used ? net.depth : 0);
  move.pull = noise_pull_layout(arena, state);
  if (made) *made = move;
  return made;
}

// Moves each noise in turn; none while the chain anneals.
Status make(Chain &chain, void *own, Error *err) {
  Status status = Status::ok;
  if (chain_annealing_left(chain) > 0) return status;
  for_each_scale(chain.state.net, [&](ScaleKind kind, int64_t k, const LearnedScale &scale) {
    if (kind == ScaleKind::noise && status == Status::ok)
      status = move_noise(chain, static_cast<NoiseMove *>(own), k, scale, err);
  });
  NoiseMove *work = static_cast<NoiseMove *>(own);
  if (status == Status::ok && can_trade(chain.state.net)) status = trade_noises(chain, work, err);
  if (status == Status::ok && can_pull(chain.state.net))
    status = pull_noise(chain, work->pull, err);
  return status;
}

// For each noise, evaluations of a slice in which all sites above it follow, and a redraw of the
// last hidden site.
double work(const State &state) {
  constexpr double looks = 6;
  const Net &net = state.net;
  const double end = variate * as_double(net.layer(net.depth).in.size());
  const double last = products_of(net.layer(net.depth));
  double sum = work_of_pull(state) + (can_trade(net) ? looks * last + end : 0);
  for_each_scale(net, [&](ScaleKind kind, int64_t k, const LearnedScale &) {
    if (kind != ScaleKind::noise) return;
    double point = 2 * as_double(net.site_width(k));
    for (int64_t l = k + 1; l <= net.depth; ++l)
      point += products_of(net.layer(l)) + 2 * as_double(net.site_width(l));
    sum += looks * point + end;
  });
  return sum;
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::noise_moves;
  move.kinds[0] = Move::noise;
  move.names[0] = "noises with their sites";
  move.check = check;
  move.layout = layout;
  move.make = make;
  move.work = work;
  return move;
}

}  // namespace

const MoveOps noise_move = row();

}  // namespace nnp
