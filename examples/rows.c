/* rows: data that do not fit on one machine, spread by rows.
 *
 *     mpirun -n 4 rows
 *
 * Every rank reads its own rows. All ranks draw the same weights, and only sums over rows are sent.
 * The draws depend on the number of blocks, not on the number of ranks. Build it against an
 * installed copy with the flags of `pkg-config --cflags --libs nnpost_mpi`. */
#include <nnpost_mpi.h>

#include "small.h"

enum { ALL_ROWS = 20000, BLOCKS = 64, DRAWS = 50, PARAMETERS = 25 };

/* The rows of this rank: generated here, usually read from its part of a file. */
static nnp_data *own_rows(const nnp_comm *comm) {
  nnp_rows rows;
  nnp_data *data;
  check(nnp_rows_split(comm, ALL_ROWS, BLOCKS, &rows, &err));
  double *x = malloc(sizeof(double) * (size_t)(rows.count * INPUTS));
  double *y = malloc(sizeof(double) * (size_t)rows.count);
  if (!x || !y) exit(1);
  small_rows(rows.first, rows.count, x, y);
  check(nnp_data_create_rows(&data, &rows, comm, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  free(x);
  free(y);
  return data;
}

int main(void) {
  static double draws[DRAWS * PARAMETERS];
  nnp_comm comm;
  check(nnp_mpi_world(&comm, &err));
  nnp_data *data = own_rows(&comm);
  nnp_net *net = small_net(6);
  nnp_chain *chain; /* the same calls on every rank from here on */
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err));
  check(nnp_chain_run(chain, 100, NULL, NULL, &err));
  check(nnp_chain_sample(chain, draws, DRAWS, 2, NULL, NULL, &err));
  if (comm.rank == 0) {
    double sum = 0;
    for (int i = 0; i < DRAWS * PARAMETERS; ++i) sum += draws[i] * draws[i];
    printf("%d draws from %d rows: mean square weight %.6f\n", DRAWS, ALL_ROWS,
           sum / (DRAWS * PARAMETERS));
  }
  nnp_chain_free(chain);
  nnp_net_free(net);
  nnp_data_free(data);
  nnp_mpi_free(&comm);
  return 0;
}
