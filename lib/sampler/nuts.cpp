// The no-U-turn sampler (Hoffman and Gelman 2014; multinomial, Betancourt 2017), without recursion:
// a subtree of 2^depth leapfrog steps is walked leaf by leaf, keeping one checkpoint per level.
// Every subtree that ends at a leaf is checked against its checkpoint for U-turns, within itself
// and where its halves meet.
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/sampler/gradient_sampler.hpp"
#include "lib/sampler/vectors.hpp"

namespace nnp {

namespace {

// The first leaf of a subtree: its momentum, the sum of momenta of the walk up to it, and the
// momentum of the leaf before it.
struct Checkpoint {
  double *momentum, *sum, *before;
};

struct Nuts {
  Point left;                             // the other end of the trajectory is `there`
  double *sum, *walk_sum;                 // sums of momenta over the trajectory, and over the walk
  double *walk_position, *walk_gradient;  // the point selected in the walk
  Checkpoint checkpoints[max_tree_depth];
};

// A walk through a new half of the trajectory.
struct Walk {
  double log_weight;  // of all leaves: log sum exp(H_0 - H)
  double energy;      // of the selected point
  Density density;
  bool complete;  // it neither turned back nor diverged
};

struct Move {
  Chain &chain;
  GradientSampler &s;
  Nuts &tree;
  double step, first_energy, log_weight;
  double acceptances;  // sum over leaves
  Outcome outcome;
};

Nuts &nuts_of(GradientSampler &s) {
  return *static_cast<Nuts *>(s.own);
}

void *layout(Arena &arena, const State &state) {
  GradientSampler *sampler = gradient_sampler_layout(arena, state);
  Nuts *own = arena.take<Nuts>(1);
  Nuts nuts = {};
  nuts.left = point_layout(arena, state);
  for (double **vector : {&nuts.sum, &nuts.walk_sum, &nuts.walk_position, &nuts.walk_gradient})
    *vector = arena.take<double>(state.position_size);
  for (Checkpoint &checkpoint : nuts.checkpoints) {
    checkpoint.momentum = arena.take<double>(state.position_size);
    checkpoint.sum = arena.take<double>(state.position_size);
    checkpoint.before = arena.take<double>(state.position_size);
  }
  if (own) *own = nuts;
  if (sampler) sampler->own = own;
  return sampler;
}

double log_sum(double a, double b) {
  if (a < b) return log_sum(b, a);
  return b == -INFINITY ? a : a + fn::log1p(fn::exp(b - a));
}

// True if the ends of a path move towards each other. With rho the sum of its momenta, the ends
// counted half, M^-1 rho is the displacement from one end to the other: p' M^-1 rho <= 0 at either
// end.
template <class Sum>
bool turns(const State &state, const Flow &flow, const double *first, const double *last, Sum sum) {
  const double *v = flow.inverse_mass;
  const auto rho = [=](int64_t i) { return v[i] * (sum(i) - 0.5 * (first[i] + last[i])); };
  return sum_over_position(state, [=](int64_t i) { return first[i] * rho(i); }) <= 0 ||
         sum_over_position(state, [=](int64_t i) { return last[i] * rho(i); }) <= 0;
}

// True if the subtree from `begin` to the walk's last leaf makes a U-turn: over its whole path, or
// from either end to the near end of the other half, which starts at `middle` (null: the halves are
// single leaves). Without the latter checks, a path that has gone round one and a half times would
// seem to go on (Stan has them too).
bool subtree_turns(const Move &m, const Checkpoint &begin, const Checkpoint *middle,
                   const double *last) {
  const State &state = m.chain.state;
  const double *sum = m.tree.walk_sum, *first = begin.momentum, *start = begin.sum;
  const auto whole = [=](int64_t i) { return sum[i] - start[i] + first[i]; };
  if (turns(state, m.s.flow, first, last, whole)) return true;
  if (!middle) return false;
  const double *far = middle->momentum, *near = middle->before, *to_far = middle->sum;
  const auto first_half = [=](int64_t i) { return to_far[i] - start[i] + first[i]; };
  const auto second_half = [=](int64_t i) { return sum[i] - to_far[i] + far[i] + near[i]; };
  return turns(state, m.s.flow, first, far, first_half) ||
         turns(state, m.s.flow, near, last, second_half);
}

// True if the trajectory together with the walk that has just extended it makes a U-turn: as a
// whole, or from either end to the near end of the other part.
bool trajectory_turns(const Move &m, const double *walk_end, const double *other_end) {
  const State &state = m.chain.state;
  const Checkpoint &begin = m.tree.checkpoints[0];
  const double *old = m.tree.sum, *walk = m.tree.walk_sum;
  const double *near = begin.before, *far = begin.momentum;
  const auto whole = [=](int64_t i) { return old[i] + walk[i]; };
  const auto to_far = [=](int64_t i) { return old[i] + far[i]; };
  const auto from_near = [=](int64_t i) { return walk[i] + near[i]; };
  return turns(state, m.s.flow, other_end, walk_end, whole) ||
         turns(state, m.s.flow, other_end, far, to_far) ||
         turns(state, m.s.flow, near, walk_end, from_near);
}

// Checks the subtrees that end at leaf i (from 0) of a walk. An even leaf starts subtrees and is
// stored in the slot given by its number of one bits; an odd leaf ends as many subtrees as it has
// trailing one bits, the shortest of which started at the last stored leaf. Each is the second half
// of the next.
bool turns_at_leaf(Move &m, int64_t i, const double *momentum) {
  const State &state = m.chain.state;
  int64_t place = __builtin_popcountll(static_cast<unsigned long long>(i >> 1));
  if (i % 2 == 0) {
    copy_vector(state, momentum, m.tree.checkpoints[place].momentum);
    copy_vector(state, m.tree.walk_sum, m.tree.checkpoints[place].sum);
    return false;
  }
  const Checkpoint *middle = nullptr;
  for (int64_t bits = i; bits % 2 == 1; bits >>= 1, --place) {
    const Checkpoint &begin = m.tree.checkpoints[place];
    if (subtree_turns(m, begin, middle, momentum)) return true;
    middle = &begin;
  }
  const int64_t next = __builtin_popcountll(static_cast<unsigned long long>((i + 1) >> 1));
  copy_vector(state, momentum, m.tree.checkpoints[next].before);
  return false;
}

// Selects a leaf with probability equal to its share of the walk's weight so far; in the end every
// leaf is selected in proportion to its weight.
void choose_leaf(Move &m, const Point &leaf, double leaf_energy, Walk &walk) {
  const double weight = leaf.density.outside > 0 ? -INFINITY : m.first_energy - leaf_energy;
  const double u = chain_stream(m.chain.state).uniform();
  walk.log_weight = log_sum(walk.log_weight, weight);
  if (!(fn::log(u) < weight - walk.log_weight)) return;
  copy_vector(m.chain.state, leaf.position, m.tree.walk_position);
  copy_vector(m.chain.state, leaf.gradient, m.tree.walk_gradient);
  walk.density = leaf.density;
  walk.energy = leaf_energy;
}

// Takes 2^depth leapfrog steps from one end, or fewer if they diverge (NaN included) or turn.
Walk walk_on(Move &m, Point &end, double step, int64_t depth) {
  State &state = m.chain.state;
  Walk walk = {-INFINITY, 0, {}, false};
  double *sum = m.tree.walk_sum;
  for_all(state.pool, state.position_size, [=](int64_t i) { sum[i] = 0; });
  copy_vector(state, end.momentum, m.tree.checkpoints[0].before);
  for (int64_t i = 0; i < int64_t{1} << depth; ++i) {
    leapfrog(state, m.s.flow, end, step);
    ++m.outcome.leapfrogs;
    const double leaf_energy = energy(state, m.s.flow, end);
    const double error = leaf_energy - m.first_energy;
    m.acceptances += end.density.outside > 0 ? 0 : acceptance_of(error);
    m.outcome.divergent = !(error <= divergence_threshold);
    if (m.outcome.divergent) return walk;
    choose_leaf(m, end, leaf_energy, walk);
    const double *p = end.momentum;
    for_all(state.pool, state.position_size, [=](int64_t j) { sum[j] += p[j]; });
    if (turns_at_leaf(m, i, p)) return walk;
  }
  walk.complete = true;
  return walk;
}

// The walk's selected point replaces the trajectory's with probability min(1, ratio of their
// weights).
void choose_walk(Move &m, const Walk &walk) {
  State &state = m.chain.state;
  const double u = chain_stream(state).uniform();
  if (fn::log(u) < walk.log_weight - m.log_weight) {
    copy_vector(state, m.tree.walk_position, m.s.here.position);
    copy_vector(state, m.tree.walk_gradient, m.s.here.gradient);
    m.s.here.density = walk.density;
    m.outcome.energy = walk.energy;
  }
  m.log_weight = log_sum(m.log_weight, walk.log_weight);
}

void begin_trajectory(Move &m) {
  State &state = m.chain.state;
  Point &left = m.tree.left, &right = m.s.there;
  draw_momentum(state, m.s.flow, left.momentum);
  copy_vector(state, m.s.here.position, left.position);
  copy_vector(state, m.s.here.gradient, left.gradient);
  left.density = m.s.here.density;
  copy_vector(state, left.position, right.position);
  copy_vector(state, left.momentum, right.momentum);
  copy_vector(state, left.gradient, right.gradient);
  right.density = left.density;
  copy_vector(state, left.momentum, m.tree.sum);
  m.first_energy = m.outcome.energy = energy(state, m.s.flow, left);
}

Outcome move_by_tree(Chain &chain, double step) {
  State &state = chain.state;
  GradientSampler &s = gradient_sampler(chain);
  Move m = {chain, s, nuts_of(s), step, 0, 0, 0, {}};
  begin_trajectory(m);
  const int64_t deepest = static_cast<int64_t>(chain.options[Option::max_depth]);
  double *sum = m.tree.sum;
  const double *walk_sum = m.tree.walk_sum;
  while (m.outcome.depth < deepest) {
    const bool rightwards = chain_stream(state).bits() >> 63;
    Point &end = rightwards ? s.there : m.tree.left, &other = rightwards ? m.tree.left : s.there;
    const Walk walk = walk_on(m, end, rightwards ? step : -step, m.outcome.depth);
    if (!walk.complete) break;
    choose_walk(m, walk);
    ++m.outcome.depth;
    if (trajectory_turns(m, end.momentum, other.momentum)) break;
    for_all(state.pool, state.position_size, [=](int64_t i) { sum[i] += walk_sum[i]; });
  }
  m.outcome.acceptance = m.acceptances / static_cast<double>(m.outcome.leapfrogs);
  return m.outcome;
}

struct NoUTurn {
  static constexpr const char *name = "nuts";
  static constexpr bool langevin = false;
  static Outcome move(Chain &chain, double step) { return move_by_tree(chain, step); }
};

constexpr SamplerOps table() {
  SamplerOps ops = gradient_table<NoUTurn>();
  ops.layout = layout;
  return ops;
}

}  // namespace

const SamplerOps nuts_ops = table();

}  // namespace nnp
