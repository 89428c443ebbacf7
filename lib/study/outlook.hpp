// How far a fit has come, over its start, warm-up and sampling, and how long the rest will take by the
// speed measured so far.
#pragma once

#include <cstdint>

namespace nnp {

constexpr int64_t phase_count = 3;  // start, warm-up, sampling

struct Outlook {
  int64_t steps[phase_count] = {};  // of all chains together; 0: the fit has no such phase
  double spent[phase_count] = {};   // seconds in phases that are over
  int64_t phase = 0;                // under way, from 0
  double began = 0;                 // when it began, in seconds since the fit did
  double share = 0;                 // of the time of the whole fit; it never goes back
  double left = 0;                  // seconds; NaN before anything was measured
};

// `done` steps of all chains in this phase, `seconds` after the fit began.
void look_ahead(Outlook &outlook, int64_t phase, int64_t done, double seconds);

}  // namespace nnp
