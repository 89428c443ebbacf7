// A twin shows whether a chain on real data is stuck. Labels are made from the chain's current
// weights, and a second chain is started on them from the weights that made them. It is in
// equilibrium, or close to it, so its training error is what the chain's would be if it were too.
#pragma once

#include "lib/diagnostics/thermalization.hpp"
#include "lib/study/track.hpp"
#include "lib/teacher/teacher.hpp"

namespace nnp {

struct Twin {
  Track tracks[2];  // the chain, and its twin
  Data data;        // inputs shared with the chain's data, its own labels
  Teacher *teacher = nullptr;
  double *sites = nullptr;  // the sites that made the labels
  LevelWork level;
  Thermalization found;
  bool decided = false;
};

constexpr int64_t samples_of_twin = 512;

Status twin_check(const Chain &chain, Error *err);
// `original` may be read even while the arena only counts.
Twin *twin_layout(Arena &arena, const StudyMember &original);
// Makes labels, with the model's noise or without, then runs `steps` steps of both chains.
Status twin_run(Twin &twin, int64_t steps, bool noisy, uint64_t seed, const TrackHooks &hooks,
                Error *err);

}  // namespace nnp
