// Ranks that are threads of one process: each of the caller's threads has one rank. For tests, and
// for programs that use the same code with and without MPI.
#pragma once

#include "lib/base/arena.hpp"
#include "lib/comm/comm.hpp"

namespace nnp {

struct Team;

// Lays out the team's memory; nullptr while counting.
Team *team_layout(Arena &arena, int32_t size);
Status team_open(Team *team, int32_t size, Error *err);
// May be called when no thread is in a call of its communicator any more.
void team_close(Team *team);
int32_t team_size(const Team *team);
// The communicator of a rank.
Comm team_comm(Team *team, int32_t rank);

}  // namespace nnp
