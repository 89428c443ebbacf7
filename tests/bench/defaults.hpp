// Do the default moves of Gibbs pay? For a table of networks on data of a teacher: effective
// predictions a second at equilibrium, and the time from the prior to a given test error, with
// default moves and with none, in turn.
#pragma once

#include <algorithm>

#include "capi/nnpost_study.h"
#include "lib/random/variates.hpp"
#include "tests/bench/harness.hpp"

namespace bench {

struct Case {
  const char *name;
  int64_t n, inputs;            // inputs < 0: images with sides of this many pixels
  std::vector<int64_t> hidden;  // units of layers; of images, filters of the convolution
  int64_t outputs;              // more than 1: classes
  double noise;
  double seconds;  // of each chain at equilibrium
};

class Defaults {
 public:
  explicit Defaults(const Case &c) : outputs_(c.outputs) {
    c.inputs > 0 ? describe_dense(c) : describe_images(c);
    need(nnp_net_dense(net_, c.outputs, &err_));
    need(nnp_net_head(net_, c.outputs > 1 ? NNP_ARGMAX : NNP_GAUSSIAN, &err_));
    need(nnp_net_set(net_, NNP_ALL_LAYERS, NNP_NOISE, c.noise, &err_));
    need(nnp_teacher_create(&teacher_, net_, NNP_INTERMEDIATE, 1, 0, &err_));
    int64_t latents;
    need(nnp_net_latents(net_, &latents, &err_));
    sites_.resize(static_cast<size_t>(latents * std::max(c.n, points)));
    const int64_t inputs = c.inputs > 0 ? c.inputs : c.inputs * c.inputs;
    test_ = rows(points, inputs, 2);
    train_ = rows(c.n, inputs, 1);  // last: their sites are the start
  }
  ~Defaults() {
    for (nnp_chain *chain : chains_) nnp_chain_free(chain);
    nnp_data_free(test_);
    nnp_data_free(train_);
    nnp_teacher_free(teacher_);
    nnp_net_free(net_);
  }
  Defaults(const Defaults &) = delete;
  Defaults &operator=(const Defaults &) = delete;

  // Each chain has this long, in slices that take turns, after a tenth of it to settle.
  void at_equilibrium(double seconds) {
    begin([&](nnp_chain *chain) {
      need(nnp_chain_start_teacher(chain, teacher_, sites_.data(), 1, 0, &err_));
    });
    for (int c : {0, 1})
      for (double used = 0; used < 0.1 * seconds;) used += timed_step(c);
    while (std::min(used_[0], used_[1]) < seconds)
      for (int c : {0, 1}) slice(c, 0.02 * seconds, [&] { keep_outputs(c); });
  }
  // Effective predictions a second, the median over outputs for new inputs.
  double rate(int c) {
    const int64_t quantities = points * outputs_;
    nnp_draws draws;
    size_t bytes;
    std::vector<double> ess(static_cast<size_t>(quantities));
    const int64_t count = static_cast<int64_t>(kept_[c].size()) / quantities;
    need(nnp_draws_init(&draws, kept_[c].data(), quantities, count, 1, &err_));
    need(nnp_statistic_bytes(&draws, &bytes, &err_));
    std::vector<double> memory(bytes / sizeof(double) + 1);
    need(nnp_statistic(&draws, NNP_STAT_ESS_MEAN, 0, ess.data(), memory.data(), bytes, &err_));
    std::nth_element(ess.begin(), ess.begin() + quantities / 2, ess.end());
    return ess[static_cast<size_t>(quantities / 2)] / used_[c];
  }
  double ms_per_step(int c) const { return 1e3 * used_[c] / static_cast<double>(steps_[c]); }

  // From the prior: the test error along each chain, smoothed.
  void from_prior(double seconds) {
    begin([&](nnp_chain *chain) { need(nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err_)); });
    while (std::min(used_[0], used_[1]) < seconds)
      for (int c : {0, 1}) slice(c, 0.01 * seconds, [&] { keep_error(c); });
  }
  // Seconds until the error was at most that at which the worse of both ended, and 10 % more.
  double seconds_to_error(int c) const {
    const double target = 1.1 * std::max(last_error(0), last_error(1));
    for (const auto &[time, error] : errors_[c])
      if (error <= target) return time;
    return INFINITY;
  }

 private:
  static constexpr int64_t points = 100;

  void need(int32_t status) const {
    if (status == NNP_OK) return;
    std::fprintf(stderr, "%s: %s\n", nnp_status_name(status), err_.message);
    std::exit(1);
  }
  void describe_dense(const Case &c) {
    need(nnp_net_create(&net_, c.inputs, &err_));
    for (int64_t units : c.hidden) {
      need(nnp_net_dense(net_, units, &err_));
      need(nnp_net_activation(net_, NNP_RELU, &err_));
    }
  }
  void describe_images(const Case &c) {
    need(nnp_net_create_image(&net_, 1, -c.inputs, -c.inputs, &err_));
    need(nnp_net_conv2d(net_, c.hidden[0], 4, 4, 2, 2, &err_));
    need(nnp_net_avgpool(net_, 2, 2, &err_));
    need(nnp_net_activation(net_, NNP_RELU, &err_));
  }
  nnp_data *rows(int64_t n, int64_t inputs, uint64_t seed) {
    nnp_data *data;
    nnp::Stream stream(seed, 0, 0);
    std::vector<double> x(static_cast<size_t>(n * inputs));
    nnp::fill_normal(stream, x.data(), n * inputs);
    need(nnp_data_create(&data, n, inputs, outputs_, &err_));
    need(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err_));
    need(nnp_teacher_label(teacher_, data, static_cast<int32_t>(seed), sites_.data(), &err_));
    return data;
  }
  template <class Start>
  void begin(const Start &start) {
    for (int c : {0, 1}) {
      nnp_chain_free(chains_[c]);
      need(nnp_chain_create(&chains_[c], net_, train_, NNP_GIBBS, NNP_INTERMEDIATE, &err_));
      need(nnp_chain_set(chains_[c], NNP_OPTION_MOVES,
                         c == 0 ? NNP_MOVES_PLAIN : NNP_MOVES_AUTOMATIC, &err_));
      start(chains_[c]);
      used_[c] = 0;
      steps_[c] = 0;
    }
  }
  double timed_step(int c) {
    const double begin = now(Clock::own_thread);
    need(nnp_chain_run(chains_[c], 1, nullptr, nullptr, &err_));
    return now(Clock::own_thread) - begin;
  }
  template <class After>
  void slice(int c, double seconds, const After &after) {
    for (double used = 0; used < seconds;) {
      const double step = timed_step(c);
      used += step;
      used_[c] += step;
      ++steps_[c];
      after();
    }
  }
  void keep_outputs(int c) {
    const size_t size = static_cast<size_t>(points * outputs_);
    kept_[c].resize(kept_[c].size() + size);
    need(nnp_chain_predict(chains_[c], test_, &kept_[c][kept_[c].size() - size], &err_));
  }
  void keep_error(int c) {
    double error;
    need(nnp_chain_score(chains_[c], test_, outputs_ > 1 ? NNP_SCORE_ACCURACY : NNP_SCORE_MSE,
                         &error, &err_));
    if (outputs_ > 1) error = 1 - error;
    const double before = errors_[c].empty() ? error : errors_[c].back().second;
    errors_[c].emplace_back(used_[c], 0.9 * before + 0.1 * error);
  }
  double last_error(int c) const { return errors_[c].back().second; }

  mutable nnp_error err_;
  int64_t outputs_;
  nnp_net *net_ = nullptr;
  nnp_teacher *teacher_ = nullptr;
  nnp_data *train_ = nullptr, *test_ = nullptr;
  nnp_chain *chains_[2] = {nullptr, nullptr};
  std::vector<double> sites_, kept_[2];
  std::vector<std::pair<double, double>> errors_[2];
  double used_[2] = {0, 0};
  int64_t steps_[2] = {0, 0};
};

inline void add_defaults(Report &report, const Case &c) {
  Defaults both(c);
  both.at_equilibrium(c.seconds);
  const double plain = both.rate(0), with_moves = both.rate(1);
  const double step = both.ms_per_step(0), with = both.ms_per_step(1);
  both.from_prior(0.5 * c.seconds);
  report.add({"defaults",
              c.name,
              "1/s",
              with_moves,
              {{"plain", plain},
               {"times", with_moves / plain},
               {"ms a step", with},
               {"plain ms", step},
               {"s to error", both.seconds_to_error(1)},
               {"plain s", both.seconds_to_error(0)}}});
}

// Large networks mix slowly: in 6 seconds their autocorrelation times cannot be estimated. In 50 the
// ratio of the small convolution still varied from 0.92 to 1.36 in five runs, around 1.09.
inline void bench_defaults(Report &report) {
  report.title(
      "effective predictions a second with default moves and with plain Gibbs, and seconds from "
      "the "
      "prior\nto the same test error");
  const Case cases[] = {
      {"n=500, 8-4-1, D=1e-2", 500, 8, {4}, 1, 1e-2, 6},
      {"n=500, 8-4-1, D=1", 500, 8, {4}, 1, 1, 6},
      {"n=400, 13-10-1, D=1e-1", 400, 13, {10}, 1, 1e-1, 6},
      {"n=2084, 50-10-1, D=1e-3", 2084, 50, {10}, 1, 1e-3, 20},
      {"n=1000, 20-64-64-64-1, D=1e-2", 1000, 20, {64, 64, 64}, 1, 1e-2, 50},
      {"n=1000, 100-512-1, D=1e-2", 1000, 100, {512}, 1, 1e-2, 50},
      {"n=1000, 784-12-10 argmax, D=2", 1000, 784, {12}, 10, 2, 50},
      {"n=500, images, 2 filters, argmax, D=2", 500, -14, {2}, 10, 2, 50},
  };
  for (const Case &c : cases) add_defaults(report, c);
}

}  // namespace bench
