// Memory: nothing is allocated once an object is built, and an object lives in exactly the block it
// asked for, no byte more, no byte less.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "capi/nnpost_study.h"
#include "tests/support/problem.h"
#include "tests/support/watched.h"

#ifdef __SANITIZE_THREAD__
#define NNP_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NNP_THREAD_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(NNP_THREAD_SANITIZED)
#define NNP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define NNP_SANITIZED 1
#endif
#endif

// ---- counting every allocation of the process, whoever makes it --------------------------------

namespace {
std::atomic<int64_t> allocations{0};
}

#ifdef NNP_SANITIZED
// The sanitizer has taken malloc's place already; it tells of each block.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                                         void (*)(const volatile void *));
namespace {
void count_malloc(const volatile void *, size_t) {
  ++allocations;
}
void count_free(const volatile void *) {
  ++allocations;
}
const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
}  // namespace
#else
#include <dlfcn.h>

namespace {

// What dlsym itself asks for before the real functions are known comes from here.
alignas(64) unsigned char early[4096];
size_t early_used = 0;

bool is_early(const void *block) {
  return block >= early && block < early + sizeof early;
}

template <class Function>
Function real(const char *name, Function &known) {
  if (!known) {
    void *found = dlsym(RTLD_NEXT, name);
    std::memcpy(&known, &found, sizeof known);
  }
  return known;
}

void *(*real_malloc)(size_t);
void *(*real_calloc)(size_t, size_t);
void *(*real_realloc)(void *, size_t);
void *(*real_aligned_alloc)(size_t, size_t);
int (*real_posix_memalign)(void **, size_t, size_t);
void *(*real_memalign)(size_t, size_t);
void (*real_free)(void *);
bool looking = false;

}  // namespace

// The program's definitions come before libc's for every library it loads.
extern "C" {
__attribute__((visibility("default"))) void *malloc(size_t size) noexcept {
  ++allocations;
  return real("malloc", real_malloc)(size);
}
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) noexcept {
  ++allocations;
  if (looking) {
    void *block = early + early_used;
    early_used += (count * size + 63) / 64 * 64;
    return early_used <= sizeof early ? block : nullptr;
  }
  looking = !real_calloc;
  const auto function = real("calloc", real_calloc);
  looking = false;
  return function(count, size);
}
__attribute__((visibility("default"))) void *realloc(void *block, size_t size) noexcept {
  ++allocations;
  return real("realloc", real_realloc)(block, size);
}
__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t size) noexcept {
  ++allocations;
  return real("aligned_alloc", real_aligned_alloc)(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void **block, size_t alignment,
                                                          size_t size) noexcept {
  ++allocations;
  return real("posix_memalign", real_posix_memalign)(block, alignment, size);
}
__attribute__((visibility("default"))) void *memalign(size_t alignment, size_t size) noexcept {
  ++allocations;
  return real("memalign", real_memalign)(alignment, size);
}
__attribute__((visibility("default"))) void free(void *block) noexcept {
  ++allocations;
  if (!is_early(block)) real("free", real_free)(block);
}
}
#endif

namespace {

constexpr int32_t heads[] = {NNP_GAUSSIAN, NNP_ARGMAX, NNP_SIGN_HEAD};
const int64_t rows = shortened(1000, 150);  // several tiles and blocks

bool has_threads() {
  char text[1024];
  OK(nnp_build_info(text, sizeof text, e));
  return std::strstr(text, "threads: yes") != nullptr;
}

int32_t look_on(const nnp_progress *progress, void *user) {
  double value = 0;
  if (progress->chain) nnp_chain_log_density(progress->chain, &value, nullptr);
  ++*static_cast<int64_t *>(user);
  return 0;
}

// ---- nothing is allocated ----------------------------------------------------------------------

// Valgrind puts its own functions before ours, so nothing can be counted under it.
bool under_valgrind() {
  const char *preloaded = std::getenv("LD_PRELOAD");
  return preloaded && std::strstr(preloaded, "vgpreload");
}

void test_allocations_are_counted() {
  if (under_valgrind()) TEST_IGNORE_MESSAGE("valgrind has replaced malloc");
  const int64_t before = allocations;
  void *volatile block = std::malloc(10);
  std::free(block);
  TEST_ASSERT_EQUAL_INT64(before + 2, allocations);
#ifdef NNP_THREAD_SANITIZED
  TEST_IGNORE_MESSAGE("the thread sanitizer does not tell of aligned_alloc");
#endif
  nnp_net *net = nullptr;
  TEST_ASSERT_EQUAL_INT32(NNP_OK, nnp_net_create(&net, 3, nullptr));  // inside the library, too
  TEST_ASSERT_EQUAL_INT64(before + 3, allocations);
  nnp_net_free(net);
  TEST_ASSERT_EQUAL_INT64(before + 4, allocations);
}

struct Workshop {
  Problem p;
  nnp_pool *pool = nullptr;
  nnp_chain *beside = nullptr;
  nnp_predictor *predictor = nullptr;
  std::vector<double> draws, out, params, sites;
  std::vector<unsigned char> block, helpers;
};

// The predictor works on the pool's threads, in a block of exactly the size it needs.
void share_predictions(Workshop &w) {
  size_t bytes = 0;
  OK(nnp_predictor_pool_bytes(w.predictor, w.pool, &bytes, e));
  w.helpers.resize(bytes + 64);
  const uintptr_t at = reinterpret_cast<uintptr_t>(w.helpers.data());
  OK(nnp_predictor_use_pool(w.predictor, w.pool, w.helpers.data() + (64 - at % 64) % 64, bytes, e));
}

Workshop make_workshop(int32_t head, int32_t schedule) {
  Workshop w;
  w.p = problem_make(head, rows);
  OK(nnp_pool_create(&w.pool, has_threads() ? 2 : 1, e));
  OK(nnp_chain_create(&w.beside, w.p.net, w.p.data, NNP_GIBBS, NNP_INTERMEDIATE, e));
  OK(nnp_predictor_create(&w.predictor, w.p.net, 10, e));
  share_predictions(w);
  for (nnp_chain *chain : {w.p.chain, w.beside}) {
    OK(nnp_chain_use_pool(chain, w.pool, e));
    OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, schedule, e));
  }
  // One of the heads by BLAS, if the build has one.
  if (head == NNP_ARGMAX) nnp_chain_set(w.p.chain, NNP_OPTION_BLAS, NNP_BLAS_ALL, nullptr);
  w.draws.resize(static_cast<size_t>(w.p.parameters * 2 * 10));
  w.out.resize(static_cast<size_t>(rows * 4 * 10));
  w.params.resize(static_cast<size_t>(w.p.parameters));
  w.sites.resize(static_cast<size_t>(w.p.latents * rows));
  size_t bytes = 0;
  OK(nnp_chain_save_bytes(w.p.chain, &bytes, e));
  w.block.resize(bytes);
  OK(nnp_chain_start(w.p.chain, NNP_START_PRIOR, 1, 0, e));
#ifdef NNP_SANITIZED
  // Threads allocate as they begin under this tool, and a short job does not wait for all of them.
  usleep(200000);
#endif
  return w;
}

void free_workshop(Workshop &w) {
  nnp_predictor_free(w.predictor);
  nnp_chain_free(w.beside);
  nnp_pool_free(w.pool);
  problem_free(&w.p);
}

// One rank of two, the other being its mirror: what ranks do with memory, without the other rank.
int32_t mirrored_allgather(const void *mine, void *all, int64_t bytes, void *) {
  for (int i = 0; i < 2; ++i)
    std::memcpy(static_cast<char *>(all) + i * bytes, mine, static_cast<size_t>(bytes));
  return 0;
}
int32_t mirrored_broadcast(void *, int64_t, int32_t, void *) {
  return 0;
}
int32_t mirrored_exchange(const void *out, void *in, int64_t bytes, int32_t, void *) {
  std::memcpy(in, out, static_cast<size_t>(bytes));
  return 0;
}

int32_t use_ranks(Workshop &w) {
  nnp_chain *const both[] = {w.p.chain, w.beside};
  nnp_comm comm = {};
  nnp_error err;
  comm.size = 2;
  comm.allgather = mirrored_allgather;
  comm.broadcast = mirrored_broadcast;
  comm.exchange = mirrored_exchange;
  int32_t bad = nnp_chain_use_comm(w.p.chain, &comm, &err);
  bad |= nnp_chains_run(both, 2, 3, nullptr, nullptr, &err);
  bad |= nnp_chains_sample(both, 2, w.draws.data(), 5, 2, nullptr, nullptr, &err);
  bad |= nnp_chains_start(both, 2, NNP_START_FIT, 1, nullptr, nullptr, &err);
  bad |= nnp_chain_use_comm(w.p.chain, nullptr, &err);
  return bad;
}

// Everything one does with a chain. Statuses are added up: no assertion may allocate in between.
int32_t use_chain(Workshop &w) {
  nnp_chain *const chain = w.p.chain;
  nnp_chain *const both[] = {chain, w.beside};
  int64_t calls = 0, exact = 0, scanned = 0, steps = 0;
  double value = 0, terms[3][3];
  nnp_error err;
  int32_t bad = 0;
  bad |= nnp_chain_start(chain, NNP_START_ZERO, 1, 0, &err);
  bad |= nnp_chain_run(chain, 3, look_on, &calls, &err);
  bad |= nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err);
  bad |= nnp_chain_start(w.beside, NNP_START_PRIOR, 1, 1, &err);
  bad |= nnp_chain_run(chain, 3, nullptr, nullptr, &err);
  bad |= nnp_chain_sample(chain, w.draws.data(), 5, 2, look_on, &calls, &err);
  bad |= nnp_chains_run(both, 2, 3, look_on, &calls, &err);
  bad |= nnp_chains_sample(both, 2, w.draws.data(), 5, 2, nullptr, nullptr, &err);
  bad |= nnp_chain_log_density(chain, &value, &err);
  bad |= nnp_chain_terms(chain, terms[0], terms[1], terms[2], &err);
  bad |= nnp_chain_parameters(chain, w.params.data(), &err);
  double *site = w.sites.data();
  for (int64_t k = 1; k <= 3 - (w.p.head == NNP_GAUSSIAN); ++k, site += 4 * rows)
    bad |= nnp_chain_site(chain, k, site, &err);
  bad |= nnp_chain_probit_draws(chain, &exact, &scanned, &err);
  bad |= nnp_chain_steps(chain, &steps, &err);
  bad |= nnp_chain_predict(chain, w.p.data, w.out.data(), &err);
  bad |= nnp_chain_score(chain, w.p.data, NNP_SCORE_LOG, &value, &err);
  bad |= nnp_chain_save(chain, w.block.data(), w.block.size(), &err);
  bad |= nnp_chain_run(chain, 1, nullptr, nullptr, &err);
  bad |= nnp_chain_restore(chain, w.block.data(), w.block.size(), &err);
  bad |= nnp_chain_run(chain, 1, nullptr, nullptr, &err);
  bad |= nnp_chain_start_weights(chain, w.params.data(), 1, 1, 0, &err);
  bad |= nnp_chain_descend(chain, 20, nullptr, nullptr, &err);
  bad |= nnp_chain_start(chain, NNP_START_FIT, 1, 0, &err);
  bad |= nnp_chain_start_state(chain, w.params.data(), w.sites.data(), 1, 0, &err);
  bad |= nnp_chain_run(chain, 1, nullptr, nullptr, &err);
  return bad | use_ranks(w);
}

int32_t use_predictor(Workshop &w) {
  const double levels[] = {0.1, 0.5, 0.9};
  double value = 0;
  nnp_error err;
  int32_t bad = nnp_predictor_levels(w.predictor, levels, 3, &err);
  bad |= nnp_predictor_passes(w.predictor, 2, &err);
  const int32_t last = w.p.head == NNP_GAUSSIAN ? NNP_PREDICT_QUANTILES : NNP_PREDICT_VOTES;
  for (int32_t noisy : {NNP_FORWARD, NNP_FITTED}) {
    bad |= nnp_predictor_noise(w.predictor, noisy, 1, &err);
    for (int32_t kind = NNP_PREDICT_MEAN; kind <= last; ++kind)
      bad |= nnp_predict(w.predictor, w.p.data, w.draws.data(), 10, kind, w.out.data(), &err);
    bad |= nnp_predict(w.predictor, w.p.data, w.draws.data(), 10, NNP_PREDICT_DRAWS, w.out.data(),
                       &err);
    const int32_t score = w.p.head == NNP_GAUSSIAN ? NNP_SCORE_MSE : NNP_SCORE_ACCURACY;
    bad |= nnp_score(w.predictor, w.p.data, w.draws.data(), 10, score, &value, &err);
    bad |= nnp_score(w.predictor, w.p.data, w.draws.data(), 10, NNP_SCORE_LOG, &value, &err);
    bad |= nnp_log_lik(w.predictor, w.p.data, w.draws.data(), 10, w.out.data(), &err);
    bad |= nnp_functions(w.predictor, w.p.data, w.draws.data(), 10, 0, w.out.data(), &err);
  }
  return bad;
}

void test_using_objects_allocates_nothing() {
  for (int32_t head : heads)
    for (int32_t schedule : {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD}) {
      Workshop w = make_workshop(head, schedule);
      const int64_t before = allocations;
      const int32_t chain_status = use_chain(w), predictor_status = use_predictor(w);
      const int64_t after = allocations;
      TEST_ASSERT_EQUAL_INT32(0, chain_status);
      TEST_ASSERT_EQUAL_INT32(0, predictor_status);
      TEST_ASSERT_EQUAL_INT64(before, after);
      free_workshop(w);
    }
}

// Teachers that label and start chains, studies that run, decide, thin and print.
void test_teachers_and_studies_allocate_nothing() {
  for (int32_t head : heads) {
    Workshop w = make_workshop(head, NNP_SEQUENTIAL);
    std::vector<double> sites(static_cast<size_t>(w.p.latents * w.p.n));
    std::vector<char> text(2048);
    const double study_steps = only_watched() ? 600 : 1200;  // more than there is room for
    nnp_chain *chains[] = {w.p.chain, w.beside};
    nnp_teacher *teacher = nullptr;
    nnp_study *study = nullptr;
    nnp_error err;
    OK(nnp_teacher_create(&teacher, w.p.net, NNP_INTERMEDIATE, 1, 0, e));
    OK(nnp_study_create(&study, chains, 2, w.p.data, 512, e));
    const int64_t before = allocations;
    int32_t bad = nnp_teacher_label(teacher, w.p.data, 1, sites.data(), &err);
    bad |= nnp_chain_start_teacher(chains[0], teacher, sites.data(), 1, 0, &err);
    bad |= nnp_chain_start(chains[1], NNP_START_ZERO, 1, 1, &err);
    bad |= nnp_study_set(study, NNP_STUDY_STEPS, study_steps, &err);
    bad |= nnp_study_set(study, NNP_STUDY_SAMPLING, NNP_SAMPLING_EVEN, &err);
    bad |= nnp_study_set(study, NNP_STUDY_STOP, 0, &err);
    bad |= nnp_study_run(study, nullptr, nullptr, &err);
    bad |= nnp_study_print(study, text.data(), text.size(), &err);
    const int64_t after = allocations;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(0, bad, err.message);
    TEST_ASSERT_EQUAL_INT64(before, after);
    nnp_study_free(study);
    nnp_teacher_free(teacher);
    free_workshop(w);
  }
}

// Failing calls and setting data do not allocate either.
void test_failures_allocate_nothing() {
  Workshop w = make_workshop(NNP_GAUSSIAN, NNP_SEQUENTIAL);
  std::vector<double> x(static_cast<size_t>(rows * 3), 1.0);
  nnp_error err;
  const int64_t before = allocations;
  const bool expected = nnp_chain_run(nullptr, 1, nullptr, nullptr, &err) == NNP_E_NULL &&
                        nnp_chain_run(w.beside, 1, nullptr, nullptr, &err) == NNP_E_NOT_STARTED &&
                        nnp_net_set(w.p.net, 1, NNP_NOISE, -1, &err) == NNP_E_VALUE &&
                        nnp_data_set_inputs(w.p.data, x.data(), NNP_ROW_MAJOR, &err) == NNP_OK &&
                        nnp_chain_restore(w.beside, x.data(), 100, &err) == NNP_E_SAVE_CORRUPTED;
  const int64_t after = allocations;
  TEST_ASSERT_TRUE(expected);
  TEST_ASSERT_EQUAL_INT64(before, after);
  free_workshop(w);
}

// ---- blocks of exact size ----------------------------------------------------------------------

constexpr size_t margin = 256;
constexpr unsigned char canary = 0xC5;

// A block of exactly `bytes`, aligned, between canaries.
struct Block {
  unsigned char *whole;
  size_t bytes;

  explicit Block(size_t size) : bytes(size) {
    const size_t all = (size + 2 * margin + 63) / 64 * 64;
    whole = static_cast<unsigned char *>(std::aligned_alloc(64, all));
    TEST_ASSERT_NOT_NULL(whole);
    std::memset(whole, canary, size + 2 * margin);
  }
  ~Block() { std::free(whole); }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  unsigned char *data() const { return whole + margin; }
  void check(const char *what) const {
    for (size_t i = 0; i < margin; ++i) {
      TEST_ASSERT_EQUAL_HEX8_MESSAGE(canary, whole[i], what);
      TEST_ASSERT_EQUAL_HEX8_MESSAGE(canary, whole[margin + bytes + i], what);
    }
  }
};

// All diagnostics, in workspaces of exactly the size they ask for.
void test_diagnostics_allocate_nothing() {
  constexpr int64_t quantities = 3, draws = 400, chains = 4, length = 50;
  std::vector<double> values(static_cast<size_t>(quantities * draws * chains));
  uint64_t seed = 1;
  for (double &value : values) value = problem_value(&seed);
  nnp_draws table;
  size_t bytes[5] = {};
  int64_t blocks = 0;
  OK(nnp_draws_init(&table, values.data(), quantities, draws, chains, e));
  OK(nnp_statistic_bytes(&table, &bytes[0], e));
  OK(nnp_block_rhat_bytes(&table, length, &blocks, &bytes[1], e));
  OK(nnp_thermalization_bytes(&bytes[2], e));
  OK(nnp_geweke_bytes(&table, &table, &bytes[3], e));
  OK(nnp_convergence_bytes(&table, &bytes[4], e));
  const Block statistics(bytes[0]), rhat_work(bytes[1]), levels(bytes[2]), geweke(bytes[3]),
      judging(bytes[4]);
  std::vector<double> rhat(static_cast<size_t>(6 * blocks));
  const double mean[quantities] = {}, second[quantities] = {1, 1, 1};
  const int64_t groups[chains] = {1, 1, 2, 2};
  const nnp_series series = {nullptr, values.data(), quantities * draws, {}};
  const nnp_criteria_series all = {series, series, series, {nullptr, values.data(), 0, {}}};
  double out[2 * quantities], p[quantities];
  int64_t ranks[quantities], counts[quantities * 4];
  nnp_verdict verdict;
  nnp_criteria_times times;
  nnp_settling settling;
  nnp_convergence convergence;
  char text[160];
  nnp_error err;
  const int64_t before = allocations;
  int32_t bad = 0;
  for (int32_t which = NNP_STAT_RHAT; which <= NNP_STAT_QUANTILE; ++which)
    bad |= nnp_statistic(&table, which, 0.3, out, statistics.data(), bytes[0], &err);
  bad |= nnp_convergence_of(&table, &convergence, judging.data(), bytes[4], &err);
  bad |= nnp_convergence_text(&convergence, text, sizeof text, &err);
  bad |= nnp_nested_rhat(&table, groups, out, statistics.data(), bytes[0], &err);
  bad |= nnp_block_rhat(&table, nullptr, length, rhat.data(), rhat_work.data(), bytes[1], &err);
  bad |= nnp_thermalization(&series, &series, 1, nullptr, &verdict, levels.data(), bytes[2], &err);
  bad |= nnp_verdict_text(&verdict, text, sizeof text, &err);
  bad |= nnp_stationarity(&series, NNP_SCALE_AUTO, &settling, levels.data(), bytes[2], &err);
  bad |= nnp_gradient_settling(&series, &settling, levels.data(), bytes[2], &err);
  bad |= nnp_rhat_settling(&series, 2, &settling, levels.data(), bytes[2], &err);
  bad |= nnp_criteria(&all, nullptr, 2, &times, levels.data(), bytes[2], &err);
  bad |= nnp_sbc_ranks(mean, &table, nullptr, ranks, &err);
  bad |= nnp_sbc_histogram(ranks, quantities, 1, draws * chains, 4, counts, p, &err);
  bad |= nnp_geweke_draws(&table, &table, out, p, geweke.data(), bytes[3], &err);
  bad |= nnp_geweke_moments(&table, mean, second, out, p, geweke.data(), bytes[3], &err);
  const int64_t after = allocations;
  TEST_ASSERT_EQUAL_INT32_MESSAGE(0, bad, err.message);
  TEST_ASSERT_EQUAL_INT64(before, after);
  statistics.check("statistics");
  rhat_work.check("block rhat");
  levels.check("levels");
  geweke.check("geweke");
  judging.check("convergence");
}

size_t net_bytes(int64_t layers) {
  size_t bytes = 0;
  OK(nnp_net_bytes(layers, &bytes, e));
  return bytes;
}

size_t data_bytes(const Problem &p) {
  size_t bytes = 0;
  OK(nnp_data_bytes(p.n, p.inputs, p.outputs, &bytes, e));
  return bytes;
}

size_t chain_bytes(const nnp_net *net, const nnp_data *data) {
  size_t bytes = 0;
  OK(nnp_chain_bytes(net, data, NNP_GIBBS, NNP_INTERMEDIATE, &bytes, e));
  return bytes;
}

size_t pool_bytes(int64_t threads) {
  size_t bytes = 0;
  OK(nnp_pool_bytes(threads, &bytes, e));
  return bytes;
}

size_t predictor_bytes(const nnp_net *net, int64_t draws) {
  size_t bytes = 0;
  OK(nnp_predictor_bytes(net, draws, &bytes, e));
  return bytes;
}

// The network of problem_net, built in a block with room for its three layers and no more.
nnp_net *build_net(const Block &block, const Problem &p) {
  nnp_net *net = nullptr;
  OK(nnp_net_init(&net, block.data(), block.bytes, 3, p.inputs, e));
  OK(nnp_net_dense(net, 4, e));
  OK(nnp_net_activation(net, NNP_RELU, e));
  OK(nnp_net_dense(net, p.outputs, e));
  OK(nnp_net_head(net, p.head, e));
  const double noise[] = {0.3, 0.2, 0.1};
  for (int64_t k = 1; k <= 3; ++k) OK(nnp_net_set(net, k, NNP_NOISE, noise[k - 1], e));
  const Block second(block.bytes);
  nnp_net *copy = nullptr;
  OK(nnp_net_init_copy(&copy, second.data(), second.bytes, 3, net, e));
  double copied = 0;
  OK(nnp_net_get(copy, 2, NNP_NOISE, &copied, e));
  TEST_ASSERT_TRUE(copied == 0.2);
  second.check("copy of a network");
  return net;
}

// The values of problem_data.
nnp_data *build_data(const Block &block, const Problem &p) {
  nnp_data *data = nullptr;
  OK(nnp_data_init(&data, block.data(), block.bytes, p.n, p.inputs, p.outputs, e));
  uint64_t seed = 1;
  std::vector<double> x(static_cast<size_t>(p.n * p.inputs));
  std::vector<double> y(static_cast<size_t>(p.n * p.outputs));
  std::vector<int32_t> labels(static_cast<size_t>(p.n));
  for (double &value : x) value = 2 * problem_value(&seed);
  for (double &value : y) value = problem_value(&seed);
  for (int32_t &label : labels) {
    const double u = 0.5 * (problem_value(&seed) + 1);
    label = p.head == NNP_SIGN_HEAD ? (u < 0.5 ? -1 : 1)
                                    : static_cast<int32_t>(u * static_cast<double>(p.outputs));
  }
  OK(nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, e));
  OK(nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, e));
  OK(nnp_data_set_labels(data, labels.data(), e));
  return data;
}

void check_exact_blocks(int32_t head, int32_t schedule, int64_t n) {
  Problem p = problem_make(head, n);
  const int64_t threads = has_threads() ? 2 : 1;
  const Block net_block(net_bytes(3)), data_block(data_bytes(p)), pool_block(pool_bytes(threads));
  nnp_net *net = build_net(net_block, p);
  nnp_data *data = build_data(data_block, p);
  const Block chain_block(chain_bytes(net, data)), predictor_block(predictor_bytes(net, 10));
  nnp_pool *pool = nullptr;
  nnp_chain *chain = nullptr;
  nnp_predictor *predictor = nullptr;
  OK(nnp_pool_init(&pool, pool_block.data(), pool_block.bytes, threads, e));
  OK(nnp_chain_init(&chain, chain_block.data(), chain_block.bytes, net, data, NNP_GIBBS,
                    NNP_INTERMEDIATE, e));
  OK(nnp_predictor_init(&predictor, predictor_block.data(), predictor_block.bytes, net, 10, e));
  OK(nnp_chain_use_pool(chain, pool, e));
  for (nnp_chain *each : {chain, p.chain}) {
    OK(nnp_chain_set(each, NNP_OPTION_SCHEDULE, schedule, e));
    OK(nnp_chain_start(each, NNP_START_PRIOR, 4, 0, e));
    OK(nnp_chain_run(each, 5, nullptr, nullptr, e));
    double value = 0;
    OK(nnp_chain_log_density(each, &value, e));
    OK(nnp_chain_score(each, data, NNP_SCORE_LOG, &value, e));
  }
  TEST_ASSERT_TRUE(problem_same(&p, chain, p.chain));

  std::vector<double> draws(static_cast<size_t>(10 * p.parameters));
  std::vector<double> out(static_cast<size_t>(10 * 4 * n));
  OK(nnp_chain_sample(chain, draws.data(), 10, 1, nullptr, nullptr, e));
  OK(nnp_predictor_noise(predictor, NNP_FITTED, 1, e));
  OK(nnp_predictor_passes(predictor, 3, e));
  const double levels[] = {0.05, 0.95};
  OK(nnp_predictor_levels(predictor, levels, 2, e));
  for (int32_t kind = NNP_PREDICT_MEAN; kind <= NNP_PREDICT_DRAWS; ++kind) {
    const bool classes = kind == NNP_PREDICT_PROBABILITIES || kind == NNP_PREDICT_VOTES;
    if (classes && head == NNP_GAUSSIAN) continue;
    OK(nnp_predict(predictor, data, draws.data(), 10, kind, out.data(), e));
  }
  double score = 0;
  OK(nnp_score(predictor, data, draws.data(), 10, NNP_SCORE_LOG, &score, e));
  OK(nnp_log_lik(predictor, data, draws.data(), 10, out.data(), e));
  OK(nnp_functions(predictor, data, draws.data(), 10, 1, out.data(), e));

  nnp_pool_close(pool);
  net_block.check("net");
  data_block.check("data");
  chain_block.check("chain");
  predictor_block.check("predictor");
  pool_block.check("pool");
  problem_free(&p);
}

void test_objects_stay_in_blocks_of_exact_size() {
  for (int32_t head : heads)
    for (int64_t n : {1, 7, 64, 65, 600}) {
      check_exact_blocks(head, NNP_SEQUENTIAL, n);
      check_exact_blocks(head, NNP_PARALLEL, n);
    }
}

// Other shapes use other parts of the workspace: wide and narrow layers, no biases, many outputs.
void test_chains_of_other_shapes() {
  const int64_t widths[][3] = {{1, 1, 1}, {9, 2, 17}, {2, 30, 1}, {5, 5, 5}, {40, 3, 70}};
  for (const auto &width : widths)
    for (double bias : {0.0, 1.0})
      for (int32_t schedule : {NNP_SEQUENTIAL, NNP_PARALLEL, NNP_BACKWARD}) {
        nnp_net *net = nullptr;
        OK(nnp_net_create(&net, width[0], e));
        OK(nnp_net_dense(net, width[1], e));
        OK(nnp_net_dense(net, width[0], e));
        OK(nnp_net_activation(net, NNP_HARD_TANH, e));
        OK(nnp_net_dense(net, width[2], e));
        OK(nnp_net_head(net, NNP_GAUSSIAN, e));
        OK(nnp_net_set(net, NNP_ALL_LAYERS, NNP_BIAS, bias, e));
        nnp_data *data = problem_data(70, width[0], width[2], NNP_GAUSSIAN, 1);
        const Block block(chain_bytes(net, data));
        nnp_chain *chain = nullptr;
        OK(nnp_chain_init(&chain, block.data(), block.bytes, net, data, NNP_GIBBS, NNP_INTERMEDIATE,
                          e));
        OK(nnp_chain_set(chain, NNP_OPTION_SCHEDULE, schedule, e));
        OK(nnp_chain_start(chain, NNP_START_PRIOR, 4, 0, e));
        OK(nnp_chain_run(chain, 3, nullptr, nullptr, e));
        double value = 0;
        OK(nnp_chain_log_density(chain, &value, e));
        OK(nnp_chain_score(chain, data, NNP_SCORE_MSE, &value, e));
        block.check("chain");
        nnp_data_free(data);
        nnp_net_free(net);
      }
}

// Every sampler and every extra move: in a block of exact size, without allocating.
struct Variant {
  int32_t head, sampler, posterior;
  std::vector<std::pair<int32_t, double>> options;
};

void check_variant(const Variant &v) {
  Problem p = problem_make(v.head, rows);
  size_t bytes = 0;
  OK(nnp_chain_bytes(p.net, p.data, v.sampler, v.posterior, &bytes, e));
  const Block block(bytes);
  nnp_chain *chain = nullptr;
  OK(nnp_chain_init(&chain, block.data(), bytes, p.net, p.data, v.sampler, v.posterior, e));
  for (const auto &option : v.options) OK(nnp_chain_set(chain, option.first, option.second, e));
  OK(nnp_chain_save_bytes(chain, &bytes, e));
  std::vector<unsigned char> saved(bytes);
  const int64_t before = allocations;
  double value = 0;
  nnp_error err;
  int32_t bad = nnp_chain_start(chain, NNP_START_PRIOR, 1, 0, &err);
  bad |= nnp_chain_run(chain, 12, nullptr, nullptr, &err);
  bad |= nnp_chain_log_density(chain, &value, &err);
  bad |= nnp_chain_score(chain, p.data, NNP_SCORE_LOG, &value, &err);
  bad |= nnp_chain_save(chain, saved.data(), saved.size(), &err);
  bad |= nnp_chain_restore(chain, saved.data(), saved.size(), &err);
  bad |= nnp_chain_run(chain, 2, nullptr, nullptr, &err);
  const int64_t after = allocations;
  TEST_ASSERT_EQUAL_INT32(0, bad);
  TEST_ASSERT_EQUAL_INT64(before, after);
  block.check("chain");
  problem_free(&p);
}

void test_every_sampler() {
  for (int32_t head : heads) {
    check_variant({head, NNP_GIBBS, NNP_INTERMEDIATE, {{NNP_OPTION_RELAX, -0.9}}});
    check_variant({head, NNP_GIBBS, NNP_INTERMEDIATE, {{NNP_OPTION_MOVES, NNP_MOVES_PLAIN}}});
    check_variant({head,
                   NNP_GIBBS,
                   NNP_INTERMEDIATE,
                   {{NNP_OPTION_UNIT_MOVES, 1}, {NNP_OPTION_SCALE_MOVES, 1}}});
    for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL}) {
      check_variant({head, NNP_HMC, posterior, {{NNP_OPTION_WARMUP, 8}}});
      check_variant({head, NNP_MALA, posterior, {{NNP_OPTION_WARMUP, 8}}});
      check_variant(
          {head, NNP_NUTS, posterior, {{NNP_OPTION_WARMUP, 8}, {NNP_OPTION_MAX_DEPTH, 3}}});
    }
  }
}

// Two ranks, which meet before and after what is counted.
struct CountedRank {
  nnp_comm comm;
  pthread_barrier_t *meeting;
  int32_t bad;
  pthread_t thread;

  template <class Work>
  void count(const Work &work) {
    pthread_barrier_wait(meeting);  // all is made ...
    pthread_barrier_wait(meeting);  // ... and counted
    bad |= work();
    pthread_barrier_wait(meeting);
    pthread_barrier_wait(meeting);
  }
};

int32_t use_rows(nnp_chain *chain, double *draws, std::vector<unsigned char> &saved) {
  double value = 0;
  int32_t bad = nnp_chain_start(chain, NNP_START_FIT, 1, 0, nullptr);
  bad |= nnp_chain_run(chain, 4, nullptr, nullptr, nullptr);
  bad |= nnp_chain_sample(chain, draws, 2, 2, nullptr, nullptr, nullptr);
  bad |= nnp_chain_log_density(chain, &value, nullptr);
  bad |= nnp_chain_save(chain, saved.data(), saved.size(), nullptr);
  return bad;
}

void *play_rows(void *argument) {
  CountedRank &rank = *static_cast<CountedRank *>(argument);
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;
  nnp_rows part;
  size_t bytes = 0;
  rank.bad = nnp_net_create(&net, 3, nullptr) | nnp_net_dense(net, 4, nullptr) |
             nnp_net_activation(net, NNP_RELU, nullptr) | nnp_net_dense(net, 1, nullptr) |
             nnp_net_head(net, NNP_GAUSSIAN, nullptr) |
             nnp_net_learn(net, 3, NNP_NOISE, 0, 0, nullptr) |
             nnp_rows_split(&rank.comm, 300, 3, &part, nullptr) |
             nnp_data_create_rows(&data, &part, &rank.comm, 3, 1, nullptr);
  std::vector<double> x(static_cast<size_t>(3 * part.count)), y(static_cast<size_t>(part.count));
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  for (size_t i = 0; i < y.size(); ++i) y[i] = x[3 * i];
  rank.bad |= nnp_data_set_inputs(data, x.data(), NNP_ROW_MAJOR, nullptr) |
              nnp_data_set_targets(data, y.data(), NNP_ROW_MAJOR, nullptr) |
              nnp_chain_create(&chain, net, data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr) |
              nnp_chain_save_bytes(chain, &bytes, nullptr);
  std::vector<unsigned char> saved(bytes);
  std::vector<double> draws(100);
  rank.count([&] { return use_rows(chain, draws.data(), saved); });
  nnp_chain_free(chain);
  nnp_data_free(data);
  nnp_net_free(net);
  return nullptr;
}

// Whatever several chains do together.
void *play_chains(void *argument) {
  enum { CHAINS = 4 };
  CountedRank &rank = *static_cast<CountedRank *>(argument);
  Problem p = problem_make(NNP_GAUSSIAN, 70);
  nnp_chain *chains[CHAINS] = {};
  nnp_exchange *exchange = nullptr;
  nnp_multistart *multistart = nullptr;
  nnp_twin *twin = nullptr;
  nnp_study *study = nullptr;
  rank.bad = 0;
  for (nnp_chain *&chain : chains)
    rank.bad |= nnp_chain_create(&chain, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr);
  rank.bad |= nnp_chain_use_comm(chains[0], &rank.comm, nullptr) |
              nnp_exchange_create(&exchange, chains, CHAINS, nullptr) |
              nnp_exchange_set(exchange, NNP_EXCHANGE_REPLICAS, CHAINS, nullptr) |
              nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, 1, nullptr) |
              nnp_exchange_set(exchange, NNP_EXCHANGE_FIRST_ROUND, 6, nullptr) |
              nnp_multistart_create(&multistart, chains, CHAINS, nullptr) |
              nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 512, nullptr) |
              nnp_twin_create(&twin, chains[0], nullptr) |
              nnp_study_create(&study, chains, CHAINS, p.data, 512, nullptr) |
              nnp_study_set(study, NNP_STUDY_STEPS, 100, nullptr) |
              nnp_study_set(study, NNP_STUDY_RHAT_BLOCK, 20, nullptr);
  std::vector<double> draws(100);
  rank.count([&] {
    int32_t bad = nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, nullptr);
    bad |= nnp_exchange_tune(exchange, nullptr, nullptr, nullptr);
    bad |= nnp_exchange_sample(exchange, draws.data(), 3, 2, nullptr, nullptr, nullptr);
    bad |= nnp_multistart_run(multistart, 1, nullptr, nullptr, nullptr);
    bad |= nnp_twin_run(twin, 70, 1, 1, nullptr, nullptr, nullptr);
    bad |= nnp_chains_start(chains, CHAINS, NNP_START_ZERO, 1, nullptr, nullptr, nullptr);
    return bad | nnp_study_run(study, nullptr, nullptr, nullptr);
  });
  nnp_study_free(study);
  nnp_twin_free(twin);
  nnp_multistart_free(multistart);
  nnp_exchange_free(exchange);
  for (nnp_chain *chain : chains) nnp_chain_free(chain);
  problem_free(&p);
  return nullptr;
}

void check_ranks(void *(*play)(void *), int32_t checked) {
  nnp_team *team = nullptr;
  CountedRank ranks[2];
  pthread_barrier_t meeting;
  if (nnp_team_create(&team, 2, nullptr) == NNP_E_UNSUPPORTED)
    TEST_IGNORE_MESSAGE("this build has no threads");
  pthread_barrier_init(&meeting, nullptr, 3);
  for (int r = 0; r < 2; ++r) {
    OK(nnp_team_comm(team, r, &ranks[r].comm, e));
    ranks[r].comm.checked = checked;
    ranks[r].meeting = &meeting;
    TEST_ASSERT_EQUAL(0, pthread_create(&ranks[r].thread, nullptr, play, &ranks[r]));
  }
  pthread_barrier_wait(&meeting);
  const int64_t before = allocations;
  pthread_barrier_wait(&meeting);
  pthread_barrier_wait(&meeting);
  const int64_t after = allocations;
  pthread_barrier_wait(&meeting);
  for (CountedRank &rank : ranks) pthread_join(rank.thread, nullptr);
  pthread_barrier_destroy(&meeting);
  nnp_team_free(team);
  TEST_ASSERT_EQUAL_INT32(0, ranks[0].bad | ranks[1].bad);
  TEST_ASSERT_EQUAL_INT64(before, after);
}

void test_rows_over_ranks() {
  check_ranks(play_rows, 0);
}

void test_chains_over_ranks() {
  for (int32_t checked : {0, 1}) check_ranks(play_chains, checked);
}

// HMC, MALA and NUTS: in a block of exact size, allocating nothing, warm-up included.
void test_gradient_samplers() {
  for (int32_t head : heads)
    for (int32_t sampler : {NNP_HMC, NNP_MALA, NNP_NUTS})
      for (int32_t posterior : {NNP_INTERMEDIATE, NNP_CLASSICAL})
        for (int64_t n : {1, 70, 600}) {
          Problem p = problem_make(head, n);
          size_t bytes = 0, saved = 0;
          OK(nnp_chain_bytes(p.net, p.data, sampler, posterior, &bytes, e));
          const Block block(bytes);
          nnp_chain *chain = nullptr;
          OK(nnp_chain_init(&chain, block.data(), bytes, p.net, p.data, sampler, posterior, e));
          OK(nnp_chain_set(chain, NNP_OPTION_WARMUP, 25, e));
          if (sampler == NNP_NUTS) OK(nnp_chain_set(chain, NNP_OPTION_MAX_DEPTH, 4, e));
          OK(nnp_chain_save_bytes(chain, &saved, e));
          std::vector<unsigned char> save(saved);
          std::vector<double> record(static_cast<size_t>(30 * NNP_STEP_STATISTICS));
          const int64_t before = allocations;
          int32_t bad = nnp_chain_record(chain, record.data(), 30, nullptr);
          bad |= nnp_chain_start(chain, NNP_START_SMALL, 1, 0, nullptr);
          bad |= nnp_chain_run(chain, 28, nullptr, nullptr, nullptr);
          bad |= nnp_chain_save(chain, save.data(), saved, nullptr);
          bad |= nnp_chain_restore(chain, save.data(), saved, nullptr);
          bad |= nnp_chain_run(chain, 4, nullptr, nullptr, nullptr);
          const int64_t after = allocations;
          TEST_ASSERT_EQUAL_INT32(0, bad);
          TEST_ASSERT_EQUAL_INT64(before, after);
          block.check("chain");
          problem_free(&p);
        }
}

// One byte less is refused, and so is every other alignment; nothing is written then.
void test_one_byte_less_is_refused() {
  const Problem p = problem_make(NNP_ARGMAX, 70);
  const Block net_block(net_bytes(3)), data_block(data_bytes(p)), pool_block(pool_bytes(1));
  const Block chain_block(chain_bytes(p.net, p.data)), predictor_block(predictor_bytes(p.net, 3));
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_pool *pool = nullptr;
  nnp_chain *chain = nullptr;
  nnp_predictor *predictor = nullptr;
  for (size_t shift : {0u, 1u, 8u, 16u, 32u, 63u}) {
    const size_t less = shift == 0 ? 1 : 0;
    const int32_t expected = shift == 0 ? NNP_E_MEMORY_SIZE : NNP_E_MEMORY_ALIGNMENT;
    TEST_ASSERT_EQUAL_INT32(expected, nnp_net_init(&net, net_block.data() + shift,
                                                   net_block.bytes - less, 3, 3, nullptr));
    TEST_ASSERT_EQUAL_INT32(expected, nnp_data_init(&data, data_block.data() + shift,
                                                    data_block.bytes - less, 70, 3, 3, nullptr));
    TEST_ASSERT_EQUAL_INT32(expected, nnp_pool_init(&pool, pool_block.data() + shift,
                                                    pool_block.bytes - less, 1, nullptr));
    TEST_ASSERT_EQUAL_INT32(
        expected, nnp_chain_init(&chain, chain_block.data() + shift, chain_block.bytes - less,
                                 p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE, nullptr));
    TEST_ASSERT_EQUAL_INT32(expected,
                            nnp_predictor_init(&predictor, predictor_block.data() + shift,
                                               predictor_block.bytes - less, p.net, 3, nullptr));
  }
  TEST_ASSERT_TRUE(!net && !data && !pool && !chain && !predictor);
  for (const Block *block : {&net_block, &data_block, &pool_block, &chain_block, &predictor_block})
    for (size_t i = 0; i < block->bytes; ++i) TEST_ASSERT_EQUAL_HEX8(canary, block->data()[i]);
  Problem to_free = p;
  problem_free(&to_free);
}

// Keepers: all that can be kept, in a block of exact size, allocating nothing.
std::vector<nnp_kept> all_kept(const Workshop &w) {
  const int32_t of_classes = w.p.head == NNP_GAUSSIAN ? NNP_KEEP_MEAN : NNP_KEEP_PROBABILITIES;
  std::vector<nnp_kept> kept;
  for (int32_t what : {int32_t{NNP_KEEP_PARAMETERS}, int32_t{NNP_KEEP_FUNCTIONS}, of_classes,
                       int32_t{NNP_KEEP_PREDICTIONS}, int32_t{NNP_KEEP_LOG_LIK}}) {
    nnp_kept one = {};
    one.what = what;
    one.moments = 1;
    one.predictor = w.predictor;
    one.data = w.p.data;
    kept.push_back(one);
  }
  return kept;
}

void test_keepers() {
  for (int32_t head : heads) {
    Workshop w = make_workshop(head, NNP_SEQUENTIAL);
    OK(nnp_predictor_passes(w.predictor, 2, e));
    const std::vector<nnp_kept> kept = all_kept(w);
    const int64_t count = static_cast<int64_t>(kept.size());
    nnp_chain *const both[] = {w.p.chain, w.beside};
    nnp_keeper *keeper = nullptr;
    nnp_draws_file *file = nullptr;
    nnp_error err;
    OK(nnp_chain_start(w.beside, NNP_START_PRIOR, 1, 1, e));
    size_t bytes = 0;
    OK(nnp_keeper_bytes(w.p.net, kept.data(), count, 2, &bytes, e));
    const Block block(bytes);
    TEST_ASSERT_EQUAL_INT32(
        NNP_E_MEMORY_SIZE,
        nnp_keeper_init(&keeper, block.data(), bytes - 1, w.p.net, kept.data(), count, 2, nullptr));
    for (size_t at = 0; at < bytes; ++at) TEST_ASSERT_EQUAL_HEX8(canary, block.data()[at]);
    OK(nnp_keeper_init(&keeper, block.data(), bytes, w.p.net, kept.data(), count, 2, e));
    OK(nnp_keeper_store(keeper, 4, w.out.data(), 20, e));
    std::remove("test_memory_draws");
    OK(nnp_draws_file_create(&file, "test_memory_draws", keeper, 0, 4, e));
    OK(nnp_keeper_file(keeper, 0, file, e));
    const int64_t before = allocations;
    int32_t bad = nnp_chains_keep(both, 2, keeper, 2, 2, nullptr, nullptr, &err);
    bad |= nnp_chains_keep(both, 2, keeper, 2, 1, nullptr, nullptr, &err);
    bad |= nnp_keeper_moments(keeper, 0, NNP_ALL_CHAINS, w.params.data(), nullptr, nullptr, &err);
    const int64_t after = allocations;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(0, bad, err.message);
    TEST_ASSERT_EQUAL_INT64(before, after);
    block.check("keeper");
    nnp_draws_file_free(file);
    std::remove("test_memory_draws");
    free_workshop(w);
  }
}

// Multistart and twins: in blocks of exact size, allocating nothing.
void test_multistart_and_twins() {
  for (int32_t head : heads) {
    Workshop w = make_workshop(head, NNP_SEQUENTIAL);
    std::vector<char> text(2048);
    nnp_chain *chains[] = {w.p.chain, w.beside};
    nnp_multistart *multistart = nullptr;
    nnp_twin *twin = nullptr;
    nnp_error err;
    size_t bytes = 0;
    OK(nnp_multistart_bytes(chains, 2, &bytes, e));
    const Block multistart_block(bytes);
    OK(nnp_twin_bytes(chains[0], &bytes, e));
    const Block twin_block(bytes);
    TEST_ASSERT_EQUAL_INT32(NNP_E_MEMORY_SIZE,
                            nnp_twin_init(&twin, twin_block.data(), bytes - 1, chains[0], nullptr));
    OK(nnp_multistart_init(&multistart, multistart_block.data(), multistart_block.bytes, chains, 2,
                           e));
    OK(nnp_twin_init(&twin, twin_block.data(), twin_block.bytes, chains[0], e));
    const int64_t before = allocations;
    int32_t bad = nnp_multistart_set(multistart, NNP_MULTISTART_STEPS, 400, &err);
    bad |= nnp_multistart_run(multistart, 1, nullptr, nullptr, &err);
    bad |= nnp_multistart_print(multistart, text.data(), text.size(), &err);
    for (int32_t noisy : {0, 1}) {
      bad |= nnp_twin_run(twin, 70, noisy, 1, nullptr, nullptr, &err);
      bad |= nnp_twin_text(twin, text.data(), text.size(), &err);
    }
    const int64_t after = allocations;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(0, bad, err.message);
    TEST_ASSERT_EQUAL_INT64(before, after);
    multistart_block.check("multistart");
    twin_block.check("twin");
    free_workshop(w);
  }
}

// Replica exchange: in a block of exact size, allocating nothing.
void test_exchange() {
  for (int32_t head : heads) {
    Workshop w = make_workshop(head, NNP_SEQUENTIAL);
    std::vector<char> text(2048);
    nnp_chain *chains[] = {w.p.chain, w.beside};
    nnp_exchange *exchange = nullptr;
    nnp_exchange_summary summary;
    nnp_error err;
    size_t bytes = 0;
    OK(nnp_exchange_bytes(chains, 2, &bytes, e));
    const Block block(bytes);
    TEST_ASSERT_EQUAL_INT32(NNP_E_MEMORY_SIZE, nnp_exchange_init(&exchange, block.data(), bytes - 1,
                                                                 chains, 2, nullptr));
    OK(nnp_exchange_init(&exchange, block.data(), block.bytes, chains, 2, e));
    OK(nnp_exchange_save_bytes(exchange, &bytes, e));
    std::vector<char> saved(bytes);
    const int64_t before = allocations;
    int32_t bad = nnp_exchange_set(exchange, NNP_EXCHANGE_FIRST_ROUND, 3, &err);
    bad |= nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 1, &err);
    bad |= nnp_exchange_tune(exchange, nullptr, nullptr, &err);
    bad |= nnp_exchange_run(exchange, 9, nullptr, nullptr, &err);
    bad |= nnp_exchange_save(exchange, saved.data(), saved.size(), &err);
    bad |= nnp_exchange_restore(exchange, saved.data(), saved.size(), &err);
    bad |= nnp_exchange_run(exchange, 9, nullptr, nullptr, &err);
    bad |= nnp_exchange_report(exchange, &summary, &err);
    bad |= nnp_exchange_text(exchange, text.data(), text.size(), &err);
    const int64_t after = allocations;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(0, bad, err.message);
    TEST_ASSERT_EQUAL_INT64(before, after);
    block.check("exchange");
    free_workshop(w);
  }
}

// What a block held before does not matter.
void test_blocks_may_hold_anything_before() {
  Problem p = problem_make(NNP_ARGMAX, 100);
  OK(nnp_chain_start(p.chain, NNP_START_PRIOR, 4, 0, e));
  OK(nnp_chain_run(p.chain, 5, nullptr, nullptr, e));
  for (int filling : {0x00, 0xFF, 0x7F}) {
    const Block block(chain_bytes(p.net, p.data));
    std::memset(block.data(), filling, block.bytes);
    nnp_chain *chain = nullptr;
    OK(nnp_chain_init(&chain, block.data(), block.bytes, p.net, p.data, NNP_GIBBS, NNP_INTERMEDIATE,
                      e));
    OK(nnp_chain_start(chain, NNP_START_PRIOR, 4, 0, e));
    OK(nnp_chain_run(chain, 5, nullptr, nullptr, e));
    TEST_ASSERT_TRUE(problem_same(&p, chain, p.chain));
  }
  problem_free(&p);
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_allocations_are_counted);
  RUN_TEST(test_using_objects_allocates_nothing);
  RUN_TEST(test_teachers_and_studies_allocate_nothing);
  RUN_TEST(test_diagnostics_allocate_nothing);
  RUN_TEST(test_keepers);
  RUN_TEST(test_multistart_and_twins);
  RUN_TEST(test_exchange);
  RUN_TEST(test_failures_allocate_nothing);
  RUN_TEST(test_objects_stay_in_blocks_of_exact_size);
  RUN_TEST(test_chains_of_other_shapes);
  RUN_TEST(test_every_sampler);
  RUN_TEST(test_gradient_samplers);
  RUN_TEST(test_rows_over_ranks);
  RUN_TEST(test_chains_over_ranks);
  RUN_TEST(test_one_byte_less_is_refused);
  RUN_TEST(test_blocks_may_hold_anything_before);
  return UNITY_END();
}
