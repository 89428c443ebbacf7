/* Which moves make a Gibbs chain thermalize, and how soon? A teacher labels random inputs without
 * noise; a chain that starts on it shows the equilibrium, and another one, from zero or annealed,
 * has to reach it. Plain Gibbs, each of the library's extra moves and all of them together, over
 * several noises and data sets: the fraction that thermalized and the median of the steps it took,
 * as a table and a picture. A run that was killed continues where it stopped. */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "contest.h"
#include "figure.h"
#include "support.h"

/* ---- Methods ----------------------------------------------------------------------------- */

enum { METHODS = 9 };

/* All get the same number of steps, whatever those cost. */
static const contest_method methods[METHODS] = {
    {"plain", "plain Gibbs from zero, as in the paper", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, 0, 0, 0},
    {"relaxed", "over-relaxed by -0.98", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_OPTION_RELAX, -0.98,
     0},
    {"units", "with moves of units", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_OPTION_UNIT_MOVES, 1,
     0},
    {"draws", "with draws of units", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_OPTION_UNIT_DRAWS, 2,
     0},
    {"layers", "with moves of layers", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_OPTION_LAYER_MOVES, 1,
     0},
    {"scales", "with moves of scales", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_OPTION_SCALE_MOVES, 1,
     0},
    {"annealed", "plain Gibbs, annealed", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, 0, 0, 1},
    {"zero", "all moves, from zero", NNP_GIBBS, NNP_INTERMEDIATE, 1, 1, 0, 0, 0},
    {"all", "all moves, annealed", NNP_GIBBS, NNP_INTERMEDIATE, 1, 1, 0, 0, 1},
};

static contest make_contest(const figure_options *o) {
  static const problem_shape small = {8, 4, 500, 200, 0}, large = {50, 10, 2084, 1000, 0};
  static const double few[2][3] = {{1e-2, 1e-3, 1e-4}, {1e-3, 1e-4, 1e-5}};
  contest g;
  memset(&g, 0, sizeof g);
  g.methods = methods;
  g.shape = o->full ? large : small;
  memcpy(g.noises, o->noise_count ? o->noises : few[o->full],
         sizeof(double) * (o->noise_count ? (size_t)o->noise_count : 3));
  g.noise_count = o->noise_count ? o->noise_count : 3;
  g.seeds = o->seeds ? o->seeds : 4;
  g.first_seed = 1;
  g.budget = o->budget ? o->budget : o->full ? 300000 : 8000;
  g.decade = o->full ? 2000 : 1000;
  g.end_when_stuck = 1;
  return g;
}

/* ---- Files ------------------------------------------------------------------------------- */

static void write_results(const campaign *c, const table *paper) {
  figure_file f = figure_results_create(c->out, "comparison", c->settings);
  contest_write_levels(f.file, c, paper);
  figure_close(&f);
}

/* ---- The picture ------------------------------------------------------------------------- */

/* Writes a row for each noise: noise, percent thermalized, median steps until then. */
static void put_method(FILE *file, const campaign *c, int method) {
  const contest *g = c->user;
  char name[40];
  snprintf(name, sizeof name, "method%d", method);
  figure_block_begin(file, name);
  for (int n = 0; n < g->noise_count; ++n) {
    const contest_summary s = contest_summarize(c, method, g->noises[n]);
    if (s.runs)
      fprintf(file, "%.5g %.5g %.5g\n", g->noises[n], 100 * (double)s.thermalized / (double)s.runs,
              s.median_steps);
  }
  fputs("nan nan nan\n", file);
  figure_block_end(file);
}

static void put_paper(FILE *file, const table *paper) {
  figure_block_begin(file, "paper");
  for (int64_t i = 0; i < paper->rows; ++i) {
    const double *row = table_row(paper, i);
    if (!contest_paper_is(row, &methods[0])) continue;
    fprintf(file, "%.5g %.5g\n", row[PAPER_NOISE], 100 * row[PAPER_THERMALIZED] / row[PAPER_RUNS]);
  }
  fputs("nan nan\n", file);
  figure_block_end(file);
}

/* Returns the line style of a method; 9 is left out, since it is the paper's. */
static int style_of(int method) {
  return method < 8 ? method + 1 : method + 2;
}

static void draw_methods(FILE *file, const contest *g, int column, const table *paper) {
  fputs("plot ", file);
  if (paper && column == 2)
    fputs(
        "$paper using 1:2 with linespoints linestyle 9 title 'the paper''s Gibbs, 72 sets, 5.5 h "
        "per run', ",
        file);
  for (int m = 0; m < g->use_count; ++m)
    fprintf(file, "%s$method%d using 1:%d with linespoints linestyle %d %s%s%s", m ? ", " : "",
            g->use[m], column, style_of(g->use[m]), column == 2 ? "title '" : "notitle",
            column == 2 ? methods[g->use[m]].title : "", column == 2 ? "'" : "");
  fputs("\n", file);
}

static void write_picture(const campaign *c, const table *paper) {
  const contest *g = c->user;
  figure_file f = figure_create(c->out, "comparison.gp");
  figure_canvas(f.file, "comparison", 1200, 700);
  figure_styles(f.file);
  for (int m = 0; m < g->use_count; ++m) put_method(f.file, c, g->use[m]);
  if (paper) put_paper(f.file, paper);
  fprintf(
      f.file,
      "set multiplot\nset label 10 \"Which moves make a Gibbs chain thermalize? It has to reach "
      "the test error of one started on the truth.\" at screen 0.012,0.965 font ',15'\n"
      "set label 11 \"Network %lld → %lld relu → 1, %lld rows labelled without noise; %lld data "
      "set%s at each noise, up to %lld steps\" at screen 0.012,0.925 font ',11'\n"
      "set logscale x; set autoscale xfix; set offsets graph 0.05, graph 0.05, 0, 0; set format x "
      "'10^{%%L}'; "
      "set xlabel 'noise D (harder to the left)'\n"
      "set bmargin at screen 0.34; set tmargin at screen 0.86\n"
      "set lmargin at screen 0.07; set rmargin at screen 0.475\n"
      "set ylabel 'runs that thermalized, %%'; set yrange [-4:108]\n"
      "set key at screen 0.07,0.23 left top Left reverse samplen 4 spacing 1.1 maxrows 5\n",
      (long long)g->shape.inputs, (long long)g->shape.hidden, (long long)g->shape.train_rows,
      (long long)g->seeds, g->seeds > 1 ? "s" : "", (long long)g->budget);
  draw_methods(f.file, g, 2, paper);
  fputs(
      "unset label 10; unset label 11; set autoscale y; set logscale y; set format y '10^{%L}'\n"
      "set lmargin at screen 0.565; set rmargin at screen 0.985\n"
      "set ylabel 'median of the steps until then, annealing included' offset 1\n",
      f.file);
  int64_t thermalized = 0;
  for (int m = 0; m < g->use_count; ++m)
    for (int n = 0; n < g->noise_count; ++n)
      thermalized += contest_summarize(c, g->use[m], g->noises[n]).thermalized;
  if (thermalized) draw_methods(f.file, g, 3, NULL);
  fputs("unset multiplot\n", f.file);
  figure_close(&f);
  figure_draw(c->out, "comparison");
}

static const char help[] =
    "usage: comparison [options]\n"
    "Compares Gibbs samplers; writes comparison.csv and a picture.\n"
    "  --seeds N       data sets\n"
    "  --noises LIST   such as 1e-3,1e-4\n"
    "  --methods LIST  of plain, relaxed, units, draws, layers, scales, annealed, zero, all\n";

static void write_settings(campaign *c, const contest *g) {
  const size_t size = sizeof c->settings;
  size_t used =
      (size_t)snprintf(c->settings, size,
                       "%lld -> %lld relu -> 1 with biases, %lld rows without noise; %lld "
                       "steps; D =",
                       (long long)g->shape.inputs, (long long)g->shape.hidden,
                       (long long)g->shape.train_rows, (long long)g->budget);
  for (int n = 0; n < g->noise_count; ++n)
    used += (size_t)snprintf(c->settings + used, size - used, " %g", g->noises[n]);
  used += (size_t)snprintf(c->settings + used, size - used, "; methods");
  for (int m = 0; m < g->use_count; ++m)
    used += (size_t)snprintf(c->settings + used, size - used, " %s", methods[g->use[m]].name);
}

int main(int count, char **arguments) {
  const figure_options o = figure_read_options(help, count, arguments);
  table paper = {PAPER_COLUMNS, 0, 0, NULL};
  contest g = make_contest(&o);
  if (contest_choose(&g, METHODS, o.methods) != 0) {
    fprintf(stderr, "--methods %s: not understood\n\n%s", o.methods, help);
    return 2;
  }
  if (o.full) paper = contest_paper(&o);
  campaign c = figure_campaign("comparison", &o);
  write_settings(&c, &g);
  contest_campaign(&c, &g);
  if (!campaign_run(&c)) printf("Stopped; start it again to continue.\n");
  contest_write_runs(&c, "comparison");
  contest_write_times(&c, "comparison");
  write_results(&c, o.full ? &paper : NULL);
  contest_print(&c, o.full ? &paper : NULL);
  if (c.finished) write_picture(&c, o.full ? &paper : NULL);
  campaign_free(&c);
  table_free(&paper);
  return 0;
}
