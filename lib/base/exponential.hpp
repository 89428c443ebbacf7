// The exponential function of vectors of NNP_LANES; see lanes.hpp for what such a file may contain.
#pragma once

#include "lib/base/lanes.hpp"

namespace nnp {
namespace {

// e^x = 2^k (1 + q) for |x| <= 708. 2^k is stored as the bits that add k to an exponent, and q
// separately, so that it is accurate near 0.
struct PowerOfE {
  Words exponent;
  Vec q;

  // Words are unsigned, because sums of bits may wrap, as they do for NaN.
  Vec two_to_k() const { return as_numbers(exponent + as_bits(broadcast(1.0))); }
  Vec value() const { return as_numbers(exponent + as_bits(1 + q)); }
};

// e^r - 1 = r + r^2 (c0 + c1 r + … + c9 r^9) to 2e-17 for |r| <= log(2)/2, interpolated at
// Chebyshev nodes. Neighbouring terms are combined first, so that sums do not wait for each other.
NNP_INLINE Vec exponential_less_one_near_zero(Vec r) {
  constexpr double c[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d4fp-5,
                          0x1.11111111109adp-7,  0x1.6c16c17893833p-10, 0x1.a01a01a7c8d47p-13,
                          0x1.a019b8ef67c6cp-16, 0x1.71de0d9c145d0p-19, 0x1.2891a8c1d838dp-22,
                          0x1.af38d53857513p-26};
  const Vec r2 = r * r, r4 = r2 * r2;
  const Vec low = (c[0] + c[1] * r) + r2 * (c[2] + c[3] * r);
  const Vec middle = (c[4] + c[5] * r) + r2 * (c[6] + c[7] * r);
  const Vec high = c[8] + c[9] * r;
  return r + r2 * (low + r4 * (middle + r4 * high));
}

// k is the nearest whole number to x log2(e), r = x - k log(2).
NNP_INLINE PowerOfE power_of_e(Vec x) {
  constexpr double to_whole = 0x1.8p52;  // adding it leaves the whole number in the low bits
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  const Vec shifted = x * log2_e + broadcast(to_whole);
  const Vec k = shifted - broadcast(to_whole);
  const Vec r = (x - k * ln2_high) - k * ln2_low;
  return {as_bits(shifted) << 52, exponential_less_one_near_zero(r)};
}

}  // namespace
}  // namespace nnp
