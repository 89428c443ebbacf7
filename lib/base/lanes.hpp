// Vectors of NNP_LANES doubles for files that are compiled once per SIMD level. NNP_AVX2,
// NNP_AVX512 or NNP_NEON says which, unless it is the portable one. (Compiler macros cannot be
// used: GCC's pragma sets them too late.)
//
// Everything here and in such files has internal linkage, and nothing inline is called from a
// shared header: otherwise the linker might keep a copy compiled for a better processor and use it
// on a lesser one.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's intrinsics start from an uninitialized value.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(NNP_NEON)
#include <arm_neon.h>
#endif

#if defined(__clang__)
#define NNP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define NNP_UNROLL _Pragma("GCC unroll 16")
#endif
#define NNP_INLINE inline __attribute__((always_inline))

namespace nnp {
namespace {

constexpr int lanes = NNP_LANES;

}  // namespace
}  // namespace nnp

#if defined(NNP_NEON) && NNP_LANES == 4
#include "lib/base/lanes_neon.hpp"
#else
namespace nnp {
namespace {

typedef double Vec __attribute__((vector_size(lanes * 8)));
typedef int64_t LaneNumbers __attribute__((vector_size(lanes * 8)));
typedef uint64_t Words __attribute__((vector_size(lanes * 8)));
// A vector at any address.
typedef double LooseVec __attribute__((vector_size(lanes * 8), aligned(8), may_alias));

NNP_INLINE Vec load(const double *p) {
  return *reinterpret_cast<const LooseVec *>(p);
}
NNP_INLINE void store(double *p, Vec x) {
  *reinterpret_cast<LooseVec *>(p) = x;
}
NNP_INLINE Vec broadcast(double x) {
  return x - Vec{};
}
NNP_INLINE Words same_word(uint64_t x) {
  return x + Words{};
}
NNP_INLINE Vec as_numbers(Words bits) {
  return reinterpret_cast<Vec>(bits);
}
NNP_INLINE Words as_bits(Vec numbers) {
  return reinterpret_cast<Words>(numbers);
}

// Bits of a where the mask has ones, of b elsewhere.
NNP_INLINE Words mixed(uint64_t mask, Words a, Words b) {
  return (a & mask) | (b & ~mask);
}

// The first `count` (1 .. lanes - 1) lanes of p, zeros after them; the rest of p is not read.
NNP_INLINE Vec load_first(const double *p, int64_t count) {
#if defined(NNP_AVX512)
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1 << count) - 1), p);
#elif defined(NNP_AVX2)
  const LaneNumbers numbers = {0, 1, 2, 3};
  return _mm256_maskload_pd(p, reinterpret_cast<__m256i>(numbers < count));
#else
  Vec x = {};
  for (int64_t i = 0; i < count; ++i) x[i] = p[i];
  return x;
#endif
}

NNP_INLINE void store_first(double *p, Vec x, int64_t count) {
#if defined(NNP_AVX512)
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1 << count) - 1), x);
#elif defined(NNP_AVX2)
  const LaneNumbers numbers = {0, 1, 2, 3};
  _mm256_maskstore_pd(p, reinterpret_cast<__m256i>(numbers < count), x);
#else
  for (int64_t i = 0; i < count; ++i) p[i] = x[i];
#endif
}

}  // namespace
}  // namespace nnp
#endif

namespace nnp {
namespace {

// Prefetches the cache line `ahead` elements past p, to the first- or the second-level cache. The
// address may be out of bounds, so it is computed as a number, not as a pointer.
constexpr int line = 8;  // doubles
template <class T>
NNP_INLINE const void *line_at(const T *p, int64_t ahead) {
  return reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(p) +
                                        static_cast<uintptr_t>(ahead) * sizeof(T));
}
NNP_INLINE void fetch(const double *p, int64_t ahead) {
  __builtin_prefetch(line_at(p, ahead), 0, 3);
}
template <class T>
NNP_INLINE void fetch_far(const T *p, int64_t ahead) {
  __builtin_prefetch(line_at(p, ahead), 0, 2);
}

}  // namespace
}  // namespace nnp
