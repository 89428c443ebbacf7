#include "problem.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

/* splitmix64: a counter, well mixed. Uniform on (0, 1). */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 12) + 0.5) / 4503599627370496.0;
}

/* Box and Muller. */
static double standard_normal(uint64_t *state) {
  const double radius = sqrt(-2 * log(uniform(state)));
  return radius * cos(6.283185307179586 * uniform(state));
}

static nnp_net *make_net(problem_shape shape) {
  nnp_error err;
  nnp_net *net;
  check(nnp_net_create(&net, shape.inputs, &err), &err);
  check(nnp_net_dense(net, shape.hidden, &err), &err);
  check(nnp_net_activation(net, NNP_RELU, &err), &err);
  check(nnp_net_dense(net, 1, &err), &err);
  check(nnp_net_head(net, NNP_GAUSSIAN, &err), &err);
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, shape.noise, &err), &err);
  return net;
}

/* Random inputs; the targets are still to come. */
static nnp_data *make_inputs(int64_t rows, int64_t inputs, uint64_t *state) {
  nnp_error err;
  nnp_data *data;
  const int64_t size = rows * inputs;
  double *x = need_memory(sizeof(double) * (size_t)size);
  for (int64_t i = 0; i < size; ++i) x[i] = standard_normal(state);
  check(nnp_data_create(&data, rows, inputs, 1, &err), &err);
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err), &err);
  free(x);
  return data;
}

static void label(nnp_data *data, int64_t rows, const nnp_net *net, const double *teacher) {
  nnp_error err;
  nnp_predictor *predictor;
  double *y = need_memory(sizeof(double) * (size_t)rows);
  check(nnp_predictor_create(&predictor, net, 1, &err), &err);
  check(nnp_predict(predictor, data, teacher, 1, NNP_PREDICT_MEAN, y, &err), &err);
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err), &err);
  nnp_predictor_free(predictor);
  free(y);
}

/* A draw from the prior: a random number of variance 1/lambda for every weight and bias. */
static double *make_teacher(const nnp_net *net, uint64_t *state) {
  nnp_error err;
  int64_t parameters, layers, first, weights, biases;
  check(nnp_net_parameters(net, &parameters, &err), &err);
  check(nnp_net_layers(net, &layers, &err), &err);
  double *teacher = need_memory(sizeof(double) * (size_t)parameters);
  for (int64_t k = 1; k <= layers; ++k) {
    double lambda_w = 1, lambda_b = 1;
    check(nnp_net_layer(net, k, &first, &weights, &biases, &err), &err);
    if (weights > 0) check(nnp_net_get(net, k, NNP_LAMBDA_W, &lambda_w, &err), &err);
    if (biases > 0) check(nnp_net_get(net, k, NNP_LAMBDA_B, &lambda_b, &err), &err);
    for (int64_t i = 0; i < weights + biases; ++i)
      teacher[first + i] = standard_normal(state) / sqrt(i < weights ? lambda_w : lambda_b);
  }
  return teacher;
}

problem problem_create(problem_shape shape, uint64_t seed) {
  problem made = {shape, NULL, NULL, NULL, NULL};
  uint64_t state = seed;
  made.net = make_net(shape);
  made.teacher = make_teacher(made.net, &state);
  made.train = make_inputs(shape.train_rows, shape.inputs, &state);
  made.test = make_inputs(shape.test_rows, shape.inputs, &state);
  label(made.train, shape.train_rows, made.net, made.teacher);
  label(made.test, shape.test_rows, made.net, made.teacher);
  return made;
}

void problem_free(problem *made) {
  free(made->teacher);
  nnp_data_free(made->test);
  nnp_data_free(made->train);
  nnp_net_free(made->net);
}
