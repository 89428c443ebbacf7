// What ranks say to each other. A communicator is a struct of functions that the caller supplies (MPI
// is one way to have them), so that the core links nothing. Every rank makes the same calls with the
// same arguments; each does its share of the work, and in the end all of them have all of it.
//
// Bits do not depend on the number of ranks: work is cut by numbers of chains, and sums are taken by
// every rank in the same order. A rank that is alone never calls a function of its communicator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/base/hash.hpp"
#include "lib/base/status.hpp"

namespace nnp {

// Words of one number per rank lie on the stack.
constexpr int32_t max_ranks = 4096;

// Functions return 0; anything else is a failure, after which the communicator is of no use.
struct Comm {
  int32_t rank = 0, size = 1;
  bool checked = false;  // work of other ranks is done again and compared
  // `bytes` from every rank, in the order of ranks.
  int32_t (*allgather)(const void *mine, void *all, int64_t bytes, void *user) = nullptr;
  int32_t (*broadcast)(void *buffer, int64_t bytes, int32_t root, void *user) = nullptr;
  // Two ranks send to each other.
  int32_t (*exchange)(const void *out, void *in, int64_t bytes, int32_t peer, void *user) = nullptr;
  // Ends the work of all ranks, also of those that wait; may be null.
  int32_t (*abort)(const char *sentence, void *user) = nullptr;
  void *user = nullptr;
  uint64_t version = 0;  // of the library

  bool alone() const { return size == 1; }
};

// For a failure that this rank alone knows of: the others, who may wait for it, are told. Returns its
// status, with its sentence in err.
Status comm_end_work(const Comm &comm, const Error &failure, Error *err);

Status comm_allgather(const Comm &comm, const void *mine, void *all, size_t bytes, Error *err);
Status comm_broadcast(const Comm &comm, void *buffer, size_t bytes, int32_t root, Error *err);
Status comm_exchange(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                     Error *err);

// A broadcast, and an exchange, with a hash after it: a message that was cut short, or is another one
// than was sent, is a failure. For whatever decides which messages come next, or is not compared later.
Status comm_tell(const Comm &comm, void *buffer, size_t bytes, int32_t root, Error *err);
Status comm_trade(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                  Error *err);

// The bits of `mine` that any rank has set. Up to 32 of them.
Status comm_union(const Comm &comm, uint64_t mine, uint64_t *all, Error *err);

// What ranks must have in common before they work together: hashes.
struct Common {
  uint64_t version = 0, call = 0, network = 0, data = 0, engine = 0, options = 0, start = 0;
  uint64_t results = 0;
};

// Has every rank come here, with the same things, and without a failure of its own? `local` with the
// sentence in err is what this rank has found by itself. Either all ranks go on, or all of them return
// the failure of the first one that has any, in its words.
Status comm_agree(const Comm &comm, const Common &mine, Status local, Error *err);

// Which of `count` pieces of work are this rank's. As even as can be: the largest share is as small
// as possible.
struct Portion {
  int64_t first = 0, last = 0;
  bool has(int64_t i) const { return i >= first && i < last; }
  int64_t count() const { return last - first; }
};

inline int64_t most_of_a_rank(const Comm &comm, int64_t count) {
  return std::max<int64_t>((count + comm.size - 1) / comm.size, 1);
}
inline Portion portion_of(const Comm &comm, int32_t rank, int64_t count) {
  const int64_t most = most_of_a_rank(comm, count);
  return {std::min(count, rank * most), std::min(count, (rank + 1) * most)};
}
inline int32_t owner_of(const Comm &comm, int64_t count, int64_t i) {
  return static_cast<int32_t>(i / most_of_a_rank(comm, count));
}

// `count` slots of which every rank has filled in its share: all of them for all ranks.
Status comm_share_slots(const Comm &comm, void *slots, size_t bytes, int64_t count, Error *err);

// Brings what one rank has made to all others, piece by piece and in place; keeps hashes of it to
// compare. In checked mode every rank has made it by itself before.
struct Carrier {
  const Comm &comm;
  int32_t root = 0;
  uint64_t own = hash_start;      // of what this rank had before; checked mode only
  uint64_t brought = hash_start;  // of what all should have now

  using Message = Status(const Comm &comm, void *memory, size_t bytes, int32_t root, Error *err);

  Status bring_by(Message *message, void *memory, size_t bytes, Error *err);
  Status bring(void *memory, size_t bytes, Error *err) {
    return bring_by(comm_broadcast, memory, bytes, err);
  }
  template <class T>
  Status bring(T &value, Error *err) {
    return bring(&value, sizeof value, err);
  }
  // What decides how much comes next.
  template <class T>
  Status tell(T &value, Error *err) {
    return bring_by(comm_tell, &value, sizeof value, err);
  }
  bool same() const { return !comm.checked || own == brought; }
};

}  // namespace nnp
