// Relatives of the error function that stay finite where erfc underflows, and the logarithm and
// derivatives of the gamma function.
#pragma once

#include "lib/base/functions.hpp"

namespace nnp {

double erfcx(double x);      // exp(x^2) erfc(x); inf below about -26.6
double log_erfcx(double x);  // its log, for any x: x^2 + log 2 far left, -log(x sqrt(pi)) far right
double log_ndtr(double x);   // log of the standard normal distribution function
inline double normal_cdf(double x) {
  return 0.5 * fn::erfc(-0.70710678118654752440 * x);
}

// log Gamma(x), x > 0. (Unlike the C library's, it does not write a global variable.)
double log_gamma(double x);
// log(Gamma(x + y) / Gamma(x)), x > 0, y >= 0; accurate for any x.
double log_gamma_ratio(double x, double y);
// The second derivative of log Gamma, x > 0.
double trigamma(double x);

}  // namespace nnp
