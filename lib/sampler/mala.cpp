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

}  // namespace

const SamplerOps mala_ops = gradient_table<Mala>();

}  // namespace nnp
