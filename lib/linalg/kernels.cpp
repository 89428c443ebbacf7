// The tables of kernels for each SIMD level.
#include "lib/linalg/kernels.hpp"

#include "lib/linalg/blas.hpp"
#include "lib/linalg/kernels_levels.hpp"

namespace nnp {

namespace {

const KernelTables &tables_of(Simd level) {
  switch (resolved(level)) {
#if defined(NNP_HAVE_NEON)
    case Simd::neon:
      return kernels_neon;
#endif
#if defined(NNP_HAVE_AVX512)
    case Simd::avx512:
      return kernels_avx512;
#endif
#if defined(NNP_HAVE_AVX2)
    case Simd::avx2:
      return kernels_avx2;
#endif
    default:
      return kernels_portable;
  }
}

}  // namespace

const Kernels *kernels_of(Simd level, Provider provider) {
  if (!simd_runs(level)) return nullptr;
  const KernelTables &tables = tables_of(level);
  if (provider == Provider::own) return &tables.own;
  if (!blas_present()) return nullptr;
  switch (provider) {
    case Provider::shared:
      return &tables.shared;
    case Provider::blas:
      return &tables.blas;
    case Provider::whole:
      return &tables.whole;
    default:
      return nullptr;
  }
}

}  // namespace nnp
