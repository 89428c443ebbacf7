// With little noise the classical posterior of the paper's synthetic problem is a normal
// distribution around the teacher: the mean test error of HMC and MALA against its closed form.
#include <cblas.h>
#include <lapacke.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/synthetic.hpp"
#include "unity.h"

namespace {

using namespace synthetic;

// Slopes of the output in the weights, one row of them for each input.
std::vector<double> slopes(const std::vector<double> &w, const std::vector<double> &x) {
  const double *b1 = w.data() + hidden * inputs, *w2 = b1 + hidden;
  std::vector<double> all;
  for (const double *row = x.data(); row < x.data() + x.size(); row += inputs) {
    std::vector<double> unit(hidden);
    for (int64_t h = 0; h < hidden; ++h) {
      double z = b1[h];
      for (int64_t i = 0; i < inputs; ++i) z += w[static_cast<size_t>(h * inputs + i)] * row[i];
      unit[static_cast<size_t>(h)] = z > 0 ? z : 0;
      for (int64_t i = 0; i < inputs; ++i) all.push_back(z > 0 ? w2[h] * row[i] : 0);
    }
    for (int64_t h = 0; h < hidden; ++h)
      all.push_back(unit[static_cast<size_t>(h)] > 0 ? w2[h] : 0);
    all.insert(all.end(), unit.begin(), unit.end());
    all.push_back(1);
  }
  return all;
}

// With little noise the posterior is N(teacher, P^-1), P = J'J / D + prior precisions, J the slopes
// at the training inputs; the mean test MSE is the mean of j' P^-1 j over the test inputs.
double closed_form(const std::vector<double> &w, const std::vector<double> &train,
                   const std::vector<double> &test, double noise) {
  const int n = static_cast<int>(w.size()), first = static_cast<int>(hidden * (inputs + 1));
  const int tests = static_cast<int>(test_rows);
  const std::vector<double> j = slopes(w, train);
  std::vector<double> t = slopes(w, test), p(static_cast<size_t>(n) * w.size(), 0.0);
  for (int i = 0; i < n; ++i)
    p[static_cast<size_t>(i * n + i)] = static_cast<double>(i < first ? inputs : hidden);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, static_cast<int>(rows), 1 / noise,
              j.data(), n, 1, p.data(), n);
  TEST_ASSERT_EQUAL_INT(0, LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, p.data(), n));
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, tests, 1,
              p.data(), n, t.data(), n);
  double sum = 0;
  for (double value : t) sum += value * value;
  return sum / static_cast<double>(test_rows);
}

// States have some 500 weights: the mean of 50 that are as good as independent is known to a percent.
void test_test_error() {
  const double noise = 1e-6;
  const uint64_t set = 0;
  nnp::Stream stream(2024, set, 0);  // as make_problem has it
  const std::vector<double> w = teacher_weights(stream), train = normals(stream, rows * inputs, 1),
                            test = normals(stream, test_rows * inputs, 1);
  const Problem problem = make_problem(noise, set);
  const double expected = closed_form(w, train, test, noise);
  const Method methods[2] = {{NNP_HMC, NNP_CLASSICAL, 150, 500},
                             {NNP_MALA, NNP_CLASSICAL, 24000, 16000}};
  for (const Method &method : methods) {
    const double mse = equilibrium_mse(problem, method, noise, set);
    char text[100];
    std::snprintf(text, sizeof text, "sampler %d: %g, expected %g", method.sampler, mse, expected);
    VERDICT_MESSAGE(std::fabs(mse / expected - 1) < 0.04, text);
  }
  free_problem(problem);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_test_error);
  return UNITY_END();
}
