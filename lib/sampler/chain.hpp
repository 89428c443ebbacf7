// A chain: a state and the sampler that moves it. Samplers are rows of a table; a chain does not
// know which one it has.
#pragma once

#include <cstdint>

#include "lib/posterior/state.hpp"
#include "lib/sampler/options.hpp"
#include "lib/sampler/statistics.hpp"

namespace nnp {

// Values are pinned: they are NNP_INTERMEDIATE, ... of the C header.
enum class PosteriorKind : int32_t { intermediate = 1, classical = 2 };

struct Chain;

// Memory of a sampler that is saved with the chain.
struct SavedPiece {
  void *memory;
  size_t bytes;
};
constexpr int max_saved_pieces = 8;

struct SamplerOps {
  const char *name;
  // Can it sample this posterior of this network?
  Status (*check)(const Net &net, PosteriorKind posterior, Error *err);
  // The sampler's own memory; returns its state (nullptr while counting).
  void *(*layout)(Arena &arena, const State &state);
  // Recomputes all that follows from data, options and state: called before the first step after
  // a start, a restore, a change of inputs or of an option.
  Status (*prepare)(Chain &chain, Error *err);
  // One step: every variable moved once.
  Status (*step)(Chain &chain, Error *err);
  // What it cannot recompute, as up to max_saved_pieces pieces; returns their number. Null: nothing,
  // and no statistics of steps either.
  int (*saved)(const Chain &chain, SavedPiece *pieces);
};

// Null for values outside the enum.
const SamplerOps *ops_of(SamplerKind sampler);
extern const SamplerOps gibbs_ops;
extern const SamplerOps hmc_ops;
extern const SamplerOps mala_ops;
extern const SamplerOps nuts_ops;

struct Chain {
  State state;
  SamplerKind sampler = SamplerKind::gibbs;
  PosteriorKind posterior = PosteriorKind::intermediate;
  void *own = nullptr;  // the sampler's state
  OptionValues options{SamplerKind::gibbs};
  Statistics statistics = {};  // of the last step
  Record record = {};
  int64_t steps = 0;  // since the start
  bool started = false;
  bool prepared = false;
  uint64_t data_version = 0;
};

Status chain_check(const Net &net, const Data &data, SamplerKind sampler, PosteriorKind posterior,
                   Error *err);
Chain *chain_layout(Arena &arena, const Net &net, const Data &data, SamplerKind sampler,
                    PosteriorKind posterior);

// Steps of warm-up still to come.
int64_t chain_warmup_left(const Chain &chain);

Status chain_set(Chain &chain, Option option, double value, Error *err);

// Options were put in place by other means than chain_set.
void chain_apply_options(Chain &chain);

// A start has put parameters and sites in place: from here on the chain can run.
void chain_started(Chain &chain);

// One step, preparing first if need be.
Status chain_step(Chain &chain, Error *err);

}  // namespace nnp
