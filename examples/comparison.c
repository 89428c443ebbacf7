/* Which moves make a Gibbs chain thermalize, and how soon? A teacher labels random inputs without
 * noise; a chain started on it shows the equilibrium, and another one, from zero or cooled, has to
 * get there. Plain Gibbs, each of the library's extra moves and all of them together, over several
 * noises and data sets: the fraction that thermalized and the median of the steps it took, as a
 * table and a picture. Finished runs are kept in a file; what is there is not run again. */
#include <errno.h>
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "plot.h"
#include "problem.h"
#include "support.h"

enum { CAPACITY = 2048, MOST_NOISES = 16, MOST_RUNS = 20000 };

/* ---- Methods ----------------------------------------------------------------------------- */

enum { PLAIN, RELAXED, UNITS, DRAWS, SCALES, COOLED, ALL_ZERO, ALL, METHODS };

typedef struct method {
  const char *name, *meaning;
  int32_t option; /* the one move that is on, or 0 */
  double value;
  int automatic, cooled;
} method;

static const method methods[METHODS] = {
    {"plain", "plain Gibbs from zero, as in the paper", 0, 0, 0, 0},
    {"relaxed", "over-relaxed by -0.98", NNP_OPTION_RELAX, -0.98, 0, 0},
    {"units", "with moves of units", NNP_OPTION_UNIT_MOVES, 1, 0, 0},
    {"draws", "with draws of units", NNP_OPTION_UNIT_DRAWS, 2, 0, 0},
    {"scales", "with moves of scales", NNP_OPTION_SCALE_MOVES, 1, 0, 0},
    {"cooled", "plain Gibbs, cooled", 0, 0, 0, 1},
    {"zero", "all moves, from zero", 0, 0, 1, 0},
    {"all", "all moves, cooled: the default sampler with a cooled start", 0, 0, 1, 1},
};

/* What the paper's authors found for 50 -> 10 relu -> 1 and 2084 rows: the share of 72 runs that
 * had thermalized within 2.5 million steps, and the test error in equilibrium. */
typedef struct published {
  double noise, share, level;
} published;

static const published paper[] = {
    {1e-2, 1.000, 5.12e-3},  {4.64e-3, 1.000, 2.403e-3}, {2.15e-3, 0.972, 1.114e-3},
    {1e-3, 0.819, 5.13e-4},  {4.64e-4, 0.597, 2.36e-4},  {2.15e-4, 0.458, 1.09e-4},
    {1e-4, 0.417, 5.04e-5},  {4.64e-5, 0.236, 2.36e-5},  {2.15e-5, 0.139, 1.09e-5},
    {1e-5, 0.0556, 5.54e-6}, {4.64e-6, 0.0, 2.8e-6},
};
enum { PUBLISHED = sizeof paper / sizeof *paper };

/* ---- What was asked for ------------------------------------------------------------------ */

typedef struct options {
  problem_shape shape;
  double noises[MOST_NOISES];
  int noise_count;
  int use[METHODS];
  int64_t seeds, first_seed, budget, decade, threads;
  int as_in_paper;
  const char *out;
} options;

static const char *const help =
    "Compares Gibbs samplers; writes OUT/comparison.csv (finished runs, which are kept and not "
    "run\n"
    "again) and OUT/comparison.svg.\n"
    "  --paper        the paper's problem: 50 inputs, 10 units, 2084 rows; else a small one\n"
    "  --noises LIST  such as 1e-3,1e-4\n"
    "  --methods LIST of plain, relaxed, units, draws, scales, cooled, zero, all\n"
    "  --seeds N      data sets (--first-seed F: from this one on)\n"
    "  --budget N     steps of a run at most; it ends when the verdict is in\n"
    "  --decade N     steps that a cooled start takes for each factor of 10 in noise\n"
    "  --threads N    1 or 2: the two chains of a run side by side\n"
    "  --out FOLDER   out unless given\n";

static void complain(const char *what, const char *value) {
  fprintf(stderr, "comparison: %s %s\n\n%s", what, value, help);
  exit(2);
}

static int64_t whole_number(const char *name, const char *text) {
  char *end;
  const double value = strtod(text, &end);
  if (*end || !(value >= 1) || value != floor(value) || value > 1e12) complain(name, text);
  return (int64_t)value;
}

static void read_noises(options *o, const char *text) {
  char *end;
  o->noise_count = 0;
  for (;; text = end + 1) {
    const double value = strtod(text, &end);
    if (end == text || !(value > 0) || o->noise_count == MOST_NOISES) complain("--noises", text);
    o->noises[o->noise_count++] = value;
    if (*end == 0) return;
    if (*end != ',') complain("--noises", text);
  }
}

static void read_methods(options *o, const char *text) {
  memset(o->use, 0, sizeof o->use);
  while (*text) {
    const size_t length = strcspn(text, ",");
    int found = -1;
    for (int m = 0; m < METHODS; ++m)
      if (strlen(methods[m].name) == length && strncmp(methods[m].name, text, length) == 0)
        found = m;
    if (found < 0) complain("--methods", text);
    o->use[found] = 1;
    text += length + (text[length] == ',');
  }
}

static options quick(void) {
  options o = {{8, 4, 500, 200, 0}, {1e-2, 1e-3, 1e-4}, 3, {0}, 2, 1, 8000, 1000, 2, 0, "out"};
  for (int m = 0; m < METHODS; ++m) o.use[m] = 1;
  return o;
}

static void take_paper(options *o) {
  const options p = {
      {50, 10, 2084, 1000, 0}, {1e-3, 1e-4, 1e-5}, 3, {0}, 2, 1, 300000, 5000, 2, 1, o->out};
  *o = p;
  for (int m = 0; m < METHODS; ++m) o->use[m] = 1;
}

static options read_options(int count, char **arguments) {
  options o = quick();
  for (int i = 1; i < count; ++i)
    if (strcmp(arguments[i], "--paper") == 0) take_paper(&o);
  for (int i = 1; i < count; ++i) {
    const char *name = arguments[i];
    if (strcmp(name, "--paper") == 0) continue;
    if (strcmp(name, "--help") == 0) {
      fputs(help, stdout);
      exit(0);
    }
    if (++i == count) complain("a value is missing behind", name);
    const char *value = arguments[i];
    if (strcmp(name, "--noises") == 0)
      read_noises(&o, value);
    else if (strcmp(name, "--methods") == 0)
      read_methods(&o, value);
    else if (strcmp(name, "--seeds") == 0)
      o.seeds = whole_number(name, value);
    else if (strcmp(name, "--first-seed") == 0)
      o.first_seed = whole_number(name, value);
    else if (strcmp(name, "--budget") == 0)
      o.budget = whole_number(name, value);
    else if (strcmp(name, "--decade") == 0)
      o.decade = whole_number(name, value);
    else if (strcmp(name, "--threads") == 0)
      o.threads = whole_number(name, value);
    else if (strcmp(name, "--out") == 0)
      o.out = value;
    else
      complain("unknown option", name);
  }
  return o;
}

/* ---- One run ----------------------------------------------------------------------------- */

typedef struct outcome {
  int method;
  double noise;
  int64_t seed, inputs;
  int32_t verdict;
  double time, level, informed_level, distance; /* time in steps, NaN if not thermalized */
  int64_t steps;
  double seconds; /* of processor time, both chains */
} outcome;

static double processor_time(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static nnp_chain *make_chain(const problem *p, nnp_pool *pool, const method *m) {
  nnp_error err;
  nnp_chain *chain;
  check(nnp_chain_create(&chain, p->net, p->train, NNP_GIBBS, NNP_INTERMEDIATE, &err), &err);
  check(nnp_chain_use_pool(chain, pool, &err), &err);
  const double moves = m->automatic ? NNP_MOVES_AUTOMATIC : NNP_MOVES_PLAIN;
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, moves, &err), &err);
  if (m->option) check(nnp_chain_set(chain, m->option, m->value, &err), &err);
  return chain;
}

/* From this noise on chains find their way within a few thousand steps. */
static const double hot = 1e-2;

static void start_other(nnp_chain *chain, const options *o, const outcome *run) {
  nnp_error err;
  check(nnp_chain_start(chain, NNP_START_ZERO, (uint64_t)run->seed, 1, &err), &err);
  const double decades = log10(hot / run->noise);
  if (!methods[run->method].cooled || decades <= 0) return;
  const int64_t steps = (int64_t)ceil(decades * (double)o->decade);
  const int64_t most = o->budget / 2;
  check(nnp_chain_cool(chain, hot, steps < most ? steps : most, &err), &err);
}

static void run_study(nnp_chain **chains, const problem *p, const options *o, outcome *run) {
  nnp_error err;
  nnp_study *study;
  nnp_study_state state;
  nnp_criteria_times found;
  check(nnp_study_create(&study, chains, 2, p->test, CAPACITY, &err), &err);
  check(nnp_study_set(study, NNP_STUDY_STEPS, (double)o->budget, &err), &err);
  if (methods[run->method].cooled) { /* what comes before the end of cooling does not count */
    check(nnp_study_set(study, NNP_STUDY_SAMPLING, NNP_SAMPLING_EVEN, &err), &err);
    check(nnp_study_set(study, NNP_STUDY_EVERY, 20, &err), &err);
  }
  check(nnp_study_set(study, NNP_STUDY_SCORE_LAYER, 0, &err), &err);
  check(nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, 0, &err), &err);
  check(nnp_study_run(study, NULL, NULL, &err), &err);
  check(nnp_study_ask(study, &state, &err), &err);
  check(nnp_study_report(study, 1, &found, &err), &err);
  run->verdict = found.verdict.verdict;
  run->time = run->verdict == NNP_THERMALIZED ? found.verdict.time : NAN;
  run->level = found.verdict.level;
  run->informed_level = found.verdict.informed_level;
  run->distance = found.verdict.distance;
  run->steps = state.steps;
  nnp_study_free(study);
}

static void execute(const options *o, nnp_pool *pool, outcome *run) {
  nnp_error err;
  problem_shape shape = o->shape;
  shape.noise = run->noise;
  problem p = problem_create(shape, (uint64_t)run->seed);
  check(nnp_teacher_label(p.teacher, p.train, 0, NULL, &err), &err); /* without noise */
  const double began = processor_time();
  nnp_chain *chains[2];
  for (int c = 0; c < 2; ++c) chains[c] = make_chain(&p, pool, &methods[run->method]);
  check(nnp_chain_start_teacher(chains[0], p.teacher, NULL, (uint64_t)run->seed, 0, &err), &err);
  start_other(chains[1], o, run);
  run_study(chains, &p, o, run);
  run->seconds = processor_time() - began;
  for (int c = 0; c < 2; ++c) nnp_chain_free(chains[c]);
  problem_free(&p);
}

/* ---- Finished runs ----------------------------------------------------------------------- */

typedef struct archive {
  char path[1000];
  outcome *runs;
  int count;
} archive;

static const char *const header =
    "method,inputs,noise,seed,verdict,time,level,informed_level,distance,steps,seconds\n";

static int method_named(const char *name) {
  for (int m = 0; m < METHODS; ++m)
    if (strcmp(methods[m].name, name) == 0) return m;
  return -1;
}

/* Lines that are not whole, such as one cut off by an interrupt, count as not run. */
static void read_archive(archive *a) {
  char line[400], name[32];
  FILE *file = fopen(a->path, "r");
  if (!file) return;
  while (fgets(line, sizeof line, file) && a->count < MOST_RUNS) {
    outcome run;
    long long inputs, seed, steps;
    int verdict;
    if (sscanf(line, "%31[^,],%lld,%lf,%lld,%d,%lf,%lf,%lf,%lf,%lld,%lf\n", name, &inputs,
               &run.noise, &seed, &verdict, &run.time, &run.level, &run.informed_level,
               &run.distance, &steps, &run.seconds) != 11)
      continue;
    run.method = method_named(name);
    run.inputs = inputs;
    run.seed = seed;
    run.verdict = verdict;
    run.steps = steps;
    if (run.method >= 0) a->runs[a->count++] = run;
  }
  fclose(file);
}

static void fail_on(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(1);
}

static void append(archive *a, const outcome *run) {
  FILE *file = fopen(a->path, "a");
  if (!file) fail_on(a->path);
  fseek(file, 0, SEEK_END);
  if (ftell(file) == 0) fputs(header, file);
  fprintf(file, "%s,%lld,%.6g,%lld,%d,%.6g,%.6g,%.6g,%.4g,%lld,%.4g\n", methods[run->method].name,
          (long long)run->inputs, run->noise, (long long)run->seed, (int)run->verdict, run->time,
          run->level, run->informed_level, run->distance, (long long)run->steps, run->seconds);
  if (fclose(file) != 0) fail_on(a->path);
  if (a->count < MOST_RUNS) a->runs[a->count++] = *run;
}

static int same_noise(double a, double b) {
  return fabs(log(a / b)) < 1e-3;
}

static int is_done(const archive *a, const outcome *run) {
  for (int i = 0; i < a->count; ++i)
    if (a->runs[i].method == run->method && a->runs[i].seed == run->seed &&
        a->runs[i].inputs == run->inputs && same_noise(a->runs[i].noise, run->noise))
      return 1;
  return 0;
}

static void run_all(const options *o, archive *a) {
  nnp_error err;
  nnp_pool *pool;
  check(nnp_pool_create(&pool, o->threads, &err), &err);
  for (int64_t s = 0; s < o->seeds; ++s)
    for (int n = 0; n < o->noise_count; ++n)
      for (int m = 0; m < METHODS; ++m) {
        outcome run;
        memset(&run, 0, sizeof run);
        run.method = m;
        run.noise = o->noises[n];
        run.seed = o->first_seed + s;
        run.inputs = o->shape.inputs;
        if (!o->use[m] || is_done(a, &run)) continue;
        execute(o, pool, &run);
        append(a, &run);
        fprintf(stderr, "%-8s D = %-8g set %-3lld %s at %.3g (equilibrium %.3g), %.1f s\n",
                methods[m].name, run.noise, (long long)run.seed,
                run.verdict == NNP_THERMALIZED       ? "thermalized"
                : run.verdict == NNP_NOT_THERMALIZED ? "stuck"
                                                     : "undecided",
                run.level, run.informed_level, run.seconds);
      }
  nnp_pool_free(pool);
}

/* ---- Table and picture ------------------------------------------------------------------- */

typedef struct summary {
  int runs, thermalized;
  double steps, seconds; /* medians over those that thermalized; NaN if there are none */
  double level;          /* mean over all runs of the informed level */
} summary;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  if (count == 0) return NAN;
  qsort(values, (size_t)count, sizeof *values, ascending);
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static summary summarize(const archive *a, const options *o, int m, double noise) {
  summary s = {0, 0, NAN, NAN, 0};
  double *steps = need_memory(sizeof(double) * (size_t)(2 * (a->count + 1)));
  double *seconds = steps + a->count + 1;
  for (int i = 0; i < a->count; ++i) {
    const outcome *run = &a->runs[i];
    if (run->method != m || run->inputs != o->shape.inputs || !same_noise(run->noise, noise))
      continue;
    ++s.runs;
    s.level += run->informed_level;
    if (run->verdict != NNP_THERMALIZED) continue;
    steps[s.thermalized] = run->time;
    seconds[s.thermalized++] = run->seconds * run->time / (2 * (double)run->steps);
  }
  s.level = s.runs ? s.level / s.runs : NAN;
  s.steps = median(steps, s.thermalized);
  s.seconds = median(seconds, s.thermalized);
  free(steps);
  return s;
}

static double published_share(const options *o, double noise) {
  for (int i = 0; i < PUBLISHED && o->as_in_paper; ++i)
    if (same_noise(paper[i].noise, noise)) return paper[i].share;
  return NAN;
}

static void print_table(const options *o, const archive *a) {
  printf("Thermalized runs, median steps and seconds of one chain until then.\n\n");
  printf("%-8s %10s %12s %12s %10s %14s %10s\n", "method", "noise", "thermalized", "steps",
         "seconds", "equilibrium", "paper");
  for (int m = 0; m < METHODS; ++m)
    for (int n = 0; n < o->noise_count; ++n) {
      const summary s = summarize(a, o, m, o->noises[n]);
      if (s.runs == 0) continue;
      char share[32], in_paper[32] = "";
      snprintf(share, sizeof share, "%d of %d", s.thermalized, s.runs);
      const double known = published_share(o, o->noises[n]);
      if (!isnan(known)) snprintf(in_paper, sizeof in_paper, "%.0f %%", 100 * known);
      printf("%-8s %10g %12s %12.0f %10.1f %14.3g %10s\n", methods[m].name, o->noises[n], share,
             s.steps, s.seconds, s.level, in_paper);
    }
  printf("\n");
  for (int m = 0; m < METHODS; ++m)
    if (o->use[m]) printf("%-8s %s\n", methods[m].name, methods[m].meaning);
}

typedef struct points {
  double x[MOST_NOISES], share[MOST_NOISES], steps[MOST_NOISES];
} points;

static points points_of(const options *o, const archive *a, int m) {
  points p;
  for (int n = 0; n < o->noise_count; ++n) {
    const summary s = summarize(a, o, m, o->noises[n]);
    p.x[n] = s.runs ? o->noises[n] : NAN;
    p.share[n] = s.runs ? (double)s.thermalized / s.runs : NAN;
    p.steps[n] = s.steps;
  }
  return p;
}

/* The paper's, plain Gibbs or all moves, and two more: as many as can be told apart. */
static void write_picture(const options *o, const archive *a, const char *path) {
  static const int shown[2][3] = {{PLAIN, COOLED, ALL}, {RELAXED, UNITS, DRAWS}};
  static const char *const titles[2] = {"Plain Gibbs and all moves together", "One move at a time"};
  const plot_row rows[2] = {{"thermalized", 180, 0, 0, 1, 1}, {"median steps", 180, 1, 0, NAN, 0}};
  plot_curve curves[2][2][4];
  plot_panel panels[2];
  points p[2][3];
  double noise[PUBLISHED], share[PUBLISHED];
  for (int i = 0; i < PUBLISHED; ++i) {
    noise[i] = paper[i].noise;
    share[i] = paper[i].share;
  }
  memset(panels, 0, sizeof panels);
  for (int side = 0; side < 2; ++side) {
    int count[2] = {0, 0};
    if (o->as_in_paper) {
      const plot_curve known = {"the paper's runs", noise, share, PUBLISHED, PLOT_REFERENCE};
      curves[side][0][count[0]++] = known;
    }
    for (int i = 0; i < 3; ++i) {
      static const plot_style styles[3] = {PLOT_FIRST, PLOT_BOTH, PLOT_SECOND};
      p[side][i] = points_of(o, a, shown[side][i]);
      const char *name = methods[shown[side][i]].name;
      const plot_curve fraction = {name, p[side][i].x, p[side][i].share, o->noise_count, styles[i]};
      const plot_curve steps = {NULL, p[side][i].x, p[side][i].steps, o->noise_count, styles[i]};
      curves[side][0][count[0]++] = fraction;
      curves[side][1][count[1]++] = steps;
    }
    panels[side].title = titles[side];
    panels[side].note = "";
    for (int row = 0; row < 2; ++row) {
      panels[side].facets[row].curves = curves[side][row];
      panels[side].facets[row].curve_count = count[row];
    }
  }
  const plot picture = {
      .rows = rows,
      .row_count = 2,
      .panels = panels,
      .panel_count = 2,
      .x_label = "noise D",
      .marks_label = "",
      .keys = NULL,
      .key_count = 0,
  };
  if (plot_write_svg(path, &picture) != 0) fail_on(path);
}

int main(int count, char **arguments) {
  const options o = read_options(count, arguments);
  archive a = {"", need_memory(sizeof(outcome) * MOST_RUNS), 0};
  char picture[1000];
  if (mkdir(o.out, 0777) != 0 && errno != EEXIST) fail_on(o.out);
  snprintf(a.path, sizeof a.path, "%s/comparison.csv", o.out);
  snprintf(picture, sizeof picture, "%s/comparison.svg", o.out);
  read_archive(&a);
  run_all(&o, &a);
  print_table(&o, &a);
  if (o.noise_count > 1) write_picture(&o, &a, picture);
  free(a.runs);
  return 0;
}
