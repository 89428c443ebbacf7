// Arrays of variates for AArch64.
#define NNP_LANES 4
#define NNP_NEON 1
#include "lib/random/fill_impl.hpp"

namespace nnp {

void wide_words_neon(Wide &wide, uint64_t *words, int64_t n) {
  wide_words_exactly(wide, words, n);
}

void fill_normal_neon(Stream &stream, double *out, int64_t n) {
  wide_normals(stream, out, n);
}

}  // namespace nnp
