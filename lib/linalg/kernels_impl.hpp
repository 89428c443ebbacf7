// The kernels, written once for vectors of NNP_LANES doubles and compiled once per SIMD level. See
// lanes.hpp for what such a file may contain.
#pragma once

#include "lib/base/erfcx.hpp"
#include "lib/base/exponential.hpp"
#include "lib/linalg/choice.hpp"
#include "lib/linalg/kernels_levels.hpp"

#if defined(__clang__)
#define NNP_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define NNP_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, LaneNumbers{__VA_ARGS__})
#endif

// An entry that other tables call too (see mixed_impl.hpp): one copy of its code is enough.
#define NNP_ENTRY __attribute__((noinline))

namespace nnp {
namespace {

// ---- Vectors ------------------------------------------------------------------------------------

// sum + a * b, or sum - a * b, with one rounding if the machine supports it.
template <bool minus>
NNP_INLINE Vec add_product(Vec sum, Vec a, Vec b) {
#if defined(NNP_AVX512)
  return minus ? _mm512_fnmadd_pd(a, b, sum) : _mm512_fmadd_pd(a, b, sum);
#elif defined(NNP_AVX2)
  return minus ? _mm256_fnmadd_pd(a, b, sum) : _mm256_fmadd_pd(a, b, sum);
#elif defined(NNP_NEON)
  return minus ? vfmsq_f64(sum, a, b) : vfmaq_f64(sum, a, b);
#else
  return minus ? sum - a * b : sum + a * b;
#endif
}

#if NNP_LANES == 8
// Lanes of b where the mask has a bit, of a elsewhere. (A blend can use two ports, a shuffle one.)
template <int mask>
NNP_INLINE Vec blend(Vec a, Vec b) {
#if defined(NNP_AVX512)
  return _mm512_mask_blend_pd(static_cast<__mmask8>(mask), a, b);
#else
  Vec x = a;
  NNP_UNROLL for (int i = 0; i < lanes; ++i) x[i] = mask >> i & 1 ? b[i] : a[i];
  return x;
#endif
}
#endif

// Sums of the lanes of `lanes` vectors, each in its own lane, by halving in a fixed tree.
NNP_INLINE Vec sums_of_lanes(const Vec *x) {
#if NNP_LANES == 8
  Vec half[4], quarter[2];
  NNP_UNROLL for (int i = 0; i < 4; ++i) {
    half[i] = blend<0xf0>(x[i], x[i + 4]) + NNP_SHUFFLE(x[i], x[i + 4], 4, 5, 6, 7, 8, 9, 10, 11);
  }
  NNP_UNROLL for (int i = 0; i < 2; ++i) {
    quarter[i] = blend<0xcc>(half[i], half[i + 2]) +
                 NNP_SHUFFLE(half[i], half[i + 2], 2, 3, 8, 9, 6, 7, 12, 13);
  }
  return blend<0xaa>(quarter[0], quarter[1]) +
         NNP_SHUFFLE(quarter[0], quarter[1], 1, 8, 3, 10, 5, 12, 7, 14);
#elif NNP_LANES == 4
  Vec half[2];
  NNP_UNROLL for (int i = 0; i < 2; ++i) {
    half[i] = NNP_SHUFFLE(x[i], x[i + 2], 0, 1, 6, 7) + NNP_SHUFFLE(x[i], x[i + 2], 2, 3, 4, 5);
  }
  return NNP_SHUFFLE(half[0], half[1], 0, 5, 2, 7) + NNP_SHUFFLE(half[0], half[1], 1, 4, 3, 6);
#elif defined(NNP_NEON)
  return vpaddq_f64(x[0], x[1]);
#else
  return NNP_SHUFFLE(x[0], x[1], 0, 3) + NNP_SHUFFLE(x[0], x[1], 1, 2);
#endif
}

// ---- Shapes of the register tiles ---------------------------------------------------------------

// A product along columns keeps `vectors` row vectors of `columns` outputs in registers, a product
// along rows `cross_columns` x `cross_outputs` vectors of partial sums.
constexpr int max_columns = 6;
constexpr int cross_columns = 4;
#if defined(NNP_NEON)
constexpr bool many_registers = true;
#else
constexpr bool many_registers = lanes == 8;
#endif
constexpr int max_cross_outputs = lanes == 8 ? 6 : many_registers ? 5 : lanes == 4 ? 3 : 2;
#if defined(NNP_NEON)
constexpr int max_gram_outputs = cross_columns;  // square blocks: fewer sums above the diagonal
#else
constexpr int max_gram_outputs = max_cross_outputs;
#endif
constexpr int vectors_for(int columns) {
  return many_registers ? (columns <= 3 ? 8 : 4) : (columns <= 2 ? 4 : 2);
}
// Columns of 64 rows that stay in the first-level cache next to the data streamed through it.
constexpr int64_t cached_columns = 48;
// How far ahead the input of a product is prefetched: tiles are consecutive in memory, so a product
// near the end of one prefetches the start of the next.
constexpr int64_t columns_ahead = 16;

NNP_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
NNP_INLINE int64_t most(int64_t a, int64_t b) {
  return a < b ? b : a;
}

template <int n>
struct Count {
  static constexpr int value = n;
  constexpr int operator()() const { return n; }
};

// Calls work(Count<n>) for n in min .. max.
template <int max, int min = 1, class Work>
NNP_INLINE void with_count(int64_t n, const Work &work) {
  if constexpr (max > min) {
    if (n < max) return with_count<max - 1, min>(n, work);
  }
  work(Count<max>{});
}

// Divides 0 .. n into the fewest nearly equal runs of at most max: work(first, length).
template <int64_t max, class Work>
NNP_INLINE void in_runs(int64_t n, const Work &work) {
  const int64_t runs = (n + max - 1) / max;
  for (int64_t run = 0, first = 0; run < runs; ++run) {
    const int64_t length = run + 1 == runs ? n - first : (n - first) / (runs - run);
    work(first, length);
    first += length;
  }
}

// Divides rows into groups of vectors: work(Count<vectors>, Count<is_part>, first row, rows of a
// part).
template <int vectors, class Work>
NNP_INLINE void in_row_groups(int64_t rows, int64_t row, const Work &work) {
  for (; row + vectors * lanes <= rows; row += vectors * lanes) {
    work(Count<vectors>{}, Count<false>{}, row, 0);
  }
  if constexpr (vectors > 1) {
    in_row_groups<vectors / 2>(rows, row, work);
  } else if (row < rows) {
    work(Count<1>{}, Count<true>{}, row, rows - row);
  }
}

// Calls work(row) for groups of vectors of rows where vectors are short, or else counting would take
// half of the instructions. Returns the row after them.
template <class Work>
NNP_INLINE int64_t in_groups(int64_t rows, const Work &work) {
  int64_t row = 0;
#if defined(NNP_NEON)
  constexpr int at_once = 4;
  for (; row + at_once * lanes <= rows; row += at_once * lanes) {
    NNP_UNROLL for (int i = 0; i < at_once; ++i) work(row + i * lanes);
  }
#else
  static_cast<void>(rows), static_cast<void>(work);
#endif
  return row;
}

// ---- Products along columns ---------------------------------------------------------------------

// A matrix read one element at a time: element (k, j) is data[k * down + j * across].
struct Weights {
  const double *data;
  int64_t down, across;
};

template <int is_part>
NNP_INLINE Vec load_rows(const double *p, int64_t part) {
  if constexpr (is_part) {
    return load_first(p, part);
  } else {
    return load(p);
  }
}

template <int is_part>
NNP_INLINE void store_rows(double *p, Vec x, int64_t part) {
  if constexpr (is_part) {
    store_first(p, x, part);
  } else {
    store(p, x);
  }
}

#if defined(NNP_NEON)
#include "lib/linalg/neon_impl.hpp"
#endif

// sum[j][i] +-= u[., k] w(k, j), summed over k = 0 .. n - 1 in that order. With `fetches`, rows
// `ahead` are prefetched.
template <bool minus, bool fetches, int columns, int vectors, int is_part>
NNP_INLINE void add_products(const double *u, int64_t ldu, int64_t n, Weights w,
                             Vec (&sum)[columns][vectors], int64_t part, int64_t ahead) {
  const double *coefficient = w.data;
  int64_t k = 0;
#if defined(NNP_NEON)
  if constexpr (!is_part && vectors > 1) {
    k = add_products_in_pairs<minus, fetches>(u, ldu, n, w, sum, ahead);
    u += k * ldu;
    coefficient += k * w.down;
  }
#endif
  for (; k < n; ++k) {
    Vec x[vectors];
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      x[i] = load_rows<is_part>(u + i * lanes, part);
      if (fetches && i * lanes % line == 0) fetch(u + i * lanes, ahead);
    }
    NNP_UNROLL for (int j = 0; j < columns; ++j) {
      const Vec c = broadcast(coefficient[j * w.across]);
      NNP_UNROLL for (int i = 0; i < vectors; ++i) {
        sum[j][i] = add_product<minus>(sum[j][i], x[i], c);
      }
    }
    u += ldu;
    coefficient += w.down;
  }
}

#if defined(NNP_AVX512)

// The rows of a strip in some columns, the first `by` elements past data; may be out of bounds.
struct StripColumns {
  const double *data;
  int64_t by, ld;
};

// What a wide product prefetches while it computes, a line at a time, so that no burst of misses
// stalls it: the weights of the next run, `weights` elements further on; strips of columns that are
// needed next or later.
struct Ahead {
  int64_t weights;
  StripColumns soon, later;
};
constexpr int wide_vectors = 4;

// add_products for a strip of `wide_vectors` vectors of rows.
template <bool minus, int columns>
NNP_INLINE void add_wide_products(const double *u, int64_t ldu, int64_t n, Weights w,
                                  Vec (&sum)[columns][wide_vectors], const Ahead &ahead) {
  constexpr int at_once = 4;
  // Weights that are contiguous down their column fill a line with 8 of them.
  const int64_t slant = w.down == 1 ? w.across : 0;
  int64_t k = 0;
  for (; k + at_once <= n; k += at_once) {
    const int64_t column = k >> 4, row = (k & 12) * 2;
    int64_t next = ahead.weights + (k & 4) * slant;
    fetch(ahead.soon.data, ahead.soon.by + column * ahead.soon.ld + row);
    fetch_far(ahead.later.data, ahead.later.by + column * ahead.later.ld + row);
    NNP_UNROLL for (int i = 0; i < at_once; ++i) {
      fetch(w.data, next);
      Vec x[wide_vectors];
      NNP_UNROLL for (int v = 0; v < wide_vectors; ++v) x[v] = load(u + v * lanes);
      NNP_UNROLL for (int j = 0; j < columns; ++j) {
        const Vec c = broadcast(w.data[j * w.across]);
        NNP_UNROLL for (int v = 0; v < wide_vectors; ++v) {
          sum[j][v] = add_product<minus>(sum[j][v], x[v], c);
        }
      }
      u += ldu;
      w.data += w.down;
      next += slant;
    }
  }
  add_products<minus, false, columns, wide_vectors, false>(u, ldu, n - k, w, sum, 0, 0);
}

#endif

// The initial value of a sum: the output's content, or a bias (null: zero).
struct Start {
  bool at_output;
  const double *bias;
  int64_t ahead;  // how far ahead to prefetch u, 0 if it is in cache
};

// out = start +- u w for one group of row vectors and one run of columns.
template <bool minus, int columns, int vectors, int is_part>
NNP_INLINE void multiply_group(const ConstTile &u, Weights w, Start start, double *out, int64_t ld,
                               int64_t row, int64_t part) {
  Vec sum[columns][vectors];
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      if (start.at_output) {
        sum[j][i] = load_rows<is_part>(out + j * ld + row + i * lanes, part);
      } else {
        sum[j][i] = start.bias ? broadcast(start.bias[j]) : Vec{};
      }
    }
  }
  add_products<minus, true, columns, vectors, is_part>(u.data + row, u.ld, u.width, w, sum, part,
                                                       start.ahead);
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      store_rows<is_part>(out + j * ld + row + i * lanes, sum[j][i], part);
    }
  }
}

template <bool minus, int columns>
__attribute__((noinline)) void multiply_run(const ConstTile &u, Weights w, Start start, double *out,
                                            int64_t ld) {
  in_row_groups<vectors_for(columns)>(
      u.rows, 0, [&](auto vectors, auto is_part, int64_t row, int64_t part) {
        multiply_group<minus, columns, decltype(vectors)::value, decltype(is_part)::value>(
            u, w, start, out, ld, row, part);
      });
}

#if defined(NNP_AVX512)

// Wide matrices: a strip of rows of u is copied side by side, so that it stays in the first cache
// while it meets all of w. (Columns of a tile lie a power of two apart and would share few lines.)
constexpr int strip_vectors = wide_vectors, strip_rows = strip_vectors * lanes;
constexpr int64_t strip_depth = 128;
constexpr int64_t strips_pay_at = 64;  // columns of u and of out

NNP_INLINE void copy_strip(const double *u, int64_t ld, int64_t depth, double *strip) {
  for (int64_t k = 0; k < depth; ++k) {
    NNP_UNROLL for (int i = 0; i < strip_vectors; ++i) {
      fetch(u + i * lanes, columns_ahead * ld);
      store(strip + i * lanes, load(u + i * lanes));
    }
    u += ld;
    strip += strip_rows;
  }
}

// out = start +- u w for one strip and one run of columns.
template <bool minus, int columns>
NNP_INLINE void multiply_strip(const double *strip, int64_t depth, Weights w, Start start,
                               const Ahead &ahead, double *out, int64_t ld) {
  Vec sum[columns][strip_vectors];
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < strip_vectors; ++i) {
      if (start.at_output) {
        sum[j][i] = load(out + j * ld + i * lanes);
      } else {
        sum[j][i] = start.bias ? broadcast(start.bias[j]) : Vec{};
      }
    }
  }
  add_wide_products<minus, columns>(strip, strip_rows, depth, w, sum, ahead);
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < strip_vectors; ++i) store(out + j * ld + i * lanes, sum[j][i]);
  }
}

// out = start +- u w for whole strips of rows.
template <bool minus>
__attribute__((noinline)) void multiply_strips(const ConstTile &u, Weights w, Start start,
                                               const Tile &out) {
  alignas(64) double strip[strip_rows * strip_depth];
  in_runs<strip_depth>(u.width, [&](int64_t k, int64_t depth) {
    for (int64_t row = 0; row < u.rows; row += strip_rows) {
      const double *from = u.data + k * u.ld + row;
      copy_strip(from, u.ld, depth, strip);
      const int64_t next_strip = row + strip_rows < u.rows ? strip_rows : depth * u.ld - row;
      in_runs<max_columns>(out.width, [&](int64_t j, int64_t length) {
        const Weights here = {w.data + k * w.down + j * w.across, w.down, w.across};
        const Start first = {start.at_output || k > 0, start.bias ? start.bias + j : nullptr, 0};
        double *to = out.data + j * out.ld + row;
        const Ahead ahead = {length * w.across,
                             {to, length * out.ld, out.ld},
                             {from, next_strip + j * depth / out.width * u.ld, u.ld}};
        with_count<max_columns>(length, [&](auto columns) {
          multiply_strip<minus, decltype(columns)::value>(strip, depth, here, first, ahead, to,
                                                          out.ld);
        });
      });
    }
  });
}

#endif

// out = start +- u w: one run of u's columns at a time, which stays in cache while it is multiplied
// with all of w.
template <bool minus>
NNP_INLINE void multiply_runs(const ConstTile &u, Weights w, Start start, const Tile &out) {
  in_runs<cached_columns * 3 / 2>(u.width, [&](int64_t k, int64_t depth) {
    const ConstTile piece = {u.data + k * u.ld, u.rows, depth, u.ld};
    in_runs<max_columns>(out.width, [&](int64_t j, int64_t length) {
      const Weights here = {w.data + k * w.down + j * w.across, w.down, w.across};
      const Start from = {start.at_output || k > 0, start.bias ? start.bias + j : nullptr,
                          j == 0 ? columns_ahead * u.ld : 0};
      with_count<max_columns>(length, [&](auto columns) {
        multiply_run<minus, decltype(columns)::value>(piece, here, from, out.data + j * out.ld,
                                                      out.ld);
      });
    });
  });
}

template <bool minus>
NNP_INLINE void multiply_any(const ConstTile &u, Weights w, Start start, const Tile &out) {
  int64_t done = 0;
#if defined(NNP_AVX512)
  if (u.width >= strips_pay_at && out.width >= strips_pay_at)
    done = u.rows / strip_rows * strip_rows;
  if (done > 0) multiply_strips<minus>({u.data, done, u.width, u.ld}, w, start, out);
  if (done == u.rows) return;
#endif
  multiply_runs<minus>({u.data + done, u.rows - done, u.width, u.ld}, w, start,
                       {out.data + done, out.rows - done, out.width, out.ld});
}

NNP_ENTRY void multiply(ConstTile u, const double *w, const double *bias, Tile out) {
  multiply_any<false>(u, {w, 1, u.width}, {false, bias, 0}, out);
}

NNP_ENTRY void multiply_transposed(ConstTile v, const double *w, Tile out) {
  multiply_any<false>(v, {w, out.width, 1}, {false, nullptr, 0}, out);
}

NNP_ENTRY void multiply_add(ConstTile u, const double *w, int64_t ldw, Tile out) {
  multiply_any<false>(u, {w, 1, ldw}, {true, nullptr, 0}, out);
}

NNP_ENTRY void multiply_transposed_add(ConstTile v, const double *w, int64_t ldw, Tile out) {
  multiply_any<false>(v, {w, ldw, 1}, {true, nullptr, 0}, out);
}

// ---- Products along rows ------------------------------------------------------------------------

// sum[j][i] += u[., i] v[., j] lane by lane, down the rows; column i of u starts at u[i].
template <int outputs>
NNP_INLINE void add_dots(const double *const (&u)[cross_columns], const double *v, int64_t ldv,
                         int64_t rows, Vec (&sum)[outputs][cross_columns], int64_t ahead) {
  int64_t row = 0;
#if defined(NNP_NEON)
  row = add_dots_in_pairs<outputs>(u, v, ldv, rows, sum);
#endif
  for (; row + lanes <= rows; row += lanes) {
    Vec x[cross_columns];
    NNP_UNROLL for (int i = 0; i < cross_columns; ++i) {
      x[i] = load(u[i] + row);
    }
    // Columns are contiguous: prefetches as many cache lines of the next ones as were read here.
    NNP_UNROLL for (int i = 0; i < cross_columns * lanes; i += line) {
      fetch_far(u[0], ahead + row * cross_columns + i);
    }
    NNP_UNROLL for (int j = 0; j < outputs; ++j) {
      const Vec y = load(v + j * ldv + row);
      NNP_UNROLL for (int i = 0; i < cross_columns; ++i) {
        sum[j][i] = add_product<false>(sum[j][i], x[i], y);
      }
    }
  }
  if (row < rows) {
    NNP_UNROLL for (int i = 0; i < cross_columns; ++i) {
      const Vec x = load_first(u[i] + row, rows - row);
      NNP_UNROLL for (int j = 0; j < outputs; ++j) {
        sum[j][i] = add_product<false>(sum[j][i], x, load_first(v + j * ldv + row, rows - row));
      }
    }
  }
}

// Adds up the lanes of sum[j][i] into total[j * cross_columns + i].
template <int outputs>
NNP_INLINE void reduce(const Vec (&sum)[outputs][cross_columns], double *total) {
  constexpr int all = outputs * cross_columns;
  NNP_UNROLL for (int first = 0; first < all; first += lanes) {
    Vec x[lanes];
    NNP_UNROLL for (int n = 0; n < lanes; ++n) {
      const int at = first + n < all ? first + n : first;
      x[n] = sum[at / cross_columns][at % cross_columns];
    }
    store(total + first, sums_of_lanes(x));
  }
}

typedef double LooseColumns __attribute__((vector_size(cross_columns * 8), aligned(8), may_alias));

// c(i, j) +-= total for the available columns of u (up to cross_columns) and i >= j + below.
template <bool minus, int outputs>
NNP_INLINE void add_totals(const double *total, int64_t columns, int64_t below, double *c,
                           int64_t ldc) {
  if (columns >= cross_columns && below + outputs <= 1) {
#if defined(NNP_NEON)  // where a vector of four would be put together in memory
    NNP_UNROLL for (int i = 0; i < outputs * cross_columns; i += lanes) {
      double *to = c + i / cross_columns * ldc + i % cross_columns;
      store(to, minus ? load(to) - load(total + i) : load(to) + load(total + i));
    }
#else
    NNP_UNROLL for (int j = 0; j < outputs; ++j) {
      const LooseColumns &t = *reinterpret_cast<const LooseColumns *>(total + j * cross_columns);
      LooseColumns &to = *reinterpret_cast<LooseColumns *>(c + j * ldc);
      to = minus ? to - t : to + t;
    }
#endif
    return;
  }
  for (int j = 0; j < outputs; ++j) {
    for (int64_t i = most(0, j + below); i < least(columns, cross_columns); ++i) {
      const double t = total[j * cross_columns + i];
      c[i + j * ldc] += minus ? -t : t;
    }
  }
}

// c(i, j) +-= (u' v)(i, j) for all columns of u and `outputs` columns of v, if i >= j + below.
template <bool minus, int outputs>
__attribute__((noinline)) void cross_run(const ConstTile &u, const double *v, int64_t ldv,
                                         double *c, int64_t ldc, int64_t below, int64_t ahead) {
  for (int64_t first = 0; first < u.width; first += cross_columns) {
    const int64_t columns = u.width - first;
    const double *column[cross_columns];
    NNP_UNROLL for (int i = 0; i < cross_columns; ++i) {
      column[i] = u.data + (first + least(i, columns - 1)) * u.ld;
    }
    Vec sum[outputs][cross_columns] = {};
    add_dots<outputs>(column, v, ldv, u.rows, sum, ahead);
    alignas(64) double total[(outputs * cross_columns + lanes - 1) / lanes * lanes];
    reduce<outputs>(sum, total);
    add_totals<minus, outputs>(total, columns, below - first, c + first, ldc);
  }
}

constexpr int64_t cross_rows = 256;  // rows at a time: tiles are shorter, matrices may be taller

// c +-= u' v, all of it or (u = v) only its lower triangle.
template <bool minus, bool lower>
NNP_INLINE void cross_any(const ConstTile &u, const ConstTile &v, double *c, int64_t ldc) {
  // A reduction takes `lanes` sums, so steps are whole reductions if the width allows.
  constexpr int64_t step = lanes > cross_columns ? lanes / cross_columns : 1;
  constexpr int64_t most_outputs = lower ? max_gram_outputs : max_cross_outputs;
  for (int64_t row = 0; row < u.rows; row += cross_rows) {
    const int64_t rows = least(cross_rows, u.rows - row);
    const int64_t groups = (u.width + cross_columns - 1) / cross_columns;
    in_runs<cached_columns / cross_columns>(groups, [&](int64_t group, int64_t count) {
      const int64_t first = group * cross_columns;
      const int64_t end = least(u.width, first + count * cross_columns);
      in_runs<most_outputs / step>((v.width + step - 1) / step, [&](int64_t at, int64_t n) {
        const int64_t j = at * step, outputs = least(n * step, v.width - j);
        const int64_t i = lower ? most(first, j) : first;
        if (i >= end) return;
        const ConstTile some = {u.data + row + i * u.ld, rows, end - i, u.ld};
        const double *vj = v.data + row + j * v.ld;
        const int64_t below = lower ? j - i : -max_cross_outputs;
        with_count<max_cross_outputs>(outputs, [&](auto at_once) {
          cross_run<minus, decltype(at_once)::value>(some, vj, v.ld, c + i + j * ldc, ldc, below,
                                                     j == 0 ? u.ld * u.width : 0);
        });
      });
    });
  }
}

// Sets c, or its lower triangle, to zeros.
template <bool lower>
NNP_INLINE void clear_sums(int64_t rows, int64_t columns, double *c, int64_t ldc) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = lower ? j : 0; i < rows; ++i) c[i + j * ldc] = 0;
  }
}

#if defined(NNP_AVX512)

// Wide matrices: a dot product down 128 rows ends with a sum over lanes, which takes a fifth of its
// time. Instead, a panel of u's columns is turned into rows: lanes are columns, and there is nothing
// to sum over lanes.
constexpr int panel_vectors = wide_vectors, panel_columns = panel_vectors * lanes,
              panel_outputs = 6;
constexpr int64_t turned_rows = 128;  // of a tile: a panel then fills two thirds of the first cache
constexpr int64_t panels_pay_at = 96;  // columns of u and of v

// to[i * panel_columns + j] = from[i + j * ld], 8 x 8; rows from `rows` on are zeros.
NNP_INLINE void turn_corner(const double *from, int64_t ld, int64_t rows, double *to) {
  Vec x[8], pair[8], four[8];
  NNP_UNROLL for (int j = 0; j < 8; ++j) {
    x[j] = rows < lanes ? load_first(from + j * ld, rows) : load(from + j * ld);
  }
  NNP_UNROLL for (int j = 0; j < 8; j += 2) {
    pair[j] = _mm512_unpacklo_pd(x[j], x[j + 1]);
    pair[j + 1] = _mm512_unpackhi_pd(x[j], x[j + 1]);
  }
  NNP_UNROLL for (int j = 0; j < 8; j += 4) {
    NNP_UNROLL for (int odd = 0; odd < 2; ++odd) {
      four[j + odd] = _mm512_shuffle_f64x2(pair[j + odd], pair[j + 2 + odd], 0x88);
      four[j + 2 + odd] = _mm512_shuffle_f64x2(pair[j + odd], pair[j + 2 + odd], 0xdd);
    }
  }
  NNP_UNROLL for (int i = 0; i < 4; ++i) {
    store(to + i * panel_columns, _mm512_shuffle_f64x2(four[i], four[i + 4], 0x88));
    store(to + (i + 4) * panel_columns, _mm512_shuffle_f64x2(four[i], four[i + 4], 0xdd));
  }
}

// c += (panel of u)' v for `outputs` columns of v. `fresh`: c starts at zeros, whatever it holds.
template <bool fresh, int outputs>
NNP_INLINE void add_panel(const double *panel, const double *v, int64_t ldv, int64_t rows,
                          double *c, int64_t ldc) {
  Vec sum[outputs][panel_vectors] = {};
  const Ahead ahead = {outputs * ldv, {c, outputs * ldc, ldc}, {c, 2 * outputs * ldc, ldc}};
  add_wide_products<false, outputs>(panel, panel_columns, rows, {v, 1, ldv}, sum, ahead);
  NNP_UNROLL for (int j = 0; j < outputs; ++j) {
    NNP_UNROLL for (int i = 0; i < panel_vectors; ++i) {
      double *to = c + j * ldc + i * lanes;
      store(to, fresh ? sum[j][i] : load(to) + sum[j][i]);
    }
  }
}

// Lower triangle of c += (panel of u)' v, for columns 8 at .. 8 at + 7 of the panel's own, which
// start at v.
template <bool fresh, int at, int outputs = at == 0 ? 4 : 8>
NNP_INLINE void add_corner_columns(const double *panel, const double *v, int64_t ldv, int64_t rows,
                                   double *c, int64_t ldc) {
  constexpr int vectors = panel_vectors - at, first = at * lanes;
  for (int from = 0; from < lanes; from += outputs) {
    Vec sum[outputs][vectors] = {};
    add_products<false, false, outputs, vectors, false>(
        panel + first, panel_columns, rows, {v + (first + from) * ldv, 1, ldv}, sum, 0, 0);
    NNP_UNROLL for (int j = 0; j < outputs; ++j) {
      double *to = c + first + (first + from + j) * ldc;
      const __mmask8 below = static_cast<__mmask8>(0xff << (from + j));
      const Vec old = fresh ? Vec{} : _mm512_maskz_loadu_pd(below, to);
      _mm512_mask_storeu_pd(to, below, old + sum[j][0]);
      NNP_UNROLL for (int i = 1; i < vectors; ++i) {
        double *at_row = to + i * lanes;
        store(at_row, fresh ? sum[j][i] : load(at_row) + sum[j][i]);
      }
    }
  }
}

template <bool fresh>
__attribute__((noinline)) void add_corner(const double *panel, const double *v, int64_t ldv,
                                          int64_t rows, double *c, int64_t ldc) {
  add_corner_columns<fresh, 0>(panel, v, ldv, rows, c, ldc);
  add_corner_columns<fresh, 1>(panel, v, ldv, rows, c, ldc);
  add_corner_columns<fresh, 2>(panel, v, ldv, rows, c, ldc);
  add_corner_columns<fresh, 3>(panel, v, ldv, rows, c, ldc);
}

// c += u' v, or (u = v) its lower triangle; u has up to turned_rows rows.
template <bool lower, bool fresh>
__attribute__((noinline)) void add_panels(const ConstTile &u, const ConstTile &v, double *c,
                                          int64_t ldc) {
  alignas(64) double panel[(turned_rows + lanes) * panel_columns];
  int64_t first = 0;
  for (; first + panel_columns <= u.width; first += panel_columns) {
    for (int64_t row = 0; row < u.rows; row += lanes) {
      for (int64_t j = 0; j < panel_columns; j += lanes) {
        turn_corner(u.data + row + (first + j) * u.ld, u.ld, u.rows - row,
                    panel + row * panel_columns + j);
      }
    }
    in_runs<panel_outputs>(lower ? first : v.width, [&](int64_t j, int64_t count) {
      with_count<panel_outputs>(count, [&](auto outputs) {
        add_panel<fresh, decltype(outputs)::value>(panel, v.data + j * v.ld, v.ld, u.rows,
                                                   c + first + j * ldc, ldc);
      });
    });
    if (lower)
      add_corner<fresh>(panel, u.data + first * u.ld, u.ld, u.rows, c + first * (ldc + 1), ldc);
  }
  if (first == u.width) return;
  const ConstTile last = {u.data + first * u.ld, u.rows, u.width - first, u.ld};
  const ConstTile before = {v.data, v.rows, lower ? first : v.width, v.ld};
  if (fresh) {
    clear_sums<false>(last.width, before.width, c + first, ldc);
    if (lower) clear_sums<true>(last.width, last.width, c + first * (ldc + 1), ldc);
  }
  cross_any<false, false>(last, before, c + first, ldc);
  if (lower) cross_any<false, true>(last, last, c + first * (ldc + 1), ldc);
}

NNP_INLINE bool panels_pay(const ConstTile &u, const ConstTile &v) {
  return u.width >= panels_pay_at && v.width >= panels_pay_at && u.rows <= turned_rows &&
         u.rows >= 2 * lanes;
}

#endif

NNP_ENTRY void add_cross(ConstTile u, ConstTile v, double *c, int64_t ldc) {
#if defined(NNP_AVX512)
  if (panels_pay(u, v)) return add_panels<false, false>(u, v, c, ldc);
#endif
  cross_any<false, false>(u, v, c, ldc);
}

NNP_ENTRY void add_gram(ConstTile u, double *g, int64_t ldg) {
#if defined(NNP_AVX512)
  if (panels_pay(u, u)) return add_panels<true, false>(u, u, g, ldg);
#endif
  cross_any<false, true>(u, u, g, ldg);
}

NNP_ENTRY void set_cross(ConstTile u, ConstTile v, double *c, int64_t ldc) {
#if defined(NNP_AVX512)
  if (panels_pay(u, v)) return add_panels<false, true>(u, v, c, ldc);
#endif
  clear_sums<false>(u.width, v.width, c, ldc);
  add_cross(u, v, c, ldc);
}

NNP_ENTRY void set_gram(ConstTile u, double *g, int64_t ldg) {
#if defined(NNP_AVX512)
  if (panels_pay(u, u)) return add_panels<true, true>(u, u, g, ldg);
#endif
  clear_sums<true>(u.width, u.width, g, ldg);
  add_gram(u, g, ldg);
}

void add_sums(ConstTile v, double *sums) {
  for (int64_t j = 0; j < v.width; j += lanes) {
    const int64_t columns = least(lanes, v.width - j);
    Vec sum[lanes];
    NNP_UNROLL for (int i = 0; i < lanes; ++i) sum[i] = Vec{};
    for (int i = 0; i < columns; ++i) {
      const double *column = v.data + (j + i) * v.ld;
      Vec even = {}, odd = {};
      int64_t row = 0;
#if defined(NNP_NEON)
      for (; row + 8 * lanes <= v.rows; row += 8 * lanes) {
        const float64x2x4_t x = vld1q_f64_x4(column + row);
        const float64x2x4_t y = vld1q_f64_x4(column + row + 4 * lanes);
        even = even + x.val[0] + x.val[2] + y.val[0] + y.val[2];
        odd = odd + x.val[1] + x.val[3] + y.val[1] + y.val[3];
      }
#endif
      for (; row + 2 * lanes <= v.rows; row += 2 * lanes) {
        even += load(column + row);
        odd += load(column + row + lanes);
      }
      if (row + lanes <= v.rows) {
        even += load(column + row);
        row += lanes;
      }
      if (row < v.rows) odd += load_first(column + row, v.rows - row);
      sum[i] = even + odd;
    }
    const Vec total = sums_of_lanes(sum);
    for (int64_t i = 0; i < columns; ++i) sums[j + i] += total[i];
  }
}

// ---- Triangular solves --------------------------------------------------------------------------

// A block on the diagonal of L: its strict triangle, and the reciprocals of its diagonal.
template <int columns>
struct Corner {
  double below[columns][columns];  // below[j][i] = L(i, j), i > j
  double reciprocal[columns];
};

template <int columns>
NNP_INLINE Corner<columns> corner_of(const double *l, int64_t ldl) {
  Corner<columns> corner = {};  // initialized completely, since unused entries are copied too
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    corner.reciprocal[j] = 1.0 / l[j + j * ldl];
    NNP_UNROLL for (int i = j + 1; i < columns; ++i) corner.below[j][i] = l[i + j * ldl];
  }
  return corner;
}

// Columns that are already solved: x[., k], k < count, with their coefficients w.
struct Solved {
  const double *x;
  int64_t count;
  Weights w;
};

// Columns of x become those of L^-1 (or L^-T) x, given the columns solved before them.
template <bool transposed, int columns, int vectors, int is_part>
NNP_INLINE void solve_group(const Corner<columns> &corner, const Solved &solved, double *x,
                            int64_t ld, int64_t row, int64_t part) {
  Vec sum[columns][vectors];
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      sum[j][i] = load_rows<is_part>(x + j * ld + row + i * lanes, part);
    }
  }
#if defined(NNP_AVX512)
  if constexpr (vectors == wide_vectors && !is_part) {
    const int64_t run = transposed ? -columns : columns;
    const Ahead ahead = {
        run * solved.w.across, {x + row, run * ld, ld}, {x + row, 2 * run * ld, ld}};
    add_wide_products<true, columns>(solved.x + row, ld, solved.count, solved.w, sum, ahead);
  } else
#endif
    add_products<true, false, columns, vectors, is_part>(solved.x + row, ld, solved.count, solved.w,
                                                         sum, part, 0);
  NNP_UNROLL for (int step = 0; step < columns; ++step) {
    const int j = transposed ? columns - 1 - step : step;
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      sum[j][i] *= broadcast(corner.reciprocal[j]);
      store_rows<is_part>(x + j * ld + row + i * lanes, sum[j][i], part);
    }
    NNP_UNROLL for (int later = step + 1; later < columns; ++later) {
      const int m = transposed ? columns - 1 - later : later;
      const Vec c = broadcast(transposed ? corner.below[m][j] : corner.below[j][m]);
      NNP_UNROLL for (int i = 0; i < vectors; ++i) {
        sum[m][i] = add_product<true>(sum[m][i], sum[j][i], c);
      }
    }
  }
}

// Columns first .. first + columns - 1 of x, given those before them (after them if transposed)
// within `band`.
template <bool transposed, int columns>
__attribute__((noinline)) void solve_run(const double *l, int64_t ldl, const Tile &x, int64_t first,
                                         int64_t band) {
  const Corner<columns> corner = corner_of<columns>(l + first + first * ldl, ldl);
  const int64_t next = first + columns, from = most(0, first - band);
  const Solved solved =
      transposed ? Solved{x.data + next * x.ld,
                          least(band, x.width - next),
                          {l + next + first * ldl, 1, ldl}}
                 : Solved{x.data + from * x.ld, first - from, {l + first + from * ldl, ldl, 1}};
  double *here = x.data + first * x.ld;
  in_row_groups<vectors_for(columns)>(
      x.rows, 0, [&](auto vectors, auto is_part, int64_t row, int64_t part) {
        solve_group<transposed, columns, decltype(vectors)::value, decltype(is_part)::value>(
            corner, solved, here, x.ld, row, part);
      });
}

template <bool transposed>
NNP_INLINE void solve_any(const double *l, int64_t ldl, int64_t band, const Tile &x) {
  in_runs<max_columns>(x.width, [&](int64_t done, int64_t length) {
    with_count<max_columns>(length, [&](auto columns) {
      const int64_t first = transposed ? x.width - done - length : done;
      solve_run<transposed, decltype(columns)::value>(l, ldl, x, first, band);
    });
  });
}

NNP_ENTRY void solve_lower(const double *l, int64_t ldl, Tile x) {
  solve_any<false>(l, ldl, x.width, x);
}

NNP_ENTRY void solve_lower_transposed(const double *l, int64_t ldl, Tile x) {
  solve_any<true>(l, ldl, x.width, x);
}

// ---- Solves with right-hand sides in columns ----------------------------------------------------

constexpr int64_t corner_rows = 48;  // rows of L at a time
constexpr int64_t side_columns = 8;  // right-hand sides turned into rows at a time

// The block n x k at b becomes L^-1 (or L^-T) b. Right-hand sides are laid out as the rows of a
// tile, along which the solve is vectorised.
template <bool transposed>
NNP_INLINE void solve_corner(const double *l, int64_t ldl, double *b, int64_t n, int64_t k,
                             int64_t ldb) {
  alignas(64) double turned[corner_rows * side_columns];
  for (int64_t first = 0; first < k; first += side_columns) {
    const int64_t sides = least(side_columns, k - first);
    double *sides_of_b = b + first * ldb;
    for (int64_t j = 0; j < sides; ++j) {
      for (int64_t i = 0; i < n; ++i) turned[i * side_columns + j] = sides_of_b[i + j * ldb];
    }
    const Tile tile = {turned, sides, n, side_columns};
    transposed ? solve_lower_transposed(l, ldl, tile) : solve_lower(l, ldl, tile);
    for (int64_t j = 0; j < sides; ++j) {
      for (int64_t i = 0; i < n; ++i) sides_of_b[i + j * ldb] = turned[i * side_columns + j];
    }
  }
}

NNP_ENTRY void solve_columns(const double *l, int64_t n, int64_t ldl, double *b, int64_t k,
                             int64_t ldb) {
  in_runs<corner_rows>(n, [&](int64_t first, int64_t length) {
    const int64_t next = first + length;
    solve_corner<false>(l + first + first * ldl, ldl, b + first, length, k, ldb);
    // b below -= L below * solution
    multiply_any<true>({l + next + first * ldl, n - next, length, ldl}, {b + first, 1, ldb},
                       {true, nullptr, 0}, {b + next, n - next, k, ldb});
  });
}

NNP_ENTRY void solve_columns_transposed(const double *l, int64_t n, int64_t ldl, double *b,
                                        int64_t k, int64_t ldb) {
  in_runs<corner_rows>(n, [&](int64_t done, int64_t length) {
    const int64_t first = n - done - length, next = n - done;
    // b here -= (L below)' * solution below
    cross_any<true, false>({l + next + first * ldl, done, length, ldl}, {b + next, done, k, ldb},
                           b + first, ldb);
    solve_corner<true>(l + first + first * ldl, ldl, b + first, length, k, ldb);
  });
}

// ---- Cholesky -----------------------------------------------------------------------------------

// Factors the block at the head of a run of columns in place, one column after the other, after the
// columns before it have been subtracted.
template <int columns>
NNP_INLINE bool factor_corner(double (&d)[columns][columns]) {
  for (int j = 0; j < columns; ++j) {
    // Not `d <= 0`: a NaN must fail too. An infinite pivot has no finite factor.
    if (!(d[j][j] > 0) || d[j][j] > 1.7976931348623157e308) return false;
    d[j][j] = __builtin_sqrt(d[j][j]);
    for (int i = j + 1; i < columns; ++i) d[j][i] /= d[j][j];
    for (int m = j + 1; m < columns; ++m) {
      for (int i = m; i < columns; ++i) d[m][i] -= d[j][i] * d[j][m];
    }
  }
  return true;
}

// Columns first .. first + columns - 1 of the factor, given all before them.
template <int columns>
__attribute__((noinline)) bool factor_run(double *a, int64_t n, int64_t lda, int64_t first) {
  double corner[columns][columns] = {};  // corner[j][i] = a(i, j), i >= j
  double *head = a + first + first * lda;
  for (int j = 0; j < columns; ++j) {
    for (int i = j; i < columns; ++i) corner[j][i] = head[i + j * lda];
  }
  // corner -= L(here, before) L(here, before)'
  multiply_run<true, columns>({a + first, columns, first, lda}, {a + first, lda, 1},
                              {true, nullptr, 0}, corner[0], columns);
  if (!factor_corner<columns>(corner)) return false;
  for (int j = 0; j < columns; ++j) {
    for (int i = j; i < columns; ++i) head[i + j * lda] = corner[j][i];
  }
  // The rows below are solved as rows of a tile: x = L^-1 a.
  const int64_t next = first + columns;
  solve_run<false, columns>(a, lda, {a + next, n - next, n, lda}, first, n);
  return true;
}

NNP_ENTRY bool cholesky(double *a, int64_t n, int64_t lda) {
  bool positive = true;
  in_runs<max_columns>(n, [&](int64_t first, int64_t length) {
    with_count<max_columns>(length, [&](auto columns) {
      positive = positive && factor_run<decltype(columns)::value>(a, n, lda, first);
    });
  });
  return positive;
}

// ---- Band matrices ------------------------------------------------------------------------------

// A run of columns ends at different rows of the band. The kernels treat it as a rectangle, which
// extends beyond the band by up to max_columns - 1 rows below; these are kept zero. A run on the
// diagonal extends as far above, into the space left at the end of the column before.
static_assert(band_room == 2 * (max_columns - 1), "room for a run to extend beyond the band");

// Subtracts columns first .. first + columns - 1 of the factor from the columns that follow.
template <int columns>
__attribute__((noinline)) bool factor_band_run(double *a, int64_t n, int64_t band, int64_t first) {
  const int64_t lda = band + band_room, next = first + columns, below = least(band, n - next);
  double corner[columns][columns] = {};
  double *head = a + first + first * lda;
  for (int j = 0; j < columns; ++j) {
    for (int i = j; i < columns; ++i) corner[j][i] = head[i + j * lda];
  }
  if (!factor_corner<columns>(corner)) return false;
  for (int j = 0; j < columns; ++j) {
    for (int i = j; i < columns; ++i) head[i + j * lda] = corner[j][i];
  }
  solve_run<false, columns>(a, lda, {a + next, below, n, lda}, first, 0);
  in_runs<max_columns>(below, [&](int64_t j, int64_t length) {
    const double *rows = a + next + j + first * lda;  // of L, from row next + j on
    with_count<max_columns>(length, [&](auto count) {
      multiply_run<true, decltype(count)::value>({rows, below - j, columns, lda}, {rows, lda, 1},
                                                 {true, nullptr, 0}, a + (next + j) * (lda + 1),
                                                 lda);
    });
  });
  return true;
}

bool cholesky_band(double *a, int64_t n, int64_t band) {
  bool positive = true;
  in_runs<max_columns>(n, [&](int64_t first, int64_t length) {
    with_count<max_columns>(length, [&](auto columns) {
      positive = positive && factor_band_run<decltype(columns)::value>(a, n, band, first);
    });
  });
  return positive;
}

void solve_band(const double *l, int64_t band, Tile x) {
  solve_any<false>(l, band + band_room, band, x);
}

void solve_band_transposed(const double *l, int64_t band, Tile x) {
  solve_any<true>(l, band + band_room, band, x);
}

// ---- Averages of columns ------------------------------------------------------------------------

template <int vectors, int is_part>
NNP_INLINE void average_group(const double *corner, const ColumnWindow &window, Vec scale,
                              double *out, int64_t part) {
  Vec sum[vectors] = {};
  NNP_UNROLL for (int i = 0; i < vectors; ++i) {
    if (i * lanes % line == 0) fetch_far(corner + i * lanes, window.ahead);
  }
  for (int64_t y = 0; y < window.height; ++y) {
    for (int64_t x = 0; x < window.width; ++x) {
      const double *column = corner + y * window.down + x * window.right;
      NNP_UNROLL for (int i = 0; i < vectors; ++i) {
        sum[i] += load_rows<is_part>(column + i * lanes, part);
      }
    }
  }
  NNP_UNROLL for (int i = 0; i < vectors; ++i) {
    store_rows<is_part>(out + i * lanes, sum[i] * scale, part);
  }
}

void average(const double *corner, const ColumnWindow &window, int64_t rows, double *out) {
  const Vec scale = broadcast(1.0 / static_cast<double>(window.height * window.width));
  in_row_groups<8>(rows, 0, [&](auto vectors, auto is_part, int64_t row, int64_t part) {
    average_group<decltype(vectors)::value, decltype(is_part)::value>(corner + row, window, scale,
                                                                      out + row, part);
  });
}

#include "lib/linalg/bytes_impl.hpp"
#include "lib/linalg/packed_impl.hpp"

// ---- Elementwise work ---------------------------------------------------------------------------

// How far ahead elementwise work prefetches if vectors are whole lines.
constexpr int64_t elements_ahead = 32 * line;

// Calls work(Count<is_part>, column, row, rows of a part) for every vector of a tile.
template <class Work>
NNP_INLINE void in_vectors(int64_t rows, int64_t width, const Work &work) {
  for (int64_t j = 0; j < width; ++j) {
    int64_t row = in_groups(rows, [&](int64_t at) { work(Count<false>{}, j, at, 0); });
    for (; row + lanes <= rows; row += lanes) work(Count<false>{}, j, row, 0);
    if (row < rows) work(Count<true>{}, j, row, rows - row);
  }
}

struct CombinationVectors {
  Vec a, b, c;
};
template <bool reads_x>
NNP_INLINE Vec combined(const CombinationVectors &by, Vec x, Vec y) {
  const Vec sum = add_product<false>(by.c, by.b, y);
  return reads_x ? add_product<false>(sum, by.a, x) : sum;
}

template <bool reads_x, int is_part>
NNP_INLINE void combine_vector(const CombinationVectors &by, const double *x, const double *y,
                               double *out, int64_t part) {
  const Vec from = reads_x ? load_rows<is_part>(x, part) : Vec{};
  store_rows<is_part>(out, combined<reads_x>(by, from, load_rows<is_part>(y, part)), part);
}

template <bool reads_x>
NNP_INLINE void combine_any(const Combination &factors, const double *x, const double *y, int64_t n,
                            double *out) {
  const CombinationVectors by = {broadcast(factors.a), broadcast(factors.b), broadcast(factors.c)};
  int64_t i = 0;
#if defined(NNP_NEON)
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const float64x2x4_t from = vld1q_f64_x4(x + i);
    float64x2x4_t to = vld1q_f64_x4(y + i);
    NNP_UNROLL for (int k = 0; k < 4; ++k) {
      to.val[k] = combined<reads_x>(by, from.val[k], to.val[k]);
    }
    vst1q_f64_x4(out + i, to);
  }
#endif
  for (; i + lanes <= n; i += lanes) combine_vector<reads_x, false>(by, x + i, y + i, out + i, 0);
  if (i < n) combine_vector<reads_x, true>(by, x + i, y + i, out + i, n - i);
}

void combine(const Combination &by, const double *x, const double *y, int64_t n, double *out) {
  // An x that is not read may be null, so no address is computed from it.
  by.a == 0 ? combine_any<false>(by, y, y, n, out) : combine_any<true>(by, x, y, n, out);
}

struct LineVectors {
  Vec knot[2], slope[3], offset[3];
};

NNP_INLINE LineVectors vectors_of(const Lines &lines) {
  LineVectors v;
  for (int i = 0; i < 2; ++i) v.knot[i] = broadcast(lines.knot[i]);
  for (int i = 0; i < 3; ++i) v.slope[i] = broadcast(lines.slope[i]);
  for (int i = 0; i < 3; ++i) v.offset[i] = broadcast(lines.offset[i]);
  return v;
}

// value[i] if z is on line i; a knot belongs to the line right of it.
template <bool three>
NNP_INLINE Vec pick(const Vec (&knot)[2], const Vec (&value)[3], Vec z) {
  const Vec low = z >= knot[0] ? value[1] : value[0];
  if constexpr (three) return z >= knot[1] ? value[2] : low;
  return low;
}

// Most functions have only two lines.
NNP_INLINE bool has_three(const Lines &lines) {
  return lines.knot[1] <= 1.7976931348623157e308;
}

template <bool three, bool through_zero>
NNP_INLINE Vec on_lines(const LineVectors &v, Vec z) {
  const Vec y = pick<three>(v.knot, v.slope, z) * z;
  return through_zero ? y : y + pick<three>(v.knot, v.offset, z);
}

template <bool three, bool through_zero>
NNP_INLINE void apply_lines_any(const Lines &lines, const ConstTile &in, const Tile &out) {
  const LineVectors v = vectors_of(lines);
  for (int64_t j = 0; j < in.width; ++j) {
    const double *from = in.data + j * in.ld;
    double *to = out.data + j * out.ld;
    int64_t row = 0;
#if defined(NNP_NEON)
    for (; row + 4 * lanes <= in.rows; row += 4 * lanes) {
      float64x2x4_t z = vld1q_f64_x4(from + row);
      NNP_UNROLL for (int k = 0; k < 4; ++k) z.val[k] = on_lines<three, through_zero>(v, z.val[k]);
      vst1q_f64_x4(to + row, z);
    }
#endif
    for (; row + lanes <= in.rows; row += lanes) {
      if (lanes == line) {
        fetch(from + row, elements_ahead);
        fetch(to + row, elements_ahead);
      }
      store(to + row, on_lines<three, through_zero>(v, load(from + row)));
    }
    if (row == in.rows) continue;
    const int64_t part = in.rows - row;
    store_first(to + row, on_lines<three, through_zero>(v, load_first(from + row, part)), part);
  }
}

void apply_lines(const Lines &lines, ConstTile in, Tile out) {
  if (has_three(lines)) return apply_lines_any<true, false>(lines, in, out);
  if (lines.offset[0] != 0 || lines.offset[1] != 0)
    return apply_lines_any<false, false>(lines, in, out);
  apply_lines_any<false, true>(lines, in, out);
}

template <bool three>
NNP_INLINE void apply_slopes_any(const Lines &lines, const ConstTile &in, const ConstTile &gradient,
                                 const Tile &out) {
  const LineVectors v = vectors_of(lines);
  in_vectors(in.rows, in.width, [&](auto is_part, int64_t j, int64_t row, int64_t part) {
    constexpr int cut = decltype(is_part)::value;
    const Vec z = load_rows<cut>(in.data + j * in.ld + row, part);
    const Vec g = load_rows<cut>(gradient.data + j * gradient.ld + row, part);
    store_rows<cut>(out.data + j * out.ld + row, g * pick<three>(v.knot, v.slope, z), part);
  });
}

void apply_slopes(const Lines &lines, ConstTile in, ConstTile gradient, Tile out) {
  has_three(lines) ? apply_slopes_any<true>(lines, in, gradient, out)
                   : apply_slopes_any<false>(lines, in, gradient, out);
}

#include "lib/linalg/smooth_impl.hpp"

NNP_INLINE double sum_of_lanes(Vec x) {
  double sum = 0;
  for (int i = 0; i < lanes; ++i) sum += x[i];
  return sum;
}

template <bool twice>
NNP_INLINE double subtract_any(const ConstTile &a, const ConstTile &b, double scale,
                               const Tile &out, const Tile &sum) {
  const Vec factor = broadcast(scale);
  Vec squares = {};
  in_vectors(a.rows, a.width, [&](auto is_part, int64_t j, int64_t row, int64_t part) {
    constexpr int cut = decltype(is_part)::value;
    const Vec difference = load_rows<cut>(a.data + j * a.ld + row, part) -
                           load_rows<cut>(b.data + j * b.ld + row, part);
    squares = add_product<false>(squares, difference, difference);
    const Vec scaled = factor * difference;
    store_rows<cut>(out.data + j * out.ld + row, scaled, part);
    if constexpr (twice) {
      double *s = sum.data + j * sum.ld + row;
      store_rows<cut>(s, load_rows<cut>(s, part) - scaled, part);
    }
  });
  return sum_of_lanes(squares);
}

double subtract(ConstTile a, ConstTile b, double scale, Tile out) {
  return subtract_any<false>(a, b, scale, out, out);
}

double subtract_twice(ConstTile a, ConstTile b, double scale, Tile out, Tile sum) {
  return subtract_any<true>(a, b, scale, out, sum);
}

#include "lib/linalg/single_impl.hpp"

constexpr Kernels table_of_level(const char *name) {
  Kernels table = {};
  table.name = name;
  table.multiply = multiply;
  table.multiply_transposed = multiply_transposed;
  table.multiply_add = multiply_add;
  table.multiply_transposed_add = multiply_transposed_add;
  table.add_cross = add_cross;
  table.add_gram = add_gram;
  table.set_cross = set_cross;
  table.set_gram = set_gram;
  table.add_sums = add_sums;
  table.solve_lower = solve_lower;
  table.solve_lower_transposed = solve_lower_transposed;
  table.solve_columns = solve_columns;
  table.solve_columns_transposed = solve_columns_transposed;
  table.cholesky = cholesky;
  table.cholesky_band = cholesky_band;
  table.solve_band = solve_band;
  table.solve_band_transposed = solve_band_transposed;
  table.average = average;
  table.unpack = unpack;
  table.sparse_multiply = sparse_multiply;
  table.sparse_cross = sparse_cross;
  table.average_bytes = average_bytes;
  table.pooled_multiply = pooled_multiply;
  table.pooled_cross = pooled_cross;
  table.combine = combine;
  table.apply_lines = apply_lines;
  table.apply_slopes = apply_slopes;
  table.tanh_values = tanh_values;
  table.softplus_values = softplus_values;
  table.tanh_slopes = tanh_slopes;
  table.softplus_slopes = softplus_slopes;
#if NNP_FUSES
  table.gelu_values = gelu_values;
  table.gelu_slopes = gelu_slopes;
#endif
  table.subtract = subtract;
  table.subtract_twice = subtract_twice;
  table.single = &single_kernels;
  return table;
}

#include "lib/linalg/mixed_impl.hpp"

}  // namespace
}  // namespace nnp
