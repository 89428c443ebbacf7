// The kernels for AArch64: vectors of two doubles, 32 registers of them, and fused products.
#define NNP_LANES 2
#define NNP_NEON 1
#include "lib/linalg/kernels_impl.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

constexpr KernelTables kernels_neon = tables_of_level("neon");

}  // namespace nnp
