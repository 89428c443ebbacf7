// Samplers whose rows are spread over ranks sample the posterior of all rows: Geweke's joint test of
// every sampler on two and three ranks (threads of this process) with uneven shares of rows, and proof
// that it sees a broken one.
#include <pthread.h>

#include "tests/support/scales.hpp"

namespace {

using Factory = geweke::Setup (*)();

constexpr int most_ranks = 3;

struct Rank {
  Factory make;
  nnp_comm comm;
  double wrong_factor;
  geweke::Result result;
  pthread_t thread;
};

void *act(void *argument) {
  Rank &rank = *static_cast<Rank *>(argument);
  geweke::Setup setup = rank.make();
  setup.comm = &rank.comm;
  if (rank.wrong_factor != 1) setup.wrong_layer = 1;
  setup.wrong_factor = rank.wrong_factor;
  rank.result = geweke::run(setup);
  return nullptr;
}

// The largest |z| that any rank finds.
geweke::Result run_on(int count, Factory make, double wrong_factor) {
  nnp_error err;
  nnp_team *team = nullptr;
  Rank ranks[most_ranks];
  if (nnp_team_create(&team, count, &err) == NNP_E_UNSUPPORTED)
    TEST_IGNORE_MESSAGE("this build has no threads");
  TEST_ASSERT_EQUAL_MESSAGE(NNP_OK, err.status, err.message);
  for (int r = 0; r < count; ++r) {
    ranks[r].make = make;
    ranks[r].wrong_factor = wrong_factor;
    TEST_ASSERT_EQUAL(NNP_OK, nnp_team_comm(team, r, &ranks[r].comm, &err));
    TEST_ASSERT_EQUAL(0, pthread_create(&ranks[r].thread, nullptr, act, &ranks[r]));
  }
  geweke::Result worst;
  for (int r = 0; r < count; ++r) {
    pthread_join(ranks[r].thread, nullptr);
    if (ranks[r].result.worst >= worst.worst) worst = ranks[r].result;
  }
  nnp_team_free(team);
  return worst;
}

void check_on(int count, Factory make) {
  const geweke::Result result = run_on(count, make, 1);
  char message[300];
  std::snprintf(message, sizeof message, "%d ranks: %s", count, result.where.c_str());
  TEST_ASSERT_TRUE_MESSAGE(result.worst < 4, message);
}

void check(Factory make) {
  for (int count = 2; count <= most_ranks; ++count) check_on(count, make);
}

// Three blocks of rows: shares are of one and two blocks on two ranks, the last is shorter. So much
// noise that they say a few times as much as the prior: with less of it the chain would be slow, with
// more nobody would see that the rows of a rank count twice.
geweke::Setup spread(nnp_net *net) {
  geweke::Setup setup;
  const double noise[] = {30, 30, 1000};
  for (int64_t k = 1; k <= 3; ++k) nnp_net_set(net, k, NNP_NOISE, noise[k - 1], nullptr);
  setup.net = net;
  setup.n = 300;
  setup.steps = 6000;
  setup.seed = 77;
  return setup;
}

geweke::Setup gibbs(int32_t head, double moves) {
  geweke::Setup setup = spread(nets::make({1, NNP_RELU, head, true}));
  setup.moves = moves;
  return setup;
}

geweke::Setup plain() {
  return gibbs(NNP_GAUSSIAN, NNP_MOVES_PLAIN);
}
geweke::Setup with_moves() {
  return gibbs(NNP_GAUSSIAN, NNP_MOVES_AUTOMATIC);
}
geweke::Setup classes() {
  return gibbs(NNP_ARGMAX, NNP_MOVES_AUTOMATIC);
}

void test_gibbs_without_moves() {
  check(plain);
}
void test_gibbs_with_its_moves() {
  check(with_moves);
}
void test_gibbs_of_classes() {
  check(classes);
}

// Noises and precisions around the values that they have above. Hundreds of rows tell a noise well:
// its hyperprior must tell as much, or it would change by little steps only.
geweke::Setup learned(int32_t head) {
  geweke::Setup setup = gibbs(head, NNP_MOVES_AUTOMATIC);
  nnp_net_learn(setup.net, 1, NNP_NOISE, 400, 1 / 30.0, nullptr);
  nnp_net_learn(setup.net, 3, NNP_NOISE, 400, 1e-3, nullptr);
  for (int64_t k = 1; k <= 3; k += 2) nnp_net_learn(setup.net, k, NNP_LAMBDA_W, 8, 2.5, nullptr);
  return setup;
}

geweke::Setup scales() {
  return learned(NNP_GAUSSIAN);
}
geweke::Setup heavy_tails() {
  return learned(NNP_STUDENT_T);
}

void test_gibbs_with_learned_scales() {
  check(scales);
}
void test_gibbs_with_heavy_tails() {
  check(heavy_tails);
}

geweke::Setup by_gradients(int32_t sampler, int32_t posterior) {
  geweke::Setup setup = spread(nets::make({1, NNP_TANH, NNP_GAUSSIAN, true}));
  // Only the last noise counts in the classical posterior.
  if (posterior == NNP_CLASSICAL) nnp_net_set(setup.net, 3, NNP_NOISE, 10, nullptr);
  setup.sampler = sampler;
  setup.posterior = posterior;
  setup.warmup = 300;
  setup.options = {{NNP_OPTION_WARMUP, static_cast<double>(setup.warmup)}};
  return setup;
}

geweke::Setup hmc() {
  return by_gradients(NNP_HMC, NNP_CLASSICAL);
}
geweke::Setup hmc_with_sites() {
  return by_gradients(NNP_HMC, NNP_INTERMEDIATE);
}
geweke::Setup nuts() {
  return by_gradients(NNP_NUTS, NNP_CLASSICAL);
}
geweke::Setup nuts_with_sites() {
  return by_gradients(NNP_NUTS, NNP_INTERMEDIATE);
}
geweke::Setup mala() {
  geweke::Setup setup = by_gradients(NNP_MALA, NNP_CLASSICAL);
  setup.thin = 10;
  return setup;
}

void test_hmc() {
  check_on(2, hmc);
  check_on(2, hmc_with_sites);
}
void test_nuts() {
  check_on(2, nuts);
  check_on(2, nuts_with_sites);
}
void test_mala() {
  check_on(2, mala);
}

// Ranks that all believe in less noise of the first layer than there is.
void test_a_broken_sampler_fails() {
  const geweke::Result result = run_on(2, plain, 0.7);
  TEST_ASSERT_TRUE_MESSAGE(result.worst > 5, result.where.c_str());
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_gibbs_without_moves);
  RUN_TEST(test_gibbs_with_its_moves);
  RUN_TEST(test_gibbs_of_classes);
  RUN_TEST(test_gibbs_with_learned_scales);
  RUN_TEST(test_gibbs_with_heavy_tails);
  RUN_TEST(test_hmc);
  RUN_TEST(test_nuts);
  RUN_TEST(test_mala);
  RUN_TEST(test_a_broken_sampler_fails);
  return UNITY_END();
}
