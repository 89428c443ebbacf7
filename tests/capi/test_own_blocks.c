/* Teams, folders and data with rows over ranks in blocks of the caller's: the size that is told is
 * enough and not too much, and they work there as they do on the heap. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/expect.h"
#ifndef _WIN32 /* which has no folders for ranks */
#include <unistd.h>
#endif

enum { ROOM = 1 << 20 };
static unsigned char room[ROOM + 64];

void setUp(void) {
  memset(room, 0xA5, sizeof room);
}
void tearDown(void) {}

static unsigned char *block(void) {
  return room + (64 - (uintptr_t)room % 64);
}

/* Nothing was written beyond the block. */
static void check_end(size_t bytes) {
  size_t i;
  for (i = 0; i < 64; ++i) TEST_ASSERT_EQUAL_HEX8(0xA5, block()[bytes + i]);
}

static void teams(void) {
  nnp_team *team = NULL;
  nnp_comm comm;
  size_t bytes;
  OK(nnp_team_bytes(1, &bytes, &err));
  TEST_ASSERT_TRUE(bytes > 0 && bytes + 64 < ROOM);
  FAILS(NNP_E_MEMORY_SIZE, "bytes = ", nnp_team_init(&team, block(), bytes - 1, 1, &err));
  FAILS(NNP_E_MEMORY_ALIGNMENT, "memory", nnp_team_init(&team, block() + 8, bytes, 1, &err));
  FAILS(NNP_E_SIZE, "ranks = 0", nnp_team_init(&team, block(), bytes, 0, &err));
  TEST_ASSERT_NULL(team);
  OK(nnp_team_init(&team, block(), bytes, 1, &err));
  OK(nnp_team_comm(team, 0, &comm, &err));
  TEST_ASSERT_EQUAL_INT(0, comm.rank);
  TEST_ASSERT_EQUAL_INT(1, comm.size);
  nnp_team_close(team);
  nnp_team_close(NULL);
  check_end(bytes);
}

#ifndef _WIN32
static void folders(void) {
  char path[] = "own_block_XXXXXX", inside[64];
  nnp_folder *folder = NULL;
  nnp_comm comm;
  size_t bytes;
  TEST_ASSERT_NOT_NULL(mkdtemp(path));
  snprintf(inside, sizeof inside, "%s/job", path);
  OK(nnp_folder_bytes(3, &bytes, &err));
  TEST_ASSERT_TRUE(bytes > 0 && bytes + 64 < ROOM);
  FAILS(NNP_E_SIZE, "size = 0", nnp_folder_bytes(0, &bytes, &err));
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_folder_init(&folder, block(), bytes - 1, inside, 2, 3, 1, &err));
  TEST_ASSERT_NULL(folder);
  OK(nnp_folder_init(&folder, block(), bytes, inside, 2, 3, 1, &err));
  OK(nnp_folder_comm(folder, &comm, &err));
  TEST_ASSERT_EQUAL_INT(2, comm.rank);
  TEST_ASSERT_EQUAL_INT(3, comm.size);
  check_end(bytes);
  snprintf(inside, sizeof inside, "rm -rf %s", path);
  TEST_ASSERT_EQUAL_INT(0, system(inside));
}
#endif

static void rows(void) {
  enum { N = 300, P = 2 };
  static double x[N * P], y[N], back[N];
  nnp_rows all = {0};
  nnp_data *data = NULL;
  size_t bytes;
  int i;
  for (i = 0; i < N * P; ++i) x[i] = i % 7 - 3;
  for (i = 0; i < N; ++i) y[i] = i % 5;
  OK(nnp_rows_split(NULL, N, 2, &all, &err));
  OK(nnp_data_bytes_rows(&all, NULL, P, 1, &bytes, &err));
  TEST_ASSERT_TRUE(bytes > 0 && bytes + 64 < ROOM);
  FAILS(NNP_E_MEMORY_SIZE,
        "bytes = ", nnp_data_init_rows(&data, block(), bytes - 1, &all, NULL, P, 1, &err));
  TEST_ASSERT_NULL(data);
  OK(nnp_data_init_rows(&data, block(), bytes, &all, NULL, P, 1, &err));
  OK(nnp_data_set_inputs(data, x, NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(data, y, NNP_ROW_MAJOR, &err));
  OK(nnp_data_targets(data, back, NNP_ROW_MAJOR, &err));
  TEST_ASSERT_EQUAL_MEMORY(y, back, sizeof y);
  check_end(bytes);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(teams);
#ifndef _WIN32
  RUN_TEST(folders);
#endif
  RUN_TEST(rows);
  return UNITY_END();
}
