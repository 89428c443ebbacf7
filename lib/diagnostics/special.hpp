// Distribution functions that libm lacks: the incomplete gamma and beta functions.
#pragma once

#include "lib/random/special.hpp"

namespace nnp {

// P(Gamma(shape) > x): the upper regularised incomplete gamma function.
double gamma_upper_tail(double shape, double x);

// P(Beta(a, b) <= x): the regularised incomplete beta function.
double beta_cdf(double a, double b, double x);
// The x with beta_cdf(a, b, x) = p.
double beta_quantile(double a, double b, double p);

}  // namespace nnp
