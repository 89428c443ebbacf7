#include "lib/posterior/averages.hpp"

#include "lib/base/tile.hpp"

namespace nnp {

namespace {

void add_classes(const Predictor &p, ConstTile site, bool votes, Tile sum) {
  if (votes) return head_of(p).add_votes(site, sum);
  add_probabilities(p, site, sum);
}

// sum += weight * class probabilities (or votes) of this pass; `own` is scratch.
void add_weighted_classes(const Predictor &p, ConstTile site, bool votes, double weight, Tile own,
                          Tile sum) {
  clear(own);
  add_classes(p, site, votes, own);
  for (int64_t c = 0; c < sum.width; ++c)
    for (int64_t i = 0; i < sum.rows; ++i) sum.col(c)[i] += weight * own.col(c)[i];
}

}  // namespace

// Welford's update of the mean and the sum of squared deviations over passes. With weighted draws
// (West 1979) the sum uses weights that sum to 1.
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

void add_probabilities(const Predictor &p, ConstTile mean, Tile sum) {
  if (p.classical) return head_of(p).add_classical_probabilities(mean, sum);
  head_of(p).add_probabilities(mean, p.last_noise, sum);
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

}  // namespace nnp
