/* Constants of one family are refused where another family is expected: every function that takes a
 * constant is given all constants of all other families, and the numbers they had before they were
 * told apart. Each is refused with a sentence that names the argument, its value and what was
 * expected, and changes nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

/* ---- families ---- */

typedef enum {
  ACTIVATION,
  HEAD,
  PROPERTY,
  ORDER,
  SAMPLER,
  POSTERIOR,
  START,
  PREDICTION,
  SCORE,
  STORE,
  OPTION,
  BLAS,
  SCHEDULE,
  PHASE,
  DESCENT,
  NOISE,
  KEEP,
  TABLE_SETTING,
  MOVE,
  STEP_STATISTIC,
  STATISTIC,
  CONVERGENCE,
  SCALE,
  VERDICT,
  REASON,
  STUDY_OPTION,
  SAMPLING,
  ENDED,
  SERIES,
  EXCHANGE_OPTION,
  EXCHANGE_FROM,
  EXCHANGE_VERDICT,
  MULTISTART_OPTION,
  FAMILIES
} FamilyName;

typedef struct {
  int32_t first, last;
} Range;

static const Range families[FAMILIES] = {
    [ACTIVATION] = {NNP_IDENTITY, NNP_GELU},
    [HEAD] = {NNP_GAUSSIAN, NNP_LOCATION_SCALE},
    [PROPERTY] = {NNP_NOISE, NNP_FREEDOM},
    [ORDER] = {NNP_ROW_MAJOR, NNP_COLUMN_MAJOR},
    [SAMPLER] = {NNP_GIBBS, NNP_NUTS},
    [POSTERIOR] = {NNP_INTERMEDIATE, NNP_CLASSICAL},
    [START] = {NNP_START_ZERO, NNP_START_FIT},
    [PREDICTION] = {NNP_PREDICT_MEAN, NNP_PREDICT_DRAWS},
    [SCORE] = {NNP_SCORE_MSE, NNP_SCORE_LOG},
    [STORE] = {NNP_STORE_AUTO, NNP_STORE_AUTO_IMAGES},
    [OPTION] = {NNP_OPTION_SCHEDULE, NNP_OPTION_SINGLE_GRADIENTS},
    [BLAS] = {NNP_BLAS_AUTOMATIC, NNP_BLAS_WHOLE},
    [SCHEDULE] = {NNP_SEQUENTIAL, NNP_BACKWARD},
    [PHASE] = {NNP_PHASE_START, NNP_PHASE_SAMPLING},
    [DESCENT] = {NNP_DESCENT_NONE, NNP_DESCENT_STOPPED},
    [NOISE] = {NNP_FORWARD, NNP_FITTED},
    [KEEP] = {NNP_KEEP_PARAMETERS, NNP_KEEP_LOG_LIK},
    [TABLE_SETTING] = {NNP_TABLE_SEED, NNP_TABLE_CONSTANT},
    [MOVE] = {NNP_MOVE_PLAIN, NNP_MOVE_PRECISION},
    [STEP_STATISTIC] = {NNP_STEP_LOG_DENSITY, NNP_STEP_DIVERGENCES},
    [STATISTIC] = {NNP_STAT_RHAT, NNP_STAT_QUANTILE},
    [CONVERGENCE] = {NNP_CONVERGENCE_UNDECIDED, NNP_NOT_CONVERGED},
    [SCALE] = {NNP_SCALE_AUTO, NNP_SCALE_LOG},
    [VERDICT] = {NNP_UNDECIDED, NNP_NOT_THERMALIZED},
    [REASON] = {NNP_BECAUSE_MERGED, NNP_BECAUSE_TOO_FEW},
    [STUDY_OPTION] = {NNP_STUDY_STEPS, NNP_STUDY_RHAT_LIMIT},
    [SAMPLING] = {NNP_SAMPLING_LOG, NNP_SAMPLING_EVEN},
    [ENDED] = {NNP_ENDED_NOT, NNP_ENDED_STOPPED},
    [SERIES] = {NNP_SERIES_TEST, NNP_SERIES_RHAT_95},
    [EXCHANGE_OPTION] = {NNP_EXCHANGE_REPLICAS, NNP_EXCHANGE_STEPS},
    [EXCHANGE_FROM] = {NNP_EXCHANGE_FROM_PRIOR, NNP_EXCHANGE_FROM_TARGET},
    [EXCHANGE_VERDICT] = {NNP_EXCHANGE_MIXES, NNP_EXCHANGE_SLOW},
    [MULTISTART_OPTION] = {NNP_MULTISTART_STEPS, NNP_MULTISTART_ZERO_STARTS}};

/* ---- objects ---- */

enum { ROWS = 8, INPUTS = 2, CHAINS = 3, PLACE = 1 << 20 };

static nnp_net *open_net, *net; /* without a head and with one */
static nnp_data *data;
static nnp_chain *gibbs[CHAINS], *hmc;
static nnp_predictor *predictor;
static nnp_study *study;
static nnp_exchange *exchange;
static nnp_multistart *multistart;
static nnp_table *fitted, *classes; /* fitted, to targets and to labels */
static double inputs[ROWS * INPUTS], targets[ROWS], parameters[64], levels[] = {0.1, 0.9};
static int32_t labels[ROWS];
static nnp_model model;
static nnp_recipe recipe;
static double values[PLACE / 8];
static char place[PLACE];

static nnp_net *new_net(int with_head) {
  nnp_net *made;
  OK(nnp_net_create(&made, INPUTS, &err));
  OK(nnp_net_dense(made, 3, &err));
  OK(nnp_net_activation(made, NNP_RELU, &err));
  OK(nnp_net_dense(made, 1, &err));
  if (with_head) OK(nnp_net_head(made, NNP_GAUSSIAN, &err));
  return made;
}

static nnp_table *new_table(void) {
  const int64_t units = 2;
  nnp_table *made;
  OK(nnp_table_create(&made, &err));
  OK(nnp_table_hidden(made, &units, 1, &err));
  OK(nnp_table_set(made, NNP_TABLE_CHAINS, 1, &err));
  OK(nnp_table_set(made, NNP_TABLE_WARMUP, 2, &err));
  OK(nnp_table_set(made, NNP_TABLE_DRAWS, 2, &err));
  OK(nnp_table_set(made, NNP_TABLE_THIN, 1, &err));
  return made;
}

void setUp(void) {
  int i;
  for (i = 0; i < ROWS * INPUTS; ++i) inputs[i] = sin(i + 1.0);
  for (i = 0; i < ROWS; ++i) labels[i] = i % 2;
  for (i = 0; i < ROWS; ++i) targets[i] = cos(3 * i + 1.0);
  open_net = new_net(0);
  net = new_net(1);
  OK(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  OK(nnp_data_set_inputs(data, inputs, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, targets, NNP_ROW_MAJOR, &err));
  for (i = 0; i < CHAINS; ++i) {
    OK(nnp_chain_create(&gibbs[i], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
    OK(nnp_chain_start(gibbs[i], NNP_START_PRIOR, 1, (uint64_t)i, &err));
  }
  OK(nnp_chain_create(&hmc, net, data, NNP_HMC, NNP_CLASSICAL, &err));
  OK(nnp_chain_start(hmc, NNP_START_PRIOR, 2, 0, &err));
  OK(nnp_chain_run(hmc, 3, NULL, NULL, &err));
  OK(nnp_chain_parameters(hmc, parameters, &err));
  OK(nnp_predictor_create(&predictor, net, 4, &err));
  OK(nnp_predictor_levels(predictor, levels, 2, &err));
  OK(nnp_study_create(&study, gibbs, CHAINS, data, 512, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 20, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_exchange_create(&exchange, gibbs, CHAINS, &err));
  OK(nnp_multistart_create(&multistart, gibbs, CHAINS, &err));
  OK(nnp_model_defaults(&model, INPUTS, 1, NNP_GAUSSIAN, ROWS, &err));
  OK(nnp_recommend(net, ROWS, NNP_CLASSICAL, &recipe, &err));
  fitted = new_table();
  classes = new_table();
  OK(nnp_table_fit(fitted, inputs, targets, ROWS, INPUTS, 1, NNP_ROW_MAJOR, &err));
  OK(nnp_table_fit_labels(classes, inputs, labels, ROWS, INPUTS, NNP_ROW_MAJOR, &err));
}

void tearDown(void) {
  int i;
  nnp_table_free(classes);
  nnp_table_free(fitted);
  nnp_multistart_free(multistart);
  nnp_exchange_free(exchange);
  nnp_study_free(study);
  nnp_predictor_free(predictor);
  nnp_chain_free(hmc);
  for (i = 0; i < CHAINS; ++i) nnp_chain_free(gibbs[i]);
  nnp_data_free(data);
  nnp_net_free(net);
  nnp_net_free(open_net);
}

/* ---- everything that a call might change, as one number ---- */

static uint64_t hash;

static void add(const void *from, size_t bytes) {
  const unsigned char *at = from;
  size_t i;
  for (i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 1099511628211u;
}

static void add_net(const nnp_net *one) {
  double value;
  int64_t layer;
  int32_t property;
  OK(nnp_net_print(one, ROWS, place, PLACE, &err));
  add(place, strlen(place));
  for (layer = 1; layer <= 3; ++layer)
    for (property = NNP_NOISE; property <= NNP_COLLAPSE; ++property)
      if (nnp_net_get(one, layer, property, &value, NULL) == NNP_OK) add(&value, sizeof value);
}

static void add_chain(nnp_chain *chain) {
  size_t bytes;
  int32_t option;
  double value;
  OK(nnp_chain_save_bytes(chain, &bytes, &err));
  TEST_ASSERT_TRUE(bytes <= PLACE);
  OK(nnp_chain_save(chain, place, PLACE, &err));
  add(place, bytes);
  for (option = NNP_OPTION_SCHEDULE; option <= NNP_OPTION_SINGLE_GRADIENTS; ++option) {
    OK(nnp_chain_get(chain, option, &value, &err));
    add(&value, sizeof value);
  }
}

static void add_options(int32_t first, int32_t last, void *object,
                        int32_t (*get)(const void *, int32_t, double *)) {
  int32_t option;
  double value;
  for (option = first; option <= last; ++option) {
    TEST_ASSERT_EQUAL_INT(NNP_OK, get(object, option, &value));
    add(&value, sizeof value);
  }
}
static int32_t get_study(const void *object, int32_t option, double *value) {
  return nnp_study_get(object, option, value, NULL);
}
static int32_t get_exchange(const void *object, int32_t option, double *value) {
  return nnp_exchange_get(object, option, value, NULL);
}
static int32_t get_multistart(const void *object, int32_t option, double *value) {
  return nnp_multistart_get(object, option, value, NULL);
}

static int32_t get_table(const void *object, int32_t setting, double *value) {
  return nnp_table_get(object, setting, value, NULL);
}
static void add_table(nnp_table *one) {
  size_t bytes;
  add_options(NNP_TABLE_SEED, NNP_TABLE_CONSTANT, one, get_table);
  OK(nnp_table_save_bytes(one, &bytes, &err));
  TEST_ASSERT_TRUE(bytes <= PLACE);
  OK(nnp_table_save(one, place, PLACE, &err));
  add(place, bytes);
}

static uint64_t snapshot(void) {
  double predicted[2 * ROWS], y[ROWS];
  int i;
  hash = 14695981039346656037u;
  add_net(open_net);
  add_net(net);
  OK(nnp_data_targets(data, y, NNP_ROW_MAJOR, &err));
  add(y, sizeof y);
  for (i = 0; i < CHAINS; ++i) add_chain(gibbs[i]);
  add_chain(hmc);
  OK(nnp_predict(predictor, data, parameters, 1, NNP_PREDICT_QUANTILES, predicted, &err));
  add(predicted, sizeof predicted);
  add_options(NNP_STUDY_STEPS, NNP_STUDY_RHAT_LIMIT, study, get_study);
  add_options(NNP_EXCHANGE_REPLICAS, NNP_EXCHANGE_STEPS, exchange, get_exchange);
  add_options(NNP_MULTISTART_STEPS, NNP_MULTISTART_ZERO_STARTS, multistart, get_multistart);
  add_table(fitted);
  add_table(classes);
  add(&model, sizeof model);
  return hash;
}

/* ---- calls: each passes `number` as the constant that its row is about ---- */

#define CALL(name, call)                \
  static int32_t name(int32_t number) { \
    return call;                        \
  }

static double one, two, three;
static int64_t whole;
static int32_t flag;
static size_t size;
static nnp_net *made_net;
static nnp_chain *made_chain;
static nnp_teacher *made_teacher;
static nnp_data *made_data;
static nnp_keeper *made_keeper;
static const char *text;
static nnp_move_count count;
static nnp_series series;
static nnp_settling settling;
static nnp_recipe other;
static char room[PLACE + 64];

/* A block for objects. */
static void *block(void) {
  return room + (64 - (uintptr_t)room % 64);
}

CALL(head_info, nnp_head_info(number, &text, &flag, &whole, &err))
CALL(net_activation, nnp_net_activation(open_net, number, &err))
CALL(net_head, nnp_net_head(open_net, number, &err))
CALL(net_set, nnp_net_set(net, NNP_ALL_LAYERS, number, 2, &err))
CALL(net_get, nnp_net_get(net, 1, number, &one, &err))
CALL(net_learn, nnp_net_learn(net, NNP_ALL_LAYERS, number, 2, 1, &err))
CALL(net_fix, nnp_net_fix(net, NNP_ALL_LAYERS, number, &err))
CALL(net_learned, nnp_net_learned(net, 1, number, &one, &two, &whole, &whole, &err))

static nnp_inputs table(int32_t order, int32_t store) {
  nnp_inputs in = {inputs, ROWS, INPUTS, order, store, {0}};
  return in;
}
static int32_t from_table(nnp_inputs in) {
  const int32_t status = nnp_data_create_from(&made_data, &in, 1, &err);
  if (status == NNP_OK) nnp_data_free(made_data);
  TEST_ASSERT_EQUAL_INT(status, nnp_data_bytes_from(&in, 1, &size, &err));
  TEST_ASSERT_EQUAL_INT(status, nnp_data_init_from(&made_data, block(), PLACE, &in, 1, &err));
  return status;
}
CALL(data_from_order, from_table(table(number, NNP_STORE_DOUBLES)))
CALL(data_from_store, from_table(table(NNP_ROW_MAJOR, number)))
CALL(data_set_inputs, nnp_data_set_inputs(data, inputs, number, &err))
CALL(data_set_targets, nnp_data_set_targets(data, inputs, number, &err))
CALL(data_targets, nnp_data_targets(data, values, number, &err))
CALL(standard, nnp_standard(inputs, ROWS, INPUTS, number, values, values + INPUTS, &err))
CALL(standardize, nnp_standardize(inputs, ROWS, INPUTS, number, levels, levels, values, &err))
CALL(unstandardize, nnp_unstandardize(inputs, ROWS, INPUTS, number, levels, levels, values, &err))
CALL(recommend_transform,
     nnp_recommend_transform(inputs, labels, ROWS, INPUTS, number, (double *)block(), PLACE, &err))
CALL(transform, nnp_transform(inputs, ROWS, INPUTS, number, inputs, values, &err))

static int32_t new_chain(int32_t sampler, int32_t posterior) {
  const int32_t status = nnp_chain_create(&made_chain, net, data, sampler, posterior, &err);
  if (status == NNP_OK) nnp_chain_free(made_chain);
  TEST_ASSERT_EQUAL_INT(status, nnp_chain_bytes(net, data, sampler, posterior, &size, &err));
  TEST_ASSERT_EQUAL_INT(
      status, nnp_chain_init(&made_chain, block(), PLACE, net, data, sampler, posterior, &err));
  return status;
}
CALL(chain_sampler, new_chain(number, NNP_INTERMEDIATE))
CALL(chain_posterior, new_chain(NNP_HMC, number))
CALL(chain_start, nnp_chain_start(hmc, number, 9, 9, &err))
CALL(chains_start, nnp_chains_start(gibbs, CHAINS, number, 9, NULL, NULL, &err))
CALL(chain_set, nnp_chain_set(gibbs[0], number, 3, &err))
CALL(chain_set_schedule, nnp_chain_set(gibbs[0], NNP_OPTION_SCHEDULE, number, &err))
CALL(chain_set_blas, nnp_chain_set(hmc, NNP_OPTION_BLAS, number, &err))
CALL(chain_get, nnp_chain_get(hmc, number, &one, &err))
CALL(option_info, nnp_option_info(number, &text, &one, &two, &three, &err))
CALL(chain_moves, nnp_chain_moves(gibbs[0], number, &count, &err))
CALL(chain_score, nnp_chain_score(hmc, data, number, &one, &err))
CALL(chain_statistic, nnp_chain_statistic(hmc, number, &one, &err))
CALL(predictor_noise, nnp_predictor_noise(predictor, number, 77, &err))
CALL(predictor_set, nnp_predictor_set(predictor, number, 1, &err))
CALL(predictor_set_blas, nnp_predictor_set(predictor, NNP_OPTION_BLAS, number, &err))
CALL(predictor_posterior, nnp_predictor_posterior(predictor, number, &err))
CALL(predict, nnp_predict(predictor, data, parameters, 1, number, values, &err))
CALL(score, nnp_score(predictor, data, parameters, 1, number, &one, &err))

CALL(model_defaults, nnp_model_defaults(&model, INPUTS, 1, number, ROWS, &err))
CALL(model_choose_activation, nnp_model_choose(&model, number, 0, &err))
CALL(model_choose_posterior, nnp_model_choose(&model, 0, number, &err))
CALL(head_activation, nnp_recommend_head(ROWS, number, 0, &(int32_t){0}, &err))
CALL(head_posterior, nnp_recommend_head(ROWS, 0, number, &(int32_t){0}, &err))
static int32_t from_model(nnp_model given) {
  const int32_t status = nnp_net_create_model(&made_net, &given, &err);
  if (status == NNP_OK) nnp_net_free(made_net);
  TEST_ASSERT_EQUAL_INT(status, nnp_net_init_model(&made_net, block(), PLACE, 9, &given, &err));
  TEST_ASSERT_EQUAL_INT(status, nnp_model_choose(&given, 0, 0, &err));
  return status;
}
static int32_t model_head(int32_t number) {
  nnp_model given = model;
  given.head = number;
  return from_model(given);
}
static int32_t model_activation(int32_t number) {
  nnp_model given = model;
  given.activation = number;
  return from_model(given);
}
static int32_t model_posterior(int32_t number) {
  nnp_model given = model;
  given.posterior = number;
  return from_model(given);
}
CALL(recommend, nnp_recommend(net, ROWS, number, &other, &err))
static int32_t recipe_option(int32_t number) {
  other = recipe;
  other.sampler = NNP_HMC;
  other.option_count = 1;
  other.options[0] = number;
  other.values[0] = 3;
  return nnp_chain_use_recipe(hmc, &other, &err);
}
static int32_t outlook_tell(int32_t number) {
  nnp_outlook outlook = {{1, 1, 1}, 0, 0, {0}, 0, 0, {0}};
  return nnp_outlook_tell(&outlook, number, 1, 1, &err);
}
static int32_t keeper_create(int32_t number) {
  nnp_kept kept = {0};
  int32_t status;
  kept.what = number;
  status = nnp_keeper_create(&made_keeper, net, &kept, 1, 1, &err);
  if (status == NNP_OK) nnp_keeper_free(made_keeper);
  TEST_ASSERT_EQUAL_INT(status, nnp_keeper_bytes(net, &kept, 1, 1, &size, &err));
  TEST_ASSERT_EQUAL_INT(status,
                        nnp_keeper_init(&made_keeper, block(), PLACE, net, &kept, 1, 1, &err));
  return status;
}

static nnp_draws draws_of_targets(void) {
  nnp_draws draws;
  OK(nnp_draws_init(&draws, targets, 1, ROWS, 1, &err));
  return draws;
}
static int32_t statistic(int32_t number) {
  const nnp_draws draws = draws_of_targets();
  return nnp_statistic(&draws, number, 0.5, values, place, PLACE, &err);
}
static nnp_series series_of_targets(void) {
  const nnp_series made_of = {NULL, targets, ROWS, {0}};
  return made_of;
}
static int32_t stationarity(int32_t number) {
  const nnp_series given = series_of_targets();
  return nnp_stationarity(&given, number, &settling, place, PLACE, &err);
}
static int32_t thermalization(int32_t number) {
  const nnp_series given = series_of_targets();
  const nnp_criteria_series all = {given, given, given, given};
  nnp_thermalization_options options;
  nnp_verdict verdict;
  nnp_criteria_times times;
  int32_t status;
  OK(nnp_thermalization_defaults(&options, &err));
  options.scale = number;
  status = nnp_thermalization(&given, &given, 1, &options, &verdict, place, PLACE, &err);
  if (status != NNP_E_ENUM) return status;
  TEST_ASSERT_EQUAL_INT(status, nnp_criteria(&all, &options, 2, &times, place, PLACE, &err));
  TEST_ASSERT_EQUAL_INT(status, nnp_study_thermalization(study, &options, &err));
  return status;
}
static int32_t verdict_text(int32_t number) {
  nnp_verdict verdict = {0};
  verdict.verdict = number;
  verdict.because = NNP_BECAUSE_TOO_FEW;
  return nnp_verdict_text(&verdict, place, PLACE, &err);
}
static int32_t verdict_because(int32_t number) {
  nnp_verdict verdict = {0};
  verdict.verdict = NNP_UNDECIDED;
  verdict.because = number;
  return nnp_verdict_text(&verdict, place, PLACE, &err);
}
static int32_t convergence_text(int32_t number) {
  nnp_convergence convergence = {0};
  convergence.verdict = number;
  return nnp_convergence_text(&convergence, place, PLACE, &err);
}

static int32_t teacher_create(int32_t number) {
  const int32_t status = nnp_teacher_create(&made_teacher, net, number, 1, 0, &err);
  if (status == NNP_OK) nnp_teacher_free(made_teacher);
  TEST_ASSERT_EQUAL_INT(status,
                        nnp_teacher_init(&made_teacher, block(), PLACE, net, number, 1, 0, &err));
  return status;
}
CALL(study_set, nnp_study_set(study, number, 1, &err))
CALL(study_set_sampling, nnp_study_set(study, NNP_STUDY_SAMPLING, number, &err))
CALL(study_set_function, nnp_study_set(study, NNP_STUDY_FUNCTION, number, &err))
CALL(study_get, nnp_study_get(study, number, &one, &err))
CALL(study_option_info, nnp_study_option_info(number, &text, &one, &two, &three, &err))
CALL(study_series, nnp_study_series(study, 1, number, &series, &err))
CALL(exchange_set, nnp_exchange_set(exchange, number, 2, &err))
CALL(exchange_get, nnp_exchange_get(exchange, number, &one, &err))
CALL(exchange_start, nnp_exchange_start(exchange, number, 3, &err))
CALL(multistart_set, nnp_multistart_set(multistart, number, 1, &err))
CALL(multistart_get, nnp_multistart_get(multistart, number, &one, &err))

CALL(table_set, nnp_table_set(fitted, number, 1, &err))
CALL(table_set_head, nnp_table_set(fitted, NNP_TABLE_HEAD, number, &err))
CALL(table_get, nnp_table_get(fitted, number, &one, &err))
CALL(table_setting_info, nnp_table_setting_info(number, &text, &one, &two, &three, &err))
CALL(table_option, nnp_table_option(fitted, number, 1, &err))
CALL(table_fit, nnp_table_fit(fitted, inputs, targets, ROWS, INPUTS, 1, number, &err))
CALL(table_fit_labels, nnp_table_fit_labels(classes, inputs, labels, ROWS, INPUTS, number, &err))
CALL(table_predict,
     nnp_table_predict(fitted, inputs, ROWS, INPUTS, NNP_ROW_MAJOR, number, values, &err))
CALL(table_predict_order,
     nnp_table_predict(fitted, inputs, ROWS, INPUTS, number, NNP_PREDICT_MEAN, values, &err))
CALL(table_interval, nnp_table_interval(fitted, inputs, ROWS, INPUTS, number, 0.9, values, &err))
CALL(table_classify, nnp_table_classify(classes, inputs, ROWS, INPUTS, number, labels, &err))
static int32_t table_data(int32_t number) {
  const int32_t status =
      nnp_table_data(fitted, inputs, targets, NULL, ROWS, number, &made_data, &err);
  if (status == NNP_OK) nnp_data_free(made_data);
  return status;
}

/* ---- the table ---- */

/* What is checked: the call; the family it takes; the argument as the sentence names it; 1 where 0 asks
 * for the default; the status of a refusal, NNP_E_VALUE for values of options. */
static const struct Row {
  int32_t (*call)(int32_t number);
  FamilyName takes;
  const char *argument;
  int zero;
  int32_t refusal;
} rows[] = {{head_info, HEAD, "head", 0, NNP_E_ENUM},
            {net_activation, ACTIVATION, "activation", 0, NNP_E_ENUM},
            {net_head, HEAD, "head", 0, NNP_E_ENUM},
            {net_set, PROPERTY, "property", 0, NNP_E_ENUM},
            {net_get, PROPERTY, "property", 0, NNP_E_ENUM},
            {net_learn, PROPERTY, "property", 0, NNP_E_ENUM},
            {net_fix, PROPERTY, "property", 0, NNP_E_ENUM},
            {net_learned, PROPERTY, "property", 0, NNP_E_ENUM},
            {data_from_order, ORDER, "inputs.order", 0, NNP_E_ENUM},
            {data_from_store, STORE, "inputs.store", 0, NNP_E_ENUM},
            {data_set_inputs, ORDER, "order", 0, NNP_E_ENUM},
            {data_set_targets, ORDER, "order", 0, NNP_E_ENUM},
            {data_targets, ORDER, "order", 0, NNP_E_ENUM},
            {standard, ORDER, "order", 0, NNP_E_ENUM},
            {standardize, ORDER, "order", 0, NNP_E_ENUM},
            {unstandardize, ORDER, "order", 0, NNP_E_ENUM},
            {recommend_transform, ORDER, "order", 0, NNP_E_ENUM},
            {transform, ORDER, "order", 0, NNP_E_ENUM},
            {chain_sampler, SAMPLER, "sampler", 0, NNP_E_ENUM},
            {chain_posterior, POSTERIOR, "posterior", 0, NNP_E_ENUM},
            {chain_start, START, "start", 0, NNP_E_ENUM},
            {chains_start, START, "start", 0, NNP_E_ENUM},
            {chain_set, OPTION, "option", 0, NNP_E_ENUM},
            {chain_set_schedule, SCHEDULE, "option schedule", 0, NNP_E_VALUE},
            {chain_set_blas, BLAS, "option blas", 0, NNP_E_VALUE},
            {chain_get, OPTION, "option", 0, NNP_E_ENUM},
            {option_info, OPTION, "option", 0, NNP_E_ENUM},
            {chain_moves, MOVE, "move", 0, NNP_E_ENUM},
            {chain_score, SCORE, "score", 0, NNP_E_ENUM},
            {chain_statistic, STEP_STATISTIC, "statistic", 0, NNP_E_ENUM},
            {predictor_noise, NOISE, "noise", 0, NNP_E_ENUM},
            {predictor_set, OPTION, "option", 0, NNP_E_ENUM},
            {predictor_set_blas, BLAS, "option blas", 0, NNP_E_VALUE},
            {predictor_posterior, POSTERIOR, "posterior", 0, NNP_E_ENUM},
            {predict, PREDICTION, "kind", 0, NNP_E_ENUM},
            {score, SCORE, "score", 0, NNP_E_ENUM},
            {model_defaults, HEAD, "head", 0, NNP_E_ENUM},
            {model_choose_activation, ACTIVATION, "activation", 1, NNP_E_ENUM},
            {model_choose_posterior, POSTERIOR, "posterior", 1, NNP_E_ENUM},
            {head_activation, ACTIVATION, "activation", 1, NNP_E_ENUM},
            {head_posterior, POSTERIOR, "posterior", 1, NNP_E_ENUM},
            {model_head, HEAD, "model->head", 0, NNP_E_ENUM},
            {model_activation, ACTIVATION, "model->activation", 0, NNP_E_ENUM},
            {model_posterior, POSTERIOR, "model->posterior", 0, NNP_E_ENUM},
            {recommend, POSTERIOR, "posterior", 1, NNP_E_ENUM},
            {recipe_option, OPTION, "recipe->options", 0, NNP_E_ENUM},
            {outlook_tell, PHASE, "phase", 0, NNP_E_ENUM},
            {keeper_create, KEEP, "kept[0].what", 0, NNP_E_ENUM},
            {statistic, STATISTIC, "statistic", 0, NNP_E_ENUM},
            {stationarity, SCALE, "scale", 0, NNP_E_ENUM},
            {thermalization, SCALE, "options->scale", 0, NNP_E_ENUM},
            {verdict_text, VERDICT, "verdict->verdict", 0, NNP_E_ENUM},
            {verdict_because, REASON, "verdict->because", 0, NNP_E_ENUM},
            {convergence_text, CONVERGENCE, "convergence->verdict", 0, NNP_E_ENUM},
            {teacher_create, POSTERIOR, "posterior", 0, NNP_E_ENUM},
            {study_set, STUDY_OPTION, "option", 0, NNP_E_ENUM},
            {study_set_sampling, SAMPLING, "option sampling", 0, NNP_E_VALUE},
            {study_set_function, SCORE, "option function", 1, NNP_E_VALUE},
            {study_get, STUDY_OPTION, "option", 0, NNP_E_ENUM},
            {study_option_info, STUDY_OPTION, "option", 0, NNP_E_ENUM},
            {study_series, SERIES, "which", 0, NNP_E_ENUM},
            {exchange_set, EXCHANGE_OPTION, "option", 0, NNP_E_ENUM},
            {exchange_get, EXCHANGE_OPTION, "option", 0, NNP_E_ENUM},
            {exchange_start, EXCHANGE_FROM, "from", 0, NNP_E_ENUM},
            {multistart_set, MULTISTART_OPTION, "option", 0, NNP_E_ENUM},
            {multistart_get, MULTISTART_OPTION, "option", 0, NNP_E_ENUM},
            {table_set, TABLE_SETTING, "setting", 0, NNP_E_ENUM},
            {table_set_head, HEAD, "setting head", 0, NNP_E_VALUE},
            {table_get, TABLE_SETTING, "setting", 0, NNP_E_ENUM},
            {table_setting_info, TABLE_SETTING, "setting", 0, NNP_E_ENUM},
            {table_option, OPTION, "option", 0, NNP_E_ENUM},
            {table_fit, ORDER, "order", 0, NNP_E_ENUM},
            {table_fit_labels, ORDER, "order", 0, NNP_E_ENUM},
            {table_predict, PREDICTION, "kind", 0, NNP_E_ENUM},
            {table_predict_order, ORDER, "order", 0, NNP_E_ENUM},
            {table_interval, ORDER, "order", 0, NNP_E_ENUM},
            {table_classify, ORDER, "order", 0, NNP_E_ENUM},
            {table_data, ORDER, "order", 0, NNP_E_ENUM}};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static uint64_t before;

static void refuses(const struct Row *row, int32_t number) {
  char expected[80];
  const int32_t status = row->call(number);
  snprintf(expected, sizeof expected, "%s = %d", row->argument, (int)number);
  TEST_ASSERT_EQUAL_INT_MESSAGE(row->refusal, status, expected);
  TEST_ASSERT_TRUE_MESSAGE(strncmp(err.message, expected, strlen(expected)) == 0, err.message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "expected"), err.message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "NNP_"), err.message);
  TEST_ASSERT_TRUE_MESSAGE(snapshot() == before, expected);
}

static void constants_of_other_families_are_refused(void) {
  int32_t number;
  before = snapshot();
  for (int i = 0; i < ROW_COUNT; ++i)
    for (int family = 0; family < FAMILIES; ++family)
      for (number = families[family].first; number <= families[family].last; ++number)
        if (family != (int)rows[i].takes) refuses(rows + i, number);
}

/* What constants were before they were told apart, and numbers that were never any. */
static void small_numbers_are_refused(void) {
  const int32_t never[] = {-1, INT32_MIN, INT32_MAX, 99, 4200};
  int32_t number;
  before = snapshot();
  for (int i = 0; i < ROW_COUNT; ++i) {
    for (number = rows[i].zero; number <= 21; ++number) refuses(rows + i, number);
    for (int k = 0; k < 5; ++k)
      if (rows[i].call != table_set_head || never[k] != NNP_RECOMMENDED)
        refuses(rows + i, never[k]);
    refuses(rows + i, families[rows[i].takes].last + 1);
  }
}

/* All of a row is refused for its constant alone: with one of its own family the call is understood. */
static void their_own_family_is_not_refused_so(void) {
  for (int i = 0; i < ROW_COUNT; ++i) {
    const int32_t status = rows[i].call(families[rows[i].takes].last);
    const int learned = rows[i].call == net_learn || rows[i].call == net_fix ||
                        rows[i].call == net_learned || rows[i].call == net_set ||
                        rows[i].call == net_get;
    if (learned) {
      TEST_ASSERT_EQUAL_INT(NNP_OK, rows[i].call(NNP_NOISE));
    } else {
      TEST_ASSERT_TRUE_MESSAGE(status != rows[i].refusal, err.message);
    }
  }
}

/* Ranges are whole: none of their neighbours is another family's. */
static void families_are_apart(void) {
  for (int i = 0; i < FAMILIES; ++i)
    for (int k = 0; k < FAMILIES; ++k)
      TEST_ASSERT_TRUE(i == k || families[i].last / 100 < families[k].first / 100 ||
                       families[k].last / 100 < families[i].first / 100);
}

/* The sentence says what the number is. */
static void sentences_name_both_constants(void) {
  FAILS(NNP_E_ENUM, "activation = 201 (NNP_GAUSSIAN, a head): expected an activation",
        nnp_net_activation(open_net, NNP_GAUSSIAN, &err));
  FAILS(NNP_E_ENUM, "option = 2104 (NNP_STEP_SIZE, a statistic of a step): expected an option",
        nnp_chain_set(gibbs[0], NNP_STEP_SIZE, 3, &err));
  FAILS(NNP_E_ENUM, "posterior = 501 (NNP_GIBBS, a sampler): expected NNP_INTERMEDIATE or",
        nnp_chain_create(&made_chain, net, data, NNP_GIBBS, NNP_GIBBS, &err));
  FAILS(NNP_E_VALUE, "option schedule = 1.5: expected NNP_SEQUENTIAL, NNP_PARALLEL or NNP_BACKWARD",
        nnp_chain_set(gibbs[0], NNP_OPTION_SCHEDULE, 1.5, &err));
  FAILS(NNP_E_VALUE, "option schedule", nnp_chain_set(gibbs[0], NNP_OPTION_SCHEDULE, NAN, &err));
  FAILS(NNP_E_VALUE, "option schedule", nnp_chain_set(gibbs[0], NNP_OPTION_SCHEDULE, 1e300, &err));
}

/* Options whose values are constants are told as such. */
static void values_come_back_as_constants(void) {
  OK(nnp_option_info(NNP_OPTION_SCHEDULE, NULL, &one, &two, &three, &err));
  TEST_ASSERT_TRUE(one == NNP_SEQUENTIAL && two == NNP_BACKWARD && three == NNP_SEQUENTIAL);
  OK(nnp_option_info(NNP_OPTION_BLAS, NULL, &one, &two, &three, &err));
  TEST_ASSERT_TRUE(one == NNP_BLAS_AUTOMATIC && two == NNP_BLAS_WHOLE);
  TEST_ASSERT_TRUE(three == NNP_BLAS_AUTOMATIC);
  OK(nnp_chain_set(gibbs[0], NNP_OPTION_SCHEDULE, NNP_PARALLEL, &err));
  OK(nnp_chain_get(gibbs[0], NNP_OPTION_SCHEDULE, &one, &err));
  TEST_ASSERT_TRUE(one == NNP_PARALLEL);
  OK(nnp_study_option_info(NNP_STUDY_SAMPLING, NULL, &one, &two, &three, &err));
  TEST_ASSERT_TRUE(one == NNP_SAMPLING_LOG && two == NNP_SAMPLING_EVEN && three == one);
  OK(nnp_study_option_info(NNP_STUDY_FUNCTION, NULL, &one, &two, &three, &err));
  TEST_ASSERT_TRUE(one == 0 && two == NNP_SCORE_LOG && three == 0);
  OK(nnp_study_get(study, NNP_STUDY_FUNCTION, &one, &err));
  TEST_ASSERT_TRUE(one == 0);
}

static void names_of_numbers_that_are_none(void) {
  TEST_ASSERT_EQUAL_STRING("ess_bulk", nnp_statistic_name(NNP_STAT_ESS_BULK));
  TEST_ASSERT_EQUAL_STRING("unknown", nnp_statistic_name(5));
  TEST_ASSERT_EQUAL_STRING("unknown", nnp_statistic_name(NNP_STEP_SIZE));
  TEST_ASSERT_EQUAL_STRING("unknown", nnp_status_name(NNP_STAT_ESS_BULK));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(constants_of_other_families_are_refused);
  RUN_TEST(small_numbers_are_refused);
  RUN_TEST(their_own_family_is_not_refused_so);
  RUN_TEST(families_are_apart);
  RUN_TEST(sentences_name_both_constants);
  RUN_TEST(values_come_back_as_constants);
  RUN_TEST(names_of_numbers_that_are_none);
  return UNITY_END();
}
