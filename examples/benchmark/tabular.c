/* tabular FILE [--target NAME] [--drop NAME,NAME] [--test 0.2] [--split 0] [--seed 1]
 *         [--head gaussian|location_scale|student_t] [--chains N] [--warmup N] [--draws N]
 *         [--threads N] [--picture FILE.svg] [--line FILE.md]
 *
 * A regression on a table of data with the settings the library recommends: reads a file of numbers,
 * splits it as scikit-learn does, standardizes columns by the training rows, samples, weighs chains
 * by what they are worth, and tells how good predictions of the test rows are. Nothing is tuned to
 * the data. --picture draws whether predictive quantiles hold what they say; --line adds a line to a
 * table. */
#include <math.h>
#include <nnpost_diagnostics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dataset.h"
#include "progress.h"
#include "support.h"

enum { MOST_CHAINS = 64, LEVELS = 19 };

static nnp_error err;

typedef struct choices {
  const char *path, *target, *dropped, *picture, *line;
  double test;
  uint32_t split;
  uint64_t seed;
  int32_t head;                           /* 0: as recommended … */
  int64_t chains, warmup, draws, threads; /* … these, too; threads 1 */
} choices;

/* Rows of a part of the table, standardized: inputs and targets. */
typedef struct part {
  int64_t rows, inputs;
  double *x, *y;
  nnp_data *data;
} part;

/* Means and standard deviations of training columns, the target's last. */
typedef struct units {
  double mean[DATASET_COLUMNS], sd[DATASET_COLUMNS];
} units;

typedef struct draws_made {
  nnp_recipe recipe;
  nnp_chain *chains[MOST_CHAINS];
  double *values;            /* [parameter, draw, chain] */
  int64_t parameters, count; /* of all chains */
} draws_made;

/* What was found, in units of the target's standard deviation in training. */
typedef struct findings {
  double rmse, nll_gaussian, nll, coverage, calibration[LEVELS];
  double core_seconds;
  nnp_convergence convergence;
  char verdict[160];
  nnp_loo_summary loo;
  double weights[MOST_CHAINS];
} findings;

/* ---- Data ------------------------------------------------------------------------------------- */

static void end_with(const char *path, const char *sentence) {
  fprintf(stderr, "tabular: %s: %s\n", path, sentence);
  exit(1);
}

static part take_rows(const dataset *all, const int64_t *order, int64_t rows) {
  const int64_t inputs = all->columns - 1;
  part out = {rows, inputs, need_memory(sizeof(double) * (size_t)(rows * inputs)),
              need_memory(sizeof(double) * (size_t)rows), NULL};
  for (int64_t i = 0; i < rows; ++i) {
    const double *from = all->values + order[i] * all->columns;
    memcpy(out.x + i * inputs, from, sizeof(double) * (size_t)inputs);
    out.y[i] = from[inputs];
  }
  return out;
}

/* A constant column carries no information and becomes 0; a constant target is an error. */
static units find_units(const part *train, const choices *asked) {
  units u;
  const int32_t status =
      nnp_standard(train->x, train->rows, train->inputs, NNP_ROW_MAJOR, u.mean, u.sd, &err);
  if (status == NNP_E_VALUE)
    fprintf(stderr, "tabular: %s: inputs, %s\n", asked->path, err.message);
  else
    check(status, &err);
  if (nnp_standard(train->y, train->rows, 1, NNP_ROW_MAJOR, u.mean + train->inputs,
                   u.sd + train->inputs, &err) != NNP_OK)
    end_with(asked->path, "the target is constant in the training rows");
  return u;
}

static void make_data(part *rows, const units *u) {
  const int64_t p = rows->inputs;
  check(nnp_standardize(rows->x, rows->rows, p, NNP_ROW_MAJOR, u->mean, u->sd, rows->x, &err),
        &err);
  check(
      nnp_standardize(rows->y, rows->rows, 1, NNP_ROW_MAJOR, u->mean + p, u->sd + p, rows->y, &err),
      &err);
  check(nnp_data_create(&rows->data, rows->rows, p, 1, &err), &err);
  check(nnp_data_set_inputs(rows->data, rows->x, NNP_ROW_MAJOR, &err), &err);
  check(nnp_data_set_targets(rows->data, rows->y, NNP_ROW_MAJOR, &err), &err);
}

static void free_part(part *rows) {
  nnp_data_free(rows->data);
  free(rows->x);
  free(rows->y);
}

/* ---- Sampling --------------------------------------------------------------------------------- */

typedef struct bars {
  progress bar;
  int64_t done[MOST_CHAINS], chains;
} bars;

static int32_t on_step(const nnp_progress *told, void *user) {
  bars *b = user;
  int64_t sum = 0;
  b->done[told->chain_index] = told->step;
  for (int64_t c = 0; c < b->chains; ++c) sum += b->done[c];
  progress_update(&b->bar, sum, "");
  return 0;
}

static bars begin(const char *label, int64_t chains, int64_t steps) {
  bars b = {progress_begin(label, chains * steps), {0}, chains};
  return b;
}

static nnp_recipe recipe_for(const nnp_net *net, int64_t rows, const choices *asked) {
  nnp_recipe recipe;
  check(nnp_recommend(net, rows, 0, &recipe, &err), &err);
  if (asked->chains) recipe.chains = asked->chains;
  if (asked->warmup) recipe.warmup = asked->warmup;
  if (asked->draws) recipe.draws = asked->draws;
  if (recipe.chains > MOST_CHAINS) recipe.chains = MOST_CHAINS;
  return recipe;
}

static draws_made sample(const nnp_net *net, const part *train, const choices *asked,
                         nnp_pool *pool) {
  draws_made made = {recipe_for(net, train->rows, asked), {NULL}, NULL, 0, 0};
  const nnp_recipe *r = &made.recipe;
  bars b;
  check(nnp_net_parameters(net, &made.parameters, &err), &err);
  made.count = r->chains * r->draws;
  made.values = need_memory(sizeof(double) * (size_t)(made.parameters * made.count));
  for (int64_t c = 0; c < r->chains; ++c) {
    check(nnp_chain_create(&made.chains[c], net, train->data, r->sampler, r->posterior, &err),
          &err);
    check(nnp_chain_use_recipe(made.chains[c], r, &err), &err);
  }
  check(nnp_chain_use_pool(made.chains[0], pool, &err), &err);
  check(nnp_chains_start(made.chains, r->chains, r->start, asked->seed, NULL, NULL, &err), &err);
  b = begin("warm-up", r->chains, r->warmup);
  check(nnp_chains_run(made.chains, r->chains, r->warmup, on_step, &b, &err), &err);
  progress_end(&b.bar);
  b = begin("sampling", r->chains, r->draws * r->thin);
  check(
      nnp_chains_sample(made.chains, r->chains, made.values, r->draws, r->thin, on_step, &b, &err),
      &err);
  progress_end(&b.bar);
  return made;
}

static void free_draws(draws_made *made) {
  for (int64_t c = 0; c < made->recipe.chains; ++c) nnp_chain_free(made->chains[c]);
  free(made->values);
}

/* Predictions on the pool's threads too, in memory to be freed after the predictor. */
static void *use_threads(nnp_predictor *predictor, nnp_pool *pool) {
  size_t bytes;
  if (!pool) return NULL;
  check(nnp_predictor_pool_bytes(predictor, pool, &bytes, &err), &err);
  char *memory = need_memory(bytes + 64);
  char *aligned = memory + (64 - (uintptr_t)memory % 64) % 64;
  check(nnp_predictor_use_pool(predictor, pool, aligned, bytes, &err), &err);
  return memory;
}

/* ---- What each chain is worth, and whether they agree ------------------------------------------ */

static void weigh(const draws_made *made, const part *train, nnp_predictor *predictor,
                  findings *out) {
  const nnp_recipe *r = &made->recipe;
  double *log_lik = need_memory(sizeof(double) * (size_t)(train->rows * made->count));
  double *each = need_memory(sizeof(double) * (size_t)made->count);
  nnp_stacking_summary stacked;
  nnp_draws where;
  size_t loo_bytes, bytes;
  check(nnp_log_lik(predictor, train->data, made->values, made->count, log_lik, &err), &err);
  check(nnp_draws_init(&where, log_lik, train->rows, r->draws, r->chains, &err), &err);
  check(nnp_loo_bytes(&where, &loo_bytes, &err), &err);
  check(nnp_stack_chains_bytes(&where, &bytes, &err), &err);
  if (bytes < loo_bytes) bytes = loo_bytes;
  void *memory = need_memory(bytes);
  check(nnp_loo(&where, NULL, NULL, NULL, &out->loo, memory, bytes, &err), &err);
  for (int64_t c = 0; c < r->chains; ++c) out->weights[c] = 1.0 / (double)r->chains;
  if (out->convergence.verdict == NNP_NOT_CONVERGED) /* chains in modes of their own */
    check(nnp_stack_chains(&where, out->weights, &stacked, memory, bytes, &err), &err);
  for (int64_t s = 0; s < made->count; ++s) each[s] = out->weights[s / r->draws];
  check(nnp_predictor_weights(predictor, each, made->count, &err), &err);
  free(memory);
  free(each);
  free(log_lik);
}

static void judge(const draws_made *made, const part *train, nnp_predictor *predictor,
                  findings *out) {
  nnp_draws where;
  int64_t count;
  size_t bytes;
  check(nnp_functions_count(predictor, train->data, 0, &count, &err), &err);
  double *functions = need_memory(sizeof(double) * (size_t)(count * made->count));
  check(nnp_functions(predictor, train->data, made->values, made->count, 0, functions, &err), &err);
  check(nnp_draws_init(&where, functions, count, made->recipe.draws, made->recipe.chains, &err),
        &err);
  check(nnp_convergence_bytes(&where, &bytes, &err), &err);
  void *memory = need_memory(bytes);
  check(nnp_convergence_of(&where, &out->convergence, memory, bytes, &err), &err);
  check(nnp_convergence_text(&out->convergence, out->verdict, sizeof out->verdict, &err), &err);
  free(memory);
  free(functions);
}

/* ---- How good predictions are ------------------------------------------------------------------ */

static double gaussian_nll(double y, double mean, double sd) {
  return 0.5 * log(2 * acos(-1.0) * sd * sd) + 0.5 * (y - mean) * (y - mean) / (sd * sd);
}

static void score(const draws_made *made, const part *test, nnp_predictor *predictor,
                  findings *out) {
  const int64_t n = test->rows;
  double *mean = need_memory(sizeof(double) * (size_t)n);
  double *sd = need_memory(sizeof(double) * (size_t)n);
  double *quantiles = need_memory(sizeof(double) * (size_t)(n * LEVELS));
  double levels[LEVELS], log_score;
  for (int q = 0; q < LEVELS; ++q) levels[q] = 0.05 * (q + 1);
  check(nnp_predictor_levels(predictor, levels, LEVELS, &err), &err);
  check(nnp_predict(predictor, test->data, made->values, made->count, NNP_PREDICT_MEAN, mean, &err),
        &err);
  check(nnp_predict(predictor, test->data, made->values, made->count, NNP_PREDICT_SD, sd, &err),
        &err);
  check(nnp_predict(predictor, test->data, made->values, made->count, NNP_PREDICT_QUANTILES,
                    quantiles, &err),
        &err);
  check(
      nnp_score(predictor, test->data, made->values, made->count, NNP_SCORE_LOG, &log_score, &err),
      &err);
  out->nll = -log_score;
  for (int64_t i = 0; i < n; ++i) {
    const double y = test->y[i], *levels_of_row = quantiles + i * LEVELS;
    out->rmse += (y - mean[i]) * (y - mean[i]) / (double)n;
    out->nll_gaussian += gaussian_nll(y, mean[i], sd[i]) / (double)n;
    out->coverage += (levels_of_row[0] <= y && y <= levels_of_row[LEVELS - 1]) / (double)n;
    for (int q = 0; q < LEVELS; ++q) out->calibration[q] += (y <= levels_of_row[q]) / (double)n;
  }
  out->rmse = sqrt(out->rmse);
  free(mean);
  free(sd);
  free(quantiles);
}

/* ---- The picture ------------------------------------------------------------------------------ */

static double across(double level) {
  return 60 + 300 * level;
}
static double up(double share) {
  return 340 - 300 * share;
}

/* Where the shares of n rows lie, 19 times in 20, if the predictions are right. */
static void draw_band(FILE *file, int64_t n) {
  fprintf(file, "<polygon fill='#dde8f0' points='");
  for (int side = 1; side >= -1; side -= 2)
    for (int i = 0; i <= 40; ++i) {
      const double p = side > 0 ? i / 40.0 : 1 - i / 40.0;
      const double share = p + side * 1.96 * sqrt(p * (1 - p) / (double)n);
      fprintf(file, "%.1f,%.1f ", across(p), up(fmin(fmax(share, 0), 1)));
    }
  fprintf(file, "'/>\n");
}

static int write_picture(const char *path, const findings *f, int64_t n, const char *name) {
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='400' "
          "font-family='sans-serif' font-size='13'>\n"
          "<rect width='400' height='400' fill='white'/>\n"
          "<text x='60' y='24' font-size='15'>%.40s: are quantiles what they say?</text>\n",
          name);
  draw_band(file, n);
  for (int i = 0; i <= 4; ++i)
    fprintf(file,
            "<text x='%.1f' y='358' text-anchor='middle'>%.2f</text>\n"
            "<text x='52' y='%.1f' text-anchor='end'>%.2f</text>\n",
            across(i / 4.0), i / 4.0, up(i / 4.0) + 4, i / 4.0);
  fprintf(file,
          "<rect x='60' y='40' width='300' height='300' fill='none' stroke='#888'/>\n"
          "<line x1='60' y1='340' x2='360' y2='40' stroke='#888' stroke-dasharray='4 3'/>\n"
          "<text x='210' y='382' text-anchor='middle'>level of the predictive quantile</text>\n"
          "<text x='16' y='190' text-anchor='middle' transform='rotate(-90 16 190)'>share of %lld "
          "test targets below</text>\n",
          (long long)n);
  for (int q = 0; q < LEVELS; ++q)
    fprintf(file, "<circle cx='%.1f' cy='%.1f' r='4' fill='#1b6ca8'/>\n", across(0.05 * (q + 1)),
            up(f->calibration[q]));
  fprintf(file, "</svg>\n");
  return fclose(file);
}

/* ---- The report ------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void print_findings(const findings *f, const draws_made *made, double unit) {
  const nnp_recipe *r = &made->recipe;
  printf("RMSE                 %.4f of the target's sd (%.4g in its units)\n", f->rmse,
         f->rmse * unit);
  printf("NLL, one Gaussian    %.4f\nNLL, log-mean-exp    %.4f\n", f->nll_gaussian, f->nll);
  printf("90 %% intervals cover %.1f %%\n", 100 * f->coverage);
  printf("R-hat %.3f, effective draws %.0f in bulk and %.0f in tails\n", f->convergence.rhat,
         f->convergence.ess_bulk, f->convergence.ess_tail);
  printf("elpd_loo %.1f (standard error %.1f), p_loo %.1f, %lld rows with Pareto k above %.2f\n",
         f->loo.elpd, f->loo.elpd_error, f->loo.p_loo, (long long)f->loo.unreliable,
         f->loo.k_limit);
  printf("weights of chains   ");
  for (int64_t c = 0; c < r->chains; ++c) printf(" %.3f", f->weights[c]);
  printf("\n%lld chains, %lld + %lld steps of each, %.1f core seconds\n%s\n", (long long)r->chains,
         (long long)r->warmup, (long long)(r->draws * r->thin), f->core_seconds, f->verdict);
  if (f->convergence.verdict == NNP_NOT_CONVERGED)
    printf(
        "longer chains help (--warmup, --draws), or replica exchange of a network of your own\n");
}

static int add_line(const char *path, const findings *f, const char *name, int64_t rows) {
  FILE *file = fopen(path, "a");
  if (!file) return -1;
  fprintf(file, "| %s | nnpost | %lld | %.4f | %.4f | %.4f | %.1f %% | %.3f | %.0f | %.0f |\n",
          name, (long long)rows, f->rmse, f->nll_gaussian, f->nll, 100 * f->coverage,
          f->convergence.rhat, f->convergence.ess_bulk, f->core_seconds);
  return fclose(file);
}

/* ---- Options ---------------------------------------------------------------------------------- */

static int32_t head_of(const char *name) {
  for (int32_t head = NNP_GAUSSIAN; head <= NNP_LOCATION_SCALE; ++head) {
    const char *known = "";
    int32_t labels = 1;
    check(nnp_head_info(head, &known, &labels, NULL, &err), &err);
    if (!labels && strcmp(name, known) == 0) return head;
  }
  fprintf(stderr, "tabular: --head %s: expected gaussian, student_t or location_scale\n", name);
  exit(2);
}

static int64_t whole(const char *option, const char *value, int64_t least) {
  char *end;
  const long long number = strtoll(value, &end, 10);
  if (*value && !*end && number >= least) return number;
  fprintf(stderr, "tabular: %s %s: expected a whole number from %lld on\n", option, value,
          (long long)least);
  exit(2);
}

static double share(const char *option, const char *value) {
  char *end;
  const double number = strtod(value, &end);
  if (*value && !*end && number > 0 && number < 1) return number;
  fprintf(stderr, "tabular: %s %s: expected a number between 0 and 1\n", option, value);
  exit(2);
}

static void print_help(void) {
  printf(
      "%s",
      "tabular FILE [options]: a regression on a table of numbers with the settings the library\n"
      "recommends. Columns are separated by commas, semicolons or spaces; names are in the first\n"
      "line, if any. Training columns are standardized, the test rows are split as scikit-learn\n"
      "does, chains that disagree are weighed. Printed are RMSE, negative log likelihoods (of one\n"
      "Gaussian per row, and of the mixture over draws), coverage, R-hat, effective draws and "
      "core\n"
      "seconds, in units of the target's standard deviation in the training rows.\n\n"
      "  --target NAME    column to predict; the last one unless given\n"
      "  --drop A,B       columns to leave out\n"
      "  --test 0.2       share of rows for testing\n"
      "  --split 0        which split: scikit-learn's random_state\n"
      "  --seed 1         of the chains\n"
      "  --head NAME      gaussian; location_scale (noise that depends on the input); student_t;\n"
      "                   unless given, what suits the number of rows\n"
      "  --chains, --warmup, --draws N    warm-up and draws of each chain, unless recommended\n"
      "  --threads 1      results do not depend on them\n"
      "  --picture F.svg  draws whether predictive quantiles hold what they say\n"
      "  --line F.md      adds a line to a table\n");
  exit(0);
}

static choices read_choices(int count, char **words) {
  choices c = {NULL, NULL, NULL, NULL, NULL, 0.2, 0, 1, 0, 0, 0, 0, 1};
  for (int i = 1; i < count; ++i) {
    const char *word = words[i];
    if (!strcmp(word, "--help")) print_help();
    if (strncmp(word, "--", 2) != 0 && !c.path) {
      c.path = word;
      continue;
    }
    if (i + 1 == count || strncmp(word, "--", 2) != 0) {
      fprintf(stderr, "tabular: %s: expected FILE and options with a value each\n", word);
      exit(2);
    }
    const char *value = words[++i];
    if (!strcmp(word, "--target"))
      c.target = value;
    else if (!strcmp(word, "--drop"))
      c.dropped = value;
    else if (!strcmp(word, "--picture"))
      c.picture = value;
    else if (!strcmp(word, "--line"))
      c.line = value;
    else if (!strcmp(word, "--test"))
      c.test = share(word, value);
    else if (!strcmp(word, "--split"))
      c.split = (uint32_t)whole(word, value, 0);
    else if (!strcmp(word, "--seed"))
      c.seed = (uint64_t)whole(word, value, 0);
    else if (!strcmp(word, "--head"))
      c.head = head_of(value);
    else if (!strcmp(word, "--chains"))
      c.chains = whole(word, value, 1);
    else if (!strcmp(word, "--warmup"))
      c.warmup = whole(word, value, 1);
    else if (!strcmp(word, "--draws"))
      c.draws = whole(word, value, 4);
    else if (!strcmp(word, "--threads"))
      c.threads = whole(word, value, 1);
    else {
      fprintf(stderr, "tabular: %s: no such option\n", word);
      exit(2);
    }
  }
  if (c.path) return c;
  fprintf(stderr, "usage: tabular FILE [--target NAME] …; tabular --help tells more\n");
  exit(2);
}

int main(int count, char **words) {
  choices asked = read_choices(count, words);
  static dataset all;
  char sentence[256];
  if (dataset_read(&all, asked.path, asked.target, asked.dropped, sentence, sizeof sentence))
    end_with(asked.path, sentence);
  const int64_t test_rows = (int64_t)ceil(asked.test * (double)all.rows);
  if (test_rows < 1 || all.rows - test_rows < 4) end_with(asked.path, "it has too few rows");
  int64_t *order = need_memory(sizeof(int64_t) * (size_t)all.rows);
  dataset_shuffle(order, all.rows, asked.split);
  part test = take_rows(&all, order, test_rows);
  part train = take_rows(&all, order + test_rows, all.rows - test_rows);
  const units u = find_units(&train, &asked);
  make_data(&train, &u);
  make_data(&test, &u);
  printf("%s: %lld inputs, target '%s', %lld training and %lld test rows\n", base_name(asked.path),
         (long long)train.inputs, all.names[train.inputs], (long long)train.rows,
         (long long)test.rows);

  nnp_model model;
  nnp_net *net;
  nnp_pool *pool = NULL;
  nnp_predictor *predictor;
  findings found = {0};
  if (!asked.head) check(nnp_recommend_head(train.rows, 0, 0, &asked.head, &err), &err);
  check(nnp_model_defaults(&model, train.inputs, 1, asked.head, train.rows, &err), &err);
  check(nnp_net_create_model(&net, &model, &err), &err);
  if (asked.threads > 1) check(nnp_pool_create(&pool, asked.threads, &err), &err);
  draws_made made = sample(net, &train, &asked, pool);
  check(nnp_predictor_create(&predictor, net, made.count, &err), &err);
  check(nnp_predictor_posterior(predictor, made.recipe.posterior, &err), &err);
  void *helpers = use_threads(predictor, pool);
  judge(&made, &train, predictor, &found);
  weigh(&made, &train, predictor, &found);
  score(&made, &test, predictor, &found);
  found.core_seconds = (double)clock() / CLOCKS_PER_SEC;
  print_findings(&found, &made, u.sd[train.inputs]);
  if (asked.picture && write_picture(asked.picture, &found, test.rows, base_name(asked.path)))
    end_with(asked.picture, "it cannot be written");
  if (asked.line && add_line(asked.line, &found, base_name(asked.path), train.rows))
    end_with(asked.line, "it cannot be written");

  nnp_predictor_free(predictor);
  free(helpers);
  free_draws(&made);
  nnp_pool_free(pool);
  nnp_net_free(net);
  free_part(&train);
  free_part(&test);
  free(order);
  dataset_free(&all);
  return 0;
}
