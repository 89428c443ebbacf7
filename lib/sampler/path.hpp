// The path of a replica exchange as a chain sees it: log q at any power, and the variables that
// swaps leave out. What can be drawn from its exact conditional need not be part of what two levels
// exchange: it is integrated out of q, and drawn afresh by whoever has swapped. The fewer variables
// q looks at, the less it varies, and the fewer levels a path needs.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

struct PathOps {
  // Every power costs an evaluation of its own: only those that swaps need are asked for.
  bool dear = false;
  // terms[i] = log q at powers[i], the variables that `redraw` draws integrated out.
  void (*terms)(Chain &chain, const double *powers, int64_t count, double *terms) = nullptr;
  // Draws those variables from their conditional at the temperature in force, independently of what
  // they were. Null: there are none.
  Status (*redraw)(Chain &chain, Error *err) = nullptr;
};

// Latent scores, or what the sampler knows to integrate out (SamplerOps::path), or nothing.
const PathOps &path_of(const Chain &chain);

// log N(y; f, D)^b with noise of the site below, N(0, D_X), integrated out of f = X A + bias, from
// squares = R'R (outputs x outputs, lower triangle) of the residuals R = y - E[X] A - bias.
struct LastSums {
  int64_t rows, outputs;
  double noise, noise_x;  // D of the model, D_X
  const double *weights;  // A: a column per output
  int64_t inputs;
  const double *squares;
  double *scratch;  // 2 outputs^2
};
double log_last_likelihood(const LastSums &sums, double power, const Kernels &kernels);

}  // namespace nnp
