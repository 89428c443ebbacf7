// Rows that are spread over ranks in whole blocks. Sums over all of them use a binary tree over
// block numbers: a node consists of blocks j 2^l … (j+1) 2^l - 1, and is the sum of its halves.
// Every rank adds up the nodes that lie within its blocks, and sends only those. So bits depend on
// the number of blocks, but not on which rank has which.
#pragma once

#include "lib/base/arena.hpp"
#include "lib/comm/comm.hpp"

namespace nnp {

constexpr int64_t max_row_blocks = 1 << 20;

struct Rows {
  Comm comm;
  int64_t blocks = 0;         // of all ranks
  int64_t *bounds = nullptr;  // rank r has blocks bounds[r] … bounds[r + 1] - 1
  int64_t nodes = 0;          // the largest number that a rank has
  uint64_t messages = 0;      // so far; all ranks count alike
  int64_t slice = 0;          // entries of a vector that one rank adds up for all
  double *own = nullptr, *out = nullptr, *in = nullptr, *all = nullptr;
  Error failure = {};  // the first one; from then on nothing is sent, and sums are local

  bool failed() const { return failure.status != Status::ok; }
};

// Lays out memory for a communicator of `size` ranks with this many blocks; nullptr while counting.
Rows *rows_layout(Arena &arena, int32_t size, int64_t blocks);
// All ranks must make this call: they learn which blocks the others have; `first` and `count` are
// this rank's. Fails on all of them if blocks are missing or duplicated, if `common` differs, or if
// one of them has failed.
Status rows_open(Rows &rows, const Comm &comm, int64_t first, int64_t count, const Common &common,
                 Status local, Error *err);

// The blocks of a rank if they are distributed evenly.
Portion even_blocks(int32_t ranks, int32_t rank, int64_t blocks);

// Returns the vector of a block of this rank, counted from 0.
using ShareOf = const double *(*)(const void *context, int64_t block);

// sum[i] over all blocks of all ranks; all of them must make this call. A failure is stored in
// `rows` and reported at the end of a step.
void rows_sum(Rows &rows, int64_t count, ShareOf share, const void *context, double *sum);

// Either all ranks continue or all return the failure of the first that has any. Null: this rank
// alone.
Status rows_agree(Rows *rows, Status local, Error *err);
// The union of the bits that the ranks have set in `mine`.
Status rows_union(Rows *rows, uint64_t mine, uint64_t *all, Error *err);

}  // namespace nnp
