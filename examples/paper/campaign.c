#define _POSIX_C_SOURCE 200809L
#include "campaign.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nnpost_diagnostics.h>
#include "progress.h"
#include "support.h"

/* ---- Tables ------------------------------------------------------------------------------ */

static void table_reserve(table *t, int64_t rows) {
  if (rows <= t->room) return;
  t->room = 2 * rows;
  double *larger = need_memory(sizeof(double) * (size_t)(t->room * t->columns));
  if (t->rows) memcpy(larger, t->values, sizeof(double) * (size_t)(t->rows * t->columns));
  free(t->values);
  t->values = larger;
}

void table_add(table *t, const double *row) {
  table_reserve(t, t->rows + 1);
  memcpy(t->values + t->rows * t->columns, row, sizeof(double) * (size_t)t->columns);
  ++t->rows;
}

const double *table_row(const table *t, int64_t row) {
  return t->values + row * t->columns;
}

double *table_column(const table *t, int64_t column, int64_t first_row) {
  const int64_t count = t->rows > first_row ? t->rows - first_row : 0;
  double *values = need_memory(sizeof(double) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i) values[i] = table_row(t, first_row + i)[column];
  return values;
}

void table_free(table *t) {
  free(t->values);
  memset(t, 0, sizeof *t);
}

static void put_table(checkpoint *file, const table *t) {
  checkpoint_put(file, &t->columns, sizeof t->columns);
  checkpoint_put(file, &t->rows, sizeof t->rows);
  checkpoint_put(file, t->values, sizeof(double) * (size_t)(t->rows * t->columns));
}

static void get_table(checkpoint *file, table *t) {
  int64_t rows;
  checkpoint_get(file, &t->columns, sizeof t->columns);
  checkpoint_get(file, &rows, sizeof rows);
  t->rows = 0;
  table_reserve(t, rows);
  checkpoint_get(file, t->values, sizeof(double) * (size_t)(rows * t->columns));
  t->rows = rows;
}

int64_t next_look(int64_t step, int64_t density) {
  return step + (step / density > 1 ? step / density : 1);
}

/* ---- Time -------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted = 0;

static void on_interrupt(int number) {
  interrupted = 1;
  signal(number, SIG_DFL); /* the second one ends the program */
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor_time(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- Checkpoints ------------------------------------------------------------------------- */

static void checkpoint_path(const campaign *c, char *path, size_t size) {
  snprintf(path, size, "%s/%s.checkpoint", c->out, c->name);
}

/* Writes what a checkpoint must match. It includes the version of the library, since another one
 * may draw other numbers. */
static const char *checkpoint_key(const campaign *c, char *key, size_t size) {
  /* another set of moves is another sampler */
  snprintf(key, size, "nnpost %s, %d moves: %s", nnp_version(), NNP_MOVE_KINDS, c->settings);
  return key;
}

static void put_chain(checkpoint *file, const nnp_chain *chain) {
  nnp_error err;
  size_t bytes;
  check(nnp_chain_save_bytes(chain, &bytes, &err), &err);
  void *block = need_memory(bytes);
  check(nnp_chain_save(chain, block, bytes, &err), &err);
  checkpoint_put(file, &bytes, sizeof bytes);
  checkpoint_put(file, block, bytes);
  free(block);
}

static void get_chain(checkpoint *file, nnp_chain *chain) {
  nnp_error err;
  size_t bytes;
  checkpoint_get(file, &bytes, sizeof bytes);
  void *block = need_memory(bytes);
  checkpoint_get(file, block, bytes);
  check(nnp_chain_restore(chain, block, bytes, &err), &err);
  free(block);
}

static void put_job(checkpoint *file, const job *j) {
  checkpoint_put(file, &j->step, sizeof j->step);
  checkpoint_put(file, &j->next, sizeof j->next);
  checkpoint_put(file, &j->gradients, sizeof j->gradients);
  checkpoint_put(file, &j->seconds, sizeof j->seconds);
  checkpoint_put(file, j->notes, sizeof(double) * (size_t)j->note_count);
  for (int t = 0; t < JOB_TABLES; ++t) put_table(file, &j->tables[t]);
  for (int i = 0; i < j->chain_count; ++i) put_chain(file, j->chains[i]);
}

static void get_job(checkpoint *file, job *j) {
  checkpoint_get(file, &j->step, sizeof j->step);
  checkpoint_get(file, &j->next, sizeof j->next);
  checkpoint_get(file, &j->gradients, sizeof j->gradients);
  checkpoint_get(file, &j->seconds, sizeof j->seconds);
  checkpoint_get(file, j->notes, sizeof(double) * (size_t)j->note_count);
  for (int t = 0; t < JOB_TABLES; ++t) get_table(file, &j->tables[t]);
  for (int i = 0; i < j->chain_count; ++i) get_chain(file, j->chains[i]);
}

/* Saves all results and the state of the current job; j is NULL between jobs. */
static void save(const campaign *c, const job *j) {
  char path[4000], key[1200];
  checkpoint file;
  const int64_t running = j != NULL;
  memset(&file, 0, sizeof file);
  checkpoint_put(&file, &c->finished, sizeof c->finished);
  for (int64_t i = 0; i < c->finished; ++i)
    for (int t = 0; t < JOB_TABLES; ++t) put_table(&file, &c->results[i].tables[t]);
  checkpoint_put(&file, &running, sizeof running);
  if (j) put_job(&file, j);
  checkpoint_path(c, path, sizeof path);
  if (checkpoint_write(&file, path, checkpoint_key(c, key, sizeof key)) != 0) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
  }
  checkpoint_free(&file);
}

/* A checkpoint that cannot be continued may hold hours of work, some of which can be saved by hand,
 * so it is renamed, not overwritten. */
static void put_aside(const char *path, const char *word, const char *why) {
  char aside[4096];
  if (checkpoint_put_aside(path, word, aside, sizeof aside) == 0) {
    fprintf(stderr, "%s: %s. It is kept as %s; the run starts over\n", path, why, aside);
    return;
  }
  fprintf(stderr, "%s: %s. It cannot be renamed: %s\n", path, why, strerror(errno));
  exit(1);
}

/* 1 if the next job is in the checkpoint, and to be read from `file`. The file may have more jobs
 * than were requested. */
static int load(campaign *c, checkpoint *file) {
  char path[4000], key[1200], why[160];
  int64_t finished, running;
  checkpoint_path(c, path, sizeof path);
  checkpoint_key(c, key, sizeof key);
  const int found = checkpoint_read(file, path, key, why, sizeof why);
  if (found == CHECKPOINT_OTHER) put_aside(path, "old", "it belongs to a run with other settings");
  if (found == CHECKPOINT_DAMAGED) put_aside(path, "refused", why);
  if (found != CHECKPOINT_FOUND) return 0;
  checkpoint_get(file, &finished, sizeof finished);
  c->finished = finished < c->jobs ? finished : c->jobs;
  for (int64_t i = 0; i < c->finished; ++i)
    for (int t = 0; t < JOB_TABLES; ++t) get_table(file, &c->results[i].tables[t]);
  if (finished > c->jobs) return 0;
  checkpoint_get(file, &running, sizeof running);
  return running && finished < c->jobs;
}

/* ---- Running ----------------------------------------------------------------------------- */

enum { MOST_STEPS = 4096 };    /* in one call */
static const double go = 0.25; /* seconds it should take */

typedef struct runner {
  campaign *c;
  nnp_pool *pool;
  double *records;  /* of the gradient samplers' steps in one call */
  double step_time; /* wall-clock seconds per step, roughly */
  double began, saved;
  progress bar;
} runner;

static int64_t warmup_left(const nnp_chain *chain, int64_t step) {
  nnp_error err;
  double warmup;
  if (nnp_chain_get(chain, NNP_OPTION_WARMUP, &warmup, &err) != NNP_OK) return 0;
  return (int64_t)warmup > step ? (int64_t)warmup - step : 0;
}

static int32_t count_down(const nnp_progress *p, void *user) {
  int64_t *left = user;
  (void)p;
  return --*left <= 0;
}

/* A call during the warm-up has to request all of it, and stop early. */
static void warm_up(job *j, int64_t steps, int64_t left) {
  nnp_error err;
  for (int i = 0; i < j->chain_count; ++i) {
    int64_t count = steps;
    const int64_t asked = left > steps ? left : steps;
    const int32_t status = nnp_chain_run(j->chains[i], asked, count_down, &count, &err);
    if (status != NNP_STOPPED) check(status, &err);
  }
}

static int follows_gradients(const nnp_chain *chain) {
  nnp_error err;
  double value;
  return nnp_chain_statistic(chain, NNP_STEP_LEAPFROGS, &value, &err) == NNP_OK;
}

static void record(const runner *r, job *j, int on) {
  nnp_error err;
  for (int i = 0; i < j->chain_count; ++i) {
    double *records = r->records + i * MOST_STEPS * NNP_STEP_STATISTICS;
    if (follows_gradients(j->chains[i]))
      check(nnp_chain_record(j->chains[i], on ? records : NULL, on ? MOST_STEPS : 0, &err), &err);
  }
}

static void count_gradients(const runner *r, job *j, int64_t steps) {
  for (int i = 0; i < j->chain_count; ++i) {
    const double *records = r->records + i * MOST_STEPS * NNP_STEP_STATISTICS;
    if (!follows_gradients(j->chains[i])) continue;
    for (int64_t s = 0; s < steps; ++s)
      j->gradients += records[s * NNP_STEP_STATISTICS + NNP_STEP_LEAPFROGS - NNP_STEP_LOG_DENSITY] /
                      j->chain_count;
  }
}

static void advance(runner *r, job *j, int64_t steps) {
  nnp_error err;
  const double began = now(), work = processor_time();
  const int64_t left = warmup_left(j->chains[0], j->step);
  const int64_t side_by_side = j->chain_count > 1 ? j->chain_count : r->c->threads;
  record(r, j, 1);
  if (left > 0)
    warm_up(j, steps, left);
  else
    check(nnp_chains_run(j->chains, j->chain_count, steps, NULL, NULL, &err), &err);
  count_gradients(r, j, steps);
  record(r, j, 0);
  j->step += steps;
  j->seconds += (processor_time() - work) / (double)side_by_side;
  r->step_time = (now() - began) / (double)steps;
}

/* Returns how many steps to make in one call, about a quarter of a second. How steps are grouped
 * does not change the draws. */
static int64_t steps_of_go(const runner *r, const job *j) {
  const double fit = r->step_time > 0 ? go / r->step_time : 1;
  int64_t steps = fit < 1 ? 1 : fit > MOST_STEPS ? MOST_STEPS : (int64_t)fit;
  const int64_t left = j->next - j->step;
  const int64_t warmup = warmup_left(j->chains[0], j->step);
  if (warmup > 0 && steps > warmup) steps = warmup;
  return steps < left ? steps : left;
}

enum { SHARES = 10000 }; /* of a job, on the progress bar */

static void show(runner *r, const job *j) {
  char text[200];
  const campaign *c = r->c;
  c->describe(c, j, text, sizeof text);
  progress_update(&r->bar, c->finished * SHARES + (int64_t)(SHARES * c->share(c, j)), text);
}

static int stopped(const runner *r) {
  return interrupted || (r->c->deadline > 0 && now() - r->began > r->c->deadline);
}

/* Runs a job. Returns 1 when it is done, 0 if it was stopped. */
static int run_job(runner *r, job *j) {
  campaign *c = r->c;
  for (;;) {
    if (j->step == j->next && c->look(c, j)) return 1;
    if (j->step < j->next) advance(r, j, steps_of_go(r, j));
    show(r, j);
    if (stopped(r)) return 0;
    if (now() - r->saved < c->every) continue;
    save(c, j);
    r->saved = now();
  }
}

static void say_finished(runner *r, const job *j) {
  char text[200];
  r->c->describe(r->c, j, text, sizeof text);
  progress_clear(&r->bar);
  fprintf(stderr, "%s: %lld of %lld done: %s\n", r->c->name, (long long)j->number + 1,
          (long long)r->c->jobs, text);
}

static void keep(campaign *c, job *j) {
  memcpy(c->results[j->number].tables, j->tables, sizeof j->tables);
  free(j->notes);
}

/* Begins a job, or continues it if `file` has its state (NULL: it has not), and runs it. */
static int do_job(runner *r, checkpoint *file) {
  campaign *c = r->c;
  job j;
  memset(&j, 0, sizeof j);
  j.number = c->finished;
  c->begin(c, &j, r->pool);
  if (file) get_job(file, &j);
  r->step_time = 0;
  const int done = run_job(r, &j);
  if (!done) save(c, &j);
  c->end(c, &j, done);
  if (done) say_finished(r, &j);
  keep(c, &j);
  c->finished += done;
  if (done && (now() - r->saved >= c->every || c->finished == c->jobs)) {
    save(c, NULL);
    r->saved = now();
  }
  return done;
}

static runner make_runner(campaign *c) {
  nnp_error err;
  runner r;
  memset(&r, 0, sizeof r);
  r.c = c;
  check(nnp_pool_create(&r.pool, c->threads, &err), &err);
  r.records = need_memory(sizeof(double) * (size_t)(JOB_CHAINS * MOST_STEPS * NNP_STEP_STATISTICS));
  r.began = r.saved = now();
  return r;
}

int campaign_run(campaign *c) {
  checkpoint file;
  const size_t bytes = sizeof(job_result) * (size_t)(c->jobs + 1);
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
  c->results = need_memory(bytes);
  memset(c->results, 0, bytes);
  runner r = make_runner(c);
  int running = load(c, &file), going = 1;
  if (c->finished || running)
    fprintf(stderr, "%s: continues after %lld of %lld\n", c->name, (long long)c->finished,
            (long long)c->jobs);
  r.bar = progress_resume(c->name, c->jobs * SHARES, c->finished * SHARES);
  while (going && c->finished < c->jobs) {
    going = do_job(&r, running ? &file : NULL);
    running = 0;
  }
  progress_end(&r.bar);
  checkpoint_free(&file);
  free(r.records);
  nnp_pool_free(r.pool);
  return going;
}

int64_t campaign_results(const campaign *c) {
  const int begun = c->finished < c->jobs && c->results[c->finished].tables[0].rows > 1;
  return c->finished + begun;
}

void campaign_free(campaign *c) {
  for (int64_t i = 0; c->results && i <= c->jobs; ++i)
    for (int t = 0; t < JOB_TABLES; ++t) table_free(&c->results[i].tables[t]);
  free(c->results);
}
