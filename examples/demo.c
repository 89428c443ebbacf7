/* Does a chain that knows nothing find the posterior? A teacher network labels random inputs;
 * chains from different starts learn them. The one that starts at the teacher shows where the
 * posterior is. Prints a table and a verdict, writes the test errors as a picture and a table. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <nnpost.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot.h"
#include "problem.h"
#include "progress.h"
#include "series.h"
#include "support.h"

enum { CHAINS = 4, LAYERS = 3 };

static const problem_shape shape = {10, 5, 500, 1000, 4.64e-3};

typedef struct options {
  int64_t steps, threads;
  uint64_t seed;
  const char *out;
} options;

/* The starts to compare; the first is the reference. */
typedef enum start { INFORMED, ZERO, PRIOR } start;

static const struct {
  const char *name;
  start kind;
} starts[CHAINS] = {
    {"informed", INFORMED}, {"zero", ZERO}, {"random 1", PRIOR}, {"random 2", PRIOR}};

typedef struct experiment {
  problem task;
  nnp_pool *pool;
  nnp_chain *chains[CHAINS];
  series test_mse;
  int64_t done; /* steps of every chain */
  double seconds;
} experiment;

/* ---- Ctrl-C: stop, and show what there is ------------------------------------------------ */

static volatile sig_atomic_t interrupted = 0;

static void on_interrupt(int number) {
  interrupted = 1;
  signal(number, SIG_DFL); /* the second one ends the program */
}

static int32_t stop_if_interrupted(const nnp_progress *now, void *user) {
  (void)now;
  (void)user;
  return interrupted;
}

/* ---- The experiment ---------------------------------------------------------------------- */

static void start_chain(nnp_chain *chain, int number, const problem *task, uint64_t seed) {
  nnp_error err;
  const uint64_t stream = (uint64_t)number;
  int32_t status = NNP_OK;
  switch (starts[number].kind) {
    case INFORMED:
      status = nnp_chain_start_weights(chain, task->teacher, 1, seed, stream, &err);
      break;
    case ZERO:
      status = nnp_chain_start(chain, NNP_START_ZERO, seed, stream, &err);
      break;
    case PRIOR:
      status = nnp_chain_start(chain, NNP_START_PRIOR, seed, stream, &err);
      break;
  }
  check(status, &err);
}

static experiment set_up(const options *opt) {
  nnp_error err;
  experiment e;
  memset(&e, 0, sizeof e);
  e.task = problem_create(shape, opt->seed);
  check(nnp_pool_create(&e.pool, opt->threads, &err), &err);
  for (int c = 0; c < CHAINS; ++c) {
    check(
        nnp_chain_create(&e.chains[c], e.task.net, e.task.train, NNP_GIBBS, NNP_INTERMEDIATE, &err),
        &err);
    check(nnp_chain_use_pool(e.chains[c], e.pool, &err), &err);
    start_chain(e.chains[c], c, &e.task, opt->seed);
  }
  e.test_mse = series_create(CHAINS, series_records(opt->steps));
  return e;
}

static void record(experiment *e) {
  nnp_error err;
  double mse[CHAINS];
  for (int c = 0; c < CHAINS; ++c)
    check(nnp_chain_score(e->chains[c], e->task.test, NNP_SCORE_MSE, &mse[c], &err), &err);
  series_add(&e->test_mse, (double)e->done, mse);
}

static void run(experiment *e, int64_t steps) {
  nnp_error err;
  progress bar = progress_begin("sampling", CHAINS * steps);
  while (e->done < steps && !interrupted) {
    const int64_t next = series_next_step(e->done, steps);
    const int32_t status =
        nnp_chains_run(e->chains, CHAINS, next - e->done, stop_if_interrupted, NULL, &err);
    if (status == NNP_STOPPED) break; /* in the middle of a stretch: chains are not in step */
    check(status, &err);
    e->done = next;
    record(e);
    progress_update(&bar, CHAINS * e->done);
  }
  e->seconds = progress_end(&bar);
}

static void tear_down(experiment *e) {
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(e->chains[c]);
  series_free(&e->test_mse);
  nnp_pool_free(e->pool);
  problem_free(&e->task);
}

/* ---- What came of it --------------------------------------------------------------------- */

/* Of one chain. Statistics are those of the test MSE over the second half of the run. */
typedef struct summary {
  double mean, error; /* the latter takes the correlation along the chain into account */
  double ess;         /* effective number of draws */
  double rhat;        /* together with the informed chain: 1 if they are at the same level */
  double log_density; /* this and the next: of the last state */
  double
      residuals[LAYERS]; /* mean square of U_k - f_k over D_k: about 1, or less where overfitted */
  nnp_verdict verdict;   /* not of the informed chain */
} summary;

static void summarize_density(experiment *e, int c, summary *s) {
  nnp_error err;
  double squares[LAYERS];
  check(nnp_chain_log_density(e->chains[c], &s->log_density, &err), &err);
  check(nnp_chain_terms(e->chains[c], NULL, NULL, squares, &err), &err);
  for (int64_t k = 1; k <= LAYERS; ++k) {
    int64_t site[3];
    double noise;
    check(nnp_net_shape(e->task.net, k, site, &err), &err);
    check(nnp_net_get(e->task.net, k, NNP_NOISE, &noise, &err), &err);
    const double elements = (double)(shape.train_rows * site[0] * site[1] * site[2]);
    s->residuals[k - 1] = squares[k - 1] / (elements * noise);
  }
}

static void judge(const experiment *e, summary all[CHAINS]) {
  nnp_error err;
  size_t bytes;
  nnp_series test_mse[CHAINS];
  nnp_verdict verdicts[CHAINS - 1];
  for (int c = 0; c < CHAINS; ++c) test_mse[c] = series_of_chain(&e->test_mse, c);
  check(nnp_thermalization_bytes(&bytes, &err), &err);
  void *memory = need_memory(bytes);
  check(nnp_thermalization(&test_mse[0], test_mse + 1, CHAINS - 1, NULL, verdicts, memory, bytes,
                           &err),
        &err);
  free(memory);
  for (int c = 1; c < CHAINS; ++c) all[c].verdict = verdicts[c - 1];
}

static void summarize(experiment *e, summary all[CHAINS]) {
  memset(all, 0, CHAINS * sizeof *all);
  for (int c = 0; c < CHAINS; ++c) {
    all[c].mean = series_statistic(&e->test_mse, c, c, NNP_STAT_MEAN);
    all[c].error = series_statistic(&e->test_mse, c, c, NNP_STAT_MCSE_MEAN);
    all[c].ess = series_statistic(&e->test_mse, c, c, NNP_STAT_ESS_BULK);
    all[c].rhat = series_statistic(&e->test_mse, 0, c, NNP_STAT_RHAT);
    summarize_density(e, c, &all[c]);
  }
  judge(e, all);
}

static void print_problem(const options *opt) {
  printf("A teacher %lld -> %lld relu -> 1 with biases, noise D = %g, labels without noise.\n",
         (long long)shape.inputs, (long long)shape.hidden, shape.noise);
  printf("%lld training rows, %lld test rows, %lld steps of %d Gibbs chains on %lld threads.\n\n",
         (long long)shape.train_rows, (long long)shape.test_rows, (long long)opt->steps, CHAINS,
         (long long)opt->threads);
}

/* A number in a column, or a dash where there is none. */
static void print_cell(const char *format, int width, double value) {
  char text[32] = "-";
  if (!isnan(value)) snprintf(text, sizeof text, format, value);
  printf(" %*s", width, text);
}

static void print_row(const char *name, const summary *s) {
  printf("%-10s", name);
  print_cell("%.3e", 10, s->mean);
  print_cell("%.1e", 8, s->error);
  print_cell("%.0f", 6, s->ess);
  print_cell("%.3f", 7, s->rhat);
  print_cell("%.0f", 12, s->log_density);
  for (int k = 0; k < LAYERS; ++k) print_cell("%.3f", 7, s->residuals[k]);
  printf("\n");
}

static void print_table(const experiment *e, const summary *all) {
  printf("%-10s %10s %8s %6s %7s %12s %23s\n", "start", "test MSE", "+-", "ESS", "R-hat",
         "log density", "residual/D by layer");
  for (int c = 0; c < CHAINS; ++c) print_row(starts[c].name, &all[c]);
  printf(
      "\ntest MSE, +-, ESS: mean over the second half of the run, its standard error, effective\n"
      "draws; R-hat: of it and the informed chain. log density, residual/D: of the last state.\n");
  printf("%lld steps of each chain in %.1f s: %.0f steps/s in all.\n\n", (long long)e->done,
         e->seconds, (double)(CHAINS * e->done) / e->seconds);
}

static void print_verdicts(const summary *all) {
  nnp_error err;
  char text[160];
  for (int c = 1; c < CHAINS; ++c) {
    check(nnp_verdict_text(&all[c].verdict, text, sizeof text, &err), &err);
    printf("Verdict on %s: %s\n", starts[c].name, text);
  }
}

/* ---- Files ------------------------------------------------------------------------------- */

static void complain(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(1);
}

static void write_picture(const experiment *e, const summary *all, const char *path) {
  series thin = series_thinned(&e->test_mse, 60);
  plot_curve curves[CHAINS];
  plot_mark marks[CHAINS];
  int mark_count = 0;
  for (int c = 0; c < CHAINS; ++c) {
    const plot_curve curve = {starts[c].name, thin.step, thin.value + thin.room * c, thin.count};
    const plot_mark mark = {all[c].verdict.time, c};
    curves[c] = curve;
    if (all[c].verdict.verdict == NNP_THERMALIZED) marks[mark_count++] = mark;
  }
  const plot picture = {
      .title = "Test error of Gibbs chains from four starts",
      .x_label = "Gibbs steps",
      .y_label = "test mean squared error",
      .curves = curves,
      .curve_count = CHAINS,
      .marks = marks,
      .mark_count = mark_count,
      .mark_label = "thermalized",
  };
  if (plot_write_svg(path, &picture) != 0) complain(path);
  series_free(&thin);
}

static void write_table(const experiment *e, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) complain(path);
  fputs("step", file);
  for (int c = 0; c < CHAINS; ++c) fprintf(file, ",%s", starts[c].name);
  fputc('\n', file);
  const series *mse = &e->test_mse;
  for (int64_t i = 0; i < mse->count; ++i) {
    fprintf(file, "%.0f", mse->step[i]);
    for (int c = 0; c < CHAINS; ++c) fprintf(file, ",%.9g", mse->value[i + mse->room * c]);
    fputc('\n', file);
  }
  if (fclose(file) != 0) complain(path);
}

static void write_files(const experiment *e, const summary *all, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/demo.svg", folder);
  write_picture(e, all, path);
  printf("\nwrote %s", path);
  snprintf(path, sizeof path, "%s/demo.csv", folder);
  write_table(e, path);
  printf(" and %s\n", path);
}

/* ---- The command line -------------------------------------------------------------------- */

static const char usage[] =
    "usage: demo [--steps N] [--threads N] [--seed N] [--out FOLDER]\n"
    "Samples the posterior of a small network from four starts; writes demo.svg and demo.csv.\n"
    "Ctrl-C ends the run early and shows what there is.\n";

static int64_t whole_number(const char *name, const char *text, int64_t low) {
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && value >= low) return value;
  fprintf(stderr, "%s %s: expected a whole number from %lld\n%s", name, text, (long long)low,
          usage);
  exit(2);
}

static options read_options(int argc, char **argv) {
  options opt = {100000, 2, 2, "out"};
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(name, "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    } else if (strcmp(name, "--steps") == 0) {
      opt.steps = whole_number(name, value, 1);
    } else if (strcmp(name, "--threads") == 0) {
      opt.threads = whole_number(name, value, 1);
    } else if (strcmp(name, "--seed") == 0) {
      opt.seed = (uint64_t)whole_number(name, value, 0);
    } else if (strcmp(name, "--out") == 0 && *value) {
      opt.out = value;
    } else {
      fprintf(stderr, "%s: not understood\n%s", name, usage);
      exit(2);
    }
  }
  return opt;
}

int main(int argc, char **argv) {
  const options opt = read_options(argc, argv);
  summary all[CHAINS];
  if (mkdir(opt.out, 0777) != 0 && errno != EEXIST) complain(opt.out);
  signal(SIGINT, on_interrupt);
  experiment e = set_up(&opt);
  print_problem(&opt);
  run(&e, opt.steps);
  if (e.done == 0) {
    fputs("interrupted before the first step\n", stderr);
    tear_down(&e);
    return 1;
  }
  summarize(&e, all);
  print_table(&e, all);
  print_verdicts(all);
  write_files(&e, all, opt.out);
  tear_down(&e);
  return 0;
}
