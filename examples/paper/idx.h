/* IDX files, as MNIST comes in: a header of sizes, then unsigned bytes. */
#ifndef EXAMPLES_IDX_H
#define EXAMPLES_IDX_H

#include <stddef.h>
#include <stdint.h>

enum { IDX_MAX_DIMENSIONS = 4 };

typedef struct idx {
  int dimensions;
  int64_t size[IDX_MAX_DIMENSIONS]; /* the first counts the items */
  unsigned char *bytes;             /* the last dimension is fastest */
} idx;

/* Reads a file of unsigned bytes with this number of dimensions. Returns 0; or -1, with a sentence
 * in `message` that says what is wrong with which file. */
int idx_read(const char *path, int dimensions, idx *out, char *message, size_t size);
void idx_free(idx *file);

#endif
