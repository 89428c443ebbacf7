// Leave-one-out cross-validation from pointwise log likelihoods, by Pareto smoothed importance
// sampling (PSIS-LOO: Vehtari, Gelman, Gabry 2017; Vehtari, Simpson, Gelman, Yao, Gabry 2024).
#pragma once

#include <cmath>
#include <cstddef>

#include "lib/base/arena.hpp"
#include "lib/diagnostics/sample.hpp"

namespace nnp {

// A sum over rows and its standard error, updated one value at a time (Welford).
struct RowSum {
  double count = 0, mean = 0, square = 0;

  void add(double value) {
    const double delta = value - mean;
    mean += delta / ++count;
    square += delta * (value - mean);
  }
  double sum() const { return count * mean; }
  // Standard error of the sum: sqrt(n var)
  double sum_error() const { return count > 1 ? std::sqrt(count * square / (count - 1)) : NAN; }
};

// The result of leaving a row out.
struct LooRow {
  double elpd;      // estimate of log p(y_i | y without row i)
  double lpd;       // log p(y_i | y): log of the mean over draws
  double pareto_k;  // shape of the weights' tail; infinite if too short to fit, 0 if equal
};

struct LooReport {
  double elpd, elpd_error;  // sum over rows, and its standard error
  double p_loo, p_loo_error;
  double largest_k;
  double k_limit;      // min(1 - 1 / log10(draws), 0.7)
  int64_t unreliable;  // rows with a larger k
};

struct LooWork {
  double *log_lik, *log_weights, *tail;
  int64_t *order;
};
// Memory for one row of `size` draws over all chains.
LooWork loo_layout(Arena &arena, int64_t size);

// The largest k for which this many draws estimate leave-one-out results reliably: min(1 - 1 /
// log10(draws), 0.7)
double largest_good_k(int64_t draws);

// One row; efficiency is the effective size of its likelihoods as a fraction of the draws, 1 for
// independent draws. All draws must be finite.
LooRow loo_row(const Sample &log_lik, double efficiency, const LooWork &work);

// All rows, which are the quantities of the table. Null efficiencies mean 1; elpd and pareto_k, one
// value per row, may be null.
Status compute_loo(const SampleTable &log_lik, const double *efficiency, const LooWork &work,
                   double *elpd, double *pareto_k, LooReport *out, Error *err);

}  // namespace nnp
