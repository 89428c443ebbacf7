// The table of draws for each SIMD level.
#include "lib/network/draws.hpp"

namespace nnp {

const DrawKernels *draws_of(Simd level) {
  if (!simd_runs(level)) return nullptr;
  switch (resolved(level)) {
#if defined(NNP_HAVE_NEON)
    case Simd::neon:
      return &draw_kernels_neon;
#endif
#if defined(NNP_HAVE_AVX512)
    case Simd::avx512:
      return &draw_kernels_avx512;
#endif
#if defined(NNP_HAVE_AVX2)
    case Simd::avx2:
      return &draw_kernels_avx2;
#endif
    default:
      return &draw_kernels_portable;
  }
}

}  // namespace nnp
