// The kernels for any machine: vectors of two doubles, as in SSE2 and NEON.
#define NNP_LANES 2
#include "lib/linalg/kernels_impl.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

constexpr KernelTables kernels_portable = tables_of_level("portable");

}  // namespace nnp
