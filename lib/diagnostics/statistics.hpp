// The convergence statistics by name: one table row each, for any number of quantities at once.
// Definitions follow R's package posterior, where each is tested to agree.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/diagnostics/draws.hpp"
#include "lib/diagnostics/ess.hpp"

namespace nnp {

// Values are pinned: they are the NNP_STAT_* numbers of the C header, never reused.
enum class Statistic : int32_t {
  rhat = 0,          // larger of rhat_bulk and rhat_tail
  rhat_bulk = 1,     // split chains, rank-normalized
  rhat_tail = 2,     // the same of |x - median|
  rhat_basic = 3,    // split chains as they are
  ess_bulk = 4,      // split chains, rank-normalized
  ess_tail = 5,      // smaller of ess_quantile at 0.05 and 0.95
  ess_mean = 6,      // split chains as they are
  ess_sd = 7,        // of |x - mean|
  ess_quantile = 8,  // of the indicator x <= quantile; the argument is the probability
  mcse_mean = 9,
  mcse_sd = 10,
  mcse_quantile = 11,         // the argument is the probability
  autocorrelation_time = 12,  // draws (after splitting) / ess_mean
  ess_spectral = 13,          // autoregressive spectrum at zero, summed over chains (coda)
  mean = 14,
  sd = 15,
  quantile = 16,  // type 7; the argument is the probability
};
constexpr int32_t statistic_count = 17;

const char *statistic_name(Statistic which);  // nullptr if there is none
bool takes_probability(Statistic which);

struct StatisticWork {
  double *draws;    // of one quantity, chain after chain
  double *changed;  // transformed, then split
  double *halves;
  int64_t *order;
  EssWork ess;
};

StatisticWork statistic_layout(Arena &arena, int64_t draws, int64_t chains);
size_t statistic_bytes(int64_t draws, int64_t chains);

// out[q] for every quantity. A quantity with a NaN among its draws gets NaN, the others their
// value; the status is then not_finite and the sentence names the first such draw.
Status compute_statistic(const DrawsTable &table, Statistic which, double probability,
                         const StatisticWork &work, double *out, Error *err);

}  // namespace nnp
