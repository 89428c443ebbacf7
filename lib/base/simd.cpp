#include "lib/base/simd.hpp"

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

// Every AArch64 processor has it.
bool runs_neon() {
#if defined(NNP_HAVE_NEON)
  return true;
#else
  return false;
#endif
}

}  // namespace

bool simd_runs(Simd level) {
  switch (level) {
    case Simd::best:
    case Simd::portable:
      return true;
    case Simd::avx2:
      return runs_avx2();
    case Simd::avx512:
      return runs_avx512();
    case Simd::neon:
      return runs_neon();
  }
  return false;
}

Simd best_simd() {
  if (runs_neon()) return Simd::neon;
  if (runs_avx512()) return Simd::avx512;
  return runs_avx2() ? Simd::avx2 : Simd::portable;
}

Simd resolved(Simd level) {
  return level == Simd::best ? best_simd() : level;
}

const char *simd_name(Simd level) {
  switch (resolved(level)) {
    case Simd::avx512:
      return "avx512";
    case Simd::avx2:
      return "avx2";
    case Simd::neon:
      return "neon";
    default:
      return "portable";
  }
}

}  // namespace nnp
