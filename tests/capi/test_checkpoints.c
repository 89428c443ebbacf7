/* Checkpoints of the examples: what was written is read back; a file that was torn or changed is
 * refused with the reason, without trusting any size it states; files are put aside, not lost. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/paper/checkpoint.h"
#include "unity.h"

enum { RESULTS = 200, HEADER = 32, SETTINGS_AT = 8, SIZE_AT = 16, SUM_AT = 24 };

static const char settings[] = "steps 1000, seed 7";
static char folder[64], path[128], why[160];
static unsigned char results[RESULTS], bytes[4096];
static size_t length; /* of the file as written */

static void write_bytes(const void *from, size_t count) {
  FILE *file = fopen(path, "wb");
  TEST_ASSERT_NOT_NULL(file);
  TEST_ASSERT_EQUAL(count, fwrite(from, 1, count, file));
  fclose(file);
}

void setUp(void) {
  checkpoint c;
  memset(&c, 0, sizeof c);
  memset(why, 0, sizeof why);
  strcpy(folder, "checkpoint_test_XXXXXX");
  TEST_ASSERT_NOT_NULL(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run.checkpoint", folder);
  for (int i = 0; i < RESULTS; ++i) results[i] = (unsigned char)(37 * i);
  checkpoint_put(&c, results, sizeof results);
  TEST_ASSERT_EQUAL(0, checkpoint_write(&c, path, settings));
  checkpoint_free(&c);
  FILE *file = fopen(path, "rb");
  TEST_ASSERT_NOT_NULL(file);
  length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  TEST_ASSERT_EQUAL(HEADER + strlen(settings) + RESULTS, length);
}

void tearDown(void) {
  const char *ends[] = {"", ".refused", ".refused.1", ".refused.2"};
  char name[160];
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    remove(name);
  }
  rmdir(folder);
}

static void refused(const char *words) {
  checkpoint c;
  why[0] = '\0';
  TEST_ASSERT_EQUAL(CHECKPOINT_DAMAGED, checkpoint_read(&c, path, settings, why, sizeof why));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(why, words), why);
  TEST_ASSERT_NULL(c.bytes);
}

static void test_what_was_written(void) {
  checkpoint c;
  unsigned char back[RESULTS];
  TEST_ASSERT_EQUAL(CHECKPOINT_FOUND, checkpoint_read(&c, path, settings, why, sizeof why));
  checkpoint_get(&c, back, sizeof back);
  TEST_ASSERT_EQUAL_MEMORY(results, back, RESULTS);
  checkpoint_free(&c);
  TEST_ASSERT_EQUAL(CHECKPOINT_OTHER, checkpoint_read(&c, path, "seed 8", why, sizeof why));
  TEST_ASSERT_NULL(c.bytes);
  remove(path);
  TEST_ASSERT_EQUAL(CHECKPOINT_NONE, checkpoint_read(&c, path, settings, why, sizeof why));
}

static void test_torn_at_any_byte(void) {
  for (size_t kept = 0; kept < length; ++kept) {
    write_bytes(bytes, kept);
    refused(kept < HEADER                      ? "a header of 32 bytes"
            : kept < HEADER + strlen(settings) ? "18 bytes of settings"
                                               : "200 bytes of results, the file has");
  }
  bytes[length] = 1;
  write_bytes(bytes, length + 1);
  refused("200 bytes of results, the file has 201");
}

static void test_any_flipped_bit(void) {
  for (size_t i = 0; i < 8 * length; ++i) {
    bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    write_bytes(bytes, length);
    refused("");
    bytes[i / 8] ^= (unsigned char)(1 << i % 8);
  }
}

static void state(size_t at, uint64_t value) {
  memcpy(bytes + at, &value, sizeof value);
  write_bytes(bytes, length);
}

/* No memory is asked for by a size that the file does not have. */
static void test_sizes_that_are_not_there(void) {
  state(SIZE_AT, UINT64_MAX);
  refused("18446744073709551615 bytes of results, the file has 200");
  state(SIZE_AT, UINT64_MAX - HEADER - strlen(settings) + 1);
  refused("bytes of results, the file has 200");
  state(SIZE_AT, (uint64_t)1 << 60);
  refused("1152921504606846976 bytes of results, the file has 200");
  state(SIZE_AT, 0);
  refused("0 bytes of results, the file has 200");
  state(SETTINGS_AT, UINT64_MAX);
  refused("18446744073709551615 bytes of settings, the file has 218");
  state(SIZE_AT, UINT64_MAX); /* both: sums of them wrap around */
  refused("18446744073709551615 bytes of settings");
}

static void test_other_files(void) {
  write_bytes("", 0);
  refused("the file has 0");
  memcpy(bytes, "nnpchain", 8);
  write_bytes(bytes, length);
  refused("does not begin as");
  remove(path);
  TEST_ASSERT_EQUAL(0, symlink("run.checkpoint", path)); /* to itself: there, but not readable */
  refused("cannot be read");
}

static void test_files_are_put_aside(void) {
  char aside[256], want[256];
  for (int i = 0; i < 3; ++i) {
    bytes[0] = (unsigned char)('a' + i);
    write_bytes(bytes, length);
    TEST_ASSERT_EQUAL(0, checkpoint_put_aside(path, "refused", aside, sizeof aside));
    snprintf(want, sizeof want, i == 0 ? "%s.refused" : "%s.refused.%d", path, i);
    TEST_ASSERT_EQUAL_STRING(want, aside);
    TEST_ASSERT_NOT_EQUAL(0, access(path, F_OK));
    FILE *file = fopen(aside, "rb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL('a' + i, fgetc(file));
    fclose(file);
  }
  TEST_ASSERT_EQUAL(-1, checkpoint_put_aside(path, "old", aside, sizeof aside)); /* none there */
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_what_was_written);
  RUN_TEST(test_torn_at_any_byte);
  RUN_TEST(test_any_flipped_bit);
  RUN_TEST(test_sizes_that_are_not_there);
  RUN_TEST(test_other_files);
  RUN_TEST(test_files_are_put_aside);
  return UNITY_END();
}
