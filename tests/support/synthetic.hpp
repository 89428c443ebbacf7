// The paper's synthetic problem: a teacher 50 -> 10 relu -> 1 with biases labels 2084 Gaussian
// inputs without noise, and the test error of a chain that starts at the teacher. Nothing of the
// library labels the data.
#pragma once

#include <cmath>
#include <vector>

#include "capi/nnpost.h"
#include "lib/random/variates.hpp"
#include "tests/support/level.h"
#include "tests/support/watched.h"
#include "unity.h"

namespace synthetic {

inline constexpr int64_t inputs = 50, hidden = 10;
inline const int64_t rows = shortened(2084, 300), test_rows = shortened(1000, 100);

inline void ok(int32_t status, const nnp_error &err) {
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, status, err.message);
}

inline std::vector<double> normals(nnp::Stream &stream, int64_t count, double sd) {
  std::vector<double> values(static_cast<size_t>(count));
  nnp::fill_normal(stream, values.data(), count);
  for (double &value : values) value *= sd;
  return values;
}

// Teacher's weights from the prior with lambda = fan-in, in the library's order.
inline std::vector<double> teacher_weights(nnp::Stream &stream) {
  std::vector<double> all = normals(stream, hidden * (inputs + 1), 1 / std::sqrt(inputs));
  const std::vector<double> last = normals(stream, hidden + 1, 1 / std::sqrt(hidden));
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

// f(x) = b2 + W2 relu(W1 x + b1), written out here so that nothing of the library labels the data.
inline std::vector<double> label(const std::vector<double> &w, const std::vector<double> &x) {
  const double *b1 = w.data() + hidden * inputs, *w2 = b1 + hidden, *b2 = w2 + hidden;
  std::vector<double> y;
  for (const double *row = x.data(); row < x.data() + x.size(); row += inputs) {
    double out = *b2;
    for (int64_t h = 0; h < hidden; ++h) {
      double z = b1[h];
      for (int64_t i = 0; i < inputs; ++i) z += w[static_cast<size_t>(h * inputs + i)] * row[i];
      out += w2[h] * (z > 0 ? z : 0);
    }
    y.push_back(out);
  }
  return y;
}

inline nnp_net *make_net(double noise) {
  nnp_net *net = nullptr;
  nnp_error err;
  ok(nnp_net_create(&net, inputs, &err), err);
  ok(nnp_net_dense(net, hidden, &err), err);
  ok(nnp_net_activation(net, NNP_RELU, &err), err);
  ok(nnp_net_dense(net, 1, &err), err);
  ok(nnp_net_head(net, NNP_GAUSSIAN, &err), err);
  ok(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, noise, &err), err);
  return net;
}

inline nnp_data *make_data(nnp::Stream &stream, const std::vector<double> &w, int64_t n) {
  nnp_data *data = nullptr;
  nnp_error err;
  const std::vector<double> x = normals(stream, n * inputs, 1), y = label(w, x);
  ok(nnp_data_create(&data, n, inputs, 1, &err), err);
  ok(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err), err);
  ok(nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, &err), err);
  return data;
}

struct Average {
  nnp_data *test;
  double sum;
  int64_t count;
};

// The error of the state itself, not of an averaged prediction.
inline int32_t measure(const nnp_progress *progress, void *user) {
  Average &average = *static_cast<Average *>(user);
  if (progress->step % 10 != 0) return 0;
  double mse = 0;
  nnp_error err;
  ok(nnp_chain_score(progress->chain, average.test, NNP_SCORE_MSE, &mse, &err), err);
  average.sum += mse;
  ++average.count;
  return 0;
}

struct Method {
  int32_t sampler, posterior;
  int64_t settle, steps;  // the first ones adapt, if there is something to adapt
};

inline void tune(nnp_chain *chain, const Method &method, double noise) {
  nnp_error err;
  const double step = 0.1 * std::sqrt(noise / static_cast<double>(rows));
  if (method.sampler == NNP_GIBBS) {
    ok(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err), err);
    return;
  }
  const bool mala_steps = method.sampler == NNP_MALA;
  ok(nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, mala_steps ? step * step : step, &err), err);
  ok(nnp_chain_set(chain, NNP_OPTION_WARMUP, static_cast<double>(shortened(method.settle, 5)),
                   &err),
     err);
  if (!mala_steps) ok(nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, 50, &err), err);
}

struct Problem {
  std::vector<double> w;
  nnp_net *net;
  nnp_data *train, *test;
};

inline Problem make_problem(double noise, uint64_t set) {
  nnp::Stream stream(2024, set, 0);
  Problem problem = {teacher_weights(stream), make_net(noise), nullptr, nullptr};
  problem.train = make_data(stream, problem.w, rows);
  problem.test = make_data(stream, problem.w, test_rows);
  return problem;
}

inline void free_problem(const Problem &problem) {
  nnp_data_free(problem.test);
  nnp_data_free(problem.train);
  nnp_net_free(problem.net);
}

inline double equilibrium_mse(const Problem &problem, const Method &method, double noise,
                              uint64_t set) {
  nnp_error err;
  nnp_chain *chain = nullptr;
  ok(nnp_chain_create(&chain, problem.net, problem.train, method.sampler, method.posterior, &err),
     err);
  set_test_level(chain);
  tune(chain, method, noise);
  ok(nnp_chain_start_weights(chain, problem.w.data(), 0, 1, set, &err), err);
  double start = 1;
  ok(nnp_chain_score(chain, problem.test, NNP_SCORE_MSE, &start, &err), err);
  TEST_ASSERT_TRUE(start < 1e-20);  // it does start at the teacher
  ok(nnp_chain_run(chain, shortened(method.settle, 5), nullptr, nullptr, &err), err);
  Average average = {problem.test, 0, 0};
  ok(nnp_chain_run(chain, shortened(method.steps, 20), measure, &average, &err), err);
  nnp_chain_free(chain);
  return average.sum / static_cast<double>(average.count);
}

}  // namespace synthetic
