// One quantity's draws in place, and the plain moments that every diagnostic starts from.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"

namespace nnp {

// Draw i of chain c is at x[i * draw_stride + c * chain_stride].
struct Sample {
  const double *x;
  int64_t draws, chains;
  int64_t draw_stride, chain_stride;

  double at(int64_t draw, int64_t chain) const {
    return x[draw * draw_stride + chain * chain_stride];
  }
};

// Several quantities in one array: quantity q is the Sample that starts at x + q * quantity_stride.
struct SampleTable {
  const double *x;
  int64_t quantities, draws, chains;
  int64_t quantity_stride, draw_stride, chain_stride;

  Sample quantity(int64_t q) const {
    return {x + q * quantity_stride, draws, chains, draw_stride, chain_stride};
  }
};

// Chains one after the other, with contiguous draws: what the numerical routines work on.
struct Chains {
  const double *x;
  int64_t draws, chains;

  const double *chain(int64_t c) const { return x + c * draws; }
  int64_t size() const { return draws * chains; }
};

double mean_of(const double *x, int64_t n);
// Divides by n - 1; NaN for n < 2.
double variance_of(const double *x, int64_t n);

bool has_nan(const double *x, int64_t n);
// True if there is no answer: a value is NaN or infinite, or all are within 2.2e-16 of each other.
bool unanswerable(const double *x, int64_t n);

// Status::not_finite if some draw is NaN or infinite; the message says which one of `name`.
Status check_finite(const SampleTable &table, const char *name, Error *err);

// Copies one quantity's draws to out[draw + draws * chain].
void gather(const Sample &from, double *out);

// Both halves of each chain as separate chains; the middle draw of an odd number is left out. out
// has room for (draws / 2) * 2 * chains values. A single draw stays as it is.
Chains split_halves(const Chains &from, double *out);

}  // namespace nnp
