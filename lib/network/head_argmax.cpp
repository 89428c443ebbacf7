// The argmax head (multinomial probit): y = argmax_a U_m[a], the scores U_m stay latent.
// Two classes: the scores' difference is one truncated normal, so the row is drawn exactly. More:
// the row is drawn from its prior until the label wins, which is exact and cheap where the label is
// likely; after a few misses the coordinates are scanned instead (eqs. of the multinomial probit).
// The number of tries does not depend on the old scores, so the mixture of both is a valid move.
#include <cmath>

#include "lib/network/head.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

constexpr int tries = 4;

Status check_outputs(int64_t outputs, Error *err) {
  if (outputs >= 2) return Status::ok;
  return fail(err, Status::bad_shape,
              "head argmax: the last layer has %lld output, expected at least 2 (one a class)",
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
void draw_two_classes(const double *mean, int64_t mean_ld, double sd, int32_t label, Stream &stream,
                      double *row, int64_t ld) {
  const double root = sd * std::sqrt(2.0);
  const double m_label = mean[label * mean_ld], m_other = mean[(1 - label) * mean_ld];
  const double d = root * truncated_excess(stream, (m_other - m_label) / root);
  const double s = m_label + m_other + root * normal(stream);
  row[label * ld] = 0.5 * (s + d);
  row[(1 - label) * ld] = 0.5 * (s - d);
}

// One draw of the whole row from its prior; false as soon as another class beats the label.
bool try_row(const double *mean, int64_t mean_ld, int64_t classes, double sd, int32_t label,
             Stream &stream, double *row, int64_t ld) {
  const double best = mean[label * mean_ld] + sd * normal(stream);
  for (int64_t a = 0; a < classes; ++a) {
    if (a == label) continue;
    const double u = mean[a * mean_ld] + sd * normal(stream);
    if (u > best) return false;
    row[a * ld] = u;
  }
  row[label * ld] = best;
  return true;
}

void scan_row(const double *mean, int64_t mean_ld, int64_t classes, double sd, int32_t label,
              Stream &stream, double *row, int64_t ld) {
  const double floor = largest_other(row, ld, classes, label);
  row[label * ld] = floor + sd * truncated_excess(stream, (floor - mean[label * mean_ld]) / sd);
  const double ceiling = row[label * ld];
  for (int64_t a = 0; a < classes; ++a) {
    if (a == label) continue;
    const double excess = truncated_excess(stream, (mean[a * mean_ld] - ceiling) / sd);
    row[a * ld] = ceiling - sd * excess;
  }
}

// The tries write into `attempt`, so that old scores survive for the scan.
bool draw_exactly(const double *mean, int64_t mean_ld, int64_t classes, double sd, int32_t label,
                  Stream &stream, double *row, int64_t ld) {
  constexpr int64_t room = 64;
  double attempt[room];
  if (classes > room) return false;
  for (int t = 0; t < tries; ++t) {
    if (!try_row(mean, mean_ld, classes, sd, label, stream, attempt, 1)) continue;
    for (int64_t a = 0; a < classes; ++a) row[a * ld] = attempt[a];
    return true;
  }
  return false;
}

void draw(ConstTile mean, double noise, const int32_t *labels, Stream &stream, Tile site,
          HeadCounts &counts) {
  const double sd = std::sqrt(noise);
  for (int64_t i = 0; i < site.rows; ++i) {
    const double *m = mean.data + i;
    double *row = site.data + i;
    if (site.width == 2) {
      draw_two_classes(m, mean.ld, sd, labels[i], stream, row, site.ld);
      ++counts.exact;
    } else if (draw_exactly(m, mean.ld, site.width, sd, labels[i], stream, row, site.ld)) {
      ++counts.exact;
    } else {
      scan_row(m, mean.ld, site.width, sd, labels[i], stream, row, site.ld);
      ++counts.scanned;
    }
  }
}

// Each score given the others is a Gaussian cut off at the label's score, or below the others.
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
double loss(const LossTile &tile, const Kernels &) {
  const int64_t rows = tile.f.rows, classes = tile.f.width;
  double top[Tiling::max_rows], total[Tiling::max_rows];
  for (int64_t i = 0; i < rows; ++i) top[i] = tile.f.data[i];
  for (int64_t a = 1; a < classes; ++a) {
    const double *f = tile.f.col(a);
    for (int64_t i = 0; i < rows; ++i) top[i] = f[i] > top[i] ? f[i] : top[i];
  }
  for (int64_t i = 0; i < rows; ++i) total[i] = 0;
  for (int64_t a = 0; a < classes; ++a) {
    const double *f = tile.f.col(a);
    double *g = tile.gradient.col(a);
    for (int64_t i = 0; i < rows; ++i) g[i] = std::exp(f[i] - top[i]);
    for (int64_t i = 0; i < rows; ++i) total[i] += g[i];
  }
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    sum += std::log(total[i]) + top[i] - tile.f.col(tile.labels[i])[i];
    total[i] = -tile.scale / total[i];
  }
  for (int64_t a = 0; a < classes; ++a) {
    double *g = tile.gradient.col(a);
    for (int64_t i = 0; i < rows; ++i) g[i] *= total[i];
  }
  for (int64_t i = 0; i < rows; ++i) tile.gradient.col(tile.labels[i])[i] += tile.scale;
  return sum;
}

}  // namespace

const HeadOps argmax_head_ops = {"argmax", false,        check_outputs, label_ok, "0 to outputs-1",
                                 draw,     relax_scores, make_feasible, feasible, loss};

}  // namespace nnp
