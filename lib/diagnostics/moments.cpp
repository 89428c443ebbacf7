#include "lib/diagnostics/moments.hpp"

#include <cmath>

namespace nnp {

void moments_add(Moments &moments, const double *draw, int64_t width) {
  const double count = static_cast<double>(++moments.count);
  for (int64_t i = 0; i < width; ++i) {
    const double delta = draw[i] - moments.mean[i];
    moments.mean[i] += delta / count;
    moments.square[i] += delta * (draw[i] - moments.mean[i]);
  }
}

void moments_merge(Moments &moments, const Moments &other, int64_t width) {
  if (other.count == 0) return;
  const double own = static_cast<double>(moments.count), more = static_cast<double>(other.count);
  const double share = more / (own + more);
  for (int64_t i = 0; i < width; ++i) {
    const double delta = other.mean[i] - moments.mean[i];
    moments.mean[i] += share * delta;
    moments.square[i] += other.square[i] + delta * delta * own * share;
  }
  moments.count += other.count;
}

double moments_rhat(const double *mean, const double *square, int64_t stride, int64_t chains,
                    int64_t draws) {
  if (chains < 2 || draws < 2) return NAN;
  const double n = static_cast<double>(draws), m = static_cast<double>(chains);
  double center = 0, within = 0, between = 0;
  for (int64_t c = 0; c < chains; ++c) center += mean[c * stride] / m;
  for (int64_t c = 0; c < chains; ++c) {
    const double apart = mean[c * stride] - center;
    between += apart * apart / (m - 1);
    within += square[c * stride] / (n - 1) / m;
  }
  return within > 0 || between > 0 ? std::sqrt((n - 1) / n + between / within) : NAN;
}

}  // namespace nnp
