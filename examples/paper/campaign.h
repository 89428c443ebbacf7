/* Long runs that survive being killed: a list of jobs, each of a few chains that run side by side
 * and are examined at intervals. Their state is written to a checkpoint regularly. Everything
 * recorded depends on the settings alone, except for times, which have columns of their own. */
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
/* Copies a column, from a row on, to a new array that the caller frees. */
double *table_column(const table *t, int64_t column, int64_t first_row);
void table_free(table *t);

enum { JOB_CHAINS = 4, JOB_TABLES = 2 };

typedef struct job {
  int64_t number;
  nnp_chain *chains[JOB_CHAINS];
  int chain_count;
  int64_t step, next; /* made by every chain; where chains are examined next */
  double gradients;   /* taken by one chain, on average */
  double seconds;     /* of processor time for one chain, on average */
  double *notes;      /* more state that is saved: note_count numbers */
  int64_t note_count;
  table tables[JOB_TABLES];
  void *parts; /* private to the job; created by begin, freed by end */
} job;

typedef struct job_result {
  table tables[JOB_TABLES];
} job_result;

typedef struct campaign campaign;
struct campaign {
  const char *name, *out; /* the checkpoint is out/name.checkpoint */
  char settings[1024];    /* everything that results depend on */
  int64_t jobs, threads;
  double every;    /* seconds between checkpoints */
  double deadline; /* seconds after which it stops as after Ctrl-C; 0: none */
  void *user;
  /* Creates and starts the chains of job->number, sets the columns of the tables and job->next. */
  void (*begin)(const campaign *c, job *j, nnp_pool *pool);
  /* Examines the chains, which are at step job->next, and sets the next one. Returns 1 when the job
   * is done. */
  int (*look)(const campaign *c, job *j);
  /* Frees what begin made. The tables stay, as it leaves them; a job that was stopped is finished
   * another time. */
  void (*end)(const campaign *c, job *j, int finished);
  double (*share)(const campaign *c, const job *j); /* fraction of the job that is done, 0 to 1 */
  void (*describe)(const campaign *c, const job *j, char *text, size_t size);
  /* Results; the last ones are of a stopped job, if there is one. */
  job_result *results;
  int64_t finished;
};

/* Runs all jobs that are not in the checkpoint. Returns 1 when all are done, 0 if it was stopped by
 * Ctrl-C or the deadline and can be continued. */
int campaign_run(campaign *c);
/* How many results there are; the last one may be of a stopped job. */
int64_t campaign_results(const campaign *c);
void campaign_free(campaign *c);

/* Returns the next step to examine: every step at first, then about `density` of them for each
 * growth of the run by a factor e. */
int64_t next_look(int64_t step, int64_t density);

#endif
