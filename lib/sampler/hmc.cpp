// Hamiltonian Monte Carlo (the paper's algorithm HMC): L leapfrogs, then accepted or not.
#include "lib/sampler/gradient_sampler.hpp"

namespace nnp {

namespace {

Status check(const Net &net, PosteriorKind, Error *err) {
  return gradient_check("hmc", net, err);
}

void *layout(Arena &arena, const State &state) {
  return gradient_sampler_layout(arena, state);
}

Status prepare(Chain &chain, Error *err) {
  return gradient_prepare(chain, false, err);
}

Outcome move(Chain &chain, double step) {
  return metropolis_move(chain, step, static_cast<int64_t>(chain.options[Option::leapfrogs]));
}

Status step(Chain &chain, Error *) {
  gradient_step(chain, false, move);
  return Status::ok;
}

constexpr SamplerOps table() {
  SamplerOps ops = gradient_table("hmc");
  ops.check = check;
  ops.layout = layout;
  ops.prepare = prepare;
  ops.step = step;
  return ops;
}

}  // namespace

const SamplerOps hmc_ops = table();

}  // namespace nnp
