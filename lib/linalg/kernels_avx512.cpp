// The kernels for AVX-512. Compile this file, and no other, with -mavx512f -mavx512bw -mavx512dq
// -mavx512vl -mprefer-vector-width=512.
#if defined(NNP_TARGETS_BY_PRAGMA)  // for builds that cannot set processor flags per file
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#define NNP_AVX512 1
#define NNP_LANES 8
#include "lib/linalg/kernels_impl.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

constexpr KernelTables kernels_avx512 = tables_of_level("avx512");

}  // namespace nnp
