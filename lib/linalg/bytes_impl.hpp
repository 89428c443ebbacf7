// Images stored as bytes, for kernels_impl.hpp: averages of their columns, and products with
// patches of such averages formed in registers.
#pragma once

// ---- Averages of bytes --------------------------------------------------------------------------

constexpr int line_bytes = line * static_cast<int>(sizeof(double));
constexpr int byte_lanes = 4 * lanes;
typedef uint8_t Bytes __attribute__((vector_size(byte_lanes)));
typedef uint8_t LooseBytes __attribute__((vector_size(byte_lanes), aligned(1), may_alias));
typedef uint16_t Shorts __attribute__((vector_size(2 * byte_lanes)));
typedef uint16_t LooseShorts __attribute__((vector_size(2 * byte_lanes), aligned(2), may_alias));

NNP_INLINE Shorts shorts_at(const uint8_t *p) {
#if defined(NNP_AVX512)
  return reinterpret_cast<Shorts>(
      _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))));
#elif defined(NNP_AVX2)
  return reinterpret_cast<Shorts>(
      _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
#else
  return __builtin_convertvector(Bytes(*reinterpret_cast<const LooseBytes *>(p)), Shorts);
#endif
}

NNP_INLINE Vec numbers_at(const uint16_t *p) {
#if defined(NNP_AVX512)
  return _mm512_cvtepi64_pd(
      _mm512_cvtepu16_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
#elif defined(NNP_AVX2)
  // the low bits of 2^52 + a small whole number are that number: cheaper than a conversion
  const __m256i whole =
      _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p)));
  const Vec magic = broadcast(0x1p52);
  return reinterpret_cast<Vec>(_mm256_or_si256(whole, reinterpret_cast<__m256i>(magic))) - magic;
#else
  Vec x = {};
  for (int i = 0; i < lanes; ++i) x[i] = static_cast<double>(static_cast<int32_t>(p[i]));
  return x;
#endif
}

// Sums of the bytes of a window, for adjacent rows; up to most_pooled_bytes fit without overflow.
__attribute__((noinline)) Shorts sum_of_window(const uint8_t *corner, const ColumnWindow &window) {
  Shorts sum = {};
  for (int64_t y = 0; y < window.height; ++y)
    for (int64_t x = 0; x < window.width; ++x)
      sum += shorts_at(corner + y * window.down + x * window.right);
  return sum;
}
NNP_INLINE Shorts sum_of_four(const uint8_t *corner, const ColumnWindow &window) {
  const uint8_t *below = corner + window.down;
  return (shorts_at(corner) + shorts_at(corner + window.right)) +
         (shorts_at(below) + shorts_at(below + window.right));
}

// The window sums as doubles.
constexpr int byte_vectors = byte_lanes / lanes;
struct ByteSums {
  Vec x[byte_vectors];
};
NNP_INLINE ByteSums sums_of_bytes(const uint8_t *corner, const ColumnWindow &window) {
  alignas(64) uint16_t sums[byte_lanes];
  *reinterpret_cast<LooseShorts *>(sums) = window.height == 2 && window.width == 2
                                               ? sum_of_four(corner, window)
                                               : sum_of_window(corner, window);
  ByteSums s;
  NNP_UNROLL for (int i = 0; i < byte_vectors; ++i) s.x[i] = numbers_at(sums + i * lanes);
  return s;
}

// The weight of a byte of the window in scale * mean.
NNP_INLINE double share_of(const ColumnWindow &window, double scale) {
  return scale / static_cast<double>(window.height * window.width);
}

// out[i] = shift + scale * mean over a window of bytes. Steps are counted in bytes.
void average_bytes(const uint8_t *corner, const ColumnWindow &window, int64_t rows, double scale,
                   double shift, double *out) {
  for (int64_t i = 0; i < rows; i += line_bytes) fetch_far(corner + i, window.ahead);
  const double share = share_of(window, scale);
  const bool fits = window.height * window.width <= most_pooled_bytes;
  int64_t i = 0;
  for (; fits && i + byte_lanes <= rows; i += byte_lanes) {
    const ByteSums sums = sums_of_bytes(corner + i, window);
    NNP_UNROLL for (int v = 0; v < byte_vectors; ++v) {
      store(out + i + v * lanes, add_product<false>(broadcast(shift), broadcast(share), sums.x[v]));
    }
  }
  for (; i < rows; ++i) {
    int64_t sum = 0;
    for (int64_t y = 0; y < window.height; ++y)
      for (int64_t x = 0; x < window.width; ++x)
        sum += corner[i + y * window.down + x * window.right];
    out[i] = shift + share * static_cast<double>(sum);
  }
}

// ---- Products with pools of bytes ---------------------------------------------------------------

static_assert(pooled_rows % byte_lanes == 0, "rows must come in whole vectors");

// Filters are processed in pairs; a single one is paired with itself.
template <class Work>
NNP_INLINE void in_pairs(int64_t filters, const Work &work) {
  for (int64_t f = 0; f < filters; f += 2) work(f, f + 1 < filters ? f + 1 : f);
}

NNP_INLINE void multiply_pooled_rows(const PooledBytes &in, const uint8_t *corner, double share,
                                     const double *const (&w)[2], const double (&start)[2],
                                     double *const (&out)[2]) {
  Vec sum[2][byte_vectors] = {};
  for (int64_t k = 0; k < in.columns; ++k) {
    const uint8_t *at = corner + in.offset[k];
    fetch_far(at, in.pool.ahead);
    const ByteSums sums = sums_of_bytes(at, in.pool);
    NNP_UNROLL for (int f = 0; f < 2; ++f) {
      const Vec c = broadcast(w[f][k]);
      NNP_UNROLL for (int i = 0; i < byte_vectors; ++i) {
        sum[f][i] = add_product<false>(sum[f][i], sums.x[i], c);
      }
    }
  }
  NNP_UNROLL for (int f = 0; f < 2; ++f) {
    NNP_UNROLL for (int i = 0; i < byte_vectors; ++i) {
      store(out[f] + i * lanes,
            add_product<false>(broadcast(start[f]), broadcast(share), sum[f][i]));
    }
  }
}

void pooled_multiply(const PooledBytes &in, const double *w, const double *start, Tile out) {
  const double share = share_of(in.pool, in.scale);
  in_pairs(out.width, [&](int64_t f, int64_t g) {
    for (int64_t p = 0; p < in.positions; ++p)
      for (int64_t row = 0; row < out.rows; row += byte_lanes) {
        double *here = out.data + p * in.step_out + row;
        multiply_pooled_rows(in, in.corner + p * in.step + row, share,
                             {w + f * in.columns, w + g * in.columns}, {start[f], start[g]},
                             {here + f * out.ld, here + g * out.ld});
      }
  });
}

// sum[f][i] += column i of the patches * column f of v, for cross_columns columns.
NNP_INLINE void add_pooled_dots(const PooledBytes &in, const uint8_t *corner,
                                const int64_t (&offset)[cross_columns], const double *const (&v)[2],
                                Vec (&sum)[2][cross_columns]) {
  Vec y[2][byte_vectors];
  NNP_UNROLL for (int f = 0; f < 2; ++f) {
    NNP_UNROLL for (int i = 0; i < byte_vectors; ++i) y[f][i] = load(v[f] + i * lanes);
  }
  NNP_UNROLL for (int k = 0; k < cross_columns; ++k) {
    const ByteSums sums = sums_of_bytes(corner + offset[k], in.pool);
    NNP_UNROLL for (int f = 0; f < 2; ++f) {
      NNP_UNROLL for (int i = 0; i < byte_vectors; ++i) {
        sum[f][k] = add_product<false>(sum[f][k], sums.x[i], y[f][i]);
      }
    }
  }
}

// All positions, for the columns from `first` on.
NNP_INLINE void cross_pooled_columns(const PooledBytes &in, int64_t first, const ConstTile &v,
                                     int64_t f, int64_t g, double *c, int64_t ldc) {
  int64_t offset[cross_columns];
  for (int k = 0; k < cross_columns; ++k) offset[k] = in.offset[least(first + k, in.columns - 1)];
  Vec sum[2][cross_columns] = {};
  for (int64_t p = 0; p < in.positions; ++p)
    for (int64_t row = 0; row < v.rows; row += byte_lanes) {
      const double *here = v.data + p * in.step_out + row;
      add_pooled_dots(in, in.corner + p * in.step + row, offset, {here + f * v.ld, here + g * v.ld},
                      sum);
    }
  alignas(64) double total[2 * cross_columns];
  reduce<2>(sum, total);
  const double share = share_of(in.pool, in.scale);
  for (int64_t k = 0; k < least(cross_columns, in.columns - first); ++k) {
    c[first + k + f * ldc] += share * total[k];
    if (g != f) c[first + k + g * ldc] += share * total[cross_columns + k];
  }
}

void pooled_cross(const PooledBytes &in, ConstTile v, double *c, int64_t ldc) {
  in_pairs(v.width, [&](int64_t f, int64_t g) {
    for (int64_t first = 0; first < in.columns; first += cross_columns)
      cross_pooled_columns(in, first, v, f, g, c, ldc);
  });
}
