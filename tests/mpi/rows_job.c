/* A job with rows over ranks and a checkpoint that it continues from with any number of ranks:
 *
 *     mpirun -n 4 rows_job --draws 200 --checkpoint FILE
 *
 * All ranks draw the same weights. A checkpoint has a file for each rank, and one that says which
 * of them belong together. */
#include "job.h"

enum { ROWS = 20000, BLOCKS = 64, THIN = 2, BATCH = 5, MOST_RANKS = 64 };

/* This rank's rows, and no others. */
static nnp_data *own_data(const nnp_comm *comm) {
  nnp_rows rows;
  nnp_data *data;
  double *x, *y;
  check(nnp_rows_split(comm, ROWS, BLOCKS, &rows, &err));
  make_rows(rows.first, rows.count, &x, &y);
  check(nnp_data_create_rows(&data, &rows, comm, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  free(x);
  free(y);
  return data;
}

/* What a job has reached. */
typedef struct Job {
  nnp_comm comm;
  nnp_chain *chain;
  int64_t parameters, count, done, generation;
  double *draws; /* [parameter, draw] */
  char settings[64];
} Job;

static size_t bytes_of(const Job *job, int64_t draws) {
  return (size_t)(job->parameters * draws) * sizeof(double);
}

static const char *part_of(const char *path, int64_t generation, int64_t rank) {
  static char name[1200];
  snprintf(name, sizeof name, "%s.%d.%d", path, (int)(generation % 2), (int)rank);
  return name;
}

/* Have all ranks come here? */
static void meet(const Job *job) {
  char all[MOST_RANKS], mine = 1;
  if (job->comm.size > 1 && job->comm.allgather(&mine, all, 1, job->comm.user) != 0) exit(1);
}

/* The rows of this rank; when all are written, rank 0 says that they count. The files of the
 * previous checkpoint stay until then. */
static void save(Job *job, const char *path) {
  checkpoint part = {0}, whole = {0};
  size_t bytes;
  check(nnp_chain_save_bytes(job->chain, &bytes, &err));
  void *block = memory_of(bytes);
  check(nnp_chain_save(job->chain, block, bytes, &err));
  checkpoint_put(&part, &bytes, sizeof bytes);
  checkpoint_put(&part, block, bytes);
  ++job->generation;
  if (checkpoint_write(&part, part_of(path, job->generation, job->comm.rank), job->settings) != 0) {
    perror(path);
    exit(1);
  }
  free(block);
  checkpoint_free(&part);
  meet(job);
  if (job->comm.rank == 0) {
    const int64_t ranks = job->comm.size;
    checkpoint_put(&whole, &ranks, sizeof ranks);
    checkpoint_put(&whole, &job->generation, sizeof job->generation);
    checkpoint_put(&whole, &job->done, sizeof job->done);
    checkpoint_put(&whole, job->draws, bytes_of(job, job->done));
    if (checkpoint_write(&whole, path, job->settings) != 0) perror(path);
    checkpoint_free(&whole);
  }
  meet(job); /* nobody writes over what may still count */
}

/* Every rank reads the saves of all: it needs those that have rows of its own. */
static int restore(Job *job, const char *path) {
  char why[160];
  checkpoint whole = {0};
  nnp_saved saves[MOST_RANKS];
  int64_t ranks = 0;
  if (checkpoint_read(&whole, path, job->settings, why, sizeof why) != CHECKPOINT_FOUND) return 0;
  checkpoint_get(&whole, &ranks, sizeof ranks);
  checkpoint_get(&whole, &job->generation, sizeof job->generation);
  checkpoint_get(&whole, &job->done, sizeof job->done);
  checkpoint_get(&whole, job->draws, bytes_of(job, job->done));
  checkpoint_free(&whole);
  for (int64_t r = 0; r < ranks; ++r) {
    checkpoint part = {0};
    const char *name = part_of(path, job->generation, r);
    if (checkpoint_read(&part, name, job->settings, why, sizeof why) != CHECKPOINT_FOUND) {
      fprintf(stderr, "%s is lost\n", name);
      exit(1);
    }
    checkpoint_get(&part, &saves[r].size, sizeof saves[r].size);
    void *block = memory_of(saves[r].size);
    checkpoint_get(&part, block, saves[r].size);
    saves[r].buffer = block;
    checkpoint_free(&part);
  }
  check(nnp_chain_restore_rows(job->chain, saves, ranks, &err));
  for (int64_t r = 0; r < ranks; ++r) free((void *)(size_t)saves[r].buffer);
  return 1;
}

int main(int argc, char **argv) {
  const char *path = option(argc, argv, "--checkpoint", NULL);
  Job job = {0};
  job.count = atoi(option(argc, argv, "--draws", "100"));
  check(nnp_mpi_world(&job.comm, &err));
  if (job.count < 1 || job.comm.size > MOST_RANKS) {
    fprintf(stderr, "rows_job [--draws N] [--checkpoint FILE], on up to %d ranks\n", MOST_RANKS);
    return 2;
  }
  snprintf(job.settings, sizeof job.settings, "rows_job, %d draws", (int)job.count);

  nnp_data *data = own_data(&job.comm);
  nnp_net *net = some_network();
  check(nnp_net_parameters(net, &job.parameters, &err));
  job.draws = memory_of(bytes_of(&job, job.count));
  check(nnp_chain_create(&job.chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));

  const int resumed = path && restore(&job, path);
  if (resumed)
    tell_resumed(job.done, &job.comm);
  else
    check(nnp_chain_start(job.chain, NNP_START_PRIOR, 1, 0, &err));
  while (job.done < job.count) {
    const int64_t left = job.count - job.done, batch = left < BATCH ? left : BATCH;
    check(nnp_chain_sample(job.chain, job.draws + job.done * job.parameters, batch, THIN, NULL,
                           NULL, &err));
    job.done += batch;
    if (path) save(&job, path);
  }
  if (job.comm.rank == 0)
    printf("%d draws of %d rows: %016llx\n", (int)job.count, ROWS,
           (unsigned long long)hash_of(job.draws, bytes_of(&job, job.count)));

  nnp_chain_free(job.chain);
  free(job.draws);
  nnp_net_free(net);
  nnp_data_free(data);
  nnp_mpi_free(&job.comm);
  return 0;
}
