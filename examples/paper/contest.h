/* Which samplers thermalize, and how soon? A teacher labels random inputs without noise; a chain
 * that starts on it shows the equilibrium; another one, which knows nothing, has to reach it.
 * Every method, noise and data set is a job of a campaign. A race is a job that keeps its series
 * and continues for a while after its verdict. */
#ifndef EXAMPLES_CONTEST_H
#define EXAMPLES_CONTEST_H

#include <stdio.h>

#include "campaign.h"
#include "figure.h"
#include "problem.h"

typedef struct contest_method {
  const char *name, *title;
  int32_t sampler, posterior;
  double speed;  /* steps of Gibbs, or gradients, in the time of a plain Gibbs step, roughly */
  int automatic; /* Gibbs: with all moves, else none but the option below */
  int32_t option;
  double value;
  int annealed;
} contest_method;

enum { CONTEST_NOISES = 16, CONTEST_METHODS = 16 };

typedef struct contest {
  problem_shape shape;
  const contest_method *methods; /* all that there are */
  int use[CONTEST_METHODS];      /* numbers of those that take part */
  int use_count;
  double noises[CONTEST_NOISES];
  int noise_count;
  int64_t seeds, first_seed;
  int64_t budget;      /* steps of plain Gibbs; other methods get the same time */
  int64_t race_budget; /* the same for the race */
  int64_t decade;      /* steps that an annealed start takes for each factor of 10 in noise */
  int race;            /* 1: the methods race on the first data set before everything else */
  int64_t race_seed;
  double race_noise[2]; /* of NNP_INTERMEDIATE, of NNP_CLASSICAL */
  int end_when_stuck;   /* 1: a verdict of not thermalized also ends a run */
  const table *tuning;  /* the paper's settings (columns below); NULL: warm-ups find them */
  int adapt;            /* 1: warm-ups tune HMC even so; MALA's get stuck far from the posterior */
} contest;

/* Columns of the settings. Samplers and posteriors by their place in contest_words. */
enum { TUNED_SAMPLER, TUNED_POSTERIOR, TUNED_NOISE, TUNED_STEP, TUNED_LEAPFROGS, TUNED_STEPS };
enum { TUNING_COLUMNS = TUNED_STEPS + 1 };
extern const char *const contest_words[];
enum { CONTEST_WORDS = 6 };

/* The series of a job, tables[0], which is empty after the end unless it is a race. */
enum { RACE_STEP, RACE_GRADIENTS, RACE_INFORMED, RACE_OTHER, RACE_SECONDS, RACE_COLUMNS };
/* The result of a job, the only row of tables[1]. */
enum {
  RUN_VERDICT, /* counted from NNP_UNDECIDED */
  RUN_TIME,    /* steps until it had thermalized; NaN if it did not */
  RUN_LEVEL,
  RUN_EQUILIBRIUM, /* mean test MSE of the informed chain since it is stationary, or of its last half */
  RUN_RELAXED,     /* 1: the informed chain has become stationary */
  RUN_DISTANCE,
  RUN_STEPS,
  RUN_GRADIENTS,
  RUN_SECONDS,
  RUN_SECONDS_TO, /* until it had thermalized */
  RUN_COLUMNS
};

/* Chooses the methods that take part: a list such as "gibbs,hmc", or NULL for all of them. Returns
 * 0, or -1 if a name is not known. */
int contest_choose(contest *g, int method_count, const char *names);
/* Sets the number of jobs and the hooks of a campaign that runs this contest. */
void contest_campaign(campaign *c, contest *g);

/* What one job runs. */
typedef struct contest_entry {
  int race, method;
  double noise;
  int64_t seed;
} contest_entry;
contest_entry contest_entry_of(const contest *g, int64_t job_number);
/* Returns the row of results of a job, or NULL if it is not finished. */
const double *contest_run(const campaign *c, int64_t job_number);

typedef struct contest_summary {
  int64_t runs, thermalized;
  int64_t relaxed;           /* runs whose informed chain has become stationary */
  double level, level_error; /* mean over data sets of the equilibrium, its standard error */
  double median_steps, median_seconds; /* until they had thermalized; NaN if none has */
} contest_summary;
contest_summary contest_summarize(const campaign *c, int method, double noise);

int same_noise(double a, double b);

/* Columns of paper_thermalized.csv: what the paper's authors found within 5.5 hours. */
enum {
  PAPER_SAMPLER,
  PAPER_POSTERIOR,
  PAPER_NOISE,
  PAPER_RUNS,
  PAPER_THERMALIZED,
  PAPER_LEVEL,
  PAPER_SD, /* over data sets; NaN: not known */
  PAPER_COLUMNS
};
table contest_paper(const figure_options *o);
/* Returns 1 if a row of that table is about this sampler on this posterior. Every variant of Gibbs
 * is compared with the paper's plain one. */
int contest_paper_is(const double *row, const contest_method *m);

/* Write NAME.csv with the runs, and NAME_times.csv with their processor times. */
void contest_write_runs(const campaign *c, const char *name);
void contest_write_times(const campaign *c, const char *name);
/* Writes lines of RESULTS.md: equilibrium and fraction thermalized of every method at every
 * noise. */
void contest_write_levels(FILE *file, const campaign *c, const table *paper);
/* Prints equilibrium and fraction thermalized of every method at every noise. */
void contest_print(const campaign *c, const table *paper);

#endif
