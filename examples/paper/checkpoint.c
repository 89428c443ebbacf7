#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

static const char magic[8] = "nnpcheck";

/* The beginning of a file, before the settings and the bytes. */
typedef struct header {
  char magic[8];
  uint64_t settings, size, sum;
} header;

/* Continues a checksum, FNV-1a, over more bytes. */
static uint64_t add_to_sum(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; ++i) sum = (sum ^ at[i]) * 0x100000001b3u;
  return sum;
}

static uint64_t sum_of(const char *settings, const unsigned char *bytes, size_t size) {
  return add_to_sum(add_to_sum(0xcbf29ce484222325u, settings, strlen(settings)), bytes, size);
}

void checkpoint_put(checkpoint *c, const void *bytes, size_t size) {
  if (c->size + size > c->room) {
    c->room = 2 * (c->size + size);
    unsigned char *larger = need_memory(c->room);
    if (c->size) memcpy(larger, c->bytes, c->size);
    free(c->bytes);
    c->bytes = larger;
  }
  if (size) memcpy(c->bytes + c->size, bytes, size);
  c->size += size;
}

static int write_parts(FILE *file, const checkpoint *c, const char *settings) {
  header h;
  memcpy(h.magic, magic, sizeof magic);
  h.settings = strlen(settings);
  h.size = c->size;
  h.sum = sum_of(settings, c->bytes, c->size);
  fwrite(&h, sizeof h, 1, file);
  fwrite(settings, 1, strlen(settings), file);
  fwrite(c->bytes, 1, c->size, file);
  return fflush(file) != 0 || ferror(file) || fsync(fileno(file)) != 0 ? -1 : 0;
}

int checkpoint_write(const checkpoint *c, const char *path, const char *settings) {
  char temporary[4096];
  snprintf(temporary, sizeof temporary, "%s.new", path);
  FILE *file = fopen(temporary, "wb");
  if (!file) return -1;
  const int failed = write_parts(file, c, settings);
  if (fclose(file) != 0 || failed) return -1;
  return rename(temporary, path);
}

typedef struct reading {
  FILE *file;
  uint64_t length; /* of the file */
  header head;
  char *why;
  size_t size;
} reading;

static int damaged(reading *r, const char *format, uint64_t stated, uint64_t found) {
  snprintf(r->why, r->size, format, (unsigned long long)stated, (unsigned long long)found);
  return CHECKPOINT_DAMAGED;
}

/* Sizes are checked by subtraction: sums of what a damaged file states may overflow. */
static int check_sizes(reading *r) {
  header *h = &r->head;
  if (r->length < sizeof *h || fread(h, sizeof *h, 1, r->file) != 1)
    return damaged(r, "expected a header of %llu bytes, the file has %llu", sizeof *h, r->length);
  if (memcmp(h->magic, magic, sizeof magic) != 0)
    return damaged(r, "it does not begin as a checkpoint does", 0, 0);
  uint64_t left = r->length - sizeof *h;
  if (h->settings > left)
    return damaged(r, "it states %llu bytes of settings, the file has %llu after the header",
                   h->settings, left);
  left -= h->settings;
  if (h->size != left)
    return damaged(r, "it states %llu bytes of results, the file has %llu", h->size, left);
  return CHECKPOINT_FOUND;
}

static int read_parts(reading *r, checkpoint *c, const char *settings) {
  const int sizes = check_sizes(r);
  if (sizes != CHECKPOINT_FOUND) return sizes;
  const size_t length = (size_t)r->head.settings;
  char *theirs = need_memory(length + 1);
  c->room = c->size = (size_t)r->head.size;
  c->bytes = need_memory(c->size + 1);
  const int whole = fread(theirs, 1, length, r->file) == length &&
                    fread(c->bytes, 1, c->size, r->file) == c->size;
  theirs[length] = '\0';
  const int same = strlen(theirs) == length && strcmp(theirs, settings) == 0;
  const int right = whole && sum_of(theirs, c->bytes, c->size) == r->head.sum;
  free(theirs);
  if (!right) return damaged(r, "its checksum is not that of its %llu bytes", r->length, 0);
  return same ? CHECKPOINT_FOUND : CHECKPOINT_OTHER;
}

static int length_of(FILE *file, uint64_t *length) {
  struct stat about;
  if (fstat(fileno(file), &about) != 0) return -1;
  *length = (uint64_t)about.st_size;
  return 0;
}

int checkpoint_read(checkpoint *c, const char *path, const char *settings, char *why, size_t size) {
  reading r;
  memset(c, 0, sizeof *c);
  memset(&r, 0, sizeof r);
  r.why = why;
  r.size = size;
  r.file = fopen(path, "rb");
  if (!r.file && errno == ENOENT) return CHECKPOINT_NONE;
  int found = CHECKPOINT_DAMAGED;
  if (!r.file || length_of(r.file, &r.length) != 0)
    snprintf(why, size, "it cannot be read: %s", strerror(errno));
  else
    found = read_parts(&r, c, settings);
  if (r.file) fclose(r.file);
  if (found != CHECKPOINT_FOUND) checkpoint_free(c);
  return found;
}

int checkpoint_put_aside(const char *path, const char *word, char *aside, size_t size) {
  struct stat about;
  snprintf(aside, size, "%s.%s", path, word);
  for (int i = 1; lstat(aside, &about) == 0; ++i) snprintf(aside, size, "%s.%s.%d", path, word, i);
  return errno == ENOENT ? rename(path, aside) : -1;
}

void checkpoint_get(checkpoint *c, void *bytes, size_t size) {
  if (size > c->size - c->at) {
    fputs("a checkpoint has less in it than was written\n", stderr);
    exit(1);
  }
  if (size) memcpy(bytes, c->bytes + c->at, size);
  c->at += size;
}

void checkpoint_free(checkpoint *c) {
  free(c->bytes);
  memset(c, 0, sizeof *c);
}
