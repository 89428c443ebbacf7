// Several starts: chains from different starts get a share of the budget, and the one
// that fits best goes on with the rest.
#pragma once

#include "lib/study/track.hpp"

namespace nnp {

// Values are pinned: plus a base they are the NNP_MULTISTART_* of the C header. Count them without gaps.
enum class MultistartOption : int32_t { steps = 1, share = 2, anneal_from = 3, zero_starts = 4 };
constexpr int32_t multistart_option_count = 4;

struct Attempt {
  Track track;
  bool annealed = false;
  double error = 0;  // mean training error over the last quarter of the attempt
  int64_t rank = 0;  // 1: the best; 0: none yet
};

struct Multistart {
  int64_t count = 0;
  Attempt *attempts = nullptr;
  Track *tracks = nullptr;  // those that run
  int64_t *order = nullptr;
  double options[multistart_option_count + 1];
  int64_t best = -1;
  bool running = false;

  double option(MultistartOption which) const { return options[static_cast<int32_t>(which)]; }
};

const OptionRow *multistart_option_row(MultistartOption option);
Status multistart_set(Multistart &multistart, MultistartOption option, double value, Error *err);

// `members` are copied (null while the arena only counts).
Multistart *multistart_layout(Arena &arena, const StudyMember *members, int64_t count);
// Starts all chains by (seed, 0, 1, ...), lets them try, ranks them and goes on with the best.
Status multistart_run(Multistart &multistart, uint64_t seed, const TrackHooks &hooks, Error *err);

}  // namespace nnp
