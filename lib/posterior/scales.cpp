#include "lib/posterior/scales.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

// Gamma draws with a small shape may underflow.
double bounded(double precision) {
  return std::fmin(std::fmax(precision, 1e-100), 1e100);
}

double value_of(ScaleKind kind, double precision) {
  return kind == ScaleKind::noise ? 1 / precision : precision;
}

// Gamma(a + count/2, rate a/m + squares/2)
struct Conditional {
  double shape, rate;
};

Conditional conditional_of(const Hyperprior &prior, const ScaleSums &sums) {
  return {prior.shape + 0.5 * sums.count, prior.shape / prior.mean + 0.5 * sums.squares};
}

// params[i] = value of precision(kind, prior, i) for every scale
template <class Precision>
void set_scales(const Net &net, Noises noises, double *params, Precision precision) {
  for_each_scale(net, [&](ScaleKind kind, int64_t, const LearnedScale &scale) {
    if (kind == ScaleKind::noise && noises == Noises::held) return;
    for (int64_t i = scale.first; i < scale.first + scale.count; ++i)
      params[i] = value_of(kind, bounded(precision(kind, scale.prior, i)));
  });
}

void put_in_force(State &state, Noises noises) {
  if (noises == Noises::free) take_noises(state.net, state.params);
  take_precisions(state.net, state.params);
}

// ---- squares ---------------------------------------------------------------------------------

ScaleSums &sums_at(State &state, int64_t param) {
  return state.scale_sums[param - state.net.weight_params()];
}

// Adds a unit's weights, which are contiguous: to the sums of input i, or to one sum for all.
void add_weights(State &state, const Layer &layer) {
  const LearnedScale &scale = layer.learned_w;
  const double *w = layer.weights(state.params);
  const int64_t inputs = fan_in(layer);
  for (int64_t i = 0; i < layer.weight_count; ++i) {
    ScaleSums &sums = sums_at(state, scale.first + (scale.by_input ? i % inputs : 0));
    sums.count += 1;
    sums.squares += w[i] * w[i];
  }
}

void add_biases(State &state, const Layer &layer) {
  ScaleSums &sums = sums_at(state, layer.learned_b.first);
  const double *b = layer.biases(state.params);
  sums.count += static_cast<double>(layer.bias_count);
  sums.squares += squared_norm(b, layer.bias_count);
}

double last_squares(State &state, ConstTile f, BlockWork &block, int64_t t, RowScales rows) {
  const Net &net = state.net;
  const HeadOps &head = *ops_of(net.head);
  const ConstTile site = state.tiling.tile(state.site(net.depth), state.site_columns(net.depth), t);
  const Outcomes outcomes = {f, site, state.labels(t), net.layer(net.depth).noise, net.temperature};
  const auto squares = state.with_latents ? head.noise_squares : head.classical_noise_squares;
  return squares(net.head, outcomes, rows == RowScales::drawn ? &block.stream : nullptr);
}

void add_site_squares(State &state, void *context, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  const int64_t depth = state.net.depth;
  for (int64_t k = 1; k <= depth; ++k) {
    if (state.net.layer(k).learned_noise.count == 0) continue;
    const Tile mean = state.mean_tile(block, k, t);
    mean_of_site(state, k, t, mean);
    block.sums[k - 1] +=
        k < depth ? state.kernels->subtract(state.tile(k, t), mean, 1, mean)
                  : last_squares(state, mean, block, t, *static_cast<const RowScales *>(context));
  }
}

// The classical posterior has noise in the last layer only.
void add_output_squares(State &state, void *context, int64_t b, int64_t t) {
  BlockWork &block = state.blocks[b];
  ConstTile in = state.tile(0, t);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    const Tile out = {block.scratch[k % 2], in.rows, layer.out.size(), in.ld};
    ops_of(layer).forward(layer, state.params, in, out, *state.kernels);
    in = out;
  }
  block.sums[state.net.depth - 1] +=
      last_squares(state, in, block, t, *static_cast<const RowScales *>(context));
}

bool learns_noise(const Net &net) {
  bool found = false;
  for (int64_t k = 1; k <= net.depth; ++k) found |= net.layer(k).learned_noise.count > 0;
  return found;
}

void add_noises(State &state, RowScales rows) {
  const Net &net = state.net;
  for (int64_t b = 0; b < state.tiling.blocks; ++b)
    for (int64_t k = 0; k < net.depth; ++k) state.blocks[b].sums[k] = 0;
  for_each_tile(state, state.with_latents ? add_site_squares : add_output_squares, &rows);
  sum_over_blocks(
      state, net.depth, [&](int64_t b) { return state.blocks[b].sums; }, state.sums);
  for (int64_t k = state.with_latents ? 1 : net.depth; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (layer.learned_noise.count == 0) continue;
    const double squares = state.sums[k - 1];
    ScaleSums &sums = sums_at(state, layer.learned_noise.first);
    const double values =
        static_cast<double>(state.tiling.total) * static_cast<double>(net.site_width(k));
    // p(y | f)^(1/T) has 1/D to the power of half the number of targets over T
    sums.count += k == net.depth && k > state.last_latent ? values / net.temperature : values;
    sums.squares += squares / layer.multiple;
  }
}

// Log density of x = D or lambda, where the precision is Gamma(a, rate r): a log r - log Gamma(a) +
// (a - 1) log lambda - r lambda; for D, with 1/D for lambda, plus the log derivative of 1/D.
double log_density_of(ScaleKind kind, const Hyperprior &prior, double x) {
  const double a = prior.shape, r = a / prior.mean;
  const double constant = a * fn::log(r) - log_gamma(a);
  if (kind == ScaleKind::noise) return constant - (a + 1) * fn::log(x) - r / x;
  return constant + (a - 1) * fn::log(x) - r * x;
}

double log_density_of(ScaleKind kind, const LearnedScale &scale, const double *params) {
  double sum = 0;
  for (int64_t i = scale.first; i < scale.first + scale.count; ++i)
    sum += log_density_of(kind, scale.prior, params[i]);
  return sum;
}

}  // namespace

void scales_at_means(Net &net, double *params) {
  set_scales(net, Noises::free, params,
             [](ScaleKind, const Hyperprior &p, int64_t) { return p.mean; });
  take_scales(net, params);
}

void draw_prior_scales(Net &net, Stream &stream, double *params) {
  set_scales(net, Noises::free, params, [&stream](ScaleKind, const Hyperprior &prior, int64_t) {
    return gamma(stream, prior.shape) * prior.mean / prior.shape;
  });
  take_scales(net, params);
}

void find_scale_sums(State &state, Noises noises, RowScales rows) {
  const Net &net = state.net;
  std::fill_n(state.scale_sums, net.scale_count, ScaleSums{});
  for_each_scale(net, [&](ScaleKind kind, int64_t k, const LearnedScale &) {
    if (kind == ScaleKind::weights) add_weights(state, net.layer(k));
    if (kind == ScaleKind::biases) add_biases(state, net.layer(k));
  });
  if (noises == Noises::free && learns_noise(net)) add_noises(state, rows);
}

void draw_scales(State &state, Noises noises) {
  if (state.net.scale_count == 0) return;
  find_scale_sums(state, noises, RowScales::drawn);
  set_scales(state.net, noises, state.params,
             [&state](ScaleKind, const Hyperprior &prior, int64_t i) {
               const Conditional c = conditional_of(prior, sums_at(state, i));
               return gamma(state.scale_stream, c.shape) / c.rate;
             });
  put_in_force(state, noises);
}

double values_left(const State &state, double fitted) {
  const double values = static_cast<double>(state.tiling.total * state.net.targets());
  return std::max(values - fitted, 0.75 * values);
}

void fit_scales(State &state, double fitted, Precisions precisions) {
  constexpr double loose = 0.05;  // fraction of the mean
  Net &net = state.net;
  if (net.scale_count == 0) return;
  find_scale_sums(state, Noises::held, RowScales::expected);
  const Layer &last = net.layer(net.depth);
  if (last.learned_noise.count > 0 && !ops_of(net.head)->latent) {
    RowScales rows = RowScales::expected;
    const int64_t k = net.depth;
    for (int64_t b = 0; b < state.tiling.blocks; ++b) state.blocks[b].sums[k - 1] = 0;
    for_each_tile(state, add_output_squares, &rows);
    ScaleSums &sums = sums_at(state, last.learned_noise.first);
    sums.count = values_left(state, fitted);
    if (state.rows()) {
      sum_over_blocks(
          state, 1, [&](int64_t b) { return state.blocks[b].sums + k - 1; }, state.sums);
      sums.squares = state.sums[0] / last.multiple;
    }
    for (int64_t b = 0; b < state.tiling.blocks && !state.rows(); ++b)
      sums.squares += state.blocks[b].sums[k - 1] / last.multiple;
  }
  set_scales(net, Noises::free, state.params,
             [&](ScaleKind kind, const Hyperprior &prior, int64_t i) {
               if (kind != ScaleKind::noise && precisions == Precisions::loose)
                 return loose * prior.mean;
               // a noise that is held
               if (sums_at(state, i).count == 0) return 1 / state.params[i];
               const Conditional c = conditional_of(prior, sums_at(state, i));
               return c.shape / c.rate;
             });
  put_in_force(state, Noises::free);
}

double log_hyperprior_term(const Net &net, int64_t k, const double *params) {
  const Layer &layer = net.layer(k);
  double sum = log_density_of(ScaleKind::weights, layer.learned_w, params) +
               log_density_of(ScaleKind::biases, layer.learned_b, params);
  if (!net.tied || k == net.depth)
    sum += log_density_of(ScaleKind::noise, layer.learned_noise, params);
  return sum;
}

double log_hyperprior(const Net &net, const double *params) {
  double sum = 0;
  for (int64_t k = 1; k <= net.depth; ++k) sum += log_hyperprior_term(net, k, params);
  return sum;
}

}  // namespace nnp
