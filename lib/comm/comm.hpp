// Communication between ranks. A communicator is a struct of functions that the caller supplies
// (for example with MPI), so that the core links nothing. Every rank makes the same calls with the
// same arguments; each does its share of the work, and in the end every rank has all results.
//
// Bits do not depend on the number of ranks: work is divided by chain numbers, and every rank sums
// in the same order. With a single rank no function of the communicator is called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/base/hash.hpp"
#include "lib/base/status.hpp"

namespace nnp {

// Arrays with one number per rank are on the stack.
constexpr int32_t max_ranks = 4096;

// Functions return 0; anything else is a failure, after which the communicator cannot be used.
struct Comm {
  int32_t rank = 0, size = 1;
  bool checked = false;  // work of other ranks is repeated and compared
  // Gathers `bytes` from every rank, in the order of ranks.
  int32_t (*allgather)(const void *mine, void *all, int64_t bytes, void *user) = nullptr;
  int32_t (*broadcast)(void *buffer, int64_t bytes, int32_t root, void *user) = nullptr;
  // Two ranks send to each other.
  int32_t (*exchange)(const void *out, void *in, int64_t bytes, int32_t peer, void *user) = nullptr;
  // Ends the work of all ranks, including those that are waiting; may be null.
  int32_t (*abort)(const char *sentence, void *user) = nullptr;
  void *user = nullptr;
  uint64_t version = 0;  // of the library

  bool alone() const { return size == 1; }
};

// For a failure that only this rank knows about: notifies the others, which may be waiting for it.
// Returns its status, with its message in err.
Status comm_end_work(const Comm &comm, const Error &failure, Error *err);

Status comm_allgather(const Comm &comm, const void *mine, void *all, size_t bytes, Error *err);
Status comm_broadcast(const Comm &comm, void *buffer, size_t bytes, int32_t root, Error *err);
Status comm_exchange(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                     Error *err);

// A broadcast, and an exchange, each followed by a hash: a message that was truncated, or differs
// from what was sent, is a failure. For anything that determines which messages come next, or that
// is not compared later.
Status comm_tell(const Comm &comm, void *buffer, size_t bytes, int32_t root, Error *err);
Status comm_trade(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                  Error *err);

// The union of the bits that the ranks have set in `mine`, up to 32 bits.
Status comm_union(const Comm &comm, uint64_t mine, uint64_t *all, Error *err);

// What ranks must agree on before they work together, as hashes.
struct Common {
  uint64_t version = 0, call = 0, network = 0, data = 0, engine = 0, options = 0, start = 0;
  uint64_t results = 0;
};

// Fails unless every rank gets here with the same hashes and without a failure. `local`, with its
// message in err, is what this rank has found. Either all ranks continue, or all of them return the
// failure of the first one that has any, with its message.
Status comm_agree(const Comm &comm, const Common &mine, Status local, Error *err);

// Which of `count` pieces of work belong to this rank. As even as possible: the largest share is
// minimal.
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

// Distributes `count` slots, of which every rank has filled in its share, to all ranks.
Status comm_share_slots(const Comm &comm, void *slots, size_t bytes, int64_t count, Error *err);

// Sends what one rank has made to all others, piece by piece and in place, and keeps hashes of it
// for comparison. In checked mode every rank has already made it itself.
struct Carrier {
  const Comm &comm;
  int32_t root = 0;
  uint64_t own = hash_start;      // of what this rank had before; checked mode only
  uint64_t brought = hash_start;  // of what all ranks should have now

  using Message = Status(const Comm &comm, void *memory, size_t bytes, int32_t root, Error *err);

  Status bring_by(Message *message, void *memory, size_t bytes, Error *err);
  Status bring(void *memory, size_t bytes, Error *err) {
    return bring_by(comm_broadcast, memory, bytes, err);
  }
  template <class T>
  Status bring(T &value, Error *err) {
    return bring(&value, sizeof value, err);
  }
  // Sends a value that determines how much follows.
  template <class T>
  Status tell(T &value, Error *err) {
    return bring_by(comm_tell, &value, sizeof value, err);
  }
  bool same() const { return !comm.checked || own == brought; }
};

}  // namespace nnp
