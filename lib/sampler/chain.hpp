// A chain: a state and the sampler that moves it. Samplers are rows of a table; a chain does not
// know which one it has.
#pragma once

#include <cstdint>

#include "lib/posterior/state.hpp"
#include "lib/sampler/options.hpp"
#include "lib/sampler/step_statistics.hpp"

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
  // Does this value of an option make sense for this chain? Null: any value inside its bounds does.
  Status (*check_option)(const Chain &chain, Option option, double value, Error *err);
  // The sampler's own memory; returns its state (nullptr while counting).
  void *(*layout)(Arena &arena, const State &state);
  // Recomputes all that follows from data, options and state: called before the first step after
  // a start, a restore, a change of inputs or of an option.
  Status (*prepare)(Chain &chain, Error *err);
  // One step: every variable moved once.
  Status (*step)(Chain &chain, Error *err);
  // What it cannot recompute, as up to max_saved_pieces pieces; returns their number. Null: no
  // such thing, and no statistics of steps either.
  int (*saved)(const Chain &chain, SavedPiece *pieces);
  // Sets the options of all extra moves at once. Null: a sampler without any.
  void (*set_moves)(Chain &chain, Moves moves) = nullptr;
};

// Null for values outside the enum.
const SamplerOps *ops_of(SamplerKind sampler);
extern const SamplerOps gibbs_ops;
extern const SamplerOps hmc_ops;
extern const SamplerOps mala_ops;
extern const SamplerOps nuts_ops;

// The noise of all layers falls from `from` to its final value over the first `steps` steps.
struct Cooling {
  double from = 0;
  int64_t steps = 0;  // 0: no cooling
};

// What a Gibbs chain does. Values are pinned: they are the NNP_MOVE_* of the C header.
enum class Move : int32_t {
  plain_step = 1,
  relaxed_step = 2,
  unit = 3,
  haar_scale = 4,
  scale = 5,
  expansion = 6,
  draw = 7,
  layer = 8,
};
constexpr int32_t move_kinds = 8;
const char *move_name(Move move);

struct MoveCount {
  int64_t tried = 0, moved = 0;
  int64_t evaluations = 0;  // of densities
};

struct Chain {
  State state;
  SamplerKind sampler = SamplerKind::gibbs;
  PosteriorKind posterior = PosteriorKind::intermediate;
  void *own = nullptr;  // the sampler's state
  OptionValues options{SamplerKind::gibbs};
  StepStatistics statistics = {};  // of the last step
  Record record = {};
  int64_t steps = 0;  // since the start
  MoveCount moves[move_kinds] = {};
  Cooling cooling;
  bool started = false;
  bool prepared = false;
  uint64_t data_version = 0;     // of the data that `prepared` speaks of
  uint64_t checked_version = 0;  // of the data whose targets or labels were found to suit

  MoveCount &count(Move move) { return moves[static_cast<int32_t>(move) - 1]; }
};

Status chain_check(const Net &net, const Data &data, SamplerKind sampler, PosteriorKind posterior,
                   Error *err);
Chain *chain_layout(Arena &arena, const Net &net, const Data &data, SamplerKind sampler,
                    PosteriorKind posterior);

// Steps of warm-up still to come.
int64_t chain_warmup_left(const Chain &chain);

Status chain_set(Chain &chain, Option option, double value, Error *err);

// Data may be given other values under a chain: do they still suit the network? Asked before they
// are used; costs nothing where they have not changed.
Status chain_check_data(Chain &chain, Error *err);

// The kernels of Option::simd; null if this machine or build does not have the level.
const Kernels *kernels_for(Simd level);
Simd level_of(const Kernels &kernels);

// Before a start: fresh streams, and the noise of the model where the chain was cooling.
void chain_begin_start(Chain &chain, uint64_t seed, uint64_t number);
// A start has put parameters and sites in place: from here on the chain can run. Fails if they are
// not all finite, and the chain has no start then.
Status chain_started(Chain &chain, Error *err);

// Starts cooling from noise `from` over `steps` steps; the chain must not have run yet.
Status chain_cool(Chain &chain, double from, int64_t steps, Error *err);
// Steps left until the noise is that of the model.
int64_t chain_cooling_left(const Chain &chain);
// Puts the noise in force that belongs to the step the chain is at.
void chain_apply_cooling(Chain &chain);

// Values that are not finite stop the next step. After the last of `steps` steps they are looked
// for, which takes a few percent of a step.
Status chain_check_end(const Chain &chain, int64_t steps, Error *err);

// One step, preparing first if need be.
Status chain_step(Chain &chain, Error *err);

}  // namespace nnp
