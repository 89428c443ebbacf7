// Over-relaxation: moves a Gaussian variable without the random walk of fresh draws.
#pragma once

#include <cmath>

namespace nnp {

// new = mean + a (old - mean) + sqrt(1 - a^2) * noise leaves the Gaussian invariant for |a| < 1. a
// = 0 is a fresh draw; a near -1 moves to the other side of the mean, at nearly the same distance.
struct Relax {
  double keep = 0, pull = 1, shake = 1;  // a, 1 - a, sqrt(1 - a^2)

  static Relax by(double a) { return {a, 1 - a, std::sqrt((1 - a) * (1 + a))}; }
};

}  // namespace nnp
