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

static const problem_shape shape = {10, 5, 500, 1000, 1e-3};

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
  series test_mse[CHAINS];
  int64_t done; /* steps of every chain */
  double seconds;
} experiment;

/* ---- Ctrl-C: stop, and show what there is ------------------------------------------------------ */

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

/* ---- The experiment ---------------------------------------------------------------------------- */

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
    e.test_mse[c] = series_create(series_records(opt->steps));
  }
  return e;
}

static void record(experiment *e) {
  nnp_error err;
  double mse;
  for (int c = 0; c < CHAINS; ++c) {
    check(nnp_chain_score(e->chains[c], e->task.test, NNP_SCORE_MSE, &mse, &err), &err);
    series_add(&e->test_mse[c], (double)e->done, mse);
  }
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
  for (int c = 0; c < CHAINS; ++c) {
    nnp_chain_free(e->chains[c]);
    series_free(&e->test_mse[c]);
  }
  nnp_pool_free(e->pool);
  problem_free(&e->task);
}

/* ---- What came of it --------------------------------------------------------------------------- */

/* The first record of the second half of the run. */
static int64_t middle(const series *s) {
  int64_t i = 0;
  while (i < s->count && s->step[i] < 0.5 * s->step[s->count - 1]) ++i;
  return i;
}

typedef struct summary {
  level late;      /* test MSE over the second half */
  double drift;    /* last quarter against the third, in standard errors */
  double distance; /* from the informed chain's level, in standard errors */
  double log_density;
  double residuals[LAYERS]; /* mean square of U_k - f_k over D_k: about 1 in equilibrium */
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

static level late_level(const series *s) {
  return series_level(s, middle(s), s->count);
}

static summary summarize(experiment *e, int c) {
  summary s;
  const series *mse = &e->test_mse[c];
  const int64_t half = middle(mse), quarter = (half + mse->count) / 2;
  const level third = series_level(mse, half, quarter);
  const level last = series_level(mse, quarter, mse->count);
  s.late = late_level(mse);
  s.drift = level_distance(last, third);
  s.distance = c == 0 ? NAN : level_distance(s.late, late_level(&e->test_mse[0]));
  summarize_density(e, c, &s);
  return s;
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
  print_cell("%.3e", 10, s->late.mean);
  print_cell("%.1e", 8, s->late.error);
  print_cell("%.1f", 6, s->drift);
  print_cell("%.1f", 6, s->distance);
  print_cell("%.0f", 12, s->log_density);
  for (int k = 0; k < LAYERS; ++k) print_cell("%.3f", 7, s->residuals[k]);
  printf("\n");
}

static void print_table(const experiment *e, const summary *all) {
  printf("%-10s %10s %8s %6s %6s %12s %23s\n", "start", "test MSE", "+-", "drift", "apart",
         "log density", "residual/D by layer");
  for (int c = 0; c < CHAINS; ++c) print_row(starts[c].name, &all[c]);
  printf(
      "\ntest MSE, +-: mean over the second half of the run, its standard error\n"
      "drift:        last quarter less third quarter, in standard errors\n"
      "apart:        from the informed chain, in standard errors\n"
      "log density, residual/D: of the last state; residuals per latent, 1 expected of noise\n\n");
  printf("%lld steps of each chain in %.1f s: %.0f steps/s in all.\n\n", (long long)e->done,
         e->seconds, (double)(CHAINS * e->done) / e->seconds);
}

/* A difference of levels that chance explains. */
static int agrees(double distance) {
  return fabs(distance) < 3;
}

static void print_verdict(const summary *all) {
  if (isnan(all[0].drift)) {
    printf("Verdict: none, the run is too short.\n");
    return;
  }
  if (!agrees(all[0].drift))
    printf("The informed chain itself still drifts: a longer run is needed to judge.\n");
  for (int c = 1; c < CHAINS; ++c) {
    const double ratio = all[c].late.mean / all[0].late.mean;
    if (!agrees(all[c].distance))
      printf(
          "Verdict: %s has not thermalized: its test MSE is %.3g times that of the informed "
          "chain.\n",
          starts[c].name, ratio);
    else if (!agrees(all[c].drift))
      printf("Verdict: %s is at the level of the informed chain but still drifts: run longer.\n",
             starts[c].name);
    else
      printf("Verdict: %s has thermalized as far as the test MSE can tell.\n", starts[c].name);
  }
}

/* ---- Files ------------------------------------------------------------------------------------- */

static void complain(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(1);
}

static void write_picture(const experiment *e, const summary *all, const char *path) {
  series thin[CHAINS];
  plot_curve curves[CHAINS];
  plot_mark marks[CHAINS];
  int mark_count = 0;
  const double reached = all[0].late.mean + 2 * all[0].late.spread;
  for (int c = 0; c < CHAINS; ++c) {
    thin[c] = series_thinned(&e->test_mse[c], 60);
    const plot_curve curve = {starts[c].name, thin[c].step, thin[c].value, thin[c].count};
    curves[c] = curve;
    if (c == 0 || !agrees(all[c].distance)) continue;
    const plot_mark mark = {series_first_below(&e->test_mse[c], reached), c};
    marks[mark_count++] = mark;
  }
  const plot picture = {
      .title = "Test error of Gibbs chains from four starts",
      .x_label = "Gibbs steps",
      .y_label = "test mean squared error",
      .curves = curves,
      .curve_count = CHAINS,
      .marks = marks,
      .mark_count = mark_count,
      .mark_label = "at the informed level",
  };
  if (plot_write_svg(path, &picture) != 0) complain(path);
  for (int c = 0; c < CHAINS; ++c) series_free(&thin[c]);
}

static void write_table(const experiment *e, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) complain(path);
  fputs("step", file);
  for (int c = 0; c < CHAINS; ++c) fprintf(file, ",%s", starts[c].name);
  fputc('\n', file);
  for (int64_t i = 0; i < e->test_mse[0].count; ++i) {
    fprintf(file, "%.0f", e->test_mse[0].step[i]);
    for (int c = 0; c < CHAINS; ++c) fprintf(file, ",%.9g", e->test_mse[c].value[i]);
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

/* ---- The command line -------------------------------------------------------------------------- */

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
  options opt = {150000, 2, 1, "out"};
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
  for (int c = 0; c < CHAINS; ++c) all[c] = summarize(&e, c);
  print_table(&e, all);
  print_verdict(all);
  write_files(&e, all, opt.out);
  tear_down(&e);
  return 0;
}
