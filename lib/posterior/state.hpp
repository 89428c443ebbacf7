// The state of a chain: parameters and sites for some data, with the random streams and the scratch
// needed to move it. Samplers have further memory of their own.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/pool.hpp"
#include "lib/base/status.hpp"
#include "lib/network/data.hpp"
#include "lib/network/engine.hpp"
#include "lib/network/net.hpp"

namespace nnp {

// Scratch for the tiles of one block; only one thread uses it at a time.
struct BlockWork {
  Stream stream;
  double *mean;  // ld x (widest site)
  double *scratch[2];
  double *sums;  // one per layer
  HeadCounts counts;
};

// Values whose variance is the inverse of a learned precision: their number, and the sum of their
// squares.
struct ScaleSums {
  double count = 0, squares = 0;
};

// It inherits from the engine it computes with.
struct State : Engine {
  Net net;
  const Data *data = nullptr;
  Tiling tiling;
  Pool *pool = nullptr;

  // The variables are one vector, the position: the parameters, then sites 1 … last_latent, each in
  // its tiles and starting on a cache line. Unused values between and after them are zero.
  bool with_latents = true;    // false: only the weights are variables (the classical posterior)
  int64_t last_latent = 0;     // last site that is a variable
  int64_t position_size = 0;   // unused values included
  double *params = nullptr;    // start of the position
  double **latents = nullptr;  // latents[k], 1 <= k <= last_latent: site k of the position
  BlockWork *blocks = nullptr;
  Stream *layer_streams = nullptr;  // layer_streams[k-1] draws the parameters of layer k
  double *sums = nullptr;           // one per layer
  Stream scale_stream;              // draws the learned scales
  ScaleSums *scale_sums = nullptr;  // one per learned scale

  // Null for site 0 if the inputs are packed: see tile.
  const double *site(int64_t k) const {
    if (k == 0) return data->x;
    return k <= last_latent ? latents[k] : data->y;
  }
  // Site k in another position.
  const double *site(int64_t k, const double *position) const {
    if (k == 0) return data->x;
    return k <= last_latent ? position + (latents[k] - params) : data->y;
  }
  // Number of columns of site k; for the last one, if it is data, the number of targets.
  int64_t site_columns(int64_t k) const {
    return k == net.depth && k > last_latent ? data->outputs : net.site_width(k);
  }
  double *latent(int64_t k, double *position) const { return position + (latents[k] - params); }
  ConstTile tile(int64_t k, int64_t t) const {
    return k == 0 ? data->inputs(t) : tiling.tile(site(k), site_columns(k), t);
  }
  Tile latent_tile(int64_t k, int64_t t) const {
    return tiling.tile(latents[k], net.site_width(k), t);
  }
  // Number of variables, not counting unused values.
  int64_t variables() const {
    return net.param_count() + (with_latents ? net.latent_width() * tiling.n : 0);
  }
  // Number of variables on all ranks, if rows are spread over ranks.
  int64_t all_variables() const {
    return net.param_count() + (with_latents ? net.latent_width() * tiling.total : 0);
  }
  Rows *rows() const { return data->rows; }
  const int32_t *labels(int64_t t) const { return data->labels + t * tiling.ld; }
  // The block's scratch as the mean of site k.
  Tile mean_tile(const BlockWork &block, int64_t k, int64_t t) const {
    return {block.mean, tiling.rows(t), net.site_width(k), tiling.ld};
  }
  TileWork work(BlockWork &block) const {
    return {kernels, draws, &block.stream, {block.scratch[0], block.scratch[1]}};
  }
};

void state_layout(Arena &arena, const Net &net, const Data &data, bool with_latents, State &state);

// Fresh streams for (seed, chain): one per block, one per layer, one for the learned scales.
void state_seed(State &state, uint64_t seed, uint64_t chain);

// True if it is the stream of this block, of layer k, or of the scales, in the chain of this
// number.
bool is_block_stream(const Stream &stream, uint64_t chain, int64_t block);
bool is_layer_stream(const Stream &stream, uint64_t chain, int64_t k);
bool is_scale_stream(const Stream &stream, uint64_t chain);

// Calls visit(i) for every unused value of a position, between and after the variables.
template <class Visit>
void for_each_unused(const State &state, Visit visit) {
  const int64_t params = state.net.param_count();
  const int64_t first =
      state.last_latent > 0 ? state.latents[1] - state.params : state.position_size;
  for (int64_t i = params; i < first; ++i) visit(i);
  const Tiling &tiling = state.tiling;
  for (int64_t k = 1; k <= state.last_latent; ++k)
    for (int64_t t = 0; t < tiling.tiles; ++t) {
      const Tile tile = state.latent_tile(k, t);
      for (int64_t j = 0; j < tile.width; ++j)
        for (int64_t i = tile.rows; i < tile.ld; ++i) visit(tile.col(j) + i - state.params);
    }
}

// Calls visit(state, context, block, tile) for every tile, blocks in parallel.
using VisitTile = void (*)(State &state, void *context, int64_t block, int64_t tile);
void for_each_tile(State &state, VisitTile visit, void *context);
// Sums share(b)[i], 0 <= i < count, over all blocks b: in their order, or by the tree of `Rows` if
// rows are spread over ranks, in which case all ranks must make this call.
template <class Share>
void sum_over_blocks(const State &state, int64_t count, Share share, double *sum) {
  if (Rows *rows = state.rows()) {
    const auto share_of = [](const void *context, int64_t b) -> const double * {
      return (*static_cast<const Share *>(context))(b);
    };
    return rows_sum(*rows, count, share_of, &share, sum);
  }
  for (int64_t i = 0; i < count; ++i) sum[i] = 0;
  for (int64_t b = 0; b < state.tiling.blocks; ++b)
    for (int64_t i = 0; i < count; ++i) sum[i] += share(b)[i];
}
// The sum of values[b] over all blocks.
double sum_over_blocks(const State &state, const double *values);
// sum += the sum of values[b] over all blocks.
void add_over_blocks(const State &state, const double *values, double &sum);
// The sum over all blocks of what the visits add to sums[0] of their block.
double sum_over_tiles(State &state, VisitTile visit, void *context);

// Moves scores that contradict their labels, which may have changed, to values that agree.
void make_scores_feasible(State &state);

// Returns `status` if a parameter or a latent value is NaN or infinite; the message says which one.
Status state_check_finite(const State &state, Status status, Error *err);

// Mean of site k given site k-1, for one tile.
inline void mean_of_site(const State &state, int64_t k, int64_t t, Tile mean) {
  const Layer &layer = state.net.layer(k);
  ops_of(layer).forward(layer, state.params, state.tile(k - 1, t), mean, *state.kernels);
}

}  // namespace nnp
