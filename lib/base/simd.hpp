// The SIMD levels, and the only place that tests which of them this machine and build can run.
#pragma once

#include <cstdint>

namespace nnp {

// Values are pinned: they are those of NNP_OPTION_SIMD. `best` means the highest that runs.
enum class Simd : int32_t { best = 0, portable = 1, avx2 = 2, avx512 = 3, neon = 4 };
constexpr Simd simd_levels[] = {Simd::portable, Simd::avx2, Simd::avx512, Simd::neon};

// True if the level is compiled in and the machine supports it. False for numbers that are not
// levels.
bool simd_runs(Simd level);
Simd best_simd();
// The level itself; for Simd::best, the best one that runs.
Simd resolved(Simd level);
// "portable", "avx2", "avx512", "neon".
const char *simd_name(Simd level);

}  // namespace nnp
