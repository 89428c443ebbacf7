/* images: a convolutional network classifies bars. Images are 8 x 8 pixels with one
 * bright bar, across, upright or from corner to corner, and noise. */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, PIXELS = SIDE * SIDE, TRAIN = 300, TEST = 150, CLASSES = 3, DRAWS = 200 };

static nnp_error err;
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

/* Images from number `first` on; a row holds an image line by line. */
static nnp_data *images(int64_t first, int64_t count) {
  static double x[TRAIN * PIXELS];
  static int32_t labels[TRAIN];
  nnp_data *data;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t number = first + i, kind = number % CLASSES, place = number / CLASSES % SIDE;
    for (int64_t row = 0; row < SIDE; ++row)
      for (int64_t column = 0; column < SIDE; ++column) {
        const int64_t here = kind == 0 ? row : kind == 1 ? column : (row + column) % SIDE;
        const double k = (double)((number * SIDE + row) * SIDE + column + 1);
        x[(i * SIDE + row) * SIDE + column] =
            (here == place) + 2 * fmod(k * 0.7548776662466927, 1) - 1;
      }
    labels[i] = (int32_t)kind;
  }
  check(nnp_data_create(&data, count, PIXELS, 0, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_labels(data, labels, &err));
  return data;
}

int main(void) {
  nnp_data *train = images(0, TRAIN), *test = images(TRAIN, TEST);
  nnp_net *net; /* 8 x 8 -> four filters of 3 x 3: 6 x 6 -> relu -> means: 3 x 3 -> three scores */
  check(nnp_net_create_image(&net, 1, SIDE, SIDE, &err));
  check(nnp_net_conv2d(net, 4, 3, 3, 1, 1, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_avgpool(net, 2, 2, &err));
  check(nnp_net_dense(net, CLASSES, &err));
  check(nnp_net_head(net, NNP_ARGMAX, &err)); /* the largest score is the class */

  int64_t parameters;
  check(nnp_net_parameters(net, &parameters, &err));
  double accuracy, *draws = malloc(sizeof(double) * DRAWS * (size_t)parameters);
  if (!draws) return 1;
  nnp_chain *chain;
  check(nnp_chain_create(&chain, net, train, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err)); /* seed 1 */
  check(nnp_chain_run(chain, 1000, NULL, NULL, &err));
  check(nnp_chain_sample(chain, draws, DRAWS, 5, NULL, NULL, &err));

  nnp_predictor *predictor;
  check(nnp_predictor_create(&predictor, net, DRAWS, &err));
  check(nnp_score(predictor, test, draws, DRAWS, NNP_SCORE_ACCURACY, &accuracy, &err));
  printf("%d new images: %.0f %% are classified correctly\n", TEST, 100 * accuracy);

  nnp_predictor_free(predictor);
  nnp_chain_free(chain);
  free(draws);
  nnp_data_free(test);
  nnp_data_free(train);
  nnp_net_free(net);
  return 0;
}
