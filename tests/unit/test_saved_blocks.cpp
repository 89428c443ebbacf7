// Blocks made by hand, with a right checksum: each is refused with a sentence that names what is
// wrong and leaves the chain as it was, or it is a chain that runs.

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "lib/sampler/block.hpp"
#include "lib/sampler/gradient_sampler.hpp"
#include "lib/sampler/save.hpp"
#include "lib/sampler/save_draws.hpp"
#include "tests/support/alarm.h"
#include "tests/support/chains.hpp"
#include "tests/support/watched.h"
#include "unity.h"

void setUp(void) {
  alarm(static_cast<unsigned>(shortened(100, 6000)));  // nothing here may hang
}
void tearDown(void) {
  alarm(0);
}

namespace {

nnp_error err;

#define OK(call) TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_OK, (call), err.message)

using Block = std::vector<unsigned char>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// ---- the layout of a block -------------------------------------------------------------------

constexpr size_t size_at = 16, steps_at = 48, started_at = 56, simd_at = 60, provider_at = 64,
                 checksum_at = 72;
constexpr size_t header_size = 80;

// Where the pieces lie.
struct Layout {
  size_t params, options, annealing, moves, streams, layer_streams, statistics, adaptation, mass,
      window_mean, window_squares, given_mass, end;
  size_t site[8];  // from 1
};

Layout layout_of(const nnp::Chain &chain) {
  const nnp::State &s = chain.state;
  Layout at = {};
  at.params = header_size;
  at.options = at.params + static_cast<size_t>(s.net.param_count()) * 8;
  at.annealing = at.options + nnp::option_room * 8;
  at.moves = at.annealing + 16;
  size_t next = at.moves + nnp::move_room * 24;
  for (int64_t k = 1; k <= s.last_latent; ++k) {
    at.site[k] = next;
    next += static_cast<size_t>(s.tiling.size(s.net.site_width(k))) * 8;
  }
  at.streams = next;
  at.layer_streams = at.streams + static_cast<size_t>(s.tiling.blocks) * (48 + 16);
  at.statistics = at.layer_streams + static_cast<size_t>(s.net.depth) * 48;
  at.adaptation = at.statistics + nnp::step_statistic_count * 8;
  const size_t vector = static_cast<size_t>(s.position_size) * 8;
  at.mass = at.adaptation + sizeof(nnp::Adaptation);
  at.window_mean = at.mass + vector;
  at.window_squares = at.window_mean + vector;
  at.given_mass = at.window_squares + vector;
  at.end = ops_of(chain.sampler)->saved ? at.given_mass + vector : at.statistics;
  return at;
}

template <class T>
T get(const Block &block, size_t at) {
  T value;
  std::memcpy(&value, block.data() + at, sizeof value);
  return value;
}

template <class T>
void put(Block &block, size_t at, T value) {
  std::memcpy(block.data() + at, &value, sizeof value);
}

void add_to_checksum(uint64_t &hash, const unsigned char *p, size_t size) {
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * 0x100000001b3ull;
    hash ^= hash >> 29;
  }
  for (; size > 0; ++p, --size) hash = (hash ^ *p) * 0x100000001b3ull;
}

void make_checksum_right(Block &block) {
  put<uint64_t>(block, checksum_at, 0);
  uint64_t hash = 0xcbf29ce484222325ull;
  const uint64_t said = get<uint64_t>(block, size_at);
  const size_t size = said >= header_size && said <= block.size() ? said : block.size();
  add_to_checksum(hash, block.data(), header_size);
  add_to_checksum(hash, block.data() + header_size, size - header_size);
  put(block, checksum_at, hash);
}

// ---- chains ----------------------------------------------------------------------------------

struct Kind {
  const char *name;
  int32_t sampler, posterior;
  int64_t hidden, outputs;
  int32_t head;
};

constexpr Kind kinds[] = {
    {"gibbs, argmax", NNP_GIBBS, NNP_INTERMEDIATE, 3, 3, NNP_ARGMAX},
    {"gibbs, sign, no hidden layer", NNP_GIBBS, NNP_INTERMEDIATE, 0, 1, NNP_SIGN_HEAD},
    {"gibbs, gaussian", NNP_GIBBS, NNP_INTERMEDIATE, 3, 2, NNP_GAUSSIAN},
    {"hmc, argmax", NNP_HMC, NNP_INTERMEDIATE, 3, 3, NNP_ARGMAX},
    {"mala, gaussian, classical", NNP_MALA, NNP_CLASSICAL, 3, 2, NNP_GAUSSIAN},
    {"mala, sign", NNP_MALA, NNP_INTERMEDIATE, 3, 1, NNP_SIGN_HEAD},
    {"nuts, sign", NNP_NUTS, NNP_INTERMEDIATE, 3, 1, NNP_SIGN_HEAD},
    {"nuts, argmax, classical", NNP_NUTS, NNP_CLASSICAL, 3, 3, NNP_ARGMAX},
};

constexpr int64_t warmup = 60, made = 30;  // steps; a gradient sampler is inside a window

int32_t stop_at(const nnp_progress *progress, void *user) {
  return progress->step >= *static_cast<const int64_t *>(user);
}

int32_t run(nnp_chain *chain, int64_t steps) {
  return nnp_chain_run(chain, INT64_MAX, stop_at, &steps, &err);
}

Block saved(const nnp_chain *chain) {
  size_t bytes = 0;
  OK(nnp_chain_save_bytes(chain, &bytes, &err));
  Block block(bytes);
  OK(nnp_chain_save(chain, block.data(), bytes, &err));
  return block;
}

// A chain that has run, and its twin that nobody touches.
struct Pair {
  Kind kind;
  chains::Problem problem;
  nnp_chain *chain = nullptr, *twin = nullptr;
  Block good;
  Layout at = {};

  explicit Pair(const Kind &k) : kind(k) {
    chains::Recipe recipe;
    recipe.hidden = k.hidden;
    recipe.outputs = k.outputs;
    recipe.head = k.head;
    chains::make(recipe, problem);
    for (nnp_chain **one : {&chain, &twin}) make(one);
    good = saved(chain);
    at = layout_of(inside());
    TEST_ASSERT_EQUAL_UINT64(good.size(), at.end);
  }
  Pair(const Pair &) = delete;
  ~Pair() {
    nnp_chain_free(chain);
    nnp_chain_free(twin);
  }

  const nnp::Chain &inside() const { return *nnp::unwrap(chain)->chain; }
  bool adapts() const { return kind.sampler != NNP_GIBBS; }

  void make(nnp_chain **one) const {
    OK(nnp_chain_create(one, problem.net, problem.data, kind.sampler, kind.posterior, &err));
    if (adapts()) OK(nnp_chain_set(*one, NNP_OPTION_WARMUP, static_cast<double>(warmup), &err));
    if (kind.sampler == NNP_NUTS) OK(nnp_chain_set(*one, NNP_OPTION_MAX_DEPTH, 5, &err));
    OK(nnp_chain_start(*one, NNP_START_PRIOR, 5, 2, &err));
    TEST_ASSERT_EQUAL_INT(NNP_STOPPED, run(*one, made));
  }

  void expect_untouched(const std::string &what) const {
    const Block now = saved(chain);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(good.data(), now.data(), good.size(), what.c_str());
  }

  // The block with T `value` at `place` is refused, by a sentence with these words.
  template <class T>
  void refuses(size_t place, T value, const char *words) const {
    Block block = good;
    put(block, place, value);
    make_checksum_right(block);
    const std::string what = std::string(kind.name) + ": " + words + " at " + std::to_string(place);
    err.message[0] = 0;
    const int32_t status = nnp_chain_restore(chain, block.data(), block.size(), &err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(NNP_E_SAVE_CORRUPTED, status, what.c_str());
    TEST_ASSERT_NOT_NULL_MESSAGE(std::strstr(err.message, words),
                                 (what + ", was: " + err.message).c_str());
    expect_untouched(what);
  }

  void refuses_doubles(size_t place, std::initializer_list<double> values,
                       const char *words) const {
    for (double value : values) refuses(place, value, words);
  }

  void refuses_counts(size_t place, std::initializer_list<int64_t> values,
                      const char *words) const {
    for (int64_t value : values) refuses(place, value, words);
  }

  // Both go on bit for bit.
  void expect_same_draws() const {
    for (nnp_chain *one : {chain, twin}) TEST_ASSERT_EQUAL_INT(NNP_STOPPED, run(one, 40));
    const Block a = saved(chain), b = saved(twin);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(a.data(), b.data(), a.size(), kind.name);
  }
};

template <class Check>
void for_all_kinds(Check check) {
  for (const Kind &kind : kinds) {
    const Pair pair(kind);
    check(pair);
    pair.expect_same_draws();
  }
}

// ---- one thing wrong at a time -----------------------------------------------------------------

void test_header(void) {
  for_all_kinds([](const Pair &p) {
    p.refuses_counts(steps_at, {-1, INT64_MIN, INT64_MAX, (int64_t{1} << 53) + 1}, "steps");
    for (int32_t started : {0, 2, -1}) p.refuses(started_at, started, "start");
    for (int32_t simd : {0, -1, 5, 1000000}) p.refuses(simd_at, simd, "simd");
    for (int32_t provider : {0, -1, 5, 1000000}) p.refuses(provider_at, provider, "provider");
  });
}

void check_option(const Pair &p, int32_t number) {
  const nnp::OptionRow &row = *nnp::option_row(static_cast<nnp::Option>(number));
  const size_t at = p.at.options + static_cast<size_t>(number) * 8;
  const double below = std::nextafter(row.low, -inf), above = std::nextafter(row.high, inf);
  p.refuses_doubles(at, {nan, -nan, inf, -inf, below, above, 1e300, -1e300}, row.name);
  if (row.open) p.refuses_doubles(at, {row.low, row.high}, row.name);
  if (row.whole) p.refuses_doubles(at, {row.low + 0.5, row.high - 0.5}, row.name);
  const bool has = nnp::has_option(p.inside().sampler, static_cast<nnp::Option>(number));
  const double now = get<double>(p.good, at);
  for (double value : {row.low, row.high})
    if (!has && value != now) p.refuses(at, value, row.name);
}

void test_options(void) {
  for_all_kinds([](const Pair &p) {
    for (int32_t i = 1; i <= nnp::option_count; ++i) check_option(p, i);
    p.refuses(p.at.options, 1.0, "option");
    p.refuses(p.at.options + (nnp::option_room - 1) * 8, 1.0, "this version does not have it");
  });
}

// Where the value of an option is: blocks count options from 1.
size_t option_at(const Pair &p, int32_t option) {
  return p.at.options + static_cast<size_t>(option - NNP_OPTION_SCHEDULE + 1) * 8;
}

// Options that once led to crashes or endless runs, and what a network has no use for.
void test_single_options(void) {
  for (const Kind &kind : kinds) {
    const Pair p(kind);
    if (kind.sampler == NNP_NUTS)
      p.refuses_doubles(option_at(p, NNP_OPTION_MAX_DEPTH), {0, 13, 16}, "max_depth");
    if (kind.sampler == NNP_GIBBS)
      p.refuses(option_at(p, NNP_OPTION_PLAIN_EVERY), 0.0, "plain_every");
    if (kind.sampler == NNP_GIBBS && kind.hidden == 0)
      for (int32_t option : {NNP_OPTION_UNIT_MOVES, NNP_OPTION_SCALE_MOVES, NNP_OPTION_UNIT_DRAWS,
                             NNP_OPTION_LAYER_MOVES})
        p.refuses(option_at(p, option), 1.0, "hidden");
    if (kind.sampler == NNP_GIBBS && kind.head == NNP_GAUSSIAN)
      p.refuses(option_at(p, NNP_OPTION_EXPANSION), 1.0, "expansion");
    if (p.adapts() && kind.posterior == NNP_INTERMEDIATE)
      p.refuses(option_at(p, NNP_OPTION_SINGLE_GRADIENTS), 1.0, "single_gradients = 1");
    const int32_t level = get<int32_t>(p.good, simd_at);
    p.refuses(option_at(p, NNP_OPTION_SIMD), level == 1 ? 2.0 : 1.0, "simd");
    p.refuses(option_at(p, NNP_OPTION_BLAS), 3.0, "blas");
  }
}

void test_annealing(void) {
  for_all_kinds([](const Pair &p) {
    const size_t from = p.at.annealing, steps = from + 8;
    p.refuses_doubles(from, {nan, inf, -inf, -1, 1}, "anneals from");
    p.refuses_counts(steps, {-1, INT64_MIN, INT64_MAX, (int64_t{1} << 40) + 1}, "anneals from");
    p.refuses_counts(steps, {1, 1000}, "from = 0");
    for (double value : {nan, inf, -1.0, 0.0, 0.1}) {
      Block block = p.good;
      put(block, from, value);
      put<int64_t>(block, steps, 100);
      make_checksum_right(block);
      const int32_t status = nnp_chain_restore(p.chain, block.data(), block.size(), &err);
      TEST_ASSERT_EQUAL_INT(NNP_E_SAVE_CORRUPTED, status);
      TEST_ASSERT_NOT_NULL_MESSAGE(std::strstr(err.message, "from = "), err.message);
      p.expect_untouched("annealing");
    }
  });
}

void test_counts(void) {
  for_all_kinds([](const Pair &p) {
    for (size_t move = 0; move < nnp::move_room; ++move)
      for (size_t field = 0; field < 3; ++field)
        p.refuses_counts(p.at.moves + move * 24 + field * 8,
                         {-1, INT64_MIN, INT64_MAX, (int64_t{1} << 56) + 1}, "tried");
    const int64_t tried = get<int64_t>(p.good, p.at.moves);
    p.refuses(p.at.moves + 8, tried + 1, "moved");
    for (size_t field = 0; field < 2; ++field)
      p.refuses_counts(p.at.streams + 48 + field * 8, {-1, INT64_MIN, INT64_MAX}, "scores");
    if (p.adapts()) p.refuses<int64_t>(p.at.moves, 1, "tried");
  });
}

void test_values(void) {
  for_all_kinds([](const Pair &p) {
    const nnp::State &s = p.inside().state;
    for (int64_t i = 0; i < s.net.param_count(); ++i)
      p.refuses_doubles(p.at.params + static_cast<size_t>(i) * 8, {nan, inf, -inf}, "parameter");
    for (int64_t k = 1; k <= s.last_latent; ++k)
      for (int64_t j = 0; j < s.net.site_width(k); ++j) {
        const int64_t entry = s.tiling.at(s.net.site_width(k), s.tiling.n - 1 - j, j);
        p.refuses_doubles(p.at.site[k] + static_cast<size_t>(entry) * 8, {nan, inf, -inf}, "row");
      }
  });
}

void test_scores_that_contradict_labels(void) {
  for_all_kinds([](const Pair &p) {
    const nnp::State &s = p.inside().state;
    if (s.last_latent == 0 || s.last_latent < s.net.depth) return;
    const int64_t width = s.net.outputs();
    for (int64_t i = 0; i < s.tiling.n; ++i) {
      const int32_t label = s.labels(0)[i];
      const bool sign = p.kind.head == NNP_SIGN_HEAD;
      const int64_t entry = s.tiling.at(width, i, sign ? 0 : label);
      p.refuses(p.at.site[s.net.depth] + static_cast<size_t>(entry) * 8, sign ? -0.5 * label : -1e6,
                ("scores of row " + std::to_string(i)).c_str());
    }
  });
}

// Increments hold the stream's key; only states move.
void test_streams(void) {
  for_all_kinds([](const Pair &p) {
    const nnp::State &s = p.inside().state;
    for (size_t place : {p.at.streams, p.at.layer_streams,
                         p.at.layer_streams + 48 * static_cast<size_t>(s.net.depth - 1)})
      for (size_t word : {size_t{0}, size_t{8}, size_t{32}})
        for (uint64_t flip : {uint64_t{1}, uint64_t{2}, uint64_t{1} << 40})
          p.refuses(place + word, get<uint64_t>(p.good, place + word) ^ flip, "stream");
  });
}

void test_statistics(void) {
  for_all_kinds([](const Pair &p) {
    if (!p.adapts()) return;
    const size_t at = p.at.statistics;
    for (size_t i = 0; i < 8; ++i) p.refuses(at + i * 8, nan, "its");
    p.refuses_doubles(at, {inf, -inf}, "log density");
    p.refuses_doubles(at + 2 * 8, {-0.1, 1.1}, "acceptance");
    p.refuses(at + 3 * 8, -1.0, "step size");
    p.refuses_doubles(at + 4 * 8, {-1, 0.5, 13, 1e300}, "depth");
    p.refuses_doubles(at + 5 * 8, {-1, 0, 0.5, 1e300}, "leapfrogs");
    p.refuses_doubles(at + 6 * 8, {-1, 0.5, 2}, "divergence");
    p.refuses_doubles(at + 7 * 8, {-1, 0.5, inf}, "divergences");
  });
}

void test_adaptation(void) {
  for_all_kinds([](const Pair &p) {
    if (!p.adapts()) return;
    const size_t at = p.at.adaptation;
    p.refuses_doubles(at + offsetof(nnp::Adaptation, step), {nan, inf, 0, -1}, "adapted step");
    p.refuses_doubles(at + offsetof(nnp::Adaptation, option_step), {nan, inf, 0, -1}, "began");
    p.refuses_doubles(at + offsetof(nnp::Adaptation, centre), {nan, inf, -inf, 1e300}, "centre");
    p.refuses_doubles(at + offsetof(nnp::Adaptation, error), {nan, inf, -inf, 2}, "error");
    p.refuses_doubles(at + offsetof(nnp::Adaptation, log_average), {nan, inf, 1e300}, "average");
    for (size_t field : {offsetof(nnp::Adaptation, count), offsetof(nnp::Adaptation, window_draws),
                         offsetof(nnp::Adaptation, divergences)})
      p.refuses_counts(at + field, {-1, INT64_MIN, INT64_MAX, made + 1}, "expected 0 to 30");
    p.refuses_counts(at + offsetof(nnp::Adaptation, mass_given), {-1, 2, INT64_MAX}, "given");
    p.refuses_counts(at + offsetof(nnp::Adaptation, phase), {-1, 3, INT64_MIN}, "phase");
  });
}

void test_masses(void) {
  for_all_kinds([](const Pair &p) {
    if (!p.adapts()) return;
    for (int64_t i = 0; i < p.inside().state.position_size; ++i) {
      const size_t entry = static_cast<size_t>(i) * 8;
      p.refuses_doubles(p.at.mass + entry, {nan, inf, 0, -1}, "inverse mass");
      p.refuses_doubles(p.at.window_mean + entry, {nan, inf, -inf}, "mean");
      p.refuses_doubles(p.at.window_squares + entry, {nan, -1}, "squared deviation");
    }
    nnp::for_each_unused(p.inside().state, [&p](int64_t i) {
      p.refuses(p.at.window_mean + static_cast<size_t>(i) * 8, 1.0, "not used");
      p.refuses(p.at.window_squares + static_cast<size_t>(i) * 8, 1.0, "not used");
    });
    // it says that masses were given, but there are none
    p.refuses<int64_t>(p.at.adaptation + offsetof(nnp::Adaptation, mass_given), 1,
                       "given inverse mass");
  });
}

// ---- what is right -------------------------------------------------------------------------------

// Rows that tiles have room for but not got: no draw depends on them.
void test_padding_does_not_matter(void) {
  for_all_kinds([](const Pair &p) {
    const nnp::State &s = p.inside().state;
    Block block = p.good;
    for (int64_t k = 1; k <= s.last_latent; ++k)
      for (int64_t i = s.tiling.n; i < s.tiling.ld; ++i) {
        const int64_t entry = s.tiling.at(s.net.site_width(k), 0, 0) + i;
        put(block, p.at.site[k] + static_cast<size_t>(entry) * 8, i % 2 ? nan : 1e200);
      }
    make_checksum_right(block);
    OK(nnp_chain_restore(p.chain, block.data(), block.size(), &err));
    p.expect_untouched("padding");
  });
}

void test_any_address(void) {
  for_all_kinds([](const Pair &p) {
    for (size_t offset = 1; offset < 8; ++offset) {
      Block shifted(p.good.size() + 8);
      std::memcpy(shifted.data() + offset, p.good.data(), p.good.size());
      OK(nnp_chain_restore(p.chain, shifted.data() + offset, p.good.size(), &err));
      p.expect_untouched("shifted");
    }
  });
}

// A chain that has not run yet, one with masses given, one that anneals: all saves are taken back.
void test_saves_of_all_ages(void) {
  for (const Kind &kind : kinds) {
    const Pair p(kind);
    OK(nnp_chain_start(p.chain, NNP_START_SMALL, 1, 1, &err));
    Block block = saved(p.chain);
    OK(nnp_chain_restore(p.chain, block.data(), block.size(), &err));
    if (p.adapts()) {
      int64_t variables = 0;
      OK(nnp_chain_variables(p.chain, &variables, &err));
      const std::vector<double> scales(static_cast<size_t>(variables), 0.5);
      OK(nnp_chain_set_scales(p.chain, scales.data(), &err));
      block = saved(p.chain);
      OK(nnp_chain_restore(p.chain, block.data(), block.size(), &err));
    }
    OK(nnp_chain_anneal(p.chain, 50, 10, &err));
    for (int64_t i = 0; i < 80; ++i) {
      TEST_ASSERT_EQUAL_INT(NNP_STOPPED, run(p.chain, 1));
      block = saved(p.chain);
      OK(nnp_chain_restore(p.chain, block.data(), block.size(), &err));
    }
  }
}

// ---- anything wrong --------------------------------------------------------------------------------

uint64_t other_word(nnp::Stream &stream, uint64_t word) {
  const double doubles[] = {nan, inf, -inf, 0, -0.0, 1, -1, 0.5, 16, 1e12, 1e-320, 1e300, -1e140};
  const int64_t integers[] = {1, 2, 3, -1, 1000, INT64_MAX, INT64_MIN, int64_t{1} << 40};
  const uint64_t which = stream.bits() % 4, any = stream.bits();
  if (which == 0) return any;
  if (which == 1) return word ^ (uint64_t{1} << (any % 64));
  if (which == 2) {
    std::memcpy(&word, &doubles[any % (sizeof doubles / sizeof *doubles)], 8);
    return word;
  }
  return static_cast<uint64_t>(integers[any % (sizeof integers / sizeof *integers)]);
}

bool is_refusal(int32_t status) {
  return status == NNP_E_SAVE_CORRUPTED || status == NNP_E_SAVE_TRUNCATED ||
         status == NNP_E_SAVE_VERSION || status == NNP_E_SAVE_NETWORK ||
         status == NNP_E_SAVE_DATA || status == NNP_E_UNSUPPORTED;
}

// Values that no step can go on from are told by the run.
void expect_sane_run(const Pair &p, const std::string &what) {
  double leapfrogs = 0;
  OK(nnp_chain_get(p.chain, NNP_OPTION_LEAPFROGS, &leapfrogs, &err));
  if (leapfrogs > 1000) return;  // allowed, and long
  const int32_t status = run(p.chain, 3);
  const bool told = status == NNP_E_NUMERIC || status == NNP_E_NOT_FINITE;
  TEST_ASSERT_TRUE_MESSAGE(status == NNP_STOPPED || told, (what + err.message).c_str());
  const nnp::State &s = p.inside().state;
  for (int64_t i = 0; i < s.position_size && !told; ++i)
    TEST_ASSERT_TRUE_MESSAGE(std::isfinite(s.params[i]), what.c_str());
}

void test_random_words(void) {
  int64_t refused = 0, accepted = 0;
  for (const Kind &kind : kinds) {
    const Pair p(kind);
    nnp::Stream stream(2024, 0, static_cast<uint64_t>(&kind - kinds));
    for (int64_t i = 0; i < shortened(4000, 400); ++i) {
      Block block = p.good;
      // as often one of the header and options as one of the long pieces
      const size_t words =
          (stream.bits() % 2 ? p.at.site[1] ? p.at.site[1] : p.at.streams : block.size()) / 8;
      const size_t place = stream.bits() % words * 8;
      put(block, place, other_word(stream, get<uint64_t>(block, place)));
      make_checksum_right(block);
      const std::string what = std::string(kind.name) + ", try " + std::to_string(i) + ", byte " +
                               std::to_string(place) + ": ";
      const int32_t status = nnp_chain_restore(p.chain, block.data(), block.size(), &err);
      if (status != NNP_OK) {
        TEST_ASSERT_TRUE_MESSAGE(is_refusal(status), (what + err.message).c_str());
        p.expect_untouched(what);
        ++refused;
        continue;
      }
      ++accepted;
      expect_sane_run(p, what);
      OK(nnp_chain_restore(p.chain, p.good.data(), p.good.size(), &err));
      p.expect_untouched(what);
    }
    p.expect_same_draws();
  }
  TEST_ASSERT_GREATER_THAN_INT64(100, refused);
  TEST_ASSERT_GREATER_THAN_INT64(100, accepted);
}

// Saved draws of a sampler or posterior that there is not.
void test_draws_of_unknown_kinds(void) {
  for_all_kinds([](const Pair &p) {
    nnp::DrawsHeader header = {};
    nnp_saved_draws told = {};
    size_t bytes = 0;
    OK(nnp_draws_save_bytes(p.chain, 1, &bytes, &err));
    Block block(bytes);
    const nnp::State &s = p.inside().state;
    OK(nnp_draws_save(p.chain, s.params, 1, block.data(), bytes, &err));
    OK(nnp_draws_saved(block.data(), bytes, &told, &err));
    std::memcpy(&header, block.data(), sizeof header);
    for (int32_t number : {0, -1, 5, INT32_MAX, INT32_MIN})
      for (int32_t nnp::DrawsHeader::*field :
           {&nnp::DrawsHeader::sampler, &nnp::DrawsHeader::posterior}) {
        nnp::DrawsHeader wrong = header;
        wrong.*field = number;
        nnp::seal_block(wrong, block.data());
        TEST_ASSERT_EQUAL_INT(NNP_E_SAVE_CORRUPTED,
                              nnp_draws_saved(block.data(), bytes, &told, &err));
        TEST_ASSERT_NOT_NULL_MESSAGE(std::strstr(err.message, "expected ones that exist"),
                                     err.message);
      }
  });
}

}  // namespace

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_header);
  RUN_TEST(test_options);
  RUN_TEST(test_single_options);
  RUN_TEST(test_annealing);
  RUN_TEST(test_counts);
  RUN_TEST(test_values);
  RUN_TEST(test_scores_that_contradict_labels);
  RUN_TEST(test_streams);
  RUN_TEST(test_statistics);
  RUN_TEST(test_adaptation);
  RUN_TEST(test_masses);
  RUN_TEST(test_padding_does_not_matter);
  RUN_TEST(test_any_address);
  RUN_TEST(test_saves_of_all_ages);
  RUN_TEST(test_random_words);
  RUN_TEST(test_draws_of_unknown_kinds);
  return UNITY_END();
}
