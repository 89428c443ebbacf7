// The elementwise draws for AVX-512.
#if defined(NNP_TARGETS_BY_PRAGMA)  // for builds that cannot set processor flags per file
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define NNP_AVX512 1
#define NNP_LANES 8
#define NNP_FILL_NORMAL fill_normal_avx512
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_avx512 = table_of_level("avx512");

}  // namespace nnp
