/* resume [FILE]: saves a chain to a file and continues from it, like a job that was ended and
 * started again. The draws are the same as without the stop, bit for bit. */
#include <string.h>

#include "small.h"

enum { DRAWS = 200, PARAMETERS = 25 };

static void save(const nnp_chain *chain, const char *path) {
  size_t bytes;
  check(nnp_chain_save_bytes(chain, &bytes, &err));
  void *block = malloc(bytes);
  FILE *file = fopen(path, "wb");
  if (!block || !file) exit(1);
  check(nnp_chain_save(chain, block, bytes, &err));
  if (fwrite(block, 1, bytes, file) != bytes || fclose(file) != 0) exit(1);
  free(block);
}

/* Restores a chain of the same network, sampler and data; it need not be started. A file that is
 * damaged or from another network is refused. */
static void restore(nnp_chain *chain, const char *path) {
  size_t bytes;
  check(nnp_chain_save_bytes(chain, &bytes, &err));
  void *block = malloc(bytes);
  FILE *file = fopen(path, "rb");
  if (!block || !file) exit(1);
  bytes = fread(block, 1, bytes, file);
  check(nnp_chain_restore(chain, block, bytes, &err));
  fclose(file);
  free(block);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "resume.bin";
  static double whole[DRAWS * PARAMETERS], parts[DRAWS * PARAMETERS];
  nnp_net *net = small_net(6);
  nnp_data *data = small_data(ROWS);
  nnp_chain *first, *second;
  check(nnp_chain_create(&first, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_start(first, NNP_START_PRIOR, 1, 0, &err));
  check(nnp_chain_sample(first, parts, DRAWS / 2, 5, NULL, NULL, &err));
  save(first, path);
  check(nnp_chain_start(first, NNP_START_PRIOR, 1, 0, &err)); /* again, without a stop */
  check(nnp_chain_sample(first, whole, DRAWS, 5, NULL, NULL, &err));

  check(nnp_chain_create(&second, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  restore(second, path);
  check(nnp_chain_sample(second, parts + DRAWS / 2 * PARAMETERS, DRAWS / 2, 5, NULL, NULL, &err));
  printf("the same draws after a restart: %s\n",
         memcmp(whole, parts, sizeof whole) == 0 ? "yes" : "no");

  nnp_chain_free(second);
  nnp_chain_free(first);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
