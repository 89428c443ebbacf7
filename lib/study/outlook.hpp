// How far a fit has got, over its start, warm-up and sampling, and how long the rest will take at
// the speed measured so far.
#pragma once

#include <cstdint>

namespace nnp {

constexpr int64_t phase_count = 3;  // start, warm-up, sampling

struct Outlook {
  int64_t steps[phase_count] = {};  // over all chains; 0: the fit has no such phase
  double spent[phase_count] = {};   // seconds in finished phases
  int64_t phase = 0;                // the current one, from 0
  double began = 0;                 // when it started, in seconds since the start of the fit
  double share = 0;                 // of the time of the whole fit; never decreases
  double left = 0;                  // seconds; NaN before anything is measured
};

// Updates the outlook: `done` steps over all chains in this phase, `seconds` after the start of the
// fit.
void look_ahead(Outlook &outlook, int64_t phase, int64_t done, double seconds);

}  // namespace nnp
