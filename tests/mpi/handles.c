/* handles: several communicators in one program, in any order of frees, and handles that mean nothing.
 * Prints what fails; for mpirun with any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "nnpost_mpi.h"

static int failures;

static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "FAIL: %s\n", what);
  ++failures;
}

static int carries(const nnp_comm *comm) {
  int32_t all[64], mine = 10 + comm->rank;
  int good = comm->size <= 64 && comm->allgather(&mine, all, sizeof mine, comm->user) == 0;
  for (int32_t r = 0; good && r < comm->size; ++r) good = all[r] == 10 + r;
  return good;
}

static void expect_refused(int32_t handle) {
  nnp_comm comm;
  nnp_error err;
  const int32_t status = nnp_mpi_comm(&comm, handle, &err);
  expect(status == NNP_E_VALUE && strncmp(err.message, "handle: ", 8) == 0,
         "a bad handle is refused");
}

int main(void) {
  nnp_comm first, second, given;
  nnp_error err;
  expect(nnp_mpi_comm(&given, 0, &err) == NNP_E_COMM && strstr(err.message, "MPI_Init"),
         "no communicator before MPI_Init");
  expect(nnp_mpi_world(&first, &err) == NNP_OK, "the first communicator");
  expect(nnp_mpi_world(&second, &err) == NNP_OK, "the second communicator");
  expect(nnp_mpi_comm(&given, MPI_Comm_c2f(MPI_COMM_WORLD), &err) == NNP_OK, "one of a handle");
  expect_refused(99999);
  expect_refused(-7);
  expect_refused(MPI_Comm_c2f(MPI_COMM_NULL));
  nnp_mpi_free(&first); /* it initialized MPI, but others still use it */
  expect(carries(&second), "the second works when the first is gone");
  nnp_mpi_free(&second);
  expect(carries(&given), "the last one works");
  nnp_mpi_free(&given);
  expect(nnp_mpi_world(&first, &err) == NNP_E_COMM && strstr(err.message, "finalized"),
         "the last one finalized MPI");
  expect(nnp_mpi_comm(&first, 0, &err) == NNP_E_COMM && strstr(err.message, "finalized"),
         "no handles after MPI_Finalize");
  return failures > 0;
}
