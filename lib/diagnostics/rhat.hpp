// Between-chain versus within-chain variance: R-hat in its classic, nested and variance forms.
#pragma once

#include <cstdint>

#include "lib/diagnostics/sample.hpp"

namespace nnp {

// sqrt((B/W + N - 1) / N), B = N var(chain means), W = mean chain variance, of the chains as given.
// NaN if `unanswerable`, with one chain, or with one draw.
double rhat_of(const Chains &x);

// Chains in groups (superchains) of equal size, each group started from one point: sqrt(1 + B/W), B
// = variance of the group means, W = mean over groups of the variance of the chain means within the
// group plus the mean chain variance (the former is 0 if the group has one chain, the latter if the
// chain has one draw). group[c] is the group of chain c, any integers. scratch: 2 * chains doubles.
double nested_rhat(const Chains &x, const int64_t *group, double *scratch);
// The number of groups, or 0 if their sizes differ.
int64_t equal_groups(const int64_t *group, int64_t chains);

// The paper's appendix A: (M+1)/M sigma+^2/W - (N-1)/(MN), a ratio of variances without a root, on
// draws [first, first + count). Needs two chains and two draws. +inf if every chain is constant at
// a different value, NaN if all are constant at one.
double variance_ratio_rhat(const Sample &x, int64_t first, int64_t count);
// That ratio for `chains` chains of `draws` draws, from the variance of the chains' means and the
// mean of their variances.
double variance_ratio(double chains, double draws, double between, double within);

}  // namespace nnp
