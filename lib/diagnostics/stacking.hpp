// Stacking of predictive densities: weights of models, or of chains that are in different modes, with
// which their mixture predicts rows that were left out best (Yao, Vehtari, Gelman 2022).
#pragma once

#include "lib/diagnostics/loo.hpp"

namespace nnp {

struct StackingReport {
  double elpd, elpd_error;  // of the mixture: sum over rows, and its standard error
  double gap;               // elpd of the best weights is at most this much larger
  int64_t iterations;
};

// Models side by side: log density of row i by model k is elpd[i + rows * k].
struct Densities {
  const double *elpd;
  int64_t rows, models;
  const bool *counts = nullptr;  // [row]: rows that weights are judged by; null: all
  double prior = 0;              // rows that speak for each model besides
};

struct StackingWork {
  double *share;         // [row, model]: densities, each row's largest is 1
  double *mixture;       // [row]
  double *gain, *moved;  // [model]
};
StackingWork stacking_layout(Arena &arena, int64_t rows, int64_t models);
// Weights that maximise sum_i log sum_k w_k p_ik + prior * sum_k log w_k: the mode of their posterior with
// a Dirichlet prior of parameters 1 + prior. All densities are finite.
void compute_stacking(const Densities &densities, const StackingWork &work, double *weights,
                      StackingReport *out);

// Weights of chains: each chain's leave-one-out densities by its own draws, stacked. Two things make
// them careful. Rows whose importance weights have too heavy a tail in any chain (k above its limit) tell
// of that tail and not of the chains: they speak for all chains alike. And one more row speaks for each
// chain, so that chains which predict the same are worth the same, however short they are.
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
