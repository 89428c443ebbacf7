// Convergence: a verdict from R-hat and effective sample sizes of several functions.
#pragma once

#include "lib/diagnostics/statistics.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_CONVERGENCE_UNDECIDED, … of the C header.
enum class Convergence : int32_t {
  undecided = 0,  // fewer than 4 draws, or nothing moved
  converged = 1,  // R-hat at most 1.01, and enough effective draws
  few_draws = 2,  // R-hat at most 1.01, but too few effective draws
  doubtful = 3,   // R-hat up to 1.05
  disagree = 4,   // R-hat above 1.05
};

// Vehtari et al. (2021): chains agree up to an R-hat of 1.01; the variances and autocorrelations
// behind R-hat and effective sizes can be trusted from 100 effective draws per chain.
constexpr double rhat_agrees = 1.01, rhat_doubtful = 1.05, effective_draws_of_chain = 100;

struct ConvergenceReport {
  Convergence verdict;
  double rhat;                // largest; NaN if there is none
  double ess_bulk, ess_tail;  // smallest
  double ess_needed;
  int64_t worst;  // the function with the largest R-hat, from 0; -1 if none
};

// Size of the workspace, which must be aligned for double; SIZE_MAX if it is too large.
size_t convergence_bytes(const SampleTable &table);
// Functions that are constant at one value in all chains carry no information and are ignored.
Status judge_convergence(const SampleTable &table, void *memory, size_t bytes,
                         ConvergenceReport *out, Error *err);
// Effective draws needed are as many per chain, so they tell the number of chains.
inline bool is_of_one_chain(const ConvergenceReport &report) {
  return report.ess_needed == effective_draws_of_chain;
}
// The verdict that R-hat and effective sizes of a report amount to.
Convergence verdict_of(const ConvergenceReport &report);
// Writes the verdict as a sentence of less than 160 characters; returns its full length. Effective
// sizes that are NaN are left out.
size_t convergence_text(const ConvergenceReport &report, char *buffer, size_t size);

}  // namespace nnp
