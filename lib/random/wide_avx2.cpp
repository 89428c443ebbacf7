// Arrays of variates for AVX2.
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
