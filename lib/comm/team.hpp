// Ranks that are threads of one process: each of the caller's threads has a seat. For tests, and for
// programs that want the same code with and without MPI.
#pragma once

#include "lib/base/arena.hpp"
#include "lib/comm/comm.hpp"

namespace nnp {

struct Team;

// The team's memory; nullptr while counting.
Team *team_layout(Arena &arena, int32_t size);
Status team_open(Team *team, int32_t size, Error *err);
// When no thread is in a call of its communicator any more.
void team_close(Team *team);
int32_t team_size(const Team *team);
// The communicator of a seat.
Comm team_comm(Team *team, int32_t rank);

}  // namespace nnp
