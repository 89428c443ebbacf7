// Which extra moves a Gibbs chain makes unless told otherwise: all that its network has a use for,
// as often as work counted in multiplications says. Nothing is timed and nothing adapts, so that a
// chain depends on its seed alone and is exact from the first step on.
#include <cmath>

#include "lib/sampler/unit.hpp"

namespace nnp {

namespace {

// From runs on the paper's synthetic problem.
constexpr double relax_strength = -0.98;
constexpr double relax_period = 5;
constexpr double relax_below = 0.01;  // noise, where that of the sites is about 1
constexpr double layer_share = 0.45, draw_share = 0.1, unit_share = 0.2, scale_share = 0.02;
constexpr double variate = 20;                      // multiplications a random variate is worth
constexpr double unit_looks = 14, scale_looks = 9;  // points of a slice, on average

double as_double(int64_t value) {
  return static_cast<double>(value);
}

// Multiplications for a row in the products of a layer. Windows that slide are gathered, and each
// unit reads them.
double products(const Layer &layer) {
  if (!layer.weight_count) return 0;
  const bool slides = !ops_of(layer).add_columns;
  const double pool = as_double(layer.window.pool_y * layer.window.pool_x);
  const double gathered = slides ? as_double(unit_width(layer) * fan_in(layer)) * (pool + 4) : 0;
  return as_double(layer.out.size() * fan_in(layer)) + gathered;
}

// Mean, sums and the draw of the input of each layer; the variates.
double work_of_step(const State &state) {
  double work = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k) work += 3 * products(state.net.layer(k));
  return work + variate * as_double(state.net.latent_width());
}

struct UnitWork {
  double move, scale, draw;
};

// All units of layer k at once: a product forth and one back a leapfrog, of which there are more
// the more units are coupled; the masses.
double work_of_layer(const State &state, int64_t k) {
  const Layer &layer = state.net.layer(k), &above = state.net.layer(k + 2);
  const double order = as_double(ops_of(layer).order(layer)), rows = as_double(state.tiling.n);
  // features pull on each other where few outputs read many of them
  const double features = as_double(layer.out.size()), outputs = as_double(unit_count(above));
  const double leapfrogs = 0.6 + 3.4 * std::sqrt(1 + 0.5 * features / std::sqrt(outputs));
  const double pass = 2 * products(layer) + 2 * products(above) + 8 * as_double(layer.out.size());
  const double gram = k > 1 ? order * order / 2 : 0;
  const double turned = 2 * as_double(layer.param_count()) * order / rows;
  const double solved = outputs * outputs + features * features * outputs / (leapfrogs * rows);
  return leapfrogs * (pass + turned + solved) + gram + order * order * order / rows;
}

// Of one unit of layer k. A move: two projections of the input and its sums, the site above, the
// points. A draw: the Gram matrix of the rows with a slope, and the inputs a few times.
UnitWork work_of_unit(const State &state, int64_t k) {
  const Layer &layer = state.net.layer(k), &above = state.net.layer(k + 2);
  const double order = as_double(ops_of(above).order(above)), inputs = as_double(above.in.size());
  const double width = as_double(unit_width(layer)), input = width * as_double(fan_in(layer));
  const double rows = as_double(state.tiling.n);
  const double outputs = as_double(unit_count(above));
  const double look =
      width * (order + 100) + 40 * (outputs - 1) + order * order * order / (6 * rows);
  const double whole = products(above);
  const double ends = 3 * input + inputs * order / 2 + 6 * whole;
  const double draw =
      input * input / 2 + 20 * input + 2 * whole + input * input * input / (3 * rows);
  return {ends + unit_looks * look, 3 * input + scale_looks * (whole + inputs), draw};
}

// A rate that gives a move this share of all work, to two digits.
double rate_for(double share, double step, double move) {
  const double rate = share * step / move;
  const double digit = std::pow(10.0, std::floor(std::log10(rate)) - 1);
  return std::fmin(std::fmax(std::round(rate / digit) * digit, 0.01), 100);
}

double least_noise(const Net &net) {
  double least = INFINITY;
  for (int64_t k = 1; k <= net.depth; ++k) least = std::fmin(least, net.layer(k).final_noise);
  return least;
}

void set(Chain &chain, Option option, double value) {
  chain.options.values[static_cast<int32_t>(option)] = value;
}

}  // namespace

void set_moves(Chain &chain, Moves moves) {
  const State &state = chain.state;
  const bool on = moves == Moves::automatic;
  const bool relaxed = on && least_noise(state.net) <= relax_below;
  set(chain, Option::relax, relaxed ? relax_strength : 0);
  set(chain, Option::plain_every,
      relaxed ? relax_period : option_row(Option::plain_every)->initial);
  set(chain, Option::expansion, on && can_expand(state.net) ? 1 : 0);
  set(chain, Option::unit_moves, 0);
  set(chain, Option::scale_moves, 0);
  set(chain, Option::unit_draws, 0);
  set(chain, Option::layer_moves, 0);
  const double units = as_double(chain_units(chain));
  if (!on || units == 0) return;
  UnitWork mean = {0, 0, 0};
  double layers = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    if (!has_movable_units(state.net, k)) continue;
    const UnitWork work = work_of_unit(state, k);
    const double share = as_double(unit_count(state.net.layer(k))) / units;
    mean.move += share * work.move;
    mean.scale += share * work.scale;
    if (has_drawable_units(state.net, k)) mean.draw += share * work.draw;
    if (has_movable_layer(state.net, k)) layers += work_of_layer(state, k);
  }
  const bool scales = first_layer_without_scale(state.net) == 0, draws = can_draw_units(state.net);
  const double plain_share = 1 - unit_share - (scales ? scale_share : 0) -
                             (draws ? draw_share : 0) - (layers > 0 ? layer_share : 0);
  const double all = work_of_step(state) / plain_share;
  set(chain, Option::unit_moves, rate_for(unit_share, all, mean.move));
  if (scales) set(chain, Option::scale_moves, rate_for(scale_share, all, mean.scale));
  if (draws) set(chain, Option::unit_draws, rate_for(draw_share, all, mean.draw));
  if (layers > 0)
    set(chain, Option::layer_moves,
        rate_for(layer_share, all, layers / as_double(movable_layers(state.net))));
}

}  // namespace nnp
