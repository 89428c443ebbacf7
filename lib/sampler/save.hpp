// Saves the whole state of a chain, random streams included, to one block of bytes, and restores
// it. A block says what it is (magic, version), what it belongs to (fingerprints of network and
// data) and whether it is complete (length, checksum); only machines of the same byte order can
// read it.
#pragma once

#include <cstddef>

#include "lib/sampler/chain.hpp"

namespace nnp {

// Fingerprint of all data that a chain with the head of this state, or of this network, depends on.
uint64_t data_fingerprint(const State &state);
uint64_t data_fingerprint(const Data &data, const Net &net);

// Calls visit(context, memory, bytes) for every saved piece of a chain, in place.
void visit_saved(Chain &chain, void (*visit)(void *context, void *memory, size_t bytes),
                 void *context);

size_t save_size(const Chain &chain);
// Fails, with nothing written, if labels or targets do not suit the network.
Status save_chain(const Chain &chain, void *buffer, Error *err);
// Checks every value of the block first (see saved.hpp); if it is refused, the chain is unchanged.
Status restore_chain(Chain &chain, const void *buffer, size_t size, Error *err);

}  // namespace nnp
