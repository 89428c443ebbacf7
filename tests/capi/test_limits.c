/* What a Gibbs chain does at the edges: precisions and weights that double precision cannot hold
 * are refused, labels that change under a chain are obeyed, and schedules draw in the order they
 * name. */
#include <math.h>

#include "tests/support/problem.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 50 };

/* Two inputs that are one and the same, a layer of one unit without bias. */
typedef struct Twins {
  nnp_net *net;
  nnp_data *data;
  nnp_chain *chain;
} Twins;

static Twins make_twins(double input_scale, double target_scale, double noise) {
  Twins t;
  double x[2 * ROWS], y[ROWS];
  uint64_t seed = 3;
  int i;
  for (i = 0; i < ROWS; ++i) {
    x[2 * i] = x[2 * i + 1] = input_scale * problem_value(&seed);
    y[i] = target_scale * problem_value(&seed);
  }
  OK(nnp_net_create(&t.net, 2, e));
  OK(nnp_net_dense(t.net, 1, e));
  OK(nnp_net_head(t.net, NNP_GAUSSIAN, e));
  OK(nnp_net_set(t.net, 1, NNP_BIAS, 0, e));
  OK(nnp_net_set(t.net, 1, NNP_LAMBDA_W, 1, e));
  OK(nnp_net_set(t.net, 1, NNP_NOISE, noise, e));
  OK(nnp_data_create(&t.data, ROWS, 2, 1, e));
  OK(nnp_data_set_inputs(t.data, x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(t.data, y, NNP_ROW_MAJOR, e));
  OK(nnp_chain_create(&t.chain, t.net, t.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_start(t.chain, NNP_START_ZERO, 1, 0, e));
  return t;
}

static void free_twins(Twins *t) {
  nnp_chain_free(t->chain);
  nnp_data_free(t->data);
  nnp_net_free(t->net);
}

/* The data say nothing of w1 - w2: its variance is the prior's, 2. It is that, or the run fails. */
static void check_twins(double scale, double noise, int may_run) {
  enum { DRAWS = 4000 };
  static double draws[2 * DRAWS];
  Twins t = make_twins(scale, 1, noise);
  nnp_error err;
  const int32_t status = nnp_chain_sample(t.chain, draws, DRAWS, 1, NULL, NULL, &err);
  if (status == NNP_OK) {
    double square = 0;
    int i;
    for (i = 0; i < DRAWS; ++i)
      square += (draws[2 * i] - draws[2 * i + 1]) * (draws[2 * i] - draws[2 * i + 1]) / DRAWS;
    TEST_ASSERT_DOUBLE_WITHIN(0.2, 2, square); /* its standard error is 0.045 */
  } else {
    TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_E_NUMERIC, status, err.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "layer 1"), err.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "scaled"), err.message);
    TEST_ASSERT_FALSE(may_run);
  }
  free_twins(&t);
}

static void test_directions_without_data(void) {
  double scale, noise;
  for (noise = 1e-8; noise < 10; noise *= 10)
    for (scale = 1; scale < 1e9; scale *= 10)
      check_twins(scale, noise, noise / (scale * scale) > 1e-11);
}

static void test_weights_beyond_double_precision(void) {
  Twins t = make_twins(1e-150, 1e200, 1e-300);
  double w[2];
  nnp_error err;
  TEST_ASSERT_EQUAL_INT32(NNP_E_NUMERIC, nnp_chain_run(t.chain, 1, NULL, NULL, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "layer 1"), err.message);
  OK(nnp_chain_parameters(t.chain, w, e));
  TEST_ASSERT_TRUE(w[0] == 0 && w[1] == 0); /* the weights are where they were */
  free_twins(&t);
}

/* Over-relaxed scores stay where a move would contradict the label: it must agree first. */
static void test_new_labels(void) {
  enum { N = 40 };
  Problem p = problem_make(NNP_SIGN_HEAD, N);
  int32_t labels[N];
  double scores[N];
  int64_t i;
  OK(nnp_chain_set(p.chain, NNP_OPTION_RELAX, -0.9, e));
  OK(nnp_chain_set(p.chain, NNP_OPTION_PLAIN_EVERY, 1000, e));
  OK(nnp_chain_start(p.chain, NNP_START_PRIOR, 1, 0, e));
  OK(nnp_chain_run(p.chain, 3, NULL, NULL, e));
  OK(nnp_chain_site(p.chain, 3, scores, e));
  for (i = 0; i < N; ++i) labels[i] = scores[i] > 0 ? -1 : 1; /* all others than before */
  OK(nnp_data_set_labels(p.data, labels, e));
  OK(nnp_chain_run(p.chain, 3, NULL, NULL, e));
  OK(nnp_chain_site(p.chain, 3, scores, e));
  for (i = 0; i < N; ++i) TEST_ASSERT_TRUE(labels[i] * scores[i] >= 0);
  problem_free(&p);
}

/* ---- the order of a step --------------------------------------------------------------------- */

enum { PARAMETERS = 4 + 6 + 3 }; /* of 1 -> 2 relu -> 2 relu -> 1 */

static void step_once(int32_t schedule, double *parameters) {
  nnp_net *net;
  nnp_chain *chain;
  nnp_data *data = problem_data(ROWS, 1, 1, NNP_GAUSSIAN, 8);
  int hidden;
  OK(nnp_net_create(&net, 1, e));
  for (hidden = 0; hidden < 2; ++hidden) {
    OK(nnp_net_dense(net, 2, e));
    OK(nnp_net_activation(net, NNP_RELU, e));
  }
  OK(nnp_net_dense(net, 1, e));
  OK(nnp_net_head(net, NNP_GAUSSIAN, e));
  OK(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, e));
  OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, schedule, e));
  OK(nnp_chain_start(chain, NNP_START_PRIOR, 4, 0, e));
  OK(nnp_chain_run(chain, 1, NULL, NULL, e));
  OK(nnp_chain_parameters(chain, parameters, e));
  nnp_chain_free(chain);
  nnp_net_free(net);
  nnp_data_free(data);
}

static int same(const double *a, const double *b, int first, int count) {
  return memcmp(a + first, b + first, (size_t)count * sizeof(double)) == 0;
}

/* Weights have their own streams, sites share one, so bits tell what was drawn from what. In a
 * first step both of the paper's algorithms draw W1 from the old Z1, and W2 from the first draw of
 * a site (X1); W3 needs X2, their third and their second draw of a site. From the labels down W3 is
 * drawn before any site, and W1 from the new Z1. */
static void test_order_of_draws(void) {
  double sequential[PARAMETERS], parallel[PARAMETERS], backward[PARAMETERS];
  step_once(NNP_SEQUENTIAL, sequential);
  step_once(NNP_PARALLEL, parallel);
  step_once(NNP_BACKWARD, backward);
  TEST_ASSERT_TRUE(same(sequential, parallel, 0, 4));
  TEST_ASSERT_TRUE(same(sequential, parallel, 4, 6));
  TEST_ASSERT_FALSE(same(sequential, parallel, 10, 3));
  TEST_ASSERT_FALSE(same(sequential, backward, 0, 4));
  TEST_ASSERT_FALSE(same(sequential, backward, 4, 6));
  TEST_ASSERT_FALSE(same(sequential, backward, 10, 3));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_directions_without_data);
  RUN_TEST(test_weights_beyond_double_precision);
  RUN_TEST(test_new_labels);
  RUN_TEST(test_order_of_draws);
  return UNITY_END();
}
