/* Stopping distances of 50 cars of the 1920s against their speed: regression with intervals. */
#include <nnpost.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 50, NEW = 3 };
static const double speed[ROWS] = {4,  4,  7,  7,  8,  9,  10, 10, 10, 11, 11, 12, 12,
                                   12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15,
                                   16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20,
                                   20, 20, 20, 20, 22, 23, 24, 24, 24, 24, 25};
static const double feet[ROWS] = {2,  10, 4,  22, 16, 10, 18, 26, 34, 17,  28, 14, 20,
                                  24, 28, 26, 34, 34, 46, 26, 36, 60, 80,  20, 26, 54,
                                  32, 40, 32, 40, 50, 42, 56, 76, 84, 36,  46, 68, 32,
                                  48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85};
static const double asked[NEW] = {5, 15, 25};

static nnp_error err;
static void check(int32_t status) {
  if (status == NNP_OK) return;
  fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  exit(1);
}

int main(void) {
  const int64_t units = 8; /* of one hidden layer; all else is as recommended */
  double mean[NEW], ends[2 * NEW];
  nnp_table *table;
  check(nnp_table_create(&table, &err));
  check(nnp_table_hidden(table, &units, 1, &err));
  check(nnp_table_fit(table, speed, feet, ROWS, 1, 1, NNP_ROW_MAJOR, &err));
  check(nnp_table_predict(table, asked, NEW, 1, NNP_ROW_MAJOR, NNP_PREDICT_MEAN, mean, &err));
  check(nnp_table_interval(table, asked, NEW, 1, NNP_ROW_MAJOR, 0.9, ends, &err));
  for (int i = 0; i < NEW; ++i)
    printf("%2.0f mph: %.1f feet, 90 %% between %.1f and %.1f\n", asked[i], mean[i], ends[2 * i],
           ends[2 * i + 1]);
  nnp_table_free(table);
  return 0;
}
