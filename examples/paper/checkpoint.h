/* The saved state of a long run. The file is written under another name and then renamed, so that
 * a run killed at any moment finds the last one intact. */
#ifndef EXAMPLES_CHECKPOINT_H
#define EXAMPLES_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

typedef struct checkpoint {
  unsigned char *bytes;
  size_t size, room, at; /* at: where reading is */
} checkpoint;

enum {
  CHECKPOINT_FOUND,
  CHECKPOINT_NONE,    /* no file */
  CHECKPOINT_OTHER,   /* of a run with other settings */
  CHECKPOINT_DAMAGED, /* not what was written, or it cannot be read */
};

void checkpoint_put(checkpoint *c, const void *bytes, size_t size);
/* Writes the file. Returns 0, or -1 if it cannot be written (errno says why). */
int checkpoint_write(const checkpoint *c, const char *path, const char *settings);

/* Reads a file. Returns CHECKPOINT_FOUND, …; what is wrong with a damaged one is written to `why`,
 * without the path. Sizes that a file states are checked against the file before they are used. */
int checkpoint_read(checkpoint *c, const char *path, const char *settings, char *why, size_t size);
/* Renames a file to PATH.WORD, or to PATH.WORD.1, .2, … where that exists already, and writes the
 * new name to `aside`. -1 if it cannot be done (errno says why). */
int checkpoint_put_aside(const char *path, const char *word, char *aside, size_t size);
/* Copies the next bytes of what was read. Ends the program if there are fewer: since the file was
 * intact, that is a bug. */
void checkpoint_get(checkpoint *c, void *bytes, size_t size);
void checkpoint_free(checkpoint *c);

#endif
