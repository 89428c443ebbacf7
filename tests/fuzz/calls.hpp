// One call of a sequence: arguments decoded from bytes by their types, and the contracts that hold
// for every function of the API:
// - the status is one of the constants, and the error says the same with a sentence (none for OK);
// - nothing is allocated, except by X_create and X_free;
// - an object that a failing call was given is as it was, and so is one that is const.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tests/fuzz/contract.hpp"
#include "tests/fuzz/objects.hpp"

namespace fuzz {

// What a test function of ours returns when it fails.
constexpr int32_t own_status = 77;

enum RowFlags {
  plain = 0,
  allocates = 1,
  runs = 2,   // its steps may end in the middle, with a status that says so
  starts = 4  // a start whose sites overflow leaves the chain without one
};

class Fuzz {
 public:
  Bytes bytes = {nullptr, 0};  // of this call
  Objects live;
  const char *name = "";  // of the function being called
  int flags = plain;

  // ---- objects, or NULL now and then ------------------------------------------------------------

  template <class S, size_t N>
  S &some(S (&slots)[N]) {
    const size_t first = static_cast<size_t>(bytes.byte()) % N;
    for (size_t i = 0; i < N; ++i)
      if (slots[(first + i) % N].handle) return slots[(first + i) % N];
    return slots[first];
  }
  PredictorSlot &some(PredictorSlot (&slots)[2]) {
    live.make_predictor();
    return some<PredictorSlot, 2>(slots);
  }
  TeacherSlot &some(TeacherSlot (&slots)[1]) {
    live.make_teacher();
    return some<TeacherSlot, 1>(slots);
  }
  template <class S, size_t N>
  auto pick(S (&slots)[N]) {
    auto *handle = some(slots).handle;
    return nothing() ? nullptr : handle;
  }
  bool nothing() { return bytes.byte() == 255; }
  // Once in so many calls, by the number of their bytes: inputs keep their meaning.
  bool seldom(int often) const { return given_ % static_cast<size_t>(often) == 1; }
  // Calls that take long: few in a sequence, so that there are many sequences.
  bool affords(int cost) {
    constexpr int most = 8;
    if (spent_ + cost > most) return false;
    spent_ += cost;
    return true;
  }
  int number_of(const nnp_data *data) const {
    for (int i = 0; i < 3; ++i)
      if (live.data[i].handle == data) return i;
    return -1;
  }

  // ---- arrays: blocks of exact length that live until the call is over --------------------------

  static constexpr int64_t longest = 1 << 19;

  template <class T>
  T *room(int64_t count) {
    if (count < 0 || count > longest)
      broken("%s: the harness asks for %lld values", name, static_cast<long long>(count));
    const size_t size = static_cast<size_t>(count) * sizeof(T);
    kept_.emplace_back(new uint8_t[size > 0 ? size : 1]);
    std::memset(kept_.back().get(), 0x5A, size);
    return nothing() ? nullptr : reinterpret_cast<T *>(kept_.back().get());
  }

  // Values without pattern between -2 and 2; then perhaps extremes among them.
  double *values(int64_t count) {
    double *made = room<double>(count);
    const int how = bytes.byte();
    for (int64_t i = 0; made && i < count; ++i)
      made[i] = 4 * std::fmod(static_cast<double>(i + how % 7 + 1) * 0.6180339887498949, 1) - 2;
    if (!made || count == 0 || how < 200) return made;
    const double scale = bytes.real();
    for (int64_t i = 0; i < count && how >= 240; ++i) made[i] *= scale;
    if (how < 240) made[bytes.two() % count] = scale;
    return made;
  }
  double *positive(int64_t count) {
    double *made = values(count);
    for (int64_t i = 0; made && i < count; ++i) made[i] = std::fabs(made[i]) + 1e-3;
    if (made && count > 0 && bytes.rarely(8)) made[bytes.two() % count] = bytes.real();
    return made;
  }

  // A text; the unsigned argument after it is its size. Others are seeds.
  char *text() {
    constexpr size_t sizes[] = {enough, 0, 1, 17, 160, 256, enough, enough};
    text_size_ = sizes[bytes.below(8)];
    text_ = room<char>(static_cast<int64_t>(text_size_));
    has_text_ = true;
    return text_;
  }
  size_t text_length() { return has_text_ ? text_size_ : bytes.byte(); }
  static constexpr size_t enough = 8192;  // for any text

  // ---- callbacks --------------------------------------------------------------------------------

  // Reads, tries what is forbidden, works elsewhere; stops after `patience` calls.
  int patience = 0, manner = 0;
  void new_manner() {
    patience = 1 + bytes.below(8);
    manner = bytes.byte();
  }

  // ---- the call ---------------------------------------------------------------------------------

  void begin(const Bytes &given) {
    bytes = given;
    given_ = given.left();
  }

  // These arguments and an error, or none.
  template <class... P, class... A>
  int32_t call(int32_t (*function)(P...), A... arguments);

  // All arguments by their types; constants are of these families, one after the other.
  template <class... P>
  int32_t generic(int32_t (*function)(P...), std::initializer_list<Family> families = {});
  int32_t next_constant() {
    if (next_family_ == last_family_) return bytes.number();
    return bytes.constant(*next_family_++);
  }

  // More objects that the next call is given.
  void also(nnp_chain *chain) { note(chain); }
  void note(const nnp_net *net) { watch(net, true); }
  void note(nnp_net *net) { watch(net, false); }
  void note(const nnp_data *data) { watch(data, true); }
  void note(nnp_data *data) { watch(data, false); }
  void note(const nnp_chain *chain) { watch(chain, true); }
  void note(nnp_chain *chain) { watch(chain, false); }
  void note(const nnp_teacher *teacher) { watch(teacher, true); }
  void note(nnp_teacher *teacher) { watch(teacher, false); }
  void note(const nnp_study *study) { watch(study, true); }
  void note(nnp_study *study) { watch(study, false); }
  void note(const nnp_multistart *multistart) { watch(multistart, true); }
  void note(nnp_multistart *multistart) { watch(multistart, false); }
  void note(const nnp_twin *twin) { watch(twin, true); }
  void note(nnp_twin *twin) { watch(twin, false); }
  void note(const nnp_exchange *exchange) { watch(exchange, true); }
  void note(nnp_exchange *exchange) { watch(exchange, false); }
  template <class T>
  void note(const T &) {}  // no object

  uint64_t digest(const nnp_net *net) const;
  uint64_t digest(const nnp_data *data) const;
  uint64_t digest(const nnp_chain *chain) const;
  uint64_t digest(const nnp_teacher *teacher) const;
  uint64_t digest(const nnp_study *study) const;
  uint64_t digest(const nnp_multistart *multistart) const;
  uint64_t digest(const nnp_twin *twin) const;
  uint64_t digest(const nnp_exchange *exchange) const;

  // Between the calls: arrays go.
  void forget() { kept_.clear(); }

 private:
  struct Watched {
    const void *object;
    uint64_t (*digest)(const Fuzz &, const void *);
    uint64_t before;
    bool constant;
  };

  template <class T>
  void watch(const T *object, bool constant) {
    if (!object) return;
    watched_.push_back(
        {object, [](const Fuzz &z, const void *o) { return z.digest(static_cast<const T *>(o)); },
         digest(object), constant});
  }
  template <class... P>
  int32_t invoke(int32_t (*function)(P...), std::tuple<P...> all);
  void check(int32_t status, const nnp_error *err, int64_t made);

  std::deque<std::unique_ptr<uint8_t[]>> kept_;
  std::vector<Watched> watched_;
  char *text_ = nullptr;
  size_t text_size_ = 0;
  bool has_text_ = false;
  int spent_ = 0;
  size_t given_ = 0;  // bytes for this call
  const Family *next_family_ = nullptr, *last_family_ = nullptr;
};

// ---- arguments by their types ---------------------------------------------------------------------

int32_t watch_run(const nnp_progress *progress, void *user);
int32_t watch_study(const nnp_study *study, const nnp_study_progress *state, void *user);
int32_t watch_multistart(const nnp_multistart_progress *state, void *user);
int32_t watch_exchange(const nnp_exchange_progress *state, void *user);

template <class T>
T argument(Fuzz &z) {
  using Target = std::remove_const_t<std::remove_pointer_t<T>>;
  if constexpr (std::is_same_v<Target, nnp_net>) {
    return z.pick(z.live.nets);
  } else if constexpr (std::is_same_v<Target, nnp_data>) {
    return z.pick(z.live.data);
  } else if constexpr (std::is_same_v<Target, nnp_pool>) {
    return z.pick(z.live.pools);
  } else if constexpr (std::is_same_v<Target, nnp_chain>) {
    return z.pick(z.live.chains);
  } else if constexpr (std::is_same_v<Target, nnp_predictor>) {
    return z.pick(z.live.predictors);
  } else if constexpr (std::is_same_v<Target, nnp_teacher>) {
    return z.pick(z.live.teachers);
  } else if constexpr (std::is_same_v<Target, nnp_study>) {
    return z.pick(z.live.studies);
  } else if constexpr (std::is_same_v<Target, nnp_multistart>) {
    return z.pick(z.live.multistarts);
  } else if constexpr (std::is_same_v<Target, nnp_twin>) {
    return z.pick(z.live.twins);
  } else if constexpr (std::is_same_v<Target, nnp_exchange>) {
    return z.pick(z.live.exchanges);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return z.bytes.size();
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return z.next_constant();
  } else if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, size_t>) {
    return z.text_length();
  } else if constexpr (std::is_same_v<T, double>) {
    return z.bytes.real();
  } else if constexpr (std::is_same_v<T, nnp_error *>) {
    return nullptr;  // comes later
  } else if constexpr (std::is_same_v<T, char *>) {
    return z.text();
  } else if constexpr (std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>>) {
    return z.room<std::remove_pointer_t<T>>(1);  // one result
  } else {
    static_assert(std::is_pointer_v<T>, "a row of its own");
    auto *given = z.room<Target>(1);  // a struct with anything in it
    uint8_t *at = reinterpret_cast<uint8_t *>(given);
    for (size_t i = 0; given && i < sizeof *given; ++i)
      at[i] = i < 16 ? z.bytes.byte() : uint8_t{0};
    return given;
  }
}

template <class... P>
int32_t Fuzz::invoke(int32_t (*function)(P...), std::tuple<P...> all) {
  nnp_error err;
  std::memset(&err, 0x5A, sizeof err);
  const bool told = bytes.byte() < 240;
  std::get<sizeof...(P) - 1>(all) = told ? &err : nullptr;
  std::apply([this](const P &...each) { (note(each), ...); }, all);
  const int64_t before = allocations;
  const int32_t status = std::apply(function, all);
  const int64_t made = allocations - before;
  fail_in = 0;
  check(status, told ? &err : nullptr, made);
  return status;
}

template <class... P, class... A>
int32_t Fuzz::call(int32_t (*function)(P...), A... arguments) {
  return invoke(function, std::tuple<P...>(arguments..., nullptr));
}

template <class... P>
int32_t Fuzz::generic(int32_t (*function)(P...), std::initializer_list<Family> families) {
  next_family_ = families.begin();
  last_family_ = families.end();
  return invoke(function, std::tuple<P...>{argument<P>(*this)...});
}

}  // namespace fuzz
