// The convergence statistics by name: one table row each, for any number of quantities at once.
// Definitions follow R's package posterior, with which each is tested to agree.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/diagnostics/ess.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

// Values are pinned: adding a base gives the NNP_STAT_* numbers of the C header, never reused.
enum class Statistic : int32_t {
  rhat = 1,          // larger of rhat_bulk and rhat_tail
  rhat_bulk = 2,     // split chains, rank-normalized
  rhat_tail = 3,     // split chains, rank-normalized |x - median|
  rhat_basic = 4,    // split chains, not transformed
  ess_bulk = 5,      // split chains, rank-normalized
  ess_tail = 6,      // smaller of ess_quantile at 0.05 and 0.95
  ess_mean = 7,      // split chains, not transformed
  ess_sd = 8,        // of |x - mean|
  ess_quantile = 9,  // of the indicator x <= quantile; the argument is the probability
  mcse_mean = 10,
  mcse_sd = 11,
  mcse_quantile = 12,         // the argument is the probability
  autocorrelation_time = 13,  // draws (after splitting) / ess_mean
  ess_spectral = 14,          // autoregressive spectrum at zero, summed over chains (as in coda)
  mean = 15,
  sd = 16,
  quantile = 17,  // type 7; the argument is the probability
};
constexpr int32_t statistic_count = 17;

const char *statistic_name(Statistic which);  // nullptr if there is none
bool takes_probability(Statistic which);

struct StatisticWork {
  double *draws;    // of one quantity, chain after chain
  double *changed;  // transformed; room for 2 values per chain in any case
  double *halves;
  int64_t *order;
  EssWork ess;
};

StatisticWork statistic_layout(Arena &arena, int64_t draws, int64_t chains);
size_t statistic_bytes(int64_t draws, int64_t chains);

// out[q] for every quantity. A quantity with a NaN among its draws gets NaN, the others their
// value; the status is then not_finite and the message names the first such draw.
Status compute_statistic(const SampleTable &table, Statistic which, double probability,
                         const StatisticWork &work, double *out, Error *err);

// Nested R-hat of every quantity; NaN is treated as above; group[chain] as in rhat.hpp.
Status compute_nested_rhat(const SampleTable &table, const int64_t *group,
                           const StatisticWork &work, double *out, Error *err);

}  // namespace nnp
