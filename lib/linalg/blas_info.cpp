// The two calls of OpenBLAS that are not BLAS, by weak names: another BLAS links too.
#include "lib/linalg/blas_info.hpp"

extern "C" {
__attribute__((weak)) char *openblas_get_corename(void);
__attribute__((weak)) void openblas_set_num_threads(int threads);
}

namespace nnp {

const char *blas_core_name() {
  return openblas_get_corename ? openblas_get_corename() : "unknown";
}

void blas_single_thread() {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

}  // namespace nnp
