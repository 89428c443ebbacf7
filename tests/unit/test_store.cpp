// Inputs kept as singles, bytes or sparse entries: what is unpacked is what was put in, products
// are those of the doubles at every SIMD level, and the best store is found.
#include "lib/network/store.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "lib/network/columns.hpp"
#include "lib/network/data.hpp"
#include "lib/network/layer.hpp"
#include "lib/random/variates.hpp"
#include "tests/support/tables.hpp"

extern "C" {
#include "unity.h"
}

void setUp() {}
void tearDown() {}

namespace {

using nnp::ConstTile;
using nnp::Data;
using nnp::StoreKind;
using nnp::Stream;
using nnp::Tile;

const char *const levels[] = {"portable", "avx2", "avx512", "neon"};

// Pixels 0 … 255, most of them 0, shifted and scaled.
std::vector<double> pixels(int64_t n, int64_t features, double share, Stream &stream) {
  std::vector<double> x(static_cast<size_t>(n * features));
  for (double &one : x) {
    const double pixel = stream.uniform() < share ? std::floor(256 * stream.uniform()) : 0;
    one = (pixel / 255 - 0.1307) / 0.3081;
  }
  return x;
}

// Mostly zeros, else any number.
std::vector<double> gaps(int64_t n, int64_t features, double share, Stream &stream) {
  std::vector<double> x(static_cast<size_t>(n * features));
  for (double &one : x) one = stream.uniform() < share ? nnp::normal(stream) : 0;
  return x;
}

// Data in memory of its own.
struct Kept {
  std::vector<double> memory;
  Data *data = nullptr;
  nnp::Status status;

  Kept(const std::vector<double> &x, int64_t n, int64_t features, int32_t wanted,
       nnp::MatrixOrder order = nnp::MatrixOrder::row_major) {
    nnp::Store store;
    const nnp::Source source = nnp::source_of(x.data(), n, features, order);
    status = nnp::choose_store(wanted, source, n, features, &store, nullptr);
    if (status != nnp::Status::ok) return;
    nnp::Arena counter;
    nnp::data_layout(counter, n, features, 0, store);
    memory.resize(counter.used() / 8 + 9, 0.0);
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    nnp::Arena arena(memory.data() + (64 - address % 64) % 64 / 8, counter.used());
    data = nnp::data_layout(arena, n, features, 0, store);
    memory.back() = 777;  // behind the block
    nnp::data_set_inputs(*data, x.data(), order, nullptr);
    TEST_ASSERT_TRUE(memory.back() == 777);
  }
  StoreKind kind() const { return data->store.kind; }
};

void unpacks_to(const Kept &kept, const std::vector<double> &x, double tolerance) {
  const Data &data = *kept.data;
  for (const char *level : levels) {
    const nnp::Kernels *kernels = nnp::kernels_named(level);
    if (!kernels) continue;
    for (int64_t t = 0; t < data.tiling.tiles; ++t)
      nnp::in_columns(data.inputs(t), *kernels, [&](ConstTile columns, int64_t first) {
        for (int64_t j = 0; j < columns.width; ++j)
          for (int64_t i = 0; i < columns.rows; ++i) {
            const int64_t row = t * data.tiling.ld + i;
            const double want = x[static_cast<size_t>(row * data.features + first + j)];
            TEST_ASSERT_TRUE(std::fabs(columns.col(j)[i] - want) <= tolerance);
          }
      });
  }
}

void the_best_store_is_found() {
  Stream stream(1, 0, 0);
  constexpr int64_t n = 300, features = 21;
  const std::vector<double> sparse = pixels(n, features, 0.2, stream),
                            dense = pixels(n, features, 0.9, stream),
                            holes = gaps(n, features, 0.1, stream),
                            plain = gaps(n, features, 1, stream);
  std::vector<double> rounded = plain, steps = plain;
  for (double &one : rounded) one = static_cast<double>(static_cast<float>(one));
  // each feature has steps of its own
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i] = 0.3 * static_cast<double>(i % features) +
               (1 + static_cast<double>(i % features)) * std::floor(200 * stream.uniform());
  TEST_ASSERT_TRUE(Kept(sparse, n, features, 0).kind() == StoreKind::sparse);
  TEST_ASSERT_TRUE(Kept(holes, n, features, 0).kind() == StoreKind::sparse);
  TEST_ASSERT_TRUE(Kept(dense, n, features, 0).kind() == StoreKind::bytes);
  TEST_ASSERT_TRUE(Kept(steps, n, features, 0).kind() == StoreKind::bytes);
  TEST_ASSERT_TRUE(Kept(rounded, n, features, 0).kind() == StoreKind::singles);
  TEST_ASSERT_TRUE(Kept(plain, n, features, 0).kind() == StoreKind::doubles);
  TEST_ASSERT_TRUE(Kept(plain, n, features, 3).status == nnp::Status::bad_value);
  unpacks_to(Kept(steps, n, features, 0), steps, 1e-12);
  unpacks_to(Kept(rounded, n, features, 0), rounded, 0);
}

void what_goes_in_comes_out() {
  Stream stream(2, 0, 0);
  for (int64_t n : {1, 7, 128, 129, 1000})
    for (int64_t features : {1, 2, 31, 33, 70}) {
      const std::vector<double> x = pixels(n, features, 0.3, stream);
      unpacks_to(Kept(x, n, features, 2), x, 1e-6);
      unpacks_to(Kept(x, n, features, 3), x, 2e-15);
      unpacks_to(Kept(x, n, features, 4), x, 2e-15);
      const std::vector<double> y = gaps(n, features, 0.3, stream);
      unpacks_to(Kept(y, n, features, 4), y, 1e-15);
    }
  // a matrix whose columns are contiguous
  std::vector<double> x = gaps(200, 9, 0.3, stream), turned(x.size());
  for (size_t i = 0; i < 200; ++i)
    for (size_t j = 0; j < 9; ++j) turned[j * 200 + i] = x[i * 9 + j];
  unpacks_to(Kept(turned, 200, 9, 4, nnp::MatrixOrder::column_major), x, 1e-15);
}

bool close(const std::vector<double> &a, const std::vector<double> &b, double tolerance) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= tolerance)) return false;
  return true;
}

// All that a first layer does with its input: the same by the packed tile as by the doubles.
void check_layer(const nnp::Layer &layer, const std::vector<double> &x, int64_t n, int32_t wanted) {
  const nnp::LayerOps &ops = nnp::ops_of(layer);
  const Kept plain(x, n, layer.in.size(), 1), packed(x, n, layer.in.size(), wanted);
  Stream stream(3, 0, 0);
  std::vector<double> params(static_cast<size_t>(layer.param_count()) + 1);
  for (double &one : params) one = nnp::normal(stream);
  const int64_t p = ops.order(layer), ld = plain.data->tiling.ld, outputs = layer.out.size();
  std::vector<double> above(static_cast<size_t>(ld * outputs));
  for (double &one : above) one = nnp::normal(stream);
  for (const char *level : levels) {
    const nnp::Kernels *kernels = nnp::kernels_named(level);
    if (!kernels) continue;
    for (int64_t t = 0; t < plain.data->tiling.tiles; ++t) {
      std::vector<double> out[2], gram[2], cross[2], gradient[2];
      for (int k = 0; k < 2; ++k) {
        const ConstTile in = (k == 0 ? plain : packed).data->inputs(t);
        out[k].assign(above.size(), 0.0);
        gram[k].assign(static_cast<size_t>(p * p), 0.0);
        cross[k].assign(static_cast<size_t>(p * ops.units(layer)), 0.0);
        gradient[k].assign(params.size(), 0.0);
        const ConstTile drawn = {above.data(), in.rows, outputs, ld};
        ops.forward(layer, params.data(), in, {out[k].data(), in.rows, outputs, ld}, *kernels);
        if (ops.add_gram) ops.add_gram(layer, in, gram[k].data(), *kernels);
        if (ops.add_cross) ops.add_cross(layer, in, drawn, cross[k].data(), *kernels);
        if (!ops.add_cross) continue;
        std::vector<double> scratch(static_cast<size_t>(ld * std::max(outputs, in.width)));
        ops.backward(layer, params.data(), {in, drawn, drawn, {nullptr, in.rows, in.width, ld}},
                     gradient[k].data(), *kernels, scratch.data());
      }
      TEST_ASSERT_TRUE(close(out[0], out[1], 1e-11));
      TEST_ASSERT_TRUE(close(gram[0], gram[1], 1e-10));
      TEST_ASSERT_TRUE(close(cross[0], cross[1], 1e-10));
      TEST_ASSERT_TRUE(close(gradient[0], gradient[1], 1e-10));
    }
  }
}

void check_layer_in_every_store(const nnp::Layer &layer) {
  Stream stream(4, 0, 0);
  const int64_t n = 150;
  const std::vector<double> bytes = pixels(n, layer.in.size(), 0.3, stream);
  std::vector<double> values = gaps(n, layer.in.size(), 0.3, stream);
  for (double &one : values) one = static_cast<double>(static_cast<float>(one));
  for (int32_t store : {3, 4}) check_layer(layer, bytes, n, store);
  for (int32_t store : {2, 4}) check_layer(layer, values, n, store);
}

nnp::Layer dense(int64_t in, int64_t out, bool bias) {
  nnp::Layer layer;
  layer.in.channels = in;
  layer.out.channels = out;
  layer.bias = bias;
  layer.weight_count = in * out;
  layer.bias_count = bias ? out : 0;
  return layer;
}

void dense_layers_take_any_store() {
  for (int64_t in : {1, 2, 8, 35, 70})
    for (int64_t out : {1, 4, 5, 12, 16, 17, 40})
      check_layer_in_every_store(dense(in, out, (in + out) % 2 == 0));
}

// One and two filters meet bytes in registers, more of them gathered ones.
void convolutions_take_any_store() {
  for (int64_t filters : {1, 2, 3})
    for (int64_t pool : {1, 2, 3}) {
      nnp::Layer layer;
      layer.kind = nnp::LayerKind::conv2d;
      layer.in = {2, 8, 9};
      layer.window = {3, 2, 1, 2, pool, pool};
      layer.out = {filters, 6 / pool, 4 / pool};
      layer.weight_count = filters * 2 * 3 * 2;
      layer.bias_count = filters;
      check_layer_in_every_store(layer);
    }
}

// Pixels of a padding are 0, whatever shift and scale the others have.
void padded_convolutions_take_any_store() {
  for (int64_t filters : {1, 3})
    for (int64_t pool : {1, 2}) {
      nnp::Layer layer;
      layer.kind = nnp::LayerKind::conv2d;
      layer.in = {2, 8, 9};
      layer.window = {3, 2, 1, 2, pool, pool, 2, 1};
      layer.out = {filters, 10 / pool, 5 / pool};
      layer.weight_count = filters * 2 * 3 * 2;
      layer.bias_count = filters;
      check_layer_in_every_store(layer);
    }
}

void layers_without_weights_take_any_store() {
  nnp::Layer layer = dense(40, 40, false);
  layer.weight_count = 0;
  layer.kind = nnp::LayerKind::activation;
  layer.activation = nnp::Activation::abs;
  check_layer_in_every_store(layer);
  layer.kind = nnp::LayerKind::avgpool;
  layer.in = {2, 5, 4};
  layer.window.height = 2;
  layer.window.width = 2;
  layer.out = {2, 2, 2};
  check_layer_in_every_store(layer);
  layer.kind = nnp::LayerKind::maxpool;
  check_layer_in_every_store(layer);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(the_best_store_is_found);
  RUN_TEST(what_goes_in_comes_out);
  RUN_TEST(dense_layers_take_any_store);
  RUN_TEST(convolutions_take_any_store);
  RUN_TEST(padded_convolutions_take_any_store);
  RUN_TEST(layers_without_weights_take_any_store);
  return UNITY_END();
}
