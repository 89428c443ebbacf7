// The tables of the SIMD levels that may be compiled in.
#pragma once

#include "lib/linalg/kernels.hpp"

namespace nnp {

// Four tables per level: our kernels only; shared with BLAS by shape, in small calls; all dense
// work by BLAS, in small calls; shared by shape, in whole calls (see choice.hpp).
struct KernelTables {
  Kernels own, shared, blas, whole;
};

extern const KernelTables kernels_portable;
extern const KernelTables kernels_avx2;    // only with NNP_HAVE_AVX2
extern const KernelTables kernels_avx512;  // only with NNP_HAVE_AVX512
extern const KernelTables kernels_neon;    // only with NNP_HAVE_NEON

}  // namespace nnp
