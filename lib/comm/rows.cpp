#include "lib/comm/rows.hpp"

#include <cstring>

namespace nnp {

namespace {

// Largest number of doubles that all ranks together send to all in one message instead of many.
constexpr int64_t on_the_wire = 4096;

// Adds vectors of up to `width` entries in the order of the tree. A node is merged with its sibling
// as soon as both are there; what remains on the stack needs blocks from elsewhere.
struct Fold {
  static constexpr int64_t width = 128;
  static constexpr int32_t deepest = 48;  // at most two nodes per level

  int64_t blocks;  // of all ranks
  int64_t count;   // entries
  int32_t depth = 0;
  int64_t position[deepest];
  int32_t level[deepest];
  double values[deepest][width];

  Fold(int64_t all, int64_t entries) : blocks(all), count(entries) {}

  void push(const double *entries, int64_t at, int32_t height) {
    position[depth] = at;
    level[depth] = height;
    std::memcpy(values[depth], entries, static_cast<size_t>(count) * sizeof(double));
    ++depth;
    settle();
  }

  // A left half whose right half has no blocks is the whole.
  void rise() {
    int32_t &l = level[depth - 1];
    const int64_t at = position[depth - 1];
    const auto ends = [&] { return at + (int64_t{1} << l) >= blocks; };
    while (ends() && (at >> l) % 2 == 0 && (at > 0 || (int64_t{1} << l) < blocks)) ++l;
  }

  void settle() {
    rise();
    while (depth >= 2 && level[depth - 1] == level[depth - 2] &&
           (position[depth - 2] >> level[depth - 2]) % 2 == 0) {
      double *left = values[depth - 2];
      const double *right = values[depth - 1];
      for (int64_t i = 0; i < count; ++i) left[i] += right[i];
      ++level[depth - 2];
      --depth;
      rise();
    }
  }
};

size_t doubles(int64_t count) {
  return static_cast<size_t>(count) * sizeof(double);
}

// The level of the largest node that starts with block `at` and ends before block `last`.
int32_t node_level(int64_t blocks, int64_t at, int64_t last) {
  int32_t l = 0;
  const auto end = [&](int32_t level) { return std::min(at + (int64_t{1} << level), blocks); };
  while ((at >> l) % 2 == 0 && end(l + 1) <= last && (at > 0 || (int64_t{1} << l) < blocks)) ++l;
  return l;
}

// Calls visit(position, level) for the nodes that consist of blocks first … last - 1.
template <class Visit>
void for_each_node(int64_t blocks, int64_t first, int64_t last, Visit visit) {
  while (first < last) {
    const int32_t level = node_level(blocks, first, last);
    visit(first, level);
    first = std::min(first + (int64_t{1} << level), blocks);
  }
}

void keep_failure(Rows &rows, Status status, const Error &error) {
  if (rows.failed()) return;
  rows.failure = error;
  rows.failure.status = status;
}

void give_up(Rows &rows, const char *function, int32_t from) {
  Error own = {};
  fail(&own, Status::comm_failed,
       "comm: in %s, rank %d received a wrong or incomplete message from rank %d", function,
       static_cast<int>(rows.comm.rank), static_cast<int>(from));
  keep_failure(rows, comm_end_work(rows.comm, own, nullptr), own);
}

// The mark at either end of a message: a number that all ranks count alike.
double mark_of(const Rows &rows) {
  return static_cast<double>(rows.messages % 1000000007) + 0.5;
}

void mark(const Rows &rows, double *message, int64_t entries) {
  message[0] = message[entries + 1] = mark_of(rows);
}

bool is_marked(const Rows &rows, const double *message, int64_t entries) {
  return message[0] == mark_of(rows) && message[entries + 1] == mark_of(rows);
}

// Gathers `entries` values from every rank into rows.all; each message has two more for marks.
bool gather(Rows &rows, double *message, int64_t entries) {
  const int64_t each = entries + 2;
  ++rows.messages;
  mark(rows, message, entries);
  for (int32_t r = 0; r < rows.comm.size; ++r)
    rows.all[r * each] = rows.all[r * each + each - 1] = 0;
  Error error = {};
  const Status status = comm_allgather(rows.comm, message, rows.all, doubles(each), &error);
  if (status != Status::ok) {
    keep_failure(rows, status, error);
    return false;
  }
  for (int32_t r = 0; r < rows.comm.size; ++r)
    if (!is_marked(rows, rows.all + r * each, entries)) {
      give_up(rows, "allgather", r);
      return false;
    }
  return true;
}

bool swap_messages(Rows &rows, int64_t entries, int32_t peer) {
  mark(rows, rows.out, entries);
  rows.in[0] = rows.in[entries + 1] = 0;
  Error error = {};
  const Status status =
      comm_exchange(rows.comm, rows.out, rows.in, doubles(entries + 2), peer, &error);
  if (status != Status::ok) {
    keep_failure(rows, status, error);
    return false;
  }
  if (is_marked(rows, rows.in, entries)) return true;
  give_up(rows, "exchange", peer);
  return false;
}

struct Vectors {
  int64_t count;
  ShareOf share;
  const void *context;
};

// Computes the nodes of this rank's blocks, entries first … last - 1: node j at out + j * stride.
void own_nodes(const Rows &rows, const Vectors &vectors, int64_t first, int64_t last, double *out,
               int64_t stride) {
  const int64_t from = rows.bounds[rows.comm.rank], to = rows.bounds[rows.comm.rank + 1];
  for (int64_t at = first; at < last; at += Fold::width) {
    Fold fold(rows.blocks, std::min(Fold::width, last - at));
    for (int64_t b = from; b < to; ++b)
      fold.push(vectors.share(vectors.context, b - from) + at, b, 0);
    for (int32_t j = 0; j < fold.depth; ++j)
      std::memcpy(out + j * stride + at - first, fold.values[j], doubles(fold.count));
  }
}

// Adds up the nodes of all ranks: those of rank r start at nodes + r * apart and are `stride`
// apart.
void add_nodes(const Rows &rows, const double *nodes, int64_t apart, int64_t stride, int64_t count,
               double *sum) {
  for (int64_t at = 0; at < count; at += Fold::width) {
    Fold fold(rows.blocks, std::min(Fold::width, count - at));
    for (int32_t r = 0; r < rows.comm.size; ++r) {
      const double *node = nodes + r * apart + at;
      for_each_node(rows.blocks, rows.bounds[r], rows.bounds[r + 1],
                    [&](int64_t position, int32_t level) {
                      fold.push(node, position, level);
                      node += stride;
                    });
    }
    std::memcpy(sum + at, fold.values[0], doubles(fold.count));
  }
}

// The result if ranks cannot be reached: finite, but not to be used.
void sum_here(const Rows &rows, const Vectors &vectors, double *sum) {
  const int64_t own = rows.bounds[rows.comm.rank + 1] - rows.bounds[rows.comm.rank];
  std::memcpy(sum, vectors.share(vectors.context, 0), doubles(vectors.count));
  for (int64_t b = 1; b < own; ++b) {
    const double *share = vectors.share(vectors.context, b);
    for (int64_t i = 0; i < vectors.count; ++i) sum[i] += share[i];
  }
}

// For short vectors: sends all nodes to all ranks.
bool sum_by_gathering(Rows &rows, const Vectors &vectors, int64_t first, int64_t last,
                      double *sum) {
  const int64_t count = last - first, entries = rows.nodes * count;
  own_nodes(rows, vectors, first, last, rows.own + 1, count);
  if (!gather(rows, rows.own, entries)) return false;
  add_nodes(rows, rows.all + 1, entries + 2, count, count, sum);
  return true;
}

// For long vectors: rank r adds up slice r for all. In round i, ranks communicate whose numbers add
// up to i.
bool sum_by_slices(Rows &rows, const Vectors &vectors, int64_t first, int64_t last, double *sum) {
  const int32_t size = rows.comm.size, rank = rows.comm.rank;
  const int64_t count = last - first, slice = (count + size - 1) / size;
  const int64_t entries = rows.nodes * slice;
  const auto from = [&](int32_t r) { return std::min(r * slice, count); };
  own_nodes(rows, vectors, first, last, rows.own, count);
  for (int32_t round = 0; round < size; ++round) {
    ++rows.messages;
    const int32_t peer = (round - rank + size) % size;
    const int64_t part = from(peer + 1) - from(peer), mine = from(rank + 1) - from(rank);
    for (int64_t j = 0; j < rows.nodes; ++j)
      std::memcpy(rows.out + 1 + j * slice, rows.own + j * count + from(peer), doubles(part));
    double *message = peer == rank ? rows.out : rows.in;
    if (peer != rank && !swap_messages(rows, entries, peer)) return false;
    for (int64_t j = 0; j < rows.nodes; ++j)
      std::memcpy(rows.all + peer * entries + j * slice, message + 1 + j * slice, doubles(mine));
  }
  add_nodes(rows, rows.all, entries, slice, from(rank + 1) - from(rank), rows.own + 1);
  if (!gather(rows, rows.own, slice)) return false;
  for (int32_t r = 0; r < size; ++r)
    std::memcpy(sum + from(r), rows.all + r * (slice + 2) + 1, doubles(from(r + 1) - from(r)));
  return true;
}

// Vectors of up to this many entries are gathered.
int64_t most_gathered(const Rows &rows) {
  return std::max<int64_t>(on_the_wire / (rows.nodes * rows.comm.size), 1);
}

// Checked mode: repeats the sum by the other route; all ranks must get the same result.
void check_sum(Rows &rows, const Vectors &vectors, const double *sum) {
  const int64_t most = most_gathered(rows);
  double again[on_the_wire];
  uint64_t differs = 0;
  for (int64_t at = 0; at < vectors.count && !rows.failed(); at += most) {
    const int64_t last = std::min(at + most, vectors.count);
    const bool brought = vectors.count <= most ? sum_by_slices(rows, vectors, at, last, again)
                                               : sum_by_gathering(rows, vectors, at, last, again);
    if (brought) differs |= std::memcmp(again, sum + at, doubles(last - at)) != 0;
  }
  Common common;
  common.version = rows.comm.version;
  common.results = hash_bytes(hash_start, sum, doubles(vectors.count));
  Error error = {};
  if (rows.failed()) return;
  const Status local = differs ? fail(&error, Status::ranks_disagree,
                                      "comm: a sum over rows has different bits when rank %d "
                                      "repeats it, expected the same",
                                      static_cast<int>(rows.comm.rank))
                               : Status::ok;
  const Status status = comm_agree(rows.comm, common, local, &error);
  if (status != Status::ok) keep_failure(rows, status, error);
}

}  // namespace

Portion even_blocks(int32_t ranks, int32_t rank, int64_t blocks) {
  return {rank * blocks / ranks, (rank + 1) * blocks / ranks};
}

// However blocks are distributed, a rank has at most two nodes per level.
Rows *rows_layout(Arena &arena, int32_t size, int64_t blocks) {
  constexpr int64_t longest = 1 << 14;  // longest slice
  int64_t levels = 1;
  while (int64_t{1} << levels < blocks) ++levels;
  Rows *made = arena.take<Rows>(1);
  Rows rows;
  rows.blocks = blocks;
  rows.bounds = arena.take<int64_t>(size + 1);
  const int64_t nodes = size == 1 ? 1 : 2 * levels;
  rows.slice = size == 1 ? 0 : std::max<int64_t>(longest / (nodes * size), 16);
  const int64_t each = size == 1 ? 0 : std::max(nodes * rows.slice, on_the_wire / size + nodes) + 4;
  rows.own = arena.take<double>(size == 1 ? 0 : std::max(nodes * rows.slice * size, each));
  rows.out = arena.take<double>(each);
  rows.in = arena.take<double>(each);
  rows.all = arena.take<double>(size == 1 ? 0 : size, size == 1 ? 0 : each);
  if (made) *made = rows;
  return made;
}

namespace {

// Checks the bounds received from all ranks: each must start where the previous one ended.
Status check_bounds(const Rows &rows, const Portion *told, Error *err) {
  int64_t next = 0;
  for (int32_t r = 0; r < rows.comm.size; ++r) {
    if (told[r].first != next)
      return fail(err, Status::bad_value,
                  "rows: rank %d starts with block %lld, expected block %lld, where rank %d ends",
                  static_cast<int>(r), ll(told[r].first), ll(next), static_cast<int>(r - 1));
    next = told[r].last;
  }
  if (next == rows.blocks) return Status::ok;
  return fail(err, Status::bad_value, "rows: the last rank ends with block %lld of %lld", ll(next),
              ll(rows.blocks));
}

}  // namespace

Status rows_open(Rows &rows, const Comm &comm, int64_t first, int64_t count, const Common &common,
                 Status local, Error *err) {
  rows.comm = comm;
  Status status = comm_agree(comm, common, local, err);
  if (status != Status::ok) return status;
  Portion told[max_ranks];
  const Portion mine = {first, first + count};
  told[0] = mine;
  if (!comm.alone()) {
    for (Portion &portion : told) portion = {-1, -1};
    status = comm_allgather(comm, &mine, told, sizeof mine, err);
    if (status != Status::ok) return status;
  }
  status = comm_agree(comm, common, check_bounds(rows, told, err), err);
  if (status != Status::ok) return status;
  rows.nodes = 1;
  for (int32_t r = 0; r < comm.size; ++r) {
    rows.bounds[r] = told[r].first;
    rows.bounds[r + 1] = told[r].last;
    int64_t nodes = 0;
    for_each_node(rows.blocks, told[r].first, told[r].last, [&](int64_t, int32_t) { ++nodes; });
    rows.nodes = std::max(rows.nodes, nodes);
  }
  return Status::ok;
}

void rows_sum(Rows &rows, int64_t count, ShareOf share, const void *context, double *sum) {
  const Vectors vectors = {count, share, context};
  if (rows.comm.alone()) return own_nodes(rows, vectors, 0, count, sum, count);
  const bool gathered = count <= most_gathered(rows);
  const int64_t piece = gathered ? count : rows.slice * rows.comm.size;
  for (int64_t at = 0; at < count && !rows.failed(); at += piece) {
    const int64_t last = std::min(at + piece, count);
    gathered ? sum_by_gathering(rows, vectors, at, last, sum + at)
             : sum_by_slices(rows, vectors, at, last, sum + at);
  }
  if (rows.comm.checked && !rows.failed()) check_sum(rows, vectors, sum);
  if (rows.failed()) sum_here(rows, vectors, sum);
}

Status rows_agree(Rows *rows, Status local, Error *err) {
  if (!rows || rows->comm.alone()) return local;
  if (!rows->failed()) {
    Common common;
    common.version = rows->comm.version;
    common.call = rows->messages;
    const Status status = comm_agree(rows->comm, common, local, err);
    Error own = {};
    if (err) own = *err;
    if (status == Status::comm_failed || status == Status::ranks_disagree)
      keep_failure(*rows, status, own);
    return status;
  }
  if (err) *err = rows->failure;
  return rows->failure.status;
}

Status rows_union(Rows *rows, uint64_t mine, uint64_t *all, Error *err) {
  *all = mine;
  if (!rows || rows->comm.alone()) return Status::ok;
  if (!rows->failed()) {
    const Status status = comm_union(rows->comm, mine, all, err);
    if (status != Status::ok) keep_failure(*rows, status, err ? *err : Error{});
    return status;
  }
  if (err) *err = rows->failure;
  return rows->failure.status;
}

}  // namespace nnp
