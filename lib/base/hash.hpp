// FNV-1a over 8-byte words, then over the remaining bytes: fingerprints and checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nnp {

constexpr uint64_t hash_start = 0xcbf29ce484222325ull;

inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *p = static_cast<const unsigned char *>(bytes);
  constexpr uint64_t prime = 0x100000001b3ull;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * prime;
    hash ^= hash >> 29;
  }
  for (; size > 0; ++p, --size) hash = (hash ^ *p) * prime;
  return hash;
}

// Hashes a value without padding.
template <class T>
uint64_t hash_value(uint64_t hash, T value) {
  return hash_bytes(hash, &value, sizeof value);
}

}  // namespace nnp
