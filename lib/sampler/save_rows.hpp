// Saves of chains whose rows are spread over ranks. Each rank writes its own save: what all ranks
// share, then its blocks of rows one by one. A different number of ranks, with different rows each,
// can restore from all saves together.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

// The save of one rank, in place.
struct SavedPart {
  const void *buffer;
  size_t size;
};

size_t save_rows_size(const Chain &chain);
// Fails, with nothing written, if labels or targets do not suit the network.
Status save_rows(const Chain &chain, void *buffer, Error *err);
// All ranks make this call, each with saves that together contain all its rows. If it fails on one
// rank, the chain has no start on any.
Status restore_rows(Chain &chain, const SavedPart *parts, int64_t count, Status local, Error *err);

// The rows contained in a save.
struct SavedRows {
  int64_t total, first, count, blocks;
};
Status read_saved_rows(const SavedPart &part, SavedRows *rows, Error *err);

}  // namespace nnp
