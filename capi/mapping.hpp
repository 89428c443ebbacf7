// A file as memory: the only code that knows how each system maps files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

struct Mapping {
  unsigned char *start = nullptr;
  size_t size = 0;
  void *file = nullptr;  // handle needed to close it
  // For a new file: its identity, and the process that created it.
  uint64_t device = 0, number = 0;
  int64_t maker = 0;
};

// Creates a file of `size` bytes, all zero and all allocated on disk, mapped for reading and
// writing. Fails if it exists.
Status map_new_file(const char *path, size_t size, Mapping *out, Error *err);
// Maps an existing file for reading.
Status map_file(const char *path, Mapping *out, Error *err);
void unmap(Mapping &mapping);
// Unmaps a new file and removes it, if this process created it and the path still leads to it.
void unmap_and_remove(Mapping &mapping, const char *path);

}  // namespace nnp
