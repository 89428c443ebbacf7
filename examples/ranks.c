/* ranks [CHECKPOINT]: chains over many machines.
 *
 *     mpirun -n 4 ranks ranks.bin
 *
 * Every rank makes the same calls; each chain is run by one of them, and afterwards all have all
 * chains and draws. So one rank can save for all, and a job that was killed continues with any
 * number of ranks. Build it against an installed copy with the flags of `pkg-config --cflags --libs
 * nnpost_mpi`. */
#include <nnpost_mpi.h>

#include "small.h"

enum { CHAINS = 8, DRAWS = 50, ROUNDS = 4, PARAMETERS = 25, SIZE = CHAINS * DRAWS * PARAMETERS };

static nnp_chain *chains[CHAINS];
static struct {
  int64_t rounds;
  double sum; /* of squares of all weights drawn */
} done;

/* Writes what was done and all chains, or reads them if there is such a file. A job that is killed
 * while it writes leaves the previous file. */
static void checkpoint(const char *path, int writes) {
  static unsigned char saved[1 << 20]; /* one chain */
  char fresh[1000];
  size_t bytes, good;
  if (!path) return;
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE *file = writes ? fopen(fresh, "wb") : fopen(path, "rb");
  if (!file) return;
  good = writes ? fwrite(&done, sizeof done, 1, file) : fread(&done, sizeof done, 1, file);
  for (int c = 0; c < CHAINS; ++c) {
    check(nnp_chain_save_bytes(chains[c], &bytes, &err));
    if (bytes > sizeof saved) exit(1);
    if (writes) check(nnp_chain_save(chains[c], saved, sizeof saved, &err));
    good += writes ? fwrite(saved, bytes, 1, file) : fread(saved, bytes, 1, file);
    if (!writes) check(nnp_chain_restore(chains[c], saved, bytes, &err));
  }
  if (fclose(file) != 0 || good != CHAINS + 1) exit(1);
  if (writes && rename(fresh, path) != 0) exit(1);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : NULL;
  static double draws[SIZE];
  nnp_comm comm;
  check(nnp_mpi_world(&comm, &err));
  nnp_net *net = small_net(6);
  nnp_data *data = small_data(ROWS);
  for (int c = 0; c < CHAINS; ++c)
    check(nnp_chain_create(&chains[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_use_comm(chains[0], &comm, &err)); /* the only change needed */

  checkpoint(path, 0); /* by every rank */
  if (done.rounds == 0)
    check(nnp_chains_start(chains, CHAINS, NNP_START_FIT, 1, NULL, NULL, &err)); /* seed 1 */
  while (done.rounds < ROUNDS) {
    check(nnp_chains_sample(chains, CHAINS, draws, DRAWS, 5, NULL, NULL, &err));
    for (int i = 0; i < SIZE; ++i) done.sum += draws[i] * draws[i];
    ++done.rounds;
    if (comm.rank == 0) checkpoint(path, 1); /* all ranks have the same state */
  }
  if (comm.rank == 0)
    printf("%d chains, %d draws each: mean square weight %.6f\n", CHAINS, ROUNDS * DRAWS,
           done.sum / (ROUNDS * SIZE));
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  nnp_data_free(data);
  nnp_net_free(net);
  nnp_mpi_free(&comm);
  return 0;
}
