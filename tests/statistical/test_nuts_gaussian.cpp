// A linear network has a Gaussian posterior in closed form. On a strongly correlated one NUTS and
// HMC find mean and covariance, and adaptation finds the acceptance it aims at.
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/nnpost_diagnostics.h"
#include "lib/linalg/cholesky.hpp"
#include "tests/support/chains.hpp"
#include "tests/support/level.h"
#include "tests/support/tables.hpp"
#include "tests/support/watched.h"
#include "unity.h"

namespace {

constexpr int64_t n = 40, d = 8;
constexpr double noise = 0.5, lambda = 1.5;

struct Gaussian {
  std::vector<double> mean, covariance;  // d, d x d
};

// Pairs of inputs that differ little: their weights are strongly correlated.
std::vector<double> correlated_inputs() {
  const std::vector<double> z = chains::normals(17, size_t(n * d));
  std::vector<double> x = z;
  for (size_t i = 0; i < x.size(); i += 2) x[i + 1] = x[i] + 0.1 * z[i + 1];
  return x;
}

// Precision (X'X + D lambda) / D, mean (X'X + D lambda)^-1 X'y; by Cholesky, column by column.
Gaussian closed_form(const std::vector<double> &x, const std::vector<double> &y) {
  std::vector<double> a(size_t(d * d), 0.0), l;
  Gaussian g;
  g.mean.assign(size_t(d), 0.0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < d; ++j) {
      g.mean[size_t(j)] += x[size_t(i * d + j)] * y[size_t(i)];
      for (int64_t k = 0; k < d; ++k)
        a[size_t(j * d + k)] += x[size_t(i * d + j)] * x[size_t(i * d + k)];
    }
  for (int64_t j = 0; j < d; ++j) a[size_t(j * d + j)] += noise * lambda;
  const nnp::Kernels &kernels = *nnp::best_kernels();
  nnp::cholesky(a.data(), d, d, &kernels);
  g.covariance.assign(size_t(d * d), 0.0);
  for (int64_t j = 0; j < d; ++j) g.covariance[size_t(j * d + j)] = noise;
  for (double *b : {g.mean.data(), g.covariance.data()}) {
    const int64_t columns = b == g.mean.data() ? 1 : d;
    kernels.solve_columns(a.data(), d, d, b, columns, d);
    kernels.solve_columns_transposed(a.data(), d, d, b, columns, d);
  }
  return g;
}

struct Run {
  std::vector<double> draws;
  std::vector<double> statistics;
  double acceptance = 0, divergences = 0, leapfrogs = 0;
};

// Without warm-up the leapfrog's step is as given.
void sample(int32_t sampler, int64_t warmup, int64_t count, const std::vector<double> &x,
            const double *y, Run &run, double step = 0.01) {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;
  nnp_net_create(&net, d, nullptr);
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_GAUSSIAN, nullptr);
  nnp_net_set(net, 1, NNP_NOISE, noise, nullptr);
  nnp_net_set(net, 1, NNP_LAMBDA_W, lambda, nullptr);
  nnp_net_set(net, 1, NNP_BIAS, 0, nullptr);
  nnp_data_create(&data, n, d, 1, nullptr);
  nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr);
  nnp_data_set_targets(data, y, NNP_ROW_MAJOR, nullptr);
  nnp_chain_create(&chain, net, data, sampler, NNP_CLASSICAL, nullptr);
  set_test_level(chain);
  nnp_chain_set(chain, NNP_OPTION_WARMUP, static_cast<double>(warmup), nullptr);
  nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, step, nullptr);
  // a fixed number of leapfrogs may be a whole period: jitter it
  if (sampler == NNP_HMC) nnp_chain_set(chain, NNP_OPTION_JITTER, 0.3, nullptr);
  nnp_chain_start(chain, NNP_START_ZERO, 3, 0, nullptr);
  nnp_error err;
  TEST_ASSERT_EQUAL_MESSAGE(NNP_OK, nnp_chain_run(chain, warmup, nullptr, nullptr, &err),
                            err.message);
  run.draws.resize(size_t(count * d));
  run.statistics.resize(size_t(count * NNP_STEP_STATISTICS));
  nnp_chain_record(chain, run.statistics.data(), count, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_chain_sample(chain, run.draws.data(), count, 1, nullptr, nullptr, nullptr));
  for (int64_t s = 0; s < count; ++s) {
    const double *row = run.statistics.data() + s * NNP_STEP_STATISTICS;
    run.acceptance += row[NNP_STEP_ACCEPTANCE - NNP_STEP_LOG_DENSITY] / static_cast<double>(count);
    run.leapfrogs += row[NNP_STEP_LEAPFROGS - NNP_STEP_LOG_DENSITY] / static_cast<double>(count);
    run.divergences = row[NNP_STEP_DIVERGENCES - NNP_STEP_LOG_DENSITY];
  }
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

// How far the mean of f over the draws is from `expected`, in standard errors of 50 batches.
template <class Function>
double z_score(const Run &run, double expected, Function f) {
  constexpr size_t batches = 50;
  const size_t length = run.draws.size() / size_t(d) / batches;
  std::vector<double> means(batches, 0.0);
  double mean = 0, square = 0;
  for (size_t b = 0; b < batches; ++b) {
    for (size_t s = b * length; s < (b + 1) * length; ++s)
      means[b] += f(run.draws.data() + s * size_t(d)) / static_cast<double>(length);
    mean += means[b] / batches;
  }
  for (double m : means) square += (m - mean) * (m - mean);
  return (mean - expected) / std::sqrt(square / (batches - 1) / batches);
}

void check_moments(const Run &run, const Gaussian &g) {
  char message[120];
  for (int64_t i = 0; i < d; ++i) {
    const double mean = g.mean[size_t(i)];
    const double z = z_score(run, mean, [i](const double *w) { return w[i]; });
    std::snprintf(message, sizeof message, "mean %d: z = %.2f", static_cast<int>(i), z);
    VERDICT_MESSAGE(std::fabs(z) < 4, message);
    for (int64_t j = 0; j <= i; ++j) {
      const double other = g.mean[size_t(j)], expected = g.covariance[size_t(i * d + j)];
      const double zc =
          z_score(run, expected, [=](const double *w) { return (w[i] - mean) * (w[j] - other); });
      std::snprintf(message, sizeof message, "covariance %d, %d: z = %.2f", static_cast<int>(i),
                    static_cast<int>(j), zc);
      VERDICT_MESSAGE(std::fabs(zc) < 4, message);
    }
  }
}

void check_sampler(int32_t sampler, int64_t warmup, int64_t count, double target) {
  const std::vector<double> x = correlated_inputs(), y = chains::normals(18, size_t(n));
  const Gaussian g = closed_form(x, y);
  Run run;
  sample(sampler, shortened(warmup, 100), shortened(count, 100), x, y.data(), run);
  check_moments(run, g);
  char message[120];
  std::snprintf(message, sizeof message, "acceptance %.3f, target %.3f, %.1f leapfrogs",
                run.acceptance, target, run.leapfrogs);
  VERDICT_MESSAGE(std::fabs(run.acceptance - target) < 0.05, message);
  VERDICT_MESSAGE(run.divergences == 0, "divergences");
}

// The posterior is as hard as it is meant to be.
void test_the_posterior_is_correlated() {
  const std::vector<double> x = correlated_inputs(), y = chains::normals(18, size_t(n));
  const Gaussian g = closed_form(x, y);
  double strongest = 0;
  for (int64_t i = 0; i < d; ++i)
    for (int64_t j = 0; j < i; ++j)
      strongest = std::max(strongest, std::fabs(g.covariance[size_t(i * d + j)]) /
                                          std::sqrt(g.covariance[size_t(i * d + i)] *
                                                    g.covariance[size_t(j * d + j)]));
  TEST_ASSERT_TRUE(strongest > 0.95);
}

void test_nuts() {
  check_sampler(NNP_NUTS, 1000, 20000, 0.8);
}

// Data that say nothing: the posterior is the prior, independent N(0, 1/lambda), and the leapfrog
// of step a / sqrt(lambda) turns every variable by the angle 2 asin(a/2).
Gaussian sample_prior(double a, int64_t count, Run &run) {
  const std::vector<double> x(size_t(n * d), 0.0), y(size_t(n), 0.0);
  sample(NNP_NUTS, 0, shortened(count, 100), x, y.data(), run, a / std::sqrt(lambda));
  return closed_form(x, y);
}

// Steps so long that energies differ by far: leaves and halves must count by their weights. A
// sampler that always goes to the new half spreads too far.
void test_nuts_weighs_what_it_chooses_from() {
  for (double a : {0.9, 1.4}) {
    Run run;
    const Gaussian g = sample_prior(a, 20000, run);
    check_moments(run, g);
  }
}

// 8 leaves go round by 7 * 0.93 > 2 pi, 4 by 3 * 0.93 < pi: the ends of neither path move towards
// each other, and only the paths across the halves, of 4 * 0.93 > pi, tell that it has turned.
// Without asking those it takes 7.1 leapfrogs.
void test_nuts_stops_at_the_first_turn() {
  Run run;
  sample_prior(2 * std::sin(0.93 / 2), 4000, run);
  char message[60];
  std::snprintf(message, sizeof message, "%.2f leapfrogs", run.leapfrogs);
  VERDICT_MESSAGE(run.leapfrogs > 3 && run.leapfrogs < 5.5, message);
}

void test_hmc() {
  check_sampler(NNP_HMC, 2000, 40000, 0.8);
}

void test_mala() {
  check_sampler(NNP_MALA, 10000, 300000, 0.574);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_the_posterior_is_correlated);
  RUN_TEST(test_nuts);
  RUN_TEST(test_nuts_weighs_what_it_chooses_from);
  RUN_TEST(test_nuts_stops_at_the_first_turn);
  RUN_TEST(test_hmc);
  RUN_TEST(test_mala);
  return UNITY_END();
}
