#include "lib/sampler/chain.hpp"

#include <cstring>

namespace nnp {

namespace {

const Kernels *kernels_for(Simd level) {
  switch (level) {
    case Simd::best:
      return best_kernels();
    case Simd::portable:
      return kernels_named("portable");
    case Simd::avx2:
      return kernels_named("avx2");
    case Simd::avx512:
      return kernels_named("avx512");
  }
  return nullptr;
}

Status set_simd(Chain &chain, double value, Error *err) {
  const Kernels *kernels = kernels_for(static_cast<Simd>(static_cast<int32_t>(value)));
  if (!kernels)
    return fail(err, Status::unsupported,
                "simd = %g: this machine or this build does not have that level", value);
  chain.state.kernels = kernels;
  return Status::ok;
}

void keep_statistics(Chain &chain) {
  Record &record = chain.record;
  if (!record.values || record.steps >= record.capacity) return;
  std::memcpy(record.values + record.steps * statistic_count, chain.statistics.values,
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

Status chain_check(const Net &net, const Data &data, SamplerKind sampler, PosteriorKind posterior,
                   Error *err) {
  Status status = net_check_complete(net, err);
  if (status == Status::ok) status = net_check_inputs(net, data, err);
  if (status == Status::ok) status = net_check_targets(net, data, err);
  if (status != Status::ok) return status;
  const SamplerOps *ops = ops_of(sampler);
  if (!ops)
    return fail(err, Status::bad_enum, "sampler = %d: expected one of the samplers",
                static_cast<int>(sampler));
  if (posterior != PosteriorKind::intermediate && posterior != PosteriorKind::classical)
    return fail(err, Status::bad_enum, "posterior = %d: expected intermediate (1) or classical (2)",
                static_cast<int>(posterior));
  return ops->check(net, posterior, err);
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
  }
  return chain;
}

Status chain_set(Chain &chain, Option option, double value, Error *err) {
  Status status = option_known(option, err);
  if (status == Status::ok && !has_option(chain.sampler, option))
    return fail(err, Status::bad_option, "option %s: sampler %s does not have it",
                option_row(option)->name, ops_of(chain.sampler)->name);
  if (status == Status::ok) status = option_check(option, value, err);
  if (status == Status::ok && option == Option::simd) status = set_simd(chain, value, err);
  if (status != Status::ok) return status;
  chain.options.values[static_cast<int32_t>(option)] = value;
  chain.prepared = false;
  return Status::ok;
}

void chain_apply_options(Chain &chain) {
  const Simd level = static_cast<Simd>(static_cast<int32_t>(chain.options[Option::simd]));
  const Kernels *kernels = kernels_for(level);
  chain.state.kernels = kernels ? kernels : best_kernels();
}

int64_t chain_warmup_left(const Chain &chain) {
  const int64_t warmup = static_cast<int64_t>(chain.options[Option::warmup]);
  return chain.steps < warmup ? warmup - chain.steps : 0;
}

void chain_started(Chain &chain) {
  chain.steps = 0;
  chain.started = true;
  chain.prepared = false;
}

Status chain_step(Chain &chain, Error *err) {
  const SamplerOps &ops = *ops_of(chain.sampler);
  if (!chain.prepared || chain.data_version != chain.state.data->version) {
    const Status status = ops.prepare(chain, err);
    if (status != Status::ok) return status;
    chain.prepared = true;
    chain.data_version = chain.state.data->version;
  }
  const Status status = ops.step(chain, err);
  if (status != Status::ok) return status;
  ++chain.steps;
  keep_statistics(chain);
  return Status::ok;
}

}  // namespace nnp
