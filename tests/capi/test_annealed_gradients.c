/* Gradient samplers anneal: their step follows the noise, the warm-up comes afterwards, and what is
 * sampled then is the posterior, which is known for linear regression. */
#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_diagnostics.h"
#include "tests/support/expect.h"

enum { ROWS = 60, DRAWS = 6000, ANNEALING = 200, WARMUP = 300 };

static nnp_net *net;
static nnp_data *data;
static nnp_chain *chain, *other;
static double mean, sd; /* of the one weight */

void setUp(void) {
  double x[ROWS], y[ROWS], xx = 0, xy = 0;
  int i;
  chain = other = NULL;
  for (i = 0; i < ROWS; ++i) {
    x[i] = 3 * fmod((i + 1) * 0.6180339887498949, 1) - 1.5;
    y[i] = 0.8 * x[i] + 0.2 * sin(50.0 * i);
    xx += x[i] * x[i];
    xy += x[i] * y[i];
  }
  OK(nnp_net_create(&net, 1, &err));
  OK(nnp_net_dense(net, 1, &err));
  OK(nnp_net_head(net, NNP_GAUSSIAN, &err));
  OK(nnp_net_set(net, 1, NNP_BIAS, 0, &err));
  OK(nnp_net_set(net, 1, NNP_LAMBDA_W, 2, &err));
  OK(nnp_net_set(net, 1, NNP_NOISE, 1e-3, &err));
  OK(nnp_data_create(&data, ROWS, 1, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  mean = xy / (xx + 2e-3);
  sd = sqrt(1e-3 / (xx + 2e-3));
}

void tearDown(void) {
  nnp_chain_free(chain);
  nnp_chain_free(other);
  nnp_data_free(data);
  nnp_net_free(net);
}

static nnp_chain *make(int32_t sampler, double warmup) {
  nnp_chain *made = NULL;
  OK(nnp_chain_create(&made, net, data, sampler, NNP_CLASSICAL, &err));
  OK(nnp_chain_set(made, NNP_OPTION_WARMUP, warmup, &err));
  OK(nnp_chain_set(made, NNP_OPTION_STEP_SIZE, sampler == NNP_MALA ? 1e-5 : 4e-3, &err));
  OK(nnp_chain_set(made, NNP_OPTION_JITTER, 0.3, &err));
  OK(nnp_chain_start(made, NNP_START_PRIOR, 3, 0, &err));
  OK(nnp_chain_anneal(made, 1, ANNEALING, &err));
  return made;
}

static void check_draws(const double *draws, double tau, const char *name) {
  double sum = 0, square = 0;
  int i;
  for (i = 0; i < DRAWS; ++i) sum += draws[i] / DRAWS;
  for (i = 0; i < DRAWS; ++i) square += (draws[i] - mean) * (draws[i] - mean) / DRAWS;
  TEST_ASSERT_TRUE_MESSAGE(fabs(sum - mean) < 4 * sd * sqrt(tau / DRAWS), name);
  TEST_ASSERT_TRUE_MESSAGE(fabs(square / (sd * sd) - 1) < 4 * sqrt(2 * tau / DRAWS), name);
}

static void test_annealed_chains_sample_the_posterior(void) {
  static const int32_t samplers[] = {NNP_HMC, NNP_MALA, NNP_NUTS};
  static const char *const names[] = {"hmc", "mala", "nuts"};
  static double draws[DRAWS], steps[NNP_STEP_STATISTICS * ANNEALING];
  int64_t left = 0;
  int s, i, warm;
  for (s = 0; s < 3; ++s)
    for (warm = 0; warm < 2; ++warm) {
      double accepted = 0, first = 0, last = 0;
      chain = make(samplers[s], warm ? WARMUP : 0);
      OK(nnp_chain_record(chain, steps, ANNEALING, &err));
      if (warm) {
        FAILS(NNP_E_VALUE, "500 steps", nnp_chain_sample(chain, draws, 1, 1, NULL, NULL, &err));
        FAILS(NNP_E_VALUE, "still has 500", nnp_chain_run(chain, 499, NULL, NULL, &err));
      }
      OK(nnp_chain_run(chain, ANNEALING + (warm ? WARMUP : 0), NULL, NULL, &err));
      OK(nnp_chain_annealing(chain, &left, &err));
      TEST_ASSERT_EQUAL_INT64(0, left);
      for (i = 0; i < ANNEALING; ++i)
        accepted +=
            steps[NNP_STEP_STATISTICS * i + NNP_STEP_ACCEPTANCE - NNP_STEP_LOG_DENSITY] / ANNEALING;
      for (i = 0; i < 20; ++i) {
        first += steps[NNP_STEP_STATISTICS * i + NNP_STEP_SIZE - NNP_STEP_LOG_DENSITY];
        last +=
            steps[NNP_STEP_STATISTICS * (ANNEALING - 1 - i) + NNP_STEP_SIZE - NNP_STEP_LOG_DENSITY];
      }
      /* the noise fell by 1000: steps by some 30, those of MALA by its square */
      TEST_ASSERT_TRUE_MESSAGE(first > 5 * last, names[s]);
      TEST_ASSERT_TRUE_MESSAGE(accepted > 0.3 && accepted < 0.98, names[s]);
      OK(nnp_chain_sample(chain, draws, DRAWS, 1, NULL, NULL, &err));
      check_draws(draws, samplers[s] == NNP_MALA ? 12 : 4, names[s]);
      nnp_chain_free(chain);
      chain = NULL;
    }
}

/* Without adaptation: the step of the options, times the root of the noise in force. */
static void test_the_step_follows_the_noise(void) {
  static double steps[NNP_STEP_STATISTICS * (ANNEALING + 5)];
  int i;
  chain = make(NNP_HMC, 0);
  OK(nnp_chain_set(chain, NNP_OPTION_JITTER, 0, &err));
  OK(nnp_chain_set(chain, NNP_OPTION_ADAPT_STEP, 0, &err));
  OK(nnp_chain_record(chain, steps, ANNEALING + 5, &err));
  OK(nnp_chain_run(chain, ANNEALING + 5, NULL, NULL, &err));
  for (i = 0; i < ANNEALING + 5; ++i) {
    const double level = i < ANNEALING ? floor(256.0 * i / ANNEALING) / 256 : 1;
    const double noise = 1e-3 * pow(1000, 1 - level);
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-12, 4e-3 * sqrt(noise / 1e-3),
        steps[NNP_STEP_STATISTICS * i + NNP_STEP_SIZE - NNP_STEP_LOG_DENSITY]);
  }
}

/* Saved in the middle of annealing, and of the warm-up after it, chains go on bit for bit. */
static void test_saved_in_the_middle(void) {
  static const int64_t places[] = {70, 199, 200, 260};
  double a = 0, b = 0;
  size_t bytes = 0;
  int p;
  for (p = 0; p < 4; ++p) {
    void *block;
    chain = make(NNP_HMC, 0);
    OK(nnp_chain_create(&other, net, data, NNP_HMC, NNP_CLASSICAL, &err));
    OK(nnp_chain_run(chain, places[p], NULL, NULL, &err));
    OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, WARMUP, &err));
    OK(nnp_chain_save_bytes(chain, &bytes, &err));
    block = malloc(bytes);
    OK(nnp_chain_save(chain, block, bytes, &err));
    OK(nnp_chain_restore(other, block, bytes, &err));
    free(block);
    OK(nnp_chain_run(chain, 600, NULL, NULL, &err));
    OK(nnp_chain_run(other, 600, NULL, NULL, &err));
    OK(nnp_chain_parameters(chain, &a, &err));
    OK(nnp_chain_parameters(other, &b, &err));
    TEST_ASSERT_EQUAL_MEMORY(&a, &b, sizeof a);
    nnp_chain_free(chain);
    nnp_chain_free(other);
    chain = other = NULL;
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_annealed_chains_sample_the_posterior);
  RUN_TEST(test_the_step_follows_the_noise);
  RUN_TEST(test_saved_in_the_middle);
  return UNITY_END();
}
