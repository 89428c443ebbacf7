/* Which SIMD level a test's chains run at and who does their dense work: what is best, or what
 * NNPOST_TEST_SIMD and NNPOST_TEST_BLAS say (values of NNP_OPTION_SIMD and NNP_OPTION_BLAS), so that
 * every law is tested on every path. */
#ifndef NNPOST_TESTS_LEVEL_H
#define NNPOST_TESTS_LEVEL_H

#include <stdio.h>
#include <stdlib.h>

#include "capi/nnpost.h"

/* Ends the program as skipped where the machine or the build does not have it. */
static inline void set_test_option(nnp_chain *chain, const char *variable, int32_t option) {
  const char *value = getenv(variable);
  nnp_error err;
  if (!value || !chain) return;
  if (nnp_chain_set(chain, option, atof(value), &err) == NNP_OK) return;
  printf("%s: %s\n", err.status == NNP_E_UNSUPPORTED ? "skipped" : "FAIL", err.message);
  exit(err.status == NNP_E_UNSUPPORTED ? 77 : 1);
}

/* The best level is what the same test tries where no level is asked for. */
static inline void skip_best_level(nnp_chain *chain) {
  const char *value = getenv("NNPOST_TEST_SIMD");
  double higher;
  if (!value || !chain) return;
  for (higher = atof(value) + 1; higher <= 4; ++higher)
    if (nnp_chain_set(chain, NNP_OPTION_SIMD, higher, NULL) == NNP_OK) return;
  printf("skipped: SIMD level %s is the best here, and tested as such\n", value);
  exit(77);
}

static inline void set_test_level(nnp_chain *chain) {
  skip_best_level(chain);
  set_test_option(chain, "NNPOST_TEST_SIMD", NNP_OPTION_SIMD);
  set_test_option(chain, "NNPOST_TEST_BLAS", NNP_OPTION_BLAS);
}

#endif
