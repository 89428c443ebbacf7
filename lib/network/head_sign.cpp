// The sign head (binary probit): y = sign(U_m), one latent score.
#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/head.hpp"
#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

Status check_outputs(int64_t outputs, Error *err) {
  if (outputs == 1) return Status::ok;
  return fail(err, Status::bad_shape, "head sign: the last layer has %lld outputs, expected 1",
              static_cast<long long>(outputs));
}

bool label_ok(int32_t label, int64_t) {
  return label == 1 || label == -1;
}

// U | y = +1 is N(m, D) on U > 0; y = -1 is its mirror image.
void draw(ConstTile mean, double noise, const int32_t *labels, Stream &stream, Tile site,
          HeadCounts &counts, const DrawKernels &draws) {
  const double sd = std::sqrt(noise);
  double depth[Tiling::max_rows] = {};
  for (int64_t i = 0; i < site.rows; ++i) depth[i] = labels[i] * mean.data[i] / sd;
  draws.excesses(depth, site.rows, stream, depth);
  for (int64_t i = 0; i < site.rows; ++i) site.data[i] = labels[i] * sd * depth[i];
  counts.exact += site.rows;
}

void draw_afresh(ConstTile mean, double noise, const int32_t *labels, Stream &stream, Tile site,
                 const DrawKernels &draws) {
  HeadCounts ignored;
  draw(mean, noise, labels, stream, site, ignored, draws);
}

void relax_scores(ConstTile mean, double noise, const int32_t *labels, const Relax &relax,
                  Stream &stream, Tile site) {
  const double sd = relax.shake * std::sqrt(noise);
  for (int64_t i = 0; i < site.rows; ++i) {
    const double to = relax.keep * site.data[i] + relax.pull * mean.data[i] + sd * normal(stream);
    if (labels[i] * to >= 0) site.data[i] = to;
  }
}

bool feasible(const int32_t *labels, ConstTile site, int64_t i) {
  return labels[i] * site.data[i] >= 0;
}

void make_feasible(const int32_t *labels, Tile site) {
  for (int64_t i = 0; i < site.rows; ++i)
    if (!feasible(labels, site, i)) site.data[i] = -site.data[i];
}

// log(1 + e^(-yf)): cross-entropy of two classes whose scores differ by f
double logistic_loss(const Head &, const LossTile &tile, const Kernels &) {
  const Outcomes &rows = tile.rows;
  double sum = 0;
  for (int64_t i = 0; i < rows.f.rows; ++i) {
    const double y = rows.labels[i], margin = y * rows.f.data[i];
    const double tail = fn::exp(-std::fabs(margin));
    sum += (margin < 0 ? -margin : 0) + fn::log1p(tail);
    const double wrong = (margin < 0 ? 1 : tail) / (1 + tail);  // 1/(1 + e^margin)
    tile.gradient.data[i] = tile.scale * y * wrong;
  }
  return sum;
}

// Scores whose sign is + with probability 1/(1 + e^-f).
void add_logistic(const Head &, double, Stream &stream, Tile site) {
  for (int64_t i = 0; i < site.rows; ++i) {
    const double u = stream.uniform();
    site.data[i] += fn::log(u / (1 - u));
  }
}

// log of 1 / (1 + e^-f)
double log_logistic(double f) {
  return std::min(f, 0.0) - fn::log1p(fn::exp(-std::fabs(f)));
}

double log_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  return log_ndtr(rows.labels[i] * rows.f.data[i] / std::sqrt(rows.noise));
}

double log_classical_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  return log_logistic(rows.labels[i] * rows.f.data[i]);
}

// One column, P(y = +1), is enough.
int64_t class_columns(int64_t) {
  return 1;
}

void add_probabilities(ConstTile f, double noise, Tile sum) {
  const double sd = std::sqrt(noise);
  for (int64_t i = 0; i < f.rows; ++i) sum.data[i] += normal_cdf(f.data[i] / sd);
}

void add_classical_probabilities(ConstTile f, Tile sum) {
  for (int64_t i = 0; i < f.rows; ++i) sum.data[i] += fn::exp(log_logistic(f.data[i]));
}

int32_t label_of(ConstTile scores, int64_t i) {
  return scores.data[i] >= 0 ? 1 : -1;
}

void add_votes(ConstTile site, Tile sum) {
  for (int64_t i = 0; i < site.rows; ++i) sum.data[i] += label_of(site, i) > 0 ? 1 : 0;
}

int32_t most_probable(ConstTile probabilities, int64_t i) {
  return probabilities.data[i] >= 0.5 ? 1 : -1;
}

constexpr HeadOps make() {
  HeadOps ops = probit_head();
  ops.name = "sign";
  ops.check_outputs = check_outputs;
  ops.label_ok = label_ok;
  ops.label_range = "-1 or +1";
  ops.label_of = label_of;
  ops.draw = draw;
  ops.draw_afresh = draw_afresh;
  ops.relax = relax_scores;
  ops.make_feasible = make_feasible;
  ops.feasible = feasible;
  ops.logits_per_sd = logistic_per_probit;
  ops.log_likelihood = log_likelihood;
  ops.loss = logistic_loss;
  ops.add_classical_noise = add_logistic;
  ops.log_classical_likelihood = log_classical_likelihood;
  ops.class_columns = class_columns;
  ops.most_classes = 2;
  ops.add_probabilities = add_probabilities;
  ops.add_classical_probabilities = add_classical_probabilities;
  ops.add_votes = add_votes;
  ops.most_probable = most_probable;
  return ops;
}

}  // namespace

constexpr HeadOps sign_head_ops = make();

}  // namespace nnp
