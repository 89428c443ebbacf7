/* regression [TABLE]: regression on a CSV file with intervals, everything as recommended. 31 black
 * cherry trees: girth in inches, height in feet, and what is predicted, the volume of their timber
 * in cubic feet. */
#include <nnpost.h>
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

int main(int argc, char **argv) {
  static double x[MOST * INPUTS], y[MOST];
  double mean[NEW], ends[2 * NEW];
  char verdict[512];
  const int64_t n = read_table(argc > 1 ? argv[1] : "trees.csv", x, y);

  nnp_table *table;
  check(nnp_table_create(&table, &err));
  check(nnp_table_fit(table, x, y, n, INPUTS, 1, NNP_ROW_MAJOR, &err)); /* one target per row */
  check(nnp_table_text(table, verdict, sizeof verdict, &err));
  fprintf(stderr, "%s\n", verdict);

  check(nnp_table_predict(table, asked, NEW, INPUTS, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, mean, &err));
  check(nnp_table_interval(table, asked, NEW, INPUTS, NNP_ROW_MAJOR, 0.9, ends, &err));
  for (int i = 0; i < NEW; ++i)
    printf("girth %.0f, height %.0f: volume %.1f, 90 %% between %.1f and %.1f\n", asked[2 * i],
           asked[2 * i + 1], mean[i], ends[2 * i], ends[2 * i + 1]);
  nnp_table_free(table);
  return 0;
}
