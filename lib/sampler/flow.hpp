// Hamiltonian flow: positions and momenta, H = -log density + p' M^-1 p / 2 with a diagonal mass M,
// and the leapfrog that follows it. HMC, MALA and NUTS are three ways to use it.
#pragma once

#include "lib/posterior/gradient.hpp"
#include "lib/sampler/vectors.hpp"

namespace nnp {

// A point of phase space. Vectors have the state's position_size; unused values stay zero.
struct Point {
  double *position, *momentum, *gradient;
  Density density;
};

struct Flow {
  GradientWork work;
  double *inverse_mass;  // diagonal of M^-1: estimates of the variances
  // Gradients are in single precision. The leapfrog stays reversible and keeps volumes with any
  // function of the position in place of the gradient; energies are always in double precision.
  bool single;
};

void flow_layout(Arena &arena, const State &state, Flow &flow);
Point point_layout(Arena &arena, const State &state);

// Density and gradient at the point's position.
void evaluate(State &state, Flow &flow, Point &point);
// Whether a step needs the density where it ends.
enum class Ending { with_density, gradient_only };
// p ~ N(0, M): parameters by the streams of layers, sites by the streams of blocks.
void draw_momentum(State &state, const Flow &flow, double *momentum);
double energy(const State &state, const Flow &flow, const Point &point);
// One step: p += (step/2) gradient, q += step M^-1 p, p += (step/2) gradient. The path may cross
// the boundary of a probit head's scores; points beyond it have density 0.
// Where the density is not needed, it is computed only if that costs nothing.
void leapfrog(State &state, Flow &flow, Point &point, double step,
              Ending ending = Ending::with_density);
void copy_vector(const State &state, const double *from, double *to);

// The sum of term(i) over a position. If rows are spread over ranks, parameters (which every rank
// has) are counted once, and sites are summed block by block.
template <class Term>
double sum_over_position(const State &state, Term term) {
  if (!state.rows()) return sum_over(state.pool, state.position_size, term);
  const double weights = sum_over(state.pool, state.net.param_count(), term);
  if (state.last_latent == 0) return weights;
  struct Context {
    const State &state;
    Term &term;
  } context = {state, term};
  const Task task = [](void *argument, int64_t b) {
    const State &s = static_cast<Context *>(argument)->state;
    Term &value = static_cast<Context *>(argument)->term;
    double sum = 0;
    for (int64_t t = s.tiling.first_tile(b); t < s.tiling.last_tile(b); ++t)
      for (int64_t k = 1; k <= s.last_latent; ++k) {
        const Tile tile = s.latent_tile(k, t);
        for (int64_t j = 0; j < tile.width; ++j) {
          const int64_t first = tile.col(j) - s.params;
          for (int64_t i = 0; i < tile.rows; ++i) sum += value(first + i);
        }
      }
    s.blocks[b].sums[0] = sum;
  };
  pool_run(state.pool, state.tiling.blocks, task, &context);
  double sites = 0;
  sum_over_blocks(
      state, 1, [&](int64_t b) { return state.blocks[b].sums; }, &sites);
  return weights + sites;
}

// The random stream for decisions that concern the whole chain.
inline Stream &chain_stream(State &state) {
  return state.layer_streams[0];
}

}  // namespace nnp
