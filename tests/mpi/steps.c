/* steps rows|chains [THREADS]: what Gibbs steps of 784-12-10 cost on the ranks of mpirun, in milliseconds:
 * the best by the clock, and the best processor time, the mean over ranks.
 *     rows     a step of one chain whose 20000 rows are spread over ranks
 *     chains   60 steps of each of four chains of 4000 rows, shared out among ranks
 * For `make bench-ranks`. */
#define _XOPEN_SOURCE 700 /* clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnpost_mpi.h"

enum { PIXELS = 784, HIDDEN = 12, CLASSES = 10, MOST_RANKS = 64, MOST_CHAINS = 4 };

static nnp_error err;

static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s\n", err.message);
  exit(1);
}

static double milliseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* This rank's rows, or all of them on every rank. */
static nnp_data *make_data(const nnp_comm *comm, int64_t total, int spread) {
  nnp_rows rows = {total, 0, total, 0, {0}};
  nnp_data *data;
  if (spread) check(nnp_rows_split(comm, total, 0, &rows, &err));
  double *x = malloc(sizeof(double) * (size_t)(rows.count * PIXELS));
  int32_t *labels = malloc(sizeof(int32_t) * (size_t)rows.count);
  if (!x || !labels) exit(1);
  for (int64_t i = 0; i < rows.count; ++i) {
    const int64_t row = rows.first + i;
    for (int64_t j = 0; j < PIXELS; ++j) {
      /* A fifth of the pixels, in strokes, as of digits. */
      const double ink = fmod((double)(row * PIXELS + j / 8 + 1) * 0.6180339887498949, 1);
      x[i * PIXELS + j] = ink < 0.8 ? 0 : ink;
    }
    labels[i] = (int32_t)(row % CLASSES);
  }
  if (spread) {
    check(nnp_data_create_rows(&data, &rows, comm, PIXELS, 0, &err));
    check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  } else { /* packed, as the examples keep MNIST: two copies of doubles contend for memory */
    const nnp_inputs inputs = {x, total, PIXELS, NNP_ROW_MAJOR, NNP_STORE_AUTO, {0}};
    check(nnp_data_create_from(&data, &inputs, 0, &err));
  }
  check(nnp_data_set_labels(data, labels, &err));
  free(x);
  free(labels);
  return data;
}

static nnp_net *some_network(void) {
  nnp_net *net;
  check(nnp_net_create(&net, PIXELS, &err));
  check(nnp_net_dense(net, HIDDEN, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, CLASSES, &err));
  check(nnp_net_head(net, NNP_ARGMAX, &err));
  return net;
}

static double mean_over_ranks(const nnp_comm *comm, double mine) {
  double all[MOST_RANKS] = {mine}, sum = 0;
  if (comm->size > 1) check(comm->allgather(&mine, all, sizeof mine, comm->user));
  for (int r = 0; r < comm->size; ++r) sum += all[r];
  return sum / comm->size;
}

int main(int argc, char **argv) {
  const int spread = argc < 2 || strcmp(argv[1], "rows") == 0;
  const int64_t threads = argc > 2 ? atoll(argv[2]) : 1, count = spread ? 1 : MOST_CHAINS;
  const int64_t steps = spread ? 1 : 60, times = spread ? 40 : 4;
  double best = INFINITY, least = INFINITY;
  nnp_comm comm;
  nnp_pool *pool = NULL;
  nnp_chain *chains[MOST_CHAINS];
  check(nnp_mpi_world(&comm, &err));
  if (comm.size > MOST_RANKS) return 2;
  nnp_data *data = make_data(&comm, spread ? 20000 : 4000, spread);
  nnp_net *net = some_network();
  for (int64_t c = 0; c < count; ++c) {
    check(nnp_chain_create(&chains[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
    check(nnp_chain_set(chains[c], NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  }
  if (threads > 1) {
    check(nnp_pool_create(&pool, threads, &err));
    check(nnp_chain_use_pool(chains[0], pool, &err));
  }
  if (!spread) check(nnp_chain_use_comm(chains[0], &comm, &err));
  check(nnp_chains_start(chains, count, NNP_START_PRIOR, 1, NULL, NULL, &err));
  check(nnp_chains_run(chains, count, 2, NULL, NULL, &err));
  for (int64_t i = 0; i < times; ++i) {
    const double wall = milliseconds(CLOCK_MONOTONIC),
                 work = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    check(nnp_chains_run(chains, count, steps, NULL, NULL, &err));
    best = fmin(best, milliseconds(CLOCK_MONOTONIC) - wall);
    least = fmin(least, milliseconds(CLOCK_PROCESS_CPUTIME_ID) - work);
  }
  least = mean_over_ranks(&comm, least);
  if (comm.rank == 0)
    printf("%.2f ms (%.2f ms of processor time a rank): %s, %d ranks, %d threads\n", best, least,
           spread ? "rows" : "chains", comm.size, (int)threads);
  for (int64_t c = 0; c < count; ++c) nnp_chain_free(chains[c]);
  if (pool) nnp_pool_free(pool);
  nnp_net_free(net);
  nnp_data_free(data);
  nnp_mpi_free(&comm);
  return 0;
}
