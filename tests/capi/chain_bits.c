/* chain_bits [SIMD [BLAS [COUNT]]]: prints one line per scenario, with two hashes of bits at these
 * values of NNP_OPTION_SIMD (1) and NNP_OPTION_BLAS (0): that of a chain's draws; and that of
 * predictions, of the whole chain as it is saved, and of training errors of two chains and their
 * twins. COUNT: how many scenarios (all). See same_bits_test.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnpost_study.h"

enum { rows = 300, steps = 12, twin_steps = 64 };

static nnp_error err;
#define OK(call)                                          \
  do {                                                    \
    if ((call) != NNP_OK) {                               \
      fprintf(stderr, "%s: %s\n", scenario, err.message); \
      exit(1);                                            \
    }                                                     \
  } while (0)

static const char *scenario;
static double simd = 1, blas = NNP_BLAS_AUTOMATIC;
static int left = 100; /* scenarios still to run */
static int twins = 2;  /* Gibbs chains that still have one */

static double value(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 11) * 0x1p-52 - 1;
}

static uint64_t hash_of(uint64_t hash, const double *values, int64_t count) {
  int64_t i;
  for (i = 0; i < count; ++i) {
    uint64_t word;
    memcpy(&word, values + i, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

static double *room(int64_t count) {
  double *values = (double *)calloc((size_t)count, sizeof(double));
  if (!values) exit(1);
  return values;
}

static nnp_data *data_of(int64_t inputs, int64_t outputs, int32_t head) {
  nnp_data *data = NULL;
  double *x = room(rows * inputs), *y = room(rows * outputs);
  int32_t labels[rows];
  uint64_t seed = 5;
  int64_t i;
  for (i = 0; i < rows * inputs; ++i) x[i] = value(&seed);
  for (i = 0; i < rows * outputs; ++i) y[i] = value(&seed);
  for (i = 0; i < rows; ++i) {
    const double u = 0.5 * (value(&seed) + 1);
    labels[i] = head == NNP_SIGN_HEAD ? (u < 0.5 ? -1 : 1) : (int32_t)(u * (double)outputs);
  }
  OK(nnp_data_create(&data, rows, inputs, outputs, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  if (head == NNP_GAUSSIAN) {
    OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  } else {
    OK(nnp_data_set_labels(data, labels, &err));
  }
  free(x);
  free(y);
  return data;
}

static uint64_t predictions(uint64_t hash, const nnp_net *net, const nnp_data *data,
                            int32_t posterior, const double *draws, int64_t count,
                            int64_t outputs) {
  nnp_predictor *predictor = NULL;
  double *out = room(rows * outputs);
  OK(nnp_predictor_create(&predictor, net, count, &err));
  OK(nnp_predictor_set(predictor, NNP_OPTION_SIMD, simd, &err));
  OK(nnp_predictor_set(predictor, NNP_OPTION_BLAS, blas, &err));
  OK(nnp_predictor_posterior(predictor, posterior, &err));
  OK(nnp_predictor_noise(predictor, NNP_FITTED, 9, &err));
  OK(nnp_predict(predictor, data, draws, count, NNP_PREDICT_MEAN, out, &err));
  hash = hash_of(hash, out, rows * outputs);
  nnp_predictor_free(predictor);
  free(out);
  return hash;
}

/* What a chain predicts by itself; of Gibbs also the training errors of it and its twin. */
static uint64_t own_errors(uint64_t hash, nnp_chain *chain, const nnp_data *data, int32_t sampler,
                           int64_t outputs) {
  double *out = room(rows * outputs);
  nnp_twin *twin = NULL;
  OK(nnp_chain_predict(chain, data, out, &err));
  hash = hash_of(hash, out, rows * outputs);
  free(out);
  if (sampler != NNP_GIBBS || twins-- <= 0) return hash;
  OK(nnp_twin_create(&twin, chain, &err));
  OK(nnp_twin_run(twin, twin_steps, 1, 5, NULL, NULL, &err));
  for (int64_t which = 0; which < 2; ++which) {
    nnp_series series;
    OK(nnp_twin_series(twin, which, &series, &err));
    hash = hash_of(hash, series.values, series.count);
  }
  nnp_twin_free(twin);
  return hash;
}

static void run(nnp_net *net, int64_t inputs, int64_t outputs, int32_t head, int32_t sampler,
                int32_t posterior, double moves) {
  if (left-- <= 0) {
    nnp_net_free(net);
    return;
  }
  nnp_data *data = data_of(inputs, outputs, head);
  nnp_chain *chain = NULL;
  int64_t parameters = 0;
  size_t bytes = 0;
  double *draws, *saved;
  uint64_t hash = 0xcbf29ce484222325u, of_draws;
  OK(nnp_net_head(net, head, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, head == NNP_GAUSSIAN ? 0.1 : 0.5, &err));
  OK(nnp_net_parameters(net, &parameters, &err));
  OK(nnp_chain_create(&chain, net, data, sampler, posterior, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_SIMD, simd, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_BLAS, blas, &err));
  if (sampler == NNP_GIBBS) OK(nnp_chain_set(chain, NNP_OPTION_MOVES, moves, &err));
  if (sampler != NNP_GIBBS) {
    OK(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 0.003, &err));
    OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 6, &err));
  }
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 3, 0, &err));
  if (sampler != NNP_GIBBS) OK(nnp_chain_run(chain, 6, NULL, NULL, &err));
  draws = room(parameters * steps);
  OK(nnp_chain_sample(chain, draws, steps, 1, NULL, NULL, &err));
  hash = of_draws = hash_of(hash, draws, parameters * steps);
  hash = predictions(hash, net, data, posterior, draws, steps, outputs);
  OK(nnp_chain_save_bytes(chain, &bytes, &err)); /* all sites and streams, too */
  saved = room((int64_t)(bytes / 8 + 1));
  OK(nnp_chain_save(chain, saved, bytes, &err));
  hash = hash_of(hash, saved, (int64_t)(bytes / 8));
  hash = own_errors(hash, chain, data, sampler, outputs);
  printf("%s %016llx %016llx\n", scenario, (unsigned long long)of_draws, (unsigned long long)hash);
  free(saved);
  free(draws);
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

static nnp_net *mlp(int64_t inputs, int64_t width, int64_t outputs, int32_t activation) {
  nnp_net *net = NULL;
  OK(nnp_net_create(&net, inputs, &err));
  OK(nnp_net_dense(net, width, &err));
  OK(nnp_net_activation(net, activation, &err));
  OK(nnp_net_dense(net, width + 3, &err));
  OK(nnp_net_activation(net, activation, &err));
  OK(nnp_net_dense(net, outputs, &err));
  return net;
}

static nnp_net *cnn(int64_t outputs) {
  nnp_net *net = NULL;

  OK(nnp_net_create_image(&net, 1, 9, 9, &err));
  OK(nnp_net_conv2d(net, 2, 3, 3, 1, 1, &err));
  OK(nnp_net_avgpool(net, 2, 2, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, outputs, &err));
  return net;
}

int main(int count, char **arguments) {
  if (count > 1) simd = atof(arguments[1]);
  if (count > 2) blas = NNP_BLAS_AUTOMATIC + atof(arguments[2]);
  if (count > 3) left = atoi(arguments[3]);
  scenario = "dense, plain steps";
  run(mlp(7, 20, 2, NNP_RELU), 7, 2, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, 0);
  scenario = "dense, default moves";
  run(mlp(7, 20, 1, NNP_RELU), 7, 1, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, 1);
  scenario = "argmax, default moves";
  run(mlp(7, 20, 4, NNP_HARD_TANH), 7, 4, NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE, 1);
  scenario = "sign, default moves";
  run(mlp(7, 20, 1, NNP_ABS), 7, 1, NNP_SIGN_HEAD, NNP_GIBBS, NNP_INTERMEDIATE, 1);
  scenario = "convolution, default moves";
  run(cnn(10), 81, 10, NNP_ARGMAX, NNP_GIBBS, NNP_INTERMEDIATE, 1);
  scenario = "wide, plain steps";
  run(mlp(30, 120, 2, NNP_RELU), 30, 2, NNP_GAUSSIAN, NNP_GIBBS, NNP_INTERMEDIATE, 0);
  scenario = "hmc, intermediate";
  run(mlp(7, 20, 4, NNP_TANH), 7, 4, NNP_GAUSSIAN, NNP_HMC, NNP_INTERMEDIATE, 0);
  scenario = "hmc, convolution";
  run(cnn(10), 81, 10, NNP_ARGMAX, NNP_HMC, NNP_CLASSICAL, 0);
  scenario = "nuts, classical";
  run(mlp(7, 20, 1, NNP_SOFTPLUS), 7, 1, NNP_SIGN_HEAD, NNP_NUTS, NNP_CLASSICAL, 0);
  scenario = "mala, classical";
  run(mlp(7, 20, 2, NNP_RELU), 7, 2, NNP_GAUSSIAN, NNP_MALA, NNP_CLASSICAL, 0);
  return 0;
}
