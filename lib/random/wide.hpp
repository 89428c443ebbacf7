// Arrays of variates, drawn in SIMD batches from the wide generator of a stream. One function per
// SIMD level; all levels give the same bits. Rare cases are finished one by one by the functions
// declared here, using the stream's other generator.
#pragma once

#include <cstdint>

#include "lib/random/stream.hpp"

namespace nnp {

// A ziggurat of 512 layers for words of 64 bits. The high 52 bits (the last of them set) are the
// mantissa of a number in (1, 2); subtracting 1.5 gives h in (-1/2, 1/2), never 0. The low 9 bits
// are the layer. The proposal is h * scale, and needs no further test if |h| < inside. Both numbers
// have mantissas of 20 bits and so share a word: `scale` is its high half, `inside` its low half,
// each the high half of a double. A layer's rectangle is exactly as wide as the rounded scale, and
// its height is such that all areas are equal.
struct WideTable {
  static constexpr int layers = 512;
  static constexpr int64_t exponential = layers;  // index of its layers, after the normal's
  uint64_t layer[2 * layers];
};
extern const WideTable wide_table;

// The variate of a word: for any word, and for one whose proposal is not inside.
double wide_normal(Stream &stream, uint64_t word);
double wide_exponential(Stream &stream, uint64_t word);
double wide_normal_outside(Stream &stream, uint64_t word);
double wide_exponential_outside(Stream &stream, uint64_t word);

// The next n words, and n standard normals (none is 0).
void wide_words_portable(Wide &wide, uint64_t *words, int64_t n);
void wide_words_avx2(Wide &wide, uint64_t *words, int64_t n);
void wide_words_avx512(Wide &wide, uint64_t *words, int64_t n);
void wide_words_neon(Wide &wide, uint64_t *words, int64_t n);
void fill_normal_portable(Stream &stream, double *out, int64_t n);
void fill_normal_avx2(Stream &stream, double *out, int64_t n);
void fill_normal_avx512(Stream &stream, double *out, int64_t n);
void fill_normal_neon(Stream &stream, double *out, int64_t n);

}  // namespace nnp
