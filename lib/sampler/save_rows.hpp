// Saves of chains whose rows are spread over ranks. Each rank writes a block of its own: what all ranks
// have, then its blocks of rows one by one, so that ranks of another number, with other rows each, can
// take from the blocks of all of them what is theirs.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

// A rank's save, where it lies.
struct SavedPart {
  const void *buffer;
  size_t size;
};

size_t save_rows_size(const Chain &chain);
// Fails, with nothing written, where labels or targets were given that do not suit the network.
Status save_rows(const Chain &chain, void *buffer, Error *err);
// All ranks make this call, each with saves that together have all its rows. Where it fails on one of
// them the chain has no start on any.
Status restore_rows(Chain &chain, const SavedPart *parts, int64_t count, Status local, Error *err);

// Which rows a save has.
struct SavedRows {
  int64_t total, first, count, blocks;
};
Status read_saved_rows(const SavedPart &part, SavedRows *rows, Error *err);

}  // namespace nnp
