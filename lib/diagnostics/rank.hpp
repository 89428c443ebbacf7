// Order statistics: ranks with ties averaged, quantiles, normal scores.
#pragma once

#include <cstdint>

namespace nnp {

// The x with Phi(x) = p, accurate to a few units in the last place; -inf at 0, inf at 1.
double normal_quantile(double p);

// z[i] = normal_quantile((r_i - 3/8) / (n + 1/4)), r_i the rank of x[i] from 1, ties averaged.
// `order` has room for n. x must not contain NaN. z may be x.
void normal_scores(const double *x, int64_t n, int64_t *order, double *z);

// For values in increasing order. The quantile interpolates between the two nearest order
// statistics at 1 + (n - 1) p (type 7 in R).
double quantile_of_sorted(const double *sorted, int64_t n, double p);
double median_of_sorted(const double *sorted, int64_t n);

}  // namespace nnp
