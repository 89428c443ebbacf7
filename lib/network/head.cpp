// The table of heads, and functions that several of them share.
#include "lib/network/head.hpp"

#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/random/tiles.hpp"

namespace nnp {

const HeadOps *ops_of(HeadKind head) {
  switch (head) {
    case HeadKind::none:
      return nullptr;
    case HeadKind::gaussian:
      return &gaussian_head_ops;
    case HeadKind::argmax:
      return &argmax_head_ops;
    case HeadKind::sign:
      return &sign_head_ops;
    case HeadKind::student_t:
      return &student_t_head_ops;
    case HeadKind::location_scale:
      return &location_scale_head_ops;
  }
  return nullptr;
}

HeadKind head_of_labels(int64_t outputs) {
  for (int32_t i = 1; i <= head_kinds; ++i) {
    const HeadKind kind = static_cast<HeadKind>(i);
    const HeadOps &ops = *ops_of(kind);
    if (ops.target == TargetKind::labels && ops.check_outputs(outputs, nullptr) == Status::ok)
      return kind;
  }
  return HeadKind::none;
}

const char *head_names() {
  return "gaussian, argmax, sign, student_t or location_scale";
}

Head make_head(HeadKind kind) {
  Head head;
  head.kind = kind;
  const HeadOps &ops = *ops_of(kind);
  for (int64_t i = 0; i < ops.property_count; ++i) head.values[i] = ops.properties[i].initial;
  return head;
}

const HeadProperty *head_property(const Head &head, int32_t number, int64_t *index) {
  const HeadOps &ops = *ops_of(head);
  for (int64_t i = 0; i < ops.property_count; ++i) {
    if (ops.properties[i].number != number) continue;
    *index = i;
    return ops.properties + i;
  }
  return nullptr;
}

int64_t property_count(const Head &head) {
  const HeadOps *ops = ops_of(head);
  return ops ? ops->property_count : 0;
}

bool same_head(const Head &a, const Head &b) {
  if (a.kind != b.kind) return false;
  for (int64_t i = 0; i < max_head_properties; ++i)
    if (a.values[i] != b.values[i]) return false;
  return true;
}

double squared_distance(ConstTile a, ConstTile b) {
  double sum = 0;
  for (int64_t j = 0; j < a.width; ++j) {
    const double *p = a.col(j), *q = b.col(j);
    for (int64_t i = 0; i < a.rows; ++i) sum += (p[i] - q[i]) * (p[i] - q[i]);
  }
  return sum;
}

double squared_distance(ConstTile a, ConstTile b, int64_t row) {
  double sum = 0;
  for (int64_t j = 0; j < a.width; ++j) {
    const double error = a.col(j)[row] - b.col(j)[row];
    sum += error * error;
  }
  return sum;
}

double gaussian_noise_squares(const Head &, const Outcomes &rows, Stream *) {
  return squared_distance(rows.targets, rows.f) / rows.temperature;
}

// |U - f|^2
double gaussian_fit(const Head &, const LossTile &tile, const Kernels &kernels) {
  if (!tile.gradient.data) return squared_distance(tile.rows.targets, tile.rows.f);
  return kernels.subtract(tile.rows.targets, tile.rows.f, 2 * tile.scale, tile.gradient);
}

double gaussian_log_constant(const Head &, int64_t rows, int64_t outputs, double noise) {
  const double count = static_cast<double>(rows) * static_cast<double>(outputs);
  return -0.5 * count * (fn::log(noise) + log_two_pi);
}

void add_gaussian_noise(const Head &, double noise, Stream &stream, Tile site) {
  add_normals(site, std::sqrt(noise), stream);
}

Status any_outputs(int64_t, Error *) {
  return Status::ok;
}

int64_t no_classes(int64_t) {
  return 0;
}

double spread_of_squares(const Head &, int64_t rows, int64_t outputs, double level) {
  return std::sqrt(2 / static_cast<double>(rows * outputs)) * level;
}

double hundredth_of_targets(const Data &data) {
  const double sum = sum_over_targets(data, [](double y) { return y * y; });
  return 0.01 * sum / static_cast<double>(data.total() * data.outputs);
}

// Noise of scores from which labels are made: of order 1.
double noise_of_scores(const Data &) {
  return 1;
}

}  // namespace nnp
