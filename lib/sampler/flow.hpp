// Hamiltonian flow: positions and momenta, H = -log density + p' M^-1 p / 2 with a diagonal mass M,
// and the leapfrog that follows it. HMC, MALA and NUTS are three ways to use it.
#pragma once

#include "lib/posterior/gradient.hpp"

namespace nnp {

// A point of phase space. Vectors have the state's position_size; unused values stay zero.
struct Point {
  double *position, *momentum, *gradient;
  Density density;
};

struct Flow {
  GradientWork work;
  double *inverse_mass;  // diagonal of M^-1: estimates of the variances
};

void flow_layout(Arena &arena, const State &state, Flow &flow);
Point point_layout(Arena &arena, const State &state);

// Density and gradient at the point's position.
void evaluate(State &state, Flow &flow, Point &point);
// p ~ N(0, M): parameters by the streams of layers, sites by the streams of blocks.
void draw_momentum(State &state, const Flow &flow, double *momentum);
double energy(const State &state, const Flow &flow, const Point &point);
// One step of p += (step/2) gradient, q += step M^-1 p, p += (step/2) gradient. The boundary of a
// probit head's scores is not felt: it only makes points behind it impossible.
void leapfrog(State &state, Flow &flow, Point &point, double step);
void copy_vector(const State &state, const double *from, double *to);

// For decisions that concern the whole chain.
inline Stream &chain_stream(State &state) {
  return state.layer_streams[0];
}

}  // namespace nnp
