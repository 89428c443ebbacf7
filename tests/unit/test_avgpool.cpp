// Average pooling against its definition: outputs and the conditional of the input, with pixels
// left over; and which pairs of layers are collapsed into one, and into which.
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
  int64_t channels, height, width, h, w;
};

const Size sizes[] = {{1, 4, 4, 2, 2}, {2, 5, 7, 2, 3}, {3, 3, 3, 3, 3}, {1, 6, 5, 1, 2},
                      {2, 4, 3, 1, 1}, {1, 9, 1, 2, 1}, {4, 3, 5, 2, 4}};

Case make_case(const Size &size, double noise, double prior_noise) {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, size.channels, size.height, size.width, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_avgpool(net, size.h, size.w, nullptr));
  Case c;
  c.layer = nnp::unwrap(net)->layer(1);
  nnp_net_free(net);
  c.layer.noise = noise;
  c.prior_noise = prior_noise;
  const int64_t oh = size.height / size.h, ow = size.width / size.w;
  c.a = Matrix(size.channels * oh * ow, size.channels * size.height * size.width);
  c.biases.assign(static_cast<size_t>(c.a.rows), Real{0});
  TEST_ASSERT_EQUAL(c.a.rows, c.layer.out.size());
  for (int64_t ch = 0; ch < size.channels; ++ch)
    for (int64_t y = 0; y < oh * size.h; ++y)
      for (int64_t x = 0; x < ow * size.w; ++x)
        c.a((ch * oh + y / size.h) * ow + x / size.w, (ch * size.height + y) * size.width + x) =
            Real{1} / static_cast<Real>(size.h * size.w);
  return c;
}

std::string text_of(const Size &s, double error) {
  char text[160];
  std::snprintf(text, sizeof text, "%dx%dx%d, window %dx%d: %g", static_cast<int>(s.channels),
                static_cast<int>(s.height), static_cast<int>(s.width), static_cast<int>(s.h),
                static_cast<int>(s.w), error);
  return text;
}

void test_outputs() {
  nnp::Stream stream(1, 0, 0);
  for (const char *name : level_names) {
    const nnp::Kernels *kernels = nnp::kernels_named(name);
    if (!kernels) continue;
    for (const Size &size : sizes)
      for (int64_t rows : {3, 37, 64}) {
        const Case c = make_case(size, 1, 1);
        const double error = linear::forward_error(c, rows, rows == 3 ? 8 : 64, stream, *kernels);
        TEST_ASSERT_TRUE_MESSAGE(error < 1e-15, text_of(size, error).c_str());
      }
  }
}

void test_mean_of_the_input() {
  nnp::Stream stream(2, 0, 0);
  for (const Size &size : sizes)
    for (double ratio : {1e-6, 1e-3, 1.0, 1e4}) {
      Case c = make_case(size, 0.7 * ratio, 0.7);
      c.relax = ratio == 1 ? -0.9 : 0;
      const double error = linear::mean_error(c, 20, 64, stream, *nnp::best_kernels());
      TEST_ASSERT_TRUE_MESSAGE(error < 1e-10, text_of(size, error).c_str());
    }
}

void test_covariance_of_the_input() {
  nnp::Stream stream(3, 0, 0);
  for (const Size &size : sizes)
    for (double ratio : {1e-6, 1e-3, 1.0, 1e4}) {
      Case c = make_case(size, 0.7 * ratio, 0.7);
      c.relax = ratio == 1 ? -0.9 : 0;
      const double error = linear::covariance_error(c, c.a.columns, stream, *nnp::best_kernels());
      TEST_ASSERT_TRUE_MESSAGE(error < 1e-10, text_of(size, error).c_str());
    }
}

// Noise from 1e-12 to 1e12 on both sides: draws stay finite and agree with the pooled value to
// within its noise.
void test_extreme_noise() {
  nnp::Stream stream(4, 0, 0);
  const Size size = {1, 4, 4, 2, 2};
  for (double noise : {1e-12, 1e12})
    for (double prior : {1e-12, 1e12}) {
      const Case c = make_case(size, noise, prior);
      linear::InputDraw draw(c);
      const linear::OwnTile mean = linear::random_tile(64, c.a.columns, 64, stream);
      const linear::OwnTile above = linear::random_tile(64, c.a.rows, 64, stream);
      const linear::OwnTile site = linear::random_tile(64, c.a.columns, 64, stream);
      draw(mean, above.tile, stream, site.tile, *nnp::best_kernels());
      const Matrix found = linear::expected_output(c, site.tile);
      const Matrix given = linear::matrix_of(above.tile);
      for (size_t i = 0; i < given.values.size(); ++i) {
        TEST_ASSERT_TRUE(std::isfinite(static_cast<double>(found.values[i])));
        const Real miss = std::fabs(found.values[i] - given.values[i]);
        TEST_ASSERT_TRUE(noise >= prior || miss < 6e-6L);
      }
    }
}

// ---- collapse ------------------------------------------------------------------------------

// The paper's network: conv 4x4 in steps of 2 to 2x13x13, pool 2x2 to 2x6x6, relu, dense.
nnp_net *paper_net() {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, 1, 28, 28, nullptr);
  nnp_net_conv2d(net, 2, 4, 4, 2, 2, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_dense(net, 10, nullptr);
  nnp_net_head(net, NNP_ARGMAX, nullptr);
  return net;
}

void test_latents_of_the_paper_network() {
  nnp_net *net = paper_net();
  int64_t latents = 0, parameters = 0, shape[3];
  nnp_net_latents(net, &latents, nullptr);
  nnp_net_parameters(net, &parameters, nullptr);
  TEST_ASSERT_EQUAL(72 + 72 + 10, latents);
  TEST_ASSERT_EQUAL(2 * 16 + 2 + 720 + 10, parameters);
  nnp_net_shape(net, 1, shape, nullptr);
  TEST_ASSERT_EQUAL(13, shape[1]);
  nnp_net_shape(net, 2, shape, nullptr);
  TEST_ASSERT_EQUAL(6, shape[2]);
  nnp_net_set(net, 2, NNP_COLLAPSE, 0, nullptr);
  nnp_net_latents(net, &latents, nullptr);
  TEST_ASSERT_EQUAL(338 + 72 + 72 + 10, latents);
  nnp_net_free(net);
}

void test_names_and_table() {
  nnp_net *net = paper_net();
  char text[2000];
  nnp_net_parameter_name(net, 16 + 7, text, sizeof text, nullptr);
  TEST_ASSERT_EQUAL_STRING("W1[2,1,2,4]", text);
  nnp_net_parameter_name(net, 33, text, sizeof text, nullptr);
  TEST_ASSERT_EQUAL_STRING("b1[2]", text);
  nnp_net_parameter_name(net, 34 + 73, text, sizeof text, nullptr);
  TEST_ASSERT_EQUAL_STRING("W2[2,2]", text);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_print(net, 1000, text, sizeof text, nullptr));
  TEST_ASSERT_NOT_NULL(std::strstr(text, "collapsed"));
  TEST_ASSERT_NOT_NULL(std::strstr(text, "154000"));
  nnp_net_set(net, 2, NNP_COLLAPSE, 0, nullptr);
  nnp_net_print(net, 1000, text, sizeof text, nullptr);
  TEST_ASSERT_NULL(std::strstr(text, "collapsed"));
  TEST_ASSERT_NOT_NULL(std::strstr(text, "338000"));
  nnp_net_free(net);
}

// Noise of the pooled site: D_pool + D_conv / |window|, and on through a pool of pools.
void test_noise_of_collapsed_layers() {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, 1, 13, 14, nullptr);
  nnp_net_conv2d(net, 2, 2, 3, 1, 2, nullptr);
  nnp_net_avgpool(net, 2, 1, nullptr);
  nnp_net_avgpool(net, 3, 2, nullptr);
  for (int64_t k = 1; k <= 3; ++k) nnp_net_set(net, k, NNP_NOISE, static_cast<double>(k), nullptr);
  const nnp::Net collapsed = nnp::net_collapsed(*nnp::unwrap(net));
  TEST_ASSERT_EQUAL(1, collapsed.depth);
  TEST_ASSERT_EQUAL(3, collapsed.described_depth());
  TEST_ASSERT_EQUAL(0, collapsed.find_site(2));
  TEST_ASSERT_EQUAL(1, collapsed.find_site(3));
  TEST_ASSERT_EQUAL_DOUBLE(3 + (2 + 1.0 / 2) / 6, collapsed.layer(1).noise);
  TEST_ASSERT_EQUAL(6, collapsed.layer(1).window.pool_y);
  nnp_net_set(net, 2, NNP_COLLAPSE, 0, nullptr);
  const nnp::Net pools = nnp::net_collapsed(*nnp::unwrap(net));
  TEST_ASSERT_EQUAL(2, pools.depth);  // the pools still make one pool
  TEST_ASSERT_EQUAL_DOUBLE(3 + 2.0 / 6, pools.layer(2).noise);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_COLLAPSE, 0, nullptr);
  TEST_ASSERT_EQUAL(3, nnp::net_collapsed(*nnp::unwrap(net)).depth);
  nnp_net_free(net);
}

// Regarded as another image in between, the windows of a pool are not those of the convolution.
void test_another_shape_in_between_is_not_collapsed() {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, 1, 5, 5, nullptr);
  nnp_net_conv2d(net, 2, 2, 2, 1, 1, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_image(net, 1, 4, 8, nullptr));
  nnp_net_avgpool(net, 2, 2, nullptr);
  TEST_ASSERT_EQUAL(2, nnp::net_collapsed(*nnp::unwrap(net)).depth);
  nnp_net_free(net);
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_outputs);
  RUN_TEST(test_mean_of_the_input);
  RUN_TEST(test_covariance_of_the_input);
  RUN_TEST(test_extreme_noise);
  RUN_TEST(test_latents_of_the_paper_network);
  RUN_TEST(test_names_and_table);
  RUN_TEST(test_noise_of_collapsed_layers);
  RUN_TEST(test_another_shape_in_between_is_not_collapsed);
  return UNITY_END();
}
