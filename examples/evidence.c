/* evidence: how many hidden units do the data support? Replica exchange samples the posterior of
 * each network by chains on a ladder from the prior up to it, and finds the evidence log p(y | X)
 * on the way. The network with the highest evidence explains the data best. */
#include <nnpost_study.h>

#include "small.h"

enum { CHAINS = 30, SWEEPS = 2000, WIDEST = 4 };

static nnp_exchange_summary evidence_of(int64_t hidden, const nnp_data *data, nnp_pool *pool) {
  nnp_net *net = small_net(hidden);
  nnp_chain *chains[CHAINS];
  nnp_exchange *exchange;
  nnp_exchange_summary found;
  for (int c = 0; c < CHAINS; ++c)
    check(nnp_chain_create(&chains[c], net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_use_pool(chains[0], pool, &err));
  check(nnp_exchange_create(&exchange, chains, CHAINS, &err));
  check(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &err)); /* seed 1 */
  check(nnp_exchange_tune(exchange, NULL, NULL, &err));        /* finds the ladder, then keeps it */
  check(nnp_exchange_run(exchange, SWEEPS, NULL, NULL, &err)); /* nnp_exchange_sample keeps draws */
  check(nnp_exchange_report(exchange, &found, &err));
  nnp_exchange_free(exchange);
  for (int c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  nnp_net_free(net);
  return found;
}

int main(void) {
  nnp_data *data = small_data(60);
  nnp_pool *pool;
  check(nnp_pool_create(&pool, 2, &err));
  for (int64_t hidden = 1; hidden <= WIDEST; ++hidden) {
    const nnp_exchange_summary found = evidence_of(hidden, data, pool);
    printf("%d units: log evidence %.1f +- %.1f\n", (int)hidden, found.log_evidence,
           found.evidence_error);
    fflush(stdout);
  }
  nnp_pool_free(pool);
  nnp_data_free(data);
  return 0;
}
