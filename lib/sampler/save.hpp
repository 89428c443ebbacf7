// The whole state of a chain, random streams included, as one block of bytes, and back. A block
// tells what it is (magic, version), what it belongs to (fingerprints of network and data) and
// whether it is whole (length, checksum); it is read only by machines of the same byte order.
#pragma once

#include <cstddef>

#include "lib/sampler/chain.hpp"

namespace nnp {

// Of all that a chain of this state's head, or of the head of a network, reads of its data.
uint64_t data_fingerprint(const State &state);
uint64_t data_fingerprint(const Data &data, const Net &net);

// Calls visit(context, memory, bytes) for every piece of a chain that is saved, where it lies.
void visit_saved(Chain &chain, void (*visit)(void *context, void *memory, size_t bytes),
                 void *context);

size_t save_size(const Chain &chain);
// Fails, with nothing written, where labels or targets were given that do not suit the network.
Status save_chain(const Chain &chain, void *buffer, Error *err);
// Checks every value of the block first (see saved.hpp); a refused block leaves the chain untouched.
Status restore_chain(Chain &chain, const void *buffer, size_t size, Error *err);

}  // namespace nnp
