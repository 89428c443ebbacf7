// Starts that fit: maximizes the log density of the weights, without noise in hidden layers, by
// L-BFGS (Nocedal 1980) with all rows in every gradient. The line search requires Armijo's
// condition and a smaller slope (weak Wolfe), which works although relu makes the density only
// piecewise smooth (Lewis and Overton 2013). No random numbers are used; the result does not depend
// on threads.
#pragma once

#include "lib/posterior/gradient.hpp"

namespace nnp {

constexpr int64_t max_pairs = 20;       // stored pairs of steps and gradient changes
constexpr int64_t descent_window = 10;  // steps over which progress is judged
constexpr int64_t default_descent_steps = 3000;
// Starts that fit are annealed: the likelihood is raised to the power 1/Net::temperature, and the
// temperature falls to 1 by this factor every cooling_steps steps. Chains end at a higher density,
// and predict better, than with the full likelihood from the start.
constexpr double cooling_factor = 0.31622776601683794;
constexpr int64_t cooling_steps = 100;
// Then learned scales are updated from the weights this many times, after equally many steps each.
constexpr int64_t scale_rounds = 20;

// Why a descent ended. Values are pinned: adding a base gives NNP_DESCENT_* of the C header.
enum class DescentEnd : int32_t {
  not_yet = 0,
  steps = 1,      // it made as many as requested
  converged = 2,  // the last steps raised the log density by too little to matter
  flat = 3,       // no direction leads up: a mode, to double precision
  stopped = 4,    // by the callback
};

struct Descended {
  double before = 0, after = 0;  // log density of the weights
  double slope = 0;              // largest absolute derivative at the end
  int64_t steps = 0, evaluations = 0;
  DescentEnd end = DescentEnd::not_yet;
};

struct Descent {
  GradientWork work;
  int64_t room = 0;            // number of pairs that fit
  double *trial = nullptr;     // position
  double *gradient = nullptr;  // at the state's parameters
  double *trial_gradient = nullptr;
  double *direction = nullptr;
  double *moves = nullptr, *changes = nullptr;  // pairs: room x parameters, a ring buffer
  double curvature[max_pairs] = {};             // move . change of each pair
  int64_t pairs = 0, next = 0;                  // number stored, and the index of the next
  double value = 0, loss = 0;                   // log density and loss at the state's parameters
  double even_noise = 0;                        // of the current loss, see even_loss
  double first_noise = 0;                       // with which means were fitted first
  int64_t stage_steps = 0;                      // made at this temperature, with these scales
  int64_t rounds = 0;                           // how often scales were updated
  double recent[descent_window] = {};           // log densities of the last steps, a ring buffer
  Descended report, last;                       // of this descent, and of the previous one
};

Descent *descent_layout(Arena &arena, const Net &net, const Tiling &tiling);

// Fails if this network cannot be descended, and names the layer that has no slope.
Status descent_check(const Net &net, Error *err);
// Starts from the state's parameters; anneals if the noise is small compared with the targets.
Status descent_begin(State &state, Descent &descent, bool cooling, Error *err);
// Undoes descent_begin.
void descent_give_up(Descent &descent);
// Makes one step; returns false, with the reason in the report, if the descent is already over.
bool descent_step(State &state, Descent &descent);
// Completes the report, and computes latent sites from the weights, without noise.
void descent_finish(State &state, Descent &descent, DescentEnd end);

// A start to descend from: parameters from the prior, but with a variance of at most 1/fan-in (He
// 2015), so that outputs are of order 1 however wide the prior is; sites without noise.
void start_modest(State &state);

}  // namespace nnp
