#include "lib/posterior/state.hpp"

#include <cmath>

#include "lib/base/sizes.hpp"

namespace nnp {

namespace {

// Stream numbers: blocks count from 0, layers from here; learned scales have a separate one.
constexpr uint64_t layer_stream_base = uint64_t{1} << 30;
constexpr uint64_t scale_stream_number = uint64_t{1} << 60;

struct Visit {
  State *state;
  VisitTile visit;
  void *context;
};

void visit_block(void *argument, int64_t block) {
  const Visit &v = *static_cast<const Visit *>(argument);
  const Tiling &tiling = v.state->tiling;
  for (int64_t t = tiling.first_tile(block); t < tiling.last_tile(block); ++t)
    v.visit(*v.state, v.context, block, t);
}

// Sizes that overflow stay INT64_MAX, which the arena refuses.
void position_layout(Arena &arena, State &state) {
  constexpr int64_t line = Arena::alignment / sizeof(double);
  const Net &net = state.net;
  const int64_t rows = times(state.tiling.tiles, state.tiling.ld);
  const int64_t params = (net.param_count() + line - 1) / line * line;
  state.position_size = params;
  for (int64_t k = 1; k <= state.last_latent; ++k)
    state.position_size = plus(state.position_size, times(rows, net.site_width(k)));
  state.latents = arena.take<double *>(net.depth + 1);
  state.params = arena.take<double>(state.position_size);
  if (!state.params || !state.latents) return;
  double *next = state.params + params;
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    state.latents[k] = next;
    next += rows * net.site_width(k);
  }
}

// For a network whose layers belong to the state.
void set_classical_noise(Net &net) {
  Layer &last = net.layers[net.depth - 1];
  last.noise = last.final_noise = net_classical_noise(net);
}

}  // namespace

void state_layout(Arena &arena, const Net &described, const Data &data, bool with_latents,
                  State &state) {
  const Net net = with_latents ? net_collapsed(described) : described;
  state.net = net_copy(arena, net);
  state.data = &data;
  state.tiling = data.tiling;
  use_engine(state, default_engine());
  state.with_latents = with_latents;
  state.last_latent = with_latents ? net.last_latent() : 0;
  position_layout(arena, state);
  state.blocks = arena.take<BlockWork>(state.tiling.blocks);
  for (int64_t b = 0; b < state.tiling.blocks; ++b) {
    BlockWork work = {};
    work.mean = arena.take<double>(state.tiling.ld, net.widest_site());
    for (double *&scratch : work.scratch)
      scratch = arena.take<double>(state.tiling.ld, std::max<int64_t>(net.widest_site(), 2));
    work.sums = arena.take<double>(net.depth);
    if (state.blocks) state.blocks[b] = work;
  }
  if (state.blocks && !with_latents) set_classical_noise(state.net);
  state.layer_streams = arena.take<Stream>(net.depth);
  state.sums = arena.take<double>(net.depth);
  state.scale_sums = arena.take<ScaleSums>(net.scale_count);
}

void state_seed(State &state, uint64_t seed, uint64_t chain) {
  for (int64_t b = 0; b < state.tiling.blocks; ++b) {
    state.blocks[b].stream =
        Stream(seed, chain, static_cast<uint64_t>(state.tiling.block_offset + b));
    state.blocks[b].counts = HeadCounts{};
  }
  for (int64_t k = 0; k < state.net.depth; ++k)
    state.layer_streams[k] = Stream(seed, chain, layer_stream_base + static_cast<uint64_t>(k));
  state.scale_stream = Stream(seed, chain, scale_stream_number);
}

bool is_block_stream(const Stream &stream, uint64_t chain, int64_t block) {
  return stream.has_key(chain, static_cast<uint64_t>(block));
}

bool is_layer_stream(const Stream &stream, uint64_t chain, int64_t k) {
  return stream.has_key(chain, layer_stream_base + static_cast<uint64_t>(k - 1));
}

bool is_scale_stream(const Stream &stream, uint64_t chain) {
  return stream.has_key(chain, scale_stream_number);
}

void for_each_tile(State &state, VisitTile visit, void *context) {
  Visit v = {&state, visit, context};
  pool_run(state.pool, state.tiling.blocks, visit_block, &v);
}

double sum_over_tiles(State &state, VisitTile visit, void *context) {
  for (int64_t b = 0; b < state.tiling.blocks; ++b) state.blocks[b].sums[0] = 0;
  for_each_tile(state, visit, context);
  double sum = 0;
  sum_over_blocks(
      state, 1, [&](int64_t b) { return state.blocks[b].sums; }, &sum);
  return sum;
}

double sum_over_blocks(const State &state, const double *values) {
  double sum = 0;
  sum_over_blocks(
      state, 1, [values](int64_t b) { return values + b; }, &sum);
  return sum;
}

void add_over_blocks(const State &state, const double *values, double &sum) {
  if (state.rows())
    sum += sum_over_blocks(state, values);
  else
    for (int64_t b = 0; b < state.tiling.blocks; ++b) sum += values[b];
}

void make_scores_feasible(State &state) {
  if (state.last_latent < state.net.depth) return;
  for (int64_t t = 0; t < state.tiling.tiles; ++t)
    ops_of(state.net.head)->make_feasible(state.labels(t), state.latent_tile(state.net.depth, t));
}

Status state_check_finite(const State &state, Status status, Error *err) {
  if (all_finite(state.params, state.position_size)) return Status::ok;
  if (!all_finite(state.params, state.net.param_count()))
    return fail(
        err, status,
        "parameters: not all are finite, expected better scaled inputs, targets, noises or priors");
  for (int64_t k = 1; k <= state.last_latent; ++k)
    for (int64_t i = 0; i < state.tiling.n; ++i)
      for (int64_t j = 0; j < state.net.site_width(k); ++j) {
        const double value = state.latents[k][state.tiling.at(state.net.site_width(k), i, j)];
        if (!std::isfinite(value))
          return fail(err, status,
                      "site %lld: feature %lld of row %lld is %g, expected better scaled inputs, "
                      "targets, noises or priors",
                      ll(state.net.layer(k).last_number), ll(j), ll(state.tiling.first_row() + i),
                      value);
      }
  return Status::ok;
}

}  // namespace nnp
