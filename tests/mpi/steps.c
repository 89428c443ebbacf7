/* steps [ROWS [STEPS [THREADS]]]: what a Gibbs step of 784-12-10 costs where ROWS made rows are spread over
 * the ranks of mpirun, in milliseconds: the best of STEPS by the clock, and the processor time of a step,
 * the mean over ranks of the best. For `make bench-ranks`. */
#define _XOPEN_SOURCE 700 /* clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnpost_mpi.h"

enum { PIXELS = 784, HIDDEN = 12, CLASSES = 10, MOST_RANKS = 64 };

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

static nnp_data *own_data(const nnp_comm *comm, int64_t total) {
  nnp_rows rows;
  nnp_data *data;
  check(nnp_rows_split(comm, total, 0, &rows, &err));
  double *x = malloc(sizeof(double) * (size_t)(rows.count * PIXELS));
  int32_t *labels = malloc(sizeof(int32_t) * (size_t)rows.count);
  if (!x || !labels) exit(1);
  for (int64_t i = 0; i < rows.count; ++i) {
    const int64_t row = rows.first + i;
    for (int64_t j = 0; j < PIXELS; ++j) {
      const double ink = fmod((double)(row * PIXELS + j + 1) * 0.6180339887498949, 1);
      x[i * PIXELS + j] = ink < 0.8 ? 0 : ink; /* a fifth of the pixels, as of digits */
    }
    labels[i] = (int32_t)(row % CLASSES);
  }
  check(nnp_data_create_rows(&data, &rows, comm, PIXELS, 0, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
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

int main(int argc, char **argv) {
  const int64_t rows = argc > 1 ? atoll(argv[1]) : 20000, steps = argc > 2 ? atoll(argv[2]) : 20;
  const int64_t threads = argc > 3 ? atoll(argv[3]) : 1;
  double best = INFINITY, least = INFINITY, all[MOST_RANKS] = {0};
  nnp_comm comm;
  nnp_pool *pool = NULL;
  nnp_chain *chain;
  check(nnp_mpi_world(&comm, &err));
  if (comm.size > MOST_RANKS) return 2;
  nnp_data *data = own_data(&comm, rows);
  nnp_net *net = some_network();
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  if (threads > 1) {
    check(nnp_pool_create(&pool, threads, &err));
    check(nnp_chain_use_pool(chain, pool, &err));
  }
  check(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  check(nnp_chain_run(chain, 2, NULL, NULL, &err));
  for (int64_t i = 0; i < steps; ++i) {
    const double wall = milliseconds(CLOCK_MONOTONIC),
                 work = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    check(nnp_chain_run(chain, 1, NULL, NULL, &err));
    best = fmin(best, milliseconds(CLOCK_MONOTONIC) - wall);
    least = fmin(least, milliseconds(CLOCK_PROCESS_CPUTIME_ID) - work);
  }
  all[0] = least;
  if (comm.size > 1) check(comm.allgather(&least, all, sizeof least, comm.user));
  for (int r = 1; r < comm.size; ++r) all[0] += all[r];
  if (comm.rank == 0)
    printf("%d ranks, %d threads: %.2f ms a step, %.2f ms of processor time a rank\n", comm.size,
           (int)threads, best, all[0] / comm.size);
  nnp_chain_free(chain);
  if (pool) nnp_pool_free(pool);
  nnp_net_free(net);
  nnp_data_free(data);
  nnp_mpi_free(&comm);
  return 0;
}
