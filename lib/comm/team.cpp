#include "lib/comm/team.hpp"

#include "lib/base/threads.hpp"

#if NNP_THREADS
#include <cstring>
#endif

namespace nnp {

#if NNP_THREADS

namespace {

// The memory that a rank offers to the others, in place.
struct Seat {
  Team *team;
  const void *out;
  int32_t rank;
  int32_t peer;   // of an exchange
  int32_t taken;  // the peer has copied it
};

}  // namespace

struct Team {
  int32_t size;
  int32_t arrived;  // at the current meeting
  uint64_t meeting;
  int32_t broken;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  Seat *seats;
};

namespace {

constexpr int32_t was_aborted = 1;

class Locked {
 public:
  explicit Locked(Team &team) : team_(team) { pthread_mutex_lock(&team_.mutex); }
  ~Locked() { pthread_mutex_unlock(&team_.mutex); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

  // Waits for a condition. False if the team was given up meanwhile.
  template <class Condition>
  bool wait_until(Condition condition) {
    while (!team_.broken && !condition()) pthread_cond_wait(&team_.changed, &team_.mutex);
    return !team_.broken;
  }
  void tell() { pthread_cond_broadcast(&team_.changed); }

 private:
  Team &team_;
};

// Waits until all ranks have arrived, then copies what they offer: under the lock, so that nobody
// leaves (and frees its memory) meanwhile, not even if the team is given up.
template <class Copy>
bool meet(Team &team, Copy copy) {
  Locked lock(team);
  const uint64_t meeting = team.meeting;
  if (++team.arrived == team.size) {
    team.arrived = 0;
    ++team.meeting;
    lock.tell();
  }
  if (!lock.wait_until([&] { return team.meeting != meeting; })) return false;
  copy();
  return true;
}

// Leaves the meeting: all ranks have copied.
int32_t part(Team &team) {
  return meet(team, [] {}) ? 0 : was_aborted;
}

int32_t allgather(const void *mine, void *all, int64_t bytes, void *user) {
  Seat &seat = *static_cast<Seat *>(user);
  Team &team = *seat.team;
  const size_t each = static_cast<size_t>(bytes);
  seat.out = mine;
  const bool met = meet(team, [&] {
    for (int32_t r = 0; r < team.size; ++r)
      std::memcpy(static_cast<unsigned char *>(all) + static_cast<size_t>(r) * each,
                  team.seats[r].out, each);
  });
  return met ? part(team) : was_aborted;
}

int32_t broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  Seat &seat = *static_cast<Seat *>(user);
  Team &team = *seat.team;
  seat.out = buffer;
  const bool met = meet(team, [&] {
    if (seat.rank != root) std::memcpy(buffer, team.seats[root].out, static_cast<size_t>(bytes));
  });
  return met ? part(team) : was_aborted;
}

// An offer is valid from when it is made until the peer has copied it and its owner has noticed.
int32_t exchange(const void *out, void *in, int64_t bytes, int32_t peer, void *user) {
  Seat &seat = *static_cast<Seat *>(user);
  Team &team = *seat.team;
  Seat &other = team.seats[peer];
  Locked lock(team);
  seat.out = out;
  seat.peer = peer;
  seat.taken = 0;
  lock.tell();
  if (!lock.wait_until([&] { return other.peer == seat.rank && !other.taken; })) return was_aborted;
  std::memcpy(in, other.out, static_cast<size_t>(bytes));
  other.taken = 1;
  lock.tell();
  const bool taken = lock.wait_until([&] { return seat.taken == 1; });
  seat.peer = -1;
  return taken ? 0 : was_aborted;
}

int32_t abort_team(const char *, void *user) {
  Team &team = *static_cast<Seat *>(user)->team;
  Locked lock(team);
  team.broken = 1;
  lock.tell();
  return 0;
}

}  // namespace

Team *team_layout(Arena &arena, int32_t size) {
  Team *team = arena.take<Team>(1);
  Seat *seats = arena.take<Seat>(size);
  if (!team) return nullptr;
  *team = Team{};
  team->seats = seats;
  return team;
}

Status team_open(Team *team, int32_t size, Error *) {
  team->size = size;
  pthread_mutex_init(&team->mutex, nullptr);
  pthread_cond_init(&team->changed, nullptr);
  for (int32_t r = 0; r < size; ++r) team->seats[r] = {team, nullptr, r, -1, 0};
  return Status::ok;
}

void team_close(Team *team) {
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->mutex);
}

int32_t team_size(const Team *team) {
  return team->size;
}

Comm team_comm(Team *team, int32_t rank) {
  Comm comm;
  comm.rank = rank;
  comm.size = team->size;
  comm.allgather = allgather;
  comm.broadcast = broadcast;
  comm.exchange = exchange;
  comm.abort = abort_team;
  comm.user = team->seats + rank;
  return comm;
}

#else  // a build without threads: a team of one

struct Team {
  int32_t size;
};

Team *team_layout(Arena &arena, int32_t) {
  return arena.take<Team>(1);
}

Status team_open(Team *team, int32_t size, Error *err) {
  if (size > 1)
    return fail(err, Status::unsupported, "ranks = %d: this build has no threads, expected 1",
                static_cast<int>(size));
  team->size = 1;
  return Status::ok;
}

void team_close(Team *) {}

int32_t team_size(const Team *team) {
  return team->size;
}

Comm team_comm(Team *, int32_t) {
  return Comm{};
}

#endif

}  // namespace nnp
