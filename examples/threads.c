/* threads: four chains side by side on a pool of threads, then the rows of one chain. The number of
 * threads affects only the time. */
#include <string.h>

#include "small.h"

enum { CHAINS = 4, DRAWS = 200, PARAMETERS = 25, SIZE = CHAINS * DRAWS * PARAMETERS };

/* Draws of four chains, [parameter, draw, chain], made with this many threads. */
static void draw(const nnp_net *net, const nnp_data *data, int64_t threads, double *draws) {
  nnp_pool *pool;
  nnp_chain *chains[CHAINS];
  check(nnp_pool_create(&pool, threads, &err)); /* the calling thread is one of them */
  for (int c = 0; c < CHAINS; ++c)
    check(nnp_chain_create(&chains[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_use_pool(chains[0], pool, &err)); /* the pool of the first chain is used */
  check(nnp_chains_start(chains, CHAINS, NNP_START_FIT, 1, NULL, NULL, &err)); /* seed 1 */
  check(nnp_chains_sample(chains, CHAINS, draws, DRAWS, 5, NULL, NULL, &err));

  /* Large data: one chain at a time, its rows distributed over the threads. */
  check(nnp_chain_run(chains[0], 100, NULL, NULL, &err));
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  nnp_pool_free(pool); /* after the chains that use it */
}

int main(void) {
  static double one[SIZE], two[SIZE];
  nnp_net *net = small_net(6);
  nnp_data *data = small_data(ROWS);
  draw(net, data, 1, one);
  draw(net, data, 2, two);
  printf("the same draws on 1 thread and on 2: %s\n",
         memcmp(one, two, sizeof one) == 0 ? "yes" : "no");
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
