// How many independent samples a second? Effective samples of predictions for new inputs, at
// equilibrium on the paper's synthetic problem with little noise: the paper's sampler and the
// library's own, in turn.
#pragma once

#include <algorithm>

#include "capi/nnpost_study.h"
#include "lib/random/variates.hpp"
#include "tests/bench/harness.hpp"

namespace bench {

class Mixing {
 public:
  Mixing() {
    need(nnp_net_create(&net_, inputs, &err_));
    need(nnp_net_dense(net_, 10, &err_));
    need(nnp_net_activation(net_, NNP_RELU, &err_));
    need(nnp_net_dense(net_, 1, &err_));
    need(nnp_net_head(net_, NNP_GAUSSIAN, &err_));
    need(nnp_net_set(net_, NNP_ALL_LAYERS, NNP_NOISE, 1e-4, &err_));
    need(nnp_teacher_create(&teacher_, net_, NNP_INTERMEDIATE, 1, 0, &err_));
    train_ = rows(2084, 1);
    test_ = rows(points, 2);
    int64_t latents;
    need(nnp_net_latents(net_, &latents, &err_));
    sites_.resize(static_cast<size_t>(latents * 2084));
    need(nnp_teacher_label(teacher_, train_, 1, sites_.data(), &err_));
  }
  ~Mixing() {
    for (nnp_chain *chain : chains_) nnp_chain_free(chain);
    nnp_data_free(test_);
    nnp_data_free(train_);
    nnp_teacher_free(teacher_);
    nnp_net_free(net_);
  }
  Mixing(const Mixing &) = delete;
  Mixing &operator=(const Mixing &) = delete;

  // Each sampler has this long, in slices that take turns, behind a tenth of it to settle.
  void run(double seconds) {
    for (int c = 0; c < 2; ++c) {
      need(nnp_chain_create(&chains_[c], net_, train_, NNP_GIBBS, NNP_INTERMEDIATE, &err_));
      need(nnp_chain_set(chains_[c], NNP_OPTION_MOVES, c, &err_));
      need(nnp_chain_start_teacher(chains_[c], teacher_, sites_.data(), 1, 0, &err_));
      for (double used = 0; used < 0.1 * seconds;) used += timed_step(c);
    }
    while (std::min(used_[0], used_[1]) < seconds)
      for (int c = 0; c < 2; ++c) slice(c);
  }
  // Median over the new inputs.
  double effective_samples(int c) {
    nnp_draws draws;
    size_t bytes;
    std::vector<double> ess(points);
    const int64_t count = static_cast<int64_t>(outputs_[c].size()) / points;
    need(nnp_draws_init(&draws, outputs_[c].data(), points, count, 1, &err_));
    need(nnp_statistic_bytes(&draws, &bytes, &err_));
    std::vector<double> memory(bytes / sizeof(double) + 1);
    need(nnp_statistic(&draws, NNP_STAT_ESS_MEAN, 0, ess.data(), memory.data(), bytes, &err_));
    std::nth_element(ess.begin(), ess.begin() + points / 2, ess.end());
    return ess[points / 2];
  }
  double seconds(int c) const { return used_[c]; }
  double steps(int c) const { return static_cast<double>(outputs_[c].size()) / points; }

 private:
  static constexpr int64_t inputs = 50, points = 100;

  void need(int32_t status) const {
    if (status == NNP_OK) return;
    std::fprintf(stderr, "%s: %s\n", nnp_status_name(status), err_.message);
    std::exit(1);
  }
  nnp_data *rows(int64_t n, uint64_t seed) {
    nnp_data *data;
    nnp::Stream stream(seed, 0, 0);
    std::vector<double> x(static_cast<size_t>(n * inputs));
    nnp::fill_normal(stream, x.data(), n * inputs);
    need(nnp_data_create(&data, n, inputs, 1, &err_));
    need(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err_));
    return data;
  }
  double timed_step(int c) {
    const double begin = now(Clock::own_thread);
    need(nnp_chain_run(chains_[c], 1, nullptr, nullptr, &err_));
    return now(Clock::own_thread) - begin;
  }
  void slice(int c) {
    for (double used = 0; used < 0.1;) {
      const double step = timed_step(c);
      used += step;
      used_[c] += step;
      outputs_[c].resize(outputs_[c].size() + points);
      need(nnp_chain_predict(chains_[c], test_, &outputs_[c][outputs_[c].size() - points], &err_));
    }
  }

  mutable nnp_error err_;
  nnp_net *net_ = nullptr;
  nnp_teacher *teacher_ = nullptr;
  nnp_data *train_ = nullptr, *test_ = nullptr;
  nnp_chain *chains_[2] = {nullptr, nullptr};
  std::vector<double> sites_, outputs_[2];
  double used_[2] = {0, 0};
};

inline void bench_mixing(Report &report) {
  report.title(
      "effective samples a second of predictions, at equilibrium: n=2084, 50-10-1 relu, D = 1e-4,\n"
      "one thread. Plain Gibbs has few: its number is rough.");
  Mixing mixing;
  mixing.run(40);
  const double plain = mixing.effective_samples(NNP_MOVES_PLAIN) / mixing.seconds(NNP_MOVES_PLAIN);
  for (int c : {NNP_MOVES_PLAIN, NNP_MOVES_AUTOMATIC}) {
    const double samples = mixing.effective_samples(c), rate = samples / mixing.seconds(c);
    report.add({"mixing",
                c == NNP_MOVES_PLAIN ? "plain Gibbs" : "default moves",
                "1/s",
                rate,
                {{"samples", samples},
                 {"ms a step", 1e3 * mixing.seconds(c) / mixing.steps(c)},
                 {"x plain", rate / plain}}});
  }
}

}  // namespace bench
