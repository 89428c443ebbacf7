#include "lib/posterior/predict.hpp"

#include <algorithm>
#include <cmath>

#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

constexpr double log_two_pi = 1.8378770664093454836;
constexpr int64_t max_classes = 4096;

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}

int64_t class_columns(const Net &net) {
  return net.head == HeadKind::sign ? 1 : net.outputs();
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

// ---- forward passes ------------------------------------------------------------------------

void add_normals(Predictor &p, Tile site, double sd, Stream &stream) {
  for (int64_t j = 0; j < site.width; ++j) {
    fill_normal(stream, p.noise, site.rows);
    for (int64_t i = 0; i < site.rows; ++i) site.col(j)[i] += sd * p.noise[i];
  }
}

// The mean of the last site; with noise, all sites below it are noisy (not so in the classical
// model, which has noise at the end only).
Tile forward(Predictor &p, const Data &data, const double *params, int64_t t, Stream &stream) {
  ConstTile in = data.inputs(t);
  Tile out = {};
  for (int64_t k = 1; k <= p.net.depth; ++k) {
    const Layer &layer = p.net.layer(k);
    out = {p.sites[k % 2], in.rows, layer.out.size(), in.ld};
    ops_of(layer).forward(layer, params, in, out, *p.kernels);
    if (p.noisy && !p.classical && k < p.net.depth)
      add_normals(p, out, std::sqrt(layer.noise), stream);
    in = out;
  }
  return out;
}

// The last site itself: with noise if that is asked for. Classical scores of classes have none.
Tile forward_site(Predictor &p, const Data &data, const double *params, int64_t t, Stream &stream) {
  const Tile out = forward(p, data, params, t, stream);
  const bool exact = p.classical && p.net.head != HeadKind::gaussian;
  if (p.noisy && !exact) add_normals(p, out, std::sqrt(p.net.layer(p.net.depth).noise), stream);
  return out;
}

const double *draw_at(const Predictor &p, const Draws &draws, int64_t s) {
  return draws.params + s * p.net.param_count();
}

Stream tile_stream(const Predictor &p, int64_t t) {
  return Stream(p.seed, ~uint64_t{0}, static_cast<uint64_t>(t));
}

Tile sum_tile(const Predictor &p, int which, const Data &data, int64_t t, int64_t width) {
  return {p.sums[which], data.tiling.rows(t), width, data.tiling.ld};
}

void clear(Tile tile) {
  for (int64_t j = 0; j < tile.width; ++j) std::fill_n(tile.col(j), tile.rows, 0.0);
}

void write_rows(ConstTile tile, double *out) {
  for (int64_t i = 0; i < tile.rows; ++i)
    for (int64_t j = 0; j < tile.width; ++j) *out++ = tile.col(j)[i];
}

// ---- moments -------------------------------------------------------------------------------

// Welford: mean and sum of squared deviations over draws.
void tile_moments(Predictor &p, const Data &data, const Draws &draws, int64_t t, Tile mean,
                  Tile square) {
  clear(mean);
  clear(square);
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const Tile site = forward_site(p, data, draw_at(p, draws, s), t, stream);
    const double weight = 1.0 / static_cast<double>(s + 1);
    for (int64_t j = 0; j < site.width; ++j)
      for (int64_t i = 0; i < site.rows; ++i) {
        const double delta = site.col(j)[i] - mean.col(j)[i];
        mean.col(j)[i] += weight * delta;
        square.col(j)[i] += delta * (site.col(j)[i] - mean.col(j)[i]);
      }
  }
}

void predict_mean(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.outputs();
  const Tile mean = sum_tile(p, 0, data, t, width);
  tile_moments(p, data, draws, t, mean, sum_tile(p, 1, data, t, width));
  look_at(p, mean);
  write_rows(mean, out + t * data.tiling.ld * width);
}

// Over the draws, with denominator count - 1 (0 for a single draw).
void predict_sd(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.outputs();
  const Tile square = sum_tile(p, 1, data, t, width);
  tile_moments(p, data, draws, t, sum_tile(p, 0, data, t, width), square);
  const double denominator = static_cast<double>(std::max<int64_t>(draws.count - 1, 1));
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

void predict_quantiles(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.outputs(), rows = data.tiling.rows(t);
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const Tile site = forward_site(p, data, draw_at(p, draws, s), t, stream);
    look_at(p, site);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j)
        p.values[(i * width + j) * draws.count + s] = site.col(j)[i];
  }
  if (!p.finite) return;
  out += t * data.tiling.ld * width * p.level_count;
  for (int64_t cell = 0; cell < rows * width; ++cell) {
    double *values = p.values + cell * draws.count;
    std::sort(values, values + draws.count);
    for (int64_t q = 0; q < p.level_count; ++q) *out++ = quantile(values, draws.count, p.levels[q]);
  }
}

void predict_draws(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  const int64_t width = p.net.outputs();
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const Tile site = forward_site(p, data, draw_at(p, draws, s), t, stream);
    look_at(p, site);
    write_rows(site, out + (s * data.n() + t * data.tiling.ld) * width);
  }
}

// ---- classes -------------------------------------------------------------------------------

// log of softmax, of class c in a row of scores.
double log_softmax(const double *scores, int64_t stride, int64_t classes, int64_t c) {
  double top = -INFINITY, sum = 0;
  for (int64_t a = 0; a < classes; ++a) top = std::max(top, scores[a * stride]);
  for (int64_t a = 0; a < classes; ++a) sum += std::exp(scores[a * stride] - top);
  return scores[c * stride] - top - std::log(sum);
}

// Two classes whose scores differ by f: log of 1 / (1 + e^-f).
double log_logistic(double f) {
  return std::min(f, 0.0) - std::log1p(std::exp(-std::fabs(f)));
}

// The classical model of labels: softmax of the scores, or the logistic function of the only one.
void add_softmax(const Predictor &p, ConstTile mean, Tile sum) {
  for (int64_t i = 0; i < mean.rows; ++i) {
    if (p.net.head == HeadKind::sign) {
      sum.col(0)[i] += std::exp(log_logistic(mean.col(0)[i]));
      continue;
    }
    const double norm = mean.col(0)[i] - log_softmax(mean.data + i, mean.ld, mean.width, 0);
    for (int64_t c = 0; c < mean.width; ++c) sum.col(c)[i] += std::exp(mean.col(c)[i] - norm);
  }
}

// Adds one draw's class probabilities (or its vote) to the tile of sums.
void add_probabilities(const Predictor &p, ConstTile mean, Tile sum) {
  const double sd = std::sqrt(p.net.layer(p.net.depth).noise);
  double row[max_classes];
  for (int64_t i = 0; i < mean.rows; ++i) {
    if (p.net.head == HeadKind::sign) {
      sum.col(0)[i] += normal_cdf(mean.col(0)[i] / sd);
      continue;
    }
    argmax_probabilities(mean.data + i, mean.ld, mean.width, sd, row);
    for (int64_t c = 0; c < mean.width; ++c) sum.col(c)[i] += row[c];
  }
}

void add_votes(const Predictor &p, ConstTile site, Tile sum) {
  for (int64_t i = 0; i < site.rows; ++i) {
    if (p.net.head == HeadKind::sign) {
      sum.col(0)[i] += site.col(0)[i] >= 0 ? 1 : 0;
      continue;
    }
    int64_t best = 0;
    for (int64_t c = 1; c < site.width; ++c)
      if (site.col(c)[i] > site.col(best)[i]) best = c;
    sum.col(best)[i] += 1;
  }
}

Tile tile_classes(Predictor &p, const Data &data, const Draws &draws, int64_t t, bool votes) {
  const Tile sum = sum_tile(p, 0, data, t, class_columns(p.net));
  clear(sum);
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const double *params = draw_at(p, draws, s);
    const Tile site =
        votes ? forward_site(p, data, params, t, stream) : forward(p, data, params, t, stream);
    look_at(p, site);
    if (votes)
      add_votes(p, site, sum);
    else if (p.classical)
      add_softmax(p, site, sum);
    else
      add_probabilities(p, site, sum);
  }
  for (int64_t c = 0; c < sum.width; ++c)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(c)[i] /= static_cast<double>(draws.count);
  return sum;
}

void predict_probabilities(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                           double *out) {
  write_rows(tile_classes(p, data, draws, t, false),
             out + t * data.tiling.ld * class_columns(p.net));
}

void predict_votes(Predictor &p, const Data &data, const Draws &draws, int64_t t, double *out) {
  write_rows(tile_classes(p, data, draws, t, true),
             out + t * data.tiling.ld * class_columns(p.net));
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

double sum_squared_errors(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const int64_t width = p.net.outputs();
  const Tile mean = sum_tile(p, 0, data, t, width);
  tile_moments(p, data, draws, t, mean, sum_tile(p, 1, data, t, width));
  look_at(p, mean);
  const ConstTile y = data.tiling.tile(static_cast<const double *>(data.y), width, t);
  double sum = 0;
  for (int64_t j = 0; j < width; ++j)
    for (int64_t i = 0; i < y.rows; ++i) {
      const double error = y.col(j)[i] - mean.col(j)[i];
      sum += error * error;
    }
  return sum;
}

// The most probable class of a single draw is that of its largest score: no probabilities needed.
Tile best_classes(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  if (draws.count > 1) return tile_classes(p, data, draws, t, false);
  const Tile vote = sum_tile(p, 0, data, t, class_columns(p.net));
  clear(vote);
  Stream stream = tile_stream(p, t);
  const Tile site = forward(p, data, draws.params, t, stream);
  look_at(p, site);
  add_votes(p, site, vote);
  return vote;
}

double count_hits(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const Tile probability = best_classes(p, data, draws, t);
  const int32_t *labels = data.labels + t * data.tiling.ld;
  double hits = 0;
  for (int64_t i = 0; i < probability.rows; ++i) {
    int64_t best = 0;
    for (int64_t c = 1; c < probability.width; ++c)
      if (probability.col(c)[i] > probability.col(best)[i]) best = c;
    const bool sign_head = p.net.head == HeadKind::sign;
    const int64_t guess = sign_head ? (probability.col(0)[i] >= 0.5 ? 1 : -1) : best;
    hits += guess == labels[i] ? 1 : 0;
  }
  return hits;
}

// log N(y | f, D) of row i of tile t.
double log_density(const Predictor &p, const Data &data, ConstTile mean, int64_t t, int64_t i) {
  const double noise = p.net.layer(p.net.depth).noise;
  const ConstTile y = data.tiling.tile(static_cast<const double *>(data.y), mean.width, t);
  double square = 0;
  for (int64_t j = 0; j < mean.width; ++j) {
    const double error = y.col(j)[i] - mean.col(j)[i];
    square += error * error;
  }
  return -0.5 * square / noise -
         0.5 * static_cast<double>(mean.width) * (std::log(noise) + log_two_pi);
}

// log P(label | f) of row i: finite however unlikely the label is.
double log_label_probability(const Predictor &p, const Data &data, ConstTile mean, int64_t t,
                             int64_t i) {
  const double sd = std::sqrt(p.net.layer(p.net.depth).noise);
  const int32_t label = data.labels[t * data.tiling.ld + i];
  if (p.classical)
    return p.net.head == HeadKind::sign ? log_logistic(label * mean.col(0)[i])
                                        : log_softmax(mean.data + i, mean.ld, mean.width, label);
  if (p.net.head == HeadKind::sign) return log_ndtr(label * mean.col(0)[i] / sd);
  return log_argmax_probability(mean.data + i, mean.ld, mean.width, sd, label);
}

// Sum over rows of the log of the mean over draws: a running log-sum-exp a row.
double sum_log_scores(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const int64_t rows = data.tiling.rows(t);
  const auto log_term = p.net.head == HeadKind::gaussian ? log_density : log_label_probability;
  double *top = p.sums[0], *rest = p.sums[1];  // log sum = top + log(rest)
  std::fill_n(top, rows, -INFINITY);
  std::fill_n(rest, rows, 0.0);
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const Tile mean = forward(p, data, draw_at(p, draws, s), t, stream);
    look_at(p, mean);
    for (int64_t i = 0; i < rows; ++i) {
      const double term = log_term(p, data, mean, t, i);
      const double larger = std::max(top[i], term);
      rest[i] = rest[i] * std::exp(top[i] - larger) + std::exp(term - larger);
      top[i] = larger;
    }
  }
  const double log_count = std::log(static_cast<double>(draws.count));
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) sum += top[i] + std::log(rest[i]) - log_count;
  return sum;
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
  return Status::ok;
}

Status check_classes(const Predictor &p, const char *name, int value, Error *err) {
  if (p.net.outputs() <= max_classes) return Status::ok;
  return fail(err, Status::unsupported, "%s = %d: %lld classes, expected at most %lld", name, value,
              static_cast<long long>(p.net.outputs()), static_cast<long long>(max_classes));
}

Status check_kind(const Predictor &p, const Draws &draws, Prediction kind, Error *err) {
  if (!prediction_of(kind))
    return fail(err, Status::bad_enum, "kind = %d: expected one of the predictions",
                static_cast<int>(kind));
  if (needs_classes(kind) && p.net.head == HeadKind::gaussian)
    return fail(err, Status::unsupported,
                "kind = %d: head gaussian has no classes, expected mean, sd, quantiles or draws",
                static_cast<int>(kind));
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
  const bool regression = p.net.head == HeadKind::gaussian;
  if (kind == Score::mse && !regression)
    return fail(err, Status::unsupported, "score = mse: expected head gaussian");
  if (kind == Score::accuracy && regression)
    return fail(err, Status::unsupported, "score = accuracy: expected head argmax or sign");
  return kind == Score::accuracy ? check_classes(p, "score", static_cast<int>(kind), err)
                                 : Status::ok;
}

double score_tile(Predictor &p, const Data &data, const Draws &draws, Score kind, int64_t t) {
  if (kind == Score::mse) return sum_squared_errors(p, data, draws, t);
  if (kind == Score::accuracy) return count_hits(p, data, draws, t);
  return sum_log_scores(p, data, draws, t);
}

// Which draw and row it was in tile t, found by going through the same passes again. `last_noise`:
// the last site's own noise was part of them.
Status blame_draw(Predictor &p, const Data &data, const Draws &draws, int64_t t, bool last_noise,
                  Error *err) {
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const double *params = draw_at(p, draws, s);
    const Tile site =
        last_noise ? forward_site(p, data, params, t, stream) : forward(p, data, params, t, stream);
    for (int64_t i = 0; i < site.rows; ++i)
      for (int64_t j = 0; j < site.width; ++j)
        if (!std::isfinite(site.col(j)[i]))
          return fail(err, Status::not_finite,
                      "params: draw %lld gives row %lld the output %g, expected a finite number",
                      static_cast<long long>(s), static_cast<long long>(t * data.tiling.ld + i),
                      site.col(j)[i]);
  }
  return fail(err, Status::not_finite,
              "params: their outputs are so large that sums or squares overflow, from row %lld on",
              static_cast<long long>(t * data.tiling.ld));
}

}  // namespace

Predictor *predictor_layout(Arena &arena, const Net &net, int64_t max_draws) {
  constexpr int64_t ld = Tiling::max_rows;
  Predictor *predictor = arena.take<Predictor>(1);
  Predictor p;
  p.net = net_copy(arena, net);
  p.max_draws = max_draws;
  p.kernels = best_kernels();
  for (double *&site : p.sites) site = arena.take<double>(ld, net.widest_site());
  p.noise = arena.take<double>(ld);
  for (double *&sum : p.sums) sum = arena.take<double>(ld, net.outputs());
  p.values = arena.take<double>(ld * net.outputs(), max_draws);
  if (predictor) *predictor = p;
  return predictor;
}

int64_t prediction_size(const Predictor &predictor, const Data &data, const Draws &draws,
                        Prediction kind) {
  const int64_t width =
      needs_classes(kind) ? class_columns(predictor.net) : predictor.net.outputs();
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
  if (status != Status::ok) return status;
  const PredictTile predict_tile = prediction_of(kind);
  const bool last_noise = kind != Prediction::probabilities;
  predictor.finite = true;
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    predict_tile(predictor, data, draws, t, out);
    if (!predictor.finite) return blame_draw(predictor, data, draws, t, last_noise, err);
  }
  return Status::ok;
}

Status score(Predictor &predictor, const Data &data, const Draws &draws, Score kind, double *value,
             Error *err) {
  Status status = check_score(predictor, kind, err);
  if (status == Status::ok) status = net_check_inputs(predictor.net, data, err);
  if (status == Status::ok) status = net_check_targets(predictor.net, data, err);
  if (status == Status::ok) status = check_draws(predictor, draws, err);
  if (status != Status::ok) return status;
  double sum = 0;
  predictor.finite = true;
  for (int64_t t = 0; t < data.tiling.tiles; ++t) {
    sum += score_tile(predictor, data, draws, kind, t);
    if (!predictor.finite) return blame_draw(predictor, data, draws, t, kind == Score::mse, err);
  }
  const int64_t each = kind == Score::mse ? predictor.net.outputs() : 1;
  const double found = sum / static_cast<double>(data.n() * each);
  if (!(found < INFINITY))
    return fail(err, Status::not_finite,
                "score: it is %g, expected outputs and targets whose squares are finite", found);
  *value = found;
  return Status::ok;
}

// P(c) = int phi_c(z) prod_{a != c} Phi_a(z) dz. Trapezoids of a quarter sd are exact to rounding
// for such a smooth integrand, and it is negligible beyond 9 sd of the largest mean.
void argmax_probabilities(const double *mean, int64_t stride, int64_t classes, double sd,
                          double *out) {
  constexpr double step = 0.25, reach = 9;
  double top = -INFINITY;
  for (int64_t a = 0; a < classes; ++a) top = std::max(top, mean[a * stride]);
  double cdf[max_classes], before[max_classes];  // before[c]: product over the classes before c
  std::fill_n(out, classes, 0.0);
  for (double z = -reach; z <= reach; z += step) {
    double product = 1;
    for (int64_t a = 0; a < classes; ++a) {
      cdf[a] = normal_cdf(z + (top - mean[a * stride]) / sd);
      before[a] = product;
      product *= cdf[a];
    }
    double after = 1;
    for (int64_t a = classes - 1; a >= 0; --a) {
      const double x = z + (top - mean[a * stride]) / sd;
      out[a] += before[a] * after * std::exp(-0.5 * x * x);
      after *= cdf[a];
    }
  }
  double sum = 0;
  for (int64_t a = 0; a < classes; ++a) sum += out[a];
  for (int64_t a = 0; a < classes; ++a) out[a] /= sum;
}

namespace {

// g(x) = -x^2/2 + sum_{a != label} log Phi(x + gap_a), gap_a = (mean_label - mean_a) / sd, is the
// log integrand of P(label); it is concave, with curvature between 1 and the number of classes.
struct LabelIntegrand {
  const double *mean;
  int64_t stride, classes, label;
  double sd;

  double gap(int64_t a) const { return (mean[label * stride] - mean[a * stride]) / sd; }
  double value(double x) const {
    double sum = -0.5 * x * x;
    for (int64_t a = 0; a < classes; ++a)
      if (a != label) sum += log_ndtr(x + gap(a));
    return sum;
  }
  // phi/Phi = sqrt(2/pi) / erfcx(-t/sqrt 2), and its derivative -ratio (t + ratio), is in [-1, 0].
  double slope(double x, double *curvature) const {
    constexpr double root_half = 0.70710678118654752440, root_two_over_pi = 0.79788456080286535588;
    double sum = -x;
    *curvature = 1;
    for (int64_t a = 0; a < classes; ++a) {
      if (a == label) continue;
      const double t = x + gap(a), ratio = root_two_over_pi / erfcx(-root_half * t);
      sum += ratio;
      *curvature += std::clamp(ratio * (t + ratio), 0.0, 1.0);
    }
    return sum;
  }
  // Newton from the left: g' is convex and decreasing, so it never goes beyond the mode.
  double mode(double *curvature) const {
    double x = 0;
    for (int i = 0; i < 60; ++i) {
      const double move = slope(x, curvature) / *curvature;
      x += move;
      if (!(move > 1e-3)) break;
    }
    return x;
  }
};

}  // namespace

// log of h sum exp(g), trapezoids of half the width of the peak, both ways from it.
double log_argmax_probability(const double *mean, int64_t stride, int64_t classes, double sd,
                              int64_t label) {
  const LabelIntegrand g = {mean, stride, classes, label, sd};
  constexpr double reach = 9, negligible = -42;
  double curvature = 1;
  const double mode = g.mode(&curvature), top = g.value(mode), step = 0.5 / std::sqrt(curvature);
  double sum = 1;
  for (const double direction : {-step, step})
    for (int64_t i = 1; static_cast<double>(i) * step < reach; ++i) {
      const double rise = g.value(mode + static_cast<double>(i) * direction) - top;
      if (rise < negligible) break;
      sum += std::exp(std::min(rise, 0.5));  // rounding may lift it a little, where g is huge
    }
  return std::min(top + std::log(step * sum) - 0.5 * log_two_pi, 0.0);
}

}  // namespace nnp
