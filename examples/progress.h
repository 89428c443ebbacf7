/* A progress bar on the terminal: percent, steps a second, time left. Silent when stderr is not a
 * terminal, so that logs and pipes stay clean. */
#ifndef EXAMPLES_PROGRESS_H
#define EXAMPLES_PROGRESS_H

#include <stdint.h>

typedef struct progress {
  const char *label;
  int64_t total, done;
  double began, drawn; /* seconds: of the start, and of the last time the bar was drawn */
  int visible;
} progress;

progress progress_begin(const char *label, int64_t total);
/* Cheap: draws at most ten times a second. `news` is shown behind the bar. */
void progress_update(progress *bar, int64_t done, const char *news);
/* Erases the bar; returns the seconds since the start. */
double progress_end(progress *bar);

#endif
