#include "lib/posterior/predict.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/sizes.hpp"
#include "lib/base/text.hpp"
#include "lib/network/scales.hpp"
#include "lib/random/tiles.hpp"

namespace nnp {

namespace {

const HeadOps &head_of(const Predictor &p) {
  return *ops_of(p.net.head);
}

int64_t class_columns(const Predictor &p) {
  return head_of(p).class_columns(p.net.outputs());
}

// ---- what overflows ------------------------------------------------------------------------

bool is_finite(ConstTile tile) {
  bool finite = true;
  for (int64_t j = 0; j < tile.width; ++j) finite = finite && all_finite(tile.col(j), tile.rows);
  return finite;
}

// Weights that are finite may have outputs that are not. NaN and infinity stay what they are in
// means and sums, which are looked at when they are complete; what is sorted, compared or weighed is
// looked at before.
void look_at(Predictor &p, ConstTile tile) {
  if (p.finite) p.finite = is_finite(tile);
}

// ---- the draw in hand ----------------------------------------------------------------------

// Is noise below the last layer part of what is predicted?
bool hidden_noise(const Predictor &p) {
  return p.noise == Noise::fitted && !p.classical && p.net.depth > 1;
}

// u = w'(v + e) + b + N(0, D) with e ~ N(0, E I) is N(w'v + b, D + E |w|^2): with one output that
// takes Gaussian noise, the noise of the site below a last dense layer is integrated exactly.
bool joins_last_noise(const Predictor &p) {
  const Layer &last = p.net.layer(p.net.depth);
  return hidden_noise(p) && p.net.outputs() == 1 && ops_of(last).is_product &&
         head_of(p).gaussian_site;
}

// The one place where a draw is taken up: passes are those of its parameters, with its noises, from
// here on.
void take_up(Predictor &p, const Draws &draws, int64_t s) {
  p.params = draws.params + s * p.net.param_count();
  take_noises(p.net, p.params);
  const Layer &last = p.net.layer(p.net.depth);
  p.last_noise = last.noise;
  p.drawn_sites = hidden_noise(p) ? p.net.depth - 1 : 0;
  if (!joins_last_noise(p)) return;
  p.last_noise +=
      p.net.layer(p.net.depth - 1).noise * squared_norm(last.weights(p.params), last.weight_count);
  --p.drawn_sites;
}

// ---- forward passes ------------------------------------------------------------------------

// Where noise comes from. Rows that share it get the same numbers, so a row's prediction depends on
// no other row and is smooth in the inputs; what is drawn jointly for all rows has its own for each.
struct NoiseSource {
  Stream stream;
  bool shared;
};

// site += sd * one normal a column
void add_shared_normals(Tile site, double sd, Stream &stream) {
  alignas(64) double noise[Tiling::max_rows];
  for (int64_t first = 0; first < site.width; first += Tiling::max_rows) {
    const int64_t count = std::min(site.width - first, Tiling::max_rows);
    fill_normal(stream, noise, count);
    for (int64_t j = 0; j < count; ++j) {
      double *column = site.col(first + j);
      for (int64_t i = 0; i < site.rows; ++i) column[i] += sd * noise[j];
    }
  }
}

// The mean of the last site, sites below it with the noise that is drawn.
Tile forward(Predictor &p, const Data &data, int64_t t, NoiseSource &source) {
  ConstTile in = data.inputs(t);
  Tile out = {};
  for (int64_t k = 1; k <= p.net.depth; ++k) {
    const Layer &layer = p.net.layer(k);
    out = {p.sites[k % 2], in.rows, layer.out.size(), in.ld};
    ops_of(layer).forward(layer, p.params, in, out, *p.kernels);
    if (k <= p.drawn_sites)
      (source.shared ? add_shared_normals : add_normals)(out, std::sqrt(layer.noise),
                                                         source.stream);
    in = out;
  }
  return out;
}

// Has the last site noise in what is predicted? (Classical scores of classes have none.)
bool last_site_is_noisy(const Predictor &p) {
  return p.noise == Noise::fitted && !(p.classical && head_of(p).classical_outputs_exact);
}

// The columns of the last site that predict targets.
Tile site_of(const Predictor &p, const Tile &outputs) {
  return {outputs.data, outputs.rows, p.net.targets(), outputs.ld};
}

Tile forward_site(Predictor &p, const Data &data, int64_t t, NoiseSource &source) {
  const Tile out = forward(p, data, t, source);
  if (!last_site_is_noisy(p)) return site_of(p, out);
  const HeadOps &head = head_of(p);
  const auto add_noise = p.classical ? head.add_classical_noise : head.add_noise;
  if (!source.shared) {
    add_noise(p.net.head, p.last_noise, source.stream, out);
    return site_of(p, out);
  }
  const Stream before = source.stream;
  for (int64_t i = 0; i < out.rows; ++i) {
    source.stream = before;
    add_noise(p.net.head, p.last_noise, source.stream, {out.data + i, 1, out.width, out.ld});
  }
  return site_of(p, out);
}

NoiseSource noise_source(const Predictor &p, int64_t t, bool shared) {
  return {Stream(p.seed, ~uint64_t{0}, shared ? 0 : static_cast<uint64_t>(t)), shared};
}

Tile sum_tile(const Predictor &p, int which, const Data &data, int64_t t, int64_t width) {
  return {p.sums[which], data.tiling.rows(t), width, data.tiling.ld};
}

// Passes of every draw, what they end in (the last site, or its mean), and whether rows share their
// noise.
struct Passes {
  int64_t each;
  bool last_noise;
  bool shared = true;
  bool weighed = true;  // draws count by their weights, if there are any
};
constexpr Passes one_of_each_draw = {1, true, false, false};

// Is there noise that a pass draws?
bool draws_noise(const Predictor &p, bool last_noise) {
  const int64_t joined = joins_last_noise(p) ? 1 : 0;
  return (hidden_noise(p) && p.net.depth - 1 > joined) || (last_noise && last_site_is_noisy(p));
}

// Enough for Monte Carlo errors that are small beside those of the draws.
int64_t passes_of_draw(const Predictor &p, int64_t draws) {
  if (p.passes > 0) return p.passes;
  return std::min((enough_passes + draws - 1) / draws, most_passes);
}

Passes passes_to(const Predictor &p, int64_t draws, bool last_noise) {
  return {draws_noise(p, last_noise) ? passes_of_draw(p, draws) : 1, last_noise};
}

// ---- weights of draws ------------------------------------------------------------------------

bool is_weighted(const Predictor &p) {
  return p.weight_count > 0;
}

// What a pass of draw s counts; all passes of all draws sum to 1. Asked for weighted draws only.
double pass_weight(const Predictor &p, int64_t s, const Passes &passes) {
  return p.weights[s] / static_cast<double>(passes.each);
}

// ---- passes ----------------------------------------------------------------------------------

// Calls visit(draw, site) for every pass over tile t; draws that count nothing are left out.
template <class Visit>
void for_each_pass(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                   const Passes &passes, Visit visit) {
  NoiseSource source = noise_source(p, t, passes.shared);
  for (int64_t s = 0; s < draws.count; ++s) {
    if (passes.weighed && is_weighted(p) && p.weights[s] == 0) continue;
    take_up(p, draws, s);
    for (int64_t i = 0; i < passes.each; ++i)
      visit(s, passes.last_noise ? forward_site(p, data, t, source) : forward(p, data, t, source));
  }
}

// ---- moments -------------------------------------------------------------------------------

// Welford: mean and sum of squared deviations over passes. Of weighted draws (West 1979) the sum is
// by weights that sum to 1.
void tile_moments(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                  const Passes &passes, Tile mean, Tile square) {
  clear(mean);
  clear(square);
  int64_t seen = 0;
  double before = 0;
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile site) {
    const double own = is_weighted(p) ? pass_weight(p, s, passes) : 1;
    const double all = is_weighted(p) ? before += own : static_cast<double>(++seen);
    const double weight = own / all;
    for (int64_t j = 0; j < mean.width; ++j)
      for (int64_t i = 0; i < site.rows; ++i) {
        const double delta = site.col(j)[i] - mean.col(j)[i];
        mean.col(j)[i] += weight * delta;
        square.col(j)[i] += own * (delta * (site.col(j)[i] - mean.col(j)[i]));
      }
  });
}

// The noise of the last site has mean zero.
Tile tile_mean(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const int64_t width = p.net.targets();
  const Tile mean = sum_tile(p, 0, data, t, width);
  tile_moments(p, data, draws, t, passes_to(p, draws.count, false), mean,
               sum_tile(p, 1, data, t, width));
  look_at(p, mean);
  return mean;
}

void predict_mean(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  write_rows(tile_mean(p, data, draws, t), out + t * data.tiling.ld * p.net.targets());
}

// What sums of squared deviations are divided by for a variance: count - 1 of so many passes (1 for a
// single one); of weights 1 - sum of their squares, which is the same where they are equal.
double freedom(const Predictor &p, const Draws &draws, const Passes &passes) {
  if (!is_weighted(p))
    return static_cast<double>(std::max<int64_t>(draws.count * passes.each - 1, 1));
  double squares = 0;
  for (int64_t s = 0; s < draws.count; ++s) squares += p.weights[s] * pass_weight(p, s, passes);
  return squares < 1 ? 1 - squares : 1;
}

// Over the passes (0 for a single one).
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

// R's type 7 on sorted values.
double quantile(const double *sorted, int64_t count, double level) {
  const double position = level * static_cast<double>(count - 1);
  const int64_t low = static_cast<int64_t>(position);
  const int64_t high = std::min(low + 1, count - 1);
  return sorted[low] + (position - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// The same of weighted values, whose numbers are sorted by value: between neighbours lies the mean of
// their weights, so that equal weights give type 7.
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

// As many passes as there is room to sort.
Passes passes_to_quantiles(const Predictor &p, int64_t draws) {
  Passes passes = passes_to(p, draws, true);
  passes.each = std::min(passes.each, std::max<int64_t>(p.room / (draws * p.net.targets()), 1));
  return passes;
}

// Levels of `count` passes, whose values may be changed.
void cell_quantiles(const Predictor &p, double *values, int64_t count, double *out) {
  std::sort(values, values + count);
  for (int64_t q = 0; q < p.level_count; ++q) out[q] = quantile(values, count, p.levels[q]);
}

// The same where passes have weights.
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
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile site) {
    look_at(p, site);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) p.values[(i * width + j) * room + seen] = site.col(j)[i];
    if (is_weighted(p)) p.pass_weights[seen] = pass_weight(p, s, passes);
    ++seen;
  });
  if (!p.finite) return;
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

// Adds one draw's class probabilities to the tile of sums.
void add_probabilities(const Predictor &p, ConstTile mean, Tile sum) {
  if (p.classical) return head_of(p).add_classical_probabilities(mean, sum);
  head_of(p).add_probabilities(mean, p.last_noise, sum);
}

void add_classes(const Predictor &p, ConstTile site, bool votes, Tile sum) {
  if (votes) return head_of(p).add_votes(site, sum);
  add_probabilities(p, site, sum);
}

// sum += weight * what this pass has; `own` is scratch.
void add_weighted_classes(const Predictor &p, ConstTile site, bool votes, double weight, Tile own,
                          Tile sum) {
  clear(own);
  add_classes(p, site, votes, own);
  for (int64_t c = 0; c < sum.width; ++c)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(c)[i] += weight * own.col(c)[i];
}

Tile tile_classes(Predictor &p, const Data &data, const Draws &draws, int64_t t, bool votes) {
  const Tile sum = sum_tile(p, 0, data, t, class_columns(p));
  const Tile own = sum_tile(p, 1, data, t, class_columns(p));
  clear(sum);
  const Passes passes = passes_to(p, draws.count, votes);
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile site) {
    look_at(p, site);
    if (is_weighted(p))
      add_weighted_classes(p, site, votes, pass_weight(p, s, passes), own, sum);
    else
      add_classes(p, site, votes, sum);
  });
  if (is_weighted(p)) return sum;
  const double count = static_cast<double>(draws.count * passes.each);
  for (int64_t c = 0; c < sum.width; ++c)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(c)[i] /= count;
  return sum;
}

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

// ---- scores --------------------------------------------------------------------------------

// In the units of results.
double sum_squared_errors(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const ConstTile mean = tile_mean(p, data, draws, t);
  const ConstTile y = data.tiling.tile(static_cast<const double *>(data.y), mean.width, t);
  if (!p.has_units) return squared_distance(y, mean);
  double sum = 0;
  for (int64_t j = 0; j < mean.width; ++j)
    for (int64_t i = 0; i < mean.rows; ++i) {
      const double error = p.unit_sd[j] * (y.col(j)[i] - mean.col(j)[i]);
      sum += error * error;
    }
  return sum;
}

// The most probable class of a single pass is that of its largest score: no probabilities needed.
Tile best_classes(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  if (draws.count > 1 || draws_noise(p, false)) return tile_classes(p, data, draws, t, false);
  const Tile vote = sum_tile(p, 0, data, t, class_columns(p));
  clear(vote);
  for_each_pass(p, data, draws, t, {1, false}, [&](int64_t, ConstTile site) {
    look_at(p, site);
    head_of(p).add_votes(site, vote);
  });
  return vote;
}

double count_hits(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const Tile probability = best_classes(p, data, draws, t);
  const int32_t *labels = data.labels + t * data.tiling.ld;
  double hits = 0;
  for (int64_t i = 0; i < probability.rows; ++i)
    hits += head_of(p).most_probable(probability, i) == labels[i] ? 1 : 0;
  return hits;
}

// The outputs of tile t and what they are compared with.
Outcomes outcomes(const Predictor &p, const Data &data, ConstTile f, int64_t t) {
  const double *y = data.y;
  return {f, data.tiling.tile(y, p.net.targets(), t), data.labels + t * data.tiling.ld,
          p.last_noise};
}

// A density per unit is that of the data divided by the product of unit_sd.
double log_unit(const Predictor &p) {
  double sum = 0;
  for (int64_t j = 0; j < p.net.targets() && p.has_units; ++j) sum += std::log(p.unit_sd[j]);
  return sum;
}

// A running log-sum-exp for each row of a tile, in the scratch of sums: log sum = top + log(rest).
struct LogSums {
  double *top, *rest;
  int64_t rows;

  LogSums(const Predictor &p, int64_t count) : top(p.sums[0]), rest(p.sums[1]), rows(count) {
    restart();
  }
  void restart() {
    std::fill_n(top, rows, -INFINITY);
    std::fill_n(rest, rows, 0.0);
  }
  void add(int64_t i, double term) {
    if (term == -INFINITY) return;
    const double larger = std::max(top[i], term);
    rest[i] = rest[i] * std::exp(top[i] - larger) + std::exp(term - larger);
    top[i] = larger;
  }
  double log_sum(int64_t i) const { return top[i] + std::log(rest[i]); }
  double log_mean(int64_t i, int64_t count) const {
    return top[i] + std::log(rest[i]) - std::log(static_cast<double>(count));
  }
};

// Adds log p(target | f) of one pass, which counts exp(log_weight), to every row's sum.
void add_log_terms(Predictor &p, const Data &data, int64_t t, ConstTile mean, LogSums &sums,
                   double log_weight = 0) {
  const HeadOps &head = head_of(p);
  const auto log_term = p.classical ? head.log_classical_likelihood : head.log_likelihood;
  look_at(p, mean);
  const Outcomes seen = outcomes(p, data, mean, t);
  for (int64_t i = 0; i < sums.rows; ++i) sums.add(i, log_term(p.net.head, seen, i) + log_weight);
}

// Sum over rows of the log of the mean over draws and their passes.
double sum_log_scores(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  LogSums sums(p, data.tiling.rows(t));
  const Passes passes = passes_to(p, draws.count, false);
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile mean) {
    add_log_terms(p, data, t, mean, sums, is_weighted(p) ? std::log(pass_weight(p, s, passes)) : 0);
  });
  double sum = 0;
  for (int64_t i = 0; i < sums.rows; ++i)
    sum += (is_weighted(p) ? sums.log_sum(i) : sums.log_mean(i, draws.count * passes.each)) -
           log_unit(p);
  return sum;
}

// ---- pointwise log likelihood ----------------------------------------------------------------

Passes passes_to_each(const Predictor &p) {
  const int64_t each = p.passes > 0 ? p.passes : passes_of_its_own;
  return {draws_noise(p, false) ? each : 1, false, true, false};
}

// log p(target | draw) of every row and draw: [row, draw].
void tile_log_lik(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  LogSums sums(p, data.tiling.rows(t));
  const Passes passes = passes_to_each(p);
  const double unit = log_unit(p);
  int64_t seen = 0;
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile mean) {
    add_log_terms(p, data, t, mean, sums);
    if (++seen % passes.each != 0) return;
    double *row = out + s * data.n() + t * data.tiling.ld;
    for (int64_t i = 0; i < sums.rows; ++i) row[i] = sums.log_mean(i, passes.each) - unit;
    sums.restart();
  });
}

// ---- functions of a draw ---------------------------------------------------------------------

int64_t columns_of(const Predictor &p) {
  return class_columns(p) > 0 ? class_columns(p) : p.net.targets();
}

// Row number i of `count` rows that are spread evenly over n.
int64_t spread_row(int64_t i, int64_t count, int64_t n) {
  return count == 1 ? 0 : i * (n - 1) / (count - 1);
}

int64_t judged_count(const Data &data) {
  return std::min(data.n(), judged_rows);
}

// Of the judged rows, those at which predictions are looked at.
int64_t shown_count(const Data &data, int64_t rows) {
  return std::min(judged_count(data), rows > 0 ? rows : judged_predictions);
}

double input_at(const Predictor &p, const Data &data, int64_t row, int64_t column) {
  const ConstTile tile = data.inputs(row / data.tiling.ld);
  if (!tile.packed) return tile.col(column)[row % data.tiling.ld];
  p.kernels->unpack(*tile.packed, column, {p.sites[0], tile.rows, 1, Tiling::max_rows});
  return p.sites[0][row % data.tiling.ld];
}

// The judged rows become a tile of their own.
const Data &copy_judged(Predictor &p, const Data &data) {
  Data &to = p.judged;
  const int64_t count = judged_count(data);
  const int64_t outputs = head_of(p).target == TargetKind::targets ? data.outputs : 0;
  to.tiling = Tiling::of(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = spread_row(i, count, data.n());
    for (int64_t j = 0; j < data.features; ++j)
      to.x[to.tiling.at(data.features, i, j)] = input_at(p, data, row, j);
    for (int64_t j = 0; j < outputs; ++j)
      to.y[to.tiling.at(outputs, i, j)] = data.y[data.tiling.at(outputs, row, j)];
    to.labels[i] = data.labels[row];
  }
  to.features = data.features;
  to.outputs = outputs;
  return to;
}

// Passes that are cheap enough: probabilities of classes cost more than a pass.
Passes passes_to_judge(const Predictor &p) {
  return {draws_noise(p, false) && class_columns(p) == 0 ? judged_passes : 1, false, true, false};
}

// Adds what one pass predicts to the sums: outputs, or probabilities.
void add_prediction(const Predictor &p, ConstTile mean, Tile sum) {
  if (class_columns(p) > 0) return add_probabilities(p, mean, sum);
  for (int64_t j = 0; j < sum.width; ++j)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(j)[i] += mean.col(j)[i];
}

// All functions of one draw; the tile of sums is scratch.
void judge_draw(Predictor &p, const Data &chosen, const Draws &draw, int64_t shown, double *out) {
  const int64_t rows = chosen.n();
  const Passes passes = passes_to_judge(p);
  const Tile sum = {p.values, rows, columns_of(p), Tiling::max_rows};
  LogSums logs(p, rows);
  clear(sum);
  for_each_pass(p, chosen, draw, 0, passes, [&](int64_t, ConstTile mean) {
    add_log_terms(p, chosen, 0, mean, logs);
    if (p.finite) add_prediction(p, mean, sum);
  });
  double log_lik = 0;
  for (int64_t i = 0; i < rows; ++i) log_lik += logs.log_mean(i, passes.each);
  *out++ = log_lik / static_cast<double>(rows);
  for (int64_t i = 0; i < shown; ++i)
    for (int64_t j = 0; j < sum.width; ++j)
      *out++ = sum.col(j)[spread_row(i, shown, rows)] / static_cast<double>(passes.each);
  for (int64_t k = p.net.weight_params(); k < p.net.param_count(); ++k) *out++ = p.params[k];
}

// ---- checks --------------------------------------------------------------------------------

Status check_draws(const Predictor &p, const Draws &draws, Error *err) {
  const int64_t count = p.net.param_count();
  if (draws.count < 1)
    return fail(err, Status::bad_size, "draws = %lld: expected at least 1",
                static_cast<long long>(draws.count));
  for (int64_t i = 0; i < draws.count * count; ++i)
    if (!std::isfinite(draws.params[i]))
      return fail(err, Status::not_finite,
                  "params: draw %lld, parameter %lld is %g, expected a finite number",
                  static_cast<long long>(i / count), static_cast<long long>(i % count),
                  draws.params[i]);
  Status status = Status::ok;
  for (int64_t s = 0; s < draws.count && p.net.scale_count > 0 && status == Status::ok; ++s)
    status = check_scales(
        p.net, [&](int64_t i) { return draws.params[s * count + i]; }, "params", Status::bad_value,
        err);
  return status;
}

// Too many classes for their probabilities?
Status check_classes(const Predictor &p, const char *name, int value, Error *err) {
  const int64_t classes = class_columns(p), most = head_of(p).most_classes;
  if (classes <= most) return Status::ok;
  return fail(err, Status::unsupported, "%s = %d: %lld classes, expected at most %lld", name, value,
              static_cast<long long>(classes), static_cast<long long>(most));
}

Status check_kind(const Predictor &p, const Draws &draws, Prediction kind, Error *err) {
  if (!prediction_of(kind))
    return fail(err, Status::bad_enum, "kind = %d: expected one of the predictions",
                static_cast<int>(kind));
  if (needs_classes(kind) && class_columns(p) == 0)
    return fail(err, Status::unsupported,
                "kind = %d: head %s has no classes, expected mean, sd, quantiles or draws",
                static_cast<int>(kind), head_of(p).name);
  if (needs_classes(kind)) {
    const Status status = check_classes(p, "kind", static_cast<int>(kind), err);
    if (status != Status::ok) return status;
  }
  if (kind != Prediction::quantiles) return Status::ok;
  if (p.level_count == 0)
    return fail(err, Status::bad_option, "kind = quantiles: no levels were set");
  if (draws.count > p.max_draws)
    return fail(err, Status::memory_too_small,
                "draws = %lld: the predictor was made for quantiles of at most %lld",
                static_cast<long long>(draws.count), static_cast<long long>(p.max_draws));
  return Status::ok;
}

Status check_score(const Predictor &p, Score kind, Error *err) {
  if (kind != Score::mse && kind != Score::accuracy && kind != Score::log_score)
    return fail(err, Status::bad_enum, "score = %d: expected mse, accuracy or log_score",
                static_cast<int>(kind));
  if (kind == Score::mse && !head_of(p).has_mse)
    return fail(err, Status::unsupported,
                "score = mse: head %s has labels, expected a head with targets such as gaussian",
                head_of(p).name);
  if (kind == Score::accuracy && !head_of(p).has_accuracy)
    return fail(err, Status::unsupported,
                "score = accuracy: head %s has targets, expected a head with labels such as argmax",
                head_of(p).name);
  return kind == Score::accuracy ? check_classes(p, "score", static_cast<int>(kind), err)
                                 : Status::ok;
}

double score_tile(Predictor &p, const Data &data, const Draws &draws, Score kind, int64_t t) {
  if (kind == Score::mse) return sum_squared_errors(p, data, draws, t);
  if (kind == Score::accuracy) return count_hits(p, data, draws, t);
  return sum_log_scores(p, data, draws, t);
}

// Which draw and row it was in tile t, found by going through the same passes again.
Status blame_draw(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                  const Passes &passes, Error *err) {
  int64_t draw = -1, row = 0;
  double value = 0;
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile site) {
    for (int64_t i = 0; i < site.rows && draw < 0; ++i)
      for (int64_t j = 0; j < site.width && draw < 0; ++j)
        if (!std::isfinite(site.col(j)[i])) draw = s, row = i, value = site.col(j)[i];
  });
  if (draw >= 0)
    return fail(err, Status::not_finite,
                "params: draw %lld gives row %lld the output %g, expected a finite number",
                static_cast<long long>(draw), static_cast<long long>(t * data.tiling.ld + row),
                value);
  return fail(err, Status::not_finite,
              "params: their outputs are so large that sums or squares overflow, from row %lld on",
              static_cast<long long>(t * data.tiling.ld));
}

// The passes that a kind of prediction makes.
Passes passes_to_predict(const Predictor &p, int64_t draws, Prediction kind) {
  if (kind == Prediction::draws) return one_of_each_draw;
  if (kind == Prediction::quantiles) return passes_to_quantiles(p, draws);
  return passes_to(p, draws, kind == Prediction::sd || kind == Prediction::votes);
}

Status check_weights(const Predictor &p, const Draws &draws, Error *err) {
  if (!is_weighted(p) || draws.count == p.weight_count) return Status::ok;
  return fail(err, Status::bad_size,
              "draws = %lld: the predictor has weights of %lld draws, expected as many",
              ll(draws.count), ll(p.weight_count));
}

// ---- units ---------------------------------------------------------------------------------

// Values [each, target, row …] of a prediction go from units of the data to those of results.
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

Status check_comparable(const Predictor &p, const Data &data, const Draws &draws, Error *err) {
  Status status = net_check_inputs(p.net, data, err);
  if (status == Status::ok) status = net_check_targets(p.net, data, err);
  return status == Status::ok ? check_draws(p, draws, err) : status;
}

}  // namespace

Predictor *predictor_layout(Arena &arena, const Net &net, int64_t max_draws, int64_t spare) {
  constexpr int64_t ld = Tiling::max_rows;
  Predictor *predictor = arena.take<Predictor>(1);
  Predictor p;
  p.net = net_copy(arena, net);
  p.max_draws = max_draws;
  p.room = std::max(times(net.outputs(), max_draws), spare);
  use_engine(p, default_engine());
  for (double *&site : p.sites) site = arena.take<double>(ld, net.widest_site());
  for (double *&sum : p.sums) sum = arena.take<double>(ld, net.outputs());
  p.values = arena.take<double>(ld, p.room);
  if (spare > 0) {
    p.weights = arena.take<double>(max_draws);
    p.pass_weights = arena.take<double>(p.room);
    p.order = arena.take<int64_t>(p.room);
    p.unit_mean = arena.take<double>(net.outputs());
    p.unit_sd = arena.take<double>(net.outputs());
    p.judged.x = arena.take<double>(judged_rows, net.input.size());
    p.judged.y = arena.take<double>(judged_rows, net.outputs());
    p.judged.labels = arena.take<int32_t>(judged_rows);
  }
  if (predictor) *predictor = p;
  return predictor;
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
  Status status = check_kind(predictor, draws, kind, err);
  if (status == Status::ok) status = net_check_inputs(predictor.net, data, err);
  if (status == Status::ok) status = check_draws(predictor, draws, err);
  if (status == Status::ok && kind != Prediction::draws)
    status = check_weights(predictor, draws, err);
  if (status != Status::ok) return status;
  const PredictTile predict_tile = prediction_of(kind);
  predictor.finite = true;
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    predict_tile(predictor, data, draws, t, out);
    if (!predictor.finite)
      return blame_draw(predictor, data, draws, t, passes_to_predict(predictor, draws.count, kind),
                        err);
  }
  if (predictor.has_units && !needs_classes(kind))
    return tell_in_units(predictor, prediction_size(predictor, data, draws, kind),
                         kind == Prediction::quantiles ? predictor.level_count : 1,
                         kind != Prediction::sd, out, err);
  return Status::ok;
}

Status score(Predictor &predictor, const Data &data, const Draws &draws, Score kind, double *value,
             Error *err) {
  Status status = check_score(predictor, kind, err);
  if (status == Status::ok) status = check_comparable(predictor, data, draws, err);
  if (status == Status::ok) status = check_weights(predictor, draws, err);
  if (status != Status::ok) return status;
  double sum = 0;
  predictor.finite = true;
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    sum += score_tile(predictor, data, draws, kind, t);
    if (!predictor.finite)
      return blame_draw(predictor, data, draws, t, passes_to(predictor, draws.count, false), err);
  }
  const int64_t each = kind == Score::mse ? predictor.net.targets() : 1;
  const double found = sum / static_cast<double>(data.n() * each);
  if (!(found < INFINITY))
    return fail(err, Status::not_finite,
                "score: it is %g, expected outputs and targets whose squares are finite", found);
  *value = found;
  return Status::ok;
}

Status log_lik(Predictor &predictor, const Data &data, const Draws &draws, double *out,
               Error *err) {
  const Status status = check_comparable(predictor, data, draws, err);
  if (status != Status::ok) return status;
  predictor.finite = true;
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    tile_log_lik(predictor, data, draws, t, out);
    if (!predictor.finite)
      return blame_draw(predictor, data, draws, t, passes_to_each(predictor), err);
  }
  for (int64_t i = 0; i < data.n() * draws.count; ++i)
    if (!std::isfinite(out[i]))
      return fail(
          err, Status::not_finite,
          "params: draw %lld gives row %lld the log likelihood %g, expected a finite number",
          static_cast<long long>(i / data.n()), static_cast<long long>(i % data.n()), out[i]);
  return Status::ok;
}

int64_t function_count(const Predictor &predictor, const Data &data, int64_t rows) {
  return 1 + shown_count(data, rows) * columns_of(predictor) + predictor.net.param_count() -
         predictor.net.weight_params();
}

Status check_functions(const Predictor &predictor, const Data &data, int64_t rows, Error *err) {
  if (rows < 0 || rows > judged_rows)
    return fail(err, Status::bad_size, "rows = %lld: expected 0 to %lld", ll(rows),
                ll(judged_rows));
  Status status = net_check_inputs(predictor.net, data, err);
  if (status == Status::ok) status = net_check_targets(predictor.net, data, err);
  if (status != Status::ok || class_columns(predictor) == 0) return status;
  return check_classes(predictor, "rows", static_cast<int>(rows), err);
}

Status functions_of(Predictor &predictor, const Data &data, const Draws &draws, int64_t rows,
                    double *out, Error *err) {
  Status status = check_functions(predictor, data, rows, err);
  if (status == Status::ok) status = check_draws(predictor, draws, err);
  if (status != Status::ok) return status;
  const Data &chosen = copy_judged(predictor, data);
  const int64_t shown = shown_count(data, rows), count = function_count(predictor, data, rows);
  predictor.finite = true;
  for (int64_t s = 0; s < draws.count; ++s) {
    const Draws one = {draws.params + s * predictor.net.param_count(), 1};
    judge_draw(predictor, chosen, one, shown, out + s * count);
    if (!predictor.finite || !all_finite(out + s * count, count))
      return fail(err, Status::not_finite,
                  "params: draw %lld has outputs or log likelihoods that are not finite", ll(s));
  }
  return Status::ok;
}

size_t function_name(const Predictor &predictor, const Data &data, int64_t rows, int64_t index,
                     char *buffer, size_t size) {
  const int64_t columns = columns_of(predictor), shown = shown_count(data, rows);
  const int64_t scale = index - 1 - shown * columns;
  if (scale >= 0)
    return net_param_name(predictor.net, predictor.net.weight_params() + scale, buffer, size);
  Text out = {buffer, size, 0};
  if (index == 0) {
    out.add("log_lik");
    return out.length;
  }
  const int64_t judged = spread_row((index - 1) / columns, shown, judged_count(data));
  const int64_t row = spread_row(judged, judged_count(data), data.n());
  out.add("%c[%lld", class_columns(predictor) > 0 ? 'p' : 'f', ll(row + 1));
  if (columns > 1) out.add(",%lld", ll((index - 1) % columns + 1));
  out.add("]");
  return out.length;
}

}  // namespace nnp
