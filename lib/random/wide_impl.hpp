// Words, ziggurats and exponentials in vectors of NNP_LANES, written once and compiled once per
// SIMD level; see lanes.hpp for what such a file may contain. Nothing here may be contracted to
// fused operations, because all levels must give the same bits.
#pragma once

#include "lib/base/exponential.hpp"
#include "lib/random/wide.hpp"

namespace nnp {
namespace {

NNP_INLINE Words load(const uint64_t *p) {
  return as_bits(load(reinterpret_cast<const double *>(p)));
}
NNP_INLINE void store(uint64_t *p, Words x) {
  store(reinterpret_cast<double *>(p), as_numbers(x));
}
NNP_INLINE Vec size_of(Vec x) {
#if defined(NNP_NEON)
  return {vabsq_f64(x.low), vabsq_f64(x.high)};
#else
  return as_numbers(as_bits(x) & ~(uint64_t{1} << 63));
#endif
}

// Lanes in which a condition holds.
#if defined(NNP_AVX512)
class Mask {
 public:
  NNP_INLINE Mask(__mmask8 bits) : bits_(bits) {}
  NNP_INLINE Mask operator&(Mask b) const { return static_cast<__mmask8>(bits_ & b.bits_); }
  NNP_INLINE Mask operator|(Mask b) const { return static_cast<__mmask8>(bits_ | b.bits_); }
  NNP_INLINE Mask operator~() const { return static_cast<__mmask8>(~bits_); }
  NNP_INLINE unsigned bits() const { return bits_; }
  NNP_INLINE Vec pick(Vec yes, Vec no) const { return _mm512_mask_blend_pd(bits_, no, yes); }
  NNP_INLINE Words word(uint64_t yes) const {
    return reinterpret_cast<Words>(_mm512_maskz_set1_epi64(bits_, static_cast<long long>(yes)));
  }

 private:
  __mmask8 bits_;
};
NNP_INLINE Mask less(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
NNP_INLINE Mask at_most(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
NNP_INLINE Mask equal(Vec a, Vec b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
#elif defined(NNP_NEON)
class Mask {
 public:
  NNP_INLINE Mask(uint64x2_t low, uint64x2_t high) : low_(low), high_(high) {}
  NNP_INLINE Mask operator&(Mask b) const { return {low_ & b.low_, high_ & b.high_}; }
  NNP_INLINE Mask operator|(Mask b) const { return {low_ | b.low_, high_ | b.high_}; }
  NNP_INLINE Mask operator~() const { return {~low_, ~high_}; }
  NNP_INLINE unsigned bits() const {
    const uint32x4_t bit = {1, 2, 4, 8};
    return vaddvq_u32(vuzp1q_u32(vreinterpretq_u32_u64(low_), vreinterpretq_u32_u64(high_)) & bit);
  }
  NNP_INLINE bool any() const { return vmaxvq_u32(vreinterpretq_u32_u64(low_ | high_)) != 0; }
  NNP_INLINE Vec pick(Vec yes, Vec no) const {
    return {vbslq_f64(low_, yes.low, no.low), vbslq_f64(high_, yes.high, no.high)};
  }
  NNP_INLINE Words word(uint64_t yes) const { return Words{low_, high_} & yes; }

 private:
  uint64x2_t low_, high_;
};
NNP_INLINE Mask less(Vec a, Vec b) {
  return {vcltq_f64(a.low, b.low), vcltq_f64(a.high, b.high)};
}
NNP_INLINE Mask at_most(Vec a, Vec b) {
  return {vcleq_f64(a.low, b.low), vcleq_f64(a.high, b.high)};
}
NNP_INLINE Mask equal(Vec a, Vec b) {
  return {vceqq_f64(a.low, b.low), vceqq_f64(a.high, b.high)};
}
// a <= |b|, where a is not negative
NNP_INLINE Mask at_most_size(Vec a, Vec b) {
  return {vcaleq_f64(a.low, b.low), vcaleq_f64(a.high, b.high)};
}
#else
class Mask {
 public:
  NNP_INLINE Mask(LaneNumbers lanes_of_ones) : ones_(lanes_of_ones) {}
  NNP_INLINE Mask operator&(Mask b) const { return ones_ & b.ones_; }
  NNP_INLINE Mask operator|(Mask b) const { return ones_ | b.ones_; }
  NNP_INLINE Mask operator~() const { return ~ones_; }
  NNP_INLINE unsigned bits() const {
#if defined(NNP_AVX2)
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(ones_)));
#elif NNP_LANES == 2 && defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_pd(reinterpret_cast<__m128d>(ones_)));
#else
    unsigned bits = 0;
    for (int i = 0; i < lanes; ++i) bits |= static_cast<unsigned>(ones_[i] & 1) << i;
    return bits;
#endif
  }
  NNP_INLINE Vec pick(Vec yes, Vec no) const {
    return ones_ ? yes : no;
  }
  NNP_INLINE Words word(uint64_t yes) const {
    return reinterpret_cast<Words>(ones_) & yes;
  }

 private:
  LaneNumbers ones_;
};
NNP_INLINE Mask less(Vec a, Vec b) {
  return a < b;
}
NNP_INLINE Mask at_most(Vec a, Vec b) {
  return a <= b;
}
NNP_INLINE Mask equal(Vec a, Vec b) {
  return a == b;
}
#endif

// Comparisons of the lanes of a mask; the others do not compare.
#if defined(NNP_AVX512)
NNP_INLINE Mask less(Mask where, Vec a, Vec b) {
  return _mm512_mask_cmp_pd_mask(static_cast<__mmask8>(where.bits()), a, b, _CMP_LT_OQ);
}
NNP_INLINE Mask differ(Mask where, Vec a, Vec b) {
  return _mm512_mask_cmp_pd_mask(static_cast<__mmask8>(where.bits()), a, b, _CMP_NEQ_UQ);
}
#else
NNP_INLINE Mask less(Mask where, Vec a, Vec b) {
  return where & less(a, b);
}
NNP_INLINE Mask differ(Mask where, Vec a, Vec b) {
  return where & ~equal(a, b);
}
#endif

#if !defined(NNP_NEON)
NNP_INLINE Mask at_most_size(Vec a, Vec b) {
  return at_most(a, size_of(b));
}
#endif

// The smaller and the larger; b if one of them is NaN.
NNP_INLINE Vec lesser(Vec a, Vec b) {
#if defined(NNP_AVX512)
  return _mm512_min_pd(a, b);
#elif defined(NNP_AVX2)
  return _mm256_min_pd(a, b);
#elif defined(NNP_NEON)
  return less(a, b).pick(a, b);
#else
  return a < b ? a : b;
#endif
}
NNP_INLINE Vec greater(Vec a, Vec b) {
#if defined(NNP_AVX512)
  return _mm512_max_pd(a, b);
#elif defined(NNP_AVX2)
  return _mm256_max_pd(a, b);
#elif defined(NNP_NEON)
  return less(b, a).pick(a, b);
#else
  return a > b ? a : b;
#endif
}
// The same with a number that is neither NaN nor 0. AArch64 has instructions for that, if NaN should
// give the number (minnm) or NaN (min).
#if defined(NNP_NEON)
NNP_INLINE Vec lesser(Vec a, double b) {
  return {vminnmq_f64(a.low, vdupq_n_f64(b)), vminnmq_f64(a.high, vdupq_n_f64(b))};
}
NNP_INLINE Vec lesser(double a, Vec b) {
  return {vminq_f64(vdupq_n_f64(a), b.low), vminq_f64(vdupq_n_f64(a), b.high)};
}
NNP_INLINE Vec greater(Vec a, double b) {
  return {vmaxnmq_f64(a.low, vdupq_n_f64(b)), vmaxnmq_f64(a.high, vdupq_n_f64(b))};
}
NNP_INLINE Vec greater(double a, Vec b) {
  return {vmaxq_f64(vdupq_n_f64(a), b.low), vmaxq_f64(vdupq_n_f64(a), b.high)};
}
#else
NNP_INLINE Vec lesser(Vec a, double b) {
  return lesser(a, broadcast(b));
}
NNP_INLINE Vec lesser(double a, Vec b) {
  return lesser(broadcast(a), b);
}
NNP_INLINE Vec greater(Vec a, double b) {
  return greater(a, broadcast(b));
}
NNP_INLINE Vec greater(double a, Vec b) {
  return greater(broadcast(a), b);
}
#endif

NNP_INLINE unsigned first_lanes(int64_t count) {
  return count >= lanes ? (1u << lanes) - 1 : (1u << count) - 1;
}

// The lanes of `keep`, moved to the front; those after them are undefined.
#if defined(NNP_AVX2)
struct Packing {
  alignas(32) int32_t half[16][8];
};
constexpr Packing packing() {
  Packing p{};
  for (int keep = 0; keep < 16; ++keep) {
    int to = 0;
    for (int lane = 0; lane < 4; ++lane) {
      if (!(keep >> lane & 1)) continue;
      p.half[keep][2 * to] = 2 * lane;
      p.half[keep][2 * to + 1] = 2 * lane + 1;
      ++to;
    }
  }
  return p;
}
constexpr Packing packed_lanes = packing();
#endif

NNP_INLINE void store_packed(double *to, Vec x, unsigned keep) {
#if defined(NNP_AVX512)
  store(to, _mm512_maskz_compress_pd(static_cast<__mmask8>(keep), x));
#elif defined(NNP_AVX2)
  const __m256i order =
      _mm256_load_si256(reinterpret_cast<const __m256i *>(packed_lanes.half[keep]));
  store(to, reinterpret_cast<Vec>(_mm256_permutevar8x32_ps(reinterpret_cast<__m256>(x), order)));
#elif defined(NNP_NEON)
  double all[lanes];
  store(all, x);
  int count = 0;
  NNP_UNROLL for (int i = 0; i < lanes; ++i) {
    to[count] = all[i];
    count += static_cast<int>(keep >> i & 1);
  }
#else
  int count = 0;
  for (int i = 0; i < lanes; ++i) {
    to[count] = x[i];
    count += static_cast<int>(keep >> i & 1);
  }
#endif
}
NNP_INLINE void store_packed(uint64_t *to, Words x, unsigned keep) {
  store_packed(reinterpret_cast<double *>(to), as_numbers(x), keep);
}

// ---- Words --------------------------------------------------------------------------------------

constexpr uint64_t power(uint64_t a, int n) {
  return n == 0 ? 1 : a * power(a, n - 1);
}
constexpr uint64_t powers_below(uint64_t a, int n) {
  return n == 0 ? 0 : 1 + a * powers_below(a, n - 1);
}

// A step of one vector would have to wait for the previous one, so several alternate.
#if defined(NNP_NEON)
constexpr int turns = 2;
#else
constexpr int turns = 4;
#endif
constexpr int64_t words_a_turn = turns * lanes;

struct StartOfLanes {
  uint64_t of_state[turns * lanes], of_increment[turns * lanes];
};
constexpr StartOfLanes start_of_lanes() {
  StartOfLanes start{};
  for (int i = 0; i < turns * lanes; ++i) {
    start.of_state[i] = power(Wide::multiplier, i);
    start.of_increment[i] = powers_below(Wide::multiplier, i);
  }
  return start;
}
alignas(64) constexpr StartOfLanes first_states = start_of_lanes();

#if defined(NNP_NEON)

// Shifts by 5 and by 43 are part of the exclusive or. (In vectors, products would be put together
// from general registers.)
NNP_INLINE uint64_t output_of(uint64_t state) {
  uint64_t word = ((state >> (state >> 59)) >> 5 ^ state) * Wide::output_multiplier;
  asm("" : "+r"(word));
  return (word >> 43) ^ word;
}

// The next n words, rounded up to whole vectors: `words` must have room for that. Words after the
// n-th are generated again by the next call. AArch64 has no products of 64-bit lanes, but of general
// registers, in one instruction with the sum.
__attribute__((noinline)) void wide_words(Wide &wide, uint64_t *words, int64_t n) {
  uint64_t state[words_a_turn];
  NNP_UNROLL for (int t = 0; t < words_a_turn; ++t) state[t] =
      first_states.of_state[t] * wide.state + first_states.of_increment[t] * wide.increment;
  const uint64_t step = wide.increment * powers_below(Wide::multiplier, words_a_turn);
  const auto turn = [&](uint64_t *to) {
    NNP_UNROLL for (int t = 0; t < words_a_turn; t += 2) {  // stored in pairs
      const uint64_t even = output_of(state[t]), odd = output_of(state[t + 1]);
      to[t] = even;
      to[t + 1] = odd;
      state[t] = state[t] * power(Wide::multiplier, words_a_turn) + step;
      state[t + 1] = state[t + 1] * power(Wide::multiplier, words_a_turn) + step;
    }
  };
  int64_t i = 0;
  for (; i + 2 * words_a_turn <= n; i += 2 * words_a_turn) {
    turn(words + i);
    turn(words + i + words_a_turn);
  }
  for (; i + words_a_turn <= n; i += words_a_turn) turn(words + i);
  uint64_t left[words_a_turn];
  NNP_UNROLL for (int t = 0; t < words_a_turn; ++t) left[t] = state[t];
  wide.state = left[n - i];
  for (const uint64_t *at = left; i < (n + lanes - 1) / lanes * lanes; ++i, ++at)
    words[i] = output_of(*at);
}

#else

NNP_INLINE Words output_of(Words state) {
  const Words word = ((state >> ((state >> 59) + 5)) ^ state) * Wide::output_multiplier;
  return (word >> 43) ^ word;
}

// Calls work(words, first, count) for vectors of the next n words; only the last may be partial
// (count < lanes).
template <class Work>
NNP_INLINE void for_each_words(Wide &wide, int64_t n, const Work &work) {
  Words state[turns];
  for (int t = 0; t < turns; ++t)
    state[t] = load(first_states.of_state + t * lanes) * wide.state +
               load(first_states.of_increment + t * lanes) * wide.increment;
  const Words step = same_word(wide.increment * powers_below(Wide::multiplier, turns * lanes));
  int64_t i = 0;
  for (; i + words_a_turn <= n; i += words_a_turn) {
    Words word[turns];
    NNP_UNROLL for (int t = 0; t < turns; ++t) {
      word[t] = output_of(state[t]);
      state[t] = state[t] * power(Wide::multiplier, turns * lanes) + step;
    }
    NNP_UNROLL for (int t = 0; t < turns; ++t) work(word[t], i + t * lanes, int64_t{lanes});
  }
  uint64_t left[turns * lanes];
  NNP_UNROLL for (int t = 0; t < turns; ++t) store(left + t * lanes, state[t]);
  wide.state = left[n - i];
  for (const uint64_t *at = left; i < n; i += lanes, at += lanes)
    work(output_of(load(at)), i, n - i < lanes ? n - i : lanes);
}

// The next n words, rounded up to whole vectors: `words` must have room for that. Words after the
// n-th are generated again by the next call.
__attribute__((noinline)) void wide_words(Wide &wide, uint64_t *words, int64_t n) {
  for_each_words(wide, n, [&](Words word, int64_t i, int64_t) { store(words + i, word); });
}

#endif

// ---- Ziggurats ----------------------------------------------------------------------------------

struct Proposal {
  Vec x;
  Mask outside;
  Vec uniform;  // on (0, 1): determines x, together with the layer
};

#if defined(NNP_AVX2) || defined(NNP_AVX512)
// The two words at table[at[0]] and table[at[1]].
NNP_INLINE __m128i two_at(const uint64_t *table, const uint64_t *at) {
  return _mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(table[at[0]])),
                          static_cast<long long>(table[at[1]]), 1);
}
NNP_INLINE __m256i four_at(const uint64_t *table, const uint64_t *at) {
  const __m256i low = _mm256_castsi128_si256(two_at(table, at));
  return _mm256_inserti128_si256(low, two_at(table, at + 2), 1);
}
#endif

// table[at[i]]. Loads one by one are faster than a gather: with gathers, normals take 1.1 times as
// long on Zen 5.
NNP_INLINE Words table_at(const uint64_t *table, Words at) {
#if defined(NNP_AVX2) || defined(NNP_AVX512)
  alignas(64) uint64_t index[lanes];
  store(index, at);
  asm("" : "+m"(index));  // else compilers take it from the vector, lane by lane
#if defined(NNP_AVX512)
  const __m512i low = _mm512_castsi256_si512(four_at(table, index));
  return reinterpret_cast<Words>(_mm512_inserti64x4(low, four_at(table, index + 4), 1));
#else
  return reinterpret_cast<Words>(four_at(table, index));
#endif
#elif defined(NNP_NEON)
  return {uint64x2_t{table[at.low[0]], table[at.low[1]]},
          uint64x2_t{table[at.high[0]], table[at.high[1]]}};
#else
  Words found = {};
  for (int i = 0; i < lanes; ++i) found[i] = table[at[i]];
  return found;
#endif
}

// For the normal (first = 0) or, in absolute value, the exponential (first = layers) distribution.
NNP_INLINE Proposal propose(Words words, Words first) {
  const Words entry = table_at(wide_table.layer, (words & (WideTable::layers - 1)) + first);
  const Words mantissa = (words >> 12) | (uint64_t{0x3ff} << 52 | 1);
  const Vec h = as_numbers(mantissa) - broadcast(1.5);
  const Vec scale = as_numbers(entry & ~uint64_t{0xffffffff}), inside = as_numbers(entry << 32);
  const Vec half = size_of(h);
  return {h * scale, at_most_size(inside, h), half + half};
}

// ---- The exponential function -------------------------------------------------------------------

// Clamped to e^-708 and e^708; NaN stays NaN.
NNP_INLINE Vec exponential_of(Vec x) {
  return power_of_e(greater(-708.0, lesser(708.0, x))).value();
}

}  // namespace
}  // namespace nnp
