// Which table of draws this machine can run: that of the kernels it can run.
#include "lib/network/draws.hpp"

#include <cstring>

#include "lib/linalg/kernels.hpp"

namespace nnp {

const DrawKernels *draw_kernels_named(const char *name) {
  if (!kernels_named(name)) return nullptr;
#if defined(NNP_HAVE_AVX512)
  if (std::strcmp(name, "avx512") == 0) return &draw_kernels_avx512;
#endif
#if defined(NNP_HAVE_AVX2)
  if (std::strcmp(name, "avx2") == 0) return &draw_kernels_avx2;
#endif
  return &draw_kernels_portable;
}

const DrawKernels *best_draw_kernels() {
  return draw_kernels_named(best_kernels()->name);
}

}  // namespace nnp
