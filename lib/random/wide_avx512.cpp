// Arrays of variates for AVX-512.
#if defined(NNP_TARGETS_BY_PRAGMA)  // for builds that cannot set processor flags per file
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define NNP_AVX512 1
#define NNP_LANES 8
#include "lib/random/fill_impl.hpp"

namespace nnp {

void wide_words_avx512(Wide &wide, uint64_t *words, int64_t n) {
  wide_words_exactly(wide, words, n);
}

void fill_normal_avx512(Stream &stream, double *out, int64_t n) {
  wide_normals(stream, out, n);
}

}  // namespace nnp
