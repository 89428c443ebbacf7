// The paper's synthetic problem: a teacher 50 -> 10 relu -> 1 with biases labels 2084 Gaussian
// inputs without noise. A chain that starts at the teacher relaxes to the test error that the
// paper's authors found; their table gives mean and standard deviation over data sets.
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/nnpost.h"
#include "lib/random/variates.hpp"
#include "tests/support/watched.h"
#include "unity.h"

namespace {

constexpr int64_t inputs = 50, hidden = 10;
const int64_t rows = shortened(2084, 300), test_rows = shortened(1000, 100);

void ok(int32_t status, const nnp_error &err) {
  TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, status, err.message);
}

std::vector<double> normals(nnp::Stream &stream, int64_t count, double sd) {
  std::vector<double> values(static_cast<size_t>(count));
  nnp::fill_normal(stream, values.data(), count);
  for (double &value : values) value *= sd;
  return values;
}

// Teacher's weights from the prior with lambda = fan-in, in the library's order.
std::vector<double> teacher_weights(nnp::Stream &stream) {
  std::vector<double> all = normals(stream, hidden * (inputs + 1), 1 / std::sqrt(inputs));
  const std::vector<double> last = normals(stream, hidden + 1, 1 / std::sqrt(hidden));
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

// f(x) = b2 + W2 relu(W1 x + b1), written out here so that nothing of the library labels the data.
std::vector<double> label(const std::vector<double> &w, const std::vector<double> &x) {
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

nnp_net *make_net(double noise) {
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

nnp_data *make_data(nnp::Stream &stream, const std::vector<double> &w, int64_t n) {
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
int32_t measure(const nnp_progress *progress, void *user) {
  Average &average = *static_cast<Average *>(user);
  if (progress->step % 10 != 0) return 0;
  double mse = 0;
  nnp_error err;
  ok(nnp_chain_score(progress->chain, average.test, NNP_SCORE_MSE, &mse, &err), err);
  average.sum += mse;
  ++average.count;
  return 0;
}

double equilibrium_mse(double noise, uint64_t set, int64_t settle, int64_t steps) {
  nnp::Stream stream(2024, set, 0);
  nnp_error err;
  const std::vector<double> w = teacher_weights(stream);
  nnp_net *net = make_net(noise);
  nnp_data *train = make_data(stream, w, rows), *test = make_data(stream, w, test_rows);
  nnp_chain *chain = nullptr;
  ok(nnp_chain_create(&chain, net, train, NNP_GIBBS, NNP_INTERMEDIATE, &err), err);
  ok(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err), err);
  ok(nnp_chain_start_weights(chain, w.data(), 0, 1, set, &err), err);
  double start = 1;
  ok(nnp_chain_score(chain, test, NNP_SCORE_MSE, &start, &err), err);
  TEST_ASSERT_TRUE(start < 1e-20);  // it does start at the teacher
  ok(nnp_chain_run(chain, shortened(settle, 5), nullptr, nullptr, &err), err);
  Average average = {test, 0, 0};
  ok(nnp_chain_run(chain, shortened(steps, 20), measure, &average, &err), err);
  nnp_chain_free(chain);
  nnp_data_free(test);
  nnp_data_free(train);
  nnp_net_free(net);
  return average.sum / static_cast<double>(average.count);
}

// The mean over `sets` data sets is the authors' over their 72, within 3 standard errors. Data sets
// differ: the norm of the teacher's output weights shows in the level of error.
void check(double noise, double mean, double sd, int64_t full, int64_t settle, int64_t steps) {
  const uint64_t sets = static_cast<uint64_t>(shortened(full, 2));
  const double count = static_cast<double>(sets), authors_count = 72;
  double sum = 0, squares = 0;
  char text[400];
  int length = std::snprintf(text, sizeof text, "D = %g:", noise);
  for (uint64_t set = 0; set < sets; ++set) {
    const double mse = equilibrium_mse(noise, set, settle, steps);
    sum += mse;
    squares += mse * mse;
    if (length < 350)
      length +=
          std::snprintf(text + length, sizeof text - static_cast<size_t>(length), " %.3g", mse);
  }
  const double own = (squares - sum * sum / count) / (count - 1);
  const double error = std::sqrt(own / count + sd * sd / authors_count);
  VERDICT_MESSAGE(error < 0.1 * mean, text);
  VERDICT_MESSAGE(std::fabs(sum / count - mean) < 3 * error, text);
}

void test_little_noise() {
  check(4.64e-4, 2.36e-4, 0.34e-4, 14, 1200, 400);
}

void test_more_noise() {
  check(1e-2, 5.12e-3, 0.97e-3, 14, 300, 150);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_little_noise);
  RUN_TEST(test_more_noise);
  return UNITY_END();
}
