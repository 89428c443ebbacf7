// Times a Gibbs step of the paper's networks for MNIST at n = 60000, beside what the authors report
// for their V100: 38 ms for the convolutional network, 11.9 ms for the dense one. The images are
// synthetic; their content hardly matters for time. Usage: bench_cnn [steps] [rows]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "capi/nnpost.h"

namespace {

constexpr int64_t side = 28, pixels = side * side, classes = 10;

nnp_error err;

void check(int32_t status) {
  if (status == NNP_OK) return;
  std::fprintf(stderr, "%s: %s\n", nnp_status_name(status), err.message);
  std::exit(1);
}

double read_clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A bright spot whose place follows the class, on a dark ground.
nnp_data *make_data(int64_t n) {
  std::vector<double> x(static_cast<size_t>(n * pixels));
  std::vector<int32_t> labels(static_cast<size_t>(n));
  uint64_t state = 1;
  const auto uniform = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (int64_t i = 0; i < n; ++i) {
    const int64_t label = static_cast<int64_t>(uniform() * classes);
    const double cy = 7 + 14 * uniform(), cx = 2 + 2.4 * static_cast<double>(label);
    labels[static_cast<size_t>(i)] = static_cast<int32_t>(label);
    for (int64_t p = 0; p < pixels; ++p) {
      const double dy = static_cast<double>(p / side) - cy, dx = static_cast<double>(p % side) - cx;
      x[static_cast<size_t>(i * pixels + p)] = 3 * std::exp(-0.1 * (dy * dy + dx * dx)) - 0.4;
    }
  }
  nnp_data *data = nullptr;
  check(nnp_data_create(&data, n, pixels, 0, &err));
  check(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, &err));
  check(nnp_data_set_labels(data, labels.data(), &err));
  return data;
}

nnp_net *make_cnn(double collapse) {
  nnp_net *net = nullptr;
  check(nnp_net_create_image(&net, 1, side, side, &err));
  check(nnp_net_conv2d(net, 2, 4, 4, 2, 2, &err));
  check(nnp_net_avgpool(net, 2, 2, &err));
  check(nnp_net_set(net, 2, NNP_COLLAPSE, collapse, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, classes, &err));
  check(nnp_net_head(net, NNP_ARGMAX, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 100, &err));
  return net;
}

nnp_net *make_mlp() {
  nnp_net *net = nullptr;
  check(nnp_net_create(&net, pixels, &err));
  check(nnp_net_dense(net, 12, &err));
  check(nnp_net_activation(net, NNP_RELU, &err));
  check(nnp_net_dense(net, classes, &err));
  check(nnp_net_head(net, NNP_ARGMAX, &err));
  check(nnp_net_set(net, NNP_ALL_LAYERS, NNP_NOISE, 2, &err));
  return net;
}

// The shortest of the steps: what the machine can do when left alone. Where it is not, the
// processor's time, shared out over the threads, comes closer to that.
struct Times {
  double wall, cpu;
};

Times best_step(nnp_net *net, const nnp_data *data, nnp_pool *pool, int64_t steps) {
  nnp_chain *chain = nullptr;
  check(nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, &err));
  check(nnp_chain_set(chain, NNP_OPTION_MOVES, NNP_MOVES_PLAIN, &err));
  check(nnp_chain_use_pool(chain, pool, &err));
  check(nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err));
  check(nnp_chain_run(chain, 2, nullptr, nullptr, &err));
  Times best = {INFINITY, INFINITY};
  for (int64_t s = 0; s < steps; ++s) {
    const double wall = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    check(nnp_chain_run(chain, 1, nullptr, nullptr, &err));
    best.wall = std::fmin(best.wall, read_clock(CLOCK_MONOTONIC) - wall);
    best.cpu = std::fmin(best.cpu, read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  }
  nnp_chain_free(chain);
  return best;
}

void report(const char *name, nnp_net *net, const nnp_data *data, int64_t steps, double paper) {
  for (int64_t threads : {1, 2}) {
    nnp_pool *pool = nullptr;
    check(nnp_pool_create(&pool, threads, &err));
    const Times best = best_step(net, data, pool, steps);
    const double ms = 1e3 * best.wall, cpu = 1e3 * best.cpu / static_cast<double>(threads);
    std::printf("%-24s %7lld %10.1f %10.1f %10.1f %8.2f\n", name, static_cast<long long>(threads),
                ms, cpu, paper, ms / paper);
    std::fflush(stdout);
    nnp_pool_free(pool);
  }
  nnp_net_free(net);
}

}  // namespace

int main(int argc, char **argv) {
  const int64_t steps = argc > 1 ? std::atoll(argv[1]) : 20;
  const int64_t n = argc > 2 ? std::atoll(argv[2]) : 60000;
  if (steps < 1 || n < 1) {
    std::fprintf(stderr, "usage: bench_cnn [steps] [rows], both at least 1\n");
    return 2;
  }
  nnp_data *data = make_data(n);
  std::printf("a Gibbs step on %lld images of 28x28 pixels, best of %lld\n",
              static_cast<long long>(n), static_cast<long long>(steps));
  std::printf("%-24s %7s %10s %10s %10s %8s\n", "network", "threads", "ms", "cpu ms", "V100 ms",
              "ratio");
  report("cnn", make_cnn(1), data, steps, 38);
  report("cnn, not collapsed", make_cnn(0), data, steps, 38);
  report("mlp", make_mlp(), data, steps, 11.9);
  nnp_data_free(data);
  return 0;
}
