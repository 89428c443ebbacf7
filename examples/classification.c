/* classification [TABLE]: classes of a CSV file with their probabilities. 150 irises of three
 * species: length and width of sepals and petals in centimetres. */
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, INPUTS = 4, CLASSES = 3, NEW = 3 };
static const char *const names[CLASSES] = {"setosa", "versicolor", "virginica"};
static const double asked[NEW * INPUTS] = {5.0, 3.4, 1.5, 0.2, 5.9, 2.8,
                                           4.3, 1.3, 6.0, 2.8, 4.9, 1.7};

static nnp_error err;
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

static int64_t read_table(const char *path, double *x, int32_t *labels) {
  FILE *file = fopen(path, "r");
  char name[32];
  int64_t n = 0;
  if (!file || fscanf(file, "%*[^\n]") != 0) exit(1); /* the names of the columns */
  for (double *row = x;
       n < MOST && fscanf(file, "%lf,%lf,%lf,%lf,%31s", row, row + 1, row + 2, row + 3, name) == 5;
       row += INPUTS, ++n) {
    labels[n] = 0;
    while (labels[n] < CLASSES && strcmp(name, names[labels[n]]) != 0) ++labels[n];
    if (labels[n] == CLASSES) exit(1); /* no species that is known */
  }
  fclose(file);
  return n;
}

int main(int argc, char **argv) {
  static double x[MOST * INPUTS], new_x[NEW * INPUTS];
  static int32_t labels[MOST];
  double mean[INPUTS], sd[INPUTS], p[NEW * CLASSES];
  const int64_t n = read_table(argc > 1 ? argv[1] : "iris.csv", x, labels);

  /* Columns with mean 0 and standard deviation 1: what networks like best. */
  check(nnp_standard(x, n, INPUTS, NNP_ROW_MAJOR, mean, sd, &err));
  check(nnp_standardize(x, n, INPUTS, NNP_ROW_MAJOR, mean, sd, x, &err));
  check(nnp_standardize(asked, NEW, INPUTS, NNP_ROW_MAJOR, mean, sd, new_x, &err));
  nnp_data *data, *fresh;
  check(nnp_data_create(&data, n, INPUTS, 0, &err));
  check(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  check(nnp_data_set_labels(data, labels, &err)); /* 0, 1, 2 */
  check(nnp_data_create(&fresh, NEW, INPUTS, 0, &err));
  check(nnp_data_set_inputs(fresh, new_x, NNP_ROW_MAJOR, &err));

  nnp_model model; /* the recommended network, but with 4 units, and how to sample it */
  nnp_net *net;
  nnp_recipe recipe;
  check(nnp_model_defaults(&model, INPUTS, CLASSES, NNP_ARGMAX, n, &err));
  model.hidden_count = 1;
  model.hidden[0] = 4;
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
  check(nnp_predictor_create(&predictor, net, count, &err));
  check(nnp_predictor_posterior(predictor, recipe.posterior, &err));
  check(nnp_predict(predictor, fresh, draws, count, NNP_PREDICT_PROBABILITIES, p, &err));
  for (int i = 0; i < NEW; ++i)
    printf("petal %.1f x %.1f: %s %.2f, %s %.2f, %s %.2f\n", asked[4 * i + 2], asked[4 * i + 3],
           names[0], p[3 * i], names[1], p[3 * i + 1], names[2], p[3 * i + 2]);

  nnp_predictor_free(predictor);
  for (int64_t c = 0; c < recipe.chains; ++c) nnp_chain_free(chains[c]);
  free(draws);
  nnp_data_free(fresh);
  nnp_data_free(data);
  nnp_net_free(net);
  return 0;
}
