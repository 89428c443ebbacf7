/* A job with chains over ranks and a checkpoint that it continues from with any number of ranks:
 *
 *     mpirun -n 4 chains_job --chains 8 --draws 200 --checkpoint FILE
 *
 * Every rank makes the same calls; each chain is run by one of them, and all have all draws. */
#include "job.h"

enum { ROWS = 2000, THIN = 5, BATCH = 10, MOST_CHAINS = 64 };

static nnp_data *some_data(void) {
  double *x, *y;
  nnp_data *data;
  make_rows(0, ROWS, &x, &y);
  check(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  free(x);
  free(y);
  return data;
}

/* What a job has reached: draws so far, and the chains that made them. */
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
    void *block = memory_of(bytes);
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
    void *block = memory_of(bytes);
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
  double *drawn = memory_of(bytes_of(job, batch) * (size_t)job->chain_count);
  check(nnp_chains_sample(job->chains, job->chain_count, drawn, batch, THIN, NULL, NULL, &err));
  for (int64_t i = 0; i < job->chain_count; ++i)
    memcpy(draws_of(job, i) + job->done * job->parameters, drawn + i * batch * job->parameters,
           bytes_of(job, batch));
  job->done += batch;
  free(drawn);
}

int main(int argc, char **argv) {
  const char *path = option(argc, argv, "--checkpoint", NULL);
  nnp_comm comm;
  Job job = {0};
  job.chain_count = atoi(option(argc, argv, "--chains", "8"));
  job.count = atoi(option(argc, argv, "--draws", "200"));
  if (job.chain_count < 1 || job.chain_count > MOST_CHAINS || job.count < 1) {
    fprintf(stderr, "chains_job [--chains 1-%d] [--draws N] [--checkpoint FILE]\n", MOST_CHAINS);
    return 2;
  }
  snprintf(job.settings, sizeof job.settings, "chains_job, %d chains, %d draws",
           (int)job.chain_count, (int)job.count);
  check(nnp_mpi_world(&comm, &err));

  nnp_data *data = some_data();
  nnp_net *net = some_network();
  check(nnp_net_parameters(net, &job.parameters, &err));
  job.draws = memory_of(bytes_of(&job, job.count) * (size_t)job.chain_count);
  for (int64_t i = 0; i < job.chain_count; ++i)
    check(nnp_chain_create(&job.chains[i], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_use_comm(job.chains[0], &comm, &err)); /* this is all it takes */

  const int resumed = path && restore(&job, path);
  if (resumed)
    tell_resumed(job.done, &comm);
  else
    check(nnp_chains_start(job.chains, job.chain_count, NNP_START_FIT, 1, NULL, NULL, &err));
  while (job.done < job.count) {
    sample_batch(&job);
    if (path && comm.rank == 0) save(&job, path);
  }
  if (comm.rank == 0)
    printf("%d draws of %d chains: %016llx\n", (int)job.count, (int)job.chain_count,
           (unsigned long long)hash_of(job.draws,
                                       bytes_of(&job, job.count) * (size_t)job.chain_count));

  for (int64_t i = 0; i < job.chain_count; ++i) nnp_chain_free(job.chains[i]);
  free(job.draws);
  nnp_net_free(net);
  nnp_data_free(data);
  nnp_mpi_free(&comm);
  return 0;
}
