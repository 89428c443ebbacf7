// The elementwise draws for AVX2.
#define NNP_LANES 4
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_avx2 = table_of_level("avx2");

}  // namespace nnp
