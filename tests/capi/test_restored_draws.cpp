// A restored chain goes on bit for bit: every kind of network, every sampler, saved after every
// step, labels changed in between.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/expect.h"
#include "tests/support/threads.h"
#include "tests/support/watched.h"

void setUp(void) {}
void tearDown(void) {}

namespace {

using Block = std::vector<unsigned char>;

struct Network {
  const char *name;
  int hidden;   // layers of 5 units and their relus; -1: a convolution of 2 channels
  bool pooled;  // the convolution's outputs are averaged
  int32_t head;
  int64_t outputs;
  int32_t activation = NNP_RELU;
  int scales =
      0;  // learned: 1 tied noise, 2 all prior precisions, 3 one an input and the last noise
  bool maximum = false;  // the convolution's outputs: their maxima
};

constexpr Network networks[] = {
    {"dense, gaussian", 0, false, NNP_GAUSSIAN, 2},
    {"dense, argmax of 3", 0, false, NNP_ARGMAX, 3},
    {"dense, argmax of 2", 0, false, NNP_ARGMAX, 2},
    {"dense, sign", 0, false, NNP_SIGN_HEAD, 1},
    {"one hidden layer, gaussian", 1, false, NNP_GAUSSIAN, 2},
    {"one hidden layer, argmax", 1, false, NNP_ARGMAX, 3},
    {"one hidden layer, sign", 1, false, NNP_SIGN_HEAD, 1},
    {"two hidden layers, gaussian", 2, false, NNP_GAUSSIAN, 1},
    {"two hidden layers, argmax", 2, false, NNP_ARGMAX, 3},
    {"conv, argmax", -1, false, NNP_ARGMAX, 8},
    {"conv, gaussian", -1, false, NNP_GAUSSIAN, 8},
    {"conv, avgpool, argmax", -1, true, NNP_ARGMAX, 2},
    {"conv, avgpool, gaussian", -1, true, NNP_GAUSSIAN, 2},
    {"dense, student t", 0, false, NNP_STUDENT_T, 2},
    {"one hidden layer, student t", 1, false, NNP_STUDENT_T, 2, NNP_ABS},
    {"one hidden layer, location and scale", 1, false, NNP_LOCATION_SCALE, 2, NNP_TANH},
    {"conv, maxpool, gaussian", -1, false, NNP_GAUSSIAN, 2, NNP_RELU, 0, true},
    {"dense, tied noise", 0, false, NNP_GAUSSIAN, 2, NNP_RELU, 1},
    {"one hidden layer, tied noise", 1, false, NNP_GAUSSIAN, 2, NNP_RELU, 1},
    {"one hidden layer, learned precisions, argmax", 1, false, NNP_ARGMAX, 3, NNP_LEAKY_RELU, 2},
    {"two hidden layers, a precision an input", 2, false, NNP_GAUSSIAN, 1, NNP_RELU, 3},
    {"one hidden layer, student t, tied noise", 1, false, NNP_STUDENT_T, 1, NNP_RELU, 1},
    {"one hidden layer of signs, sign", 1, false, NNP_SIGN_HEAD, 1, NNP_SIGN},
    {"one hidden layer of hard tanh, argmax", 1, false, NNP_ARGMAX, 3, NNP_HARD_TANH},
};

struct Way {
  const char *name;
  int32_t sampler, posterior;
  int32_t moves;  // of Gibbs; of others 1: gradients in single precision
  double relax;
  int32_t schedule;
};

constexpr Way ways[] = {
    {"gibbs", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_SEQUENTIAL},
    {"gibbs, parallel", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_PARALLEL},
    {"gibbs, backward", NNP_GIBBS, NNP_INTERMEDIATE, 1, 0, NNP_BACKWARD},
    {"gibbs, plain", NNP_GIBBS, NNP_INTERMEDIATE, 0, 0, NNP_SEQUENTIAL},
    {"gibbs, over-relaxed", NNP_GIBBS, NNP_INTERMEDIATE, 1, -0.9, NNP_SEQUENTIAL},
    {"hmc", NNP_HMC, NNP_INTERMEDIATE, 0, 0, 0},
    {"mala", NNP_MALA, NNP_INTERMEDIATE, 0, 0, 0},
    {"nuts", NNP_NUTS, NNP_INTERMEDIATE, 0, 0, 0},
    {"hmc, classical", NNP_HMC, NNP_CLASSICAL, 0, 0, 0},
    {"mala, classical", NNP_MALA, NNP_CLASSICAL, 0, 0, 0},
    {"nuts, classical", NNP_NUTS, NNP_CLASSICAL, 0, 0, 0},
    {"hmc, single", NNP_HMC, NNP_CLASSICAL, 1, 0, 0},
    {"mala, single", NNP_MALA, NNP_CLASSICAL, 1, 0, 0},
    {"nuts, single", NNP_NUTS, NNP_CLASSICAL, 1, 0, 0},
};

constexpr int64_t warmup = 20, steps = 24;

// Small, deterministic and without structure.
double noise_at(uint64_t i) {
  uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return 3.4 * (static_cast<double>((h ^ (h >> 31)) >> 11) * 0x1p-53 - 0.5);
}

struct Problem {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  Network network = {};
  int64_t n = 0;
  std::vector<int32_t> labels, other_labels;

  ~Problem() {
    nnp_data_free(data);
    nnp_net_free(net);
  }
};

void make_net(const Network &network, nnp_net **net) {
  if (network.hidden < 0) {
    OK(nnp_net_create_image(net, 1, 5, 5, &err));
    OK(nnp_net_conv2d(*net, 2, 2, 2, 2, 2, &err));
    if (network.pooled) OK(nnp_net_avgpool(*net, 2, 2, &err));
    if (network.maximum) OK(nnp_net_maxpool(*net, 2, 2, &err));
  } else {
    OK(nnp_net_create(net, 7, &err));
    for (int h = 0; h < network.hidden; ++h) {
      OK(nnp_net_dense(*net, 5, &err));
      OK(nnp_net_activation(*net, network.activation, &err));
    }
    OK(nnp_net_dense(*net, network.outputs, &err));
  }
  OK(nnp_net_head(*net, network.head, &err));
  OK(nnp_net_set(*net, NNP_ALL_LAYERS, NNP_NOISE, 0.3, &err));
  int64_t layers = 0;
  OK(nnp_net_layers(*net, &layers, &err));
  if (network.scales == 1) OK(nnp_net_learn_tied(*net, nullptr, 0, 0, &err));
  if (network.scales == 2) OK(nnp_net_learn(*net, NNP_ALL_LAYERS, NNP_LAMBDA_W, 2, 4, &err));
  if (network.scales == 2) OK(nnp_net_learn(*net, NNP_ALL_LAYERS, NNP_LAMBDA_B, 0, 0, &err));
  if (network.scales == 3) OK(nnp_net_learn(*net, 1, NNP_ARD, 0, 0, &err));
  if (network.scales == 3) OK(nnp_net_learn(*net, layers, NNP_NOISE, 2, 5, &err));
}

void make(const Network &network, int64_t n, Problem &p) {
  p.network = network;
  p.n = n;
  make_net(network, &p.net);
  const int64_t features = network.hidden < 0 ? 25 : 7;
  std::vector<double> x(static_cast<size_t>(n * features));
  std::vector<double> y(static_cast<size_t>(n * network.outputs));
  for (size_t i = 0; i < x.size(); ++i) x[i] = noise_at(i);
  for (size_t i = 0; i < y.size(); ++i) y[i] = noise_at(i + 1000000);
  int64_t targets = 0;
  OK(nnp_net_targets(p.net, &targets, &err));
  y.resize(static_cast<size_t>(n * targets));
  OK(nnp_data_create(&p.data, n, features, targets, &err));
  OK(nnp_data_set_inputs(p.data, x.data(), NNP_ROW_MAJOR, &err));
  OK(nnp_data_set_targets(p.data, y.data(), NNP_ROW_MAJOR, &err));
  for (int64_t i = 0; i < n; ++i) {
    const double u = noise_at(static_cast<uint64_t>(i) + 2000000) / 3.4 + 0.5;
    const int32_t classes = static_cast<int32_t>(network.outputs);
    const int32_t label = static_cast<int32_t>(u * classes);
    const bool sign = network.head == NNP_SIGN_HEAD;
    p.labels.push_back(sign ? (u < 0.5 ? -1 : 1) : label);
    p.other_labels.push_back(sign ? (i % 2 ? -1 : 1) : (label + 1) % classes);
  }
  OK(nnp_data_set_labels(p.data, p.labels.data(), &err));
}

struct ChainHolder {
  nnp_chain *chain = nullptr;
  ~ChainHolder() { nnp_chain_free(chain); }
};

void make_chain(const Problem &p, const Way &way, ChainHolder &holder) {
  OK(nnp_chain_create(&holder.chain, p.net, p.data, way.sampler, way.posterior, &err));
}

// Some samplers refuse some networks.
bool takes(const Problem &p, const Way &way) {
  size_t bytes = 0;
  const int32_t status = nnp_chain_bytes(p.net, p.data, way.sampler, way.posterior, &bytes, &err);
  TEST_ASSERT_TRUE_MESSAGE(status == NNP_OK || status == NNP_E_UNSUPPORTED, err.message);
  return status == NNP_OK;
}

// One that runs: its options and its start.
void start_chain(const Problem &p, const Way &way, int64_t warm, ChainHolder &holder) {
  make_chain(p, way, holder);
  nnp_chain *c = holder.chain;
  if (way.sampler == NNP_GIBBS) {
    OK(nnp_chain_set(c, NNP_OPTION_MOVES, way.moves, &err));
    OK(nnp_chain_set(c, NNP_OPTION_SCHEDULE, way.schedule, &err));
    OK(nnp_chain_set(c, NNP_OPTION_RELAX, way.relax, &err));
    OK(nnp_chain_set(c, NNP_OPTION_PLAIN_EVERY, 3, &err));
  } else {
    OK(nnp_chain_set(c, NNP_OPTION_WARMUP, static_cast<double>(warm), &err));
    OK(nnp_chain_set(c, NNP_OPTION_JITTER, 0.1, &err));
    if (way.sampler == NNP_NUTS) OK(nnp_chain_set(c, NNP_OPTION_MAX_DEPTH, 4, &err));
    const int32_t status = nnp_chain_set(c, NNP_OPTION_SINGLE_GRADIENTS, way.moves, &err);
    TEST_ASSERT_TRUE_MESSAGE(status == NNP_OK || status == NNP_E_UNSUPPORTED, err.message);
  }
  OK(nnp_chain_start(c, NNP_START_PRIOR, 7, 3, &err));
}

Block saved(const nnp_chain *chain) {
  size_t bytes = 0;
  OK(nnp_chain_save_bytes(chain, &bytes, &err));
  Block block(bytes);
  OK(nnp_chain_save(chain, block.data(), bytes, &err));
  return block;
}

// Parameters, then sites; sites that are integrated out or observed are left out.
std::vector<double> state_of(const Problem &p, const nnp_chain *chain) {
  int64_t params = 0, layers = 0;
  OK(nnp_net_parameters(p.net, &params, &err));
  OK(nnp_net_layers(p.net, &layers, &err));
  std::vector<double> state(static_cast<size_t>(params));
  OK(nnp_chain_parameters(chain, state.data(), &err));
  std::vector<double> site(static_cast<size_t>(p.n * 64));
  for (int64_t k = 1; k <= layers; ++k) {
    if (nnp_chain_site(chain, k, site.data(), nullptr) != NNP_OK) continue;
    state.insert(state.end(), site.begin(), site.end());
  }
  return state;
}

void expect_same(const std::vector<double> &a, const std::vector<double> &b,
                 const std::string &at) {
  TEST_ASSERT_EQUAL_UINT64(a.size(), b.size());
  const bool same = std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
  TEST_ASSERT_TRUE_MESSAGE(same, at.c_str());
  for (double value : a) TEST_ASSERT_TRUE_MESSAGE(std::isfinite(value), at.c_str());
}

int32_t keep_block(const nnp_progress *progress, void *user) {
  static_cast<std::vector<Block> *>(user)->push_back(saved(progress->chain));
  return 0;
}

int checked = 0;  // networks x samplers

void check_every_step(const Network &network, const Way &way, int64_t n, nnp_pool *pool) {
  Problem p;
  make(network, n, p);
  if (!takes(p, way)) return;
  ++checked;
  ChainHolder original;
  start_chain(p, way, warmup, original);
  std::vector<Block> blocks = {saved(original.chain)};
  OK(nnp_chain_run(original.chain, steps, keep_block, &blocks, &err));
  const std::vector<double> end = state_of(p, original.chain);
  const Block last = saved(original.chain);
  for (int64_t s = 0; s < steps; s += shortened(1, 7)) {
    const std::string at =
        std::string(network.name) + ", " + way.name + ", saved after step " + std::to_string(s);
    ChainHolder fresh;
    make_chain(p, way, fresh);
    OK(nnp_chain_use_pool(fresh.chain, pool, &err));
    OK(nnp_chain_restore(fresh.chain, blocks[static_cast<size_t>(s)].data(), last.size(), &err));
    OK(nnp_chain_run(fresh.chain, steps - s, nullptr, nullptr, &err));
    expect_same(end, state_of(p, fresh.chain), at);
    // streams, counts, adaptation, statistics: all that a block holds
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(last.data(), saved(fresh.chain).data(), last.size(),
                                     at.c_str());
  }
}

void test_saved_after_every_step(void) {
  for (const Network &network : networks)
    for (const Way &way : ways) check_every_step(network, way, 37, nullptr);
  TEST_ASSERT_GREATER_THAN_INT(200, checked);
}

// Several blocks of rows, several threads.
void test_many_rows(void) {
  nnp_pool *pool = nullptr;
  OK(nnp_pool_create(&pool, threads_here(2), &err));
  for (int i : {1, 3, 5, 11})
    for (int j : {0, 4, 5}) check_every_step(networks[i], ways[j], 1100, pool);
  nnp_pool_free(pool);
}

constexpr int64_t before = 5, after = 6;

std::string place_of(const Problem &p, const Way &way) {
  return std::string(p.network.name) + ", " + way.name;
}

// Other labels for a while, then the old ones again: the block fits as before.
void check_labels_and_back(const Problem &p, const Way &way, bool run_between) {
  ChainHolder untouched, chain;
  OK(nnp_data_set_labels(p.data, p.labels.data(), &err));
  for (ChainHolder *one : {&untouched, &chain}) {
    start_chain(p, way, 0, *one);
    OK(nnp_chain_run(one->chain, before, nullptr, nullptr, &err));
  }
  const Block block = saved(chain.chain);
  OK(nnp_chain_run(untouched.chain, after, nullptr, nullptr, &err));
  OK(nnp_data_set_labels(p.data, p.other_labels.data(), &err));
  FAILS(NNP_E_SAVE_DATA, "other data",
        nnp_chain_restore(chain.chain, block.data(), block.size(), &err));
  if (run_between) OK(nnp_chain_run(chain.chain, 2, nullptr, nullptr, &err));
  OK(nnp_data_set_labels(p.data, p.labels.data(), &err));
  if (run_between) OK(nnp_chain_run(chain.chain, 2, nullptr, nullptr, &err));
  OK(nnp_chain_restore(chain.chain, block.data(), block.size(), &err));
  OK(nnp_chain_run(chain.chain, after, nullptr, nullptr, &err));
  expect_same(state_of(p, untouched.chain), state_of(p, chain.chain), place_of(p, way));
}

// A chain saved right after it was given other labels: its scores have yet to follow them.
void check_saved_with_new_labels(const Problem &p, const Way &way) {
  ChainHolder chain, fresh;
  OK(nnp_data_set_labels(p.data, p.labels.data(), &err));
  start_chain(p, way, 0, chain);
  OK(nnp_chain_run(chain.chain, before, nullptr, nullptr, &err));
  OK(nnp_data_set_labels(p.data, p.other_labels.data(), &err));
  const std::vector<double> unmoved = state_of(p, chain.chain);
  const Block block = saved(chain.chain);
  expect_same(unmoved, state_of(p, chain.chain), place_of(p, way) + ", saving");
  OK(nnp_chain_run(chain.chain, after, nullptr, nullptr, &err));
  const std::vector<double> end = state_of(p, chain.chain);
  make_chain(p, way, fresh);
  for (ChainHolder *one : {&fresh, &chain}) {
    OK(nnp_chain_restore(one->chain, block.data(), block.size(), &err));
    OK(nnp_chain_run(one->chain, after, nullptr, nullptr, &err));
    expect_same(end, state_of(p, one->chain), place_of(p, way));
  }
}

template <class Check>
void with_labels(Check check) {
  for (const Network &network : networks) {
    if (network.head != NNP_ARGMAX && network.head != NNP_SIGN_HEAD) continue;
    Problem p;
    make(network, 37, p);
    for (const Way &way : ways)
      if (takes(p, way)) check(p, way);
  }
}

void test_labels_changed_and_back(void) {
  with_labels([](const Problem &p, const Way &way) {
    check_labels_and_back(p, way, false);
    check_labels_and_back(p, way, true);
  });
}

void test_saved_with_new_labels(void) {
  with_labels([](const Problem &p, const Way &way) { check_saved_with_new_labels(p, way); });
}

void test_saving_with_impossible_labels_is_refused(void) {
  Problem p;
  make(networks[1], 37, p);
  ChainHolder chain;
  start_chain(p, ways[0], 0, chain);
  Block block = saved(chain.chain);
  std::vector<int32_t> labels = p.labels;
  labels[5] = 1000000;
  OK(nnp_data_set_labels(p.data, labels.data(), &err));
  FAILS(NNP_E_LABEL, "row 5 is 1000000",
        nnp_chain_save(chain.chain, block.data(), block.size(), &err));
}

// The noise in force is that of the block, not that of the chain it is restored into.
void test_restored_into_a_annealing_chain(void) {
  for (const Way &way : ways) {
    Problem p;
    make(networks[5], 37, p);
    ChainHolder warm, chain, annealing;
    start_chain(p, way, 0, chain);
    OK(nnp_chain_run(chain.chain, before, nullptr, nullptr, &err));
    const Block block = saved(chain.chain);
    OK(nnp_chain_run(chain.chain, after, nullptr, nullptr, &err));
    start_chain(p, way, 0, annealing);
    OK(nnp_chain_anneal(annealing.chain, 100, 1000, &err));
    OK(nnp_chain_run(annealing.chain, 2, nullptr, nullptr, &err));
    const Block hot = saved(annealing.chain);
    OK(nnp_chain_restore(annealing.chain, block.data(), block.size(), &err));
    OK(nnp_chain_run(annealing.chain, after, nullptr, nullptr, &err));
    expect_same(state_of(p, chain.chain), state_of(p, annealing.chain), place_of(p, way));
    // and back
    OK(nnp_chain_restore(annealing.chain, hot.data(), hot.size(), &err));
    make_chain(p, way, warm);
    OK(nnp_chain_restore(warm.chain, hot.data(), hot.size(), &err));
    for (ChainHolder *one : {&annealing, &warm})
      OK(nnp_chain_run(one->chain, after, nullptr, nullptr, &err));
    expect_same(state_of(p, warm.chain), state_of(p, annealing.chain), place_of(p, way) + ", hot");
  }
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_saved_after_every_step);
  RUN_TEST(test_many_rows);
  RUN_TEST(test_labels_changed_and_back);
  RUN_TEST(test_saved_with_new_labels);
  RUN_TEST(test_saving_with_impossible_labels_is_refused);
  RUN_TEST(test_restored_into_a_annealing_chain);
  return UNITY_END();
}
