// Forward passes of draws over tiles of rows, with the noise of the model: the basis of
// predictions, scores and log likelihoods.
#pragma once

#include "lib/network/scales.hpp"
#include "lib/posterior/job.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

inline const HeadOps &head_of(const Predictor &p) {
  return *ops_of(p.net.head);
}

inline int64_t class_columns(const Predictor &p) {
  return head_of(p).class_columns(p.net.outputs());
}

// Records whether a tile is finite. Finite weights may have outputs that are not. In means and sums
// NaN and infinity persist, so these are checked when complete; values that are sorted, compared or
// weighted are checked before.
void look_at(Predictor &p, ConstTile tile);

// Selects a draw: from here on passes use its parameters and its noises. No other code does.
void take_up(Predictor &p, const Draws &draws, int64_t s);

// ---- one pass --------------------------------------------------------------------------------

// Where noise comes from. Rows that share it get the same numbers, so a row's prediction depends on
// no other row and is smooth in the inputs; joint draws for all rows use separate numbers for each.
struct NoiseSource {
  Stream stream;
  bool shared;
};
NoiseSource noise_source(const Predictor &p, int64_t t, bool shared);

// How the mean of site 1, which has no noise and is equal in all passes of a draw, is obtained.
enum class FirstSite { computed, kept, reused };

// The mean of the last site, with noise drawn for the sites below it; or a draw of that site, in
// the columns that predict targets.
Tile forward(Predictor &p, const Data &data, int64_t t, NoiseSource &source, FirstSite first);
Tile forward_site(Predictor &p, const Data &data, int64_t t, NoiseSource &source, FirstSite first);

inline Tile sum_tile(const Predictor &p, int which, const Data &data, int64_t t, int64_t width) {
  return {p.sums[which], data.tiling.rows(t), width, data.tiling.ld};
}

// ---- all passes of a call --------------------------------------------------------------------

// The number of passes per draw, what they return (the last site, or its mean), and whether rows
// share their noise.
struct Passes {
  int64_t each;
  bool last_noise;
  bool shared = true;
  bool weighed = true;  // draws count by their weights, if any
};
constexpr Passes one_of_each_draw = {1, true, false, false};

// True if a pass draws noise.
bool draws_noise(const Predictor &p, bool last_noise);
// Enough passes that Monte Carlo errors are small compared with those of the draws.
Passes passes_to(const Predictor &p, int64_t draws, bool last_noise);

inline bool is_weighted(const Predictor &p) {
  return p.weight_count > 0;
}
// The weight of a pass of draw s; all passes of all draws sum to 1. For weighted draws only.
inline double pass_weight(const Predictor &p, int64_t s, const Passes &passes) {
  return p.weights[s] / static_cast<double>(passes.each);
}

// Calls visit(draw, site) for every pass over tile t; draws of weight 0 are skipped. False if the
// call was stopped before the last of them.
template <class Visit>
bool for_each_pass(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                   const Passes &passes, Visit visit) {
  NoiseSource source = p.carried ? NoiseSource{p.carried[t], passes.shared}
                                 : noise_source(p, data.tiling.tile_offset + t, passes.shared);
  for (int64_t s = 0; s < draws.count; ++s) {
    if (!goes_on(p)) return false;
    const bool counts = !passes.weighed || !is_weighted(p) || p.weights[s] > 0;
    if (counts) take_up(p, draws, s);
    FirstSite first = passes.each > 1 ? FirstSite::kept : FirstSite::computed;
    for (int64_t i = 0; i < passes.each && counts; ++i) {
      visit(s, passes.last_noise ? forward_site(p, data, t, source, first)
                                 : forward(p, data, t, source, first));
      if (first == FirstSite::kept) first = FirstSite::reused;
    }
    count_part(p);
  }
  if (p.carries_on) p.carries_on[t] = source.stream;
  return true;
}

// ---- checks ----------------------------------------------------------------------------------

Status check_draws(const Predictor &p, const Draws &draws, Error *err);
Status check_weights(const Predictor &p, const Draws &draws, Error *err);
// Fails if there are too many classes for their probabilities.
Status check_classes(const Predictor &p, const char *name, Error *err);
// Fails unless there are rows with targets, and draws.
Status check_comparable(const Predictor &p, const Data &data, const Draws &draws, Error *err);
// Reports which draw and row of tile t was not finite, by repeating the same passes.
Status blame_draw(Predictor &p, const Data &data, const Draws &draws, int64_t t,
                  const Passes &passes, Error *err);

}  // namespace nnp
