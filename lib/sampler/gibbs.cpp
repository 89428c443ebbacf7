// The Gibbs sampler of the intermediate noise posterior. Every site is drawn by the layer (or head)
// above it, every (W, b) from its Gaussian. A pass draws some sites tile by tile and, while a tile
// is in cache, adds its share of the sums needed for the next draws of weights.
#include <cstring>
#include <utility>

#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

void input_layout(Arena &arena, const Net &net, int64_t k, InputFactor &input) {
  const Layer &layer = net.layer(k);
  const auto own = ops_of(layer).input_layout;
  (net.has_row_scales(k) ? ops_of(layer).row_scaled->input_layout : own)(arena, layer, input);
}

void *layout(Arena &arena, const State &state) {
  const int64_t depth = state.net.depth;
  Gibbs *gibbs = arena.take<Gibbs>(1);
  WeightDraw *weights = arena.take<WeightDraw>(depth);
  InputFactor *inputs = arena.take<InputFactor>(depth);
  for (int64_t k = 1; k <= depth; ++k) {
    const WeightDraw w = weight_layout(arena, state, k);
    InputFactor input;
    if (k > 1) input_layout(arena, state.net, k, input);
    if (weights) weights[k - 1] = w;
    if (inputs) inputs[k - 1] = input;
  }
  UnitScratch unit;
  unit_layout(arena, state, unit);
  void **moves = moves_layout(arena, state);
  const int64_t scales = state.net.has_row_scales(depth) ? state.tiling.size(1) : 0;
  double *row_scales = arena.take<double>(scales);
  double *path = gibbs_path_layout(arena, state);
  if (gibbs) *gibbs = {weights, inputs, Relax{}, 0, nullptr, true, row_scales, unit, moves, path};
  return gibbs;
}

Status check(const Net &net, PosteriorKind posterior, Error *err) {
  if (posterior != PosteriorKind::intermediate)
    return fail(err, Status::unsupported,
                "sampler gibbs: the classical posterior has no simple conditionals, expected "
                "posterior intermediate");
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (const char *reason = ops_of(layer).no_exact_draw(layer))
      return fail(err, Status::unsupported,
                  "sampler gibbs: the input of layer %lld (%s) has no exact draw, %s",
                  static_cast<long long>(layer.first_number), layer_name(layer), reason);
  }
  const HeadOps &head = *ops_of(net.head);
  if (head.no_exact_draw)
    return fail(err, Status::unsupported, "sampler gibbs: head %s, %s", head.name,
                head.no_exact_draw);
  const Layer &last = net.layer(net.depth);
  if (net.has_row_scales(net.depth) && !ops_of(last).row_scaled)
    return fail(err, Status::unsupported,
                "sampler gibbs: head %s gives every row its own noise, which layer %lld (%s) does "
                "not support, expected a dense last layer, or sampler hmc, mala or nuts",
                ops_of(net.head)->name, static_cast<long long>(net.depth), layer_name(last));
  return Status::ok;
}

void draw_weights_task(void *argument, int64_t index) {
  Chain &chain = *static_cast<Chain *>(argument);
  Gibbs &gibbs = gibbs_of(chain);
  WeightDraw &w = gibbs.weights[index];
  w.failed = draw_weights(chain, index + 1, gibbs.relax, nullptr) != Status::ok;
}

// Draws the weights of all layers, which are independent given the sites. If one fails, its draw is
// repeated to get the error message.
Status draw_all_weights(Chain &chain, Error *err) {
  // Ranks must sum in the same order, so layers are drawn one after the other.
  Pool *pool = chain.state.rows() ? nullptr : chain.state.pool;
  pool_run(pool, chain.state.net.depth, draw_weights_task, &chain);
  for (int64_t k = 1; k <= chain.state.net.depth; ++k) {
    WeightDraw &w = gibbs_of(chain).weights[k - 1];
    if (!w.failed) continue;
    const Status status = factor_weights(chain.state, k, w, err);
    return status == Status::ok ? check_weights(k, w, err) : status;
  }
  return Status::ok;
}

// ---- passes over the rows ------------------------------------------------------------------

void draw_scores(State &state, const Gibbs &gibbs, BlockWork &block, Tile mean, Tile site,
                 int64_t t) {
  const HeadOps &head = *ops_of(state.net.head);
  const double noise = state.net.layer(state.net.depth).noise;
  if (gibbs.relax.keep == 0)
    head.draw(mean, noise, state.labels(t), block.stream, site, block.counts, *state.draws);
  else
    head.relax(mean, noise, state.labels(t), gibbs.relax, block.stream, site);
}

// Where the mean of site k goes: a draw in place leaves more of the second cache to weights.
Tile tile_for_mean(const State &state, const Gibbs &gibbs, const BlockWork &block, int64_t k,
                   int64_t t) {
  const bool in_place = k < state.net.depth && ops_of(state.net.layer(k + 1)).draws_in_place &&
                        !state.net.has_row_scales(k + 1) && gibbs.relax.keep == 0;
  return in_place ? state.latent_tile(k, t) : state.mean_tile(block, k, t);
}

void draw_site(State &state, const Gibbs &gibbs, BlockWork &block, int64_t k, int64_t t) {
  const Layer &below = state.net.layer(k);
  const Tile mean = tile_for_mean(state, gibbs, block, k, t);
  mean_of_site(state, k, t, mean);
  const Tile site = state.latent_tile(k, t);
  if (k == state.net.depth) return draw_scores(state, gibbs, block, mean, site, t);
  const Layer &above = state.net.layer(k + 1);
  const SiteDraw draw = {mean, below.noise, state.tile(k + 1, t), site, gibbs.relax};
  if (const double *scales = scales_of(state, gibbs, k + 1, t))
    return ops_of(above).row_scaled->draw_input(above, state.params, gibbs.inputs[k], draw, scales,
                                                state.work(block));
  ops_of(above).draw_input(above, state.params, gibbs.inputs[k], draw, state.work(block));
}

// Adds a tile's share of the sums of a layer whose rows have scales.
void add_scaled_sums(State &state, const WeightDraw &w, const double *scales, int64_t k, int64_t b,
                     int64_t t) {
  const Layer &layer = state.net.layer(k);
  double *cross = w.block_cross + b * cross_size(w), *gram = w.block_gram + b * gram_size(w);
  if (t == state.tiling.first_tile(b)) {
    std::memset(cross, 0, static_cast<size_t>(cross_size(w)) * sizeof(double));
    std::memset(gram, 0, static_cast<size_t>(gram_size(w)) * sizeof(double));
  }
  double *scratch = w.scaled + b * state.tiling.ld * (w.order + w.units);
  ops_of(layer).row_scaled->add_sums(layer, state.tile(k - 1, t), state.tile(k, t), scales, gram,
                                     cross, scratch, *state.kernels);
}

void start_cross(const Layer &layer, ConstTile in, ConstTile out, const WeightDraw &w,
                 double *cross, const Kernels &kernels) {
  const LayerOps &ops = ops_of(layer);
  if (ops.start_cross) return ops.start_cross(layer, in, out, cross, kernels);
  std::memset(cross, 0, static_cast<size_t>(cross_size(w)) * sizeof(double));
  ops.add_cross(layer, in, out, cross, kernels);
}

void start_gram(const Layer &layer, ConstTile in, const WeightDraw &w, double *gram,
                const Kernels &kernels) {
  const LayerOps &ops = ops_of(layer);
  if (ops.start_gram) return ops.start_gram(layer, in, gram, kernels);
  for (int64_t j = 0; j < w.order; ++j) std::fill_n(gram + j * (w.order + 1), w.order - j, 0.0);
  ops.add_gram(layer, in, gram, kernels);
}

void add_sums(State &state, const Gibbs &gibbs, int64_t k, int64_t b, int64_t t) {
  const WeightDraw &w = gibbs.weights[k - 1];
  if (w.units == 0) return;
  if (const double *scales = scales_of(state, gibbs, k, t))
    return add_scaled_sums(state, w, scales, k, b, t);
  const Layer &layer = state.net.layer(k);
  const LayerOps &ops = ops_of(layer);
  const ConstTile in = state.tile(k - 1, t);
  double *cross = w.block_cross + b * cross_size(w);
  const bool first = t == state.tiling.first_tile(b);
  if (first) {
    start_cross(layer, in, state.tile(k, t), w, cross, *state.kernels);
  } else {
    ops.add_cross(layer, in, state.tile(k, t), cross, *state.kernels);
  }
  if (w.constant_gram) return;
  double *gram = w.block_gram + b * gram_size(w);
  if (first) return start_gram(layer, in, w, gram, *state.kernels);
  ops.add_gram(layer, in, gram, *state.kernels);
}

void pass_tile(State &state, void *context, int64_t b, int64_t t) {
  const Pass &pass = *static_cast<const Pass *>(context);
  for (int64_t k = pass.first_site; k <= pass.last_site; k += 2)
    draw_site(state, *pass.gibbs, state.blocks[b], k, t);
  for (int64_t k = pass.first_sum; k <= pass.last_sum; ++k) add_sums(state, *pass.gibbs, k, b, t);
}

}  // namespace

Status run_pass(Chain &chain, Pass pass, Error *err) {
  State &state = chain.state;
  Gibbs &gibbs = gibbs_of(chain);
  for (int64_t k = pass.first_site; k <= pass.last_site && k < state.net.depth; k += 2) {
    const Layer &above = state.net.layer(k + 1);
    if (state.net.has_row_scales(k + 1)) {
      ops_of(above).row_scaled->factor_input(above, state.params, gibbs.inputs[k], *state.kernels);
      continue;
    }
    if (ops_of(above).factor_input(above, state.params, state.net.layer(k).noise, gibbs.inputs[k],
                                   *state.kernels))
      continue;
    return fail(err, Status::numeric,
                "layer %lld: the precision of its input is not positive definite in double "
                "precision (noise %g)",
                static_cast<long long>(k + 1), above.noise);
  }
  pass.gibbs = &gibbs;
  for_each_tile(state, pass_tile, &pass);
  if (pass.first_sum == 1 && pass.last_sum >= 1) gibbs.sums_stale = false;
  return Status::ok;
}

Status refresh_input_sums(Chain &chain, Error *err) {
  return gibbs_of(chain).sums_stale ? run_pass(chain, {nullptr, 1, 0, 1, 1}, err) : Status::ok;
}

namespace {

// Runs a pass that draws one site. Sums of layer 1 are added when site 1 is drawn, since its input
// never changes.
Status pass_site(Chain &chain, int64_t k, int64_t first_sum, int64_t last_sum, Error *err) {
  if (k == 1) first_sum = 1;
  return run_pass(chain, {nullptr, k, k, first_sum, last_sum}, err);
}

// ---- the schedules -------------------------------------------------------------------------

// The paper's Algorithm 1: W1, then for each hidden layer X, W, Z. Latent scores above the last X
// are independent of the Z below it, so one pass draws both.
Status sequential_step(Chain &chain, Error *err) {
  const int64_t depth = chain.state.net.depth, last = chain.state.net.last_latent();
  const Relax relax = gibbs_of(chain).relax;
  const bool with_scores = last == depth && last % 2 == 1 && last > 1;
  Status status = refresh_input_sums(chain, err);
  if (status == Status::ok) status = draw_weights(chain, 1, relax, err);
  for (int64_t k = 2; k <= last && status == Status::ok; k += 2) {
    const int64_t highest = with_scores && k + 1 == last ? last : k - 1;
    status = pass_site(chain, k, k, std::min(k + 1, depth), err);
    if (status == Status::ok) status = draw_weights(chain, k, relax, err);
    if (status == Status::ok && k < depth) status = draw_weights(chain, k + 1, relax, err);
    if (status == Status::ok)
      status = run_pass(chain, {nullptr, k - 1, highest, 1, k == 2 ? 1 : 0}, err);
  }
  if (last % 2 == 0 || with_scores || status != Status::ok) return status;
  // With an odd number of latent sites, draw the last one and the weights of the layer above it, if
  // any.
  const int64_t above = std::min(last + 1, depth);
  status = pass_site(chain, last, last + 1, above, err);
  if (status == Status::ok && above > last) status = draw_weights(chain, above, relax, err);
  return status;
}

// The paper's Algorithm 2: all X (even sites), all W, all Z (odd sites).
Status parallel_step(Chain &chain, Error *err) {
  const int64_t depth = chain.state.net.depth, last = chain.state.net.last_latent();
  Status status = refresh_input_sums(chain, err);
  if (status == Status::ok) status = run_pass(chain, {nullptr, 2, last, 2, depth}, err);
  if (status == Status::ok) status = draw_all_weights(chain, err);
  if (status == Status::ok) status = run_pass(chain, {nullptr, 1, last, 1, 1}, err);
  return status;
}

// A step from the labels down: each site from the top, then the weights of the layer below it. When
// a chain starts from zeros, every layer's weights first see an input of zeros and come from the
// prior; this order carries the information of the labels to the input within one step.
Status backward_step(Chain &chain, Error *err) {
  const int64_t depth = chain.state.net.depth, last = chain.state.net.last_latent();
  const Relax relax = gibbs_of(chain).relax;
  Status status = Status::ok;
  if (last < depth) {  // otherwise the targets are the last site
    status = run_pass(chain, {nullptr, 1, 0, depth, depth}, err);
    if (status == Status::ok) status = draw_weights(chain, depth, relax, err);
  }
  for (int64_t k = last; k >= 1 && status == Status::ok; --k) {
    status = pass_site(chain, k, k, k, err);
    if (status == Status::ok) status = draw_weights(chain, k, relax, err);
  }
  return status;
}

// Draws new scales for the rows of a tile, given everything else.
void draw_scales(State &state, void *context, int64_t b, int64_t t) {
  const Gibbs &gibbs = *static_cast<const Gibbs *>(context);
  const Net &net = state.net;
  BlockWork &block = state.blocks[b];
  const Tile mean = state.mean_tile(block, net.depth, t);
  mean_of_site(state, net.depth, t, mean);
  const Outcomes rows = {mean, state.tile(net.depth, t), state.labels(t),
                         net.layer(net.depth).noise, net.temperature};
  ops_of(net.head)->draw_row_scales(net.head, rows, block.stream,
                                    gibbs.row_scales + t * state.tiling.ld);
}

// Row scales live for one step only: they are drawn from their conditional at its start and depend
// on no earlier scales, so no chain has to save them.
void draw_row_scales(Chain &chain) {
  State &state = chain.state;
  if (!state.net.has_row_scales(state.net.depth)) return;
  for_each_tile(state, draw_scales, &gibbs_of(chain));
  if (state.net.depth == 1) input_sums_are_stale(chain);
}

Status scheduled_step(Chain &chain, Error *err) {
  switch (static_cast<Schedule>(static_cast<int32_t>(chain.options[Option::schedule]))) {
    case Schedule::parallel:
      return parallel_step(chain, err);
    case Schedule::backward:
      return backward_step(chain, err);
    case Schedule::sequential:
      break;
  }
  return sequential_step(chain, err);
}

// Steps are over-relaxed, except every Nth: only plain steps let units switch linear piece.
Relax relax_of_step(const Chain &chain) {
  const double a = chain.options[Option::relax];
  const int64_t period = static_cast<int64_t>(chain.options[Option::plain_every]);
  const bool plain = chain.steps % period == period - 1;
  return plain ? Relax{} : Relax::by(a);
}

void count_move(Chain &chain, Move move) {
  ++chain.count(move).tried;
  ++chain.count(move).moved;
}

Status step(Chain &chain, Error *err) {
  gibbs_of(chain).relax = relax_of_step(chain);
  draw_row_scales(chain);
  const Status status = scheduled_step(chain, err);
  if (status != Status::ok) return status;
  count_move(chain, gibbs_of(chain).relax.keep == 0 ? Move::plain_step : Move::relaxed_step);
  const Status moved = extra_moves_of_step(chain, err);
  if (moved == Status::ok) chain_draw_scales(chain);
  return moved;
}

// Adds a block's share of the Gram matrix of the inputs.
void add_input_gram(State &state, void *context, int64_t b, int64_t t) {
  const WeightDraw &w = *static_cast<const WeightDraw *>(context);
  const Layer &layer = state.net.layer(1);
  double *gram = w.block_gram + b * gram_size(w);
  if (t == state.tiling.first_tile(b))
    std::memset(gram, 0, static_cast<size_t>(gram_size(w)) * sizeof(double));
  ops_of(layer).add_gram(layer, state.tile(0, t), gram, *state.kernels);
}

// Computes the Gram matrix of the inputs; repeated only when inputs or kernels have changed.
void prepare_gram(State &state, Gibbs &gibbs) {
  WeightDraw &w = gibbs.weights[0];
  const Layer &layer = state.net.layer(1);
  if (gibbs.gram_version == state.data->version && gibbs.gram_kernels == state.kernels) return;
  if (state.rows()) {
    for_each_tile(state, add_input_gram, &w);
    sum_over_blocks(state, w.block_gram, gram_size(w), w.gram);
  } else {
    std::memset(w.gram, 0, static_cast<size_t>(gram_size(w)) * sizeof(double));
    for (int64_t t = 0; t < state.tiling.tiles; ++t)
      ops_of(layer).add_gram(layer, state.tile(0, t), w.gram, *state.kernels);
  }
  gibbs.gram_version = state.data->version;
  gibbs.gram_kernels = state.kernels;
}

// Computes the constant factor of layer 1.
Status prepare(Chain &chain, Error *err) {
  State &state = chain.state;
  WeightDraw &w = gibbs_of(chain).weights[0];
  if (w.units > 0 && w.constant_gram) {
    prepare_gram(state, gibbs_of(chain));
    const Status status = w.constant_factor ? factor_weights(state, 1, w, err) : Status::ok;
    if (status != Status::ok) return status;
  }
  input_sums_are_stale(chain);
  return Status::ok;
}

// The sums of layer 1 belong to site 1 and are swapped with it.
void exchanged(Chain &a, Chain &b) {
  std::swap(gibbs_of(a).weights[0].block_cross, gibbs_of(b).weights[0].block_cross);
  std::swap(gibbs_of(a).sums_stale, gibbs_of(b).sums_stale);
}

constexpr SamplerOps table() {
  SamplerOps ops;
  ops.name = "gibbs";
  ops.check = check;
  ops.check_option = check_move_option;
  ops.layout = layout;
  ops.prepare = prepare;
  ops.step = step;
  ops.exchanged = exchanged;
  ops.replaced = input_sums_are_stale;
  ops.set_moves = set_moves;
  ops.path = gibbs_path;
  return ops;
}

}  // namespace

const SamplerOps gibbs_ops = table();

}  // namespace nnp
