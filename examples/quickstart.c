/* The whole of nnpost in one page: a network, some data, draws from its posterior, predictions.
 * Build it against an installed copy:  cc quickstart.c $(pkg-config --cflags --libs nnpost) -lm */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 200, INPUTS = 2, DRAWS = 500, POINTS = 5 };

static nnp_error err;

static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

/* What the network is to learn; inputs follow no pattern but are the same every time. */
static double truth(const double *x) {
  return fabs(x[0]) - 0.5 * x[1];
}

static double next(double *state) {
  *state = fmod(*state * 997.0 + 0.1234567, 1.0);
  return 4 * *state - 2;
}

int main(void) {
  static double x[ROWS * INPUTS], y[ROWS], points[POINTS * INPUTS], mean[POINTS], sd[POINTS];
  double state = 0.5;
  for (int i = 0; i < ROWS * INPUTS; ++i) x[i] = next(&state);
  for (int i = 0; i < ROWS; ++i) y[i] = truth(x + INPUTS * i) + 0.05 * next(&state);
  for (int i = 0; i < POINTS * INPUTS; ++i) points[i] = next(&state);

  nnp_net *net; /* 2 inputs -> 8 relu units -> 1 output with Gaussian noise */
  check(nnp_net_create(&net, INPUTS, &err));
  check(nnp_net_dense(net, 8, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, 1, &err));
  check(nnp_net_head(net, NNP_GAUSSIAN, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 2e-3, &err));

  nnp_data *data, *fresh;
  check(nnp_data_create(&data, ROWS, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  check(nnp_data_create(&fresh, POINTS, INPUTS, 0, &err));
  check(nnp_data_set_inputs(fresh, points, NNP_ROW_MAJOR, &err));

  nnp_chain *chain; /* 5000 steps to settle, then a draw every 20 steps */
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  check(nnp_chain_run(chain, 5000, NULL, NULL, &err));
  int64_t parameters;
  check(nnp_net_parameters(net, &parameters, &err));
  double *draws = malloc(sizeof(double) * DRAWS * (size_t)parameters);
  if (!draws) return 1;
  check(nnp_chain_sample(chain, draws, DRAWS, 20, NULL, NULL, &err));

  nnp_predictor *predictor;
  check(nnp_predictor_create(&predictor, net, DRAWS, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_MEAN, mean, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_SD, sd, &err));
  puts("      x1       x2    truth  predicted       sd");
  for (int i = 0; i < POINTS; ++i)
    printf("%8.3f %8.3f %8.3f %10.3f %8.3f\n", points[2 * i], points[2 * i + 1],
           truth(points + 2 * i), mean[i], sd[i]);

  free(draws);
  nnp_predictor_free(predictor);
  nnp_chain_free(chain);
  nnp_data_free(fresh);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
