#include "lib/diagnostics/stacking.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/base/sizes.hpp"

namespace nnp {

namespace {

// How many nats per row the best weights may be ahead, and the maximum number of iterations.
constexpr double tolerance = 1e-9;
constexpr int64_t most_iterations = 20000;
constexpr double longest_stride = 1e6;
// During the iteration weights stay above smallest_weight, so that they can recover; at the end,
// weights below least_weight become 0.
constexpr double smallest_weight = 1e-12, least_weight = 1e-9;

bool row_counts(const Densities &d, int64_t i) {
  return !d.counts || d.counts[i];
}

// Number of rows that determine the weights, including those of the prior.
double rows_that_count(const Densities &d) {
  double rows = d.prior * static_cast<double>(d.models);
  for (int64_t i = 0; i < d.rows; ++i) rows += row_counts(d, i) ? 1 : 0;
  return rows;
}

// sum_i log sum_k w_k p_ik, with each row's densities divided by its largest
double mix(const StackingWork &work, const Densities &d, const double *weights) {
  std::fill_n(work.mixture, d.rows, 0.0);
  for (int64_t k = 0; k < d.models; ++k)
    for (int64_t i = 0; i < d.rows; ++i) work.mixture[i] += weights[k] * work.share[i + d.rows * k];
  double sum = 0;
  for (int64_t i = 0; i < d.rows; ++i) sum += row_counts(d, i) ? fn::log(work.mixture[i]) : 0;
  for (int64_t k = 0; k < d.models && d.prior > 0; ++k) sum += d.prior * fn::log(weights[k]);
  return sum;
}

// gain_k = (1/n) (sum_i p_ik / mixture_i + prior / w_k), the derivative with respect to w_k: its
// weighted mean is 1, and at the maximum none exceeds 1. Returns the largest.
double find_gains(const StackingWork &work, const Densities &d, const double *weights) {
  const double rows = rows_that_count(d);
  double largest = 0;
  for (int64_t k = 0; k < d.models; ++k) {
    double sum = d.prior / weights[k];
    for (int64_t i = 0; i < d.rows; ++i)
      sum += row_counts(d, i) ? work.share[i + d.rows * k] / work.mixture[i] : 0;
    work.gain[k] = sum / rows;
    largest = std::max(largest, work.gain[k]);
  }
  return largest;
}

// w_k gain_k^stride, normalized: a stride of 1 is the EM step, which never decreases the objective.
void move_weights(const StackingWork &work, int64_t models, double stride, const double *weights) {
  double top = -INFINITY, sum = 0;
  for (int64_t k = 0; k < models; ++k) {
    work.moved[k] = fn::log(weights[k]) + stride * fn::log(work.gain[k]);
    top = std::max(top, work.moved[k]);
  }
  for (int64_t k = 0; k < models; ++k)
    sum += work.moved[k] = std::max(fn::exp(work.moved[k] - top), smallest_weight);
  for (int64_t k = 0; k < models; ++k) work.moved[k] /= sum;
}

void drop_smallest(double *weights, int64_t models) {
  double sum = 0;
  for (int64_t k = 0; k < models; ++k)
    sum += weights[k] = weights[k] > least_weight ? weights[k] : 0;
  for (int64_t k = 0; k < models; ++k) weights[k] /= sum;
}

// Divides densities by their row's largest; returns the sum of the logarithms of those.
double fill_shares(const StackingWork &work, const Densities &d) {
  double shift = 0;
  for (int64_t i = 0; i < d.rows; ++i) {
    double top = -INFINITY;
    for (int64_t k = 0; k < d.models; ++k) top = std::max(top, d.elpd[i + d.rows * k]);
    for (int64_t k = 0; k < d.models; ++k)
      work.share[i + d.rows * k] = fn::exp(d.elpd[i + d.rows * k] - top);
    shift += top;
  }
  return shift;
}

// The standard error of a sum of log mixture densities.
double error_of(const StackingWork &work, const Densities &d) {
  RowSum sum;
  for (int64_t i = 0; i < d.rows; ++i) {
    double top = -INFINITY;
    for (int64_t k = 0; k < d.models; ++k) top = std::max(top, d.elpd[i + d.rows * k]);
    sum.add(fn::log(work.mixture[i]) + top);
  }
  return sum.sum_error();
}

}  // namespace

StackingWork stacking_layout(Arena &arena, int64_t rows, int64_t models) {
  StackingWork work = {};
  work.share = arena.take<double>(times(rows, models));
  work.mixture = arena.take<double>(rows);
  work.gain = arena.take<double>(models);
  work.moved = arena.take<double>(models);
  return work;
}

// EM with strides that grow as long as they improve the objective (Salakhutdinov and Roweis 2003).
// The problem is concave: with g the largest gain, no weights are more than n log g ahead.
void compute_stacking(const Densities &d, const StackingWork &work, double *weights,
                      StackingReport *out) {
  const double n = rows_that_count(d);
  const double shift = fill_shares(work, d);
  std::fill_n(weights, d.models, 1 / static_cast<double>(d.models));
  double value = mix(work, d, weights), stride = 1, largest = find_gains(work, d, weights);
  int64_t made = 0;
  for (; made < most_iterations && fn::log(largest) > tolerance; ++made) {
    move_weights(work, d.models, stride, weights);
    double next = mix(work, d, work.moved);
    if (!(next >= value)) {
      stride = 1;
      mix(work, d, weights);
      find_gains(work, d, weights);
      move_weights(work, d.models, stride, weights);
      next = mix(work, d, work.moved);
    }
    std::copy_n(work.moved, d.models, weights);
    value = next;
    stride = std::min(2 * stride, longest_stride);
    largest = find_gains(work, d, weights);
  }
  const double gap = std::max(n * fn::log(largest), 0.0);
  drop_smallest(weights, d.models);
  const Densities all = {d.elpd, d.rows, d.models};
  *out = {mix(work, all, weights) + shift, error_of(work, d), gap, made};
}

ChainStackingWork chain_stacking_layout(Arena &arena, const SampleTable &log_lik) {
  ChainStackingWork work = {};
  work.loo = loo_layout(arena, log_lik.draws);
  work.stacking = stacking_layout(arena, log_lik.quantities, log_lik.chains);
  work.elpd = arena.take<double>(times(log_lik.quantities, log_lik.chains));
  work.counts = arena.take<bool>(log_lik.quantities);
  return work;
}

Status stack_chains(const SampleTable &log_lik, const ChainStackingWork &work, double *weights,
                    ChainStackingReport *out, Error *err) {
  const Status status = check_finite(log_lik, "log_lik", err);
  if (status != Status::ok) return status;
  const int64_t rows = log_lik.quantities, chains = log_lik.chains;
  ChainStackingReport found = {{}, -INFINITY, largest_good_k(log_lik.draws), 0};
  for (int64_t i = 0; i < rows; ++i) {
    work.counts[i] = true;
    for (int64_t c = 0; c < chains; ++c) {
      Sample own = log_lik.quantity(i);
      own.x += c * own.chain_stride;
      own.chains = 1;
      const LooRow row = loo_row(own, 1, work.loo);
      work.elpd[i + rows * c] = row.elpd;
      found.largest_k = std::max(found.largest_k, row.pareto_k);
      if (!(row.pareto_k <= found.k_limit)) work.counts[i] = false;
    }
    if (!work.counts[i]) ++found.unreliable;
  }
  const double alike = static_cast<double>(found.unreliable) / static_cast<double>(chains);
  compute_stacking({work.elpd, rows, chains, work.counts, 1 + alike}, work.stacking, weights,
                   &found.mixture);
  *out = found;
  return Status::ok;
}

}  // namespace nnp
