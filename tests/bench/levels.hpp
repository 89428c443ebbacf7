// Whole Gibbs steps at every SIMD level this machine has, in turn.
#pragma once

#include "capi/nnpost.h"
#include "tests/bench/harness.hpp"

namespace bench {

// Null if the machine has no such level.
inline nnp_chain *chain_at_level(const nnp_net *net, const nnp_data *data, int32_t level,
                                 int64_t settle) {
  nnp_chain *chain = nullptr;
  if (nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr) != NNP_OK)
    std::abort();
  nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, nullptr);
  if (nnp_chain_set(chain, NNP_OPTION_SIMD, level, nullptr) != NNP_OK) {
    nnp_chain_free(chain);
    return nullptr;
  }
  nnp_chain_start(chain, NNP_START_ZERO, 1, 0, nullptr);
  nnp_chain_run(chain, settle, nullptr, nullptr, nullptr);
  return chain;
}

// One thread by its own clock. Levels count as NNP_OPTION_SIMD does: 1 portable, 2 AVX2, 3 AVX-512.
inline void add_levels(Report &report, const char *name, const nnp_net *net, const nnp_data *data,
                       int64_t settle, double seconds) {
  constexpr int32_t levels = 3;
  Race race(Clock::own_thread);
  nnp_chain *chains[levels];
  int runner[levels];
  double ms[levels] = {NAN, NAN, NAN};  // not on this machine
  for (int32_t k = 0; k < levels; ++k) {
    nnp_chain *chain = chains[k] = chain_at_level(net, data, k + 1, settle);
    if (chain)
      runner[k] = race.add([chain] { nnp_chain_run(chain, 1, nullptr, nullptr, nullptr); });
  }
  race.run(seconds);
  for (int32_t k = 0; k < levels; ++k)
    if (chains[k]) ms[k] = 1e3 * race.best(runner[k]);
  const double best = !std::isnan(ms[2]) ? ms[2] : !std::isnan(ms[1]) ? ms[1] : ms[0];
  report.add(
      {"levels",
       name,
       "ms",
       best,
       {{"portable", ms[0]}, {"avx2", ms[1]}, {"avx512", ms[2]}, {"avx2/avx512", ms[1] / ms[2]}}});
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
}

}  // namespace bench
