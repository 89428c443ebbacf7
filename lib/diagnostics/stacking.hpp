// Stacking of predictive densities: weights of models, or of chains in different modes, for which
// their mixture best predicts rows that were left out (Yao, Vehtari, Gelman 2022).
#pragma once

#include "lib/diagnostics/loo.hpp"

namespace nnp {

struct StackingReport {
  double elpd, elpd_error;  // of the mixture: sum over rows, and its standard error
  double gap;               // upper bound on how much larger the elpd of the best weights is
  int64_t iterations;
};

// Several models: the log density of row i under model k is elpd[i + rows * k].
struct Densities {
  const double *elpd;
  int64_t rows, models;
  const bool *counts = nullptr;  // [row]: rows used to find the weights; null: all
  double prior = 0;              // number of pseudo-rows in favour of each model
};

struct StackingWork {
  double *share;         // [row, model]: densities, relative to each row's largest
  double *mixture;       // [row]
  double *gain, *moved;  // [model]
};
StackingWork stacking_layout(Arena &arena, int64_t rows, int64_t models);
// Weights that maximise sum_i log sum_k w_k p_ik + prior * sum_k log w_k: the mode of their
// posterior with a Dirichlet prior with parameters 1 + prior. All densities must be finite.
void compute_stacking(const Densities &densities, const StackingWork &work, double *weights,
                      StackingReport *out);

// Weights of chains: each chain's leave-one-out densities, from its own draws, stacked. Two things
// make them conservative. Rows whose importance weights have too heavy a tail in any chain (k above
// its limit) say more about that tail than about the chains, so they count equally for all chains.
// And there is one pseudo-row in favour of each chain, so that chains with equal predictions get
// equal weights, however short they are.
struct ChainStackingWork {
  LooWork loo;
  StackingWork stacking;
  double *elpd;  // [row, chain]
  bool *counts;  // [row]
};
struct ChainStackingReport {
  StackingReport mixture;
  double largest_k, k_limit;
  int64_t unreliable;  // rows
};
ChainStackingWork chain_stacking_layout(Arena &arena, const SampleTable &log_lik);
Status stack_chains(const SampleTable &log_lik, const ChainStackingWork &work, double *weights,
                    ChainStackingReport *out, Error *err);

}  // namespace nnp
