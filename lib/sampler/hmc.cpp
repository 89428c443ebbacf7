// Hamiltonian Monte Carlo (the paper's algorithm HMC): L leapfrog steps, then accepted or rejected.
#include "lib/sampler/gradient_sampler.hpp"

namespace nnp {

namespace {

struct Hmc {
  static constexpr const char *name = "hmc";
  static constexpr bool langevin = false;
  static Outcome move(Chain &chain, double step) {
    return metropolis_move(chain, step, static_cast<int64_t>(chain.options[Option::leapfrogs]));
  }
};

}  // namespace

const SamplerOps hmc_ops = gradient_table<Hmc>();

}  // namespace nnp
