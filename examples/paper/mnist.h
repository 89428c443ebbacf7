/* The MNIST digits, ready for a chain, and the run that both MNIST examples make: the paper's
 * settings, test accuracy along the way, a table and a picture of the test error against time. */
#ifndef EXAMPLES_MNIST_H
#define EXAMPLES_MNIST_H

#include <nnpost.h>

enum { MNIST_SIDE = 28, MNIST_PIXELS = MNIST_SIDE * MNIST_SIDE, MNIST_CLASSES = 10 };

typedef struct mnist {
  nnp_data *train, *test;
  int64_t train_rows, test_rows;
  int32_t *test_labels;
} mnist;

/* Reads the four files of a folder. Pixels are divided by 255, and standardized by the mean and the
 * standard deviation of all pixels of the training images. `store` says how they are kept
 * (NNP_STORE_…). Of the test images only the first most_test_rows are kept. Returns 0; or -1,
 * with a sentence in `message`. */
int mnist_load(const char *folder, int32_t store, int64_t most_test_rows, mnist *out, char *message,
               size_t size);
/* Reads the digits as mnist_load does, but only the first most_rows[0] images for training and the
 * first most_rows[1] for tests. */
int mnist_load_part(const char *folder, int32_t store, const int64_t most_rows[2], mnist *out,
                    char *message, size_t size);
void mnist_free(mnist *digits);

/* The paper's networks, with noise D everywhere: dense, 784 -> 12 relu -> 10; and convolutional, 2
 * filters of 4x4 in steps of 2, means over 2x2, relu, dense. Prior precisions are the fan-in. */
nnp_net *mnist_mlp_net(double noise);
nnp_net *mnist_cnn_net(double noise);

/* A point of the authors' curve: test accuracy after a number of steps. */
typedef struct mnist_point {
  double step, accuracy;
} mnist_point;

/* The test accuracy of the authors' chain for the dense network; from step 20 on averaged over 5 %
 * of the steps on either side. Theirs took 11.9 ms per step on a V100, 38 ms with the other
 * network. */
enum { MNIST_AUTHORS = 34 };
extern const mnist_point mnist_authors[MNIST_AUTHORS];
/* Returns their accuracy at a step, interpolated in the logarithm of steps; NaN outside the
 * curve. */
double mnist_accuracy_at(const mnist_point *points, int count, double step);
static const double mnist_mlp_ms = 11.9, mnist_cnn_ms = 38;

typedef struct mnist_study {
  const char *name;        /* of the program, and of the files it writes */
  const char *description; /* the network in a line */
  nnp_net *(*make_net)(void);
  int32_t store;     /* of the images: what suits the first layer */
  int64_t steps;     /* unless the command line says otherwise */
  double authors_ms; /* milliseconds per step on the authors' V100 */
  const mnist_point *authors;
  int author_points;      /* 0 if their curve is not known */
  double authors_scatter; /* standard deviation of their accuracy from step to step */
  double seeds_scatter;   /* sd over seeds of a chain's average difference */
} mnist_study;

/* Runs the whole program: reads the command line, samples, reports. Returns what main should. */
int mnist_main(const mnist_study *study, int argc, char **argv);

#endif
