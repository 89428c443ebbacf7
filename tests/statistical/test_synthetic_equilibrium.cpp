// The paper's synthetic problem: chains that start at the teacher relax to the test error that the
// paper's authors found, on both posteriors; their tables give the mean over data sets.
#include <cmath>
#include <cstdio>

#include "tests/support/synthetic.hpp"
#include "unity.h"

namespace {

using namespace synthetic;

constexpr Method gibbs(int64_t settle, int64_t steps) {
  return {NNP_GIBBS, NNP_INTERMEDIATE, settle, steps};
}

constexpr Method hmc = {NNP_HMC, NNP_CLASSICAL, 150, 100};
constexpr Method mala = {NNP_MALA, NNP_CLASSICAL, 24000, 8000};

// The mean over `sets` data sets is the authors' over their 72, within 3 standard errors. Data sets
// differ: the norm of the teacher's output weights shows in the level of error. Where the authors'
// scatter (sd) is not known, it is taken to be ours.
void check(const Method &method, double noise, double mean, double sd, int64_t full) {
  const uint64_t sets = static_cast<uint64_t>(shortened(full, 2));
  const double count = static_cast<double>(sets), authors_count = 72;
  double sum = 0, squares = 0;
  char text[400];
  int length = std::snprintf(text, sizeof text, "D = %g:", noise);
  for (uint64_t set = 0; set < sets; ++set) {
    const Problem problem = make_problem(noise, set);
    const double mse = equilibrium_mse(problem, method, noise, set);
    free_problem(problem);
    sum += mse;
    squares += mse * mse;
    if (length < 350)
      length +=
          std::snprintf(text + length, sizeof text - static_cast<size_t>(length), " %.3g", mse);
  }
  const double own = (squares - sum * sum / count) / (count - 1);
  const double theirs = sd > 0 ? sd * sd : own;
  const double error = std::sqrt(own / count + theirs / authors_count);
  VERDICT_MESSAGE(error < 0.1 * mean, text);
  VERDICT_MESSAGE(std::fabs(sum / count - mean) < 3 * error, text);
}

void test_little_noise() {
  check(gibbs(1200, 400), 4.64e-4, 2.36e-4, 0.34e-4, 14);
}

void test_more_noise() {
  check(gibbs(300, 150), 1e-2, 5.12e-3, 0.97e-3, 14);
}

// Five noises each. The authors quote one level for both samplers.
constexpr double classical[5][2] = {{1e-2, 3.2675e-3},
                                    {2.15e-3, 7.095e-4},
                                    {1e-3, 3.29e-4},
                                    {4.64e-4, 1.529e-4},
                                    {1e-4, 3.2861e-5}};

void test_classical_hmc() {
  for (const double *row : classical) check(hmc, row[0], row[1], 0, 8);
}

void test_classical_mala() {
  for (const double *row : classical) check(mala, row[0], row[1], 0, 6);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_little_noise);
  RUN_TEST(test_more_noise);
  RUN_TEST(test_classical_hmc);
  RUN_TEST(test_classical_mala);
  return UNITY_END();
}
