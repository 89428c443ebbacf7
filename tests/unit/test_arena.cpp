// The arena: counting and carving walk the same way, pieces are aligned and apart, and sizes that
// no memory has are noticed.
#include "lib/base/arena.hpp"

#include "unity.h"

#if defined(NNP_TEST_SANITIZED)
extern "C" int __asan_address_is_poisoned(const volatile void *address);
#endif

using nnp::Arena;

namespace {

struct Layout {
  char *letters;
  double *matrix;
  int32_t *none;
  int64_t *numbers;
};

Layout lay_out(Arena &arena) {
  Layout layout;
  layout.letters = arena.take<char>(13);
  layout.matrix = arena.take<double>(3, 5);
  layout.none = arena.take<int32_t>(0);
  layout.numbers = arena.take<int64_t>(2);
  return layout;
}

struct alignas(64) Memory {
  unsigned char bytes[2048];
};

void test_counting_gives_no_memory() {
  Arena counter;
  TEST_ASSERT_TRUE(counter.counting());
  const Layout layout = lay_out(counter);
  TEST_ASSERT_NULL(layout.letters);
  TEST_ASSERT_NULL(layout.matrix);
  TEST_ASSERT_NULL(layout.numbers);
  TEST_ASSERT_FALSE(counter.overflowed());
  // 13 -> 64, 120 -> 128, 0, 16 bytes
  TEST_ASSERT_EQUAL_UINT64(64 + 128 + 16 + 3 * Arena::gap, counter.used());
}

void test_carving_takes_what_was_counted() {
  static Memory memory;
  Arena counter;
  lay_out(counter);
  Arena carver(memory.bytes, counter.used());
  const Layout layout = lay_out(carver);
  TEST_ASSERT_EQUAL_UINT64(counter.used(), carver.used());
  TEST_ASSERT_TRUE(carver.fits());
  TEST_ASSERT_FALSE(carver.counting());
  TEST_ASSERT_EQUAL_PTR(memory.bytes, layout.letters);
  TEST_ASSERT_EQUAL_PTR(memory.bytes + 64 + Arena::gap, layout.matrix);
  TEST_ASSERT_EQUAL_PTR(memory.bytes + 192 + 3 * Arena::gap, layout.numbers);
}

void test_one_byte_less_does_not_fit() {
  static Memory memory;
  Arena counter;
  lay_out(counter);
  Arena carver(memory.bytes, counter.used() - 1);
  const Layout layout = lay_out(carver);
  TEST_ASSERT_FALSE(carver.fits());
  TEST_ASSERT_NOT_NULL(layout.matrix);
  TEST_ASSERT_NULL(layout.numbers);
  TEST_ASSERT_NULL(carver.take<char>(1));  // and nothing after it
}

void test_pieces_are_aligned_and_apart() {
  static Memory memory;
  Arena arena(memory.bytes, sizeof memory.bytes);
  unsigned char *end = memory.bytes;
  for (int64_t size = 1; size < 9; ++size) {
    unsigned char *piece = arena.take<unsigned char>(size * 11);
    TEST_ASSERT_NOT_NULL(piece);
    TEST_ASSERT_EQUAL_UINT64(0, reinterpret_cast<uintptr_t>(piece) % Arena::alignment);
    TEST_ASSERT_TRUE(piece >= end);
    end = piece + size * 11;
  }
}

// Under an address sanitizer, whoever's it is, nothing between pieces may be touched.
void test_red_zones() {
#if defined(NNP_TEST_SANITIZED)
  static Memory memory;
  Arena arena(memory.bytes, sizeof memory.bytes);
  const unsigned char *first = arena.take<unsigned char>(16);
  const unsigned char *second = arena.take<unsigned char>(16);
  TEST_ASSERT_TRUE(second - first >= 2 * 64);
  TEST_ASSERT_FALSE(__asan_address_is_poisoned(first + 15));
  for (const unsigned char *p = first + 16; p < second; ++p)
    TEST_ASSERT_TRUE(__asan_address_is_poisoned(p));
  TEST_ASSERT_FALSE(__asan_address_is_poisoned(second));
#else
  TEST_ASSERT_EQUAL_UINT64(0, Arena::gap);
#endif
}

void check_overflow(void (*ask)(Arena &)) {
  Arena arena;
  arena.take<double>(1);
  const size_t used = arena.used();
  ask(arena);
  TEST_ASSERT_TRUE(arena.overflowed());
  TEST_ASSERT_FALSE(arena.fits());
  TEST_ASSERT_EQUAL_UINT64(used, arena.used());
  arena.take<double>(1);  // it stays noticed
  TEST_ASSERT_TRUE(arena.overflowed());
}

void test_overflow_is_noticed() {
  check_overflow([](Arena &a) { a.take<char>(-1); });
  check_overflow([](Arena &a) { a.take<double>(INT64_MAX); });
  check_overflow([](Arena &a) { a.take<double>(INT64_MAX, 2); });
  check_overflow([](Arena &a) { a.take<double>(int64_t{1} << 32, int64_t{1} << 31); });
  check_overflow([](Arena &a) { a.take<double>(-1, 5); });
  // Each is possible, all together are not.
  Arena arena;
  for (int i = 0; i < 2; ++i) arena.take<char>(INT64_MAX - 64);
  TEST_ASSERT_FALSE(arena.overflowed());
  arena.take<char>(INT64_MAX);
  TEST_ASSERT_TRUE(arena.overflowed());
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_counting_gives_no_memory);
  RUN_TEST(test_carving_takes_what_was_counted);
  RUN_TEST(test_one_byte_less_does_not_fit);
  RUN_TEST(test_pieces_are_aligned_and_apart);
  RUN_TEST(test_red_zones);
  RUN_TEST(test_overflow_is_noticed);
  return UNITY_END();
}
