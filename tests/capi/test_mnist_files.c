/* The files of the MNIST examples: what is read from good ones, and the sentence for each way in
 * which one can be bad. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples/paper/idx.h"
#include "examples/paper/mnist.h"
#include "unity.h"

static char folder[64], message[512];

enum { TRAIN = 4, TEST = 3 };

static void write_bytes(const char *name, const void *bytes, size_t count) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  TEST_ASSERT_NOT_NULL(file);
  TEST_ASSERT_EQUAL(count, fwrite(bytes, 1, count, file));
  fclose(file);
}

/* A header with these sizes, and as many bytes of data, each its number modulo `most`. */
static void write_idx(const char *name, int dimensions, const int *size, int most) {
  unsigned char bytes[16 + 28 * 28 * TRAIN] = {0, 0, 8, (unsigned char)dimensions};
  size_t length = 4, count = 1;
  for (int d = 0; d < dimensions; ++d) {
    bytes[length + 2] = (unsigned char)(size[d] / 256);
    bytes[length + 3] = (unsigned char)(size[d] % 256);
    length += 4;
    count *= (size_t)size[d];
  }
  for (size_t i = 0; i < count; ++i) bytes[length + i] = (unsigned char)(i % (size_t)most);
  write_bytes(name, bytes, length + count);
}

static void write_good_files(void) {
  const int train[] = {TRAIN, 28, 28}, test[] = {TEST, 28, 28};
  write_idx("train-images-idx3-ubyte", 3, train, 256);
  write_idx("train-labels-idx1-ubyte", 1, train, 10);
  write_idx("t10k-images-idx3-ubyte", 3, test, 256);
  write_idx("t10k-labels-idx1-ubyte", 1, test, 10);
}

void setUp(void) {
  strcpy(folder, "mnist_test_XXXXXX");
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
  memset(message, 0, sizeof message);
}

void tearDown(void) {
  const char *names[] = {"train-images-idx3-ubyte",
                         "train-labels-idx1-ubyte",
                         "t10k-images-idx3-ubyte",
                         "t10k-labels-idx1-ubyte",
                         "file",
                         "study.csv",
                         "study.svg"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
}

/* ---- one file ----------------------------------------------------------------------------- */

static void test_a_good_file(void) {
  const int size[] = {3, 2, 4};
  char path[128];
  idx file;
  write_idx("file", 3, size, 256);
  snprintf(path, sizeof path, "%s/file", folder);
  TEST_ASSERT_EQUAL(0, idx_read(path, 3, &file, message, sizeof message));
  for (int d = 0; d < 3; ++d) TEST_ASSERT_EQUAL_INT64(size[d], file.size[d]);
  for (int i = 0; i < 24; ++i) TEST_ASSERT_EQUAL_UINT8(i, file.bytes[i]);
  idx_free(&file);
}

static void bad_file(const void *bytes, size_t count, const char *words) {
  char path[128];
  idx file;
  write_bytes("file", bytes, count);
  snprintf(path, sizeof path, "%s/file", folder);
  TEST_ASSERT_EQUAL(-1, idx_read(path, 1, &file, message, sizeof message));
  TEST_ASSERT_NULL(file.bytes);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, words), message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, path), message);
}

static void test_bad_files(void) {
  idx file;
  TEST_ASSERT_EQUAL(-1, idx_read("no/such/file", 1, &file, message, sizeof message));
  TEST_ASSERT_NOT_NULL(strstr(message, "no/such/file"));
  bad_file("", 0, "fewer than 4 bytes");
  bad_file("\0\0\10", 3, "fewer than 4 bytes");
  bad_file("\x1f\x8b\x08\0....", 8, "gunzip");
  bad_file("<html>", 6, "no IDX file");
  bad_file("\0\0\x0d\1\0\0\0\1....", 12, "type 0x0d");
  bad_file("\0\0\10\3\0\0\0\1", 8, "3 dimensions, expected 1");
  bad_file("\0\0\10\1\0\0", 6, "within its header");
  bad_file("\0\0\10\1\0\0\0\0", 8, "is 0");
  bad_file("\0\0\10\1\0\0\0\5abcd", 12, "truncated: 4 bytes of data, its header promises 5");
  bad_file("\0\0\10\1\0\0\0\3abcd", 12, "goes on after the 3 bytes");
}

static void test_sizes_that_overflow(void) {
  char path[128];
  idx file;
  write_bytes("file", "\0\0\10\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16);
  snprintf(path, sizeof path, "%s/file", folder);
  TEST_ASSERT_EQUAL(-1, idx_read(path, 3, &file, message, sizeof message));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, "more bytes than"), message);
}

/* No memory is asked for by a size that the file does not have: the word is about the file. */
static void test_sizes_that_are_not_there(void) {
  char path[128];
  idx file;
  write_bytes("file", "\0\0\10\2\x80\0\0\0\0\0\1\0abcdef", 18); /* 2^39 bytes */
  snprintf(path, sizeof path, "%s/file", folder);
  TEST_ASSERT_EQUAL(-1, idx_read(path, 2, &file, message, sizeof message));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, "6 bytes of data, its header promises 549755813888"),
                               message);
}

/* A message that does not fit is cut, not overrun. */
static void test_short_messages(void) {
  idx file;
  char room[8] = "1234567";
  TEST_ASSERT_EQUAL(-1, idx_read("no/such/file", 1, &file, room, 5));
  TEST_ASSERT_EQUAL_STRING("no/s", room);
  TEST_ASSERT_EQUAL('6', room[5]);
}

/* ---- the four of them --------------------------------------------------------------------- */

static void test_good_files(void) {
  mnist digits;
  double mean = 0, outputs = 0;
  nnp_net *net;
  nnp_predictor *predictor;
  write_good_files();
  TEST_ASSERT_EQUAL_MESSAGE(
      0, mnist_load(folder, NNP_STORE_AUTO, 2, &digits, message, sizeof message), message);
  TEST_ASSERT_EQUAL_INT64(TRAIN, digits.train_rows);
  TEST_ASSERT_EQUAL_INT64(2, digits.test_rows);
  TEST_ASSERT_EQUAL_INT32(1, digits.test_labels[1]);
  /* Standardized: the mean of all training pixels is 0, by a network that averages them. */
  nnp_net_create_image(&net, 1, 28, 28, NULL);
  nnp_net_avgpool(net, 28, 28, NULL);
  nnp_net_head(net, NNP_GAUSSIAN, NULL);
  nnp_predictor_create(&predictor, net, 1, NULL);
  double means[TRAIN], none[1] = {0};
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_predict(predictor, digits.train, none, 1, NNP_PREDICT_MEAN, means, NULL));
  for (int i = 0; i < TRAIN; ++i) {
    mean += means[i] / TRAIN;
    outputs += means[i] * means[i];
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, mean);
  TEST_ASSERT_TRUE(outputs > 1e-9);
  nnp_predictor_free(predictor);
  nnp_net_free(net);
  /* … and their mean square 1: by a network that leaves them as they are. */
  static double pixels[TRAIN * 28 * 28];
  double square = 0;
  nnp_net_create_image(&net, 1, 28, 28, NULL);
  nnp_net_activation(net, NNP_IDENTITY, NULL);
  nnp_net_head(net, NNP_GAUSSIAN, NULL);
  nnp_predictor_create(&predictor, net, 1, NULL);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_predict(predictor, digits.train, none, 1, NNP_PREDICT_MEAN, pixels, NULL));
  for (int i = 0; i < TRAIN * 28 * 28; ++i) square += pixels[i] * pixels[i] / (TRAIN * 28 * 28);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, square);
  nnp_predictor_free(predictor);
  nnp_net_free(net);
  mnist_free(&digits);
}

static void refused(const char *words) {
  mnist digits;
  TEST_ASSERT_EQUAL(-1, mnist_load(folder, NNP_STORE_AUTO, 5000, &digits, message, sizeof message));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, words), message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, folder), message);
}

static void test_files_that_do_not_fit_each_other(void) {
  const int few[] = {TEST - 1}, many[] = {TRAIN}, wide[] = {TRAIN, 28, 27}, test[] = {TEST};
  refused("train-images-idx3-ubyte");
  write_good_files();
  write_idx("t10k-labels-idx1-ubyte", 1, few, 10);
  refused("2 of them for 3 images");
  write_idx("t10k-labels-idx1-ubyte", 1, test, 10);
  write_idx("train-images-idx3-ubyte", 3, wide, 256);
  refused("28 x 27 pixels");
  write_good_files();
  write_bytes("train-labels-idx1-ubyte", "\0\0\10\1\0\0\0\4\1\2\12\3", 12);
  refused("number 2 is 10, expected 0 to 9");
  write_idx("train-labels-idx1-ubyte", 1, many, 10);
  write_bytes("t10k-images-idx3-ubyte", "\0\0\10\3\0\0\0\3\0\0\0\34\0\0\0\34short", 21);
  refused("t10k-images-idx3-ubyte: it is truncated");
}

/* ---- the program -------------------------------------------------------------------------- */

static nnp_net *small_net(void) {
  nnp_net *net;
  nnp_net_create_image(&net, 1, 28, 28, NULL);
  nnp_net_conv2d(net, 1, 8, 8, 10, 10, NULL);
  nnp_net_avgpool(net, 2, 2, NULL);
  nnp_net_dense(net, 10, NULL);
  nnp_net_head(net, NNP_ARGMAX, NULL);
  return net;
}

/* The first line of a file it wrote, and how many lines there are. */
static int lines_of(const char *name, char *first, int size) {
  char path[128], line[256];
  int lines = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
  for (; fgets(line, sizeof line, file); ++lines)
    if (lines == 0) snprintf(first, (size_t)size, "%s", line);
  fclose(file);
  return lines;
}

static void test_a_whole_run(void) {
  const mnist_point authors[] = {{1, 0.1}, {100, 0.9}};
  const mnist_study study = {
      "study", "A small network.", small_net, NNP_STORE_AUTO, 3, 1, authors, 2, 0.1, 0.1};
  char first[256], *arguments[] = {"study", "--data", folder, "--out", folder, "--threads", "1"};
  write_good_files();
  TEST_ASSERT_EQUAL(0, mnist_main(&study, 7, arguments));
  TEST_ASSERT_EQUAL(1 + 3, lines_of("study.csv", first, sizeof first));
  TEST_ASSERT_EQUAL_STRING("step,seconds,test_accuracy,test_error,authors_accuracy\n", first);
  TEST_ASSERT_TRUE(lines_of("study.svg", first, sizeof first) > 10);
  TEST_ASSERT_NOT_NULL(strstr(first, "<svg"));
}

static void test_a_run_without_data(void) {
  const mnist_study study = {
      "study", "A small network.", small_net, NNP_STORE_AUTO, 3, 1, NULL, 0, 0, 0};
  char *arguments[] = {"study", "--data", folder, "--out", folder};
  TEST_ASSERT_EQUAL(1, mnist_main(&study, 5, arguments));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_good_file);
  RUN_TEST(test_bad_files);
  RUN_TEST(test_sizes_that_overflow);
  RUN_TEST(test_sizes_that_are_not_there);
  RUN_TEST(test_short_messages);
  RUN_TEST(test_good_files);
  RUN_TEST(test_files_that_do_not_fit_each_other);
  RUN_TEST(test_a_whole_run);
  RUN_TEST(test_a_run_without_data);
  return UNITY_END();
}
