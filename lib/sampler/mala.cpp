// The Metropolis adjusted Langevin algorithm (the paper's algorithm MALA):
//   x' = x + eta grad + sqrt(2 eta) N(0, I).
// That is one leapfrog of step sqrt(2 eta), and its acceptance is that of the leapfrog's energy.
#include "lib/sampler/gradient_sampler.hpp"

namespace nnp {

namespace {

struct Mala {
  static constexpr const char *name = "mala";
  static constexpr bool langevin = true;
  static Outcome move(Chain &chain, double step) { return metropolis_move(chain, step, 1); }
};

void set_initial(OptionValues &options) {
  // optimal acceptance of one leapfrog step in high dimension (Roberts and Rosenthal 1998)
  options[Option::target] = 0.574;
  // a trajectory has many gradients, a step of this sampler only one
  options[Option::precision_moves] = 0.02;
}

constexpr SamplerOps table() {
  SamplerOps ops = gradient_table<Mala>();
  ops.set_initial = set_initial;
  return ops;
}

}  // namespace

const SamplerOps mala_ops = table();

}  // namespace nnp
