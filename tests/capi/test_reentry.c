/* Callbacks and test functions that reach back into their own run: what would change it is refused
 * with a sentence, what only reads is not, and the run goes on as if nobody had tried. An alarm
 * ends a test that loops. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "capi/nnpost_study.h"
#include "tests/support/alarm.h"
#include "tests/support/problem.h"
#include "tests/support/watched.h"

enum { ROWS = 40, STEPS = 5, CHAINS = 2, PATIENCE = 300 };

void setUp(void) {
  alarm(PATIENCE);
}
void tearDown(void) {}

static nnp_chain *new_chain(const Problem *p, int32_t sampler, uint64_t number) {
  nnp_chain *chain = NULL;
  OK(nnp_chain_create(&chain, p->net, p->data, sampler, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, number, e));
  return chain;
}

static void refused(int32_t status, const nnp_error *got, const char *words) {
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_E_UNSUPPORTED, status, got->message);
  TEST_ASSERT_EQUAL_INT32(NNP_E_UNSUPPORTED, got->status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(got->message, words), got->message);
}

#define REFUSED(words, call)        \
  do {                              \
    nnp_error got_ = {0, ""};       \
    nnp_error *e = &got_;           \
    const int32_t status_ = (call); \
    refused(status_, &got_, words); \
  } while (0)

/* ---- chains -------------------------------------------------------------------------------- */

/* Never called: a run that is refused makes no step. */
static int32_t count_steps(const nnp_progress *progress, void *user) {
  (void)progress;
  ++*(int64_t *)user;
  return 0;
}

/* Everything that would change the chain, by any name. */
static void check_all_refused(nnp_chain *chain, nnp_chain *const *chains, int64_t count) {
  static const char words[] = "it is being run";
  double draws[64] = {0};
  int64_t called = 0;
  size_t bytes = 0;
  void *saved;
  REFUSED(words, nnp_chain_run(chain, 1, NULL, NULL, e));
  REFUSED(words, nnp_chain_run(chain, 3, count_steps, &called, e));
  REFUSED(words, nnp_chain_sample(chain, draws, 1, 1, NULL, NULL, e));
  REFUSED(words, nnp_chains_run(chains, count, 1, NULL, NULL, e));
  REFUSED(words, nnp_chains_sample(chains, count, draws, 1, 1, NULL, NULL, e));
  REFUSED(words, nnp_chain_start(chain, NNP_START_ZERO, 1, 0, e));
  REFUSED(words, nnp_chain_start_weights(chain, draws, 0, 1, 0, e));
  REFUSED(words, nnp_chain_start_state(chain, draws, draws, 1, 0, e));
  REFUSED(words, nnp_chain_anneal(chain, 1, 10, e));
  REFUSED(words, nnp_chain_descend(chain, 3, count_steps, &called, e));
  REFUSED(words, nnp_chains_start(chains, count, NNP_START_FIT, 1, count_steps, &called, e));
  REFUSED(words, nnp_chain_set(chain, NNP_OPTION_SIMD, 1, e));
  REFUSED(words, nnp_chain_use_pool(chain, NULL, e));
  REFUSED(words, nnp_chain_set_scales(chain, NULL, e));
  OK(nnp_chain_save_bytes(chain, &bytes, e)); /* reading is allowed */
  saved = malloc(bytes);
  OK(nnp_chain_save(chain, saved, bytes, e));
  REFUSED(words, nnp_chain_restore(chain, saved, bytes, e));
  free(saved);
  TEST_ASSERT_EQUAL_INT64(0, called);
}

typedef struct Meddler {
  nnp_chain *const *chains;
  int64_t count, calls;
  nnp_chain *another;
} Meddler;

static int32_t meddle(const nnp_progress *progress, void *user) {
  Meddler *m = (Meddler *)user;
  double value = NAN, parameters[64];
  int64_t c;
  ++m->calls;
  for (c = 0; c < m->count; ++c)
    REFUSED("being run", nnp_chain_run(m->chains[c], 1, NULL, NULL, e));
  if (!progress->chain) return 0; /* on another thread */
  check_all_refused(progress->chain, m->chains, m->count);
  OK(nnp_chain_log_density(progress->chain, &value, e));
  TEST_ASSERT_TRUE(isfinite(value));
  OK(nnp_chain_parameters(progress->chain, parameters, e));
  OK(nnp_chain_run(m->another, 1, NULL, NULL, e)); /* others may run */
  return 0;
}

static void run_meddled(int32_t sampler, int64_t count, int64_t threads) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *chains[CHAINS], *quiet[CHAINS];
  nnp_pool *pool = NULL;
  Meddler m;
  int64_t c;
  OK(nnp_pool_create(&pool, threads, e));
  for (c = 0; c < CHAINS; ++c) {
    chains[c] = new_chain(&p, sampler, (uint64_t)c);
    quiet[c] = new_chain(&p, sampler, (uint64_t)c);
    OK(nnp_chain_use_pool(chains[c], pool, e));
  }
  m.chains = chains;
  m.count = count;
  m.calls = 0;
  m.another = new_chain(&p, sampler, 9);
  OK(nnp_chains_run(chains, count, STEPS, meddle, &m, e));
  /* Of chains that other threads take, only the end is sure to be told. */
  TEST_ASSERT_TRUE(m.calls >= (threads == 1 ? STEPS : count));
  OK(nnp_chains_run(quiet, count, STEPS, NULL, NULL, e));
  for (c = 0; c < count; ++c) TEST_ASSERT_TRUE(problem_same(&p, chains[c], quiet[c]));
  /* When the run is over the chains are free again. */
  OK(nnp_chain_set(chains[0], NNP_OPTION_SIMD, 1, e));
  OK(nnp_chain_start(chains[0], NNP_START_ZERO, 1, 0, e));
  OK(nnp_chain_run(chains[0], 1, NULL, NULL, e));
  nnp_chain_free(m.another);
  for (c = 0; c < CHAINS; ++c) {
    nnp_chain_free(chains[c]);
    nnp_chain_free(quiet[c]);
  }
  nnp_pool_free(pool);
  problem_free(&p);
}

static int64_t two_threads(void) {
  char text[1024];
  OK(nnp_build_info(text, sizeof text, e));
  return strstr(text, "threads: yes") ? 2 : 1;
}

static void test_a_callback_leaves_its_chain_alone(void) {
  run_meddled(NNP_HMC, 1, 1);
  run_meddled(NNP_HMC, CHAINS, 1);
  run_meddled(NNP_HMC, CHAINS, two_threads());
}

/* A run that was stopped or refused gives its chains back, too. */
static int32_t stop(const nnp_progress *progress, void *user) {
  (void)progress;
  (void)user;
  return 1;
}

static void test_chains_are_given_back(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *chains[CHAINS];
  chains[0] = new_chain(&p, NNP_GIBBS, 0);
  chains[1] = NULL;
  OK(nnp_chain_create(&chains[1], p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, nnp_chain_run(chains[0], 9, stop, NULL, NULL));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NOT_STARTED, nnp_chains_run(chains, 2, 1, NULL, NULL, NULL));
  OK(nnp_chain_run(chains[0], 1, NULL, NULL, e));
  nnp_chain_free(chains[0]);
  nnp_chain_free(chains[1]);
  problem_free(&p);
}

/* ---- studies ------------------------------------------------------------------------------- */

typedef struct Studied {
  nnp_study *study;
  nnp_chain *chains[CHAINS];
  int64_t calls[CHAINS], reports;
} Studied;

static int32_t not_called(const nnp_study *study, const nnp_study_progress *state, void *user) {
  (void)study;
  (void)state;
  ++*(int64_t *)user;
  return 1;
}

static int32_t meddle_with_study(const nnp_study *study, const nnp_study_progress *state,
                                 void *user) {
  Studied *s = (Studied *)user;
  int64_t others = 0, c;
  nnp_study_progress asked;
  TEST_ASSERT_EQUAL_PTR(s->study, study);
  REFUSED("chain 0: it is being run", nnp_study_run(s->study, NULL, NULL, e));
  REFUSED("chain 0: it is being run", nnp_study_run(s->study, not_called, &others, e));
  REFUSED("the study is running", nnp_study_set(s->study, NNP_STUDY_STEPS, 1, e));
  REFUSED("the study is running", nnp_study_thermalization(s->study, NULL, e));
  for (c = 0; c < CHAINS; ++c) {
    REFUSED("being run", nnp_chain_run(s->chains[c], 1, NULL, NULL, e));
    REFUSED("being run", nnp_chain_start(s->chains[c], NNP_START_ZERO, 1, 0, e));
  }
  OK(nnp_study_state(study, &asked, e)); /* reading is allowed */
  TEST_ASSERT_EQUAL_INT64(state->samples, asked.samples);
  TEST_ASSERT_EQUAL_INT64(0, others);
  ++s->reports;
  return 0;
}

/* On any thread, so without Unity. */
static int32_t meddle_with_member(nnp_chain *chain, double *value, void *user) {
  Studied *s = (Studied *)user;
  const int c = chain == s->chains[1];
  ++s->calls[c];
  if (nnp_chain_run(chain, 1, NULL, NULL, NULL) != NNP_E_UNSUPPORTED) return NNP_E_VALUE;
  if (nnp_study_run(s->study, NULL, NULL, NULL) != NNP_E_UNSUPPORTED) return NNP_E_VALUE;
  return nnp_chain_log_density(chain, value, NULL);
}

static void test_a_study_within_itself(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_pool *pool = NULL;
  nnp_chain *quiet;
  nnp_study_progress state;
  Studied s;
  int64_t c;
  memset(&s, 0, sizeof s);
  OK(nnp_pool_create(&pool, two_threads(), e));
  for (c = 0; c < CHAINS; ++c) {
    s.chains[c] = new_chain(&p, NNP_GIBBS, (uint64_t)c);
    OK(nnp_chain_use_pool(s.chains[c], pool, e));
  }
  quiet = new_chain(&p, NNP_GIBBS, 1);
  OK(nnp_study_create(&s.study, s.chains, CHAINS, NULL, 512, e));
  OK(nnp_study_set(s.study, NNP_STUDY_STEPS, STEPS, e));
  OK(nnp_study_function(s.study, meddle_with_member, &s, e));
  OK(nnp_study_run(s.study, meddle_with_study, &s, e));
  OK(nnp_study_state(s.study, &state, e));
  TEST_ASSERT_EQUAL_INT64(STEPS, state.steps);
  TEST_ASSERT_TRUE(s.calls[0] >= STEPS && s.calls[1] >= STEPS && s.reports > 0);
  OK(nnp_chain_run(quiet, STEPS, NULL, NULL, e));
  TEST_ASSERT_TRUE(problem_same(&p, s.chains[1], quiet));
  OK(nnp_study_set(s.study, NNP_STUDY_STEPS, STEPS + 1, e)); /* between runs all is free */
  OK(nnp_chain_run(s.chains[0], 1, NULL, NULL, e));
  nnp_study_free(s.study);
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(s.chains[c]);
  nnp_chain_free(quiet);
  nnp_pool_free(pool);
  problem_free(&p);
}

/* ---- multistart and twins ------------------------------------------------------------------- */

typedef struct Tried {
  nnp_multistart *multistart;
  nnp_twin *twin;
  nnp_chain *chains[CHAINS];
  int64_t reports;
} Tried;

static int32_t count_report(const nnp_multistart_progress *state, void *user) {
  (void)state;
  ++*(int64_t *)user;
  return 1;
}

static int32_t meddle_with_multistart(const nnp_multistart_progress *state, void *user) {
  Tried *t = (Tried *)user;
  int64_t others = 0, best = -2;
  TEST_ASSERT_EQUAL_INT64(400, state->steps);
  REFUSED("chain 0: it is being run", nnp_multistart_run(t->multistart, 1, NULL, NULL, e));
  REFUSED("chain 0: it is being run",
          nnp_multistart_run(t->multistart, 1, count_report, &others, e));
  REFUSED("the multistart is running",
          nnp_multistart_set(t->multistart, NNP_MULTISTART_STEPS, 800, e));
  REFUSED("being run", nnp_chain_run(t->chains[1], 1, NULL, NULL, e));
  if (state->best < 0)
    TEST_ASSERT_EQUAL_INT32(NNP_E_NOT_STARTED, nnp_multistart_best(t->multistart, &best, NULL));
  TEST_ASSERT_EQUAL_INT64(0, others);
  ++t->reports;
  return 0;
}

static int32_t meddle_with_twin(const nnp_multistart_progress *state, void *user) {
  Tried *t = (Tried *)user;
  int64_t others = 0;
  (void)state;
  REFUSED("chain 0: it is being run", nnp_twin_run(t->twin, 64, 1, 1, NULL, NULL, e));
  REFUSED("chain 0: it is being run", nnp_twin_run(t->twin, 64, 1, 1, count_report, &others, e));
  REFUSED("being run", nnp_chain_run(t->chains[0], 1, NULL, NULL, e));
  REFUSED("being run", nnp_chain_start(t->chains[0], NNP_START_ZERO, 1, 0, e));
  TEST_ASSERT_EQUAL_INT64(0, others);
  ++t->reports;
  return 0;
}

static void test_multistart_and_twins_within_themselves(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  Tried t;
  nnp_verdict verdict;
  int64_t best = -1, c;
  memset(&t, 0, sizeof t);
  for (c = 0; c < CHAINS; ++c) t.chains[c] = new_chain(&p, NNP_GIBBS, (uint64_t)c);
  OK(nnp_multistart_create(&t.multistart, t.chains, CHAINS, e));
  OK(nnp_multistart_set(t.multistart, NNP_MULTISTART_STEPS, 400, e));
  OK(nnp_multistart_run(t.multistart, 7, meddle_with_multistart, &t, e));
  TEST_ASSERT_EQUAL_INT64(400, t.reports);
  OK(nnp_multistart_best(t.multistart, &best, e));
  OK(nnp_multistart_set(t.multistart, NNP_MULTISTART_STEPS, 500, e));
  t.reports = 0;
  OK(nnp_twin_create(&t.twin, t.chains[0], e));
  OK(nnp_chain_start(t.chains[0], NNP_START_PRIOR, 5, 0, e));
  OK(nnp_twin_run(t.twin, 64, 1, 3, meddle_with_twin, &t, e));
  TEST_ASSERT_EQUAL_INT64(128, t.reports);
  OK(nnp_twin_report(t.twin, &verdict, e));
  nnp_twin_free(t.twin);
  nnp_multistart_free(t.multistart);
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(t.chains[c]);
  problem_free(&p);
}

/* ---- throttles ----------------------------------------------------------------------------- */

static void test_throttles_without_a_callback(void) {
  Problem p = problem_make(NNP_GAUSSIAN, ROWS);
  nnp_chain *chain = new_chain(&p, NNP_GIBBS, 0);
  nnp_throttle none = {NULL, NULL, 0, 0};
  nnp_progress progress = {NULL, 0, 1, 2, 0.5};
  double draws[64];
  int64_t steps = -1;
  nnp_error err = {0, ""};
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_chain_run(chain, 3, nnp_throttled, NULL, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "user: it is NULL"), err.message);
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_chain_run(chain, 3, nnp_throttled, &none, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "callback of this nnp_throttle"), err.message);
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL,
                          nnp_chain_sample(chain, draws, 1, 1, nnp_throttled, NULL, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_E_NULL, nnp_chains_run(&chain, 1, 3, nnp_throttled, &none, &err));
  OK(nnp_chain_steps(chain, &steps, e));
  TEST_ASSERT_EQUAL_INT64(0, steps);
  TEST_ASSERT_EQUAL_INT32(0, nnp_throttled(&progress, NULL)); /* nobody to ask: go on */
  TEST_ASSERT_EQUAL_INT32(0, nnp_throttled(&progress, &none));
  TEST_ASSERT_EQUAL_INT32(0, nnp_throttled(NULL, &none));
  nnp_chain_free(chain);
  problem_free(&p);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_callback_leaves_its_chain_alone);
  RUN_TEST(test_chains_are_given_back);
  RUN_TEST(test_a_study_within_itself);
  RUN_TEST(test_multistart_and_twins_within_themselves);
  RUN_TEST(test_throttles_without_a_callback);
  return UNITY_END();
}
