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
  static double x[MOST * INPUTS];
  static int32_t labels[MOST];
  const int64_t units = 4; /* of one hidden layer; all else is as recommended */
  double p[NEW * CLASSES];
  char verdict[512];
  const int64_t n = read_table(argc > 1 ? argv[1] : "iris.csv", x, labels);

  nnp_table *table;
  check(nnp_table_create(&table, &err));
  check(nnp_table_hidden(table, &units, 1, &err));
  check(nnp_table_fit_labels(table, x, labels, n, INPUTS, NNP_ROW_MAJOR, &err)); /* 0, 1, 2 */
  check(nnp_table_text(table, verdict, sizeof verdict, &err));
  fprintf(stderr, "%s\n", verdict);

  check(nnp_table_predict(table, asked, NEW, INPUTS, NNP_ROW_MAJOR, NNP_PREDICT_PROBABILITIES, p,
                          &err));
  for (int i = 0; i < NEW; ++i)
    printf("petal %.1f x %.1f: %s %.2f, %s %.2f, %s %.2f\n", asked[4 * i + 2], asked[4 * i + 3],
           names[0], p[3 * i], names[1], p[3 * i + 1], names[2], p[3 * i + 2]);
  nnp_table_free(table);
  return 0;
}
