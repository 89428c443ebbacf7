// A chain: a state and the sampler that moves it. Samplers are rows of a table; a chain never asks
// which one it has.
#pragma once

#include <cstdint>

#include "lib/base/text.hpp"
#include "lib/comm/comm.hpp"
#include "lib/posterior/state.hpp"
#include "lib/sampler/options.hpp"
#include "lib/sampler/step_statistics.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_INTERMEDIATE, ... of the C header.
enum class PosteriorKind : int32_t { intermediate = 1, classical = 2 };

struct Chain;
struct PathOps;  // see path.hpp

// Memory of a sampler that is saved with the chain.
struct SavedPiece {
  void *memory;
  size_t bytes;
  bool position = false;  // has the size and layout of a position
};
constexpr int max_saved_pieces = 8;
struct SavedChain;  // a chain as stored in a saved block, see saved.hpp

// Upper limits on counts in a saved block. No run can reach them, so no counter can overflow.
constexpr int64_t max_steps = int64_t{1} << 53;
constexpr int64_t max_count = int64_t{1} << 56;
constexpr int64_t max_annealing = int64_t{1} << 40;  // steps

struct SamplerOps {
  const char *name = nullptr;
  // The posterior it is meant for, if the user requests none.
  PosteriorKind home = PosteriorKind::intermediate;
  // It follows gradients: it tunes itself during a warm-up, its steps have statistics, and it has a
  // scale per variable.
  bool follows_gradients = false;
  // Sets options whose initial values are its own. Null: all are those of the table of options.
  void (*set_initial)(OptionValues &options) = nullptr;
  // Fails if the sampler cannot sample this posterior of this network.
  Status (*check)(const Net &net, PosteriorKind posterior, Error *err) = nullptr;
  // Fails if the value of an option makes no sense for this posterior of this network. Null: any
  // value within bounds is fine.
  Status (*check_option)(const Net &net, PosteriorKind posterior, Option option, double value,
                         Error *err) = nullptr;
  // The sampler's own memory; returns its state (nullptr while counting).
  void *(*layout)(Arena &arena, const State &state) = nullptr;
  // Recomputes everything that depends on data, options and state. Called before the first step
  // after a start, a restore, or a change of inputs or of an option.
  Status (*prepare)(Chain &chain, Error *err) = nullptr;
  // Makes one step, which moves every variable once.
  Status (*step)(Chain &chain, Error *err) = nullptr;
  // Lists the memory that cannot be recomputed, in up to max_saved_pieces pieces; returns their
  // number. Null: there is none.
  int (*saved)(const Chain &chain, SavedPiece *pieces) = nullptr;
  // Fails if the pieces found in a block cannot be a chain's. Called before they are copied.
  Status (*check_saved)(const Chain &chain, const SavedChain &saved, Error *err) = nullptr;
  // Hooks for what a sampler carries from step to step that belongs to the variables rather than to
  // the chain. `exchanged`: two chains have swapped the memory of their variables. `replaced`: new
  // variables were written into the chain's memory. Null: the next preparation renews everything.
  void (*exchanged)(Chain &a, Chain &b) = nullptr;
  void (*replaced)(Chain &chain) = nullptr;
  // Sets the options of all extra moves at once. Null: the sampler has no extra moves.
  void (*set_moves)(Chain &chain, Moves moves) = nullptr;
  // The variables that replica swaps ignore because this sampler can redraw them. Null, or a null
  // result: there are none.
  const PathOps *(*path)(const Chain &chain) = nullptr;
};

// Null for values outside the enum.
const SamplerOps *ops_of(SamplerKind sampler);
constexpr int32_t sampler_kinds = 4;
// Adds the names of the samplers that `suits` accepts: "hmc, mala or nuts".
void add_sampler_names(Text &text, bool (*suits)(const SamplerOps &));
extern const SamplerOps gibbs_ops;
extern const SamplerOps hmc_ops;
extern const SamplerOps mala_ops;
extern const SamplerOps nuts_ops;

// Annealing: the noise of all layers falls from `from` to its final value over the first `steps`
// steps.
struct Annealing {
  double from = 0;
  int64_t steps = 0;  // 0: no annealing
};

// Kinds of moves of a Gibbs chain. Values are pinned: adding a base gives NNP_MOVE_* of the C
// header.
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
constexpr int32_t move_room = 32;  // entries in a saved chain: new moves keep the format
static_assert(move_kinds <= move_room, "moves outgrow the format of saves");
const char *move_name(Move move);

struct MoveCount {
  int64_t tried = 0, moved = 0;
  int64_t evaluations = 0;  // of the density
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
  int32_t held = 0;              // 1 while a run holds the chain, see ChainHold
  uint64_t data_version = 0;     // version of the data that `prepared` refers to
  uint64_t checked_version = 0;  // version of the data whose targets or labels were last checked
  uint64_t hashed_version = 0;   // version of the data hashed in `data_hash`; 0: none yet
  uint64_t data_hash = 0;
  Comm comm;  // of runs in which this is the first chain

  MoveCount &count(Move move) { return moves[static_cast<int32_t>(move) - 1]; }
};

// Fails if the sampler cannot sample this posterior of this complete network.
Status sampler_check(const Net &net, SamplerKind sampler, PosteriorKind posterior, Error *err);
Status chain_check(const Net &net, const Data &data, SamplerKind sampler, PosteriorKind posterior,
                   Error *err);
Chain *chain_layout(Arena &arena, const Net &net, const Data &data, SamplerKind sampler,
                    PosteriorKind posterior);

// Steps left until the warm-up ends, including those of an annealing before it.
int64_t chain_warmup_left(const Chain &chain);

Status chain_set(Chain &chain, Option option, double value, Error *err);

// Checks that the data still suit the network, since a caller may change data that a chain uses.
// Called before they are used; free if nothing has changed.
Status chain_check_data(Chain &chain, Error *err);

// Called before a start: resets the random streams and, if the chain was annealing, restores the
// noise of the model.
void chain_begin_start(Chain &chain, uint64_t seed, uint64_t number);
// Called when a start has set parameters and sites: from here on the chain can run. Fails if a
// value is not finite, and then the chain has no start.
Status chain_started(Chain &chain, Error *err);

// Fails if the network cannot anneal from this noise.
Status check_annealing(const Net &net, double from, Error *err);
// Starts annealing from noise `from` over `steps` steps; the chain must not have run yet.
Status chain_anneal(Chain &chain, double from, int64_t steps, Error *err);
// Steps left until the noise reaches that of the model.
int64_t chain_annealing_left(const Chain &chain);
// Sets the noise that belongs to the chain's current step.
void chain_apply_annealing(Chain &chain);

// Sets the temperature of the likelihood (posterior/heat.hpp).
void chain_heat(Chain &chain, double temperature);
// Swaps the variables of two chains of the same network and data by swapping their memory; nothing
// is copied. Everything else, including random streams and adaptation, stays with its chain.
void chain_exchange(Chain &a, Chain &b);
// Called after new variables, with their scales, were written into the chain's memory; the step
// count stays.
void chain_replaced(Chain &chain);

// Draws the learned scales from their conditionals, as samplers do at the end of a step. Noises
// stay fixed while the chain anneals.
void chain_draw_scales(Chain &chain);

// Looks for values that are not finite after the last of `steps` steps; during a run the next step
// would find them. The check takes a few percent of a step.
Status chain_check_end(const Chain &chain, int64_t steps, Error *err);

// Makes one step, and prepares the sampler first if necessary.
Status chain_step(Chain &chain, Error *err);

// Marks the chain as held by a run. Callbacks may read it meanwhile, but neither they nor other
// threads may change or run it.
Status chain_hold(Chain &chain, int64_t index, Error *err);
void chain_let_go(Chain &chain);
// Fails while a run holds the chain.
Status chain_check_free(const Chain &chain, Error *err);

// Holds the chains chain_of(0 … count-1), either all or none of them, until it goes out of scope.
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
