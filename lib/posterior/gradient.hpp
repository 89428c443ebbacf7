// The log density of either posterior and its gradient, at any position.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// The density at a position. A probit head's density is zero if scores contradict their labels;
// log_density and gradient are then those of the smooth function that the boundary truncates.
struct Density {
  double log_density;
  int64_t outside;  // rows whose scores contradict their labels
  double loss = 0;  // of weights_density_and_gradient
};

// Memory of one block.
struct BlockGradient {
  double *params;   // gradient with respect to the parameters
  double *sites;    // classical: f_1, f_2 … f_m of one tile
  double *terms;    // one per layer: sums of squares, for the last the loss; then `outside`
  int64_t outside;  // rows whose scores contradict their labels
};

// Memory of one block for gradients in single precision: the inputs and f_1 … f_m of one tile, and
// two gradients.
struct SingleBlock {
  float *sites, *gradients[2];
};

// Null if the state has no such gradient.
struct SingleWork {
  float *params;
  SingleBlock *blocks;
  int64_t ld;
};

struct GradientWork {
  BlockGradient *blocks;
  double *sums;   // of terms, over all blocks
  double *total;  // of gradients, if rows are spread over ranks
  SingleWork single;
};

// How the loss of a network with noise only at its end enters the density.
struct LossScale {
  double factor;      // log likelihood = -factor * loss
  double logits;      // the loss is evaluated at the outputs times this
  bool even = false;  // HeadOps::even_loss instead of the loss
};

// A pass over the rows, as passed to its tiles.
struct GradientPass {
  GradientWork *work;
  const double *position;
  double *gradient;
  // Adds one tile's share.
  void (*tile)(State &state, const GradientPass &pass, int64_t block, int64_t tile);
  LossScale loss;
};

void gradient_layout(Arena &arena, const State &state, GradientWork &work);
// Lays out the memory of weights_density_and_gradient. The network may be the state's, or the one
// that it was collapsed from.
void weights_gradient_layout(Arena &arena, const Net &net, const Tiling &tiling,
                             GradientWork &work);

// One pass over the rows: each tile is propagated forward, compared and propagated back while in
// cache. Blocks' shares are summed in their order, so the bits do not depend on the number of
// threads.
Density density_and_gradient(State &state, GradientWork &work, const double *position,
                             double *gradient);

// Gradients in single precision, for proposals: those of the classical posterior of a network whose
// layers all have such a form. Fails with a message that begins with `what` if there are none.
Status check_single(const Net &net, bool with_latents, const char *what, Error *err);
void single_layout(Arena &arena, const State &state, GradientWork &work);
// The gradient of the log density, to about six digits: outputs are compared with targets, and
// shares of tiles added up, in doubles. If it overflows, it is computed in doubles instead. Either
// way it is a function of the position alone.
void single_gradient(State &state, GradientWork &work, const double *position, double *gradient);
// The log density of the classical posterior at any position, without its gradient.
Density density_alone(State &state, GradientWork &work, const double *position);

// The log density of the weights alone and its gradient, without noise in hidden layers; position
// and gradient contain parameters only. For the classical posterior this is its density. For the
// intermediate one it approximates the marginal of the weights if hidden noise is small: a Gaussian
// last site uses D of the last layer, latent scores use the logistic function closest to their
// probit. With an even noise above 0 the loss is HeadOps::even_loss with that noise. The likelihood
// is raised to the power 1/Net::temperature, up to a factor that does not depend on the weights.
Density weights_density_and_gradient(State &state, GradientWork &work, const double *position,
                                     double *gradient, double even_noise = 0);

// The log density at the state's position: normalized for the intermediate posterior, and -(1/(2D))
// loss (normalized if D is learned) + normalized log prior for the classical one; learned scales
// include their hyperpriors.
double log_density(State &state);
// The log density without priors: of sites and targets, given the parameters.
double log_likelihood_of_state(State &state);
// The terms of the log density, one per layer: log noise (classical: -(1/(2D)) loss for the last
// layer), log prior and sum of squares (classical: the loss). Each pointer may be null.
void log_density_terms(State &state, double *log_noise, double *log_prior, double *residuals);

// Fails with a message about the first row, layer or parameter for which density or gradient is not
// finite, or whose scores contradict their label.
Status check_density(State &state, const Density &density, const double *gradient, Error *err);

}  // namespace nnp
