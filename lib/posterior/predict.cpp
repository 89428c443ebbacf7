#include "lib/posterior/predict.hpp"

#include <algorithm>
#include <cmath>

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

double last_noise(const Predictor &p) {
  return p.net.layer(p.net.depth).noise;
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
      add_normals(out, std::sqrt(layer.noise), stream);
    in = out;
  }
  return out;
}

// The last site itself: with noise if that is asked for and the model has it there.
Tile forward_site(Predictor &p, const Data &data, const double *params, int64_t t, Stream &stream) {
  const Tile out = forward(p, data, params, t, stream);
  const HeadOps &head = head_of(p);
  if (!p.noisy || (p.classical && head.classical_outputs_exact)) return out;
  const auto add_noise = p.classical ? head.add_classical_noise : head.add_noise;
  add_noise(p.net.head, last_noise(p), stream, out);
  return out;
}

// Draw number s, its noises in force.
const double *draw_at(Predictor &p, const Draws &draws, int64_t s) {
  const double *params = draws.params + s * p.net.param_count();
  take_noises(p.net, params);
  return params;
}

Stream tile_stream(const Predictor &p, int64_t t) {
  return Stream(p.seed, ~uint64_t{0}, static_cast<uint64_t>(t));
}

Tile sum_tile(const Predictor &p, int which, const Data &data, int64_t t, int64_t width) {
  return {p.sums[which], data.tiling.rows(t), width, data.tiling.ld};
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

// Adds one draw's class probabilities to the tile of sums.
void add_probabilities(const Predictor &p, ConstTile mean, Tile sum) {
  if (p.classical) return head_of(p).add_classical_probabilities(mean, sum);
  head_of(p).add_probabilities(mean, last_noise(p), sum);
}

Tile tile_classes(Predictor &p, const Data &data, const Draws &draws, int64_t t, bool votes) {
  const Tile sum = sum_tile(p, 0, data, t, class_columns(p));
  clear(sum);
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const double *params = draw_at(p, draws, s);
    const Tile site =
        votes ? forward_site(p, data, params, t, stream) : forward(p, data, params, t, stream);
    look_at(p, site);
    if (votes)
      head_of(p).add_votes(site, sum);
    else
      add_probabilities(p, site, sum);
  }
  for (int64_t c = 0; c < sum.width; ++c)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(c)[i] /= static_cast<double>(draws.count);
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
  const Tile vote = sum_tile(p, 0, data, t, class_columns(p));
  clear(vote);
  Stream stream = tile_stream(p, t);
  const Tile site = forward(p, data, draw_at(p, draws, 0), t, stream);
  look_at(p, site);
  head_of(p).add_votes(site, vote);
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
  return {f, data.tiling.tile(y, f.width, t), data.labels + t * data.tiling.ld, last_noise(p)};
}

// Sum over rows of the log of the mean over draws: a running log-sum-exp a row.
double sum_log_scores(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  const int64_t rows = data.tiling.rows(t);
  const HeadOps &head = head_of(p);
  const auto log_term = p.classical ? head.log_classical_likelihood : head.log_likelihood;
  double *top = p.sums[0], *rest = p.sums[1];  // log sum = top + log(rest)
  std::fill_n(top, rows, -INFINITY);
  std::fill_n(rest, rows, 0.0);
  Stream stream = tile_stream(p, t);
  for (int64_t s = 0; s < draws.count; ++s) {
    const Tile mean = forward(p, data, draw_at(p, draws, s), t, stream);
    look_at(p, mean);
    const Outcomes seen = outcomes(p, data, mean, t);
    for (int64_t i = 0; i < rows; ++i) {
      const double term = log_term(p.net.head, seen, i);
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
  use_engine(p, default_engine());
  for (double *&site : p.sites) site = arena.take<double>(ld, net.widest_site());
  for (double *&sum : p.sums) sum = arena.take<double>(ld, net.outputs());
  p.values = arena.take<double>(ld * net.outputs(), max_draws);
  if (predictor) *predictor = p;
  return predictor;
}

int64_t prediction_size(const Predictor &predictor, const Data &data, const Draws &draws,
                        Prediction kind) {
  const int64_t width = needs_classes(kind) ? class_columns(predictor) : predictor.net.outputs();
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

}  // namespace nnp
