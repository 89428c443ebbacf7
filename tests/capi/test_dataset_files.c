/* Tables of numbers: what is read from files, what is refused, and scikit-learn's split. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

#include "examples/benchmark/dataset.h"

static char path[] = "/tmp/nnpost_dataset_XXXXXX";
static dataset found;
static char sentence[256];

void setUp(void) {}
void tearDown(void) {
  dataset_free(&found);
}

static int read_text(const char *text, const char *target, const char *dropped) {
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  return dataset_read(&found, path, target, dropped, sentence, sizeof sentence);
}

static void refuses(const char *text, const char *target, const char *dropped, const char *words) {
  TEST_ASSERT_EQUAL_INT(-1, read_text(text, target, dropped));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(sentence, words), sentence);
}

static void test_names_targets_and_dropped_columns(void) {
  TEST_ASSERT_EQUAL_INT(0, read_text("id,\"a b\",y,c\r\n1,2,3,4\n\n5,6,7.5,-8e1\n", "y", "id"));
  TEST_ASSERT_EQUAL_INT64(2, found.rows);
  TEST_ASSERT_EQUAL_INT64(3, found.columns);
  TEST_ASSERT_EQUAL_STRING("a b", found.names[0]);
  TEST_ASSERT_EQUAL_STRING("y", found.names[2]);
  TEST_ASSERT_EQUAL_DOUBLE(6, found.values[3]);
  TEST_ASSERT_EQUAL_DOUBLE(-80, found.values[4]);
  TEST_ASSERT_EQUAL_DOUBLE(7.5, found.values[5]);
}

static void test_files_without_names(void) {
  TEST_ASSERT_EQUAL_INT(0, read_text("  1  2 3\n4\t5   6 \n", NULL, NULL));
  TEST_ASSERT_EQUAL_INT64(2, found.rows);
  TEST_ASSERT_EQUAL_INT64(3, found.columns);
  TEST_ASSERT_EQUAL_STRING("3", found.names[2]);
  TEST_ASSERT_EQUAL_DOUBLE(6, found.values[5]);
  tearDown();
  TEST_ASSERT_EQUAL_INT(0, read_text("1; 2 ;3", "1", NULL));
  TEST_ASSERT_EQUAL_DOUBLE(2, found.values[0]);
  TEST_ASSERT_EQUAL_DOUBLE(1, found.values[2]);
}

static void test_what_is_wrong_is_named(void) {
  refuses("a,b\n1,2\n3,x\n", NULL, NULL, "line 3: column 'b' is 'x'");
  refuses("a,b\n1,nan\n", NULL, NULL, "line 2: column 'b' is 'nan'");
  refuses("a,b\n1,2\n3\n", NULL, NULL, "line 3: it has 1 fields, expected 2");
  refuses("a,b\n1,2\n", "z", NULL, "no column 'z'");
  refuses("a,b\n1,2\n", NULL, "a", "only the target 'b' is left");
  refuses("a,b\n", NULL, NULL, "no rows");
  refuses("", NULL, NULL, "no rows");
  TEST_ASSERT_EQUAL_INT(-1, dataset_read(&found, "/nowhere/at/all", NULL, NULL, sentence, 256));
  TEST_ASSERT_NOT_NULL(strstr(sentence, "No such file"));
}

/* numpy.random.RandomState(seed).permutation(rows) */
static void test_shuffles_are_those_of_numpy(void) {
  static const int64_t zero[10] = {2, 8, 4, 9, 1, 6, 7, 3, 0, 5};
  static const int64_t some[7] = {6, 3, 4, 0, 1, 5, 2};
  int64_t order[1503], sum = 0;
  dataset_shuffle(order, 10, 0);
  TEST_ASSERT_EQUAL_INT64_ARRAY(zero, order, 10);
  dataset_shuffle(order, 7, 12345);
  TEST_ASSERT_EQUAL_INT64_ARRAY(some, order, 7);
  dataset_shuffle(order, 1503, 0); /* more than the twister has words */
  for (int i = 0; i < 301; ++i) sum += order[i] * (i + 1);
  TEST_ASSERT_EQUAL_INT64(33147268, sum);
}

int main(void) {
  const int file = mkstemp(path);
  if (file < 0) return 1;
  close(file);
  UNITY_BEGIN();
  RUN_TEST(test_names_targets_and_dropped_columns);
  RUN_TEST(test_files_without_names);
  RUN_TEST(test_what_is_wrong_is_named);
  RUN_TEST(test_shuffles_are_those_of_numpy);
  const int failures = UNITY_END();
  remove(path);
  return failures;
}
