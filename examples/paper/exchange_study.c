/* Does replica exchange forget where it started? A teacher labels random inputs with noise; two
 * exchanges, one from draws of the prior and one from the teacher, get the same time. Where they agree
 * (R-hat of predictions, at least ten restarts that arrived in each) both are right. How often their
 * training errors are no larger than those of a plain chain from the teacher then tells whether the
 * teacher's mode is the one that carries the weight. With --prior-only 1 there is no second exchange,
 * and the first ends as soon as its training error is below twice the teacher's.
 *
 * exchange_study [--inputs 8 --hidden 4 --rows 500 --noise 1e-3 --first 1 --seeds 24 --replicas 100
 *                 --threads 2 --rounds 6 --steps 1 --seconds 30 --prior-only 0] */
#include <math.h>
#include <nnpost_study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problem.h"
#include "support.h"

typedef struct options {
  problem_shape shape;
  int64_t first_seed, seeds, replicas, threads, rounds, steps;
  double seconds; /* of each exchange */
  int from_prior_only;
} options;

enum { MOST_DRAWS = 200000, JUDGED = 1000 };

typedef struct outcome {
  nnp_exchange_summary summary;
  double *functions; /* [function, draw] of the last three quarters */
  int64_t draws, function_count;
  double level;    /* mean training error of the second half */
  double share;    /* of it that is no larger than that of a plain chain from the teacher */
  double informed; /* seconds until the training error was first below twice the teacher's; -1 */
  double seconds;
} outcome;

typedef struct watch {
  nnp_chain *target;
  const nnp_data *train;
  double seconds, began, goal, found, usual;
  int64_t threads;
  int until_found;
  double *errors;
  int64_t kept;
} watch;

/* Returns processor seconds divided by the number of threads, so that other programs do not
 * count. */
static double seconds_since(double began, int64_t threads) {
  return ((double)clock() / CLOCKS_PER_SEC - began) / (double)threads;
}

static int32_t look(const nnp_exchange_progress *state, void *user) {
  nnp_error err;
  watch *w = user;
  if (state->done % 5 == 0) {
    double error;
    check(nnp_chain_score(w->target, w->train, NNP_SCORE_MSE, &error, &err), &err);
    if (w->found < 0 && error < w->goal) w->found = seconds_since(w->began, w->threads);
    if (state->round == 0 && w->kept < MOST_DRAWS) w->errors[w->kept++] = error;
  }
  if (w->until_found && w->found >= 0) return 1;
  return seconds_since(w->began, w->threads) > w->seconds;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The training error of a plain chain from the teacher: 99 of 100 of its steps have less. */
static double usual_error(const problem *task) {
  enum { KEPT = 600, EVERY = 5 };
  nnp_error err;
  nnp_chain *chain;
  double errors[KEPT];
  check(nnp_chain_create(&chain, task->net, task->train, NNP_GIBBS, NNP_INTERMEDIATE, &err), &err);
  check(nnp_chain_start_teacher(chain, task->teacher, task->sites, 1, 0, &err), &err);
  for (int i = 0; i < KEPT; ++i) {
    check(nnp_chain_run(chain, EVERY, NULL, NULL, &err), &err);
    check(nnp_chain_score(chain, task->train, NNP_SCORE_MSE, errors + i, &err), &err);
  }
  nnp_chain_free(chain);
  qsort(errors, KEPT, sizeof *errors, by_size);
  return errors[KEPT * 99 / 100];
}

static double training_error(const problem *task) {
  nnp_error err;
  nnp_chain *chain;
  double error;
  check(nnp_chain_create(&chain, task->net, task->train, NNP_GIBBS, NNP_INTERMEDIATE, &err), &err);
  check(nnp_chain_start_teacher(chain, task->teacher, task->sites, 1, 0, &err), &err);
  check(nnp_chain_score(chain, task->train, NNP_SCORE_MSE, &error, &err), &err);
  nnp_chain_free(chain);
  return error;
}

static void judge(const problem *task, const double *draws, int64_t count, outcome *out) {
  nnp_error err;
  nnp_predictor *predictor;
  int64_t parameters;
  const int64_t skip = count / 4, left = count - skip;
  check(nnp_net_parameters(task->net, &parameters, &err), &err);
  check(nnp_predictor_create(&predictor, task->net, 1, &err), &err);
  check(nnp_functions_count(predictor, task->test, 0, &out->function_count, &err), &err);
  out->draws = left < JUDGED ? left : JUDGED;
  out->functions = need_memory((size_t)(out->draws * out->function_count) * sizeof(double));
  for (int64_t i = 0; i < out->draws; ++i) {
    const int64_t draw = skip + i * left / out->draws;
    check(nnp_functions(predictor, task->test, draws + draw * parameters, 1, 0,
                        out->functions + i * out->function_count, &err),
          &err);
  }
  nnp_predictor_free(predictor);
}

static outcome run_exchange(const problem *task, const options *opt, int32_t from, uint64_t seed) {
  nnp_error err;
  nnp_pool *pool;
  nnp_exchange *exchange;
  nnp_chain **chains = need_memory((size_t)opt->replicas * sizeof *chains);
  int64_t parameters;
  outcome out;
  memset(&out, 0, sizeof out);
  check(nnp_net_parameters(task->net, &parameters, &err), &err);
  check(nnp_pool_create(&pool, opt->threads, &err), &err);
  for (int64_t c = 0; c < opt->replicas; ++c) {
    check(nnp_chain_create(&chains[c], task->net, task->train, NNP_GIBBS, NNP_INTERMEDIATE, &err),
          &err);
    check(nnp_chain_use_pool(chains[c], pool, &err), &err);
  }
  nnp_chain *target = chains[opt->replicas - 1];
  check(nnp_exchange_create(&exchange, chains, opt->replicas, &err), &err);
  check(nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, (double)opt->rounds, &err), &err);
  check(nnp_exchange_set(exchange, NNP_EXCHANGE_STEPS, (double)opt->steps, &err), &err);
  if (from == NNP_EXCHANGE_FROM_TARGET)
    check(nnp_chain_start_teacher(target, task->teacher, task->sites, seed, 0, &err), &err);
  check(nnp_exchange_start(exchange, from, seed, &err), &err);
  const double began = (double)clock() / CLOCKS_PER_SEC;
  watch w = {0};
  w.target = target;
  w.train = task->train;
  w.seconds = opt->seconds;
  w.began = began;
  w.goal = 2 * training_error(task);
  w.usual = usual_error(task);
  w.found = -1;
  w.threads = opt->threads;
  w.until_found = opt->from_prior_only;
  w.errors = need_memory(MOST_DRAWS * sizeof(double));
  double *draws = need_memory((size_t)(MOST_DRAWS * parameters) * sizeof(double));
  int32_t status = nnp_exchange_tune(exchange, look, &w, &err);
  if (status != NNP_STOPPED) {
    check(status, &err);
    status = nnp_exchange_sample(exchange, draws, MOST_DRAWS, 1, look, &w, &err);
    if (status != NNP_STOPPED) check(status, &err);
  }
  out.seconds = seconds_since(began, opt->threads);
  check(nnp_exchange_report(exchange, &out.summary, &err), &err);
  out.informed = w.found;
  for (int64_t i = w.kept / 2; i < w.kept; ++i)
    out.level += w.errors[i] / (double)(w.kept - w.kept / 2);
  if (w.kept > 8) judge(task, draws, out.summary.sweeps, &out);
  for (int64_t i = w.kept / 2; i < w.kept; ++i) out.share += w.errors[i] <= w.usual;
  if (w.kept > 0) out.share /= (double)(w.kept - w.kept / 2);
  free(draws);
  free(w.errors);
  nnp_exchange_free(exchange);
  for (int64_t c = 0; c < opt->replicas; ++c) nnp_chain_free(chains[c]);
  nnp_pool_free(pool);
  free(chains);
  return out;
}

/* Returns the largest R-hat of the functions of both runs. */
static double largest_rhat(const outcome *a, const outcome *b) {
  nnp_error err;
  const int64_t draws = a->draws < b->draws ? a->draws : b->draws, count = a->function_count;
  if (draws < 8) return INFINITY;
  double *both = need_memory((size_t)(2 * draws * count) * sizeof(double));
  double *rhat = need_memory((size_t)count * sizeof(double)), largest = 0;
  nnp_draws view;
  size_t bytes;
  for (int c = 0; c < 2; ++c) {
    const outcome *one = c ? b : a;
    for (int64_t i = 0; i < draws; ++i)
      memcpy(both + (c * draws + i) * count, one->functions + i * one->draws / draws * count,
             (size_t)count * sizeof(double));
  }
  check(nnp_draws_init(&view, both, count, draws, 2, &err), &err);
  check(nnp_statistic_bytes(&view, &bytes, &err), &err);
  void *memory = need_memory(bytes + 64);
  void *aligned = (void *)(((size_t)memory + 63) / 64 * 64);
  check(nnp_statistic(&view, NNP_STAT_RHAT, 0, rhat, aligned, bytes, &err), &err);
  for (int64_t i = 0; i < count; ++i) largest = fmax(largest, rhat[i]);
  free(memory);
  free(rhat);
  free(both);
  return largest;
}

static void print_outcome(int64_t seed, const char *from, const outcome *o) {
  printf(
      "%4lld %-8s %4lld of %4lld %7.2f %6.2f %7lld %5lld %7.1f %5lld %10.3e %8.2f %10.2f +- %4.2f "
      "%6.1f s\n",
      (long long)seed, from, (long long)o->summary.replicas, (long long)o->summary.wanted,
      o->summary.barrier, o->summary.least_swaps, (long long)o->summary.sweeps,
      (long long)o->summary.restarts, o->summary.expected_restarts,
      (long long)o->summary.round_trips, o->level, o->informed, o->summary.log_evidence,
      o->summary.evidence_error, o->seconds);
  fflush(stdout);
}

static int study_set(const options *opt, int64_t seed) {
  problem task = problem_create(opt->shape, (uint64_t)seed);
  outcome prior = run_exchange(&task, opt, NNP_EXCHANGE_FROM_PRIOR, (uint64_t)seed);
  print_outcome(seed, "prior", &prior);
  int agree = prior.informed >= 0;
  if (!opt->from_prior_only) {
    outcome teacher = run_exchange(&task, opt, NNP_EXCHANGE_FROM_TARGET, 1000 + (uint64_t)seed);
    print_outcome(seed, "teacher", &teacher);
    const double rhat = largest_rhat(&prior, &teacher);
    agree = rhat < 1.05 && prior.summary.restarts >= 10 && teacher.summary.restarts >= 10;
    const double share = 0.5 * (prior.share + teacher.share);
    printf("     R-hat %.3f: %s; %.0f %% of the weight is at the teacher's level\n", rhat,
           agree ? "they agree" : "not yet", 100 * share);
    free(teacher.functions);
  }
  free(prior.functions);
  problem_free(&task);
  fflush(stdout);
  return agree;
}

static double number_after(int argc, char **argv, const char *name, double otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], name) == 0) return atof(argv[i + 1]);
  return otherwise;
}

int main(int argc, char **argv) {
  options opt = {{8, 4, 500, 200, 1e-3}, 1, 24, 100, 2, 6, 1, 30, 0};
  opt.shape.inputs = (int64_t)number_after(argc, argv, "--inputs", 8);
  opt.shape.hidden = (int64_t)number_after(argc, argv, "--hidden", 4);
  opt.shape.train_rows = (int64_t)number_after(argc, argv, "--rows", 500);
  opt.shape.noise = number_after(argc, argv, "--noise", 1e-3);
  opt.first_seed = (int64_t)number_after(argc, argv, "--first", 1);
  opt.seeds = (int64_t)number_after(argc, argv, "--seeds", 24);
  opt.replicas = (int64_t)number_after(argc, argv, "--replicas", 100);
  opt.threads = (int64_t)number_after(argc, argv, "--threads", 2);
  opt.rounds = (int64_t)number_after(argc, argv, "--rounds", 6);
  opt.steps = (int64_t)number_after(argc, argv, "--steps", 1);
  opt.seconds = number_after(argc, argv, "--seconds", 30);
  opt.from_prior_only = number_after(argc, argv, "--prior-only", 0) != 0;
  printf("%lld-%lld-1, %lld rows, D = %g\n", (long long)opt.shape.inputs,
         (long long)opt.shape.hidden, (long long)opt.shape.train_rows, opt.shape.noise);
  printf(
      "seed from     replicas     Lambda  swaps  sweeps arrived expected trips  level  informed "
      "log evidence\n");
  int64_t agreed = 0;
  for (int64_t s = 0; s < opt.seeds; ++s) agreed += study_set(&opt, opt.first_seed + s);
  printf("%lld of %lld %s\n", (long long)agreed, (long long)opt.seeds,
         opt.from_prior_only ? "reached the teacher's level" : "agree");
  return 0;
}
