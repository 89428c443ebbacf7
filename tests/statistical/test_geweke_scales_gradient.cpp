// Gradient samplers hold learned scales while they follow gradients and draw them between steps:
// Geweke's joint test of HMC, MALA and NUTS on both posteriors.
#include "tests/support/scales.hpp"

namespace {

using namespace scales;

geweke::Setup by_gradients(int32_t sampler, int32_t posterior, const Case &c) {
  geweke::Setup setup;
  setup.net = make(c);
  setup.sampler = sampler;
  setup.posterior = posterior;
  setup.n = 3;
  setup.steps = 20000;
  setup.seed = static_cast<uint64_t>(sampler * 1000 + posterior * 100) + c.learn;
  if (sampler == NNP_HMC)
    setup.options = {
        {NNP_OPTION_STEP_SIZE, 0.12}, {NNP_OPTION_LEAPFROGS, 20}, {NNP_OPTION_JITTER, 0.3}};
  if (sampler == NNP_MALA) {
    setup.options = {{NNP_OPTION_STEP_SIZE, 0.02}};
    setup.thin = 15;
  }
  if (sampler == NNP_NUTS)
    setup.options = {{NNP_OPTION_STEP_SIZE, 0.12}, {NNP_OPTION_MAX_DEPTH, 6}};
  return setup;
}

// Narrow hyperpriors: where a precision is small, weights and curvatures are so large that steps of
// one size take forever.
constexpr double narrow = 8;

void check_gradients(int32_t sampler) {
  for (unsigned what : {unsigned{tied_all}, tied_inputs | precisions})
    for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL}) {
      const Case c = {what, 1, NNP_GAUSSIAN, NNP_TANH, narrow};
      expect_prior(by_gradients(sampler, posterior, c), "gradients", c);
    }
  const Case heavy = {last_noise | precisions, 0, NNP_STUDENT_T, NNP_RELU, narrow};
  expect_prior(by_gradients(sampler, NNP_CLASSICAL, heavy), "gradients", heavy);
  const Case apart = {noises, 1, NNP_GAUSSIAN, NNP_TANH, narrow};
  expect_prior(by_gradients(sampler, NNP_INTERMEDIATE, apart), "gradients", apart);
}

void test_hmc() {
  check_gradients(NNP_HMC);
}
void test_mala() {
  check_gradients(NNP_MALA);
}
void test_nuts() {
  check_gradients(NNP_NUTS);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_hmc);
  RUN_TEST(test_mala);
  RUN_TEST(test_nuts);
  return UNITY_END();
}
