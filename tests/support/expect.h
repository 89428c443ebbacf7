/* A call through the C API goes well, or fails with this status and these words in its sentence.
 * The calls name `err`, which the test has one of. */
#ifndef NNPOST_TESTS_EXPECT_H
#define NNPOST_TESTS_EXPECT_H

#include <nnpost.h>
#include <string.h>
#include <unity.h>

static nnp_error err;

#define OK(call) TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, (call), err.message)
#define FAILS(expected, text, call)                                       \
  do {                                                                    \
    TEST_ASSERT_EQUAL_INT((expected), (call));                            \
    TEST_ASSERT_EQUAL_INT((expected), err.status);                        \
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, text), err.message); \
  } while (0)

#endif
