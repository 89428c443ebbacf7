#include "lib/posterior/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/base/functions.hpp"
#include "lib/posterior/classical.hpp"
#include "lib/posterior/intermediate.hpp"
#include "lib/posterior/scales.hpp"

namespace nnp {

namespace {

// ---- the prior -----------------------------------------------------------------------------

// log of N(0, 1/lambda) over `count` values
double log_gaussian_prior(const double *values, int64_t count, double lambda) {
  if (count == 0) return 0;
  return 0.5 * static_cast<double>(count) * (fn::log(lambda) - log_two_pi) -
         0.5 * lambda * squared_norm(values, count);
}

// Log prior of weights whose precision depends on their input.
double log_weight_prior(const Layer &layer, const double *w) {
  if (!layer.lambda_in) return log_gaussian_prior(w, layer.weight_count, layer.lambda_w);
  const int64_t inputs = fan_in(layer);
  double logs = 0;
  for (int64_t i = 0; i < inputs; ++i) logs += fn::log(layer.lambda_in[i]) - log_two_pi;
  return 0.5 * static_cast<double>(unit_count(layer)) * logs -
         0.5 * weight_energy(layer, w, layer.weight_count);
}

double log_prior_term(const Layer &layer, const double *params) {
  return log_weight_prior(layer, layer.weights(params)) +
         log_gaussian_prior(layer.biases(params), layer.bias_count, layer.lambda_b);
}

double log_prior(const Net &net, const double *params) {
  double sum = 0;
  for (int64_t k = 1; k <= net.depth; ++k) sum += log_prior_term(net.layer(k), params);
  return net.scale_count == 0 ? sum : sum + log_hyperprior(net, params);
}

// gradient = -lambda * params; learned scales are fixed while gradients are followed
void prior_gradient(const Net &net, const double *params, double *gradient) {
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    const double *w = layer.weights(params);
    double *g = layer.weights(gradient);
    const int64_t inputs = layer.lambda_in ? fan_in(layer) : 1;
    for (int64_t i = 0; i < layer.weight_count; ++i)
      g[i] = -(layer.lambda_in ? layer.lambda_in[i % inputs] : layer.lambda_w) * w[i];
    for (int64_t i = layer.weight_count; i < layer.param_count(); ++i)
      g[i] = -layer.lambda_b * w[i];
  }
  std::fill_n(gradient + net.weight_params(), net.scale_count, 0.0);
}

// ---- sums over blocks ----------------------------------------------------------------------

void clear_block(const Net &net, BlockGradient &block) {
  std::memset(block.params, 0, static_cast<size_t>(net.weight_params()) * sizeof(double));
  std::memset(block.terms, 0, static_cast<size_t>(net.depth) * sizeof(double));
  block.outside = 0;
}

void visit(State &state, void *context, int64_t b, int64_t t) {
  const GradientPass &pass = *static_cast<const GradientPass *>(context);
  if (t == state.tiling.first_tile(b)) clear_block(state.net, pass.work->blocks[b]);
  pass.tile(state, pass, b, t);
}

// Sums the terms of all layers over blocks, for noise_term, into work.sums; then the number of rows
// outside.
void sum_terms(const State &state, const GradientWork &work) {
  const int64_t depth = state.net.depth;
  for (int64_t b = 0; b < state.tiling.blocks; ++b)
    work.blocks[b].terms[depth] = static_cast<double>(work.blocks[b].outside);
  sum_over_blocks(
      state, depth + 1, [&](int64_t b) { return work.blocks[b].terms; }, work.sums);
}

// A layer's part of the log likelihood, from its sum of squares (classical: the last layer's loss).
double noise_term(const State &state, int64_t k, double sum) {
  if (state.with_latents) return log_noise_term(state, k, sum);
  return k < state.net.depth ? 0 : log_loss_term(state, sum);
}

// Adds up the blocks' shares of the parameters' gradient, in the order of blocks.
void add_shares(const State &state, const GradientWork &work, double *gradient) {
  const int64_t count = state.net.weight_params();
  if (state.rows()) {
    sum_over_blocks(
        state, count, [&](int64_t b) { return work.blocks[b].params; }, work.total);
    for (int64_t i = 0; i < count; ++i) gradient[i] += work.total[i];
    return;
  }
  for (int64_t b = 0; b < state.tiling.blocks; ++b) {
    const double *share = work.blocks[b].params;
    for (int64_t i = 0; i < count; ++i) gradient[i] += share[i];
  }
}

int64_t rows_outside(const State &state, const GradientWork &work) {
  return static_cast<int64_t>(work.sums[state.net.depth]);
}

// -loss/(2D). For latent scores log Phi(z) is approximated by the log of the logistic function of
// 1.7 z.
LossScale scale_of_loss(const State &state) {
  const double noise = state.net.layer(state.net.depth).noise;
  const HeadOps &head = *ops_of(state.net.head);
  if (!state.with_latents || !head.latent) return {0.5 / noise / state.net.temperature_left(), 1};
  return {1, head.logits_per_sd / std::sqrt(noise)};
}

// The constant that log_loss_term adds, for both posteriors.
double log_noise_constant(const State &state) {
  const Net &net = state.net;
  const Layer &last = net.layer(net.depth);
  const HeadOps &head = *ops_of(net.head);
  if (last.learned_noise.count == 0 || (state.with_latents && head.latent)) return 0;
  return head.log_constant(net.head, state.tiling.total, net.outputs(), last.noise);
}

void layout_blocks(Arena &arena, const Net &net, const Tiling &tiling, bool with_sites,
                   GradientWork &work) {
  int64_t width = 0;
  for (int64_t k = 1; k <= net.depth; ++k) width += net.site_width(k);
  work.blocks = arena.take<BlockGradient>(tiling.blocks);
  for (int64_t b = 0; b < tiling.blocks; ++b) {
    BlockGradient block = {};
    block.params = arena.take<double>(net.weight_params());
    if (with_sites) block.sites = arena.take<double>(tiling.ld, width);
    block.terms = arena.take<double>(net.depth + 1);
    if (work.blocks) work.blocks[b] = block;
  }
  work.sums = arena.take<double>(net.depth + 1);
  work.total = arena.take<double>(net.weight_params());
}

double log_likelihood(const State &state, const GradientWork &work) {
  double sum = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k) sum += noise_term(state, k, work.sums[k - 1]);
  return sum;
}

// The sums of layers' terms at the state's position.
const double *layer_sums(State &state) {
  const int64_t depth = state.net.depth;
  if (state.with_latents) {
    layer_residuals(state, state.sums);
    return state.sums;
  }
  for (int64_t k = 1; k < depth; ++k) state.sums[k - 1] = 0;
  state.sums[depth - 1] = classical_loss(state);
  return state.sums;
}

// ---- what makes a density not finite ---------------------------------------------------------

Status check_mean(ConstTile mean, int64_t number, int64_t first_row, Error *err) {
  for (int64_t i = 0; i < mean.rows; ++i)
    for (int64_t j = 0; j < mean.width; ++j)
      if (!std::isfinite(mean.col(j)[i]))
        return fail(err, Status::not_finite,
                    "start: layer %lld gives %g for row %lld, expected a finite log density",
                    ll(number), mean.col(j)[i], ll(first_row + i));
  return Status::ok;
}

// Fails if the squares of one row alone overflow in layer k. The mean is compared with what it is
// fitted to.
Status check_residuals(const State &state, int64_t k, ConstTile mean, int64_t t, Error *err) {
  const bool with_targets = ops_of(state.net.head)->target == TargetKind::targets;
  if (k > state.last_latent && !(k == state.net.depth && with_targets)) return Status::ok;
  const ConstTile site = state.tile(k, t);
  const Layer &layer = state.net.layer(k);
  for (int64_t i = 0; i < mean.rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < site.width; ++j) {
      const double off = site.col(j)[i] - mean.col(j)[i];
      sum += off * off;
    }
    if (!std::isfinite(0.5 * sum / layer.noise))
      return fail(err, Status::not_finite,
                  "start: layer %lld misses row %lld by %g squared at noise %g, expected a finite "
                  "log density",
                  ll(layer.last_number), ll(state.tiling.first_row() + t * state.tiling.ld + i),
                  sum, layer.noise);
  }
  return Status::ok;
}

Status check_row_scores(const State &state, ConstTile scores, int64_t t, Error *err) {
  const HeadOps &head = *ops_of(state.net.head);
  for (int64_t i = 0; i < scores.rows; ++i)
    if (!head.feasible(state.labels(t), scores, i))
      return fail(err, Status::infeasible, "start: the scores of row %lld contradict its label %d",
                  ll(state.tiling.first_row() + t * state.tiling.ld + i),
                  static_cast<int>(state.labels(t)[i]));
  return Status::ok;
}

// Checks the sites layer by layer; the classical posterior has no noise.
Status check_tile(State &state, int64_t t, Error *err) {
  BlockWork &block = state.blocks[0];
  ConstTile in = state.tile(0, t);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    const Tile mean = {block.scratch[k % 2], in.rows, layer.out.size(), in.ld};
    ops_of(layer).forward(layer, state.params, in, mean, *state.kernels);
    Status status =
        check_mean(mean, layer.last_number, state.tiling.first_row() + t * state.tiling.ld, err);
    if (status == Status::ok) status = check_residuals(state, k, mean, t, err);
    if (status != Status::ok) return status;
    in = k <= state.last_latent ? state.tile(k, t) : ConstTile(mean);
  }
  if (state.last_latent < state.net.depth) return Status::ok;
  return check_row_scores(state, in, t, err);
}

// No single row is responsible: reports a layer whose terms are not finite or, if all are, the one
// with the largest.
Status check_layers(State &state, double log_density, Error *err) {
  const double *sums = layer_sums(state);
  int64_t worst = 1;
  double largest = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const double prior = log_prior_term(state.net.layer(k), state.params);
    const double noise = noise_term(state, k, sums[k - 1]);
    if (!std::isfinite(prior) || !std::isfinite(noise))
      return fail(
          err, Status::not_finite,
          "start: layer %lld has log prior %g and log likelihood %g, expected finite numbers",
          ll(state.net.layer(k).last_number), prior, noise);
    if (std::fabs(prior) + std::fabs(noise) <= largest) continue;
    largest = std::fabs(prior) + std::fabs(noise);
    worst = state.net.layer(k).last_number;
  }
  return fail(err, Status::not_finite,
              "start: its log density is %g, most of it from layer %lld, expected a finite number",
              log_density, ll(worst));
}

// Reports which variable is entry i of a position.
Status blame_gradient(const State &state, int64_t i, double value, Error *err) {
  if (i < state.net.weight_params()) {
    int64_t k = 1;
    while (i >= state.net.layer(k).first_param + state.net.layer(k).param_count()) ++k;
    return fail(err, Status::not_finite,
                "start: the gradient of parameter %lld, of layer %lld, is %g, expected a finite "
                "number",
                ll(i), ll(state.net.layer(k).first_number), value);
  }
  int64_t k = state.last_latent;
  while (i < state.latents[k] - state.params) --k;
  const int64_t inside = i - (state.latents[k] - state.params), ld = state.tiling.ld;
  const int64_t row = inside / (ld * state.net.site_width(k)) * ld + inside % ld;
  return fail(err, Status::not_finite,
              "start: the gradient of site %lld, row %lld, is %g, expected a finite number",
              ll(state.net.layer(k).last_number), ll(state.tiling.first_row() + row), value);
}

}  // namespace

void gradient_layout(Arena &arena, const State &state, GradientWork &work) {
  layout_blocks(arena, state.net, state.tiling, !state.with_latents, work);
}

void weights_gradient_layout(Arena &arena, const Net &net, const Tiling &tiling,
                             GradientWork &work) {
  layout_blocks(arena, net, tiling, true, work);
}

Density density_and_gradient(State &state, GradientWork &work, const double *position,
                             double *gradient) {
  const auto tile = state.with_latents ? intermediate_tile : classical_tile;
  GradientPass pass = {&work, position, gradient, tile, scale_of_loss(state)};
  for_each_tile(state, visit, &pass);
  prior_gradient(state.net, position, gradient);
  sum_terms(state, work);
  const double value = log_likelihood(state, work) + log_prior(state.net, position);
  add_shares(state, work, gradient);
  return {value, rows_outside(state, work)};
}

Density weights_density_and_gradient(State &state, GradientWork &work, const double *position,
                                     double *gradient, double even_noise) {
  GradientPass pass = {&work, position, gradient, classical_tile, scale_of_loss(state)};
  if (even_noise > 0) pass.loss = {0.5 / even_noise / state.net.temperature_left(), 1, true};
  for_each_tile(state, visit, &pass);
  prior_gradient(state.net, position, gradient);
  sum_terms(state, work);
  const double loss = work.sums[state.net.depth - 1];
  const double value =
      -pass.loss.factor * loss + log_noise_constant(state) + log_prior(state.net, position);
  add_shares(state, work, gradient);
  return {value, rows_outside(state, work), loss};
}

Status check_single(const Net &net, bool with_latents, const char *what, Error *err) {
  if (with_latents)
    return fail(err, Status::unsupported,
                "%s: only the classical posterior has gradients in single precision", what);
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (!ops_of(layer).single_forward)
      return fail(err, Status::unsupported,
                  "%s: layer %lld (%s) has no gradient in single precision, expected dense layers "
                  "and activations",
                  what, ll(layer.first_number), layer_name(layer));
  }
  return Status::ok;
}

void single_layout(Arena &arena, const State &state, GradientWork &work) {
  SingleWork &single = work.single;
  single = {};
  if (check_single(state.net, state.with_latents, "", nullptr) != Status::ok) return;
  int64_t width = 0, widest = 0;
  for (int64_t k = 0; k <= state.net.depth; ++k) {
    width += state.net.site_width(k);
    widest = std::max(widest, k > 0 ? state.net.site_width(k) : 0);
  }
  single.ld = single_rows_for(state.tiling.ld);
  single.params = arena.take<float>(state.net.weight_params());
  single.blocks = arena.take<SingleBlock>(state.tiling.blocks);
  for (int64_t b = 0; b < state.tiling.blocks; ++b) {
    SingleBlock block = {};
    block.sites = arena.take<float>(single.ld, width);
    for (float *&gradient : block.gradients) gradient = arena.take<float>(single.ld, widest);
    if (single.blocks) single.blocks[b] = block;
  }
}

void single_gradient(State &state, GradientWork &work, const double *position, double *gradient) {
  const int64_t count = state.net.weight_params();
  for (int64_t i = 0; i < count; ++i) work.single.params[i] = static_cast<float>(position[i]);
  GradientPass pass = {&work, position, gradient, single_tile, scale_of_loss(state)};
  for_each_tile(state, visit, &pass);
  prior_gradient(state.net, position, gradient);
  add_shares(state, work, gradient);
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(gradient[i])) {
      density_and_gradient(state, work, position, gradient);
      return;
    }
}

Density density_alone(State &state, GradientWork &work, const double *position) {
  GradientPass pass = {&work, position, nullptr, classical_loss_tile, scale_of_loss(state)};
  for_each_tile(state, visit, &pass);
  sum_terms(state, work);
  return {log_likelihood(state, work) + log_prior(state.net, position), 0};
}

double log_likelihood_of_state(State &state) {
  const double *sums = layer_sums(state);
  double sum = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k) sum += noise_term(state, k, sums[k - 1]);
  return sum;
}

double log_density(State &state) {
  return log_prior(state.net, state.params) + log_likelihood_of_state(state);
}

void log_density_terms(State &state, double *log_noise, double *log_prior_terms,
                       double *residuals) {
  const double *sums = layer_sums(state);
  for (double *terms : {log_noise, log_prior_terms, residuals})
    if (terms) std::fill_n(terms, state.net.described_depth(), 0.0);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    if (log_noise) log_noise[layer.last_number - 1] = noise_term(state, k, sums[k - 1]);
    if (log_prior_terms)
      log_prior_terms[layer.first_number - 1] =
          log_prior_term(layer, state.params) + log_hyperprior_term(state.net, k, state.params);
    if (residuals) residuals[layer.last_number - 1] = sums[k - 1];
  }
}

Status check_density(State &state, const Density &density, const double *gradient, Error *err) {
  Status status = Status::ok;
  if (!std::isfinite(density.log_density) || density.outside > 0) {
    for (int64_t t = 0; t < state.tiling.tiles && status == Status::ok; ++t)
      status = check_tile(state, t, err);
    return status == Status::ok ? check_layers(state, density.log_density, err) : status;
  }
  for (int64_t i = 0; i < state.position_size; ++i)
    if (!std::isfinite(gradient[i])) return blame_gradient(state, i, gradient[i], err);
  return Status::ok;
}

}  // namespace nnp
