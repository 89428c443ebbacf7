// Multistart: chains from different starts each get a share of the budget, and the one that fits
// best continues with the rest.
#pragma once

#include "lib/study/track.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_MULTISTART_* of the C header. No gaps.
enum class MultistartOption : int32_t { steps = 1, share = 2, anneal_from = 3, zero_starts = 4 };
constexpr int32_t multistart_option_count = 4;

struct Attempt {
  Track track;
  bool annealed = false;
  double error = 0;  // mean training error over the last quarter of the attempt
  int64_t rank = 0;  // 1: the best; 0: not ranked yet
};

struct Multistart {
  int64_t count = 0;
  Attempt *attempts = nullptr;
  Track *tracks = nullptr;  // of the chains that run
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
// Starts all chains with (seed, 0, 1, ...), runs their attempts, ranks them and continues with the
// best.
Status multistart_run(Multistart &multistart, uint64_t seed, const TrackHooks &hooks, Error *err);

}  // namespace nnp
