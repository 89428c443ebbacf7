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

// Coordinate by coordinate: the label's score above all others, then each of these below it.
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

constexpr int64_t most_tried = 64;  // classes

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
    // the tries write here, so that old scores survive for the scan
    alignas(64) double attempt[most_tried * Tiling::max_rows];
    for (int t = 0; t < tries && waiting.count > 0; ++t)
      draws.try_scores(mean, sd, stream, waiting, attempt, site);
  }
  if (waiting.count > 0) scan_rows(mean, sd, waiting, stream, site, draws);
  counts.exact += site.rows - waiting.count;
  counts.scanned += waiting.count;
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
