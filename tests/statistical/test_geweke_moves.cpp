// Every extra move of the Gibbs sampler leaves the posterior untouched: Geweke's joint test for
// each alone and for all together.
#include "tests/support/geweke.hpp"
#include "tests/support/nets.hpp"
#include "unity.h"

namespace {

using Options = std::vector<std::pair<int32_t, double>>;

bool is_probit(int32_t head) {
  return head != NNP_GAUSSIAN;
}

void check(const nets::Architecture &a, const Options &options, int64_t steps = 20000) {
  geweke::Setup setup;
  setup.net = nets::make(a);
  setup.options = options;
  setup.steps = steps * std::max(a.hidden, 1);
  setup.n = 5 - a.hidden;
  setup.seed = static_cast<uint64_t>(a.hidden * 1000 + a.activation * 100 + a.head * 10 + 1);
  const geweke::Result result = geweke::run(setup);
  char message[400];
  std::snprintf(message, sizeof message, "hidden %d, activation %d, head %d: %s", a.hidden,
                a.activation, a.head, result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

// A mild and a strong over-relaxation; plain steps in between as by default.
void test_over_relaxation() {
  for (int32_t activation : nets::activations)
    for (int32_t head : nets::heads) {
      const bool bias = (activation + head) % 2 == 0;
      check({1, activation, head, bias}, {{NNP_OPTION_RELAX, -0.7}, {NNP_OPTION_PLAIN_EVERY, 4}});
    }
  for (int32_t head : nets::heads) {
    check({2, NNP_RELU, head, true}, {{NNP_OPTION_RELAX, -0.9}, {NNP_OPTION_PLAIN_EVERY, 3}});
    check({2, NNP_ABS, head, true},
          {{NNP_OPTION_RELAX, -0.4}, {NNP_OPTION_SCHEDULE, NNP_PARALLEL}});
  }
}

void test_unit_moves() {
  for (int32_t activation : nets::activations)
    for (int32_t head : nets::heads)
      check({1, activation, head, (activation + head) % 2 == 0}, {{NNP_OPTION_UNIT_MOVES, 1}});
  for (int32_t head : nets::heads)
    check({2, NNP_RELU, head, true},
          {{NNP_OPTION_UNIT_MOVES, 0.5}, {NNP_OPTION_SCHEDULE, NNP_PARALLEL}});
}

bool has_slopes(int32_t activation) {
  return activation != NNP_SIGN;
}

void test_unit_draws() {
  for (int32_t activation : nets::activations)
    for (int32_t head : nets::heads)
      if (has_slopes(activation))
        check({1, activation, head, (activation + head) % 2 == 0}, {{NNP_OPTION_UNIT_DRAWS, 1}});
  for (int32_t head : nets::heads) check({2, NNP_RELU, head, true}, {{NNP_OPTION_UNIT_DRAWS, 0.7}});
}

void test_layer_moves() {
  for (int32_t activation : nets::activations)
    for (int32_t head : nets::heads)
      if (has_slopes(activation))
        check({1, activation, head, (activation + head) % 2 == 0}, {{NNP_OPTION_LAYER_MOVES, 1}});
  for (int32_t head : nets::heads)
    check({2, NNP_RELU, head, true},
          {{NNP_OPTION_LAYER_MOVES, 0.7}, {NNP_OPTION_SCHEDULE, NNP_PARALLEL}});
}

void test_expansion() {
  for (int hidden : {0, 1, 2})
    for (int32_t head : {NNP_ARGMAX, NNP_SIGN_HEAD})
      for (bool bias : {false, true})
        check({hidden, NNP_RELU, head, bias}, {{NNP_OPTION_EXPANSION, 1}});
}

void test_scale_moves() {
  for (int32_t activation : {NNP_RELU, NNP_LEAKY_RELU, NNP_ABS, NNP_IDENTITY})
    for (int32_t head : nets::heads)
      check({1, activation, head, (activation + head) % 2 == 0}, {{NNP_OPTION_SCALE_MOVES, 1}});
  for (int32_t head : nets::heads)
    check({2, NNP_RELU, head, true},
          {{NNP_OPTION_SCALE_MOVES, 0.7}, {NNP_OPTION_SCHEDULE, NNP_PARALLEL}});
}

void test_all_moves_together() {
  for (int32_t activation : {NNP_RELU, NNP_ABS, NNP_SIGN})
    for (int32_t head : nets::heads)
      check({1, activation, head, true},
            {{NNP_OPTION_RELAX, -0.7},
             {NNP_OPTION_PLAIN_EVERY, 4},
             {NNP_OPTION_UNIT_MOVES, 0.5},
             {NNP_OPTION_SCALE_MOVES, has_slopes(activation) ? 0.5 : 0},
             {NNP_OPTION_UNIT_DRAWS, has_slopes(activation) ? 1 : 0},
             {NNP_OPTION_LAYER_MOVES, has_slopes(activation) ? 0.5 : 0},
             {NNP_OPTION_EXPANSION, is_probit(head) ? 1 : 0}});
}

// What a chain does by itself.
void test_automatic() {
  for (int32_t activation : nets::activations)
    for (int32_t head : nets::heads)
      check({1, activation, head, activation % 2 == 0}, {{NNP_OPTION_MOVES, NNP_MOVES_AUTOMATIC}},
            10000);
  check({2, NNP_RELU, NNP_ARGMAX, true}, {{NNP_OPTION_MOVES, NNP_MOVES_AUTOMATIC}}, 10000);
}

// A unit move that takes the noises of sites and the likelihood of the labels from different
// models.
void test_a_broken_unit_move_fails() {
  for (int64_t layer = 1; layer <= 3; ++layer) {
    geweke::Setup setup;
    setup.net = nets::make({1, NNP_RELU, NNP_GAUSSIAN, true});
    setup.options = {{NNP_OPTION_UNIT_MOVES, 3}};
    setup.wrong_layer = layer;
    setup.wrong_factor = 1.4;
    TEST_ASSERT_TRUE(geweke::run(setup).worst > 5);
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_over_relaxation);
  RUN_TEST(test_unit_moves);
  RUN_TEST(test_unit_draws);
  RUN_TEST(test_layer_moves);
  RUN_TEST(test_expansion);
  RUN_TEST(test_scale_moves);
  RUN_TEST(test_all_moves_together);
  RUN_TEST(test_automatic);
  RUN_TEST(test_a_broken_unit_move_fails);
  return UNITY_END();
}
