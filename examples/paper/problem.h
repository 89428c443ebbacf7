/* A teacher-student problem: a network with weights drawn from the prior labels random inputs, and
 * the same network has to learn them. Since the teacher is known, a chain can start from the
 * truth; samplers are tested by whether other chains end where that one does. */
#ifndef EXAMPLES_PROBLEM_H
#define EXAMPLES_PROBLEM_H

#include <nnpost_study.h>

/* inputs -> hidden relu units -> one output. */
typedef struct problem_shape {
  int64_t inputs, hidden, train_rows, test_rows;
  double noise; /* D of every layer */
} problem_shape;

typedef struct problem {
  problem_shape shape;
  nnp_net *net;
  nnp_data *train, *test;
  nnp_teacher *teacher;
  double *sites; /* that made the training labels */
} problem;

/* Makes a problem. Inputs are standard normal; training labels have the model's noise, test labels
 * none. All of it depends on the seed alone. Ends the program with a sentence if it fails. */
problem problem_create(problem_shape shape, uint64_t seed);
void problem_free(problem *made);

/* Fills x with standard normals, from a seed of their own. */
void fill_normals(double *x, int64_t count, uint64_t seed);

#endif
