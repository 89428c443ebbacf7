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
