/* Blocks of the caller's, aligned as the library asks. */
#ifndef NNPOST_TESTS_ALIGNED_H
#define NNPOST_TESTS_ALIGNED_H

#include <stdlib.h>
#ifdef _WIN32
#include <malloc.h>
#endif

/* NULL if there is no memory. */
static inline void *aligned_block(size_t bytes) {
#ifdef _WIN32
  return _aligned_malloc(bytes, 64);
#else
  void *memory = NULL;
  return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;
#endif
}

static inline void free_aligned(void *memory) {
#ifdef _WIN32
  _aligned_free(memory);
#else
  free(memory);
#endif
}

#endif
