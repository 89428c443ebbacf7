// Gibbs and the gradient samplers agree: on the same data the intermediate posterior has one mean
// and one variance of every function, whoever draws from it.
#include <cmath>
#include <cstdio>
#include <vector>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/chains.hpp"
#include "tests/support/level.h"
#include "tests/support/watched.h"
#include "unity.h"

namespace {

using Values = std::vector<double>;

// Means of functions over a chain, with standard errors from batches.
class Averages {
 public:
  explicit Averages(int64_t length) : length_(length) {}
  void add(const Values &values) {
    if (sum_.empty()) sum_.assign(values.size(), 0.0);
    for (size_t i = 0; i < values.size(); ++i) sum_[i] += values[i] / static_cast<double>(length_);
    if (++filled_ < length_) return;
    batches_.push_back(sum_);
    sum_.clear();
    filled_ = 0;
  }
  size_t size() const { return batches_[0].size(); }
  double mean(size_t i) const {
    double sum = 0;
    for (const Values &b : batches_) sum += b[i];
    return sum / static_cast<double>(batches_.size());
  }
  double variance(size_t i) const {
    double sum = 0;
    for (const Values &b : batches_) sum += (b[i] - mean(i)) * (b[i] - mean(i));
    const double count = static_cast<double>(batches_.size());
    return sum / (count - 1) / count;
  }

 private:
  int64_t length_, filled_ = 0;
  Values sum_;
  std::vector<Values> batches_;
};

void check_agreement(const char *name, const Averages &a, const Averages &b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double z = (a.mean(i) - b.mean(i)) / std::sqrt(a.variance(i) + b.variance(i));
    char message[200];
    std::snprintf(message, sizeof message,
                  "%s, function %d: %.5g (se %.2g), %.5g (se %.2g), z = %.2f", name,
                  static_cast<int>(i), a.mean(i), std::sqrt(a.variance(i)), b.mean(i),
                  std::sqrt(b.variance(i)), z);
    VERDICT_MESSAGE(std::fabs(z) < 4, message);
  }
}

// Functions that do not care how hidden units are numbered: predictions and their squares, norms of
// weights, residuals of layers, log density.
Values functions_of(nnp_chain *chain, const nnp_data *data, int64_t rows) {
  const nnp::Net &net = nnp::unwrap(chain)->chain->state.net;
  Values values(static_cast<size_t>(rows * net.outputs()));
  nnp_chain_predict(chain, data, values.data(), nullptr);
  const size_t kept = std::min<size_t>(values.size(), 6);
  values.resize(kept);
  for (size_t i = 0; i < kept; ++i) values.push_back(values[i] * values[i]);
  const double *params = nnp::unwrap(chain)->chain->state.params;
  for (int64_t k = 1; k <= net.depth; ++k) {
    double norm = 0;
    const nnp::Layer &layer = net.layer(k);
    for (int64_t i = 0; i < layer.param_count(); ++i)
      norm += layer.weights(params)[i] * layer.weights(params)[i];
    if (layer.param_count()) values.insert(values.end(), {norm, norm * norm});
  }
  Values residuals(static_cast<size_t>(net.described_depth()));
  nnp_chain_terms(chain, nullptr, nullptr, residuals.data(), nullptr);
  for (double r : residuals)  // 0: integrated out
    if (r != 0) values.insert(values.end(), {r, r * r});
  double log_density = 0;
  nnp_chain_log_density(chain, &log_density, nullptr);
  values.push_back(log_density);
  return values;
}

constexpr int64_t batches = 50;

struct Plan {
  int32_t sampler;
  int64_t warmup, draws, thin;
  std::vector<std::pair<int32_t, double>> options;
};

// The plan, or where it is only watched a short one.
Plan in_short(Plan plan) {
  plan.warmup = shortened(plan.warmup, 30);
  plan.draws = shortened(plan.draws, batches);
  plan.thin = shortened(plan.thin, 2);
  for (auto &option : plan.options)
    if (option.first == NNP_OPTION_WARMUP) option.second = static_cast<double>(plan.warmup);
  return plan;
}

void run(const chains::Problem &p, const Plan &plan, Averages &averages) {
  nnp_chain *chain = nullptr;
  nnp_error err;
  TEST_ASSERT_EQUAL(
      NNP_OK, nnp_chain_create(&chain, p.net, p.data, plan.sampler, NNP_INTERMEDIATE, nullptr));
  set_test_level(chain);
  for (const auto &option : plan.options)
    nnp_chain_set(chain, option.first, option.second, nullptr);
  const std::vector<double> start = chains::teacher(*nnp::unwrap(p.net), 1);
  nnp_chain_start_weights(chain, start.data(), 1, 4, 0, nullptr);
  TEST_ASSERT_EQUAL_MESSAGE(NNP_OK, nnp_chain_run(chain, plan.warmup, nullptr, nullptr, &err),
                            err.message);
  for (int64_t s = 0; s < plan.draws; ++s) {
    nnp_chain_run(chain, plan.thin, nullptr, nullptr, nullptr);
    averages.add(functions_of(chain, p.data, p.n));
  }
  nnp_chain_free(chain);
}

void compare(const char *name, const chains::Problem &p, const std::vector<Plan> &others) {
  const Plan gibbs = in_short({NNP_GIBBS, 2000, 10000, 20, {}});
  Averages expected(gibbs.draws / batches);
  run(p, gibbs, expected);
  for (const Plan &full : others) {
    const Plan plan = in_short(full);
    Averages found(plan.draws / batches);
    run(p, plan, found);
    char text[100];
    std::snprintf(text, sizeof text, "%s, sampler %d", name, plan.sampler);
    check_agreement(text, expected, found);
  }
}

void compare(const char *name, const chains::Recipe &recipe, const std::vector<Plan> &others) {
  chains::Problem p;
  chains::make(recipe, p);
  compare(name, p, others);
}

const std::vector<Plan> adapted = {
    {NNP_HMC,
     2000,
     5000,
     1,
     {{NNP_OPTION_WARMUP, 2000}, {NNP_OPTION_LEAPFROGS, 30}, {NNP_OPTION_JITTER, 0.3}}},
    {NNP_NUTS, 2000, 2500, 1, {{NNP_OPTION_WARMUP, 2000}}}};

void test_regression() {
  chains::Recipe recipe;
  recipe.n = 30;
  recipe.noise = 0.3;
  compare("relu", recipe, adapted);
  recipe.activation = NNP_LEAKY_RELU;
  recipe.outputs = 2;
  compare("leaky relu", recipe, adapted);
}

// An image of 6 x 6, convolved, pooled, rectified.
void test_conv_net() {
  chains::Problem p;
  nnp_net_create(&p.net, 36, nullptr);
  nnp_net_image(p.net, 1, 6, 6, nullptr);
  nnp_net_conv2d(p.net, 2, 3, 3, 1, 1, nullptr);
  nnp_net_avgpool(p.net, 2, 2, nullptr);
  nnp_net_activation(p.net, NNP_RELU, nullptr);
  nnp_net_dense(p.net, 1, nullptr);
  nnp_net_head(p.net, NNP_GAUSSIAN, nullptr);
  nnp_net_set(p.net, NNP_ALL_LAYERS, NNP_NOISE, 0.3, nullptr);
  chains::fill_inputs(p, 15, 5);
  compare("conv net", p, adapted);
}

// Short paths of fixed steps: long ones mostly end behind the boundary of some row's scores.
void test_classes() {
  const std::vector<Plan> fixed = {
      {NNP_HMC, 1000, 10000, 10, {{NNP_OPTION_STEP_SIZE, 0.3}, {NNP_OPTION_LEAPFROGS, 3}}},
      {NNP_NUTS, 1000, 10000, 4, {{NNP_OPTION_STEP_SIZE, 0.3}, {NNP_OPTION_MAX_DEPTH, 4}}}};
  chains::Recipe recipe;
  recipe.n = 5;
  recipe.noise = 1;
  recipe.head = NNP_SIGN_HEAD;
  compare("sign head", recipe, fixed);
  recipe.head = NNP_ARGMAX;
  recipe.outputs = 3;
  recipe.n = 4;
  compare("argmax head", recipe, fixed);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_regression);
  RUN_TEST(test_conv_net);
  RUN_TEST(test_classes);
  return UNITY_END();
}
