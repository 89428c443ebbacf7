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
};

struct StackingWork {
  double *share;         // [row, model]: densities, each row's largest is 1
  double *mixture;       // [row]
  double *gain, *moved;  // [model]
};
StackingWork stacking_layout(Arena &arena, int64_t rows, int64_t models);
// All densities are finite.
void compute_stacking(const Densities &densities, const StackingWork &work, double *weights,
                      StackingReport *out);

// Weights of chains: each chain's leave-one-out densities by its own draws, stacked.
struct ChainStackingWork {
  LooWork loo;
  StackingWork stacking;
  double *elpd;  // [row, chain]
};
ChainStackingWork chain_stacking_layout(Arena &arena, const SampleTable &log_lik);
Status stack_chains(const SampleTable &log_lik, const ChainStackingWork &work, double *weights,
                    StackingReport *out, Error *err);

}  // namespace nnp
