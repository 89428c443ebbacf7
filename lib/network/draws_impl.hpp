// The elementwise draws, written once for vectors of NNP_LANES doubles and compiled once per SIMD
// level. Which word of the stream is used for which element does not depend on the number of lanes.
// NNP_FILL_NORMAL is the level's function that fills an array with normals. See lanes.hpp for what
// such a file may contain.
#pragma once

#include "lib/network/pieces_impl.hpp"

namespace nnp {
namespace {

// Calls work(first, count, normals) for chunks of n elements. Vector loads may read beyond the end
// of a chunk's normals.
template <class Work>
NNP_INLINE void with_normals(Stream &stream, int64_t n, const Work &work) {
  alignas(64) double noise[chunk_room];
  for (int64_t first = 0; first < n; first += chunk_size) {
    const int64_t count = least(chunk_size, n - first);
    NNP_FILL_NORMAL(stream, noise, count);
    work(first, count, noise);
  }
}

void shake(Stream &stream, double pull, double sd, double *x, int64_t n) {
  with_normals(stream, n, [&](int64_t first, int64_t count, const double *noise) {
    double *at = x + first;
    const double *const end = at + count / lanes * lanes;
    for (; at != end; at += lanes, noise += lanes) store(at, load(at) * pull + load(noise) * sd);
    const int64_t left = count % lanes;
    if (left > 0) store_first(at, load_first(at, left) * pull + load(noise) * sd, left);
  });
}

void shake_tile(Stream &stream, double pull, double sd, Tile x) {
  if (x.rows == x.ld) return shake(stream, pull, sd, x.data, x.rows * x.width);
  for (int64_t j = 0; j < x.width; ++j) shake(stream, pull, sd, x.data + j * x.ld, x.rows);
}

#if defined(NNP_NEON)
// one_output for the first rows, whose number is returned: two vectors at a time, with one loaded
// coefficient and one step of every pointer for both.
template <bool keeps>
NNP_INLINE int64_t one_output_in_pairs(const OneOutput one, const ConstTile &mean,
                                       const double *above, const double *noise, const Tile &site) {
  constexpr int pair = 2;
  int64_t i = 0;
  for (; i + pair * lanes <= site.rows; i += pair * lanes) {
    Vec along[pair] = {}, through[pair] = {};
    const double *z = noise + i, *m = mean.data + i;
    double *s = site.data + i;
    for (const double *w = one.w, *end = w + site.width; w != end; ++w) {
      const double factor = *w;
      NNP_UNROLL for (int k = 0; k < pair; ++k) {
        const Vec here = load(z + k * lanes), from = load(m + k * lanes);
        along[k] += here * factor;
        through[k] += from * factor;
        Vec x = from * one.pull + here * one.sd;
        if constexpr (keeps) x += load(s + k * lanes) * one.keep;
        store(s + k * lanes, x);
      }
      z += site.rows, m += mean.ld, s += site.ld;
    }
    Vec move[pair];
    NNP_UNROLL for (int k = 0; k < pair; ++k) {
      move[k] = (load(above + i + k * lanes) - one.bias - through[k]) * one.gain -
                along[k] * (one.sd * one.q);
    }
    s = site.data + i;
    for (const double *w = one.w, *end = w + site.width; w != end; ++w, s += site.ld) {
      const double factor = *w;
      Vec x[pair];
      NNP_UNROLL for (int k = 0; k < pair; ++k) x[k] = load(s + k * lanes) + move[k] * factor;
      NNP_UNROLL for (int k = 0; k < pair; ++k) store(s + k * lanes, x[k]);
    }
  }
  return i;
}
#endif

// Processes vectors of rows, so that the sums over columns stay in registers.
void one_output(const OneOutput &one, ConstTile mean, const double *above, Stream &stream,
                double *noise, Tile site) {
  const int64_t rows = site.rows, width = site.width;
  NNP_FILL_NORMAL(stream, noise, rows * width);
  int64_t i = 0;
#if defined(NNP_NEON)
  i = one.keep == 0 ? one_output_in_pairs<false>(one, mean, above, noise, site)
                    : one_output_in_pairs<true>(one, mean, above, noise, site);
#endif
  for (; i < rows; i += lanes) {
    const int64_t count = rows - i;
    Vec along = {}, through = {};
    for (int64_t j = 0; j < width; ++j) {
      const Vec z = load_some(noise + j * rows + i, count);
      const Vec m = load_some(mean.data + j * mean.ld + i, count);
      double *s = site.data + j * site.ld + i;
      along += z * one.w[j];
      through += m * one.w[j];
      Vec x = m * one.pull + z * one.sd;
      if (one.keep != 0) x += load_some(s, count) * one.keep;
      store_some(s, x, count);
    }
    const Vec move =
        (load_some(above + i, count) - one.bias - through) * one.gain - along * (one.sd * one.q);
    for (int64_t j = 0; j < width; ++j) {
      double *s = site.data + j * site.ld + i;
      store_some(s, load_some(s, count) + move * one.w[j], count);
    }
  }
}

void one_piece(const OnePiece &one, const double *m, const double *x, int64_t n, Stream &stream,
               double *z) {
  with_normals(stream, n, [&](int64_t first, int64_t count, const double *noise) {
    for (int64_t i = 0; i < count; i += lanes) {
      const Vec mean = load_some(m + first + i, count - i) * one.weight_m +
                       (load_some(x + first + i, count - i) - one.offset) * one.weight_x;
      store_some(z + first + i, mean + load(noise + i) * one.sd, count - i);
    }
  });
}

// ---- Scores -------------------------------------------------------------------------------------

// base[at[i]]
NNP_INLINE Vec gather(const double *base, Words at) {
#if defined(NNP_AVX512)
  return _mm512_i64gather_pd(reinterpret_cast<__m512i>(at), base, 8);
#elif defined(NNP_AVX2)
  return _mm256_i64gather_pd(base, reinterpret_cast<__m256i>(at), 8);
#elif defined(NNP_NEON)
  return {float64x2_t{base[at.low[0]], base[at.low[1]]},
          float64x2_t{base[at.high[0]], base[at.high[1]]}};
#else
  Vec x = {};
  for (int i = 0; i < lanes; ++i) x[i] = base[at[i]];
  return x;
#endif
}

constexpr int64_t most_rows = Tiling::max_rows;

struct Attempt {
  alignas(64) double noise[most_rows + lanes], best[most_rows + lanes];
  alignas(64) uint64_t row[most_rows + lanes];
  alignas(64) double label[most_rows + lanes];
  uint8_t alive[most_rows / lanes + 1];  // one bit per lane
};

NNP_INLINE void take_scores(const Attempt &a, const double *scores, ScoreRows &waiting, Tile site) {
  const int64_t count = waiting.count;
  waiting.count = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = waiting.row[i], label = waiting.label[i];
    if (a.alive[i / lanes] >> (i % lanes) & 1) {
      for (int64_t k = 0; k < site.width; ++k)
        site.data[k * site.ld + row] = scores[k * most_rows + i];
      continue;
    }
    waiting.row[waiting.count] = row;
    waiting.label[waiting.count++] = label;
  }
}

// try_scores when all rows of the tile are waiting: they are processed in place.
NNP_INLINE void try_all_scores(const ConstTile &mean, double sd, Stream &stream, ScoreRows &waiting,
                               double *scores, const Tile &site) {
  alignas(64) double label[most_rows + lanes] = {};
  const int64_t rows = site.rows;
  for (int64_t i = 0; i < rows; ++i) label[i] = static_cast<double>(waiting.label[i]);
  NNP_FILL_NORMAL(stream, scores, rows * site.width);
  waiting.count = 0;
  for (int64_t i = 0; i < rows; i += lanes) {
    const int64_t count = rows - i;
    const Vec own_label = load(label + i);
    Vec own = {}, others = broadcast(-__builtin_inf());
    for (int64_t k = 0; k < site.width; ++k) {
      double *at = scores + k * rows + i;
      const Mask is_own = equal(own_label, broadcast(static_cast<double>(k)));
      const Vec score = load_some(mean.data + k * mean.ld + i, count) + load_some(at, count) * sd;
      store_some(at, score, count);
      own = is_own.pick(score, own);
      others = is_own.pick(others, greater(score, others));
    }
    const Mask beaten = less(own, others);
    for (int64_t k = 0; k < site.width; ++k) {
      double *to = site.data + k * site.ld + i;
      const Vec score = load_some(scores + k * rows + i, count);
      store_some(to, beaten.pick(load_some(to, count), score), count);
    }
    for (unsigned left = beaten.bits() & first_lanes(count); left != 0; left &= left - 1) {
      const int64_t row = i + __builtin_ctz(left);
      waiting.row[waiting.count] = row;
      waiting.label[waiting.count++] = waiting.label[row];
    }
  }
}

void try_scores(ConstTile mean, double sd, Stream &stream, ScoreRows &waiting, double *attempt,
                Tile site) {
  if (waiting.count == site.rows) return try_all_scores(mean, sd, stream, waiting, attempt, site);
  Attempt a;
  const int64_t count = waiting.count;
  NNP_FILL_NORMAL(stream, a.noise, count);
  for (int64_t i = 0; i < count + lanes; ++i) {
    a.row[i] = i < count ? static_cast<uint64_t>(waiting.row[i]) : 0;
    a.label[i] = i < count ? static_cast<double>(waiting.label[i]) : 0;
    if (i < count) a.best[i] = mean.data[waiting.label[i] * mean.ld + waiting.row[i]];
  }
  for (int64_t i = 0; i < count; i += lanes) {
    store(a.best + i, load(a.best + i) + load(a.noise + i) * sd);
    a.alive[i / lanes] = static_cast<uint8_t>(first_lanes(count - i));
  }
  unsigned any = 1;
  for (int64_t k = 0; k < mean.width && any != 0; ++k) {
    NNP_FILL_NORMAL(stream, a.noise, count);
    const double *means = mean.data + k * mean.ld;
    double *scores = attempt + k * most_rows;
    any = 0;
    for (int64_t i = 0; i < count; i += lanes) {
      const Vec best = load(a.best + i);
      const Mask own = equal(load(a.label + i), broadcast(static_cast<double>(k)));
      const Vec drawn = gather(means, load(a.row + i)) + load(a.noise + i) * sd;
      const Vec score = own.pick(best, drawn);
      store_some(scores + i, score, count - i);
      const unsigned beaten = less(best, score).bits();
      a.alive[i / lanes] = static_cast<uint8_t>(a.alive[i / lanes] & ~beaten);
      any |= a.alive[i / lanes];
    }
  }
  take_scores(a, attempt, waiting, site);
}

// values[piece of z]
template <int pieces>
NNP_INLINE Vec of_piece(const double *values, Mask in_first, Mask in_second) {
  const Vec last = broadcast(values[pieces - 1]);
  if (pieces == 1) return last;
  const Vec behind = pieces == 2 ? last : in_second.pick(broadcast(values[1]), last);
  return in_first.pick(broadcast(values[0]), behind);
}

template <int pieces>
NNP_INLINE Vec relax_vector(const RelaxedPieces &p, Vec m, Vec x, Vec noise, Vec z) {
  const Mask first = less(z, broadcast(p.high[0])), second = less(z, broadcast(p.high[1]));
  const Vec to = z * p.keep + m * of_piece<pieces>(p.per_m, first, second) +
                 x * of_piece<pieces>(p.per_x, first, second) +
                 of_piece<pieces>(p.shift, first, second) +
                 noise * of_piece<pieces>(p.sd, first, second);
  const Mask stays = at_most(of_piece<pieces>(p.low, first, second), to) &
                     less(to, of_piece<pieces>(p.high, first, second));
  return stays.pick(to, z);
}

template <int pieces>
NNP_INLINE void relax_any(const RelaxedPieces &p, const double *m, const double *x, int64_t n,
                          Stream &stream, double *z) {
  with_normals(stream, n, [&](int64_t first, int64_t count, const double *noise) {
    for (int64_t i = 0; i < count; i += lanes) {
      const int64_t at = first + i, left = count - i;
      const Vec moved = relax_vector<pieces>(p, load_some(m + at, left), load_some(x + at, left),
                                             load(noise + i), load_some(z + at, left));
      store_some(z + at, moved, left);
    }
  });
}

void relax_pieces(const RelaxedPieces &pieces, const double *m, const double *x, int64_t n,
                  Stream &stream, double *z) {
  if (pieces.count == 1) return relax_any<1>(pieces, m, x, n, stream, z);
  if (pieces.count == 2) return relax_any<2>(pieces, m, x, n, stream, z);
  relax_any<3>(pieces, m, x, n, stream, z);
}

constexpr DrawKernels table_of_level(const char *name) {
  DrawKernels table = {};
  table.name = name;
  table.normals = NNP_FILL_NORMAL;
  table.shake = shake;
  table.shake_tile = shake_tile;
  table.one_output = one_output;
  table.one_piece = one_piece;
  table.two_pieces = two_pieces;
  table.three_pieces = three_pieces;
  table.relax_pieces = relax_pieces;
  table.excesses = excesses;
  table.try_scores = try_scores;
  return table;
}

}  // namespace
}  // namespace nnp
