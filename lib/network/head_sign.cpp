// The sign head (binary probit): y = sign(U_m), one latent score.
#include <cmath>

#include "lib/network/head.hpp"
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
double loss(const LossTile &tile, const Kernels &) {
  double sum = 0;
  for (int64_t i = 0; i < tile.f.rows; ++i) {
    const double y = tile.labels[i], margin = y * tile.f.data[i];
    const double tail = std::exp(-std::fabs(margin));
    sum += (margin < 0 ? -margin : 0) + std::log1p(tail);
    const double wrong = (margin < 0 ? 1 : tail) / (1 + tail);  // 1/(1 + e^margin)
    tile.gradient.data[i] = tile.scale * y * wrong;
  }
  return sum;
}

}  // namespace

const HeadOps sign_head_ops = {"sign", false,        check_outputs, label_ok, "-1 or +1",
                               draw,   relax_scores, make_feasible, feasible, loss};

}  // namespace nnp
