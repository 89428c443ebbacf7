#include "lib/posterior/state.hpp"

namespace nnp {

namespace {

// Stream numbers: blocks count from 0, layers from here.
constexpr uint64_t layer_stream_base = uint64_t{1} << 40;

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

int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// Takes lie end to end in the arena, each on a cache line: so they form one vector.
void position_layout(Arena &arena, State &state) {
  constexpr int64_t line = Arena::alignment / sizeof(double);
  const Net &net = state.net;
  state.latents = arena.take<double *>(net.depth + 1);
  state.params = arena.take<double>(net.param_count());
  state.position_size = (net.param_count() + line - 1) / line * line;
  const int64_t rows = state.tiling.tiles * state.tiling.ld;
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    double *latent = arena.take<double>(rows, net.site_width(k));
    if (state.latents) state.latents[k] = latent;
    state.position_size = plus(state.position_size, times(rows, net.site_width(k)));
  }
}

}  // namespace

void state_layout(Arena &arena, const Net &described, const Data &data, bool with_latents,
                  State &state) {
  const Net net = with_latents ? net_merged(described) : described;
  state.net = net_copy(arena, net);
  state.data = &data;
  state.tiling = data.tiling;
  state.kernels = best_kernels();
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
  state.layer_streams = arena.take<Stream>(net.depth);
  state.sums = arena.take<double>(net.depth);
}

void state_seed(State &state, uint64_t seed, uint64_t chain) {
  for (int64_t b = 0; b < state.tiling.blocks; ++b) {
    state.blocks[b].stream = Stream(seed, chain, static_cast<uint64_t>(b));
    state.blocks[b].counts = HeadCounts{};
  }
  for (int64_t k = 0; k < state.net.depth; ++k)
    state.layer_streams[k] = Stream(seed, chain, layer_stream_base + static_cast<uint64_t>(k));
}

void for_each_tile(State &state, VisitTile visit, void *context) {
  Visit v = {&state, visit, context};
  pool_run(state.pool, state.tiling.blocks, visit_block, &v);
}

}  // namespace nnp
