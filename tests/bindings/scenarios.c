/* The scenarios of scenarios.txt in C: what the other languages are compared with. */
#include <math.h>
#include <nnpost_study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 60, CHAINS = 2, DRAWS = 5, THIN = 2, SEED = 11, MOST = 4096 };

static FILE *bits;
static nnp_error err;
static int tests, failures;
static const char *scenario;

static void fail(const char *reason) {
  printf("%s: FAIL %s\n", scenario, reason);
  exit(1); /* the reference itself is broken: no use in going on */
}

static void ok(int32_t status) {
  if (status != NNP_OK) fail(err.message);
}

#define EXPECT(condition)               \
  do {                                  \
    if (!(condition)) fail(#condition); \
  } while (0)

static void begin(const char *name, int writes) {
  scenario = name;
  ++tests;
  if (writes) fprintf(bits, "%s", name);
}

static void end(int wrote) {
  if (wrote) fprintf(bits, "\n");
  printf("%s: PASS\n", scenario);
}

static void write_bits(const double *values, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i) {
    uint64_t word;
    memcpy(&word, values + i, sizeof word);
    fprintf(bits, " %016llx", (unsigned long long)word);
  }
}

static double *values(int64_t count, int64_t seed) {
  double *out = malloc((size_t)count * sizeof *out);
  int64_t i;
  if (!out) exit(1);
  for (i = 0; i < count; ++i) {
    seed = seed * 16807 % 2147483647;
    out[i] = 2 * ((double)seed / 2147483647) - 1;
  }
  return out;
}

/* ---- The problems ---------------------------------------------------------------------------- */

typedef struct Problem {
  nnp_net *net;
  nnp_data *data;
  int64_t parameters, outputs;
} Problem;

static void set_labels(nnp_data *data, int32_t head) {
  int32_t labels[ROWS];
  double *v = values(ROWS, head == NNP_SIGN_HEAD ? 4 : 3);
  int i;
  for (i = 0; i < ROWS; ++i)
    labels[i] = head == NNP_SIGN_HEAD ? (v[i] >= 0 ? 1 : -1) : (int32_t)floor(1.5 * (v[i] + 1));
  ok(nnp_data_set_labels(data, labels, &err));
  free(v);
}

static nnp_data *inputs(int64_t features, int64_t seed) {
  nnp_data *data;
  double *x = values(ROWS * features, seed);
  ok(nnp_data_create(&data, ROWS, features, 1, &err));
  ok(nnp_data_set_inputs(data, x, NNP_COLUMN_MAJOR, &err));
  free(x);
  return data;
}

static Problem finish(nnp_net *net, nnp_data *data, int32_t head) {
  Problem p = {net, data, 0, 0};
  ok(nnp_net_head(net, head, &err));
  ok(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.1, &err));
  ok(nnp_net_parameters(net, &p.parameters, &err));
  ok(nnp_net_outputs(net, &p.outputs, &err));
  return p;
}

static Problem dense_problem(int32_t head) {
  nnp_net *net;
  nnp_data *data = inputs(3, 1);
  ok(nnp_net_create(&net, 3, &err));
  ok(nnp_net_dense(net, 4, &err));
  ok(nnp_net_activation(net, NNP_RELU, &err));
  ok(nnp_net_dense(net, head == NNP_ARGMAX ? 3 : head == NNP_LOCATION_SCALE ? 2 : 1, &err));
  if (head != NNP_ARGMAX && head != NNP_SIGN_HEAD) {
    double *y = values(ROWS, 2);
    ok(nnp_data_set_targets(data, y, NNP_COLUMN_MAJOR, &err));
    free(y);
  } else {
    set_labels(data, head);
  }
  return finish(net, data, head);
}

static Problem cnn_problem(void) {
  nnp_net *net;
  nnp_data *data = inputs(36, 5);
  ok(nnp_net_create_image(&net, 1, 6, 6, &err));
  ok(nnp_net_conv2d(net, 2, 3, 3, 1, 1, &err));
  ok(nnp_net_avgpool(net, 2, 2, &err));
  ok(nnp_net_activation(net, NNP_RELU, &err));
  ok(nnp_net_dense(net, 3, &err));
  set_labels(data, NNP_ARGMAX);
  return finish(net, data, NNP_ARGMAX);
}

static void problem_free(Problem *p) {
  nnp_data_free(p->data);
  nnp_net_free(p->net);
}

/* ---- Standard sampling ----------------------------------------------------------------------- */

typedef struct Options {
  int32_t sampler, posterior;
  int32_t names[3];
  double numbers[3];
  int count;
  int64_t draws, thin, threads;
} Options;

static const Options standard = {NNP_GIBBS, NNP_INTERMEDIATE, {0}, {0}, 0, DRAWS, THIN, 1};

/* Tried and moved, by kind, of the first chain of the last sampling by Gibbs. */
static double moved[2 * NNP_MOVE_KINDS];

static void count_moves(const nnp_chain *chain) {
  nnp_move_count count;
  int32_t move;
  for (move = 0; move < NNP_MOVE_KINDS; ++move) {
    ok(nnp_chain_moves(chain, NNP_MOVE_PLAIN + move, &count, &err));
    moved[2 * move] = (double)count.tried;
    moved[2 * move + 1] = (double)count.moved;
  }
}

/* Chains that are ready to be drawn from. */
static void warm_up(const Problem *p, const Options *o, nnp_pool *pool, nnp_chain **chains) {
  const int gradient = o->sampler != NNP_GIBBS;
  int c, i;
  for (c = 0; c < CHAINS; ++c) {
    ok(nnp_chain_create(chains + c, p->net, p->data, o->sampler, o->posterior, &err));
    for (i = 0; i < o->count; ++i) ok(nnp_chain_set(chains[c], o->names[i], o->numbers[i], &err));
    if (gradient) ok(nnp_chain_set(chains[c], NNP_OPTION_WARMUP, 30, &err));
  }
  ok(nnp_chain_use_pool(chains[0], pool, &err));
  ok(nnp_chains_start(chains, CHAINS, NNP_START_FIT, SEED, NULL, NULL, &err));
  ok(nnp_chains_run(chains, CHAINS, gradient ? 30 : 10, NULL, NULL, &err));
}

static void sample(const Problem *p, const Options *o, double *draws) {
  nnp_chain *chains[CHAINS];
  nnp_pool *pool;
  int c;
  ok(nnp_pool_create(&pool, o->threads, &err));
  warm_up(p, o, pool, chains);
  ok(nnp_chains_sample(chains, CHAINS, draws, o->draws, o->thin, NULL, NULL, &err));
  if (o->sampler == NNP_GIBBS) count_moves(chains[0]);
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  nnp_pool_free(pool);
}

static void fit_scenario(const char *name, Problem p, int32_t prediction) {
  static double draws[MOST], out[MOST];
  nnp_predictor *predictor;
  begin(name, 1);
  sample(&p, &standard, draws);
  write_bits(draws, p.parameters * DRAWS * CHAINS);
  ok(nnp_predictor_create(&predictor, p.net, DRAWS * CHAINS, &err));
  ok(nnp_predict(predictor, p.data, draws, DRAWS * CHAINS, prediction, out, &err));
  write_bits(out, p.outputs * ROWS);
  nnp_predictor_free(predictor);
  problem_free(&p);
  end(1);
}

static void location_scale_scenario(Options hmc) {
  static double draws[MOST], out[MOST];
  Problem p = dense_problem(NNP_LOCATION_SCALE);
  nnp_chain *chain = NULL;
  nnp_predictor *predictor;
  begin("location_scale", 1);
  EXPECT(nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err) ==
         NNP_E_UNSUPPORTED);
  sample(&p, &hmc, draws);
  write_bits(draws, p.parameters * DRAWS * CHAINS);
  ok(nnp_predictor_create(&predictor, p.net, DRAWS * CHAINS, &err));
  ok(nnp_predictor_posterior(predictor, NNP_CLASSICAL, &err));
  ok(nnp_predict(predictor, p.data, draws, DRAWS * CHAINS, NNP_PREDICT_MEAN, out, &err));
  write_bits(out, ROWS);
  nnp_predictor_free(predictor);
  problem_free(&p);
  end(1);
}

static void descent_scenario(void) {
  static double draws[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chain = NULL;
  nnp_descent made;
  begin("descent", 1);
  ok(nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  ok(nnp_chain_start(chain, NNP_START_PRIOR, SEED, 0, &err));
  EXPECT(nnp_chain_descend(chain, -1, NULL, NULL, &err) == NNP_E_SIZE);
  ok(nnp_chain_descend(chain, 20, NULL, NULL, &err));
  ok(nnp_chain_descent(chain, &made, &err));
  EXPECT(made.steps == 20 && made.ended == NNP_DESCENT_STEPS && made.after > made.before);
  ok(nnp_chain_start(chain, NNP_START_FIT, SEED, 0, &err));
  ok(nnp_chain_sample(chain, draws, 5, 1, NULL, NULL, &err));
  write_bits(draws, p.parameters * 5);
  nnp_chain_free(chain);
  problem_free(&p);
  end(1);
}

static void student_t_scenario(void) {
  Problem p = dense_problem(NNP_STUDENT_T);
  double freedom = 0;
  scenario = "student_t";
  ok(nnp_net_set(p.net, NNP_HEAD, NNP_FREEDOM, 3, &err));
  EXPECT(nnp_net_set(p.net, NNP_HEAD, NNP_FREEDOM, -1, &err) == NNP_E_VALUE);
  ok(nnp_net_get(p.net, NNP_HEAD, NNP_FREEDOM, &freedom, &err));
  EXPECT(freedom == 3);
  fit_scenario("student_t", p, NNP_PREDICT_MEAN);
}

static void predict_bits(nnp_predictor *predictor, const Problem *p, const double *draws,
                         int32_t kind, int64_t size) {
  static double out[MOST];
  ok(nnp_predict(predictor, p->data, draws, DRAWS * CHAINS, kind, out, &err));
  write_bits(out, size);
}

static void fitted_scenario(void) {
  static const double levels[] = {0.1, 0.5, 0.9};
  static double draws[MOST], out[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN), classes = dense_problem(NNP_ARGMAX);
  nnp_predictor *predictor;
  nnp_net *copy;
  double scores[2], temperature = 0;
  begin("fitted", 1);
  sample(&p, &standard, draws);
  ok(nnp_net_copy(&copy, p.net, &err));
  ok(nnp_net_set(p.net, NNP_ALL_LAYERS, NNP_NOISE, 5, &err));
  ok(nnp_predictor_create(&predictor, copy, DRAWS * CHAINS, &err));
  ok(nnp_predictor_levels(predictor, levels, 3, &err));
  predict_bits(predictor, &p, draws, NNP_PREDICT_SD, ROWS);
  predict_bits(predictor, &p, draws, NNP_PREDICT_QUANTILES, 3 * ROWS);
  ok(nnp_score(predictor, p.data, draws, DRAWS * CHAINS, NNP_SCORE_LOG, scores, &err));
  ok(nnp_log_lik(predictor, p.data, draws, DRAWS * CHAINS, out, &err));
  ok(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  predict_bits(predictor, &p, draws, NNP_PREDICT_MEAN, ROWS);
  predict_bits(predictor, &p, draws, NNP_PREDICT_SD, ROWS);
  ok(nnp_score(predictor, p.data, draws, DRAWS * CHAINS, NNP_SCORE_LOG, scores + 1, &err));
  write_bits(scores, 2);
  write_bits(out, ROWS * DRAWS * CHAINS);
  ok(nnp_net_temperature(classes.net, &temperature, &err));
  EXPECT(temperature == 0.2);
  nnp_predictor_free(predictor);
  nnp_net_free(copy);
  problem_free(&p);
  problem_free(&classes);
  end(1);
}

static void kept_scenario(void) {
  enum { KEPT = 5 };
  static const int32_t what[KEPT] = {NNP_KEEP_FUNCTIONS, NNP_KEEP_LOG_LIK, NNP_KEEP_MEAN,
                                     NNP_KEEP_PREDICTIONS, NNP_KEEP_PARAMETERS};
  static double values[KEPT][MOST], draws[MOST];
  const char *path = "scenarios_c.draws";
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chains[CHAINS];
  nnp_pool *pool;
  nnp_predictor *predictor;
  nnp_keeper *keeper;
  nnp_draws_file *file;
  nnp_draws view;
  nnp_kept kept[KEPT];
  int64_t width[KEPT];
  int i;
  begin("kept", 1);
  remove(path);
  memset(kept, 0, sizeof kept);
  ok(nnp_pool_create(&pool, 1, &err));
  ok(nnp_predictor_create(&predictor, p.net, 1, &err));
  for (i = 0; i < KEPT; ++i) {
    kept[i].what = what[i];
    kept[i].moments = what[i] == NNP_KEEP_PARAMETERS;
    kept[i].predictor = kept[i].moments ? NULL : predictor;
    kept[i].data = kept[i].moments ? NULL : p.data;
  }
  warm_up(&p, &standard, pool, chains);
  ok(nnp_keeper_create(&keeper, p.net, kept, KEPT, CHAINS, &err));
  ok(nnp_draws_file_create(&file, path, keeper, 4, DRAWS, &err));
  ok(nnp_keeper_file(keeper, 4, file, &err));
  for (i = 0; i < KEPT; ++i) {
    ok(nnp_keeper_width(keeper, i, width + i, &err));
    if (i < 4) ok(nnp_keeper_store(keeper, i, values[i], DRAWS, &err));
  }
  ok(nnp_chains_keep(chains, CHAINS, keeper, DRAWS, THIN, NULL, NULL, &err));
  nnp_draws_file_free(file);
  for (i = 0; i < 4; ++i) write_bits(values[i], width[i] * DRAWS * CHAINS);
  ok(nnp_keeper_moments(keeper, 4, NNP_ALL_CHAINS, values[0], values[1], NULL, &err));
  write_bits(values[0], width[4]);
  write_bits(values[1], width[4]);
  sample(&p, &standard, draws);
  ok(nnp_draws_file_open(&file, path, p.net, &err));
  ok(nnp_draws_file_view(file, &view, &err));
  EXPECT(view.draws == DRAWS && view.chains == CHAINS);
  EXPECT(memcmp(view.values, draws, (size_t)(p.parameters * DRAWS * CHAINS) * 8) == 0);
  nnp_draws_file_free(file);
  EXPECT(nnp_draws_file_create(&file, path, keeper, 4, DRAWS, &err) == NNP_E_FILE);
  remove(path);
  nnp_keeper_free(keeper);
  for (i = 0; i < CHAINS; ++i) nnp_chain_free(chains[i]);
  nnp_predictor_free(predictor);
  nnp_pool_free(pool);
  problem_free(&p);
  end(1);
}

static void learning(void) {
  static double draws[MOST];
  const double none[] = {1, 0, 1};
  double shape = 0, mean = 0;
  int64_t first = 0, count = 0;
  char name[64];
  Problem p = dense_problem(NNP_GAUSSIAN);
  begin("learning", 1);
  ok(nnp_net_learn_tied(p.net, NULL, 0, 0, &err));
  ok(nnp_net_learn(p.net, 1, NNP_ARD, 2, 5, &err));
  ok(nnp_net_learn(p.net, 3, NNP_LAMBDA_W, 0, 0, &err));
  ok(nnp_net_parameters(p.net, &p.parameters, &err));
  ok(nnp_net_parameter_name(p.net, p.parameters - 1, name, sizeof name, &err));
  EXPECT(p.parameters == 26 && strcmp(name, "lambda_w2") == 0);
  ok(nnp_net_learned(p.net, 1, NNP_ARD, &shape, &mean, &first, &count, &err));
  EXPECT(shape == 2 && mean == 5 && first == 22 && count == 3);
  EXPECT(nnp_net_learn_tied(p.net, none, 0, 0, &err) == NNP_E_VALUE);
  sample(&p, &standard, draws);
  write_bits(draws, p.parameters * DRAWS * CHAINS);
  ok(nnp_net_fix(p.net, 1, NNP_ARD, &err));
  ok(nnp_net_learned(p.net, 1, NNP_ARD, &shape, &mean, &first, &count, &err));
  EXPECT(count == 0);
  problem_free(&p);
  end(1);
}

/* Either network of the scenario. */
static Problem padded_problem(int max) {
  nnp_net *net;
  nnp_data *data = inputs(36, 5);
  ok(nnp_net_create_image(&net, 1, 6, 6, &err));
  ok(nnp_net_conv2d(net, 2, 3, 3, 1, 1, &err));
  ok(nnp_net_set(net, 1, NNP_PADDING_Y, max ? 1 : 2, &err));
  ok(nnp_net_set(net, 1, NNP_PADDING_X, 1, &err));
  ok(max ? nnp_net_maxpool(net, 2, 2, &err) : nnp_net_avgpool(net, 2, 2, &err));
  ok(nnp_net_activation(net, max ? NNP_TANH : NNP_RELU, &err));
  ok(nnp_net_dense(net, 3, &err));
  set_labels(data, NNP_ARGMAX);
  return finish(net, data, NNP_ARGMAX);
}

static void layers_scenario(Options hmc) {
  static double draws[MOST];
  int max, good = 1;
  begin("layers", 1);
  for (max = 0; max < 2; ++max) {
    Problem p = padded_problem(max);
    int64_t layer = 0;
    double noise = 0;
    ok(nnp_net_find_layer(p.net, "W2", &layer, &err));
    ok(nnp_net_set(p.net, layer, NNP_NOISE, 0.5, &err));
    ok(nnp_net_get(p.net, 4, NNP_NOISE, &noise, &err));
    good = good && layer == 4 && noise == 0.5;
    good = good && nnp_net_find_layer(p.net, "W3", &layer, &err) == NNP_E_OPTION;
    sample(&p, max ? &hmc : &standard, draws);
    write_bits(draws, p.parameters * DRAWS * CHAINS);
    problem_free(&p);
  }
  {
    nnp_net *net;
    ok(nnp_net_create_image(&net, 1, 6, 6, &err));
    ok(nnp_net_conv2d(net, 2, 3, 3, 1, 1, &err));
    good = good && nnp_net_set(net, 1, NNP_PADDING_Y, 3, &err) == NNP_E_VALUE;
    nnp_net_free(net);
  }
  end(good);
}

static void sampler_scenario(const char *name, Options o) {
  static double draws[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  begin(name, 1);
  sample(&p, &o, draws);
  write_bits(draws, p.parameters * DRAWS * CHAINS);
  if (o.sampler == NNP_GIBBS) write_bits(moved, 2 * NNP_MOVE_KINDS);
  problem_free(&p);
  end(1);
}

/* ---- The others ------------------------------------------------------------------------------ */

static nnp_chain *gibbs_chain(const Problem *p, uint64_t seed, uint64_t number) {
  nnp_chain *chain;
  ok(nnp_chain_create(&chain, p->net, p->data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  ok(nnp_chain_start(chain, NNP_START_PRIOR, seed, number, &err));
  return chain;
}

static void labels_are_read_back(void) {
  Problem p = dense_problem(NNP_ARGMAX);
  int32_t labels[ROWS];
  double *v = values(ROWS, 3);
  int i;
  ok(nnp_data_labels(p.data, labels, &err));
  for (i = 0; i < ROWS; ++i) EXPECT(labels[i] == (int32_t)floor(1.5 * (v[i] + 1)));
  free(v);
  problem_free(&p);
}

static void teacher_and_study(void) {
  static double parameters[MOST], sites[MOST], draws[MOST], targets[ROWS];
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_data *test = inputs(3, 1);
  nnp_teacher *teacher;
  nnp_chain *chains[2];
  nnp_study *study;
  nnp_series series;
  nnp_criteria_times times;
  char text[1024];
  int64_t latents;
  begin("teacher", 1);
  ok(nnp_net_latents(p.net, &latents, &err));
  ok(nnp_teacher_create(&teacher, p.net, NNP_INTERMEDIATE, 5, 0, &err));
  ok(nnp_teacher_label(teacher, p.data, 1, sites, &err));
  ok(nnp_teacher_label(teacher, test, 0, NULL, &err));
  ok(nnp_teacher_parameters(teacher, parameters, &err));
  write_bits(parameters, p.parameters);
  write_bits(sites, latents * ROWS);
  ok(nnp_data_targets(p.data, targets, NNP_COLUMN_MAJOR, &err));
  write_bits(targets, ROWS);
  chains[0] = gibbs_chain(&p, 5, 0);
  chains[1] = gibbs_chain(&p, 5, 1);
  ok(nnp_chain_start_teacher(chains[0], teacher, sites, 5, 0, &err));
  ok(nnp_chain_sample(chains[0], draws, DRAWS, 1, NULL, NULL, &err));
  write_bits(draws, p.parameters * DRAWS);
  labels_are_read_back();
  end(1);

  begin("study", 1);
  ok(nnp_chain_start_teacher(chains[0], teacher, sites, 5, 0, &err));
  ok(nnp_chain_start(chains[1], NNP_START_ZERO, 5, 1, &err));
  ok(nnp_study_create(&study, chains, 2, test, 4096, &err));
  ok(nnp_study_set(study, NNP_STUDY_STEPS, 600, &err));
  ok(nnp_study_set(study, NNP_STUDY_STOP, 0, &err));
  ok(nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, 0, &err));
  ok(nnp_study_run(study, NULL, NULL, &err));
  ok(nnp_study_series(study, 1, NNP_SERIES_TEST, &series, &err));
  EXPECT(series.count > 100);
  write_bits(series.values, series.count);
  ok(nnp_study_report(study, 1, &times, &err));
  ok(nnp_verdict_text(&times.verdict, text, sizeof text, &err));
  EXPECT(strstr(text, "thermalized") || strstr(text, "undecided"));
  end(1);
  nnp_study_free(study);
  nnp_chain_free(chains[1]);
  nnp_chain_free(chains[0]);
  nnp_teacher_free(teacher);
  nnp_data_free(test);
  problem_free(&p);
}

static void multistart(void) {
  static double parameters[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chains[3];
  nnp_multistart *all;
  nnp_attempt one;
  char text[512];
  int64_t best;
  int c;
  begin("multistart", 1);
  for (c = 0; c < 3; ++c)
    ok(nnp_chain_create(chains + c, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  ok(nnp_multistart_create(&all, chains, 3, &err));
  ok(nnp_multistart_set(all, NNP_MULTISTART_STEPS, 3000, &err));
  ok(nnp_multistart_run(all, SEED, NULL, NULL, &err));
  for (c = 0; c < 3; ++c) {
    double numbers[3];
    ok(nnp_multistart_report(all, c, &one, &err));
    numbers[0] = one.error;
    numbers[1] = (double)one.rank;
    numbers[2] = (double)one.steps;
    write_bits(numbers, 3);
  }
  ok(nnp_multistart_best(all, &best, &err));
  ok(nnp_chain_parameters(chains[best], parameters, &err));
  write_bits(parameters, p.parameters);
  ok(nnp_multistart_print(all, text, sizeof text, &err));
  EXPECT(strstr(text, "rank"));
  nnp_multistart_free(all);
  for (c = 0; c < 3; ++c) nnp_chain_free(chains[c]);
  problem_free(&p);
  end(1);
}

static void exchange(void) {
  enum { REPLICAS = 6, SWEEPS = 10 };
  static double draws[MOST], again[MOST];
  static int32_t levels[REPLICAS * SWEEPS];
  const double flat[] = {0, 0.5, 0.5, 1};
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chains[REPLICAS];
  nnp_exchange *made;
  nnp_exchange_summary found;
  char text[768];
  size_t bytes;
  int64_t i;
  begin("exchange", 1);
  for (i = 0; i < REPLICAS; ++i)
    ok(nnp_chain_create(chains + i, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  ok(nnp_exchange_create(&made, chains, REPLICAS, &err));
  ok(nnp_exchange_set(made, NNP_EXCHANGE_ROUNDS, 3, &err));
  ok(nnp_exchange_set(made, NNP_EXCHANGE_FIRST_ROUND, 10, &err));
  EXPECT(nnp_exchange_set_ladder(made, flat, 4, &err) == NNP_E_VALUE);
  ok(nnp_exchange_start(made, NNP_EXCHANGE_FROM_PRIOR, SEED, &err));
  ok(nnp_exchange_tune(made, NULL, NULL, &err));
  ok(nnp_exchange_save_bytes(made, &bytes, &err));
  void *saved = malloc(bytes);
  ok(nnp_exchange_save(made, saved, bytes, &err));
  ok(nnp_exchange_record(made, levels, SWEEPS, &err));
  ok(nnp_exchange_sample(made, draws, 5, 2, NULL, NULL, &err));
  write_bits(draws, 5 * p.parameters);
  ok(nnp_exchange_report(made, &found, &err));
  for (i = 0; i < found.replicas; ++i) {
    nnp_exchange_rung rung;
    ok(nnp_exchange_level(made, i, &rung, &err));
    write_bits(&rung.power, 1);
  }
  write_bits(&found.barrier, 1);
  write_bits(&found.log_evidence, 1);
  for (i = 0; i < found.replicas * SWEEPS; ++i) {
    const double level = levels[i];
    write_bits(&level, 1);
  }
  ok(nnp_exchange_restore(made, saved, bytes, &err));
  ok(nnp_exchange_sample(made, again, 5, 2, NULL, NULL, &err));
  EXPECT(memcmp(draws, again, (size_t)(5 * p.parameters) * sizeof(double)) == 0);
  ok(nnp_exchange_text(made, text, sizeof text, &err));
  EXPECT(strstr(text, "log evidence"));
  free(saved);
  nnp_exchange_free(made);
  for (i = 0; i < REPLICAS; ++i) nnp_chain_free(chains[i]);
  problem_free(&p);
  end(1);
}

static void twin(void) {
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chain = gibbs_chain(&p, SEED, 0);
  nnp_twin *made;
  nnp_verdict verdict;
  nnp_series series;
  char text[256];
  int which;
  begin("twin", 1);
  ok(nnp_chain_run(chain, 10, NULL, NULL, &err));
  ok(nnp_twin_create(&made, chain, &err));
  ok(nnp_twin_run(made, 200, 1, 5, NULL, NULL, &err));
  for (which = 0; which < 2; ++which) {
    ok(nnp_twin_series(made, which, &series, &err));
    write_bits(series.values, series.count);
  }
  ok(nnp_twin_report(made, &verdict, &err));
  ok(nnp_twin_text(made, text, sizeof text, &err));
  EXPECT(strstr(text, "its twin in equilibrium"));
  nnp_twin_free(made);
  nnp_chain_free(chain);
  problem_free(&p);
  end(1);
}

/* A fit of y, or of labels. */
static void write_table(const double *x, const double *y, const int32_t *labels) {
  static const double settings[][2] = {{NNP_TABLE_CHAINS, CHAINS}, {NNP_TABLE_SEED, SEED},
                                       {NNP_TABLE_WARMUP, 10},     {NNP_TABLE_DRAWS, DRAWS},
                                       {NNP_TABLE_THIN, THIN},     {NNP_TABLE_THREADS, 1}};
  const int64_t units = 3;
  nnp_table *table;
  nnp_inside inside;
  ok(nnp_table_create(&table, &err));
  ok(nnp_table_hidden(table, &units, 1, &err));
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
    ok(nnp_table_set(table, (int32_t)settings[i][0], settings[i][1], &err));
  if (y) ok(nnp_table_fit(table, x, y, ROWS, 3, 1, NNP_COLUMN_MAJOR, &err));
  if (labels) ok(nnp_table_fit_labels(table, x, labels, ROWS, 3, NNP_COLUMN_MAJOR, &err));
  ok(nnp_table_inside(table, &inside, &err));
  EXPECT(inside.stacked == 1 && inside.draw_count == DRAWS);
  write_bits(inside.draws, inside.parameters * DRAWS * CHAINS);
  write_bits(inside.weights, CHAINS);
  nnp_table_free(table);
}

static void table_scenario(void) {
  double *x = values(ROWS * 3, 1), *y = values(ROWS, 2), *v = values(ROWS, 3), *w = values(ROWS, 4);
  int32_t three[ROWS], two[ROWS];
  int i;
  begin("table", 1);
  for (i = 0; i < ROWS; ++i) {
    x[ROWS + i] *= 1024;
    y[i] *= 64;
    three[i] = (int32_t)floor(1.5 * (v[i] + 1));
    two[i] = w[i] >= 0 ? 1 : -1;
  }
  write_table(x, y, NULL);
  write_table(x, NULL, three);
  write_table(x, NULL, two);
  free(w);
  free(v);
  free(y);
  free(x);
  end(1);
}

static void write_counts(const int64_t *counts, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i) {
    const double number = (double)counts[i];
    write_bits(&number, 1);
  }
}

static void calibration(void) {
  static double draws[MOST], truth[MOST], zeros[MOST], ones[MOST], z[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  Options o = standard;
  nnp_teacher *teacher;
  nnp_draws posterior, second;
  int64_t ranks[64], counts[11];
  double p_value;
  size_t bytes;
  void *memory;
  int i;
  begin("calibration", 1);
  ok(nnp_teacher_create(&teacher, p.net, NNP_INTERMEDIATE, 5, 0, &err));
  ok(nnp_teacher_parameters(teacher, truth, &err));
  sample(&p, &o, draws);
  ok(nnp_draws_init(&posterior, draws, p.parameters, DRAWS, CHAINS, &err));
  ok(nnp_sbc_ranks(truth, &posterior, NULL, ranks, &err));
  write_counts(ranks, p.parameters);
  ok(nnp_sbc_histogram(ranks, 1, p.parameters, DRAWS * CHAINS, 11, counts, &p_value, &err));
  write_counts(counts, 11);
  write_bits(&p_value, 1);

  o.draws = 40;
  o.thin = 1;
  sample(&p, &o, draws);
  for (i = 0; i < MOST; ++i) ones[i] = 1;
  ok(nnp_draws_init(&posterior, draws, p.parameters, 40, CHAINS, &err));
  ok(nnp_geweke_bytes(&posterior, &posterior, &bytes, &err));
  memory = malloc(bytes);
  ok(nnp_geweke_moments(&posterior, zeros, ones, z, &p_value, memory, bytes, &err));
  write_bits(z, 2 * p.parameters);
  write_bits(&p_value, 1);
  ok(nnp_draws_init(&posterior, draws, p.parameters, 40, 1, &err));
  ok(nnp_draws_init(&second, draws + p.parameters * 40, p.parameters, 40, 1, &err));
  ok(nnp_geweke_draws(&posterior, &second, z, &p_value, memory, bytes, &err));
  write_bits(z, 2 * p.parameters);
  write_bits(&p_value, 1);
  free(memory);
  nnp_teacher_free(teacher);
  problem_free(&p);
  end(1);
}

static void resume(void) {
  static double first[MOST], again[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chain = gibbs_chain(&p, SEED, 0), *other = gibbs_chain(&p, 1, 0);
  size_t bytes;
  char *saved;
  begin("resume", 1);
  ok(nnp_chain_run(chain, 10, NULL, NULL, &err));
  ok(nnp_chain_save_bytes(chain, &bytes, &err));
  saved = malloc(bytes);
  ok(nnp_chain_save(chain, saved, bytes, &err));
  ok(nnp_chain_sample(chain, first, DRAWS, 1, NULL, NULL, &err));
  ok(nnp_chain_restore(other, saved, bytes, &err));
  ok(nnp_chain_sample(other, again, DRAWS, 1, NULL, NULL, &err));
  EXPECT(memcmp(first, again, sizeof(double) * (size_t)(p.parameters * DRAWS)) == 0);
  write_bits(again, p.parameters * DRAWS);
  free(saved);
  nnp_chain_free(other);
  nnp_chain_free(chain);
  problem_free(&p);
  end(1);
}

static void bad_input(void) {
  Problem p = dense_problem(NNP_ARGMAX);
  nnp_chain *chain;
  nnp_net *net;
  double x[ROWS * 3] = {0};
  int32_t labels[ROWS] = {3};
  begin("bad_input", 0);
  EXPECT(nnp_net_set(p.net, NNP_ALL_LAYERS, NNP_NOISE, -1, &err) == NNP_E_VALUE);
  EXPECT(strcmp(err.message, "noise = -1: expected a positive, finite number") == 0);
  x[7] = NAN;
  EXPECT(nnp_data_set_inputs(p.data, x, NNP_COLUMN_MAJOR, &err) == NNP_E_NOT_FINITE);
  ok(nnp_data_set_labels(p.data, labels, &err));
  EXPECT(nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err) == NNP_E_LABEL);
  ok(nnp_net_create(&net, 3, &err));
  ok(nnp_net_dense(net, 3, &err));
  EXPECT(nnp_chain_create(&chain, net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, &err) == NNP_E_NO_HEAD);
  nnp_net_free(net);
  problem_free(&p);
  end(0);
}

static int32_t stop_at_7(const nnp_progress *progress, void *user) {
  ++*(int *)user;
  return progress->step == 7;
}

static void cancel(void) {
  static double draws[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chain = gibbs_chain(&p, SEED, 0);
  int64_t steps;
  int calls = 0;
  begin("cancel", 0);
  EXPECT(nnp_chain_run(chain, 100, stop_at_7, &calls, &err) == NNP_STOPPED);
  ok(nnp_chain_steps(chain, &steps, &err));
  EXPECT(steps == 7 && calls == 7);
  EXPECT(nnp_chain_sample(chain, draws, 50, 2, stop_at_7, &calls, &err) == NNP_STOPPED);
  ok(nnp_chain_steps(chain, &steps, &err));
  EXPECT((steps - 7) / 2 == 3 && calls == 14);
  nnp_chain_free(chain);
  problem_free(&p);
  end(0);
}

static void seeds(void) {
  static const uint64_t pairs[][2] = {{9007199254740991u, 0}, {11, 0}, {12, 0}, {11, 1}, {11, 0}};
  static double draws[5][MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  const size_t bytes = sizeof(double) * (size_t)(p.parameters * DRAWS);
  int i;
  begin("seeds", 1);
  for (i = 0; i < 5; ++i) {
    nnp_chain *chain = gibbs_chain(&p, pairs[i][0], pairs[i][1]);
    ok(nnp_chain_sample(chain, draws[i], DRAWS, 1, NULL, NULL, &err));
    nnp_chain_free(chain);
  }
  EXPECT(memcmp(draws[1], draws[2], bytes) != 0);
  EXPECT(memcmp(draws[1], draws[3], bytes) != 0);
  EXPECT(memcmp(draws[1], draws[4], bytes) == 0);
  write_bits(draws[0], p.parameters * DRAWS);
  problem_free(&p);
  end(1);
}

static void threads(void) {
  static double one[MOST], two[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  Options o = standard;
  char text[1024];
  begin("threads", 0);
  sample(&p, &o, one);
  ok(nnp_build_info(text, sizeof text, &err));
  o.threads = strstr(text, "threads: yes") ? 2 : 1;
  sample(&p, &o, two);
  EXPECT(memcmp(one, two, sizeof(double) * (size_t)(p.parameters * DRAWS * CHAINS)) == 0);
  problem_free(&p);
  end(0);
}

static void diagnostics(void) {
  static const int32_t statistics[] = {NNP_STAT_RHAT, NNP_STAT_ESS_BULK, NNP_STAT_ESS_TAIL,
                                       NNP_STAT_MCSE_MEAN, NNP_STAT_QUANTILE};
  static double draws[MOST], out[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  Options o = standard;
  nnp_draws where;
  size_t bytes;
  void *memory;
  int i;
  begin("diagnostics", 1);
  o.draws = 40;
  o.thin = 1;
  sample(&p, &o, draws);
  ok(nnp_draws_init(&where, draws, p.parameters, 40, CHAINS, &err));
  ok(nnp_statistic_bytes(&where, &bytes, &err));
  memory = malloc(bytes);
  for (i = 0; i < 5; ++i) {
    ok(nnp_statistic(&where, statistics[i], 0.9, out, memory, bytes, &err));
    write_bits(out, p.parameters);
  }
  free(memory);
  problem_free(&p);
  end(1);
}

static void converged(void) {
  static double draws[MOST], values[MOST];
  Problem p = dense_problem(NNP_GAUSSIAN);
  Options o = standard;
  nnp_predictor *predictor;
  nnp_convergence found;
  nnp_draws where;
  int64_t count;
  size_t bytes;
  void *memory;
  char text[160];
  double told[3];
  begin("converged", 1);
  o.draws = 40;
  o.thin = 1;
  sample(&p, &o, draws);
  ok(nnp_predictor_create(&predictor, p.net, 1, &err));
  ok(nnp_functions_count(predictor, p.data, 0, &count, &err));
  ok(nnp_functions(predictor, p.data, draws, 40 * CHAINS, 0, values, &err));
  write_bits(values, count * 40 * CHAINS);
  ok(nnp_draws_init(&where, values, count, 40, CHAINS, &err));
  ok(nnp_convergence_bytes(&where, &bytes, &err));
  memory = malloc(bytes);
  ok(nnp_convergence_of(&where, &found, memory, bytes, &err));
  ok(nnp_convergence_text(&found, text, sizeof text, &err));
  told[0] = found.rhat;
  told[1] = found.ess_bulk;
  told[2] = found.ess_tail;
  write_bits(told, 3);
  EXPECT(found.verdict > NNP_CONVERGED && strstr(text, "R-hat up to"));
  free(memory);
  nnp_predictor_free(predictor);
  problem_free(&p);
  end(1);
}

static void large(void) {
  const int64_t inputs = 2147483648;
  Problem p = dense_problem(NNP_GAUSSIAN);
  nnp_chain *chain = gibbs_chain(&p, SEED, 0);
  nnp_net *net;
  int64_t parameters, shape[3];
  double draw;
  begin("large", 0);
  ok(nnp_net_create(&net, inputs, &err));
  ok(nnp_net_dense(net, 2, &err));
  ok(nnp_net_parameters(net, &parameters, &err));
  ok(nnp_net_shape(net, 0, shape, &err));
  EXPECT(parameters == 4294967298);
  EXPECT(shape[0] * shape[1] * shape[2] == inputs);
  nnp_net_free(net);
  EXPECT(nnp_net_create(&net, 2147483653, &err) == NNP_E_OVERFLOW);
  EXPECT(nnp_chain_sample(chain, &draw, INT64_C(1) << 62, 1, NULL, NULL, &err) == NNP_E_OVERFLOW);
  nnp_chain_free(chain);
  problem_free(&p);
  end(0);
}

/* Kilobytes of memory in use. */
static long resident(void) {
  long total = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void memory(void) {
  long before = 0;
  int i;
  begin("memory", 0);
  for (i = 0; i < 11000; ++i) {
    Problem p = dense_problem(NNP_GAUSSIAN);
    nnp_chain *chain = gibbs_chain(&p, SEED, 0);
    nnp_predictor *predictor;
    ok(nnp_predictor_create(&predictor, p.net, 10, &err));
    nnp_predictor_free(predictor);
    nnp_chain_free(chain);
    problem_free(&p);
    if (i == 1000) before = resident(); /* what is needed once is there by then */
  }
  EXPECT(resident() - before < 8192);
  end(0);
}

int main(int count, char **arguments) {
  static const Options moves = {NNP_GIBBS,
                                NNP_INTERMEDIATE,
                                {NNP_OPTION_RELAX, NNP_OPTION_UNIT_MOVES, NNP_OPTION_SCALE_MOVES},
                                {-0.9, 1, 1},
                                3,
                                DRAWS,
                                THIN,
                                1};
  static const Options hmc = {NNP_HMC, NNP_CLASSICAL, {NNP_OPTION_LEAPFROGS}, {5}, 1, DRAWS, THIN,
                              1};
  static const Options mala = {NNP_MALA, NNP_INTERMEDIATE, {0}, {0}, 0, DRAWS, THIN, 1};
  static const Options nuts = {NNP_NUTS, NNP_CLASSICAL, {0}, {0}, 0, DRAWS, THIN, 1};
  bits = count > 1 ? fopen(arguments[1], "w") : NULL;
  if (!bits) return 2;
  fit_scenario("regression", dense_problem(NNP_GAUSSIAN), NNP_PREDICT_MEAN);
  fit_scenario("classes", dense_problem(NNP_ARGMAX), NNP_PREDICT_PROBABILITIES);
  fit_scenario("binary", dense_problem(NNP_SIGN_HEAD), NNP_PREDICT_PROBABILITIES);
  student_t_scenario();
  learning();
  location_scale_scenario(hmc);
  descent_scenario();
  fit_scenario("cnn", cnn_problem(), NNP_PREDICT_PROBABILITIES);
  fitted_scenario();
  kept_scenario();
  table_scenario();
  layers_scenario(hmc);
  sampler_scenario("gibbs", moves);
  sampler_scenario("hmc", hmc);
  sampler_scenario("mala", mala);
  sampler_scenario("nuts", nuts);
  teacher_and_study();
  multistart();
  exchange();
  twin();
  calibration();
  resume();
  bad_input();
  cancel();
  seeds();
  threads();
  diagnostics();
  converged();
  large();
  memory();
  fclose(bits);
  printf("%d Tests %d Failures 0 Ignored\n", tests, failures);
  return failures;
}
