// Parameter expansion for heads whose labels do not change when all latent scores are multiplied by
// g > 0 (HeadOps::scale_free). With the weights of the last layer integrated out, g^2 has a gamma
// distribution; the weights are redrawn afterwards. Without this move the overall scale of scores
// and weights mixes slowly.
#include <cmath>

#include "lib/linalg/cholesky.hpp"
#include "lib/random/variates.hpp"
#include "lib/sampler/moves.hpp"

namespace nnp {

namespace {

void add_squares(State &state, void *, int64_t b, int64_t t) {
  const ConstTile u = state.tile(state.net.depth, t);
  for (int64_t j = 0; j < u.width; ++j)
    for (int64_t i = 0; i < u.rows; ++i) state.blocks[b].sums[0] += u.col(j)[i] * u.col(j)[i];
}

void scale_tile(State &state, void *context, int64_t, int64_t t) {
  const double g = *static_cast<const double *>(context);
  const Tile u = state.latent_tile(state.net.depth, t);
  for (int64_t j = 0; j < u.width; ++j)
    for (int64_t i = 0; i < u.rows; ++i) u.col(j)[i] *= g;
}

// U' Sigma^-1 U with the weights integrated out: (|U|^2 - |L^-1 cross|^2) / D.
double quadratic_form(State &state, WeightDraw &w) {
  solve_lower(w.factor, w.order, w.order, w.cross, w.units, w.order, state.kernels);
  double explained = 0;
  for (int64_t i = 0; i < cross_size(w); ++i) explained += w.cross[i] * w.cross[i];
  return (sum_over_tiles(state, add_squares, nullptr) - explained) /
         state.net.layer(state.net.depth).noise;
}

bool can_expand(const Net &net) {
  return ops_of(net.head)->scale_free && net.layer(net.depth).weight_count > 0;
}

Status check(const Net &net, double rate, Error *err) {
  if (can_expand(net)) return Status::ok;
  return fail(err, Status::unsupported,
              "expansion = %g: head %s after layer %s, expected a head with latent scores whose "
              "scale is free, after a layer with weights",
              rate, ops_of(net.head)->name, layer_name(net.layer(net.depth)));
}

// g^(count-1) exp(-g^2 Q / 2): g^2 is gamma of shape count/2 and rate Q/2.
double draw_scale(State &state, WeightDraw &w) {
  const double count = as_double(state.tiling.total) * as_double(state.net.outputs());
  const double q = quadratic_form(state, w);
  return std::sqrt(2 * gamma(state.layer_streams[state.net.depth - 1], 0.5 * count) / q);
}

Status make(Chain &chain, void *, Error *err) {
  State &state = chain.state;
  const int64_t m = state.net.depth;
  WeightDraw &w = gibbs_of(chain).weights[m - 1];
  Status status =
      m > 1 ? run_pass(chain, {nullptr, 1, 0, m, m}, err) : refresh_input_sums(chain, err);
  if (status != Status::ok) return status;
  collect_sums(state, w);
  if (!w.constant_factor) status = factor_weights(state, m, w, err);
  if (status != Status::ok) return status;
  double g = draw_scale(state, w);
  for_each_tile(state, scale_tile, &g);
  for (int64_t i = 0; i < state.tiling.blocks * cross_size(w); ++i) w.block_cross[i] *= g;
  status = draw_weights(chain, m, Relax{}, err);
  if (m == 1) input_sums_are_stale(chain);  // scaled sums differ from fresh ones by rounding
  ++chain.count(Move::expansion).tried;
  ++chain.count(Move::expansion).moved;
  return status;
}

constexpr MoveOps row() {
  MoveOps move;
  move.option = Option::expansion;
  move.kinds[0] = Move::expansion;
  move.names[0] = "scale of scores";
  move.check = check;
  move.make = make;
  return move;
}

}  // namespace

const MoveOps expansion_move = row();

}  // namespace nnp
