// The Gibbs sampler of the intermediate noise posterior. Every site is drawn by the layer (or head)
// above it, every (W, b) from its Gaussian; a pass draws some sites tile by tile and, while a tile
// is in cache, adds its share of the sums that the next draws of weights need.
#include <cmath>
#include <cstring>

#include "lib/linalg/cholesky.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/chain.hpp"

namespace nnp {

namespace {

// The conditional of a layer's (W, b): precision (gram + D Lambda) / D, mean from cross (eq.
// cond_W).
struct WeightDraw {
  int64_t order = 0, units = 0;
  bool constant_gram = false;    // the input is the data: gram and factor are computed once
  double *gram = nullptr;        // order x order, lower triangle
  double *factor = nullptr;      // Cholesky factor of gram + D Lambda
  double *cross = nullptr;       // order x units
  double *normals = nullptr;     // order x units
  double *block_gram = nullptr;  // each block's share
  double *block_cross = nullptr;
};

struct Gibbs {
  WeightDraw *weights;  // one a layer
  InputFactor *inputs;  // one a layer
};

int64_t gram_size(const WeightDraw &w) {
  return w.order * w.order;
}

int64_t cross_size(const WeightDraw &w) {
  return w.order * w.units;
}

WeightDraw weight_layout(Arena &arena, const State &state, int64_t k) {
  const Layer &layer = state.net.layer(k);
  WeightDraw w;
  w.order = ops_of(layer).order(layer);
  w.units = ops_of(layer).units(layer);
  w.constant_gram = k == 1;
  w.gram = arena.take<double>(w.order, w.order);
  w.factor = arena.take<double>(w.order, w.order);
  w.cross = arena.take<double>(w.order, w.units);
  w.normals = arena.take<double>(w.order, w.units);
  if (!w.constant_gram) w.block_gram = arena.take<double>(state.tiling.blocks * w.order, w.order);
  w.block_cross = arena.take<double>(state.tiling.blocks * w.order, w.units);
  return w;
}

void *layout(Arena &arena, const State &state) {
  const int64_t depth = state.net.depth;
  Gibbs *gibbs = arena.take<Gibbs>(1);
  WeightDraw *weights = arena.take<WeightDraw>(depth);
  InputFactor *inputs = arena.take<InputFactor>(depth);
  for (int64_t k = 1; k <= depth; ++k) {
    const WeightDraw w = weight_layout(arena, state, k);
    InputFactor input;
    if (k > 1) ops_of(state.net.layer(k)).input_layout(arena, state.net.layer(k), input);
    if (weights) weights[k - 1] = w;
    if (inputs) inputs[k - 1] = input;
  }
  if (gibbs) *gibbs = {weights, inputs};
  return gibbs;
}

Gibbs &gibbs_of(Chain &chain) {
  return *static_cast<Gibbs *>(chain.own);
}

Status check(const Net &net, PosteriorKind posterior, Error *err) {
  if (posterior != PosteriorKind::intermediate)
    return fail(err, Status::unsupported,
                "sampler gibbs: the classical posterior has no simple conditionals, expected "
                "posterior intermediate");
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (!ops_of(layer).drawable || ops_of(layer).drawable(layer)) continue;
    return fail(err, Status::unsupported,
                "sampler gibbs: the input of layer %lld (%s) has no exact draw, expected piecewise "
                "linear activations, or sampler hmc, mala or nuts",
                static_cast<long long>(k), layer_name(layer));
  }
  return Status::ok;
}

// ---- the draw of weights -------------------------------------------------------------------

Status factor_weights(const Layer &layer, int64_t k, WeightDraw &w, Error *err) {
  std::memcpy(w.factor, w.gram, static_cast<size_t>(gram_size(w)) * sizeof(double));
  for (int64_t j = 0; j < w.order; ++j) {
    const bool is_bias = layer.bias && j == w.order - 1;
    w.factor[j * w.order + j] += layer.noise * (is_bias ? layer.lambda_b : layer.lambda_w);
  }
  if (cholesky(w.factor, w.order, w.order)) return Status::ok;
  return fail(err, Status::numeric,
              "layer %lld: the precision of its weights is not positive definite in double "
              "precision (noise %g, lambda_w %g)",
              static_cast<long long>(k), layer.noise, layer.lambda_w);
}

void sum_blocks(const double *shares, int64_t blocks, int64_t size, double *sum) {
  std::memcpy(sum, shares, static_cast<size_t>(size) * sizeof(double));
  for (int64_t b = 1; b < blocks; ++b)
    for (int64_t i = 0; i < size; ++i) sum[i] += shares[b * size + i];
}

// Unit by unit: the last of each column of the draw is the bias.
void store_weights(const Layer &layer, const WeightDraw &w, double *params) {
  double *weights = layer.weights(params);
  double *biases = weights + layer.weight_count;
  const int64_t fan_in = layer.bias ? w.order - 1 : w.order;
  for (int64_t u = 0; u < w.units; ++u) {
    std::memcpy(weights + u * fan_in, w.cross + u * w.order,
                static_cast<size_t>(fan_in) * sizeof(double));
    if (layer.bias) biases[u] = w.cross[u * w.order + fan_in];
  }
}

Status draw_weights(Chain &chain, int64_t k, Error *err) {
  State &state = chain.state;
  const Layer &layer = state.net.layer(k);
  WeightDraw &w = gibbs_of(chain).weights[k - 1];
  if (w.units == 0) return Status::ok;
  const int64_t blocks = state.tiling.blocks;
  sum_blocks(w.block_cross, blocks, cross_size(w), w.cross);
  if (!w.constant_gram) {
    sum_blocks(w.block_gram, blocks, gram_size(w), w.gram);
    const Status status = factor_weights(layer, k, w, err);
    if (status != Status::ok) return status;
  }
  fill_normal(state.layer_streams[k - 1], w.normals, cross_size(w));
  // (W b)' = L^-T (L^-1 cross + sqrt(D) z)
  const GaussianColumns gaussian = {
      w.factor, w.order, w.order, w.cross, w.units, w.order, std::sqrt(layer.noise)};
  draw_columns(gaussian, w.normals, w.order, w.cross, w.order, state.kernels);
  store_weights(layer, w, state.params);
  return Status::ok;
}

struct WeightJob {
  Chain *chain;
  int64_t first;
  Error *err;
  int64_t failed;  // the first layer that failed, or 0
};

void draw_weights_task(void *argument, int64_t index) {
  WeightJob &job = *static_cast<WeightJob *>(argument);
  const int64_t k = job.first + index;
  if (draw_weights(*job.chain, k, nullptr) == Status::ok) return;
  int64_t none = 0;
  __atomic_compare_exchange_n(&job.failed, &none, k, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Layers are independent given the sites.
Status draw_all_weights(Chain &chain, Error *err) {
  WeightJob job = {&chain, 1, err, 0};
  pool_run(chain.state.pool, chain.state.net.depth, draw_weights_task, &job);
  if (job.failed == 0) return Status::ok;
  const Layer &layer = chain.state.net.layer(job.failed);
  return factor_weights(layer, job.failed, gibbs_of(chain).weights[job.failed - 1], err);
}

// ---- passes over the rows ------------------------------------------------------------------

// Draws sites first_site, first_site + 2, … last_site, then adds to the sums of layers
// first_sum … last_sum.
struct Pass {
  Gibbs *gibbs;
  int64_t first_site, last_site;
  int64_t first_sum, last_sum;
};

void draw_site(State &state, const Gibbs &gibbs, BlockWork &block, int64_t k, int64_t t) {
  const Layer &below = state.net.layer(k);
  const Tile mean = state.mean_tile(block, k, t);
  mean_of_site(state, k, t, mean);
  const Tile site = state.latent_tile(k, t);
  if (k == state.net.depth) {
    ops_of(state.net.head)
        ->draw(mean, below.noise, state.labels(t), block.stream, site, block.counts);
    return;
  }
  const Layer &above = state.net.layer(k + 1);
  const SiteDraw draw = {mean, below.noise, state.tile(k + 1, t), site};
  ops_of(above).draw_input(above, state.params, gibbs.inputs[k], draw, state.work(block));
}

void add_sums(State &state, const WeightDraw &w, int64_t k, int64_t b, int64_t t) {
  if (w.units == 0) return;
  const Layer &layer = state.net.layer(k);
  const LayerOps &ops = ops_of(layer);
  const ConstTile in = state.tile(k - 1, t);
  double *cross = w.block_cross + b * cross_size(w);
  const bool first = t == state.tiling.first_tile(b);
  if (first) std::memset(cross, 0, static_cast<size_t>(cross_size(w)) * sizeof(double));
  ops.add_cross(layer, in, state.tile(k, t), cross, *state.kernels);
  if (w.constant_gram) return;
  double *gram = w.block_gram + b * gram_size(w);
  if (first) std::memset(gram, 0, static_cast<size_t>(gram_size(w)) * sizeof(double));
  ops.add_gram(layer, in, gram, *state.kernels);
}

void pass_tile(State &state, void *context, int64_t b, int64_t t) {
  const Pass &pass = *static_cast<const Pass *>(context);
  for (int64_t k = pass.first_site; k <= pass.last_site; k += 2)
    draw_site(state, *pass.gibbs, state.blocks[b], k, t);
  for (int64_t k = pass.first_sum; k <= pass.last_sum; ++k)
    add_sums(state, pass.gibbs->weights[k - 1], k, b, t);
}

Status run_pass(Chain &chain, Pass pass, Error *err) {
  State &state = chain.state;
  Gibbs &gibbs = gibbs_of(chain);
  for (int64_t k = pass.first_site; k <= pass.last_site && k < state.net.depth; k += 2) {
    const Layer &above = state.net.layer(k + 1);
    if (ops_of(above).factor_input(above, state.params, state.net.layer(k).noise, gibbs.inputs[k]))
      continue;
    return fail(err, Status::numeric,
                "layer %lld: the precision of its input is not positive definite in double "
                "precision (noise %g)",
                static_cast<long long>(k + 1), above.noise);
  }
  pass.gibbs = &gibbs;
  for_each_tile(state, pass_tile, &pass);
  return Status::ok;
}

// A pass that draws one site. The sums of layer 1 follow site 1: its input never changes.
Status pass_site(Chain &chain, int64_t k, int64_t first_sum, int64_t last_sum, Error *err) {
  if (k == 1) first_sum = 1;
  return run_pass(chain, {nullptr, k, k, first_sum, last_sum}, err);
}

// ---- the two schedules ---------------------------------------------------------------------

// The paper's Algorithm 1: W1, then for each hidden layer X, W, Z.
Status sequential_step(Chain &chain, Error *err) {
  const int64_t depth = chain.state.net.depth, last = chain.state.net.last_latent();
  Status status = draw_weights(chain, 1, err);
  for (int64_t k = 2; k <= last && status == Status::ok; k += 2) {
    status = pass_site(chain, k, k, std::min(k + 1, depth), err);
    if (status == Status::ok) status = draw_weights(chain, k, err);
    if (status == Status::ok && k < depth) status = draw_weights(chain, k + 1, err);
    if (status == Status::ok) status = pass_site(chain, k - 1, 1, k == 2 ? 1 : 0, err);
  }
  if (last % 2 == 0 || status != Status::ok) return status;
  // An odd number of latent sites: the last one, and the weights of the layer above it if any.
  const int64_t above = std::min(last + 1, depth);
  status = pass_site(chain, last, last + 1, above, err);
  if (status == Status::ok && above > last) status = draw_weights(chain, above, err);
  return status;
}

// The paper's Algorithm 2: all X (even sites), all W, all Z (odd sites).
Status parallel_step(Chain &chain, Error *err) {
  const int64_t depth = chain.state.net.depth, last = chain.state.net.last_latent();
  Status status = run_pass(chain, {nullptr, 2, last, 2, depth}, err);
  if (status == Status::ok) status = draw_all_weights(chain, err);
  if (status == Status::ok) status = run_pass(chain, {nullptr, 1, last, 1, 1}, err);
  return status;
}

Status step(Chain &chain, Error *err) {
  const bool parallel = chain.options[Option::schedule] == static_cast<double>(Schedule::parallel);
  return parallel ? parallel_step(chain, err) : sequential_step(chain, err);
}

// The constant factor of layer 1, and its first sums.
Status prepare(Chain &chain, Error *err) {
  State &state = chain.state;
  WeightDraw &w = gibbs_of(chain).weights[0];
  if (w.units > 0) {
    const Layer &layer = state.net.layer(1);
    std::memset(w.gram, 0, static_cast<size_t>(gram_size(w)) * sizeof(double));
    for (int64_t t = 0; t < state.tiling.tiles; ++t)
      ops_of(layer).add_gram(layer, state.tile(0, t), w.gram, *state.kernels);
    const Status status = factor_weights(layer, 1, w, err);
    if (status != Status::ok) return status;
  }
  return run_pass(chain, {nullptr, 1, 0, 1, 1}, err);
}

}  // namespace

const SamplerOps gibbs_ops = {"gibbs", check, layout, prepare, step, nullptr};

}  // namespace nnp
