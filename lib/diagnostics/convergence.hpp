// Have chains converged? A verdict from R-hat and effective sample sizes of several functions.
#pragma once

#include "lib/diagnostics/statistics.hpp"

namespace nnp {

// Values are pinned: plus a base they are NNP_CONVERGENCE_UNDECIDED, … of the C header.
enum class Convergence : int32_t {
  undecided = 0,  // fewer than 4 draws, or nothing moved
  converged = 1,  // R-hat at most 1.01, and enough effective draws
  few_draws = 2,  // R-hat at most 1.01, but fewer
  doubtful = 3,   // R-hat up to 1.05
  disagree = 4,   // R-hat above that
};

// Vehtari et al. (2021): chains agree up to an R-hat of 1.01, and variances and autocorrelations,
// from which R-hat and effective sizes are computed, can be trusted from 100 effective draws a chain.
constexpr double rhat_agrees = 1.01, rhat_doubtful = 1.05, effective_draws_of_chain = 100;

struct ConvergenceReport {
  Convergence verdict;
  double rhat;                // largest; NaN if there is none
  double ess_bulk, ess_tail;  // smallest
  double ess_needed;
  int64_t worst;  // the function with the largest R-hat, from 0; -1 if there is none
};

// The workspace: aligned for double; SIZE_MAX if there is none as large.
size_t convergence_bytes(const SampleTable &table);
// Functions that stand still in all chains at one value say nothing and are left out.
Status judge_convergence(const SampleTable &table, void *memory, size_t bytes,
                         ConvergenceReport *out, Error *err);
// In a sentence; returns its full length.
size_t convergence_text(const ConvergenceReport &report, char *buffer, size_t size);

}  // namespace nnp
