// The options of samplers: pinned numbers with names, bounds and defaults, in one table.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

// Values are pinned: they are the NNP_OPTION_* of the C header. Count them without gaps.
enum class Option : int32_t {
  schedule = 1,
  simd = 2,
  relax = 3,
  plain_every = 4,
  unit_moves = 5,
  expansion = 6,
  scale_moves = 7,
};
constexpr int32_t option_count = 7;

enum class Schedule : int32_t { sequential = 1, parallel = 2 };
enum class Simd : int32_t { best = 0, portable = 1, avx2 = 2, avx512 = 3 };

struct OptionRow {
  const char *name;
  double low, high, initial;
  bool whole;  // whole numbers only
};

// Null for numbers that are no option.
const OptionRow *option_row(Option option);
Status option_known(Option option, Error *err);
Status option_check(Option option, double value, Error *err);

struct OptionValues {
  double values[option_count + 1];

  OptionValues();
  double operator[](Option option) const { return values[static_cast<int32_t>(option)]; }
};

}  // namespace nnp
