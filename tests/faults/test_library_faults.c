/* Whatever the library asks of the system is refused once, at every call of it: memory, threads, files.
 * The call that needed it fails in words, or goes on where it can; nothing is left behind that keeps
 * the next from the results of an undisturbed one. The linker puts the functions below in the places of the
 * system's (--wrap). */
#define _GNU_SOURCE
#include "tests/support/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/cast.h"

void setUp(void) {}
void tearDown(void) {}

/* ---- what fails ------------------------------------------------------------------------------------ */

static struct {
  const char *name;
  int left, reached;
} fault;

static void arm(const char *name, int number) {
  fault.name = name;
  fault.reached = 0;
  __atomic_store_n(&fault.left, number, __ATOMIC_SEQ_CST);
}
static void disarm(void) {
  __atomic_store_n(&fault.left, 0, __ATOMIC_SEQ_CST);
}

static int fails(const char *name, int code) {
  if (__atomic_load_n(&fault.left, __ATOMIC_SEQ_CST) <= 0 || strcmp(fault.name, name) != 0)
    return 0;
  if (__atomic_sub_fetch(&fault.left, 1, __ATOMIC_SEQ_CST) != 0) return 0;
  fault.reached = 1;
  errno = code;
  return 1;
}

void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __real_open64(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);
int __real_posix_fallocate64(int file, off_t offset, off_t size);
void *__real_mmap64(void *at, size_t size, int rights, int flags, int file, off_t offset);

void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_open64(const char *path, int flags, ...);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_posix_fallocate64(int file, off_t offset, off_t size);
void *__wrap_mmap64(void *at, size_t size, int rights, int flags, int file, off_t offset);

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails("aligned_alloc", ENOMEM) ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  if (start != act && fails("pthread_create", EAGAIN)) return EAGAIN; /* not those of the test */
  return __real_pthread_create(thread, attributes, start, argument);
}
int __wrap_open64(const char *path, int flags, ...) {
  va_list more;
  mode_t mode = 0;
  va_start(more, flags);
  if (flags & O_CREAT) mode = va_arg(more, mode_t);
  va_end(more);
  return fails(flags & O_CREAT ? "create" : "open", EMFILE) ? -1 : __real_open64(path, flags, mode);
}
ssize_t __wrap_write(int file, const void *bytes, size_t size) {
  if (file > 2 && fails("write", ENOSPC)) return -1;
  if (file > 2 && size > 1 && fails("short write", 0)) return __real_write(file, bytes, size / 2);
  return __real_write(file, bytes, size);
}
int __wrap_rename(const char *from, const char *to) {
  return fails("rename", EACCES) ? -1 : __real_rename(from, to);
}
int __wrap_mkdir(const char *path, mode_t mode) {
  return fails("mkdir", EACCES) ? -1 : __real_mkdir(path, mode);
}
int __wrap_posix_fallocate64(int file, off_t offset, off_t size) {
  if (fails("posix_fallocate", 0)) return ENOSPC;
  if (fails("no posix_fallocate", 0)) return EOPNOTSUPP; /* zeros are written in its place */
  return __real_posix_fallocate64(file, offset, size);
}
void *__wrap_mmap64(void *at, size_t size, int rights, int flags, int file, off_t offset) {
  return file >= 0 && fails("mmap", ENOMEM) ? MAP_FAILED
                                            : __real_mmap64(at, size, rights, flags, file, offset);
}

/* ---- scenes ----------------------------------------------------------------------------------------- */

/* Not made after a failure. */
#define MADE(call) rig_ok(rig, rig->status == NNP_OK ? (call) : rig->status, &problem)

/* One of everything that is made on the heap, with threads. */
static void scene_objects(Rig *rig, int64_t threads) {
  nnp_error problem;
  nnp_net *copy = NULL;
  nnp_predictor *predictor = NULL;
  nnp_teacher *teacher = NULL;
  nnp_study *study = NULL;
  nnp_multistart *multistart = NULL;
  nnp_twin *twin = NULL;
  nnp_exchange *exchange = NULL;
  nnp_keeper *keeper = NULL;
  nnp_team *team = NULL;
  nnp_kept kept = {0};
  kept.what = NNP_KEEP_PARAMETERS;
  kept.moments = 1;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  MADE(nnp_net_copy(&copy, rig->net, &problem));
  MADE(nnp_predictor_create(&predictor, rig->net, 2, &problem));
  MADE(nnp_teacher_create(&teacher, rig->net, NNP_INTERMEDIATE, 1, 0, &problem));
  MADE(nnp_chains_start(rig->chains, RANKS_CHAINS, NNP_START_FIT, 5, NULL, NULL, &problem));
  MADE(nnp_keeper_create(&keeper, rig->net, &kept, 1, RANKS_CHAINS, &problem));
  MADE(nnp_chains_keep(rig->chains, RANKS_CHAINS, keeper, 2, 1, NULL, NULL, &problem));
  MADE(nnp_study_create(&study, rig->chains, RANKS_CHAINS, rig->data, 512, &problem));
  MADE(nnp_multistart_create(&multistart, rig->chains, RANKS_CHAINS, &problem));
  MADE(nnp_twin_create(&twin, rig->chains[0], &problem));
  MADE(nnp_exchange_create(&exchange, rig->chains, RANKS_CHAINS, &problem));
  MADE(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &problem));
  MADE(nnp_exchange_run(exchange, 2, NULL, NULL, &problem));
  MADE(nnp_team_create(&team, 2, &problem));
  if (rig->status == NNP_OK) rig_hash_chains(rig);
  nnp_team_free(team);
  nnp_exchange_free(exchange);
  nnp_twin_free(twin);
  nnp_multistart_free(multistart);
  nnp_study_free(study);
  nnp_keeper_free(keeper);
  nnp_teacher_free(teacher);
  nnp_predictor_free(predictor);
  nnp_net_free(copy);
}

/* A table of data: a fit, a prediction, a save into another table. One that fails leaves the fit that
 * was there. */
static void scene_table(Rig *rig, int64_t threads) {
  enum { N = 40, COLUMNS = 2, NEW = 300 };
  static double x[NEW * COLUMNS], y[N], sd[NEW], ends[2 * NEW];
  static char block[1 << 16];
  const int64_t units = 2;
  nnp_error problem;
  nnp_table *table = NULL, *other = NULL;
  nnp_inside before, after;
  size_t bytes = 0;
  rig->status = NNP_OK;
  for (int i = 0; i < NEW * COLUMNS; ++i) x[i] = sin(1.7 * i * i);
  for (int i = 0; i < N; ++i) y[i] = x[2 * i] + 0.1 * sin(5.0 * i * i);
  memset(&before, 0, sizeof before);
  memset(&after, 0, sizeof after);
  MADE(nnp_table_create(&table, &problem));
  MADE(nnp_table_create(&other, &problem));
  MADE(nnp_table_hidden(table, &units, 1, &problem));
  MADE(nnp_table_set(table, NNP_TABLE_CHAINS, 2, &problem));
  MADE(nnp_table_set(table, NNP_TABLE_WARMUP, 3, &problem));
  MADE(nnp_table_set(table, NNP_TABLE_DRAWS, 4, &problem));
  MADE(nnp_table_set(table, NNP_TABLE_THREADS, (double)threads, &problem));
  MADE(nnp_table_set(other, NNP_TABLE_THREADS, (double)threads, &problem));
  MADE(nnp_table_fit(table, x, y, N, COLUMNS, 1, NNP_ROW_MAJOR, &problem));
  if (rig->status == NNP_OK) nnp_table_inside(table, &before, NULL);
  MADE(nnp_table_fit(table, x, y, N, COLUMNS, 1, NNP_ROW_MAJOR, &problem));
  if (rig->status != NNP_OK && before.draws) {
    TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_table_inside(table, &after, NULL));
    TEST_ASSERT_TRUE(after.draws == before.draws);
  }
  MADE(nnp_table_predict(table, x, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_SD, sd, &problem));
  if (rig->status == NNP_OK) rig_hash(rig, sd, sizeof sd);
  MADE(nnp_table_save_bytes(table, &bytes, &problem));
  TEST_ASSERT_TRUE(bytes <= sizeof block);
  MADE(nnp_table_save(table, block, sizeof block, &problem));
  MADE(nnp_table_restore(other, block, bytes, &problem));
  MADE(nnp_table_interval(other, x, NEW, COLUMNS, NNP_ROW_MAJOR, 0.5, ends, &problem));
  if (rig->status == NNP_OK) rig_hash(rig, ends, sizeof ends);
  nnp_table_free(other);
  nnp_table_free(table);
}

static const char draws_path[] = "test_library_faults.draws";

/* Draws that are kept in a file, and read from it. */
static void scene_file(Rig *rig, int64_t threads) {
  nnp_error problem;
  nnp_keeper *keeper = NULL;
  nnp_draws_file *file = NULL;
  nnp_draws view;
  nnp_kept kept = {0};
  kept.what = NNP_KEEP_PARAMETERS;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  MADE(nnp_keeper_create(&keeper, rig->net, &kept, 1, RANKS_CHAINS, &problem));
  MADE(nnp_draws_file_create(&file, draws_path, keeper, 0, 3, &problem));
  MADE(nnp_keeper_file(keeper, 0, file, &problem));
  MADE(nnp_chains_keep(rig->chains, RANKS_CHAINS, keeper, 3, 1, NULL, NULL, &problem));
  nnp_draws_file_free(file);
  file = NULL;
  MADE(nnp_draws_file_open(&file, draws_path, rig->net, &problem));
  if (MADE(nnp_draws_file_view(file, &view, &problem)))
    for (int64_t c = 0; c < view.chains; ++c)
      rig_hash(rig, view.values + c * view.chain_stride,
               (size_t)(view.quantities * view.draws) * sizeof(double));
  nnp_draws_file_free(file);
  nnp_keeper_free(keeper);
}

/* Few steps, over whatever communicator there is. */
static void scene_few(Rig *rig, int64_t threads) {
  nnp_error problem;
  if (!rig_make(rig, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, threads)) return;
  rig_start(rig, NNP_START_PRIOR, 5);
  MADE(nnp_chains_run(rig->chains, RANKS_CHAINS, 2, NULL, NULL, &problem));
  if (rig->status == NNP_OK) rig_hash_chains(rig);
}

/* ---- one process ------------------------------------------------------------------------------------- */

static Rig play_once(const Scene *scene) {
  const Rig rig = rig_play(scene, NULL, 3, ODD_NOT);
  remove(draws_path);
  return rig;
}

/* Every call of `name`; returns how many there were. */
static int disturb(const Scene *scene, const char *name, uint64_t expected, int heals) {
  for (int number = 1;; ++number) {
    char text[96];
    snprintf(text, sizeof text, "%s: %s number %d", scene->name, name, number);
    arm(name, number);
    const Rig rig = play_once(scene);
    const int reached = fault.reached;
    disarm();
    if (rig.status == NNP_OK)
      TEST_ASSERT_EQUAL_HEX64_MESSAGE(expected, rig.hash, text);
    else
      TEST_ASSERT_TRUE_MESSAGE(rig.failure.message[0] != 0, text);
    TEST_ASSERT_TRUE_MESSAGE(rig.status == NNP_OK ? !reached || heals : reached, text);
    TEST_ASSERT_EQUAL_HEX64_MESSAGE(expected, play_once(scene).hash, text);
    if (!reached) return number - 1;
    TEST_ASSERT_TRUE_MESSAGE(number < 1000, text);
  }
}

static void test_memory_and_threads(void) {
  const Scene scene = {"objects", scene_objects};
  if (threads_here(3) == 1) TEST_IGNORE_MESSAGE("this build has no threads");
  const Rig whole = play_once(&scene);
  TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, whole.status, whole.failure.message);
  TEST_ASSERT_TRUE(disturb(&scene, "aligned_alloc", whole.hash, 0) >= 17);
  TEST_ASSERT_EQUAL_INT(2, disturb(&scene, "pthread_create", whole.hash, 0));
}

static void test_tables_of_data(void) {
  const Scene scene = {"table", scene_table};
  const Rig whole = play_once(&scene);
  TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, whole.status, whole.failure.message);
  TEST_ASSERT_TRUE(disturb(&scene, "aligned_alloc", whole.hash, 0) >= 40);
  TEST_ASSERT_TRUE(disturb(&scene, "pthread_create", whole.hash, 0) >= 4);
}

static void test_files_of_draws(void) {
  const Scene scene = {"file", scene_file};
  const Rig whole = play_once(&scene);
  TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, whole.status, whole.failure.message);
  TEST_ASSERT_TRUE(disturb(&scene, "aligned_alloc", whole.hash, 0) >= 10);
  TEST_ASSERT_EQUAL_INT(1, disturb(&scene, "create", whole.hash, 0));
  TEST_ASSERT_EQUAL_INT(1, disturb(&scene, "open", whole.hash, 0));
  TEST_ASSERT_EQUAL_INT(2, disturb(&scene, "mmap", whole.hash, 0));
  TEST_ASSERT_EQUAL_INT(1, disturb(&scene, "posix_fallocate", whole.hash, 0));
  TEST_ASSERT_EQUAL_INT(1, disturb(&scene, "no posix_fallocate", whole.hash, 1));
}

/* ---- ranks that talk by files -------------------------------------------------------------------------- */

enum { RANKS = 2 };

static void play(Actor *actor) {
  const Rig rig = rig_play((const Scene *)actor->scene, &actor->comm, 1, ODD_NOT);
  const Outcome outcome = {rig.hash, rig.status, rig.failure};
  actor->result = outcome;
}

/* Not 0: a rank could not get at the folder, and nobody played. */
static int32_t play_in_folder(const Scene *scene, Actor *actors, nnp_error *problem) {
  char root[] = "/tmp/nnpost-faults-XXXXXX", command[96];
  nnp_folder *folders[RANKS] = {NULL, NULL};
  int32_t status = NNP_OK;
  TEST_ASSERT_NOT_NULL(mkdtemp(root));
  memset(actors, 0, RANKS * sizeof *actors);
  for (int r = 0; r < RANKS && status == NNP_OK; ++r) {
    status = nnp_folder_create(&folders[r], root, r, RANKS, 0.2, problem);
    if (status != NNP_OK) break;
    OK(nnp_folder_comm(folders[r], &actors[r].comm, &err));
    actors[r].play = play;
    actors[r].scene = scene;
  }
  if (status == NNP_OK) perform(actors, RANKS);
  for (int r = 0; r < RANKS; ++r) nnp_folder_free(folders[r]);
  disarm();
  snprintf(command, sizeof command, "rm -r %s", root);
  TEST_ASSERT_EQUAL_INT(0, system(command));
  return status;
}

static int disturb_folder(const Scene *scene, const char *name, uint64_t expected, int most) {
  Actor actors[RANKS];
  for (int number = 1; number <= most; ++number) {
    nnp_error problem;
    char text[96];
    snprintf(text, sizeof text, "%s: %s number %d", scene->name, name, number);
    arm(name, number);
    const int32_t status = play_in_folder(scene, actors, &problem);
    if (!fault.reached) return number - 1;
    if (status != NNP_OK) {
      TEST_ASSERT_TRUE_MESSAGE(problem.message[0] != 0, text);
      continue;
    }
    for (int r = 0; r < RANKS;
         ++r) { /* a draft that cannot be posted ends the call on every rank */
      const Outcome *outcome = &actors[r].result;
      if (outcome->status == NNP_OK)
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(expected, outcome->hash, text);
      else
        TEST_ASSERT_TRUE_MESSAGE(outcome->failure.message[0] != 0, text);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(actors[0].result.status, actors[1].result.status, text);
  }
  return most;
}

static void test_folders(void) {
  const Scene scene = {"few", scene_few};
  const Rig whole = rig_play(&scene, NULL, 1, ODD_NOT);
  const int most = (int)shortened(400, 20);
  Actor actors[RANKS];
  nnp_error problem;
  OK(play_in_folder(&scene, actors, &problem));
  expect_hash(scene.name, actors, RANKS, whole.hash);
  TEST_ASSERT_TRUE(disturb_folder(&scene, "write", whole.hash, most) >= 10);
  TEST_ASSERT_TRUE(disturb_folder(&scene, "short write", whole.hash, most) >= 10);
  TEST_ASSERT_TRUE(disturb_folder(&scene, "rename", whole.hash, most) >= 10);
  TEST_ASSERT_TRUE(disturb_folder(&scene, "create", whole.hash, most) >= 10);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_memory_and_threads);
  RUN_TEST(test_tables_of_data);
  RUN_TEST(test_files_of_draws);
  RUN_TEST(test_folders);
  return UNITY_END();
}
