/* Teachers through the C API: draws from the prior, labels with and without noise, the informed
 * start, exact memory, and a status with a sentence for every kind of bad input. */
#include "capi/nnpost_study.h"
#include "tests/support/taught.h"

enum { ROWS = 400, HIDDEN = 5, CLASSES = 3 };

static int64_t outputs_of(int32_t head) {
  return head == NNP_ARGMAX ? CLASSES : 1;
}

static void make(int32_t head, int32_t posterior, double noise) {
  const Taught t = {head, ROWS, HIDDEN, outputs_of(head), head == NNP_GAUSSIAN ? 1 : 0, noise};
  make_taught(t);
  make_teacher(posterior);
}

static void make_chain(void) {
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
}

/* The teacher's outputs without noise. */
static void predicted(double *out) {
  nnp_predictor *predictor;
  double parameters[64];
  OK(nnp_teacher_parameters(teacher, parameters, &err));
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  OK(nnp_predict(predictor, data, parameters, 1, NNP_PREDICT_MEAN, out, &err));
  nnp_predictor_free(predictor);
}

/* ---- parameters ---- */

static void parameters_depend_on_seed_and_number(void) {
  double first[64], again[64], other[64];
  nnp_teacher *second;
  uint64_t seed, number;
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  OK(nnp_teacher_parameters(teacher, first, &err));
  for (seed = 7; seed <= 8; ++seed)
    for (number = 3; number <= 4; ++number) {
      OK(nnp_teacher_create(&second, net, NNP_INTERMEDIATE, seed, number, &err));
      OK(nnp_teacher_parameters(second, again, &err));
      nnp_teacher_free(second);
      TEST_ASSERT_TRUE((again[0] == first[0]) == (seed == 7 && number == 3));
    }
  /* A chain started from the prior by the same words draws others. */
  OK(nnp_teacher_label(teacher, data, 0, NULL, &err));
  make_chain();
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 7, 3, &err));
  OK(nnp_chain_parameters(chain, other, &err));
  TEST_ASSERT_TRUE(other[0] != first[0] && other[1] != first[1]);
}

/* Sums of squares times lambda are chi-squared: within 4 sd of their number. */
static void parameters_come_from_the_prior(void) {
  double *parameters, squares[2] = {0, 0};
  int64_t first, weights, biases, k, i;
  nnp_teacher *large;
  nnp_net *wide;
  OK(nnp_net_create(&wide, 50, &err));
  OK(nnp_net_dense(wide, 200, &err));
  OK(nnp_net_dense(wide, 30, &err));
  OK(nnp_net_head(wide, NNP_GAUSSIAN, &err));
  OK(nnp_net_set(wide, 1, NNP_LAMBDA_W, 4, &err));
  OK(nnp_net_set(wide, 1, NNP_LAMBDA_B, 0.01, &err));
  OK(nnp_net_set(wide, 2, NNP_LAMBDA_W, 1e6, &err));
  OK(nnp_teacher_create(&large, wide, NNP_INTERMEDIATE, 1, 0, &err));
  parameters = malloc(sizeof(double) * (50 * 200 + 200 + 200 * 30 + 30));
  OK(nnp_teacher_parameters(large, parameters, &err));
  for (k = 1; k <= 2; ++k) {
    double lambda[2];
    OK(nnp_net_layer(wide, k, &first, &weights, &biases, &err));
    OK(nnp_net_get(wide, k, NNP_LAMBDA_W, lambda, &err));
    OK(nnp_net_get(wide, k, NNP_LAMBDA_B, lambda + 1, &err));
    squares[0] = squares[1] = 0;
    for (i = 0; i < weights + biases; ++i)
      squares[i >= weights] += parameters[first + i] * parameters[first + i];
    TEST_ASSERT_TRUE(fabs(squares[0] * lambda[0] - (double)weights) <
                     4 * sqrt(2.0 * (double)weights));
    TEST_ASSERT_TRUE(fabs(squares[1] * lambda[1] - (double)biases) <
                     4 * sqrt(2.0 * (double)biases));
  }
  free(parameters);
  nnp_teacher_free(large);
  nnp_net_free(wide);
}

static void parameters_can_be_given(void) {
  double given[64], back[64];
  int i;
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  for (i = 0; i < 64; ++i) given[i] = 0.1 * i;
  OK(nnp_teacher_set_parameters(teacher, given, &err));
  OK(nnp_teacher_parameters(teacher, back, &err));
  TEST_ASSERT_EQUAL_MEMORY(given, back, sizeof(double) * (INPUTS * HIDDEN + 2 * HIDDEN + 1));
}

/* ---- labels ---- */

static void targets_without_noise_are_the_outputs(void) {
  double f[ROWS], mse = 1;
  nnp_predictor *predictor;
  double parameters[64];
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  OK(nnp_teacher_label(teacher, data, 0, NULL, &err));
  predicted(f);
  OK(nnp_teacher_parameters(teacher, parameters, &err));
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  OK(nnp_score(predictor, data, parameters, 1, NNP_SCORE_MSE, &mse, &err));
  nnp_predictor_free(predictor);
  TEST_ASSERT_TRUE(mse < 1e-28);
  TEST_ASSERT_TRUE(fabs(f[0]) > 0);
}

/* The last site of a chain is its data: the targets, bit for bit. */
static void noise_has_a_number(void) {
  double one[ROWS], same[ROWS], two[ROWS];
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  make_chain();
  OK(nnp_chain_start_teacher(chain, teacher, NULL, 1, 0, &err));
  OK(nnp_chain_site(chain, 3, one, &err));
  OK(nnp_teacher_label(teacher, data, 2, NULL, &err));
  OK(nnp_chain_site(chain, 3, two, &err));
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  OK(nnp_chain_site(chain, 3, same, &err));
  TEST_ASSERT_EQUAL_MEMORY(one, same, sizeof one);
  TEST_ASSERT_TRUE(one[0] != two[0] && one[ROWS - 1] != two[ROWS - 1]);
}

/* Residuals of every layer over D are chi-squared; the sites are those the chain then has. */
static void noisy_sites_have_the_models_noise(void) {
  static const int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};
  int h, k;
  for (h = 0; h < 3; ++h) {
    double sites[ROWS * (2 * HIDDEN + CLASSES)], found[ROWS * HIDDEN], residuals[3], *site = sites;
    int64_t shape[3], last = heads[h] == NNP_GAUSSIAN ? 2 : 3;
    make(heads[h], NNP_INTERMEDIATE, 0.03);
    OK(nnp_teacher_label(teacher, data, 1, sites, &err));
    make_chain();
    OK(nnp_chain_start_teacher(chain, teacher, sites, 1, 0, &err));
    OK(nnp_chain_terms(chain, NULL, NULL, residuals, &err));
    for (k = 1; k <= 3; ++k) {
      double count;
      OK(nnp_net_shape(net, k, shape, &err));
      count = (double)(ROWS * shape[0]);
      TEST_ASSERT_TRUE(fabs(residuals[k - 1] / 0.03 - count) < 4 * sqrt(2 * count));
      if (k > last) continue;
      OK(nnp_chain_site(chain, k, found, &err));
      TEST_ASSERT_EQUAL_MEMORY(site, found, sizeof(double) * (size_t)count);
      site += ROWS * shape[0];
    }
    tearDown();
    setUp();
  }
}

/* By construction the scores that made the labels agree with them; other ones do not. */
static void scores_agree_with_labels(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_SIGN_HEAD};
  int h, noise;
  for (h = 0; h < 2; ++h)
    for (noise = 0; noise <= 1; ++noise) {
      double sites[ROWS * (2 * HIDDEN + CLASSES)];
      make(heads[h], NNP_INTERMEDIATE, 2);
      OK(nnp_teacher_label(teacher, data, noise, sites, &err));
      make_chain();
      OK(nnp_chain_start_teacher(chain, teacher, sites, 1, 0, &err));
      OK(nnp_chain_run(chain, 3, NULL, NULL, &err));
      OK(nnp_teacher_label(teacher, data, 2, NULL, &err));
      FAILS(NNP_E_INFEASIBLE, "contradict",
            nnp_chain_start_teacher(chain, teacher, sites, 1, 0, &err));
      tearDown();
      setUp();
    }
}

static void classes_without_noise_are_the_largest_outputs(void) {
  double votes[ROWS * CLASSES], parameters[64], accuracy = 0;
  int i, c, seen[CLASSES] = {0, 0, 0};
  uint64_t number;
  nnp_predictor *predictor;
  make(NNP_ARGMAX, NNP_INTERMEDIATE, 0.1);
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  for (number = 0; number < 10; ++number) {
    nnp_teacher_free(teacher);
    OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 7, number, &err));
    OK(nnp_teacher_label(teacher, data, 0, NULL, &err));
    OK(nnp_teacher_parameters(teacher, parameters, &err));
    OK(nnp_predict(predictor, data, parameters, 1, NNP_PREDICT_VOTES, votes, &err));
    OK(nnp_score(predictor, data, parameters, 1, NNP_SCORE_ACCURACY, &accuracy, &err));
    TEST_ASSERT_EQUAL_DOUBLE(1, accuracy);
    for (i = 0; i < ROWS; ++i)
      for (c = 0; c < CLASSES; ++c) seen[c] += votes[i * CLASSES + c] == 1;
  }
  nnp_predictor_free(predictor);
  for (c = 0; c < CLASSES; ++c) TEST_ASSERT_TRUE(seen[c] > 0);
}

/* ---- the classical posterior's noise ---- */

static void classical_noise_is_in_the_last_layer_only(void) {
  double y[ROWS], f[ROWS], square = 0;
  int i;
  make(NNP_GAUSSIAN, NNP_CLASSICAL, 0.5);
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  make_chain();
  OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err));
  OK(nnp_chain_site(chain, 3, y, &err));
  predicted(f);
  for (i = 0; i < ROWS; ++i) square += (y[i] - f[i]) * (y[i] - f[i]);
  TEST_ASSERT_TRUE(fabs(square / 0.5 - ROWS) < 4 * sqrt(2.0 * ROWS));
}

/* With D = 1/2 labels are drawn by softmax, or by the logistic function: frequencies over noises
 * against the sums of the probabilities over the rows. */
static void classical_classes_follow_softmax(void) {
  static const int32_t heads[] = {NNP_ARGMAX, NNP_SIGN_HEAD};
  int h, i, c, noise;
  for (h = 0; h < 2; ++h) {
    const int width = (int)outputs_of(heads[h]), noises = 50;
    double f[ROWS * CLASSES], site[ROWS * CLASSES], want = 0, variance = 0, got = 0;
    make(heads[h], NNP_CLASSICAL, 0.5);
    predicted(f);
    for (i = 0; i < ROWS; ++i) {
      double sum = 0, p;
      for (c = 0; c < width; ++c) sum += exp(f[i * width + c]);
      p = heads[h] == NNP_ARGMAX ? exp(f[i * width]) / sum : 1 / (1 + exp(-f[i]));
      want += noises * p;
      variance += noises * p * (1 - p);
    }
    for (noise = 1; noise <= noises; ++noise) {
      OK(nnp_teacher_label(teacher, data, noise, NULL, &err));
      if (!chain) make_chain();
      /* From a start at zero scores are drawn to agree with the labels: they tell them. */
      OK(nnp_chain_start_weights(chain, f, 1, 1, 0, &err));
      OK(nnp_chain_site(chain, 3, site, &err));
      for (i = 0; i < ROWS; ++i) {
        int best = 0;
        for (c = 1; c < width; ++c)
          if (site[i * width + c] > site[i * width + best]) best = c;
        got += heads[h] == NNP_ARGMAX ? best == 0 : site[i] >= 0;
      }
    }
    TEST_ASSERT_TRUE(fabs(got - want) < 4 * sqrt(variance));
    TEST_ASSERT_TRUE(want > 0.1 * noises * ROWS && want < 0.9 * noises * ROWS);
    tearDown();
    setUp();
  }
}

/* ---- memory and bad input ---- */

static void memory_is_exact(void) {
  size_t bytes, k;
  unsigned char *whole, *block;
  nnp_teacher *made;
  double here[64], there[64];
  make(NNP_ARGMAX, NNP_INTERMEDIATE, 0.1);
  OK(nnp_teacher_bytes(net, &bytes, &err));
  whole = malloc(bytes + 128);
  TEST_ASSERT_NOT_NULL(whole);
  block = whole + 64 - (uintptr_t)whole % 64;
  memset(block, 0xA5, bytes + 64);
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_teacher_init(&made, block, bytes - 1, net, NNP_INTERMEDIATE, 7, 3, &err));
  FAILS(NNP_E_MEMORY_ALIGNMENT, "memory",
        nnp_teacher_init(&made, block + 8, bytes, net, NNP_INTERMEDIATE, 7, 3, &err));
  OK(nnp_teacher_init(&made, block, bytes, net, NNP_INTERMEDIATE, 7, 3, &err));
  OK(nnp_teacher_label(made, data, 1, NULL, &err));
  for (k = bytes; k < bytes + 64; ++k) TEST_ASSERT_EQUAL_HEX8(0xA5, block[k]);
  OK(nnp_teacher_parameters(made, here, &err));
  OK(nnp_teacher_parameters(teacher, there, &err));
  TEST_ASSERT_EQUAL_MEMORY(here, there, sizeof(double) * 20);
  free(whole);
}

static void bad_teachers(void) {
  nnp_teacher *made;
  nnp_net *open;
  size_t bytes;
  double parameters[64] = {0};
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  FAILS(NNP_E_NULL, "teacher", nnp_teacher_create(NULL, net, NNP_INTERMEDIATE, 1, 0, &err));
  FAILS(NNP_E_NULL, "net", nnp_teacher_create(&made, NULL, NNP_INTERMEDIATE, 1, 0, &err));
  FAILS(NNP_E_ENUM, "posterior = 7", nnp_teacher_create(&made, net, 7, 1, 0, &err));
  FAILS(NNP_E_NULL, "bytes", nnp_teacher_bytes(net, NULL, &err));
  FAILS(NNP_E_NULL, "memory", nnp_teacher_init(&made, NULL, 0, net, NNP_INTERMEDIATE, 1, 0, &err));
  OK(nnp_net_create(&open, 2, &err));
  OK(nnp_net_dense(open, 2, &err));
  FAILS(NNP_E_NO_HEAD, "head", nnp_teacher_bytes(open, &bytes, &err));
  nnp_net_free(open);
  FAILS(NNP_E_NULL, "parameters", nnp_teacher_parameters(teacher, NULL, &err));
  parameters[4] = NAN;
  FAILS(NNP_E_NOT_FINITE, "entry 4", nnp_teacher_set_parameters(teacher, parameters, &err));
}

static void bad_labels(void) {
  nnp_data *narrow, *empty, *roomless;
  double sites[1], x[2] = {1, 2}, huge[64], y[ROWS], after[ROWS];
  int i;
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  FAILS(NNP_E_NULL, "data", nnp_teacher_label(teacher, NULL, 0, NULL, &err));
  FAILS(NNP_E_SIZE, "noise = -1", nnp_teacher_label(teacher, data, -1, NULL, &err));
  FAILS(NNP_E_SIZE, "noise", nnp_teacher_label(teacher, data, INT64_MAX, NULL, &err));
  OK(nnp_data_create(&narrow, 1, 2, 1, &err));
  OK(nnp_data_set_inputs(narrow, x, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_SHAPE, "data", nnp_teacher_label(teacher, narrow, 0, NULL, &err));
  nnp_data_free(narrow);
  OK(nnp_data_create(&empty, 1, INPUTS, 1, &err));
  FAILS(NNP_E_NO_DATA, "inputs", nnp_teacher_label(teacher, empty, 0, NULL, &err));
  nnp_data_free(empty);
  OK(nnp_data_create(&roomless, 1, INPUTS, 0, &err));
  OK(nnp_data_set_inputs(roomless, (double[]){1, 2, 3}, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_SHAPE, "room for 0 targets", nnp_teacher_label(teacher, roomless, 0, NULL, &err));
  nnp_data_free(roomless);
  /* Outputs beyond double: the data stays as it was. */
  OK(nnp_teacher_label(teacher, data, 1, NULL, &err));
  make_chain();
  OK(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err));
  OK(nnp_chain_site(chain, 3, y, &err));
  for (i = 0; i < 64; ++i) huge[i] = 1e200;
  OK(nnp_teacher_set_parameters(teacher, huge, &err));
  FAILS(NNP_E_NOT_FINITE, "outputs", nnp_teacher_label(teacher, data, 1, NULL, &err));
  OK(nnp_chain_site(chain, 3, after, &err));
  TEST_ASSERT_EQUAL_MEMORY(y, after, sizeof y);
  tearDown();
  setUp();
  make(NNP_ARGMAX, NNP_CLASSICAL, 0.1);
  FAILS(NNP_E_UNSUPPORTED, "0.5", nnp_teacher_label(teacher, data, 1, NULL, &err));
  FAILS(NNP_E_UNSUPPORTED, "sites", nnp_teacher_label(teacher, data, 0, sites, &err));
  OK(nnp_teacher_label(teacher, data, 0, NULL, &err));
}

static void bad_starts(void) {
  nnp_net *other;
  nnp_teacher *stranger;
  double sites[ROWS * 2 * HIDDEN];
  make(NNP_GAUSSIAN, NNP_INTERMEDIATE, 0.1);
  OK(nnp_teacher_label(teacher, data, 1, sites, &err));
  make_chain();
  FAILS(NNP_E_NULL, "chain", nnp_chain_start_teacher(NULL, teacher, sites, 1, 0, &err));
  FAILS(NNP_E_NULL, "teacher", nnp_chain_start_teacher(chain, NULL, sites, 1, 0, &err));
  OK(nnp_net_create(&other, INPUTS, &err));
  OK(nnp_net_dense(other, HIDDEN + 1, &err));
  OK(nnp_net_activation(other, NNP_RELU, &err));
  OK(nnp_net_dense(other, 1, &err));
  OK(nnp_net_head(other, NNP_GAUSSIAN, &err));
  OK(nnp_teacher_create(&stranger, other, NNP_INTERMEDIATE, 1, 0, &err));
  FAILS(NNP_E_SHAPE, "layer 1 (dense, 3 to 6)",
        nnp_chain_start_teacher(chain, stranger, NULL, 1, 0, &err));
  nnp_teacher_free(stranger);
  nnp_net_free(other);
  sites[3] = INFINITY;
  FAILS(NNP_E_NOT_FINITE, "entry 3", nnp_chain_start_teacher(chain, teacher, sites, 1, 0, &err));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(parameters_depend_on_seed_and_number);
  RUN_TEST(parameters_come_from_the_prior);
  RUN_TEST(parameters_can_be_given);
  RUN_TEST(targets_without_noise_are_the_outputs);
  RUN_TEST(noise_has_a_number);
  RUN_TEST(noisy_sites_have_the_models_noise);
  RUN_TEST(scores_agree_with_labels);
  RUN_TEST(classes_without_noise_are_the_largest_outputs);
  RUN_TEST(classical_noise_is_in_the_last_layer_only);
  RUN_TEST(classical_classes_follow_softmax);
  RUN_TEST(memory_is_exact);
  RUN_TEST(bad_teachers);
  RUN_TEST(bad_labels);
  RUN_TEST(bad_starts);
  return UNITY_END();
}
