// What a saved block says of a chain, read where it lies, before any of it is believed. A right
// checksum proves nothing: it can be made by anybody.
#pragma once

#include <cstring>

#include "lib/sampler/chain.hpp"

namespace nnp {

// Entry number i of a piece of a block, which may lie at any address.
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
  site,           // one for each site that is a variable
  stream,         // one for each block of rows
  counts,         // one for each block of rows
  layer_streams,  // all of them
  scale_stream,   // where scales are learned
  statistics,
  sampler,  // the sampler's own, see SamplerOps::saved
};

struct SavedChain {
  int64_t steps;
  Simd simd;
  Provider provider;
  uint64_t chain;  // number of the chain, by its first stream
  StepStatistics statistics;
  const unsigned char *pieces[max_saved_pieces];  // the sampler's own
};

// What computed a saved chain: the level in force (never Simd::best), who did dense work, and the
// fingerprint of its BLAS (0 where all is ours).
struct SavedEngine {
  int32_t simd, provider;
  uint32_t blas;
};
SavedEngine saved_engine(const State &state);
// Does this machine have it? The same bits need the same kernels and the same BLAS.
Status check_engine(const SavedEngine &found, Error *err);
// Can a chain have started so, and made so many steps?
Status check_progress(int32_t started, int64_t steps, Error *err);
// Everything that was brought into the chain's memory, checked where it lies.
Status check_state(const Chain &chain, int64_t steps, const SavedEngine &engine, Error *err);
// All that follows from values that were brought into the chain's memory.
void adopt(Chain &chain, int64_t steps, const SavedEngine &engine);
// Scores of tiles first … last - 1 as the next step would find them: where labels are new, those that
// contradict them move.
void write_scores(const State &state, int64_t first, int64_t last, unsigned char *out);

// Can this part, number `index` of its kind from 0 (sites: their number), be a chain's? What later
// checks need of it goes into `saved`.
Status check_part(const Chain &chain, Part part, int64_t index, const unsigned char *piece,
                  SavedChain &saved, Error *err);

}  // namespace nnp
