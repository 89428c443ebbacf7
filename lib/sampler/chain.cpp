#include "lib/sampler/chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "lib/base/functions.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/posterior/scales.hpp"

namespace nnp {

namespace {

Status set_engine(Chain &chain, Option option, double value, Error *err) {
  if (option != Option::simd && option != Option::blas) return Status::ok;
  const double simd = option == Option::simd ? value : chain.options[Option::simd];
  const double blas = option == Option::blas ? value : chain.options[Option::blas];
  return engine_choose(chain.state, static_cast<Simd>(static_cast<int32_t>(simd)),
                       static_cast<Blas>(static_cast<int32_t>(blas)), err);
}

void keep_statistics(Chain &chain) {
  Record &record = chain.record;
  if (!record.values || record.steps >= record.capacity) return;
  std::memcpy(record.values + record.steps * step_statistic_count, chain.statistics.values,
              sizeof chain.statistics.values);
  ++record.steps;
}

}  // namespace

const SamplerOps *ops_of(SamplerKind sampler) {
  switch (sampler) {
    case SamplerKind::gibbs:
      return &gibbs_ops;
    case SamplerKind::hmc:
      return &hmc_ops;
    case SamplerKind::mala:
      return &mala_ops;
    case SamplerKind::nuts:
      return &nuts_ops;
  }
  return nullptr;
}

void add_sampler_names(Text &text, bool (*suits)(const SamplerOps &)) {
  const char *names[sampler_kinds];
  int count = 0;
  for (int32_t i = 1; i <= sampler_kinds; ++i) {
    const SamplerOps &ops = *ops_of(static_cast<SamplerKind>(i));
    if (suits(ops)) names[count++] = ops.name;
  }
  for (int i = 0; i < count; ++i) text.add_alternative(names[i], i, count);
}

Status sampler_check(const Net &net, SamplerKind sampler, PosteriorKind posterior, Error *err) {
  const SamplerOps *ops = ops_of(sampler);
  if (!ops)
    return fail(err, Status::bad_enum, "sampler = %d: expected one of the samplers",
                static_cast<int>(sampler));
  if (posterior != PosteriorKind::intermediate && posterior != PosteriorKind::classical)
    return fail(err, Status::bad_enum, "posterior = %d: expected intermediate (1) or classical (2)",
                static_cast<int>(posterior));
  const Status learned = check_learned_noise(net, posterior == PosteriorKind::classical, err);
  return learned == Status::ok ? ops->check(net, posterior, err) : learned;
}

Status chain_check(const Net &net, const Data &data, SamplerKind sampler, PosteriorKind posterior,
                   Error *err) {
  Status status = net_check_complete(net, err);
  if (status == Status::ok) status = net_check_inputs(net, data, err);
  if (status == Status::ok) status = net_check_targets(net, data, err);
  return status == Status::ok ? sampler_check(net, sampler, posterior, err) : status;
}

Chain *chain_layout(Arena &arena, const Net &net, const Data &data, SamplerKind sampler,
                    PosteriorKind posterior) {
  Chain *chain = arena.take<Chain>(1);
  State state;
  state_layout(arena, net, data, posterior == PosteriorKind::intermediate, state);
  void *own = ops_of(sampler)->layout(arena, state);
  if (chain) {
    *chain = Chain{};
    chain->state = state;
    chain->sampler = sampler;
    chain->posterior = posterior;
    chain->options = OptionValues(sampler);
    chain->own = own;
    chain->checked_version = data.version;
    if (ops_of(sampler)->set_moves) ops_of(sampler)->set_moves(*chain, Moves::automatic);
  }
  return chain;
}

Status chain_set(Chain &chain, Option option, double value, Error *err) {
  Status status = option_known(option, err);
  if (status == Status::ok && !has_option(chain.sampler, option))
    return fail(err, Status::bad_option, "option %s: sampler %s does not have it",
                option_row(option)->name, ops_of(chain.sampler)->name);
  if (status == Status::ok) status = option_check(option, value, err);
  if (status == Status::ok) status = set_engine(chain, option, value, err);
  const SamplerOps &ops = *ops_of(chain.sampler);
  if (status == Status::ok && ops.check_option)
    status = ops.check_option(chain.state.net, chain.posterior, option, value, err);
  if (status != Status::ok) return status;
  chain.options.values[static_cast<int32_t>(option)] = value;
  if (option == Option::moves)
    ops.set_moves(chain, static_cast<Moves>(static_cast<int32_t>(value)));
  chain.prepared = false;
  return Status::ok;
}

Status chain_check_data(Chain &chain, Error *err) {
  const Data &data = *chain.state.data;
  if (chain.checked_version == data.version) return Status::ok;
  const Status status = net_check_targets(chain.state.net, data, err);
  if (status == Status::ok) chain.checked_version = data.version;
  return status;
}

Status check_annealing(const Net &net, double from, Error *err) {
  double least = INFINITY;
  for (int64_t k = 1; k <= net.depth; ++k) least = std::min(least, net.layer(k).final_noise);
  if (from > least && std::isfinite(from)) return Status::ok;
  return fail(err, Status::bad_value,
              "from = %g: expected a finite noise above the smallest of the layers, %g", from,
              least);
}

Status chain_anneal(Chain &chain, double from, int64_t steps, Error *err) {
  const Status status = check_annealing(chain.state.net, from, err);
  if (status != Status::ok) return status;
  if (chain.steps > 0)
    return fail(err, Status::unsupported,
                "chain: it has made %lld steps, expected to anneal right after a start",
                static_cast<long long>(chain.steps));
  chain.annealing = {from, steps};
  chain_apply_annealing(chain);
  return Status::ok;
}

int64_t chain_annealing_left(const Chain &chain) {
  return std::max<int64_t>(chain.annealing.steps - chain.steps, 0);
}

// Noise D (from / D)^(1 - t/T), held constant for T/256 steps at a time, because factorizations
// depend on it. The last layer's noise is taken at the temperature of its likelihood.
void chain_apply_annealing(Chain &chain) {
  constexpr int64_t levels = 256;
  const int64_t total = chain.annealing.steps, done = std::min(chain.steps, total);
  if (total == 0) return;
  const double level = std::floor(static_cast<double>(done) / static_cast<double>(total) * levels);
  const double left = done == total ? 0 : 1 - level / levels;
  for (int64_t k = 0; k < chain.state.net.depth; ++k) {
    Layer &layer = chain.state.net.layers[k];
    const double excess = std::max(chain.annealing.from / layer.final_noise, 1.0);
    const double heat = k == chain.state.net.depth - 1 ? chain.state.net.noise_factor : 1;
    const double noise = layer.final_noise * fn::pow(excess, left) * heat;
    if (noise == layer.noise) continue;
    layer.noise = noise;
    chain.prepared = false;
  }
}

// A changed temperature changes the noise of the last layer, so prepared factors become invalid.
void chain_heat(Chain &chain, double temperature) {
  if (chain.state.net.temperature == temperature) return;
  heat_likelihood(chain.state, temperature);
  chain.prepared = false;
}

void chain_exchange(Chain &a, Chain &b) {
  std::swap(a.state.params, b.state.params);
  std::swap(a.state.latents, b.state.latents);
  for (Chain *chain : {&a, &b}) take_scales(chain->state.net, chain->state.params);
  if (const auto exchanged = ops_of(a.sampler)->exchanged) return exchanged(a, b);
  a.prepared = b.prepared = false;
}

void chain_replaced(Chain &chain) {
  take_scales(chain.state.net, chain.state.params);
  if (const auto replaced = ops_of(chain.sampler)->replaced) return replaced(chain);
  chain.prepared = false;
}

void chain_draw_scales(Chain &chain) {
  draw_scales(chain.state, chain_annealing_left(chain) > 0 ? Noises::held : Noises::free);
}

int64_t chain_warmup_left(const Chain &chain) {
  const int64_t warmup = static_cast<int64_t>(chain.options[Option::warmup]);
  if (warmup == 0) return 0;
  return std::max<int64_t>(chain.annealing.steps + warmup - chain.steps, 0);
}

void chain_begin_start(Chain &chain, uint64_t seed, uint64_t number) {
  chain.annealing = Annealing{};
  heat_likelihood(chain.state, 1);
  for (int64_t k = 0; k < chain.state.net.depth; ++k)
    chain.state.net.layers[k].noise = chain.state.net.layers[k].final_noise;
  state_seed(chain.state, seed, number);
}

Status chain_started(Chain &chain, Error *err) {
  chain.steps = 0;
  for (MoveCount &count : chain.moves) count = MoveCount{};
  for (double &value : chain.statistics.values) value = std::numeric_limits<double>::quiet_NaN();
  chain.statistics[StepStatistic::divergences] = 0;
  chain.prepared = false;
  const Status status =
      rows_agree(chain.state.rows(), state_check_finite(chain.state, Status::not_finite, err), err);
  chain.started = status == Status::ok;
  return status;
}

namespace {

// True if sums, squares and ratios of the values are far from overflow.
bool is_moderate(const State &state) {
  constexpr double largest = 1e30, smallest = 1e-30;
  const auto inside = [](double x) { return x >= smallest && x <= largest; };
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const Layer &layer = state.net.layer(k);
    if (!inside(layer.noise)) return false;
    if (layer.weight_count > 0 && !inside(layer.lambda_w)) return false;
    if (layer.bias_count > 0 && !inside(layer.lambda_b)) return false;
  }
  bool moderate = true;
  for (int64_t i = 0; i < state.net.param_count(); ++i)
    moderate &= std::fabs(state.params[i]) <= largest;
  for (int64_t i = state.net.weight_params(); i < state.net.param_count(); ++i)
    moderate &= inside(state.params[i]);
  return moderate;
}

}  // namespace

Status chain_check_end(const Chain &chain, int64_t steps, Error *err) {
  constexpr int64_t many = 64;  // with this many steps the cost of the check is negligible
  if (steps == 0 || (steps < many && is_moderate(chain.state))) return Status::ok;
  return rows_agree(chain.state.rows(), state_check_finite(chain.state, Status::numeric, err), err);
}

Status chain_hold(Chain &chain, int64_t index, Error *err) {
  if (__atomic_exchange_n(&chain.held, 1, __ATOMIC_ACQUIRE) == 0) return Status::ok;
  return fail(err, Status::unsupported,
              "chain %lld: it is being run, expected that run to be over (its callback may read "
              "the chain, but not run it)",
              static_cast<long long>(index));
}

void chain_let_go(Chain &chain) {
  __atomic_store_n(&chain.held, 0, __ATOMIC_RELEASE);
}

Status chain_check_free(const Chain &chain, Error *err) {
  if (__atomic_load_n(&chain.held, __ATOMIC_RELAXED) == 0) return Status::ok;
  return fail(err, Status::unsupported,
              "chain: it is being run, expected that run to be over (its callback may read the "
              "chain, but not change it)");
}

namespace {

// Prepares the sampler if options, data or the start have changed.
Status prepare(Chain &chain, Error *err) {
  const uint64_t version = chain.state.data->version;
  if (chain.prepared && chain.data_version == version) return Status::ok;
  Status status = rows_agree(chain.state.rows(), chain_check_data(chain, err), err);
  if (status != Status::ok) return status;
  if (chain.data_version != version) make_scores_feasible(chain.state);
  status = ops_of(chain.sampler)->prepare(chain, err);
  if (status != Status::ok) return status;
  chain.prepared = true;
  chain.data_version = version;
  return Status::ok;
}

}  // namespace

Status chain_step(Chain &chain, Error *err) {
  chain_apply_annealing(chain);
  Status status = engine_check(chain.state, err);
  if (status == Status::ok) status = prepare(chain, err);
  if (status == Status::ok) status = ops_of(chain.sampler)->step(chain, err);
  const Rows *rows = chain.state.rows();
  if (rows && rows->failed()) {
    if (err) *err = rows->failure;
    status = rows->failure.status;
  }
  if (status != Status::ok) return status;
  ++chain.steps;
  keep_statistics(chain);
  return Status::ok;
}

}  // namespace nnp
