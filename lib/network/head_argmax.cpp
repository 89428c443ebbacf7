// The argmax head (multinomial probit): y = argmax_a U_m[a], with latent scores U_m. With two
// classes the difference of the scores is one truncated normal, so the row is drawn exactly. With
// more, the row is drawn from its prior until the label wins, which is exact, and cheap if the
// label is likely; after a few misses the coordinates are scanned instead (eqs. of the multinomial
// probit). The number of tries does not depend on the old scores, so the mixture of both is a valid
// move.
#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/network/head.hpp"
#include "lib/random/special.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

constexpr int tries = 4;
constexpr int64_t max_classes = 4096;  // largest number for which probabilities are computed

Status check_outputs(int64_t outputs, Error *err) {
  if (outputs >= 2) return Status::ok;
  return fail(err, Status::bad_shape,
              "head argmax: the last layer has %lld output, expected at least 2 (one per class)",
              static_cast<long long>(outputs));
}

bool label_ok(int32_t label, int64_t outputs) {
  return label >= 0 && label < outputs;
}

double largest_other(const double *row, int64_t ld, int64_t classes, int64_t label) {
  double best = -INFINITY;
  for (int64_t a = 0; a < classes; ++a)
    if (a != label && row[a * ld] > best) best = row[a * ld];
  return best;
}

// d = U_y - U_o ~ N(m_y - m_o, 2D) on d > 0 and s = U_y + U_o ~ N(m_y + m_o, 2D) are independent.
void draw_two_classes(ConstTile mean, double sd, const int32_t *labels, Stream &stream, Tile site,
                      const DrawKernels &draws) {
  const double root = sd * std::sqrt(2.0);
  double d[Tiling::max_rows] = {}, s[Tiling::max_rows];
  for (int64_t i = 0; i < site.rows; ++i)
    d[i] = (mean.col(labels[i])[i] - mean.col(1 - labels[i])[i]) / root;
  draws.excesses(d, site.rows, stream, d);
  draws.normals(stream, s, site.rows);
  for (int64_t i = 0; i < site.rows; ++i) {
    const double sum = mean.col(0)[i] + mean.col(1)[i] + root * s[i], difference = root * d[i];
    site.col(labels[i])[i] = 0.5 * (sum + difference);
    site.col(1 - labels[i])[i] = 0.5 * (sum - difference);
  }
}

// Draws coordinate by coordinate: the label's score above all others, then each other score below
// it.
void scan_rows(ConstTile mean, double sd, const ScoreRows &waiting, Stream &stream, Tile site,
               const DrawKernels &draws) {
  double depth[Tiling::max_rows] = {}, ceiling[Tiling::max_rows];
  int64_t place[Tiling::max_rows];
  const int64_t count = waiting.count;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = waiting.row[i], label = waiting.label[i];
    ceiling[i] = largest_other(site.data + row, site.ld, site.width, label);
    depth[i] = (mean.col(label)[row] - ceiling[i]) / sd;
  }
  draws.excesses(depth, count, stream, depth);
  for (int64_t i = 0; i < count; ++i) {
    ceiling[i] += sd * depth[i];
    site.col(waiting.label[i])[waiting.row[i]] = ceiling[i];
  }
  for (int64_t a = 0; a < site.width; ++a) {
    int64_t others = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (waiting.label[i] == a) continue;
      place[others] = i;
      depth[others++] = (ceiling[i] - mean.col(a)[waiting.row[i]]) / sd;
    }
    draws.excesses(depth, others, stream, depth);
    for (int64_t k = 0; k < others; ++k)
      site.col(a)[waiting.row[place[k]]] = ceiling[place[k]] - sd * depth[k];
  }
}

constexpr int64_t most_tried = 64;  // largest number of classes

void draw(ConstTile mean, double noise, const int32_t *labels, Stream &stream, Tile site,
          HeadCounts &counts, const DrawKernels &draws) {
  const double sd = std::sqrt(noise);
  if (site.width == 2) {
    draw_two_classes(mean, sd, labels, stream, site, draws);
    counts.exact += site.rows;
    return;
  }
  ScoreRows waiting;
  waiting.count = site.rows;
  for (int64_t i = 0; i < site.rows; ++i) {
    waiting.row[i] = i;
    waiting.label[i] = labels[i];
  }
  if (site.width <= most_tried) {
    // tries are written here, so that old scores survive for the scan
    alignas(64) double attempt[most_tried * Tiling::max_rows];
    for (int t = 0; t < tries && waiting.count > 0; ++t)
      draws.try_scores(mean, sd, stream, waiting, attempt, site);
  }
  if (waiting.count > 0) scan_rows(mean, sd, waiting, stream, site, draws);
  counts.exact += site.rows - waiting.count;
  counts.scanned += waiting.count;
}

// Each score given the others is a truncated Gaussian: below the label's score, or (the label's)
// above all others.
void relax_scores(ConstTile mean, double noise, const int32_t *labels, const Relax &relax,
                  Stream &stream, Tile site) {
  const double sd = relax.shake * std::sqrt(noise);
  for (int64_t i = 0; i < site.rows; ++i) {
    double *row = site.data + i;
    const int32_t label = labels[i];
    for (int64_t a = 0; a < site.width; ++a) {
      double &u = row[a * site.ld];
      const double to = relax.keep * u + relax.pull * mean.col(a)[i] + sd * normal(stream);
      const bool agrees = a == label ? to >= largest_other(row, site.ld, site.width, label)
                                     : to <= row[label * site.ld];
      if (agrees) u = to;
    }
  }
}

bool feasible(const int32_t *labels, ConstTile site, int64_t i) {
  const double *row = site.data + i;
  return row[labels[i] * site.ld] >= largest_other(row, site.ld, site.width, labels[i]);
}

void make_feasible(const int32_t *labels, Tile site) {
  for (int64_t i = 0; i < site.rows; ++i) {
    double *row = site.data + i;
    if (!feasible(labels, site, i))
      row[labels[i] * site.ld] = largest_other(row, site.ld, site.width, labels[i]);
  }
}

// log sum_a e^(f_a) - f_y: cross-entropy of the softmax. Its gradient by f is softmax - [a = y].
double cross_entropy(const Head &, const LossTile &tile, const Kernels &) {
  const ConstTile all = tile.rows.f;
  const int32_t *labels = tile.rows.labels;
  const int64_t rows = all.rows, classes = all.width;
  double top[Tiling::max_rows], total[Tiling::max_rows];
  for (int64_t i = 0; i < rows; ++i) top[i] = all.data[i];
  for (int64_t a = 1; a < classes; ++a) {
    const double *f = all.col(a);
    for (int64_t i = 0; i < rows; ++i) top[i] = f[i] > top[i] ? f[i] : top[i];
  }
  for (int64_t i = 0; i < rows; ++i) total[i] = 0;
  for (int64_t a = 0; a < classes; ++a) {
    const double *f = all.col(a);
    double *g = tile.gradient.col(a);
    for (int64_t i = 0; i < rows; ++i) g[i] = fn::exp(f[i] - top[i]);
    for (int64_t i = 0; i < rows; ++i) total[i] += g[i];
  }
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    sum += fn::log(total[i]) + top[i] - all.col(labels[i])[i];
    total[i] = -tile.scale / total[i];
  }
  for (int64_t a = 0; a < classes; ++a) {
    double *g = tile.gradient.col(a);
    for (int64_t i = 0; i < rows; ++i) g[i] *= total[i];
  }
  for (int64_t i = 0; i < rows; ++i) tile.gradient.col(labels[i])[i] += tile.scale;
  return sum;
}

// Adds Gumbel noise: the largest score is c with probability softmax(f)_c.
void add_gumbel(const Head &, double, Stream &stream, Tile site) {
  for (int64_t j = 0; j < site.width; ++j)
    for (int64_t i = 0; i < site.rows; ++i) site.col(j)[i] += -fn::log(-fn::log(stream.uniform()));
}

// A row of scores, and what log softmax takes off each: the largest one first, so that nothing
// cancels, then log sum exp(score - largest).
struct LogSoftmax {
  const double *scores;
  int64_t stride;
  double top, log_sum;

  LogSoftmax(ConstTile f, int64_t row)
      : scores(f.data + row), stride(f.ld), top(-INFINITY), log_sum(0) {
    double sum = 0;
    for (int64_t a = 0; a < f.width; ++a) top = std::max(top, scores[a * stride]);
    for (int64_t a = 0; a < f.width; ++a) sum += fn::exp(scores[a * stride] - top);
    log_sum = fn::log(sum);
  }
  double of(int64_t c) const { return scores[c * stride] - top - log_sum; }
};

double log_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  const ConstTile f = rows.f;
  return log_argmax_probability(f.data + i, f.ld, f.width, std::sqrt(rows.noise), rows.labels[i]);
}

double log_classical_likelihood(const Head &, const Outcomes &rows, int64_t i) {
  return LogSoftmax(rows.f, i).of(rows.labels[i]);
}

int64_t class_columns(int64_t outputs) {
  return outputs;
}

void add_probabilities(ConstTile f, double noise, Tile sum) {
  const double sd = std::sqrt(noise);
  double row[max_classes];
  for (int64_t i = 0; i < f.rows; ++i) {
    argmax_probabilities(f.data + i, f.ld, f.width, sd, row);
    for (int64_t c = 0; c < f.width; ++c) sum.col(c)[i] += row[c];
  }
}

void add_classical_probabilities(ConstTile f, Tile sum) {
  for (int64_t i = 0; i < f.rows; ++i) {
    const LogSoftmax row(f, i);
    for (int64_t c = 0; c < f.width; ++c) sum.col(c)[i] += fn::exp(row.of(c));
  }
}

// The index of the largest score, the first if several are equal.
int32_t largest_score(ConstTile scores, int64_t i) {
  int64_t best = 0;
  for (int64_t c = 1; c < scores.width; ++c)
    if (scores.col(c)[i] > scores.col(best)[i]) best = c;
  return static_cast<int32_t>(best);
}

void add_votes(ConstTile site, Tile sum) {
  for (int64_t i = 0; i < site.rows; ++i) sum.col(largest_score(site, i))[i] += 1;
}

// g(x) = -x^2/2 + sum_{a != label} log Phi(x + gap_a), gap_a = (mean_label - mean_a) / sd, is the
// log integrand of P(label); it is concave, with curvature between 1 and the number of classes.
struct LabelIntegrand {
  const double *mean;
  int64_t stride, classes, label;
  double sd;

  double gap(int64_t a) const { return (mean[label * stride] - mean[a * stride]) / sd; }
  double value(double x) const {
    double sum = -0.5 * x * x;
    for (int64_t a = 0; a < classes; ++a)
      if (a != label) sum += log_ndtr(x + gap(a));
    return sum;
  }
  // phi/Phi = sqrt(2/pi) / erfcx(-t/sqrt 2), and its derivative -ratio (t + ratio), is in [-1, 0].
  double slope(double x, double *curvature) const {
    constexpr double root_half = 0.70710678118654752440, root_two_over_pi = 0.79788456080286535588;
    double sum = -x;
    *curvature = 1;
    for (int64_t a = 0; a < classes; ++a) {
      if (a == label) continue;
      const double t = x + gap(a), ratio = root_two_over_pi / erfcx(-root_half * t);
      sum += ratio;
      *curvature += std::clamp(ratio * (t + ratio), 0.0, 1.0);
    }
    return sum;
  }
  // Newton from the left: g' is convex and decreasing, so it never goes beyond the mode.
  double mode(double *curvature) const {
    double x = 0;
    for (int i = 0; i < 60; ++i) {
      const double move = slope(x, curvature) / *curvature;
      x += move;
      if (!(move > 1e-3)) break;
    }
    return x;
  }
};

// The label's score, in sd from its mean, has the log density g. Since its curvature is at least 1
// everywhere, g(mode) - (x - mode)^2 / 2 bounds it from above, and a draw from N(mode, 1) is
// accepted with probability exp of the difference. The other scores are then drawn below it.
void draw_row_afresh(const LabelIntegrand &g, Stream &stream, double *scores, int64_t ld) {
  double curvature = 1;
  const double mode = g.mode(&curvature), top = g.value(mode);
  double x = 0, shift = 0;
  do {
    shift = normal(stream);
    x = mode + shift;
  } while (!(g.value(x) - top + 0.5 * shift * shift > -exponential(stream)));
  scores[g.label * ld] = g.mean[g.label * g.stride] + g.sd * x;
  for (int64_t a = 0; a < g.classes; ++a)
    if (a != g.label)
      scores[a * ld] = scores[g.label * ld] - g.sd * truncated_excess(stream, -(x + g.gap(a)));
}

void draw_afresh(ConstTile mean, double noise, const int32_t *labels, Stream &stream, Tile site,
                 const DrawKernels &draws) {
  const double sd = std::sqrt(noise);
  if (site.width == 2) return draw_two_classes(mean, sd, labels, stream, site, draws);
  for (int64_t i = 0; i < site.rows; ++i)
    draw_row_afresh({mean.data + i, mean.ld, mean.width, labels[i], sd}, stream, site.data + i,
                    site.ld);
}

constexpr HeadOps make() {
  HeadOps ops = probit_head();
  ops.name = "argmax";
  ops.check_outputs = check_outputs;
  ops.label_ok = label_ok;
  ops.label_range = "0 to outputs-1";
  ops.label_of = largest_score;
  ops.draw = draw;
  ops.draw_afresh = draw_afresh;
  ops.relax = relax_scores;
  ops.make_feasible = make_feasible;
  ops.feasible = feasible;
  ops.logits_per_sd = logistic_per_probit * 0.70710678118654752;  // a difference has variance 2 D
  ops.log_likelihood = log_likelihood;
  ops.loss = cross_entropy;
  ops.add_classical_noise = add_gumbel;
  ops.log_classical_likelihood = log_classical_likelihood;
  ops.class_columns = class_columns;
  ops.most_classes = max_classes;
  ops.add_probabilities = add_probabilities;
  ops.add_classical_probabilities = add_classical_probabilities;
  ops.add_votes = add_votes;
  ops.most_probable = largest_score;
  return ops;
}

}  // namespace

constexpr HeadOps argmax_head_ops = make();

// P(c) = int phi_c(z) prod_{a != c} Phi_a(z) dz. The trapezoidal rule with steps of a quarter sd is
// exact to rounding for such a smooth integrand, which is negligible beyond 9 sd of the largest
// mean.
void argmax_probabilities(const double *mean, int64_t stride, int64_t classes, double sd,
                          double *out) {
  constexpr double step = 0.25, reach = 9;
  double top = -INFINITY;
  for (int64_t a = 0; a < classes; ++a) top = std::max(top, mean[a * stride]);
  double cdf[max_classes], before[max_classes];  // before[c]: product over the classes before c
  std::fill_n(out, classes, 0.0);
  for (double z = -reach; z <= reach; z += step) {
    double product = 1;
    for (int64_t a = 0; a < classes; ++a) {
      cdf[a] = normal_cdf(z + (top - mean[a * stride]) / sd);
      before[a] = product;
      product *= cdf[a];
    }
    double after = 1;
    for (int64_t a = classes - 1; a >= 0; --a) {
      const double x = z + (top - mean[a * stride]) / sd;
      out[a] += before[a] * after * fn::exp(-0.5 * x * x);
      after *= cdf[a];
    }
  }
  double sum = 0;
  for (int64_t a = 0; a < classes; ++a) sum += out[a];
  for (int64_t a = 0; a < classes; ++a) out[a] /= sum;
}

// log of h sum exp(g) by the trapezoidal rule, with steps of half the width of the peak, in both
// directions from it.
double log_argmax_probability(const double *mean, int64_t stride, int64_t classes, double sd,
                              int64_t label) {
  const LabelIntegrand g = {mean, stride, classes, label, sd};
  constexpr double reach = 9, negligible = -42;
  double curvature = 1;
  const double mode = g.mode(&curvature), top = g.value(mode), step = 0.5 / std::sqrt(curvature);
  double sum = 1;
  for (const double direction : {-step, step})
    for (int64_t i = 1; static_cast<double>(i) * step < reach; ++i) {
      const double rise = g.value(mode + static_cast<double>(i) * direction) - top;
      if (rise < negligible) break;
      sum += fn::exp(std::min(rise, 0.5));  // rounding may lift it slightly if g is huge
    }
  return std::min(top + fn::log(step * sum) - 0.5 * log_two_pi, 0.0);
}

}  // namespace nnp
