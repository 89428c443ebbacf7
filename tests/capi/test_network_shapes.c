/* Twins, multistarts and studies on networks of every shape: with convolutions, with sites
 * integrated out or kept, and without a hidden layer. Objects live in blocks of exactly the size
 * that was told, between canaries, and give what the same objects on the heap give, or chains run
 * by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

enum { CHAINS = 2, ROWS = 70, TEST_ROWS = 9, STEPS = 64, CAPACITY = 512, MARGIN = 256 };
enum { HEIGHT = 6, WIDTH = 5, PIXELS = HEIGHT * WIDTH };
static const unsigned char canary = 0xC5;

/* What lies between the image and the head. */
enum Shape {
  POOLED,        /* conv, avgpool, relu, dense */
  POOLED_LINEAR, /* conv, avgpool, dense */
  POOLED_LAST,   /* conv, avgpool */
  POOLED_TWICE,  /* conv, avgpool, avgpool, relu, dense */
  CONV_RELU,     /* conv, relu, dense */
  CONV_ALONE,    /* conv */
  DENSE_ALONE,   /* dense */
  SHAPES
};

static nnp_net *net;
static nnp_data *train, *test;
static nnp_teacher *teacher;
static nnp_chain *chains[CHAINS];
static double *sites;
static int32_t head_now;
static char what[100];

static void add_layers(int shape, int32_t head) {
  const int64_t outputs = head == NNP_ARGMAX ? 3 : head == NNP_GAUSSIAN ? 2 : 1;
  const int last = shape == CONV_ALONE || shape == POOLED_LAST;
  /* where it is the last layer, it has few outputs: a filter, or a pool, of the image's size */
  const int64_t height = shape == CONV_ALONE ? HEIGHT : 3, width = shape == CONV_ALONE ? WIDTH : 2;
  if (shape != DENSE_ALONE) OK(nnp_net_conv2d(net, last ? outputs : 2, height, width, 1, 1, &err));
  if (shape <= POOLED_TWICE)
    OK(nnp_net_avgpool(net, shape == POOLED_LAST ? 4 : 2, shape == POOLED_LAST ? 4 : 2, &err));
  if (shape == POOLED_TWICE) OK(nnp_net_avgpool(net, 2, 1, &err));
  if (shape == POOLED || shape == POOLED_TWICE || shape == CONV_RELU)
    OK(nnp_net_activation(net, NNP_RELU, &err));
  if (!last) OK(nnp_net_dense(net, outputs, &err));
  OK(nnp_net_head(net, head, &err));
}

static nnp_data *make_inputs(int64_t rows, double shift) {
  double x[ROWS * PIXELS];
  int64_t outputs, i;
  nnp_data *made;
  OK(nnp_net_outputs(net, &outputs, &err));
  for (i = 0; i < rows * PIXELS; ++i)
    x[i] = 3 * fmod(shift + (double)(i + 1) * 0.6180339887498949, 1) - 1.5;
  OK(nnp_data_create(&made, rows, PIXELS, outputs, &err));
  OK(nnp_data_set_inputs(made, x, NNP_ROW_MAJOR, &err));
  return made;
}

static void make(int shape, int32_t head, int collapse) {
  int64_t latents;
  int c;
  head_now = head;
  snprintf(what, sizeof what, "shape %d, head %d, collapse %d", shape, (int)head, collapse);
  OK(nnp_net_create_image(&net, 1, HEIGHT, WIDTH, &err));
  add_layers(shape, head);
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.05, &err));
  if (shape <= POOLED_TWICE)
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_COLLAPSE, (double)collapse, &err));
  train = make_inputs(ROWS, 0);
  test = make_inputs(TEST_ROWS, 0.3);
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 3, 0, &err));
  OK(nnp_net_latents(net, &latents, &err));
  sites = calloc((size_t)(latents * ROWS + 1), sizeof(double));
  OK(nnp_teacher_label(teacher, train, 1, sites, &err));
  OK(nnp_teacher_label(teacher, test, 0, NULL, &err));
  for (c = 0; c < CHAINS; ++c)
    OK(nnp_chain_create(&chains[c], net, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
}

static void start_chains(void) {
  OK(nnp_chain_start_teacher(chains[0], teacher, sites, 5, 0, &err));
  OK(nnp_chain_start(chains[1], NNP_START_PRIOR, 5, 1, &err));
}

void setUp(void) {
  net = NULL;
  train = test = NULL;
  teacher = NULL;
  sites = NULL;
  memset(chains, 0, sizeof chains);
}

void tearDown(void) {
  int c;
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  nnp_teacher_free(teacher);
  nnp_data_free(test);
  nnp_data_free(train);
  nnp_net_free(net);
  free(sites);
}

/* Runs `try_it` for every shape, head and, where there is a pool, with sites kept and not. */
static void for_all(void (*try_it)(void)) {
  int shape, collapse;
  int32_t head;
  for (shape = 0; shape < SHAPES; ++shape)
    for (head = NNP_GAUSSIAN; head <= NNP_SIGN_HEAD; ++head)
      for (collapse = shape <= POOLED_TWICE ? 0 : 1; collapse < 2; ++collapse) {
        tearDown();
        setUp();
        make(shape, head, collapse);
        start_chains();
        try_it();
      }
}

typedef struct Block {
  unsigned char *whole, *memory;
  size_t bytes;
} Block;

static Block make_block(size_t bytes) {
  Block b;
  b.bytes = bytes;
  b.whole = malloc(bytes + 2 * MARGIN + 64);
  TEST_ASSERT_NOT_NULL(b.whole);
  memset(b.whole, canary, bytes + 2 * MARGIN + 64);
  b.memory = b.whole + MARGIN;
  while ((uintptr_t)b.memory % 64 != 0) ++b.memory;
  return b;
}

static void check_block(Block *b) {
  size_t i;
  for (i = 0; i < MARGIN; ++i) {
    TEST_ASSERT_EQUAL_HEX8_MESSAGE(canary, b->whole[i], what);
    TEST_ASSERT_EQUAL_HEX8_MESSAGE(canary, b->memory[b->bytes + i], what);
  }
  free(b->whole);
}

static void check_series(nnp_series s, int64_t count) {
  int64_t i;
  TEST_ASSERT_EQUAL_INT64_MESSAGE(count, s.count, what);
  for (i = 0; i < s.count; ++i) TEST_ASSERT_TRUE_MESSAGE(isfinite(s.values[i]), what);
}

/* ---- Twins ------------------------------------------------------------------------------- */

static double training_error(nnp_chain *chain, const nnp_data *data, int32_t head) {
  double value;
  OK(nnp_chain_score(chain, data, head == NNP_GAUSSIAN ? NNP_SCORE_MSE : NNP_SCORE_LOG, &value,
                     &err));
  return head == NNP_GAUSSIAN ? value : -value;
}

/* What a twin does, by hand: a teacher with the chain's weights labels the rows, and a chain starts
 * from what made the labels. */
static void twin_by_hand(int32_t noisy, uint64_t seed, double *values) {
  nnp_teacher *own;
  nnp_chain *twin;
  nnp_data *data = make_inputs(ROWS, 0);
  double *parameters, *made;
  int64_t count, latents, i;
  OK(nnp_net_parameters(net, &count, &err));
  OK(nnp_net_latents(net, &latents, &err));
  parameters = calloc((size_t)count, sizeof(double));
  made = calloc((size_t)(latents * ROWS + 1), sizeof(double));
  OK(nnp_chain_parameters(chains[0], parameters, &err));
  OK(nnp_teacher_create(&own, net, NNP_INTERMEDIATE, seed, 0, &err));
  OK(nnp_teacher_set_parameters(own, parameters, &err));
  OK(nnp_teacher_label(own, data, noisy, made, &err));
  OK(nnp_chain_create(&twin, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  if (noisy)
    OK(nnp_chain_start_state(twin, parameters, made, seed, 1, &err));
  else
    OK(nnp_chain_start_weights(twin, parameters, 1, seed, 1, &err));
  for (i = 0; i < STEPS; ++i) {
    OK(nnp_chain_run(twin, 1, NULL, NULL, &err));
    values[i] = training_error(twin, data, head_now);
  }
  nnp_chain_free(twin);
  nnp_teacher_free(own);
  nnp_data_free(data);
  free(parameters);
  free(made);
}

static void run_twin(nnp_twin *twin, int32_t noisy, double *values) {
  nnp_series own, other;
  start_chains();
  OK(nnp_twin_run(twin, STEPS, noisy, 11, NULL, NULL, &err));
  OK(nnp_twin_series(twin, 0, &own, &err));
  OK(nnp_twin_series(twin, 1, &other, &err));
  check_series(own, STEPS);
  check_series(other, STEPS);
  memcpy(values, other.values, STEPS * sizeof(double));
}

static void try_twin(void) {
  int32_t noisy;
  for (noisy = 0; noisy < 2; ++noisy) {
    double found[STEPS], expected[STEPS];
    nnp_twin *twin;
    size_t bytes;
    Block block;
    start_chains();
    twin_by_hand(noisy, 11, expected);
    OK(nnp_twin_bytes(chains[0], &bytes, &err));
    block = make_block(bytes);
    OK(nnp_twin_init(&twin, block.memory, bytes, chains[0], &err));
    run_twin(twin, noisy, found);
    check_block(&block);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected, found, sizeof found, what);
  }
}

static void test_twins(void) {
  for_all(try_twin);
}

/* A twin made while the original anneals has the noise of the model, not that of the moment. */
static void test_a_twin_made_while_the_chain_anneals(void) {
  double early[STEPS], late[STEPS];
  nnp_twin *twin;
  make(POOLED, NNP_GAUSSIAN, 1);
  start_chains();
  OK(nnp_chain_anneal(chains[0], 1, 1000, &err));
  OK(nnp_chain_run(chains[0], 10, NULL, NULL, &err));
  OK(nnp_twin_create(&twin, chains[0], &err));
  run_twin(twin, 1, early);
  nnp_twin_free(twin);
  start_chains();
  OK(nnp_twin_create(&twin, chains[0], &err));
  run_twin(twin, 1, late);
  nnp_twin_free(twin);
  TEST_ASSERT_EQUAL_MEMORY(late, early, sizeof late);
}

/* ---- Multistart ----------------------------------------------------------------------------- */

static void run_multistart(nnp_multistart *multistart, nnp_attempt found[CHAINS]) {
  int64_t c, best;
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 4 * STEPS, &err));
  OK(nnp_multistart_run(multistart, 7, NULL, NULL, &err));
  OK(nnp_multistart_best(multistart, &best, &err));
  for (c = 0; c < CHAINS; ++c) {
    OK(nnp_multistart_report(multistart, c, &found[c], &err));
    TEST_ASSERT_TRUE_MESSAGE(isfinite(found[c].error), what);
    TEST_ASSERT_EQUAL_INT64_MESSAGE(c == best ? 1 : 2, found[c].rank, what);
  }
}

static void try_multistart(void) {
  nnp_attempt in_block[CHAINS], on_heap[CHAINS];
  nnp_multistart *multistart;
  size_t bytes;
  Block block;
  OK(nnp_multistart_bytes(chains, CHAINS, &bytes, &err));
  block = make_block(bytes);
  OK(nnp_multistart_init(&multistart, block.memory, bytes, chains, CHAINS, &err));
  run_multistart(multistart, in_block);
  check_block(&block);
  OK(nnp_multistart_create(&multistart, chains, CHAINS, &err));
  run_multistart(multistart, on_heap);
  nnp_multistart_free(multistart);
  TEST_ASSERT_TRUE_MESSAGE(in_block[0].error == on_heap[0].error, what);
  TEST_ASSERT_TRUE_MESSAGE(in_block[1].error == on_heap[1].error, what);
}

static void test_multistart(void) {
  for_all(try_multistart);
}

/* ---- Studies ----------------------------------------------------------------------------- */

static void run_study(nnp_study *study, double *last) {
  nnp_series s;
  int64_t c;
  start_chains();
  OK(nnp_study_set(study, NNP_STUDY_STEPS, STEPS, &err));
  OK(nnp_study_set(study, NNP_STUDY_SAMPLING, NNP_SAMPLING_EVEN, &err));
  OK(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  for (c = 0; c < CHAINS; ++c) {
    OK(nnp_study_series(study, c, NNP_SERIES_TEST, &s, &err));
    check_series(s, STEPS + 1);
    OK(nnp_study_series(study, c, NNP_SERIES_GRADIENT, &s, &err));
    check_series(s, STEPS + 1);
    last[c] = s.values[STEPS];
  }
}

static void try_study(void) {
  double in_block[CHAINS], on_heap[CHAINS];
  nnp_study *study;
  size_t bytes;
  Block block;
  OK(nnp_study_bytes(chains, CHAINS, test, CAPACITY, &bytes, &err));
  block = make_block(bytes);
  OK(nnp_study_init(&study, block.memory, bytes, chains, CHAINS, test, CAPACITY, &err));
  run_study(study, in_block);
  check_block(&block);
  OK(nnp_study_create(&study, chains, CHAINS, test, CAPACITY, &err));
  run_study(study, on_heap);
  nnp_study_free(study);
  TEST_ASSERT_EQUAL_MEMORY_MESSAGE(on_heap, in_block, sizeof on_heap, what);
}

/* The gradient statistic of layer 1, which has weights in every shape. */
static void test_studies(void) {
  for_all(try_study);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_twins);
  RUN_TEST(test_a_twin_made_while_the_chain_anneals);
  RUN_TEST(test_multistart);
  RUN_TEST(test_studies);
  return UNITY_END();
}
