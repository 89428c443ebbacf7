/* A network of one's own: 8 relu units learn |x|, sampled by Gibbs. */
#include <nnpost.h>
#include <stdio.h>

enum { ROWS = 100, PARAMETERS = 25, DRAWS = 1000 };

int main(void) {
  static double x[ROWS], y[ROWS], draws[DRAWS * PARAMETERS];
  double at = 1.0, mean, sd;
  for (int i = 0; i < ROWS; ++i) {
    x[i] = -2 + 4.0 * i / (ROWS - 1);
    y[i] = x[i] < 0 ? -x[i] : x[i]; /* the network learns |x| */
  }
  nnp_error err;
  nnp_net *net; /* one input, 8 relu units, one output observed with noise */
  nnp_net_create(&net, 1, &err);
  nnp_net_dense(net, 8, &err);
  nnp_net_activation(net, NNP_RELU, &err);
  nnp_net_dense(net, 1, &err);
  nnp_net_head(net, NNP_GAUSSIAN, &err);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 1e-3, &err); /* D, a variance */

  nnp_data *data, *new_data;
  nnp_data_create(&data, ROWS, 1, 1, &err);
  nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err);
  nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err);
  nnp_data_create(&new_data, 1, 1, 0, &err);
  nnp_data_set_inputs(new_data, &at, NNP_ROW_MAJOR, &err);

  nnp_chain *chain; /* 5000 steps to settle, then a draw every 10 steps */
  nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err);
  nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err); /* seed 1, chain number 0 */
  nnp_chain_run(chain, 5000, NULL, NULL, &err);
  nnp_chain_sample(chain, draws, DRAWS, 10, NULL, NULL, &err);

  nnp_predictor *predictor;
  nnp_predictor_create(&predictor, net, DRAWS, &err);
  nnp_predict(predictor, new_data, draws, DRAWS, NNP_PREDICT_MEAN, &mean, &err);
  nnp_predict(predictor, new_data, draws, DRAWS, NNP_PREDICT_SD, &sd, &err);
  printf("y(1) = %.3f +- %.3f\n", mean, sd);
  return 0;
}
