/* plot [PICTURE]: a fit and its 90 % band, drawn by gnuplot. The data are 40 points of a bent line
 * with noise; the noise is learned. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include <math.h>
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 40, POINTS = 101, DRAWS = 2000 };

static nnp_error err;
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

static nnp_data *rows_of(const double *x, int64_t n) {
  nnp_data *data;
  check(nnp_data_create(&data, n, 1, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  return data;
}

/* The band, the line and the points, each a block of numbers that the script names. */
static int draw(const char *path, const double *x, const double *y, const double *at,
                const double *q) {
  FILE *gnuplot = popen("gnuplot", "w");
  if (!gnuplot) return -1;
  fprintf(gnuplot, "$fit << EOD\n");
  for (int i = 0; i < POINTS; ++i)
    fprintf(gnuplot, "%g %g %g %g\n", at[i], q[3 * i], q[3 * i + 1], q[3 * i + 2]);
  fprintf(gnuplot, "EOD\n$data << EOD\n");
  for (int i = 0; i < ROWS; ++i) fprintf(gnuplot, "%g %g\n", x[i], y[i]);
  fprintf(gnuplot,
          "EOD\nset terminal svg size 640,400 font 'sans,13' background 'white'\nset output '%s'\n"
          "set key top center\nset xlabel 'x'\nset ylabel 'y'\n"
          "plot $fit using 1:2:4 with filledcurves lc rgb '#cfe0ee' title '90 %% of new points', "
          "$fit using 1:3 with lines lw 2 lc rgb '#1b6ca8' title 'median', "
          "$data with points pt 7 ps 0.6 lc rgb '#333333' title 'data'\n",
          path);
  return pclose(gnuplot);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "plot.svg";
  static double x[ROWS], y[ROWS], at[POINTS], quantiles[POINTS * 3];
  const double levels[3] = {0.05, 0.5, 0.95};
  for (int i = 0; i < ROWS; ++i) {
    x[i] = -1.5 + 3.0 * i / (ROWS - 1);
    y[i] = fabs(x[i]) - 0.8 + 0.5 * (fmod((i + 1) * 0.6180339887498949, 1) - 0.5);
  }
  for (int i = 0; i < POINTS; ++i) at[i] = -2 + 4.0 * i / (POINTS - 1);
  nnp_data *data = rows_of(x, ROWS), *fresh = rows_of(at, POINTS);
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));

  nnp_net *net;
  check(nnp_net_create(&net, 1, &err));
  check(nnp_net_dense(net, 8, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, 1, &err));
  check(nnp_net_head(net, NNP_GAUSSIAN, &err));
  check(nnp_net_learn_tied(net, NULL, 0, 0, &err)); /* one noise for all layers, learned */
  int64_t parameters;
  check(nnp_net_parameters(net, &parameters, &err));
  double *draws = malloc(sizeof(double) * DRAWS * (size_t)parameters);
  if (!draws) return 1;
  nnp_chain *chain;
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err)); /* seed 1 */
  check(nnp_chain_run(chain, 2000, NULL, NULL, &err));
  check(nnp_chain_sample(chain, draws, DRAWS, 10, NULL, NULL, &err));

  nnp_predictor *predictor;
  check(nnp_predictor_create(&predictor, net, DRAWS, &err));
  check(nnp_predictor_levels(predictor, levels, 3, &err));
  check(nnp_predict(predictor, fresh, draws, DRAWS, NNP_PREDICT_QUANTILES, quantiles, &err));
  printf("at x = 0: %.2f, 90 %% of new points between %.2f and %.2f\n", quantiles[151],
         quantiles[150], quantiles[152]);
  if (draw(path, x, y, at, quantiles) != 0) fprintf(stderr, "gnuplot has drawn nothing\n");

  nnp_predictor_free(predictor);
  nnp_chain_free(chain);
  free(draws);
  nnp_data_free(fresh);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
