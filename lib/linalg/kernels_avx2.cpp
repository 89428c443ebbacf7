// The kernels for AVX2 with FMA. Compile this file, and no other, with -mavx2 -mfma.
#if defined(NNP_TARGETS_BY_PRAGMA)  // for builds that cannot set processor flags per file
#pragma GCC target("avx2,fma")
#endif
#define NNP_AVX2 1
#define NNP_LANES 4
#include "lib/linalg/kernels_impl.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

constexpr KernelTables kernels_avx2 = tables_of_level("avx2");

}  // namespace nnp
