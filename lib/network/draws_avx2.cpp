// The elementwise draws for AVX2.
#if defined(NNP_TARGETS_BY_PRAGMA)  // for builds that cannot set processor flags per file
#pragma GCC target("avx2,fma")
#endif
#define NNP_AVX2 1
#define NNP_LANES 4
#define NNP_FILL_NORMAL fill_normal_avx2
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_avx2 = table_of_level("avx2");

}  // namespace nnp
