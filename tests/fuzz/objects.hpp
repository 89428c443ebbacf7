// The live objects of a sequence of calls, with what the harness must know of them to size arrays,
// and in what order they may go: data outlives chains, chains outlive studies.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "capi/nnpost_study.h"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/target.hpp"

namespace fuzz {

// What the numbers of each family of constants follow: inside the library they count from 0 or 1.
enum Family : int32_t {
  activations = NNP_IDENTITY - 1,
  heads = NNP_GAUSSIAN - 1,
  properties = NNP_NOISE - 1,
  orders = NNP_ROW_MAJOR - 1,
  stores = NNP_STORE_AUTO,
  samplers = NNP_GIBBS - 1,
  posteriors = NNP_INTERMEDIATE - 1,
  starts_of_chains = NNP_START_ZERO - 1,
  options = NNP_OPTION_SCHEDULE - 1,
  schedules = NNP_SEQUENTIAL - 1,
  blas_values = NNP_BLAS_AUTOMATIC,
  phases = NNP_PHASE_START - 1,
  predictions = NNP_PREDICT_MEAN - 1,
  scores = NNP_SCORE_MSE - 1,
  noises = NNP_FORWARD,
  kept_quantities = NNP_KEEP_PARAMETERS - 1,
  table_settings = NNP_TABLE_SEED - 1,
  moves = NNP_MOVE_PLAIN - 1,
  step_statistics = NNP_STEP_LOG_DENSITY - 1,
  statistics = NNP_STAT_RHAT - 1,
  scales = NNP_SCALE_AUTO,
  study_options = NNP_STUDY_STEPS - 1,
  samplings = NNP_SAMPLING_LOG - 1,
  study_series = NNP_SERIES_TEST - 1,
  exchange_options = NNP_EXCHANGE_REPLICAS - 1,
  exchange_starts = NNP_EXCHANGE_FROM_PRIOR - 1,
  multistart_options = NNP_MULTISTART_STEPS - 1
};

// A block of exactly these bytes at a multiple of 64, with something in it.
struct Block {
  void *memory = nullptr;
  size_t bytes = 0;

  Block() = default;
  explicit Block(size_t size) : bytes(size) {
    memory = ::operator new (size > 0 ? size : 1, std::align_val_t{64});
    std::memset(memory, 0xA5, size);
  }
  Block(Block &&other) noexcept { swap(other); }
  Block &operator=(Block &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Block() {
    if (memory) ::operator delete (memory, std::align_val_t{64});
  }
  void swap(Block &other) {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
  }
};

// What arrays that go with a network must hold.
struct Sizes {
  int64_t parameters = 0, outputs = 0, targets = 0, latents = 0, layers = 0, widest = 0;
};

inline Sizes sizes_of(const nnp_net *net) {
  Sizes s;
  nnp_net_parameters(net, &s.parameters, nullptr);
  nnp_net_outputs(net, &s.outputs, nullptr);
  nnp_net_targets(net, &s.targets, nullptr);
  nnp_net_latents(net, &s.latents, nullptr);
  nnp_net_layers(net, &s.layers, nullptr);
  int64_t shape[3];
  for (int64_t k = 0; k <= s.layers; ++k)
    if (nnp_net_shape(net, k, shape, nullptr) == NNP_OK)
      s.widest = std::max(s.widest, shape[0] * shape[1] * shape[2]);
  return s;
}

inline size_t net_bytes(int64_t layers) {
  size_t bytes = 0;
  nnp_net_bytes(layers, &bytes, nullptr);
  return bytes;
}

// A copy in a block of its size: those of nnp_net_copy are large, and slow to make.
inline nnp_net *copied_to(Block &block, const nnp_net *net) {
  nnp_net *copy = nullptr;
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  block = Block(net_bytes(layers));
  nnp_net_init_copy(&copy, block.memory, block.bytes, layers, net, nullptr);
  return copy;
}

template <class T>
struct Slot {
  T *handle = nullptr;
  Block block;       // where the object lives if it was built by X_init
  size_t bytes = 0;  // of the object
  bool owned() const { return block.memory != nullptr; }
};

struct NetSlot : Slot<nnp_net> {};

struct DataSlot : Slot<nnp_data> {
  int64_t n = 0, features = 0, outputs = 0;
};

struct PoolSlot : Slot<nnp_pool> {};

struct ChainSlot : Slot<nnp_chain> {
  Sizes sizes;
  int64_t n = 0, variables = 0;
  int data = 0;  // number of its data
  int32_t sampler = 0, posterior = 0;
  nnp_net *net = nullptr;  // as it was when the chain was made
  Block net_block;
  std::unique_ptr<double[]> record;
};

struct PredictorSlot : Slot<nnp_predictor> {
  Sizes sizes;
  int64_t max_draws = 0, levels = 0;
  Block helpers;  // of its threads
};

struct TeacherSlot : Slot<nnp_teacher> {
  Sizes sizes;
};

struct StudySlot : Slot<nnp_study> {
  int64_t chains = 0;
};
struct MultistartSlot : Slot<nnp_multistart> {
  int64_t chains = 0;
};
struct TwinSlot : Slot<nnp_twin> {};
struct ExchangeSlot : Slot<nnp_exchange> {
  int64_t chains = 0, parameters = 0;
  std::unique_ptr<int32_t[]> record;
};

struct Objects {
  NetSlot nets[3];
  DataSlot data[3];
  PoolSlot pools[1];
  ChainSlot chains[3];
  PredictorSlot predictors[2];
  TeacherSlot teachers[1];
  StudySlot studies[1];
  MultistartSlot multistarts[1];
  TwinSlot twins[1];
  ExchangeSlot exchanges[1];

  // What a predictor and a teacher are made of when they are first wanted: they are large.
  struct {
    Block block;
    nnp_net *net = nullptr;
    int32_t posterior = 0;
    bool predictor = false, teacher = false;  // to be made
  } due;
  static constexpr int64_t largest_draws = 6;

  void make_predictor() {
    PredictorSlot &slot = predictors[0];
    if (!std::exchange(due.predictor, false) || slot.handle) return;
    slot.sizes = sizes_of(due.net);
    slot.max_draws = largest_draws;
    nnp_predictor_create(&slot.handle, due.net, largest_draws, nullptr);
  }
  void make_teacher() {
    TeacherSlot &slot = teachers[0];
    if (!std::exchange(due.teacher, false) || slot.handle) return;
    slot.sizes = sizes_of(due.net);
    nnp_teacher_create(&slot.handle, due.net, due.posterior, 1, 0, nullptr);
  }

  ~Objects() {
    for (DataSlot &slot : data) drop(slot);
    for (PoolSlot &slot : pools) drop(slot);
    for (NetSlot &slot : nets) drop(slot);
    for (PredictorSlot &slot : predictors) drop(slot);
    for (TeacherSlot &slot : teachers) drop(slot);
  }

  // Drops an object, and before it all that must not outlive it.
  template <class S, class Free>
  void clear(S &slot, Free free) {
    if (slot.handle && !slot.owned()) free(slot.handle);
    slot = S{};
  }
  void drop(NetSlot &slot) { clear(slot, nnp_net_free); }
  void drop(PredictorSlot &slot) { clear(slot, nnp_predictor_free); }
  void drop(TeacherSlot &slot) { clear(slot, nnp_teacher_free); }
  void drop(StudySlot &slot) { clear(slot, nnp_study_free); }
  void drop(MultistartSlot &slot) { clear(slot, nnp_multistart_free); }
  void drop(TwinSlot &slot) { clear(slot, nnp_twin_free); }
  void drop(ExchangeSlot &slot) { clear(slot, nnp_exchange_free); }
  void drop_groups() {
    for (StudySlot &slot : studies) drop(slot);
    for (MultistartSlot &slot : multistarts) drop(slot);
    for (TwinSlot &slot : twins) drop(slot);
    for (ExchangeSlot &slot : exchanges) drop(slot);
  }
  void drop(ChainSlot &slot) {
    drop_groups();
    clear(slot, nnp_chain_free);
  }
  void drop(DataSlot &slot) {
    drop_groups();
    for (ChainSlot &chain : chains)
      if (chain.handle && &data[chain.data] == &slot) drop(chain);
    clear(slot, nnp_data_free);
  }
  void drop(PoolSlot &slot) {
    for (ChainSlot &chain : chains)
      if (chain.handle) nnp_chain_use_pool(chain.handle, nullptr, nullptr);
    for (PredictorSlot &predictor : predictors)
      if (predictor.handle) nnp_predictor_use_pool(predictor.handle, nullptr, nullptr, 0, nullptr);
    if (slot.handle && slot.owned()) nnp_pool_close(slot.handle);
    clear(slot, nnp_pool_free);
  }
};

}  // namespace fuzz
