/* A progress bar, and interrupts that never jump through the library: R's own check runs inside
 * R_ToplevelExec, which returns where it was called. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "nnpost_r.h"

SEXP nnr_clock(void) {
  return Rf_ScalarReal(clock_seconds());
}

double clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void watch_begin(Watch *watch, SEXP how, int64_t chains, double total) {
  SEXP label = VECTOR_ELT(how, 0);
  memset(watch, 0, sizeof *watch);
  watch->label = label == R_NilValue ? NULL : CHAR(STRING_ELT(label, 0));
  watch->callback = VECTOR_ELT(how, 1);
  watch->began = watch->checked = watch->shown = clock_seconds();
  watch->chains = chains;
  watch->total = total;
  watch->brief = XLENGTH(how) < 3;
  SEXP plan = XLENGTH(how) > 2 ? VECTOR_ELT(how, 2) : R_NilValue;
  watch->last = 1;
  if (plan != R_NilValue) { /* this call is a part of a longer run, which has one bar */
    watch->plan = REAL(plan);
    watch->began = watch->plan[PLAN_CLOCK];
    watch->phase = (int32_t)whole(VECTOR_ELT(how, 3), "phase");
    watch->last = watch->phase == NNP_PHASE_SAMPLING;
    watch->total = 1;
  }
  watch->done = (double *)R_alloc((size_t)chains, sizeof(double));
  memset(watch->done, 0, (size_t)chains * sizeof(double));
}

static void check_interrupt(void *unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

/* Between calls the outlook of a run is stored in R's plan. Returns the share of the run that is over. */
static double look_ahead(Watch *watch, double done) {
  nnp_error err;
  nnp_outlook seen;
  double *plan = watch->plan;
  memset(&seen, 0, sizeof seen);
  for (int i = 0; i < 3; ++i) {
    seen.steps[i] = (int64_t)plan[i];
    seen.spent[i] = plan[PLAN_SPENT + i];
  }
  seen.share = plan[PLAN_SHARE];
  seen.began = plan[PLAN_BEGAN];
  seen.phase = (int64_t)plan[PLAN_PHASE];
  if (nnp_outlook_tell(&seen, watch->phase, (int64_t)done, clock_seconds() - watch->began, &err) !=
      NNP_OK)
    return seen.share;
  for (int i = 0; i < 3; ++i) plan[PLAN_SPENT + i] = seen.spent[i];
  plan[PLAN_SHARE] = seen.share;
  plan[PLAN_BEGAN] = seen.began;
  plan[PLAN_PHASE] = (double)seen.phase;
  watch->left = seen.seconds_left;
  return seen.share;
}

typedef struct Bar {
  const char *label;
  double share, seconds, steps, left;
} Bar;

static void draw_bar(void *argument) {
  enum { WIDTH = 40 };
  const Bar *bar = argument;
  char line[WIDTH + 1];
  const int filled = (int)(bar->share * WIDTH);
  memset(line, ' ', WIDTH);
  memset(line, '=', (size_t)filled);
  line[WIDTH] = 0;
  REprintf("\r%s |%s| %3d%%", bar->label, line, (int)(100 * bar->share));
  if (bar->share >= 1)
    REprintf(" in %.1f s   \n", bar->seconds);
  else if (bar->left >= 3600)
    REprintf(" %.0f h %.0f min left ", floor(bar->left / 3600), floor(fmod(bar->left, 3600) / 60));
  else if (bar->left >= 60)
    REprintf(" %.0f min %.0f s left ", floor(bar->left / 60), floor(fmod(bar->left, 60)));
  else if (bar->left >= 0)
    REprintf(" %.0f s left      ", bar->left);
}

/* Steps are counted where nobody knows how many there will be. */
static void draw_count(void *argument) {
  const Bar *bar = argument;
  REprintf("\r%s %.0f steps in %.1f s   %s", bar->label, bar->steps, bar->seconds,
           bar->share >= 1 ? "\n" : "");
}

static void show(Watch *watch, double share, double now) {
  Bar bar = {watch->label, share < 0 ? 0 : share > 1 ? 1 : share, now - watch->began, 0, -1};
  if (watch->plan)
    bar.left = watch->left;
  else if (bar.share > 0.01)
    bar.left = bar.seconds * (1 - bar.share) / bar.share;
  for (int64_t c = 0; c < watch->chains; ++c) bar.steps += watch->done[c];
  R_ToplevelExec(watch->total > 0 ? draw_bar : draw_count, &bar);
  watch->shown = now;
}

int watch_share(Watch *watch, double share) {
  const double now = clock_seconds();
  if (watch->interrupted) return 1;
  if (now - watch->checked < 0.05) return 0;
  watch->checked = now;
  if (!R_ToplevelExec(check_interrupt, NULL)) watch->interrupted = 1;
  /* Its end is shown when all is over: see watch_end. */
  if (watch->label && share < 1 && now - watch->shown > 0.2) show(watch, share, now);
  return watch->interrupted;
}

typedef struct Told {
  SEXP callback;
  const nnp_progress *progress;
  int stop;
} Told;

static void tell(void *argument) {
  Told *told = argument;
  const nnp_progress *p = told->progress;
  SEXP chain = PROTECT(Rf_ScalarReal((double)p->chain_index + 1));
  SEXP step = PROTECT(Rf_ScalarReal((double)p->step));
  SEXP steps = PROTECT(Rf_ScalarReal((double)p->steps));
  SEXP seconds = PROTECT(Rf_ScalarReal(p->seconds));
  SEXP call = PROTECT(Rf_lang5(told->callback, chain, step, steps, seconds));
  told->stop = Rf_asLogical(Rf_eval(call, R_GlobalEnv)) == TRUE;
  UNPROTECT(5);
}

/* Calls the user's function. Whatever it does, control returns here. */
static int callback_stops(Watch *watch, const nnp_progress *progress) {
  Told told = {watch->callback, progress, 0};
  return !R_ToplevelExec(tell, &told) || told.stop;
}

int32_t watch_steps(const nnp_progress *progress, void *user) {
  Watch *watch = user;
  watch->done[progress->chain_index] = (double)progress->step;
  if (watch->callback != R_NilValue && !watch->interrupted && callback_stops(watch, progress))
    watch->interrupted = 1;
  double done = watch->before;
  for (int64_t c = 0; c < watch->chains; ++c) done += watch->done[c];
  if (watch->plan) return watch_share(watch, look_ahead(watch, done));
  return watch_share(watch, watch->total > 0 ? done / watch->total : 0);
}

/* Calls of predictors count parts of their work, each call as one step. */
int32_t watch_parts(const nnp_progress *progress, void *user) {
  Watch *watch = user;
  const double share = progress->steps > 0 ? (double)progress->step / (double)progress->steps : 1;
  return watch_share(watch, (watch->before + share) / watch->total);
}

void watch_end(Watch *watch) {
  if (!watch->label || (watch->brief && watch->shown == watch->began)) return;
  if (watch->interrupted)
    REprintf("\n");
  else if (watch->last)
    show(watch, 1, clock_seconds());
}
