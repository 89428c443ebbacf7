// Log likelihoods of rows, summed over passes by running log-sum-exps.
#pragma once

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/posterior/passes.hpp"

namespace nnp {

// A running log-sum-exp for each row of a tile, in the scratch of sums: log sum = top + log(rest).
struct LogSums {
  double *top, *rest;
  int64_t rows;

  LogSums(const Predictor &p, int64_t count) : top(p.sums[0]), rest(p.sums[1]), rows(count) {
    restart();
  }
  void restart() {
    std::fill_n(top, rows, -INFINITY);
    std::fill_n(rest, rows, 0.0);
  }
  void add(int64_t i, double term) {
    if (term == -INFINITY) return;
    if (term <= top[i]) {
      rest[i] += fn::exp(term - top[i]);
      return;
    }
    rest[i] = rest[i] * fn::exp(top[i] - term) + 1;
    top[i] = term;
  }
  double log_sum(int64_t i) const { return top[i] + fn::log(rest[i]); }
  double log_mean(int64_t i, int64_t count) const {
    return top[i] + fn::log(rest[i]) - fn::log(static_cast<double>(count));
  }
};

// Adds log p(target | f) of one pass, with weight exp(log_weight), to every row's sum.
void add_log_terms(Predictor &p, const Data &data, int64_t t, ConstTile mean, LogSums &sums,
                   double log_weight = 0);

}  // namespace nnp
