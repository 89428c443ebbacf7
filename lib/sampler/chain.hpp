// A chain: a state and the sampler that moves it. Samplers are rows of a table; a chain does not
// know which one it has.
#pragma once

#include <cstdint>

#include "lib/comm/comm.hpp"
#include "lib/posterior/state.hpp"
#include "lib/sampler/options.hpp"
#include "lib/sampler/step_statistics.hpp"

namespace nnp {

// Values are pinned: plus a base they are NNP_INTERMEDIATE, ... of the C header.
enum class PosteriorKind : int32_t { intermediate = 1, classical = 2 };

struct Chain;
struct PathOps;  // see path.hpp

// Memory of a sampler that is saved with the chain.
struct SavedPiece {
  void *memory;
  size_t bytes;
  bool position = false;  // as long as a position, and laid out so
};
constexpr int max_saved_pieces = 8;
struct SavedChain;  // what a block says of a chain, see saved.hpp

// Counts in a block beyond these cannot come from a run: none can overflow in one.
constexpr int64_t max_steps = int64_t{1} << 53;
constexpr int64_t max_count = int64_t{1} << 56;
constexpr int64_t max_annealing = int64_t{1} << 40;  // steps

struct SamplerOps {
  const char *name = nullptr;
  // Can it sample this posterior of this network?
  Status (*check)(const Net &net, PosteriorKind posterior, Error *err) = nullptr;
  // Does this value of an option make sense for this chain? Null: any value inside its bounds does.
  Status (*check_option)(const Chain &chain, Option option, double value, Error *err) = nullptr;
  // The sampler's own memory; returns its state (nullptr while counting).
  void *(*layout)(Arena &arena, const State &state) = nullptr;
  // Recomputes all that follows from data, options and state: called before the first step after
  // a start, a restore, a change of inputs or of an option.
  Status (*prepare)(Chain &chain, Error *err) = nullptr;
  // One step: every variable moved once.
  Status (*step)(Chain &chain, Error *err) = nullptr;
  // What it cannot recompute, as up to max_saved_pieces pieces; returns their number. Null: no
  // such thing, and no statistics of steps either.
  int (*saved)(const Chain &chain, SavedPiece *pieces) = nullptr;
  // Could those pieces, as they lie in a block, be a chain's? Asked before they are taken over.
  Status (*check_saved)(const Chain &chain, const SavedChain &saved, Error *err) = nullptr;
  // What it carries from step to step and belongs to the variables rather than to the chain: two
  // chains have exchanged the memory of their variables, or other variables were put into it. Null:
  // nothing that the next preparation would not renew.
  void (*exchanged)(Chain &a, Chain &b) = nullptr;
  void (*replaced)(Chain &chain) = nullptr;
  // Sets the options of all extra moves at once. Null: a sampler without any.
  void (*set_moves)(Chain &chain, Moves moves) = nullptr;
  // What swaps of replicas leave out and this sampler can draw afresh. Null, or null returned: there
  // is nothing of the kind.
  const PathOps *(*path)(const Chain &chain) = nullptr;
};

// Null for values outside the enum.
const SamplerOps *ops_of(SamplerKind sampler);
extern const SamplerOps gibbs_ops;
extern const SamplerOps hmc_ops;
extern const SamplerOps mala_ops;
extern const SamplerOps nuts_ops;

// The noise of all layers falls from `from` to its final value over the first `steps` steps.
struct Annealing {
  double from = 0;
  int64_t steps = 0;  // 0: no annealing
};

// What a Gibbs chain does. Values are pinned: plus a base they are the NNP_MOVE_* of the C header.
enum class Move : int32_t {
  plain_step = 1,
  relaxed_step = 2,
  unit = 3,
  haar_scale = 4,
  scale = 5,
  expansion = 6,
  draw = 7,
  layer = 8,
  noise = 9,
  precision = 10,
};
constexpr int32_t move_kinds = 10;
constexpr int32_t move_room = 32;  // of a saved chain: a new move does not change its format
static_assert(move_kinds <= move_room, "moves outgrow the format of saves");
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
  MoveCount moves[move_room] = {};
  Annealing annealing;
  bool started = false;
  bool prepared = false;
  int32_t held = 0;              // 1 while a run has the chain, see ChainHold
  uint64_t data_version = 0;     // of the data that `prepared` speaks of
  uint64_t checked_version = 0;  // of the data whose targets or labels were found to suit
  uint64_t hashed_version = 0;   // of the data that `data_hash` is the fingerprint of; 0: none yet
  uint64_t data_hash = 0;
  Comm comm;  // of runs whose first chain this is

  MoveCount &count(Move move) { return moves[static_cast<int32_t>(move) - 1]; }
};

Status chain_check(const Net &net, const Data &data, SamplerKind sampler, PosteriorKind posterior,
                   Error *err);
Chain *chain_layout(Arena &arena, const Net &net, const Data &data, SamplerKind sampler,
                    PosteriorKind posterior);

// Steps until the warm-up is over, those of an annealing before it included.
int64_t chain_warmup_left(const Chain &chain);

Status chain_set(Chain &chain, Option option, double value, Error *err);

// Data may be given other values under a chain: do they still suit the network? Asked before they
// are used; costs nothing where they have not changed.
Status chain_check_data(Chain &chain, Error *err);

// Before a start: fresh streams, and the noise of the model where the chain was annealing.
void chain_begin_start(Chain &chain, uint64_t seed, uint64_t number);
// A start has put parameters and sites in place: from here on the chain can run. Fails if they are
// not all finite, and the chain has no start then.
Status chain_started(Chain &chain, Error *err);

// Can the network anneal from this noise?
Status check_annealing(const Net &net, double from, Error *err);
// Starts annealing from noise `from` over `steps` steps; the chain must not have run yet.
Status chain_anneal(Chain &chain, double from, int64_t steps, Error *err);
// Steps left until the noise is that of the model.
int64_t chain_annealing_left(const Chain &chain);
// Puts the noise in force that belongs to the step the chain is at.
void chain_apply_annealing(Chain &chain);

// Puts a temperature in force (posterior/heat.hpp).
void chain_heat(Chain &chain, double temperature);
// Exchanges the variables of two chains of the same network and data, by exchanging their memory:
// nothing is copied. All else, random streams and adaptation included, stays with the chains.
void chain_exchange(Chain &a, Chain &b);
// Other variables, at the same step, were put into the chain's memory, with other scales.
void chain_replaced(Chain &chain);

// Draws the learned scales from their conditionals, as samplers do at the end of a step; noises are
// held while the chain anneals.
void chain_draw_scales(Chain &chain);

// Values that are not finite stop the next step. After the last of `steps` steps they are looked
// for, which takes a few percent of a step.
Status chain_check_end(const Chain &chain, int64_t steps, Error *err);

// One step, preparing first if need be.
Status chain_step(Chain &chain, Error *err);

// A run holds its chains from its beginning to its end. Callbacks of the caller's may look at them
// meanwhile, but neither change nor run them; nor may another thread.
Status chain_hold(Chain &chain, int64_t index, Error *err);
void chain_let_go(Chain &chain);
// Fails while a run holds the chain.
Status chain_check_free(const Chain &chain, Error *err);

// Holds the chains chain_of(0 … count-1), all or none of them, until it goes out of scope.
template <class ChainOf>
class ChainHold {
 public:
  ChainHold(int64_t count, ChainOf chain_of) : count_(count), chain_of_(chain_of) {}
  ~ChainHold() {
    while (held_ > 0) chain_let_go(chain_of_(--held_));
  }
  ChainHold(const ChainHold &) = delete;
  ChainHold &operator=(const ChainHold &) = delete;

  Status take(Error *err) {
    for (; held_ < count_; ++held_) {
      const Status status = chain_hold(chain_of_(held_), held_, err);
      if (status != Status::ok) return status;
    }
    return Status::ok;
  }

 private:
  int64_t count_, held_ = 0;
  ChainOf chain_of_;
};

}  // namespace nnp
