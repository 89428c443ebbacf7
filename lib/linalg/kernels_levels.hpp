// The tables of the SIMD levels that may be compiled in.
#pragma once

#include "lib/linalg/kernels.hpp"

namespace nnp {

extern const Kernels kernels_portable;
extern const Kernels kernels_avx2;    // only with NNP_HAVE_AVX2
extern const Kernels kernels_avx512;  // only with NNP_HAVE_AVX512

}  // namespace nnp
