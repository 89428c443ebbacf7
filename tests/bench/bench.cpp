// How fast the library is on this machine: nanoseconds a variate, milliseconds a Gibbs step and a
// gradient beside the floors under them. All that is compared runs in turn; the best slice of each
// counts.
// Usage: bench [out.json [group…]]     groups: variates, gibbs, pairs, images, levels, gradient,
//                                      wide, mixing, scaling, defaults (default: all)
#include <algorithm>
#include <cstring>
#include <fstream>

#include "capi/nnpost.h"
#include "lib/base/arena.hpp"
#include "lib/linalg/blas.hpp"
#include "lib/network/activations.hpp"
#include "lib/random/wide.hpp"
#include "tests/bench/defaults.hpp"
#include "tests/bench/floor.hpp"
#include "tests/bench/gradient.hpp"
#include "tests/bench/harness.hpp"
#include "tests/bench/images.hpp"
#include "tests/bench/levels.hpp"
#include "tests/bench/mixing.hpp"
#include "tests/bench/scaling.hpp"
#include "tests/bench/wide.hpp"
#include "tests/support/tables.hpp"

namespace {

using bench::Clock;
using bench::Race;
using bench::Report;
using nnp::Stream;

nnp_error err;

void check(int32_t status) {
  if (status == NNP_OK) return;
  std::fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  std::exit(1);
}

// ---- variates --------------------------------------------------------------------------------

constexpr int64_t batch = 4096;

struct Variates {
  std::vector<std::string> names;
  Race race{Clock::own_thread, 1e-3};
  std::vector<double> out = std::vector<double>(batch);
  Stream stream{1, 0, 0};

  template <class Draw>
  void add(const std::string &name, const Draw &draw) {
    names.push_back(name);
    race.add([this, draw] {
      Stream local = stream;
      for (int64_t i = 0; i < batch; ++i) out[static_cast<size_t>(i)] = draw(local);
      stream = local;
      bench::keep(out.data());
    });
  }
};

// Means and targets as a network has them: m ~ N(0, 1), z = m + noise, x = sigma(z) + noise.
struct Conditional {
  nnp::Pieces pieces;
  double noise;
  std::vector<double> m, x;

  Conditional(nnp::Activation activation, double noise_)
      : pieces(nnp::pieces_of(activation, 0.01)), noise(noise_), m(batch), x(batch) {
    Stream stream(2, 0, 0);
    const double sd = std::sqrt(noise);
    for (size_t i = 0; i < m.size(); ++i) {
      m[i] = nnp::normal(stream);
      x[i] = nnp::apply(pieces, m[i] + sd * nnp::normal(stream)) + sd * nnp::normal(stream);
    }
  }
};

void add_conditional(Variates &v, const char *name, nnp::Activation activation, double noise) {
  char label[64];
  std::snprintf(label, sizeof label, "%s conditional, D = %g", name, noise);
  v.names.push_back(label);
  v.race.add([&v, c = Conditional(activation, noise)] {
    nnp::draw_piecewise(c.pieces, c.m.data(), c.noise, c.x.data(), c.noise, batch, v.stream,
                        v.out.data(), *nnp::best_draw_kernels());
    bench::keep(v.out.data());
  });
}

// The words that all SIMD draws are made of, at the level in use.
void (*best_words())(nnp::Wide &, uint64_t *, int64_t) {
  const std::string level = nnp::best_draw_kernels()->name;
#if defined(NNP_HAVE_AVX512)
  if (level == "avx512") return nnp::wide_words_avx512;
#endif
#if defined(NNP_HAVE_AVX2)
  if (level == "avx2") return nnp::wide_words_avx2;
#endif
  return nnp::wide_words_portable;
}

void bench_variates(Report &report) {
  Variates v;
  v.add("uniform", [](Stream &s) { return s.uniform(); });
  v.names.push_back("word, in arrays");
  v.race.add([&v, words = std::vector<uint64_t>(batch)]() mutable {
    best_words()(v.stream.wide, words.data(), batch);
    bench::keep(words.data());
  });
  const size_t plain = v.names.size();
  v.names.push_back("normal");
  v.race.add([&v] {
    nnp::fill_normal(v.stream, v.out.data(), batch);
    bench::keep(v.out.data());
  });
  v.add("exponential", [](Stream &s) { return nnp::exponential(s); });
  v.add("gamma, shape 2.5", [](Stream &s) { return nnp::gamma(s, 2.5); });
  v.add("normal beyond 0 sd", [](Stream &s) { return nnp::truncated_excess(s, 0); });
  v.add("normal beyond 2 sd", [](Stream &s) { return nnp::truncated_excess(s, 2); });
  v.add("normal beyond 6 sd", [](Stream &s) { return nnp::truncated_excess(s, 6); });
  for (double noise : {4.64e-4, 1.0}) {
    add_conditional(v, "relu", nnp::Activation::relu, noise);
    add_conditional(v, "leaky relu", nnp::Activation::leaky_relu, noise);
    add_conditional(v, "abs", nnp::Activation::abs, noise);
    add_conditional(v, "sign", nnp::Activation::sign, noise);
    add_conditional(v, "hard tanh", nnp::Activation::hard_tanh, noise);
  }
  v.race.run(3);
  report.title("ns a variate, one thread, and that over its floor: a plain normal in arrays");
  for (size_t i = 0; i < v.names.size(); ++i) {
    const double seconds = v.race.best(static_cast<int>(i));
    report.add({"variates",
                v.names[i],
                "ns",
                1e9 * seconds / static_cast<double>(batch),
                {{"over normal", seconds / v.race.best(static_cast<int>(plain))}}});
  }
}

// ---- Gibbs steps -----------------------------------------------------------------------------

// inputs -> hidden relu -> outputs, with biases; regression if there is one output, else classes.
struct Mlp {
  const char *name;
  int64_t n, inputs, hidden, outputs;
  double noise;
  double authors_ms;  // a step of the authors' PyTorch code, one thread, this kind of machine
};

const Mlp mlps[] = {{"n=2084, 50-10-1 relu", 2084, 50, 10, 1, 4.64e-4, 6.1},
                    {"n=60000, 784-12-10 relu, argmax", 60000, 784, 12, 10, 2, 343}};

nnp_net *make_net(const Mlp &mlp) {
  nnp_net *net;
  check(nnp_net_create(&net, mlp.inputs, &err));
  check(nnp_net_dense(net, mlp.hidden, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, mlp.outputs, &err));
  check(nnp_net_head(net, mlp.outputs == 1 ? NNP_GAUSSIAN : NNP_ARGMAX, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, mlp.noise, &err));
  return net;
}

std::vector<double> prior_draw(const nnp_net *net, Stream &stream) {
  int64_t count, layers;
  check(nnp_net_parameters(net, &count, &err));
  check(nnp_net_layers(net, &layers, &err));
  std::vector<double> params(static_cast<size_t>(count));
  for (int64_t k = 1; k <= layers; ++k) {
    int64_t first, weights, biases;
    double lambda;
    check(nnp_net_layer(net, k, &first, &weights, &biases, &err));
    if (weights == 0) continue;
    check(nnp_net_get(net, k, NNP_LAMBDA_W, &lambda, &err));
    for (int64_t i = 0; i < weights + biases; ++i)
      params[static_cast<size_t>(first + i)] = nnp::normal(stream) / std::sqrt(lambda);
  }
  return params;
}

// Standard normal inputs, targets or labels of the teacher without noise.
nnp_data *make_data(const Mlp &mlp, const nnp_net *net, const std::vector<double> &teacher,
                    Stream &stream) {
  nnp_data *data;
  nnp_predictor *predictor;
  std::vector<double> x(static_cast<size_t>(mlp.n * mlp.inputs));
  std::vector<double> y(static_cast<size_t>(mlp.n * mlp.outputs));
  nnp::fill_normal(stream, x.data(), mlp.n * mlp.inputs);
  check(nnp_data_create(&data, mlp.n, mlp.inputs, mlp.outputs, &err));
  check(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err));
  check(nnp_predictor_create(&predictor, net, 1, &err));
  check(nnp_predictor_noise(predictor, NNP_FORWARD, 1, &err));
  check(nnp_predict(predictor, data, teacher.data(), 1, NNP_PREDICT_MEAN, y.data(), &err));
  nnp_predictor_free(predictor);
  if (mlp.outputs == 1) {
    check(nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, &err));
    return data;
  }
  std::vector<int32_t> labels(static_cast<size_t>(mlp.n));
  for (size_t i = 0; i < labels.size(); ++i) {
    const double *scores = y.data() + i * static_cast<size_t>(mlp.outputs);
    labels[i] = static_cast<int32_t>(std::max_element(scores, scores + mlp.outputs) - scores);
  }
  check(nnp_data_set_labels(data, labels.data(), &err));
  return data;
}

nnp_chain *make_chain(const nnp_net *net, const nnp_data *data, const std::vector<double> &params,
                      int64_t settle) {
  nnp_chain *chain;
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  check(nnp_chain_start_weights(chain, params.data(), 1, 1, 0, &err));
  check(nnp_chain_run(chain, settle, nullptr, nullptr, &err));
  return chain;
}

// A pool of the core, for the floor. Null for one thread.
struct Team {
  std::vector<char> memory;
  nnp::Pool *pool = nullptr;

  explicit Team(int64_t threads) {
    if (threads < 2) return;
    nnp::Arena counting;
    nnp::pool_layout(counting, threads);
    memory.resize(counting.used() + 64);
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    nnp::Arena arena(memory.data() + (64 - address % 64) % 64, counting.used());
    pool = nnp::pool_layout(arena, threads);
    if (nnp::pool_open(pool, threads, nullptr) != nnp::Status::ok) std::exit(1);
  }
  ~Team() {
    if (pool) nnp::pool_close(pool);
  }
};

void add_floor(bench::Floor &floor, const Mlp &mlp) {
  using bench::Product;
  floor.add(Product::forward_and_cross, mlp.n, mlp.inputs, mlp.hidden);
  floor.add(Product::gram, mlp.n, mlp.hidden, mlp.outputs);
  floor.add(Product::cross, mlp.n, mlp.hidden, mlp.outputs);
  floor.add(Product::transposed, mlp.n, mlp.hidden, mlp.outputs);
  if (mlp.outputs > 1) {  // else the covariance is a rank-one matter, and the outputs are observed
    floor.add(Product::triangular, mlp.n, mlp.hidden, mlp.outputs);
    floor.add(Product::forward, mlp.n, mlp.hidden, mlp.outputs);
  }
  const int64_t latents = 2 * mlp.hidden + (mlp.outputs > 1 ? mlp.outputs : 0);
  const int64_t weights = (mlp.inputs + 1) * mlp.hidden + (mlp.hidden + 1) * mlp.outputs;
  floor.add_normals(mlp.n * latents + weights, nnp::Tiling::of(mlp.n).blocks);
}

void bench_step(Report &report, const Mlp &mlp, nnp_chain *chain, int64_t threads) {
  Race race(threads == 1 ? Clock::own_thread : Clock::elapsed);
  Team team(threads);
  nnp_pool *pool = nullptr;
  if (threads > 1) check(nnp_pool_create(&pool, threads, &err));
  check(nnp_chain_use_pool(chain, pool, &err));
  const int step = race.add([=] { check(nnp_chain_run(chain, 1, nullptr, nullptr, &err)); });
  bench::Floor floor(race, team.pool);
  add_floor(floor, mlp);
  race.run(6, 7);
  const double ms = 1e3 * race.best(step);
  const double products = 1e3 * floor.products(), normals = 1e3 * floor.normals();
  report.add({"gibbs",
              std::string(mlp.name) + (threads == 1 ? ", 1 thread" : ", 2 threads"),
              "ms",
              ms,
              {{"floor", products + normals},
               {"products", products},
               {"normals", normals},
               {"over floor", ms / (products + normals)},
               {"x authors'", mlp.authors_ms / ms}}});
  check(nnp_chain_use_pool(chain, nullptr, &err));
  nnp_pool_free(pool);
}

// How much more two chains do side by side than one.
void bench_pair(Report &report, const Mlp &mlp, nnp_chain *const chains[2]) {
  constexpr int64_t steps = 20;  // a call
  Race race(Clock::elapsed);
  nnp_pool *pool = nullptr;
  check(nnp_pool_create(&pool, 2, &err));
  const int one = race.add([=] { check(nnp_chain_run(chains[0], steps, nullptr, nullptr, &err)); });
  const int both = race.add([=] {
    check(nnp_chain_use_pool(chains[0], pool, &err));
    check(nnp_chains_run(chains, 2, steps, nullptr, nullptr, &err));
    check(nnp_chain_use_pool(chains[0], nullptr, &err));
  });
  race.run(3);
  report.add({"pairs",
              mlp.name,
              "ms",
              1e3 * race.best(both) / steps,
              {{"one chain", 1e3 * race.best(one) / steps},
               {"gain", 2 * race.best(one) / race.best(both)}}});
  nnp_pool_free(pool);
}

void bench_pairs(Report &report) {
  report.title("ms a step of each of two chains on two threads, and what that gains over one.");
  const Mlp &mlp = mlps[0];
  Stream stream(3, 0, 0);
  nnp_net *net = make_net(mlp);
  const std::vector<double> teacher = prior_draw(net, stream);
  nnp_data *data = make_data(mlp, net, teacher, stream);
  nnp_chain *const chains[] = {make_chain(net, data, teacher, 500),
                               make_chain(net, data, teacher, 500)};
  bench_pair(report, mlp, chains);
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
}

void bench_gibbs(Report &report) {
  report.title(
      "ms a Gibbs step. floor: its products by the fastest routine + one plain normal a variate.\n"
      "x authors': times the speed of their PyTorch code (one thread on this kind of machine: 6.1\n"
      "and 343 ms, quoted, not measured here).");
  for (const Mlp &mlp : mlps) {
    Stream stream(3, 0, 0);
    nnp_net *net = make_net(mlp);
    const std::vector<double> teacher = prior_draw(net, stream);
    nnp_data *data = make_data(mlp, net, teacher, stream);
    nnp_chain *chain = make_chain(net, data, teacher, mlp.n > 10000 ? 10 : 500);
    for (int64_t threads : {1, 2}) bench_step(report, mlp, chain, threads);
    nnp_chain_free(chain);
    nnp_data_free(data);
    nnp_net_free(net);
  }
}

// ---- SIMD levels -----------------------------------------------------------------------------

void bench_levels(Report &report) {
  report.title("ms a Gibbs step by SIMD level, one thread (nan: not on this machine).");
  Stream stream(3, 0, 0);
  nnp_net *nets[] = {make_net(mlps[0]), bench::image_mlp(), bench::image_cnn()};
  nnp_data *synthetic = make_data(mlps[0], nets[0], prior_draw(nets[0], stream), stream);
  bench::add_levels(report, mlps[0].name, nets[0], synthetic, 500, 3);
  nnp_data_free(synthetic);
  const bench::Images images(60000);
  const struct {
    const char *name;
    int32_t store;
  } rows[] = {{"784-12-10 relu, sparse", NNP_STORE_SPARSE},
              {"conv pool relu dense, bytes", NNP_STORE_BYTES}};
  for (int i = 0; i < 2; ++i) {
    nnp_data *data = images.data(rows[i].store);
    bench::add_levels(report, rows[i].name, nets[i + 1], data, 3, 6);
    nnp_data_free(data);
  }
  for (nnp_net *net : nets) nnp_net_free(net);
}

// ---- all of it -------------------------------------------------------------------------------

struct Group {
  const char *name;
  void (*run)(Report &);
};

const Group groups[] = {{"variates", bench_variates},
                        {"gibbs", bench_gibbs},
                        {"pairs", bench_pairs},
                        {"images", bench::bench_images},
                        {"levels", bench_levels},
                        {"gradient", bench::bench_gradients},
                        {"wide", bench::bench_wide},
                        {"mixing", bench::bench_mixing},
                        {"scaling", bench::bench_scaling},
                        {"defaults", bench::bench_defaults}};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 10, "model name") == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

// The lines "key: value" of the library's build info.
void add_build_facts(Report &report) {
  char info[1024];
  check(nnp_build_info(info, sizeof info, &err));
  for (char *line = std::strtok(info, "\n"); line; line = std::strtok(nullptr, "\n")) {
    const std::string text = line;
    const size_t colon = text.find(": ");
    if (colon != std::string::npos) report.fact(text.substr(0, colon), text.substr(colon + 2));
  }
  report.fact("processor", processor());
}

bool wanted(const Group &group, int argc, char **argv) {
  for (int i = 2; i < argc; ++i)
    if (std::strcmp(argv[i], group.name) == 0) return true;
  return argc <= 2;
}

}  // namespace

int main(int argc, char **argv) {
  Report report;
  nnp::blas_single_thread();
  add_build_facts(report);
  for (const Group &group : groups)
    if (wanted(group, argc, argv)) group.run(report);
  if (argc < 2) return 0;
  if (!report.write_json(argv[1])) {
    std::perror(argv[1]);
    return 1;
  }
  std::printf("\nwrote %s\n", argv[1]);
  return 0;
}
