/* What the jobs that tests kill share: a network, its inputs, a checksum of draws, options. */
#ifndef TESTS_MPI_JOB_H
#define TESTS_MPI_JOB_H

#include <math.h>
#include <nnpost_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/paper/checkpoint.h"

enum { INPUTS = 5, HIDDEN = 6 };

static nnp_error err;

static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1); /* mpirun ends the other ranks */
}

static void *memory_of(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) exit(1);
  return memory;
}

/* Inputs and targets of rows first, first + 1, …; each array is the caller's to free. */
static void make_rows(int64_t first, int64_t count, double **x, double **y) {
  *x = memory_of(sizeof(double) * (size_t)(count * INPUTS));
  *y = memory_of(sizeof(double) * (size_t)count);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < INPUTS; ++j)
      (*x)[i * INPUTS + j] =
          4 * fmod((double)((first + i) * INPUTS + j + 1) * 0.6180339887498949, 1) - 2;
    (*y)[i] = fabs((*x)[i * INPUTS]) - 0.5 * (*x)[i * INPUTS + 1];
  }
}

static nnp_net *some_network(void) {
  nnp_net *net;
  check(nnp_net_create(&net, INPUTS, &err));
  check(nnp_net_dense(net, HIDDEN, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, 1, &err));
  check(nnp_net_head(net, NNP_GAUSSIAN, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-2, &err));
  return net;
}

static uint64_t hash_of(const double *draws, size_t bytes) {
  const unsigned char *p = (const unsigned char *)draws;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001b3u;
  return hash;
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

/* Printed when a job continues from its checkpoint; flushed, so it is read even if the job is
 * killed. */
static void tell_resumed(int64_t done, const nnp_comm *comm) {
  if (comm->rank != 0) return;
  printf("continues after %d draws, on %d ranks\n", (int)done, comm->size);
  fflush(stdout);
}

#endif
