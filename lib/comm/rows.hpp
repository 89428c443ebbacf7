// Rows that are spread over ranks, whole blocks each. Sums over all of them are taken in a binary tree
// over the numbers of blocks: a node has blocks j 2^l … (j+1) 2^l - 1, and is the sum of its halves.
// Every rank adds up the nodes that lie within its blocks, and only those travel. So bits depend on
// the number of blocks, not on which rank has which.
#pragma once

#include "lib/base/arena.hpp"
#include "lib/comm/comm.hpp"

namespace nnp {

constexpr int64_t max_row_blocks = 1 << 20;

struct Rows {
  Comm comm;
  int64_t blocks = 0;         // of all ranks
  int64_t *bounds = nullptr;  // rank r has blocks bounds[r] … bounds[r + 1] - 1
  int64_t nodes = 0;          // the most that a rank has
  uint64_t messages = 0;      // so far: all ranks count alike
  int64_t slice = 0;          // entries of a vector that a rank adds up for all
  double *own = nullptr, *out = nullptr, *in = nullptr, *all = nullptr;
  Error failure = {};  // the first; from then on nothing is sent, and sums are those of this rank

  bool failed() const { return failure.status != Status::ok; }
};

// Memory for a communicator of `size` ranks over this many blocks; nullptr while counting.
Rows *rows_layout(Arena &arena, int32_t size, int64_t blocks);
// All ranks make this call: they learn which blocks the others have, `first` and `count` being this
// rank's. Fails on all of them where blocks are missing or had twice, where what they have in `common`
// differs, or where one of them has failed by itself.
Status rows_open(Rows &rows, const Comm &comm, int64_t first, int64_t count, const Common &common,
                 Status local, Error *err);

// The blocks of a rank where they are spread evenly.
Portion even_blocks(int32_t ranks, int32_t rank, int64_t blocks);

// The vector of a block of this rank, from 0.
using ShareOf = const double *(*)(const void *context, int64_t block);

// sum[i] over all blocks of all ranks, who all make this call. A failure is kept in `rows`, for whoever
// asks at the end of a step.
void rows_sum(Rows &rows, int64_t count, ShareOf share, const void *context, double *sum);

// Either all ranks go on or all return the failure of the first that has any. Null: this rank alone.
Status rows_agree(Rows *rows, Status local, Error *err);
// The bits of `mine` that any rank has set.
Status rows_union(Rows *rows, uint64_t mine, uint64_t *all, Error *err);

}  // namespace nnp
