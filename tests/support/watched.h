/* Where only a memory checker looks on (`make valgrind`, `make sanitize`) every path is walked, but
 * not often enough to judge a law by: runs are shortened and verdicts on them left out. */
#ifndef NNPOST_TESTS_WATCHED_H
#define NNPOST_TESTS_WATCHED_H

#include <stdint.h>
#include <stdlib.h>

static inline int only_watched(void) {
  return getenv("NNPOST_TEST_SHORT") != NULL;
}

static inline int64_t shortened(int64_t full, int64_t watched) {
  return only_watched() ? watched : full;
}

/* What a shortened run cannot say. The condition is computed in any case. */
#define VERDICT(condition) TEST_ASSERT_TRUE((condition) || only_watched())
#define VERDICT_MESSAGE(condition, message) \
  TEST_ASSERT_TRUE_MESSAGE((condition) || only_watched(), message)

#endif
