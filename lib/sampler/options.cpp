#include "lib/sampler/options.hpp"

#include <cmath>

#include "lib/sampler/chain.hpp"

namespace nnp {

namespace {

constexpr uint32_t bit(SamplerKind kind) {
  return 1u << static_cast<uint32_t>(kind);
}
constexpr uint32_t gibbs = bit(SamplerKind::gibbs), hmc = bit(SamplerKind::hmc),
                   mala = bit(SamplerKind::mala), nuts = bit(SamplerKind::nuts),
                   gradient = hmc | mala | nuts, all = gibbs | gradient;

// Indexed by the number of each option.
struct Table {
  OptionRow rows[option_count + 1];
  constexpr OptionRow &operator[](Option option) { return rows[static_cast<int32_t>(option)]; }
};

constexpr OptionRow switched(const char *name, bool on) {
  return named(name).from(0).to(1).initially(on ? 1 : 0).whole_numbers().one_of("0 or 1");
}

constexpr Table table() {
  Table t = {};
  t[Option::schedule] = named("schedule").from(1).to(3).initially(1).whole_numbers().of(gibbs);
  t[Option::simd] = named("simd").from(0).to(4).initially(0).whole_numbers().of(all);
  t[Option::relax] = named("relax").from(-0.9999).to(0.9999).initially(0).of(gibbs);
  t[Option::plain_every] =
      named("plain_every").from(1).to(1e6).initially(10).whole_numbers().of(gibbs);
  t[Option::unit_moves] = named("unit_moves").from(0).to(100).initially(0).of(gibbs);
  t[Option::expansion] = switched("expansion", false).of(gibbs);
  t[Option::scale_moves] = named("scale_moves").from(0).to(100).initially(0).of(gibbs);
  t[Option::step_size] = named("step_size").above(0).below(1e100).initially(0.01).of(gradient);
  t[Option::leapfrogs] = named("leapfrogs").from(1).to(1e9).initially(10).whole_numbers().of(hmc);
  t[Option::jitter] = named("jitter").from(0).to(1).initially(0).of(gradient);
  t[Option::target] = named("target").above(0).below(1).initially(0.8).of(gradient);
  t[Option::max_depth] =
      named("max_depth").from(1).to(max_tree_depth).initially(10).whole_numbers().of(nuts);
  t[Option::warmup] = named("warmup").from(0).to(1e12).initially(0).whole_numbers().of(gradient);
  t[Option::adapt_step] = switched("adapt_step", true).of(gradient);
  t[Option::adapt_mass] = switched("adapt_mass", true).of(gradient);
  t[Option::moves] = switched("moves", true).one_of("plain (0) or automatic (1)").of(gibbs);
  t[Option::unit_draws] = named("unit_draws").from(0).to(100).initially(0).of(gibbs);
  t[Option::layer_moves] = named("layer_moves").from(0).to(100).initially(0).of(gibbs);
  t[Option::noise_moves] = named("noise_moves").from(0).to(100).initially(0).of(gibbs);
  t[Option::precision_moves] = named("precision_moves").from(0).to(100).initially(0).of(all);
  t[Option::single_gradients] = switched("single_gradients", false).of(gradient);
  t[Option::blas] = named("blas").from(0).to(3).initially(0).whole_numbers().of(all);
  return t;
}

constexpr bool every_row_is_named(const Table &t) {
  for (int32_t i = 1; i <= option_count; ++i)
    if (!t.rows[i].name) return false;
  return true;
}

constexpr Table options = table();
static_assert(every_row_is_named(options), "every option must have a row");

}  // namespace

const OptionRow *option_row(Option option) {
  const int32_t number = static_cast<int32_t>(option);
  return number >= 1 && number <= option_count ? options.rows + number : nullptr;
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
  const int digits = row.whole ? 16 : 6;  // whole numbers in full
  if (row.choices)
    return fail(err, Status::bad_value, "%s = %.*g: expected %s", row.name, digits, value,
                row.choices);
  return fail(err, Status::bad_value, "%s = %.*g: expected a %snumber %s %.*g %s %.*g", row.name,
              digits, value, row.whole ? "whole " : "", row.open ? "above" : "from", digits,
              row.low, row.open ? "and below" : "to", digits, row.high);
}

bool has_option(SamplerKind sampler, Option option) {
  const OptionRow *row = option_row(option);
  return row && (row->samplers & bit(sampler)) != 0;
}

OptionValues::OptionValues(SamplerKind sampler) {
  for (int32_t i = 0; i < option_room; ++i)
    values[i] = i <= option_count ? options.rows[i].initial : 0;
  const SamplerOps *ops = ops_of(sampler);
  if (ops && ops->set_initial) ops->set_initial(*this);
}

int64_t due_at_step(double rate, int64_t step) {
  const double done = static_cast<double>(step);
  return static_cast<int64_t>(std::floor(rate * (done + 1)) - std::floor(rate * done));
}

}  // namespace nnp
