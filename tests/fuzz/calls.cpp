#include "tests/fuzz/calls.hpp"

namespace fuzz {

namespace {

bool loud() {
  static const bool wanted = std::getenv("NNPOST_TEST_LOUD") != nullptr;
  return wanted;
}

// FNV-1a, a word at a time.
struct Hash {
  uint64_t value = 0xcbf29ce484222325u;

  // Blocks have red zones between their pieces, which a sanitizer guards.
  __attribute__((no_sanitize("address"))) void add(const void *memory, size_t size) {
    const uint8_t *at = static_cast<const uint8_t *>(memory);
    for (; size >= 8; at += 8, size -= 8) {
      uint64_t word;
      __builtin_memcpy(&word, at, 8);  // inline; a sanitizer's own would look at red zones
      value = (value ^ word) * 0x100000001b3u;
      value ^= value >> 29;
    }
    for (; size > 0; ++at, --size) value = (value ^ *at) * 0x100000001b3u;
  }
  template <class T>
  void add(const T &thing) {
    static_assert(!std::is_pointer_v<T>, "what it points to");
    add(&thing, sizeof thing);
  }
  void add(const nnp_series &series) {
    add(series.count);
    const size_t size = static_cast<size_t>(series.count) * sizeof(double);
    if (series.count > 0) add(series.values, size);
    if (series.count > 0 && series.times) add(series.times, size);
  }
};

template <class S, size_t N, class T>
const S *slot_of(const S (&slots)[N], const T *handle) {
  for (const S &slot : slots)
    if (slot.handle == handle) return &slot;
  return nullptr;
}

}  // namespace

// Networks and data have no workspace: all of their blocks.
uint64_t Fuzz::digest(const nnp_net *net) const {
  Hash hash;
  const NetSlot *slot = slot_of(live.nets, net);
  if (slot) hash.add(net, slot->bytes);
  return hash.value;
}

uint64_t Fuzz::digest(const nnp_data *data) const {
  Hash hash;
  const DataSlot *slot = slot_of(live.data, data);
  if (slot) hash.add(data, slot->bytes);
  return hash.value;
}

// All that is saved, and what is told besides.
uint64_t Fuzz::digest(const nnp_chain *chain) const {
  Hash hash;
  size_t size = 0;
  int64_t recorded = 0, left = 0;
  nnp_descent descent;
  std::memset(&descent, 0, sizeof descent);
  if (nnp_chain_save_bytes(chain, &size, nullptr) == NNP_OK) {
    std::vector<uint8_t> block(size);
    const int32_t status = nnp_chain_save(chain, block.data(), size, nullptr);
    hash.add(status);
    if (status == NNP_OK) hash.add(block.data(), size);
  }
  for (int32_t option = 1; option < 24; ++option) {
    double value = 0;
    hash.add(nnp_chain_get(chain, options + option, &value, nullptr));
    hash.add(value);
  }
  hash.add(nnp_chain_recorded(chain, &recorded, nullptr));
  hash.add(recorded);
  hash.add(nnp_chain_annealing(chain, &left, nullptr));
  hash.add(left);
  hash.add(nnp_chain_descent(chain, &descent, nullptr));
  hash.add(descent);
  return hash.value;
}

uint64_t Fuzz::digest(const nnp_teacher *teacher) const {
  Hash hash;
  const TeacherSlot *slot = slot_of(live.teachers, teacher);
  if (!slot) return 0;
  std::vector<double> parameters(static_cast<size_t>(slot->sizes.parameters) + 1);
  nnp_teacher_parameters(teacher, parameters.data(), nullptr);
  hash.add(parameters.data(), parameters.size() * sizeof(double));
  return hash.value;
}

uint64_t Fuzz::digest(const nnp_study *study) const {
  Hash hash;
  const StudySlot *slot = slot_of(live.studies, study);
  nnp_study_progress state;
  if (!slot || nnp_study_state(study, &state, nullptr) != NNP_OK) return 0;
  hash.add(state.steps);
  hash.add(state.samples);
  hash.add(state.blocks);
  hash.add(state.decided);
  hash.add(state.ended);
  for (int32_t option = 1; option < 16; ++option) {
    double value = 0;
    hash.add(nnp_study_get(study, study_options + option, &value, nullptr));
    hash.add(value);
  }
  for (int64_t c = 0; c < slot->chains; ++c)
    for (int32_t which = NNP_SERIES_TEST; which <= NNP_SERIES_RHAT_95; ++which) {
      nnp_series series;
      if (nnp_study_series(study, c, which, &series, nullptr) == NNP_OK) hash.add(series);
    }
  return hash.value;
}

uint64_t Fuzz::digest(const nnp_multistart *multistart) const {
  Hash hash;
  const MultistartSlot *slot = slot_of(live.multistarts, multistart);
  int64_t best = 0;
  if (!slot) return 0;
  for (int32_t option = 1; option < 8; ++option) {
    double value = 0;
    hash.add(nnp_multistart_get(multistart, multistart_options + option, &value, nullptr));
    hash.add(value);
  }
  for (int64_t c = 0; c < slot->chains; ++c) {
    nnp_attempt attempt;
    std::memset(&attempt, 0, sizeof attempt);
    hash.add(nnp_multistart_report(multistart, c, &attempt, nullptr));
    hash.add(attempt);
  }
  hash.add(nnp_multistart_best(multistart, &best, nullptr));
  hash.add(best);
  return hash.value;
}

uint64_t Fuzz::digest(const nnp_twin *twin) const {
  Hash hash;
  for (int64_t which = 0; which < 2; ++which) {
    nnp_series series;
    if (nnp_twin_series(twin, which, &series, nullptr) == NNP_OK) hash.add(series);
  }
  return hash.value;
}

// Its ladder and its counts.
uint64_t Fuzz::digest(const nnp_exchange *exchange) const {
  Hash hash;
  nnp_exchange_summary found;
  nnp_exchange_rung rung;
  std::memset(&found, 0, sizeof found);
  hash.add(nnp_exchange_report(exchange, &found, nullptr));
  hash.add(found);
  for (int64_t level = 0; level < found.replicas; ++level) {
    std::memset(&rung, 0, sizeof rung);
    hash.add(nnp_exchange_level(exchange, level, &rung, nullptr));
    hash.add(rung);
  }
  for (int32_t option = 1; option < 8; ++option) {
    double value = 0;
    hash.add(nnp_exchange_get(exchange, exchange_options + option, &value, nullptr));
    hash.add(value);
  }
  return hash.value;
}

void Fuzz::check(int32_t status, const nnp_error *err, int64_t made) {
  if (loud()) {
    std::fprintf(stderr, "%s: %d %s\n", name, static_cast<int>(status),
                 err ? err->message : "(not asked)");
  }
  if (status < 0 || status > own_status || (status > NNP_E_FILE && status < own_status))
    broken("%s returned %d, which is no status", name, static_cast<int>(status));
  if (err) {
    if (err->status != status)
      broken("%s returned %d, the error says %d", name, static_cast<int>(status),
             static_cast<int>(err->status));
    const void *end = std::memchr(err->message, 0, sizeof err->message);
    if (!end) broken("%s: its sentence has no end", name);
    if ((err->message[0] == 0) != (status == NNP_OK))
      broken("%s returned %d with the sentence '%s'", name, static_cast<int>(status), err->message);
  }
  if (made != 0 && !(flags & allocates))
    broken("%s allocated %lld times", name, static_cast<long long>(made));
  if (status == NNP_E_OUT_OF_MEMORY && !(flags & allocates))
    broken("%s is out of memory, which it does not allocate", name);
  if (has_text_ && text_ && status == NNP_OK && !std::memchr(text_, 0, text_size_))
    broken("%s: its text has no end", name);
  if (has_text_ && text_size_ == enough && status == NNP_E_BUFFER_SIZE)
    broken("%s: %zu bytes are not enough", name, enough);
  const bool may_change =
      ((flags & runs) && (status == NNP_STOPPED || status == NNP_E_NUMERIC ||
                          status == NNP_E_NOT_FINITE || status == own_status)) ||
      ((flags & starts) && status == NNP_E_NOT_FINITE);
  for (const Watched &each : watched_)
    if (each.constant || (status != NNP_OK && !may_change))
      if (each.digest(*this, each.object) != each.before)
        broken("%s changed an object %s", name,
               each.constant ? "that is const" : "though it failed");
  watched_.clear();
  has_text_ = false;
  text_ = nullptr;
}

// ---- callbacks ------------------------------------------------------------------------------------

namespace {

// What no callback may do to a chain that runs.
void try_forbidden(Fuzz &z, nnp_chain *chain) {
  nnp_error err;
  const int32_t statuses[] = {
      nnp_chain_run(chain, 1, nullptr, nullptr, &err),
      nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err),
      nnp_chain_set(chain, NNP_OPTION_SIMD, 1, &err),
      nnp_chain_anneal(chain, 10, 5, &err),
      nnp_chain_use_pool(chain, nullptr, &err),
      nnp_chain_descend(chain, 1, nullptr, nullptr, &err),
  };
  for (int32_t status : statuses)
    if (status != NNP_E_UNSUPPORTED)
      broken("%s: a callback was allowed to change its chain (%d)", z.name,
             static_cast<int>(status));
}

void read(nnp_chain *chain) {
  double value = 0;
  int64_t steps = 0;
  size_t size = 0;
  nnp_chain_log_density(chain, &value, nullptr);
  nnp_chain_steps(chain, &steps, nullptr);
  if (nnp_chain_save_bytes(chain, &size, nullptr) != NNP_OK) return;
  std::vector<uint8_t> block(size);
  nnp_chain_save(chain, block.data(), size, nullptr);
}

// Another chain, if it is free.
void work_elsewhere(Fuzz &z, const nnp_chain *chain) {
  for (ChainSlot &slot : z.live.chains)
    if (slot.handle && slot.handle != chain)
      nnp_chain_run(slot.handle, 1, nullptr, nullptr, nullptr);
}

// Allocations of the harness itself do not count.
template <class Work>
int32_t aside(Fuzz &z, Work work) {
  const int64_t before = allocations;
  work();
  allocations = before;
  return z.patience-- <= 1;
}

}  // namespace

int32_t watch_run(const nnp_progress *progress, void *user) {
  Fuzz &z = *static_cast<Fuzz *>(user);
  return aside(z, [&] {
    if (!progress->chain) return;
    if (z.manner % 4 == 1) read(progress->chain);
    if (z.manner % 4 == 2) try_forbidden(z, progress->chain);
    if (z.manner % 4 == 3 && z.bytes.left() % 2) work_elsewhere(z, progress->chain);
  });
}

int32_t watch_study(const nnp_study *study, const nnp_study_progress *state, void *user) {
  Fuzz &z = *static_cast<Fuzz *>(user);
  return aside(z, [&] {
    nnp_criteria_times times;
    nnp_series series;
    if (z.manner % 2 == 0 || state->samples < 0) return;
    nnp_study_report(study, 1, &times, nullptr);
    nnp_study_series(study, 0, NNP_SERIES_TEST, &series, nullptr);
  });
}

int32_t watch_multistart(const nnp_multistart_progress *, void *user) {
  Fuzz &z = *static_cast<Fuzz *>(user);
  return aside(z, [] {});
}

int32_t watch_exchange(const nnp_exchange_progress *, void *user) {
  Fuzz &z = *static_cast<Fuzz *>(user);
  return aside(z, [] {});
}

}  // namespace fuzz
