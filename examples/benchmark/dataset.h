/* Tables of numbers from files, and scikit-learn's way to split them. */
#ifndef EXAMPLES_DATASET_H
#define EXAMPLES_DATASET_H

#include <stddef.h>
#include <stdint.h>

enum { DATASET_COLUMNS = 1024, DATASET_NAME = 64 };

/* values[row * columns + column]; the target is the last column. */
typedef struct dataset {
  double *values;
  int64_t rows, columns;
  char names[DATASET_COLUMNS][DATASET_NAME];
} dataset;

/* Reads a file whose fields are separated by commas, semicolons or blanks, with or without a line of
 * names. target: a name, or NULL for the last column; dropped: names with commas between them, or
 * NULL. Returns 0; or -1, with a sentence that names line, column and field. */
int dataset_read(dataset *out, const char *path, const char *target, const char *dropped,
                 char *sentence, size_t size);
void dataset_free(dataset *made);

/* Numbers of rows in random order, as numpy's RandomState(seed).permutation(rows). The first
 * ceil(share * rows) of them are scikit-learn's train_test_split(test_size=share, random_state=seed)
 * test rows, the others its training rows. */
void dataset_shuffle(int64_t *order, int64_t rows, uint32_t seed);

#endif
