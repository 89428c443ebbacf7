// Simulation-based calibration of samplers (Talts et al. 2018): teachers from the prior, labels with
// the model's noise, and the rank of the teacher among draws of a chain that does not know it.
// Uniform for samplers that are right; not for one that is broken on purpose.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "capi/common.hpp"
#include "tests/support/geweke.hpp"
#include "tests/support/level.h"
#include "tests/support/nets.hpp"
#include "tests/support/scales.hpp"
#include "tests/support/watched.h"
extern "C" {
#include "capi/nnpost_study.h"
#include "unity.h"
}

namespace sbc {

using Options = std::vector<std::pair<int32_t, double>>;

constexpr int64_t rows = 6, draws = 19, bins = 10;

struct Sampler {
  int32_t kind = NNP_GIBBS, posterior = NNP_INTERMEDIATE;
  double moves = NNP_MOVES_PLAIN;  // of Gibbs; then the options
  Options options;
  int64_t burn_in = 60, thin = 12;  // draws are then nearly independent
  // Breaks it on purpose: this layer's noise is that many times what made the data.
  int64_t wrong_layer = 0;
  double wrong_factor = 1;
  unsigned learns = 0;  // which scales: of scales::Learn
  double shape = 4;     // of their hyperpriors
  int64_t replications = 700;
  // Breaks it on purpose: the precisions of the first layer have that many times the hyperprior's
  // mean.
  double wrong_mean = 1;
};

// Functions that see every layer: sums and sums of squares of its weights, and its first weight.
inline std::vector<double> functions_of(const nnp::Net &net, const double *params) {
  std::vector<double> f;
  for (int64_t k = 1; k <= net.depth; ++k) {
    const nnp::Layer &layer = net.layer(k);
    if (layer.weight_count == 0) continue;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < layer.weight_count; ++i) {
      sum += layer.weights(params)[i];
      square += layer.weights(params)[i] * layer.weights(params)[i];
    }
    f.insert(f.end(), {sum, square, layer.weights(params)[0]});
    if (layer.bias_count) f.push_back(layer.biases(params)[0]);
  }
  f.insert(f.end(), params + net.weight_params(), params + net.param_count());
  return f;
}

class Calibration {
 public:
  Calibration(const nets::Architecture &a, const Sampler &sampler)
      : sampler_(sampler), net_(nets::make(a)), data_(geweke::make_data(*nnp::unwrap(net_), rows)) {
    if (sampler.posterior == NNP_CLASSICAL && a.head != NNP_GAUSSIAN)
      nnp_net_set(net_, NNP_ALL_LAYERS, NNP_NOISE, 0.5, nullptr);  // there labels have a model
    if (sampler.learns) scales::learn(net_, sampler.learns, sampler.shape);
    nnp_chain_create(&chain_, net_, data_, sampler.kind, sampler.posterior, nullptr);
    set_test_level(chain_);
    if (sampler.kind == NNP_GIBBS) nnp_chain_set(chain_, NNP_OPTION_MOVES, sampler.moves, nullptr);
    for (const auto &option : sampler.options)
      nnp_chain_set(chain_, option.first, option.second, nullptr);
    if (sampler.wrong_layer)
      nnp::unwrap(chain_)->chain->state.net.layers[sampler.wrong_layer - 1].final_noise *=
          sampler.wrong_factor;
    nnp::unwrap(chain_)->chain->state.net.layers[0].learned_w.prior.mean *= sampler.wrong_mean;
    params_ = static_cast<size_t>(nnp::unwrap(net_)->param_count());
  }
  ~Calibration() {
    nnp_chain_free(chain_);
    nnp_data_free(data_);
    nnp_net_free(net_);
  }

  // The least p-value of all functions, Bonferroni.
  double p_value() {
    const int64_t replications = shortened(sampler_.replications, 10);
    std::vector<int64_t> ranks;
    for (int64_t r = 0; r < replications; ++r) {
      const std::vector<int64_t> found = replicate(static_cast<uint64_t>(r));
      ranks.insert(ranks.end(), found.begin(), found.end());
    }
    const int64_t quantities = static_cast<int64_t>(ranks.size()) / replications;
    std::vector<int64_t> counts(static_cast<size_t>(bins * quantities));
    std::vector<double> p(static_cast<size_t>(quantities));
    TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_sbc_histogram(ranks.data(), quantities, replications, draws,
                                                    bins, counts.data(), p.data(), nullptr));
    return std::min(1.0, *std::min_element(p.begin(), p.end()) * static_cast<double>(quantities));
  }

 private:
  std::vector<int64_t> replicate(uint64_t number) {
    const nnp::Net &net = *nnp::unwrap(net_);
    std::vector<double> truth(params_), sample(params_ * draws), posterior;
    nnp_teacher *teacher = nullptr;
    nnp_error err;
    nnp_teacher_create(&teacher, net_, sampler_.posterior, 11, number, nullptr);
    nnp_teacher_parameters(teacher, truth.data(), nullptr);
    TEST_ASSERT_EQUAL_INT(NNP_OK, nnp_teacher_label(teacher, data_, 1, nullptr, nullptr));
    nnp_teacher_free(teacher);
    nnp_chain_start(chain_, NNP_START_PRIOR, 12, number, nullptr);
    nnp_chain_run(chain_, shortened(sampler_.burn_in, 5), nullptr, nullptr, nullptr);
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        NNP_OK,
        nnp_chain_sample(chain_, sample.data(), draws, shortened(sampler_.thin, 2), nullptr,
                         nullptr, &err),
        err.message);
    for (int64_t s = 0; s < draws; ++s) {
      const std::vector<double> f = functions_of(net, sample.data() + s * net.param_count());
      posterior.insert(posterior.end(), f.begin(), f.end());
    }
    const std::vector<double> wanted = functions_of(net, truth.data());
    nnp_draws table;
    nnp_draws_init(&table, posterior.data(), static_cast<int64_t>(wanted.size()), draws, 1,
                   nullptr);
    std::vector<int64_t> ranks(wanted.size());
    TEST_ASSERT_EQUAL_INT(NNP_OK,
                          nnp_sbc_ranks(wanted.data(), &table, nullptr, ranks.data(), nullptr));
    return ranks;
  }

  Sampler sampler_;
  nnp_net *net_;
  nnp_data *data_;
  nnp_chain *chain_ = nullptr;
  size_t params_ = 0;
};

inline double p_value(const nets::Architecture &a, const Sampler &sampler) {
  const double p = Calibration(a, sampler).p_value();
  std::printf("hidden %d, activation %d, head %d, learned %u, sampler %d on %d: p = %.3g\n",
              a.hidden, a.activation, a.head, sampler.learns, sampler.kind, sampler.posterior, p);
  return p;
}

inline const nets::Architecture regression = {1, NNP_RELU, NNP_GAUSSIAN, true};
inline const nets::Architecture classes = {1, NNP_RELU, NNP_ARGMAX, true};
inline const nets::Architecture heavy_tails = {1, NNP_RELU, NNP_STUDENT_T,
                                               true};  // 4 degrees of freedom
inline const nets::Architecture varying_noise = {1, NNP_RELU, NNP_LOCATION_SCALE, true};

inline Sampler hmc_on(int32_t posterior) {
  Sampler sampler;
  sampler.kind = NNP_HMC;
  sampler.posterior = posterior;
  sampler.options = {
      {NNP_OPTION_STEP_SIZE, 0.3}, {NNP_OPTION_LEAPFROGS, 6}, {NNP_OPTION_JITTER, 0.3}};
  sampler.burn_in = 100;
  return sampler;
}

}  // namespace sbc
