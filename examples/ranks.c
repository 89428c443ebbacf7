/* Chains over many machines, with a checkpoint that a job goes on from with any number of ranks:
 *
 *     mpirun -n 4 ranks --chains 8 --draws 200 --checkpoint ranks.bin
 *
 * Every rank makes the same calls; each chain is run by one of them, and all have all draws. A job that
 * was killed, or whose rank died, is started again in the same way, with as many ranks as there are.
 * Build it against an installed copy with the flags of `pkg-config --cflags --libs nnpost_mpi`. */
#include <math.h>
#include <nnpost_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"

enum { ROWS = 2000, INPUTS = 5, HIDDEN = 6, THIN = 5, BATCH = 10, MOST_CHAINS = 64 };

static nnp_error err;

static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1); /* the others hear of it from mpirun */
}

static nnp_data *some_data(void) {
  static double x[ROWS * INPUTS], y[ROWS];
  nnp_data *data;
  double state = 0.5;
  for (int i = 0; i < ROWS * INPUTS; ++i) x[i] = 4 * (state = fmod(state * 997 + 0.1234567, 1)) - 2;
  for (int i = 0; i < ROWS; ++i) y[i] = fabs(x[INPUTS * i]) - 0.5 * x[INPUTS * i + 1];
  check(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  return data;
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

/* What a job has reached: draws so far, and the chains behind them. */
typedef struct Job {
  nnp_chain *chains[MOST_CHAINS];
  int64_t chain_count, parameters, count, done;
  double *draws; /* [parameter, draw, chain] */
  char settings[64];
} Job;

static size_t bytes_of(const Job *job, int64_t draws) {
  return (size_t)(job->parameters * draws) * sizeof(double);
}

static double *draws_of(const Job *job, int64_t chain) {
  return job->draws + chain * job->count * job->parameters;
}

/* Written by one rank: all of them have the same. */
static void save(const Job *job, const char *path) {
  checkpoint c = {0};
  checkpoint_put(&c, &job->done, sizeof job->done);
  for (int64_t i = 0; i < job->chain_count; ++i) {
    size_t bytes;
    check(nnp_chain_save_bytes(job->chains[i], &bytes, &err));
    void *block = malloc(bytes);
    if (!block) exit(1);
    check(nnp_chain_save(job->chains[i], block, bytes, &err));
    checkpoint_put(&c, block, bytes);
    checkpoint_put(&c, draws_of(job, i), bytes_of(job, job->done));
    free(block);
  }
  if (checkpoint_write(&c, path, job->settings) != 0) perror(path);
  checkpoint_free(&c);
}

/* Read by every rank, before any of them can have written a new one. */
static int restore(Job *job, const char *path) {
  char why[160];
  checkpoint c = {0};
  if (checkpoint_read(&c, path, job->settings, why, sizeof why) != CHECKPOINT_FOUND) return 0;
  checkpoint_get(&c, &job->done, sizeof job->done);
  for (int64_t i = 0; i < job->chain_count; ++i) {
    size_t bytes;
    check(nnp_chain_save_bytes(job->chains[i], &bytes, &err));
    void *block = malloc(bytes);
    if (!block) exit(1);
    checkpoint_get(&c, block, bytes);
    check(nnp_chain_restore(job->chains[i], block, bytes, &err));
    checkpoint_get(&c, draws_of(job, i), bytes_of(job, job->done));
    free(block);
  }
  checkpoint_free(&c);
  return 1;
}

static void sample_batch(Job *job) {
  const int64_t left = job->count - job->done, batch = left < BATCH ? left : BATCH;
  double *drawn = malloc(bytes_of(job, batch) * (size_t)job->chain_count);
  if (!drawn) exit(1);
  check(nnp_chains_sample(job->chains, job->chain_count, drawn, batch, THIN, NULL, NULL, &err));
  for (int64_t i = 0; i < job->chain_count; ++i)
    memcpy(draws_of(job, i) + job->done * job->parameters, drawn + i * batch * job->parameters,
           bytes_of(job, batch));
  job->done += batch;
  free(drawn);
}

static uint64_t hash_of(const Job *job) {
  const unsigned char *p = (const unsigned char *)job->draws;
  const size_t bytes = bytes_of(job, job->count) * (size_t)job->chain_count;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001b3u;
  return hash;
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

int main(int argc, char **argv) {
  const char *path = option(argc, argv, "--checkpoint", NULL);
  nnp_comm comm;
  Job job = {0};
  job.chain_count = atoi(option(argc, argv, "--chains", "8"));
  job.count = atoi(option(argc, argv, "--draws", "200"));
  if (job.chain_count < 1 || job.chain_count > MOST_CHAINS || job.count < 1) {
    fprintf(stderr, "ranks [--chains 1-%d] [--draws N] [--checkpoint FILE]\n", MOST_CHAINS);
    return 2;
  }
  snprintf(job.settings, sizeof job.settings, "ranks, %d chains, %d draws", (int)job.chain_count,
           (int)job.count);
  check(nnp_mpi_world(&comm, &err));

  nnp_data *data = some_data();
  nnp_net *net = some_network();
  check(nnp_net_parameters(net, &job.parameters, &err));
  job.draws = calloc((size_t)job.chain_count, bytes_of(&job, job.count));
  if (!job.draws) return 1;
  for (int64_t i = 0; i < job.chain_count; ++i)
    check(nnp_chain_create(&job.chains[i], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_use_comm(job.chains[0], &comm, &err)); /* this is all it takes */

  const int resumed = path && restore(&job, path);
  if (resumed && comm.rank == 0) {
    printf("goes on after %d draws, on %d ranks\n", (int)job.done, comm.size);
    fflush(stdout); /* to be read even if the job is killed */
  }
  if (!resumed)
    check(nnp_chains_start(job.chains, job.chain_count, NNP_START_FIT, 1, NULL, NULL, &err));
  while (job.done < job.count) {
    sample_batch(&job);
    if (path && comm.rank == 0) save(&job, path);
  }
  if (comm.rank == 0)
    printf("%d draws of %d chains: %016llx\n", (int)job.count, (int)job.chain_count,
           (unsigned long long)hash_of(&job));

  for (int64_t i = 0; i < job.chain_count; ++i) nnp_chain_free(job.chains[i]);
  free(job.draws);
  nnp_net_free(net);
  nnp_data_free(data);
  nnp_mpi_free(&comm);
  return 0;
}
