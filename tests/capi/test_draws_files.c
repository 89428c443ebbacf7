/* Draws in mapped files: what was kept comes back, after a run that was killed as well; files that are
 * damaged, cut short, of something else or impossible to make are refused in words. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#define NNP_TEST_KILLS 0
#else
#define NNP_TEST_KILLS 1
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "tests/support/problem.h"

#undef OK
#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

enum { CHAINS = 2, DRAWS = 5, ROWS = 40 };

static const char *named(const char *name) {
  static char out[128];
  snprintf(out, sizeof out, "test_draws_files.%s", name);
  return out;
}

void setUp(void) {
  remove(named("draws"));
  remove(named("other"));
}

void tearDown(void) {
  setUp();
}

typedef struct Model {
  Problem p;
  nnp_chain *chains[CHAINS];
  nnp_keeper *keeper;
} Model;

static Model make_model(int32_t head) {
  Model m;
  nnp_kept kept = {0};
  m.p = problem_make(head, ROWS);
  m.chains[0] = m.p.chain;
  OK(nnp_chain_create(&m.chains[1], m.p.net, m.p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  for (int c = 0; c < CHAINS; ++c)
    OK(nnp_chain_start(m.chains[c], NNP_START_PRIOR, 3, (uint64_t)c, &err));
  kept.what = NNP_KEEP_PARAMETERS;
  m.keeper = NULL;
  OK(nnp_keeper_create(&m.keeper, m.p.net, &kept, 1, CHAINS, &err));
  return m;
}

static void free_model(Model m) {
  nnp_keeper_free(m.keeper);
  nnp_chain_free(m.chains[1]);
  problem_free(&m.p);
}

static nnp_draws_file *new_file(Model *m, int64_t capacity) {
  nnp_draws_file *file = NULL;
  OK(nnp_draws_file_create(&file, named("draws"), m->keeper, 0, capacity, &err));
  OK(nnp_keeper_file(m->keeper, 0, file, &err));
  return file;
}

/* A file of DRAWS draws of each chain; returns them as nnp_chains_sample has them. */
static double *write_file(void) {
  Model m = make_model(NNP_GAUSSIAN), again = make_model(NNP_GAUSSIAN);
  double *draws = problem_doubles(m.p.parameters * DRAWS * CHAINS);
  nnp_draws_file *file = new_file(&m, DRAWS);
  OK(nnp_chains_keep(m.chains, CHAINS, m.keeper, 2, 2, NULL, NULL, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, m.keeper, DRAWS - 2, 2, NULL, NULL, &err));
  nnp_draws_file_free(file);
  OK(nnp_chains_sample(again.chains, CHAINS, draws, DRAWS, 2, NULL, NULL, &err));
  free_model(m);
  free_model(again);
  return draws;
}

static void test_draws_come_back(void) {
  double *draws = write_file();
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_draws_file *file = NULL;
  nnp_draws view;
  nnp_saved_draws saved;
  int32_t what = 0;
  int64_t capacity = 0, chains = 0;
  OK(nnp_draws_file_open(&file, named("draws"), p.net, &err));
  OK(nnp_draws_file_info(file, &what, &capacity, &chains, &err));
  OK(nnp_draws_file_info(file, NULL, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(NNP_KEEP_PARAMETERS, what);
  TEST_ASSERT_EQUAL_INT64(DRAWS, capacity);
  TEST_ASSERT_EQUAL_INT64(CHAINS, chains);
  OK(nnp_draws_file_view(file, &view, &err));
  TEST_ASSERT_EQUAL_INT64(p.parameters, view.quantities);
  TEST_ASSERT_EQUAL_INT64(DRAWS, view.draws);
  TEST_ASSERT_EQUAL_INT64(CHAINS, view.chains);
  TEST_ASSERT_EQUAL_INT(
      0, memcmp(view.values, draws, (size_t)(p.parameters * DRAWS * CHAINS) * sizeof(double)));
  OK(nnp_draws_file_chain(file, 1, &saved, &err));
  TEST_ASSERT_EQUAL_INT64(DRAWS, saved.draws);
  TEST_ASSERT_EQUAL_INT64(p.parameters, saved.parameters);
  TEST_ASSERT_EQUAL_INT64(1, (int64_t)saved.number);
  TEST_ASSERT_EQUAL_INT64(2 * DRAWS, saved.steps);
  TEST_ASSERT_EQUAL_INT(NNP_GIBBS, saved.sampler);
  FAILS(NNP_E_SIZE, "chain = 2", nnp_draws_file_chain(file, CHAINS, &saved, &err));
  nnp_draws_file_free(file);
  problem_free(&p);
  free(draws);
}

/* The block of a chain is the one that nnp_draws_save makes. */
static void test_chains_of_files_can_be_merged(void) {
  double *draws = write_file();
  Model m = make_model(NNP_GAUSSIAN);
  nnp_draws_file *file = NULL;
  double *merged = problem_doubles(m.p.parameters * DRAWS * CHAINS);
  nnp_saved saves[CHAINS];
  size_t bytes = 0, expected = 0;
  OK(nnp_chains_run(m.chains, CHAINS, 2 * DRAWS, NULL, NULL, &err));
  OK(nnp_draws_file_open(&file, named("draws"), NULL, &err));
  for (int64_t c = 0; c < CHAINS; ++c) {
    void *own, *block;
    OK(nnp_draws_file_save_bytes(file, c, &bytes, &err));
    OK(nnp_draws_save_bytes(m.chains[c], DRAWS, &expected, &err));
    TEST_ASSERT_TRUE(bytes == expected);
    own = malloc(bytes);
    block = malloc(bytes);
    FAILS(NNP_E_BUFFER_SIZE, "expected at least",
          nnp_draws_file_save(file, c, block, bytes - 1, &err));
    OK(nnp_draws_file_save(file, c, block, bytes, &err));
    OK(nnp_draws_save(m.chains[c], draws + c * DRAWS * m.p.parameters, DRAWS, own, bytes, &err));
    TEST_ASSERT_EQUAL_INT(0, memcmp(own, block, bytes));
    free(own);
    saves[c].buffer = block;
    saves[c].size = bytes;
  }
  OK(nnp_draws_merge(saves, CHAINS, merged, DRAWS, NULL, &err));
  TEST_ASSERT_EQUAL_INT(
      0, memcmp(merged, draws, (size_t)(m.p.parameters * DRAWS * CHAINS) * sizeof(double)));
  for (int64_t c = 0; c < CHAINS; ++c) free((void *)(size_t)saves[c].buffer);
  nnp_draws_file_free(file);
  free(merged);
  free(draws);
  free_model(m);
}

/* ---- a run that is killed ---- */

#if NNP_TEST_KILLS

static int32_t die_at_step(const nnp_progress *progress, void *user) {
  if (progress->chain_index == 1 && progress->step == *(const int64_t *)user) raise(SIGKILL);
  return 0;
}

static void run_and_die(int64_t step) {
  const pid_t child = fork();
  int status = 0;
  if (child == 0) {
    Model m = make_model(NNP_GAUSSIAN);
    new_file(&m, DRAWS);
    nnp_chains_keep(m.chains, CHAINS, m.keeper, DRAWS, 2, die_at_step, &step, &err);
    _exit(1);
  }
  TEST_ASSERT_TRUE(child > 0);
  TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
  TEST_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void test_a_run_that_is_killed_leaves_its_draws(void) {
  Model m = make_model(NNP_GAUSSIAN);
  double *draws = problem_doubles(m.p.parameters * DRAWS * CHAINS);
  nnp_draws_file *file = NULL;
  nnp_saved_draws saved;
  nnp_draws view;
  OK(nnp_chains_sample(m.chains, CHAINS, draws, DRAWS, 2, NULL, NULL, &err));
  run_and_die(7); /* chain 0 has made all its steps, chain 1 three draws and a step */
  OK(nnp_draws_file_open(&file, named("draws"), m.p.net, &err));
  OK(nnp_draws_file_chain(file, 0, &saved, &err));
  TEST_ASSERT_EQUAL_INT64(DRAWS, saved.draws);
  OK(nnp_draws_file_chain(file, 1, &saved, &err));
  TEST_ASSERT_EQUAL_INT64(3, saved.draws);
  OK(nnp_draws_file_view(file, &view, &err));
  TEST_ASSERT_EQUAL_INT64(3, view.draws);
  for (int64_t c = 0; c < CHAINS; ++c)
    TEST_ASSERT_EQUAL_INT(
        0, memcmp(view.values + c * view.chain_stride, draws + c * DRAWS * m.p.parameters,
                  (size_t)(3 * m.p.parameters) * sizeof(double)));
  nnp_draws_file_free(file);
  remove(named("draws"));
  run_and_die(1);
  OK(nnp_draws_file_open(&file, named("draws"), m.p.net, &err));
  FAILS(NNP_E_SIZE, "not every chain has draws", nnp_draws_file_view(file, &view, &err));
  nnp_draws_file_free(file);
  free(draws);
  free_model(m);
}

#endif

/* ---- what is refused ---- */

static unsigned char *read_all(const char *name, size_t *size) {
  FILE *f = fopen(name, "rb");
  unsigned char *bytes;
  TEST_ASSERT_NOT_NULL(f);
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  bytes = (unsigned char *)malloc(*size);
  TEST_ASSERT_TRUE(*size == fread(bytes, 1, *size, f));
  fclose(f);
  return bytes;
}

static void write_all(const char *name, const unsigned char *bytes, size_t size) {
  FILE *f = fopen(name, "wb");
  TEST_ASSERT_NOT_NULL(f);
  TEST_ASSERT_TRUE(size == fwrite(bytes, 1, size, f));
  fclose(f);
}

static int32_t open_with(const unsigned char *bytes, size_t size) {
  nnp_draws_file *file = NULL;
  char name[128];
  int32_t status;
  strcpy(name, named("other"));
  write_all(name, bytes, size);
  status = nnp_draws_file_open(&file, name, NULL, &err);
  TEST_ASSERT_EQUAL(status == NNP_OK, file != NULL);
  nnp_draws_file_free(file);
  return status;
}

/* Every bit that is flipped in what counts is noticed. (Of two records of a chain the older one does not
 * count, nor does what lies between the records and the values.) */
static void test_damaged_files_are_refused(void) {
  size_t size = 0;
  unsigned char *bytes;
  const size_t records = 96, values = 4096, last = records + (2 * 1 + DRAWS % 2) * 96;
  free(write_file());
  bytes = read_all(named("draws"), &size);
  TEST_ASSERT_EQUAL_INT(NNP_OK, open_with(bytes, size));
  for (size_t i = 0; i < records; ++i) {
    bytes[i] ^= 16;
    FAILS(i < 8    ? NNP_E_SAVE_CORRUPTED
          : i < 16 ? NNP_E_SAVE_VERSION
                   : NNP_E_SAVE_CORRUPTED,
          "path", open_with(bytes, size));
    bytes[i] ^= 16;
  }
  for (size_t i = values; i < size; i += 37) {
    bytes[i] ^= 1;
    FAILS(NNP_E_SAVE_CORRUPTED, "does not agree with its 5 draws", open_with(bytes, size));
    bytes[i] ^= 1;
  }
  bytes[last + 90] ^= 1; /* the newest record of chain 1: the one before is still true */
  TEST_ASSERT_EQUAL_INT(NNP_OK, open_with(bytes, size));
  bytes[last + 90] ^= 1;
  FAILS(NNP_E_SAVE_TRUNCATED, "expected", open_with(bytes, size - 1));
  FAILS(NNP_E_SAVE_TRUNCATED, "expected", open_with(bytes, 4096));
  FAILS(NNP_E_SAVE_TRUNCATED, "it has 95 bytes, expected at least 96", open_with(bytes, 95));
  FAILS(NNP_E_SAVE_TRUNCATED, "empty", open_with(bytes, 0));
  free(bytes);
}

static void test_other_things_are_refused(void) {
  Model m = make_model(NNP_GAUSSIAN), other = make_model(NNP_ARGMAX);
  nnp_draws_file *file = NULL, *read = NULL;
  free(write_file());
  FAILS(NNP_E_SAVE_NETWORK, "another network",
        nnp_draws_file_open(&file, named("draws"), other.p.net, &err));
  FAILS(NNP_E_FILE, "cannot open it", nnp_draws_file_open(&file, named("none"), NULL, &err));
  FAILS(NNP_E_FILE, "cannot", nnp_draws_file_open(&file, ".", NULL, &err));
  FAILS(NNP_E_FILE, "cannot make it",
        nnp_draws_file_create(&file, named("draws"), m.keeper, 0, 1, &err));
  FAILS(NNP_E_FILE, "cannot make it",
        nnp_draws_file_create(&file, named("no/folder"), m.keeper, 0, 1, &err));
  FAILS(NNP_E_FILE, "cannot",
        nnp_draws_file_create(&file, named("other"), m.keeper, 0, (int64_t)1 << 40, &err));
  TEST_ASSERT_NULL(fopen(named("other"), "rb"));
  FAILS(NNP_E_OVERFLOW, "capacity",
        nnp_draws_file_create(&file, named("other"), m.keeper, 0, INT64_MAX, &err));
  FAILS(NNP_E_SIZE, "capacity = 0",
        nnp_draws_file_create(&file, named("other"), m.keeper, 0, 0, &err));
  FAILS(NNP_E_NULL, "path", nnp_draws_file_create(&file, NULL, m.keeper, 0, 1, &err));
  FAILS(NNP_E_NULL, "keeper", nnp_draws_file_create(&file, "x", NULL, 0, 1, &err));
  FAILS(NNP_E_NULL, "file", nnp_draws_file_open(NULL, "x", NULL, &err));
  TEST_ASSERT_NULL(file);
  OK(nnp_draws_file_create(&file, named("other"), m.keeper, 0, 2, &err));
  FAILS(NNP_E_SHAPE, "file: it is made for", nnp_keeper_file(other.keeper, 0, file, &err));
  OK(nnp_draws_file_open(&read, named("draws"), NULL, &err));
  FAILS(NNP_E_UNSUPPORTED, "opened to be read", nnp_keeper_file(m.keeper, 0, read, &err));
  OK(nnp_keeper_file(m.keeper, 0, file, &err));
  FAILS(NNP_E_BUFFER_SIZE, "count = 3",
        nnp_chains_keep(m.chains, CHAINS, m.keeper, 3, 1, NULL, NULL, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, m.keeper, 1, 1, NULL, NULL, &err));
  OK(nnp_chain_start(m.chains[1], NNP_START_PRIOR, 3, 9, &err));
  FAILS(NNP_E_VALUE, "another chain than number 1",
        nnp_chains_keep(m.chains, CHAINS, m.keeper, 1, 1, NULL, NULL, &err));
  nnp_draws_file_free(read);
  nnp_draws_file_free(file);
  nnp_draws_file_free(NULL);
  free_model(m);
  free_model(other);
}

/* Nobody writes over another's draws. */
static void test_a_file_is_for_one_keeper(void) {
  Model m = make_model(NNP_GAUSSIAN);
  nnp_keeper *first = NULL, *second = NULL, *twice = NULL;
  nnp_draws_file *file = NULL;
  nnp_kept kept[2] = {{0}};
  kept[0].what = kept[1].what = NNP_KEEP_PARAMETERS;
  OK(nnp_keeper_create(&first, m.p.net, kept, 1, CHAINS, &err));
  OK(nnp_keeper_create(&second, m.p.net, kept, 1, CHAINS, &err));
  OK(nnp_keeper_create(&twice, m.p.net, kept, 2, CHAINS, &err));
  OK(nnp_draws_file_create(&file, named("draws"), first, 0, DRAWS, &err));
  OK(nnp_keeper_file(first, 0, file, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, first, 2, 1, NULL, NULL, &err));
  OK(nnp_keeper_file(second, 0, file, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, second, 1, 1, NULL, NULL, &err));
  FAILS(NNP_E_UNSUPPORTED, "has 3 draws of chain 0, expected 2",
        nnp_chains_keep(m.chains, CHAINS, first, 1, 1, NULL, NULL, &err));
  OK(nnp_keeper_file(twice, 0, file, &err));
  OK(nnp_keeper_file(twice, 1, file, &err));
  FAILS(NNP_E_UNSUPPORTED, "numbers 0 and 1 go to the same file",
        nnp_chains_keep(m.chains, CHAINS, twice, 1, 1, NULL, NULL, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, second, 1, 1, NULL, NULL, &err));
  nnp_keeper_free(first);
  nnp_keeper_free(second);
  nnp_keeper_free(twice);
  nnp_draws_file_free(file);
  OK(nnp_draws_file_open(&file, named("draws"), m.p.net, &err));
  nnp_draws_file_free(file);
  free_model(m);
}

static int exists(const char *name) {
  FILE *f = fopen(name, "rb");
  if (f) fclose(f);
  return f != NULL;
}

/* A file that has got no draw is gone when it is freed, so that the next run can have its name. */
static void test_files_without_draws_do_not_stay(void) {
  Model m = make_model(NNP_GAUSSIAN);
  nnp_draws_file *file = new_file(&m, DRAWS);
  TEST_ASSERT_TRUE(exists(named("draws")));
  nnp_draws_file_free(file);
  TEST_ASSERT_FALSE(exists(named("draws")));
  file = new_file(&m, DRAWS);
  FAILS(NNP_E_BUFFER_SIZE, "count",
        nnp_chains_keep(m.chains, CHAINS, m.keeper, DRAWS + 1, 1, NULL, NULL, &err));
  nnp_draws_file_free(file);
  TEST_ASSERT_FALSE(exists(named("draws")));
  file = new_file(&m, DRAWS);
  OK(nnp_chains_keep(m.chains, CHAINS, m.keeper, 1, 1, NULL, NULL, &err));
  nnp_draws_file_free(file);
  TEST_ASSERT_TRUE(exists(named("draws")));
  /* one that is read stays, whatever it has */
  OK(nnp_draws_file_open(&file, named("draws"), NULL, &err));
  nnp_draws_file_free(file);
  TEST_ASSERT_TRUE(exists(named("draws")));
  free_model(m);
}

#if NNP_TEST_KILLS

/* What lies at its path is another's file by now, or another process has made it: both stay. */
static void test_only_own_files_are_removed(void) {
  Model m = make_model(NNP_GAUSSIAN);
  nnp_draws_file *file = new_file(&m, DRAWS);
  char name[128];
  int status = 0;
  strcpy(name, named("other"));
  const pid_t child = fork();
  if (child == 0) {
    nnp_draws_file_free(file);
    _exit(0);
  }
  TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
  TEST_ASSERT_TRUE(exists(named("draws")));
  TEST_ASSERT_EQUAL_INT(0, rename(named("draws"), name));
  write_all(named("draws"), (const unsigned char *)"mine", 4);
  nnp_draws_file_free(file);
  TEST_ASSERT_TRUE(exists(named("draws")));
  TEST_ASSERT_TRUE(exists(name));
  free_model(m);
}

#endif

/* Files of predictions, too; but they are nothing to merge. */
static void test_files_of_functions(void) {
  Model m = make_model(NNP_GAUSSIAN), again = make_model(NNP_GAUSSIAN);
  nnp_predictor *predictor = NULL;
  nnp_keeper *keeper = NULL;
  nnp_draws_file *file = NULL;
  nnp_kept kept = {0};
  nnp_draws view;
  int32_t what = 0;
  size_t bytes = 0;
  double *values, *draws;
  OK(nnp_predictor_create(&predictor, m.p.net, 1, &err));
  kept.what = NNP_KEEP_LOG_LIK;
  kept.predictor = predictor;
  kept.data = m.p.data;
  OK(nnp_keeper_create(&keeper, m.p.net, &kept, 1, CHAINS, &err));
  OK(nnp_draws_file_create(&file, named("draws"), keeper, 0, DRAWS, &err));
  OK(nnp_keeper_file(keeper, 0, file, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS, 1, NULL, NULL, &err));
  nnp_draws_file_free(file);
  nnp_keeper_free(keeper);
  OK(nnp_draws_file_open(&file, named("draws"), m.p.net, &err));
  OK(nnp_draws_file_info(file, &what, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(NNP_KEEP_LOG_LIK, what);
  OK(nnp_draws_file_view(file, &view, &err));
  TEST_ASSERT_EQUAL_INT64(ROWS, view.quantities);
  draws = problem_doubles(m.p.parameters * DRAWS * CHAINS);
  values = problem_doubles(ROWS * DRAWS);
  OK(nnp_chains_sample(again.chains, CHAINS, draws, DRAWS, 1, NULL, NULL, &err));
  OK(nnp_log_lik(predictor, m.p.data, draws, DRAWS, values, &err));
  TEST_ASSERT_EQUAL_INT(0, memcmp(values, view.values, sizeof(double) * ROWS * DRAWS));
  FAILS(NNP_E_UNSUPPORTED, "expected NNP_KEEP_PARAMETERS",
        nnp_draws_file_save_bytes(file, 0, &bytes, &err));
  nnp_draws_file_free(file);
  nnp_predictor_free(predictor);
  free(values);
  free(draws);
  free_model(m);
  free_model(again);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_draws_come_back);
  RUN_TEST(test_chains_of_files_can_be_merged);
#if NNP_TEST_KILLS
  RUN_TEST(test_a_run_that_is_killed_leaves_its_draws);
#endif
  RUN_TEST(test_damaged_files_are_refused);
  RUN_TEST(test_other_things_are_refused);
  RUN_TEST(test_a_file_is_for_one_keeper);
  RUN_TEST(test_files_of_functions);
  RUN_TEST(test_files_without_draws_do_not_stay);
#if NNP_TEST_KILLS
  RUN_TEST(test_only_own_files_are_removed);
#endif
  return UNITY_END();
}
