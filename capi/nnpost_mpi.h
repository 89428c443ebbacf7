/* nnpost_mpi: MPI for nnpost. The core links no MPI: this library, built against yours, fills in
 * the nnp_comm that the core takes.
 *
 *     nnp_mpi_world(&comm, &err);                  MPI_Init, if it was not called yet
 *     nnp_chain_use_comm(chains[0], &comm, &err);
 *     ...
 *     nnp_mpi_free(&comm);                         MPI_Finalize, if nnp_mpi_world called MPI_Init
 *
 * Link with `pkg-config --libs nnpost_mpi`, run with `mpirun -n 8 ./program`. A rank that fails
 * aborts the job (MPI_Abort) with its message on stderr; if one dies, mpirun ends the others. Only
 * the thread that calls nnpost calls MPI: MPI_THREAD_FUNNELED is enough, with any number of threads
 * in pools.
 *
 * Stability: like the advanced part of nnpost.h. The two libraries must be from the same
 * release.
 */
#ifndef NNPOST_MPI_H
#define NNPOST_MPI_H

#include "nnpost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== MPI =================================================================================== */

/* ---- MPI ----------------------------------------------------------------------------------- */

/* Writes the communicator of all processes of this job. NNP_E_COMM if they were started by the
 * mpirun of another MPI: each process would then believe that it is alone. */
NNP_API int32_t nnp_mpi_world(nnp_comm *comm, nnp_error *err);
/* Writes a communicator for yours, given by its Fortran handle: MPI_Comm_c2f(yours) in C,
 * yours%MPI_VAL or the integer itself in Fortran, yours.py2f() in mpi4py. It is duplicated
 * (MPI_Comm_dup, by all of its processes), so that the library's messages and yours never mix. MPI
 * must have been initialized. */
NNP_API int32_t nnp_mpi_comm(nnp_comm *comm, int32_t handle, nnp_error *err);
/* Frees a communicator that nnp_mpi_world or nnp_mpi_comm made, when no chain uses it any more and
 * before MPI_Finalize. All ranks must call it. If nnp_mpi_world has initialized MPI, freeing the
 * last communicator finalizes it, and there can be no further one. A rank that has failed must not
 * call it, since it would wait for the others: call MPI_Abort, or end the process, and mpirun ends
 * the job. */
NNP_API void nnp_mpi_free(nnp_comm *comm);
/* Writes to buffer which MPI the library was built against: "Open MPI v4.1.4, …". */
NNP_API int32_t nnp_mpi_library(char *buffer, size_t size, nnp_error *err);

#ifdef __cplusplus
}
#endif

#endif /* NNPOST_MPI_H */
