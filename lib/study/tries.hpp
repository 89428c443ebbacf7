// Tries that decide: several chains from different starts get a share of the budget, and the one
// that fits best goes on with the rest.
#pragma once

#include "lib/study/track.hpp"

namespace nnp {

// Values are pinned: they are the NNP_TRIES_* of the C header. Count them without gaps.
enum class TriesOption : int32_t { steps = 1, share = 2, cool_from = 3, zero_starts = 4 };
constexpr int32_t tries_option_count = 4;

struct Try {
  Track track;
  bool cooled = false;
  double error = 0;  // mean training error over the last quarter of the try
  int64_t rank = 0;  // 1: the best; 0: none yet
};

struct Tries {
  int64_t count = 0;
  Try *tries = nullptr;
  Track *tracks = nullptr;  // those that run
  int64_t *order = nullptr;
  double options[tries_option_count + 1];
  int64_t best = -1;
  bool running = false;

  double option(TriesOption which) const { return options[static_cast<int32_t>(which)]; }
};

const OptionRow *tries_option_row(TriesOption option);
Status tries_set(Tries &tries, TriesOption option, double value, Error *err);

// `members` are copied (null while the arena only counts).
Tries *tries_layout(Arena &arena, const StudyMember *members, int64_t count);
// Starts all chains by (seed, 0, 1, ...), lets them try, ranks them and goes on with the best.
Status tries_run(Tries &tries, uint64_t seed, const TrackHooks &hooks, Error *err);

}  // namespace nnp
