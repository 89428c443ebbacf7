// Simulation-based calibration of the target of a replica exchange: teachers from the prior, labels
// with the model's noise, and the rank of the teacher among the target's draws. Uniform if swaps,
// levels and the reference are right. And where plain chains mix, both find the same predictions.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/common.hpp"
#include "tests/support/geweke.hpp"
#include "tests/support/nets.hpp"
#include "tests/support/watched.h"
extern "C" {
#include "capi/nnpost_study.h"
#include "unity.h"
}

namespace {

using Vector = std::vector<double>;
nnp_error err;
#undef OK
#define OK(call) TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, (call), err.message)

constexpr int64_t replicas = 4, draws = 19, bins = 10, rows = 6;
const int64_t replications = shortened(250, 5);

struct Case {
  nets::Architecture net;
  int32_t sampler = NNP_GIBBS, posterior = NNP_INTERMEDIATE;
  bool learns = false;
  int64_t thin = 6;
};

// Sums of squares and a weight of every layer, and all scales.
Vector functions_of(const nnp::Net &net, const double *params) {
  Vector f;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const nnp::Layer &layer = net.layer(k);
    if (layer.weight_count == 0) continue;
    double square = 0;
    for (int64_t i = 0; i < layer.weight_count; ++i)
      square += layer.weights(params)[i] * layer.weights(params)[i];
    f.insert(f.end(), {square, layer.weights(params)[0]});
  }
  f.insert(f.end(), params + net.weight_params(), params + net.param_count());
  return f;
}

class Calibration {
 public:
  explicit Calibration(const Case &what)
      : what_(what),
        net_(nets::make(what.net)),
        data_(geweke::make_data(*nnp::unwrap(net_), rows)) {
    if (what.learns) {
      const double multiples[] = {0.5, 2, 1};
      OK(nnp_net_learn_tied(net_, multiples, 4, 1.2, &err));
      OK(nnp_net_learn(net_, 1, NNP_ARD, 4, 2.5, &err));
      OK(nnp_net_learn(net_, 3, NNP_LAMBDA_W, 4, 2.5, &err));
    }
    for (nnp_chain *&chain : chains_)
      OK(nnp_chain_create(&chain, net_, data_, what.sampler, what.posterior, &err));
    OK(nnp_exchange_create(&exchange_, chains_, replicas, &err));
    OK(nnp_exchange_set(exchange_, NNP_EXCHANGE_REPLICAS, replicas, &err));
    OK(nnp_exchange_set(exchange_, NNP_EXCHANGE_ROUNDS, 3, &err));
    OK(nnp_exchange_set(exchange_, NNP_EXCHANGE_FIRST_ROUND, 8, &err));
  }
  ~Calibration() {
    nnp_exchange_free(exchange_);
    for (nnp_chain *chain : chains_) nnp_chain_free(chain);
    nnp_data_free(data_);
    nnp_net_free(net_);
  }

  // The least p-value of all functions, Bonferroni.
  double p_value() {
    std::vector<int64_t> ranks;
    for (int64_t r = 0; r < replications; ++r) {
      const std::vector<int64_t> found = replicate(static_cast<uint64_t>(r));
      ranks.insert(ranks.end(), found.begin(), found.end());
    }
    const int64_t quantities = static_cast<int64_t>(ranks.size()) / replications;
    std::vector<int64_t> counts(static_cast<size_t>(bins * quantities));
    Vector p(static_cast<size_t>(quantities));
    OK(nnp_sbc_histogram(ranks.data(), quantities, replications, draws, bins, counts.data(),
                         p.data(), &err));
    return std::min(1.0, *std::min_element(p.begin(), p.end()) * static_cast<double>(quantities));
  }

 private:
  std::vector<int64_t> replicate(uint64_t number) {
    const nnp::Net &net = *nnp::unwrap(net_);
    const size_t count = static_cast<size_t>(net.param_count());
    Vector truth(count), sample(count * draws), posterior;
    nnp_teacher *teacher = nullptr;
    OK(nnp_teacher_create(&teacher, net_, what_.posterior, 11, number, &err));
    OK(nnp_teacher_parameters(teacher, truth.data(), &err));
    OK(nnp_teacher_label(teacher, data_, 1, nullptr, &err));
    nnp_teacher_free(teacher);
    OK(nnp_exchange_start(exchange_, NNP_EXCHANGE_FROM_PRIOR, 100 + number, &err));
    OK(nnp_exchange_tune(exchange_, nullptr, nullptr, &err));
    OK(nnp_exchange_run(exchange_, 20, nullptr, nullptr, &err));
    OK(nnp_exchange_sample(exchange_, sample.data(), draws, what_.thin, nullptr, nullptr, &err));
    for (int64_t s = 0; s < draws; ++s) {
      const Vector f = functions_of(net, sample.data() + s * net.param_count());
      posterior.insert(posterior.end(), f.begin(), f.end());
    }
    const Vector exact = functions_of(net, truth.data());
    std::vector<int64_t> ranks(exact.size());
    nnp_draws view;
    OK(nnp_draws_init(&view, posterior.data(), static_cast<int64_t>(exact.size()), draws, 1, &err));
    OK(nnp_sbc_ranks(exact.data(), &view, nullptr, ranks.data(), &err));
    return ranks;
  }

  Case what_;
  nnp_net *net_;
  nnp_data *data_;
  nnp_chain *chains_[replicas] = {};
  nnp_exchange *exchange_ = nullptr;
};

void calibrates(const char *name, const Case &what) {
  char text[80];
  const double p = Calibration(what).p_value();
  std::snprintf(text, sizeof text, "%s: p-value %.3g", name, p);
  if (getenv("NNPOST_TEST_TALK")) std::printf("%s\n", text);
  VERDICT_MESSAGE(p > 1e-3, text);
}

void test_gibbs_is_calibrated() {
  calibrates("relu", {{1, NNP_RELU, NNP_GAUSSIAN, true}});
}
void test_learned_scales_are_calibrated() {
  Case what = {{1, NNP_RELU, NNP_GAUSSIAN, true}};
  what.learns = true;
  what.thin = 10;
  calibrates("learned scales", what);
}
void test_scores_are_calibrated() {
  calibrates("sign", {{1, NNP_RELU, NNP_SIGN_HEAD, true}});
}
void test_nuts_is_calibrated() {
  calibrates("nuts", {{1, NNP_ABS, NNP_GAUSSIAN, false}, NNP_NUTS, NNP_CLASSICAL});
}

// ---- a plain chain that mixes ------------------------------------------------------------------

// 8-4-1 at D = 0.1: means of predictions, and of their squares, within their errors.
struct Predictions {
  Vector mean, error;
};

constexpr int64_t inputs = 8, hidden = 4, train_rows = 100, test_rows = 5;

Predictions predictions_of(const nnp_net *net, const nnp_data *test, const Vector &sample,
                           int64_t count) {
  constexpr int64_t batches = 30;
  int64_t params = 0;
  nnp_predictor *predictor = nullptr;
  OK(nnp_net_parameters(net, &params, &err));
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  std::vector<Vector> batch(batches, Vector(2 * test_rows));
  for (int64_t s = 0; s < count; ++s) {
    double f[test_rows];
    OK(nnp_predict(predictor, test, sample.data() + s * params, 1, NNP_PREDICT_MEAN, f, &err));
    Vector &sums = batch[static_cast<size_t>(s * batches / count)];
    for (int64_t i = 0; i < test_rows; ++i) {
      const double share = static_cast<double>(batches) / static_cast<double>(count);
      sums[static_cast<size_t>(i)] += share * f[i];
      sums[static_cast<size_t>(test_rows + i)] += share * f[i] * f[i];
    }
  }
  nnp_predictor_free(predictor);
  Predictions out;
  for (size_t q = 0; q < 2 * test_rows; ++q) {
    double mean = 0, squares = 0;
    for (const Vector &sums : batch) mean += sums[q] / batches;
    for (const Vector &sums : batch) squares += (sums[q] - mean) * (sums[q] - mean);
    out.mean.push_back(mean);
    out.error.push_back(std::sqrt(squares / (batches * (batches - 1))));
  }
  return out;
}

void test_exchange_agrees_with_a_chain_that_mixes() {
  constexpr int64_t levels = 16;
  nnp_net *net = nullptr;
  nnp_data *train = nullptr, *test = nullptr;
  nnp_teacher *teacher = nullptr;
  nnp_chain *chains[levels] = {};
  nnp_exchange *exchange = nullptr;
  OK(nnp_net_create(&net, inputs, &err));
  OK(nnp_net_dense(net, hidden, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.1, &err));
  Vector x(inputs * (train_rows + test_rows));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 3.4 * std::fmod(static_cast<double>(i + 1) * 0.6180339887498949, 1) - 1.7;
  OK(nnp_data_create(&train, train_rows, inputs, 1, &err));
  OK(nnp_data_set_inputs(train, x.data(), NNP_ROW_MAJOR, &err));
  OK(nnp_data_create(&test, test_rows, inputs, 1, &err));
  OK(nnp_data_set_inputs(test, x.data() + inputs * train_rows, NNP_ROW_MAJOR, &err));
  OK(nnp_teacher_create(&teacher, net, NNP_INTERMEDIATE, 4, 0, &err));
  OK(nnp_teacher_label(teacher, train, 1, nullptr, &err));
  for (nnp_chain *&chain : chains)
    OK(nnp_chain_create(&chain, net, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  int64_t params = 0;
  OK(nnp_net_parameters(net, &params, &err));

  const int64_t count = shortened(3000, 60);
  Vector sample(static_cast<size_t>(count * params));
  OK(nnp_chain_start(chains[0], NNP_START_PRIOR, 1, 0, &err));
  OK(nnp_chain_run(chains[0], count, nullptr, nullptr, &err));
  OK(nnp_chain_sample(chains[0], sample.data(), count, 8, nullptr, nullptr, &err));
  const Predictions plain = predictions_of(net, test, sample, count);

  OK(nnp_exchange_create(&exchange, chains, levels, &err));
  OK(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 2, &err));
  OK(nnp_exchange_tune(exchange, nullptr, nullptr, &err));
  OK(nnp_exchange_sample(exchange, sample.data(), count, 1, nullptr, nullptr, &err));
  const Predictions found = predictions_of(net, test, sample, count);
  for (size_t q = 0; q < plain.mean.size(); ++q) {
    char text[120];
    std::snprintf(text, sizeof text, "%zu: %.5f +- %.5f and %.5f +- %.5f", q, plain.mean[q],
                  plain.error[q], found.mean[q], found.error[q]);
    if (getenv("NNPOST_TEST_TALK")) std::printf("%s\n", text);
    VERDICT_MESSAGE(
        std::fabs(plain.mean[q] - found.mean[q]) < 4 * std::hypot(plain.error[q], found.error[q]),
        text);
  }
  nnp_exchange_free(exchange);
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  nnp_teacher_free(teacher);
  nnp_data_free(test);
  nnp_data_free(train);
  nnp_net_free(net);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_gibbs_is_calibrated);
  RUN_TEST(test_learned_scales_are_calibrated);
  RUN_TEST(test_scores_are_calibrated);
  RUN_TEST(test_nuts_is_calibrated);
  RUN_TEST(test_exchange_agrees_with_a_chain_that_mixes);
  return UNITY_END();
}
