// How fast the kernels run beside the BLAS, in Gflop/s: one thread, the best of several runs.
// Usage: bench_kernels [seconds a figure takes, default 0.05 [only rows whose label has this]]
#include <cblas.h>
#include <lapacke.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "lib/linalg/blas.hpp"
#include "lib/linalg/cholesky.hpp"
#include "lib/linalg/kernels.hpp"
#include "tests/support/tables.hpp"

namespace {

using nnp::ConstTile;
using nnp::Kernels;
using nnp::Tile;
using nnp::Tiling;

double seconds_a_figure = 0.05;
const char *wanted = "";
constexpr double most_flops = 3e9;  // of one run: a figure must not take minutes

double now() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

// Gflop/s of the fastest of at least five runs; a run repeats short work for a tenth of a
// millisecond, so that some runs fall between the disturbances of a shared machine.
template <class Work>
double gflops(double flops, const Work &work) {
  work();
  double begin = now();
  work();
  const double once = now() - begin;
  const int repeats = once > 1e-4 ? 1 : static_cast<int>(1e-4 / once) + 1;
  double best = 1e300;
  const double start = now();
  for (int run = 0; run < 5 || now() - start < seconds_a_figure; ++run) {
    begin = now();
    for (int i = 0; i < repeats; ++i) work();
    const double took = (now() - begin) / repeats;
    if (took < best) best = took;
  }
  return flops / best * 1e-9;
}

// Memory that begins on a cache line and holds modest numbers, never denormal.
class Buffer {
 public:
  explicit Buffer(int64_t size) : data_(static_cast<size_t>(size) + 8) {
    for (size_t i = 0; i < data_.size(); ++i) data_[i] = 0.1 + 0.01 * static_cast<double>(i % 37);
  }
  double *get() {
    const auto address = reinterpret_cast<uintptr_t>(data_.data());
    return data_.data() + (64 - address % 64) % 64 / sizeof(double);
  }

 private:
  std::vector<double> data_;
};

const Kernels *levels[4];  // of each SIMD level, and of the best one by BLAS in small calls
int level_count = 0;

const Kernels *small_calls() {
  return nnp::kernels_of(nnp::Simd::best, nnp::Provider::blas);
}

void print_head() {
  std::printf("%-34s", "");
  for (int i = 0; i < level_count; ++i)
    std::printf("%10s", levels[i] == small_calls() ? "small" : levels[i]->name);
  std::printf("%10s%12s\n", "BLAS tile", "BLAS whole");
}

struct Shape {
  int64_t n, in, out;
};

// The layer products over all tiles of n rows; a column for each level, then cblas.
void bench_products(Shape s) {
  const Tiling t = Tiling::of(s.n);
  Buffer u(t.size(s.in)), v(t.size(s.out)), w(s.in * s.out), c(s.in * s.out), g(s.in * s.in);
  const double flops = 2.0 * static_cast<double>(s.n * s.in * s.out);
  const double gram_flops = static_cast<double>(s.n * s.in * (s.in + 1));
  const int in = static_cast<int>(s.in), out = static_cast<int>(s.out), n = static_cast<int>(s.n);
  const auto each = [&](const auto &work) {
    for (int64_t i = 0; i < t.tiles; ++i) {
      work(t.tile(u.get(), s.in, i), t.tile(v.get(), s.out, i));
    }
  };
  const auto row = [&](const char *name, double count, const auto &kernel, const auto &blas,
                       const auto &whole) {
    char label[64];
    std::snprintf(label, sizeof label, "%s n=%d %d->%d", name, n, in, out);
    if (count > most_flops || !std::strstr(label, wanted)) return;
    std::printf("%-34s", label);
    for (int i = 0; i < level_count; ++i) {
      const Kernels *k = levels[i];
      std::printf("%10.1f", gflops(count, [&] { each([&](Tile a, Tile b) { kernel(k, a, b); }); }));
    }
    std::printf("%10.1f", gflops(count, [&] { each(blas); }));
    std::printf("%12.1f\n", gflops(count, whole));
    std::fflush(stdout);
  };
  const auto at = [](int64_t i) { return static_cast<int>(i); };

  row(
      "multiply", flops,
      [&](const Kernels *k, Tile a, Tile b) { k->multiply(a, w.get(), nullptr, b); },
      [&](Tile a, Tile b) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, at(a.rows), out, in, 1, a.data,
                    at(a.ld), w.get(), in, 0, b.data, at(b.ld));
      },
      [&] {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, out, in, 1, u.get(), n, w.get(),
                    in, 0, v.get(), n);
      });
  row(
      "multiply_transposed", flops,
      [&](const Kernels *k, Tile a, Tile b) { k->multiply_transposed(b, w.get(), a); },
      [&](Tile a, Tile b) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, at(a.rows), in, out, 1, b.data,
                    at(b.ld), w.get(), in, 0, a.data, at(a.ld));
      },
      [&] {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, in, out, 1, v.get(), n, w.get(), in,
                    0, u.get(), n);
      });
  row(
      "add_cross", flops,
      [&](const Kernels *k, Tile a, Tile b) { k->add_cross(a, b, c.get(), s.in); },
      [&](Tile a, Tile b) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, in, out, at(a.rows), 1, a.data,
                    at(a.ld), b.data, at(b.ld), 1, c.get(), in);
      },
      [&] {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, in, out, n, 1, u.get(), n, v.get(), n,
                    1, c.get(), in);
      });
  // As a Gibbs step goes: the input of a tile is read from memory once, for both products.
  row(
      "multiply and add_cross", 2 * flops,
      [&](const Kernels *k, Tile a, Tile b) {
        k->multiply(a, w.get(), nullptr, b);
        k->add_cross(a, b, c.get(), s.in);
      },
      [&](Tile a, Tile b) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, at(a.rows), out, in, 1, a.data,
                    at(a.ld), w.get(), in, 0, b.data, at(b.ld));
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, in, out, at(a.rows), 1, a.data,
                    at(a.ld), b.data, at(b.ld), 1, c.get(), in);
      },
      [&] {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, out, in, 1, u.get(), n, w.get(),
                    in, 0, v.get(), n);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, in, out, n, 1, u.get(), n, v.get(), n,
                    1, c.get(), in);
      });
  row(
      "add_gram", gram_flops,
      [&](const Kernels *k, Tile a, Tile) { k->add_gram(a, g.get(), s.in); },
      [&](Tile a, Tile) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, in, at(a.rows), 1, a.data, at(a.ld), 1,
                    g.get(), in);
      },
      [&] {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, in, n, 1, u.get(), n, 1, g.get(), in);
      });
  // A unit lower triangle times a half, far from singular.
  for (int64_t i = 0; i < s.in * s.in; ++i) g.get()[i] = i % (s.in + 1) == 0 ? 1.0 : 1e-6;
  row(
      "solve_lower", static_cast<double>(s.n * s.in * s.in),
      [&](const Kernels *k, Tile a, Tile) { k->solve_lower(g.get(), s.in, a); },
      [&](Tile a, Tile) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, at(a.rows), in,
                    1, g.get(), in, a.data, at(a.ld));
      },
      [&] {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, in, 1,
                    g.get(), in, u.get(), n);
      });
  row(
      "solve_lower_transposed", static_cast<double>(s.n * s.in * s.in),
      [&](const Kernels *k, Tile a, Tile) { k->solve_lower_transposed(g.get(), s.in, a); },
      [&](Tile a, Tile) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, at(a.rows),
                    in, 1, g.get(), in, a.data, at(a.ld));
      },
      [&] {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, n, in, 1,
                    g.get(), in, u.get(), n);
      });
}

// Factor, and draw k columns (both solves); LAPACK has one column.
void bench_factor(int64_t n, int64_t k) {
  Buffer a(n * n), l(n * n), b(n * k), x(n * k);
  for (int64_t i = 0; i < n * n; ++i)
    a.get()[i] = i % (n + 1) == 0 ? 2.0 : 0.5 / static_cast<double>(n);
  const auto bytes = [](int64_t count) { return static_cast<size_t>(count) * sizeof(double); };
  const int rows = static_cast<int>(n), columns = static_cast<int>(k);
  const auto row = [&](const char *name, double count, const auto &kernel, const auto &lapack) {
    char label[64];
    std::snprintf(label, sizeof label, "%s n=%d k=%d", name, rows, columns);
    if (!std::strstr(label, wanted)) return;
    std::printf("%-34s", label);
    for (int i = 0; i < level_count; ++i) {
      std::printf("%10.1f", gflops(count, [&] { kernel(levels[i]); }));
    }
    std::printf("%10s%12.1f\n", "", gflops(count, lapack));
    std::fflush(stdout);
  };
  row(
      "cholesky", static_cast<double>(n * n * n) / 3,
      [&](const Kernels *kernels) {
        std::memcpy(l.get(), a.get(), bytes(n * n));
        nnp::cholesky(l.get(), n, n, kernels);
      },
      [&] {
        std::memcpy(l.get(), a.get(), bytes(n * n));
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows, l.get(), rows);
      });
  row(
      "solve columns, both ways", static_cast<double>(2 * n * n * k),
      [&](const Kernels *kernels) {
        std::memcpy(x.get(), b.get(), bytes(n * k));
        nnp::solve_lower(l.get(), n, n, x.get(), k, n, kernels);
        nnp::solve_lower_transposed(l.get(), n, n, x.get(), k, n, kernels);
      },
      [&] {
        std::memcpy(x.get(), b.get(), bytes(n * k));
        for (CBLAS_TRANSPOSE transpose : {CblasNoTrans, CblasTrans}) {
          cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, rows, columns,
                      1, l.get(), rows, x.get(), rows);
        }
      });
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1) seconds_a_figure = std::atof(argv[1]);
  if (argc > 2) wanted = argv[2];
  nnp::blas_single_thread();
  std::printf("OpenBLAS core: %s. Gflop/s, one thread.\n", nnp::blas_core_name());
  for (const char *name : {"portable", "avx2", "avx512"}) {
    if (const Kernels *k = nnp::kernels_named(name)) levels[level_count++] = k;
  }
  if (const Kernels *k = small_calls()) levels[level_count++] = k;
  print_head();
  const Shape shapes[] = {{64, 50, 10},     {2084, 50, 10},    {2084, 10, 1},  {60000, 50, 10},
                          {64, 784, 12},    {60000, 784, 12},  {64, 12, 10},   {60000, 12, 10},
                          {2084, 3, 5},     {2084, 128, 128},  {64, 512, 512}, {2084, 512, 512},
                          {2048, 256, 256}, {2048, 1024, 1024}};
  for (const Shape &s : shapes) bench_products(s);
  const Shape factors[] = {{11, 0, 1},    {13, 0, 10},  {51, 0, 10},   {73, 0, 10},   {785, 0, 12},
                           {129, 0, 128}, {513, 0, 10}, {513, 0, 512}, {1025, 0, 100}};
  for (const Shape &s : factors) bench_factor(s.n, s.out);
  return 0;
}
