#include "lib/network/discriminant.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/tile.hpp"
#include "lib/linalg/cholesky.hpp"
#include "lib/linalg/eigen.hpp"
#include "lib/linalg/kernels.hpp"

namespace nnp {

namespace {

// A column can tell classes apart without error: its variance within them counts as this.
constexpr double least_variance = 1e-4;
// Columns can be multiples of each other: covariances are shrunk at least as much.
constexpr double least_shrinkage = 1e-3;

// The portable level, so that the bits do not depend on the machine.
const Kernels *kernels() {
  return kernels_of(Simd::portable, Provider::own);
}

double square(double x) {
  return x * x;
}

void find_means(const ClassRows &rows, const DiscriminantRoom &room) {
  const int64_t p = rows.z.columns;
  std::fill_n(room.counts, rows.classes, int64_t{0});
  std::fill_n(room.means, p * rows.classes, 0.0);
  for (int64_t i = 0; i < rows.z.rows; ++i) {
    const int64_t c = rows.class_of(i);
    ++room.counts[c];
    for (int64_t j = 0; j < p; ++j) room.means[j + c * p] += rows.z.at(i, j);
  }
  for (int64_t c = 0; c < rows.classes; ++c)
    for (int64_t j = 0; j < p && room.counts[c] > 0; ++j)
      room.means[j + c * p] /= static_cast<double>(room.counts[c]);
}

// Calls visit(tile) with all rows, minus the means of their classes.
template <class Visit>
void for_each_tile(const ClassRows &rows, const DiscriminantRoom &room, Visit visit) {
  const int64_t p = rows.z.columns;
  for (int64_t from = 0; from < rows.z.rows; from += Tiling::max_rows) {
    const int64_t count = std::min(Tiling::max_rows, rows.z.rows - from);
    const Tile tile = {room.tile, count, p, Tiling::max_rows};
    for (int64_t j = 0; j < p; ++j)
      for (int64_t i = 0; i < count; ++i)
        tile.col(j)[i] = rows.z.at(from + i, j) - room.means[j + rows.class_of(from + i) * p];
    visit(tile);
  }
}

// Sums of products within classes, and standard deviations.
void find_within(const ClassRows &rows, const DiscriminantRoom &room) {
  const int64_t p = rows.z.columns;
  std::fill_n(room.within, p * p, 0.0);
  for_each_tile(rows, room, [&](Tile tile) { kernels()->add_gram(tile, room.within, p); });
  const double n = static_cast<double>(rows.z.rows);
  for (int64_t j = 0; j < p; ++j)
    room.spread[j] = std::sqrt(std::max(room.within[j + j * p] / n, least_variance));
}

// The share of correlations that estimation errors explain (Schaefer and Strimmer 2005): with u
// the rows in units of `spread` and r = mean u u',
// n / (n-1)^3 sum (u_i u_j - r_ij)^2 / sum r_ij^2, i != j.
double find_shrinkage(const ClassRows &rows, const DiscriminantRoom &room) {
  const int64_t p = rows.z.columns;
  const double n = static_cast<double>(rows.z.rows);
  double products = 0, correlations = 0;
  for_each_tile(rows, room, [&](Tile tile) {
    for (int64_t i = 0; i < tile.rows; ++i) {
      double squares = 0, fourths = 0;
      for (int64_t j = 0; j < p; ++j) {
        const double u = square(tile.col(j)[i] / room.spread[j]);
        squares += u;
        fourths += u * u;
      }
      products += square(squares) - fourths;
    }
  });
  for (int64_t j = 0; j < p; ++j)
    for (int64_t i = j + 1; i < p; ++i)
      correlations += 2 * square(room.within[i + j * p] / (n * room.spread[i] * room.spread[j]));
  if (correlations == 0) return 1;
  const double errors = n / (square(n - 1) * (n - 1)) * (products - n * correlations);
  return std::clamp(errors / correlations, least_shrinkage, 1.0);
}

// Sums of products become the factor of the shrunk covariance.
bool factor_covariance(int64_t p, double freedom, double shrinkage, double *within) {
  for (int64_t j = 0; j < p; ++j) {
    within[j + j * p] = std::max(within[j + j * p] / freedom, least_variance);
    for (int64_t i = j + 1; i < p; ++i) within[i + j * p] *= (1 - shrinkage) / freedom;
  }
  return cholesky(within, p, p, kernels());
}

// With M the means times the roots of the shares of classes, S = L L' the covariance and
// M' S^-1 M = Q diag(b) Q', the directions are S^-1 M Q, of any length, and b the values.
void find_axes(const ClassRows &rows, const DiscriminantRoom &room) {
  const int64_t p = rows.z.columns, k = rows.classes;
  double *m = room.means;
  for (int64_t c = 0; c < k; ++c) {
    const double share = static_cast<double>(room.counts[c]) / static_cast<double>(rows.z.rows);
    for (int64_t j = 0; j < p; ++j) m[j + c * p] *= std::sqrt(share);
  }
  solve_lower(room.within, p, p, m, k, p, kernels());
  for (int64_t c = 0; c < k; ++c)
    for (int64_t d = 0; d < k; ++d) {
      double sum = 0;
      for (int64_t j = 0; j < p; ++j) sum += m[j + c * p] * m[j + d * p];
      room.between[d + c * k] = sum;
    }
  symmetric_eigen(room.between, k, room.values, room.vectors);
  std::fill_n(room.axes, p * k, 0.0);
  for (int64_t c = 0; c < k; ++c)
    for (int64_t d = 0; d < k; ++d)
      for (int64_t j = 0; j < p; ++j)
        room.axes[j + c * p] += m[j + d * p] * room.vectors[d + c * k];
  solve_lower_transposed(room.within, p, p, room.axes, k, p, kernels());
}

// Mean square of the rows in a direction.
double mean_square(const Table &z, const double *direction) {
  double sum = 0;
  for (int64_t i = 0; i < z.rows; ++i) {
    double value = 0;
    for (int64_t j = 0; j < z.columns; ++j) value += z.at(i, j) * direction[j];
    sum += square(value);
  }
  return sum / static_cast<double>(z.rows);
}

double total_variance(const Table &z) {
  double sum = 0;
  for (int64_t j = 0; j < z.columns; ++j)
    for (int64_t i = 0; i < z.rows; ++i) sum += square(z.at(i, j));
  return sum / static_cast<double>(z.rows);
}

void write_identity(int64_t p, double *matrix) {
  std::fill_n(matrix, p * p, 0.0);
  for (int64_t j = 0; j < p; ++j) matrix[j + j * p] = 1;
}

// matrix += sum of b^2 a a', lower triangle, b less what chance explains and a in units of the
// standard deviation of the rows in that direction. Returns the sum of b^2.
double add_directions(const ClassRows &rows, double freedom, const DiscriminantRoom &room,
                      double *matrix) {
  const int64_t p = rows.z.columns;
  const double columns = static_cast<double>(p), n = static_cast<double>(rows.z.rows);
  double sum = 0;
  for (int64_t c = 0; c < rows.classes; ++c) {
    // of p columns without differences the expected b is about p/n; (f-p-1)/f is for S^-1
    const double b = room.values[c] * (freedom - columns - 1) / freedom - columns / n;
    const double *a = room.axes + c * p, variance = mean_square(rows.z, a);
    if (!(b > 0) || !(variance > 0)) continue;
    for (int64_t j = 0; j < p; ++j)
      for (int64_t i = j; i < p; ++i) matrix[i + j * p] += b * b / variance * a[i] * a[j];
    sum += b * b;
  }
  return sum;
}

// The factor L of q (1 + sum of b^2 a a'), q such that variances keep their sum. Equal priors of
// weights after the change z L are normal with that covariance before it.
bool write_change(const ClassRows &rows, double freedom, const DiscriminantRoom &room,
                  double *matrix) {
  const int64_t p = rows.z.columns;
  const double total = total_variance(rows.z);
  write_identity(p, matrix);
  const double added = add_directions(rows, freedom, room, matrix);
  if (added == 0) return true;
  for (int64_t i = 0; i < p * p; ++i) matrix[i] *= total / (total + added);
  return cholesky(matrix, p, p, kernels());
}

}  // namespace

DiscriminantRoom discriminant_layout(Arena &arena, int64_t columns, int64_t classes) {
  DiscriminantRoom room;
  room.within = arena.take<double>(columns, columns);
  room.means = arena.take<double>(columns, classes);
  room.axes = arena.take<double>(columns, classes);
  room.between = arena.take<double>(classes, classes);
  room.vectors = arena.take<double>(classes, classes);
  room.values = arena.take<double>(classes);
  room.spread = arena.take<double>(columns);
  room.tile = arena.take<double>(Tiling::max_rows, columns);
  room.counts = arena.take<int64_t>(classes);
  return room;
}

void find_discriminant(const ClassRows &rows, const DiscriminantRoom &room, double *matrix) {
  const int64_t p = rows.z.columns;
  find_means(rows, room);
  const auto empty = std::count(room.counts, room.counts + rows.classes, 0);
  const int64_t freedom = rows.z.rows - (rows.classes - empty);
  if (freedom <= p + 1) return write_identity(p, matrix);
  find_within(rows, room);
  const double f = static_cast<double>(freedom);
  bool good = factor_covariance(p, f, find_shrinkage(rows, room), room.within);
  if (good) find_axes(rows, room);
  good = good && write_change(rows, f, room, matrix);
  if (!good) write_identity(p, matrix);
}

void apply_discriminant(const Table &z, const double *matrix, double *out) {
  const int64_t p = z.columns;
  for (int64_t i = 0; i < z.rows; ++i)
    for (int64_t j = 0; j < p; ++j) {  // entries before j are not read again
      double sum = 0;
      for (int64_t k = j; k < p; ++k) sum += z.at(i, k) * matrix[k + j * p];
      out[z.place(i, j)] = sum;
    }
}

}  // namespace nnp
