/* ranks [THREADS [CHECKED]]: plays the scenes of support/ranks.h and support/rows.h over MPI, or alone where it is not run
 * by mpirun. Rank 0 writes a line `scene hash` for each; the script compares them. Every rank must
 * have the same hash, and none may fail. */
#include "tests/support/ranks.h"
#include "tests/support/rows.h"

#include "nnpost_mpi.h"

static int has_same_hash(const nnp_comm *comm, uint64_t hash) {
  uint64_t all[64] = {0};
  int r, same = 1;
  if (comm->size == 1) return 1;
  if (comm->size > 64 || comm->allgather(&hash, all, sizeof hash, comm->user) != 0) return 0;
  for (r = 0; r < comm->size; ++r) same = same && all[r] == hash;
  return same;
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  nnp_comm comm;
  nnp_error err;
  int i, failed = 0;
  if (nnp_mpi_world(&comm, &err) != NNP_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  comm.checked = argc > 2 ? atoi(argv[2]) : 0;
  for (i = 0; i < SCENES && !failed; ++i) {
    const Rig rig = rig_play(&scenes[i], &comm, threads, ODD_NOT);
    if (rig.status != NNP_OK) fprintf(stderr, "rank %d: %s\n", comm.rank, rig.failure.message);
    if (!has_same_hash(&comm, rig.hash)) fprintf(stderr, "rank %d: another hash\n", comm.rank);
    failed = rig.status != NNP_OK || !has_same_hash(&comm, rig.hash);
    if (comm.rank == 0) printf("%s %016llx\n", scenes[i].name, (unsigned long long)rig.hash);
  }
  for (i = 0; i < 2 * ROWS_SCENES && !failed; ++i) { /* rows cut evenly, and not */
    const RowsScene *scene = &rows_scenes[i / 2];
    const RowsRig rig = rows_play(scene, &comm, threads, i % 2, 0);
    if (rig.status != NNP_OK) fprintf(stderr, "rank %d: %s\n", comm.rank, rig.failure.message);
    failed = rig.status != NNP_OK || !has_same_hash(&comm, rig.hash);
    if (comm.rank == 0) printf("%s %016llx\n", scene->name, (unsigned long long)rig.hash);
  }
  nnp_mpi_free(&comm);
  return failed;
}
