// Jacobi's method: plane rotations, one after the other, until the off-diagonal elements are
// negligible.
#include "lib/linalg/eigen.hpp"

#include <cmath>

#include "lib/base/functions.hpp"

namespace nnp {

namespace {

struct Rotation {
  double cosine, sine;
};

// The rotation that makes element (i, j) zero: t = tan of the smaller of the two angles.
Rotation rotation_of(double ii, double jj, double ij) {
  const double theta = 0.5 * (jj - ii) / ij;
  const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + fn::hypot(1, theta));
  const double cosine = 1 / std::sqrt(1 + t * t);
  return {cosine, t * cosine};
}

void rotate(const Rotation &r, double *x, double *y, int64_t n, int64_t step) {
  for (int64_t k = 0; k < n; ++k) {
    const double a = x[k * step], b = y[k * step];
    x[k * step] = r.cosine * a - r.sine * b;
    y[k * step] = r.sine * a + r.cosine * b;
  }
}

// Skips elements up to `negligible`.
bool sweep(double *a, int64_t n, double negligible, double *q) {
  bool rotated = false;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) {
      const double ii = a[i * n + i], jj = a[j * n + j], ij = a[i * n + j];
      if (!(std::fabs(ij) > negligible)) continue;
      const Rotation r = rotation_of(ii, jj, ij);
      rotate(r, a + i * n, a + j * n, n, 1);
      rotate(r, a + i, a + j, n, n);
      a[i * n + j] = a[j * n + i] = 0;
      rotate(r, q + i * n, q + j * n, n, 1);
      rotated = true;
    }
  return rotated;
}

}  // namespace

void symmetric_eigen(double *a, int64_t n, double *values, double *q) {
  constexpr int most_sweeps = 40;  // usually 6 to 10 are needed
  for (int64_t i = 0; i < n * n; ++i) q[i] = i % (n + 1) == 0 ? 1 : 0;
  double largest = 0;
  for (int64_t i = 0; i < n * n; ++i) largest = std::fmax(largest, std::fabs(a[i]));
  for (int s = 0; s < most_sweeps && sweep(a, n, 1e-17 * largest, q); ++s) continue;
  for (int64_t i = 0; i < n; ++i) values[i] = a[i * n + i];
}

}  // namespace nnp
