/* widths [PICTURE SWEEPS THREADS]: how many hidden units do the data ask for? A teacher with three
 * relu units labels random inputs with noise; networks of one to six units, relu and hard tanh,
 * compete by their evidence log p(y | X), which replica exchange finds on the way from the prior
 * to the posterior. Too few units cannot fit, too many spread their prior too thin. Prints a table
 * and writes a picture. */
#include <math.h>
#include <nnpost_study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "support.h"

enum { WIDEST = 6, REPLICAS = 60, KINDS = 2 };

static const problem_shape shape = {4, 3, 200, 1, 1e-2};
static const int32_t activations[KINDS] = {NNP_RELU, NNP_HARD_TANH};
static const char *const names[KINDS] = {"relu", "hard tanh"};
static const char *const colours[KINDS] = {"#1b6ca8", "#c8553d"};

typedef struct found {
  double log_evidence, error;
} found;

/* Rounds of a tuning that takes about as long as the run, of 20, 40, 80, … sweeps. */
static int rounds_for(int64_t sweeps) {
  int rounds = 1;
  while (rounds < 6 && 20 * ((2 << rounds) - 1) <= 2 * sweeps) ++rounds;
  return rounds;
}

/* From the prior, with as many of the chains as the barrier needs. */
static found evidence_of(const problem *task, int64_t width, int32_t activation, int64_t sweeps,
                         nnp_pool *pool) {
  nnp_error err;
  nnp_net *net;
  nnp_chain *chains[REPLICAS];
  nnp_exchange *exchange;
  nnp_exchange_summary summary;
  char text[768];
  check(nnp_net_create(&net, shape.inputs, &err), &err);
  check(nnp_net_dense(net, width, &err), &err);
  check(nnp_net_activation(net, activation, &err), &err);
  check(nnp_net_dense(net, 1, &err), &err);
  check(nnp_net_head(net, NNP_GAUSSIAN, &err), &err);
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, shape.noise, &err), &err);
  for (int c = 0; c < REPLICAS; ++c) {
    check(nnp_chain_create(&chains[c], net, task->train, NNP_GIBBS, NNP_INTERMEDIATE, &err), &err);
    check(nnp_chain_use_pool(chains[c], pool, &err), &err);
  }
  check(nnp_exchange_create(&exchange, chains, REPLICAS, &err), &err);
  check(nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, rounds_for(sweeps), &err), &err);
  check(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &err), &err);
  check(nnp_exchange_tune(exchange, NULL, NULL, &err), &err);
  check(nnp_exchange_run(exchange, sweeps, NULL, NULL, &err), &err);
  check(nnp_exchange_report(exchange, &summary, &err), &err);
  check(nnp_exchange_text(exchange, text, sizeof text, &err), &err);
  printf("%lld units: %s", (long long)width, text);
  fflush(stdout);
  nnp_exchange_free(exchange);
  for (int c = 0; c < REPLICAS; ++c) nnp_chain_free(chains[c]);
  nnp_net_free(net);
  const found out = {summary.log_evidence, summary.evidence_error};
  return out;
}

/* ---- The picture ------------------------------------------------------------------------------ */

typedef struct frame {
  double low, high; /* of the evidence */
} frame;

static double x_of(int width) {
  return 70 + 80.0 * (width - 1) + 30;
}
enum { TICK = 5 };

/* What is below the frame is drawn at its foot. */
static double y_of(frame f, double value) {
  return 290 - 250 * (fmax(value, f.low) - f.low) / (f.high - f.low);
}

static void draw_kind(FILE *file, frame f, const found *all, int kind) {
  for (int w = 1; w <= WIDEST; ++w) {
    const double x = x_of(w) + 6 * kind, y = y_of(f, all[w - 1].log_evidence);
    const double reach = 2 * all[w - 1].error;
    if (w > 1)
      fprintf(file, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>\n",
              x_of(w - 1) + 6 * kind, y_of(f, all[w - 2].log_evidence), x, y, colours[kind]);
    fprintf(file,
            "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='3'/>\n"
            "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n",
            x, y_of(f, all[w - 1].log_evidence - reach), x,
            y_of(f, all[w - 1].log_evidence + reach), colours[kind], x, y, colours[kind]);
  }
  fprintf(file, "<text x='430' y='%d' fill='%s'>%s</text>\n", 240 + 20 * kind, colours[kind],
          names[kind]);
}

/* Evidences far below the best would hide the differences of the others. */
static int write_picture(const char *path, found all[KINDS][WIDEST]) {
  double best = -INFINITY;
  for (int k = 0; k < KINDS; ++k)
    for (int w = 0; w < WIDEST; ++w) best = fmax(best, all[k][w].log_evidence);
  const frame f = {TICK * floor((best - 22) / TICK), TICK * ceil((best + 1) / TICK)};
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='560' height='350' "
          "font-family='sans-serif' font-size='13'>\n"
          "<rect width='560' height='350' fill='white'/>\n"
          "<text x='70' y='24' font-size='15'>log p(y | X): the teacher has 3 relu "
          "units</text>\n");
  for (double value = f.low; value <= f.high; value += TICK)
    fprintf(file,
            "<line x1='70' y1='%.1f' x2='540' y2='%.1f' stroke='#ddd'/>\n"
            "<text x='62' y='%.1f' text-anchor='end'>%.0f</text>\n",
            y_of(f, value), y_of(f, value), y_of(f, value) + 4, value);
  for (int w = 1; w <= WIDEST; ++w)
    fprintf(file, "<text x='%.1f' y='312' text-anchor='middle'>%d</text>\n", x_of(w), w);
  fprintf(file, "<text x='300' y='336' text-anchor='middle'>hidden units</text>\n");
  for (int k = 0; k < KINDS; ++k) draw_kind(file, f, all[k], k);
  fprintf(file, "</svg>\n");
  return fclose(file);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "widths.svg";
  const int64_t sweeps = argc > 2 ? atoll(argv[2]) : 2000;
  const int64_t threads = argc > 3 ? atoll(argv[3]) : 2;
  nnp_error err;
  nnp_pool *pool;
  found all[KINDS][WIDEST];
  problem task = problem_create(shape, 3);
  check(nnp_pool_create(&pool, threads, &err), &err);
  for (int k = 0; k < KINDS; ++k)
    for (int w = 1; w <= WIDEST; ++w) {
      printf("%s, ", names[k]);
      all[k][w - 1] = evidence_of(&task, w, activations[k], sweeps, pool);
    }
  printf("\n%6s %24s %24s\n", "units", names[0], names[1]);
  for (int w = 0; w < WIDEST; ++w)
    printf("%6d %17.2f +- %4.2f %17.2f +- %4.2f\n", w + 1, all[0][w].log_evidence, all[0][w].error,
           all[1][w].log_evidence, all[1][w].error);
  nnp_pool_free(pool);
  problem_free(&task);
  if (write_picture(path, all) != 0) {
    fprintf(stderr, "%s cannot be written\n", path);
    return 1;
  }
  printf("wrote %s\n", path);
  return 0;
}
