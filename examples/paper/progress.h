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
  int64_t already; /* done when it began */
} progress;

progress progress_begin(const char *label, int64_t total);
/* For a run that continues: `already` was done earlier. Shows no steps per second. */
progress progress_resume(const char *label, int64_t total, int64_t already);
/* Cheap: draws at most ten times per second. `news` is shown after the bar. */
void progress_update(progress *bar, int64_t done, const char *news);
/* Erases the bar, which is drawn again when it is updated. */
void progress_clear(progress *bar);
/* Erases the bar; returns the seconds since the start. */
double progress_end(progress *bar);

#endif
