/* Small problems that the tests of the C API share: a network, data and a chain for each head. */
#ifndef NNPOST_TESTS_PROBLEM_H
#define NNPOST_TESTS_PROBLEM_H

#include <stdlib.h>
#include <string.h>

#include "nnpost.h"
#include "unity.h"

#define OK(call)                                                       \
  do {                                                                 \
    nnp_error ok_err_ = {0, ""};                                       \
    nnp_error *e = &ok_err_;                                           \
    const int32_t ok_status_ = (call);                                 \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, ok_status_, e->message);   \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, e->status, "err->status"); \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", e->message, "err->message");  \
  } while (0)

typedef struct Problem {
  int32_t head;
  int64_t n, inputs, outputs, layers, parameters, latents;
  nnp_net *net;
  nnp_data *data;
  nnp_chain *chain;
} Problem;

/* A sequence without pattern, the same every time, in (-1, 1). */
static inline double problem_value(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 11) * 0x1p-52 - 1;
}

static inline double *problem_doubles(int64_t count) {
  double *values = (double *)calloc((size_t)(count > 0 ? count : 1), sizeof(double));
  TEST_ASSERT_NOT_NULL(values);
  return values;
}

/* 3 inputs -> dense 4 -> relu -> dense, with biases, every layer with another noise. */
static inline nnp_net *problem_net(int32_t head) {
  nnp_net *net = NULL;
  const int64_t outputs = head == NNP_GAUSSIAN ? 2 : head == NNP_ARGMAX ? 3 : 1;
  OK(nnp_net_create(&net, 3, e));
  OK(nnp_net_dense(net, 4, e));
  OK(nnp_net_activation(net, NNP_RELU, e));
  OK(nnp_net_dense(net, outputs, e));
  OK(nnp_net_head(net, head, e));
  OK(nnp_net_set(net, 1, NNP_NOISE, 0.3, e));
  OK(nnp_net_set(net, 2, NNP_NOISE, 0.2, e));
  OK(nnp_net_set(net, 3, NNP_NOISE, 0.1, e));
  return net;
}

static inline nnp_data *problem_data(int64_t n, int64_t inputs, int64_t outputs, int32_t head,
                                     uint64_t seed) {
  nnp_data *data = NULL;
  double *x = problem_doubles(n * inputs), *y = problem_doubles(n * outputs);
  int32_t *labels = (int32_t *)calloc((size_t)n, sizeof(int32_t));
  int64_t i;
  TEST_ASSERT_NOT_NULL(labels);
  for (i = 0; i < n * inputs; ++i) x[i] = 2 * problem_value(&seed);
  for (i = 0; i < n * outputs; ++i) y[i] = problem_value(&seed);
  for (i = 0; i < n; ++i) {
    const double u = 0.5 * (problem_value(&seed) + 1);
    labels[i] = head == NNP_SIGN_HEAD ? (u < 0.5 ? -1 : 1) : (int32_t)(u * (double)outputs);
  }
  OK(nnp_data_create(&data, n, inputs, outputs, e));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, e));
  OK(nnp_data_set_labels(data, labels, e));
  free(x);
  free(y);
  free(labels);
  return data;
}

/* Everything but the start of the chain. */
static inline Problem problem_make(int32_t head, int64_t n) {
  Problem p;
  int64_t shape[3];
  p.head = head;
  p.n = n;
  p.net = problem_net(head);
  OK(nnp_net_shape(p.net, 0, shape, e));
  p.inputs = shape[0] * shape[1] * shape[2];
  OK(nnp_net_outputs(p.net, &p.outputs, e));
  OK(nnp_net_layers(p.net, &p.layers, e));
  OK(nnp_net_parameters(p.net, &p.parameters, e));
  OK(nnp_net_latents(p.net, &p.latents, e));
  p.data = problem_data(n, p.inputs, p.outputs, head, 1);
  p.chain = NULL;
  OK(nnp_chain_create(&p.chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  return p;
}

static inline void problem_free(Problem *p) {
  nnp_chain_free(p->chain);
  nnp_data_free(p->data);
  nnp_net_free(p->net);
}

/* The parameters and all latent sites, one behind the other: what a chain can be told apart by. */
static inline double *problem_state(const Problem *p, const nnp_chain *chain) {
  double *state = problem_doubles(p->parameters + p->latents * p->n);
  double *site = state + p->parameters;
  int64_t k, shape[3];
  OK(nnp_chain_parameters(chain, state, e));
  for (k = 1; k <= p->layers; ++k) {
    if (k == p->layers && p->head == NNP_GAUSSIAN) break;
    OK(nnp_net_shape(p->net, k, shape, e));
    OK(nnp_chain_site(chain, k, site, e));
    site += shape[0] * shape[1] * shape[2] * p->n;
  }
  return state;
}

/* Do two chains of the same problem stand at the same state, bit for bit? */
static inline int problem_same(const Problem *p, const nnp_chain *a, const nnp_chain *b) {
  double *left = problem_state(p, a), *right = problem_state(p, b);
  const size_t bytes = sizeof(double) * (size_t)(p->parameters + p->latents * p->n);
  const int same = memcmp(left, right, bytes) == 0;
  free(left);
  free(right);
  return same;
}

#endif
