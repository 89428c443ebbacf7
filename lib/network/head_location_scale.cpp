// The location-scale head: regression with noise that depends on the input. Of 2p outputs the first
// p are means and the others give log standard deviations:
//   y_j ~ N(f_j, s_j^2),   log s_j = g(f_{p+j}),   g(a) = 15 tanh(a / 15).
// g(a) is close to a for the usual values (g(3) = 2.96) and keeps s_j within e^-15 ... e^15, so
// that no output, however extreme, overflows. The noise of the last layer does not enter:
//   log p(y | f) = -sum_j [ g_j + (y_j - f_j)^2 exp(-2 g_j) / 2 + log(2 pi) / 2 ].
#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/head.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

constexpr double widest = 15;  // largest |log s|

double log_sd(double output) {
  return widest * fn::tanh(output / widest);
}

Status check_outputs(int64_t outputs, Error *err) {
  if (outputs % 2 == 0) return Status::ok;
  return fail(err, Status::bad_shape,
              "head location_scale: the last layer has %lld outputs, expected an even number: a "
              "mean and a log standard deviation for each target",
              ll(outputs));
}

// Minus twice the log density of column j of a row, and its derivatives with respect to f_j and
// f_{p+j}.
struct Term {
  double value, by_mean, by_scale;
};

Term term(double y, double mean, double output) {
  const double g = log_sd(output), share = g / widest;
  const double precision = fn::exp(-2 * g), error = y - mean, square = error * error * precision;
  return {2 * g + square + log_two_pi, -2 * error * precision,
          2 * (1 - square) * (1 - share * share)};
}

// -2 D log p(y | f). Divided by 2D, for any D, it is minus the log likelihood.
double fit(const Head &, const LossTile &tile, const Kernels &) {
  const Outcomes &rows = tile.rows;
  const int64_t p = rows.f.width / 2;
  const double factor = -tile.scale * rows.noise;
  double sum = 0;
  for (int64_t j = 0; j < p; ++j)
    for (int64_t i = 0; i < rows.f.rows; ++i) {
      const Term t = term(rows.targets.col(j)[i], rows.f.col(j)[i], rows.f.col(p + j)[i]);
      sum += t.value;
      if (!tile.gradient.data) continue;
      tile.gradient.col(j)[i] = factor * t.by_mean;
      tile.gradient.col(p + j)[i] = factor * t.by_scale;
    }
  return rows.noise * sum;
}

// sum_j (y_j - f_j)^2
double even_loss(const Head &, const LossTile &tile, const Kernels &) {
  const Outcomes &rows = tile.rows;
  const int64_t p = rows.f.width / 2;
  double sum = 0;
  for (int64_t j = 0; j < p; ++j)
    for (int64_t i = 0; i < rows.f.rows; ++i) {
      const double error = rows.targets.col(j)[i] - rows.f.col(j)[i];
      sum += error * error;
      tile.gradient.col(j)[i] = 2 * tile.scale * error;
      tile.gradient.col(p + j)[i] = 0;
    }
  return sum;
}

// Sets log s_j = log sqrt(D) through the biases alone.
void predict_noise(const Layer &last, double noise, double *params) {
  const int64_t outputs = last.out.size(), p = outputs / 2;
  if (last.bias_count != outputs) return;
  const int64_t inputs = last.weight_count / outputs;
  std::fill_n(last.weights(params) + p * inputs, p * inputs, 0.0);
  double *biases = last.weights(params) + last.weight_count;
  std::fill_n(biases + p, p, widest * fn::atanh(0.5 * fn::log(noise) / widest));
}

double log_constant(const Head &, int64_t, int64_t, double) {
  return 0;
}

double log_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  const int64_t p = rows.f.width / 2;
  double sum = 0;
  for (int64_t j = 0; j < p; ++j)
    sum += term(rows.targets.col(j)[i], rows.f.col(j)[i], rows.f.col(p + j)[i]).value;
  return -0.5 * sum;
}

// Turns the first p columns into draws of the targets.
void add_noise(const Head &, double, Stream &stream, Tile site) {
  const int64_t p = site.width / 2;
  for (int64_t j = 0; j < p; ++j)
    for (int64_t i = 0; i < site.rows; ++i)
      site.col(j)[i] += fn::exp(log_sd(site.col(p + j)[i])) * normal(stream);
}

// The training error is minus the log likelihood: half a chi-squared variable per target.
double training_spread(const Head &, int64_t rows, int64_t outputs, double) {
  return std::sqrt(0.25 * static_cast<double>(outputs) / static_cast<double>(rows));
}

constexpr HeadOps make() {
  HeadOps ops = regression_head({fit, add_noise, log_likelihood});
  ops.name = "location_scale";
  ops.outputs_per_target = 2;
  ops.noise_enters = false;
  ops.no_exact_draw =
      "the log standard deviations have no simple conditional, expected sampler hmc, mala or nuts";
  ops.check_outputs = check_outputs;
  ops.log_constant = log_constant;
  ops.even_loss = even_loss;
  ops.predict_noise = predict_noise;
  ops.test_score = Score::log_score;
  ops.training_score = Score::log_score;
  ops.training_spread = training_spread;
  ops.noise_to_anneal_from = hundredth_of_targets;
  return ops;
}

}  // namespace

constexpr HeadOps location_scale_head_ops = make();

}  // namespace nnp
