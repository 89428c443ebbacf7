// The products of the hot loops, on tiles (column-major, vectorised along rows), and the small
// dense factorisations that go with them. One table per SIMD level; the best one the machine
// supports is chosen at run time. No kernel reads or writes a row beyond `rows`, so padding may
// contain anything; none requires alignment or a particular leading dimension. Sums use a fixed
// order: the same input gives the same bits at the same level.
#pragma once

#include <cstdint>

#include "lib/base/packed.hpp"
#include "lib/base/simd.hpp"
#include "lib/base/single.hpp"
#include "lib/base/tile.hpp"

namespace nnp {

// A rectangle of columns: steps down and right are counted in doubles. Data `ahead` of its corner
// are prefetched.
struct ColumnWindow {
  int64_t height, width, down, right, ahead;
};

// Patches of an image stored as bytes, at a row of positions. Column k of the patch at position p
// is scale * mean over the window `pool` (steps in bytes) whose corner is corner + p * step +
// offset[k]. The outputs of position p start p * step_out doubles after those of the first. Rows
// come in multiples of pooled_rows; there are up to most_pooled_filters filters.
struct PooledBytes {
  const uint8_t *corner;
  int64_t positions, step, step_out;
  const int64_t *offset;
  int64_t columns;
  ColumnWindow pool;
  double scale;
};
constexpr int64_t pooled_rows = 32;
constexpr int most_pooled_filters = 2;
constexpr int64_t most_pooled_bytes = 257;  // of a window

// Symmetric band matrices, lower triangle: element (i, j), 0 <= i - j <= band, is at a[i + j *
// band_ld(band)]. The space between columns belongs to the kernels; all of the band_size(n, band)
// doubles must be zero before the elements are filled in.
constexpr int64_t band_room = 10;
constexpr int64_t band_ld(int64_t band) {
  return band + band_room;
}
constexpr int64_t band_size(int64_t n, int64_t band) {
  return n * (band_ld(band) + 1);
}

// A function made of three lines: slope[i] z + offset[i] below knot[0], from knot[0] to knot[1],
// and from knot[1] on. An infinite knot disables the lines after it.
struct Lines {
  double knot[2];
  double slope[3];
  double offset[3];
};

struct Combination {
  double a, b, c;
};

// The kernels that gradients in single precision need. Arguments are as those of the kernels of
// doubles; sums over rows are added to doubles.
struct SingleKernels {
  void (*multiply)(ConstSingleTile u, const float *w, const float *bias, SingleTile out);
  void (*multiply_transposed)(ConstSingleTile v, const float *w, SingleTile out);
  void (*add_cross)(ConstSingleTile u, ConstSingleTile v, double *c, int64_t ldc);
  void (*add_sums)(ConstSingleTile v, double *sums);
  void (*apply_lines)(const Lines &lines, ConstSingleTile in, SingleTile out);
  void (*apply_slopes)(const Lines &lines, ConstSingleTile in, ConstSingleTile gradient,
                       SingleTile out);
  // Accurate to 1e-6.
  void (*tanh_values)(ConstSingleTile in, SingleTile out);
  void (*tanh_slopes)(ConstSingleTile y, ConstSingleTile gradient, SingleTile out);
  // Converts the rows of `in`; further rows of `out` become 0.
  void (*narrow)(ConstTile in, SingleTile out);
  // Converts the rows that `out` has.
  void (*widen)(ConstSingleTile in, Tile out);
};

struct Kernels {
  const char *name;  // "avx512", "avx2", "neon", "portable"

  // out = u * w + 1 * bias': w is u.width x out.width column-major, bias may be null.
  // out must not overlap u.
  void (*multiply)(ConstTile u, const double *w, const double *bias, Tile out);
  // out = v * w': w is out.width x v.width column-major. out must not overlap v.
  void (*multiply_transposed)(ConstTile v, const double *w, Tile out);
  // out += u * w and out += v * w', where w has the given leading dimension.
  void (*multiply_add)(ConstTile u, const double *w, int64_t ldw, Tile out);
  void (*multiply_transposed_add)(ConstTile v, const double *w, int64_t ldw, Tile out);
  // c += u' * v: c is u.width x v.width column-major with leading dimension ldc.
  void (*add_cross)(ConstTile u, ConstTile v, double *c, int64_t ldc);
  // Lower triangle of g += u' * u, leading dimension ldg. The upper triangle is left alone.
  void (*add_gram)(ConstTile u, double *g, int64_t ldg);
  // The same sums from zeros: c = u' * v, and the lower triangle of g = u' * u.
  void (*set_cross)(ConstTile u, ConstTile v, double *c, int64_t ldc);
  void (*set_gram)(ConstTile u, double *g, int64_t ldg);
  // sums[j] += sum over rows of v[., j].
  void (*add_sums)(ConstTile v, double *sums);
  // Every row x of the tile becomes L^-1 x; L lower triangular, column-major, x.width square.
  void (*solve_lower)(const double *l, int64_t ldl, Tile x);
  // Every row x of the tile becomes L^-T x.
  void (*solve_lower_transposed)(const double *l, int64_t ldl, Tile x);

  // Solves by columns: b, n x k column-major, becomes L^-1 b or L^-T b.
  void (*solve_columns)(const double *l, int64_t n, int64_t ldl, double *b, int64_t k, int64_t ldb);
  void (*solve_columns_transposed)(const double *l, int64_t n, int64_t ldl, double *b, int64_t k,
                                   int64_t ldb);
  // a = L L': the lower triangle of a becomes L, the upper one is left alone. False if a is not
  // positive definite to working precision (or not finite).
  bool (*cholesky)(double *a, int64_t n, int64_t lda);

  // For a band matrix (see band_ld): the Cholesky factor, and solves in which every row x of the
  // tile becomes L^-1 x or L^-T x.
  bool (*cholesky_band)(double *a, int64_t n, int64_t band);
  void (*solve_band)(const double *l, int64_t band, Tile x);
  void (*solve_band_transposed)(const double *l, int64_t band, Tile x);

  // out[i] = mean over y < window.height, x < window.width of corner[y * down + x * right + i].
  void (*average)(const double *corner, const ColumnWindow &window, int64_t rows, double *out);

  // Unpacks columns first … first + out.width - 1 of a packed tile.
  void (*unpack)(const PackedTile &packed, int64_t first, Tile out);
  // multiply and add_cross for a sparse tile of n columns.
  void (*sparse_multiply)(const PackedTile &packed, int64_t n, const double *w, const double *bias,
                          Tile out);
  void (*sparse_cross)(const PackedTile &packed, int64_t n, ConstTile v, double *c, int64_t ldc);
  // average for bytes, steps counted in bytes: out[i] = shift + scale * mean.
  void (*average_bytes)(const uint8_t *corner, const ColumnWindow &window, int64_t rows,
                        double scale, double shift, double *out);

  // multiply and add_cross for the patches at all positions, formed in registers. w is columns x
  // out.width, start has one value per filter; c is columns x v.width.
  void (*pooled_multiply)(const PooledBytes &in, const double *w, const double *start, Tile out);
  void (*pooled_cross)(const PooledBytes &in, ConstTile v, double *c, int64_t ldc);

  // out = a x + b y + c for n values; x is not read if a = 0. out may be x or y.
  void (*combine)(const Combination &by, const double *x, const double *y, int64_t n, double *out);
  // Elementwise operations on tiles of the same shape; out may be one of the inputs.
  // out = lines(in)
  void (*apply_lines)(const Lines &lines, ConstTile in, Tile out);
  // out = gradient * (slope of the line at in)
  void (*apply_slopes)(const Lines &lines, ConstTile in, ConstTile gradient, Tile out);
  // out = sigma(in), for sigma tanh; log(1 + exp); z times the normal distribution function. The
  // slopes are out = gradient * sigma', of tanh at values y = tanh(in), of the others at `in`.
  // Accurate to a few ulp. Null at the portable level, whose bits are those of the C library's
  // functions: gelu.
  void (*tanh_values)(ConstTile in, Tile out);
  void (*tanh_slopes)(ConstTile y, ConstTile gradient, Tile out);
  void (*softplus_values)(ConstTile in, Tile out);
  void (*softplus_slopes)(ConstTile in, ConstTile gradient, Tile out);
  void (*gelu_values)(ConstTile in, Tile out);
  void (*gelu_slopes)(ConstTile in, ConstTile gradient, Tile out);
  // out = scale * (a - b); returns the sum of (a - b)^2.
  double (*subtract)(ConstTile a, ConstTile b, double scale, Tile out);
  // out = scale * (a - b), then sum -= out; returns the sum of (a - b)^2.
  double (*subtract_twice)(ConstTile a, ConstTile b, double scale, Tile out, Tile sum);

  const SingleKernels *single;
};

// Who does the dense work of a table. Values are pinned: saved chains contain them.
enum class Provider : int32_t {
  own = 1,     // our kernels
  shared = 2,  // the faster one for each shape; BLAS in calls too small for it to use threads
  blas = 3,    // BLAS whenever possible, in small calls
  whole = 4,   // the faster one for each shape, in whole calls: the user keeps BLAS at one thread
};

// The table of a level (see choice.hpp); nullptr if this machine or build does not have the level
// (see simd_runs) or the provider.
const Kernels *kernels_of(Simd level, Provider provider);

}  // namespace nnp
