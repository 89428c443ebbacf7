// Networks whose posterior is known without sampling: linear ones of one to three layers, by
// algebra and at most a two-dimensional quadrature; and the smallest relu networks, by quadrature
// alone.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/geweke.hpp"
#include "tests/support/level.h"
#include "tests/support/stats.hpp"
#include "unity.h"

namespace {

using Values = std::vector<double>;

constexpr int32_t schedules[] = {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD};

void ok(int32_t status, const nnp_error &err) {
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, status, err.message);
}

#define OK(call)          \
  do {                    \
    nnp_error err_;       \
    nnp_error *e = &err_; \
    ok((call), err_);     \
  } while (0)

// |z| < 4 for every function: chain averages with errors from batch means against exact values.
void compare(const std::string &name, const geweke::Averages &chain, const Values &exact) {
  TEST_ASSERT_EQUAL_UINT64(exact.size(), chain.size());
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = std::sqrt(chain.variance_of_mean(i));
    char message[200];
    std::snprintf(message, sizeof message, "%s: function %zu: chain %.6g, exact %.6g, z = %.2f",
                  name.c_str(), i, chain.mean(i), exact[i], (chain.mean(i) - exact[i]) / error);
    TEST_ASSERT_TRUE_MESSAGE(std::fabs(chain.mean(i) - exact[i]) < 4 * error, message);
  }
}

// Small dense algebra, written out: nothing here is shared with the library.
struct Matrix {
  size_t n;
  Values a;
  explicit Matrix(size_t order) : n(order), a(order * order, 0.0) {}
  double &operator()(size_t i, size_t j) { return a[i * n + j]; }
  double operator()(size_t i, size_t j) const { return a[i * n + j]; }
};

// Inverse and log determinant of a positive definite matrix by Gauss and Jordan.
Matrix inverse(Matrix m, double *log_det) {
  Matrix out(m.n);
  for (size_t i = 0; i < m.n; ++i) out(i, i) = 1;
  *log_det = 0;
  for (size_t k = 0; k < m.n; ++k) {
    const double pivot = m(k, k);
    *log_det += std::log(pivot);
    for (size_t j = 0; j < m.n; ++j) m(k, j) /= pivot, out(k, j) /= pivot;
    for (size_t i = 0; i < m.n; ++i) {
      if (i == k) continue;
      const double factor = m(i, k);
      for (size_t j = 0; j < m.n; ++j) m(i, j) -= factor * m(k, j), out(i, j) -= factor * out(k, j);
    }
  }
  return out;
}

// y = features . theta + N(0, variance), theta ~ N(0, diag prior_variance): evidence and posterior.
struct Regression {
  double log_evidence;
  Values mean;
  Matrix covariance{0};
};

Regression regress(const std::vector<Values> &features, const Values &y, double variance,
                   const Values &prior_variance) {
  const size_t p = prior_variance.size(), n = y.size();
  Matrix precision(p);
  Values cross(p, 0.0);
  double log_prior = 0, square = 0, log_det = 0;
  for (size_t j = 0; j < p; ++j) {
    precision(j, j) = 1 / prior_variance[j];
    log_prior += std::log(prior_variance[j]);
  }
  for (size_t i = 0; i < n; ++i) {
    square += y[i] * y[i] / variance;
    for (size_t j = 0; j < p; ++j) {
      cross[j] += features[i][j] * y[i] / variance;
      for (size_t k = 0; k < p; ++k) precision(j, k) += features[i][j] * features[i][k] / variance;
    }
  }
  Regression r;
  r.covariance = inverse(precision, &log_det);
  r.mean.assign(p, 0.0);
  double explained = 0;
  for (size_t j = 0; j < p; ++j) {
    for (size_t k = 0; k < p; ++k) r.mean[j] += r.covariance(j, k) * cross[k];
    explained += r.mean[j] * cross[j];
  }
  r.log_evidence = -0.5 * static_cast<double>(n) * std::log(2 * stats::pi * variance) -
                   0.5 * (log_prior + log_det) - 0.5 * (square - explained);
  return r;
}

struct Rows {
  int64_t n, inputs, outputs;
  Values x, y;
};

Rows make_rows(int64_t n, int64_t inputs, int64_t outputs) {
  Rows rows = {n, inputs, outputs, {}, {}};
  nnp::Stream stream(77, 0, 0);
  for (int64_t i = 0; i < n * inputs; ++i) rows.x.push_back(nnp::normal(stream));
  for (int64_t i = 0; i < n * outputs; ++i) rows.y.push_back(0.5 + nnp::normal(stream));
  return rows;
}

struct Chain {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;

  Chain(nnp_net *made, const Rows &rows, int32_t schedule) : net(made) {
    OK(nnp_data_create(&data, rows.n, rows.inputs, rows.outputs, e));
    OK(nnp_data_set_inputs(data, rows.x.data(), NNP_ROW_MAJOR, e));
    OK(nnp_data_set_targets(data, rows.y.data(), NNP_ROW_MAJOR, e));
    const Values &y = rows.y;
    std::vector<int32_t> labels;
    for (int64_t i = 0; i < rows.n; ++i) labels.push_back(y[static_cast<size_t>(i)] < 0 ? -1 : 1);
    OK(nnp_data_set_labels(data, labels.data(), e));
    OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
    set_test_level(chain);
    OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, e));
    OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, schedule, e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 21, 0, e));
    OK(nnp_chain_run(chain, shortened(200, 5), nullptr, nullptr, e));
  }
  ~Chain() {
    nnp_chain_free(chain);
    nnp_data_free(data);
    nnp_net_free(net);
  }
  Chain(const Chain &) = delete;
  Chain &operator=(const Chain &) = delete;

  const nnp::State &state() const { return nnp::unwrap(chain)->chain->state; }
  // functions(state) over `full` steps.
  template <class Functions>
  geweke::Averages average(int64_t full, Functions functions) {
    const int64_t steps = shortened(full, 20);
    geweke::Averages averages(steps, shortened(100, 10));
    for (int64_t s = 0; s < steps; ++s) {
      OK(nnp_chain_run(chain, 1, nullptr, nullptr, e));
      averages.add(functions(state()));
    }
    return averages;
  }
};

// ---- one layer: the weights' posterior is Gaussian ---------------------------------------------

void check_one_layer(bool bias, int32_t schedule) {
  const Rows rows = make_rows(100, 3, 2);
  const double noise = 0.7, lambda_w = 2, lambda_b = 9;
  nnp_net *net = nullptr;
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, 2, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_net_set(net, 1, NNP_NOISE, noise, e));
  OK(nnp_net_set(net, 1, NNP_LAMBDA_W, lambda_w, e));
  OK(nnp_net_set(net, 1, NNP_LAMBDA_B, lambda_b, e));
  OK(nnp_net_set(net, 1, NNP_BIAS, bias ? 1 : 0, e));
  Chain chain(net, rows, schedule);

  // Both outputs: their weights, then their bias; means, then all second moments about them.
  Values exact, prior(3, 1 / lambda_w), means;
  std::vector<Values> features;
  if (bias) prior.push_back(1 / lambda_b);
  for (size_t i = 0; i < 100; ++i) {
    features.push_back({rows.x[3 * i], rows.x[3 * i + 1], rows.x[3 * i + 2]});
    if (bias) features.back().push_back(1);
  }
  Matrix covariance(2 * prior.size());
  for (size_t u = 0; u < 2; ++u) {
    Values y;
    for (size_t i = 0; i < 100; ++i) y.push_back(rows.y[2 * i + u]);
    const Regression r = regress(features, y, noise, prior);
    means.insert(means.end(), r.mean.begin(), r.mean.end());
    const size_t first = u * prior.size();
    for (size_t j = 0; j < prior.size(); ++j)
      for (size_t k = 0; k < prior.size(); ++k)
        covariance(first + j, first + k) = r.covariance(j, k);
  }
  exact = means;
  for (size_t j = 0; j < means.size(); ++j)
    for (size_t k = 0; k <= j; ++k) exact.push_back(covariance(j, k));

  const auto functions = [&](const nnp::State &state) {
    Values theta;
    for (size_t u = 0; u < 2; ++u) {
      for (size_t j = 0; j < 3; ++j) theta.push_back(state.params[3 * u + j]);
      if (bias) theta.push_back(state.params[6 + u]);
    }
    Values f = theta;
    for (size_t j = 0; j < theta.size(); ++j)
      for (size_t k = 0; k <= j; ++k) f.push_back((theta[j] - means[j]) * (theta[k] - means[k]));
    return f;
  };
  const geweke::Averages averages = chain.average(40000, functions);
  if (!only_watched()) compare("one layer", averages, exact);
}

void test_one_layer() {
  for (int32_t schedule : schedules)
    for (bool bias : {false, true}) check_one_layer(bias, schedule);
}

// ---- two and three layers, one output ----------------------------------------------------------

// The last layer's weights have length r; given that, the slope s = W1' w2 (as seen from the input)
// is N(0, r^2/lambda_1) and the intercept t likewise: the priors are isotropic, so only lengths
// matter. Given the lengths y is a linear regression on (s, t) whose noise collects all layers'.
// One layer more adds one more length: u = W2' w3, s = W1' u.
struct Deep {
  int layers;  // dense layers: 2 or 3, identity activations in between
  bool bias;
  int64_t width[2] = {3, 2};  // of the hidden layers
  double noise[5] = {0.3, 0.2, 0.4, 0.25, 0.35};
  double lambda_w = 1.5, lambda_b = 3;
};

nnp_net *deep_net(const Deep &d) {
  nnp_net *net = nullptr;
  OK(nnp_net_create(&net, 2, e));
  for (int k = 0; k + 1 < d.layers; ++k) {
    OK(nnp_net_dense(net, d.width[k], e));
    OK(nnp_net_activation(net, NNP_IDENTITY, e));
  }
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  for (int64_t k = 1; k <= 2 * d.layers - 1; ++k)
    OK(nnp_net_set(net, k, NNP_NOISE, d.noise[k - 1], e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, d.lambda_w, e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, d.lambda_b, e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, d.bias ? 1 : 0, e));
  return net;
}

// What the network amounts to: slope, intercept, and the squared lengths seen from the output.
struct Seen {
  double slope[2], intercept, last_square, inner_square;
};

Seen look(const Deep &d, const nnp::State &state) {
  Values u = {1};  // row vector that the output is, in terms of the layer at hand
  Seen seen = {{0, 0}, 0, 0, 0};
  for (int k = d.layers; k >= 1; --k) {
    const nnp::Layer &layer = state.net.layer(2 * k - 1);
    const size_t in = static_cast<size_t>(layer.in.size()), out = u.size();
    if (layer.bias_count)
      for (size_t o = 0; o < out; ++o) seen.intercept += u[o] * layer.biases(state.params)[o];
    Values next(in, 0.0);
    for (size_t o = 0; o < out; ++o)
      for (size_t i = 0; i < in; ++i) next[i] += u[o] * layer.weights(state.params)[o * in + i];
    u = next;
    double square = 0;
    for (double v : u) square += v * v;
    if (k == d.layers) seen.last_square = square;
    if (k == 2) seen.inner_square = square;
  }
  seen.slope[0] = u[0], seen.slope[1] = u[1];
  return seen;
}

constexpr size_t deep_functions = 10;

void test_functions(const Seen &s, double *f) {
  f[0] = s.slope[0], f[1] = s.slope[1], f[2] = s.intercept;
  f[3] = s.slope[0] * s.slope[0], f[4] = s.slope[0] * s.slope[1], f[5] = s.slope[1] * s.slope[1];
  f[6] = s.intercept * s.slope[0], f[7] = s.intercept * s.intercept;
  f[8] = s.last_square / (1 + s.last_square), f[9] = s.inner_square / (1 + s.inner_square);
}

// The same given the lengths: r of the last weights, q of the inner ones (= r for two layers).
double log_weight_given_lengths(const Deep &d, const Rows &rows, double r, double q, double *f) {
  const double *D = d.noise;
  double variance, before;  // of y, and of the intercept's prior
  if (d.layers == 2) {
    variance = r * r * (D[0] + D[1]) + D[2];
    before = (r * r + 1) / d.lambda_b;
  } else {
    variance = q * q * (D[0] + D[1]) + r * r * (D[2] + D[3]) + D[4];
    before = (q * q + r * r + 1) / d.lambda_b;
  }
  Values prior = {q * q / d.lambda_w, q * q / d.lambda_w};
  if (d.bias) prior.push_back(before);
  std::vector<Values> features;
  for (size_t i = 0; i < rows.y.size(); ++i) {
    features.push_back({rows.x[2 * i], rows.x[2 * i + 1]});
    if (d.bias) features.back().push_back(1);
  }
  const Regression g = regress(features, rows.y, variance, prior);
  const Seen mean = {{g.mean[0], g.mean[1]}, d.bias ? g.mean[2] : 0, r * r, q * q};
  test_functions(mean, f);
  f[3] += g.covariance(0, 0), f[4] += g.covariance(0, 1), f[5] += g.covariance(1, 1);
  if (d.bias) f[6] += g.covariance(0, 2), f[7] += g.covariance(2, 2);
  // Densities of lengths of Gaussian vectors: chi laws.
  const double last = static_cast<double>(d.width[d.layers - 2]);
  double log_prior = (last - 1) * std::log(r) - 0.5 * d.lambda_w * r * r;
  if (d.layers == 3) {
    const double inner = static_cast<double>(d.width[0]), c = q / r;
    log_prior += (inner - 1) * std::log(c) - 0.5 * d.lambda_w * c * c - std::log(r);
  }
  return g.log_evidence + log_prior;
}

Values exact_deep(const Deep &d, const Rows &rows) {
  static const stats::GaussLegendre<80> rule;
  Values sum(deep_functions, 0.0);
  double mass = 0, top = -INFINITY;
  const double reach = 7 / std::sqrt(d.lambda_w);
  for (int pass = 0; pass < 2; ++pass)  // the first finds the scale
    for (int i = 0; i < 80; ++i)
      for (int j = 0; j < (d.layers == 3 ? 80 : 1); ++j) {
        const double r = reach * rule.node[i];
        const double q = d.layers == 3 ? r * reach * rule.node[j] : r;
        double f[deep_functions], weight = rule.weight[i];
        const double log_weight = log_weight_given_lengths(d, rows, r, q, f);
        if (d.layers == 3) weight *= rule.weight[j] * r;  // dq = r reach dnode
        if (pass == 0) {
          top = std::max(top, log_weight);
          continue;
        }
        weight *= std::exp(log_weight - top);
        mass += weight;
        for (size_t k = 0; k < deep_functions; ++k) sum[k] += weight * f[k];
      }
  for (double &value : sum) value /= mass;
  return sum;
}

void check_deep(int layers, bool bias, int32_t schedule, int64_t first_width) {
  Deep d;
  d.layers = layers;
  d.bias = bias;
  d.width[0] = first_width;
  const Rows rows = make_rows(6, 2, 1);
  Chain chain(deep_net(d), rows, schedule);
  const auto functions = [&](const nnp::State &state) {
    Values f(deep_functions);
    test_functions(look(d, state), f.data());
    return f;
  };
  const geweke::Averages averages = chain.average(150000, functions);
  // Without biases the intercept is 0 always: nothing to compare.
  for (size_t i : {2u, 6u, 7u}) TEST_ASSERT_TRUE(bias || averages.mean(i) == 0);
  if (only_watched()) return;
  const Values exact = exact_deep(d, rows);
  char name[80];
  std::snprintf(name, sizeof name, "%d layers, bias %d, schedule %d", layers, bias, schedule);
  for (size_t i = 0; i < exact.size(); ++i) {
    if (!bias && (i == 2 || i == 6 || i == 7)) continue;
    const double error = std::sqrt(averages.variance_of_mean(i));
    char message[200];
    std::snprintf(message, sizeof message, "%s: function %zu: chain %.5g, exact %.5g, z = %.2f",
                  name, i, averages.mean(i), exact[i], (averages.mean(i) - exact[i]) / error);
    TEST_ASSERT_TRUE_MESSAGE(std::fabs(averages.mean(i) - exact[i]) < 4 * error, message);
    // An error bar so wide that it could hide anything proves nothing.
    TEST_ASSERT_TRUE_MESSAGE(error < 0.02, message);
  }
}

void test_two_layers() {
  for (int32_t schedule : schedules)
    for (bool bias : {false, true}) check_deep(2, bias, schedule, 3);
  check_deep(2, true, NNP_SEQUENTIAL, 1);
}

void test_three_layers() {
  for (int32_t schedule : schedules)
    for (bool bias : {false, true}) check_deep(3, bias, schedule, 3);
  check_deep(3, true, NNP_SEQUENTIAL, 1);
}

// ---- two layers, two outputs -------------------------------------------------------------------

// One hidden unit: given w2 = r (cos a, sin a), y along w2 sees the slope w1 through r with noise
// r^2 (D1 + D2) + D3, and across it nothing but D3. Functions: w1 w2, its squares, |w2|^2.
Values exact_two_outputs(const Rows &rows, const double *D, double lambda) {
  static const stats::GaussLegendre<80> rule;
  Values sum(6, 0.0);
  double mass = 0, top = -INFINITY;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 80; ++i)
      for (int j = 0; j < 80; ++j) {
        const double r = 7 / std::sqrt(lambda) * rule.node[i], angle = stats::pi * rule.node[j];
        const double c = std::cos(angle), s = std::sin(angle);  // the other half is its mirror
        Values along;
        std::vector<Values> features;
        double across = 0;
        for (size_t k = 0; k < static_cast<size_t>(rows.n); ++k) {
          along.push_back(c * rows.y[2 * k] + s * rows.y[2 * k + 1]);
          const double rest = -s * rows.y[2 * k] + c * rows.y[2 * k + 1];
          across += rest * rest;
          features.push_back({r * rows.x[k]});
        }
        const Regression g = regress(features, along, r * r * (D[0] + D[1]) + D[2], {1 / lambda});
        const double log_weight =
            g.log_evidence - 0.5 * across / D[2] + std::log(r) - 0.5 * lambda * r * r;
        if (pass == 0) {
          top = std::max(top, log_weight);
          continue;
        }
        const double weight = rule.weight[i] * rule.weight[j] * std::exp(log_weight - top);
        const double w = g.mean[0], square = w * w + g.covariance(0, 0);
        const double f[] = {w * r * c,
                            w * r * s,
                            square * r * r * c * c,
                            square * r * r * c * s,
                            square * r * r * s * s,
                            r * r};
        mass += weight;
        for (size_t k = 0; k < 6; ++k) sum[k] += weight * f[k];
      }
  for (double &value : sum) value /= mass;
  return sum;
}

void test_two_outputs() {
  const double D[] = {0.3, 0.2, 0.4}, lambda = 1.5;
  const Rows rows = make_rows(6, 1, 2);
  for (int32_t schedule : schedules) {
    nnp_net *net = nullptr;
    OK(nnp_net_create(&net, 1, e));
    OK(nnp_net_dense(net, 1, e));
    OK(nnp_net_activation(net, NNP_IDENTITY, e));
    OK(nnp_net_dense(net, 2, e));
    OK(nnp_net_head(net, NNP_GAUSSIAN, e));
    for (int64_t k = 1; k <= 3; ++k) OK(nnp_net_set(net, k, NNP_NOISE, D[k - 1], e));
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, lambda, e));
    OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, 0, e));
    Chain chain(net, rows, schedule);
    const auto functions = [&](const nnp::State &state) {
      const double *w = state.params;
      const double a = w[0] * w[1], b = w[0] * w[2];
      return Values{a, b, a * a, a * b, b * b, w[1] * w[1] + w[2] * w[2]};
    };
    const geweke::Averages averages = chain.average(150000, functions);
    if (!only_watched()) compare("two outputs", averages, exact_two_outputs(rows, D, lambda));
  }
}

// ---- one relu unit, two rows -------------------------------------------------------------------

struct Relu {
  double x[2] = {1.1, -0.6}, y[2] = {0.9, -0.3};
  double noise[3] = {0.4, 0.3, 0.5}, lambda = 1.2;
  bool sign_head = false;
};

// Given w2 and the site z below the relu, the site above it integrates out:
// y ~ N(w2 relu(z), w2^2 D2 + D3); z of the two rows is Gaussian with covariance x x'/lambda + D1.
Values exact_relu(const Relu &m) {
  static const stats::GaussLegendre<12> rule;
  const int panels = 8;  // four on each side of 0, where the relu bends
  const double c00 = m.x[0] * m.x[0] / m.lambda + m.noise[0], c01 = m.x[0] * m.x[1] / m.lambda;
  const double c11 = m.x[1] * m.x[1] / m.lambda + m.noise[0], det = c00 * c11 - c01 * c01;
  const double reach[] = {7 * std::sqrt(c00), 7 * std::sqrt(c11), 7 / std::sqrt(m.lambda)};
  Values node[3], weight[3];
  for (int d = 0; d < 3; ++d)
    for (int p = 0; p < panels; ++p)
      for (int i = 0; i < 12; ++i) {
        node[d].push_back(reach[d] * (2 * (p + rule.node[i]) / panels - 1));
        weight[d].push_back(rule.weight[i]);
      }
  Values sum(8, 0.0);
  double mass = 0;
  for (size_t k = 0; k < node[2].size(); ++k) {
    const double w = node[2][k], variance = w * w * m.noise[1] + m.noise[2];
    // The likelihood of a row, at every node of its z.
    Values likelihood[2];
    for (size_t row = 0; row < 2; ++row)
      for (double z : node[row]) {
        const double mean = w * std::max(z, 0.0), sign = m.y[row] < 0 ? -1 : 1;
        likelihood[row].push_back(
            m.sign_head ? stats::normal_cdf(sign * mean / std::sqrt(variance))
                        : std::exp(-0.5 * (m.y[row] - mean) * (m.y[row] - mean) / variance) /
                              std::sqrt(variance));
      }
    for (size_t i = 0; i < node[0].size(); ++i)
      for (size_t j = 0; j < node[1].size(); ++j) {
        const double a = node[0][i], b = node[1][j];
        const double energy = (c11 * a * a - 2 * c01 * a * b + c00 * b * b) / det;
        const double p = weight[0][i] * weight[1][j] * weight[2][k] *
                         std::exp(-0.5 * (energy + m.lambda * w * w)) * likelihood[0][i] *
                         likelihood[1][j];
        const double f[] = {w, w * w, a, b, a * a, a * b, a > 0 ? 1.0 : 0.0, w * std::max(b, 0.0)};
        mass += p;
        for (size_t q = 0; q < 8; ++q) sum[q] += p * f[q];
      }
  }
  for (double &value : sum) value /= mass;
  return sum;
}

void check_relu(bool sign_head, int32_t schedule) {
  Relu m;
  m.sign_head = sign_head;
  const Rows rows = {2, 1, 1, {m.x[0], m.x[1]}, {m.y[0], m.y[1]}};
  nnp_net *net = nullptr;
  OK(nnp_net_create(&net, 1, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_activation(net, NNP_RELU, e));
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_head(net, sign_head ? NNP_SIGN_HEAD : NNP_GAUSSIAN, e));
  for (int64_t k = 1; k <= 3; ++k) OK(nnp_net_set(net, k, NNP_NOISE, m.noise[k - 1], e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, m.lambda, e));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, 0, e));
  Chain chain(net, rows, schedule);
  const auto functions = [&](const nnp::State &state) {
    const double w = state.params[1], *z = state.site(1);
    return Values{w,
                  w * w,
                  z[0],
                  z[1],
                  z[0] * z[0],
                  z[0] * z[1],
                  z[0] > 0 ? 1.0 : 0.0,
                  w * std::max(z[1], 0.0)};
  };
  const geweke::Averages averages = chain.average(150000, functions);
  if (!only_watched()) compare(sign_head ? "relu, sign head" : "relu", averages, exact_relu(m));
}

void test_one_relu_unit() {
  for (int32_t schedule : schedules) {
    check_relu(false, schedule);
    check_relu(true, schedule);
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_one_layer);
  RUN_TEST(test_two_layers);
  RUN_TEST(test_three_layers);
  RUN_TEST(test_two_outputs);
  RUN_TEST(test_one_relu_unit);
  return UNITY_END();
}
