// The kernels for AVX2 with FMA. Compile this file, and no other, with -mavx2 -mfma.
#define NNP_LANES 4
#include "lib/linalg/kernels_impl.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

constexpr KernelTables kernels_avx2 = tables_of_level("avx2");

}  // namespace nnp
