// Between-chain against within-chain variance: R-hat in its classic, nested and variance forms.
#pragma once

#include <cstdint>

#include "lib/diagnostics/sample.hpp"

namespace nnp {

// sqrt((B/W + N - 1) / N), B = N var(chain means), W = mean chain variance, of the chains as they
// are. NaN where `unanswerable`, with one chain, or with one draw.
double rhat_of(const Chains &x);

// Chains in groups (superchains) of equal size that started from one point each:
// sqrt(1 + B/W), B = variance of the group means, W = mean over groups of the variance of the chain
// means within the group plus the mean chain variance (either is 0 if the group has one chain or
// the chain one draw). group[c] is the group of chain c, any integers. scratch: 2 * chains doubles.
double nested_rhat(const Chains &x, const int64_t *group, double *scratch);
// The number of groups, or 0 if they are not equally large.
int64_t equal_groups(const int64_t *group, int64_t chains);

// The paper's appendix A: (M+1)/M sigma+^2/W - (N-1)/(MN), a ratio of variances without a root, on
// draws [first, first + count). Needs two chains and two draws. +inf if every chain stands still at
// its own value, NaN if all stand still at one.
double variance_ratio_rhat(const Sample &x, int64_t first, int64_t count);
// The same of `chains` chains of `draws` draws from the variance of the chains' means and the mean
// of their variances.
double variance_ratio(double chains, double draws, double between, double within);

}  // namespace nnp
