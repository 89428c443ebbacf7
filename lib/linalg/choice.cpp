#include "lib/linalg/choice.hpp"

#include <strings.h>

#include <algorithm>

namespace nnp {

namespace {

bool fits(const Work &work) {
  return std::max({work.rows, work.columns, work.depth, work.ld}) <= most_blas_integer;
}

// The order from which BLAS is faster; see the tables of choice.hpp. With too few rows it never is.
constexpr int64_t never = INT64_MAX;

int64_t crossover_avx2(Operation operation, Calls calls) {
  const bool whole = calls == Calls::whole;
  switch (operation) {
    case Operation::product:
    case Operation::cross:
      return whole ? 192 : never;
    case Operation::transposed_product:
      return whole ? 128 : 192;
    case Operation::gram:
      return never;
    case Operation::solve_rows:
      return 384;
    case Operation::solve_rows_transposed:
      return 768;
    case Operation::solve_columns:
      return 384;
    case Operation::cholesky:
      return 256;
  }
  return never;
}

int64_t crossover_avx512(Operation operation, Calls calls) {
  const bool whole = calls == Calls::whole;
  switch (operation) {
    case Operation::product:
    case Operation::transposed_product:
      return whole ? 384 : never;
    case Operation::cross:
    case Operation::gram:
      return never;
    case Operation::solve_rows:
    case Operation::solve_rows_transposed:
    case Operation::solve_columns:
      return 512;
    case Operation::cholesky:
      return 896;
  }
  return never;
}

int64_t crossover(Operation operation, Simd level, Calls calls) {
  if (level == Simd::avx512) return crossover_avx512(operation, calls);
  // Not measured for NEON, whose kernels use fused operations like those of AVX2.
  if (level == Simd::avx2 || level == Simd::neon) return crossover_avx2(operation, calls);
  return 16;  // portable
}

}  // namespace

bool blas_suits(Simd level) {
  const char *const with_avx512[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  const char *const with_avx2[] = {"Haswell", "Zen", "Excavator"};
  const char *core = blas_core_name();
  if (!blas_present() || strcasecmp(core, "unknown") == 0) return false;
  const Simd used = resolved(level);
  if (used == Simd::portable || used == Simd::neon) return true;
  for (const char *name : with_avx512)
    if (strcasecmp(core, name) == 0) return true;
  for (const char *name : with_avx2)
    if (strcasecmp(core, name) == 0) return used == Simd::avx2;
  return false;
}

Provider provider_for(Blas wanted, Simd level) {
  if (wanted == Blas::none) return Provider::own;
  if (wanted == Blas::all) return Provider::blas;
  if (wanted == Blas::whole) return Provider::whole;
  if (level != Simd::best || !blas_suits(level)) return Provider::own;
  return best_simd() == Simd::portable ? Provider::blas : Provider::shared;
}

bool blas_computes(const Work &work, Simd level, Share share, Calls calls) {
  if (!fits(work)) return false;
  if (share == Share::all) return true;
  const int64_t least = crossover(work.operation, level, calls);
  return work.rows >= 16 && std::min(work.columns, work.depth) >= least;
}

}  // namespace nnp
