#include "problem.h"

#include <math.h>
#include <stdlib.h>

#include <nnpost_study.h>
#include "support.h"

/* Draws from the uniform distribution on (0, 1), by splitmix64. */
static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 12) + 0.5) / 4503599627370496.0;
}

/* Draws from the standard normal distribution, by the method of Box and Muller. */
static double standard_normal(uint64_t *state) {
  const double radius = sqrt(-2 * log(uniform(state)));
  return radius * cos(6.283185307179586 * uniform(state));
}

void fill_normals(double *x, int64_t count, uint64_t seed) {
  for (int64_t i = 0; i < count; ++i) x[i] = standard_normal(&seed);
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

/* Makes data with random inputs, and without targets yet. */
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

/* Makes the teacher, its labels, and the sites that made those of the training data. */
static void make_labels(problem *made, uint64_t seed) {
  nnp_error err;
  int64_t latents;
  check(nnp_net_latents(made->net, &latents, &err), &err);
  made->sites = need_memory(sizeof(double) * (size_t)(latents * made->shape.train_rows));
  check(nnp_teacher_create(&made->teacher, made->net, NNP_INTERMEDIATE, seed, 0, &err), &err);
  check(nnp_teacher_label(made->teacher, made->train, 1, made->sites, &err), &err);
  check(nnp_teacher_label(made->teacher, made->test, 0, NULL, &err), &err);
}

problem problem_create(problem_shape shape, uint64_t seed) {
  problem made = {shape, NULL, NULL, NULL, NULL, NULL};
  uint64_t state = seed;
  made.net = make_net(shape);
  made.train = make_inputs(shape.train_rows, shape.inputs, &state);
  made.test = make_inputs(shape.test_rows, shape.inputs, &state);
  make_labels(&made, seed);
  return made;
}

void problem_free(problem *made) {
  free(made->sites);
  nnp_teacher_free(made->teacher);
  nnp_data_free(made->test);
  nnp_data_free(made->train);
  nnp_net_free(made->net);
}
