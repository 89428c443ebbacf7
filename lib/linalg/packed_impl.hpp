// Products with packed tiles (see packed.hpp), for kernels_impl.hpp. Sparse tiles are processed
// entry by entry, vectorised along the units: an entry adds the weights of its columns to the sums
// of its row, or the outputs of its row to the sums of its columns.
#pragma once

// ---- Unpacking ----------------------------------------------------------------------------------

#if NNP_LANES < 4
// Small whole numbers as doubles.
struct SmallNumbers {
  double value[256];
};
constexpr SmallNumbers small_numbers() {
  SmallNumbers n{};
  for (int i = 0; i < 256; ++i) n.value[i] = i;
  return n;
}
constexpr SmallNumbers number = small_numbers();
#endif

NNP_INLINE Vec numbers_at(const uint8_t *p) {
#if defined(NNP_AVX512)
  return _mm512_cvtepi64_pd(
      _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p))));
#elif defined(NNP_AVX2)
  int32_t bytes;
  __builtin_memcpy(&bytes, p, sizeof bytes);
  return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)));
#else
  return Vec{number.value[p[0]], number.value[p[1]]};
#endif
}

// shift + scale * x
void unpack_bytes(const uint8_t *x, double scale, double shift, double *to, int64_t count) {
  const Vec scales = broadcast(scale), shifts = broadcast(shift);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store(to + i, shifts + scales * numbers_at(x + i));
  for (; i < count; ++i) to[i] = shift + scale * static_cast<double>(static_cast<int32_t>(x[i]));
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
      unpack_bytes(p.bytes + from * p.ld, scale, shift, to, out.rows);
      continue;
    }
    for (int64_t i = 0; i < out.rows; ++i) to[i] = shift;
    const uint32_t *starts = p.starts + from / sparse_group;
    for (int64_t e = starts[0]; e < starts[1]; ++e) {
      const int64_t at = sparse_group * e + from % sparse_group;
      const double entry =
          p.small ? static_cast<double>(static_cast<int32_t>(p.small[at])) : p.values[at];
      to[p.rows[e]] += scale * entry;
    }
  }
}

// ---- Vectors of units ---------------------------------------------------------------------------

template <bool shared>
constexpr int units_of = shared ? lanes / 2 : lanes;
// Number of vectors for the features of a group.
template <bool shared>
constexpr int steps_of = shared ? sparse_group / 2 : sparse_group;

// The values of a group's features, arranged as step k needs them.
template <bool shared>
NNP_INLINE Vec of_features(const double *numbers, int k) {
#if NNP_LANES == 8
  if constexpr (shared) return _mm512_broadcast_f64x2(_mm_loadu_pd(numbers + 2 * k));
#endif
  return broadcast(numbers[k]);
}

// Units are processed in panels: a few vectors with one unit per lane and, with eight lanes,
// sometimes a shared vector after them, which has two features of four units, those of a unit side
// by side.
template <int fulls, int shared>
struct Panel {
  static constexpr int vectors = fulls + shared;

  // Calls work(vector, step, x) for all steps; x contains the values of an entry for that step.
  template <class Work>
  NNP_INLINE static void each_step(const double *values, const Work &work) {
    NNP_UNROLL for (int k = 0; k < sparse_group; ++k) {
      const Vec x = of_features<false>(values, k);
      NNP_UNROLL for (int v = 0; v < fulls; ++v) work(v, k, x);
    }
    if constexpr (shared) {
      NNP_UNROLL for (int k = 0; k < steps_of<true>; ++k) {
        work(fulls, k, of_features<true>(values, k));
      }
    }
  }

  // Calls work(is shared?, vector, its first unit) for each vector; the first two are constants.
  template <int v = 0, class Work>
  NNP_INLINE static void each(const Work &work) {
    if constexpr (v < vectors) {
      work(Count<(v >= fulls)>{}, Count<v>{}, v * lanes);
      each<v + 1>(work);
    }
  }
};

// Calls work(Panel, first unit, units) for panels of units. Panels of fewer vectors are not worth
// separate code.
template <class Work>
NNP_INLINE void in_panels(int64_t units, const Work &work) {
  in_runs<lanes == 8 ? 16 : 4 * lanes>(units, [&](int64_t first, int64_t length) {
    if constexpr (lanes == 8) {
      if (length <= 8) return work(Panel<1, 0>{}, first, length);
      if (length <= 12) return work(Panel<1, 1>{}, first, length);
      return work(Panel<2, 0>{}, first, length);
    }
    if (lanes == 4 && length <= 12) return work(Panel<3, 0>{}, first, length);
    work(Panel<4, 0>{}, first, length);
  });
}

// to[u, k] = from[u, k] for units u and numbers k < count; `apart` is the distance between units.
__attribute__((noinline)) void copy_strips(const double *from, int64_t apart, int64_t units,
                                           int64_t count, double *to, int64_t to_apart) {
  for (int64_t u = 0; u < units; ++u)
    for (int64_t k = 0; k < count; ++k) to[u * to_apart + k] = from[u * apart + k];
}

#if NNP_LANES == 8
// y = the transposes of both halves of x, each 4 x 4.
NNP_INLINE void turn_halves(const Vec *x, Vec *y) {
  Vec a[4];
  NNP_UNROLL for (int i = 0; i < 4; i += 2) {
    a[i] = NNP_SHUFFLE(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = NNP_SHUFFLE(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  NNP_UNROLL for (int k = 0; k < 2; ++k) {
    y[k] = NNP_SHUFFLE(a[k], a[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    y[k + 2] = NNP_SHUFFLE(a[k], a[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
}

// y = the transpose of x, 4 x 4 pairs.
NNP_INLINE void turn_pairs(const Vec *x, Vec *y) {
  Vec a[4];
  NNP_UNROLL for (int i = 0; i < 2; ++i) {
    a[i] = NNP_SHUFFLE(x[2 * i], x[2 * i + 1], 0, 1, 2, 3, 8, 9, 10, 11);
    a[i + 2] = NNP_SHUFFLE(x[2 * i], x[2 * i + 1], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  NNP_UNROLL for (int i = 0; i < 4; i += 2) {
    y[i] = NNP_SHUFFLE(a[i], a[i + 1], 0, 1, 4, 5, 8, 9, 12, 13);
    y[i + 1] = NNP_SHUFFLE(a[i], a[i + 1], 2, 3, 6, 7, 10, 11, 14, 15);
  }
}

// A vector of the four numbers at low followed by the four at high.
NNP_INLINE Vec join(const double *low, const double *high) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}
NNP_INLINE void add_parts(Vec x, double *low, double *high) {
  const Vec sum = join(low, high) + x;
  _mm256_storeu_pd(low, _mm512_castpd512_pd256(sum));
  _mm256_storeu_pd(high, _mm512_extractf64x4_pd(sum, 1));
}
#endif

// y = the transpose of the square x.
NNP_INLINE void turn_square(const Vec *x, Vec *y) {
#if NNP_LANES == 8
  Vec a[8];
  turn_halves(x, a);
  turn_halves(x + 4, a + 4);
  NNP_UNROLL for (int k = 0; k < 4; ++k) {
    y[k] = NNP_SHUFFLE(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    y[k + 4] = NNP_SHUFFLE(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
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

// row[i] = the values of a vector's units in row i.
template <bool shared>
NNP_INLINE void rows_of_units(const Vec (&unit)[lanes], Vec (&row)[lanes]) {
#if NNP_LANES == 8
  if constexpr (shared) {
    Vec two[4];
    turn_pairs(unit, two);
    NNP_UNROLL for (int i = 0; i < 4; ++i) {
      row[2 * i] = NNP_SHUFFLE(two[i], two[i], 0, 0, 2, 2, 4, 4, 6, 6);
      row[2 * i + 1] = NNP_SHUFFLE(two[i], two[i], 1, 1, 3, 3, 5, 5, 7, 7);
    }
    return;
  }
#endif
  turn_square(unit, row);
}

// unit[u] = the values of unit u in the rows; if it has several lanes, their sum.
template <bool shared>
NNP_INLINE void units_of_rows(const Vec (&row)[lanes], Vec (&unit)[lanes]) {
#if NNP_LANES == 8
  if constexpr (shared) {
    Vec two[4];
    NNP_UNROLL for (int i = 0; i < 4; ++i) {
      two[i] = NNP_SHUFFLE(row[2 * i], row[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               NNP_SHUFFLE(row[2 * i], row[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    return turn_pairs(two, unit);
  }
#endif
  turn_square(row, unit);
}

// group[k] = the values of a vector's units for the features of step k, from one strip of features
// per unit.
template <bool shared>
NNP_INLINE void features_of_strips(const double *strips, int64_t apart,
                                   Vec (&group)[sparse_group]) {
#if NNP_LANES == 8
  if constexpr (shared) {
    const Vec low = join(strips, strips + apart);
    const Vec high = join(strips + 2 * apart, strips + 3 * apart);
    group[0] = NNP_SHUFFLE(low, high, 0, 1, 4, 5, 8, 9, 12, 13);
    group[1] = NNP_SHUFFLE(low, high, 2, 3, 6, 7, 10, 11, 14, 15);
  } else {
    Vec two[4];
    NNP_UNROLL for (int u = 0; u < 4; ++u) {
      two[u] = join(strips + u * apart, strips + (u + 4) * apart);
    }
    turn_halves(two, group);
  }
#else
  NNP_UNROLL for (int first = 0; first < sparse_group; first += lanes) {
    Vec unit[lanes];
    NNP_UNROLL for (int u = 0; u < lanes; ++u) unit[u] = load(strips + u * apart + first);
    turn_square(unit, group + first);
  }
#endif
}

// The reverse of the above: adds the features to the strips.
template <bool shared>
NNP_INLINE void add_to_strips(const Vec (&group)[sparse_group], double *strips, int64_t apart) {
#if NNP_LANES == 8
  if constexpr (shared) {
    const Vec low = NNP_SHUFFLE(group[0], group[1], 0, 1, 8, 9, 2, 3, 10, 11);
    const Vec high = NNP_SHUFFLE(group[0], group[1], 4, 5, 12, 13, 6, 7, 14, 15);
    add_parts(low, strips, strips + apart);
    add_parts(high, strips + 2 * apart, strips + 3 * apart);
  } else {
    Vec two[4];
    turn_halves(group, two);
    NNP_UNROLL for (int u = 0; u < 4; ++u) {
      add_parts(two[u], strips + u * apart, strips + (u + 4) * apart);
    }
  }
#else
  NNP_UNROLL for (int first = 0; first < sparse_group; first += lanes) {
    Vec unit[lanes];
    turn_square(group + first, unit);
    NNP_UNROLL for (int u = 0; u < lanes; ++u) {
      double *to = strips + u * apart + first;
      store(to, load(to) + unit[u]);
    }
  }
#endif
}

// Code that runs once per group is inlined at the highest level only; elsewhere that would be
// wasted code.
#if NNP_LANES == 8
#define NNP_INLINE_WIDE NNP_INLINE
#else
#define NNP_INLINE_WIDE __attribute__((noinline))
#endif

// ---- Groups of features -------------------------------------------------------------------------

constexpr int64_t panel_rows = Tiling::max_rows;

// The values of a group's features; zeros for those that the last group lacks.
NNP_INLINE const double *whole_group(const double *from, int64_t features,
                                     double (&copy)[sparse_group]) {
  if (features >= sparse_group) return from;
  for (int64_t k = 0; k < sparse_group; ++k) copy[k] = k < features ? from[k] : 0;
  return copy;
}

// A group of features: its entries, and the scales and shifts of its values.
struct Group {
  int64_t first, features;  // the number of them that exist, up to sparse_group
  int64_t entry, end;
  const double *scale, *shift;
  double scale_copy[sparse_group], shift_copy[sparse_group];
};

// Calls work(group) for all groups of n features.
template <class Work>
NNP_INLINE void in_groups(const PackedTile &p, int64_t n, const Work &work) {
  Group group;
  for (int64_t j = 0; j < n; j += sparse_group) {
    group.first = j;
    group.features = least(sparse_group, n - j);
    group.entry = p.starts[j / sparse_group];
    group.end = p.starts[j / sparse_group + 1];
    group.scale = whole_group(p.scale + j, group.features, group.scale_copy);
    group.shift = whole_group(p.shift + j, group.features, group.shift_copy);
    work(group);
  }
}

// Small entries are converted to doubles some time before they are used, since loads shortly after
// the stores would stall. Pairs of entries alternate between two halves of a buffer.
struct Converted {
  static constexpr int64_t half = entries_ahead * sparse_group;
  alignas(64) double values[2 * half];

  NNP_INLINE static int64_t place(int64_t e) { return e * sparse_group & (2 * half - 1); }
};

NNP_INLINE void convert_pair(const uint8_t *small, double *to) {
  NNP_UNROLL for (int i = 0; i < 2 * sparse_group; i += lanes) {
    store(to + i, numbers_at(small + i));
  }
}

NNP_INLINE void convert_first(const PackedTile &p, Converted &converted) {
  for (int64_t i = 0; p.small && i < Converted::half; i += 2 * sparse_group)
    convert_pair(p.small + i, converted.values + i);
}

// Calls work(which, row, values) for the entries of a group; `which` is a constant, alternately 0
// and 1.
template <class Work>
NNP_INLINE void in_entries(const PackedTile &p, const Group &group, Converted &converted,
                           const Work &work) {
  for (int64_t e = group.entry; e < group.end; e += 2) {
    const double *values;
    if (p.small) {
      const int64_t place = Converted::place(e);
      values = converted.values + place;
      convert_pair(p.small + sparse_group * (e + entries_ahead),
                   converted.values + (place ^ Converted::half));
    } else {
      values = p.values + sparse_group * e;
    }
    work(Count<0>{}, p.rows[e], values);
    work(Count<1>{}, p.rows[e + 1], values + sparse_group);
  }
}

// ---- Forward ------------------------------------------------------------------------------------

// Weights of a group for the units of a vector, times the scales of their features; start += the
// contribution of the shifts.
template <bool shared>
NNP_INLINE_WIDE void take_weights(const Group &group, int64_t n, const double *w, int64_t units,
                                  Vec (&weights)[sparse_group], Vec &start) {
  double copy[lanes * sparse_group];
  const double *strips = w + group.first;
  int64_t apart = n;
  if (group.features < sparse_group || units < units_of<shared>) {
    for (double &one : copy) one = 0;
    copy_strips(strips, n, least(units, units_of<shared>), group.features, copy, sparse_group);
    strips = copy, apart = sparse_group;
  }
  Vec turned[sparse_group];
  features_of_strips<shared>(strips, apart, turned);
  NNP_UNROLL for (int k = 0; k < steps_of<shared>; ++k) {
    start = add_product<false>(start, turned[k], of_features<shared>(group.shift, k));
    weights[k] = turned[k] * of_features<shared>(group.scale, k);
  }
}

// sums += values of an entry * weights
template <class Panel>
NNP_INLINE void add_entry(const double *values, const Vec (&weights)[Panel::vectors][sparse_group],
                          double *sums) {
  Vec sum[Panel::vectors];
  NNP_UNROLL for (int v = 0; v < Panel::vectors; ++v) sum[v] = load(sums + v * lanes);
  Panel::each_step(
      values, [&](int v, int k, Vec x) { sum[v] = add_product<false>(sum[v], x, weights[v][k]); });
  NNP_UNROLL for (int v = 0; v < Panel::vectors; ++v) store(sums + v * lanes, sum[v]);
}

// out = start + sums in the rows of a vector, for the units of another; rows are `across` apart.
template <bool shared>
__attribute__((noinline)) void take_sums(const double *sums, int64_t across, const Vec &start,
                                         const Tile &out) {
  Vec row[lanes], unit[lanes];
  NNP_UNROLL for (int k = 0; k < lanes; ++k) row[k] = load(sums + k * across) + start;
  units_of_rows<shared>(row, unit);
  const bool whole = out.rows >= lanes && out.width >= units_of<shared>;
  double copy[lanes * lanes];
  double *to = whole ? out.data : copy;
  const int64_t apart = whole ? out.ld : lanes;
  NNP_UNROLL for (int u = 0; u < units_of<shared>; ++u) store(to + u * apart, unit[u]);
  if (!whole)
    copy_strips(copy, lanes, least(out.width, units_of<shared>), least(out.rows, lanes), out.data,
                out.ld);
}

// Biases of the units of a vector.
template <bool shared>
NNP_INLINE Vec start_of(const double *bias, int64_t units) {
  Vec start = {};
  for (int u = 0; bias && u < units_of<shared> && u < units; ++u)
    start[shared ? 2 * u : u] = bias[u];
  return start;
}

template <class Panel>
__attribute__((noinline)) void multiply_panel(const PackedTile &p, int64_t n, const double *w,
                                              const double *bias, const Tile &out) {
  constexpr int64_t across = Panel::vectors * lanes;
  alignas(64) double sums[panel_rows * across];
  for (int64_t i = 0; i < panel_rows * across; i += lanes) store(sums + i, Vec{});
  Vec start[Panel::vectors];  // the value of rows without entries
  Panel::each([&](auto shared, auto v, int64_t first) {
    start[v()] = start_of<shared()>(bias ? bias + first : nullptr, out.width - first);
  });
  Converted converted;
  convert_first(p, converted);
  in_groups(p, n, [&](const Group &group) {
    Vec weights[Panel::vectors][sparse_group];
    Panel::each([&](auto shared, auto v, int64_t first) {
      take_weights<shared()>(group, n, w + first * n, out.width - first, weights[v()], start[v()]);
    });
    in_entries(p, group, converted, [&](auto, int64_t row, const double *values) {
      add_entry<Panel>(values, weights, sums + row * across);
    });
  });
  for (int64_t i = 0; i < out.rows; i += lanes)
    Panel::each([&](auto shared, auto v, int64_t first) {
      take_sums<shared()>(sums + i * across + first, across, start[v()],
                          {out.data + first * out.ld + i, out.rows - i, out.width - first, out.ld});
    });
}

// out = x w + 1 bias', w n x out.width column-major.
void sparse_multiply(const PackedTile &p, int64_t n, const double *w, const double *bias,
                     Tile out) {
  in_panels(out.width, [&](auto panel, int64_t first, int64_t units) {
    multiply_panel<decltype(panel)>(p, n, w + first * n, bias ? bias + first : nullptr,
                                    {out.data + first * out.ld, out.rows, units, out.ld});
  });
}

// ---- Cross --------------------------------------------------------------------------------------

// Sums that alternate, so that one need not wait for the other.
constexpr int sets = lanes == 8 ? 2 : 1;

// sums += values of an entry * outputs of its row
template <class Panel>
NNP_INLINE void add_outputs(const double *values, const double *outputs,
                            Vec (&sums)[Panel::vectors][sparse_group]) {
  Vec out[Panel::vectors];
  NNP_UNROLL for (int v = 0; v < Panel::vectors; ++v) out[v] = load(outputs + v * lanes);
  Panel::each_step(
      values, [&](int v, int k, Vec x) { sums[v][k] = add_product<false>(sums[v][k], x, out[v]); });
}

// c += the sums of a group for the units of a vector, scaled, plus the shifts times the totals of
// the outputs.
template <bool shared>
NNP_INLINE_WIDE void add_columns(const Group &group, const Vec (&sums)[sparse_group],
                                 const Vec (&more)[sparse_group], const Vec &totals, int64_t units,
                                 double *c, int64_t ldc) {
  Vec scaled[sparse_group];
  NNP_UNROLL for (int k = 0; k < steps_of<shared>; ++k) {
    const Vec sum = sets == 2 ? sums[k] + more[k] : sums[k];
    scaled[k] =
        sum * of_features<shared>(group.scale, k) + totals * of_features<shared>(group.shift, k);
  }
  const bool whole = group.features == sparse_group && units >= units_of<shared>;
  const int64_t there = least(units, units_of<shared>);
  double copy[lanes * sparse_group];
  double *strips = c + group.first;
  if (!whole) copy_strips(strips, ldc, there, group.features, copy, sparse_group);
  add_to_strips<shared>(scaled, whole ? strips : copy, whole ? ldc : sparse_group);
  if (!whole) copy_strips(copy, sparse_group, there, group.features, strips, ldc);
}

// Stores the outputs of the units of a vector in the rows of another, `across` apart, and adds them
// to their totals.
template <bool shared>
__attribute__((noinline)) void fill_outputs(const ConstTile &tile, double *outputs, int64_t across,
                                            Vec &totals) {
  const bool whole = tile.rows >= lanes && tile.width >= units_of<shared>;
  double copy[lanes * lanes] = {};
  if (!whole)
    copy_strips(tile.data, tile.ld, least(tile.width, units_of<shared>), least(tile.rows, lanes),
                copy, lanes);
  const double *from = whole ? tile.data : copy;
  const int64_t apart = whole ? tile.ld : lanes;
  Vec unit[lanes] = {}, row[lanes];
  NNP_UNROLL for (int u = 0; u < units_of<shared>; ++u) unit[u] = load(from + u * apart);
  rows_of_units<shared>(unit, row);
  NNP_UNROLL for (int k = 0; k < lanes; ++k) {
    store(outputs + k * across, row[k]);
    totals += row[k];
  }
}

template <class Panel>
__attribute__((noinline)) void cross_panel(const PackedTile &p, int64_t n, const ConstTile &tile,
                                           double *c, int64_t ldc) {
  constexpr int64_t across = Panel::vectors * lanes;
  alignas(64) double outputs[panel_rows * across];
  Vec totals[Panel::vectors] = {};
  for (int64_t i = 0; i < tile.rows; i += lanes)
    Panel::each([&](auto shared, auto v, int64_t first) {
      fill_outputs<shared()>(
          {tile.data + first * tile.ld + i, tile.rows - i, tile.width - first, tile.ld},
          outputs + i * across + first, across, totals[v()]);
    });
  Converted converted;
  convert_first(p, converted);
  in_groups(p, n, [&](const Group &group) {
    Vec sums[sets][Panel::vectors][sparse_group] = {};
    in_entries(p, group, converted, [&](auto which, int64_t row, const double *values) {
      add_outputs<Panel>(values, outputs + row * across, sums[which() % sets]);
    });
    Panel::each([&](auto shared, auto v, int64_t first) {
      add_columns<shared()>(group, sums[0][v()], sums[sets - 1][v()], totals[v()],
                            tile.width - first, c + first * ldc, ldc);
    });
  });
}

// c += x' v: c is n x v.width column-major with leading dimension ldc.
void sparse_cross(const PackedTile &p, int64_t n, ConstTile v, double *c, int64_t ldc) {
  in_panels(v.width, [&](auto panel, int64_t first, int64_t units) {
    cross_panel<decltype(panel)>(p, n, {v.data + first * v.ld, v.rows, units, v.ld},
                                 c + first * ldc, ldc);
  });
}
