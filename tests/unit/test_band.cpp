// Band matrices at every SIMD level: the factor and the solves against dense ones, for bands from
// nothing to everything.
#include <cmath>
#include <cstdio>
#include <vector>

#include "lib/linalg/kernels.hpp"
#include "tests/support/tables.hpp"
extern "C" {
#include "unity.h"
}

void setUp(void) {}
void tearDown(void) {}

namespace {

using nnp::level_names;

double number(int64_t i, int64_t j) {
  return std::fmod(0.6180339887498949 * static_cast<double>(i * 131 + j * 17 + 1), 1.0) - 0.5;
}

struct Band {
  int64_t n, band;
  std::vector<double> storage;
  Band(int64_t n_, int64_t band_)
      : n(n_), band(band_), storage(static_cast<size_t>(nnp::band_size(n_, band_)), 0.0) {}
  double &at(int64_t i, int64_t j) {
    return storage[static_cast<size_t>(i + j * nnp::band_ld(band))];
  }
};

// Positive definite: the diagonal outweighs the rest of its row.
Band make_band(int64_t n, int64_t band) {
  Band b(n, band);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i <= std::min(n - 1, j + band); ++i)
      b.at(i, j) = i == j ? 1 + static_cast<double>(band) : number(i, j);
  return b;
}

std::vector<double> dense_of(Band &b) {
  std::vector<double> a(static_cast<size_t>(b.n * b.n), 0.0);
  for (int64_t j = 0; j < b.n; ++j)
    for (int64_t i = j; i <= std::min(b.n - 1, j + b.band); ++i)
      a[static_cast<size_t>(i + j * b.n)] = b.at(i, j);
  return a;
}

template <class Work>
void for_each_case(Work work) {
  for (const char *name : level_names) {
    const nnp::Kernels *kernels = nnp::kernels_named(name);
    if (!kernels) continue;
    for (int64_t n : {1, 2, 5, 6, 7, 13, 64, 150})
      for (int64_t band : {0, 1, 4, 5, 6, 11, 40, 149})
        if (band < n) work(*kernels, n, band);
  }
}

void test_factor_is_that_of_the_dense_matrix() {
  for_each_case([](const nnp::Kernels &kernels, int64_t n, int64_t band) {
    Band b = make_band(n, band);
    std::vector<double> a = dense_of(b);
    TEST_ASSERT_TRUE(kernels.cholesky(a.data(), n, n));
    TEST_ASSERT_TRUE(kernels.cholesky_band(b.storage.data(), n, band));
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j; i <= std::min(n - 1, j + band); ++i)
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * static_cast<double>(band + 1),
                                  a[static_cast<size_t>(i + j * n)], b.at(i, j));
  });
}

void test_solves_are_those_of_the_dense_matrix() {
  for_each_case([](const nnp::Kernels &kernels, int64_t n, int64_t band) {
    Band b = make_band(n, band);
    TEST_ASSERT_TRUE(kernels.cholesky_band(b.storage.data(), n, band));
    const std::vector<double> l = dense_of(b);
    for (int64_t rows : {3, 64}) {
      std::vector<double> x(static_cast<size_t>(64 * n), NAN), y;
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < rows; ++i) x[static_cast<size_t>(i + 64 * j)] = number(i, j);
      y = x;
      const nnp::Tile tile = {x.data(), rows, n, 64}, dense = {y.data(), rows, n, 64};
      for (bool transposed : {false, true}) {
        if (transposed) {
          kernels.solve_band_transposed(b.storage.data(), band, tile);
          kernels.solve_lower_transposed(l.data(), n, dense);
        } else {
          kernels.solve_band(b.storage.data(), band, tile);
          kernels.solve_lower(l.data(), n, dense);
        }
        for (int64_t j = 0; j < n; ++j)
          for (int64_t i = 0; i < rows; ++i)
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, dense.col(j)[i], tile.col(j)[i]);
      }
    }
  });
}

void test_matrices_that_are_not_positive_definite_are_refused() {
  for_each_case([](const nnp::Kernels &kernels, int64_t n, int64_t band) {
    for (double bad : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
      Band b = make_band(n, band);
      b.at(n - 1, n - 1) = bad;
      TEST_ASSERT_FALSE(kernels.cholesky_band(b.storage.data(), n, band));
    }
  });
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_factor_is_that_of_the_dense_matrix);
  RUN_TEST(test_solves_are_those_of_the_dense_matrix);
  RUN_TEST(test_matrices_that_are_not_positive_definite_are_refused);
  return UNITY_END();
}
