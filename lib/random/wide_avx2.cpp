// Arrays of variates for AVX2.
#if defined(NNP_TARGETS_BY_PRAGMA)  // for builds that cannot set processor flags per file
#pragma GCC target("avx2,fma")
#endif
#define NNP_AVX2 1
#define NNP_LANES 4
#include "lib/random/fill_impl.hpp"

namespace nnp {

void wide_words_avx2(Wide &wide, uint64_t *words, int64_t n) {
  wide_words_exactly(wide, words, n);
}

void fill_normal_avx2(Stream &stream, double *out, int64_t n) {
  wide_normals(stream, out, n);
}

}  // namespace nnp
