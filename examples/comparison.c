/* Which moves make a Gibbs chain thermalize, and how soon? A teacher labels random inputs without
 * noise; a chain started on it shows the equilibrium, and another one, from zero or cooled, has to
 * get there. Plain Gibbs, each of the library's extra moves and all of them together, over several
 * noises and data sets: the fraction that thermalized and the median of the steps it took, as a
 * table and a picture. A run that was killed goes on where it was. */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "contest.h"
#include "figure.h"
#include "plot.h"
#include "support.h"

/* ---- Methods ----------------------------------------------------------------------------- */

enum { PLAIN, RELAXED, UNITS, DRAWS, LAYERS, SCALES, COOLED, ALL_ZERO, ALL, METHODS };

/* All get as many steps, whatever those cost. */
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
    {"cooled", "plain Gibbs, cooled", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, 0, 0, 1},
    {"zero", "all moves, from zero", NNP_GIBBS, NNP_INTERMEDIATE, 1, 1, 0, 0, 0},
    {"all", "all moves, cooled: the default sampler with a cooled start", NNP_GIBBS,
     NNP_INTERMEDIATE, 1, 1, 0, 0, 1},
};

/* What the paper's authors found within 2.5 million steps. */
enum { PAPER_NOISE, PAPER_RUNS, PAPER_THERMALIZED, PAPER_LEVEL, PAPER_SD, PAPER_COLUMNS };

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
  g.seeds = o->seeds ? o->seeds : 2;
  g.first_seed = 1;
  g.budget = o->budget ? o->budget : o->full ? 300000 : 8000;
  g.decade = o->full ? 2000 : 1000;
  g.end_when_stuck = 1;
  return g;
}

/* ---- Files ------------------------------------------------------------------------------- */

static void write_runs(const campaign *c) {
  figure_file f = figure_create(c->out, "comparison.csv");
  figure_header(f.file, "Did a chain reach the test MSE of the informed one?", c->settings);
  figure_machine(f.file, c->threads);
  fputs("method,noise,seed,verdict,time,level,equilibrium,distance,steps,seconds\n", f.file);
  for (int64_t i = 0; i < c->finished; ++i) {
    const contest_entry e = contest_entry_of(c->user, i);
    const double *run = contest_run(c, i);
    fprintf(f.file, "%s,%g,%lld,%.0f,%.6g,%.6g,%.6g,%.4g,%.0f,%.4g\n", methods[e.method].name,
            e.noise, (long long)e.seed, run[RUN_VERDICT], run[RUN_TIME], run[RUN_LEVEL],
            run[RUN_EQUILIBRIUM], run[RUN_DISTANCE], run[RUN_STEPS], run[RUN_SECONDS]);
  }
  figure_close(&f);
}

static double published_share(const table *paper, double noise) {
  for (int64_t i = 0; i < paper->rows; ++i) {
    const double *row = table_row(paper, i);
    if (same_noise(row[PAPER_NOISE], noise)) return row[PAPER_THERMALIZED] / row[PAPER_RUNS];
  }
  return NAN;
}

static void print_table(const campaign *c, const table *paper) {
  const contest *g = c->user;
  printf("Thermalized runs, median steps and seconds of one chain until then.\n\n");
  printf("%-8s %10s %12s %12s %10s %14s %10s\n", "method", "noise", "thermalized", "steps",
         "seconds", "equilibrium", "paper");
  for (int m = 0; m < g->use_count; ++m)
    for (int n = 0; n < g->noise_count; ++n) {
      const contest_summary s = contest_summarize(c, g->use[m], g->noises[n]);
      if (s.runs == 0) continue;
      char share[48], in_paper[32] = "";
      snprintf(share, sizeof share, "%lld of %lld", (long long)s.thermalized, (long long)s.runs);
      const double known = published_share(paper, g->noises[n]);
      if (!isnan(known)) snprintf(in_paper, sizeof in_paper, "%.0f %%", 100 * known);
      printf("%-8s %10g %12s %12.0f %10.1f %14.3g %10s\n", methods[g->use[m]].name, g->noises[n],
             share, s.median_steps, s.median_seconds, s.level, in_paper);
    }
  printf("\n");
  for (int m = 0; m < g->use_count; ++m)
    printf("%-8s %s\n", methods[g->use[m]].name, methods[g->use[m]].title);
}

typedef struct points {
  double x[CONTEST_NOISES], share[CONTEST_NOISES], steps[CONTEST_NOISES];
} points;

static points points_of(const campaign *c, int method) {
  const contest *g = c->user;
  points p = {{0}, {0}, {0}};
  for (int n = 0; n < g->noise_count; ++n) {
    const contest_summary s = contest_summarize(c, method, g->noises[n]);
    p.x[n] = s.runs ? g->noises[n] : NAN;
    p.share[n] = s.runs ? (double)s.thermalized / (double)s.runs : NAN;
    p.steps[n] = s.median_steps;
  }
  return p;
}

/* The paper's, plain Gibbs or all moves, and two more: as many as can be told apart. */
static void write_picture(const campaign *c, const table *paper, const char *path) {
  const contest *g = c->user;
  static const int shown[2][3] = {{PLAIN, COOLED, ALL}, {RELAXED, UNITS, LAYERS}};
  static const char *const titles[2] = {"Plain Gibbs and all moves together", "One move at a time"};
  const plot_row rows[2] = {{"thermalized", 180, 0, 0, 1, 1}, {"median steps", 180, 1, 0, NAN, 0}};
  plot_curve curves[2][2][4];
  plot_panel panels[2];
  points p[2][3];
  double noise[32], share[32];
  const int published = (int)(paper->rows < 32 ? paper->rows : 32);
  for (int i = 0; i < published; ++i) {
    noise[i] = table_row(paper, i)[PAPER_NOISE];
    share[i] = table_row(paper, i)[PAPER_THERMALIZED] / table_row(paper, i)[PAPER_RUNS];
  }
  memset(panels, 0, sizeof panels);
  for (int side = 0; side < 2; ++side) {
    int count[2] = {0, 0};
    if (published) {
      const plot_curve known = {"the paper's runs", noise, share, published, PLOT_REFERENCE};
      curves[side][0][count[0]++] = known;
    }
    for (int i = 0; i < 3; ++i) {
      static const plot_style styles[3] = {PLOT_FIRST, PLOT_BOTH, PLOT_SECOND};
      p[side][i] = points_of(c, shown[side][i]);
      const char *name = methods[shown[side][i]].name;
      const plot_curve fraction = {name, p[side][i].x, p[side][i].share, g->noise_count, styles[i]};
      const plot_curve steps = {NULL, p[side][i].x, p[side][i].steps, g->noise_count, styles[i]};
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
  if (plot_write_svg(path, &picture) != 0) fprintf(stderr, "%s: could not be written\n", path);
}

static const char help[] =
    "usage: comparison [options]\n"
    "Compares Gibbs samplers; writes comparison.csv and comparison.svg.\n"
    "  --seeds N       data sets\n"
    "  --noises LIST   such as 1e-3,1e-4\n"
    "  --methods LIST  of plain, relaxed, units, draws, layers, scales, cooled, zero, all\n";

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
  char picture[4000];
  contest g = make_contest(&o);
  if (contest_choose(&g, METHODS, o.methods) != 0) {
    fprintf(stderr, "--methods %s: not understood\n\n%s", o.methods, help);
    return 2;
  }
  if (o.full) paper = figure_paper(&o, "paper_gibbs.csv", PAPER_COLUMNS, NULL, 0);
  campaign c = figure_campaign("comparison", &o);
  write_settings(&c, &g);
  contest_campaign(&c, &g);
  if (!campaign_run(&c)) printf("Stopped; start it again to go on.\n");
  write_runs(&c);
  print_table(&c, &paper);
  snprintf(picture, sizeof picture, "%s/comparison.svg", o.out);
  if (g.noise_count > 1 && c.finished) write_picture(&c, &paper, picture);
  campaign_free(&c);
  table_free(&paper);
  return 0;
}
