// The gaussian head: the last site is observed, U_m = y.
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/head.hpp"

namespace nnp {

namespace {

// log N(y | f, D) of a row
double log_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  const double square = squared_distance(rows.targets, rows.f, i);
  return -0.5 * square / rows.noise -
         0.5 * static_cast<double>(rows.f.width) * (fn::log(rows.noise) + log_two_pi);
}

constexpr HeadOps make() {
  HeadOps ops = regression_head({gaussian_fit, add_gaussian_noise, log_likelihood});
  ops.name = "gaussian";
  ops.noise_squares = gaussian_noise_squares;
  ops.classical_noise_squares = gaussian_noise_squares;
  ops.gaussian_site = true;
  ops.log_constant = gaussian_log_constant;
  ops.test_score = Score::mse;
  ops.training_score = Score::mse;
  ops.training_spread = spread_of_squares;
  ops.noise_to_anneal_from = hundredth_of_targets;
  return ops;
}

}  // namespace

constexpr HeadOps gaussian_head_ops = make();

}  // namespace nnp
