// The gaussian head: the last site is observed, U_m = y.
#include <cmath>

#include "lib/network/head.hpp"

namespace nnp {

namespace {

constexpr double log_two_pi = 1.8378770664093454836;

Status check_outputs(int64_t, Error *) {
  return Status::ok;
}

// log N(y | f, D) of a row
double log_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  const double square = squared_distance(rows.targets, rows.f, i);
  return -0.5 * square / rows.noise -
         0.5 * static_cast<double>(rows.f.width) * (std::log(rows.noise) + log_two_pi);
}

constexpr HeadOps make() {
  HeadOps ops;
  ops.name = "gaussian";
  ops.target = TargetKind::targets;
  ops.check_outputs = check_outputs;
  ops.noise_squares = gaussian_noise_squares;
  ops.classical_noise_squares = gaussian_noise_squares;
  ops.gaussian_site = true;
  ops.fit = gaussian_fit;
  ops.log_constant = gaussian_log_constant;
  ops.add_noise = add_gaussian_noise;
  ops.log_likelihood = log_likelihood;
  ops.loss = gaussian_fit;
  ops.add_classical_noise = add_gaussian_noise;
  ops.log_classical_likelihood = log_likelihood;
  ops.class_columns = no_classes;
  ops.has_mse = true;
  ops.test_score = Score::mse;
  ops.training_score = Score::mse;
  ops.training_spread = spread_of_squares;
  ops.noise_to_anneal_from = hundredth_of_targets;
  return ops;
}

}  // namespace

constexpr HeadOps gaussian_head_ops = make();

}  // namespace nnp
