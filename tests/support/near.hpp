// A number that is to be near another one, and calls of the C API that are to go well: they name `e`
// as their error.
#pragma once

#include <cmath>
#include <cstdio>

#include "capi/nnpost.h"
#include "unity.h"

#define OK(call)                                                   \
  do {                                                             \
    nnp_error err_;                                                \
    nnp_error *e = &err_;                                          \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(NNP_OK, (call), err_.message); \
  } while (0)

inline void near(double expected, double found, double tolerance, const char *what) {
  char message[160];
  std::snprintf(message, sizeof message, "%s: expected %.10g +- %.3g, found %.10g", what, expected,
                tolerance, found);
  TEST_ASSERT_TRUE_MESSAGE(std::fabs(found - expected) <= tolerance, message);
}
