#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/base/sizes.hpp"
#include "lib/posterior/averages.hpp"
#include "lib/posterior/log_sums.hpp"

namespace nnp {

namespace {

// ---- scores --------------------------------------------------------------------------------

// The sum of squared errors, in the units of results.
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

// The most probable class of a single pass is the one with the largest score, so no probabilities
// are needed.
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

// A density in units of results is that of the data divided by the product of unit_sd.
double log_unit(const Predictor &p) {
  double sum = 0;
  for (int64_t j = 0; j < p.net.targets() && p.has_units; ++j) sum += fn::log(p.unit_sd[j]);
  return sum;
}

// Sum over rows of the log of the mean over draws and their passes.
double sum_log_scores(Predictor &p, const Data &data, const Draws &draws, int64_t t) {
  LogSums sums(p, data.tiling.rows(t));
  const Passes passes = passes_to(p, draws.count, false);
  for_each_pass(p, data, draws, t, passes, [&](int64_t s, ConstTile mean) {
    add_log_terms(p, data, t, mean, sums, is_weighted(p) ? fn::log(pass_weight(p, s, passes)) : 0);
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
  return kind == Score::accuracy ? check_classes(p, "score", err) : Status::ok;
}

double score_tile(Predictor &p, const Data &data, const Draws &draws, Score kind, int64_t t) {
  if (kind == Score::mse) return sum_squared_errors(p, data, draws, t);
  if (kind == Score::accuracy) return count_hits(p, data, draws, t);
  return sum_log_scores(p, data, draws, t);
}

// Sums over tiles, some at a time, added up in the order of tiles.
struct TileScores {
  const Data &data;
  const Draws &draws;
  Score kind;
  double *partial;
  int64_t first;
};

void score_item(Predictor &own, void *context, int64_t t) {
  const TileScores &scores = *static_cast<TileScores *>(context);
  scores.partial[t - scores.first] = score_tile(own, scores.data, scores.draws, scores.kind, t);
}

Status sum_scores(Job &job, TileScores &scores, double *sum, Error *err) {
  const int64_t tiles = scores.data.tiling.tiles;
  Status status = Status::ok;
  for (; scores.first < tiles && job.bad == INT64_MAX; scores.first += partial_sums) {
    const int64_t last = std::min(scores.first + partial_sums, tiles);
    status = job_run(job, scores.first, last, score_item, &scores, err);
    if (status != Status::ok) return status;
    for (int64_t t = scores.first; t < last; ++t) *sum += scores.partial[t - scores.first];
  }
  return status;
}

}  // namespace

void add_log_terms(Predictor &p, const Data &data, int64_t t, ConstTile mean, LogSums &sums,
                   double log_weight) {
  const HeadOps &head = head_of(p);
  const auto log_term = p.classical ? head.log_classical_likelihood : head.log_likelihood;
  look_at(p, mean);
  const Outcomes seen = outcomes(p, data, mean, t);
  for (int64_t i = 0; i < sums.rows; ++i) sums.add(i, log_term(p.net.head, seen, i) + log_weight);
}

Status score(Predictor &predictor, const Data &data, const Draws &draws, Score kind, double *value,
             Error *err) {
  Status status = check_score(predictor, kind, err);
  if (status == Status::ok) status = check_comparable(predictor, data, draws, err);
  if (status == Status::ok) status = check_weights(predictor, draws, err);
  if (status != Status::ok) return status;
  Job job;
  TileScores scores = {data, draws, kind, predictor.partial, 0};
  double sum = 0;
  job_begin(job, predictor, data.tiling.tiles * draws.count);
  status = sum_scores(job, scores, &sum, err);
  job_end(job);
  if (status != Status::ok) return status;
  if (job.bad < INT64_MAX)
    return blame_draw(predictor, data, draws, job.bad, passes_to(predictor, draws.count, false),
                      err);
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
  int64_t bad = 0;
  Status status = check_comparable(predictor, data, draws, err);
  if (status != Status::ok) return status;
  status = share_out(
      predictor, data.tiling.tiles, draws.count,
      [&](Predictor &own, int64_t t) { tile_log_lik(own, data, draws, t, out); }, &bad, err);
  if (status != Status::ok) return status;
  if (bad < INT64_MAX)
    return blame_draw(predictor, data, draws, bad, passes_to_each(predictor), err);
  for (int64_t i = 0; i < data.n() * draws.count; ++i)
    if (!std::isfinite(out[i]))
      return fail(
          err, Status::not_finite,
          "params: draw %lld gives row %lld the log likelihood %g, expected a finite number",
          static_cast<long long>(i / data.n()), static_cast<long long>(i % data.n()), out[i]);
  return Status::ok;
}

}  // namespace nnp
