// Draws of one chain as a block of bytes that says what they are of, so that draws of separate jobs can
// be put together: nothing but such blocks has to come from one job to another.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

struct DrawsHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;     // of the whole block
  uint64_t network;  // fingerprint
  uint64_t data;     // fingerprint; 0: of rows that are spread over ranks
  uint64_t number;   // of the chain
  int64_t steps;     // the chain has made
  int64_t parameters, draws;
  int32_t sampler, posterior;
  uint64_t content;  // hash of the draws
  uint64_t checksum;
};
static_assert(sizeof(DrawsHeader) == 96, "no byte of a header may be left to chance");

size_t save_draws_size(const Net &net, int64_t count);
// [parameter, draw]
void save_draws(const Chain &chain, const double *draws, int64_t count, void *buffer);

// The header of `count` draws of a chain, with `values` numbers each (its parameters, or others that
// were kept in their place) whose hash is `content`. Neither sealed nor followed by anything.
DrawsHeader draws_header(const Chain &chain, int64_t values, int64_t count, uint64_t content);
// The block whose header this is, of these draws.
size_t draws_block_size(const DrawsHeader &header);
void write_draws(const DrawsHeader &header, const void *draws, void *buffer);

// A header by itself, whose draws lie elsewhere: its checksum is of the header alone, and `content`
// answers for the draws.
void seal_record(DrawsHeader &header);
bool is_record(const DrawsHeader &header);
// Is it of a sampler and a posterior that there are?
bool has_kinds(const DrawsHeader &header);

// Is it whole, and possible?
Status read_draws(const void *buffer, size_t size, DrawsHeader *header, Error *err);

// Can draws number i and 0 be put together? `index` is i.
Status check_mergeable(const DrawsHeader &first, const DrawsHeader &other, int64_t index,
                       Error *err);
// The order of merged chains, whatever order they came in: by number, then by content.
bool comes_before(const DrawsHeader &a, const DrawsHeader &b);

}  // namespace nnp
