// The path of a replica exchange for one chain: log q at any power, and the variables that swaps
// ignore. Variables that can be drawn from their exact conditional need not be swapped: they are
// integrated out of q and redrawn after a swap. The fewer variables q depends on, the less it
// varies, and the fewer levels a path needs.
#pragma once

#include "lib/sampler/chain.hpp"

namespace nnp {

struct PathOps {
  // Every power costs a separate evaluation, so only those that swaps need are requested.
  bool dear = false;
  // Computes terms[i] = log q at powers[i], with the variables drawn by `redraw` integrated out.
  void (*terms)(Chain &chain, const double *powers, int64_t count, double *terms) = nullptr;
  // Draws those variables from their conditional at the current temperature, independently of their
  // old values. Null: there are none.
  Status (*redraw)(Chain &chain, Error *err) = nullptr;
};

// The path of a chain: with latent scores integrated out, or the variables named by
// SamplerOps::path, or none.
const PathOps &path_of(const Chain &chain);

// log N(y; f, D)^b with the noise N(0, D_X) of the site below integrated out of f = X A + bias,
// from squares = R'R (outputs x outputs, lower triangle) of the residuals R = y - E[X] A - bias.
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
