#include "contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nnpost_study.h>
#include "support.h"

enum { LOOKS = 128 };

const char *const contest_words[CONTEST_WORDS] = {"hmc",          "mala",      "mala_informed",
                                                  "intermediate", "classical", "gibbs"};
enum { WORD_HMC, WORD_MALA, WORD_MALA_INFORMED, WORD_INTERMEDIATE, WORD_CLASSICAL, WORD_GIBBS };

static const char *const verdicts[] = {"undecided", "thermalized", "stuck"};

int same_noise(double a, double b) {
  return fabs(log(a / b)) < 1e-3;
}

/* ---- Who takes part ---------------------------------------------------------------------- */

static int method_named(const contest *g, int method_count, const char *name, size_t length) {
  for (int m = 0; m < method_count; ++m)
    if (strlen(g->methods[m].name) == length && strncmp(g->methods[m].name, name, length) == 0)
      return m;
  return -1;
}

int contest_choose(contest *g, int method_count, const char *names) {
  g->use_count = 0;
  for (int m = 0; !names && m < method_count; ++m) g->use[g->use_count++] = m;
  while (names && *names) {
    const size_t length = strcspn(names, ",");
    const int found = method_named(g, method_count, names, length);
    if (found < 0 || g->use_count == CONTEST_METHODS) return -1;
    g->use[g->use_count++] = found;
    names += length + (names[length] == ',');
  }
  return g->use_count ? 0 : -1;
}

/* Data sets vary slowest, so that adding more of them keeps the jobs that are done. */
contest_entry contest_entry_of(const contest *g, int64_t number) {
  contest_entry e = {0, 0, 0, g->first_seed};
  const int64_t racers = g->race ? g->use_count : 0;
  const int64_t rest = number - racers;
  e.race = number < racers;
  e.method = g->use[(e.race ? number : rest) % g->use_count];
  if (e.race) {
    e.noise = g->race_noise[g->methods[e.method].posterior - NNP_INTERMEDIATE];
    e.seed = g->race_seed;
  } else {
    e.noise = g->noises[rest / g->use_count % g->noise_count];
    e.seed += rest / g->use_count / g->noise_count;
  }
  return e;
}

/* ---- Chains ------------------------------------------------------------------------------ */

/* Returns the budget of a run, in steps of Gibbs or in gradients. */
static double budget_of(const contest *g, const contest_entry *e) {
  return ceil(g->methods[e->method].speed * (double)(e->race ? g->race_budget : g->budget));
}

static int word_of_posterior(const contest_method *m) {
  return m->posterior == NNP_CLASSICAL ? WORD_CLASSICAL : WORD_INTERMEDIATE;
}

typedef struct tuning {
  double step;
  int64_t leapfrogs, warmup;
} tuning;

/* Returns the row of the paper's settings with the nearest noise. */
static const double *paper_row(const contest *g, const contest_method *m, double noise,
                               int informed) {
  const int sampler = m->sampler != NNP_MALA ? WORD_HMC : informed ? WORD_MALA_INFORMED : WORD_MALA;
  const int posterior = word_of_posterior(m);
  const double *best = NULL;
  const int given = g->tuning && (m->sampler == NNP_MALA || (m->sampler == NNP_HMC && !g->adapt));
  for (int64_t i = 0; given && i < g->tuning->rows; ++i) {
    const double *row = table_row(g->tuning, i);
    if ((int)row[TUNED_SAMPLER] != sampler || (int)row[TUNED_POSTERIOR] != posterior) continue;
    if (!best || fabs(log(row[TUNED_NOISE] / noise)) < fabs(log(best[TUNED_NOISE] / noise)))
      best = row;
  }
  return best;
}

/* Sites and weights together need longer trajectories than weights alone, if time allows. */
static int64_t adapted_leapfrogs(const contest *g, const contest_entry *e) {
  const double few = 50, most = 200;
  if (g->methods[e->method].posterior == NNP_CLASSICAL) return (int64_t)few;
  return (int64_t)fmax(few, fmin(most, budget_of(g, e) / 500));
}

/* The paper's MALA has noise of variance `step`, ours of twice that. */
static tuning tune(const contest *g, const contest_entry *e, int informed) {
  const contest_method *m = &g->methods[e->method];
  const double *row = paper_row(g, m, e->noise, informed);
  if (row) {
    const double step = row[TUNED_STEP] * (m->sampler == NNP_MALA ? 0.5 : 1);
    const tuning t = {step, (int64_t)row[TUNED_LEAPFROGS], 0};
    return t;
  }
  const int64_t leapfrogs = m->sampler == NNP_HMC ? adapted_leapfrogs(g, e) : 1;
  const double first = 0.1 * sqrt(e->noise / (double)g->shape.train_rows);
  const double length = m->sampler == NNP_NUTS ? 128 : (double)leapfrogs;
  const double warmup = fmin(0.2 * budget_of(g, e), 50000); /* gradients */
  const tuning t = {m->sampler == NNP_MALA ? first * first : first, leapfrogs,
                    (int64_t)(warmup / length)};
  return t;
}

static void set_gibbs(nnp_chain *chain, const contest_method *m) {
  nnp_error err;
  const double moves = m->automatic ? NNP_MOVES_AUTOMATIC : NNP_MOVES_PLAIN;
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, moves, &err), &err);
  if (m->option) check(nnp_chain_set(chain, m->option, m->value, &err), &err);
}

static void set_gradient_sampler(nnp_chain *chain, const contest_method *m, tuning t) {
  nnp_error err;
  check(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, t.step, &err), &err);
  check(nnp_chain_set(chain, NNP_OPTION_WARMUP, (double)t.warmup, &err), &err);
  if (m->sampler == NNP_HMC)
    check(nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, (double)t.leapfrogs, &err), &err);
  if (m->sampler == NNP_HMC && t.warmup)
    check(nnp_chain_set(chain, NNP_OPTION_JITTER, 0.2, &err), &err);
  if (m->sampler == NNP_NUTS) check(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 8, &err), &err);
}

static nnp_chain *make_chain(const contest *g, const contest_entry *e, const problem *p,
                             int informed, nnp_pool *pool) {
  nnp_error err;
  nnp_chain *chain;
  const contest_method *m = &g->methods[e->method];
  check(nnp_chain_create(&chain, p->net, p->train, m->sampler, m->posterior, &err), &err);
  check(nnp_chain_use_pool(chain, pool, &err), &err);
  if (m->sampler == NNP_GIBBS)
    set_gibbs(chain, m);
  else
    set_gradient_sampler(chain, m, tune(g, e, informed));
  return chain;
}

/* With at least this much noise, chains find the posterior within a few thousand steps. */
static const double hot = 1e-2;

static int64_t annealing_steps(const contest *g, const contest_entry *e) {
  const double decades = log10(hot / e->noise);
  if (!g->methods[e->method].annealed || decades <= 0) return 0;
  const int64_t steps = (int64_t)ceil(decades * (double)g->decade);
  const int64_t most = (int64_t)budget_of(g, e) / 2;
  return steps < most ? steps : most;
}

/* As in the paper: Gibbs from zero, the others from small noise. */
static void start_other(nnp_chain *chain, const contest *g, const contest_entry *e) {
  nnp_error err;
  const int gibbs = g->methods[e->method].sampler == NNP_GIBBS;
  const int64_t annealing = annealing_steps(g, e);
  check(
      nnp_chain_start(chain, gibbs ? NNP_START_ZERO : NNP_START_SMALL, (uint64_t)e->seed, 1, &err),
      &err);
  if (annealing) check(nnp_chain_anneal(chain, hot, annealing, &err), &err);
}

/* Returns the number of steps whose states are not draws from the posterior. */
static int64_t steps_before(const contest *g, const contest_entry *e) {
  const contest_method *m = &g->methods[e->method];
  return m->sampler == NNP_GIBBS ? annealing_steps(g, e) : tune(g, e, 0).warmup;
}

enum { NEXT_DECISION, VERDICT, STANDING_SINCE, NOTES };

static void begin(const campaign *c, job *j, nnp_pool *pool) {
  nnp_error err;
  const contest *g = c->user;
  const contest_entry e = contest_entry_of(g, j->number);
  problem_shape shape = g->shape;
  shape.noise = e.noise;
  problem *p = need_memory(sizeof *p);
  *p = problem_create(shape, (uint64_t)e.seed);
  check(nnp_teacher_label(p->teacher, p->train, 0, NULL, &err), &err); /* without noise */
  j->parts = p;
  j->chain_count = 2;
  for (int i = 0; i < 2; ++i) j->chains[i] = make_chain(g, &e, p, i == 0, pool);
  check(nnp_chain_start_teacher(j->chains[0], p->teacher, NULL, (uint64_t)e.seed, 0, &err), &err);
  start_other(j->chains[1], g, &e);
  j->note_count = NOTES;
  j->notes = need_memory(sizeof(double) * NOTES);
  j->notes[NEXT_DECISION] = (double)steps_before(g, &e) + 64;
  j->notes[VERDICT] = 0;
  j->notes[STANDING_SINCE] = 0;
  j->next = 1;
  j->tables[0].columns = RACE_COLUMNS;
  j->tables[1].columns = RUN_COLUMNS;
}

/* ---- Verdicts ---------------------------------------------------------------------------- */

static int64_t first_row(const table *t, int64_t step) {
  int64_t row = 0;
  while (row < t->rows && table_row(t, row)[RACE_STEP] <= (double)step) ++row;
  return row;
}

static nnp_verdict decide(const table *t, int64_t before) {
  nnp_error err;
  nnp_verdict v;
  size_t bytes;
  const int64_t first = first_row(t, before);
  memset(&v, 0, sizeof v);
  v.verdict = NNP_UNDECIDED;
  v.time = v.level = v.informed_level = v.informed_time = v.distance = NAN;
  if (t->rows - first < 2) return v;
  check(nnp_thermalization_bytes(&bytes, &err), &err);
  void *memory = need_memory(bytes);
  double *times = table_column(t, RACE_STEP, first);
  double *informed = table_column(t, RACE_INFORMED, first);
  double *other = table_column(t, RACE_OTHER, first);
  const nnp_series a = {times, informed, t->rows - first, {0}},
                   b = {times, other, t->rows - first, {0}};
  check(nnp_thermalization(&a, &b, 1, NULL, &v, memory, bytes, &err), &err);
  free(other);
  free(informed);
  free(times);
  free(memory);
  return v;
}

/* Returns the mean of a column after a step; a row stands for all steps since the previous row. */
static double mean_behind(const table *t, int column, double step) {
  double sum = 0, weight = 0;
  for (int64_t i = 1; i < t->rows; ++i) {
    const double *row = table_row(t, i);
    const double steps = row[RACE_STEP] - table_row(t, i - 1)[RACE_STEP];
    if (row[RACE_STEP] <= step) continue;
    sum += steps * row[column];
    weight += steps;
  }
  return sum / weight;
}

static double seconds_at(const table *t, double step) {
  for (int64_t i = 0; i < t->rows; ++i)
    if (table_row(t, i)[RACE_STEP] >= step) return table_row(t, i)[RACE_SECONDS];
  return NAN;
}

static void add_run(const contest *g, job *j) {
  const contest_entry e = contest_entry_of(g, j->number);
  const nnp_verdict v = decide(&j->tables[0], steps_before(g, &e));
  const int thermalized = v.verdict == NNP_THERMALIZED;
  const double since = isnan(v.informed_time) ? 0.5 * (double)j->step : v.informed_time;
  double row[RUN_COLUMNS];
  row[RUN_VERDICT] = v.verdict - NNP_UNDECIDED;
  row[RUN_TIME] = thermalized ? v.time : NAN;
  row[RUN_LEVEL] = v.level;
  row[RUN_EQUILIBRIUM] = mean_behind(&j->tables[0], RACE_INFORMED, since);
  row[RUN_RELAXED] = !isnan(v.informed_time);
  row[RUN_DISTANCE] = v.distance;
  row[RUN_STEPS] = (double)j->step;
  row[RUN_GRADIENTS] = j->gradients;
  row[RUN_SECONDS] = j->seconds;
  row[RUN_SECONDS_TO] = thermalized ? seconds_at(&j->tables[0], v.time) : NAN;
  table_add(&j->tables[1], row);
}

static void end(const campaign *c, job *j, int finished) {
  const contest *g = c->user;
  const contest_entry e = contest_entry_of(g, j->number);
  if (finished) add_run(g, j);
  if (finished && !e.race) {
    table_free(&j->tables[0]);
    j->tables[0].columns = RACE_COLUMNS;
  }
  for (int i = 0; i < j->chain_count; ++i) nnp_chain_free(j->chains[i]);
  problem_free(j->parts);
  free(j->parts);
}

/* ---- Looks ------------------------------------------------------------------------------- */

static void add_row(job *j) {
  nnp_error err;
  const problem *p = j->parts;
  double row[RACE_COLUMNS];
  row[RACE_STEP] = (double)j->step;
  row[RACE_GRADIENTS] = j->gradients;
  row[RACE_SECONDS] = j->seconds;
  for (int i = 0; i < 2; ++i)
    check(nnp_chain_score(j->chains[i], p->test, NNP_SCORE_MSE, &row[RACE_INFORMED + i], &err),
          &err);
  table_add(&j->tables[0], row);
}

static double share_done(const contest *g, const contest_entry *e, const job *j) {
  const contest_method *m = &g->methods[e->method];
  return (m->sampler == NNP_GIBBS ? (double)j->step : j->gradients) / budget_of(g, e);
}

/* Returns 1 if a verdict is final: it must hold while the run grows by half (fourfold in a race)
 * and for as long as annealing or warm-up took; chains that look stuck get at least a quarter of
 * the budget. */
static int verdict_stands(const contest *g, const contest_entry *e, job *j) {
  const int64_t before = steps_before(g, e);
  const double step = (double)j->step;
  if (step < j->notes[NEXT_DECISION]) return 0;
  j->notes[NEXT_DECISION] = (double)before + 1.1 * (step - (double)before);
  const int32_t verdict = decide(&j->tables[0], before).verdict;
  const double number = verdict - NNP_UNDECIDED;
  if (number != j->notes[VERDICT]) j->notes[STANDING_SINCE] = step - (double)before;
  j->notes[VERDICT] = number;
  const int final = verdict == NNP_THERMALIZED || (verdict == NNP_NOT_THERMALIZED &&
                                                   g->end_when_stuck && share_done(g, e, j) > 0.25);
  const double growth = e->race ? 4 : 1.5;
  const double behind = step - (double)before;
  return final && behind >= growth * j->notes[STANDING_SINCE] && behind >= (double)before;
}

/* Returns the next step to look at: looks are close together at first, and again after the steps
 * that do not count. */
static int64_t next_step(int64_t before, int64_t step) {
  if (step >= before) return before + next_look(step - before, LOOKS);
  const int64_t next = next_look(step, LOOKS);
  return next < before ? next : before;
}

static int look(const campaign *c, job *j) {
  const contest *g = c->user;
  const contest_entry e = contest_entry_of(g, j->number);
  const contest_method *m = &g->methods[e.method];
  const int64_t last = (int64_t)budget_of(g, &e);
  add_row(j);
  j->next = next_step(steps_before(g, &e), j->step);
  if (m->sampler == NNP_GIBBS && j->next > last) j->next = last;
  if (share_done(g, &e, j) >= 1) return 1;
  return verdict_stands(g, &e, j);
}

static double share(const campaign *c, const job *j) {
  const contest *g = c->user;
  const contest_entry e = contest_entry_of(g, j->number);
  const double done = share_done(g, &e, j);
  return done < 1 ? done : 1;
}

static void describe(const campaign *c, const job *j, char *text, size_t size) {
  const contest *g = c->user;
  const contest_entry e = contest_entry_of(g, j->number);
  const table *run = &j->tables[1], *series = &j->tables[0];
  const int used = snprintf(text, size, "%s%s, D = %g, data set %lld", e.race ? "race: " : "",
                            g->methods[e.method].title, e.noise, (long long)e.seed);
  if (used < 0 || (size_t)used >= size) return;
  if (run->rows)
    snprintf(text + used, size - (size_t)used, ": %s at %.3g, equilibrium %.3g, %.3g s",
             verdicts[(int)table_row(run, 0)[RUN_VERDICT]], table_row(run, 0)[RUN_LEVEL],
             table_row(run, 0)[RUN_EQUILIBRIUM], j->seconds);
  else if (series->rows)
    snprintf(text + used, size - (size_t)used, ": test MSE %.3g",
             table_row(series, series->rows - 1)[RACE_OTHER]);
}

void contest_campaign(campaign *c, contest *g) {
  c->user = g;
  c->jobs = (g->race ? g->use_count : 0) + g->seeds * g->noise_count * g->use_count;
  c->begin = begin;
  c->look = look;
  c->end = end;
  c->share = share;
  c->describe = describe;
}

/* ---- Results ------------------------------------------------------------------------------ */

const double *contest_run(const campaign *c, int64_t number) {
  if (number >= c->finished || c->results[number].tables[1].rows == 0) return NULL;
  return table_row(&c->results[number].tables[1], 0);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int64_t count) {
  if (count == 0) return NAN;
  qsort(values, (size_t)count, sizeof *values, ascending);
  return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

contest_summary contest_summarize(const campaign *c, int method, double noise) {
  const contest *g = c->user;
  contest_summary s = {0, 0, 0, NAN, NAN, NAN, NAN};
  double *steps = need_memory(sizeof(double) * (size_t)(2 * (c->finished + 1)));
  double *seconds = steps + c->finished + 1, sum = 0, squares = 0;
  for (int64_t i = 0; i < c->finished; ++i) {
    const contest_entry e = contest_entry_of(g, i);
    const double *run = contest_run(c, i);
    if (e.race || e.method != method || !same_noise(e.noise, noise) || !run) continue;
    ++s.runs;
    s.relaxed += run[RUN_RELAXED] != 0;
    sum += run[RUN_EQUILIBRIUM];
    squares += run[RUN_EQUILIBRIUM] * run[RUN_EQUILIBRIUM];
    if (run[RUN_VERDICT] != NNP_THERMALIZED - NNP_UNDECIDED) continue;
    steps[s.thermalized] = run[RUN_TIME];
    seconds[s.thermalized++] = run[RUN_SECONDS_TO];
  }
  const double n = (double)s.runs;
  if (s.runs) s.level = sum / n;
  if (s.runs > 1) s.level_error = sqrt(fmax(squares - n * s.level * s.level, 0) / (n - 1) / n);
  s.median_steps = median(steps, s.thermalized);
  s.median_seconds = median(seconds, s.thermalized);
  free(steps);
  return s;
}

/* ---- Files ------------------------------------------------------------------------------- */

static const char *posterior_name(const contest_method *m) {
  return m->posterior == NNP_CLASSICAL ? "classical" : "intermediate";
}

static void put_number(FILE *file, double value) {
  if (!isnan(value)) fprintf(file, "%.6g", value);
}

static void create(const campaign *c, const char *name, const char *end, figure_file *f) {
  char full[80];
  snprintf(full, sizeof full, "%s%s.csv", name, end);
  *f = figure_create(c->out, full);
}

void contest_write_runs(const campaign *c, const char *name) {
  const contest *g = c->user;
  figure_file f;
  create(c, name, "", &f);
  figure_header(f.file, "Did a chain that knows nothing reach the test MSE of the informed one?",
                c->settings);
  fputs(
      "method,posterior,noise,seed,verdict,steps_to_thermalize,level,equilibrium,"
      "informed_stationary,distance_sd,steps,gradients\n",
      f.file);
  for (int64_t i = 0; i < c->finished; ++i) {
    const contest_entry e = contest_entry_of(g, i);
    const contest_method *m = &g->methods[e.method];
    const double *run = contest_run(c, i);
    if (e.race || !run) continue;
    fprintf(f.file, "%s,%s,%g,%lld,%s,", m->name, posterior_name(m), e.noise, (long long)e.seed,
            verdicts[(int)run[RUN_VERDICT]]);
    put_number(f.file, run[RUN_TIME]);
    fprintf(f.file, ",%.6g,%.6g,%.0f,%.4g,%.0f,%.0f\n", run[RUN_LEVEL], run[RUN_EQUILIBRIUM],
            run[RUN_RELAXED], run[RUN_DISTANCE], run[RUN_STEPS], run[RUN_GRADIENTS]);
  }
  figure_close(&f);
}

void contest_write_times(const campaign *c, const char *name) {
  const contest *g = c->user;
  figure_file f;
  create(c, name, "_times", &f);
  figure_header(f.file, "Processor time of one chain", c->settings);
  figure_machine(f.file, c->threads);
  fputs("method,posterior,noise,seed,race,steps,gradients,seconds,seconds_to_thermalize\n", f.file);
  for (int64_t i = 0; i < c->finished; ++i) {
    const contest_entry e = contest_entry_of(g, i);
    const contest_method *m = &g->methods[e.method];
    const double *run = contest_run(c, i);
    if (!run) continue;
    fprintf(f.file, "%s,%s,%g,%lld,%d,%.0f,%.0f,%.4g,", m->name, posterior_name(m), e.noise,
            (long long)e.seed, e.race, run[RUN_STEPS], run[RUN_GRADIENTS], run[RUN_SECONDS]);
    put_number(f.file, run[RUN_SECONDS_TO]);
    fputc('\n', f.file);
  }
  figure_close(&f);
}

/* ---- Beside the paper -------------------------------------------------------------------- */

table contest_paper(const figure_options *o) {
  return figure_paper(o, "paper_thermalized.csv", PAPER_COLUMNS, contest_words, CONTEST_WORDS);
}

int contest_paper_is(const double *row, const contest_method *m) {
  const int sampler = m->sampler == NNP_GIBBS  ? WORD_GIBBS
                      : m->sampler == NNP_MALA ? WORD_MALA
                      : m->sampler == NNP_HMC  ? WORD_HMC
                                               : CONTEST_WORDS; /* they ran no NUTS */
  return (int)row[PAPER_SAMPLER] == sampler && (int)row[PAPER_POSTERIOR] == word_of_posterior(m);
}

/* Returns the paper's row for a method and a noise, or NULL if there is none. */
static const double *paper_of(const table *paper, const contest_method *m, double noise) {
  for (int64_t i = 0; paper && i < paper->rows; ++i) {
    const double *row = table_row(paper, i);
    if (contest_paper_is(row, m) && same_noise(row[PAPER_NOISE], noise)) return row;
  }
  return NULL;
}

/* Adds what the paper's HMC found on the posterior that its Gibbs sampler also samples. */
static void add_paper_hmc(char *text, size_t size, const table *paper, double noise) {
  const contest_method hmc = {"", "", NNP_HMC, NNP_INTERMEDIATE, 0, 0, 0, 0, 0};
  const double *row = paper_of(paper, &hmc, noise);
  const size_t used = strlen(text);
  if (row) snprintf(text + used, size - used, "; the paper's HMC: %.4g", row[PAPER_LEVEL]);
}

/* The distance of two means in standard errors of their difference. If the scatter of the paper's
 * is not known, ours is used for both. */
static void compare_levels(char *text, size_t size, const contest_summary *s, const double *row) {
  const double own = s->level_error * sqrt((double)s->runs);
  const double sd = isnan(row[PAPER_SD]) ? own : row[PAPER_SD];
  const double error = hypot(s->level_error, sd / sqrt(row[PAPER_RUNS]));
  if (s->runs < 2)
    snprintf(text, size, "1 data set");
  else
    snprintf(text, size, "%+.1f standard errors, %lld data sets",
             (s->level - row[PAPER_LEVEL]) / error, (long long)s->runs);
}

/* Adds how many informed chains were stationary: a mean over chains that still move away from the
 * teacher is not the equilibrium. */
static void add_relaxed(char *text, size_t size, const contest_summary *s) {
  const size_t used = strlen(text);
  if (s->relaxed < s->runs)
    snprintf(text + used, size - used, "%sonly %lld of %lld informed chains were stationary",
             used ? "; " : "", (long long)s->relaxed, (long long)s->runs);
}

static void write_level(FILE *file, const contest_summary *s, const contest_method *m, double noise,
                        const table *paper) {
  char name[160], remark[200] = "";
  const double *row = paper_of(paper, m, noise);
  snprintf(name, sizeof name, "%s: equilibrium test MSE at D = %g", m->title, noise);
  if (row) compare_levels(remark, sizeof remark, s, row);
  add_relaxed(remark, sizeof remark, s);
  if (row && m->sampler == NNP_GIBBS) add_paper_hmc(remark, sizeof remark, paper, noise);
  figure_result(file, name, "", row ? row[PAPER_LEVEL] : NAN, s->level, remark);
  snprintf(name, sizeof name, "%s: thermalized at D = %g", m->title, noise);
  snprintf(remark, sizeof remark, "%lld of %lld runs", (long long)s->thermalized,
           (long long)s->runs);
  figure_result(file, name, "%", row ? 100 * row[PAPER_THERMALIZED] / row[PAPER_RUNS] : NAN,
                100 * (double)s->thermalized / (double)s->runs, remark);
}

void contest_write_levels(FILE *file, const campaign *c, const table *paper) {
  const contest *g = c->user;
  for (int m = 0; m < g->use_count; ++m)
    for (int n = 0; n < g->noise_count; ++n) {
      const contest_summary s = contest_summarize(c, g->use[m], g->noises[n]);
      if (s.runs) write_level(file, &s, &g->methods[g->use[m]], g->noises[n], paper);
    }
}

void contest_print(const campaign *c, const table *paper) {
  const contest *g = c->user;
  printf("Runs that thermalized, and the median steps and seconds of one chain until then.\n\n");
  printf("%-30s %9s %12s %9s %9s %12s %9s\n", "method", "noise", "thermalized", "steps", "seconds",
         "equilibrium", paper ? "paper" : "");
  for (int m = 0; m < g->use_count; ++m)
    for (int n = 0; n < g->noise_count; ++n) {
      const contest_summary s = contest_summarize(c, g->use[m], g->noises[n]);
      const double *row = paper_of(paper, &g->methods[g->use[m]], g->noises[n]);
      char share[48], in_paper[32] = "";
      if (s.runs == 0) continue;
      snprintf(share, sizeof share, "%lld of %lld", (long long)s.thermalized, (long long)s.runs);
      if (row)
        snprintf(in_paper, sizeof in_paper, "%.0f %%",
                 100 * row[PAPER_THERMALIZED] / row[PAPER_RUNS]);
      printf("%-30s %9g %12s %9.0f %9.3g %12.3g %9s\n", g->methods[g->use[m]].title, g->noises[n],
             share, s.median_steps, s.median_seconds, s.level, in_paper);
    }
}
