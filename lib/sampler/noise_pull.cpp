// The move of the noise D of the site below the last activation, U = f + sqrt(D) e, if all noises
// above it are R. With e held (noise_move.cpp) the last site lets D change only by a relative 1 /
// sqrt(rows), since e is fitted to it. So e follows too. At f, the last mean has slope a with
// respect to U and misfit r; if everything were linear, the component c of e in the direction of a
// would be
//
//     c | r ~ N(sqrt(D g) r / V, R / V),   g = |a|^2,   V = R + D g.
//
// As D or R changes, c keeps its quantile: (c - mean) / sd is held, and the Jacobian is the product
// over rows of the ratios of sds. D is then informed by r ~ N(0, V) alone. V determines little more
// than a sum, so D is traded against the last noise, if that is learned, with the mean of V held.
// The density evaluated is exact: the linear approximation only says how e follows. f, a and r do
// not change.
#include "lib/sampler/noise_pull.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/scales.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/sampler/redraw.hpp"

namespace nnp {

namespace {

// The current noises: D of the site, R of all above it.
struct Noises {
  double d, r;
};

struct Pull {
  Chain *chain;
  NoisePull *work;
  int64_t k;  // number of the site
  Noises now, there;

  State &state() const { return chain->state; }
  const Net &net() const { return chain->state.net; }
  const Layer &last() const { return net().layer(net().depth); }
};

double norm_of_last(const Pull &m) {
  return squared_norm(m.last().weights(m.state().params), m.last().weight_count);
}

Noises noises_in_force(const Pull &m) {
  const Net &net = m.net();
  return {net.layer(m.k).noise, m.last().noise + net.layer(m.k + 1).noise * norm_of_last(m)};
}

// ---- what stays ------------------------------------------------------------------------------

// Slope of the last mean with respect to the site, where the activation maps `in` to `out`.
void find_slopes(const Pull &m, BlockWork &block, ConstTile in, ConstTile out, Tile slopes) {
  const State &state = m.state();
  const Layer &activation = m.net().layer(m.k + 1);
  const double *weights = m.last().weights(state.params);
  const Tile gradient = {block.mean, out.rows, out.width, out.ld};
  for (int64_t j = 0; j < out.width; ++j) std::fill_n(gradient.col(j), out.rows, weights[j]);
  ops_of(activation)
      .backward(activation, state.params, {in, out, gradient, slopes}, nullptr, *state.kernels,
                nullptr);
}

// Computes |a|^2 and the component of e along a for the rows of a tile; returns the sum of |a|^2.
double find_parts(const Pull &m, ConstTile slopes, ConstTile residuals, int64_t t) {
  const int64_t first = t * m.state().tiling.ld;
  double *squares = m.work->squares + first, *parts = m.work->parts + first, sum = 0;
  std::fill_n(squares, slopes.rows, 0.0);
  std::fill_n(parts, slopes.rows, 0.0);
  for (int64_t j = 0; j < slopes.width; ++j)
    for (int64_t i = 0; i < slopes.rows; ++i) {
      squares[i] += slopes.col(j)[i] * slopes.col(j)[i];
      parts[i] += slopes.col(j)[i] * residuals.col(j)[i];
    }
  for (int64_t i = 0; i < slopes.rows; ++i) {
    parts[i] = squares[i] > 0 ? parts[i] / std::sqrt(m.now.d * squares[i]) : 0;
    sum += squares[i];
  }
  return sum;
}

void begin_tile(State &state, void *context, int64_t b, int64_t t) {
  const Pull &m = *static_cast<const Pull *>(context);
  BlockWork &block = state.blocks[b];
  const int64_t width = state.net.site_width(m.k);
  const Tile means = state.tiling.tile(m.work->means, width, t);
  const Tile residuals = state.tiling.tile(m.work->residuals, width, t);
  const Tile slopes = state.tiling.tile(m.work->slopes, width, t);
  const Tile misfit = state.tiling.tile(m.work->misfits, 1, t);
  const Tile out = {block.scratch[0], means.rows, m.last().in.size(), means.ld};
  const Layer &activation = state.net.layer(m.k + 1);
  if (t == state.tiling.first_tile(b)) m.work->sums[b] = 0;
  mean_of_site(state, m.k, t, means);
  state.kernels->subtract(state.tile(m.k, t), means, 1, residuals);
  ops_of(activation).forward(activation, state.params, means, out, *state.kernels);
  ops_of(m.last()).forward(m.last(), state.params, out, misfit, *state.kernels);
  state.kernels->subtract(state.tile(state.net.depth, t), misfit, 1, misfit);
  find_slopes(m, block, means, out, slopes);
  m.work->sums[b] += find_parts(m, slopes, residuals, t);
}

// ---- what follows ----------------------------------------------------------------------------

// The new value of a row's component c, and what its density and its Jacobian add to -2 log
// density.
struct Followed {
  double part, energy;
};

Followed follow_part(const Pull &m, double misfit, double square, double part) {
  const double v = m.now.r + m.now.d * square, v_there = m.there.r + m.there.d * square;
  const double ratio = m.there.r / m.now.r * (v / v_there);  // ratio of variances
  const double mean = std::sqrt(m.now.d * square) / v * misfit;
  const double mean_there = std::sqrt(m.there.d * square) / v_there * misfit;
  const double there = mean_there + std::sqrt(ratio) * (part - mean);
  return {there, there * there - fn::log(ratio)};
}

// Computes the proposed site; returns the sum over rows of what `follow_part` adds.
double follow(const Pull &m, int64_t t, Tile site, double *shift) {
  const State &state = m.state();
  const int64_t first = t * state.tiling.ld;
  const ConstTile means = state.tiling.tile(m.work->means, site.width, t);
  const ConstTile residuals = state.tiling.tile(m.work->residuals, site.width, t);
  const ConstTile slopes = state.tiling.tile(m.work->slopes, site.width, t);
  double sum = 0;
  for (int64_t i = 0; i < site.rows; ++i) {
    const double square = m.work->squares[first + i], part = m.work->parts[first + i];
    shift[i] = 0;
    if (!(square > 0)) continue;
    const Followed there = follow_part(m, m.work->misfits[first + i], square, part);
    shift[i] = std::sqrt(m.there.d / square) * (there.part - part);
    sum += there.energy;
  }
  const double ratio = std::sqrt(m.there.d / m.now.d);
  for (int64_t j = 0; j < site.width; ++j) {
    state.kernels->combine({1, ratio, 0}, means.col(j), residuals.col(j), site.rows, site.col(j));
    for (int64_t i = 0; i < site.rows; ++i) site.col(j)[i] += shift[i] * slopes.col(j)[i];
  }
  return sum;
}

void add_energy(State &state, void *context, int64_t b, int64_t t) {
  const Pull &m = *static_cast<const Pull *>(context);
  BlockWork &block = state.blocks[b];
  const int64_t rows = state.tiling.rows(t), ld = state.tiling.ld;
  const Layer &activation = state.net.layer(m.k + 1);
  const Tile site = {block.scratch[0], rows, state.net.site_width(m.k), ld};
  const Tile out = {block.mean, rows, m.last().in.size(), ld};
  const Tile misfit = {block.scratch[1], rows, 1, ld};
  if (t == state.tiling.first_tile(b)) m.work->sums[b] = 0;
  double sum = follow(m, t, site, misfit.data);
  ops_of(activation).forward(activation, state.params, site, out, *state.kernels);
  ops_of(m.last()).forward(m.last(), state.params, out, misfit, *state.kernels);
  state.kernels->subtract(state.tile(state.net.depth, t), misfit, 1, misfit);
  sum += squared_norm(misfit.data, rows) / m.there.r;
  m.work->sums[b] += sum;
}

// log density of the last site and of the noises that follow, plus the log Jacobian
double log_density(Pull &m) {
  State &state = m.state();
  ++m.chain->count(Move::noise).evaluations;
  m.there = noises_in_force(m);
  for_each_tile(state, add_energy, &m);
  const double sum = sum_over_blocks(state, m.work->sums);
  return -0.5 * (sum + as_double(state.tiling.total) * fn::log(m.there.r)) +
         log_heat_constant(state);
}

void settle_tile(State &state, void *context, int64_t b, int64_t t) {
  const Pull &m = *static_cast<const Pull *>(context);
  follow(m, t, state.latent_tile(m.k, t), state.blocks[b].scratch[1]);
}

Status settle(Pull &m, bool moved, Error *err) {
  State &state = m.state();
  m.there = noises_in_force(m);
  ++m.chain->count(Move::noise).tried;
  m.chain->count(Move::noise).moved += moved;
  for_each_tile(state, settle_tile, &m);
  if (m.k == 1) input_sums_are_stale(*m.chain);
  return redraw_site(*m.chain, m.k + 1, err);
}

// Computes the quantities that stay fixed; returns the mean of |a|^2.
double begin(Pull &m) {
  State &state = m.state();
  m.now = noises_in_force(m);
  for_each_tile(state, begin_tile, &m);
  return sum_over_blocks(state, m.work->sums) / as_double(state.tiling.total);
}

// ---- moves -----------------------------------------------------------------------------------

Status pull_alone(Pull m, Error *err) {
  State &state = m.state();
  begin(m);
  const LearnedScale &scale = m.net().layer(m.k).learned_noise;
  double &d = state.params[scale.first];
  const double now = d;
  const auto put = [&](double log_factor) {
    d = now * fn::exp(log_factor);
    take_noises(state.net, state.params);
  };
  const double moved = slice_from_zero(state.scale_stream, 0.5, [&](double at) {
    put(at);
    return log_gamma_prior(scale.prior, 1 / d) + log_density(m);
  });
  put(moved);
  return settle(m, moved != 0, err);
}

// Trades D against the last noise.
Status trade(Pull m, Error *err) {
  State &state = m.state();
  const LearnedScale &below = m.net().layer(m.k).learned_noise;
  const LearnedScale &above = m.last().learned_noise;
  double &d_below = state.params[below.first], &d_above = state.params[above.first];
  // the mean of |a|^2, at the current temperature
  const double share = begin(m) * d_above / m.last().noise;
  const double sum = d_above + share * d_below, now = fn::log(share * d_below / d_above);
  if (!(share > 0) || !std::isfinite(now)) return Status::ok;
  const auto put = [&](double moved) {
    d_above = sum / (1 + fn::exp(now + moved));
    d_below = sum / (1 + fn::exp(-now - moved)) / share;
    take_noises(state.net, state.params);
  };
  const double moved = slice_from_zero(state.scale_stream, 1, [&](double at) {
    put(at);
    return log_gamma_prior(above.prior, 1 / d_above) + log_gamma_prior(below.prior, 1 / d_below) +
           log_density(m);
  });
  put(moved);
  return settle(m, moved != 0, err);
}

bool learns_own_noise(const Net &net, int64_t k) {
  const LearnedScale &noise = net.layer(k).learned_noise;
  bool shared = false;
  for (int64_t l = 1; l <= net.depth; ++l) {
    const LearnedScale &other = net.layer(l).learned_noise;
    shared |= l != k && other.count > 0 && other.first == noise.first;
  }
  return noise.count > 0 && !shared;
}

}  // namespace

bool can_pull(const Net &net) {
  const int64_t depth = net.depth;
  return depth > 2 && net.outputs() == 1 && ops_of(net.layer(depth)).is_product &&
         !net.has_row_scales(depth) && net.layer(depth - 1).weight_count == 0 &&
         !ops_of(net.layer(depth - 1)).no_gradient(net.layer(depth - 1)) &&
         learns_own_noise(net, depth - 2);
}

NoisePull noise_pull_layout(Arena &arena, const State &state) {
  const bool used = can_pull(state.net);
  const int64_t rows = used ? state.tiling.tiles * state.tiling.ld : 0;
  const int64_t width = used ? state.net.site_width(state.net.depth - 2) : 0;
  NoisePull work;
  for (double **values : {&work.means, &work.residuals, &work.slopes})
    *values = arena.take<double>(rows, width);
  for (double **values : {&work.misfits, &work.squares, &work.parts})
    *values = arena.take<double>(rows);
  work.sums = arena.take<double>(used ? state.tiling.blocks : 0);
  return work;
}

Status pull_noise(Chain &chain, NoisePull &work, Error *err) {
  const Net &net = chain.state.net;
  const Pull m = {&chain, &work, net.depth - 2, {}, {}};
  return learns_own_noise(net, net.depth) ? trade(m, err) : pull_alone(m, err);
}

double work_of_pull(const State &state) {
  const Net &net = state.net;
  if (!can_pull(net)) return 0;
  constexpr double looks = 6;
  const double width = as_double(net.site_width(net.depth - 2));
  const double last = products_of(net.layer(net.depth));
  const double ends = products_of(net.layer(net.depth - 2)) + last + (8 + variate) * width;
  return looks * (last + 4 * width + variate) + ends;
}

}  // namespace nnp
