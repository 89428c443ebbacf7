#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(const char *label, int64_t total) {
  progress bar = {label, total, 0, now(), 0, isatty(STDERR_FILENO), -1};
  return bar;
}

progress progress_resume(const char *label, int64_t total, int64_t already) {
  progress bar = progress_begin(label, total);
  bar.done = bar.already = already;
  return bar;
}

static void draw(const progress *bar, double elapsed, const char *news) {
  const double share = bar->total > 0 ? (double)bar->done / (double)bar->total : 1;
  const int64_t already = bar->already > 0 ? bar->already : 0;
  const double rate = elapsed > 0 ? (double)(bar->done - already) / elapsed : 0;
  const long left = rate > 0 ? (long)((double)(bar->total - bar->done) / rate + 0.5) : 0;
  const int filled = (int)(share * BAR_WIDTH);
  char cells[BAR_WIDTH + 1];
  for (int i = 0; i < BAR_WIDTH; ++i) cells[i] = i < filled ? '#' : '.';
  cells[BAR_WIDTH] = '\0';
  fprintf(stderr, "\r%s [%s] %3.0f%%  ", bar->label, cells, 100 * share);
  if (bar->already < 0) fprintf(stderr, "%.0f steps/s  ", rate);
  fprintf(stderr, "ETA %ld:%02ld  %s\033[K", left / 60, left % 60, news);
}

void progress_update(progress *bar, int64_t done, const char *news) {
  bar->done = done;
  if (!bar->visible) return;
  const double t = now();
  if (t - bar->drawn < 0.1) return;
  bar->drawn = t;
  draw(bar, t - bar->began, news);
}

void progress_clear(progress *bar) {
  if (bar->visible) fputs("\r\033[K", stderr);
}

double progress_end(progress *bar) {
  progress_clear(bar);
  return now() - bar->began;
}
