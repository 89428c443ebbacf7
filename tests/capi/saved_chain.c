/* saved_chain save FILE SIMD BLAS, saved_chain restore FILE: a chain saved by one process and restored
 * by another. BLAS: 0 for NNP_BLAS_AUTOMATIC, 1 for the next constant, …. Prints the status of the last call and its message. See other_blas_test.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnpost.h"

enum { rows = 40, inputs = 3, room = 1 << 20 };

static nnp_error err;
static char block[room];

static void ok(int32_t status) {
  if (status == NNP_OK) return;
  printf("%s %s\n", nnp_status_name(status), err.message);
  exit(0);
}

static nnp_chain *chain_of(void) {
  nnp_net *net = NULL;
  nnp_data *data = NULL;
  nnp_chain *chain = NULL;
  double x[rows * inputs], y[rows];
  int i;
  for (i = 0; i < rows * inputs; ++i) x[i] = (i * 37 % 101) / 50.0 - 1;
  for (i = 0; i < rows; ++i) y[i] = (i * 53 % 97) / 48.0 - 1;
  ok(nnp_net_create(&net, inputs, &err));
  ok(nnp_net_dense(net, 8, &err));
  ok(nnp_net_activation(net, NNP_RELU, &err));
  ok(nnp_net_dense(net, 1, &err));
  ok(nnp_net_head(net, NNP_GAUSSIAN, &err));
  ok(nnp_data_create(&data, rows, inputs, 1, &err));
  ok(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  ok(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  ok(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  return chain;
}

int main(int count, char **arguments) {
  const int saving = count == 5 && strcmp(arguments[1], "save") == 0;
  nnp_chain *chain = chain_of();
  size_t bytes = 0;
  FILE *file;
  if (count < 3) return 2;
  ok(nnp_chain_save_bytes(chain, &bytes, &err));
  file = fopen(arguments[2], saving ? "wb" : "rb");
  if (!file || bytes > room) return 2;
  if (saving) {
    ok(nnp_chain_set(chain, NNP_OPTION_SIMD, atof(arguments[3]), &err));
    ok(nnp_chain_set(chain, NNP_OPTION_BLAS, NNP_BLAS_AUTOMATIC + atof(arguments[4]), &err));
    ok(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
    ok(nnp_chain_run(chain, 3, NULL, NULL, &err));
    ok(nnp_chain_save(chain, block, bytes, &err));
    if (fwrite(block, 1, bytes, file) != bytes) return 2;
  } else {
    if (fread(block, 1, bytes, file) != bytes) return 2;
    ok(nnp_chain_restore(chain, block, bytes, &err));
    ok(nnp_chain_run(chain, 3, NULL, NULL, &err));
  }
  if (fclose(file) != 0) return 2;
  printf("NNP_OK\n");
  return 0;
}
