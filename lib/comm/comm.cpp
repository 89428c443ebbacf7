#include "lib/comm/comm.hpp"

#include <cstring>

namespace nnp {

namespace {

Status give_up(const Comm &comm, const char *function, int32_t returned, Error *err) {
  Error own = {};
  fail(&own, Status::comm_failed, "comm: %s returned %d on rank %d, expected 0", function,
       static_cast<int>(returned), static_cast<int>(comm.rank));
  return comm_end_work(comm, own, err);
}

Status fell_short(const Comm &comm, const char *function, int32_t from, Error *err) {
  Error own = {};
  fail(&own, Status::comm_failed,
       "comm: in %s, rank %d received a wrong or incomplete message from rank %d", function,
       static_cast<int>(comm.rank), static_cast<int>(from));
  return comm_end_work(comm, own, err);
}

int64_t length(size_t bytes) {
  return static_cast<int64_t>(bytes);
}

// A number below 2^32 with its complement in the upper half: anything else did not come from
// gather_words.
uint64_t sealed(uint64_t number) {
  return number | ~number << 32;
}

// Gathers one number below 2^32 per rank.
Status gather_words(const Comm &comm, uint64_t mine, uint64_t *all, Error *err) {
  const uint64_t word = sealed(mine);
  std::fill_n(all, comm.size, uint64_t{0});
  const Status status = comm_allgather(comm, &word, all, sizeof word, err);
  if (status != Status::ok) return status;
  for (int32_t r = 0; r < comm.size; ++r) {
    const uint64_t number = all[r] & 0xffffffff;
    if (all[r] != sealed(number) || (r == comm.rank && number != mine))
      return fell_short(comm, "allgather", r, err);
    all[r] = number;
  }
  return status;
}

struct CommonField {
  const char *name;
  uint64_t Common::*word;
};
constexpr CommonField fields[] = {
    {"another version of the library", &Common::version},
    {"another call, or other arguments,", &Common::call},
    {"another network, sampler or posterior", &Common::network},
    {"other data", &Common::data},
    {"another SIMD level or BLAS", &Common::engine},
    {"other options", &Common::options},
    {"another seed, start or state of its chains", &Common::start},
    {"other results", &Common::results},
};

// Compares with rank 0.
Status compare(const Comm &comm, const Common &mine, const Common &first, Error *err) {
  for (const CommonField &field : fields)
    if (mine.*field.word != first.*field.word)
      return fail(err, Status::ranks_disagree,
                  "comm: rank %d has %s than rank 0, expected the same on every rank",
                  static_cast<int>(comm.rank), field.name);
  return Status::ok;
}

// Broadcasts the message of rank `from` to all. On other ranks, the rank's number is put in front
// of it.
Status hear(const Comm &comm, int32_t from, Error *err) {
  Error theirs = *err;
  const Status status = comm_tell(comm, &theirs, sizeof theirs, from, err);
  if (status != Status::ok) return status;
  theirs.message[sizeof theirs.message - 1] = 0;
  if (from != comm.rank && std::strncmp(theirs.message, "comm: rank", 10) != 0)
    return fail(err, theirs.status, "rank %d: %.230s", static_cast<int>(from), theirs.message);
  *err = theirs;
  return theirs.status;
}

}  // namespace

Status comm_end_work(const Comm &comm, const Error &failure, Error *err) {
  if (comm.abort) comm.abort(failure.message, comm.user);
  if (err) *err = failure;
  return failure.status;
}

Status comm_allgather(const Comm &comm, const void *mine, void *all, size_t bytes, Error *err) {
  const int32_t returned = comm.allgather(mine, all, length(bytes), comm.user);
  return returned == 0 ? Status::ok : give_up(comm, "allgather", returned, err);
}

Status comm_broadcast(const Comm &comm, void *buffer, size_t bytes, int32_t root, Error *err) {
  if (bytes == 0) return Status::ok;
  const int32_t returned = comm.broadcast(buffer, length(bytes), root, comm.user);
  return returned == 0 ? Status::ok : give_up(comm, "broadcast", returned, err);
}

Status comm_tell(const Comm &comm, void *buffer, size_t bytes, int32_t root, Error *err) {
  Status status = comm_broadcast(comm, buffer, bytes, root, err);
  if (status != Status::ok) return status;
  const uint64_t own = hash_bytes(hash_start, buffer, bytes);
  uint64_t told = own;
  status = comm_broadcast(comm, &told, sizeof told, root, err);
  return status == Status::ok && told != own ? fell_short(comm, "broadcast", root, err) : status;
}

Status comm_exchange(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                     Error *err) {
  const int32_t returned = comm.exchange(out, in, length(bytes), peer, comm.user);
  return returned == 0 ? Status::ok : give_up(comm, "exchange", returned, err);
}

Status comm_trade(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                  Error *err) {
  Status status = comm_exchange(comm, out, in, bytes, peer, err);
  if (status != Status::ok) return status;
  const uint64_t sent = hash_bytes(hash_start, out, bytes);
  uint64_t told = 0;
  status = comm_exchange(comm, &sent, &told, sizeof sent, peer, err);
  if (status != Status::ok || told == hash_bytes(hash_start, in, bytes)) return status;
  return fell_short(comm, "exchange", peer, err);
}

Status comm_union(const Comm &comm, uint64_t mine, uint64_t *all, Error *err) {
  uint64_t words[max_ranks];
  *all = mine;
  if (comm.alone()) return Status::ok;
  const Status status = gather_words(comm, mine, words, err);
  for (int32_t r = 0; r < comm.size && status == Status::ok; ++r) *all |= words[r];
  return status;
}

Status comm_agree(const Comm &comm, const Common &mine, Status local, Error *err) {
  if (comm.alone()) return local;
  Error own = {};
  if (local != Status::ok && err) own = *err;
  own.status = local;
  struct {
    uint64_t mark;
    Common common;
  } first = {comm.rank == 0 ? 1u : 0u, mine};
  Status status = comm_broadcast(comm, &first, sizeof first, 0, err);
  if (status != Status::ok) return status;
  if (first.mark != 1) return fell_short(comm, "broadcast", 0, err);
  if (local == Status::ok) local = compare(comm, mine, first.common, &own);
  own.status = local;
  uint64_t words[max_ranks];
  status = gather_words(comm, static_cast<uint64_t>(local), words, err);
  if (status != Status::ok) return status;
  for (int32_t r = 0; r < comm.size; ++r) {
    if (words[r] == 0) continue;
    status = hear(comm, r, &own);
    if (err) *err = own;
    return status;
  }
  return Status::ok;
}

namespace {

// For few slots: all parts in one message, each with its hash.
struct SlotsByGathering {
  static constexpr size_t room = 2048, room_of_all = 16384;
  unsigned char mine[room + sizeof(uint64_t)] = {};
  unsigned char all[room_of_all];

  static bool suffices(const Comm &comm, size_t part) {
    return part <= room &&
           (part + sizeof(uint64_t)) * static_cast<size_t>(comm.size) <= room_of_all;
  }

  Status share(const Comm &comm, unsigned char *slots, size_t bytes, int64_t count, Error *err) {
    const size_t part = static_cast<size_t>(most_of_a_rank(comm, count)) * bytes;
    const Portion own = portion_of(comm, comm.rank, count);
    std::memcpy(mine, slots + static_cast<size_t>(own.first) * bytes,
                static_cast<size_t>(own.count()) * bytes);
    const uint64_t hash = hash_bytes(hash_start, mine, part);
    std::memcpy(mine + part, &hash, sizeof hash);
    std::memset(all, 0, (part + sizeof hash) * static_cast<size_t>(comm.size));
    const Status status = comm_allgather(comm, mine, all, part + sizeof hash, err);
    for (int32_t r = 0; r < comm.size && status == Status::ok; ++r) {
      const unsigned char *theirs = all + static_cast<size_t>(r) * (part + sizeof hash);
      const Portion portion = portion_of(comm, r, count);
      uint64_t told = 0;
      std::memcpy(&told, theirs + part, sizeof told);
      if (told != hash_bytes(hash_start, theirs, part) || (r == comm.rank && told != hash))
        return fell_short(comm, "allgather", r, err);
      std::memcpy(slots + static_cast<size_t>(portion.first) * bytes, theirs,
                  static_cast<size_t>(portion.count()) * bytes);
    }
    return status;
  }
};

}  // namespace

Status comm_share_slots(const Comm &comm, void *slots, size_t bytes, int64_t count, Error *err) {
  unsigned char *base = static_cast<unsigned char *>(slots);
  const size_t part = static_cast<size_t>(most_of_a_rank(comm, count)) * bytes;
  if (SlotsByGathering::suffices(comm, part))
    return SlotsByGathering().share(comm, base, bytes, count, err);
  for (int32_t r = 0; r < comm.size; ++r) {
    const Portion theirs = portion_of(comm, r, count);
    if (theirs.count() == 0) break;
    const Status status = comm_tell(comm, base + static_cast<size_t>(theirs.first) * bytes,
                                    static_cast<size_t>(theirs.count()) * bytes, r, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status Carrier::bring_by(Message *message, void *memory, size_t bytes, Error *err) {
  if (comm.checked) own = hash_bytes(own, memory, bytes);
  const Status status = message(comm, memory, bytes, root, err);
  if (status == Status::ok) brought = hash_bytes(brought, memory, bytes);
  return status;
}

}  // namespace nnp
