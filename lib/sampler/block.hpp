// What all saved blocks have in common: a header that starts with `magic` and has version,
// byte_order, size and checksum; the block has `size` bytes in total.
#pragma once

#include <cstring>

#include "lib/base/hash.hpp"
#include "lib/base/status.hpp"

namespace nnp {

constexpr uint32_t block_byte_order = 0x01020304;

// Checksum of the header with its checksum field set to 0, followed by the rest of the block.
template <class Header>
uint64_t checksum_of(Header header, const unsigned char *rest) {
  header.checksum = 0;
  const uint64_t hash = hash_bytes(hash_start, &header, sizeof header);
  return hash_bytes(hash, rest, header.size - sizeof header);
}

// The kind of block a reader expects.
struct BlockKind {
  const char *name;  // "chain"
  const char *magic;
  uint32_t version;
};

// Checks that a block is of this kind and version and is complete, and reads its header.
template <class Header>
Status read_block(const BlockKind &kind, const void *buffer, size_t size, Header *header,
                  Error *err) {
  const unsigned char *start = static_cast<const unsigned char *>(buffer);
  Header &found = *header;
  if (size < sizeof found)
    return fail(err, Status::save_truncated, "buffer: it has %zu bytes, expected at least %zu",
                size, sizeof found);
  std::memcpy(&found, start, sizeof found);
  if (std::memcmp(found.magic, kind.magic, sizeof found.magic) != 0)
    return fail(err, Status::save_corrupted, "buffer: its first bytes are not those of a saved %s",
                kind.name);
  if (found.byte_order != block_byte_order || found.version != kind.version)
    return fail(err, Status::save_version,
                "buffer: saved in format %u, expected format %u in this machine's byte order",
                static_cast<unsigned>(found.version), static_cast<unsigned>(kind.version));
  if (size < found.size)
    return fail(err, Status::save_truncated, "buffer: it has %zu bytes, the saved %s has %llu",
                size, kind.name, static_cast<unsigned long long>(found.size));
  if (found.size < sizeof found || checksum_of(found, start + sizeof found) != found.checksum)
    return fail(err, Status::save_corrupted,
                "buffer: its checksum does not agree with its content");
  return Status::ok;
}

// Writes the header, checksum included, in front of content that is already in place.
template <class Header>
void seal_block(Header header, unsigned char *start) {
  header.checksum = checksum_of(header, start + sizeof header);
  std::memcpy(start, &header, sizeof header);
}

}  // namespace nnp
