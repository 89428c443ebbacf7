#include "lib/sampler/options.hpp"

#include <cmath>

namespace nnp {

namespace {

constexpr OptionRow rows[option_count + 1] = {
    {nullptr, 0, 0, 0, false},         {"schedule", 1, 2, 1, true},
    {"simd", 0, 3, 0, true},           {"relax", -0.9999, 0.9999, 0, false},
    {"plain_every", 1, 1e6, 10, true}, {"unit_moves", 0, 100, 0, false},
    {"expansion", 0, 1, 0, true},      {"scale_moves", 0, 100, 0, false},
};
static_assert(rows[option_count].name, "every option has its row");

}  // namespace

const OptionRow *option_row(Option option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= option_count ? rows + number : nullptr;
}

Status option_known(Option option, Error *err) {
  if (option_row(option)) return Status::ok;
  return fail(err, Status::bad_enum, "option = %d: expected 1 to %d", static_cast<int>(option),
              static_cast<int>(option_count));
}

Status option_check(Option option, double value, Error *err) {
  const Status status = option_known(option, err);
  if (status != Status::ok) return status;
  const OptionRow *row = option_row(option);
  const bool inside = value >= row->low && value <= row->high;
  if (inside && (!row->whole || value == std::floor(value))) return Status::ok;
  return fail(err, Status::bad_value, "%s = %g: expected a %snumber from %g to %g", row->name,
              value, row->whole ? "whole " : "", row->low, row->high);
}

OptionValues::OptionValues() {
  for (int32_t i = 0; i <= option_count; ++i) values[i] = rows[i].initial;
}

}  // namespace nnp
