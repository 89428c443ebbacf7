#include "lib/sampler/options.hpp"

#include <cmath>

namespace nnp {

namespace {

constexpr uint32_t bit(SamplerKind kind) {
  return 1u << static_cast<uint32_t>(kind);
}
constexpr uint32_t gibbs = bit(SamplerKind::gibbs), hmc = bit(SamplerKind::hmc),
                   mala = bit(SamplerKind::mala), nuts = bit(SamplerKind::nuts),
                   gradient = hmc | mala | nuts, all = gibbs | gradient;

constexpr OptionRow rows[option_count + 1] = {
    {nullptr, 0, 0, 0, false, false, 0},
    {"schedule", 1, 3, 1, true, false, gibbs},
    {"simd", 0, 3, 0, true, false, all},
    {"relax", -0.9999, 0.9999, 0, false, false, gibbs},
    {"plain_every", 1, 1e6, 10, true, false, gibbs},
    {"unit_moves", 0, 100, 0, false, false, gibbs},
    {"expansion", 0, 1, 0, true, false, gibbs},
    {"scale_moves", 0, 100, 0, false, false, gibbs},
    {"step_size", 0, 1e100, 0.01, false, true, gradient},
    {"leapfrogs", 1, 1e9, 10, true, false, hmc},
    {"jitter", 0, 1, 0, false, false, gradient},
    {"target", 0, 1, 0.8, false, true, gradient},
    {"max_depth", 1, max_tree_depth, 10, true, false, nuts},
    {"warmup", 0, 1e12, 0, true, false, gradient},
    {"adapt_step", 0, 1, 1, true, false, gradient},
    {"adapt_mass", 0, 1, 1, true, false, gradient},
    {"moves", 0, 1, 1, true, false, gibbs},
    {"unit_draws", 0, 100, 0, false, false, gibbs},
    {"layer_moves", 0, 100, 0, false, false, gibbs},
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
  return status == Status::ok ? option_value_check(*option_row(option), value, err) : status;
}

Status option_value_check(const OptionRow &row, double value, Error *err) {
  const bool inside =
      row.open ? value > row.low && value < row.high : value >= row.low && value <= row.high;
  if (inside && (!row.whole || value == std::floor(value))) return Status::ok;
  return fail(err, Status::bad_value, "%s = %g: expected a %snumber %s %g %s %g", row.name, value,
              row.whole ? "whole " : "", row.open ? "above" : "from", row.low,
              row.open ? "and below" : "to", row.high);
}

bool has_option(SamplerKind sampler, Option option) {
  const OptionRow *row = option_row(option);
  return row && (row->samplers & bit(sampler)) != 0;
}

OptionValues::OptionValues(SamplerKind sampler) {
  for (int32_t i = 0; i <= option_count; ++i) values[i] = rows[i].initial;
  // where one leapfrog is most efficient in high dimension (Roberts and Rosenthal 1998)
  if (sampler == SamplerKind::mala) values[static_cast<int32_t>(Option::target)] = 0.574;
}

}  // namespace nnp
