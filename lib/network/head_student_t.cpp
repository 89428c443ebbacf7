// The Student-t head: targets with heavy tails. With nu degrees of freedom, p outputs and D the
// squared scale, y_i = f_i + sqrt(D / w_i) N(0, I), w_i ~ Gamma(nu/2, rate nu/2), one w per row: a
// multivariate t. Gibbs draws the w_i; everything else integrates them out:
//   log p(y | f) = log Gamma((nu + p)/2) - log Gamma(nu/2) - (p/2) log(pi nu D)
//                  - ((nu + p)/2) log(1 + |y - f|^2 / (nu D)).
#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/head.hpp"
#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

constexpr double log_pi = 1.1447298858494001741;
constexpr HeadProperty properties[] = {{20, "freedom", 4, Values::positive}};

double freedom(const Head &head) {
  return head.values[0];
}

// Given |y - f|^2 / D, w is gamma with shape (nu + p)/2 and rate (nu + that)/2. At a temperature T
// the density is proportional to the power -(nu + p)/(2T) of the rate: the shape is divided by T.
void draw_row_scales(const Head &head, const Outcomes &rows, Stream &stream, double *scales) {
  const double nu = freedom(head), p = static_cast<double>(rows.f.width);
  const double shape = 0.5 * (nu + p) / rows.temperature;
  for (int64_t i = 0; i < rows.f.rows; ++i) {
    const double square = squared_distance(rows.targets, rows.f, i) / rows.noise;
    scales[i] = gamma(stream, shape) / (0.5 * (nu + square));
  }
}

// sum of w_i |y_i - f_i|^2, w as above or at its mean
double noise_squares(const Head &head, const Outcomes &rows, Stream *stream) {
  const double nu = freedom(head), p = static_cast<double>(rows.f.width);
  double scales[Tiling::max_rows], sum = 0;
  if (stream) draw_row_scales(head, rows, *stream, scales);
  for (int64_t i = 0; i < rows.f.rows; ++i) {
    const double square = squared_distance(rows.targets, rows.f, i);
    const double expected = (nu + p) / (nu + square / rows.noise) / rows.temperature;
    sum += (stream ? scales[i] : expected) * square;
  }
  return sum;
}

// D (nu + p) log(1 + |y - f|^2 / (nu D)), which tends to |y - f|^2 as nu grows. Minus half of its
// gradient with respect to f is (y - f) (nu + p) / (nu + |y - f|^2 / D).
double fit(const Head &head, const LossTile &tile, const Kernels &) {
  const Outcomes &rows = tile.rows;
  const double nu = freedom(head), both = nu + static_cast<double>(rows.f.width);
  double weight[Tiling::max_rows], sum = 0;
  for (int64_t i = 0; i < rows.f.rows; ++i) {
    const double square = squared_distance(rows.targets, rows.f, i) / rows.noise;
    sum += fn::log1p(square / nu);
    weight[i] = 2 * tile.scale * both / (nu + square);
  }
  for (int64_t j = 0; tile.gradient.data && j < rows.f.width; ++j)
    for (int64_t i = 0; i < rows.f.rows; ++i)
      tile.gradient.col(j)[i] = weight[i] * (rows.targets.col(j)[i] - rows.f.col(j)[i]);
  return rows.noise * both * sum;
}

double log_constant(const Head &head, int64_t rows, int64_t outputs, double noise) {
  const double nu = freedom(head), p = static_cast<double>(outputs);
  const double row =
      log_gamma_ratio(0.5 * nu, 0.5 * p) - 0.5 * p * (log_pi + fn::log(nu) + fn::log(noise));
  return static_cast<double>(rows) * row;
}

double log_likelihood(const Head &head, const Outcomes &rows, int64_t i) {
  const double nu = freedom(head), p = static_cast<double>(rows.f.width);
  const double square = squared_distance(rows.targets, rows.f, i) / rows.noise;
  return log_constant(head, 1, rows.f.width, rows.noise) - 0.5 * (nu + p) * fn::log1p(square / nu);
}

void add_noise(const Head &head, double noise, Stream &stream, Tile site) {
  const double half = 0.5 * freedom(head);
  double sd[Tiling::max_rows];
  for (int64_t i = 0; i < site.rows; ++i) sd[i] = std::sqrt(noise * half / gamma(stream, half));
  for (int64_t j = 0; j < site.width; ++j)
    for (int64_t i = 0; i < site.rows; ++i) site.col(j)[i] += sd[i] * normal(stream);
}

// The training error is minus the log likelihood. 1/(1 + |y - f|^2 / (nu D)) of a row is Beta(nu/2,
// p/2), and the variance of its logarithm is a difference of trigamma functions.
double training_spread(const Head &head, int64_t rows, int64_t outputs, double) {
  const double half = 0.5 * freedom(head), both = half + 0.5 * static_cast<double>(outputs);
  const double variance = std::max(trigamma(half) - trigamma(both), 0.0);
  return both * std::sqrt(variance / static_cast<double>(rows));
}

// A hundredth of the square of a scale that is robust to outliers: (mean of sqrt |y|)^4, divided by
// its value for a standard normal.
double noise_to_anneal_from(const Data &data) {
  constexpr double of_normal = 0.4569465810444636;
  const double sum = sum_over_targets(data, [](double y) { return std::sqrt(std::fabs(y)); });
  const double mean = sum / static_cast<double>(data.total() * data.outputs);
  return 0.01 * mean * mean * mean * mean / of_normal;
}

constexpr HeadOps make() {
  HeadOps ops = regression_head({fit, add_noise, log_likelihood});
  ops.name = "student_t";
  ops.properties = properties;
  ops.property_count = 1;
  ops.row_scales = true;
  ops.draw_row_scales = draw_row_scales;
  ops.noise_squares = noise_squares;
  ops.classical_noise_squares = noise_squares;
  ops.log_constant = log_constant;
  ops.test_score = Score::log_score;
  ops.training_score = Score::log_score;
  ops.training_spread = training_spread;
  ops.noise_to_anneal_from = noise_to_anneal_from;
  return ops;
}

}  // namespace

constexpr HeadOps student_t_head_ops = make();

}  // namespace nnp
