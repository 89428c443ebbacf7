// The SIMD levels, and the one place that asks which of them this machine and this build can run.
#pragma once

#include <cstdint>

namespace nnp {

// Values are pinned: they are those of NNP_OPTION_SIMD. `best` stands for the highest that runs.
enum class Simd : int32_t { best = 0, portable = 1, avx2 = 2, avx512 = 3, neon = 4 };
constexpr Simd simd_levels[] = {Simd::portable, Simd::avx2, Simd::avx512, Simd::neon};

// Is the level compiled in, and does the machine have it? False for numbers that are no level.
bool simd_runs(Simd level);
Simd best_simd();
// The level itself, or the best one for Simd::best.
Simd resolved(Simd level);
// "portable", "avx2", "avx512", "neon".
const char *simd_name(Simd level);

}  // namespace nnp
