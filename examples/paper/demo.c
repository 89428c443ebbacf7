/* Has it thermalized? The paper's figure 1 on a small scale. A teacher network labels random inputs
 * with noise, so that one draw from the posterior is known: the teacher. A chain that starts there
 * shows where all others should end. Four criteria look at chains that start elsewhere; only the
 * teacher-student one cannot be fooled by chains that are stuck. Prints a table and verdicts,
 * writes a picture and the series it shows. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <nnpost_study.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot.h"
#include "problem.h"
#include "progress.h"
#include "support.h"

static const problem_shape shape = {8, 4, 500, 200, 5e-4};

enum { CAPACITY = 8192, BLOCKS = 50 };

typedef struct options {
  int64_t steps, threads;
  uint64_t seed;
  const char *out;
} options;

enum { INFORMED, ZERO, RANDOM_1, RANDOM_2, ZERO_MOVES, CHAINS };

static const char *const names[CHAINS] = {"informed", "zero", "random 1", "random 2", "zero+"};
/* Numbers of chains, which together with the seed determine all their random numbers. Starts 3, 4
 * and 6 of seed 2 were picked: the first, from zero, merges; the others get stuck at the same
 * place, as the paper warns. */
static const uint64_t numbers[CHAINS] = {0, 3, 4, 6, 2};

typedef struct experiment {
  problem task;
  nnp_pool *pool;
  nnp_chain *chains[CHAINS];
  nnp_study *study;
} experiment;

/* ---- Ctrl-C: stop, and show the results so far --------------------------------------------- */

static volatile sig_atomic_t interrupted = 0;

static void on_interrupt(int number) {
  interrupted = 1;
  signal(number, SIG_DFL); /* the second one ends the program */
}

/* ---- The experiment ---------------------------------------------------------------------- */

static void start_chain(const experiment *e, int number, uint64_t seed) {
  nnp_error err;
  nnp_chain *chain = e->chains[number];
  const uint64_t stream = numbers[number];
  if (number == INFORMED)
    check(nnp_chain_start_teacher(chain, e->task.teacher, e->task.sites, seed, stream, &err), &err);
  else if (number == RANDOM_1 || number == RANDOM_2)
    check(nnp_chain_start(chain, NNP_START_PRIOR, seed, stream, &err), &err);
  else
    check(nnp_chain_start(chain, NNP_START_ZERO, seed, stream, &err), &err);
}

/* The paper compares plain Gibbs chains. The last one has what the library adds to them. */
static void choose_moves(nnp_chain *chain, int number) {
  nnp_error err;
  const double moves = number == ZERO_MOVES ? NNP_MOVES_AUTOMATIC : NNP_MOVES_PLAIN;
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, moves, &err), &err);
}

static void set_up_study(experiment *e, int64_t steps) {
  nnp_error err;
  check(nnp_study_create(&e->study, e->chains, CHAINS, e->task.test, CAPACITY, &err), &err);
  check(nnp_study_set(e->study, NNP_STUDY_STEPS, (double)steps, &err), &err);
  const double block = 50, every = floor((double)steps / (BLOCKS * block));
  check(nnp_study_set(e->study, NNP_STUDY_RHAT_BLOCK, block, &err), &err);
  check(nnp_study_set(e->study, NNP_STUDY_RHAT_EVERY, every < 1 ? 1 : every, &err), &err);
  /* Without a teacher there is no informed chain: R-hat of the random ones is that of both. */
  check(nnp_study_partner(e->study, RANDOM_1, RANDOM_2, &err), &err);
  check(nnp_study_partner(e->study, RANDOM_2, RANDOM_1, &err), &err);
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
    choose_moves(e.chains[c], c);
    start_chain(&e, c, opt->seed);
  }
  set_up_study(&e, opt->steps);
  return e;
}

static int32_t show_progress(const nnp_study *study, const nnp_study_progress *state, void *user) {
  (void)study;
  char found[40];
  snprintf(found, sizeof found, "%lld of %d verdicts", (long long)state->decided, CHAINS - 1);
  progress_update(user, CHAINS * state->steps, found);
  return interrupted;
}

static void run(experiment *e, int64_t steps) {
  nnp_error err;
  progress bar = progress_begin("sampling", CHAINS * steps);
  const int32_t status = nnp_study_run(e->study, show_progress, &bar, &err);
  progress_end(&bar);
  if (status != NNP_STOPPED) check(status, &err);
}

static void tear_down(experiment *e) {
  nnp_study_free(e->study);
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(e->chains[c]);
  nnp_pool_free(e->pool);
  problem_free(&e->task);
}

static nnp_criteria_times report(const experiment *e, int chain) {
  nnp_error err;
  nnp_criteria_times times;
  check(nnp_study_report(e->study, chain, &times, &err), &err);
  return times;
}

static nnp_series series(const experiment *e, int chain, int32_t which) {
  nnp_error err;
  nnp_series out;
  check(nnp_study_series(e->study, chain, which, &out, &err), &err);
  return out;
}

/* ---- Results ------------------------------------------------------------------------------ */

static void print_problem(const options *opt) {
  printf("A teacher %lld -> %lld relu -> 1 with biases, noise D = %g in every layer.\n",
         (long long)shape.inputs, (long long)shape.hidden, shape.noise);
  printf("%lld training rows, %lld test rows; up to %lld steps of %d Gibbs chains, %lld threads.\n",
         (long long)shape.train_rows, (long long)shape.test_rows, (long long)opt->steps, CHAINS,
         (long long)opt->threads);
  printf("zero+ is zero with the extra moves of the library.\n\n");
}

/* Prints a time in a column, or a dash if there is none. */
static void print_time(double time) {
  char text[32] = "-";
  if (!isnan(time)) snprintf(text, sizeof text, "%.0f", time);
  printf(" %15s", text);
}

static void print_table(const experiment *e) {
  nnp_error err;
  nnp_study_progress state;
  check(nnp_study_state(e->study, &state, &err), &err);
  printf("Steps until thermalized, by each criterion:\n\n");
  printf("%-10s %15s %15s %15s %15s\n", "start", "teacher-student", "stationarity", "R-hat",
         "gradient U");
  for (int c = 1; c < CHAINS; ++c) {
    const nnp_criteria_times times = report(e, c);
    printf("%-10s", names[c]);
    print_time(times.teacher_student);
    print_time(times.stationarity);
    print_time(times.rhat);
    print_time(times.gradient);
    printf("\n");
  }
  printf(
      "\nTeacher-student: merged for good with the informed chain. Stationarity: of the test MSE.\n"
      "R-hat: of the outputs with the informed chain (of the random chains: with each other).\n"
      "U: the gradient of the log density, averaged over the weights of layer 1, begins to "
      "fluctuate about zero.\n\n");
  printf("%lld steps of each chain in %.1f s: %.0f steps/s in all.\n\n", (long long)state.steps,
         state.seconds, CHAINS * (double)state.steps / state.seconds);
}

static const char *verdict_text(const experiment *e, int chain, char text[160]) {
  nnp_error err;
  const nnp_criteria_times times = report(e, chain);
  check(nnp_verdict_text(&times.verdict, text, 160, &err), &err);
  return text;
}

static void print_verdicts(const experiment *e) {
  char text[160];
  for (int c = 1; c < CHAINS; ++c) printf("%-10s %s\n", names[c], verdict_text(e, c, text));
}

/* ---- Files ------------------------------------------------------------------------------- */

static void complain(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(1);
}

enum { ROW_MSE, ROW_RHAT, ROW_GRADIENT, ROWS };

static plot_curve curve(const experiment *e, int chain, int32_t which, const char *label,
                        plot_style style) {
  const nnp_series s = series(e, chain, which);
  const plot_curve made = {label, s.times, s.values, s.count, style};
  return made;
}

static const plot_key keys[4] = {{'T', "teacher-student: merged with the informed chain"},
                                 {'S', "stationary test MSE"},
                                 {'R', "R-hat near 1"},
                                 {'U', "gradient about zero"}};

/* Writes the verdict on a chain in a few words. */
static const char *brief(const experiment *e, int chain, char text[50]) {
  const nnp_verdict v = report(e, chain).verdict;
  if (v.verdict == NNP_THERMALIZED)
    snprintf(text, 50, "thermalized after %.0f steps", v.time);
  else if (v.verdict == NNP_NOT_THERMALIZED)
    snprintf(text, 50, "not thermalized, %.1f sd away", fabs(v.distance));
  else
    snprintf(text, 50, "undecided, run longer");
  return text;
}

/* Times before the first step are drawn at the first step: the axis is logarithmic. */
static double on_axis(double time) {
  return time < 1 ? 1 : time;
}

/* Adds a circle for each criterion. R-hat is that of both random chains: one circle for the two. */
static int add_marks(const experiment *e, int chain, plot_style style, plot_mark *marks) {
  const nnp_criteria_times t = report(e, chain);
  const double rhat = chain == RANDOM_2 ? NAN : t.rhat;
  const plot_style rhat_style = chain == RANDOM_1 ? PLOT_BOTH : style;
  const plot_mark all[4] = {{on_axis(t.teacher_student), 'T', ROW_MSE, style},
                            {on_axis(t.stationarity), 'S', ROW_MSE, style},
                            {on_axis(rhat), 'R', ROW_RHAT, rhat_style},
                            {on_axis(t.gradient), 'U', ROW_GRADIENT, style}};
  memcpy(marks, all, sizeof all);
  return 4;
}

/* A panel and what it refers to. */
typedef struct parts {
  plot_curve mse[3], rhat[1], gradient[2];
  plot_mark marks[8];
  char note[120];
  plot_panel panel;
} parts;

static void draw_left(const experiment *e, parts *p) {
  char verdict[50];
  p->mse[0] = curve(e, INFORMED, NNP_SERIES_TEST, "informed", PLOT_REFERENCE);
  p->mse[1] = curve(e, ZERO, NNP_SERIES_TEST, "from zero", PLOT_FIRST);
  p->rhat[0] = curve(e, ZERO, NNP_SERIES_RHAT, "zero and informed", PLOT_FIRST);
  p->gradient[0] = curve(e, ZERO, NNP_SERIES_GRADIENT, NULL, PLOT_FIRST);
  const int marks = add_marks(e, ZERO, PLOT_FIRST, p->marks);
  snprintf(p->note, sizeof p->note, "Verdict: %s", brief(e, ZERO, verdict));
  const plot_panel panel = {"A chain started at zero",
                            p->note,
                            {{p->mse, 2}, {p->rhat, 1}, {p->gradient, 1}, {NULL, 0}},
                            p->marks,
                            marks};
  p->panel = panel;
}

static void draw_right(const experiment *e, parts *p) {
  char first[50], second[50];
  p->mse[0] = curve(e, INFORMED, NNP_SERIES_TEST, "informed", PLOT_REFERENCE);
  p->mse[1] = curve(e, RANDOM_1, NNP_SERIES_TEST, "random 1", PLOT_FIRST);
  p->mse[2] = curve(e, RANDOM_2, NNP_SERIES_TEST, "random 2", PLOT_SECOND);
  p->rhat[0] = curve(e, RANDOM_1, NNP_SERIES_RHAT, "random 1 and 2", PLOT_BOTH);
  p->gradient[0] = curve(e, RANDOM_1, NNP_SERIES_GRADIENT, NULL, PLOT_FIRST);
  p->gradient[1] = curve(e, RANDOM_2, NNP_SERIES_GRADIENT, NULL, PLOT_SECOND);
  int marks = add_marks(e, RANDOM_1, PLOT_FIRST, p->marks);
  marks += add_marks(e, RANDOM_2, PLOT_SECOND, p->marks + marks);
  snprintf(p->note, sizeof p->note, "Verdicts: %s; %s", brief(e, RANDOM_1, first),
           brief(e, RANDOM_2, second));
  const plot_panel panel = {"Two chains started at random",
                            p->note,
                            {{p->mse, 3}, {p->rhat, 1}, {p->gradient, 2}, {NULL, 0}},
                            p->marks,
                            marks};
  p->panel = panel;
}

static void write_picture(const experiment *e, const char *path) {
  const plot_row rows[ROWS] = {
      {"test MSE", 250, 1, 1, NAN, 0}, {"R-hat", 105, 1, 0, 1, 1}, {"gradient U", 85, 0, 0, 0, 0}};
  parts left, right;
  draw_left(e, &left);
  draw_right(e, &right);
  const plot_panel panels[2] = {left.panel, right.panel};
  const plot picture = {
      .rows = rows,
      .row_count = ROWS,
      .panels = panels,
      .panel_count = 2,
      .x_label = "Gibbs steps",
      .marks_label = "Thermalized according to",
      .keys = keys,
      .key_count = 4,
  };
  if (plot_write_svg(path, &picture) != 0) complain(path);
}

static void write_series(FILE *file, const experiment *e, int chain, int32_t which,
                         const char *what) {
  const nnp_series s = series(e, chain, which);
  for (int64_t i = 0; i < s.count; ++i)
    fprintf(file, "%s,%s,%.9g,%.9g\n", names[chain], what, s.times[i], s.values[i]);
}

static void write_table(const experiment *e, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) complain(path);
  fputs("start,quantity,step,value\n", file);
  for (int c = 0; c < CHAINS; ++c) {
    write_series(file, e, c, NNP_SERIES_TEST, "test_mse");
    write_series(file, e, c, NNP_SERIES_GRADIENT, "gradient");
    if (c > 0) write_series(file, e, c, NNP_SERIES_RHAT, "rhat");
  }
  if (fclose(file) != 0) complain(path);
}

static void write_files(const experiment *e, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/demo.svg", folder);
  write_picture(e, path);
  printf("\nwrote %s", path);
  snprintf(path, sizeof path, "%s/demo.csv", folder);
  write_table(e, path);
  printf(" and %s\n", path);
}

/* ---- The command line -------------------------------------------------------------------- */

static const char usage[] =
    "usage: demo [--steps N] [--threads N] [--seed N] [--out FOLDER]\n"
    "Chains from five starts on a teacher-student problem; writes demo.svg and demo.csv. Ends "
    "when\n"
    "all verdicts are in. Ctrl-C ends it early and shows the results so far.\n";

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
  options opt = {60000, 2, 2, "out"};
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
  if (mkdir(opt.out, 0777) != 0 && errno != EEXIST) complain(opt.out);
  signal(SIGINT, on_interrupt);
  experiment e = set_up(&opt);
  print_problem(&opt);
  run(&e, opt.steps);
  if (series(&e, ZERO, NNP_SERIES_TEST).count < 2) {
    fputs("interrupted before the first step\n", stderr);
    tear_down(&e);
    return 1;
  }
  print_table(&e);
  print_verdicts(&e);
  write_files(&e, opt.out);
  tear_down(&e);
  return 0;
}
