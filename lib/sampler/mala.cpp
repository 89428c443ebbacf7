// The Metropolis adjusted Langevin algorithm (the paper's algorithm MALA):
//   x' = x + eta grad + sqrt(2 eta) N(0, I).
// That is one leapfrog of step sqrt(2 eta), and its acceptance is that of the leapfrog's energy.
#include "lib/sampler/gradient_sampler.hpp"

namespace nnp {

namespace {

Status check(const Net &net, PosteriorKind, Error *err) {
  return gradient_check("mala", net, err);
}

void *layout(Arena &arena, const State &state) {
  return gradient_sampler_layout(arena, state);
}

Status prepare(Chain &chain, Error *err) {
  return gradient_prepare(chain, true, err);
}

Outcome move(Chain &chain, double step) {
  return metropolis_move(chain, step, 1);
}

Status step(Chain &chain, Error *) {
  gradient_step(chain, true, move);
  return Status::ok;
}

constexpr SamplerOps table() {
  SamplerOps ops = gradient_table("mala");
  ops.check = check;
  ops.layout = layout;
  ops.prepare = prepare;
  ops.step = step;
  return ops;
}

}  // namespace

const SamplerOps mala_ops = table();

}  // namespace nnp
