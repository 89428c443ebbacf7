/* A network, data, its teacher and a chain of it: what a test has made is freed after it. */
#ifndef NNPOST_TESTS_TAUGHT_H
#define NNPOST_TESTS_TAUGHT_H

#include <math.h>
#include <stdlib.h>

#include "capi/nnpost_study.h"
#include "tests/support/expect.h"

enum { INPUTS = 3 };

static nnp_net *net;
static nnp_data *data;
static nnp_teacher *teacher;
static nnp_chain *chain;

typedef struct Taught {
  int32_t head;
  int64_t rows, hidden, outputs, targets; /* targets: columns that the data have room for */
  double noise;
} Taught;

/* Dense, relu, dense and the head over inputs between -1.5 and 1.5, not labelled yet. */
static void make_taught(Taught t) {
  double *x = (double *)malloc(sizeof(double) * (size_t)(t.rows * INPUTS));
  int64_t i;
  OK(nnp_net_create(&net, INPUTS, &err));
  OK(nnp_net_dense(net, t.hidden, &err));
  OK(nnp_net_activation(net, NNP_RELU, &err));
  OK(nnp_net_dense(net, t.outputs, &err));
  OK(nnp_net_head(net, t.head, &err));
  OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, t.noise, &err));
  for (i = 0; i < t.rows * INPUTS; ++i)
    x[i] = 3 * fmod((double)(i + 1) * 0.6180339887498949, 1) - 1.5;
  OK(nnp_data_create(&data, t.rows, INPUTS, t.targets, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  free(x);
}

static void make_teacher(int32_t posterior) {
  OK(nnp_teacher_create(&teacher, net, posterior, 7, 3, &err));
}

void setUp(void) {
  net = NULL;
  data = NULL;
  teacher = NULL;
  chain = NULL;
}

void tearDown(void) {
  nnp_chain_free(chain);
  nnp_teacher_free(teacher);
  nnp_data_free(data);
  nnp_net_free(net);
}

#endif
