// The convolution against its definition, worked out pixel by pixel: outputs, sums for the weights,
// the conditional of the input, pooled or not, for all strides, at every SIMD level.
#include <memory>
#include <string>

#include "capi/common.hpp"
#include "tests/support/linear_layer.hpp"
#include "tests/support/tables.hpp"
extern "C" {
#include "unity.h"
}

void setUp(void) {}
void tearDown(void) {}

namespace {

using linear::Case;
using linear::Matrix;
using linear::Real;
using nnp::level_names;

struct Size {
  int64_t channels, height, width;  // of the input
  int64_t filters, h, w, sy, sx;
  int64_t pool_y, pool_x;
  int64_t pad_y = 0, pad_x = 0;

  int64_t out_height() const { return ((height + 2 * pad_y - h) / sy + 1) / pool_y; }
  int64_t out_width() const { return ((width + 2 * pad_x - w) / sx + 1) / pool_x; }
  // The feature at row y, column x of the padded image, -1 if it is one of the padding.
  int64_t feature(int64_t channel, int64_t y, int64_t x) const {
    y -= pad_y;
    x -= pad_x;
    if (y < 0 || y >= height || x < 0 || x >= width) return -1;
    return (channel * height + y) * width + x;
  }
};

// Strides 1 and more, filters as wide as the image, gaps between filters, pixels left over, more
// patch columns than one block holds, few and many outputs, images that are lines; then padded: on
// one side only, wider than the stride, pools that lie in the padding with a part or wholly,
// filters that reach across the whole image.
const Size sizes[] = {
    {1, 5, 5, 2, 3, 3, 1, 1, 1, 1},       {2, 6, 5, 1, 2, 3, 2, 1, 1, 1},
    {3, 4, 6, 4, 2, 2, 1, 2, 1, 1},       {1, 7, 7, 3, 2, 2, 2, 2, 1, 1},
    {2, 5, 7, 2, 2, 2, 3, 3, 1, 1},       {1, 1, 9, 2, 1, 3, 1, 1, 1, 1},
    {2, 8, 1, 1, 3, 1, 2, 1, 1, 1},       {1, 3, 4, 5, 3, 4, 1, 1, 1, 1},
    {5, 5, 4, 2, 4, 4, 1, 1, 1, 1},       {4, 1, 1, 3, 1, 1, 1, 1, 1, 1},
    {1, 6, 6, 1, 1, 1, 1, 1, 1, 1},       {1, 4, 9, 2, 3, 3, 1, 1, 1, 1},
    {1, 7, 7, 2, 2, 2, 1, 1, 2, 2},       {2, 7, 6, 2, 3, 2, 1, 2, 2, 1},
    {1, 9, 9, 2, 4, 4, 2, 2, 2, 1},       {1, 8, 8, 6, 2, 2, 2, 2, 2, 2},
    {2, 6, 6, 3, 3, 3, 1, 1, 2, 3},       {1, 4, 4, 9, 3, 3, 1, 1, 1, 1},
    {1, 5, 5, 2, 3, 3, 1, 1, 1, 1, 1, 1}, {2, 6, 5, 1, 2, 3, 2, 1, 1, 1, 1, 0},
    {2, 4, 5, 1, 3, 3, 2, 2, 1, 1, 0, 2}, {1, 3, 3, 1, 3, 3, 1, 1, 1, 1, 2, 2},
    {3, 4, 6, 4, 2, 2, 1, 2, 1, 1, 1, 1}, {2, 5, 4, 1, 4, 4, 3, 2, 1, 1, 3, 3},
    {1, 6, 6, 2, 3, 3, 1, 1, 2, 2, 1, 1}, {2, 5, 6, 1, 3, 2, 1, 1, 3, 2, 2, 1},
    {1, 4, 4, 1, 4, 4, 1, 1, 3, 3, 3, 3}, {1, 3, 9, 2, 3, 3, 2, 2, 2, 2, 2, 2},
    {5, 5, 4, 2, 4, 4, 1, 1, 1, 1, 1, 2}, {1, 1, 7, 2, 1, 5, 1, 1, 1, 3, 0, 4},
};

double number(uint64_t i) {
  return std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0) - 0.45;
}

// out[f, y, x] = b[f] + mean over the pool of sum w[f, c, r, s] in[c, ...]
Case make_case(const Size &size, bool bias, double noise, double prior_noise) {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, size.channels, size.height, size.width, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_net_conv2d(net, size.filters, size.h, size.w, size.sy, size.sx, nullptr));
  nnp_net_set(net, 1, NNP_BIAS, bias ? 1 : 0, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_net_set(net, 1, NNP_PADDING_Y, static_cast<double>(size.pad_y), nullptr));
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_net_set(net, 1, NNP_PADDING_X, static_cast<double>(size.pad_x), nullptr));
  nnp_net_avgpool(net, size.pool_y, size.pool_x, nullptr);
  Case c;
  c.layer = nnp::net_collapsed(*nnp::unwrap(net)).layer(1);
  nnp_net_free(net);
  c.layer.noise = noise;
  c.prior_noise = prior_noise;
  c.params.resize(static_cast<size_t>(c.layer.param_count()));
  for (size_t i = 0; i < c.params.size(); ++i) c.params[i] = number(i);
  const int64_t oh = size.out_height(), ow = size.out_width();
  c.a = Matrix(size.filters * oh * ow, size.channels * size.height * size.width);
  TEST_ASSERT_EQUAL(c.a.rows, c.layer.out.size());
  const Real share = Real{1} / static_cast<Real>(size.pool_y * size.pool_x);
  for (int64_t f = 0; f < size.filters; ++f)
    for (int64_t o = 0; o < oh * ow; ++o) {
      const int64_t output = f * oh * ow + o;
      c.biases.push_back(bias ? c.layer.biases(c.params.data())[f] : 0);
      for (int64_t py = 0; py < size.pool_y; ++py)
        for (int64_t px = 0; px < size.pool_x; ++px)
          for (int64_t ch = 0; ch < size.channels; ++ch)
            for (int64_t r = 0; r < size.h; ++r)
              for (int64_t s = 0; s < size.w; ++s) {
                const int64_t y = (o / ow * size.pool_y + py) * size.sy + r;
                const int64_t x = (o % ow * size.pool_x + px) * size.sx + s;
                const int64_t weight = ((f * size.channels + ch) * size.h + r) * size.w + s;
                const int64_t feature = size.feature(ch, y, x);
                if (feature >= 0)
                  c.a(output, feature) += share * c.params[static_cast<size_t>(weight)];
              }
    }
  return c;
}

std::string text_of(const Size &s, const char *level, double error) {
  char text[200];
  std::snprintf(text, sizeof text,
                "%dx%dx%d, %d filters %dx%d, steps %d %d, pool %dx%d, padding %d %d, %s: %g",
                static_cast<int>(s.channels), static_cast<int>(s.height), static_cast<int>(s.width),
                static_cast<int>(s.filters), static_cast<int>(s.h), static_cast<int>(s.w),
                static_cast<int>(s.sy), static_cast<int>(s.sx), static_cast<int>(s.pool_y),
                static_cast<int>(s.pool_x), static_cast<int>(s.pad_y), static_cast<int>(s.pad_x),
                level, error);
  return text;
}

template <class Work>
void for_each_level(Work work) {
  for (const char *name : level_names)
    if (const nnp::Kernels *kernels = nnp::kernels_named(name)) work(*kernels);
}

// ---- products ------------------------------------------------------------------------------

void test_outputs() {
  nnp::Stream stream(1, 0, 0);
  for_each_level([&](const nnp::Kernels &kernels) {
    for (const Size &size : sizes)
      for (int64_t rows : {3, 37, 64}) {
        const Case c = make_case(size, rows != 3, 1, 1);
        const double error = linear::forward_error(c, rows, rows == 3 ? 8 : 64, stream, kernels);
        TEST_ASSERT_TRUE_MESSAGE(error < 1e-14, text_of(size, kernels.name, error).c_str());
      }
  });
}

// Gram and cross of [patch | 1], from the matrix A's own structure: A's row (f, o) is linear in the
// weights, so the patch of output o is what A in is for unit weights.
struct Sums {
  Matrix gram, cross;
};

Sums naive_sums(const Size &size, bool bias, nnp::ConstTile in, nnp::ConstTile out) {
  Case unit = make_case(size, bias, 1, 1);
  const int64_t patch = size.channels * size.h * size.w, p = patch + (bias ? 1 : 0);
  const int64_t positions = unit.layer.out.height * unit.layer.out.width;
  Matrix patches(p, positions * in.rows);
  const Matrix pixels = linear::matrix_of(in);
  const Real share = Real{1} / static_cast<Real>(size.pool_y * size.pool_x);
  for (int64_t o = 0; o < positions; ++o)
    for (int64_t i = 0; i < in.rows; ++i) {
      for (int64_t k = 0; k < patch; ++k)
        for (int64_t py = 0; py < size.pool_y; ++py)
          for (int64_t px = 0; px < size.pool_x; ++px) {
            const int64_t c = k / size.w / size.h;
            const int64_t y =
                (o / unit.layer.out.width * size.pool_y + py) * size.sy + k / size.w % size.h;
            const int64_t x = (o % unit.layer.out.width * size.pool_x + px) * size.sx + k % size.w;
            const int64_t feature = size.feature(c, y, x);
            if (feature >= 0) patches(k, o * in.rows + i) += share * pixels(feature, i);
          }
      if (bias) patches(patch, o * in.rows + i) = 1;
    }
  Matrix outputs(positions * in.rows, size.filters);
  for (int64_t f = 0; f < size.filters; ++f)
    for (int64_t o = 0; o < positions; ++o)
      for (int64_t i = 0; i < in.rows; ++i)
        outputs(o * in.rows + i, f) = out.col(f * positions + o)[i];
  return {linear::product(patches, linear::transposed(patches)), linear::product(patches, outputs)};
}

void check_sums(const Size &size, bool bias, int64_t rows, nnp::Stream &stream,
                const nnp::Kernels &kernels) {
  const Case c = make_case(size, bias, 1, 1);
  const nnp::LayerOps &ops = nnp::ops_of(c.layer);
  const linear::OwnTile in = linear::random_tile(rows, c.a.columns, 64, stream);
  const linear::OwnTile out = linear::random_tile(rows, c.a.rows, 64, stream);
  const int64_t p = ops.order(c.layer), units = ops.units(c.layer);
  TEST_ASSERT_EQUAL(size.channels * size.h * size.w + (bias ? 1 : 0), p);
  TEST_ASSERT_EQUAL(size.filters, units);
  std::vector<double> gram(static_cast<size_t>(p * p), 0.0);
  std::vector<double> cross(static_cast<size_t>(p * units), 0.0);
  ops.add_gram(c.layer, in.tile, gram.data(), kernels);
  ops.add_cross(c.layer, in.tile, out.tile, cross.data(), kernels);
  const Sums expected = naive_sums(size, bias, in.tile, out.tile);
  Matrix found_gram(p, p), found_cross(p, units);
  for (int64_t j = 0; j < p; ++j)
    for (int64_t i = 0; i < p; ++i)
      found_gram(i, j) = gram[static_cast<size_t>(std::max(i, j) + std::min(i, j) * p)];
  for (int64_t j = 0; j < units; ++j)
    for (int64_t i = 0; i < p; ++i) found_cross(i, j) = cross[static_cast<size_t>(i + j * p)];
  double error = linear::distance(found_gram, expected.gram);
  error = std::max(error, linear::distance(found_cross, expected.cross));
  TEST_ASSERT_TRUE_MESSAGE(error < 1e-13, text_of(size, kernels.name, error).c_str());
  // The conditional of the weights: mean (G + D Lambda)^-1 C, covariance D (G + D Lambda)^-1.
  Matrix a = found_gram, b = expected.gram, identity(p, p);
  for (int64_t i = 0; i < p; ++i) {
    a(i, i) += Real(0.3);
    b(i, i) += Real(0.3);
    identity(i, i) = 1;
  }
  error = linear::distance(linear::solve(a, found_cross), linear::solve(b, expected.cross));
  error = std::max(error, linear::distance(linear::solve(a, identity), linear::solve(b, identity)));
  TEST_ASSERT_TRUE_MESSAGE(error < 1e-10, text_of(size, kernels.name, error).c_str());
}

void test_sums_for_the_weights() {
  nnp::Stream stream(2, 0, 0);
  for_each_level([&](const nnp::Kernels &kernels) {
    for (const Size &size : sizes)
      for (int64_t rows : {5, 64}) check_sums(size, rows == 64, rows, stream, kernels);
  });
}

// ---- the conditional of the input ----------------------------------------------------------

bool few_outputs(const Case &c) {
  return c.a.rows < c.a.columns;
}

void test_mean_of_the_input() {
  nnp::Stream stream(3, 0, 0);
  for_each_level([&](const nnp::Kernels &kernels) {
    for (const Size &size : sizes)
      for (double ratio : {1e-3, 1.0, 1e4})
        for (int64_t rows : {11, 64}) {
          Case c = make_case(size, rows == 64, 0.7 * ratio, 0.7);
          c.relax = rows == 64 ? 0 : -0.8;
          const double error = linear::mean_error(c, rows, 64, stream, kernels);
          TEST_ASSERT_TRUE_MESSAGE(error < 1e-10, text_of(size, kernels.name, error).c_str());
        }
  });
}

void test_covariance_of_the_input() {
  nnp::Stream stream(4, 0, 0);
  bool few = false, many = false;
  for (const Size &size : sizes)
    for (double ratio : {1e-3, 1.0, 1e4}) {
      Case c = make_case(size, true, 1.3 * ratio, 1.3);
      c.relax = ratio == 1 ? -0.9 : 0;
      few = few || few_outputs(c);
      many = many || !few_outputs(c);
      const int64_t normals = few_outputs(c) ? c.a.rows + c.a.columns : c.a.columns;
      const double error = linear::covariance_error(c, normals, stream, *nnp::best_kernels());
      TEST_ASSERT_TRUE_MESSAGE(error < 1e-10, text_of(size, "best", error).c_str());
    }
  TEST_ASSERT_TRUE(few && many);
}

// Noise far below the prior's: right as long as the matrix that is factored has full rank. (The
// larger one would lose half of its digits.)
const Size full_rank[] = {{2, 6, 5, 1, 2, 3, 2, 1, 1, 1},
                          {1, 7, 7, 3, 2, 2, 2, 2, 1, 1},
                          {1, 7, 7, 2, 2, 2, 1, 1, 2, 2},
                          {2, 6, 5, 1, 2, 3, 2, 1, 1, 1, 1, 1}};

// Some machines, and valgrind on all, compute long double with the digits of double.
bool long_double_is_longer() {
  volatile long double sum = 1;
  sum = sum + 0x1p-60L;
  return sum != 1;
}

void test_little_noise() {
  if (!long_double_is_longer())
    TEST_IGNORE_MESSAGE("long double has no more digits here than double: nothing to compare with");
  nnp::Stream stream(5, 0, 0);
  for (const Size &size : full_rank) {
    const Case c = make_case(size, true, 1e-8, 1);
    TEST_ASSERT_TRUE(few_outputs(c));
    const double error =
        linear::covariance_error(c, c.a.rows + c.a.columns, stream, *nnp::best_kernels());
    TEST_ASSERT_TRUE_MESSAGE(error < 1e-9, text_of(size, "best", error).c_str());
  }
}

// The most extreme ratio there is: the input must explain the output to within its noise.
void test_least_noise() {
  nnp::Stream stream(5, 1, 0);
  for (const Size &size : full_rank) {
    const Case c = make_case(size, true, 1e-12, 1e12);
    linear::InputDraw draw(c);
    TEST_ASSERT_TRUE(draw.ok);
    const linear::OwnTile mean = linear::random_tile(64, c.a.columns, 64, stream);
    const linear::OwnTile above = linear::random_tile(64, c.a.rows, 64, stream);
    const linear::OwnTile site = linear::random_tile(64, c.a.columns, 64, stream);
    draw(mean, above.tile, stream, site.tile, *nnp::best_kernels());
    const Matrix found = linear::expected_output(c, site.tile);
    const Matrix given = linear::matrix_of(above.tile);
    for (size_t i = 0; i < given.values.size(); ++i)
      TEST_ASSERT_TRUE(std::fabs(found.values[i] - given.values[i]) < 6e-6);
  }
}

// Two filters on one channel in steps of one have rows and columns too many on both sides: then a
// ratio below rounding has no answer, and must not give a wrong one.
void test_a_ratio_below_rounding_is_refused() {
  const Case c = make_case({1, 6, 6, 2, 3, 3, 1, 1, 1, 1}, true, 1e-18, 1);
  linear::InputDraw draw(c);
  TEST_ASSERT_FALSE(draw.ok);
}

// ---- padding -------------------------------------------------------------------------------

// The tile with its images framed by zeros.
linear::OwnTile framed(const Size &size, nnp::ConstTile in) {
  const int64_t height = size.height + 2 * size.pad_y, width = size.width + 2 * size.pad_x;
  linear::OwnTile out(in.rows, size.channels * height * width, in.ld);
  for (int64_t c = 0; c < size.channels; ++c)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        const int64_t feature = size.feature(c, y, x);
        double *to = out.tile.col((c * height + y) * width + x);
        for (int64_t i = 0; i < in.rows; ++i) to[i] = feature < 0 ? 0 : in.col(feature)[i];
      }
  return out;
}

Size without_padding(Size size) {
  size.height += 2 * size.pad_y;
  size.width += 2 * size.pad_x;
  size.pad_y = size.pad_x = 0;
  return size;
}

bool same(const std::vector<double> &a, const std::vector<double> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::fabs(a[i] - b[i]) > 1e-12 * (1 + std::fabs(b[i]))) return false;
  return a.size() == b.size();
}

// Outputs, sums and gradients of a padded layer are those of an unpadded one on framed images.
void test_padding_is_a_frame_of_zeros() {
  nnp::Stream stream(7, 0, 0);
  for (const Size &size : sizes) {
    const Case padded = make_case(size, true, 1, 1);
    const Case plain = make_case(without_padding(size), true, 1, 1);
    const linear::OwnTile in = linear::random_tile(64, padded.a.columns, 64, stream);
    const linear::OwnTile frame = framed(size, in.tile);
    const linear::OwnTile above = linear::random_tile(64, padded.a.rows, 64, stream);
    std::vector<double> results[2];
    for (int k = 0; k < 2; ++k) {
      const Case &c = k == 0 ? padded : plain;
      const nnp::ConstTile x = k == 0 ? in.tile : frame.tile;
      const nnp::LayerOps &ops = nnp::ops_of(c.layer);
      const nnp::Kernels &kernels = *nnp::best_kernels();
      const int64_t p = ops.order(c.layer);
      linear::OwnTile out(64, c.a.rows, 64), below(64, c.a.columns, 64);
      std::vector<double> gram(static_cast<size_t>(p * p), 0.0);
      std::vector<double> cross(static_cast<size_t>(p * ops.units(c.layer)), 0.0);
      std::vector<double> gradient(c.params.size(), 0.0);
      std::vector<double> scratch(static_cast<size_t>(64 * std::max(c.a.rows, c.a.columns)));
      ops.forward(c.layer, c.params.data(), x, out.tile, kernels);
      ops.add_gram(c.layer, x, gram.data(), kernels);
      ops.add_cross(c.layer, x, above.tile, cross.data(), kernels);
      ops.backward(c.layer, c.params.data(), {x, out.tile, above.tile, below.tile}, gradient.data(),
                   kernels, scratch.data());
      std::vector<double> &all = results[k];
      for (int64_t j = 0; j < c.a.rows; ++j)
        all.insert(all.end(), out.tile.col(j), out.tile.col(j) + 64);
      for (const auto *part : {&gram, &cross, &gradient})
        all.insert(all.end(), part->begin(), part->end());
      for (int64_t ch = 0; ch < size.channels; ++ch)
        for (int64_t y = 0; y < size.height; ++y)
          for (int64_t x0 = 0; x0 < size.width; ++x0) {
            const Size &own = k == 0 ? size : without_padding(size);
            const int64_t shift_y = k == 0 ? 0 : size.pad_y, shift_x = k == 0 ? 0 : size.pad_x;
            const int64_t pixel = (ch * own.height + y + shift_y) * own.width + x0 + shift_x;
            all.insert(all.end(), below.tile.col(pixel), below.tile.col(pixel) + 64);
          }
    }
    TEST_ASSERT_TRUE_MESSAGE(same(results[0], results[1]), text_of(size, "best", 0).c_str());
  }
}

// Log density of a chain on images, padded by the layer or by hand.
double log_density(const Size &size, const std::vector<double> &x, int64_t rows) {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, size.channels, size.height, size.width, nullptr);
  nnp_net_conv2d(net, size.filters, size.h, size.w, size.sy, size.sx, nullptr);
  nnp_net_set(net, 1, NNP_PADDING_Y, static_cast<double>(size.pad_y), nullptr);
  nnp_net_set(net, 1, NNP_PADDING_X, static_cast<double>(size.pad_x), nullptr);
  nnp_net_avgpool(net, size.pool_y, size.pool_x, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_GAUSSIAN, nullptr);
  nnp_data *data = nullptr;
  nnp_data_create(&data, rows, size.channels * size.height * size.width, 1, nullptr);
  nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr);
  std::vector<double> y(static_cast<size_t>(rows));
  for (size_t i = 0; i < y.size(); ++i) y[i] = number(5 * i);
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  nnp_chain *chain = nullptr;
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr));
  int64_t count = 0, latents = 0;
  nnp_net_parameters(net, &count, nullptr);
  nnp_net_latents(net, &latents, nullptr);
  std::vector<double> params(static_cast<size_t>(count)),
      sites(static_cast<size_t>(latents * rows));
  for (size_t i = 0; i < params.size(); ++i) params[i] = number(3 * i);
  for (size_t i = 0; i < sites.size(); ++i) sites[i] = number(7 * i);
  TEST_ASSERT_EQUAL(NNP_OK,
                    nnp_chain_start_state(chain, params.data(), sites.data(), 1, 0, nullptr));
  double value = NAN;
  TEST_ASSERT_EQUAL(NNP_OK, nnp_chain_log_density(chain, &value, nullptr));
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  return value;
}

void test_the_posterior_of_padded_and_framed_images_is_one() {
  constexpr int64_t rows = 70;
  for (const Size &size : sizes) {
    const Size plain = without_padding(size);
    std::vector<double> x, frame;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < size.channels * size.height * size.width; ++j)
        x.push_back(number(static_cast<uint64_t>(11 * i + 3 * j)));
    const int64_t features = size.channels * size.height * size.width;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t c = 0; c < size.channels; ++c)
        for (int64_t y = 0; y < plain.height; ++y)
          for (int64_t x0 = 0; x0 < plain.width; ++x0) {
            const int64_t feature = size.feature(c, y, x0);
            frame.push_back(feature < 0 ? 0 : x[static_cast<size_t>(i * features + feature)]);
          }
    const double found = log_density(size, x, rows), expected = log_density(plain, frame, rows);
    TEST_ASSERT_TRUE(std::isfinite(expected));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-11 * std::fabs(expected), expected, found,
                                      text_of(size, "best", found - expected).c_str());
  }
}

// Zero weights: the input is drawn from its prior.
void test_zero_weights() {
  nnp::Stream stream(6, 0, 0);
  Case c = make_case(sizes[0], true, 0.5, 2);
  std::fill(c.params.begin(), c.params.end(), 0.0);
  std::fill(c.a.values.begin(), c.a.values.end(), Real{0});
  std::fill(c.biases.begin(), c.biases.end(), Real{0});
  TEST_ASSERT_TRUE(linear::mean_error(c, 20, 64, stream, *nnp::best_kernels()) < 1e-14);
}

// Memory of the factor grows with the band: 1 x 40 x 400 pixels, 3 x 3 filters.
void test_the_factor_is_banded() {
  const Case c = make_case({1, 12, 400, 2, 3, 3, 1, 1, 1, 1}, true, 1, 1);
  nnp::Arena counter;
  nnp::InputFactor factor;
  nnp::ops_of(c.layer).input_layout(counter, c.layer, factor);
  const double pixels = 12 * 400, band = 2 * 12 + 3;
  TEST_ASSERT_TRUE(static_cast<double>(counter.used()) < 8 * pixels * (band + 16));
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_outputs);
  RUN_TEST(test_sums_for_the_weights);
  RUN_TEST(test_mean_of_the_input);
  RUN_TEST(test_covariance_of_the_input);
  RUN_TEST(test_little_noise);
  RUN_TEST(test_least_noise);
  RUN_TEST(test_a_ratio_below_rounding_is_refused);
  RUN_TEST(test_padding_is_a_frame_of_zeros);
  RUN_TEST(test_the_posterior_of_padded_and_framed_images_is_one);
  RUN_TEST(test_zero_weights);
  RUN_TEST(test_the_factor_is_banded);
  return UNITY_END();
}
