// The error function's relatives that stay finite where erfc itself is 0, and the gamma function's
// logarithm and derivatives.
#pragma once

#include "lib/base/functions.hpp"

namespace nnp {

double erfcx(double x);  // exp(x^2) erfc(x); inf below about -26.6
double log_erfcx(
    double x);  // log of it, for any x: x^2 + log 2 far left, -log(x sqrt(pi)) far right
double log_ndtr(double x);  // log of the standard normal distribution function
inline double normal_cdf(double x) {
  return 0.5 * fn::erfc(-0.70710678118654752440 * x);
}

// log Gamma(x), x > 0. (The C library's writes a global; this one does not.)
double log_gamma(double x);
// log(Gamma(x + y) / Gamma(x)), x > 0, y >= 0: keeps its digits for any x.
double log_gamma_ratio(double x, double y);
// The second derivative of log Gamma, x > 0.
double trigamma(double x);

}  // namespace nnp
