// Words, ziggurats and exponentials in vectors of NNP_LANES, written once and compiled once per
// SIMD level; see lanes.hpp for what such a file may contain. Nothing here may be contracted to
// fused operations, because all levels must give the same bits.
#pragma once

#include "lib/base/exponential.hpp"
#include "lib/random/wide.hpp"

namespace nnp {
namespace {

typedef uint64_t Words __attribute__((vector_size(lanes * 8)));

NNP_INLINE Vec as_numbers(Words bits) {
  return reinterpret_cast<Vec>(bits);
}
NNP_INLINE Words as_bits(Vec numbers) {
  return reinterpret_cast<Words>(numbers);
}
NNP_INLINE Words load(const uint64_t *p) {
  return as_bits(load(reinterpret_cast<const double *>(p)));
}
NNP_INLINE void store(uint64_t *p, Words x) {
  store(reinterpret_cast<double *>(p), as_numbers(x));
}
NNP_INLINE Words same_word(uint64_t x) {
  return x + Words{};
}
NNP_INLINE Vec size_of(Vec x) {
  return as_numbers(as_bits(x) & ~(uint64_t{1} << 63));
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
#elif defined(NNP_NEON)
    const uint64x2_t bit = {1, 2};
    return static_cast<unsigned>(vaddvq_u64(reinterpret_cast<uint64x2_t>(ones_) & bit));
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

// The smaller and the larger; b if one of them is NaN.
NNP_INLINE Vec lesser(Vec a, Vec b) {
#if defined(NNP_AVX512)
  return _mm512_min_pd(a, b);
#elif defined(NNP_AVX2)
  return _mm256_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}
NNP_INLINE Vec greater(Vec a, Vec b) {
#if defined(NNP_AVX512)
  return _mm512_max_pd(a, b);
#elif defined(NNP_AVX2)
  return _mm256_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

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

// A step of one vector would have to wait for the previous one, so four alternate.
constexpr int turns = 4;
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

// ---- Ziggurats ----------------------------------------------------------------------------------

struct Proposal {
  Vec x;
  Mask outside;
  Vec uniform;  // on (0, 1): determines x, together with the layer
};

// table[at[i]]
NNP_INLINE Words table_at(const uint64_t *table, Words at) {
#if defined(NNP_AVX512)
  return reinterpret_cast<Words>(_mm512_mask_i64gather_epi64(
      _mm512_setzero_si512(), 0xff, reinterpret_cast<__m512i>(at), table, 8));
#elif defined(NNP_AVX2)
  return reinterpret_cast<Words>(_mm256_i64gather_epi64(reinterpret_cast<const long long *>(table),
                                                        reinterpret_cast<__m256i>(at), 8));
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
  return {h * scale, at_most(inside, half), half + half};
}

// ---- The exponential function -------------------------------------------------------------------

// Clamped to e^-708 and e^708; NaN stays NaN.
NNP_INLINE Vec exponential_of(Vec x) {
  return power_of_e(greater(broadcast(-708), lesser(broadcast(708), x))).value();
}

}  // namespace
}  // namespace nnp
