/* The paper's figure 2: how often samplers thermalize, against the test error in equilibrium, and a
 * race on one data set. Gibbs, plain and with the library's moves, against HMC, MALA and NUTS. */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "contest.h"
#include "figure.h"
#include "support.h"

enum { METHODS = 6 };
static const contest_method methods[METHODS] = {
    {"gibbs", "Gibbs, plain", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, 0, 0, 0},
    {"gibbs_moves", "Gibbs, default moves, annealed", NNP_GIBBS, NNP_INTERMEDIATE, 0.2, 1, 0, 0, 1},
    {"hmc_classical", "HMC, classical", NNP_HMC, NNP_CLASSICAL, 2.5, 0, 0, 0, 0},
    {"mala_classical", "MALA, classical", NNP_MALA, NNP_CLASSICAL, 2.5, 0, 0, 0, 0},
    {"hmc", "HMC, intermediate", NNP_HMC, NNP_INTERMEDIATE, 1, 0, 0, 0, 0},
    {"nuts", "NUTS, intermediate", NNP_NUTS, NNP_INTERMEDIATE, 0.5, 0, 0, 0, 0},
};

/* Seconds until the paper's runs had thermalized, on average, at the noises of the race (its
 * section 4.2). */
static const double paper_seconds[METHODS] = {3200, NAN, 130, 2700, 12500, NAN};

static contest quick(void) {
  contest g;
  memset(&g, 0, sizeof g);
  const problem_shape shape = {8, 4, 500, 200, 0};
  const double noises[] = {1e-2, 1e-3, 1e-4};
  g.shape = shape;
  memcpy(g.noises, noises, sizeof noises);
  g.noise_count = 3;
  g.seeds = 3;
  g.first_seed = 1;
  g.budget = 3000;
  g.decade = 100;
  g.race = 1;
  g.race_seed = 2;
  g.race_noise[0] = 4.64e-4;
  g.race_noise[1] = 1e-3;
  return g;
}

static contest full(void) {
  contest g = quick();
  const problem_shape shape = {50, 10, 2084, 1000, 0};
  const double noises[] = {1e-2, 4.64e-3, 2.15e-3, 1e-3, 4.64e-4, 2.15e-4,
                           1e-4, 4.64e-5, 2.15e-5, 1e-5, 4.64e-6};
  g.shape = shape;
  memcpy(g.noises, noises, sizeof noises);
  g.noise_count = 11;
  g.seeds = 72;
  g.budget = 2500000;
  g.decade = 2000;
  return g;
}

/* ---- Files ------------------------------------------------------------------------------- */

/* Returns the number of races that are done or have begun. */
static int64_t races_there(const campaign *c) {
  const contest *g = c->user;
  const int64_t racers = g->race ? g->use_count : 0;
  const int64_t there = campaign_results(c);
  return there < racers ? there : racers;
}

static void write_races(const campaign *c) {
  figure_file f = figure_create(c->out, "figure2_race.csv");
  figure_header(f.file, "Test MSE along the race", c->settings);
  fputs("method,noise,seed,step,gradients,mse_informed,mse\n", f.file);
  for (int64_t i = 0; i < races_there(c); ++i) {
    const contest_entry e = contest_entry_of(c->user, i);
    for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k) {
      const double *row = table_row(&c->results[i].tables[0], k);
      fprintf(f.file, "%s,%g,%lld,%.0f,%.0f,%.6g,%.6g\n", methods[e.method].name, e.noise,
              (long long)e.seed, row[RACE_STEP], row[RACE_GRADIENTS], row[RACE_INFORMED],
              row[RACE_OTHER]);
    }
  }
  figure_close(&f);
}

static void write_results(const campaign *c, const figure_options *o, const table *paper) {
  const contest *g = c->user;
  figure_file f = figure_results_create(c->out, "figure2", c->settings);
  char name[120];
  contest_write_levels(f.file, c, o->full ? paper : NULL);
  for (int64_t i = 0; i < races_there(c); ++i) {
    const contest_entry e = contest_entry_of(g, i);
    const double *run = contest_run(c, i);
    if (!run) continue;
    snprintf(name, sizeof name, "%s: thermalized in the race after", methods[e.method].title);
    figure_result(f.file, name, "s", o->full ? paper_seconds[e.method] : NAN, run[RUN_SECONDS_TO],
                  isnan(run[RUN_SECONDS_TO]) ? "not within the budget"
                  : o->full && !isnan(paper_seconds[e.method])
                      ? "theirs is an average over data sets"
                      : "");
  }
  figure_close(&f);
}

/* ---- The picture ------------------------------------------------------------------------- */

static void put_fractions(FILE *file, const campaign *c, int method, int64_t *thermalized,
                          int64_t *runs) {
  const contest *g = c->user;
  char name[40];
  *thermalized = *runs = 0;
  snprintf(name, sizeof name, "share%d", method);
  figure_block_begin(file, name);
  for (int n = 0; n < g->noise_count; ++n) {
    const contest_summary s = contest_summarize(c, method, g->noises[n]);
    if (!s.runs) continue;
    *thermalized += s.thermalized;
    *runs += s.runs;
    fprintf(file, "%.5g %.5g\n", s.level, 100 * (double)s.thermalized / (double)s.runs);
  }
  fputs("nan nan\n", file);
  figure_block_end(file);
}

static void put_race(FILE *file, const campaign *c, int64_t number) {
  char name[40];
  snprintf(name, sizeof name, "race%d", contest_entry_of(c->user, number).method);
  figure_block_begin(file, name);
  for (int64_t k = 0; k < c->results[number].tables[0].rows; ++k) {
    const double *row = table_row(&c->results[number].tables[0], k);
    if (row[RACE_SECONDS] > 0)
      fprintf(file, "%.5g %.5g %.5g\n", row[RACE_SECONDS], row[RACE_INFORMED], row[RACE_OTHER]);
  }
  fputs("nan nan nan\n", file);
  figure_block_end(file);
}

/* Writes the paper's results for a method, and returns the number of rows. */
static int put_paper(FILE *file, const table *paper, int method) {
  char name[40];
  int rows = 0;
  snprintf(name, sizeof name, "paper%d", method);
  figure_block_begin(file, name);
  for (int64_t i = 0; i < paper->rows; ++i) {
    const double *row = table_row(paper, i);
    if (!contest_paper_is(row, &methods[method])) continue;
    fprintf(file, "%.5g %.5g\n", row[PAPER_LEVEL], 100 * row[PAPER_THERMALIZED] / row[PAPER_RUNS]);
    ++rows;
  }
  fputs("nan nan\n", file);
  figure_block_end(file);
  return rows;
}

/* Draws the paper's curve in grey, with the same symbols as ours. */
static void draw_paper(FILE *file, int method) {
  static const int points[METHODS] = {4, 7, 8, 6, 12, 2}; /* as figure_styles */
  fprintf(file,
          "$paper%d using 1:2 with linespoints linecolor rgb '#a8a8a8' linewidth 1.6 pointtype %d "
          "title 'the paper: %s, 72 sets, 5.5 h per run', ",
          method, points[method], methods[method].title);
}

static void draw_shares(FILE *file, const campaign *c, const figure_options *o,
                        const int64_t counts[METHODS][2], const int in_paper[METHODS]) {
  const contest *g = c->user;
  int any = o->full;
  for (int m = 0; m < METHODS; ++m) any |= counts[m][1] > 0;
  fprintf(file,
          "set lmargin at screen 0.07; set rmargin at screen 0.475\n"
          "set bmargin at screen 0.36; set tmargin at screen 0.84\n"
          "set title \"How often: %lld data set%s at each noise\" font ',14'\n"
          "set logscale x; set format x '10^{%%L}'; set yrange [-4:108]\n"
          "set xlabel 'test MSE in equilibrium (harder problems to the left)'\n"
          "set ylabel 'runs that thermalized, %%'\n"
          "set key at screen 0.07,0.27 left top Left reverse samplen 4 spacing 1.1 maxrows %d "
          "title 'thermalized, all noises together' left\n%splot ",
          (long long)g->seeds, g->seeds > 1 ? "s" : "", 10,
          any ? "" : "set xrange [1e-5:1e-2]\n"); /* gnuplot needs one */
  for (int m = 0; m < METHODS; ++m)
    if (in_paper[m]) draw_paper(file, m);
  for (int m = 0; m < g->use_count; ++m) {
    const int k = g->use[m];
    fprintf(file, "%s$share%d using 1:2 with linespoints linestyle %d title '%s: %lld of %lld'",
            m ? ", " : "", k, k + 1, methods[k].title, (long long)counts[k][0],
            (long long)counts[k][1]);
  }
  fputs("\n", file);
}

static void draw_races(FILE *file, const campaign *c, const figure_options *o) {
  const contest *g = c->user;
  fprintf(file,
          "set lmargin at screen 0.565; set rmargin at screen 0.985\n"
          "set title \"How soon: one set, D = %g, classical %g\" font ',14'\n"
          "set logscale xy; set autoscale xy; set format y '10^{%%L}'\n"
          "set xlabel 'processor time of one thread, s'; set ylabel 'test MSE' offset 1\n"
          "set key at screen 0.565,0.27 left top Left reverse samplen 4 spacing 1.1 maxrows 8 "
          "title 'thin grey: informed chains, started on the teacher' left\nplot ",
          g->race_noise[0], g->race_noise[1]);
  for (int64_t i = 0; i < races_there(c); ++i) {
    const contest_entry e = contest_entry_of(g, i);
    const double *run = contest_run(c, i);
    char after[60] = "not thermalized", paper[60] = "";
    if (run && !isnan(run[RUN_SECONDS_TO]))
      snprintf(after, sizeof after, "after %.2g s", run[RUN_SECONDS_TO]);
    if (o->full && !isnan(paper_seconds[e.method]))
      snprintf(paper, sizeof paper, " (the paper, mean: %g s)", paper_seconds[e.method]);
    fprintf(file,
            "%s$race%d using 1:2 with lines linecolor rgb '#b0b0b0' linewidth 0.7 notitle, "
            "$race%d using 1:3 with linespoints linestyle %d pointinterval 60 title '%s: %s%s'",
            i ? ", " : "", e.method, e.method, e.method + 1, methods[e.method].title,
            run ? after : "still running", paper);
  }
  fputs("\n", file);
}

static void write_picture(const campaign *c, const figure_options *o, const table *paper) {
  const contest *g = c->user;
  int64_t counts[METHODS][2] = {{0}};
  int in_paper[METHODS] = {0};
  figure_file f = figure_create(c->out, "figure2.gp");
  figure_canvas(f.file, "figure2", 1200, 720);
  figure_styles(f.file);
  for (int m = 0; m < g->use_count; ++m)
    put_fractions(f.file, c, g->use[m], &counts[g->use[m]][0], &counts[g->use[m]][1]);
  for (int64_t i = 0; i < races_there(c); ++i) put_race(f.file, c, i);
  for (int m = 0; o->full && m < METHODS; ++m)
    in_paper[m] = m != 1 && put_paper(f.file, paper, m); /* their Gibbs is the plain one */
  fprintf(f.file,
          "set multiplot\nset label 10 \"Which sampler finds the posterior? A chain that knows "
          "nothing has to reach the test error of one started on the truth.\" at screen "
          "0.012,0.965 font ',15'\nset label 11 \"Network %lld → %lld relu → 1, %lld rows "
          "labelled without noise; every sampler has the time of %lld steps of plain Gibbs, on the "
          "right of %lld\" at screen 0.012,0.925 font ',11'\n",
          (long long)g->shape.inputs, (long long)g->shape.hidden, (long long)g->shape.train_rows,
          (long long)g->budget, (long long)g->race_budget);
  draw_shares(f.file, c, o, (const int64_t(*)[2])counts, in_paper);
  fputs("unset label 10; unset label 11\n", f.file);
  if (races_there(c)) draw_races(f.file, c, o);
  fputs("unset multiplot\n", f.file);
  figure_close(&f);
  figure_draw(c->out, "figure2");
}

/* ---- The program ------------------------------------------------------------------------- */

static const char help[] =
    "usage: figure2 [options]\n"
    "Which sampler finds the posterior, how often and how soon? Draws the paper's figure 2.\n"
    "  --seeds N       data sets at each noise: 3, full 72\n"
    "  --noises LIST   such as 1e-2,1e-3\n"
    "  --race N        --budget of the race, if another; 0: no race\n"
    "  --race-set N    the data set of the race\n"
    "  --adapt         full: warm-ups find HMC's settings, not the paper's tables\n"
    "  --methods LIST  of gibbs, gibbs_moves, hmc_classical, mala_classical, hmc, nuts\n"
    "--budget counts steps of plain Gibbs; other methods get what takes about as long.\n";

static contest make_contest(const figure_options *o, const table *tuning) {
  contest g = o->full ? full() : quick();
  g.methods = methods;
  if (o->budget) g.budget = o->budget;
  g.race = o->race >= 0;
  g.race_budget = o->race > 0 ? o->race : g.budget;
  if (o->race_set) g.race_seed = o->race_set;
  if (o->seeds) g.seeds = o->seeds;
  if (o->noise_count) {
    memcpy(g.noises, o->noises, sizeof g.noises);
    g.noise_count = o->noise_count;
  }
  if (o->full) g.tuning = tuning;
  g.adapt = o->adapt;
  if (contest_choose(&g, METHODS, o->methods) != 0) {
    fprintf(stderr, "--methods %s: not understood\n\n%s", o->methods, help);
    exit(2);
  }
  return g;
}

static void write_settings(campaign *c, const contest *g) {
  const size_t size = sizeof c->settings;
  size_t used = (size_t)snprintf(
      c->settings, size,
      "%lld -> %lld relu -> 1 with biases, %lld rows without noise, %lld test rows; %lld "
      "steps of plain Gibbs or what takes as long; %s; D =",
      (long long)g->shape.inputs, (long long)g->shape.hidden, (long long)g->shape.train_rows,
      (long long)g->shape.test_rows, (long long)g->budget,
      !g->tuning ? "settings found by warm-up"
      : g->adapt ? "settings found by warm-up, MALA's from the paper's tables"
                 : "settings of the paper's tables");
  for (int n = 0; n < g->noise_count; ++n)
    used += (size_t)snprintf(c->settings + used, size - used, " %g", g->noises[n]);
  if (g->race)
    used += (size_t)snprintf(
        c->settings + used, size - used, "; race of %lld such steps on data set %lld at D = %g, %g",
        (long long)g->race_budget, (long long)g->race_seed, g->race_noise[0], g->race_noise[1]);
  used += (size_t)snprintf(c->settings + used, size - used, "; methods");
  for (int m = 0; m < g->use_count; ++m)
    used += (size_t)snprintf(c->settings + used, size - used, " %s", methods[g->use[m]].name);
}

int main(int count, char **arguments) {
  const figure_options o = figure_read_options(help, count, arguments);
  table tuning =
      figure_paper(&o, "paper_settings.csv", TUNING_COLUMNS, contest_words, CONTEST_WORDS);
  table paper = contest_paper(&o);
  contest g = make_contest(&o, &tuning);
  campaign c = figure_campaign("figure2", &o);
  write_settings(&c, &g);
  contest_campaign(&c, &g);
  if (!campaign_run(&c)) printf("Stopped; start it again to continue.\n");
  contest_write_runs(&c, "figure2");
  write_races(&c);
  contest_write_times(&c, "figure2");
  write_results(&c, &o, &paper);
  contest_print(&c, o.full ? &paper : NULL);
  if (campaign_results(&c)) write_picture(&c, &o, &paper);
  campaign_free(&c);
  table_free(&paper);
  table_free(&tuning);
  return 0;
}
