// Maximum pooling against its definition: outputs and gradients, pixel by pixel, with pixels left
// over, ties, packed inputs and values that are no numbers.
#include <cmath>
#include <memory>
#include <vector>

#include "capi/common.hpp"
#include "tests/support/linear_layer.hpp"
#include "tests/support/tables.hpp"
extern "C" {
#include "unity.h"
}

void setUp(void) {}
void tearDown(void) {}

namespace {

using nnp::level_names;

struct Size {
  int64_t channels, height, width, h, w;
};

const Size sizes[] = {{1, 4, 4, 2, 2}, {2, 5, 7, 2, 3}, {3, 3, 3, 3, 3}, {1, 6, 5, 1, 2},
                      {2, 4, 3, 1, 1}, {1, 9, 1, 2, 1}, {4, 3, 5, 2, 4}};

nnp::Layer layer_of(const Size &size) {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, size.channels, size.height, size.width, nullptr);
  TEST_ASSERT_EQUAL(NNP_OK, nnp_net_maxpool(net, size.h, size.w, nullptr));
  const nnp::Layer layer = nnp::unwrap(net)->layer(1);
  nnp_net_free(net);
  return layer;
}

// Pixels of the window of an output, in order.
std::vector<int64_t> window_of(const Size &s, int64_t output) {
  const int64_t oh = s.height / s.h, ow = s.width / s.w;
  const int64_t c = output / (oh * ow), y = output / ow % oh, x = output % ow;
  std::vector<int64_t> pixels;
  for (int64_t r = 0; r < s.h; ++r)
    for (int64_t q = 0; q < s.w; ++q)
      pixels.push_back((c * s.height + y * s.h + r) * s.width + x * s.w + q);
  return pixels;
}

// Whole numbers, so that windows have ties.
linear::OwnTile tied_tile(int64_t rows, int64_t width, nnp::Stream &stream) {
  linear::OwnTile own = linear::random_tile(rows, width, 64, stream);
  for (int64_t j = 0; j < width; ++j)
    for (int64_t i = 0; i < rows; ++i) own.tile.col(j)[i] = std::round(own.tile.col(j)[i]);
  return own;
}

void check(const Size &size, const linear::OwnTile &in, nnp::Stream &stream,
           const nnp::Kernels &kernels) {
  const nnp::Layer layer = layer_of(size);
  const nnp::LayerOps &ops = nnp::ops_of(layer);
  const int64_t rows = in.tile.rows,
                outputs = size.channels * (size.height / size.h) * (size.width / size.w);
  TEST_ASSERT_EQUAL(outputs, layer.out.size());
  linear::OwnTile out(rows, outputs, 64), below(rows, in.tile.width, 64);
  const linear::OwnTile gradient = linear::random_tile(rows, outputs, 64, stream);
  ops.forward(layer, nullptr, in.tile, out.tile, kernels);
  ops.backward(layer, nullptr, {in.tile, out.tile, gradient.tile, below.tile}, nullptr, kernels,
               nullptr);
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<double> expected(static_cast<size_t>(in.tile.width), 0.0);
    for (int64_t o = 0; o < outputs; ++o) {
      int64_t best = -1;
      for (int64_t pixel : window_of(size, o))
        if (best < 0 || in.tile.col(pixel)[i] > in.tile.col(best)[i]) best = pixel;
      TEST_ASSERT_EQUAL_DOUBLE(in.tile.col(best)[i], out.tile.col(o)[i]);
      expected[static_cast<size_t>(best)] = gradient.tile.col(o)[i];
    }
    for (int64_t j = 0; j < in.tile.width; ++j)
      TEST_ASSERT_EQUAL_DOUBLE(expected[static_cast<size_t>(j)], below.tile.col(j)[i]);
  }
}

void test_outputs_and_gradients() {
  nnp::Stream stream(1, 0, 0);
  for (const char *name : level_names) {
    const nnp::Kernels *kernels = nnp::kernels_named(name);
    if (!kernels) continue;
    for (const Size &size : sizes)
      for (int64_t rows : {3, 37, 64}) {
        const int64_t width = size.channels * size.height * size.width;
        check(size, linear::random_tile(rows, width, 64, stream), stream, *kernels);
        check(size, tied_tile(rows, width, stream), stream, *kernels);
      }
  }
}

// A value that is not a number must not be lost among the others, wherever it stands.
void test_what_is_no_number_stays() {
  const Size size = {1, 2, 2, 2, 2};
  const nnp::Layer layer = layer_of(size);
  for (int64_t place = 0; place < 4; ++place) {
    linear::OwnTile in(8, 4, 64), out(8, 1, 64);
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t i = 0; i < 8; ++i) in.tile.col(j)[i] = j == place ? NAN : 1;
    nnp::ops_of(layer).forward(layer, nullptr, in.tile, out.tile, *nnp::best_kernels());
    for (int64_t i = 0; i < 8; ++i) TEST_ASSERT_FALSE(out.tile.col(0)[i] == out.tile.col(0)[i]);
  }
}

// A convolution is not collapsed with it, as it is with an average.
void test_nothing_is_collapsed() {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, 1, 6, 6, nullptr);
  nnp_net_conv2d(net, 2, 3, 3, 1, 1, nullptr);
  nnp_net_maxpool(net, 2, 2, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  TEST_ASSERT_EQUAL(3, nnp::net_collapsed(*nnp::unwrap(net)).depth);
  nnp_net_free(net);
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_outputs_and_gradients);
  RUN_TEST(test_what_is_no_number_stays);
  RUN_TEST(test_nothing_is_collapsed);
  return UNITY_END();
}
