// The table of kernels of each SIMD level.
#include "lib/linalg/kernels.hpp"

#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

const Kernels *kernels_of(Simd level) {
  if (!simd_runs(level)) return nullptr;
  switch (resolved(level)) {
#if defined(NNP_HAVE_AVX512)
    case Simd::avx512:
      return &kernels_avx512;
#endif
#if defined(NNP_HAVE_AVX2)
    case Simd::avx2:
      return &kernels_avx2;
#endif
    default:
      return &kernels_portable;
  }
}

}  // namespace nnp
