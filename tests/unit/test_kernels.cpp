// Every kernel of every level this machine has: against sums in long double and against the BLAS,
// on random shapes with NaN in all the padding, and twice for the same bits.
#include <cblas.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "lib/linalg/blas.hpp"
#include "lib/linalg/kernels.hpp"
#include "tests/support/tables.hpp"
extern "C" {
#include "unity.h"
}

void setUp(void) {}
void tearDown(void) {}

namespace {

using nnp::ConstTile;
using nnp::Kernels;
using nnp::level_names;
using nnp::Tile;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double eps = std::numeric_limits<double>::epsilon();

// Numbers from a fixed seed (splitmix64): enough for inputs of products.
struct Numbers {
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }  // in [-1, 1)
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
};

// A matrix whose unused rows hold NaN, with NaN before and after it.
struct Matrix {
  static constexpr int64_t margin = 16;
  int64_t rows, width, ld;
  std::vector<double> memory;

  Matrix(int64_t rows_, int64_t width_, int64_t ld_)
      : rows(rows_),
        width(width_),
        ld(ld_),
        memory(static_cast<size_t>(ld_ * width_ + 2 * margin), nan_value) {}
  static Matrix random(int64_t rows, int64_t width, int64_t ld, Numbers &numbers) {
    Matrix m(rows, width, ld);
    for (int64_t j = 0; j < width; ++j) {
      for (int64_t i = 0; i < rows; ++i) m(i, j) = numbers.uniform();
    }
    return m;
  }
  double *data() { return memory.data() + margin; }
  double &operator()(int64_t i, int64_t j) { return data()[i + j * ld]; }
  Tile tile() { return {data(), rows, width, ld}; }
  ConstTile view() { return {data(), rows, width, ld}; }
};

bool same_bits(const Matrix &a, const Matrix &b) {
  return std::memcmp(a.memory.data(), b.memory.data(), a.memory.size() * sizeof(double)) == 0;
}

// All of the memory that is not an element still holds NaN.
bool padding_untouched(Matrix &m) {
  for (int64_t at = -Matrix::margin; at < m.ld * m.width + Matrix::margin; ++at) {
    const bool element = at >= 0 && at < m.ld * m.width && at % m.ld < m.rows;
    if (!element && m.data()[at] == m.data()[at]) return false;
  }
  return true;
}

struct Shape {
  int64_t rows, in, out, ld;
};

// The shapes the samplers have most, then random ones, small widths as often as large ones.
Shape shape(int which, Numbers &numbers) {
  const Shape fixed[] = {
      {64, 50, 10, 64},
      {64, 10, 1, 64},
      {64, 784, 12, 64},
      {64, 12, 10, 64},
      {36, 50, 10, 64},
      {1, 1, 1, 8},
      {7, 2, 3, 8},
      {64, 1, 5, 64},
      {63, 130, 64, 64},
      {57, 72, 100, 64},
      // wide ones, some of whose kernels take panels of columns or strips of rows
      {128, 130, 100, 128},
      {128, 256, 257, 136},
      {101, 97, 193, 104},
      {16, 128, 128, 16},
      {33, 200, 96, 40},
      {300, 100, 99, 300}};
  constexpr int count = sizeof fixed / sizeof fixed[0];
  if (which < count) return fixed[which];
  Shape s;
  const int64_t widest = which % 3 == 0 ? 130 : which % 3 == 1 ? 20 : 6;
  s.rows = numbers.between(1, 64);
  s.in = numbers.between(1, widest);
  s.out = numbers.between(1, widest);
  s.ld = which % 2 ? (s.rows + 7) / 8 * 8 : numbers.between(s.rows, 64);
  return s;
}
constexpr int shapes = 150;

struct Case {
  const Kernels *kernels;
  Shape s;
};

void check_near(const Case &at, const char *what, int64_t i, int64_t j, long double expected,
                double got, double bound) {
  if (std::fabs(static_cast<double>(expected) - got) <= bound) return;
  char message[200];
  std::snprintf(message, sizeof message, "%s %s rows %d %d->%d ld %d: (%d, %d) is %.17g, not %.17g",
                at.kernels->name, what, static_cast<int>(at.s.rows), static_cast<int>(at.s.in),
                static_cast<int>(at.s.out), static_cast<int>(at.s.ld), static_cast<int>(i),
                static_cast<int>(j), got, static_cast<double>(expected));
  TEST_FAIL_MESSAGE(message);
}

// The error of a sum of n products is at most about n * eps * sum |a b|; entries are below 1.
double bound_of(int64_t n) {
  return 2 * eps * static_cast<double>(n + 2) * static_cast<double>(n);
}

template <class Check>
void on_all_levels(const Check &check) {
  int levels = 0;
  for (const char *name : level_names) {
    const Kernels *kernels = nnp::kernels_named(name);
    if (!kernels) continue;
    ++levels;
    Numbers numbers = {20240607};
    for (int which = 0; which < shapes; ++which) {
      check(Case{kernels, shape(which, numbers)}, numbers);
    }
  }
  TEST_ASSERT_GREATER_OR_EQUAL_INT(1, levels);
}

int narrow(int64_t i) {
  return static_cast<int>(i);
}

void test_multiply_is_the_product_plus_bias() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix u = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix w = Matrix::random(s.in, s.out, s.in, numbers);
    Matrix bias = Matrix::random(s.out, 1, s.out, numbers);
    const bool with_bias = numbers.between(0, 1) == 1;
    const double *b = with_bias ? bias.data() : nullptr;
    Matrix out(s.rows, s.out, s.ld), again(s.rows, s.out, s.ld), blas(s.rows, s.out, s.ld);
    at.kernels->multiply(u.view(), w.data(), b, out.tile());
    at.kernels->multiply(u.view(), w.data(), b, again.tile());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, narrow(s.rows), narrow(s.out),
                narrow(s.in), 1, u.data(), narrow(s.ld), w.data(), narrow(s.in), 0, blas.data(),
                narrow(s.ld));
    for (int64_t j = 0; j < s.out; ++j) {
      for (int64_t i = 0; i < s.rows; ++i) {
        const double offset = with_bias ? bias(j, 0) : 0;
        long double sum = offset;
        for (int64_t k = 0; k < s.in; ++k) sum += static_cast<long double>(u(i, k)) * w(k, j);
        check_near(at, "multiply", i, j, sum, out(i, j), bound_of(s.in));
        check_near(at, "multiply, BLAS", i, j, blas(i, j) + offset, out(i, j), 2 * bound_of(s.in));
      }
    }
    TEST_ASSERT_TRUE(padding_untouched(out));
    TEST_ASSERT_TRUE(same_bits(out, again));
  });
}

void test_multiply_transposed_is_the_product() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix v = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix w = Matrix::random(s.out, s.in, s.out, numbers);
    Matrix out(s.rows, s.out, s.ld), again(s.rows, s.out, s.ld), blas(s.rows, s.out, s.ld);
    at.kernels->multiply_transposed(v.view(), w.data(), out.tile());
    at.kernels->multiply_transposed(v.view(), w.data(), again.tile());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(s.rows), narrow(s.out),
                narrow(s.in), 1, v.data(), narrow(s.ld), w.data(), narrow(s.out), 0, blas.data(),
                narrow(s.ld));
    for (int64_t j = 0; j < s.out; ++j) {
      for (int64_t i = 0; i < s.rows; ++i) {
        long double sum = 0;
        for (int64_t k = 0; k < s.in; ++k) sum += static_cast<long double>(v(i, k)) * w(j, k);
        check_near(at, "multiply_transposed", i, j, sum, out(i, j), bound_of(s.in));
        check_near(at, "multiply_transposed, BLAS", i, j, blas(i, j), out(i, j),
                   2 * bound_of(s.in));
      }
    }
    TEST_ASSERT_TRUE(padding_untouched(out));
    TEST_ASSERT_TRUE(same_bits(out, again));
  });
}

void test_add_cross_adds_the_product_over_rows() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix u = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix v = Matrix::random(s.rows, s.out, s.ld, numbers);
    Matrix before = Matrix::random(s.in, s.out, s.in + numbers.between(0, 3), numbers);
    Matrix c = before, again = before, blas = before;
    at.kernels->add_cross(u.view(), v.view(), c.data(), c.ld);
    at.kernels->add_cross(u.view(), v.view(), again.data(), again.ld);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, narrow(s.in), narrow(s.out),
                narrow(s.rows), 1, u.data(), narrow(s.ld), v.data(), narrow(s.ld), 1, blas.data(),
                narrow(blas.ld));
    for (int64_t j = 0; j < s.out; ++j) {
      for (int64_t i = 0; i < s.in; ++i) {
        long double sum = before(i, j);
        for (int64_t r = 0; r < s.rows; ++r) sum += static_cast<long double>(u(r, i)) * v(r, j);
        check_near(at, "add_cross", i, j, sum, c(i, j), bound_of(s.rows));
        check_near(at, "add_cross, BLAS", i, j, blas(i, j), c(i, j), 2 * bound_of(s.rows));
      }
    }
    TEST_ASSERT_TRUE(padding_untouched(c));
    TEST_ASSERT_TRUE(same_bits(c, again));
  });
}

void test_add_gram_adds_to_the_lower_triangle_only() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix u = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix before = Matrix::random(s.in, s.in, s.in + numbers.between(0, 3), numbers);
    Matrix g = before, again = before, blas = before;
    at.kernels->add_gram(u.view(), g.data(), g.ld);
    at.kernels->add_gram(u.view(), again.data(), again.ld);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, narrow(s.in), narrow(s.rows), 1, u.data(),
                narrow(s.ld), 1, blas.data(), narrow(blas.ld));
    for (int64_t j = 0; j < s.in; ++j) {
      for (int64_t i = 0; i < s.in; ++i) {
        if (i < j) {
          TEST_ASSERT_TRUE(g(i, j) == before(i, j));
          continue;
        }
        long double sum = before(i, j);
        for (int64_t r = 0; r < s.rows; ++r) sum += static_cast<long double>(u(r, i)) * u(r, j);
        check_near(at, "add_gram", i, j, sum, g(i, j), bound_of(s.rows));
        check_near(at, "add_gram, BLAS", i, j, blas(i, j), g(i, j), 2 * bound_of(s.rows));
      }
    }
    TEST_ASSERT_TRUE(padding_untouched(g));
    TEST_ASSERT_TRUE(same_bits(g, again));
  });
}

void test_sums_from_zeros_do_not_depend_on_what_was_there() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix u = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix v = Matrix::random(s.rows, s.out, s.ld, numbers);
    const int64_t ld = s.in + numbers.between(0, 3);
    Matrix c(s.in, s.out, ld), g(s.in, s.in, ld), zeros(s.in, s.out, ld), triangle(s.in, s.in, ld);
    for (int64_t j = 0; j < s.out; ++j) std::fill_n(&zeros(0, j), s.in, 0.0);
    for (int64_t j = 0; j < s.in; ++j) std::fill_n(&triangle(j, j), s.in - j, 0.0);
    at.kernels->set_cross(u.view(), v.view(), c.data(), ld);
    at.kernels->set_gram(u.view(), g.data(), ld);
    at.kernels->add_cross(u.view(), v.view(), zeros.data(), ld);
    at.kernels->add_gram(u.view(), triangle.data(), ld);
    for (int64_t i = 0; i < s.in; ++i) {
      for (int64_t j = 0; j < s.out; ++j) TEST_ASSERT_TRUE(c(i, j) == zeros(i, j));
      for (int64_t j = 0; j <= i; ++j) TEST_ASSERT_TRUE(g(i, j) == triangle(i, j));
      for (int64_t j = i + 1; j < s.in; ++j) TEST_ASSERT_TRUE(g(i, j) != g(i, j));
    }
    TEST_ASSERT_TRUE(padding_untouched(c));
    TEST_ASSERT_TRUE(padding_untouched(g));
  });
}

void test_add_sums_adds_the_sum_of_each_column() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix v = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix before = Matrix::random(s.in, 1, s.in, numbers);
    Matrix sums = before, again = before;
    at.kernels->add_sums(v.view(), sums.data());
    at.kernels->add_sums(v.view(), again.data());
    for (int64_t j = 0; j < s.in; ++j) {
      long double sum = before(j, 0);
      for (int64_t r = 0; r < s.rows; ++r) sum += v(r, j);
      check_near(at, "add_sums", j, 0, sum, sums(j, 0), bound_of(s.rows));
    }
    TEST_ASSERT_TRUE(padding_untouched(sums));
    TEST_ASSERT_TRUE(same_bits(sums, again));
  });
}

// Three lines, or two with an infinite second knot.
nnp::Lines random_lines(Numbers &numbers) {
  nnp::Lines lines;
  const bool three = numbers.between(0, 1) == 1;
  lines.knot[0] = 0.5 * numbers.uniform() - 0.5;
  lines.knot[1] = three ? lines.knot[0] + 0.5 : std::numeric_limits<double>::infinity();
  for (double &slope : lines.slope) slope = numbers.uniform();
  for (double &offset : lines.offset) offset = numbers.uniform();
  return lines;
}

int line_at(const nnp::Lines &lines, double z) {
  return z >= lines.knot[1] ? 2 : z >= lines.knot[0] ? 1 : 0;
}

void test_lines_and_their_slopes() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    const nnp::Lines lines = random_lines(numbers);
    Matrix z = Matrix::random(s.rows, s.in, s.ld, numbers);
    const Matrix gradient = Matrix::random(s.rows, s.in, s.ld, numbers);
    z(0, 0) = lines.knot[0];  // a knot belongs to the line right of it
    Matrix values(s.rows, s.in, s.ld), slopes = gradient, before = gradient;
    at.kernels->apply_lines(lines, z.view(), values.tile());
    at.kernels->apply_slopes(lines, z.view(), slopes.view(), slopes.tile());
    for (int64_t j = 0; j < s.in; ++j)
      for (int64_t i = 0; i < s.rows; ++i) {
        const int line = line_at(lines, z(i, j));
        const long double slope = lines.slope[line];
        check_near(at, "apply_lines", i, j, slope * z(i, j) + lines.offset[line], values(i, j),
                   4 * eps);
        check_near(at, "apply_slopes", i, j, slope * before(i, j), slopes(i, j), 2 * eps);
      }
    TEST_ASSERT_TRUE(padding_untouched(values));
    TEST_ASSERT_TRUE(padding_untouched(slopes));
  });
}

// Relative to the true value, from the smallest sizes to the largest, signs and knots included.
void check_smooth(const Case &at, const char *what, double z, long double expected, double got) {
  const double bound = 8 * eps * std::fabs(static_cast<double>(expected)) + 1e-300;
  if (std::fabs(static_cast<double>(expected - static_cast<long double>(got))) <= bound) return;
  char message[200];
  std::snprintf(message, sizeof message, "%s %s at %.17g is %.17g, not %.17g", at.kernels->name,
                what, z, got, static_cast<double>(expected));
  TEST_FAIL_MESSAGE(message);
}

void test_smooth_functions() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix z = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix gradient = Matrix::random(s.rows, s.in, s.ld, numbers);
    for (int64_t j = 0; j < s.in; ++j)
      for (int64_t i = 0; i < s.rows; ++i)
        z(i, j) *= std::pow(10.0, static_cast<double>(numbers.between(-12, 2)));
    z(0, 0) = 0;
    Matrix values(s.rows, s.in, s.ld), plus(s.rows, s.in, s.ld), slopes(s.rows, s.in, s.ld);
    Matrix flat(s.rows, s.in, s.ld);
    at.kernels->tanh_values(z.view(), values.tile());
    at.kernels->tanh_slopes(values.view(), gradient.view(), flat.tile());
    at.kernels->softplus_values(z.view(), plus.tile());
    at.kernels->softplus_slopes(z.view(), gradient.view(), slopes.tile());
    for (int64_t j = 0; j < s.in; ++j)
      for (int64_t i = 0; i < s.rows; ++i) {
        const long double x = z(i, j), g = gradient(i, j);
        check_smooth(at, "tanh", z(i, j), std::tanh(x), values(i, j));
        const long double y = values(i, j);
        check_near(at, "slope of tanh", i, j, g * (1 - y * y), flat(i, j), 2 * eps);
        const long double soft = (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
        check_smooth(at, "softplus", z(i, j), soft, plus(i, j));
        check_smooth(at, "slope of softplus", z(i, j), g / (1 + std::exp(-x)), slopes(i, j));
      }
    TEST_ASSERT_TRUE(padding_untouched(values));
    TEST_ASSERT_TRUE(padding_untouched(plus));
    TEST_ASSERT_TRUE(padding_untouched(slopes));
    TEST_ASSERT_TRUE(padding_untouched(flat));
  });
}

// The slope passes through 0 near z = -0.75, so its error there is relative to its parts.
void test_gelu() {
  const long double pi = 3.14159265358979323846264338327950288L;
  on_all_levels([=](const Case &at, Numbers &numbers) {
    if (!at.kernels->gelu_values) return;  // the portable level has none
    const Shape s = at.s;
    Matrix z = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix gradient = Matrix::random(s.rows, s.in, s.ld, numbers);
    for (int64_t j = 0; j < s.in; ++j)
      for (int64_t i = 0; i < s.rows; ++i)
        z(i, j) *= std::pow(10.0, static_cast<double>(numbers.between(-12, 2)));
    z(0, 0) = 0;
    Matrix values(s.rows, s.in, s.ld), slopes(s.rows, s.in, s.ld);
    at.kernels->gelu_values(z.view(), values.tile());
    at.kernels->gelu_slopes(z.view(), gradient.view(), slopes.tile());
    for (int64_t j = 0; j < s.in; ++j)
      for (int64_t i = 0; i < s.rows; ++i) {
        const long double x = z(i, j), g = gradient(i, j);
        const long double below = std::erfc(-x * std::sqrt(0.5L)) / 2;
        const long double density = std::exp(-x * x / 2) / std::sqrt(2 * pi);
        check_smooth(at, "gelu", z(i, j), x * below, values(i, j));
        const double bound =
            static_cast<double>(8 * eps * std::fabs(g) * (below + std::fabs(x) * density)) + 1e-300;
        const long double off = slopes(i, j) - g * (below + x * density);
        if (!(std::fabs(off) <= bound)) {
          char message[200];
          std::snprintf(message, sizeof message,
                        "%s slope of gelu at %.17g is off by %.3g, not %.3g", at.kernels->name,
                        z(i, j), static_cast<double>(off), bound);
          TEST_FAIL_MESSAGE(message);
        }
      }
    TEST_ASSERT_TRUE(padding_untouched(values));
    TEST_ASSERT_TRUE(padding_untouched(slopes));
  });
}

// Where there is nothing to compute: infinities and NaN.
void test_smooth_functions_at_the_ends() {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char *name : level_names) {
    const Kernels *kernels = nnp::kernels_named(name);
    if (!kernels) continue;
    double in[4] = {infinity, -infinity, nan_value, 1e300}, out[4], ones[4] = {1, 1, 1, 1};
    const ConstTile z = {in, 4, 1, 4}, one = {ones, 4, 1, 4};
    kernels->tanh_values(z, {out, 4, 1, 4});
    TEST_ASSERT_TRUE(out[0] == 1 && out[1] == -1 && out[2] != out[2] && out[3] == 1);
    kernels->softplus_values(z, {out, 4, 1, 4});
    TEST_ASSERT_TRUE(out[0] == infinity && out[2] != out[2] && out[3] == 1e300);
    kernels->softplus_slopes(z, one, {out, 4, 1, 4});
    TEST_ASSERT_TRUE(out[0] == 1 && out[1] < 1e-300 && out[2] != out[2] && out[3] == 1);
    if (!kernels->gelu_values) continue;
    in[1] = -1e300;
    kernels->gelu_values(z, {out, 4, 1, 4});
    TEST_ASSERT_TRUE(out[0] == infinity && out[1] == 0 && out[2] != out[2] && out[3] == 1e300);
    kernels->gelu_slopes(z, one, {out, 4, 1, 4});
    TEST_ASSERT_TRUE(out[0] == 1 && out[1] == 0 && out[2] != out[2] && out[3] == 1);
  }
}

void test_subtract_scales_and_sums_squares() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix a = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix b = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix before = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix out(s.rows, s.in, s.ld), again(s.rows, s.in, s.ld), sum = before;
    const double scale = 3 * numbers.uniform();
    const double squares = at.kernels->subtract(a.view(), b.view(), scale, out.tile());
    const double twice =
        at.kernels->subtract_twice(a.view(), b.view(), scale, again.tile(), sum.tile());
    long double expected = 0;
    for (int64_t j = 0; j < s.in; ++j)
      for (int64_t i = 0; i < s.rows; ++i) {
        const long double difference = static_cast<long double>(a(i, j)) - b(i, j);
        expected += difference * difference;
        check_near(at, "subtract", i, j, scale * difference, out(i, j), 16 * eps);
        check_near(at, "subtract_twice", i, j, before(i, j) - scale * difference, sum(i, j),
                   32 * eps);
      }
    check_near(at, "sum of squares", 0, 0, expected, squares, 4 * bound_of(s.rows * s.in));
    TEST_ASSERT_TRUE(squares == twice);
    TEST_ASSERT_TRUE(same_bits(out, again));
    TEST_ASSERT_TRUE(padding_untouched(out));
    TEST_ASSERT_TRUE(padding_untouched(sum));
  });
}

// Where a = 0 there need not be any x.
void test_combine_adds_multiples() {
  on_all_levels([](const Case &at, Numbers &numbers) {
    const int64_t n = at.s.rows;
    Matrix x = Matrix::random(n, 1, at.s.ld, numbers), y = Matrix::random(n, 1, at.s.ld, numbers);
    for (double a : {0.0, 3 * numbers.uniform()}) {
      const nnp::Combination by = {a, 2 * numbers.uniform(), numbers.uniform()};
      Matrix out(n, 1, at.s.ld), in_place = y;
      at.kernels->combine(by, a == 0 ? nullptr : x.data(), y.data(), n, out.data());
      at.kernels->combine(by, a == 0 ? nullptr : x.data(), in_place.data(), n, in_place.data());
      for (int64_t i = 0; i < n; ++i) {
        const long double sum =
            static_cast<long double>(a) * x(i, 0) + static_cast<long double>(by.b) * y(i, 0) + by.c;
        check_near(at, "combine", i, 0, sum, out(i, 0), 32 * eps);
      }
      TEST_ASSERT_TRUE(padding_untouched(out));
      TEST_ASSERT_TRUE(same_bits(out, in_place));
    }
  });
}

// A lower triangle with a dominant diagonal (solutions stay near 1), NaN above it: not to be read.
Matrix random_lower(int64_t n, int64_t ld, Numbers &numbers) {
  Matrix l(n, n, ld);
  for (int64_t j = 0; j < n; ++j) {
    l(j, j) = 1.5 + 0.5 * numbers.uniform();
    for (int64_t i = j + 1; i < n; ++i) l(i, j) = numbers.uniform() / static_cast<double>(n);
  }
  return l;
}

template <bool transposed>
void check_solve(const Case &at, Numbers &numbers) {
  const Shape s = at.s;
  const char *what = transposed ? "solve_lower_transposed" : "solve_lower";
  Matrix l = random_lower(s.in, s.in + numbers.between(0, 3), numbers);
  const Matrix before = Matrix::random(s.rows, s.in, s.ld, numbers);
  Matrix x = before, again = before, blas = before, expected = before;
  const auto solve = transposed ? at.kernels->solve_lower_transposed : at.kernels->solve_lower;
  solve(l.data(), l.ld, x.tile());
  solve(l.data(), l.ld, again.tile());
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, transposed ? CblasNoTrans : CblasTrans,
              CblasNonUnit, narrow(s.rows), narrow(s.in), 1, l.data(), narrow(l.ld), blas.data(),
              narrow(blas.ld));
  for (int64_t i = 0; i < s.rows; ++i) {
    std::vector<long double> row(static_cast<size_t>(s.in));
    for (int64_t step = 0; step < s.in; ++step) {
      const int64_t j = transposed ? s.in - 1 - step : step;
      long double sum = expected(i, j);
      for (int64_t m = 0; m < step; ++m) {
        const int64_t k = transposed ? s.in - 1 - m : m;
        sum -= row[static_cast<size_t>(k)] * (transposed ? l(k, j) : l(j, k));
      }
      row[static_cast<size_t>(j)] = sum / l(j, j);
      check_near(at, what, i, j, row[static_cast<size_t>(j)], x(i, j), bound_of(s.in));
      check_near(at, what, i, j, blas(i, j), x(i, j), 2 * bound_of(s.in));
    }
  }
  TEST_ASSERT_TRUE(padding_untouched(x));
  TEST_ASSERT_TRUE(same_bits(x, again));
}

void test_solve_lower_solves_every_row() {
  on_all_levels(check_solve<false>);
}
void test_solve_lower_transposed_solves_every_row() {
  on_all_levels(check_solve<true>);
}

void test_rows_do_not_depend_on_their_neighbours() {
  // A row alone, or in any tile, has the same bits: results do not hang on how rows are cut.
  on_all_levels([](const Case &at, Numbers &numbers) {
    const Shape s = at.s;
    Matrix u = Matrix::random(s.rows, s.in, s.ld, numbers);
    Matrix w = Matrix::random(s.in, s.out, s.in, numbers);
    Matrix all(s.rows, s.out, s.ld), one(1, s.out, 1);
    at.kernels->multiply(u.view(), w.data(), nullptr, all.tile());
    const int64_t row = numbers.between(0, s.rows - 1);
    at.kernels->multiply({u.data() + row, 1, s.in, s.ld}, w.data(), nullptr, one.tile());
    for (int64_t j = 0; j < s.out; ++j) TEST_ASSERT_TRUE(one(0, j) == all(row, j));
  });
}

void test_names_choose_tables() {
  const Kernels *best = nnp::best_kernels();
  TEST_ASSERT_NOT_NULL(best);
  TEST_ASSERT_TRUE(nnp::kernels_named(best->name) == best);
  TEST_ASSERT_NOT_NULL(nnp::kernels_named("portable"));
  TEST_ASSERT_NULL(nnp::kernels_named("mmx"));
  TEST_ASSERT_NULL(nnp::kernels_named(""));
  for (const char *name : level_names) {
    const Kernels *kernels = nnp::kernels_named(name);
    if (kernels) TEST_ASSERT_EQUAL_STRING(name, kernels->name);
  }
}

}  // namespace

int main() {
  nnp::blas_single_thread();
  UNITY_BEGIN();
  RUN_TEST(test_multiply_is_the_product_plus_bias);
  RUN_TEST(test_multiply_transposed_is_the_product);
  RUN_TEST(test_add_cross_adds_the_product_over_rows);
  RUN_TEST(test_add_gram_adds_to_the_lower_triangle_only);
  RUN_TEST(test_sums_from_zeros_do_not_depend_on_what_was_there);
  RUN_TEST(test_add_sums_adds_the_sum_of_each_column);
  RUN_TEST(test_lines_and_their_slopes);
  RUN_TEST(test_smooth_functions);
  RUN_TEST(test_gelu);
  RUN_TEST(test_smooth_functions_at_the_ends);
  RUN_TEST(test_subtract_scales_and_sums_squares);
  RUN_TEST(test_combine_adds_multiples);
  RUN_TEST(test_solve_lower_solves_every_row);
  RUN_TEST(test_solve_lower_transposed_solves_every_row);
  RUN_TEST(test_rows_do_not_depend_on_their_neighbours);
  RUN_TEST(test_names_choose_tables);
  return UNITY_END();
}
