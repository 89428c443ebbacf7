// Starts that fit: the weights climb the log density, hidden layers without noise, by L-BFGS
// (Nocedal 1980) with all rows in every gradient. The line search asks for Armijo's condition and a
// slope that has fallen (weak Wolfe): that is what works where relu makes the density only piecewise
// smooth (Lewis and Overton 2013). No random number is used; the result does not depend on threads.
#pragma once

#include "lib/posterior/gradient.hpp"

namespace nnp {

constexpr int64_t max_pairs = 20;       // of steps and changes of the gradient that are remembered
constexpr int64_t descent_window = 10;  // steps over which the rise is judged
constexpr int64_t default_descent_steps = 3000;
// Starts that fit cool: the likelihood counts to the power 1/Net::temperature, and that falls
// to 1 by this factor every so many steps. Chains end at a higher density, and predict better, than
// those that meet the full likelihood at once.
constexpr double cooling_factor = 0.31622776601683794;
constexpr int64_t cooling_steps = 100;
// Learned scales are then set to what the weights say, this often, after as many steps each.
constexpr int64_t scale_rounds = 20;

// Why a descent ended. Values are pinned: plus a base they are the NNP_DESCENT_* of the C header.
enum class DescentEnd : int32_t {
  not_yet = 0,
  steps = 1,      // as many as asked for
  converged = 2,  // the last steps raised the log density by too little to matter
  flat = 3,       // no direction leads up: a mode, as far as double precision can tell
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
  int64_t room = 0;            // for pairs
  double *trial = nullptr;     // position
  double *gradient = nullptr;  // at the state's own parameters
  double *trial_gradient = nullptr;
  double *direction = nullptr;
  double *moves = nullptr, *changes = nullptr;  // pairs: room x parameters, a ring
  double curvature[max_pairs] = {};             // move . change of each pair
  int64_t pairs = 0, next = 0;                  // kept, and the place of the next
  double value = 0, loss = 0;                   // log density and loss at the state's parameters
  double even_noise = 0;                        // of the loss at this stage, see even_loss
  double first_noise = 0;                       // that means were first fitted with
  int64_t stage_steps = 0;                      // made at this temperature, with these scales
  int64_t rounds = 0;                           // times scales were set
  double recent[descent_window] = {};           // log densities of the last steps, a ring
  Descended report, last;                       // of this descent, and of the one before
};

Descent *descent_layout(Arena &arena, const Net &net, const Tiling &tiling);

// Can this network be descended? Fails with the layer that has no slope.
Status descent_check(const Net &net, Error *err);
// From the state's parameters; cooling, if the noise is small beside the targets.
Status descent_begin(State &state, Descent &descent, bool cooling, Error *err);
// Undoes it, as if nothing had begun.
void descent_give_up(Descent &descent);
// One step; false, and the reason in the report, if the descent is over without it.
bool descent_step(State &state, Descent &descent);
// The report is complete, and latent sites follow from the weights, without noise.
void descent_finish(State &state, Descent &descent, DescentEnd end);

// A start to descend from: parameters from the prior, but no wider than 1/fan-in in variance (He
// 2015: outputs are of order 1 then, however wide the prior is), and sites without noise.
void start_modest(State &state);

}  // namespace nnp
