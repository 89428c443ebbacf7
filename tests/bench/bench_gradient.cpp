// Milliseconds a gradient of the classical posterior takes, beside the three matrix products it
// cannot do without (inputs by weights, errors back to the hidden layer, inputs by errors), done by
// the library's kernels and by the BLAS in the same run. One thread; the best of many runs, taken in
// turn. Usage: bench_gradient [seconds a network takes, default 2]
#include <cblas.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lib/linalg/blas_info.hpp"
#include "lib/sampler/flow.hpp"
#include "tests/support/chains.hpp"

namespace {

using nnp::ConstTile;
using nnp::Tile;

struct Network {
  const char *name;
  chains::Recipe recipe;
};

double now() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

// A state and all that gradients need.
class Subject {
 public:
  Subject(const chains::Recipe &recipe, bool with_latents) {
    chains::make(recipe, problem_);
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

  nnp::State state;
  chains::Problem problem_;

 private:
  void layout(nnp::Arena &arena, bool with_latents) {
    nnp::state_layout(arena, *nnp::unwrap(problem_.net), *nnp::unwrap(problem_.data), with_latents,
                      state);
    nnp::gradient_layout(arena, state, work_);
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

template <class Work>
void time_once(int repeats, double &best, const Work &work) {
  const double begin = now();
  for (int i = 0; i < repeats; ++i) work();
  best = std::min(best, (now() - begin) / repeats);
}

void bench(const Network &network, double seconds) {
  Subject classical(network.recipe, false), intermediate(network.recipe, true);
  Products products(classical.state, network.recipe);
  double first = 1e300;
  time_once(1, first, [&] { classical.gradient(); });
  const int repeats = std::max(1, static_cast<int>(2e-3 / first));
  double gradient = 1e300, latents = 1e300, kernels = 1e300, blas = 1e300;
  const double start = now();
  for (int run = 0; run < 5 || now() - start < seconds; ++run) {
    time_once(repeats, gradient, [&] { classical.gradient(); });
    time_once(repeats, kernels, [&] { products.kernels(); });
    time_once(repeats, blas, [&] { products.blas(); });
    time_once(repeats, latents, [&] { intermediate.gradient(); });
  }
  std::printf("%-34s %10.4f %10.4f %8.2f %10.4f %8.2f %12.4f\n", network.name, 1e3 * gradient,
              1e3 * kernels, gradient / kernels, 1e3 * blas, gradient / blas, 1e3 * latents);
}

}  // namespace

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  openblas_set_num_threads(1);
  std::printf("kernels %s, BLAS core %s; milliseconds\n", nnp::best_kernels()->name,
              nnp::blas_core_name());
  std::printf("%-34s %10s %10s %8s %10s %8s %12s\n", "network", "gradient", "3 kernels", "ratio",
              "3 dgemm", "ratio", "intermediate");
  chains::Recipe small;
  small.n = 2084;
  small.features = 50;
  small.hidden = 10;
  bench({"n=2084 50-10-1 relu", small}, seconds);
  chains::Recipe mnist;
  mnist.n = 60000;
  mnist.features = 784;
  mnist.hidden = 12;
  mnist.outputs = 10;
  mnist.head = NNP_ARGMAX;
  bench({"n=60000 784-12-10 relu, argmax", mnist}, seconds);
}
