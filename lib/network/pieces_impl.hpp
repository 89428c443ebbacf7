// The conditionals of activations with two or three pieces, and truncated normals, which are half
// of one with two: proposals and rejections in vectors of NNP_LANES, with rare lanes finished one
// by one. See lanes.hpp for what such a file may contain.
#pragma once

#include "lib/network/draws.hpp"
#include "lib/random/strips.hpp"
#include "lib/random/wide_impl.hpp"

namespace nnp {
namespace {

// Elements are processed in chunks that stay in the first-level cache.
constexpr int64_t chunk_size = 256;
constexpr int64_t chunk_room = chunk_size + lanes;  // vectors may extend beyond the end

NNP_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// The first `count` lanes at p (all of them from lanes on).
NNP_INLINE Vec load_some(const double *p, int64_t count) {
  return count >= lanes ? load(p) : load_first(p, count);
}
NNP_INLINE void store_some(double *p, Vec x, int64_t count) {
  if (count >= lanes) return store(p, x);
  store_first(p, x, count);
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

// Log odds of right over left, with each density 1 at its maximum in the piece. From a mode inside
// its piece to the knot the exponent falls by depth^2/2. If both modes are inside, the difference
// of squares is computed as a product: for abs it is 2 m x/(dx + dz), which may be of order 1 when
// the squares are of order 1e16.
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

// Elements that have no draw yet, stored contiguously. The piece of an element is picked by the
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
// Moves those of the lanes from i on that keep waiting to the end of the list of waiting elements.
NNP_INLINE void keep_waiting(Waiting &waiting, unsigned which, int64_t i) {
  append(waiting, which, load(waiting.left + i), load(waiting.right + i), load(waiting.odds + i),
         load(waiting.index + i));
}

alignas(64) constexpr uint64_t lane_number[] = {0, 1, 2, 3, 4, 5, 6, 7};
NNP_INLINE Words numbers_from(int64_t first) {
  return same_word(static_cast<uint64_t>(first)) + load(lane_number);
}

// Turns the log odds of all waiting elements into odds.
__attribute__((noinline)) void weigh(const TwoPieces &two, Waiting &waiting) {
  for (int64_t i = 0; i < waiting.count; i += lanes) {
    const Vec density = exponential_of(load(waiting.odds + i));
    store(waiting.odds + i, lesser(1e300, density * two.sd_ratio));
  }
}

// A round of proposals for all waiting elements. It uses two loops: in a single one, the dependency
// chain of an element would be too long for out-of-order execution to overlap elements.
struct Round {
  alignas(64) uint64_t word[2 * waiting_room];  // words to pick a piece, then words for proposals
  alignas(64) double value[waiting_room];
  // accepted if reached < bound * exp(-energy)
  alignas(64) double energy[waiting_room], bound[waiting_room], reached[waiting_room];
  // one bit per lane: accepted if the test passes; rejected at once; left to scalar code
  uint8_t tested[waiting_room / lanes + 1], failed[waiting_room / lanes + 1];
  uint8_t rare[waiting_room / lanes + 1];
};

// Masses of the envelopes of both pieces, with a single division.
struct Masses {
  Vec left, right;
};
NNP_INLINE Vec rate_outside(Vec depth) {
  return lesser(1e150, greater(-depth, inverse_half));
}
NNP_INLINE Vec mass_at(Vec depth, Vec mass_outside) {
  return less(Vec{}, depth).pick(lesser(depth, half_mass) + half_mass, mass_outside);
}
NNP_INLINE Masses masses_at(Vec left, Vec right) {
  const Vec rate_left = rate_outside(left), rate_right = rate_outside(right);
  const Vec inverse = 1 / (rate_left * rate_right);
  return {mass_at(left, rate_right * inverse), mass_at(right, rate_left * inverse)};
}

// A uniform on (0, 1) from the high 52 bits of a word.
NNP_INLINE Vec uniform_of(Words word) {
#if defined(NNP_NEON)  // (2 * bits + 1)/2^53, which is exact
  const Words odd = mixed(0xfff, same_word(0x800), word);
  return {vcvtq_n_f64_u64(odd.low, 64), vcvtq_n_f64_u64(odd.high, 64)};
#else
  const Words mantissa = (word >> 12) | (uint64_t{0x3ff} << 52);
  return as_numbers(mantissa) - broadcast(1 - 0x1p-53);
#endif
}

// The piece that was picked: the sign of `step` is its side of the knot, `place` is uniform on (0,
// share). If the proposal is uniform over its width, mass is that width.
struct Picked {
  Vec depth, mass, step;
  Vec place, share;
  Vec knot;
};

// A uniform on (0, mass_left + odds mass_right) picks a piece; its position within the piece's
// share is uniform again.
NNP_INLINE Picked pick_pieces(const TwoPieces &two, Vec left, Vec right, Vec odds, Words word) {
  const Vec u = uniform_of(word);
  const Masses mass = masses_at(left, right);
  const Vec share_right = odds * mass.right, place = u * (mass.left + share_right);
  const Mask is_right = at_most(place, share_right);
  return {is_right.pick(right, left),
          is_right.pick(mass.right, mass.left),
          is_right.pick(broadcast(two.right.sd), broadcast(-two.left.sd)),
          is_right.pick(place, place - share_right),
          is_right.pick(share_right, mass.left),
          broadcast(two.knot)};
}

// One proposal per lane: all cases of propose_from_word and of propose_evenly at once. Returns the
// excess.
template <bool any_even>
NNP_INLINE Vec propose_lanes(const Picked &p, Mask even, Words word, int64_t i, Round &round) {
  const Mask inside = less(Vec{}, p.depth);
  Mask whole = less(broadcast(half_mass), p.depth);
  const Mask deep = ~less(broadcast(-inverse_half), p.depth);  // or NaN, which then gives NaN
  const Vec reached = p.place * p.mass;                        // of share * mass
  Mask flat = inside & less(reached, p.share * p.depth) & ~whole;
  Vec span = p.depth;
  if (any_even) {
    flat = flat | even;
    whole = whole & ~even;
    span = even.pick(p.mass, span);
  }
  const Proposal x = propose(word, deep.word(WideTable::exponential));
  const Vec size = size_of(x.x);
  const Vec beyond = whole.pick(x.x, deep.pick(size * p.mass, size)) + greater(Vec{}, p.depth);
  const Vec excess = flat.pick(span * x.uniform, beyond);
  const Vec from_mode = flat.pick(excess - p.depth, excess);
  Vec energy = (deep | inside).pick(0.5 * from_mode, -p.depth) * from_mode;
  if (any_even) {
    energy = (even & ~inside).pick((0.5 * excess - p.depth) * excess, energy);
    energy = whole.pick(Vec{}, energy);  // most are not tested; their energies may have any size
  }
  const Vec value = p.knot + p.step * excess;
  store(round.value + i, value);
  store(round.energy + i, energy);
  store(round.bound + i, p.share * flat.pick(span, p.mass));
  store(round.reached + i, reached);
  const Mask rare = (x.outside & ~flat) | equal(value, p.knot);
  round.tested[i / lanes] = static_cast<uint8_t>((flat | ~inside).bits());
  round.failed[i / lanes] = static_cast<uint8_t>((whole & at_most(excess, Vec{})).bits());
  round.rare[i / lanes] = static_cast<uint8_t>(rare.bits());
  return excess;
}

__attribute__((noinline)) void propose_all(const TwoPieces &two, Stream &stream,
                                           const Waiting &waiting, Round &round) {
  const int64_t count = waiting.count;
  wide_words(stream.wide, round.word, 2 * count);
  store(round.word + 2 * count, Words{});  // for lanes beyond the last element
  for (int64_t i = 0; i < count; i += lanes) {
    const Picked picked = pick_pieces(two, load(waiting.left + i), load(waiting.right + i),
                                      load(waiting.odds + i), load(round.word + i));
    propose_lanes<false>(picked, less(Vec{}, Vec{}), load(round.word + count + i), i, round);
  }
}

bool finish(const TwoPieces &two, Stream &stream, const Waiting &waiting, int64_t count, int64_t i,
            Round &round) {
  return propose_in_pieces(two, {waiting.left[i], waiting.right[i], waiting.odds[i]}, round.word[i],
                           round.word[count + i], stream, &round.value[i]);
}

// Handles rare lanes: a variate outside the ziggurat's table, or a draw so close to a knot that it
// rounds onto it. Returns the lanes that are rejected after that.
template <class Pieces, class Waiters>
__attribute__((noinline)) unsigned finish_lanes(const Pieces &pieces, Stream &stream, unsigned rare,
                                                unsigned rejected, const Waiters &waiting,
                                                int64_t count, int64_t first, Round &round) {
  for (; rare != 0; rare &= rare - 1) {
    const int lane = __builtin_ctz(rare);
    const bool accepted = finish(pieces, stream, waiting, count, first + lane, round);
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

// Stores what is accepted; the rest keeps waiting.
template <class Pieces, class Waiters>
__attribute__((noinline)) void judge(const Pieces &pieces, Stream &stream, Round &round,
                                     Waiters &waiting, double *z) {
  const int64_t count = waiting.count;
  waiting.count = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec allowed = load(round.bound + i) * exponential_of(-load(round.energy + i));
    const unsigned here = first_lanes(count - i), rare = round.rare[i / lanes] & here;
    const unsigned above = at_most(allowed, load(round.reached + i)).bits();
    unsigned rejected = ((above & round.tested[i / lanes]) | round.failed[i / lanes]) & here;
    if (__builtin_expect(rare != 0, 0))
      rejected = finish_lanes(pieces, stream, rare, rejected, waiting, count, i, round);
    scatter(round.value + i, waiting.index + i, count - i, z);  // rejected ones come again
    keep_waiting(waiting, rejected, i);
  }
}

// At least 49 % of the proposals are accepted (see propose_from_word), and so is any NaN. After
// this many rounds an element is still waiting with probability 0.51^1000, unless its arguments are
// so large that sums of them overflow. It then becomes NaN, which state_check_finite reports.
constexpr int most_rounds = 1000;
template <class Waiters>
__attribute__((noinline)) void give_up(Waiters &waiting, double *z) {
  for (int64_t i = 0; i < waiting.count; ++i) z[waiting.index[i]] = __builtin_nan("");
  waiting.count = 0;
}

// Runs rounds until every element has a draw.
__attribute__((noinline)) void serve(const TwoPieces &two, Stream &stream, Waiting &waiting,
                                     double *z) {
  Round round;
  for (int rounds = 0; waiting.count > 0; ++rounds) {
    if (__builtin_expect(rounds == most_rounds, 0)) return give_up(waiting, z);
    // Lanes beyond the last element are drawn and discarded, but must be numbers.
    store(waiting.left + waiting.count, Vec{});
    store(waiting.right + waiting.count, Vec{});
    store(waiting.odds + waiting.count, Vec{});
    propose_all(two, stream, waiting, round);
    judge(two, stream, round, waiting, z);
  }
}

// ---- Two pieces by strips -----------------------------------------------------------------------

// Most elements need one proposal only, from the strips of a normal density (see strips.hpp) that a
// piece cuts off. The pieces' masses are those of their strips.

constexpr double strips = StripTable::strips;

// The number of strips of its normal that a piece cuts off, or slightly more. d >= -deepest_strips.
// Where it is larger than deepest_strips, the polynomial may overflow, but is not used.
NNP_INLINE Vec strips_of_piece(Vec d) {
  const StripCount &s = strip_count;
  const Vec d2 = d * d;
  const Vec slope = (s.c[0] + s.c[1] * d2) + d2 * d2 * (s.c[2] + s.c[3] * d2);
  return less(broadcast(deepest_strips), d).pick(broadcast(2 * strips), s.half + d * slope);
}

// See exponential_bound.
NNP_INLINE Vec bound_of_exponential(Vec x) {
  const ExponentialBound &e = exponential_bound;
  x = greater(-e.most, lesser(e.most, x));
  const Vec y = x * e.log2_e, shifted = y + broadcast(e.to_whole);
  const Vec f = y - (shifted - broadcast(e.to_whole)), f2 = f * f;
  const Vec near_one = (e.c[0] + e.c[1] * f) + f2 * (e.c[2] + e.c[3] * f);
  return as_numbers(as_bits(near_one) + (as_bits(shifted) << 52));
}

struct StripProposal {
  Vec t;
  Mask certain;  // under the density, whatever the remaining bits of the height are
};

// `size`, which is not negative, with the sign of x.
NNP_INLINE Vec with_sign_of(Vec x, Vec size) {
  constexpr uint64_t sign = uint64_t{1} << 63;
#if defined(NNP_NEON)
  return as_numbers(mixed(sign, as_bits(x), as_bits(size)));
#else
  return as_numbers((as_bits(x) & sign) | as_bits(size));
#endif
}

// `height` contains the low bits of a height.
NNP_INLINE StripProposal propose_in_strips(Vec place, Words height) {
  constexpr double to_whole = 0x1.8p52;  // adding it leaves the whole number in the low bits
  const Vec size = size_of(place);
  const Vec shifted = (size - 0.5) + broadcast(to_whole);
  const Words entry = table_at(strip_table.strip, as_bits(shifted) & (StripTable::strips - 1));
  const Vec edge = as_numbers(entry & ~uint64_t{0xffffffff}), width = as_numbers(entry << 32);
  const Vec inside = (size - (shifted - broadcast(to_whole))) * width, at = edge + inside;
  const Vec energy = (0.5 * heights) * inside * (edge + at);
  const Vec above =  // 2^52 + height
      as_numbers(mixed(heights - 1, height, same_word(uint64_t{0x433} << 52)));
  return {with_sign_of(place, at), less(energy, broadcast(0x1p52 + certain_heights) - above)};
}

// Depths of the modes, at least -deepest_strips, and the odds of right over left, with densities 1
// at the modes or, for pieces too deep for strips, as if their depth were deepest_strips.
struct StripOdds {
  Vec left, right, odds;
};
// The depth of the picked piece, its sd with the sign of its side of the knot, and a place in its
// strips.
struct Place {
  Vec depth, step, place;
};

struct StripRound {
#if defined(NNP_NEON)
  static constexpr int64_t room = lanes;  // of one vector only: see strips_neon_impl.hpp
#else
  static constexpr int64_t room = chunk_room;
#endif
  alignas(64) uint64_t word[2 * chunk_room];  // words to pick a piece, then words for places
  // first depths of both modes and odds, then the picked depth, the step and the place; in the end
  // the draw, the step and the place
  alignas(64) double left[room], right[room], odds[room];
  uint8_t drawn[room / lanes], closed[room / lanes];  // see AtPlace; a bit per lane

  static int64_t at(int64_t i) {
    return room > lanes ? i : 0;
  }
};

// The smaller of two that are not NaN.
NNP_INLINE Vec lesser_number(Vec a, Vec b) {
#if defined(NNP_NEON)
  return {vminnmq_f64(a.low, b.low), vminnmq_f64(a.high, b.high)};
#else
  return lesser(a, b);
#endif
}

// A product of a larger excess and an sd that is not smaller is not 0.
constexpr double least_excess = 0x1p-500;

// True for relu: depths and jump then lack all terms that are zeros.
NNP_INLINE bool is_flat_left_of_zero(const TwoPieces &two) {
  return two.knot == 0 && two.value_left == 0 && two.value_right == 0 && two.left.per_x == 0 &&
         two.jump.slope == 0 && two.left.sd >= least_excess && two.right.sd >= least_excess;
}
template <bool flat_left>
NNP_INLINE Depths depths_as(const TwoPieces &two, Vec m, Vec x) {
  if constexpr (flat_left) return {m * -two.left.per_m, two.right.per_m * m + two.right.per_x * x};
  return depths_at(two, m, x);
}

NNP_INLINE Depths seen_by_strips(const Depths &d) {
  return {greater(d.left, -deepest_strips), greater(d.right, -deepest_strips)};
}
template <bool flat_left>
NNP_INLINE Vec strip_log_odds(const TwoPieces &two, const Depths &seen, Vec x) {
  const Vec fall = 0.5 * ((seen.right - seen.left) * (seen.right + seen.left));
  return flat_left ? fall : jump_at(two, x) + fall;
}
template <bool flat_left>
NNP_INLINE StripOdds strip_odds(const TwoPieces &two, Vec m, Vec x) {
  const Depths seen = seen_by_strips(depths_as<flat_left>(two, m, x));
  const Vec log_odds = strip_log_odds<flat_left>(two, seen, x);
  return {seen.left, seen.right, bound_of_exponential(log_odds) * two.sd_ratio};
}

// Picks a piece by the mass of its strips, and a place in them. Strips cannot be used if both modes
// are so far inside that the difference of their squares may be inaccurate.
NNP_INLINE Place pick_place(const TwoPieces &two, const StripOdds &seen, Words pick, Words word) {
  const Vec left = strips_of_piece(seen.left), right = strips_of_piece(seen.right);
  const Vec share_right = seen.odds * right;
  const Mask is_right = at_most(uniform_of(pick) * (left + share_right), share_right);
  const Vec here = is_right.pick(right, left);
  const Mask far = less(broadcast(farthest_strips), lesser_number(seen.left, seen.right));
  return {far.pick(broadcast(-deepest_strips), is_right.pick(seen.right, seen.left)),
          is_right.pick(broadcast(two.right.sd), broadcast(-two.left.sd)),
          strips - uniform_of(word) * here};
}

struct AtPlace {
  Vec value;
  Mask drawn;   // certainly under the density, in a piece not too deep, and not on the knot
  Mask closed;  // drawn, and in the piece
};
template <bool flat_left>
NNP_INLINE AtPlace propose_at_place(const TwoPieces &two, Vec depth, Vec step, Vec place,
                                    Words word) {
  const StripProposal p = propose_in_strips(place, word);
  const Vec excess = depth + p.t;
  const Vec value = flat_left ? step * excess : two.knot + step * excess;
  const Mask shallow = less(p.certain, broadcast(-deepest_strips), depth);
  const Mask drawn = differ(shallow, value, broadcast(two.knot));
  return {value, drawn, less(drawn, Vec{}, excess)};
}

// Scalar code for an element in a piece: the remaining bits of the height of its place, a draw in a
// piece too deep for strips, or one that would round onto the knot.
NNP_INLINE bool finish_excess(Stream &stream, double depth, double place, uint64_t word,
                              double filled, double *excess) {
  if (!(depth > -deepest_strips)) return draw_deep(stream, depth, filled, excess);
  double t = 0;
  const bool accepted = draw_in_strip(stream, place, word, filled, &t);
  *excess = depth + t;
  return accepted && *excess > 0;
}

// Finishes the open lanes of the vector at element i of a chunk, except those that were drawn, but
// outside their piece. What cannot be finished waits for a round, as do elements with two pieces
// that are too deep or too far inside for strips.
__attribute__((noinline)) void finish_strips(const TwoPieces &two, Stream &stream, Vec m, Vec x,
                                             unsigned open, unsigned drawn, int64_t i,
                                             int64_t first, StripRound &round, Waiting &waiting) {
  const Depths d = depths_at(two, m, x);
  const Mask suited = less(broadcast(-deepest_strips), greater(d.left, d.right)) &
                      at_most(lesser(d.left, d.right), broadcast(farthest_strips));
  if (const unsigned cut = open & ~drawn & suited.bits(); cut != 0) {
    alignas(64) double left[lanes], right[lanes], log_odds[lanes];
    store(left, d.left);
    store(right, d.right);
    store(log_odds, strip_log_odds<false>(two, seen_by_strips(d), x));
    double *value = round.left + StripRound::at(i);
    const double *step = round.right + StripRound::at(i), *place = round.odds + StripRound::at(i);
    for (unsigned these = cut; these != 0; these &= these - 1) {
      const int lane = __builtin_ctz(these);
      const bool is_right = step[lane] > 0;
      double excess;
      if (!finish_excess(stream, is_right ? right[lane] : left[lane], place[lane],
                         round.word[i + lane], is_right ? filled_by_exponential(log_odds[lane]) : 1,
                         &excess))
        continue;
      value[lane] = beside(two.knot, step[lane] * excess);
      open &= ~(1u << lane);
    }
  }
  if (open == 0) return;
  append(waiting, open, d.left, d.right, log_odds_at(two, d, m, x), numbers_from(first + i));
}

// Lanes beyond the last element: their draws are discarded, but they index tables first.
NNP_INLINE void take_words(Stream &stream, int64_t count, StripRound &round) {
  wide_words(stream.wide, round.word, 2 * count);
  for (int64_t i = count; i % lanes != 0; ++i) round.word[count + i] = 0;
}

#if defined(NNP_NEON)
#include "lib/network/strips_neon_impl.hpp"
#else

// Proposes for a chunk of elements, starting with number `first`, in three loops, which are short
// enough for out-of-order execution to overlap elements. The first prefetches x and z `ahead`
// elements further on, which unlike m are not in cache.
template <bool flat_left>
__attribute__((noinline)) void weigh_strips(const TwoPieces &two_, const double *m, const double *x,
                                            const double *z, int64_t count, int64_t ahead,
                                            StripRound &round) {
  const TwoPieces two = two_;
  const auto vector = [&](Vec m_here, Vec x_here, int64_t i) __attribute__((always_inline)) {
    const StripOdds seen = strip_odds<flat_left>(two, m_here, x_here);
    store(round.left + i, seen.left);
    store(round.right + i, seen.right);
    store(round.odds + i, seen.odds);
  };
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    fetch_far(x + i, ahead);
    fetch_far(z + i, ahead);
    vector(load(m + i), load(x + i), i);
  }
  if (i < count) vector(load_first(m + i, count - i), load_first(x + i, count - i), i);
}

__attribute__((noinline)) void pick_places(const TwoPieces &two_, int64_t count,
                                           StripRound &round) {
  const TwoPieces two = two_;
  for (int64_t i = 0; i < count; i += lanes) {
    const StripOdds seen = {load(round.left + i), load(round.right + i), load(round.odds + i)};
    const Place p = pick_place(two, seen, load(round.word + i), load(round.word + count + i));
    store(round.left + i, p.depth);
    store(round.right + i, p.step);
    store(round.odds + i, p.place);
  }
}

template <bool flat_left>
__attribute__((noinline)) void draw_at_places(const TwoPieces &two_, int64_t count,
                                              StripRound &round) {
  const TwoPieces two = two_;
  for (int64_t i = 0; i < count; i += lanes) {
    const Place at = {load(round.left + i), load(round.right + i), load(round.odds + i)};
    const AtPlace p =
        propose_at_place<flat_left>(two, at.depth, at.step, at.place, load(round.word + i));
    store(round.left + i, p.value);
    round.drawn[i / lanes] = static_cast<uint8_t>(p.drawn.bits());
    round.closed[i / lanes] = static_cast<uint8_t>(p.closed.bits());
  }
}

// Stores what is drawn; z may be m.
__attribute__((noinline)) void finish_places(const TwoPieces &two, const double *m, const double *x,
                                             int64_t first, int64_t count, Stream &stream,
                                             StripRound &round, Waiting &waiting, double *z) {
  for (int64_t i = 0; i < count; i += lanes) {
    const unsigned open = ~round.closed[i / lanes] & first_lanes(count - i);
    if (__builtin_expect(open != 0, 0))
      finish_strips(two, stream, load_some(m + i, count - i), load_some(x + i, count - i), open,
                    round.drawn[i / lanes], i, first, round, waiting);
    store_some(z + i, load(round.left + i), count - i);
  }
}

template <bool flat_left>
NNP_INLINE void try_strips_as(const TwoPieces &two, const double *m, const double *x, int64_t first,
                              int64_t count, int64_t ahead, Stream &stream, Waiting &waiting,
                              double *z) {
  StripRound round;
  take_words(stream, count, round);
  weigh_strips<flat_left>(two, m + first, x + first, z + first, count, ahead, round);
  pick_places(two, count, round);
  draw_at_places<flat_left>(two, count, round);
  finish_places(two, m + first, x + first, first, count, stream, round, waiting, z + first);
}
#endif

// One proposal for each of up to chunk_size elements, starting with number `first`.
NNP_INLINE void try_strips(const TwoPieces &two, const double *m, const double *x, int64_t first,
                           int64_t count, int64_t ahead, Stream &stream, Waiting &waiting,
                           double *z) {
  if (is_flat_left_of_zero(two))
    return try_strips_as<true>(two, m, x, first, count, ahead, stream, waiting, z);
  try_strips_as<false>(two, m, x, first, count, ahead, stream, waiting, z);
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

// ---- Three pieces -------------------------------------------------------------------------------

// Means and targets of elements that have no draw yet, stored contiguously.
struct WaitingInputs {
  int64_t count;
  alignas(64) double m[chunk_room], x[chunk_room];
  alignas(64) uint64_t index[chunk_room];
};

NNP_INLINE void keep_waiting(WaitingInputs &waiting, unsigned which, int64_t i) {
  const Vec m = load(waiting.m + i), x = load(waiting.x + i);
  const Words index = load(waiting.index + i);
  store_packed(waiting.m + waiting.count, m, which);
  store_packed(waiting.x + waiting.count, x, which);
  store_packed(waiting.index + waiting.count, index, which);
  waiting.count += __builtin_popcount(which);
}

bool finish(const ThreePieces &three, Stream &stream, const WaitingInputs &waiting, int64_t count,
            int64_t i, Round &round) {
  return propose_in_pieces(three, waiting.m[i], waiting.x[i], round.word[i], round.word[count + i],
                           stream, &round.value[i]);
}

// What the pieces mean for elements: depths of the modes (for the middle piece from the knot nearer
// to its mode), and logs of the greatest densities on a common scale.
struct ThreeSeen {
  Vec left, middle, right;
  Vec top_left, top_middle, top_right;
  Mask nearer_second;
};
template <int piece, int knot>
NNP_INLINE Vec rise_from_knot(const ThreePieces &three, Vec m, Vec x) {
  const Law &law = three.law[piece];
  return law.per_m * (m - three.knot[knot]) + law.per_x * (x - three.value[knot + piece]);
}
NNP_INLINE Vec top_of(Vec at_knot, Vec depth) {
  const Vec inside = positive(depth);
  return at_knot + 0.5 * (inside * inside);
}
NNP_INLINE ThreeSeen seen_at(const ThreePieces &three, Vec m, Vec x) {
  const Vec climb = three.climb_m * (m - three.middle_m) + three.climb_x * (x - three.middle_x);
  const Mask nearer_second = less(Vec{}, climb);
  const Vec left = -rise_from_knot<0, 0>(three, m, x), right = rise_from_knot<2, 1>(three, m, x);
  const Vec middle =
      nearer_second.pick(-rise_from_knot<1, 1>(three, m, x), rise_from_knot<1, 0>(three, m, x));
  const Vec after_first = three.jump[0].slope * (three.jump[0].middle - x);
  const Vec before_second = after_first + climb;
  const Vec after_second = before_second + three.jump[1].slope * (three.jump[1].middle - x);
  return {left,
          middle,
          right,
          top_of(Vec{}, left),
          top_of(nearer_second.pick(before_second, after_first), middle),
          top_of(after_second, right),
          nearer_second};
}

// A piece's greatest density relative to the highest of all. Below e^-600 no uniform picks the
// piece, and denormal numbers would only take time.
NNP_INLINE Vec below_highest(Vec top, Vec highest) {
  return exponential_of(greater(-600.0, top - highest));
}

NNP_INLINE void propose_three(const ThreePieces &three, Vec m, Vec x, Words pick, Words word,
                              int64_t i, Round &round) {
  const ThreeSeen seen = seen_at(three, m, x);
  const Vec highest = greater(seen.top_left, greater(seen.top_middle, seen.top_right));
  const Masses ends = masses_at(seen.left, seen.right);
  const Vec outside = mass_at(seen.middle, 1 / rate_outside(seen.middle));
  const Mask narrow = at_most(broadcast(three.width), outside);
  const Vec middle = lesser(broadcast(three.width), outside);
  const Vec share_left = three.law[0].sd * below_highest(seen.top_left, highest) * ends.left;
  const Vec share_middle = three.law[1].sd * below_highest(seen.top_middle, highest) * middle;
  const Vec share_right = three.law[2].sd * below_highest(seen.top_right, highest) * ends.right;
  // left, middle and right in this order
  const Vec place = uniform_of(pick) * (share_left + share_middle + share_right);
  const Vec behind = place - share_left;
  const Mask is_left = at_most(place, share_left),
             is_middle = at_most(behind, share_middle) & ~is_left;
  const auto choose = [&](Vec a, Vec b, Vec c) { return is_left.pick(a, is_middle.pick(b, c)); };
  const Vec first = broadcast(three.knot[0]), second = broadcast(three.knot[1]);
  const Vec sd = broadcast(three.law[1].sd);
  const Picked picked = {choose(seen.left, seen.middle, seen.right),
                         choose(ends.left, middle, ends.right),
                         choose(broadcast(-three.law[0].sd), seen.nearer_second.pick(-sd, sd),
                                broadcast(three.law[2].sd)),
                         choose(place, behind, behind - share_middle),
                         choose(share_left, share_middle, share_right),
                         choose(first, seen.nearer_second.pick(second, first), second)};
  const Vec excess = propose_lanes<true>(picked, is_middle & narrow, word, i, round);
  const Vec value = load(round.value + i);
  const unsigned beyond = (is_middle & at_most(broadcast(three.width), excess)).bits();
  // or rounded past the far one
  const Mask off_middle = is_middle & (at_most(value, first) | at_most(second, value));
  const unsigned on_knot =
      (equal(value, first) | equal(value, second) | off_middle).bits() & ~beyond;
  round.failed[i / lanes] = static_cast<uint8_t>(round.failed[i / lanes] | beyond);
  round.rare[i / lanes] = static_cast<uint8_t>(round.rare[i / lanes] | on_knot);
}

__attribute__((noinline)) void propose_all(const ThreePieces &three, Stream &stream,
                                           const WaitingInputs &waiting, Round &round) {
  const int64_t count = waiting.count;
  wide_words(stream.wide, round.word, 2 * count);
  store(round.word + 2 * count, Words{});  // for lanes beyond the last element
  for (int64_t i = 0; i < count; i += lanes)
    propose_three(three, load(waiting.m + i), load(waiting.x + i), load(round.word + i),
                  load(round.word + count + i), i, round);
}

// Runs rounds of proposals until every element of a chunk has a draw.
void three_pieces(const ThreePieces &three, const double *m, const double *x, int64_t n,
                  Stream &stream, double *z) {
  WaitingInputs waiting;
  Round round;
  for (int64_t first = 0; first < n; first += chunk_size) {
    waiting.count = least(chunk_size, n - first);
    for (int64_t i = 0; i < waiting.count; i += lanes) {
      store(waiting.m + i, load_some(m + first + i, waiting.count - i));
      store(waiting.x + i, load_some(x + first + i, waiting.count - i));
      store(waiting.index + i, numbers_from(first + i));
    }
    for (int rounds = 0; waiting.count > 0; ++rounds) {
      if (__builtin_expect(rounds == most_rounds, 0)) give_up(waiting, z);
      store(waiting.m + waiting.count, Vec{});  // see serve
      store(waiting.x + waiting.count, Vec{});
      propose_all(three, stream, waiting, round);
      judge(three, stream, round, waiting, z);
    }
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

}  // namespace
}  // namespace nnp
