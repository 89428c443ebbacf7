// The elementwise draws for AArch64.
#define NNP_LANES 4
#define NNP_NEON 1
#define NNP_FILL_NORMAL fill_normal_neon
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_neon = table_of_level("neon");

}  // namespace nnp
