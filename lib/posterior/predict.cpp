#include "lib/posterior/predict.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/sizes.hpp"
#include "lib/posterior/averages.hpp"

namespace nnp {

namespace {

// ---- moments -------------------------------------------------------------------------------

void predict_mean(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  write_rows(tile_mean(p, data, draws, t), out + t * data.tiling.ld * p.net.targets());
}

// The divisor of sums of squared deviations for a variance: the number of passes minus 1 (1 for a
// single one); for weights, 1 - sum of their squares, which is equivalent if they are equal.
double freedom(const Predictor &p, const Draws &draws, const Passes &passes) {
  if (!is_weighted(p))
    return static_cast<double>(std::max<int64_t>(draws.count * passes.each - 1, 1));
  double squares = 0;
  for (int64_t s = 0; s < draws.count; ++s) squares += p.weights[s] * pass_weight(p, s, passes);
  return squares < 1 ? 1 - squares : 1;
}

// Standard deviation over the passes (0 for a single one).
void predict_sd(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.targets();
  const Tile square = sum_tile(p, 1, data, t, width);
  const Passes passes = passes_to(p, draws.count, true);
  tile_moments(p, data, draws, t, passes, sum_tile(p, 0, data, t, width), square);
  const double denominator = freedom(p, draws, passes);
  for (int64_t j = 0; j < width; ++j)
    for (int64_t i = 0; i < square.rows; ++i)
      square.col(j)[i] = std::sqrt(square.col(j)[i] / denominator);
  look_at(p, square);
  write_rows(square, out + t * data.tiling.ld * width);
}

// ---- quantiles -----------------------------------------------------------------------------

// A quantile of sorted values, R's type 7.
double quantile(const double *sorted, int64_t count, double level) {
  const double position = level * static_cast<double>(count - 1);
  const int64_t low = static_cast<int64_t>(position);
  const int64_t high = std::min(low + 1, count - 1);
  return sorted[low] + (position - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// A quantile of weighted values, given their order: neighbours are separated by the mean of their
// weights, so that equal weights give type 7.
double weighted_quantile(const double *values, const int64_t *order, const double *weights,
                         int64_t count, double level) {
  const auto gap = [&](int64_t i) { return weights[order[i]] + weights[order[i + 1]]; };
  double all = 0, below = 0;
  for (int64_t i = 0; i + 1 < count; ++i) all += gap(i);
  const double position = level * all;
  int64_t i = 0;
  while (i + 2 < count && below + gap(i) <= position) below += gap(i++);
  if (count == 1) return values[order[0]];
  const double share = std::min((position - below) / gap(i), 1.0);
  return values[order[i]] + share * (values[order[i + 1]] - values[order[i]]);
}

// As many passes as can be sorted.
Passes passes_to_quantiles(const Predictor &p, int64_t draws) {
  Passes passes = passes_to(p, draws, true);
  passes.each = std::min(passes.each, std::max<int64_t>(p.room / (draws * p.net.targets()), 1));
  return passes;
}

// Quantiles of `count` passes, at all levels; the values may be reordered.
void cell_quantiles(const Predictor &p, double *values, int64_t count, double *out) {
  std::sort(values, values + count);
  for (int64_t q = 0; q < p.level_count; ++q) out[q] = quantile(values, count, p.levels[q]);
}

// Quantiles of weighted passes, at all levels.
void weighted_cell_quantiles(const Predictor &p, const double *values, const double *weights,
                             int64_t count, double *out) {
  for (int64_t i = 0; i < count; ++i) p.order[i] = i;
  std::sort(p.order, p.order + count, [values](int64_t a, int64_t b) {
    return values[a] < values[b] || (values[a] == values[b] && a < b);
  });
  for (int64_t q = 0; q < p.level_count; ++q)
    out[q] = weighted_quantile(values, p.order, weights, count, p.levels[q]);
}

void predict_quantiles(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.targets(), rows = data.tiling.rows(t);
  const Passes passes = passes_to_quantiles(p, draws.count);
  const int64_t room = draws.count * passes.each;
  int64_t seen = 0;
  const bool all = for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile site) {
    look_at(p, site);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) p.values[(i * width + j) * room + seen] = site.col(j)[i];
    if (is_weighted(p)) p.pass_weights[seen] = pass_weight(p, s, passes);
    ++seen;
  });
  if (!p.finite || !all) return;
  out += t * data.tiling.ld * width * p.level_count;
  for (int64_t cell = 0; cell < rows * width; ++cell, out += p.level_count) {
    if (is_weighted(p))
      weighted_cell_quantiles(p, p.values + cell * room, p.pass_weights, seen, out);
    else
      cell_quantiles(p, p.values + cell * room, seen, out);
  }
}

void predict_draws(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.targets();
  for_each_pass(p, data, draws, t, one_of_each_draw, [&](int64_t s, ConstTile site) {
    look_at(p, site);
    write_rows(site, out + (s * data.n() + t * data.tiling.ld) * width);
  });
}

// ---- classes -------------------------------------------------------------------------------

void predict_probabilities(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                           double *out) {
  write_rows(tile_classes(p, data, draws, t, false), out + t * data.tiling.ld * class_columns(p));
}

void predict_votes(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  write_rows(tile_classes(p, data, draws, t, true), out + t * data.tiling.ld * class_columns(p));
}

using PredictTile = void (*)(Predictor &, const Data &, const Draws &, int64_t t, double *out);

PredictTile prediction_of(Prediction kind) {
  switch (kind) {
    case Prediction::mean:
      return predict_mean;
    case Prediction::sd:
      return predict_sd;
    case Prediction::quantiles:
      return predict_quantiles;
    case Prediction::probabilities:
      return predict_probabilities;
    case Prediction::votes:
      return predict_votes;
    case Prediction::draws:
      return predict_draws;
  }
  return nullptr;
}

bool needs_classes(Prediction kind) {
  return kind == Prediction::probabilities || kind == Prediction::votes;
}

}  // namespace

// ---- checks --------------------------------------------------------------------------------

Status check_prediction(const Predictor &p, const Draws &draws, Prediction kind, Error *err) {
  if (!prediction_of(kind))
    return fail(err, Status::bad_enum, "kind = %d: expected one of the predictions",
                static_cast<int>(kind));
  if (needs_classes(kind) && class_columns(p) == 0)
    return fail(err, Status::unsupported,
                "kind = %s: head %s has no classes, expected mean, sd, quantiles or draws",
                kind == Prediction::votes ? "votes" : "probabilities", head_of(p).name);
  if (needs_classes(kind)) {
    const Status status = check_classes(p, "kind", err);
    if (status != Status::ok) return status;
  }
  if (kind != Prediction::quantiles) return Status::ok;
  if (p.level_count == 0)
    return fail(err, Status::bad_option,
                "kind = quantiles: no levels were set, expected some by nnp_predictor_levels");
  if (draws.count > p.max_draws)
    return fail(err, Status::memory_too_small,
                "draws = %lld: the predictor was made for quantiles of at most %lld",
                static_cast<long long>(draws.count), static_cast<long long>(p.max_draws));
  return Status::ok;
}

namespace {

// The passes needed for a kind of prediction.
Passes passes_to_predict(const Predictor &p, int64_t draws, Prediction kind) {
  if (kind == Prediction::draws) return one_of_each_draw;
  if (kind == Prediction::quantiles) return passes_to_quantiles(p, draws);
  return passes_to(p, draws, kind == Prediction::sd || kind == Prediction::votes);
}

// ---- units ---------------------------------------------------------------------------------

// Converts values [each, target, row …] of a prediction from the units of the data to those of
// results.
Status tell_in_units(const Predictor &p, int64_t size, int64_t each, bool shifted, double *out,
                     Error *err) {
  const int64_t width = p.net.targets();
  for (int64_t i = 0; i < size; ++i) {
    const int64_t j = i / each % width;
    out[i] = p.unit_sd[j] * out[i] + (shifted ? p.unit_mean[j] : 0);
    if (!std::isfinite(out[i]))
      return fail(err, Status::not_finite,
                  "units: in those of target %lld a prediction is %g, expected a finite number",
                  ll(j), out[i]);
  }
  return Status::ok;
}

}  // namespace

namespace {

// Lays out the scratch for passes and for sorting their results.
void take_scratch(Arena &arena, Predictor &p, bool several_passes) {
  constexpr int64_t ld = Tiling::max_rows;
  for (double *&site : p.sites) site = arena.take<double>(ld, p.net.widest_site());
  if (several_passes) p.first = arena.take<double>(ld, p.net.layer(1).out.size());
  for (double *&sum : p.sums) sum = arena.take<double>(ld, p.net.outputs());
  p.values = arena.take<double>(ld, p.room);
  if (!several_passes) return;
  p.pass_weights = arena.take<double>(p.room);
  p.order = arena.take<int64_t>(p.room);
}

}  // namespace

Predictor *predictor_layout(Arena &arena, const Net &net, int64_t max_draws, int64_t spare) {
  Predictor *predictor = arena.take<Predictor>(1);
  Predictor p;
  p.net = net_copy(arena, net);
  p.max_draws = max_draws;
  p.room = std::max(times(net.outputs(), max_draws), spare);
  use_engine(p, default_engine());
  take_scratch(arena, p, spare > 0);
  p.partial = arena.take<double>(partial_sums);
  if (spare > 0) {
    p.weights = arena.take<double>(max_draws);
    p.unit_mean = arena.take<double>(net.outputs());
    p.unit_sd = arena.take<double>(net.outputs());
    p.judged.x = arena.take<double>(judged_rows, net.input.size());
    p.judged.y = arena.take<double>(judged_rows, net.outputs());
    p.judged.labels = arena.take<int32_t>(judged_rows);
  }
  if (predictor) *predictor = p;
  return predictor;
}

Predictor **helpers_layout(Arena &arena, const Predictor &predictor, int64_t threads) {
  Predictor **helpers = arena.take<Predictor *>(threads - 1);
  for (int64_t i = 0; i + 1 < threads; ++i) {
    Predictor *helper = arena.take<Predictor>(1);
    Predictor p;
    p.net = net_copy(arena, predictor.net);
    p.max_draws = predictor.max_draws;
    p.room = predictor.room;
    take_scratch(arena, p, predictor.first != nullptr);
    if (helper) *helper = p;
    if (helpers) helpers[i] = helper;
  }
  return helpers;
}

void use_pool(Predictor &predictor, Pool *pool, Predictor **helpers) {
  predictor.pool = pool;
  predictor.helpers = helpers;
  predictor.helper_count = pool ? pool_threads(pool) - 1 : 0;
}

Status set_draw_weights(Predictor &predictor, const double *weights, int64_t count, Error *err) {
  double sum = 0, largest = 0, smallest = INFINITY;
  for (int64_t s = 0; weights && s < count; ++s) {
    if (!(weights[s] >= 0) || !std::isfinite(weights[s]))
      return fail(err, Status::bad_value,
                  "weights: entry %lld is %g, expected a finite number, not negative", ll(s),
                  weights[s]);
    largest = std::max(largest, weights[s]);
    smallest = std::min(smallest, weights[s]);
  }
  if (weights && largest == 0)
    return fail(err, Status::bad_value, "weights: all %lld are 0, expected one that is not",
                ll(count));
  predictor.weight_count = 0;
  if (!weights || smallest == largest) return Status::ok;
  for (int64_t s = 0; s < count; ++s) sum += weights[s] / largest;
  for (int64_t s = 0; s < count; ++s) predictor.weights[s] = weights[s] / largest / sum;
  predictor.weight_count = count;
  return Status::ok;
}

Status set_units(Predictor &predictor, const double *mean, const double *sd, Error *err) {
  const int64_t width = predictor.net.targets();
  if (mean && head_of(predictor).target != TargetKind::targets)
    return fail(err, Status::unsupported, "mean: head %s has labels, expected a head with targets",
                head_of(predictor).name);
  for (int64_t j = 0; mean && j < width; ++j)
    if (!std::isfinite(mean[j]) || !(sd[j] > 0) || !std::isfinite(sd[j]))
      return fail(err, Status::bad_value,
                  "mean, sd: those of target %lld are %g and %g, expected two finite numbers, the "
                  "second positive",
                  ll(j), mean[j], sd[j]);
  predictor.has_units = mean != nullptr;
  if (!mean) return Status::ok;
  std::copy_n(mean, width, predictor.unit_mean);
  std::copy_n(sd, width, predictor.unit_sd);
  return Status::ok;
}

int64_t prediction_size(const Predictor &predictor, const Data &data, const Draws &draws,
                        Prediction kind) {
  const int64_t width = needs_classes(kind) ? class_columns(predictor) : predictor.net.targets();
  int64_t each = 1;
  if (kind == Prediction::quantiles) each = predictor.level_count;
  if (kind == Prediction::draws) each = draws.count;
  return data.n() * width * each;
}

Status predict(Predictor &predictor, const Data &data, const Draws &draws, Prediction kind,
               double *out, Error *err) {
  Status status = check_prediction(predictor, draws, kind, err);
  if (status == Status::ok) status = net_check_inputs(predictor.net, data, err);
  if (status == Status::ok) status = check_draws(predictor, draws, err);
  if (status == Status::ok && kind != Prediction::draws)
    status = check_weights(predictor, draws, err);
  if (status != Status::ok) return status;
  const PredictTile predict_tile = prediction_of(kind);
  int64_t bad = 0;
  status = share_out(
      predictor, data.tiling.tiles, draws.count,
      [&](Predictor &own, int64_t t) { predict_tile(own, data, draws, t, out); }, &bad, err);
  if (status != Status::ok) return status;
  if (bad < INT64_MAX)
    return blame_draw(predictor, data, draws, bad, passes_to_predict(predictor, draws.count, kind),
                      err);
  if (predictor.has_units && !needs_classes(kind))
    return tell_in_units(predictor, prediction_size(predictor, data, draws, kind),
                         kind == Prediction::quantiles ? predictor.level_count : 1,
                         kind != Prediction::sd, out, err);
  return Status::ok;
}

}  // namespace nnp
