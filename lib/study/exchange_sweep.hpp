// A sweep of an exchange: every level moves, then neighbours swap, over ranks as well.
#pragma once

#include "lib/study/exchange.hpp"

namespace nnp {

// Draws all variables of the chain from the prior, sites including their noise.
void draw_reference(Chain &chain);
// The size of a chain's variables.
size_t position_bytes(const Exchange &exchange);

// Makes a sweep: level 0 is redrawn, the others take their steps, neighbours try to swap, and
// counts, journeys and the evidence follow. Temperatures must be set.
Status sweep_levels(Exchange &exchange, Pool *pool, Error *err);
// Sends all levels in their current state to all ranks.
Status share_levels(Exchange &exchange, Error *err);

}  // namespace nnp
