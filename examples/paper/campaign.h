/* Long runs that survive being killed: a list of jobs, each a few chains that run side by side and
 * are looked at on the way. What they have reached is written to a checkpoint at regular intervals.
 * All that is recorded depends on the settings alone, except for times, which have columns of their
 * own. */
#ifndef EXAMPLES_CAMPAIGN_H
#define EXAMPLES_CAMPAIGN_H

#include <nnpost.h>

#include "checkpoint.h"

/* Rows of numbers. */
typedef struct table {
  int64_t columns, rows, room;
  double *values; /* the column is fastest */
} table;

void table_add(table *t, const double *row);
const double *table_row(const table *t, int64_t row);
/* A column, starting at a row, as a new array that the caller frees. */
double *table_column(const table *t, int64_t column, int64_t first_row);
void table_free(table *t);

enum { JOB_CHAINS = 4, JOB_TABLES = 2 };

typedef struct job {
  int64_t number;
  nnp_chain *chains[JOB_CHAINS];
  int chain_count;
  int64_t step, next; /* made by every chain; where they will be looked at */
  double gradients;   /* taken by one chain, on average */
  double seconds;     /* of processor time for one chain, on average */
  double *notes;      /* what else has to survive: note_count numbers */
  int64_t note_count;
  table tables[JOB_TABLES];
  void *parts; /* the job's own, made and freed by begin and end */
} job;

typedef struct job_result {
  table tables[JOB_TABLES];
} job_result;

typedef struct campaign campaign;
struct campaign {
  const char *name, *out; /* the checkpoint is out/name.checkpoint */
  char settings[1024];    /* results depend on nothing else */
  int64_t jobs, threads;
  double every;    /* seconds between checkpoints */
  double deadline; /* seconds after which it stops as if by Ctrl-C; 0: none */
  void *user;
  /* Makes the started chains of job->number, sets the columns of the tables and job->next. */
  void (*begin)(const campaign *c, job *j, nnp_pool *pool);
  /* Looks at the chains, which stand at job->next, and sets the next step to look at. 1: the job is
   * done. */
  int (*look)(const campaign *c, job *j);
  /* Frees what begin made. The tables stay, as it leaves them; a job that was stopped is finished
   * another time. */
  void (*end)(const campaign *c, job *j, int finished);
  double (*share)(const campaign *c, const job *j); /* of the job that is done: 0 ... 1 */
  void (*describe)(const campaign *c, const job *j, char *text, size_t size);
  /* Results; if a job was stopped, its results are the last ones. */
  job_result *results;
  int64_t finished;
};

/* Runs all jobs that are not in the checkpoint. 1: all are done; 0: stopped by Ctrl-C or the
 * deadline, to be continued another time. */
int campaign_run(campaign *c);
/* Results that are there: the last one may be of a job that was stopped. */
int64_t campaign_results(const campaign *c);
void campaign_free(campaign *c);

/* Every step at first, then about `density` looks each time the run grows by a factor e. */
int64_t next_look(int64_t step, int64_t density);

#endif
