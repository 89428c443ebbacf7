/* Shared by several examples: error handling, a small network, some rows of data. */
#ifndef EXAMPLES_SMALL_H
#define EXAMPLES_SMALL_H

#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 2 };

static nnp_error err;

/* Ends the program with the library's message if a call has failed. */
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

/* Rows `first` to `first + count - 1` of an endless table: y = |x1| - x2 / 2. */
static inline void small_rows(int64_t first, int64_t count, double *x, double *y) {
  for (int64_t i = 0; i < count; ++i) {
    const double row = (double)(first + i + 1);
    x[2 * i] = 4 * fmod(row * 0.7548776662466927, 1) - 2;
    x[2 * i + 1] = 4 * fmod(row * 0.5698402909980532, 1) - 2;
    y[i] = fabs(x[2 * i]) - 0.5 * x[2 * i + 1];
  }
}

/* A network with two inputs, `hidden` relu units and one output, observed with noise D = 0.01. */
static inline void small_layers(nnp_net *net, int64_t hidden) {
  check(nnp_net_dense(net, hidden, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, 1, &err));
  check(nnp_net_head(net, NNP_GAUSSIAN, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-2, &err));
}

static inline nnp_net *small_net(int64_t hidden) {
  nnp_net *net;
  check(nnp_net_create(&net, INPUTS, &err));
  small_layers(net, hidden);
  return net;
}

/* The first `rows` rows, at most 200. */
enum { ROWS = 200 };
static inline nnp_data *small_data(int64_t rows) {
  static double x[ROWS * INPUTS], y[ROWS];
  nnp_data *data;
  small_rows(0, rows, x, y);
  check(nnp_data_create(&data, rows, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  return data;
}

#endif
