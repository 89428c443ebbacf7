// The elementwise draws, written once for vectors of NNP_LANES doubles and compiled once a SIMD
// level. Which word of the stream serves which element does not depend on the number of lanes.
// See lanes.hpp for what such a file may contain.
#pragma once

#include "lib/network/draws.hpp"
#include "lib/random/wide_impl.hpp"

namespace nnp {
namespace {

// Elements go through in chunks that stay in the first cache.
constexpr int64_t chunk_size = 256;
constexpr int64_t chunk_room = chunk_size + lanes;  // vectors may stick out

NNP_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

void normals(Stream &stream, double *out, int64_t n) {
  wide_normals(stream, out, n);
}

// Calls work(first, count, normals) for chunks of n elements. Vectors of a chunk's normals may be
// read beyond its count.
template <class Work>
NNP_INLINE void with_normals(Stream &stream, int64_t n, const Work &work) {
  alignas(64) double noise[chunk_room];
  for (int64_t first = 0; first < n; first += chunk_size) {
    const int64_t count = least(chunk_size, n - first);
    wide_normals(stream, noise, count);
    work(first, count, noise);
  }
}

// The first `count` lanes at p (all of them from lanes on).
NNP_INLINE Vec load_some(const double *p, int64_t count) {
  return count >= lanes ? load(p) : load_first(p, count);
}
NNP_INLINE void store_some(double *p, Vec x, int64_t count) {
  if (count >= lanes) return store(p, x);
  store_first(p, x, count);
}

void shake(Stream &stream, double pull, double sd, double *x, int64_t n) {
  with_normals(stream, n, [&](int64_t first, int64_t count, const double *noise) {
    for (int64_t i = 0; i < count; i += lanes) {
      double *at = x + first + i;
      store_some(at, load_some(at, count - i) * pull + load(noise + i) * sd, count - i);
    }
  });
}

void shake_tile(Stream &stream, double pull, double sd, Tile x) {
  if (x.rows == x.ld) return shake(stream, pull, sd, x.data, x.rows * x.width);
  for (int64_t j = 0; j < x.width; ++j) shake(stream, pull, sd, x.data + j * x.ld, x.rows);
}

// Rows are worked in vectors: the sums over columns stay in registers.
void one_output(const OneOutput &one, ConstTile mean, const double *above, Stream &stream,
                double *noise, Tile site) {
  const int64_t rows = site.rows, width = site.width;
  wide_normals(stream, noise, rows * width);
  for (int64_t i = 0; i < rows; i += lanes) {
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

// ---- Two pieces ---------------------------------------------------------------------------------

NNP_INLINE Vec positive(Vec a) {
  return a > Vec{} ? a : Vec{};
}

// How the pieces see an element.
struct Depths {
  Vec left, right;  // of each mode inside its piece, in sd
  Vec log_odds;     // of right over left where each density is 1 at its maximum in the piece
};

// From the knot to a mode inside its piece the exponent falls by depth^2/2. Where both modes are
// inside, the difference of squares is taken as a product: for abs it is 2 m x/(dx + dz), which may
// be of order 1 where the squares are of order 1e16.
NNP_INLINE Depths depths_at(const TwoPieces &two, Vec m, Vec x) {
  const Vec dm = m - two.knot;
  const Vec left = -two.left.per_m * dm - two.left.per_x * (x - two.value_left);
  const Vec right = two.right.per_m * dm + two.right.per_x * (x - two.value_right);
  const Vec difference = two.difference_m * dm + two.difference_x * x + two.difference_0;
  const Vec sum = two.sum_m * dm + two.sum_x * x + two.sum_0;
  const Vec squares = positive(right) * positive(right) - positive(left) * positive(left);
  const Vec shallow = left < right ? left : right;
  const Vec fall = shallow > Vec{} ? difference * sum : squares;
  return {left, right, two.jump.slope * (two.jump.middle - x) + fall * 0.5};
}

// Elements that are not served yet, close together.
struct Waiting {
  int64_t count;
  alignas(64) double left[chunk_room], right[chunk_room];  // depths
  alignas(64) double odds[chunk_room];  // of right over left by the masses of their envelopes
  alignas(64) uint64_t index[chunk_room];
};

NNP_INLINE void append(Waiting &waiting, unsigned which, Vec left, Vec right, Vec odds,
                       Words index) {
  store_packed(waiting.left + waiting.count, left, which);
  store_packed(waiting.right + waiting.count, right, which);
  store_packed(waiting.odds + waiting.count, odds, which);
  store_packed(waiting.index + waiting.count, index, which);
  waiting.count += __builtin_popcount(which);
}

NNP_INLINE Words numbers_from(int64_t first) {
  Words n = {};
  for (int i = 0; i < lanes; ++i) n[i] = static_cast<uint64_t>(first + i);
  return n;
}

constexpr double inverse_normal = 0.3989422804014327;  // 1/sqrt(2 pi)
constexpr double inverse_half = 0.7978845608028654;    // 1/sqrt(pi/2)

// As envelope_inverse_mass for half-lines.
NNP_INLINE Vec inverse_mass(Vec depth) {
  const Vec outside = -depth > broadcast(inverse_half) ? -depth : broadcast(inverse_half);
  return depth > Vec{} ? broadcast(inverse_normal) : outside;
}

// The log odds of all that wait become odds: sd * envelope mass * greatest density.
__attribute__((noinline)) void weigh(const TwoPieces &two, Waiting &waiting) {
  for (int64_t i = 0; i < waiting.count; i += lanes) {
    const Vec masses = inverse_mass(load(waiting.left + i)) / inverse_mass(load(waiting.right + i));
    const Vec density = exponential_of(load(waiting.odds + i));
    store(waiting.odds + i, masses * two.sd_ratio * density);
  }
}

// Rare lanes of a round: a variate outside the ziggurat's table, or a draw so close to the knot
// that it rounds onto it. Returns the lanes that are still rejected.
__attribute__((noinline)) unsigned finish_lanes(double knot, Stream &stream, unsigned rare,
                                                unsigned rejected, const double *depth,
                                                const double *step, const uint64_t *word,
                                                const uint64_t *other, double *z) {
  for (; rare != 0; rare &= rare - 1) {
    const int i = __builtin_ctz(rare);
    double excess;
    const bool accepted = propose_from_words(stream, depth[i], word[i], other[i], &excess);
    rejected = accepted ? rejected & ~(1u << i) : rejected | 1u << i;
    if (accepted) z[i] = beside(knot, step[i] * excess);
  }
  return rejected;
}

// For all that wait: words to pick a piece, then words for proposals, then words to accept by.
struct RoundWords {
  alignas(64) uint64_t word[3 * chunk_room];
};

// One round for all that wait: a piece is picked by the masses of the envelopes, a proposal made in
// it and accepted or not; those not accepted go on waiting.
__attribute__((noinline)) void propose_all(const TwoPieces &two, Stream &stream, RoundWords &words,
                                           Waiting &waiting, double *z) {
  const int64_t count = waiting.count;
  wide_words(stream.wide, words.word, 3 * count);
  // Lanes beyond the last one are drawn and thrown away: let them be numbers.
  store(words.word + 3 * count, Words{});
  store(waiting.left + count, Vec{});
  store(waiting.right + count, Vec{});
  store(waiting.odds + count, Vec{});
  const uint64_t *picks = words.word, *proposals = picks + count, *others = proposals + count;
  waiting.count = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec left = load(waiting.left + i), right = load(waiting.right + i);
    const Vec odds = load(waiting.odds + i);
    const Words index = load(waiting.index + i);
    // u uniform on (0, 1): right if u/(1 - u) < odds
    const Words mantissa = (load(picks + i) >> 12) | (uint64_t{0x3ff} << 52);
    const Vec u = as_numbers(mantissa) - broadcast(1 - 0x1p-53);
    const Mask is_right = less(u, (1 - u) * odds);
    const Vec depth = is_right.pick(right, left);
    const Vec step = is_right.pick(broadcast(two.right.sd), broadcast(-two.left.sd));
    const Mask inside = less(Vec{}, depth);
    const Mask deep = ~less(broadcast(-inverse_half), depth);  // or NaN, which then gives NaN
    const Words word = load(proposals + i), other = load(others + i);
    const Proposal x = propose(word, deep.word(WideTable::exponential));
    const Proposal allowed = propose(other, same_word(WideTable::exponential));
    const Vec size = size_of(x.x);
    const Vec away = deep.bits() == 0 ? size : size / deep.pick(-depth, broadcast(1));
    const Vec excess = inside.pick(depth + x.x, away);
    const Vec energy = deep.pick(0.5 * away, -depth) * away;
    const Vec value = two.knot + step * excess;
    const Mask rejects =
        (inside & at_most(excess, Vec{})) | (~inside & less(size_of(allowed.x), energy));
    const Mask rare = x.outside | (allowed.outside & ~inside) | equal(value, broadcast(two.knot));
    const unsigned here = first_lanes(count - i);
    unsigned rejected = rejects.bits() & here;
    alignas(64) double drawn[lanes];
    alignas(64) uint64_t place[lanes];
    store(drawn, value);
    store(place, index);
    if (const unsigned slow = rare.bits() & here; __builtin_expect(slow != 0, 0)) {
      alignas(64) double depths[lanes], steps[lanes];
      store(depths, depth);
      store(steps, step);
      rejected = finish_lanes(two.knot, stream, slow, rejected, depths, steps, proposals + i,
                              others + i, drawn);
    }
    append(waiting, rejected, left, right, odds, index);
    // what was rejected will be written over
    if (here == first_lanes(lanes)) {
      NNP_UNROLL for (int lane = 0; lane < lanes; ++lane) z[place[lane]] = drawn[lane];
    } else {
      for (int lane = 0; here >> lane & 1; ++lane) z[place[lane]] = drawn[lane];
    }
  }
}

struct Choice {
  alignas(64) double depth[chunk_room], step[chunk_room];
  uint8_t waits[chunk_room / lanes + 1];  // a bit a lane
};

// Depths of all; those wait whose piece is not certain, or whose mode is outside it.
NNP_INLINE void choose(const TwoPieces &two, const double *m, const double *x, int64_t count,
                       Choice &choice, Waiting &waiting) {
  waiting.count = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const Depths d = depths_at(two, load_some(m + i, count - i), load_some(x + i, count - i));
    const Mask is_right = less(Vec{}, d.log_odds);
    const Vec depth = is_right.pick(d.right, d.left);
    store(choice.depth + i, depth);
    store(choice.step + i, is_right.pick(broadcast(two.right.sd), broadcast(-two.left.sd)));
    const Vec shallow = less(d.left, d.right).pick(d.left, d.right);
    const Mask plain = less(broadcast(two.certain), size_of(d.log_odds)) &
                       less(broadcast(deepest_certain), shallow) & less(Vec{}, depth);
    const unsigned waits = ~plain.bits() & first_lanes(count - i);
    choice.waits[i / lanes] = static_cast<uint8_t>(waits);
    append(waiting, waits, d.left, d.right, d.log_odds, numbers_from(i));
  }
}

// Whole normals for those that do not wait. Where one leaves its piece the element waits, too: its
// piece is certain, which odds beyond all bounds say.
NNP_INLINE void draw_plain(const TwoPieces &two, Stream &stream, const Choice &choice,
                           int64_t count, Waiting &waiting, double *z) {
  alignas(64) double noise[chunk_room];
  wide_normals(stream, noise, count);
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec depth = load(choice.depth + i), step = load(choice.step + i);
    const Vec excess = depth + load(noise + i), value = two.knot + step * excess;
    store_some(z + i, value, count - i);
    const Mask fails = at_most(excess, Vec{}) | equal(value, broadcast(two.knot));
    const unsigned failed =
        fails.bits() & ~unsigned{choice.waits[i / lanes]} & first_lanes(count - i);
    if (__builtin_expect(failed == 0, 1)) continue;
    const Vec odds = step > Vec{} ? broadcast(1e300) : Vec{};
    append(waiting, failed, depth, depth, odds, numbers_from(i));
  }
}

void two_pieces(const TwoPieces &two, const double *m, const double *x, int64_t n, Stream &stream,
                double *z) {
  Choice choice;
  Waiting waiting;
  RoundWords words;
  for (int64_t first = 0; first < n; first += chunk_size) {
    const int64_t count = least(chunk_size, n - first);
    choose(two, m + first, x + first, count, choice, waiting);
    weigh(two, waiting);
    if (waiting.count < count) draw_plain(two, stream, choice, count, waiting, z + first);
    while (waiting.count > 0) propose_all(two, stream, words, waiting, z + first);
  }
}

// ---- Truncated normals --------------------------------------------------------------------------

// One piece right of 0 with sd 1: the draw is the excess itself.
void excesses(const double *depth, int64_t n, Stream &stream, double *excess) {
  TwoPieces one{};
  one.left.sd = one.right.sd = 1;
  Waiting waiting;
  RoundWords words;
  for (int64_t first = 0; first < n; first += chunk_size) {
    const int64_t count = least(chunk_size, n - first);
    waiting.count = 0;
    for (int64_t i = 0; i < count; i += lanes) {
      const Vec here = load_some(depth + first + i, count - i);
      append(waiting, first_lanes(count - i), here, here, broadcast(1e300), numbers_from(i));
    }
    while (waiting.count > 0) propose_all(one, stream, words, waiting, excess + first);
  }
}

// ---- Scores -------------------------------------------------------------------------------------

// base[at[i]]
NNP_INLINE Vec gather(const double *base, Words at) {
#if NNP_LANES == 8 && defined(__AVX512F__)
  return _mm512_i64gather_pd(reinterpret_cast<__m512i>(at), base, 8);
#elif NNP_LANES == 4 && defined(__AVX2__)
  return _mm256_i64gather_pd(base, reinterpret_cast<__m256i>(at), 8);
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
  uint8_t alive[most_rows / lanes + 1];  // a bit a lane
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

void try_scores(ConstTile mean, double sd, Stream &stream, ScoreRows &waiting, double *attempt,
                Tile site) {
  Attempt a;
  const int64_t count = waiting.count;
  wide_normals(stream, a.noise, count);
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
    wide_normals(stream, a.noise, count);
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
  return {name,      normals,    shake,        shake_tile, one_output,
          one_piece, two_pieces, relax_pieces, excesses,   try_scores};
}

}  // namespace
}  // namespace nnp
