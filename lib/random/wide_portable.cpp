// Arrays of variates for any machine: vectors of two.
#define NNP_LANES 2
#include "lib/random/wide_impl.hpp"

namespace nnp {

void wide_words_portable(Wide &wide, uint64_t *words, int64_t n) {
  const int64_t whole = n / lanes * lanes;
  wide_words(wide, words, whole);
  if (whole == n) return;
  uint64_t last[lanes];
  wide_words(wide, last, n - whole);
  for (int64_t i = whole; i < n; ++i) words[i] = last[i - whole];
}

void fill_normal_portable(Stream &stream, double *out, int64_t n) {
  wide_normals(stream, out, n);
}

}  // namespace nnp
