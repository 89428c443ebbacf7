#include "lib/sampler/gradient_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/sampler/saved.hpp"
#include "lib/sampler/vectors.hpp"

namespace nnp {

namespace {

// The factor by which the leapfrog step follows the noise. With learned noises it is the root of
// the smallest D, relative to the mean of its hyperprior. Scales are held while gradients are
// followed, so any such step is exact; it depends on the network alone, so nothing is saved.
// Without learned noises it is the root of the smallest noise relative to its final value: 1,
// unless the chain anneals.
double step_factor(const State &state) {
  const Net &net = state.net;
  double learned = INFINITY, now = INFINITY, last = INFINITY;
  for (int64_t k = state.with_latents ? 1 : net.depth; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    now = std::fmin(now, layer.noise);
    last = std::fmin(last, layer.final_noise);
    if (layer.learned_noise.count > 0)
      learned = std::fmin(learned, layer.noise * layer.learned_noise.prior.mean / layer.multiple);
  }
  return std::sqrt(learned < INFINITY ? learned : now / last);
}

double option_step(const Chain &chain, bool langevin) {
  const double step = chain.options[Option::step_size];
  return langevin ? std::sqrt(2 * step) : step;
}

int64_t warmup_of(const Chain &chain) {
  return static_cast<int64_t>(chain.options[Option::warmup]);
}

// Steps since the warm-up began, which is when annealing ends; negative before that.
int64_t warmup_index(const Chain &chain) {
  return chain.steps - chain.annealing.steps;
}

bool adapts_step(const Chain &chain) {
  return chain.options[Option::adapt_step] != 0;
}

void copy_point(const State &state, const Point &from, Point &to) {
  copy_vector(state, from.position, to.position);
  copy_vector(state, from.gradient, to.gradient);
  to.density = from.density;
}

// ---- the first step size -------------------------------------------------------------------

// Acceptance of one leapfrog step from here, with fresh momentum.
double try_step(Chain &chain, double step) {
  GradientSampler &s = gradient_sampler(chain);
  copy_point(chain.state, s.here, s.there);
  draw_momentum(chain.state, s.flow, s.there.momentum);
  const double before = energy(chain.state, s.flow, s.there);
  leapfrog(chain.state, s.flow, s.there, step * step_factor(chain.state));
  if (s.there.density.outside > 0) return 0;
  return acceptance_of(energy(chain.state, s.flow, s.there) - before);
}

// Doubles or halves the step until the acceptance of one leapfrog step crosses 0.8.
double reasonable_step(Chain &chain, double step) {
  constexpr double crossing = 0.8;
  constexpr int most = 100;
  const bool up = try_step(chain, step) > crossing;
  for (int i = 0; i < most; ++i) {
    const double next = up ? 2 * step : 0.5 * step;
    const bool above = try_step(chain, next) > crossing;
    if (up && !above) return step;
    step = next;
    if (!up && above) return step;
  }
  return step;
}

// ---- the mass --------------------------------------------------------------------------------

void clear_window(Chain &chain) {
  GradientSampler &s = gradient_sampler(chain);
  s.adaptation->window_draws = 0;
  for_all(chain.state.pool, chain.state.position_size,
          [&](int64_t i) { s.window_mean[i] = s.window_squares[i] = 0; });
}

// Welford's update of means and sums of squared deviations.
void add_to_window(Chain &chain) {
  GradientSampler &s = gradient_sampler(chain);
  const double weight = 1 / static_cast<double>(++s.adaptation->window_draws);
  const double *q = s.here.position;
  double *mean = s.window_mean, *squares = s.window_squares;
  for_all(chain.state.pool, chain.state.position_size, [=](int64_t i) {
    const double delta = q[i] - mean[i];
    mean[i] += weight * delta;
    squares[i] += delta * (q[i] - mean[i]);
  });
  // learned scales are not moved by the leapfrog
  const Net &net = chain.state.net;
  std::fill_n(mean + net.weight_params(), net.scale_count, 0.0);
  std::fill_n(squares + net.weight_params(), net.scale_count, 0.0);
}

// Sets the inverse mass to the variances, shrunk slightly towards a thousandth of their mean. (Stan
// shrinks towards 1e-3, which depends on the units.)
void take_mass_from_window(Chain &chain) {
  GradientSampler &s = gradient_sampler(chain);
  const double n = static_cast<double>(s.adaptation->window_draws);
  if (n < 2) return;
  const int64_t size = chain.state.position_size;
  const double *squares = s.window_squares;
  const double variables =
      static_cast<double>(chain.state.all_variables() - chain.state.net.scale_count);
  const double total = sum_over_position(chain.state, [=](int64_t i) { return squares[i]; });
  const double typical = total / (n - 1) / variables;
  if (!(typical > 0) || !std::isfinite(typical)) return;
  const double keep = n / (n + 5) / (n - 1), pull = 1e-3 * typical * 5 / (n + 5);
  double *v = s.flow.inverse_mass;
  for_all(chain.state.pool, size, [=](int64_t i) { v[i] = keep * squares[i] + pull; });
}

void begin_mass(Chain &chain) {
  GradientSampler &s = gradient_sampler(chain);
  const double *given = s.adaptation->mass_given ? s.given_mass : nullptr;
  double *v = s.flow.inverse_mass;
  for_all(chain.state.pool, chain.state.position_size,
          [=](int64_t i) { v[i] = given ? given[i] : 1; });
}

// ---- warm-up -----------------------------------------------------------------------------------

StepPhase phase_at(const Chain &chain, int64_t index) {
  if (!adapts_step(chain) || index < 0 || index >= warmup_of(chain)) return StepPhase::fixed;
  return is_polished(warmup_of(chain), index) ? StepPhase::polishing : StepPhase::averaging;
}

// Changes the phase of the step size. Averaging starts around a step that is tried first, or around
// one that is well adapted; when averaging ends, its average is used. Options may change at any
// step, so every change of phase goes through here.
void enter(Chain &chain, StepPhase wanted) {
  Adaptation &a = *gradient_sampler(chain).adaptation;
  const StepPhase left = a.phase;
  if (left == wanted) return;
  a.phase = wanted;
  if (left == StepPhase::fixed) begin_averaging(a, reasonable_step(chain, a.step));
  if (left == StepPhase::polishing) begin_averaging(a, a.step);
  if (wanted != StepPhase::averaging) begin_polish(a);
}

void begin(Chain &chain, bool langevin) {
  GradientSampler &s = gradient_sampler(chain);
  const int64_t given = s.adaptation->mass_given;
  *s.adaptation = Adaptation{};
  s.adaptation->mass_given = given;
  s.adaptation->step = s.adaptation->option_step = option_step(chain, langevin);
  begin_mass(chain);
  clear_window(chain);
}

void end_window(Chain &chain) {
  GradientSampler &s = gradient_sampler(chain);
  take_mass_from_window(chain);
  clear_window(chain);
  if (adapts_step(chain))
    begin_averaging(*s.adaptation, reasonable_step(chain, s.adaptation->step));
}

void adapt_step(Chain &chain, double acceptance) {
  Adaptation &a = *gradient_sampler(chain).adaptation;
  const double target = chain.options[Option::target];
  a.phase == StepPhase::polishing ? polish_step(a, acceptance, target)
                                  : average_step(a, acceptance, target);
}

// Adjusts the step towards the target acceptance while the chain anneals. The gain does not
// decrease: the density keeps changing, and these states are not draws.
void follow_annealing(Chain &chain, double acceptance) {
  constexpr double gain = 0.3;
  Adaptation &a = *gradient_sampler(chain).adaptation;
  const double factor = fn::exp(gain * (acceptance - chain.options[Option::target]));
  a.step = std::fmin(std::fmax(a.step * factor, 1e-300), 1e300);
}

// Annealing starts with a step that is tried first, and leaves the step of the options unchanged.
void enter_annealing(Chain &chain) {
  Adaptation &a = *gradient_sampler(chain).adaptation;
  if (chain.annealing.steps == 0 || !adapts_step(chain)) return;
  if (chain.steps == 0) a.step = reasonable_step(chain, a.step);
  if (warmup_index(chain) == 0) a.step = a.option_step;
}

void adapt(Chain &chain, double acceptance) {
  const int64_t warmup = warmup_of(chain), index = warmup_index(chain);
  if (index < 0 && adapts_step(chain)) follow_annealing(chain, acceptance);
  if (index < 0 || index >= warmup) return;
  if (adapts_step(chain)) adapt_step(chain, acceptance);
  if (chain.options[Option::adapt_mass] != 0 && in_window(warmup, index)) {
    add_to_window(chain);
    if (window_ends(warmup, index)) end_window(chain);
  }
  enter(chain, phase_at(chain, index + 1));
}

// Moves learned scales with their weights, then draws them from their conditionals. Density and
// gradient change.
void redraw_scales(Chain &chain) {
  if (chain.state.net.scale_count == 0) return;
  GradientSampler &s = gradient_sampler(chain);
  const int64_t due = due_at_step(chain.options[Option::precision_moves], chain.steps);
  for (int64_t n = 0; n < due; ++n) move_precisions(chain);
  chain_draw_scales(chain);
  evaluate(chain.state, s.flow, s.here);
}

// The jitter is independent of the state, so it leaves the posterior invariant.
double jittered(Chain &chain, double step) {
  const double jitter = chain.options[Option::jitter];
  if (jitter == 0) return step;
  return step * (1 + jitter * (2 * chain_stream(chain.state).uniform() - 1));
}

}  // namespace

double acceptance_of(double error) {
  if (!(error > 0)) return error == error ? 1 : 0;
  return fn::exp(-error);
}

Status gradient_check(const char *name, const Net &net, Error *err) {
  for (int64_t k = 1; k <= net.depth; ++k) {
    const Layer &layer = net.layer(k);
    if (const char *reason = ops_of(layer).no_gradient(layer))
      return fail(err, Status::unsupported,
                  "sampler %s: layer %lld (%s) has no slope to follow, %s", name,
                  static_cast<long long>(layer.first_number), layer_name(layer), reason);
  }
  if (net.param_count() + net.last_latent() > 0) return Status::ok;
  return fail(err, Status::unsupported, "sampler %s: the network has nothing to sample", name);
}

Status gradient_check_option(const Net &net, PosteriorKind posterior, Option option, double value,
                             Error *err) {
  if (option != Option::single_gradients || value == 0) return Status::ok;
  return check_single(net, posterior == PosteriorKind::intermediate, "single_gradients = 1", err);
}

GradientSampler *gradient_sampler_layout(Arena &arena, const State &state) {
  GradientSampler *sampler = arena.take<GradientSampler>(1);
  GradientSampler s = {};
  flow_layout(arena, state, s.flow);
  s.adaptation = arena.take<Adaptation>(1);
  s.here.position = state.params;
  s.here.gradient = arena.take<double>(state.position_size);
  s.there = point_layout(arena, state);
  s.given_mass = arena.take<double>(state.position_size);
  s.window_mean = arena.take<double>(state.position_size);
  s.window_squares = arena.take<double>(state.position_size);
  if (sampler) *sampler = s;
  return sampler;
}

Status gradient_prepare(Chain &chain, bool langevin, Error *err) {
  GradientSampler &s = gradient_sampler(chain);
  s.here.position = chain.state.params;
  s.flow.single = false;
  evaluate(chain.state, s.flow, s.here);
  const Status status = rows_agree(
      chain.state.rows(), check_density(chain.state, s.here.density, s.here.gradient, err), err);
  if (status != Status::ok) return status;
  s.flow.single = chain.options[Option::single_gradients] != 0;
  if (s.flow.single) evaluate(chain.state, s.flow, s.here);
  const double wanted = option_step(chain, langevin);
  if (chain.steps == 0) {
    begin(chain, langevin);
  } else if (wanted != s.adaptation->option_step) {
    s.adaptation->option_step = wanted;
    begin_averaging(*s.adaptation, wanted);
  }
  enter_annealing(chain);
  enter(chain, phase_at(chain, warmup_index(chain)));
  return Status::ok;
}

void gradient_step(Chain &chain, bool langevin, Outcome (*move)(Chain &, double step)) {
  GradientSampler &s = gradient_sampler(chain);
  const double step = jittered(chain, s.adaptation->step * step_factor(chain.state));
  const Outcome outcome = move(chain, step);
  if (outcome.divergent && warmup_index(chain) >= warmup_of(chain)) ++s.adaptation->divergences;
  adapt(chain, outcome.acceptance);
  redraw_scales(chain);
  chain.statistics[StepStatistic::log_density] = s.here.density.log_density;
  chain.statistics[StepStatistic::energy] = outcome.energy;
  chain.statistics[StepStatistic::acceptance] = outcome.acceptance;
  chain.statistics[StepStatistic::step_size] = langevin ? 0.5 * step * step : step;
  chain.statistics[StepStatistic::depth] = static_cast<double>(outcome.depth);
  chain.statistics[StepStatistic::leapfrogs] = static_cast<double>(outcome.leapfrogs);
  chain.statistics[StepStatistic::divergent] = outcome.divergent ? 1 : 0;
  chain.statistics[StepStatistic::divergences] = static_cast<double>(s.adaptation->divergences);
}

namespace {

enum Piece { adaptation_piece, mass_piece, mean_piece, squares_piece, given_piece, piece_count };

}  // namespace

int gradient_saved(const Chain &chain, SavedPiece *pieces) {
  const GradientSampler &s = gradient_sampler(chain);
  const size_t bytes = static_cast<size_t>(chain.state.position_size) * sizeof(double);
  pieces[adaptation_piece] = {s.adaptation, sizeof(Adaptation)};
  pieces[mass_piece] = {s.flow.inverse_mass, bytes, true};
  pieces[mean_piece] = {s.window_mean, bytes, true};
  pieces[squares_piece] = {s.window_squares, bytes, true};
  pieces[given_piece] = {s.given_mass, bytes, true};
  return piece_count;
}

namespace {

struct Limits {
  const char *name;
  double low, high;  // no range contains NaN
  bool whole;
};

Status check_value(const Limits &limits, double value, Error *err) {
  const bool inside = value >= limits.low && value <= limits.high;
  if (inside && (!limits.whole || value == std::floor(value))) return Status::ok;
  return fail(err, Status::save_corrupted, "buffer: %s is %g, expected a %snumber from %g to %g",
              limits.name, value, limits.whole ? "whole " : "", limits.low, limits.high);
}

Status check_counter(const char *name, int64_t value, int64_t high, Error *err) {
  if (value >= 0 && value <= high) return Status::ok;
  return fail(err, Status::save_corrupted, "buffer: %s is %lld, expected 0 to %lld", name,
              static_cast<long long>(value), static_cast<long long>(high));
}

constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

// In the order of StepStatistic, for a chain that has made steps.
constexpr Limits statistic_limits[step_statistic_count] = {
    {"its last log density", -largest, largest, false},
    {"its last energy", -INFINITY, INFINITY, false},
    {"its last acceptance", 0, 1, false},
    {"its last step size", 0, INFINITY, false},
    {"its last depth", 0, max_tree_depth, true},
    {"its last number of leapfrogs", 1, 1e9, true},
    {"its last divergence", 0, 1, true},
    {"its number of divergences", 0, static_cast<double>(max_steps), true},
};

// Before the first step all statistics must be 0.
Status check_statistics(const SavedChain &saved, Error *err) {
  for (int32_t i = 0; i < step_statistic_count; ++i) {
    const double value = saved.statistics.values[i];
    const bool counts = static_cast<StepStatistic>(i + 1) == StepStatistic::divergences;
    if (saved.steps == 0 && (counts ? value == 0 : std::isnan(value))) continue;
    const Status status = saved.steps > 0 ? check_value(statistic_limits[i], value, err)
                                          : fail(err, Status::save_corrupted,
                                                 "buffer: %s is %g before the first step",
                                                 statistic_limits[i].name, value);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status check_adaptation(const Adaptation &a, int64_t steps, Error *err) {
  const struct {
    const char *name;
    int64_t value;
  } counters[] = {{"its steps of averaging", a.count},
                  {"its draws in the window", a.window_draws},
                  {"its count of divergences", a.divergences}};
  for (const auto &counter : counters) {
    const Status status = check_counter(counter.name, counter.value, steps, err);
    if (status != Status::ok) return status;
  }
  const struct {
    Limits limits;
    double value;
  } numbers[] = {{{"its adapted step", smallest, largest, false}, a.step},
                 {{"the step it began from", smallest, largest, false}, a.option_step},
                 {{"the centre of averaging", -1e3, 1e3, false}, a.centre},
                 {{"the error of averaging", -1, 1, false}, a.error},
                 {{"the average of steps", -1e9, 1e9, false}, a.log_average}};
  for (const auto &number : numbers) {
    const Status status = check_value(number.limits, number.value, err);
    if (status != Status::ok) return status;
  }
  return check_counter("the phase of its step", static_cast<int64_t>(a.phase),
                       static_cast<int64_t>(StepPhase::polishing), err);
}

Status check_vector(const Chain &chain, const unsigned char *piece, const Limits &limits,
                    Error *err) {
  for (int64_t i = 0; i < chain.state.position_size; ++i) {
    const double value = saved_value<double>(piece, i);
    if (value >= limits.low && value <= limits.high) continue;
    return fail(err, Status::save_corrupted,
                "buffer: %s of position %lld is %g, expected a number from %g to %g", limits.name,
                static_cast<long long>(i), value, limits.low, limits.high);
  }
  return Status::ok;
}

// Checks that unused entries are 0: the mass is computed from sums over the whole window, padding
// included.
Status check_unused(const Chain &chain, const unsigned char *piece, const char *name, Error *err) {
  Status status = Status::ok;
  for_each_unused(chain.state, [&](int64_t i) {
    const double value = saved_value<double>(piece, i);
    if (value != 0)
      status = fail(err, Status::save_corrupted,
                    "buffer: %s of position %lld, which is not used, is %g, expected 0", name,
                    static_cast<long long>(i), value);
  });
  return status;
}

Status check_windows(const Chain &chain, const SavedChain &saved, Error *err) {
  const unsigned char *mean = saved.pieces[mean_piece], *squares = saved.pieces[squares_piece];
  // values whose squares overflow give no mass
  Status status = check_vector(chain, mean, {"the mean", -largest, largest, false}, err);
  if (status == Status::ok)
    status = check_vector(chain, squares, {"the squared deviation", 0, INFINITY, false}, err);
  if (status == Status::ok) status = check_unused(chain, mean, "the mean", err);
  if (status == Status::ok) status = check_unused(chain, squares, "the squared deviation", err);
  return status;
}

}  // namespace

// Adaptation starts with the first step; before it, the contents are not checked.
Status gradient_check_saved(const Chain &chain, const SavedChain &saved, Error *err) {
  const Limits mass = {"the inverse mass", smallest, largest, false};
  const Limits given_mass = {"the given inverse mass", smallest, largest, false};
  const Adaptation a = saved_value<Adaptation>(saved.pieces[adaptation_piece], 0);
  Status status = check_statistics(saved, err);
  if (status == Status::ok)
    status = check_counter("its mark of given masses", a.mass_given, 1, err);
  if (status == Status::ok && a.mass_given)
    status = check_vector(chain, saved.pieces[given_piece], given_mass, err);
  if (saved.steps == 0 || status != Status::ok) return status;
  status = check_adaptation(a, saved.steps, err);
  if (status == Status::ok) status = check_vector(chain, saved.pieces[mass_piece], mass, err);
  return status == Status::ok ? check_windows(chain, saved, err) : status;
}

void gradient_set_scales(const Chain &chain, const double *variances) {
  GradientSampler &s = gradient_sampler(chain);
  const State &state = chain.state;
  s.adaptation->mass_given = variances != nullptr;
  if (!variances) return;
  for (int64_t i = 0; i < state.position_size; ++i) s.given_mass[i] = 1;
  for (int64_t i = 0; i < state.net.param_count(); ++i) s.given_mass[i] = *variances++;
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    const int64_t width = state.net.site_width(k);
    scatter_rows(state.tiling, variances, width, state.latent(k, s.given_mass));
    variances += width * state.tiling.n;
  }
}

void gradient_scales(const Chain &chain, double *variances) {
  const GradientSampler &s = gradient_sampler(chain);
  const State &state = chain.state;
  double *mass = chain.steps > 0 ? s.flow.inverse_mass : s.given_mass;
  if (chain.steps == 0 && !s.adaptation->mass_given) {
    for (int64_t i = 0; i < state.variables(); ++i) variances[i] = 1;
    return;
  }
  for (int64_t i = 0; i < state.net.param_count(); ++i) *variances++ = mass[i];
  for (int64_t k = 1; k <= state.last_latent; ++k) {
    const int64_t width = state.net.site_width(k);
    gather_rows(state.tiling, state.latent(k, mass), width, variances);
    variances += width * state.tiling.n;
  }
}

// Only the end of the trajectory must be a possible point. The path may cross the boundary of a
// probit head's scores, because the leapfrog follows a smooth function on both sides and so stays
// reversible and volume-preserving.
Outcome metropolis_move(Chain &chain, double step, int64_t leapfrogs) {
  State &state = chain.state;
  GradientSampler &s = gradient_sampler(chain);
  copy_point(state, s.here, s.there);
  draw_momentum(state, s.flow, s.there.momentum);
  const double before = energy(state, s.flow, s.there);
  Outcome outcome = {0, before, 0, 0, false};
  while (outcome.leapfrogs < leapfrogs) {
    const bool last = outcome.leapfrogs + 1 == leapfrogs;
    leapfrog(state, s.flow, s.there, step, last ? Ending::with_density : Ending::gradient_only);
    ++outcome.leapfrogs;
    if (!std::isfinite(s.there.density.log_density)) break;
  }
  const double after = energy(state, s.flow, s.there), error = after - before;
  outcome.divergent = !(error <= divergence_threshold);
  const bool possible = std::isfinite(after) && s.there.density.outside == 0;
  outcome.acceptance = possible ? acceptance_of(error) : 0;
  // accept if log u < H_now - H_new
  const double u = chain_stream(state).uniform();
  if (!possible || !(fn::log(u) < -error)) return outcome;
  outcome.energy = after;
  copy_point(state, s.there, s.here);
  return outcome;
}

}  // namespace nnp
