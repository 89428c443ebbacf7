// The error function's relatives that stay finite where erfc itself is 0.
#pragma once

namespace nnp {

double erfcx(double x);  // exp(x^2) erfc(x); inf below about -26.6
double log_erfcx(
    double x);  // log of it, for any x: x^2 + log 2 far left, -log(x sqrt(pi)) far right
double log_ndtr(double x);  // log of the standard normal distribution function

}  // namespace nnp
