// Replica exchange of Gibbs chains: swaps integrate out the site below a dense last layer with
// Gaussian targets. That site has one value per row and follows the targets as soon as the noise of
// the last layer is below its own; with it, swaps would need many more levels.
#include <algorithm>

#include "lib/network/head.hpp"
#include "lib/sampler/gibbs.hpp"
#include "lib/sampler/path.hpp"

namespace nnp {

namespace {

int64_t outputs_squared(const Net &net) {
  return net.outputs() * net.outputs();
}

// Adds the squares of the residuals y - f(E[X]) of all rows, where X is the last hidden site.
void add_squares(State &state, double *squares) {
  const int64_t depth = state.net.depth, p = state.net.outputs();
  const Layer &last = state.net.layer(depth);
  const BlockWork &block = state.blocks[0];
  std::fill_n(squares, p * p, 0.0);
  for (int64_t t = 0; t < state.tiling.tiles; ++t) {
    const Tile x = state.mean_tile(block, depth - 1, t);
    const Tile f = {block.scratch[0], x.rows, p, x.ld};
    mean_of_site(state, depth - 1, t, x);
    ops_of(last).forward(last, state.params, x, f, *state.kernels);
    state.kernels->subtract(state.tile(depth, t), f, 1, f);
    state.kernels->add_gram(f, squares, p);
  }
}

void terms(Chain &chain, const double *powers, int64_t count, double *out) {
  State &state = chain.state;
  const Net &net = state.net;
  const Layer &last = net.layer(net.depth);
  double *squares = gibbs_of(chain).path;
  add_squares(state, squares);
  const LastSums sums = {state.tiling.total,
                         net.outputs(),
                         last.noise / net.noise_factor,
                         net.layer(net.depth - 1).noise,
                         last.weights(state.params),
                         last.in.size(),
                         squares,
                         squares + outputs_squared(net)};
  for (int64_t c = 0; c < count; ++c) out[c] = log_last_likelihood(sums, powers[c], *state.kernels);
}

// Draws the site as in a plain step.
Status redraw(Chain &chain, Error *err) {
  const int64_t k = chain.state.net.depth - 1;
  gibbs_of(chain).relax = Relax{};
  if (k == 1) input_sums_are_stale(chain);
  return run_pass(chain, {nullptr, k, k, 1, 0}, err);
}

constexpr PathOps table() {
  PathOps ops;
  ops.terms = terms;
  ops.redraw = redraw;
  return ops;
}

constexpr PathOps without_last_site = table();

// Only with at most as many outputs as inputs: otherwise S would be large, and ill-conditioned for
// small D.
bool integrates_last_site(const Net &net) {
  const int64_t depth = net.depth;
  return depth > 1 && net.last_latent() == depth - 1 && ops_of(net.head)->gaussian_site &&
         !net.has_row_scales(depth) && ops_of(net.layer(depth)).is_product &&
         net.outputs() <= net.layer(depth).in.size();
}

// Not if rows are spread over ranks: their squares are not summed over ranks.
bool integrates_here(const State &state) {
  return !state.rows() && integrates_last_site(state.net);
}

}  // namespace

double *gibbs_path_layout(Arena &arena, const State &state) {
  const bool used = integrates_here(state);
  return arena.take<double>(used ? 3 * state.net.outputs() : 0, used ? state.net.outputs() : 0);
}

const PathOps *gibbs_path(const Chain &chain) {
  return integrates_here(chain.state) ? &without_last_site : nullptr;
}

}  // namespace nnp
