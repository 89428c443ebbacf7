// What HMC, MALA and NUTS have in common: memory, preparation, jitter, adaptation, statistics. Each
// adds its own move.
#pragma once

#include "lib/sampler/adaptation.hpp"
#include "lib/sampler/chain.hpp"
#include "lib/sampler/flow.hpp"

namespace nnp {

// An energy error beyond this is a divergence: the leapfrog has left the level of H.
constexpr double divergence_threshold = 1000;

struct GradientSampler {
  Flow flow;
  Adaptation *adaptation;
  Point here;                            // its position is the state's own
  Point there;                           // a trajectory
  double *given_mass;                    // the inverse mass a caller gave
  double *window_mean, *window_squares;  // of positions, Welford's
  void *own;                             // the sampler's own
};

// What a move tells.
struct Outcome {
  double acceptance, energy;
  int64_t depth, leapfrogs;
  bool divergent;
};

inline GradientSampler &gradient_sampler(const Chain &chain) {
  return *static_cast<GradientSampler *>(chain.own);
}

// The parts of SamplerOps.
Status gradient_check(const char *name, const Net &net, Error *err);
GradientSampler *gradient_sampler_layout(Arena &arena, const State &state);
// `langevin`: the step size option is MALA's eta, and the leapfrog's step sqrt(2 eta).
Status gradient_prepare(Chain &chain, bool langevin, Error *err);
void gradient_step(Chain &chain, bool langevin, Outcome (*move)(Chain &, double step));
int gradient_saved(const Chain &chain, SavedPiece *pieces);
Status gradient_check_saved(const Chain &chain, const SavedChain &saved, Error *err);
// The row of a sampler, which tells its name, whether it is Langevin's, and its move.
template <class Sampler>
constexpr SamplerOps gradient_table() {
  SamplerOps ops;
  ops.name = Sampler::name;
  ops.check = [](const Net &net, PosteriorKind, Error *err) {
    return gradient_check(Sampler::name, net, err);
  };
  ops.layout = [](Arena &arena, const State &state) -> void * {
    return gradient_sampler_layout(arena, state);
  };
  ops.prepare = [](Chain &chain, Error *err) {
    return gradient_prepare(chain, Sampler::langevin, err);
  };
  ops.step = [](Chain &chain, Error *) {
    gradient_step(chain, Sampler::langevin, Sampler::move);
    return Status::ok;
  };
  ops.saved = gradient_saved;
  ops.check_saved = gradient_check_saved;
  return ops;
}

// The diagonal of the inverse mass, as variables in order: parameters, then sites [feature, row].
// Null: ones.
void gradient_set_scales(const Chain &chain, const double *variances);
void gradient_scales(const Chain &chain, double *variances);

// Moves every learned precision with its weights, once; density and gradient are then other ones.
void move_precisions(Chain &chain);

// L leapfrogs of fresh momentum, then accepted or not.
Outcome metropolis_move(Chain &chain, double step, int64_t leapfrogs);

// min(1, exp(-error)); 0 for an error that is no number
double acceptance_of(double error);

}  // namespace nnp
