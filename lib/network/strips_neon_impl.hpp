// Draws of two pieces by strips for AArch64: try_strips of pieces_impl.hpp, which includes this file.
// The arithmetic is that of strip_odds, pick_place and propose_at_place, operation by operation, so
// draws have the same bits. It is done for vectors of two lanes, in two loops that keep their
// constants in registers. A vector with an element that needs more than one proposal (1 in 25)
// leaves the second loop and is computed again by those functions.
#pragma once

NNP_INLINE float64x2_t of_all(double x) {
  return vdupq_n_f64(x);
}
NNP_INLINE uint64x2_t of_all(uint64_t x) {
  return vdupq_n_u64(x);
}

// The four numbers at p, which moves on past them, by one instruction. They may be words.
NNP_INLINE Vec load_next(const double *&p) {
  typedef double Any __attribute__((may_alias));
  Vec x;
  asm("ldp %q0, %q1, [%2], #32"
      : "=w"(x.low), "=w"(x.high), "+r"(p)
      : "m"(*reinterpret_cast<const Any(*)[lanes]>(p)));
  return x;
}

// The StripOdds of a vector, in memory.
struct StoredOdds {
  double left[lanes], right[lanes], odds[lanes];
};
struct HalfOdds {
  float64x2_t left, right, odds;
};

template <bool flat_left>
NNP_INLINE HalfOdds odds_of_half(const TwoPieces &two, float64x2_t m, float64x2_t x) {
  const ExponentialBound &e = exponential_bound;
  const float64x2_t dm = flat_left ? m : m - of_all(two.knot);
  float64x2_t left = dm * -two.left.per_m, right;
  if constexpr (flat_left) {
    right = two.right.per_m * dm + two.right.per_x * x;
  } else {
    left = left - two.left.per_x * (x - of_all(two.value_left));
    right = two.right.per_m * dm + two.right.per_x * (x - of_all(two.value_right));
  }
  left = vmaxnmq_f64(left, of_all(-deepest_strips));
  right = vmaxnmq_f64(right, of_all(-deepest_strips));
  const float64x2_t product = (right - left) * (right + left);
  float64x2_t y;
  if constexpr (flat_left) {  // half of the product, whose bits differ by the exponent only
    y = vmaxq_f64(of_all(-2 * e.most), vminq_f64(of_all(2 * e.most), product)) * (0.5 * e.log2_e);
  } else {
    const float64x2_t log_odds = two.jump.slope * (of_all(two.jump.middle) - x) + 0.5 * product;
    y = vmaxq_f64(of_all(-e.most), vminq_f64(of_all(e.most), log_odds)) * e.log2_e;
  }
  const float64x2_t shifted = y + of_all(e.to_whole);
  const float64x2_t f = y - (shifted - of_all(e.to_whole)), f2 = f * f;
  const float64x2_t near_one = (of_all(e.c[0]) + e.c[1] * f) + f2 * (of_all(e.c[2]) + e.c[3] * f);
  const uint64x2_t bits =
      vreinterpretq_u64_f64(near_one) + vshlq_n_u64(vreinterpretq_u64_f64(shifted), 52);
  return {left, right, vreinterpretq_f64_u64(bits) * two.sd_ratio};
}

NNP_INLINE void store_odds(HalfOdds low, HalfOdds high, StoredOdds *to) {
  store(to->left, {low.left, high.left});
  store(to->right, {low.right, high.right});
  store(to->odds, {low.odds, high.odds});
}

template <bool flat_left>
NNP_INLINE void odds_of_vector(const TwoPieces &two, Vec m, Vec x, StoredOdds *to) {
  const HalfOdds low = odds_of_half<flat_left>(two, m.low, x.low);
  store_odds(low, odds_of_half<flat_left>(two, m.high, x.high), to);
}

template <bool flat_left>
__attribute__((noinline)) void odds_of_chunk(const TwoPieces &two_, const double *m,
                                             const double *x, const double *z, int64_t count,
                                             int64_t ahead, StoredOdds *to) {
  const TwoPieces two = two_;
  const double *const end = m + count / (2 * lanes) * (2 * lanes);
  for (; m != end; to += 2) {
    fetch_far(x, ahead);
    fetch_far(z, ahead);
    z += 2 * lanes;
    Vec at = load_next(m);
    odds_of_vector<flat_left>(two, at, load_next(x), to);
    at = load_next(m);
    odds_of_vector<flat_left>(two, at, load_next(x), to + 1);
  }
  for (int64_t left = count % (2 * lanes); left > 0; left -= lanes, ++to, m += lanes, x += lanes)
    odds_of_vector<flat_left>(two, load_some(m, left), load_some(x, left), to);
}

// The constants of draw_half, in registers: compilers that knew them to be constants would load some
// again for every use. Factors may share a register.
struct DrawConstants {
  float64x2_t deepest, many, half, c0, c2, c1_c3, energy_of, farthest, right_sd, left_step, all,
      middle;
  float64x2_t certain, least_excess, knot;
  uint64x2_t low_bits, low_half, exponent, sign, edge_bits;
};
NNP_INLINE float64x2_t kept(float64x2_t x) {
  asm("" : "+w"(x));
  return x;
}
NNP_INLINE uint64x2_t kept(uint64_t x) {
  uint64x2_t all = of_all(x);
  asm("" : "+w"(all));
  return all;
}
NNP_INLINE float64x2_t kept(double x) {
  return kept(of_all(x));
}
NNP_INLINE DrawConstants draw_constants(const TwoPieces &two) {
  const StripCount &s = strip_count;
  return {kept(deepest_strips),
          kept(2 * strips),
          kept(s.half),
          kept(s.c[0]),
          kept(s.c[2]),
          kept(float64x2_t{s.c[1], s.c[3]}),
          kept(0.5 * heights),
          kept(farthest_strips),
          kept(two.right.sd),
          kept(-two.left.sd),
          kept(strips),
          kept(0.5),
          kept(0x1p52 + certain_heights),
          kept(least_excess),
          kept(two.knot),
          kept(uint64_t{heights - 1}),
          kept(uint64_t{heights / 2}),
          kept(uint64_t{0x433} << 52),
          kept(uint64_t{1} << 63),
          kept(~uint64_t{0xffffffff})};
}

// strips_of_piece
NNP_INLINE float64x2_t strips_of_half(const DrawConstants &k, float64x2_t depth) {
  const float64x2_t d2 = depth * depth;  // too large is no matter: then another value is picked
  const float64x2_t high = d2 * d2 * (k.c2 + vmulq_laneq_f64(d2, k.c1_c3, 1));
  const float64x2_t slope = (k.c0 + vmulq_laneq_f64(d2, k.c1_c3, 0)) + high;
  return vbslq_f64(vcgtq_f64(depth, k.deepest), k.many, k.half + depth * slope);
}

NNP_INLINE float64x2_t uniform_of_half(const DrawConstants &k, uint64x2_t word) {
  static_assert(heights == 0x1000, "as many low bits as are no part of the uniform");
  return vcvtq_n_f64_u64(vbslq_u64(k.low_bits, k.low_half, word), 64);
}

struct HalfDraw {
  float64x2_t value, depth, excess, lesser_depth;
  uint64x2_t certain;
};

template <bool flat_left>
NNP_INLINE HalfDraw draw_half(const DrawConstants &k, HalfOdds seen, uint64x2_t pick,
                              uint64x2_t word) {
  const float64x2_t left = strips_of_half(k, seen.left), right = strips_of_half(k, seen.right);
  const float64x2_t share = seen.odds * right;
  const uint64x2_t is_right = vcgeq_f64(share, uniform_of_half(k, pick) * (left + share));
  const float64x2_t here = vbslq_f64(is_right, right, left);
  const float64x2_t place = k.all - uniform_of_half(k, word) * here;
  const float64x2_t lesser_depth = vminnmq_f64(seen.left, seen.right);
  const float64x2_t depth = vbslq_f64(is_right, seen.right, seen.left);
  const float64x2_t step = vbslq_f64(is_right, k.right_sd, k.left_step);

  const float64x2_t size = vabsq_f64(place), before = size - k.middle;
  const int64x2_t number = vcvtnq_s64_f64(before);
  const uint64x2_t entry = {strip_table.strip[number[0]], strip_table.strip[number[1]]};
  const float64x2_t edge = vreinterpretq_f64_u64(entry & k.edge_bits);
  const float64x2_t width = vreinterpretq_f64_u64(vshlq_n_u64(entry, 32));
  const float64x2_t inside = (size - vrndnq_f64(before)) * width, at = edge + inside;
  const float64x2_t energy = k.energy_of * inside * (edge + at);
  const float64x2_t above = vreinterpretq_f64_u64(vbslq_u64(k.low_bits, pick, k.exponent));
  const uint64x2_t certain = vcltq_f64(energy, k.certain - above);
  const float64x2_t excess = depth + vbslq_f64(k.sign, place, at);
  if constexpr (flat_left) return {step * excess, depth, excess, lesser_depth, certain};
  const float64x2_t value = k.knot + step * excess;
  return {value, depth, excess, lesser_depth, certain & ~vceqq_f64(value, k.knot)};
}

// Whether all elements are drawn: certainly under the density, in pieces neither too deep nor too far inside
// for strips, and so far beyond the knot that the value is not on it.
NNP_INLINE bool all_drawn(const DrawConstants &k, const HalfDraw &a, const HalfDraw &b) {
  const float64x2_t excess = vminq_f64(a.excess, b.excess), depth = vminq_f64(a.depth, b.depth);
  const float64x2_t lesser_depth = vmaxq_f64(a.lesser_depth, b.lesser_depth);
  const uint64x2_t all = a.certain & b.certain & vcgtq_f64(excess, k.least_excess) &
                         vcgtq_f64(depth, -k.deepest) & vcleq_f64(lesser_depth, k.farthest);
  return vget_lane_u64(vreinterpret_u64_u32(vmovn_u64(all)), 0) == ~uint64_t{0};
}

// Draws vectors from element i on, up to `end` or until not all elements of a vector are drawn.
// Returns the first element that is not stored.
template <bool flat_left>
__attribute__((noinline)) int64_t draw_until_open(const TwoPieces &two, const StoredOdds *odds,
                                                  const uint64_t *words, int64_t count, int64_t i,
                                                  int64_t end, double *z) {
  const DrawConstants k = draw_constants(two);
  const double *seen = odds[i / lanes].left;
  const double *pick = reinterpret_cast<const double *>(words + i);
  const double *word = reinterpret_cast<const double *>(words + count + i);
  double *to = z + i, *const last = z + end;
  for (; to != last; to += lanes) {
    const Vec left = load_next(seen), right = load_next(seen), ratio = load_next(seen);
    const Words picks = as_bits(load_next(pick)), places = as_bits(load_next(word));
    const HalfDraw low =
        draw_half<flat_left>(k, {left.low, right.low, ratio.low}, picks.low, places.low);
    const HalfDraw high =
        draw_half<flat_left>(k, {left.high, right.high, ratio.high}, picks.high, places.high);
    if (__builtin_expect(!all_drawn(k, low, high), 0)) break;
    store(to, {low.value, high.value});
  }
  return to - z;
}

// Draws the vector at element i by the general functions and finishes elements that are not drawn
// after one proposal. The vector may extend beyond the last element.
__attribute__((noinline)) void finish_vector(const TwoPieces &two, const double *m, const double *x,
                                             int64_t first, int64_t count, int64_t i,
                                             Stream &stream, StripRound &round, Waiting &waiting,
                                             double *z) {
  const int64_t at = first + i, left = count - i;
  const Vec m_here = load_some(m + at, left), x_here = load_some(x + at, left);
  const StripOdds seen = strip_odds<false>(two, m_here, x_here);
  const Place p = pick_place(two, seen, load(round.word + i), load(round.word + count + i));
  const AtPlace q = propose_at_place<false>(two, p.depth, p.step, p.place, load(round.word + i));
  store(round.left, q.value);
  store(round.right, p.step);
  store(round.odds, p.place);
  const unsigned open = ~q.closed.bits() & first_lanes(left);
  if (open != 0)
    finish_strips(two, stream, m_here, x_here, open, q.drawn.bits(), i, first, round, waiting);
  store_some(z + at, load(round.left), left);
}

template <bool flat_left>
NNP_INLINE void try_strips_as(const TwoPieces &two, const double *m, const double *x, int64_t first,
                              int64_t count, int64_t ahead, Stream &stream, Waiting &waiting,
                              double *z) {
  StripRound round;
  alignas(64) StoredOdds odds[chunk_room / lanes];
  take_words(stream, count, round);
  odds_of_chunk<flat_left>(two, m + first, x + first, z + first, count, ahead, odds);
  const int64_t whole = count / lanes * lanes;
  for (int64_t i = 0; i < count; i += lanes) {
    i = draw_until_open<flat_left>(two, odds, round.word, count, i, whole, z + first);
    if (i < count) finish_vector(two, m, x, first, count, i, stream, round, waiting, z);
  }
}
