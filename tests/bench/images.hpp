// Gibbs steps on 60000 images of 28 x 28 pixels, the paper's networks for MNIST, by the way the
// inputs are kept and by threads; beside them what the authors report for their V100. The images
// are rings of 8-bit grey values, as sparse as MNIST's digits: 19 % of the pixels are not black.
#pragma once

#include "capi/common.hpp"
#include "capi/nnpost.h"
#include "tests/bench/floor.hpp"
#include "tests/bench/harness.hpp"

namespace bench {

class Images {
 public:
  explicit Images(int64_t n) : n_(n), x_(size(n * pixels)), labels_(size(n)) {
    uint64_t state = 1;
    const auto uniform = [&state] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<double>(state >> 11) * 0x1p-53;
    };
    for (int64_t i = 0; i < n; ++i) {
      const int64_t label = static_cast<int64_t>(uniform() * classes);
      const double cy = 12 + 4 * uniform(), cx = 12 + 4 * uniform();
      const double radius = 4.5 + 0.5 * static_cast<double>(label);
      labels_[size(i)] = static_cast<int32_t>(label);
      for (int64_t p = 0; p < pixels; ++p) {
        const double y = static_cast<double>(p / side) - cy, x = static_cast<double>(p % side) - cx;
        const double off = (std::sqrt(y * y + x * x) - radius) / 1.9;
        const double grey = off * off < 1 ? std::floor(255 * (1 - off * off)) : 0;
        x_[size(i * pixels + p)] = (grey / 255 - 0.1307) / 0.3081;
      }
    }
  }
  nnp_data *data(int32_t store) const {
    nnp_data *made = nullptr;
    const nnp_inputs inputs = {x_.data(), n_, pixels, NNP_ROW_MAJOR, store, {}};
    if (nnp_data_create_from(&made, &inputs, 0, nullptr) != NNP_OK ||
        nnp_data_set_labels(made, labels_.data(), nullptr) != NNP_OK)
      std::abort();
    return made;
  }

  static constexpr int64_t side = 28, pixels = side * side, classes = 10;

 private:
  static size_t size(int64_t count) { return static_cast<size_t>(count); }

  int64_t n_;
  std::vector<double> x_;
  std::vector<int32_t> labels_;
};

inline nnp_net *image_mlp() {
  nnp_net *net = nullptr;
  nnp_net_create(&net, Images::pixels, nullptr);
  nnp_net_dense(net, 12, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_dense(net, Images::classes, nullptr);
  nnp_net_head(net, NNP_ARGMAX, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 2, nullptr);
  return net;
}

inline nnp_net *image_cnn() {
  nnp_net *net = nullptr;
  nnp_net_create_image(&net, 1, Images::side, Images::side, nullptr);
  nnp_net_conv2d(net, 2, 4, 4, 2, 2, nullptr);
  nnp_net_avgpool(net, 2, 2, nullptr);
  nnp_net_activation(net, NNP_RELU, nullptr);
  nnp_net_dense(net, Images::classes, nullptr);
  nnp_net_head(net, NNP_ARGMAX, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 100, nullptr);
  return net;
}

inline nnp_chain *started(const nnp_net *net, const nnp_data *data, uint64_t number) {
  nnp_chain *chain = nullptr;
  if (nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr) != NNP_OK)
    std::abort();
  nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, nullptr);
  nnp_chain_start(chain, NNP_START_ZERO, 1, number, nullptr);
  return chain;
}

// What a step multiplies inputs with, as they are kept: the means of the first site and the sums for
// the first weights, tile by tile. Nobody else has routines for packed inputs.
class InputProducts {
 public:
  explicit InputProducts(const nnp::State &state)
      : state_(state),
        layer_(state.net.layer(1)),
        mean_(state.tiling.ld * state.net.site_width(1)),
        sums_(nnp::ops_of(layer_).order(layer_) * nnp::ops_of(layer_).units(layer_)) {}

  void run() {
    const nnp::LayerOps &ops = nnp::ops_of(layer_);
    for (int64_t t = 0; t < state_.tiling.tiles; ++t) {
      nnp::mean_of_site(state_, 1, t,
                        {mean_.get(), state_.tiling.rows(t), layer_.out.size(), state_.tiling.ld});
      ops.add_cross(layer_, state_.tile(0, t), state_.tile(1, t), sums_.get(), *state_.kernels);
    }
    keep(sums_.get());
  }

 private:
  const nnp::State &state_;
  const nnp::Layer &layer_;
  Buffer mean_, sums_;
};

// The products of the dense layer that ends the network, and all variates as plain normals.
inline void add_floor_above(Floor &floor, const nnp::State &state) {
  const nnp::Layer &last = state.net.layer(state.net.depth);
  const int64_t n = state.tiling.n, in = last.in.size(), out = last.out.size();
  for (Product product :
       {Product::gram, Product::cross, Product::transposed, Product::triangular, Product::forward})
    floor.add(product, n, in, out);
  floor.add_normals(state.variables(), state.tiling.blocks);
}

// One thread by its own clock, two by the wall's; and the speed of two chains side by side over
// that of one.
inline void add_images(Report &report, const char *name, nnp_net *net, nnp_data *data, double paper,
                       double authors) {
  nnp_pool *pool = nullptr;
  nnp_pool_create(&pool, 2, nullptr);
  nnp_chain *chains[] = {started(net, data, 0), started(net, data, 1)};
  // Scores of a chain from zero take more tries at first: both chains are to cost the same.
  nnp_chain_use_pool(chains[0], pool, nullptr);
  nnp_chains_run(chains, 2, 50, nullptr, nullptr, nullptr);
  nnp_chain_use_pool(chains[0], nullptr, nullptr);
  Race alone(Clock::own_thread), both(Clock::elapsed);
  const int one = alone.add([&] { nnp_chain_run(chains[0], 1, nullptr, nullptr, nullptr); });
  const int wall = both.add([&] { nnp_chain_run(chains[0], 1, nullptr, nullptr, nullptr); });
  const int shared = both.add([&] {
    nnp_chain_use_pool(chains[0], pool, nullptr);
    nnp_chain_run(chains[0], 1, nullptr, nullptr, nullptr);
    nnp_chain_use_pool(chains[0], nullptr, nullptr);
  });
  const int pair = both.add([&] {
    nnp_chain_use_pool(chains[0], pool, nullptr);
    nnp_chains_run(chains, 2, 1, nullptr, nullptr, nullptr);
    nnp_chain_use_pool(chains[0], nullptr, nullptr);
  });
  const nnp::State &state = nnp::unwrap(chains[0])->chain->state;
  InputProducts inputs(state);
  const int on_inputs = alone.add([&] { inputs.run(); });
  Floor above(alone, nullptr);
  add_floor_above(above, state);
  alone.run(3);
  both.run(3);
  const double floor = alone.best(on_inputs) + above.products() + above.normals();
  report.add({"images",
              name,
              "ms",
              1e3 * alone.best(one),
              {{"floor", 1e3 * floor},
               {"over floor", alone.best(one) / floor},
               {"2 threads", 1e3 * both.best(shared)},
               {"faster", both.best(wall) / both.best(shared)},
               {"2 chains", 2 * both.best(wall) / both.best(pair)},
               {"x authors'", authors / (1e3 * alone.best(one))},
               {"on 2", authors / (1e3 * both.best(shared))},
               {"V100", paper},
               {"over V100", 1e3 * both.best(shared) / paper}}});
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  nnp_pool_free(pool);
}

inline void bench_images(Report &report) {
  report.title(
      "ms a Gibbs step on 60000 images of 28 x 28 pixels, by how the inputs are kept. floor: as\n"
      "above, the products with packed inputs by our kernels, which have no rival. faster: what "
      "two\n"
      "threads gain for one chain, 2 chains: what they gain for two. x authors', on 2: times\n"
      "the speed of their code on one thread of this kind of machine (343 ms, quoted). V100: "
      "their\n"
      "time, and two threads over it. For these images NNP_STORE_AUTO is sparse, which is for "
      "dense\n"
      "layers, and NNP_STORE_AUTO_IMAGES bytes.");
  const Images images(60000);
  const struct {
    const char *name;
    int32_t store;
  } stores[] = {{"doubles", NNP_STORE_DOUBLES},
                {"singles", NNP_STORE_SINGLES},
                {"bytes", NNP_STORE_BYTES},
                {"sparse", NNP_STORE_SPARSE}};
  nnp_net *mlp = image_mlp(), *cnn = image_cnn();
  for (const auto &s : stores) {
    nnp_data *data = images.data(s.store);
    add_images(report, (std::string("784-12-10 relu, ") + s.name).c_str(), mlp, data, 11.9, 343);
    add_images(report, (std::string("conv pool relu dense, ") + s.name).c_str(), cnn, data, 38,
               NAN);
    nnp_data_free(data);
  }
  nnp_net_free(mlp);
  nnp_net_free(cnn);
}

}  // namespace bench
