// The ladder of a replica exchange: its powers from 0 to 1, and how to place them.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

Status ladder_check(const double *powers, int64_t count, Error *err);

// A first ladder: geometric, starting from a power at which log q has a spread of about 1 over
// draws from the prior.
constexpr int64_t pilot_draws = 32, pilot_powers = 30;
// pilot[i * pilot_draws + s] = log q of draw s at power 4^-i (sorted for each power on return);
// `origin` is log q at power 0.
void ladder_from_pilot(double *pilot, double origin, int64_t count, double *powers);

// The barrier Lambda from 0 to each power of a ladder.
struct LadderProfile {
  const double *powers, *barriers;
  int64_t count;
};
// `count` powers with equal barriers between neighbours. Between the powers of the profile, the
// logarithm of the power is linear in Lambda; between 0 and the first of them, the power itself is.
void ladder_respace(const LadderProfile &profile, int64_t count, double *powers);

}  // namespace nnp
