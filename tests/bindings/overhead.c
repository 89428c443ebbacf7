/* overhead.c REPEATS: prints the processor time of 1000 Gibbs steps with a draw each, from arrays
 * to draws, best of several. The programs of the other languages do the same through their
 * bindings. */
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 400, INPUTS = 20, UNITS = 10, STEPS = 1000 };

static double x[ROWS * INPUTS], y[ROWS];

static void fill(double *out, int count, int64_t seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 16807 % 2147483647;
    out[i] = 2 * ((double)seed / 2147483647) - 1;
  }
}

static void ok(int32_t status) {
  if (status != NNP_OK) exit(1);
}

static double once(const nnp_net *net) {
  const clock_t began = clock();
  nnp_data *data;
  nnp_chain *chain;
  int64_t parameters;
  double *draws;
  ok(nnp_net_parameters(net, &parameters, NULL));
  draws = malloc(sizeof(double) * STEPS * (size_t)parameters);
  ok(nnp_data_create(&data, ROWS, INPUTS, 1, NULL));
  ok(nnp_data_set_inputs(data, x, NNP_COLUMN_MAJOR, NULL));
  ok(nnp_data_set_targets(data, y, NNP_COLUMN_MAJOR, NULL));
  ok(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, NULL));
  ok(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, NULL));
  ok(nnp_chain_sample(chain, draws, STEPS, 1, NULL, NULL, NULL));
  nnp_chain_free(chain);
  nnp_data_free(data);
  free(draws);
  return (double)(clock() - began) / CLOCKS_PER_SEC;
}

int main(int count, char **arguments) {
  const int repeats = count > 1 ? atoi(arguments[1]) : 1;
  double best = 1e300;
  nnp_net *net;
  fill(x, ROWS * INPUTS, 1);
  fill(y, ROWS, 2);
  ok(nnp_net_create(&net, INPUTS, NULL));
  ok(nnp_net_dense(net, UNITS, NULL));
  ok(nnp_net_activation(net, NNP_RELU, NULL));
  ok(nnp_net_dense(net, 1, NULL));
  ok(nnp_net_head(net, NNP_GAUSSIAN, NULL));
  for (int i = 0; i < repeats; ++i) {
    const double seconds = once(net);
    if (seconds < best) best = seconds;
  }
  nnp_net_free(net);
  printf("%.6f\n", best);
  return 0;
}
