// The factor gives its matrix back, solves undo products, draws have the mean and the covariance
// they claim, and a matrix that is not positive definite is refused: at every SIMD level.
#include "lib/linalg/cholesky.hpp"

#include <lapacke.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "lib/linalg/blas.hpp"
#include "tests/support/tables.hpp"
extern "C" {
#include "unity.h"
}

void setUp(void) {}
void tearDown(void) {}

namespace {

using nnp::Kernels;
using nnp::level_names;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double eps = std::numeric_limits<double>::epsilon();

// Uniform numbers from a fixed seed (splitmix64), and normals by Box and Muller.
struct Numbers {
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }  // in (0, 1)
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
};

struct Matrix {
  int64_t rows, columns, ld;
  std::vector<double> memory;  // rows beyond `rows` hold NaN

  Matrix(int64_t rows_, int64_t columns_, int64_t ld_)
      : rows(rows_),
        columns(columns_),
        ld(ld_),
        memory(static_cast<size_t>(ld_ * columns_), nan_value) {}
  static Matrix normal(int64_t rows, int64_t columns, int64_t ld, Numbers &numbers) {
    Matrix m(rows, columns, ld);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i) m(i, j) = numbers.normal();
    }
    return m;
  }
  double *data() { return memory.data(); }
  double &operator()(int64_t i, int64_t j) { return memory[static_cast<size_t>(i + j * ld)]; }
};

// B B' / n + I / 2, well conditioned; above the diagonal NaN, which must be neither read nor
// written.
Matrix positive_definite(int64_t n, int64_t ld, Numbers &numbers) {
  Matrix b = Matrix::normal(n, n, n, numbers), a(n, n, ld);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      double sum = i == j ? 0.5 : 0;
      for (int64_t k = 0; k < n; ++k) sum += b(i, k) * b(j, k) / static_cast<double>(n);
      a(i, j) = sum;
    }
  }
  return a;
}

bool upper_untouched(Matrix &a) {
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.ld; ++i) {
      if ((i < j || i >= a.rows) && a(i, j) == a(i, j)) return false;
    }
  }
  return true;
}

template <class Check>
void on_all_levels(const Check &check) {
  for (const char *name : level_names) {
    if (const Kernels *kernels = nnp::kernels_named(name)) check(kernels);
  }
}

// n = 1 .. 70 one by one, then some up to 200 and beyond a cache-sized block.
std::vector<int64_t> sizes() {
  std::vector<int64_t> all;
  for (int64_t n = 1; n <= 70; ++n) all.push_back(n);
  for (int64_t n : {95, 96, 97, 100, 127, 128, 131, 144, 150, 199, 200}) all.push_back(n);
  return all;
}

void check_near(const char *what, const Kernels *kernels, int64_t n, double expected, double got,
                double bound) {
  if (std::fabs(expected - got) <= bound) return;
  char message[160];
  std::snprintf(message, sizeof message, "%s %s, n = %d: %.17g, not %.17g", kernels->name, what,
                static_cast<int>(n), got, expected);
  TEST_FAIL_MESSAGE(message);
}

void test_factor_gives_the_matrix_back() {
  on_all_levels([](const Kernels *kernels) {
    Numbers numbers = {1};
    for (int64_t n : sizes()) {
      Matrix a = positive_definite(n, n + n % 3, numbers);
      Matrix l = a, again = a, lapack = a;
      TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, l.ld, kernels));
      TEST_ASSERT_TRUE(nnp::cholesky(again.data(), n, l.ld, kernels));
      TEST_ASSERT_EQUAL_INT(
          0, LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', static_cast<lapack_int>(n), lapack.data(),
                                 static_cast<lapack_int>(l.ld)));
      const double bound = 16 * eps * static_cast<double>(n + 4);
      double log_det = 0;
      for (int64_t j = 0; j < n; ++j) {
        log_det += 2 * std::log(lapack(j, j));
        for (int64_t i = j; i < n; ++i) {
          long double sum = 0;
          for (int64_t k = 0; k <= j; ++k) sum += static_cast<long double>(l(i, k)) * l(j, k);
          check_near("L L'", kernels, n, a(i, j), static_cast<double>(sum), bound);
          check_near("L beside LAPACK", kernels, n, lapack(i, j), l(i, j), 10 * bound);
        }
      }
      check_near("log det", kernels, n, log_det, nnp::log_det_from_cholesky(l.data(), n, l.ld),
                 20 * bound * static_cast<double>(n));
      TEST_ASSERT_TRUE(upper_untouched(l));
      TEST_ASSERT_EQUAL_INT(0,
                            std::memcmp(l.data(), again.data(), l.memory.size() * sizeof(double)));
    }
  });
}

void test_solves_undo_products() {
  on_all_levels([](const Kernels *kernels) {
    Numbers numbers = {2};
    for (int64_t n : sizes()) {
      const int64_t k = 1 + n % 19;
      Matrix l = positive_definite(n, n + n % 3, numbers);
      TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, l.ld, kernels));
      Matrix x = Matrix::normal(n, k, n + n % 2, numbers), lx(n, k, x.ld), ltx(n, k, x.ld);
      for (int64_t c = 0; c < k; ++c) {
        for (int64_t i = 0; i < n; ++i) {
          long double down = 0, up = 0;
          for (int64_t j = 0; j <= i; ++j) down += static_cast<long double>(l(i, j)) * x(j, c);
          for (int64_t j = i; j < n; ++j) up += static_cast<long double>(l(j, i)) * x(j, c);
          lx(i, c) = static_cast<double>(down);
          ltx(i, c) = static_cast<double>(up);
        }
      }
      nnp::solve_lower(l.data(), n, l.ld, lx.data(), k, lx.ld, kernels);
      nnp::solve_lower_transposed(l.data(), n, l.ld, ltx.data(), k, ltx.ld, kernels);
      const double bound = 100 * eps * static_cast<double>(n + 4);
      for (int64_t c = 0; c < k; ++c) {
        for (int64_t i = 0; i < n; ++i) {
          check_near("L^-1 L x", kernels, n, x(i, c), lx(i, c), bound);
          check_near("L^-T L' x", kernels, n, x(i, c), ltx(i, c), bound);
        }
        for (int64_t i = n; i < lx.ld; ++i) {
          TEST_ASSERT_TRUE(lx(i, c) != lx(i, c) && ltx(i, c) != ltx(i, c));
        }
      }
    }
  });
}

void test_matrices_that_are_not_positive_definite_are_refused() {
  on_all_levels([](const Kernels *kernels) {
    Numbers numbers = {3};
    for (int64_t n : {1, 2, 5, 6, 7, 13, 50, 64, 100}) {
      for (int64_t at : {int64_t{0}, n / 2, n - 1}) {
        Matrix good = positive_definite(n, n, numbers);
        // Below what the columns before it explain: indefinite by a hair, by far, and not numbers.
        Matrix l = good;
        TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, n, kernels));
        const double pivot = l(at, at) * l(at, at);
        const double diagonals[] = {good(at, at) - pivot * (1 + 1e-6), -1e300, nan_value,
                                    std::numeric_limits<double>::infinity()};
        for (double diagonal : diagonals) {
          Matrix bad = good;
          bad(at, at) = diagonal;
          TEST_ASSERT_FALSE(nnp::cholesky(bad.data(), n, n, kernels));
        }
      }
      // Positive by a hair is positive.
      Matrix barely = positive_definite(n, n, numbers), l = barely;
      TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, n, kernels));
      barely(n - 1, n - 1) -= l(n - 1, n - 1) * l(n - 1, n - 1) * (1 - 1e-6);
      TEST_ASSERT_TRUE(nnp::cholesky(barely.data(), n, n, kernels));
      Matrix zero(n, n, n);
      for (double &x : zero.memory) x = 0;
      TEST_ASSERT_FALSE(nnp::cholesky(zero.data(), n, n, kernels));
    }
  });
}

void test_scale_does_not_matter() {
  // Entries from 1e-280 to 1e280 factor as those near one do.
  on_all_levels([](const Kernels *kernels) {
    Numbers numbers = {4};
    Matrix a = positive_definite(40, 40, numbers), l = a;
    TEST_ASSERT_TRUE(nnp::cholesky(l.data(), 40, 40, kernels));
    for (int power : {-930, -400, 400, 930}) {  // even: its root is exact
      Matrix scaled = a;
      for (double &x : scaled.memory) x = std::ldexp(x, power);
      TEST_ASSERT_TRUE(nnp::cholesky(scaled.data(), 40, 40, kernels));
      for (int64_t j = 0; j < 40; ++j) {
        for (int64_t i = j; i < 40; ++i) {
          TEST_ASSERT_TRUE(scaled(i, j) == std::ldexp(l(i, j), power / 2));
        }
      }
    }
  });
}

void test_draws_have_the_right_mean_and_covariance() {
  on_all_levels([](const Kernels *kernels) {
    constexpr int64_t n = 7, k = 20000;
    constexpr double sd = 0.3;
    Numbers numbers = {5};
    Matrix a = positive_definite(n, n, numbers), l = a;
    TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, n, kernels));
    Matrix c(n, k, n), z = Matrix::normal(n, k, n, numbers), w(n, k, n);
    double term[n];
    for (double &t : term) t = numbers.normal();
    for (int64_t j = 0; j < k; ++j) {
      for (int64_t i = 0; i < n; ++i) c(i, j) = term[i];
    }
    nnp::draw_columns({l.data(), n, n, c.data(), k, n, sd}, z.data(), n, w.data(), n, kernels);
    // y = L' (w - mean) / sd is standard normal: with u = A w - c, covariance of u is sd^2 A.
    Matrix u(n, k, n);
    for (int64_t j = 0; j < k; ++j) {
      for (int64_t i = 0; i < n; ++i) {
        double sum = -term[i];
        for (int64_t m = 0; m < n; ++m) sum += (i >= m ? a(i, m) : a(m, i)) * w(m, j);
        u(i, j) = sum;
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      double mean = 0;
      for (int64_t j = 0; j < k; ++j) mean += u(i, j) / k;
      const double standard_error = sd * std::sqrt(a(i, i) / k);
      check_near("mean", kernels, n, 0, mean, 4.5 * standard_error);
      for (int64_t m = 0; m <= i; ++m) {
        double second = 0;
        for (int64_t j = 0; j < k; ++j) second += u(i, j) * u(m, j) / k;
        // Wick: var(u_i u_m) = S_ii S_mm + S_im^2.
        const double error = sd * sd * std::sqrt((a(i, i) * a(m, m) + a(i, m) * a(i, m)) / k);
        check_near("covariance", kernels, n, sd * sd * a(i, m), second, 4.5 * error);
      }
    }
  });
}

void test_a_draw_may_take_the_place_of_its_cross_term() {
  on_all_levels([](const Kernels *kernels) {
    constexpr int64_t n = 51, k = 10;
    Numbers numbers = {6};
    Matrix l = positive_definite(n, n, numbers);
    TEST_ASSERT_TRUE(nnp::cholesky(l.data(), n, n, kernels));
    Matrix c = Matrix::normal(n, k, n, numbers), z = Matrix::normal(n, k, n, numbers), w(n, k, n);
    nnp::draw_columns({l.data(), n, n, c.data(), k, n, 0.1}, z.data(), n, w.data(), n, kernels);
    nnp::draw_columns({l.data(), n, n, c.data(), k, n, 0.1}, z.data(), n, c.data(), n, kernels);
    TEST_ASSERT_EQUAL_INT(0, std::memcmp(w.data(), c.data(), sizeof(double) * n * k));
  });
}

void test_the_blas_has_a_core_name() {
  TEST_ASSERT_NOT_NULL(nnp::blas_core_name());
  TEST_ASSERT_TRUE(std::strlen(nnp::blas_core_name()) > 0);
}

}  // namespace

int main() {
  nnp::blas_single_thread();
  UNITY_BEGIN();
  RUN_TEST(test_factor_gives_the_matrix_back);
  RUN_TEST(test_solves_undo_products);
  RUN_TEST(test_matrices_that_are_not_positive_definite_are_refused);
  RUN_TEST(test_scale_does_not_matter);
  RUN_TEST(test_draws_have_the_right_mean_and_covariance);
  RUN_TEST(test_a_draw_may_take_the_place_of_its_cross_term);
  RUN_TEST(test_the_blas_has_a_core_name);
  return UNITY_END();
}
