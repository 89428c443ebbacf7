// Samplers of learned scales, and of noise that varies, are calibrated. Teachers draw scales from
// their hyperpriors, and the ranks of scales count as those of weights do.
#include "tests/support/calibration.hpp"

namespace {

using namespace sbc;
using scales::Learn;

constexpr unsigned everything = scales::tied | scales::precisions;
constexpr unsigned every_input = scales::tied | scales::inputs;

Sampler learning(unsigned what, double moves) {
  Sampler sampler;
  sampler.learns = what;
  sampler.moves = moves;
  sampler.replications = 200;
  return sampler;
}

void test_gibbs() {
  for (double moves : {NNP_MOVES_AUTOMATIC, NNP_MOVES_PLAIN}) {
    VERDICT(p_value(regression, learning(everything, moves)) > 1e-3);
    VERDICT(p_value(regression, learning(every_input, moves)) > 1e-3);
    VERDICT(p_value(regression, learning(scales::noises, moves)) > 1e-3);
    VERDICT(p_value(classes, learning(every_input | scales::precisions, moves)) > 1e-3);
    VERDICT(p_value(heavy_tails, learning(everything, moves)) > 1e-3);
  }
}

Sampler by_gradients(int32_t kind, int32_t posterior, unsigned what) {
  Sampler sampler;
  sampler.kind = kind;
  sampler.posterior = posterior;
  sampler.learns = what;
  sampler.replications = 120;
  sampler.options = {{NNP_OPTION_STEP_SIZE, kind == NNP_MALA ? 0.02 : 0.12},
                     {NNP_OPTION_JITTER, 0.5}};
  if (kind == NNP_HMC) sampler.options.push_back({NNP_OPTION_LEAPFROGS, 15});
  if (kind == NNP_NUTS) sampler.options.push_back({NNP_OPTION_MAX_DEPTH, 5});
  if (kind == NNP_MALA) sampler.replications = 80, sampler.burn_in = 5000, sampler.thin = 700;
  return sampler;
}

void check_gradients(int32_t kind) {
  for (int32_t posterior : {NNP_CLASSICAL, NNP_INTERMEDIATE}) {
    VERDICT(p_value(regression, by_gradients(kind, posterior, everything)) > 1e-3);
    VERDICT(p_value(regression, by_gradients(kind, posterior, every_input)) > 1e-3);
    VERDICT(p_value(varying_noise, by_gradients(kind, posterior, 0)) > 1e-3);
    // Narrow hyperpriors: where outputs vary much, rows with hardly any noise are wedges that steps
    // of one size do not enter.
    Sampler narrow = by_gradients(kind, posterior, scales::precisions);
    narrow.shape = 12;
    VERDICT(p_value(varying_noise, narrow) > 1e-3);
  }
  VERDICT(p_value(regression, by_gradients(kind, NNP_INTERMEDIATE, scales::noises)) > 1e-3);
  VERDICT(p_value(heavy_tails, by_gradients(kind, NNP_CLASSICAL, everything)) > 1e-3);
}

void test_hmc() {
  check_gradients(NNP_HMC);
}
void test_nuts() {
  check_gradients(NNP_NUTS);
}
void test_mala() {
  check_gradients(NNP_MALA);
}

void test_broken_samplers_are_not() {
  Sampler gibbs = learning(everything, NNP_MOVES_AUTOMATIC);
  gibbs.wrong_mean = 3;
  VERDICT(p_value(regression, gibbs) < 1e-6);
  Sampler hmc = by_gradients(NNP_HMC, NNP_CLASSICAL, every_input);
  hmc.wrong_mean = 3;
  VERDICT(p_value(regression, hmc) < 1e-6);
  hmc.learns = scales::precisions;
  VERDICT(p_value(varying_noise, hmc) < 1e-6);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_gibbs);
  RUN_TEST(test_hmc);
  RUN_TEST(test_nuts);
  RUN_TEST(test_mala);
  RUN_TEST(test_broken_samplers_are_not);
  return UNITY_END();
}
