#include "lib/teacher/descent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/posterior/scales.hpp"
#include "lib/teacher/start.hpp"

namespace nnp {

namespace {

// Draws of the posterior lie about half a nat per parameter below its mode, so a descent is
// considered finished when it gains less than this many nats per parameter in descent_window steps.
constexpr double least_rise = 2e-4;
constexpr double armijo = 1e-4, wolfe = 0.9;
constexpr int most_probes = 30;
constexpr double least_even_share = 1e-8;  // of the noise with which means are fitted first
constexpr double most_history = 1 << 25;   // doubles

// Dot product with eight partial sums.
double dot(const double *a, const double *b, int64_t count) {
  double lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int64_t j = 0; j < 8; ++j) lanes[j] += a[i + j] * b[i + j];
  for (int64_t j = 0; i < count; ++i, ++j) lanes[j] += a[i] * b[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

void add(double factor, const double *from, double *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

double *pair(const Descent &d, double *values, int64_t index, int64_t count) {
  return values + index % d.room * count;
}

void evaluate(State &state, Descent &d) {
  const Density found =
      weights_density_and_gradient(state, d.work, state.params, d.gradient, d.even_noise);
  d.value = found.log_density;
  d.loss = found.loss;
  ++d.report.evaluations;
}

// ---- the direction ---------------------------------------------------------------------------

// H g by the two-loop recursion of L-BFGS, where H approximates the inverse of minus the Hessian.
void find_direction(const State &state, Descent &d) {
  const int64_t count = state.net.weight_params();
  double share[max_pairs];
  std::copy_n(d.gradient, count, d.direction);
  const int64_t newest = d.next - 1, oldest = d.next - d.pairs;
  for (int64_t i = newest; i >= oldest; --i) {
    share[i % d.room] =
        dot(pair(d, d.moves, i, count), d.direction, count) / d.curvature[i % d.room];
    add(-share[i % d.room], pair(d, d.changes, i, count), d.direction, count);
  }
  if (d.pairs > 0) {
    const double *change = pair(d, d.changes, newest, count);
    const double scale = d.curvature[newest % d.room] / dot(change, change, count);
    for (int64_t i = 0; i < count; ++i) d.direction[i] *= scale;
  }
  for (int64_t i = oldest; i <= newest; ++i) {
    const double other =
        dot(pair(d, d.changes, i, count), d.direction, count) / d.curvature[i % d.room];
    add(share[i % d.room] - other, pair(d, d.moves, i, count), d.direction, count);
  }
}

void forget(Descent &d) {
  d.pairs = d.next = 0;
}

// Stores the pair of an accepted step; trial and trial_gradient are the new point. Pairs whose
// curvature may be due to rounding are dropped.
void remember(const State &state, Descent &d) {
  const int64_t count = state.net.weight_params();
  double *move = pair(d, d.moves, d.next, count), *change = pair(d, d.changes, d.next, count);
  for (int64_t i = 0; i < count; ++i) {
    move[i] = d.trial[i] - state.params[i];
    change[i] = d.gradient[i] - d.trial_gradient[i];
  }
  const double curvature = dot(move, change, count);
  if (!(curvature > 1e-12 * dot(change, change, count))) return;
  d.curvature[d.next % d.room] = curvature;
  ++d.next;
  d.pairs = std::min(d.pairs + 1, d.room);
}

// ---- the line search -------------------------------------------------------------------------

struct Probe {
  double step, value, slope, loss;
};

Probe probe(State &state, Descent &d, double step) {
  const int64_t count = state.net.weight_params();
  for (int64_t i = 0; i < count; ++i) d.trial[i] = state.params[i] + step * d.direction[i];
  const Density found =
      weights_density_and_gradient(state, d.work, d.trial, d.trial_gradient, d.even_noise);
  ++d.report.evaluations;
  return {step, found.log_density, dot(d.trial_gradient, d.direction, count), found.loss};
}

// The maximum of the parabola through value and slope at `low` and the value at `high`; kept inside
// the bracket, away from its ends.
double between(const Probe &low, const Probe &high) {
  const double width = high.step - low.step;
  const double bend = low.slope * width - (high.value - low.value);
  double share = 0.5 * low.slope * width / bend;
  if (!(share > 0.1)) share = std::isfinite(bend) ? 0.1 : 0.5;
  return low.step + std::min(share, 0.9) * width;
}

// Finds a step with F(t) >= F(0) + armijo t F'(0) and F'(t) <= wolfe F'(0); true if there is one,
// and trial is then the new point.
bool search(State &state, Descent &d, double slope, double step, Probe *found) {
  Probe low = {0, d.value, slope, d.loss}, high = {INFINITY, 0, 0, 0};
  for (int i = 0; i < most_probes; ++i) {
    const Probe here = probe(state, d, step);
    const bool finite = std::isfinite(here.value) && std::isfinite(here.slope);
    if (!finite || !(here.value >= d.value + armijo * step * slope)) {
      high = here;
      if (!finite) high.value = -INFINITY;
    } else if (here.slope > wolfe * slope) {
      low = here;
    } else {
      *found = here;
      return true;
    }
    step = std::isfinite(high.step) ? between(low, high) : 2 * step;
  }
  if (low.step == 0) return false;
  *found = probe(state, d, low.step);
  return true;
}

void accept(State &state, Descent &d, const Probe &found) {
  remember(state, d);
  std::copy_n(d.trial, state.net.weight_params(), state.params);
  std::swap(d.gradient, d.trial_gradient);
  d.recent[d.stage_steps % descent_window] = d.value;
  d.value = found.value;
  d.loss = found.loss;
  ++d.stage_steps;
  ++d.report.steps;
}

// Takes one step along the direction or, if that fails, along the gradient.
bool climb(State &state, Descent &d) {
  const int64_t count = state.net.weight_params();
  for (;;) {
    find_direction(state, d);
    const double slope = dot(d.gradient, d.direction, count);
    const double first = d.pairs > 0 ? 1 : std::min(1.0, 1 / std::sqrt(slope));
    Probe found = {};
    if (slope > 0 && std::isfinite(slope) && search(state, d, slope, first, &found)) {
      accept(state, d, found);
      return true;
    }
    if (d.pairs == 0) return false;
    forget(d);
  }
}

bool has_converged(const State &state, const Descent &d) {
  if (d.stage_steps < descent_window) return false;
  const double rise = d.value - d.recent[d.stage_steps % descent_window];
  return rise < least_rise * static_cast<double>(state.net.weight_params());
}

// A tenth of the mean square of the targets over D, if that is more than 1. (Classes, whose scores
// have no scale, use the full likelihood from the start.)
double first_temperature(const State &state) {
  const HeadOps &head = *ops_of(state.net.head);
  if (head.target != TargetKind::targets || !head.noise_enters) return 1;
  const double noise = state.net.layer(state.net.depth).noise;
  return std::max(1.0, 10 * head.noise_to_anneal_from(*state.data) / noise);
}

// Called when the density has changed.
void renew(State &state, Descent &d) {
  forget(d);
  d.stage_steps = 0;
  const int64_t weights = state.net.weight_params();
  std::copy_n(state.params + weights, state.net.scale_count, d.trial + weights);
  evaluate(state, d);
}

void cool(State &state, Descent &d) {
  state.net.temperature = std::max(1.0, cooling_factor * state.net.temperature);
  renew(state, d);
}

void set_scales(State &state, Descent &d, Precisions precisions) {
  ++d.rounds;
  const double fitted = static_cast<double>(state.net.weight_params());
  if (d.even_noise > 0)
    d.even_noise = std::max(d.loss / values_left(state, fitted), least_even_share * d.first_noise);
  fit_scales(state, fitted, precisions);
  renew(state, d);
}

int64_t rounds_of(const State &state, const Descent &d) {
  return state.net.scale_count > 0 || d.even_noise > 0 ? scale_rounds : 0;
}

// If the outputs predict the noise, means are fitted first, with equal noise for all rows.
double first_even_noise(const State &state) {
  const HeadOps &head = *ops_of(state.net.head);
  return head.even_loss ? 10 * head.noise_to_anneal_from(*state.data) : 0;
}

// From now on the outputs determine the noise.
void predict_noise(State &state, Descent &d) {
  double &even = d.even_noise;
  if (even == 0) return;
  const Net &net = state.net;
  ops_of(net.head)->predict_noise(net.layer(net.depth), even, state.params);
  even = 0;
}

bool over(Descent &d, DescentEnd end) {
  d.report.end = end;
  return false;
}

}  // namespace

Descent *descent_layout(Arena &arena, const Net &net, const Tiling &tiling) {
  const int64_t count = net.param_count();
  Descent *made = arena.take<Descent>(1);
  Descent d;
  weights_gradient_layout(arena, net, tiling, d.work);
  // Wide networks store fewer pairs.
  const double fits = most_history / (2 * static_cast<double>(std::max<int64_t>(count, 1)));
  d.room = std::clamp<int64_t>(static_cast<int64_t>(fits), 3, max_pairs);
  for (double **vector : {&d.trial, &d.gradient, &d.trial_gradient, &d.direction})
    *vector = arena.take<double>(count);
  d.moves = arena.take<double>(d.room, count);
  d.changes = arena.take<double>(d.room, count);
  if (made) *made = d;
  return made;
}

Status descent_check(const Net &net, Error *err) {
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (const char *reason = ops_of(layer).no_gradient(layer))
      return fail(err, Status::unsupported, "chain: layer %lld (%s) has no slope to follow, %s",
                  ll(layer.first_number), layer_name(layer), reason);
  }
  if (net.weight_params() > 0) return Status::ok;
  return fail(err, Status::unsupported, "chain: its network has no parameters to descend");
}

Status descent_begin(State &state, Descent &d, bool cooling, Error *err) {
  d.last = d.report;
  d.report = Descended{};
  d.rounds = 0;
  state.net.temperature = 1;
  d.even_noise = 0;
  renew(state, d);
  d.report.before = d.value;
  if (!std::isfinite(d.value))
    return fail(
        err, Status::not_finite,
        "start: the log density of its weights is %g, expected a finite number to climb from",
        d.value);
  if (!cooling) return Status::ok;
  state.net.temperature = first_temperature(state);
  d.even_noise = d.first_noise = first_even_noise(state);
  renew(state, d);
  return Status::ok;
}

void descent_give_up(Descent &d) {
  d.report = d.last;
}

bool descent_step(State &state, Descent &d) {
  while (state.net.temperature > 1 && (d.stage_steps >= cooling_steps || has_converged(state, d)))
    cool(state, d);
  if (state.net.temperature == 1 && d.rounds < rounds_of(state, d) &&
      (d.stage_steps >= cooling_steps || has_converged(state, d)))
    set_scales(state, d, Precisions::loose);
  if (state.net.temperature == 1 && has_converged(state, d)) return over(d, DescentEnd::converged);
  while (!climb(state, d)) {
    if (state.net.temperature == 1) return over(d, DescentEnd::flat);
    cool(state, d);
  }
  return true;
}

void descent_finish(State &state, Descent &d, DescentEnd end) {
  if (d.report.end == DescentEnd::not_yet) d.report.end = end;
  const bool other_density = state.net.temperature > 1 || d.even_noise > 0;
  state.net.temperature = 1;
  if (d.rounds > 0) set_scales(state, d, Precisions::fitted);
  predict_noise(state, d);
  if (other_density) evaluate(state, d);
  d.report.after = d.value;
  d.report.slope = 0;
  for (int64_t i = 0; i < state.net.weight_params(); ++i)
    d.report.slope = std::max(d.report.slope, std::fabs(d.gradient[i]));
  fill_sites(state, false);
}

void start_modest(State &state) {
  scales_at_means(state.net, state.params);
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    if (layer.param_count() == 0) continue;
    draw_prior_params(layer, state.layer_streams[k - 1], state.params);
    const int64_t inputs = fan_in(layer);
    const auto narrowing = [&](double lambda) {
      return std::min(1.0, std::sqrt(lambda / static_cast<double>(inputs)));
    };
    double *values = layer.weights(state.params);
    for (int64_t i = 0; i < layer.weight_count; ++i)
      values[i] *= narrowing(layer.weight_precision(i % inputs));
    for (int64_t i = layer.weight_count; i < layer.param_count(); ++i)
      values[i] *= narrowing(layer.lambda_b);
  }
  fill_sites(state, false);
}

}  // namespace nnp
