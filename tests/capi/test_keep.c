/* Keepers: what they take from draws has the bits that kept parameters give afterwards, on any number of
 * threads and in any number of calls; means and variances are those of the draws; and what is refused. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"
#include "tests/support/threads.h"

enum { ROWS = 150, CHAINS = 3, DRAWS = 6, THIN = 2, INPUTS = 2, TEST_ROWS = 140 };

void setUp(void) {}
void tearDown(void) {}

typedef struct Case {
  int32_t head, sampler, posterior, activation;
  int64_t outputs;
} Case;

/* Two hidden layers, so that noise is drawn in predictions of the intermediate posterior. */
static const Case cases[] = {
    {NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, NNP_RELU, 2},
    {NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE, NNP_RELU, 3},
    {NNP_SIGN_HEAD, NNP_GIBBS, NNP_INTERMEDIATE, NNP_ABS, 1},
    {NNP_STUDENT_T, NNP_GIBBS, NNP_INTERMEDIATE, NNP_RELU, 1},
    {NNP_GAUSSIAN, NNP_NUTS, NNP_CLASSICAL, NNP_TANH, 1},
    {NNP_ARGMAX, NNP_HMC, NNP_CLASSICAL, NNP_TANH, 3},
    {NNP_LOCATION_SCALE, NNP_HMC, NNP_CLASSICAL, NNP_TANH, 2},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct Model {
  Case is;
  nnp_net *net;
  nnp_data *data, *test;
  nnp_pool *pool;
  nnp_chain *chains[CHAINS];
  int64_t parameters, targets, classes;
} Model;

static double value_of(int64_t i) {
  return sin(0.7 * (double)i) + 0.3 * cos(2.1 * (double)i);
}

static nnp_data *make_data(const Case *is, int64_t rows, int64_t targets, int64_t shift) {
  nnp_data *data = NULL;
  double *x = (double *)malloc(sizeof(double) * (size_t)(rows * INPUTS));
  double *y = (double *)malloc(sizeof(double) * (size_t)(rows * targets));
  int32_t *labels = (int32_t *)malloc(sizeof(int32_t) * (size_t)rows);
  for (int64_t i = 0; i < rows * INPUTS; ++i) x[i] = value_of(i + shift);
  for (int64_t i = 0; i < rows * targets; ++i) y[i] = fabs(value_of(INPUTS * i + shift));
  for (int64_t i = 0; i < rows; ++i) {
    const int positive = value_of(INPUTS * i + shift) > 0;
    labels[i] = is->head == NNP_SIGN_HEAD ? (positive ? 1 : -1) : positive + (i % 7 == 0);
  }
  OK(nnp_data_create(&data, rows, INPUTS, targets, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_labels(data, labels, &err));
  free(x);
  free(y);
  free(labels);
  return data;
}

static Model make_model(const Case *is, int64_t threads) {
  Model m = {*is, NULL, NULL, NULL, NULL, {NULL}, 0, 0, 0};
  int32_t labels = 0;
  OK(nnp_net_create(&m.net, INPUTS, &err));
  for (int layer = 0; layer < 2; ++layer) {
    OK(nnp_net_dense(m.net, 4, &err));
    OK(nnp_net_activation(m.net, is->activation, &err));
  }
  OK(nnp_net_dense(m.net, is->outputs, &err));
  OK(nnp_net_head(m.net, is->head, &err));
  OK(nnp_net_learn(m.net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 0, 0, &err));
  OK(nnp_net_parameters(m.net, &m.parameters, &err));
  OK(nnp_net_targets(m.net, &m.targets, &err));
  OK(nnp_head_info(is->head, NULL, &labels, NULL, &err));
  m.classes = !labels ? 0 : is->head == NNP_SIGN_HEAD ? 1 : is->outputs;
  m.data = make_data(is, ROWS, m.targets, 0);
  m.test = make_data(is, TEST_ROWS, m.targets, 1000);
  OK(nnp_pool_create(&m.pool, threads_here(threads), &err));
  for (int64_t c = 0; c < CHAINS; ++c) {
    OK(nnp_chain_create(&m.chains[c], m.net, m.data, is->sampler, is->posterior, &err));
    OK(nnp_chain_use_pool(m.chains[c], m.pool, &err));
    OK(nnp_chain_start(m.chains[c], NNP_START_PRIOR, 5, (uint64_t)c, &err));
  }
  return m;
}

static void free_model(Model m) {
  for (int64_t c = 0; c < CHAINS; ++c) nnp_chain_free(m.chains[c]);
  nnp_pool_free(m.pool);
  nnp_data_free(m.data);
  nnp_data_free(m.test);
  nnp_net_free(m.net);
}

static nnp_predictor *make_predictor(const Model *m) {
  const double mean[] = {3, -2, 1}, sd[] = {2, 0.5, 4};
  nnp_predictor *predictor = NULL;
  OK(nnp_predictor_create(&predictor, m->net, DRAWS, &err));
  OK(nnp_predictor_posterior(predictor, m->is.posterior, &err));
  OK(nnp_predictor_noise(predictor, NNP_FITTED, 17, &err));
  if (m->classes == 0) OK(nnp_predictor_units(predictor, mean, sd, &err));
  return predictor;
}

/* All that can be kept of the network, in this order. */
enum { PARAMETERS, SCALES, FUNCTIONS, PREDICTIONS, LOG_LIK, MEAN, QUANTITIES };

static void describe(const Model *m, const nnp_predictor *predictor, nnp_kept kept[QUANTITIES]) {
  const int32_t what[] = {NNP_KEEP_PARAMETERS,  NNP_KEEP_SCALES,  NNP_KEEP_FUNCTIONS,
                          NNP_KEEP_PREDICTIONS, NNP_KEEP_LOG_LIK, NNP_KEEP_MEAN};
  memset(kept, 0, QUANTITIES * sizeof *kept);
  for (int i = 0; i < QUANTITIES; ++i) {
    kept[i].what = what[i];
    kept[i].moments = 1;
    if (i < FUNCTIONS) continue;
    kept[i].predictor = predictor;
    kept[i].data = m->test;
  }
  if (m->classes > 0) kept[MEAN].what = NNP_KEEP_PROBABILITIES;
}

typedef struct Taken {
  int64_t width[QUANTITIES];
  double *values[QUANTITIES]; /* [value, draw, chain] */
  double *mean[QUANTITIES], *variance[QUANTITIES], *rhat[QUANTITIES];
} Taken;

static double *doubles(int64_t count) {
  double *values = (double *)calloc((size_t)count, sizeof(double));
  TEST_ASSERT_NOT_NULL(values);
  return values;
}

static void free_taken(Taken t) {
  for (int i = 0; i < QUANTITIES; ++i) {
    free(t.values[i]);
    free(t.mean[i]);
    free(t.variance[i]);
    free(t.rhat[i]);
  }
}

/* DRAWS draws in `calls` calls; where nothing is stored, moments alone. */
static Taken keep(const Case *is, int64_t threads, int64_t calls, int stored) {
  Model m = make_model(is, threads);
  nnp_predictor *predictor = make_predictor(&m);
  nnp_kept kept[QUANTITIES];
  nnp_keeper *keeper = NULL;
  Taken t;
  describe(&m, predictor, kept);
  OK(nnp_keeper_create(&keeper, m.net, kept, QUANTITIES, CHAINS, &err));
  nnp_predictor_free(predictor); /* it was copied */
  for (int i = 0; i < QUANTITIES; ++i) {
    OK(nnp_keeper_width(keeper, i, &t.width[i], &err));
    t.values[i] = doubles(t.width[i] * DRAWS * CHAINS);
    t.mean[i] = doubles(t.width[i]);
    t.variance[i] = doubles(t.width[i]);
    t.rhat[i] = doubles(t.width[i]);
    if (stored) OK(nnp_keeper_store(keeper, i, t.values[i], DRAWS, &err));
  }
  for (int64_t i = 0; i < calls; ++i)
    OK(nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS / calls, THIN, NULL, NULL, &err));
  for (int i = 0; i < QUANTITIES; ++i)
    OK(nnp_keeper_moments(keeper, i, NNP_ALL_CHAINS, t.mean[i], t.variance[i], t.rhat[i], &err));
  nnp_keeper_free(keeper);
  free_model(m);
  return t;
}

static void same(const double *a, const double *b, int64_t count, const char *what) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(a, b, (size_t)count * sizeof(double)), what);
}

/* ---- the same bits as from parameters that were kept ---- */

static void compare_chain(const Model *m, nnp_predictor *p, const Taken *t, const double *draws,
                          int64_t c) {
  const double *own = draws + c * DRAWS * m->parameters;
  const int32_t single = m->classes > 0 ? NNP_PREDICT_PROBABILITIES : NNP_PREDICT_MEAN;
  double *out = doubles(DRAWS * TEST_ROWS * 8);
#define PLACE(i) (t->values[i] + c * DRAWS * t->width[i])
  same(own, PLACE(PARAMETERS), DRAWS * m->parameters, "parameters");
  for (int64_t s = 0; s < DRAWS; ++s)
    same(own + (s + 1) * m->parameters - t->width[SCALES], PLACE(SCALES) + s * t->width[SCALES],
         t->width[SCALES], "scales");
  OK(nnp_predictor_noise(p, NNP_FITTED, 17, &err));
  OK(nnp_functions(p, m->test, own, DRAWS, 0, out, &err));
  same(out, PLACE(FUNCTIONS), DRAWS * t->width[FUNCTIONS], "functions");
  for (int64_t s = 0; s < DRAWS; ++s) {
    OK(nnp_predict(p, m->test, own + s * m->parameters, 1, single, out, &err));
    same(out, PLACE(MEAN) + s * t->width[MEAN], t->width[MEAN], "mean or probabilities");
  }
  OK(nnp_predictor_noise(p, NNP_FITTED, 17 + (uint64_t)c, &err));
  OK(nnp_predict(p, m->test, own, DRAWS, NNP_PREDICT_DRAWS, out, &err));
  same(out, PLACE(PREDICTIONS), DRAWS * t->width[PREDICTIONS], "predictions");
  OK(nnp_log_lik(p, m->test, own, DRAWS, out, &err));
  same(out, PLACE(LOG_LIK), DRAWS * t->width[LOG_LIK], "log_lik");
#undef PLACE
  free(out);
}

static void test_kept_functions_have_the_bits_of_kept_parameters(void) {
  for (int i = 0; i < CASES; ++i) {
    const Taken t = keep(&cases[i], 1, 1, 1);
    Model m = make_model(&cases[i], 1);
    nnp_predictor *predictor = make_predictor(&m);
    double *draws = doubles(m.parameters * DRAWS * CHAINS);
    OK(nnp_chains_sample(m.chains, CHAINS, draws, DRAWS, THIN, NULL, NULL, &err));
    TEST_ASSERT_EQUAL_INT64(m.targets * TEST_ROWS, t.width[PREDICTIONS]);
    TEST_ASSERT_EQUAL_INT64(TEST_ROWS, t.width[LOG_LIK]);
    TEST_ASSERT_EQUAL_INT64(3, t.width[SCALES]);
    for (int64_t c = 0; c < CHAINS; ++c) compare_chain(&m, predictor, &t, draws, c);
    free(draws);
    nnp_predictor_free(predictor);
    free_model(m);
    free_taken(t);
  }
}

static void test_neither_threads_nor_calls_matter(void) {
  for (int i = 0; i < CASES; ++i) {
    const Taken one = keep(&cases[i], 1, 1, 1), two = keep(&cases[i], 2, 1, 1),
                parts = keep(&cases[i], 2, 3, 1), moments = keep(&cases[i], 2, 2, 0);
    for (int q = 0; q < QUANTITIES; ++q) {
      const int64_t width = one.width[q];
      same(one.values[q], two.values[q], width * DRAWS * CHAINS, "two threads");
      same(one.values[q], parts.values[q], width * DRAWS * CHAINS, "three calls");
      same(one.mean[q], two.mean[q], width, "means, two threads");
      same(one.variance[q], two.variance[q], width, "variances, two threads");
      same(one.rhat[q], two.rhat[q], width, "R-hat, two threads");
      same(one.mean[q], parts.mean[q], width, "means, three calls");
      same(one.mean[q], moments.mean[q], width, "means, nothing stored");
      same(one.variance[q], moments.variance[q], width, "variances, nothing stored");
    }
    free_taken(one);
    free_taken(two);
    free_taken(parts);
    free_taken(moments);
  }
}

/* ---- moments ---- */

static void near(double expected, double found, const char *what) {
  if (isnan(expected) && isnan(found)) return;
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-11 * (1 + fabs(expected)), expected, found, what);
}

static void test_moments_are_those_of_the_draws(void) {
  const Taken t = keep(&cases[0], 2, 1, 1);
  for (int q = 0; q < QUANTITIES; ++q)
    for (int64_t i = 0; i < t.width[q]; ++i) {
      double mean = 0, square = 0, within = 0, between = 0, means[CHAINS] = {0};
      for (int64_t s = 0; s < DRAWS * CHAINS; ++s) {
        const double value = t.values[q][s * t.width[q] + i];
        mean += value / (DRAWS * CHAINS);
        means[s / DRAWS] += value / DRAWS;
      }
      for (int64_t s = 0; s < DRAWS * CHAINS; ++s) {
        const double value = t.values[q][s * t.width[q] + i], own = value - means[s / DRAWS];
        square += (value - mean) * (value - mean) / (DRAWS * CHAINS - 1);
        within += own * own / (DRAWS - 1) / CHAINS;
      }
      for (int64_t c = 0; c < CHAINS; ++c)
        between += (means[c] - mean) * (means[c] - mean) / (CHAINS - 1);
      near(mean, t.mean[q][i], "mean");
      near(square, t.variance[q][i], "variance");
      near(sqrt((DRAWS - 1.0) / DRAWS + between / within), t.rhat[q][i], "R-hat");
    }
  free_taken(t);
}

static nnp_keeper *parameter_keeper(const Model *m, int32_t moments) {
  nnp_kept kept = {0};
  nnp_keeper *keeper = NULL;
  kept.what = NNP_KEEP_PARAMETERS;
  kept.moments = moments;
  OK(nnp_keeper_create(&keeper, m->net, &kept, 1, CHAINS, &err));
  return keeper;
}

static int32_t stop_at_once(const nnp_progress *progress, void *user) {
  (void)user;
  return progress->step >= 3;
}

static void test_stopped_runs_keep_what_was_made(void) {
  Model m = make_model(&cases[0], 1);
  nnp_keeper *keeper = parameter_keeper(&m, 1);
  double *values = doubles(m.parameters * DRAWS * CHAINS), *mean = doubles(m.parameters);
  double *variance = doubles(m.parameters), rhat[1024];
  int64_t draws = -1;
  FAILS(NNP_E_SIZE, "no draws yet", nnp_keeper_moments(keeper, 0, 0, mean, NULL, NULL, &err));
  OK(nnp_keeper_store(keeper, 0, values, DRAWS, &err));
  FAILS(NNP_STOPPED, "asked to stop",
        nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS, 2, stop_at_once, NULL, &err));
  OK(nnp_keeper_stored(keeper, 0, 0, &draws, &err));
  TEST_ASSERT_EQUAL_INT64(1, draws); /* of 3 steps, by twos */
  OK(nnp_keeper_stored(keeper, 0, 2, &draws, &err));
  TEST_ASSERT_EQUAL_INT64(0, draws);
  OK(nnp_keeper_moments(keeper, 0, NNP_ALL_CHAINS, mean, variance, rhat, &err));
  same(values, mean, m.parameters, "the mean of one draw");
  TEST_ASSERT_TRUE(isnan(variance[0]) && isnan(rhat[0]));
  FAILS(NNP_E_SIZE, "no draws yet", nnp_keeper_moments(keeper, 0, 2, mean, NULL, NULL, &err));
  /* All rooms of chain 0 but one are left. */
  FAILS(NNP_E_BUFFER_SIZE, "room for 6 draws of chain 0, 1 of them taken",
        nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS, 1, NULL, NULL, &err));
  OK(nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS - 1, 1, NULL, NULL, &err));
  OK(nnp_keeper_stored(keeper, 0, 0, &draws, &err));
  TEST_ASSERT_EQUAL_INT64(DRAWS, draws);
  nnp_keeper_free(keeper);
  free(values);
  free(mean);
  free(variance);
  free_model(m);
}

/* ---- bad input ---- */

static void test_bad_descriptions_are_refused(void) {
  Model m = make_model(&cases[0], 1), other = make_model(&cases[1], 1);
  nnp_predictor *predictor = make_predictor(&m), *wrong = make_predictor(&other);
  nnp_net *plain = NULL;
  nnp_keeper *keeper = NULL;
  nnp_kept kept = {0};
  size_t bytes = 0;
#define REFUSED(status, text) \
  FAILS(status, text, nnp_keeper_create(&keeper, m.net, &kept, 1, CHAINS, &err))
  FAILS(NNP_E_NULL, "net", nnp_keeper_bytes(NULL, &kept, 1, CHAINS, &bytes, &err));
  FAILS(NNP_E_NULL, "kept", nnp_keeper_bytes(m.net, NULL, 1, CHAINS, &bytes, &err));
  REFUSED(NNP_E_ENUM, "kept[0].what = 0");
  kept.what = 8;
  REFUSED(NNP_E_ENUM, "kept[0].what = 8");
  kept.what = NNP_KEEP_PARAMETERS;
  FAILS(NNP_E_SIZE, "kept_count = 0", nnp_keeper_bytes(m.net, &kept, 0, CHAINS, &bytes, &err));
  FAILS(NNP_E_SIZE, "kept_count = 17", nnp_keeper_bytes(m.net, &kept, 17, 1, &bytes, &err));
  FAILS(NNP_E_SIZE, "chain_count = 0", nnp_keeper_bytes(m.net, &kept, 1, 0, &bytes, &err));
  kept.moments = 2;
  REFUSED(NNP_E_VALUE, "moments = 2");
  kept.moments = 1;
  kept.rows = 3;
  REFUSED(NNP_E_VALUE, "rows = 3");
  kept.rows = 0;
  kept.reserved[2] = 1;
  REFUSED(NNP_E_VALUE, "reserved field 2");
  kept.reserved[2] = 0;
  kept.what = NNP_KEEP_MEAN;
  REFUSED(NNP_E_NULL, "number 0 (mean): predictor");
  kept.predictor = predictor;
  REFUSED(NNP_E_NULL, "number 0 (mean): data");
  kept.data = m.test;
  kept.predictor = wrong;
  REFUSED(NNP_E_SHAPE, "another network");
  kept.predictor = predictor;
  kept.what = NNP_KEEP_PROBABILITIES;
  REFUSED(NNP_E_UNSUPPORTED, "has no classes");
  kept.what = NNP_KEEP_FUNCTIONS;
  kept.rows = 33;
  REFUSED(NNP_E_SIZE, "rows = 33");
  OK(nnp_net_create(&plain, INPUTS, &err));
  OK(nnp_net_dense(plain, 1, &err));
  kept.rows = 0;
  kept.what = NNP_KEEP_SCALES;
  FAILS(NNP_E_NO_HEAD, "head", nnp_keeper_bytes(plain, &kept, 1, 1, &bytes, &err));
  OK(nnp_net_head(plain, NNP_GAUSSIAN, &err));
  FAILS(NNP_E_UNSUPPORTED, "learns none", nnp_keeper_bytes(plain, &kept, 1, 1, &bytes, &err));
  TEST_ASSERT_NULL(keeper);
#undef REFUSED
  nnp_net_free(plain);
  nnp_predictor_free(predictor);
  nnp_predictor_free(wrong);
  free_model(m);
  free_model(other);
}

static void test_rows_without_targets_have_no_likelihood(void) {
  Model m = make_model(&cases[0], 1);
  nnp_predictor *predictor = make_predictor(&m);
  nnp_data *bare = NULL;
  nnp_keeper *keeper = NULL;
  nnp_kept kept = {0};
  const double x[4 * INPUTS] = {0};
  OK(nnp_data_create(&bare, 4, INPUTS, 0, &err));
  kept.what = NNP_KEEP_LOG_LIK;
  kept.predictor = predictor;
  kept.data = bare;
  FAILS(NNP_E_NO_DATA, "(log_lik): ", nnp_keeper_create(&keeper, m.net, &kept, 1, CHAINS, &err));
  OK(nnp_data_set_inputs(bare, x, NNP_ROW_MAJOR, &err));
  TEST_ASSERT_NOT_EQUAL(NNP_OK, nnp_keeper_create(&keeper, m.net, &kept, 1, CHAINS, &err));
  kept.what = NNP_KEEP_MEAN;
  OK(nnp_keeper_create(&keeper, m.net, &kept, 1, CHAINS, &err));
  nnp_keeper_free(keeper);
  nnp_data_free(bare);
  nnp_predictor_free(predictor);
  free_model(m);
}

static int32_t use_keeper(const nnp_progress *progress, void *user) {
  double *mean = doubles(1024);
  (void)progress;
  FAILS(NNP_E_UNSUPPORTED, "a run is using it",
        nnp_keeper_moments((nnp_keeper *)user, 0, 0, mean, NULL, NULL, &err));
  FAILS(NNP_E_UNSUPPORTED, "a run is using it",
        nnp_keeper_store((nnp_keeper *)user, 0, mean, 1, &err));
  free(mean);
  return 0;
}

static void test_bad_calls_are_refused(void) {
  Model m = make_model(&cases[0], 1), other = make_model(&cases[1], 1);
  nnp_keeper *keeper = parameter_keeper(&m, 0), *moments = parameter_keeper(&m, 1);
  double *values = doubles(m.parameters * DRAWS * CHAINS);
  int64_t width = 0;
#define KEEP(chains, count, keeper, draws, thin) \
  nnp_chains_keep(chains, count, keeper, draws, thin, NULL, NULL, &err)
  FAILS(NNP_E_NULL, "keeper", KEEP(m.chains, CHAINS, NULL, 1, 1));
  FAILS(NNP_E_NULL, "chains", KEEP(NULL, CHAINS, moments, 1, 1));
  FAILS(NNP_E_SIZE, "count = 0", KEEP(m.chains, CHAINS, moments, 0, 1));
  FAILS(NNP_E_SIZE, "thin = 0", KEEP(m.chains, CHAINS, moments, 1, 0));
  FAILS(NNP_E_SIZE, "made for 3 chains", KEEP(m.chains, 2, moments, 1, 1));
  FAILS(NNP_E_SHAPE, "chain 0 has another network", KEEP(other.chains, CHAINS, moments, 1, 1));
  FAILS(NNP_E_VALUE, "neither moments nor memory", KEEP(m.chains, CHAINS, keeper, 1, 1));
  FAILS(NNP_E_SIZE, "index = 1", nnp_keeper_width(keeper, 1, &width, &err));
  FAILS(NNP_E_SIZE, "index = -1", nnp_keeper_store(keeper, -1, values, 1, &err));
  FAILS(NNP_E_SIZE, "capacity = 0", nnp_keeper_store(keeper, 0, values, 0, &err));
  FAILS(NNP_E_OVERFLOW, "capacity", nnp_keeper_store(keeper, 0, values, INT64_MAX, &err));
  FAILS(NNP_E_SIZE, "chain = 3", nnp_keeper_stored(keeper, 0, CHAINS, &width, &err));
  FAILS(NNP_E_UNSUPPORTED, "moments are not kept",
        nnp_keeper_moments(keeper, 0, 0, values, NULL, NULL, &err));
  OK(nnp_keeper_store(keeper, 0, values, 2, &err));
  FAILS(NNP_E_BUFFER_SIZE, "count = 3", KEEP(m.chains, CHAINS, keeper, 3, 1));
  OK(KEEP(m.chains, CHAINS, keeper, 2, 1));
  FAILS(NNP_E_BUFFER_SIZE, "2 of them taken", KEEP(m.chains, CHAINS, keeper, 1, 1));
  OK(nnp_chains_keep(m.chains, CHAINS, moments, 1, 1, use_keeper, moments, &err));
  FAILS(NNP_E_UNSUPPORTED, "rhat", nnp_keeper_moments(moments, 0, 1, values, NULL, values, &err));
  FAILS(NNP_E_SIZE, "chain = -2", nnp_keeper_moments(moments, 0, -2, values, NULL, NULL, &err));
  FAILS(NNP_E_NULL, "mean", nnp_keeper_moments(moments, 0, 1, NULL, NULL, NULL, &err));
#undef KEEP
  nnp_keeper_free(keeper);
  nnp_keeper_free(moments);
  nnp_keeper_free(NULL);
  free(values);
  free_model(m);
  free_model(other);
}

/* Weights that are finite, whose outputs are not: the chain ends, and says where. */
static void test_predictions_that_overflow_end_the_chain(void) {
  Model m = make_model(&cases[0], 1);
  nnp_predictor *predictor = make_predictor(&m);
  nnp_data *far = NULL;
  nnp_keeper *keeper = NULL;
  nnp_kept kept = {0};
  double x[2 * INPUTS] = {0, 0, DBL_MAX, DBL_MAX};
  int64_t draws = -1;
  double *values = doubles(m.parameters * DRAWS * CHAINS);
  OK(nnp_data_create(&far, 2, INPUTS, 0, &err));
  OK(nnp_data_set_inputs(far, x, NNP_ROW_MAJOR, &err));
  kept.what = NNP_KEEP_MEAN;
  kept.predictor = predictor;
  kept.data = far;
  OK(nnp_keeper_create(&keeper, m.net, &kept, 1, CHAINS, &err));
  OK(nnp_keeper_store(keeper, 0, values, DRAWS, &err));
  FAILS(NNP_E_NOT_FINITE, "keeper: mean of draw ",
        nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS, 1, NULL, NULL, &err));
  OK(nnp_keeper_stored(keeper, 0, 0, &draws, &err));
  TEST_ASSERT_TRUE(draws < DRAWS);
  nnp_keeper_free(keeper);
  nnp_data_free(far);
  nnp_predictor_free(predictor);
  free(values);
  free_model(m);
}

/* Four rows, with any signs. */
static void set_corners(nnp_data *data, double value) {
  const double x[4 * INPUTS] = {value, value, value, -value, -value, value, -value, -value};
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
}

/* Chains that begin anew; keeps all draws of them; if `spoiled`, after a call that failed. */
static double *keep_predictions(const Case *is, int spoiled) {
  Model m = make_model(is, 1);
  nnp_predictor *predictor = make_predictor(&m);
  nnp_data *far = NULL;
  nnp_keeper *keeper = NULL;
  nnp_kept kept[3] = {{0}, {0}, {0}};
  int64_t width[2], draws = -1;
  double *values, *log_lik;
  OK(nnp_data_create(&far, 4, INPUTS, 0, &err));
  set_corners(far, 0);
  kept[0].what = NNP_KEEP_PREDICTIONS;
  kept[1].what = NNP_KEEP_LOG_LIK;
  kept[2].what = m.classes > 0 ? NNP_KEEP_PROBABILITIES : NNP_KEEP_MEAN;
  for (int i = 0; i < 3; ++i) {
    kept[i].moments = 1;
    kept[i].predictor = predictor;
    kept[i].data = i < 2 ? m.test : far;
  }
  OK(nnp_keeper_create(&keeper, m.net, kept, 3, CHAINS, &err));
  for (int i = 0; i < 2; ++i) OK(nnp_keeper_width(keeper, i, &width[i], &err));
  values = doubles((width[0] + width[1]) * DRAWS * CHAINS + width[0] + width[1]);
  log_lik = values + width[0] * DRAWS * CHAINS;
  OK(nnp_keeper_store(keeper, 0, values, DRAWS, &err));
  OK(nnp_keeper_store(keeper, 1, log_lik, DRAWS, &err));
  if (spoiled) {
    set_corners(far, DBL_MAX);
    FAILS(NNP_E_NOT_FINITE, "of draw 0, chain 0",
          nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS, 1, NULL, NULL, &err));
    set_corners(far, 0);
    for (int64_t c = 0; c < CHAINS; ++c) {
      OK(nnp_keeper_stored(keeper, 0, c, &draws, &err));
      TEST_ASSERT_EQUAL_INT64(0, draws);
      OK(nnp_chain_start(m.chains[c], NNP_START_PRIOR, 5, (uint64_t)c, &err));
    }
  }
  OK(nnp_chains_keep(m.chains, CHAINS, keeper, DRAWS, 1, NULL, NULL, &err));
  OK(nnp_keeper_moments(keeper, 0, NNP_ALL_CHAINS, log_lik + width[1] * DRAWS * CHAINS, NULL, NULL,
                        &err));
  OK(nnp_keeper_moments(keeper, 1, NNP_ALL_CHAINS, log_lik + width[1] * DRAWS * CHAINS + width[0],
                        NULL, NULL, &err));
  nnp_keeper_free(keeper);
  nnp_data_free(far);
  nnp_predictor_free(predictor);
  free_model(m);
  return values;
}

/* Noise of predictions and likelihoods goes on where it was, though they were made before the quantity
 * that failed. */
static void test_a_draw_that_fails_leaves_the_keeper_as_it_was(void) {
  for (int i = 0; i < CASES && cases[i].sampler == NNP_GIBBS; ++i) { /* tanh does not overflow */
    Model m = make_model(&cases[i], 1);
    const int64_t wide = (m.targets + 1) * TEST_ROWS;
    double *whole = keep_predictions(&cases[i], 0), *spoiled = keep_predictions(&cases[i], 1);
    same(whole, spoiled, wide * (DRAWS * CHAINS + 1), "after a draw that failed");
    free(whole);
    free(spoiled);
    free_model(m);
  }
}

static void test_large_draws_are_told_of(void) {
  nnp_net *net = NULL;
  char text[256];
  OK(nnp_net_create(&net, 784, &err));
  OK(nnp_net_dense(net, 512, &err));
  OK(nnp_net_dense(net, 10, &err));
  OK(nnp_draws_advice(net, 4, 1000, text, sizeof text, &err));
  TEST_ASSERT_EQUAL_STRING(
      "draws of 407050 parameters, 1000 of each of 4 chains, take 13.0 GB: keep less of them "
      "(keep), "
      "write them to a file (file), or make fewer (draws)",
      text);
  FAILS(NNP_E_BUFFER_SIZE, "size = 20", nnp_draws_advice(net, 4, 1000, text, 20, &err));
  FAILS(NNP_E_SIZE, "draws = 0", nnp_draws_advice(net, 4, 0, text, sizeof text, &err));
  OK(nnp_draws_advice(net, 4, 100, text, sizeof text, &err));
  TEST_ASSERT_EQUAL_STRING("", text);
  nnp_net_free(net);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_kept_functions_have_the_bits_of_kept_parameters);
  RUN_TEST(test_neither_threads_nor_calls_matter);
  RUN_TEST(test_moments_are_those_of_the_draws);
  RUN_TEST(test_stopped_runs_keep_what_was_made);
  RUN_TEST(test_bad_descriptions_are_refused);
  RUN_TEST(test_rows_without_targets_have_no_likelihood);
  RUN_TEST(test_bad_calls_are_refused);
  RUN_TEST(test_predictions_that_overflow_end_the_chain);
  RUN_TEST(test_a_draw_that_fails_leaves_the_keeper_as_it_was);
  RUN_TEST(test_large_draws_are_told_of);
  return UNITY_END();
}
