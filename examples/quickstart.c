/* quickstart: 8 relu units learn |x| from 100 points, sampled by Gibbs; what do they say at x = 1?
 * Build it against an installed copy:  cc quickstart.c $(pkg-config --cflags --libs nnpost) -lm */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 100, DRAWS = 1000 };

static nnp_error err;

/* Ends the program with the library's message if a call has failed. */
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

int main(void) {
  double x[ROWS], y[ROWS], at = 1, mean, sd;
  for (int i = 0; i < ROWS; ++i) {
    x[i] = -2 + 4.0 * i / (ROWS - 1);
    y[i] = fabs(x[i]); /* to be learned */
  }

  nnp_net *net; /* one input, 8 relu units, one output observed with noise */
  check(nnp_net_create(&net, 1, &err));
  check(nnp_net_dense(net, 8, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, 1, &err));
  check(nnp_net_head(net, NNP_GAUSSIAN, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-3, &err)); /* D, a variance */

  nnp_data *data, *fresh; /* the points, and a row to predict */
  check(nnp_data_create(&data, ROWS, 1, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  check(nnp_data_create(&fresh, 1, 1, 0, &err));
  check(nnp_data_set_inputs(fresh, &at, NNP_ROW_MAJOR, &err));

  int64_t parameters;
  check(nnp_net_parameters(net, &parameters, &err));
  double *draws = malloc(sizeof(double) * DRAWS * (size_t)parameters);
  if (!draws) return 1;
  nnp_chain *chain; /* 5000 steps to settle, then a draw every 10 steps */
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err)); /* seed 1, chain number 0 */
  check(nnp_chain_run(chain, 5000, NULL, NULL, &err));
  check(nnp_chain_sample(chain, draws, DRAWS, 10, NULL, NULL, &err));

  nnp_predictor *predictor;
  check(nnp_predictor_create(&predictor, net, DRAWS, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_MEAN, &mean, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_SD, &sd, &err));
  printf("y(1) = %.3f +- %.3f\n", mean, sd);

  nnp_predictor_free(predictor);
  nnp_chain_free(chain);
  free(draws);
  nnp_data_free(fresh);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
