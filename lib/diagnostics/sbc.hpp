// Simulation-based calibration: the rank of the parameter that made the data among posterior draws.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

// The number of draws below the truth, from 0 to draws * chains. The fraction `tie` in [0, 1) of
// the draws equal to the truth is counted: a uniform random number keeps the rank of a discrete
// quantity uniform; 0 counts none of them. The draws should be thinned until nearly independent.
int64_t sbc_rank(double truth, const Sample &posterior, double tie);
// Ranks of every quantity of a replication; ties == nullptr means 0. Fails if a value is NaN.
Status sbc_ranks(const double *truth, const SampleTable &posterior, const double *ties,
                 int64_t *ranks, Error *err);

// counts[rank * bins / (max_rank + 1)], over ranks[stride * r], r < replications.
Status sbc_histogram(const int64_t *ranks, int64_t replications, int64_t stride, int64_t max_rank,
                     int64_t bins, int64_t *counts, Error *err);

// P(chi-squared with bins - 1 degrees of freedom > sum (count - expected)^2 / expected) for uniform
// ranks 0 ... max_rank; the expected counts differ if bins does not divide max_rank + 1.
double sbc_pvalue(const int64_t *counts, int64_t bins, int64_t max_rank);

}  // namespace nnp
