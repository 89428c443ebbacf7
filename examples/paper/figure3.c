/* The paper's figure 3: test error against time on MNIST, by a dense and a convolutional network.
 * Gibbs, plain and with the library's moves, against HMC, MALA and NUTS on the classical posterior;
 * the noises are chosen so that all reach about the same error. */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "figure.h"
#include "mnist.h"
#include "problem.h"
#include "support.h"

enum { MLP, CNN, NETWORKS };
static const char *const networks[NETWORKS] = {"mlp", "cnn"};
static const char *const network_titles[NETWORKS] = {
    "Dense: 784 → 12 relu → 10", "Convolutional: 4x4 by 2, pool, relu, 72 → 10"};

/* Step sizes are the paper's, for 60000 rows. */
typedef struct method {
  const char *name, *title;
  int32_t sampler, posterior;
  int automatic;
  double noise[NETWORKS], step[NETWORKS];
  int64_t leapfrogs[NETWORKS];
  double spread;          /* standard deviation of the start; 0: from zeros */
  double speed[NETWORKS]; /* steps or gradients in the time of a plain Gibbs step, roughly */
  double paper_seconds[NETWORKS]; /* until it was stationary, on a V100 */
} method;

enum { GIBBS, GIBBS_MOVES, HMC, MALA, NUTS, METHODS };
static const method methods[METHODS] = {
    {"gibbs",
     "Gibbs, plain",
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     0,
     {2, 100},
     {0, 0},
     {0, 0},
     0,
     {1, 1},
     {500, 800}},
    {"gibbs_moves",
     "Gibbs, default moves",
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     1,
     {2, 100},
     {0, 0},
     {0, 0},
     0,
     {0.43, 0.33},
     {NAN, NAN}},
    {"hmc",
     "HMC, classical",
     NNP_HMC,
     NNP_CLASSICAL,
     0,
     {2, 10},
     {1e-3, 1e-3},
     {200, 50},
     0.1,
     {1.1, 0.85},
     {500, 100}},
    {"mala",
     "MALA, classical",
     NNP_MALA,
     NNP_CLASSICAL,
     0,
     {2, 10},
     {2e-6, 5e-6},
     {1, 1},
     1e-4,
     {1.1, 0.85},
     {500, 100}},
    {"nuts",
     "NUTS, classical",
     NNP_NUTS,
     NNP_CLASSICAL,
     0,
     {2, 10},
     {1e-3, 1e-3},
     {0, 0},
     0.1,
     {1.1, 0.85},
     {NAN, NAN}},
};
enum { ALL_ROWS = 60000, LOOKS = 25, MOST_DEPTH = 7 };

enum { STEP, GRADIENTS, ERROR, SECONDS, COLUMNS };

/* Columns of paper_figure3.csv; words by their index. */
enum { PAPER_NETWORK, PAPER_METHOD, PAPER_STEP, PAPER_SECONDS, PAPER_ERROR, PAPER_COLUMNS };
static const char *const paper_words[] = {"mlp", "cnn", "gibbs", "hmc", "mala"};
enum { PAPER_WORDS = 5 };

typedef struct setting {
  mnist digits[NETWORKS]; /* stored as suits the network's first layer */
  table paper;
  int64_t train_rows, test_rows, budget, seeds;
  int use[METHODS], use_count;
  double marks[NETWORKS]; /* errors that all are timed to */
} setting;

typedef struct entry {
  int network, method;
  uint64_t seed;
} entry;

static entry entry_of(const setting *s, int64_t number) {
  const int64_t each = s->use_count;
  const entry e = {(int)(number / each % NETWORKS), s->use[number % each],
                   1 + (uint64_t)(number / each / NETWORKS)};
  return e;
}

/* ---- Chains ------------------------------------------------------------------------------ */

static double budget_of(const setting *s, const entry *e) {
  return ceil(methods[e->method].speed[e->network] * (double)s->budget);
}

static void set_gibbs(nnp_chain *chain, const method *m) {
  nnp_error err;
  const double moves = m->automatic ? NNP_MOVES_AUTOMATIC : NNP_MOVES_PLAIN;
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, moves, &err), &err);
  /* The best order from zeros: see mnist.c. */
  check(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, NNP_BACKWARD, &err), &err);
}

/* Sets step sizes. With fewer rows the posterior is wider: steps grow with its width, those of MALA
 * with the square of it. */
static void set_gradient_sampler(nnp_chain *chain, const setting *s, const entry *e) {
  nnp_error err;
  const method *m = &methods[e->method];
  const double rows = (double)ALL_ROWS / (double)s->digits[e->network].train_rows;
  const double step = m->step[e->network] * (m->sampler == NNP_MALA ? rows : sqrt(rows));
  const double share = floor(0.2 * budget_of(s, e) / (1 << (MOST_DEPTH - 1)));
  const double warmup = share < 30 ? 0 : share; /* a shorter one finds no step size */
  check(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, step, &err), &err);
  if (m->sampler == NNP_HMC)
    check(nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, (double)m->leapfrogs[e->network], &err), &err);
  if (m->sampler != NNP_NUTS) return;
  check(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, MOST_DEPTH, &err), &err);
  check(nnp_chain_set(chain, NNP_OPTION_WARMUP, warmup, &err), &err);
  check(nnp_chain_set(chain, NNP_OPTION_ADAPT_MASS, 0, &err), &err); /* too short for that */
}

static void start_chain(nnp_chain *chain, const nnp_net *net, const entry *e) {
  nnp_error err;
  int64_t count;
  const double spread = methods[e->method].spread;
  if (spread == 0) {
    check(nnp_chain_start(chain, NNP_START_ZERO, e->seed, 0, &err), &err);
    return;
  }
  check(nnp_net_parameters(net, &count, &err), &err);
  double *x = need_memory(sizeof(double) * (size_t)count);
  fill_normals(x, count, e->seed);
  for (int64_t i = 0; i < count; ++i) x[i] *= spread;
  check(nnp_chain_start_weights(chain, x, 0, e->seed, 0, &err), &err);
  free(x);
}

static void begin(const campaign *c, job *j, nnp_pool *pool) {
  nnp_error err;
  const setting *s = c->user;
  const entry e = entry_of(s, j->number);
  const method *m = &methods[e.method];
  nnp_net *net = e.network == MLP ? mnist_mlp_net(m->noise[MLP]) : mnist_cnn_net(m->noise[CNN]);
  check(nnp_chain_create(&j->chains[0], net, s->digits[e.network].train, m->sampler, m->posterior,
                         &err),
        &err);
  j->chain_count = 1;
  check(nnp_chain_use_pool(j->chains[0], pool, &err), &err);
  if (m->sampler == NNP_GIBBS)
    set_gibbs(j->chains[0], m);
  else
    set_gradient_sampler(j->chains[0], s, &e);
  start_chain(j->chains[0], net, &e);
  j->parts = net;
  j->next = 1;
  j->tables[0].columns = COLUMNS;
  j->tables[1].columns = 1; /* not used */
}

static void end(const campaign *c, job *j, int finished) {
  (void)c;
  (void)finished;
  nnp_chain_free(j->chains[0]);
  nnp_net_free(j->parts);
}

static double share_done(const setting *s, const job *j) {
  const entry e = entry_of(s, j->number);
  return (methods[e.method].sampler == NNP_GIBBS ? (double)j->step : j->gradients) /
         budget_of(s, &e);
}

/* Returns the test error if the class of the largest output is predicted, by the current weights
 * alone and without noise. */
static double test_error(const setting *s, const job *j) {
  nnp_error err;
  double accuracy;
  const mnist *digits = &s->digits[entry_of(s, j->number).network];
  check(nnp_chain_score(j->chains[0], digits->test, NNP_SCORE_ACCURACY, &accuracy, &err), &err);
  return 1 - accuracy;
}

static int look(const campaign *c, job *j) {
  const setting *s = c->user;
  const entry e = entry_of(s, j->number);
  const int64_t last = (int64_t)budget_of(s, &e);
  const double row[COLUMNS] = {(double)j->step, j->gradients, test_error(s, j), j->seconds};
  table_add(&j->tables[0], row);
  j->next = next_look(j->step, LOOKS);
  if (methods[e.method].sampler == NNP_GIBBS && j->next > last) j->next = last;
  return share_done(s, j) >= 1;
}

static double share(const campaign *c, const job *j) {
  const double done = share_done(c->user, j);
  return done < 1 ? done : 1;
}

static void describe(const campaign *c, const job *j, char *text, size_t size) {
  const entry e = entry_of(c->user, j->number);
  const table *t = &j->tables[0];
  snprintf(text, size, "%s, %s, seed %llu: step %lld, test error %.4f", networks[e.network],
           methods[e.method].title, (unsigned long long)e.seed, (long long)j->step,
           t->rows ? table_row(t, t->rows - 1)[ERROR] : NAN);
}

/* ---- Results ------------------------------------------------------------------------------ */

typedef struct outcome {
  double seconds;   /* until the error first reached the mark */
  double error;     /* at the end: mean over the last quarter of the steps */
  double per_step;  /* seconds */
  double gradients; /* per step */
  int falling;      /* the error of the quarter before was larger, by more than 3 % */
} outcome;

/* Returns the mean error from one step to another; a row stands for the steps since the previous
 * row. */
static double mean_error(const table *t, double from, double to) {
  double sum = 0, weight = 0;
  for (int64_t i = 0; i < t->rows; ++i) {
    const double *row = table_row(t, i);
    const double steps = row[STEP] - (i ? table_row(t, i - 1)[STEP] : 0);
    if (row[STEP] < from || row[STEP] > to) continue;
    sum += steps * row[ERROR];
    weight += steps;
  }
  return sum / weight;
}

static outcome judge(const job_result *r, double mark) {
  const table *t = &r->tables[0];
  const double *last = table_row(t, t->rows - 1);
  const double end_error = mean_error(t, 0.75 * last[STEP], last[STEP]);
  outcome o = {NAN, end_error, last[SECONDS] / last[STEP], last[GRADIENTS] / last[STEP], 0};
  o.falling =
      t->rows < 16 || !(end_error > 0.97 * mean_error(t, 0.5 * last[STEP], 0.75 * last[STEP]));
  for (int64_t i = t->rows - 1; i >= 0; --i)
    if (table_row(t, i)[ERROR] <= mark) o.seconds = table_row(t, i)[SECONDS];
  return o;
}

/* ---- Files ------------------------------------------------------------------------------- */

static void write_series(const campaign *c) {
  figure_file f = figure_create(c->out, "figure3.csv");
  figure_header(f.file, "Test error on MNIST along chains", c->settings);
  fputs("network,method,seed,step,gradients,test_error\n", f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i) {
    const entry e = entry_of(c->user, i);
    for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k) {
      const double *row = table_row(&c->results[i].tables[0], k);
      fprintf(f.file, "%s,%s,%llu,%.0f,%.0f,%.6g\n", networks[e.network], methods[e.method].name,
              (unsigned long long)e.seed, row[STEP], row[GRADIENTS], row[ERROR]);
    }
  }
  figure_close(&f);
}

static void write_times(const campaign *c) {
  figure_file f = figure_create(c->out, "figure3_times.csv");
  figure_header(f.file, "Processor time, divided by the threads", c->settings);
  figure_machine(f.file, c->threads);
  fputs("network,method,seed,step,seconds\n", f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i) {
    const entry e = entry_of(c->user, i);
    for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k) {
      const double *row = table_row(&c->results[i].tables[0], k);
      fprintf(f.file, "%s,%s,%llu,%.0f,%.5g\n", networks[e.network], methods[e.method].name,
              (unsigned long long)e.seed, row[STEP], row[SECONDS]);
    }
  }
  figure_close(&f);
}

/* ---- Beside the paper -------------------------------------------------------------------- */

static int in_paper(const double *row, int network, int which) {
  return (int)row[PAPER_NETWORK] == network &&
         strcmp(paper_words[(int)row[PAPER_METHOD]], methods[which].name) == 0;
}

/* Returns the paper's error at a step, interpolated in the logarithm of steps; NaN outside its
 * curve, and where its points are too far apart. */
static double paper_error(const table *paper, int network, int which, double step) {
  const double *before = NULL;
  for (int64_t i = 0; i < paper->rows; ++i) {
    const double *row = table_row(paper, i);
    if (!in_paper(row, network, which)) continue;
    if (row[PAPER_STEP] == step) return row[PAPER_ERROR];
    if (row[PAPER_STEP] > step) {
      if (!before || row[PAPER_STEP] > 5 * before[PAPER_STEP]) return NAN;
      const double share =
          log(step / before[PAPER_STEP]) / log(row[PAPER_STEP] / before[PAPER_STEP]);
      return before[PAPER_ERROR] + share * (row[PAPER_ERROR] - before[PAPER_ERROR]);
    }
    before = row;
  }
  return NAN;
}

/* Returns the seconds until the paper's curve reaches the mark; NaN if it never does. */
static double paper_seconds_to(const setting *s, int network, int which) {
  for (int64_t i = 0; i < s->paper.rows; ++i) {
    const double *row = table_row(&s->paper, i);
    if (in_paper(row, network, which) && row[PAPER_ERROR] <= s->marks[network])
      return row[PAPER_SECONDS];
  }
  return NAN;
}

/* Returns the paper's error in the middle of the last quarter of our steps. */
static double paper_error_at_end(const setting *s, const entry *e, const table *series) {
  const double step = 0.875 * table_row(series, series->rows - 1)[STEP];
  return paper_error(&s->paper, e->network, e->method, fmax(step, 1));
}

static int whole(const setting *s) {
  return s->digits[MLP].train_rows == ALL_ROWS;
}

static void write_results(const campaign *c, const outcome *found) {
  const setting *s = c->user;
  const int all = whole(s);
  const double ms[NETWORKS] = {mnist_mlp_ms, mnist_cnn_ms};
  figure_file f = figure_results_create(c->out, "figure3", c->settings);
  for (int64_t i = 0; i < campaign_results(c); ++i) {
    const entry e = entry_of(s, i);
    const method *m = &methods[e.method];
    char name[120];
    snprintf(name, sizeof name, "MNIST %s, %s: test error at the end", networks[e.network],
             m->title);
    const double theirs = all ? paper_error_at_end(s, &e, &c->results[i].tables[0]) : NAN;
    figure_result(f.file, name, "", theirs, found[i].error,
                  isnan(theirs)      ? found[i].falling ? "still falling" : ""
                  : found[i].falling ? "still falling; theirs after as many steps"
                                     : "theirs after as many steps");
    snprintf(name, sizeof name, "MNIST %s, %s: test error %g %% after", networks[e.network],
             m->title, 100 * s->marks[e.network]);
    const double on_v100 = all ? paper_seconds_to(s, e.network, e.method) : NAN;
    figure_result(f.file, name, "s", on_v100, found[i].seconds,
                  isnan(found[i].seconds) ? "not within the budget"
                  : isnan(on_v100)        ? ""
                                          : "theirs on a V100");
    snprintf(name, sizeof name, "MNIST %s, %s: a step", networks[e.network], m->title);
    figure_result(f.file, name, "ms", all && e.method == GIBBS ? ms[e.network] : NAN,
                  1e3 * found[i].per_step, all && e.method == GIBBS ? "theirs on a V100" : "");
  }
  figure_close(&f);
}

/* ---- The picture ------------------------------------------------------------------------- */

static void put_series(FILE *file, const campaign *c, int64_t i) {
  char name[40];
  snprintf(name, sizeof name, "run%lld", (long long)i);
  figure_block_begin(file, name);
  for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k) {
    const double *row = table_row(&c->results[i].tables[0], k);
    if (row[SECONDS] > 0) fprintf(file, "%.5g %.5g\n", row[SECONDS], 100 * row[ERROR]);
  }
  fputs("nan nan\n", file);
  figure_block_end(file);
}

/* Writes the paper's curve for a method as the data block $paper<network>_<method>, and returns the
 * number of its points. */
static int put_paper(FILE *file, const table *paper, int network, int which) {
  char name[40];
  int points = 0;
  snprintf(name, sizeof name, "paper%d_%d", network, which);
  figure_block_begin(file, name);
  for (int64_t i = 0; i < paper->rows; ++i) {
    const double *row = table_row(paper, i);
    if (!in_paper(row, network, which) || isnan(row[PAPER_SECONDS])) continue;
    fprintf(file, "%.5g %.5g\n", row[PAPER_SECONDS], 100 * row[PAPER_ERROR]);
    ++points;
  }
  fputs("nan nan\n", file);
  figure_block_end(file);
  return points;
}

/* Draws the paper's curve in grey, with the same symbols as ours (figure_styles). */
static void draw_paper(FILE *file, int network, int which) {
  fprintf(file,
          ", $paper%d_%d using 1:2 with linespoints linecolor rgb '#a0a0a0' linewidth 2 dashtype "
          "%d pointtype %d title 'the paper: %s, on a V100'",
          network, which, which == GIBBS ? 2 : 3, which == GIBBS ? 4 : 6, methods[which].title);
}

/* Draws the runs of the first seed. */
static void draw_network(FILE *file, const campaign *c, const outcome *found, int network,
                         const int *known) {
  const setting *s = c->user;
  const double left = network == MLP ? 0.065 : 0.565;
  int drawn = 0;
  fprintf(file,
          "set lmargin at screen %g; set rmargin at screen %g\n"
          "set bmargin at screen 0.36; set tmargin at screen 0.83\n"
          "set title \"%s\" font ',14'\nset key at screen %g,0.27 left top Left reverse samplen 4 "
          "spacing 1.1 maxrows 7\nplot ",
          left, left + 0.42, network_titles[network], left);
  for (int64_t i = 0; i < campaign_results(c); ++i) {
    const entry e = entry_of(s, i);
    char when[60];
    if (e.network != network || e.seed != 1) continue;
    snprintf(when, sizeof when, "never %g %%", 100 * s->marks[network]);
    char paper[60] = "";
    if (whole(s) && !isnan(methods[e.method].paper_seconds[network]))
      snprintf(paper, sizeof paper, " (V100: flat by %g s)",
               methods[e.method].paper_seconds[network]);
    if (!isnan(found[i].seconds))
      snprintf(when, sizeof when, "%g %% after %.2g s", 100 * s->marks[network], found[i].seconds);
    fprintf(file,
            "%s$run%lld using 1:2 with linespoints linestyle %d pointinterval 15 title '%s: "
            "%s, at last %.1f %%%s'",
            drawn++ ? ", " : "", (long long)i, e.method + 1, methods[e.method].title, when,
            100 * found[i].error, paper);
  }
  if (!drawn) fputs("NaN notitle", file);
  fprintf(file, ", %g with lines linecolor rgb '#808080' linewidth 0.8 notitle",
          100 * s->marks[network]);
  for (int m = 0; m < METHODS; ++m)
    if (known[m]) draw_paper(file, network, m);
  fputs("\n", file);
}

static double least_error(const campaign *c) {
  double least = 1;
  for (int64_t i = 0; i < campaign_results(c); ++i)
    for (int64_t k = 0; k < c->results[i].tables[0].rows; ++k)
      least = fmin(least, table_row(&c->results[i].tables[0], k)[ERROR]);
  return least;
}

static void write_picture(const campaign *c, const outcome *found) {
  const setting *s = c->user;
  int known[NETWORKS][METHODS] = {{0}};
  figure_file f = figure_create(c->out, "figure3.gp");
  figure_canvas(f.file, "figure3", 1200, 680);
  figure_styles(f.file);
  for (int64_t i = 0; i < campaign_results(c); ++i) put_series(f.file, c, i);
  for (int i = 0; whole(s) && i < NETWORKS * METHODS; ++i)
    known[i / METHODS][i % METHODS] = put_paper(f.file, &s->paper, i / METHODS, i % METHODS);
  fprintf(f.file,
          "set multiplot\nset logscale xy; set yrange [%.2g:100]\n"
          "set ytics (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)\nset format x '10^{%%L}'\n"
          "set xlabel 'processor time, divided by %lld thread%s, s'\n"
          "set ylabel 'test error, %%' offset 1\n"
          "set label 10 \"Which sampler learns the digits soonest? Test error of single states on "
          "MNIST, %lld training images\" at screen 0.012,0.965 font ',15'\n"
          "set label 11 \"Gibbs samples the intermediate noise posterior, the others the classical "
          "one; the thin line is the error that the legend has times for\" at screen 0.012,0.925 "
          "font ',11'\n",
          80 * least_error(c), (long long)c->threads, c->threads > 1 ? "s" : "",
          (long long)s->digits[MLP].train_rows);
  draw_network(f.file, c, found, MLP, known[MLP]);
  fputs("unset label 10; unset label 11; unset ylabel\n", f.file);
  draw_network(f.file, c, found, CNN, known[CNN]);
  fputs("unset multiplot\n", f.file);
  figure_close(&f);
  figure_draw(c->out, "figure3");
}

static void print_table(const campaign *c, const outcome *found) {
  printf("%-8s %-22s %10s %12s %14s %12s\n", "network", "method", "ms/step", "gradients",
         "at mark, s", "test error");
  for (int64_t i = 0; i < campaign_results(c); ++i) {
    const entry e = entry_of(c->user, i);
    printf("%-8s %-22s %10.3g %12.3g %14.3g %12.4f\n", networks[e.network], methods[e.method].title,
           1e3 * found[i].per_step, found[i].gradients, found[i].seconds, found[i].error);
  }
}

static void write_files(const campaign *c) {
  const setting *s = c->user;
  const int64_t count = campaign_results(c);
  outcome *found = need_memory(sizeof *found * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i)
    found[i] = judge(&c->results[i], s->marks[entry_of(s, i).network]);
  write_series(c);
  write_times(c);
  write_results(c, found);
  print_table(c, found);
  if (count) write_picture(c, found);
  free(found);
}

/* ---- The program ------------------------------------------------------------------------- */

static const char help[] =
    "usage: figure3 [options]\n"
    "Which sampler learns the digits soonest? Draws the paper's figure 3: test error against time\n"
    "on MNIST by a dense and a convolutional network.\n"
    "  --data FOLDER   the four IDX files, out/mnist unless given; .ci/mnist fetches them\n"
    "  --seeds N       chains of each sampler, 1 unless given; the first one is drawn\n"
    "  --methods LIST  of gibbs, gibbs_moves, hmc, mala, nuts\n"
    "--budget counts steps of plain Gibbs; other methods get what takes about as long. The quick\n"
    "version takes 2000 of the 60000 training images.\n";

static void choose(setting *s, const char *names) {
  for (int m = 0; !names && m < METHODS; ++m) s->use[s->use_count++] = m;
  while (names && *names) {
    const size_t length = strcspn(names, ",");
    const int before = s->use_count;
    for (int m = 0; m < METHODS && before < METHODS; ++m)
      if (strlen(methods[m].name) == length && strncmp(methods[m].name, names, length) == 0)
        s->use[s->use_count++] = m;
    if (s->use_count == before) {
      fprintf(stderr, "--methods %s: not understood\n\n%s", names, help);
      exit(2);
    }
    names += length + (names[length] == ',');
  }
}

static setting make_setting(const figure_options *o) {
  setting s;
  memset(&s, 0, sizeof s);
  s.train_rows = o->full ? ALL_ROWS : 2000;
  s.test_rows = o->full ? 5000 : 1000;
  s.budget = o->budget ? o->budget : o->full ? 10000 : 400;
  s.seeds = o->seeds ? o->seeds : 1;
  s.marks[MLP] = o->full ? 0.12 : 0.25;
  s.marks[CNN] = o->full ? 0.15 : 0.3;
  choose(&s, o->methods);
  return s;
}

static void write_settings(campaign *c, const setting *s) {
  const size_t size = sizeof c->settings;
  size_t used = (size_t)snprintf(
      c->settings, size,
      "MNIST, %lld training and %lld test images; dense D = 2, convolutional D = 100 (classical "
      "10); %lld steps of plain Gibbs or what takes as long; the paper's settings; methods",
      (long long)s->digits[MLP].train_rows, (long long)s->digits[MLP].test_rows,
      (long long)s->budget);
  for (int m = 0; m < s->use_count; ++m)
    used += (size_t)snprintf(c->settings + used, size - used, " %s", methods[s->use[m]].name);
}

static void load(setting *s, const figure_options *o) {
  static const int32_t stores[NETWORKS] = {NNP_STORE_SPARSE, NNP_STORE_BYTES};
  const int64_t most_rows[2] = {s->train_rows, s->test_rows};
  char message[512];
  for (int n = 0; n < NETWORKS; ++n)
    if (mnist_load_part(o->data, stores[n], most_rows, &s->digits[n], message, sizeof message)) {
      fprintf(stderr, "%s\nThe files are fetched by .ci/mnist; --data names another folder.\n",
              message);
      exit(1);
    }
}

int main(int count, char **arguments) {
  const figure_options o = figure_read_options(help, count, arguments);
  setting s = make_setting(&o);
  load(&s, &o);
  s.paper = figure_paper(&o, "paper_figure3.csv", PAPER_COLUMNS, paper_words, PAPER_WORDS);
  campaign c = figure_campaign("figure3", &o);
  write_settings(&c, &s);
  c.jobs = s.seeds * NETWORKS * s.use_count;
  c.user = &s;
  c.begin = begin;
  c.look = look;
  c.end = end;
  c.share = share;
  c.describe = describe;
  if (!campaign_run(&c)) printf("Stopped; start it again to continue.\n");
  write_files(&c);
  campaign_free(&c);
  for (int n = 0; n < NETWORKS; ++n) mnist_free(&s.digits[n]);
  table_free(&s.paper);
  return 0;
}
