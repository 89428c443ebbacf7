/* count_steps NETWORK LEVEL STEPS: so many plain Gibbs steps at a SIMD level (a value of NNP_OPTION_SIMD), for those who
 * count instructions: see count_test.sh. NETWORK: paper (50-10-1, 512 rows), classes (784-12-10, 256 rows) or
 * deep (20-20-20-1, 512 rows). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnpost.h"

#define OK(call)                                       \
  do {                                                 \
    if ((call) != NNP_OK) {                            \
      fprintf(stderr, "%s: %s\n", #call, err.message); \
      exit(1);                                         \
    }                                                  \
  } while (0)

static nnp_error err;

/* In [-1, 1), by splitmix64. */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

int main(int argc, char **argv) {
  const int classes = argc == 4 && strcmp(argv[1], "classes") == 0;
  const int deep = argc == 4 && strcmp(argv[1], "deep") == 0;
  const int64_t inputs = classes ? 784 : deep ? 20 : 50, rows = classes ? 256 : 512;
  const int64_t width = classes ? 12 : deep ? 20 : 10;
  double *x = (double *)malloc((size_t)(rows * inputs) * sizeof *x);
  double *y = (double *)malloc((size_t)rows * sizeof *y);
  int32_t *labels = (int32_t *)malloc((size_t)rows * sizeof *labels);
  uint64_t state = 1;
  nnp_net *net;
  nnp_data *data;
  nnp_chain *chain;
  if (argc != 4 || !x || !y || !labels) return 2;
  for (int64_t i = 0; i < rows * inputs; ++i) x[i] = uniform(&state);
  for (int64_t i = 0; i < rows; ++i) y[i] = uniform(&state);
  for (int64_t i = 0; i < rows; ++i) labels[i] = (int32_t)(i % 10);
  OK(nnp_net_create(&net, inputs, &err));
  for (int layer = 0; layer < 1 + deep; ++layer) {
    OK(nnp_net_dense(net, width, &err));
    OK(nnp_net_activation(net, NNP_RELU, &err));
  }
  OK(nnp_net_dense(net, classes ? 10 : 1, &err));
  OK(nnp_net_head(net, classes ? NNP_ARGMAX : NNP_GAUSSIAN, &err));
  OK(nnp_data_create(&data, rows, inputs, classes ? 0 : 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  if (classes)
    OK(nnp_data_set_labels(data, labels, &err));
  else
    OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_SIMD, atof(argv[2]), &err));
  OK(nnp_chain_set(chain, NNP_OPTION_MOVES, 0, &err));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  OK(nnp_chain_run(chain, atoi(argv[3]), NULL, NULL, &err));
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  free(x);
  free(y);
  free(labels);
  return 0;
}
