// Draws in a mapped file: a header, two records for each chain, then values [value, draw, chain].
#pragma once

#include "capi/mapping.hpp"
#include "lib/sampler/save_draws.hpp"

namespace nnp {

// Format 2 of saved draws. (Format 1 is the block of one chain, see save_draws.hpp.)
struct FileHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;     // of the whole file
  uint64_t network;  // fingerprint of the network as described
  int64_t values;    // of one draw
  int64_t capacity;  // draws per chain that fit
  int64_t chains;
  uint64_t offset;  // of the values
  int32_t what;     // Keep
  int32_t reserved_int;
  uint64_t reserved[2];
  uint64_t checksum;  // of the header
};
static_assert(sizeof(FileHeader) == 96, "a header must not contain padding");

struct DrawsFile {
  Mapping mapping;
  FileHeader header;
  bool writable;
  const char *path;  // kept in the same block of memory

  double *values(int64_t chain) const {
    return reinterpret_cast<double *>(mapping.start + header.offset) +
           chain * header.capacity * header.values;
  }
};

// The last complete record of a chain; one without draws if there is none.
DrawsHeader last_record(const DrawsFile &file, int64_t chain);

// Fails if this chain's draws cannot be appended to those in the file.
Status check_file_chain(const DrawsFile &file, int64_t index, const Chain &chain, Error *err);
// Called when a chain starts to add draws: records which chain they are from.
void file_begin(DrawsFile &file, int64_t index, const Chain &chain);
// Called when the next draw of the chain is in place: counts it.
void file_count(DrawsFile &file, int64_t index, const Chain &chain);

}  // namespace nnp
