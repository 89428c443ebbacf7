// Geweke's joint test ("Getting it right", 2004): draws that alternate a sampler's transition with
// fresh data must have the prior's moments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/diagnostics/ess.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

struct GewekeWork {
  double *draws, *halves;
  EssWork ess;
};

// Lays out memory for the larger of both tables; the second may be empty.
GewekeWork geweke_layout(Arena &arena, const SampleTable &alternating, const SampleTable &prior);
size_t geweke_bytes(const SampleTable &alternating, const SampleTable &prior);

// z[2q] for the mean and z[2q + 1] for the second moment of quantity q: (moment of the alternating
// draws - prior's) / sqrt(sum of squared standard errors), each standard error from the effective
// sample size. `work` is prepared here.
//
// Against draws of the prior (independent or not):
Status geweke_against_draws(const SampleTable &alternating, const SampleTable &prior,
                            const GewekeWork &work, double *z, Error *err);
// Against the prior's moments E[x], E[x^2], one each per quantity:
Status geweke_against_moments(const SampleTable &alternating, const double *mean,
                              const double *second_moment, const GewekeWork &work, double *z,
                              Error *err);

// An upper bound on the probability that the largest of n |z| is this large if the sampler is
// correct: n times the normal two-sided tail, at most 1 (Bonferroni: no independence assumed).
double geweke_pvalue(const double *z, int64_t n);

}  // namespace nnp
