// The extra moves of a Gibbs chain: one file and one row of the table each. A row knows to which
// networks the move applies, how much memory it takes, what it costs and how to make one. Every
// move leaves the posterior invariant, so moves may be made in any number and order.
#pragma once

#include "lib/sampler/gibbs.hpp"

namespace nnp {

struct MoveOps {
  Option option = Option::unit_moves;  // sets how many to make per step, on average
  // What nnp_chain_moves reports: up to two kinds, and their names in a table.
  static constexpr int most_kinds = 2;
  Move kinds[most_kinds] = {};
  const char *names[most_kinds] = {};
  // Fails, with a message that names the option and its value, if the move does not apply to the
  // network.
  Status (*check)(const Net &net, double rate, Error *err) = nullptr;
  // Lays out the move's memory; returns nullptr while counting. Null: it needs none.
  void *(*layout)(Arena &arena, const State &state) = nullptr;
  // Makes one move. `own` is the memory from `layout`.
  Status (*make)(Chain &chain, void *own, Error *err) = nullptr;
  // Multiplications per row of one move on average (null: negligible), and its default share of all
  // work. A move without a share is made once per step, as part of the step.
  double (*work)(const State &state) = nullptr;
  double share = 0;
  // The part of its share that the move is worth on this network, up to 1. Null: all of it.
  double (*worth)(const State &state) = nullptr;
};

constexpr int extra_move_count = 7;
// In the order in which a step makes them. Moves of noises come last: they integrate out the row
// scales that the others use.
extern const MoveOps *const extra_moves[extra_move_count];
extern const MoveOps expansion_move;
extern const MoveOps scale_move;
extern const MoveOps unit_draw_move;
extern const MoveOps unit_ellipse_move;
extern const MoveOps layer_move;
extern const MoveOps precision_move;
extern const MoveOps noise_move;

// Cost of a random variate in multiplications, found by experiments on the paper's synthetic
// problem.
constexpr double variate = 20;
// Multiplications per row in the products of a layer.
inline double products_of(const Layer &layer) {
  return ops_of(layer).work(layer);
}
inline double as_double(int64_t value) {
  return static_cast<double>(value);
}

}  // namespace nnp
