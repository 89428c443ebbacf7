// The wide step of filling an array with normals: words of the stream to proposals of the ziggurat.
// Every SIMD level gives the same bits.
#pragma once

#include <cstdint>

namespace nnp {

// out[i] = proposal of words[i]; the numbers of those that need a further look go to `missed`,
// their count is returned.
using ProposeNormals = int (*)(const uint64_t *words, int count, double *out, int *missed);

int propose_normals_portable(const uint64_t *words, int count, double *out, int *missed);
int propose_normals_avx512(const uint64_t *words, int count, double *out, int *missed);

}  // namespace nnp
