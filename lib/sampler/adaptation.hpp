// Warm-up: the step size is set by dual averaging (Nesterov; Hoffman and Gelman 2014) and the
// diagonal of the mass matrix by the variances observed in windows of growing length, as in Stan.
// Both are frozen after the warm-up.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"

namespace nnp {

// How the step size is set: kept fixed, by dual averaging, or by polishing (see below).
enum class StepPhase : int64_t { fixed = 0, averaging = 1, polishing = 2 };

// Plain bytes, saved with the chain.
struct Adaptation {
  double step;           // the leapfrog step in use
  double option_step;    // the option value it started from
  double centre;         // log of the step that averaging pulls towards
  double error;          // running mean of target - acceptance
  double log_average;    // running average of the log steps tried
  int64_t count;         // steps since averaging started
  int64_t window_draws;  // positions seen in the current window
  int64_t divergences;   // after the warm-up
  int64_t mass_given;    // the initial mass was given by the caller; otherwise it is ones
  StepPhase phase;
};

// Restarts dual averaging around `step`.
void begin_averaging(Adaptation &adaptation, double step);
// Updates the step size after a transition with this acceptance.
void average_step(Adaptation &adaptation, double acceptance, double target);
// Returns the average of the steps tried.
double averaged_step(const Adaptation &adaptation);

// True if step `index` of the warm-up is polished. The last steps of a long warm-up start from the
// average and use a gain that falls as 1/t (Robbins and Monro 1951). Dual averaging still swings
// widely at that point, and because acceptance is far from linear in the step size, the average of
// those swings would miss the target acceptance.
bool is_polished(int64_t warmup, int64_t index);
void begin_polish(Adaptation &adaptation);
void polish_step(Adaptation &adaptation, double acceptance, double target);

// True if step `index` of the warm-up (from 0) lies in a window of the mass adaptation, or ends
// one. There are 75 steps before the windows and max(50, a fifth of the warm-up) after them; the
// first window has 25 steps and each later one is twice as long as the one before. Short warm-ups
// have one window of 75 % of the steps; warm-ups of fewer than 20 steps have none.
bool in_window(int64_t warmup, int64_t index);
bool window_ends(int64_t warmup, int64_t index);

}  // namespace nnp
