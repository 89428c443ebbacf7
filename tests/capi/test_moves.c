/* The extra moves of Gibbs chains through the C API: what is on by default and what one option
 * turns off, counts, and moves asked for where they are not valid. */
#include <math.h>
#include <stdio.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

enum { ROWS = 30, INPUTS = 3 };

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chain;

/* hidden 0: a single dense layer. */
static void make(int64_t inputs, int hidden, int32_t activation, int32_t head, int32_t sampler) {
  static double x[ROWS * 300], y[ROWS];
  int32_t labels[ROWS];
  int64_t i;
  for (i = 0; i < ROWS * inputs; ++i) x[i] = sin((double)(i + 1) * 1.7);
  for (i = 0; i < ROWS; ++i) y[i] = sin((double)i);
  for (i = 0; i < ROWS; ++i)
    labels[i] = head == NNP_SIGN_HEAD ? (i % 2 ? 1 : -1) : (int32_t)(i % 2);
  OK(nnp_net_create(&net, inputs, &err));
  if (hidden) {
    OK(nnp_net_dense(net, hidden, &err));
    OK(nnp_net_activation(net, activation, &err));
  }
  OK(nnp_net_dense(net, head == NNP_ARGMAX ? 2 : 1, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_data_create(&data, ROWS, inputs, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_labels(data, labels, &err));
  OK(nnp_chain_create(&chain, net, data, sampler, NNP_INTERMEDIATE, &err));
}

void setUp(void) {
  net = NULL;
  data = NULL;
  chain = NULL;
}

void tearDown(void) {
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void again(int64_t inputs, int hidden, int32_t activation, int32_t head) {
  tearDown();
  setUp();
  make(inputs, hidden, activation, head, NNP_GIBBS);
}

static double option(int32_t number) {
  double value;
  OK(nnp_chain_get(chain, number, &value, &err));
  return value;
}

static nnp_move_count count(int32_t move) {
  nnp_move_count made;
  OK(nnp_chain_moves(chain, move, &made, &err));
  return made;
}

/* ---- What is on -------------------------------------------------------------------------- */

static void test_moves_are_on_by_default(void) {
  make(INPUTS, 4, NNP_RELU, NNP_ARGMAX, NNP_GIBBS);
  TEST_ASSERT_TRUE(option(NNP_OPTION_MOVES) == NNP_MOVES_AUTOMATIC);
  TEST_ASSERT_TRUE(option(NNP_OPTION_RELAX) < 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_MOVES) > 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_DRAWS) > 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_LAYER_MOVES) > 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_SCALE_MOVES) > 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_EXPANSION) == 1);
}

static void test_one_option_gives_the_plain_sampler(void) {
  const int32_t all[] = {NNP_OPTION_RELAX,       NNP_OPTION_UNIT_MOVES,  NNP_OPTION_UNIT_DRAWS,
                         NNP_OPTION_LAYER_MOVES, NNP_OPTION_SCALE_MOVES, NNP_OPTION_EXPANSION};
  make(INPUTS, 4, NNP_RELU, NNP_ARGMAX, NNP_GIBBS);
  OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  for (int i = 0; i < 6; ++i) TEST_ASSERT_TRUE(option(all[i]) == 0);
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  OK(nnp_chain_run(chain, 25, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT64(25, count(NNP_MOVE_PLAIN).tried);
  for (int32_t move = NNP_MOVE_RELAXED; move <= NNP_MOVE_PRECISION; ++move)
    TEST_ASSERT_EQUAL_INT64(0, count(move).tried);
  OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_AUTOMATIC, &err));
  for (int i = 0; i < 6; ++i) TEST_ASSERT_TRUE(option(all[i]) != 0);
}

static void test_each_can_be_set_by_hand(void) {
  make(INPUTS, 4, NNP_RELU, NNP_GAUSSIAN, NNP_GIBBS);
  const double draws = option(NNP_OPTION_UNIT_DRAWS);
  OK(nnp_chain_set(chain, NNP_OPTION_UNIT_MOVES, 0.25, &err));
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_MOVES) == 0.25);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_DRAWS) == draws);
}

static void test_automatic_leaves_out_what_is_not_valid(void) {
  make(INPUTS, 4, NNP_HARD_TANH, NNP_GAUSSIAN, NNP_GIBBS);
  TEST_ASSERT_TRUE(option(NNP_OPTION_SCALE_MOVES) == 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_EXPANSION) == 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_MOVES) > 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_LAYER_MOVES) > 0);
  again(INPUTS, 4, NNP_SIGN, NNP_SIGN_HEAD);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_DRAWS) == 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_LAYER_MOVES) == 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_MOVES) > 0);
  again(INPUTS, 0, 0, NNP_GAUSSIAN);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_DRAWS) == 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_MOVES) == 0);
  again(300, 4, NNP_RELU, NNP_GAUSSIAN); /* too many weights a unit */
  TEST_ASSERT_TRUE(option(NNP_OPTION_UNIT_DRAWS) == 0);
  TEST_ASSERT_TRUE(option(NNP_OPTION_LAYER_MOVES) == 0);
}

/* ---- Counts ------------------------------------------------------------------------------ */

static void test_counts(void) {
  char text[1024];
  nnp_move_count made;
  make(INPUTS, 4, NNP_ABS, NNP_SIGN_HEAD, NNP_GIBBS);
  OK(nnp_chain_set(chain, NNP_OPTION_PLAIN_EVERY, 4, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_UNIT_MOVES, 0.5, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_UNIT_DRAWS, 1.5, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_LAYER_MOVES, 0.5, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_SCALE_MOVES, 0.25, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  OK(nnp_chain_run(chain, 40, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT64(10, count(NNP_MOVE_PLAIN).moved);
  TEST_ASSERT_EQUAL_INT64(30, count(NNP_MOVE_RELAXED).moved);
  made = count(NNP_MOVE_UNIT);
  TEST_ASSERT_EQUAL_INT64(20, made.tried);
  TEST_ASSERT_TRUE(made.moved <= 20 && made.moved > 15 && made.evaluations > 20);
  made = count(NNP_MOVE_DRAW);
  TEST_ASSERT_EQUAL_INT64(60, made.tried);
  TEST_ASSERT_TRUE(made.moved <= 60 && made.moved > 10 && made.evaluations == 120);
  made = count(NNP_MOVE_LAYER);
  TEST_ASSERT_EQUAL_INT64(20, made.tried);
  TEST_ASSERT_TRUE(made.moved <= 20 && made.moved > 10 && made.evaluations > 60);
  TEST_ASSERT_EQUAL_INT64(10, count(NNP_MOVE_HAAR).moved);
  made = count(NNP_MOVE_SCALE);
  TEST_ASSERT_TRUE(made.tried == 10 && made.evaluations > 20);
  TEST_ASSERT_EQUAL_INT64(40, count(NNP_MOVE_EXPANSION).tried);
  OK(nnp_chain_print(chain, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "40 steps, 0 of annealing left\n"));
  TEST_ASSERT_NOT_NULL(strstr(text, "draws of units"));
  FAILS(NNP_E_BUFFER_SIZE, "size = 20", nnp_chain_print(chain, text, 20, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err)); /* a start counts anew */
  TEST_ASSERT_EQUAL_INT64(0, count(NNP_MOVE_UNIT).tried);
}

/* ---- Bad input --------------------------------------------------------------------------- */

static void test_bad_values(void) {
  make(INPUTS, 4, NNP_RELU, NNP_GAUSSIAN, NNP_GIBBS);
  FAILS(NNP_E_VALUE, "relax = -1", nnp_chain_set(chain, NNP_OPTION_RELAX, -1, &err));
  FAILS(NNP_E_VALUE, "relax = 1.5", nnp_chain_set(chain, NNP_OPTION_RELAX, 1.5, &err));
  FAILS(NNP_E_VALUE, "relax = nan", nnp_chain_set(chain, NNP_OPTION_RELAX, NAN, &err));
  FAILS(NNP_E_VALUE, "plain_every = 0", nnp_chain_set(chain, NNP_OPTION_PLAIN_EVERY, 0, &err));
  FAILS(NNP_E_VALUE, "plain_every = 2.5", nnp_chain_set(chain, NNP_OPTION_PLAIN_EVERY, 2.5, &err));
  FAILS(NNP_E_VALUE, "unit_moves = -1", nnp_chain_set(chain, NNP_OPTION_UNIT_MOVES, -1, &err));
  FAILS(NNP_E_VALUE, "unit_draws = 101", nnp_chain_set(chain, NNP_OPTION_UNIT_DRAWS, 101, &err));
  FAILS(NNP_E_VALUE, "layer_moves = -2", nnp_chain_set(chain, NNP_OPTION_LAYER_MOVES, -2, &err));
  FAILS(NNP_E_VALUE, "moves = 2", nnp_chain_set(chain, NNP_OPTION_MOVES, 2, &err));
  OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err));
  FAILS(NNP_E_VALUE, "from = 0.001", nnp_chain_anneal(chain, 1e-3, 100, &err)); /* upwards */
  FAILS(NNP_E_SIZE, "steps = 0", nnp_chain_anneal(chain, 1, 0, &err));
}

static void test_moves_that_are_not_valid(void) {
  nnp_move_count made;
  char text[10];
  make(INPUTS, 4, NNP_HARD_TANH, NNP_GAUSSIAN, NNP_GIBBS);
  FAILS(NNP_E_UNSUPPORTED, "not homogeneous",
        nnp_chain_set(chain, NNP_OPTION_SCALE_MOVES, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "latent scores", nnp_chain_set(chain, NNP_OPTION_EXPANSION, 1, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_EXPANSION, 0, &err));
  again(INPUTS, 0, 0, NNP_GAUSSIAN);
  FAILS(NNP_E_UNSUPPORTED, "no hidden units", nnp_chain_set(chain, NNP_OPTION_UNIT_MOVES, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "no hidden units",
        nnp_chain_set(chain, NNP_OPTION_SCALE_MOVES, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "hidden units", nnp_chain_set(chain, NNP_OPTION_UNIT_DRAWS, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "hidden layer", nnp_chain_set(chain, NNP_OPTION_LAYER_MOVES, 1, &err));
  again(INPUTS, 4, NNP_SIGN, NNP_GAUSSIAN);
  FAILS(NNP_E_UNSUPPORTED, "slopes", nnp_chain_set(chain, NNP_OPTION_LAYER_MOVES, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "slopes", nnp_chain_set(chain, NNP_OPTION_UNIT_DRAWS, 1, &err));
  again(300, 4, NNP_RELU, NNP_GAUSSIAN);
  FAILS(NNP_E_UNSUPPORTED, "at most 256", nnp_chain_set(chain, NNP_OPTION_UNIT_DRAWS, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "at most 256", nnp_chain_set(chain, NNP_OPTION_LAYER_MOVES, 1, &err));
  FAILS(NNP_E_ENUM, "move = ", nnp_chain_moves(chain, NNP_MOVE_PRECISION + 1, &made, &err));
  FAILS(NNP_E_NULL, "count", nnp_chain_moves(chain, 1, NULL, &err));
  FAILS(NNP_E_NULL, "chain", nnp_chain_moves(NULL, 1, &made, &err));
  FAILS(NNP_E_NULL, "buffer", nnp_chain_print(chain, NULL, 5, &err));
  tearDown();
  setUp();
  make(INPUTS, 4, NNP_RELU, NNP_GAUSSIAN, NNP_HMC);
  FAILS(NNP_E_OPTION, "moves", nnp_chain_set(chain, NNP_OPTION_MOVES, 1, &err));
  FAILS(NNP_E_UNSUPPORTED, "hmc", nnp_chain_moves(chain, 1, &made, &err));
  FAILS(NNP_E_UNSUPPORTED, "hmc", nnp_chain_print(chain, text, sizeof text, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_moves_are_on_by_default);
  RUN_TEST(test_one_option_gives_the_plain_sampler);
  RUN_TEST(test_each_can_be_set_by_hand);
  RUN_TEST(test_automatic_leaves_out_what_is_not_valid);
  RUN_TEST(test_counts);
  RUN_TEST(test_bad_values);
  RUN_TEST(test_moves_that_are_not_valid);
  return UNITY_END();
}
