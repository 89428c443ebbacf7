#include "idx.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNSIGNED_BYTE = 8 };

typedef struct complaint {
  const char *path;
  char *message;
  size_t size;
} complaint;

/* Writes the sentence "path: …", and returns -1. */
static int complain_of(const complaint *to, const char *format, ...) {
  const int begun = snprintf(to->message, to->size, "%s: ", to->path);
  if (begun < 0 || (size_t)begun >= to->size) return -1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(to->message + begun, to->size - (size_t)begun, format, arguments);
  va_end(arguments);
  return -1;
}

static int check_magic(const unsigned char *magic, int dimensions, const complaint *to) {
  if (magic[0] == 0x1f && magic[1] == 0x8b)
    return complain_of(to, "it is compressed, expected an IDX file: unpack it with gunzip");
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0)
    return complain_of(to, "it begins with bytes %02x %02x %02x %02x, which is no IDX file",
                       magic[0], magic[1], magic[2], magic[3]);
  if (magic[2] != UNSIGNED_BYTE)
    return complain_of(to, "its values are of type 0x%02x, expected unsigned bytes (0x08)",
                       magic[2]);
  if (magic[3] != dimensions)
    return complain_of(to, "it has %d dimensions, expected %d", magic[3], dimensions);
  return 0;
}

/* Sizes are 32-bit numbers, the highest byte first. Returns how many bytes follow them, or -1. */
static int64_t read_sizes(FILE *file, idx *out, const complaint *to) {
  int64_t bytes = 1;
  for (int d = 0; d < out->dimensions; ++d) {
    unsigned char b[4];
    if (fread(b, 1, 4, file) != 4) return complain_of(to, "it ends within its header");
    out->size[d] =
        ((int64_t)b[0] << 24) | ((int64_t)b[1] << 16) | ((int64_t)b[2] << 8) | (int64_t)b[3];
    if (out->size[d] == 0) return complain_of(to, "its size %d is 0, expected data", d + 1);
    if (bytes > INT64_MAX / out->size[d] || (bytes *= out->size[d]) > ((int64_t)1 << 40))
      return complain_of(to, "its header promises more bytes than a file can have");
  }
  return bytes;
}

/* Returns how many bytes of the file are left, or -1 if that cannot be found out. */
static int64_t bytes_left(FILE *file) {
  const long here = ftell(file);
  if (here < 0 || fseek(file, 0, SEEK_END) != 0) return -1;
  const long end = ftell(file);
  return end < here || fseek(file, here, SEEK_SET) != 0 ? -1 : end - here;
}

/* Reads the bytes; never allocates more than the file has. */
static int read_bytes(FILE *file, int64_t bytes, idx *out, const complaint *to) {
  const int64_t found = bytes_left(file);
  if (found < 0) return complain_of(to, "it cannot be read");
  if (found < bytes)
    return complain_of(to, "it is truncated: %lld bytes of data, its header promises %lld",
                       (long long)found, (long long)bytes);
  if (found > bytes)
    return complain_of(to, "it goes on after the %lld bytes its header promises", (long long)bytes);
  out->bytes = malloc((size_t)bytes);
  if (!out->bytes) return complain_of(to, "no memory for its %lld bytes", (long long)bytes);
  if (fread(out->bytes, 1, (size_t)bytes, file) == (size_t)bytes) return 0;
  return complain_of(to, "its %lld bytes cannot be read", (long long)bytes);
}

static int read_file(FILE *file, idx *out, const complaint *to) {
  unsigned char magic[4];
  if (fread(magic, 1, 4, file) != 4)
    return complain_of(to, "it has fewer than 4 bytes, which is no IDX file");
  if (check_magic(magic, out->dimensions, to) != 0) return -1;
  const int64_t bytes = read_sizes(file, out, to);
  return bytes < 0 ? -1 : read_bytes(file, bytes, out, to);
}

int idx_read(const char *path, int dimensions, idx *out, char *message, size_t size) {
  const complaint to = {path, message, size};
  memset(out, 0, sizeof *out);
  out->dimensions = dimensions;
  FILE *file = fopen(path, "rb");
  if (!file) return complain_of(&to, "%s", strerror(errno));
  const int status = read_file(file, out, &to);
  fclose(file);
  if (status != 0) idx_free(out);
  return status;
}

void idx_free(idx *file) {
  free(file->bytes);
  file->bytes = NULL;
}
