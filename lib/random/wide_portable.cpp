// Arrays of variates for any machine: vectors of two.
#define NNP_LANES 2
#include "lib/random/fill_impl.hpp"

namespace nnp {

void wide_words_portable(Wide &wide, uint64_t *words, int64_t n) {
  wide_words_exactly(wide, words, n);
}

void fill_normal_portable(Stream &stream, double *out, int64_t n) {
  wide_normals(stream, out, n);
}

}  // namespace nnp
