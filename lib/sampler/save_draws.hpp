// Saves draws of one chain as a self-describing block of bytes, so that draws of separate jobs can
// be merged: no other file has to pass from one job to another.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

struct DrawsHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;     // of the whole block
  uint64_t network;  // fingerprint
  uint64_t data;     // fingerprint; 0: rows are spread over ranks
  uint64_t number;   // of the chain
  int64_t steps;     // the chain has made
  int64_t parameters, draws;
  int32_t sampler, posterior;
  uint64_t content;  // hash of the draws
  uint64_t checksum;
};
static_assert(sizeof(DrawsHeader) == 96, "a header must not contain padding");

size_t save_draws_size(const Net &net, int64_t count);
// draws: [parameter, draw]
void save_draws(const Chain &chain, const double *draws, int64_t count, void *buffer);

// The header of `count` draws of a chain, with `values` numbers each (its parameters, or the
// quantities kept instead) whose hash is `content`. It is not sealed yet.
DrawsHeader draws_header(const Chain &chain, int64_t values, int64_t count, uint64_t content);
// Size of the block with this header.
size_t draws_block_size(const DrawsHeader &header);
void write_draws(const DrawsHeader &header, const void *draws, void *buffer);

// Seals a header whose draws are stored elsewhere: its checksum covers the header alone, and
// `content` covers the draws.
void seal_record(DrawsHeader &header);
bool is_record(const DrawsHeader &header);
// True if the sampler and the posterior exist.
bool has_kinds(const DrawsHeader &header);

// Fails if the block is incomplete or impossible.
Status read_draws(const void *buffer, size_t size, DrawsHeader *header, Error *err);

// Fails if draws `index` and draws 0 cannot be merged.
Status check_mergeable(const DrawsHeader &first, const DrawsHeader &other, int64_t index,
                       Error *err);
// The order of merged chains, independent of the order in which they are given: by number, then by
// content.
bool comes_before(const DrawsHeader &a, const DrawsHeader &b);

}  // namespace nnp
