// The elementwise draws for any machine: vectors of two.
#define NNP_LANES 2
#define NNP_FILL_NORMAL fill_normal_portable
#include "lib/network/draws_impl.hpp"

namespace nnp {

constexpr DrawKernels draw_kernels_portable = table_of_level("portable");

}  // namespace nnp
