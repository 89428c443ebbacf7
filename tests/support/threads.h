/* Pools of tests: in a build without threads (-Dthreads=false) they have one. */
#ifndef NNPOST_TESTS_THREADS_H
#define NNPOST_TESTS_THREADS_H

#include <stdint.h>
#include <string.h>

#include "capi/nnpost.h"

static inline int64_t threads_here(int64_t wanted) {
  char text[1024];
  if (nnp_build_info(text, sizeof text, NULL) != NNP_OK) return wanted;
  return strstr(text, "threads: yes") ? wanted : 1;
}

#endif
