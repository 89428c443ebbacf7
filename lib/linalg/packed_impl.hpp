// Products with packed tiles (see packed.hpp), for kernels_impl.hpp. Sparse tiles are worked entry
// by entry, vectorised along the units: an entry brings the weights of its two columns to the sums
// of its row, or the outputs of its row to the sums of its two columns.
#pragma once

// ---- Unpacking ----------------------------------------------------------------------------------

// Entries as doubles.
struct SmallNumbers {
  double value[256];
};
constexpr SmallNumbers small_numbers() {
  SmallNumbers n{};
  for (int i = 0; i < 256; ++i) n.value[i] = i;
  return n;
}
alignas(64) constexpr SmallNumbers number = small_numbers();

struct SmallEntries {
  const uint8_t *at;
  NNP_INLINE double operator[](int64_t e) const { return number.value[at[e]]; }
};

// Calls work(entries) with the entries of the tile, whatever they are kept as.
template <class Work>
NNP_INLINE void with_entries(const PackedTile &p, const Work &work) {
  if (p.small) {
    work(SmallEntries{p.small});
  } else {
    work(p.values);
  }
}

void unpack(const PackedTile &p, int64_t first, Tile out) {
  for (int64_t j = 0; j < out.width; ++j) {
    double *to = out.data + j * out.ld;
    const int64_t from = first + j;
    if (p.kind == StoreKind::singles) {
      const float *x = p.singles + from * p.ld;
      for (int64_t i = 0; i < out.rows; ++i) to[i] = static_cast<double>(x[i]);
      continue;
    }
    const double scale = p.scale[from], shift = p.shift[from];
    if (p.kind == StoreKind::bytes) {
      const uint8_t *x = p.bytes + from * p.ld;
      for (int64_t i = 0; i < out.rows; ++i)
        to[i] = shift + scale * static_cast<double>(static_cast<int32_t>(x[i]));
      continue;
    }
    for (int64_t i = 0; i < out.rows; ++i) to[i] = shift;
    with_entries(p, [&](auto entries) {
      for (int64_t e = p.starts[from / 2]; e < p.starts[from / 2 + 1]; ++e)
        to[p.rows[e]] = shift + scale * entries[2 * e + from % 2];
    });
  }
}

// ---- Panels of units ----------------------------------------------------------------------------

// Up to so many units at a time; a row of a panel is that long in memory. Fewer than least_vectors
// are not worth code of their own.
constexpr int64_t panel_units = lanes == 2 ? 8 : 16;
constexpr int64_t least_vectors = lanes == 8 ? 1 : lanes == 4 ? 3 : 4;
constexpr int64_t panel_rows = Tiling::max_rows;
constexpr int64_t columns_at_once = 8;

// to (units x count, a unit's values ldt apart) = the transpose of from.
NNP_INLINE void turn_block(const double *from, int64_t ldf, double *to, int64_t ldt, int64_t rows,
                           int64_t columns) {
#if NNP_LANES == 8 && defined(__AVX512F__)
  if (rows == 8 && columns == 8) {
    Vec x[8], y[8];
    NNP_UNROLL for (int i = 0; i < 8; ++i) x[i] = load(from + i * ldf);
    NNP_UNROLL for (int i = 0; i < 8; i += 2) {
      y[i] = NNP_SHUFFLE(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
      y[i + 1] = NNP_SHUFFLE(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    NNP_UNROLL for (int i = 0; i < 8; i += 4) {
      NNP_UNROLL for (int k = 0; k < 2; ++k) {
        x[i + k] = NNP_SHUFFLE(y[i + k], y[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        x[i + k + 2] = NNP_SHUFFLE(y[i + k], y[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
      }
    }
    NNP_UNROLL for (int k = 0; k < 4; ++k) {
      store(to + k * ldt, NNP_SHUFFLE(x[k], x[k + 4], 0, 1, 2, 3, 8, 9, 10, 11));
      store(to + (k + 4) * ldt, NNP_SHUFFLE(x[k], x[k + 4], 4, 5, 6, 7, 12, 13, 14, 15));
    }
    return;
  }
#endif
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[j * ldt + i] = from[i * ldf + j];
}

// to[j * ldt + i] = from[i * ldf + j], block by block.
__attribute__((noinline)) void turn(const double *from, int64_t ldf, int64_t rows, int64_t columns,
                                    double *to, int64_t ldt) {
  for (int64_t i = 0; i < rows; i += 8)
    for (int64_t j = 0; j < columns; j += 8)
      turn_block(from + i * ldf + j, ldf, to + j * ldt + i, ldt, least(8, rows - i),
                 least(8, columns - j));
}

// Calls work(Count<vectors>, first unit, units) for panels of units.
template <class Work>
NNP_INLINE void in_panels(int64_t units, const Work &work) {
  in_runs<panel_units>(units, [&](int64_t first, int64_t length) {
    const int64_t needed = most(least_vectors, (length + lanes - 1) / lanes);
    with_count<panel_units / lanes, least_vectors>(
        needed, [&](auto vectors) { work(vectors, first, length); });
  });
}

// ---- Forward ------------------------------------------------------------------------------------

// sums[row] += values of the entry * weights of both columns, for the entries of a pair.
template <int vectors, class Entries>
NNP_INLINE void add_pair(const PackedTile &p, const Entries &entries, int64_t pair,
                         const double *weights, double *sums) {
  Vec w[2][vectors];
  NNP_UNROLL for (int k = 0; k < 2; ++k) {
    NNP_UNROLL for (int v = 0; v < vectors; ++v) w[k][v] =
        load(weights + k * panel_units + v * lanes);
  }
  const int64_t end = p.starts[pair + 1];
  for (int64_t e = p.starts[pair]; e < end; ++e) {
    double *sum = sums + p.rows[e] * panel_units;
    const Vec x = broadcast(entries[2 * e]), y = broadcast(entries[2 * e + 1]);
    NNP_UNROLL for (int v = 0; v < vectors; ++v) {
      const Vec first = add_product<false>(load(sum + v * lanes), x, w[0][v]);
      store(sum + v * lanes, add_product<false>(first, y, w[1][v]));
    }
  }
}

// Rows of a panel times their scale; a column that a pair lacks has no weight.
__attribute__((noinline)) void scale_columns(const double *scale, int64_t columns, double *panel) {
  for (int64_t k = 0; k < columns + columns % 2; ++k) {
    const Vec by = broadcast(k < columns ? scale[k] : 0);
    NNP_UNROLL for (int64_t u = 0; u < panel_units; u += lanes) {
      store(panel + k * panel_units + u, load(panel + k * panel_units + u) * by);
    }
  }
}

// What rows without entries have: the bias, and the weights met by the shifts.
__attribute__((noinline)) double start_of_unit(const PackedTile &p, const double *w, int64_t n,
                                               double bias) {
  Vec sum = {};
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) sum = add_product<false>(sum, load(p.shift + j), load(w + j));
  double total = bias;
  for (int i = 0; i < lanes; ++i) total += sum[i];
  for (; j < n; ++j) total += p.shift[j] * w[j];
  return total;
}

// out = x w + 1 bias', w n x out.width column-major.
void sparse_multiply(const PackedTile &p, int64_t n, const double *w, const double *bias,
                     Tile out) {
  alignas(64) double sums[panel_rows * panel_units];
  alignas(64) double turned[columns_at_once * panel_units] = {};
  in_panels(out.width, [&](auto count, int64_t first, int64_t units) {
    constexpr int vectors = decltype(count)::value;
    const double *here = w + first * n;
    double start[panel_units] = {};
    for (int64_t u = 0; u < units; ++u)
      start[u] = start_of_unit(p, here + u * n, n, bias ? bias[first + u] : 0);
    for (int64_t i = 0; i < out.rows; ++i) {
      NNP_UNROLL for (int v = 0; v < vectors; ++v) {
        store(sums + i * panel_units + v * lanes, load(start + v * lanes));
      }
    }
    with_entries(p, [&](auto entries) {
      for (int64_t j = 0; j < n; j += columns_at_once) {
        const int64_t columns = least(columns_at_once, n - j);
        const int64_t pair = j / 2, pairs = (columns + 1) / 2;
        if (p.starts[pair] == p.starts[pair + pairs]) continue;
        turn(here + j, n, units, columns, turned, panel_units);
        scale_columns(p.scale + j, columns, turned);
        for (int64_t k = 0; k < pairs; ++k)
          add_pair<vectors>(p, entries, pair + k, turned + 2 * k * panel_units, sums);
      }
    });
    turn(sums, panel_units, out.rows, units, out.data + first * out.ld, out.ld);
  });
}

// ---- Cross --------------------------------------------------------------------------------------

// The sums over a pair's entries of value * outputs of its row, for both columns.
template <int vectors, class Entries>
NNP_INLINE void sum_pair(const PackedTile &p, const Entries &entries, int64_t pair,
                         const double *outputs, double *sums) {
  constexpr int together = vectors <= 2 ? 2 : 1;  // entries: sums need not wait for each other
  Vec sum[2][together][vectors] = {};
  int64_t e = p.starts[pair];
  const int64_t end = p.starts[pair + 1];
  for (; e + together <= end; e += together) {
    NNP_UNROLL for (int t = 0; t < together; ++t) {
      const double *z = outputs + p.rows[e + t] * panel_units;
      const Vec x = broadcast(entries[2 * (e + t)]), y = broadcast(entries[2 * (e + t) + 1]);
      NNP_UNROLL for (int v = 0; v < vectors; ++v) {
        const Vec out = load(z + v * lanes);
        sum[0][t][v] = add_product<false>(sum[0][t][v], x, out);
        sum[1][t][v] = add_product<false>(sum[1][t][v], y, out);
      }
    }
  }
  for (; e < end; ++e) {
    const double *z = outputs + p.rows[e] * panel_units;
    NNP_UNROLL for (int v = 0; v < vectors; ++v) {
      const Vec out = load(z + v * lanes);
      sum[0][0][v] = add_product<false>(sum[0][0][v], broadcast(entries[2 * e]), out);
      sum[1][0][v] = add_product<false>(sum[1][0][v], broadcast(entries[2 * e + 1]), out);
    }
  }
  NNP_UNROLL for (int k = 0; k < 2; ++k) {
    NNP_UNROLL for (int v = 0; v < vectors; ++v) {
      Vec all = sum[k][0][v];
      NNP_UNROLL for (int t = 1; t < together; ++t) all += sum[k][t][v];
      store(sums + k * panel_units + v * lanes, all);
    }
  }
}

// c += x' v: c is n x v.width column-major with leading dimension ldc.
void sparse_cross(const PackedTile &p, int64_t n, ConstTile v, double *c, int64_t ldc) {
  alignas(64) double outputs[panel_rows * panel_units] = {};
  alignas(64) double sums[columns_at_once * panel_units] = {};
  alignas(64) double turned[columns_at_once * panel_units];
  in_panels(v.width, [&](auto count, int64_t first, int64_t units) {
    constexpr int vectors = decltype(count)::value;
    double totals[panel_units] = {};
    const ConstTile here = {v.data + first * v.ld, v.rows, units, v.ld};
    add_sums(here, totals);
    turn(here.data, here.ld, units, here.rows, outputs, panel_units);
    with_entries(p, [&](auto entries) {
      for (int64_t j = 0; j < n; j += columns_at_once) {
        const int64_t columns = least(columns_at_once, n - j);
        for (int64_t k = 0; k < columns; k += 2)
          sum_pair<vectors>(p, entries, (j + k) / 2, outputs, sums + k * panel_units);
        for (int64_t k = 0; k < columns; ++k) {
          NNP_UNROLL for (int i = 0; i < vectors; ++i) {
            double *sum = sums + k * panel_units + i * lanes;
            store(sum, load(sum) * broadcast(p.scale[j + k]) +
                           load(totals + i * lanes) * broadcast(p.shift[j + k]));
          }
        }
        turn(sums, panel_units, columns, units, turned, columns_at_once);
        for (int64_t u = 0; u < units; ++u) {
          double *to = c + (first + u) * ldc + j;
          if (columns == columns_at_once) {
            NNP_UNROLL for (int k = 0; k < columns_at_once; k += lanes) {
              store(to + k, load(to + k) + load(turned + u * columns_at_once + k));
            }
          } else {
            for (int64_t k = 0; k < columns; ++k) to[k] += turned[u * columns_at_once + k];
          }
        }
      }
    });
  });
}

// ---- Averages of bytes --------------------------------------------------------------------------

constexpr int byte_lanes = 4 * lanes;
typedef uint8_t Bytes __attribute__((vector_size(byte_lanes)));
typedef uint8_t LooseBytes __attribute__((vector_size(byte_lanes), aligned(1), may_alias));
typedef uint16_t Shorts __attribute__((vector_size(2 * byte_lanes)));
typedef uint16_t LooseShorts __attribute__((vector_size(2 * byte_lanes), aligned(2), may_alias));

NNP_INLINE Shorts shorts_at(const uint8_t *p) {
#if NNP_LANES == 8 && defined(__AVX512BW__)
  return reinterpret_cast<Shorts>(
      _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))));
#else
  return __builtin_convertvector(Bytes(*reinterpret_cast<const LooseBytes *>(p)), Shorts);
#endif
}

NNP_INLINE Vec numbers_at(const uint16_t *p) {
#if NNP_LANES == 8 && defined(__AVX512F__)
  return _mm512_cvtepi32_pd(
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
#elif NNP_LANES == 4 && defined(__AVX2__)
  return _mm256_cvtepi32_pd(
      _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p))));
#else
  Vec x = {};
  for (int i = 0; i < lanes; ++i) x[i] = static_cast<double>(static_cast<int32_t>(p[i]));
  return x;
#endif
}

// As `average`, of bytes: out[i] = shift + scale * mean. Steps are counted in bytes. Sums of up to
// 257 bytes fit.
template <bool two_by_two>
NNP_INLINE void average_some_bytes(const uint8_t *corner, const ColumnWindow &window, double share,
                                   double shift, double *out) {
  Shorts sum = {};
  if constexpr (two_by_two) {
    const uint8_t *below = corner + window.down;
    sum = (shorts_at(corner) + shorts_at(corner + window.right)) +
          (shorts_at(below) + shorts_at(below + window.right));
  } else {
    for (int64_t y = 0; y < window.height; ++y)
      for (int64_t x = 0; x < window.width; ++x)
        sum += shorts_at(corner + y * window.down + x * window.right);
  }
  alignas(64) uint16_t sums[byte_lanes];
  *reinterpret_cast<LooseShorts *>(sums) = sum;
  NNP_UNROLL for (int i = 0; i < byte_lanes; i += lanes) {
    store(out + i, add_product<false>(broadcast(shift), broadcast(share), numbers_at(sums + i)));
  }
}

void average_bytes(const uint8_t *corner, const ColumnWindow &window, int64_t rows, double scale,
                   double shift, double *out) {
  const double share = scale / static_cast<double>(window.height * window.width);
  int64_t i = 0;
  if (window.height == 2 && window.width == 2) {
    for (; i + byte_lanes <= rows; i += byte_lanes)
      average_some_bytes<true>(corner + i, window, share, shift, out + i);
  } else if (window.height * window.width <= 257) {
    for (; i + byte_lanes <= rows; i += byte_lanes)
      average_some_bytes<false>(corner + i, window, share, shift, out + i);
  }
  for (; i < rows; ++i) {
    int64_t sum = 0;
    for (int64_t y = 0; y < window.height; ++y)
      for (int64_t x = 0; x < window.width; ++x)
        sum += corner[i + y * window.down + x * window.right];
    out[i] = shift + share * static_cast<double>(sum);
  }
}
