// Inner loops of products for AArch64: vectors are loaded in pairs, and a fused product takes its
// factor from either lane of a register, so that a load brings two coefficients. All sums stay in
// registers, of which there are 32. Included by kernels_impl.hpp.
#pragma once

// Two vectors at p, which moves on past them. (Left to themselves, compilers index all columns by
// one register, and pairs cannot be loaded that way.)
struct Pair {
  Vec low, high;
};
NNP_INLINE Pair load_next_pair(const double *&p) {
  Pair x;
  asm("ldp %q0, %q1, [%2], #32"
      : "=w"(x.low), "=w"(x.high), "+r"(p)
      : "m"(*reinterpret_cast<const double(*)[2 * lanes]>(p)));
  return x;
}

// Columns of u in steps of two vectors: sum[j][i] += u[., i] v[., j] lane by lane. Returns the
// number of rows.
template <int outputs>
NNP_INLINE int64_t add_dots_in_pairs(const double *const (&u)[cross_columns], const double *v,
                                     int64_t ldv, int64_t rows,
                                     Vec (&sum)[outputs][cross_columns]) {
  const int64_t whole = rows / (2 * lanes) * (2 * lanes);
  const double *column[cross_columns], *output[outputs], *const end = u[0] + whole;
  NNP_UNROLL for (int i = 0; i < cross_columns; ++i) column[i] = u[i];
  NNP_UNROLL for (int j = 0; j < outputs; ++j) output[j] = v + j * ldv;
  while (column[0] != end) {
    Pair x[cross_columns];
    NNP_UNROLL for (int i = 0; i < cross_columns; ++i) x[i] = load_next_pair(column[i]);
    NNP_UNROLL for (int j = 0; j < outputs; ++j) {
      const Pair y = load_next_pair(output[j]);
      NNP_UNROLL for (int i = 0; i < cross_columns; ++i) {
        sum[j][i] = add_product<false>(sum[j][i], x[i].low, y.low);
      }
      NNP_UNROLL for (int i = 0; i < cross_columns; ++i) {
        sum[j][i] = add_product<false>(sum[j][i], x[i].high, y.high);
      }
    }
  }
  return whole;
}

// The vectors at p, which moves on by ld. (Four vectors are loaded, and p is moved, by one
// instruction.)
template <int vectors>
NNP_INLINE void load_next_column(const double *&p, int64_t ld, Vec (&x)[vectors]) {
  if constexpr (vectors == 4) {
#if defined(__clang__)
    const float64x2x4_t all = vld1q_f64_x4(p);
    p += ld;
#else
    float64x2x4_t all;
    asm("ld1 {%S0.2d - %V0.2d}, [%1], %2"
        : "=w"(all), "+r"(p)
        : "r"(ld * 8), "m"(*reinterpret_cast<const double(*)[4 * lanes]>(p)));
#endif
    NNP_UNROLL for (int i = 0; i < 4; ++i) x[i] = all.val[i];
  } else {
    static_assert(vectors % 2 == 0, "pairs");
    const double(&all)[vectors * lanes] = *reinterpret_cast<const double(*)[vectors * lanes]>(p);
    NNP_UNROLL for (int i = 0; i < vectors; i += 2) {
      asm("ldp %q0, %q1, [%2, %4]"
          : "=w"(x[i]), "=w"(x[i + 1])
          : "r"(p), "m"(all), "i"(i * lanes * 8));
    }
    p += ld;
  }
}

// sum[i] +-= x[i] c, where c is a lane of a vector
template <bool minus, int lane, int vectors>
NNP_INLINE void add_multiples(const Vec (&x)[vectors], Vec c, Vec (&sum)[vectors]) {
  NNP_UNROLL for (int i = 0; i < vectors; ++i) {
    sum[i] =
        minus ? vfmsq_laneq_f64(sum[i], x[i], c, lane) : vfmaq_laneq_f64(sum[i], x[i], c, lane);
  }
}

template <bool fetches, int vectors>
NNP_INLINE void fetch_rows(const double *u, int64_t ahead) {
  NNP_UNROLL for (int i = 0; fetches && i < vectors; i += line / lanes) {
    fetch(u + i * lanes, ahead);
  }
}

// sum[j][i] +-= u[., k] c(k, j) for k = 0, 1, where c(k, j) = c[k + j * across]; u moves on.
template <bool minus, bool fetches, int columns, int vectors>
NNP_INLINE void add_two_columns(const double *&u, int64_t ldu, const double *c, int64_t across,
                                Vec (&sum)[columns][vectors], int64_t ahead) {
  Vec x[vectors], y[vectors];
  fetch_rows<fetches, vectors>(u, ahead);
  load_next_column(u, ldu, x);
  if constexpr (columns * vectors + 2 * vectors < 32) {
    fetch_rows<fetches, vectors>(u, ahead);
    load_next_column(u, ldu, y);
    NNP_UNROLL for (int j = 0; j < columns; ++j) {
      const Vec pair = load(c + j * across);
      add_multiples<minus, 0>(x, pair, sum[j]);
      add_multiples<minus, 1>(y, pair, sum[j]);
    }
  } else {
    // No room for x and y at once: as many pairs as there is room for wait for y.
    constexpr int spare = 32 - columns * vectors - vectors - 1, held = spare < 0 ? 0 : spare;
    Vec pair[held + 1];
    NNP_UNROLL for (int j = 0; j < columns; ++j) {
      if (j < held) pair[j] = load(c + j * across);
      add_multiples<minus, 0>(x, j < held ? pair[j] : broadcast(c[j * across]), sum[j]);
    }
    fetch_rows<fetches, vectors>(u, ahead);
    load_next_column(u, ldu, y);
    NNP_UNROLL for (int j = 0; j < columns; ++j) {
      add_multiples<minus, 1>(y, j < held ? pair[j] : broadcast(c[j * across + 1]), sum[j]);
    }
  }
}

// sum[j][i] +-= u[., k] c[j] for one k; u moves on.
template <bool minus, bool fetches, int columns, int vectors>
NNP_INLINE void add_one_column(const double *&u, int64_t ldu, const double *c,
                               Vec (&sum)[columns][vectors], int64_t ahead) {
  fetch_rows<fetches, vectors>(u, ahead);
  Vec x[vectors];
  load_next_column(u, ldu, x);
  constexpr int in_fours = columns / 4 * 4;
  NNP_UNROLL for (int j = 0; j < in_fours; j += 4) {
    Vec low, high;
    asm("ldp %q0, %q1, [%2, %4]"
        : "=w"(low), "=w"(high)
        : "r"(c), "m"(*reinterpret_cast<const double(*)[4]>(c + j)), "i"(j * 8));
    add_multiples<minus, 0>(x, low, sum[j]);
    add_multiples<minus, 1>(x, low, sum[j + 1]);
    add_multiples<minus, 0>(x, high, sum[j + 2]);
    add_multiples<minus, 1>(x, high, sum[j + 3]);
  }
  NNP_UNROLL for (int j = in_fours; j + 1 < columns; j += 2) {
    const Vec pair = load(c + j);
    add_multiples<minus, 0>(x, pair, sum[j]);
    add_multiples<minus, 1>(x, pair, sum[j + 1]);
  }
  if constexpr (columns % 2 == 1)
    add_multiples<minus, 0>(x, broadcast(c[columns - 1]), sum[columns - 1]);
}

// add_products for the first k, whose number is returned.
template <bool minus, bool fetches, int columns, int vectors>
NNP_INLINE int64_t add_products_in_pairs(const double *u, int64_t ldu, int64_t n, Weights w,
                                         Vec (&sum)[columns][vectors], int64_t ahead) {
  if constexpr (fetches && columns * vectors + 2 * vectors < 32) {
    if (ahead == 0) return add_products_in_pairs<minus, false>(u, ldu, n, w, sum, 0);
  }
  if (w.down == 1) {
    for (const double *c = w.data, *end = c + n / 2 * 2; c != end; c += 2)
      add_two_columns<minus, fetches>(u, ldu, c, w.across, sum, ahead);
    return n / 2 * 2;
  }
  if (w.across != 1) return 0;
  const double *c = w.data;
  for (const double *end = u + n * ldu; u != end; c += w.down)
    add_one_column<minus, fetches>(u, ldu, c, sum, ahead);
  return n;
}
