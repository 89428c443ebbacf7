/* Stopping distances of 50 cars of the 1920s against their speed: regression with intervals. */
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 50, NEW = 3 };
static double speed[ROWS] = {4,  4,  7,  7,  8,  9,  10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13,
                             13, 13, 14, 14, 14, 14, 15, 15, 15, 16, 16, 17, 17, 17, 18, 18, 18,
                             18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24, 24, 25};
static double feet[ROWS] = {2,  10, 4,  22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28,  26, 34,
                            34, 46, 26, 36, 60, 80, 20, 26, 54, 32, 40, 32, 40, 50, 42,  56, 76,
                            84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85};
static double asked[NEW] = {5, 15, 25};

static nnp_error err;
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

/* A table of one column, standardized in place: what networks like best. */
static nnp_data *rows_of(double *x, int64_t n, double mean, double sd) {
  nnp_data *data;
  check(nnp_standardize(x, n, 1, NNP_ROW_MAJOR, &mean, &sd, x, &err));
  check(nnp_data_create(&data, n, 1, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  return data;
}

int main(void) {
  double x_mean, x_sd, y_mean, y_sd, levels[2] = {0.05, 0.95};
  double points[NEW] = {asked[0], asked[1], asked[2]}, mean[NEW], quantiles[NEW * 2];
  check(nnp_standard(speed, ROWS, 1, NNP_ROW_MAJOR, &x_mean, &x_sd, &err));
  check(nnp_standard(feet, ROWS, 1, NNP_ROW_MAJOR, &y_mean, &y_sd, &err));
  nnp_data *data = rows_of(speed, ROWS, x_mean, x_sd), *fresh = rows_of(points, NEW, x_mean, x_sd);
  check(nnp_standardize(feet, ROWS, 1, NNP_ROW_MAJOR, &y_mean, &y_sd, feet, &err));
  check(nnp_data_set_targets(data, feet, NNP_ROW_MAJOR, &err));

  nnp_model model; /* the recommended network, but with one hidden layer of 8 units */
  check(nnp_model_defaults(&model, 1, 1, NNP_GAUSSIAN, ROWS, &err));
  model.hidden_count = 1;
  model.hidden[0] = 8;
  nnp_net *net;
  check(nnp_net_create_model(&net, &model, &err));
  nnp_recipe recipe; /* and how to sample it */
  check(nnp_recommend(net, ROWS, model.posterior, &recipe, &err));

  nnp_chain *chains[16];
  for (int64_t c = 0; c < recipe.chains; ++c) {
    check(nnp_chain_create(&chains[c], net, data, recipe.sampler, recipe.posterior, &err));
    check(nnp_chain_use_recipe(chains[c], &recipe, &err));
  }
  int64_t parameters, count = recipe.draws * recipe.chains;
  check(nnp_net_parameters(net, &parameters, &err));
  double *draws = malloc(sizeof(double) * (size_t)(parameters * count));
  if (!draws) return 1;
  check(nnp_chains_start(chains, recipe.chains, recipe.start, 1, NULL, NULL, &err)); /* seed 1 */
  check(nnp_chains_run(chains, recipe.chains, recipe.warmup, NULL, NULL, &err));
  check(
      nnp_chains_sample(chains, recipe.chains, draws, recipe.draws, recipe.thin, NULL, NULL, &err));

  nnp_predictor *predictor;
  check(nnp_predictor_create(&predictor, net, count, &err));
  check(nnp_predictor_posterior(predictor, recipe.posterior, &err));
  check(nnp_predictor_units(predictor, &y_mean, &y_sd, &err)); /* results in feet */
  check(nnp_predictor_levels(predictor, levels, 2, &err));
  check(nnp_predict(predictor, fresh, draws, count, NNP_PREDICT_MEAN, mean, &err));
  check(nnp_predict(predictor, fresh, draws, count, NNP_PREDICT_QUANTILES, quantiles, &err));
  for (int i = 0; i < NEW; ++i)
    printf("%2.0f mph: %.1f feet, 90 %% between %.1f and %.1f\n", asked[i], mean[i],
           quantiles[2 * i], quantiles[2 * i + 1]);

  nnp_predictor_free(predictor);
  for (int64_t c = 0; c < recipe.chains; ++c) nnp_chain_free(chains[c]);
  free(draws);
  nnp_data_free(fresh);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
