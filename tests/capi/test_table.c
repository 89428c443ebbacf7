/* A table of data in one call: the same bits as the long way round, settings, classes, stops, what is
 * refused, saves. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

enum { ROWS = 24, COLUMNS = 3, TARGETS = 2, NEW = 5, CHAINS = 2, DRAWS = 12, WARMUP = 15 };

static double x[ROWS * COLUMNS], y[ROWS * TARGETS], x_new[NEW * COLUMNS];
static int32_t two[ROWS], with_sign[ROWS], three[ROWS];
static nnp_table *table;

static double wave(int i) {
  return sin(1.7 * i * i + 0.3 * i);
}

static nnp_table *new_table(void) {
  const int64_t units = 3;
  nnp_table *made;
  OK(nnp_table_create(&made, &err));
  OK(nnp_table_hidden(made, &units, 1, &err));
  OK(nnp_table_set(made, NNP_TABLE_CHAINS, CHAINS, &err));
  OK(nnp_table_set(made, NNP_TABLE_WARMUP, WARMUP, &err));
  OK(nnp_table_set(made, NNP_TABLE_DRAWS, DRAWS, &err));
  OK(nnp_table_set(made, NNP_TABLE_THIN, 1, &err));
  return made;
}

static void fill(void) {
  int i;
  for (i = 0; i < ROWS * COLUMNS; ++i) x[i] = 10 * (i % COLUMNS) + wave(i);
  for (i = 0; i < NEW * COLUMNS; ++i) x_new[i] = 10 * (i % COLUMNS) + wave(i + 900);
  for (i = 0; i < ROWS; ++i) {
    y[TARGETS * i] = 100 + 7 * x[COLUMNS * i] + wave(i + 500);
    y[TARGETS * i + 1] = wave(i + 700);
    two[i] = x[COLUMNS * i] > 0;
    with_sign[i] = 2 * two[i] - 1;
    three[i] = i < 3 ? i : two[i] + (wave(i + 300) > 0);
  }
}

void setUp(void) {
  fill();
  table = new_table();
}

void tearDown(void) {
  nnp_table_free(table);
}

static void fit(nnp_table *one) {
  OK(nnp_table_fit(one, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
}

static void same(const double *expected, const double *found, int64_t count) {
  TEST_ASSERT_EQUAL_INT(0, memcmp(expected, found, sizeof *found * (size_t)count));
}

static nnp_inside inside_of(const nnp_table *one) {
  nnp_inside inside;
  OK(nnp_table_inside(one, &inside, &err));
  return inside;
}

static void same_draws(const nnp_table *one, const nnp_table *other) {
  const nnp_inside a = inside_of(one), b = inside_of(other);
  TEST_ASSERT_EQUAL_INT64(a.parameters, b.parameters);
  TEST_ASSERT_EQUAL_INT64(a.draw_count, b.draw_count);
  TEST_ASSERT_EQUAL_INT64(a.chains, b.chains);
  same(a.draws, b.draws, a.parameters * a.draw_count * a.chains);
  same(a.weights, b.weights, a.chains);
}

/* ---- settings ---- */

static double get(int32_t setting) {
  double value;
  OK(nnp_table_get(table, setting, &value, &err));
  return value;
}

static void test_settings_have_bounds_and_defaults(void) {
  const char *name;
  double low, high, initial;
  int32_t setting;
  nnp_table *fresh;
  OK(nnp_table_create(&fresh, &err));
  for (setting = NNP_TABLE_SEED; setting <= NNP_TABLE_CONSTANT; ++setting) {
    double value;
    OK(nnp_table_setting_info(setting, &name, &low, &high, &initial, &err));
    OK(nnp_table_get(fresh, setting, &value, &err));
    TEST_ASSERT_TRUE(value == initial && strlen(name) > 0 && low < high);
    TEST_ASSERT_TRUE(initial == NNP_RECOMMENDED || (initial >= low && initial <= high));
    OK(nnp_table_set(fresh, setting, low, &err));
    OK(nnp_table_set(fresh, setting, high, &err));
    OK(nnp_table_get(fresh, setting, &value, &err));
    TEST_ASSERT_TRUE(value == high);
    FAILS(NNP_E_VALUE, name, nnp_table_set(fresh, setting, high + 2, &err));
    FAILS(NNP_E_VALUE, name, nnp_table_set(fresh, setting, low - 0.5, &err));
    FAILS(NNP_E_VALUE, name, nnp_table_set(fresh, setting, NAN, &err));
    OK(nnp_table_get(fresh, setting, &value, &err));
    TEST_ASSERT_TRUE(value == high); /* as it was */
    OK(nnp_table_set(fresh, setting, initial, &err));
    OK(nnp_table_setting_info(setting, NULL, NULL, NULL, NULL, &err));
  }
  nnp_table_free(fresh);
  TEST_ASSERT_TRUE(get(NNP_TABLE_CHAINS) == CHAINS);
  FAILS(NNP_E_VALUE,
        "expected NNP_GAUSSIAN, NNP_STUDENT_T or NNP_LOCATION_SCALE (labels go to "
        "nnp_table_fit_labels), or NNP_RECOMMENDED",
        nnp_table_set(table, NNP_TABLE_HEAD, NNP_ARGMAX, &err));
  FAILS(NNP_E_VALUE, "expected NNP_GAUSSIAN, NNP_STUDENT_T or NNP_LOCATION_SCALE",
        nnp_table_set(table, NNP_TABLE_HEAD, 2.5, &err));
  FAILS(NNP_E_VALUE, "(NNP_RELU, an activation): expected NNP_GIBBS",
        nnp_table_set(table, NNP_TABLE_SAMPLER, NNP_RELU, &err));
  TEST_ASSERT_EQUAL_INT(0, strncmp(err.message, "setting sampler = ", 18));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, ", or NNP_RECOMMENDED"), err.message);
  FAILS(NNP_E_VALUE,
        "setting chains = -1.5: expected a whole number from 1 to 1048576, or NNP_RECOMMENDED",
        nnp_table_set(table, NNP_TABLE_CHAINS, -1.5, &err));
  FAILS(NNP_E_VALUE, "setting ard = 2: expected", nnp_table_set(table, NNP_TABLE_ARD, 2, &err));
  TEST_ASSERT_NULL(strstr(err.message, "NNP_RECOMMENDED"));
  FAILS(NNP_E_ENUM, "setting = 3", nnp_table_set(table, 3, 1, &err));
  FAILS(NNP_E_ENUM, "setting = 3", nnp_table_get(table, 3, &low, &err));
  FAILS(NNP_E_NULL, "table", nnp_table_set(NULL, NNP_TABLE_SEED, 1, &err));
  FAILS(NNP_E_NULL, "table", nnp_table_get(NULL, NNP_TABLE_SEED, &low, &err));
  FAILS(NNP_E_NULL, "value", nnp_table_get(table, NNP_TABLE_SEED, NULL, &err));
  FAILS(NNP_E_NULL, "table", nnp_table_create(NULL, &err));
  nnp_table_free(NULL);
}

static void test_settings_are_what_is_fitted(void) {
  const int64_t widths[] = {4, 2};
  nnp_recipe recipe;
  nnp_inside inside;
  int64_t shape[3], count, i;
  int seen = 0;
  OK(nnp_table_set(table, NNP_TABLE_SAMPLER, NNP_HMC, &err)); /* brings the classical posterior */
  OK(nnp_table_set(table, NNP_TABLE_ACTIVATION, NNP_SOFTPLUS, &err));
  OK(nnp_table_set(table, NNP_TABLE_START, NNP_START_PRIOR, &err));
  OK(nnp_table_set(table, NNP_TABLE_ARD, 1, &err));
  OK(nnp_table_set(table, NNP_TABLE_THIN, 2, &err));
  OK(nnp_table_option(table, NNP_OPTION_LEAPFROGS, 5, &err));
  OK(nnp_table_option(table, NNP_OPTION_LEAPFROGS, 3, &err));
  OK(nnp_table_hidden(table, widths, 2, &err));
  fit(table);
  OK(nnp_table_recipe(table, &recipe, &err));
  TEST_ASSERT_EQUAL_INT32(NNP_HMC, recipe.sampler);
  TEST_ASSERT_EQUAL_INT32(NNP_CLASSICAL, recipe.posterior);
  TEST_ASSERT_EQUAL_INT32(NNP_START_PRIOR, recipe.start);
  TEST_ASSERT_EQUAL_INT64(2, recipe.thin);
  for (i = 0; i < recipe.option_count; ++i) { /* none of those that NUTS alone has */
    TEST_ASSERT_TRUE(recipe.options[i] != NNP_OPTION_MAX_DEPTH);
    if (recipe.options[i] == NNP_OPTION_LEAPFROGS) seen += recipe.values[i] == 3;
  }
  TEST_ASSERT_EQUAL_INT(1, seen);
  inside = inside_of(table);
  OK(nnp_net_shape(inside.net, 3, shape, &err));
  TEST_ASSERT_EQUAL_INT64(2, shape[0]);
  OK(nnp_net_learned(inside.net, 1, NNP_ARD, NULL, NULL, NULL, &count, &err));
  TEST_ASSERT_EQUAL_INT64(COLUMNS, count);
  OK(nnp_table_hidden(table, NULL, 0, &err));
  OK(nnp_table_set(table, NNP_TABLE_SAMPLER, NNP_GIBBS, &err));
  OK(nnp_table_set(table, NNP_TABLE_ACTIVATION, NNP_RECOMMENDED, &err));
  FAILS(NNP_E_OPTION, "option leapfrogs, set by nnp_table_option: sampler gibbs does not have it",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_OPTION, "NNP_TABLE_WARMUP", nnp_table_option(table, NNP_OPTION_WARMUP, 5, &err));
  FAILS(NNP_E_VALUE, "leapfrogs = 0", nnp_table_option(table, NNP_OPTION_LEAPFROGS, 0, &err));
  FAILS(NNP_E_SIZE, "count = 17", nnp_table_hidden(table, widths, 17, &err));
  FAILS(NNP_E_NULL, "widths", nnp_table_hidden(table, NULL, 1, &err));
  FAILS(NNP_E_SIZE, "widths = 0", nnp_table_hidden(table, (const int64_t[]){0}, 1, &err));
}

static void test_options_have_room_for_eight(void) {
  static const int32_t options[] = {
      NNP_OPTION_SIMD,      NNP_OPTION_RELAX,       NNP_OPTION_PLAIN_EVERY,
      NNP_OPTION_EXPANSION, NNP_OPTION_SCALE_MOVES, NNP_OPTION_UNIT_MOVES,
      NNP_OPTION_MOVES,     NNP_OPTION_UNIT_DRAWS,  NNP_OPTION_LAYER_MOVES};
  double initial;
  int i;
  for (i = 0; i < 9; ++i) {
    OK(nnp_option_info(options[i], NULL, NULL, NULL, &initial, &err));
    if (i < 8) OK(nnp_table_option(table, options[i], initial, &err));
  }
  FAILS(NNP_E_SIZE, "options = 9", nnp_table_option(table, options[8], initial, &err));
  OK(nnp_table_option(table, options[0], 1, &err)); /* one that is there */
}

/* ---- the long way round ---- */

typedef struct {
  int32_t head;
  int64_t targets;
  int ard, warmup;
} Case;

/* All that nnp_table_fit does, call by call, and mean and 90 % interval. */
static void long_way(const Case *c, double *draws, double *mean, double *ends,
                     nnp_convergence *convergence, nnp_loo_summary *loo) {
  double x_mean[COLUMNS], x_sd[COLUMNS], y_mean[TARGETS], y_sd[TARGETS], z[ROWS * COLUMNS];
  double t[ROWS * TARGETS], own[ROWS * TARGETS], fresh_z[NEW * COLUMNS], weights[CHAINS];
  double each[CHAINS * DRAWS], *values, *memory;
  const double levels[] = {(1 - 0.9) / 2, (1 + 0.9) / 2};
  nnp_data *data, *fresh;
  nnp_model model;
  nnp_net *net;
  nnp_recipe recipe;
  nnp_chain *chains[CHAINS];
  nnp_predictor *predictor;
  nnp_draws view;
  nnp_stacking_summary stacked;
  int64_t functions, i, j;
  size_t bytes;
  for (i = 0; i < ROWS; ++i)
    for (j = 0; j < c->targets; ++j) own[c->targets * i + j] = y[TARGETS * i + j];
  OK(nnp_standard(x, ROWS, COLUMNS, NNP_ROW_MAJOR, x_mean, x_sd, &err));
  OK(nnp_standard(own, ROWS, c->targets, NNP_ROW_MAJOR, y_mean, y_sd, &err));
  OK(nnp_standardize(x, ROWS, COLUMNS, NNP_ROW_MAJOR, x_mean, x_sd, z, &err));
  OK(nnp_standardize(own, ROWS, c->targets, NNP_ROW_MAJOR, y_mean, y_sd, t, &err));
  OK(nnp_standardize(x_new, NEW, COLUMNS, NNP_ROW_MAJOR, x_mean, x_sd, fresh_z, &err));
  OK(nnp_data_create(&data, ROWS, COLUMNS, c->targets, &err));
  OK(nnp_data_set_inputs(data, z, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, t, NNP_ROW_MAJOR, &err));
  OK(nnp_data_create(&fresh, NEW, COLUMNS, 0, &err));
  OK(nnp_data_set_inputs(fresh, fresh_z, NNP_ROW_MAJOR, &err));
  OK(nnp_model_defaults(&model, COLUMNS, c->targets, c->head, ROWS, &err));
  model.hidden_count = 1;
  model.hidden[0] = 3;
  model.ard = c->ard;
  OK(nnp_net_create_model(&net, &model, &err));
  OK(nnp_recommend(net, ROWS, 0, &recipe, &err));
  recipe.warmup = c->warmup;
  for (i = 0; i < CHAINS; ++i) {
    OK(nnp_chain_create(&chains[i], net, data, recipe.sampler, recipe.posterior, &err));
    OK(nnp_chain_use_recipe(chains[i], &recipe, &err));
  }
  OK(nnp_chains_start(chains, CHAINS, recipe.start, 7, NULL, NULL, &err));
  OK(nnp_chains_run(chains, CHAINS, c->warmup, NULL, NULL, &err));
  OK(nnp_chains_sample(chains, CHAINS, draws, DRAWS, 1, NULL, NULL, &err));
  OK(nnp_predictor_create(&predictor, net, CHAINS * DRAWS, &err));
  OK(nnp_predictor_posterior(predictor, recipe.posterior, &err));
  OK(nnp_predictor_units(predictor, y_mean, y_sd, &err));
  OK(nnp_predictor_levels(predictor, levels, 2, &err));
  values = malloc(sizeof(double) * 64 * CHAINS * DRAWS);
  memory = malloc(1 << 20);
  OK(nnp_functions_count(predictor, data, 0, &functions, &err));
  TEST_ASSERT_TRUE(functions <= 64 && ROWS <= 64);
  OK(nnp_functions(predictor, data, draws, CHAINS * DRAWS, 0, values, &err));
  OK(nnp_draws_init(&view, values, functions, DRAWS, CHAINS, &err));
  OK(nnp_convergence_bytes(&view, &bytes, &err));
  TEST_ASSERT_TRUE(bytes <= 1 << 20);
  OK(nnp_convergence_of(&view, convergence, memory, 1 << 20, &err));
  OK(nnp_log_lik(predictor, data, draws, CHAINS * DRAWS, values, &err));
  OK(nnp_draws_init(&view, values, ROWS, DRAWS, CHAINS, &err));
  OK(nnp_loo(&view, NULL, NULL, NULL, loo, memory, 1 << 20, &err));
  if (convergence->verdict == NNP_NOT_CONVERGED) {
    OK(nnp_stack_chains(&view, weights, &stacked, memory, 1 << 20, &err));
    for (i = 0; i < CHAINS * DRAWS; ++i) each[i] = weights[i / DRAWS];
    OK(nnp_predictor_weights(predictor, each, CHAINS * DRAWS, &err));
  }
  OK(nnp_predict(predictor, fresh, draws, CHAINS * DRAWS, NNP_PREDICT_MEAN, mean, &err));
  OK(nnp_predict(predictor, fresh, draws, CHAINS * DRAWS, NNP_PREDICT_QUANTILES, ends, &err));
  free(memory);
  free(values);
  nnp_predictor_free(predictor);
  for (i = 0; i < CHAINS; ++i) nnp_chain_free(chains[i]);
  nnp_net_free(net);
  nnp_data_free(fresh);
  nnp_data_free(data);
}

static void test_bits_are_those_of_the_long_way_round(void) {
  static const Case cases[] = {{NNP_GAUSSIAN, 1, 0, WARMUP},
                               {NNP_GAUSSIAN, 2, 1, WARMUP},
                               {NNP_STUDENT_T, 1, 0, 0},
                               {NNP_LOCATION_SCALE, 2, 0, 40}};
  static double draws[4096 * CHAINS];
  size_t k;
  for (k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const Case *c = &cases[k];
    double own[ROWS * TARGETS], mean[NEW * TARGETS], ends[2 * NEW * TARGETS], found[NEW * TARGETS];
    double found_ends[2 * NEW * TARGETS];
    nnp_convergence expected, convergence;
    nnp_loo_summary expected_loo, loo;
    nnp_inside inside;
    int64_t i, j;
    for (i = 0; i < ROWS; ++i) /* by columns */
      for (j = 0; j < c->targets; ++j) own[i + ROWS * j] = y[TARGETS * i + j];
    long_way(c, draws, mean, ends, &expected, &expected_loo);
    OK(nnp_table_set(table, NNP_TABLE_SEED, 7, &err));
    OK(nnp_table_set(table, NNP_TABLE_HEAD, c->head, &err));
    OK(nnp_table_set(table, NNP_TABLE_ARD, c->ard, &err));
    OK(nnp_table_set(table, NNP_TABLE_WARMUP, c->warmup, &err));
    OK(nnp_table_set(table, NNP_TABLE_THREADS, (double)k, &err));
    double by_column[ROWS * COLUMNS], new_by_column[NEW * COLUMNS];
    for (i = 0; i < ROWS * COLUMNS; ++i) by_column[i / COLUMNS + ROWS * (i % COLUMNS)] = x[i];
    for (i = 0; i < NEW * COLUMNS; ++i) new_by_column[i / COLUMNS + NEW * (i % COLUMNS)] = x_new[i];
    OK(nnp_table_fit(table, by_column, own, ROWS, COLUMNS, c->targets, NNP_COLUMN_MAJOR, &err));
    inside = inside_of(table);
    TEST_ASSERT_TRUE(inside.parameters * DRAWS * CHAINS <= 4096 * CHAINS);
    same(draws, inside.draws, inside.parameters * DRAWS * CHAINS);
    OK(nnp_table_convergence(table, &convergence, &err));
    TEST_ASSERT_EQUAL_MEMORY(&expected, &convergence, sizeof convergence);
    OK(nnp_table_loo(table, &loo, &err));
    TEST_ASSERT_EQUAL_MEMORY(&expected_loo, &loo, sizeof loo);
    TEST_ASSERT_EQUAL_INT32(convergence.verdict == NNP_NOT_CONVERGED, inside.stacked);
    OK(nnp_table_predict(table, new_by_column, NEW, COLUMNS, NNP_COLUMN_MAJOR, NNP_PREDICT_MEAN,
                         found, &err));
    same(mean, found, NEW * c->targets);
    OK(nnp_table_interval(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, 0.9, found_ends, &err));
    same(ends, found_ends, 2 * NEW * c->targets);
  }
}

/* A fit of labels (-1 and +1, or three classes), call by call. */
static void test_inputs_of_classes_are_transformed(void) {
  static double draws[4096 * CHAINS];
  int k;
  for (k = 0; k < 2; ++k) {
    double mean[COLUMNS], sd[COLUMNS], z[ROWS * COLUMNS], fresh[NEW * COLUMNS], out[NEW * 3];
    double matrix[1024], found[NEW * 3];
    const int32_t *labels = k == 0 ? with_sign : three;
    const int64_t outputs = k == 0 ? 1 : 3;
    nnp_data *data, *data_new;
    nnp_model model;
    nnp_net *net;
    nnp_recipe recipe;
    nnp_chain *chains[CHAINS];
    nnp_predictor *predictor;
    nnp_inside inside;
    size_t bytes = 0;
    int64_t i;
    OK(nnp_standard(x, ROWS, COLUMNS, NNP_ROW_MAJOR, mean, sd, &err));
    OK(nnp_standardize(x, ROWS, COLUMNS, NNP_ROW_MAJOR, mean, sd, z, &err));
    OK(nnp_recommend_transform_bytes(labels, ROWS, COLUMNS, &bytes, &err));
    TEST_ASSERT_TRUE(bytes > 0);
    OK(nnp_recommend_transform(z, labels, ROWS, COLUMNS, NNP_ROW_MAJOR, matrix, sizeof matrix,
                               &err));
    OK(nnp_transform(z, ROWS, COLUMNS, NNP_ROW_MAJOR, matrix, z, &err));
    OK(nnp_data_create(&data, ROWS, COLUMNS, 0, &err));
    OK(nnp_data_set_inputs(data, z, NNP_ROW_MAJOR, &err));
    OK(nnp_data_set_labels(data, labels, &err));
    OK(nnp_standardize(x_new, NEW, COLUMNS, NNP_ROW_MAJOR, mean, sd, fresh, &err));
    OK(nnp_transform(fresh, NEW, COLUMNS, NNP_ROW_MAJOR, matrix, fresh, &err));
    OK(nnp_data_create(&data_new, NEW, COLUMNS, 0, &err));
    OK(nnp_data_set_inputs(data_new, fresh, NNP_ROW_MAJOR, &err));
    OK(nnp_model_defaults(&model, COLUMNS, outputs, k == 0 ? NNP_SIGN_HEAD : NNP_ARGMAX, ROWS,
                          &err));
    model.hidden[0] = 3;
    OK(nnp_net_create_model(&net, &model, &err));
    OK(nnp_recommend(net, ROWS, 0, &recipe, &err));
    recipe.warmup = WARMUP;
    for (i = 0; i < CHAINS; ++i) {
      OK(nnp_chain_create(&chains[i], net, data, recipe.sampler, recipe.posterior, &err));
      OK(nnp_chain_use_recipe(chains[i], &recipe, &err));
    }
    OK(nnp_chains_start(chains, CHAINS, recipe.start, 1, NULL, NULL, &err));
    OK(nnp_chains_run(chains, CHAINS, WARMUP, NULL, NULL, &err));
    OK(nnp_chains_sample(chains, CHAINS, draws, DRAWS, 1, NULL, NULL, &err));
    OK(nnp_predictor_create(&predictor, net, CHAINS * DRAWS, &err));
    OK(nnp_predictor_posterior(predictor, recipe.posterior, &err));
    OK(nnp_predict(predictor, data_new, draws, CHAINS * DRAWS, NNP_PREDICT_PROBABILITIES, out,
                   &err));
    OK(nnp_table_set(table, NNP_TABLE_STACKING, 0, &err));
    OK(nnp_table_fit_labels(table, x, labels, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
    inside = inside_of(table);
    same(draws, inside.draws, inside.parameters * DRAWS * CHAINS);
    same(matrix, inside.input_matrix, COLUMNS * COLUMNS);
    OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_PROBABILITIES,
                         found, &err));
    for (i = 0; i < NEW * outputs; ++i)
      TEST_ASSERT_DOUBLE_WITHIN(1e-12, out[i], found[k == 0 ? 2 * i + 1 : i]);
    nnp_predictor_free(predictor);
    for (i = 0; i < CHAINS; ++i) nnp_chain_free(chains[i]);
    nnp_net_free(net);
    nnp_data_free(data_new);
    nnp_data_free(data);
  }
  OK(nnp_table_set(table, NNP_TABLE_ARD, 1, &err)); /* precisions of the original columns */
  OK(nnp_table_fit_labels(table, x, three, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  TEST_ASSERT_NULL(inside_of(table).input_matrix);
  fit(table);
  TEST_ASSERT_NULL(inside_of(table).input_matrix);
}

/* The head suits the number of rows, unless it is set. */
static void test_noise_of_large_tables_may_vary(void) {
  static double large_x[3001], large_y[3001];
  static const struct {
    int64_t rows;
    double head, posterior;
    int64_t outputs; /* of the network */
  } cases[] = {
      {3000, NNP_RECOMMENDED, NNP_CLASSICAL, 1},
      {3001, NNP_RECOMMENDED, NNP_RECOMMENDED, 2},
      {3001, NNP_RECOMMENDED, NNP_INTERMEDIATE, 1},
      {3001, NNP_GAUSSIAN, NNP_RECOMMENDED, 1},
  };
  int64_t shape[3];
  size_t i;
  for (i = 0; i < 3001; ++i) {
    large_x[i] = wave((int)i);
    large_y[i] = 100 * wave((int)i + 4000);
  }
  OK(nnp_table_set(table, NNP_TABLE_CHAINS, 1, &err));
  OK(nnp_table_set(table, NNP_TABLE_WARMUP, 1, &err));
  OK(nnp_table_set(table, NNP_TABLE_DRAWS, 4, &err));
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    OK(nnp_table_set(table, NNP_TABLE_HEAD, cases[i].head, &err));
    OK(nnp_table_set(table, NNP_TABLE_POSTERIOR, cases[i].posterior, &err));
    OK(nnp_table_fit(table, large_x, large_y, cases[i].rows, 1, 1, NNP_ROW_MAJOR, &err));
    OK(nnp_net_shape(inside_of(table).net, 3, shape, &err));
    TEST_ASSERT_EQUAL_INT64(cases[i].outputs, shape[0]);
    TEST_ASSERT_EQUAL_INT64(1, inside_of(table).targets);
  }
}

/* Many rows are predicted by several threads. */
static void test_bits_do_not_depend_on_threads(void) {
  enum { MANY = 700 };
  static double many[MANY * COLUMNS], sd[2][MANY * TARGETS];
  int i, threads;
  for (i = 0; i < MANY * COLUMNS; ++i) many[i] = x[i % (ROWS * COLUMNS)];
  for (threads = 1; threads <= 3; threads += 2) {
    OK(nnp_table_set(table, NNP_TABLE_THREADS, threads, &err));
    fit(table);
    OK(nnp_table_predict(table, many, MANY, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_SD, sd[threads / 2],
                         &err));
  }
  same(sd[0], sd[1], MANY * TARGETS);
}

/* ---- classes ---- */

static void test_classes(void) {
  double p[NEW * 3], q[NEW * 2], votes[NEW * 2];
  int32_t found[NEW], other[NEW];
  nnp_table *signs = new_table();
  int i;
  OK(nnp_table_fit_labels(table, x, two, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  OK(nnp_table_fit_labels(signs, x, with_sign, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  same_draws(table, signs);
  TEST_ASSERT_EQUAL_INT64(2, inside_of(table).classes);
  TEST_ASSERT_EQUAL_INT64(0, inside_of(table).targets);
  TEST_ASSERT_NULL(inside_of(table).target_mean);
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_PROBABILITIES, q,
                       &err));
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_VOTES, votes, &err));
  OK(nnp_table_classify(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, found, &err));
  OK(nnp_table_classify(signs, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, other, &err));
  for (i = 0; i < NEW; ++i) {
    TEST_ASSERT_TRUE(q[2 * i] >= 0 && q[2 * i] + q[2 * i + 1] == 1);
    TEST_ASSERT_TRUE(votes[2 * i] >= 0 && fabs(votes[2 * i] + votes[2 * i + 1] - 1) < 1e-12);
    TEST_ASSERT_EQUAL_INT32(q[2 * i + 1] > 0.5, found[i]);
    TEST_ASSERT_EQUAL_INT32(2 * found[i] - 1, other[i]);
  }
  nnp_table_free(signs);
  OK(nnp_table_fit_labels(table, x, three, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_PROBABILITIES, p,
                       &err));
  OK(nnp_table_classify(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, found, &err));
  for (i = 0; i < NEW; ++i) {
    TEST_ASSERT_TRUE(fabs(p[3 * i] + p[3 * i + 1] + p[3 * i + 2] - 1) < 1e-12);
    TEST_ASSERT_TRUE(found[i] >= 0 && found[i] < 3);
    TEST_ASSERT_TRUE(p[3 * i + found[i]] >= 1.0 / 3 - 1e-12);
  }
  FAILS(NNP_E_UNSUPPORTED, "labels",
        nnp_table_interval(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, 0.9, p, &err));
}

static void test_bad_labels(void) {
  int32_t labels[ROWS];
  memcpy(labels, two, sizeof labels);
  labels[4] = -1;
  FAILS(NNP_E_LABEL, "has 0, expected",
        nnp_table_fit_labels(table, x, labels, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  labels[4] = ROWS;
  FAILS(NNP_E_LABEL, "row 4 has 24",
        nnp_table_fit_labels(table, x, labels, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  for (int i = 0; i < ROWS; ++i) labels[i] = two[i] + 1;
  FAILS(NNP_E_LABEL, "the least of them is 1, expected labels that count from 0",
        nnp_table_fit_labels(table, x, labels, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  memset(labels, 0, sizeof labels);
  FAILS(NNP_E_LABEL, "all of them are 0",
        nnp_table_fit_labels(table, x, labels, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_NULL, "labels",
        nnp_table_fit_labels(table, x, NULL, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_NULL, "x",
        nnp_table_fit_labels(table, NULL, two, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
}

/* ---- what is refused ---- */

static void refused(int32_t status, const char *words, const nnp_table *before) {
  FAILS(status, words, nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  same_draws(before, table); /* the earlier fit stays */
}

static void test_a_failed_fit_leaves_the_one_before(void) {
  nnp_table *before = new_table();
  int i;
  fit(before);
  fit(table);
  OK(nnp_table_set(table, NNP_TABLE_SEED, 99, &err));
  x[5] = NAN;
  refused(NNP_E_NOT_FINITE, "column 2 has the value nan in row 1", before);
  x[5] = INFINITY;
  refused(NNP_E_NOT_FINITE, "column 2 has the value inf in row 1", before);
  for (i = 0; i < ROWS; ++i) x[COLUMNS * i + 2] = 4.5;
  refused(NNP_E_VALUE,
          "x: column 2 is constant, all its values are 4.5, expected some that differ, or "
          "the setting constant (NNP_TABLE_CONSTANT) = 1 to ignore it",
          before);
  fill();
  for (i = 0; i < ROWS; ++i) x[COLUMNS * i] *= 1e-320; /* so small that digits are lost */
  refused(NNP_E_VALUE, "x: column 0 has the standard deviation", before);
  fill();
  y[3] = -INFINITY;
  refused(NNP_E_NOT_FINITE, "y: column 1 has the value -inf in row 1, counted from 0", before);
  for (i = 0; i < ROWS; ++i) y[TARGETS * i] = 2;
  y[3] = 1;
  refused(NNP_E_VALUE, "y: column 0 is constant, all its values are 2", before);
  TEST_ASSERT_NULL(strstr(err.message, "NNP_TABLE_CONSTANT")); /* it does not help here */
  FAILS(NNP_E_SIZE, "n = 1", nnp_table_fit(table, x, y, 1, COLUMNS, 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_SIZE, "n = -4", nnp_table_fit(table, x, y, -4, COLUMNS, 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_SIZE, "columns = 0", nnp_table_fit(table, x, y, ROWS, 0, 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_SIZE, "targets = 0",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, 0, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_OVERFLOW, "columns = 2147483649",
        nnp_table_fit(table, x, y, ROWS, INT64_C(2147483649), 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_OVERFLOW, "targets = 2147483649",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, INT64_C(2147483649), NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_ENUM, "order = 5", nnp_table_fit(table, x, y, ROWS, COLUMNS, 1, 5, &err));
  FAILS(NNP_E_NULL, "x", nnp_table_fit(table, NULL, y, ROWS, COLUMNS, 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_NULL, "y", nnp_table_fit(table, x, NULL, ROWS, COLUMNS, 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_NULL, "table", nnp_table_fit(NULL, x, y, ROWS, COLUMNS, 1, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_OVERFLOW, "",
        nnp_table_fit(table, x, y, INT64_C(1) << 50, COLUMNS, 1, NNP_ROW_MAJOR, &err));
  fill();
  OK(nnp_table_set(table, NNP_TABLE_DRAWS, 1e12, &err));
  TEST_ASSERT_TRUE(nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err) !=
                   NNP_OK);
  TEST_ASSERT_TRUE(err.status == NNP_E_OUT_OF_MEMORY || err.status == NNP_E_OVERFLOW);
  OK(nnp_table_set(table, NNP_TABLE_DRAWS, DRAWS, &err));
  OK(nnp_table_set(table, NNP_TABLE_SAMPLER, NNP_GIBBS, &err));
  OK(nnp_table_set(table, NNP_TABLE_ACTIVATION, NNP_TANH, &err));
  FAILS(NNP_E_UNSUPPORTED, "",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  same_draws(before, table);
  nnp_table_free(before);
}

static void test_constant_columns_may_be_ignored(void) {
  double mean[NEW * TARGETS], again[NEW * TARGETS];
  int i;
  for (i = 0; i < ROWS; ++i) x[COLUMNS * i + 1] = -3;
  OK(nnp_table_set(table, NNP_TABLE_CONSTANT, 1, &err));
  fit(table);
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, mean, &err));
  for (i = 0; i < NEW; ++i) x_new[COLUMNS * i + 1] += 1000;
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, again, &err));
  same(mean, again, NEW * TARGETS);
}

static void test_nothing_is_told_before_a_fit(void) {
  double out[NEW * TARGETS];
  int32_t labels[NEW];
  char text[512];
  size_t bytes;
  nnp_convergence convergence;
  nnp_loo_summary loo;
  nnp_recipe recipe;
  nnp_inside inside;
  nnp_predictor *predictor;
  nnp_data *data;
#define UNFITTED(call) FAILS(NNP_E_NOT_STARTED, "not fitted yet", call)
  UNFITTED(
      nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, out, &err));
  UNFITTED(nnp_table_interval(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, 0.9, out, &err));
  UNFITTED(nnp_table_classify(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, labels, &err));
  UNFITTED(nnp_table_text(table, text, sizeof text, &err));
  UNFITTED(nnp_table_convergence(table, &convergence, &err));
  UNFITTED(nnp_table_loo(table, &loo, &err));
  UNFITTED(nnp_table_recipe(table, &recipe, &err));
  UNFITTED(nnp_table_inside(table, &inside, &err));
  UNFITTED(nnp_table_weigh(table, NULL, &err));
  UNFITTED(nnp_table_predictor(table, &predictor, &err));
  UNFITTED(nnp_table_data(table, x_new, NULL, NULL, NEW, NNP_ROW_MAJOR, &data, &err));
  UNFITTED(nnp_table_save_bytes(table, &bytes, &err));
  UNFITTED(nnp_table_save(table, text, sizeof text, &err));
  FAILS(NNP_E_NULL, "table", nnp_table_text(NULL, text, sizeof text, &err));
}

static void test_bad_calls_of_a_fit(void) {
  double out[NEW * TARGETS], level[] = {0, 1, 90, NAN};
  char text[4];
  int32_t labels[NEW];
  nnp_data *data;
  int i;
  fit(table);
  for (i = 0; i < 4; ++i)
    FAILS(NNP_E_VALUE, "level = ",
          nnp_table_interval(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, level[i], out, &err));
  FAILS(NNP_E_SIZE, "rows = 0",
        nnp_table_predict(table, x_new, 0, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, out, &err));
  FAILS(NNP_E_ENUM, "order = 1",
        nnp_table_predict(table, x_new, NEW, COLUMNS, 1, NNP_PREDICT_MEAN, out, &err));
  FAILS(NNP_E_ENUM, "kind = 1",
        nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, 1, out, &err));
  FAILS(NNP_E_NULL, "x",
        nnp_table_predict(table, NULL, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, out, &err));
  FAILS(NNP_E_NULL, "out",
        nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, NULL, &err));
  FAILS(
      NNP_E_SHAPE, "columns = 4: expected 3",
      nnp_table_predict(table, x_new, 1, COLUMNS + 1, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, out, &err));
  FAILS(NNP_E_SHAPE, "columns = 2: expected 3",
        nnp_table_interval(table, x_new, NEW, COLUMNS - 1, NNP_ROW_MAJOR, 0.9, out, &err));
  FAILS(NNP_E_NULL, "ends",
        nnp_table_interval(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, 0.5, NULL, &err));
  FAILS(NNP_E_UNSUPPORTED, "targets",
        nnp_table_classify(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, labels, &err));
  FAILS(NNP_E_BUFFER_SIZE, "size = 4", nnp_table_text(table, text, sizeof text, &err));
  FAILS(NNP_E_UNSUPPORTED, "labels",
        nnp_table_data(table, x_new, NULL, two, NEW, NNP_ROW_MAJOR, &data, &err));
  FAILS(NNP_E_VALUE, "weights: entry 1 is -1",
        nnp_table_weigh(table, (const double[]){1, -1}, &err));
  FAILS(NNP_E_VALUE, "sum is 0", nnp_table_weigh(table, (const double[]){0, 0}, &err));
  x_new[4] = NAN;
  FAILS(NNP_E_NOT_FINITE, "column 1 has the value nan in row 1",
        nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, out, &err));
  OK(nnp_table_fit_labels(table, x, two, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  two[3] = -1;
  FAILS(NNP_E_LABEL, "row 3 has -1, expected 0 to 1",
        nnp_table_data(table, x, NULL, two, ROWS, NNP_ROW_MAJOR, &data, &err));
}

/* ---- stops ---- */

typedef struct {
  int64_t steps, at; /* of a call for so many steps, at this one … */
  int64_t chain;     /* … of this chain */
  int calls;
} Stop;

static int32_t stop(const nnp_progress *progress, void *user) {
  Stop *s = user;
  ++s->calls;
  return progress->chain_index == s->chain && progress->steps == s->steps &&
         progress->step >= s->at;
}

static void test_stops(void) {
  Stop when = {WARMUP, 4, 0, 0};
  nnp_table *whole = new_table();
  double mean[NEW * TARGETS];
  char text[512];
  nnp_inside a, b;
  int64_t c;
  OK(nnp_table_set(table, NNP_TABLE_THREADS, 1, &err));
  OK(nnp_table_watch(table, stop, &when, &err));
  FAILS(NNP_STOPPED, "before the first draw",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  FAILS(NNP_E_NOT_STARTED, "not fitted", nnp_table_text(table, text, sizeof text, &err));
  when.steps = DRAWS;
  when.at = 5;
  fit(whole);
  b = inside_of(whole);
  /* One thread: the first chain stops at its 5th draw, the second has not begun. */
  FAILS(NNP_STOPPED, "5 of 12 draws of 1 chains",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  a = inside_of(table);
  TEST_ASSERT_TRUE(a.draw_count == 5 && a.chains == 1 && a.stopped == 1 && b.stopped == 0);
  same(b.draws, a.draws, a.parameters * 5);
  /* The second chain: the first, which is complete, has more to tell. */
  when.chain = 1;
  FAILS(NNP_STOPPED, "12 of 12 draws of 1 chains",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  a = inside_of(table);
  TEST_ASSERT_TRUE(a.draw_count == 12 && a.chains == 1);
  same(b.draws, a.draws, a.parameters * 12);
  when.at = 8; /* now both have more */
  FAILS(NNP_STOPPED, "8 of 12 draws of 2 chains",
        nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
  a = inside_of(table);
  for (c = 0; c < CHAINS; ++c)
    same(b.draws + c * b.parameters * DRAWS, a.draws + c * a.parameters * 8, a.parameters * 8);
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, mean, &err));
  OK(nnp_table_text(table, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL(strstr(text, "stopped early"));
  TEST_ASSERT_TRUE(when.calls > 0);
  when.at = DRAWS; /* the last step of the last chain: nothing is missing */
  fit(table);
  same_draws(whole, table);
  TEST_ASSERT_EQUAL_INT32(0, inside_of(table).stopped);
  OK(nnp_table_text(table, text, sizeof text, &err));
  TEST_ASSERT_NULL(strstr(text, "stopped early"));
  when.steps = -1; /* it only watches */
  fit(table);
  same_draws(whole, table);
  OK(nnp_table_watch(table, NULL, NULL, &err));
  fit(table);
  FAILS(NNP_E_NULL, "", nnp_table_watch(table, nnp_throttled, NULL, &err));
  nnp_table_free(whole);
}

/* ---- verdicts, weights, what is inside ---- */

static void test_words(void) {
  char text[512];
  nnp_convergence found;
  nnp_inside inside;
  fit(table);
  OK(nnp_table_text(table, text, sizeof text, &err));
  OK(nnp_table_convergence(table, &found, &err));
  inside = inside_of(table);
  TEST_ASSERT_EQUAL_INT32(NNP_NOT_CONVERGED, found.verdict); /* 12 draws of each */
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "of 2 chains have weight, by stacking"), text);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "more warm-up and draws"), text);
  TEST_ASSERT_TRUE(fabs(inside.weights[0] + inside.weights[1] - 1) < 1e-12);
  OK(nnp_table_set(table, NNP_TABLE_STACKING, 0, &err));
  fit(table);
  inside = inside_of(table);
  TEST_ASSERT_TRUE(inside.weights[0] == 0.5 && inside.weights[1] == 0.5 && inside.stacked == 0);
  OK(nnp_table_text(table, text, sizeof text, &err));
  TEST_ASSERT_NULL(strstr(text, "stacking"));
}

/* One chain cannot be weighed against others; four draws have no effective size. */
static void test_words_on_one_chain(void) {
  char text[512];
  nnp_convergence found;
  int draws;
  OK(nnp_table_set(table, NNP_TABLE_CHAINS, 1, &err));
  for (draws = 4; draws <= DRAWS; draws += 4) {
    OK(nnp_table_set(table, NNP_TABLE_DRAWS, draws, &err));
    fit(table);
    OK(nnp_table_convergence(table, &found, &err));
    OK(nnp_table_text(table, text, sizeof text, &err));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_NOT_CONVERGED, found.verdict, text);
    TEST_ASSERT_TRUE_MESSAGE((isnan(found.ess_bulk) != 0) == (draws == 4), text);
    TEST_ASSERT_TRUE_MESSAGE((strstr(text, "effective") == NULL) == (draws == 4), text);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, "nan"), text);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, "stacking"), text);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, "chains"), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "not converged: halves of the chain disagree"), text);
    TEST_ASSERT_EQUAL_INT32(0, inside_of(table).stacked);
  }
}

static void test_weights(void) {
  double alike[NEW * TARGETS], found[NEW * TARGETS];
  char text[512];
  fit(table);
  OK(nnp_table_weigh(table, NULL, &err));
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, alike, &err));
  OK(nnp_table_weigh(table, (const double[]){3, 3}, &err));
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, found, &err));
  same(alike, found, NEW * TARGETS);
  OK(nnp_table_weigh(table, (const double[]){0, 2}, &err));
  TEST_ASSERT_TRUE(inside_of(table).weights[1] == 1);
  OK(nnp_table_text(table, text, sizeof text, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "1 of 2 chains have weight, by your weights"), text);
  TEST_ASSERT_NULL_MESSAGE(strstr(text, "stacking"), text);
  OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, found, &err));
  TEST_ASSERT_TRUE(found[0] != alike[0]);
}

/* Predictor and data of a table: the likelihood of its rows is the one that it was judged by. */
static void test_what_is_inside(void) {
  static double log_lik[ROWS * DRAWS * CHAINS];
  static double memory[1 << 16];
  nnp_inside inside;
  nnp_predictor *predictor;
  nnp_data *data;
  nnp_draws view;
  nnp_loo_summary expected, loo;
  double mse, log_score, mean[ROWS * TARGETS], levels[3 * ROWS * TARGETS], sum = 0;
  int i;
  fit(table);
  inside = inside_of(table);
  TEST_ASSERT_TRUE(inside.rows == ROWS && inside.columns == COLUMNS && inside.targets == TARGETS &&
                   inside.classes == 0 && inside.chains == CHAINS && inside.draw_count == DRAWS);
  OK(nnp_table_predictor(table, &predictor, &err));
  OK(nnp_table_data(table, x, y, NULL, ROWS, NNP_ROW_MAJOR, &data, &err));
  OK(nnp_log_lik(predictor, data, inside.draws, DRAWS * CHAINS, log_lik, &err));
  OK(nnp_draws_init(&view, log_lik, ROWS, DRAWS, CHAINS, &err));
  OK(nnp_loo(&view, NULL, NULL, NULL, &expected, memory, sizeof memory, &err));
  OK(nnp_table_loo(table, &loo, &err));
  TEST_ASSERT_EQUAL_MEMORY(&expected, &loo, sizeof loo);
  OK(nnp_score(predictor, data, inside.draws, DRAWS * CHAINS, NNP_SCORE_MSE, &mse, &err));
  OK(nnp_score(predictor, data, inside.draws, DRAWS * CHAINS, NNP_SCORE_LOG, &log_score, &err));
  OK(nnp_table_predict(table, x, ROWS, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, mean, &err));
  for (i = 0; i < ROWS * TARGETS; ++i) sum += (mean[i] - y[i]) * (mean[i] - y[i]);
  TEST_ASSERT_TRUE(fabs(sum / (ROWS * TARGETS) - mse) < 1e-9 * (1 + mse));
  OK(nnp_table_predict(table, x, ROWS, COLUMNS, NNP_ROW_MAJOR, NNP_PREDICT_QUANTILES, levels,
                       &err));
  for (i = 0; i < ROWS * TARGETS; ++i)
    TEST_ASSERT_TRUE(levels[3 * i] < levels[3 * i + 1] && levels[3 * i + 1] < levels[3 * i + 2]);
  nnp_data_free(data);
  nnp_predictor_free(predictor);
  FAILS(NNP_E_NULL, "predictor", nnp_table_predictor(table, NULL, &err));
  FAILS(NNP_E_NULL, "data", nnp_table_data(table, x, y, NULL, ROWS, NNP_ROW_MAJOR, NULL, &err));
}

/* ---- saves ---- */

static void test_a_restored_table_predicts_the_same_bits(void) {
  int k;
  for (k = 0; k < 3; ++k) {
    double out[2][NEW * 3];
    nnp_table *other;
    nnp_convergence a, b;
    size_t bytes, again;
    void *block;
    const int32_t kind = k == 0 ? NNP_PREDICT_SD : NNP_PREDICT_PROBABILITIES;
    if (k == 0) fit(table);
    if (k == 1) OK(nnp_table_fit_labels(table, x, with_sign, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
    if (k == 2) OK(nnp_table_fit_labels(table, x, three, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
    OK(nnp_table_save_bytes(table, &bytes, &err));
    block = malloc(bytes);
    FAILS(NNP_E_BUFFER_SIZE, "size = ", nnp_table_save(table, block, bytes - 1, &err));
    OK(nnp_table_save(table, block, bytes, &err));
    OK(nnp_table_create(&other, &err));
    OK(nnp_table_restore(other, block, bytes, &err));
    same_draws(table, other);
    OK(nnp_table_predict(table, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, kind, out[0], &err));
    OK(nnp_table_predict(other, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, kind, out[1], &err));
    same(out[0], out[1], k == 2 ? NEW * 3 : NEW * 2);
    OK(nnp_table_convergence(table, &a, &err));
    OK(nnp_table_convergence(other, &b, &err));
    TEST_ASSERT_EQUAL_MEMORY(&a, &b, sizeof a);
    OK(nnp_table_save_bytes(other, &again, &err));
    TEST_ASSERT_TRUE(again == bytes);
    free(block);
    nnp_table_free(other);
  }
}

/* Saves the table's fit and restores it; a combination that cannot be fitted is left out. */
static int restores(int32_t status) {
  nnp_table *other;
  size_t bytes;
  void *block;
  if (status == NNP_E_UNSUPPORTED || status == NNP_E_OPTION) return 0;
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, status, err.message);
  OK(nnp_table_create(&other, &err));
  OK(nnp_table_save_bytes(table, &bytes, &err));
  block = malloc(bytes);
  OK(nnp_table_save(table, block, bytes, &err));
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, nnp_table_restore(other, block, bytes, &err),
                                  err.message);
  same_draws(table, other);
  free(block);
  nnp_table_free(other);
  return 1;
}

/* What a fit can be is not refused by a restore, however few its draws. */
static void test_every_fit_can_be_restored(void) {
  static const double samplers[] = {NNP_RECOMMENDED, NNP_GIBBS, NNP_HMC, NNP_MALA, NNP_NUTS};
  static const double posteriors[] = {NNP_RECOMMENDED, NNP_INTERMEDIATE, NNP_CLASSICAL};
  static const double activations[] = {NNP_RECOMMENDED, NNP_RELU, NNP_TANH, NNP_SIGN};
  static const double heads[] = {NNP_GAUSSIAN, NNP_STUDENT_T, NNP_LOCATION_SCALE};
  const int64_t widths[] = {3, 2, 2};
  int made = 0, i, k = 0;
  OK(nnp_table_set(table, NNP_TABLE_WARMUP, 3, &err));
  OK(nnp_table_hidden(table, widths, 3, &err));
  for (i = 0; i < 5 * 3 * 4; ++i)
    for (int layers = 0; layers < 2; ++layers) {
      ++k;
      OK(nnp_table_hidden(table, widths, layers, &err));
      OK(nnp_table_set(table, NNP_TABLE_SAMPLER, samplers[i % 5], &err));
      OK(nnp_table_set(table, NNP_TABLE_POSTERIOR, posteriors[i / 5 % 3], &err));
      OK(nnp_table_set(table, NNP_TABLE_ACTIVATION, activations[i / 15], &err));
      OK(nnp_table_set(table, NNP_TABLE_HEAD, heads[k % 3], &err));
      OK(nnp_table_set(table, NNP_TABLE_CHAINS, 1 + k % 3, &err));
      OK(nnp_table_set(table, NNP_TABLE_DRAWS, 1 + k % 7, &err));
      made += restores(nnp_table_fit(table, x, y, ROWS, COLUMNS, TARGETS, NNP_ROW_MAJOR, &err));
      made += restores(nnp_table_fit_labels(table, x, k % 2 ? with_sign : three, ROWS, COLUMNS,
                                            NNP_ROW_MAJOR, &err));
    }
  TEST_ASSERT_TRUE(made > 100);
}

static void test_changed_blocks_are_refused(void) {
  nnp_table *other = new_table();
  size_t bytes, i;
  unsigned char *block;
  fit(table);
  OK(nnp_table_save_bytes(table, &bytes, &err));
  block = malloc(bytes);
  OK(nnp_table_save(table, block, bytes, &err));
  fit(other);
  for (i = 0; i < bytes; i += i < 1200 ? 1 : 97) {
    block[i] ^= 0x41;
    TEST_ASSERT_TRUE(nnp_table_restore(other, block, bytes, &err) != NNP_OK);
    TEST_ASSERT_TRUE(err.message[0] != 0);
    block[i] ^= 0x41;
  }
  for (i = 0; i < bytes; i += 131)
    FAILS(NNP_E_SAVE_TRUNCATED, "", nnp_table_restore(other, block, i, &err));
  same_draws(table, other); /* its own fit: same settings, same seed */
  FAILS(NNP_E_NULL, "buffer", nnp_table_restore(other, NULL, bytes, &err));
  FAILS(NNP_E_NULL, "table", nnp_table_restore(NULL, block, bytes, &err));
  FAILS(NNP_E_NULL, "buffer", nnp_table_save(table, NULL, bytes, &err));
  FAILS(NNP_E_NULL, "bytes", nnp_table_save_bytes(table, NULL, &err));
  OK(nnp_table_restore(other, block, bytes, &err));
  free(block);
  nnp_table_free(other);
}

/* Whoever knows the hash (lib/base/hash.hpp) can seal anything. */
static void seal(unsigned char *block, size_t bytes, size_t place) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325), word;
  size_t i;
  memset(block + place, 0, 8);
  TEST_ASSERT_TRUE(bytes % 8 == 0);
  for (i = 0; i < bytes; i += 8) {
    memcpy(&word, block + i, 8);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash ^= hash >> 29;
  }
  memcpy(block + place, &hash, 8);
}

/* The header of a saved table (capi/table_save.cpp). */
typedef struct {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size, network;
  int64_t rows, columns, targets, classes, parameters, draws, chains;
  int32_t signed_labels, stopped, weights_from, has_matrix;
  nnp_model model;
  nnp_recipe recipe;
  nnp_convergence convergence;
  nnp_loo_summary loo;
  uint64_t checksum;
} Saved;
enum { HEADER = sizeof(Saved), PLACE = HEADER - 8 };

static int32_t restored(nnp_table *other, unsigned char *block, size_t bytes) {
  char text[512];
  double out[NEW * 3];
  const int32_t kind = ((Saved *)block)->classes > 0 ? NNP_PREDICT_PROBABILITIES : NNP_PREDICT_MEAN;
  int32_t status;
  seal(block, bytes, PLACE);
  status = nnp_table_restore(other, block, bytes, &err);
  TEST_ASSERT_TRUE((status == NNP_OK) == (err.message[0] == 0));
  if (status != NNP_OK) return status;
  OK(nnp_table_predict(other, x_new, NEW, COLUMNS, NNP_ROW_MAJOR, kind, out, &err));
  OK(nnp_table_text(other, text, sizeof text, &err));
  return NNP_OK;
}

/* The words of a header that may have other values; every other change is refused. */
static int may_differ(size_t place) {
#define WORD(field) \
  { offsetof(Saved, field), offsetof(Saved, field) + sizeof((Saved *)0)->field }
  static const size_t open[][2] = {
      WORD(rows),
      WORD(weights_from),
      WORD(recipe.warmup),
      WORD(recipe.thin),
      WORD(recipe.values[0]),
      WORD(convergence.rhat),
      WORD(convergence.ess_bulk),
      WORD(convergence.ess_tail),
      WORD(convergence.worst),
      WORD(loo.elpd),
      WORD(loo.elpd_error),
      WORD(loo.p_loo),
      WORD(loo.p_loo_error),
      WORD(loo.largest_k),
      WORD(loo.unreliable),
  };
  size_t i;
  for (i = 0; i < sizeof open / sizeof *open; ++i)
    if (place >= open[i][0] && place < open[i][1]) return 1;
  return 0;
}

/* A verdict that few fits come to, put into a block. */
static void test_words_on_few_draws(void) {
  nnp_table *other;
  char text[512];
  size_t bytes;
  Saved *saved;
  OK(nnp_table_create(&other, &err));
  OK(nnp_table_set(table, NNP_TABLE_STACKING, 0, &err));
  fit(table);
  OK(nnp_table_save_bytes(table, &bytes, &err));
  saved = malloc(bytes);
  OK(nnp_table_save(table, saved, bytes, &err));
  saved->convergence.verdict = NNP_FEW_DRAWS;
  saved->convergence.rhat = 1.005;
  saved->convergence.ess_bulk = 30;
  saved->convergence.ess_tail = 21;
  OK(restored(other, (unsigned char *)saved, bytes));
  OK(nnp_table_text(other, text, sizeof text, &err));
  TEST_ASSERT_EQUAL_STRING(
      "chains agree, but draws are few (R-hat up to 1.005, effective draws at least 30 in bulk and "
      "21 in tails; 200 are needed: make more); about 10 times as many draws will do",
      text);
  free(saved);
  nnp_table_free(other);
}

/* Values that no table can have saved are refused; a table that is not refused predicts. */
static void test_hostile_blocks_do_no_harm(void) {
  static const uint64_t hostile[] = {0,
                                     1,
                                     3,
                                     UINT64_C(0xffffffffffffffff),
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_C(0x0000010000000000),
                                     UINT64_C(0x7ff0000000000000),  /* infinity */
                                     UINT64_C(0x7ff8000000000000),  /* NaN */
                                     UINT64_C(0x7fe1ccf385ebc8a0),  /* 1e308 */
                                     UINT64_C(0xbff0000000000000)}; /* -1.0 */
  nnp_table *other;
  size_t bytes, i;
  unsigned char *block, *whole;
  OK(nnp_table_create(&other, &err));
  /* bounded units: outputs stay finite if a weight of the first layer is 1e308 */
  OK(nnp_table_set(table, NNP_TABLE_ACTIVATION, NNP_TANH, &err));
  OK(nnp_table_fit_labels(table, x, three, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  OK(nnp_table_save_bytes(table, &bytes, &err));
  block = malloc(bytes);
  whole = malloc(bytes);
  OK(nnp_table_save(table, whole, bytes, &err));
  memcpy(block, whole, bytes);
  seal(block, bytes, PLACE);
  TEST_ASSERT_EQUAL_MEMORY(whole, block, bytes); /* this is how it is sealed */
  for (i = 0; i < HEADER + 40 * 8; i += 4)
    for (size_t k = 0; k < sizeof hostile / sizeof *hostile; ++k) {
      char where[64];
      if (i >= PLACE - 4 && i < HEADER) continue;
      memcpy(block, whole, bytes);
      memcpy(block + i, &hostile[k], i % 8 == 0 ? 8 : 4);
      snprintf(where, sizeof where, "value %d at byte %d", (int)k, (int)i);
      if (memcmp(block, whole, bytes) == 0) continue;
      const int32_t status = restored(other, block, bytes);
      TEST_ASSERT_TRUE_MESSAGE(i >= HEADER || may_differ(i) || status != NNP_OK, where);
    }
  /* NaN and infinite draws, scales that are not positive, weights that are no shares */
  for (i = 0; i < 3; ++i) {
    const double bad[] = {NAN, INFINITY, -1};
    memcpy(block, whole, bytes);
    memcpy(block + bytes - 8, &bad[i], 8); /* the last parameter, a learned scale */
    seal(block, bytes, PLACE);
    FAILS(NNP_E_SAVE_CORRUPTED, "buffer", nnp_table_restore(other, block, bytes, &err));
  }
  free(whole);
  free(block);
  nnp_table_free(other);
}

static void test_what_no_table_can_have_saved(void) {
  nnp_table *other;
  size_t bytes;
  Saved *whole, *saved;
  double *values; /* after the header: input_mean, input_sd, target_mean, target_sd, weights */
  OK(nnp_table_create(&other, &err));
  OK(nnp_table_option(table, NNP_OPTION_SCALE_MOVES, 0, &err));
  fit(table);
  OK(nnp_table_save_bytes(table, &bytes, &err));
  whole = malloc(bytes);
  saved = malloc(bytes);
  values = (double *)(saved + 1);
  OK(nnp_table_save(table, whole, bytes, &err));
  TEST_ASSERT_TRUE(whole->recipe.sampler == NNP_GIBBS && whole->recipe.option_count > 0 &&
                   whole->weights_from == 1 && whole->convergence.verdict == NNP_NOT_CONVERGED);
#define WITH(status, change)                                                                \
  do {                                                                                      \
    memcpy(saved, whole, bytes);                                                            \
    change;                                                                                 \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, restored(other, (unsigned char *)saved, bytes), \
                                    #change);                                               \
  } while (0)
#define NEVER(change) WITH(NNP_E_SAVE_CORRUPTED, change)
  NEVER(saved->recipe.posterior = NNP_CLASSICAL);
  NEVER(saved->recipe.sampler = NNP_NUTS);
  NEVER(saved->recipe.options[0] = 7);
  NEVER(saved->recipe.options[0] = NNP_OPTION_LEAPFROGS);
  NEVER(saved->recipe.options[0] = NNP_OPTION_WARMUP);
  NEVER(saved->recipe.values[0] = NAN);
  NEVER(saved->recipe.values[0] = -1);
  NEVER(saved->recipe.values[7] = 1);
  NEVER(saved->recipe.options[7] = NNP_OPTION_RELAX);
  NEVER(saved->recipe.reserved_int = 1);
  NEVER(saved->recipe.reserved[3] = 1);
  NEVER(saved->recipe.draws = INT64_MAX; saved->stopped = 1);
  NEVER(saved->recipe.chains = INT64_MAX; saved->stopped = 1);
  NEVER(saved->recipe.warmup = INT64_MAX);
  NEVER(saved->recipe.thin = INT64_MAX);
  NEVER(saved->recipe.draws += 1);
  NEVER(saved->rows = INT64_MAX);
  NEVER(saved->stopped = 1);
  NEVER(saved->model.hidden[15] = 1);
  NEVER(saved->convergence.rhat = NAN);
  NEVER(saved->convergence.rhat = 1e308);
  NEVER(saved->convergence.rhat = 1.005);
  NEVER(saved->convergence.verdict = NNP_CONVERGED);
  NEVER(saved->convergence.ess_bulk = NAN);
  NEVER(saved->convergence.ess_bulk = 1e308);
  NEVER(saved->convergence.ess_tail = -1);
  NEVER(saved->convergence.ess_needed = 1e308);
  NEVER(saved->convergence.worst = 100000);
  NEVER(saved->convergence.worst = -1);
  NEVER(saved->convergence.reserved[0] = 1);
  NEVER(saved->convergence.reserved_int = 1);
  NEVER(saved->loo.elpd = INFINITY);
  NEVER(saved->loo.elpd = NAN);
  NEVER(saved->loo.elpd_error = -1);
  NEVER(saved->loo.k_limit = 2);
  NEVER(saved->loo.unreliable = -1);
  NEVER(saved->loo.unreliable = ROWS + 1);
  NEVER(saved->loo.reserved[0] = 1);
  NEVER(saved->has_matrix = 1);
  NEVER(saved->weights_from = 3);
  NEVER(saved->weights_from = 0; values[2 * COLUMNS + 2 * TARGETS] = 0.25;
        values[2 * COLUMNS + 2 * TARGETS + 1] = 0.75);
  NEVER(values[COLUMNS] = 1e-320);
  NEVER(values[COLUMNS] = -1);
  NEVER(values[0] = 1e300);
  NEVER(values[2 * COLUMNS + TARGETS] = 0);
  WITH(NNP_OK, saved->convergence.rhat = INFINITY); /* all chains stand still, apart */
  WITH(NNP_OK, saved->convergence.rhat = 1e17);
  WITH(NNP_OK, saved->convergence.ess_tail = NAN);
  WITH(NNP_OK, saved->recipe.draws += 1; saved->stopped = 1);
  WITH(NNP_OK, saved->weights_from = 2);
  WITH(NNP_OK, values[COLUMNS] = 0); /* a constant column */
  free(saved);
  free(whole);
  nnp_table_free(other);
  other = new_table();
  OK(nnp_table_fit_labels(other, x, three, ROWS, COLUMNS, NNP_ROW_MAJOR, &err));
  OK(nnp_table_save_bytes(other, &bytes, &err));
  whole = malloc(bytes);
  saved = malloc(bytes);
  values = (double *)(saved + 1) + 2 * COLUMNS; /* the matrix */
  OK(nnp_table_save(other, whole, bytes, &err));
  WITH(NNP_OK, values[1] = 0.5);
  NEVER(saved->has_matrix = 0);
  NEVER(saved->model.ard = 1);
  NEVER(values[0] = 0);
  NEVER(values[1] = 1e10);
  NEVER(values[COLUMNS] = 0.5); /* above the diagonal */
  NEVER(values[COLUMNS * COLUMNS - 1] = NAN);
  free(saved);
  free(whole);
  nnp_table_free(other);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_settings_have_bounds_and_defaults);
  RUN_TEST(test_settings_are_what_is_fitted);
  RUN_TEST(test_options_have_room_for_eight);
  RUN_TEST(test_bits_are_those_of_the_long_way_round);
  RUN_TEST(test_inputs_of_classes_are_transformed);
  RUN_TEST(test_noise_of_large_tables_may_vary);
  RUN_TEST(test_bits_do_not_depend_on_threads);
  RUN_TEST(test_classes);
  RUN_TEST(test_bad_labels);
  RUN_TEST(test_a_failed_fit_leaves_the_one_before);
  RUN_TEST(test_constant_columns_may_be_ignored);
  RUN_TEST(test_nothing_is_told_before_a_fit);
  RUN_TEST(test_bad_calls_of_a_fit);
  RUN_TEST(test_stops);
  RUN_TEST(test_words);
  RUN_TEST(test_words_on_one_chain);
  RUN_TEST(test_weights);
  RUN_TEST(test_what_is_inside);
  RUN_TEST(test_a_restored_table_predicts_the_same_bits);
  RUN_TEST(test_every_fit_can_be_restored);
  RUN_TEST(test_changed_blocks_are_refused);
  RUN_TEST(test_words_on_few_draws);
  RUN_TEST(test_hostile_blocks_do_no_harm);
  RUN_TEST(test_what_no_table_can_have_saved);
  return UNITY_END();
}
