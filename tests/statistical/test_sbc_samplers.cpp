// Samplers of fixed scales are calibrated.
#include "tests/support/calibration.hpp"

namespace {

using namespace sbc;

void test_plain_gibbs_is_calibrated() {
  VERDICT(p_value(regression, {}) > 1e-3);
  VERDICT(p_value(classes, {}) > 1e-3);
  VERDICT(p_value(heavy_tails, {}) > 1e-3);
  Sampler slower;
  slower.burn_in = 150;
  slower.thin = 25;
  VERDICT(p_value({2, NNP_ABS, NNP_SIGN_HEAD, false}, slower) > 1e-3);
}

// As it comes.
void test_gibbs_with_all_moves_is_calibrated() {
  Sampler sampler;
  sampler.moves = NNP_MOVES_AUTOMATIC;
  VERDICT(p_value(regression, sampler) > 1e-3);
  VERDICT(p_value(classes, sampler) > 1e-3);
  VERDICT(p_value(heavy_tails, sampler) > 1e-3);
  VERDICT(p_value({1, NNP_ABS, NNP_SIGN_HEAD, true}, sampler) > 1e-3);
}

void test_hmc_is_calibrated() {
  VERDICT(p_value(regression, hmc_on(NNP_INTERMEDIATE)) > 1e-3);
  VERDICT(p_value(regression, hmc_on(NNP_CLASSICAL)) > 1e-3);
  VERDICT(p_value(classes, hmc_on(NNP_CLASSICAL)) > 1e-3);
  VERDICT(p_value(heavy_tails, hmc_on(NNP_CLASSICAL)) > 1e-3);
  // Trajectories that leave the region of the labels are rejected: shorter ones, and more of them.
  Sampler careful = hmc_on(NNP_INTERMEDIATE);
  careful.options = {
      {NNP_OPTION_STEP_SIZE, 0.2}, {NNP_OPTION_LEAPFROGS, 5}, {NNP_OPTION_JITTER, 0.5}};
  careful.burn_in = 500;
  careful.thin = 60;
  VERDICT(p_value({1, NNP_RELU, NNP_SIGN_HEAD, true}, careful) > 1e-3);
}

// Posteriors too wide or too narrow, and drawn by either set of moves.
void test_a_broken_sampler_is_not() {
  Sampler sampler;
  sampler.wrong_layer = 3;
  sampler.wrong_factor = 4;
  VERDICT(p_value(regression, sampler) < 1e-6);
  sampler.wrong_factor = 0.02;
  VERDICT(p_value(classes, sampler) < 1e-6);
  VERDICT(p_value(heavy_tails, sampler) < 1e-6);
  sampler.wrong_factor = 4;
  sampler.moves = NNP_MOVES_AUTOMATIC;
  VERDICT(p_value(regression, sampler) < 1e-6);
  Sampler hmc = hmc_on(NNP_INTERMEDIATE);
  hmc.wrong_layer = 3;
  hmc.wrong_factor = 4;
  VERDICT(p_value(regression, hmc) < 1e-6);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_plain_gibbs_is_calibrated);
  RUN_TEST(test_gibbs_with_all_moves_is_calibrated);
  RUN_TEST(test_hmc_is_calibrated);
  RUN_TEST(test_a_broken_sampler_is_not);
  return UNITY_END();
}
