// The Gibbs sampler samples the posterior it says it samples: Geweke's joint test over depths,
// activations, heads, biases and schedules, and proof that the test sees a broken sampler.
#include "tests/support/geweke.hpp"
#include "tests/support/nets.hpp"
#include "unity.h"

namespace {

using nets::Architecture;

void check(const Architecture &a, int32_t schedule, int64_t steps) {
  geweke::Setup setup;
  char name[200];
  std::snprintf(name, sizeof name, "hidden %d, activation %d, head %d, bias %d, schedule %d",
                a.hidden, a.activation, a.head, a.bias, schedule);
  setup.net = nets::make(a);
  setup.options = {{NNP_OPTION_SCHEDULE, schedule}};
  setup.steps = steps;
  setup.n = 5 - a.hidden;
  setup.seed =
      static_cast<uint64_t>(40000 + a.hidden * 1000 + a.activation * 100 + a.head * 10 + schedule);
  const geweke::Result result = geweke::run(setup);
  char message[400];
  std::snprintf(message, sizeof message, "%s: %s", name, result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

// Deeper networks forget more slowly: fewer rows and longer runs keep the standard errors honest.
void check_depth(int hidden) {
  const int64_t steps = 20000 * hidden;
  for (int32_t activation : nets::activations)
    for (int32_t head : nets::heads) {
      const bool bias = (activation + head) % 2 == 0;
      check({hidden, activation, head, bias}, NNP_SEQUENTIAL, steps);
      check({hidden, activation, head, !bias}, NNP_PARALLEL, steps);
      check({hidden, activation, head, bias}, NNP_BACKWARD, steps);
    }
}

void test_no_hidden_layer() {
  for (int32_t head : nets::heads)
    for (bool bias : {false, true}) {
      check({0, NNP_RELU, head, bias}, NNP_SEQUENTIAL, 20000);
      check({0, NNP_RELU, head, bias}, NNP_PARALLEL, 20000);
      check({0, NNP_RELU, head, bias}, NNP_BACKWARD, 20000);
    }
}

void test_one_hidden_layer() {
  check_depth(1);
}

void test_two_hidden_layers() {
  check_depth(2);
}

void test_three_hidden_layers() {
  check_depth(3);
}

// Layers in unusual order: linear on linear, activation on activation, an activation last.
void test_any_order() {
  for (int32_t schedule : {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD}) {
    nnp_net *nets[3];
    for (nnp_net *&net : nets) nnp_net_create(&net, 2, nullptr);
    nnp_net_dense(nets[0], 3, nullptr);
    nnp_net_dense(nets[0], 2, nullptr);
    nnp_net_dense(nets[1], 2, nullptr);
    nnp_net_activation(nets[1], NNP_ABS, nullptr);
    nnp_net_activation(nets[1], NNP_RELU, nullptr);
    nnp_net_dense(nets[1], 4, nullptr);
    nnp_net_dense(nets[1], 2, nullptr);
    nnp_net_activation(nets[2], NNP_HARD_TANH, nullptr);
    nnp_net_dense(nets[2], 3, nullptr);
    nnp_net_activation(nets[2], NNP_LEAKY_RELU, nullptr);
    const int32_t ends[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_GAUSSIAN};
    for (int i = 0; i < 3; ++i) {
      nnp_net_head(nets[i], ends[i], nullptr);
      nnp_net_set(nets[i], NNP_ALL_LAYERS, NNP_NOISE, 0.5, nullptr);
      geweke::Setup setup;
      setup.net = nets[i];
      setup.options = {{NNP_OPTION_SCHEDULE, schedule}};
      setup.seed = static_cast<uint64_t>(100 + i);
      const geweke::Result result = geweke::run(setup);
      TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, result.where.c_str());
    }
  }
}

// More rows than one tile and one block, so that sums over both are in it.
void test_many_rows() {
  geweke::Setup setup;
  setup.net = nets::make({1, NNP_RELU, NNP_GAUSSIAN, true});
  // Two blocks of rows. So much noise that they say about as much as the prior: else the chain
  // would be slow.
  const double noise[] = {700, 700, 7e5};
  for (int64_t k = 1; k <= 3; ++k) nnp_net_set(setup.net, k, NNP_NOISE, noise[k - 1], nullptr);
  setup.n = 1100;
  setup.steps = 4000;
  const geweke::Result result = geweke::run(setup);
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, result.where.c_str());
}

// A sampler that believes in other noise than the data has is found out, for every variable.
void test_a_broken_sampler_fails() {
  for (int64_t layer = 1; layer <= 3; ++layer) {
    geweke::Setup setup;
    setup.net = nets::make({1, NNP_RELU, NNP_GAUSSIAN, true});
    setup.steps = 20000;
    // The chain's layer is changed behind the generative process: the test redraws data with the
    // true noise, the chain draws with 1.3 times that.
    setup.wrong_layer = layer;
    setup.wrong_factor = 1.3;
    const geweke::Result result = geweke::run(setup);
    TEST_ASSERT_TRUE_MESSAGE(result.worst > 5, result.where.c_str());
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_no_hidden_layer);
  RUN_TEST(test_one_hidden_layer);
  RUN_TEST(test_two_hidden_layers);
  RUN_TEST(test_three_hidden_layers);
  RUN_TEST(test_any_order);
  RUN_TEST(test_many_rows);
  RUN_TEST(test_a_broken_sampler_fails);
  return UNITY_END();
}
