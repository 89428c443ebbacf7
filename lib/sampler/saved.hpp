// Validates the contents of a saved block in place before any of it is used. A correct checksum
// proves nothing: anybody can compute one.
#pragma once

#include <cstring>

#include "lib/sampler/chain.hpp"

namespace nnp {

// Entry i of a piece of a block, which may be unaligned.
template <class T>
T saved_value(const unsigned char *piece, int64_t i) {
  T value;
  std::memcpy(static_cast<void *>(&value), piece + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

// The pieces that all chains have.
enum class Part {
  parameters,
  options,
  annealing,
  moves,
  site,           // one per latent site
  stream,         // one per block of rows
  counts,         // one per block of rows
  layer_streams,  // all of them
  scale_stream,   // if scales are learned
  statistics,
  sampler,  // the sampler's own, see SamplerOps::saved
};

struct SavedChain {
  int64_t steps;
  Simd simd;
  Provider provider;
  uint64_t chain;  // number of the chain, taken from its first stream
  StepStatistics statistics;
  const unsigned char *pieces[max_saved_pieces];  // the sampler's own
};

// What computed a saved chain: the SIMD level used (never Simd::best), the provider of dense work,
// and the fingerprint of its BLAS (0 if our own kernels did everything).
struct SavedEngine {
  int32_t simd, provider;
  uint32_t blas;
};
SavedEngine saved_engine(const State &state);
// Fails if this machine cannot provide the engine. Equal bits need the same kernels and the same
// BLAS.
Status check_engine(const SavedEngine &found, Error *err);
// Fails if a chain cannot have started like this and made this number of steps.
Status check_progress(int32_t started, int64_t steps, Error *err);
// Checks everything that was copied into the chain's memory, in place.
Status check_state(const Chain &chain, int64_t steps, const SavedEngine &engine, Error *err);
// Recomputes everything that depends on values copied into the chain's memory.
void adopt(Chain &chain, int64_t steps, const SavedEngine &engine);
// Writes the scores of tiles first … last - 1 as the next step would see them: scores that
// contradict new labels are moved.
void write_scores(const State &state, int64_t first, int64_t last, unsigned char *out);

// Fails if this part, number `index` of its kind from 0 (for sites: their number), cannot be a
// chain's. Values that later checks need are stored in `saved`.
Status check_part(const Chain &chain, Part part, int64_t index, const unsigned char *piece,
                  SavedChain &saved, Error *err);

}  // namespace nnp
