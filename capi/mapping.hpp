// A file as memory: the one place that knows how each system maps files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

struct Mapping {
  unsigned char *start = nullptr;
  size_t size = 0;
  void *file = nullptr;  // what the system needs to close it
  // Of a new file: which one it is, and the process that made it.
  uint64_t device = 0, number = 0;
  int64_t maker = 0;
};

// A new file of `size` bytes, all zero and all taken from the disk, mapped to be read and written. What
// exists already is left alone.
Status map_new_file(const char *path, size_t size, Mapping *out, Error *err);
// A file that exists, mapped to be read.
Status map_file(const char *path, Mapping *out, Error *err);
void unmap(Mapping &mapping);
// Unmaps a new file and removes it, if this process has made it and the path still leads to it.
void unmap_and_remove(Mapping &mapping, const char *path);

}  // namespace nnp
