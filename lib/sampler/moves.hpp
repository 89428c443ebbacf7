// The extra moves of a Gibbs chain: one file and one row of the table each. A move knows which
// networks it is for, what memory it takes, what it costs and how to make one; it leaves the
// posterior as it is, so that moves may be made in any number and order.
#pragma once

#include "lib/sampler/gibbs.hpp"

namespace nnp {

struct MoveOps {
  Option option = Option::unit_moves;  // how many to make per step, on average
  // What nnp_chain_moves reports of it: up to two kinds, and what a table calls them.
  static constexpr int most_kinds = 2;
  Move kinds[most_kinds] = {};
  const char *names[most_kinds] = {};
  // Fails, with a sentence that names the option and its value, where the network has no use for
  // the move.
  Status (*check)(const Net &net, double rate, Error *err) = nullptr;
  // Memory of its own; nullptr while counting. Null: it needs none.
  void *(*layout)(Arena &arena, const State &state) = nullptr;
  // Makes one. `own` is that memory.
  Status (*make)(Chain &chain, void *own, Error *err) = nullptr;
  // Multiplications per row that one costs on average (null: it costs little), and the share of all
  // work it gets by default. Without a share it is made once per step, as a part of the step.
  double (*work)(const State &state) = nullptr;
  double share = 0;
};

constexpr int extra_move_count = 7;
// In the order in which a step makes them. Moves of noises integrate scales of rows out, which the
// others use: they come last.
extern const MoveOps *const extra_moves[extra_move_count];
extern const MoveOps expansion_move;
extern const MoveOps scale_move;
extern const MoveOps unit_draw_move;
extern const MoveOps unit_ellipse_move;
extern const MoveOps layer_move;
extern const MoveOps precision_move;
extern const MoveOps noise_move;

// Multiplications that a random variate is worth, from runs on the paper's synthetic problem.
constexpr double variate = 20;
// Multiplications per row in the products of a layer.
inline double products_of(const Layer &layer) {
  return ops_of(layer).work(layer);
}
inline double as_double(int64_t value) {
  return static_cast<double>(value);
}

}  // namespace nnp
