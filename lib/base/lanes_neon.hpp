// Four lanes in two registers of AArch64, for lanes.hpp: constants are loaded once for both
// registers, and both are loaded and stored by one instruction.
#pragma once

namespace nnp {
namespace {

struct Vec {
  float64x2_t low, high;
};
struct Words {
  uint64x2_t low, high;
};

NNP_INLINE Vec load(const double *p) {
  return {vld1q_f64(p), vld1q_f64(p + 2)};
}
NNP_INLINE void store(double *p, Vec x) {
  vst1q_f64(p, x.low);
  vst1q_f64(p + 2, x.high);
}
NNP_INLINE Vec broadcast(double x) {
  return {vdupq_n_f64(x), vdupq_n_f64(x)};
}
NNP_INLINE Words same_word(uint64_t x) {
  return {vdupq_n_u64(x), vdupq_n_u64(x)};
}
NNP_INLINE Vec as_numbers(Words bits) {
  return {vreinterpretq_f64_u64(bits.low), vreinterpretq_f64_u64(bits.high)};
}
NNP_INLINE Words as_bits(Vec numbers) {
  return {vreinterpretq_u64_f64(numbers.low), vreinterpretq_u64_f64(numbers.high)};
}

#define NNP_OF_BOTH(op)                         \
  NNP_INLINE Vec operator op(Vec a, Vec b) {    \
    return {a.low op b.low, a.high op b.high};  \
  }                                             \
  NNP_INLINE Vec operator op(Vec a, double b) { \
    return a op broadcast(b);                   \
  }                                             \
  NNP_INLINE Vec operator op(double a, Vec b) { \
    return broadcast(a) op b;                   \
  }
NNP_OF_BOTH(+)
NNP_OF_BOTH(-)
NNP_OF_BOTH(*)
NNP_OF_BOTH(/)
#undef NNP_OF_BOTH
NNP_INLINE Vec operator-(Vec a) {
  return {-a.low, -a.high};
}
NNP_INLINE Vec &operator+=(Vec &a, Vec b) {
  return a = a + b;
}

#define NNP_OF_BOTH(op)                               \
  NNP_INLINE Words operator op(Words a, Words b) {    \
    return {a.low op b.low, a.high op b.high};        \
  }                                                   \
  NNP_INLINE Words operator op(Words a, uint64_t b) { \
    return a op same_word(b);                         \
  }
NNP_OF_BOTH(+)
NNP_OF_BOTH(&)
NNP_OF_BOTH(|)
#undef NNP_OF_BOTH
NNP_INLINE Words operator>>(Words a, int bits) {
  return {a.low >> bits, a.high >> bits};
}
NNP_INLINE Words operator<<(Words a, int bits) {
  return {a.low << bits, a.high << bits};
}

// Bits of a where the mask has ones, of b elsewhere.
NNP_INLINE Words mixed(uint64_t mask, Words a, Words b) {
  const uint64x2_t ones = vdupq_n_u64(mask);
  return {vbslq_u64(ones, a.low, b.low), vbslq_u64(ones, a.high, b.high)};
}

// The first `count` (1 .. lanes - 1) lanes of p, zeros after them; the rest of p is not read.
NNP_INLINE Vec load_first(const double *p, int64_t count) {
  const Vec none = broadcast(0.0);
  return {count == 1 ? vld1q_lane_f64(p, none.low, 0) : vld1q_f64(p),
          count == 3 ? vld1q_lane_f64(p + 2, none.high, 0) : none.high};
}
NNP_INLINE void store_first(double *p, Vec x, int64_t count) {
  count == 1 ? vst1q_lane_f64(p, x.low, 0) : vst1q_f64(p, x.low);
  if (count == 3) vst1q_lane_f64(p + 2, x.high, 0);
}

}  // namespace
}  // namespace nnp
