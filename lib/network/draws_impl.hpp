// The elementwise draws, written once for vectors of NNP_LANES doubles and compiled once a SIMD
// level. Which word of the stream serves which element does not depend on the number of lanes.
// See lanes.hpp for what such a file may contain.
#pragma once

#include "lib/network/draws.hpp"
#include "lib/random/strips.hpp"
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

// Depths of the modes inside their pieces, in sd.
struct Depths {
  Vec left, right;
};
NNP_INLINE Depths depths_at(const TwoPieces &two, Vec m, Vec x) {
  const Vec dm = m - two.knot;
  return {-two.left.per_m * dm - two.left.per_x * (x - two.value_left),
          two.right.per_m * dm + two.right.per_x * (x - two.value_right)};
}

NNP_INLINE Vec positive(Vec a) {
  return greater(a, Vec{});
}
NNP_INLINE Vec jump_at(const TwoPieces &two, Vec x) {
  return two.jump.slope * (two.jump.middle - x);
}

// Log odds of right over left where each density is 1 at its maximum in the piece. From the knot to
// a mode inside its piece the exponent falls by depth^2/2. Where both modes are inside, the
// difference of squares is taken as a product: for abs it is 2 m x/(dx + dz), which may be of order
// 1 where the squares are of order 1e16.
NNP_INLINE Vec log_odds_at(const TwoPieces &two, const Depths &d, Vec m, Vec x) {
  const Vec dm = m - two.knot;
  const Vec difference = two.difference_m * dm + two.difference_x * x + two.difference_0;
  const Vec sum = two.sum_m * dm + two.sum_x * x + two.sum_0;
  const Vec a = positive(d.left), b = positive(d.right);
  const Vec fall = less(Vec{}, lesser(d.left, d.right)).pick(difference * sum, b * b - a * a);
  return jump_at(two, x) + fall * 0.5;
}

constexpr double half_mass = 1.2533141373155001;     // sqrt(pi/2)
constexpr double inverse_half = 0.7978845608028654;  // 1/sqrt(pi/2)

// Elements that are not served yet, close together. Which piece one falls into is picked by the
// masses of the envelopes (see propose_in_pieces).
constexpr int64_t most_waiting = 2 * chunk_size;
constexpr int64_t waiting_room = most_waiting + lanes;
struct Waiting {
  int64_t count;
  alignas(64) double left[waiting_room], right[waiting_room];  // depths
  alignas(64) double odds[waiting_room];  // of right over left: sd * greatest density
  alignas(64) uint64_t index[waiting_room];
};

NNP_INLINE void append(Waiting &waiting, unsigned which, Vec left, Vec right, Vec odds,
                       Words index) {
  store_packed(waiting.left + waiting.count, left, which);
  store_packed(waiting.right + waiting.count, right, which);
  store_packed(waiting.odds + waiting.count, odds, which);
  store_packed(waiting.index + waiting.count, index, which);
  waiting.count += __builtin_popcount(which);
}

alignas(64) constexpr uint64_t lane_number[] = {0, 1, 2, 3, 4, 5, 6, 7};
NNP_INLINE Words numbers_from(int64_t first) {
  return same_word(static_cast<uint64_t>(first)) + load(lane_number);
}

// The log odds of all that wait become odds.
__attribute__((noinline)) void weigh(const TwoPieces &two, Waiting &waiting) {
  for (int64_t i = 0; i < waiting.count; i += lanes) {
    const Vec density = exponential_of(load(waiting.odds + i));
    store(waiting.odds + i, lesser(broadcast(1e300), density * two.sd_ratio));
  }
}

// A round of proposals for all that wait. It goes in two loops: the chain of operations an element
// takes is so long that the machine would not look far enough ahead in one.
struct Round {
  alignas(64) uint64_t word[2 * waiting_room];  // words to pick a piece, then words for proposals
  alignas(64) double value[waiting_room];
  // accepted if reached < bound * exp(-energy)
  alignas(64) double energy[waiting_room], bound[waiting_room], reached[waiting_room];
  // a bit a lane: to be accepted so; rejected at once; to be done one by one
  uint8_t tested[waiting_room / lanes + 1], failed[waiting_room / lanes + 1];
  uint8_t rare[waiting_room / lanes + 1];
};

// Masses of the envelopes of both pieces, by one division.
struct Masses {
  Vec left, right;
};
NNP_INLINE Vec rate_outside(Vec depth) {
  return lesser(broadcast(1e150), greater(-depth, broadcast(inverse_half)));
}
NNP_INLINE Vec mass_at(Vec depth, Vec mass_outside) {
  return less(Vec{}, depth).pick(lesser(depth, broadcast(half_mass)) + half_mass, mass_outside);
}
NNP_INLINE Masses masses_at(Vec left, Vec right) {
  const Vec rate_left = rate_outside(left), rate_right = rate_outside(right);
  const Vec inverse = 1 / (rate_left * rate_right);
  return {mass_at(left, rate_right * inverse), mass_at(right, rate_left * inverse)};
}

// A uniform on (0, 1) by the high 52 bits of a word.
NNP_INLINE Vec uniform_of(Words word) {
  const Words mantissa = (word >> 12) | (uint64_t{0x3ff} << 52);
  return as_numbers(mantissa) - broadcast(1 - 0x1p-53);
}

// The piece that was picked: the sign of `step` is its side of the knot, `place` is uniform on
// (0, share).
struct Picked {
  Vec depth, mass, step;
  Vec place, share;
};

// A uniform on (0, mass_left + odds mass_right) picks a piece, and what it goes into the piece is
// uniform again.
NNP_INLINE Picked pick_pieces(const TwoPieces &two, Vec left, Vec right, Vec odds, Words word) {
  const Vec u = uniform_of(word);
  const Masses mass = masses_at(left, right);
  const Vec share_right = odds * mass.right, place = u * (mass.left + share_right);
  const Mask is_right = at_most(place, share_right);
  return {is_right.pick(right, left), is_right.pick(mass.right, mass.left),
          is_right.pick(broadcast(two.right.sd), broadcast(-two.left.sd)),
          is_right.pick(place, place - share_right), is_right.pick(share_right, mass.left)};
}

// One proposal a lane: all the cases of propose_from_word at once.
NNP_INLINE void propose_lanes(const TwoPieces &two, const Picked &p, Words word, int64_t i,
                              Round &round) {
  const Mask inside = less(Vec{}, p.depth);
  const Mask whole = less(broadcast(half_mass), p.depth);
  const Mask deep = ~less(broadcast(-inverse_half), p.depth);  // or NaN, which then gives NaN
  const Vec reached = p.place * p.mass;                        // of share * mass
  const Mask flat = inside & less(reached, p.share * p.depth) & ~whole;
  const Proposal x = propose(word, deep.word(WideTable::exponential));
  const Vec size = size_of(x.x);
  const Vec beyond = whole.pick(x.x, deep.pick(size * p.mass, size)) + greater(Vec{}, p.depth);
  const Vec excess = flat.pick(p.depth * x.uniform, beyond);
  const Vec from_mode = flat.pick(excess - p.depth, excess);
  const Vec value = two.knot + p.step * excess;
  store(round.value + i, value);
  store(round.energy + i, (deep | inside).pick(0.5 * from_mode, -p.depth) * from_mode);
  store(round.bound + i, p.share * flat.pick(p.depth, p.mass));
  store(round.reached + i, reached);
  const Mask rare = (x.outside & ~flat) | equal(value, broadcast(two.knot));
  round.tested[i / lanes] = static_cast<uint8_t>((flat | ~inside).bits());
  round.failed[i / lanes] = static_cast<uint8_t>((whole & at_most(excess, Vec{})).bits());
  round.rare[i / lanes] = static_cast<uint8_t>(rare.bits());
}

__attribute__((noinline)) void propose_all(const TwoPieces &two, Stream &stream,
                                           const Waiting &waiting, Round &round) {
  const int64_t count = waiting.count;
  wide_words(stream.wide, round.word, 2 * count);
  store(round.word + 2 * count, Words{});  // for lanes beyond the last one
  for (int64_t i = 0; i < count; i += lanes) {
    const Picked picked = pick_pieces(two, load(waiting.left + i), load(waiting.right + i),
                                      load(waiting.odds + i), load(round.word + i));
    propose_lanes(two, picked, load(round.word + count + i), i, round);
  }
}

// Rare lanes: a variate outside the ziggurat's table, or a draw so close to the knot that it rounds
// onto it. Returns the lanes that are rejected after that.
__attribute__((noinline)) unsigned finish_lanes(const TwoPieces &two, Stream &stream, unsigned rare,
                                                unsigned rejected, const Waiting &waiting,
                                                int64_t count, int64_t first, Round &round) {
  for (; rare != 0; rare &= rare - 1) {
    const int lane = __builtin_ctz(rare);
    const int64_t i = first + lane;
    const bool accepted =
        propose_in_pieces(two, {waiting.left[i], waiting.right[i], waiting.odds[i]}, round.word[i],
                          round.word[count + i], stream, &round.value[i]);
    rejected = accepted ? rejected & ~(1u << lane) : rejected | 1u << lane;
  }
  return rejected;
}

NNP_INLINE void scatter(const double *value, const uint64_t *index, int64_t count, double *z) {
  if (count >= lanes) {
    NNP_UNROLL for (int lane = 0; lane < lanes; ++lane) z[index[lane]] = value[lane];
  } else {
    for (int64_t lane = 0; lane < count; ++lane) z[index[lane]] = value[lane];
  }
}

// Takes what is accepted; the rest goes on waiting.
__attribute__((noinline)) void judge(const TwoPieces &two, Stream &stream, Round &round,
                                     Waiting &waiting, double *z) {
  const int64_t count = waiting.count;
  waiting.count = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec allowed = load(round.bound + i) * exponential_of(-load(round.energy + i));
    const unsigned here = first_lanes(count - i), rare = round.rare[i / lanes] & here;
    const unsigned above = at_most(allowed, load(round.reached + i)).bits();
    unsigned rejected = ((above & round.tested[i / lanes]) | round.failed[i / lanes]) & here;
    if (__builtin_expect(rare != 0, 0))
      rejected = finish_lanes(two, stream, rare, rejected, waiting, count, i, round);
    scatter(round.value + i, waiting.index + i, count - i, z);  // rejected ones will come again
    append(waiting, rejected, load(waiting.left + i), load(waiting.right + i),
           load(waiting.odds + i), load(waiting.index + i));
  }
}

// Rounds until all are served.
__attribute__((noinline)) void serve(const TwoPieces &two, Stream &stream, Waiting &waiting,
                                     double *z) {
  Round round;
  while (waiting.count > 0) {
    // Lanes beyond the last one are drawn and thrown away: let them be numbers.
    store(waiting.left + waiting.count, Vec{});
    store(waiting.right + waiting.count, Vec{});
    store(waiting.odds + waiting.count, Vec{});
    propose_all(two, stream, waiting, round);
    judge(two, stream, round, waiting, z);
  }
}

// ---- Two pieces by strips -----------------------------------------------------------------------

// Most elements are served by one proposal, from the strips of a normal density (see strips.hpp)
// that a piece cuts off. The pieces' masses are those of their strips.

constexpr double strips = StripTable::strips;

// How many strips of its normal a piece cuts off, or a few more. depth >= -deepest_strips.
NNP_INLINE Vec strips_of_piece(Vec depth) {
  const StripCount &s = strip_count;
  const Vec d = lesser(depth, broadcast(deepest_strips)), d2 = d * d;
  const Vec slope = (s.c[0] + s.c[1] * d2) + d2 * d2 * (s.c[2] + s.c[3] * d2);
  return less(broadcast(deepest_strips), depth).pick(broadcast(2 * strips), s.half + d * slope);
}

// See exponential_bound.
NNP_INLINE Vec bound_of_exponential(Vec x) {
  const ExponentialBound &e = exponential_bound;
  x = greater(broadcast(-e.most), lesser(broadcast(e.most), x));
  const Vec y = x * e.log2_e, shifted = y + broadcast(e.to_whole);
  const Vec f = y - (shifted - broadcast(e.to_whole)), f2 = f * f;
  const Vec near_one = (e.c[0] + e.c[1] * f) + f2 * (e.c[2] + e.c[3] * f);
  return as_numbers(as_bits(near_one) + (as_bits(shifted) << 52));
}

struct StripProposal {
  Vec t;
  Mask certain;  // under the density, whatever the rest of the height
};

// `height` has the low bits of a height.
NNP_INLINE StripProposal propose_in_strips(Vec place, Words height) {
  constexpr double to_whole = 0x1.8p52;  // added, it leaves the whole number in the low bits
  const Words sign = as_bits(place) & (uint64_t{1} << 63);
  const Vec size = size_of(place);
  const Vec shifted = (size - 0.5) + broadcast(to_whole);
  const Words entry = table_at(strip_table.strip, as_bits(shifted) & (StripTable::strips - 1));
  const Vec edge = as_numbers(entry & ~uint64_t{0xffffffff}), width = as_numbers(entry << 32);
  const Vec inside = (size - (shifted - broadcast(to_whole))) * width, at = edge + inside;
  const Vec energy = (0.5 * heights) * inside * (edge + at);
  const Vec above =
      as_numbers((height & (heights - 1)) | (uint64_t{0x433} << 52));  // 2^52 + height
  return {as_numbers(as_bits(at) | sign),
          less(energy, broadcast(0x1p52 + certain_heights) - above)};
}

// Proposals for a chunk of elements, in loops that are short enough for the machine to look ahead.
struct StripRound {
  alignas(64) uint64_t word[2 * chunk_room];  // words to pick a piece, then words for places
  alignas(64) double place[chunk_room], value[chunk_room];
  // of the piece that was picked: its depth, and its sd, with the sign of its side of the knot
  alignas(64) double depth[chunk_room], step[chunk_room];
  alignas(64) double log_odds[chunk_room];
  // a bit a lane: no draw yet; one may be had by finish_excess
  uint8_t open[chunk_room / lanes + 1], cut[chunk_room / lanes + 1];
};

// A piece is picked by the mass of its strips, and a place in them. Densities are 1 at their modes,
// or, of pieces too deep for strips, as if deepest_strips was their depth. Where both modes are so
// far inside that the difference of their squares may be wrong, strips will not do.
NNP_INLINE void pick_place(const TwoPieces &two, Vec m, Vec x, int64_t count, int64_t i,
                           StripRound &round) {
  const Depths d = depths_at(two, m, x);
  const Vec a = greater(d.left, broadcast(-deepest_strips));
  const Vec b = greater(d.right, broadcast(-deepest_strips));
  const Vec log_odds = jump_at(two, x) + 0.5 * ((b - a) * (b + a));
  const Vec odds = bound_of_exponential(log_odds) * two.sd_ratio;
  const Vec left = strips_of_piece(a), right = strips_of_piece(b), share_right = odds * right;
  const Vec reached = uniform_of(load(round.word + i)) * (left + share_right);
  const Mask is_right = at_most(reached, share_right);
  const Vec here = is_right.pick(right, left);
  const Mask far = less(broadcast(farthest_strips), lesser(a, b));
  store(round.place + i, strips - uniform_of(load(round.word + count + i)) * here);
  store(round.log_odds + i, log_odds);
  store(round.depth + i, far.pick(broadcast(-1e300), is_right.pick(d.right, d.left)));
  store(round.step + i, is_right.pick(broadcast(two.right.sd), broadcast(-two.left.sd)));
}

NNP_INLINE void propose_at_place(const TwoPieces &two, int64_t i, StripRound &round) {
  const StripProposal p = propose_in_strips(load(round.place + i), load(round.word + i));
  const Vec depth = load(round.depth + i), excess = depth + p.t;
  const Vec value = two.knot + load(round.step + i) * excess;
  store(round.value + i, value);
  const Mask shallow = less(broadcast(-deepest_strips), depth);
  const unsigned on_knot = equal(value, broadcast(two.knot)).bits();
  const unsigned undrawn = ~(p.certain & shallow).bits() | on_knot;
  round.open[i / lanes] = static_cast<uint8_t>(undrawn | ~less(Vec{}, excess).bits());
  round.cut[i / lanes] = static_cast<uint8_t>(undrawn);
}

// What is left to one element: the rest of the height of its place, a draw in a piece that is too
// deep for strips, or one that would round onto the knot.
NNP_INLINE bool finish_excess(Stream &stream, const StripRound &round, int64_t i, double *excess) {
  const double depth = round.depth[i], odds = round.log_odds[i];
  const double filled = round.step[i] > 0 ? filled_by_exponential(odds) : 1;
  if (!(depth > -deepest_strips)) return draw_deep(stream, depth, filled, excess);
  double t = 0;
  const bool accepted = draw_in_strip(stream, round.place[i], round.word[i], filled, &t);
  *excess = depth + t;
  return accepted && *excess > 0;
}

// The lanes of a vector that are open: what cannot be finished waits for a round, as do elements
// with two pieces that are too deep or too far inside for strips.
__attribute__((noinline)) void finish_strips(const TwoPieces &two, Stream &stream, Vec m, Vec x,
                                             unsigned open, int64_t i, int64_t first,
                                             StripRound &round, Waiting &waiting) {
  const Depths d = depths_at(two, m, x);
  const Mask suited = less(broadcast(-deepest_strips), greater(d.left, d.right)) &
                      at_most(lesser(d.left, d.right), broadcast(farthest_strips));
  for (unsigned cut = open & round.cut[i / lanes] & suited.bits(); cut != 0; cut &= cut - 1) {
    const int lane = __builtin_ctz(cut);
    double excess;
    if (!finish_excess(stream, round, i + lane, &excess)) continue;
    round.value[i + lane] = beside(two.knot, round.step[i + lane] * excess);
    open &= ~(1u << lane);
  }
  append(waiting, open, d.left, d.right, log_odds_at(two, d, m, x), numbers_from(first + i));
}

// One proposal for each of up to chunk_size elements, the first of them number `first`. What lies
// `ahead` in x and z, which are not in cache as m is, is fetched meanwhile.
NNP_INLINE void try_strips(const TwoPieces &two, const double *m, const double *x, int64_t first,
                           int64_t count, int64_t ahead, Stream &stream, Waiting &waiting,
                           double *z) {
  StripRound round;
  wide_words(stream.wide, round.word, 2 * count);
  for (int64_t i = 0; i < count; i += lanes) {
    fetch_far(x + first + i, ahead);
    fetch_far(z + first + i, ahead);
    pick_place(two, load_some(m + first + i, count - i), load_some(x + first + i, count - i), count,
               i, round);
  }
  for (int64_t i = 0; i < count; i += lanes) propose_at_place(two, i, round);
  for (int64_t i = 0; i < count; i += lanes) {
    const int64_t at = first + i, left = count - i;
    const unsigned open = round.open[i / lanes] & first_lanes(left);
    if (open != 0)
      finish_strips(two, stream, load_some(m + at, left), load_some(x + at, left), open, i, first,
                    round, waiting);
    store_some(z + at, load(round.value + i), left);
  }
}

void two_pieces(const TwoPieces &two, const double *m, const double *x, int64_t n, Stream &stream,
                double *z) {
  Waiting waiting;
  waiting.count = 0;
  for (int64_t first = 0; first < n; first += chunk_size) {
    const int64_t count = least(chunk_size, n - first);
    try_strips(two, m, x, first, count, n, stream, waiting, z);
    if (waiting.count <= most_waiting - chunk_size && first + count < n) continue;
    weigh(two, waiting);
    serve(two, stream, waiting, z);
  }
}

// ---- Truncated normals --------------------------------------------------------------------------

// Both pieces right of 0 with sd 1: the draw is the excess itself.
void excesses(const double *depth, int64_t n, Stream &stream, double *excess) {
  TwoPieces one{};
  one.left.sd = -1, one.right.sd = 1;
  Waiting waiting;
  for (int64_t first = 0; first < n; first += most_waiting) {
    waiting.count = least(most_waiting, n - first);
    for (int64_t i = 0; i < waiting.count; i += lanes) {
      const Vec here = load_some(depth + first + i, waiting.count - i);
      store(waiting.left + i, here);
      store(waiting.right + i, here);
      store(waiting.odds + i, broadcast(1e300));
      store(waiting.index + i, numbers_from(first + i));
    }
    serve(one, stream, waiting, excess);
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

// The same where all rows of the tile wait: they are worked in place.
NNP_INLINE void try_all_scores(const ConstTile &mean, double sd, Stream &stream, ScoreRows &waiting,
                               double *scores, const Tile &site) {
  alignas(64) double label[most_rows + lanes] = {};
  const int64_t rows = site.rows;
  for (int64_t i = 0; i < rows; ++i) label[i] = static_cast<double>(waiting.label[i]);
  wide_normals(stream, scores, rows * site.width);
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
