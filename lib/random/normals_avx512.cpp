// Proposals of the ziggurat, eight at a time. Compile this file with -mavx512f -mavx512dq.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's own intrinsics start from a value they never set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "lib/random/normals_levels.hpp"
#include "lib/random/variates.hpp"

namespace nnp {

namespace {

// The layers' scales and limits lie in pairs of doubles: pair `layer` starts at 16 * layer bytes.
inline __mmask8 propose_eight(__m512i words, __m512d *x) {
  const __m512i pair = _mm512_slli_epi64(_mm512_and_si512(words, _mm512_set1_epi64(255)), 1);
  const double *table = &normal_table.layer[0].scale;
  const __m512d scale = _mm512_i64gather_pd(pair, table, 8);
  const __m512d inside = _mm512_i64gather_pd(pair, table + 1, 8);
  const __m512i odd = _mm512_or_si512(_mm512_srai_epi64(words, 10), _mm512_set1_epi64(1));
  *x = _mm512_mul_pd(_mm512_cvtepi64_pd(odd), scale);
  return _mm512_cmp_pd_mask(_mm512_abs_pd(*x), inside, _CMP_NLT_UQ);
}

}  // namespace

int propose_normals_avx512(const uint64_t *words, int count, double *out, int *missed) {
  int misses = 0;
  for (int i = 0; i < count; i += 8) {
    const __mmask8 lanes =
        count - i >= 8 ? __mmask8{255} : static_cast<__mmask8>((1u << (count - i)) - 1);
    __m512d x;
    unsigned miss = propose_eight(_mm512_maskz_loadu_epi64(lanes, words + i), &x) & lanes;
    _mm512_mask_storeu_pd(out + i, lanes, x);
    for (; miss; miss &= miss - 1) missed[misses++] = i + __builtin_ctz(miss);
  }
  return misses;
}

}  // namespace nnp
