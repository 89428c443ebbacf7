// The Student-t head is sampled right: Geweke's joint test with Gibbs (rows have scales that are
// drawn) and with gradients (they are integrated out), the two against each other, and a model of
// one weight against quadrature.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/chains.hpp"
#include "tests/support/geweke.hpp"
#include "unity.h"

namespace {

struct Shape {
  std::vector<int64_t> hidden;
  int64_t outputs;
  bool bias = true;
  double freedom = 3;
};

nnp_net *make(const Shape &shape) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, 2, nullptr);
  for (int64_t units : shape.hidden) {
    nnp_net_dense(net, units, nullptr);
    nnp_net_activation(net, NNP_RELU, nullptr);
  }
  nnp_net_dense(net, shape.outputs, nullptr);
  nnp_net_head(net, NNP_STUDENT_T, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, shape.freedom, nullptr));
  int64_t layers = 0;
  nnp_net_layers(net, &layers, nullptr);
  for (int64_t k = 1; k <= layers; ++k)
    nnp_net_set(net, k, NNP_NOISE, 0.8 + 0.2 * static_cast<double>(k % 3), nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, shape.bias ? 1 : 0, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 2.5, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 3.5, nullptr);
  return net;
}

void check(geweke::Setup setup, const char *name) {
  const geweke::Result result = geweke::run(setup);
  char message[400];
  std::snprintf(message, sizeof message, "%s: %s", name, result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

geweke::Setup gibbs(const Shape &shape, double moves, uint64_t seed) {
  geweke::Setup setup;
  setup.net = make(shape);
  setup.moves = moves;
  setup.steps = shape.hidden.size() > 1 ? 40000 : 20000;
  setup.n = 4;
  setup.seed = seed;
  return setup;
}

// Fewer outputs than inputs of the last layer, as many, more: the draw of its input has two forms.
void test_gibbs_plain() {
  uint64_t seed = 70;
  for (int32_t schedule : {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD})
    for (const Shape &shape :
         {Shape{{3}, 1}, Shape{{3}, 3}, Shape{{4}, 3, false}, Shape{{2}, 3}, Shape{{3, 2}, 1}}) {
      geweke::Setup setup = gibbs(shape, NNP_MOVES_PLAIN, ++seed);
      setup.options = {{NNP_OPTION_SCHEDULE, schedule}};
      check(setup, "plain");
    }
}

void test_gibbs_without_hidden_layers() {
  uint64_t seed = 90;
  for (int32_t schedule : {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD})
    for (const Shape &shape : {Shape{{}, 1}, Shape{{}, 3, false}}) {
      geweke::Setup setup = gibbs(shape, NNP_MOVES_PLAIN, ++seed);
      setup.options = {{NNP_OPTION_SCHEDULE, schedule}};
      check(setup, "no hidden layer");
    }
}

void test_gibbs_default_moves() {
  uint64_t seed = 100;
  for (const Shape &shape :
       {Shape{{}, 1}, Shape{{3}, 1}, Shape{{3}, 3}, Shape{{2}, 3}, Shape{{3, 2}, 1}})
    check(gibbs(shape, NNP_MOVES_AUTOMATIC, ++seed), "automatic moves");
}

// Each often enough to be seen.
void test_gibbs_moves_by_hand() {
  geweke::Setup setup = gibbs({{3}, 2}, NNP_MOVES_PLAIN, 110);
  setup.options = {{NNP_OPTION_UNIT_MOVES, 1}, {NNP_OPTION_SCALE_MOVES, 1}};
  check(setup, "units and scales");
  setup = gibbs({{4}, 3}, NNP_MOVES_PLAIN, 111);
  setup.options = {{NNP_OPTION_RELAX, -0.9}, {NNP_OPTION_PLAIN_EVERY, 3}};
  check(setup, "over-relaxed, few outputs");
  setup = gibbs({{2}, 3}, NNP_MOVES_PLAIN, 112);
  setup.options = {{NNP_OPTION_RELAX, -0.9}, {NNP_OPTION_PLAIN_EVERY, 3}};
  check(setup, "over-relaxed, many outputs");
  setup = gibbs({{2, 2}, 1}, NNP_MOVES_PLAIN, 114);
  setup.steps = 80000;  // two hidden layers forget slowly
  setup.options = {{NNP_OPTION_UNIT_DRAWS, 1}, {NNP_OPTION_LAYER_MOVES, 0.5}};
  check(setup, "draws and moves of the lower layer");
}

// More rows than one tile and one block.
void test_many_rows() {
  geweke::Setup setup = gibbs({{3}, 2}, NNP_MOVES_PLAIN, 120);
  const double noise[] = {400, 400, 4e5};
  for (int64_t k = 1; k <= 3; ++k) nnp_net_set(setup.net, k, NNP_NOISE, noise[k - 1], nullptr);
  setup.n = 600;
  setup.steps = 4000;
  check(setup, "600 rows");
}

geweke::Setup by_gradients(int32_t sampler, int32_t posterior, const Shape &shape) {
  geweke::Setup setup;
  setup.net = make(shape);
  setup.sampler = sampler;
  setup.posterior = posterior;
  setup.n = 3;
  setup.steps = 20000;
  setup.thin = 2;
  setup.seed = static_cast<uint64_t>(130 + 10 * sampler + posterior);
  setup.options = {{NNP_OPTION_STEP_SIZE, sampler == NNP_MALA ? 0.05 : 0.35}};
  if (sampler == NNP_HMC) setup.options.push_back({NNP_OPTION_LEAPFROGS, 5});
  if (sampler == NNP_NUTS) setup.options.push_back({NNP_OPTION_MAX_DEPTH, 4});
  return setup;
}

void test_gradient_samplers() {
  for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
    for (int32_t sampler : {NNP_HMC, NNP_MALA, NNP_NUTS}) {
      check(by_gradients(sampler, posterior, {{}, 1}), "gradients, no hidden layer");
      check(by_gradients(sampler, posterior, {{3}, 3}), "gradients");
    }
}

// Chains that believe in other tails, or in another scale, than the data has are found out.
void test_a_broken_sampler_fails() {
  for (int i = 0; i < 4; ++i) {
    const Shape shape = {{3}, 2, true, 1.2};
    geweke::Setup setup =
        i < 2 ? gibbs(shape, NNP_MOVES_PLAIN, 140) : by_gradients(NNP_HMC, NNP_CLASSICAL, shape);
    setup.steps = 160000;
    if (i % 2) {
      setup.wrong_layer = 3;
      setup.wrong_factor = 2;
    } else {
      setup.wrong_freedom = 50;
    }
    const geweke::Result result = geweke::run(setup);
    TEST_ASSERT_TRUE_MESSAGE(result.worst > 4, result.where.c_str());
  }
}

// ---- one weight, against quadrature ----------------------------------------------------------

constexpr int64_t rows = 6;
constexpr double x[rows] = {-1.2, -0.4, 0.3, 0.9, 1.4, 2.0};
constexpr double y[rows] = {-0.7, -0.1, 0.4, 0.4, 9.0, 1.3};  // one is far out
constexpr double scale2 = 0.3, precision = 1.5, nu = 2.5;

double log_posterior(double w) {
  double sum = -0.5 * precision * w * w;
  for (int64_t i = 0; i < rows; ++i) {
    const double error = y[i] - w * x[i];
    sum -= 0.5 * (nu + 1) * std::log1p(error * error / (nu * scale2));
  }
  return sum;
}

// E w^power
double quadrature(int power) {
  double mass = 0, sum = 0;
  for (double w = -6; w <= 12; w += 1e-4) {
    const double density = std::exp(log_posterior(w));
    mass += density;
    sum += std::pow(w, power) * density;
  }
  return sum / mass;
}

void test_one_weight_against_quadrature() {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_net_create(&net, 1, nullptr);
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_STUDENT_T, nullptr);
  nnp_net_set(net, 1, NNP_BIAS, 0, nullptr);
  nnp_net_set(net, 1, NNP_NOISE, scale2, nullptr);
  nnp_net_set(net, 1, NNP_LAMBDA_W, precision, nullptr);
  nnp_net_set(net, NNP_HEAD, NNP_FREEDOM, nu, nullptr);
  nnp_data_create(&data, rows, 1, 1, nullptr);
  nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, nullptr);
  nnp_data_set_targets(data, y, NNP_ROW_MAJOR, nullptr);
  struct Way {
    int32_t sampler, posterior;
  };
  for (const Way &way : {Way{NNP_GIBBS, NNP_INTERMEDIATE}, Way{NNP_HMC, NNP_INTERMEDIATE},
                         Way{NNP_NUTS, NNP_CLASSICAL}}) {
    nnp_chain *chain = nullptr;
    TEST_ASSERT_EQUAL(NNP_OK,
                      nnp_chain_create(&chain, net, data, way.sampler, way.posterior, nullptr));
    set_test_level(chain);
    if (way.sampler != NNP_GIBBS) nnp_chain_set(chain, NNP_OPTION_STEP_SIZE, 0.15, nullptr);
    nnp_chain_start(chain, NNP_START_PRIOR, 5, 0, nullptr);
    const int64_t count = shortened(100000, 200), batch = count / 50;
    std::vector<double> draws(static_cast<size_t>(count));
    nnp_chain_run(chain, 100, nullptr, nullptr, nullptr);
    nnp_chain_sample(chain, draws.data(), count, 2, nullptr, nullptr, nullptr);
    for (int power = 1; power <= 3; ++power) {
      double sum = 0, square = 0;
      for (int64_t b = 0; b < 50; ++b) {
        double mean = 0;
        for (int64_t s = b * batch; s < (b + 1) * batch; ++s)
          mean += std::pow(draws[static_cast<size_t>(s)], power) / static_cast<double>(batch);
        sum += mean / 50;
        square += mean * mean / 50;
      }
      const double se = std::sqrt((square - sum * sum) / 49);
      char message[160];
      std::snprintf(message, sizeof message, "sampler %d: E w^%d = %.5f (se %.5f), expected %.5f",
                    way.sampler, power, sum, se, quadrature(power));
      VERDICT_MESSAGE(std::fabs(sum - quadrature(power)) < 4 * se, message);
    }
    nnp_chain_free(chain);
  }
  nnp_data_free(data);
  nnp_net_free(net);
}

// ---- Gibbs against gradients, on one set of data ---------------------------------------------

struct Estimate {
  double mean, se;
};

// Predictions, norms of weights and the log density: means with standard errors from batches.
std::vector<Estimate> estimates(const chains::Problem &p, int32_t sampler, int64_t draws,
                                int64_t thin) {
  nnp_chain *chain = nullptr;
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_chain_create(&chain, p.net, p.data, sampler, NNP_INTERMEDIATE, nullptr));
  set_test_level(chain);
  const int64_t warmup = shortened(2000, 50), count = shortened(draws, 50), batch = count / 50;
  if (sampler != NNP_GIBBS) {
    nnp_chain_set(chain, NNP_OPTION_WARMUP, static_cast<double>(warmup), nullptr);
    nnp_chain_set(chain, NNP_OPTION_LEAPFROGS, 30, nullptr);
    nnp_chain_set(chain, NNP_OPTION_JITTER, 0.3, nullptr);
  }
  const std::vector<double> start = chains::teacher(*nnp::unwrap(p.net), 1);
  nnp_chain_start_weights(chain, start.data(), 1, 4, 0, nullptr);
  nnp_chain_run(chain, warmup, nullptr, nullptr, nullptr);
  const nnp::Net &net = nnp::unwrap(chain)->chain->state.net;
  const double *params = nnp::unwrap(chain)->chain->state.params;
  std::vector<double> outputs(static_cast<size_t>(p.n * p.outputs));
  std::vector<std::vector<double>> batches;
  for (int64_t s = 0; s < count; ++s) {
    nnp_chain_run(chain, thin, nullptr, nullptr, nullptr);
    nnp_chain_predict(chain, p.data, outputs.data(), nullptr);
    std::vector<double> f(outputs.begin(), outputs.begin() + 4);
    for (int i = 0; i < 4; ++i)
      f.push_back(outputs[static_cast<size_t>(i)] * f[static_cast<size_t>(i)]);
    for (int64_t k = 1; k <= net.depth; ++k) {
      double norm = 0;
      for (int64_t i = 0; i < net.layer(k).param_count(); ++i)
        norm += std::pow(net.layer(k).weights(params)[i], 2);
      if (norm > 0) f.push_back(norm);
    }
    double density = 0;
    nnp_chain_log_density(chain, &density, nullptr);
    f.push_back(density);
    if (s % batch == 0) batches.emplace_back(f.size(), 0.0);
    for (size_t i = 0; i < f.size(); ++i) batches.back()[i] += f[i] / static_cast<double>(batch);
  }
  nnp_chain_free(chain);
  std::vector<Estimate> found(batches[0].size());
  for (size_t i = 0; i < found.size(); ++i) {
    double sum = 0, square = 0;
    for (const auto &b : batches) sum += b[i] / static_cast<double>(batches.size());
    for (const auto &b : batches) square += (b[i] - sum) * (b[i] - sum);
    const double of = static_cast<double>(batches.size());
    found[i] = {sum, std::sqrt(square / (of - 1) / of)};
  }
  return found;
}

void test_gibbs_and_hmc_agree() {
  for (int64_t outputs : {1, 2}) {
    chains::Recipe recipe;
    recipe.n = 30;
    recipe.noise = 0.3;
    recipe.outputs = outputs;
    recipe.head = NNP_STUDENT_T;
    chains::Problem p;
    chains::make(recipe, p);
    p.y[3] += 6;  // outliers
    p.y[11] -= 4;
    nnp_data_set_targets(p.data, p.y.data(), NNP_ROW_MAJOR, nullptr);
    const std::vector<Estimate> a = estimates(p, NNP_GIBBS, 10000, 20);
    const std::vector<Estimate> b = estimates(p, NNP_HMC, 5000, 1);
    for (size_t i = 0; i < a.size(); ++i) {
      const double z = (a[i].mean - b[i].mean) / std::hypot(a[i].se, b[i].se);
      char message[160];
      std::snprintf(message, sizeof message, "%d outputs, function %d: %.4f (%.4f), %.4f (%.4f)",
                    static_cast<int>(outputs), static_cast<int>(i), a[i].mean, a[i].se, b[i].mean,
                    b[i].se);
      VERDICT_MESSAGE(std::fabs(z) < 4, message);
    }
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_one_weight_against_quadrature);
  RUN_TEST(test_gibbs_without_hidden_layers);
  RUN_TEST(test_gibbs_plain);
  RUN_TEST(test_gibbs_default_moves);
  RUN_TEST(test_gibbs_moves_by_hand);
  RUN_TEST(test_many_rows);
  RUN_TEST(test_gradient_samplers);
  RUN_TEST(test_gibbs_and_hmc_agree);
  RUN_TEST(test_a_broken_sampler_fails);
  return UNITY_END();
}
