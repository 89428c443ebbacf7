/* Which SIMD level a test's chains run at: the best one, or what NNPOST_TEST_SIMD says (a value of
 * NNP_OPTION_SIMD), so that every law is tested on every path. */
#ifndef NNPOST_TESTS_LEVEL_H
#define NNPOST_TESTS_LEVEL_H

#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost.h"

/* Ends the program as skipped where the machine has no such level. */
static inline void set_test_level(nnp_chain *chain) {
  const char *level = getenv("NNPOST_TEST_SIMD");
  nnp_error err;
  if (!level || !chain) return;
  if (nnp_chain_set(chain, NNP_OPTION_SIMD, atof(level), &err) == NNP_OK) return;
  printf("skipped: %s\n", err.message);
  exit(77);
}

#endif
