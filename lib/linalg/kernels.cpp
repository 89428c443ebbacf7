// Which table of kernels this machine can run.
#include "lib/linalg/kernels.hpp"

#include <cstring>

#include "lib/linalg/kernels_levels.hpp"

namespace nnp {
namespace {

bool runs_avx2() {
#if defined(NNP_HAVE_AVX2)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool runs_avx512() {
#if defined(NNP_HAVE_AVX512)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

const Kernels *kernels_named(const char *name) {
#if defined(NNP_HAVE_AVX512)
  if (std::strcmp(name, "avx512") == 0) return runs_avx512() ? &kernels_avx512 : nullptr;
#endif
#if defined(NNP_HAVE_AVX2)
  if (std::strcmp(name, "avx2") == 0) return runs_avx2() ? &kernels_avx2 : nullptr;
#endif
  return std::strcmp(name, "portable") == 0 ? &kernels_portable : nullptr;
}

const Kernels *best_kernels() {
  if (runs_avx512()) return kernels_named("avx512");
  if (runs_avx2()) return kernels_named("avx2");
  return &kernels_portable;
}

}  // namespace nnp
