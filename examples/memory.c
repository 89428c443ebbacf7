/* memory: a whole fit without malloc. All objects live in one static block of the program. */
#include "small.h"

enum { DRAWS = 500, SPACE = 4 << 20 };

/* Hands out pieces of the block, each 64-byte aligned as the library requires. */
static unsigned char space[SPACE];
static size_t used;
static void *piece(size_t bytes) {
  const size_t address = (size_t)space + used, start = used + (64 - address % 64) % 64;
  if (start > SPACE || bytes > SPACE - start) {
    fprintf(stderr, "%zu bytes are needed, %zu are left\n", bytes, SPACE - used);
    exit(1);
  }
  used = start + bytes;
  return space + start;
}

int main(void) {
  static double x[ROWS * INPUTS], y[ROWS];
  const double at[INPUTS] = {1, 1};
  double mean, sd;
  size_t bytes;
  int64_t parameters;
  small_rows(0, ROWS, x, y);

  nnp_net *net; /* X_bytes gives the size, X_init builds the object there */
  check(nnp_net_bytes(3, &bytes, &err));
  check(nnp_net_init(&net, piece(bytes), bytes, 3, INPUTS, &err));
  small_layers(net, 6);
  check(nnp_net_parameters(net, &parameters, &err));

  nnp_data *data, *fresh;
  check(nnp_data_bytes(ROWS, INPUTS, 1, &bytes, &err));
  check(nnp_data_init(&data, piece(bytes), bytes, ROWS, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  check(nnp_data_bytes(1, INPUTS, 0, &bytes, &err));
  check(nnp_data_init(&fresh, piece(bytes), bytes, 1, INPUTS, 0, &err));
  check(nnp_data_set_inputs(fresh, at, NNP_ROW_MAJOR, &err));

  nnp_chain *chain;
  check(nnp_chain_bytes(net, data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes, &err));
  check(nnp_chain_init(&chain, piece(bytes), bytes, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  double *draws = piece(sizeof(double) * DRAWS * (size_t)parameters);
  check(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err));
  check(nnp_chain_run(chain, 1000, NULL, NULL, &err));
  check(nnp_chain_sample(chain, draws, DRAWS, 10, NULL, NULL, &err));

  nnp_predictor *predictor;
  check(nnp_predictor_bytes(net, DRAWS, &bytes, &err));
  check(nnp_predictor_init(&predictor, piece(bytes), bytes, net, DRAWS, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_MEAN, &mean, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_SD, &sd, &err));
  printf("y(1, 1) = %.2f +- %.2f, in a block of %.1f MB\n", mean, sd, 1e-6 * (double)used);
  return 0; /* nothing to free */
}
