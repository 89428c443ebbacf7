/* What a chain promises it keeps with every sampler, posterior and extra move: the same bits run at
 * once or in pieces, on any number of threads, beside other chains, and when restored on the way.
 * The whole saved state is compared, random streams and adaptation included. */
#include <stdio.h>

#include "tests/support/problem.h"
#include "tests/support/watched.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 1000, FEW_ROWS = 150, STEPS = 24, MOST_OPTIONS = 4 };

typedef struct Option {
  int32_t option;
  double value;
} Option;

typedef struct Variant {
  const char *name;
  int32_t head, sampler, posterior;
  Option options[MOST_OPTIONS];
  int64_t annealing; /* steps, 0 for none */
} Variant;

static const Variant variants[] = {
    {"gibbs", NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, {{0, 0}}, 0},
    {"gibbs, plain",
     NNP_GAUSSIAN,
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     {{NNP_OPTION_MOVES, NNP_MOVES_PLAIN}},
     0},
    {"gibbs, layer-parallel",
     NNP_ARGMAX,
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     {{NNP_OPTION_SCHEDULE, NNP_PARALLEL}},
     0},
    {"gibbs, portable", NNP_SIGN_HEAD, NNP_GIBBS, NNP_INTERMEDIATE, {{NNP_OPTION_SIMD, 1}}, 0},
    {"gibbs, over-relaxed",
     NNP_GAUSSIAN,
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     {{NNP_OPTION_RELAX, -0.9}, {NNP_OPTION_PLAIN_EVERY, 3}},
     0},
    {"gibbs, over-relaxed probit",
     NNP_ARGMAX,
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     {{NNP_OPTION_RELAX, -0.9}, {NNP_OPTION_EXPANSION, 1}, {NNP_OPTION_SCHEDULE, NNP_PARALLEL}},
     0},
    {"gibbs, unit and scale moves",
     NNP_SIGN_HEAD,
     NNP_GIBBS,
     NNP_INTERMEDIATE,
     {{NNP_OPTION_UNIT_MOVES, 0.7}, {NNP_OPTION_SCALE_MOVES, 0.6}, {NNP_OPTION_EXPANSION, 1}},
     0},
    {"gibbs, annealed", NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, {{0, 0}}, 13},
    {"hmc", NNP_GAUSSIAN, NNP_HMC, NNP_INTERMEDIATE, {{NNP_OPTION_JITTER, 0.2}}, 0},
    {"hmc, classical, warm-up",
     NNP_ARGMAX,
     NNP_HMC,
     NNP_CLASSICAL,
     {{NNP_OPTION_WARMUP, 16}, {NNP_OPTION_LEAPFROGS, 3}},
     0},
    {"mala", NNP_SIGN_HEAD, NNP_MALA, NNP_CLASSICAL, {{NNP_OPTION_STEP_SIZE, 1e-3}}, 0},
    {"mala, warm-up", NNP_GAUSSIAN, NNP_MALA, NNP_INTERMEDIATE, {{NNP_OPTION_WARMUP, 16}}, 0},
    {"nuts",
     NNP_GAUSSIAN,
     NNP_NUTS,
     NNP_CLASSICAL,
     {{NNP_OPTION_MAX_DEPTH, 4}, {NNP_OPTION_STEP_SIZE, 0.02}},
     0},
    {"nuts, warm-up",
     NNP_SIGN_HEAD,
     NNP_NUTS,
     NNP_CLASSICAL,
     {{NNP_OPTION_WARMUP, 16}, {NNP_OPTION_MAX_DEPTH, 4}},
     0},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static nnp_chain *bare_chain(const Variant *v, const Problem *p) {
  nnp_chain *chain = NULL;
  OK(nnp_chain_create(&chain, p->net, p->data, v->sampler, v->posterior, e));
  return chain;
}

static void start(const Variant *v, nnp_chain *chain, uint64_t number) {
  int i;
  for (i = 0; i < MOST_OPTIONS && v->options[i].option; ++i)
    OK(nnp_chain_set(chain, v->options[i].option, v->options[i].value, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 3, number, e));
  if (v->annealing) OK(nnp_chain_anneal(chain, 1, v->annealing, e));
}

static nnp_chain *new_chain(const Variant *v, const Problem *p, uint64_t number) {
  nnp_chain *chain = bare_chain(v, p);
  start(v, chain, number);
  return chain;
}

static void run(nnp_chain *chain, int64_t steps) {
  OK(nnp_chain_run(chain, steps, NULL, NULL, e));
}

static int32_t stop_at(const nnp_progress *progress, void *user) {
  return progress->step == *(const int64_t *)user;
}

/* Stopping by callback: a warm-up may be left no other way. */
static void run_part(nnp_chain *chain, int64_t steps) {
  TEST_ASSERT_EQUAL_INT32(NNP_STOPPED, nnp_chain_run(chain, STEPS, stop_at, &steps, NULL));
}

static unsigned char *save(const nnp_chain *chain, size_t *bytes) {
  unsigned char *block;
  OK(nnp_chain_save_bytes(chain, bytes, e));
  block = (unsigned char *)malloc(*bytes);
  TEST_ASSERT_NOT_NULL(block);
  OK(nnp_chain_save(chain, block, *bytes, e));
  return block;
}

static int same(const nnp_chain *a, const nnp_chain *b) {
  size_t bytes, other;
  unsigned char *left = save(a, &bytes), *right = save(b, &other);
  const int equal = bytes == other && memcmp(left, right, bytes) == 0;
  free(right);
  free(left);
  return equal;
}

static int64_t most_threads(void) {
  char text[1024];
  OK(nnp_build_info(text, sizeof text, e));
  return strstr(text, "threads: yes") ? 3 : 1;
}

static void check_pieces(const Variant *v, const Problem *p, nnp_chain *whole) {
  nnp_chain *pieces = new_chain(v, p, 0), *other = new_chain(v, p, 1);
  double value;
  int64_t steps = 0;
  run_part(pieces, 5);
  OK(nnp_chain_log_density(pieces, &value, e)); /* looking changes nothing */
  run_part(pieces, 1);
  run(pieces, STEPS - 6);
  run(other, STEPS);
  TEST_ASSERT_TRUE_MESSAGE(same(whole, pieces), v->name);
  TEST_ASSERT_FALSE_MESSAGE(same(whole, other), v->name);
  OK(nnp_chain_steps(pieces, &steps, e));
  TEST_ASSERT_EQUAL_INT64(STEPS, steps);
  nnp_chain_free(other);
  nnp_chain_free(pieces);
}

static void check_threads(const Variant *v, const Problem *p, nnp_chain *whole) {
  int64_t threads;
  for (threads = 2; threads <= most_threads(); ++threads) {
    nnp_pool *pool = NULL;
    nnp_chain *chain = bare_chain(v, p);
    OK(nnp_pool_create(&pool, threads, e));
    OK(nnp_chain_use_pool(chain, pool, e));
    start(v, chain, 0);
    run(chain, STEPS);
    TEST_ASSERT_TRUE_MESSAGE(same(whole, chain), v->name);
    nnp_chain_free(chain);
    nnp_pool_free(pool);
  }
}

static void check_restore(const Variant *v, const Problem *p, nnp_chain *whole) {
  static const int64_t when[] = {3, 10, 20};
  int i;
  for (i = 0; i < 3; ++i) {
    nnp_chain *first = new_chain(v, p, 0), *second = bare_chain(v, p);
    size_t bytes;
    unsigned char *block;
    run_part(first, when[i]);
    block = save(first, &bytes);
    OK(nnp_chain_restore(second, block, bytes, e));
    TEST_ASSERT_TRUE_MESSAGE(same(first, second), v->name);
    run(second, STEPS - when[i]);
    TEST_ASSERT_TRUE_MESSAGE(same(whole, second), v->name);
    /* And back, over what has happened since. */
    run(first, STEPS);
    OK(nnp_chain_restore(first, block, bytes, e));
    run(first, STEPS - when[i]);
    TEST_ASSERT_TRUE_MESSAGE(same(whole, first), v->name);
    free(block);
    nnp_chain_free(second);
    nnp_chain_free(first);
  }
}

static void check_beside_others(const Variant *v, const Problem *p, nnp_chain *whole) {
  nnp_chain *chains[3];
  nnp_pool *pool = NULL;
  int c;
  OK(nnp_pool_create(&pool, most_threads() > 1 ? 2 : 1, e));
  for (c = 0; c < 3; ++c) {
    chains[c] = new_chain(v, p, (uint64_t)(2 - c));
    OK(nnp_chain_use_pool(chains[c], pool, e));
  }
  OK(nnp_chains_run(chains, 3, STEPS, NULL, NULL, e));
  TEST_ASSERT_TRUE_MESSAGE(same(whole, chains[2]), v->name);
  for (c = 0; c < 3; ++c) nnp_chain_free(chains[c]);
  nnp_pool_free(pool);
}

typedef void (*Check)(const Variant *v, const Problem *p, nnp_chain *whole);

static void check_all(Check check) {
  size_t i;
  for (i = 0; i < VARIANTS; ++i) {
    Problem p = problem_make(variants[i].head, shortened(ROWS, FEW_ROWS));
    nnp_chain *whole = new_chain(&variants[i], &p, 0);
    run(whole, STEPS);
    check(&variants[i], &p, whole);
    nnp_chain_free(whole);
    problem_free(&p);
  }
}

static void test_in_pieces_as_at_once(void) {
  check_all(check_pieces);
}
static void test_on_any_number_of_threads(void) {
  check_all(check_threads);
}
static void test_restored_on_the_way(void) {
  check_all(check_restore);
}
static void test_beside_others_as_alone(void) {
  check_all(check_beside_others);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_in_pieces_as_at_once);
  RUN_TEST(test_on_any_number_of_threads);
  RUN_TEST(test_restored_on_the_way);
  RUN_TEST(test_beside_others_as_alone);
  return UNITY_END();
}
