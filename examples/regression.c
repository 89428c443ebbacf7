/* regression [TABLE]: regression on a CSV file with intervals, everything as recommended. 31 black
 * cherry trees: girth in inches, height in feet, and what is predicted, the volume of their timber
 * in cubic feet. */
#include <nnpost_diagnostics.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000, INPUTS = 2, NEW = 3 };
static const double asked[NEW * INPUTS] = {9, 70, 13, 76, 18, 82};

static nnp_error err;
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

static int64_t read_table(const char *path, double *x, double *y) {
  FILE *file = fopen(path, "r");
  int64_t n = 0;
  if (!file || fscanf(file, "%*[^\n]") != 0) exit(1); /* the names of the columns */
  while (n < MOST && fscanf(file, "%lf,%lf,%lf", &x[2 * n], &x[2 * n + 1], &y[n]) == 3) ++n;
  fclose(file);
  return n;
}

/* In one line: have the chains converged? Judged by predictions, likelihood and scales. */
static void tell_convergence(nnp_predictor *predictor, const nnp_data *data, const double *draws,
                             int64_t count, int64_t chains) {
  int64_t functions;
  size_t bytes;
  nnp_draws view;
  nnp_convergence found;
  char text[256];
  check(nnp_functions_count(predictor, data, 0, &functions, &err));
  double *values = malloc(sizeof(double) * (size_t)(functions * count * chains));
  if (!values) exit(1);
  check(nnp_functions(predictor, data, draws, count * chains, 0, values, &err));
  check(nnp_draws_init(&view, values, functions, count, chains, &err));
  check(nnp_convergence_bytes(&view, &bytes, &err));
  void *memory = malloc(bytes);
  if (!memory) exit(1);
  check(nnp_convergence_of(&view, &found, memory, bytes, &err));
  check(nnp_convergence_text(&found, text, sizeof text, &err));
  fprintf(stderr, "%s\n", text);
  free(memory);
  free(values);
}

int main(int argc, char **argv) {
  static double x[MOST * INPUTS], y[MOST], new_x[NEW * INPUTS];
  double x_mean[INPUTS], x_sd[INPUTS], y_mean, y_sd, mean[NEW], quantiles[NEW * 2];
  const int64_t n = read_table(argc > 1 ? argv[1] : "trees.csv", x, y);

  /* Columns with mean 0 and standard deviation 1: what networks like best. */
  check(nnp_standard(x, n, INPUTS, NNP_ROW_MAJOR, x_mean, x_sd, &err));
  check(nnp_standard(y, n, 1, NNP_ROW_MAJOR, &y_mean, &y_sd, &err));
  check(nnp_standardize(x, n, INPUTS, NNP_ROW_MAJOR, x_mean, x_sd, x, &err));
  check(nnp_standardize(y, n, 1, NNP_ROW_MAJOR, &y_mean, &y_sd, y, &err));
  check(nnp_standardize(asked, NEW, INPUTS, NNP_ROW_MAJOR, x_mean, x_sd, new_x, &err));
  nnp_data *data, *fresh;
  check(nnp_data_create(&data, n, INPUTS, 1, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  check(nnp_data_create(&fresh, NEW, INPUTS, 1, &err));
  check(nnp_data_set_inputs(fresh, new_x, NNP_ROW_MAJOR, &err));

  nnp_model model; /* the recommended network, noise and priors learned, and how to sample it */
  nnp_net *net;
  nnp_recipe recipe;
  check(nnp_model_defaults(&model, INPUTS, 1, NNP_GAUSSIAN, n, &err));
  check(nnp_net_create_model(&net, &model, &err));
  check(nnp_recommend(net, n, model.posterior, &recipe, &err));
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
  const double levels[2] = {0.05, 0.95};
  check(nnp_predictor_create(&predictor, net, count, &err));
  check(nnp_predictor_posterior(predictor, recipe.posterior, &err));
  check(nnp_predictor_units(predictor, &y_mean, &y_sd, &err)); /* results in cubic feet */
  check(nnp_predictor_levels(predictor, levels, 2, &err));
  tell_convergence(predictor, data, draws, recipe.draws, recipe.chains);
  check(nnp_predict(predictor, fresh, draws, count, NNP_PREDICT_MEAN, mean, &err));
  check(nnp_predict(predictor, fresh, draws, count, NNP_PREDICT_QUANTILES, quantiles, &err));
  for (int i = 0; i < NEW; ++i)
    printf("girth %.0f, height %.0f: volume %.1f, 90 %% between %.1f and %.1f\n", asked[2 * i],
           asked[2 * i + 1], mean[i], quantiles[2 * i], quantiles[2 * i + 1]);

  nnp_predictor_free(predictor);
  for (int64_t c = 0; c < recipe.chains; ++c) nnp_chain_free(chains[c]);
  free(draws);
  nnp_data_free(fresh);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
