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
       "comm: %s brought rank %d nothing from rank %d, expected all bytes or a failure", function,
       static_cast<int>(comm.rank), static_cast<int>(from));
  return comm_end_work(comm, own, err);
}

int64_t length(size_t bytes) {
  return static_cast<int64_t>(bytes);
}

// One word per rank; those that were not written stay `unwritten`.
constexpr uint64_t unwritten = ~uint64_t{0};

Status gather_words(const Comm &comm, uint64_t mine, uint64_t *all, Error *err) {
  std::fill_n(all, comm.size, unwritten);
  const Status status = comm_allgather(comm, &mine, all, sizeof mine, err);
  if (status != Status::ok) return status;
  for (int32_t r = 0; r < comm.size; ++r)
    if (all[r] == unwritten || (r == comm.rank && all[r] != mine))
      return fell_short(comm, "allgather", r, err);
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

// Compared with rank 0.
Status compare(const Comm &comm, const Common &mine, const Common &first, Error *err) {
  for (const CommonField &field : fields)
    if (mine.*field.word != first.*field.word)
      return fail(err, Status::ranks_disagree,
                  "comm: rank %d has %s than rank 0, expected the same on every rank",
                  static_cast<int>(comm.rank), field.name);
  return Status::ok;
}

// What rank `from` has to say, for all. Its own words for itself; else with its name before them.
Status hear(const Comm &comm, int32_t from, Error *err) {
  Error theirs = *err;
  const Status status = comm_broadcast(comm, &theirs, sizeof theirs, from, err);
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

Status comm_exchange(const Comm &comm, const void *out, void *in, size_t bytes, int32_t peer,
                     Error *err) {
  const int32_t returned = comm.exchange(out, in, length(bytes), peer, comm.user);
  return returned == 0 ? Status::ok : give_up(comm, "exchange", returned, err);
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

Status comm_share_slots(const Comm &comm, void *slots, size_t bytes, int64_t count, Error *err) {
  unsigned char *base = static_cast<unsigned char *>(slots);
  const auto at = [&](int64_t i) { return base + static_cast<size_t>(i) * bytes; };
  const size_t part = static_cast<size_t>(most_of_a_rank(comm, count)) * bytes;
  unsigned char all[16384], mine[2048] = {};
  if (part <= sizeof mine && part * static_cast<size_t>(comm.size) <= sizeof all) {
    const Portion own = portion_of(comm, comm.rank, count);
    std::memcpy(mine, at(own.first), static_cast<size_t>(own.count()) * bytes);
    const Status status = comm_allgather(comm, mine, all, part, err);
    if (status != Status::ok) return status;
    if (std::memcmp(all + static_cast<size_t>(comm.rank) * part, mine, part) != 0)
      return fell_short(comm, "allgather", comm.rank, err);
    std::memcpy(base, all, static_cast<size_t>(count) * bytes);
    return status;
  }
  for (int32_t r = 0; r < comm.size; ++r) {
    const Portion theirs = portion_of(comm, r, count);
    if (theirs.count() == 0) break;
    const Status status =
        comm_broadcast(comm, at(theirs.first), static_cast<size_t>(theirs.count()) * bytes, r, err);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status Carrier::bring(void *memory, size_t bytes, Error *err) {
  if (comm.checked) own = hash_bytes(own, memory, bytes);
  const Status status = comm_broadcast(comm, memory, bytes, root, err);
  if (status == Status::ok) brought = hash_bytes(brought, memory, bytes);
  return status;
}

}  // namespace nnp
