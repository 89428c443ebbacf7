// The options of samplers: pinned numbers with names, bounds and defaults, in one table.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_GIBBS, ... of the C header.
enum class SamplerKind : int32_t { gibbs = 1, hmc = 2, mala = 3, nuts = 4 };

// Values are pinned: adding a base gives NNP_OPTION_* of the C header. No gaps.
enum class Option : int32_t {
  schedule = 1,
  simd = 2,
  relax = 3,
  plain_every = 4,
  unit_moves = 5,
  expansion = 6,
  scale_moves = 7,
  step_size = 8,
  leapfrogs = 9,
  jitter = 10,
  target = 11,
  max_depth = 12,
  warmup = 13,
  adapt_step = 14,
  adapt_mass = 15,
  moves = 16,
  unit_draws = 17,
  layer_moves = 18,
  blas = 19,
  noise_moves = 20,
  precision_moves = 21,
  single_gradients = 22,
};
constexpr int32_t option_count = 22;
constexpr int32_t option_room = 64;  // entries in a saved chain: new options keep the format
static_assert(option_count < option_room, "options outgrow the format of saves");
constexpr int32_t max_tree_depth = 12;  // NUTS allocates memory for trees of this depth

enum class Schedule : int32_t { sequential = 1, parallel = 2, backward = 3 };
// Settings of all extra moves, for Option::moves. Values are pinned.
enum class Moves : int32_t { plain = 0, automatic = 1 };

// A row of an option table, filled by name: named("share").from(0).to(1).initially(0.5).
struct OptionRow {
  const char *name = nullptr;
  double low = 0, high = 0, initial = 0;
  bool whole = false;             // accepts whole numbers only
  bool open = false;              // excludes the bounds themselves
  const char *choices = nullptr;  // in sentences of refusal, in place of bounds
  uint32_t samplers = 0;          // bit 1 << kind: samplers that have the option

  // Defined before its uses, as clang requires in constant expressions.
  template <class T>
  constexpr OptionRow with(T OptionRow::*field, T value) const {
    OptionRow row = *this;
    row.*field = value;
    return row;
  }
  constexpr OptionRow from(double bound) const { return with(&OptionRow::low, bound); }
  constexpr OptionRow to(double bound) const { return with(&OptionRow::high, bound); }
  constexpr OptionRow above(double bound) const { return from(bound).with(&OptionRow::open, true); }
  constexpr OptionRow below(double bound) const { return to(bound).with(&OptionRow::open, true); }
  constexpr OptionRow initially(double value) const { return with(&OptionRow::initial, value); }
  constexpr OptionRow whole_numbers() const { return with(&OptionRow::whole, true); }
  constexpr OptionRow one_of(const char *those) const { return with(&OptionRow::choices, those); }
  constexpr OptionRow of(uint32_t those) const { return with(&OptionRow::samplers, those); }
};

constexpr OptionRow named(const char *name) {
  OptionRow row;
  row.name = name;
  return row;
}

// Null for numbers that are not options.
const OptionRow *option_row(Option option);
Status option_known(Option option, Error *err);
Status option_check(Option option, double value, Error *err);
// Fails if the row, of this or another option table, does not allow the value.
Status option_value_check(const OptionRow &row, double value, Error *err);
bool has_option(SamplerKind sampler, Option option);

struct OptionValues {
  double values[option_room];  // by number; 0 if there is no such option

  explicit OptionValues(SamplerKind sampler);
  double operator[](Option option) const { return values[static_cast<int32_t>(option)]; }
  double &operator[](Option option) { return values[static_cast<int32_t>(option)]; }
};

// Number of moves due at a step if `rate` of them are made per step on average.
int64_t due_at_step(double rate, int64_t step);

}  // namespace nnp
