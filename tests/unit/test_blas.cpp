// Tables that share dense work with BLAS give what our own kernels give, for every operation and
// provider, from order 0 on; small calls give the same bits whatever OpenBLAS's thread count is; and
// the choice of who computes follows its rules.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "lib/linalg/blas.hpp"
#include "lib/linalg/choice.hpp"
#include "lib/linalg/cholesky.hpp"
#include "lib/random/stream.hpp"
#include "tests/support/tables.hpp"

extern "C" {
#include "unity.h"
void openblas_set_num_threads(int threads);
int openblas_get_num_threads(void);
}

void setUp(void) {}
void tearDown(void) {}

namespace {

using nnp::Blas;
using nnp::ConstTile;
using nnp::Kernels;
using nnp::Operation;
using nnp::Provider;
using nnp::Simd;
using nnp::Tile;
using Numbers = std::vector<double>;

constexpr Simd levels[] = {Simd::portable, Simd::avx2, Simd::avx512, Simd::neon};
constexpr Provider providers[] = {Provider::shared, Provider::blas, Provider::whole};

Numbers numbers(int64_t count, uint64_t seed) {
  nnp::Stream stream(seed, 0, 0);
  Numbers made(static_cast<size_t>(count));
  for (double &x : made) x = 2 * stream.uniform() - 1;
  return made;
}

// Lower triangle of a well conditioned matrix; NaN above it, which nobody may read or write.
Numbers positive(int64_t n, int64_t ld) {
  Numbers a = numbers(ld * n, 9);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      double &x = a[static_cast<size_t>(i + j * ld)];
      x = i < j ? NAN : i == j ? 3 + 0.1 * static_cast<double>(n) : 0.2 * x;
    }
  return a;
}

struct Shape {
  int64_t rows, in, out;
};

// All that a table does for one shape, one result behind the other.
Numbers results(const Kernels &k, const Shape &s) {
  const int64_t ld = s.rows + 3, n = s.in, ldn = n + 2;
  const Numbers u = numbers(ld * s.in, 1), v = numbers(ld * s.out, 2), w = numbers(s.in * s.out, 3),
                bias = numbers(s.out, 4);
  const ConstTile tile_u = {u.data(), s.rows, s.in, ld}, tile_v = {v.data(), s.rows, s.out, ld};
  Numbers all;
  const auto keep = [&all](const Numbers &values) {
    for (double x : values) all.push_back(x != x ? 12345.0 : x);
  };
  Numbers out = numbers(ld * s.out, 5);
  const Tile tile_out = {out.data(), s.rows, s.out, ld};
  k.multiply(tile_u, w.data(), bias.data(), tile_out);
  keep(out);
  k.multiply(tile_u, w.data(), nullptr, tile_out);
  k.multiply_add(tile_u, w.data(), s.in, tile_out);
  keep(out);
  Numbers in = numbers(ld * s.in, 6);
  const Tile tile_in = {in.data(), s.rows, s.in, ld};
  k.multiply_transposed(tile_v, w.data(), tile_in);
  k.multiply_transposed_add(tile_v, w.data(), s.in, tile_in);
  keep(in);
  Numbers cross = numbers(ldn * s.out, 7), gram = numbers(ldn * n, 8);
  k.add_cross(tile_u, tile_v, cross.data(), ldn);
  keep(cross);
  k.add_gram(tile_u, gram.data(), ldn);
  keep(gram);
  k.set_cross(tile_u, tile_v, cross.data(), ldn);
  keep(cross);
  k.set_gram(tile_u, gram.data(), ldn);
  keep(gram);
  Numbers l = positive(n, ldn);
  TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, ldn, &k));
  keep(l);
  k.solve_lower(l.data(), ldn, tile_in);
  keep(in);
  k.solve_lower_transposed(l.data(), ldn, tile_in);
  keep(in);
  k.solve_columns(l.data(), n, ldn, cross.data(), s.out, ldn);
  keep(cross);
  k.solve_columns_transposed(l.data(), n, ldn, cross.data(), s.out, ldn);
  keep(cross);
  return all;
}

constexpr Shape shapes[] = {{1, 1, 1},    {5, 2, 3},      {128, 1, 9},     {17, 33, 64},
                            {100, 65, 2}, {128, 130, 70}, {128, 257, 200}, {61, 400, 33}};

template <class Check>
void for_each_table(const Check &check) {
  int tables = 0;
  for (Simd level : levels)
    for (Provider provider : providers)
      if (const Kernels *table = nnp::kernels_of(level, provider)) {
        check(*table, *nnp::kernels_of(level, Provider::own));
        ++tables;
      }
  TEST_ASSERT_TRUE(!nnp::blas_present() || tables >= 3);
}

void test_every_provider_gives_our_results() {
  for_each_table([](const Kernels &table, const Kernels &own) {
    for (const Shape &s : shapes) {
      const Numbers got = results(table, s), want = results(own, s);
      TEST_ASSERT_TRUE(want.size() == got.size());
      for (size_t i = 0; i < want.size(); ++i) {
        const double allowed = 1e-12 * (1 + std::fabs(want[i]));
        if (std::fabs(got[i] - want[i]) <= allowed) continue;
        std::printf("%s, %d x %d x %d, value %d: %.17g, expected %.17g\n", table.name,
                    static_cast<int>(s.rows), static_cast<int>(s.in), static_cast<int>(s.out),
                    static_cast<int>(i), got[i], want[i]);
        TEST_FAIL();
      }
    }
  });
}

void test_orders_zero_and_one() {
  for_each_table([](const Kernels &table, const Kernels &) {
    double a = 4, x = 6, unused = 7;
    TEST_ASSERT_TRUE(nnp::cholesky(nullptr, 0, 1, &table));
    table.solve_lower(nullptr, 1, {&unused, 1, 0, 1});
    table.solve_columns(nullptr, 0, 1, &unused, 1, 1);
    table.add_gram({&unused, 1, 0, 1}, &unused, 1);
    TEST_ASSERT_EQUAL_DOUBLE(7, unused);
    TEST_ASSERT_TRUE(nnp::cholesky(&a, 1, 1, &table));
    TEST_ASSERT_EQUAL_DOUBLE(2, a);
    table.solve_columns(&a, 1, 1, &x, 1, 1);
    TEST_ASSERT_EQUAL_DOUBLE(3, x);
    a = -1;
    TEST_ASSERT_FALSE(nnp::cholesky(&a, 1, 1, &table));
  });
}

// LAPACK's info is not zero: the factor is refused as ours refuses it.
void test_indefinite_matrices_are_refused() {
  for_each_table([](const Kernels &table, const Kernels &) {
    for (int64_t n : {2, 64, 65, 300}) {
      for (int64_t at : {int64_t{0}, n / 2, n - 1}) {
        Numbers a = positive(n, n);
        a[static_cast<size_t>(at * (n + 1))] = -1;
        TEST_ASSERT_FALSE(nnp::cholesky(a.data(), n, n, &table));
        a = positive(n, n);
        a[static_cast<size_t>(at * (n + 1))] = NAN;
        TEST_ASSERT_FALSE(nnp::cholesky(a.data(), n, n, &table));
      }
    }
  });
}

void test_threads_of_openblas_do_not_matter() {
  if (!nnp::blas_present()) TEST_IGNORE_MESSAGE("no BLAS in this build");
  const int before = openblas_get_num_threads();
  for (Simd level : levels)
    for (Provider provider : {Provider::shared, Provider::blas}) {
      const Kernels *table = nnp::kernels_of(level, provider);
      if (!table) continue;
      for (const Shape &s : shapes) {
        openblas_set_num_threads(1);
        const Numbers one = results(*table, s);
        for (int threads : {2, 3}) {
          openblas_set_num_threads(threads);
          TEST_ASSERT_TRUE(results(*table, s) == one);
        }
      }
    }
  openblas_set_num_threads(before);
}

void test_sizes_beyond_blas_integers_are_ours() {
  const int64_t large = nnp::most_blas_integer + 1;
  for (const nnp::Work &work : {nnp::Work{Operation::product, large, 500, 500, 500},
                                nnp::Work{Operation::product, 128, large, 500, 500},
                                nnp::Work{Operation::cross, 128, 500, large, 500},
                                nnp::Work{Operation::cholesky, 500, 500, 500, large}})
    for (nnp::Share share : {nnp::Share::faster, nnp::Share::all})
      TEST_ASSERT_FALSE(nnp::blas_computes(work, Simd::portable, share, nnp::Calls::small));
  const nnp::Work fits = {Operation::cholesky, 500, 500, 500, nnp::most_blas_integer};
  TEST_ASSERT_TRUE(nnp::blas_computes(fits, Simd::portable, nnp::Share::all, nnp::Calls::small));
}

void test_small_orders_are_ours_unless_all_is_asked_for() {
  for (Simd level : levels) {
    const nnp::Work small = {Operation::cholesky, 10, 10, 10, 10};
    TEST_ASSERT_FALSE(nnp::blas_computes(small, level, nnp::Share::faster, nnp::Calls::small));
    TEST_ASSERT_FALSE(nnp::blas_computes(small, level, nnp::Share::faster, nnp::Calls::whole));
    TEST_ASSERT_TRUE(nnp::blas_computes(small, level, nnp::Share::all, nnp::Calls::small));
  }
}

void test_who_serves() {
  TEST_ASSERT_TRUE(nnp::provider_for(Blas::none, Simd::best) == Provider::own);
  TEST_ASSERT_TRUE(nnp::provider_for(Blas::all, Simd::portable) == Provider::blas);
  TEST_ASSERT_TRUE(nnp::provider_for(Blas::whole, Simd::best) == Provider::whole);
  for (Simd level : levels)
    TEST_ASSERT_TRUE(nnp::provider_for(Blas::automatic, level) == Provider::own);
  const Provider served = nnp::provider_for(Blas::automatic, Simd::best);
  const Provider fits = nnp::best_simd() == Simd::portable ? Provider::blas : Provider::shared;
  TEST_ASSERT_TRUE(served == (nnp::blas_suits(Simd::best) ? fits : Provider::own));
  TEST_ASSERT_TRUE(std::string(nnp::blas_core_name()).size() > 0);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_every_provider_gives_our_results);
  RUN_TEST(test_orders_zero_and_one);
  RUN_TEST(test_indefinite_matrices_are_refused);
  RUN_TEST(test_threads_of_openblas_do_not_matter);
  RUN_TEST(test_sizes_beyond_blas_integers_are_ours);
  RUN_TEST(test_small_orders_are_ours_unless_all_is_asked_for);
  RUN_TEST(test_who_serves);
  return UNITY_END();
}
