// The spectral density at frequency zero from an autoregressive fit: the long-run variance of one
// series.
#pragma once

#include <cstdint>

namespace nnp {

// Fits AR(p) by Yule-Walker for p = 0 ... min(n - 1, 10 log10 n), keeps the p with the smallest
// AIC, and returns sigma_p^2 / (1 - sum of its coefficients)^2: n times the variance of the mean of
// n draws. As R's coda::spectrum0.ar. 0 if the series is a straight line to 1.5e-8 of its spread
// (coda uses an absolute bound of 1.5e-8, whatever the scale); NaN if a value is not finite.
double ar_spectrum_at_zero(const double *x, int64_t n);

// n * variance / ar_spectrum_at_zero, as coda::effectiveSize of one chain; 0 for a straight line.
double ar_ess(const double *x, int64_t n);

}  // namespace nnp
