// Small problems for tests of samplers: networks and data made from a fixed seed.
#pragma once

#include <cmath>
#include <vector>

#include "capi/common.hpp"
#include "lib/random/variates.hpp"

namespace chains {

struct Problem {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  int64_t n = 0, features = 0, outputs = 0;
  std::vector<double> x, y;

  ~Problem() {
    nnp_data_free(data);
    nnp_net_free(net);
  }
};

// features -> hidden (activation) -> outputs, with this noise in every layer. Targets are those of
// a teacher with weights from the prior, noiseless; labels are their largest or their sign.
struct Recipe {
  int64_t n = 20, features = 3, hidden = 3, outputs = 1;
  int32_t activation = NNP_RELU, head = NNP_GAUSSIAN;
  double noise = 0.1;
  uint64_t seed = 1;
};

inline std::vector<double> normals(uint64_t seed, size_t count) {
  nnp::Stream stream(seed, 99, 0);
  std::vector<double> values(count);
  for (double &v : values) v = nnp::normal(stream);
  return values;
}

// Parameters from the prior.
inline std::vector<double> teacher(const nnp::Net &net, uint64_t seed) {
  std::vector<double> params = normals(seed + 1000, static_cast<size_t>(net.param_count()));
  for (int64_t k = 1; k <= net.depth; ++k) {
    const nnp::Layer &layer = net.layer(k);
    double *w = layer.weights(params.data());
    for (int64_t i = 0; i < layer.param_count(); ++i)
      w[i] /= std::sqrt(i < layer.weight_count ? layer.lambda_w : layer.lambda_b);
  }
  return params;
}

inline void fill_targets(Problem &p, const double *params) {
  nnp_predictor *predictor = nullptr;
  nnp_predictor_create(&predictor, p.net, 1, nullptr);
  nnp_predictor_noise(predictor, NNP_FORWARD, 1, nullptr);
  p.y.resize(static_cast<size_t>(p.n * p.outputs));
  nnp_predict(predictor, p.data, params, 1, NNP_PREDICT_MEAN, p.y.data(), nullptr);
  nnp_predictor_free(predictor);
  nnp_data_set_targets(p.data, p.y.data(), NNP_ROW_MAJOR, nullptr);
  std::vector<int32_t> labels(static_cast<size_t>(p.n));
  for (size_t i = 0; i < labels.size(); ++i) {
    const double *row = p.y.data() + i * static_cast<size_t>(p.outputs);
    int32_t best = 0;
    for (int32_t c = 1; c < p.outputs; ++c)
      if (row[c] > row[best]) best = c;
    labels[i] = p.outputs > 1 ? best : row[0] >= 0 ? 1 : -1;
  }
  nnp_data_set_labels(p.data, labels.data(), nullptr);
}

// Inputs and targets for a complete network.
inline void fill_inputs(Problem &p, int64_t n, uint64_t seed) {
  p.n = n;
  p.features = nnp::unwrap(p.net)->input.size();
  p.outputs = nnp::unwrap(p.net)->outputs();
  p.x = normals(seed, static_cast<size_t>(n * p.features));
  nnp_data_create(&p.data, n, p.features, p.outputs, nullptr);
  nnp_data_set_inputs(p.data, p.x.data(), NNP_ROW_MAJOR, nullptr);
  fill_targets(p, teacher(*nnp::unwrap(p.net), seed).data());
}

inline void make(const Recipe &r, Problem &p) {
  nnp_net_create(&p.net, r.features, nullptr);
  if (r.hidden > 0) {
    nnp_net_dense(p.net, r.hidden, nullptr);
    nnp_net_activation(p.net, r.activation, nullptr);
  }
  nnp_net_dense(p.net, r.outputs, nullptr);
  nnp_net_head(p.net, r.head, nullptr);
  nnp_net_set(p.net, NNP_ALL_LAYERS, NNP_NOISE, r.noise, nullptr);
  fill_inputs(p, r.n, r.seed);
}

}  // namespace chains
