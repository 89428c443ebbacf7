#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static const char magic[8] = "nnpcheck";

/* In front of the settings and the bytes. */
typedef struct header {
  char magic[8];
  uint64_t settings, size, sum;
} header;

/* FNV-1a. */
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

static int read_parts(FILE *file, checkpoint *c, const char *settings) {
  header h;
  if (fread(&h, sizeof h, 1, file) != 1 || memcmp(h.magic, magic, sizeof magic) != 0)
    return CHECKPOINT_NONE;
  if (h.settings > 100000) return CHECKPOINT_NONE;
  char *theirs = need_memory((size_t)h.settings + 1);
  const int whole = fread(theirs, 1, (size_t)h.settings, file) == h.settings;
  theirs[whole ? h.settings : 0] = '\0';
  const int same = whole && strcmp(theirs, settings) == 0;
  free(theirs);
  if (!same) return whole ? CHECKPOINT_OTHER : CHECKPOINT_NONE;
  c->bytes = need_memory((size_t)h.size + 1);
  c->room = c->size = (size_t)h.size;
  if (fread(c->bytes, 1, c->size, file) != c->size) return CHECKPOINT_NONE;
  return sum_of(settings, c->bytes, c->size) == h.sum ? CHECKPOINT_FOUND : CHECKPOINT_NONE;
}

int checkpoint_read(checkpoint *c, const char *path, const char *settings) {
  memset(c, 0, sizeof *c);
  FILE *file = fopen(path, "rb");
  if (!file) return CHECKPOINT_NONE;
  const int found = read_parts(file, c, settings);
  fclose(file);
  if (found != CHECKPOINT_FOUND) checkpoint_free(c);
  return found;
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
