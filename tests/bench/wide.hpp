// Steps of wide networks by who does their dense work: our kernels, by shape as a chain does by
// default, all by BLAS in small calls, by shape in whole calls; and at the portable level ours and
// BLAS. All take turns, together with the parts of the floor under a step.
#pragma once

#include "capi/nnpost.h"
#include "tests/bench/floor.hpp"
#include "tests/bench/harness.hpp"

namespace bench {

struct WideNet {
  const char *name;
  int64_t n, inputs;
  std::vector<int64_t> widths;  // of the dense layers, relu between them
};

struct WideRunner {
  const char *name;
  double simd, blas;
};
constexpr WideRunner wide_runners[] = {
    {"ours", 0, NNP_BLAS_NONE},     {"default", 0, NNP_BLAS_AUTOMATIC},
    {"blas", 0, NNP_BLAS_ALL},      {"whole", 0, NNP_BLAS_WHOLE},
    {"portable", 1, NNP_BLAS_NONE}, {"portable+blas", 1, NNP_BLAS_ALL}};

inline nnp_net *wide_net(const WideNet &wide) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, wide.inputs, nullptr);
  for (size_t k = 0; k < wide.widths.size(); ++k) {
    if (k > 0) nnp_net_activation(net, NNP_RELU, nullptr);
    nnp_net_dense(net, wide.widths[k], nullptr);
  }
  nnp_net_head(net, NNP_GAUSSIAN, nullptr);
  nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 0.1, nullptr);
  return net;
}

inline nnp_data *wide_data(const WideNet &wide) {
  const int64_t outputs = wide.widths.back();
  std::vector<double> x(static_cast<size_t>(wide.n * wide.inputs)),
      y(static_cast<size_t>(wide.n * outputs));
  uint64_t state = 1;
  for (std::vector<double> *values : {&x, &y})
    for (double &one : *values) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      one = static_cast<double>(state >> 11) * 0x1p-52 - 1;
    }
  nnp_data *data = nullptr;
  nnp_data_create(&data, wide.n, wide.inputs, outputs, nullptr);
  nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr);
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  return data;
}

// Hidden layers have a Gram matrix, cross sums, and the mean of their sites. Their sites' Gaussian has
// two solves by rows, or two thin products if the layer above is narrow. Targets have no draws.
inline void add_wide_floor(Floor &floor, const WideNet &wide) {
  int64_t in = wide.inputs, variates = 0;
  for (size_t k = 0; k < wide.widths.size(); ++k) {
    const int64_t out = wide.widths[k];
    const bool last = k + 1 == wide.widths.size();
    if (k == 0) {
      floor.add(Product::forward_and_cross, wide.n, in, out);
    } else {
      const bool narrow = 2 * out < in;
      floor.add(Product::gram, wide.n, in, out);
      floor.add(Product::cross, wide.n, in, out);
      floor.add(Product::transposed, wide.n, in, out);
      if (narrow || !last) floor.add(Product::forward, wide.n, in, out);
      for (int solve = 0; !narrow && solve < 2; ++solve)
        floor.add(Product::triangular, wide.n, in, out);
    }
    variates += (in + 1) * out + (last ? 0 : 2 * wide.n * out);
    in = out;
  }
  floor.add_normals(variates, nnp::Tiling::of(wide.n).blocks);
}

inline void add_wide(Report &report, const WideNet &wide) {
  nnp_net *net = wide_net(wide);
  nnp_data *data = wide_data(wide);
  Race race(Clock::own_thread, 1e-3);
  std::vector<nnp_chain *> chains;
  std::vector<std::pair<const char *, int>> lanes;
  for (const WideRunner &runner : wide_runners) {
    nnp_chain *chain = nullptr;
    if (nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr) != NNP_OK)
      std::abort();
    chains.push_back(chain);
    nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, nullptr);
    nnp_chain_set(chain, NNP_OPTION_SIMD, runner.simd, nullptr);
    if (nnp_chain_set(chain, NNP_OPTION_BLAS, runner.blas, nullptr) != NNP_OK) continue;
    nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, nullptr);
    nnp_chain_run(chain, 1, nullptr, nullptr, nullptr);
    lanes.emplace_back(runner.name,
                       race.add([chain] { nnp_chain_run(chain, 1, nullptr, nullptr, nullptr); }));
  }
  Floor floor(race, nullptr);
  add_wide_floor(floor, wide);
  race.run(3, 3);
  std::vector<std::pair<std::string, double>> values;
  double automatic = NAN;
  for (const auto &[name, number] : lanes) {
    const double ms = 1e3 * race.best(number);
    if (std::string(name) == "default")
      automatic = ms;
    else
      values.emplace_back(name, ms);
  }
  const double under = 1e3 * (floor.products() + floor.normals());
  values.emplace_back("floor", under);
  values.emplace_back("over floor", automatic / under);
  report.add({"wide", wide.name, "ms", automatic, values});
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

inline void bench_wide(Report &report) {
  report.title(
      "ms a plain step of wide layers, by shape as by default, and by who does the dense work.\n"
      "floor: its products by the fastest routine + one plain normal a variate.");
  add_wide(report, {"n=5000, 100-256-256-256-1", 5000, 100, {256, 256, 256, 1}});
  add_wide(report, {"n=10000, 100-1024-10", 10000, 100, {1024, 10}});
}

}  // namespace bench
