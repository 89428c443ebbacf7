// Results of a replica exchange: barrier, restarts, verdict and evidence.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/functions.hpp"
#include "lib/posterior/heat.hpp"
#include "lib/sampler/path.hpp"
#include "lib/study/exchange.hpp"

namespace nnp {

void LogSum::add(double x) {
  if (x > top) {
    sum = sum * fn::exp(top - x) + 1;
    top = x;
  } else if (x > -HUGE_VAL) {
    sum += fn::exp(x - top);
  }
}

void LogSum::add(const LogSum &other) {
  if (other.sum == 0) return;
  if (other.top > top) {
    sum = (sum > 0 ? sum * fn::exp(top - other.top) : 0) + other.sum;
    top = other.top;
  } else {
    sum += other.sum * fn::exp(other.top - top);
  }
}

double LogSum::log() const {
  return sum > 0 ? top + fn::log(sum) : -HUGE_VAL;
}

double exchange_acceptance(const Exchange &exchange, int64_t l) {
  const ExchangePair &pair = exchange.pairs[l];
  return pair.tried > 0 ? pair.acceptance / static_cast<double>(pair.tried)
                        : std::numeric_limits<double>::quiet_NaN();
}

double exchange_barrier(const Exchange &exchange, int64_t l) {
  double sum = 0;
  for (int64_t i = 0; i < l; ++i) {
    const double acceptance = exchange_acceptance(exchange, i);
    if (!std::isnan(acceptance)) sum += barrier_of(1 - acceptance);
  }
  return sum;
}

double exchange_barrier(const Exchange &exchange) {
  const bool counted = exchange.replicas > 2 ? exchange.sweeps > 1 : exchange.sweeps > 0;
  return counted ? exchange_barrier(exchange, exchange.replicas - 1) : exchange.barrier;
}

int64_t exchange_wanted(const Exchange &exchange) {
  const double barrier = exchange_barrier(exchange);
  return std::max<int64_t>(2, static_cast<int64_t>(std::ceil(2 * barrier)) + 1);
}

double exchange_expected_restarts(const Exchange &exchange) {
  double sum = 0;
  for (int64_t l = 0; l + 1 < exchange.replicas; ++l) {
    const double acceptance = exchange_acceptance(exchange, l);
    if (std::isnan(acceptance)) return 0;
    sum += (1 - acceptance) / acceptance;
  }
  return static_cast<double>(exchange.sweeps) / (2 + 2 * sum);
}

double exchange_least_swaps(const Exchange &exchange) {
  double least = exchange_acceptance(exchange, 0);
  for (int64_t l = 1; l + 1 < exchange.replicas; ++l)
    least = std::fmin(least, exchange_acceptance(exchange, l));
  return least;
}

double exchange_mean_swaps(const Exchange &exchange) {
  double sum = 0;
  for (int64_t l = 0; l + 1 < exchange.replicas; ++l) sum += exchange_acceptance(exchange, l);
  return sum / static_cast<double>(exchange.replicas - 1);
}

ExchangeVerdict exchange_verdict(const Exchange &exchange) {
  constexpr double rare = 0.1, far_fewer = 0.25;
  if (exchange.restarts >= enough_restarts) return ExchangeVerdict::mixes;
  const double restarts = static_cast<double>(exchange.restarts);
  const double enough = static_cast<double>(enough_restarts);
  if (exchange_least_swaps(exchange) < rare) return ExchangeVerdict::more_replicas;
  return far_fewer * exchange_expected_restarts(exchange) > std::fmax(restarts, enough)
             ? ExchangeVerdict::slow
             : ExchangeVerdict::run_longer;
}

namespace {

// Number of values in batch b of pair l.
double values_of(const Exchange &exchange, int64_t l, int64_t b) {
  const bool dear = path_of(exchange.target()).dear;
  const int64_t first = b * exchange.batch_length;
  const int64_t end = std::min(first + exchange.batch_length, exchange.sweeps);
  if (end <= first) return 0;
  if (!dear) return static_cast<double>(end - first);
  // Sweeps since the counts were cleared, of the parity at which the pair is tried.
  const int64_t parity = (l + exchange.swept - exchange.sweeps) % 2;
  return static_cast<double>((end + 1 - parity) / 2 - (first + 1 - parity) / 2);
}

// log of the mean over all batches
double log_mean(const Exchange &exchange, int64_t l, const LogSum *sums) {
  LogSum all;
  double values = 0;
  for (int64_t b = 0; b < evidence_batches; ++b) {
    all.add(sums[b]);
    values += values_of(exchange, l, b);
  }
  return all.log() - fn::log(values);
}

// The mean of batch b relative to the mean of all: a linear term of the error of log_mean.
double relative_mean(const Exchange &exchange, int64_t l, const LogSum *sums, int64_t b,
                     double all) {
  const double values = values_of(exchange, l, b);
  return sums[b].sum > 0 ? fn::exp(sums[b].log() - fn::log(values) - all) : 0;
}

}  // namespace

Evidence exchange_evidence(const Exchange &exchange) {
  const int64_t batches = exchange.sweeps / exchange.batch_length;
  double deviation[evidence_batches] = {}, total = path_origin(exchange.target().state);
  for (int64_t l = 0; l + 1 < exchange.replicas; ++l) {
    const ExchangePair &pair = exchange.pairs[l];
    const double up = log_mean(exchange, l, pair.up), down = log_mean(exchange, l, pair.down);
    total += up - down;
    for (int64_t b = 0; b < batches; ++b)
      deviation[b] += relative_mean(exchange, l, pair.up, b, up) -
                      relative_mean(exchange, l, pair.down, b, down);
  }
  double mean = 0, squares = 0;
  for (int64_t b = 0; b < batches; ++b) mean += deviation[b] / static_cast<double>(batches);
  for (int64_t b = 0; b < batches; ++b) squares += (deviation[b] - mean) * (deviation[b] - mean);
  const double count = static_cast<double>(batches);
  const double error = batches < 8 ? std::numeric_limits<double>::quiet_NaN()
                                   : std::sqrt(squares / (count * (count - 1)));
  return {total, error};
}

}  // namespace nnp
