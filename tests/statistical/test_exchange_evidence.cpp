// The evidence of replica exchange, and moments of its target, against closed forms of linear
// networks and against quadrature on the smallest networks there are: every head, both posteriors,
// noises that are fixed and learned, and every sampler.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "capi/common.hpp"
#include "lib/network/head.hpp"
#include "tests/support/level.h"
#include "tests/support/stats.hpp"
#include "tests/support/watched.h"
extern "C" {
#include "capi/nnpost_study.h"
#include "unity.h"
}

namespace {

using Vector = std::vector<double>;
nnp_error err;
#define OK(call) TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, (call), err.message)

// What the exchange is of, and what it found.
struct Found {
  double log_evidence = 0, error = 0;
  Vector mean, mean_error;  // of functions of the target's parameters
  int64_t restarts = 0;
};

struct Run {
  int32_t sampler = NNP_GIBBS, posterior = NNP_INTERMEDIATE;
  int64_t replicas = 8, sweeps = 20000, steps = 1;
  bool plain = false;  // Gibbs without extra moves
  // ... whose draws begin with the last weights and lean on the sites before.
  bool leaning = false;
};

using Functions = std::function<Vector(const double *)>;

Vector second_moments(const double *w, int64_t count) {
  Vector f;
  for (int64_t i = 0; i < count; ++i) f.push_back(w[i] * w[i]);
  if (count > 1) f.push_back(w[0] * w[1]);
  return f;
}

// Means of 50 batches of draws, and their errors.
void batch_means(const std::vector<Vector> &values, Found &found) {
  const size_t batches = 50, length = std::max<size_t>(values.size() / batches, 1);
  const size_t used = std::min(batches, values.size() / length), count = values[0].size();
  for (size_t q = 0; q < count; ++q) {
    Vector batch(used);
    double mean = 0, squares = 0;
    for (size_t b = 0; b < used; ++b) {
      for (size_t i = 0; i < length; ++i)
        batch[b] += values[b * length + i][q] / static_cast<double>(length);
      mean += batch[b] / static_cast<double>(used);
    }
    for (double value : batch) squares += (value - mean) * (value - mean);
    const double n = static_cast<double>(used);
    found.mean.push_back(mean);
    found.mean_error.push_back(std::sqrt(squares / (n * (n - 1))));
  }
}

Found exchange(const nnp_net *net, const nnp_data *data, const Run &run, uint64_t seed,
               const Functions &functions) {
  std::vector<nnp_chain *> chains(static_cast<size_t>(run.replicas));
  nnp_exchange *x = nullptr;
  int64_t params = 0;
  for (nnp_chain *&chain : chains) {
    OK(nnp_chain_create(&chain, net, data, run.sampler, run.posterior, &err));
    set_test_level(chain);
    if (run.plain) OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
    if (run.leaning) {
      OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, NNP_BACKWARD, &err));
      OK(nnp_chain_set(chain, NNP_OPTION_RELAX, -0.9, &err));
      OK(nnp_chain_set(chain, NNP_OPTION_PLAIN_EVERY, 3, &err));
    }
    if (run.sampler == NNP_HMC) OK(nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, 5, &err));
    if (run.sampler == NNP_HMC) OK(nnp_chain_set(chain, NNP_OPTION_JITTER, 0.5, &err));
  }
  OK(nnp_exchange_create(&x, chains.data(), run.replicas, &err));
  OK(nnp_exchange_set(x, NNP_EXCHANGE_REPLICAS, static_cast<double>(run.replicas), &err));
  OK(nnp_exchange_set(x, NNP_EXCHANGE_STEPS, static_cast<double>(run.steps), &err));
  OK(nnp_exchange_set(x, NNP_EXCHANGE_ROUNDS, only_watched() ? 2 : 6, &err));
  OK(nnp_exchange_start(x, NNP_EXCHANGE_FROM_PRIOR, seed, &err));
  OK(nnp_exchange_tune(x, nullptr, nullptr, &err));
  OK(nnp_net_parameters(net, &params, &err));
  const int64_t count = shortened(run.sweeps, 100);
  Vector draws(static_cast<size_t>(count * params));
  OK(nnp_exchange_sample(x, draws.data(), count, 1, nullptr, nullptr, &err));
  nnp_exchange_summary summary;
  OK(nnp_exchange_report(x, &summary, &err));
  Found found;
  found.log_evidence = summary.log_evidence;
  found.error = summary.evidence_error;
  found.restarts = summary.restarts;
  std::vector<Vector> values;
  for (int64_t s = 0; s < count; ++s) values.push_back(functions(draws.data() + s * params));
  batch_means(values, found);
  char text[768];
  OK(nnp_exchange_text(x, text, sizeof text, &err));
  nnp_exchange_free(x);
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  return found;
}

// |z| of the evidence and of every moment.
void compare(const char *name, const Found &found, double log_evidence, const Vector &moments) {
  char text[256];
  const double z = (found.log_evidence - log_evidence) / found.error;
  std::snprintf(text, sizeof text, "%s: log evidence %.5f +- %.5f, exact %.5f, %lld restarts", name,
                found.log_evidence, found.error, log_evidence,
                static_cast<long long>(found.restarts));
  if (getenv("NNPOST_TEST_TALK")) std::printf("%s\n", text);
  VERDICT_MESSAGE(std::fabs(z) < 3.5 && found.error < 0.1, text);
  VERDICT_MESSAGE(found.restarts >= 10, text);
  for (size_t q = 0; q < moments.size(); ++q) {
    std::snprintf(text, sizeof text, "%s: moment %zu is %.5f +- %.5f, exact %.5f", name, q,
                  found.mean[q], found.mean_error[q], moments[q]);
    if (getenv("NNPOST_TEST_TALK")) std::printf("  %s\n", text);
    VERDICT_MESSAGE(std::fabs(found.mean[q] - moments[q]) < 4 * found.mean_error[q], text);
  }
}

// ---- problems --------------------------------------------------------------------------------

struct Problem {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  Vector x, y;

  // Inputs, hidden units (0: none; relu) and outputs; no biases.
  Problem(int64_t inputs, int64_t hidden, int64_t outputs, int32_t head) {
    OK(nnp_net_create(&net, inputs, &err));
    if (hidden > 0) {
      OK(nnp_net_dense(net, hidden, &err));
      OK(nnp_net_activation(net, NNP_RELU, &err));
    }
    OK(nnp_net_dense(net, outputs, &err));
    OK(nnp_net_head(net, head, &err));
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, 0, &err));
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, lambda, &err));
  }
  ~Problem() {
    nnp_data_free(data);
    nnp_net_free(net);
  }
  void targets(int64_t features, const Vector &inputs, const Vector &values) {
    x = inputs;
    y = values;
    const int64_t n = static_cast<int64_t>(x.size()) / features;
    OK(nnp_data_create(&data, n, features, static_cast<int64_t>(y.size()) / n, &err));
    OK(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err));
    OK(nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, &err));
  }
  void labels(const Vector &inputs, const std::vector<int32_t> &values) {
    x = inputs;
    y.assign(values.begin(), values.end());
    OK(nnp_data_create(&data, static_cast<int64_t>(x.size()), 1, 0, &err));
    OK(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err));
    OK(nnp_data_set_labels(data, values.data(), &err));
  }
  void noise(double value) { OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, value, &err)); }

  static constexpr double lambda = 0.5;
};

double log_normal(double x, double variance) {
  return -0.5 * (x * x / variance + std::log(2 * stats::pi * variance));
}

// A precision 1/D ~ Gamma(a, rate a / mean): log density of log D.
double log_prior_of_noise(double noise, double a, double mean) {
  const double r = a / mean;
  return a * std::log(r) - std::lgamma(a) - a * std::log(noise) - r / noise;
}

// Sums exp(log weight) and functions of points of a grid, with the largest taken out.
struct Integral {
  double top = -HUGE_VAL, sum = 0;
  Vector functions;

  void add(double log_weight, const Vector &f) {
    functions.resize(f.size());
    if (!(log_weight > -HUGE_VAL)) return;
    if (log_weight > top) {
      const double scale = std::exp(top - log_weight);
      sum *= scale;
      for (double &value : functions) value *= scale;
      top = log_weight;
    }
    const double weight = std::exp(log_weight - top);
    sum += weight;
    for (size_t q = 0; q < f.size(); ++q) functions[q] += weight * f[q];
  }
  Vector means() const {
    Vector m = functions;
    for (double &value : m) value /= sum;
    return m;
  }
  double log(double cell) const { return top + std::log(sum * cell); }
};

// Trapezoids for w1 and w2 of a prior of precision lambda, spread wide.
constexpr int grid = 120;
constexpr double reach = 8.5;
double grid_weight(int i, int points = grid) {
  return -reach + (2 * reach) * (i + 0.5) / points;
}

// log p of a row: y given z integrates to f(z), z ~ N(mean, noise): trapezoids of a tenth of an sd.
template <class Density>
double over_site(double mean, double noise, Density density) {
  const double sd = std::sqrt(noise), step = 0.1;
  double sum = 0;
  for (double t = -7; t <= 7; t += step)
    sum += density(mean + sd * t) * std::exp(-0.5 * t * t) * step;
  return sum / std::sqrt(2 * stats::pi);
}

double relu(double z) {
  return std::max(z, 0.0);
}

// The row of a network 1-1-1 with noise D in all layers, given its weights.
double gaussian_row(double x, double y, double w1, double w2, double noise) {
  const double variance = noise + w2 * w2 * noise;
  return over_site(w1 * x, noise,
                   [&](double z) { return std::exp(log_normal(y - w2 * relu(z), variance)); });
}

double sign_row(double x, double y, double w1, double w2, double noise) {
  const double sd = std::sqrt(noise + w2 * w2 * noise);
  return over_site(w1 * x, noise,
                   [&](double z) { return stats::normal_cdf(y * w2 * relu(z) / sd); });
}

template <class Row>
Integral integrate_pair(const Problem &p, double noise, Row row) {
  Integral all;
  for (int i = 0; i < grid; ++i)
    for (int j = 0; j < grid; ++j) {
      const double w[] = {grid_weight(i), grid_weight(j)};
      double value = log_normal(w[0], 1 / Problem::lambda) + log_normal(w[1], 1 / Problem::lambda);
      for (size_t r = 0; r < p.x.size(); ++r)
        value += std::log(row(p.x[r], p.y[r], w[0], w[1], noise));
      all.add(value, second_moments(w, 2));
    }
  return all;
}
constexpr double pair_cell = (2 * reach / grid) * (2 * reach / grid);

const Vector few_inputs = {-1.2, 0.4, 0.9, 1.7}, few_targets = {0.1, 0.7, 0.8, 2.1};

// ---- closed forms ------------------------------------------------------------------------------

// log N(y; 0, X X' / lambda + D I) of n rows, by a Cholesky factor.
double log_linear_evidence(const Vector &x, const Vector &y, int64_t features, double noise) {
  const size_t n = y.size(), p = static_cast<size_t>(features);
  Vector c(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < p; ++k) c[i * n + j] += x[i * p + k] * x[j * p + k] / Problem::lambda;
      if (i == j) c[i * n + j] += noise;
    }
  Vector z = y;
  double log_det = 0, square = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = c[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= c[i * n + k] * c[j * n + k];
      c[i * n + j] = i == j ? std::sqrt(sum) : sum / c[j * n + j];
    }
    for (size_t k = 0; k < i; ++k) z[i] -= c[i * n + k] * z[k];
    z[i] /= c[i * n + i];
    square += z[i] * z[i];
    log_det += 2 * std::log(c[i * n + i]);
  }
  return -0.5 * (square + log_det + static_cast<double>(n) * std::log(2 * stats::pi));
}

// Over log D, trapezoids: the learned noise.
double log_learned_evidence(const Vector &x, const Vector &y, int64_t features, double a,
                            double mean) {
  Integral all;
  const double step = 0.02;
  for (double t = -12; t < 12; t += step) {
    const double noise = std::exp(t);
    all.add(log_linear_evidence(x, y, features, noise) + log_prior_of_noise(noise, a, mean), {});
  }
  return all.log(step);
}

double random_normal(uint64_t *state) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    sum += static_cast<double>(*state >> 11) * 0x1p-53;
  }
  return sum;
}

void linear_problem(int number, Problem &p, int64_t features, double noise) {
  uint64_t state = static_cast<uint64_t>(number) * 77 + 5;
  Vector x, y;
  for (int i = 0; i < 12; ++i) {
    double mean = 0;
    for (int64_t j = 0; j < features; ++j) {
      x.push_back(random_normal(&state));
      mean += x.back() * (j % 2 ? 0.5 : -1);
    }
    y.push_back(mean + std::sqrt(noise) * random_normal(&state));
  }
  p.targets(features, x, y);
}

const Functions nothing = [](const double *) { return Vector{}; };

void test_linear_networks_have_the_closed_form() {
  double squares = 0;
  for (int number = 0; number < 20; ++number) {
    const int64_t features = 1 + number % 3;
    const double noise = std::pow(10.0, -number % 4);
    Problem p(features, 0, 1, NNP_GAUSSIAN);
    p.noise(noise);
    linear_problem(number, p, features, noise);
    Run run;
    run.replicas = 9;
    run.sweeps = 4000;
    const Found found = exchange(p.net, p.data, run, 100 + static_cast<uint64_t>(number), nothing);
    const double exact = log_linear_evidence(p.x, p.y, features, noise);
    const double z = (found.log_evidence - exact) / found.error;
    squares += z * z;
    char text[160];
    std::snprintf(text, sizeof text, "problem %d: %.5f +- %.5f, exact %.5f", number,
                  found.log_evidence, found.error, exact);
    if (getenv("NNPOST_TEST_TALK")) std::printf("%s\n", text);
    VERDICT_MESSAGE(std::fabs(z) < 3, text);
  }
  VERDICT(squares > 5 && squares < 45);  // chi squared of 20 degrees: errors are honest
}

void test_learned_noise_has_its_normalization() {
  double squares = 0;
  for (int number = 0; number < 20; ++number) {
    const int64_t features = 1 + number % 3;
    Problem p(features, 0, 1, NNP_GAUSSIAN);
    linear_problem(number, p, features, 0.3);
    OK(nnp_net_learn(p.net, 1, NNP_NOISE, 2, 4, &err));
    Run run;
    run.replicas = 9;
    run.sweeps = 4000;
    const Found found = exchange(p.net, p.data, run, 200 + static_cast<uint64_t>(number), nothing);
    const double exact = log_learned_evidence(p.x, p.y, features, 2, 4);
    const double z = (found.log_evidence - exact) / found.error;
    squares += z * z;
    char text[160];
    std::snprintf(text, sizeof text, "learned %d: %.5f +- %.5f, exact %.5f", number,
                  found.log_evidence, found.error, exact);
    if (getenv("NNPOST_TEST_TALK")) std::printf("%s\n", text);
    VERDICT_MESSAGE(std::fabs(z) < 3, text);
  }
  VERDICT(squares > 5 && squares < 45);
}

// ---- quadrature --------------------------------------------------------------------------------

Vector pair_moments(const double *w) {
  return second_moments(w, 2);
}

void test_the_smallest_relu_network() {
  Problem p(1, 1, 1, NNP_GAUSSIAN);
  p.noise(0.05);
  p.targets(1, few_inputs, few_targets);
  const Integral exact = integrate_pair(p, 0.05, gaussian_row);
  Run run;
  compare("relu", exchange(p.net, p.data, run, 1, pair_moments), exact.log(pair_cell),
          exact.means());
  run.plain = true;  // sums over the inputs are then carried from step to step, through swaps
  compare("relu, plain steps", exchange(p.net, p.data, run, 12, pair_moments), exact.log(pair_cell),
          exact.means());
  run.plain = false;
  run.sampler = NNP_HMC;
  run.sweeps = 10000;
  compare("relu by hmc", exchange(p.net, p.data, run, 2, pair_moments), exact.log(pair_cell),
          exact.means());
}

// A row of 1-1-2 with noise D in all layers: y ~ N(relu(z) v, D (I + v v')), v the weights of z.
double two_output_row(double x, const double *y, const double *w, double noise) {
  const double *v = w + 1, norm = 1 + v[0] * v[0] + v[1] * v[1];
  const double log_volume = std::log(2 * stats::pi * noise) + 0.5 * std::log(norm);
  return over_site(w[0] * x, noise, [&](double z) {
    const double r[] = {y[0] - v[0] * relu(z), y[1] - v[1] * relu(z)};
    const double along = r[0] * v[0] + r[1] * v[1];
    const double square = (r[0] * r[0] + r[1] * r[1] - along * along / norm) / noise;
    return std::exp(-0.5 * square - log_volume);
  });
}

// Swaps integrate the site below several outputs out: noise that they share.
void test_two_outputs_of_a_relu_network() {
  // Where w[0] is large the others are small: their grid is the finer one.
  constexpr int coarse = 36, fine = 72;
  constexpr double noise = 0.3, near = 6.5 / reach;
  constexpr double cell = 2 * reach / coarse, fine_cell = 2 * reach * near / fine;
  Problem p(1, 1, 2, NNP_GAUSSIAN);
  p.noise(noise);
  p.targets(1, few_inputs, {0.1, -0.2, 0.7, -0.5, 0.8, 0.1, 2.1, -1.3});
  Integral exact;
  for (int i = 0; i < coarse * fine * fine; ++i) {
    const double w[] = {grid_weight(i / fine / fine, coarse), near * grid_weight(i % fine, fine),
                        near * grid_weight(i / fine % fine, fine)};
    double value = 0;
    for (double weight : w) value += log_normal(weight, 1 / Problem::lambda);
    for (size_t r = 0; r < p.x.size(); ++r)
      value += std::log(two_output_row(p.x[r], p.y.data() + 2 * r, w, noise));
    exact.add(value, second_moments(w, 3));
  }
  Run run;
  const auto moments = [](const double *w) { return second_moments(w, 3); };
  const double log_evidence = exact.log(cell * fine_cell * fine_cell);
  compare("two outputs", exchange(p.net, p.data, run, 21, moments), log_evidence, exact.means());
  // The site that swaps leave out must have been drawn before anything is drawn from it.
  run.plain = run.leaning = true;
  run.sweeps = 60000;
  compare("two outputs, backward", exchange(p.net, p.data, run, 22, moments), log_evidence,
          exact.means());
}

void test_a_noise_that_all_layers_share() {
  Problem p(1, 1, 1, NNP_GAUSSIAN);
  const double multiples[] = {1, 1, 1};
  OK(nnp_net_learn_tied(p.net, multiples, 3, 4, &err));
  p.targets(1, few_inputs, few_targets);
  Integral exact;
  const double step = 0.3, wide = 2 * reach / 60;
  for (double t = -5; t < 4; t += step)
    for (int i = 0; i < 60; ++i)
      for (int j = 0; j < grid; ++j) {
        const double w[] = {grid_weight(i, 60), grid_weight(j)}, noise = std::exp(t);
        double value = log_normal(w[0], 1 / Problem::lambda) +
                       log_normal(w[1], 1 / Problem::lambda) + log_prior_of_noise(noise, 3, 4);
        for (size_t r = 0; r < p.x.size(); ++r)
          value += std::log(gaussian_row(p.x[r], p.y[r], w[0], w[1], noise) + 1e-300);
        Vector f = second_moments(w, 2);
        f.push_back(t);
        exact.add(value, f);
      }
  const Functions f = [](const double *w) {
    Vector m = second_moments(w, 2);
    m.push_back(std::log(w[2]));
    return m;
  };
  compare("tied", exchange(p.net, p.data, Run{}, 3, f), exact.log(step * wide * 2 * reach / grid),
          exact.means());
}

void test_the_path_of_a_sign_head() {
  Problem p(1, 1, 1, NNP_SIGN_HEAD);
  p.noise(0.1);
  p.labels(few_inputs, {-1, 1, 1, 1});
  const Integral exact = integrate_pair(p, 0.1, sign_row);
  Run run;
  compare("sign", exchange(p.net, p.data, run, 4, pair_moments), exact.log(pair_cell),
          exact.means());
  run.sampler = NNP_HMC;
  run.sweeps = 10000;
  run.steps = 2;
  compare("sign by hmc", exchange(p.net, p.data, run, 5, pair_moments), exact.log(pair_cell),
          exact.means());
}

// Three classes, one layer: the scores are drawn afresh after swaps.
void test_the_path_of_an_argmax_head() {
  Problem p(1, 0, 3, NNP_ARGMAX);
  p.noise(0.4);
  p.labels(few_inputs, {2, 0, 1, 1});
  Integral exact;
  constexpr int points = 40;
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j)
      for (int k = 0; k < points; ++k) {
        const double w[] = {grid_weight(i, points), grid_weight(j, points), grid_weight(k, points)};
        double value = 0;
        for (double one : w) value += log_normal(one, 1 / Problem::lambda);
        for (size_t r = 0; r < p.x.size(); ++r) {
          const double f[] = {w[0] * p.x[r], w[1] * p.x[r], w[2] * p.x[r]};
          value +=
              nnp::log_argmax_probability(f, 1, 3, std::sqrt(0.4), static_cast<int64_t>(p.y[r]));
        }
        exact.add(value, second_moments(w, 3));
      }
  const Functions f = [](const double *w) { return second_moments(w, 3); };
  Run run;
  run.replicas = 6;
  run.sweeps = 10000;
  compare("argmax", exchange(p.net, p.data, run, 6, f), exact.log(std::pow(2 * reach / points, 3)),
          exact.means());
}

double log_student(double e, double noise, double nu) {
  return std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) -
         0.5 * std::log(stats::pi * nu * noise) - 0.5 * (nu + 1) * std::log1p(e * e / (nu * noise));
}

// One weight, and the noise if it is learned.
void test_a_student_t_head() {
  for (const bool learned : {false, true}) {
    Problem p(1, 0, 1, NNP_STUDENT_T);
    p.noise(0.05);
    if (learned) OK(nnp_net_learn(p.net, 1, NNP_NOISE, 2, 4, &err));
    p.targets(1, {-1.2, 0.4, 0.9, 1.7, 2.0}, {-1.1, 0.7, 0.8, 1.9, -3});
    Integral exact;
    const double wide = 0.02, step = 0.05;
    for (double t = learned ? -9 : std::log(0.05); t < 7; t += step) {
      const double noise = std::exp(t);
      for (double w = -10; w < 10; w += wide) {
        double value = log_normal(w, 1 / Problem::lambda);
        if (learned) value += log_prior_of_noise(noise, 2, 4);
        for (size_t r = 0; r < p.x.size(); ++r) value += log_student(p.y[r] - w * p.x[r], noise, 4);
        exact.add(value, learned ? Vector{w, w * w, t} : Vector{w, w * w});
      }
      if (!learned) break;
    }
    const Functions f = [learned](const double *w) {
      return learned ? Vector{w[0], w[0] * w[0], std::log(w[1])} : Vector{w[0], w[0] * w[0]};
    };
    compare(learned ? "student t, learned" : "student t", exchange(p.net, p.data, Run{}, 7, f),
            exact.log(learned ? wide * step : wide), exact.means());
    Run classical = {NNP_NUTS, NNP_CLASSICAL, 8, 5000, 1, false};
    compare(learned ? "student t, learned, by nuts" : "student t by nuts",
            exchange(p.net, p.data, classical, 8, f), exact.log(learned ? wide * step : wide),
            exact.means());
  }
}

// Hidden layers without noise, gradients: y = w2 relu(w1 x).
void test_the_classical_posterior() {
  Problem p(1, 1, 1, NNP_GAUSSIAN);
  p.noise(0.05);
  p.targets(1, few_inputs, few_targets);
  const Integral exact =
      integrate_pair(p, 0.05, [](double x, double y, double w1, double w2, double noise) {
        return std::exp(log_normal(y - w2 * relu(w1 * x), noise));
      });
  for (const int32_t sampler : {NNP_HMC, NNP_MALA}) {
    Run run = {sampler, NNP_CLASSICAL, 8, 12000, 2, false};
    compare("classical", exchange(p.net, p.data, run, 9, pair_moments), exact.log(pair_cell),
            exact.means());
  }
}

void test_classical_classes() {
  Problem p(1, 0, 1, NNP_SIGN_HEAD);
  p.labels(few_inputs, {-1, 1, -1, 1});
  Integral exact;
  for (double w = -12; w < 12; w += 0.01) {
    double value = log_normal(w, 1 / Problem::lambda);
    for (size_t r = 0; r < p.x.size(); ++r) value -= std::log1p(std::exp(-p.y[r] * w * p.x[r]));
    exact.add(value, {w, w * w});
  }
  const Functions f = [](const double *w) { return Vector{w[0], w[0] * w[0]}; };
  Run run = {NNP_HMC, NNP_CLASSICAL, 4, 8000, 1, false};
  compare("classes", exchange(p.net, p.data, run, 10, f), exact.log(0.01), exact.means());
}

void test_a_location_scale_head() {
  Problem p(1, 0, 2, NNP_LOCATION_SCALE);
  p.targets(1, few_inputs, few_targets);
  Integral exact;
  for (int i = 0; i < 400; ++i)
    for (int j = 0; j < 400; ++j) {
      const double w[] = {grid_weight(i, 400), grid_weight(j, 400)};
      double value = log_normal(w[0], 1 / Problem::lambda) + log_normal(w[1], 1 / Problem::lambda);
      for (size_t r = 0; r < p.x.size(); ++r) {
        const double sd = std::exp(15 * std::tanh(w[1] * p.x[r] / 15));
        value += log_normal(p.y[r] - w[0] * p.x[r], sd * sd);
      }
      exact.add(value, second_moments(w, 2));
    }
  Run run = {NNP_NUTS, NNP_CLASSICAL, 8, 6000, 1, false};
  compare("location and scale", exchange(p.net, p.data, run, 11, pair_moments),
          exact.log(std::pow(2 * reach / 400, 2)), exact.means());
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_linear_networks_have_the_closed_form);
  RUN_TEST(test_learned_noise_has_its_normalization);
  RUN_TEST(test_the_smallest_relu_network);
  RUN_TEST(test_two_outputs_of_a_relu_network);
  RUN_TEST(test_a_noise_that_all_layers_share);
  RUN_TEST(test_the_path_of_a_sign_head);
  RUN_TEST(test_the_path_of_an_argmax_head);
  RUN_TEST(test_a_student_t_head);
  RUN_TEST(test_the_classical_posterior);
  RUN_TEST(test_classical_classes);
  RUN_TEST(test_a_location_scale_head);
  return UNITY_END();
}
