// Products and elementwise work in single precision, for kernels_impl.hpp. Vectors have as many
// bytes as those of doubles, and twice the lanes. Sums over rows are rounded to singles within a
// tile and added up in doubles.
#pragma once

constexpr int single_lanes = 2 * lanes;
typedef float Singles __attribute__((vector_size(lanes * 8)));
typedef uint32_t SingleWords __attribute__((vector_size(lanes * 8)));
typedef float LooseSingles __attribute__((vector_size(lanes * 8), aligned(4), may_alias));
typedef float HalfSingles __attribute__((vector_size(lanes * 4)));
typedef float LooseHalfSingles __attribute__((vector_size(lanes * 4), aligned(4), may_alias));
typedef float Quad __attribute__((vector_size(16)));

#if defined(__clang__)
#define NNP_QUADS(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t QuadNumbers __attribute__((vector_size(16)));
#define NNP_QUADS(a, b, ...) __builtin_shuffle(a, b, QuadNumbers{__VA_ARGS__})
#endif

NNP_INLINE Singles load_singles(const float *p) {
  return *reinterpret_cast<const LooseSingles *>(p);
}
NNP_INLINE void store_singles(float *p, Singles x) {
  *reinterpret_cast<LooseSingles *>(p) = x;
}
NNP_INLINE Singles all_singles(float x) {
  return x - Singles{};
}
NNP_INLINE Singles all_singles(double x) {
  return all_singles(static_cast<float>(x));
}

// ---- Products -----------------------------------------------------------------------------------

struct SingleWeights {
  const float *data;
  int64_t down, across;
};

// out[., j] = start[j] + sum over k of u[., k] w(k, j), for `vectors` vectors of rows.
template <int columns, int vectors>
NNP_INLINE void single_strip(const ConstSingleTile &u, int64_t row, const SingleWeights &w,
                             const float *start, float *out, int64_t ld) {
  Singles sum[columns][vectors];
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      sum[j][i] = all_singles(start ? start[j] : 0.0f);
    }
  }
  for (int64_t k = 0; k < u.width; ++k) {
    Singles x[vectors];
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      x[i] = load_singles(u.data + k * u.ld + row + i * single_lanes);
    }
    NNP_UNROLL for (int j = 0; j < columns; ++j) {
      const Singles weight = all_singles(w.data[k * w.down + j * w.across]);
      NNP_UNROLL for (int i = 0; i < vectors; ++i) {
        sum[j][i] += x[i] * weight;
      }
    }
  }
  NNP_UNROLL for (int j = 0; j < columns; ++j) {
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      store_singles(out + j * ld + row + i * single_lanes, sum[j][i]);
    }
  }
}

// All columns of some rows, before the next rows: the rows stay in the first-level cache.
template <int vectors>
NNP_INLINE void single_rows_product(const ConstSingleTile &u, int64_t row, const SingleWeights &w,
                                    const float *start, const SingleTile &out) {
  in_runs<max_columns>(out.width, [&](int64_t first, int64_t count) {
    with_count<max_columns>(count, [&](auto columns) {
      single_strip<decltype(columns)::value, vectors>(
          u, row, {w.data + first * w.across, w.down, w.across}, start ? start + first : nullptr,
          out.data + first * out.ld, out.ld);
    });
  });
}

NNP_INLINE void single_product(const ConstSingleTile &u, const SingleWeights &w, const float *start,
                               const SingleTile &out) {
  constexpr int vectors = many_registers ? 4 : 2;
  int64_t row = 0;
  for (; row + vectors * single_lanes <= u.rows; row += vectors * single_lanes)
    single_rows_product<vectors>(u, row, w, start, out);
  for (; row < u.rows; row += single_lanes) single_rows_product<1>(u, row, w, start, out);
}

void single_multiply(ConstSingleTile u, const float *w, const float *bias, SingleTile out) {
  single_product(u, {w, 1, u.width}, bias, out);
}

void single_multiply_transposed(ConstSingleTile v, const float *w, SingleTile out) {
  single_product(v, {w, out.width, 1}, nullptr, out);
}

// Sums of quarters, halves or the whole of a vector.
NNP_INLINE Quad quad_of(Singles x) {
#if defined(NNP_AVX512)
  const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
  return _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif defined(NNP_AVX2)
  return _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
#else
  static_assert(lanes == 2, "a vector of four singles");
  return x;
#endif
}

// The sums of the lanes of four vectors, in a fixed tree.
NNP_INLINE Quad sums_of_quads(Quad a, Quad b, Quad c, Quad d) {
  const Quad first = NNP_QUADS(a, b, 0, 4, 1, 5) + NNP_QUADS(a, b, 2, 6, 3, 7);
  const Quad second = NNP_QUADS(c, d, 0, 4, 1, 5) + NNP_QUADS(c, d, 2, 6, 3, 7);
  return NNP_QUADS(first, second, 0, 1, 4, 5) + NNP_QUADS(first, second, 2, 3, 6, 7);
}

// c(i, j) += u[., i]' v[., j] for i < `columns` (up to 4) and j < `outputs`.
template <int columns, int outputs>
NNP_INLINE void single_cross_block(const ConstSingleTile &u, int64_t i0, const ConstSingleTile &v,
                                   int64_t j0, double *c, int64_t ldc) {
  Singles sum[outputs][4] = {};
  for (int64_t row = 0; row < u.rows; row += single_lanes) {
    Singles x[columns];
    NNP_UNROLL for (int i = 0; i < columns; ++i) {
      x[i] = load_singles(u.data + (i0 + i) * u.ld + row);
    }
    NNP_UNROLL for (int j = 0; j < outputs; ++j) {
      const Singles y = load_singles(v.data + (j0 + j) * v.ld + row);
      NNP_UNROLL for (int i = 0; i < columns; ++i) {
        sum[j][i] += x[i] * y;
      }
    }
  }
  NNP_UNROLL for (int j = 0; j < outputs; ++j) {
    const Quad total = sums_of_quads(quad_of(sum[j][0]), quad_of(sum[j][1]), quad_of(sum[j][2]),
                                     quad_of(sum[j][3]));
    double *to = c + i0 + (j0 + j) * ldc;
    NNP_UNROLL for (int i = 0; i < columns; ++i) {
      to[i] += static_cast<double>(total[i]);
    }
  }
}

void single_add_cross(ConstSingleTile u, ConstSingleTile v, double *c, int64_t ldc) {
  in_runs<max_cross_outputs>(v.width, [&](int64_t j, int64_t outputs) {
    with_count<max_cross_outputs>(outputs, [&](auto some) {
      constexpr int wide = decltype(some)::value;
      int64_t i = 0;
      for (; i + 4 <= u.width; i += 4) single_cross_block<4, wide>(u, i, v, j, c, ldc);
      for (; i < u.width; ++i) single_cross_block<1, wide>(u, i, v, j, c, ldc);
    });
  });
}

void single_add_sums(ConstSingleTile v, double *sums) {
  for (int64_t j = 0; j < v.width; ++j) {
    Singles sum = {};
    for (int64_t row = 0; row < v.rows; row += single_lanes)
      sum += load_singles(v.data + j * v.ld + row);
    const Quad total = quad_of(sum);
    sums[j] += static_cast<double>((total[0] + total[2]) + (total[1] + total[3]));
  }
}

// ---- Elementwise work ---------------------------------------------------------------------------

// Calls work(column, row) for every vector.
template <class Work>
NNP_INLINE void in_single_vectors(int64_t rows, int64_t width, const Work &work) {
  for (int64_t j = 0; j < width; ++j)
    for (int64_t row = 0; row < rows; row += single_lanes) work(j, row);
}

void single_apply_lines(const Lines &lines, ConstSingleTile in, SingleTile out) {
  const Singles first = all_singles(lines.knot[0]), second = all_singles(lines.knot[1]);
  Singles slope[3], offset[3];
  for (int i = 0; i < 3; ++i) slope[i] = all_singles(lines.slope[i]);
  for (int i = 0; i < 3; ++i) offset[i] = all_singles(lines.offset[i]);
  in_single_vectors(in.rows, in.width, [&](int64_t j, int64_t row) {
    const Singles z = load_singles(in.data + j * in.ld + row);
    const Singles a = z >= second ? slope[2] : z >= first ? slope[1] : slope[0];
    const Singles b = z >= second ? offset[2] : z >= first ? offset[1] : offset[0];
    store_singles(out.data + j * out.ld + row, a * z + b);
  });
}

void single_apply_slopes(const Lines &lines, ConstSingleTile in, ConstSingleTile gradient,
                         SingleTile out) {
  const Singles first = all_singles(lines.knot[0]), second = all_singles(lines.knot[1]);
  Singles slope[3];
  for (int i = 0; i < 3; ++i) slope[i] = all_singles(lines.slope[i]);
  in_single_vectors(in.rows, in.width, [&](int64_t j, int64_t row) {
    const Singles z = load_singles(in.data + j * in.ld + row);
    const Singles g = load_singles(gradient.data + j * gradient.ld + row);
    store_singles(out.data + j * out.ld + row, g * (z >= second  ? slope[2]
                                                    : z >= first ? slope[1]
                                                                 : slope[0]));
  });
}

// tanh |x| = (1 - e^-2|x|) / (1 + e^-2|x|), where e^-2|x| = s (c + r) / (c - r): s is a power of 2
// and c = r coth(r/2) a polynomial in r^2.
NNP_INLINE Singles single_tanh(Singles x) {
  constexpr float to_whole = 0x1.8p23f, log2_e = 1.44269504f;
  constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  const SingleWords sign = reinterpret_cast<SingleWords>(x) & (SingleWords{} + 0x80000000u);
  const Singles size = reinterpret_cast<Singles>(reinterpret_cast<SingleWords>(x) ^ sign);
  const Singles most = all_singles(10.0f), y = 2.0f * (size > most ? most : size);
  const Singles shifted = all_singles(to_whole) - y * log2_e, k = shifted - all_singles(to_whole);
  const Singles r = (-y - k * ln2_high) - k * ln2_low, square = r * r;
  const Singles c = 2.0f + square * (0.16666667f - square * 0.0027777f);
  const Singles s = reinterpret_cast<Singles>((reinterpret_cast<SingleWords>(shifted) << 23) +
                                              reinterpret_cast<SingleWords>(all_singles(1.0f)));
  const Singles less = 1.0f - s, more = 1.0f + s;
  const Singles value = (c * less - r * more) / (c * more - r * less);
  return reinterpret_cast<Singles>(reinterpret_cast<SingleWords>(value) | sign);
}

void single_tanh_values(ConstSingleTile in, SingleTile out) {
  in_single_vectors(in.rows, in.width, [&](int64_t j, int64_t row) {
    store_singles(out.data + j * out.ld + row,
                  single_tanh(load_singles(in.data + j * in.ld + row)));
  });
}

void single_tanh_slopes(ConstSingleTile y, ConstSingleTile gradient, SingleTile out) {
  in_single_vectors(y.rows, y.width, [&](int64_t j, int64_t row) {
    const Singles v = load_singles(y.data + j * y.ld + row);
    const Singles g = load_singles(gradient.data + j * gradient.ld + row);
    store_singles(out.data + j * out.ld + row, g * (1.0f - v * v));
  });
}

// ---- From and to doubles ------------------------------------------------------------------------

void narrow(ConstTile in, SingleTile out) {
  for (int64_t j = 0; j < in.width; ++j) {
    const double *from = in.data + j * in.ld;
    float *to = out.data + j * out.ld;
    int64_t row = 0;
    for (; row + lanes <= in.rows; row += lanes)
      *reinterpret_cast<LooseHalfSingles *>(to + row) =
          __builtin_convertvector(load(from + row), HalfSingles);
    for (; row < in.rows; ++row) to[row] = static_cast<float>(from[row]);
    for (; row < out.rows; ++row) to[row] = 0;
  }
}

void widen(ConstSingleTile in, Tile out) {
  for (int64_t j = 0; j < out.width; ++j) {
    const float *from = in.data + j * in.ld;
    double *to = out.data + j * out.ld;
    int64_t row = 0;
    for (; row + lanes <= out.rows; row += lanes) {
      const HalfSingles some = *reinterpret_cast<const LooseHalfSingles *>(from + row);
      store(to + row, __builtin_convertvector(some, Vec));
    }
    for (; row < out.rows; ++row) to[row] = static_cast<double>(from[row]);
  }
}

constexpr SingleKernels single_table() {
  SingleKernels table = {};
  table.multiply = single_multiply;
  table.multiply_transposed = single_multiply_transposed;
  table.add_cross = single_add_cross;
  table.add_sums = single_add_sums;
  table.apply_lines = single_apply_lines;
  table.apply_slopes = single_apply_slopes;
  table.tanh_values = single_tanh_values;
  table.tanh_slopes = single_tanh_slopes;
  table.narrow = narrow;
  table.widen = widen;
  return table;
}

constexpr SingleKernels single_kernels = single_table();
