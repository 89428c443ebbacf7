// Milliseconds a gradient takes, beside the three matrix products that one of the classical
// posterior cannot do without (inputs by weights, errors back to the hidden layer, inputs by
// errors), by the library's kernels and by the BLAS in the same race. For deep networks: beside all
// of their products, each by the fastest routine (Floor), and with two threads.
#pragma once

#include <cblas.h>

#include "lib/posterior/gradient.hpp"
#include "tests/bench/floor.hpp"
#include "tests/bench/harness.hpp"
#include "tests/support/chains.hpp"

namespace bench {

using nnp::ConstTile;
using nnp::Tile;

// Hidden layers of one width.
struct Deep {
  int64_t n, features, width, depth;
  int32_t activation;
};

inline void make(const Deep &deep, chains::Problem &problem) {
  nnp_net_create(&problem.net, deep.features, nullptr);
  for (int64_t k = 0; k < deep.depth; ++k) {
    nnp_net_dense(problem.net, deep.width, nullptr);
    nnp_net_activation(problem.net, deep.activation, nullptr);
  }
  nnp_net_dense(problem.net, 1, nullptr);
  nnp_net_head(problem.net, NNP_GAUSSIAN, nullptr);
  chains::fill_inputs(problem, deep.n, 1);
}

// A state and all that gradients need.
class Subject {
 public:
  template <class Description>
  Subject(const Description &description, bool with_latents) {
    make(description, problem_);
    nnp::Arena counter;
    layout(counter, with_latents);
    memory_.resize(counter.used() / sizeof(double) + 8, 0.0);
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    nnp::Arena arena(memory_.data() + (64 - address % 64) % 64 / 8, counter.used());
    layout(arena, with_latents);
    const std::vector<double> start = chains::normals(3, static_cast<size_t>(state.position_size));
    for (size_t i = 0; i < start.size(); ++i) state.params[i] = 0.1 * start[i];
  }
  void gradient() { nnp::density_and_gradient(state, work_, state.params, gradient_); }
  void single_gradient() { nnp::single_gradient(state, work_, state.params, gradient_); }
  void density() { nnp::density_alone(state, work_, state.params); }

  nnp::State state;
  chains::Problem problem_;

 private:
  void layout(nnp::Arena &arena, bool with_latents) {
    nnp::state_layout(arena, *nnp::unwrap(problem_.net), *nnp::unwrap(problem_.data), with_latents,
                      state);
    nnp::gradient_layout(arena, state, work_);
    nnp::single_layout(arena, state, work_);
    gradient_ = arena.take<double>(state.position_size);
  }

  nnp::GradientWork work_ = {};
  double *gradient_ = nullptr;
  std::vector<double> memory_;
};

// The same three products.
class Products {
 public:
  Products(const nnp::State &state, const chains::Recipe &recipe)
      : state_(state),
        d_(recipe.features),
        h_(recipe.hidden),
        o_(recipe.outputs),
        rows_(state.tiling.tiles * state.tiling.ld),
        x_(chains::normals(1, size(rows_ * d_))),
        w_(chains::normals(2, size(d_ * h_))),
        hidden_(size(rows_ * h_)),
        errors_(chains::normals(3, size(rows_ * o_))),
        v_(chains::normals(4, size(h_ * o_))),
        gradient_(size(d_ * h_)) {}

  // Tile by tile, as the library does it.
  void kernels() {
    const nnp::Kernels &k = *state_.kernels;
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    for (int64_t t = 0; t < state_.tiling.tiles; ++t) {
      const ConstTile x = state_.tiling.tile(state_.data->x, d_, t);
      const Tile hidden = {hidden_.data(), x.rows, h_, x.ld};
      const ConstTile errors = {errors_.data(), x.rows, o_, x.ld};
      k.multiply(x, w_.data(), nullptr, hidden);
      k.multiply_transposed(errors, v_.data(), hidden);
      k.add_cross(x, hidden, gradient_.data(), d_);
    }
  }
  // Whole matrices.
  void blas() {
    const int n = static_cast<int>(state_.tiling.n), d = static_cast<int>(d_);
    const int h = static_cast<int>(h_), o = static_cast<int>(o_), ld = static_cast<int>(rows_);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, h, d, 1, x_.data(), ld, w_.data(), d,
                0, hidden_.data(), ld);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, h, o, 1, errors_.data(), ld, v_.data(),
                h, 0, hidden_.data(), ld);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, d, h, n, 1, x_.data(), ld, hidden_.data(),
                ld, 0, gradient_.data(), d);
  }

 private:
  static size_t size(int64_t count) { return static_cast<size_t>(count); }

  const nnp::State &state_;
  int64_t d_, h_, o_, rows_;
  std::vector<double> x_, w_, hidden_, errors_, v_, gradient_;
};

inline void add_gradient(Report &report, const char *name, const chains::Recipe &recipe) {
  Subject classical(recipe, false), intermediate(recipe, true);
  Products products(classical.state, recipe);
  Race race(Clock::own_thread);
  const int gradient = race.add([&] { classical.gradient(); });
  const int kernels = race.add([&] { products.kernels(); });
  const int blas = race.add([&] { products.blas(); });
  const int latents = race.add([&] { intermediate.gradient(); });
  race.run(2);
  const double ms = 1e3 * race.best(gradient);
  report.add({"gradient",
              name,
              "ms",
              ms,
              {{"3 kernels", 1e3 * race.best(kernels)},
               {"ratio", race.best(gradient) / race.best(kernels)},
               {"3 dgemm", 1e3 * race.best(blas)},
               {"ratio dgemm", race.best(gradient) / race.best(blas)},
               {"with sites", 1e3 * race.best(latents)}}});
}

inline void add_products(Floor &floor, const Deep &d) {
  for (int64_t k = 0; k <= d.depth; ++k) {
    const int64_t in = k == 0 ? d.features : d.width, out = k == d.depth ? 1 : d.width;
    floor.add(Product::forward, d.n, in, out);
    floor.add(Product::cross, d.n, in, out);
    if (k > 0) floor.add(Product::transposed, d.n, in, out);
  }
}

inline void add_deep_gradient(Report &report, const char *name, const Deep &deep) {
  Subject subject(deep, false);
  Race race(Clock::own_thread);
  const int gradient = race.add([&] { subject.gradient(); });
  Floor floor(race, nullptr);
  add_products(floor, deep);
  race.run(3);
  report.add(
      {"gradient",
       name,
       "ms",
       1e3 * race.best(gradient),
       {{"products", 1e3 * floor.products()}, {"ratio", race.best(gradient) / floor.products()}}});
}

// A gradient in single precision, and a density alone: HMC needs the first at every leapfrog and the
// second once per step, NUTS both at every leapfrog.
inline void add_single_gradient(Report &report, const char *name, const Deep &deep) {
  Subject subject(deep, false);
  Race race(Clock::own_thread);
  const int gradient = race.add([&] { subject.gradient(); });
  const int single = race.add([&] { subject.single_gradient(); });
  const int density = race.add([&] { subject.density(); });
  race.run(3);
  const double ms = race.best(single), both = ms + race.best(density);
  report.add({"gradient",
              name,
              "ms",
              1e3 * ms,
              {{"in doubles", 1e3 * race.best(gradient)},
               {"times", race.best(gradient) / ms},
               {"density", 1e3 * race.best(density)},
               {"times both", race.best(gradient) / both}}});
}

// Elapsed time, so the machine must be quiet.
inline void add_shared_gradient(Report &report, const char *name, const Deep &deep) {
  Subject subject(deep, false);
  nnp_pool *pool = nullptr;
  if (nnp_pool_create(&pool, 2, nullptr) != NNP_OK) return;
  Race race(Clock::elapsed);
  const int alone = race.add([&] {
    subject.state.pool = nullptr;
    subject.gradient();
  });
  const int shared = race.add([&] {
    subject.state.pool = nnp::unwrap(pool);
    subject.gradient();
  });
  race.run(3);
  report.add(
      {"gradient",
       name,
       "ms",
       1e3 * race.best(shared),
       {{"one thread", 1e3 * race.best(alone)}, {"times", race.best(alone) / race.best(shared)}}});
  nnp_pool_free(pool);
}

inline void bench_deep_gradients(Report &report) {
  report.title("ms a gradient of the classical posterior, beside its products, one thread");
  add_deep_gradient(report, "n=1200, 5-16-16-16-16-1 tanh", {1200, 5, 16, 4, NNP_TANH});
  add_deep_gradient(report, "n=1200, 5-16-16-16-16-1 relu", {1200, 5, 16, 4, NNP_RELU});
  add_deep_gradient(report, "n=5000, 100-64-64-64-1 relu", {5000, 100, 64, 3, NNP_RELU});
  report.title("ms a gradient in single precision, one thread");
  add_single_gradient(report, "n=1200, 5-16-16-16-16-1 tanh", {1200, 5, 16, 4, NNP_TANH});
  add_single_gradient(report, "n=1200, 5-16-16-16-16-1 relu", {1200, 5, 16, 4, NNP_RELU});
  add_single_gradient(report, "n=2084, 50-10-1 relu", {2084, 50, 10, 1, NNP_RELU});
  add_single_gradient(report, "n=5000, 100-64-64-64-1 relu", {5000, 100, 64, 3, NNP_RELU});
  add_single_gradient(report, "n=5000, 100-256-256-256-1 relu", {5000, 100, 256, 3, NNP_RELU});
  add_single_gradient(report, "n=5000, 100-256-256-256-1 tanh", {5000, 100, 256, 3, NNP_TANH});
  report.title("ms a gradient with two threads, elapsed");
  add_shared_gradient(report, "n=5000, 5-16-16-16-16-1 tanh", {5000, 5, 16, 4, NNP_TANH});
  add_shared_gradient(report, "n=20000, 5-16-16-16-16-1 relu", {20000, 5, 16, 4, NNP_RELU});
  add_shared_gradient(report, "n=5000, 100-64-64-64-1 relu", {5000, 100, 64, 3, NNP_RELU});
}

inline void bench_gradients(Report &report) {
  report.title("ms a gradient of the classical posterior (last: of the intermediate), one thread");
  chains::Recipe recipe;
  recipe.n = 2084;
  recipe.features = 50;
  recipe.hidden = 10;
  add_gradient(report, "n=2084, 50-10-1 relu", recipe);
  recipe.activation = NNP_TANH;
  add_gradient(report, "n=2084, 50-10-1 tanh", recipe);
  recipe.activation = NNP_RELU;
  recipe.n = 60000;
  recipe.features = 784;
  recipe.hidden = 12;
  recipe.outputs = 10;
  recipe.head = NNP_ARGMAX;
  add_gradient(report, "n=60000, 784-12-10 relu, argmax", recipe);
  bench_deep_gradients(report);
}

}  // namespace bench
