// Tables of kernels and draws by the name of their SIMD level, for tests that try every level. The
// library itself is handed an engine and never picks a table.
#pragma once

#include <cstring>

#include "lib/network/engine.hpp"

namespace nnp {

constexpr const char *level_names[] = {"portable", "avx2", "avx512", "neon"};

// The level of that name; one that runs nowhere for names that are none.
inline Simd level_named(const char *name) {
  for (Simd level : simd_levels)
    if (std::strcmp(simd_name(level), name) == 0) return level;
  return static_cast<Simd>(-1);
}

// Null if this machine or this build does not have the level.
inline const Kernels *kernels_named(const char *name) {
  return kernels_of(level_named(name), Provider::own);
}
inline const DrawKernels *draw_kernels_named(const char *name) {
  return draws_of(level_named(name));
}

inline const Kernels *best_kernels() {
  return kernels_of(Simd::best, Provider::own);
}
inline const DrawKernels *best_draw_kernels() {
  return draws_of(Simd::best);
}

}  // namespace nnp
