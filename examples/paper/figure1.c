/* The paper's figures 1 and 4: when has a chain thermalized? A teacher labels random inputs with
 * noise. Four Gibbs chains, one started on the teacher, one at zero, two at random, are judged by
 * four criteria; so are the same four with over-relaxation and with all of the library's moves. */
#include <math.h>
#include <nnpost_study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "figure.h"
#include "problem.h"
#include "support.h"

enum { INFORMED, ZERO, RANDOM_1, RANDOM_2, STARTS };
static const char *const starts[STARTS] = {"informed", "zero", "random 1", "random 2"};

enum { PLAIN, RELAXED, ALL_MOVES, SAMPLERS };
static const char *const samplers[SAMPLERS] = {"plain", "over-relaxed", "default"};
static const char *const titles[SAMPLERS] = {"Gibbs, as in the paper", "Gibbs, over-relaxed",
                                             "Gibbs, the library's default"};

/* Columns of the two tables. */
enum { STEP, MSE, SCORE = MSE + STARTS, SECONDS = SCORE + STARTS, SERIES_COLUMNS };
enum { BLOCK_TIME, PAIR, RHAT, RHAT_COLUMNS = RHAT + 5 };
enum { BLOCK = 50 }; /* measurements */
enum { LOOKS = 128 };

typedef struct setting {
  problem_shape shape;
  uint64_t first_seed;
  uint64_t numbers[STARTS]; /* of the chains: they fix their random numbers */
  int64_t every;            /* steps between measurements for R-hat */
  int64_t budget, seeds;
} setting;

/* Starts 3, 4 and 6 of seed 2 were picked: plain Gibbs merges from the first, which is from zero,
 * and gets stuck at the same place from the others. */
static const setting quick = {{8, 4, 500, 200, 5e-4}, 2, {0, 3, 4, 6}, 10, 20000, 1};
static const setting full = {{50, 10, 2084, 1000, 1e-4}, 1, {0, 1, 2, 3}, 100, 2000000, 1};

/* ---- Chains ------------------------------------------------------------------------------ */

static int sampler_of(int64_t job_number) {
  return (int)(job_number % SAMPLERS);
}

static uint64_t seed_of(const setting *s, int64_t job_number) {
  return s->first_seed + (uint64_t)(job_number / SAMPLERS);
}

static void choose_moves(nnp_chain *chain, int sampler) {
  nnp_error err;
  const double moves = sampler == ALL_MOVES ? NNP_MOVES_AUTOMATIC : NNP_MOVES_PLAIN;
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, moves, &err), &err);
  if (sampler == RELAXED) check(nnp_chain_set(chain, NNP_OPTION_RELAX, -0.98, &err), &err);
}

static void start_chain(nnp_chain *chain, const problem *p, int start, uint64_t seed,
                        uint64_t number) {
  nnp_error err;
  if (start == INFORMED)
    check(nnp_chain_start_teacher(chain, p->teacher, p->sites, seed, number, &err), &err);
  else
    check(nnp_chain_start(chain, start == ZERO ? NNP_START_ZERO : NNP_START_PRIOR, seed, number,
                          &err),
          &err);
}

/* Notes: where the next look is, measurements in the block so far, and the measurements, which are
 * outputs on the test rows: [row, measurement, chain]. */
enum { NEXT_LOOK, MEASURED, OUTPUTS };

static void begin(const campaign *c, job *j, nnp_pool *pool) {
  nnp_error err;
  const setting *s = c->user;
  problem *p = need_memory(sizeof *p);
  const uint64_t seed = seed_of(s, j->number);
  *p = problem_create(s->shape, seed);
  j->parts = p;
  j->chain_count = STARTS;
  for (int i = 0; i < STARTS; ++i) {
    check(nnp_chain_create(&j->chains[i], p->net, p->train, NNP_GIBBS, NNP_INTERMEDIATE, &err),
          &err);
    check(nnp_chain_use_pool(j->chains[i], pool, &err), &err);
    choose_moves(j->chains[i], sampler_of(j->number));
    start_chain(j->chains[i], p, i, seed, s->numbers[i]);
  }
  j->note_count = OUTPUTS + STARTS * BLOCK * s->shape.test_rows;
  j->notes = need_memory(sizeof(double) * (size_t)j->note_count);
  memset(j->notes, 0, sizeof(double) * (size_t)j->note_count);
  j->notes[NEXT_LOOK] = 1;
  j->next = 1;
  j->tables[0].columns = SERIES_COLUMNS;
  j->tables[1].columns = RHAT_COLUMNS;
}

static void end(const campaign *c, job *j, int finished) {
  (void)c;
  (void)finished;
  for (int i = 0; i < STARTS; ++i) nnp_chain_free(j->chains[i]);
  problem_free(j->parts);
  free(j->parts);
}

/* ---- Looks ------------------------------------------------------------------------------- */

static void add_series(job *j) {
  nnp_error err;
  const problem *p = j->parts;
  double row[SERIES_COLUMNS];
  row[STEP] = (double)j->step;
  row[SECONDS] = j->seconds;
  for (int i = 0; i < STARTS; ++i) {
    check(nnp_chain_score(j->chains[i], p->test, NNP_SCORE_MSE, &row[MSE + i], &err), &err);
    check(nnp_chain_gradient_statistic(j->chains[i], 1, &row[SCORE + i], &err), &err);
  }
  table_add(&j->tables[0], row);
}

/* Adds R-hat of chains 2 pair and 2 pair + 1 over the last block: its mean over the test rows, and
 * percentiles. */
static void add_rhat(job *j, const setting *s, int pair) {
  nnp_error err;
  nnp_draws draws;
  int64_t blocks;
  size_t bytes;
  double out[6], row[RHAT_COLUMNS];
  const int64_t rows = s->shape.test_rows;
  const double *values = j->notes + OUTPUTS + 2 * pair * BLOCK * rows;
  check(nnp_draws_init(&draws, values, rows, BLOCK, 2, &err), &err);
  check(nnp_block_rhat_bytes(&draws, BLOCK, &blocks, &bytes, &err), &err);
  void *memory = need_memory(bytes);
  check(nnp_block_rhat(&draws, NULL, BLOCK, out, memory, bytes, &err), &err);
  free(memory);
  row[BLOCK_TIME] = (double)j->step - 0.5 * (double)((BLOCK - 1) * s->every);
  row[PAIR] = pair;
  memcpy(row + RHAT, out + 1, sizeof(double) * 5);
  table_add(&j->tables[1], row);
}

static void measure(job *j, const setting *s) {
  nnp_error err;
  const problem *p = j->parts;
  const int64_t rows = s->shape.test_rows, measured = (int64_t)j->notes[MEASURED];
  for (int i = 0; i < STARTS; ++i) {
    double *outputs = j->notes + OUTPUTS + (i * BLOCK + measured) * rows;
    check(nnp_chain_predict(j->chains[i], p->test, outputs, &err), &err);
  }
  j->notes[MEASURED] = (double)(measured + 1);
  if (measured + 1 < BLOCK) return;
  for (int pair = 0; pair < 2; ++pair) add_rhat(j, s, pair);
  j->notes[MEASURED] = 0;
}

static int look(const campaign *c, job *j) {
  const setting *s = c->user;
  if (j->step == (int64_t)j->notes[NEXT_LOOK] || j->step == s->budget) {
    add_series(j);
    j->notes[NEXT_LOOK] = (double)next_look(j->step, LOOKS);
  }
  if (j->step % s->every == 0) measure(j, s);
  const int64_t measurement = (j->step / s->every + 1) * s->every;
  const int64_t next = (int64_t)j->notes[NEXT_LOOK];
  j->next = next < measurement ? next : measurement;
  if (j->next > s->budget) j->next = s->budget;
  return j->step >= s->budget;
}

static double share(const campaign *c, const job *j) {
  return (double)j->step / (double)((const setting *)c->user)->budget;
}

static void describe(const campaign *c, const job *j, char *text, size_t size) {
  snprintf(text, size, "%s, seed %llu, step %lld", titles[sampler_of(j->number)],
           (unsigned long long)seed_of(c->user, j->number), (long long)j->step);
}

/* ---- Criteria ---------------------------------------------------------------------------- */

typedef struct judgement {
  nnp_criteria_times times[STARTS]; /* INFORMED: not used */
  double levels[STARTS];            /* mean test MSE over the second half of the steps */
} judgement;

/* Returns R-hat of a pair of chains along a run: pair 0 is informed and zero, pair 1 both random
 * ones. */
static nnp_series rhat_series(const job_result *r, int pair, double *times, double *values) {
  nnp_series s = {times, values, 0, {0}};
  for (int64_t i = 0; i < r->tables[1].rows; ++i) {
    const double *row = table_row(&r->tables[1], i);
    if ((int)row[PAIR] != pair) continue;
    times[s.count] = row[BLOCK_TIME];
    values[s.count++] = row[RHAT];
  }
  return s;
}

static double late_mean(const job_result *r, int column) {
  const table *t = &r->tables[0];
  double sum = 0, weight = 0;
  const double last = t->rows ? table_row(t, t->rows - 1)[STEP] : 0;
  for (int64_t i = 1; i < t->rows; ++i) {
    const double *row = table_row(t, i);
    const double steps = row[STEP] - table_row(t, i - 1)[STEP];
    if (row[STEP] < 0.5 * last) continue;
    sum += steps * row[column];
    weight += steps;
  }
  return sum / weight;
}

static judgement judge(const job_result *r) {
  nnp_error err;
  judgement found;
  size_t bytes;
  const table *t = &r->tables[0];
  check(nnp_thermalization_bytes(&bytes, &err), &err);
  void *memory = need_memory(bytes);
  double *times = table_column(t, STEP, 0), *informed = table_column(t, MSE, 0);
  double *block_times = need_memory(sizeof(double) * (size_t)(r->tables[1].rows + 1));
  double *rhats = need_memory(sizeof(double) * (size_t)(r->tables[1].rows + 1));
  found.levels[INFORMED] = late_mean(r, MSE);
  for (int i = 1; i < STARTS; ++i) {
    double *mse = table_column(t, MSE + i, 0), *score = table_column(t, SCORE + i, 0);
    const nnp_criteria_series series = {{times, informed, t->rows, {0}},
                                        {times, mse, t->rows, {0}},
                                        {times, score, t->rows, {0}},
                                        rhat_series(r, i != ZERO, block_times, rhats)};
    check(nnp_criteria(&series, NULL, 2, &found.times[i], memory, bytes, &err), &err);
    found.levels[i] = late_mean(r, MSE + i);
    free(mse);
    free(score);
  }
  free(rhats);
  free(block_times);
  free(informed);
  free(times);
  free(memory);
  return found;
}

/* ---- Files ------------------------------------------------------------------------------- */

static void write_series(const campaign *c) {
  figure_file f = figure_create(c->out, "figure1.csv");
  figure_header(f.file, "Test MSE and score U of four chains, by sampler and step", c->settings);
  fputs(
      "sampler,seed,step,mse_informed,mse_zero,mse_random1,mse_random2,"
      "score_informed,score_zero,score_random1,score_random2\n",
      f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i)
    for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k) {
      const double *row = table_row(&c->results[i].tables[0], k);
      fprintf(f.file, "%s,%llu,%.0f", samplers[sampler_of(i)],
              (unsigned long long)seed_of(c->user, i), row[STEP]);
      for (int column = MSE; column < SECONDS; ++column) fprintf(f.file, ",%.6g", row[column]);
      fputc('\n', f.file);
    }
  figure_close(&f);
}

static void write_rhat(const campaign *c) {
  figure_file f = figure_create(c->out, "figure1_rhat.csv");
  figure_header(f.file, "R-hat of the outputs on the test rows, in blocks of 50 measurements",
                c->settings);
  fputs("sampler,seed,chains,step,mean,percentile25,percentile50,percentile75,percentile95\n",
        f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i)
    for (int64_t k = 0; k < c->results[i].tables[1].rows; ++k) {
      const double *row = table_row(&c->results[i].tables[1], k);
      fprintf(f.file, "%s,%llu,%s,%.1f", samplers[sampler_of(i)],
              (unsigned long long)seed_of(c->user, i), row[PAIR] > 0 ? "random" : "zero+informed",
              row[BLOCK_TIME]);
      for (int column = RHAT; column < RHAT_COLUMNS; ++column)
        fprintf(f.file, ",%.6g", row[column]);
      fputc('\n', f.file);
    }
  figure_close(&f);
}

static void put_time(FILE *file, double time) {
  if (isnan(time))
    fputs(",", file);
  else
    fprintf(file, "%.6g,", time);
}

static void write_criteria(const campaign *c, const judgement *found) {
  static const char *const words[] = {"undecided", "thermalized", "not thermalized"};
  figure_file f = figure_create(c->out, "figure1_criteria.csv");
  figure_header(f.file, "Steps after which a chain has thermalized, by criterion; empty: not",
                c->settings);
  fputs("sampler,seed,start,teacher_student,stationarity,rhat,score,level,verdict\n", f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i)
    for (int s = 1; s < STARTS; ++s) {
      const nnp_criteria_times *t = &found[i].times[s];
      fprintf(f.file, "%s,%llu,%s,", samplers[sampler_of(i)],
              (unsigned long long)seed_of(c->user, i), starts[s]);
      put_time(f.file, t->teacher_student);
      put_time(f.file, t->stationarity);
      put_time(f.file, t->rhat);
      put_time(f.file, t->gradient);
      fprintf(f.file, "%.4g,%s\n", found[i].levels[s], words[t->verdict.verdict - NNP_UNDECIDED]);
    }
  figure_close(&f);
}

static double last_seconds(const job_result *r, double *steps) {
  const table *t = &r->tables[0];
  const double *row = table_row(t, t->rows - 1);
  *steps = row[STEP];
  return row[SECONDS];
}

static void write_times(const campaign *c) {
  figure_file f = figure_create(c->out, "figure1_times.csv");
  figure_header(f.file, "Processor time of one chain", c->settings);
  figure_machine(f.file, c->threads);
  fputs("sampler,seed,steps,seconds\n", f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i) {
    double steps;
    const double seconds = last_seconds(&c->results[i], &steps);
    fprintf(f.file, "%s,%llu,%.0f,%.3f\n", samplers[sampler_of(i)],
            (unsigned long long)seed_of(c->user, i), steps, seconds);
  }
  figure_close(&f);
}

/* Returns the seconds until the paper's chain from zero had thermalized: steps times seconds per
 * step. */
static double paper_seconds(const table *paper) {
  return 1e-3 * table_row(paper, 2)[1] * table_row(paper, 7)[1];
}

/* Writes lines of RESULTS.md. The paper's values are shown in a full run only, since they are those
 * of its own problem. */
static void write_results(const campaign *c, const judgement *found, const figure_options *o) {
  static const char *const words[] = {"score",        "rhat",           "teacher_student",
                                      "stationarity", "level_informed", "level_zero",
                                      "level_random", "ms_step"};
  static const char *const names[] = {"score U", "R-hat", "teacher-student", "stationarity"};
  table paper = figure_paper(o, "paper_figure1.csv", 2, words, 8);
  figure_file f = figure_results_create(c->out, "figure1", c->settings);
  char text[120], remark[120];
  for (int64_t i = 0; i < campaign_results(c) && i < SAMPLERS; ++i) {
    const nnp_criteria_times *t = &found[i].times[ZERO];
    const double times[4] = {t->gradient, t->rhat, t->teacher_student, t->stationarity};
    const int known = o->full && i == PLAIN;
    double steps;
    const double seconds = last_seconds(&c->results[i], &steps);
    for (int k = 0; k < 4; ++k) {
      snprintf(text, sizeof text, "%s: zero thermalized by %s", samplers[i], names[k]);
      figure_result(f.file, text, "steps", known ? table_row(&paper, k)[1] : NAN, times[k],
                    isnan(times[k]) ? "not reached" : "");
    }
    snprintf(remark, sizeof remark, "after %.3g steps, theirs after 2e6 on another data set",
             steps);
    for (int s = 0; s < STARTS - 1; ++s) {
      snprintf(text, sizeof text, "%s: test MSE from %s", samplers[i], starts[s]);
      figure_result(f.file, text, "", known ? table_row(&paper, 4 + s)[1] : NAN, found[i].levels[s],
                    known ? remark : "");
    }
    snprintf(text, sizeof text, "%s: a step", samplers[i]);
    figure_result(f.file, text, "ms", known ? table_row(&paper, 7)[1] : NAN, 1e3 * seconds / steps,
                  "");
    snprintf(text, sizeof text, "%s: zero thermalized after", samplers[i]);
    figure_result(f.file, text, "s", o->full ? paper_seconds(&paper) : NAN,
                  t->teacher_student * seconds / steps,
                  isnan(t->teacher_student) ? "not reached"
                  : o->full                 ? "theirs by plain Gibbs on another data set"
                                            : "");
  }
  figure_close(&f);
  table_free(&paper);
}

/* ---- Pictures ---------------------------------------------------------------------------- */

static void put_series_block(FILE *file, const campaign *c, int64_t i) {
  char name[40];
  snprintf(name, sizeof name, "series%lld", (long long)i);
  figure_block_begin(file, name);
  for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k) {
    const double *row = table_row(&c->results[i].tables[0], k);
    for (int column = 0; column < SECONDS; ++column) fprintf(file, "%.5g ", row[column]);
    fputc('\n', file);
  }
  figure_block_end(file);
}

static void put_rhat_blocks(FILE *file, const campaign *c, int64_t i) {
  char name[40];
  for (int pair = 0; pair < 2; ++pair) {
    snprintf(name, sizeof name, "rhat%lld_%d", (long long)i, pair);
    figure_block_begin(file, name);
    for (int64_t k = 0; k < c->results[i].tables[1].rows; ++k) {
      const double *row = table_row(&c->results[i].tables[1], k);
      if ((int)row[PAIR] != pair) continue;
      for (int column = 0; column < RHAT_COLUMNS; ++column) fprintf(file, "%.5g ", row[column]);
      fputc('\n', file);
    }
    fputs("nan nan nan nan nan nan nan\n", file); /* so that no block is empty */
    figure_block_end(file);
  }
}

/* Writes a symbol for each chain and criterion; one that is never met is drawn beyond the end. */
static void put_criteria_block(FILE *file, const judgement *found, int64_t i, double never) {
  char name[40];
  snprintf(name, sizeof name, "criteria%lld", (long long)i);
  figure_block_begin(file, name);
  for (int s = 1; s < STARTS; ++s) {
    const nnp_criteria_times *t = &found[i].times[s];
    const double times[4] = {t->gradient, t->rhat, t->stationarity, t->teacher_student};
    for (int k = 0; k < 4; ++k) {
      const double time = isnan(times[k]) ? never : times[k] < 1 ? 1 : times[k];
      fprintf(file, "%.5g %.2f %d\n", time, k + 0.22 * (2 - s), s);
    }
  }
  figure_block_end(file);
}

static const char *const line_styles =
    "set style line 1 linecolor rgb '#000000' linewidth 2.6 dashtype 1\n"
    "set style line 2 linecolor rgb '#1f5fbf' linewidth 1.3 dashtype 1\n"
    "set style line 3 linecolor rgb '#d95f02' linewidth 1.6 dashtype 2\n"
    "set style line 4 linecolor rgb '#7b3f9d' linewidth 1.6 dashtype 3\n";

typedef struct place {
  double left, right, bottom, top; /* shares of the canvas */
} place;

static void put_place(FILE *file, place p) {
  fprintf(file,
          "set lmargin at screen %g; set rmargin at screen %g\n"
          "set bmargin at screen %g; set tmargin at screen %g\n",
          p.left, p.right, p.bottom, p.top);
}

static place column_place(int64_t i, int64_t columns, double bottom, double top) {
  const double left = 0.075, right = 0.985, gap = 0.022;
  const double width = (right - left - gap * (double)(columns - 1)) / (double)columns;
  const double begin_ = left + (double)i * (width + gap);
  const place p = {begin_, begin_ + width, bottom, top};
  return p;
}

/* Writes y label and numbers for the leftmost column only: all columns share their scales. */
static void put_left_only(FILE *file, int64_t i, const char *label, const char *format) {
  if (i == 0)
    fprintf(file, "set ylabel \"%s\" offset 0.5; set format y '%s'\n", label, format);
  else
    fputs("unset ylabel; set format y ''\n", file);
}

static void draw_mse(FILE *file, const campaign *c, int64_t i, int64_t columns) {
  double steps;
  const double seconds = last_seconds(&c->results[i], &steps);
  put_place(file, column_place(i, columns, 0.62, 0.85));
  put_left_only(file, i, "test MSE", "10^{%L}");
  fprintf(file,
          "set title \"%s\\n{/*0.75 %.2g ms of processor time per step}\" font ',14'\n"
          "set logscale y; set yrange [mse_low:mse_high]; set format x ''; unset xlabel\n"
          "%s\n"
          "plot $series%lld using 1:2 with lines linestyle 1 title 'informed: started on the "
          "teacher', '' using 1:3 with lines linestyle 2 title 'from zero', '' using 1:4 with "
          "lines linestyle 3 title 'random 1', '' using 1:5 with lines linestyle 4 title "
          "'random 2'\nunset title\n",
          titles[sampler_of(i)], 1e3 * seconds / steps,
          i == 0 ? "set key top right samplen 2.5 spacing 1.05" : "unset key", (long long)i);
}

static void draw_rhat(FILE *file, int64_t i, int64_t columns) {
  put_place(file, column_place(i, columns, 0.445, 0.60));
  put_left_only(file, i, "R-hat", "%g");
  fprintf(file,
          "set logscale y; set yrange [0.8:rhat_high]\n%s\n"
          "plot 1 with lines linecolor rgb '#808080' dashtype 4 notitle, $rhat%lld_0 using 1:3 "
          "with lines linestyle 2 title 'zero and informed', $rhat%lld_1 using 1:3 with lines "
          "linestyle 3 title 'both random'\n",
          i == 0 ? "set key top left samplen 2.5 spacing 1.05" : "unset key", (long long)i,
          (long long)i);
}

static void draw_score(FILE *file, int64_t i, int64_t columns) {
  put_place(file, column_place(i, columns, 0.305, 0.425));
  put_left_only(file, i, "score U", "%g");
  fprintf(file,
          "unset logscale y; unset key; set yrange [-score_high:score_high]\n"
          "set ytics score_high\n"
          "plot $series%lld using 1:7 with lines linestyle 2, '' using 1:8 with lines linestyle 3\n"
          "set ytics autofreq\n",
          (long long)i);
}

static void draw_criteria(FILE *file, int64_t i, int64_t columns) {
  put_place(file, column_place(i, columns, 0.125, 0.285));
  fprintf(file,
          "set yrange [-0.6:3.6]; set xlabel 'Gibbs steps'; set format x '10^{%%L}'; %s\n%s\n"
          "set arrow 1 from budget, graph 0 to budget, graph 1 nohead dashtype 3\n"
          "set label 1 'not yet' at never, graph 1.0 offset 0,0.5 center font ',9'\n"
          "plot for [s = 1:3] $criteria%lld using ($3 == s ? $1 : NaN):2 with points pointtype "
          "(s == 1 ? 7 : s == 2 ? 4 : 8) pointsize 1.2 linecolor rgb (s == 1 ? '#1f5fbf' : s == 2 "
          "? '#d95f02' : '#7b3f9d') title (s == 1 ? 'from zero' : s == 2 ? 'random 1' : 'random "
          "2')\nunset arrow 1; unset label 1; unset xlabel\nset ytics autofreq\n",
          i == 0 ? "unset ylabel; set format y '%s'; set ytics ('by score U' 0, 'by R-hat' 1, "
                   "'stationary' 2, 'merged' 3)"
                 : "unset ylabel; set ytics ('' 0, '' 1, '' 2, '' 3)",
          "unset key", (long long)i);
}

typedef struct ranges {
  double mse_low, mse_high, rhat_high, score_high;
} ranges;

static void widen(ranges *r, const job_result *result, double first) {
  for (int64_t k = 0; k < result->tables[0].rows; ++k) {
    const double *row = table_row(&result->tables[0], k);
    for (int s = 0; s < STARTS; ++s) {
      if (row[MSE + s] > r->mse_high) r->mse_high = row[MSE + s];
      if (row[STEP] >= first && row[MSE + s] < r->mse_low) r->mse_low = row[MSE + s];
      if (row[STEP] >= first && fabs(row[SCORE + s]) > r->score_high)
        r->score_high = fabs(row[SCORE + s]);
    }
  }
  for (int64_t k = 0; k < result->tables[1].rows; ++k) {
    const double *row = table_row(&result->tables[1], k);
    if (isfinite(row[RHAT]) && row[RHAT] > r->rhat_high) r->rhat_high = row[RHAT];
  }
}

static void put_ranges(FILE *file, const campaign *c, int64_t columns) {
  const setting *s = c->user;
  ranges r = {1, 0.1, 2, 0};
  for (int64_t i = 0; i < columns; ++i) widen(&r, &c->results[i], 30);
  if (!(r.score_high > 0)) r.score_high = 1; /* a run stopped in its first steps */
  const double digit = pow(10, floor(log10(r.score_high)));
  fprintf(file,
          "mse_low = %.3g; mse_high = %.3g; rhat_high = %.3g; score_high = %.3g\n"
          "budget = %lld; never = %.5g\nset logscale x; set xrange [1:%.5g]\n",
          0.7 * r.mse_low, 60 * r.mse_high, 2 * r.rhat_high, digit * ceil(r.score_high / digit),
          (long long)s->budget, 2.1 * (double)s->budget, 4.2 * (double)s->budget);
}

static void write_picture(const campaign *c, const judgement *found, int64_t columns) {
  const setting *s = c->user;
  figure_file f = figure_create(c->out, "figure1.gp");
  figure_canvas(f.file, "figure1", 1200, 860);
  fputs(line_styles, f.file);
  for (int64_t i = 0; i < columns; ++i) {
    put_series_block(f.file, c, i);
    put_rhat_blocks(f.file, c, i);
    put_criteria_block(f.file, found, i, 2.1 * (double)s->budget);
  }
  put_ranges(f.file, c, columns);
  fprintf(
      f.file,
      "set multiplot\n"
      "set label 10 \"When has a chain thermalized? When it has merged with the informed one.\" "
      "at screen 0.012,0.975 font ',15'\n"
      "set label 11 \"Gibbs chains from four starts on one problem: %lld → %lld relu → 1, %lld "
      "rows, "
      "noise D = %g\" at screen 0.012,0.945 font ',11'\n"
      "set label 12 \"Bottom row: steps after which each criterion says yes (● from zero, □ random "
      "1, "
      "△ random 2).\\nScore, R-hat and stationarity can say yes to chains that are stuck above the "
      "informed one.\" at screen 0.012,0.04 font ',11'\n",
      (long long)s->shape.inputs, (long long)s->shape.hidden, (long long)s->shape.train_rows,
      s->shape.noise);
  for (int64_t i = 0; i < columns; ++i) {
    draw_mse(f.file, c, i, columns);
    if (i == 0) fputs("unset label 10; unset label 11; unset label 12\n", f.file);
    draw_rhat(f.file, i, columns);
    draw_score(f.file, i, columns);
    draw_criteria(f.file, i, columns);
  }
  fputs("unset multiplot\n", f.file);
  figure_close(&f);
  figure_draw(c->out, "figure1");
}

static void draw_percentiles(FILE *file, int64_t i, int64_t columns, int pair) {
  put_place(file, column_place(i, columns, pair ? 0.12 : 0.50, pair ? 0.47 : 0.85));
  put_left_only(file, i, pair ? "R-hat, both random" : "R-hat, zero and informed", "%g");
  if (pair)
    fputs("set xlabel 'Gibbs steps'; set format x '10^{%L}'\n", file);
  else
    fprintf(file, "set title \"%s\" font ',14'; set format x ''\n", titles[sampler_of(i)]);
  fprintf(file, "%s\nplot 1 with lines linecolor rgb '#808080' dashtype 4 notitle",
          i == columns - 1 && !pair ? "set key opaque top right samplen 2.5" : "unset key");
  static const char *const names[4] = {"25th percentile", "median", "75th", "95th"};
  for (int k = 0; k < 4; ++k)
    fprintf(file, ", $rhat%lld_%d using 1:%d with lines linestyle %d title '%s'", (long long)i,
            pair, 4 + k, 4 - k, names[k]);
  fputs("\nunset title; unset xlabel\n", file);
}

/* Writes the percentiles of R-hat that the paper's figure 4 shows. */
static void write_percentiles(const campaign *c, int64_t columns) {
  const setting *s = c->user;
  figure_file f = figure_create(c->out, "figure4.gp");
  figure_canvas(f.file, "figure4", 1200, 620);
  fputs(line_styles, f.file);
  for (int64_t i = 0; i < columns; ++i) put_rhat_blocks(f.file, c, i);
  put_ranges(f.file, c, columns);
  fprintf(f.file,
          "set xrange [%lld:%lld]; set logscale y; set yrange [0.7:5 * rhat_high]\n"
          "set multiplot\nset label 10 \"R-hat of the outputs on %lld test rows: percentiles over "
          "the rows. Stuck chains can agree as well as thermalized ones.\" "
          "at screen 0.012,0.965 font ',14'\n",
          (long long)(s->every * BLOCK / 2), (long long)s->budget, (long long)s->shape.test_rows);
  for (int64_t i = 0; i < columns; ++i)
    for (int pair = 0; pair < 2; ++pair) {
      draw_percentiles(f.file, i, columns, pair);
      fputs("unset label 10\n", f.file);
    }
  fputs("unset multiplot\n", f.file);
  figure_close(&f);
  figure_draw(c->out, "figure4");
}

static void print_criteria(const campaign *c, const judgement *found, int64_t count) {
  char text[160];
  nnp_error err;
  for (int64_t i = 0; i < count; ++i)
    for (int s = 1; s < STARTS; ++s) {
      check(nnp_verdict_text(&found[i].times[s].verdict, text, sizeof text, &err), &err);
      printf("%-12s seed %llu, %-8s  %s\n", samplers[sampler_of(i)],
             (unsigned long long)seed_of(c->user, i), starts[s], text);
    }
}

static void write_files(const campaign *c, const figure_options *o) {
  const int64_t count = campaign_results(c);
  const int64_t columns = count < SAMPLERS ? count : SAMPLERS;
  judgement *found = need_memory(sizeof *found * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i) found[i] = judge(&c->results[i]);
  write_series(c);
  write_rhat(c);
  write_criteria(c, found);
  write_times(c);
  write_results(c, found, o);
  print_criteria(c, found, count);
  if (columns > 0) {
    write_picture(c, found, columns);
    if (c->results[0].tables[1].rows) write_percentiles(c, columns);
  }
  free(found);
}

static const char help[] =
    "usage: figure1 [options]\n"
    "When has a chain thermalized? Draws the paper's figures 1 and 4: test MSE, R-hat and score "
    "of\n"
    "chains from four starts by plain, over-relaxed and default Gibbs, and the steps after which\n"
    "four criteria call them thermalized.\n"
    "  --seeds N       data sets, 1 unless given; the first one is drawn\n";

int main(int count, char **arguments) {
  const figure_options o = figure_read_options(help, count, arguments);
  setting s = o.full ? full : quick;
  if (o.budget) s.budget = o.budget;
  if (o.seeds) s.seeds = o.seeds;
  if (o.noise_count) s.shape.noise = o.noises[0];
  campaign c = figure_campaign("figure1", &o);
  snprintf(c.settings, sizeof c.settings,
           "%lld -> %lld relu -> 1 with biases, %lld rows, %lld test rows, D = %g, labels with "
           "noise; %lld steps, R-hat every %lld; data sets from seed %llu on",
           (long long)s.shape.inputs, (long long)s.shape.hidden, (long long)s.shape.train_rows,
           (long long)s.shape.test_rows, s.shape.noise, (long long)s.budget, (long long)s.every,
           (unsigned long long)s.first_seed);
  c.jobs = s.seeds * SAMPLERS;
  c.user = &s;
  c.begin = begin;
  c.look = look;
  c.end = end;
  c.share = share;
  c.describe = describe;
  const int done = campaign_run(&c);
  if (!done) printf("Stopped; start it again to continue.\n");
  write_files(&c, &o);
  campaign_free(&c);
  return 0;
}
