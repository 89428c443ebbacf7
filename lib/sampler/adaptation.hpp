// Warm-up: the step size by dual averaging (Nesterov; Hoffman and Gelman 2014) and the diagonal of
// the mass matrix from the variances seen in windows of growing length, after Stan. After the
// warm-up both are frozen.
#pragma once

#include <cstdint>

#include "lib/base/arena.hpp"

namespace nnp {

// What becomes of the step size: it stays, is averaged, or polished (see below).
enum class StepPhase : int64_t { fixed = 0, averaging = 1, polishing = 2 };

// Plain bytes: saved with the chain.
struct Adaptation {
  double step;           // the leapfrog's step in use
  double option_step;    // the option it began from
  double centre;         // log of the step that averaging pulls towards
  double error;          // running mean of target - acceptance
  double log_average;    // of steps tried
  int64_t count;         // steps since averaging began
  int64_t window_draws;  // positions in the window so far
  int64_t divergences;   // behind the warm-up
  int64_t mass_given;    // the mass begins at what a caller gave, not at ones
  StepPhase phase;
};

// Dual averaging begins anew around a step.
void begin_averaging(Adaptation &adaptation, double step);
// After a transition of this acceptance: the step to try next.
void average_step(Adaptation &adaptation, double acceptance, double target);
// The average of the steps tried.
double averaged_step(const Adaptation &adaptation);

// The last steps of a long warm-up go on from that average with a gain that falls as 1/t (Robbins
// and Monro 1951): dual averaging still swings widely then, and since acceptance is far from linear
// in the step, the average of its swings has not the acceptance aimed at.
bool is_polished(int64_t warmup, int64_t index);
void begin_polish(Adaptation &adaptation);
void polish_step(Adaptation &adaptation, double acceptance, double target);

// Does step number `index` of the warm-up (from 0) belong to a window of the mass, or end one?
// 75 steps before the windows, 50 or a fifth of the warm-up behind them, a first window of 25, each
// twice as long as the one before; short warm-ups have one window of 75 %, those below 20 steps
// have none.
bool in_window(int64_t warmup, int64_t index);
bool window_ends(int64_t warmup, int64_t index);

}  // namespace nnp
