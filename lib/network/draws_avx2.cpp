// The elementwise draws for AVX2.
#define NNP_LANES 4
#define NNP_FILL_NORMAL fill_normal_avx2
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_avx2 = table_of_level("avx2");

}  // namespace nnp
