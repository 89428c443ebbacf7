/* What a host program may do around a pool: fork, use a pool from within a job of the same pool,
 * send signals. (Windows has neither forks nor signals.) An alarm ends a test that hangs. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>

#include "capi/nnpost_study.h"
#include "tests/support/alarm.h"
#include "tests/support/problem.h"
#include "tests/support/watched.h"
#ifndef _WIN32
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#endif

enum { ROWS = 1100, BEFORE = 2, AFTER = 3, PATIENCE = 300 }; /* several blocks of rows; seconds */

void setUp(void) {
  alarm(PATIENCE);
}
void tearDown(void) {}

/* 3, or 1 in a build without threads. */
static int64_t most_threads(void) {
  char text[1024];
  OK(nnp_build_info(text, sizeof text, e));
  return strstr(text, "threads: yes") ? 3 : 1;
}

static nnp_chain *new_chain(const Problem *p, nnp_pool *pool, uint64_t number) {
  nnp_chain *chain = NULL;
  OK(nnp_chain_create(&chain, p->net, p->data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_use_pool(chain, pool, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, number, e));
  return chain;
}

/* ---- fork ---------------------------------------------------------------------------------- */

typedef struct Family {
  Problem p;
  nnp_pool *pool;
  nnp_chain *pooled[2]; /* after BEFORE steps */
  nnp_chain *alone[2];  /* where they must be after AFTER more, without a pool */
} Family;

static Family make_family(void) {
  Family f;
  uint64_t c;
  f.p = problem_make(NNP_ARGMAX, ROWS);
  f.pool = NULL;
  OK(nnp_pool_create(&f.pool, most_threads(), e));
  for (c = 0; c < 2; ++c) {
    f.alone[c] = new_chain(&f.p, NULL, c);
    OK(nnp_chain_run(f.alone[c], BEFORE + AFTER, NULL, NULL, e));
    f.pooled[c] = new_chain(&f.p, f.pool, c);
    OK(nnp_chain_run(f.pooled[c], BEFORE, NULL, NULL, e));
  }
  return f;
}

static void free_family(Family *f) {
  int c;
  nnp_pool_free(f->pool);
  for (c = 0; c < 2; ++c) {
    nnp_chain_free(f->alone[c]);
    nnp_chain_free(f->pooled[c]);
  }
  problem_free(&f->p);
}

static int arrived(Family *f, int chain) {
  return problem_same(&f->p, f->pooled[chain], f->alone[chain]);
}

#ifndef _WIN32
/* 0 if the child ended well; it must not use Unity, which knows one process only. */
static int outcome(pid_t child) {
  int status = -1;
  TEST_ASSERT_EQUAL_INT64((int64_t)child, (int64_t)waitpid(child, &status, 0));
  TEST_ASSERT_FALSE_MESSAGE(WIFSIGNALED(status), "the child hung or crashed");
  return WEXITSTATUS(status);
}

static void go_to_sleep(void) {
  const struct timespec pause = {0, 30000000};
  nanosleep(&pause, NULL);
}

/* Rows on the pool, then chains side by side, then nothing on it any more. */
static int child_runs_on(Family *f) {
  double value = NAN, parent = NAN;
  if (nnp_chain_run(f->pooled[0], AFTER, NULL, NULL, NULL) != NNP_OK) return 1;
  if (!arrived(f, 0)) return 2;
  if (nnp_chains_run(f->pooled + 1, 1, AFTER - 1, NULL, NULL, NULL) != NNP_OK) return 3;
  if (nnp_chains_run(f->pooled, 2, 1, NULL, NULL, NULL) != NNP_OK) return 4;
  if (!arrived(f, 1)) return 5;
  if (nnp_chain_log_density(f->pooled[1], &value, NULL) != NNP_OK) return 6;
  if (nnp_chain_log_density(f->alone[1], &parent, NULL) != NNP_OK) return 7;
  if (value != parent) return 8;
  nnp_pool_free(f->pool);
  return 0;
}

static int child_frees(Family *f) {
  nnp_pool_free(f->pool);
  return 0;
}

/* The first use of the pool in the child is chains side by side. */
static int child_runs_both(Family *f) {
  if (nnp_chains_run(f->pooled, 2, AFTER, NULL, NULL, NULL) != NNP_OK) return 1;
  if (!arrived(f, 0) || !arrived(f, 1)) return 2;
  nnp_pool_free(f->pool);
  return 0;
}

static int child_reads(Family *f) {
  double value = NAN;
  if (nnp_chain_log_density(f->pooled[0], &value, NULL) != NNP_OK) return 1;
  return isfinite(value) ? 0 : 2;
}

static void check_child(Family *f, int (*work)(Family *)) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(PATIENCE);
    _exit(work(f));
  }
  TEST_ASSERT_TRUE(child > 0);
  TEST_ASSERT_EQUAL_INT(0, outcome(child));
}

static void test_a_forked_child_goes_on(void) {
  static int (*const works[])(Family *) = {child_runs_on, child_frees, child_runs_both,
                                           child_reads};
  Family f = make_family();
  size_t i;
  for (i = 0; i < sizeof works / sizeof works[0]; ++i) {
    double value;
    OK(nnp_chain_log_density(f.pooled[0], &value, e)); /* workers were busy just now … */
    check_child(&f, works[i]);
    go_to_sleep(); /* … and sleep by now */
    check_child(&f, works[i]);
  }
  OK(nnp_chains_run(f.pooled, 2, AFTER, NULL, NULL, e)); /* the parent's pool is as it was */
  TEST_ASSERT_TRUE(arrived(&f, 0) && arrived(&f, 1));
  free_family(&f);
}

/* Workers may hold a lock of the pool at the moment of the fork. */
static void test_forks_at_any_moment(void) {
  Family f = make_family();
  int64_t i;
  for (i = 0; i < shortened(100, 5); ++i) {
    double value;
    OK(nnp_chain_log_density(f.pooled[0], &value, e));
    check_child(&f, i % 2 ? child_frees : child_reads);
  }
  free_family(&f);
}

/* A callback between steps forks; the child returns from it and goes on with the run. */
static int32_t fork_once(const nnp_progress *progress, void *user) {
  pid_t *child = (pid_t *)user;
  if (progress->step == 1) *child = fork();
  if (*child == 0) alarm(PATIENCE);
  return 0;
}

static void test_a_callback_that_forks(void) {
  Family f = make_family();
  pid_t child = -1;
  const int32_t status = nnp_chain_run(f.pooled[0], AFTER, fork_once, &child, NULL);
  if (child == 0) _exit(status == NNP_OK && arrived(&f, 0) ? 0 : 1);
  TEST_ASSERT_TRUE(child > 0);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, status);
  TEST_ASSERT_TRUE(arrived(&f, 0));
  TEST_ASSERT_EQUAL_INT(0, outcome(child));
  free_family(&f);
}
#endif

/* ---- a pool within its own job ------------------------------------------------------------- */

enum { MEMBERS = 3, SAMPLES = 512, STEPS = 40 };

typedef struct Others {
  nnp_chain *members[MEMBERS];
  nnp_chain *chains[MEMBERS]; /* one for each member, on the same pool */
  const nnp_data *data;
} Others;

static nnp_chain *other_of(const Others *others, const nnp_chain *member) {
  int c;
  for (c = 0; c < MEMBERS; ++c)
    if (others->members[c] == member) return others->chains[c];
  return NULL;
}

/* Another chain is run and read, with its rows on the pool that works on the study. */
static int32_t look_elsewhere(nnp_chain *member, double *value, void *user) {
  const Others *others = (const Others *)user;
  nnp_chain *other = other_of(others, member);
  double score = NAN;
  int32_t status = nnp_chain_run(other, 1, NULL, NULL, NULL);
  if (status == NNP_OK) status = nnp_chain_log_density(other, value, NULL);
  if (status == NNP_OK) status = nnp_chain_score(other, others->data, NNP_SCORE_LOG, &score, NULL);
  *value += score;
  return status;
}

static void study_that_looks_elsewhere(int64_t threads, double *values, int64_t *count) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_pool *pool = NULL;
  nnp_study *study = NULL;
  nnp_series series;
  Others others;
  uint64_t c;
  OK(nnp_pool_create(&pool, threads, e));
  for (c = 0; c < MEMBERS; ++c) {
    others.members[c] = new_chain(&p, pool, c);
    others.chains[c] = new_chain(&p, pool, 100 + c);
  }
  others.data = p.data;
  OK(nnp_study_create(&study, others.members, MEMBERS, NULL, SAMPLES, e));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, (double)shortened(STEPS, 4), e));
  OK(nnp_study_function(study, look_elsewhere, &others, e));
  OK(nnp_study_run(study, NULL, NULL, e));
  *count = 0;
  for (c = 0; c < MEMBERS; ++c) {
    OK(nnp_study_series(study, (int64_t)c, NNP_SERIES_TEST, &series, e));
    memcpy(values + *count, series.values, sizeof(double) * (size_t)series.count);
    *count += series.count;
  }
  nnp_study_free(study);
  for (c = 0; c < MEMBERS; ++c) {
    nnp_chain_free(others.members[c]);
    nnp_chain_free(others.chains[c]);
  }
  nnp_pool_free(pool);
  problem_free(&p);
}

static void test_a_test_function_uses_the_pool_of_its_study(void) {
  static double alone[MEMBERS * SAMPLES], pooled[MEMBERS * SAMPLES];
  int64_t want = 0, count = 0;
  study_that_looks_elsewhere(1, alone, &want);
  study_that_looks_elsewhere(most_threads(), pooled, &count);
  TEST_ASSERT_EQUAL_INT64(want, count);
  TEST_ASSERT_TRUE(count > MEMBERS);
  TEST_ASSERT_EQUAL_MEMORY(alone, pooled, sizeof(double) * (size_t)count);
}

/* The callback of chains that run side by side uses their pool for another chain. */
static int32_t run_another(const nnp_progress *progress, void *user) {
  (void)progress;
  return nnp_chain_run((nnp_chain *)user, 1, NULL, NULL, NULL) != NNP_OK;
}

static void test_a_callback_uses_the_pool_of_its_run(void) {
  Family f = make_family();
  nnp_chain *another = new_chain(&f.p, f.pool, 7), *reference = new_chain(&f.p, NULL, 7);
  int64_t steps;
  OK(nnp_chains_run(f.pooled, 2, AFTER, run_another, another, e));
  TEST_ASSERT_TRUE(arrived(&f, 0) && arrived(&f, 1));
  OK(nnp_chain_steps(another, &steps, e));
  TEST_ASSERT_TRUE(steps > 0);
  OK(nnp_chain_run(reference, steps, NULL, NULL, e));
  TEST_ASSERT_TRUE(problem_same(&f.p, another, reference));
  nnp_chain_free(reference);
  nnp_chain_free(another);
  free_family(&f);
}

/* Two threads of the host's, each with a chain of its own, share a pool. */
typedef struct Runner {
  nnp_chain *chain;
  int32_t status;
} Runner;

static void *run_in_thread(void *argument) {
  Runner *runner = (Runner *)argument;
  int i;
  for (i = 0; i < AFTER && runner->status == NNP_OK; ++i)
    runner->status = nnp_chain_run(runner->chain, 1, NULL, NULL, NULL);
  return NULL;
}

static void test_two_threads_share_a_pool(void) {
  Family f = make_family();
  Runner runners[2] = {{NULL, NNP_OK}, {NULL, NNP_OK}};
  pthread_t thread;
  runners[0].chain = f.pooled[0];
  runners[1].chain = f.pooled[1];
  TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, run_in_thread, &runners[1]));
  run_in_thread(&runners[0]);
  pthread_join(thread, NULL);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, runners[0].status);
  TEST_ASSERT_EQUAL_INT32(NNP_OK, runners[1].status);
  TEST_ASSERT_TRUE(arrived(&f, 0) && arrived(&f, 1));
  free_family(&f);
}

/* ---- signals ------------------------------------------------------------------------------- */

#ifndef _WIN32

static pthread_t host;
static volatile sig_atomic_t at_home, elsewhere;

static void note(int number) {
  (void)number;
  if (pthread_equal(host, pthread_self()))
    at_home = 1;
  else
    elsewhere = 1;
}

/* While the host's own thread blocks a signal it must stay pending: no worker may take it. */
static void test_handlers_run_on_threads_of_the_host(void) {
  const int numbers[] = {SIGUSR1, SIGINT, SIGTERM, SIGHUP, SIGCHLD};
  Family f = make_family();
  size_t i;
  host = pthread_self();
  for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    struct sigaction action, before;
    sigset_t one, mask;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    at_home = elsewhere = 0;
    TEST_ASSERT_EQUAL_INT(0, sigaction(numbers[i], &action, &before));
    sigemptyset(&one);
    sigaddset(&one, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &one, &mask);
    TEST_ASSERT_FALSE_MESSAGE(sigismember(&mask, numbers[i]), "the pool left signals blocked");
    kill(getpid(), numbers[i]);
    OK(nnp_chain_run(f.pooled[0], AFTER, NULL, NULL, e));
    go_to_sleep();
    TEST_ASSERT_FALSE_MESSAGE(elsewhere, "a worker ran a handler");
    TEST_ASSERT_FALSE(at_home);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    TEST_ASSERT_TRUE(at_home);
    TEST_ASSERT_FALSE(elsewhere);
    sigaction(numbers[i], &before, NULL);
  }
  free_family(&f);
}
#endif

int main(void) {
  UNITY_BEGIN();
#ifndef _WIN32
  RUN_TEST(test_a_forked_child_goes_on);
  RUN_TEST(test_forks_at_any_moment);
  RUN_TEST(test_a_callback_that_forks);
  RUN_TEST(test_handlers_run_on_threads_of_the_host);
#endif
  RUN_TEST(test_a_test_function_uses_the_pool_of_its_study);
  RUN_TEST(test_a_callback_uses_the_pool_of_its_run);
  RUN_TEST(test_two_threads_share_a_pool);
  return UNITY_END();
}
