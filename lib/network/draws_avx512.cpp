// The elementwise draws for AVX-512.
#define NNP_LANES 8
#define NNP_FILL_NORMAL fill_normal_avx512
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_avx512 = table_of_level("avx512");

}  // namespace nnp
