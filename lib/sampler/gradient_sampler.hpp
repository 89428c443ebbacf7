// Shared by HMC, MALA and NUTS: memory, preparation, jitter, adaptation, statistics. Each adds its
// own move.
#pragma once

#include "lib/sampler/adaptation.hpp"
#include "lib/sampler/chain.hpp"
#include "lib/sampler/flow.hpp"

namespace nnp {

// A larger energy error is a divergence: the leapfrog has left the level set of H.
constexpr double divergence_threshold = 1000;

struct GradientSampler {
  Flow flow;
  Adaptation *adaptation;
  Point here;                            // its position is the state's
  Point there;                           // the end of a trajectory
  double *given_mass;                    // the inverse mass given by the caller
  double *window_mean, *window_squares;  // of positions, by Welford's update
  void *own;                             // memory of the particular sampler
};

// The result of a move.
struct Outcome {
  double acceptance, energy;
  int64_t depth, leapfrogs;
  bool divergent;
};

inline GradientSampler &gradient_sampler(const Chain &chain) {
  return *static_cast<GradientSampler *>(chain.own);
}

// Implementations of fields of SamplerOps.
Status gradient_check(const char *name, const Net &net, Error *err);
Status gradient_check_option(const Net &net, PosteriorKind posterior, Option option, double value,
                             Error *err);
GradientSampler *gradient_sampler_layout(Arena &arena, const State &state);
// `langevin`: the step size option is MALA's eta, so the leapfrog's step is sqrt(2 eta).
Status gradient_prepare(Chain &chain, bool langevin, Error *err);
void gradient_step(Chain &chain, bool langevin, Outcome (*move)(Chain &, double step));
int gradient_saved(const Chain &chain, SavedPiece *pieces);
Status gradient_check_saved(const Chain &chain, const SavedChain &saved, Error *err);
// Builds the table row of a sampler from its name, whether it is Langevin, and its move.
template <class Sampler>
constexpr SamplerOps gradient_table() {
  SamplerOps ops;
  ops.name = Sampler::name;
  ops.home = PosteriorKind::classical;
  ops.follows_gradients = true;
  ops.set_initial = [](OptionValues &options) { options[Option::precision_moves] = 1; };
  ops.check = [](const Net &net, PosteriorKind, Error *err) {
    return gradient_check(Sampler::name, net, err);
  };
  ops.check_option = gradient_check_option;
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

// Sets the diagonal of the inverse mass, ordered as variables are: parameters, then sites [feature,
// row]. Null: ones.
void gradient_set_scales(const Chain &chain, const double *variances);
void gradient_scales(const Chain &chain, double *variances);

// Moves every learned precision with its weights, once. Density and gradient change.
void move_precisions(Chain &chain);

// L leapfrog steps with fresh momentum, then accepted or rejected.
Outcome metropolis_move(Chain &chain, double step, int64_t leapfrogs);

// min(1, exp(-error)); 0 if the error is NaN
double acceptance_of(double error);

}  // namespace nnp
