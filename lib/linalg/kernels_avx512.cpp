// The kernels for AVX-512. Compile this file, and no other, with -mavx512f -mavx512bw -mavx512dq
// -mavx512vl -mprefer-vector-width=512.
#define NNP_LANES 8
#include "lib/linalg/kernels_impl.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

constexpr KernelTables kernels_avx512 = tables_of_level("avx512");

}  // namespace nnp
