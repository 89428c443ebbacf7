// Products with packed tiles (see packed.hpp), for kernels_impl.hpp. Sparse tiles are worked entry
// by entry, vectorised along the units: an entry brings the weights of its columns to the sums of
// its row, or the outputs of its row to the sums of its columns.
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
    const uint32_t *starts = p.starts + from / sparse_group;
    with_entries(p, [&](auto entries) {
      for (int64_t e = starts[0]; e < starts[1]; ++e)
        to[p.rows[e]] = shift + scale * entries[sparse_group * e + from % sparse_group];
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
static_assert(columns_at_once % sparse_group == 0, "groups stay together");
NNP_INLINE int64_t groups_of(int64_t columns) {
  return (columns + sparse_group - 1) / sparse_group;
}

// y = the transpose of the square x.
NNP_INLINE void turn_square(const Vec *x, Vec *y) {
#if NNP_LANES == 8
  Vec a[8], b[8];
  NNP_UNROLL for (int i = 0; i < 8; i += 2) {
    a[i] = NNP_SHUFFLE(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = NNP_SHUFFLE(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  NNP_UNROLL for (int i = 0; i < 8; i += 4) {
    NNP_UNROLL for (int k = 0; k < 2; ++k) {
      b[i + k] = NNP_SHUFFLE(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = NNP_SHUFFLE(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  NNP_UNROLL for (int k = 0; k < 4; ++k) {
    y[k] = NNP_SHUFFLE(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    y[k + 4] = NNP_SHUFFLE(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif NNP_LANES == 4
  Vec a[4];
  NNP_UNROLL for (int i = 0; i < 4; i += 2) {
    a[i] = NNP_SHUFFLE(x[i], x[i + 1], 0, 4, 2, 6);
    a[i + 1] = NNP_SHUFFLE(x[i], x[i + 1], 1, 5, 3, 7);
  }
  NNP_UNROLL for (int k = 0; k < 2; ++k) {
    y[k] = NNP_SHUFFLE(a[k], a[k + 2], 0, 1, 4, 5);
    y[k + 2] = NNP_SHUFFLE(a[k], a[k + 2], 2, 3, 6, 7);
  }
#else
  y[0] = NNP_SHUFFLE(x[0], x[1], 0, 2);
  y[1] = NNP_SHUFFLE(x[0], x[1], 1, 3);
#endif
}

// What lies behind the rows and columns of a matrix up to the next whole vector: nothing that may
// be touched, or room that may be read (its values are of no account) and written.
enum class Behind { nothing, room };

// to[j * ldt + i] = from[i * ldf + j], in squares. Missing rows of a square are copies of the last.
template <Behind from_columns, Behind to_rows>
__attribute__((noinline)) void turn(const double *from, int64_t ldf, int64_t rows, int64_t columns,
                                    double *to, int64_t ldt) {
  for (int64_t i = 0; i < rows; i += lanes)
    for (int64_t j = 0; j < columns; j += lanes) {
      const int64_t down = least(lanes, rows - i), across = least(lanes, columns - j);
      Vec x[lanes], y[lanes];
      NNP_UNROLL for (int k = 0; k < lanes; ++k) {
        const double *row = from + (i + least(k, down - 1)) * ldf + j;
        x[k] =
            from_columns == Behind::room || across == lanes ? load(row) : load_first(row, across);
      }
      turn_square(x, y);
      NNP_UNROLL for (int k = 0; k < lanes; ++k) {
        if (k >= across) break;
        double *column = to + (j + k) * ldt + i;
        if (to_rows == Behind::room || down == lanes)
          store(column, y[k]);
        else
          store_first(column, y[k], down);
      }
    }
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

// sums[row] += values of the entry * weights of its columns, for the entries of a group.
template <int vectors, class Entries>
NNP_INLINE void add_group(const PackedTile &p, const Entries &entries, int64_t group,
                          const double *weights, double *sums) {
  Vec w[sparse_group][vectors];
  NNP_UNROLL for (int k = 0; k < sparse_group; ++k) {
    NNP_UNROLL for (int v = 0; v < vectors; ++v) w[k][v] =
        load(weights + k * panel_units + v * lanes);
  }
  const int64_t end = p.starts[group + 1];
  for (int64_t e = p.starts[group]; e < end; ++e) {
    double *at = sums + p.rows[e] * panel_units;
    Vec sum[vectors];
    NNP_UNROLL for (int v = 0; v < vectors; ++v) sum[v] = load(at + v * lanes);
    NNP_UNROLL for (int k = 0; k < sparse_group; ++k) {
      const Vec x = broadcast(entries[sparse_group * e + k]);
      NNP_UNROLL for (int v = 0; v < vectors; ++v) sum[v] = add_product<false>(sum[v], x, w[k][v]);
    }
    NNP_UNROLL for (int v = 0; v < vectors; ++v) store(at + v * lanes, sum[v]);
  }
}

// Rows of a panel times their scale; a column that a group lacks has no weight.
__attribute__((noinline)) void scale_columns(const double *scale, int64_t columns, double *panel) {
  for (int64_t k = 0; k < columns_at_once; ++k) {
    const Vec by = broadcast(k < columns ? scale[k] : 0);
    NNP_UNROLL for (int64_t u = 0; u < panel_units; u += lanes) {
      store(panel + k * panel_units + u, load(panel + k * panel_units + u) * by);
    }
  }
}

// What rows without entries have: the bias, and the weights met by the shifts.
__attribute__((noinline)) double start_of_unit(const PackedTile &p, const double *w, int64_t n,
                                               double bias) {
  constexpr int chains = 4;  // sums that do not wait for each other
  Vec sum[chains] = {};
  int64_t j = 0;
  for (; j + chains * lanes <= n; j += chains * lanes) {
    NNP_UNROLL for (int k = 0; k < chains; ++k) {
      const int64_t at = j + k * lanes;
      sum[k] = add_product<false>(sum[k], load(p.shift + at), load(w + at));
    }
  }
  const Vec all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = bias;
  for (int i = 0; i < lanes; ++i) total += all[i];
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
        const int64_t group = j / sparse_group, groups = groups_of(columns);
        if (p.starts[group] == p.starts[group + groups]) continue;
        turn<Behind::nothing, Behind::room>(here + j, n, units, columns, turned, panel_units);
        scale_columns(p.scale + j, columns, turned);
        for (int64_t k = 0; k < groups; ++k)
          add_group<vectors>(p, entries, group + k, turned + k * sparse_group * panel_units, sums);
      }
    });
    turn<Behind::room, Behind::nothing>(sums, panel_units, out.rows, units,
                                        out.data + first * out.ld, out.ld);
  });
}

// ---- Cross --------------------------------------------------------------------------------------

// The sums over a group's entries of value * outputs of its row, for each of its columns.
template <int vectors, class Entries>
NNP_INLINE void sum_group(const PackedTile &p, const Entries &entries, int64_t group,
                          const double *outputs, double *sums) {
  Vec sum[sparse_group][vectors] = {};
  const int64_t end = p.starts[group + 1];
  for (int64_t e = p.starts[group]; e < end; ++e) {
    const double *z = outputs + p.rows[e] * panel_units;
    Vec out[vectors];
    NNP_UNROLL for (int v = 0; v < vectors; ++v) out[v] = load(z + v * lanes);
    NNP_UNROLL for (int k = 0; k < sparse_group; ++k) {
      const Vec x = broadcast(entries[sparse_group * e + k]);
      NNP_UNROLL for (int v = 0; v < vectors; ++v) sum[k][v] =
          add_product<false>(sum[k][v], x, out[v]);
    }
  }
  NNP_UNROLL for (int k = 0; k < sparse_group; ++k) {
    NNP_UNROLL for (int v = 0; v < vectors; ++v) {
      store(sums + k * panel_units + v * lanes, sum[k][v]);
    }
  }
}

// c[., j …] += the columns of sums: scaled, and the totals of the outputs met by the shifts.
template <int vectors>
NNP_INLINE void add_columns(const PackedTile &p, int64_t j, int64_t columns, const double *totals,
                            double *sums, int64_t units, double *c, int64_t ldc) {
  for (int64_t k = 0; k < columns; ++k) {
    NNP_UNROLL for (int i = 0; i < vectors; ++i) {
      double *sum = sums + k * panel_units + i * lanes;
      store(sum, load(sum) * broadcast(p.scale[j + k]) +
                     load(totals + i * lanes) * broadcast(p.shift[j + k]));
    }
  }
  alignas(64) double turned[columns_at_once * panel_units];
  turn<Behind::room, Behind::room>(sums, panel_units, columns, units, turned, columns_at_once);
  for (int64_t u = 0; u < units; ++u) {
    double *to = c + u * ldc + j;
    const double *from = turned + u * columns_at_once;
    if (columns == columns_at_once) {
      NNP_UNROLL for (int k = 0; k < columns_at_once; k += lanes) {
        store(to + k, load(to + k) + load(from + k));
      }
    } else {
      for (int64_t k = 0; k < columns; ++k) to[k] += from[k];
    }
  }
}

// c += x' v: c is n x v.width column-major with leading dimension ldc.
void sparse_cross(const PackedTile &p, int64_t n, ConstTile v, double *c, int64_t ldc) {
  alignas(64) double outputs[panel_rows * panel_units] = {};
  alignas(64) double sums[columns_at_once * panel_units] = {};
  in_panels(v.width, [&](auto count, int64_t first, int64_t units) {
    constexpr int vectors = decltype(count)::value;
    double totals[panel_units] = {};
    const ConstTile here = {v.data + first * v.ld, v.rows, units, v.ld};
    add_sums(here, totals);
    turn<Behind::nothing, Behind::room>(here.data, here.ld, units, here.rows, outputs, panel_units);
    with_entries(p, [&](auto entries) {
      for (int64_t j = 0; j < n; j += columns_at_once) {
        const int64_t columns = least(columns_at_once, n - j);
        for (int64_t k = 0; k < groups_of(columns); ++k)
          sum_group<vectors>(p, entries, j / sparse_group + k, outputs,
                             sums + k * sparse_group * panel_units);
        add_columns<vectors>(p, j, columns, totals, sums, units, c + first * ldc, ldc);
      }
    });
  });
}

// ---- Averages of bytes --------------------------------------------------------------------------

constexpr int line_bytes = line * static_cast<int>(sizeof(double));
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
#if NNP_LANES == 8 && defined(__AVX512DQ__)
  return _mm512_cvtepi64_pd(
      _mm512_cvtepu16_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
#elif NNP_LANES == 4 && defined(__AVX2__)
  return _mm256_cvtepi32_pd(
      _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p))));
#else
  Vec x = {};
  for (int i = 0; i < lanes; ++i) x[i] = static_cast<double>(static_cast<int32_t>(p[i]));
  return x;
#endif
}

// Sums of the bytes of a window, rows side by side; up to most_pooled_bytes fit.
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

// The same as numbers.
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

// What a byte of the window adds to scale * mean.
NNP_INLINE double share_of(const ColumnWindow &window, double scale) {
  return scale / static_cast<double>(window.height * window.width);
}

// As `average`, of bytes: out[i] = shift + scale * mean. Steps are counted in bytes.
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

static_assert(pooled_rows % byte_lanes == 0, "rows come in whole vectors");

// Filters go in pairs; one that is alone is its own partner.
template <class Work>
NNP_INLINE void in_pairs(int64_t filters, const Work &work) {
  for (int64_t f = 0; f < filters; f += 2) work(f, f + 1 < filters ? f + 1 : f);
}

NNP_INLINE void multiply_pooled_rows(const PooledBytes &in, const uint8_t *corner,
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
  const Vec share = broadcast(share_of(in.pool, in.scale));
  NNP_UNROLL for (int f = 0; f < 2; ++f) {
    NNP_UNROLL for (int i = 0; i < byte_vectors; ++i) {
      store(out[f] + i * lanes, add_product<false>(broadcast(start[f]), share, sum[f][i]));
    }
  }
}

void pooled_multiply(const PooledBytes &in, const double *w, const double *start, Tile out) {
  in_pairs(out.width, [&](int64_t f, int64_t g) {
    for (int64_t p = 0; p < in.positions; ++p)
      for (int64_t row = 0; row < out.rows; row += byte_lanes) {
        double *here = out.data + p * in.step_out + row;
        multiply_pooled_rows(in, in.corner + p * in.step + row,
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

// Columns from `first` on, all positions.
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
