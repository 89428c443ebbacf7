// Geweke's joint test ("Getting it right", 2004): a sampler of p(weights, sites | data) alternated
// with fresh draws of the data given everything must leave the prior of everything untouched. The
// chain's averages are compared with those of independent draws from the generative process.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "capi/common.hpp"
#include "lib/random/variates.hpp"
#include "lib/teacher/start.hpp"
#include "tests/support/level.h"
#include "tests/support/watched.h"

namespace geweke {

using Functions = std::vector<double>;

struct Setup {
  std::string name;
  nnp_net *net = nullptr;  // freed by run()
  int64_t n = 4;
  int32_t sampler = NNP_GIBBS;
  int32_t posterior = NNP_INTERMEDIATE;
  double moves = NNP_MOVES_PLAIN;  // of Gibbs; then the options
  std::vector<std::pair<int32_t, double>> options;
  int64_t steps = 20000;
  int64_t thin = 1;  // transitions between fresh data
  uint64_t seed = 1;
  // The rows are spread over the ranks of it, all of which make this run. Each of them judges the
  // weights, and the sites and data of its own rows.
  const nnp_comm *comm = nullptr;
  int64_t warmup = 0;  // steps before the test, which adapt what stays fixed in it
  // Breaks the chain on purpose: it works with another noise in this layer than the data has.
  int64_t wrong_layer = 0;
  double wrong_factor = 1;
  double wrong_freedom = 0;                // ... or with other degrees of freedom
  void (*change)(nnp::State &) = nullptr;  // ... or in any other way, before the first step
};

struct Result {
  double worst = 0;  // the largest |z|, as if it were the only one
  std::string where;
};

inline double uniform_input(int64_t i) {
  const double x = std::fmod(static_cast<double>(i + 1) * 0.6180339887498949, 1.0);
  return 3 * x - 1.5;
}

// Spread rows lie in as many blocks as they have tiles.
inline nnp_data *make_data(const nnp::Net &net, int64_t total, const nnp_comm *comm = nullptr) {
  const int64_t features = net.input.size();
  nnp_data *data = nullptr;
  nnp_rows rows = {total, 0, total, total, {}};
  if (comm) {
    nnp_rows_split(comm, total, total, &rows, nullptr);
    nnp_data_create_rows(&data, &rows, comm, features, net.targets(), nullptr);
  } else {
    nnp_data_create(&data, total, features, net.targets(), nullptr);
  }
  const int64_t n = rows.count;
  std::vector<double> x(static_cast<size_t>(n * features));
  for (int64_t i = 0; i < n * features; ++i)
    x[static_cast<size_t>(i)] = uniform_input(rows.first * features + i);
  nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr);
  std::vector<double> y(static_cast<size_t>(n * net.targets()), 0.0);
  nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr);
  std::vector<int32_t> labels(static_cast<size_t>(n), net.head.kind == nnp::HeadKind::sign ? 1 : 0);
  nnp_data_set_labels(data, labels.data(), nullptr);
  return data;
}

inline bool has_labels(const nnp::State &state) {
  return nnp::ops_of(state.net.head)->target == nnp::TargetKind::labels;
}

// Labels from scores: the largest, or the sign.
inline void label_rows(const nnp::State &state, const double *scores, int32_t *labels) {
  const int64_t width = state.net.outputs();
  for (int64_t i = 0; i < state.tiling.n; ++i) {
    int64_t best = 0;
    for (int64_t c = 1; c < width; ++c)
      if (scores[state.tiling.at(width, i, c)] > scores[state.tiling.at(width, i, best)]) best = c;
    const bool sign = state.net.head.kind == nnp::HeadKind::sign;
    labels[i] = sign ? (scores[i] >= 0 ? 1 : -1) : static_cast<int32_t>(best);
  }
}

// Row i's factor of the last noise: 1, or of a Student-t head 1/sqrt(w), w ~ Gamma(nu/2, nu/2).
inline double row_factor(const nnp::State &state, double freedom, nnp::Stream &stream) {
  if (state.net.head.kind != nnp::HeadKind::student_t) return 1;
  return std::sqrt(0.5 * freedom / nnp::gamma(stream, 0.5 * freedom));
}

// The classical posterior's outputs f of a tile, in the scratch of block 0.
inline nnp::Tile outputs_of(nnp::State &state, int64_t t) {
  nnp::ConstTile in = state.tile(0, t);
  nnp::Tile out = {};
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const nnp::Layer &layer = state.net.layer(k);
    out = {state.blocks[0].scratch[k % 2], in.rows, layer.out.size(), in.ld};
    nnp::ops_of(layer).forward(layer, state.params, in, out, *state.kernels);
    in = out;
  }
  return out;
}

// A class from the softmax of row i; for the sign head from 1/(1 + e^-f).
inline int32_t draw_class(nnp::Tile f, int64_t i, bool sign, nnp::Stream &stream) {
  const double u = stream.uniform();
  if (sign) return u < 1 / (1 + std::exp(-f.col(0)[i])) ? 1 : -1;
  double total = 0, sum = 0;
  for (int64_t c = 0; c < f.width; ++c) total += std::exp(f.col(c)[i]);
  for (int64_t c = 0; c < f.width; ++c) {
    sum += std::exp(f.col(c)[i]);
    if (u * total < sum) return static_cast<int32_t>(c);
  }
  return static_cast<int32_t>(f.width - 1);
}

// Means, then log standard deviations that 15 tanh(. / 15) bounds.
inline void draw_location_scale(nnp::Tile f, nnp::Tile y, nnp::Stream &stream) {
  for (int64_t j = 0; j < y.width; ++j)
    for (int64_t i = 0; i < y.rows; ++i) {
      const double sd = std::exp(15 * std::tanh(f.col(y.width + j)[i] / 15));
      y.col(j)[i] = f.col(j)[i] + sd * nnp::normal(stream);
    }
}

inline bool is_location_scale(const nnp::State &state) {
  return state.net.head.kind == nnp::HeadKind::location_scale;
}

// Data given weights under the classical posterior. Its likelihood of classes is a distribution
// over them only if 1/(2D) = 1.
inline void redraw_classical(nnp::State &state, nnp::Data &data, nnp::Stream &stream) {
  const double noise = state.net.layer(state.net.depth).noise;
  const bool sign = state.net.head.kind == nnp::HeadKind::sign;
  for (int64_t t = 0; t < state.tiling.tiles; ++t) {
    const nnp::Tile f = outputs_of(state, t);
    const nnp::Tile y = state.tiling.tile(data.y, data.outputs, t);
    if (is_location_scale(state)) draw_location_scale(f, y, stream);
    for (int64_t i = 0; i < f.rows && !is_location_scale(state); ++i) {
      if (has_labels(state)) {
        data.labels[t * state.tiling.ld + i] = draw_class(f, i, sign, stream);
        continue;
      }
      const double sd = std::sqrt(noise) * row_factor(state, state.net.head.values[0], stream);
      for (int64_t j = 0; j < f.width; ++j) y.col(j)[i] = f.col(j)[i] + sd * nnp::normal(stream);
    }
  }
  ++data.version;
}

// The last site and with it the data, given everything below.
inline void redraw_data(nnp::State &state, nnp::Data &data, nnp::Stream &stream) {
  if (!state.with_latents) return redraw_classical(state, data, stream);
  const int64_t m = state.net.depth, width = state.net.outputs();
  const double sd = std::sqrt(state.net.layer(m).noise);
  const bool observed = !nnp::ops_of(state.net.head)->latent;
  double *last = observed ? data.y : state.latents[m];
  for (int64_t t = 0; t < state.tiling.tiles; ++t) {
    if (is_location_scale(state)) {
      const nnp::Tile f = state.mean_tile(state.blocks[0], m, t);
      nnp::mean_of_site(state, m, t, f);
      draw_location_scale(f, state.tiling.tile(last, data.outputs, t), stream);
      continue;
    }
    const nnp::Tile site = state.tiling.tile(last, width, t);
    nnp::mean_of_site(state, m, t, site);
    std::vector<double> own(static_cast<size_t>(site.rows));
    for (double &s : own) s = sd * row_factor(state, state.net.head.values[0], stream);
    for (int64_t j = 0; j < width; ++j)
      for (int64_t i = 0; i < site.rows; ++i)
        site.col(j)[i] += own[static_cast<size_t>(i)] * nnp::normal(stream);
  }
  if (!observed) label_rows(state, last, data.labels);
  ++data.version;
}

struct Moments {
  double sum = 0, square = 0, cube = 0;
  void add(double v) {
    sum += v;
    square += v * v;
    cube += v * v * v;
  }
};

// u^2 up to 1 and flat from there: moments of sites deep in a network have tails too heavy for an
// honest standard error.
inline double bounded_square(double u) {
  return u * u / (1 + u * u);
}

inline double bounded(double u) {
  return u / std::sqrt(1 + u * u);
}

// Of an image: products of neighbouring pixels.
inline double neighbour_products(const nnp::State &state, int64_t k, double scale) {
  const int64_t width = state.net.site_width(k);
  const double *site = state.site(k);
  double sum = 0;
  for (int64_t i = 0; i < state.tiling.n; ++i)
    for (int64_t j = 1; j < width; ++j)
      sum += bounded(site[state.tiling.at(width, i, j - 1)] * site[state.tiling.at(width, i, j)] /
                     (scale * scale));
  return sum;
}

// The classical posterior has no sites: the data itself, alone and with inputs and weights.
inline void add_data_functions(const nnp::State &state, Functions &f) {
  const int64_t width = state.net.targets(), features = state.data->features;
  const bool observed = !has_labels(state);
  double sum = 0, square = 0, product = 0;
  for (int64_t i = 0; i < state.tiling.n; ++i) {
    const double y = observed ? state.data->y[state.tiling.at(width, i, 0)]
                              : static_cast<double>(state.data->labels[i]);
    sum += bounded(y);
    square += bounded_square(y);
    product += bounded(y * state.data->x[state.tiling.at(features, i, 0)]);
  }
  f.insert(f.end(), {sum, square, product});
  for (int64_t k = 1; k <= state.net.depth; ++k)
    if (state.net.layer(k).weight_count)
      f.push_back(product * state.net.layer(k).weights(state.params)[0]);
}

// Learned scales, alone, with a weight of every layer and with the data.
inline void add_scale_functions(const nnp::State &state, Functions &f) {
  const nnp::Net &net = state.net;
  const double y = has_labels(state) ? 0 : state.data->y[0];
  for (int64_t i = net.weight_params(); i < net.param_count(); ++i) {
    const double x = std::log(state.params[i]);
    f.insert(f.end(), {x, x * x, x * bounded_square(y)});
    for (int64_t k = 1; k <= net.depth; ++k) {
      if (net.layer(k).weight_count == 0) continue;
      const double w = net.layer(k).weights(state.params)[0];
      f.push_back(x * bounded_square(w));
      if (net.layer(k).bias_count > 0)
        f.push_back(x * bounded_square(net.layer(k).biases(state.params)[0]));
    }
  }
}

// Averages of weights, biases and sites and of their squares, layer by layer, and products of
// neighbouring sites: enough to see a wrong mean, scale or correlation anywhere.
inline Functions functions_of(const nnp::State &state) {
  Functions f;
  for (int64_t k = 1; k <= state.net.depth; ++k) {
    const nnp::Layer &layer = state.net.layer(k);
    Moments w, b;
    for (int64_t i = 0; i < layer.weight_count; ++i) w.add(layer.weights(state.params)[i]);
    for (int64_t i = 0; i < layer.bias_count; ++i) b.add(layer.biases(state.params)[i]);
    if (layer.weight_count) f.insert(f.end(), {w.sum, w.square, w.cube});
    if (layer.bias_count) f.insert(f.end(), {b.sum, b.square});
    if (!state.with_latents) continue;
    const double *site = state.site(k), *below = state.site(k - 1);
    const int64_t width = state.site_columns(k), width_below = state.net.site_width(k - 1);
    const double scale = std::sqrt(1 + layer.noise);
    double sum = 0, square = 0, product = 0;
    for (int64_t i = 0; i < state.tiling.n; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        const double value = site[state.tiling.at(width, i, j)] / scale;
        sum += bounded(value);
        square += bounded_square(value);
      }
      product += bounded(site[state.tiling.at(width, i, 0)] / scale *
                         below[state.tiling.at(width_below, i, 0)]);
    }
    f.insert(f.end(), {sum, square, product});
    if (layer.out.height * layer.out.width > 1) f.push_back(neighbour_products(state, k, scale));
    if (layer.weight_count) f.push_back(product * layer.weights(state.params)[0]);
  }
  if (!state.with_latents) add_data_functions(state, f);
  add_scale_functions(state, f);
  return f;
}

// Mean and standard error of each function: over independent draws, or over batches of a chain.
class Averages {
 public:
  Averages(int64_t count, int64_t batches) : length_(count / batches) {}

  void add(const Functions &f) {
    if (current_.empty()) current_.assign(f.size(), 0.0);
    for (size_t i = 0; i < f.size(); ++i) current_[i] += f[i];
    if (++filled_ < length_) return;
    for (double &v : current_) v /= static_cast<double>(length_);
    means_.push_back(current_);
    current_.clear();
    filled_ = 0;
  }
  size_t size() const { return means_[0].size(); }
  double batches() const { return static_cast<double>(means_.size()); }
  double mean(size_t i) const {
    double sum = 0;
    for (const Functions &m : means_) sum += m[i];
    return sum / static_cast<double>(means_.size());
  }
  double variance_of_mean(size_t i) const {
    const double centre = mean(i), count = static_cast<double>(means_.size());
    double sum = 0;
    for (const Functions &m : means_) sum += (m[i] - centre) * (m[i] - centre);
    return sum / (count - 1) / count;
  }

 private:
  int64_t length_, filled_ = 0;
  Functions current_;
  std::vector<Functions> means_;
};

// The normal score of |t|, Student's with this many degrees of freedom (Wallace 1959).
inline double normal_score(double t, double freedom) {
  return (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
}

// |z| that one number alone exceeds as often as the largest of `count` numbers exceeds this one:
// some eighty functions a run would each have their own one in ten thousand.
inline double as_of_one(double largest, size_t count) {
  const double probability = static_cast<double>(count) * std::erfc(largest / std::sqrt(2.0));
  double low = 0, high = largest;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return largest > 30 ? largest : high;
}

inline Result compare(const Averages &chain, const Averages &independent) {
  Result result;
  for (size_t i = 0; i < chain.size(); ++i) {
    const double difference = chain.mean(i) - independent.mean(i);
    const double variance = chain.variance_of_mean(i) + independent.variance_of_mean(i);
    if (variance == 0 && difference == 0) continue;
    const double t = difference / std::sqrt(variance), freedom = chain.batches() - 1;
    const double z = std::isfinite(t) ? normal_score(std::fabs(t), freedom) : 1e9;
    if (z <= result.worst) continue;
    result.worst = z;
    char text[160];
    std::snprintf(text, sizeof text, "function %zu: chain %.5g, independent %.5g, |z| = %.2f", i,
                  chain.mean(i), independent.mean(i), z);
    result.where = text;
  }
  result.worst = as_of_one(result.worst, chain.size());
  return result;
}

// Everything from the generative process: weights, sites, data.
inline void generate(nnp::State &state, nnp::Data &data, nnp::Stream &stream) {
  nnp::draw_prior_params(state);
  const int64_t last = state.last_latent;
  state.last_latent = std::min(last, state.net.depth - 1);  // scores and labels come below
  nnp::fill_sites(state, true);
  state.last_latent = last;
  redraw_data(state, data, stream);
}

// Fresh data would hide a sampler that steps over the boundary between labels.
inline bool scores_agree(const nnp::State &state) {
  if (state.last_latent < state.net.depth) return true;
  const nnp::HeadOps &head = *nnp::ops_of(state.net.head);
  for (int64_t t = 0; t < state.tiling.tiles; ++t)
    for (int64_t i = 0; i < state.tiling.rows(t); ++i)
      if (!head.feasible(state.labels(t), state.tile(state.net.depth, t), i)) return false;
  return true;
}

inline Result run(const Setup &setup) {
  const int64_t steps = shortened(setup.steps, 15), batches = shortened(100, 5);
  nnp_data *data = make_data(*nnp::unwrap(setup.net), setup.n, setup.comm);
  nnp_chain *chain = nullptr;
  nnp_error err;
  Result failed;
  failed.worst = 1e9;
  if (nnp_chain_create(&chain, setup.net, data, setup.sampler, setup.posterior, &err)) {
    failed.where = err.message;
    return failed;
  }
  set_test_level(chain);
  if (setup.sampler == NNP_GIBBS) nnp_chain_set(chain, NNP_OPTION_MOVES, setup.moves, nullptr);
  for (const auto &option : setup.options)
    if (nnp_chain_set(chain, option.first, option.second, &err)) failed.where = err.message;
  if (!failed.where.empty()) return failed;  // else the test would be of something else
  nnp_chain_start(chain, NNP_START_PRIOR, setup.seed, 0, nullptr);
  if (setup.warmup > 0 && nnp_chain_run(chain, setup.warmup, nullptr, nullptr, &err)) {
    failed.where = err.message;
    return failed;
  }
  nnp::State &state = nnp::unwrap(chain)->chain->state;
  if (setup.change) setup.change(state);
  nnp::Data &rows = *nnp::unwrap(data);
  nnp::Stream stream(setup.seed, 1, static_cast<uint64_t>(rows.tiling.block_offset));
  Averages independent(steps, batches), dependent(steps, batches);
  for (int64_t s = 0; s < steps; ++s) {
    generate(state, rows, stream);
    independent.add(functions_of(state));
  }
  nnp::Layer *wrong = setup.wrong_layer ? state.net.layers + setup.wrong_layer - 1 : nullptr;
  for (int64_t s = 0; s < steps; ++s) {
    const nnp::Head head = state.net.head;
    if (setup.wrong_freedom > 0) state.net.head.values[0] = setup.wrong_freedom;
    if (wrong) wrong->noise *= setup.wrong_factor;
    if (nnp_chain_run(chain, setup.thin, nullptr, nullptr, &err)) {
      failed.where = err.message;
      break;
    }
    if (wrong) wrong->noise /= setup.wrong_factor;
    state.net.head = head;
    if (!scores_agree(state)) {
      failed.where = "scores contradict their labels";
      if (setup.comm) setup.comm->abort(failed.where.c_str(), setup.comm->user);
      break;
    }
    redraw_data(state, rows, stream);
    dependent.add(functions_of(state));
  }
  if (failed.where.empty()) {
    failed = compare(dependent, independent);
    if (only_watched())
      failed.worst = wrong || setup.wrong_freedom > 0 ? 1e9 : 0;  // no verdict: as expected
  }
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(setup.net);
  return failed;
}

}  // namespace geweke
