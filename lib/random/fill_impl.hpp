// Arrays of words and normals, written once for vectors of NNP_LANES and compiled once per SIMD
// level, in this file only: the other files of a level call fill_normal_<level>.
#pragma once

#include "lib/random/wide_impl.hpp"

namespace nnp {
namespace {

// The next n words, for buffers of exactly n words.
void wide_words_exactly(Wide &wide, uint64_t *words, int64_t n) {
  const int64_t whole = n / lanes * lanes;
  wide_words(wide, words, whole);
  if (whole == n) return;
  uint64_t last[lanes];
  wide_words(wide, last, n - whole);
  for (int64_t i = whole; i < n; ++i) words[i] = last[i - whole];
}

__attribute__((noinline)) void finish_normals(Stream &stream, const uint64_t *words,
                                              unsigned outside, double *out) {
  for (; outside != 0; outside &= outside - 1) {
    const int i = __builtin_ctz(outside);
    out[i] = wide_normal_outside(stream, words[i]);
  }
}

NNP_INLINE void normals_of(Stream &stream, Words words, int64_t count, double *out) {
  const Proposal proposal = propose(words, Words{});
  store(out, proposal.x);
  const unsigned outside = proposal.outside.bits() & first_lanes(count);
  if (__builtin_expect(outside != 0, 0)) {
    uint64_t kept[lanes];
    store(kept, words);
    finish_normals(stream, kept, outside, out);
  }
}

#if defined(NNP_NEON)

// Two vectors at a time, with one test for both, since few have a lane outside.
NNP_INLINE void two_vectors_of_normals(Stream &stream, const uint64_t *words, double *out) {
  const Proposal a = propose(load(words), Words{}), b = propose(load(words + lanes), Words{});
  store(out, a.x);
  store(out + lanes, b.x);
  if (__builtin_expect((a.outside | b.outside).any(), 0)) {
    finish_normals(stream, words, a.outside.bits() | b.outside.bits() << lanes, out);
  }
}

void wide_normals(Stream &stream, double *out, int64_t n) {
  constexpr int64_t at_once = 256;
  alignas(64) uint64_t words[at_once];
  for (int64_t first = 0; first < n; first += at_once) {
    const int64_t count = n - first < at_once ? n - first : at_once;
    wide_words(stream.wide, words, count);
    double *to = out + first;
    const uint64_t *word = words, *const end = words + count / (2 * lanes) * (2 * lanes);
    for (; word != end; word += 2 * lanes, to += 2 * lanes)
      two_vectors_of_normals(stream, word, to);
    int64_t left = count % (2 * lanes);
    for (; left >= lanes; left -= lanes, word += lanes, to += lanes)
      normals_of(stream, load(word), lanes, to);
    if (left == 0) continue;
    double last[lanes];
    normals_of(stream, load(word), left, last);
    for (int64_t k = 0; k < left; ++k) to[k] = last[k];
  }
}

#else

void wide_normals(Stream &stream, double *out, int64_t n) {
  for_each_words(stream.wide, n, [&](Words word, int64_t i, int64_t count) {
    if (count == lanes) return normals_of(stream, word, lanes, out + i);
    double last[lanes];
    normals_of(stream, word, count, last);
    for (int64_t k = 0; k < count; ++k) out[i + k] = last[k];
  });
}

#endif

}  // namespace
}  // namespace nnp
