/* Where finite inputs and weights give values that are not: starts, predictions, scores and labels
 * are refused, and tables of draws larger than memory too. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

enum { ROWS = 70, INPUTS = 2, HIDDEN = 3 };
enum { PARAMETERS = (INPUTS + 1) * HIDDEN + HIDDEN + 1 };

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chain;
static nnp_predictor *predictor;
static nnp_teacher *teacher;
static double weights[PARAMETERS];

static void set_inputs(double scale) {
  double x[ROWS * INPUTS];
  int i;
  for (i = 0; i < ROWS * INPUTS; ++i) x[i] = scale * (i * 7 % 11 - 4.5);
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
}

static void make(int32_t head, int32_t activation, int32_t sampler, int32_t posterior) {
  double y[ROWS];
  int32_t labels[ROWS];
  int i;
  for (i = 0; i < ROWS; ++i) {
    y[i] = i % 5 - 2;
    labels[i] = 2 * (i % 2) - 1;
  }
  for (i = 0; i < PARAMETERS; ++i) weights[i] = i % 3 - 0.5;
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, HIDDEN, &err));
  OK(nnp_net_activation(net, activation, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  set_inputs(1);
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_labels(data, labels, &err));
  OK(nnp_chain_create(&chain, net, data, sampler, posterior, &err));
  OK(nnp_predictor_create(&predictor, net, 4, &err));
  OK(nnp_teacher_create(&teacher, net, posterior, 3, 0, &err));
}

void setUp(void) {
  net = NULL;
  data = NULL;
  chain = NULL;
  predictor = NULL;
  teacher = NULL;
}

void tearDown(void) {
  nnp_chain_free(chain);
  nnp_predictor_free(predictor);
  nnp_teacher_free(teacher);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void start_again(void) {
  tearDown();
  setUp();
}

/* ---- Starts ------------------------------------------------------------------------------ */

static void test_starts_that_overflow(void) {
  int32_t sampler, noisy;
  double large[PARAMETERS], value;
  int i;
  for (i = 0; i < PARAMETERS; ++i) large[i] = 1e200;
  for (sampler = NNP_GIBBS; sampler <= NNP_NUTS; ++sampler) {
    start_again();
    make(NNP_GAUSSIAN, NNP_RELU, sampler, NNP_INTERMEDIATE);
    set_inputs(1e200);
    for (noisy = 0; noisy < 2; ++noisy) {
      OK(nnp_chain_start(chain, NNP_START_ZERO, 5, 0, &err));
      FAILS(NNP_E_NOT_FINITE, "site 1", nnp_chain_start_weights(chain, large, noisy, 5, 0, &err));
      FAILS(NNP_E_NOT_STARTED, "start", nnp_chain_run(chain, 1, NULL, NULL, &err));
      FAILS(NNP_E_NOT_STARTED, "start", nnp_chain_parameters(chain, large, &err));
      FAILS(NNP_E_NOT_STARTED, "start", nnp_chain_log_density(chain, &value, &err));
    }
    OK(nnp_teacher_set_parameters(teacher, large, &err));
    FAILS(NNP_E_NOT_FINITE, "row 0", nnp_chain_start_teacher(chain, teacher, NULL, 5, 0, &err));
    set_inputs(1);
    OK(nnp_chain_start(chain, NNP_START_ZERO, 5, 0, &err));
    OK(nnp_chain_run(chain, 2, NULL, NULL, &err));
  }
}

/* What a chain can hold, a block can hold. */
static void test_huge_starts_are_restored(void) {
  int32_t sampler;
  double huge[PARAMETERS];
  int i;
  for (i = 0; i < PARAMETERS; ++i) huge[i] = i >= INPUTS * HIDDEN ? 1 : i % 2 == 0 ? 1e200 : 0;
  for (sampler = NNP_GIBBS; sampler <= NNP_NUTS; ++sampler) {
    void *saved, *again;
    size_t bytes = 0;
    start_again();
    make(NNP_GAUSSIAN, NNP_RELU, sampler, NNP_INTERMEDIATE);
    OK(nnp_chain_start_weights(chain, huge, 0, 5, 0, &err));
    OK(nnp_chain_save_bytes(chain, &bytes, &err));
    saved = malloc(bytes);
    again = malloc(bytes);
    TEST_ASSERT_TRUE(saved && again);
    OK(nnp_chain_save(chain, saved, bytes, &err));
    OK(nnp_chain_start(chain, NNP_START_ZERO, 5, 0, &err));
    OK(nnp_chain_restore(chain, saved, bytes, &err));
    OK(nnp_chain_save(chain, again, bytes, &err));
    TEST_ASSERT_EQUAL_MEMORY(saved, again, bytes);
    free(saved);
    free(again);
  }
}

static void test_priors_that_overflow(void) {
  nnp_chain *wide;
  make(NNP_SIGN_HEAD, NNP_IDENTITY, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 1e-300, &err));
  OK(nnp_chain_create(&wide, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_start(wide, NNP_START_PRIOR, 5, 0, &err));
  set_inputs(1e200);
  FAILS(NNP_E_NOT_FINITE, "site 1", nnp_chain_start(wide, NNP_START_PRIOR, 5, 0, &err));
  FAILS(NNP_E_NOT_STARTED, "start", nnp_chain_run(wide, 1, NULL, NULL, &err));
  nnp_chain_free(wide);
}

/* What fails before anything is touched leaves the start that was there. */
static void test_bad_arguments_leave_a_start(void) {
  double bad[PARAMETERS] = {0}, before[PARAMETERS], after[PARAMETERS];
  bad[3] = NAN;
  make(NNP_GAUSSIAN, NNP_RELU, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_parameters(chain, before, &err));
  FAILS(NNP_E_NOT_FINITE, "entry 3", nnp_chain_start_weights(chain, bad, 1, 5, 0, &err));
  FAILS(NNP_E_ENUM, "start = 9", nnp_chain_start(chain, 9, 5, 0, &err));
  OK(nnp_chain_parameters(chain, after, &err));
  TEST_ASSERT_EQUAL_MEMORY(before, after, sizeof before);
  OK(nnp_chain_run(chain, 1, NULL, NULL, &err));
}

/* Noise that a annealing has raised is no part of a new start. */
static void test_a_start_while_annealing(void) {
  double annealed[ROWS * HIDDEN], fresh[ROWS * HIDDEN];
  make(NNP_GAUSSIAN, NNP_RELU, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_site(chain, 1, fresh, &err));
  OK(nnp_chain_anneal(chain, 100, 50, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, &err));
  OK(nnp_chain_site(chain, 1, annealed, &err));
  TEST_ASSERT_EQUAL_MEMORY(fresh, annealed, sizeof fresh);
}

/* ---- Predictions ------------------------------------------------------------------------- */

/* Four draws; the third one overflows in the rows whose first input is not small. */
static void fill_draws(double *draws, double large) {
  int s, i;
  for (s = 0; s < 4; ++s)
    for (i = 0; i < PARAMETERS; ++i)
      draws[s * PARAMETERS + i] = s == 2 ? large * weights[i] : weights[i];
}

static void test_predictions_that_overflow(void) {
  const double levels[] = {0.1, 0.5};
  double draws[4 * PARAMETERS], out[4 * ROWS * 2], value;
  int32_t head, kind, noisy;
  for (head = NNP_GAUSSIAN; head <= NNP_SIGN_HEAD; head += 2)
    for (noisy = NNP_FORWARD; noisy <= NNP_FITTED; ++noisy) {
      start_again();
      make(head, NNP_IDENTITY, NNP_GIBBS, NNP_INTERMEDIATE);
      OK(nnp_predictor_levels(predictor, levels, 2, &err));
      OK(nnp_predictor_noise(predictor, noisy, 3, &err));
      for (kind = NNP_PREDICT_MEAN; kind <= NNP_PREDICT_DRAWS; ++kind) {
        const int classes = kind == NNP_PREDICT_PROBABILITIES || kind == NNP_PREDICT_VOTES;
        if (classes && head == NNP_GAUSSIAN) continue;
        fill_draws(draws, 1e160);
        FAILS(NNP_E_NOT_FINITE, "draw 2 gives row 0",
              nnp_predict(predictor, data, draws, 4, kind, out, &err));
        fill_draws(draws, 1);
        OK(nnp_predict(predictor, data, draws, 4, kind, out, &err));
      }
      for (kind = NNP_SCORE_MSE; kind <= NNP_SCORE_LOG; ++kind) {
        if (kind == (head == NNP_GAUSSIAN ? NNP_SCORE_ACCURACY : NNP_SCORE_MSE)) continue;
        fill_draws(draws, 1e160);
        FAILS(NNP_E_NOT_FINITE, "draw 2 gives row 0",
              nnp_score(predictor, data, draws, 4, kind, &value, &err));
        FAILS(NNP_E_NOT_FINITE, "draw 0 gives row 0",
              nnp_score(predictor, data, draws + 2 * PARAMETERS, 1, kind, &value, &err));
        fill_draws(draws, 1);
        OK(nnp_score(predictor, data, draws, 4, kind, &value, &err));
      }
    }
}

/* Outputs that are finite, of which squares are not. */
static void test_squares_that_overflow(void) {
  double draws[4 * PARAMETERS], out[ROWS], value = 7;
  make(NNP_GAUSSIAN, NNP_IDENTITY, NNP_GIBBS, NNP_INTERMEDIATE);
  fill_draws(draws, 1e80);
  OK(nnp_predict(predictor, data, draws, 4, NNP_PREDICT_MEAN, out, &err));
  FAILS(NNP_E_NOT_FINITE, "from row 0",
        nnp_predict(predictor, data, draws, 4, NNP_PREDICT_SD, out, &err));
  FAILS(NNP_E_NOT_FINITE, "score",
        nnp_score(predictor, data, draws, 4, NNP_SCORE_MSE, &value, &err));
  FAILS(NNP_E_NOT_FINITE, "score",
        nnp_score(predictor, data, draws + 2 * PARAMETERS, 1, NNP_SCORE_LOG, &value, &err));
  TEST_ASSERT_TRUE(value == 7);
}

static void test_chains_that_overflow_on_other_rows(void) {
  double out[ROWS], value;
  nnp_data *far;
  double x[INPUTS] = {DBL_MAX, -DBL_MAX}, y = 1;
  make(NNP_GAUSSIAN, NNP_IDENTITY, NNP_GIBBS, NNP_INTERMEDIATE);
  OK(nnp_chain_start_weights(chain, weights, 1, 5, 0, &err));
  OK(nnp_data_create(&far, 1, INPUTS, 1, &err));
  OK(nnp_data_set_inputs(far, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(far, &y, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_NOT_FINITE, "draw 0 gives row 0", nnp_chain_predict(chain, far, out, &err));
  FAILS(NNP_E_NOT_FINITE, "draw 0 gives row 0",
        nnp_chain_score(chain, far, NNP_SCORE_MSE, &value, &err));
  FAILS(NNP_E_NOT_FINITE, "draw 0 gives row 0",
        nnp_chain_score(chain, far, NNP_SCORE_LOG, &value, &err));
  nnp_data_free(far);
}

/* ---- Labels ------------------------------------------------------------------------------ */

/* The hidden sites are infinite, the outputs not: tanh. Targets stay what they were. */
static void test_sites_of_a_teacher_that_overflow(void) {
  double before[ROWS], after[ROWS], *sites = calloc(ROWS * 2 * HIDDEN, sizeof(double));
  double large[PARAMETERS];
  int i;
  make(NNP_GAUSSIAN, NNP_TANH, NNP_HMC, NNP_INTERMEDIATE);
  for (i = 0; i < PARAMETERS; ++i) large[i] = i >= INPUTS * HIDDEN ? 1 : i % 2 == 0 ? 1e200 : 0;
  OK(nnp_teacher_set_parameters(teacher, large, &err));
  OK(nnp_data_targets(data, before, NNP_ROW_MAJOR, &err));
  set_inputs(1e200);
  FAILS(NNP_E_NOT_FINITE, "rows 0 to", nnp_teacher_label(teacher, data, 1, sites, &err));
  FAILS(NNP_E_NOT_FINITE, "rows 0 to", nnp_teacher_label(teacher, data, 0, NULL, &err));
  OK(nnp_data_targets(data, after, NNP_ROW_MAJOR, &err));
  TEST_ASSERT_EQUAL_MEMORY(before, after, sizeof before);
  free(sites);
}

/* ---- Tables of draws --------------------------------------------------------------------- */

static void test_tables_that_overflow(void) {
  const int64_t large = (int64_t)1 << 40;
  double x[12] = {0}, out[1];
  int64_t blocks, ranks[1];
  size_t bytes;
  nnp_draws draws = {x, 1, 12, 1, 1, 1, 12, {0}}, wrong;
  FAILS(NNP_E_OVERFLOW, "strides", nnp_draws_init(&draws, x, large, large, 1, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_draws_init(&draws, x, large, (int64_t)1 << 24, 1, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_draws_init(&draws, x, 1, large, large, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_draws_init(&draws, x, 1 << 20, 1 << 20, 1 << 22, &err));
  TEST_ASSERT_TRUE(draws.values == x && draws.draws == 12); /* as it was */
  OK(nnp_draws_init(&wrong, x, 1, 12, 1, &err));
  OK(nnp_statistic_bytes(&wrong, &bytes, &err));
  wrong.draw_stride = INT64_MAX / 4;
  FAILS(NNP_E_OVERFLOW, "strides", nnp_statistic_bytes(&wrong, &bytes, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_statistic(&wrong, NNP_STAT_MEAN, 0, out, x, 8, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_nested_rhat(&wrong, ranks, out, x, 8, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_sbc_ranks(x, &wrong, NULL, ranks, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_geweke_bytes(&wrong, NULL, &bytes, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_geweke_bytes(&draws, &wrong, &bytes, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_geweke_draws(&draws, &wrong, x, NULL, x, 8, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_geweke_moments(&wrong, x, x, x, NULL, x, 8, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_block_rhat_bytes(&wrong, 2, &blocks, &bytes, &err));
  FAILS(NNP_E_OVERFLOW, "strides", nnp_block_rhat(&wrong, NULL, 2, out, x, 8, &err));
  wrong = draws;
  wrong.draw_stride = INT64_MIN;
  FAILS(NNP_E_OVERFLOW, "strides", nnp_statistic_bytes(&wrong, &bytes, &err));
  wrong.values = x + 11; /* draws from the last to the first */
  wrong.draw_stride = -1;
  OK(nnp_statistic_bytes(&wrong, &bytes, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_starts_that_overflow);
  RUN_TEST(test_huge_starts_are_restored);
  RUN_TEST(test_priors_that_overflow);
  RUN_TEST(test_bad_arguments_leave_a_start);
  RUN_TEST(test_a_start_while_annealing);
  RUN_TEST(test_predictions_that_overflow);
  RUN_TEST(test_squares_that_overflow);
  RUN_TEST(test_chains_that_overflow_on_other_rows);
  RUN_TEST(test_sites_of_a_teacher_that_overflow);
  RUN_TEST(test_tables_that_overflow);
  return UNITY_END();
}
