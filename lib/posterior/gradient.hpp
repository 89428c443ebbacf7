// The log density of the posterior and its gradient at any position, whichever posterior it is.
#pragma once

#include "lib/posterior/state.hpp"

namespace nnp {

// The density at a position. A probit head's density is zero where scores contradict their labels;
// log_density and gradient are then those of the smooth function that the boundary cuts off.
struct Density {
  double log_density;
  int64_t outside;  // rows whose scores contradict their labels
  double loss = 0;  // of weights_density_and_gradient
};

// One block's share.
struct BlockGradient {
  double *params;   // gradient by the parameters
  double *sites;    // classical: f_1, f_2 … f_m of one tile
  double *terms;    // one a layer: sums of squares, of the last the loss; then `outside`
  int64_t outside;  // rows whose scores contradict their labels
};

struct GradientWork {
  BlockGradient *blocks;
  double *sums;   // of terms, over all blocks
  double *total;  // of gradients, where rows are spread over ranks
};

// How the loss of a network with noise at its end only enters the density.
struct LossScale {
  double factor;      // log likelihood = -factor * loss
  double logits;      // the loss is that of the outputs times this
  bool even = false;  // HeadOps::even_loss instead of the loss
};

// A pass over the rows, as its tiles see it.
struct GradientPass {
  GradientWork *work;
  const double *position;
  double *gradient;
  // One tile's share.
  void (*tile)(State &state, const GradientPass &pass, int64_t block, int64_t tile);
  LossScale loss;
};

void gradient_layout(Arena &arena, const State &state, GradientWork &work);
// The memory of weights_density_and_gradient; the network may be the state's own or the one that it
// was collapsed from.
void weights_gradient_layout(Arena &arena, const Net &net, const Tiling &tiling,
                             GradientWork &work);

// One pass over the rows: each tile is forwarded, compared and carried back while in cache. Shares
// of blocks are summed in their order: the same bits for any number of threads.
Density density_and_gradient(State &state, GradientWork &work, const double *position,
                             double *gradient);

// The log density of the weights alone and its gradient, hidden layers without noise; position and
// gradient hold parameters only. For the classical posterior that is its density. For the
// intermediate one it approximates the marginal of the weights where hidden noise is small: a
// Gaussian last site counts with D of the last layer, latent scores by the logistic function that
// is closest to their probit. With an even noise above 0 the loss is HeadOps::even_loss with that
// noise. The likelihood counts to the power 1/Net::temperature, up to a factor that does not depend
// on the weights.
Density weights_density_and_gradient(State &state, GradientWork &work, const double *position,
                                     double *gradient, double even_noise = 0);

// The log density at the state's own position: normalized for the intermediate posterior, and
// -(1/(2D)) loss (normalized where D is learned) + normalized log prior for the classical one;
// learned scales with their hyperpriors.
double log_density(State &state);
// ... without priors: of sites and targets, given the parameters.
double log_likelihood_of_state(State &state);
// Its terms, one a layer: log noise (classical: -(1/(2D)) loss in the last place), log prior and
// sum of squares (classical: the loss). Each pointer may be null.
void log_density_terms(State &state, double *log_noise, double *log_prior, double *residuals);

// Fails with the first row, layer or parameter that makes density or gradient not finite, or whose
// scores contradict their label.
Status check_density(State &state, const Density &density, const double *gradient, Error *err);

}  // namespace nnp
