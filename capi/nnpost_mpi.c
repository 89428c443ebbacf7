/* The functions of an nnp_comm by MPI. */
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include "nnpost_mpi.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define GIVE_WAY() ((void)0)
#else
#include <sched.h>
#define GIVE_WAY() sched_yield()
#endif

/* MPI counts in int, so longer messages are sent in parts. */
enum { LONGEST_MESSAGE = 1 << 30 };
enum { EXCHANGE_TAG = 1 };

typedef struct Ranks {
  MPI_Comm comm;
} Ranks;

/* If nnp_mpi_world has initialized MPI, the last communicator to be freed finalizes it. Like MPI_Init and
 * MPI_Finalize, both are for one thread. */
static int owns_mpi, communicators;

static int32_t fail(nnp_error *err, int32_t status, const char *sentence) {
  if (err) {
    err->status = status;
    snprintf(err->message, sizeof err->message, "%s", sentence);
  }
  return status;
}

static int32_t succeed(nnp_error *err) {
  if (err) {
    err->status = NNP_OK;
    err->message[0] = 0;
  }
  return NNP_OK;
}

/* ---- What the core calls ------------------------------------------------------------------------ */

/* Waits without keeping a processor busy. MPI's own waiting calls may (MPICH's always do), and with more
 * ranks than processors, the rank that is waited for may need that processor. */
static int wait_for(int count, MPI_Request *requests, MPI_Status *statuses) {
  enum { PATIENCE = 200 };
  int done = 0, looks = 0;
  while (!done) {
    const int failed = MPI_Testall(count, requests, &done, statuses);
    if (failed != MPI_SUCCESS) return failed;
    if (!done && ++looks > PATIENCE) GIVE_WAY();
  }
  return MPI_SUCCESS;
}

static int32_t allgather(const void *mine, void *all, int64_t bytes, void *user) {
  const Ranks *ranks = (const Ranks *)user;
  MPI_Request request;
  MPI_Status status;
  int failed;
  if (bytes > LONGEST_MESSAGE) return MPI_ERR_COUNT; /* the core gathers a few numbers per rank */
  failed =
      MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, ranks->comm, &request);
  return failed == MPI_SUCCESS ? wait_for(1, &request, &status) : failed;
}

static int part_of(int64_t bytes) {
  return bytes < LONGEST_MESSAGE ? (int)bytes : LONGEST_MESSAGE;
}

static int32_t broadcast(void *buffer, int64_t bytes, int32_t root, void *user) {
  const Ranks *ranks = (const Ranks *)user;
  char *at = (char *)buffer;
  while (bytes > 0) {
    const int part = part_of(bytes);
    MPI_Request request;
    MPI_Status status;
    int failed = MPI_Ibcast(at, part, MPI_BYTE, root, ranks->comm, &request);
    if (failed == MPI_SUCCESS) failed = wait_for(1, &request, &status);
    if (failed != MPI_SUCCESS) return failed;
    at += part;
    bytes -= part;
  }
  return 0;
}

static int32_t exchange(const void *out, void *in, int64_t bytes, int32_t peer, void *user) {
  const Ranks *ranks = (const Ranks *)user;
  const char *from = (const char *)out;
  char *to = (char *)in;
  while (bytes > 0) {
    const int part = part_of(bytes);
    int received = 0;
    MPI_Request both[2];
    MPI_Status statuses[2];
    int failed = MPI_Irecv(to, part, MPI_BYTE, peer, EXCHANGE_TAG, ranks->comm, &both[0]);
    if (failed == MPI_SUCCESS)
      failed = MPI_Isend(from, part, MPI_BYTE, peer, EXCHANGE_TAG, ranks->comm, &both[1]);
    if (failed == MPI_SUCCESS) failed = wait_for(2, both, statuses);
    if (failed == MPI_SUCCESS) failed = MPI_Get_count(&statuses[0], MPI_BYTE, &received);
    if (failed == MPI_SUCCESS && received != part) failed = MPI_ERR_TRUNCATE;
    if (failed != MPI_SUCCESS) return failed;
    from += part;
    to += part;
    bytes -= part;
  }
  return 0;
}

static int32_t abort_job(const char *sentence, void *user) {
  const Ranks *ranks = (const Ranks *)user;
  fprintf(stderr, "nnpost: %s\n", sentence);
  fflush(stderr);
  return MPI_Abort(ranks->comm, NNP_E_COMM);
}

/* ---- What users call ---------------------------------------------------------------------------- */

static int32_t fill(nnp_comm *comm, MPI_Comm theirs, nnp_error *err) {
  Ranks *ranks = (Ranks *)malloc(sizeof *ranks);
  int rank = 0, size = 0;
  if (!ranks) return fail(err, NNP_E_OUT_OF_MEMORY, "memory: the system has none left");
  if (MPI_Comm_dup(theirs, &ranks->comm) != MPI_SUCCESS) {
    free(ranks);
    return fail(err, NNP_E_COMM, "comm: MPI_Comm_dup failed");
  }
  /* Failures come back as codes, so that the core can say what failed. */
  MPI_Comm_set_errhandler(ranks->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(ranks->comm, &rank);
  MPI_Comm_size(ranks->comm, &size);
  memset(comm, 0, sizeof *comm);
  comm->rank = rank;
  comm->size = size;
  comm->allgather = allgather;
  comm->broadcast = broadcast;
  comm->exchange = exchange;
  comm->abort = abort_job;
  comm->user = ranks;
  ++communicators;
  return succeed(err);
}

/* How many processes the launcher says it has started: mpirun of Open MPI, or mpiexec of MPICH and srun. */
static int launched(void) {
  const char *names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  int most = 1;
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    const char *text = getenv(names[i]);
    const int count = text ? atoi(text) : 1;
    if (count > most) most = count;
  }
  return most;
}

/* Processes started by another MPI's launcher do not know each other: each would do all of the work. */
static int32_t refuse_strangers(nnp_error *err) {
  char sentence[sizeof err->message], library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  snprintf(sentence, sizeof sentence,
           "MPI: %d processes were started, but this one sees no others, expected the mpirun of "
           "the MPI that nnpost_mpi was built against: %.40s",
           launched(), library);
  return fail(err, NNP_E_COMM, sentence);
}

static int is_finalized(void) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized;
}

static int32_t refuse_finalized(nnp_error *err) {
  return fail(err, NNP_E_COMM, "MPI: it was finalized, expected this call before MPI_Finalize");
}

int32_t nnp_mpi_world(nnp_comm *comm, nnp_error *err) {
  int initialized = 0, level = 0, size = 1;
  if (!comm) return fail(err, NNP_E_NULL, "comm: it is NULL, expected a valid pointer");
  if (is_finalized()) return refuse_finalized(err);
  MPI_Initialized(&initialized);
  if (!initialized && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return fail(err, NNP_E_COMM, "MPI: MPI_Init_thread failed");
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1 && launched() > 1) {
    if (!initialized) MPI_Finalize();
    return refuse_strangers(err);
  }
  owns_mpi = owns_mpi || !initialized;
  return fill(comm, MPI_COMM_WORLD, err);
}

/* True if all processes of the communicator are in one group. A handle that means nothing is an error,
 * which MPI reports to the world's or this process's own communicator: by default both end the job. */
static int is_within_one_group(MPI_Comm theirs) {
  MPI_Errhandler world, self;
  int between = 0, failed;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  failed = MPI_Comm_test_inter(theirs, &between);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Errhandler_free(&world);
  MPI_Errhandler_free(&self);
  return failed == MPI_SUCCESS && !between;
}

int32_t nnp_mpi_comm(nnp_comm *comm, int32_t handle, nnp_error *err) {
  int initialized = 0;
  MPI_Comm theirs;
  if (!comm) return fail(err, NNP_E_NULL, "comm: it is NULL, expected a valid pointer");
  MPI_Initialized(&initialized);
  if (!initialized)
    return fail(err, NNP_E_COMM, "MPI: it was not initialized, expected MPI_Init first");
  if (is_finalized()) return refuse_finalized(err);
  theirs = MPI_Comm_f2c((MPI_Fint)handle);
  if (theirs == MPI_COMM_NULL)
    return fail(err, NNP_E_VALUE, "handle: it is that of MPI_COMM_NULL, expected a communicator");
  if (!is_within_one_group(theirs))
    return fail(err, NNP_E_VALUE, "handle: expected that of a communicator within one group");
  return fill(comm, theirs, err);
}

void nnp_mpi_free(nnp_comm *comm) {
  Ranks *ranks;
  if (!comm || comm->broadcast != broadcast) return;
  ranks = (Ranks *)comm->user;
  --communicators;
  if (!is_finalized()) {
    MPI_Comm_free(&ranks->comm);
    if (owns_mpi && communicators == 0) MPI_Finalize();
  }
  free(ranks);
  memset(comm, 0, sizeof *comm);
  comm->size = 1;
}

int32_t nnp_mpi_library(char *buffer, size_t size, nnp_error *err) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (!buffer) return fail(err, NNP_E_NULL, "buffer: it is NULL, expected a valid pointer");
  MPI_Get_library_version(text, &length);
  if ((size_t)length >= size)
    return fail(err, NNP_E_BUFFER_SIZE,
                "size: the buffer is too small for the name of the library");
  memcpy(buffer, text, (size_t)length + 1);
  return succeed(err);
}
