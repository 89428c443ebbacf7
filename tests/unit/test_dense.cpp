// The dense layer's draw of its input site: mean and covariance of the exact conditional
//   precision P = I/D_p + W'W/D,   mean P^-1 (m/D_p + W'(v - b)/D)
// for its three forms, noise ratios from 1e-24 to 1e24 and weights of any size, zero included.
// The reference is computed in 113 bits: for extreme ratios P is singular in double precision.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

#include "lib/network/layer.hpp"
#include "tests/support/stats.hpp"
#include "tests/support/tables.hpp"
#include "unity.h"

#if defined(__aarch64__)
typedef long double Quad;  // of 113 bits there
#else
__extension__ typedef __float128 Quad;
#endif

namespace {

using Values = std::vector<double>;
using Quads = std::vector<Quad>;

Quad root(Quad x) {
  if (x == 0) return 0;
  Quad y = std::sqrt(static_cast<double>(x));
  for (int i = 0; i < 3; ++i) y = (y + x / y) / 2;
  return y;
}

// Lower Cholesky factor, row-major.
Quads cholesky(Quads a, size_t n) {
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < j; ++k) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    TEST_ASSERT_TRUE(a[j * n + j] > 0);
    a[j * n + j] = root(a[j * n + j]);
    for (size_t i = j + 1; i < n; ++i) {
      for (size_t k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  return a;
}

struct Case {
  size_t in, out;
  bool bias;
  double prior_noise, noise;
  double size;  // of the weights
};

nnp::Layer layer_of(const Case &c) {
  nnp::Layer layer;
  layer.in.channels = static_cast<int64_t>(c.in);
  layer.out.channels = static_cast<int64_t>(c.out);
  layer.bias = c.bias;
  layer.noise = c.noise;
  layer.weight_count = static_cast<int64_t>(c.in * c.out);
  layer.bias_count = c.bias ? static_cast<int64_t>(c.out) : 0;
  return layer;
}

// The reference: mean and Cholesky factor of the precision.
struct Exact {
  Quads mean, factor;
  size_t n;
  // L'(x - mean): standard normal if x is a draw.
  Values whiten(const double *x, size_t stride) const {
    Values white(n);
    for (size_t j = 0; j < n; ++j) {
      Quad sum = 0;
      for (size_t i = j; i < n; ++i) sum += factor[i * n + j] * (x[i * stride] - mean[i]);
      white[j] = static_cast<double>(sum);
    }
    return white;
  }
};

Exact exact_of(const Case &c, const Values &params, const double *mean, const double *above,
               size_t stride) {
  const double *b = params.data() + c.in * c.out;
  Exact e = {Quads(c.in, 0), Quads(c.in * c.in, 0), c.in};
  for (size_t i = 0; i < c.in; ++i) {
    e.factor[i * c.in + i] = 1 / Quad(c.prior_noise);
    e.mean[i] = mean[i * stride] / Quad(c.prior_noise);
  }
  for (size_t k = 0; k < c.out; ++k) {
    const double *w = params.data() + k * c.in;
    const Quad rest = (Quad(above[k * stride]) - (c.bias ? b[k] : 0)) / Quad(c.noise);
    for (size_t i = 0; i < c.in; ++i) {
      e.mean[i] += w[i] * rest;
      for (size_t j = 0; j < c.in; ++j) e.factor[i * c.in + j] += Quad(w[i]) * w[j] / Quad(c.noise);
    }
  }
  e.factor = cholesky(e.factor, c.in);
  const size_t n = c.in;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) e.mean[i] -= e.factor[i * n + k] * e.mean[k];
    e.mean[i] /= e.factor[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) e.mean[i] -= e.factor[k * n + i] * e.mean[k];
    e.mean[i] /= e.factor[i * n + i];
  }
  return e;
}

// Sixty-four rows with other means and targets each; whitened draws of all of them are N(0, I).
struct Bench {
  static constexpr size_t rows = 64;
  const Case c;
  const nnp::Layer layer;
  Values params, mean, spoilt, above, site, scratch[2];
  nnp::InputFactor input;
  std::vector<unsigned char> memory = std::vector<unsigned char>(2048 + 64);
  nnp::Stream stream{31, 0, 0};
  std::vector<Exact> exact;
  bool in_place = false;

  explicit Bench(const Case &made) : c(made), layer(layer_of(made)) {
    nnp::Stream own(32, 0, 0);
    params.resize(static_cast<size_t>(layer.param_count()));
    for (double &w : params) w = c.size * (2 * own.uniform() - 1);
    for (size_t k = 0; k < static_cast<size_t>(layer.bias_count); ++k)
      params[c.in * c.out + k] = 2 * own.uniform() - 1;
    mean.resize(rows * c.in);
    above.resize(rows * c.out);
    for (double &m : mean) m = 4 * own.uniform() - 2;
    for (double &v : above) v = 4 * own.uniform() - 2;
    site.assign(rows * c.in, 0.0);
    for (Values &s : scratch) s.resize(rows * std::max<size_t>({c.in, c.out, 2}));
    void *start = memory.data();
    size_t space = memory.size();
    nnp::Arena arena(std::align(64, 2048, start, space), 2048);
    nnp::dense_ops.input_layout(arena, layer, input);
    TEST_ASSERT_TRUE(arena.fits());
    TEST_ASSERT_TRUE(nnp::dense_ops.factor_input(layer, params.data(), c.prior_noise, input,
                                                 *nnp::best_kernels()));
    for (size_t i = 0; i < rows; ++i)
      exact.push_back(exact_of(c, params, mean.data() + i, above.data() + i, rows));
  }

  nnp::Tile tile(Values &values, size_t width) {
    const int64_t n = static_cast<int64_t>(rows);
    return {values.data(), n, static_cast<int64_t>(width), n};
  }
  // Every other draw is made in place.
  void draw() {
    in_place = !in_place;
    Values &means = in_place ? site : spoilt;
    means = mean;  // the draw may write over them
    const nnp::SiteDraw draw = {tile(means, c.in), c.prior_noise, tile(above, c.out),
                                tile(site, c.in), nnp::Relax{}};
    nnp::TileWork work = {nnp::best_kernels(),
                          nnp::best_draw_kernels(),
                          &stream,
                          {scratch[0].data(), scratch[1].data()}};
    nnp::dense_ops.draw_input(layer, params.data(), input, draw, work);
  }
};

void check(const Case &c) {
  constexpr int sweeps = 60;
  Bench bench(c);
  char name[160];
  std::snprintf(name, sizeof name, "%zu -> %zu, bias %d, D_p %g, D %g, weights %g", c.in, c.out,
                c.bias, c.prior_noise, c.noise, c.size);
  std::vector<Values> u(c.in);
  Values products(c.in * c.in, 0.0);
  for (int s = 0; s < sweeps; ++s) {
    bench.draw();
    for (size_t i = 0; i < Bench::rows; ++i) {
      const Values white = bench.exact[i].whiten(bench.site.data() + i, Bench::rows);
      for (size_t j = 0; j < c.in; ++j) {
        u[j].push_back(stats::normal_cdf(white[j]));
        for (size_t k = 0; k < j; ++k) products[j * c.in + k] += white[j] * white[k];
      }
    }
  }
  const double count = sweeps * static_cast<double>(Bench::rows);
  for (size_t j = 0; j < c.in; ++j) {
    TEST_ASSERT_TRUE_MESSAGE(stats::uniformity(u[j]) > 1e-5, name);
    for (size_t k = 0; k < j; ++k)
      TEST_ASSERT_TRUE_MESSAGE(std::fabs(products[j * c.in + k]) < 4.5 * std::sqrt(count), name);
  }
}

constexpr double grid[] = {1e-12, 1e-6, 1, 1e6, 1e12};

void check_all(size_t in, size_t out) {
  for (double prior_noise : grid)
    for (double noise : grid) {
      check({in, out, true, prior_noise, noise, 1});
      check({in, out, false, prior_noise, noise, 1});
    }
}

void test_one_output() {
  check_all(4, 1);
  check_all(1, 1);
}

void test_few_outputs() {
  check_all(5, 2);
  check_all(4, 3);
}

void test_many_outputs() {
  check_all(2, 3);
  check_all(3, 3);
  check_all(1, 4);
}

// Weights of zero leave the prior; tiny and huge ones are no special case either.
void test_weights_of_any_size() {
  for (size_t out : {1u, 2u, 5u})
    for (double size : {0.0, 1e-150, 1e-8, 1e-3, 1e3})
      for (double noise : {1e-12, 1.0, 1e12}) check({3, out, true, 1, noise, size});
}

// The sums for the draw of weights: Gram matrix and cross products of the input with a one behind.
void test_sums_for_the_weights() {
  for (bool bias : {false, true}) {
    const nnp::Layer layer = layer_of({3, 2, bias, 1, 1, 1});
    const size_t p = bias ? 4 : 3, rows = 13;
    constexpr double junk = std::numeric_limits<double>::quiet_NaN();
    Values in(rows * 3), out(rows * 2), gram(p * p, junk), cross(p * 2, junk);
    for (size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<double>(i));
    for (size_t i = 0; i < out.size(); ++i) out[i] = std::cos(static_cast<double>(3 * i));
    TEST_ASSERT_EQUAL_INT64(p, nnp::dense_ops.order(layer));
    TEST_ASSERT_EQUAL_INT64(2, nnp::dense_ops.units(layer));
    const nnp::ConstTile u = {in.data(), 13, 3, 13}, v = {out.data(), 13, 2, 13};
    nnp::dense_ops.start_gram(layer, u, gram.data(), *nnp::best_kernels());
    nnp::dense_ops.start_cross(layer, u, v, cross.data(), *nnp::best_kernels());
    nnp::dense_ops.add_gram(layer, u, gram.data(), *nnp::best_kernels());
    nnp::dense_ops.add_cross(layer, u, v, cross.data(), *nnp::best_kernels());
    const auto extended = [&](size_t i, size_t j) { return j < 3 ? in[j * rows + i] : 1.0; };
    for (size_t j = 0; j < p; ++j) {
      for (size_t k = j; k < p; ++k) {
        double sum = 0;
        for (size_t i = 0; i < rows; ++i) sum += 2 * extended(i, j) * extended(i, k);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, sum, gram[j * p + k]);
      }
      for (size_t o = 0; o < 2; ++o) {
        double sum = 0;
        for (size_t i = 0; i < rows; ++i) sum += 2 * extended(i, j) * out[o * rows + i];
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, sum, cross[o * p + j]);
      }
    }
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_one_output);
  RUN_TEST(test_few_outputs);
  RUN_TEST(test_many_outputs);
  RUN_TEST(test_weights_of_any_size);
  RUN_TEST(test_sums_for_the_weights);
  return UNITY_END();
}
