// What every function of the C API does: checks pointers, reports failures, builds objects in
// blocks.
#pragma once

#include <cstdlib>
#include <cstring>
#include <limits>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "capi/nnpost.h"
#include "lib/base/arena.hpp"
#include "lib/base/status.hpp"
#include "lib/network/data.hpp"
#include "lib/network/net.hpp"
#include "lib/posterior/predict.hpp"
#include "lib/sampler/chain.hpp"
#include "lib/study/recipe.hpp"
#include "lib/study/runner.hpp"
#include "lib/study/study.hpp"
#include "lib/teacher/descent.hpp"

namespace nnp {

#define NNP_TRY(call)                                 \
  do {                                                \
    const ::nnp::Status status_ = (call);             \
    if (status_ != ::nnp::Status::ok) return status_; \
  } while (0)

// With sizes up to 2^40 no product of sizes formed by the library overflows.
constexpr int64_t max_size = int64_t{1} << 40;

// Runs the body with a local Error and copies the outcome to the caller's.
template <class Body>
int32_t guarded(nnp_error *err, Body body) {
  Error error = {};
  const Status status = body(&error);
  if (err) {
    err->status = static_cast<int32_t>(status);
    std::memcpy(err->message, error.message, sizeof err->message);
    if (status == Status::ok) err->message[0] = 0;
  }
  return static_cast<int32_t>(status);
}

inline Status need(const void *pointer, const char *name, Error *err) {
  if (pointer) return Status::ok;
  return fail(err, Status::null_argument, "%s: it is NULL, expected a valid pointer", name);
}

inline Status need_size(int64_t value, int64_t least, int64_t most, const char *name, Error *err) {
  if (value >= least && value <= most) return Status::ok;
  return fail(err, value > most ? Status::size_overflow : Status::bad_size,
              "%s = %lld: expected %lld to %lld", name, ll(value), ll(least), ll(most));
}

// For indices, and for numbers that are not limited by memory: any value outside the bounds is out
// of range.
inline Status need_index(int64_t value, int64_t least, int64_t most, const char *name, Error *err) {
  if (value >= least && value <= most) return Status::ok;
  return fail(err, Status::bad_size, "%s = %lld: expected %lld to %lld", name, ll(value), ll(least),
              ll(most));
}

inline Status need_flag(int32_t value, const char *name, Error *err) {
  if (value == 0 || value == 1) return Status::ok;
  return fail(err, Status::bad_value, "%s = %d: expected 0 or 1", name, static_cast<int>(value));
}

// Fails unless the reserved fields of an input struct are 0: a later version would interpret them.
template <class T>
Status need_unused(const T *reserved, int count, const char *name, Error *err) {
  for (int i = 0; i < count; ++i)
    if (!(reserved[i] == 0))
      return fail(err, Status::bad_value, "%s: reserved field %d is %g, expected 0", name, i,
                  static_cast<double>(reserved[i]));
  return Status::ok;
}

// Checks that `count` draws of all parameters of some chains fit into one array.
inline Status need_draws(int64_t count, int64_t parameters, int64_t chains, const char *name,
                         Error *err) {
  NNP_TRY(need_size(count, 1, max_size, name, err));
  int64_t bytes = 0;
  if (!__builtin_mul_overflow(count, parameters, &bytes) &&
      !__builtin_mul_overflow(bytes, chains, &bytes) &&
      !__builtin_mul_overflow(bytes, int64_t{sizeof(double)}, &bytes))
    return Status::ok;
  return fail(err, Status::size_overflow,
              "%s = %lld: draws of %lld parameters are more bytes than memory can address", name,
              ll(count), ll(parameters));
}

// Computes a score. Inside the library, log scores may be -infinity.
inline Status score_of(Predictor &predictor, const Data &data, const Draws &draws, Score kind,
                       double *value, Error *err) {
  double found = 0;
  NNP_TRY(score(predictor, data, draws, kind, &found, err));
  if (found == -std::numeric_limits<double>::infinity())
    return fail(err, Status::not_finite,
                "score: it is -inf, a target's density is below the smallest double");
  *value = found;
  return Status::ok;
}

// Size of an object. A layout is a function of an arena that returns the object; it runs on a
// counting arena first.
template <class Layout>
bool overflows(Layout layout) {
  Arena counter;
  layout(counter);
  return counter.overflowed();
}

template <class Layout>
Status count_bytes(Layout layout, size_t *bytes, Error *err) {
  Arena counter;
  layout(counter);
  if (counter.overflowed())
    return fail(err, Status::size_overflow,
                "sizes: the object would need more bytes than memory can address");
  *bytes = counter.used();
  return Status::ok;
}

template <class Layout>
Status build_in(void *memory, size_t bytes, Layout layout, Error *err) {
  size_t needed = 0;
  NNP_TRY(need(memory, "memory", err));
  NNP_TRY(count_bytes(layout, &needed, err));
  if (reinterpret_cast<uintptr_t>(memory) % Arena::alignment != 0)
    return fail(err, Status::memory_misaligned, "memory: it is at %p, expected a multiple of %zu",
                memory, Arena::alignment);
  if (bytes < needed)
    return fail(err, Status::memory_too_small, "bytes = %zu: expected at least %zu", bytes, needed);
  Arena arena(memory, needed);
  std::memset(memory, 0, needed);
  layout(arena);
  return Status::ok;
}

// Allocates the block of an object. Windows has separate functions for aligned memory.
inline void *take_block(size_t bytes) {
  const size_t rounded = (bytes + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
  if (rounded < bytes) return nullptr;
#if defined(_WIN32)
  return _aligned_malloc(rounded, Arena::alignment);
#elif defined(__linux__)
  // Large pages, if the system grants them: the TLB covers too few 4 KB pages for a block this large.
  constexpr size_t large_page = size_t{1} << 21;
  if (rounded < 4 * large_page) return std::aligned_alloc(Arena::alignment, rounded);
  const size_t whole = (rounded + large_page - 1) / large_page * large_page;
  if (whole < rounded) return nullptr;
  void *memory = std::aligned_alloc(large_page, whole);
  if (memory) madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
#else
  return std::aligned_alloc(Arena::alignment, rounded);
#endif
}
inline void free_block(void *memory) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

template <class Layout>
Status build_on_heap(Layout layout, Error *err) {
  size_t bytes = 0;
  NNP_TRY(count_bytes(layout, &bytes, err));
  void *memory = take_block(bytes);
  if (!memory)
    return fail(err, Status::out_of_memory, "memory: the system has no block of %zu bytes", bytes);
  const Status status = build_in(memory, bytes, layout, err);
  if (status != Status::ok) free_block(memory);
  return status;
}

// A chain with the memory needed to predict from its current parameters.
struct ChainObject {
  Chain *chain;
  Predictor *predictor;
  double *gradient_work;  // for the gradient statistic
  Descent *descent;       // how its fitted start was found
  Lane lane;              // progress of the call that runs it
  int64_t reported;       // steps reported to its callback
  int64_t kept;           // draws written to an array by the last call

  StudyMember member() const { return {chain, predictor, gradient_work}; }
};

// Parameters a chain starts from: put(source, state) writes them into the state.
struct GivenParams {
  void (*put)(const void *source, State &state);
  const void *source;
};
// Starts that several C functions share; the parameters must have been checked.
Status start_from_weights(nnp_chain *chain, const GivenParams &given, bool noisy, uint64_t seed,
                          uint64_t number, Error *err);
Status start_from_state(nnp_chain *chain, const GivenParams &given, const double *sites,
                        uint64_t seed, uint64_t number, Error *err);

inline Net *unwrap(nnp_net *net) {
  return reinterpret_cast<Net *>(net);
}
inline const Net *unwrap(const nnp_net *net) {
  return reinterpret_cast<const Net *>(net);
}
inline Data *unwrap(nnp_data *data) {
  return reinterpret_cast<Data *>(data);
}
inline const Data *unwrap(const nnp_data *data) {
  return reinterpret_cast<const Data *>(data);
}
inline Pool *unwrap(nnp_pool *pool) {
  return reinterpret_cast<Pool *>(pool);
}
inline ChainObject *unwrap(nnp_chain *chain) {
  return reinterpret_cast<ChainObject *>(chain);
}
inline const ChainObject *unwrap(const nnp_chain *chain) {
  return reinterpret_cast<const ChainObject *>(chain);
}
// Checks a caller's communicator and copies it; NULL: a single rank.
Status take_comm(const nnp_comm *comm, Comm *out, Error *err);
// The communicator used by calls whose first chain this is: for sharing chains, or for rows.
inline const Comm &meeting_comm(const Chain &chain) {
  return chain.state.rows() ? chain.state.rows()->comm : chain.comm;
}
// If a chain's rows are spread over ranks, all ranks must make calls that use rows. Tells them what
// is wrong with this rank's call, if anything.
inline Status meet_over_rows(const nnp_chain *chain, Status local, Error *err) {
  return chain ? rows_agree(unwrap(chain)->chain->state.rows(), local, err) : local;
}
// After such a call: fails unless all sums have arrived.
inline Status check_sums(const nnp_chain *chain, Error *err) {
  Rows *rows = unwrap(chain)->chain->state.rows();
  return rows && rows->failed() ? rows_agree(rows, Status::ok, err) : Status::ok;
}
// Fails if rows are spread over ranks, for functions that do not support it.
inline Status need_own_rows(const nnp_chain *chain, const char *what, Error *err) {
  if (!unwrap(chain)->chain->state.rows()) return Status::ok;
  return fail(err, Status::unsupported,
              "chains: their rows are spread over ranks, which %s does not support, expected data "
              "made by nnp_data_create",
              what);
}
// Refuses a call that all ranks make, and tells the others, which wait for this one, why.
inline Status refuse(const Comm &comm, Status given, Error *err) {
  return given == Status::ok ? given : comm_agree(comm, Common{}, given, err);
}
// Fails if a run holds the chain, so that it may not be changed.
inline Status need_free(const nnp_chain *chain, Error *err) {
  NNP_TRY(need(chain, "chain", err));
  return chain_check_free(*unwrap(chain)->chain, err);
}
inline Status need_started(const nnp_chain *chain, Error *err) {
  NNP_TRY(need(chain, "chain", err));
  if (unwrap(chain)->chain->started) return Status::ok;
  return fail(err, Status::not_started,
              "chain: it has no start yet, expected nnp_chain_start first");
}
// Fails if chain c is one of those before it.
inline Status need_new_chain(nnp_chain *const *chains, int64_t c, Error *err) {
  for (int64_t other = 0; other < c; ++other)
    if (chains[c] == chains[other])
      return fail(err, Status::bad_value, "chains: entries %lld and %lld are the same chain",
                  ll(other), ll(c));
  return Status::ok;
}
// Chains of one network, data, sampler and posterior that work together.
struct ChainGroup {
  nnp_chain *const *chains;
  int64_t count, least;
  bool (*same_network)(const Net &, const Net &);
  const char *what;  // the caller: "an exchange"
};
Status check_group(const ChainGroup &group, Error *err);
inline bool can_descend(const nnp_chain *chain) {
  return descent_check(unwrap(chain)->chain->state.net, nullptr) == Status::ok;
}
Status check_start(nnp_chain *chain, Start start, Error *err);
// Does everything of a start except the descent of NNP_START_FIT.
Status begin_start(nnp_chain *chain, Start start, uint64_t seed, uint64_t number, Error *err);
// Which start: `number` is that of the first chain.
struct StartCall {
  Start how;
  uint64_t seed, number;
};
// Checks that ranks mean the same start, since they share the work of NNP_START_FIT. Called before
// any chain is changed.
Status agree_on_start(nnp_chain *const *chains, int64_t chain_count, const StartCall &call,
                      Status local, Error *err);
// Checks that ranks mean the same start if rows are spread over them; other ranks do not
// communicate.
inline Status agree_on_rows(nnp_chain *chain, uint64_t seed, uint64_t number, Status local,
                            Error *err) {
  if (!chain || !unwrap(chain)->chain->state.rows()) return local;
  return agree_on_start(&chain, 1, {Start::zero, seed, number}, local, err);
}
// The descent of started chains, side by side on the first one's pool. 0 steps: the default number.
// `cooling` as in descent_begin, for starts: chains that cannot descend are skipped. `refused`:
// what was wrong with the arguments, which other ranks may have to be told.
struct DescentPlan {
  int64_t steps;
  bool cooling;
  Status refused;
};
Status descend_chains(nnp_chain *const *chains, int64_t chain_count, const DescentPlan &plan,
                      nnp_callback callback, void *user, Error *err);
// A predictor, and the callback that reports the progress of its calls.
struct PredictorObject {
  Predictor *predictor;
  nnp_callback callback;
  void *user;
  double began;  // when the current call started
};
inline Predictor *unwrap(nnp_predictor *predictor) {
  return reinterpret_cast<PredictorObject *>(predictor)->predictor;
}
inline const Predictor *unwrap(const nnp_predictor *predictor) {
  return reinterpret_cast<const PredictorObject *>(predictor)->predictor;
}
// A throttle's callback must be set before the first step.
Status check_throttle(nnp_callback callback, const void *user, Error *err);

}  // namespace nnp
