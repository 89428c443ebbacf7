#include "lib/sampler/path.hpp"

#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/sampler/spread.hpp"

namespace nnp {

namespace {

void terms_of_state(Chain &chain, const double *powers, int64_t count, double *terms) {
  path_terms(chain.state, powers, count, terms);
}

Status draw_scores_afresh(Chain &chain, Error *) {
  redraw_scores(chain.state);
  chain_replaced(chain);
  return Status::ok;
}

constexpr PathOps plain_path() {
  PathOps ops;
  ops.terms = terms_of_state;
  return ops;
}

constexpr PathOps score_path() {
  PathOps ops;
  ops.dear = true;
  ops.terms = terms_of_state;
  ops.redraw = draw_scores_afresh;
  return ops;
}

constexpr PathOps all_variables = plain_path();
constexpr PathOps without_scores = score_path();

// Fills a symmetric matrix from its lower triangle.
void mirror(const double *lower, int64_t order, double *whole) {
  for (int64_t j = 0; j < order; ++j)
    for (int64_t i = j; i < order; ++i)
      whole[j * order + i] = whole[i * order + j] = lower[j * order + i];
}

}  // namespace

const PathOps &path_of(const Chain &chain) {
  if (path_integrates_scores(chain.state)) return without_scores;
  const auto own = ops_of(chain.sampler)->path;
  const PathOps *ops = own ? own(chain) : nullptr;
  return ops ? *ops : all_variables;
}

// N(y; f, D)^b = N(y; f, D/b) (2 pi D/b)^(n/2) / (2 pi D)^(b n/2); with X integrated out the first
// factor is N(y; E f, S), S = D/b I + D_X A'A.
double log_last_likelihood(const LastSums &sums, double power, const Kernels &kernels) {
  constexpr double two_pi = 6.283185307179586477;
  if (!(power > 0)) return 0;
  const int64_t p = sums.outputs;
  const double heated = sums.noise / power, rows = static_cast<double>(sums.rows);
  double *factor = sums.scratch, *solved = sums.scratch + p * p;
  const ConstTile a = {sums.weights, sums.inputs, p, sums.inputs};
  if (!factor_spread({a, sums.noise_x, heated}, kernels, factor))
    return std::numeric_limits<double>::quiet_NaN();
  mirror(sums.squares, p, solved);
  solve_spread(factor, p, solved, p, kernels);
  double log_volume = 0, trace = 0;  // log determinant of S b/D, and trace of S^-1 R'R
  for (int64_t j = 0; j < p; ++j) {
    log_volume += 2 * fn::log(factor[j * (p + 1)]) - fn::log(heated);
    trace += solved[j * (p + 1)];
  }
  const double outputs = static_cast<double>(p);
  return -0.5 * (rows * log_volume + trace + power * rows * outputs * fn::log(two_pi * sums.noise));
}

}  // namespace nnp
