/* Verdicts on chains: which functions of a draw they are judged by, and what is said of them. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

enum { ROWS = 70, FEATURES = 3, DRAWS = 12, MOST = 200 };

static nnp_net *net;
static nnp_data *data;
static nnp_predictor *predictor;

static double wave(int i) {
  return sin(1.7 * i * i + 0.3 * i);
}

void setUp(void) {
  net = NULL;
  data = NULL;
  predictor = NULL;
}

void tearDown(void) {
  nnp_predictor_free(predictor);
  nnp_data_free(data);
  nnp_net_free(net);
}

static void make(int32_t head, int64_t outputs, int32_t store) {
  static double x[ROWS * FEATURES], y[ROWS * 2];
  static int32_t labels[ROWS];
  int i;
  nnp_inputs inputs = {x, ROWS, FEATURES, NNP_ROW_MAJOR, 0, {0}};
  inputs.store = store;
  for (i = 0; i < ROWS * FEATURES; ++i)
    x[i] = store == NNP_STORE_BYTES ? floor(4 * wave(i)) : (float)wave(i);
  for (i = 0; i < ROWS * 2; ++i) y[i] = wave(i + 1000);
  for (i = 0; i < ROWS; ++i)
    labels[i] = head == NNP_SIGN_HEAD ? (i % 3 == 0 ? 1 : -1) : i % (int)outputs;
  OK(nnp_net_create(&net, FEATURES, &err));
  OK(nnp_net_dense(net, 4, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, outputs, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_data_create_from(&data, &inputs, head == NNP_GAUSSIAN ? outputs : 0, &err));
  if (head == NNP_GAUSSIAN) OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  if (head != NNP_GAUSSIAN) OK(nnp_data_set_labels(data, labels, &err));
  OK(nnp_predictor_create(&predictor, net, DRAWS, &err));
}

static int64_t fill_draws(double *draws) {
  int64_t parameters, i;
  OK(nnp_net_parameters(net, &parameters, &err));
  for (i = 0; i < parameters * DRAWS; ++i) draws[i] = 0.3 + 0.6 * fabs(wave((int)i + 77));
  return parameters;
}

static int64_t function_at(const char *wanted, int64_t rows) {
  char name[64];
  int64_t count, i;
  OK(nnp_functions_count(predictor, data, rows, &count, &err));
  for (i = 0; i < count; ++i) {
    OK(nnp_function_name(predictor, data, rows, i, name, sizeof name, &err));
    if (strcmp(name, wanted) == 0) return i;
  }
  TEST_FAIL_MESSAGE(wanted);
  return -1;
}

/* Row i of 32 that are spread evenly over ROWS. */
static int judged_row(int i) {
  return i * (ROWS - 1) / 31;
}

/* Without hidden noise functions are the predictions and log likelihoods of each draw by itself,
 * whatever the store of the inputs. */
static void test_functions_are_predictions_and_log_likelihoods(void) {
  static const int32_t stores[] = {NNP_STORE_DOUBLES, NNP_STORE_SINGLES, NNP_STORE_BYTES,
                                   NNP_STORE_SPARSE};
  static double draws[MOST * DRAWS], found[MOST * DRAWS], f[2 * ROWS * DRAWS], each[ROWS * DRAWS];
  int store, s, i;
  for (store = 0; store < 4; ++store) {
    int64_t count;
    make(NNP_GAUSSIAN, 2, stores[store]);
    fill_draws(draws);
    OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
    OK(nnp_functions_count(predictor, data, 5, &count, &err));
    TEST_ASSERT_EQUAL_INT64(1 + 5 * 2, count);
    OK(nnp_functions(predictor, data, draws, DRAWS, 5, found, &err));
    OK(nnp_predict(predictor, data, draws, DRAWS, NNP_PREDICT_DRAWS, f, &err));
    OK(nnp_log_lik(predictor, data, draws, DRAWS, each, &err));
    for (s = 0; s < DRAWS; ++s) {
      double sum = 0;
      const int last = ROWS - 1, middle = judged_row(2 * 31 / 4);
      for (i = 0; i < 32; ++i) sum += each[s * ROWS + judged_row(i)] / 32;
      TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + fabs(sum)), sum, found[count * s]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, f[2 * ROWS * s + 1], found[count * s + 2]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, f[2 * (ROWS * s + middle)], found[count * s + 5]);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, f[2 * (ROWS * s + last) + 1], found[count * s + 10]);
    }
    TEST_ASSERT_EQUAL_INT64(0, function_at("log_lik", 5));
    TEST_ASSERT_EQUAL_INT64(2, function_at("f[1,2]", 5));
    TEST_ASSERT_EQUAL_INT64(10, function_at("f[70,2]", 5));
    tearDown();
    setUp();
  }
}

/* Classes are judged by probabilities: adding a constant to all scores changes nothing. */
static void test_classes_are_judged_by_probabilities(void) {
  static double draws[MOST * DRAWS], found[MOST * DRAWS], shifted[MOST * DRAWS];
  int64_t parameters, count, first, s, c;
  make(NNP_ARGMAX, 3, NNP_STORE_DOUBLES);
  parameters = fill_draws(draws);
  first = function_at("p[70,1]", 0);
  OK(nnp_functions_count(predictor, data, 0, &count, &err));
  TEST_ASSERT_EQUAL_INT64(1 + 16 * 3, count);
  OK(nnp_functions(predictor, data, draws, DRAWS, 0, found, &err));
  for (s = 0; s < DRAWS; ++s) {
    double sum = 0;
    for (c = 0; c < 3; ++c) sum += found[count * s + first + c];
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, sum);
    for (c = 1; c <= 3; ++c) draws[parameters * (s + 1) - c] += (double)s; /* the last biases */
  }
  OK(nnp_functions(predictor, data, draws, DRAWS, 0, shifted, &err));
  for (c = 0; c < count * DRAWS; ++c) TEST_ASSERT_DOUBLE_WITHIN(1e-9, found[c], shifted[c]);
}

/* The same noise for every draw: equal draws have equal functions. Learned scales come last. */
static void test_functions_depend_on_the_draw_alone(void) {
  static double draws[MOST * DRAWS], found[MOST * DRAWS];
  int64_t parameters, count, s, i;
  make(NNP_GAUSSIAN, 1, NNP_STORE_DOUBLES);
  OK(nnp_net_learn_tied(net, NULL, 0, 0, &err));
  nnp_predictor_free(predictor);
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_net_parameters(net, &parameters, &err));
  for (s = 0; s < DRAWS; ++s)
    for (i = 0; i < parameters; ++i) draws[s * parameters + i] = 0.2 + 0.1 * (double)(i % 7);
  OK(nnp_functions_count(predictor, data, 3, &count, &err));
  TEST_ASSERT_EQUAL_INT64(1 + 3 + 1, count);
  TEST_ASSERT_EQUAL_INT64(count - 1, function_at("D", 3));
  OK(nnp_functions(predictor, data, draws, DRAWS, 3, found, &err));
  for (s = 1; s < DRAWS; ++s)
    TEST_ASSERT_EQUAL_MEMORY(found, found + s * count, sizeof(double) * (size_t)count);
  TEST_ASSERT_TRUE(found[count - 1] == draws[parameters - 1]);
}

/* ---- verdicts ---- */

enum { CHAINS = 4, LONG = 1000 };

/* Numbers without a pattern; chain c is `apart` times c away, and follows itself with memory a. */
static nnp_convergence judge(double apart, double memory, int64_t count, const char *words) {
  static double values[2 * LONG * CHAINS];
  nnp_draws draws;
  nnp_convergence found;
  size_t bytes;
  void *work;
  char text[160];
  uint64_t state = 88172645463325252u;
  int64_t c, i;
  for (c = 0; c < CHAINS; ++c) {
    double last = 0;
    for (i = 0; i < count; ++i) {
      double sum = 0;
      int k;
      for (k = 0; k < 12; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 11) / 9007199254740992.0;
      }
      last = memory * last + sqrt(1 - memory * memory) * (sum - 6);
      values[2 * (i + count * c)] = 7; /* stands still: says nothing */
      values[2 * (i + count * c) + 1] = last + apart * (double)c;
    }
  }
  OK(nnp_draws_init(&draws, values, 2, count, CHAINS, &err));
  OK(nnp_convergence_bytes(&draws, &bytes, &err));
  work = malloc(bytes);
  OK(nnp_convergence_of(&draws, &found, work, bytes, &err));
  TEST_ASSERT_EQUAL_INT(NNP_E_MEMORY_SIZE,
                        nnp_convergence_of(&draws, &found, work, bytes - 1, &err));
  free(work);
  OK(nnp_convergence_text(&found, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, words), text);
  TEST_ASSERT_EQUAL_INT(NNP_E_BUFFER_SIZE, nnp_convergence_text(&found, text, 5, &err));
  TEST_ASSERT_TRUE(found.ess_needed == 400);
  return found;
}

static void test_verdicts(void) {
  nnp_convergence found = judge(0, 0, LONG, "converged (R-hat up to 1.00");
  TEST_ASSERT_EQUAL_INT(NNP_CONVERGED, found.verdict);
  TEST_ASSERT_EQUAL_INT64(1, found.worst);
  TEST_ASSERT_TRUE(found.rhat < 1.01 && found.ess_bulk > 3000 && found.ess_tail > 2500);
  TEST_ASSERT_EQUAL_INT(NNP_FEW_DRAWS, judge(0, 0, 80, "draws are few").verdict);
  TEST_ASSERT_EQUAL_INT(NNP_DOUBTFUL, judge(0.2, 0, LONG, "doubtful").verdict);
  TEST_ASSERT_EQUAL_INT(NNP_NOT_CONVERGED, judge(1, 0, LONG, "not converged").verdict);
  TEST_ASSERT_EQUAL_INT(NNP_CONVERGENCE_UNDECIDED, judge(0, 0, 3, "undecided").verdict);
  TEST_ASSERT_TRUE(judge(0, 0.999, LONG, "not converged").ess_bulk < 100);
}

/* Halves of one chain can agree or not; other chains it has none. */
static void test_words_of_one_chain(void) {
  nnp_convergence told = {0};
  char text[160];
  told.ess_needed = 100;
  for (told.verdict = NNP_CONVERGENCE_UNDECIDED; told.verdict <= NNP_NOT_CONVERGED;
       ++told.verdict) {
    OK(nnp_convergence_text(&told, text, sizeof text, &err));
    TEST_ASSERT_NULL_MESSAGE(strstr(text, "chains"), text);
    TEST_ASSERT_TRUE_MESSAGE(
        (strstr(text, "halves of the chain") != NULL) == (told.verdict >= NNP_FEW_DRAWS), text);
  }
}

/* 160 bytes are enough for all numbers, and a size that does not exist is not mentioned. */
static void test_words_of_any_numbers(void) {
  static const double sizes[] = {NAN, 0.3, 100, 999999.4, 1e308, INFINITY};
  nnp_convergence told = {0};
  char text[160];
  int i, j, k;
  for (told.verdict = NNP_CONVERGENCE_UNDECIDED; told.verdict <= NNP_NOT_CONVERGED; ++told.verdict)
    for (i = 0; i < 6; ++i)
      for (j = 0; j < 6; ++j)
        for (k = 1; k < 6; ++k) {
          told.ess_bulk = sizes[i];
          told.ess_tail = sizes[j];
          told.rhat = told.ess_needed = sizes[k];
          OK(nnp_convergence_text(&told, text, sizeof text, &err));
          TEST_ASSERT_NULL_MESSAGE(strstr(text, "nan"), text);
        }
  told.verdict = NNP_NOT_CONVERGED;
  told.rhat = 1.5;
  told.ess_bulk = told.ess_tail = NAN;
  OK(nnp_convergence_text(&told, text, sizeof text, &err));
  TEST_ASSERT_EQUAL_STRING("not converged: chains disagree (R-hat up to 1.500)", text);
  told.ess_bulk = 7;
  OK(nnp_convergence_text(&told, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "1.500, effective draws at least 7 in bulk)"), text);
  told.ess_bulk = NAN;
  told.ess_tail = 8;
  OK(nnp_convergence_text(&told, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "1.500, effective draws at least 8 in tails)"), text);
}

static void test_bad_input(void) {
  static double draws[MOST * DRAWS], found[MOST * DRAWS];
  int64_t count;
  char name[64];
  nnp_convergence told = {0};
  nnp_draws none = {0};
  make(NNP_SIGN_HEAD, 1, NNP_STORE_DOUBLES);
  fill_draws(draws);
  FAILS(NNP_E_SIZE, "rows = 33", nnp_functions_count(predictor, data, 33, &count, &err));
  FAILS(NNP_E_SIZE, "rows = -1", nnp_functions(predictor, data, draws, 1, -1, found, &err));
  FAILS(NNP_E_SIZE, "function = 17",
        nnp_function_name(predictor, data, 0, 17, name, sizeof name, &err));
  FAILS(NNP_E_BUFFER_SIZE, "size = 3", nnp_function_name(predictor, data, 0, 0, name, 3, &err));
  FAILS(NNP_E_NULL, "count", nnp_functions_count(predictor, data, 0, NULL, &err));
  FAILS(NNP_E_NULL, "out", nnp_functions(predictor, data, draws, 1, 0, NULL, &err));
  FAILS(NNP_E_NULL, "functions", nnp_convergence_bytes(NULL, NULL, &err));
  FAILS(NNP_E_NULL, "functions->values", nnp_convergence_of(&none, &told, draws, 8, &err));
  told.verdict = 9;
  FAILS(NNP_E_ENUM, "= 9", nnp_convergence_text(&told, name, sizeof name, &err));
  draws[0] = 1e300;
  draws[FEATURES * 4 + 4] = 1e300;
  FAILS(NNP_E_NOT_FINITE, "draw 0", nnp_functions(predictor, data, draws, 1, 0, found, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_functions_are_predictions_and_log_likelihoods);
  RUN_TEST(test_classes_are_judged_by_probabilities);
  RUN_TEST(test_functions_depend_on_the_draw_alone);
  RUN_TEST(test_verdicts);
  RUN_TEST(test_words_of_one_chain);
  RUN_TEST(test_words_of_any_numbers);
  RUN_TEST(test_bad_input);
  return UNITY_END();
}
