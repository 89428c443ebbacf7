#include "lib/sampler/flow.hpp"

#include <cmath>

#include "lib/random/variates.hpp"
#include "lib/sampler/vectors.hpp"

namespace nnp {

namespace {

void fill_site_normals(State &state, void *context, int64_t b, int64_t t) {
  double *values = static_cast<double *>(context);
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    const Tile tile = state.tiling.tile(state.latent(k, values), state.net.site_width(k), t);
    for (int64_t j = 0; j < tile.width; ++j)
      state.draws->normals(state.blocks[b].stream, tile.col(j), tile.rows);
  }
}

}  // namespace

void flow_layout(Arena &arena, const State &state, Flow &flow) {
  gradient_layout(arena, state, flow.work);
  single_layout(arena, state, flow.work);
  flow.inverse_mass = arena.take<double>(state.position_size);
}

Point point_layout(Arena &arena, const State &state) {
  Point point = {};
  point.position = arena.take<double>(state.position_size);
  point.momentum = arena.take<double>(state.position_size);
  point.gradient = arena.take<double>(state.position_size);
  return point;
}

void evaluate(State &state, Flow &flow, Point &point) {
  if (!flow.single) {
    point.density = density_and_gradient(state, flow.work, point.position, point.gradient);
    return;
  }
  point.density = density_alone(state, flow.work, point.position);
  single_gradient(state, flow.work, point.position, point.gradient);
}

void draw_momentum(State &state, const Flow &flow, double *momentum) {
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    state.draws->normals(state.layer_streams[k - 1], layer.weights(momentum), layer.param_count());
  }
  if (state.last_latent > 0) for_each_tile(state, fill_site_normals, momentum);
  const double *v = flow.inverse_mass;
  for_all(state.pool, state.position_size, [=](int64_t i) { momentum[i] /= std::sqrt(v[i]); });
}

double energy(const State &state, const Flow &flow, const Point &point) {
  const double *p = point.momentum, *v = flow.inverse_mass;
  const double twice = sum_over_position(state, [=](int64_t i) { return p[i] * p[i] * v[i]; });
  return 0.5 * twice - point.density.log_density;
}

void leapfrog(State &state, Flow &flow, Point &point, double step, Ending ending) {
  double *q = point.position, *p = point.momentum;
  const double *g = point.gradient, *v = flow.inverse_mass;
  for_all(state.pool, state.position_size, [=](int64_t i) {
    p[i] += 0.5 * step * g[i];
    q[i] += step * v[i] * p[i];
  });
  if (flow.single && ending == Ending::gradient_only)
    single_gradient(state, flow.work, point.position, point.gradient);
  else
    evaluate(state, flow, point);
  for_all(state.pool, state.position_size, [=](int64_t i) { p[i] += 0.5 * step * g[i]; });
}

void copy_vector(const State &state, const double *from, double *to) {
  for_all(state.pool, state.position_size, [=](int64_t i) { to[i] = from[i]; });
}

}  // namespace nnp
