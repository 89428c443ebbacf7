// What a layer out = A in + b must do, worked out with A as a plain matrix in long double: its
// output, and mean and covariance of the conditional of its input.
#pragma once

#include <cmath>
#include <vector>

#include "lib/network/net.hpp"
#include "lib/random/variates.hpp"
#include "tests/support/tables.hpp"

namespace linear {

using Real = long double;

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Real> values;

  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), values(static_cast<size_t>(r * c), Real{0}) {}
  Real &operator()(int64_t i, int64_t j) { return values[static_cast<size_t>(i + j * rows)]; }
  Real operator()(int64_t i, int64_t j) const { return values[static_cast<size_t>(i + j * rows)]; }
};

inline Matrix transposed(const Matrix &a) {
  Matrix t(a.columns, a.rows);
  for (int64_t j = 0; j < a.columns; ++j)
    for (int64_t i = 0; i < a.rows; ++i) t(j, i) = a(i, j);
  return t;
}

inline Matrix product(const Matrix &a, const Matrix &b) {
  Matrix c(a.rows, b.columns);
  for (int64_t j = 0; j < b.columns; ++j)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}

// a^-1 b by elimination with pivots.
inline Matrix solve(Matrix a, Matrix b) {
  for (int64_t k = 0; k < a.rows; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.rows; ++i)
      if (std::fabs(a(i, k)) > std::fabs(a(pivot, k))) pivot = i;
    for (int64_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(pivot, j));
    for (int64_t j = 0; j < b.columns; ++j) std::swap(b(k, j), b(pivot, j));
    for (int64_t i = 0; i < a.rows; ++i) {
      if (i == k) continue;
      const Real factor = a(i, k) / a(k, k);
      for (int64_t j = k; j < a.columns; ++j) a(i, j) -= factor * a(k, j);
      for (int64_t j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j) b(i, j) /= a(i, i);
  return b;
}

// Largest difference, relative to the largest element.
inline double distance(const Matrix &a, const Matrix &b) {
  Real difference = 0, largest = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    difference = std::fmax(difference, std::fabs(a.values[i] - b.values[i]));
    largest = std::fmax(largest, std::fabs(b.values[i]));
  }
  return static_cast<double>(largest > 0 ? difference / largest : difference);
}

// A layer with its weights and the matrix it should be.
struct Case {
  nnp::Layer layer;
  std::vector<double> params;
  Matrix a;                  // outputs x inputs
  std::vector<Real> biases;  // one an output
  double prior_noise = 1;
  double relax = 0;
};

// A tile with its own memory; what is not a row is NaN.
struct OwnTile {
  std::vector<double> memory;
  nnp::Tile tile;
  OwnTile(int64_t rows, int64_t width, int64_t ld)
      : memory(static_cast<size_t>(ld * width), NAN), tile{memory.data(), rows, width, ld} {}
  OwnTile(const OwnTile &other) : memory(other.memory), tile(other.tile) {
    tile.data = memory.data();
  }
  OwnTile &operator=(const OwnTile &) = delete;
};

inline OwnTile random_tile(int64_t rows, int64_t width, int64_t ld, nnp::Stream &stream) {
  OwnTile own(rows, width, ld);
  for (int64_t j = 0; j < width; ++j)
    for (int64_t i = 0; i < rows; ++i) own.tile.col(j)[i] = nnp::normal(stream);
  return own;
}

inline Matrix matrix_of(nnp::ConstTile tile) {
  Matrix m(tile.width, tile.rows);
  for (int64_t j = 0; j < tile.width; ++j)
    for (int64_t i = 0; i < tile.rows; ++i) m(j, i) = tile.col(j)[i];
  return m;
}

// A in + b, a column a row of the tile.
inline Matrix expected_output(const Case &c, nnp::ConstTile in) {
  Matrix out = product(c.a, matrix_of(in));
  for (int64_t i = 0; i < out.columns; ++i)
    for (int64_t j = 0; j < out.rows; ++j) out(j, i) += c.biases[static_cast<size_t>(j)];
  return out;
}

inline double forward_error(const Case &c, int64_t rows, int64_t ld, nnp::Stream &stream,
                            const nnp::Kernels &kernels) {
  const OwnTile in = random_tile(rows, c.a.columns, ld, stream);
  const OwnTile out(rows, c.a.rows, ld);
  nnp::ops_of(c.layer).forward(c.layer, c.params.data(), in.tile, out.tile, kernels);
  return distance(matrix_of(out.tile), expected_output(c, in.tile));
}

// D_prior^-1 I + A'A / D
inline Matrix precision_of(const Case &c) {
  Matrix p = product(transposed(c.a), c.a);
  for (Real &v : p.values) v /= c.layer.noise;
  for (int64_t i = 0; i < p.rows; ++i) p(i, i) += 1 / Real{c.prior_noise};
  return p;
}

// The layer's own draw of its input, ready to be called.
class InputDraw {
 public:
  explicit InputDraw(const Case &c) : case_(c) {
    const nnp::LayerOps &ops = nnp::ops_of(c.layer);
    nnp::Arena counter;
    ops.input_layout(counter, c.layer, factor_);
    memory_.assign(counter.used() / 8 + 16, NAN);
    void *start = memory_.data();
    size_t room = memory_.size() * 8;
    std::align(64, counter.used(), start, room);
    nnp::Arena arena(start, counter.used());
    ops.input_layout(arena, c.layer, factor_);
    ok = ops.factor_input(c.layer, c.params.data(), c.prior_noise, factor_, *nnp::best_kernels());
    const size_t widest = static_cast<size_t>(std::max(c.a.rows, c.a.columns)) * 64;
    for (auto &scratch : scratch_) scratch.assign(widest, NAN);
  }
  void operator()(const OwnTile &mean, nnp::ConstTile above, nnp::Stream stream, nnp::Tile site,
                  const nnp::Kernels &kernels) {
    const OwnTile own = mean;  // the draw may write over it
    const nnp::SiteDraw draw = {own.tile, case_.prior_noise, above, site,
                                nnp::Relax::by(case_.relax)};
    const nnp::TileWork work = {&kernels,
                                nnp::draw_kernels_named(kernels.name),
                                &stream,
                                {scratch_[0].data(), scratch_[1].data()}};
    nnp::ops_of(case_.layer).draw_input(case_.layer, case_.params.data(), factor_, draw, work);
  }
  bool ok = false;

 private:
  const Case &case_;
  nnp::InputFactor factor_;
  std::vector<double> memory_, scratch_[2];
};

// The mean: a draw is affine in (old, mean, above, normals), and from 0 with the prior mean 0 and b
// above it is the normals' part alone. So a difference of two draws with the same normals is the
// mean, but for what over-relaxation keeps of the old value.
inline double mean_error(const Case &c, int64_t rows, int64_t ld, nnp::Stream &stream,
                         const nnp::Kernels &kernels) {
  const int64_t n = c.a.columns, m = c.a.rows;
  InputDraw draw(c);
  if (!draw.ok) return INFINITY;
  const OwnTile mean = random_tile(rows, n, ld, stream), above = random_tile(rows, m, ld, stream);
  const OwnTile zero(rows, n, ld), bias(rows, m, ld), noise(rows, n, ld);
  const OwnTile old = random_tile(rows, n, ld, stream), site = old;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < n; ++j) zero.tile.col(j)[i] = noise.tile.col(j)[i] = 0;
    for (int64_t j = 0; j < m; ++j)
      bias.tile.col(j)[i] = static_cast<double>(c.biases[static_cast<size_t>(j)]);
  }
  draw(mean, above.tile, stream, site.tile, kernels);
  draw(zero, bias.tile, stream, noise.tile, kernels);
  Matrix found = matrix_of(site.tile);
  const Matrix part = matrix_of(noise.tile), kept = matrix_of(old.tile);
  for (size_t i = 0; i < found.values.size(); ++i)
    found.values[i] =
        (found.values[i] - part.values[i] - c.relax * kept.values[i]) / (1 - Real{c.relax});
  Matrix linear = matrix_of(above.tile);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < m; ++j) linear(j, i) -= c.biases[static_cast<size_t>(j)];
  linear = product(transposed(c.a), linear);
  const Matrix prior = matrix_of(mean.tile);
  for (size_t i = 0; i < linear.values.size(); ++i)
    linear.values[i] = linear.values[i] / c.layer.noise + prior.values[i] / c.prior_noise;
  return distance(found, solve(precision_of(c), linear));
}

// The covariance: the normals' part is B z. The normals are those of a copy of the stream,
// `normals` of them a row, a column of the tile at a time; from as many rows as that B follows, and
// BB' must be the inverse of the precision.
inline double covariance_error(const Case &c, int64_t normals, nnp::Stream &stream,
                               const nnp::Kernels &kernels) {
  const int64_t n = c.a.columns, m = c.a.rows, ld = 64;
  InputDraw draw(c);
  if (!draw.ok) return INFINITY;
  const OwnTile zero(ld, n, ld), bias(ld, m, ld), site(ld, n, ld);
  for (int64_t i = 0; i < ld; ++i) {
    for (int64_t j = 0; j < n; ++j) zero.tile.col(j)[i] = 0;
    for (int64_t j = 0; j < m; ++j)
      bias.tile.col(j)[i] = static_cast<double>(c.biases[static_cast<size_t>(j)]);
  }
  Matrix z(normals, normals), x(normals, n);
  std::vector<double> column(static_cast<size_t>(ld));
  for (int64_t first = 0; first < normals; first += ld) {
    for (int64_t j = 0; j < n; ++j) std::fill_n(site.tile.col(j), ld, 0.0);
    draw(zero, bias.tile, stream, site.tile, kernels);
    const int64_t rows = std::min(ld, normals - first);
    for (int64_t j = 0; j < normals; ++j) {
      nnp::fill_normal(stream, column.data(), ld);
      for (int64_t i = 0; i < rows; ++i) z(first + i, j) = column[static_cast<size_t>(i)];
    }
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < rows; ++i) x(first + i, j) = site.tile.col(j)[i];
  }
  Matrix b = solve(z, x);  // B'
  for (Real &v : b.values) v /= std::sqrt((1 - Real{c.relax}) * (1 + Real{c.relax}));
  Matrix identity(n, n);
  for (int64_t i = 0; i < n; ++i) identity(i, i) = 1;
  return distance(product(transposed(b), b), solve(precision_of(c), identity));
}

}  // namespace linear
