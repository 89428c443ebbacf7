/* Labels that are given to the data after a chain was made on them, and that its head cannot have:
 * every call that looks at them says so. Data takes the labels of any head, as it knows none. */
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

enum { ROWS = 12, INPUTS = 2, CHAINS = 2, CAPACITY = 512 };

static nnp_net *net;
static nnp_data *data, *test;
static nnp_chain *chains[CHAINS];
static nnp_teacher *teacher;
static double x[ROWS * INPUTS];
static int32_t good[ROWS], bad[ROWS];

static nnp_data *make_data(void) {
  nnp_data *made;
  OK(nnp_data_create(&made, ROWS, INPUTS, 0, &err));
  OK(nnp_data_set_inputs(made, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_labels(made, good, &err));
  return made;
}

static void make(int32_t head, int32_t sampler, int32_t posterior, int32_t wrong) {
  int i;
  for (i = 0; i < ROWS * INPUTS; ++i) x[i] = (i * 7 % 11) / 5.0 - 1;
  for (i = 0; i < ROWS; ++i) bad[i] = good[i] = head == NNP_ARGMAX ? i % 3 : 2 * (i % 2) - 1;
  bad[5] = wrong;
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, 2, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, head == NNP_ARGMAX ? 3 : 1, &err));
  OK(nnp_net_head(net, head, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.5, &err));
  data = make_data();
  test = make_data();
  OK(nnp_teacher_create(&teacher, net, posterior, 3, 0, &err));
  for (i = 0; i < CHAINS; ++i) {
    OK(nnp_chain_create(&chains[i], net, data, sampler, posterior, &err));
    OK(nnp_chain_start(chains[i], NNP_START_PRIOR, 5, (uint64_t)i, &err));
  }
}

void setUp(void) {
  net = NULL;
  data = test = NULL;
  teacher = NULL;
  memset(chains, 0, sizeof chains);
}

void tearDown(void) {
  int c;
  for (c = 0; c < CHAINS; ++c) nnp_chain_free(chains[c]);
  nnp_teacher_free(teacher);
  nnp_data_free(test);
  nnp_data_free(data);
  nnp_net_free(net);
}

#define REFUSED(call) FAILS(NNP_E_LABEL, "row 5", call)

/* Each of these fails with the bad labels, and goes well once the good ones are back. */
static void try_chain(nnp_chain *chain) {
  double value, terms[3], outputs[3 * ROWS], parameters[20], draws[40];
  double sites[ROWS * 8] = {0};
  OK(nnp_chain_parameters(chain, parameters, &err));
  OK(nnp_data_set_labels(data, bad, &err));
  REFUSED(nnp_chain_log_density(chain, &value, &err));
  REFUSED(nnp_chain_terms(chain, terms, terms, terms, &err));
  REFUSED(nnp_chain_gradient_statistic(chain, 1, &value, &err));
  REFUSED(nnp_chain_gradient_statistic(chain, 3, &value, &err));
  REFUSED(nnp_chain_score(chain, data, NNP_SCORE_LOG, &value, &err));
  REFUSED(nnp_chain_score(chain, data, NNP_SCORE_ACCURACY, &value, &err));
  REFUSED(nnp_chain_run(chain, 1, NULL, NULL, &err));
  REFUSED(nnp_chain_sample(chain, draws, 1, 1, NULL, NULL, &err));
  REFUSED(nnp_chains_run(chains, CHAINS, 1, NULL, NULL, &err));
  REFUSED(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err));
  REFUSED(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err));
  REFUSED(nnp_chain_start(chain, NNP_START_SMALL, 1, 0, &err));
  REFUSED(nnp_chain_start_weights(chain, parameters, 1, 1, 0, &err));
  REFUSED(nnp_chain_start_weights(chain, parameters, 0, 1, 0, &err));
  REFUSED(nnp_chain_start_state(chain, parameters, sites, 1, 0, &err));
  REFUSED(nnp_chain_start_teacher(chain, teacher, NULL, 1, 0, &err));
  OK(nnp_chain_predict(chain, data, outputs, &err)); /* of inputs alone */
  OK(nnp_data_set_labels(data, good, &err));
  OK(nnp_chain_log_density(chain, &value, &err));
  OK(nnp_chain_terms(chain, terms, terms, terms, &err));
  OK(nnp_chain_gradient_statistic(chain, 1, &value, &err));
  OK(nnp_chain_run(chain, 2, NULL, NULL, &err));
}

static void try_study(void) {
  nnp_study *study;
  nnp_multistart *multistart;
  OK(nnp_study_create(&study, chains, CHAINS, test, CAPACITY, &err));
  OK(nnp_study_set(study, NNP_STUDY_STEPS, 20, &err));
  OK(nnp_data_set_labels(data, bad, &err));
  REFUSED(nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_data_set_labels(data, good, &err));
  OK(nnp_data_set_labels(test, bad, &err));
  REFUSED(nnp_study_run(study, NULL, NULL, &err));
  OK(nnp_data_set_labels(test, good, &err));
  OK(nnp_study_run(study, NULL, NULL, &err));
  nnp_study_free(study);
  OK(nnp_multistart_create(&multistart, chains, CHAINS, &err));
  OK(nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 512, &err));
  OK(nnp_data_set_labels(data, bad, &err));
  REFUSED(nnp_multistart_run(multistart, 1, NULL, NULL, &err));
  OK(nnp_data_set_labels(data, good, &err));
  OK(nnp_multistart_run(multistart, 1, NULL, NULL, &err));
  nnp_multistart_free(multistart);
}

static void try_twin(void) {
  nnp_twin *twin;
  OK(nnp_twin_create(&twin, chains[0], &err));
  OK(nnp_data_set_labels(data, bad, &err));
  REFUSED(nnp_twin_run(twin, 64, 1, 1, NULL, NULL, &err));
  OK(nnp_data_set_labels(data, good, &err));
  OK(nnp_twin_run(twin, 64, 1, 1, NULL, NULL, &err));
  nnp_twin_free(twin);
}

/* With bad labels in place nothing is saved or restored; the block stays as it was. */
static void try_restore(nnp_chain *chain) {
  size_t size;
  void *block;
  OK(nnp_chain_save_bytes(chain, &size, &err));
  block = malloc(size);
  OK(nnp_chain_save(chain, block, size, &err));
  OK(nnp_data_set_labels(data, bad, &err));
  REFUSED(nnp_chain_restore(chain, block, size, &err));
  REFUSED(nnp_chain_save(chain, block, size, &err));
  OK(nnp_data_set_labels(data, good, &err));
  OK(nnp_chain_restore(chain, block, size, &err));
  free(block);
}

static void try_predictor(void) {
  double value, parameters[20] = {0};
  nnp_predictor *predictor;
  OK(nnp_predictor_create(&predictor, net, 1, &err));
  OK(nnp_data_set_labels(test, bad, &err));
  REFUSED(nnp_score(predictor, test, parameters, 1, NNP_SCORE_LOG, &value, &err));
  REFUSED(nnp_score(predictor, test, parameters, 1, NNP_SCORE_ACCURACY, &value, &err));
  OK(nnp_data_set_labels(test, good, &err));
  OK(nnp_score(predictor, test, parameters, 1, NNP_SCORE_LOG, &value, &err));
  nnp_predictor_free(predictor);
}

static void for_labels(int32_t head, const int32_t *wrong, int count) {
  int32_t posterior, sampler;
  int i;
  for (i = 0; i < count; ++i)
    for (posterior = NNP_INTERMEDIATE; posterior <= NNP_CLASSICAL; ++posterior)
      for (sampler = NNP_GIBBS; sampler <= (i == 0 ? NNP_NUTS : NNP_HMC); ++sampler) {
        if (sampler == NNP_GIBBS && posterior == NNP_CLASSICAL) continue;
        tearDown();
        setUp();
        make(head, sampler, posterior, wrong[i]);
        try_chain(chains[0]);
        try_study();
        if (sampler == NNP_GIBBS) try_twin();
        try_restore(chains[0]);
        try_predictor();
      }
}

/* Next to the classes, and as far off as labels go. */
static void test_classes(void) {
  const int32_t wrong[] = {-1, 3, INT32_MAX};
  for_labels(NNP_ARGMAX, wrong, 3);
}

static void test_signs(void) {
  const int32_t wrong[] = {0, 2};
  for_labels(NNP_SIGN_HEAD, wrong, 2);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_classes);
  RUN_TEST(test_signs);
  return UNITY_END();
}
