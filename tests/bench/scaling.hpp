// How the time of a Gibbs step grows with rows, width and depth, and what a chain takes in memory:
// the work is counted as weights times rows, and the exponent of time against it is fitted.
#pragma once

#include "capi/nnpost.h"
#include "tests/bench/harness.hpp"

namespace bench {

// `depth` hidden layers of `width` relu units, one output.
struct Size {
  int64_t n, inputs, width, depth;
};

struct Scaled {
  double seconds, bytes, latents, work;
};

inline nnp_net *scaled_net(const Size &s) {
  nnp_net *net = nullptr;
  nnp_net_create(&net, s.inputs, nullptr);
  for (int64_t k = 0; k < s.depth; ++k) {
    nnp_net_dense(net, s.width, nullptr);
    nnp_net_activation(net, NNP_RELU, nullptr);
  }
  nnp_net_dense(net, 1, nullptr);
  nnp_net_head(net, NNP_GAUSSIAN, nullptr);
  return net;
}

inline Scaled measure(const Size &s) {
  nnp_net *net = scaled_net(s);
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;
  std::vector<double> x(static_cast<size_t>(s.n * s.inputs)), y(static_cast<size_t>(s.n));
  uint64_t state = 1;
  const auto uniform = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  };
  for (double &one : x) one = uniform();
  for (double &one : y) one = uniform();
  nnp_data_create(&data, s.n, s.inputs, 1, nullptr);
  nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr);
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  size_t bytes = 0;
  int64_t latents = 0, parameters = 0;
  nnp_chain_bytes(net, data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes, nullptr);
  nnp_net_latents(net, &latents, nullptr);
  nnp_net_parameters(net, &parameters, nullptr);
  if (nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr) != NNP_OK)
    std::abort();
  nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, nullptr);
  nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, nullptr);
  Race race(Clock::own_thread, 1e-3);
  const int step = race.add([&] { nnp_chain_run(chain, 1, nullptr, nullptr, nullptr); });
  race.run(0.3, 4);
  const Scaled result = {race.best(step), static_cast<double>(bytes),
                         static_cast<double>(latents * s.n),
                         static_cast<double>(parameters) * static_cast<double>(s.n)};
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  return result;
}

// The slope of log time against log work.
inline double exponent(const std::vector<Scaled> &all) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Scaled &s : all) {
    const double x = std::log(s.work), y = std::log(s.seconds);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double n = static_cast<double>(all.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

inline void add_series(Report &report, const char *title, const std::vector<Size> &sizes) {
  report.title(title);
  std::vector<Scaled> all;
  for (const Size &s : sizes) {
    all.push_back(measure(s));
    const Scaled &r = all.back();
    char name[80];
    std::snprintf(name, sizeof name, "n=%lld, %lld inputs, %lld x %lld relu",
                  static_cast<long long>(s.n), static_cast<long long>(s.inputs),
                  static_cast<long long>(s.depth), static_cast<long long>(s.width));
    report.add({"scaling",
                name,
                "ms",
                1e3 * r.seconds,
                {{"ps a unit", 1e12 * r.seconds / r.work},
                 {"ns/latent", 1e9 * r.seconds / r.latents},
                 {"B/latent", r.bytes / r.latents},
                 {"exponent", all.size() < 2 ? 0 : exponent(all)}}});
  }
}

inline void bench_scaling(Report &report) {
  add_series(report,
             "a step against rows. a unit of work: a weight and a row; exponent: of time against "
             "work, fitted so "
             "far",
             {{1000, 16, 10, 1}, {10000, 16, 10, 1}, {100000, 16, 10, 1}, {1000000, 16, 10, 1}});
  add_series(
      report,
      "against width: the Gram matrix of the hidden site takes width^2 a row, which work does not "
      "count",
      {{2000, 50, 8, 1}, {2000, 50, 32, 1}, {2000, 50, 128, 1}, {2000, 50, 512, 1}});
  add_series(report,
             "against depth: the Gram matrix of the inputs is constant, those of hidden sites are "
             "not",
             {{2000, 16, 16, 1},
              {2000, 16, 16, 2},
              {2000, 16, 16, 4},
              {2000, 16, 16, 8},
              {2000, 16, 16, 16}});
}

}  // namespace bench
