// How fast gradients are, beside their floor. Usage: bench_gradient
#include "lib/linalg/blas.hpp"
#include "tests/bench/gradient.hpp"
#include "tests/support/tables.hpp"

int main() {
  bench::Report report;
  nnp::blas_single_thread();
  report.fact("simd", nnp::best_kernels()->name);
  report.fact("blas core", nnp::blas_core_name());
  bench::bench_gradients(report);
  return 0;
}
