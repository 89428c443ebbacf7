// Gibbs samples learned scales right: Geweke's joint test for noises (of a layer, of each layer,
// tied), precisions, one precision for each input, and all of them together.
#include "tests/support/scales.hpp"

namespace {

using namespace scales;

geweke::Setup gibbs(const Case &c, double moves, uint64_t seed) {
  geweke::Setup setup;
  setup.net = make(c);
  setup.moves = moves;
  setup.n = 4;
  // functions of chains that move scales are slow: shorter batches would hide it
  setup.steps = c.hidden > 1 || moves != static_cast<double>(NNP_MOVES_PLAIN) ? 60000 : 30000;
  setup.seed = seed;
  return setup;
}

void test_gibbs_plain() {
  uint64_t seed = 500;
  for (unsigned what :
       {unsigned{last_noise}, unsigned{noises}, unsigned{tied}, unsigned{precisions},
        unsigned{inputs}, unsigned{tied_all}, noises | inputs})
    for (int hidden : {0, 1}) {
      const Case c = {what, hidden};
      expect_prior(gibbs(c, NNP_MOVES_PLAIN, ++seed), "plain", c);
    }
  for (int32_t schedule : {NNP_PARALLEL, NNP_BACKWARD}) {
    const Case c = {tied_all, 2};
    geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, ++seed);
    setup.options = {{NNP_OPTION_SCHEDULE, schedule}};
    expect_prior(setup, "other schedules", c);
  }
}

void test_gibbs_heads() {
  uint64_t seed = 540;
  for (int32_t head : {NNP_ARGMAX, NNP_SIGN_HEAD, NNP_STUDENT_T})
    for (unsigned what : {unsigned{last_noise}, unsigned{tied_all}}) {
      const Case c = {what, 1, head};
      expect_prior(gibbs(c, NNP_MOVES_PLAIN, ++seed), "plain", c);
    }
}

void test_gibbs_default_moves() {
  uint64_t seed = 560;
  for (unsigned what : {unsigned{noises}, unsigned{tied_all}, unsigned{tied_inputs}})
    for (int32_t head : {NNP_GAUSSIAN, NNP_ARGMAX, NNP_STUDENT_T}) {
      const Case c = {what, 1, head};
      expect_prior(gibbs(c, NNP_MOVES_AUTOMATIC, ++seed), "default moves", c);
    }
}

// Each move often enough to be seen, with one precision for each input.
void test_gibbs_moves_with_precisions_of_inputs() {
  const std::pair<int32_t, double> moves[] = {{NNP_OPTION_UNIT_MOVES, 1},
                                              {NNP_OPTION_SCALE_MOVES, 1},
                                              {NNP_OPTION_UNIT_DRAWS, 1},
                                              {NNP_OPTION_LAYER_MOVES, 1}};
  uint64_t seed = 580;
  for (const auto &move : moves) {
    const Case c = {tied_inputs, 1};
    geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, ++seed);
    setup.options = {move};
    expect_prior(setup, "one move", c);
  }
}

// The moves of scales alone, where sites are integrated out and where they are not: two hidden
// layers, latent scores, scales of rows, an activation at the end.
void test_moves_of_scales() {
  uint64_t seed = 600;
  for (int32_t option : {NNP_OPTION_NOISE_MOVES, NNP_OPTION_PRECISION_MOVES}) {
    for (const Case &c :
         {Case{tied_all, 1}, Case{tied_inputs | precisions, 1}, Case{noises | precisions, 1},
          Case{tied_all, 1, NNP_ARGMAX}, Case{tied_all, 1, NNP_STUDENT_T}, Case{tied_all, 2},
          Case{noises | precisions, 2, NNP_STUDENT_T}}) {
      geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, ++seed);
      setup.options = {{option, 1}};
      setup.steps = 60000;
      expect_prior(setup, "moves of scales", c);
    }
  }
  const Case c = {last_noise | precisions, 1};
  geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, ++seed);
  nnp_net_fix(setup.net, 1, NNP_LAMBDA_W, nullptr);
  nnp_net_fix(setup.net, 3, NNP_LAMBDA_B, nullptr);
  setup.options = {{NNP_OPTION_NOISE_MOVES, 1}, {NNP_OPTION_PRECISION_MOVES, 1}};
  expect_prior(setup, "some scales", c);
}

// The noise below the last activation among those above it, where there is one output: of every kind
// of activation, with latent scores, above another hidden layer, with noises that are not learned.
void test_pulled_noises() {
  uint64_t seed = 620;
  const int32_t gaussian = NNP_GAUSSIAN;
  for (const Case &c :
       {Case{noises | precisions, 1, gaussian, NNP_RELU, 3, 1},
        Case{noises, 1, gaussian, NNP_LEAKY_RELU, 3, 1}, Case{noises, 1, gaussian, NNP_ABS, 3, 1},
        Case{noises, 1, gaussian, NNP_HARD_TANH, 3, 1}, Case{noises, 2, gaussian, NNP_RELU, 3, 1},
        Case{noises, 1, NNP_SIGN_HEAD, NNP_RELU, 3, 1}}) {
    geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, ++seed);
    setup.options = {{NNP_OPTION_NOISE_MOVES, 1}};
    expect_prior(setup, "pulled noises", c);
  }
  for (int64_t fixed : {2, 3}) {
    const Case c = {noises, 1, gaussian, NNP_RELU, 3, 1};
    geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, ++seed);
    nnp_net_fix(setup.net, fixed, NNP_NOISE, nullptr);
    setup.options = {{NNP_OPTION_NOISE_MOVES, 1}};
    expect_prior(setup, "pulled noises, one fixed", c);
  }
}

// Sums over tiles and blocks.
void test_many_rows() {
  const Case c = {last_noise | precisions, 1};
  geweke::Setup setup = gibbs(c, NNP_MOVES_PLAIN, 590);
  nnp_net_set(setup.net, 1, NNP_NOISE, 400, nullptr);
  nnp_net_set(setup.net, 2, NNP_NOISE, 400, nullptr);
  // 1200 residuals let D move little: its prior is no wider than that
  nnp_net_learn(setup.net, 3, NNP_NOISE, 500, 2.5e-6, nullptr);
  setup.n = 600;
  setup.steps = 4000;
  expect_prior(setup, "600 rows", c);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_gibbs_plain);
  RUN_TEST(test_gibbs_heads);
  RUN_TEST(test_gibbs_default_moves);
  RUN_TEST(test_gibbs_moves_with_precisions_of_inputs);
  RUN_TEST(test_moves_of_scales);
  RUN_TEST(test_pulled_noises);
  RUN_TEST(test_many_rows);
  return UNITY_END();
}
