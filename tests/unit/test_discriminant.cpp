// The change of inputs that suits classes: against its formulas for two columns, written out.
#include "lib/network/discriminant.hpp"

#include <cmath>
#include <vector>

#include "unity.h"

using namespace nnp;

void setUp() {}
void tearDown() {}

namespace {

struct Memory {
  std::vector<unsigned char> bytes;
  DiscriminantRoom room;

  Memory(int64_t columns, int64_t classes) {
    Arena counting;
    discriminant_layout(counting, columns, classes);
    bytes.resize(counting.used() + Arena::alignment);
    const size_t past = reinterpret_cast<uintptr_t>(bytes.data()) % Arena::alignment;
    Arena carving(bytes.data() + (Arena::alignment - past) % Arena::alignment, counting.used());
    room = discriminant_layout(carving, columns, classes);
    TEST_ASSERT_TRUE(counting.used() == carving.used());
  }
};

// Columns with mean 0 and variance 1; those that do not vary are 0.
void standardize_all(std::vector<double> &z, int64_t rows, int64_t columns) {
  std::vector<double> mean(columns), sd(columns);
  const Table table = {z.data(), rows, columns, columns, 1};
  find_standard(table, mean.data(), sd.data(), nullptr);
  TEST_ASSERT_TRUE(standardize(table, mean.data(), sd.data(), z.data(), nullptr) == Status::ok);
}

std::vector<double> matrix_of(const std::vector<double> &z, int64_t columns,
                              const std::vector<int32_t> &labels, int64_t classes,
                              bool signed_labels = false) {
  const int64_t rows = static_cast<int64_t>(labels.size());
  std::vector<double> matrix(columns * columns, 7);
  const Memory memory(columns, classes);
  const Table table = {z.data(), rows, columns, columns, 1};
  find_discriminant({table, labels.data(), classes, signed_labels}, memory.room, matrix.data());
  return matrix;
}

// More rows than a tile has.
constexpr int64_t rows = 150;

std::vector<double> two_columns(std::vector<int32_t> &labels) {
  std::vector<double> z(2 * rows);
  labels.resize(rows);
  for (int64_t i = 0; i < rows; ++i) {
    const double t = static_cast<double>(i);
    labels[i] = i % 3 == 0 ? 1 : 0;
    z[2 * i] = std::sin(1.7 * t * t) + 0.9 * labels[i];
    z[2 * i + 1] = std::sin(2.9 * t * t + 1) + 0.6 * z[2 * i];
  }
  standardize_all(z, rows, 2);
  return z;
}

// A A' = q (1 + b^2 a a' / v): a = S^-1 d with d the difference of means, b = share0 share1 d' S^-1 d
// less chance, v the variance of the rows along a, q = 2 / (2 + b^2).
void test_two_columns() {
  std::vector<int32_t> labels;
  const std::vector<double> z = two_columns(labels), matrix = matrix_of(z, 2, labels, 2);
  const double n = rows;
  double count[2] = {0, 0}, mean[2][2] = {{0, 0}, {0, 0}}, s[3] = {0, 0, 0};
  for (int64_t i = 0; i < rows; ++i) {
    ++count[labels[i]];
    for (int j = 0; j < 2; ++j) mean[labels[i]][j] += z[2 * i + j];
  }
  for (int c = 0; c < 2; ++c)
    for (int j = 0; j < 2; ++j) mean[c][j] /= count[c];
  for (int64_t i = 0; i < rows; ++i) {
    const double u = z[2 * i] - mean[labels[i]][0], w = z[2 * i + 1] - mean[labels[i]][1];
    s[0] += u * u;
    s[1] += w * w;
    s[2] += u * w;
  }
  // shrinkage, by its definition
  const double r = s[2] / std::sqrt(s[0] * s[1]);
  double errors = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const double u = z[2 * i] - mean[labels[i]][0], w = z[2 * i + 1] - mean[labels[i]][1];
    errors += std::pow(u * w / std::sqrt(s[0] * s[1]) * n - r, 2);
  }
  const double shrinkage = errors * n / std::pow(n - 1, 3) / (r * r);
  TEST_ASSERT_TRUE(shrinkage > 0.002 && shrinkage < 0.9);
  const double s00 = s[0] / (n - 2), s11 = s[1] / (n - 2), s01 = s[2] / (n - 2) * (1 - shrinkage);
  const double det = s00 * s11 - s01 * s01;
  const double d[2] = {mean[1][0] - mean[0][0], mean[1][1] - mean[0][1]};
  const double a[2] = {(s11 * d[0] - s01 * d[1]) / det, (s00 * d[1] - s01 * d[0]) / det};
  const double share = count[0] / n * (count[1] / n);
  const double b = share * (a[0] * d[0] + a[1] * d[1]) * (n - 5) / (n - 2) - 2 / n;
  TEST_ASSERT_TRUE(b > 0.1);
  double v = 0;
  for (int64_t i = 0; i < rows; ++i) v += std::pow(z[2 * i] * a[0] + z[2 * i + 1] * a[1], 2) / n;
  const double q = 2 / (2 + b * b);
  TEST_ASSERT_EQUAL_DOUBLE(0, matrix[2]);
  const double square[3] = {matrix[0] * matrix[0], matrix[1] * matrix[0],
                            matrix[1] * matrix[1] + matrix[3] * matrix[3]};
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, q * (1 + b * b * a[0] * a[0] / v), square[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, q * b * b * a[0] * a[1] / v, square[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, q * (1 + b * b * a[1] * a[1] / v), square[2]);
}

void test_labels_with_signs_are_the_same_classes() {
  std::vector<int32_t> labels;
  const std::vector<double> z = two_columns(labels), expected = matrix_of(z, 2, labels, 2);
  for (int32_t &label : labels) label = 2 * label - 1;
  const std::vector<double> found = matrix_of(z, 2, labels, 2, true);
  for (int i = 0; i < 4; ++i) TEST_ASSERT_EQUAL_DOUBLE(expected[i], found[i]);
}

// Columns that are constant, multiples of each other or the classes themselves.
void test_degenerate_columns() {
  std::vector<int32_t> labels;
  const std::vector<double> z = two_columns(labels);
  std::vector<double> five(5 * rows);
  for (int64_t i = 0; i < rows; ++i) {
    five[5 * i] = z[2 * i];
    five[5 * i + 1] = 3;
    five[5 * i + 2] = -2 * z[2 * i];
    five[5 * i + 3] = labels[i];
    five[5 * i + 4] = z[2 * i + 1];
  }
  standardize_all(five, rows, 5);
  const std::vector<double> matrix = matrix_of(five, 5, labels, 4);  // two classes are empty
  std::vector<double> out(five.size());
  apply_discriminant({five.data(), rows, 5, 5, 1}, matrix.data(), out.data());
  double variance = 0;
  for (const double value : out) variance += value * value / rows;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4, variance);
  TEST_ASSERT_EQUAL_DOUBLE(0, matrix[2 + 5]);  // the constant column is added to none
  TEST_ASSERT_TRUE(matrix[3 + 3 * 5] > matrix[4 + 4 * 5]);
}

void test_few_rows_change_nothing() {
  constexpr int64_t columns = 6;
  std::vector<double> z(9 * columns);
  std::vector<int32_t> labels(9);
  for (size_t i = 0; i < z.size(); ++i) z[i] = std::sin(1.3 * static_cast<double>(i * i));
  for (int32_t i = 0; i < 9; ++i) labels[i] = i % 2;
  standardize_all(z, 9, columns);
  const std::vector<double> matrix = matrix_of(z, columns, labels, 2);  // 9 - 2 = 6 + 1
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = 0; j < columns; ++j) TEST_ASSERT_EQUAL_DOUBLE(i == j, matrix[i + j * columns]);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_two_columns);
  RUN_TEST(test_labels_with_signs_are_the_same_classes);
  RUN_TEST(test_degenerate_columns);
  RUN_TEST(test_few_rows_change_nothing);
  return UNITY_END();
}
